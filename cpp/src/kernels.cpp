#include "conceptrank/kernels.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define CONCEPTRANK_X86 1
#include <immintrin.h>
#endif

namespace conceptrank {
namespace {

// One body a kernel, inlined into one thin wrapper an instruction set: the wrapper's target
// attribute decides which instructions the compiler may use for it.
#define CONCEPTRANK_BODY [[gnu::always_inline]] inline

CONCEPTRANK_BODY unsigned popcount(Word word) { return static_cast<unsigned>(std::popcount(word)); }

CONCEPTRANK_BODY std::uint64_t count_body(const Word* words, std::size_t n_words) {
  std::uint64_t total = 0;
  for (std::size_t w = 0; w < n_words; ++w) total += popcount(words[w]);
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

/// Appends `extract(word)`, `width` bits wide, to every column of the output at bit `fill`.
template <class Extract>
CONCEPTRANK_BODY void append_row(const Word* row, std::size_t stride, std::size_t width,
                                 std::size_t fill, Word* out, const Extract& extract) {
  Word* low = out + fill / word_bits * stride;
  const std::size_t shift = fill % word_bits;
  if (shift == 0) {
    for (std::size_t c = 0; c < stride; ++c) low[c] = extract(row[c]);
  } else if (shift + width <= word_bits) {
    for (std::size_t c = 0; c < stride; ++c) low[c] |= extract(row[c]) << shift;
  } else {
    Word* high = low + stride;
    for (std::size_t c = 0; c < stride; ++c) {
      const Word bits = extract(row[c]);
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

template <class MakeExtract>
CONCEPTRANK_BODY void compress_body(const Word* bundle, std::size_t stride, std::size_t words,
                                    const Word* mask, Word* out, Index* counts,
                                    const MakeExtract& make) {
  std::size_t fill = 0;
  for (std::size_t w = 0; w < words; ++w) {
    if (mask[w] == 0) continue;
    const std::size_t width = popcount(mask[w]);
    append_row(bundle + w * stride, stride, width, fill, out, make(mask[w]));
    fill += width;
  }
  count_columns_body(out, stride, words_for(fill), counts);
}

CONCEPTRANK_BODY void weigh_body(const Word* bundle, std::size_t stride, std::size_t words,
                                 const Word* plane, std::size_t plane_stride, Index factor,
                                 Index* supports) {
  for (std::size_t w = 0; w < words; ++w) {
    const Word mask = plane[w * plane_stride];
    if (mask == 0) continue;
    const Word* row = bundle + w * stride;
    for (std::size_t c = 0; c < stride; ++c) supports[c] += factor * popcount(row[c] & mask);
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
CONCEPTRANK_BODY unsigned disjoint_lanes_body(Word left, const Word* right) {
  unsigned lanes = 0;
  for (unsigned i = 0; i < bundle_lanes; ++i) lanes |= unsigned{(left & right[i]) == 0} << i;
  return lanes;
}

CONCEPTRANK_BODY void compare_body(const PairComparison& p, PairTotals& totals) {
  PairTotals sums = totals;  // a copy that nothing can alias: it stays in registers
  for (std::size_t block = p.begin; block < p.stride; block += bundle_lanes) {
    Word common[bundle_lanes] = {};
    for (std::size_t w = 0; w < p.words; ++w) {
      const Word* row = p.bundle + w * p.stride + block;
      for (std::size_t c = 0; c < bundle_lanes; ++c) {
        common[c] += static_cast<Word>(std::popcount(p.set[w] & row[c]));
      }
    }
    for (std::size_t c = 0; c < bundle_lanes; ++c) {
      const auto shared = static_cast<double>(static_cast<std::int64_t>(common[c]));
      const double weight = p.weight * p.weights[block + c];
      const double either = p.size + p.sizes[block + c] - shared;
      const double jaccard = shared / (either > 0 ? either : 1);
      const double differing = either - shared;
      sums.jaccard[c] += weight * jaccard;
      sums.differing[c] += weight * differing;
      const double counted_jaccard = weight > 0 ? jaccard : 1;
      const double counted_differing = weight > 0 ? differing : 0;
      sums.least_jaccard[c] =
          counted_jaccard < sums.least_jaccard[c] ? counted_jaccard : sums.least_jaccard[c];
      sums.most_differing[c] =
          counted_differing > sums.most_differing[c] ? counted_differing : sums.most_differing[c];
    }
  }
  totals = sums;
}

/// Which of the eight columns from `lane` on contain column i in all words from w on, as far as
/// `Count` words go.
template <std::size_t Count, class Disjoint>
CONCEPTRANK_BODY unsigned supersets_in_words(const Word* bundle, const Word* complement,
                                             std::size_t i, std::size_t lane, std::size_t stride,
                                             std::size_t w, const Disjoint& disjoint) {
  unsigned lanes = ~0u;
  for (std::size_t k = w; k < w + Count; ++k) {
    lanes &= disjoint(bundle[k * stride + i], complement + k * stride + lane);
  }
  return lanes;
}

/// The supersets of column i, maybe without itself, among the 64 columns from `block` on, as a
/// word. `Words` is the number of words of a column when that is known to be small, 0 otherwise.
template <std::size_t Words, class Disjoint>
CONCEPTRANK_BODY Word supersets_in_block(const Word* bundle, std::size_t i, std::size_t block,
                                         std::size_t stride, std::size_t words,
                                         const Word* complement, const Disjoint& disjoint) {
  // Most columns contain no other one, and a few words show that: look at so many at once, since
  // it can't be foreseen which one does.
  constexpr std::size_t step = 4;
  const std::size_t end = std::min(stride, block + word_bits);
  Word set = 0;
  for (std::size_t lane = block; lane < end; lane += bundle_lanes) {
    unsigned lanes = ~0u;
    if constexpr (Words == 0) {
      if (i - lane < bundle_lanes) lanes = ~(1u << (i - lane));
      std::size_t w = 0;
      for (; w + step <= words && lanes != 0; w += step) {
        lanes &= supersets_in_words<step>(bundle, complement, i, lane, stride, w, disjoint);
      }
      for (; w < words && lanes != 0; ++w) {
        lanes &= supersets_in_words<1>(bundle, complement, i, lane, stride, w, disjoint);
      }
    } else {
      lanes = supersets_in_words<Words>(bundle, complement, i, lane, stride, 0, disjoint);
    }
    set |= Word{lanes} << (lane - block);
  }
  return set;
}

template <std::size_t Words, class Disjoint>
CONCEPTRANK_BODY std::size_t leaders_loop(const Word* bundle, std::size_t first, std::size_t n,
                                          std::size_t stride, std::size_t words,
                                          const Word* complement, Index* leaders, Word* supersets,
                                          const Disjoint& disjoint) {
  const std::size_t set_words = words_for(stride);
  std::size_t found = 0;
  for (std::size_t i = first; i < n; ++i) {
    Word* set = supersets + found * set_words;
    bool leads = true;
    for (std::size_t k = 0; k < set_words && leads; ++k) {
      set[k] =
          supersets_in_block<Words>(bundle, i, k * word_bits, stride, words, complement, disjoint);
      // A superset with a lower number: somebody else leads.
      leads = set[k] == 0 || k * word_bits + lowest_bit(set[k]) >= i;
    }
    if constexpr (Words == 0) set_bit(set, i);
    leaders[found] = static_cast<Index>(i);
    found += leads ? 1 : 0;
  }
  return found;
}

template <class Disjoint>
CONCEPTRANK_BODY std::size_t leaders_body(const Word* bundle, std::size_t first, std::size_t n,
                                          std::size_t stride, std::size_t words, Word* complement,
                                          Index* leaders, Word* supersets,
                                          const Disjoint& disjoint) {
  // Column i lies inside column j iff i is disjoint from the complement of j.
  for (std::size_t k = 0; k < words * stride; ++k) complement[k] = ~bundle[k];
  switch (words) {
    case 1:
      return leaders_loop<1>(bundle, first, n, stride, 1, complement, leaders, supersets, disjoint);
    case 2:
      return leaders_loop<2>(bundle, first, n, stride, 2, complement, leaders, supersets, disjoint);
    case 3:
      return leaders_loop<3>(bundle, first, n, stride, 3, complement, leaders, supersets, disjoint);
    case 4:
      return leaders_loop<4>(bundle, first, n, stride, 4, complement, leaders, supersets, disjoint);
    default:
      return leaders_loop<0>(bundle, first, n, stride, words, complement, leaders, supersets,
                             disjoint);
  }
}

/// The part of mark_below for the first six elements, which differ within a word.
CONCEPTRANK_BODY Word mark_within(Word& word) {
  word |= word >> 32 & 0x00000000ffffffff;
  word |= word >> 16 & 0x0000ffff0000ffff;
  word |= word >> 8 & 0x00ff00ff00ff00ff;
  word |= word >> 4 & 0x0f0f0f0f0f0f0f0f;
  word |= word >> 2 & 0x3333333333333333;
  word |= word >> 1 & 0x5555555555555555;
  return word;
}

template <class MakeExtract>
CONCEPTRANK_BODY std::uint64_t mark_below_body(const Word* tops, std::size_t n_tops, Word mask,
                                               Word* subsets, const MakeExtract& make) {
  const std::size_t words = subset_words(popcount(mask));
  const auto extract = make(mask);
  if (words == 1) {
    Word marked = 0;
    for (std::size_t i = 0; i < n_tops; ++i) marked |= Word{1} << extract(tops[i]);
    subsets[0] = mark_within(marked);
    return popcount(marked);
  }
  for (std::size_t w = 0; w < words; ++w) subsets[w] = 0;
  for (std::size_t i = 0; i < n_tops; ++i) {
    const Word top = extract(tops[i]);
    subsets[top / word_bits] |= Word{1} << (top % word_bits);
  }
  // Without element e: the set itself or the one that has e as well. First the elements that differ
  // by whole words, then those within a word.
  for (std::size_t step = words / 2; step >= bundle_lanes; step /= 2) {
    for (std::size_t base = 0; base < words; base += 2 * step) {
      for (std::size_t k = base; k < base + step; ++k) subsets[k] |= subsets[k + step];
    }
  }
  std::uint64_t total = 0;
  if (words < bundle_lanes) {
    for (std::size_t step = words / 2; step > 0; step /= 2) {
      for (std::size_t k = 0; k < words - step; ++k) {
        if ((k & step) == 0) subsets[k] |= subsets[k + step];
      }
    }
    for (std::size_t w = 0; w < words; ++w) total += popcount(mark_within(subsets[w]));
    return total;
  }
  for (std::size_t base = 0; base < words; base += bundle_lanes) {
    Word* block = subsets + base;
    for (std::size_t k = 0; k < 4; ++k) block[k] |= block[k + 4];
    for (const std::size_t k : {0, 1, 4, 5}) block[k] |= block[k + 2];
    for (const std::size_t k : {0, 2, 4, 6}) block[k] |= block[k + 1];
    for (std::size_t k = 0; k < bundle_lanes; ++k) mark_within(block[k]);
    for (std::size_t k = 0; k < bundle_lanes; ++k) total += popcount(block[k]);
  }
  return total;
}

template <class Disjoint>
CONCEPTRANK_BODY std::size_t maximal_body(const Word* sets, std::size_t n, Word* kept,
                                          const Disjoint& disjoint) {
  // Complements for the time being: a set lies inside another iff it is disjoint from that one's
  // complement. Sets are compared a block at a time, with all before them in the block and with
  // what was kept of the blocks before: what has just been written can't be read at once.
  std::fill_n(kept, bundle_stride(n), ~Word{0});
  std::size_t found = 0;
  for (std::size_t base = 0; base < n; base += bundle_lanes) {
    const std::size_t size = std::min(bundle_lanes, n - base);
    Word block[bundle_lanes];
    for (std::size_t k = 0; k < bundle_lanes; ++k) block[k] = ~sets[base + k];
    unsigned lanes[bundle_lanes];
    for (std::size_t k = 0; k < bundle_lanes; ++k) {
      lanes[k] = disjoint(sets[base + k], block) & ((1u << k) - 1);
    }
    for (std::size_t j = 0; j < found; j += bundle_lanes) {
      for (std::size_t k = 0; k < bundle_lanes; ++k) {
        lanes[k] |= disjoint(sets[base + k], kept + j);
      }
    }
    // A set that is not kept may stay behind the others. That does no harm, for what lies inside it
    // lies inside one that is kept.
    for (std::size_t k = 0; k < size; ++k) {
      kept[found] = block[k];
      found += lanes[k] == 0 ? 1 : 0;
    }
  }
  for (std::size_t k = 0; k < found; ++k) kept[k] = ~kept[k];
  return found;
}

struct MakeExtraction {
  CONCEPTRANK_BODY Extraction operator()(Word mask) const { return Extraction(mask); }
};
struct DisjointLanes {
  CONCEPTRANK_BODY unsigned operator()(Word left, const Word* right) const {
    return disjoint_lanes_body(left, right);
  }
};

#define CONCEPTRANK_KERNELS(NAME, TARGET, MAKE_EXTRACT, DISJOINT)                                 \
  namespace NAME {                                                                                \
  TARGET std::uint64_t count(const Word* words, std::size_t n_words) {                            \
    return count_body(words, n_words);                                                            \
  }                                                                                               \
  TARGET std::uint64_t intersect(Word* into, const Word* with, std::size_t n_words) {             \
    return intersect_body(into, with, n_words);                                                   \
  }                                                                                               \
  TARGET void compress(const Word* bundle, std::size_t stride, std::size_t words,                 \
                       const Word* mask, Word* out, Index* counts) {                              \
    compress_body(bundle, stride, words, mask, out, counts, MAKE_EXTRACT{});                      \
  }                                                                                               \
  TARGET void compare(const PairComparison& pairs, PairTotals& totals) {                          \
    compare_body(pairs, totals);                                                                  \
  }                                                                                               \
  TARGET void count_columns(const Word* bundle, std::size_t stride, std::size_t words,            \
                            Index* counts) {                                                      \
    count_columns_body(bundle, stride, words, counts);                                            \
  }                                                                                               \
  TARGET void weigh(const Word* bundle, std::size_t stride, std::size_t words, const Word* plane, \
                    std::size_t plane_stride, Index factor, Index* supports) {                    \
    weigh_body(bundle, stride, words, plane, plane_stride, factor, supports);                     \
  }                                                                                               \
  TARGET std::size_t leaders(const Word* bundle, std::size_t first, std::size_t n,                \
                             std::size_t stride, std::size_t words, Word* complement, Index* out, \
                             Word* supersets) {                                                   \
    return leaders_body(bundle, first, n, stride, words, complement, out, supersets, DISJOINT{}); \
  }                                                                                               \
  TARGET std::uint64_t mark_below(const Word* tops, std::size_t n_tops, Word mask,                \
                                  Word* subsets) {                                                \
    return mark_below_body(tops, n_tops, mask, subsets, MAKE_EXTRACT{});                          \
  }                                                                                               \
  TARGET std::size_t first_rows(const Word* bundle, std::size_t stride, std::size_t n_rows,       \
                                Word* firsts) {                                                   \
    return first_rows_body(bundle, stride, n_rows, firsts);                                       \
  }                                                                                               \
  TARGET std::size_t maximal(const Word* sets, std::size_t n, Word* kept) {                       \
    return maximal_body(sets, n, kept, DISJOINT{});                                               \
  }                                                                                               \
  constexpr Kernels table{#NAME, count,   intersect,  compress,   compare, count_columns,         \
                          weigh, leaders, mark_below, first_rows, maximal};                       \
  }

CONCEPTRANK_KERNELS(baseline, , MakeExtraction, DisjointLanes)

#ifdef CONCEPTRANK_X86
#define CONCEPTRANK_AVX2 [[gnu::target("avx2,bmi,bmi2,popcnt")]]
#define CONCEPTRANK_AVX512 \
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,avx2,bmi,bmi2,popcnt")]]

struct Pext {
  Word mask;
  CONCEPTRANK_AVX2 inline Word operator()(Word word) const { return _pext_u64(word, mask); }
};
struct MakePext {
  CONCEPTRANK_BODY Pext operator()(Word mask) const { return Pext{mask}; }
};
struct DisjointLanesAvx2 {
  CONCEPTRANK_AVX2 inline unsigned operator()(Word left, const Word* right) const {
    const __m256i l = _mm256_set1_epi64x(static_cast<long long>(left));
    const __m256i zero = _mm256_setzero_si256();
    unsigned lanes = 0;
    for (unsigned half = 0; half < 2; ++half) {
      const __m256i r =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(right + half * std::size_t{4}));
      const __m256i equal = _mm256_cmpeq_epi64(_mm256_and_si256(l, r), zero);
      lanes |= static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(equal))) << (4 * half);
    }
    return lanes;
  }
};
struct DisjointLanesAvx512 {
  CONCEPTRANK_AVX512 inline unsigned operator()(Word left, const Word* right) const {
    return _mm512_testn_epi64_mask(_mm512_set1_epi64(static_cast<long long>(left)),
                                   _mm512_loadu_si512(right));
  }
};

CONCEPTRANK_KERNELS(avx2, CONCEPTRANK_AVX2, MakePext, DisjointLanesAvx2)
CONCEPTRANK_KERNELS(avx512, CONCEPTRANK_AVX512, MakePext, DisjointLanesAvx512)
#endif

std::vector<const Kernels*> detect() {
  std::vector<const Kernels*> found{&baseline::table};
#ifdef CONCEPTRANK_X86
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                        __builtin_cpu_supports("bmi2");
  if (has_avx2) found.push_back(&avx2::table);
  if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512vpopcntdq")) {
    found.push_back(&avx512::table);
  }
#endif
  return found;
}

const Kernels& choose() {
  const auto all = available_kernels();
  const char* forced = std::getenv("CONCEPTRANK_KERNEL");
  if (forced == nullptr || *forced == '\0') return *all.back();
  std::string known;
  for (const Kernels* candidate : all) {
    if (candidate->name == forced) return *candidate;
    known += (known.empty() ? "" : ", ") + std::string(candidate->name);
  }
  throw std::invalid_argument("CONCEPTRANK_KERNEL=" + std::string(forced) +
                              " can't run here; this processor has: " + known);
}

}  // namespace

std::span<const Kernels* const> available_kernels() {
  static const std::vector<const Kernels*> all = detect();
  return all;
}

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace conceptrank
