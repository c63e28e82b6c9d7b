// Surprise: the search for the candidate that surprises a reader most.
//
// The reader's model gives every open cell of the table a probability. An object belongs to a class
// of richness, and the cells of an object are independent given its class; the class is unknown,
// but the object's row says how likely each one is. A cell that a taught tile covers has the
// density of the tile. Objects outside a tile may carry its pattern with a small probability; they
// tell less about candidates that share two units with it. A unit is an attribute, or several
// attributes of one scaled column taken together.
//
// The gain of a candidate is the logarithm of a likelihood ratio. The alternative is that a share π
// of the objects carries the candidate: a carrier has all its units. The other objects have each
// unit less often than the model says, so that the column keeps its number of crosses. The ratio is
// averaged over some shares π. The largest of these ratios is the statistic of a test: under the
// model, twice its logarithm is 0 or distributed as χ² with one degree of freedom (Wilks).
//
// The best candidate maximizes gain * wholeness among those whose ratio exceeds their cost. A
// further attribute loses a share of the candidate's objects; the wholeness is the least of these
// shares, each over the share of all objects that lack the attribute, and at most 1. A fragment of
// a larger pattern has a low one.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "cpp/base/budget.hpp"
#include "cpp/base/words.hpp"
#include "cpp/table/table.hpp"

namespace conceptrank {

class Surprise {
 public:
  struct Candidates {
    Lists intents;                 ///< the attributes of every candidate
    Lists units;                   ///< its units
    std::vector<double> supports;  ///< the number of objects that have them
    std::vector<double> costs;     ///< what the ln ratio of the best share π must exceed
  };
  /// What the reader knows. Rows in the same tiles whose classes are equally likely form a group.
  /// The log-odds of a free unit in a class are the richness of the class plus a level of the unit;
  /// other units have the same probability in all classes.
  struct Background {
    std::vector<Index> group;        ///< of each distinct row
    std::vector<Index> signature;    ///< of each group: the tiles that its rows are in
    std::vector<Index> doubt;        ///< of each group: which row of `carrying` is theirs
    std::vector<double> posterior;   ///< of the classes, group after group
    std::vector<double> densities;   ///< of the units, signature after signature; 0 in open cells
    std::vector<double> carrying;    ///< chances to carry the tiles without being in them, by row
    std::vector<double> tiles;       ///< p over density of the units, tile after tile; 0 outside
    std::vector<double> richness;    ///< log-odds of the classes, the poorest first
    std::vector<double> log_chance;  ///< ln p of the units, class after class
    std::vector<double> carriers;    ///< the shares π
    std::vector<double> log_ratio;   ///< ln p'/p by share and unit; p' is that of no carriers
    std::vector<double> totals;      ///< ln of the ratio of each column, by share and unit
  };
  struct Evidence {
    double gain;   ///< ln of the likelihood ratio, averaged over the shares π
    double ratio;  ///< ln of that with the best share
  };
  struct Best {
    std::size_t candidate;
    double wholeness;
    Evidence evidence;
  };
  struct Strongest {
    std::size_t place;
    Evidence evidence;
  };

  /// The table must outlive the search. `free` says which units depend on the richness.
  Surprise(const Table& table, Candidates candidates, std::vector<std::uint8_t> free);

  std::size_t size() const { return candidates_.supports.size(); }
  std::size_t n_units() const { return free_.size(); }
  const Table& table() const { return table_; }

  /// Tiles are only added, densities only grow, and the shares π are always the same. Throws
  /// std::invalid_argument if the sizes don't match.
  void set_background(const Background& background);
  /// Leaves a candidate out from now on.
  void drop(std::size_t candidate);
  /// The evidence for any intent, given as attributes and as units.
  Evidence evidence(std::span<const Index> intent, std::span<const Index> units) const;
  /// An upper bound of a candidate's ratio, from earlier backgrounds.
  double bound(std::size_t candidate);
  /// The wholeness of any intent.
  double wholeness(std::span<const Index> intent) const;
  /// The intent with the largest gain, the first of equal ones; none if no gain is above 0.
  std::optional<Strongest> strongest(ListsView intents, ListsView units,
                                     std::span<const double> supports) const;
  /// The best candidate, the first of equal ones; none if no ratio exceeds its cost.
  std::optional<Best> best(unsigned threads, Budget& budget);

 private:
  struct Scratch;
  void add_drift(const Background& next);
  std::vector<double> levels(const Background& background) const;
  std::vector<double> log_moments(const Background& background) const;
  std::size_t row_list(std::size_t candidate) const;
  double row_drift(std::size_t candidate);
  double largest_row_drift(std::size_t candidate) const;
  double relative_loss(std::size_t attribute, double having, double objects) const;
  double wholeness(std::span<const Index> intent, Scratch& scratch) const;
  void collect(std::span<const Index> intent, std::span<const Index> units, Scratch& scratch) const;
  void doubt_tiles(std::span<const Index> units, Scratch& scratch) const;
  void open_part(std::span<const Index> units, Index signature, Scratch& scratch) const;
  void start(std::span<const Index> units, double support, Scratch& scratch) const;
  double worth(Index group, const Scratch& scratch) const;
  void list_groups(Scratch& scratch) const;
  void list_parts(Scratch& scratch) const;
  void add_terms(std::span<const Index> units, Scratch& scratch) const;
  void sum_log_ratios(std::span<const Index> units, Scratch& scratch) const;
  double exact_gain(std::span<const Index> units, Scratch& scratch) const;
  double largest_gain(std::span<const Index> units, Scratch& scratch) const;
  void sum_drifts(std::size_t candidate, Scratch& scratch) const;
  double remembered(std::size_t candidate, Scratch& scratch) const;
  void remember(std::size_t candidate, Scratch& scratch);
  void count_open(std::size_t candidate, const Scratch& scratch);
  void refine(std::size_t candidate, Scratch& scratch);
  double quick_bound(std::span<const Index> units, double support, Scratch& scratch) const;
  void bound_all(unsigned threads, Budget& budget, std::vector<Scratch>& scratches);
  void evaluate(std::size_t candidate, double best_score, Scratch& scratch);
  bool may_pay(std::size_t candidate, double ratio) const;
  static double largest(const Scratch& scratch);
  double averaged(const Scratch& scratch) const;

  const Table& table_;
  Candidates candidates_;
  std::vector<std::uint8_t> free_;
  std::size_t n_units_;
  // The wholeness of each candidate, or what it is at most. A candidate of one unit has the support
  // that the margins say: its wholeness counts as 0.
  std::vector<double> wholeness_;
  std::vector<std::uint8_t> wholeness_known_;
  std::size_t n_classes_ = 0;
  std::size_t n_shares_ = 0;
  std::size_t n_signatures_ = 0;
  std::size_t n_tiles_ = 0;
  Background background_;           // the tables by share are unit after unit here
  std::vector<double> log_free_;    // ln(1 - π) of the shares
  std::vector<Index> doubtful_;     // tiles that objects outside may carry
  std::vector<Word> tile_units_;    // the units of each of these as bits
  std::vector<Word> closed_units_;  // those of each signature that its tiles cover, as bits
  std::vector<Word> group_rows_;    // the rows of each group as bits, if groups are few
  // A gain is at most what it would be if all objects were in the poorest class, whose ln p is
  // `lowest_`. The ln ratio of a share that was at most so much for an earlier background, without
  // the terms of the columns, can only rise by as much as the drifts since then: `drift_` adds up
  // how far ln p of each unit fell by share, for each object that has the candidate with the unit
  // in an open cell, `closing_` the same for cells that tiles cover, and `row_drift_` how far each
  // row's chances moved to poorer classes, for candidates of some numbers of units. `known_` is
  // what the ln ratios of each candidate were at most when it was last looked at, less the drifts
  // until then.
  std::vector<double> lowest_;
  std::vector<double> drift_;
  std::vector<double> closing_;
  std::vector<std::size_t> row_sizes_;  // the numbers of units
  // A list of rows for each of these numbers, times the weights of the rows. `row_changes_` counts
  // the backgrounds that changed them, and `most_row_drift_` adds up the largest drifts of an
  // object.
  std::vector<std::uint64_t> row_drift_;
  std::vector<double> most_row_drift_;
  Index row_changes_ = 0;
  // The sum over the rows of each candidate after so many changes, and the largest drifts then.
  struct RowSum {
    double drift = 0;
    double most = 0;
    Index changes = 0;
  };
  std::vector<RowSum> row_sums_;
  std::vector<double> known_;
  // Of each unit of each candidate: the objects that had it in an open cell when the candidate was
  // last looked at.
  std::vector<double> open_objects_;
  // The scores of the candidates for this background, or what they are at most, and the gains that
  // were computed. The heap has the candidates that may pay, the largest score first.
  bool bounded_ = false;
  double last_score_ = 0;
  std::vector<double> scores_;
  std::vector<double> gains_;
  std::vector<double> ratios_;
  std::vector<Index> heap_;
};

}  // namespace conceptrank
