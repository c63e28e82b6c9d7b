// Counting fixed sets of attributes in other tables, against the derivations word for word.
#include <algorithm>
#include <array>

#include "cpp/base/tuning.hpp"
#include "cpp/table/intent_walk.hpp"
#include "harness.hpp"
#include "reference.hpp"

using namespace conceptrank;
using reference::Context;
using reference::Random;
using reference::Set;

namespace {

void check_counts(const std::vector<Set>& sets, std::size_t n_attributes, const Context& context) {
  const harness::Case which([&] { return describe(context); });
  Lists intents;
  for (const Set& set : sets) intents.push_back(set.members());
  const IntentWalk walk(intents, n_attributes);
  CHECK_EQUAL(walk.n_intents(), sets.size());
  Budget budget;
  const auto counts = walk.count(reference::lists(context), true, budget);
  const auto supports = walk.count(reference::lists(context), false, budget);
  CHECK_EQUAL(counts.supports, supports.supports);
  CHECK(supports.closed.empty());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const harness::Case set([&] { return "set " + harness::show(sets[i].members()); });
    const Set extent = reference::extent(context, sets[i]);
    CHECK_EQUAL(counts.supports[i], extent.size());
    CHECK_EQUAL(counts.closed[i] != 0, reference::intent(context, extent) == sets[i]);
  }
}

}  // namespace

TEST(walk_counts_the_intents_of_one_table_in_another) {
  Random random(81);
  for (std::size_t round = 0; round < harness::cases(400); ++round) {
    const Context from = reference::random_context(random, 9, 8);
    Context other = reference::random_context(random, 9, 8);
    other.n_attributes = from.n_attributes;
    for (Set& row : other.rows) row = row & Set::all(from.n_attributes);
    std::vector<Set> sets;
    for (const auto& concept_ : reference::concepts(from)) sets.push_back(concept_.intent);
    check_counts(sets, from.n_attributes, from);
    check_counts(sets, from.n_attributes, other);
  }
}

TEST(walk_counts_any_sets_in_larger_tables) {
  Random random(82);
  for (const double density : {0.004, 0.02, 0.1, 0.5, 0.97}) {
    for (const std::size_t n : {64, 100, 256}) {
      const Context context = reference::random_table(random, n, 90, density);
      std::vector<Set> sets{Set{}, Set::all(90), Set{}};  // some of them twice
      for (std::size_t i = 0; i < harness::cases(300); ++i) {
        // Part of a row, so that not everything is empty.
        Set set = context.rows[random.below(n)];
        for (const Index m : set.members()) {
          if (!random.chance(0.7)) set.remove(m);
        }
        sets.push_back(set);
        if (random.chance(0.2)) set.add(random.below(90));
        sets.push_back(set);
      }
      check_counts(sets, 90, context);
    }
  }
}

TEST(walk_of_nothing) {
  const Context empty{3, std::vector<Set>(0)};
  check_counts({}, 3, empty);
  check_counts({Set{}, Set::of({1}), Set::all(3)}, 3, empty);
  check_counts({Set{}}, 0, Context{0, std::vector<Set>(2)});
  check_counts({Set{}}, 0, Context{0, {}});
}

TEST(walk_shares_beginnings) {
  Lists intents;
  for (const auto& set : {Set::of({0, 1}), Set::of({0, 1, 2}), Set::of({0, 1, 3}), Set::of({0})}) {
    intents.push_back(set.members());
  }
}

TEST(walk_refuses_what_is_no_set_of_attributes) {
  const auto lists = [](std::vector<Index> values) {
    Lists result;
    result.push_back(values);
    return result;
  };
  CHECK_THROWS(IntentWalk(lists({1, 0}), 3), std::invalid_argument);
  CHECK_THROWS(IntentWalk(lists({3}), 3), std::invalid_argument);
  Budget budget;
  CHECK_THROWS(IntentWalk(lists({0}), 3).count(lists({4}), false, budget), std::invalid_argument);
}

TEST(walk_lists_the_rows_that_have_a_set_and_those_that_violate_a_rule) {
  Random random(84);
  Budget budget;
  for (std::size_t round = 0; round < harness::cases(60); ++round) {
    const double density = std::array{0.05, 0.3, 0.9}[round % 3];
    // Some tables have more rows than one block.
    const std::size_t n = round % 20 == 0 ? tuning::match_rows + 70 : 1 + random.below(300);
    const Context context = reference::random_table(random, n, 12, density);
    const Lists rows = reference::lists(context);
    std::vector<Set> sets{Set{}, Set::all(12)};
    for (std::size_t i = 0; i < 20; ++i) sets.push_back(random.subset(12, 0.2));
    std::vector<Set> conclusions;
    Lists intents;
    Lists lacking;
    for (const Set& set : sets) {
      conclusions.push_back(random.subset(12, 0.2));
      intents.push_back(set.members());
      lacking.push_back(conclusions.back().members());
    }
    const IntentWalk walk(intents, 12);
    for (const unsigned threads : {1u, 3u}) {
      const Lists matched = walk.match(rows, {}, threads, budget);
      const Lists violated = walk.match(rows, lacking, threads, budget);
      CHECK_EQUAL(matched.size(), sets.size());
      CHECK_EQUAL(violated.size(), sets.size());
      for (std::size_t i = 0; i < sets.size(); ++i) {
        std::vector<Index> having;
        std::vector<Index> breaking;
        for (std::size_t g = 0; g < n; ++g) {
          if ((sets[i] & context.rows[g]) != sets[i]) continue;
          having.push_back(static_cast<Index>(g));
          if ((conclusions[i] & context.rows[g]) != conclusions[i])
            breaking.push_back(having.back());
        }
        CHECK(std::ranges::equal(matched[i], having));
        CHECK(std::ranges::equal(violated[i], breaking));
      }
    }
  }
}

TEST(walk_refuses_conclusions_that_fit_no_set) {
  Budget budget;
  Lists intents;
  intents.push_back(std::vector<Index>{0});
  const IntentWalk walk(intents, 3);
  CHECK_THROWS(walk.match(Lists{}, Lists{}, 1, budget), std::invalid_argument);
}

TEST(walk_ends_when_it_is_told_to) {
  Random random(83);
  const Context context = reference::random_table(random, 200, 40, 0.5);
  Lists intents;
  for (std::size_t i = 0; i < 20'000; ++i) intents.push_back(random.subset(40, 0.3).members());
  const IntentWalk walk(intents, 40);
  Budget budget({}, [] { return true; });
  walk.count(reference::lists(context), true, budget);
  CHECK(budget.stopped());
}
