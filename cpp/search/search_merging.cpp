// Search, merging equal rows of a node's table. With covers, rows are equal if they agree on all
// columns. They are sorted once; from then on nearly all equal rows are neighbours, because the
// columns that drop out are mostly rare ones, which come last in the order. Without covers, rows
// need to agree only on the columns that may still be added, and groups are found by hashing.
#include <algorithm>

#include "cpp/base/tuning.hpp"
#include "cpp/search/search.hpp"

namespace conceptrank {
void Search::merge_rows(Node& child) {
  const std::size_t n = child.table.n_columns();
  const std::size_t least = table_.dense() ? tuning::compared_rows : tuning::compared_sparse_rows;
  if (!merges_rows_ || n == 0 || n > RowGroups::most_columns || child.table.n_rows < least) return;
  if (child.table.listed()) return;
  if (covers_) {
    if (child.table.sorted) {
      merge_neighbours(child);
    } else {
      sort_rows(child);
    }
    return;
  }
  // Of the columns that can't be added any more, a group keeps those that all of its rows have.
  // They only serve to detect that a closure is the child of another node.
  const std::size_t first = first_leader(child);
  const std::size_t n_keys = n - first;
  if (n_keys < tuning::compared_columns) return;
  const Word key = (n == word_bits ? ~Word{0} : (Word{1} << n) - 1) & (~Word{0} << first);
  merging_.groups.group(child.table.bundle.data(), n, child.table.stride, child.table.n_rows, key,
                        child.table.planes);
  work_ += child.table.n_rows;
  if (2 * merging_.groups.size() <= child.table.n_rows) take_groups(child);
}

void Search::sort_rows(Node& child) {
  merging_.groups.group(child.table.bundle.data(), child.table.n_columns(), child.table.stride,
                        child.table.n_rows, ~Word{0}, child.table.planes);
  merging_.groups.sort();
  take_groups(child);
  child.table.sorted = true;
}

/// The child's table := the row groups.
void Search::take_groups(Node& child) {
  const std::size_t n = child.table.n_columns();
  if (child.table.supports.empty()) child.table.supports = child.table.counts;
  child.table.row_mode = NodeTable::Rows::anonymous;
  child.table.n_rows = merging_.groups.size();
  child.table.rows.clear();
  child.table.forget_items();
  child.table.words = words_for(child.table.n_rows);
  merging_.groups.write(n, child.table.stride, child.table.bundle);
  child.table.planes.assign(child.table.n_rows,
                            [&](std::size_t i) { return merging_.groups.weights()[i]; });
  packing_.counts.resize(std::max(packing_.counts.size(), child.table.stride));
  kernels_.count_columns(child.table.bundle.data(), child.table.stride, child.table.words,
                         packing_.counts.data());
  child.table.counts.assign(packing_.counts.begin(),
                            packing_.counts.begin() + static_cast<std::ptrdiff_t>(n));
}

/// Keeps the first one of equal rows that follow each other.
void Search::merge_neighbours(Node& child) {
  packing_.mask.resize(child.table.words);
  const std::size_t n_groups = kernels_.first_rows(child.table.bundle.data(), child.table.stride,
                                                   child.table.n_rows, packing_.mask.data());
  if (2 * n_groups > child.table.n_rows) return;
  if (child.table.supports.empty()) child.table.supports = child.table.counts;
  child.table.planes.group_weights(packing_.mask, child.table.n_rows, merging_.weights);
  const std::size_t words = words_for(n_groups);
  packing_.words.resize(std::max(packing_.words.size(), words * child.table.stride));
  packing_.counts.resize(std::max(packing_.counts.size(), child.table.stride));
  kernels_.compress(child.table.bundle.data(), child.table.stride, child.table.words,
                    packing_.mask.data(), packing_.words.data(), packing_.counts.data());
  child.table.n_rows = n_groups;
  child.table.words = words;
  child.table.bundle.assign(
      packing_.words.begin(),
      packing_.words.begin() + static_cast<std::ptrdiff_t>(words * child.table.stride));
  std::copy_n(packing_.counts.begin(), child.table.n_columns(), child.table.counts.begin());
  child.table.planes.assign(n_groups, [&](std::size_t i) { return merging_.weights[i]; });
}

}  // namespace conceptrank
