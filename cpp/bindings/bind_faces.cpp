#include <limits>

#include "cpp/score/scores.hpp"
#include "watch.hpp"

namespace conceptrank::bindings {
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

FaceFamily family_of(ListsView faces, std::size_t n_elements) {
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

std::pair<Lists, bool> enumerate(ListsView faces, std::size_t n_elements, std::uint64_t limit,
                                 const Watch* watch) {
  const FaceFamily family = family_of(faces, n_elements);
  return run(watch, [&](Budget& budget) {
    Lists found;
    bool reached = false;
    const bool all = TransversalSearch().enumerate(family, [&](auto transversal) {
      reached = found.size() == limit;
      if (reached) return false;
      found.push_back(transversal);
      if (found.size() % 256 == 0) budget.poll(found.size(), 0);
      return !budget.stopped();
    });
    return std::pair(std::move(found), all && !reached);
  });
}

}  // namespace

void bind_faces(nb::module_& m) {
  nb::class_<FaceOptions>(m, "FaceOptions", "What to compute from the faces of a concept.")
      .def(
          "__init__",
          [](FaceOptions* self, double keep, bool generators, bool share, bool probability,
             bool bounds, std::uint64_t node_budget, std::uint64_t state_budget, Method method,
             double eps, double delta, std::uint64_t seed, unsigned bits, std::uint32_t fields) {
            if (!(keep >= 0 && keep <= 1)) throw nb::value_error("keep must be between 0 and 1");
            if (!(eps > 0 && eps < 1 && delta > 0 && delta < 1)) {
              throw nb::value_error("eps and delta must be between 0 and 1");
            }
            if (method != Method::exact && (keep == 0 || keep == 1)) {
              throw nb::value_error("there is nothing to sample when keep is 0 or 1");
            }
            new (self)
                FaceOptions{keep,   generators,  share,        probability,
                            bounds, node_budget, state_budget, {method, eps, delta, seed, bits},
                            fields};
          },
          nb::kw_only(), "keep"_a = 0.5, "generators"_a = false, "share"_a = false,
          "probability"_a = false, "bounds"_a = false, "node_budget"_a = FaceOptions{}.node_budget,
          "state_budget"_a = FaceOptions{}.state_budget, "method"_a = "exact",
          "eps"_a = SamplingOptions{}.eps, "delta"_a = SamplingOptions{}.delta, "seed"_a = 0,
          "bits"_a = SamplingOptions{}.bits, "fields"_a = FaceOptions{}.fields);

  m.def(
      "face_score_fields", [] { return list_of(face_score_fields); },
      "Names of the columns of face scores.");
  m.def("faces", &faces_of, "table"_a, "intent"_a, "side"_a,
        "Faces of the concept with this intent, smallest first.");
  m.def("score_concepts", watched(&score_concepts), "table"_a, "intents"_a, "side"_a, "options"_a,
        "threads"_a = 0, "watch"_a = nb::none(),
        "Face scores of the concepts with these intents, each from the table alone.");
  m.def("minimal_transversals", &enumerate, "faces"_a, "n_elements"_a, "limit"_a,
        "watch"_a = nb::none(), "At most `limit` minimal transversals, and whether that is all.");
}

}  // namespace conceptrank::bindings
