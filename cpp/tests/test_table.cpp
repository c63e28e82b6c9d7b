// Tables: derivation in both directions, with the bit matrices and without them.
#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "cpp/table/table.hpp"
#include "harness.hpp"
#include "reference.hpp"

using namespace conceptrank;
using reference::Context;
using reference::Random;
using reference::Set;

namespace {

Set objects_of(const Table& table, const std::vector<Word>& rows) {
  Set objects;
  for (const Index g : table.objects(rows)) objects.add(g);
  return objects;
}

Set attributes_of(const std::vector<Index>& list) {
  Set attributes;
  for (const Index m : list) attributes.add(m);
  return attributes;
}

Lists lists_of(std::initializer_list<std::vector<Index>> rows) {
  Lists lists;
  for (const auto& row : rows) lists.push_back(row);
  return lists;
}

}  // namespace

TEST(distinct_rows_are_borrowed) {
  Random random(12);
  for (std::size_t round = 0; round < harness::cases(300); ++round) {
    const Context context = reference::random_context(random, 12, 9);
    const harness::Case which([&] { return describe(context); });
    const Table merged(lists(context), context.n_attributes);
    const Table table = Table::of_distinct(merged.rows(), context.n_attributes, merged.weights());
    CHECK_EQUAL(table.rows().values.data(), merged.rows().values.data());
    CHECK_EQUAL(table.n_objects(), merged.n_objects());
    CHECK_EQUAL(table.n_crosses(), merged.n_crosses());
    CHECK_EQUAL(table.n_listed(), merged.n_rows());
    CHECK_EQUAL(table.dense(), merged.dense());
    for (std::size_t m = 0; m < context.n_attributes; ++m) {
      CHECK(std::ranges::equal(table.column(m), merged.column(m)));
      CHECK_EQUAL(table.attribute_support(m), merged.attribute_support(m));
    }
    for (std::size_t r = 0; r < table.n_rows(); ++r) CHECK_EQUAL(table.weight(r), merged.weight(r));
  }
}

TEST(columns_of_a_large_table) {
  Random random(13);
  Lists rows;
  std::vector<Index> weights;
  std::vector<std::vector<Index>> columns(5);
  std::vector<std::uint64_t> supports(5, 0);
  for (Index r = 0; r < 100'000; ++r) {
    weights.push_back(static_cast<Index>(1 + random.below(3)));
    for (Index m = 0; m < columns.size(); ++m) {
      if (random.below(m + 2) != 0) continue;
      rows.values.push_back(m);
      columns[m].push_back(r);
      supports[m] += weights.back();
    }
    rows.close();
  }
  const Table table = Table::of_distinct(rows, columns.size(), weights);
  for (std::size_t m = 0; m < columns.size(); ++m) {
    CHECK(std::ranges::equal(table.column(m), columns[m]));
    CHECK_EQUAL(table.attribute_support(m), supports[m]);
  }
}

TEST(a_table_ends_with_its_budget) {
  Lists rows;
  for (std::size_t r = 0; r < 100'000; ++r) rows.push_back(std::vector<Index>{0});
  const std::vector<Index> weights(rows.size(), 1);
  std::size_t polls = 0;
  const auto build = [&](const auto& make) {
    polls = 0;
    Budget budget({}, [&] { return ++polls == 2; });
    budget.poll_always();
    make(&budget);
    CHECK(budget.stopped());
  };
  build([&](Budget* budget) { Table(rows, 1, budget); });
  build([&](Budget* budget) { Table(rows, 1, weights, budget); });
  build([&](Budget* budget) { Table::of_distinct(rows, 1, weights, budget); });
}

TEST(table_merges_equal_rows) {
  Random random(11);
  for (std::size_t round = 0; round < harness::cases(500); ++round) {
    const Context context = reference::random_context(random, 12, 9);
    const harness::Case which([&] { return describe(context); });
    const Table table(lists(context), context.n_attributes);
    std::map<Set, std::size_t> distinct;
    std::size_t crosses = 0;
    for (const Set& row : context.rows) {
      ++distinct[row];
      crosses += row.size();
    }
    CHECK_EQUAL(table.n_objects(), context.n_objects());
    CHECK_EQUAL(table.n_attributes(), context.n_attributes);
    CHECK_EQUAL(table.n_crosses(), crosses);
    CHECK_EQUAL(table.n_rows(), distinct.size());
    CHECK_EQUAL(table.weighted(), distinct.size() != context.n_objects());
    for (std::size_t g = 0; g < context.n_objects(); ++g) {
      const std::size_t r = table.row_of_object()[g];
      CHECK(std::ranges::equal(table.row(r), context.rows[g].members()));
      CHECK_EQUAL(table.weight(r), distinct[context.rows[g]]);
    }
    for (std::size_t m = 0; m < context.n_attributes; ++m) {
      Set one;
      one.add(m);
      CHECK_EQUAL(table.attribute_support(m), extent(context, one).size());
      CHECK(std::ranges::is_sorted(table.column(m)));
      for (std::size_t r = 0; r < table.n_rows(); ++r) {
        CHECK_EQUAL(std::ranges::binary_search(table.column(m), r),
                    std::ranges::binary_search(table.row(r), m));
      }
    }
  }
}

TEST(table_derives_in_both_directions) {
  Random random(12);
  for (std::size_t round = 0; round < harness::cases(500); ++round) {
    const Context context = round % 5 == 0 ? reference::random_context(random, 200, 100)
                                           : reference::random_context(random, 10, 8);
    const harness::Case which([&] { return describe(context); });
    const Table table(lists(context), context.n_attributes);
    for (std::size_t k = 0; k < 6; ++k) {
      const Set attributes = random.subset(context.n_attributes, k == 0 ? 0 : random.density() / 3);
      const Set objects = extent(context, attributes);
      const auto rows = table.extent(attributes.members());
      CHECK(objects_of(table, rows) == objects);
      CHECK_EQUAL(table.support(rows), objects.size());
      CHECK(attributes_of(table.intent(rows)) == intent(context, objects));
    }
  }
}

TEST(table_without_bit_matrices_derives_the_same) {
  // Few crosses in a table so large that bits would waste memory.
  constexpr std::size_t n_objects = 20'000;
  constexpr std::size_t n_attributes = 8'000;
  Random random(13);
  Lists objects;
  std::vector<std::vector<Index>> rows;
  for (std::size_t g = 0; g < n_objects; ++g) {
    // Low numbers are frequent, so that sets of them have extents.
    std::vector<Index> row;
    for (std::size_t k = 0; k < 6; ++k) {
      const std::size_t below = k < 4 ? 8 : n_attributes;
      row.push_back(static_cast<Index>(random.below(below)));
    }
    std::ranges::sort(row);
    row.erase(std::ranges::unique(row).begin(), row.end());
    objects.push_back(row);
    rows.push_back(row);
  }
  const Table table(objects, n_attributes);
  CHECK(!table.dense());
  for (std::size_t round = 0; round < harness::cases(200); ++round) {
    std::vector<Index> attributes;
    for (std::size_t k = random.below(4); k > 0; --k) {
      const auto m = static_cast<Index>(random.below(random.chance(0.8) ? 8 : n_attributes));
      if (std::ranges::find(attributes, m) == attributes.end()) attributes.push_back(m);
    }
    std::vector<Index> expected;
    std::vector<Index> shared(n_attributes);
    std::iota(shared.begin(), shared.end(), Index{0});
    for (std::size_t g = 0; g < n_objects; ++g) {
      const auto has = [&](Index m) { return std::ranges::find(rows[g], m) != rows[g].end(); };
      if (!std::ranges::all_of(attributes, has)) continue;
      expected.push_back(static_cast<Index>(g));
      if (expected.size() == 1) shared = rows[g];
      std::erase_if(shared, [&](Index m) { return !has(m); });
    }
    const auto extent = table.extent(attributes);
    CHECK(table.objects(extent) == expected);
    CHECK_EQUAL(table.support(extent), expected.size());
    CHECK(table.intent(extent) == shared);
  }
  // Naming an attribute twice asks for nothing more.
  const std::vector<Index> once{3};
  const std::vector<Index> twice{3, 3};
  CHECK(table.extent(twice) == table.extent(once));
}

TEST(table_refuses_rows_that_are_no_sets) {
  CHECK_THROWS(Table(lists_of({{0, 1}, {0, 3}}), 3), std::invalid_argument);
  CHECK_THROWS(Table(lists_of({{1, 0}}), 3), std::invalid_argument);
  CHECK_THROWS(Table(lists_of({{}, {2, 2}}), 3), std::invalid_argument);
  CHECK_THROWS(Table(lists_of({{0}}), 0), std::invalid_argument);
}

TEST(table_without_objects_or_attributes) {
  const Table nothing(Lists{}, 0);
  CHECK_EQUAL(nothing.n_objects(), 0);
  CHECK_EQUAL(nothing.intent(nothing.extent({})).size(), 0);

  const Table no_objects(Lists{}, 3);
  CHECK_EQUAL(no_objects.intent(no_objects.extent({})).size(), 3);
  CHECK_EQUAL(no_objects.support(no_objects.extent({})), 0);

  const Table no_attributes(lists_of({{}, {}}), 0);
  CHECK_EQUAL(no_attributes.n_rows(), 1);
  CHECK_EQUAL(no_attributes.support(no_attributes.extent({})), 2);
  CHECK_EQUAL(no_attributes.objects(no_attributes.extent({})).size(), 2);
}
