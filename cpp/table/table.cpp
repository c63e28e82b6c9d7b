#include "cpp/table/table.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "cpp/base/kernels.hpp"
#include "cpp/base/tuning.hpp"
#include "cpp/table/row_merger.hpp"

namespace conceptrank {
namespace {

/// The budget is polled after so many rows.
constexpr std::size_t block_rows = 1 << 14;

void check(std::span<const Index> row, std::size_t g, std::size_t n_attributes) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] >= n_attributes || (i > 0 && row[i] <= row[i - 1])) {
      throw std::invalid_argument("row " + std::to_string(g) +
                                  " is not an ascending list of attribute numbers");
    }
  }
}

}  // namespace

Table::Table(ListsView objects, std::size_t n_attributes, Budget* budget) {
  Budget unlimited;
  n_objects_ = objects.size();
  merge(objects, n_attributes, budget == nullptr ? unlimited : *budget);
}

Table::Table(ListsView objects, std::size_t n_attributes, std::span<const Index> weights,
             Budget* budget)
    : given_weights_(weights.begin(), weights.end()), object_weights_(given_weights_) {
  Budget unlimited;
  check_weights(weights, objects.size());
  merge(objects, n_attributes, budget == nullptr ? unlimited : *budget);
}

Table Table::of_distinct(ListsView rows, std::size_t n_attributes, std::span<const Index> weights,
                         Budget* budget) {
  Budget unlimited;
  Table table;
  table.rows_ = rows;
  table.weights_ = weights;
  table.check_weights(weights, rows.size());
  if (table.n_objects_ != rows.size()) table.object_weights_ = weights;
  table.row_of_object_.resize(rows.size());
  std::iota(table.row_of_object_.begin(), table.row_of_object_.end(), Index{0});
  table.list_columns(n_attributes, budget == nullptr ? unlimited : *budget);
  return table;
}

/// n_objects_ := the sum of the weights of n objects.
void Table::check_weights(std::span<const Index> weights, std::size_t n) {
  n_objects_ = std::reduce(weights.begin(), weights.end(), std::uint64_t{0});
  if (weights.size() != n || std::ranges::find(weights, Index{0}) != weights.end()) {
    throw std::invalid_argument("every row needs a weight of at least 1");
  }
  if (n_objects_ > std::numeric_limits<Index>::max()) {
    throw std::length_error("the weights add up to more than 4,294,967,295");
  }
}

/// Stores different rows once, in the order of their first objects.
void Table::merge(ListsView objects, std::size_t n_attributes, Budget& budget) {
  row_of_object_.reserve(objects.size());
  {
    RowMerger merger;
    merger.reserve(objects.size(), objects.values.size());
    for (std::size_t begin = 0; begin < objects.size() && !budget.stopped(); begin += block_rows) {
      const std::size_t end = std::min(begin + block_rows, objects.size());
      for (std::size_t g = begin; g < end; ++g) check(objects[g], g, n_attributes);
      merger.add_each(
          end - begin, [&](std::size_t i) { return objects[begin + i]; },
          [&](std::size_t i) { return object_weights_.empty() ? 1 : object_weights_[begin + i]; },
          [&](std::size_t, Index row) { row_of_object_.push_back(row); });
      budget.poll(0, 0);
    }
    merged_rows_ = merger.take_rows();
    merged_weights_ = merger.take_weights();
  }
  rows_ = merged_rows_;
  weights_ = merged_weights_;
  list_columns(n_attributes, budget);
}

/// columns_, attribute_support_ and n_crosses_ from the rows, on all processors if they are many.
void Table::list_columns(std::size_t n_attributes, Budget& budget) {
  // Each part of the rows gets a range of its own in every column. So the parts are independent,
  // and the columns are ascending.
  const std::size_t most_parts =
      std::min(rows_.values.size() / (4 * n_attributes + 1), rows_.size() / block_rows);
  const std::size_t n_parts = std::clamp<std::size_t>(most_parts, 1, 64);
  const std::size_t step = (rows_.size() + n_parts - 1) / n_parts;
  std::vector<std::uint64_t> next(n_parts * n_attributes, 0);
  std::vector<std::uint64_t> supports(weighted() ? next.size() : 0, 0);
  const auto for_rows = [&](const auto& work) {
    parallel_blocks(n_parts, 1, 0, budget, [&](std::size_t part, std::size_t, unsigned worker) {
      for (std::size_t r = part * step; r < std::min((part + 1) * step, rows_.size()); ++r) {
        if (r % block_rows == 0) {
          if (worker == 0) budget.poll(0, 0);
          if (budget.stopped()) return;
        }
        work(part * n_attributes, r);
      }
    });
  };
  const bool merged = !merged_rows_.values.empty();
  for_rows([&](std::size_t first, std::size_t r) {
    if (!merged) check(rows_[r], r, n_attributes);
    for (const Index m : rows_[r]) ++next[first + m];
    if (!supports.empty()) {
      for (const Index m : rows_[r]) supports[first + m] += weights_[r];
    }
  });
  columns_.offsets.assign(n_attributes + 1, 0);
  attribute_support_.assign(n_attributes, 0);
  std::uint64_t begin = 0;
  for (std::size_t m = 0; m < n_attributes; ++m) {
    for (std::size_t i = m; i < next.size(); i += n_attributes) {
      attribute_support_[m] += supports.empty() ? next[i] : supports[i];
      begin += std::exchange(next[i], begin);
    }
    columns_.offsets[m + 1] = begin;
    n_crosses_ += attribute_support_[m];
  }
  columns_.values.resize(begin);
  if (budget.stopped()) return;
  for_rows([&](std::size_t first, std::size_t r) {
    for (const Index m : rows_[r]) columns_.values[next[first + m]++] = static_cast<Index>(r);
  });
  row_words_ = words_for(rows_.size());
  if (!budget.stopped()) fill_matrix();
}

/// The bit matrix of dense and small tables.
void Table::fill_matrix() {
  const std::size_t matrix_words =
      row_words_ * n_attributes() + words_for(n_attributes()) * n_rows();
  const std::size_t list_bytes = 2 * rows_.values.size() * sizeof(Index);
  if (matrix_words * sizeof(Word) >
      std::max(tuning::small_matrices, tuning::matrices_per_list * list_bytes)) {
    return;
  }
  column_bits_.assign(row_words_ * n_attributes(), 0);
  for (std::size_t r = 0; r < n_rows(); ++r) {
    for (const Index m : rows_[r]) set_bit(column_bits_.data() + m * row_words_, r);
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
    for (std::size_t m = 0; m < n_attributes(); ++m) {
      if (inside(rows.data(), column_bits(m), row_words_)) shared.push_back(static_cast<Index>(m));
    }
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

void Table::check_attributes(std::span<const Index> attributes) const {
  if (std::ranges::any_of(attributes, [&](Index m) { return m >= n_attributes(); })) {
    throw std::out_of_range("no such attribute");
  }
}

std::size_t Table::bytes() const {
  return rows_.offsets.size() * sizeof(std::uint64_t) + columns_.bytes() +
         (rows_.values.size() + weights_.size() + row_of_object_.size() + object_weights_.size()) *
             sizeof(Index) +
         attribute_support_.size() * sizeof(std::uint64_t) + column_bits_.size() * sizeof(Word);
}

}  // namespace conceptrank
