#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "cpp/best/frontier.hpp"
#include "python_budget.hpp"

namespace conceptrank::bindings {

using namespace nb::literals;

namespace {

/// A frontier with the tree that it searches, and the children that wait for their keys.
struct BestSearch {
  nb::object owner;  // keeps the table alive
  Tree tree;
  Frontier frontier;
  std::size_t width;
  std::vector<Subtree> waiting;

  BestSearch(nb::object table, Constraints constraints, Comparison comparison, std::size_t keys,
             std::uint64_t most_bytes)
      : owner(std::move(table)),
        tree(nb::cast<const Table&>(owner), std::move(constraints), comparison),
        frontier(tree, keys, most_bytes),
        width(keys) {}
  BestSearch(const BestSearch&) = delete;
  BestSearch& operator=(const BestSearch&) = delete;
};

Comparison comparison_of(const std::string& name) {
  if (name == "automatic") return Comparison::automatic;
  if (name == "bits") return Comparison::bits;
  if (name == "counts") return Comparison::counts;
  throw nb::value_error("comparison is automatic, bits or counts");
}

std::span<const double> key_of(const In<double>& numbers, std::size_t width) {
  if (numbers.shape(0) != width) throw nb::value_error("a key has another length");
  return span_of(numbers);
}

template <class Get>
auto column(const std::vector<Subtree>& nodes, Get get) {
  std::vector<std::int64_t> values;
  values.reserve(nodes.size());
  for (const Subtree& node : nodes) values.push_back(static_cast<std::int64_t>(get(node)));
  return move_out(std::move(values));
}

nb::tuple intents_of(const std::vector<Subtree>& nodes) {
  Lists intents;
  for (const Subtree& node : nodes) intents.push_back(node.intent);
  return from_lists(std::move(intents));
}

nb::tuple expand(BestSearch& self, std::size_t count, std::size_t dives,
                 const In<double>& threshold, std::uint64_t least_support,
                 std::uint64_t least_delta, bool limit_delta, bool limit_length, bool own_delta,
                 unsigned threads, std::optional<double> seconds, nb::object interrupt) {
  const auto least = key_of(threshold, self.width);
  PythonBudget python({}, {}, seconds, std::move(interrupt), nb::none());
  Step step = python.run([&](Budget& budget) {
    return self.frontier.expand(count, dives, least,
                                {least_support, least_delta, limit_delta, limit_length, own_delta},
                                threads, budget);
  });
  std::vector<std::int64_t> supports;
  std::vector<std::int64_t> deltas;
  std::vector<std::uint8_t> counts;
  for (const Expanded& concept_ : step.concepts) {
    supports.push_back(static_cast<std::int64_t>(concept_.support));
    deltas.push_back(static_cast<std::int64_t>(concept_.delta));
    counts.push_back(concept_.counts ? 1 : 0);
  }
  self.waiting = std::move(step.children);
  return nb::make_tuple(
      intents_of(step.nodes), move_out(std::move(supports)), move_out(std::move(deltas)),
      move_out(std::move(counts)), intents_of(self.waiting),
      column(self.waiting, [](const Subtree& node) { return node.support; }),
      column(self.waiting, [](const Subtree& node) { return node.delta; }),
      column(self.waiting, [](const Subtree& node) { return node.longest; }),
      column(self.waiting, [](const Subtree& node) { return node.bottom ? 1 : 0; }),
      column(self.waiting, [](const Subtree& node) { return node.own_support; }),
      column(self.waiting, [](const Subtree& node) { return node.own_delta; }),
      column(self.waiting, [](const Subtree& node) { return node.counts ? 1 : 0; }), step.bound,
      std::string(to_string(python.budget().reason())));
}

}  // namespace

void bind_best(nb::module_& m) {
  nb::class_<BestSearch>(m, "BestSearch", "A best-first search of the tree of concepts.")
      .def(
          "__init__",
          [](BestSearch* self, nb::object table, const Constraints& constraints, std::size_t width,
             std::uint64_t most_bytes, const std::string& comparison) {
            if (width == 0) throw nb::value_error("a key has at least one number");
            Constraints wanted = checked(nb::cast<const Table&>(table), constraints);
            new (self) BestSearch(std::move(table), std::move(wanted), comparison_of(comparison),
                                  width, most_bytes);
          },
          "table"_a, "constraints"_a, nb::kw_only(), "width"_a, "most_bytes"_a,
          "comparison"_a = "automatic",
          nb::sig("def __init__(self, table: Table, constraints: Constraints, *, width: int, "
                  "most_bytes: int, comparison: str = \"automatic\") -> None"))
      .def("__len__", [](const BestSearch& self) { return self.frontier.size(); })
      .def_prop_ro("bytes", [](const BestSearch& self) { return self.frontier.bytes(); })
      .def_prop_ro("depth_first",
                   [](const BestSearch& self) { return self.frontier.depth_first(); })
      .def_prop_ro(
          "bound", [](BestSearch& self) { return self.frontier.bound(); },
          "The largest first number of a key.")
      .def("expand", &expand, nb::kw_only(), "count"_a, "dives"_a, "threshold"_a.noconvert(),
           "least_support"_a = 0, "least_delta"_a = 0, "limit_delta"_a = true,
           "limit_length"_a = true, "own_delta"_a = true, "threads"_a = 0, "seconds"_a = nb::none(),
           "interrupt"_a = nb::none(),
           nb::sig("def expand(self, *, count: int, dives: int, threshold: NDArray[numpy.float64], "
                   "least_support: int = 0, least_delta: int = 0, limit_delta: bool = True, "
                   "limit_length: bool = True, own_delta: bool = True, threads: int = 0, "
                   "seconds: float | None = None, "
                   "interrupt: collections.abc.Callable[[], bool] | None = None) -> "
                   "tuple[tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], "
                   "NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.uint8], "
                   "tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], NDArray[numpy.int64], "
                   "NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], "
                   "NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], float, str]"),
           "Expands nodes that are not below the threshold. Gives their intents, supports, deltas "
           "and whether they meet the constraints; the children's intents and largest supports, "
           "deltas and lengths, whether the concept of all attributes can be below them, and their "
           "own supports, deltas and whether they meet the constraints; the largest first number "
           "of the nodes' keys; and what stopped it. `push` takes the "
           "children's keys.")
      .def(
          "push",
          [](BestSearch& self, const In<double>& keys, const In<double>& scores,
             const In<double>& threshold) {
            const std::size_t n = self.waiting.size();
            if (keys.shape(0) != n * self.width || (scores.shape(0) != n && scores.shape(0) != 0)) {
              throw nb::value_error("there must be one key per child, and one score or none");
            }
            self.frontier.push(std::move(self.waiting), span_of(keys), span_of(scores),
                               key_of(threshold, self.width));
            self.waiting.clear();
          },
          "keys"_a.noconvert(), "scores"_a.noconvert(), "threshold"_a.noconvert(),
          nb::sig("def push(self, keys: NDArray[numpy.float64], scores: NDArray[numpy.float64], "
                  "threshold: NDArray[numpy.float64]) -> None"),
          "Adds the children of the last expansion with their keys, one key after the other, and "
          "the scores of their own concepts, if there are any.");
}

}  // namespace conceptrank::bindings
