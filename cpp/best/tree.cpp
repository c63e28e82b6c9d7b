#include "cpp/best/tree.hpp"

#include <algorithm>
#include <numeric>

namespace conceptrank {

namespace {

constexpr Index no_slot = ~Index{0};
// Larger column matrices of one node are not worth their memory.
constexpr std::size_t most_column_words = std::size_t{1} << 25;
// A step of counting goes to memory that may be anywhere; a word of a bit operation is next to the
// last one.
constexpr double word_cost = 0.25;

}  // namespace

Tree::Tree(const Table& table, Constraints constraints, Comparison comparison)
    : table_(table), constraints_(std::move(constraints)), comparison_(comparison) {
  const std::size_t q = table.n_attributes();
  const std::vector<Word> extent = table.extent(constraints_.contains);
  const std::uint64_t support = table.support(extent);
  std::vector<Index> intent = table.intent(extent);

  std::vector<std::uint64_t> frequency(q, 0);
  for_each_bit(extent.data(), extent.size(), [&](std::size_t r) {
    for (const Index m : table.row(r)) frequency[m] += table.weight(r);
  });
  std::vector<int> group(q, 2);
  for (const Index m : constraints_.any_of) group[m] = 1;
  for (const Index m : constraints_.forbidden) group[m] = 0;
  attribute_.resize(q);
  std::iota(attribute_.begin(), attribute_.end(), Index{0});
  std::ranges::stable_sort(attribute_, [&](Index a, Index b) {
    return group[a] != group[b] ? group[a] < group[b] : frequency[a] > frequency[b];
  });
  rank_.resize(q);
  for (std::size_t rank = 0; rank < q; ++rank) rank_[attribute_[rank]] = static_cast<Index>(rank);
  const auto n_forbidden = static_cast<Index>(std::ranges::count(group, 0));
  any_of_end_ = n_forbidden + static_cast<Index>(std::ranges::count(group, 1));

  std::vector<Index> everything(q);
  std::iota(everything.begin(), everything.end(), Index{0});
  const std::uint64_t least = table.support(table.extent(everything));
  bottom_ = n_forbidden == 0 && least >= constraints_.min_support &&
            least <= constraints_.max_support && q >= constraints_.min_intent &&
            q <= constraints_.max_intent;

  const bool spoilt = std::ranges::any_of(intent, [&](Index m) { return rank_[m] < n_forbidden; });
  if (spoilt || support < constraints_.min_support || intent.size() > constraints_.max_intent ||
      q < constraints_.min_intent) {
    return;
  }
  Subtree root;
  root.decided = n_forbidden;
  root.support = std::min(support, constraints_.max_support);
  root.delta = root.support;
  root.longest = std::min<std::uint64_t>(q - n_forbidden, constraints_.max_intent);
  root.bottom = bottom_;
  root.intent = std::move(intent);
  root_ = std::move(root);
}

Expander::Expander(const Tree& tree)
    : tree_(tree),
      counts_(tree.table_.n_attributes(), 0),
      slot_of_(tree.table_.n_attributes(), no_slot) {}

void Expander::gather(const Subtree& node) {
  const Table& table = tree_.table_;
  for (const Index m : slots_) slot_of_[m] = no_slot;
  slots_.clear();
  supports_.clear();
  rows_.clear();
  weights_.clear();
  weighted_ = false;
  support_ = 0;
  const std::vector<Word> extent = table.extent(node.intent);
  for_each_bit(extent.data(), extent.size(), [&](std::size_t r) {
    const Index weight = table.weight(r);
    rows_.push_back(static_cast<Index>(r));
    weights_.push_back(weight);
    weighted_ = weighted_ || weight != 1;
    support_ += weight;
    for (const Index m : table.row(r)) counts_[m] += weight;
  });
  for (const Index m : tree_.attribute_) {
    if (counts_[m] != 0 && counts_[m] != support_) {
      slot_of_[m] = static_cast<Index>(slots_.size());
      slots_.push_back(m);
      supports_.push_back(counts_[m]);
    }
    counts_[m] = 0;
  }
}

bool Expander::compares_bits() const {
  if (tree_.comparison_ != Comparison::automatic) return tree_.comparison_ == Comparison::bits;
  const std::size_t words = slots_.size() * words_;
  if (words > most_column_words) return false;
  double steps = 0;
  for (const Index r : rows_) {
    const auto length = static_cast<double>(tree_.table_.row(r).size());
    steps += length * length;
  }
  return word_cost * static_cast<double>(words) * static_cast<double>(slots_.size()) <= steps;
}

void Expander::make_columns() {
  columns_.assign(slots_.size() * words_, 0);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    for (const Index m : tree_.table_.row(rows_[k])) {
      const Index slot = slot_of_[m];
      if (slot != no_slot) set_bit(columns_.data() + slot * words_, k);
    }
  }
  if (!weighted_) return;
  const Index most = *std::ranges::max_element(weights_);
  const auto n_planes = static_cast<std::size_t>(std::bit_width(most));
  planes_.assign(n_planes * words_, 0);
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    for (std::size_t p = 0; p < n_planes; ++p) {
      if ((weights_[k] >> p) & 1) set_bit(planes_.data() + p * words_, k);
    }
  }
}

void Expander::make_lists() {
  lists_.offsets.assign(slots_.size() + 1, 0);
  for (const Index r : rows_) {
    for (const Index m : tree_.table_.row(r)) {
      if (slot_of_[m] != no_slot) ++lists_.offsets[slot_of_[m] + 1];
    }
  }
  for (std::size_t s = 0; s < slots_.size(); ++s) lists_.offsets[s + 1] += lists_.offsets[s];
  lists_.values.resize(lists_.offsets.back());
  std::vector<std::uint64_t> next(lists_.offsets.begin(), lists_.offsets.end() - 1);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    for (const Index m : tree_.table_.row(rows_[k])) {
      if (slot_of_[m] != no_slot) {
        lists_.values[next[slot_of_[m]]++] = static_cast<Index>(k);
      }
    }
  }
}

std::uint64_t Expander::weigh(const Word* rows, const Word* without) const {
  std::uint64_t total = 0;
  if (!weighted_) {
    for (std::size_t w = 0; w < words_; ++w) total += count_bits(rows[w] & ~without[w]);
    return total;
  }
  const std::size_t n_planes = planes_.size() / words_;
  for (std::size_t p = 0; p < n_planes; ++p) {
    const Word* plane = planes_.data() + p * words_;
    std::uint64_t some = 0;
    for (std::size_t w = 0; w < words_; ++w) some += count_bits(rows[w] & ~without[w] & plane[w]);
    total += some << p;
  }
  return total;
}

bool Expander::contains(std::size_t larger, std::size_t smaller) const {
  const Word* wide = columns_.data() + larger * words_;
  const Word* narrow = columns_.data() + smaller * words_;
  for (std::size_t w = 0; w < words_; ++w) {
    if ((narrow[w] & ~wide[w]) != 0) return false;
  }
  return true;
}

bool Expander::compare_bits(std::size_t slot, const Worth& worth) {
  const std::uint64_t support = supports_[slot];
  nearest_ = support;
  if (worth.limit_delta || worth.own_delta) {
    const Word* column = columns_.data() + slot * words_;
    for (std::size_t other = 0; other < slot; ++other) {
      // It loses at least the difference of the supports.
      if (support > supports_[other] && support - supports_[other] >= nearest_) continue;
      nearest_ = std::min(nearest_, weigh(column, columns_.data() + other * words_));
      if (nearest_ == 0 || nearest_ < worth.delta) return false;
    }
  } else {
    for (std::size_t other = 0; other < slot; ++other) {
      if (supports_[other] >= support && contains(other, slot)) return false;
    }
  }
  added_.clear();
  for (std::size_t other = slot + 1; other < slots_.size(); ++other) {
    if (supports_[other] >= support && contains(other, slot)) {
      added_.push_back(static_cast<Index>(other));
    }
  }
  return true;
}

bool Expander::compare_counts(std::size_t slot, const Worth& worth) {
  together_.assign(slots_.size(), 0);
  for (const Index k : lists_[slot]) {
    for (const Index m : tree_.table_.row(rows_[k])) {
      if (slot_of_[m] != no_slot) together_[slot_of_[m]] += weights_[k];
    }
  }
  const std::uint64_t support = supports_[slot];
  nearest_ = support;
  for (std::size_t other = 0; other < slot; ++other) {
    nearest_ = std::min(nearest_, support - together_[other]);
  }
  if (nearest_ == 0 || nearest_ < worth.delta) return false;
  added_.clear();
  for (std::size_t other = slot + 1; other < slots_.size(); ++other) {
    if (together_[other] == support) added_.push_back(static_cast<Index>(other));
  }
  return true;
}

std::uint64_t Expander::support_with(std::size_t slot, std::uint64_t missing) {
  largest_.clear();
  auto next = added_.begin();
  for (std::size_t other = slot + 1; other < slots_.size(); ++other) {
    if (next != added_.end() && *next == other) {
      ++next;
      continue;
    }
    if (as_bits_) {
      const Word* column = columns_.data() + slot * words_;
      const std::uint64_t lost = weigh(column, columns_.data() + other * words_);
      largest_.push_back(supports_[slot] - lost);
    } else {
      largest_.push_back(together_[other]);
    }
  }
  if (largest_.size() < missing) return 0;
  const auto place = largest_.begin() + static_cast<std::ptrdiff_t>(missing - 1);
  std::ranges::nth_element(largest_, place, std::greater<>());
  return *place;
}

std::uint64_t Expander::own_delta(std::size_t slot) const {
  const Word* column = columns_.data() + slot * words_;
  const std::uint64_t support = supports_[slot];
  std::uint64_t nearest = nearest_;
  auto next = added_.begin();
  for (std::size_t other = slot + 1; other < slots_.size(); ++other) {
    if (next != added_.end() && *next == other) {
      ++next;
      continue;
    }
    if (!as_bits_) {
      nearest = std::min(nearest, support - together_[other]);
    } else if (support <= supports_[other] || support - supports_[other] < nearest) {
      nearest = std::min(nearest, weigh(column, columns_.data() + other * words_));
    }
  }
  return nearest;
}

void Expander::drop_from_rows(std::size_t slot) {
  if (as_bits_) {
    for_each_bit(columns_.data() + slot * words_, words_, [&](std::size_t k) { --undecided_[k]; });
  } else {
    for (const Index k : lists_[slot]) --undecided_[k];
  }
}

std::uint64_t Expander::longest_row(std::size_t slot) const {
  Index longest = 0;
  if (as_bits_) {
    for_each_bit(columns_.data() + slot * words_, words_,
                 [&](std::size_t k) { longest = std::max(longest, undecided_[k]); });
  } else {
    for (const Index k : lists_[slot]) longest = std::max(longest, undecided_[k]);
  }
  return longest;
}

std::optional<Expanded> Expander::expand(const Subtree& node, const Worth& worth, Budget& budget,
                                         bool polls) {
  const Table& table = tree_.table_;
  const Constraints& wanted = tree_.constraints_;
  const std::size_t q = table.n_attributes();
  gather(node);

  Expanded result;
  result.support = support_;
  const auto widest = std::ranges::max_element(supports_);
  result.delta = support_ - (widest == supports_.end() ? 0 : *widest);
  const auto ranked = [&](Index m) { return tree_.rank_[m]; };
  const bool some_wanted =
      wanted.any_of.empty() || std::ranges::any_of(wanted.any_of, [&](Index m) {
        return std::ranges::binary_search(node.intent, m);
      });
  result.counts =
      some_wanted && node.intent.size() >= wanted.min_intent && support_ <= wanted.max_support;
  if (node.intent.size() == q) return result;

  // The attribute of the lowest rank outside the intent. If it can be added, nothing is excluded.
  std::vector<Index> ranks(node.intent.size());
  std::ranges::transform(node.intent, ranks.begin(), ranked);
  std::ranges::sort(ranks);
  Index first = 0;
  while (first < ranks.size() && ranks[first] == first) ++first;
  const bool nothing_excluded = first >= node.decided;
  if (nothing_excluded && tree_.bottom_ && slot_of_[tree_.attribute_[first]] == no_slot) {
    // No object of the extent has it: the child is the concept of all attributes.
    Subtree child;
    child.intent.resize(q);
    std::iota(child.intent.begin(), child.intent.end(), Index{0});
    child.decided = static_cast<Index>(q);
    child.longest = q;
    child.bottom = true;
    child.counts = true;
    result.children.push_back(std::move(child));
  }

  words_ = words_for(rows_.size());
  as_bits_ = compares_bits();
  if (as_bits_) {
    make_columns();
  } else {
    make_lists();
  }
  std::size_t begin = 0;
  while (begin < slots_.size() && ranked(slots_[begin]) < node.decided) ++begin;
  const bool lengths = worth.limit_length || wanted.min_intent > 1;
  if (lengths) {
    undecided_.assign(rows_.size(), 0);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      for (const Index m : table.row(rows_[k])) {
        if (slot_of_[m] != no_slot && slot_of_[m] >= begin) ++undecided_[k];
      }
    }
  }
  for (std::size_t slot = begin; slot < slots_.size(); ++slot) {
    if (polls) budget.poll(0, 0);
    if (budget.stopped()) return std::nullopt;
    const Index rank = ranked(slots_[slot]);
    if (!some_wanted && rank >= tree_.any_of_end_) break;
    if (lengths) drop_from_rows(slot);
    // Measures may value the concept of all attributes whatever its support.
    const bool bottom = tree_.bottom_ && nothing_excluded && rank == first;
    Worth least = worth;
    if (bottom) least.support = least.delta = 0;
    least.support = std::max(least.support, wanted.min_support);
    const std::uint64_t support = supports_[slot];
    if (support < least.support) continue;
    if (as_bits_ ? !compare_bits(slot, least) : !compare_counts(slot, least)) continue;
    const std::size_t size = node.intent.size() + 1 + added_.size();
    if (size > wanted.max_intent) continue;

    Subtree child;
    child.decided = rank + 1;
    child.bottom = bottom;
    child.support = support;
    if (size < wanted.min_intent) child.support = support_with(slot, wanted.min_intent - size);
    child.support = std::min(child.support, wanted.max_support);
    if (child.support < least.support) continue;
    child.delta = std::min(nearest_, child.support);
    if (child.delta < least.delta) continue;
    const std::uint64_t further = lengths ? longest_row(slot) : slots_.size() - slot - 1;
    child.longest = bottom ? q : node.intent.size() + 1 + further;
    child.longest = std::min(child.longest, wanted.max_intent);
    if (child.longest < wanted.min_intent) continue;
    child.own_support = support;
    if (worth.own_delta) child.own_delta = own_delta(slot);
    child.counts = (some_wanted || rank < tree_.any_of_end_) && size >= wanted.min_intent &&
                   support <= wanted.max_support;
    child.intent.reserve(size);
    child.intent = node.intent;
    child.intent.push_back(slots_[slot]);
    for (const Index other : added_) child.intent.push_back(slots_[other]);
    std::ranges::sort(child.intent);
    result.children.push_back(std::move(child));
  }
  return result;
}

}  // namespace conceptrank
