#include "cpp/summary/pattern_search.hpp"
#include "watch.hpp"

namespace conceptrank::bindings {
namespace {

void check_units(std::span<const Index> units, const Reader& reader) {
  if (std::ranges::any_of(units, [&](Index each) { return each >= reader.n_units(); })) {
    throw nb::value_error("a unit is out of range");
  }
}

template <auto values>
std::vector<double> copied(const Reader& reader) {
  const std::span<const double> found = (reader.*values)();
  return {found.begin(), found.end()};
}

struct BestPattern {
  Stop stop = Stop::none;
  std::optional<Explanation> pattern;
};

}  // namespace

void bind_summary(nb::module_& m) {
  nb::class_<Explanation>(m, "Explanation",
                          "Units, the rows that carry them, and the gain in nats.")
      .def_ro("units", &Explanation::units)
      .def_ro("rows", &Explanation::rows)
      .def_ro("gain", &Explanation::gain);
  nb::class_<BestPattern>(m, "BestPattern", "The result of a search.")
      .def_ro("stop", &BestPattern::stop, "What stopped it.")
      .def_ro("pattern", &BestPattern::pattern);
  nb::class_<Reader> reader(m, "Reader", "The probability of every cell for a reader.");
  nb::class_<Reader::Support>(reader, "Support", "The rows that have all of some units.")
      .def_ro("found", &Reader::Support::found)
      .def_ro("expected", &Reader::Support::expected)
      .def_ro("variance", &Reader::Support::variance);
  nb::class_<Reader::Presence>(reader, "Presence", "How many of some rows have a unit.")
      .def_ro("rows", &Reader::Presence::rows)
      .def_ro("found", &Reader::Presence::found)
      .def_ro("expected", &Reader::Presence::expected)
      .def_ro("variance", &Reader::Presence::variance);
  reader
      .def(
          "__init__",
          [](Reader* self, ListsView rows, std::vector<Index> weights, std::vector<Index> column,
             std::vector<std::uint8_t> free, std::vector<Index> parent, ListsView states,
             std::vector<Index> state_column, bool richness) {
            new (self) Reader(rows.copy(), std::move(weights),
                              {std::move(column), std::move(free), std::move(parent), states.copy(),
                               std::move(state_column)},
                              richness);
          },
          "rows"_a, "weights"_a, "column"_a, "free"_a, "parent"_a, "states"_a, "state_column"_a,
          "richness"_a)
      .def(
          "explain",
          [](const Reader& self, std::span<const Index> units) {
            check_units(units, self);
            return self.explain(units);
          },
          "units"_a)
      .def(
          "support",
          [](const Reader& self, std::span<const Index> units) {
            check_units(units, self);
            return self.support(units);
          },
          "units"_a)
      .def(
          "presence",
          [](const Reader& self, Index unit, std::span<const Index> rows) {
            return self.presence(unit, rows);
          },
          "unit"_a, "rows"_a)
      .def(
          "extent",
          [](const Reader& self, std::span<const Index> units) {
            check_units(units, self);
            return self.extent(units);
          },
          "units"_a)
      .def("tell", &Reader::tell, "pattern"_a)
      .def_prop_ro("richness", &copied<&Reader::richness>, "The log-odds of the classes.")
      .def_prop_ro("log_shares", &copied<&Reader::log_shares>, "ln of their shares.")
      .def_prop_ro("levels", &copied<&Reader::levels>, "The levels of the units.")
      .def_prop_ro("bytes", &Reader::bytes);
  nb::class_<PatternSearch>(m, "PatternSearch", "The patterns that explain most.")
      .def(
          "__init__",
          [](PatternSearch* self, Reader& reader, double min_support,
             std::optional<std::size_t> most_units, std::vector<Index> required,
             std::vector<Index> barred) {
            check_units(required, reader);
            check_units(barred, reader);
            PatternLimits limits{min_support, most_units.value_or(Reader::most_units),
                                 std::move(required),
                                 std::vector<std::uint8_t>(reader.n_units(), 0)};
            for (const Index unit : barred) limits.barred[unit] = 1;
            new (self) PatternSearch(reader, std::move(limits));
          },
          "reader"_a, "min_support"_a, "most_units"_a = nb::none(),
          "required"_a = std::vector<Index>(), "barred"_a = std::vector<Index>(),
          nb::keep_alive<1, 2>())
      .def(
          "best",
          [](PatternSearch& self, const Watch* watch) {
            return run(watch, [&](Budget& budget) {
              BestPattern found;
              found.pattern = self.best(budget);
              found.stop = budget.reason();
              return found;
            });
          },
          "watch"_a = nb::none())
      .def("tell", &PatternSearch::tell, "pattern"_a)
      .def("description", &PatternSearch::description, "units"_a);
}

}  // namespace conceptrank::bindings
