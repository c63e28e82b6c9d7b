// Randomise: tables drawn at random, from nothing or from a table whose margins they keep. They are
// the null models that concepts are tested against. Every table has its own stream of random
// numbers, determined by a seed and a stream number. So it is always the same.
#pragma once

#include <array>

#include "cpp/base/budget.hpp"

namespace conceptrank {

/// xoshiro256** (Blackman and Vigna, 2018), its state filled by splitmix64 from a seed and the
/// number of the stream.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  /// In [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// In (0, 1), so that it has a logarithm.
  double open_uniform() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1p-52; }
  /// A number from 0 to n - 1, all equally likely; n must not be 0.
  std::uint64_t below(std::uint64_t n);
  double normal();
  /// The logarithm of a gamma variate: a variate of a small shape can be too small for a double.
  double log_gamma(double shape);

 private:
  std::array<std::uint64_t, 4> state_;
};

/// Probabilities from the Dirichlet distribution. A parameter may be 0, as long as not all are.
std::vector<double> dirichlet(std::span<const double> parameters, RandomStream& random);

/// A table that a chain has reached from another one.
struct Randomised {
  Lists rows;
  std::uint64_t attempted = 0;
  std::uint64_t accepted = 0;  // steps that changed the table
  /// The share of the crosses that are not where they were at the start, at equal intervals.
  std::vector<double> distances;
};

/// A chain over the tables with the same row and column sums, which visits all of them equally
/// often: `steps` times it picks two crosses (g, m), (h, n) and moves them to (g, n), (h, m) if
/// these cells are free. Otherwise the table stays as it is, and that counts as a step (Gionis et
/// al., 2007): counting only moves would prefer tables with many neighbours. Here and in the other
/// functions, rows are ascending lists.
Randomised swap_crosses(ListsView rows, std::size_t n_attributes, std::uint64_t steps,
                        std::size_t checkpoints, RandomStream& random, Budget& budget);

/// A faster chain over the same tables: each step picks two rows and distributes anew between them
/// the attributes that only one of them has (Curveball: Strona et al., 2014; uniform: Carstens,
/// 2015).
Randomised trade_rows(ListsView rows, std::size_t n_attributes, std::uint64_t steps,
                      std::size_t checkpoints, RandomStream& random, Budget& budget);

/// Every cell gets a cross with the same chance, independently.
Lists toss_cells(std::size_t n_objects, std::size_t n_attributes, double chance,
                 RandomStream& random, Budget& budget);

/// `crosses` cells out of all, every set of them equally likely.
Lists place_crosses(std::size_t n_objects, std::size_t n_attributes, std::uint64_t crosses,
                    RandomStream& random, Budget& budget);

/// Every object has k attributes with a chance proportional to weights[k], every set of k equally
/// likely. There is one weight for each size from 0 to n_attributes, and not all are 0.
Lists draw_rows(std::size_t n_objects, std::size_t n_attributes, std::span<const double> weights,
                RandomStream& random, Budget& budget);

/// Every column is permuted on its own: column sums stay, and columns become independent.
Lists shuffle_columns(ListsView rows, std::size_t n_attributes, RandomStream& random,
                      Budget& budget);

/// `n_objects` rows drawn with replacement.
Lists resample_rows(ListsView rows, std::size_t n_objects, RandomStream& random);

}  // namespace conceptrank
