#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "convert.hpp"
#include "cpp/base/kernels.hpp"
#include "cpp/table/row_merger.hpp"
#include "cpp/table/table.hpp"
#include "python_budget.hpp"

namespace conceptrank::bindings {

using namespace nb::literals;

namespace {

std::vector<Word> rows_of(const Table& table, std::span<const Index> objects) {
  std::vector<Word> rows(words_for(table.n_rows()), 0);
  for (const Index g : objects) {
    if (g >= table.n_listed()) throw nb::index_error("no such object");
    set_bit(rows.data(), table.row_of_object()[g]);
  }
  return rows;
}

std::span<const Index> checked(const Table& table, const In<Index>& attributes) {
  const auto all = span_of(attributes);
  if (std::ranges::any_of(all, [&](Index m) { return m >= table.n_attributes(); })) {
    throw nb::index_error("no such attribute");
  }
  return all;
}

/// Adds a list, ascending and without repetition.
void push_sorted(std::span<const Index> list, Lists& lists) {
  const std::size_t begin = lists.values.size();
  lists.values.insert(lists.values.end(), list.begin(), list.end());
  lists.values.resize(begin + sort_distinct(lists.values.data() + begin, list.size()));
  lists.close();
}

/// A table that `build(budget)` makes without the GIL; an error if the budget ended first.
template <class Build>
Table built(nb::object interrupt, const Build& build) {
  PythonBudget python({}, {}, {}, std::move(interrupt), nb::none());
  Table table = python.run(build);
  if (python.budget().stopped()) throw std::runtime_error("the table was not completed");
  return table;
}

#define ARRAYS                                                      \
  "offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,))], " \
  "attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None,))], "
#define WEIGHTS "weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,))], "
#define INTERRUPT "interrupt: collections.abc.Callable[[], bool] | None = None"

}  // namespace

void bind_table(nb::module_& m) {
  nb::class_<Table>(m, "Table", "The incidence relation of a context, by numbers.")
      .def(
          "__init__",
          [](Table* self, const In<std::int64_t>& offsets, const In<Index>& attributes,
             std::size_t n_attributes, nb::object interrupt) {
            // Without a copy: they can be the largest arrays that there are.
            const auto ends = checked_offsets(offsets, attributes.shape(0));
            new (self) Table(built(std::move(interrupt), [&](Budget& budget) {
              return Table(ends, span_of(attributes), n_attributes, &budget);
            }));
          },
          "offsets"_a.noconvert(), "attributes"_a.noconvert(), "n_attributes"_a,
          "interrupt"_a = nb::none(),
          nb::sig("def __init__(self, " ARRAYS "n_attributes: int, " INTERRUPT ") -> None"))
      .def_static(
          "weighted",
          [](const In<std::int64_t>& offsets, const In<Index>& attributes, const In<Index>& weights,
             std::size_t n_attributes, nb::object interrupt) {
            const auto ends = checked_offsets(offsets, attributes.shape(0));
            return built(std::move(interrupt), [&](Budget& budget) {
              return Table(ends, span_of(attributes), n_attributes, span_of(weights), &budget);
            });
          },
          "offsets"_a.noconvert(), "attributes"_a.noconvert(), "weights"_a.noconvert(),
          "n_attributes"_a, "interrupt"_a = nb::none(),
          nb::sig("def weighted(" ARRAYS WEIGHTS "n_attributes: int, " INTERRUPT ") -> Table"),
          "A table whose rows count as several objects each.")
      .def_static(
          "distinct",
          [](In<std::int64_t> offsets, In<Index> attributes, In<Index> weights,
             std::size_t n_attributes, nb::object interrupt) {
            const ListsView rows(checked_offsets(offsets, attributes.shape(0)),
                                 span_of(attributes));
            const auto counts = span_of(weights);
            const auto owner = std::make_shared<std::array<nb::object, 3>>(
                std::array{nb::cast(std::move(offsets)), nb::cast(std::move(attributes)),
                           nb::cast(std::move(weights))});
            return built(std::move(interrupt), [&](Budget& budget) {
              return Table(rows, n_attributes, counts, owner, &budget);
            });
          },
          "offsets"_a.noconvert(), "attributes"_a.noconvert(), "weights"_a.noconvert(),
          "n_attributes"_a, "interrupt"_a = nb::none(),
          nb::sig("def distinct(" ARRAYS WEIGHTS "n_attributes: int, " INTERRUPT ") -> Table"),
          "A table of distinct rows that count as several objects each. It keeps the arrays, which "
          "must not change.")
      .def_prop_ro("n_objects", &Table::n_objects, "Number of objects, counted with weights.")
      .def_prop_ro("n_attributes", &Table::n_attributes)
      .def_prop_ro("n_distinct_rows", &Table::n_rows)
      .def_prop_ro("n_crosses", &Table::n_crosses)
      .def_prop_ro("n_bytes", &Table::bytes)
      .def(
          "extension",
          [](const Table& self, const In<Index>& attributes) {
            return move_out(self.objects(self.extent(checked(self, attributes))));
          },
          "attributes"_a.noconvert(), "The objects that have all the attributes.")
      .def(
          "intension",
          [](const Table& self, const In<Index>& objects) {
            return move_out(self.intent(rows_of(self, span_of(objects))));
          },
          "objects"_a.noconvert(), "The attributes that all the objects share.")
      .def(
          "closure",
          [](const Table& self, const In<Index>& attributes) {
            return move_out(self.intent(self.extent(checked(self, attributes))));
          },
          "attributes"_a.noconvert(), "The attributes that follow from the attributes.")
      .def(
          "support",
          [](const Table& self, const In<Index>& attributes) {
            return self.support(self.extent(checked(self, attributes)));
          },
          "attributes"_a.noconvert(), "Number of objects that have all the attributes.")
      .def(
          "attribute_supports",
          [](const Table& self) {
            std::vector<std::int64_t> supports;
            for (std::size_t a = 0; a < self.n_attributes(); ++a) {
              supports.push_back(static_cast<std::int64_t>(self.attribute_support(a)));
            }
            return move_out(std::move(supports));
          },
          "Number of objects of every attribute.")
      .def(
          "rows",
          [](const Table& self) {
            Lists rows;
            for (const Index r : self.row_of_object()) rows.push_back(self.row(r));
            return from_lists(std::move(rows));
          },
          nb::sig("def rows(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], "
                  "Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]"),
          "The attributes of all objects, as offsets and values.")
      .def(
          "row_of_object",
          [](const Table& self) {
            const auto rows = self.row_of_object();
            return move_out(std::vector<Index>(rows.begin(), rows.end()));
          },
          "The number of the distinct row of every object.")
      .def(
          "distinct_rows",
          [](const Table& self) {
            Lists rows;
            for (std::size_t r = 0; r < self.n_rows(); ++r) rows.push_back(self.row(r));
            nb::tuple lists = from_lists(std::move(rows));
            std::vector<Index> weights(self.weights().begin(), self.weights().end());
            return nb::make_tuple(lists[0], lists[1], move_out(std::move(weights)));
          },
          nb::sig("def distinct_rows(self) -> tuple[Annotated[NDArray[numpy.int64], "
                  "dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], "
                  "Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]"),
          "The different rows and how many objects have each: offsets, values, weights.");

  m.def(
      "renumbered",
      [](const In<std::int64_t>& offsets, const In<Index>& values, const In<Index>& places) {
        const auto ends = checked_offsets(offsets, values.shape(0));
        const auto all = span_of(values);
        const auto numbers = span_of(places);
        Lists lists;
        {
          const nb::gil_scoped_release unlocked;
          lists.offsets.resize(ends.size());
          lists.values.resize(all.size());
          std::size_t end = 0;
          for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
            Index* const list = lists.values.data() + end;
            for (std::size_t k = ends[i]; k < ends[i + 1]; ++k) {
              list[k - ends[i]] = all[k] < numbers.size() ? numbers[all[k]] : no_number;
            }
            end += sort_distinct(list, ends[i + 1] - ends[i]);
            lists.offsets[i + 1] = end;
          }
          lists.values.resize(end);
        }
        return from_lists(std::move(lists));
      },
      "offsets"_a.noconvert(), "values"_a.noconvert(), "places"_a.noconvert(),
      nb::sig("def renumbered(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,))], "
              "values: Annotated[NDArray[numpy.uint32], dict(shape=(None,))], "
              "places: Annotated[NDArray[numpy.uint32], dict(shape=(None,))]) -> "
              "tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], "
              "Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]"),
      "Lists in other numbers, ascending, each once. `places` has the new numbers; 2^32 - 1 leaves "
      "one out.");

  m.def(
      "occurrences",
      [](const In<std::int64_t>& offsets, const In<Index>& values, const In<Index>& weights) {
        const auto ends = checked_offsets(offsets, values.shape(0));
        const auto all = span_of(values);
        const auto counts = span_of(weights);
        if (counts.size() + 1 != ends.size()) throw nb::value_error("every list needs a weight");
        std::vector<std::int64_t> sums;
        {
          const nb::gil_scoped_release unlocked;
          std::size_t n = 0;
          for (const Index value : all) {
            if (value != no_number) n = std::max<std::size_t>(n, value + std::size_t{1});
          }
          sums.resize(n);
          for (std::size_t i = 0; i < counts.size(); ++i) {
            for (std::size_t k = ends[i]; k < ends[i + 1]; ++k) {
              if (all[k] != no_number) sums[all[k]] += counts[i];
            }
          }
        }
        return move_out(std::move(sums));
      },
      "offsets"_a.noconvert(), "values"_a.noconvert(), "weights"_a.noconvert(),
      nb::sig("def occurrences(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,))], "
              "values: Annotated[NDArray[numpy.uint32], dict(shape=(None,))], "
              "weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,))]) -> "
              "Annotated[NDArray[numpy.int64], dict(shape=(None,))]"),
      "How often each number occurs in lists that count as often as their weights say. 2^32 - 1 is "
      "left out.");

  nb::class_<RowMerger>(m, "RowMerger", "Makes equal rows one row with a weight.")
      .def("__init__", [](RowMerger* self) { new (self) RowMerger(); })
      .def(
          "add",
          [](RowMerger& self, const In<std::int64_t>& offsets, const In<Index>& attributes,
             const In<Index>& weights) {
            const auto ends = checked_offsets(offsets, attributes.shape(0));
            const auto all = span_of(attributes);
            const auto counts = span_of(weights);
            if (counts.size() + 1 != ends.size()) throw nb::value_error("every row needs a weight");
            const nb::gil_scoped_release unlocked;
            // Rows go on in blocks that stay in a cache. Most are in order already.
            constexpr std::size_t block = 1024;
            std::array<std::span<const Index>, block> rows;
            Lists sorted;
            for (std::size_t begin = 0; begin < counts.size(); begin += block) {
              const std::size_t n = std::min(block, counts.size() - begin);
              sorted.offsets.resize(1);
              sorted.values.clear();
              sorted.values.reserve(ends[begin + n] - ends[begin]);
              for (std::size_t i = 0; i < n; ++i) {
                rows[i] = all.subspan(ends[begin + i], ends[begin + i + 1] - ends[begin + i]);
                if (std::ranges::adjacent_find(rows[i], std::greater_equal{}) != rows[i].end()) {
                  push_sorted(rows[i], sorted);
                  rows[i] = sorted[sorted.size() - 1];
                }
              }
              self.add_each(
                  n, [&](std::size_t i) { return rows[i]; },
                  [&](std::size_t i) { return counts[begin + i]; }, [](std::size_t, Index) {});
            }
          },
          "offsets"_a.noconvert(), "attributes"_a.noconvert(), "weights"_a.noconvert(),
          "Adds rows that stand for so many objects each; attributes come in any order, and "
          "repeated ones count once.")
      .def("reserve", &RowMerger::reserve, "n_rows"_a, "n_crosses"_a,
           "Makes room for so many different rows and crosses.")
      .def_prop_ro("n_objects", &RowMerger::n_objects)
      .def_prop_ro("n_rows", [](const RowMerger& self) { return self.rows().size(); })
      .def_prop_ro("n_bytes", &RowMerger::bytes)
      .def(
          "take",
          [](RowMerger& self) {
            nb::tuple lists = from_lists(self.take_rows());
            nb::object weights = nb::cast(move_out(self.take_weights()));
            self = RowMerger();
            return nb::make_tuple(lists[0], lists[1], weights);
          },
          nb::sig("def take(self) -> tuple[Annotated[NDArray[numpy.int64], "
                  "dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], "
                  "Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]"),
          "The different rows and their weights, as offsets, values, weights; then it is empty.");
}

}  // namespace conceptrank::bindings
