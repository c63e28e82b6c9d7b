#include "cpp/best/frontier.hpp"

#include <algorithm>
#include <cmath>

namespace conceptrank {

namespace {

// Scores and limits are exact up to rounding. What is closer than this, as a share of the larger
// one, counts as equal: a tie is never cut by rounding.
constexpr double rounding = 1e-12;

/// Whether the key is surely smaller than the threshold.
bool below(std::span<const double> key, std::span<const double> threshold) {
  for (std::size_t i = 0; i < threshold.size(); ++i) {
    if (key[i] == threshold[i]) continue;
    const double size = std::max(std::abs(key[i]), std::abs(threshold[i]));
    if (std::isfinite(size) && std::abs(key[i] - threshold[i]) <= rounding * size) continue;
    return key[i] < threshold[i];
  }
  return false;
}

}  // namespace

Frontier::Frontier(const Tree& tree, std::size_t width, std::uint64_t most_bytes)
    : tree_(tree), width_(width), most_bytes_(most_bytes) {
  if (auto root = tree.root()) {
    auto entry = std::make_unique<Entry>();
    entry->number = arrived_++;
    entry->key.assign(width, std::numeric_limits<double>::infinity());
    entry->node = std::move(*root);
    add(std::move(entry));
  }
}

bool Frontier::worse(const Owned& a, const Owned& b) {
  const auto order = std::lexicographical_compare_three_way(a->key.begin(), a->key.end(),
                                                            b->key.begin(), b->key.end());
  return order == 0 ? a->number > b->number : order < 0;
}

std::uint64_t Frontier::bytes_of(const Entry& entry) {
  return sizeof(Entry) + sizeof(Owned) + entry.key.capacity() * sizeof(double) +
         entry.node.intent.capacity() * sizeof(Index);
}

void Frontier::add(Owned entry) {
  bytes_ += bytes_of(*entry);
  if (bytes_ > most_bytes_) {
    stack_.push_back(std::move(entry));
  } else {
    heap_.push_back(std::move(entry));
    std::ranges::push_heap(heap_, worse);
  }
}

Frontier::Owned Frontier::take() {
  std::vector<Owned>& from = stack_.empty() ? heap_ : stack_;
  if (&from == &heap_) std::ranges::pop_heap(heap_, worse);
  Owned entry = std::move(from.back());
  from.pop_back();
  bytes_ -= bytes_of(*entry);
  return entry;
}

double Frontier::bound() const {
  double most = heap_.empty() ? -std::numeric_limits<double>::infinity() : heap_.front()->key[0];
  for (const Owned& entry : stack_) most = std::max(most, entry->key[0]);
  return most;
}

Step Frontier::expand(std::size_t count, std::span<const double> threshold, const Worth& worth,
                      unsigned threads, Budget& budget) {
  std::vector<Owned> taken;
  while (taken.size() < count && size() != 0) {
    Owned entry = take();
    if (!below(entry->key, threshold)) taken.push_back(std::move(entry));
  }
  std::vector<std::optional<Expanded>> expanded(taken.size());
  std::vector<std::unique_ptr<Expander>> expanders(
      std::min<std::size_t>(thread_count(threads), std::max<std::size_t>(taken.size(), 1)));
  const auto work = [&](std::size_t begin, std::size_t end, unsigned worker) {
    if (!expanders[worker]) expanders[worker] = std::make_unique<Expander>(tree_);
    for (std::size_t i = begin; i < end && !budget.stopped(); ++i) {
      expanded[i] = expanders[worker]->expand(taken[i]->node, worth, budget, worker == 0);
    }
  };
  parallel_blocks(taken.size(), 1, static_cast<unsigned>(expanders.size()), budget, work);

  Step step;
  step.bound = -std::numeric_limits<double>::infinity();
  std::vector<Owned> left;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (!expanded[i]) {
      left.push_back(std::move(taken[i]));
      continue;
    }
    step.bound = std::max(step.bound, taken[i]->key[0]);
    std::ranges::move(expanded[i]->children, std::back_inserter(step.children));
    expanded[i]->children.clear();
    step.concepts.push_back(std::move(*expanded[i]));
    step.nodes.push_back(std::move(taken[i]->node));
  }
  for (auto entry = left.rbegin(); entry != left.rend(); ++entry) add(std::move(*entry));
  return step;
}

void Frontier::push(std::vector<Subtree>&& nodes, std::span<const double> keys,
                    std::span<const double> threshold) {
  std::vector<Owned> entries;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::span<const double> key = keys.subspan(i * width_, width_);
    if (std::isnan(key[0]) || below(key, threshold)) continue;
    auto entry = std::make_unique<Entry>();
    entry->number = arrived_++;
    entry->key.assign(key.begin(), key.end());
    entry->node = std::move(nodes[i]);
    entries.push_back(std::move(entry));
  }
  std::ranges::sort(entries, worse);
  // The best last: it is on top if it goes to the stack.
  for (Owned& entry : entries) add(std::move(entry));
}

}  // namespace conceptrank
