// Tops: the complements of extent faces over at most 64 rows, one word per set. A subset misses a
// face if and only if it is a subset of the face's complement.
#pragma once

#include <vector>

#include "cpp/base/words.hpp"

namespace conceptrank {

/// Sets of at most 64 elements, some of which may stand for several.
struct Tops {
  /// Up to so many elements all subsets are marked, whatever the number of sets.
  static constexpr std::size_t few_elements = 13;
  /// The largest total weight whose subsets can be counted.
  static constexpr std::size_t most_weight = 2 * word_bits;

  std::size_t n_elements = 0;
  std::vector<Word> sets;
  // If not 0: no set lies inside another one, but for the last so many, which may lie inside one of
  // those before.
  std::size_t n_small = 0;
  std::vector<Word> planes;  // digit k of every element's weight less one; none if all weigh 1

  void reset(std::size_t elements) {
    n_elements = elements;
    sets.clear();
    n_small = 0;
    planes.clear();
  }
  std::size_t weigh(Word set) const {
    std::size_t weight = count_bits(set);
    for (std::size_t k = 0; k < planes.size(); ++k) weight += count_bits(set & planes[k]) << k;
    return weight;
  }
  /// How many elements of weight 1 there are which some set lacks alone.
  std::size_t lacked_alone() const {
    Word alone = 0;
    for (const Word set : sets) {
      const Word lacked = all() & ~set;
      alone |= lacked & (has_several(lacked) - 1);
    }
    for (const Word plane : planes) alone &= ~plane;
    return count_bits(alone);
  }
  Word all() const { return n_elements == 0 ? 0 : tail_mask(n_elements); }
};

/// Keeps the sets that lie inside no other, each once, the large ones first.
void keep_maximal(std::vector<Word>& sets, std::vector<Word>& scratch);
/// The same where only the last n_small can lie inside another one, which is before these; in their
/// order. Where n_small is 0 nothing is known.
void keep_maximal(std::vector<Word>& sets, std::size_t n_small, std::vector<Word>& scratch);

}  // namespace conceptrank
