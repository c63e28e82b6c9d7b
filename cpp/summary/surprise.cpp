#include "cpp/summary/surprise.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace conceptrank {

namespace {

// Candidates per block: enough work for a thread, few wasted evaluations past the best candidate.
constexpr std::size_t bound_block = 4096;
constexpr std::size_t first_batch = 64;
constexpr std::size_t largest_batch = 4096;
// A bound and the exact score of a candidate are sums in different orders. This covers the rounding.
constexpr double rounding = 1 + 1e-9;
// Halvings of [0, support] when looking for the expected support that makes a candidate hopeless.
constexpr int bisections = 20;

}  // namespace

double surprise_gain(double n, double support, double expected) {
  if (support <= expected) return 0;
  if (expected <= 0) return std::numeric_limits<double>::infinity();
  double gain = support * std::log(support / expected);
  if (support < n) gain += (n - support) * std::log((n - support) / (n - expected));
  return std::max(gain, 0.0);
}

/// The state of one evaluation. Level d of the recursion has its own set of objects and densities.
struct Surprise::Scratch {
  std::span<const Index> units;
  std::vector<std::size_t> tiles;              // those that share units with the candidate
  std::vector<std::vector<Word>> objects;      // by depth
  std::vector<std::vector<double>> densities;  // by depth
  std::vector<double> by_class;                // the result
  double sum = 0;                              // the expected support so far
  double enough = 0;                           // the evaluation may end when the sum reaches this
};

Surprise::Surprise(Candidates candidates, std::size_t n_objects, std::size_t n_units,
                   std::size_t n_classes)
    : candidates_(std::move(candidates)),
      n_objects_(n_objects),
      n_units_(n_units),
      n_classes_(n_classes),
      n_words_((n_objects + 63) / 64),
      shares_(n_classes, 0.0),
      background_(n_classes * n_units, 0.0),
      slot_(candidates_.supports.size(), unknown) {}

void Surprise::set_background(std::span<const double> shares,
                              std::span<const double> probabilities) {
  // Bounds known so far hold for the old probabilities; where a probability falls, they fall along.
  std::vector<double> falls(background_.size(), 1.0);
  for (std::size_t i = 0; i < background_.size(); ++i) {
    if (probabilities[i] < background_[i]) falls[i] = probabilities[i] / background_[i];
  }
  for (std::size_t place = 0; place < slot_.size(); ++place) {
    if (slot_[place] == unknown) continue;
    double* known = &known_[slot_[place] * n_classes_];
    for (std::size_t c = 0; c < n_classes_; ++c) {
      for (const Index unit : candidates_.units[place]) known[c] *= falls[c * n_units_ + unit];
    }
  }
  shares_.assign(shares.begin(), shares.end());
  background_.assign(probabilities.begin(), probabilities.end());
}

void Surprise::teach(std::span<const std::uint8_t> members, std::span<const double> densities) {
  std::vector<Word> bits(n_words_, 0);
  for (std::size_t g = 0; g < n_objects_; ++g) {
    if (members[g] != 0) bits[g / 64] |= Word{1} << (g % 64);
  }
  std::uint64_t count = 0;
  for (const Word word : bits) count += static_cast<std::uint64_t>(std::popcount(word));
  n_members_.push_back(count);
  members_.push_back(std::move(bits));
  densities_.emplace_back(densities.begin(), densities.end());
}

double Surprise::weigh(std::span<const double> by_class) const {
  return std::inner_product(by_class.begin(), by_class.end(), shares_.begin(), 0.0);
}

/// Fills `by_class`; with the lower bound reached so far if that is `enough`.
void Surprise::evaluate(std::span<const Index> units, double enough, Scratch& scratch) const {
  scratch.units = units;
  scratch.sum = 0;
  scratch.enough = enough;
  scratch.tiles.clear();
  for (std::size_t tile = 0; tile < densities_.size(); ++tile) {
    if (std::ranges::any_of(units, [&](Index u) { return densities_[tile][u] > 0; })) {
      scratch.tiles.push_back(tile);
    }
  }
  if (one_tile_suffices(scratch)) return;
  const std::size_t depths = scratch.tiles.size() + 1;
  if (scratch.objects.size() < depths) {
    scratch.objects.resize(depths, std::vector<Word>(n_words_));
    scratch.densities.resize(depths);
  }
  std::ranges::fill(scratch.objects[0], ~Word{0});
  if (n_objects_ % 64 != 0) scratch.objects[0].back() = (Word{1} << (n_objects_ % 64)) - 1;
  scratch.densities[0].assign(units.size(), 0.0);
  scratch.by_class.assign(n_classes_, 0.0);
  split(0, n_objects_, scratch);
}

/// Looks at one tile at a time and ignores the others, which gives lower bounds. Puts the first one
/// that is enough into `by_class`. Also sorts the tiles, those that expect most first.
bool Surprise::one_tile_suffices(Scratch& scratch) const {
  std::vector<std::pair<double, std::size_t>> sums;
  for (const std::size_t tile : scratch.tiles) {
    scratch.by_class.assign(n_classes_, 0.0);
    double sum = 0;
    for (std::size_t c = 0; c < n_classes_; ++c) {
      if (shares_[c] == 0) continue;
      const double* probability = &background_[c * n_units_];
      auto inside = static_cast<double>(n_members_[tile]);
      auto outside = static_cast<double>(n_objects_ - n_members_[tile]);
      for (const Index unit : scratch.units) {
        inside *= std::max(densities_[tile][unit], probability[unit]);
        outside *= probability[unit];
      }
      scratch.by_class[c] = inside + outside;
      sum += scratch.by_class[c] * shares_[c];
    }
    if (sum >= scratch.enough) return true;
    sums.emplace_back(-sum, tile);
  }
  std::ranges::sort(sums);
  std::ranges::transform(sums, scratch.tiles.begin(), [](const auto& pair) { return pair.second; });
  return false;
}

/// Splits the objects by their membership in the remaining tiles, and adds up each part.
void Surprise::split(std::size_t depth, std::uint64_t count, Scratch& scratch) const {
  const std::vector<double>& density = scratch.densities[depth];
  if (depth == scratch.tiles.size()) {
    for (std::size_t c = 0; c < n_classes_; ++c) {
      if (shares_[c] == 0) continue;
      const double* probability = &background_[c * n_units_];
      double all = static_cast<double>(count);
      for (std::size_t i = 0; i < scratch.units.size(); ++i) {
        all *= std::max(density[i], probability[scratch.units[i]]);
      }
      scratch.by_class[c] += all;
      scratch.sum += all * shares_[c];
    }
    return;
  }
  const std::vector<Word>& tile = members_[scratch.tiles[depth]];
  const std::vector<Word>& objects = scratch.objects[depth];
  std::vector<Word>& part = scratch.objects[depth + 1];
  std::vector<double>& part_density = scratch.densities[depth + 1];
  std::uint64_t inside = 0;
  for (std::size_t w = 0; w < n_words_; ++w) {
    part[w] = objects[w] & tile[w];
    inside += static_cast<std::uint64_t>(std::popcount(part[w]));
  }
  if (inside > 0) {
    const std::vector<double>& taught = densities_[scratch.tiles[depth]];
    part_density = density;
    for (std::size_t i = 0; i < part_density.size(); ++i) {
      part_density[i] = std::max(part_density[i], taught[scratch.units[i]]);
    }
    split(depth + 1, inside, scratch);
  }
  if (inside < count && scratch.sum < scratch.enough) {
    for (std::size_t w = 0; w < n_words_; ++w) part[w] = objects[w] & ~tile[w];
    part_density = density;
    split(depth + 1, count - inside, scratch);
  }
}

double Surprise::expected(std::span<const Index> units) const {
  Scratch scratch;
  evaluate(units, std::numeric_limits<double>::infinity(), scratch);
  return weigh(scratch.by_class);
}

double Surprise::lowest_expected(std::size_t candidate) const {
  if (slot_[candidate] != unknown) {
    return weigh({&known_[slot_[candidate] * n_classes_], n_classes_});
  }
  const auto units = candidates_.units[candidate];
  double sum = 0;
  for (std::size_t c = 0; c < n_classes_; ++c) {
    double all = shares_[c];
    for (const Index unit : units) all *= background_[c * n_units_ + unit];
    sum += all;
  }
  return sum * static_cast<double>(n_objects_);
}

/// An expected support from which on the candidate's score is below the best one, or its gain below
/// its cost.
double Surprise::hopeless(std::size_t candidate, double best_score) const {
  const auto n = static_cast<double>(n_objects_);
  const double support = candidates_.supports[candidate];
  const double needed =
      std::max(candidates_.costs[candidate], best_score / candidates_.weights[candidate]);
  double low = 0;
  double high = support;
  for (int step = 0; step < bisections; ++step) {
    const double middle = (low + high) / 2;
    (surprise_gain(n, support, middle) * rounding < needed ? high : low) = middle;
  }
  return high;
}

std::optional<Surprise::Best> Surprise::best(unsigned threads, Budget& budget) {
  const auto n = static_cast<double>(n_objects_);
  // A lower bound of the expected support gives an upper bound of the score.
  std::vector<double> bounds(size(), 0.0);
  parallel_blocks(size(), bound_block, threads, budget,
                  [&](std::size_t begin, std::size_t end, unsigned) {
                    for (std::size_t i = begin; i < end; ++i) {
                      const double gain =
                          surprise_gain(n, candidates_.supports[i], lowest_expected(i)) * rounding;
                      if (gain > candidates_.costs[i]) bounds[i] = gain * candidates_.weights[i];
                    }
                  });
  std::vector<std::size_t> heap;
  for (std::size_t i = 0; i < size(); ++i) {
    if (bounds[i] > 0) heap.push_back(i);
  }
  const auto later = [&](std::size_t a, std::size_t b) {
    return bounds[a] != bounds[b] ? bounds[a] < bounds[b] : a > b;
  };
  std::ranges::make_heap(heap, later);

  std::optional<Best> best;
  double best_score = 0;
  std::vector<std::size_t> batch;
  std::vector<double> by_class;
  std::vector<Scratch> scratches(thread_count(threads));
  std::size_t batch_size = first_batch;
  while (!heap.empty() && bounds[heap.front()] * rounding >= best_score && !budget.stopped()) {
    batch.clear();
    while (!heap.empty() && batch.size() < batch_size &&
           bounds[heap.front()] * rounding >= best_score) {
      std::ranges::pop_heap(heap, later);
      batch.push_back(heap.back());
      heap.pop_back();
    }
    batch_size = std::min(2 * batch_size, largest_batch);
    by_class.resize(batch.size() * n_classes_);
    parallel_blocks(batch.size(), first_batch / 4, threads, budget,
                    [&](std::size_t begin, std::size_t end, unsigned worker) {
                      for (std::size_t i = begin; i < end; ++i) {
                        Scratch& scratch = scratches[worker];
                        evaluate(candidates_.units[batch[i]], hopeless(batch[i], best_score),
                                 scratch);
                        std::ranges::copy(scratch.by_class, &by_class[i * n_classes_]);
                      }
                    });
    if (budget.stopped()) break;
    evaluations_ += batch.size();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::size_t candidate = batch[i];
      const std::span<const double> found{&by_class[i * n_classes_], n_classes_};
      if (slot_[candidate] == unknown) {
        slot_[candidate] = static_cast<std::uint32_t>(known_.size() / n_classes_);
        known_.insert(known_.end(), found.begin(), found.end());
      } else {
        std::ranges::copy(found, &known_[slot_[candidate] * n_classes_]);
      }
      const double expected = weigh(found);
      const double gain = surprise_gain(n, candidates_.supports[candidate], expected);
      if (!(gain > candidates_.costs[candidate])) continue;
      const double score = gain * candidates_.weights[candidate];
      if (score > best_score || (score == best_score && best && candidate < best->candidate)) {
        best_score = score;
        best = Best{candidate, expected, gain};
      }
    }
  }
  if (budget.stopped()) return std::nullopt;
  return best;
}

}  // namespace conceptrank
