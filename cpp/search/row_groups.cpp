#include "cpp/search/row_groups.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "cpp/base/random_stream.hpp"

namespace conceptrank {

/// Swaps ever smaller blocks across the diagonal (Warren, Hacker's Delight 7-3).
void transpose(Word (&matrix)[word_bits]) {
  Word low = 0x00000000ffffffff;
  for (std::size_t size = word_bits / 2; size != 0; size /= 2, low ^= low << size) {
    for (std::size_t k = 0; k < word_bits; k = (k + size + 1) & ~size) {
      const Word swapped = ((matrix[k] >> size) ^ matrix[k + size]) & low;
      matrix[k] ^= swapped << size;
      matrix[k + size] ^= swapped;
    }
  }
}

void RowGroups::group(const Word* bundle, std::size_t n_columns, std::size_t stride,
                      std::size_t n_rows, Word key, const Planes& planes) {
  bits_.clear();
  weights_.clear();
  const std::size_t capacity = std::bit_ceil(2 * n_rows + 2);
  if (slots_.size() < capacity) slots_.assign(capacity, Slot{});
  if (++epoch_ == 0) {
    std::ranges::fill(slots_, Slot{});
    epoch_ = 1;
  }
  const unsigned shift = word_bits - static_cast<unsigned>(std::countr_zero(capacity));
  // Weights are transposed along with the columns where there is room for both.
  const bool together = planes.n != 0 && n_columns + planes.n <= word_bits;
  const Word own = n_columns == word_bits ? ~Word{0} : (Word{1} << n_columns) - 1;
  Word rows[word_bits];
  for (std::size_t begin = 0; begin < n_rows; begin += word_bits) {
    const std::size_t w = begin / word_bits;
    std::fill(std::copy_n(bundle + w * stride, n_columns, rows), rows + word_bits, Word{0});
    if (together) std::copy_n(&planes.bits[w * planes.stride()], planes.n, rows + n_columns);
    transpose(rows);
    for (std::size_t i = 0; i < std::min(word_bits, n_rows - begin); ++i) {
      const Index weight =
          together ? static_cast<Index>(rows[i] >> n_columns) + 1 : planes.weight(begin + i);
      rows[i] &= own;
      const Word wanted = rows[i] & key;
      std::size_t place = (wanted * 0x9e3779b97f4a7c15u) >> shift;
      while (slots_[place].epoch == epoch_ && slots_[place].key != wanted) {
        place = (place + 1) & (capacity - 1);
      }
      Slot& slot = slots_[place];
      if (slot.epoch != epoch_) {
        slot = {wanted, static_cast<Index>(bits_.size()), epoch_};
        bits_.push_back(rows[i]);
        weights_.push_back(weight);
      } else {
        bits_[slot.group] &= rows[i];
        weights_[slot.group] += weight;
      }
    }
  }
}

void RowGroups::sort() {
  sorted_.resize(size());
  for (std::size_t i = 0; i < size(); ++i) sorted_[i] = {bits_[i], weights_[i]};
  std::ranges::sort(sorted_);
  for (std::size_t i = 0; i < size(); ++i) std::tie(bits_[i], weights_[i]) = sorted_[i];
}

void RowGroups::write(std::size_t n_columns, std::size_t stride, std::vector<Word>& bundle) const {
  const std::size_t words = words_for(size());
  bundle.resize(words * stride);
  Word columns[word_bits];
  for (std::size_t w = 0; w < words; ++w) {
    const std::size_t begin = w * word_bits;
    const std::size_t n = std::min(word_bits, size() - begin);
    std::copy_n(bits_.begin() + static_cast<std::ptrdiff_t>(begin), n, columns);
    std::fill(columns + n, columns + word_bits, Word{0});
    transpose(columns);
    std::copy_n(columns, n_columns, bundle.begin() + static_cast<std::ptrdiff_t>(w * stride));
    std::fill_n(bundle.begin() + static_cast<std::ptrdiff_t>(w * stride + n_columns),
                stride - n_columns, Word{0});
  }
}

}  // namespace conceptrank
