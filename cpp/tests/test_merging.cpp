// Tables of many rows and few patterns, searched with a large minimum support: rows are merged and
// infrequent attributes left out, and nothing of that may show. The oracle goes through all sets of
// attributes.
#include <algorithm>
#include <bit>
#include <map>

#include "lattices.hpp"

using namespace conceptrank;
using reference::Random;

namespace {

constexpr std::size_t n_attributes = 13;
using Intent = std::uint32_t;

struct Oracle {
  std::vector<Intent> rows;
  std::map<Intent, std::uint64_t> supports;  // of all intents of non-empty extents

  explicit Oracle(std::vector<Intent> given) : rows(std::move(given)) {
    std::map<Intent, std::uint64_t> weights;
    for (const Intent row : rows) ++weights[row];
    for (Intent set = 0; set < Intent{1} << n_attributes; ++set) {
      Intent closure = ~Intent{0};
      std::uint64_t support = 0;
      for (const auto& [row, weight] : weights) {
        if ((row & set) != set) continue;
        closure &= row;
        support += weight;
      }
      if (support > 0 && closure == set) supports[set] = support;
    }
  }

  std::uint64_t largest_below(Intent intent) const {
    std::uint64_t largest = 0;
    for (const auto& [other, support] : supports) {
      if (other != intent && (other & intent) == intent) largest = std::max(largest, support);
    }
    return largest;
  }
  bool covers(Intent upper, Intent lower) const {
    if (upper == lower || (lower & upper) != upper) return false;
    return std::ranges::none_of(supports, [&](const auto& entry) {
      const Intent between = entry.first;
      return between != upper && between != lower && (between & upper) == upper &&
             (lower & between) == between;
    });
  }
};

/// Copies of a few patterns, with noise.
std::vector<Intent> noisy_rows(Random& random, std::size_t n_rows, double noise) {
  std::vector<Intent> patterns(2 + random.below(4));
  for (Intent& pattern : patterns) {
    pattern = static_cast<Intent>(random.bits() | random.bits()) & ((1u << n_attributes) - 1);
  }
  std::vector<Intent> rows(n_rows);
  for (Intent& row : rows) {
    row = patterns[random.below(patterns.size())];
    for (std::size_t m = 0; m < n_attributes; ++m) {
      if (random.chance(noise)) row ^= Intent{1} << m;
    }
  }
  return rows;
}

Table table_of(const std::vector<Intent>& rows) {
  Lists lists;
  for (const Intent row : rows) {
    for (Index m = 0; m < n_attributes; ++m) {
      if ((row >> m & 1) != 0) lists.values.push_back(m);
    }
    lists.close();
  }
  return Table(lists, n_attributes);
}

Intent intent_of(std::span<const Index> attributes) {
  Intent intent = 0;
  for (const Index m : attributes) intent |= Intent{1} << m;
  return intent;
}

}  // namespace

TEST(merging_rows_does_not_show) {
  Random random(93);
  for (std::size_t round = 0; round < harness::cases(24); ++round) {
    const std::size_t n_rows = 150 + random.below(1500);
    const Oracle oracle(noisy_rows(random, n_rows, round % 2 == 0 ? 0.1 : 0.3));
    const Table table = table_of(oracle.rows);
    const std::uint64_t min_support =
        round % 4 == 3 ? 2 + random.below(40) : n_rows / 10 + random.below(n_rows / 2);
    const harness::Case which([&] {
      return "round " + std::to_string(round) + ", " + std::to_string(n_rows) + " rows, support " +
             std::to_string(min_support);
    });
    std::size_t frequent = 0;
    for (const auto& [intent, support] : oracle.supports) frequent += support >= min_support;

    MiningOptions options = reference::on_threads(1 + round % 2, min_support);
    Budget budget;
    options.covers = false;
    const Lattice sets = mine(table, options, budget).lattice;
    options.covers = true;
    options.score_extents = true;
    options.extent_options.probability = true;
    const Mined mined = mine(table, options, budget);
    const Lattice& lattice = mined.lattice;
    CHECK_EQUAL(sets.size(), frequent);
    CHECK(sets.supports == lattice.supports);
    CHECK(sets.intents.offsets == lattice.intents.offsets);
    CHECK(sets.intents.values == lattice.intents.values);

    Budget other;
    const auto scores =
        score_concepts(table, lattice.intents, Side::extent, options.extent_options, 1, other);
    bool right = true;
    for (std::size_t i = 0; i < lattice.size(); ++i) {
      const Intent intent = intent_of(lattice.intents[i]);
      const auto found = oracle.supports.find(intent);
      right = right && found != oracle.supports.end() && found->second == lattice.supports[i];
      right = right && lattice.supports[i] - lattice.deltas[i] == oracle.largest_below(intent);
      // The search leaves out faces that change less than the promised 1e-12.
      right = right && std::abs(mined.extent_scores[i].miss - scores[i].miss) < 1e-12;
      const double log2_miss = mined.extent_scores[i].log2_miss;
      right = right && (log2_miss == scores[i].log2_miss ||
                        std::abs(log2_miss - scores[i].log2_miss) < 1e-11 * std::abs(log2_miss));
      right = right && mined.extent_scores[i].smallest == scores[i].smallest;
      if (lattice.size() < 400) {
        std::vector<Index> below;
        for (std::size_t j = 0; j < lattice.size(); ++j) {
          if (oracle.covers(intent, intent_of(lattice.intents[j]))) {
            below.push_back(static_cast<Index>(j));
          }
        }
        right = right && std::ranges::equal(below, lattice.lower[i]);
      }
    }
    CHECK(right);
  }
}
