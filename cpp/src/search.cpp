#include "conceptrank/search.hpp"

#include <algorithm>
#include <numeric>

#include "conceptrank/random.hpp"

namespace conceptrank {
namespace {

// Above this many columns, and with rows this much shorter than that, supersets of a column are
// looked for among the items of its first row instead of among all columns.
constexpr std::size_t sparse_columns = 96;
constexpr std::size_t sparse_ratio = 4;

// From this density on, frequent attributes come first.
constexpr double dense_order = 0.1;

// Cost of setting one bit from a row's list, in units of moving one word of a column.
constexpr std::size_t gather_cost = 5;

}  // namespace

SearchTable::SearchTable(const Table& table, Order order, std::uint64_t salt)
    : table_(&table), attribute_of_rank_(table.n_attributes()) {
  std::iota(attribute_of_rank_.begin(), attribute_of_rank_.end(), Index{0});
  // Rare attributes first: tables get small near the root, and subtrees do not differ much in size.
  // In dense tables frequent attributes first settle more columns at the first superset.
  const double cells = static_cast<double>(table.n_rows()) * static_cast<double>(n_attributes());
  std::size_t crosses = 0;
  for (std::size_t m = 0; m < n_attributes(); ++m) crosses += table.column(m).size();
  const bool dense = order == Order::fastest && static_cast<double>(crosses) > dense_order * cells;
  std::ranges::stable_sort(attribute_of_rank_, [&](Index a, Index b) {
    return dense ? table.column(a).size() > table.column(b).size()
                 : table.column(a).size() < table.column(b).size();
  });
  mean_row_size_ = table.n_rows() == 0 ? 0 : (crosses + table.n_rows() - 1) / table.n_rows();
  std::vector<Index> rank_of(table.n_attributes());
  for (std::size_t rank = 0; rank < attribute_of_rank_.size(); ++rank) {
    rank_of[attribute_of_rank_[rank]] = static_cast<Index>(rank);
  }
  rows_.offsets.reserve(table.n_rows() + 1);
  for (std::size_t r = 0; r < table.n_rows(); ++r) {
    for (const Index m : table.row(r)) rows_.values.push_back(rank_of[m]);
    std::sort(rows_.values.begin() + static_cast<std::ptrdiff_t>(rows_.offsets.back()),
              rows_.values.end());
    rows_.close();
  }
  keys_.reserve(table.n_attributes());
  for (std::size_t rank = 0; rank < table.n_attributes(); ++rank) {
    keys_.push_back(mix(mix(salt) + rank));
    key_of_all_ ^= keys_.back();
  }
}

Search::Search(const SearchTable& table, std::uint64_t min_support)
    : table_(table),
      min_support_(min_support),
      kernels_(kernels()),
      occurrences_(table.n_attributes(), 0),
      column_of_(table.n_attributes(), 0) {}

void Search::make_root(Node& node) const {
  const Table& table = table_.table();
  node = Node{};
  node.root = true;
  node.support = table.n_objects();
  for (std::size_t rank = 0; rank < table_.n_attributes(); ++rank) {
    const std::size_t count = table_.column(rank).size();
    if (count == table.n_rows()) {
      node.intent.push_back(table_.attribute(rank));
      node.hash ^= table_.key(rank);
    } else if (count > 0) {
      node.ranks.push_back(static_cast<Index>(rank));
      node.counts.push_back(static_cast<Index>(count));
    }
  }
  std::ranges::sort(node.intent);
}

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
  if (n > sparse_columns) {
    std::size_t items = 0;
    for (const Index count : node.counts) items += count;
    if (n * node.rows.size() > sparse_ratio * items) {
      expand_sparse(node);
      return;
    }
  }
  expand_dense(node);
}

void Search::expand_dense(Node& node) {
  const std::size_t n = node.n_columns();
  const std::size_t set_words = words_for(node.stride);
  complement_.resize(std::max(complement_.size(), node.words * node.stride));
  leaders_.resize(std::max(leaders_.size(), n));
  supersets_.resize(std::max(supersets_.size(), (n + 1) * set_words));
  const std::size_t found =
      kernels_.leaders(node.bundle.data(), n, node.stride, node.words, complement_.data(),
                       leaders_.data(), supersets_.data());
  for (std::size_t k = 0; k < found; ++k) {
    members_.clear();
    for_each_bit(supersets_.data() + k * set_words, set_words,
                 [&](std::size_t c) { members_.push_back(static_cast<Index>(c)); });
    add_branch(node, leaders_[k], members_);
  }
}

/// Supersets of a column are among the items of any of its rows: start with those of the first one
/// and drop, row by row, what is not there. A few rows leave only the column itself.
void Search::expand_sparse(Node& node) {
  const std::size_t n = node.n_columns();
  for (std::size_t c = 0; c < n; ++c) column_of_[node.ranks[c]] = static_cast<Index>(c + 1);
  for (std::size_t c = 0; c < n; ++c) {
    members_.clear();
    bool first = true;
    for (std::size_t w = 0; w < node.words && (first || members_.size() > 1); ++w) {
      for (Word word = node.bundle[w * node.stride + c]; word != 0; word &= word - 1) {
        const std::size_t bit = lowest_bit(word);
        if (first) {
          for (const Index rank : table_.row(node.rows[w * word_bits + bit])) {
            const Index other = column_of_[rank];
            if (other != 0 && node.counts[other - 1] >= node.counts[c]) {
              members_.push_back(other - 1);
            }
          }
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
  }
  for (std::size_t c = 0; c < n; ++c) column_of_[node.ranks[c]] = 0;
}

/// The same from the lists of the whole table.
void Search::expand_root(Node& node) {
  const std::size_t n = node.n_columns();
  for (std::size_t c = 0; c < n; ++c) column_of_[node.ranks[c]] = static_cast<Index>(c + 1);
  for (std::size_t c = 0; c < n; ++c) {
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
  branch.cover = std::ranges::all_of(
      supersets, [&](Index other) { return node.counts[other] == node.counts[column]; });
  const bool follows = static_cast<std::int64_t>(node.ranks[column]) > node.last;
  if (!branch.cover && !follows) return;
  branch.support = weigh_column(node, column);
  branch.child = follows && branch.support >= min_support_;
  if (!branch.cover && !branch.child) return;
  branch.begin = static_cast<std::uint32_t>(node.contained_in.size());
  node.contained_in.insert(node.contained_in.end(), supersets.begin(), supersets.end());
  branch.end = static_cast<std::uint32_t>(node.contained_in.size());
  node.branches.push_back(branch);
}

std::uint64_t Search::weigh_column(const Node& node, Index column) const {
  const Table& table = table_.table();
  if (node.root) return table.attribute_support(table_.attribute(node.ranks[column]));
  if (!table.weighted()) return node.counts[column];
  std::uint64_t total = 0;
  for (std::size_t w = 0; w < node.words; ++w) {
    for (Word word = node.bundle[w * node.stride + column]; word != 0; word &= word - 1) {
      total += table.weight(node.rows[w * word_bits + lowest_bit(word)]);
    }
  }
  return total;
}

std::uint64_t Search::child_hash(const Node& node, const Branch& branch) const {
  std::uint64_t hash = node.hash;
  for (std::uint32_t i = branch.begin; i < branch.end; ++i) {
    hash ^= table_.key(node.ranks[node.contained_in[i]]);
  }
  return hash;
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

  if (parent.root) {
    const auto rows = table_.column(parent.ranks[branch.column]);
    child.rows.assign(rows.begin(), rows.end());
    gather(rows, child);
    work_ += child.rows.size() * table_.mean_row_size() + child.bundle.size();
    return;
  }
  select_rows(parent, branch, child);
  const std::size_t items = child.rows.size() * table_.mean_row_size();
  if (gather_cost * items < parent.words * parent.stride) {
    gather(child.rows, child);
  } else {
    compress(parent, branch, child);
  }
  work_ += child.rows.size() + parent.words * parent.stride;
}

/// mask_ := the child's rows as a bit set over the parent's; child.rows := their numbers.
void Search::select_rows(const Node& parent, const Branch& branch, Node& child) const {
  child.rows.clear();
  for (std::size_t w = 0; w < parent.words; ++w) {
    const Word rows = parent.bundle[w * parent.stride + branch.column];
    for (Word word = rows; word != 0; word &= word - 1) {
      child.rows.push_back(parent.rows[w * word_bits + lowest_bit(word)]);
    }
  }
}

/// The child's table from its rows' lists: count the items, keep those that some but not all rows
/// have, set their bits.
void Search::gather(std::span<const Index> rows, Node& child) {
  kept_.clear();
  for (const Index r : rows) {
    for (const Index rank : table_.row(r)) {
      if (occurrences_[rank]++ == 0) kept_.push_back(rank);
    }
  }
  child.ranks.clear();
  for (const Index rank : kept_) {
    if (occurrences_[rank] < rows.size()) child.ranks.push_back(rank);
  }
  std::ranges::sort(child.ranks);
  child.words = words_for(rows.size());
  child.stride = bundle_stride(child.ranks.size());
  child.counts.clear();
  for (std::size_t c = 0; c < child.ranks.size(); ++c) {
    child.counts.push_back(occurrences_[child.ranks[c]]);
    column_of_[child.ranks[c]] = static_cast<Index>(c + 1);
  }
  child.bundle.assign(child.words * child.stride, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Word* plane = child.bundle.data() + i / word_bits * child.stride;
    const Word bit = Word{1} << (i % word_bits);
    for (const Index rank : table_.row(rows[i])) {
      const Index column = column_of_[rank];
      if (column != 0) plane[column - 1] |= bit;
    }
  }
  for (const Index rank : kept_) occurrences_[rank] = 0;
  for (const Index rank : child.ranks) column_of_[rank] = 0;
}

/// The child's table from its parent's: pack its rows together, drop what is empty or full.
void Search::compress(const Node& parent, const Branch& branch, Node& child) {
  mask_.resize(parent.words);
  for (std::size_t w = 0; w < parent.words; ++w) {
    mask_[w] = parent.bundle[w * parent.stride + branch.column];
  }
  const std::size_t n_rows = child.rows.size();
  child.words = words_for(n_rows);
  packed_.resize(std::max(packed_.size(), child.words * parent.stride));
  packed_counts_.resize(std::max(packed_counts_.size(), parent.stride));
  kernels_.compress(parent.bundle.data(), parent.stride, parent.words, mask_.data(), packed_.data(),
                    packed_counts_.data());
  kept_.clear();
  child.ranks.clear();
  child.counts.clear();
  for (std::size_t c = 0; c < parent.n_columns(); ++c) {
    const Index count = packed_counts_[c];
    if (count == 0 || count == n_rows) continue;
    kept_.push_back(static_cast<Index>(c));
    child.ranks.push_back(parent.ranks[c]);
    child.counts.push_back(count);
  }
  child.stride = bundle_stride(kept_.size());
  child.bundle.resize(child.words * child.stride);
  for (std::size_t w = 0; w < child.words; ++w) {
    const Word* from = packed_.data() + w * parent.stride;
    Word* to = child.bundle.data() + w * child.stride;
    for (std::size_t k = 0; k < kept_.size(); ++k) to[k] = from[kept_[k]];
    for (std::size_t k = kept_.size(); k < child.stride; ++k) to[k] = 0;
  }
}

ColumnSums Search::column_sums(const Node& node) {
  const Table& table = table_.table();
  ColumnSummer summer(node.support);
  for (const Index m : node.intent) summer.add(node.support, table.attribute_support(m));
  for (std::size_t c = 0; c < node.n_columns(); ++c) {
    summer.add(weigh_column(node, static_cast<Index>(c)),
               table.attribute_support(table_.attribute(node.ranks[c])));
  }
  summer.sums().unions = static_cast<double>(union_support(table, node.intent, union_));
  return summer.sums();
}

void Search::extent_faces(const Node& node, std::uint64_t excess, FaceFamily& family) const {
  const Table& table = table_.table();
  const std::size_t n_rows = node.root ? table.n_rows() : node.rows.size();
  family.reset(n_rows);
  if (table.weighted()) {
    for (std::size_t i = 0; i < n_rows; ++i) {
      family.weights().push_back(table.weight(node.root ? i : node.rows[i]));
    }
  }
  const auto fill = [&](Word* face) {
    std::fill_n(face, family.words(), ~Word{0});
    if (family.words() > 0) face[family.words() - 1] = tail_mask(n_rows);
  };
  if (above_empty_extent(node)) {
    if (n_rows > 0) fill(family.add(table_.n_attributes() - node.intent.size()));
    return;
  }
  std::uint64_t most = 0;
  for (const Branch& branch : node.branches) {
    if (branch.cover) most = std::max(most, branch.support);
  }
  for (const Branch& branch : node.branches) {
    if (!branch.cover || most - branch.support > excess) continue;
    Word* face = family.add(branch.end - branch.begin);
    fill(face);
    if (node.root) {
      for (const Index r : table_.column(node.ranks[branch.column])) {
        face[r / word_bits] &= ~(Word{1} << (r % word_bits));
      }
    } else {
      for (std::size_t w = 0; w < node.words; ++w) {
        face[w] &= ~node.bundle[w * node.stride + branch.column];
      }
    }
  }
}

}  // namespace conceptrank
