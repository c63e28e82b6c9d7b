#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "cpp/rules/implications.hpp"
#include "python_budget.hpp"

namespace conceptrank::bindings {

using namespace nb::literals;

namespace {

#define CONCEPTRANK_LISTS "tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]"

std::vector<Word> bits_of(std::span<const Index> members, std::size_t n_attributes) {
  std::vector<Word> set(words_for(n_attributes), 0);
  for (const Index m : members) {
    if (m >= n_attributes) throw nb::index_error("no such attribute");
    set_bit(set.data(), m);
  }
  return set;
}

void append(const Word* set, std::size_t words, Lists& lists) {
  for_each_bit(set, words, [&](std::size_t m) { lists.values.push_back(static_cast<Index>(m)); });
  lists.close();
}

nb::tuple close_all(const Implications& self, const In<std::int64_t>& offsets,
                    const In<Index>& sets, nb::object interrupt) {
  const Lists given = to_lists(offsets, sets);
  PythonBudget python({}, {}, {}, std::move(interrupt), nb::none());
  Lists closed;
  python.run([&](Budget& budget) {
    LinClosure closure(self);
    for (std::size_t i = 0; i < given.size() && !budget.stopped(); ++i) {
      std::vector<Word> set = bits_of(given[i], self.n_attributes());
      closure.close(set.data());
      append(set.data(), set.size(), closed);
      budget.poll(i, static_cast<double>(i) / static_cast<double>(given.size()));
    }
    return true;
  });
  return from_lists(std::move(closed));
}

}  // namespace

void bind_implications(nb::module_& m) {
  nb::class_<Implications>(m, "Implications", "Implications by number, arranged for closures.")
      .def(
          "__init__",
          [](Implications* self, const In<std::int64_t>& premise_offsets, const In<Index>& premises,
             const In<std::int64_t>& conclusion_offsets, const In<Index>& conclusions,
             std::size_t n_attributes) {
            const Lists from = to_lists(premise_offsets, premises);
            const Lists to = to_lists(conclusion_offsets, conclusions);
            if (from.size() != to.size()) throw nb::value_error("a conclusion for each premise");
            Implications all(n_attributes);
            for (std::size_t i = 0; i < from.size(); ++i) {
              all.add(bits_of(from[i], n_attributes).data(), bits_of(to[i], n_attributes).data());
            }
            new (self) Implications(std::move(all));
          },
          "premise_offsets"_a.noconvert(), "premises"_a.noconvert(),
          "conclusion_offsets"_a.noconvert(), "conclusions"_a.noconvert(), "n_attributes"_a)
      .def("__len__", &Implications::size)
      .def("close", &close_all, "offsets"_a.noconvert(), "sets"_a.noconvert(),
           "interrupt"_a = nb::none(),
           nb::sig("def close(self, offsets: NDArray[numpy.int64], sets: NDArray[numpy.uint32], "
                   "interrupt: collections.abc.Callable[[], bool] | None = None) "
                   "-> " CONCEPTRANK_LISTS),
           "What follows from each set, the set included.")
      .def(
          "irredundant",
          [](const Implications& self, nb::object interrupt) {
            PythonBudget python({}, {}, {}, std::move(interrupt), nb::none());
            return move_out(python.run([&](Budget& budget) { return irredundant(self, budget); }));
          },
          "interrupt"_a = nb::none(),
          nb::sig("def irredundant(self, interrupt: collections.abc.Callable[[], bool] | None = "
                  "None) -> NDArray[numpy.uint8]"),
          "Which implications to keep so that none follows from the others.")
      .def(
          "next_open",
          [](const Implications& self, const Table& table, const In<Index>& start,
             nb::object interrupt) -> nb::object {
            if (table.n_attributes() != self.n_attributes()) {
              throw nb::value_error("the table has other attributes");
            }
            std::vector<Word> set = bits_of(span_of(start), self.n_attributes());
            PythonBudget python({}, {}, {}, std::move(interrupt), nb::none());
            if (!python.run([&](Budget& budget) { return next_open(table, self, set, budget); })) {
              return nb::none();
            }
            Lists found;
            append(set.data(), set.size(), found);
            return nb::cast(move_out(std::move(found.values)));
          },
          "table"_a, "start"_a.noconvert(), "interrupt"_a = nb::none(),
          nb::sig("def next_open(self, table: Table, start: NDArray[numpy.uint32], "
                  "interrupt: collections.abc.Callable[[], bool] | None = None) -> "
                  "NDArray[numpy.uint32] | None"),
          "The first set in lectic order, from a closed one on, that is closed under the "
          "implications but not in the table.");

  m.def(
      "duquenne_guigues",
      [](const Table& table, std::uint64_t min_support, std::optional<std::uint64_t> max_premise,
         std::optional<std::uint64_t> rules, std::optional<std::uint64_t> bytes,
         std::optional<double> seconds, nb::object interrupt, nb::object progress) {
        BasisOptions options;
        options.min_support = min_support;
        if (max_premise) options.max_premise = *max_premise;
        PythonBudget python(rules, bytes, seconds, std::move(interrupt), std::move(progress));
        ImplicationBasis basis =
            python.run([&](Budget& budget) { return duquenne_guigues(table, options, budget); });
        nb::tuple premises = from_lists(std::move(basis.premises));
        nb::tuple closures = from_lists(std::move(basis.closures));
        return nb::make_tuple(premises, closures, move_out(std::move(basis.supports)),
                              std::string(to_string(basis.stop)));
      },
      "table"_a, nb::kw_only(), "min_support"_a = 0, "max_premise"_a = nb::none(),
      "rules"_a = nb::none(), "bytes"_a = nb::none(), "seconds"_a = nb::none(),
      "interrupt"_a = nb::none(), "progress"_a = nb::none(),
      nb::sig("def duquenne_guigues(table: Table, *, min_support: int = 0, max_premise: int | None "
              "= None, rules: int | None = None, bytes: int | None = None, seconds: float | None = "
              "None, interrupt: collections.abc.Callable[[], bool] | None = None, progress: "
              "collections.abc.Callable[[int, float], None] | None = None) -> "
              "tuple[" CONCEPTRANK_LISTS ", " CONCEPTRANK_LISTS ", NDArray[numpy.uint32], str]"),
      "The Duquenne–Guigues basis: premises, their closures, supports, and what ended the search "
      "early.");
}

}  // namespace conceptrank::bindings
