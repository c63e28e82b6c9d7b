// Rule parts: generators from all subsets of the intents, descendants from the order.
#include <algorithm>
#include <stdexcept>

#include "cpp/rules/rule_parts.hpp"
#include "lattices.hpp"

using namespace conceptrank;
using reference::Context;
using reference::Random;
using reference::Set;

namespace {

constexpr auto any_size = std::numeric_limits<std::uint64_t>::max();

Lattice mined(const Context& context, std::uint64_t min_support) {
  Budget budget;
  return mine(reference::table(context), reference::on_threads(1, min_support), budget).lattice;
}

void check_generators(const Context& context, const Lattice& lattice, std::uint64_t max_size,
                      unsigned threads) {
  const reference::ExpectedLattice expected(context, lattice.min_support);
  const std::size_t begin = lattice.size() / 4;
  Budget budget;
  const Generators found =
      minimal_generators(lattice, {begin, lattice.size()}, max_size, threads, budget);
  CHECK_EQUAL(found.offsets.size(), lattice.size() - begin + 1);
  for (std::size_t i = begin; i < lattice.size(); ++i) {
    std::vector<std::vector<Index>> wanted;
    for (const Set& set : intent_generation(context, expected.concepts[i], 0.5).minimal) {
      if (set.size() <= max_size) wanted.push_back(set.members());
    }
    std::ranges::sort(wanted, [](const auto& a, const auto& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    std::vector<std::vector<Index>> listed;
    for (std::uint64_t k = found.offsets[i - begin]; k < found.offsets[i - begin + 1]; ++k) {
      listed.push_back(reference::list(found.sets, k));
    }
    CHECK(listed == wanted);
  }
}

void check_descendants(const Lattice& lattice, const Context& context, std::uint64_t min_support,
                       double min_confidence, unsigned threads) {
  const reference::ExpectedLattice expected(context, lattice.min_support);
  const ConceptRange range{0, lattice.size()};
  Budget budget;
  const Lists found = descendants(lattice, range, min_support, min_confidence, threads, budget);
  CHECK_EQUAL(found.size(), lattice.size());
  for (std::size_t i = 0; i < lattice.size(); ++i) {
    std::vector<Index> wanted;
    for (std::size_t k = 0; k < lattice.size(); ++k) {
      const auto& [extent, intent] = expected.concepts[k];
      if (!extent.strictly_inside(expected.concepts[i].extent) || extent.size() < min_support) {
        continue;
      }
      const double share = static_cast<double>(extent.size()) /
                           static_cast<double>(expected.concepts[i].extent.size());
      if (share >= min_confidence) wanted.push_back(static_cast<Index>(k));
    }
    CHECK_EQUAL(reference::list(found, i), wanted);
  }
}

}  // namespace

TEST(generators_of_all_concepts) {
  Random random(91);
  for (std::size_t i = 0; i < harness::cases(200); ++i) {
    const Context context = reference::random_context(random, 9, 8);
    const harness::Case which([&] { return describe(context); });
    const Lattice lattice = mined(context, random.below(3));
    check_generators(context, lattice, any_size, 1 + static_cast<unsigned>(i % 2));
    check_generators(context, lattice, random.below(5), 1);
  }
}

TEST(descendants_of_all_concepts) {
  Random random(92);
  for (std::size_t i = 0; i < harness::cases(200); ++i) {
    const Context context = reference::random_context(random, 9, 8);
    const harness::Case which([&] { return describe(context); });
    const Lattice lattice = mined(context, random.below(3));
    const std::uint64_t min_support = random.below(4);
    check_descendants(lattice, context, min_support, 0, 1 + static_cast<unsigned>(i % 2));
    check_descendants(lattice, context, min_support, random.density(), 1);
  }
}

TEST(generators_keep_to_their_budget) {
  const Context context = reference::dual(reference::contranominal(12));
  const Lattice lattice = mined(context, 0);
  Limits limits;
  limits.concepts = 100;
  Budget few(limits);
  const Generators some = minimal_generators(lattice, {0, lattice.size()}, any_size, 1, few);
  CHECK(few.reason() == Stop::concepts);
  CHECK_EQUAL(some.offsets.size(), lattice.size() + 1);
  CHECK(some.sets.size() >= 100 && some.sets.size() < 400);
  limits = {};
  limits.bytes = 1000;
  Budget small(limits);
  CHECK_EQUAL(minimal_generators(lattice, {0, lattice.size()}, any_size, 2, small).sets.size(), 0);
  CHECK(small.reason() == Stop::bytes);
}

TEST(differences_of_pairs_of_lists) {
  Lists from;
  from.push_back(std::vector<Index>{1, 2, 5});
  from.push_back(std::vector<Index>{});
  Lists without;
  without.push_back(std::vector<Index>{2, 3});
  const std::vector<Index> places{0, 1, 0};
  const std::vector<Index> others{0, 0, 0};
  const Lists found = differences(from, places, without, others);
  CHECK_EQUAL(found.size(), 3);
  CHECK_EQUAL(reference::list(found, 0), (std::vector<Index>{1, 5}));
  CHECK_EQUAL(reference::list(found, 1), std::vector<Index>{});
}
