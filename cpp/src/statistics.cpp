#include "conceptrank/statistics.hpp"

#include <algorithm>

#include "conceptrank/kernels.hpp"

namespace conceptrank {
namespace {

std::vector<Index> rows_in(std::span<const Word> extent) {
  std::vector<Index> rows;
  for_each_bit(extent.data(), extent.size(),
               [&](std::size_t r) { rows.push_back(static_cast<Index>(r)); });
  return rows;
}

/// The similarities of the pairs of objects of one extent, added up.
class PairSums {
 public:
  explicit PairSums(std::size_t n_attributes) : n_attributes_(static_cast<double>(n_attributes)) {}

  /// `pairs` pairs of objects whose rows have `one` and `other` attributes, `common` of them shared.
  void add(double pairs, std::size_t one, std::size_t other, std::size_t common) {
    const auto either = static_cast<double>(one + other - common);
    const double jaccard = either == 0 ? 0 : static_cast<double>(common) / either;
    const double differing = either - static_cast<double>(common);
    const double matching = n_attributes_ == 0 ? 1 : (n_attributes_ - differing) / n_attributes_;
    pairs_ += pairs;
    jaccard_ += pairs * jaccard;
    matching_ += pairs * matching;
    least_.jaccard_minimum = std::min(least_.jaccard_minimum, jaccard);
    least_.matching_minimum = std::min(least_.matching_minimum, matching);
  }
  Cohesion result() const {
    if (pairs_ == 0) return {1, 1, 1, 1};
    return {jaccard_ / pairs_, least_.jaccard_minimum, matching_ / pairs_,
            least_.matching_minimum};
  }

 private:
  double n_attributes_;
  double pairs_ = 0;
  double jaccard_ = 0;
  double matching_ = 0;
  Cohesion least_{1, 1, 1, 1};
};

Cohesion cohesion_of(const Table& table, std::span<const Index> rows, std::vector<Word>& marked) {
  if (rows.empty()) return {};
  PairSums sums(table.n_attributes());
  marked.assign(words_for(table.n_attributes()), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = table.row(rows[i]);
    const auto weight = static_cast<double>(table.weight(rows[i]));
    if (weight > 1) sums.add(weight * (weight - 1) / 2, row.size(), row.size(), row.size());
    for (const Index m : row) set_bit(marked.data(), m);
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      const auto other = table.row(rows[j]);
      std::size_t common = 0;
      for (const Index m : other) common += test_bit(marked.data(), m) ? 1 : 0;
      sums.add(weight * static_cast<double>(table.weight(rows[j])), row.size(), other.size(),
               common);
    }
    for (const Index m : row) marked[m / word_bits] = 0;
  }
  return sums.result();
}

}  // namespace

std::uint64_t union_support(const Table& table, std::span<const Index> attributes,
                            std::vector<Word>& scratch) {
  table.unite(attributes, scratch);
  return table.support(scratch);
}

std::vector<ColumnSums> column_sums(const Table& table, const Lists& intents, unsigned threads,
                                    Budget& budget) {
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

std::vector<Cohesion> cohesion(const Table& table, const Lists& intents, unsigned threads,
                               Budget& budget) {
  std::vector<Cohesion> result(intents.size());
  const auto work = [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<Word> marked;
    for (std::size_t i = begin; i < end; ++i) {
      result[i] = cohesion_of(table, rows_in(table.extent(intents[i])), marked);
    }
  };
  parallel_blocks(intents.size(), 4, threads, budget, work);
  return result;
}

}  // namespace conceptrank
