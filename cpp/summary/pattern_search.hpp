// PatternSearch: the patterns that explain most of what a reader doesn't know yet.
//
// A path starts at a unit and adds, step by step, the unit that is most overrepresented among the
// rows reached so far. The best set on a path is a seed. A climb changes it, unit by unit, as long
// as the gain of telling it rises. Seeds wait in a heap, so that only the promising ones are
// climbed.
#pragma once

#include <optional>
#include <set>

#include "cpp/base/budget.hpp"
#include "cpp/summary/reader.hpp"

namespace conceptrank {

/// The nats that describe a set of `size` of `n_units` units: ln C(n, k) + ln k(k + 1).
double description(std::size_t n_units, std::size_t size);

/// Which patterns to look for.
struct PatternLimits {
  double min_support = 2;
  std::size_t most_units = word_bits;
  std::vector<Index> required;       ///< units that every pattern has, ascending
  std::vector<std::uint8_t> barred;  ///< of each unit: whether no pattern has it
};

class PatternSearch {
 public:
  /// The reader must outlive the search.
  PatternSearch(Reader& reader, PatternLimits limits);

  /// The pattern with the largest gain that was found and not returned yet; none if there is no
  /// other, or the budget ended.
  std::optional<Explanation> best(Budget& budget);
  /// The nats that describe a set among all that could be told.
  double description(std::span<const Index> units) const;
  /// Tells the reader a pattern, and looks for others beside it.
  void tell(const Explanation& pattern);

 private:
  struct Candidate {
    double key;  // the gain, or a guess of it
    std::vector<Index> units;
    double support;
    bool climbed;
    int version;
  };
  struct Later {
    bool operator()(const Candidate& a, const Candidate& b) const {
      return a.key != b.key ? a.key < b.key : a.units > b.units;
    }
  };
  double score(const Explanation& found) const;
  bool allowed(std::span<const Index> units) const;
  void start(Index unit);
  void add_seed(Candidate seed);
  void push(Candidate candidate);
  Index stranger(const Explanation& here) const;
  Explanation climb(std::vector<Index> units);
  bool step_up(Explanation& here) const;
  bool step_down(Explanation& here) const;
  bool covered(const Candidate& seed) const;

  bool may_add(std::span<const Index> units, Index unit) const;

  Reader& reader_;
  PatternLimits limits_;
  int version_ = 0;
  int seeded_ = -1;  // the version in which all units were starts
  Index next_start_ = 0;
  std::vector<Index> starts_;
  std::vector<Candidate> heap_;
  std::set<std::vector<Index>> returned_;
  std::set<std::vector<Index>> waiting_;
  std::set<std::vector<Index>> tried_;  // since the last pattern was told
  std::vector<std::vector<Index>> told_;
  std::vector<double> told_carriers_;
  std::vector<std::vector<std::pair<std::vector<Index>, double>>> climbed_;  // by unit
};

}  // namespace conceptrank
