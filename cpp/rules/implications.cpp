#include "cpp/rules/implications.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace conceptrank {
namespace {

std::size_t count_outside(const Word* set, const Word* other, std::size_t words) {
  std::size_t total = 0;
  for (std::size_t w = 0; w < words; ++w) total += count_bits(set[w] & ~other[w]);
  return total;
}

/// Whether `set` has an element below `limit` that `other` lacks.
bool differs_before(const Word* set, const Word* other, std::size_t limit) {
  const std::size_t whole = limit / word_bits;
  for (std::size_t w = 0; w < whole; ++w) {
    if ((set[w] & ~other[w]) != 0) return true;
  }
  const std::size_t rest = limit % word_bits;
  return rest != 0 && (set[whole] & ~other[whole] & tail_mask(rest)) != 0;
}

/// The share of all sets that come before this one in lectic order.
double lectic_share(const Word* set, std::size_t words) {
  double share = 0;
  for_each_bit(set, std::min<std::size_t>(words, 1),
               [&](std::size_t m) { share += std::ldexp(1.0, -static_cast<int>(m) - 1); });
  return share;
}

/// The columns of frequent attributes as bits. Rare attributes come first, because then few sets
/// are found a second time on another branch.
class Columns {
 public:
  Columns(const Table& table, std::uint64_t min_support)
      : table_(table), words_(words_for(table.n_rows())) {
    for (std::size_t m = 0; m < table.n_attributes(); ++m) {
      if (table.attribute_support(m) >= min_support) attributes_.push_back(static_cast<Index>(m));
    }
    std::ranges::stable_sort(attributes_, {}, [&](Index m) { return table.attribute_support(m); });
    bits_.assign(words_ * attributes_.size(), 0);
    for (std::size_t k = 0; k < attributes_.size(); ++k) {
      for (const Index r : table.column(attributes_[k])) set_bit(bits_.data() + k * words_, r);
    }
  }

  std::size_t size() const { return attributes_.size(); }
  std::size_t words() const { return words_; }
  /// The attribute of a column.
  Index attribute(std::size_t k) const { return attributes_[k]; }
  const Word* rows(std::size_t k) const { return bits_.data() + k * words_; }
  std::uint64_t support(std::span<const Word> rows) const { return table_.support(rows); }

  /// Adds to a set of columns those that hold all the rows.
  void close(const Word* rows_of_set, Word* set) const {
    for (std::size_t k = 0; k < size(); ++k) {
      if (!test_bit(set, k) && inside(rows_of_set, rows(k), words_)) set_bit(set, k);
    }
  }

  void append(const Word* set, Lists& lists) const {
    const std::size_t begin = lists.values.size();
    for_each_bit(set, words_for(size()),
                 [&](std::size_t k) { lists.values.push_back(attributes_[k]); });
    std::sort(lists.values.begin() + static_cast<std::ptrdiff_t>(begin), lists.values.end());
    lists.close();
  }

 private:
  const Table& table_;
  std::size_t words_;
  std::vector<Index> attributes_;
  std::vector<Word> bits_;
};

class LinCbO {
 public:
  LinCbO(const Table& table, const BasisOptions& options, Budget& budget)
      : options_(options),
        budget_(budget),
        columns_(table, options.min_support),
        known_(columns_.size()),
        frames_(columns_.size() + 1) {}

  ImplicationBasis run(const Table& table) {
    Frame& root = frames_[0];
    root.set.assign(known_.words(), 0);
    root.rows.assign(columns_.words(), ~Word{0});
    if (!root.rows.empty()) root.rows.back() &= tail_mask(table.n_rows());
    if (table.n_objects() >= options_.min_support && settle(root, 0)) visit_below(0, 0);
    ImplicationBasis basis;
    if (!budget_.abandoned()) basis = sorted();
    basis.stop = budget_.reason();
    return basis;
  }

 private:
  /// A set that is closed under the known implications.
  struct Frame {
    std::vector<Word> set;
    std::vector<Word> rows;      // that have it
    std::vector<Index> missing;  // attributes of each known premise that the set lacks
  };

  /// Counts for implications that became known after the frame was made.
  void catch_up(Frame& frame) {
    for (std::size_t i = frame.missing.size(); i < known_.size(); ++i) {
      frame.missing.push_back(
          static_cast<Index>(count_outside(known_.premise(i), frame.set.data(), known_.words())));
    }
  }

  /// Makes `child` the closure of `parent` and one more attribute. The closure must not add an
  /// earlier attribute; otherwise the set belongs to another branch.
  bool extend(const Frame& parent, Frame& child, std::size_t attribute) {
    child.set = parent.set;
    child.missing = parent.missing;
    set_bit(child.set.data(), attribute);
    waiting_.assign(1, static_cast<Index>(attribute));
    while (!waiting_.empty()) {
      const Index next = waiting_.back();
      waiting_.pop_back();
      for (const Index i : known_.holders(next)) {
        if (--child.missing[i] != 0) continue;
        const Word* conclusion = known_.conclusion(i);
        if (differs_before(conclusion, child.set.data(), attribute)) return false;
        take(conclusion, child.set);
      }
    }
    return true;
  }

  /// Adds attributes to a set and to those that wait to be counted.
  void take(const Word* attributes, std::vector<Word>& set) {
    for (std::size_t w = 0; w < set.size(); ++w) {
      for (Word word = attributes[w] & ~set[w]; word != 0; word &= word - 1) {
        waiting_.push_back(static_cast<Index>(w * word_bits + lowest_bit(word)));
      }
      set[w] |= attributes[w];
    }
  }

  /// Checks whether the set is an intent. If not, it is a pseudo-intent: it gives an implication,
  /// and the set becomes its closure. Returns false if nothing below it is to be visited.
  bool settle(Frame& frame, std::size_t attribute) {
    closed_ = frame.set;
    columns_.close(frame.rows.data(), closed_.data());
    if (closed_ == frame.set) return true;
    if (supports_.size() >= budget_.limits().concepts) budget_.stop(Stop::concepts);
    if (known_.bytes() >= budget_.limits().bytes) budget_.stop(Stop::bytes);
    if (budget_.stopped()) return false;
    known_.add(frame.set.data(), closed_.data());
    supports_.push_back(static_cast<Index>(columns_.support(frame.rows)));
    if (differs_before(closed_.data(), frame.set.data(), attribute)) return false;
    // The closure already contains everything that follows; this only updates the counts.
    waiting_.clear();
    take(closed_.data(), frame.set);
    for (const Index m : waiting_) {
      for (const Index i : known_.holders(m)) {
        if (i < frame.missing.size()) --frame.missing[i];
      }
    }
    return true;
  }

  void visit_below(std::size_t depth, std::size_t first) {
    Frame& frame = frames_[depth];
    if (count_bits(frame.set.data(), frame.set.size()) >= options_.max_premise) return;
    for (std::size_t k = columns_.size(); k-- > first && !budget_.stopped();) {
      if (test_bit(frame.set.data(), k)) continue;
      catch_up(frame);
      Frame& child = frames_[depth + 1];
      if (!extend(frame, child, k)) continue;
      if (count_bits(child.set.data(), child.set.size()) > options_.max_premise) continue;
      child.rows = frame.rows;
      const Word* rows = columns_.rows(k);
      for (std::size_t w = 0; w < child.rows.size(); ++w) child.rows[w] &= rows[w];
      if (options_.min_support > 0 && columns_.support(child.rows) < options_.min_support) continue;
      if (++visited_ % 64 == 0) {
        budget_.poll(supports_.size(), lectic_share(child.set.data(), child.set.size()));
      }
      if (settle(child, k)) visit_below(depth + 1, k + 1);
    }
  }

  ImplicationBasis sorted() const {
    Lists premises;
    Lists closures;
    for (std::size_t i = 0; i < supports_.size(); ++i) {
      columns_.append(known_.premise(i), premises);
      columns_.append(known_.conclusion(i), closures);
    }
    std::vector<Index> order(supports_.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::sort(order, [&](Index a, Index b) {
      if (supports_[a] != supports_[b]) return supports_[a] > supports_[b];
      return std::ranges::lexicographical_compare(premises[a], premises[b]);
    });
    ImplicationBasis basis;
    for (const Index i : order) {
      basis.premises.push_back(premises[i]);
      basis.closures.push_back(closures[i]);
      basis.supports.push_back(supports_[i]);
    }
    return basis;
  }

  const BasisOptions& options_;
  Budget& budget_;
  Columns columns_;
  Implications known_;
  std::vector<Index> supports_;  // of the known implications
  std::vector<Frame> frames_;    // one per level
  std::vector<Index> waiting_;
  std::vector<Word> closed_;
  std::uint64_t visited_ = 0;
};

}  // namespace

Implications::Implications(std::size_t n_attributes)
    : words_(words_for(n_attributes)), holders_(n_attributes) {}

void Implications::add(const Word* premise, const Word* conclusion) {
  const auto number = static_cast<Index>(size());
  premises_.insert(premises_.end(), premise, premise + words_);
  conclusions_.insert(conclusions_.end(), conclusion, conclusion + words_);
  sizes_.push_back(static_cast<Index>(count_bits(premise, words_)));
  for_each_bit(premise, words_, [&](std::size_t m) { holders_[m].push_back(number); });
}

std::size_t Implications::bytes() const {
  std::size_t total = (premises_.size() + conclusions_.size()) * sizeof(Word);
  for (const Index size : sizes_) total += (size + 1) * sizeof(Index);
  return total;
}

void LinClosure::close(Word* set, std::span<const std::uint8_t> active) {
  const std::size_t words = implications_.words();
  missing_.resize(implications_.size());
  waiting_.clear();
  for_each_bit(set, words, [&](std::size_t m) { waiting_.push_back(static_cast<Index>(m)); });
  const auto fire = [&](std::size_t i) {
    if (!active.empty() && active[i] == 0) return;
    const Word* conclusion = implications_.conclusion(i);
    for (std::size_t w = 0; w < words; ++w) {
      for (Word word = conclusion[w] & ~set[w]; word != 0; word &= word - 1) {
        waiting_.push_back(static_cast<Index>(w * word_bits + lowest_bit(word)));
      }
      set[w] |= conclusion[w];
    }
  };
  for (std::size_t i = 0; i < implications_.size(); ++i) {
    missing_[i] = implications_.premise_size(i);
    if (missing_[i] == 0) fire(i);
  }
  while (!waiting_.empty()) {
    const Index next = waiting_.back();
    waiting_.pop_back();
    for (const Index i : implications_.holders(next)) {
      if (--missing_[i] == 0) fire(i);
    }
  }
}

std::vector<std::uint8_t> irredundant(const Implications& implications, Budget& budget) {
  const std::size_t words = implications.words();
  std::vector<std::uint8_t> kept(implications.size(), 1);
  LinClosure closure(implications);
  std::vector<Word> set(words);
  for (std::size_t i = 0; i < implications.size() && !budget.stopped(); ++i) {
    kept[i] = 0;
    std::copy_n(implications.premise(i), words, set.begin());
    closure.close(set.data(), kept);
    if (!inside(implications.conclusion(i), set.data(), words)) kept[i] = 1;
    budget.poll(i, static_cast<double>(i) / static_cast<double>(implications.size()));
  }
  return kept;
}

ImplicationBasis duquenne_guigues(const Table& table, const BasisOptions& options, Budget& budget) {
  return LinCbO(table, options, budget).run(table);
}

bool next_open(const Table& table, const Implications& implications, std::vector<Word>& start,
               Budget& budget) {
  const std::size_t n = table.n_attributes();
  const std::size_t words = words_for(n);
  LinClosure closure(implications);
  std::vector<Word> candidate(words);
  std::vector<Word> prefix(words);
  std::vector<Index> members;
  const auto is_open = [&] {
    members.clear();
    for_each_bit(start.data(), words,
                 [&](std::size_t m) { members.push_back(static_cast<Index>(m)); });
    return table.intent(table.extent(members)).size() != members.size();
  };
  candidate = start;
  closure.close(candidate.data());
  bool closed = candidate == start;
  for (std::uint64_t visited = 0; !budget.stopped(); ++visited) {
    if (closed && is_open()) return true;
    closed = true;
    budget.poll(visited, lectic_share(start.data(), words));
    // Close the elements before an attribute together with the attribute. The last attribute for
    // which this adds nothing before it gives the next closed set.
    bool found = false;
    prefix = start;
    for (std::size_t m = n; m-- > 0 && !found;) {
      if (test_bit(prefix.data(), m)) {
        prefix[m / word_bits] &= ~(Word{1} << (m % word_bits));
        continue;
      }
      candidate = prefix;
      set_bit(candidate.data(), m);
      closure.close(candidate.data());
      found = !differs_before(candidate.data(), prefix.data(), m);
    }
    if (!found) return false;
    start = candidate;
  }
  return false;
}

}  // namespace conceptrank
