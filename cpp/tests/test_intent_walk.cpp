// Counting fixed sets of attributes in other tables, against the derivations word for word.
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
  CHECK_EQUAL(IntentWalk(intents, 4).n_nodes(), 4);
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
