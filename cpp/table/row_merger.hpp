// RowMerger: equal rows become one row with a weight. Rows come one at a time, so that a table that
// is larger than memory needs only its different rows.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "cpp/base/words.hpp"

namespace conceptrank {

class RowMerger {
 public:
  /// For about so many different rows; more are no problem.
  explicit RowMerger(std::size_t n_rows = 0);

  /// Adds a row that stands for `weight` objects, and returns the number of that row among the
  /// different ones, which are in the order of their first appearance. Throws std::length_error
  /// when more objects have one row than a number holds.
  Index add(std::span<const Index> row, std::uint64_t weight = 1) {
    return add(row, weight, hash_of(row));
  }

  /// The number of a row that was added; nothing if it was not.
  std::optional<Index> find(std::span<const Index> row) const;

  /// Adds `n` rows: row `i` is `row_of(i)` and stands for `weight_of(i)` objects. Calls
  /// `take(i, number)` with its number. Some rows ahead are hashed first, so that their places,
  /// which are rarely in a cache, are there when they are needed.
  template <class RowOf, class WeightOf, class Take>
  void add_each(std::size_t n, const RowOf& row_of, const WeightOf& weight_of, const Take& take);

  /// Makes room for so many different rows and crosses, so that nothing is copied while they come.
  void reserve(std::size_t n_rows, std::size_t n_crosses);

  const Lists& rows() const { return rows_; }
  const std::vector<Index>& weights() const { return weights_; }
  std::uint64_t n_objects() const { return n_objects_; }
  std::size_t bytes() const {
    return rows_.bytes() + weights_.capacity() * sizeof(Index) + places_.capacity() * sizeof(Place);
  }

  /// For moving the result out when all rows are added.
  Lists take_rows();
  std::vector<Index> take_weights() { return std::move(weights_); }

 private:
  /// The upper half of the hash is beside the row's number, so that few rows are compared.
  struct Place {
    Index row;
    Index mark;
  };
  static constexpr std::size_t hashed_ahead = 32;
  static std::uint64_t hash_of(std::span<const Index> row);
  /// A power of two, of which so many rows take at most two thirds.
  static std::size_t places_for(std::size_t n_rows);
  Index add(std::span<const Index> row, std::uint64_t weight, std::uint64_t hash);
  static constexpr Index none = std::numeric_limits<Index>::max();
  void grow(std::size_t n_places);

  Lists rows_;
  std::vector<Index> weights_;
  std::vector<Place> places_;  // by hash
  std::uint64_t n_objects_ = 0;
};

template <class RowOf, class WeightOf, class Take>
void RowMerger::add_each(std::size_t n, const RowOf& row_of, const WeightOf& weight_of,
                         const Take& take) {
  std::uint64_t hashes[hashed_ahead];
  for (std::size_t begin = 0; begin < n; begin += hashed_ahead) {
    const std::size_t end = std::min(begin + hashed_ahead, n);
    for (std::size_t i = begin; i < end; ++i) {
      hashes[i - begin] = hash_of(row_of(i));
      __builtin_prefetch(&places_[hashes[i - begin] & (places_.size() - 1)]);
    }
    for (std::size_t i = begin; i < end; ++i) {
      take(i, add(row_of(i), weight_of(i), hashes[i - begin]));
    }
  }
}

}  // namespace conceptrank
