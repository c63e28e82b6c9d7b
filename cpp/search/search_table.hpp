// SearchTable: the frequent attributes of a table in the order in which the search adds them.
#pragma once

#include <limits>
#include <memory>

#include "cpp/table/table.hpp"

namespace conceptrank {

/// The frequent attributes of a table in the order in which the search adds them, and the table's
/// rows in those numbers ("ranks").
class SearchTable {
 public:
  /// `salt` varies the keys from which hashes of intents are made. If the budget ends first, the
  /// table is not complete and must not be searched.
  SearchTable(const Table& table, std::uint64_t min_support, std::uint64_t salt = 0,
              unsigned threads = 1, Budget* budget = nullptr);

  /// Splits the search of closed sets. In a large sparse table a few attributes have most of the
  /// crosses, and their part of the search would read the long rows again and again. A closed set
  /// of these attributes alone needs only what the rows have of them, so rows that agree on them
  /// are merged; of other attributes, a merged row keeps those that all of its rows have, which
  /// shows where a closure adds one. This table keeps the other children of the root. Null, and no
  /// change, if the table has fewer than `least_rows` rows or is dense, if few rows agree, or if
  /// the budget ends.
  std::unique_ptr<SearchTable> split_head(std::size_t least_rows, unsigned threads = 1,
                                          Budget* budget = nullptr);
  /// Whether the attribute of this rank may generate a child of the root.
  bool has_child(std::size_t rank) const { return rank >= first_child_ && rank < end_child_; }
  /// True for a table that was split off.
  bool is_head() const { return own_ != nullptr; }

  const Table& table() const { return *table_; }
  std::uint64_t min_support() const { return min_support_; }
  /// True when an attribute that some object has may be left out as infrequent.
  bool iceberg() const { return min_support_ > 1; }
  /// Columns with fewer objects are left out of the nodes' tables when covers are wanted. With a
  /// large minimum support those a little below it stay, since they decide Δ and stability.
  std::uint64_t least_cover_support() const { return least_cover_support_; }
  std::size_t n_ranks() const { return attribute_of_rank_.size(); }
  Index attribute(std::size_t rank) const { return attribute_of_rank_[rank]; }
  static constexpr Index no_rank = std::numeric_limits<Index>::max();
  /// The rank of an attribute; no_rank if it is infrequent or unknown.
  Index rank(std::size_t attribute) const {
    return attribute < rank_of_.size() ? rank_of_[attribute] : no_rank;
  }
  std::span<const Index> row(std::size_t r) const { return rows_[r]; }
  const Lists& rows() const { return rows_; }
  bool dense() const { return dense_; }
  std::span<const Index> column(std::size_t rank) const {
    return table_->column(attribute_of_rank_[rank]);
  }
  std::size_t mean_row_size() const { return mean_row_size_; }
  /// Key of an attribute; the hash of an intent is the exclusive or of its attributes' keys.
  std::uint64_t key(std::size_t rank) const { return keys_[rank]; }
  std::uint64_t key_of_all() const { return key_of_all_; }

 private:
  /// The head of a table: the same ranks in merged rows.
  SearchTable(std::unique_ptr<const Table> merged, const SearchTable& whole,
              std::size_t first_child);
  void number_rows(unsigned threads, Budget* budget);

  std::unique_ptr<const Table> own_;
  const Table* table_;
  std::uint64_t min_support_;
  std::uint64_t least_cover_support_;
  std::vector<Index> attribute_of_rank_;
  std::vector<Index> rank_of_;
  std::size_t mean_row_size_ = 0;
  bool dense_ = false;
  std::size_t first_child_ = 0;
  std::size_t end_child_ = 0;
  Lists rows_;
  std::vector<std::uint64_t> keys_;
  std::uint64_t key_of_all_ = 0;
};

}  // namespace conceptrank
