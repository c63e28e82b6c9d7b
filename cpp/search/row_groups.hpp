// RowGroups: groups of equal rows of a small table. Deep in a search with a high minimum support,
// tables have many rows and few columns, so most rows repeat others. Merged rows, weighted by their
// number, form a table of a few words (the database reduction of LCM, Uno, Kiyomi and Arimura
// 2004).
#pragma once

#include "cpp/search/planes.hpp"

namespace conceptrank {

class RowGroups {
 public:
  static constexpr std::size_t most_columns = word_bits;

  /// Groups the rows of a bundle of at most `most_columns` columns that agree on the columns in
  /// `key`.
  void group(const Word* bundle, std::size_t n_columns, std::size_t stride, std::size_t n_rows,
             Word key, const Planes& planes);

  /// Sorts the groups by their columns, the last column first. Rows that differ only in some of the
  /// first columns are neighbours then, and stay neighbours in every part of the table.
  void sort();

  /// Number of groups, in the order of their first rows unless sorted.
  std::size_t size() const { return bits_.size(); }
  /// Objects of each group.
  std::span<const Index> weights() const { return weights_; }

  /// The groups as a bundle again: of columns outside the key, a group has those that all of its
  /// rows have. `bundle` gets words_for(size()) * stride words.
  void write(std::size_t n_columns, std::size_t stride, std::vector<Word>& bundle) const;

 private:
  struct Slot {
    Word key = 0;
    Index group = 0;
    Index epoch = 0;
  };

  std::vector<Word> bits_;  // columns of each group, as a set
  std::vector<Index> weights_;
  std::vector<Slot> slots_;
  std::vector<std::pair<Word, Index>> sorted_;
  Index epoch_ = 0;
};

/// Transposes a matrix of 64 x 64 bits: bit j of word i and bit i of word j change places.
void transpose(Word (&matrix)[word_bits]);

}  // namespace conceptrank
