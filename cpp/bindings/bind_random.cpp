#include "cpp/random/randomise.hpp"
#include "watch.hpp"

namespace conceptrank::bindings {
namespace {

/// A function of the core whose last arguments are a stream and a budget, as a method of the
/// stream.
template <class Result, class... Arguments, std::size_t... I>
auto method(Result (*function)(Arguments...), std::index_sequence<I...>) {
  return [function](RandomStream& self, std::tuple_element_t<I, std::tuple<Arguments...>>... given,
                    const Watch* watch) {
    return run(watch, [&](Budget& budget) { return function(given..., self, budget); });
  };
}
template <class Result, class... Arguments>
auto method(Result (*function)(Arguments...)) {
  return method(function, std::make_index_sequence<sizeof...(Arguments) - 2>());
}

}  // namespace

void bind_random(nb::module_& m) {
  nb::class_<Randomised>(m, "Randomised", "Rows that a chain has reached.")
      .def_ro("rows", &Randomised::rows)
      .def_ro("attempted", &Randomised::attempted, "Number of steps.")
      .def_ro("accepted", &Randomised::accepted, "Number of steps that changed the rows.")
      .def_ro("distances", &Randomised::distances, "To the start, at equal intervals.");
  nb::class_<RandomStream>(m, "RandomStream",
                           "A stream of random numbers, and the tables that are drawn from it. One "
                           "thread at a time.")
      .def(nb::init<std::uint64_t, std::uint64_t>(), "seed"_a, "stream"_a = 0)
      .def(
          "uniform",
          [](RandomStream& self, std::size_t n) {
            std::vector<double> numbers(n);
            for (double& number : numbers) number = self.uniform();
            return numbers;
          },
          "n"_a, "n numbers in [0, 1).")
      .def(
          "dirichlet",
          [](RandomStream& self, std::span<const double> parameters) {
            return dirichlet(parameters, self);
          },
          "parameters"_a, "Probabilities from the Dirichlet distribution.")
      .def("swap_crosses", method(&swap_crosses), "rows"_a, "n_attributes"_a, "steps"_a,
           "checkpoints"_a = 0, "watch"_a = nb::none(), "Rows with the same margins.")
      .def("trade_rows", method(&trade_rows), "rows"_a, "n_attributes"_a, "steps"_a,
           "checkpoints"_a = 0, "watch"_a = nb::none(),
           "The same by Curveball trades between rows.")
      .def("toss_cells", method(&toss_cells), "n_objects"_a, "n_attributes"_a, "chance"_a,
           "watch"_a = nb::none(), "Rows whose cells are crosses with the same chance.")
      .def("place_crosses", method(&place_crosses), "n_objects"_a, "n_attributes"_a, "crosses"_a,
           "watch"_a = nb::none(), "Rows with so many crosses in all.")
      .def("draw_rows", method(&draw_rows), "n_objects"_a, "n_attributes"_a, "weights"_a,
           "watch"_a = nb::none(),
           "Rows whose sizes follow weights, any set of a size being equally likely.")
      .def("shuffle_columns", method(&shuffle_columns), "rows"_a, "n_attributes"_a,
           "watch"_a = nb::none(), "Rows whose columns are permuted, each on its own.")
      .def(
          "resample_rows",
          [](RandomStream& self, ListsView rows, std::size_t n_objects) {
            return resample_rows(rows, n_objects, self);
          },
          "rows"_a, "n_objects"_a, "Rows drawn with replacement.");
}

}  // namespace conceptrank::bindings
