// Reader: the probability of every cell of a table for a reader who knows its margins and some
// patterns.
//
// A unit is what a cell may have: an attribute, or a value of a column. A free unit depends on how
// rich its row is. The richness of a row is one of a few classes with estimated shares, and in
// class c a free unit u has the log-odds a_c + b_u: a Rasch model whose rows have a nonparametric
// distribution. Given its class, the cells of a row are independent. The class of a row is unknown;
// the rest of the row says how likely each one is. Any other unit has its frequency among the rows
// whose column is known and, if its column depends on another one, in the same state of that one.
//
// A pattern that is told has carriers: rows that have all or most of its units. Their cells in its
// columns are closed: a unit has the share there that it has among the carriers. The model is
// fitted to the open cells. So a row may be the union of patterns.
#pragma once

#include <span>
#include <vector>

#include "cpp/base/words.hpp"

namespace conceptrank {

/// The columns of a table.
struct ColumnLayout {
  std::vector<Index> column;  ///< of each unit
  std::vector<std::uint8_t>
      free;                   ///< of each column: whether it is one unit that depends on richness
  std::vector<Index> parent;  ///< of each column: which of `states` it depends on, or `none`
  Lists states;               ///< the state of each row, list by list
  std::vector<Index> state_column;  ///< the column of each list

  static constexpr Index none = ~Index{0};
};

/// Some units, the rows that carry them, and how much better the table is explained by them.
struct Explanation {
  std::vector<Index> units;  ///< ascending
  std::vector<Index> rows;   ///< the carriers
  double gain = 0;           ///< in nats
};

class Reader {
 public:
  /// A larger set is not explained.
  static constexpr std::size_t most_units = word_bits;
  /// A carrier has all units that are not free, and at least half of all. On average, carriers have
  /// at least this share of the units.
  static constexpr double least_share = 0.75;
  /// The rows that have all of some units.
  struct Support {
    double found = 0;
    double expected = 0;  ///< by all that was told
    double variance = 0;  ///< given the numbers of crosses in the columns
  };
  /// The rows among some whose column of a unit is known.
  struct Presence {
    double rows = 0;
    double found = 0;     ///< those that have the unit
    double expected = 0;  ///< by the margins and the rest of each row
    double variance = 0;  ///< given the number of all rows that have the unit
  };

  Reader(Lists rows, std::vector<Index> weights, ColumnLayout layout, bool richness);

  std::size_t n_rows() const { return rows_.size(); }
  std::size_t n_units() const { return layout_.column.size(); }
  double n_objects() const { return n_; }
  std::span<const Index> row(std::size_t row) const { return rows_[row]; }
  std::span<const Index> rows_of(Index unit) const { return unit_rows_[unit]; }
  double weight(std::size_t row) const { return weights_[row]; }
  double support(Index unit) const { return supports_[unit]; }
  Index column(Index unit) const { return layout_.column[unit]; }
  bool is_free(Index unit) const { return layout_.free[layout_.column[unit]] != 0; }
  std::size_t bytes() const;
  /// The log-odds that each class adds, its share of the rows, and the levels of the units.
  std::span<const double> richness() const { return richness_; }
  std::span<const double> log_shares() const { return log_share_; }
  std::span<const double> levels() const { return level_; }

  /// The rows that have all of some units.
  std::vector<Index> extent(std::span<const Index> units) const;
  /// The carriers of some units, and the gain of telling them.
  Explanation explain(std::span<const Index> units) const;
  Support support(std::span<const Index> units) const;
  Presence presence(Index unit, std::span<const Index> rows) const;
  /// How many of some rows have each unit, and how many are expected to.
  void count(std::span<const Index> rows, std::vector<double>& found,
             std::vector<double>& expected) const;
  /// The share of some rows that carry a told pattern.
  double share_told(std::size_t pattern, std::span<const Index> rows) const;
  void tell(const Explanation& pattern);

 private:
  struct Probe;
  struct Told {
    std::vector<Index> rows;
    std::vector<std::pair<Index, double>> shares;  // of units, ascending
    double share(Index unit) const;
  };

  std::size_t n_classes() const { return richness_.size(); }
  std::size_t n_columns() const { return layout_.free.size(); }
  bool open(Index column, Index row) const {
    return closed_by_[column].empty() || closed_by_[column][row] == 0;
  }
  bool known(Index column, Index row) const {
    return known_[column].empty() || test_bit(known_[column].data(), row);
  }
  Index state(Index column, Index row) const {
    return layout_.parent[column] == ColumnLayout::none
               ? 0
               : layout_.states[layout_.parent[column]][row];
  }
  double chance_given(Index unit, Index other) const;
  void fit(int steps);
  void fit_tables();
  void group_rows();
  double maximize(int steps);
  void update_classes();
  void weigh_open_cells();
  std::vector<Index> eligible(std::span<const Index> units) const;
  double closed_sum(std::span<const Index> closed, std::size_t c) const;

  Lists rows_;
  Lists unit_rows_;
  std::vector<Index> weights_;
  double n_ = 0;
  ColumnLayout layout_;
  Lists column_units_;
  std::vector<double> supports_;
  std::vector<std::vector<Word>> known_;               // by column, as bits; empty if all are
  std::vector<std::vector<std::uint16_t>> closed_by_;  // by column and row: 1 + the pattern
  std::vector<Told> told_;
  std::vector<std::vector<std::uint16_t>> told_of_;  // of each row
  // Of open cells, by unit: the cells and the crosses.
  std::vector<double> cells_;
  std::vector<double> crosses_;
  // Units that are not free: the probability by state, from `table_start_` on.
  std::vector<std::size_t> table_start_;
  std::vector<double> table_;
  std::vector<double> first_table_;  // before any pattern was told
  // Free units. Rows with the same closed free units and as many crosses in open ones form a group.
  std::vector<Index> free_units_;
  std::vector<double> richness_;
  std::vector<double> log_share_;
  std::vector<double> level_;
  std::vector<double> log_absent_;   // ln(1 - p), class after class
  std::vector<double> chance_;       // p, class after class
  std::vector<double> open_weight_;  // the rows in which a unit is open, class after class
  std::vector<double> all_absent_;   // the sum of log_absent_ over the free units, by class
  std::vector<Index> signature_;     // of each row: a list of `signatures_`
  std::vector<std::vector<Index>> signatures_;
  std::vector<Index> group_;  // of each row
  std::vector<Index> group_signature_;
  std::vector<Index> group_crosses_;
  std::vector<double> group_weight_;
  std::vector<double> likelihood_;  // of each group: ln of the likelihood, by class
  std::vector<double> posterior_;   // of each group: of the classes
};

}  // namespace conceptrank
