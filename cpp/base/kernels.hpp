// Kernels: the loops over words whose speed depends on the instruction set. Each kernel exists once
// as source and is compiled for several instruction sets; the best one that the processor has is
// picked at first use, or the one that the environment variable CONCEPTRANK_KERNEL names.
//
// A bundle is a set of `n` columns of `words` words each, stored word-major: word w of column c is
// bundle[w * stride + c]. The stride is a multiple of `bundle_lanes`, and the columns from n to the
// stride are zero. So a loop over columns is a loop over neighbours in memory.
#pragma once

#include <string_view>

#include "cpp/base/words.hpp"

namespace conceptrank {

inline constexpr std::size_t bundle_lanes = 8;

constexpr std::size_t bundle_stride(std::size_t n) {
  return (n + bundle_lanes - 1) / bundle_lanes * bundle_lanes;
}

/// The number of words of a bit set over all subsets of a set of `elements` elements.
constexpr std::size_t subset_words(std::size_t elements) {
  return elements <= 6 ? 1 : std::size_t{1} << (elements - 6);
}

struct Kernels {
  std::string_view name;

  /// Number of set bits.
  std::uint64_t (*count)(const Word* words, std::size_t n_words);

  /// Number of bits that are set in both.
  std::uint64_t (*count_common)(const Word* left, const Word* right, std::size_t n_words);

  /// Sum of the values at the set bits.
  std::uint64_t (*sum_at)(const Word* words, std::size_t n_words, const std::uint64_t* values);

  /// into &= with; returns the number of bits left.
  std::uint64_t (*intersect)(Word* into, const Word* with, std::size_t n_words);

  /// Keeps, of every column, the rows in `mask`, packed together at the low end. `out` has room for
  /// words_for(|mask|) * stride words; counts[c] becomes the number of rows left in column c.
  void (*compress)(const Word* bundle, std::size_t stride, std::size_t words, const Word* mask,
                   Word* out, Index* counts);

  /// counts[c] := number of rows of column c.
  void (*count_columns)(const Word* bundle, std::size_t stride, std::size_t words, Index* counts);

  /// The columns c in [first, last) of which no column before c is a superset, in leaders[0 .. k),
  /// and for each of them the set of the columns that contain it, itself included, in
  /// words_for(stride) words of `supersets` each; returns k. Columns are not empty. There must be
  /// room for last - first leaders and one more set; `complement` is scratch of words * stride.
  std::size_t (*leaders)(const Word* bundle, std::size_t first, std::size_t last,
                         std::size_t stride, std::size_t words, Word* complement, Index* leaders,
                         Word* supersets);

  /// Marks the subsets of `mask` that are subsets of one of the tops. Bit s of `subsets`, which has
  /// subset_words(...) words, stands for the set of the elements whose digit in s is 1. Returns
  /// their number.
  std::uint64_t (*mark_below)(const Word* tops, std::size_t n_tops, Word mask, Word* subsets);

  /// The same for each of the tops in [begin, end), which have at most 6 elements, and the tops
  /// before it: marked[0] is the word of tops[begin].
  void (*mark_each)(const Word* tops, std::size_t begin, std::size_t end, Word* marked);

  /// Marks in `firsts` the rows that differ from the row before, and the first one; returns their
  /// number. There is at least one row.
  std::size_t (*first_rows)(const Word* bundle, std::size_t stride, std::size_t n_rows,
                            Word* firsts);

  /// Keeps the sets that are subsets of no other, each once, and returns their number. The sets
  /// must be in an order in which none is a proper subset of a later one. Both arrays have room for
  /// bundle_stride(n).
  std::size_t (*maximal)(const Word* sets, std::size_t n, Word* kept);

  /// Of n sets, keeps those that are subsets of none of a few others, whose complements are given,
  /// filled up with full words to a multiple of bundle_lanes. `kept` may be `sets`. Returns their
  /// number.
  std::size_t (*not_inside)(const Word* sets, std::size_t n, const Word* complements,
                            std::size_t n_complements, Word* kept);

  /// Restricts n sets to `mask`, with the elements of the mask packed together at the low end.
  /// Those of several elements go to `out`, which has room for n, the elements of others into
  /// `alone`. Returns the number of those of several.
  std::size_t (*restrict_sets)(const Word* sets, std::size_t n, Word mask, Word* out, Word* alone);

  /// Like compress, but only for the n columns in `columns`. They become the columns of the bundle
  /// `out`, which has its own stride; its other columns become zero.
  void (*pack)(const Word* bundle, std::size_t stride, std::size_t words, const Word* mask,
               const Index* columns, std::size_t n, Word* out, std::size_t out_stride);

  /// out[k] := the elements of a set, by their places in it, that set which[k] of `sets` lacks.
  /// Sets have `words` words each, this one has at most 64 elements.
  void (*differences)(const Word* set, const Word* sets, std::size_t words, const Index* which,
                      std::size_t n, Word* out);

  /// counts[c] := |column c & mask|, supports[c] := the same with each row counted as often as the
  /// planes say.
  void (*count_within)(const Word* bundle, std::size_t stride, std::size_t words, const Word* mask,
                       const Word* planes, std::size_t n_planes, Index* counts, Index* supports);

  /// See sort_distinct; n is at most `short_list`.
  std::size_t (*sort_short)(Index* list, std::size_t n);
};

/// The kernels in use. Throws std::invalid_argument when CONCEPTRANK_KERNEL names an unknown one or
/// one that this processor can't run.
const Kernels& kernels();

/// The kernels that this processor can run, slowest first.
std::span<const Kernels* const> available_kernels();

/// Stands in a list for an entry that is left out.
inline constexpr Index no_number = ~Index{0};
/// The most numbers that are sorted by comparing each with all others at once.
inline constexpr std::size_t short_list = 16;

/// Sorts a list, keeps each number once, drops `no_number`, and returns how many are left.
std::size_t sort_distinct(Index* list, std::size_t n);

}  // namespace conceptrank
