// Statistics of concepts: sums over columns and likeness of rows, against loops over single cells.
#include "cpp/table/statistics.hpp"
#include "lattices.hpp"

using namespace conceptrank;
using reference::Concept;
using reference::Context;
using reference::Random;
using reference::Set;

namespace {

void check_sums(const ColumnSums& sums, const Context& context, const Concept& one) {
  ColumnSums expected;
  const auto support = static_cast<double>(one.extent.size());
  for (std::size_t m = 0; m < context.n_attributes; ++m) {
    Set attribute;
    attribute.add(m);
    const Set column = extent(context, attribute);
    const auto inside = static_cast<double>((column & one.extent).size());
    if (inside == 0) continue;
    expected.crosses += inside;
    expected.squares += inside * inside;
    expected.collocation += inside * inside / static_cast<double>(column.size());
    if (one.intent.has(m)) continue;
    const double t = inside / support;
    expected.entropy -= t * std::log(t);
    expected.binary_entropy -= t * std::log2(t) + (1 - t) * std::log2(1 - t);
  }
  for (const Set& row : context.rows) expected.unions += row.meets(one.intent) ? 1 : 0;
  CHECK_EQUAL(sums.crosses, expected.crosses);
  CHECK_EQUAL(sums.squares, expected.squares);
  CHECK_NEAR(sums.collocation, expected.collocation, 1e-12);
  CHECK_NEAR(sums.entropy, expected.entropy, 1e-12);
  CHECK_NEAR(sums.binary_entropy, expected.binary_entropy, 1e-12);
  CHECK_EQUAL(sums.unions, expected.unions);
}

void check_cohesion(const Cohesion& cohesion, const Context& context, const Concept& one) {
  const auto objects = one.extent.members();
  std::vector<double> jaccard;
  std::vector<double> matching;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Set& left = context.rows[objects[i]];
      const Set& right = context.rows[objects[j]];
      const auto common = static_cast<double>((left & right).size());
      const auto either = static_cast<double>((left | right).size());
      const auto all = static_cast<double>(context.n_attributes);
      jaccard.push_back(either == 0 ? 0 : common / either);
      // Without attributes, two objects can't differ.
      matching.push_back(all == 0 ? 1 : (all - either + common) / all);
    }
  }
  const auto average = [&](const std::vector<double>& pairs) {
    if (pairs.empty()) return objects.empty() ? 0.0 : 1.0;
    double sum = 0;
    for (const double pair : pairs) sum += pair;
    return sum / static_cast<double>(pairs.size());
  };
  const auto minimum = [&](const std::vector<double>& pairs) {
    if (pairs.empty()) return objects.empty() ? 0.0 : 1.0;
    return *std::ranges::min_element(pairs);
  };
  CHECK_NEAR(cohesion.jaccard_average, average(jaccard), 1e-12);
  CHECK_NEAR(cohesion.jaccard_minimum, minimum(jaccard), 1e-12);
  CHECK_NEAR(cohesion.matching_average, average(matching), 1e-12);
  CHECK_NEAR(cohesion.matching_minimum, minimum(matching), 1e-12);
}

void check_statistics(const Context& context, unsigned threads) {
  const harness::Case which([&] { return describe(context); });
  const Table table = reference::table(context);
  Budget budget;
  MiningOptions options = reference::on_threads(threads);
  options.sum_columns = true;
  const Mined mined = mine(table, options, budget);
  const auto sums = column_sums(table, mined.lattice.intents, threads, budget);
  const auto cohesions = cohesion(table, mined.lattice.intents, threads, budget);
  std::vector<double> values(context.n_objects());
  for (std::size_t g = 0; g < values.size(); ++g) values[g] = static_cast<double>(g * g) - 7;
  const auto totals = extent_sums(table, mined.lattice.intents, values, threads, budget);
  const auto concepts = reference::concepts(context);
  CHECK_EQUAL(mined.lattice.size(), concepts.size());
  CHECK_EQUAL(mined.column_sums.size(), concepts.size());
  CHECK_EQUAL(sums.size(), concepts.size());
  CHECK_EQUAL(cohesions.size(), concepts.size());
  if (mined.lattice.size() != concepts.size()) return;
  for (std::size_t i = 0; i < concepts.size(); ++i) {
    const harness::Case number([&] { return "concept " + std::to_string(i); });
    check_sums(mined.column_sums[i], context, concepts[i]);
    check_sums(sums[i], context, concepts[i]);
    check_cohesion(cohesions[i], context, concepts[i]);
    double total = 0;
    for (const Index g : concepts[i].extent.members()) total += values[g];
    CHECK_EQUAL(totals[i], total);
  }
}

}  // namespace

TEST(statistics_of_random_contexts) {
  Random random(91);
  for (std::size_t round = 0; round < harness::cases(1000); ++round) {
    check_statistics(reference::random_context(random, 9, 8), round % 10 == 0 ? 3 : 1);
  }
}

TEST(statistics_of_long_and_wide_contexts) {
  Random random(92);
  for (std::size_t round = 0; round < harness::cases(10); ++round) {
    check_statistics(reference::random_context(random, 150, 6), 1);
    check_statistics(reference::random_context(random, 6, 150), 1);
  }
}
