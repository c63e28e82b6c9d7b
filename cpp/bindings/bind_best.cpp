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
                 std::uint64_t least_delta, std::uint64_t least_sum, bool limit_length, bool strict,
                 unsigned threads, std::optional<double> seconds, nb::object interrupt) {
  const auto least = key_of(threshold, self.width);
  PythonBudget python({}, {}, seconds, std::move(interrupt), nb::none());
  Step step = python.run([&](Budget& budget) {
    return self.frontier.expand(count, dives, least,
                                {least_support, least_delta, least_sum, limit_length, strict},
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
      column(self.waiting, [](const Subtree& node) { return node.counts ? 1 : 0; }),
      move_out(std::move(step.sums)), step.bound, std::string(to_string(python.budget().reason())));
}

nb::tuple run(BestSearch& self, bool by_delta, const In<double>& score, const In<double>& limit,
              const In<double>& limit_with_bottom, const In<double>& best_scores,
              const In<std::int64_t>& best_supports, std::size_t k, bool by_support,
              std::size_t visited, std::size_t most, unsigned threads,
              std::optional<double> seconds, nb::object interrupt) {
  const auto table = [&](const In<double>& numbers) {
    const auto values = span_of(numbers);
    if (values.size() <= self.tree.table().n_objects()) {
      throw nb::value_error("a table has an entry for each number of objects");
    }
    return std::vector<double>(values.begin(), values.end());
  };
  const ScoreTables tables{by_delta, table(score), table(limit), table(limit_with_bottom)};
  if (self.width != (by_support ? 2U : 1U) || best_scores.shape(0) != best_supports.shape(0)) {
    throw nb::value_error("keys have the limit and, if it breaks ties, the support");
  }
  std::vector<std::pair<double, double>> best;
  for (std::size_t i = 0; i < best_scores.shape(0); ++i) {
    best.emplace_back(best_scores.data()[i],
                      by_support ? static_cast<double>(best_supports.data()[i]) : 0);
  }
  PythonBudget python({}, {}, seconds, std::move(interrupt), nb::none());
  const RunOptions options{k, by_support, visited, most, threads};
  const Run run = python.run(
      [&](Budget& budget) { return self.frontier.run(tables, std::move(best), options, budget); });
  return nb::make_tuple(run.visited, intents_of(run.found),
                        column(run.found, [](const Subtree& node) { return node.own_support; }),
                        column(run.found, [](const Subtree& node) { return node.own_delta; }),
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
           "least_support"_a = 0, "least_delta"_a = 0, "least_sum"_a = 0, "limit_length"_a = true,
           "strict"_a = false, "threads"_a = 0, "seconds"_a = nb::none(),
           "interrupt"_a = nb::none(),
           nb::sig("def expand(self, *, count: int, dives: int, threshold: NDArray[numpy.float64], "
                   "least_support: int = 0, least_delta: int = 0, least_sum: int = 0, "
                   "limit_length: bool = True, strict: bool = False, threads: int = 0, "
                   "seconds: float | None = None, "
                   "interrupt: collections.abc.Callable[[], bool] | None = None) -> "
                   "tuple[tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], "
                   "NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.uint8], "
                   "tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], NDArray[numpy.int64], "
                   "NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], "
                   "NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], "
                   "NDArray[numpy.uint32], float, str]"),
           "Expands nodes that are not below the threshold. Gives their intents, supports, deltas "
           "and whether they meet the constraints; the children's intents and largest supports, "
           "deltas and lengths, whether the concept of all attributes can be below them, and their "
           "own supports, deltas and whether they meet the constraints; their sums of marks, own "
           "ones "
           "and then the largest ones; the largest first number of the nodes' keys; and what "
           "stopped it. If strict, limits leave out the children's own concepts. `push` takes the "
           "children's keys.")
      .def(
          "add_marks",
          [](BestSearch& self, const In<Index>& numbers) {
            if (numbers.shape(0) != self.tree.table().n_listed()) {
              throw nb::value_error("there must be one number per object");
            }
            self.tree.add_marks(span_of(numbers));
          },
          "numbers"_a.noconvert(),
          nb::sig("def add_marks(self, numbers: NDArray[numpy.uint32]) -> None"),
          "From now on, `expand` gives the sums of these numbers, one per object.")
      .def(
          "step_size",
          [](const BestSearch& self, std::size_t visited) {
            return step_size(visited, self.frontier.depth_first());
          },
          "visited"_a, "The number of nodes in the next step, given how many were visited.")
      .def_static("dives", &dives_of, "step"_a, "visited"_a, "enough"_a,
                  "How many nodes of a step to pick by their own scores.")
      .def("run", &run, nb::kw_only(), "by_delta"_a, "score"_a.noconvert(), "limit"_a.noconvert(),
           "limit_with_bottom"_a.noconvert(), "best_scores"_a.noconvert(),
           "best_supports"_a.noconvert(), "k"_a, "by_support"_a, "visited"_a, "most"_a,
           "threads"_a = 0, "seconds"_a = nb::none(), "interrupt"_a = nb::none(),
           nb::sig("def run(self, *, by_delta: bool, score: NDArray[numpy.float64], "
                   "limit: NDArray[numpy.float64], limit_with_bottom: NDArray[numpy.float64], "
                   "best_scores: NDArray[numpy.float64], best_supports: NDArray[numpy.int64], "
                   "k: int, by_support: bool, visited: int, most: int, threads: int = 0, "
                   "seconds: float | None = None, "
                   "interrupt: collections.abc.Callable[[], bool] | None = None) -> "
                   "tuple[int, tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], "
                   "NDArray[numpy.int64], NDArray[numpy.int64], str]"),
           "Expands nodes by tables of scores and limits. Gives the number of expanded nodes; the "
           "intents, supports and deltas of the concepts found that can be among the k best; and "
           "what stopped it.")
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
