// RowMerger: equal rows become one row with a weight. Rows come one at a time, so that a table that
// is larger than memory needs only its different rows.
#pragma once

#include <limits>

#include "cpp/base/words.hpp"

namespace conceptrank {

class RowMerger {
 public:
  /// For about so many different rows; more are no problem.
  explicit RowMerger(std::size_t n_rows = 0);

  /// Adds a row that stands for `weight` objects, and returns the number of that row among the
  /// different ones, which are in the order of their first appearance. Throws std::length_error
  /// when more objects have one row than a number holds.
  Index add(std::span<const Index> row, std::uint64_t weight = 1);

  /// Makes room for so many different rows and crosses, so that nothing is copied while they come.
  void reserve(std::size_t n_rows, std::size_t n_crosses);

  const Lists& rows() const { return rows_; }
  const std::vector<Index>& weights() const { return weights_; }
  std::uint64_t n_objects() const { return n_objects_; }
  std::size_t bytes() const {
    return rows_.bytes() + weights_.capacity() * sizeof(Index) + places_.capacity() * sizeof(Place);
  }

  /// For moving the result out when all rows are added.
  Lists take_rows() {
    rows_.values.shrink_to_fit();
    rows_.offsets.shrink_to_fit();
    return std::move(rows_);
  }
  std::vector<Index> take_weights() { return std::move(weights_); }

 private:
  /// The upper half of the hash is beside the row's number, so that few rows are compared.
  struct Place {
    Index row;
    Index mark;
  };
  static constexpr Index none = std::numeric_limits<Index>::max();
  void grow(std::size_t n_places);

  Lists rows_;
  std::vector<Index> weights_;
  std::vector<Place> places_;  // by hash; at most half of them are taken
  std::uint64_t n_objects_ = 0;
};

}  // namespace conceptrank
