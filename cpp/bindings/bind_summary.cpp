#include <nanobind/stl/optional.h>

#include "bindings.hpp"
#include "cpp/summary/surprise.hpp"
#include "python_budget.hpp"

namespace conceptrank::bindings {

using namespace nb::literals;

namespace {

template <class T>
std::vector<T> copy_of(const In<T>& values) {
  const auto all = span_of(values);
  return {all.begin(), all.end()};
}

void check_numbers(std::span<const Index> numbers, std::size_t end) {
  if (std::ranges::any_of(numbers, [&](Index each) { return each >= end; })) {
    throw nb::value_error("a number is out of range");
  }
}

/// Intents as attributes and as units.
std::pair<Lists, Lists> candidates(const Table& table, std::size_t n_units,
                                   const In<std::int64_t>& intent_offsets, const In<Index>& intents,
                                   const In<std::int64_t>& unit_offsets, const In<Index>& units) {
  Lists sets = to_lists(intent_offsets, intents);
  Lists lists = to_lists(unit_offsets, units);
  check_numbers(sets.values, table.n_attributes());
  check_numbers(lists.values, n_units);
  if (sets.size() != lists.size()) throw nb::value_error("one set of units per intent");
  return {std::move(sets), std::move(lists)};
}

}  // namespace

void bind_summary(nb::module_& m) {
  nb::class_<Surprise>(m, "Surprise", "The search for the candidate that surprises a reader most.")
      .def(
          "__init__",
          [](Surprise* self, const Table& table, const In<std::int64_t>& intent_offsets,
             const In<Index>& intents, const In<std::int64_t>& unit_offsets, const In<Index>& units,
             const In<double>& supports, const In<double>& costs, const In<std::uint8_t>& free) {
            auto [sets, lists] =
                candidates(table, free.shape(0), intent_offsets, intents, unit_offsets, units);
            const std::size_t size = lists.size();
            if (supports.shape(0) != size || costs.shape(0) != size) {
              throw nb::value_error("one support and one cost per candidate");
            }
            new (self) Surprise(
                table, {std::move(sets), std::move(lists), copy_of(supports), copy_of(costs)},
                copy_of(free));
          },
          "table"_a, "intent_offsets"_a.noconvert(), "intents"_a.noconvert(),
          "unit_offsets"_a.noconvert(), "units"_a.noconvert(), "supports"_a.noconvert(),
          "costs"_a.noconvert(), "free"_a.noconvert(), nb::keep_alive<1, 2>(),
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
                  "free: Annotated[NDArray[numpy.uint8], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  ") -> None"),
          "Candidates as intents and as sets of units, with supports and costs in nats; and which "
          "units depend on the richness of objects.")
      .def(
          "set_background",
          [](Surprise& self, const In<Index>& group, const In<Index>& signature,
             const In<Index>& doubt, const In<double>& posterior, const In<double>& densities,
             const In<double>& carrying, const In<double>& tiles, const In<double>& richness,
             const In<double>& log_chance, const In<double>& carriers, const In<double>& log_ratio,
             const In<double>& totals) {
            self.set_background({copy_of(group), copy_of(signature), copy_of(doubt),
                                 copy_of(posterior), copy_of(densities), copy_of(carrying),
                                 copy_of(tiles), copy_of(richness), copy_of(log_chance),
                                 copy_of(carriers), copy_of(log_ratio), copy_of(totals)});
          },
          "group"_a.noconvert(), "signature"_a.noconvert(), "doubt"_a.noconvert(),
          "posterior"_a.noconvert(), "densities"_a.noconvert(), "carrying"_a.noconvert(),
          "tiles"_a.noconvert(), "richness"_a.noconvert(), "log_chance"_a.noconvert(),
          "carriers"_a.noconvert(), "log_ratio"_a.noconvert(), "totals"_a.noconvert(),
          nb::sig("def set_background(self, "
                  "group: Annotated[NDArray[numpy.uint32], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "signature: Annotated[NDArray[numpy.uint32], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "doubt: Annotated[NDArray[numpy.uint32], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "posterior: Annotated[NDArray[numpy.float64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "densities: Annotated[NDArray[numpy.float64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "carrying: Annotated[NDArray[numpy.float64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "tiles: Annotated[NDArray[numpy.float64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "richness: Annotated[NDArray[numpy.float64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "log_chance: Annotated[NDArray[numpy.float64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "carriers: Annotated[NDArray[numpy.float64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "log_ratio: Annotated[NDArray[numpy.float64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "totals: Annotated[NDArray[numpy.float64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  ") -> None"),
          "Set what the reader knows; every table as one list.")
      .def(
          "wholeness",
          [](const Surprise& self, const In<Index>& intent) {
            check_numbers(span_of(intent), self.table().n_attributes());
            return self.wholeness(span_of(intent));
          },
          "intent"_a.noconvert(),
          nb::sig("def wholeness(self, "
                  "intent: Annotated[NDArray[numpy.uint32], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  ") -> float"),
          "1 if no further attribute goes with the intent; near 0 for a part of a larger one.")
      .def("drop", &Surprise::drop, "candidate"_a, "Leave a candidate out from now on.")
      .def(
          "bound",
          [](Surprise& self, std::size_t candidate) {
            if (candidate >= self.size()) throw nb::value_error("a number is out of range");
            return self.bound(candidate);
          },
          "candidate"_a,
          "What the ratio of a candidate is at most, by what earlier backgrounds said.")
      .def(
          "evidence",
          [](const Surprise& self, const In<Index>& intent, const In<Index>& units) {
            check_numbers(span_of(intent), self.table().n_attributes());
            check_numbers(span_of(units), self.n_units());
            const auto [gain, ratio] = self.evidence(span_of(intent), span_of(units));
            return nb::make_tuple(gain, ratio);
          },
          "intent"_a.noconvert(), "units"_a.noconvert(),
          nb::sig("def evidence(self, "
                  "intent: Annotated[NDArray[numpy.uint32], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  "units: Annotated[NDArray[numpy.uint32], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], "
                  ") -> tuple[float, float]"),
          "The gain of an intent, and the log-likelihood ratio with the best share, in nats.")
      .def(
          "strongest",
          [](const Surprise& self, const In<std::int64_t>& intent_offsets, const In<Index>& intents,
             const In<std::int64_t>& unit_offsets, const In<Index>& units,
             const In<double>& supports) -> nb::object {
            const auto [sets, lists] = candidates(self.table(), self.n_units(), intent_offsets,
                                                  intents, unit_offsets, units);
            if (supports.shape(0) != lists.size()) throw nb::value_error("one support per intent");
            const auto best = self.strongest(sets, lists, span_of(supports));
            if (!best) return nb::none();
            return nb::make_tuple(best->place, best->evidence.gain, best->evidence.ratio);
          },
          "intent_offsets"_a.noconvert(), "intents"_a.noconvert(), "unit_offsets"_a.noconvert(),
          "units"_a.noconvert(), "supports"_a.noconvert(),
          nb::sig("def strongest(self, "
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
                  ") -> tuple[int, float, float] | None"),
          "The intent with the largest gain, with its evidence.")
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
                reason, nb::make_tuple(best->candidate, best->wholeness, best->evidence.gain,
                                       best->evidence.ratio));
          },
          "threads"_a = 0, "seconds"_a = nb::none(), "interrupt"_a = nb::none(),
          "progress"_a = nb::none(),
          nb::sig("def best(self, threads: int = 0, seconds: float | None = None, "
                  "interrupt: collections.abc.Callable[[], bool] | None = None, "
                  "progress: collections.abc.Callable[[int, float], None] | None = None) -> "
                  "tuple[str, tuple[int, float, float, float] | None]"),
          "The limit that stopped the search, if any, and the best candidate with its wholeness "
          "and its evidence.");
}

}  // namespace conceptrank::bindings
