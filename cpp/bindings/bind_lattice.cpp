#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "cpp/lattice/lattice.hpp"
#include "cpp/search/estimate.hpp"
#include "python_budget.hpp"

namespace conceptrank::bindings {

using namespace nb::literals;

namespace {

/// A property that shows one of the lattice's arrays without a copy.
template <class Member>
auto array_of(Member member) {
  return [member](nb::handle self) { return view(member(nb::cast<const Lattice&>(self)), self); };
}

Lattice from_arrays(std::uint64_t min_support, const std::string& stop, const In<Index>& supports,
                    const In<Index>& deltas, const In<std::int64_t>& intent_offsets,
                    const In<Index>& intents, const In<std::int64_t>& lower_offsets,
                    const In<Index>& lower) {
  Lattice lattice;
  lattice.min_support = min_support;
  for (const Stop reason :
       {Stop::concepts, Stop::bytes, Stop::seconds, Stop::cancelled, Stop::constraints}) {
    if (to_string(reason) == stop) lattice.stop = reason;
  }
  lattice.supports.assign(supports.data(), supports.data() + supports.shape(0));
  lattice.deltas.assign(deltas.data(), deltas.data() + deltas.shape(0));
  lattice.intents = to_lists(intent_offsets, intents);
  lattice.lower = to_lists(lower_offsets, lower);
  const std::size_t n = lattice.size();
  if (lattice.deltas.size() != n || lattice.intents.size() != n || lattice.lower.size() != n) {
    throw nb::value_error("the arrays of a lattice must have one length");
  }
  for (const Index below : lattice.lower.values) {
    if (below >= n) throw nb::value_error("a lower cover is not a concept of the lattice");
  }
  Budget unlimited;
  lattice.connect_upwards(unlimited);
  return lattice;
}

}  // namespace

void bind_lattice(nb::module_& m) {
  nb::class_<Constraints>(m, "Constraints", "Which concepts count, by numbers of attributes.")
      .def(
          "__init__",
          [](Constraints* self, const In<Index>& contains, const In<Index>& forbidden,
             const In<Index>& any_of, std::uint64_t min_support,
             std::optional<std::uint64_t> max_support, std::uint64_t min_intent,
             std::optional<std::uint64_t> max_intent, const In<Index>& shared) {
            const auto list = [](const In<Index>& numbers) {
              const auto given = span_of(numbers);
              return std::vector<Index>(given.begin(), given.end());
            };
            new (self) Constraints{list(contains), list(forbidden), list(any_of), min_support};
            if (max_support) self->max_support = *max_support;
            self->min_intent = min_intent;
            if (max_intent) self->max_intent = *max_intent;
            self->shared = list(shared);
          },
          nb::kw_only(), "contains"_a.noconvert(), "forbidden"_a.noconvert(),
          "any_of"_a.noconvert(), "min_support"_a = 0, "max_support"_a = nb::none(),
          "min_intent"_a = 0, "max_intent"_a = nb::none(), "shared"_a.noconvert(),
          nb::sig("def __init__(self, *, contains: NDArray[numpy.uint32], "
                  "forbidden: NDArray[numpy.uint32], any_of: NDArray[numpy.uint32], "
                  "min_support: int = 0, max_support: int | None = None, min_intent: int = 0, "
                  "max_intent: int | None = None, shared: NDArray[numpy.uint32]) -> None"));
  nb::class_<Lattice>(m, "Lattice", "Concepts and their cover relation, as flat arrays.")
      .def_prop_ro("n_concepts", &Lattice::size)
      .def_prop_ro("n_bytes", &Lattice::bytes)
      .def_ro("min_support", &Lattice::min_support)
      .def_prop_ro(
          "stop", [](const Lattice& self) { return std::string(to_string(self.stop)); },
          "Why mining ended early; empty when the lattice is complete.")
      .def_prop_ro("supports", array_of([](const Lattice& l) -> auto& { return l.supports; }))
      .def_prop_ro("deltas", array_of([](const Lattice& l) -> auto& { return l.deltas; }))
      .def_prop_ro("intent_offsets",
                   array_of([](const Lattice& l) -> auto& { return l.intents.offsets; }))
      .def_prop_ro("intents", array_of([](const Lattice& l) -> auto& { return l.intents.values; }))
      .def_prop_ro("lower_offsets",
                   array_of([](const Lattice& l) -> auto& { return l.lower.offsets; }))
      .def_prop_ro("lower", array_of([](const Lattice& l) -> auto& { return l.lower.values; }))
      .def_prop_ro("upper_offsets",
                   array_of([](const Lattice& l) -> auto& { return l.upper.offsets; }))
      .def_prop_ro("upper", array_of([](const Lattice& l) -> auto& { return l.upper.values; }))
      .def(
          "find",
          [](const Lattice& self, const In<Index>& intent,
             std::uint64_t support) -> std::optional<std::size_t> {
            const std::size_t i = self.find(span_of(intent), support);
            if (i == self.size()) return std::nullopt;
            return i;
          },
          "intent"_a.noconvert(), "support"_a, "The number of the concept, or None.")
      .def_static("from_arrays", &from_arrays, nb::kw_only(), "min_support"_a, "stop"_a,
                  "supports"_a.noconvert(), "deltas"_a.noconvert(), "intent_offsets"_a.noconvert(),
                  "intents"_a.noconvert(), "lower_offsets"_a.noconvert(), "lower"_a.noconvert())
      .def(
          "score_intents",
          [](const Lattice& self, const FaceOptions& options, unsigned threads,
             nb::object interrupt, nb::object progress) {
            PythonBudget python({}, {}, {}, std::move(interrupt), std::move(progress));
            Scored scored = python.run(
                [&](Budget& budget) { return score_intents(self, options, threads, budget); });
            return nb::make_tuple(matrix(std::move(scored.intent_scores)),
                                  move_out(std::move(scored.done)));
          },
          "options"_a, "threads"_a = 0, "interrupt"_a = nb::none(), "progress"_a = nb::none(),
          nb::sig("def score_intents(self, options: FaceOptions, threads: int = 0, "
                  "interrupt: collections.abc.Callable[[], bool] | None = None, "
                  "progress: collections.abc.Callable[[int, float], None] | None = None) -> "
                  "tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], "
                  "NDArray[numpy.uint8]]"),
          "Scores of the intent faces of all concepts of a complete lattice, and which of them "
          "are done.")
      .def(
          "score_again",
          [](const Lattice& self, const Table& table, unsigned threads,
             const FaceOptions* score_extents, const FaceOptions* score_intents, bool sum_columns,
             nb::object interrupt, nb::object progress) {
            MiningOptions options;
            options.threads = threads;
            options.sum_columns = sum_columns;
            if (score_extents != nullptr) {
              options.score_extents = true;
              options.extent_options = *score_extents;
            }
            if (score_intents != nullptr) {
              options.score_intents = true;
              options.intent_options = *score_intents;
            }
            PythonBudget python({}, {}, {}, std::move(interrupt), std::move(progress));
            Scored scored = python.run(
                [&](Budget& budget) { return score_again(table, self, options, budget); });
            nb::object extents = nb::none();
            if (options.score_extents) extents = matrix(std::move(scored.extent_scores));
            nb::object intents = nb::none();
            if (options.score_intents) intents = matrix(std::move(scored.intent_scores));
            nb::object sums = nb::none();
            if (sum_columns) {
              sums = matrix(std::move(scored.column_sums), std::size(column_sum_fields));
            }
            return nb::make_tuple(extents, intents, sums, move_out(std::move(scored.done)));
          },
          "table"_a, nb::kw_only(), "threads"_a = 0, "score_extents"_a = nb::none(),
          "score_intents"_a = nb::none(), "sum_columns"_a = false, "interrupt"_a = nb::none(),
          "progress"_a = nb::none(),
          nb::sig("def score_again(self, table: Table, *, threads: int = 0, "
                  "score_extents: FaceOptions | None = None, "
                  "score_intents: FaceOptions | None = None, sum_columns: bool = False, "
                  "interrupt: collections.abc.Callable[[], bool] | None = None, "
                  "progress: collections.abc.Callable[[int, float], None] | None = None) -> "
                  "tuple[NDArray[numpy.float64] | None, NDArray[numpy.float64] | None, "
                  "NDArray[numpy.float64] | None, NDArray[numpy.uint8]]"),
          "Walks the search tree of the lattice again and scores its concepts. Gives face scores "
          "of extents and of intents, column sums, and which concepts are done.");

  m.def(
      "mine",
      [](const Table& table, std::uint64_t min_support, unsigned threads,
         std::optional<std::uint64_t> concepts, std::optional<std::uint64_t> bytes,
         std::optional<double> seconds, nb::object interrupt, nb::object progress,
         const FaceOptions* score_extents, bool sum_columns, bool covers,
         const Constraints* constraints) {
        MiningOptions options;
        if (constraints != nullptr) options.constraints = &checked(table, *constraints);
        if (constraints != nullptr && !constraints->shared.empty() && !covers) {
          throw nb::value_error("shared attributes need covers");
        }
        options.covers = covers;
        options.sum_columns = sum_columns;
        options.min_support = min_support;
        options.threads = threads;
        if (score_extents != nullptr) {
          options.score_extents = true;
          options.extent_options = *score_extents;
        }
        if (options.score_extents && !covers) throw nb::value_error("extent faces need covers");
        PythonBudget python(concepts, bytes, seconds, std::move(interrupt), std::move(progress));
        Mined mined = python.run([&](Budget& budget) { return mine(table, options, budget); });
        nb::object scores = nb::none();
        if (options.score_extents) scores = matrix(std::move(mined.extent_scores));
        nb::object sums = nb::none();
        if (sum_columns) sums = matrix(std::move(mined.column_sums), std::size(column_sum_fields));
        return nb::make_tuple(nb::cast(std::move(mined.lattice)), scores, sums);
      },
      "table"_a, nb::kw_only(), "min_support"_a = 0, "threads"_a = 0, "concepts"_a = nb::none(),
      "bytes"_a = nb::none(), "seconds"_a = nb::none(), "interrupt"_a = nb::none(),
      "progress"_a = nb::none(), "score_extents"_a = nb::none(), "sum_columns"_a = false,
      "covers"_a = true, "constraints"_a = nb::none(),
      nb::sig("def mine(table: Table, *, min_support: int = 0, threads: int = 0, "
              "concepts: int | None = None, bytes: int | None = None, "
              "seconds: float | None = None, interrupt: collections.abc.Callable[[], bool] | None "
              "= None, "
              "progress: collections.abc.Callable[[int, float], None] | None = None, "
              "score_extents: FaceOptions | None = None, sum_columns: bool = False, "
              "covers: bool = True, constraints: Constraints | None = None) -> "
              "tuple[Lattice, Annotated[NDArray[numpy.float64], dict(shape=(None, None))] | None, "
              "Annotated[NDArray[numpy.float64], dict(shape=(None, None))] | None]"),
      "The concepts with at least min_support objects, with or without covers; on request the face "
      "scores of their extents and their column sums. With constraints, those that meet them, "
      "without the relation of covers.");

  m.def(
      "estimate_concepts",
      [](const Table& table, std::uint64_t min_support, std::uint64_t seed,
         std::uint64_t exact_nodes, unsigned runs, std::optional<double> seconds,
         nb::object interrupt) {
        const EstimateOptions options{min_support, seed, exact_nodes, runs};
        PythonBudget python({}, {}, seconds, std::move(interrupt), nb::none());
        const ConceptEstimate e =
            python.run([&](Budget& budget) { return estimate_concepts(table, options, budget); });
        return nb::make_tuple(e.value, e.low, e.high, e.exact, e.runs);
      },
      "table"_a, nb::kw_only(), "min_support"_a = 0, "seed"_a = 0,
      "exact_nodes"_a = EstimateOptions{}.exact_nodes, "runs"_a = EstimateOptions{}.runs,
      "seconds"_a = nb::none(), "interrupt"_a = nb::none(),
      nb::sig("def estimate_concepts(table: Table, *, min_support: int = 0, seed: int = 0, "
              "exact_nodes: int = 20000, runs: int = 32, seconds: float | None = None, "
              "interrupt: collections.abc.Callable[[], bool] | None = None) -> "
              "tuple[float, float, float, bool, int]"),
      "Estimated number of concepts, its 95 % interval, whether it is exact, and runs made.");
}

}  // namespace conceptrank::bindings
