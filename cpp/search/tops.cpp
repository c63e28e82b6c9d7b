#include "cpp/search/tops.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "cpp/base/kernels.hpp"

namespace conceptrank {
namespace {

/// Of many sets, those of up to two elements are not compared with any other: a set marks the pairs
/// that it contains. Takes them out of the sets.
class SmallSets {
 public:
  explicit SmallSets(std::vector<Word>& sets) {
    // No branch, since they come as they please.
    Word* other = sets.data();
    Word alone = 0;
    for (const Word set : sets) {
      const Word rest = set & (set - 1);
      const Word large = has_several(rest);
      const Word small = set & (large - 1);
      alone |= small;
      partners_[static_cast<std::size_t>(std::countr_zero(set)) % word_bits] |= rest & small;
      *other = set;
      other += large;
    }
    sets.resize(static_cast<std::size_t>(other - sets.data()));
    alone_ = alone;
  }

  /// Adds those that lie in none of the sets, which are maximal.
  void add_to(std::vector<Word>& sets) {
    Word covered = 0;
    for (const Word set : sets) {
      covered |= set;
      for (Word rest = set; rest != 0; rest &= rest - 1) partners_[lowest_bit(rest)] &= ~set;
    }
    for (std::size_t first = 0; first < word_bits; ++first) {
      for (Word rest = partners_[first]; rest != 0; rest &= rest - 1) {
        const Word set = Word{1} << first | (rest & (~rest + 1));
        sets.push_back(set);
        covered |= set;
      }
    }
    for (Word rest = alone_ & ~covered; rest != 0; rest &= rest - 1) {
      sets.push_back(rest & (~rest + 1));
    }
  }

 private:
  std::array<Word, word_bits> partners_{};  // by the smaller element
  Word alone_ = 0;                          // elements of these sets
};

/// Copies the sets to `sorted`, the large ones first.
void sort_by_size(std::span<const Word> sets, Word* sorted) {
  // Two counts a size, since neighbours often have the same: what has just been written can't be
  // read at once.
  std::array<std::array<Index, 2>, word_bits + 1> place{};
  std::size_t most = 0;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const std::size_t size = count_bits(sets[i]);
    ++place[size][i % 2];
    most = std::max(most, size);
  }
  Index next = 0;
  for (std::size_t size = most + 1; size-- > 0;) {
    next += std::exchange(place[size][0], next);
    next += std::exchange(place[size][1], next);
  }
  for (std::size_t i = 0; i < sets.size(); ++i) {
    sorted[place[count_bits(sets[i])][i % 2]++] = sets[i];
  }
}

void keep_maximal_by_size(std::vector<Word>& sets, std::vector<Word>& scratch) {
  const std::size_t n = sets.size();
  scratch.resize(bundle_stride(n));
  sort_by_size(sets, scratch.data());
  sets.resize(bundle_stride(n));
  sets.resize(kernels().maximal(scratch.data(), n, sets.data()));
}

}  // namespace

void keep_maximal(std::vector<Word>& sets, std::vector<Word>& scratch) {
  constexpr std::size_t many = 256;
  if (sets.size() < many) {
    keep_maximal_by_size(sets, scratch);
    return;
  }
  SmallSets small(sets);
  keep_maximal_by_size(sets, scratch);
  small.add_to(sets);
}

void keep_maximal(std::vector<Word>& sets, std::size_t n_small, std::vector<Word>& scratch) {
  if (n_small == 0) {
    keep_maximal(sets, scratch);
    return;
  }
  const std::size_t n_large = sets.size() - n_small;
  scratch.assign(bundle_stride(n_large), ~Word{0});
  for (std::size_t k = 0; k < n_large; ++k) scratch[k] = ~sets[k];
  Word* small = sets.data() + n_large;
  sets.resize(n_large +
              kernels().not_inside(small, n_small, scratch.data(), scratch.size(), small));
}

}  // namespace conceptrank
