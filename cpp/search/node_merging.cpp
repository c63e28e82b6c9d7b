// How equal rows of a node's table are brought together. With covers all columns have to agree:
// rows are put in order once, and equal ones are neighbours from then on, nearly all of them, since
// the columns that go are mostly rare ones, which come last in that order. Without covers only the
// columns that may still be added have to, and groups are looked up.
#include <algorithm>

#include "cpp/search/search.hpp"

namespace conceptrank {
namespace {

// Rows are compared if there are so many, in sparse tables if there are more. Without covers, if so
// many columns may still be added, and if the columns that tell them apart became fewer by this
// factor since the last time.
constexpr std::size_t compared_rows = 128;
constexpr std::size_t compared_sparse_rows = 512;
constexpr std::size_t compared_columns = 10;
constexpr double compared_again = 0.8;

}  // namespace

void Search::merge_rows(Node& child) {
  const std::size_t n = child.n_columns();
  const std::size_t least = table_.dense() ? compared_rows : compared_sparse_rows;
  if (!merging_ || n == 0 || n > RowGroups::most_columns || child.n_rows < least) return;
  if (covers_) {
    if (child.sorted) {
      merge_neighbours(child);
    } else {
      sort_rows(child);
    }
    return;
  }
  // Of the columns that can't be added a group keeps those that all of its rows have, for they can
  // only say that a closure is somebody else's child.
  const std::size_t first = first_leader(child);
  const std::size_t n_keys = n - first;
  if (n_keys < compared_columns ||
      static_cast<double>(n_keys) > compared_again * static_cast<double>(child.compared_columns)) {
    return;
  }
  child.compared_columns = n_keys;
  const Word key = (n == word_bits ? ~Word{0} : (Word{1} << n) - 1) & (~Word{0} << first);
  groups_.group(child.bundle.data(), n, child.stride, child.n_rows, key, child.planes);
  work_ += child.n_rows;
  if (2 * groups_.size() <= child.n_rows) take_groups(child);
}

void Search::sort_rows(Node& child) {
  groups_.group(child.bundle.data(), child.n_columns(), child.stride, child.n_rows, ~Word{0},
                child.planes);
  groups_.sort();
  take_groups(child);
  child.sorted = true;
}

/// The child's table := the row groups.
void Search::take_groups(Node& child) {
  const std::size_t n = child.n_columns();
  if (child.supports.empty()) child.supports = child.counts;
  child.numbered = false;
  child.n_rows = groups_.size();
  child.rows.clear();
  child.forget_items();
  child.words = words_for(child.n_rows);
  groups_.write(n, child.stride, child.bundle);
  child.planes.assign(child.n_rows, [&](std::size_t i) { return groups_.weights()[i]; });
  packed_counts_.resize(std::max(packed_counts_.size(), child.stride));
  kernels_.count_columns(child.bundle.data(), child.stride, child.words, packed_counts_.data());
  child.counts.assign(packed_counts_.begin(),
                      packed_counts_.begin() + static_cast<std::ptrdiff_t>(n));
}

/// Keeps the first one of equal rows that follow each other.
void Search::merge_neighbours(Node& child) {
  mask_.resize(child.words);
  const std::size_t n_groups =
      kernels_.first_rows(child.bundle.data(), child.stride, child.n_rows, mask_.data());
  if (2 * n_groups > child.n_rows) return;
  if (child.supports.empty()) child.supports = child.counts;
  child.planes.group_weights(mask_, child.n_rows, group_weights_);
  const std::size_t words = words_for(n_groups);
  packed_.resize(std::max(packed_.size(), words * child.stride));
  packed_counts_.resize(std::max(packed_counts_.size(), child.stride));
  kernels_.compress(child.bundle.data(), child.stride, child.words, mask_.data(), packed_.data(),
                    packed_counts_.data());
  child.n_rows = n_groups;
  child.words = words;
  child.bundle.assign(packed_.begin(),
                      packed_.begin() + static_cast<std::ptrdiff_t>(words * child.stride));
  std::copy_n(packed_counts_.begin(), child.n_columns(), child.counts.begin());
  child.planes.assign(n_groups, [&](std::size_t i) { return group_weights_[i]; });
}

}  // namespace conceptrank
