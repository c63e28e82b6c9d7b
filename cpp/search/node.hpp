// Node: a node of the search tree: a concept, the table restricted to its extent, and what
// expanding it found.
#pragma once

#include <limits>

#include "cpp/search/planes.hpp"

namespace conceptrank {

/// A group of equal columns that is maximal, or whose closure is a child, or both.
struct Branch {
  Index column = 0;         // the first column of the group
  std::uint32_t begin = 0;  // the columns that contain it, itself included: what its closure adds
  std::uint32_t end = 0;
  std::uint64_t support = 0;
  bool cover = false;  // the closure is a lower cover
  bool child = false;  // the closure is a child in the tree, and frequent
};

/// Columns of attributes that are infrequent among a node's rows, as a bundle of as many words as
/// the node has. One more column holds the rows that have such an attribute all by themselves.
struct RareBundle {
  std::vector<Word> bits;
  std::size_t n = 0;  // 0: not listed
  std::size_t stride = 0;
};

struct Node {
  // The concept.
  std::vector<Index> intent;  // attribute numbers of the table, ascending
  std::uint64_t support = 0;
  std::uint64_t hash = 0;
  std::int64_t last = -1;  // rank of the attribute that generated it

  // Its table: bit r of column c says that row r has the attribute of rank ranks[c].
  std::size_t n_rows = 0;
  bool numbered = true;     // false: it is not known which rows of the whole table these are
  std::vector<Index> rows;  // numbers of the rows in the whole table
  Array<Index> ranks;       // ascending
  Array<Index> counts;      // rows of each column
  Array<Index> supports;    // objects of each column; empty where that is the number of rows
  Planes planes;            // objects of each row
  std::vector<Word> bundle;
  std::size_t words = 0;
  std::size_t stride = 0;
  // The columns of each row as lists, where that is shorter than the bundle; else no list. There
  // may be room for more values.
  Lists items;
  // Columns that told rows apart when these were last compared.
  std::size_t compared_columns = std::numeric_limits<std::size_t>::max();
  bool sorted = false;  // rows are nearly in order, so that equal ones are neighbours

  // In a wide table: the rank of another column that contains this one, or no_rank where none is
  // known. Empty: none is known at all.
  std::vector<Index> inside;

  // In an iceberg, where rows are few: the columns of the attributes that are infrequent here, and
  // so have none in the table. Some may be equal; those of one row are only marked.
  bool rare_known = false;
  bool rare_maximal = false;  // none of these columns lies inside another
  std::vector<Word> rare;
  Word rare_alone = 0;
  // Where rows are more, but many children have few: the same for these.
  RareBundle rare_bundle;

  // What expanding it found.
  std::vector<Branch> branches;
  std::vector<Index> contained_in;  // column numbers; Branch::begin and end point here

  bool root = false;
  std::size_t n_columns() const { return ranks.size(); }
  void forget_items() { items.offsets.resize(1); }
  /// The memory of its table and of what expanding it found.
  std::size_t bytes() const {
    return (bundle.capacity() + rare.capacity() + rare_bundle.bits.capacity()) * sizeof(Word) +
           (intent.capacity() + rows.capacity() + ranks.capacity() + counts.capacity() +
            supports.capacity() + inside.capacity() + contained_in.capacity()) *
               sizeof(Index) +
           branches.capacity() * sizeof(Branch) + items.bytes();
  }
  Index support_of(std::size_t column) const {
    return supports.empty() ? counts[column] : supports[column];
  }
};

}  // namespace conceptrank
