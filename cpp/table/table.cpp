#include "cpp/table/table.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "cpp/base/kernels.hpp"
#include "cpp/base/tuning.hpp"
#include "cpp/table/row_merger.hpp"

namespace conceptrank {
namespace {

void check(std::span<const Index> row, std::size_t g, std::size_t n_attributes) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] >= n_attributes || (i > 0 && row[i] <= row[i - 1])) {
      throw std::invalid_argument("row " + std::to_string(g) +
                                  " is not an ascending list of attribute numbers");
    }
  }
}

}  // namespace

Table::Table(std::span<const std::uint64_t> offsets, std::span<const Index> values,
             std::size_t n_attributes) {
  n_objects_ = offsets.size() - 1;
  build(offsets, values, n_attributes);
}

Table::Table(std::span<const std::uint64_t> offsets, std::span<const Index> values,
             std::size_t n_attributes, std::span<const Index> weights)
    : object_weights_(weights.begin(), weights.end()) {
  if (weights.size() != offsets.size() - 1 ||
      std::ranges::find(weights, Index{0}) != weights.end()) {
    throw std::invalid_argument("every row needs a weight of at least 1");
  }
  n_objects_ = std::reduce(weights.begin(), weights.end(), std::uint64_t{0});
  if (n_objects_ > std::numeric_limits<Index>::max()) {
    throw std::length_error("the weights add up to more than 4,294,967,295");
  }
  build(offsets, values, n_attributes);
}

void Table::build(std::span<const std::uint64_t> offsets, std::span<const Index> values,
                  std::size_t n_attributes) {
  const std::size_t n_listed = offsets.size() - 1;
  row_of_object_.reserve(n_listed);
  {
    RowMerger merger;
    merger.reserve(n_listed, values.size());
    const auto row_of = [&](std::size_t g) {
      return values.subspan(offsets[g], offsets[g + 1] - offsets[g]);
    };
    for (std::size_t g = 0; g < n_listed; ++g) check(row_of(g), g, n_attributes);
    merger.add_each(
        n_listed, row_of,
        [&](std::size_t g) { return object_weights_.empty() ? 1 : object_weights_[g]; },
        [&](std::size_t, Index row) { row_of_object_.push_back(row); });
    rows_ = merger.take_rows();
    weights_ = merger.take_weights();
  }

  columns_.offsets.assign(n_attributes + 1, 0);
  attribute_support_.assign(n_attributes, 0);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (const Index m : rows_[r]) {
      ++columns_.offsets[m + 1];
      attribute_support_[m] += weights_[r];
    }
    n_crosses_ += weights_[r] * rows_[r].size();
  }
  for (std::size_t m = 0; m < n_attributes; ++m) columns_.offsets[m + 1] += columns_.offsets[m];
  columns_.values.resize(rows_.values.size());

  row_words_ = words_for(rows_.size());
  attribute_words_ = words_for(n_attributes);
  const std::size_t matrix_words = row_words_ * n_attributes + attribute_words_ * rows_.size();
  const std::size_t list_bytes = 2 * rows_.values.size() * sizeof(Index);
  const bool as_bits = matrix_words * sizeof(Word) <=
                       std::max(tuning::small_matrices, tuning::matrices_per_list * list_bytes);
  if (as_bits) {
    column_bits_.assign(row_words_ * n_attributes, 0);
    row_bits_.assign(attribute_words_ * rows_.size(), 0);
  }
  std::vector<std::uint64_t> next(columns_.offsets.begin(), columns_.offsets.end() - 1);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (const Index m : rows_[r]) {
      columns_.values[next[m]++] = static_cast<Index>(r);
      if (as_bits) {
        set_bit(column_bits_.data() + m * row_words_, r);
        set_bit(row_bits_.data() + r * attribute_words_, m);
      }
    }
  }
}

std::vector<Word> Table::extent(std::span<const Index> attributes) const {
  std::vector<Word> rows(row_words_, ~Word{0});
  if (!rows.empty()) rows.back() &= tail_mask(n_rows());
  if (attributes.empty()) return rows;
  if (dense()) {
    for (const Index m : attributes) kernels().intersect(rows.data(), column_bits(m), row_words_);
    return rows;
  }
  // Lists: the rows of the rarest attribute that have the others as well.
  const Index rarest =
      *std::ranges::min_element(attributes, {}, [&](Index m) { return column(m).size(); });
  std::ranges::fill(rows, 0);
  std::vector<Index> sorted(attributes.begin(), attributes.end());
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (const Index r : column(rarest)) {
    if (std::ranges::includes(row(r), sorted)) set_bit(rows.data(), r);
  }
  return rows;
}

void Table::unite(std::span<const Index> attributes, std::vector<Word>& rows) const {
  rows.assign(row_words_, 0);
  for (const Index m : attributes) {
    if (dense()) {
      const Word* bits = column_bits(m);
      for (std::size_t w = 0; w < row_words_; ++w) rows[w] |= bits[w];
    } else {
      for (const Index r : column(m)) set_bit(rows.data(), r);
    }
  }
}

std::vector<Index> Table::intent(std::span<const Word> rows) const {
  std::vector<Index> shared;
  if (dense()) {
    std::vector<Word> common(attribute_words_, ~Word{0});
    if (!common.empty()) common.back() &= tail_mask(n_attributes());
    std::uint64_t left = n_attributes();
    for (std::size_t w = 0; w < rows.size() && left != 0; ++w) {
      for (Word word = rows[w]; word != 0 && left != 0; word &= word - 1) {
        const std::size_t r = w * word_bits + lowest_bit(word);
        left = kernels().intersect(common.data(), row_bits(r), attribute_words_);
      }
    }
    for_each_bit(common.data(), common.size(),
                 [&](std::size_t m) { shared.push_back(static_cast<Index>(m)); });
    return shared;
  }
  bool first = true;
  std::vector<Index> kept;
  for_each_bit(rows.data(), rows.size(), [&](std::size_t r) {
    if (first) {
      shared.assign(row(r).begin(), row(r).end());
    } else if (!shared.empty()) {
      kept.clear();
      std::ranges::set_intersection(shared, row(r), std::back_inserter(kept));
      shared.swap(kept);
    }
    first = false;
  });
  if (first) {
    for (std::size_t m = 0; m < n_attributes(); ++m) shared.push_back(static_cast<Index>(m));
  }
  return shared;
}

std::uint64_t Table::support(std::span<const Word> rows) const {
  if (!weighted()) return kernels().count(rows.data(), rows.size());
  std::uint64_t total = 0;
  for_each_bit(rows.data(), rows.size(), [&](std::size_t r) { total += weights_[r]; });
  return total;
}

bool Table::has_empty_extent() const {
  for (std::size_t r = 0; r < n_rows(); ++r) {
    if (row(r).size() == n_attributes()) return false;
  }
  return n_rows() != 0;
}

std::vector<Index> Table::objects(std::span<const Word> rows) const {
  std::vector<Index> found;
  for (std::size_t g = 0; g < row_of_object().size(); ++g) {
    if (test_bit(rows.data(), row_of_object_[g])) found.push_back(static_cast<Index>(g));
  }
  return found;
}

std::size_t Table::bytes() const {
  return rows_.bytes() + columns_.bytes() +
         (weights_.size() + row_of_object_.size() + object_weights_.size()) * sizeof(Index) +
         attribute_support_.size() * sizeof(std::uint64_t) +
         (column_bits_.size() + row_bits_.size()) * sizeof(Word);
}

}  // namespace conceptrank
