#include "cpp/random/randomise.hpp"
#include "python_budget.hpp"

namespace conceptrank::bindings {

using namespace nb::literals;

namespace {

#define CONCEPTRANK_ROWS                                         \
  "tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], " \
  "Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]"

/// Rows that `draw(budget)` gives, under a budget that Python can interrupt.
template <class Draw>
nb::tuple rows_from(nb::object interrupt, Draw&& draw) {
  PythonBudget python({}, {}, {}, std::move(interrupt), nb::none());
  return from_lists(python.run(draw));
}

/// Runs one of the two chains.
template <class Chain>
auto chain(Chain run) {
  return [run](RandomStream& self, const In<std::int64_t>& offsets, const In<Index>& rows,
               std::size_t n_attributes, std::uint64_t steps, std::size_t checkpoints,
               nb::object interrupt) {
    const Lists start = to_lists(offsets, rows);
    PythonBudget python({}, {}, {}, std::move(interrupt), nb::none());
    Randomised result = python.run(
        [&](Budget& budget) { return run(start, n_attributes, steps, checkpoints, self, budget); });
    nb::tuple lists = from_lists(std::move(result.rows));
    return nb::make_tuple(lists[0], lists[1], result.attempted, result.accepted,
                          move_out(std::move(result.distances)));
  };
}

}  // namespace

void bind_randomise(nb::module_& m) {
  nb::class_<RandomStream>(m, "RandomStream",
                           "A stream of random numbers, and the tables that are drawn from it. One "
                           "thread at a time.")
      .def(nb::init<std::uint64_t, std::uint64_t>(), "seed"_a, "stream"_a = 0)
      .def(
          "uniform",
          [](RandomStream& self, std::size_t n) {
            std::vector<double> numbers(n);
            for (double& number : numbers) number = self.uniform();
            return move_out(std::move(numbers));
          },
          "n"_a, "n numbers in [0, 1).")
      .def(
          "dirichlet",
          [](RandomStream& self, const In<double>& parameters) {
            return move_out(dirichlet(span_of(parameters), self));
          },
          "parameters"_a.noconvert(), "Probabilities from the Dirichlet distribution.")
      .def("swap_crosses", chain(&swap_crosses), "offsets"_a.noconvert(), "rows"_a.noconvert(),
           "n_attributes"_a, "steps"_a, "checkpoints"_a = 0, "interrupt"_a = nb::none(),
           nb::sig("def swap_crosses(self, offsets: NDArray[numpy.int64], rows: "
                   "NDArray[numpy.uint32], n_attributes: int, steps: int, checkpoints: int = 0, "
                   "interrupt: collections.abc.Callable[[], bool] | None = None) -> "
                   "tuple[NDArray[numpy.int64], NDArray[numpy.uint32], int, int, "
                   "NDArray[numpy.float64]]"),
           "Rows with the same margins, steps attempted and accepted, distances to the start.")
      .def("trade_rows", chain(&trade_rows), "offsets"_a.noconvert(), "rows"_a.noconvert(),
           "n_attributes"_a, "steps"_a, "checkpoints"_a = 0, "interrupt"_a = nb::none(),
           nb::sig("def trade_rows(self, offsets: NDArray[numpy.int64], rows: "
                   "NDArray[numpy.uint32], n_attributes: int, steps: int, checkpoints: int = 0, "
                   "interrupt: collections.abc.Callable[[], bool] | None = None) -> "
                   "tuple[NDArray[numpy.int64], NDArray[numpy.uint32], int, int, "
                   "NDArray[numpy.float64]]"),
           "The same by Curveball trades between rows.")
      .def(
          "toss_cells",
          [](RandomStream& self, std::size_t n_objects, std::size_t n_attributes, double chance,
             nb::object interrupt) {
            return rows_from(std::move(interrupt), [&](Budget& budget) {
              return toss_cells(n_objects, n_attributes, chance, self, budget);
            });
          },
          "n_objects"_a, "n_attributes"_a, "chance"_a, "interrupt"_a = nb::none(),
          nb::sig("def toss_cells(self, n_objects: int, n_attributes: int, chance: float, "
                  "interrupt: collections.abc.Callable[[], bool] | None = None) "
                  "-> " CONCEPTRANK_ROWS),
          "Rows whose cells are crosses with the same chance.")
      .def(
          "place_crosses",
          [](RandomStream& self, std::size_t n_objects, std::size_t n_attributes,
             std::uint64_t crosses, nb::object interrupt) {
            return rows_from(std::move(interrupt), [&](Budget& budget) {
              return place_crosses(n_objects, n_attributes, crosses, self, budget);
            });
          },
          "n_objects"_a, "n_attributes"_a, "crosses"_a, "interrupt"_a = nb::none(),
          nb::sig("def place_crosses(self, n_objects: int, n_attributes: int, crosses: int, "
                  "interrupt: collections.abc.Callable[[], bool] | None = None) "
                  "-> " CONCEPTRANK_ROWS),
          "Rows with so many crosses in all.")
      .def(
          "draw_rows",
          [](RandomStream& self, std::size_t n_objects, std::size_t n_attributes,
             const In<double>& weights, nb::object interrupt) {
            return rows_from(std::move(interrupt), [&](Budget& budget) {
              return draw_rows(n_objects, n_attributes, span_of(weights), self, budget);
            });
          },
          "n_objects"_a, "n_attributes"_a, "weights"_a.noconvert(), "interrupt"_a = nb::none(),
          nb::sig("def draw_rows(self, n_objects: int, n_attributes: int, "
                  "weights: NDArray[numpy.float64], "
                  "interrupt: collections.abc.Callable[[], bool] | None = None) "
                  "-> " CONCEPTRANK_ROWS),
          "Rows whose sizes follow weights, any set of a size being equally likely.")
      .def(
          "shuffle_columns",
          [](RandomStream& self, const In<std::int64_t>& offsets, const In<Index>& rows,
             std::size_t n_attributes, nb::object interrupt) {
            const Lists start = to_lists(offsets, rows);
            return rows_from(std::move(interrupt), [&](Budget& budget) {
              return shuffle_columns(start, n_attributes, self, budget);
            });
          },
          "offsets"_a.noconvert(), "rows"_a.noconvert(), "n_attributes"_a,
          "interrupt"_a = nb::none(),
          nb::sig("def shuffle_columns(self, offsets: NDArray[numpy.int64], rows: "
                  "NDArray[numpy.uint32], n_attributes: int, "
                  "interrupt: collections.abc.Callable[[], bool] | None = None) "
                  "-> " CONCEPTRANK_ROWS),
          "Rows whose columns are permuted, each on its own.")
      .def(
          "resample_rows",
          [](RandomStream& self, const In<std::int64_t>& offsets, const In<Index>& rows,
             std::size_t n_objects) {
            return from_lists(resample_rows(to_lists(offsets, rows), n_objects, self));
          },
          "offsets"_a.noconvert(), "rows"_a.noconvert(), "n_objects"_a,
          nb::sig("def resample_rows(self, offsets: NDArray[numpy.int64], rows: "
                  "NDArray[numpy.uint32], n_objects: int) -> " CONCEPTRANK_ROWS),
          "Rows drawn with replacement.");
}

}  // namespace conceptrank::bindings
