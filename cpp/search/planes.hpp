// Planes: the weights of the rows of a small table. The number of objects of each row, less one, is
// stored in binary: plane k holds digit k of all rows. Planes are packed like columns when rows are
// left out, and the support of a column is a few popcounts.
#pragma once

#include <bit>

#include "cpp/base/kernels.hpp"

namespace conceptrank {

struct Planes {
  std::size_t n = 0;       // 0: every row stands for one object, and there are no bits
  std::vector<Word> bits;  // a bundle of n columns

  std::size_t stride() const { return bundle_stride(n); }

  /// The weights that `weight_of(row)` gives; none is 0.
  template <class WeightOf>
  void assign(std::size_t n_rows, const WeightOf& weight_of) {
    Index all = 0;
    for (std::size_t i = 0; i < n_rows; ++i) all |= weight_of(i) - 1;
    n = static_cast<std::size_t>(std::bit_width(all));
    bits.assign(words_for(n_rows) * stride(), 0);
    if (n == 0) return;
    for (std::size_t i = 0; i < n_rows; ++i) {
      Word* plane = bits.data() + i / word_bits * stride();
      for (Index rest = weight_of(i) - 1; rest != 0; rest &= rest - 1) {
        plane[std::countr_zero(rest)] |= Word{1} << (i % word_bits);
      }
    }
  }

  /// Objects behind the rows of a column of one word.
  std::uint64_t weigh(Word column) const {
    std::uint64_t weight = count_bits(column);
    for (std::size_t k = 0; k < n; ++k) weight += count_bits(column & bits[k]) << k;
    return weight;
  }

  /// The weights of the groups that begin at the rows marked in `firsts`, of which row 0 is one.
  void group_weights(const std::vector<Word>& firsts, std::size_t n_rows,
                     std::vector<Index>& weights) const {
    weights.clear();
    for (std::size_t row = 0; row < n_rows; ++row) {
      if (test_bit(firsts.data(), row)) {
        weights.push_back(weight(row));
      } else {
        weights.back() += weight(row);
      }
    }
  }

  Index weight(std::size_t row) const {
    const Word* plane = bits.data() + row / word_bits * stride();
    Index weight = 1;
    for (std::size_t k = 0; k < n; ++k) {
      weight += static_cast<Index>(plane[k] >> (row % word_bits) & 1) << k;
    }
    return weight;
  }
};

}  // namespace conceptrank
