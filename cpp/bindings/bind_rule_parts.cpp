#include <nanobind/stl/optional.h>

#include "bindings.hpp"
#include "cpp/rules/rule_parts.hpp"
#include "python_budget.hpp"

namespace conceptrank::bindings {

using namespace nb::literals;

namespace {

#define CONCEPTRANK_LISTS "tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]"

ConceptRange range_of(const Lattice& lattice, std::size_t begin, std::size_t end) {
  if (begin > end || end > lattice.size()) throw nb::index_error("no such concepts");
  if (!lattice.complete() && lattice.stop != Stop::constraints) {
    throw nb::value_error("the lattice is not complete");
  }
  return {begin, end};
}

void check_places(const In<Index>& places, const Lists& lists) {
  for (const Index place : span_of(places)) {
    if (place >= lists.size()) throw nb::index_error("no such list");
  }
}

/// Nothing comes back when the budget ended the call, but for a limit on how many to find.
template <class Result>
nb::object unless_stopped(PythonBudget& python, Result&& result) {
  const Stop reason = python.budget().reason();
  if (reason != Stop::none && reason != Stop::concepts) return nb::none();
  return nb::object(result());
}

}  // namespace

void bind_rule_parts(nb::module_& m) {
  m.def(
      "lattice_generators",
      [](const Lattice& lattice, std::size_t begin, std::size_t end,
         std::optional<std::uint64_t> max_size, std::optional<std::uint64_t> most,
         std::optional<std::uint64_t> bytes, unsigned threads, nb::object interrupt) {
        const ConceptRange range = range_of(lattice, begin, end);
        PythonBudget python(most, bytes, {}, std::move(interrupt), nb::none());
        Generators found = python.run([&](Budget& budget) {
          return minimal_generators(lattice, range,
                                    max_size.value_or(std::numeric_limits<std::uint64_t>::max()),
                                    threads, budget);
        });
        return unless_stopped(python, [&] {
          nb::tuple sets = from_lists(std::move(found.sets));
          std::vector<std::int64_t> offsets(found.offsets.begin(), found.offsets.end());
          return nb::make_tuple(move_out(std::move(offsets)), sets);
        });
      },
      "lattice"_a, "begin"_a, "end"_a, nb::kw_only(), "max_size"_a = nb::none(),
      "most"_a = nb::none(), "bytes"_a = nb::none(), "threads"_a = 0, "interrupt"_a = nb::none(),
      nb::sig("def lattice_generators(lattice: Lattice, begin: int, end: int, *, max_size: int | "
              "None = None, most: int | None = None, bytes: int | None = None, threads: int = 0, "
              "interrupt: collections.abc.Callable[[], bool] | None = None) -> "
              "tuple[NDArray[numpy.int64], " CONCEPTRANK_LISTS "] | None"),
      "The minimal generators of concepts from begin to end: how many each has, as offsets, and "
      "the sets; None if stopped.");

  m.def(
      "descendants",
      [](const Lattice& lattice, std::size_t begin, std::size_t end, std::uint64_t min_support,
         double min_confidence, std::optional<std::uint64_t> bytes, unsigned threads,
         nb::object interrupt) {
        const ConceptRange range = range_of(lattice, begin, end);
        PythonBudget python({}, bytes, {}, std::move(interrupt), nb::none());
        Lists found = python.run([&](Budget& budget) {
          return descendants(lattice, range, min_support, min_confidence, threads, budget);
        });
        return unless_stopped(python, [&] { return from_lists(std::move(found)); });
      },
      "lattice"_a, "begin"_a, "end"_a, nb::kw_only(), "min_support"_a = 0, "min_confidence"_a = 0.0,
      "bytes"_a = nb::none(), "threads"_a = 0, "interrupt"_a = nb::none(),
      nb::sig("def descendants(lattice: Lattice, begin: int, end: int, *, min_support: int = 0, "
              "min_confidence: float = 0.0, bytes: int | None = None, threads: int = 0, interrupt: "
              "collections.abc.Callable[[], bool] | None = None) -> " CONCEPTRANK_LISTS " | None"),
      "The places strictly below each concept with enough objects; None if stopped.");

  m.def(
      "count_descendants",
      [](const Lattice& lattice, std::size_t begin, std::size_t end, std::uint64_t min_support,
         unsigned threads, nb::object interrupt) {
        const ConceptRange range = range_of(lattice, begin, end);
        PythonBudget python({}, {}, {}, std::move(interrupt), nb::none());
        std::vector<std::uint64_t> counts = python.run([&](Budget& budget) {
          return count_descendants(lattice, range, min_support, threads, budget);
        });
        return unless_stopped(python, [&] {
          return nb::cast(move_out(std::vector<std::int64_t>(counts.begin(), counts.end())));
        });
      },
      "lattice"_a, "begin"_a, "end"_a, nb::kw_only(), "min_support"_a = 0, "threads"_a = 0,
      "interrupt"_a = nb::none(),
      nb::sig("def count_descendants(lattice: Lattice, begin: int, end: int, *, min_support: int = "
              "0, threads: int = 0, interrupt: collections.abc.Callable[[], bool] | None = None) "
              "-> NDArray[numpy.int64] | None"),
      "How many concepts are strictly below each; None if stopped.");

  m.def(
      "proper_conclusions",
      [](const Lattice& lattice, const In<std::int64_t>& offsets, const In<Index>& values,
         const In<Index>& sources, unsigned threads, nb::object interrupt) {
        const Lists generators = to_lists(offsets, values);
        check_places(sources, lattice.intents);
        if (sources.shape(0) != generators.size()) {
          throw nb::value_error("a concept for each generator");
        }
        PythonBudget python({}, {}, {}, std::move(interrupt), nb::none());
        Lists found = python.run([&](Budget& budget) {
          return proper_conclusions(lattice, generators, span_of(sources), threads, budget);
        });
        return unless_stopped(python, [&] { return from_lists(std::move(found)); });
      },
      "lattice"_a, "offsets"_a.noconvert(), "values"_a.noconvert(), "sources"_a.noconvert(),
      "threads"_a = 0, "interrupt"_a = nb::none(),
      nb::sig("def proper_conclusions(lattice: Lattice, offsets: NDArray[numpy.int64], values: "
              "NDArray[numpy.uint32], sources: NDArray[numpy.uint32], threads: int = 0, interrupt: "
              "collections.abc.Callable[[], bool] | None = None) -> " CONCEPTRANK_LISTS " | None"),
      "For each minimal generator, what follows from no proper subset; None if stopped.");

  m.def(
      "differences",
      [](const In<std::int64_t>& offsets, const In<Index>& values, const In<Index>& places,
         const In<std::int64_t>& other_offsets, const In<Index>& other_values,
         const In<Index>& other_places) {
        const Lists from = to_lists(offsets, values);
        const Lists without = to_lists(other_offsets, other_values);
        check_places(places, from);
        check_places(other_places, without);
        if (places.shape(0) != other_places.shape(0)) {
          throw nb::value_error("a place in both for each difference");
        }
        return from_lists(differences(from, span_of(places), without, span_of(other_places)));
      },
      "offsets"_a.noconvert(), "values"_a.noconvert(), "places"_a.noconvert(),
      "other_offsets"_a.noconvert(), "other_values"_a.noconvert(), "other_places"_a.noconvert(),
      nb::sig("def differences(offsets: NDArray[numpy.int64], values: NDArray[numpy.uint32], "
              "places: NDArray[numpy.uint32], other_offsets: NDArray[numpy.int64], other_values: "
              "NDArray[numpy.uint32], other_places: NDArray[numpy.uint32]) -> " CONCEPTRANK_LISTS),
      "For each pair of places, a list without the members of another one.");
}

}  // namespace conceptrank::bindings
