#include "cpp/summary/surprise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "cpp/base/kernels.hpp"

namespace conceptrank {

namespace {

// Candidates per block: enough work for a thread, few wasted evaluations past the best candidate.
constexpr std::size_t bound_block = 1024;
constexpr std::size_t first_batch = 64;
constexpr std::size_t largest_batch = 256;
// A bound and the gain itself are sums in different orders. This covers the rounding.
constexpr double rounding = 1e-9;
constexpr Index unknown = ~Index{0};
// Terms of a sum below exp(-45) of the largest one are left out.
constexpr double negligible = 45;
// Counting a row of an extent takes as long as counting this many words of bits.
constexpr std::size_t words_per_row = 24;
constexpr double unevaluated = -std::numeric_limits<double>::infinity();

double padded(double bound) { return bound + rounding * (1 + std::abs(bound)); }

/// ln(1 - π + π exp(x)), for x that may be large.
double log_mixture(double share, double x) {
  return x > 0 ? x + std::log((1 - share) * std::exp(-x) + share)
               : std::log(1 - share + share * std::exp(x));
}

/// The order of the heap: the largest score first, the first of equal ones.
struct Later {
  const std::vector<double>& scores;
  bool operator()(Index a, Index b) const {
    return scores[a] != scores[b] ? scores[a] < scores[b] : a > b;
  }
};

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
  std::vector<double> log_scale;  // of each part: ln of the largest likelihood ratio of a class
  std::vector<double> carrier;    // of each part: the likelihood ratios of carriers, by class
  std::vector<double> log_other;  // of each part: ln of that of the others, by share
  /// Objects of one part with equal likelihood ratios as carriers, over the scale of the part.
  struct Term {
    std::size_t part;
    double objects;
    double ratio;
  };
  std::vector<Term> terms;
  std::vector<double> sums;               // of each part: the posteriors of its objects, by class
  std::vector<double> log_ratios;         // the result for each share
  std::vector<double> starts;             // what it was before the objects that have the candidate
  std::vector<double> open;               // ln of the ratio of an object with open cells, by share
  std::vector<std::uint64_t> attributes;  // how many objects of an extent have them
};

Surprise::Surprise(const Table& table, Candidates candidates, std::size_t n_units)
    : table_(table),
      candidates_(std::move(candidates)),
      n_units_(n_units),
      wholeness_(size(), 1.0),
      wholeness_known_(size(), 0),
      drift_(n_units, 0.0),
      column_drift_(n_units, 0.0),
      known_(size()),
      open_objects_(candidates_.units.values.size()) {
  for (std::size_t i = 0; i < size(); ++i) {
    std::fill_n(open_objects_.begin() + candidates_.units.offsets[i], candidates_.units[i].size(),
                candidates_.supports[i]);
    if (candidates_.units[i].size() < 2 || candidates_.supports[i] == 0) drop(i);
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
  std::vector<double> lowest(n_units_, 0.0);
  floored_.assign(n_units_, 0);
  for (std::size_t unit = 0; unit < n_units_; ++unit) {
    for (std::size_t c = 0; c < n_classes_; ++c) {
      lowest[unit] = std::min(lowest[unit], background.log_chance[c * n_units_ + unit]);
    }
    for (std::size_t signature = 0; signature < n_signatures_; ++signature) {
      const double density = background.densities[signature * n_units_ + unit];
      if (density > 0 && std::log(density) <= lowest[unit] + rounding) floored_[unit] = 1;
    }
  }
  // How far ln p and ln p' fell since the last background, and the terms of the columns rose.
  if (!lowest_.empty()) {
    for (std::size_t unit = 0; unit < n_units_; ++unit) {
      const double fall = lowest_[unit] - lowest[unit];
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
  lowest_ = std::move(lowest);
  bounded_ = false;
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
  doubtful_.clear();
  certain_.assign(n_doubts, 1);
  for (std::size_t tile = 0; tile < n_tiles_; ++tile) {
    bool doubted = false;
    for (std::size_t doubt = 0; doubt < n_doubts; ++doubt) {
      if (background.carrying[doubt * n_tiles_ + tile] == 0) continue;
      certain_[doubt] = 0;
      doubted = true;
    }
    if (doubted) doubtful_.push_back(static_cast<Index>(tile));
  }
  const std::size_t words = words_for(table_.n_rows());
  group_rows_.clear();
  if (!table_.weighted() && n_groups * words <= words_per_row * table_.n_rows()) {
    group_rows_.assign(n_groups * words, 0);
    for (std::size_t row = 0; row < table_.n_rows(); ++row) {
      set_bit(group_rows_.data() + background.group[row] * words, row);
    }
  }
  log_free_.resize(n_shares_);
  std::ranges::transform(background_.carriers, log_free_.begin(),
                         [](double share) { return std::log1p(-share); });
  background_.log_ratio = transposed(background_.log_ratio);
  background_.totals = transposed(background_.totals);
}

/// The share of the objects of an extent that an attribute loses, over the share of all objects
/// that lack it.
double Surprise::relative_loss(std::size_t attribute, double having, double objects) const {
  const auto n = static_cast<double>(table_.n_objects());
  const double lacking = n - static_cast<double>(table_.attribute_support(attribute));
  return lacking > 0 ? (objects - having) / objects * n / lacking
                     : std::numeric_limits<double>::infinity();
}

double Surprise::wholeness(std::span<const Index> intent, Scratch& scratch) const {
  const std::vector<Word> extent = table_.extent(intent);
  const std::uint64_t support = table_.support(extent);
  if (table_.dense() && !table_.weighted()) {
    scratch.attributes.resize(table_.n_attributes());
    for (std::size_t m = 0; m < table_.n_attributes(); ++m) {
      scratch.attributes[m] =
          kernels().count_common(extent.data(), table_.column_words(m).data(), extent.size());
    }
  } else {
    scratch.attributes.assign(table_.n_attributes(), 0);
    for_each_bit(extent.data(), extent.size(), [&](std::size_t row) {
      for (const Index m : table_.row(row)) scratch.attributes[m] += table_.weight(row);
    });
  }
  for (const Index m : intent) scratch.attributes[m] = 0;
  double least = 1;
  for (std::size_t m = 0; m < table_.n_attributes(); ++m) {
    least = std::min(least, relative_loss(m, static_cast<double>(scratch.attributes[m]),
                                          static_cast<double>(support)));
  }
  return least;
}

double Surprise::wholeness(std::span<const Index> intent) const {
  Scratch scratch;
  return wholeness(intent, scratch);
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
  const std::size_t words = extent.size();
  if (!group_rows_.empty() &&
      group_rows_.size() <= words_per_row * kernels().count(extent.data(), words)) {
    for (std::size_t group = 0; group * words < group_rows_.size(); ++group) {
      const Word* const rows = group_rows_.data() + group * words;
      const auto count = static_cast<Index>(kernels().count_common(extent.data(), rows, words));
      scratch.count[group] = count;
      if (count != 0) scratch.groups.push_back(static_cast<Index>(group));
    }
  } else {
    for_each_bit(extent.data(), words, [&](std::size_t row) {
      Index& count = scratch.count[background_.group[row]];
      if (count == 0) scratch.groups.push_back(background_.group[row]);
      count += table_.weight(row);
    });
  }
  for (const Index group : scratch.groups) {
    const Index signature = background_.signature[group];
    if (scratch.part[signature] == unknown) open_part(units, signature, scratch);
  }
  doubt_tiles(units, scratch);
}

/// How much the likelihood ratio of a carrier is worth in each group, given that its row may be
/// that of a carrier of a tile which shares two units or more.
void Surprise::doubt_tiles(std::span<const Index> units, Scratch& scratch) const {
  for (const Index doubt : scratch.doubts) scratch.belief[doubt] = 0;
  scratch.doubts.clear();
  scratch.belief.resize(certain_.size(), 0.0);
  scratch.shared.clear();
  const bool certain = std::ranges::all_of(
      scratch.groups, [&](Index group) { return certain_[background_.doubt[group]] != 0; });
  for (const Index tile : certain ? std::span<const Index>{} : std::span(doubtful_)) {
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

double Surprise::largest(const Scratch& scratch) { return std::ranges::max(scratch.log_ratios); }

/// The logarithm of the mean over the shares π of exp of `log_ratios`.
double Surprise::averaged(const Scratch& scratch) const {
  const double most = largest(scratch);
  double sum = 0;
  for (const double each : scratch.log_ratios) sum += std::exp(each - most);
  return most + std::log(sum / static_cast<double>(n_shares_));
}

/// Sets `log_ratios` to those of the objects without the candidate, and of its columns.
void Surprise::start(std::span<const Index> units, double support, Scratch& scratch) const {
  const double others = static_cast<double>(table_.n_objects()) - support;
  scratch.log_ratios.resize(n_shares_);
  for (std::size_t j = 0; j < n_shares_; ++j) scratch.log_ratios[j] = others * log_free_[j];
  for (const Index unit : units) {
    const double* const totals = &background_.totals[unit * n_shares_];
    for (std::size_t j = 0; j < n_shares_; ++j) scratch.log_ratios[j] += totals[j];
  }
}

/// Makes a term of each group that `collect` found.
void Surprise::list_groups(Scratch& scratch) const {
  scratch.terms.clear();
  for (const Index group : scratch.groups) {
    const Index signature = background_.signature[group];
    const std::size_t part = scratch.part[signature];
    const double* const posterior = &background_.posterior[group * n_classes_];
    const double ratio = std::inner_product(posterior, posterior + n_classes_,
                                            &scratch.carrier[part * n_classes_], 0.0);
    scratch.terms.push_back(
        {part, static_cast<double>(scratch.count[group]),
         ratio * scratch.belief[background_.doubt[group]] / scratch.density[signature]});
  }
}

/// Makes a term of each part: all its objects with their mean ratio.
void Surprise::list_parts(Scratch& scratch) const {
  const std::size_t n_parts = scratch.keys.size();
  scratch.terms.clear();
  for (std::size_t part = 0; part < n_parts; ++part) scratch.terms.push_back({part, 0.0, 0.0});
  scratch.sums.assign(n_parts * n_classes_, 0.0);
  for (const Index group : scratch.groups) {
    const double count = scratch.count[group];
    const Index signature = background_.signature[group];
    const std::size_t part = scratch.part[signature];
    const double weight =
        count * scratch.belief[background_.doubt[group]] / scratch.density[signature];
    const double* const posterior = &background_.posterior[group * n_classes_];
    double* const sums = &scratch.sums[part * n_classes_];
    scratch.terms[part].objects += count;
    for (std::size_t c = 0; c < n_classes_; ++c) sums[c] += weight * posterior[c];
  }
  for (std::size_t part = 0; part < n_parts; ++part) {
    const double* const sums = &scratch.sums[part * n_classes_];
    scratch.terms[part].ratio =
        std::inner_product(sums, sums + n_classes_, &scratch.carrier[part * n_classes_], 0.0) /
        scratch.terms[part].objects;
  }
}

/// Adds the terms to `log_ratios`, except for shares π that can't matter: these keep a bound.
void Surprise::add_terms(std::span<const Index> units, Scratch& scratch) const {
  double support = 0;
  for (const Scratch::Term& term : scratch.terms) support += term.objects;
  start(units, support, scratch);
  // The bound: all terms count as their mean, and all cells of the others as open.
  double scale = 0;
  for (const Scratch::Term& term : scratch.terms) {
    scale = std::max(scale, scratch.log_scale[term.part]);
  }
  double mean = 0;
  for (const Scratch::Term& term : scratch.terms) {
    mean += term.objects * term.ratio * std::exp(scratch.log_scale[term.part] - scale);
  }
  scale += std::log(mean / support);
  sum_log_ratios(units, scratch);
  scratch.starts = scratch.log_ratios;
  for (std::size_t j = 0; j < n_shares_; ++j) {
    scratch.log_ratios[j] +=
        support * log_mixture(background_.carriers[j], scale - scratch.open[j]);
  }
  double largest = -std::numeric_limits<double>::infinity();
  const auto likely = static_cast<std::size_t>(std::ranges::max_element(scratch.log_ratios) -
                                               scratch.log_ratios.begin());
  for (std::size_t nth = 0; nth < n_shares_; ++nth) {
    // The likely one comes first.
    const std::size_t j = nth == 0 ? likely : nth <= likely ? nth - 1 : nth;
    if (scratch.log_ratios[j] < largest - negligible) continue;
    const double share = background_.carriers[j];
    double sum = scratch.starts[j];
    for (const Scratch::Term& term : scratch.terms) {
      const double log_ratio =
          scratch.log_scale[term.part] - scratch.log_other[term.part * n_shares_ + j];
      sum += term.objects *
             (log_ratio + std::log((1 - share) * std::exp(-log_ratio) + share * term.ratio));
    }
    scratch.log_ratios[j] = sum;
    largest = std::max(largest, sum);
  }
}

/// Sets `open` to the logarithm of the likelihood ratio of an object without the candidate's
/// carriers, all cells of which are open, by share.
void Surprise::sum_log_ratios(std::span<const Index> units, Scratch& scratch) const {
  scratch.open.assign(n_shares_, 0.0);
  for (const Index unit : units) {
    const double* const log_ratio = &background_.log_ratio[unit * n_shares_];
    for (std::size_t j = 0; j < n_shares_; ++j) scratch.open[j] += log_ratio[j];
  }
}

/// The gain, group by group, of what `collect` found.
double Surprise::exact_gain(std::span<const Index> units, Scratch& scratch) const {
  list_groups(scratch);
  add_terms(units, scratch);
  return averaged(scratch);
}

/// An upper bound of the gain: the logarithm of a mean is at least the mean of the logarithms, so
/// all objects of a part count as their mean.
double Surprise::largest_gain(std::span<const Index> units, Scratch& scratch) const {
  list_parts(scratch);
  add_terms(units, scratch);
  return padded(averaged(scratch));
}

/// An upper bound that doesn't look at the objects. An object tells most if it is in the poorest
/// class and all its cells are open, because a tile's density is at least the probability of an
/// open cell in that class.
double Surprise::quick_bound(std::span<const Index> units, double support, Scratch& scratch) const {
  double log_carrier = 0;
  for (const Index unit : units) log_carrier -= lowest_[unit];
  sum_log_ratios(units, scratch);
  start(units, support, scratch);
  for (std::size_t j = 0; j < n_shares_; ++j) {
    scratch.log_ratios[j] +=
        support * log_mixture(background_.carriers[j], log_carrier - scratch.open[j]);
  }
  return padded(averaged(scratch));
}

Surprise::Bound Surprise::drift(std::size_t candidate) const {
  Bound sum{0, 0};
  const auto units = candidates_.units[candidate];
  const double* const objects = &open_objects_[candidates_.units.offsets[candidate]];
  for (std::size_t i = 0; i < units.size(); ++i) {
    sum.cells += objects[i] * drift_[units[i]];
    sum.whole += column_drift_[units[i]];
  }
  sum.whole += sum.cells;
  return sum;
}

/// What the gain of a candidate is at most by what is known of it: without the terms of the
/// columns, and with them.
Surprise::Bound Surprise::remembered(std::size_t candidate) const {
  const Bound since = drift(candidate);
  const Bound& known = known_[candidate];
  return {padded(known.cells + since.cells) + rounding * std::abs(since.cells),
          padded(known.whole + since.whole) + rounding * std::abs(since.whole)};
}

/// Keeps a bound of a candidate, whose parts by share `averaged` left behind.
void Surprise::remember(std::size_t candidate, Bound before, double bound, const Scratch& scratch) {
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < n_shares_; ++j) {
    double sum = scratch.log_ratios[j];
    for (const Index unit : candidates_.units[candidate]) {
      sum -= background_.totals[unit * n_shares_ + j];
    }
    most = std::max(most, sum);
  }
  const Bound since = drift(candidate);
  known_[candidate] = {std::min(before.cells, padded(most)) - since.cells,
                       std::min(before.whole, bound) - since.whole};
}

/// Bounds a candidate without a look at the objects.
double Surprise::remember_quick(std::size_t candidate, Scratch& scratch) {
  const double bound =
      quick_bound(candidates_.units[candidate], candidates_.supports[candidate], scratch);
  remember(candidate, remembered(candidate), bound, scratch);
  return bound;
}

/// Collects a candidate and returns an upper bound of its gain. With several classes the bound is
/// not kept: later backgrounds may move objects to poorer classes.
double Surprise::refined_bound(std::size_t candidate, Scratch& scratch) {
  const auto units = candidates_.units[candidate];
  collect(candidates_.intents[candidate], units, scratch);
  const double bound = largest_gain(units, scratch);
  if (n_classes_ == 1) {
    const Bound before = remembered(candidate);
    count_open(candidate, scratch);
    remember(candidate, before, bound, scratch);
  }
  return bound;
}

/// Counts the objects of a candidate in which each of its units is open, or may be closed with no
/// more than the probability of an open cell.
void Surprise::count_open(std::size_t candidate, const Scratch& scratch) {
  const auto units = candidates_.units[candidate];
  if (units.size() > word_bits) return;
  double* const objects = &open_objects_[candidates_.units.offsets[candidate]];
  std::fill_n(objects, units.size(), 0.0);
  for (const Scratch::Term& term : scratch.terms) {
    for (std::size_t i = 0; i < units.size(); ++i) {
      const bool closed = (scratch.keys[term.part] >> i & 1) != 0;
      if (!closed || floored_[units[i]] != 0) objects[i] += term.objects;
    }
  }
}

void Surprise::drop(std::size_t candidate) {
  wholeness_.at(candidate) = 0;
  wholeness_known_[candidate] = 1;
}

Surprise::Evidence Surprise::evidence(std::span<const Index> intent,
                                      std::span<const Index> units) const {
  Scratch scratch;
  collect(intent, units, scratch);
  const double gain = exact_gain(units, scratch);
  return {gain, largest(scratch)};
}

std::optional<Surprise::Strongest> Surprise::strongest(const Lists& intents, const Lists& units,
                                                       std::span<const double> supports) const {
  std::optional<Strongest> best;
  Scratch scratch;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const double enough = best ? best->evidence.gain : 0.0;
    if (quick_bound(units[i], supports[i], scratch) <= enough) continue;
    collect(intents[i], units[i], scratch);
    if (largest_gain(units[i], scratch) <= enough) continue;
    const double gain = exact_gain(units[i], scratch);
    if (gain > enough) best = Strongest{i, {gain, largest(scratch)}};
  }
  return best;
}

/// Bounds the scores of all candidates and makes the heap.
void Surprise::bound_all(unsigned threads, Budget& budget, std::vector<Scratch>& scratches) {
  scores_.assign(size(), 0.0);
  gains_.assign(size(), unevaluated);
  ratios_.resize(size());
  parallel_blocks(
      size(), bound_block, threads, budget,
      [&](std::size_t begin, std::size_t end, unsigned worker) {
        Scratch& scratch = scratches[worker];
        for (std::size_t i = begin; i < end; ++i) {
          if (wholeness_[i] <= 0) continue;
          if (std::isinf(known_[i].whole)) remember_quick(i, scratch);
          double gain = remembered(i).least();
          // With several classes, bounds from earlier backgrounds are loose.
          if (n_classes_ > 1 && may_pay(i, gain) && gain * wholeness_[i] > last_score_) {
            gain = std::min(gain, refined_bound(i, scratch));
          }
          if (may_pay(i, gain)) scores_[i] = gain * wholeness_[i];
        }
      });
  heap_.clear();
  for (std::size_t i = 0; i < size(); ++i) {
    if (scores_[i] > 0) heap_.push_back(static_cast<Index>(i));
  }
  std::ranges::make_heap(heap_, Later{scores_});
}

/// Lowers the bound of a candidate's score; computes the score unless a bound is below
/// `best_score`. A candidate that can't pay has the score 0.
void Surprise::evaluate(std::size_t candidate, double best_score, Scratch& scratch) {
  double& score = scores_[candidate];
  double& wholeness = wholeness_[candidate];
  if (wholeness_known_[candidate] == 0) {
    wholeness = this->wholeness(candidates_.intents[candidate], scratch);
    wholeness_known_[candidate] = 1;
    score *= wholeness;
  }
  if (score < best_score || wholeness <= 0) return;
  const double bound = refined_bound(candidate, scratch);
  score = may_pay(candidate, bound) ? bound * wholeness : 0.0;
  if (score < best_score || score == 0) return;
  const double gain = exact_gain(candidates_.units[candidate], scratch);
  gains_[candidate] = gain;
  ratios_[candidate] = largest(scratch);
  if (n_classes_ == 1) remember(candidate, remembered(candidate), gain, scratch);
  score = ratios_[candidate] > candidates_.costs[candidate] ? std::max(gain, 0.0) * wholeness : 0.0;
}

/// Whether a candidate with at most this gain may pay: a mean over the shares π is at least the
/// largest ratio over their number.
bool Surprise::may_pay(std::size_t candidate, double gain) const {
  return gain > 0 && gain + std::log(static_cast<double>(n_shares_)) > candidates_.costs[candidate];
}

std::optional<Surprise::Best> Surprise::best(unsigned threads, Budget& budget) {
  std::vector<Scratch> scratches(thread_count(threads));
  if (!bounded_) {
    bound_all(threads, budget, scratches);
    if (budget.stopped()) return std::nullopt;
    bounded_ = true;
  }
  const Later later{scores_};
  double best_score = 0;
  std::vector<Index> batch;
  std::size_t batch_size = first_batch;
  while (!heap_.empty()) {
    batch.clear();
    while (!heap_.empty() && batch.size() < batch_size && scores_[heap_.front()] >= best_score) {
      const Index first = heap_.front();
      if (wholeness_[first] > 0 && gains_[first] != unevaluated) {
        if (batch.empty()) {
          last_score_ = scores_[first];
          return Best{first, wholeness_[first], {gains_[first], ratios_[first]}};
        }
        best_score = scores_[first];
        break;
      }
      std::ranges::pop_heap(heap_, later);
      heap_.pop_back();
      if (wholeness_[first] > 0) batch.push_back(first);
    }
    batch_size = std::min(2 * batch_size, largest_batch);
    parallel_blocks(batch.size(), first_batch / 4, threads, budget,
                    [&](std::size_t begin, std::size_t end, unsigned worker) {
                      for (std::size_t i = begin; i < end; ++i) {
                        evaluate(batch[i], best_score, scratches[worker]);
                      }
                    });
    if (budget.stopped()) {
      bounded_ = false;
      return std::nullopt;
    }
    for (const Index candidate : batch) {
      if (gains_[candidate] != unevaluated) {
        best_score = std::max(best_score, scores_[candidate]);
      }
      if (scores_[candidate] <= 0) continue;
      heap_.push_back(candidate);
      std::ranges::push_heap(heap_, later);
    }
  }
  return std::nullopt;
}

}  // namespace conceptrank
