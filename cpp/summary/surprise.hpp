// Surprise: the search for the candidate that surprises a reader most.
//
// The reader's model gives every cell of the table a probability. An object belongs to a class of
// richness, and its class is unknown; the cells of an object are independent given its class. A
// cell that a taught tile covers has the density of the tile instead, if that is larger. The
// expected support of a candidate is the sum over all objects of the chance that the object has all
// units of the candidate. A unit is an attribute, or several attributes of one scaled column taken
// together.
//
// The gain of a candidate with support s and expected support e is -ln P(X >= s) for a binomial X
// with n trials and mean e, or 0 if s <= e. By Hoeffding (1956), the model gives a support of s >=
// e + 1 at most that probability. The best candidate maximizes gain * Δ / s among those whose gain
// exceeds their cost. Δ is s less the largest support of a sub-concept; it is computed when the
// gain alone can't decide.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cpp/base/budget.hpp"
#include "cpp/base/words.hpp"
#include "cpp/table/table.hpp"

namespace conceptrank {

/// -ln P(X >= support) for a binomial X with n trials and mean `expected`; 0 if support <=
/// expected.
double surprise_gain(double n, double support, double expected);

class Surprise {
 public:
  struct Candidates {
    Lists intents;                 ///< the attributes of every candidate
    Lists units;                   ///< its units
    std::vector<double> supports;  ///< the number of objects that have them
    std::vector<double> costs;     ///< the gain, in nats, that a choice must exceed
  };
  struct Best {
    std::size_t candidate;
    double delta;
    double expected;
    double gain;
  };

  /// The table must outlive the search.
  Surprise(const Table& table, Candidates candidates, std::size_t n_units, std::size_t n_classes);

  std::size_t size() const { return candidates_.supports.size(); }
  std::size_t n_objects() const { return n_objects_; }
  std::size_t n_units() const { return n_units_; }
  std::size_t n_classes() const { return n_classes_; }
  /// The number of expected supports that were computed in full.
  std::size_t evaluations() const { return evaluations_; }

  /// Sets the shares of the classes and the probability of every unit in every class.
  void set_background(std::span<const double> shares, std::span<const double> probabilities);
  /// Adds a tile: in the objects of `members` (one byte each), every unit has at least its density.
  void teach(std::span<const std::uint8_t> members, std::span<const double> densities);

  struct Strongest {
    std::size_t place;
    double expected;
    double gain;
  };

  /// The expected support of any set of units.
  double expected(std::span<const Index> units) const;
  /// The set of units with the largest gain, the first of equal ones; none if no gain is above 0.
  std::optional<Strongest> strongest(const Lists& units, std::span<const double> supports) const;
  /// The best candidate, the first of equal ones; none if no gain exceeds its cost.
  std::optional<Best> best(unsigned threads, Budget& budget);

 private:
  struct Scratch;
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};

  void evaluate(std::span<const Index> units, double enough, Scratch& scratch) const;
  bool one_tile_suffices(std::span<const Index> units, double enough, Scratch& scratch) const;
  void join_groups(std::span<const Index> units, Scratch& scratch) const;
  double weigh(std::span<const double> by_class) const;
  double delta(std::size_t candidate, Scratch& scratch) const;
  double background_expected(std::span<const Index> units) const;
  double lowest_expected(std::size_t candidate) const;
  double largest_gain(std::size_t candidate, double expected) const;
  double hopeless(std::size_t candidate, double best_score) const;

  const Table& table_;
  Candidates candidates_;
  std::size_t n_objects_;
  std::size_t n_units_;
  std::size_t n_classes_;
  std::vector<std::uint32_t> group_;  // of each object: those in the same tiles
  std::vector<double> group_sizes_;
  std::vector<double> log_choose_;  // ln C(n, support) of each candidate
  // Δ / support of each candidate, or what it is at most. A candidate of one unit has the support
  // that the margins say: its share is 0.
  std::vector<double> delta_shares_;
  std::vector<std::uint8_t> delta_known_;
  std::vector<double> shares_;
  std::vector<std::size_t> live_;                    // the classes with a share
  std::vector<double> background_;                   // class after class
  std::vector<std::vector<std::uint32_t>> members_;  // of each tile, as groups
  std::vector<double> n_members_;
  std::vector<std::vector<double>> densities_;  // of each tile, 0 for units outside
  // The largest density that a tile gives a unit, group by group, as a number of one of its levels;
  // empty if no tile has the unit.
  std::vector<std::vector<std::uint32_t>> level_;
  std::vector<std::vector<double>> level_densities_;
  // Lower bounds of the expected supports by class, for candidates that were evaluated once.
  std::vector<std::uint32_t> slot_;
  std::vector<double> known_;
  std::size_t evaluations_ = 0;
};

}  // namespace conceptrank
