#include "cpp/table/intent_walk.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "cpp/base/kernels.hpp"
#include "cpp/base/tuning.hpp"

namespace conceptrank {
namespace {

/// Some rows of the table: bits, or an ascending list.
struct RowSet {
  const Word* bits = nullptr;
  const Index* list = nullptr;
  std::size_t count = 0;

  bool has(std::size_t row) const {
    return bits != nullptr ? test_bit(bits, row) : std::binary_search(list, list + count, row);
  }
  /// Calls `visit(row)` for the rows, ascending, while it returns true; whether it always does.
  template <class Visit>
  bool each(std::size_t n_words, const Visit& visit) const {
    if (bits == nullptr) return std::all_of(list, list + count, visit);
    for (std::size_t w = 0; w < n_words; ++w) {
      for (Word word = bits[w]; word != 0; word &= word - 1) {
        if (!visit(w * word_bits + lowest_bit(word))) return false;
      }
    }
    return true;
  }
};

/// Some columns of a table: bits if they have more than a few rows, otherwise a list.
class Columns {
 public:
  /// Of the attributes that `wanted` marks.
  Columns(ListsView rows, std::span<const std::uint8_t> wanted, std::size_t few)
      : n_words_(words_for(rows.size())), places_(wanted.size()), all_(n_words_, ~Word{0}) {
    if (n_words_ > 0) all_.back() = tail_mask(rows.size());
    std::vector<Index> counts(wanted.size(), 0);
    for (std::size_t g = 0; g < rows.size(); ++g) {
      for (const Index m : rows[g]) ++counts[m];
    }
    std::size_t dense = 0;
    std::size_t sparse = 0;
    for (std::size_t m = 0; m < wanted.size(); ++m) {
      if (!wanted[m]) {
        places_[m] = {Kind::unwanted, 0, 0};
      } else if (counts[m] > few) {
        places_[m] = {Kind::bits, n_words_ * dense++, counts[m]};
      } else {
        places_[m] = {Kind::list, sparse, 0};
        sparse += counts[m];
      }
    }
    bits_.assign(dense * n_words_, 0);
    lists_.resize(sparse);
    for (std::size_t g = 0; g < rows.size(); ++g) {
      for (const Index m : rows[g]) {
        Place& place = places_[m];
        if (place.kind == Kind::bits) {
          set_bit(bits_.data() + place.begin, g);
        } else if (place.kind == Kind::list) {
          lists_[place.begin + place.count++] = static_cast<Index>(g);
        }
      }
    }
  }
  std::size_t n_words() const { return n_words_; }
  RowSet all(std::size_t n_rows) const { return {all_.data(), nullptr, n_rows}; }
  RowSet operator[](std::size_t m) const {
    const Place& place = places_[m];
    if (place.kind == Kind::bits) return {bits_.data() + place.begin, nullptr, place.count};
    return {nullptr, lists_.data() + place.begin, place.count};
  }

 private:
  enum class Kind : std::uint8_t { unwanted, bits, list };
  struct Place {
    Kind kind;
    std::size_t begin;
    std::size_t count;
  };
  std::size_t n_words_;
  std::vector<Place> places_;
  std::vector<Word> all_;
  std::vector<Word> bits_;
  std::vector<Index> lists_;
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
  Closedness(ListsView rows, std::size_t n_attributes) : rows_(rows), n_attributes_(n_attributes) {}

  bool operator()(const RowSet& extent, std::size_t intent_size) {
    if (extent.count == 0) return intent_size == n_attributes_;
    first_ = true;
    return !extent.each(words_for(rows_.size()),
                        [&](std::size_t g) { return meet(g, intent_size); });
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

  ListsView rows_;
  std::size_t n_attributes_;
  bool first_ = true;
  std::vector<Index> common_;
};

/// What a block of rows contributes: the rows of each set, in the order of the walk.
struct Block {
  std::vector<Index> sizes;
  std::vector<Index> rows;
};

template <class Sets>
void check_sets(const Sets& sets, std::size_t n_attributes) {
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

IntentWalk::IntentWalk(ListsView intents, std::size_t n_attributes)
    : n_attributes_(n_attributes), order_(intents.size()) {
  check_sets(intents, n_attributes);
  // Attributes of many sets come first, so that more sets share a beginning.
  std::vector<std::uint64_t> uses(n_attributes, 0);
  for (const Index m : intents.values) ++uses[m];
  std::vector<Index> by_use(n_attributes);
  std::iota(by_use.begin(), by_use.end(), 0);
  std::ranges::stable_sort(by_use, [&](Index a, Index b) { return uses[a] > uses[b]; });
  std::vector<Index> rank(n_attributes);
  for (std::size_t i = 0; i < n_attributes; ++i) rank[by_use[i]] = static_cast<Index>(i);

  Lists ranked = intents.copy();
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

/// Calls `record(extent, first, last, depth)` for the sets order_[first .. last) that some row has,
/// and for empty sets. Calls `stopped(nodes)` from time to time; true ends the walk.
template <class Columns, class Record, class Stopped>
void IntentWalk::walk(const Columns& columns, std::size_t n_rows, std::size_t few, Record&& record,
                      Stopped&& stopped) const {
  std::vector<Level> levels(depth_ + 1);
  std::vector<RowSet> sets(depth_ + 1);
  sets[0] = columns.all(n_rows);
  if (n_empty_ > 0) record(sets[0], 0, static_cast<Index>(n_empty_), 0);
  std::size_t visited = 0;
  for (std::size_t i = 0; i < nodes_.size();) {
    const Node& node = nodes_[i];
    const RowSet column = columns[node.attribute];
    RowSet& extent = sets[node.depth];
    extent = node.depth == 1
                 ? column
                 : levels[node.depth].meet(sets[node.depth - 1], column, columns.n_words(), few);
    if (node.first != node.last) record(extent, node.first, node.last, node.depth);
    // Without objects there is nothing to find below.
    i = extent.count > 0 ? i + 1 : node.next;
    if (++visited % tuning::intent_nodes_per_poll == 0 && stopped(i)) break;
  }
}

IntentWalk::Counts IntentWalk::count(ListsView rows, bool closed, Budget& budget) const {
  check_sets(rows, n_attributes_);
  const std::vector<std::uint8_t> wanted(n_attributes_, 1);
  const std::size_t few = rows.size() / tuning::rows_per_few;
  const Columns columns(rows, wanted, few);
  Closedness is_closed(rows, n_attributes_);
  Counts result;
  result.supports.assign(n_intents(), 0);
  if (closed) result.closed.assign(n_intents(), 0);
  // The set of all attributes is closed even if the walk does not reach it.
  if (closed) {
    for (const Index intent : whole_) result.closed[intent] = 1;
  }
  walk(
      columns, rows.size(), few,
      [&](const RowSet& extent, Index first, Index last, std::size_t depth) {
        const std::uint8_t flag = closed && is_closed(extent, depth) ? 1 : 0;
        for (Index place = first; place < last; ++place) {
          result.supports[order_[place]] = static_cast<Index>(extent.count);
          if (closed) result.closed[order_[place]] = flag;
        }
      },
      [&](std::size_t done) {
        budget.poll(done, static_cast<double>(done) / static_cast<double>(nodes_.size()));
        return budget.stopped();
      });
  return result;
}

Lists IntentWalk::match(ListsView all, std::optional<ListsView> lacking, unsigned threads,
                        Budget& budget) const {
  if (lacking) {
    if (lacking->size() != n_intents()) throw std::invalid_argument("not one conclusion per set");
    check_sets(*lacking, n_attributes_);
  }
  std::vector<std::uint8_t> wanted(n_attributes_, 0);
  for (const Node& node : nodes_) wanted[node.attribute] = 1;
  if (lacking) {
    for (const Index m : lacking->values) wanted[m] = 1;
  }
  const std::size_t n_rows = all.size();
  std::vector<Block> blocks((n_rows + tuning::match_rows - 1) / tuning::match_rows);
  parallel_blocks(
      n_rows, tuning::match_rows, threads, budget,
      [&](std::size_t begin, std::size_t end, unsigned worker) {
        const ListsView rows(all.offsets.subspan(begin, end - begin + 1), all.values);
        check_sets(rows, n_attributes_);
        const std::size_t few = rows.size() / tuning::rows_per_few;
        const Columns columns(rows, wanted, few);
        Block& block = blocks[begin / tuning::match_rows];
        block.sizes.assign(n_intents(), 0);
        walk(
            columns, rows.size(), few,
            [&](const RowSet& extent, Index first, Index last, std::size_t) {
              if (extent.count == 0) return;
              for (Index place = first; place < last; ++place) {
                const std::size_t before = block.rows.size();
                extent.each(columns.n_words(), [&](std::size_t g) {
                  const bool breaks =
                      !lacking || !std::ranges::all_of((*lacking)[order_[place]],
                                                       [&](Index m) { return columns[m].has(g); });
                  if (breaks) block.rows.push_back(static_cast<Index>(begin + g));
                  return true;
                });
                block.sizes[place] = static_cast<Index>(block.rows.size() - before);
              }
            },
            [&](std::size_t) {
              if (worker == 0) {
                budget.poll(begin, static_cast<double>(begin) / static_cast<double>(n_rows));
              }
              return budget.stopped();
            });
      });
  // Join the blocks set by set, in the order of the sets.
  Lists result;
  result.offsets.assign(n_intents() + 1, 0);
  for (const Block& block : blocks) {
    for (std::size_t place = 0; place < block.sizes.size(); ++place) {
      result.offsets[order_[place] + 1] += block.sizes[place];
    }
  }
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  result.values.resize(result.offsets.back());
  std::vector<std::uint64_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (Block& block : blocks) {
    const Index* rows = block.rows.data();
    for (std::size_t place = 0; place < block.sizes.size(); ++place) {
      std::uint64_t& to = next[order_[place]];
      std::copy_n(rows, block.sizes[place], result.values.data() + to);
      to += block.sizes[place];
      rows += block.sizes[place];
    }
    block = {};
  }
  return result;
}

}  // namespace conceptrank
