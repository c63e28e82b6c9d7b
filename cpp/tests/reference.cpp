#include "reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <sstream>

namespace reference {
namespace {

// Power sets of more elements than this take too long.
constexpr std::size_t small = 12;

template <class Generates>
Generation generation(const Set& ground, double keep, const Generates& generates) {
  Generation result;
  const PowerSet subsets(ground);
  const std::size_t n = ground.size();
  for (std::size_t i = 0; i < subsets.size(); ++i) {
    const Set subset = subsets[i];
    if (!generates(subset)) {
      const auto kept = static_cast<int>(subset.size());
      result.miss += std::pow(static_cast<long double>(keep), kept) *
                     std::pow(1 - static_cast<long double>(keep), static_cast<int>(n) - kept);
      continue;
    }
    // What a set generates, its supersets do: it is enough to leave out one element at a time.
    const auto members = subset.members();
    const bool is_minimal = std::ranges::none_of(members, [&](Index element) {
      Set smaller = subset;
      smaller.remove(element);
      return generates(smaller);
    });
    if (is_minimal) result.minimal.push_back(subset);
  }
  result.minimal = minimal(result.minimal);
  return result;
}

/// For every i the j beyond it with nothing in between. `beyond(i, j)` is an order.
template <class Beyond>
std::vector<std::vector<Index>> nearest(std::size_t n, const Beyond& beyond) {
  std::vector<std::vector<Index>> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::size_t> candidates;
    for (std::size_t j = 0; j < n; ++j) {
      if (beyond(i, j)) candidates.push_back(j);
    }
    for (const std::size_t j : candidates) {
      const bool between =
          std::ranges::any_of(candidates, [&](std::size_t k) { return k != j && beyond(k, j); });
      if (!between) result[i].push_back(static_cast<Index>(j));
    }
  }
  return result;
}

}  // namespace

Set Set::all(std::size_t n) {
  Set set;
  for (std::size_t i = 0; i < n; ++i) set.add(i);
  return set;
}

Set Set::of(std::initializer_list<Index> members) {
  Set set;
  for (const Index i : members) set.add(i);
  return set;
}

std::size_t Set::size() const {
  std::size_t total = 0;
  for (const std::uint64_t word : words_) total += static_cast<std::size_t>(std::popcount(word));
  return total;
}

std::vector<Index> Set::members() const {
  std::vector<Index> result;
  for (std::size_t w = 0; w < words_.size(); ++w) {
    for (std::uint64_t word = words_[w]; word != 0; word &= word - 1) {
      result.push_back(
          static_cast<Index>(w * 64 + static_cast<std::size_t>(std::countr_zero(word))));
    }
  }
  return result;
}

Set operator&(Set a, const Set& b) {
  for (std::size_t w = 0; w < a.words_.size(); ++w) a.words_[w] &= b.words_[w];
  return a;
}

Set operator|(Set a, const Set& b) {
  for (std::size_t w = 0; w < a.words_.size(); ++w) a.words_[w] |= b.words_[w];
  return a;
}

Set operator-(Set a, const Set& b) {
  for (std::size_t w = 0; w < a.words_.size(); ++w) a.words_[w] &= ~b.words_[w];
  return a;
}

Set PowerSet::operator[](std::size_t number) const {
  Set subset;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (number >> i & 1) subset.add(members_[i]);
  }
  return subset;
}

Context dual(const Context& context) {
  Context result{context.n_objects(), std::vector<Set>(context.n_attributes)};
  for (std::size_t g = 0; g < context.n_objects(); ++g) {
    for (const Index m : context.rows[g].members()) result.rows[m].add(g);
  }
  return result;
}

conceptrank::Lists lists(const Context& context) {
  conceptrank::Lists result;
  for (const Set& row : context.rows) result.push_back(row.members());
  return result;
}

std::string describe(const Context& context) {
  std::string text =
      std::to_string(context.n_objects()) + " x " + std::to_string(context.n_attributes) + ":";
  for (const Set& row : context.rows) {
    text += ' ';
    for (std::size_t m = 0; m < context.n_attributes; ++m) text += row.has(m) ? 'X' : '.';
  }
  return text;
}

Set extent(const Context& context, const Set& attributes) {
  Set objects;
  for (std::size_t g = 0; g < context.n_objects(); ++g) {
    if (attributes.inside(context.rows[g])) objects.add(g);
  }
  return objects;
}

Set intent(const Context& context, const Set& objects) {
  Set attributes = Set::all(context.n_attributes);
  for (const Index g : objects.members()) attributes = attributes & context.rows[g];
  return attributes;
}

std::vector<Concept> concepts(const Context& context) {
  std::set<Set> intents;
  if (context.n_attributes <= std::min(small, context.n_objects())) {
    const PowerSet subsets(Set::all(context.n_attributes));
    for (std::size_t i = 0; i < subsets.size(); ++i) {
      intents.insert(intent(context, extent(context, subsets[i])));
    }
  } else if (context.n_objects() <= small) {
    const PowerSet subsets(Set::all(context.n_objects()));
    for (std::size_t i = 0; i < subsets.size(); ++i) intents.insert(intent(context, subsets[i]));
  } else {
    intents.insert(Set::all(context.n_attributes));
    for (const Set& row : context.rows) {
      std::vector<Set> smaller;
      for (const Set& known : intents) smaller.push_back(known & row);
      intents.insert(smaller.begin(), smaller.end());
    }
  }
  struct Ordered {
    std::size_t support;
    std::vector<Index> members;
    Concept found;
  };
  std::vector<Ordered> ordered;
  for (const Set& attributes : intents) {
    const Set objects = extent(context, attributes);
    ordered.push_back({objects.size(), attributes.members(), {objects, attributes}});
  }
  std::ranges::sort(ordered, [](const Ordered& a, const Ordered& b) {
    return a.support != b.support ? a.support > b.support : a.members < b.members;
  });
  std::vector<Concept> result;
  for (const Ordered& one : ordered) result.push_back(one.found);
  return result;
}

std::vector<std::vector<Index>> lower_covers(const std::vector<Concept>& concepts) {
  return nearest(concepts.size(), [&](std::size_t i, std::size_t j) {
    return concepts[j].extent.strictly_inside(concepts[i].extent);
  });
}

std::vector<std::vector<Index>> upper_covers(const std::vector<Concept>& concepts) {
  return nearest(concepts.size(), [&](std::size_t i, std::size_t j) {
    return concepts[j].intent.strictly_inside(concepts[i].intent);
  });
}

std::vector<std::size_t> deltas(const std::vector<Concept>& concepts) {
  std::vector<std::size_t> result;
  for (const Concept& one : concepts) {
    std::size_t largest = 0;
    for (const Concept& other : concepts) {
      if (other.extent.strictly_inside(one.extent)) {
        largest = std::max(largest, other.extent.size());
      }
    }
    result.push_back(one.extent.size() - largest);
  }
  return result;
}

std::vector<Set> minimal(const std::vector<Set>& sets) {
  std::vector<Set> result;
  for (const Set& set : std::set<Set>(sets.begin(), sets.end())) {
    if (std::ranges::none_of(sets, [&](const Set& other) { return other.strictly_inside(set); })) {
      result.push_back(set);
    }
  }
  std::ranges::sort(result, [](const Set& a, const Set& b) {
    return a.size() != b.size() ? a.size() < b.size() : a.members() < b.members();
  });
  return result;
}

std::vector<Set> intent_faces(const Context& context, const Concept& concept_) {
  std::vector<Set> candidates;
  for (std::size_t g = 0; g < context.n_objects(); ++g) {
    if (!concept_.extent.has(g)) candidates.push_back(concept_.intent - context.rows[g]);
  }
  return minimal(candidates);
}

std::vector<Set> extent_faces(const Context& context, const Concept& concept_) {
  return intent_faces(dual(context), {concept_.intent, concept_.extent});
}

Generation intent_generation(const Context& context, const Concept& concept_, double keep) {
  return generation(concept_.intent, keep, [&](const Set& attributes) {
    return extent(context, attributes) == concept_.extent;
  });
}

std::string describe(const Family& family) {
  std::ostringstream text;
  text << "faces";
  for (const Set& face : family.faces) {
    const char* gap = "";
    text << " {";
    for (const Index element : face.members()) {
      text << gap << element;
      gap = ",";
    }
    text << '}';
  }
  if (!family.weights.empty()) text << " weights";
  for (const Index weight : family.weights) text << ' ' << weight;
  return text.str();
}

conceptrank::FaceFamily to_core(const Family& family) {
  conceptrank::FaceFamily result;
  result.reset(family.n_elements);
  result.weights() = family.weights;
  for (const Set& face : family.faces) {
    conceptrank::Word* words = result.add();
    for (const Index element : face.members()) conceptrank::set_bit(words, element);
  }
  return result;
}

Family expanded(const Family& family) {
  if (family.weights.empty()) return family;
  Family result{0, std::vector<Set>(family.faces.size()), {}};
  for (std::size_t element = 0; element < family.n_elements; ++element) {
    for (Index copy = 0; copy < family.weights[element]; ++copy) {
      for (std::size_t f = 0; f < family.faces.size(); ++f) {
        if (family.faces[f].has(element)) result.faces[f].add(result.n_elements);
      }
      ++result.n_elements;
    }
  }
  return result;
}

std::vector<Set> minimal_transversals(const Family& family) {
  const auto hits_all = [&](const Set& set) {
    return std::ranges::all_of(family.faces, [&](const Set& face) { return face.meets(set); });
  };
  return generation(Set::all(family.n_elements), 0.5, hits_all).minimal;
}

long double miss(const Family& family, double keep) {
  const auto hits_all = [&](const Set& set) {
    return std::ranges::all_of(family.faces, [&](const Set& face) { return face.meets(set); });
  };
  return generation(Set::all(family.n_elements), keep, hits_all).miss;
}

double Random::density() {
  const double p = static_cast<double>(below(13)) / 10 - 0.1;
  return std::clamp(p, 0.0, 1.0);
}

Set Random::subset(std::size_t n, double p) {
  Set set;
  for (std::size_t i = 0; i < n; ++i) {
    if (chance(p)) set.add(i);
  }
  return set;
}

Context random_context(Random& random, std::size_t most_objects, std::size_t most_attributes) {
  Context context = random_table(random, random.below(most_objects + 1),
                                 random.below(most_attributes + 1), random.density());
  const std::size_t n = context.n_attributes;
  if (context.n_objects() > 1 && random.chance(0.4)) {
    for (Set& row : context.rows) {
      if (random.chance(0.5)) row = context.rows[random.below(context.n_objects())];
    }
  }
  for (Set& row : context.rows) {
    if (random.chance(0.05)) row = Set{};
    if (random.chance(0.05)) row = Set::all(n);
  }
  for (std::size_t m = 0; m < n; ++m) {
    const bool fill = random.chance(0.05);
    const bool clear = random.chance(0.05);
    const bool copy = random.chance(0.1);
    const std::size_t other = random.below(n);
    for (Set& row : context.rows) {
      if (fill || (copy && row.has(other))) row.add(m);
      if (clear || (copy && !row.has(other))) row.remove(m);
    }
  }
  return context;
}

Context random_table(Random& random, std::size_t n_objects, std::size_t n_attributes,
                     double density) {
  Context context{n_attributes, {}};
  for (std::size_t g = 0; g < n_objects; ++g) {
    context.rows.push_back(random.subset(n_attributes, density));
  }
  return context;
}

Context contranominal(std::size_t n) {
  Context context{n, std::vector<Set>(n, Set::all(n))};
  for (std::size_t i = 0; i < n; ++i) context.rows[i].remove(i);
  return context;
}

Family random_family(Random& random, std::size_t n_elements, std::size_t n_faces,
                     std::size_t least) {
  std::vector<Set> faces;
  const double p = 0.1 + 0.8 * random.density();
  for (std::size_t f = 0; f < n_faces; ++f) {
    Set face = random.subset(n_elements, p);
    while (face.size() < std::min(least, n_elements)) face.add(random.below(n_elements));
    if (!face.empty()) faces.push_back(face);
  }
  return {n_elements, minimal(faces), {}};
}

}  // namespace reference
