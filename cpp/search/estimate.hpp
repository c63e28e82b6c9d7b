// Estimate: the number of concepts, without mining them all. In small tables, a walk of a few
// thousand nodes counts them. In others, the search tree is sampled by strata (Chen, "Heterogeneous
// sampling", 1992). Nodes of one depth with similar supports and numbers of columns form a stratum.
// Only one random member is expanded; it stands for all of them. Each run is an unbiased estimate
// of the size of the tree, and independent runs give the interval.
#pragma once

#include "cpp/base/budget.hpp"
#include "cpp/table/table.hpp"

namespace conceptrank {

struct EstimateOptions {
  std::uint64_t min_support = 0;
  std::uint64_t seed = 0;
  std::uint64_t exact_nodes = 20'000;  // walked before sampling begins
  unsigned runs = 32;                  // at most
  std::uint64_t work = 150'000'000;    // words moved after which no further run begins
};

struct ConceptEstimate {
  double value = 0;
  double low = 0;  // 95 % interval
  double high = 0;
  bool exact = false;
  unsigned runs = 0;  // runs behind the estimate
};

ConceptEstimate estimate_concepts(const Table& table, const EstimateOptions& options,
                                  Budget& budget);

}  // namespace conceptrank
