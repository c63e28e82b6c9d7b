// Lattice: the concepts of a table with at least some support, and the cover relation among them,
// as flat arrays. Concepts are ordered by support, largest first, then by intent (attribute
// numbers, lexicographically); there is no other order.
#pragma once

#include "cpp/base/tuning.hpp"
#include "cpp/score/scores.hpp"
#include "cpp/search/constraints.hpp"
#include "cpp/table/statistics.hpp"

namespace conceptrank {

struct Lattice {
  std::uint64_t min_support = 0;
  Stop stop = Stop::none;  // none: complete

  Array<Index> supports;
  Array<Index> deltas;  // Δ: support minus the largest support of a lower cover, listed or not
  Lists intents;
  Lists lower;  // lower covers that are listed, ascending; all lists empty unless complete
  Lists upper;  // upper covers, in the same way

  std::size_t size() const { return supports.size(); }
  bool complete() const { return stop == Stop::none; }
  std::size_t bytes() const;

  /// Fills `upper` from `lower`, unless the budget is abandoned.
  void connect_upwards(Budget& budget);

  /// The number of the concept with this intent and support, or size().
  std::size_t find(std::span<const Index> intent, std::uint64_t support) const;
};

struct MiningOptions {
  std::uint64_t min_support = 0;
  /// Which concepts `mine` lists, if not all. The result then has no cover relation: its `stop` is
  /// `constraints`, unless the budget ended the search.
  const Constraints* constraints = nullptr;
  unsigned threads = 0;
  /// Whether to find the lower covers: without, Δ and the cover relation are left out.
  bool covers = true;
  /// Without covers, the most frequent attributes of a sparse table of so many rows are searched in
  /// a table of their own; see `SearchTable::split_head`. For tests.
  std::size_t split_rows = tuning::split_rows;
  /// Whether to score the extent faces in the same pass, and what of them.
  bool score_extents = false;
  FaceOptions extent_options;
  /// Whether to add up the columns of every concept.
  bool sum_columns = false;
  /// Whether `score_again` scores the intent faces, and what of them; `mine` ignores it.
  bool score_intents = false;
  FaceOptions intent_options;
};

struct Mined {
  Lattice lattice;
  // Empty unless asked for.
  FaceScores extent_scores;
  std::vector<ColumnSums> column_sums;
};

/// Mines the concepts with at least min_support objects. With a limit on concepts or bytes, the
/// result is the same for any number of threads. When the budget ends the search, the result holds
/// what was found until then, without covers. When the budget is abandoned, it holds nothing.
Mined mine(const Table& table, const MiningOptions& options, Budget& budget);

/// Scores of concepts in the order of their lattice.
struct Scored {
  // Empty unless asked for.
  FaceScores extent_scores;
  FaceScores intent_scores;
  std::vector<ColumnSums> column_sums;
  /// Which concepts have been scored. All, unless the budget ended it, or the search tree has no
  /// way to a concept through concepts of the lattice.
  std::vector<std::uint8_t> done;
};

/// Walks the search tree of a mined lattice again, complete or not, and scores its concepts.
/// Throws std::invalid_argument when a complete lattice lacks a concept of the table.
Scored score_again(const Table& table, const Lattice& lattice, const MiningOptions& options,
                   Budget& budget);

/// The intent faces of a concept of a complete lattice, from its upper covers. Element k is the
/// k-th attribute of the intent.
void intent_faces(const Lattice& lattice, std::size_t i, FaceFamily& family);

/// Scores of the intent faces of all concepts, from the covers of a complete lattice.
Scored score_intents(const Lattice& lattice, const FaceOptions& options, unsigned threads,
                     Budget& budget);

}  // namespace conceptrank
