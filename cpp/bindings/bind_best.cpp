#include "cpp/best/frontier.hpp"
#include "watch.hpp"

namespace nanobind::detail {

template <>
struct type_caster<conceptrank::Comparison>
    : names_caster<conceptrank::Comparison, conceptrank::comparison_names> {};

}  // namespace nanobind::detail

namespace conceptrank::bindings {
namespace {

struct FoundConcepts {
  Lists intents;
  std::vector<std::uint64_t> supports;
  std::vector<std::uint64_t> deltas;
  std::vector<std::uint8_t> counts;

  void add(const Subtree& node, std::uint64_t support, std::uint64_t delta, bool wanted) {
    intents.push_back(node.intent);
    supports.push_back(support);
    deltas.push_back(delta);
    counts.push_back(wanted ? 1 : 0);
  }
  void add(const Subtree& node) { add(node, node.own_support, node.own_delta, node.counts); }
};

struct SearchStep {
  FoundConcepts nodes;
  FoundConcepts children;
  std::vector<std::uint64_t> supports;
  std::vector<std::uint64_t> deltas;
  std::vector<std::uint64_t> lengths;
  std::vector<std::uint8_t> bottoms;
  std::vector<Index> sums;
  double bound = 0;
  Stop stop = Stop::none;
};

/// A frontier with the tree that it searches, and the children that wait for their keys.
struct BestSearch {
  Tree tree;
  Frontier frontier;
  std::size_t width;
  std::vector<Subtree> waiting;

  BestSearch(const Table& table, const Constraints& constraints, std::size_t keys,
             std::uint64_t most_bytes, Comparison comparison)
      : tree(table, constraints, comparison), frontier(tree, keys, most_bytes), width(keys) {
    constraints.check(table);
    if (width == 0) throw nb::value_error("a key has at least one number");
  }
  BestSearch(const BestSearch&) = delete;
  BestSearch& operator=(const BestSearch&) = delete;

  void check_key(std::span<const double> key) const {
    if (key.size() != width) throw nb::value_error("a key has another length");
  }

  SearchStep expand(std::size_t count, std::size_t dives, std::span<const double> threshold,
                    std::uint64_t least_support, std::uint64_t least_delta, std::uint64_t least_sum,
                    bool limit_length, bool strict, unsigned threads, const Watch* watch) {
    check_key(threshold);
    const Worth worth{least_support, least_delta, least_sum, limit_length, strict};
    SearchStep result;
    Step step = run(watch, [&](Budget& budget) {
      Step done = frontier.expand(count, dives, threshold, worth, threads, budget);
      result.stop = budget.reason();
      return done;
    });
    for (std::size_t i = 0; i < step.nodes.size(); ++i) {
      const Expanded& own = step.concepts[i];
      result.nodes.add(step.nodes[i], own.support, own.delta, own.counts);
    }
    for (const Subtree& child : step.children) {
      result.children.add(child);
      result.supports.push_back(child.support);
      result.deltas.push_back(child.delta);
      result.lengths.push_back(child.longest);
      result.bottoms.push_back(child.bottom ? 1 : 0);
    }
    result.sums = std::move(step.sums);
    result.bound = step.bound;
    waiting = std::move(step.children);
    return result;
  }

  void push(std::span<const double> keys, std::span<const double> scores,
            std::span<const double> threshold) {
    check_key(threshold);
    const std::size_t n = waiting.size();
    if (keys.size() != n * width || (scores.size() != n && !scores.empty())) {
      throw nb::value_error("there must be one key per child, and one score or none");
    }
    frontier.push(std::move(waiting), keys, scores, threshold);
    waiting.clear();
  }
};

}  // namespace

void bind_best(nb::module_& m) {
  nb::class_<FoundConcepts>(m, "FoundConcepts", "Concepts that a search found.")
      .def_ro("intents", &FoundConcepts::intents)
      .def_ro("supports", &FoundConcepts::supports)
      .def_ro("deltas", &FoundConcepts::deltas)
      .def_ro("counts", &FoundConcepts::counts, "Whether they meet the constraints.");
  nb::class_<SearchStep>(m, "SearchStep", "Expanded nodes and their children.")
      .def_ro("nodes", &SearchStep::nodes)
      .def_ro("children", &SearchStep::children, "The concepts of the children themselves.")
      .def_ro("supports", &SearchStep::supports, "The largest support at or below each child.")
      .def_ro("deltas", &SearchStep::deltas, "The largest Δ there.")
      .def_ro("lengths", &SearchStep::lengths, "The largest number of attributes there.")
      .def_ro("bottoms", &SearchStep::bottoms,
              "Whether the concept of all attributes can be there.")
      .def_ro("sums", &SearchStep::sums,
              "For each child the sums of its own marks, then the largest ones.")
      .def_ro("bound", &SearchStep::bound, "The largest first number of the nodes' keys.")
      .def_ro("stop", &SearchStep::stop, "What stopped it.");
  nb::class_<BestSearch>(m, "BestSearch", "A best-first search of the tree of concepts.")
      .def(nb::init<const Table&, const Constraints&, std::size_t, std::uint64_t, Comparison>(),
           "table"_a, "constraints"_a, nb::kw_only(), "width"_a, "most_bytes"_a,
           "comparison"_a = "automatic", nb::keep_alive<1, 2>())
      .def("__len__", [](const BestSearch& self) { return self.frontier.size(); })
      .def_prop_ro("bytes", [](const BestSearch& self) { return self.frontier.bytes(); })
      .def_prop_ro(
          "bound", [](BestSearch& self) { return self.frontier.bound(); },
          "The largest first number of a key.")
      .def(
          "add_marks",
          [](BestSearch& self, std::span<const Index> numbers) {
            if (numbers.size() != self.tree.table().n_listed()) {
              throw nb::value_error("there must be one number per object");
            }
            self.tree.add_marks(numbers);
          },
          "numbers"_a, "From now on, `expand` gives the sums of these numbers, one per object.")
      .def(
          "step_size",
          [](const BestSearch& self, std::size_t visited) {
            return step_size(visited, self.frontier.depth_first());
          },
          "visited"_a, "The number of nodes in the next step, given how many were visited.")
      .def_static("dives", &dives_of, "step"_a, "visited"_a, "enough"_a,
                  "How many nodes of a step to pick by their own scores.")
      .def("expand", &BestSearch::expand, nb::kw_only(), "count"_a, "dives"_a, "threshold"_a,
           "least_support"_a = 0, "least_delta"_a = 0, "least_sum"_a = 0, "limit_length"_a = true,
           "strict"_a = false, "threads"_a = 0, "watch"_a = nb::none(),
           "Expands nodes that are not below the threshold. If strict, limits leave out the "
           "children's own concepts. `push` takes the children's keys.")
      .def("push", &BestSearch::push, "keys"_a, "scores"_a, "threshold"_a,
           "Adds the children of the last expansion with their keys, one key after the other, and "
           "the scores of their own concepts, if there are any.");
}

}  // namespace conceptrank::bindings
