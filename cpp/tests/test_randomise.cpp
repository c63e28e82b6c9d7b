// Random tables: what they keep, and that every one of them is as likely as it must be.
#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>

#include "cpp/random/randomise.hpp"
#include "harness.hpp"
#include "reference.hpp"

using namespace conceptrank;
using reference::Context;
using reference::Random;
using reference::Set;

namespace {

using Rows = std::vector<std::vector<Index>>;

Rows rows_of(const Lists& lists) {
  Rows rows;
  for (std::size_t g = 0; g < lists.size(); ++g)
    rows.emplace_back(lists[g].begin(), lists[g].end());
  return rows;
}

Lists lists_of(const Rows& rows) {
  Lists lists;
  for (const auto& row : rows) lists.push_back(row);
  return lists;
}

std::vector<std::uint64_t> column_sums(const Lists& rows, std::size_t n_attributes) {
  std::vector<std::uint64_t> sums(n_attributes, 0);
  for (const Index m : rows.values) ++sums[m];
  return sums;
}

/// Ascending rows of known attributes.
bool valid(const Lists& rows, std::size_t n_attributes) {
  for (std::size_t g = 0; g < rows.size(); ++g) {
    const auto row = rows[g];
    if (!std::ranges::is_sorted(row, std::less_equal<>{})) return false;
    if (!row.empty() && row.back() >= n_attributes) return false;
  }
  return rows.offsets.back() == rows.values.size();
}

/// Σ (seen - expected)² / expected over cells that are all equally likely.
double chi_square(const std::map<Rows, std::size_t>& seen, std::size_t n_cells, std::size_t draws) {
  const double expected = static_cast<double>(draws) / static_cast<double>(n_cells);
  double sum = static_cast<double>(n_cells - seen.size()) * expected;
  for (const auto& [cell, count] : seen) {
    sum += std::pow(static_cast<double>(count) - expected, 2) / expected;
  }
  return sum;
}

/// Where a chi-square variable comes in one of a hundred thousand cases (Wilson and Hilferty).
double chi_square_limit(std::size_t freedom) {
  const double share = 2.0 / (9.0 * static_cast<double>(freedom));
  return static_cast<double>(freedom) * std::pow(1 - share + 4.265 * std::sqrt(share), 3);
}

const Rows t5{{0, 1, 2}, {0, 1}, {0, 1, 3}, {1, 2}, {2, 3}};

using Chain = Randomised (*)(ListsView, std::size_t, std::uint64_t, std::size_t, RandomStream&,
                             Budget&);
constexpr Chain chains[] = {swap_crosses, trade_rows};

Randomised run(Chain chain, const Lists& rows, std::size_t n_attributes, std::uint64_t steps,
               std::uint64_t seed, std::uint64_t stream = 0, std::size_t checkpoints = 0) {
  Budget budget;
  RandomStream random(seed, stream);
  return chain(rows, n_attributes, steps, checkpoints, random, budget);
}

}  // namespace

TEST(random_streams_are_told_apart_by_seed_and_number) {
  std::vector<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (std::uint64_t stream = 0; stream < 50; ++stream) {
      first.push_back(RandomStream(seed, stream).next());
      CHECK_EQUAL(RandomStream(seed, stream).next(), first.back());
    }
  }
  std::ranges::sort(first);
  CHECK(std::ranges::adjacent_find(first) == first.end());
}

TEST(random_numbers_below_a_limit_are_equally_likely) {
  RandomStream random(1);
  for (const std::uint64_t n : {1, 2, 3, 7, 64, 100}) {
    std::map<Rows, std::size_t> seen;
    const std::size_t draws = 20'000;
    for (std::size_t i = 0; i < draws; ++i) ++seen[{{static_cast<Index>(random.below(n))}}];
    CHECK(seen.rbegin()->first[0][0] < n);
    if (n > 1) CHECK(chi_square(seen, n, draws) < chi_square_limit(n - 1));
  }
  const std::uint64_t large = (std::uint64_t{1} << 40) + 1;
  double mean = 0;
  for (std::size_t i = 0; i < 10'000; ++i) {
    const std::uint64_t number = random.below(large);
    CHECK(number < large);
    mean += static_cast<double>(number) / static_cast<double>(large) / 10'000;
  }
  CHECK_NEAR(mean, 0.5, 0.02);
}

TEST(random_variates_have_their_mean_and_variance) {
  RandomStream random(2);
  const std::size_t draws = 40'000;
  const auto moments = [&](const auto& draw, double mean, double variance) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < draws; ++i) {
      const double x = draw() - mean;
      sum += x;
      squares += x * x;
    }
    CHECK_NEAR(sum / draws, 0, 5 * std::sqrt(variance / draws));
    CHECK_NEAR(squares / draws / variance, 1, 0.1);
  };
  moments([&] { return random.uniform(); }, 0.5, 1.0 / 12);
  moments([&] { return random.normal(); }, 0, 1);
  for (const double shape : {0.3, 1.0, 4.5}) {
    moments([&] { return std::exp(random.log_gamma(shape)); }, shape, shape);
  }
  // Of the probabilities (p, 1 - p) from Dirichlet(a, b), p is a beta variate.
  const double parameters[] = {0.2, 0.0, 0.6};
  moments([&] { return dirichlet(parameters, random)[0]; }, 0.25, 0.25 * 0.75 / 1.8);
}

TEST(dirichlet_survives_tiny_parameters) {
  RandomStream random(3);
  std::vector<std::size_t> wins(3, 0);
  for (std::size_t i = 0; i < 3000; ++i) {
    const auto p = dirichlet(std::vector<double>{1e-9, 0, 3e-9}, random);
    CHECK_NEAR(p[0] + p[1] + p[2], 1, 1e-12);
    CHECK_EQUAL(p[1], 0.0);
    ++wins[p[0] > 0.5 ? 0 : 2];
  }
  CHECK_NEAR(static_cast<double>(wins[0]) / 3000, 0.25, 0.04);
  CHECK_THROWS(dirichlet(std::vector<double>{0, 0}, random), std::invalid_argument);
  CHECK_THROWS(dirichlet(std::vector<double>{}, random), std::invalid_argument);
}

TEST(chains_keep_both_margins) {
  Random random(71);
  for (std::size_t round = 0; round < harness::cases(400); ++round) {
    const Context context = reference::random_context(random, 12, 10);
    const harness::Case which([&] { return describe(context); });
    const Lists start = reference::lists(context);
    for (const Chain chain : chains) {
      const Randomised result = run(chain, start, context.n_attributes, 200, round, 0, 4);
      CHECK(valid(result.rows, context.n_attributes));
      CHECK_EQUAL(result.rows.offsets, start.offsets);
      CHECK_EQUAL(column_sums(result.rows, context.n_attributes),
                  column_sums(start, context.n_attributes));
      CHECK(result.accepted <= result.attempted);
      CHECK_EQUAL(result.distances.size(), 4);
      CHECK_EQUAL(result.rows.values != start.values, result.distances.back() > 0);
    }
  }
}

TEST(chains_keep_both_margins_of_a_table_too_large_for_bits) {
  // 40,000 times 20,000 cells, a few crosses in each row.
  Lists start;
  for (Index g = 0; g < 40'000; ++g) {
    const std::vector<Index> row{g % 7, 100 + g % 19'000, 19'500 + g % 11};
    start.push_back(row);
  }
  for (const Chain chain : chains) {
    const Randomised result = run(chain, start, 20'000, 100'000, 4, 0, 2);
    CHECK(valid(result.rows, 20'000));
    CHECK_EQUAL(result.rows.offsets, start.offsets);
    CHECK_EQUAL(column_sums(result.rows, 20'000), column_sums(start, 20'000));
    CHECK(result.distances[1] > 0.3);
    CHECK(result.distances[0] < result.distances[1]);
  }
}

TEST(chains_stay_where_margins_leave_no_choice) {
  const Rows ladder{{}, {0}, {0, 1}, {0, 1, 2}};
  const Rows none{{}, {}};
  for (const Chain chain : chains) {
    for (const Rows& rows : {ladder, none, Rows{}, Rows{{0, 1, 2}}}) {
      const Randomised result = run(chain, lists_of(rows), 3, 1000, 6, 0, 3);
      CHECK_EQUAL(rows_of(result.rows), rows);
      CHECK_EQUAL(result.accepted, 0);
      CHECK_EQUAL(result.distances, std::vector<double>(3, 0.0));
    }
  }
}

TEST(chains_take_exactly_the_steps_that_they_are_given) {
  const Lists start = lists_of(t5);
  for (const Chain chain : chains) {
    for (const std::uint64_t steps : {0, 1, 5, 4096, 10'000}) {
      for (const std::size_t checkpoints : {0, 1, 3, 16}) {
        const Randomised result = run(chain, start, 4, steps, 7, 0, checkpoints);
        CHECK_EQUAL(result.attempted, steps);
        CHECK_EQUAL(result.distances.size(), checkpoints);
        // Looking at the distance on the way changes nothing.
        CHECK_EQUAL(rows_of(result.rows), rows_of(run(chain, start, 4, steps, 7).rows));
      }
    }
  }
}

TEST(chains_end_when_they_are_told_to) {
  const Lists start = lists_of(t5);
  for (const Chain chain : chains) {
    CHECK_SECONDS(0.2, [&] {
      const auto begin = std::chrono::steady_clock::now();
      Budget budget({.seconds = 0.05});
      RandomStream random(8);
      const Randomised result = chain(start, 4, ~std::uint64_t{0} / 2, 0, random, budget);
      CHECK(result.attempted > 0);
      CHECK(valid(result.rows, 4));
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    });
  }
}

TEST(random_tables_are_tables) {
  // Their laws are tested in Python: tests/unit/test_nulls.py.
  RandomStream random(9);
  Budget budget;
  for (std::size_t round = 0; round < harness::cases(300); ++round) {
    const std::size_t n = random.below(9);
    const std::size_t q = random.below(9);
    CHECK(valid(toss_cells(n, q, random.uniform(), random, budget), q));
    const std::uint64_t crosses = n * q == 0 ? 0 : random.below(n * q + 1);
    const Lists placed = place_crosses(n, q, crosses, random, budget);
    CHECK(valid(placed, q));
    CHECK_EQUAL(placed.values.size(), crosses);
    CHECK(valid(draw_rows(n, q, std::vector<double>(q + 1, 1.0), random, budget), q));
    const Lists shuffled = shuffle_columns(placed, q, random, budget);
    CHECK(valid(shuffled, q));
    CHECK_EQUAL(column_sums(shuffled, q), column_sums(placed, q));
    if (n > 0) CHECK(valid(resample_rows(placed, n + 2, random), q));
  }
  CHECK_EQUAL(toss_cells(5, 7, 0, random, budget).values.size(), 0);
  CHECK_EQUAL(toss_cells(5, 7, 1, random, budget).values.size(), 35);
  CHECK_THROWS(place_crosses(2, 3, 7, random, budget), std::invalid_argument);
  CHECK_THROWS(resample_rows(Lists{}, 1, random), std::invalid_argument);
  for (const auto& wrong : {std::vector<double>{1, 1}, {0, 0, 0, 0, 0}, {1, 1, 1, 1, -1}}) {
    CHECK_THROWS(draw_rows(3, 4, wrong, random, budget), std::invalid_argument);
  }
}

TEST(randomising_refuses_rows_that_are_none) {
  for (const Rows& rows : {Rows{{1, 0}}, Rows{{0, 0}}, Rows{{3}}}) {
    for (const Chain chain : chains) {
      CHECK_THROWS(run(chain, lists_of(rows), 3, 1, 1), std::invalid_argument);
    }
    Budget budget;
    RandomStream random(14);
    CHECK_THROWS(shuffle_columns(lists_of(rows), 3, random, budget), std::invalid_argument);
  }
}
