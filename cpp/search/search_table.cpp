#include <algorithm>

#include "cpp/base/random_stream.hpp"
#include "cpp/base/tuning.hpp"
#include "cpp/search/search.hpp"

namespace conceptrank {
SearchTable::SearchTable(const Table& table, std::uint64_t min_support, std::uint64_t salt)
    : table_(&table),
      min_support_(min_support),
      least_cover_support_(min_support < tuning::large_support ? min_support
                                                               : min_support - min_support / 8) {
  std::size_t crosses = 0;
  for (std::size_t m = 0; m < table.n_attributes(); ++m) {
    if (table.attribute_support(m) < least_cover_support_) continue;
    attribute_of_rank_.push_back(static_cast<Index>(m));
    crosses += table.column(m).size();
  }
  // Rare attributes first: tables get small near the root, and subtrees do not differ much in size.
  const double cells = static_cast<double>(table.n_rows()) * static_cast<double>(n_ranks());
  dense_ = static_cast<double>(crosses) > tuning::dense_table * cells;
  std::ranges::stable_sort(attribute_of_rank_, {}, [&](Index m) { return table.column(m).size(); });
  mean_row_size_ = table.n_rows() == 0 ? 0 : (crosses + table.n_rows() - 1) / table.n_rows();
  rank_of_.assign(table.n_attributes(), no_rank);
  for (std::size_t rank = 0; rank < n_ranks(); ++rank) {
    rank_of_[attribute_of_rank_[rank]] = static_cast<Index>(rank);
  }
  rows_.offsets.reserve(table.n_rows() + 1);
  rows_.values.reserve(crosses);
  for (std::size_t r = 0; r < table.n_rows(); ++r) {
    for (const Index m : table.row(r)) {
      if (rank_of_[m] != no_rank) rows_.values.push_back(rank_of_[m]);
    }
    std::sort(rows_.values.begin() + static_cast<std::ptrdiff_t>(rows_.offsets.back()),
              rows_.values.end());
    rows_.close();
  }
  keys_.reserve(n_ranks());
  for (std::size_t rank = 0; rank < n_ranks(); ++rank) {
    keys_.push_back(mix(mix(salt) + rank));
    key_of_all_ ^= keys_.back();
  }
}

}  // namespace conceptrank
