// Tops: the complements of extent faces over at most 64 rows, one word per set. A subset misses a
// face if and only if it is a subset of the face's complement.
#pragma once

#include <vector>

#include "cpp/base/words.hpp"

namespace conceptrank {

/// Sets over at most 64 elements. An element of weight w stands for w equal ones.
struct Tops {
  /// The largest total weight whose subsets can be counted.
  static constexpr std::size_t most_weight = 2 * word_bits;

  std::size_t n_elements = 0;
  std::vector<Word> sets;
  // If not 0: only the last n_small sets may be subsets of another one, which comes before these.
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
  /// Number of elements of weight 1 that are all that some set lacks.
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

/// Keeps the sets that are subsets of no other, each once, the large ones first.
void keep_maximal(std::vector<Word>& sets, std::vector<Word>& scratch);
/// The same if only the last n_small sets can be subsets of others, which come before these. Keeps
/// their order. If n_small is 0, any set may be a subset of any other.
void keep_maximal(std::vector<Word>& sets, std::size_t n_small, std::vector<Word>& scratch);

}  // namespace conceptrank
