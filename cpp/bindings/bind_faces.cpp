#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

#include "bindings.hpp"
#include "cpp/score/scores.hpp"
#include "python_budget.hpp"

namespace conceptrank::bindings {

using namespace nb::literals;

namespace {

/// The faces of one side, as sets of attribute or object numbers.
Lists faces_of(const Table& table, std::span<const Index> intent, Side side) {
  Lists result;
  if (side == Side::intent) {
    const FaceFamily family = intent_faces(table, intent);
    for (std::size_t i = 0; i < family.size(); ++i) {
      for_each_bit(family.face(i), family.words(),
                   [&](std::size_t element) { result.values.push_back(intent[element]); });
      result.close();
    }
    return result;
  }
  const std::vector<Word> extent = table.extent(intent);
  const FaceFamily family =
      extent_faces(table, extent, intent, std::numeric_limits<std::uint64_t>::max());
  // Equal objects have one row: a face over rows becomes one over objects.
  std::vector<Index> position(table.n_rows(), 0);
  Index next = 0;
  for_each_bit(extent.data(), extent.size(), [&](std::size_t r) { position[r] = next++; });
  const std::vector<Index> objects = table.objects(extent);
  for (std::size_t i = 0; i < family.size(); ++i) {
    for (const Index g : objects) {
      if (test_bit(family.face(i), position[table.row_of_object()[g]])) result.values.push_back(g);
    }
    result.close();
  }
  return result;
}

Method method_of(const std::string& method) {
  if (method == "exact") return Method::exact;
  if (method == "auto") return Method::automatic;
  if (method == "monte_carlo") return Method::monte_carlo;
  if (method == "karp_luby") return Method::karp_luby;
  if (method == "stratified") return Method::stratified;
  if (method == "low_discrepancy") return Method::low_discrepancy;
  throw nb::value_error("unknown method");
}

FaceFamily family_of(const Lists& faces, std::size_t n_elements) {
  FaceFamily family;
  family.reset(n_elements);
  for (std::size_t i = 0; i < faces.size(); ++i) {
    Word* face = family.add();
    for (const Index element : faces[i]) {
      if (element >= n_elements) throw nb::index_error("no such element");
      set_bit(face, element);
    }
  }
  family.keep_minimal();
  return family;
}

nb::tuple enumerate(const FaceFamily& family, std::uint64_t limit, nb::object interrupt) {
  PythonBudget python({}, {}, {}, std::move(interrupt), nb::none());
  Lists found;
  const bool complete = python.run([&](Budget& budget) {
    TransversalSearch search;
    bool reached = false;
    const bool all = search.enumerate(family, [&](std::span<const Index> transversal) {
      if (found.size() == limit) {
        reached = true;
        return false;
      }
      found.push_back(transversal);
      if (found.size() % 256 == 0) budget.poll(found.size(), 0);
      return !budget.stopped();
    });
    return all && !reached;
  });
  nb::tuple lists = from_lists(std::move(found));
  return nb::make_tuple(lists[0], lists[1], complete);
}

}  // namespace

Side side_of(const std::string& side) {
  if (side == "intent") return Side::intent;
  if (side == "extent") return Side::extent;
  throw nb::value_error("side must be 'intent' or 'extent'");
}

void bind_faces(nb::module_& m) {
  nb::class_<FaceOptions>(m, "FaceOptions", "What to compute from the faces of a concept.")
      .def(
          "__init__",
          [](FaceOptions* self, double keep, bool generators, bool share, bool probability,
             bool bounds, std::uint64_t node_budget, std::uint64_t state_budget,
             const std::string& method, double eps, double delta, std::uint64_t seed, unsigned bits,
             std::uint32_t fields) {
            if (!(keep >= 0 && keep <= 1)) throw nb::value_error("keep must be between 0 and 1");
            if (!(eps > 0 && eps < 1 && delta > 0 && delta < 1)) {
              throw nb::value_error("eps and delta must be between 0 and 1");
            }
            if (method != "exact" && (keep == 0 || keep == 1)) {
              throw nb::value_error("there is nothing to sample when keep is 0 or 1");
            }
            new (self) FaceOptions{
                keep,   generators,  share,        probability,
                bounds, node_budget, state_budget, {method_of(method), eps, delta, seed, bits},
                fields};
          },
          nb::kw_only(), "keep"_a = 0.5, "generators"_a = false, "share"_a = false,
          "probability"_a = false, "bounds"_a = false, "node_budget"_a = FaceOptions{}.node_budget,
          "state_budget"_a = FaceOptions{}.state_budget, "method"_a = "exact",
          "eps"_a = SamplingOptions{}.eps, "delta"_a = SamplingOptions{}.delta, "seed"_a = 0,
          "bits"_a = SamplingOptions{}.bits, "fields"_a = FaceOptions{}.fields);

  m.def(
      "face_score_fields",
      [] {
        nb::list names;
        for (const auto name : face_score_fields) names.append(nb::str(name.data()));
        return names;
      },
      nb::sig("def face_score_fields() -> list[str]"), "Names of the columns of face scores.");

  m.def(
      "faces",
      [](const Table& table, const In<Index>& intent, const std::string& side) {
        return from_lists(faces_of(table, span_of(intent), side_of(side)));
      },
      "table"_a, "intent"_a.noconvert(), "side"_a,
      nb::sig("def faces(table: Table, intent: Annotated[NDArray[numpy.uint32], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)], side: str) -> "
              "tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], "
              "Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]"),
      "Faces of the concept with this intent, smallest first, as offsets and values.");

  m.def(
      "score_concepts",
      [](const Table& table, const In<std::int64_t>& offsets, const In<Index>& intents,
         const std::string& side, const FaceOptions& options, unsigned threads,
         nb::object interrupt, nb::object progress) {
        const Lists lists = to_intents(table, offsets, intents);
        const Side which = side_of(side);
        PythonBudget python({}, {}, {}, std::move(interrupt), std::move(progress));
        return matrix(python.run([&](Budget& budget) {
          return score_concepts(table, lists, which, options, threads, budget);
        }));
      },
      "table"_a, "offsets"_a.noconvert(), "intents"_a.noconvert(), "side"_a, "options"_a,
      "threads"_a = 0, "interrupt"_a = nb::none(), "progress"_a = nb::none(),
      nb::sig("def score_concepts(table: Table, offsets: Annotated[NDArray[numpy.int64], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)], "
              "intents: Annotated[NDArray[numpy.uint32], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)], side: str, "
              "options: FaceOptions, threads: int = 0, "
              "interrupt: collections.abc.Callable[[], bool] | None = None, "
              "progress: collections.abc.Callable[[int, float], None] | None = None) -> "
              "Annotated[NDArray[numpy.float64], dict(shape=(None, None))]"),
      "Face scores of the concepts with these intents, each from the table alone.");

  m.def(
      "minimal_transversals",
      [](const In<std::int64_t>& offsets, const In<Index>& faces, std::size_t n_elements,
         std::uint64_t limit, nb::object interrupt) {
        return enumerate(family_of(to_lists(offsets, faces), n_elements), limit,
                         std::move(interrupt));
      },
      "offsets"_a.noconvert(), "faces"_a.noconvert(), "n_elements"_a, "limit"_a,
      "interrupt"_a = nb::none(),
      nb::sig("def minimal_transversals(offsets: Annotated[NDArray[numpy.int64], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)], "
              "faces: Annotated[NDArray[numpy.uint32], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)], n_elements: int, "
              "limit: int, interrupt: collections.abc.Callable[[], bool] | None = None) -> "
              "tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], "
              "Annotated[NDArray[numpy.uint32], dict(shape=(None,))], bool]"),
      "At most `limit` minimal transversals, as offsets and values, and whether that is all.");

  m.def(
      "count_minimal_transversals",
      [](const In<std::int64_t>& offsets, const In<Index>& faces, std::size_t n_elements,
         std::uint64_t node_budget) {
        const FaceFamily family = family_of(to_lists(offsets, faces), n_elements);
        const TransversalCount count = TransversalSearch().count(family, node_budget);
        return nb::make_tuple(count.value, count.exact);
      },
      "offsets"_a.noconvert(), "faces"_a.noconvert(), "n_elements"_a, "node_budget"_a,
      nb::sig("def count_minimal_transversals(offsets: Annotated[NDArray[numpy.int64], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)], "
              "faces: Annotated[NDArray[numpy.uint32], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)], n_elements: int, "
              "node_budget: int) -> tuple[float, bool]"),
      "Number of minimal transversals, and whether the count is complete.");

  m.def(
      "miss_probability",
      [](const In<std::int64_t>& offsets, const In<Index>& faces, std::size_t n_elements,
         double keep, const std::optional<In<Index>>& weights, std::uint64_t state_budget) {
        FaceFamily family = family_of(to_lists(offsets, faces), n_elements);
        if (weights) {
          const auto all = span_of(*weights);
          if (all.size() != n_elements)
            throw nb::value_error("there must be one weight per element");
          family.weights().assign(all.begin(), all.end());
        }
        const MissProbability miss = HitProbability(keep).miss(family, state_budget);
        return nb::make_tuple(miss.value, miss.error, miss.error <= 1e-12);
      },
      "offsets"_a.noconvert(), "faces"_a.noconvert(), "n_elements"_a, "keep"_a,
      "weights"_a.noconvert() = nb::none(), "state_budget"_a = FaceOptions{}.state_budget,
      nb::sig("def miss_probability(offsets: Annotated[NDArray[numpy.int64], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)], "
              "faces: Annotated[NDArray[numpy.uint32], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)], n_elements: int, "
              "keep: float, weights: Annotated[NDArray[numpy.uint32], "
              "dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, "
              "state_budget: int = 100000) -> tuple[float, float, bool]"),
      "Chance to miss a face, a bound on its error, and whether it is exact.");
}

}  // namespace conceptrank::bindings
