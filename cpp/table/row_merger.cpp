#include "cpp/table/row_merger.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace conceptrank {

std::uint64_t RowMerger::hash_of(std::span<const Index> row) {
  std::uint64_t hash = row.size();
  for (const Index m : row) {
    hash = (hash ^ m) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

std::size_t RowMerger::places_for(std::size_t n_rows) {
  return std::bit_ceil(n_rows + n_rows / 2 + 2);
}

RowMerger::RowMerger(std::size_t n_rows) : places_(places_for(n_rows), {none, 0}) {}

Index RowMerger::add(std::span<const Index> row, std::uint64_t weight, std::uint64_t hash) {
  const auto too_many = [](std::uint64_t least) {
    if (least > std::numeric_limits<Index>::max()) {
      throw std::length_error("too many objects have the same row");
    }
  };
  too_many(weight);
  n_objects_ += weight;
  const auto mark = static_cast<Index>(hash >> 32);
  for (std::size_t i = hash;; ++i) {
    Place& place = places_[i & (places_.size() - 1)];
    if (place.row == none) {
      const auto r = static_cast<Index>(rows_.size());
      place = {r, mark};
      rows_.push_back(row);
      weights_.push_back(static_cast<Index>(weight));
      if (places_for(rows_.size()) > places_.size()) grow(2 * places_.size());
      return r;
    }
    if (place.mark == mark && std::ranges::equal(rows_[place.row], row)) {
      too_many(weights_[place.row] + weight);
      weights_[place.row] += static_cast<Index>(weight);
      return place.row;
    }
  }
}

std::optional<Index> RowMerger::find(std::span<const Index> row) const {
  for (std::size_t i = hash_of(row);; ++i) {
    const Index number = places_[i & (places_.size() - 1)].row;
    if (number == none) return std::nullopt;
    if (std::ranges::equal(rows_[number], row)) return number;
  }
}

Lists RowMerger::take_rows() {
  // To give back a little memory is not worth a copy.
  const auto shrink = [](auto& values) {
    if (4 * values.capacity() > 5 * values.size()) values.shrink_to_fit();
  };
  shrink(rows_.values);
  shrink(rows_.offsets);
  return std::move(rows_);
}

void RowMerger::reserve(std::size_t n_rows, std::size_t n_crosses) {
  rows_.offsets.reserve(n_rows + 1);
  rows_.values.reserve(n_crosses);
  weights_.reserve(n_rows);
  if (places_for(n_rows) > places_.size()) grow(places_for(n_rows));
}

void RowMerger::grow(std::size_t n_places) {
  std::vector<Place> places(n_places, {none, 0});
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const std::uint64_t hash = hash_of(rows_[r]);
    std::size_t i = hash;
    while (places[i & (places.size() - 1)].row != none) ++i;
    places[i & (places.size() - 1)] = {static_cast<Index>(r), static_cast<Index>(hash >> 32)};
  }
  places_.swap(places);
}

}  // namespace conceptrank
