// Estimate: how many concepts there are, without mining them all. A walk of a few thousand nodes
// settles small tables exactly. For the rest the search tree is sampled by strata (Chen,
// "Heterogeneous sampling", 1992): nodes of one depth that look alike (support, columns left) form
// a stratum, of which only one random member is expanded, standing for all. Each run is an unbiased
// estimate of the size of the tree; independent runs give the interval.
#pragma once

#include "cpp/base/budget.hpp"
#include "cpp/table/table.hpp"

namespace conceptrank {

struct EstimateOptions {
  std::uint64_t min_support = 0;
  std::uint64_t seed = 0;
  std::uint64_t exact_nodes = 20'000;  // walked before sampling begins
  unsigned runs = 32;                  // at most
  std::uint64_t work = 150'000'000;    // after so many word moves, only the first few runs are made
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
