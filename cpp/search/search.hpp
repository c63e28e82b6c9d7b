// Search: the tree of all concepts, walked one node at a time. A node holds its concept and the
// table restricted to the concept's extent and to the attributes that some but not all of its
// objects have. Expanding a node finds, in that small table alone,
//   - its lower covers: the inclusion-maximal columns, equal ones grouped. A cover adds its group
//     to the intent, so the group is the intent face of the cover towards this concept. The rows
//     outside the column are the extent face of this concept;
//   - its children in the search tree: the closures that add nothing before the attribute that
//     generates them (prefix-preserving closure extension: CbO, Kuznetsov 1993; LCM, Uno 2003).
//     Every concept is the child of exactly one node.
// A child's table is made from its parent's by packing the child's rows together, or, where these
// are few, afresh from the rows' lists.
#pragma once

#include <functional>
#include <limits>

#include "cpp/search/node.hpp"
#include "cpp/search/row_groups.hpp"
#include "cpp/search/search_table.hpp"
#include "cpp/search/tops.hpp"
#include "cpp/table/faces.hpp"
#include "cpp/table/statistics.hpp"

namespace conceptrank {

/// The largest number of objects of an extent face that matters.
struct FaceLimits {
  std::uint64_t covers;  // that of a column of the node's table
  std::uint64_t hidden;  // that of an attribute which the table leaves out as infrequent
};

/// One object per thread; it owns the scratch memory.
class Search {
 public:
  /// How the columns of gathered tables are stored. `automatic`: as bits, or as lists in large
  /// sparse tables. `lists`: always as lists, for tests.
  enum class Columns { automatic, lists };

  /// Without `covers`, expanding a node finds its children only.
  explicit Search(const SearchTable& table, bool covers = true,
                  Columns columns = Columns::automatic);

  void make_root(Node& node);
  /// Builds the node of the concept with this intent afresh; `last` is the rank of the attribute
  /// that generated it, as in the node that the walk from the root would build.
  void make_node(std::span<const Index> intent, std::int64_t last, Node& node);
  /// Fills node.branches, unless `stopped` ends that: then some may be missing.
  void expand(Node& node);
  /// Sets a function that is called from time to time within a long expansion; true ends it.
  void stop_when(std::function<bool()> stopped) { stopped_ = std::move(stopped); }
  /// Builds the child that `branch` of the expanded node `parent` leads to.
  void make_child(const Node& parent, const Branch& branch, Node& child);

  std::size_t n_attributes() const { return table_.table().n_attributes(); }

  /// Words and items moved so far: a measure of effort that is the same on every machine.
  std::uint64_t work() const { return work_; }

  /// Hash of the intent that `branch` leads to.
  std::uint64_t child_hash(const Node& node, const Branch& branch) const;
  /// True when no attribute outside the intent occurs in the extent although there are some: then
  /// the only lower cover has the empty extent.
  bool above_empty_extent(const Node& node) const {
    return !table_.iceberg() && node.table.ranks.empty() &&
           node.intent.size() < table_.table().n_attributes();
  }
  /// The largest support of a lower cover; 0 without any. Infrequent ones are counted when there is
  /// no frequent one.
  std::uint64_t largest_cover(const Node& node);
  /// The column sums of a node's concept.
  ColumnSums column_sums(const Node& node);
  /// The least number of objects of a face whose attribute a node's table leaves out.
  std::uint64_t smallest_hidden(const Node& node) const {
    if (!table_.iceberg()) return std::numeric_limits<std::uint64_t>::max();
    return node.support - std::min(node.support, least_support_ - 1);
  }
  /// A bound on the number of these attributes. If there are more, they have fewer objects, so
  /// their faces are larger and weigh no more together.
  std::size_t most_hidden(const Node& node) const;
  /// Whether `tops` finds the complements of all faces of a node, whatever the limits.
  bool has_all_tops(const Node& node) const {
    return !node.table.whole() && !node.table.listed() && node.table.n_rows <= word_bits &&
           node.support <= Tops::most_weight && (!table_.iceberg() || node.rare.known);
  }
  /// The complements of an expanded node's extent faces over the rows that matter. There may be
  /// more sets than faces. Faces beyond the limits may be left out; `whole` is set if none is.
  /// False if there are too many rows.
  bool tops(const Node& node, const FaceLimits& limits, Tops& tops, bool& whole);
  /// The extent faces of an expanded node that are larger than the smallest by at most `excess`. Of
  /// the faces beyond the limits only the smallest is needed. False if some were left out.
  bool extent_faces(const Node& node, std::uint64_t excess, const FaceLimits& limits,
                    FaceFamily& family);

 private:
  static std::size_t first_later(const Node& node);
  /// True when a node's table has nothing after the attribute that generated it.
  static bool is_leaf(const Node& node) {
    return node.table.ranks.empty() || std::int64_t{node.table.ranks.back()} <= node.last;
  }
  std::size_t first_leader(const Node& node) const;
  static bool is_maximal(const Node& node, Index column, std::span<const Word> supersets);
  template <class RowsOf, class ColumnsOf, class Has>
  void expand_lists(Node& node, std::size_t pause, const RowsOf& rows_of,
                    const ColumnsOf& columns_of, const Has& has);
  void expand_root(Node& node);
  void expand_listed(Node& node);
  void expand_dense(Node& node);
  void expand_sparse(Node& node);
  static void inherit_containers(const Node& parent, Node& child);
  void add_branch(Node& node, Index column, std::span<const Index> supersets);
  void select_rows(const Node& parent, const Branch& branch, Node& child);
  static void clear_table(Node& child);
  void gather(ListsView lists, std::span<const Index> chosen, std::span<const Index> ranks,
              Node& child);
  void gather_rows(Node& node);
  void gather_few_rows(Node& child);
  template <class RankOf>
  void gather_words(Node& child, std::size_t n_items, const RankOf& rank_of);
  std::size_t take_items(ListsView lists, std::span<const Index> chosen);
  void count_items(std::size_t n_items, bool few);
  void write_columns(std::size_t n_items, Node& child);
  static void start_lists(std::span<const Index> lengths, Lists& lists);
  static void list_columns(std::span<const Index> columns, std::span<const Index> rows,
                           Node& child);
  void set_alone_aside(Node& child);
  static void add_rare(Node& child, Word column);
  void take_rare(const Node& parent, Node& child);
  void compress(const Node& parent, const Branch& branch, Node& child);
  void merge_rows(Node& child);
  void sort_rows(Node& child);
  void merge_neighbours(Node& child);
  void take_groups(Node& child);
  std::span<const Index> rows_of(const Node& node);
  void add_weights(const Node& node, std::vector<Index>& weights) const;
  void count_hidden(const Node& node);
  static std::uint64_t largest_column(const Node& node);
  template <class Chosen>
  std::size_t unite_lacked(const Node& node, const Chosen& chosen);
  const std::vector<Word>& pack_union(const Node& node, const std::vector<Word>& bundle,
                                      std::size_t stride, std::size_t n_rows);
  template <class Chosen>
  void add_packed_faces(const Node& node, const Chosen& chosen, FaceFamily& family);
  bool tops_of_near_covers(const Node& node, const FaceLimits& limits, Tops& tops, bool& whole);

  /// Whether to end the expansion. Calls `stopped_` at every `pause`-th column only.
  bool stopped_at(std::size_t column, std::size_t pause) const {
    return column % pause == pause - 1 && stopped_ && stopped_();
  }

  // Scratch memory, kept from one call to the next. Each group belongs to one step.

  /// Expanding a node.
  struct Expansion {
    std::vector<Word> complement;  // of the bundle
    std::vector<Index> leaders;    // columns that are in no column of a lower rank
    std::vector<Word> supersets;   // of each leader, as a set of columns
    std::vector<Index> members;    // the columns that contain the current one
  };
  /// Packing a child's table out of its parent's.
  struct Packing {
    std::vector<Word> mask;  // the child's rows among the parent's
    Array<Index> kept;       // columns that stay
    Array<Index> dropped;    // columns that become infrequent
    std::vector<Word> words;
    std::vector<Index> counts;    // rows of each column
    std::vector<Index> supports;  // objects of each column
    std::vector<Index> plane_counts;
  };
  /// Gathering a table from the lists of its rows. An item is an entry of such a list.
  struct ListScratch {
    std::vector<Index> chosen;  // places of the rows among the lists
    std::vector<Index> items;   // the items of all chosen rows
    std::vector<Index> row_of_item;
    Array<Index> present;              // the different items
    std::vector<Index> kept;           // those that become columns
    std::vector<Index> occurrences;    // rows of each item; all zero between calls
    std::vector<Index> extra_objects;  // objects beyond one per row; all zero between calls
    std::vector<Index> column_of;      // 1 + the column of each item; all zero between calls
    std::vector<Word> column_words;    // by attribute; all zero between calls
  };
  /// Merging equal rows.
  struct Merging {
    RowGroups groups;
    std::vector<Index> weights;
  };
  /// Reducing the columns of infrequent attributes.
  struct RareScratch {
    std::vector<Word> sets;  // for keep_maximal
  };
  /// Faces and sums. "Hidden" attributes are those that an iceberg leaves out of a node's table.
  struct FaceScratch {
    std::vector<Index> hidden;         // those that occur
    std::vector<Index> hidden_counts;  // objects by attribute; all zero between calls
    std::vector<Index> rows;           // numbers of the rows of an anonymous table
    std::vector<Word> united;          // a set of rows
  };

  const SearchTable& table_;
  std::function<bool()> stopped_;
  bool covers_;
  Columns columns_;
  std::uint64_t least_support_;  // of a column that a node's table keeps
  bool merges_rows_;             // equal rows may be merged
  bool keeps_rare_;              // small tables keep the columns of infrequent attributes
  const Kernels& kernels_;
  std::uint64_t work_ = 0;
  Expansion expansion_;
  Packing packing_;
  ListScratch lists_;
  Merging merging_;
  RareScratch rare_;
  FaceScratch faces_;
};

}  // namespace conceptrank
