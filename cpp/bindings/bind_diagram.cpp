// Bindings of the places of line diagrams.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "cpp/diagram/places.hpp"

namespace nb = nanobind;

namespace conceptrank::bindings {

void bind_diagram(nb::module_& m) {
  m.def(
      "diagram_places",
      [](const std::vector<std::pair<std::int32_t, std::int32_t>>& covers,
         const std::vector<std::int32_t>& levels) {
        Places places;
        {
          nb::gil_scoped_release free;
          places = places_of(covers, levels);
        }
        return std::make_pair(places.layers, places.columns);
      },
      nb::arg("covers"), nb::arg("levels"),
      nb::sig("def diagram_places(covers: list[tuple[int, int]], levels: list[int]) -> "
              "tuple[list[int], list[int]]"),
      "Layers and columns of the elements of a line diagram.");
}

}  // namespace conceptrank::bindings
