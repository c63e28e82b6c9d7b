#include "cpp/best/frontier.hpp"

#include <algorithm>
#include <cmath>

namespace conceptrank {

namespace {

// Scores and limits are exact up to rounding. A node is dropped only if its key is smaller by more
// than `rounding`, relative to the larger number, so ties are kept. Numbers that differ by at most
// `equality` count as equal; then the next number of the key decides.
constexpr double rounding = 1e-12;
constexpr double equality = 1.5e-13;
// A step expands this share of the nodes visited so far, within limits, because each step has a
// cost.
constexpr std::size_t step_share = 8;
constexpr std::size_t largest_step = 512;
constexpr std::size_t step_in_depth = 64;
// After this many nodes, or before k concepts are found, half of the nodes are picked by their own
// scores.
constexpr std::size_t patience = 1000;

/// Whether the key is smaller than the threshold by more than rounding.
bool below(std::span<const double> key, std::span<const double> threshold) {
  for (std::size_t i = 0; i < threshold.size(); ++i) {
    if (key[i] == threshold[i]) continue;
    const double size = std::max(std::abs(key[i]), std::abs(threshold[i]));
    if (!std::isfinite(size)) return key[i] < threshold[i];
    if (key[i] - threshold[i] > equality * size) return false;
    if (threshold[i] - key[i] > rounding * size) return true;
  }
  return false;
}

}  // namespace

std::size_t step_size(std::size_t visited, bool depth_first) {
  if (depth_first) return step_in_depth;
  return std::clamp<std::size_t>(visited / step_share, 1, largest_step);
}

std::size_t dives_of(std::size_t step, std::size_t visited, bool enough) {
  return visited >= patience || (visited > 1 && !enough) ? step / 2 : 0;
}

Frontier::Frontier(const Tree& tree, std::size_t width, std::uint64_t most_bytes)
    : tree_(tree), width_(width), most_bytes_(most_bytes) {
  if (auto root = tree.root()) {
    auto entry = std::make_shared<Entry>();
    entry->number = arrived_++;
    entry->key.assign(width, std::numeric_limits<double>::infinity());
    entry->score = std::numeric_limits<double>::quiet_NaN();
    entry->node = std::move(*root);
    add(std::move(entry));
  }
}

bool Frontier::worse(const Shared& a, const Shared& b) {
  const auto order = std::lexicographical_compare_three_way(a->key.begin(), a->key.end(),
                                                            b->key.begin(), b->key.end());
  return order == 0 ? a->number > b->number : order < 0;
}

bool Frontier::scored_worse(const Shared& a, const Shared& b) {
  return a->score == b->score ? a->number > b->number : a->score < b->score;
}

std::uint64_t Frontier::bytes_of(const Entry& entry) {
  return sizeof(Entry) + 2 * sizeof(Shared) + entry.key.capacity() * sizeof(double) +
         entry.node.intent.capacity() * sizeof(Index);
}

void Frontier::add(Shared entry) {
  entry->taken = false;
  ++size_;
  bytes_ += bytes_of(*entry);
  if (bytes_ > most_bytes_) {
    stack_.push_back(std::move(entry));
    return;
  }
  if (!std::isnan(entry->score)) {
    scored_.push_back(entry);
    std::ranges::push_heap(scored_, scored_worse);
  }
  heap_.push_back(std::move(entry));
  std::ranges::push_heap(heap_, worse);
}

void Frontier::remove(Entry& entry) {
  entry.taken = true;
  --size_;
  bytes_ -= bytes_of(entry);
}

Frontier::Shared Frontier::take() {
  while (!stack_.empty() || !heap_.empty()) {
    std::vector<Shared>& from = stack_.empty() ? heap_ : stack_;
    if (&from == &heap_) std::ranges::pop_heap(heap_, worse);
    Shared entry = std::move(from.back());
    from.pop_back();
    if (entry->taken) continue;
    remove(*entry);
    return entry;
  }
  return nullptr;
}

Frontier::Shared Frontier::take_scored() {
  while (!scored_.empty()) {
    std::ranges::pop_heap(scored_, scored_worse);
    Shared entry = std::move(scored_.back());
    scored_.pop_back();
    if (entry->taken) continue;
    remove(*entry);
    return entry;
  }
  return nullptr;
}

double Frontier::bound() {
  while (!heap_.empty() && heap_.front()->taken) {
    std::ranges::pop_heap(heap_, worse);
    heap_.pop_back();
  }
  double most = heap_.empty() ? -std::numeric_limits<double>::infinity() : heap_.front()->key[0];
  for (const Shared& entry : stack_) most = std::max(most, entry->key[0]);
  return most;
}

Step Frontier::expand(std::size_t count, std::size_t dives, std::span<const double> threshold,
                      const Worth& worth, unsigned threads, Budget& budget) {
  std::vector<Shared> taken;
  while (!depth_first() && taken.size() < std::min(dives, count)) {
    Shared entry = take_scored();
    if (!entry) break;
    if (!below(entry->key, threshold)) taken.push_back(std::move(entry));
  }
  while (taken.size() < count) {
    Shared entry = take();
    if (!entry) break;
    if (!below(entry->key, threshold)) taken.push_back(std::move(entry));
  }
  std::vector<std::optional<Expanded>> expanded(taken.size());
  const std::size_t workers =
      std::min<std::size_t>(thread_count(threads), std::max<std::size_t>(taken.size(), 1));
  if (expanders_.size() < workers) expanders_.resize(workers);
  const auto work = [&](std::size_t begin, std::size_t end, unsigned worker) {
    if (!expanders_[worker]) expanders_[worker] = std::make_unique<Expander>(tree_);
    for (std::size_t i = begin; i < end && !budget.stopped(); ++i) {
      expanded[i] = expanders_[worker]->expand(taken[i]->node, worth, budget, worker == 0);
    }
  };
  parallel_blocks(taken.size(), 1, static_cast<unsigned>(workers), budget, work);

  Step step;
  step.bound = -std::numeric_limits<double>::infinity();
  std::vector<Shared> left;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (!expanded[i]) {
      left.push_back(std::move(taken[i]));
      continue;
    }
    step.bound = std::max(step.bound, taken[i]->key[0]);
    std::ranges::move(expanded[i]->children, std::back_inserter(step.children));
    expanded[i]->children.clear();
    step.sums.insert(step.sums.end(), expanded[i]->sums.begin(), expanded[i]->sums.end());
    step.concepts.push_back(std::move(*expanded[i]));
    step.nodes.push_back(std::move(taken[i]->node));
  }
  for (auto entry = left.rbegin(); entry != left.rend(); ++entry) {
    // A copy, because the other heap may still have the entry that was taken.
    add(std::make_shared<Entry>(**entry));
  }
  return step;
}

void Frontier::push(std::vector<Subtree>&& nodes, std::span<const double> keys,
                    std::span<const double> scores, std::span<const double> threshold) {
  std::vector<Shared> entries;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::span<const double> key = keys.subspan(i * width_, width_);
    if (nodes[i].leaf || std::isnan(key[0]) || below(key, threshold)) continue;
    auto entry = std::make_shared<Entry>();
    entry->number = arrived_++;
    entry->key.assign(key.begin(), key.end());
    entry->score = scores.empty() ? std::numeric_limits<double>::quiet_NaN() : scores[i];
    entry->node = std::move(nodes[i]);
    entries.push_back(std::move(entry));
  }
  std::ranges::sort(entries, worse);
  // The best last: it is on top if it goes to the stack.
  for (Shared& entry : entries) add(std::move(entry));
}

}  // namespace conceptrank
