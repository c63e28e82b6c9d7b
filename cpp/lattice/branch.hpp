// mine_branch: mines and scores a bounded part of the search tree. It starts from some prefixes,
// visits a limited number of nodes, and returns the prefixes that it did not reach. All scores come
// from the table, without a lattice or the rest of the tree. The same call gives the same result on
// every machine.
#pragma once

#include <optional>

#include "cpp/score/scores.hpp"
#include "cpp/search/constraints.hpp"
#include "cpp/table/statistics.hpp"

namespace conceptrank {

/// A part of the search tree: a node with everything below it, or some of its children with
/// everything below these.
struct Prefix {
  std::vector<Index> intent;                   // of the node, ascending
  std::int64_t last = -1;                      // the attribute that generated it; -1 for the root
  std::optional<std::vector<Index>> children;  // the attributes that generate them, if only some
};

struct BranchOptions {
  std::uint64_t nodes = 0;  // visit at most so many nodes; at least 2
  /// Which concepts to list, if not all.
  const Constraints* constraints = nullptr;
  bool score_intents = false;
  FaceOptions intent_options;
  bool score_extents = false;
  FaceOptions extent_options;
  bool sum_columns = false;
};

struct MinedBranch {
  // In the order of the search.
  Lists intents;
  std::vector<Index> supports;
  std::vector<Index> deltas;
  // Empty unless asked for.
  FaceScores intent_scores;
  FaceScores extent_scores;
  std::vector<ColumnSums> column_sums;

  std::vector<Prefix> left;   // what is still to be done, deepest first
  std::uint64_t visited = 0;  // nodes, whether or not their concepts meet the constraints
};

/// Throws std::invalid_argument if a prefix does not belong to this table. The concept with the
/// empty extent belongs to the root.
MinedBranch mine_branch(const SearchTable& table, std::span<const Prefix> prefixes,
                        const BranchOptions& options, Budget& budget);

}  // namespace conceptrank
