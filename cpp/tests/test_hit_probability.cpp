// The chance to miss a face, against the sum over all subsets and against formulas for large
// families.
#include <limits>

#include "cpp/score/hit_probability.hpp"
#include "families.hpp"
#include "harness.hpp"

using namespace conceptrank;
using reference::binomial;
using reference::Family;
using reference::Random;
using reference::Set;
using reference::uniform;

namespace {

constexpr std::size_t many_states = 1'000'000;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// `result` is exact, says so, and its logarithm fits.
void check_exact(const MissProbability& result, long double truth) {
  const auto value = static_cast<double>(truth);
  CHECK_NEAR(result.value, value, 1e-12 * value);
  CHECK_NEAR(result.log2, static_cast<double>(std::log2(truth)), 1e-10);
  CHECK(result.error <= 1e-12);
  CHECK(std::abs(static_cast<double>(result.value - truth)) <= result.error);
}

/// The true value is within the interval of `result`.
void check_honest(const MissProbability& result, long double truth) {
  CHECK_NEAR(result.value, static_cast<double>(truth), result.error);
  CHECK(result.error <= 1);
}

/// Every face with `core` common elements more. They are twins: given with weights, they are one
/// element.
FaceFamily with_core(const Family& family, std::size_t core, bool merged) {
  FaceFamily result;
  const std::size_t added = merged ? 1 : core;
  result.reset(family.n_elements + added);
  if (merged) {
    result.weights().assign(family.n_elements, 1);
    result.weights().push_back(static_cast<Index>(core));
  }
  for (const Set& face : family.faces) {
    Word* words = result.add();
    for (const Index element : face.members()) set_bit(words, element);
    for (std::size_t i = 0; i < added; ++i) set_bit(words, family.n_elements + i);
  }
  return result;
}

/// Faces without a common element, of these sizes; merged: each is one element of that weight.
FaceFamily disjoint(const std::vector<std::size_t>& sizes, bool merged) {
  FaceFamily result;
  std::size_t total = 0;
  for (const std::size_t size : sizes) total += size;
  result.reset(merged ? sizes.size() : total);
  std::size_t next = 0;
  for (const std::size_t size : sizes) {
    Word* words = result.add();
    if (merged) {
      result.weights().push_back(static_cast<Index>(size));
      set_bit(words, next++);
    } else {
      for (std::size_t i = 0; i < size; ++i) set_bit(words, next++);
    }
  }
  return result;
}

/// So many faces with so much in common that inclusion and exclusion doesn't settle them, but few
/// enough for a sweep over the elements.
Family overlapping() {
  Random random(40);
  Family family{13, {}, {}};
  while (family.faces.size() < 50) {
    Set face;
    while (face.size() < 5) face.add(random.below(family.n_elements));
    family.faces.push_back(face);
    family.faces = minimal(family.faces);
  }
  return family;
}

}  // namespace

TEST(miss_probability_of_random_families) {
  Random random(41);
  for (const double keep : {0.5, 1.0 / 3, 0.9, 0.01}) {
    HitProbability probability(keep);
    for (std::size_t round = 0; round < harness::cases(500); ++round) {
      const Family family = random_family(random, random.below(10), random.below(14));
      const harness::Case which(
          [&] { return describe(family) + ", keep " + std::to_string(keep); });
      const MissProbability result = probability.miss(to_core(family), many_states);
      if (family.faces.empty()) {
        CHECK_EQUAL(result.value, 0);
        CHECK_EQUAL(result.log2, -infinity);
        CHECK_EQUAL(result.error, 0);
      } else {
        check_exact(result, miss(family, keep));
      }
    }
  }
}

TEST(miss_probability_of_families_with_weights) {
  Random random(42);
  for (const double keep : {0.5, 1.0 / 3, 0.9}) {
    HitProbability probability(keep);
    for (std::size_t round = 0; round < harness::cases(300); ++round) {
      const Family family =
          weighted(random, random_family(random, 1 + random.below(6), 1 + random.below(8)));
      if (family.faces.empty()) continue;
      const harness::Case which(
          [&] { return describe(family) + ", keep " + std::to_string(keep); });
      check_exact(probability.miss(to_core(family), many_states), miss(expanded(family), keep));
    }
  }
}

TEST(miss_probability_of_families_with_structure) {
  Random random(43);
  HitProbability probability(0.5);
  for (std::size_t round = 0; round < harness::cases(200); ++round) {
    Family family = random_family(random, 5, 8, 2);
    family = beside(family, random_family(random, 3, 3));
    family = beside(family, {2, {Set::of({0})}, {}});
    family = with_twin(random, family);
    const harness::Case which([&] { return describe(family); });
    const long double truth = miss(family, 0.5);
    check_exact(probability.miss(to_core(family), many_states), truth);
    // Among other elements nothing changes.
    const auto places = random_places(random, family.n_elements, 250);
    check_exact(probability.miss(to_core(scattered(family, places, 250)), many_states), truth);
  }
}

TEST(miss_probability_of_many_faces) {
  Random random(44);
  for (const double keep : {0.5, 1.0 / 3, 0.8}) {
    HitProbability probability(keep);
    for (std::size_t round = 0; round < harness::cases(12); ++round) {
      const Family family = random_family(random, 12, round % 2 == 0 ? 60 : 300, 2 + round % 6);
      const harness::Case which([&] { return describe(family); });
      const FaceFamily core = to_core(family);
      const long double truth = miss(family, keep);
      check_honest(probability.miss(core, many_states), truth);
      // As many faces as a sweep over the elements can hold at once: that settles it.
      if (family.faces.size() <= 64) check_exact(probability.miss(core, many_states), truth);
    }
  }
}

TEST(miss_probability_of_uniform_families) {
  // All sets of k of n elements: one is missed when at least k elements are lost.
  for (const double keep : {0.5, 0.25}) {
    HitProbability probability(keep);
    for (const auto& [n, k] : {std::pair<std::size_t, std::size_t>{6, 3},
                               {12, 11},
                               {40, 39},
                               {13, 6},
                               {40, 38},
                               {200, 199}}) {
      const harness::Case which([&] { return std::to_string(k) + " of " + std::to_string(n); });
      long double truth = 0;
      for (std::size_t lost = k; lost <= n; ++lost) {
        truth += static_cast<long double>(binomial(n, lost)) *
                 std::pow(1 - static_cast<long double>(keep), static_cast<int>(lost)) *
                 std::pow(static_cast<long double>(keep), static_cast<int>(n - lost));
      }
      const MissProbability result = probability.miss(to_core(uniform(n, k)), 10'000);
      check_honest(result, truth);
      if (n <= 12 || (n == 40 && k == 39)) check_exact(result, truth);
    }
  }
}

TEST(miss_probability_where_all_or_nothing_is_kept) {
  const Family family{4, {Set::of({0, 1}), Set::of({1, 2})}, {}};
  const MissProbability none = HitProbability(0).miss(to_core(family), many_states);
  CHECK_EQUAL(none.value, 1);
  CHECK_EQUAL(none.log2, 0);
  const MissProbability all = HitProbability(1).miss(to_core(family), many_states);
  CHECK_EQUAL(all.value, 0);
  CHECK_EQUAL(all.log2, -infinity);
  // Without faces there is nothing to miss, an empty face is always missed.
  for (const double keep : {0.0, 1.0 / 3, 0.5, 1.0}) {
    const harness::Case which([&] { return "keep " + std::to_string(keep); });
    HitProbability probability(keep);
    for (const std::size_t n : {0, 3}) {
      CHECK_EQUAL(probability.miss(to_core(Family{n, {}, {}}), many_states).value, 0);
      const MissProbability certain =
          probability.miss(to_core(Family{n, {Set{}}, {}}), many_states);
      CHECK_EQUAL(certain.value, 1);
      CHECK_EQUAL(certain.log2, 0);
    }
  }
}

TEST(miss_probability_within_a_state_budget) {
  Random random(45);
  std::size_t ended = 0;
  for (const double keep : {0.05, 0.03, 0.16}) {
    HitProbability probability(keep);
    for (std::size_t round = 0; round < harness::cases(40); ++round) {
      // Enough overlapping faces that inclusion and exclusion alone doesn't settle them, over too
      // many objects for a downset.
      Family family = random_family(random, 11, 80, 3 + round % 4);
      if (round % 2 == 0) family = beside(family, {1, {Set::of({0})}, {}});
      const long double truth = miss(family, 1 - std::pow(1 - keep, 13));
      family.weights.assign(family.n_elements, 13);
      const harness::Case which([&] { return describe(family); });
      for (const std::size_t states : {0, 1, 5, 50, 1000}) {
        const MissProbability result = probability.miss(to_core(family), states);
        check_honest(result, truth);
        if (result.error > 1e-12) ++ended;
      }
    }
  }
  CHECK(ended > 0);
}

TEST(miss_probability_of_disjoint_faces) {
  Random random(46);
  for (const double keep : {0.5, 0.2}) {
    HitProbability probability(keep);
    for (std::size_t round = 0; round < harness::cases(200); ++round) {
      std::vector<std::size_t> sizes;
      for (std::size_t k = 1 + random.below(30); k > 0; --k) {
        sizes.push_back(1 + random.below(round % 2 == 0 ? 12 : 400));
      }
      long double truth = 0;
      for (const std::size_t size : sizes) {
        truth += (1 - truth) * std::pow(1 - static_cast<long double>(keep), static_cast<int>(size));
      }
      const harness::Case which([&] { return "sizes " + harness::show(sizes); });
      check_exact(probability.miss(disjoint(sizes, false), many_states), truth);
      check_exact(probability.miss(disjoint(sizes, true), many_states), truth);
    }
  }
}

TEST(miss_probability_of_large_faces_keeps_its_logarithm) {
  // Faces with a large common part: (1 - keep)^core times the probability of what is left.
  const Family few{4, {Set::of({0, 1}), Set::of({1, 2}), Set::of({3})}, {}};
  const Family many = overlapping();
  Family heavy = many;  // too heavy for a downset
  heavy.weights.assign(heavy.n_elements, 15);
  CHECK(HitProbability(0.05).miss(to_core(heavy), 0).error > 1e-3);
  for (const Family& family : {few, many}) {
    for (const double keep : {0.5, 1.0 / 3}) {
      HitProbability probability(keep);
      const long double rest = miss(family, keep);
      for (const std::size_t core : {10, 500, 1000, 1050, 1070, 1080, 1500, 3000, 20'000}) {
        for (const bool merged : {false, true}) {
          const harness::Case which([&] {
            return std::to_string(family.faces.size()) + " faces, core " + std::to_string(core) +
                   ", keep " + std::to_string(keep) + (merged ? ", merged" : "");
          });
          const MissProbability result =
              probability.miss(with_core(family, core, merged), many_states);
          const long double log2 =
              std::log2(rest) +
              static_cast<long double>(core) * std::log2(1 - static_cast<long double>(keep));
          CHECK_NEAR(result.log2, static_cast<double>(log2), 1e-9);
          CHECK_NEAR(result.value, static_cast<double>(std::exp2(log2)), result.error + 1e-300);
        }
      }
    }
  }
}

TEST(miss_probability_of_large_disjoint_faces_keeps_its_logarithm) {
  for (const auto& sizes : std::initializer_list<std::vector<std::size_t>>{{1060},
                                                                           {1073},
                                                                           {1074},
                                                                           {1080},
                                                                           {5000},
                                                                           {1073, 1080},
                                                                           {1074, 1075},
                                                                           {1070, 1071, 1072},
                                                                           {2000, 2000},
                                                                           {2000, 2001, 2500},
                                                                           {1020, 1030},
                                                                           {1800},
                                                                           {1835, 1836}}) {
    for (const double keep : {0.5, 1.0 / 3}) {
      // What two of them are missed together is beyond any precision.
      long double relative = 0;
      const auto log2_lose = std::log2(1 - static_cast<long double>(keep));
      for (const std::size_t size : sizes) {
        relative += std::exp2(static_cast<long double>(size - sizes[0]) * log2_lose);
      }
      const long double log2 = static_cast<long double>(sizes[0]) * log2_lose + std::log2(relative);
      for (const bool merged : {false, true}) {
        const harness::Case which([&] {
          return "sizes " + harness::show(sizes) + ", keep " + std::to_string(keep) +
                 (merged ? ", merged" : "");
        });
        HitProbability probability(keep);
        const MissProbability result = probability.miss(disjoint(sizes, merged), many_states);
        CHECK_NEAR(result.log2, static_cast<double>(log2), 1e-9);
      }
    }
  }
}

TEST(miss_probability_that_ends_early_keeps_a_logarithm) {
  // Where the bracket is no number any more its logarithm is one, off by what the faces allow.
  const Family family = overlapping();
  HitProbability probability(0.5);
  for (const std::size_t core : {100, 2000}) {
    const MissProbability result = probability.miss(with_core(family, core, true), 1);
    const double log2 =
        static_cast<double>(std::log2(miss(family, 0.5))) - static_cast<double>(core);
    CHECK_NEAR(result.log2, log2, std::log2(static_cast<double>(family.faces.size())));
  }
}

TEST(miss_probability_of_elements_that_are_nearly_always_lost) {
  // One face of many objects, of which hardly any is kept.
  for (const std::size_t size : {1'000, 100'000, 10'000'000}) {
    const double keep = 1.0 / static_cast<double>(size);
    const harness::Case which([&] { return "keep 1 of " + std::to_string(size); });
    const long double truth =
        std::exp(static_cast<long double>(size) * std::log1p(-static_cast<long double>(keep)));
    HitProbability probability(keep);
    check_honest(probability.miss(disjoint({size}, true), many_states), truth);
    check_honest(probability.miss(disjoint({size, size}, true), many_states),
                 truth + (1 - truth) * truth);
  }
}
