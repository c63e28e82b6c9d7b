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
#include "cpp/search/planes.hpp"

namespace conceptrank {

/// How a node compares the columns of its attributes.
enum class Comparison { automatic, bits, counts };
inline constexpr std::string_view comparison_names[] = {"automatic", "bits", "counts"};

/// A node. The limits hold for every concept at or below the node that meets the constraints; with
/// `Worth::strict`, only for those below it.
struct Subtree {
  std::vector<Index> intent;  // ascending
  Index decided = 0;          // attributes of a lower rank are excluded unless in the intent
  std::uint64_t support = 0;  // the largest support
  std::uint64_t delta = 0;    // the largest Δ
  std::uint64_t longest = 0;  // the largest number of attributes
  bool bottom = false;        // whether the concept of all attributes can be there
  bool leaf = false;          // whether nothing below is worth a look
  std::uint64_t own_support = 0;
  std::uint64_t own_delta = 0;
  bool counts = false;  // whether the node's own concept meets the constraints
};

/// Which children are worth finding, and what to find out about them.
struct Worth {
  std::uint64_t support = 0;  // the least that their limits must reach
  std::uint64_t delta = 0;
  std::uint64_t sum = 0;     // of the first marks
  bool limit_length = true;  // whether to find a sharp limit on the number of attributes
  bool strict = false;       // whether the caller looks at the children's own concepts at once
};

/// The result of expanding a node: its own concept, and its children.
struct Expanded {
  std::uint64_t support = 0;
  std::uint64_t delta = 0;
  bool counts = false;  // whether the concept itself meets the constraints
  std::vector<Subtree> children;
  // Sums of marks: for each child and all marks, those of its own concept, then the largest ones.
  std::vector<Index> sums;
};

class Tree {
 public:
  Tree(const Table& table, Constraints constraints, Comparison comparison = Comparison::automatic);

  const Table& table() const { return table_; }
  const Constraints& constraints() const { return constraints_; }
  /// The root; none if no concept meets the constraints.
  std::optional<Subtree> root() const { return root_; }
  /// From now on, also computes sums over the objects of every child: `of_objects` has one whole
  /// number per listed object. All of them, times the weights, must add up to less than 2^32.
  void add_marks(std::span<const Index> of_objects);
  std::size_t n_marks() const { return marks_.size(); }

 private:
  friend class Expander;

  /// A whole number per row: the rows where it is not 0, and what it exceeds 1 by there.
  struct Marks {
    std::vector<Index> of_row;
    std::vector<Word> rows;
    Planes more;
  };

  const Table& table_;
  Constraints constraints_;
  Comparison comparison_;
  std::vector<Index> attribute_;  // by rank: forbidden, then any_of, then the others
  std::vector<Index> rank_;       // by attribute
  Index any_of_end_ = 0;          // ranks before it are forbidden or in any_of
  bool bottom_ = false;           // whether the concept of all attributes counts
  std::optional<Subtree> root_;
  std::vector<Marks> marks_;
  void make_bundle();

  // Of dense tables: the columns in the order of ranks as a bundle, and the weights of its rows. If
  // few rows repeat, the bundle has a row for each object, as bits of weights would cost more.
  std::vector<Index> row_of_copy_;  // by row of the bundle; empty if these are the table's rows
  std::size_t words_ = 0;
  std::size_t stride_ = 0;
  std::vector<Word> bundle_;
  Planes weights_;
};

/// Expands nodes of a tree, and reuses its memory from one to the next: one object per thread.
class Expander {
 public:
  explicit Expander(const Tree& tree);
  /// The node's concept and children; none if the budget stops it. `polls` says whether this thread
  /// may check the clock.
  std::optional<Expanded> expand(const Subtree& node, const Worth& worth, Budget& budget,
                                 bool polls);

 private:
  /// Finds the extent, and the attributes that some but not all of its objects have.
  void gather(const Subtree& node, bool lengths);
  void list_rows();
  /// The extent as rows of the tree's bundle.
  void copy_extent(const Subtree& node);
  bool compares_bits() const;
  /// Makes the columns of these attributes and the marks of these rows, out of the tree's bundle or
  /// row by row.
  void pack_columns();
  void make_columns();
  void make_lists();
  void copy_first();
  /// Sums up the marks of each slot.
  void add_up_marks();
  /// Counts the objects that a slot shares with each other slot. False if the closure is a child of
  /// another node, or its Δ is too small. The first slots often show this, because they are the
  /// most frequent.
  bool compare(std::size_t slot, const Worth& worth);
  /// Calls `visit(other)` for the later slots that the closure does not add.
  template <class Visit>
  void for_later(std::size_t slot, Visit&& visit) const;
  /// The largest support of a concept below with at least `missing` further attributes.
  std::uint64_t support_with(std::size_t slot, std::uint64_t missing);
  /// The largest sum of marks of a concept below.
  Index sum_below(std::size_t slot, std::size_t marks);
  /// Δ of the concept that the slot leads to, once it is compared.
  std::uint64_t own_delta(std::size_t slot) const;
  template <class Visit>
  void for_rows(std::size_t slot, Visit&& visit) const;

  /// Marks of the node's rows.
  struct Marks {
    std::vector<Word> rows;
    Planes more;
    std::vector<Index> sums;  // by slot
  };

  const Tree& tree_;
  const Kernels& kernels_;
  std::vector<Word> extent_;
  std::size_t n_rows_ = 0;
  std::uint64_t support_ = 0;
  bool from_bundle_ = false;
  std::vector<Index> rows_;  // of the extent, unless the bundle is enough
  // The attributes that are neither in the intent nor in no row.
  std::vector<Index> counts_;  // by attribute or rank
  std::vector<Index> scratch_;
  std::vector<Index> slot_of_;   // by attribute
  std::vector<Index> slots_;     // attributes in the order of ranks
  std::vector<Index> ranks_;     // by slot
  std::vector<Index> supports_;  // by slot
  std::vector<Index> all_;       // 0, 1, 2, …
  bool as_bits_ = false;
  std::size_t words_ = 0;
  std::size_t stride_ = 0;
  std::vector<Word> columns_;  // a bundle of the slots
  std::vector<Word> first_;    // a copy of the first slots as a separate bundle
  Planes weights_;
  std::vector<Marks> marks_;
  Lists lists_;                   // by slot: rows as numbers
  std::vector<Index> undecided_;  // by row: attributes that may still be added
  // Of the slot that is being compared.
  std::uint64_t nearest_ = 0;  // least number of objects that an excluded attribute loses
  std::vector<Index> added_;   // slots of the attributes that the closure adds
  std::vector<Word> mask_;     // its column
  std::vector<Word> marked_;
  std::vector<Index> together_;  // by slot: objects that have both attributes
  std::vector<Index> sums_;
  std::vector<std::uint64_t> largest_;
};

}  // namespace conceptrank
