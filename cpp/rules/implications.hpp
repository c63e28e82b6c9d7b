// Implications: rules "every object with the premise has the conclusion" between sets of
// attributes, what follows from them (LinClosure, Beeri and Bernstein 1979), and the smallest set
// of them from which all that hold in a table follow: the basis of Duquenne and Guigues. It is
// found by LinCbO (Janostik, Konecny and Krajca 2021): the sets that are closed under the
// implications found so far are visited in lectic order by Close-by-One, and each set continues
// with the counters of its parent's closure.
#pragma once

#include <limits>

#include "cpp/base/budget.hpp"
#include "cpp/table/table.hpp"

namespace conceptrank {

/// Implications by number, arranged for closures.
class Implications {
 public:
  explicit Implications(std::size_t n_attributes);

  std::size_t size() const { return sizes_.size(); }
  std::size_t n_attributes() const { return holders_.size(); }
  std::size_t words() const { return words_; }

  void add(const Word* premise, const Word* conclusion);

  const Word* premise(std::size_t i) const { return premises_.data() + i * words_; }
  const Word* conclusion(std::size_t i) const { return conclusions_.data() + i * words_; }
  /// Number of attributes of a premise.
  Index premise_size(std::size_t i) const { return sizes_[i]; }
  /// The implications with this attribute in the premise.
  std::span<const Index> holders(std::size_t attribute) const { return holders_[attribute]; }

  std::size_t bytes() const;

 private:
  std::size_t words_;
  std::vector<Word> premises_;
  std::vector<Word> conclusions_;
  std::vector<Index> sizes_;
  std::vector<std::vector<Index>> holders_;
};

/// Closes sets under implications, each in time linear in their size. Keeps its memory from one set
/// to the next: one object per thread.
class LinClosure {
 public:
  explicit LinClosure(const Implications& implications) : implications_(implications) {}

  /// Adds to the set what follows from it. Implications i with active[i] == 0 are left out; all
  /// take part if `active` is empty.
  void close(Word* set, std::span<const std::uint8_t> active = {});

 private:
  const Implications& implications_;
  std::vector<Index> missing_;  // attributes of each premise that the set lacks
  std::vector<Index> waiting_;  // attributes of the set that are still to be counted
};

/// The implications that don't follow from the others, each judged with those before it that are
/// kept and all after it: a set without redundancy that is equivalent to the whole.
std::vector<std::uint8_t> irredundant(const Implications& implications, Budget& budget);

struct BasisOptions {
  std::uint64_t min_support = 0;                                          // of the premises
  std::uint64_t max_premise = std::numeric_limits<std::uint64_t>::max();  // attributes
};

/// Implications of a table, in the order of their support, largest first, then of their premises.
struct ImplicationBasis {
  Lists premises;
  Lists closures;  // premise and conclusion together
  std::vector<Index> supports;
  Stop stop = Stop::none;  // none: complete
};

/// The Duquenne–Guigues basis: one implication per pseudo-intent that meets the options. The
/// budget's limit on concepts is a limit on implications.
ImplicationBasis duquenne_guigues(const Table& table, const BasisOptions& options, Budget& budget);

/// The first set in lectic order, from `start` on, that is closed under the implications but not in
/// the table, into `start`; false if there is none.
bool next_open(const Table& table, const Implications& implications, std::vector<Word>& start,
               Budget& budget);

}  // namespace conceptrank
