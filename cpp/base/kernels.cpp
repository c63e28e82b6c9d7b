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

template <class Set>
CONCEPTRANK_BODY std::uint64_t mark_below_body(const Word* tops, std::size_t n_tops, Word mask,
                                               Word* subsets) {
  const std::size_t words = subset_words(popcount(mask));
  const typename Set::Extract extract(mask);
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

template <class Set>
CONCEPTRANK_BODY void mark_each_body(const Word* tops, std::size_t begin, std::size_t end,
                                     Word* marked) {
  // Eight at a time: the end of a loop over the tops before each one would be mispredicted.
  constexpr std::size_t step = 8;
  for (std::size_t base = begin; base < end; base += step) {
    // The last tops may be processed twice.
    const std::size_t first = begin + step <= end ? std::min(base, end - step) : begin;
    Word masks[step];
    for (std::size_t k = 0; k < step; ++k) masks[k] = first + k < end ? tops[first + k] : 0;
    Word marks[step] = {};
    for (std::size_t i = 0; i < first; ++i) {
      for (std::size_t k = 0; k < step; ++k)
        marks[k] |= Word{1} << typename Set::Extract(masks[k])(tops[i]);
    }
    for (std::size_t i = 0; i + 1 < step; ++i) {
      for (std::size_t k = i + 1; k < step; ++k)
        marks[k] |= Word{1} << typename Set::Extract(masks[k])(masks[i]);
    }
    for (std::size_t k = 0; k < step; ++k) marked[first - begin + k] = marks[k];
  }
  for (std::size_t k = 0; k < end - begin; ++k) mark_within(marked[k]);
}

template <class Set>
CONCEPTRANK_BODY std::size_t not_inside_body(const Word* sets, std::size_t n,
                                             const Word* complements, std::size_t n_complements,
                                             Word* kept) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Word set = sets[i];
    unsigned lanes = 0;
    for (std::size_t j = 0; j < n_complements; j += bundle_lanes) {
      lanes |= Set::disjoint(set, complements + j);
    }
    kept[found] = set;
    found += lanes == 0 ? 1 : 0;
  }
  return found;
}

template <class Set>
CONCEPTRANK_BODY std::size_t maximal_body(const Word* sets, std::size_t n, Word* kept) {
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
      lanes[k] = Set::disjoint(sets[base + k], block) & ((1u << k) - 1);
    }
    for (std::size_t j = 0; j < found; j += bundle_lanes) {
      for (std::size_t k = 0; k < bundle_lanes; ++k) {
        lanes[k] |= Set::disjoint(sets[base + k], kept + j);
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

template <class Set>
CONCEPTRANK_BODY std::size_t restrict_sets_body(const Word* sets, std::size_t n, Word mask,
                                                Word* out, Word* alone) {
  const typename Set::Extract extract(mask);
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

template <class Set>
CONCEPTRANK_BODY void differences_body(const Word* set, const Word* sets, std::size_t words,
                                       const Index* which, std::size_t n, Word* out) {
  std::size_t before = 0;  // elements in the words before
  for (std::size_t w = 0; w < words; ++w) {
    const typename Set::Extract extract(set[w]);
    const Word* other = sets + w;
    for (std::size_t k = 0; k < n; ++k) {
      const Word lacked = extract(set[w] & ~other[which[k] * words]) << (before % word_bits);
      out[k] = w == 0 ? lacked : out[k] | lacked;
    }
    before += popcount(set[w]);
  }
}

/// The operations for which an instruction set has instructions of its own.
struct Plain {
  using Extract = Extraction;
  CONCEPTRANK_BODY static unsigned disjoint(Word left, const Word* right) {
    return disjoint_lanes(left, right);
  }
  CONCEPTRANK_BODY static std::uint64_t sum_at(const Word* words, std::size_t n_words,
                                               const std::uint64_t* values) {
    return sum_at_body(words, n_words, values);
  }
  using Within = CountWithin;
};

// Each kernel of a set calls a body, which is compiled for that set's instructions.
#define CONCEPTRANK_KERNELS(NAME, TARGET, SET)                                      \
  namespace NAME {                                                                  \
  template <auto body>                                                              \
  struct Call;                                                                      \
  template <class Result, class... Arguments, Result (*body)(Arguments...)>         \
  struct Call<body> {                                                               \
    TARGET static Result run(Arguments... arguments) { return body(arguments...); } \
  };                                                                                \
  constexpr Kernels table{                                                          \
      .name = #NAME,                                                                \
      .count = Call<count_body>::run,                                               \
      .count_common = Call<count_common_body>::run,                                 \
      .sum_at = Call<SET::sum_at>::run,                                             \
      .intersect = Call<intersect_body>::run,                                       \
      .compress = Call<compress_body<SET>>::run,                                    \
      .count_columns = Call<count_columns_body>::run,                               \
      .leaders = Call<leaders_body<SET>>::run,                                      \
      .mark_below = Call<mark_below_body<SET>>::run,                                \
      .mark_each = Call<mark_each_body<SET>>::run,                                  \
      .first_rows = Call<first_rows_body>::run,                                     \
      .maximal = Call<maximal_body<SET>>::run,                                      \
      .not_inside = Call<not_inside_body<SET>>::run,                                \
      .restrict_sets = Call<restrict_sets_body<SET>>::run,                          \
      .pack = Call<pack_body<SET>>::run,                                            \
      .differences = Call<differences_body<SET>>::run,                              \
      .count_within = Call<count_within_body<SET>>::run,                            \
      .sort_short = Call<sort_short_body>::run,                                     \
  };                                                                                \
  }

CONCEPTRANK_KERNELS(baseline, , Plain)

#ifdef CONCEPTRANK_X86
#define CONCEPTRANK_AVX2 [[gnu::target("avx2,bmi,bmi2,popcnt")]]
#define CONCEPTRANK_AVX512 \
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,avx2,bmi,bmi2,popcnt")]]

struct Pext {
  Word mask;
  CONCEPTRANK_BODY explicit Pext(Word m) : mask(m) {}
  CONCEPTRANK_AVX2 inline Word operator()(Word word) const { return _pext_u64(word, mask); }
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

struct Avx2 : Plain {
  using Extract = Pext;
  CONCEPTRANK_AVX2 inline static unsigned disjoint(Word left, const Word* right) {
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
struct Avx512 : Avx2 {
  using Within = CountWithinAvx512;
  CONCEPTRANK_AVX512 inline static unsigned disjoint(Word left, const Word* right) {
    return _mm512_testn_epi64_mask(_mm512_set1_epi64(static_cast<long long>(left)),
                                   _mm512_loadu_si512(right));
  }
  CONCEPTRANK_AVX512 inline static std::uint64_t sum_at(const Word* words, std::size_t n_words,
                                                        const std::uint64_t* values) {
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

CONCEPTRANK_KERNELS(avx2, CONCEPTRANK_AVX2, Avx2)
CONCEPTRANK_KERNELS(avx512, CONCEPTRANK_AVX512, Avx512)
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
