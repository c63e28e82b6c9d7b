#include <algorithm>
#include <string>

#include "convert.hpp"
#include "cpp/table/row_merger.hpp"
#include "cpp/table/table.hpp"

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

}  // namespace

void bind_table(nb::module_& m) {
  nb::class_<Table>(m, "Table", "The incidence relation of a context, by numbers.")
      .def(
          "__init__",
          [](Table* self, const In<std::int64_t>& offsets, const In<Index>& attributes,
             std::size_t n_attributes) {
            // Without a copy: they can be the largest arrays that there are.
            const auto ends = checked_offsets(offsets, attributes.shape(0));
            new (self) Table(ends, span_of(attributes), n_attributes);
          },
          "offsets"_a.noconvert(), "attributes"_a.noconvert(), "n_attributes"_a)
      .def_static(
          "weighted",
          [](const In<std::int64_t>& offsets, const In<Index>& attributes, const In<Index>& weights,
             std::size_t n_attributes) {
            const auto ends = checked_offsets(offsets, attributes.shape(0));
            return Table(ends, span_of(attributes), n_attributes, span_of(weights));
          },
          "offsets"_a.noconvert(), "attributes"_a.noconvert(), "weights"_a.noconvert(),
          "n_attributes"_a, "A table whose rows count as several objects each.")
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

  nb::class_<RowMerger>(m, "RowMerger", "Makes equal rows one row with a weight.")
      .def("__init__", [](RowMerger* self) { new (self) RowMerger(); })
      .def(
          "add",
          [](RowMerger& self, const In<std::int64_t>& offsets, const In<Index>& attributes,
             const In<Index>& weights) {
            const Lists rows = to_lists(offsets, attributes);
            if (weights.shape(0) != rows.size()) throw nb::value_error("every row needs a weight");
            for (std::size_t i = 0; i < rows.size(); ++i) self.add(rows[i], weights(i));
          },
          "offsets"_a.noconvert(), "attributes"_a.noconvert(), "weights"_a.noconvert(),
          "Adds rows that stand for so many objects each.")
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
