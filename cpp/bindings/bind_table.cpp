#include <array>
#include <functional>

#include "cpp/base/kernels.hpp"
#include "cpp/table/intent_walk.hpp"
#include "cpp/table/row_merger.hpp"
#include "watch.hpp"

namespace conceptrank::bindings {
namespace {

/// A table that `build(budget)` makes; an error if the budget ended first.
template <class Build>
Table built(const Watch* watch, const Build& build) {
  bool stopped = false;
  Table table = run(watch, [&](Budget& budget) {
    Table begun = build(budget);
    stopped = budget.stopped();
    return begun;
  });
  // An exception of the watch, which `run` throws, comes first.
  if (stopped) throw std::runtime_error("the table was not completed");
  return table;
}

std::vector<Word> extent_of(const Table& table, std::span<const Index> attributes) {
  table.check_attributes(attributes);
  return table.extent(attributes);
}

std::vector<Index> intension(const Table& table, std::span<const Index> objects) {
  std::vector<Word> rows(words_for(table.n_rows()), 0);
  for (const Index g : objects) {
    if (g >= table.n_listed()) throw nb::index_error("no such object");
    set_bit(rows.data(), table.row_of_object()[g]);
  }
  return table.intent(rows);
}

std::vector<std::uint64_t> attribute_supports(const Table& table) {
  std::vector<std::uint64_t> supports(table.n_attributes());
  for (std::size_t m = 0; m < supports.size(); ++m) supports[m] = table.attribute_support(m);
  return supports;
}

Lists rows_of_objects(const Table& table) {
  Lists rows;
  for (const Index r : table.row_of_object()) rows.push_back(table.row(r));
  return rows;
}

Lists extensions(const Table& table, ListsView intents) {
  Lists extents;
  for (std::size_t i = 0; i < intents.size(); ++i) {
    extents.push_back(table.objects(extent_of(table, intents[i])));
  }
  return extents;
}

Lists renumbered(ListsView lists, std::span<const Index> places) {
  const nb::gil_scoped_release unlocked;
  Lists result;
  result.offsets.resize(lists.offsets.size());
  result.values.resize(lists.values.size());
  std::size_t end = 0;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    Index* const list = result.values.data() + end;
    Index* next = list;
    for (const Index m : lists[i]) *next++ = m < places.size() ? places[m] : no_number;
    end += sort_distinct(list, lists[i].size());
    result.offsets[i + 1] = end;
  }
  result.values.resize(end);
  return result;
}

std::vector<std::int64_t> occurrences(ListsView lists, std::span<const Index> weights) {
  if (weights.size() != lists.size()) throw nb::value_error("every list needs a weight");
  const nb::gil_scoped_release unlocked;
  std::size_t n = 0;
  for (const Index value : lists.values) {
    if (value != no_number) n = std::max<std::size_t>(n, value + std::size_t{1});
  }
  std::vector<std::int64_t> sums(n);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (const Index value : lists[i]) {
      if (value != no_number) sums[value] += weights[i];
    }
  }
  return sums;
}

/// Adds rows in blocks that stay in a cache. Most are in order already.
void add_rows(RowMerger& merger, ListsView all, std::span<const Index> weights) {
  if (weights.size() != all.size()) throw nb::value_error("every row needs a weight");
  const nb::gil_scoped_release unlocked;
  constexpr std::size_t block = 1024;
  std::array<std::span<const Index>, block> rows;
  Lists sorted;
  for (std::size_t begin = 0; begin < weights.size(); begin += block) {
    const std::size_t n = std::min(block, weights.size() - begin);
    sorted.offsets.resize(1);
    sorted.values.clear();
    sorted.values.reserve(all.offsets[begin + n] - all.offsets[begin]);
    for (std::size_t i = 0; i < n; ++i) {
      rows[i] = all[begin + i];
      if (std::ranges::adjacent_find(rows[i], std::greater_equal{}) == rows[i].end()) continue;
      const std::size_t first = sorted.values.size();
      sorted.values.insert(sorted.values.end(), rows[i].begin(), rows[i].end());
      sorted.values.resize(first + sort_distinct(sorted.values.data() + first, rows[i].size()));
      sorted.close();
      rows[i] = sorted[sorted.size() - 1];
    }
    merger.add_each(
        n, [&](std::size_t i) { return rows[i]; },
        [&](std::size_t i) { return weights[begin + i]; }, [](std::size_t, Index) {});
  }
}

std::pair<Lists, std::vector<Index>> take(RowMerger& merger) {
  std::pair<Lists, std::vector<Index>> taken{merger.take_rows(), merger.take_weights()};
  merger = RowMerger();
  return taken;
}

}  // namespace

void bind_table(nb::module_& m) {
  nb::class_<Table>(m, "Table", "The incidence relation of a context, by numbers.")
      .def(
          "__init__",
          [](Table* self, ListsView rows, std::size_t n_attributes,
             std::optional<std::span<const Index>> weights, const Watch* watch) {
            new (self) Table(built(watch, [&](Budget& budget) {
              return weights ? Table(rows, n_attributes, *weights, &budget)
                             : Table(rows, n_attributes, &budget);
            }));
          },
          "rows"_a, "n_attributes"_a, "weights"_a = nb::none(), "watch"_a = nb::none(),
          "A row counts as so many objects as its weight says.")
      .def_static(
          "distinct",
          [](ListsView rows, std::span<const Index> weights, std::size_t n_attributes,
             const Watch* watch) {
            return built(watch, [&](Budget& budget) {
              return Table::of_distinct(rows, n_attributes, weights, &budget);
            });
          },
          "rows"_a, "weights"_a, "n_attributes"_a, "watch"_a = nb::none(), nb::keep_alive<0, 1>(),
          nb::keep_alive<0, 2>(),
          "A table of distinct rows with weights. It keeps the arrays, which must not change.")
      .def_prop_ro("n_objects", &Table::n_objects, "Number of objects, counted with weights.")
      .def_prop_ro("n_attributes", &Table::n_attributes)
      .def_prop_ro("n_distinct_rows", &Table::n_rows)
      .def_prop_ro("n_crosses", &Table::n_crosses)
      .def_prop_ro("n_bytes", &Table::bytes)
      .def(
          "extension",
          [](const Table& self, std::span<const Index> attributes) {
            return self.objects(extent_of(self, attributes));
          },
          "attributes"_a, "The objects that have all the attributes.")
      .def("intension", &intension, "objects"_a, "The attributes that all the objects share.")
      .def(
          "closure",
          [](const Table& self, std::span<const Index> attributes) {
            return self.intent(extent_of(self, attributes));
          },
          "attributes"_a, "The attributes that follow from the attributes.")
      .def(
          "support",
          [](const Table& self, std::span<const Index> attributes) {
            return self.support(extent_of(self, attributes));
          },
          "attributes"_a, "Number of objects that have all the attributes.")
      .def("attribute_supports", &attribute_supports, "Number of objects of every attribute.")
      .def("rows", &rows_of_objects, "The attributes of all objects.")
      .def(
          "row_of_object",
          [](const Table& self) {
            return std::vector<Index>(self.row_of_object().begin(), self.row_of_object().end());
          },
          "The number of the distinct row of every object.")
      .def(
          "distinct_rows",
          [](const Table& self) {
            const auto weights = self.weights();
            return std::pair(self.rows().copy(),
                             std::vector<Index>(weights.begin(), weights.end()));
          },
          "The different rows, and how many objects have each.");

  m.def("renumbered", &renumbered, "lists"_a, "places"_a,
        "Lists in other numbers, ascending, each once. `places` has the new numbers; 2^32 - 1 "
        "leaves one out.");
  m.def("occurrences", &occurrences, "lists"_a, "weights"_a,
        "How often each number occurs in lists that count as often as their weights say. 2^32 - 1 "
        "is left out.");

  nb::class_<RowMerger>(m, "RowMerger", "Makes equal rows one row with a weight.")
      .def("__init__", [](RowMerger* self) { new (self) RowMerger(); })
      .def("add", &add_rows, "rows"_a, "weights"_a,
           "Adds rows that stand for so many objects each; attributes come in any order, and "
           "repeated ones count once.")
      .def("reserve", &RowMerger::reserve, "n_rows"_a, "n_crosses"_a,
           "Makes room for so many different rows and crosses.")
      .def_prop_ro("n_objects", &RowMerger::n_objects)
      .def_prop_ro("n_rows", [](const RowMerger& self) { return self.rows().size(); })
      .def_prop_ro("n_bytes", &RowMerger::bytes)
      .def("take", &take, "The different rows and their weights; then it is empty.");

  m.def(
      "column_sum_fields", [] { return list_of(column_sum_fields); },
      "Names of the columns of column sums.");
  m.def(
      "cohesion_fields", [] { return list_of(cohesion_fields); },
      "Names of the columns of cohesions.");
  m.def("column_sums", watched(&column_sums), "table"_a, "intents"_a, "threads"_a = 0,
        "watch"_a = nb::none(),
        "Column sums of the concepts with these intents, each from the table alone.");
  m.def("cohesion", watched(&cohesion), "table"_a, "intents"_a, "threads"_a = 0,
        "watch"_a = nb::none(), "How alike the objects of the concepts with these intents are.");
  m.def("extent_sums", watched(&extent_sums), "table"_a, "intents"_a, "values"_a, "threads"_a = 0,
        "watch"_a = nb::none(),
        "The sum over the objects of each set of attributes of a number that every object has.");
  m.def("extensions", &extensions, "table"_a, "intents"_a,
        "The objects of each set of attributes.");

  nb::class_<Covers>(m, "Covers", "Covers of some concepts.")
      .def_ro("offsets", &Covers::offsets, "Where the covers of each concept begin and end.")
      .def_ro("intents", &Covers::intents);
  m.def("covers", watched(&covers), "table"_a, "intents"_a, "direction"_a, "below"_a,
        "threads"_a = 0, "watch"_a = nb::none(),
        "The upper or lower covers, of those with fewer than `below` objects.");

  nb::class_<IntentWalk::Counts>(m, "IntentCounts", "What a walk found out about each set.")
      .def_ro("supports", &IntentWalk::Counts::supports, "Numbers of rows that have it.")
      .def_ro("closed", &IntentWalk::Counts::closed, "Whether it is closed, if requested.");
  nb::class_<IntentWalk>(
      m, "IntentWalk", "Sets of attributes, arranged for finding them in one table after another.")
      .def(nb::init<ListsView, std::size_t>(), "intents"_a, "n_attributes"_a)
      .def_prop_ro("n_intents", &IntentWalk::n_intents)
      .def("count", watched(&IntentWalk::count), "rows"_a, "closed"_a = false,
           "watch"_a = nb::none(),
           "Numbers of rows that have each set, and on request whether it is closed there.")
      .def("match", watched(&IntentWalk::match), "rows"_a, "lacking"_a = nb::none(),
           "threads"_a = 0, "watch"_a = nb::none(),
           "The rows that have each set and, if given, lack an attribute of its list.");
}

}  // namespace conceptrank::bindings
