#include "cpp/best/tree.hpp"

#include <algorithm>
#include <numeric>

namespace conceptrank {

namespace {

constexpr Index no_slot = ~Index{0};
// Larger column matrices of one node are not worth their memory.
constexpr std::size_t most_column_words = std::size_t{1} << 25;
// The cost of a word of a bit operation, in steps of counting. Counting jumps around in memory; bit
// operations read neighbouring words.
constexpr double word_cost = 0.03;
// The cost of counting and packing one word of the table, in steps of counting.
constexpr double gather_cost = 0.25;
// A bundle has a row per object if it has at most this share of the bits of weighted rows.
constexpr double most_copies = 0.8;
// Slots between two checks of the clock.
constexpr std::size_t poll_stride = 16;

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

  if (table.dense() && comparison_ != Comparison::counts) make_bundle();
}

void Tree::make_bundle() {
  const std::size_t q = table_.n_attributes();
  const std::size_t n = table_.n_rows();
  weights_.assign(n, [&](std::size_t r) { return table_.weight(r); });
  const auto row_cost = static_cast<double>(1 + weights_.n);
  const bool by_object = weights_.n != 0 && static_cast<double>(table_.n_objects()) <=
                                                most_copies * row_cost * static_cast<double>(n);
  words_ = words_for(by_object ? table_.n_objects() : n);
  stride_ = bundle_stride(q);
  bundle_.assign(words_ * stride_, 0);
  if (!by_object) {
    for (std::size_t rank = 0; rank < q; ++rank) {
      const std::span<const Word> column = table_.column_words(attribute_[rank]);
      for (std::size_t w = 0; w < words_; ++w) bundle_[w * stride_ + rank] = column[w];
    }
    return;
  }
  weights_ = {};
  const auto weights = table_.object_weights();
  for (std::size_t g = 0; g < table_.n_listed(); ++g) {
    row_of_copy_.insert(row_of_copy_.end(), weights.empty() ? 1 : weights[g],
                        table_.row_of_object()[g]);
  }
  for (std::size_t i = 0; i < row_of_copy_.size(); ++i) {
    Word* word = bundle_.data() + i / word_bits * stride_;
    for (const Index m : table_.row(row_of_copy_[i])) {
      word[rank_[m]] |= Word{1} << (i % word_bits);
    }
  }
}

void Tree::add_marks(std::span<const Index> of_objects) {
  Marks marks;
  marks.of_row.assign(table_.n_rows(), 0);
  const auto weights = table_.object_weights();
  std::vector<Index> of_copy;
  for (std::size_t g = 0; g < of_objects.size(); ++g) {
    const Index weight = weights.empty() ? 1 : weights[g];
    marks.of_row[table_.row_of_object()[g]] += of_objects[g] * weight;
    if (!row_of_copy_.empty()) of_copy.insert(of_copy.end(), weight, of_objects[g]);
  }
  const std::vector<Index>& numbers = row_of_copy_.empty() ? marks.of_row : of_copy;
  marks.rows.assign(words_for(numbers.size()), 0);
  for (std::size_t r = 0; r < numbers.size(); ++r) {
    if (numbers[r] != 0) set_bit(marks.rows.data(), r);
  }
  marks.more.assign(numbers.size(), [&](std::size_t r) { return std::max<Index>(numbers[r], 1); });
  marks_.push_back(std::move(marks));
}

Expander::Expander(const Tree& tree)
    : tree_(tree),
      kernels_(kernels()),
      slot_of_(tree.table_.n_attributes(), no_slot),
      all_(std::max<std::size_t>(tree.table_.n_attributes(), word_bits)) {
  std::iota(all_.begin(), all_.end(), Index{0});
}

void Expander::list_rows() {
  rows_.clear();
  const bool copies = from_bundle_ && !tree_.row_of_copy_.empty();
  for_each_bit(extent_.data(), extent_.size(), [&](std::size_t r) {
    rows_.push_back(copies ? tree_.row_of_copy_[r] : static_cast<Index>(r));
  });
}

void Expander::copy_extent(const Subtree& node) {
  extent_.assign(tree_.words_, ~Word{0});
  extent_.back() = tail_mask(tree_.row_of_copy_.size());
  for (const Index m : node.intent) {
    const Word* column = tree_.bundle_.data() + tree_.rank_[m];
    for (std::size_t w = 0; w < tree_.words_; ++w) extent_[w] &= column[w * tree_.stride_];
  }
  n_rows_ = support_;
}

void Expander::gather(const Subtree& node, bool lengths) {
  const Table& table = tree_.table_;
  const std::size_t q = table.n_attributes();
  for (const Index m : slots_) slot_of_[m] = no_slot;
  slots_.clear();
  ranks_.clear();
  supports_.clear();
  extent_ = table.extent(node.intent);
  n_rows_ = kernels_.count(extent_.data(), extent_.size());
  support_ = table.support(extent_);
  const double per_row = static_cast<double>(table.n_crosses()) /
                         std::max(1.0, static_cast<double>(table.n_objects()));
  from_bundle_ =
      !tree_.bundle_.empty() && gather_cost * static_cast<double>(tree_.bundle_.size()) <=
                                    per_row * static_cast<double>(n_rows_);
  if (from_bundle_ && !tree_.row_of_copy_.empty()) copy_extent(node);
  if (!from_bundle_ || lengths) list_rows();
  if (from_bundle_) {
    counts_.resize(tree_.stride_);
    scratch_.resize(tree_.stride_);
    kernels_.count_within(tree_.bundle_.data(), tree_.stride_, tree_.words_, extent_.data(),
                          tree_.weights_.bits.data(), tree_.weights_.n, scratch_.data(),
                          counts_.data());
  } else {
    counts_.assign(q, 0);
    for (const Index r : rows_) {
      const Index weight = table.weight(r);
      for (const Index m : table.row(r)) counts_[tree_.rank_[m]] += weight;
    }
  }
  for (std::size_t rank = 0; rank < q; ++rank) {
    if (counts_[rank] == 0 || counts_[rank] == support_) continue;
    const Index m = tree_.attribute_[rank];
    slot_of_[m] = static_cast<Index>(slots_.size());
    slots_.push_back(m);
    ranks_.push_back(static_cast<Index>(rank));
    supports_.push_back(counts_[rank]);
  }
  words_ = words_for(n_rows_);
  stride_ = bundle_stride(slots_.size());
  as_bits_ = from_bundle_ || compares_bits();
  marks_.resize(tree_.marks_.size());
  if (from_bundle_) {
    pack_columns();
  } else if (as_bits_) {
    make_columns();
  } else {
    make_lists();
  }
  if (as_bits_) copy_first();
  add_up_marks();
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

void Expander::pack_columns() {
  const auto pack = [&](const std::vector<Word>& from, std::size_t stride,
                        const std::vector<Index>& columns, std::size_t n, std::vector<Word>& into,
                        std::size_t into_stride) {
    into.resize(words_ * into_stride);
    kernels_.pack(from.data(), stride, tree_.words_, extent_.data(), columns.data(), n, into.data(),
                  into_stride);
  };
  const auto pack_planes = [&](const Planes& from, Planes& into) {
    into.n = from.n;
    if (from.n != 0) pack(from.bits, from.stride(), all_, from.n, into.bits, from.stride());
  };
  pack(tree_.bundle_, tree_.stride_, ranks_, slots_.size(), columns_, stride_);
  pack_planes(tree_.weights_, weights_);
  for (std::size_t t = 0; t < marks_.size(); ++t) {
    pack(tree_.marks_[t].rows, 1, all_, 1, marks_[t].rows, 1);
    pack_planes(tree_.marks_[t].more, marks_[t].more);
  }
}

void Expander::make_columns() {
  const Table& table = tree_.table_;
  columns_.assign(words_ * stride_, 0);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    Word* word = columns_.data() + k / word_bits * stride_;
    for (const Index m : table.row(rows_[k])) {
      if (slot_of_[m] != no_slot) word[slot_of_[m]] |= Word{1} << (k % word_bits);
    }
  }
  weights_.assign(n_rows_, [&](std::size_t k) { return table.weight(rows_[k]); });
  for (std::size_t t = 0; t < marks_.size(); ++t) {
    const std::vector<Index>& of_row = tree_.marks_[t].of_row;
    marks_[t].rows.assign(words_, 0);
    for (std::size_t k = 0; k < n_rows_; ++k) {
      if (of_row[rows_[k]] != 0) set_bit(marks_[t].rows.data(), k);
    }
    marks_[t].more.assign(n_rows_,
                          [&](std::size_t k) { return std::max<Index>(of_row[rows_[k]], 1); });
  }
}

void Expander::copy_first() {
  if (stride_ <= bundle_lanes) return;
  first_.resize(words_ * bundle_lanes);
  for (std::size_t w = 0; w < words_; ++w) {
    std::copy_n(columns_.data() + w * stride_, bundle_lanes, first_.data() + w * bundle_lanes);
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

template <class Visit>
void Expander::for_rows(std::size_t slot, Visit&& visit) const {
  if (!as_bits_) {
    for (const Index k : lists_[slot]) visit(k);
    return;
  }
  for (std::size_t w = 0; w < words_; ++w) {
    for (Word word = columns_[w * stride_ + slot]; word != 0; word &= word - 1) {
      visit(w * word_bits + lowest_bit(word));
    }
  }
}

void Expander::add_up_marks() {
  for (std::size_t t = 0; t < marks_.size(); ++t) {
    Marks& marks = marks_[t];
    marks.sums.assign(stride_, 0);
    if (as_bits_) {
      scratch_.resize(std::max(scratch_.size(), stride_));
      kernels_.count_within(columns_.data(), stride_, words_, marks.rows.data(),
                            marks.more.bits.data(), marks.more.n, scratch_.data(),
                            marks.sums.data());
      continue;
    }
    for (const Index r : rows_) {
      const Index number = tree_.marks_[t].of_row[r];
      if (number == 0) continue;
      for (const Index m : tree_.table_.row(r)) {
        if (slot_of_[m] != no_slot) marks.sums[slot_of_[m]] += number;
      }
    }
  }
}

bool Expander::compare(std::size_t slot, const Worth& worth) {
  together_.assign(stride_, 0);
  if (as_bits_) {
    mask_.resize(words_);
    for (std::size_t w = 0; w < words_; ++w) mask_[w] = columns_[w * stride_ + slot];
    scratch_.resize(std::max(scratch_.size(), stride_));
    if (slot >= bundle_lanes) {
      kernels_.count_within(first_.data(), bundle_lanes, words_, mask_.data(), weights_.bits.data(),
                            weights_.n, scratch_.data(), together_.data());
      const auto most = std::max_element(together_.data(), together_.data() + bundle_lanes);
      const Index nearest = supports_[slot] - *most;
      if (nearest == 0 || nearest < worth.delta) return false;
    }
    kernels_.count_within(columns_.data(), stride_, words_, mask_.data(), weights_.bits.data(),
                          weights_.n, scratch_.data(), together_.data());
  } else {
    for (const Index k : lists_[slot]) {
      const Index weight = tree_.table_.weight(rows_[k]);
      for (const Index m : tree_.table_.row(rows_[k])) {
        if (slot_of_[m] != no_slot) together_[slot_of_[m]] += weight;
      }
    }
  }
  const Index support = supports_[slot];
  nearest_ = support;
  for (std::size_t other = 0; other < slot; ++other) {
    nearest_ = std::min<std::uint64_t>(nearest_, support - together_[other]);
  }
  if (nearest_ == 0 || nearest_ < worth.delta) return false;
  added_.clear();
  for (std::size_t other = slot + 1; other < slots_.size(); ++other) {
    if (together_[other] == support) added_.push_back(static_cast<Index>(other));
  }
  return true;
}

template <class Visit>
void Expander::for_later(std::size_t slot, Visit&& visit) const {
  const Index support = supports_[slot];
  for (std::size_t other = slot + 1; other < slots_.size(); ++other) {
    if (together_[other] != support) visit(other);
  }
}

std::uint64_t Expander::support_with(std::size_t slot, std::uint64_t missing) {
  if (missing == 1) {
    Index most = 0;
    for_later(slot, [&](std::size_t other) { most = std::max(most, together_[other]); });
    return most;
  }
  largest_.clear();
  for_later(slot, [&](std::size_t other) { largest_.push_back(together_[other]); });
  if (largest_.size() < missing) return 0;
  const auto place = largest_.begin() + static_cast<std::ptrdiff_t>(missing - 1);
  std::ranges::nth_element(largest_, place, std::greater<>());
  return *place;
}

Index Expander::sum_below(std::size_t slot, std::size_t t) {
  sums_.assign(stride_, 0);
  if (as_bits_) {
    marked_.resize(words_);
    for (std::size_t w = 0; w < words_; ++w) marked_[w] = mask_[w] & marks_[t].rows[w];
    kernels_.count_within(columns_.data(), stride_, words_, marked_.data(),
                          marks_[t].more.bits.data(), marks_[t].more.n, scratch_.data(),
                          sums_.data());
  } else {
    for (const Index k : lists_[slot]) {
      const Index number = tree_.marks_[t].of_row[rows_[k]];
      if (number == 0) continue;
      for (const Index m : tree_.table_.row(rows_[k])) {
        if (slot_of_[m] != no_slot) sums_[slot_of_[m]] += number;
      }
    }
  }
  Index most = 0;
  for_later(slot, [&](std::size_t other) { most = std::max(most, sums_[other]); });
  return most;
}

std::uint64_t Expander::own_delta(std::size_t slot) const {
  std::uint64_t nearest = nearest_;
  for_later(slot, [&](std::size_t other) {
    nearest = std::min<std::uint64_t>(nearest, supports_[slot] - together_[other]);
  });
  return nearest;
}

std::optional<Expanded> Expander::expand(const Subtree& node, const Worth& worth, Budget& budget,
                                         bool polls) {
  const Table& table = tree_.table_;
  const Constraints& wanted = tree_.constraints_;
  const std::size_t q = table.n_attributes();
  const std::size_t n_marks = tree_.marks_.size();
  const bool lengths = worth.limit_length || wanted.min_intent > 1;
  gather(node, lengths);

  Expanded result;
  result.support = support_;
  const auto widest = std::ranges::max_element(supports_);
  result.delta = support_ - (widest == supports_.end() ? 0 : *widest);
  const bool some_wanted =
      wanted.any_of.empty() || std::ranges::any_of(wanted.any_of, [&](Index m) {
        return std::ranges::binary_search(node.intent, m);
      });
  result.counts =
      some_wanted && node.intent.size() >= wanted.min_intent && support_ <= wanted.max_support;
  if (node.intent.size() == q) return result;

  // The attribute of the lowest rank outside the intent. If it can be added, nothing is excluded.
  std::vector<Index> ranks(node.intent.size());
  std::ranges::transform(node.intent, ranks.begin(), [&](Index m) { return tree_.rank_[m]; });
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
    child.leaf = worth.strict;
    result.children.push_back(std::move(child));
    result.sums.resize(2 * n_marks, 0);
  }

  const auto begin =
      static_cast<std::size_t>(std::ranges::lower_bound(ranks_, node.decided) - ranks_.begin());
  if (lengths) {
    // One unsigned comparison without a branch: it is false for slots before `begin`, which wrap
    // around, and for `no_slot`.
    const auto first_slot = static_cast<Index>(begin);
    const auto n_slots = static_cast<Index>(slots_.size() - begin);
    undecided_.resize(rows_.size());
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      Index n = 0;
      for (const Index m : table.row(rows_[k])) n += slot_of_[m] - first_slot < n_slots ? 1 : 0;
      undecided_[k] = n;
    }
  }
  for (std::size_t slot = begin; slot < slots_.size(); ++slot) {
    if (polls && (slot - begin) % poll_stride == 0) budget.poll(0, 0);
    if (budget.stopped()) return std::nullopt;
    const Index rank = ranks_[slot];
    if (!some_wanted && rank >= tree_.any_of_end_) break;
    if (lengths) for_rows(slot, [&](std::size_t k) { --undecided_[k]; });
    // Some measures score the concept of all attributes independently of its support.
    const bool bottom = tree_.bottom_ && nothing_excluded && rank == first;
    Worth least = worth;
    if (bottom) least.support = least.delta = least.sum = 0;
    // Δ is at most the support.
    least.support = std::max({least.support, least.delta, wanted.min_support});
    const std::uint64_t support = supports_[slot];
    if (support < least.support) continue;
    if (n_marks > 0 && marks_[0].sums[slot] < least.sum) continue;
    if (!compare(slot, least)) continue;
    const std::size_t size = node.intent.size() + 1 + added_.size();
    if (size > wanted.max_intent) continue;

    Subtree child;
    child.decided = rank + 1;
    child.bottom = bottom;
    child.support = support;
    const bool strict = worth.strict && !bottom;
    const std::uint64_t missing = size < wanted.min_intent ? wanted.min_intent - size : strict;
    if (missing > 0) child.support = support_with(slot, missing);
    child.leaf = strict &&
                 (child.support == 0 || child.support < least.support || size >= wanted.max_intent);
    child.support = std::min(child.support, wanted.max_support);
    child.delta = std::min(nearest_, child.support);
    child.leaf = child.leaf || (strict && child.delta < least.delta);
    std::uint64_t further = slots_.size() - slot - 1;
    if (lengths) {
      Index longest = 0;
      for_rows(slot, [&](std::size_t k) { longest = std::max(longest, undecided_[k]); });
      further = longest;
    }
    child.longest = bottom ? q : node.intent.size() + 1 + further;
    child.longest = std::min(child.longest, wanted.max_intent);
    if (child.longest < wanted.min_intent) continue;
    child.own_support = support;
    child.own_delta = own_delta(slot);
    child.counts = (some_wanted || rank < tree_.any_of_end_) && size >= wanted.min_intent &&
                   support <= wanted.max_support;
    if (strict) {
      // Neither the child's own concept nor one below it can be among the best.
      if (child.leaf && (!child.counts || child.own_delta < least.delta)) continue;
    } else if (child.support < least.support || child.delta < least.delta) {
      continue;
    }
    for (std::size_t t = 0; t < n_marks; ++t) result.sums.push_back(marks_[t].sums[slot]);
    for (std::size_t t = 0; t < n_marks; ++t) {
      const Index most = !strict ? marks_[t].sums[slot] : child.leaf ? 0 : sum_below(slot, t);
      if (t == 0 && most < least.sum) child.leaf = strict;
      result.sums.push_back(most);
    }
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
