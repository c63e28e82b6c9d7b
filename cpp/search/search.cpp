#include "cpp/search/search.hpp"

#include <algorithm>

#include "cpp/base/tuning.hpp"

namespace conceptrank {
Search::Search(const SearchTable& table, bool covers, Columns columns)
    : table_(table),
      covers_(covers),
      columns_(columns),
      least_support_(
          std::max<std::uint64_t>(covers ? table.least_cover_support() : table.min_support(), 1)),
      // With covers, merging pays only for large minimum supports.
      merges_rows_(!covers || table.least_cover_support() < table.min_support()),
      keeps_rare_(table.iceberg() && !merges_rows_),
      kernels_(kernels()) {
  lists_.occurrences.assign(table.n_ranks(), 0);
  lists_.extra_objects.assign(table.table().weighted() ? table.n_ranks() : 0, 0);
  lists_.column_of.assign(table.n_ranks(), 0);
  lists_.column_words.assign(table.table().n_attributes(), 0);
  faces_.hidden_counts.assign(table.table().n_attributes(), 0);
}

void Search::expand(Node& node) {
  node.branches.clear();
  node.contained_in.clear();
  if (node.table.whole()) {
    expand_root(node);
    return;
  }
  if (node.table.listed()) {
    expand_listed(node);
    return;
  }
  const std::size_t n = node.table.n_columns();
  if (n == 0) return;
  work_ += node.table.bundle.size();
  if (n > tuning::sparse_columns && node.table.numbered()) {
    std::size_t items = 0;
    for (const Index count : node.table.counts) items += count;
    if (n * node.table.words * node.table.n_rows > tuning::sparse_cost * items) {
      expand_sparse(node);
      return;
    }
  }
  expand_dense(node);
}

/// The first column of a higher rank than the attribute that generated the node. Only columns from
/// there on lead to children.
std::size_t Search::first_later(const Node& node) {
  const auto after = std::ranges::upper_bound(
      node.table.ranks, node.last, {}, [](Index rank) { return static_cast<std::int64_t>(rank); });
  return static_cast<std::size_t>(after - node.table.ranks.begin());
}

/// The first column that may lead a branch.
std::size_t Search::first_leader(const Node& node) const { return covers_ ? 0 : first_later(node); }

void Search::expand_dense(Node& node) {
  const std::size_t n = node.table.n_columns();
  const std::size_t set_words = words_for(node.table.stride);
  // All sets at once would take n * n bits, which is too much memory for a wide table.
  const std::size_t step = std::min(n, std::max(word_bits, tuning::superset_words / set_words));
  expansion_.complement.resize(
      std::max(expansion_.complement.size(), node.table.words * node.table.stride));
  expansion_.leaders.resize(std::max(expansion_.leaders.size(), step));
  expansion_.supersets.resize(std::max(expansion_.supersets.size(), (step + 1) * set_words));
  expansion_.members.resize(std::max(expansion_.members.size(), n));
  const std::size_t old = first_later(node);
  for (std::size_t first = first_leader(node); first < n; first += step) {
    if (step < n && stopped_at(0, 1)) break;
    const std::size_t found =
        kernels_.leaders(node.table.bundle.data(), first, std::min(first + step, n),
                         node.table.stride, node.table.words, expansion_.complement.data(),
                         expansion_.leaders.data(), expansion_.supersets.data());
    for (std::size_t k = 0; k < found; ++k) {
      const Word* set = expansion_.supersets.data() + k * set_words;
      const Index leader = expansion_.leaders[k];
      if (leader < old && !is_maximal(node, leader, {set, set_words})) continue;
      Index* next = expansion_.members.data();
      for_each_bit(set, set_words, [&](std::size_t c) { *next++ = static_cast<Index>(c); });
      add_branch(node, leader, {expansion_.members.data(), next});
    }
  }
}

/// Whether all columns in `supersets`, which contain this one, are equal to it.
bool Search::is_maximal(const Node& node, Index column, std::span<const Word> supersets) {
  const Index count = node.table.counts[column];
  for (std::size_t w = 0; w < supersets.size(); ++w) {
    for (Word rest = supersets[w]; rest != 0; rest &= rest - 1) {
      if (node.table.counts[w * word_bits + lowest_bit(rest)] != count) return false;
    }
  }
  return true;
}

/// The supersets of a column are among the items of any of its rows. Start with the items of the
/// first row, and drop at each further row those that it lacks. After a few rows only the column
/// itself is left.
void Search::expand_sparse(Node& node) {
  const std::size_t n = node.table.n_columns();
  const bool listed = node.table.items.size() != 0;
  for (std::size_t c = 0; c < n; ++c)
    lists_.column_of[node.table.ranks[c]] = static_cast<Index>(c + 1);
  node.table.containers.resize(n, SearchTable::no_rank);
  const std::size_t later = first_later(node);
  // A column that was a subset of another one in the parent still is, unless all rows have the
  // other one now.
  const auto known_inside = [&](std::size_t c) {
    const Index rank = node.table.containers[c];
    const Index other = rank == SearchTable::no_rank ? 0 : lists_.column_of[rank];
    if (other == 0) return false;
    return other - 1 < c || (c < later && node.table.counts[c] < node.table.counts[other - 1]);
  };
  const auto start = [&](std::size_t c, std::size_t row) {
    if (listed) {
      for (const Index other : node.table.items[row]) {
        if (node.table.counts[other] >= node.table.counts[c]) expansion_.members.push_back(other);
      }
    } else {
      for (const Index rank : table_.row(node.table.rows[row])) {
        const Index other = lists_.column_of[rank];
        if (other != 0 && node.table.counts[other - 1] >= node.table.counts[c])
          expansion_.members.push_back(other - 1);
      }
    }
  };
  for (std::size_t c = first_leader(node); c < n; ++c) {
    if (stopped_at(c, tuning::sparse_pause)) break;
    if (known_inside(c)) continue;
    expansion_.members.clear();
    bool first = true;
    for (std::size_t w = 0; w < node.table.words && (first || expansion_.members.size() > 1); ++w) {
      for (Word word = node.table.bundle[w * node.table.stride + c]; word != 0; word &= word - 1) {
        const std::size_t bit = lowest_bit(word);
        if (first) {
          start(c, w * word_bits + bit);
          first = false;
        } else {
          std::erase_if(expansion_.members, [&](Index other) {
            return (node.table.bundle[w * node.table.stride + other] >> bit & 1) == 0;
          });
        }
        if (expansion_.members.size() == 1) break;
      }
    }
    if (expansion_.members.front() == c)
      add_branch(node, static_cast<Index>(c), expansion_.members);
    if (expansion_.members.size() > 1) {
      node.table.containers[c] =
          node.table.ranks[expansion_.members[expansion_.members.front() == c ? 1 : 0]];
    }
  }
  for (std::size_t c = 0; c < n; ++c) lists_.column_of[node.table.ranks[c]] = 0;
}

/// Passes on which columns are known to be subsets of others.
void Search::inherit_containers(const Node& parent, Node& child) {
  child.table.containers.clear();
  if (parent.table.containers.empty() || child.table.n_columns() <= tuning::sparse_columns) return;
  std::size_t at = 0;
  for (const Index rank : child.table.ranks) {
    while (parent.table.ranks[at] != rank) ++at;
    child.table.containers.push_back(parent.table.containers[at]);
  }
}

/// Expands a node whose columns are lists. The supersets of a column are among those of its first
/// row; each further row drops those that it lacks. `rows_of(c)` are the rows of a column,
/// `columns_of(r, take)` calls `take` for the columns of a row, `has(r, c)` tests one.
template <class RowsOf, class ColumnsOf, class Has>
void Search::expand_lists(Node& node, std::size_t pause, const RowsOf& rows_of,
                          const ColumnsOf& columns_of, const Has& has) {
  for (std::size_t c = first_leader(node); c < node.table.n_columns(); ++c) {
    if (stopped_at(c, pause)) break;
    const std::span<const Index> rows = rows_of(c);
    expansion_.members.clear();
    columns_of(rows.front(), [&](Index other) {
      if (node.table.counts[other] >= node.table.counts[c]) expansion_.members.push_back(other);
    });
    for (std::size_t i = 1; i < rows.size() && expansion_.members.size() > 1; ++i) {
      std::erase_if(expansion_.members, [&](Index other) { return !has(rows[i], other); });
    }
    if (expansion_.members.front() == c)
      add_branch(node, static_cast<Index>(c), expansion_.members);
  }
}

/// Expands the root of a sparse table from the lists of the whole table.
void Search::expand_root(Node& node) {
  const std::size_t n = node.table.n_columns();
  for (std::size_t c = 0; c < n; ++c)
    lists_.column_of[node.table.ranks[c]] = static_cast<Index>(c + 1);
  expand_lists(
      node, tuning::root_pause, [&](std::size_t c) { return table_.column(node.table.ranks[c]); },
      [&](Index row, const auto& take) {
        for (const Index rank : table_.row(row)) {
          if (lists_.column_of[rank] != 0) take(lists_.column_of[rank] - 1);
        }
      },
      [&](Index row, Index c) {
        return std::ranges::binary_search(table_.row(row), node.table.ranks[c]);
      });
  for (std::size_t c = 0; c < n; ++c) lists_.column_of[node.table.ranks[c]] = 0;
}

void Search::expand_listed(Node& node) {
  work_ += node.table.items.offsets.back();
  expand_lists(
      node, tuning::root_pause, [&](std::size_t c) { return node.table.columns[c]; },
      [&](Index row, const auto& take) { std::ranges::for_each(node.table.items[row], take); },
      [&](Index row, Index c) { return std::ranges::binary_search(node.table.items[row], c); });
}

/// Adds the branch of a column that has the lowest rank among the columns that contain it. Its
/// closure adds nothing of a lower rank, so it is a child if it comes after the attribute that
/// generated this node. It is a lower cover if and only if all these columns are equal to it.
void Search::add_branch(Node& node, Index column, std::span<const Index> supersets) {
  Branch branch;
  branch.column = column;
  branch.cover = covers_ && std::ranges::all_of(supersets, [&](Index other) {
                   return node.table.counts[other] == node.table.counts[column];
                 });
  branch.support = node.table.support_of(column);
  branch.child = static_cast<std::int64_t>(node.table.ranks[column]) > node.last &&
                 branch.support >= table_.min_support() &&
                 (node.last >= 0 || table_.has_child(node.table.ranks[column]));
  if (!branch.cover && !branch.child) return;
  branch.begin = static_cast<std::uint32_t>(node.contained_in.size());
  node.contained_in.insert(node.contained_in.end(), supersets.begin(), supersets.end());
  branch.end = static_cast<std::uint32_t>(node.contained_in.size());
  node.branches.push_back(branch);
}

std::uint64_t Search::child_hash(const Node& node, const Branch& branch) const {
  std::uint64_t hash = node.hash;
  for (std::uint32_t i = branch.begin; i < branch.end; ++i) {
    hash ^= table_.key(node.table.ranks[node.contained_in[i]]);
  }
  return hash;
}

}  // namespace conceptrank
