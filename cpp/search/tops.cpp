#include "cpp/search/tops.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "cpp/base/kernels.hpp"

namespace conceptrank {
namespace {

/// Copies the sets to `sorted`, the large ones first.
void sort_by_size(std::span<const Word> sets, Word* sorted) {
  // Two counters per size, used in turn. Neighbouring sets often have the same size, and a counter
  // that has just been written takes some cycles to be read again.
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

}  // namespace

void keep_maximal(std::vector<Word>& sets, std::vector<Word>& scratch) {
  const std::size_t n = sets.size();
  scratch.resize(bundle_stride(n));
  sort_by_size(sets, scratch.data());
  sets.resize(bundle_stride(n));
  sets.resize(kernels().maximal(scratch.data(), n, sets.data()));
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
