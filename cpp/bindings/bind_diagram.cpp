#include "cpp/diagram/places.hpp"
#include "watch.hpp"

namespace nanobind::detail {

// The few numbers of a diagram are lists in Python.
template <>
struct type_caster<std::vector<std::int32_t>>
    : list_caster<std::vector<std::int32_t>, std::int32_t> {};
template <>
struct type_caster<std::vector<std::pair<std::int32_t, std::int32_t>>>
    : list_caster<std::vector<std::pair<std::int32_t, std::int32_t>>,
                  std::pair<std::int32_t, std::int32_t>> {};

}  // namespace nanobind::detail

namespace conceptrank::bindings {

void bind_diagram(nb::module_& m) {
  nb::class_<Places>(m, "Places", "Where the elements of a line diagram are.")
      .def_ro("layers", &Places::layers)
      .def_ro("columns", &Places::columns)
      .def_ro("kind", &Places::kind, "The kind of layout.");
  m.def("diagram_places", watched(&places_of), "covers"_a, "levels"_a, "kind"_a, "supports"_a,
        "watch"_a = nb::none(), "Layers and columns of the elements of a line diagram.");
}

}  // namespace conceptrank::bindings
