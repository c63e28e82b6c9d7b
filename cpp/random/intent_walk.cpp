#include "cpp/random/intent_walk.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "cpp/base/kernels.hpp"
#include "cpp/base/tuning.hpp"

namespace conceptrank {
namespace {

/// Some rows of the table: bits, an ascending list, or neither of them for all rows.
struct RowSet {
  const Word* bits = nullptr;
  const Index* list = nullptr;
  std::size_t count = 0;
};

/// The columns of a table as lists, and those of more than a few rows as bits too.
class Columns {
 public:
  Columns(const Lists& rows, std::size_t n_attributes, std::size_t few)
      : n_words_(words_for(rows.size())) {
    lists_.offsets.assign(n_attributes + 1, 0);
    for (const Index m : rows.values) ++lists_.offsets[m + 1];
    std::partial_sum(lists_.offsets.begin(), lists_.offsets.end(), lists_.offsets.begin());
    lists_.values.resize(rows.values.size());
    std::vector<std::uint64_t> next(lists_.offsets.begin(), lists_.offsets.end() - 1);
    for (std::size_t g = 0; g < rows.size(); ++g) {
      for (const Index m : rows[g]) lists_.values[next[m]++] = static_cast<Index>(g);
    }
    std::size_t dense = 0;
    place_.assign(n_attributes, none);
    for (std::size_t m = 0; m < n_attributes; ++m) {
      if (lists_[m].size() > few) place_[m] = dense++ * n_words_;
    }
    bits_.assign(dense * n_words_, 0);
    for (std::size_t m = 0; m < n_attributes; ++m) {
      if (place_[m] == none) continue;
      for (const Index g : lists_[m]) set_bit(bits_.data() + place_[m], g);
    }
  }
  std::size_t n_words() const { return n_words_; }
  RowSet operator[](std::size_t m) const {
    const auto list = lists_[m];
    return {place_[m] == none ? nullptr : bits_.data() + place_[m], list.data(), list.size()};
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  std::size_t n_words_;
  Lists lists_;
  std::vector<std::size_t> place_;
  std::vector<Word> bits_;
};

/// Memory for the sets of one depth of the walk.
struct Level {
  std::vector<Word> bits;
  std::vector<Index> list;

  RowSet meet(const RowSet& rows, const RowSet& column, std::size_t n_words, std::size_t few) {
    if (rows.bits != nullptr && column.bits != nullptr) {
      bits.assign(rows.bits, rows.bits + n_words);
      const std::size_t count = kernels().intersect(bits.data(), column.bits, n_words);
      return count > few ? RowSet{bits.data(), nullptr, count} : listed(count);
    }
    list.clear();
    if (rows.bits != nullptr) {
      filter({column.list, column.count}, rows.bits);
    } else if (column.bits != nullptr) {
      filter({rows.list, rows.count}, column.bits);
    } else {
      std::set_intersection(rows.list, rows.list + rows.count, column.list,
                            column.list + column.count, std::back_inserter(list));
    }
    return {nullptr, list.data(), list.size()};
  }

 private:
  RowSet listed(std::size_t count) {
    list.clear();
    for_each_bit(bits.data(), bits.size(),
                 [&](std::size_t g) { list.push_back(static_cast<Index>(g)); });
    return {nullptr, list.data(), count};
  }
  void filter(std::span<const Index> candidates, const Word* among) {
    for (const Index g : candidates) {
      if (test_bit(among, g)) list.push_back(g);
    }
  }
};

/// Whether the objects share nothing but the attributes of a set that they all have.
class Closedness {
 public:
  Closedness(const Lists& rows, std::size_t n_attributes)
      : rows_(rows), n_attributes_(n_attributes) {}

  bool operator()(const RowSet& extent, std::size_t intent_size) {
    if (extent.count == 0) return intent_size == n_attributes_;
    first_ = true;
    if (extent.list != nullptr) {
      for (std::size_t i = 0; i < extent.count; ++i) {
        if (!meet(extent.list[i], intent_size)) return true;
      }
    } else if (extent.bits != nullptr) {
      for (std::size_t w = 0; w < words_for(rows_.size()); ++w) {
        for (Word word = extent.bits[w]; word != 0; word &= word - 1) {
          if (!meet(w * word_bits + lowest_bit(word), intent_size)) return true;
        }
      }
    } else {
      for (std::size_t g = 0; g < rows_.size(); ++g) {
        if (!meet(g, intent_size)) return true;
      }
    }
    return false;
  }

 private:
  /// Takes a row into account; false when nothing but the set is common any more.
  bool meet(std::size_t g, std::size_t intent_size) {
    const auto row = rows_[g];
    if (first_) {
      common_.assign(row.begin(), row.end());
    } else {
      const auto end = std::set_intersection(common_.begin(), common_.end(), row.begin(), row.end(),
                                             common_.begin());
      common_.erase(end, common_.end());
    }
    first_ = false;
    return common_.size() > intent_size;
  }

  const Lists& rows_;
  std::size_t n_attributes_;
  bool first_ = true;
  std::vector<Index> common_;
};

void check_sets(const Lists& sets, std::size_t n_attributes) {
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const auto set = sets[i];
    for (std::size_t k = 0; k < set.size(); ++k) {
      if (set[k] >= n_attributes || (k > 0 && set[k] <= set[k - 1])) {
        throw std::invalid_argument("not an ascending list of attribute numbers");
      }
    }
  }
}

}  // namespace

IntentWalk::IntentWalk(const Lists& intents, std::size_t n_attributes)
    : n_attributes_(n_attributes), order_(intents.size()) {
  check_sets(intents, n_attributes);
  // Attributes that many sets have come first: more sets begin alike.
  std::vector<std::uint64_t> uses(n_attributes, 0);
  for (const Index m : intents.values) ++uses[m];
  std::vector<Index> by_use(n_attributes);
  std::iota(by_use.begin(), by_use.end(), 0);
  std::ranges::stable_sort(by_use, [&](Index a, Index b) { return uses[a] > uses[b]; });
  std::vector<Index> rank(n_attributes);
  for (std::size_t i = 0; i < n_attributes; ++i) rank[by_use[i]] = static_cast<Index>(i);

  Lists ranked = intents;
  for (Index& value : ranked.values) value = rank[value];
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    Index* values = ranked.values.data();
    std::sort(values + ranked.offsets[i], values + ranked.offsets[i + 1]);
  }
  std::iota(order_.begin(), order_.end(), 0);
  std::ranges::stable_sort(order_, [&](Index a, Index b) {
    return std::ranges::lexicographical_compare(ranked[a], ranked[b]);
  });

  std::vector<Index> open;  // the nodes that lead to the current one
  std::span<const Index> previous;
  for (Index place = 0; place < order_.size(); ++place) {
    const auto set = ranked[order_[place]];
    depth_ = std::max(depth_, set.size());
    if (set.size() == n_attributes_) whole_.push_back(order_[place]);
    if (set.empty()) {
      ++n_empty_;
      continue;
    }
    const auto common =
        static_cast<std::size_t>(std::ranges::mismatch(previous, set).in2 - set.begin());
    for (; open.size() > common; open.pop_back()) {
      nodes_[open.back()].next = static_cast<Index>(nodes_.size());
    }
    for (std::size_t k = common; k < set.size(); ++k) {
      open.push_back(static_cast<Index>(nodes_.size()));
      nodes_.push_back({by_use[set[k]], static_cast<Index>(k + 1), 0, place, place});
    }
    nodes_[open.back()].last = place + 1;
    previous = set;
  }
  for (const Index node : open) nodes_[node].next = static_cast<Index>(nodes_.size());
}

IntentWalk::Counts IntentWalk::count(const Lists& rows, bool closed, Budget& budget) const {
  check_sets(rows, n_attributes_);
  const std::size_t few = rows.size() / tuning::rows_per_few;
  const Columns columns(rows, n_attributes_, few);
  const std::size_t n_words = columns.n_words();
  std::vector<Level> levels(depth_ + 1);
  std::vector<RowSet> sets(depth_ + 1);
  sets[0].count = rows.size();
  Closedness is_closed(rows, n_attributes_);

  Counts result;
  result.supports.assign(n_intents(), 0);
  if (closed) result.closed.assign(n_intents(), 0);
  const auto record = [&](Index first, Index last, std::size_t depth) {
    const std::uint8_t flag = closed && is_closed(sets[depth], depth) ? 1 : 0;
    for (Index place = first; place < last; ++place) {
      result.supports[order_[place]] = static_cast<Index>(sets[depth].count);
      if (closed) result.closed[order_[place]] = flag;
    }
  };
  if (n_empty_ > 0) record(0, static_cast<Index>(n_empty_), 0);
  // The set of all attributes is closed even if the walk does not reach it.
  if (closed) {
    for (const Index intent : whole_) result.closed[intent] = 1;
  }

  std::size_t visited = 0;
  for (std::size_t i = 0; i < nodes_.size();) {
    const Node& node = nodes_[i];
    const RowSet column = columns[node.attribute];
    sets[node.depth] = node.depth == 1
                           ? column
                           : levels[node.depth].meet(sets[node.depth - 1], column, n_words, few);
    if (node.first != node.last) record(node.first, node.last, node.depth);
    // Without objects there is nothing to find below.
    i = sets[node.depth].count > 0 ? i + 1 : node.next;
    if (++visited % tuning::intent_nodes_per_poll == 0) {
      budget.poll(i, static_cast<double>(i) / static_cast<double>(nodes_.size()));
      if (budget.stopped()) break;
    }
  }
  return result;
}

}  // namespace conceptrank
