#include "cpp/lattice/lattice.hpp"

#include <algorithm>
#include <limits>

#include "cpp/base/kernels.hpp"

namespace conceptrank {
namespace {

/// A second copy of the intents as sets of bits, if few attributes occur in them. The intents of
/// upper covers are scattered over memory, and as a set an intent is only one or two words.
class IntentSets {
 public:
  IntentSets(const Lattice& lattice, unsigned threads, Budget& budget) : lattice_(lattice) {
    constexpr Index none = std::numeric_limits<Index>::max();
    std::vector<Index> number_of;
    const auto& values = lattice.intents.values;
    const bool done = for_each_polled(values.size(), budget, Until::stopped, [&](std::size_t k) {
      if (values[k] >= number_of.size()) number_of.resize(values[k] + 1, none);
      number_of[values[k]] = 0;
    });
    if (!done) return;
    Index n = 0;
    for (Index& number : number_of) {
      if (number != none) number = n++;
    }
    if (n > most_words * word_bits) return;
    words_ = std::max<std::size_t>(words_for(n), 1);
    sets_.resize(lattice.size() * words_, 0);
    parallel_blocks(lattice.size(), 4096, threads, budget,
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      for (std::size_t i = begin; i < end; ++i) {
                        Word* set = sets_.data() + i * words_;
                        for (const Index m : lattice.intents[i]) set_bit(set, number_of[m]);
                      }
                    });
  }

  /// True when the faces of concept i can be found.
  bool has(std::size_t i) const { return words_ != 0 && lattice_.intents[i].size() <= word_bits; }

  /// Prefetches what the faces of concept i need.
  void prefetch(std::size_t i, bool counted) const {
    for (const Index above : lattice_.upper[i]) {
      __builtin_prefetch(sets_.data() + above * words_);
      if (counted) __builtin_prefetch(lattice_.supports.data() + above);
    }
  }

  /// The same faces as the function of this name finds, with their multiplicities if they are
  /// `counted`.
  void intent_faces(std::size_t i, bool counted, FaceFamily& family) const {
    const auto upper = lattice_.upper[i];
    family.reset(lattice_.intents[i].size());
    if (upper.empty()) return;
    kernels_.differences(sets_.data() + i * words_, sets_.data(), words_, upper.data(),
                         upper.size(), family.add(upper.size(), 1));
    for (std::size_t k = 0; counted && k < upper.size(); ++k) {
      family.set_multiplicity(k, lattice_.supports[upper[k]] - lattice_.supports[i]);
    }
  }

 private:
  static constexpr std::size_t most_words = 4;

  const Kernels& kernels_ = kernels();
  const Lattice& lattice_;
  std::size_t words_ = 0;
  Array<Word> sets_;
};

}  // namespace

std::size_t Lattice::bytes() const {
  return (supports.capacity() + deltas.capacity()) * sizeof(Index) + intents.bytes() +
         lower.bytes() + upper.bytes();
}

void Lattice::connect_upwards(Budget& budget) {
  upper.offsets.assign(size() + 1, 0);
  if (lower.values.empty()) return;
  // Lower covers are scattered, so the places to write to are prefetched some steps ahead.
  constexpr std::size_t ahead = 16;
  const std::size_t n = lower.values.size();
  for_each_polled(n, budget, Until::abandoned, [&](std::size_t k) {
    if (k + ahead < n) __builtin_prefetch(&upper.offsets[lower.values[k + ahead] + 1], 1);
    ++upper.offsets[lower.values[k] + 1];
  });
  for (std::size_t i = 0; i < size(); ++i) upper.offsets[i + 1] += upper.offsets[i];
  upper.values.resize(n);
  Array<std::uint64_t> next(upper.offsets.begin(), upper.offsets.end() - 1);
  for_each_polled(size(), budget, Until::abandoned, [&](std::size_t i) {
    for (std::size_t k = lower.offsets[i]; k < lower.offsets[i + 1]; ++k) {
      if (k + 2 * ahead < n) __builtin_prefetch(&next[lower.values[k + 2 * ahead]], 1);
      if (k + ahead < n) __builtin_prefetch(&upper.values[next[lower.values[k + ahead]]], 1);
      upper.values[next[lower.values[k]]++] = static_cast<Index>(i);
    }
  });
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
      // Branch-free, because it is unpredictable where they differ.
      const bool there = k < smaller.size() && smaller[k] == intent[position];
      face[position / word_bits] |= Word{!there} << (position % word_bits);
      k += there ? 1 : 0;
      missing -= there ? 0 : 1;
    }
  }
}

Scored score_intents(const Lattice& lattice, const FaceOptions& options, unsigned threads,
                     Budget& budget) {
  Scored scored;
  FaceScores& scores = scored.intent_scores = FaceScores(options.fields, lattice.size());
  scored.done.assign(lattice.size(), 0);
  struct Worker {
    FaceScorer scorer;
    FaceFamily family;
  };
  std::vector<Worker> workers(thread_count(threads), Worker{FaceScorer(options), {}});
  const IntentSets sets(lattice, threads, budget);
  const bool counted = workers.front().scorer.counts_multiplicities();
  constexpr std::size_t ahead = 4;
  constexpr std::size_t polled = 16;
  const auto work = [&](std::size_t begin, std::size_t end, unsigned worker) {
    auto& [scorer, family] = workers[worker];
    for (std::size_t i = begin; i < end && !budget.stopped(); ++i) {
      if (sets.has(i)) {
        if (i + ahead < end) sets.prefetch(i + ahead, counted);
        sets.intent_faces(i, counted, family);
      } else {
        if (i + 2 * ahead < end) {
          for (const Index above : lattice.upper[i + 2 * ahead]) {
            __builtin_prefetch(&lattice.intents.offsets[above]);
            __builtin_prefetch(&lattice.supports[above]);
          }
        }
        if (i + ahead < end) {
          for (const Index above : lattice.upper[i + ahead]) {
            __builtin_prefetch(lattice.intents[above].data());
          }
        }
        intent_faces(lattice, i, family);
      }
      family.sort();
      scores.set(i, scorer.score(family));
      scored.done[i] = 1;
      if (worker == 0 && i % polled == 0) {
        budget.poll(i, static_cast<double>(i) / static_cast<double>(lattice.size()));
      }
    }
  };
  parallel_blocks(lattice.size(), 512, threads, budget, work);
  return scored;
}

}  // namespace conceptrank
