// Words: the 64-bit units of every bit set in the core, and the few loops over them that are short
// enough to be inlined. Whole-array work that pays for run-time dispatch is in kernels.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cpp/base/array.hpp"

namespace conceptrank {

using Word = std::uint64_t;
using Index = std::uint32_t;

inline constexpr std::size_t word_bits = 64;

/// Number of words that hold `bits` bits.
constexpr std::size_t words_for(std::size_t bits) { return (bits + word_bits - 1) / word_bits; }

/// Mask of the used bits in the last of `words_for(bits)` words; all ones when it is full.
constexpr Word tail_mask(std::size_t bits) {
  const std::size_t rest = bits % word_bits;
  return rest == 0 ? ~Word{0} : (Word{1} << rest) - 1;
}

inline void set_bit(Word* words, std::size_t bit) {
  words[bit / word_bits] |= Word{1} << (bit % word_bits);
}

inline bool test_bit(const Word* words, std::size_t bit) {
  return (words[bit / word_bits] >> (bit % word_bits)) & 1;
}

inline std::size_t lowest_bit(Word word) {
  return static_cast<std::size_t>(std::countr_zero(word));
}

/// Number of set bits.
constexpr std::size_t count_bits(Word word) {
  return static_cast<std::size_t>(std::popcount(word));
}

/// 1 if several bits are set, else 0. Branch-free, for use where the answer is unpredictable.
constexpr Word has_several(Word word) {
  const Word others = word & (word - 1);
  return (others | (0 - others)) >> (word_bits - 1);
}

/// Number of set bits.
inline std::size_t count_bits(const Word* words, std::size_t n_words) {
  std::size_t total = 0;
  for (std::size_t w = 0; w < n_words; ++w) total += count_bits(words[w]);
  return total;
}

/// Whether all set bits are set in the other one.
inline bool inside(const Word* words, const Word* other, std::size_t n_words) {
  for (std::size_t w = 0; w < n_words; ++w) {
    if ((words[w] & ~other[w]) != 0) return false;
  }
  return true;
}

/// Calls `visit(position)` for the set bits in ascending order.
template <class Visit>
void for_each_bit(const Word* words, std::size_t n_words, Visit&& visit) {
  for (std::size_t w = 0; w < n_words; ++w) {
    for (Word word = words[w]; word != 0; word &= word - 1) {
      visit(w * word_bits + lowest_bit(word));
    }
  }
}

/// Lists of indices, one after the other: list i is values[offsets[i] .. offsets[i + 1]).
struct Lists {
  Array<std::uint64_t> offsets{0};
  Array<Index> values;

  std::size_t size() const { return offsets.size() - 1; }
  std::span<const Index> operator[](std::size_t i) const {
    return {values.data() + offsets[i], values.data() + offsets[i + 1]};
  }
  void close() { offsets.push_back(values.size()); }
  void push_back(std::span<const Index> list) {
    values.insert(values.end(), list.begin(), list.end());
    close();
  }
  std::size_t bytes() const {
    return offsets.capacity() * sizeof(std::uint64_t) + values.capacity() * sizeof(Index);
  }
};

/// Lists that something else stores.
struct ListsView {
  std::span<const std::uint64_t> offsets;
  std::span<const Index> values;

  ListsView() = default;
  ListsView(std::span<const std::uint64_t> ends, std::span<const Index> all)
      : offsets(ends), values(all) {}
  ListsView(const Lists& lists)  // NOLINT: lists are a view of themselves
      : offsets(lists.offsets), values(lists.values) {}

  std::size_t size() const { return offsets.size() - 1; }
  std::span<const Index> operator[](std::size_t i) const {
    return values.subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
  Lists copy() const { return {{offsets.begin(), offsets.end()}, {values.begin(), values.end()}}; }
};

}  // namespace conceptrank
