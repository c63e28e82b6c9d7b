// Downsets: the chance to lie below one of the tops, against a walk through all subsets.
#include <cmath>

#include "conceptrank/downset.hpp"
#include "harness.hpp"
#include "reference.hpp"

using namespace conceptrank;
using reference::Random;

namespace {

double by_definition(const std::vector<Word>& tops, std::size_t n, double keep) {
  double total = 0;
  for (Word set = 0; set < Word{1} << n; ++set) {
    bool below = false;
    for (const Word top : tops) below = below || (set & ~top) == 0;
    if (!below) continue;
    const auto size = static_cast<double>(count_bits(set));
    total += std::pow(keep, size) * std::pow(1 - keep, static_cast<double>(n) - size);
  }
  return total;
}

}  // namespace

TEST(downset_sums_are_those_of_the_definition) {
  Random random(94);
  for (std::size_t round = 0; round < harness::cases(600); ++round) {
    const std::size_t n = 1 + random.below(13);
    const double keep = round % 2 == 0 ? 0.5 : 0.05 + 0.9 * random.density();
    std::vector<Word> tops(1 + random.below(20));
    for (Word& top : tops) {
      top = random.bits() & (Word{1} << n) - 1;
      if (round % 3 == 0) top &= random.bits();
    }
    const harness::Case which([&] { return "round " + std::to_string(round); });
    const double expected = by_definition(tops, n, keep);
    Downset downset(keep, 0);
    const DownsetSum all = downset.by_subsets(tops, n);
    CHECK(std::abs(all.value - expected) <= (all.relative_error + 1e-13) * expected);
    const auto first = downset.by_first_elements(tops, n, 1'000'000);
    CHECK(first.has_value());
    CHECK(std::abs(first->value - expected) <= (first->relative_error + 1e-13) * expected);
    CHECK(all.relative_error < 1e-12 && first->relative_error < 1e-9);
  }
}

TEST(downset_of_many_elements) {
  // Disjoint tops have nothing but the empty set in common.
  Downset downset(0.5, 0);
  const std::vector<Word> tops{Word{0xfff}, Word{0xfff} << 20, Word{0xff} << 40, Word{0xf} << 60};
  const auto sum = downset.by_first_elements(tops, 64, 100'000);
  CHECK(sum.has_value());
  const double expected = std::ldexp(4096 + 4096 + 256 + 16 - 3, -64);
  CHECK(std::abs(sum->value - expected) < 1e-12 * expected);
}

TEST(downset_gives_up) {
  Random random(95);
  std::vector<Word> tops(60);
  for (Word& top : tops) top = random.bits() | random.bits();
  Downset downset(0.5, 0);
  CHECK(!downset.by_first_elements(tops, 64, 1000).has_value());
}
