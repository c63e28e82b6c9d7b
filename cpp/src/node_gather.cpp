// Tables of nodes from the lists of their rows (occurrence deliver: Uno, Asai, Uchida and Arimura
// 2003).
#include <algorithm>
#include <utility>

#include "conceptrank/search.hpp"

namespace conceptrank {
namespace {

// Tables with more columns and rows than this keep their rows as lists as well.
constexpr std::size_t listed_columns = 32;
constexpr std::size_t listed_rows = 64;

}  // namespace

/// The child's table from the lists of its rows, `chosen` among `lists`: count the items, keep
/// those that enough but not all rows have, set their bits. Items are ranks, or places in `ranks`.
void Search::gather(const Lists& lists, std::span<const Index> chosen, std::span<const Index> ranks,
                    Node& child) {
  if (child.n_rows <= word_bits) {
    gather_words(
        child, [&](std::size_t i) { return lists[chosen[i]]; },
        [&](Index item) { return ranks.empty() ? item : ranks[item]; });
    return;
  }
  const Table& table = table_.table();
  child.planes.n = 0;
  if (table.weighted()) {
    child.planes.assign(child.rows.size(),
                        [&](std::size_t i) { return table.weight(child.rows[i]); });
  }
  const bool weighted = child.planes.n != 0;
  // Plain pointers: the compiler need not fear that one array's end lies in another.
  const std::uint64_t* offsets = lists.offsets.data();
  const Index* values = lists.values.data();
  Index* occurrences = occurrences_.data();
  std::size_t n_items = 0;
  for (const Index r : chosen) n_items += offsets[r + 1] - offsets[r];
  // Few different items can all be looked through afterwards, many can't.
  const std::size_t n_different = ranks.empty() ? table_.n_ranks() : ranks.size();
  const bool few = n_different <= 4 * n_items;
  // What heavy rows add to the number of rows. They are few as a rule.
  Index* further = further_.data();
  const auto add_further = [&](auto&& counted) {
    for (std::size_t i = 0; weighted && i < chosen.size(); ++i) {
      const Index weight = table.weight(child.rows[i]);
      if (weight == 1) continue;
      for (const Index item : lists[chosen[i]]) {
        if (counted(item)) further[item] += weight - 1;
      }
    }
  };
  const auto support = [&](std::size_t item) {
    return weighted ? occurrences[item] + further[item] : occurrences[item];
  };
  if (!few) {
    kept_.resize(n_items);
    Index* next = kept_.data();
    for (const Index r : chosen) {
      for (std::uint64_t k = offsets[r]; k < offsets[r + 1]; ++k) {
        *next = values[k];
        next += occurrences[values[k]]++ == 0 ? 1 : 0;
      }
    }
    kept_.resize(static_cast<std::size_t>(next - kept_.data()));
    add_further([](Index) { return true; });
  } else {
    // Without covers most children are leaves: nothing after the attribute that generated them is
    // frequent. So what comes after it is counted first.
    Index after = 0;
    if (!covers_ && child.last >= 0) {
      const auto last = static_cast<Index>(child.last);
      after = ranks.empty()
                  ? last + 1
                  : static_cast<Index>(std::ranges::upper_bound(ranks, last) - ranks.begin());
    }
    for (const Index r : chosen) {
      for (std::uint64_t k = offsets[r + 1]; k > offsets[r] && values[k - 1] >= after; --k) {
        ++occurrences[values[k - 1]];
      }
    }
    add_further([&](Index item) { return item >= after; });
    if (after != 0) {
      const auto least = static_cast<Index>(least_support_);
      const auto all = static_cast<Index>(chosen.size());
      Index found = 0;
      for (std::size_t item = after; item < n_different; ++item) {
        found |= Index{support(item) >= least} & Index{occurrences[item] < all};
      }
      if (found == 0) {
        std::fill(occurrences + after, occurrences + n_different, Index{0});
        if (weighted) std::fill(further + after, further + n_different, Index{0});
        clear_table(child);
        return;
      }
      for (const Index r : chosen) {
        for (std::uint64_t k = offsets[r]; k < offsets[r + 1] && values[k] < after; ++k) {
          ++occurrences[values[k]];
        }
      }
      add_further([&](Index item) { return item < after; });
    }
  }
  const auto stays = [&](Index item) {
    return support(item) >= least_support_ && occurrences[item] < chosen.size();
  };
  child.ranks.clear();
  members_.clear();
  if (few) {
    for (std::size_t item = 0; item < n_different; ++item) {
      if (stays(static_cast<Index>(item))) members_.push_back(static_cast<Index>(item));
    }
  } else {
    for (const Index item : kept_) {
      if (stays(item)) members_.push_back(item);
    }
    std::ranges::sort(members_);
  }
  child.ranks.resize(members_.size());
  for (std::size_t c = 0; c < members_.size(); ++c) {
    child.ranks[c] = ranks.empty() ? members_[c] : ranks[members_[c]];
  }
  const std::size_t n = members_.size();
  child.words = words_for(chosen.size());
  child.stride = bundle_stride(n);
  child.counts.resize(n);
  child.supports.resize(weighted ? n : 0);
  for (std::size_t c = 0; c < n; ++c) {
    child.counts[c] = occurrences[members_[c]];
    if (weighted) child.supports[c] = support(members_[c]);
    column_of_[members_[c]] = static_cast<Index>(c + 1);
  }
  child.items.values.clear();
  child.items.offsets.resize(1);
  child.bundle.assign(child.words * child.stride, 0);
  if (n != 0) {
    const bool listed = n > listed_columns && chosen.size() > listed_rows;
    const Index* column_of = column_of_.data();
    child.items.values.resize(listed ? n_items + 1 : 1);
    Word sink = 0;
    Index* next = child.items.values.data();
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      Word* plane = child.bundle.data() + i / word_bits * child.stride;
      const Word bit = Word{1} << (i % word_bits);
      // No branch: whether an item stays can't be foreseen.
      for (std::uint64_t k = offsets[chosen[i]]; k < offsets[chosen[i] + 1]; ++k) {
        const Index column = column_of[values[k]];
        *(column != 0 ? plane + column - 1 : &sink) |= bit;
        *next = column - 1;
        next += listed && column != 0 ? 1 : 0;
      }
      if (listed) {
        child.items.offsets.push_back(static_cast<std::size_t>(next - child.items.values.data()));
      }
    }
    child.items.values.resize(listed ? child.items.offsets.back() : 0);
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
  const Table& table = table_.table();
  child.rare_known = true;
  child.rare.clear();
  child.rare_alone = 0;
  gather_words(
      child, [&](std::size_t i) { return table.row(child.rows[i]); },
      [&](Index attribute) { return table_.rank(attribute); });
  // Neither will be frequent further down, so the larger one goes on hiding the smaller.
  keep_maximal(child.rare, columns_);
}

/// Fills the table of a child of at most 64 rows in one pass: a column is a word. `row_of(i)` gives
/// the items of its i-th row, `rank_of(item)` the rank of one that stays.
template <class RowOf, class RankOf>
void Search::gather_words(Node& child, const RowOf& row_of, const RankOf& rank_of) {
  const Table& table = table_.table();
  child.planes.n = 0;
  if (table.weighted()) {
    child.planes.assign(child.n_rows, [&](std::size_t i) { return table.weight(child.rows[i]); });
  }
  std::size_t n_items = 0;
  for (std::size_t i = 0; i < child.n_rows; ++i) n_items += row_of(i).size();
  kept_.resize(n_items);
  Word* words = column_words_.data();
  Index* next = kept_.data();
  for (std::size_t i = 0; i < child.n_rows; ++i) {
    const Word bit = Word{1} << i;
    for (const Index item : row_of(i)) {
      *next = item;
      next += words[item] == 0 ? 1 : 0;
      words[item] |= bit;
    }
  }
  kept_.resize(static_cast<std::size_t>(next - kept_.data()));
  child.items.values.clear();
  child.items.offsets.resize(1);
  members_.clear();
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

/// The column of an attribute that is infrequent among the child's rows.
void Search::add_rare(Node& child, Word column) {
  if ((column & (column - 1)) != 0) {
    child.rare.push_back(column);
  } else {
    child.rare_alone |= column;
  }
}

}  // namespace conceptrank
