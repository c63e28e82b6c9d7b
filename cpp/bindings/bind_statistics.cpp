#include "bindings.hpp"
#include "cpp/table/statistics.hpp"
#include "python_budget.hpp"

namespace conceptrank::bindings {

using namespace nb::literals;

namespace {

template <std::size_t N>
nb::list names_of(const std::string_view (&fields)[N]) {
  nb::list names;
  for (const std::string_view field : fields) names.append(nb::str(field.data()));
  return names;
}

/// Binds a function that computes a row of `n_fields` numbers for each of some concepts.
template <class Compute>
void bind_columns(nb::module_& m, const char* name, Compute compute, std::size_t n_fields,
                  const char* description) {
  const std::string signature =
      std::string("def ") + name +
      "(table: Table, offsets: Annotated[NDArray[numpy.int64], "
      "dict(shape=(None,), order='C', device='cpu', writable=False)], "
      "intents: Annotated[NDArray[numpy.uint32], "
      "dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0, "
      "interrupt: collections.abc.Callable[[], bool] | None = None, "
      "progress: collections.abc.Callable[[int, float], None] | None = None) -> "
      "Annotated[NDArray[numpy.float64], dict(shape=(None, None))]";
  m.def(
      name,
      [compute, n_fields](const Table& table, const In<std::int64_t>& offsets,
                          const In<Index>& intents, unsigned threads, nb::object interrupt,
                          nb::object progress) {
        const Lists lists = to_intents(table, offsets, intents);
        PythonBudget python({}, {}, {}, std::move(interrupt), std::move(progress));
        return matrix(
            python.run([&](Budget& budget) { return compute(table, lists, threads, budget); }),
            n_fields);
      },
      "table"_a, "offsets"_a.noconvert(), "intents"_a.noconvert(), "threads"_a = 0,
      "interrupt"_a = nb::none(), "progress"_a = nb::none(), nb::sig(signature.c_str()),
      description);
}

}  // namespace

void bind_statistics(nb::module_& m) {
  m.def(
      "column_sum_fields", [] { return names_of(column_sum_fields); },
      nb::sig("def column_sum_fields() -> list[str]"), "Names of the columns of column sums.");
  m.def(
      "cohesion_fields", [] { return names_of(cohesion_fields); },
      nb::sig("def cohesion_fields() -> list[str]"), "Names of the columns of cohesions.");

  bind_columns(m, "column_sums", &column_sums, std::size(column_sum_fields),
               "Column sums of the concepts with these intents, each from the table alone.");
  bind_columns(m, "cohesion", &cohesion, std::size(cohesion_fields),
               "How alike the objects of the concepts with these intents are.");

  m.def(
      "extent_sums",
      [](const Table& table, const In<std::int64_t>& offsets, const In<Index>& intents,
         const In<double>& values, unsigned threads, nb::object interrupt, nb::object progress) {
        const Lists lists = to_intents(table, offsets, intents);
        const auto numbers = span_of(values);
        if (numbers.size() != table.n_listed())
          throw nb::value_error("there must be one number per object");
        PythonBudget python({}, {}, {}, std::move(interrupt), std::move(progress));
        return move_out(python.run(
            [&](Budget& budget) { return extent_sums(table, lists, numbers, threads, budget); }));
      },
      "table"_a, "offsets"_a.noconvert(), "intents"_a.noconvert(), "values"_a.noconvert(),
      "threads"_a = 0, "interrupt"_a = nb::none(), "progress"_a = nb::none(),
      nb::sig("def extent_sums(table: Table, offsets: Annotated[NDArray[numpy.int64], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)], "
              "intents: Annotated[NDArray[numpy.uint32], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)], "
              "values: Annotated[NDArray[numpy.float64], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0, "
              "interrupt: collections.abc.Callable[[], bool] | None = None, "
              "progress: collections.abc.Callable[[int, float], None] | None = None) -> "
              "Annotated[NDArray[numpy.float64], dict(shape=(None,))]"),
      "The sum over the objects of each set of attributes of a number that every object has.");

  m.def(
      "extensions",
      [](const Table& table, const In<std::int64_t>& offsets, const In<Index>& intents) {
        const Lists lists = to_intents(table, offsets, intents);
        Lists extents;
        for (std::size_t i = 0; i < lists.size(); ++i) {
          extents.push_back(table.objects(table.extent(lists[i])));
        }
        return from_lists(std::move(extents));
      },
      "table"_a, "offsets"_a.noconvert(), "intents"_a.noconvert(),
      nb::sig("def extensions(table: Table, offsets: Annotated[NDArray[numpy.int64], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)], "
              "intents: Annotated[NDArray[numpy.uint32], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)]) -> "
              "tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], "
              "Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]"),
      "The objects of each set of attributes, as offsets and values.");
}

}  // namespace conceptrank::bindings
