#include "cpp/score/transversals.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "cpp/base/tuning.hpp"

namespace conceptrank {
namespace {

/// A set of up to 64 N faces.
template <std::size_t N>
struct Mask {
  std::array<Word, N> words{};

  bool empty() const {
    for (const Word word : words) {
      if (word != 0) return false;
    }
    return true;
  }
  bool meets(const Mask& other) const {
    for (std::size_t w = 0; w < N; ++w) {
      if ((words[w] & other.words[w]) != 0) return true;
    }
    return false;
  }
  bool inside(const Mask& other) const {
    return conceptrank::inside(words.data(), other.words.data(), N);
  }
  Mask without(const Mask& other) const {
    Mask result;
    for (std::size_t w = 0; w < N; ++w) result.words[w] = words[w] & ~other.words[w];
    return result;
  }
  Mask common(const Mask& other) const {
    Mask result;
    for (std::size_t w = 0; w < N; ++w) result.words[w] = words[w] & other.words[w];
    return result;
  }
  void add(const Mask& other) {
    for (std::size_t w = 0; w < N; ++w) words[w] |= other.words[w];
  }
  std::size_t count() const { return count_bits(words.data(), N); }
};

/// MMCS on one component: depth first over partial transversals in which every chosen class still
/// has a critical face, one that no other chosen class meets.
template <std::size_t N>
class Mmcs {
 public:
  Mmcs(std::vector<Mask<N>> classes, std::uint64_t node_budget)
      : classes_(std::move(classes)),
        set_words_(words_for(classes_.size())),
        members_(N * word_bits * set_words_, 0),
        candidates_(set_words_, ~Word{0}),
        nodes_left_(node_budget) {
    for (std::size_t v = 0; v < classes_.size(); ++v) {
      for_each_bit(classes_[v].words.data(), N,
                   [&](std::size_t f) { set_bit(members_.data() + f * set_words_, v); });
    }
  }

  /// Calls visit(chosen classes) -> bool for every minimal transversal of at most `most` classes.
  /// False: ended early.
  template <class Visit>
  bool run(const Mask<N>& faces, Visit&& visit,
           std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
    most_ = most;
    return search(faces, visit);
  }
  std::uint64_t nodes_left() const { return nodes_left_; }

 private:
  template <class Visit>
  bool search(const Mask<N>& uncovered, Visit& visit) {
    if (nodes_left_ == 0) return false;
    --nodes_left_;
    if (uncovered.empty()) return visit(std::span<const Index>(chosen_));
    if (chosen_.size() >= most_) return true;
    // Branch on the candidates of one face; each of them is a candidate below its later siblings.
    const Word* face = members_.data() + best_face(uncovered) * set_words_;
    const std::size_t branch = branches_.size();
    for (std::size_t w = 0; w < set_words_; ++w) {
      branches_.push_back(face[w] & candidates_[w]);
      candidates_[w] &= ~face[w];
    }
    bool go_on = true;
    for (std::size_t w = 0; w < set_words_; ++w) {
      for (Word word = branches_[branch + w]; word != 0; word &= word - 1) {
        const auto v = static_cast<Index>(w * word_bits + lowest_bit(word));
        if (go_on) go_on = choose(v, uncovered, visit);
        set_bit(candidates_.data(), v);
      }
    }
    branches_.resize(branch);
    return go_on;
  }

  template <class Visit>
  bool choose(Index v, const Mask<N>& uncovered, Visit& visit) {
    const std::size_t depth = chosen_.size();
    const std::size_t base = critical_.size() - depth;
    for (std::size_t u = 0; u < depth; ++u) {
      if (critical_[base + u].inside(classes_[v])) return true;
    }
    // The next level's critical faces go on top of this level's.
    for (std::size_t u = 0; u < depth; ++u) {
      critical_.push_back(critical_[base + u].without(classes_[v]));
    }
    critical_.push_back(uncovered.common(classes_[v]));
    chosen_.push_back(v);
    const bool go_on = search(uncovered.without(classes_[v]), visit);
    chosen_.pop_back();
    critical_.resize(critical_.size() - depth - 1);
    return go_on;
  }

  /// The uncovered face with fewest candidates.
  std::size_t best_face(const Mask<N>& uncovered) const {
    std::size_t best = 0;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    std::size_t compared = 0;
    for (std::size_t w = 0; w < N; ++w) {
      for (Word word = uncovered.words[w]; word != 0; word &= word - 1) {
        const std::size_t face = w * word_bits + lowest_bit(word);
        const Word* members = members_.data() + face * set_words_;
        std::size_t count = 0;
        for (std::size_t k = 0; k < set_words_; ++k)
          count += count_bits(members[k] & candidates_[k]);
        if (count < fewest) {
          fewest = count;
          best = face;
        }
        if (fewest == 0 || ++compared == tuning::compared_faces) return best;
      }
    }
    return best;
  }

  std::vector<Mask<N>> classes_;
  std::size_t set_words_;      // words of a set of classes
  std::vector<Word> members_;  // the classes of every face
  std::vector<Word> candidates_;
  std::vector<Word> branches_;  // the branching sets of the nodes on the way here
  std::vector<Index> chosen_;
  std::vector<Mask<N>> critical_;  // one per chosen class, level after level
  std::uint64_t nodes_left_;
  std::uint64_t most_ = 0;
};

/// A component: the numbers of its classes, and its faces.
template <std::size_t N>
struct Component {
  Mask<N> faces;
  std::vector<Index> classes;
};

template <std::size_t N>
Mask<N> mask_of(const TwinClasses& classes, std::size_t i) {
  Mask<N> mask;
  std::copy_n(classes.mask(i), classes.mask_words, mask.words.begin());
  return mask;
}

template <std::size_t N>
std::vector<Component<N>> components(const TwinClasses& classes) {
  std::vector<Component<N>> parts;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    Component<N> joined{mask_of<N>(classes, i), {static_cast<Index>(i)}};
    std::erase_if(parts, [&](Component<N>& part) {
      if (!part.faces.meets(joined.faces)) return false;
      joined.faces.add(part.faces);
      joined.classes.insert(joined.classes.end(), part.classes.begin(), part.classes.end());
      return true;
    });
    parts.push_back(std::move(joined));
  }
  for (Component<N>& part : parts) std::ranges::sort(part.classes);
  return parts;
}

template <std::size_t N>
std::vector<Mask<N>> class_masks(const TwinClasses& classes, const Component<N>& part) {
  std::vector<Mask<N>> masks;
  masks.reserve(part.classes.size());
  for (const Index i : part.classes) masks.push_back(mask_of<N>(classes, i));
  return masks;
}

/// Number of minimal transversals of one component, weighted by the sizes of the twin classes.
template <std::size_t N>
TransversalCount count_component(const TwinClasses& classes, const Component<N>& part,
                                 std::uint64_t& nodes_left) {
  const auto weight = [&](Index i) { return static_cast<double>(classes.weights[i]); };
  const std::size_t n_faces = part.faces.count();
  if (n_faces <= 2) {
    // One face: its elements. Two faces: one element of both, or one of each alone.
    double both = 0;
    std::array<double, 2> alone{0, 0};
    const Mask<N> first = [&] {
      Mask<N> lowest;
      for (std::size_t w = 0; w < N; ++w) {
        if (part.faces.words[w] != 0) {
          lowest.words[w] = part.faces.words[w] & (~part.faces.words[w] + 1);
          break;
        }
      }
      return lowest;
    }();
    for (const Index i : part.classes) {
      const Mask<N> mask = mask_of<N>(classes, i);
      if (mask.count() == n_faces) {
        both += weight(i);
      } else {
        alone[mask.meets(first) ? 0 : 1] += weight(i);
      }
    }
    return {n_faces == 1 ? both : both + alone[0] * alone[1], true};
  }
  Mmcs<N> search(class_masks(classes, part), nodes_left);
  double total = 0;
  const bool complete = search.run(part.faces, [&](std::span<const Index> chosen) {
    double product = 1;
    for (const Index v : chosen) product *= weight(part.classes[v]);
    total += product;
    return true;
  });
  nodes_left = search.nodes_left();
  return {total, complete};
}

template <std::size_t N>
TransversalCount count_all(const TwinClasses& classes, std::uint64_t node_budget) {
  TransversalCount result;
  for (const Component<N>& part : components<N>(classes)) {
    const TransversalCount count = count_component(classes, part, node_budget);
    result.value *= count.value;
    result.exact &= count.exact;
  }
  return result;
}

/// Visits every way to take one transversal of each component, twins expanded. The components are
/// searched one inside the other, so that the first results come at once and none is stored.
template <std::size_t N>
class Product {
 public:
  using Visit = std::function<bool(std::span<const Index>)>;

  Product(const TwinClasses& classes, std::span<const Index> forced, const Visit& visit,
          std::uint64_t most)
      : classes_(classes),
        parts_(components<N>(classes)),
        chosen_(forced.begin(), forced.end()),
        visit_(visit),
        most_(most) {}

  bool run() { return over_parts(0); }

 private:
  bool over_parts(std::size_t part) {
    if (part == parts_.size()) {
      sorted_ = chosen_;
      std::ranges::sort(sorted_);
      return visit_(sorted_);
    }
    // Every component that is still to come takes at least one element.
    const std::uint64_t taken = chosen_.size() + (parts_.size() - part - 1);
    if (taken >= most_) return true;
    Mmcs<N> search(class_masks(classes_, parts_[part]), ~std::uint64_t{0});
    return search.run(
        parts_[part].faces, [&](std::span<const Index> set) { return over_twins(part, set, 0); },
        most_ - taken);
  }

  bool over_twins(std::size_t part, std::span<const Index> set, std::size_t position) {
    if (position == set.size()) return over_parts(part + 1);
    for (const Index element : classes_.members[parts_[part].classes[set[position]]]) {
      chosen_.push_back(element);
      const bool go_on = over_twins(part, set, position + 1);
      chosen_.pop_back();
      if (!go_on) return false;
    }
    return true;
  }

  const TwinClasses& classes_;
  std::vector<Component<N>> parts_;
  std::vector<Index> chosen_;
  std::vector<Index> sorted_;
  const Visit& visit_;
  std::uint64_t most_;
};

/// Splits the faces into forced elements and faces of two and more. False: a face is empty.
bool split_faces(const FaceFamily& family, std::vector<Index>& forced,
                 std::vector<std::size_t>& rest) {
  forced.clear();
  rest.clear();
  for (std::size_t i = 0; i < family.size(); ++i) {
    const Word* face = family.face(i);
    std::size_t count = 0;
    std::size_t element = 0;
    for (std::size_t w = 0; w < family.words(); ++w) {
      if (face[w] != 0 && count == 0) element = w * word_bits + lowest_bit(face[w]);
      count += count_bits(face[w]);
    }
    if (count == 0) return false;
    // A face that stands for one distinct row of several objects is not forced to any of them.
    if (count == 1 && (family.weights().empty() || family.weights()[element] == 1)) {
      forced.push_back(static_cast<Index>(element));
    } else {
      rest.push_back(i);
    }
  }
  return true;
}

/// Runs `work` with the smallest mask that holds `n_faces` faces; false when none does.
template <class Work>
bool with_mask(std::size_t n_faces, Work&& work) {
  const std::size_t words = words_for(n_faces);
  if (words <= 1) {
    work(std::integral_constant<std::size_t, 1>{});
  } else if (words <= 4) {
    work(std::integral_constant<std::size_t, 4>{});
  } else if (words <= 32) {
    work(std::integral_constant<std::size_t, 32>{});
  } else if (words <= 128) {
    work(std::integral_constant<std::size_t, 128>{});
  } else if (words <= 512) {
    work(std::integral_constant<std::size_t, 512>{});
  } else {
    return false;
  }
  return true;
}

}  // namespace

void merge_twins(const FaceFamily& family, std::span<const std::size_t> faces, bool with_members,
                 TwinClasses& classes) {
  const std::size_t words = words_for(faces.size());
  classes.mask_words = words;
  classes.masks.clear();
  classes.weights.clear();
  classes.members.values.clear();
  classes.members.offsets.assign(1, 0);

  // The mask of every element of some face.
  static thread_local std::vector<Index> number;  // element -> its place in `elements`, plus one
  static thread_local std::vector<Index> elements;
  static thread_local std::vector<Word> masks;
  number.resize(std::max(number.size(), family.n_elements()), 0);
  elements.clear();
  masks.clear();
  for (std::size_t f = 0; f < faces.size(); ++f) {
    for_each_bit(family.face(faces[f]), family.words(), [&](std::size_t element) {
      if (number[element] == 0) {
        elements.push_back(static_cast<Index>(element));
        number[element] = static_cast<Index>(elements.size());
        masks.resize(masks.size() + words, 0);
      }
      set_bit(masks.data() + (number[element] - 1) * words, f);
    });
  }
  for (const Index element : elements) number[element] = 0;

  static thread_local std::vector<Index> order;
  order.resize(elements.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto mask = [&](Index i) { return masks.data() + i * words; };
  std::ranges::sort(order, [&](Index a, Index b) {
    for (std::size_t w = 0; w < words; ++w) {
      if (mask(a)[w] != mask(b)[w]) return mask(a)[w] < mask(b)[w];
    }
    return elements[a] < elements[b];
  });
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Index i = order[k];
    const bool same = k > 0 && std::equal(mask(i), mask(i) + words, mask(order[k - 1]));
    if (!same) {
      if (k > 0 && with_members) classes.members.close();
      classes.masks.insert(classes.masks.end(), mask(i), mask(i) + words);
      classes.weights.push_back(0);
    }
    const Index element = elements[i];
    classes.weights.back() += family.weights().empty() ? 1 : family.weights()[element];
    if (with_members) classes.members.values.push_back(element);
  }
  if (!order.empty() && with_members) classes.members.close();
}

TransversalCount TransversalSearch::count(const FaceFamily& family, std::uint64_t node_budget) {
  if (!split_faces(family, forced_, rest_)) return {0, true};
  if (rest_.empty()) return {1, true};
  if (rest_.size() == 1) return {static_cast<double>(family.weigh(family.face(rest_[0]))), true};
  // Only a long search can end early; where it does must not depend on the order of the faces.
  if (rest_.size() > tuning::few_faces) {
    std::ranges::sort(rest_, [&](std::size_t a, std::size_t b) {
      return std::lexicographical_compare(family.face(a), family.face(a) + family.words(),
                                          family.face(b), family.face(b) + family.words());
    });
  }
  merge_twins(family, rest_, false, classes_);
  TransversalCount result{1, false};  // there is at least one
  with_mask(rest_.size(),
            [&](auto words) { result = count_all<decltype(words)::value>(classes_, node_budget); });
  return result;
}

bool TransversalSearch::enumerate(const FaceFamily& family,
                                  const std::function<bool(std::span<const Index>)>& visit,
                                  std::uint64_t most) {
  if (!split_faces(family, forced_, rest_) || forced_.size() > most) return true;
  if (rest_.empty()) {
    std::ranges::sort(forced_);
    return visit(forced_);
  }
  merge_twins(family, rest_, true, classes_);
  bool complete = false;
  with_mask(rest_.size(), [&](auto words) {
    complete = Product<decltype(words)::value>(classes_, forced_, visit, most).run();
  });
  return complete;
}

}  // namespace conceptrank
