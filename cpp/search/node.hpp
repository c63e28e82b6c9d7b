// Node: one node of the search tree. It has four parts:
//   - the concept (NodeConcept): intent, support, and how the search reached it;
//   - the dense table (NodeTable): the table restricted to the rows of the extent and to the
//     attributes that some, but not all, of these rows have;
//   - the rare columns (RareColumns): in an iceberg, the columns of infrequent attributes, which
//     are not in the dense table but decide how stable a concept of few objects is;
//   - the branches: what `Search::expand` found.
//
// The legal combinations. `Node::check` asserts them in builds with assertions.
//
//   rows of the table | bits, rank columns | row lists | weights | rare columns
//   ------------------+--------------------+-----------+---------+-------------
//   whole             | columns, no bits   | no        | no      | none
//   numbered          | bits               | maybe     | maybe   | maybe
//   numbered          | columns as lists   | yes       | maybe   | none
//   anonymous         | bits               | no        | maybe   | none
//
//   - `whole` is the root of a sparse table. Its columns are read from the lists of SearchTable.
//   - Columns are lists if bits would take much more memory, as in large sparse tables. Such a
//     table has row lists.
//   - Row lists exist only in tables of more than tuning::listed_columns columns.
//   - Where rows have weights, every column has its support besides its number of rows.
//   - Rare columns need at most 64 rows.
#pragma once

#include <cassert>
#include <limits>

#include "cpp/search/planes.hpp"

namespace conceptrank {

/// A group of equal columns that is maximal, or whose closure is a child, or both.
struct Branch {
  Index column = 0;         // the first column of the group
  std::uint32_t begin = 0;  // the columns that contain it, itself included: the closure adds these
  std::uint32_t end = 0;
  std::uint64_t support = 0;
  bool cover = false;  // the closure is a lower cover
  bool child = false;  // the closure is a child in the tree, and frequent
};

/// The concept of a node.
struct NodeConcept {
  std::vector<Index> intent;  // attribute numbers of the table, ascending
  std::uint64_t support = 0;
  std::uint64_t hash = 0;  // exclusive or of the keys of the intent's attributes
  std::int64_t last = -1;  // rank of the attribute that generated it; -1 for the root
};

/// The table of a node: bit r of column c is set if row r has the attribute of rank ranks[c].
struct NodeTable {
  /// Which rows of the whole table these are.
  enum class Rows {
    whole,      // all of them; the columns are not copied
    numbered,   // those listed in `rows`
    anonymous,  // unknown: equal rows were merged, or the numbers were not needed any more
  };

  Rows row_mode = Rows::numbered;
  std::size_t n_rows = 0;
  std::vector<Index> rows;   // numbers of the rows in the whole table
  Array<Index> ranks;        // of the columns, ascending
  Array<Index> counts;       // rows of each column
  Array<Index> supports;     // objects of each column; empty where that is the number of rows
  Planes planes;             // objects of each row
  std::vector<Word> bundle;  // word w of column c is bundle[w * stride + c]
  std::size_t words = 0;     // of a column
  std::size_t stride = 0;
  // The columns of each row as lists, where these are shorter than the bundle; otherwise no list.
  // `values` may be longer than the lists need.
  Lists items;
  // The rows of each column as lists, if the columns are not stored as bits; otherwise no list.
  Lists columns;
  bool sorted = false;  // rows are nearly in order, so that equal ones are neighbours
  // In a wide table: the rank of another column that contains this one, or SearchTable::no_rank
  // where none is known. Empty: no such pair is known.
  std::vector<Index> containers;

  bool whole() const { return row_mode == Rows::whole; }
  bool listed() const { return columns.size() != 0; }
  bool numbered() const { return row_mode == Rows::numbered; }
  std::size_t n_columns() const { return ranks.size(); }
  void forget_items() { items.offsets.resize(1); }
  void forget_columns() { columns.offsets.resize(1); }
  Index support_of(std::size_t column) const {
    return supports.empty() ? counts[column] : supports[column];
  }
};

/// The columns of attributes that are infrequent among a node's rows, if these are at most 64.
struct RareColumns {
  bool known = false;
  std::vector<Word> columns;  // of at least two rows each; some may be equal
  Word single_rows = 0;       // the rows that are the only row of some attribute
  bool maximal = false;       // no column is a subset of another

  void clear() { known = maximal = false; }
};

struct Node : NodeConcept {
  NodeTable table;
  RareColumns rare;
  std::vector<Branch> branches;
  std::vector<Index> contained_in;  // column numbers; Branch::begin and end are places in it

  /// The memory of its parts.
  std::size_t bytes() const {
    return (table.bundle.capacity() + rare.columns.capacity()) * sizeof(Word) +
           (intent.capacity() + table.rows.capacity() + table.ranks.capacity() +
            table.counts.capacity() + table.supports.capacity() + table.containers.capacity() +
            contained_in.capacity()) *
               sizeof(Index) +
           branches.capacity() * sizeof(Branch) + table.items.bytes() + table.columns.bytes();
  }
  /// Asserts that the parts fit together.
  void check() const;
};

inline void Node::check() const {
#ifndef NDEBUG
  const std::size_t n = table.n_columns();
  assert(table.counts.size() == n);
  assert(table.supports.empty() || table.supports.size() == n);
  assert(table.planes.n == 0 || table.supports.size() == n);
  assert(table.containers.empty() || table.containers.size() == n);
  assert(!table.numbered() || table.rows.size() == table.n_rows);
  if (table.whole()) {
    assert(table.bundle.empty() && table.rows.empty() && table.planes.n == 0);
    assert(!table.listed());
  } else if (table.listed()) {
    assert(table.numbered() && table.bundle.empty() && table.columns.size() == n);
    assert(table.items.size() == table.n_rows);
    assert(!rare.known);
  } else {
    assert(table.words == words_for(table.n_rows));
    assert(table.bundle.size() == table.words * table.stride && table.stride >= n);
  }
  if (!table.numbered()) {
    assert(table.items.size() == 0);
    assert(!rare.known);
  }
  assert(table.items.size() == 0 || table.items.size() == table.n_rows);
  assert(!rare.known || table.n_rows <= word_bits);
  assert(!rare.maximal || rare.known);
#endif
}

}  // namespace conceptrank
