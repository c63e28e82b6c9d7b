// Downset: the subsets that miss some face of a family, seen from the other side. A subset misses a
// face iff it lies in the face's complement, so these subsets are all that lie below one of a few
// maximal sets, here called tops. Where the ground set has at most 64 elements their probability is
// summed up directly, by two ways that suit many faces: every term is positive, or nearly so.
#pragma once

#include <optional>

#include "conceptrank/faces.hpp"

namespace conceptrank {

struct DownsetSum {
  double value = 0;
  double relative_error = 0;  // bound on |value - truth| / truth
};

/// Reuses its memory from one family to the next: one object a thread.
class Downset {
 public:
  static constexpr std::size_t most_elements = word_bits;

  /// Every element is in the random subset with probability `keep`. `slip` bounds the relative
  /// error of 1 - keep.
  Downset(double keep, double slip);

  /// Goes through all subsets of the ground set at once, as the bits of one long word: marks the
  /// tops, then whatever lies below a marked set, an element at a time. For small ground sets.
  DownsetSum by_subsets(std::span<const Word> tops, std::size_t n_elements);

  /// Sorts the subsets by their first element: those with first element e lie below the tops that
  /// have e, and what these leave behind e is a smaller family of the same kind. One or two tops
  /// settle it. None when that takes more than `nodes` families.
  std::optional<DownsetSum> by_first_elements(std::span<const Word> tops, std::size_t n_elements,
                                              std::size_t nodes);

 private:
  double chance(std::size_t taken, std::size_t open) const;
  double walk(std::size_t begin, std::size_t end, std::size_t taken);
  std::size_t keep_maximal(std::size_t begin, std::size_t end);

  double keep_;
  double lose_;
  double slip_;
  std::size_t n_ = 0;
  std::size_t nodes_left_ = 0;
  std::size_t nodes_used_ = 0;
  bool gave_up_ = false;
  std::vector<double> kept_powers_;
  std::vector<double> lost_powers_;
  std::vector<Word> stack_;
  std::vector<Word> subsets_;
};

}  // namespace conceptrank
