// Tables of nodes from the lists of their rows (occurrence deliver: Uno, Asai, Uchida and Arimura
// 2003).
#include <algorithm>
#include <utility>

#include "cpp/search/search.hpp"

namespace conceptrank {
namespace {

// Tables with more columns and rows than this keep their rows as lists as well.
constexpr std::size_t listed_columns = 32;
constexpr std::size_t listed_rows = 64;

}  // namespace

/// items_ := the lists of the chosen rows, one after the other, row_of_item_ := the place in
/// `chosen` of the row that each comes from. Returns their total length.
///
/// What follows are loops over all items, whose number is known. A loop over the items of each row
/// ends where the processor does not expect it.
std::size_t Search::take_items(const Lists& lists, std::span<const Index> chosen) {
  constexpr std::size_t step = 16;  // copied at once
  std::size_t n_items = 0;
  for (const Index r : chosen) {
    const auto list = lists[r];
    n_items += list.size();
    __builtin_prefetch(list.data());
    __builtin_prefetch(list.data() + list.size());
  }
  items_.resize(std::max(items_.size(), n_items + step));
  row_of_item_.resize(std::max(row_of_item_.size(), n_items + step));
  const Index* const end = lists.values.data() + lists.values.size();
  Index* items = items_.data();
  Index* rows = row_of_item_.data();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto list = lists[chosen[i]];
    for (std::size_t k = 0; k < list.size(); k += step) {
      const Index* from = list.data() + k;
      if (static_cast<std::size_t>(end - from) >= step) {
        std::copy_n(from, step, items + k);
      } else {
        std::copy(from, end, items + k);
      }
      std::fill_n(rows + k, step, static_cast<Index>(i));
    }
    items += list.size();
    rows += list.size();
  }
  return n_items;
}

/// The child's table from the lists of its rows, `chosen` among `lists`: count the items, keep
/// those that enough but not all rows have, set their bits. Items are ranks, or places in `ranks`.
void Search::gather(const Lists& lists, std::span<const Index> chosen, std::span<const Index> ranks,
                    Node& child) {
  const std::size_t n_items = take_items(lists, chosen);
  const auto rank_of = [&](Index item) { return ranks.empty() ? item : ranks[item]; };
  if (child.n_rows <= word_bits) {
    gather_words(child, n_items, rank_of);
    return;
  }
  const Table& table = table_.table();
  child.planes.n = 0;
  if (table.weighted()) {
    child.planes.assign(child.rows.size(),
                        [&](std::size_t i) { return table.weight(child.rows[i]); });
  }
  const bool weighted = child.planes.n != 0;
  const std::size_t n_different = ranks.empty() ? table_.n_ranks() : ranks.size();
  // Few different items can all be looked through afterwards, many can't.
  const bool few = n_different <= 4 * n_items;
  count_items(n_items, few);
  Index* occurrences = occurrences_.data();
  // What heavy rows add to the number of rows. They are few as a rule.
  Index* further = further_.data();
  for (std::size_t i = 0; weighted && i < chosen.size(); ++i) {
    const Index weight = table.weight(child.rows[i]);
    if (weight == 1) continue;
    for (const Index item : lists[chosen[i]]) further[item] += weight - 1;
  }
  const auto support = [&](std::size_t item) {
    return weighted ? occurrences[item] + further[item] : occurrences[item];
  };
  members_.clear();
  const auto see = [&](Index item) {
    if (support(item) >= least_support_ && occurrences[item] < chosen.size()) {
      members_.push_back(item);
    }
  };
  if (few) {
    for (std::size_t item = 0; item < n_different; ++item) see(static_cast<Index>(item));
  } else {
    for (const Index item : kept_) see(item);
    std::ranges::sort(members_);
  }
  const std::size_t n = members_.size();
  // Without covers, a node is a leaf when nothing after the attribute that generated it is
  // frequent.
  if (!covers_ && (n == 0 || std::int64_t{rank_of(members_.back())} <= child.last)) {
    clear_table(child);
  } else {
    child.words = words_for(chosen.size());
    child.stride = bundle_stride(n);
    child.ranks.resize(n);
    child.counts.resize(n);
    child.supports.resize(weighted ? n : 0);
    for (std::size_t c = 0; c < n; ++c) {
      child.ranks[c] = rank_of(members_[c]);
      child.counts[c] = occurrences[members_[c]];
      if (weighted) child.supports[c] = support(members_[c]);
    }
    set_bits(n_items, child);
  }
  if (few) {
    std::fill_n(occurrences, n_different, Index{0});
    if (weighted) std::fill_n(further, n_different, Index{0});
  } else {
    for (const Index item : kept_) {
      occurrences[item] = 0;
      if (weighted) further[item] = 0;
    }
  }
}

/// Counts how often each item is in items_. If these are not `few`, kept_ := those that
/// occur.
void Search::count_items(std::size_t n_items, bool few) {
  // Plain pointers: the compiler need not fear that one array's end lies in another.
  Index* occurrences = occurrences_.data();
  const Index* items = items_.data();
  if (few) {
    for (std::size_t k = 0; k < n_items; ++k) ++occurrences[items[k]];
    return;
  }
  kept_.resize(n_items);
  Index* next = kept_.data();
  for (std::size_t k = 0; k < n_items; ++k) {
    *next = items[k];
    next += occurrences[items[k]]++ == 0 ? 1 : 0;
  }
  kept_.resize(static_cast<std::size_t>(next - kept_.data()));
}

/// The child's bundle and lists: column c holds the rows whose list has the item members_[c]. First
/// the lists, then the bits, so that no branch hangs on whether an item stays, which can't be
/// foreseen.
void Search::set_bits(std::size_t n_items, Node& child) {
  const std::size_t n = members_.size();
  const std::size_t n_rows = child.n_rows;
  for (std::size_t c = 0; c < n; ++c) column_of_[members_[c]] = static_cast<Index>(c + 1);
  if (child.items.values.size() <= n_items) child.items.values.resize(n_items + 1);
  const Index* column_of = column_of_.data();
  const Index* items = items_.data();
  Index* row_of_item = row_of_item_.data();
  Index* columns = child.items.values.data();
  std::size_t kept = 0;
  for (std::size_t k = 0; k < n_items; ++k) {
    const Index column = column_of[items[k]];
    columns[kept] = column - 1;
    row_of_item[kept] = row_of_item[k];
    kept += column != 0 ? 1 : 0;
  }
  child.bundle.assign(child.words * child.stride, 0);
  Word* bundle = child.bundle.data();
  const std::size_t stride = child.stride;
  for (std::size_t k = 0; k < kept; ++k) {
    const std::size_t row = row_of_item[k];
    bundle[row / word_bits * stride + columns[k]] |= Word{1} << (row % word_bits);
  }
  if (n <= listed_columns || n_rows <= listed_rows) {
    child.forget_items();
  } else {
    // Where the last item of each row ends, and of those without any the one before.
    child.items.offsets.assign(n_rows + 1, 0);
    std::uint64_t* ends = child.items.offsets.data();
    for (std::size_t k = 0; k < kept; ++k) ends[row_of_item[k] + 1] = k + 1;
    for (std::size_t i = 0; i < n_rows; ++i) ends[i + 1] = std::max(ends[i], ends[i + 1]);
  }
  for (const Index item : members_) column_of_[item] = 0;
}

/// A node's table from its rows in the whole table.
void Search::gather_rows(Node& node) {
  if (rare_matter_ && node.n_rows <= word_bits) {
    gather_few_rows(node);
  } else {
    gather(table_.rows(), node.rows, {}, node);
  }
}

/// The same for few rows, with the columns of infrequent attributes.
void Search::gather_few_rows(Node& child) {
  child.rare_known = true;
  child.rare_maximal = false;
  child.rare.clear();
  child.rare_alone = 0;
  const std::size_t n_items = take_items(table_.table().rows(), child.rows);
  gather_words(child, n_items, [&](Index attribute) { return table_.rank(attribute); });
  // Neither will be frequent further down, so the larger one goes on hiding the smaller.
  if (is_leaf(child)) return;
  keep_maximal(child.rare, columns_);
  child.rare_maximal = true;
}

/// Fills the table of a child of at most 64 rows from items_ in one pass: a column is a word.
/// `rank_of(item)` is the rank of one that stays.
template <class RankOf>
void Search::gather_words(Node& child, std::size_t n_items, const RankOf& rank_of) {
  const Table& table = table_.table();
  child.planes.n = 0;
  if (table.weighted()) {
    child.planes.assign(child.n_rows, [&](std::size_t i) { return table.weight(child.rows[i]); });
  }
  kept_.resize(n_items);
  Word* words = column_words_.data();
  Index* next = kept_.data();
  const Index* items = items_.data();
  const Index* row_of_item = row_of_item_.data();
  for (std::size_t k = 0; k < n_items; ++k) {
    const Index item = items[k];
    const Word before = words[item];
    *next = item;
    next += before == 0 ? 1 : 0;
    words[item] = before | Word{1} << row_of_item[k];
  }
  kept_.resize(static_cast<std::size_t>(next - kept_.data()));
  child.forget_items();
  members_.clear();
  if (child.rare_known && child.planes.n == 0) set_alone_aside(child);
  const Word all = tail_mask(child.n_rows);
  bool leaf = !covers_;
  for (const Index item : kept_) {
    const Word column = words[item];
    if (column != all && child.planes.weigh(column) >= least_support_) {
      members_.push_back(item);
      leaf = leaf && static_cast<std::int64_t>(rank_of(item)) <= child.last;
      continue;
    }
    words[item] = 0;
    if (child.rare_known && column != all) add_rare(child, column);
  }
  if (leaf) {
    for (const Index item : members_) words[item] = 0;
    clear_table(child);
    return;
  }
  std::ranges::sort(members_, {}, rank_of);
  const std::size_t n = members_.size();
  child.words = 1;
  child.stride = bundle_stride(n);
  child.ranks.resize(n);
  child.counts.resize(n);
  child.supports.resize(child.planes.n == 0 ? 0 : n);
  child.bundle.assign(child.stride, 0);
  for (std::size_t c = 0; c < n; ++c) {
    const Word column = std::exchange(words[members_[c]], 0);
    child.ranks[c] = rank_of(members_[c]);
    child.bundle[c] = column;
    child.counts[c] = static_cast<Index>(count_bits(column));
    if (child.planes.n != 0) child.supports[c] = static_cast<Index>(child.planes.weigh(column));
  }
}

/// Takes those of one row out of kept_, where every row is one object: they are infrequent. There
/// is no branch, since they come as they please.
void Search::set_alone_aside(Node& child) {
  Word* words = column_words_.data();
  Index* next = kept_.data();
  Word alone = 0;
  for (const Index item : kept_) {
    const Word column = words[item];
    const Word several = has_several(column);
    *next = item;
    next += several;
    words[item] = column & (0 - several);
    alone |= column & (several - 1);
  }
  kept_.resize(static_cast<std::size_t>(next - kept_.data()));
  child.rare_alone = alone;
}

/// The column of an attribute that is infrequent among the child's rows.
void Search::add_rare(Node& child, Word column) {
  if ((column & (column - 1)) != 0) {
    child.rare.push_back(column);
  } else {
    child.rare_alone |= column;
  }
}

}  // namespace conceptrank
