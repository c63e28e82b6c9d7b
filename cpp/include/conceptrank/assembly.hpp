// Assembly: from the concepts as the threads of a mining run found them, in batches, to a lattice's
// arrays in the lattice's order, with the cover relation by numbers.
#pragma once

#include <memory>
#include <optional>

#include "conceptrank/lattice.hpp"

namespace conceptrank {

/// Some thousand concepts as they were found: small enough that no large array ever grows by
/// copying.
struct Batch {
  static constexpr std::size_t capacity = 4096;

  std::vector<Index> supports;
  std::vector<Index> deltas;
  std::vector<std::uint64_t> hashes;
  Lists intents;
  std::vector<std::uint64_t> cover_hashes;
  std::vector<std::uint32_t> cover_ends;
  FaceScores extent_scores;
  std::vector<ColumnSums> column_sums;

  std::size_t size() const { return supports.size(); }
  std::span<const std::uint64_t> covers(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : cover_ends[i - 1];
    return {cover_hashes.data() + begin, cover_hashes.data() + cover_ends[i]};
  }
};

using Batches = std::vector<std::unique_ptr<Batch>>;

/// Empties the batches into arrays. Covers are found by the hashes of their intents; none is
/// returned when those do not tell all intents apart. Without `complete`, covers are left out.
std::optional<Mined> assemble(Batches& batches, std::size_t n_attributes, bool complete,
                              const MiningOptions& options);

}  // namespace conceptrank
