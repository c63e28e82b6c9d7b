#include "cpp/rules/implications.hpp"
#include "cpp/rules/rule_parts.hpp"
#include "watch.hpp"

namespace conceptrank::bindings {
namespace {

ConceptRange range_of(const Lattice& lattice, std::size_t begin, std::size_t end) {
  if (begin > end || end > lattice.size()) throw nb::index_error("no such concepts");
  if (!lattice.complete() && lattice.stop != Stop::constraints) {
    throw nb::value_error("the lattice is not complete");
  }
  return {begin, end};
}

void check_places(std::span<const Index> places, std::size_t n) {
  if (std::ranges::any_of(places, [&](Index place) { return place >= n; })) {
    throw nb::index_error("no such list");
  }
}

/// The result of `work(budget)`. There is none if the budget ended it, but for a limit on how many
/// to find.
template <class Work>
auto unless_stopped(const Watch* watch, const Work& work) {
  return run(watch, [&](Budget& budget) {
    auto result = work(budget);
    const Stop reason = budget.reason();
    return reason == Stop::none || reason == Stop::concepts ? std::optional(std::move(result))
                                                            : std::nullopt;
  });
}

std::vector<Word> bits_of(std::span<const Index> members, std::size_t n_attributes) {
  std::vector<Word> set(words_for(n_attributes), 0);
  for (const Index m : members) {
    if (m >= n_attributes) throw nb::index_error("no such attribute");
    set_bit(set.data(), m);
  }
  return set;
}

void append(const std::vector<Word>& set, Lists& lists) {
  for_each_bit(set.data(), set.size(),
               [&](std::size_t m) { lists.values.push_back(static_cast<Index>(m)); });
  lists.close();
}

Lists close_all(const Implications& self, ListsView sets, const Watch* watch) {
  for (const Index m : sets.values) {
    if (m >= self.n_attributes()) throw nb::index_error("no such attribute");
  }
  return run(watch, [&](Budget& budget) {
    Lists closed;
    LinClosure closure(self);
    for (std::size_t i = 0; i < sets.size() && !budget.stopped(); ++i) {
      std::vector<Word> set = bits_of(sets[i], self.n_attributes());
      closure.close(set.data());
      append(set, closed);
      budget.poll(i, static_cast<double>(i) / static_cast<double>(sets.size()));
    }
    return closed;
  });
}

std::optional<Array<Index>> next_open_set(const Implications& self, const Table& table,
                                          std::span<const Index> start, const Watch* watch) {
  if (table.n_attributes() != self.n_attributes()) {
    throw nb::value_error("the table has other attributes");
  }
  std::vector<Word> set = bits_of(start, self.n_attributes());
  if (!run(watch, [&](Budget& budget) { return next_open(table, self, set, budget); })) return {};
  Lists found;
  append(set, found);
  return std::move(found.values);
}

void bind_implications(nb::module_& m) {
  nb::class_<Implications>(m, "Implications", "Implications by number, arranged for closures.")
      .def(
          "__init__",
          [](Implications* self, ListsView premises, ListsView conclusions,
             std::size_t n_attributes) {
            if (premises.size() != conclusions.size()) {
              throw nb::value_error("a conclusion for each premise");
            }
            Implications all(n_attributes);
            for (std::size_t i = 0; i < premises.size(); ++i) {
              all.add(bits_of(premises[i], n_attributes).data(),
                      bits_of(conclusions[i], n_attributes).data());
            }
            new (self) Implications(std::move(all));
          },
          "premises"_a, "conclusions"_a, "n_attributes"_a)
      .def("__len__", &Implications::size)
      .def("close", &close_all, "sets"_a, "watch"_a = nb::none(),
           "What follows from each set, the set included.")
      .def("irredundant", watched(&irredundant), "watch"_a = nb::none(),
           "Which implications to keep so that none follows from the others.")
      .def("next_open", &next_open_set, "table"_a, "start"_a, "watch"_a = nb::none(),
           "The first set in lectic order, from a closed one on, that is closed under the "
           "implications but not in the table.");

  nb::class_<ImplicationBasis>(m, "ImplicationBasis", "Implications of a table.")
      .def_ro("premises", &ImplicationBasis::premises)
      .def_ro("closures", &ImplicationBasis::closures, "Premises and conclusions together.")
      .def_ro("supports", &ImplicationBasis::supports)
      .def_ro("stop", &ImplicationBasis::stop, "What ended the search early.");
  m.def(
      "duquenne_guigues",
      [](const Table& table, std::uint64_t min_support, std::optional<std::uint64_t> max_premise,
         const Watch* watch) {
        const BasisOptions options{min_support, max_premise.value_or(BasisOptions{}.max_premise)};
        return run(watch, [&](Budget& budget) { return duquenne_guigues(table, options, budget); });
      },
      "table"_a, nb::kw_only(), "min_support"_a = 0, "max_premise"_a = nb::none(),
      "watch"_a = nb::none(),
      "The Duquenne–Guigues basis. The limit on concepts is one on implications.");
}

}  // namespace

void bind_rules(nb::module_& m) {
  bind_implications(m);
  nb::class_<Generators>(m, "Generators", "Minimal generators of some concepts.")
      .def_ro("offsets", &Generators::offsets, "Where the generators of each begin and end.")
      .def_ro("sets", &Generators::sets);
  m.def(
      "lattice_generators",
      [](const Lattice& lattice, std::size_t begin, std::size_t end,
         std::optional<std::uint64_t> max_size, unsigned threads, const Watch* watch) {
        const ConceptRange range = range_of(lattice, begin, end);
        const std::uint64_t most = max_size.value_or(std::numeric_limits<std::uint64_t>::max());
        return unless_stopped(watch, [&](Budget& budget) {
          return minimal_generators(lattice, range, most, threads, budget);
        });
      },
      "lattice"_a, "begin"_a, "end"_a, nb::kw_only(), "max_size"_a = nb::none(), "threads"_a = 0,
      "watch"_a = nb::none(),
      "The minimal generators of concepts from begin to end; None if stopped. The limit on "
      "concepts is one on generators.");
  m.def(
      "descendants",
      [](const Lattice& lattice, std::size_t begin, std::size_t end, std::uint64_t min_support,
         double min_confidence, unsigned threads, const Watch* watch) {
        const ConceptRange range = range_of(lattice, begin, end);
        return unless_stopped(watch, [&](Budget& budget) {
          return descendants(lattice, range, min_support, min_confidence, threads, budget);
        });
      },
      "lattice"_a, "begin"_a, "end"_a, nb::kw_only(), "min_support"_a = 0, "min_confidence"_a = 0.0,
      "threads"_a = 0, "watch"_a = nb::none(),
      "The places strictly below each concept with enough objects; None if stopped.");
  m.def(
      "proper_conclusions",
      [](const Lattice& lattice, ListsView generators, std::span<const Index> sources,
         unsigned threads, const Watch* watch) {
        check_places(sources, lattice.size());
        if (sources.size() != generators.size()) {
          throw nb::value_error("a concept for each generator");
        }
        return unless_stopped(watch, [&](Budget& budget) {
          return proper_conclusions(lattice, generators, sources, threads, budget);
        });
      },
      "lattice"_a, "generators"_a, "sources"_a, "threads"_a = 0, "watch"_a = nb::none(),
      "For each minimal generator, what follows from no proper subset; None if stopped.");
  m.def(
      "differences",
      [](ListsView lists, std::span<const Index> places, ListsView others,
         std::span<const Index> other_places) {
        check_places(places, lists.size());
        check_places(other_places, others.size());
        if (places.size() != other_places.size()) {
          throw nb::value_error("a place in both for each difference");
        }
        return differences(lists, places, others, other_places);
      },
      "lists"_a, "places"_a, "others"_a, "other_places"_a,
      "For each pair of places, a list without the members of another one.");
}

}  // namespace conceptrank::bindings
