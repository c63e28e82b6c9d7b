#include "cpp/table/intent_walk.hpp"
#include "python_budget.hpp"

namespace conceptrank::bindings {

using namespace nb::literals;

void bind_intent_walk(nb::module_& m) {
  nb::class_<IntentWalk>(
      m, "IntentWalk", "Sets of attributes, arranged for finding them in one table after another.")
      .def(
          "__init__",
          [](IntentWalk* self, const In<std::int64_t>& offsets, const In<Index>& intents,
             std::size_t n_attributes) {
            new (self) IntentWalk(to_lists(offsets, intents), n_attributes);
          },
          "offsets"_a.noconvert(), "intents"_a.noconvert(), "n_attributes"_a)
      .def_prop_ro("n_intents", &IntentWalk::n_intents)
      .def_prop_ro("n_nodes", &IntentWalk::n_nodes)
      .def(
          "count",
          [](const IntentWalk& self, const In<std::int64_t>& offsets, const In<Index>& rows,
             bool closed, nb::object interrupt) {
            const Lists lists = to_lists(offsets, rows);
            PythonBudget python({}, {}, {}, std::move(interrupt), nb::none());
            IntentWalk::Counts counts =
                python.run([&](Budget& budget) { return self.count(lists, closed, budget); });
            return nb::make_tuple(move_out(std::move(counts.supports)),
                                  move_out(std::move(counts.closed)));
          },
          "offsets"_a.noconvert(), "rows"_a.noconvert(), nb::kw_only(), "closed"_a = false,
          "interrupt"_a = nb::none(),
          nb::sig("def count(self, offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], *, "
                  "closed: bool = False, "
                  "interrupt: collections.abc.Callable[[], bool] | None = None) -> "
                  "tuple[NDArray[numpy.uint32], NDArray[numpy.uint8]]"),
          "Numbers of rows that have each set, and whether it is closed there (empty if not "
          "asked).")
      .def(
          "match",
          [](const IntentWalk& self, const In<std::int64_t>& offsets, const In<Index>& rows,
             unsigned threads, nb::object interrupt) {
            const auto ends = checked_offsets(offsets, rows.shape(0));
            PythonBudget python({}, {}, {}, std::move(interrupt), nb::none());
            return from_lists(python.run([&](Budget& budget) {
              return self.match(ends, span_of(rows), nullptr, threads, budget);
            }));
          },
          "offsets"_a.noconvert(), "rows"_a.noconvert(), nb::kw_only(), "threads"_a = 0,
          "interrupt"_a = nb::none(),
          nb::sig("def match(self, offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], *, "
                  "threads: int = 0, "
                  "interrupt: collections.abc.Callable[[], bool] | None = None) -> "
                  "tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]"),
          "The rows that have each set, as lists.")
      .def(
          "violations",
          [](const IntentWalk& self, const In<std::int64_t>& offsets, const In<Index>& rows,
             const In<std::int64_t>& conclusion_offsets, const In<Index>& conclusions,
             unsigned threads, nb::object interrupt) {
            const auto ends = checked_offsets(offsets, rows.shape(0));
            const Lists lacking = to_lists(conclusion_offsets, conclusions);
            PythonBudget python({}, {}, {}, std::move(interrupt), nb::none());
            return from_lists(python.run([&](Budget& budget) {
              return self.match(ends, span_of(rows), &lacking, threads, budget);
            }));
          },
          "offsets"_a.noconvert(), "rows"_a.noconvert(), "conclusion_offsets"_a.noconvert(),
          "conclusions"_a.noconvert(), nb::kw_only(), "threads"_a = 0, "interrupt"_a = nb::none(),
          nb::sig("def violations(self, offsets: NDArray[numpy.int64], rows: "
                  "NDArray[numpy.uint32], conclusion_offsets: NDArray[numpy.int64], conclusions: "
                  "NDArray[numpy.uint32], *, threads: int = 0, "
                  "interrupt: collections.abc.Callable[[], bool] | None = None) -> "
                  "tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]"),
          "The rows that have each set and lack an attribute of its conclusion, as lists.");
}

}  // namespace conceptrank::bindings
