#include "conceptrank/search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "conceptrank/random.hpp"

namespace conceptrank {
namespace {

// Above this many columns, supersets of a column are looked for among the items of its first row
// instead of among all columns if one such item is cheaper than so many words.
constexpr std::size_t sparse_columns = 96;
constexpr std::size_t sparse_cost = 64;

// Tables with more columns and rows than this keep their rows as lists as well.
constexpr std::size_t listed_columns = 32;
constexpr std::size_t listed_rows = 64;

// Below this many columns rows' lists are no longer worth looking up.
constexpr std::size_t numbered_columns = 64;

// Rows are compared if there are so many, if so many columns may still be added, and if the columns
// that tell them apart became fewer by this factor since the last time.
constexpr std::size_t compared_rows = 128;
constexpr std::size_t compared_columns = 10;
constexpr double compared_again = 0.8;

// From this minimum support on, columns up to an eighth below it stay in the tables.
constexpr std::uint64_t large_support = 256;

// From this density on, even the whole table is searched as packed bits.
constexpr double dense_table = 0.1;

// Cost of setting one bit from a row's list, in units of moving one word of a column: from the
// lists of the whole table, and from those of the parent.
constexpr std::size_t gather_cost = 5;
constexpr std::size_t near_gather_cost = 3;

}  // namespace

SearchTable::SearchTable(const Table& table, std::uint64_t min_support, std::uint64_t salt)
    : table_(&table),
      min_support_(min_support),
      least_cover_support_(min_support < large_support ? min_support
                                                       : min_support - min_support / 8) {
  std::size_t crosses = 0;
  for (std::size_t m = 0; m < table.n_attributes(); ++m) {
    if (table.attribute_support(m) < least_cover_support_) continue;
    attribute_of_rank_.push_back(static_cast<Index>(m));
    crosses += table.column(m).size();
  }
  // Rare attributes first: tables get small near the root, and subtrees do not differ much in size.
  const double cells = static_cast<double>(table.n_rows()) * static_cast<double>(n_ranks());
  dense_ = static_cast<double>(crosses) > dense_table * cells;
  std::ranges::stable_sort(attribute_of_rank_, {}, [&](Index m) { return table.column(m).size(); });
  mean_row_size_ = table.n_rows() == 0 ? 0 : (crosses + table.n_rows() - 1) / table.n_rows();
  constexpr Index infrequent = std::numeric_limits<Index>::max();
  std::vector<Index> rank_of(table.n_attributes(), infrequent);
  for (std::size_t rank = 0; rank < n_ranks(); ++rank) {
    rank_of[attribute_of_rank_[rank]] = static_cast<Index>(rank);
  }
  rows_.offsets.reserve(table.n_rows() + 1);
  rows_.values.reserve(crosses);
  for (std::size_t r = 0; r < table.n_rows(); ++r) {
    for (const Index m : table.row(r)) {
      if (rank_of[m] != infrequent) rows_.values.push_back(rank_of[m]);
    }
    std::sort(rows_.values.begin() + static_cast<std::ptrdiff_t>(rows_.offsets.back()),
              rows_.values.end());
    rows_.close();
  }
  keys_.reserve(n_ranks());
  for (std::size_t rank = 0; rank < n_ranks(); ++rank) {
    keys_.push_back(mix(mix(salt) + rank));
    key_of_all_ ^= keys_.back();
  }
}

Search::Search(const SearchTable& table, bool covers)
    : table_(table),
      covers_(covers),
      least_support_(
          std::max<std::uint64_t>(covers ? table.least_cover_support() : table.min_support(), 1)),
      numbers_matter_(covers && table.iceberg()),
      merging_(!covers || table.min_support() >= large_support),
      kernels_(kernels()),
      occurrences_(table.n_ranks(), 0),
      further_(table.table().weighted() ? table.n_ranks() : 0, 0),
      column_of_(table.n_ranks(), 0),
      hidden_count_(table.table().n_attributes(), 0) {}

void Search::make_root(Node& node) {
  const Table& table = table_.table();
  node = Node{};
  node.support = table.n_objects();
  node.n_rows = table.n_rows();
  for (std::size_t rank = 0; rank < table_.n_ranks(); ++rank) {
    if (table_.column(rank).size() != table.n_rows()) continue;
    node.intent.push_back(table_.attribute(rank));
    node.hash ^= table_.key(rank);
  }
  std::ranges::sort(node.intent);
  if (table_.dense() && table.n_rows() != 0) {
    node.rows.resize(table.n_rows());
    std::iota(node.rows.begin(), node.rows.end(), Index{0});
    gather(table_.rows(), node.rows, {}, node);
    if (node.n_columns() <= RowGroups::most_columns) merge_rows(node);
    return;
  }
  node.root = true;
  for (std::size_t rank = 0; rank < table_.n_ranks(); ++rank) {
    const std::size_t count = table_.column(rank).size();
    const std::uint64_t support = table.attribute_support(table_.attribute(rank));
    if (count == table.n_rows() || support < least_support_) continue;
    node.ranks.push_back(static_cast<Index>(rank));
    node.counts.push_back(static_cast<Index>(count));
    if (table.weighted()) node.supports.push_back(static_cast<Index>(support));
  }
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
  if (n > sparse_columns && node.numbered) {
    std::size_t items = 0;
    for (const Index count : node.counts) items += count;
    if (n * node.words * node.n_rows > sparse_cost * items) {
      expand_sparse(node);
      return;
    }
  }
  expand_dense(node);
}

/// The first column that may have to lead a branch.
std::size_t Search::first_leader(const Node& node) const {
  if (covers_) return 0;
  const auto after = std::ranges::upper_bound(
      node.ranks, node.last, {}, [](Index rank) { return static_cast<std::int64_t>(rank); });
  return static_cast<std::size_t>(after - node.ranks.begin());
}

void Search::expand_dense(Node& node) {
  const std::size_t n = node.n_columns();
  const std::size_t set_words = words_for(node.stride);
  complement_.resize(std::max(complement_.size(), node.words * node.stride));
  leaders_.resize(std::max(leaders_.size(), n));
  supersets_.resize(std::max(supersets_.size(), (n + 1) * set_words));
  const std::size_t found =
      kernels_.leaders(node.bundle.data(), first_leader(node), n, node.stride, node.words,
                       complement_.data(), leaders_.data(), supersets_.data());
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
  const bool listed = node.items.size() != 0;
  if (!listed) {
    for (std::size_t c = 0; c < n; ++c) column_of_[node.ranks[c]] = static_cast<Index>(c + 1);
  }
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
  }
  if (!listed) {
    for (std::size_t c = 0; c < n; ++c) column_of_[node.ranks[c]] = 0;
  }
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

  child.compared_columns = parent.compared_columns;
  if (parent.root) {
    const auto rows = table_.column(parent.ranks[branch.column]);
    child.rows.assign(rows.begin(), rows.end());
    child.n_rows = rows.size();
    child.numbered = true;
    gather(table_.rows(), rows, {}, child);
    work_ += child.n_rows * table_.mean_row_size() + child.bundle.size();
  } else {
    child.n_rows = parent.counts[branch.column];
    const std::size_t words = parent.words * parent.stride;
    const std::size_t near =
        parent.items.size() == 0
            ? std::numeric_limits<std::size_t>::max()
            : near_gather_cost * child.n_rows * (1 + parent.items.values.size() / parent.n_rows);
    const std::size_t far = !parent.numbered ? std::numeric_limits<std::size_t>::max()
                                             : gather_cost * child.n_rows * table_.mean_row_size();
    const bool pack = std::min(near, far) >= words;
    child.numbered =
        parent.numbered && (!pack || numbers_matter_ || parent.n_columns() > numbered_columns);
    if (!pack || child.numbered) select_rows(parent, branch, child);
    if (pack) {
      compress(parent, branch, child);
    } else if (near <= far) {
      gather(parent.items, chosen_, parent.ranks, child);
    } else {
      gather(table_.rows(), child.rows, {}, child);
    }
    work_ += child.n_rows + words;
  }
  if (child.n_columns() != 0 && child.n_columns() <= RowGroups::most_columns &&
      child.n_rows >= compared_rows) {
    merge_rows(child);
  }
}

/// chosen_ := the child's rows by their places in the parent's table; child.rows := their numbers.
void Search::select_rows(const Node& parent, const Branch& branch, Node& child) {
  chosen_.resize(child.n_rows);
  Index* next = chosen_.data();
  for (std::size_t w = 0; w < parent.words; ++w) {
    const Word rows = parent.bundle[w * parent.stride + branch.column];
    for (Word word = rows; word != 0; word &= word - 1) {
      *next++ = static_cast<Index>(w * word_bits + lowest_bit(word));
    }
  }
  child.rows.clear();
  if (!child.numbered) return;
  child.rows.resize(chosen_.size());
  for (std::size_t i = 0; i < chosen_.size(); ++i) child.rows[i] = parent.rows[chosen_[i]];
}

/// True when nothing is left to be found below a node: then its table is not needed.
bool Search::is_leaf(const Node& child) const {
  return !covers_ &&
         (child.ranks.empty() || static_cast<std::int64_t>(child.ranks.back()) <= child.last);
}

/// The weights of the rows, less one, as bit planes. None if all are 1.
void Search::carry_weights(std::span<const Index> rows, Node& child) const {
  child.n_planes = 0;
  if (!table_.table().weighted()) return;
  Index all = 0;
  for (const Index r : rows) all |= table_.table().weight(r) - 1;
  if (all == 0) return;
  child.n_planes = static_cast<std::size_t>(std::bit_width(all));
  const std::size_t stride = bundle_stride(child.n_planes);
  child.planes.assign(words_for(rows.size()) * stride, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Word* plane = child.planes.data() + i / word_bits * stride;
    for (Index rest = table_.table().weight(rows[i]) - 1; rest != 0; rest &= rest - 1) {
      plane[std::countr_zero(rest)] |= Word{1} << (i % word_bits);
    }
  }
}

/// A table without columns: nothing is below the node.
void Search::clear_table(Node& child) {
  child.ranks.clear();
  child.counts.clear();
  child.supports.clear();
  child.bundle.clear();
  child.items.values.clear();
  child.items.offsets.resize(1);
  child.words = words_for(child.n_rows);
  child.stride = 0;
  child.n_planes = 0;
}

/// The child's table from the lists of its rows, `chosen` among `lists`: count the items, keep
/// those that enough but not all rows have, set their bits. Items are ranks, or places in `ranks`.
void Search::gather(const Lists& lists, std::span<const Index> chosen, std::span<const Index> ranks,
                    Node& child) {
  carry_weights(child.rows, child);
  const bool weighted = child.n_planes != 0;
  // Plain pointers: the compiler need not fear that one array's end lies in another.
  const std::uint64_t* offsets = lists.offsets.data();
  const Index* values = lists.values.data();
  Index* occurrences = occurrences_.data();
  std::size_t n_items = 0;
  for (const Index r : chosen) n_items += offsets[r + 1] - offsets[r];
  // Few different items can all be looked through afterwards, many can't.
  const std::size_t n_different = ranks.empty() ? table_.n_ranks() : ranks.size();
  const bool few = n_different <= 4 * n_items;
  if (few) {
    for (const Index r : chosen) {
      for (std::uint64_t k = offsets[r]; k < offsets[r + 1]; ++k) ++occurrences[values[k]];
    }
  } else {
    kept_.resize(n_items);
    Index* next = kept_.data();
    for (const Index r : chosen) {
      for (std::uint64_t k = offsets[r]; k < offsets[r + 1]; ++k) {
        *next = values[k];
        next += occurrences[values[k]]++ == 0 ? 1 : 0;
      }
    }
    kept_.resize(static_cast<std::size_t>(next - kept_.data()));
  }
  // What heavy rows add to the number of rows. They are few as a rule.
  Index* further = further_.data();
  if (weighted) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const Index weight = table_.table().weight(child.rows[i]);
      if (weight == 1) continue;
      for (const Index item : lists[chosen[i]]) further[item] += weight - 1;
    }
  }
  const auto support = [&](std::size_t item) {
    return weighted ? occurrences[item] + further[item] : occurrences[item];
  };
  if (few && !covers_ && child.last >= 0) {
    // Most children are leaves: nothing after the attribute that generated them is frequent.
    const auto last = static_cast<Index>(child.last);
    const std::size_t place =
        ranks.empty()
            ? last
            : static_cast<std::size_t>(std::ranges::lower_bound(ranks, last) - ranks.begin());
    const auto least = static_cast<Index>(least_support_);
    const auto all = static_cast<Index>(chosen.size());
    Index found = 0;
    for (std::size_t item = place + 1; item < n_different; ++item) {
      found |= Index{support(item) >= least} & Index{occurrences[item] < all};
    }
    if (found == 0) {
      std::fill_n(occurrences, n_different, Index{0});
      if (weighted) std::fill_n(further, n_different, Index{0});
      clear_table(child);
      return;
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

/// The child's table from its parent's: pack its rows together, drop what is empty, infrequent or
/// full.
void Search::compress(const Node& parent, const Branch& branch, Node& child) {
  mask_.resize(parent.words);
  for (std::size_t w = 0; w < parent.words; ++w) {
    mask_[w] = parent.bundle[w * parent.stride + branch.column];
  }
  const std::size_t n_rows = child.n_rows;
  child.words = words_for(n_rows);
  child.items.values.clear();
  child.items.offsets.resize(1);
  packed_.resize(std::max(packed_.size(), child.words * parent.stride));
  packed_counts_.resize(std::max(packed_counts_.size(), parent.stride));
  kernels_.compress(parent.bundle.data(), parent.stride, parent.words, mask_.data(), packed_.data(),
                    packed_counts_.data());
  child.n_planes = parent.n_planes;
  if (child.n_planes != 0) {
    const std::size_t stride = bundle_stride(child.n_planes);
    child.planes.resize(child.words * stride);
    plane_counts_.resize(stride);
    kernels_.compress(parent.planes.data(), stride, parent.words, mask_.data(), child.planes.data(),
                      plane_counts_.data());
    if (std::ranges::all_of(plane_counts_, [](Index count) { return count == 0; })) {
      child.n_planes = 0;
    }
  }
  const Index* supports = packed_counts_.data();
  if (child.n_planes != 0) {
    packed_supports_.assign(packed_counts_.begin(), packed_counts_.end());
    for (std::size_t k = 0; k < child.n_planes; ++k) {
      if (plane_counts_[k] == 0) continue;
      kernels_.weigh(packed_.data(), parent.stride, child.words, child.planes.data() + k,
                     bundle_stride(child.n_planes), Index{1} << k, packed_supports_.data());
    }
    supports = packed_supports_.data();
  }
  kept_.clear();
  child.ranks.clear();
  child.counts.clear();
  child.supports.clear();
  for (std::size_t c = 0; c < parent.n_columns(); ++c) {
    const Index count = packed_counts_[c];
    if (supports[c] < least_support_ || count == n_rows) continue;
    kept_.push_back(static_cast<Index>(c));
    child.ranks.push_back(parent.ranks[c]);
    child.counts.push_back(count);
    if (child.n_planes != 0) child.supports.push_back(supports[c]);
  }
  if (is_leaf(child)) {
    kept_.clear();
    child.ranks.clear();
    child.counts.clear();
    child.supports.clear();
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

/// Brings rows together that no column of interest tells apart. With covers every column is one.
/// Without, only those are that may still be added; of the others a group keeps those that all of
/// its rows have, for they can only say that a closure is somebody else's child.
void Search::merge_rows(Node& child) {
  const std::size_t n = child.n_columns();
  const std::size_t first = first_leader(child);
  const std::size_t n_keys = n - first;
  if (!merging_ || n_keys < compared_columns ||
      static_cast<double>(n_keys) > compared_again * static_cast<double>(child.compared_columns)) {
    return;
  }
  child.compared_columns = n_keys;
  const Word key = (n == word_bits ? ~Word{0} : (Word{1} << n) - 1) & (~Word{0} << first);
  groups_.group(child.bundle.data(), n, child.stride, child.n_rows, key, child.planes.data(),
                child.n_planes);
  work_ += child.n_rows;
  if (2 * groups_.size() > child.n_rows) return;
  if (child.supports.empty()) child.supports = child.counts;
  child.numbered = false;
  child.n_rows = groups_.size();
  child.rows.clear();
  child.items.values.clear();
  child.items.offsets.resize(1);
  child.words = words_for(child.n_rows);
  groups_.write(n, child.stride, child.bundle);
  child.n_planes = groups_.write_planes(child.planes);
  packed_counts_.resize(std::max(packed_counts_.size(), child.stride));
  kernels_.count_columns(child.bundle.data(), child.stride, child.words, packed_counts_.data());
  child.counts.assign(packed_counts_.begin(),
                      packed_counts_.begin() + static_cast<std::ptrdiff_t>(n));
}

}  // namespace conceptrank
