#include <nanobind/nanobind.h>

#include <cstdlib>
#include <string>

#include "cpp/base/kernels.hpp"

namespace nb = nanobind;

namespace conceptrank::bindings {
void bind_table(nb::module_& m);
void bind_best(nb::module_& m);
void bind_branch(nb::module_& m);
void bind_covers(nb::module_& m);
void bind_diagram(nb::module_& m);
void bind_faces(nb::module_& m);
void bind_implications(nb::module_& m);
void bind_intent_walk(nb::module_& m);
void bind_lattice(nb::module_& m);
void bind_randomise(nb::module_& m);
void bind_rule_parts(nb::module_& m);
void bind_statistics(nb::module_& m);
void bind_summary(nb::module_& m);
}  // namespace conceptrank::bindings

namespace {

std::string compiler() {
#if defined(__clang__)
  return "Clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#elif defined(__GNUC__)
  return "GCC " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__);
#elif defined(_MSC_VER)
  return "MSVC " + std::to_string(_MSC_VER);
#else
  return "an unknown compiler";
#endif
}

}  // namespace

NB_MODULE(_core, m) {
  // Tables that modules keep until the interpreter ends are not leaks. A test sets the variable and
  // checks a program that keeps none.
  nb::set_leak_warnings(std::getenv("CONCEPTRANK_LEAK_WARNINGS") != nullptr);
  m.doc() = "The native core of conceptrank: numbers in, numbers out; names live in Python.";
  conceptrank::bindings::bind_table(m);
  conceptrank::bindings::bind_covers(m);
  conceptrank::bindings::bind_faces(m);
  conceptrank::bindings::bind_implications(m);
  conceptrank::bindings::bind_lattice(m);
  conceptrank::bindings::bind_branch(m);
  conceptrank::bindings::bind_best(m);
  conceptrank::bindings::bind_intent_walk(m);
  conceptrank::bindings::bind_randomise(m);
  conceptrank::bindings::bind_rule_parts(m);
  conceptrank::bindings::bind_statistics(m);
  conceptrank::bindings::bind_summary(m);
  conceptrank::bindings::bind_diagram(m);
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
  m.def(
      "compiler", [] { return nb::str(compiler().c_str()); }, nb::sig("def compiler() -> str"),
      "Name and version of the compiler that built the core.");
}
