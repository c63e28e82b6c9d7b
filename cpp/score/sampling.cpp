#include "cpp/score/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cpp/base/random_stream.hpp"

namespace conceptrank {
namespace {

// Methods without a bound of their own repeat themselves independently; the spread of these
// replicates gives their interval.
constexpr std::size_t replicates = 16;
// With more faces than this, pairs are not considered.
constexpr std::size_t most_paired_faces = 256;

/// Two-sided quantile of Student's t with 15 degrees of freedom: the normal one by bisection, then
/// Cornish and Fisher's expansion.
double student_15(double delta) {
  double low = 0;
  double high = 10;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > delta ? low : high) = middle;
  }
  const double z = low;
  constexpr double df = static_cast<double>(replicates - 1);
  return z + (z * z * z + z) / (4 * df) +
         (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * df * df);
}

/// The family as classes of twins, with faces in an order that does not depend on how they were
/// found.
class Draws {
 public:
  Draws(const FaceFamily& family, double keep, std::uint64_t seed) : lose_(1 - keep), random_(0) {
    std::vector<std::size_t> faces(family.size());
    std::iota(faces.begin(), faces.end(), std::size_t{0});
    const auto bits = [&](std::size_t i) {
      return std::span<const Word>(family.face(i), family.words());
    };
    std::ranges::sort(faces, [&](std::size_t a, std::size_t b) {
      return std::ranges::lexicographical_compare(bits(a), bits(b));
    });
    std::uint64_t hash = mix(seed);
    for (const std::size_t i : faces) {
      for (const Word word : bits(i)) hash = mix(hash ^ word);
    }
    random_ = Random(hash);
    merge_twins(family, faces, false, classes_);
    n_faces_ = faces.size();
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      kept_.push_back(-std::expm1(static_cast<double>(classes_.weights[c]) * std::log(lose_)));
    }
    for (const std::size_t i : faces) {
      missed_.push_back(std::pow(lose_, static_cast<double>(family.weigh(family.face(i)))));
    }
    hit_.assign(classes_.mask_words, 0);
  }

  std::size_t n_faces() const { return n_faces_; }
  std::size_t n_classes() const { return classes_.size(); }
  const std::vector<double>& missed() const { return missed_; }
  Random& random() { return random_; }
  double kept(std::size_t c) const { return kept_[c]; }
  bool in_face(std::size_t c, std::size_t face) const { return test_bit(classes_.mask(c), face); }

  /// A lower bound of the chance of a miss over the sum of the faces' chances: what the likeliest
  /// face alone gives, or all of them less what pairs count twice (Bonferroni).
  double share_at_least() const {
    const double sum = std::accumulate(missed_.begin(), missed_.end(), 0.0);
    double least = *std::ranges::max_element(missed_);
    if (n_faces_ <= most_paired_faces) {
      std::vector<double> shared(n_faces_ * n_faces_, 0);  // elements that two faces share
      std::vector<std::size_t> around;
      for (std::size_t c = 0; c < n_classes(); ++c) {
        around.clear();
        for_each_bit(classes_.mask(c), classes_.mask_words,
                     [&](std::size_t face) { around.push_back(face); });
        for (std::size_t i = 0; i < around.size(); ++i) {
          for (std::size_t j = i + 1; j < around.size(); ++j) {
            shared[around[i] * n_faces_ + around[j]] += static_cast<double>(classes_.weights[c]);
          }
        }
      }
      double both = 0;
      for (std::size_t f = 0; f < n_faces_; ++f) {
        for (std::size_t g = f + 1; g < n_faces_; ++g) {
          both += missed_[f] * missed_[g] / std::pow(lose_, shared[f * n_faces_ + g]);
        }
      }
      // If the chances of all faces underflow to 0, their ratio is no bound.
      if (sum - both > least) least = sum - both;
    }
    return sum > 0 ? std::min(1.0, least / sum) : 1.0;
  }

  void clear() { std::ranges::fill(hit_, 0); }
  void keep_class(std::size_t c) {
    for (std::size_t w = 0; w < hit_.size(); ++w) hit_[w] |= classes_.mask(c)[w];
  }
  std::size_t faces_missed() const { return n_faces_ - count_bits(hit_.data(), hit_.size()); }
  /// The classes in the order of their influence: the total chance of the faces that they are in.
  std::vector<std::size_t> by_influence() const {
    std::vector<double> influence(n_classes(), 0);
    for (std::size_t c = 0; c < n_classes(); ++c) {
      for_each_bit(classes_.mask(c), classes_.mask_words,
                   [&](std::size_t face) { influence[c] += missed_[face]; });
    }
    std::vector<std::size_t> order(n_classes());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t c) { return influence[c]; });
    return order;
  }

 private:
  double lose_;
  Random random_;
  TwinClasses classes_;
  std::size_t n_faces_ = 0;
  std::vector<double> kept_;    // chance that some element of the class is kept
  std::vector<double> missed_;  // chance to miss each face
  std::vector<Word> hit_;
};

double draw_monte_carlo(Draws& draws, std::uint64_t samples) {
  std::uint64_t misses = 0;
  for (std::uint64_t i = 0; i < samples; ++i) {
    draws.clear();
    for (std::size_t c = 0; c < draws.n_classes(); ++c) {
      if (draws.random().uniform() < draws.kept(c)) draws.keep_class(c);
    }
    misses += draws.faces_missed() > 0 ? 1 : 0;
  }
  return static_cast<double>(misses) / static_cast<double>(samples);
}

/// Karp and Luby (1983): draw a face in proportion to its chance to be missed, then a subset that
/// misses it. The estimate is the sum of all chances, divided by the number of faces that the
/// subset misses.
double draw_karp_luby(Draws& draws, std::uint64_t samples) {
  std::vector<double> sums(draws.n_faces());
  std::partial_sum(draws.missed().begin(), draws.missed().end(), sums.begin());
  double total = 0;
  for (std::uint64_t i = 0; i < samples; ++i) {
    const double u = draws.random().uniform() * sums.back();
    const auto face = static_cast<std::size_t>(
        std::min<std::ptrdiff_t>(std::ranges::upper_bound(sums, u) - sums.begin(),
                                 static_cast<std::ptrdiff_t>(sums.size()) - 1));
    draws.clear();
    for (std::size_t c = 0; c < draws.n_classes(); ++c) {
      const bool kept = draws.random().uniform() < draws.kept(c);
      if (kept && !draws.in_face(c, face)) draws.keep_class(c);
    }
    total += 1 / static_cast<double>(draws.faces_missed());
  }
  return sums.back() * total / static_cast<double>(samples);
}

double draw_stratified(Draws& draws, std::uint64_t samples, std::size_t bits) {
  const std::vector<std::size_t> order = draws.by_influence();
  bits = std::min({bits, order.size(), std::size_t{16}});
  const std::size_t patterns = std::size_t{1} << bits;
  const std::uint64_t each = std::max<std::uint64_t>(1, samples / patterns);
  double total = 0;
  for (std::size_t pattern = 0; pattern < patterns; ++pattern) {
    double weight = 1;
    for (std::size_t b = 0; b < bits; ++b) {
      const double kept = draws.kept(order[b]);
      weight *= pattern >> b & 1 ? kept : 1 - kept;
    }
    std::uint64_t misses = 0;
    for (std::uint64_t i = 0; i < each; ++i) {
      draws.clear();
      for (std::size_t k = 0; k < order.size(); ++k) {
        const bool kept =
            k < bits ? (pattern >> k & 1) != 0 : draws.random().uniform() < draws.kept(order[k]);
        if (kept) draws.keep_class(order[k]);
      }
      misses += draws.faces_missed() > 0 ? 1 : 0;
    }
    total += weight * static_cast<double>(misses) / static_cast<double>(each);
  }
  return total;
}

/// Coordinate c of point i is the fraction of shift_c + i sqrt(prime_c): a Kronecker sequence,
/// shifted at random, so each point is uniform and the estimate unbiased, while together they are
/// spread evenly. The most influential classes get the first primes.
double draw_low_discrepancy(Draws& draws, std::uint64_t samples) {
  const std::vector<std::size_t> order = draws.by_influence();
  std::vector<double> steps;
  for (std::uint64_t candidate = 2; steps.size() < order.size(); ++candidate) {
    bool prime = true;
    for (std::uint64_t d = 2; d * d <= candidate && prime; ++d) prime = candidate % d != 0;
    if (prime) steps.push_back(std::fmod(std::sqrt(static_cast<double>(candidate)), 1.0));
  }
  std::vector<double> point;
  for (std::size_t k = 0; k < order.size(); ++k) point.push_back(draws.random().uniform());
  std::uint64_t misses = 0;
  for (std::uint64_t i = 0; i < samples; ++i) {
    draws.clear();
    for (std::size_t k = 0; k < order.size(); ++k) {
      point[k] += steps[k];
      if (point[k] >= 1) point[k] -= 1;
      if (point[k] < draws.kept(order[k])) draws.keep_class(order[k]);
    }
    misses += draws.faces_missed() > 0 ? 1 : 0;
  }
  return static_cast<double>(misses) / static_cast<double>(samples);
}

}  // namespace

std::uint64_t hoeffding_samples(double eps, double delta) {
  return static_cast<std::uint64_t>(std::ceil(std::log(2 / delta) / (2 * eps * eps)));
}

std::uint64_t karp_luby_samples(double eps, double delta, double n_faces, double share) {
  const double log = std::log(2 / delta);
  const double chernoff = 3 * n_faces * log / (eps * eps);
  const double bernstein = 2 * log * ((1 - share) / share / eps + 1 / (3 * share)) / eps;
  return static_cast<std::uint64_t>(std::ceil(std::min(chernoff, bernstein)));
}

SampledMiss sample_miss(const FaceFamily& family, double keep, const SamplingOptions& options) {
  if (family.size() == 0) return {};
  Draws draws(family, keep, options.seed);
  SampledMiss result;
  if (options.method == Method::karp_luby || options.method == Method::automatic) {
    const std::uint64_t n = karp_luby_samples(
        options.eps, options.delta, static_cast<double>(draws.n_faces()), draws.share_at_least());
    result.samples = static_cast<double>(n);
    result.value = std::min(1.0, draw_karp_luby(draws, n));
    result.half_width = options.eps;
    return result;
  }
  const std::uint64_t samples = hoeffding_samples(options.eps, options.delta);
  if (options.method == Method::monte_carlo) {
    result.samples = static_cast<double>(samples);
    result.value = draw_monte_carlo(draws, samples);
    result.half_width = options.eps;
    return result;
  }
  const std::uint64_t each = std::max<std::uint64_t>(1, samples / replicates);
  double mean = 0;
  double squares = 0;
  for (std::size_t r = 0; r < replicates; ++r) {
    const double value = options.method == Method::stratified
                             ? draw_stratified(draws, each, options.bits)
                             : draw_low_discrepancy(draws, each);
    mean += value / replicates;
    squares += value * value / replicates;
  }
  const double variance = std::max(0.0, squares - mean * mean) / (replicates - 1);
  result.samples = static_cast<double>(each * replicates);
  result.value = mean;
  // A miss too rare for any draw does not show in the variance. The rule of three covers it.
  result.half_width = student_15(options.delta) * std::sqrt(variance) + 3 / result.samples;
  return result;
}

}  // namespace conceptrank
