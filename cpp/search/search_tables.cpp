// Search, building tables: a node's table is gathered from the lists of its rows or packed out of
// its parent's table, whichever moves less memory. Equal rows are merged where that pays.
#include <algorithm>
#include <limits>
#include <numeric>

#include "cpp/base/tuning.hpp"
#include "cpp/search/search.hpp"

namespace conceptrank {
void Search::make_root(Node& node) {
  const Table& table = table_.table();
  node = Node{};
  node.support = table.n_objects();
  node.table.n_rows = table.n_rows();
  for (std::size_t rank = 0; rank < table_.n_ranks(); ++rank) {
    if (table_.column(rank).size() != table.n_rows()) continue;
    node.intent.push_back(table_.attribute(rank));
    node.hash ^= table_.key(rank);
  }
  std::ranges::sort(node.intent);
  if (table_.dense() && table.n_rows() != 0) {
    node.table.rows.resize(table.n_rows());
    std::iota(node.table.rows.begin(), node.table.rows.end(), Index{0});
    gather(table_.rows(), node.table.rows, {}, node);
    merge_rows(node);
    node.check();
    return;
  }
  node.table.row_mode = NodeTable::Rows::whole;
  for (std::size_t rank = 0; rank < table_.n_ranks(); ++rank) {
    const std::size_t count = table_.column(rank).size();
    const std::uint64_t support = table.attribute_support(table_.attribute(rank));
    if (count == table.n_rows() || support < least_support_) continue;
    node.table.ranks.push_back(static_cast<Index>(rank));
    node.table.counts.push_back(static_cast<Index>(count));
    if (table.weighted()) node.table.supports.push_back(static_cast<Index>(support));
  }
  node.check();
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
               [&](std::size_t r) { node.table.rows.push_back(static_cast<Index>(r)); });
  node.table.n_rows = node.table.rows.size();
  gather_rows(node);
  node.check();
}

void Search::make_child(const Node& parent, const Branch& branch, Node& child) {
  child.support = branch.support;
  child.hash = child_hash(parent, branch);
  child.last = parent.table.ranks[branch.column];

  std::vector<Index>& added = expansion_.members;
  added.resize(branch.end - branch.begin);
  for (std::size_t i = 0; i < added.size(); ++i) {
    added[i] = table_.attribute(parent.table.ranks[parent.contained_in[branch.begin + i]]);
  }
  std::ranges::sort(added);
  child.intent.resize(parent.intent.size() + added.size());
  std::ranges::merge(parent.intent, added, child.intent.begin());

  child.rare.clear();
  child.table.forget_columns();
  child.table.sorted = parent.table.sorted;
  if (parent.table.whole()) {
    const auto rows = table_.column(parent.table.ranks[branch.column]);
    child.table.rows.assign(rows.begin(), rows.end());
    child.table.n_rows = rows.size();
    child.table.row_mode = NodeTable::Rows::numbered;
    gather_rows(child);
    work_ += child.table.n_rows * table_.mean_row_size() + child.table.bundle.size();
  } else {
    child.table.n_rows = parent.table.counts[branch.column];
    const std::size_t words = parent.table.words * parent.table.stride;
    const std::size_t near =
        parent.table.items.size() == 0
            ? std::numeric_limits<std::size_t>::max()
            : tuning::parent_list_cost * child.table.n_rows *
                  (1 + parent.table.items.offsets.back() / parent.table.n_rows);
    const std::size_t far =
        !parent.table.numbered()
            ? std::numeric_limits<std::size_t>::max()
            : tuning::whole_list_cost * child.table.n_rows * table_.mean_row_size();
    const bool pack = !parent.table.listed() && (parent.rare.known || std::min(near, far) >= words);
    const bool numbered =
        parent.table.numbered() &&
        (!pack || keeps_rare_ || parent.table.n_columns() > tuning::numbered_columns);
    child.table.row_mode = numbered ? NodeTable::Rows::numbered : NodeTable::Rows::anonymous;
    if (!pack || child.table.numbered()) select_rows(parent, branch, child);
    if (keeps_rare_ && child.table.n_rows <= word_bits && !parent.rare.known) {
      gather_few_rows(child);
    } else if (pack) {
      compress(parent, branch, child);
    } else if (near <= far) {
      gather(parent.table.items, lists_.chosen, parent.table.ranks, child);
    } else {
      gather(table_.rows(), child.table.rows, {}, child);
    }
    work_ += child.table.n_rows + (parent.table.listed() ? near : words);
  }
  inherit_containers(parent, child);
  merge_rows(child);
  child.check();
}

/// lists_.chosen := the child's rows by their places in the parent's table; child.table.rows :=
/// their numbers.
void Search::select_rows(const Node& parent, const Branch& branch, Node& child) {
  if (parent.table.listed()) {
    const auto rows = parent.table.columns[branch.column];
    lists_.chosen.assign(rows.begin(), rows.end());
  } else {
    lists_.chosen.resize(child.table.n_rows);
    Index* next = lists_.chosen.data();
    for (std::size_t w = 0; w < parent.table.words; ++w) {
      const Word rows = parent.table.bundle[w * parent.table.stride + branch.column];
      for (Word word = rows; word != 0; word &= word - 1) {
        *next++ = static_cast<Index>(w * word_bits + lowest_bit(word));
      }
    }
  }
  child.table.rows.clear();
  if (!child.table.numbered()) return;
  child.table.rows.resize(lists_.chosen.size());
  for (std::size_t i = 0; i < lists_.chosen.size(); ++i)
    child.table.rows[i] = parent.table.rows[lists_.chosen[i]];
}

/// Empties the table of a node that has no children.
void Search::clear_table(Node& child) {
  child.table.ranks.clear();
  child.table.counts.clear();
  child.table.supports.clear();
  child.table.bundle.clear();
  child.table.forget_items();
  child.table.words = words_for(child.table.n_rows);
  child.table.stride = 0;
  child.table.planes.n = 0;
}

/// The child's table from its parent's: pack its rows together, drop what is empty, infrequent or
/// full.
void Search::compress(const Node& parent, const Branch& branch, Node& child) {
  packing_.mask.resize(parent.table.words);
  for (std::size_t w = 0; w < parent.table.words; ++w) {
    packing_.mask[w] = parent.table.bundle[w * parent.table.stride + branch.column];
  }
  const std::size_t n_rows = child.table.n_rows;
  child.table.words = words_for(n_rows);
  child.table.forget_items();
  Planes& planes = child.table.planes;
  planes.n = parent.table.planes.n;
  if (planes.n != 0) {
    planes.bits.resize(child.table.words * planes.stride());
    packing_.plane_counts.resize(planes.stride());
    kernels_.compress(parent.table.planes.bits.data(), planes.stride(), parent.table.words,
                      packing_.mask.data(), planes.bits.data(), packing_.plane_counts.data());
    if (std::ranges::all_of(packing_.plane_counts, [](Index count) { return count == 0; }))
      planes.n = 0;
  }
  packing_.counts.resize(std::max(packing_.counts.size(), parent.table.stride));
  packing_.supports.resize(std::max(packing_.supports.size(), parent.table.stride));
  kernels_.count_within(parent.table.bundle.data(), parent.table.stride, parent.table.words,
                        packing_.mask.data(), parent.table.planes.bits.data(),
                        planes.n == 0 ? 0 : parent.table.planes.n, packing_.counts.data(),
                        packing_.supports.data());
  // Branch-free, because it is unpredictable which columns stay.
  const std::size_t n_columns = parent.table.n_columns();
  packing_.kept.resize(n_columns);
  packing_.dropped.resize(n_columns);
  std::size_t n_kept = 0;
  std::size_t n_dropped = 0;
  for (std::size_t c = 0; c < n_columns; ++c) {
    const bool some = packing_.counts[c] != 0 && packing_.counts[c] != n_rows;
    const bool frequent = packing_.supports[c] >= least_support_;
    packing_.kept[n_kept] = packing_.dropped[n_dropped] = static_cast<Index>(c);
    n_kept += static_cast<std::size_t>(some & frequent);
    n_dropped += static_cast<std::size_t>(some & !frequent);
  }
  packing_.kept.resize(n_kept);
  packing_.dropped.resize(n_dropped);
  if (!covers_ &&
      (n_kept == 0 || std::int64_t{parent.table.ranks[packing_.kept.back()]} <= child.last)) {
    clear_table(child);
    return;
  }
  child.table.ranks.resize(n_kept);
  child.table.counts.resize(n_kept);
  child.table.supports.resize(planes.n == 0 ? 0 : n_kept);
  for (std::size_t k = 0; k < n_kept; ++k) {
    child.table.ranks[k] = parent.table.ranks[packing_.kept[k]];
    child.table.counts[k] = packing_.counts[packing_.kept[k]];
  }
  for (std::size_t k = 0; k < child.table.supports.size(); ++k) {
    child.table.supports[k] = packing_.supports[packing_.kept[k]];
  }
  if (parent.rare.known) take_rare(parent, child);
  child.table.stride = bundle_stride(packing_.kept.size());
  child.table.bundle.resize(child.table.words * child.table.stride);
  kernels_.pack(parent.table.bundle.data(), parent.table.stride, parent.table.words,
                packing_.mask.data(), packing_.kept.data(), packing_.kept.size(),
                child.table.bundle.data(), child.table.stride);
}

}  // namespace conceptrank
