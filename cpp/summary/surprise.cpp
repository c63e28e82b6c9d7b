#include "cpp/summary/surprise.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <ranges>
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
constexpr int score_digits = 30;
constexpr Index unknown = ~Index{0};
// Terms of a sum below exp(-45) of the largest one are left out.
constexpr double negligible = 45;
// Counting a row of an extent takes as long as counting this many words of bits.
constexpr std::size_t words_per_row = 24;
// Numbers of units for which the drift of rows is known; larger candidates use that of the largest.
constexpr std::array<std::size_t, 7> row_drift_sizes{2, 3, 4, 5, 6, 8, 12};
// The drift of a row is a number of steps of a nat, rounded up: whole numbers add up fast.
constexpr double row_drift_steps = 1 << 20;
constexpr double unevaluated = -std::numeric_limits<double>::infinity();

/// ln(1 + exp(x)).
double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

double padded(double bound) { return bound + rounding * (1 + std::abs(bound)); }

/// A score, rounded to 30 binary digits. Rounding errors would make scores that are equal by
/// symmetry differ, and the choice would depend on the machine.
double rounded(double score) {
  int exponent = 0;
  const double fraction = std::frexp(score, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, score_digits)), exponent - score_digits);
}

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
  std::vector<Word> bits;         // the units as bits
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
  std::vector<double> bounds;             // what it is at most by earlier backgrounds
  std::vector<double> since;              // the drifts and terms of columns in these
  std::vector<double> open;               // ln of the ratio of an object with open cells, by share
  std::vector<std::uint64_t> attributes;  // how many objects of an extent have them
};

Surprise::Surprise(const Table& table, Candidates candidates, std::vector<std::uint8_t> free)
    : table_(table),
      candidates_(std::move(candidates)),
      free_(std::move(free)),
      n_units_(free_.size()),
      wholeness_(size(), 1.0),
      wholeness_known_(size(), 0),
      closing_(n_units_, 0.0),
      row_sums_(size()),
      open_objects_(candidates_.units.values.size()) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    std::fill_n(open_objects_.data() + candidates_.units.offsets[i], candidates_.units[i].size(),
                candidates_.supports[i]);
    if (candidates_.units[i].size() < 2 || candidates_.supports[i] == 0) drop(i);
    most = std::max(most, candidates_.units[i].size());
  }
  for (const std::size_t each : row_drift_sizes) {
    if (each < most) row_sizes_.push_back(each);
  }
  row_sizes_.push_back(most);
  most_row_drift_.assign(row_sizes_.size(), 0.0);
}

void Surprise::set_background(const Background& background) {
  const std::size_t n_groups = background.signature.size();
  const std::size_t n_classes = background.richness.size();
  const std::size_t n_shares = background.carriers.size();
  const std::size_t n_signatures = n_units_ == 0 ? 1 : background.densities.size() / n_units_;
  const std::size_t n_tiles = n_units_ == 0 ? 0 : background.tiles.size() / n_units_;
  const std::size_t n_doubts = n_tiles == 0 ? 1 : background.carrying.size() / n_tiles;
  const auto below = [](const std::vector<Index>& numbers, std::size_t end) {
    return std::ranges::all_of(numbers, [&](Index each) { return each < end; });
  };
  if (background.group.size() != table_.n_rows() || !below(background.group, n_groups) ||
      !below(background.signature, n_signatures) || background.doubt.size() != n_groups ||
      !below(background.doubt, n_doubts) || background.carrying.size() != n_doubts * n_tiles ||
      background.tiles.size() != n_tiles * n_units_ || n_classes == 0 ||
      background.posterior.size() != n_groups * n_classes ||
      background.log_chance.size() != n_classes * n_units_ ||
      background.densities.size() != n_signatures * n_units_ ||
      background.log_ratio.size() != n_shares * n_units_ ||
      background.totals.size() != n_shares * n_units_ || n_shares == 0 ||
      (n_shares_ != 0 && n_shares != n_shares_)) {
    throw std::invalid_argument("the parts of a background don't match");
  }
  if (n_shares_ == 0) {
    drift_.assign(n_units_ * n_shares, 0.0);
    known_.assign(size() * n_shares, std::numeric_limits<double>::infinity());
  } else {
    add_drift(background);
  }
  n_classes_ = n_classes;
  n_shares_ = n_shares;
  n_signatures_ = n_signatures;
  n_tiles_ = n_tiles;
  lowest_.assign(n_units_, 0.0);
  for (std::size_t c = 0; c < n_classes_; ++c) {
    for (std::size_t unit = 0; unit < n_units_; ++unit) {
      lowest_[unit] = std::min(lowest_[unit], background.log_chance[c * n_units_ + unit]);
    }
  }
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
  const auto append_bits = [&](const double* values, std::vector<Word>& bits) {
    bits.resize(bits.size() + words_for(n_units_), 0);
    Word* const last = bits.data() + bits.size() - words_for(n_units_);
    for (std::size_t unit = 0; unit < n_units_; ++unit) {
      if (values[unit] > 0) set_bit(last, unit);
    }
  };
  doubtful_.clear();
  tile_units_.clear();
  for (std::size_t tile = 0; tile < n_tiles_; ++tile) {
    const auto carried = [&](std::size_t doubt) {
      return background.carrying[doubt * n_tiles_ + tile] > 0;
    };
    if (std::ranges::none_of(std::views::iota(std::size_t{0}, n_doubts), carried)) continue;
    doubtful_.push_back(static_cast<Index>(tile));
    append_bits(&background.tiles[tile * n_units_], tile_units_);
  }
  closed_units_.clear();
  for (std::size_t signature = 0; signature < n_signatures_; ++signature) {
    append_bits(&background.densities[signature * n_units_], closed_units_);
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

/// The levels of the free units: their log-odds in a class of richness 0. The class whose
/// probability is nearest to 1/2 gives them best.
std::vector<double> Surprise::levels(const Background& background) const {
  std::vector<double> levels(n_units_, std::numeric_limits<double>::infinity());
  std::vector<double> smallest(levels);
  for (std::size_t c = 0; c < background.richness.size(); ++c) {
    for (std::size_t unit = 0; unit < n_units_; ++unit) {
      const double log_chance = background.log_chance[c * n_units_ + unit];
      const double logit = log_chance - std::log(-std::expm1(log_chance));
      if (std::abs(logit) >= smallest[unit]) continue;
      smallest[unit] = std::abs(logit);
      levels[unit] = logit - background.richness[c];
    }
  }
  return levels;
}

/// The logarithms of the means of exp(-i a) over the classes of richness a, for i up to the largest
/// number of units, group after group.
std::vector<double> Surprise::log_moments(const Background& background) const {
  const std::size_t n_classes = background.richness.size();
  const std::size_t n_groups = background.signature.size();
  std::vector<double> factors(n_classes);
  std::ranges::transform(background.richness, factors.begin(),
                         [](double richness) { return std::exp(-richness); });
  std::vector<double> moments;
  moments.reserve(n_groups * (row_sizes_.back() + 1));
  for (std::size_t group = 0; group < n_groups; ++group) {
    const auto posterior =
        background.posterior.begin() + static_cast<std::ptrdiff_t>(group * n_classes);
    std::vector<double> weights(posterior, posterior + static_cast<std::ptrdiff_t>(n_classes));
    double sum = 0;
    moments.push_back(0);
    for (std::size_t i = 1; i <= row_sizes_.back(); ++i) {
      for (std::size_t c = 0; c < n_classes; ++c) weights[c] *= factors[c];
      const double mean = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (double& weight : weights) weight /= mean;
      sum += std::log(mean);
      moments.push_back(sum);
    }
  }
  return moments;
}

/// Adds how far the bounds of gains may rise from the last background to the next.
///
/// The ratio of an object that has a candidate is the mean over its classes of the product of 1/p
/// over the open units, times that of 1/density over the closed ones. For a free unit,
/// 1/p = 1 + exp(-a) exp(-level), where a is the richness of the class. So the product is a
/// polynomial in exp(-a) with positive coefficients, and the mean rises by no more than the largest
/// rise of a moment of exp(-a). Levels and richness may move in opposite directions without any
/// effect; `shift` takes that out of both.
void Surprise::add_drift(const Background& next) {
  const Background& last = background_;
  const auto before = levels(last);
  const auto after = levels(next);
  const bool one_class = last.richness.size() == 1 && next.richness == last.richness;
  double shift = 0;
  if (!one_class) {
    std::vector<double> rises;
    for (std::size_t unit = 0; unit < n_units_; ++unit) {
      if (free_[unit] != 0) rises.push_back(after[unit] - before[unit]);
    }
    if (!rises.empty()) {
      const auto middle = rises.begin() + static_cast<std::ptrdiff_t>(rises.size() / 2);
      std::ranges::nth_element(rises, middle);
      shift = *middle;
    }
  }
  for (std::size_t unit = 0; unit < n_units_; ++unit) {
    double fall = last.log_chance[unit] - next.log_chance[unit];
    if (free_[unit] != 0) {
      // The fall is monotone in the richness.
      const auto at = [&](double richness) {
        return softplus(-richness - after[unit]) - softplus(-richness - before[unit] - shift);
      };
      fall = std::max(at(next.richness.front()), at(next.richness.back()));
    }
    for (std::size_t j = 0; j < n_shares_; ++j) {
      const std::size_t place = unit * n_shares_ + j;
      const double rise = last.log_ratio[place] - next.log_ratio[j * n_units_ + unit];
      drift_[place] += std::max(fall + rise, 0.0);
    }
  }

  // Cells that a tile covers now had the probability of some class, or another density.
  std::vector<double> highest(n_units_, 0.0);
  for (std::size_t c = 0; c < last.richness.size(); ++c) {
    for (std::size_t unit = 0; unit < n_units_; ++unit) {
      highest[unit] = std::max(highest[unit], std::exp(last.log_chance[c * n_units_ + unit]));
    }
  }
  std::vector<std::pair<Index, Index>> signatures(table_.n_rows());
  for (std::size_t row = 0; row < table_.n_rows(); ++row) {
    signatures[row] = {last.signature[last.group[row]], next.signature[next.group[row]]};
  }
  std::ranges::sort(signatures);
  const auto repeated = std::ranges::unique(signatures);
  signatures.erase(repeated.begin(), repeated.end());
  std::vector<double> rises(n_units_, 1.0);
  for (const auto& [from, to] : signatures) {
    for (std::size_t unit = 0; unit < n_units_; ++unit) {
      const double density = next.densities[to * n_units_ + unit];
      const double was = last.densities[from * n_units_ + unit];
      if (density > 0) {
        rises[unit] = std::max(rises[unit], (was > 0 ? was : highest[unit]) / density);
      }
    }
  }
  for (std::size_t unit = 0; unit < n_units_; ++unit) closing_[unit] += std::log(rises[unit]);

  if (one_class) return;
  const auto old_moments = log_moments(last);
  const auto new_moments = log_moments(next);
  const std::size_t n_moments = row_sizes_.back() + 1;
  ++row_changes_;
  row_drift_.resize(row_sizes_.size() * table_.n_rows(), 0);
  std::vector<double> largest(row_sizes_.size(), 0.0);
  for (std::size_t row = 0; row < table_.n_rows(); ++row) {
    const double* const was = &old_moments[last.group[row] * n_moments];
    const double* const is = &new_moments[next.group[row] * n_moments];
    double most = 0;
    std::size_t size = 0;
    for (std::size_t i = 1; i < n_moments; ++i) {
      most = std::max(most, is[i] - was[i] - static_cast<double>(i) * shift);
      if (i != row_sizes_[size]) continue;
      const double steps = std::ceil(most * row_drift_steps);
      row_drift_[size * table_.n_rows() + row] +=
          table_.weight(row) * static_cast<std::uint64_t>(steps);
      largest[size] = std::max(largest[size], steps / row_drift_steps);
      ++size;
    }
  }
  std::ranges::transform(most_row_drift_, largest, most_row_drift_.begin(), std::plus());
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

/// Finds the tiles that objects outside may carry and that share two units or more, and how much
/// the likelihood ratio of a carrier is worth in each group because of them.
void Surprise::doubt_tiles(std::span<const Index> units, Scratch& scratch) const {
  for (const Index doubt : scratch.doubts) scratch.belief[doubt] = 0;
  scratch.doubts.clear();
  scratch.shared.clear();
  const std::size_t words = words_for(n_units_);
  scratch.bits.assign(words, 0);
  for (const Index unit : units) set_bit(scratch.bits.data(), unit);
  for (std::size_t nth = 0; nth < doubtful_.size(); ++nth) {
    const Word* const tile_units = tile_units_.data() + nth * words;
    std::size_t common = 0;
    for (std::size_t w = 0; w < words; ++w) {
      common += static_cast<std::size_t>(std::popcount(tile_units[w] & scratch.bits[w]));
    }
    if (common < 2) continue;
    double ratio = 1;
    for (const Index unit : units) {
      if (test_bit(tile_units, unit)) ratio *= background_.tiles[doubtful_[nth] * n_units_ + unit];
    }
    scratch.shared.emplace_back(doubtful_[nth], 1 - ratio);
  }
  if (scratch.shared.empty()) return;
  scratch.belief.resize(n_tiles_ == 0 ? 1 : background_.carrying.size() / n_tiles_, 0.0);
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

/// The factor for the likelihood ratio of a carrier in a group: belief over closed density.
double Surprise::worth(Index group, const Scratch& scratch) const {
  const double belief = scratch.shared.empty() ? 1 : scratch.belief[background_.doubt[group]];
  return belief / scratch.density[background_.signature[group]];
}

/// Finds the part of a signature, and its likelihood ratios if it is a new one.
void Surprise::open_part(std::span<const Index> units, Index signature, Scratch& scratch) const {
  const Word* const closed = closed_units_.data() + signature * words_for(n_units_);
  const bool by_bits = units.size() <= word_bits;
  Word key = by_bits ? 0 : signature;
  double density = 1;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!test_bit(closed, units[i])) continue;
    density *= background_.densities[signature * n_units_ + units[i]];
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
    if (test_bit(closed, unit)) continue;
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
    const std::size_t part = scratch.part[background_.signature[group]];
    const double* const posterior = &background_.posterior[group * n_classes_];
    const double ratio = std::inner_product(posterior, posterior + n_classes_,
                                            &scratch.carrier[part * n_classes_], 0.0);
    scratch.terms.push_back(
        {part, static_cast<double>(scratch.count[group]), ratio * worth(group, scratch)});
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
    const std::size_t part = scratch.part[background_.signature[group]];
    const double weight = count * worth(group, scratch);
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

/// The number of the list in `row_drift_` for a candidate.
std::size_t Surprise::row_list(std::size_t candidate) const {
  const auto size = std::ranges::lower_bound(row_sizes_, candidates_.units[candidate].size());
  return static_cast<std::size_t>(size - row_sizes_.begin());
}

/// The drift of the rows that have a candidate.
double Surprise::row_drift(std::size_t candidate) {
  RowSum& known = row_sums_[candidate];
  if (known.changes == row_changes_) return known.drift;
  const std::size_t list = row_list(candidate);
  const std::vector<Word> extent = table_.extent(candidates_.intents[candidate]);
  const std::uint64_t sum =
      kernels().sum_at(extent.data(), extent.size(), &row_drift_[list * table_.n_rows()]);
  known = {static_cast<double>(sum) / row_drift_steps, most_row_drift_[list], row_changes_};
  return known.drift;
}

/// An upper bound of that drift that doesn't look at the rows.
double Surprise::largest_row_drift(std::size_t candidate) const {
  const RowSum& known = row_sums_[candidate];
  const double most = most_row_drift_[row_list(candidate)] - known.most;
  return known.drift + candidates_.supports[candidate] * most;
}

/// Sets `since` to the drifts of a candidate, without that of its rows, and the terms of its
/// columns, by share.
void Surprise::sum_drifts(std::size_t candidate, Scratch& scratch) const {
  const auto units = candidates_.units[candidate];
  const double* const objects = &open_objects_[candidates_.units.offsets[candidate]];
  double closing = 0;
  for (const Index unit : units) closing += closing_[unit];
  scratch.since.assign(n_shares_, candidates_.supports[candidate] * closing);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const double* const drift = &drift_[units[i] * n_shares_];
    const double* const totals = &background_.totals[units[i] * n_shares_];
    for (std::size_t j = 0; j < n_shares_; ++j) {
      scratch.since[j] += objects[i] * drift[j] + totals[j];
    }
  }
}

/// Sets `bounds` to the bounds of a candidate's ln ratios by share, without the drift of its rows,
/// and returns the largest one.
double Surprise::remembered(std::size_t candidate, Scratch& scratch) const {
  const double* const known = &known_[candidate * n_shares_];
  sum_drifts(candidate, scratch);
  scratch.bounds.resize(n_shares_);
  for (std::size_t j = 0; j < n_shares_; ++j) {
    scratch.bounds[j] = known[j] + scratch.since[j] + rounding * (1 + std::abs(known[j]));
  }
  return std::ranges::max(scratch.bounds);
}

double Surprise::bound(std::size_t candidate) {
  Scratch scratch;
  return remembered(candidate, scratch) + row_drift(candidate);
}

/// Stores the smaller of `bounds` and `log_ratios` for each share.
void Surprise::remember(std::size_t candidate, Scratch& scratch) {
  double* const known = &known_[candidate * n_shares_];
  const double rows = row_drift(candidate);
  sum_drifts(candidate, scratch);
  for (std::size_t j = 0; j < n_shares_; ++j) {
    known[j] = std::min(scratch.bounds[j], padded(scratch.log_ratios[j]) - rows) - scratch.since[j];
  }
}

/// Collects a candidate and bounds its score.
void Surprise::refine(std::size_t candidate, Scratch& scratch) {
  const auto units = candidates_.units[candidate];
  collect(candidates_.intents[candidate], units, scratch);
  const double gain = largest_gain(units, scratch);
  remembered(candidate, scratch);
  count_open(candidate, scratch);
  remember(candidate, scratch);
  const bool pays = may_pay(candidate, padded(largest(scratch)));
  scores_[candidate] = pays ? std::max(gain, 0.0) * wholeness_[candidate] : 0.0;
}

/// Counts the objects of a candidate in which each of its units is open.
void Surprise::count_open(std::size_t candidate, const Scratch& scratch) {
  const auto units = candidates_.units[candidate];
  if (units.size() > word_bits) return;
  double* const objects = &open_objects_[candidates_.units.offsets[candidate]];
  std::fill_n(objects, units.size(), 0.0);
  for (const Scratch::Term& term : scratch.terms) {
    for (std::size_t i = 0; i < units.size(); ++i) {
      if ((scratch.keys[term.part] >> i & 1) == 0) objects[i] += term.objects;
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

std::optional<Surprise::Strongest> Surprise::strongest(ListsView intents, ListsView units,
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
  parallel_blocks(size(), bound_block, threads, budget,
                  [&](std::size_t begin, std::size_t end, unsigned worker) {
                    Scratch& scratch = scratches[worker];
                    for (std::size_t i = begin; i < end; ++i) {
                      if (wholeness_[i] <= 0) continue;
                      const auto promising = [&](double ratio) {
                        return may_pay(i, ratio) && ratio * wholeness_[i] > last_score_;
                      };
                      const double known = remembered(i, scratch);
                      double most = known + largest_row_drift(i);
                      if (std::isinf(known)) {
                        quick_bound(candidates_.units[i], candidates_.supports[i], scratch);
                        remember(i, scratch);
                        most = padded(largest(scratch));
                      } else if (promising(most)) {
                        most = known + row_drift(i);
                      }
                      if (!may_pay(i, most)) continue;
                      scores_[i] = most * wholeness_[i];
                      // With several classes, bounds from earlier backgrounds are loose.
                      if (n_classes_ > 1 && promising(most)) refine(i, scratch);
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
  score = std::min(score, (remembered(candidate, scratch) + row_drift(candidate)) * wholeness);
  if (score < best_score) return;
  refine(candidate, scratch);
  if (score < best_score || score == 0) return;
  const double gain = exact_gain(candidates_.units[candidate], scratch);
  gains_[candidate] = gain;
  ratios_[candidate] = largest(scratch);
  remember(candidate, scratch);
  score = ratios_[candidate] > candidates_.costs[candidate]
              ? rounded(std::max(gain, 0.0) * wholeness)
              : 0.0;
}

/// Whether a candidate may pay, given an upper bound of its ln ratio with the best share.
bool Surprise::may_pay(std::size_t candidate, double ratio) const {
  return ratio > std::max(candidates_.costs[candidate], 0.0);
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
