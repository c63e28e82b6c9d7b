// Watch: what Python gives to a long call. It has limits, a callable that can end the call, and one
// that gets its progress. The core runs without the GIL and takes it every 50 ms for these and for
// Ctrl-C.
#pragma once

#include <exception>
#include <optional>

#include "casters.hpp"
#include "cpp/base/budget.hpp"

namespace conceptrank::bindings {

namespace nb = nanobind;
using namespace nb::literals;

struct Watch {
  std::optional<nb::typed<nb::callable, bool()>> interrupt;
  std::optional<nb::typed<nb::callable, void(std::uint64_t, double)>> progress;
  Limits limits;
};

/// Runs `work(budget)` without the GIL under the limits of a watch, if there is one. An error in a
/// callable, or Ctrl-C, comes out as itself.
template <class Work>
auto run(const Watch* watch, Work&& work) {
  std::optional<Budget> budget;
  std::exception_ptr failure;
  const auto guarded = [&](auto&& call) {
    const nb::gil_scoped_acquire gil;
    try {
      if (!failure) call();
    } catch (nb::python_error&) {
      failure = std::current_exception();
    }
    if (failure) budget->abandon();
  };
  Budget::Progress progress;
  if (watch != nullptr && watch->progress) {
    progress = [&](std::uint64_t done, double share) {
      guarded([&] { (*watch->progress)(done, share); });
    };
  }
  const auto cancelled = [&] {
    bool stop = false;
    guarded([&] {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (watch != nullptr && watch->interrupt) stop = nb::cast<bool>((*watch->interrupt)());
    });
    return stop;
  };
  budget.emplace(watch != nullptr ? watch->limits : Limits{}, cancelled, progress);
  auto result = [&] {
    const nb::gil_scoped_release no_gil;
    return work(*budget);
  }();
  if (failure) std::rethrow_exception(failure);
  return result;
}

template <class Result, class... Arguments, std::size_t... I>
auto watched(Result (*function)(Arguments...), std::index_sequence<I...>) {
  return [function](std::tuple_element_t<I, std::tuple<Arguments...>>... arguments,
                    const Watch* watch) {
    return run(watch, [&](Budget& budget) { return function(arguments..., budget); });
  };
}

/// A function of the core whose last argument is a budget, as one whose last argument is a watch.
template <class Result, class... Arguments>
auto watched(Result (*function)(Arguments...)) {
  return watched(function, std::make_index_sequence<sizeof...(Arguments) - 1>());
}

/// The same for a method.
template <class Self, class Result, class... Arguments, std::size_t... I>
auto watched(Result (Self::*method)(Arguments...) const, std::index_sequence<I...>) {
  return [method](const Self& self, std::tuple_element_t<I, std::tuple<Arguments...>>... arguments,
                  const Watch* watch) {
    return run(watch, [&](Budget& budget) { return (self.*method)(arguments..., budget); });
  };
}
template <class Self, class Result, class... Arguments>
auto watched(Result (Self::*method)(Arguments...) const) {
  return watched(method, std::make_index_sequence<sizeof...(Arguments) - 1>());
}

inline nb::typed<nb::list, nb::str> list_of(std::span<const std::string_view> names) {
  nb::typed<nb::list, nb::str> list;
  for (const std::string_view name : names) list.append(nb::str(name.data(), name.size()));
  return list;
}

}  // namespace conceptrank::bindings
