// Type casters: lists, arrays and names that pass the border to Python as arguments and results, so
// that a binding is a function of the core with its own types.
//
// An array as an argument is used where it is: the call does not copy it. An array in a result
// moves to the heap and lives as long as the array in Python; a field of a bound class shows it in
// place. Numbers of 64 bits are int64 in Python, whatever their sign in the core.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/detail/nb_list.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "cpp/lattice/branch.hpp"
#include "cpp/table/covers.hpp"

namespace nanobind::detail {

using conceptrank::Array;
using conceptrank::FaceScores;
using conceptrank::Index;
using conceptrank::Lists;
using conceptrank::ListsView;

template <class T>
using Element =
    std::conditional_t<std::is_integral_v<T> && sizeof(T) == 8, std::int64_t, std::remove_cv_t<T>>;
template <class T>
inline constexpr auto array_name = make_caster<ndarray<numpy, Element<T>>>::Name;

template <class T>
struct type_caster<std::span<const T>> {
  NB_TYPE_CASTER(std::span<const T>, array_name<T>)

  bool from_python(handle source, std::uint32_t, cleanup_list* cleanup) noexcept {
    make_caster<ndarray<const T, ndim<1>, c_contig, device::cpu>> array;
    if (!array.from_python(source, 0, cleanup)) return false;
    value = {array.value.data(), array.value.shape(0)};
    return true;
  }
};

/// Memory of `values` as an array of this shape.
template <class T, class Values>
handle to_array(Values&& values, std::initializer_list<std::size_t> shape, rv_policy policy,
                cleanup_list* cleanup) noexcept {
  const auto array_of = [&](auto* data, handle owner) {
    using Shown = ndarray<numpy, std::remove_pointer_t<decltype(data)>>;
    return make_caster<Shown>::from_cpp(Shown(data, shape, owner), rv_policy::automatic, cleanup);
  };
  if constexpr (std::is_lvalue_reference_v<Values>) {
    if (policy == rv_policy::reference_internal) {
      return array_of(reinterpret_cast<const T*>(values.data()), cleanup->self());
    }
  }
  using Owned = std::remove_cvref_t<Values>;
  auto* owned = new Owned(std::forward<Values>(values));
  const capsule owner(owned, [](void* p) noexcept { delete static_cast<Owned*>(p); });
  return array_of(reinterpret_cast<T*>(owned->data()), owner);
}

template <class T, class Allocator>
  requires std::is_arithmetic_v<T>
struct type_caster<std::vector<T, Allocator>> {
  using Vector = std::vector<T, Allocator>;
  NB_TYPE_CASTER(Vector, array_name<T>)

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<std::span<const Element<T>>> array;
    if (!array.from_python(source, flags, cleanup)) return false;
    value.assign(array.value.begin(), array.value.end());
    return true;
  }
  template <class Values>
    requires std::is_same_v<std::remove_cvref_t<Values>, Vector>
  static handle from_cpp(Values&& values, rv_policy policy, cleanup_list* cleanup) noexcept {
    return to_array<Element<T>>(std::forward<Values>(values), {values.size()}, policy, cleanup);
  }
};

/// A vector of rows that consist of doubles: a matrix.
template <class Row>
struct rows_caster {
  NB_TYPE_CASTER(std::vector<Row>, array_name<double>)
  template <class Rows>
    requires std::is_same_v<std::remove_cvref_t<Rows>, std::vector<Row>>
  static handle from_cpp(Rows&& rows, rv_policy policy, cleanup_list* cleanup) noexcept {
    return to_array<double>(std::forward<Rows>(rows), {rows.size(), sizeof(Row) / sizeof(double)},
                            policy, cleanup);
  }
};
template <>
struct type_caster<std::vector<conceptrank::ColumnSums>> : rows_caster<conceptrank::ColumnSums> {};
template <>
struct type_caster<std::vector<conceptrank::Cohesion>> : rows_caster<conceptrank::Cohesion> {};

template <>
struct type_caster<FaceScores> {
  NB_TYPE_CASTER(FaceScores, array_name<double>)
  static handle from_cpp(FaceScores&& scores, rv_policy policy, cleanup_list* cleanup) noexcept {
    const std::size_t size = scores.size();
    return to_array<double>(scores.take_values(), {size, scores.width()}, policy, cleanup);
  }
  static handle from_cpp(const FaceScores& scores, rv_policy policy,
                         cleanup_list* cleanup) noexcept {
    return to_array<double>(scores.values(), {scores.size(), scores.width()}, policy, cleanup);
  }
};

/// Lists are a pair of offsets, from 0 to the number of values in order, and values.
template <>
struct type_caster<ListsView> {
  using Pair = make_caster<std::pair<std::span<const std::int64_t>, std::span<const Index>>>;
  template <class T>
  using Cast = ListsView;
  static constexpr auto Name = Pair::Name;

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    return pair_.from_python(source, flags, cleanup);
  }
  template <class T>
  bool can_cast() const noexcept {
    return true;
  }
  explicit operator ListsView() {
    const auto [offsets, values] = static_cast<Pair::Value>(pair_);
    if (offsets.empty() || offsets.front() != 0 ||
        offsets.back() != static_cast<std::int64_t>(values.size()) ||
        !std::ranges::is_sorted(offsets)) {
      throw value_error("offsets must run from 0 to the number of values, in order");
    }
    // None is negative, so they are the same numbers without a sign.
    return {{reinterpret_cast<const std::uint64_t*>(offsets.data()), offsets.size()}, values};
  }

 private:
  Pair pair_;
};

template <>
struct type_caster<Lists> {
  NB_TYPE_CASTER(Lists, make_caster<ListsView>::Name)
  template <class L>
    requires std::is_same_v<std::remove_cvref_t<L>, Lists>
  static handle from_cpp(L&& lists, rv_policy policy, cleanup_list* cleanup) noexcept {
    const object offsets = steal(make_caster<Array<std::uint64_t>>::from_cpp(
        forward_like_<L>(lists.offsets), policy, cleanup));
    const object values =
        steal(make_caster<Array<Index>>::from_cpp(forward_like_<L>(lists.values), policy, cleanup));
    return make_tuple(offsets, values).release();
  }
};

/// An enumeration whose values have names, in order from 0.
template <class Enum, const auto& names>
struct names_caster {
  NB_TYPE_CASTER(Enum, const_name("str"))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    Py_ssize_t size = 0;
    const char* const given = PyUnicode_AsUTF8AndSize(source.ptr(), &size);
    if (given == nullptr) {
      PyErr_Clear();
      return false;
    }
    const auto* const name =
        std::ranges::find(names, std::string_view(given, static_cast<std::size_t>(size)));
    value = static_cast<Enum>(name - std::begin(names));
    return name != std::end(names);
  }
  static handle from_cpp(Enum value, rv_policy, cleanup_list*) noexcept {
    const std::string_view name = names[static_cast<std::size_t>(value)];
    return str(name.data(), name.size()).release();
  }
};

template <>
struct type_caster<conceptrank::Stop> : names_caster<conceptrank::Stop, conceptrank::stop_names> {};
template <>
struct type_caster<conceptrank::Side> : names_caster<conceptrank::Side, conceptrank::side_names> {};
template <>
struct type_caster<conceptrank::Direction>
    : names_caster<conceptrank::Direction, conceptrank::direction_names> {};
template <>
struct type_caster<conceptrank::Method>
    : names_caster<conceptrank::Method, conceptrank::method_names> {};

}  // namespace nanobind::detail
