// RowGroups: groups of equal rows of a small table, against a map from rows to numbers.
#include <algorithm>
#include <map>

#include "cpp/search/row_groups.hpp"
#include "harness.hpp"
#include "reference.hpp"

using namespace conceptrank;
using reference::Random;

TEST(row_groups_transpose) {
  Random random(91);
  for (std::size_t round = 0; round < 20; ++round) {
    Word matrix[word_bits];
    for (Word& word : matrix) word = random.bits();
    Word turned[word_bits];
    std::copy(std::begin(matrix), std::end(matrix), std::begin(turned));
    transpose(turned);
    bool right = true;
    for (std::size_t i = 0; i < word_bits; ++i) {
      for (std::size_t j = 0; j < word_bits; ++j) {
        right = right && (matrix[i] >> j & 1) == (turned[j] >> i & 1);
      }
    }
    CHECK(right);
  }
}

TEST(row_groups_of_random_tables) {
  Random random(92);
  RowGroups groups;
  for (std::size_t round = 0; round < harness::cases(400); ++round) {
    const std::size_t n_columns = 1 + random.below(round % 5 == 0 ? 64 : 12);
    const std::size_t n_rows = 1 + random.below(400);
    const Word key = random.bits() & (n_columns == 64 ? ~Word{0} : (Word{1} << n_columns) - 1);
    std::vector<Word> rows(n_rows);
    std::vector<Index> weights(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) {
      rows[i] = n_columns == 64 ? random.bits() : random.bits() & ((Word{1} << n_columns) - 1);
      weights[i] = round % 3 == 0 ? 1 : static_cast<Index>(1 + random.below(20));
    }
    // In the order of their first rows: what all rows of a group have, and its weight.
    std::map<Word, std::size_t> places;
    std::vector<Word> shared;
    std::vector<Index> weight;
    for (std::size_t i = 0; i < n_rows; ++i) {
      const auto [at, added] = places.try_emplace(rows[i] & key, shared.size());
      if (added) {
        shared.push_back(rows[i]);
        weight.push_back(weights[i]);
      } else {
        shared[at->second] &= rows[i];
        weight[at->second] += weights[i];
      }
    }

    const std::size_t stride = bundle_stride(n_columns);
    std::vector<Word> bundle(words_for(n_rows) * stride, 0);
    Planes planes;
    planes.assign(n_rows, [&](std::size_t i) { return weights[i]; });
    for (std::size_t i = 0; i < n_rows; ++i) {
      for (std::size_t c = 0; c < n_columns; ++c) {
        if ((rows[i] >> c & 1) != 0) bundle[i / 64 * stride + c] |= Word{1} << (i % 64);
      }
    }
    groups.group(bundle.data(), n_columns, stride, n_rows, key, planes);
    CHECK_EQUAL(groups.size(), shared.size());
    CHECK(std::ranges::equal(groups.weights(), weight));
    groups.write(n_columns, stride, bundle);
    planes.assign(groups.size(), [&](std::size_t i) { return groups.weights()[i]; });
    bool right = bundle.size() == words_for(shared.size()) * stride;
    for (std::size_t i = 0; i < shared.size() && right; ++i) {
      for (std::size_t c = 0; c < stride; ++c) {
        const bool has = (bundle[i / 64 * stride + c] >> (i % 64) & 1) != 0;
        right = right && has == (c < n_columns && (shared[i] >> c & 1) != 0);
      }
      Index found = 1;
      for (std::size_t k = 0; k < planes.n; ++k) {
        found += static_cast<Index>(planes.bits[i / 64 * planes.stride() + k] >> (i % 64) & 1) << k;
      }
      right = right && found == weight[i] && planes.weight(i) == weight[i];
    }
    CHECK(right);
  }
}

TEST(row_groups_sorted_by_the_last_column_first) {
  Random random(93);
  RowGroups groups;
  for (std::size_t round = 0; round < harness::cases(100); ++round) {
    const std::size_t n_columns = 1 + random.below(20);
    const std::size_t n_rows = 1 + random.below(300);
    const std::size_t stride = bundle_stride(n_columns);
    std::map<Word, Index> weights;
    std::vector<Word> bundle(words_for(n_rows) * stride, 0);
    for (std::size_t i = 0; i < n_rows; ++i) {
      const Word row = random.bits() & ((Word{1} << n_columns) - 1);
      ++weights[row];
      for (std::size_t c = 0; c < n_columns; ++c) {
        if ((row >> c & 1) != 0) set_bit(&bundle[i / 64 * stride + c], i % 64);
      }
    }
    groups.group(bundle.data(), n_columns, stride, n_rows, ~Word{0}, Planes{});
    groups.sort();
    groups.write(n_columns, stride, bundle);
    CHECK_EQUAL(groups.size(), weights.size());
    bool right = true;
    std::size_t i = 0;
    for (const auto& [row, weight] : weights) {
      for (std::size_t c = 0; c < n_columns; ++c) {
        right = right && test_bit(&bundle[i / 64 * stride + c], i % 64) == ((row >> c & 1) != 0);
      }
      right = right && groups.weights()[i++] == weight;
    }
    CHECK(right);
  }
}

TEST(row_groups_of_neighbours) {
  Random random(94);
  for (std::size_t round = 0; round < harness::cases(300); ++round) {
    const std::size_t n_columns = 1 + random.below(20);
    const std::size_t n_rows = 1 + random.below(300);
    const std::size_t stride = bundle_stride(n_columns);
    std::vector<Word> rows(n_rows);
    std::vector<Index> weights(n_rows, 1);
    std::vector<Word> bundle(words_for(n_rows) * stride, 0);
    for (std::size_t i = 0; i < n_rows; ++i) {
      const bool again = i != 0 && !random.chance(round % 4 * 0.1);
      rows[i] = again ? rows[i - 1] : random.bits() & ((Word{1} << n_columns) - 1);
      if (round % 3 != 0) weights[i] = static_cast<Index>(1 + random.below(2000));
      for (std::size_t c = 0; c < n_columns; ++c) {
        if ((rows[i] >> c & 1) != 0) set_bit(&bundle[i / 64 * stride + c], i % 64);
      }
    }
    std::vector<Word> firsts(words_for(n_rows), 0);
    std::vector<Index> sums;
    for (std::size_t i = 0; i < n_rows; ++i) {
      if (i == 0 || rows[i] != rows[i - 1]) {
        set_bit(firsts.data(), i);
        sums.push_back(0);
      }
      sums.back() += weights[i];
    }
    for (const Kernels* kernel : available_kernels()) {
      std::vector<Word> found(words_for(n_rows), 77);
      CHECK_EQUAL(kernel->first_rows(bundle.data(), stride, n_rows, found.data()), sums.size());
      CHECK(found == firsts);
    }
    Planes planes;
    planes.assign(n_rows, [&](std::size_t i) { return weights[i]; });
    std::vector<Index> found;
    planes.group_weights(firsts, n_rows, found);
    CHECK(found == sums);
  }
}
