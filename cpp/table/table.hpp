// Table: the incidence relation of a formal context. Objects and attributes are numbers. An object
// has a weight and counts as so many objects with the same row; ordinary objects have weight 1.
// Equal rows are stored once, with the weight of all their objects. The relation is stored as lists
// by row and by column. Dense and small tables also store its columns as bits; each operation uses
// the faster form.
//
// A large table takes seconds to build, so the constructors poll a budget if there is one. When it
// ends, the table is not complete and must not be used.
#pragma once

#include "cpp/base/budget.hpp"
#include "cpp/base/words.hpp"

namespace conceptrank {

class Table {
 public:
  /// From the rows of all objects; each list ascending, without repetition, below n_attributes.
  /// Throws std::invalid_argument otherwise.
  Table(ListsView objects, std::size_t n_attributes, Budget* budget = nullptr);
  /// The same, where object g has weight weights[g], which is at least 1. Throws std::length_error
  /// if the weights add up to more than an Index holds.
  Table(ListsView objects, std::size_t n_attributes, std::span<const Index> weights,
        Budget* budget = nullptr);
  /// From distinct rows with weights, without a copy of either: they must outlive the table. No row
  /// is compared with another one; rows that are equal nevertheless stay separate objects.
  static Table of_distinct(ListsView rows, std::size_t n_attributes, std::span<const Index> weights,
                           Budget* budget = nullptr);
  Table(Table&&) = default;
  Table& operator=(Table&&) = default;

  /// Number of objects, each counted with its weight.
  std::size_t n_objects() const { return n_objects_; }
  /// Number of objects, each counted once: they have the numbers below it.
  std::size_t n_listed() const { return row_of_object_.size(); }
  std::size_t n_attributes() const { return columns_.size(); }
  std::size_t n_rows() const { return rows_.size(); }
  ListsView rows() const { return rows_; }
  std::uint64_t n_crosses() const { return n_crosses_; }
  /// True when some row stands for several objects.
  bool weighted() const { return n_rows() != n_objects(); }
  /// True when the bit matrix exists.
  bool dense() const { return !column_bits_.empty(); }

  /// Attributes of a distinct row, ascending.
  std::span<const Index> row(std::size_t r) const { return rows_[r]; }
  /// Distinct rows of an attribute as a bit set, if `dense`.
  std::span<const Word> column_words(std::size_t m) const { return {column_bits(m), row_words_}; }
  /// Distinct rows of an attribute, ascending.
  std::span<const Index> column(std::size_t m) const { return columns_[m]; }
  /// Number of objects that share a distinct row, as all numbers of objects counted with weights.
  Index weight(std::size_t r) const { return weights_[r]; }
  std::span<const Index> weights() const { return weights_; }
  /// The distinct row of every listed object.
  std::span<const Index> row_of_object() const { return row_of_object_; }
  /// The weight of every listed object; empty if all are 1.
  std::span<const Index> object_weights() const { return object_weights_; }
  /// Number of objects that have the attribute.
  std::uint64_t attribute_support(std::size_t m) const { return attribute_support_[m]; }

  /// The distinct rows that have all the attributes, as a bit set over the rows.
  std::vector<Word> extent(std::span<const Index> attributes) const;
  /// The distinct rows that have some of the attributes, into a bit set over the rows.
  void unite(std::span<const Index> attributes, std::vector<Word>& rows) const;
  /// The attributes that all the rows of a bit set share, ascending. No rows: all attributes.
  std::vector<Index> intent(std::span<const Word> rows) const;
  /// Number of objects behind a bit set over the rows.
  std::uint64_t support(std::span<const Word> rows) const;
  /// Whether there are objects and none of them has all attributes. Then the concept of all
  /// attributes has the empty extent. The search does not reach it, because no row leads there.
  bool has_empty_extent() const;
  /// The listed objects behind a bit set over the rows, ascending.
  std::vector<Index> objects(std::span<const Word> rows) const;

  /// Throws std::out_of_range unless all these are attributes of the table.
  void check_attributes(std::span<const Index> attributes) const;

  std::size_t bytes() const;

 private:
  Table() = default;
  void check_weights(std::span<const Index> weights, std::size_t n);
  void merge(ListsView objects, std::size_t n_attributes, Budget& budget);
  void list_columns(std::size_t n_attributes, Budget& budget);
  void fill_matrix();
  const Word* column_bits(std::size_t m) const { return column_bits_.data() + m * row_words_; }

  // Rows and weights are stored here, or the caller keeps them.
  Lists merged_rows_;
  std::vector<Index> merged_weights_;
  std::vector<Index> given_weights_;
  ListsView rows_;
  std::span<const Index> weights_;
  std::span<const Index> object_weights_;
  Lists columns_;
  std::vector<Index> row_of_object_;
  std::vector<std::uint64_t> attribute_support_;
  std::uint64_t n_crosses_ = 0;
  std::size_t n_objects_ = 0;
  std::size_t row_words_ = 0;  // words of a bit set over the distinct rows
  std::vector<Word> column_bits_;
};

}  // namespace conceptrank
