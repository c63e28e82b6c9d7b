// Tree: the concepts of a table as a tree with limits on what is below each node. A node is a
// concept (A, B) and the attributes that no concept below it has, the excluded ones. Children add
// one attribute and close (prefix-preserving closure extension: CbO, Kuznetsov 1993; LCM, Uno
// 2003). Attributes are added most frequent first, so that frequent attributes are excluded early:
// these limit Δ most. Constraints cut the tree: it starts at the closure of the attributes that all
// intents must have, and forbidden attributes are excluded from the start.
#pragma once

#include <optional>

#include "cpp/base/budget.hpp"
#include "cpp/search/constraints.hpp"

namespace conceptrank {

/// How a node compares the columns of its attributes.
enum class Comparison { automatic, bits, counts };

/// A node. The limits hold for every concept that counts of the node itself and below it.
struct Subtree {
  std::vector<Index> intent;  // ascending
  Index decided = 0;          // attributes of a lower rank are excluded unless in the intent
  std::uint64_t support = 0;  // the largest support
  std::uint64_t delta = 0;    // the largest Δ
  std::uint64_t longest = 0;  // the largest number of attributes
  bool bottom = false;        // whether the concept of all attributes can be there
  std::uint64_t own_support = 0;
  std::uint64_t own_delta = 0;  // 0 unless it is asked for
  bool counts = false;          // whether the node's own concept meets the constraints
};

/// Which children are worth finding, and what to find out about them. What is not asked for is the
/// weakest limit that holds anyway.
struct Worth {
  std::uint64_t support = 0;  // the least that their limits must reach
  std::uint64_t delta = 0;
  bool limit_delta = true;
  bool limit_length = true;
  bool own_delta = true;
};

/// What expanding a node tells about its own concept, and its children.
struct Expanded {
  std::uint64_t support = 0;
  std::uint64_t delta = 0;
  bool counts = false;  // whether the concept itself meets the constraints
  std::vector<Subtree> children;
};

class Tree {
 public:
  Tree(const Table& table, Constraints constraints, Comparison comparison = Comparison::automatic);

  const Table& table() const { return table_; }
  const Constraints& constraints() const { return constraints_; }
  /// The root; none if no concept meets the constraints.
  std::optional<Subtree> root() const { return root_; }

 private:
  friend class Expander;

  const Table& table_;
  Constraints constraints_;
  Comparison comparison_;
  std::vector<Index> attribute_;  // by rank: forbidden, then any_of, then the others
  std::vector<Index> rank_;       // by attribute
  Index any_of_end_ = 0;          // ranks before it are forbidden or in any_of
  bool bottom_ = false;           // whether the concept of all attributes counts
  std::optional<Subtree> root_;
};

/// Expands nodes of a tree, and reuses its memory from one to the next: one object per thread.
class Expander {
 public:
  explicit Expander(const Tree& tree);
  /// The node's concept and children. None if the budget stops it; `polls` says whether this thread
  /// may look at the clock.
  std::optional<Expanded> expand(const Subtree& node, const Worth& worth, Budget& budget,
                                 bool polls);

 private:
  void gather(const Subtree& node);
  bool compares_bits() const;
  void make_columns();
  void make_lists();
  /// Compares the column of a slot with all others by bit operations, or by counting.
  bool compare_bits(std::size_t slot, const Worth& worth);
  bool compare_counts(std::size_t slot, const Worth& worth);
  bool contains(std::size_t larger, std::size_t smaller) const;
  std::uint64_t weigh(const Word* rows, const Word* without) const;
  /// The largest support of a concept below with at least `missing` further attributes.
  std::uint64_t support_with(std::size_t slot, std::uint64_t missing);
  /// Δ of the concept that the slot leads to, once it is compared.
  std::uint64_t own_delta(std::size_t slot) const;
  void drop_from_rows(std::size_t slot);
  std::uint64_t longest_row(std::size_t slot) const;

  const Tree& tree_;
  // The rows of the extent, and their attributes that are neither in the intent nor in no row.
  std::vector<Index> rows_;
  std::vector<Index> weights_;
  bool weighted_ = false;
  std::uint64_t support_ = 0;
  std::vector<std::uint64_t> counts_;    // by attribute
  std::vector<Index> slot_of_;           // by attribute
  std::vector<Index> slots_;             // attributes in the order of ranks
  std::vector<std::uint64_t> supports_;  // by slot
  std::size_t words_ = 0;
  std::vector<Word> columns_;  // by slot: rows as bits
  std::vector<Word> planes_;   // weights of the rows as columns of bits
  Lists lists_;                // by slot: rows as numbers
  bool as_bits_ = false;
  std::vector<Index> undecided_;  // by row: attributes that may still be added
  // Of the slot that is being compared.
  std::uint64_t nearest_ = 0;            // least number of objects that an excluded attribute loses
  std::vector<Index> added_;             // slots of the attributes that the closure adds
  std::vector<std::uint64_t> together_;  // by slot: objects that have both attributes
  std::vector<std::uint64_t> largest_;
};

}  // namespace conceptrank
