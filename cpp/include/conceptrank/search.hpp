// Search: the tree of all concepts, walked one node at a time. A node holds its concept and the
// table restricted to the concept's extent and to the attributes that some but not all of its
// objects have. Expanding a node finds, in that small table alone,
//   - its lower covers: the inclusion-maximal columns, equal ones grouped. The group is what the
//   cover
//     adds to the intent, so it is the intent face of that cover towards this concept; the rows
//     outside its column are the extent face of this concept;
//   - its children in the search tree: the closures that add nothing before the attribute that
//     generates them (prefix-preserving closure extension: CbO, Kuznetsov 1993; LCM, Uno 2003).
//     Every concept is the child of exactly one node.
// A child's table is made from its parent's by packing the child's rows together, or, where these
// are few, afresh from the rows' lists.
#pragma once

#include "conceptrank/faces.hpp"
#include "conceptrank/kernels.hpp"
#include "conceptrank/statistics.hpp"
#include "conceptrank/table.hpp"

namespace conceptrank {

/// The attributes of a table in the order in which the search adds them, and the table's lists in
/// those numbers ("ranks").
class SearchTable {
 public:
  /// The order of the attributes: what is mined fastest, or rare ones first in any case.
  enum class Order { fastest, rare_first };

  /// `salt` varies the keys from which hashes of intents are made.
  explicit SearchTable(const Table& table, Order order = Order::fastest, std::uint64_t salt = 0);

  const Table& table() const { return *table_; }
  std::size_t n_attributes() const { return attribute_of_rank_.size(); }
  Index attribute(std::size_t rank) const { return attribute_of_rank_[rank]; }
  std::span<const Index> row(std::size_t r) const { return rows_[r]; }
  std::span<const Index> column(std::size_t rank) const {
    return table_->column(attribute_of_rank_[rank]);
  }
  std::size_t mean_row_size() const { return mean_row_size_; }
  /// Key of an attribute; the hash of an intent is the exclusive or of its attributes' keys.
  std::uint64_t key(std::size_t rank) const { return keys_[rank]; }
  std::uint64_t key_of_all() const { return key_of_all_; }

 private:
  const Table* table_;
  std::vector<Index> attribute_of_rank_;
  std::size_t mean_row_size_ = 0;
  Lists rows_;
  std::vector<std::uint64_t> keys_;
  std::uint64_t key_of_all_ = 0;
};

/// A group of equal columns that is maximal, or whose closure is a child, or both.
struct Branch {
  Index column = 0;         // the first column of the group
  std::uint32_t begin = 0;  // the columns that contain it, itself included: what its closure adds
  std::uint32_t end = 0;
  std::uint64_t support = 0;
  bool cover = false;  // the closure is a lower cover
  bool child = false;  // the closure is a child in the tree, and frequent
};

struct Node {
  // The concept.
  std::vector<Index> intent;  // attribute numbers of the table, ascending
  std::uint64_t support = 0;
  std::uint64_t hash = 0;
  std::int64_t last = -1;  // rank of the attribute that generated it

  // Its table: bit r of column c says that row r has the attribute of rank ranks[c].
  std::vector<Index> rows;    // numbers of the distinct rows
  std::vector<Index> ranks;   // ascending
  std::vector<Index> counts;  // rows of each column
  std::vector<Word> bundle;
  std::size_t words = 0;
  std::size_t stride = 0;

  // What expanding it found.
  std::vector<Branch> branches;
  std::vector<Index> contained_in;  // column numbers; Branch::begin and end point here

  bool root = false;
  std::size_t n_columns() const { return ranks.size(); }
};

/// One object a thread: it owns the scratch memory.
class Search {
 public:
  Search(const SearchTable& table, std::uint64_t min_support);

  void make_root(Node& node) const;
  /// Fills node.branches.
  void expand(Node& node);
  /// Builds the child that `branch` of the expanded node `parent` leads to.
  void make_child(const Node& parent, const Branch& branch, Node& child);

  /// Words and items moved so far: a measure of effort that is the same on every machine.
  std::uint64_t work() const { return work_; }

  /// Hash of the intent that `branch` leads to.
  std::uint64_t child_hash(const Node& node, const Branch& branch) const;
  /// True when no attribute outside the intent occurs in the extent although there are some: then
  /// the only lower cover has the empty extent.
  bool above_empty_extent(const Node& node) const {
    return node.ranks.empty() && node.intent.size() < table_.n_attributes();
  }
  /// The column sums of a node's concept.
  ColumnSums column_sums(const Node& node);
  /// The extent faces of an expanded node that are at most `excess` larger than the smallest.
  void extent_faces(const Node& node, std::uint64_t excess, FaceFamily& family) const;

 private:
  void expand_root(Node& node);
  void expand_dense(Node& node);
  void expand_sparse(Node& node);
  void add_branch(Node& node, Index column, std::span<const Index> supersets);
  void gather(std::span<const Index> rows, Node& child);
  void compress(const Node& parent, const Branch& branch, Node& child);
  void select_rows(const Node& parent, const Branch& branch, Node& child) const;
  std::uint64_t weigh_column(const Node& node, Index column) const;

  const SearchTable& table_;
  std::uint64_t min_support_;
  const Kernels& kernels_;
  std::uint64_t work_ = 0;
  std::vector<Word> complement_;
  std::vector<Index> leaders_;
  std::vector<Word> supersets_;
  std::vector<Index> members_;
  std::vector<Index> kept_;
  std::vector<Word> mask_;
  std::vector<Word> union_;
  std::vector<Word> packed_;
  std::vector<Index> packed_counts_;
  std::vector<Index> occurrences_;  // by rank; all zero between calls
  std::vector<Index> column_of_;    // by rank; scratch
};

}  // namespace conceptrank
