// Assembly: from the concepts as the threads of a mining run found them to a lattice's
// arrays in the lattice's order, with the cover relation by numbers.
#pragma once

#include <optional>

#include "cpp/lattice/batches.hpp"
#include "cpp/lattice/lattice.hpp"

namespace conceptrank {

/// Empties the stores into arrays. Covers are found by the hashes of their intents. Returns nothing
/// if two intents have equal hashes. `reason` is what ended the search; unless it is `none`, covers
/// are left out. If the budget is cancelled before or during the call, the lattice has only some
/// concepts (see `mine`). If it is abandoned, the call ends early.
std::optional<Mined> assemble(std::vector<Store>& stores, std::size_t n_attributes, Stop reason,
                              const MiningOptions& options, Budget& budget);

}  // namespace conceptrank
