// Search, columns of infrequent attributes. In an iceberg they are not in a node's table, but where
// rows are few they decide how stable a concept is.
#include <algorithm>

#include "cpp/base/tuning.hpp"
#include "cpp/search/search.hpp"

namespace conceptrank {
/// Whether an expanded node is to list the columns of its infrequent attributes.
bool Search::lists_rare(const Node& node) const {
  if (!keeps_rare_ || !node.table.numbered() || node.table.words < 2 ||
      node.table.words > tuning::rare_bundle_words) {
    return false;
  }
  const auto of_few_rows = [&](const Branch& branch) {
    return branch.child && node.table.counts[branch.column] <= word_bits;
  };
  return static_cast<std::size_t>(std::ranges::count_if(node.branches, of_few_rows)) >=
         tuning::rare_bundle_children;
}

/// Fills node.rare.bundle.
void Search::list_rare(Node& node) {
  const Table& table = table_.table();
  const std::size_t n_items = take_items(table.rows(), node.table.rows);
  // For each attribute, a word counts its rows in the lower half and its objects in the upper half.
  Word* words = lists_.column_words.data();
  const Index* items = lists_.items.data();
  const Index* row_of_item = lists_.row_of_item.data();
  std::array<Word, tuning::rare_bundle_words * word_bits> one_row;
  for (std::size_t i = 0; i < node.table.n_rows; ++i) {
    one_row[i] = Word{table.weight(node.table.rows[i])} << 32 | 1;
  }
  lists_.present.resize(n_items);
  Index* next = lists_.present.data();
  for (std::size_t k = 0; k < n_items; ++k) {
    const Index item = items[k];
    const Word before = words[item];
    *next = item;
    next += before == 0 ? 1 : 0;
    words[item] = before + one_row[row_of_item[k]];
  }
  lists_.present.resize(static_cast<std::size_t>(next - lists_.present.data()));
  // Then the word holds the number of the attribute's column. Attributes of a single row share one
  // column. Frequent ones share another, which is not read.
  const auto is_frequent = [&](Index item) { return words[item] >> 32 >= least_support_; };
  const auto is_alone = [&](Index item) { return (words[item] & 0xffffffff) == 1; };
  RareColumns::Bundle& rare = node.rare.bundle;
  rare.n = 0;
  for (const Index item : lists_.present) {
    const bool frequent = is_frequent(item);
    const bool alone = is_alone(item);
    rare.n += static_cast<std::size_t>(!frequent & !alone);
  }
  rare.stride = bundle_stride(rare.n + 2);
  rare.bits.assign(node.table.words * rare.stride, 0);
  std::size_t column = 0;
  for (const Index item : lists_.present) {
    const bool frequent = is_frequent(item);
    const bool alone = is_alone(item);
    words[item] = frequent ? rare.n + 1 : alone ? rare.n : column;
    column += static_cast<std::size_t>(!frequent & !alone);
  }
  Word* bits = rare.bits.data();
  for (std::size_t k = 0; k < n_items; ++k) {
    const std::size_t row = row_of_item[k];
    bits[row / word_bits * rare.stride + words[items[k]]] |= Word{1} << (row % word_bits);
  }
  for (const Index item : lists_.present) words[item] = 0;
  node.rare.mode = rare.n == 0 ? RareColumns::Mode::none : RareColumns::Mode::bundle;
}

/// child.rare.columns := the columns that the parent has listed.
void Search::take_listed_rare(const Node& parent, Node& child) {
  const RareColumns::Bundle& rare = parent.rare.bundle;
  std::array<Word, tuning::rare_bundle_words> alone;
  for (std::size_t w = 0; w < parent.table.words; ++w)
    alone[w] = rare.bits[w * rare.stride + rare.n];
  rare_.several.resize(bundle_stride(rare.n));
  const std::size_t n =
      kernels_.several_within(rare.bits.data(), rare.stride, rare.n, parent.table.words,
                              packing_.mask.data(), rare_.several.data(), alone.data());
  child.rare.columns.resize(n);
  kernels_.pack(rare.bits.data(), rare.stride, parent.table.words, packing_.mask.data(),
                rare_.several.data(), n, child.rare.columns.data(), n);
  const Index only = 0;
  kernels_.pack(alone.data(), 1, parent.table.words, packing_.mask.data(), &only, 1,
                &child.rare.single_rows, 1);
}

/// Gives the child, whose rows are those in packing_.mask, the columns of the attributes that were
/// infrequent in the parent already, and of those in packing_.dropped, which were not.
void Search::take_rare(const Node& parent, Node& child) {
  child.rare.mode = RareColumns::Mode::words;
  child.rare.single_rows = 0;
  if (parent.rare.known()) {
    const Index only = 0;
    kernels_.pack(&parent.rare.single_rows, 1, 1, packing_.mask.data(), &only, 1,
                  &child.rare.single_rows, 1);
    child.rare.columns.resize(parent.rare.columns.size());
    child.rare.columns.resize(kernels_.restrict_sets(
        parent.rare.columns.data(), parent.rare.columns.size(), packing_.mask[0],
        child.rare.columns.data(), &child.rare.single_rows));
  } else {
    take_listed_rare(parent, child);
  }
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
