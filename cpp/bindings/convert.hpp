// Conversions between NumPy arrays and the core's vectors. Arrays go out without a copy: the vector
// moves to the heap and lives as long as the array.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>

#include "cpp/base/words.hpp"

namespace conceptrank::bindings {

namespace nb = nanobind;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
/// A read-only view of memory that a Python object owns.
template <class T>
using View = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;

template <class T>
std::span<const T> span_of(const In<T>& array) {
  return {array.data(), array.shape(0)};
}

template <class T, class Allocator>
Out<T> move_out(std::vector<T, Allocator>&& values) {
  using Owned = std::vector<T, Allocator>;
  auto* owned = new Owned(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Owned*>(p); });
  return Out<T>(owned->data(), {owned->size()}, owner);
}

template <class T, class Allocator>
View<T> view(const std::vector<T, Allocator>& values, nb::handle owner) {
  return View<T>(values.data(), {values.size()}, owner);
}

/// Offsets from 0 to the number of values, in order.
inline std::span<const std::uint64_t> checked_offsets(const In<std::int64_t>& offsets,
                                                      std::size_t n_values) {
  const auto begin = span_of(offsets);
  if (begin.empty() || begin.front() != 0 || begin.back() != static_cast<std::int64_t>(n_values)) {
    throw nb::value_error("offsets must run from 0 to the number of values");
  }
  if (!std::ranges::is_sorted(begin)) throw nb::value_error("offsets must not decrease");
  // None is negative, so that they are the same numbers without a sign.
  return {reinterpret_cast<const std::uint64_t*>(begin.data()), begin.size()};
}

inline Lists to_lists(const In<std::int64_t>& offsets, const In<Index>& values) {
  const auto ends = checked_offsets(offsets, values.shape(0));
  const auto all = span_of(values);
  Lists lists;
  lists.offsets.assign(ends.begin(), ends.end());
  lists.values.assign(all.begin(), all.end());
  return lists;
}

/// Lists as a pair (offsets, values) of arrays.
inline nb::tuple from_lists(Lists&& lists) {
  std::vector<std::int64_t> offsets(lists.offsets.begin(), lists.offsets.end());
  return nb::make_tuple(move_out(std::move(offsets)), move_out(std::move(lists.values)));
}

}  // namespace conceptrank::bindings
