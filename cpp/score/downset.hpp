// Downset: the total probability of the subsets that miss some face of a family. A subset misses a
// face if and only if it is a subset of the face's complement, here called a top. So these subsets
// form the downset below the tops. For at most 64 elements their probabilities are summed directly:
// nearly all terms are positive. If every element is kept with probability 1/2, the subsets are
// counted instead.
//
// A family of few elements is computed by marking all subsets as bits, a family of few tops by
// inclusion and exclusion. In other families, the tops of few elements are removed first; each
// contributes those of its subsets that are below no other top. Then the search branches on single
// elements, those of fewest tops first. With the element, only its few tops are left. Without it,
// these tops become smaller, and some of them become subsets of others.
#pragma once

#include <array>
#include <optional>

#include "cpp/search/tops.hpp"

namespace conceptrank {

struct DownsetSum {
  double value = 0;
  double relative_error = 0;  // bound on |value - truth| / truth
};

/// Reuses its memory from one family to the next: one object per thread.
class Downset {
 public:
  /// Every element is in the random subset with probability `keep`. `slip` bounds the relative
  /// error of 1 - keep.
  Downset(double keep, double slip);

  /// The probability of being a subset of one of the tops, which may be subsets of each other.
  /// Nothing if that takes more than `nodes` smaller families.
  std::optional<DownsetSum> sum(const Tops& tops, std::size_t nodes);

 private:
  template <class Unsigned>
  struct Counts;
  struct Chances;

  template <class Arithmetic>
  typename Arithmetic::Number total(const Arithmetic& arithmetic, std::size_t weight);
  template <class Arithmetic>
  std::size_t peel(const Arithmetic& arithmetic, std::size_t begin, std::size_t end,
                   std::size_t open, typename Arithmetic::Number& result);
  template <class Arithmetic>
  typename Arithmetic::Number mark(const Arithmetic& arithmetic, std::span<const Word> tops,
                                   Word elements);
  template <class Arithmetic>
  typename Arithmetic::Number decide(const Arithmetic& arithmetic, std::size_t begin,
                                     std::size_t end, std::size_t open);
  template <class Arithmetic>
  std::optional<typename Arithmetic::Number> by_intersections(const Arithmetic& arithmetic,
                                                              std::size_t begin, std::size_t end,
                                                              std::size_t open);
  template <class Arithmetic>
  bool extend(const Arithmetic& arithmetic, std::size_t begin, std::size_t end, Word common,
              std::size_t open, typename Arithmetic::Number& result, bool minus);
  std::size_t remove(std::size_t begin, std::size_t end, Word element, Word rest);

  double keep_;
  double slip_;
  const Tops* tops_ = nullptr;
  Word heavy_ = 0;  // elements that weigh more than 1
  std::size_t nodes_left_ = 0;
  std::size_t nodes_used_ = 0;
  std::size_t terms_used_ = 0;  // tops of few elements, each settled by one term
  std::size_t terms_left_ = 0;
  bool gave_up_ = false;
  std::array<double, Tops::most_weight + 1> kept_powers_;
  std::array<double, Tops::most_weight + 1> lost_powers_;
  std::array<double, Tops::most_weight + 1> some_;  // 1 - lost_powers_, to the last digit
  std::vector<Word> stack_;                         // tops of the families under way
  std::vector<Word> smaller_;
  std::vector<Word> subsets_;
};

}  // namespace conceptrank
