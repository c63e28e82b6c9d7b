// places_of: the layer and the column of each element of a line diagram, so that few straight lines
// cross. explorer-ui/src/places.ts takes the same steps in the browser. All numbers are whole, so
// that both find the same places.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cpp/base/budget.hpp"

namespace conceptrank {

struct Places {
  std::vector<std::int32_t> layers;
  std::vector<std::int32_t> columns;
  std::string kind;  // "layered", "additive" or "support"
};

/// The places of the elements of an ordered set, given the pairs of an upper and a lower element
/// that cover each other. `kind` is "layered", "additive" (each attribute has a vector), "support"
/// (one layer for each support), or "auto": additive if the set is small, no elements coincide, no
/// line runs through an element and no more lines cross, otherwise layered. In layered diagrams an
/// element without covers goes to the layer of an element whose level is nearest to its own.
/// `supports` are needed for "support" only. A stopped search returns the best places so far.
/// Throws std::invalid_argument for numbers that don't fit, or a cycle.
Places places_of(const std::vector<std::pair<std::int32_t, std::int32_t>>& covers,
                 const std::vector<std::int32_t>& levels, const std::string& kind,
                 const std::vector<std::int32_t>& supports, Budget& budget);

}  // namespace conceptrank
