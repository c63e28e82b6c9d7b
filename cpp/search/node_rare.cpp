// Columns of infrequent attributes. In an iceberg they have no place in a node's table, but where
// rows are few they decide how stable a concept is.
#include <algorithm>

#include "cpp/search/search.hpp"

namespace conceptrank {
namespace {

// A node of this many words at most, with so many children of few rows, lists their columns once
// for all of these.
constexpr std::size_t listed_words = 4;
constexpr std::size_t listing_children = 8;

// Columns are compared with each other if there are so many, and if somebody is to inherit them.
constexpr std::size_t many_rare = 24;

}  // namespace

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
  std::array<Word, listed_words * word_bits> one_row;
  for (std::size_t i = 0; i < node.n_rows; ++i) {
    one_row[i] = Word{table.weight(node.rows[i])} << 32 | 1;
  }
  kept_.resize(n_items);
  Index* next = kept_.data();
  for (std::size_t k = 0; k < n_items; ++k) {
    const Index item = items[k];
    const Word before = words[item];
    *next = item;
    next += before == 0 ? 1 : 0;
    words[item] = before + one_row[row_of_item[k]];
  }
  kept_.resize(static_cast<std::size_t>(next - kept_.data()));
  // Then: the number of its column. Those of one row share one, and all that are frequent one that
  // nobody reads.
  const auto is_frequent = [&](Index item) { return words[item] >> 32 >= least_support_; };
  const auto is_alone = [&](Index item) { return (words[item] & 0xffffffff) == 1; };
  RareBundle& rare = node.rare_bundle;
  rare.n = 0;
  for (const Index item : kept_) {
    rare.n += static_cast<std::size_t>(!is_frequent(item) & !is_alone(item));
  }
  rare.stride = bundle_stride(rare.n + 2);
  rare.bits.assign(node.words * rare.stride, 0);
  std::size_t column = 0;
  for (const Index item : kept_) {
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
  for (const Index item : kept_) words[item] = 0;
}

/// child.rare := the columns that the parent has listed.
void Search::take_listed_rare(const Node& parent, Node& child) {
  const RareBundle& rare = parent.rare_bundle;
  std::array<Word, listed_words> alone;
  for (std::size_t w = 0; w < parent.words; ++w) alone[w] = rare.bits[w * rare.stride + rare.n];
  several_.resize(bundle_stride(rare.n));
  const std::size_t n = kernels_.several_within(rare.bits.data(), rare.stride, rare.n, parent.words,
                                                mask_.data(), several_.data(), alone.data());
  child.rare.resize(n);
  kernels_.pack(rare.bits.data(), rare.stride, parent.words, mask_.data(), several_.data(), n,
                child.rare.data(), n);
  const Index only = 0;
  kernels_.pack(alone.data(), 1, parent.words, mask_.data(), &only, 1, &child.rare_alone, 1);
}

/// Gives the child, whose rows are those in mask_, the columns of the attributes that were
/// infrequent in the parent already, and of those in dropped_, which were not.
void Search::take_rare(const Node& parent, Node& child) {
  child.rare_known = true;
  child.rare_alone = 0;
  if (parent.rare_known) {
    const Index only = 0;
    kernels_.pack(&parent.rare_alone, 1, 1, mask_.data(), &only, 1, &child.rare_alone, 1);
    child.rare.resize(parent.rare.size());
    child.rare.resize(kernels_.restrict_sets(parent.rare.data(), parent.rare.size(), mask_[0],
                                             child.rare.data(), &child.rare_alone));
  } else {
    take_listed_rare(parent, child);
  }
  const std::size_t before = child.rare.size();
  child.rare.resize(before + dropped_.size());
  Word* dropped = child.rare.data() + before;
  kernels_.pack(parent.bundle.data(), parent.stride, parent.words, mask_.data(), dropped_.data(),
                dropped_.size(), dropped, dropped_.size());
  child.rare.resize(before + kernels_.restrict_sets(dropped, dropped_.size(), ~Word{0}, dropped,
                                                    &child.rare_alone));
  // Of few rows all subsets are marked anyhow, and a leaf has no heirs.
  if (is_leaf(child) || child.n_rows <= Tops::few_elements || child.rare.size() <= many_rare) {
    return;
  }
  keep_maximal(child.rare, columns_);
  child.rare_maximal = true;
}

}  // namespace conceptrank
