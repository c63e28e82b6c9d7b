#include <cstdlib>

#include "cpp/base/kernels.hpp"
#include "watch.hpp"

namespace conceptrank::bindings {

void bind_table(nb::module_& m);
void bind_best(nb::module_& m);
void bind_diagram(nb::module_& m);
void bind_faces(nb::module_& m);
void bind_lattice(nb::module_& m);
void bind_random(nb::module_& m);
void bind_rules(nb::module_& m);
void bind_summary(nb::module_& m);

namespace {

std::string compiler() {
#if defined(__clang__)
  return "Clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#elif defined(__GNUC__)
  return "GCC " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__);
#else
  return "an unknown compiler";
#endif
}

void bind_watch(nb::module_& m) {
  nb::class_<Watch>(m, "Watch", "The limits of a long call, what ends it, what gets its progress.")
      .def(
          "__init__",
          [](Watch* self, decltype(Watch::interrupt) interrupt, decltype(Watch::progress) progress,
             std::optional<std::uint64_t> concepts, std::optional<std::uint64_t> bytes,
             std::optional<double> seconds) {
            const Limits none;
            new (self) Watch{std::move(interrupt),
                             std::move(progress),
                             {concepts.value_or(none.concepts), bytes.value_or(none.bytes),
                              seconds.value_or(none.seconds)}};
          },
          "interrupt"_a = nb::none(), "progress"_a = nb::none(), nb::kw_only(),
          "concepts"_a = nb::none(), "bytes"_a = nb::none(), "seconds"_a = nb::none());
}

}  // namespace
}  // namespace conceptrank::bindings

NB_MODULE(_core, m) {
  using namespace conceptrank;
  using namespace conceptrank::bindings;
  // Tables that modules keep until the interpreter ends are not leaks. A test sets the variable and
  // checks a program that keeps none.
  nb::set_leak_warnings(std::getenv("CONCEPTRANK_LEAK_WARNINGS") != nullptr);
  m.doc() = "The native core of conceptrank: numbers in, numbers out; names live in Python.";
  bind_watch(m);
  bind_table(m);
  bind_faces(m);
  bind_lattice(m);
  bind_best(m);
  bind_rules(m);
  bind_random(m);
  bind_summary(m);
  bind_diagram(m);
  m.def("active_kernel", [] { return std::string(kernels().name); }, "Name of the kernels in use.");
  m.def(
      "available_kernels",
      [] {
        std::vector<std::string_view> names;
        for (const Kernels* each : available_kernels()) names.push_back(each->name);
        return list_of(names);
      },
      "Names of the kernels that this processor can run, slowest first.");
  m.def("compiler", &compiler, "Name and version of the compiler that built the core.");
}
