#include "cpp/search/search.hpp"

#include <algorithm>

namespace conceptrank {
namespace {

// Above this many columns, supersets of a column are looked for among the items of its first row
// instead of among all columns if one such item is cheaper than so many words.
constexpr std::size_t sparse_columns = 96;
constexpr std::size_t sparse_cost = 64;

// The supersets of the columns of a wide table are found for so many words at a time, which is 16
// MB.
constexpr std::size_t superset_words = std::size_t{1} << 21;

// A long expansion asks every so many columns whether to end.
constexpr std::size_t sparse_pause = 1024;
constexpr std::size_t root_pause = 64;

}  // namespace

Search::Search(const SearchTable& table, bool covers)
    : table_(table),
      covers_(covers),
      least_support_(
          std::max<std::uint64_t>(covers ? table.least_cover_support() : table.min_support(), 1)),
      // With covers it pays for large minimum supports only.
      merging_(!covers || table.least_cover_support() < table.min_support()),
      rare_matter_(table.iceberg() && !merging_),
      kernels_(kernels()),
      occurrences_(table.n_ranks(), 0),
      further_(table.table().weighted() ? table.n_ranks() : 0, 0),
      column_of_(table.n_ranks(), 0),
      hidden_count_(table.table().n_attributes(), 0),
      column_words_(table.table().n_attributes(), 0) {}

void Search::expand(Node& node) {
  node.branches.clear();
  node.contained_in.clear();
  if (node.root) {
    expand_root(node);
    return;
  }
  const std::size_t n = node.n_columns();
  if (n == 0) return;
  work_ += node.bundle.size();
  if (n > sparse_columns && node.numbered) {
    std::size_t items = 0;
    for (const Index count : node.counts) items += count;
    if (n * node.words * node.n_rows > sparse_cost * items) {
      expand_sparse(node);
      if (lists_rare(node)) list_rare(node);
      return;
    }
  }
  expand_dense(node);
  if (lists_rare(node)) list_rare(node);
}

/// The first column of a rank after the attribute that generated the node: only from there on
/// columns lead to children.
std::size_t Search::first_later(const Node& node) {
  const auto after = std::ranges::upper_bound(
      node.ranks, node.last, {}, [](Index rank) { return static_cast<std::int64_t>(rank); });
  return static_cast<std::size_t>(after - node.ranks.begin());
}

/// The first column that may have to lead a branch.
std::size_t Search::first_leader(const Node& node) const { return covers_ ? 0 : first_later(node); }

void Search::expand_dense(Node& node) {
  const std::size_t n = node.n_columns();
  const std::size_t set_words = words_for(node.stride);
  // All sets at once would take n * n bits, which no budget could allow in a wide table.
  const std::size_t step = std::min(n, std::max(word_bits, superset_words / set_words));
  complement_.resize(std::max(complement_.size(), node.words * node.stride));
  leaders_.resize(std::max(leaders_.size(), step));
  supersets_.resize(std::max(supersets_.size(), (step + 1) * set_words));
  const std::size_t old = first_later(node);
  for (std::size_t first = first_leader(node); first < n; first += step) {
    if (step < n && stopped_at(0, 1)) break;
    const std::size_t found =
        kernels_.leaders(node.bundle.data(), first, std::min(first + step, n), node.stride,
                         node.words, complement_.data(), leaders_.data(), supersets_.data());
    for (std::size_t k = 0; k < found; ++k) {
      const Word* set = supersets_.data() + k * set_words;
      const Index leader = leaders_[k];
      if (leader < old && !is_maximal(node, leader, {set, set_words})) continue;
      members_.clear();
      for_each_bit(set, set_words,
                   [&](std::size_t c) { members_.push_back(static_cast<Index>(c)); });
      add_branch(node, leader, members_);
    }
  }
}

/// Whether all columns in `supersets`, which contain this one, are equal to it.
bool Search::is_maximal(const Node& node, Index column, std::span<const Word> supersets) {
  const Index count = node.counts[column];
  for (std::size_t w = 0; w < supersets.size(); ++w) {
    for (Word rest = supersets[w]; rest != 0; rest &= rest - 1) {
      if (node.counts[w * word_bits + lowest_bit(rest)] != count) return false;
    }
  }
  return true;
}

/// Supersets of a column are among the items of any of its rows: start with those of the first one
/// and drop, row by row, what is not there. A few rows leave only the column itself.
void Search::expand_sparse(Node& node) {
  const std::size_t n = node.n_columns();
  const bool listed = node.items.size() != 0;
  for (std::size_t c = 0; c < n; ++c) column_of_[node.ranks[c]] = static_cast<Index>(c + 1);
  node.inside.resize(n, SearchTable::no_rank);
  const std::size_t later = first_later(node);
  // What lay inside another column in the parent still does, unless all rows have that one now.
  const auto known_inside = [&](std::size_t c) {
    const Index rank = node.inside[c];
    const Index other = rank == SearchTable::no_rank ? 0 : column_of_[rank];
    if (other == 0) return false;
    return other - 1 < c || (c < later && node.counts[c] < node.counts[other - 1]);
  };
  const auto start = [&](std::size_t c, std::size_t row) {
    if (listed) {
      for (const Index other : node.items[row]) {
        if (node.counts[other] >= node.counts[c]) members_.push_back(other);
      }
    } else {
      for (const Index rank : table_.row(node.rows[row])) {
        const Index other = column_of_[rank];
        if (other != 0 && node.counts[other - 1] >= node.counts[c]) members_.push_back(other - 1);
      }
    }
  };
  for (std::size_t c = first_leader(node); c < n; ++c) {
    if (stopped_at(c, sparse_pause)) break;
    if (known_inside(c)) continue;
    members_.clear();
    bool first = true;
    for (std::size_t w = 0; w < node.words && (first || members_.size() > 1); ++w) {
      for (Word word = node.bundle[w * node.stride + c]; word != 0; word &= word - 1) {
        const std::size_t bit = lowest_bit(word);
        if (first) {
          start(c, w * word_bits + bit);
          first = false;
        } else {
          std::erase_if(members_, [&](Index other) {
            return (node.bundle[w * node.stride + other] >> bit & 1) == 0;
          });
        }
        if (members_.size() == 1) break;
      }
    }
    if (members_.front() == c) add_branch(node, static_cast<Index>(c), members_);
    if (members_.size() > 1) {
      node.inside[c] = node.ranks[members_[members_.front() == c ? 1 : 0]];
    }
  }
  for (std::size_t c = 0; c < n; ++c) column_of_[node.ranks[c]] = 0;
}

/// Hands down what is known to lie inside what.
void Search::inherit_inside(const Node& parent, Node& child) {
  child.inside.clear();
  if (parent.inside.empty() || child.n_columns() <= sparse_columns) return;
  std::size_t at = 0;
  for (const Index rank : child.ranks) {
    while (parent.ranks[at] != rank) ++at;
    child.inside.push_back(parent.inside[at]);
  }
}

/// The same from the lists of the whole table.
void Search::expand_root(Node& node) {
  const std::size_t n = node.n_columns();
  for (std::size_t c = 0; c < n; ++c) column_of_[node.ranks[c]] = static_cast<Index>(c + 1);
  for (std::size_t c = 0; c < n; ++c) {
    if (stopped_at(c, root_pause)) break;
    const auto rows = table_.column(node.ranks[c]);
    members_.clear();
    for (const Index rank : table_.row(rows.front())) {
      const Index other = column_of_[rank];
      if (other != 0 && node.counts[other - 1] >= node.counts[c]) members_.push_back(other - 1);
    }
    for (std::size_t i = 1; i < rows.size() && members_.size() > 1; ++i) {
      const auto row = table_.row(rows[i]);
      std::erase_if(members_, [&](Index other) {
        return !std::ranges::binary_search(row, node.ranks[other]);
      });
    }
    if (members_.front() == c) add_branch(node, static_cast<Index>(c), members_);
  }
  for (std::size_t c = 0; c < n; ++c) column_of_[node.ranks[c]] = 0;
}

/// `column` leads the columns that contain it, so its closure adds nothing of a lower rank: it is a
/// child if it comes after the attribute that generated this node. It is a lower cover iff all
/// these columns are equal to it.
void Search::add_branch(Node& node, Index column, std::span<const Index> supersets) {
  Branch branch;
  branch.column = column;
  branch.cover = covers_ && std::ranges::all_of(supersets, [&](Index other) {
                   return node.counts[other] == node.counts[column];
                 });
  branch.support = node.support_of(column);
  branch.child = static_cast<std::int64_t>(node.ranks[column]) > node.last &&
                 branch.support >= table_.min_support();
  if (!branch.cover && !branch.child) return;
  branch.begin = static_cast<std::uint32_t>(node.contained_in.size());
  node.contained_in.insert(node.contained_in.end(), supersets.begin(), supersets.end());
  branch.end = static_cast<std::uint32_t>(node.contained_in.size());
  node.branches.push_back(branch);
}

std::uint64_t Search::child_hash(const Node& node, const Branch& branch) const {
  std::uint64_t hash = node.hash;
  for (std::uint32_t i = branch.begin; i < branch.end; ++i) {
    hash ^= table_.key(node.ranks[node.contained_in[i]]);
  }
  return hash;
}

}  // namespace conceptrank
