#include <nanobind/nanobind.h>

#include "cpp/base/kernels.hpp"

namespace nb = nanobind;

namespace conceptrank::bindings {
void bind_table(nb::module_& m);
void bind_best(nb::module_& m);
void bind_branch(nb::module_& m);
void bind_covers(nb::module_& m);
void bind_faces(nb::module_& m);
void bind_implications(nb::module_& m);
void bind_lattice(nb::module_& m);
void bind_randomise(nb::module_& m);
void bind_rule_parts(nb::module_& m);
void bind_statistics(nb::module_& m);
}  // namespace conceptrank::bindings

NB_MODULE(_core, m) {
  m.doc() = "The native core of conceptrank: numbers in, numbers out; names live in Python.";
  conceptrank::bindings::bind_table(m);
  conceptrank::bindings::bind_covers(m);
  conceptrank::bindings::bind_faces(m);
  conceptrank::bindings::bind_implications(m);
  conceptrank::bindings::bind_lattice(m);
  conceptrank::bindings::bind_branch(m);
  conceptrank::bindings::bind_best(m);
  conceptrank::bindings::bind_randomise(m);
  conceptrank::bindings::bind_rule_parts(m);
  conceptrank::bindings::bind_statistics(m);
  m.def(
      "active_kernel", [] { return nb::str(conceptrank::kernels().name.data()); },
      nb::sig("def active_kernel() -> str"), "Name of the kernels in use.");
  m.def(
      "available_kernels",
      [] {
        nb::list names;
        for (const auto* kernels : conceptrank::available_kernels()) {
          names.append(nb::str(kernels->name.data()));
        }
        return names;
      },
      nb::sig("def available_kernels() -> list[str]"),
      "Names of the kernels that this processor can run, slowest first.");
}
