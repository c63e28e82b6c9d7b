// Minimal transversals: their number, the sets themselves, and what is done to a family beforehand.
#include <algorithm>
#include <chrono>
#include <map>

#include "cpp/score/transversals.hpp"
#include "families.hpp"
#include "harness.hpp"

using namespace conceptrank;
using reference::binomial;
using reference::Family;
using reference::Random;
using reference::Set;
using reference::uniform;

namespace {

constexpr std::uint64_t no_budget = ~std::uint64_t{0};

struct Enumerated {
  std::vector<Set> sets;
  bool complete = false;
  bool ascending = true;
};

/// The first `most` sets that the search visits.
Enumerated enumerate(TransversalSearch& search, const FaceFamily& family,
                     std::size_t most = ~std::size_t{0}) {
  Enumerated result;
  result.complete = search.enumerate(family, [&](std::span<const Index> elements) {
    Set set;
    for (const Index element : elements) set.add(element);
    result.ascending &= std::ranges::is_sorted(elements) && set.size() == elements.size();
    result.sets.push_back(set);
    return result.sets.size() < most;
  });
  return result;
}

void check_family(TransversalSearch& search, const Family& family) {
  const harness::Case which([&] { return describe(family); });
  const FaceFamily core = to_core(family);
  const auto expected = minimal_transversals(family);
  const Enumerated found = enumerate(search, core);
  CHECK(found.complete);
  CHECK(found.ascending);
  CHECK_EQUAL(found.sets.size(), expected.size());
  CHECK(minimal(found.sets) == expected);

  const TransversalCount count = search.count(core, no_budget);
  CHECK(count.exact);
  CHECK_EQUAL(count.value, static_cast<double>(minimal_transversals(expanded(family)).size()));
}

}  // namespace

TEST(transversals_of_random_families) {
  Random random(31);
  TransversalSearch search;
  for (std::size_t round = 0; round < harness::cases(1500); ++round) {
    check_family(search, random_family(random, random.below(10), random.below(14)));
  }
}

TEST(transversals_of_families_with_weights) {
  Random random(32);
  TransversalSearch search;
  for (std::size_t round = 0; round < harness::cases(700); ++round) {
    check_family(search,
                 weighted(random, random_family(random, 1 + random.below(6), random.below(8))));
  }
}

TEST(transversals_of_families_with_structure) {
  Random random(33);
  TransversalSearch search;
  for (std::size_t round = 0; round < harness::cases(300); ++round) {
    // Parts without a common element, forced elements, twins, and elements in no face at all.
    Family family = random_family(random, 4, 4);
    family = beside(family, random_family(random, 3, 3, 2));
    family = beside(family, {2, {Set::of({0})}, {}});
    family = with_twin(random, family);
    check_family(search, with_twin(random, family));
  }
}

TEST(transversals_of_many_faces) {
  Random random(34);
  TransversalSearch search;
  for (std::size_t round = 0; round < harness::cases(15); ++round) {
    const Family family = random_family(random, 12, 400, 5);
    if (round > 0 && family.faces.size() <= 64) continue;
    check_family(search, family);
  }
  // All sets of k of n elements: the minimal transversals leave out k - 1. The numbers of faces are
  // 84, 462, 3432 and 11440.
  for (const auto& [n, k] :
       {std::pair<std::size_t, std::size_t>{9, 3}, {11, 5}, {14, 7}, {16, 7}}) {
    const FaceFamily family = to_core(uniform(n, k));
    const TransversalCount count = search.count(family, no_budget);
    CHECK(count.exact);
    CHECK_EQUAL(count.value, binomial(n, k - 1));
    if (n > 14) continue;
    const Enumerated found = enumerate(search, family);
    CHECK(found.complete);
    CHECK(minimal(found.sets) == uniform(n, n - k + 1).faces);
  }
}

TEST(transversals_of_too_many_faces_are_not_called_exact) {
  // 48620 faces, more than the search takes.
  TransversalSearch search;
  const FaceFamily family = to_core(uniform(18, 9));
  const TransversalCount count = search.count(family, 1000);
  CHECK(!count.exact);
  CHECK(count.value <= binomial(18, 8));
  CHECK(!enumerate(search, family, 3).complete);
}

TEST(transversals_among_many_elements) {
  // Faces of several words: the same families, their elements scattered.
  Random random(35);
  TransversalSearch search;
  for (std::size_t round = 0; round < harness::cases(200); ++round) {
    const Family family = random_family(random, 1 + random.below(8), 1 + random.below(10));
    const auto places = random_places(random, family.n_elements, 250);
    const harness::Case which([&] { return describe(family); });
    std::vector<Set> expected;
    for (const Set& set : minimal_transversals(family)) expected.push_back(moved(set, places));
    const FaceFamily core = to_core(scattered(family, places, 250));
    const Enumerated found = enumerate(search, core);
    CHECK(found.complete);
    CHECK(minimal(found.sets) == minimal(expected));
    CHECK_EQUAL(search.count(core, no_budget).value, static_cast<double>(expected.size()));
  }
}

TEST(transversals_of_no_face_and_of_an_empty_face) {
  TransversalSearch search;
  for (const std::size_t n : {0, 1, 5}) {
    // No face: the empty set meets them all.
    const FaceFamily none = to_core(Family{n, {}, {}});
    CHECK_EQUAL(search.count(none, no_budget).value, 1);
    CHECK(enumerate(search, none).sets == std::vector<Set>{Set{}});
    // An empty face: no set meets it.
    const FaceFamily empty = to_core(Family{n, {Set{}}, {}});
    const TransversalCount count = search.count(empty, no_budget);
    CHECK_EQUAL(count.value, 0);
    CHECK(count.exact);
    CHECK(enumerate(search, empty).sets.empty());
    CHECK(enumerate(search, empty).complete);
  }
}

TEST(transversals_counted_beyond_the_integers) {
  TransversalSearch search;
  Family triples{0, {}, {}};
  for (std::size_t i = 0; i < 80; ++i) triples = beside(triples, {3, {Set::of({0, 1, 2})}, {}});
  const TransversalCount count = search.count(to_core(triples), no_budget);
  CHECK(count.exact);
  CHECK_NEAR(count.value / std::pow(3.0, 80), 1, 1e-13);

  // Two rows of four billion objects each, and the faces that each of them makes alone.
  const Index many = ~Index{0};
  const TransversalCount pairs =
      search.count(to_core(Family{2, {Set::of({0}), Set::of({1})}, {many, many}}), no_budget);
  CHECK_NEAR(pairs.value / std::pow(static_cast<double>(many), 2), 1, 1e-13);
}

TEST(transversals_within_a_node_budget) {
  Random random(36);
  TransversalSearch search;
  std::size_t ended = 0;
  for (std::size_t round = 0; round < harness::cases(300); ++round) {
    const Family family = beside(random_family(random, 7, 12, 2), random_family(random, 4, 5, 2));
    const harness::Case which([&] { return describe(family); });
    const auto truth = static_cast<double>(minimal_transversals(family).size());
    const FaceFamily core = to_core(family);
    for (const std::uint64_t budget : {0, 1, 2, 5, 10, 20, 1000}) {
      const TransversalCount count = search.count(core, budget);
      CHECK(count.value <= truth);
      if (count.exact) CHECK_EQUAL(count.value, truth);
      ended += count.exact ? 0 : 1;
    }
  }
  CHECK(ended > 0);
}

TEST(transversals_visited_until_told_to_stop) {
  Random random(37);
  TransversalSearch search;
  for (std::size_t round = 0; round < harness::cases(100); ++round) {
    const Family family = beside(random_family(random, 6, 8, 2), random_family(random, 4, 5, 2));
    const auto all = minimal_transversals(family);
    for (const std::size_t most : {1, 2, 3}) {
      if (all.size() <= most) continue;
      const Enumerated found = enumerate(search, to_core(family), most);
      CHECK(!found.complete);
      CHECK_EQUAL(found.sets.size(), most);
      for (const Set& set : found.sets) CHECK(std::ranges::find(all, set) != all.end());
    }
  }
}

TEST(transversals_first_ones_come_soon) {
  // Two paths with some hundred thousand minimal vertex covers each: a request for three must not
  // wait for all of them.
  Family path{46, {}, {}};
  for (Index i = 0; i + 1 < 46; ++i) path.faces.push_back(Set::of({i, i + 1}));
  const FaceFamily family = to_core(beside(path, path));
  TransversalSearch search;
  CHECK_SECONDS(0.05, [&] {
    const auto start = std::chrono::steady_clock::now();
    CHECK_EQUAL(enumerate(search, family, 3).sets.size(), 3);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  });
}

TEST(twins_lie_in_the_same_faces) {
  Random random(38);
  TwinClasses classes;
  for (std::size_t round = 0; round < harness::cases(500); ++round) {
    const std::size_t n = 1 + random.below(round % 4 == 0 ? 150 : 12);
    Family family = random_family(random, n, random.below(round % 3 == 0 ? 100 : 9));
    if (random.chance(0.5)) {
      for (std::size_t i = 0; i < n; ++i) {
        family.weights.push_back(static_cast<Index>(1 + random.below(9)));
      }
    }
    // Some of the faces, in any order.
    std::vector<std::size_t> faces;
    for (std::size_t f = 0; f < family.faces.size(); ++f) {
      if (random.chance(0.7)) faces.push_back(f);
    }
    if (random.chance(0.5)) std::ranges::reverse(faces);
    const harness::Case which([&] { return describe(family); });

    std::map<std::vector<bool>, std::vector<Index>> expected;
    for (std::size_t element = 0; element < n; ++element) {
      std::vector<bool> lies_in;
      for (const std::size_t f : faces) lies_in.push_back(family.faces[f].has(element));
      if (std::ranges::find(lies_in, true) == lies_in.end()) continue;
      expected[lies_in].push_back(static_cast<Index>(element));
    }
    const bool with_members = random.chance(0.8);
    merge_twins(to_core(family), faces, with_members, classes);
    CHECK_EQUAL(classes.size(), expected.size());
    CHECK_EQUAL(classes.mask_words, words_for(faces.size()));
    CHECK_EQUAL(classes.members.size(), with_members ? expected.size() : 0);
    for (std::size_t c = 0; c < classes.size(); ++c) {
      std::vector<bool> lies_in;
      for (std::size_t k = 0; k < faces.size(); ++k) {
        lies_in.push_back(test_bit(classes.mask(c), k));
      }
      const auto found = expected.find(lies_in);
      CHECK(found != expected.end());
      if (found == expected.end()) continue;
      std::uint64_t weight = 0;
      for (const Index element : found->second) {
        weight += family.weights.empty() ? 1 : family.weights[element];
      }
      CHECK_EQUAL(classes.weights[c], weight);
      if (with_members) CHECK(std::ranges::equal(classes.members[c], found->second));
    }
  }
}
