#include "cpp/random/randomise.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "cpp/base/random_stream.hpp"
#include "cpp/base/tuning.hpp"

namespace conceptrank {
namespace {

// Tables up to this many cells are tested for a cross by a bit matrix of at most 64 MB.
constexpr std::uint64_t most_cells = std::uint64_t{1} << 29;

void check(ListsView rows, std::size_t n_attributes) {
  for (std::size_t g = 0; g < rows.size(); ++g) {
    const auto row = rows[g];
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] >= n_attributes || (i > 0 && row[i] <= row[i - 1])) {
        throw std::invalid_argument("a row is not an ascending list of attribute numbers");
      }
    }
  }
}

/// Uniform subsets of 0 .. n. A draw starts from the order that the draw before it left behind,
/// because any order will do.
class SubsetSampler {
 public:
  explicit SubsetSampler(std::size_t n) : order_(n) { std::iota(order_.begin(), order_.end(), 0); }

  /// k different numbers in any order; valid until the next call.
  std::span<const Index> draw(std::size_t k, RandomStream& random) {
    for (std::size_t i = 0; i < k; ++i) {
      std::swap(order_[i], order_[i + random.below(order_.size() - i)]);
    }
    return {order_.data(), k};
  }

 private:
  std::vector<Index> order_;
};

/// How far a table with the row sums of the first one is from it.
class Distance {
 public:
  Distance(ListsView start, std::size_t n_attributes) : start_(start), seen_in_(n_attributes, 0) {}

  double of(std::span<const Index> values) {
    if (values.empty()) return 0;
    std::uint64_t moved = 0;
    for (std::size_t g = 0; g < start_.size(); ++g) {
      ++row_;
      for (const Index m : start_[g]) seen_in_[m] = row_;
      for (std::uint64_t i = start_.offsets[g]; i < start_.offsets[g + 1]; ++i) {
        moved += seen_in_[values[i]] != row_ ? 1 : 0;
      }
    }
    return static_cast<double>(moved) / static_cast<double>(values.size());
  }

 private:
  ListsView start_;
  std::vector<std::uint64_t> seen_in_;  // number of the row that had the attribute last
  std::uint64_t row_ = 0;
};

/// Runs `step()` the given number of times, with checkpoints and budget polls in between.
template <class Step>
void run_chain(ListsView start, std::size_t n_attributes, std::uint64_t steps,
               std::size_t checkpoints, Budget& budget, Randomised& result, Step&& step) {
  Distance distance(start, n_attributes);
  // The checkpoints are at the ends of equal parts; checkpoint k is due at floor(steps k / n).
  std::size_t checkpoint = 0;
  const auto due = [&] {
    const auto n = static_cast<std::uint64_t>(checkpoints);
    const std::uint64_t k = checkpoint + 1;
    return checkpoint == checkpoints ? steps : steps / n * k + steps % n * k / n;
  };
  while (result.attempted < steps || checkpoint < checkpoints) {
    const std::uint64_t end = std::min(due(), result.attempted + tuning::swaps_per_poll);
    for (; result.attempted < end; ++result.attempted) result.accepted += step() ? 1 : 0;
    if (checkpoint < checkpoints && result.attempted == due()) {
      result.distances.push_back(distance.of(result.rows.values));
      ++checkpoint;
    }
    const auto all = static_cast<double>(std::max<std::uint64_t>(steps, 1));
    budget.poll(result.attempted, static_cast<double>(result.attempted) / all);
    if (budget.stopped()) break;
  }
}

/// Crosses of a small or dense table, by bits.
class BitCells {
 public:
  BitCells(ListsView rows, std::size_t n_attributes)
      : n_words_(words_for(n_attributes)), bits_(n_words_ * rows.size(), 0) {
    for (std::size_t g = 0; g < rows.size(); ++g) {
      for (const Index m : rows[g]) set_bit(row(g), m);
    }
  }
  bool has(std::size_t g, Index m) const { return test_bit(bits_.data() + g * n_words_, m); }
  void move(std::size_t g, Index from, Index to) {
    row(g)[from / word_bits] &= ~(Word{1} << (from % word_bits));
    set_bit(row(g), to);
  }

 private:
  Word* row(std::size_t g) { return bits_.data() + g * n_words_; }
  std::size_t n_words_;
  std::vector<Word> bits_;
};

/// Crosses of a large table, looked up in the list of a row. Tables that are too large for bits
/// have short rows.
class ListCells {
 public:
  explicit ListCells(ListsView rows) : rows_(rows) {}
  bool has(std::size_t g, Index m) const {
    return std::ranges::find(rows_[g], m) != rows_[g].end();
  }
  void move(std::size_t, Index, Index) {}

 private:
  ListsView rows_;
};

template <class Cells>
void swap_in(ListsView start, std::size_t n_attributes, std::uint64_t steps,
             std::size_t checkpoints, Cells&& cells, RandomStream& random, Budget& budget,
             Randomised& result) {
  // A row keeps its number of crosses, so a cross keeps its place in the list and its row.
  Array<Index>& columns = result.rows.values;
  std::vector<Index> row_of(columns.size());
  for (std::size_t g = 0; g < start.size(); ++g) {
    std::fill(row_of.begin() + static_cast<std::ptrdiff_t>(start.offsets[g]),
              row_of.begin() + static_cast<std::ptrdiff_t>(start.offsets[g + 1]),
              static_cast<Index>(g));
  }
  if (columns.empty()) steps = 0;
  run_chain(start, n_attributes, steps, checkpoints, budget, result, [&] {
    const std::uint64_t i = random.below(columns.size());
    const std::uint64_t j = random.below(columns.size());
    const Index g = row_of[i];
    const Index h = row_of[j];
    const Index m = columns[i];
    const Index n = columns[j];
    // If both crosses are in one row or one column, the cells to move to are crosses as well.
    if (cells.has(g, n) || cells.has(h, m)) return false;
    columns[i] = n;
    columns[j] = m;
    cells.move(g, m, n);
    cells.move(h, n, m);
    return true;
  });
}

/// Deals the attributes that one of two rows has and the other hasn't. The rows stay ascending.
class Dealer {
 public:
  bool deal(std::span<Index> first, std::span<Index> second, RandomStream& random) {
    merge(first, second);
    std::size_t left = only_first_ + only_second_;
    if (only_first_ == 0 || only_second_ == 0) return false;
    // Selection sampling (Knuth, Algorithm S): the first row takes as many as it had.
    std::size_t wanted = only_first_;
    bool changed = false;
    Index* to_first = first.data();
    Index* to_second = second.data();
    for (const Element& element : merged_) {
      if (element.owner == Owner::both) {
        *to_first++ = element.attribute;
        *to_second++ = element.attribute;
        continue;
      }
      const bool taken = random.below(left--) < wanted;
      wanted -= taken ? 1 : 0;
      changed |= taken != (element.owner == Owner::first);
      *(taken ? to_first++ : to_second++) = element.attribute;
    }
    return changed;
  }

 private:
  enum class Owner : std::uint8_t { first, second, both };
  struct Element {
    Index attribute;
    Owner owner;
  };

  void merge(std::span<const Index> first, std::span<const Index> second) {
    merged_.clear();
    only_first_ = first.size();
    only_second_ = second.size();
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < first.size() && j < second.size()) {
      if (first[i] == second[j]) {
        merged_.push_back({first[i++], Owner::both});
        ++j;
        --only_first_;
        --only_second_;
      } else if (first[i] < second[j]) {
        merged_.push_back({first[i++], Owner::first});
      } else {
        merged_.push_back({second[j++], Owner::second});
      }
    }
    while (i < first.size()) merged_.push_back({first[i++], Owner::first});
    while (j < second.size()) merged_.push_back({second[j++], Owner::second});
  }

  std::vector<Element> merged_;
  std::size_t only_first_ = 0;
  std::size_t only_second_ = 0;
};

/// Calls `visit(number)` for numbers below n, ascending, each with this chance, independently.
template <class Visit>
void for_each_hit(std::uint64_t n, double chance, RandomStream& random, Visit&& visit) {
  if (chance <= 0) return;
  // The gaps between hits are geometric.
  const double scale = chance < 1 ? 1 / std::log1p(-chance) : 0;
  std::uint64_t place = 0;
  for (;;) {
    const double gap = std::floor(std::log(random.open_uniform()) * scale);
    if (!(gap < static_cast<double>(n - place))) return;
    place += static_cast<std::uint64_t>(gap);
    visit(place);
    if (++place == n) return;
  }
}

/// Appends cells to rows, in ascending order of the cells.
class RowWriter {
 public:
  RowWriter(std::size_t n_objects, std::size_t n_attributes, Budget& budget)
      : n_objects_(n_objects), n_attributes_(n_attributes), budget_(budget) {}

  void add(std::uint64_t cell) {
    close_until(cell / n_attributes_);
    rows_.values.push_back(static_cast<Index>(cell % n_attributes_));
  }
  Lists finish() {
    close_until(n_objects_);
    return std::move(rows_);
  }

 private:
  void close_until(std::uint64_t g) {
    for (; rows_.size() < g; rows_.close()) {
      if (rows_.size() % tuning::swaps_per_poll == 0) budget_.poll(0, 0);
    }
  }
  std::size_t n_objects_;
  std::size_t n_attributes_;
  Budget& budget_;
  Lists rows_;
};

/// The cells that are not in `cells`, both ascending.
template <class Visit>
void for_each_other(std::uint64_t n, const std::vector<std::uint64_t>& cells, Visit&& visit) {
  std::uint64_t place = 0;
  for (const std::uint64_t cell : cells) {
    for (; place < cell; ++place) visit(place);
    ++place;
  }
  for (; place < n; ++place) visit(place);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t stream) {
  // Neighbouring seeds and neighbouring streams both begin far from each other.
  Random words(mix(mix(seed) ^ stream));
  for (std::uint64_t& word : state_) word = words.next();
}

std::uint64_t RandomStream::below(std::uint64_t n) {
  if (n >> 32 == 0) {
    // Lemire, "Fast random integer generation in an interval" (2019): the high half of a product,
    // refused when its low half is among the few that make the numbers unequal.
    std::uint64_t product = (next() >> 32) * n;
    if ((product & 0xffffffffu) < n) {
      const std::uint64_t refused = (std::uint64_t{1} << 32) % n;
      while ((product & 0xffffffffu) < refused) product = (next() >> 32) * n;
    }
    return product >> 32;
  }
  const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(n - 1);
  for (;;) {
    const std::uint64_t number = next() & mask;
    if (number < n) return number;
  }
}

double RandomStream::normal() {
  // Marsaglia's polar method; the second of the two variates is left unused.
  for (;;) {
    const double x = 2 * uniform() - 1;
    const double y = 2 * uniform() - 1;
    const double square = x * x + y * y;
    if (square > 0 && square < 1) return x * std::sqrt(-2 * std::log(square) / square);
  }
}

double RandomStream::log_gamma(double shape) {
  // Marsaglia and Tsang, "A simple method for generating gamma variables" (2000).
  if (shape < 1) return log_gamma(shape + 1) + std::log(open_uniform()) / shape;
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double cube = root * root * root;
    if (std::log(open_uniform()) < 0.5 * x * x + d - d * cube + d * std::log(cube)) {
      return std::log(d * cube);
    }
  }
}

std::vector<double> dirichlet(std::span<const double> parameters, RandomStream& random) {
  std::vector<double> result(parameters.size(), -HUGE_VAL);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k] > 0) result[k] = random.log_gamma(parameters[k]);
  }
  const double largest = result.empty() ? -HUGE_VAL : *std::ranges::max_element(result);
  if (!std::isfinite(largest)) {
    throw std::invalid_argument("the parameters of a Dirichlet distribution are out of range");
  }
  double total = 0;
  for (double& value : result) total += value = std::exp(value - largest);
  for (double& value : result) value /= total;
  return result;
}

Randomised swap_crosses(ListsView rows, std::size_t n_attributes, std::uint64_t steps,
                        std::size_t checkpoints, RandomStream& random, Budget& budget) {
  check(rows, n_attributes);
  Randomised result;
  result.rows = rows.copy();
  const std::size_t words = words_for(n_attributes);
  if (rows.size() == 0 || words * word_bits <= most_cells / rows.size()) {
    swap_in(rows, n_attributes, steps, checkpoints, BitCells(rows, n_attributes), random, budget,
            result);
  } else {
    swap_in(rows, n_attributes, steps, checkpoints, ListCells(result.rows), random, budget, result);
  }
  for (std::size_t g = 0; g < rows.size(); ++g) {
    Index* values = result.rows.values.data();
    std::sort(values + rows.offsets[g], values + rows.offsets[g + 1]);
  }
  return result;
}

Randomised trade_rows(ListsView rows, std::size_t n_attributes, std::uint64_t steps,
                      std::size_t checkpoints, RandomStream& random, Budget& budget) {
  check(rows, n_attributes);
  Randomised result;
  result.rows = rows.copy();
  const auto row = [&](std::uint64_t g) {
    Index* values = result.rows.values.data();
    return std::span<Index>(values + rows.offsets[g], values + rows.offsets[g + 1]);
  };
  Dealer dealer;
  if (rows.size() < 2) steps = 0;
  run_chain(rows, n_attributes, steps, checkpoints, budget, result, [&] {
    const std::uint64_t g = random.below(rows.size());
    const std::uint64_t other = random.below(rows.size() - 1);
    return dealer.deal(row(g), row(other < g ? other : other + 1), random);
  });
  return result;
}

Lists toss_cells(std::size_t n_objects, std::size_t n_attributes, double chance,
                 RandomStream& random, Budget& budget) {
  RowWriter writer(n_objects, n_attributes, budget);
  const std::uint64_t cells = std::uint64_t{n_objects} * n_attributes;
  if (cells > 0) {
    for_each_hit(cells, chance, random, [&](std::uint64_t cell) { writer.add(cell); });
  }
  return writer.finish();
}

Lists place_crosses(std::size_t n_objects, std::size_t n_attributes, std::uint64_t crosses,
                    RandomStream& random, Budget& budget) {
  const std::uint64_t cells = std::uint64_t{n_objects} * n_attributes;
  if (crosses > cells) throw std::invalid_argument("there are more crosses than cells");
  // Draw the crosses or the free cells, whichever are fewer, until enough of them are different.
  const bool sparse = crosses <= cells / 2;
  const std::uint64_t wanted = sparse ? crosses : cells - crosses;
  std::vector<std::uint64_t> drawn;
  drawn.reserve(wanted);
  while (drawn.size() < wanted && !budget.stopped()) {
    while (drawn.size() < wanted) drawn.push_back(random.below(cells));
    std::ranges::sort(drawn);
    const auto repeated = std::ranges::unique(drawn);
    drawn.erase(repeated.begin(), repeated.end());
    budget.poll(drawn.size(), 0);
  }
  RowWriter writer(n_objects, n_attributes, budget);
  if (sparse) {
    for (const std::uint64_t cell : drawn) writer.add(cell);
  } else {
    for_each_other(cells, drawn, [&](std::uint64_t cell) { writer.add(cell); });
  }
  return writer.finish();
}

Lists draw_rows(std::size_t n_objects, std::size_t n_attributes, std::span<const double> weights,
                RandomStream& random, Budget& budget) {
  if (weights.size() != n_attributes + 1) {
    throw std::invalid_argument("there must be a weight for every number of attributes");
  }
  std::vector<double> sums(weights.size());
  std::partial_sum(weights.begin(), weights.end(), sums.begin());
  const bool valid = std::ranges::all_of(weights, [](double weight) { return weight >= 0; });
  if (!valid || !(sums.back() > 0) || !std::isfinite(sums.back())) {
    throw std::invalid_argument("weights must not be negative, and not all 0");
  }
  // Rounding could lead beyond the last size. Then take the last one that has a weight.
  const auto last = std::ranges::lower_bound(sums, sums.back()) - sums.begin();
  SubsetSampler subsets(n_attributes);
  Lists rows;
  rows.offsets.reserve(n_objects + 1);
  for (std::size_t g = 0; g < n_objects; ++g) {
    if (g % tuning::swaps_per_poll == 0) budget.poll(g, 0);
    const double place = random.uniform() * sums.back();
    const auto size = std::min(std::ranges::upper_bound(sums, place) - sums.begin(), last);
    rows.push_back(subsets.draw(static_cast<std::size_t>(size), random));
    std::sort(rows.values.end() - size, rows.values.end());
  }
  return rows;
}

Lists shuffle_columns(ListsView rows, std::size_t n_attributes, RandomStream& random,
                      Budget& budget) {
  check(rows, n_attributes);
  std::vector<std::uint64_t> supports(n_attributes, 0);
  for (const Index m : rows.values) ++supports[m];
  // Rows are filled column by column, so they are ascending.
  std::vector<Index> objects;
  objects.reserve(rows.values.size());
  Lists result;
  result.offsets.assign(rows.size() + 1, 0);
  SubsetSampler subsets(rows.size());
  for (const std::uint64_t support : supports) {
    for (const Index g : subsets.draw(support, random)) {
      objects.push_back(g);
      ++result.offsets[g + 1];
    }
    budget.poll(objects.size(), 0);
  }
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  std::vector<std::uint64_t> next(result.offsets.begin(), result.offsets.end() - 1);
  result.values.resize(objects.size());
  std::size_t place = 0;
  for (std::size_t m = 0; m < n_attributes; ++m) {
    for (std::uint64_t i = 0; i < supports[m]; ++i) {
      result.values[next[objects[place++]]++] = static_cast<Index>(m);
    }
  }
  return result;
}

Lists resample_rows(ListsView rows, std::size_t n_objects, RandomStream& random) {
  if (rows.size() == 0 && n_objects > 0)
    throw std::invalid_argument("there are no rows to draw from");
  Lists result;
  result.offsets.reserve(n_objects + 1);
  for (std::size_t g = 0; g < n_objects; ++g) result.push_back(rows[random.below(rows.size())]);
  return result;
}

}  // namespace conceptrank
