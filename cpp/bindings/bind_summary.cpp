#include <nanobind/stl/optional.h>

#include "bindings.hpp"
#include "cpp/summary/surprise.hpp"
#include "python_budget.hpp"

namespace conceptrank::bindings {

using namespace nb::literals;

namespace {

std::vector<double> numbers(const In<double>& values, std::size_t size) {
  const auto all = span_of(values);
  if (all.size() != size) throw nb::value_error("one number per candidate");
  return {all.begin(), all.end()};
}

void check_numbers(std::span<const Index> numbers, std::size_t end) {
  if (std::ranges::any_of(numbers, [&](Index each) { return each >= end; })) {
    throw nb::value_error("a number is out of range");
  }
}

}  // namespace

void bind_summary(nb::module_& m) {
  m.def("surprise_gain", &surprise_gain, "n"_a, "support"_a, "expected"_a,
        "-ln P(X >= support) for a binomial X with n trials and mean `expected`, or 0 if "
        "support <= expected.");
  nb::class_<Surprise>(m, "Surprise", "The search for the candidate that surprises a reader most.")
      .def(
          "__init__",
          [](Surprise* self, const Table& table, const In<std::int64_t>& intent_offsets,
             const In<Index>& intents, const In<std::int64_t>& unit_offsets, const In<Index>& units,
             const In<double>& supports, const In<double>& costs, std::size_t n_units,
             std::size_t n_classes) {
            Lists sets = to_lists(intent_offsets, intents);
            Lists lists = to_lists(unit_offsets, units);
            check_numbers(sets.values, table.n_attributes());
            check_numbers(lists.values, n_units);
            const std::size_t size = lists.size();
            if (sets.size() != size) throw nb::value_error("one set of units per intent");
            new (self) Surprise(
                table,
                {std::move(sets), std::move(lists), numbers(supports, size), numbers(costs, size)},
                n_units, n_classes);
          },
          "table"_a, "intent_offsets"_a.noconvert(), "intents"_a.noconvert(),
          "unit_offsets"_a.noconvert(), "units"_a.noconvert(), "supports"_a.noconvert(),
          "costs"_a.noconvert(), "n_units"_a, "n_classes"_a, nb::keep_alive<1, 2>(),
          nb::sig("def __init__(self, table: Table, "
                  "intent_offsets: Annotated[NDArray[numpy.int64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "intents: Annotated[NDArray[numpy.uint32], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "unit_offsets: Annotated[NDArray[numpy.int64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "units: Annotated[NDArray[numpy.uint32], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "supports: Annotated[NDArray[numpy.float64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "costs: Annotated[NDArray[numpy.float64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "n_units: int, n_classes: int) -> None"),
          "Candidates as intents and as sets of units, with supports and costs in nats.")
      .def(
          "set_background",
          [](Surprise& self, const In<double>& shares, const In<double>& probabilities) {
            if (shares.shape(0) != self.n_classes() ||
                probabilities.shape(0) != self.n_classes() * self.n_units()) {
              throw nb::value_error("one share per class, one probability per class and unit");
            }
            const nb::gil_scoped_release no_gil;
            self.set_background(span_of(shares), span_of(probabilities));
          },
          "shares"_a.noconvert(), "probabilities"_a.noconvert(),
          nb::sig("def set_background(self, shares: Annotated[NDArray[numpy.float64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "probabilities: Annotated[NDArray[numpy.float64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None"),
          "Set the shares of the classes and the probabilities of units, class after class.")
      .def(
          "teach",
          [](Surprise& self, const In<std::uint8_t>& members, const In<double>& densities) {
            if (members.shape(0) != self.n_objects() || densities.shape(0) != self.n_units()) {
              throw nb::value_error("one byte per object, one density per unit");
            }
            self.teach(span_of(members), span_of(densities));
          },
          "members"_a.noconvert(), "densities"_a.noconvert(),
          nb::sig("def teach(self, members: Annotated[NDArray[numpy.uint8], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "densities: Annotated[NDArray[numpy.float64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None"),
          "Add a tile: these objects have each unit with at least this density.")
      .def(
          "expected",
          [](const Surprise& self, const In<Index>& units) {
            check_numbers(span_of(units), self.n_units());
            return self.expected(span_of(units));
          },
          "units"_a.noconvert(),
          nb::sig("def expected(self, units: Annotated[NDArray[numpy.uint32], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float"),
          "The expected support of a set of units.")
      .def(
          "strongest",
          [](const Surprise& self, const In<std::int64_t>& offsets, const In<Index>& units,
             const In<double>& supports) -> nb::object {
            const Lists lists = to_lists(offsets, units);
            check_numbers(lists.values, self.n_units());
            if (supports.shape(0) != lists.size()) throw nb::value_error("one support per set");
            const auto best = self.strongest(lists, span_of(supports));
            if (!best) return nb::none();
            return nb::make_tuple(best->place, best->expected, best->gain);
          },
          "offsets"_a.noconvert(), "units"_a.noconvert(), "supports"_a.noconvert(),
          nb::sig("def strongest(self, offsets: Annotated[NDArray[numpy.int64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "units: Annotated[NDArray[numpy.uint32], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "supports: Annotated[NDArray[numpy.float64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)]) -> "
                  "tuple[int, float, float] | None"),
          "The set of units with the largest gain, with its expected support and its gain in nats.")
      .def(
          "best",
          [](Surprise& self, unsigned threads, std::optional<double> seconds, nb::object interrupt,
             nb::object progress) -> nb::tuple {
            PythonBudget python({}, {}, seconds, std::move(interrupt), std::move(progress));
            const auto best =
                python.run([&](Budget& budget) { return self.best(threads, budget); });
            const std::string_view stop = to_string(python.budget().reason());
            const nb::str reason(stop.data(), stop.size());
            if (!best) return nb::make_tuple(reason, nb::none());
            return nb::make_tuple(
                reason, nb::make_tuple(best->candidate, best->delta, best->expected, best->gain));
          },
          "threads"_a = 0, "seconds"_a = nb::none(), "interrupt"_a = nb::none(),
          "progress"_a = nb::none(),
          nb::sig("def best(self, threads: int = 0, seconds: float | None = None, "
                  "interrupt: collections.abc.Callable[[], bool] | None = None, "
                  "progress: collections.abc.Callable[[int, float], None] | None = None) -> "
                  "tuple[str, tuple[int, float, float, float] | None]"),
          "The limit that stopped the search, if any, and the best candidate with its Δ, its "
          "expected support and its gain in nats.")
      .def_prop_ro("evaluations", &Surprise::evaluations,
                   "The number of expected supports that were computed in full.");
}

}  // namespace conceptrank::bindings
