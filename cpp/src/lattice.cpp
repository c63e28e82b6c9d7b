#include "conceptrank/lattice.hpp"

#include <algorithm>

namespace conceptrank {

std::size_t Lattice::bytes() const {
  return (supports.capacity() + deltas.capacity()) * sizeof(Index) + intents.bytes() +
         lower.bytes() + upper.bytes();
}

void Lattice::connect_upwards() {
  upper.offsets.assign(size() + 1, 0);
  for (const Index below : lower.values) ++upper.offsets[below + 1];
  for (std::size_t i = 0; i < size(); ++i) upper.offsets[i + 1] += upper.offsets[i];
  upper.values.resize(lower.values.size());
  std::vector<std::uint64_t> next(upper.offsets.begin(), upper.offsets.end() - 1);
  for (std::size_t i = 0; i < size(); ++i) {
    for (const Index below : lower[i]) upper.values[next[below]++] = static_cast<Index>(i);
  }
}

std::size_t Lattice::find(std::span<const Index> intent, std::uint64_t support) const {
  std::size_t low = 0;
  std::size_t high = size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const bool before = supports[middle] != support
                            ? supports[middle] > support
                            : std::ranges::lexicographical_compare(intents[middle], intent);
    if (before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const bool found =
      low < size() && supports[low] == support && std::ranges::equal(intents[low], intent);
  return found ? low : size();
}

void intent_faces(const Lattice& lattice, std::size_t i, FaceFamily& family) {
  const auto intent = lattice.intents[i];
  family.reset(intent.size());
  for (const Index above : lattice.upper[i]) {
    // The face is the intent without the upper cover's intent, which is part of it. If it is a
    // single attribute, the objects that have it are those that the upper cover has more.
    Word* face = family.add(lattice.supports[above] - lattice.supports[i]);
    const auto smaller = lattice.intents[above];
    std::size_t missing = intent.size() - smaller.size();
    for (std::size_t position = 0, k = 0; missing != 0; ++position) {
      // No branch: where they differ can't be foreseen.
      const bool there = k < smaller.size() && smaller[k] == intent[position];
      face[position / word_bits] |= Word{!there} << (position % word_bits);
      k += there ? 1 : 0;
      missing -= there ? 0 : 1;
    }
  }
}

FaceScores score_intents(const Lattice& lattice, const FaceOptions& options, unsigned threads,
                         Budget& budget) {
  FaceScores scores(options.fields, lattice.size());
  struct Worker {
    FaceScorer scorer;
    FaceFamily family;
  };
  std::vector<Worker> workers(thread_count(threads), Worker{FaceScorer(options), {}});
  constexpr std::size_t ahead = 4;
  const auto work = [&](std::size_t begin, std::size_t end, unsigned worker) {
    auto& [scorer, family] = workers[worker];
    for (std::size_t i = begin; i < end && !budget.stopped(); ++i) {
      if (i + ahead < end) {
        for (const Index above : lattice.upper[i + ahead]) {
          __builtin_prefetch(lattice.intents[above].data());
        }
      }
      intent_faces(lattice, i, family);
      family.sort();
      scores.set(i, scorer.score(family));
      if (worker == 0) {
        budget.poll(i, static_cast<double>(i) / static_cast<double>(lattice.size()));
      }
    }
  };
  parallel_blocks(lattice.size(), 512, threads, budget, work);
  return scores;
}

}  // namespace conceptrank
