// Search, columns of infrequent attributes. In an iceberg they are not in a node's table, but where
// rows are few they decide how stable a concept is.
#include <algorithm>

#include "cpp/base/tuning.hpp"
#include "cpp/search/search.hpp"

namespace conceptrank {
/// Gives the child, whose rows are those in packing_.mask, the columns of the attributes that were
/// infrequent in the parent already, and of those in packing_.dropped, which were not.
void Search::take_rare(const Node& parent, Node& child) {
  child.rare.known = true;
  child.rare.single_rows = 0;
  const Index only = 0;
  kernels_.pack(&parent.rare.single_rows, 1, 1, packing_.mask.data(), &only, 1,
                &child.rare.single_rows, 1);
  child.rare.columns.resize(parent.rare.columns.size());
  child.rare.columns.resize(
      kernels_.restrict_sets(parent.rare.columns.data(), parent.rare.columns.size(),
                             packing_.mask[0], child.rare.columns.data(), &child.rare.single_rows));
  const std::size_t before = child.rare.columns.size();
  child.rare.columns.resize(before + packing_.dropped.size());
  Word* dropped = child.rare.columns.data() + before;
  kernels_.pack(parent.table.bundle.data(), parent.table.stride, parent.table.words,
                packing_.mask.data(), packing_.dropped.data(), packing_.dropped.size(), dropped,
                packing_.dropped.size());
  child.rare.columns.resize(before + kernels_.restrict_sets(dropped, packing_.dropped.size(),
                                                            ~Word{0}, dropped,
                                                            &child.rare.single_rows));
  // With few rows all subsets are marked in any case. A leaf has no children to pass these to.
  if (is_leaf(child) || child.table.n_rows <= tuning::marked_elements) return;
  keep_maximal(child.rare.columns, rare_.sets);
  child.rare.maximal = true;
}

}  // namespace conceptrank
