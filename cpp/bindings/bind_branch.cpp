#include <nanobind/stl/optional.h>

#include "bindings.hpp"
#include "cpp/lattice/branch.hpp"
#include "python_budget.hpp"

namespace conceptrank::bindings {

using namespace nb::literals;

namespace {

/// A table with the search's order of its attributes: made once, used for many branches.
struct BranchMiner {
  nb::object owner;  // keeps the table alive
  SearchTable table;
};

/// Prefixes as arrays: intents, last attributes (-1: root), whether each is whole, children.
std::vector<Prefix> to_prefixes(const In<std::int64_t>& offsets, const In<Index>& intents,
                                const In<std::int64_t>& last, const In<std::uint8_t>& whole,
                                const In<std::int64_t>& child_offsets, const In<Index>& children) {
  const Lists sets = to_lists(offsets, intents);
  const Lists below = to_lists(child_offsets, children);
  if (last.shape(0) != sets.size() || whole.shape(0) != sets.size() ||
      below.size() != sets.size()) {
    throw nb::value_error("the arrays of prefixes must have one length");
  }
  std::vector<Prefix> prefixes(sets.size());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    prefixes[i].intent.assign(sets[i].begin(), sets[i].end());
    prefixes[i].last = last(i);
    prefixes[i].whole = whole(i) != 0;
    prefixes[i].children.assign(below[i].begin(), below[i].end());
  }
  return prefixes;
}

nb::tuple from_prefixes(const std::vector<Prefix>& prefixes) {
  Lists intents;
  Lists children;
  std::vector<std::int64_t> last;
  std::vector<std::uint8_t> whole;
  for (const Prefix& prefix : prefixes) {
    intents.push_back(prefix.intent);
    children.push_back(prefix.children);
    last.push_back(prefix.last);
    whole.push_back(prefix.whole ? 1 : 0);
  }
  nb::tuple sets = from_lists(std::move(intents));
  nb::tuple below = from_lists(std::move(children));
  return nb::make_tuple(sets[0], sets[1], move_out(std::move(last)), move_out(std::move(whole)),
                        below[0], below[1]);
}

nb::object or_none(bool wanted, auto make) { return wanted ? make() : nb::none(); }

}  // namespace

void bind_branch(nb::module_& m) {
  nb::class_<BranchMiner>(m, "BranchMiner", "Mines pieces of the search tree of a table.")
      .def(
          "__init__",
          [](BranchMiner* self, nb::object table, std::uint64_t min_support) {
            new (self) BranchMiner{table, SearchTable(nb::cast<const Table&>(table), min_support)};
          },
          "table"_a, "min_support"_a = 0,
          nb::sig("def __init__(self, table: Table, min_support: int = 0) -> None"))
      .def(
          "order",
          [](const BranchMiner& self) {
            std::vector<Index> attributes;
            for (std::size_t rank = 0; rank < self.table.n_ranks(); ++rank) {
              attributes.push_back(self.table.attribute(rank));
            }
            return move_out(std::move(attributes));
          },
          nb::sig("def order(self) -> NDArray[numpy.uint32]"),
          "The frequent attributes in the order of the search.")
      .def(
          "mine",
          [](const BranchMiner& self, const In<std::int64_t>& offsets, const In<Index>& intents,
             const In<std::int64_t>& last, const In<std::uint8_t>& whole,
             const In<std::int64_t>& child_offsets, const In<Index>& children, std::uint64_t nodes,
             std::uint64_t worth, const FaceOptions* score_intents,
             const FaceOptions* score_extents, bool sum_columns, const Constraints* constraints,
             nb::object interrupt) {
            const std::vector<Prefix> prefixes =
                to_prefixes(offsets, intents, last, whole, child_offsets, children);
            BranchOptions options;
            options.nodes = nodes;
            options.worth = worth;
            if (constraints != nullptr) {
              options.constraints = &checked(self.table.table(), *constraints);
            }
            options.sum_columns = sum_columns;
            if (score_intents != nullptr) {
              options.score_intents = true;
              options.intent_options = *score_intents;
            }
            if (score_extents != nullptr) {
              options.score_extents = true;
              options.extent_options = *score_extents;
            }
            PythonBudget python({}, {}, {}, std::move(interrupt), nb::none());
            MinedBranch mined = python.run(
                [&](Budget& budget) { return mine_branch(self.table, prefixes, options, budget); });
            nb::tuple sets = from_lists(std::move(mined.intents));
            return nb::make_tuple(sets[0], sets[1], move_out(std::move(mined.supports)),
                                  move_out(std::move(mined.deltas)),
                                  or_none(options.score_intents,
                                          [&] { return matrix(std::move(mined.intent_scores)); }),
                                  or_none(options.score_extents,
                                          [&] { return matrix(std::move(mined.extent_scores)); }),
                                  or_none(sum_columns,
                                          [&] {
                                            return matrix(std::move(mined.column_sums),
                                                          std::size(column_sum_fields));
                                          }),
                                  from_prefixes(mined.left), mined.visited, mined.left_out);
          },
          "offsets"_a.noconvert(), "intents"_a.noconvert(), "last"_a.noconvert(),
          "whole"_a.noconvert(), "child_offsets"_a.noconvert(), "children"_a.noconvert(),
          nb::kw_only(), "nodes"_a, "worth"_a = 0, "score_intents"_a = nb::none(),
          "score_extents"_a = nb::none(), "sum_columns"_a = false, "constraints"_a = nb::none(),
          "interrupt"_a = nb::none(),
          nb::sig("def mine(self, offsets: NDArray[numpy.int64], intents: NDArray[numpy.uint32], "
                  "last: NDArray[numpy.int64], whole: NDArray[numpy.uint8], "
                  "child_offsets: NDArray[numpy.int64], children: NDArray[numpy.uint32], *, "
                  "nodes: int, worth: int = 0, "
                  "score_intents: FaceOptions | None = None, "
                  "score_extents: FaceOptions | None = None, sum_columns: bool = False, "
                  "constraints: Constraints | None = None, "
                  "interrupt: collections.abc.Callable[[], bool] | None = None) -> "
                  "tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.uint32], "
                  "NDArray[numpy.uint32], NDArray[numpy.float64] | None, "
                  "NDArray[numpy.float64] | None, NDArray[numpy.float64] | None, "
                  "tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.int64], "
                  "NDArray[numpy.uint8], NDArray[numpy.int64], NDArray[numpy.uint32]], int, int]"),
          "Visits at most `nodes` nodes of some parts of the tree, and mines and scores the "
          "concepts that meet the constraints. Gives intents (offsets, values), supports, deltas, "
          "face scores of intents and of extents, column sums, the parts that are left, the number "
          "of visited nodes, and how many subtrees had too few objects to be worth it.");
}

}  // namespace conceptrank::bindings
