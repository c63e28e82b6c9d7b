// Implications: closures by applying them until nothing changes, pseudo-intents by definition.
#include <algorithm>
#include <set>

#include "cpp/rules/implications.hpp"
#include "lattices.hpp"

using namespace conceptrank;
using reference::Context;
using reference::Random;
using reference::Set;

namespace {

struct Pair {
  Set premise;
  Set conclusion;
};

std::vector<Word> words(const Set& set, std::size_t n) {
  std::vector<Word> bits(words_for(n), 0);
  for (const Index m : set.members()) set_bit(bits.data(), m);
  return bits;
}

Set set_of(const Word* bits, std::size_t n_words) {
  Set set;
  for_each_bit(bits, n_words, [&](std::size_t m) { set.add(m); });
  return set;
}

Set closed_under(const std::vector<Pair>& pairs, Set set) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Pair& pair : pairs) {
      if (pair.premise.inside(set) && !pair.conclusion.inside(set)) {
        set = set | pair.conclusion;
        changed = true;
      }
    }
  }
  return set;
}

Set closure(const Context& context, const Set& attributes) {
  return intent(context, extent(context, attributes));
}

std::vector<Set> pseudo_intents(const Context& context) {
  const reference::PowerSet all(Set::all(context.n_attributes));
  std::vector<Set> sets;
  for (std::size_t i = 0; i < all.size(); ++i) sets.push_back(all[i]);
  std::ranges::stable_sort(sets, {}, [](const Set& set) { return set.size(); });
  std::vector<Set> found;
  for (const Set& set : sets) {
    if (closure(context, set) == set) continue;
    const bool all_inside = std::ranges::all_of(found, [&](const Set& other) {
      return !other.strictly_inside(set) || closure(context, other).inside(set);
    });
    if (all_inside) found.push_back(set);
  }
  return found;
}

Implications implications_of(const std::vector<Pair>& pairs, std::size_t n) {
  Implications all(n);
  for (const Pair& pair : pairs) {
    all.add(words(pair.premise, n).data(), words(pair.conclusion, n).data());
  }
  return all;
}

void check_basis(const Context& context) {
  const harness::Case which([&] { return describe(context); });
  Budget budget;
  const ImplicationBasis basis = duquenne_guigues(reference::table(context), {}, budget);
  CHECK(basis.stop == Stop::none);
  std::set<std::vector<Index>> wanted;
  for (const Set& set : pseudo_intents(context)) wanted.insert(set.members());
  std::set<std::vector<Index>> listed;
  for (std::size_t i = 0; i < basis.premises.size(); ++i) {
    const std::vector<Index> premise = reference::list(basis.premises, i);
    listed.insert(premise);
    Set set;
    for (const Index m : premise) set.add(m);
    CHECK_EQUAL(reference::list(basis.closures, i), closure(context, set).members());
    CHECK_EQUAL(basis.supports[i], extent(context, set).size());
  }
  CHECK_EQUAL(basis.premises.size(), wanted.size());
  CHECK(listed == wanted);
}

}  // namespace

TEST(closures_apply_implications_until_nothing_changes) {
  Random random(81);
  for (std::size_t i = 0; i < harness::cases(600); ++i) {
    const std::size_t n = 1 + random.below(i % 10 == 0 ? 140 : 8);
    std::vector<Pair> pairs(random.below(8));
    for (Pair& pair : pairs) pair = {random.subset(n, 0.3), random.subset(n, 0.3)};
    const Implications all = implications_of(pairs, n);
    LinClosure closure(all);
    for (int repeat = 0; repeat < 4; ++repeat) {
      const Set start = random.subset(n, random.density());
      std::vector<Word> set = words(start, n);
      closure.close(set.data());
      CHECK(set_of(set.data(), set.size()) == closed_under(pairs, start));
    }
    Budget budget;
    const std::vector<std::uint8_t> kept = irredundant(all, budget);
    std::vector<Pair> rest;
    for (std::size_t k = 0; k < kept.size(); ++k) {
      if (kept[k] != 0) rest.push_back(pairs[k]);
    }
    for (const Pair& pair : pairs) {
      CHECK(pair.conclusion.inside(closed_under(rest, pair.premise)));
    }
    for (std::size_t k = 0; k < rest.size(); ++k) {
      std::vector<Pair> others = rest;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
      CHECK(!rest[k].conclusion.inside(closed_under(others, rest[k].premise)));
    }
  }
}

TEST(the_basis_has_a_premise_for_each_pseudo_intent) {
  Random random(82);
  for (std::size_t i = 0; i < harness::cases(400); ++i) {
    check_basis(reference::random_context(random, 9, 8));
  }
  reference::for_each_context(3, 3, check_basis);
  for (const std::size_t n : {0, 1, 4}) check_basis(reference::contranominal(n));
}

TEST(a_basis_keeps_to_its_budget) {
  Random random(84);
  const Context context = reference::random_table(random, 40, 16, 0.6);
  const Table table = reference::table(context);
  Budget unlimited;
  const std::size_t all = duquenne_guigues(table, {}, unlimited).premises.size();
  CHECK(all > 50);
  Limits limits;
  limits.concepts = 20;
  Budget few(limits);
  const ImplicationBasis some = duquenne_guigues(table, {}, few);
  CHECK(some.stop == Stop::concepts);
  CHECK_EQUAL(some.premises.size(), 20);
  limits = {};
  limits.bytes = 1000;
  Budget small(limits);
  CHECK(duquenne_guigues(table, {}, small).stop == Stop::bytes);
  Budget cancelled({}, [] { return true; });
  CHECK(duquenne_guigues(table, {}, cancelled).stop == Stop::cancelled);
}

TEST(open_sets_come_in_lectic_order) {
  Random random(85);
  for (std::size_t i = 0; i < harness::cases(200); ++i) {
    const Context context = reference::random_context(random, 8, 7);
    const harness::Case which([&] { return describe(context); });
    const Table table = reference::table(context);
    const std::size_t n = context.n_attributes;
    // To confirm every open set is to list the pseudo-intents.
    std::vector<Pair> pairs;
    std::vector<Word> next(words_for(n), 0);
    Budget budget;
    while (pairs.size() < 500 && next_open(table, implications_of(pairs, n), next, budget)) {
      const Set open = set_of(next.data(), next.size());
      pairs.push_back({open, closure(context, open)});
    }
    const std::vector<Set> wanted = pseudo_intents(context);
    CHECK_EQUAL(pairs.size(), wanted.size());
    for (const Pair& pair : pairs) CHECK(std::ranges::find(wanted, pair.premise) != wanted.end());
  }
}
