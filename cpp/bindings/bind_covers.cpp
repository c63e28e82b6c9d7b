#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "cpp/table/covers.hpp"
#include "python_budget.hpp"

namespace conceptrank::bindings {

using namespace nb::literals;

namespace {

Direction direction_of(const std::string& direction) {
  if (direction == "upper") return Direction::upper;
  if (direction == "lower") return Direction::lower;
  throw nb::value_error("direction must be 'upper' or 'lower'");
}

}  // namespace

void bind_covers(nb::module_& m) {
  m.def(
      "covers",
      [](const Table& table, const In<std::int64_t>& offsets, const In<Index>& intents,
         const std::string& direction, std::uint64_t below, unsigned threads,
         nb::object interrupt) {
        const Lists lists = to_intents(table, offsets, intents);
        const Direction which = direction_of(direction);
        PythonBudget python({}, {}, {}, std::move(interrupt), nb::none());
        Covers found = python.run(
            [&](Budget& budget) { return covers(table, lists, which, below, threads, budget); });
        nb::tuple sets = from_lists(std::move(found.intents));
        std::vector<std::int64_t> ends(found.offsets.begin(), found.offsets.end());
        return nb::make_tuple(move_out(std::move(ends)), sets[0], sets[1]);
      },
      "table"_a, "offsets"_a.noconvert(), "intents"_a.noconvert(), "direction"_a, "below"_a,
      "threads"_a = 0, "interrupt"_a = nb::none(),
      nb::sig("def covers(table: Table, offsets: Annotated[NDArray[numpy.int64], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)], "
              "intents: Annotated[NDArray[numpy.uint32], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)], direction: str, "
              "below: int, threads: int = 0, "
              "interrupt: collections.abc.Callable[[], bool] | None = None) -> "
              "tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], "
              "Annotated[NDArray[numpy.int64], dict(shape=(None,))], "
              "Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]"),
      "The upper or lower covers, of those with fewer than `below` objects: how many each concept "
      "has, as offsets, and their intents.");
}

}  // namespace conceptrank::bindings
