// Estimates of the number of concepts: exact where the walk is enough, and an interval elsewhere.
#include "cpp/search/estimate.hpp"
#include "lattices.hpp"

using namespace conceptrank;
using reference::Context;
using reference::Random;

namespace {

ConceptEstimate estimate(const Table& table, const EstimateOptions& options) {
  Budget budget;
  return estimate_concepts(table, options, budget);
}

double count(const Table& table, std::uint64_t min_support) {
  Budget budget;
  return static_cast<double>(
      mine(table, reference::on_threads(2, min_support), budget).lattice.size());
}

}  // namespace

TEST(estimate_of_small_contexts_is_exact) {
  Random random(61);
  for (std::size_t round = 0; round < harness::cases(500); ++round) {
    const Context context = reference::random_context(random, 9, 8);
    const harness::Case which([&] { return describe(context); });
    const std::uint64_t min_support = random.below(context.n_objects() + 2);
    const auto expected =
        static_cast<double>(reference::ExpectedLattice(context, min_support).concepts.size());
    const ConceptEstimate result = estimate(table(context), {.min_support = min_support});
    CHECK(result.exact);
    CHECK_EQUAL(result.value, expected);
    CHECK_EQUAL(result.low, expected);
    CHECK_EQUAL(result.high, expected);
  }
}

TEST(estimate_of_larger_tables_holds_the_truth_in_its_interval) {
  Random random(62);
  for (const double density : {0.15, 0.3}) {
    const Table table = reference::table(reference::random_table(random, 150, 40, density));
    for (const std::uint64_t min_support : {0, 3}) {
      const double truth = count(table, min_support);
      const std::size_t seeds = harness::cases(40);
      std::size_t held = 0;
      double mean = 0;
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const ConceptEstimate result = estimate(
            table, {.min_support = min_support, .seed = seed, .exact_nodes = 100, .runs = 32});
        CHECK(!result.exact);
        CHECK_EQUAL(result.runs, 32);
        CHECK(result.low <= result.value);
        CHECK(result.value <= result.high);
        held += result.low <= truth && truth <= result.high ? 1 : 0;
        mean += result.value / static_cast<double>(seeds);
      }
      const harness::Case which([&] {
        return harness::show(truth) + " concepts, held by " + std::to_string(held) + " of " +
               std::to_string(seeds) + ", mean " + harness::show(mean);
      });
      // The interval is meant for 95 %; with few seeds that leaves room for luck.
      CHECK(static_cast<double>(seeds - held) <= 1 + 0.15 * static_cast<double>(seeds));
      CHECK_NEAR(mean / truth, 1, 0.05);
    }
  }
}

TEST(estimate_of_a_huge_lattice) {
  const ConceptEstimate result = estimate(reference::table(reference::contranominal(60)), {});
  CHECK(!result.exact);
  CHECK(result.low <= std::exp2(60.0));
  CHECK(result.high >= std::exp2(60.0));
  CHECK(result.value > std::exp2(50.0));
}

TEST(estimate_is_the_same_for_the_same_seed) {
  Random random(63);
  const Table table = reference::table(reference::random_table(random, 100, 40, 0.3));
  const EstimateOptions options{.seed = 7, .exact_nodes = 100};
  const ConceptEstimate first = estimate(table, options);
  const ConceptEstimate second = estimate(table, options);
  CHECK_EQUAL(first.value, second.value);
  CHECK_EQUAL(first.low, second.low);
  CHECK_EQUAL(first.high, second.high);
}

TEST(estimate_that_is_cancelled_claims_nothing_it_has_not_seen) {
  // Cancelled before the first step or after a few: the truth is still in the interval.
  const Table table = reference::table(reference::contranominal(8));
  for (const std::size_t asked : {0, 1}) {
    std::size_t polls = 0;
    Budget budget({}, [&] { return polls++ >= asked; });
    if (asked == 0) budget.stop(Stop::cancelled);
    const ConceptEstimate result = estimate_concepts(table, {}, budget);
    CHECK(result.low <= 256);
    CHECK(result.high >= 256);
    if (asked == 0) CHECK(!result.exact);
  }
}
