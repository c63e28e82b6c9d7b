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
// A bound and the exact score of a candidate are sums in different orders. This covers the
// rounding.
constexpr double rounding = 1 + 1e-9;
// The number of bisection steps in [0, support] for the expected support from which on a candidate
// can't win.
constexpr int bisections = 20;

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

/// -ln P(X = support), which is at least -ln P(X >= support).
double point_gain(double n, double support, double expected, double choose) {
  if (support <= expected) return 0;
  if (expected <= 0) return std::numeric_limits<double>::infinity();
  double log_chance = choose + support * std::log(expected / n);
  if (support < n) log_chance += (n - support) * std::log1p(-expected / n);
  return std::max(-log_chance, 0.0);
}

/// ln of P(X >= support) / P(X = support): a sum whose terms fall faster than a geometric series.
double log_tail_over_point(double n, double support, double expected) {
  const double odds = expected / (n - expected);
  double sum = 1;
  double term = 1;
  for (double k = support; k < n && term > sum * 1e-17; ++k) {
    term *= (n - k) / (k + 1) * odds;
    sum += term;
  }
  return std::log(sum);
}

}  // namespace

double surprise_gain(double n, double support, double expected) {
  const double point = point_gain(n, support, expected, log_choose(n, support));
  if (point == 0 || std::isinf(point)) return point;
  return std::max(point - log_tail_over_point(n, support, expected), 0.0);
}

/// The state of one evaluation.
struct Surprise::Scratch {
  std::vector<std::size_t> tiles;     // those that share units with the candidate
  std::vector<std::uint32_t> part;    // of each group: those with equal densities of the units
  std::vector<std::uint32_t> parts;   // by the part so far and the level of a unit
  std::vector<std::uint32_t> sample;  // a group of each part
  std::vector<double> sizes;          // the number of objects in each part
  std::vector<double> densities;      // of each part, unit after unit
  std::vector<double> chances;        // of each part
  std::vector<double> by_class;       // the result
  std::vector<std::uint64_t> counts;  // of the attributes in an extent
};

Surprise::Surprise(const Table& table, Candidates candidates, std::size_t n_units,
                   std::size_t n_classes)
    : table_(table),
      candidates_(std::move(candidates)),
      n_objects_(table.n_objects()),
      n_units_(n_units),
      n_classes_(n_classes),
      group_(n_objects_, 0),
      group_sizes_{static_cast<double>(n_objects_)},
      delta_shares_(size(), 1.0),
      delta_known_(size(), 0),
      shares_(n_classes, 0.0),
      background_(n_classes * n_units, 0.0),
      level_(n_units),
      level_densities_(n_units, {0.0}),
      slot_(size(), unknown) {
  const auto n = static_cast<double>(n_objects_);
  log_choose_.reserve(size());
  for (const double support : candidates_.supports) log_choose_.push_back(log_choose(n, support));
  for (std::size_t i = 0; i < size(); ++i) {
    if (candidates_.units[i].size() < 2 || candidates_.supports[i] == 0) {
      delta_shares_[i] = 0;
      delta_known_[i] = 1;
    }
  }
}

/// The support of a candidate less the largest support of a sub-concept.
double Surprise::delta(std::size_t candidate, Scratch& scratch) const {
  const auto intent = candidates_.intents[candidate];
  const std::vector<Word> extent = table_.extent(intent);
  scratch.counts.assign(table_.n_attributes(), 0);
  for_each_bit(extent.data(), extent.size(), [&](std::size_t row) {
    const std::uint64_t weight = table_.weight(row);
    for (const Index m : table_.row(row)) scratch.counts[m] += weight;
  });
  for (const Index m : intent) scratch.counts[m] = 0;
  const std::uint64_t largest = std::ranges::max(scratch.counts);
  return candidates_.supports[candidate] - static_cast<double>(largest);
}

/// An upper bound of the gain, where the rounding of the bound is allowed for.
double Surprise::largest_gain(std::size_t candidate, double expected) const {
  return point_gain(static_cast<double>(n_objects_), candidates_.supports[candidate], expected,
                    log_choose_[candidate]) *
         rounding;
}

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
  live_.clear();
  for (std::size_t c = 0; c < n_classes_; ++c) {
    if (shares_[c] > 0) live_.push_back(c);
  }
  background_.assign(probabilities.begin(), probabilities.end());
}

void Surprise::teach(std::span<const std::uint8_t> members, std::span<const double> densities) {
  // Each group of objects falls into two parts at most.
  std::vector<std::uint32_t> part(2 * group_sizes_.size(), unknown);
  std::vector<std::uint32_t> origin;
  std::vector<double> sizes;
  for (std::size_t g = 0; g < n_objects_; ++g) {
    const std::size_t key = 2 * std::size_t{group_[g]} + (members[g] != 0 ? 1 : 0);
    if (part[key] == unknown) {
      part[key] = static_cast<std::uint32_t>(sizes.size());
      origin.push_back(static_cast<std::uint32_t>(key));
      sizes.push_back(0);
    }
    group_[g] = part[key];
    sizes[part[key]] += 1;
  }
  group_sizes_ = std::move(sizes);
  double n_inside = 0;
  for (std::size_t i = 0; i < origin.size(); ++i) {
    if (origin[i] % 2 == 1) n_inside += group_sizes_[i];
  }
  n_members_.push_back(n_inside);
  densities_.emplace_back(densities.begin(), densities.end());
  for (std::size_t unit = 0; unit < n_units_; ++unit) {
    if (level_[unit].empty() && densities[unit] == 0) continue;
    std::vector<double>& levels = level_densities_[unit];
    const auto added = static_cast<std::uint32_t>(levels.size());
    std::vector<std::uint32_t> level(origin.size(), 0);
    for (std::size_t i = 0; i < origin.size(); ++i) {
      if (!level_[unit].empty()) level[i] = level_[unit][origin[i] / 2];
      if (origin[i] % 2 == 1 && densities[unit] > levels[level[i]]) level[i] = added;
    }
    levels.push_back(densities[unit]);
    level_[unit] = std::move(level);
  }
}

double Surprise::weigh(std::span<const double> by_class) const {
  return std::inner_product(by_class.begin(), by_class.end(), shares_.begin(), 0.0);
}

/// Fills `by_class`; with the lower bound reached so far if that is `enough`.
void Surprise::evaluate(std::span<const Index> units, double enough, Scratch& scratch) const {
  scratch.tiles.clear();
  for (std::size_t tile = 0; tile < densities_.size(); ++tile) {
    if (std::ranges::any_of(units, [&](Index u) { return densities_[tile][u] > 0; })) {
      scratch.tiles.push_back(tile);
    }
  }
  if (one_tile_suffices(units, enough, scratch)) return;
  join_groups(units, scratch);
  const std::size_t n_parts = scratch.sizes.size();
  scratch.by_class.assign(n_classes_, 0.0);
  scratch.chances.resize(n_parts);
  for (const std::size_t c : live_) {
    std::ranges::copy(scratch.sizes, scratch.chances.begin());
    for (std::size_t i = 0; i < units.size(); ++i) {
      const double* const densities = &scratch.densities[i * n_parts];
      const double probability = background_[c * n_units_ + units[i]];
      for (std::size_t part = 0; part < n_parts; ++part) {
        scratch.chances[part] *= std::max(densities[part], probability);
      }
    }
    scratch.by_class[c] = std::accumulate(scratch.chances.begin(), scratch.chances.end(), 0.0);
  }
}

/// Joins the groups in which all units have equal densities.
void Surprise::join_groups(std::span<const Index> units, Scratch& scratch) const {
  const std::size_t n_groups = group_sizes_.size();
  scratch.part.assign(n_groups, 0);
  std::size_t n_parts = 1;
  for (const Index unit : units) {
    if (level_[unit].empty()) continue;
    const std::size_t n_levels = level_densities_[unit].size();
    scratch.parts.assign(n_parts * n_levels, unknown);
    std::uint32_t next = 0;
    for (std::size_t group = 0; group < n_groups; ++group) {
      std::uint32_t& part = scratch.parts[scratch.part[group] * n_levels + level_[unit][group]];
      if (part == unknown) part = next++;
      scratch.part[group] = part;
    }
    n_parts = next;
  }
  scratch.sizes.assign(n_parts, 0.0);
  scratch.sample.resize(n_parts);
  for (std::size_t group = 0; group < n_groups; ++group) {
    scratch.sizes[scratch.part[group]] += group_sizes_[group];
    scratch.sample[scratch.part[group]] = static_cast<std::uint32_t>(group);
  }
  scratch.densities.resize(units.size() * n_parts);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const Index unit = units[i];
    for (std::size_t part = 0; part < n_parts; ++part) {
      scratch.densities[i * n_parts + part] =
          level_[unit].empty() ? 0.0 : level_densities_[unit][level_[unit][scratch.sample[part]]];
    }
  }
}

/// Looks at one tile at a time and ignores the others, which gives lower bounds. Puts the first one
/// that is enough into `by_class`.
bool Surprise::one_tile_suffices(std::span<const Index> units, double enough,
                                 Scratch& scratch) const {
  for (const std::size_t tile : scratch.tiles) {
    scratch.by_class.assign(n_classes_, 0.0);
    for (const std::size_t c : live_) {
      const double* probability = &background_[c * n_units_];
      double inside = n_members_[tile];
      double outside = static_cast<double>(n_objects_) - inside;
      for (const Index unit : units) {
        inside *= std::max(densities_[tile][unit], probability[unit]);
        outside *= probability[unit];
      }
      scratch.by_class[c] = inside + outside;
    }
    if (weigh(scratch.by_class) >= enough) return true;
  }
  return false;
}

double Surprise::expected(std::span<const Index> units) const {
  Scratch scratch;
  evaluate(units, std::numeric_limits<double>::infinity(), scratch);
  return weigh(scratch.by_class);
}

std::optional<Surprise::Strongest> Surprise::strongest(const Lists& units,
                                                       std::span<const double> supports) const {
  const auto n = static_cast<double>(n_objects_);
  // Without the tiles, the expected support is lower and the gain higher. That is the order.
  std::vector<std::pair<double, std::size_t>> bounds;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const double gain =
        point_gain(n, supports[i], background_expected(units[i]), log_choose(n, supports[i]));
    bounds.emplace_back(-gain * rounding, i);
  }
  std::ranges::sort(bounds);
  std::optional<Strongest> best;
  Scratch scratch;
  for (const auto& [bound, i] : bounds) {
    if (best && -bound < best->gain) break;
    evaluate(units[i], std::numeric_limits<double>::infinity(), scratch);
    const double expected = weigh(scratch.by_class);
    const double gain = surprise_gain(n, supports[i], expected);
    if (gain > 0 && (!best || gain > best->gain || (gain == best->gain && i < best->place))) {
      best = Strongest{i, expected, gain};
    }
  }
  return best;
}

/// The expected support if no tile were taught: at most the expected support.
double Surprise::background_expected(std::span<const Index> units) const {
  double sum = 0;
  for (const std::size_t c : live_) {
    double all = shares_[c];
    for (const Index unit : units) all *= background_[c * n_units_ + unit];
    sum += all;
  }
  return sum * static_cast<double>(n_objects_);
}

double Surprise::lowest_expected(std::size_t candidate) const {
  if (slot_[candidate] == unknown) return background_expected(candidates_.units[candidate]);
  return weigh({&known_[slot_[candidate] * n_classes_], n_classes_});
}

/// An expected support from which on the candidate's score is below the best one, or its gain below
/// its cost.
double Surprise::hopeless(std::size_t candidate, double best_score) const {
  const double needed =
      std::max(candidates_.costs[candidate], best_score / delta_shares_[candidate]);
  double low = 0;
  double high = candidates_.supports[candidate];
  for (int step = 0; step < bisections; ++step) {
    const double middle = (low + high) / 2;
    (largest_gain(candidate, middle) < needed ? high : low) = middle;
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
                      const double gain = largest_gain(i, lowest_expected(i));
                      if (gain > candidates_.costs[i]) bounds[i] = gain * delta_shares_[i];
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
  std::vector<std::uint8_t> evaluated;
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
    evaluated.assign(batch.size(), 0);
    parallel_blocks(batch.size(), first_batch / 4, threads, budget,
                    [&](std::size_t begin, std::size_t end, unsigned worker) {
                      for (std::size_t i = begin; i < end; ++i) {
                        const std::size_t candidate = batch[i];
                        Scratch& scratch = scratches[worker];
                        if (delta_known_[candidate] == 0) {
                          delta_shares_[candidate] =
                              delta(candidate, scratch) / candidates_.supports[candidate];
                          delta_known_[candidate] = 1;
                          bounds[candidate] *= delta_shares_[candidate];
                          if (bounds[candidate] * rounding < best_score) continue;
                        }
                        evaluate(candidates_.units[candidate], hopeless(candidate, best_score),
                                 scratch);
                        std::ranges::copy(scratch.by_class, &by_class[i * n_classes_]);
                        evaluated[i] = 1;
                      }
                    });
    if (budget.stopped()) break;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (evaluated[i] == 0) continue;  // its bound fell below a score that was reached
      const std::size_t candidate = batch[i];
      ++evaluations_;
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
      const double score = gain * delta_shares_[candidate];
      if (score > best_score || (score == best_score && best && candidate < best->candidate)) {
        best_score = score;
        best =
            Best{candidate, std::round(delta_shares_[candidate] * candidates_.supports[candidate]),
                 expected, gain};
      }
    }
  }
  if (budget.stopped()) return std::nullopt;
  return best;
}

}  // namespace conceptrank
