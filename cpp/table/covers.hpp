// Covers: the upper and lower neighbours of concepts, computed from the table without a lattice.
#pragma once

#include "cpp/base/budget.hpp"
#include "cpp/table/table.hpp"

namespace conceptrank {

enum class Direction { upper, lower };
inline constexpr std::string_view direction_names[] = {"upper", "lower"};

/// The covers of concept i are the numbers offsets[i] .. offsets[i + 1] of the intents.
struct Covers {
  std::vector<std::uint64_t> offsets{0};
  Lists intents;
};

/// The upper or lower covers of the concepts with these intents, of those covers that have fewer
/// than `below` objects.
Covers covers(const Table& table, ListsView intents, Direction direction, std::uint64_t below,
              unsigned threads, Budget& budget);

}  // namespace conceptrank
