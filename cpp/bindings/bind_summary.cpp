#include "cpp/summary/surprise.hpp"
#include "watch.hpp"

namespace conceptrank::bindings {
namespace {

template <class T>
std::vector<T> copy_of(std::span<const T> values) {
  return {values.begin(), values.end()};
}

void check_numbers(std::span<const Index> numbers, std::size_t end) {
  if (std::ranges::any_of(numbers, [&](Index each) { return each >= end; })) {
    throw nb::value_error("a number is out of range");
  }
}

/// Intents as attributes and as units.
void check_candidates(const Table& table, std::size_t n_units, ListsView intents, ListsView units) {
  check_numbers(intents.values, table.n_attributes());
  check_numbers(units.values, n_units);
  if (intents.size() != units.size()) throw nb::value_error("one set of units per intent");
}

struct BestCandidate {
  Stop stop = Stop::none;
  std::optional<Surprise::Best> best;
};

}  // namespace

void bind_summary(nb::module_& m) {
  nb::class_<Surprise::Evidence>(m, "Evidence", "The evidence for an intent, in nats.")
      .def_ro("gain", &Surprise::Evidence::gain, "Of the likelihood ratio, averaged over shares.")
      .def_ro("ratio", &Surprise::Evidence::ratio, "Of that with the best share.");
  nb::class_<Surprise::Best>(m, "Candidate", "The best candidate.")
      .def_ro("candidate", &Surprise::Best::candidate)
      .def_ro("wholeness", &Surprise::Best::wholeness)
      .def_ro("evidence", &Surprise::Best::evidence);
  nb::class_<Surprise::Strongest>(m, "Strongest", "The intent with the largest gain.")
      .def_ro("place", &Surprise::Strongest::place)
      .def_ro("evidence", &Surprise::Strongest::evidence);
  nb::class_<BestCandidate>(m, "BestCandidate", "The result of a search.")
      .def_ro("stop", &BestCandidate::stop, "What stopped it.")
      .def_ro("best", &BestCandidate::best);
  nb::class_<Surprise>(m, "Surprise", "The search for the candidate that surprises a reader most.")
      .def(
          "__init__",
          [](Surprise* self, const Table& table, ListsView intents, ListsView units,
             std::vector<double> supports, std::vector<double> costs,
             std::vector<std::uint8_t> free) {
            check_candidates(table, free.size(), intents, units);
            if (supports.size() != units.size() || costs.size() != units.size()) {
              throw nb::value_error("one support and one cost per candidate");
            }
            new (self) Surprise(
                table, {intents.copy(), units.copy(), std::move(supports), std::move(costs)},
                std::move(free));
          },
          "table"_a, "intents"_a, "units"_a, "supports"_a, "costs"_a, "free"_a,
          nb::keep_alive<1, 2>(),
          "Candidates as intents and as sets of units, with supports and costs in nats; and which "
          "units depend on the richness of objects.")
      .def(
          "set_background",
          [](Surprise& self, std::span<const Index> group, std::span<const Index> signature,
             std::span<const Index> doubt, std::span<const double> posterior,
             std::span<const double> densities, std::span<const double> carrying,
             std::span<const double> tiles, std::span<const double> richness,
             std::span<const double> log_chance, std::span<const double> carriers,
             std::span<const double> log_ratio, std::span<const double> totals) {
            self.set_background({copy_of(group), copy_of(signature), copy_of(doubt),
                                 copy_of(posterior), copy_of(densities), copy_of(carrying),
                                 copy_of(tiles), copy_of(richness), copy_of(log_chance),
                                 copy_of(carriers), copy_of(log_ratio), copy_of(totals)});
          },
          "group"_a, "signature"_a, "doubt"_a, "posterior"_a, "densities"_a, "carrying"_a,
          "tiles"_a, "richness"_a, "log_chance"_a, "carriers"_a, "log_ratio"_a, "totals"_a,
          "Set what the reader knows; every table as one list.")
      .def(
          "wholeness",
          [](const Surprise& self, std::span<const Index> intent) {
            check_numbers(intent, self.table().n_attributes());
            return self.wholeness(intent);
          },
          "intent"_a,
          "1 if no further attribute goes with the intent; near 0 for a part of a larger one.")
      .def("drop", &Surprise::drop, "candidate"_a, "Leave a candidate out from now on.")
      .def(
          "bound",
          [](Surprise& self, std::size_t candidate) {
            if (candidate >= self.size()) throw nb::value_error("a number is out of range");
            return self.bound(candidate);
          },
          "candidate"_a,
          "What the ratio of a candidate is at most, by what earlier backgrounds said.")
      .def(
          "evidence",
          [](const Surprise& self, std::span<const Index> intent, std::span<const Index> units) {
            check_numbers(intent, self.table().n_attributes());
            check_numbers(units, self.n_units());
            return self.evidence(intent, units);
          },
          "intent"_a, "units"_a, "The gain of an intent, and the ratio with the best share.")
      .def(
          "strongest",
          [](const Surprise& self, ListsView intents, ListsView units,
             std::span<const double> supports) {
            check_candidates(self.table(), self.n_units(), intents, units);
            if (supports.size() != units.size()) throw nb::value_error("one support per intent");
            return self.strongest(intents, units, supports);
          },
          "intents"_a, "units"_a, "supports"_a,
          "The intent with the largest gain, with its evidence.")
      .def(
          "best",
          [](Surprise& self, unsigned threads, const Watch* watch) {
            return run(watch, [&](Budget& budget) {
              BestCandidate found;
              found.best = self.best(threads, budget);
              found.stop = budget.reason();
              return found;
            });
          },
          "threads"_a = 0, "watch"_a = nb::none(), "The best candidate.");
}

}  // namespace conceptrank::bindings
