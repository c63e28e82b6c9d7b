// IntentWalk: for many fixed sets of attributes, which rows of a table have them, how many objects
// these are, and whether the sets are closed there. The sets are arranged once by their common
// beginnings, and then serve any number of tables. A walk over the beginnings intersects columns
// once for all sets that share one, and skips the sets below a beginning that no object has.
#pragma once

#include <optional>

#include "cpp/base/budget.hpp"

namespace conceptrank {

class IntentWalk {
 public:
  /// Each set ascending, without repetition, below n_attributes. Throws std::invalid_argument
  /// otherwise.
  IntentWalk(ListsView intents, std::size_t n_attributes);

  std::size_t n_intents() const { return order_.size(); }
  std::size_t n_attributes() const { return n_attributes_; }

  struct Counts {
    std::vector<Index> supports;  // number of objects that have the whole set
    std::vector<std::uint8_t>
        closed;  // whether these objects share no other attribute; empty unless requested
  };
  /// For the table with these rows, ascending lists. The order is that of the sets given.
  Counts count(ListsView rows, bool closed, Budget& budget) const;

  /// The rows that have each set, ascending, in the order of the sets given. Rows are
  /// ascending lists. With `lacking`, which has a list of attributes per set, only the rows that
  /// lack one of them. After a stop, the lists are incomplete.
  Lists match(ListsView all, std::optional<ListsView> lacking, unsigned threads,
              Budget& budget) const;

 private:
  // A beginning: one attribute more than the last one before it that has one attribute less.
  struct Node {
    Index attribute;
    Index depth;  // number of attributes
    Index next;   // the first node that doesn't begin with this one
    Index first;  // the sets that are just this beginning: order_[first .. last)
    Index last;
  };
  template <class Columns, class Record, class Stopped>
  void walk(const Columns& columns, std::size_t n_rows, std::size_t few, Record&& record,
            Stopped&& stopped) const;

  std::size_t n_attributes_;
  std::size_t depth_ = 0;     // of the longest set
  std::size_t n_empty_ = 0;   // empty sets come first in order_
  std::vector<Node> nodes_;   // depth first
  std::vector<Index> order_;  // the sets in the order of the walk
  std::vector<Index> whole_;  // the sets of all attributes
};

}  // namespace conceptrank
