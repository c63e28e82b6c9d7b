#include "cpp/lattice/branch.hpp"
#include "cpp/lattice/lattice.hpp"
#include "cpp/search/estimate.hpp"
#include "watch.hpp"

namespace nanobind::detail {

/// A prefix is a tuple of Python's own numbers, which can be sent to another process: the intent,
/// the last attribute, and the children or None.
template <>
struct type_caster<conceptrank::Prefix> {
  using Numbers = list_caster<std::vector<Index>, Index>;
  NB_TYPE_CASTER(conceptrank::Prefix, const_name("tuple[Sequence[int], int, Sequence[int] | None]"))

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    if (!isinstance<nanobind::tuple>(source) || nanobind::len(source) != 3) return false;
    const auto parts = borrow<nanobind::tuple>(source);
    Numbers intent;
    Numbers children;
    make_caster<std::int64_t> last;
    if (!intent.from_python(parts[0], flags, cleanup) ||
        !last.from_python(parts[1], flags, cleanup)) {
      return false;
    }
    value = {std::move(intent.value), last.value, {}};
    if (parts[2].is_none()) return true;
    if (!children.from_python(parts[2], flags, cleanup)) return false;
    value.children = std::move(children.value);
    return true;
  }
  static handle from_cpp(const conceptrank::Prefix& prefix, rv_policy policy,
                         cleanup_list* cleanup) noexcept {
    const auto numbers = [&](const std::vector<Index>& given) {
      return steal(Numbers::from_cpp(given, policy, cleanup));
    };
    const object children = prefix.children ? numbers(*prefix.children) : none();
    return make_tuple(numbers(prefix.intent), prefix.last, children).release();
  }
};
template <>
struct type_caster<std::vector<conceptrank::Prefix>>
    : list_caster<std::vector<conceptrank::Prefix>, conceptrank::Prefix> {};

}  // namespace nanobind::detail

namespace conceptrank::bindings {
namespace {

/// Sets which concepts a call lists and what it scores.
template <class Options>
void take(Options& options, const Table& table, const FaceOptions* intents,
          const FaceOptions* extents, bool sum_columns, const Constraints* constraints) {
  options.score_intents = intents != nullptr;
  if (intents != nullptr) options.intent_options = *intents;
  options.score_extents = extents != nullptr;
  if (extents != nullptr) options.extent_options = *extents;
  options.sum_columns = sum_columns;
  options.constraints = constraints;
  if (constraints != nullptr) constraints->check(table);
}

Lattice from_arrays(std::uint64_t min_support, Stop stop, Array<Index> supports,
                    Array<Index> deltas, ListsView intents, ListsView lower) {
  Lattice lattice{min_support,  stop, std::move(supports), std::move(deltas), intents.copy(),
                  lower.copy(), {}};
  const std::size_t n = lattice.size();
  if (lattice.deltas.size() != n || intents.size() != n || lower.size() != n) {
    throw nb::value_error("the arrays of a lattice must have one length");
  }
  if (std::ranges::any_of(lower.values, [&](Index below) { return below >= n; })) {
    throw nb::value_error("a lower cover is not a concept of the lattice");
  }
  Budget unlimited;
  lattice.connect_upwards(unlimited);
  return lattice;
}

std::optional<std::size_t> find(const Lattice& lattice, std::span<const Index> intent,
                                std::uint64_t support) {
  const std::size_t i = lattice.find(intent, support);
  return i == lattice.size() ? std::nullopt : std::optional(i);
}

Mined mine_table(const Table& table, std::uint64_t min_support, unsigned threads,
                 const FaceOptions* score_extents, bool sum_columns, bool covers,
                 const Constraints* constraints, const Watch* watch) {
  MiningOptions options;
  take(options, table, nullptr, score_extents, sum_columns, constraints);
  options.min_support = min_support;
  options.threads = threads;
  options.covers = covers;
  if (!covers && constraints != nullptr && !constraints->shared.empty()) {
    throw nb::value_error("shared attributes need covers");
  }
  if (!covers && options.score_extents) throw nb::value_error("extent faces need covers");
  return run(watch, [&](Budget& budget) { return mine(table, options, budget); });
}

/// A table with the search's order of its attributes: made once, used for many branches.
struct BranchMiner {
  SearchTable table;

  MinedBranch mine(const std::vector<Prefix>& prefixes, std::uint64_t nodes,
                   const FaceOptions* score_intents, const FaceOptions* score_extents,
                   bool sum_columns, const Constraints* constraints, const Watch* watch) const {
    BranchOptions options;
    take(options, table.table(), score_intents, score_extents, sum_columns, constraints);
    options.nodes = nodes;
    return run(watch,
               [&](Budget& budget) { return mine_branch(table, prefixes, options, budget); });
  }
};

void bind_branches(nb::module_& m) {
  nb::class_<MinedBranch>(m, "MinedBranch", "Concepts of a piece of the search tree.")
      .def_ro("intents", &MinedBranch::intents)
      .def_ro("supports", &MinedBranch::supports)
      .def_ro("deltas", &MinedBranch::deltas)
      .def_ro("intent_scores", &MinedBranch::intent_scores, "Face scores, if requested.")
      .def_ro("extent_scores", &MinedBranch::extent_scores, "Face scores, if requested.")
      .def_ro("column_sums", &MinedBranch::column_sums, "If requested.")
      .def_ro("left", &MinedBranch::left, "The parts of the tree that are left.")
      .def_ro("visited", &MinedBranch::visited, "Number of visited nodes.");
  nb::class_<BranchMiner>(m, "BranchMiner", "Mines pieces of the search tree of a table.")
      .def(
          "__init__",
          [](BranchMiner* self, const Table& table, std::uint64_t min_support) {
            new (self) BranchMiner{SearchTable(table, min_support)};
          },
          "table"_a, "min_support"_a = 0, nb::keep_alive<1, 2>())
      .def("mine", &BranchMiner::mine, "prefixes"_a, nb::kw_only(), "nodes"_a,
           "score_intents"_a = nb::none(), "score_extents"_a = nb::none(), "sum_columns"_a = false,
           "constraints"_a = nb::none(), "watch"_a = nb::none(),
           "Visits at most `nodes` nodes of some parts of the tree, and mines and scores the "
           "concepts that meet the constraints.");
}

}  // namespace

void bind_lattice(nb::module_& m) {
  nb::class_<Constraints>(m, "Constraints", "Which concepts count, by numbers of attributes.")
      .def(
          "__init__",
          [](Constraints* self, std::vector<Index> contains, std::vector<Index> forbidden,
             std::vector<Index> any_of, std::uint64_t min_support,
             std::optional<std::uint64_t> max_support, std::uint64_t min_intent,
             std::optional<std::uint64_t> max_intent, std::vector<Index> shared) {
            const Constraints none;
            new (self) Constraints{std::move(contains),
                                   std::move(forbidden),
                                   std::move(any_of),
                                   min_support,
                                   max_support.value_or(none.max_support),
                                   min_intent,
                                   max_intent.value_or(none.max_intent),
                                   std::move(shared)};
          },
          nb::kw_only(), "contains"_a, "forbidden"_a, "any_of"_a, "min_support"_a = 0,
          "max_support"_a = nb::none(), "min_intent"_a = 0, "max_intent"_a = nb::none(),
          "shared"_a);

  nb::class_<Scored>(m, "Scored", "Scores of concepts, in the order of their lattice.")
      .def_ro("extent_scores", &Scored::extent_scores, "Face scores, if requested.")
      .def_ro("intent_scores", &Scored::intent_scores, "Face scores, if requested.")
      .def_ro("column_sums", &Scored::column_sums, "If requested.")
      .def_ro("done", &Scored::done, "Which concepts have been scored.");
  nb::class_<Lattice>(m, "Lattice", "Concepts and their cover relation, as flat arrays.")
      .def_prop_ro("n_bytes", &Lattice::bytes)
      .def_ro("min_support", &Lattice::min_support)
      .def_ro("stop", &Lattice::stop, "Why mining ended early; empty if the lattice is complete.")
      .def_ro("supports", &Lattice::supports)
      .def_ro("deltas", &Lattice::deltas)
      .def_ro("intents", &Lattice::intents)
      .def_ro("lower", &Lattice::lower)
      .def_ro("upper", &Lattice::upper)
      .def("find", &find, "intent"_a, "support"_a, "The number of the concept, or None.")
      .def_static("from_arrays", &from_arrays, nb::kw_only(), "min_support"_a, "stop"_a,
                  "supports"_a, "deltas"_a, "intents"_a, "lower"_a)
      .def("score_intents", watched(&score_intents), "options"_a, "threads"_a = 0,
           "watch"_a = nb::none(),
           "Scores of the intent faces of all concepts of a complete lattice.")
      .def(
          "score_again",
          [](const Lattice& self, const Table& table, unsigned threads,
             const FaceOptions* score_extents, const FaceOptions* score_intents, bool sum_columns,
             const Watch* watch) {
            MiningOptions options;
            take(options, table, score_intents, score_extents, sum_columns, nullptr);
            options.threads = threads;
            return run(watch,
                       [&](Budget& budget) { return score_again(table, self, options, budget); });
          },
          "table"_a, nb::kw_only(), "threads"_a = 0, "score_extents"_a = nb::none(),
          "score_intents"_a = nb::none(), "sum_columns"_a = false, "watch"_a = nb::none(),
          "Walks the search tree of the lattice again and scores its concepts.");

  nb::class_<Mined>(m, "Mined", "A lattice, and what was computed with it.")
      .def_ro("lattice", &Mined::lattice)
      .def_ro("extent_scores", &Mined::extent_scores, "Face scores, if requested.")
      .def_ro("column_sums", &Mined::column_sums, "If requested.");
  m.def("mine", &mine_table, "table"_a, nb::kw_only(), "min_support"_a = 0, "threads"_a = 0,
        "score_extents"_a = nb::none(), "sum_columns"_a = false, "covers"_a = true,
        "constraints"_a = nb::none(), "watch"_a = nb::none(),
        "The concepts with at least min_support objects, with or without covers; with constraints, "
        "those that meet them, without the relation of covers.");

  nb::class_<ConceptEstimate>(m, "ConceptEstimate", "An estimated number of concepts.")
      .def_ro("value", &ConceptEstimate::value)
      .def_ro("low", &ConceptEstimate::low, "Lower end of the 95 % interval.")
      .def_ro("high", &ConceptEstimate::high, "Its upper end.")
      .def_ro("exact", &ConceptEstimate::exact)
      .def_ro("runs", &ConceptEstimate::runs, "Number of runs behind it.");
  m.def(
      "estimate_concepts",
      [](const Table& table, std::uint64_t min_support, std::uint64_t seed,
         std::uint64_t exact_nodes, unsigned runs, const Watch* watch) {
        const EstimateOptions options{min_support, seed, exact_nodes, runs};
        return run(watch,
                   [&](Budget& budget) { return estimate_concepts(table, options, budget); });
      },
      "table"_a, nb::kw_only(), "min_support"_a = 0, "seed"_a = 0,
      "exact_nodes"_a = EstimateOptions{}.exact_nodes, "runs"_a = EstimateOptions{}.runs,
      "watch"_a = nb::none(), "Estimates the number of concepts.");
  bind_branches(m);
}

}  // namespace conceptrank::bindings
