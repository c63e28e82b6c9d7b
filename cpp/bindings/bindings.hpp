// What the binding files share with each other.
#pragma once

#include <algorithm>
#include <string>

#include "convert.hpp"
#include "cpp/score/scores.hpp"
#include "cpp/search/constraints.hpp"

namespace conceptrank::bindings {

Side side_of(const std::string& side);

/// Rows that consist of `columns` doubles as a matrix; no copy.
template <class Row>
nb::object matrix(std::vector<Row>&& rows, std::size_t columns) {
  if (sizeof(Row) != columns * sizeof(double)) throw std::logic_error("not a row of doubles");
  auto* owned = new std::vector<Row>(std::move(rows));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<Row>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(
      reinterpret_cast<double*>(owned->data()), {owned->size(), columns}, owner));
}

/// Face scores as a matrix of the fields that were kept; no copy.
inline nb::object matrix(FaceScores&& scores) {
  const std::size_t n = scores.size();
  const std::size_t width = scores.width();
  auto* owned = new Array<double>(scores.take_values());
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Array<double>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(owned->data(), {n, width}, owner));
}

/// Intents whose attributes are all in the table.
inline Lists to_intents(const Table& table, const In<std::int64_t>& offsets,
                        const In<Index>& intents) {
  Lists lists = to_lists(offsets, intents);
  if (std::ranges::any_of(lists.values, [&](Index m) { return m >= table.n_attributes(); })) {
    throw nb::index_error("no such attribute");
  }
  return lists;
}

/// Constraints whose attributes are all in the table.
inline const Constraints& checked(const Table& table, const Constraints& constraints) {
  for (const auto* list :
       {&constraints.contains, &constraints.forbidden, &constraints.any_of, &constraints.shared}) {
    if (std::ranges::any_of(*list, [&](Index m) { return m >= table.n_attributes(); })) {
      throw nb::index_error("no such attribute");
    }
  }
  return constraints;
}

}  // namespace conceptrank::bindings
