// Downset: the subsets that miss some face of a family, seen from the other side. A subset misses a
// face iff it lies in the face's complement, so these subsets are all that lie inside one of a few
// sets, here called tops. Where the ground set has at most 64 elements they are summed up directly:
// every term is positive, or nearly so, and with equal chances they are simply counted.
//
// A family of few elements is settled by marking subsets as the bits of one long word, one of few
// tops by inclusion and exclusion. Of other families the tops of few elements go first, each with
// those of its subsets that lie inside no other top. Then the elements are decided one after the
// other, those of fewest tops first: with the element, only its tops are left, and these are few;
// without it, they have become smaller, and some of them lie inside others.
#pragma once

#include <array>
#include <optional>

#include "cpp/search/tops.hpp"

namespace conceptrank {

struct DownsetSum {
  double value = 0;
  double relative_error = 0;  // bound on |value - truth| / truth
};

/// Reuses its memory from one family to the next: one object a thread.
class Downset {
 public:
  /// Every element is in the random subset with probability `keep`. `slip` bounds the relative
  /// error of 1 - keep.
  Downset(double keep, double slip);

  /// The chance to lie inside one of the tops, which may lie inside each other. None when that
  /// takes more than `nodes` smaller families.
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
