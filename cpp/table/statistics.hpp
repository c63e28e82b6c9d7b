// Statistics of a concept beyond its faces: how its objects are distributed over the attributes
// (column sums), how similar its objects are (cohesion), how many objects have some of its
// attributes (union), and sums over its objects.
#pragma once

#include <cmath>

#include "cpp/base/budget.hpp"
#include "cpp/table/table.hpp"

namespace conceptrank {

/// Sums over the attributes m, with a the number of objects of the extent that have m, and t =
/// a/|A|. All members are doubles: an array of these is a matrix with one row per concept.
struct ColumnSums {
  double crosses = 0;         // a: the crosses in the rows of the extent
  double squares = 0;         // a^2
  double collocation = 0;     // a^2 / |m'|
  double entropy = 0;         // -t ln t, over the attributes outside the intent
  double binary_entropy = 0;  // -t log2 t - (1 - t) log2 (1 - t), likewise
  double unions = 0;          // objects that have some attribute of the intent; no sum over m
};

inline constexpr std::string_view column_sum_fields[] = {"crosses", "squares",        "collocation",
                                                         "entropy", "binary_entropy", "unions"};

/// Adds up ColumnSums one attribute at a time.
class ColumnSummer {
 public:
  explicit ColumnSummer(std::uint64_t support) : support_(static_cast<double>(support)) {}

  /// An attribute that `count` objects of the extent have, and `all` objects of the table.
  void add(std::uint64_t count, std::uint64_t all) {
    if (count == 0) return;
    const auto a = static_cast<double>(count);
    sums_.crosses += a;
    sums_.squares += a * a;
    sums_.collocation += a * a / static_cast<double>(all);
    if (a < support_) {
      const double t = a / support_;
      const double one_sided = -t * std::log(t);
      sums_.entropy += one_sided;
      sums_.binary_entropy += (one_sided - (1 - t) * std::log1p(-t)) / std::log(2.0);
    }
  }
  ColumnSums& sums() { return sums_; }

 private:
  double support_;
  ColumnSums sums_;
};

/// Number of objects that have at least one of the attributes.
std::uint64_t union_support(const Table& table, std::span<const Index> attributes,
                            std::vector<Word>& scratch);

/// For the concept with each intent the sum over its objects of a number that every listed object
/// has, which counts as often as the object's weight says.
std::vector<double> extent_sums(const Table& table, ListsView intents,
                                std::span<const double> values, unsigned threads, Budget& budget);

/// Column sums of the concepts with these intents, each from the table alone.
std::vector<ColumnSums> column_sums(const Table& table, ListsView intents, unsigned threads,
                                    Budget& budget);

/// The column sums of the concept of all attributes, if its extent is empty.
ColumnSums sums_of_nothing(const Table& table);

/// Similarity of the objects of an extent, over pairs of different objects: Jaccard (two empty
/// rows: 0) and simple matching, on average and at least. One object: 1. None: 0.
struct Cohesion {
  double jaccard_average = 0;
  double jaccard_minimum = 0;
  double matching_average = 0;
  double matching_minimum = 0;
};

inline constexpr std::string_view cohesion_fields[] = {"jaccard_average", "jaccard_minimum",
                                                       "matching_average", "matching_minimum"};

/// Quadratic in the number of distinct rows of each extent.
std::vector<Cohesion> cohesion(const Table& table, ListsView intents, unsigned threads,
                               Budget& budget);

}  // namespace conceptrank
