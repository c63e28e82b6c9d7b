#include "cpp/search/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "cpp/base/random_stream.hpp"
#include "cpp/search/tree_walk.hpp"

namespace conceptrank {
namespace {

// At least this many runs are made, because an interval needs some.
constexpr std::size_t fewest_runs = 5;

/// Counts nodes until it has seen options.exact_nodes or spent half of options.work.
struct NodeCounter {
  const Search& search;
  const EstimateOptions& options;
  Budget& budget;
  std::uint64_t seen = 1;

  bool goes_on() const {
    return seen != options.exact_nodes && search.work() <= options.work / 2 && !budget.stopped();
  }
  void enter(const Node&) const {}
  void prune(Node&) const {}
  void visit(TreeWalk&, const Branch&) {
    ++seen;
    budget.poll(seen, 0);
  }
  void replace(std::size_t) const {}
};

/// Number of nodes of the tree, if counting them takes at most options.exact_nodes nodes and half
/// of options.work.
std::optional<std::uint64_t> count_nodes(Search& search, const EstimateOptions& options,
                                         Budget& budget) {
  TreeWalk walk(search);
  NodeCounter counter{search, options, budget};
  search.make_root(walk.first().node);
  if (walk.first().node.support < options.min_support) return 0;
  walk.expand(walk.first(), counter);
  if (!walk.run(counter)) return std::nullopt;
  return counter.seen;
}

/// A node that represents `weight` nodes of its stratum. It is built only when its stratum is
/// complete.
struct Representative {
  std::shared_ptr<const Node> parent;
  std::size_t branch = 0;
  double weight = 0;
};

/// The class of a size: exact for small ones, then `steps` classes from each power of two to the
/// next.
int scale(double steps, double size) {
  return static_cast<int>(size < steps ? size : steps + steps * std::log2(size / steps));
}

double sample(Search& search, Random& random, Budget& budget) {
  using Stratum =
      std::tuple<std::size_t, int, int>;  // depth, then log-sizes of support and columns
  std::map<Stratum, Representative> strata;
  double total = 1;
  std::size_t depth = 0;
  const auto visit = [&](Node&& visited, double weight) {
    auto node = std::make_shared<Node>(std::move(visited));
    search.expand(*node);
    for (std::size_t b = 0; b < node->branches.size(); ++b) {
      const Branch& branch = node->branches[b];
      if (!branch.child) continue;
      total += weight;
      const Stratum key{depth + 1, scale(2, static_cast<double>(branch.support)),
                        scale(12, static_cast<double>(node->table.n_columns() - branch.column))};
      Representative& representative = strata[key];
      representative.weight += weight;
      if (random.uniform() * representative.weight < weight) {
        representative.parent = node;
        representative.branch = b;
      }
    }
  };
  Node root;
  search.make_root(root);
  visit(std::move(root), 1);
  // Children belong to deeper strata, so the first stratum left is complete.
  while (!strata.empty() && !budget.stopped()) {
    const auto first = strata.begin();
    depth = std::get<0>(first->first);
    const Representative representative = std::move(first->second);
    strata.erase(first);
    Node child;
    search.make_child(*representative.parent,
                      representative.parent->branches[representative.branch], child);
    visit(std::move(child), representative.weight);
    budget.poll(0, 0);
  }
  return total;
}

}  // namespace

ConceptEstimate estimate_concepts(const Table& table, const EstimateOptions& options,
                                  Budget& budget) {
  const SearchTable search_table(table, options.min_support);
  const double extra = options.min_support == 0 && table.has_empty_extent() ? 1 : 0;
  Search search(search_table, false);
  if (const auto nodes = count_nodes(search, options, budget)) {
    const double value = static_cast<double>(*nodes) + extra;
    return {value, value, value, true, 0};
  }
  std::vector<double> runs;
  Random random(options.seed);
  while (runs.size() < options.runs && !budget.stopped() &&
         (runs.size() < fewest_runs || search.work() < options.work)) {
    const double size = sample(search, random, budget);
    if (!budget.stopped()) runs.push_back(size);
  }
  constexpr double least = 1;
  ConceptEstimate result{least, least, HUGE_VAL, false, static_cast<unsigned>(runs.size())};
  if (runs.size() < 2) return result;

  // The runs are skewed to the right: the interval is symmetric in the logarithm.
  double mean = 0;
  double log_mean = 0;
  for (const double size : runs) {
    mean += size / static_cast<double>(runs.size());
    log_mean += std::log(size) / static_cast<double>(runs.size());
  }
  double log_variance = 0;
  for (const double size : runs) {
    log_variance += std::pow(std::log(size) - log_mean, 2) / static_cast<double>(runs.size() - 1);
  }
  // Of the mean of a log-normal variable (Cox): log-mean plus half the variance, with this error.
  const auto n = static_cast<double>(runs.size());
  const double error = std::sqrt(log_variance / n + log_variance * log_variance / (2 * (n - 1)));
  const double centre = log_mean + log_variance / 2;
  // The 97.5 % quantile of Student's t by the first terms of its expansion in the normal one.
  const double quantile = 1.96 + 2.37 / (n - 1) + 2.82 / ((n - 1) * (n - 1));
  result.value = std::max(least, mean + extra);
  result.low = std::max(least, std::min(mean, std::exp(centre - quantile * error)) + extra);
  result.high = std::max(result.value, std::exp(centre + quantile * error) + extra);
  return result;
}

}  // namespace conceptrank
