// How a node comes to its table: from the lists of its rows, or packed out of its parent's table,
// whatever moves less memory, with equal rows brought together where that pays.
#include <algorithm>
#include <limits>
#include <numeric>

#include "cpp/search/search.hpp"

namespace conceptrank {
namespace {

// Below this many columns rows' lists are no longer worth looking up.
constexpr std::size_t numbered_columns = 64;

// Cost of setting one bit from a row's list, in units of moving one word of a column: from the
// lists of the whole table, and from those of the parent.
constexpr std::size_t gather_cost = 5;
constexpr std::size_t near_gather_cost = 3;

}  // namespace

void Search::make_root(Node& node) {
  const Table& table = table_.table();
  node = Node{};
  node.support = table.n_objects();
  node.n_rows = table.n_rows();
  for (std::size_t rank = 0; rank < table_.n_ranks(); ++rank) {
    if (table_.column(rank).size() != table.n_rows()) continue;
    node.intent.push_back(table_.attribute(rank));
    node.hash ^= table_.key(rank);
  }
  std::ranges::sort(node.intent);
  if (table_.dense() && table.n_rows() != 0) {
    node.rows.resize(table.n_rows());
    std::iota(node.rows.begin(), node.rows.end(), Index{0});
    gather(table_.rows(), node.rows, {}, node);
    merge_rows(node);
    return;
  }
  node.root = true;
  for (std::size_t rank = 0; rank < table_.n_ranks(); ++rank) {
    const std::size_t count = table_.column(rank).size();
    const std::uint64_t support = table.attribute_support(table_.attribute(rank));
    if (count == table.n_rows() || support < least_support_) continue;
    node.ranks.push_back(static_cast<Index>(rank));
    node.counts.push_back(static_cast<Index>(count));
    if (table.weighted()) node.supports.push_back(static_cast<Index>(support));
  }
}

void Search::make_node(std::span<const Index> intent, std::int64_t last, Node& node) {
  const Table& table = table_.table();
  if (last < 0) return make_root(node);
  node = Node{};
  node.last = last;
  node.intent.assign(intent.begin(), intent.end());
  for (std::size_t rank = 0; rank < table_.n_ranks(); ++rank) {
    if (std::ranges::binary_search(intent, table_.attribute(rank))) node.hash ^= table_.key(rank);
  }
  const std::vector<Word> extent = table.extent(intent);
  node.support = table.support(extent);
  for_each_bit(extent.data(), extent.size(),
               [&](std::size_t r) { node.rows.push_back(static_cast<Index>(r)); });
  node.n_rows = node.rows.size();
  gather_rows(node);
}

void Search::make_child(const Node& parent, const Branch& branch, Node& child) {
  child.root = false;
  child.support = branch.support;
  child.hash = child_hash(parent, branch);
  child.last = parent.ranks[branch.column];

  members_.clear();
  for (std::uint32_t i = branch.begin; i < branch.end; ++i) {
    members_.push_back(table_.attribute(parent.ranks[parent.contained_in[i]]));
  }
  std::ranges::sort(members_);
  child.intent.resize(parent.intent.size() + members_.size());
  std::ranges::merge(parent.intent, members_, child.intent.begin());

  child.compared_columns = parent.compared_columns;
  child.rare_known = false;
  child.rare_maximal = false;
  child.rare_bundle.n = 0;
  child.sorted = parent.sorted;
  if (parent.root) {
    const auto rows = table_.column(parent.ranks[branch.column]);
    child.rows.assign(rows.begin(), rows.end());
    child.n_rows = rows.size();
    child.numbered = true;
    gather_rows(child);
    work_ += child.n_rows * table_.mean_row_size() + child.bundle.size();
  } else {
    child.n_rows = parent.counts[branch.column];
    const std::size_t words = parent.words * parent.stride;
    const std::size_t near =
        parent.items.size() == 0
            ? std::numeric_limits<std::size_t>::max()
            : near_gather_cost * child.n_rows * (1 + parent.items.offsets.back() / parent.n_rows);
    const std::size_t far = !parent.numbered ? std::numeric_limits<std::size_t>::max()
                                             : gather_cost * child.n_rows * table_.mean_row_size();
    const bool inherits = inherits_rare(parent, child.n_rows);
    const bool pack = inherits || std::min(near, far) >= words;
    child.numbered =
        parent.numbered && (!pack || rare_matter_ || parent.n_columns() > numbered_columns);
    if (!pack || child.numbered) select_rows(parent, branch, child);
    if (rare_matter_ && child.n_rows <= word_bits && !inherits) {
      gather_few_rows(child);
    } else if (pack) {
      compress(parent, branch, child);
    } else if (near <= far) {
      gather(parent.items, chosen_, parent.ranks, child);
    } else {
      gather(table_.rows(), child.rows, {}, child);
    }
    work_ += child.n_rows + words;
  }
  inherit_inside(parent, child);
  merge_rows(child);
}

/// chosen_ := the child's rows by their places in the parent's table; child.rows := their numbers.
void Search::select_rows(const Node& parent, const Branch& branch, Node& child) {
  chosen_.resize(child.n_rows);
  Index* next = chosen_.data();
  for (std::size_t w = 0; w < parent.words; ++w) {
    const Word rows = parent.bundle[w * parent.stride + branch.column];
    for (Word word = rows; word != 0; word &= word - 1) {
      *next++ = static_cast<Index>(w * word_bits + lowest_bit(word));
    }
  }
  child.rows.clear();
  if (!child.numbered) return;
  child.rows.resize(chosen_.size());
  for (std::size_t i = 0; i < chosen_.size(); ++i) child.rows[i] = parent.rows[chosen_[i]];
}

/// A table without columns: nothing is below the node.
void Search::clear_table(Node& child) {
  child.ranks.clear();
  child.counts.clear();
  child.supports.clear();
  child.bundle.clear();
  child.forget_items();
  child.words = words_for(child.n_rows);
  child.stride = 0;
  child.planes.n = 0;
}

/// The child's table from its parent's: pack its rows together, drop what is empty, infrequent or
/// full.
void Search::compress(const Node& parent, const Branch& branch, Node& child) {
  mask_.resize(parent.words);
  for (std::size_t w = 0; w < parent.words; ++w) {
    mask_[w] = parent.bundle[w * parent.stride + branch.column];
  }
  const std::size_t n_rows = child.n_rows;
  child.words = words_for(n_rows);
  child.forget_items();
  Planes& planes = child.planes;
  planes.n = parent.planes.n;
  if (planes.n != 0) {
    planes.bits.resize(child.words * planes.stride());
    plane_counts_.resize(planes.stride());
    kernels_.compress(parent.planes.bits.data(), planes.stride(), parent.words, mask_.data(),
                      planes.bits.data(), plane_counts_.data());
    if (std::ranges::all_of(plane_counts_, [](Index count) { return count == 0; })) planes.n = 0;
  }
  packed_counts_.resize(std::max(packed_counts_.size(), parent.stride));
  packed_supports_.resize(std::max(packed_supports_.size(), parent.stride));
  kernels_.count_within(parent.bundle.data(), parent.stride, parent.words, mask_.data(),
                        parent.planes.bits.data(), planes.n == 0 ? 0 : parent.planes.n,
                        packed_counts_.data(), packed_supports_.data());
  // No branch hangs on which columns stay, since that can't be foreseen.
  const std::size_t n_columns = parent.n_columns();
  kept_.resize(n_columns);
  dropped_.resize(n_columns);
  std::size_t n_kept = 0;
  std::size_t n_dropped = 0;
  for (std::size_t c = 0; c < n_columns; ++c) {
    const bool some = packed_counts_[c] != 0 && packed_counts_[c] != n_rows;
    const bool frequent = packed_supports_[c] >= least_support_;
    kept_[n_kept] = dropped_[n_dropped] = static_cast<Index>(c);
    n_kept += static_cast<std::size_t>(some & frequent);
    n_dropped += static_cast<std::size_t>(some & !frequent);
  }
  kept_.resize(n_kept);
  dropped_.resize(n_dropped);
  if (!covers_ && (n_kept == 0 || std::int64_t{parent.ranks[kept_.back()]} <= child.last)) {
    clear_table(child);
    return;
  }
  child.ranks.resize(n_kept);
  child.counts.resize(n_kept);
  child.supports.resize(planes.n == 0 ? 0 : n_kept);
  for (std::size_t k = 0; k < n_kept; ++k) {
    child.ranks[k] = parent.ranks[kept_[k]];
    child.counts[k] = packed_counts_[kept_[k]];
  }
  for (std::size_t k = 0; k < child.supports.size(); ++k) {
    child.supports[k] = packed_supports_[kept_[k]];
  }
  if (inherits_rare(parent, n_rows)) take_rare(parent, child);
  child.stride = bundle_stride(kept_.size());
  child.bundle.resize(child.words * child.stride);
  kernels_.pack(parent.bundle.data(), parent.stride, parent.words, mask_.data(), kept_.data(),
                kept_.size(), child.bundle.data(), child.stride);
}

}  // namespace conceptrank
