// Limits: a call ends by the limit that was given, soon, and what it found until then is true.
#include <array>
#include <chrono>

#include "cpp/base/tuning.hpp"
#include "cpp/search/estimate.hpp"
#include "lattices.hpp"

using namespace conceptrank;
using reference::Context;
using reference::Random;
using reference::Set;
using Clock = std::chrono::steady_clock;

namespace {

// A call has to end within this time after a stop request.
constexpr double soon = 0.2;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Runs `call(budget)`, cancels it after `after` seconds and returns how long it went on then.
/// Asking late whether to go on is as bad as ending late.
template <class Call>
double seconds_to_stop(double after, const Call& call) {
  const auto start = Clock::now();
  Budget budget({}, [&] { return seconds_since(start) >= after; });
  call(budget);
  const double late = seconds_since(start) - after;
  CHECK(budget.reason() == Stop::cancelled);
  return late;
}

bool in_order(const Lattice& lattice, std::size_t i) {
  return i == 0 || lattice.supports[i - 1] > lattice.supports[i] ||
         (lattice.supports[i - 1] == lattice.supports[i] &&
          std::ranges::lexicographical_compare(lattice.intents[i - 1], lattice.intents[i]));
}

/// Part of the lattice of `context`: what is there is true, in order, and each concept once. Covers
/// are only known when all is known.
void check_part(const Lattice& lattice, const Context& context) {
  CHECK_EQUAL(lattice.deltas.size(), lattice.size());
  CHECK_EQUAL(lattice.intents.size(), lattice.size());
  CHECK_EQUAL(lattice.lower.size(), lattice.size());
  CHECK_EQUAL(lattice.upper.size(), lattice.size());
  for (std::size_t i = 0; i < lattice.size(); ++i) {
    Set intent;
    for (const Index m : lattice.intents[i]) intent.add(m);
    const Set objects = extent(context, intent);
    CHECK(reference::intent(context, objects) == intent);
    CHECK_EQUAL(lattice.supports[i], objects.size());
    CHECK(in_order(lattice, i));
    const auto faces = reference::extent_faces(context, {objects, intent});
    CHECK_EQUAL(lattice.deltas[i], faces.empty() ? objects.size() : faces.front().size());
    if (!lattice.complete()) CHECK(lattice.lower[i].empty() && lattice.upper[i].empty());
  }
}

/// The same for a contranominal context of any size, where all of it is known beforehand.
void check_part_of_contranominal(const Lattice& lattice, std::size_t n) {
  bool as_expected = true;
  for (std::size_t i = 0; i < lattice.size(); ++i) {
    const std::size_t size = lattice.intents[i].size();
    as_expected &= lattice.supports[i] == n - size && lattice.deltas[i] == (size == n ? 0 : 1) &&
                   in_order(lattice, i) && lattice.lower[i].empty() && lattice.upper[i].empty();
  }
  CHECK(as_expected);
}

/// A table whose concepts have so many minimal generators that counting them takes long.
Context laborious() {
  Random random(80);
  return reference::random_table(random, 250, 120, 0.9);
}

FaceOptions all_that_takes_long() {
  FaceOptions options;
  options.generators = true;
  options.probability = true;
  // Under a sanitizer it takes long anyway.
  options.node_budget = harness::cases(options.node_budget);
  options.state_budget = harness::cases(options.state_budget);
  return options;
}

}  // namespace

TEST(limit_on_concepts_gives_exactly_so_many) {
  Random random(81);
  const Context context = reference::random_table(random, 60, 25, 0.3);
  const Table table = reference::table(context);
  Budget unlimited;
  const Lattice whole = mine(table, reference::on_threads(1), unlimited).lattice;
  CHECK(whole.size() > 500);
  for (const std::size_t most :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{127}, std::size_t{128},
        std::size_t{129}, std::size_t{500}, whole.size() - 1, whole.size(), whole.size() + 1}) {
    Lattice first;
    for (const unsigned threads : {1u, 2u, 4u}) {
      const harness::Case which([&] {
        return std::to_string(most) + " of " + std::to_string(whole.size()) + ", " +
               std::to_string(threads) + " threads";
      });
      Budget budget({.concepts = most});
      const Mined result = mine(table, reference::on_threads(threads), budget);
      CHECK_EQUAL(result.lattice.size(), std::min(most, whole.size()));
      CHECK(result.lattice.stop == (most < whole.size() ? Stop::concepts : Stop::none));
      if (threads == 1) {
        first = result.lattice;
        check_part(first, context);
      }
      CHECK(reference::same(result.lattice, first));
    }
  }
}

TEST(limit_on_concepts_of_random_contexts) {
  Random random(82);
  for (std::size_t round = 0; round < harness::cases(300); ++round) {
    const Context context = reference::random_context(random, 8, 8);
    const harness::Case which([&] { return describe(context); });
    const std::size_t total = reference::concepts(context).size();
    const std::size_t most = random.below(total + 2);
    Budget budget({.concepts = most});
    MiningOptions options = reference::on_threads(1 + static_cast<unsigned>(round % 2));
    options.score_extents = round % 3 == 0;
    const Mined result = mine(reference::table(context), options, budget);
    CHECK_EQUAL(result.lattice.size(), std::min(most, total));
    CHECK(result.lattice.complete() == (most >= total));
    CHECK_EQUAL(result.extent_scores.size(), options.score_extents ? result.lattice.size() : 0);
    check_part(result.lattice, context);
  }
}

TEST(limit_on_bytes_holds_for_any_number_of_threads) {
  Random random(83);
  const Context context = reference::random_table(random, 100, 40, 0.3);
  const Table table = reference::table(context);
  for (const std::uint64_t most : {0, 1'000, 20'000, 200'000}) {
    Lattice first;
    for (const unsigned threads : {1u, 2u, 4u}) {
      const harness::Case which(
          [&] { return std::to_string(most) + " bytes, " + std::to_string(threads) + " threads"; });
      Budget budget({.bytes = most});
      const Lattice lattice = mine(table, reference::on_threads(threads), budget).lattice;
      CHECK(lattice.stop == Stop::bytes);
      // It is looked at now and then only.
      CHECK(lattice.bytes() <= most + 128 * 1000);
      if (threads == 1) {
        first = lattice;
        check_part(first, context);
      }
      CHECK(reference::same(lattice, first));
    }
    // The limit is on what mining takes, of which the lattice without covers is a part.
    if (most == 200'000) CHECK(first.bytes() > most / 8);
  }
  Budget enough({.bytes = std::uint64_t{1} << 30});
  CHECK(mine(table, reference::on_threads(2), enough).lattice.complete());
}

TEST(limit_on_seconds_ends_a_huge_lattice) {
  const Table table = reference::table(reference::contranominal(60));
  for (const double given : {0.3, 1.0}) {
    for (const unsigned threads : {1u, 2u, 4u}) {
      if (given == 1.0 && threads != 2) continue;
      const harness::Case which(
          [&] { return harness::show(given) + " s, " + std::to_string(threads) + " threads"; });
      CHECK_SECONDS(soon, [&] {
        const auto start = Clock::now();
        Budget budget({.seconds = given});
        const Mined result = mine(table, reference::on_threads(threads), budget);
        const double late = seconds_since(start) - given;
        CHECK(result.lattice.stop == Stop::seconds);
        CHECK(result.lattice.size() > 0);
        check_part_of_contranominal(result.lattice, 60);
        return late;
      });
    }
  }
}

TEST(limit_abandons_a_huge_lattice) {
  const Table table = reference::table(reference::contranominal(60));
  for (const unsigned threads : {1u, 2u, 4u}) {
    const harness::Case which([&] { return std::to_string(threads) + " threads"; });
    CHECK_SECONDS(soon, [&] {
      // Abandoned: the result is not used.
      const auto start = Clock::now();
      Budget* running = nullptr;
      Budget budget({}, [&] {
        if (seconds_since(start) >= 0.2) running->abandon();
        return false;
      });
      running = &budget;
      const Mined result = mine(table, reference::on_threads(threads), budget);
      CHECK(result.lattice.stop == Stop::cancelled);
      CHECK_EQUAL(result.lattice.size(), 0);
      return seconds_since(start) - 0.2;
    });
  }
}

TEST(limit_cancels_at_any_step) {
  constexpr std::size_t n = 13;
  const Table table = reference::table(reference::contranominal(n));
  for (const unsigned threads : {1u, 2u}) {
    for (const bool abandoned : {false, true}) {
      bool whole = false;
      for (std::size_t after = 1; !whole; ++after) {
        const harness::Case which([&] {
          return std::to_string(threads) + " threads, ended when it is polled for the " +
                 std::to_string(after) + "th time";
        });
        std::size_t polled = 0;
        Budget* running = nullptr;
        Budget budget({}, [&] {
          const bool ends = ++polled >= after;
          if (ends && abandoned) running->abandon();
          return ends;
        });
        running = &budget;
        budget.poll_always();
        MiningOptions options = reference::on_threads(threads);
        options.score_extents = after % 2 == 0;
        options.sum_columns = after % 3 == 0;
        const Mined result = mine(table, options, budget);
        whole = polled < after;
        const std::size_t size = result.lattice.size();
        CHECK_EQUAL(result.extent_scores.size(), options.score_extents ? size : 0);
        CHECK_EQUAL(result.column_sums.size(), options.sum_columns ? size : 0);
        // What was found is kept, and cancelled after the search, the lattice is complete.
        if (result.lattice.complete()) CHECK_EQUAL(size, std::size_t{1} << n);
        if (!whole && abandoned) CHECK_EQUAL(size, 0);
        if (!abandoned && !result.lattice.complete()) {
          CHECK(result.lattice.stop == Stop::cancelled);
          check_part_of_contranominal(result.lattice, n);
        }
        after += after / 10;
      }
    }
  }
}

TEST(limit_cancels_laborious_scores) {
  const Table table = reference::table(laborious());
  // The concepts that two attributes generate: their extents are still large.
  Lists pairs;
  for (Index m = 1; m < table.n_attributes(); ++m) {
    for (Index other = 0; other < m; ++other) {
      pairs.push_back(table.intent(table.extent(std::array{other, m})));
    }
  }
  const FaceOptions options = all_that_takes_long();
  for (const unsigned threads : {1u, 2u}) {
    const harness::Case which([&] { return std::to_string(threads) + " threads"; });
    CHECK_SECONDS(soon, [&] {
      return seconds_to_stop(0.2, [&](Budget& budget) {
        MiningOptions mining = reference::on_threads(threads);
        mining.score_extents = true;
        mining.extent_options = options;
        mine(table, mining, budget);
      });
    });
    CHECK_SECONDS(soon, [&] {
      return seconds_to_stop(0.2, [&](Budget& budget) {
        score_concepts(table, pairs, Side::extent, options, threads, budget);
      });
    });
  }
}

TEST(limit_cancels_a_single_laborious_concept) {
  // Thousands of faces: the generators of one concept alone take seconds to count.
  Random random(86);
  Lists objects;
  for (std::size_t g = 0; g < 60; ++g) {
    std::vector<Index> row;
    for (Index m = 0; m < 3000; ++m) {
      if (random.chance(0.8)) row.push_back(m);
    }
    objects.push_back(row);
  }
  const Table table(objects, 3000);
  Lists top;  // again and again, so that there is something left to cancel
  for (int i = 0; i < 50; ++i) top.push_back({});
  const FaceOptions options = all_that_takes_long();
  CHECK_SECONDS(soon, [&] {
    return seconds_to_stop(
        0.1, [&](Budget& budget) { score_concepts(table, top, Side::extent, options, 1, budget); });
  });
}

TEST(limit_cancels_the_comparison_of_many_objects) {
  // One extent, two hundred million pairs of objects.
  Random random(87);
  Lists objects;
  for (std::size_t g = 0; g < 20'000; ++g) {
    std::vector<Index> row;
    for (Index m = 0; m < 40; ++m) {
      if (random.chance(0.3)) row.push_back(m);
    }
    objects.push_back(row);
  }
  const Table table(objects, 40);
  Lists top;  // again and again, so that there is something left to cancel
  for (int i = 0; i < 50; ++i) top.push_back({});
  CHECK_SECONDS(soon, [&] {
    return seconds_to_stop(0.1, [&](Budget& budget) { cohesion(table, top, 1, budget); });
  });
}

TEST(limit_is_polled_between_wide_objects) {
  constexpr std::size_t width = 20'000;
  Lists objects;
  for (std::size_t g = 0; g < 60; ++g) {
    std::vector<Index> row;
    for (std::size_t m = 0; m < width; ++m) row.push_back(static_cast<Index>(g * width + m));
    objects.push_back(row);
  }
  const Table table(objects, 60 * width);
  int polls = 0;
  Budget budget({}, [&] { return ++polls, false; });
  budget.poll_always();
  Lists top;
  top.push_back({});
  cohesion(table, top, 1, budget);
  CHECK(polls >= 5);
}

TEST(limit_cancels_an_estimate) {
  // Wide enough that a single run takes a while.
  Random random(84);
  Lists objects;
  for (std::size_t g = 0; g < 3000; ++g) {
    std::vector<Index> row;
    for (Index m = 0; m < 1500; ++m) {
      if (random.chance(0.3)) row.push_back(m);
    }
    objects.push_back(row);
  }
  const Table table(objects, 1500);
  CHECK_SECONDS(soon, [&] {
    return seconds_to_stop(0.2, [&](Budget& budget) {
      estimate_concepts(table, {.exact_nodes = 1'000'000'000}, budget);
    });
  });
  CHECK_SECONDS(soon, [&] {
    return seconds_to_stop(0.2, [&](Budget& budget) {
      estimate_concepts(table, {.exact_nodes = 1, .runs = 100'000}, budget);
    });
  });
  CHECK_SECONDS(soon, [&] {
    return seconds_to_stop(0.2,
                           [&](Budget& budget) { mine(table, reference::on_threads(2), budget); });
  });
}
