// Tables of nodes from the lists of their rows (occurrence deliver: Uno, Asai, Uchida and Arimura
// 2003).
#include <algorithm>
#include <cstring>
#include <utility>

#include "cpp/base/tuning.hpp"
#include "cpp/search/search.hpp"

namespace conceptrank {
/// lists_.items := the lists of the chosen rows, one after the other, lists_.row_of_item := the
/// place in `chosen` of the row that each comes from. Returns their total length.
///
/// One list for all rows makes every later loop run over a known number of items. Loops over single
/// rows would end at unpredictable places.
std::size_t Search::take_items(ListsView lists, std::span<const Index> chosen) {
  constexpr std::size_t step = tuning::copied_items;
  constexpr std::size_t ahead = tuning::prefetched_rows;
  std::span<const Index> next[ahead];
  const auto fetch_offset = [&](std::size_t i) {
    if (i < chosen.size()) __builtin_prefetch(&lists.offsets[chosen[i]]);
  };
  // The place of a list is fetched first, then the list.
  const auto fetch = [&](std::size_t i) {
    fetch_offset(i + ahead);
    if (i >= chosen.size()) return;
    const auto list = lists[chosen[i]];
    next[i % ahead] = list;
    __builtin_prefetch(list.data());
    __builtin_prefetch(list.data() + step / 2);
  };
  const std::size_t first = std::min(ahead, chosen.size());
  for (std::size_t i = 0; i < first; ++i) fetch_offset(i);
  for (std::size_t i = 0; i < first; ++i) fetch(i);
  const Index* const end = lists.values.data() + lists.values.size();
  std::size_t n_items = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto list = next[i % ahead];
    fetch(i + ahead);
    if (n_items + list.size() + step > lists_.items.size()) {
      lists_.items.resize(2 * lists_.items.size() + list.size() + step);
      lists_.row_of_item.resize(lists_.items.size());
    }
    Index* const items = lists_.items.data() + n_items;
    Index* const rows = lists_.row_of_item.data() + n_items;
    for (std::size_t k = 0; k < list.size(); k += step) {
      const Index* from = list.data() + k;
      if (static_cast<std::size_t>(end - from) >= step) {
        std::memcpy(items + k, from, step * sizeof(Index));
      } else {
        std::copy(from, end, items + k);
      }
      std::fill_n(rows + k, step, static_cast<Index>(i));
    }
    n_items += list.size();
  }
  return n_items;
}

/// The child's table from the lists of its rows, `chosen` among `lists`: count the items, keep
/// those that enough but not all rows have, set their bits. Items are ranks, or places in `ranks`.
void Search::gather(ListsView lists, std::span<const Index> chosen, std::span<const Index> ranks,
                    Node& child) {
  const std::size_t n_items = take_items(lists, chosen);
  const auto rank_of = [&](Index item) { return ranks.empty() ? item : ranks[item]; };
  if (child.table.n_rows <= word_bits) {
    gather_words(child, n_items, rank_of);
    return;
  }
  const Table& table = table_.table();
  child.table.planes.n = 0;
  if (table.weighted()) {
    child.table.planes.assign(child.table.rows.size(),
                              [&](std::size_t i) { return table.weight(child.table.rows[i]); });
  }
  const bool weighted = child.table.planes.n != 0;
  const std::size_t n_different = ranks.empty() ? table_.n_ranks() : ranks.size();
  // If there are few different items, all of them can be checked afterwards.
  const bool few = n_different <= 4 * n_items;
  count_items(n_items, few);
  Index* occurrences = lists_.occurrences.data();
  // The objects of heavy rows beyond the first. Heavy rows are rare.
  Index* further = lists_.extra_objects.data();
  for (std::size_t i = 0; weighted && i < chosen.size(); ++i) {
    const Index weight = table.weight(child.table.rows[i]);
    if (weight == 1) continue;
    for (const Index item : lists[chosen[i]]) further[item] += weight - 1;
  }
  const auto support = [&](std::size_t item) {
    return weighted ? occurrences[item] + further[item] : occurrences[item];
  };
  lists_.kept.clear();
  const auto see = [&](Index item) {
    if (support(item) >= least_support_ && occurrences[item] < chosen.size()) {
      lists_.kept.push_back(item);
    }
  };
  if (few) {
    for (std::size_t item = 0; item < n_different; ++item) see(static_cast<Index>(item));
  } else {
    for (const Index item : lists_.present) see(item);
    std::ranges::sort(lists_.kept);
  }
  const std::size_t n = lists_.kept.size();
  // Without covers, a node is a leaf when nothing after the attribute that generated it is
  // frequent.
  if (!covers_ && (n == 0 || std::int64_t{rank_of(lists_.kept.back())} <= child.last)) {
    clear_table(child);
  } else {
    child.table.words = words_for(chosen.size());
    child.table.stride = bundle_stride(n);
    child.table.ranks.resize(n);
    child.table.counts.resize(n);
    child.table.supports.resize(weighted ? n : 0);
    for (std::size_t c = 0; c < n; ++c) {
      child.table.ranks[c] = rank_of(lists_.kept[c]);
      child.table.counts[c] = occurrences[lists_.kept[c]];
      if (weighted) child.table.supports[c] = support(lists_.kept[c]);
    }
    write_columns(n_items, child);
  }
  if (few) {
    std::fill_n(occurrences, n_different, Index{0});
    if (weighted) std::fill_n(further, n_different, Index{0});
  } else {
    for (const Index item : lists_.present) {
      occurrences[item] = 0;
      if (weighted) further[item] = 0;
    }
  }
}

/// Counts how often each item is in lists_.items. If these are not `few`, lists_.present := those
/// that occur.
void Search::count_items(std::size_t n_items, bool few) {
  // Plain pointers show the compiler that writing an item does not change the bounds of the arrays.
  Index* occurrences = lists_.occurrences.data();
  const Index* items = lists_.items.data();
  if (few) {
    for (std::size_t k = 0; k < n_items; ++k) ++occurrences[items[k]];
    return;
  }
  lists_.present.resize(n_items);
  Index* next = lists_.present.data();
  for (std::size_t k = 0; k < n_items; ++k) {
    *next = items[k];
    next += occurrences[items[k]]++ == 0 ? 1 : 0;
  }
  lists_.present.resize(static_cast<std::size_t>(next - lists_.present.data()));
}

/// The child's columns and lists: column c holds the rows whose list has the item lists_.kept[c].
/// The lists are written first and the bits are set from them, so that no branch depends on whether
/// an item stays, which is unpredictable.
void Search::write_columns(std::size_t n_items, Node& child) {
  const std::size_t n = lists_.kept.size();
  const std::size_t n_rows = child.table.n_rows;
  for (std::size_t c = 0; c < n; ++c) lists_.column_of[lists_.kept[c]] = static_cast<Index>(c + 1);
  if (child.table.items.values.size() <= n_items) child.table.items.values.resize(n_items + 1);
  const Index* column_of = lists_.column_of.data();
  const Index* items = lists_.items.data();
  Index* row_of_item = lists_.row_of_item.data();
  Index* columns = child.table.items.values.data();
  std::size_t kept = 0;
  for (std::size_t k = 0; k < n_items; ++k) {
    const Index column = column_of[items[k]];
    columns[kept] = column - 1;
    row_of_item[kept] = row_of_item[k];
    kept += column != 0 ? 1 : 0;
  }
  const std::size_t bits = child.table.words * child.table.stride * sizeof(Word);
  const bool listed =
      columns_ == Columns::lists || (bits > tuning::listed_table_bytes &&
                                     bits > tuning::listed_table_ratio * 2 * kept * sizeof(Index));
  if (listed) {
    list_columns({columns, kept}, {row_of_item, kept}, child);
  } else {
    child.table.bundle.assign(child.table.words * child.table.stride, 0);
    Word* bundle = child.table.bundle.data();
    const std::size_t stride = child.table.stride;
    for (std::size_t k = 0; k < kept; ++k) {
      const std::size_t row = row_of_item[k];
      bundle[row / word_bits * stride + columns[k]] |= Word{1} << (row % word_bits);
    }
  }
  if (!listed && (n <= tuning::listed_columns || n_rows <= tuning::listed_rows)) {
    child.table.forget_items();
  } else {
    // The end of each row's items; a row without items ends where the row before it ends.
    child.table.items.offsets.assign(n_rows + 1, 0);
    std::uint64_t* ends = child.table.items.offsets.data();
    for (std::size_t k = 0; k < kept; ++k) ends[row_of_item[k] + 1] = k + 1;
    for (std::size_t i = 0; i < n_rows; ++i) ends[i + 1] = std::max(ends[i], ends[i + 1]);
  }
  for (const Index item : lists_.kept) lists_.column_of[item] = 0;
}

/// Prepares lists of these lengths: offsets[i + 1] is where the next value of list i goes, and its
/// end when all values are there.
void Search::start_lists(std::span<const Index> lengths, Lists& lists) {
  lists.offsets.assign(lengths.size() + 1, 0);
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    lists.offsets[i + 1] = begin;
    begin += lengths[i];
  }
}

/// child.table.columns := the rows of each column, from pairs of a column and a row in the order of
/// the rows.
void Search::list_columns(std::span<const Index> columns, std::span<const Index> rows,
                          Node& child) {
  child.table.bundle.clear();
  child.table.stride = 0;
  Lists& lists = child.table.columns;
  lists.values.resize(columns.size());
  start_lists(child.table.counts, lists);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    lists.values[lists.offsets[columns[k] + 1]++] = rows[k];
  }
}

/// A node's table from its rows in the whole table.
void Search::gather_rows(Node& node) {
  if (keeps_rare_ && node.table.n_rows <= word_bits) {
    gather_few_rows(node);
  } else {
    gather(table_.rows(), node.table.rows, {}, node);
  }
}

/// The table of a node of at most 64 rows, with the columns of infrequent attributes.
void Search::gather_few_rows(Node& child) {
  child.rare.known = true;
  child.rare.maximal = false;
  child.rare.columns.clear();
  child.rare.single_rows = 0;
  const std::size_t n_items = take_items(table_.table().rows(), child.table.rows);
  gather_words(child, n_items, [&](Index attribute) { return table_.rank(attribute); });
  // A rare column stays rare in all descendants, so a column that contains another one makes it
  // superfluous for good.
  if (is_leaf(child)) return;
  keep_maximal(child.rare.columns, rare_.sets);
  child.rare.maximal = true;
}

/// Fills the table of a child of at most 64 rows from lists_.items in one pass: a column is a word.
/// `rank_of(item)` is the rank of one that stays.
template <class RankOf>
void Search::gather_words(Node& child, std::size_t n_items, const RankOf& rank_of) {
  const Table& table = table_.table();
  child.table.planes.n = 0;
  if (table.weighted()) {
    child.table.planes.assign(child.table.n_rows,
                              [&](std::size_t i) { return table.weight(child.table.rows[i]); });
  }
  lists_.present.resize(n_items);
  Word* words = lists_.column_words.data();
  Index* present = lists_.present.data();
  // A number takes fewer instructions than a pointer where it grows by 0 or 1.
  std::size_t n_present = 0;
  const Index* items = lists_.items.data();
  const Index* row_of_item = lists_.row_of_item.data();
  for (std::size_t k = 0; k < n_items; ++k) {
    const Index item = items[k];
    const Word before = words[item];
    present[n_present] = item;
    n_present += before == 0 ? 1 : 0;
    words[item] = before | Word{1} << row_of_item[k];
  }
  lists_.present.resize(n_present);
  child.table.forget_items();
  lists_.kept.clear();
  if (child.rare.known && child.table.planes.n == 0) set_alone_aside(child);
  const Word all = tail_mask(child.table.n_rows);
  bool leaf = !covers_;
  for (const Index item : lists_.present) {
    const Word column = words[item];
    if (column != all && child.table.planes.weigh(column) >= least_support_) {
      lists_.kept.push_back(item);
      leaf = leaf && static_cast<std::int64_t>(rank_of(item)) <= child.last;
      continue;
    }
    words[item] = 0;
    if (child.rare.known && column != all) add_rare(child, column);
  }
  if (leaf) {
    for (const Index item : lists_.kept) words[item] = 0;
    clear_table(child);
    return;
  }
  std::ranges::sort(lists_.kept, {}, rank_of);
  const std::size_t n = lists_.kept.size();
  child.table.words = 1;
  child.table.stride = bundle_stride(n);
  child.table.ranks.resize(n);
  child.table.counts.resize(n);
  child.table.supports.resize(child.table.planes.n == 0 ? 0 : n);
  child.table.bundle.assign(child.table.stride, 0);
  for (std::size_t c = 0; c < n; ++c) {
    const Word column = std::exchange(words[lists_.kept[c]], 0);
    child.table.ranks[c] = rank_of(lists_.kept[c]);
    child.table.bundle[c] = column;
    child.table.counts[c] = static_cast<Index>(count_bits(column));
    if (child.table.planes.n != 0)
      child.table.supports[c] = static_cast<Index>(child.table.planes.weigh(column));
  }
}

/// Takes those of one row out of lists_.present, where every row is one object: they are
/// infrequent. Branch-free, because their order is unpredictable: stability of T10I4D100K and
/// retail takes 5 % longer if the loop over lists_.present tests each of them.
void Search::set_alone_aside(Node& child) {
  Word* words = lists_.column_words.data();
  Index* next = lists_.present.data();
  Word alone = 0;
  for (const Index item : lists_.present) {
    const Word column = words[item];
    const Word several = has_several(column);
    *next = item;
    next += several;
    words[item] = column & (0 - several);
    alone |= column & (several - 1);
  }
  lists_.present.resize(static_cast<std::size_t>(next - lists_.present.data()));
  child.rare.single_rows = alone;
}

/// The column of an attribute that is infrequent among the child's rows.
void Search::add_rare(Node& child, Word column) {
  if ((column & (column - 1)) != 0) {
    child.rare.columns.push_back(column);
  } else {
    child.rare.single_rows |= column;
  }
}

}  // namespace conceptrank
