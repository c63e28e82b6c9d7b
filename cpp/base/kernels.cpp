#include "cpp/base/kernels.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>

#include "cpp/base/kernel_bodies.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define CONCEPTRANK_X86 1
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace conceptrank {
namespace {

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
    for (const std::size_t k : {0U, 1U, 4U, 5U}) block[k] |= block[k + 2];
    for (const std::size_t k : {0U, 2U, 4U, 6U}) block[k] |= block[k + 1];
    for (std::size_t k = 0; k < bundle_lanes; ++k) mark_within(block[k]);
    for (std::size_t k = 0; k < bundle_lanes; ++k) total += popcount(block[k]);
  }
  return total;
}

template <class MakeExtract>
CONCEPTRANK_BODY void mark_each_body(const Word* tops, std::size_t begin, std::size_t end,
                                     Word* marked, const MakeExtract& make) {
  // Eight at a time: the end of a loop over the tops before each one would be mispredicted.
  constexpr std::size_t step = 8;
  for (std::size_t base = begin; base < end; base += step) {
    // The last tops may be processed twice.
    const std::size_t first = begin + step <= end ? std::min(base, end - step) : begin;
    Word masks[step];
    for (std::size_t k = 0; k < step; ++k) masks[k] = first + k < end ? tops[first + k] : 0;
    Word marks[step] = {};
    for (std::size_t i = 0; i < first; ++i) {
      for (std::size_t k = 0; k < step; ++k) marks[k] |= Word{1} << make(masks[k])(tops[i]);
    }
    for (std::size_t i = 0; i + 1 < step; ++i) {
      for (std::size_t k = i + 1; k < step; ++k) marks[k] |= Word{1} << make(masks[k])(masks[i]);
    }
    for (std::size_t k = 0; k < step; ++k) marked[first - begin + k] = marks[k];
  }
  for (std::size_t k = 0; k < end - begin; ++k) mark_within(marked[k]);
}

template <class Disjoint>
CONCEPTRANK_BODY std::size_t not_inside_body(const Word* sets, std::size_t n,
                                             const Word* complements, std::size_t n_complements,
                                             Word* kept, const Disjoint& disjoint) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Word set = sets[i];
    unsigned lanes = 0;
    for (std::size_t j = 0; j < n_complements; j += bundle_lanes) {
      lanes |= disjoint(set, complements + j);
    }
    kept[found] = set;
    found += lanes == 0 ? 1 : 0;
  }
  return found;
}

template <class Disjoint>
CONCEPTRANK_BODY std::size_t maximal_body(const Word* sets, std::size_t n, Word* kept,
                                          const Disjoint& disjoint) {
  // Complements during the comparison: a set is a subset of another if and only if it is disjoint
  // from the other's complement. Sets are compared in blocks: with all sets before them in the
  // block, and with the sets kept from earlier blocks. Reading values that were just written would
  // stall.
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
    // A set that is not kept may remain after the others. That is harmless, because its subsets are
    // also subsets of a set that is kept.
    for (std::size_t k = 0; k < size; ++k) {
      kept[found] = block[k];
      found += lanes[k] == 0 ? 1 : 0;
    }
  }
  for (std::size_t k = 0; k < found; ++k) kept[k] = ~kept[k];
  return found;
}

/// Eight columns, of which `n` count; see Kernels::several_within. Their numbers begin at `first`,
/// and `alone` may be missing.
struct SeveralWithin {
  CONCEPTRANK_BODY std::size_t operator()(const Word* columns, std::size_t stride,
                                          std::size_t words, const Word* mask, std::size_t n,
                                          std::size_t first, Index* kept, Word* alone) const {
    Word counts[bundle_lanes] = {};
    for (std::size_t w = 0; w < words; ++w) {
      const Word* row = columns + w * stride;
      for (std::size_t c = 0; c < n; ++c) counts[c] += popcount(row[c] & mask[w]);
    }
    // Branch-free, because sizes are unpredictable.
    const auto several = [&](std::size_t c)
                             CONCEPTRANK_INLINE { return (1 - counts[c]) >> (word_bits - 1); };
    for (std::size_t w = 0; alone != nullptr && w < words; ++w) {
      const Word* row = columns + w * stride;
      for (std::size_t c = 0; c < n; ++c) alone[w] |= row[c] & mask[w] & (several(c) - 1);
    }
    std::size_t found = 0;
    for (std::size_t c = 0; c < n; ++c) {
      kept[found] = static_cast<Index>(first + c);
      found += several(c);
    }
    return found;
  }
};

template <class Several>
CONCEPTRANK_BODY std::size_t several_within_body(const Word* bundle, std::size_t stride,
                                                 std::size_t n, std::size_t words, const Word* mask,
                                                 Index* kept, Word* alone, const Several& several) {
  std::size_t found = 0;
  for (std::size_t base = 0; base < n; base += bundle_lanes) {
    // Usually, after a few columns every row is the only row of one of them.
    Word open = 0;
    for (std::size_t w = 0; w < words; ++w) open |= mask[w] & ~alone[w];
    found += several(bundle + base, stride, words, mask, std::min(bundle_lanes, n - base), base,
                     kept + found, open == 0 ? nullptr : alone);
  }
  return found;
}

template <class MakeExtract>
CONCEPTRANK_BODY std::size_t restrict_sets_body(const Word* sets, std::size_t n, Word mask,
                                                Word* out, Word* alone, const MakeExtract& make) {
  const auto extract = make(mask);
  std::size_t several = 0;
  Word ones = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const Word set = extract(sets[k]);
    // Branch-free, because sizes are unpredictable.
    const Word more = has_several(set);
    ones |= set & (more - 1);
    out[several] = set;
    several += more;
  }
  *alone |= ones;
  return several;
}

template <class MakeExtract>
CONCEPTRANK_BODY void differences_body(const Word* set, const Word* sets, std::size_t words,
                                       const Index* which, std::size_t n, Word* out,
                                       const MakeExtract& make) {
  std::size_t before = 0;  // elements in the words before
  for (std::size_t w = 0; w < words; ++w) {
    const auto extract = make(set[w]);
    const Word* other = sets + w;
    for (std::size_t k = 0; k < n; ++k) {
      const Word lacked = extract(set[w] & ~other[which[k] * words]) << (before % word_bits);
      out[k] = w == 0 ? lacked : out[k] | lacked;
    }
    before += popcount(set[w]);
  }
}

struct MakeExtraction {
  CONCEPTRANK_BODY Extraction operator()(Word mask) const { return Extraction(mask); }
};
struct DisjointLanes {
  CONCEPTRANK_BODY unsigned operator()(Word left, const Word* right) const {
    return disjoint_lanes_body(left, right);
  }
};

#define CONCEPTRANK_KERNELS(NAME, TARGET, MAKE_EXTRACT, DISJOINT, COUNT_COMMON, SUM_AT,            \
                            COUNT_WITHIN, SEVERAL)                                                 \
  namespace NAME {                                                                                 \
  TARGET std::uint64_t count(const Word* words, std::size_t n_words) {                             \
    return count_body(words, n_words);                                                             \
  }                                                                                                \
  TARGET std::uint64_t count_common(const Word* left, const Word* right, std::size_t n_words) {    \
    return COUNT_COMMON{}(left, right, n_words);                                                   \
  }                                                                                                \
  TARGET std::uint64_t sum_at(const Word* words, std::size_t n_words,                              \
                              const std::uint64_t* values) {                                       \
    return SUM_AT{}(words, n_words, values);                                                       \
  }                                                                                                \
  TARGET std::uint64_t intersect(Word* into, const Word* with, std::size_t n_words) {              \
    return intersect_body(into, with, n_words);                                                    \
  }                                                                                                \
  TARGET void compress(const Word* bundle, std::size_t stride, std::size_t words,                  \
                       const Word* mask, Word* out, Index* counts) {                               \
    compress_body(bundle, stride, words, mask, out, counts, MAKE_EXTRACT{});                       \
  }                                                                                                \
  TARGET void compare(const PairComparison& pairs, PairTotals& totals) {                           \
    compare_body(pairs, totals);                                                                   \
  }                                                                                                \
  TARGET void count_columns(const Word* bundle, std::size_t stride, std::size_t words,             \
                            Index* counts) {                                                       \
    count_columns_body(bundle, stride, words, counts);                                             \
  }                                                                                                \
  TARGET std::size_t leaders(const Word* bundle, std::size_t first, std::size_t last,              \
                             std::size_t stride, std::size_t words, Word* complement, Index* out,  \
                             Word* supersets) {                                                    \
    return leaders_body(bundle, first, last, stride, words, complement, out, supersets,            \
                        DISJOINT{});                                                               \
  }                                                                                                \
  TARGET std::uint64_t mark_below(const Word* tops, std::size_t n_tops, Word mask,                 \
                                  Word* subsets) {                                                 \
    return mark_below_body(tops, n_tops, mask, subsets, MAKE_EXTRACT{});                           \
  }                                                                                                \
  TARGET void mark_each(const Word* tops, std::size_t begin, std::size_t end, Word* marked) {      \
    mark_each_body(tops, begin, end, marked, MAKE_EXTRACT{});                                      \
  }                                                                                                \
  TARGET std::size_t first_rows(const Word* bundle, std::size_t stride, std::size_t n_rows,        \
                                Word* firsts) {                                                    \
    return first_rows_body(bundle, stride, n_rows, firsts);                                        \
  }                                                                                                \
  TARGET std::size_t maximal(const Word* sets, std::size_t n, Word* kept) {                        \
    return maximal_body(sets, n, kept, DISJOINT{});                                                \
  }                                                                                                \
  TARGET std::size_t not_inside(const Word* sets, std::size_t n, const Word* complements,          \
                                std::size_t n_complements, Word* kept) {                           \
    return not_inside_body(sets, n, complements, n_complements, kept, DISJOINT{});                 \
  }                                                                                                \
  TARGET std::size_t several_within(const Word* bundle, std::size_t stride, std::size_t n,         \
                                    std::size_t words, const Word* mask, Index* kept,              \
                                    Word* alone) {                                                 \
    return several_within_body(bundle, stride, n, words, mask, kept, alone, SEVERAL{});            \
  }                                                                                                \
  TARGET std::size_t restrict_sets(const Word* sets, std::size_t n, Word mask, Word* out,          \
                                   Word* alone) {                                                  \
    return restrict_sets_body(sets, n, mask, out, alone, MAKE_EXTRACT{});                          \
  }                                                                                                \
  TARGET void pack(const Word* bundle, std::size_t stride, std::size_t words, const Word* mask,    \
                   const Index* columns, std::size_t n, Word* out, std::size_t out_stride) {       \
    pack_body(bundle, stride, words, mask, columns, n, out, out_stride, MAKE_EXTRACT{});           \
  }                                                                                                \
  TARGET void differences(const Word* set, const Word* sets, std::size_t words,                    \
                          const Index* which, std::size_t n, Word* out) {                          \
    differences_body(set, sets, words, which, n, out, MAKE_EXTRACT{});                             \
  }                                                                                                \
  TARGET void count_within(const Word* bundle, std::size_t stride, std::size_t words,              \
                           const Word* mask, const Word* planes, std::size_t n_planes,             \
                           Index* counts, Index* supports) {                                       \
    std::size_t c = 0;                                                                             \
    if (n_planes == 0) {                                                                           \
      c = COUNT_WITHIN{}.many(bundle, stride, words, mask, counts, supports);                      \
    }                                                                                              \
    for (; c < stride; c += bundle_lanes) {                                                        \
      COUNT_WITHIN{}(bundle + c, stride, words, mask, planes, n_planes, counts + c, supports + c); \
    }                                                                                              \
  }                                                                                                \
  TARGET std::size_t sort_short(Index* list, std::size_t n) { return sort_short_body(list, n); }   \
  constexpr Kernels table{#NAME,         count,      count_common,  sum_at,       intersect,       \
                          compress,      compare,    count_columns, leaders,      mark_below,      \
                          mark_each,     first_rows, maximal,       not_inside,   several_within,  \
                          restrict_sets, pack,       differences,   count_within, sort_short};     \
  }

CONCEPTRANK_KERNELS(baseline, , MakeExtraction, DisjointLanes, CountCommon, SumAt, CountWithin,
                    SeveralWithin)

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
struct CountCommonAvx512 {
  CONCEPTRANK_AVX512 inline std::uint64_t operator()(const Word* left, const Word* right,
                                                     std::size_t n_words) const {
    __m512i total = _mm512_setzero_si512();
    for (std::size_t w = 0; w < n_words; w += bundle_lanes) {
      const std::size_t n = std::min(bundle_lanes, n_words - w);
      const auto used = static_cast<__mmask8>((1u << n) - 1);
      const __m512i common = _mm512_and_si512(_mm512_maskz_loadu_epi64(used, left + w),
                                              _mm512_maskz_loadu_epi64(used, right + w));
      total = _mm512_add_epi64(total, _mm512_popcnt_epi64(common));
    }
    std::uint64_t lanes[bundle_lanes];
    _mm512_storeu_si512(lanes, total);
    return std::accumulate(lanes, lanes + bundle_lanes, std::uint64_t{0});
  }
};
struct SumAtAvx512 {
  CONCEPTRANK_AVX512 inline std::uint64_t operator()(const Word* words, std::size_t n_words,
                                                     const std::uint64_t* values) const {
    __m512i totals[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
    for (std::size_t w = 0; w < n_words; ++w) {
      if (words[w] == 0) continue;
      for (std::size_t lane = 0; lane < bundle_lanes; ++lane) {
        const auto set = static_cast<__mmask8>(words[w] >> (lane * bundle_lanes));
        totals[lane % 2] = _mm512_add_epi64(
            totals[lane % 2],
            _mm512_maskz_loadu_epi64(set, values + w * word_bits + lane * bundle_lanes));
      }
    }
    std::uint64_t lanes[bundle_lanes];
    _mm512_storeu_si512(lanes, _mm512_add_epi64(totals[0], totals[1]));
    return std::accumulate(lanes, lanes + bundle_lanes, std::uint64_t{0});
  }
};
struct CountWithinAvx512 {
  CONCEPTRANK_AVX512 inline void operator()(const Word* columns, std::size_t stride,
                                            std::size_t words, const Word* mask, const Word* planes,
                                            std::size_t n_planes, Index* counts,
                                            Index* supports) const {
    __m512i rows = _mm512_setzero_si512();
    __m512i total = rows;
    for (std::size_t w = 0; w < words; ++w) {
      const __m512i within = _mm512_and_si512(_mm512_loadu_si512(columns + w * stride),
                                              _mm512_set1_epi64(static_cast<long long>(mask[w])));
      const __m512i count = _mm512_popcnt_epi64(within);
      rows = _mm512_add_epi64(rows, count);
      total = _mm512_add_epi64(total, count);
      const Word* plane = planes + w * bundle_stride(n_planes);
      __m512i more = _mm512_setzero_si512();  // the planes' digits, the highest one first
      for (std::size_t k = n_planes; k-- > 0;) {
        const __m512i heavy =
            _mm512_and_si512(within, _mm512_set1_epi64(static_cast<long long>(plane[k])));
        more = _mm512_add_epi64(_mm512_add_epi64(more, more), _mm512_popcnt_epi64(heavy));
      }
      total = _mm512_add_epi64(total, more);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(counts),
                        _mm512_maskz_cvtepi64_epi32(0xff, rows));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(supports),
                        _mm512_maskz_cvtepi64_epi32(0xff, total));
  }

  /// Four times eight columns at once, without planes: their words are neighbours in memory.
  /// Returns the number of columns that are done.
  CONCEPTRANK_AVX512 inline std::size_t many(const Word* bundle, std::size_t stride,
                                             std::size_t words, const Word* mask, Index* counts,
                                             Index* supports) const {
    constexpr std::size_t at_once = 4;
    std::size_t c = 0;
    for (; c + at_once * bundle_lanes <= stride; c += at_once * bundle_lanes) {
      __m512i rows[at_once] = {};
      for (std::size_t w = 0; w < words; ++w) {
        const __m512i within = _mm512_set1_epi64(static_cast<long long>(mask[w]));
        const Word* row = bundle + w * stride + c;
        for (std::size_t k = 0; k < at_once; ++k) {
          const __m512i some = _mm512_and_si512(_mm512_loadu_si512(row + k * bundle_lanes), within);
          rows[k] = _mm512_add_epi64(rows[k], _mm512_popcnt_epi64(some));
        }
      }
      for (std::size_t k = 0; k < at_once; ++k) {
        const __m256i count = _mm512_maskz_cvtepi64_epi32(0xff, rows[k]);
        const std::size_t to = c + k * bundle_lanes;
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(counts + to), count);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(supports + to), count);
      }
    }
    return c;
  }
};

struct SeveralWithinAvx512 {
  CONCEPTRANK_AVX512 inline std::size_t operator()(const Word* columns, std::size_t stride,
                                                   std::size_t words, const Word* mask,
                                                   std::size_t n, std::size_t first, Index* kept,
                                                   Word* alone) const {
    __m512i counts = _mm512_setzero_si512();
    for (std::size_t w = 0; w < words; ++w) {
      const __m512i row = _mm512_loadu_si512(columns + w * stride);
      const __m512i within =
          _mm512_and_si512(row, _mm512_set1_epi64(static_cast<long long>(mask[w])));
      counts = _mm512_add_epi64(counts, _mm512_popcnt_epi64(within));
    }
    const auto used = static_cast<__mmask8>((1u << n) - 1);
    const __mmask8 several = _mm512_mask_cmpgt_epu64_mask(used, counts, _mm512_set1_epi64(1));
    const __mmask8 one = _mm512_mask_cmpeq_epu64_mask(used, counts, _mm512_set1_epi64(1));
    for (std::size_t w = 0; alone != nullptr && w < words; ++w) {
      Word ones[bundle_lanes];
      _mm512_storeu_si512(ones, _mm512_maskz_loadu_epi64(one, columns + w * stride));
      for (const Word column : ones) alone[w] |= column & mask[w];
    }
    const __m256i numbers = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(first)),
                                             _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(kept),
                        _mm256_maskz_compress_epi32(several, numbers));
    return popcount(several);
  }
};

CONCEPTRANK_KERNELS(avx2, CONCEPTRANK_AVX2, MakePext, DisjointLanesAvx2, CountCommon, SumAt,
                    CountWithin, SeveralWithin)
CONCEPTRANK_KERNELS(avx512, CONCEPTRANK_AVX512, MakePext, DisjointLanesAvx512, CountCommonAvx512,
                    SumAtAvx512, CountWithinAvx512, SeveralWithinAvx512)
#endif

#ifdef CONCEPTRANK_X86
/// Registers after the instruction cpuid; zeros where the processor has no such leaf.
struct CpuId {
  explicit CpuId(unsigned leaf) { __get_cpuid_count(leaf, 0, &a, &b, &c, &d); }
  unsigned a = 0, b = 0, c = 0, d = 0;
};

/// Whether the operating system saves these parts of the vector registers.
bool saves_registers(unsigned parts) {
  constexpr unsigned xsave_in_use = 1U << 27;
  if ((CpuId(1).c & xsave_in_use) == 0) return false;
  unsigned low = 0;
  unsigned high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & parts) == parts;
}
#endif

// Not __builtin_cpu_supports, because the runtime library of zig does not have what it needs.
std::vector<const Kernels*> detect() {
  std::vector<const Kernels*> found{&baseline::table};
#ifdef CONCEPTRANK_X86
  constexpr unsigned avx2_bits = 1U << 5 | 1U << 3 | 1U << 8;                  // AVX2, BMI, BMI2
  constexpr unsigned avx512_bits = 1U << 16 | 1U << 17 | 1U << 30 | 1U << 31;  // F, DQ, BW, VL
  constexpr unsigned vpopcntdq = 1U << 14;
  const CpuId features(7);
  const bool has_avx2 = (features.b & avx2_bits) == avx2_bits && saves_registers(0x06);
  if (has_avx2) found.push_back(&avx2::table);
  if (has_avx2 && (features.b & avx512_bits) == avx512_bits && (features.c & vpopcntdq) != 0 &&
      saves_registers(0xe6)) {
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

std::size_t sort_distinct(Index* list, std::size_t n) {
  if (n <= short_list) return kernels().sort_short(list, n);
  std::sort(list, list + n);
  Index* const end = std::unique(list, list + n);
  return static_cast<std::size_t>(end - list) - (end[-1] == no_number ? 1 : 0);
}

}  // namespace conceptrank
