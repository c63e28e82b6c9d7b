// Sampling: the chance to miss a face, estimated from random subsets. Elements of the same faces
// form a twin class and are drawn together; elements of no face are not drawn. The generator is
// seeded by the caller's seed and by the faces, so that a concept always gets the same estimate.
#pragma once

#include "cpp/score/transversals.hpp"

namespace conceptrank {

enum class Method {
  exact,            // no sampling
  automatic,        // exact where that is cheap, Karp and Luby where not
  monte_carlo,      // the share of random subsets that miss a face
  karp_luby,        // subsets that miss a drawn face: a relative error, however rare a miss is
  stratified,       // all patterns of a few elements, the others at random
  low_discrepancy,  // points of a shifted Kronecker sequence instead of independent ones
};

inline constexpr std::string_view method_names[] = {"exact",     "auto",       "monte_carlo",
                                                    "karp_luby", "stratified", "low_discrepancy"};

struct SamplingOptions {
  Method method = Method::exact;
  double eps = 0.01;    // absolute error; relative for Karp and Luby
  double delta = 0.05;  // chance that the error is larger
  std::uint64_t seed = 0;
  unsigned bits = 4;  // elements whose patterns are enumerated by the stratified method
};

struct SampledMiss {
  double value = 0;
  double half_width = 0;  // of the interval; Karp and Luby: relative to the value
  double samples = 0;
};

/// Number of independent draws for |estimate - truth| <= eps with probability 1 - delta
/// (Hoeffding).
std::uint64_t hoeffding_samples(double eps, double delta);

/// Number of draws of Karp and Luby's for a relative error of at most eps with probability 1 -
/// delta. A draw X is in (0, 1] with mean at least `share`, and so at least 1 / n_faces. That gives
/// Chernoff's 3 n_faces ln(2/delta) / eps^2; and since the variance is at most mean (1 - mean),
/// Bernstein's inequality, which needs few draws where hardly any subset misses two faces.
std::uint64_t karp_luby_samples(double eps, double delta, double n_faces, double share);

/// `family` is a family of inclusion-minimal faces, `keep` strictly between 0 and 1.
SampledMiss sample_miss(const FaceFamily& family, double keep, const SamplingOptions& options);

}  // namespace conceptrank
