#include "cpp/summary/surprise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace conceptrank {

namespace {

// Candidates per block: enough work for a thread, few wasted evaluations past the best candidate.
constexpr std::size_t bound_block = 1024;
constexpr std::size_t first_batch = 64;
constexpr std::size_t largest_batch = 256;
// A bound and the gain itself are sums in different orders. This covers the rounding.
constexpr double rounding = 1e-9;
constexpr Index unknown = ~Index{0};

double padded(double bound) { return bound + rounding * (1 + std::abs(bound)); }

}  // namespace

/// The state of one evaluation. Rows with the same open units of the candidate form a part.
struct Surprise::Scratch {
  std::vector<Index> count;       // of each group: the objects that have the candidate
  std::vector<Index> groups;      // those with a count
  std::vector<Index> part;        // of each signature
  std::vector<double> density;    // of each signature: the product over the closed units
  std::vector<Index> signatures;  // those with a part
  std::vector<Word> keys;         // of each part: its closed units as bits, or its signature
  std::vector<double> belief;     // of each row of `carrying`: what is left of a ratio
  std::vector<Index> doubts;      // those with a belief
  std::vector<std::pair<std::size_t, double>> shared;  // tiles, and what their carriers lose
  std::vector<double> log_scale;   // of each part: ln of the largest likelihood ratio of a class
  std::vector<double> carrier;     // of each part: the likelihood ratios of carriers, by class
  std::vector<double> log_other;   // of each part: ln of that of the others, by share
  std::vector<double> objects;     // of each part: their number,
  std::vector<double> sums;        // and the sum of their posteriors, each over its density
  std::vector<double> log_ratios;  // the result for each share
  std::vector<std::uint64_t> attributes;  // how many objects of an extent have them
};

Surprise::Surprise(const Table& table, Candidates candidates, std::size_t n_units)
    : table_(table),
      candidates_(std::move(candidates)),
      n_units_(n_units),
      delta_shares_(size(), 1.0),
      delta_known_(size(), 0),
      drift_(n_units, 0.0),
      column_drift_(n_units, 0.0),
      known_(size()) {
  for (std::size_t i = 0; i < size(); ++i) {
    if (candidates_.units[i].size() < 2 || candidates_.supports[i] == 0) {
      delta_shares_[i] = 0;
      delta_known_[i] = 1;
    }
  }
}

void Surprise::set_background(const Background& background) {
  const std::size_t n_groups = background.signature.size();
  n_classes_ = n_units_ == 0 ? 1 : background.log_chance.size() / n_units_;
  n_shares_ = background.carriers.size();
  n_signatures_ = n_units_ == 0 ? 1 : background.densities.size() / n_units_;
  n_tiles_ = n_units_ == 0 ? 0 : background.tiles.size() / n_units_;
  const std::size_t n_doubts = n_tiles_ == 0 ? 1 : background.carrying.size() / n_tiles_;
  const auto below = [](const std::vector<Index>& numbers, std::size_t end) {
    return std::ranges::all_of(numbers, [&](Index each) { return each < end; });
  };
  if (background.group.size() != table_.n_rows() || !below(background.group, n_groups) ||
      !below(background.signature, n_signatures_) || background.doubt.size() != n_groups ||
      !below(background.doubt, n_doubts) || background.carrying.size() != n_doubts * n_tiles_ ||
      background.tiles.size() != n_tiles_ * n_units_ ||
      background.posterior.size() != n_groups * n_classes_ ||
      background.log_chance.size() != n_classes_ * n_units_ ||
      background.densities.size() != n_signatures_ * n_units_ ||
      background.log_ratio.size() != n_shares_ * n_units_ ||
      background.totals.size() != n_shares_ * n_units_) {
    throw std::invalid_argument("the parts of a background don't match");
  }
  // How far ln p and ln p' fell since the last background, and the terms of the columns rose.
  if (n_classes_ == 1 && background_.log_chance.size() == n_units_) {
    for (std::size_t unit = 0; unit < n_units_; ++unit) {
      const double fall = background_.log_chance[unit] - background.log_chance[unit];
      double most = std::max(fall, 0.0);
      double rise = -std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < n_shares_; ++j) {
        most = std::max(most, fall + background_.log_ratio[unit * n_shares_ + j] -
                                  background.log_ratio[j * n_units_ + unit]);
        rise = std::max(rise, background.totals[j * n_units_ + unit] -
                                  background_.totals[unit * n_shares_ + j]);
      }
      drift_[unit] += most;
      column_drift_[unit] += rise;
    }
  }
  background_ = background;
  const auto transposed = [&](const std::vector<double>& by_share) {
    std::vector<double> by_unit(by_share.size());
    for (std::size_t j = 0; j < n_shares_; ++j) {
      for (std::size_t unit = 0; unit < n_units_; ++unit) {
        by_unit[unit * n_shares_ + j] = by_share[j * n_units_ + unit];
      }
    }
    return by_unit;
  };
  background_.log_ratio = transposed(background_.log_ratio);
  background_.totals = transposed(background_.totals);
}

/// The support of a candidate less the largest support of a sub-concept.
double Surprise::delta(std::size_t candidate, Scratch& scratch) const {
  const auto intent = candidates_.intents[candidate];
  const std::vector<Word> extent = table_.extent(intent);
  scratch.attributes.assign(table_.n_attributes(), 0);
  for_each_bit(extent.data(), extent.size(), [&](std::size_t row) {
    const std::uint64_t weight = table_.weight(row);
    for (const Index m : table_.row(row)) scratch.attributes[m] += weight;
  });
  for (const Index m : intent) scratch.attributes[m] = 0;
  const std::uint64_t largest = std::ranges::max(scratch.attributes);
  return candidates_.supports[candidate] - static_cast<double>(largest);
}

/// Counts the objects that have an intent by group, and prepares the parts.
void Surprise::collect(std::span<const Index> intent, std::span<const Index> units,
                       Scratch& scratch) const {
  scratch.count.resize(background_.signature.size(), 0);
  scratch.part.resize(n_signatures_, unknown);
  scratch.density.resize(n_signatures_);
  for (const Index group : scratch.groups) scratch.count[group] = 0;
  for (const Index signature : scratch.signatures) scratch.part[signature] = unknown;
  scratch.groups.clear();
  scratch.signatures.clear();
  scratch.keys.clear();
  scratch.log_scale.clear();
  scratch.carrier.clear();
  scratch.log_other.clear();
  const std::vector<Word> extent = table_.extent(intent);
  for_each_bit(extent.data(), extent.size(), [&](std::size_t row) {
    Index& count = scratch.count[background_.group[row]];
    if (count == 0) scratch.groups.push_back(background_.group[row]);
    count += table_.weight(row);
  });
  for (const Index group : scratch.groups) {
    const Index signature = background_.signature[group];
    if (scratch.part[signature] == unknown) open_part(units, signature, scratch);
  }
  doubt_tiles(units, scratch);
}

/// How much the likelihood ratio of a carrier is worth in each group, given that its row may be
/// that of a carrier of a tile which shares two units or more.
void Surprise::doubt_tiles(std::span<const Index> units, Scratch& scratch) const {
  scratch.shared.clear();
  for (std::size_t tile = 0; tile < n_tiles_; ++tile) {
    std::size_t common = 0;
    double ratio = 1;
    for (const Index unit : units) {
      const double each = background_.tiles[tile * n_units_ + unit];
      if (each == 0) continue;
      ++common;
      ratio *= each;
    }
    if (common >= 2) scratch.shared.emplace_back(tile, 1 - ratio);
  }
  for (const Index doubt : scratch.doubts) scratch.belief[doubt] = 0;
  scratch.doubts.clear();
  if (n_tiles_ != 0) scratch.belief.resize(background_.carrying.size() / n_tiles_, 0.0);
  if (scratch.belief.empty()) scratch.belief.assign(1, 0.0);
  for (const Index group : scratch.groups) {
    const Index doubt = background_.doubt[group];
    if (scratch.belief[doubt] != 0) continue;
    double belief = 1;
    for (const auto& [tile, loss] : scratch.shared) {
      belief *= 1 - background_.carrying[doubt * n_tiles_ + tile] * loss;
    }
    scratch.belief[doubt] = belief;
    scratch.doubts.push_back(doubt);
  }
}

/// Finds the part of a signature, and its likelihood ratios if it is a new one.
void Surprise::open_part(std::span<const Index> units, Index signature, Scratch& scratch) const {
  const double* const densities = &background_.densities[signature * n_units_];
  const bool by_bits = units.size() <= word_bits;
  Word key = by_bits ? 0 : signature;
  double density = 1;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (densities[units[i]] == 0) continue;
    density *= densities[units[i]];
    if (by_bits) key |= Word{1} << i;
  }
  scratch.signatures.push_back(signature);
  scratch.density[signature] = density;
  const auto known = std::ranges::find(scratch.keys, key);
  scratch.part[signature] = static_cast<Index>(known - scratch.keys.begin());
  if (known != scratch.keys.end()) return;

  const std::size_t first_class = scratch.carrier.size();
  const std::size_t first_share = scratch.log_other.size();
  scratch.keys.push_back(key);
  scratch.carrier.resize(first_class + n_classes_, 0.0);
  scratch.log_other.resize(first_share + n_shares_, 0.0);
  double* const carrier = &scratch.carrier[first_class];
  double* const log_other = scratch.log_other.data() + first_share;
  for (const Index unit : units) {
    if (densities[unit] != 0) continue;
    for (std::size_t c = 0; c < n_classes_; ++c) {
      carrier[c] -= background_.log_chance[c * n_units_ + unit];
    }
    const double* const log_ratio = &background_.log_ratio[unit * n_shares_];
    for (std::size_t j = 0; j < n_shares_; ++j) log_other[j] += log_ratio[j];
  }
  const double scale = *std::max_element(carrier, carrier + n_classes_);
  scratch.log_scale.push_back(scale);
  for (std::size_t c = 0; c < n_classes_; ++c) carrier[c] = std::exp(carrier[c] - scale);
}

/// Adds the objects that don't have the candidate, and averages the likelihood ratios.
double Surprise::averaged(std::span<const Index> units, double support, Scratch& scratch) const {
  const double others = static_cast<double>(table_.n_objects()) - support;
  for (std::size_t j = 0; j < n_shares_; ++j) {
    double sum = others * std::log1p(-background_.carriers[j]);
    for (const Index unit : units) sum += background_.totals[unit * n_shares_ + j];
    scratch.log_ratios[j] += sum;
  }
  const double largest = std::ranges::max(scratch.log_ratios);
  double sum = 0;
  for (const double each : scratch.log_ratios) sum += std::exp(each - largest);
  return largest + std::log(sum / static_cast<double>(n_shares_));
}

/// Adds the likelihood ratios of some objects of a part, whose mean for carriers is `carries` times
/// exp(`log_scale`).
void Surprise::add(std::size_t part, double count, double carries, Scratch& scratch) const {
  for (std::size_t j = 0; j < n_shares_; ++j) {
    const double share = background_.carriers[j];
    const double scale = scratch.log_scale[part] - scratch.log_other[part * n_shares_ + j];
    scratch.log_ratios[j] +=
        count * (scale + std::log((1 - share) * std::exp(-scale) + share * carries));
  }
}

/// The gain, group by group, of what `collect` found.
double Surprise::exact_gain(std::span<const Index> units, Scratch& scratch) const {
  scratch.log_ratios.assign(n_shares_, 0.0);
  double support = 0;
  for (const Index group : scratch.groups) {
    const double count = scratch.count[group];
    const Index signature = background_.signature[group];
    const std::size_t part = scratch.part[signature];
    const double* const posterior = &background_.posterior[group * n_classes_];
    const double carries = std::inner_product(posterior, posterior + n_classes_,
                                              &scratch.carrier[part * n_classes_], 0.0) *
                           scratch.belief[background_.doubt[group]] / scratch.density[signature];
    add(part, count, carries, scratch);
    support += count;
  }
  return averaged(units, support, scratch);
}

/// An upper bound of the gain: the logarithm of a mean is at least the mean of the logarithms, so
/// all objects of a part count as their mean.
double Surprise::largest_gain(std::span<const Index> units, Scratch& scratch) const {
  const std::size_t n_parts = scratch.keys.size();
  scratch.objects.assign(n_parts, 0.0);
  scratch.sums.assign(n_parts * n_classes_, 0.0);
  for (const Index group : scratch.groups) {
    const double count = scratch.count[group];
    const Index signature = background_.signature[group];
    const std::size_t part = scratch.part[signature];
    const double weight =
        count * scratch.belief[background_.doubt[group]] / scratch.density[signature];
    scratch.objects[part] += count;
    for (std::size_t c = 0; c < n_classes_; ++c) {
      scratch.sums[part * n_classes_ + c] += weight * background_.posterior[group * n_classes_ + c];
    }
  }
  scratch.log_ratios.assign(n_shares_, 0.0);
  double support = 0;
  for (std::size_t part = 0; part < n_parts; ++part) {
    const double count = scratch.objects[part];
    const double* const sums = &scratch.sums[part * n_classes_];
    const double carries =
        std::inner_product(sums, sums + n_classes_, &scratch.carrier[part * n_classes_], 0.0) /
        count;
    add(part, count, carries, scratch);
    support += count;
  }
  return padded(averaged(units, support, scratch));
}

/// An upper bound that doesn't look at the objects. With one class, an object tells most if all its
/// cells are open, because a tile's density is at least the probability of an open cell.
double Surprise::quick_bound(std::span<const Index> units, double support, Scratch& scratch) const {
  double log_carrier = 0;
  for (const Index unit : units) log_carrier -= background_.log_chance[unit];
  scratch.log_ratios.assign(n_shares_, 0.0);
  for (const Index unit : units) {
    for (std::size_t j = 0; j < n_shares_; ++j) {
      scratch.log_ratios[j] -= background_.log_ratio[unit * n_shares_ + j];
    }
  }
  for (std::size_t j = 0; j < n_shares_; ++j) {
    const double share = background_.carriers[j];
    const double scale = log_carrier + scratch.log_ratios[j];
    scratch.log_ratios[j] = support * (scale + std::log((1 - share) * std::exp(-scale) + share));
  }
  return padded(averaged(units, support, scratch));
}

Surprise::Bound Surprise::drift(std::size_t candidate) const {
  Bound sum{0, 0};
  for (const Index unit : candidates_.units[candidate]) {
    sum.cells += drift_[unit];
    sum.whole += column_drift_[unit];
  }
  sum.cells *= candidates_.supports[candidate];
  sum.whole += sum.cells;
  return sum;
}

/// What the gain of a candidate is at most, by what is known of it.
double Surprise::remembered(std::size_t candidate) const {
  const Bound since = drift(candidate);
  const Bound& known = known_[candidate];
  return std::min(padded(known.cells + since.cells) + rounding * std::abs(since.cells),
                  padded(known.whole + since.whole) + rounding * std::abs(since.whole));
}

/// Keeps a bound of a candidate, whose parts by share `averaged` left behind.
void Surprise::remember(std::size_t candidate, double bound, const Scratch& scratch) {
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < n_shares_; ++j) {
    double sum = scratch.log_ratios[j];
    for (const Index unit : candidates_.units[candidate]) {
      sum -= background_.totals[unit * n_shares_ + j];
    }
    most = std::max(most, sum);
  }
  const Bound since = drift(candidate);
  Bound& known = known_[candidate];
  known.cells = std::min(known.cells, padded(most) - since.cells);
  known.whole = std::min(known.whole, bound - since.whole);
}

/// Bounds a candidate without a look at the objects.
double Surprise::remember_quick(std::size_t candidate, Scratch& scratch) {
  const double bound =
      quick_bound(candidates_.units[candidate], candidates_.supports[candidate], scratch);
  remember(candidate, bound, scratch);
  return bound;
}

/// Collects a candidate and returns an upper bound of its gain.
double Surprise::refined_bound(std::size_t candidate, Scratch& scratch) {
  const auto units = candidates_.units[candidate];
  collect(candidates_.intents[candidate], units, scratch);
  const double bound = largest_gain(units, scratch);
  if (n_classes_ == 1) remember(candidate, bound, scratch);
  return bound;
}

void Surprise::drop(std::size_t candidate) {
  delta_shares_.at(candidate) = 0;
  delta_known_[candidate] = 1;
}

double Surprise::gain(std::span<const Index> intent, std::span<const Index> units) const {
  Scratch scratch;
  collect(intent, units, scratch);
  return exact_gain(units, scratch);
}

std::optional<Surprise::Strongest> Surprise::strongest(const Lists& intents, const Lists& units,
                                                       std::span<const double> supports) const {
  std::optional<Strongest> best;
  Scratch scratch;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const double enough = best ? best->gain : 0.0;
    if (n_classes_ == 1 && quick_bound(units[i], supports[i], scratch) <= enough) continue;
    collect(intents[i], units[i], scratch);
    if (largest_gain(units[i], scratch) <= enough) continue;
    const double gain = exact_gain(units[i], scratch);
    if (gain > enough) best = Strongest{i, gain};
  }
  return best;
}

std::optional<Surprise::Best> Surprise::best(unsigned threads, Budget& budget) {
  std::vector<double> bounds(size(), 0.0);
  std::vector<Scratch> scratches(thread_count(threads));
  const auto needed = [&](std::size_t candidate, double best_score) {
    return std::max(candidates_.costs[candidate], best_score / delta_shares_[candidate]);
  };
  parallel_blocks(size(), bound_block, threads, budget,
                  [&](std::size_t begin, std::size_t end, unsigned worker) {
                    Scratch& scratch = scratches[worker];
                    for (std::size_t i = begin; i < end; ++i) {
                      if (delta_shares_[i] <= 0) continue;
                      if (n_classes_ == 1 && std::isinf(known_[i].whole))
                        remember_quick(i, scratch);
                      const double gain =
                          n_classes_ == 1 ? remembered(i) : refined_bound(i, scratch);
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
  std::vector<double> gains;
  std::size_t batch_size = first_batch;
  while (!heap.empty() && bounds[heap.front()] >= best_score && !budget.stopped()) {
    batch.clear();
    while (!heap.empty() && batch.size() < batch_size && bounds[heap.front()] >= best_score) {
      std::ranges::pop_heap(heap, later);
      batch.push_back(heap.back());
      heap.pop_back();
    }
    batch_size = std::min(2 * batch_size, largest_batch);
    gains.assign(batch.size(), 0.0);
    parallel_blocks(batch.size(), first_batch / 4, threads, budget,
                    [&](std::size_t begin, std::size_t end, unsigned worker) {
                      Scratch& scratch = scratches[worker];
                      for (std::size_t i = begin; i < end; ++i) {
                        const std::size_t candidate = batch[i];
                        if (delta_known_[candidate] == 0) {
                          delta_shares_[candidate] =
                              delta(candidate, scratch) / candidates_.supports[candidate];
                          delta_known_[candidate] = 1;
                          bounds[candidate] *= delta_shares_[candidate];
                        }
                        if (bounds[candidate] < best_score || delta_shares_[candidate] <= 0) {
                          continue;
                        }
                        const auto units = candidates_.units[candidate];
                        const double enough = needed(candidate, best_score);
                        if (n_classes_ == 1 && remember_quick(candidate, scratch) < enough)
                          continue;
                        if (refined_bound(candidate, scratch) < enough) continue;
                        gains[i] = exact_gain(units, scratch);
                        if (n_classes_ == 1) remember(candidate, gains[i], scratch);
                      }
                    });
    if (budget.stopped()) break;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::size_t candidate = batch[i];
      if (gains[i] != 0) ++evaluations_;
      if (!(gains[i] > candidates_.costs[candidate])) continue;
      const double score = gains[i] * delta_shares_[candidate];
      if (score > best_score || (score == best_score && best && candidate < best->candidate)) {
        best_score = score;
        best =
            Best{candidate, std::round(delta_shares_[candidate] * candidates_.supports[candidate]),
                 gains[i]};
      }
    }
  }
  if (budget.stopped()) return std::nullopt;
  return best;
}

}  // namespace conceptrank
