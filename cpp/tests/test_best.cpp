// The search for the best concepts: the tree has every concept that meets the constraints once, its
// limits hold for everything below a node, and the frontier gives nodes best first whatever the
// memory and the number of threads. Mining under constraints lists the same concepts.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "cpp/best/frontier.hpp"
#include "lattices.hpp"

using namespace conceptrank;
using reference::Concept;
using reference::Context;
using reference::Random;
using reference::Set;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Found = std::map<std::vector<Index>, std::pair<std::uint64_t, std::uint64_t>>;

std::vector<Index> some(Random& random, std::size_t n, std::size_t most) {
  std::vector<Index> numbers;
  for (std::size_t k = random.below(most + 1); n > 0 && k > 0; --k) {
    numbers.push_back(static_cast<Index>(random.below(n)));
  }
  return numbers;
}

Constraints random_constraints(Random& random, const Context& context) {
  Constraints wanted;
  const std::size_t n = context.n_objects();
  const std::size_t q = context.n_attributes;
  if (random.chance(0.3)) wanted.contains = some(random, q, 2);
  if (random.chance(0.3)) wanted.forbidden = some(random, q, 2);
  if (random.chance(0.3)) wanted.any_of = some(random, q, 3);
  if (random.chance(0.3)) wanted.min_support = random.below(n + 2);
  if (random.chance(0.3)) wanted.max_support = random.below(n + 1);
  if (random.chance(0.3)) wanted.min_intent = random.below(4);
  if (random.chance(0.3)) wanted.max_intent = random.below(q + 1);
  return wanted;
}

/// The constraints, as they are defined.
bool meets(const Concept& one, const Constraints& wanted) {
  const auto has = [&](Index m) { return one.intent.has(m); };
  return std::ranges::all_of(wanted.contains, has) && std::ranges::none_of(wanted.forbidden, has) &&
         (wanted.any_of.empty() || std::ranges::any_of(wanted.any_of, has)) &&
         one.extent.size() >= wanted.min_support && one.extent.size() <= wanted.max_support &&
         one.intent.size() >= wanted.min_intent && one.intent.size() <= wanted.max_intent;
}

/// The concepts that meet the constraints, with their supports and Δ.
Found expected(const Context& context, const Constraints& wanted) {
  const std::vector<Concept> all = reference::concepts(context);
  const std::vector<std::size_t> deltas = reference::deltas(all);
  Found found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (meets(all[i], wanted)) {
      found[all[i].intent.members()] = {all[i].extent.size(), deltas[i]};
    }
  }
  return found;
}

/// The sum of marks over the objects that have all the attributes.
std::uint64_t sum_of(const Table& table, const std::vector<Index>& intent,
                     const std::vector<Index>& marks) {
  std::uint64_t sum = 0;
  for (const Index g : table.objects(table.extent(intent))) sum += marks[g];
  return sum;
}

/// Checks the numbers that a strict expansion gives a child, given the concepts at and below it.
void check_strict(const Table& table, const Subtree& child, std::span<const Index> sums,
                  const Found& part, const std::vector<Index>& marks) {
  CHECK_EQUAL(sums[0], sum_of(table, child.intent, marks));
  for (const auto& [intent, numbers] : part) {
    if (intent == child.intent) continue;
    CHECK(!child.leaf);
    CHECK(numbers.first <= child.support);
    CHECK(intent.size() <= child.longest);
    CHECK(sum_of(table, intent, marks) <= sums[1]);
    if (intent.size() < table.n_attributes()) CHECK(numbers.second <= child.delta);
  }
}

/// What is at and below a node that meets the constraints, after checking the node's limits.
Found below(const Tree& tree, const Subtree& node, const std::vector<Index>& marks) {
  Budget budget;
  Expander expander(tree);
  const std::optional<Expanded> expanded = expander.expand(node, Worth{}, budget, true);
  Found found;
  CHECK(expanded.has_value());
  if (!expanded) return found;
  if (expanded->counts) found[node.intent] = {expanded->support, expanded->delta};
  Worth worth;
  worth.strict = true;
  const Expanded strict = *expander.expand(node, worth, budget, true);
  for (const Subtree& child : expanded->children) {
    const Found part = below(tree, child, marks);
    const auto same = std::ranges::find(strict.children, child.intent, &Subtree::intent);
    if (same == strict.children.end()) {
      CHECK(part.empty());
    } else {
      const auto place = static_cast<std::size_t>(same - strict.children.begin());
      check_strict(tree.table(), *same, std::span(strict.sums).subspan(2 * place, 2), part, marks);
    }
    for (const auto& [intent, numbers] : part) CHECK(found.emplace(intent, numbers).second);
    const auto own = part.find(child.intent);
    CHECK_EQUAL(own != part.end(), child.counts);
    if (own != part.end()) {
      CHECK_EQUAL(child.own_support, own->second.first);
      CHECK_EQUAL(child.own_delta, own->second.second);
    }
  }
  for (const auto& [intent, numbers] : found) {
    CHECK(numbers.first <= node.support);
    CHECK(intent.size() <= node.longest);
    if (intent.size() == tree.table().n_attributes()) {
      CHECK(node.bottom);
    } else {
      CHECK(numbers.second <= node.delta);
    }
  }
  return found;
}

/// All concepts that meet the constraints, by a frontier that is ordered by support.
Found by_frontier(const Tree& tree, std::uint64_t bytes, std::size_t count, unsigned threads) {
  Frontier frontier(tree, 1, bytes);
  const double nothing[] = {-infinity};
  Found found;
  double last = infinity;
  while (frontier.size() > 0) {
    const double bound = frontier.bound();
    Budget budget;
    Step step = frontier.expand(count, 0, nothing, Worth{}, threads, budget);
    CHECK_EQUAL(step.nodes.size(), step.concepts.size());
    for (std::size_t i = 0; i < step.nodes.size(); ++i) {
      const Expanded& one = step.concepts[i];
      if (!one.counts) continue;
      CHECK(found.emplace(step.nodes[i].intent, std::pair(one.support, one.delta)).second);
      CHECK(static_cast<double>(one.support) <= bound);
    }
    // The best first, as long as there is memory: the bound never rises.
    CHECK(bound <= last);
    last = bound;
    std::vector<double> keys;
    for (const Subtree& child : step.children) keys.push_back(static_cast<double>(child.support));
    frontier.push(std::move(step.children), keys, {}, nothing);
  }
  CHECK_EQUAL(frontier.bytes(), 0);
  return found;
}

}  // namespace

TEST(best_tree_has_every_concept_once_within_its_limits) {
  Random random(71);
  for (std::size_t round = 0; round < harness::cases(1500); ++round) {
    const Context context = reference::random_context(random, 9, 8);
    const Constraints wanted = random_constraints(random, context);
    const harness::Case which([&] { return describe(context); });
    const Table rows = table(context);
    const auto comparison = static_cast<Comparison>(random.below(3));
    Tree tree(rows, wanted, comparison);
    std::vector<Index> marks(context.n_objects());
    for (Index& mark : marks) mark = static_cast<Index>(random.below(4));
    tree.add_marks(marks);
    const Found all = expected(context, wanted);
    const std::optional<Subtree> root = tree.root();
    CHECK(root.has_value() || all.empty());
    if (root) CHECK(below(tree, *root, marks) == all);
  }
}

TEST(best_frontier_is_the_same_for_any_memory_and_threads) {
  Random random(72);
  for (std::size_t round = 0; round < harness::cases(300); ++round) {
    const Context context = reference::random_context(random, 10, 9);
    const Constraints wanted = random_constraints(random, context);
    const harness::Case which([&] { return describe(context); });
    const Table rows = table(context);
    const Tree tree(rows, wanted);
    const Found all = expected(context, wanted);
    const std::uint64_t bytes = random.chance(0.5) ? 0 : std::uint64_t{1} << 20;
    CHECK(by_frontier(tree, bytes, 1 + random.below(5), 1) == all);
    CHECK(by_frontier(tree, bytes, 1 + random.below(5), 3) == all);
  }
}

TEST(best_frontier_drops_what_is_below_the_threshold) {
  Random random(73);
  const Context context = reference::random_table(random, 12, 8, 0.5);
  const Table rows = table(context);
  const Tree tree(rows, {});
  Frontier frontier(tree, 1, std::uint64_t{1} << 20);
  Budget budget;
  const double least[] = {5};
  Step step = frontier.expand(1, 0, least, Worth{}, 1, budget);
  std::vector<double> keys;
  std::size_t kept = 0;
  for (const Subtree& child : step.children) {
    keys.push_back(static_cast<double>(child.support));
    kept += child.support >= 5 ? 1 : 0;
  }
  // A tie is kept, and so is a key that is smaller by rounding alone; NaN is dropped.
  frontier.push(std::move(step.children), keys, {}, least);
  CHECK_EQUAL(frontier.size(), kept);
  std::vector<Subtree> more(3);
  const std::vector<double> near{5 - 1e-14, 5 - 1e-3, std::numeric_limits<double>::quiet_NaN()};
  frontier.push(std::move(more), near, {}, least);
  CHECK_EQUAL(frontier.size(), kept + 1);
}

TEST(best_frontier_keeps_nodes_that_a_stop_leaves_over) {
  Random random(74);
  const Context context = reference::random_table(random, 12, 8, 0.5);
  const Table rows = table(context);
  const Tree tree(rows, {});
  Frontier frontier(tree, 1, std::uint64_t{1} << 20);
  Budget budget;
  budget.stop(Stop::cancelled);
  const double nothing[] = {-infinity};
  const Step step = frontier.expand(4, 0, nothing, Worth{}, 2, budget);
  CHECK(step.nodes.empty());
  CHECK_EQUAL(frontier.size(), 1);
  CHECK_EQUAL(frontier.bound(), infinity);
}

TEST(mining_under_constraints_is_filtering) {
  Random random(75);
  for (std::size_t round = 0; round < harness::cases(1500); ++round) {
    const Context context = reference::random_context(random, 10, 9);
    Constraints wanted = random_constraints(random, context);
    const harness::Case which([&] { return describe(context); });
    const bool covers = random.chance(0.5);
    if (covers && random.chance(0.4)) wanted.shared = some(random, context.n_attributes, 2);
    Found all = expected(context, wanted);
    std::erase_if(all, [&](const auto& entry) {
      Set intent;
      for (const Index m : entry.first) intent.add(m);
      return std::ranges::any_of(wanted.shared, [&](Index m) {
        Set both = intent;
        both.add(m);
        return entry.second.first > 0 &&
               reference::extent(context, both).size() < wanted.min_support;
      });
    });
    MiningOptions options = reference::on_threads(random.chance(0.5) ? 1 : 3, wanted.min_support);
    options.constraints = &wanted;
    options.covers = covers;
    Budget budget;
    const Lattice lattice = mine(table(context), options, budget).lattice;
    CHECK(lattice.stop == Stop::constraints);
    Found found;
    for (std::size_t i = 0; i < lattice.size(); ++i) {
      const std::vector<Index> intent = reference::list(lattice.intents, i);
      const std::uint64_t delta = covers ? lattice.deltas[i] : all[intent].second;
      CHECK(found.emplace(intent, std::pair(lattice.supports[i], delta)).second);
    }
    CHECK(found == all);
  }
}
