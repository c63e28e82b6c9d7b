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

#include <functional>
#include <limits>

#include "cpp/search/node.hpp"
#include "cpp/search/row_groups.hpp"
#include "cpp/search/search_table.hpp"
#include "cpp/search/tops.hpp"
#include "cpp/table/faces.hpp"
#include "cpp/table/statistics.hpp"

namespace conceptrank {

/// How many objects an extent face may have and still matter.
struct FaceLimits {
  std::uint64_t covers;  // that of a column of the node's table
  std::uint64_t hidden;  // that of an attribute which the table leaves out as infrequent
};

/// One object a thread: it owns the scratch memory.
class Search {
 public:
  /// Without `covers`, expanding a node finds its children only.
  explicit Search(const SearchTable& table, bool covers = true);

  void make_root(Node& node);
  /// Builds the node of the concept with this intent afresh; `last` is the rank of the attribute
  /// that generated it, as in the node that the walk from the root would build.
  void make_node(std::span<const Index> intent, std::int64_t last, Node& node);
  /// Fills node.branches, unless `stopped` ends that: then some may be missing.
  void expand(Node& node);
  /// Sets what is called now and then within a long expansion, and ends it when true.
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
    return !table_.iceberg() && node.ranks.empty() &&
           node.intent.size() < table_.table().n_attributes();
  }
  /// The largest support of a lower cover; 0 without any. Infrequent ones are counted when there is
  /// no frequent one.
  std::uint64_t largest_cover(const Node& node);
  /// The column sums of a node's concept.
  ColumnSums column_sums(const Node& node);
  /// How many objects a face of an attribute has at least which a node's table leaves out.
  std::uint64_t smallest_hidden(const Node& node) const {
    if (!table_.iceberg()) return std::numeric_limits<std::uint64_t>::max();
    return node.support - std::min(node.support, least_support_ - 1);
  }
  /// A bound on the number of these attributes. Where they are more, they have fewer objects, and
  /// so larger faces, and together weigh no more.
  std::size_t most_hidden(const Node& node) const;
  /// The complements of an expanded node's extent faces, over the rows that matter; there may be
  /// more sets than faces. Those of faces beyond the limits may be left out, `whole` says whether
  /// none is. False where rows are too many.
  bool tops(const Node& node, const FaceLimits& limits, Tops& tops, bool& whole);
  /// The extent faces of an expanded node that are at most `excess` larger than the smallest. Of
  /// those beyond the limits the smallest one is enough; false if some were left out.
  bool extent_faces(const Node& node, std::uint64_t excess, const FaceLimits& limits,
                    FaceFamily& family);

 private:
  static std::size_t first_later(const Node& node);
  /// True when a node's table has nothing after the attribute that generated it.
  static bool is_leaf(const Node& node) {
    return node.ranks.empty() || std::int64_t{node.ranks.back()} <= node.last;
  }
  std::size_t first_leader(const Node& node) const;
  static bool is_maximal(const Node& node, Index column, std::span<const Word> supersets);
  void expand_root(Node& node);
  void expand_dense(Node& node);
  void expand_sparse(Node& node);
  static void inherit_inside(const Node& parent, Node& child);
  void add_branch(Node& node, Index column, std::span<const Index> supersets);
  void select_rows(const Node& parent, const Branch& branch, Node& child);
  static void clear_table(Node& child);
  void gather(const Lists& lists, std::span<const Index> chosen, std::span<const Index> ranks,
              Node& child);
  void gather_rows(Node& node);
  void gather_few_rows(Node& child);
  template <class RankOf>
  void gather_words(Node& child, std::size_t n_items, const RankOf& rank_of);
  std::size_t take_items(const Lists& lists, std::span<const Index> chosen);
  void count_items(std::size_t n_items, bool few);
  void set_bits(std::size_t n_items, Node& child);
  void set_alone_aside(Node& child);
  static void add_rare(Node& child, Word column);
  bool lists_rare(const Node& node) const;
  void list_rare(Node& node);
  /// Whether a child of so many rows finds the columns of infrequent attributes in its parent.
  static bool inherits_rare(const Node& parent, std::size_t n_rows) {
    return parent.rare_known || (parent.rare_bundle.n != 0 && n_rows <= word_bits);
  }
  void take_listed_rare(const Node& parent, Node& child);
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

  /// Asks whether to end; at every `pause`-th column only.
  bool stopped_at(std::size_t column, std::size_t pause) const {
    return column % pause == pause - 1 && stopped_ && stopped_();
  }

  const SearchTable& table_;
  std::function<bool()> stopped_;
  bool covers_;
  std::uint64_t least_support_;  // of a column that a node's table keeps
  bool merging_;                 // equal rows may be brought together
  bool rare_matter_;             // small tables keep the columns of infrequent attributes
  const Kernels& kernels_;
  std::uint64_t work_ = 0;
  std::vector<Word> complement_;
  std::vector<Index> leaders_;
  std::vector<Word> supersets_;
  std::vector<Index> members_;
  Array<Index> kept_;
  Array<Index> dropped_;
  Array<Index> several_;
  std::vector<Index> chosen_;
  RowGroups groups_;
  std::vector<Word> mask_;
  std::vector<Word> union_;
  std::vector<Word> packed_;
  std::vector<Index> packed_counts_;
  std::vector<Index> packed_supports_;
  std::vector<Index> plane_counts_;
  std::vector<Index> group_weights_;
  std::vector<Index> items_;
  std::vector<Index> row_of_item_;
  std::vector<Index> occurrences_;  // rows by rank; all zero between calls
  std::vector<Index> further_;      // objects beyond one a row, by rank; likewise
  std::vector<Index> column_of_;    // by rank; scratch
  // Of the attributes that an iceberg leaves out of a node's table.
  std::vector<Index> hidden_;        // those that occur
  std::vector<Index> hidden_count_;  // objects by attribute; all zero between calls
  std::vector<Index> found_rows_;
  std::vector<Word> column_words_;  // by attribute; all zero between calls
  std::vector<Word> columns_;
};

}  // namespace conceptrank
