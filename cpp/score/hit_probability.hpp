// Hit probability: the chance that a random subset, each element kept independently with
// probability `keep`, meets every face of a family. Stability, robustness and their dual are this
// number.
//
// It is computed from its complement, the chance to miss some face. That chance has a small
// relative error, so it is exact to rounding even if it is as small as 2^-1000, which log-stability
// needs. There are four methods:
//   - over at most 64 elements, the subsets that miss a face are summed as a downset;
//   - inclusion and exclusion over the sets of faces, whose terms fade quickly if faces are large;
//   - if a few thousand terms are not enough, a sweep over the elements, which adds only positive
//     terms;
//   - if too many faces are open at once for the sweep, a search that decides one element after
//     the other, the most frequent first.
#pragma once

#include <optional>

#include "cpp/score/downset.hpp"
#include "cpp/score/transversals.hpp"

namespace conceptrank {

struct MissProbability {
  double value = 0;       // the chance to miss some face
  double log2 = 0;        // its binary logarithm, also where `value` underflows; -inf for 0
  double error = 0;       // bound on |value - truth|, rounding included
  double log2_error = 0;  // bound on |log2 - truth|
  // It was summed over all complements of faces: the same value whichever error has to be small.
  bool complete = false;
};

/// Faces larger than the smallest one by this many elements change nothing at keep = 1/2.
inline constexpr std::uint64_t negligible_excess = 64;

/// Reuses its memory from one family to the next: one object per thread.
class HitProbability {
 public:
  explicit HitProbability(double keep);

  /// For a family of inclusion-minimal faces. `state_budget` bounds the number of states that the
  /// sweep over the elements holds at once. Without `relative_matters`, only the absolute error has
  /// to be small.
  MissProbability miss(const FaceFamily& family, std::size_t state_budget,
                       bool relative_matters = true);

  /// The same from the complements of the faces, which may be subsets of each other. Nothing if
  /// that would take long.
  std::optional<MissProbability> miss(const Tops& tops, bool relative_matters);

  /// (1 - keep)^weight.
  double power(std::uint64_t weight) const;

 private:
  struct State {
    Word hit;  // the open faces that are hit already, by slot
    double probability;
  };
  struct FaceUnions;
  struct Sweep {
    double miss = 0;  // given that what all faces have in common is lost
    double error = 0;
    bool complete = true;
  };

  struct Series {
    double total = 0;  // in units of the smallest face's power, like all of these
    std::size_t terms = 0;
    // What bounds the error: the sizes of the partial sums and of the terms, the terms times their
    // exponents, and what was left out.
    double sums = 0;
    double terms_total = 0;
    double weighted = 0;
    double left_out = 0;
  };

  bool take_tops(const FaceFamily& family);
  std::optional<DownsetSum> sum_downset(const FaceFamily& family);
  /// Bound on the relative error of power(weight).
  double power_error(std::uint64_t weight) const;
  double drop_large_faces(double alone);
  bool inclusion_exclusion(const FaceFamily& family, Series& series);
  bool extend(FaceUnions& unions, std::size_t first, std::size_t depth, Series& series) const;
  void merge_classes(const FaceFamily& family);
  Sweep sweep(std::size_t state_budget);
  /// `nodes_left` bounds the search over the elements.
  Sweep branch(std::size_t nodes_left);
  std::pair<double, double> bracket(const FaceFamily& family) const;
  void merge_states();

  double lose_;
  double slip_;  // relative error of lose_
  double log2_lose_;
  std::vector<double> powers_;
  std::vector<std::pair<std::uint64_t, std::size_t>> sizes_;
  std::vector<std::size_t> chosen_;
  std::uint64_t smallest_ = 0;
  TwinClasses classes_;
  std::uint64_t core_ = 0;  // weight of what all chosen faces have in common
  std::vector<State> states_;
  std::vector<State> next_;
  std::vector<Index> table_;
  Downset downset_;
  Tops tops_;
  Tops visible_;
  std::vector<Word> scratch_;
};

}  // namespace conceptrank
