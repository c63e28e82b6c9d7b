#include "cpp/summary/reader.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>

namespace conceptrank {

namespace {

// Log-odds that a class of richness adds to the cells of its rows.
constexpr double largest_richness = 4;
constexpr double richness_step = 0.5;
constexpr double largest_level = 25;
constexpr double least_class = 1e-6;
constexpr int first_steps = 200;
constexpr int next_steps = 30;
constexpr double converged = 1e-7;
// Probabilities in closed cells and in tables stay this far from 0 and 1.
constexpr double least_chance = 1e-9;
// The least variance of a support, as a share of that with independent cells.
constexpr double least_variance = 0.25;
constexpr int carrier_steps = 12;
// Shares of carriers that are tried: the first one as a multiple of the complete rows, and the
// ratio of one to the one before.
constexpr double first_share = 1.5;
constexpr double next_share = 0.65;
constexpr double most_carriers = 0.9;
// Rows that are no carriers keep at least this part of the crosses of its columns.
constexpr double least_left = 0.05;

double log_sum(std::span<const double> terms) {
  const double most = *std::ranges::max_element(terms);
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - most);
  return most + std::log(sum);
}

}  // namespace

double Reader::Told::share(Index unit) const {
  const auto found = std::ranges::lower_bound(shares, unit, {}, &std::pair<Index, double>::first);
  return found == shares.end() || found->first != unit ? 0.0 : found->second;
}

Reader::Reader(Lists rows, std::vector<Index> weights, ColumnLayout layout, bool richness)
    : rows_(std::move(rows)), weights_(std::move(weights)), layout_(std::move(layout)) {
  const std::size_t n_columns = layout_.free.size();
  std::vector<std::vector<Index>> by_unit(n_units()), by_column(n_columns);
  for (Index row = 0; row < n_rows(); ++row) {
    for (const Index unit : rows_[row]) by_unit[unit].push_back(row);
  }
  supports_.assign(n_units(), 0.0);
  for (Index unit = 0; unit < n_units(); ++unit) {
    unit_rows_.push_back(by_unit[unit]);
    by_column[column(unit)].push_back(unit);
    for (const Index row : by_unit[unit]) supports_[unit] += weights_[row];
    if (is_free(unit)) free_units_.push_back(unit);
  }
  n_ = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (const auto& units : by_column) column_units_.push_back(units);
  known_.resize(n_columns);
  closed_by_.resize(n_columns);
  told_of_.resize(n_rows());
  std::size_t length = 0;
  table_start_.assign(n_units(), 0);
  for (std::size_t c = 0; c < n_columns; ++c) {
    if (layout_.free[c] != 0) continue;
    std::vector<Word> bits(words_for(n_rows()), 0);
    for (const Index unit : by_column[c]) {
      for (const Index row : by_unit[unit]) set_bit(bits.data(), row);
    }
    if (count_bits(bits.data(), bits.size()) < n_rows()) known_[c] = std::move(bits);
    std::size_t states = 1;
    if (layout_.parent[c] != ColumnLayout::none && n_rows() > 0) {
      const auto list = layout_.states[layout_.parent[c]];
      states = *std::ranges::max_element(list) + std::size_t{1};
    }
    for (const Index unit : by_column[c]) {
      table_start_[unit] = length;
      length += states;
    }
  }
  table_.assign(length, 0.0);
  cells_.assign(n_units(), 0.0);
  crosses_.assign(n_units(), 0.0);
  richness_ = {0.0};
  if (richness && !free_units_.empty()) {
    richness_.clear();
    for (double a = -largest_richness; a <= largest_richness; a += richness_step) {
      richness_.push_back(a);
    }
  }
  log_share_.assign(n_classes(), -std::log(static_cast<double>(n_classes())));
  level_.assign(n_units(), 0.0);
  for (const Index unit : free_units_) {
    const double p = std::clamp(supports_[unit] / std::max(n_, 1.0), 1e-9, 1 - 1e-9);
    level_[unit] = std::log(p / (1 - p));
  }
  signature_.assign(n_rows(), 0);
  signatures_.emplace_back();
  fit(first_steps);
  first_table_ = table_;
}

std::size_t Reader::bytes() const {
  return rows_.bytes() + unit_rows_.bytes() + 3 * n_classes() * n_units() * sizeof(double) +
         group_signature_.size() * (2 * n_classes() + 4) * sizeof(double) + n_rows() * 64;
}

/// Fits the tables of columns and the Rasch model to the open cells.
void Reader::fit(int steps) {
  fit_tables();
  group_rows();
  update_classes();
  for (int step = 0; step < steps && !free_units_.empty(); ++step) {
    if (maximize(3) < converged) break;
  }
  if (!free_units_.empty() && n_classes() > 1) {
    // Classes without rows only cost time.
    std::vector<double> richness, shares;
    for (std::size_t c = 0; c < n_classes(); ++c) {
      if (log_share_[c] > std::log(least_class)) {
        richness.push_back(richness_[c]);
        shares.push_back(log_share_[c]);
      }
    }
    const double rest = log_sum(shares);
    for (double& each : shares) each -= rest;
    richness_ = std::move(richness);
    log_share_ = std::move(shares);
    update_classes();
  }
}

/// Counts open cells and their crosses, and the frequencies of units that are not free.
void Reader::fit_tables() {
  std::vector<double> known;
  std::vector<double> having;
  for (Index c = 0; c < n_columns(); ++c) {
    const bool closed = !closed_by_[c].empty();
    if (layout_.free[c] != 0) {
      const Index unit = column_units_[c][0];
      cells_[unit] = n_;
      crosses_[unit] = supports_[unit];
      if (!closed) continue;
      for (Index row = 0; row < n_rows(); ++row) {
        if (closed_by_[c][row] != 0) cells_[unit] -= weights_[row];
      }
      for (const Index row : unit_rows_[unit]) {
        if (closed_by_[c][row] != 0) crosses_[unit] -= weights_[row];
      }
      continue;
    }
    known.assign(1, 0.0);
    double every = 0;
    for (Index row = 0; row < n_rows(); ++row) {
      if (!open(c, row) || !this->known(c, row)) continue;
      const Index at = state(c, row);
      if (at >= known.size()) known.resize(at + 1, 0.0);
      known[at] += weights_[row];
      every += weights_[row];
    }
    for (const Index unit : column_units_[c]) {
      having.assign(known.size(), 0.0);
      double crosses = 0;
      for (const Index row : unit_rows_[unit]) {
        if (!open(c, row)) continue;
        having[state(c, row)] += weights_[row];
        crosses += weights_[row];
      }
      cells_[unit] = every;
      crosses_[unit] = crosses;
      for (std::size_t s = 0; s < known.size(); ++s) {
        table_[table_start_[unit] + s] = known[s] > 0 ? having[s] / known[s] : 0.0;
      }
    }
  }
}

/// Groups the rows with the same closed free units and as many crosses in open ones.
void Reader::group_rows() {
  std::map<std::pair<Index, Index>, Index> numbers;
  group_.assign(n_rows(), 0);
  group_signature_.clear();
  group_crosses_.clear();
  group_weight_.clear();
  std::vector<std::pair<Index, Index>> keys(n_rows());
  for (Index row = 0; row < n_rows(); ++row) {
    Index crosses = 0;
    for (const Index unit : rows_[row]) {
      if (is_free(unit) && open(column(unit), row)) ++crosses;
    }
    keys[row] = {signature_[row], crosses};
    numbers.try_emplace(keys[row], 0);
  }
  Index next = 0;
  for (auto& [key, number] : numbers) {
    number = next++;
    group_signature_.push_back(key.first);
    group_crosses_.push_back(key.second);
    group_weight_.push_back(0);
  }
  for (Index row = 0; row < n_rows(); ++row) {
    group_[row] = numbers[keys[row]];
    group_weight_[group_[row]] += weights_[row];
  }
}

double Reader::closed_sum(std::span<const Index> closed, std::size_t c) const {
  double sum = 0;
  for (const Index unit : closed) sum += log_absent_[c * n_units() + unit];
  return sum;
}

/// Probabilities by class from levels, and the classes of each group.
void Reader::update_classes() {
  const std::size_t n_groups = group_signature_.size();
  log_absent_.assign(n_classes() * n_units(), 0.0);
  chance_.assign(n_classes() * n_units(), 0.0);
  all_absent_.assign(n_classes(), 0.0);
  for (std::size_t c = 0; c < n_classes(); ++c) {
    for (const Index unit : free_units_) {
      const double logit = richness_[c] + level_[unit];
      const double p = 1 / (1 + std::exp(-logit));
      const double absent = -std::log1p(std::exp(std::min(logit, 700.0)));
      log_absent_[c * n_units() + unit] = absent;
      chance_[c * n_units() + unit] = p;
      all_absent_[c] += absent;
    }
  }
  std::vector<double> closed(signatures_.size() * n_classes());
  for (std::size_t s = 0; s < signatures_.size(); ++s) {
    for (std::size_t c = 0; c < n_classes(); ++c) {
      closed[s * n_classes() + c] = closed_sum(signatures_[s], c);
    }
  }
  likelihood_.resize(n_groups * n_classes());
  posterior_.resize(n_groups * n_classes());
  std::vector<double> terms(n_classes());
  for (std::size_t g = 0; g < n_groups; ++g) {
    for (std::size_t c = 0; c < n_classes(); ++c) {
      const double each = group_crosses_[g] * richness_[c] + all_absent_[c] -
                          closed[group_signature_[g] * n_classes() + c];
      likelihood_[g * n_classes() + c] = each;
      terms[c] = each + log_share_[c];
    }
    const double total = log_sum(terms);
    for (std::size_t c = 0; c < n_classes(); ++c) {
      posterior_[g * n_classes() + c] = std::exp(terms[c] - total);
    }
  }
  weigh_open_cells();
}

/// The rows of each class in which each free unit is open.
void Reader::weigh_open_cells() {
  const std::size_t k = n_classes();
  std::vector<double> in_class(k, 0.0), in_signature(signatures_.size() * k, 0.0);
  for (std::size_t g = 0; g < group_signature_.size(); ++g) {
    for (std::size_t c = 0; c < k; ++c) {
      const double weight = group_weight_[g] * posterior_[g * k + c];
      in_class[c] += weight;
      in_signature[group_signature_[g] * k + c] += weight;
    }
  }
  open_weight_.assign(k * n_units(), 0.0);
  for (std::size_t c = 0; c < k; ++c) {
    for (const Index unit : free_units_) open_weight_[c * n_units() + unit] = in_class[c];
  }
  for (std::size_t s = 0; s < signatures_.size(); ++s) {
    for (const Index unit : signatures_[s]) {
      for (std::size_t c = 0; c < k; ++c) {
        double& weight = open_weight_[c * n_units() + unit];
        weight = std::max(weight - in_signature[s * k + c], 0.0);
      }
    }
  }
}

/// One step of expectation and maximization; returns how far it moved.
double Reader::maximize(int newton_steps) {
  const std::size_t n_groups = group_signature_.size();
  const std::size_t k = n_classes();
  std::vector<double> in_class(k, 0.0);
  for (std::size_t g = 0; g < n_groups; ++g) {
    for (std::size_t c = 0; c < k; ++c) in_class[c] += group_weight_[g] * posterior_[g * k + c];
  }
  double moved = 0;
  for (std::size_t c = 0; c < k; ++c) {
    const double share = std::max(in_class[c] / n_, 1e-300);
    moved = std::max(moved, std::abs(share - std::exp(log_share_[c])));
    log_share_[c] = std::log(share);
  }
  for (const Index unit : free_units_) {
    double& level = level_[unit];
    // Cells that are all empty, all full or all closed don't say more.
    if (cells_[unit] <= 0.5) continue;
    if (crosses_[unit] <= 0.5 || crosses_[unit] >= cells_[unit] - 0.5) {
      level = crosses_[unit] <= 0.5 ? -largest_level : largest_level;
      continue;
    }
    level = std::clamp(level, -largest_level / 2, largest_level / 2);
    for (int step = 0; step < newton_steps; ++step) {
      double slope = 0, expected = 0;
      for (std::size_t c = 0; c < k; ++c) {
        const double p = 1 / (1 + std::exp(-richness_[c] - level));
        const double weight = open_weight_[c * n_units() + unit];
        expected += weight * p;
        slope += weight * p * (1 - p);
      }
      const double move =
          std::clamp((crosses_[unit] - expected) / std::max(slope, 1e-9), -1.0, 1.0);
      level = std::clamp(level + move, -largest_level, largest_level);
      moved = std::max(moved, std::abs(move));
      if (std::abs(move) < converged) break;
    }
  }
  update_classes();
  return moved;
}

std::vector<Index> Reader::extent(std::span<const Index> units) const {
  std::vector<Index> rows, next;
  bool first = true;
  std::vector<Index> order(units.begin(), units.end());
  std::ranges::sort(order, {}, [&](Index unit) { return unit_rows_[unit].size(); });
  for (const Index unit : order) {
    const auto column = unit_rows_[unit];
    if (first) {
      rows.assign(column.begin(), column.end());
      first = false;
      continue;
    }
    next.clear();
    std::ranges::set_intersection(rows, column, std::back_inserter(next));
    rows.swap(next);
  }
  return rows;
}

/// The share of the open cells of a unit that have it, among rows with another unit.
double Reader::chance_given(Index unit, Index other) const {
  double all = 0, having = 0;
  const auto list = unit_rows_[unit];
  auto at = list.begin();
  for (const Index row : unit_rows_[other]) {
    while (at != list.end() && *at < row) ++at;
    if (!open(column(unit), row) || !known(column(unit), row)) continue;
    all += weights_[row];
    if (at != list.end() && *at == row) having += weights_[row];
  }
  return all > 0 ? having / all : 0.0;
}

/// Some units and their cells: what the reader knows of them, row by row.
struct Reader::Probe {
  /// `closed`: also of a unit that isn't free.
  enum class Cell : std::uint8_t { closed, absent, present };

  const Reader& reader;
  std::span<const Index> units;
  std::vector<double> shares;  // by told pattern and unit
  std::vector<double> log_shares, log_lacks;
  // Of units whose column depends on that of another unit here, the probability given this unit;
  // -1 for others.
  std::vector<double> given_parent;
  std::vector<double> absent_sum;  // of all free units here, by class
  std::vector<std::uint8_t> free;
  // Of the classes: one place for any row, and one for each group and number of crosses of rows
  // whose free cells are all open.
  std::vector<double> posteriors;
  std::size_t n_free = 0;

  Probe(const Reader& from, std::span<const Index> all) : reader(from), units(all) {
    const std::size_t k = reader.n_classes();
    for (const Told& told : reader.told_) {
      for (const Index unit : units) shares.push_back(told.share(unit));
    }
    for (const double share : shares) {
      log_shares.push_back(std::log(std::max(share, least_chance)));
      log_lacks.push_back(std::log(std::max(1 - share, least_chance)));
    }
    absent_sum.assign(k, 0.0);
    for (const Index unit : units) {
      free.push_back(reader.is_free(unit) ? 1 : 0);
      if (free.back() == 0) continue;
      ++n_free;
      for (std::size_t c = 0; c < k; ++c) {
        absent_sum[c] += reader.log_absent_[c * reader.n_units() + unit];
      }
    }
    given_parent.assign(units.size(), -1.0);
    for (std::size_t i = 0; i < units.size(); ++i) {
      const Index parent = reader.layout_.parent[reader.column(units[i])];
      if (parent == ColumnLayout::none) continue;
      for (const Index other : units) {
        if (reader.column(other) == reader.layout_.state_column[parent]) {
          given_parent[i] = reader.chance_given(units[i], other);
        }
      }
    }
    const std::size_t n_places = 1 + reader.group_signature_.size() * (n_free + 1);
    posteriors.assign(n_places * k, std::numeric_limits<double>::quiet_NaN());
  }

  /// The probability in a closed cell or in a column that isn't free; -1 in an open free cell.
  double chance(std::size_t i, Index row) const {
    const Index unit = units[i];
    const Index column = reader.column(unit);
    if (!reader.open(column, row)) {
      return shares[(reader.closed_by_[column][row] - std::size_t{1}) * units.size() + i];
    }
    if (free[i] != 0) return -1;
    if (!reader.known(column, row)) return 0;
    if (given_parent[i] >= 0) return given_parent[i];
    return reader.table_[reader.table_start_[unit] + reader.state(column, row)];
  }

  /// ln of the probability of a cell that is closed or not free.
  double log_chance(std::size_t i, Index row, bool cross) const {
    const Index column = reader.column(units[i]);
    if (reader.open(column, row)) {
      const double chance = this->chance(i, row);
      return std::log(std::max(cross ? chance : 1 - chance, least_chance));
    }
    const std::size_t at = (reader.closed_by_[column][row] - std::size_t{1}) * units.size() + i;
    return cross ? log_shares[at] : log_lacks[at];
  }

  /// The probability of each class of a row in a group given its open cells outside the units.
  std::span<const double> classes(Index group, std::span<const Cell> cells) {
    const std::size_t k = reader.n_classes();
    const auto present = static_cast<std::size_t>(std::ranges::count(cells, Cell::present));
    const auto closed = static_cast<std::size_t>(std::ranges::count(cells, Cell::closed));
    const bool all_open = units.size() - closed == n_free;
    // Only the number of crosses counts then: a level is the same in all classes.
    const std::size_t place = all_open ? 1 + group * (n_free + 1) + present : 0;
    double* const into = &posteriors[place * k];
    if (all_open && !std::isnan(into[0])) return {into, k};
    for (std::size_t c = 0; c < k; ++c) {
      double inside = static_cast<double>(present) * reader.richness_[c];
      if (all_open) inside += absent_sum[c];
      for (std::size_t i = 0; i < units.size() && !all_open; ++i) {
        if (cells[i] != Cell::closed) inside += reader.log_absent_[c * reader.n_units() + units[i]];
      }
      into[c] = reader.likelihood_[group * k + c] + reader.log_share_[c] - inside;
    }
    const double all = log_sum({into, k});
    for (std::size_t c = 0; c < k; ++c) into[c] = std::exp(into[c] - all);
    return {into, k};
  }
};

/// Rows that may be carriers: they have all units that are not free, and at least half of all.
std::vector<Index> Reader::eligible(std::span<const Index> units) const {
  const std::size_t size = units.size();
  const auto n_fixed = static_cast<std::size_t>(
      std::ranges::count_if(units, [&](Index unit) { return !is_free(unit); }));
  if (n_fixed == size || size < 3) return extent(units);
  std::vector<std::uint16_t> fixed(n_fixed > 0 ? n_rows() : 0), all(n_rows());
  for (const Index unit : units) {
    const auto rows = unit_rows_[unit];
    for (const Index row : rows) ++all[row];
    if (is_free(unit)) continue;
    for (const Index row : rows) ++fixed[row];
  }
  std::vector<Index> found;
  for (Index row = 0; row < n_rows(); ++row) {
    if (2 * std::size_t{all[row]} >= size && (n_fixed == 0 || fixed[row] == n_fixed)) {
      found.push_back(row);
    }
  }
  return found;
}

Explanation Reader::explain(std::span<const Index> units) const {
  Explanation found{{units.begin(), units.end()}, {}, 0};
  const std::size_t size = units.size(), k = n_classes();
  if (size == 0 || size > most_units) return found;
  const std::vector<Index> rows = eligible(units);
  std::vector<Word> present(rows.size(), 0);
  for (std::size_t i = 0; i < size; ++i) {
    const auto list = unit_rows_[units[i]];
    auto at = list.begin();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      while (at != list.end() && *at < rows[r]) ++at;
      if (at != list.end() && *at == rows[r]) set_bit(&present[r], i);
    }
  }
  // Rows that look the same to the model are of one kind.
  struct Kind {
    Word present, open, open_free;
    Index group;
    double log_fixed;  // of the cells that are closed or not free
    double weight;
    double chance;  // to be a carrier
  };
  Probe probe(*this, units);
  std::vector<Kind> kinds;
  std::vector<Index> kind_of(rows.size());
  std::unordered_map<std::uint64_t, Index> first;  // kind of a key
  std::vector<Index> next;                         // the next kind of the same key, or `none`
  first.reserve(rows.size());
  const Word whole = tail_mask(size);
  std::vector<Word> open(rows.size(), whole);
  Word all_free = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (probe.free[i] != 0) set_bit(&all_free, i);
    const auto& closed_by = closed_by_[column(units[i])];
    if (closed_by.empty()) continue;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (closed_by[rows[r]] != 0) open[r] &= ~(Word{1} << i);
    }
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Index row = rows[r];
    Kind kind{present[r], open[r], open[r] & all_free, group_[row], 0, 0, 0};
    for (Word rest = whole & ~kind.open_free; rest != 0; rest &= rest - 1) {
      const std::size_t i = lowest_bit(rest);
      kind.log_fixed += probe.log_chance(i, row, (kind.present >> i & 1) != 0);
    }
    const auto key = (kind.present * 0x9E3779B97F4A7C15u) ^ (kind.open * 0xC2B2AE3D27D4EB4Fu) ^
                     (kind.group * 0x165667B19E3779F9u) ^
                     std::bit_cast<std::uint64_t>(kind.log_fixed);
    const auto [place, is_new] = first.try_emplace(key, static_cast<Index>(kinds.size()));
    Index each = is_new ? ColumnLayout::none : place->second;
    const auto same = [&](const Kind& other) {
      return other.present == kind.present && other.open == kind.open &&
             other.group == kind.group && other.log_fixed == kind.log_fixed;
    };
    while (each != ColumnLayout::none && !same(kinds[each])) each = next[each];
    if (each == ColumnLayout::none) {
      each = static_cast<Index>(kinds.size());
      next.push_back(is_new ? ColumnLayout::none : place->second);
      place->second = each;
      kinds.push_back(kind);
    }
    kind_of[r] = each;
    kinds[kind_of[r]].weight += weights_[row];
  }
  double complete = 0;
  std::size_t n_fixed = 0;
  for (const Kind& kind : kinds) complete += kind.present == whole ? kind.weight : 0;
  for (std::size_t i = 0; i < size; ++i) n_fixed += probe.free[i] == 0 ? 1 : 0;
  if (complete == 0) return found;
  // The probability of each class given the rest of the row, times that of the open crosses.
  using Cell = Probe::Cell;
  std::vector<Cell> look(size);
  std::vector<double> classes(kinds.size() * k);
  for (std::size_t each = 0; each < kinds.size(); ++each) {
    const Kind& kind = kinds[each];
    for (std::size_t i = 0; i < size; ++i) {
      const bool cross = (kind.present >> i & 1) != 0;
      look[i] = (kind.open_free >> i & 1) == 0 ? Cell::closed
                : cross                        ? Cell::present
                                               : Cell::absent;
    }
    const auto posterior = probe.classes(kind.group, look);
    for (std::size_t c = 0; c < k; ++c) {
      double product = posterior[c];
      for (std::size_t i = 0; i < size; ++i) {
        if (look[i] == Cell::present) product *= chance_[c * n_units() + units[i]];
      }
      classes[each * k + c] = product;
    }
  }
  // The share of carriers and that of their cells that have a cross, by expectation and
  // maximization. Other rows have the units less often than before, so that the columns keep their
  // numbers of crosses.
  double density = n_fixed == size ? 1 - 1e-9 : 0.9;
  std::vector<double> log_left(size), log_lacking(size), lacking(size * k);
  const auto log_likelihood = [&](double share) {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const Index unit = units[i];
      log_left[i] = log_lacking[i] = 0;
      const double cells = cells_[unit], crosses = crosses_[unit];
      const double p = cells > 0 ? std::min(crosses / cells, 1 - 1e-9) : 0.0;
      const double left = p > 0 ? std::clamp((1 - share / p) / (1 - share), least_left, 1.0) : 1.0;
      log_left[i] = std::log(left);
      sum += crosses * log_left[i];
      if (probe.free[i] == 0) {
        log_lacking[i] = std::log1p(-p * left) - std::log1p(-p);
        sum += (cells - crosses) * log_lacking[i];
        continue;
      }
      for (std::size_t c = 0; c < k; ++c) {
        const double each = chance_[c * n_units() + unit];
        lacking[i * k + c] = 1 - each * left;
        sum += open_weight_[c * n_units() + unit] * (1 - each) *
               (std::log1p(-each * left) - std::log1p(-each));
      }
    }
    double carriers = 0, crosses = 0, counted = 0;
    const double log_with = std::log(density), log_without = std::log1p(-density);
    for (std::size_t each = 0; each < kinds.size(); ++each) {
      Kind& kind = kinds[each];
      const auto n_present = static_cast<double>(count_bits(kind.present));
      // What the row would be without the carriers, over what it was: the first is in `sum`.
      double log_null = kind.log_fixed, log_before = 0;
      for_each_bit(&kind.open, 1, [&](std::size_t i) {
        const bool cross = (kind.present >> i & 1) != 0;
        if (cross) log_null += log_left[i];
        if (probe.free[i] == 0 && !cross) log_null += log_lacking[i];
        log_before += cross ? log_left[i] : log_lacking[i];
      });
      if (kind.open_free != 0) {
        double mean = 0;
        for (std::size_t c = 0; c < k; ++c) {
          double product = classes[each * k + c];
          for (Word rest = kind.open_free & ~kind.present; rest != 0; rest &= rest - 1) {
            product *= lacking[lowest_bit(rest) * k + c];
          }
          mean += product;
        }
        log_null += std::log(std::max(mean, 1e-300));
      }
      const double ratio =
          n_present * log_with + (static_cast<double>(size) - n_present) * log_without - log_null;
      const double odds = ratio + std::log(share / (1 - share));
      kind.chance = odds > 35 ? 1.0 : 1 / (1 + std::exp(-odds));
      counted += kind.weight;
      sum += kind.weight * (odds > 35 ? ratio + std::log(share)
                                      : std::log1p(-share) + std::log1p(std::exp(odds)));
      carriers += kind.weight * kind.chance;
      crosses += kind.weight * kind.chance * n_present;
    }
    sum += (n_ - counted) * std::log1p(-share);
    if (n_fixed < size) {
      density = (crosses + 0.5) / (carriers * static_cast<double>(size) + 1);
      density = std::clamp(density, least_share, 1 - 1e-9);
    }
    return sum;
  };
  double share = std::min(first_share * complete / n_, most_carriers), best_share = share;
  double best_density = density;
  found.gain = log_likelihood(share);
  for (int step = 0, lower = 0; step < carrier_steps && lower < 2 && share > 1 / n_; ++step) {
    share *= next_share;
    const double used = density, gain = log_likelihood(share);
    lower = gain > found.gain ? 0 : lower + 1;
    if (lower > 0) continue;
    found.gain = gain;
    best_share = share;
    best_density = used;
  }
  density = best_density;
  for (int step = 0; step < 2; ++step) {
    found.gain = std::max(found.gain, log_likelihood(best_share));
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (kinds[kind_of[r]].chance > 0.5 || present[r] == whole) found.rows.push_back(rows[r]);
  }
  return found;
}

Reader::Support Reader::support(std::span<const Index> units) const {
  const std::size_t size = units.size(), k = n_classes();
  Support result;
  std::vector<std::vector<Word>> has(size, std::vector<Word>(words_for(n_rows()), 0));
  for (std::size_t i = 0; i < size; ++i) {
    for (const Index row : unit_rows_[units[i]]) set_bit(has[i].data(), row);
  }
  Probe probe(*this, units);
  // The mean probability of each free unit in each group.
  const std::size_t n_groups = group_signature_.size();
  std::vector<double> means(n_groups * size, 0.0);
  for (std::size_t g = 0; g < n_groups; ++g) {
    for (std::size_t i = 0; i < size; ++i) {
      if (probe.free[i] == 0) continue;
      for (std::size_t c = 0; c < k; ++c) {
        means[g * size + i] += posterior_[g * k + c] * chance_[c * n_units() + units[i]];
      }
    }
  }
  using Cell = Probe::Cell;
  std::vector<Cell> cells(size);
  std::vector<double> chances(size), with_column(size, 0.0), of_column(size, 0.0);
  for (Index row = 0; row < n_rows(); ++row) {
    const double weight = weights_[row];
    double all = 1;
    std::size_t present = 0;
    bool open = false;
    for (std::size_t i = 0; i < size; ++i) {
      const bool cross = test_bit(has[i].data(), row);
      present += cross ? 1 : 0;
      chances[i] = probe.chance(i, row);
      cells[i] = chances[i] >= 0 ? Cell::closed : cross ? Cell::present : Cell::absent;
      if (cells[i] == Cell::closed) {
        all *= chances[i];
      } else {
        open = true;
        chances[i] = means[group_[row] * size + i];
      }
    }
    if (open && all > 0) {
      const auto posterior = probe.classes(group_[row], cells);
      double together = 0;
      for (std::size_t c = 0; c < k; ++c) {
        double product = posterior[c];
        for (std::size_t i = 0; i < size; ++i) {
          if (cells[i] != Cell::closed) product *= chance_[c * n_units() + units[i]];
        }
        together += product;
      }
      all *= together;
    }
    all = std::min(all, 1.0);
    result.expected += weight * all;
    result.variance += weight * all * (1 - all);
    for (std::size_t i = 0; i < size; ++i) {
      with_column[i] += weight * all * (1 - chances[i]);
      of_column[i] += weight * chances[i] * (1 - chances[i]);
    }
    if (present == size) result.found += weight;
  }
  // The columns keep their numbers of crosses.
  const double most = result.variance;
  for (std::size_t i = 0; i < size; ++i) {
    if (of_column[i] > 0) result.variance -= with_column[i] * with_column[i] / of_column[i];
  }
  result.variance = std::max(result.variance, least_variance * most);
  return result;
}

Reader::Presence Reader::presence(Index unit, std::span<const Index> rows) const {
  Presence result;
  const auto having = unit_rows_[unit];
  const Index c = column(unit);
  const std::size_t k = n_classes();
  auto at = having.begin();
  for (const Index row : rows) {
    // A row whose column is unknown says nothing.
    if (!known(c, row)) continue;
    while (at != having.end() && *at < row) ++at;
    const bool cross = at != having.end() && *at == row;
    const double weight = weights_[row];
    result.rows += weight;
    if (cross) result.found += weight;
    double p = 0;
    if (!is_free(unit)) {
      p = first_table_[table_start_[unit] + state(c, row)];
    } else {
      // Given the other open cells of the row.
      double sum = 0, all = 0;
      for (std::size_t each = 0; each < k; ++each) {
        const double chance = chance_[each * n_units() + unit];
        double posterior = posterior_[group_[row] * k + each];
        if (open(c, row)) posterior /= std::max(cross ? chance : 1 - chance, least_chance);
        all += posterior;
        sum += posterior * chance;
      }
      p = all > 0 ? sum / all : 0.0;
    }
    result.expected += weight * p;
    result.variance += weight * p * (1 - p);
  }
  const auto& bits = known_[c];
  double all = n_;
  if (!bits.empty()) {
    all = 0;
    for_each_bit(bits.data(), bits.size(), [&](std::size_t row) { all += weights_[row]; });
  }
  result.variance *= std::max(1 - result.rows / std::max(all, 1.0), 0.0);
  return result;
}

void Reader::count(std::span<const Index> rows, std::vector<double>& found,
                   std::vector<double>& expected) const {
  const std::size_t k = n_classes();
  found.assign(n_units(), 0.0);
  expected.assign(n_units(), 0.0);
  std::vector<double> in_class(k, 0.0);
  double weight_of_all = 0;
  for (const Index row : rows) {
    const double weight = weights_[row];
    weight_of_all += weight;
    const double* const posterior = &posterior_[group_[row] * k];
    for (std::size_t c = 0; c < k; ++c) in_class[c] += weight * posterior[c];
    for (const Index unit : rows_[row]) found[unit] += weight;
    for (const std::uint16_t each : told_of_[row]) {
      for (const auto& [unit, share] : told_[each - std::size_t{1}].shares) {
        if (closed_by_[column(unit)][row] == each) expected[unit] += weight * share;
      }
    }
  }
  for (Index c = 0; c < n_columns(); ++c) {
    const auto units = column_units_[c];
    if (std::ranges::none_of(units, [&](Index unit) { return found[unit] > 0; })) continue;
    const bool fixed = layout_.free[c] == 0;
    if (fixed && layout_.parent[c] != ColumnLayout::none) {
      for (const Index row : rows) {
        if (!open(c, row) || !known(c, row)) continue;
        for (const Index unit : units) {
          expected[unit] += weights_[row] * table_[table_start_[unit] + state(c, row)];
        }
      }
      continue;
    }
    double share = 1;
    if (!closed_by_[c].empty() || !known_[c].empty()) {
      double counted = 0;
      for (const Index row : rows) {
        if (open(c, row) && known(c, row)) counted += weights_[row];
      }
      share = weight_of_all > 0 ? counted / weight_of_all : 0.0;
    }
    for (const Index unit : units) {
      if (fixed) {
        expected[unit] += share * weight_of_all * table_[table_start_[unit]];
      } else {
        for (std::size_t each = 0; each < k; ++each) {
          expected[unit] += share * in_class[each] * chance_[each * n_units() + unit];
        }
      }
    }
  }
}

double Reader::share_told(std::size_t pattern, std::span<const Index> rows) const {
  double carriers = 0, all = 0;
  for (const Index row : rows) {
    all += weights_[row];
    if (std::ranges::find(told_of_[row], pattern + 1) != told_of_[row].end())
      carriers += weights_[row];
  }
  return all > 0 ? carriers / all : 0.0;
}

void Reader::tell(const Explanation& pattern) {
  Told told{pattern.rows, {}};
  std::vector<double> having(n_units(), 0.0);
  double all = 0;
  for (const Index row : pattern.rows) {
    all += weights_[row];
    for (const Index unit : rows_[row]) having[unit] += weights_[row];
  }
  const auto number = static_cast<std::uint16_t>(told_.size() + 1);
  std::vector<Index> columns;
  for (const Index unit : pattern.units) columns.push_back(column(unit));
  std::ranges::sort(columns);
  for (const Index c : columns) {
    for (const Index unit : column_units_[c]) {
      told.shares.emplace_back(unit,
                               std::clamp(having[unit] / all, least_chance, 1 - least_chance));
    }
  }
  std::ranges::sort(told.shares);
  for (const Index c : columns) {
    if (closed_by_[c].empty()) closed_by_[c].assign(n_rows(), 0);
    const Index unit = column_units_[c][0];
    const double share = told.share(unit);
    for (const Index row : pattern.rows) {
      std::uint16_t& by = closed_by_[c][row];
      // A free unit that several patterns of a row have is as likely as in the surest.
      if (by != 0 && layout_.free[c] != 0 && told_[by - std::size_t{1}].share(unit) >= share)
        continue;
      by = number;
    }
  }
  told_.push_back(std::move(told));
  std::map<Index, Index> moved;
  for (const Index row : pattern.rows) {
    told_of_[row].push_back(number);
    const auto [place, is_new] =
        moved.try_emplace(signature_[row], static_cast<Index>(signatures_.size()));
    if (is_new) {
      std::vector<Index> closed = signatures_[signature_[row]];
      for (const Index unit : pattern.units) {
        if (is_free(unit)) closed.push_back(unit);
      }
      std::ranges::sort(closed);
      const auto repeated = std::ranges::unique(closed);
      closed.erase(repeated.begin(), repeated.end());
      signatures_.push_back(std::move(closed));
    }
    signature_[row] = place->second;
  }
  fit(next_steps);
}

}  // namespace conceptrank
