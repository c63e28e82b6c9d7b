// Bindings of the places of line diagrams.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "cpp/diagram/places.hpp"
#include "python_budget.hpp"

namespace nb = nanobind;

namespace conceptrank::bindings {

void bind_diagram(nb::module_& m) {
  m.def(
      "diagram_places",
      [](const std::vector<std::pair<std::int32_t, std::int32_t>>& covers,
         const std::vector<std::int32_t>& levels, const std::string& kind,
         const std::vector<std::int32_t>& supports, nb::object interrupt) {
        PythonBudget python({}, {}, {}, std::move(interrupt), nb::none());
        const Places places = python.run(
            [&](Budget& budget) { return places_of(covers, levels, kind, supports, budget); });
        return std::make_tuple(places.layers, places.columns, places.kind);
      },
      nb::arg("covers"), nb::arg("levels"), nb::arg("kind"), nb::arg("supports"),
      nb::arg("interrupt") = nb::none(),
      nb::sig("def diagram_places(covers: list[tuple[int, int]], levels: list[int], "
              "kind: str, supports: list[int], "
              "interrupt: collections.abc.Callable[[], bool] | None = None) -> "
              "tuple[list[int], list[int], str]"),
      "Layers and columns of the elements of a line diagram, and the kind of layout.");
}

}  // namespace conceptrank::bindings
