// Columns of infrequent attributes. In an iceberg they have no place in a node's table, but where
// rows are few they decide how stable a concept is.
#include <algorithm>

#include "conceptrank/search.hpp"

namespace conceptrank {
namespace {

// A node of this many words at most, with so many children of few rows, lists their columns once
// for all of these.
constexpr std::size_t listed_words = 4;
constexpr std::size_t listing_children = 8;

}  // namespace

/// Takes the columns of one row out of child.rare from `begin` on. There is no branch, since they
/// come as they please.
void Search::set_alone_aside(Node& child, std::size_t begin) {
  Word* next = child.rare.data() + begin;
  Word alone = 0;
  for (std::size_t k = begin; k < child.rare.size(); ++k) {
    const Word column = child.rare[k];
    const Word several = has_several(column);
    alone |= column & (several - 1);
    *next = column;
    next += several;
  }
  child.rare.resize(static_cast<std::size_t>(next - child.rare.data()));
  child.rare_alone |= alone;
}

/// Whether an expanded node is to list the columns of its infrequent attributes.
bool Search::lists_rare(const Node& node) const {
  if (!rare_matter_ || node.root || !node.numbered || node.words < 2 || node.words > listed_words) {
    return false;
  }
  const auto of_few_rows = [&](const Branch& branch) {
    return branch.child && node.counts[branch.column] <= word_bits;
  };
  return static_cast<std::size_t>(std::ranges::count_if(node.branches, of_few_rows)) >=
         listing_children;
}

/// Fills node.rare_bundle.
void Search::list_rare(Node& node) {
  const Table& table = table_.table();
  const std::size_t n_items = take_items(table.rows(), node.rows);
  // Of each attribute: its rows in the lower half of a word, its objects in the upper one.
  Word* words = column_words_.data();
  const Index* items = items_.data();
  const Index* row_of_item = row_of_item_.data();
  kept_.resize(n_items);
  Index* next = kept_.data();
  for (std::size_t k = 0; k < n_items; ++k) {
    const Index item = items[k];
    const Word before = words[item];
    *next = item;
    next += before == 0 ? 1 : 0;
    words[item] = before + (Word{table.weight(node.rows[row_of_item[k]])} << 32 | 1);
  }
  kept_.resize(static_cast<std::size_t>(next - kept_.data()));
  // Then: the number of its column. Those of one row share one, all others have one that nobody
  // reads.
  std::size_t n = 0;
  for (const Index item : kept_) {
    n += (words[item] >> 32) < least_support_ && Index(words[item]) > 1 ? 1 : 0;
  }
  RareBundle& rare = node.rare_bundle;
  rare.n = n;
  rare.stride = bundle_stride(n + 2);
  rare.bits.assign(node.words * rare.stride, 0);
  std::size_t column = 0;
  for (const Index item : kept_) {
    const bool infrequent = (words[item] >> 32) < least_support_;
    const bool alone = Index(words[item]) == 1;
    words[item] = !infrequent ? n + 1 : alone ? n : column++;
  }
  Word* bits = rare.bits.data();
  for (std::size_t k = 0; k < n_items; ++k) {
    const std::size_t row = row_of_item[k];
    bits[row / word_bits * rare.stride + words[items[k]]] |= Word{1} << (row % word_bits);
  }
  for (const Index item : kept_) words[item] = 0;
}

/// child.rare := the columns that the parent has listed.
void Search::pack_listed_rare(const Node& parent, Node& child) {
  const RareBundle& rare = parent.rare_bundle;
  packed_counts_.resize(std::max(packed_counts_.size(), rare.stride));
  packed_supports_.resize(std::max(packed_supports_.size(), rare.stride));
  kernels_.count_within(rare.bits.data(), rare.stride, parent.words, mask_.data(), nullptr, 0,
                        packed_counts_.data(), packed_supports_.data());
  const Index* counts = packed_counts_.data();
  kept_.resize(rare.n + 1);
  Index* next = kept_.data();
  for (std::size_t c = 0; c < rare.n; ++c) {
    *next = static_cast<Index>(c);
    next += counts[c] > 1 ? 1 : 0;
  }
  kept_.resize(static_cast<std::size_t>(next - kept_.data()));
  std::array<Word, listed_words> alone{};
  for (std::size_t w = 0; w < parent.words; ++w) {
    const Word* row = rare.bits.data() + w * rare.stride;
    Word some = row[rare.n];
    for (std::size_t c = 0; c < rare.n; ++c) some |= row[c] & (Word{counts[c] != 1} - 1);
    alone[w] = some;
  }
  child.rare.resize(kept_.size());
  kernels_.pack(rare.bits.data(), rare.stride, parent.words, mask_.data(), kept_.data(),
                kept_.size(), child.rare.data(), kept_.size());
  const Index only = 0;
  kernels_.pack(alone.data(), 1, parent.words, mask_.data(), &only, 1, &child.rare_alone, 1);
}

/// child.rare := the columns of the attributes that were infrequent in the parent already, and of
/// those in `dropped`, which are in the child.
void Search::compress_rare(const Node& parent, Node& child) {
  child.rare_known = true;
  child.rare_alone = 0;
  if (parent.rare_known) {
    child.rare.resize(parent.rare.size());
    const Index only = 0;
    kernels_.pack(&parent.rare_alone, 1, 1, mask_.data(), &only, 1, &child.rare_alone, 1);
    child.rare.resize(kernels_.restrict_sets(parent.rare.data(), parent.rare.size(), mask_[0],
                                             child.rare.data(), &child.rare_alone));
  } else {
    pack_listed_rare(parent, child);
  }
}

}  // namespace conceptrank
