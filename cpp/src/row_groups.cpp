#include "conceptrank/row_groups.hpp"

#include <algorithm>
#include <bit>

#include "conceptrank/random.hpp"

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
                      std::size_t n_rows, Word key, const Word* planes, std::size_t n_planes) {
  bits_.clear();
  weights_.clear();
  const std::size_t capacity = std::bit_ceil(2 * n_rows + 2);
  if (slots_.size() < capacity) slots_.assign(capacity, Slot{});
  if (++epoch_ == 0) {
    std::ranges::fill(slots_, Slot{});
    epoch_ = 1;
  }
  const unsigned shift = word_bits - static_cast<unsigned>(std::countr_zero(capacity));
  const std::size_t plane_stride = bundle_stride(n_planes);
  Word rows[word_bits];
  for (std::size_t begin = 0; begin < n_rows; begin += word_bits) {
    const Word* words = bundle + begin / word_bits * stride;
    std::copy_n(words, n_columns, rows);
    std::fill(rows + n_columns, rows + word_bits, Word{0});
    transpose(rows);
    const Word* plane = planes + begin / word_bits * plane_stride;
    for (std::size_t i = 0; i < std::min(word_bits, n_rows - begin); ++i) {
      Index weight = 1;
      for (std::size_t k = 0; k < n_planes; ++k) {
        weight += static_cast<Index>(plane[k] >> i & 1) << k;
      }
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

std::size_t RowGroups::write_planes(std::vector<Word>& planes) const {
  Index all = 0;
  for (const Index weight : weights_) all |= weight - 1;
  const auto n_planes = static_cast<std::size_t>(std::bit_width(all));
  const std::size_t stride = bundle_stride(n_planes);
  planes.assign(words_for(size()) * stride, 0);
  for (std::size_t i = 0; i < size(); ++i) {
    Word* plane = planes.data() + i / word_bits * stride;
    for (Index rest = weights_[i] - 1; rest != 0; rest &= rest - 1) {
      plane[std::countr_zero(rest)] |= Word{1} << (i % word_bits);
    }
  }
  return n_planes;
}

}  // namespace conceptrank
