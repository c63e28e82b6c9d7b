// Mining: concepts, supports, Δ and covers, for every kind of context and any number of threads.
#include <stdexcept>

#include "lattices.hpp"

using namespace conceptrank;
using reference::Context;
using reference::ExpectedLattice;
using reference::Random;
using reference::Set;

namespace {

Lattice mined(const Table& table, std::uint64_t min_support, unsigned threads) {
  Budget budget;
  return mine(table, reference::on_threads(threads, min_support), budget).lattice;
}

void check_mining(const Context& context, std::uint64_t min_support, unsigned threads) {
  const harness::Case which([&] {
    return describe(context) + ", min_support " + std::to_string(min_support) + ", " +
           std::to_string(threads) + " threads";
  });
  const Lattice lattice = mined(table(context), min_support, threads);
  CHECK_EQUAL(lattice.min_support, min_support);
  check_lattice(lattice, ExpectedLattice(context, min_support));

  MiningOptions without = reference::on_threads(threads, min_support);
  without.covers = false;
  Budget budget;
  const Lattice sets = mine(table(context), without, budget).lattice;
  CHECK(sets.supports == lattice.supports);
  CHECK(sets.intents.offsets == lattice.intents.offsets);
  CHECK(sets.intents.values == lattice.intents.values);
  CHECK(sets.lower.values.empty());
}

/// Some support between nothing and more than there is.
std::uint64_t random_support(Random& random, const Context& context) {
  return random.chance(0.4) ? 0 : random.below(context.n_objects() + 2);
}

}  // namespace

TEST(mining_every_small_context) {
  for (std::size_t n_objects = 0; n_objects <= 3; ++n_objects) {
    for (std::size_t n_attributes = 0; n_attributes <= 3; ++n_attributes) {
      reference::for_each_context(n_objects, n_attributes, [&](const Context& context) {
        for (std::uint64_t min_support = 0; min_support <= n_objects + 1; ++min_support) {
          check_mining(context, min_support, 1);
        }
      });
    }
  }
}

TEST(mining_random_contexts) {
  Random random(51);
  for (std::size_t round = 0; round < harness::cases(2500); ++round) {
    const Context context = reference::random_context(random, 10, 9);
    check_mining(context, 0, 1);
    if (round % 3 == 0) check_mining(context, random_support(random, context), 1);
    if (round % 10 == 0) check_mining(context, 0, 4);
  }
}

TEST(mining_contexts_without_objects_or_attributes) {
  for (const unsigned threads : {1u, 2u, 4u}) {
    for (const std::size_t n : {0, 1, 5, 70}) {
      check_mining({n, {}}, 0, threads);
      check_mining({n, {}}, 1, threads);
      check_mining({0, std::vector<Set>(n)}, 0, threads);
      check_mining({n, std::vector<Set>(3)}, 0, threads);
      check_mining({n, std::vector<Set>(3, Set::all(n))}, 0, threads);
      check_mining({n, std::vector<Set>(3, Set::all(n))}, 3, threads);
      check_mining({n, std::vector<Set>(3, Set::all(n))}, 4, threads);
    }
  }
}

TEST(mining_long_contexts) {
  // Extents of several words, which shrink by and by.
  Random random(52);
  for (std::size_t round = 0; round < harness::cases(25); ++round) {
    const Context any = reference::random_context(random, 250, 8);
    check_mining(any, random_support(random, any) / 4, 1);
    const Context context =
        reference::random_table(random, 130 + random.below(120), 9, 0.3 + 0.5 * random.density());
    check_mining(context, 5 + random.below(20), 1);
  }
}

TEST(mining_wide_contexts) {
  // More columns than a word has bits; few crosses, so that the search goes by rows.
  Random random(53);
  for (std::size_t round = 0; round < harness::cases(40); ++round) {
    const Context any = reference::random_context(random, 9, 250);
    check_mining(any, 0, 1);
    const Context sparse = reference::random_table(random, 12, 100 + random.below(150), 0.15);
    check_mining(sparse, 0, 1);
  }
}

TEST(mining_larger_tables) {
  Random random(54);
  for (std::size_t round = 0; round < harness::cases(8); ++round) {
    // Some hundred concepts each.
    check_mining(reference::random_table(random, 40, 25, 0.25), 0, 1 + round % 3);
    check_mining(reference::random_table(random, 100, 160, 0.04), 0, 1 + round % 3);
    check_mining(reference::random_table(random, 180, 30, 0.15), 2, 1 + round % 3);
    check_mining(reference::random_table(random, 30, 14, 0.7), 3, 1 + round % 3);
  }
}

TEST(mining_nested_columns) {
  // Rare columns that are subsets of each other and of frequent ones. There are enough for the
  // search to go by rows, and for children to use what their parents know.
  Random random(56);
  for (std::size_t round = 0; round < harness::cases(6); ++round) {
    Context columns = reference::random_table(random, 3, 250, 0.85);
    while (columns.rows.size() < 130) {
      Set rare;
      for (std::size_t g = 0; g < columns.n_attributes; ++g) {
        if (random.chance(0.025)) rare.add(g);
      }
      columns.rows.push_back(rare);
      columns.rows.push_back(rare & columns.rows[random.below(3)]);
      if (random.chance(0.5)) columns.rows.push_back(rare);
    }
    check_mining(dual(columns), round % 2, static_cast<unsigned>(1 + round % 3));
  }
}

TEST(mining_rows_that_stand_for_many_objects) {
  // Support counts objects, not distinct rows.
  Random random(55);
  for (std::size_t round = 0; round < harness::cases(100); ++round) {
    const Context rows = reference::random_context(random, 6, 7);
    if (rows.n_objects() == 0) continue;
    Context context{rows.n_attributes, {}};
    for (std::size_t g = 0; g < 40; ++g) {
      context.rows.push_back(rows.rows[random.below(rows.n_objects())]);
    }
    check_mining(context, random_support(random, context), 1);
  }
}

TEST(mining_scales) {
  // Every set of attributes is an intent.
  const Context boolean = reference::contranominal(8);
  check_mining(boolean, 0, 2);
  CHECK_EQUAL(mined(table(reference::contranominal(15)), 0, 2).size(), std::size_t{1} << 15);
  // A chain.
  Context chain{20, {}};
  for (std::size_t g = 0; g < 20; ++g) chain.rows.push_back(Set::all(g));
  check_mining(chain, 0, 2);
  // Nothing in common.
  Context nominal{20, std::vector<Set>(20)};
  for (std::size_t g = 0; g < 20; ++g) nominal.rows[g].add(g);
  check_mining(nominal, 0, 2);
}

TEST(mining_a_long_chain) {
  // As deep as a search can get, and every column contains all later ones: a column of numbers on
  // an ordinal scale looks like this.
  const auto n = static_cast<Index>(harness::cases(1000));
  Lists objects;
  std::vector<Index> row;
  for (Index g = 0; g < n; ++g) {
    row.push_back(g);
    objects.push_back(row);
  }
  const Table table(objects, n);
  Lattice lattice;
  CHECK_SECONDS(0.5, [&] {
    const auto start = std::chrono::steady_clock::now();
    lattice = mined(table, 0, 1);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  });
  CHECK_EQUAL(lattice.size(), n);
  for (std::size_t i = 0; i + 1 < lattice.size(); ++i) {
    CHECK_EQUAL(lattice.supports[i], n - i);
    CHECK_EQUAL(lattice.intents[i].size(), i + 1);
    CHECK_EQUAL(reference::list(lattice.lower, i), std::vector<Index>{static_cast<Index>(i + 1)});
    CHECK_EQUAL(lattice.deltas[i], 1);
  }
}

TEST(mining_with_any_number_of_threads_is_the_same) {
  Random random(56);
  for (std::size_t round = 0; round < harness::cases(6); ++round) {
    const Table table =
        reference::table(round % 2 == 0 ? reference::random_table(random, 200, 35, 0.25)
                                        : reference::random_table(random, 250, 200, 0.08));
    for (const std::uint64_t min_support : {0, 4}) {
      MiningOptions options = reference::on_threads(1, min_support);
      options.score_extents = true;
      options.extent_options.probability = true;
      options.sum_columns = true;
      Budget budget;
      const Mined one = mine(table, options, budget);
      for (const unsigned threads : {2u, 4u}) {
        Budget other_budget;
        options.threads = threads;
        const Mined several = mine(table, options, other_budget);
        CHECK(reference::same(several.lattice, one.lattice));
        CHECK_EQUAL(several.extent_scores.size(), one.extent_scores.size());
        CHECK_EQUAL(several.column_sums.size(), one.column_sums.size());
        for (std::size_t i = 0; i < one.extent_scores.size(); ++i) {
          CHECK_EQUAL(several.extent_scores[i].miss, one.extent_scores[i].miss);
          CHECK_EQUAL(several.column_sums[i].entropy, one.column_sums[i].entropy);
        }
      }
    }
  }
}

TEST(mining_finds_what_is_there_and_nothing_else) {
  Random random(57);
  for (std::size_t round = 0; round < harness::cases(300); ++round) {
    const Context context = reference::random_context(random, 8, 8);
    const harness::Case which([&] { return describe(context); });
    const Lattice lattice = mined(table(context), 0, 1);
    for (std::size_t i = 0; i < lattice.size(); ++i) {
      CHECK_EQUAL(lattice.find(lattice.intents[i], lattice.supports[i]), i);
      CHECK_EQUAL(lattice.find(lattice.intents[i], lattice.supports[i] + 1), lattice.size());
    }
    const auto concepts = reference::concepts(context);
    for (std::size_t k = 0; k < 10; ++k) {
      const Set attributes = random.subset(context.n_attributes, 0.4);
      const Set objects = extent(context, attributes);
      const bool closed = intent(context, objects) == attributes;
      const std::size_t found = lattice.find(attributes.members(), objects.size());
      CHECK_EQUAL(found < lattice.size(), closed);
      if (found < lattice.size()) CHECK(concepts[found].intent == attributes);
    }
  }
  CHECK_EQUAL(Lattice{}.find({}, 0), 0);
}

TEST(mining_reports_progress) {
  Random random(58);
  const Table table = reference::table(reference::random_table(random, 150, 40, 0.3));
  for (const unsigned threads : {1u, 2u}) {
    std::uint64_t last = 0;
    double last_share = 0;
    bool forwards = true;
    std::size_t reports = 0;
    Budget budget({}, {}, [&](std::uint64_t done, double share) {
      ++reports;
      forwards &= done >= last && share >= last_share && share <= 1;
      last = done;
      last_share = share;
    });
    const Mined result = mine(table, reference::on_threads(threads), budget);
    CHECK(reports > 0);
    CHECK(forwards);
    CHECK(last <= result.lattice.size());
  }
}

TEST(mining_passes_on_the_exception_of_the_caller) {
  const Table table = reference::table(reference::contranominal(30));
  for (const unsigned threads : {1u, 2u, 4u}) {
    Budget asked({}, []() -> bool { throw std::domain_error("cancelled"); });
    CHECK_THROWS(mine(table, reference::on_threads(threads), asked), std::domain_error);
    Budget told({}, {}, [](std::uint64_t, double) { throw std::domain_error("progress"); });
    CHECK_THROWS(mine(table, reference::on_threads(threads), told), std::domain_error);
  }
}
