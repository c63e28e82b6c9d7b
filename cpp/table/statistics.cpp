#include "cpp/table/statistics.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "cpp/base/kernels.hpp"
#include "cpp/base/tuning.hpp"

namespace conceptrank {
namespace {

std::vector<Index> rows_in(std::span<const Word> extent) {
  std::vector<Index> rows;
  for_each_bit(extent.data(), extent.size(),
               [&](std::size_t r) { rows.push_back(static_cast<Index>(r)); });
  return rows;
}

/// Compares all pairs of objects of one extent.
class PairComparer {
 public:
  explicit PairComparer(const Table& table)
      : table_(table), column_of_(table.n_attributes(), absent) {}

  /// `stopped` is called from time to time; true gives up.
  template <class Stopped>
  Cohesion compare(std::span<const Index> rows, Stopped&& stopped) {
    if (rows.empty()) return {};
    load(rows);
    Cohesion sums{0, 1, 0, 0};  // of similarities and differences, the least and the most of them
    double pairs = 0;
    const auto add = [&](double weight, std::uint64_t common, std::uint64_t both) {
      const auto shared = static_cast<double>(common);
      const double either = static_cast<double>(both) - shared;
      const double jaccard = either > 0 ? shared / either : 0;
      pairs += weight;
      sums.jaccard_average += weight * jaccard;
      sums.matching_average += weight * (either - shared);
      sums.jaccard_minimum = std::min(sums.jaccard_minimum, jaccard);
      sums.matching_minimum = std::max(sums.matching_minimum, either - shared);
    };
    std::size_t compared = tuning::cohesion_words_per_poll;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (compared >= tuning::cohesion_words_per_poll) {
        if (stopped()) return {};
        compared = 0;
      }
      compared += words_ * i;
      const std::size_t size = table_.row(rows[i]).size();
      const auto weight = static_cast<double>(table_.weight(rows[i]));
      for (std::size_t j = 0; j < i; ++j) {
        add(weight * static_cast<double>(table_.weight(rows[j])),
            kernels_.count_common(&sets_[i * words_], &sets_[j * words_], words_),
            size + table_.row(rows[j]).size());
      }
      // Equal objects among themselves.
      if (weight > 1) add(weight * (weight - 1) / 2, size, 2 * size);
    }
    if (pairs == 0) return {1, 1, 1, 1};
    const double n = std::max(1.0, static_cast<double>(table_.n_attributes()));
    return {sums.jaccard_average / pairs, sums.jaccard_minimum,
            1 - sums.matching_average / pairs / n, 1 - sums.matching_minimum / n};
  }

 private:
  static constexpr Index absent = std::numeric_limits<Index>::max();

  /// The rows as sets over the attributes that occur in them.
  void load(std::span<const Index> rows) {
    std::vector<Index> used;
    for (const Index r : rows) {
      for (const Index m : table_.row(r)) {
        if (column_of_[m] != absent) continue;
        column_of_[m] = static_cast<Index>(used.size());
        used.push_back(m);
      }
    }
    words_ = std::max<std::size_t>(words_for(used.size()), 1);
    sets_.assign(words_ * rows.size(), 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (const Index m : table_.row(rows[i])) set_bit(&sets_[i * words_], column_of_[m]);
    }
    for (const Index m : used) column_of_[m] = absent;
  }

  const Table& table_;
  const Kernels& kernels_ = kernels();
  std::vector<Index> column_of_;
  std::size_t words_ = 0;
  std::vector<Word> sets_;
};

}  // namespace

std::uint64_t union_support(const Table& table, std::span<const Index> attributes,
                            std::vector<Word>& scratch) {
  table.unite(attributes, scratch);
  return table.support(scratch);
}

std::vector<ColumnSums> column_sums(const Table& table, ListsView intents, unsigned threads,
                                    Budget& budget) {
  table.check_attributes(intents.values);
  std::vector<ColumnSums> result(intents.size());
  const auto work = [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<std::uint64_t> counts(table.n_attributes());
    std::vector<Word> scratch;
    for (std::size_t i = begin; i < end; ++i) {
      std::ranges::fill(counts, 0);
      std::uint64_t support = 0;
      for (const Index r : rows_in(table.extent(intents[i]))) {
        support += table.weight(r);
        for (const Index m : table.row(r)) counts[m] += table.weight(r);
      }
      ColumnSummer summer(support);
      for (std::size_t m = 0; m < counts.size(); ++m) {
        summer.add(counts[m], table.attribute_support(m));
      }
      result[i] = summer.sums();
      result[i].unions = static_cast<double>(union_support(table, intents[i], scratch));
    }
  };
  parallel_blocks(intents.size(), 16, threads, budget, work);
  return result;
}

ColumnSums sums_of_nothing(const Table& table) {
  std::vector<Index> all(table.n_attributes());
  std::iota(all.begin(), all.end(), Index{0});
  std::vector<Word> scratch;
  ColumnSums sums;
  sums.unions = static_cast<double>(union_support(table, all, scratch));
  return sums;
}

std::vector<double> extent_sums(const Table& table, ListsView intents,
                                std::span<const double> values, unsigned threads, Budget& budget) {
  table.check_attributes(intents.values);
  if (values.size() != table.n_listed()) {
    throw std::invalid_argument("there must be one number per object");
  }
  std::vector<double> of_row(table.n_rows(), 0);
  const auto weights = table.object_weights();
  for (std::size_t g = 0; g < table.n_listed(); ++g) {
    of_row[table.row_of_object()[g]] += weights.empty() ? values[g] : weights[g] * values[g];
  }
  std::vector<double> result(intents.size(), 0);
  const auto work = [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::vector<Word> extent = table.extent(intents[i]);
      double sum = 0;
      for_each_bit(extent.data(), extent.size(), [&](std::size_t r) { sum += of_row[r]; });
      result[i] = sum;
    }
  };
  parallel_blocks(intents.size(), 64, threads, budget, work);
  return result;
}

std::vector<Cohesion> cohesion(const Table& table, ListsView intents, unsigned threads,
                               Budget& budget) {
  table.check_attributes(intents.values);
  std::vector<Cohesion> result(intents.size());
  const auto work = [&](std::size_t begin, std::size_t end, unsigned worker) {
    PairComparer comparer(table);
    for (std::size_t i = begin; i < end && !budget.stopped(); ++i) {
      const auto stopped = [&] {
        // Only the calling thread may check the clock.
        const double share = static_cast<double>(i) / static_cast<double>(intents.size());
        if (worker == 0) budget.poll(i, share);
        return budget.stopped();
      };
      result[i] = comparer.compare(rows_in(table.extent(intents[i])), stopped);
    }
  };
  parallel_blocks(intents.size(), 16, threads, budget, work);
  return result;
}

}  // namespace conceptrank
