// Kernel bodies: the loops over the columns of a bundle, for kernels.cpp alone, which compiles them
// for each instruction set.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "cpp/base/kernels.hpp"

namespace conceptrank {
namespace {

// One body per kernel, inlined into one thin wrapper per instruction set. The wrapper's target
// attribute decides which instructions the compiler may use.
#define CONCEPTRANK_BODY [[gnu::always_inline]] inline
#define CONCEPTRANK_INLINE __attribute__((always_inline))

CONCEPTRANK_BODY unsigned popcount(Word word) { return static_cast<unsigned>(std::popcount(word)); }

CONCEPTRANK_BODY std::uint64_t count_body(const Word* words, std::size_t n_words) {
  std::uint64_t total = 0;
  for (std::size_t w = 0; w < n_words; ++w) total += popcount(words[w]);
  return total;
}

CONCEPTRANK_BODY std::uint64_t count_common_body(const Word* left, const Word* right,
                                                 std::size_t n_words) {
  std::uint64_t total = 0;
  for (std::size_t w = 0; w < n_words; ++w) total += popcount(left[w] & right[w]);
  return total;
}

CONCEPTRANK_BODY std::uint64_t sum_at_body(const Word* words, std::size_t n_words,
                                           const std::uint64_t* values) {
  std::uint64_t total = 0;
  for_each_bit(words, n_words, [&](std::size_t bit) { total += values[bit]; });
  return total;
}

CONCEPTRANK_BODY std::uint64_t intersect_body(Word* into, const Word* with, std::size_t n_words) {
  std::uint64_t total = 0;
  for (std::size_t w = 0; w < n_words; ++w) {
    into[w] &= with[w];
    total += popcount(into[w]);
  }
  return total;
}

/// Extraction of the bits under a mask without the pext instruction: the six moves of the parallel
/// suffix method (Steele), prepared once for a mask and then applied to a whole row of words.
struct Extraction {
  std::array<Word, 6> moves;
  Word mask;

  explicit Extraction(Word m) : mask(m) {
    Word zeros = ~m << 1;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      Word parity = zeros ^ (zeros << 1);
      parity ^= parity << 2;
      parity ^= parity << 4;
      parity ^= parity << 8;
      parity ^= parity << 16;
      parity ^= parity << 32;
      const Word move = parity & m;
      moves[i] = move;
      m = (m ^ move) | (move >> (std::size_t{1} << i));
      zeros &= ~parity;
    }
  }

  CONCEPTRANK_BODY Word operator()(Word word) const {
    word &= mask;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const Word moved = word & moves[i];
      word = (word ^ moved) | (moved >> (std::size_t{1} << i));
    }
    return word;
  }
};

/// Appends `extract(word(c))`, `width` bits wide, to n columns of the output at bit `fill`.
template <class WordOf, class Extract>
CONCEPTRANK_BODY void append_row(const WordOf& word, std::size_t n, std::size_t width,
                                 std::size_t fill, Word* out, std::size_t stride,
                                 const Extract& extract) {
  Word* low = out + fill / word_bits * stride;
  const std::size_t shift = fill % word_bits;
  if (shift == 0) {
    for (std::size_t c = 0; c < n; ++c) low[c] = extract(word(c));
  } else if (shift + width <= word_bits) {
    for (std::size_t c = 0; c < n; ++c) low[c] |= extract(word(c)) << shift;
  } else {
    Word* high = low + stride;
    for (std::size_t c = 0; c < n; ++c) {
      const Word bits = extract(word(c));
      low[c] |= bits << shift;
      high[c] = bits >> (word_bits - shift);
    }
  }
}

CONCEPTRANK_BODY void count_columns_body(const Word* bundle, std::size_t stride, std::size_t words,
                                         Index* counts) {
  for (std::size_t c = 0; c < stride; ++c) counts[c] = 0;
  for (std::size_t w = 0; w < words; ++w) {
    const Word* row = bundle + w * stride;
    for (std::size_t c = 0; c < stride; ++c) counts[c] += popcount(row[c]);
  }
}

template <class Set>
CONCEPTRANK_BODY void compress_body(const Word* bundle, std::size_t stride, std::size_t words,
                                    const Word* mask, Word* out, Index* counts) {
  std::size_t fill = 0;
  for (std::size_t w = 0; w < words; ++w) {
    if (mask[w] == 0) continue;
    const std::size_t width = popcount(mask[w]);
    const Word* row = bundle + w * stride;
    append_row([row](std::size_t c) CONCEPTRANK_INLINE { return row[c]; }, stride, width, fill, out,
               stride, typename Set::Extract(mask[w]));
    fill += width;
  }
  count_columns_body(out, stride, words_for(fill), counts);
}

template <class Set>
CONCEPTRANK_BODY void pack_body(const Word* bundle, std::size_t stride, std::size_t words,
                                const Word* mask, const Index* columns, std::size_t n, Word* out,
                                std::size_t out_stride) {
  std::size_t fill = 0;
  for (std::size_t w = 0; w < words; ++w) {
    if (mask[w] == 0) continue;
    const std::size_t width = popcount(mask[w]);
    const Word* row = bundle + w * stride;
    append_row([row, columns](std::size_t c) CONCEPTRANK_INLINE { return row[columns[c]]; }, n,
               width, fill, out, out_stride, typename Set::Extract(mask[w]));
    fill += width;
  }
  for (std::size_t w = 0; w < words_for(fill); ++w) {
    for (std::size_t c = n; c < out_stride; ++c) out[w * out_stride + c] = 0;
  }
}

/// The place of a number in the sorted list is how many are smaller. Equal numbers share a place,
/// and the places after it stay empty. Nothing here depends on the order of the numbers, which no
/// processor can predict.
CONCEPTRANK_BODY std::size_t sort_short_body(Index* list, std::size_t n) {
  using Lanes [[gnu::vector_size(short_list * sizeof(Index))]] = Index;
  Index numbers[short_list];
  Index sorted[short_list];
  Index places[short_list];
  for (std::size_t i = 0; i < short_list; ++i) numbers[i] = sorted[i] = no_number;
  for (std::size_t i = 0; i < n; ++i) numbers[i] = list[i];
  Lanes lanes;
  Lanes smaller{};
  std::memcpy(&lanes, numbers, sizeof lanes);
  for (std::size_t i = 0; i < n; ++i) smaller -= reinterpret_cast<Lanes>(lanes > list[i]);
  std::memcpy(places, &smaller, sizeof places);
  for (std::size_t i = 0; i < n; ++i) sorted[places[i]] = numbers[i];
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    list[kept] = sorted[i];
    kept += sorted[i] != no_number ? 1 : 0;
  }
  return kept;
}

/// Eight columns within a mask.
struct CountWithin {
  CONCEPTRANK_BODY void operator()(const Word* columns, std::size_t stride, std::size_t words,
                                   const Word* mask, const Word* planes, std::size_t n_planes,
                                   Index* counts, Index* supports) const {
    for (std::size_t c = 0; c < bundle_lanes; ++c) {
      Word rows = 0;
      Word more = 0;
      for (std::size_t w = 0; w < words; ++w) {
        const Word within = columns[w * stride + c] & mask[w];
        rows += popcount(within);
        const Word* plane = planes + w * bundle_stride(n_planes);
        for (std::size_t k = 0; k < n_planes; ++k) more += Word{popcount(within & plane[k])} << k;
      }
      counts[c] = static_cast<Index>(rows);
      supports[c] = static_cast<Index>(rows + more);
    }
  }
  /// Counts the first columns by a faster method and returns their number; there is none here.
  CONCEPTRANK_BODY std::size_t many(const Word*, std::size_t, std::size_t, const Word*, Index*,
                                    Index*) const {
    return 0;
  }
};

/// Eight columns at a time, and the first ones by a faster method if there is one.
template <class Set>
CONCEPTRANK_BODY void count_within_body(const Word* bundle, std::size_t stride, std::size_t words,
                                        const Word* mask, const Word* planes, std::size_t n_planes,
                                        Index* counts, Index* supports) {
  const typename Set::Within within;
  std::size_t c = 0;
  if (n_planes == 0) c = within.many(bundle, stride, words, mask, counts, supports);
  for (; c < stride; c += bundle_lanes) {
    within(bundle + c, stride, words, mask, planes, n_planes, counts + c, supports + c);
  }
}

CONCEPTRANK_BODY std::size_t first_rows_body(const Word* bundle, std::size_t stride,
                                             std::size_t n_rows, Word* firsts) {
  const std::size_t words = words_for(n_rows);
  std::size_t total = 0;
  for (std::size_t w = 0; w < words; ++w) {
    const Word* row = bundle + w * stride;
    Word lanes[bundle_lanes] = {};
    if (w == 0) {
      for (std::size_t c = 0; c < stride; c += bundle_lanes) {
        for (std::size_t i = 0; i < bundle_lanes; ++i) lanes[i] |= row[c + i] ^ row[c + i] << 1;
      }
      lanes[0] |= 1;
    } else {
      const Word* before = row - stride;
      for (std::size_t c = 0; c < stride; c += bundle_lanes) {
        for (std::size_t i = 0; i < bundle_lanes; ++i) {
          lanes[i] |= row[c + i] ^ (row[c + i] << 1 | before[c + i] >> (word_bits - 1));
        }
      }
    }
    Word differs = 0;
    for (std::size_t i = 0; i < bundle_lanes; ++i) differs |= lanes[i];
    firsts[w] = w + 1 < words ? differs : differs & tail_mask(n_rows);
    total += popcount(firsts[w]);
  }
  return total;
}

/// Bit i of the result: lane i of `left & right[0..8)` is zero.
CONCEPTRANK_BODY unsigned disjoint_lanes(Word left, const Word* right) {
  unsigned lanes = 0;
  for (unsigned i = 0; i < bundle_lanes; ++i) lanes |= unsigned{(left & right[i]) == 0} << i;
  return lanes;
}

/// Which of the eight columns from `lane` on contain column i in the `Count` words from w on.
template <std::size_t Count, class Set>
CONCEPTRANK_BODY unsigned supersets_in_words(const Word* bundle, const Word* complement,
                                             std::size_t i, std::size_t lane, std::size_t stride,
                                             std::size_t w) {
  unsigned lanes = ~0u;
  for (std::size_t k = w; k < w + Count; ++k) {
    lanes &= Set::disjoint(bundle[k * stride + i], complement + k * stride + lane);
  }
  return lanes;
}

/// The supersets of column i, maybe without itself, among the 64 columns from `block` on, as a
/// word. `Words` is the number of words of a column when that is known to be small, 0 otherwise.
template <std::size_t Words, class Set>
CONCEPTRANK_BODY Word supersets_in_block(const Word* bundle, std::size_t i, std::size_t block,
                                         std::size_t stride, std::size_t words,
                                         const Word* complement) {
  // Most columns are subsets of no other column, and a few words show that. Each step compares
  // several words, because it is unpredictable which one shows it.
  constexpr std::size_t step = 4;
  const std::size_t end = std::min(stride, block + word_bits);
  Word set = 0;
  for (std::size_t lane = block; lane < end; lane += bundle_lanes) {
    unsigned lanes = ~0u;
    if constexpr (Words == 0) {
      if (i - lane < bundle_lanes) lanes = ~(1u << (i - lane));
      std::size_t w = 0;
      for (; w + step <= words && lanes != 0; w += step) {
        lanes &= supersets_in_words<step, Set>(bundle, complement, i, lane, stride, w);
      }
      for (; w < words && lanes != 0; ++w) {
        lanes &= supersets_in_words<1, Set>(bundle, complement, i, lane, stride, w);
      }
    } else {
      lanes = supersets_in_words<Words, Set>(bundle, complement, i, lane, stride, 0);
    }
    set |= Word{lanes} << (lane - block);
  }
  return set;
}

template <std::size_t Words, class Set>
CONCEPTRANK_BODY std::size_t leaders_loop(const Word* bundle, std::size_t first, std::size_t last,
                                          std::size_t stride, std::size_t words,
                                          const Word* complement, Index* leaders, Word* supersets) {
  const std::size_t set_words = words_for(stride);
  std::size_t found = 0;
  for (std::size_t i = first; i < last; ++i) {
    Word* set = supersets + found * set_words;
    bool leads = true;
    for (std::size_t k = 0; k < set_words && leads; ++k) {
      set[k] = supersets_in_block<Words, Set>(bundle, i, k * word_bits, stride, words, complement);
      // A superset with a lower number exists, so this column leads no group.
      leads = set[k] == 0 || k * word_bits + lowest_bit(set[k]) >= i;
    }
    if constexpr (Words == 0) set_bit(set, i);
    leaders[found] = static_cast<Index>(i);
    found += leads ? 1 : 0;
  }
  return found;
}

template <class Set>
CONCEPTRANK_BODY std::size_t leaders_body(const Word* bundle, std::size_t first, std::size_t last,
                                          std::size_t stride, std::size_t words, Word* complement,
                                          Index* leaders, Word* supersets) {
  // Column i is a subset of column j if and only if it is disjoint from the complement of j.
  for (std::size_t k = 0; k < words * stride; ++k) complement[k] = ~bundle[k];
  const auto loop = [&]<std::size_t Words>() CONCEPTRANK_INLINE {
    return leaders_loop<Words, Set>(bundle, first, last, stride, Words == 0 ? words : Words,
                                    complement, leaders, supersets);
  };
  switch (words) {
    case 1:
      return loop.template operator()<1>();
    case 2:
      return loop.template operator()<2>();
    case 3:
      return loop.template operator()<3>();
    case 4:
      return loop.template operator()<4>();
    default:
      return loop.template operator()<0>();
  }
}

}  // namespace
}  // namespace conceptrank
