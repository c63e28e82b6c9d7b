#include "cpp/summary/pattern_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace conceptrank {

namespace {

// The number of paths from each unit, to the units that are most overrepresented with it.
constexpr std::size_t branches = 8;
constexpr std::size_t longest_path = 24;
constexpr std::size_t most_steps = 60;
// The gain of a seed counts the rows that have it; that of a climb also counts the others.
constexpr double seed_factor = 2;
// A seed is not climbed if a climb has found so large a share of its units together.
constexpr double least_common = 0.6;
// A pattern may be inside a told one that so large a share of its carriers has.
constexpr double least_inside = 0.5;
// A unit is no part of a pattern if so many more carriers lack it than lack another one.
constexpr double stranger_factor = 3;
constexpr double stranger_deviations = 4;
constexpr double fewest_lacking = 5;
constexpr std::size_t fewest_units = 6;
constexpr double rounding = 1e-9;

double relative_entropy(double share, double p) {
  p = std::clamp(p, 1e-9, 1 - 1e-9);
  double sum = 0;
  if (share > 0) sum += share * std::log(share / p);
  if (share < 1) sum += (1 - share) * std::log((1 - share) / (1 - p));
  return sum;
}

std::vector<Index> with(std::vector<Index> units, Index unit) {
  units.insert(std::ranges::lower_bound(units, unit), unit);
  return units;
}

std::vector<Index> intersection(std::span<const Index> a, std::span<const Index> b) {
  std::vector<Index> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

}  // namespace

double description(std::size_t n_units, std::size_t size) {
  const auto n = static_cast<double>(n_units), k = static_cast<double>(size);
  if (size == 0 || size > n_units) return 0;
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + std::log(k * (k + 1));
}

PatternSearch::PatternSearch(Reader& reader, PatternLimits limits)
    : reader_(reader), limits_(std::move(limits)), climbed_(reader.n_units()) {
  limits_.most_units = std::min(limits_.most_units, Reader::most_units);
  limits_.barred.resize(reader.n_units(), 0);
  if (limits_.required.size() > 1) {
    starts_ = {limits_.required.front()};
    return;
  }
  for (Index unit = 0; unit < reader.n_units(); ++unit) {
    if (!limits_.required.empty() && unit != limits_.required.front()) continue;
    if (limits_.barred[unit] != 0 || reader.support(unit) < limits_.min_support) continue;
    if (reader.support(unit) < reader.n_objects()) starts_.push_back(unit);
  }
  std::ranges::stable_sort(starts_,
                           [&](Index a, Index b) { return reader.support(a) > reader.support(b); });
}

/// Whether a set may get a unit: there is one unit per column.
bool PatternSearch::may_add(std::span<const Index> units, Index unit) const {
  return limits_.barred[unit] == 0 && units.size() < limits_.most_units &&
         std::ranges::none_of(
             units, [&](Index other) { return reader_.column(other) == reader_.column(unit); });
}

/// A set that contains a told pattern is described by that pattern and the rest.
double PatternSearch::description(std::span<const Index> units) const {
  double least = conceptrank::description(reader_.n_units(), units.size());
  for (const auto& told : told_) {
    if (told.size() >= units.size() || !std::ranges::includes(units, told)) continue;
    least = std::min(least,
                     std::log(static_cast<double>(told_.size()) + 1) +
                         conceptrank::description(reader_.n_units(), units.size() - told.size()));
  }
  return least;
}

double PatternSearch::score(const Explanation& found) const {
  return found.gain - description(found.units);
}

void PatternSearch::push(Candidate candidate) {
  if (candidate.climbed && !waiting_.insert(candidate.units).second) return;
  heap_.push_back(std::move(candidate));
  std::ranges::push_heap(heap_, Later{});
}

/// Follows the paths from a unit, and keeps the best set of each.
void PatternSearch::start(Index unit) {
  const auto rows = reader_.rows_of(unit);
  std::vector<double> found, expected, first_found, first_expected;
  reader_.count(rows, first_found, first_expected);
  const auto surplus = [&](const std::vector<double>& has, const std::vector<double>& would,
                           Index each, double n) {
    if (has[each] < limits_.min_support || has[each] <= would[each]) return 0.0;
    return n * relative_entropy(std::min(has[each] / n, 1.0), std::min(would[each] / n, 1.0));
  };
  const double n_first = reader_.support(unit);
  std::vector<std::pair<double, Index>> seconds;
  for (Index each = 0; each < reader_.n_units(); ++each) {
    if (!may_add(std::span(&unit, 1), each)) continue;
    const double value = surplus(first_found, first_expected, each, n_first);
    if (value > 0) seconds.emplace_back(-value, each);
  }
  const std::size_t n_seconds = std::min(branches, seconds.size());
  std::ranges::partial_sort(seconds, seconds.begin() + static_cast<std::ptrdiff_t>(n_seconds));
  seconds.resize(n_seconds);
  if (limits_.required.size() > 1) {
    add_seed({std::numeric_limits<double>::max(), limits_.required, 0, false, version_});
    return;
  }
  for (const auto& [value, second] : seconds) {
    std::vector<Index> units = with({unit}, second);
    std::vector<Index> here = intersection(rows, reader_.rows_of(second));
    double n = 0;
    for (const Index row : here) n += reader_.weight(row);
    double log_expected = std::log(std::max(first_expected[second], 1e-12));
    Candidate best{0, {}, 0, false, version_};
    for (std::size_t depth = 2; depth < longest_path && n >= limits_.min_support; ++depth) {
      const double log_ratio = std::log(n) - log_expected;
      const double evidence = log_ratio > 0 ? n * log_ratio - n + std::exp(log_expected) : 0.0;
      if (evidence > best.key) best = {evidence, units, n, false, version_};
      if (depth == 2) add_seed({evidence, units, n, false, version_});
      reader_.count(here, found, expected);
      double most = 0;
      Index next = ColumnLayout::none;
      for (Index each = 0; each < reader_.n_units(); ++each) {
        if (found[each] < limits_.min_support) continue;
        if (!may_add(units, each)) continue;
        const double more = surplus(found, expected, each, n);
        if (more > most) {
          most = more;
          next = each;
        }
      }
      if (next == ColumnLayout::none) break;
      log_expected += std::log(std::max(expected[next] / n, 1e-12));
      units = with(std::move(units), next);
      here = intersection(here, reader_.rows_of(next));
      n = 0;
      for (const Index row : here) n += reader_.weight(row);
    }
    if (!best.units.empty()) add_seed(std::move(best));
  }
}

void PatternSearch::add_seed(Candidate seed) {
  seed.key *= seed_factor;
  if (seed.key > description(seed.units)) push(std::move(seed));
}

/// Whether a climb found a pattern that has most units of the seed and at least half of its rows.
bool PatternSearch::covered(const Candidate& seed) const {
  const auto most =
      static_cast<std::size_t>(std::ceil(least_common * static_cast<double>(seed.units.size())));
  return std::ranges::any_of(seed.units, [&](Index unit) {
    return std::ranges::any_of(climbed_[unit], [&](const auto& found) {
      return seed.support <= 2 * found.second &&
             intersection(found.first, seed.units).size() >= std::max<std::size_t>(most, 2);
    });
  });
}

bool PatternSearch::allowed(std::span<const Index> units) const {
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!may_add(units.first(i), units[i])) return false;
  }
  return true;
}

/// Adds the units that raise the score most; false if none does.
bool PatternSearch::step_up(Explanation& here) const {
  std::vector<double> found, expected;
  reader_.count(here.rows, found, expected);
  double n = 0;
  for (const Index row : here.rows) n += reader_.weight(row);
  std::vector<std::pair<double, Index>> steps;
  std::vector<Index> block = here.units;
  for (Index unit = 0; unit < reader_.n_units(); ++unit) {
    if (found[unit] < limits_.min_support || found[unit] <= expected[unit]) continue;
    if (!may_add(here.units, unit)) continue;
    const double share = std::min(found[unit] / n, 1.0);
    const double value = relative_entropy(share, std::min(expected[unit] / n, 1.0)) * n;
    steps.emplace_back(-value, unit);
    if (reader_.is_free(unit) && share >= Reader::least_share && value > 2 &&
        may_add(block, unit)) {
      block.push_back(unit);
    }
  }
  const double before = score(here);
  const auto improves = [&](const std::vector<Index>& units) {
    Explanation next = reader_.explain(units);
    if (next.rows.empty() || score(next) <= before + rounding * std::abs(before)) return false;
    here = std::move(next);
    return true;
  };
  if (block.size() > here.units.size() + 1) {
    std::ranges::sort(block);
    if (improves(block)) return true;
  }
  // A pattern inside a told one.
  for (std::size_t each = 0; each < told_.size(); ++each) {
    const double share = reader_.share_told(each, here.rows);
    if (share < least_inside || share * reader_.n_objects() < 1.5 * told_carriers_[each]) continue;
    std::vector<Index> both;
    std::ranges::set_union(here.units, told_[each], std::back_inserter(both));
    if (both.size() > here.units.size() && allowed(both) && improves(both)) return true;
  }
  const std::size_t tries = std::min<std::size_t>(3, steps.size());
  std::ranges::partial_sort(steps, steps.begin() + static_cast<std::ptrdiff_t>(tries));
  for (std::size_t i = 0; i < tries; ++i) {
    if (improves(with(here.units, steps[i].second))) return true;
  }
  return false;
}

/// Removes the unit whose removal raises the score most; false if none does.
bool PatternSearch::step_down(Explanation& here) const {
  if (here.units.size() <= 2) return false;
  Explanation best;
  double most = score(here);
  most += rounding * std::abs(most);
  for (const Index unit : here.units) {
    if (std::ranges::binary_search(limits_.required, unit)) continue;
    std::vector<Index> fewer = here.units;
    std::erase(fewer, unit);
    Explanation next = reader_.explain(fewer);
    if (!next.rows.empty() && score(next) > most) {
      most = score(next);
      best = std::move(next);
    }
  }
  if (best.units.empty()) return false;
  here = std::move(best);
  return true;
}

/// The free unit that carriers lack much more often than the other units; `none` if there is none.
/// It is not part of the pattern, but of others that go with it.
Index PatternSearch::stranger(const Explanation& here) const {
  // The carriers of few units are too uncertain.
  if (here.units.size() < fewest_units) return ColumnLayout::none;
  double n = 0;
  for (const Index row : here.rows) n += reader_.weight(row);
  std::vector<std::pair<double, Index>> lacking;
  for (const Index unit : here.units) {
    double having = 0;
    for (const Index row : intersection(here.rows, reader_.rows_of(unit)))
      having += reader_.weight(row);
    lacking.emplace_back(n - having, unit);
  }
  std::ranges::sort(lacking);
  const auto [most, unit] = lacking.back();
  if (!reader_.is_free(unit) || std::ranges::binary_search(limits_.required, unit)) {
    return ColumnLayout::none;
  }
  double others = -most;
  for (const auto& [each, _] : lacking) others += each;
  others /= static_cast<double>(lacking.size() - 1);
  const double usual =
      stranger_factor * others + stranger_deviations * std::sqrt(others) + fewest_lacking;
  return most > usual ? unit : ColumnLayout::none;
}

Explanation PatternSearch::climb(std::vector<Index> units) {
  Explanation here = reader_.explain(units);
  std::vector<Index> strangers;
  for (std::size_t step = 0; step < most_steps && !here.rows.empty(); ++step) {
    if (step_up(here) || step_down(here)) continue;
    const Index unit = stranger(here);
    if (unit == ColumnLayout::none) break;
    std::erase(here.units, unit);
    here = reader_.explain(std::vector<Index>(here.units));
    limits_.barred[unit] = 1;
    strangers.push_back(unit);
  }
  for (const Index unit : strangers) limits_.barred[unit] = 0;
  return here;
}

std::optional<Explanation> PatternSearch::best(Budget& budget) {
  while (!budget.stopped()) {
    budget.poll(0, 0);
    if (next_start_ < starts_.size()) {
      start(starts_[next_start_++]);
      continue;
    }
    if (heap_.empty()) {
      if (seeded_ == version_) return std::nullopt;
      seeded_ = version_;
      next_start_ = 0;
      for (auto& list : climbed_) list.clear();
      continue;
    }
    if (seeded_ < 0) seeded_ = 0;
    std::ranges::pop_heap(heap_, Later{});
    Candidate first = std::move(heap_.back());
    heap_.pop_back();
    if (first.climbed) waiting_.erase(first.units);
    if (returned_.contains(first.units) || (!first.climbed && covered(first))) continue;
    if (first.climbed && first.version == version_) {
      returned_.insert(first.units);
      return reader_.explain(first.units);
    }
    if (!tried_.insert(first.units).second) continue;
    // Most seeds are chance, and a climb costs some dozen times as much.
    if (!first.climbed && score(reader_.explain(first.units)) <= 0) continue;
    const Explanation found = climb(first.units);
    const double value = score(found);
    if (found.rows.empty() || value <= 0) continue;
    double carriers = 0;
    for (const Index row : found.rows) carriers += reader_.weight(row);
    climbed_[found.units[0]].emplace_back(found.units, carriers);
    for (std::size_t i = 1; i < found.units.size(); ++i) {
      climbed_[found.units[i]].emplace_back(found.units, carriers);
    }
    push({value, found.units, carriers, true, version_});
  }
  return std::nullopt;
}

void PatternSearch::tell(const Explanation& pattern) {
  reader_.tell(pattern);
  told_.push_back(pattern.units);
  double carriers = 0;
  for (const Index row : pattern.rows) carriers += reader_.weight(row);
  told_carriers_.push_back(carriers);
  ++version_;
  tried_.clear();
  for (auto& list : climbed_) {
    std::erase_if(list, [&](const auto& found) { return found.first == pattern.units; });
  }
  for (const Index unit : pattern.units) {
    if (limits_.required.empty() || unit == limits_.required.front()) start(unit);
  }
}

}  // namespace conceptrank
