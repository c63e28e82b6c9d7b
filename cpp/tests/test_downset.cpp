// Downsets: the chance to lie below one of the tops, against a walk through all subsets.
#include <algorithm>
#include <cmath>

#include "cpp/score/downset.hpp"
#include "harness.hpp"
#include "reference.hpp"

using namespace conceptrank;
using reference::Random;

namespace {

/// An element of weight w is kept if one of w coins says so.
double by_definition(const Tops& tops, const std::vector<Index>& weights, double keep) {
  long double total = 0;
  for (Word set = 0; set < Word{1} << weights.size(); ++set) {
    bool inside = false;
    for (const Word top : tops.sets) inside = inside || (set & ~top) == 0;
    if (!inside) continue;
    long double chance = 1;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const long double lost = std::pow(1 - static_cast<long double>(keep), weights[i]);
      chance *= (set >> i & 1) != 0 ? 1 - lost : lost;
    }
    total += chance;
  }
  return static_cast<double>(total);
}

Tops tops_of(std::vector<Word> sets, const std::vector<Index>& weights) {
  Tops tops;
  tops.reset(weights.size());
  tops.sets = std::move(sets);
  tops.planes.assign(3, 0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) tops.planes[k] |= Word{(weights[i] - 1) >> k & 1} << i;
  }
  return tops;
}

}  // namespace

TEST(downset_sums_are_those_of_the_definition) {
  Random random(94);
  for (std::size_t round = 0; round < harness::cases(600); ++round) {
    const std::size_t n = 1 + random.below(18);
    const double keep = round % 2 == 0 ? 0.5 : 0.05 + 0.9 * random.density();
    std::vector<Word> tops(1 + random.below(round % 7 == 0 ? 60 : 20));
    for (Word& top : tops) {
      top = random.bits() & ((Word{1} << n) - 1);
      if (round % 3 == 0) top &= random.bits();
    }
    std::vector<Index> weights(n, 1);
    if (round % 5 == 0) {
      for (Index& weight : weights) weight += random.below(3) == 0 ? random.below(6) : 0;
    }
    const harness::Case which([&] { return "round " + std::to_string(round); });
    const Tops family = tops_of(tops, weights);
    if (family.weigh(family.all()) > Tops::most_weight) continue;
    const double expected = by_definition(family, weights, keep);
    Downset downset(keep, 0);
    const auto sum = downset.sum(family, 1'000'000);
    CHECK(sum.has_value());
    CHECK(std::abs(sum->value - expected) <= (sum->relative_error + 1e-13) * expected);
    CHECK(sum->relative_error < 1e-12);
  }
}

TEST(downset_sums_of_sets_that_were_compared) {
  // Some sets are declared to be no subsets of each other: the sum is the same.
  Random random(108);
  for (std::size_t round = 0; round < harness::cases(200); ++round) {
    const harness::Case which([&] { return "round " + std::to_string(round); });
    const std::size_t n = 14 + random.below(4);
    const auto draw = [&](std::size_t most, std::size_t size) {
      std::vector<Word> sets(random.below(most));
      for (Word& set : sets) {
        set = 0;
        while (count_bits(set) < size) set |= Word{1} << random.below(n);
      }
      std::vector<Word> scratch;
      keep_maximal(sets, scratch);
      return sets;
    };
    std::vector<Word> sets = draw(12, 6 + random.below(n - 6));
    const std::vector<Word> small = draw(60, 1 + random.below(5));
    sets.insert(sets.end(), small.begin(), small.end());
    const std::vector<Index> weights(n, 1);
    Tops tops = tops_of(sets, weights);
    tops.n_small = small.size();
    const double expected = by_definition(tops, weights, 0.5);
    Downset downset(0.5, 0);
    CHECK_NEAR(downset.sum(tops, 1'000'000)->value, expected, 1e-13);
    std::vector<Word> scratch;
    std::vector<Word> maximal = sets;
    keep_maximal(maximal, scratch);
    keep_maximal(sets, small.size(), scratch);
    std::ranges::sort(sets);
    std::ranges::sort(maximal);
    CHECK(sets == maximal);
  }
}

TEST(downset_of_many_elements) {
  // Disjoint tops have nothing but the empty set in common.
  Downset downset(0.5, 0);
  const std::vector<Word> tops{Word{0xfff}, Word{0xfff} << 20, Word{0xff} << 40, Word{0xf} << 60};
  const auto sum = downset.sum(tops_of(tops, std::vector<Index>(64, 1)), 100'000);
  CHECK(sum.has_value());
  const double expected = std::ldexp(4096 + 4096 + 256 + 16 - 3, -64);
  CHECK(std::abs(sum->value - expected) < 1e-12 * expected);
}

TEST(downset_gives_up) {
  Random random(95);
  std::vector<Word> tops(60);
  for (Word& top : tops) top = random.bits() | random.bits();
  Downset downset(0.5, 0);
  CHECK(!downset.sum(tops_of(tops, std::vector<Index>(64, 1)), 1000).has_value());
}

TEST(downset_maximal_sets_lie_inside_no_other) {
  Random random(102);
  for (std::size_t round = 0; round < harness::cases(200); ++round) {
    const harness::Case which([&] { return "round " + std::to_string(round); });
    // Few elements, many sets: most of them repeat, and most are of one or two elements.
    const std::size_t n_elements = 2 + random.below(63);
    std::vector<Word> sets(random.below(round % 2 == 0 ? 60 : 600));
    for (Word& set : sets) {
      set = 0;
      for (std::size_t k = random.below(random.below(6) + 1) + (sets.size() > 1 ? 1 : 0); k > 0;
           --k) {
        set |= Word{1} << random.below(n_elements);
      }
    }
    std::vector<Word> expected;
    for (const Word set : sets) {
      const bool inside = std::ranges::any_of(
          sets, [&](Word other) { return other != set && (set & ~other) == 0; });
      if (!inside) expected.push_back(set);
    }
    std::ranges::sort(expected);
    const auto repeated = std::ranges::unique(expected);
    expected.erase(repeated.begin(), repeated.end());
    std::vector<Word> scratch;
    keep_maximal(sets, scratch);
    CHECK(std::ranges::is_sorted(sets, std::ranges::greater{},
                                 [](Word set) { return count_bits(set); }));
    std::ranges::sort(sets);
    CHECK(sets == expected);
  }
}
