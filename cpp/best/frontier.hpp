// Frontier: the nodes of a tree that are still to be expanded, best first. The caller gives every
// node a key, several numbers that are compared one after the other: limits on the scores below the
// node. As long as the nodes fit into a limit on memory, the one with the largest key comes first;
// beyond it, children come before all other nodes, so the search is depth first. If the limits are
// loose, the search can dive: it expands nodes whose own concepts score well before their turn, and
// so finds the best concepts early.
#pragma once

#include <memory>

#include "cpp/best/tree.hpp"

namespace conceptrank {

/// What a step of the search found: the expanded nodes, and their children one after the other.
struct Step {
  std::vector<Subtree> nodes;
  std::vector<Expanded> concepts;
  std::vector<Subtree> children;
  std::vector<Index> sums;  // of marks, as `Expanded` has them
  double bound = 0;         // the largest first number among the keys of the nodes
};

/// The number of nodes in the next step, given the number of nodes visited so far; and how many of
/// them to pick by their own scores, given whether k concepts were found. Nodes that are expanded
/// together can't use each other's results, so the first steps are small.
std::size_t step_size(std::size_t visited, bool depth_first);
std::size_t dives_of(std::size_t step, std::size_t visited, bool enough);

class Frontier {
 public:
  /// Keys have `width` numbers.
  Frontier(const Tree& tree, std::size_t width, std::uint64_t most_bytes);

  std::size_t size() const { return size_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Whether the limit on memory was reached, so that the search goes depth first.
  bool depth_first() const { return !stack_.empty(); }
  /// The largest first number of a key; -∞ when nothing is left.
  double bound();

  /// Expands up to `count` nodes whose keys are not below the threshold; the others are dropped. Up
  /// to `dives` of them are those whose own concepts have the best scores, unless the limit on
  /// bytes was reached. If the budget stops it, the nodes that were not expanded stay. The result
  /// is the same for any number of threads.
  Step expand(std::size_t count, std::size_t dives, std::span<const double> threshold,
              const Worth& worth, unsigned threads, Budget& budget);
  /// Adds nodes with their keys, one key after the other, and the scores of their own concepts if
  /// there are any. Nodes below the threshold are dropped, and those whose first number is NaN.
  void push(std::vector<Subtree>&& nodes, std::span<const double> keys,
            std::span<const double> scores, std::span<const double> threshold);

 private:
  struct Entry {
    std::uint64_t number;  // in the order of arrival
    std::vector<double> key;
    double score;
    bool taken;
    Subtree node;
  };
  using Shared = std::shared_ptr<Entry>;

  static bool worse(const Shared& a, const Shared& b);
  static bool scored_worse(const Shared& a, const Shared& b);
  void add(Shared entry);
  /// The next node, or none.
  Shared take();
  Shared take_scored();
  void remove(Entry& entry);
  static std::uint64_t bytes_of(const Entry& entry);

  const Tree& tree_;
  std::size_t width_;
  std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  std::uint64_t arrived_ = 0;
  std::size_t size_ = 0;
  std::vector<Shared> heap_;
  std::vector<Shared> scored_;  // the same nodes by the scores of their own concepts
  std::vector<Shared> stack_;   // the best of those that arrived together on top
  std::vector<std::unique_ptr<Expander>> expanders_;  // by thread
};

}  // namespace conceptrank
