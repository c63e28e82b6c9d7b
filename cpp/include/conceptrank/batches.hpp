// Batches: concepts as the threads of a mining run find them. A thread fills one batch, whose
// memory stays in its caches, and packs it away when it is full; so no large array ever grows by
// copying, and what is packed takes its own room and no more. Kinds of data lie apart, because the
// lattice's arrays take them over, and give their room back, one after the other.
#pragma once

#include <algorithm>
#include <memory>

#include "conceptrank/scores.hpp"
#include "conceptrank/statistics.hpp"

namespace conceptrank {

/// Some thousand concepts that are being collected.
struct Batch {
  std::vector<Index> supports;
  std::vector<Index> deltas;
  std::vector<std::uint64_t> hashes;
  std::vector<Index> intents;  // one after the other
  std::vector<std::uint32_t> intent_ends;
  std::vector<std::uint64_t> covers;  // hashes of their intents
  std::vector<std::uint32_t> cover_ends;
  FaceScores extent_scores;
  std::vector<ColumnSums> column_sums;

  std::size_t size() const { return supports.size(); }
  bool full() const {
    return size() >= 4096 || intents.size() >= most_values || covers.size() >= most_values;
  }
  void clear();

 private:
  static constexpr std::size_t most_values = std::size_t{1} << 20;
};

/// Memory for arrays that stay as they are, taken in large blocks and given back as a whole.
class Arena {
 public:
  /// A copy of the values.
  template <class Values>
  auto keep(const Values& values) {
    using Value = typename Values::value_type;
    const std::size_t bytes = values.size() * sizeof(Value);
    auto* copy = reinterpret_cast<Value*>(take(words_for(8 * bytes)));
    std::uninitialized_copy(values.begin(), values.end(), copy);
    return std::span<const Value>(copy, values.size());
  }
  void clear() { blocks_ = {}; }

 private:
  Word* take(std::size_t n_words);

  std::vector<Array<Word>> blocks_;
  std::size_t used_ = 0;  // words of the last block
};

/// The concepts that one thread found.
class Store {
 public:
  /// A batch that was packed away.
  struct Part {
    std::span<const Index> supports;
    std::span<const Index> deltas;
    std::span<const std::uint64_t> hashes;
    std::span<const Index> intents;
    std::span<const std::uint32_t> intent_ends;
    std::span<const std::uint64_t> all_covers;
    std::span<const std::uint32_t> cover_ends;
    std::span<const double> extent_scores;
    std::span<const ColumnSums> column_sums;

    std::size_t size() const { return supports.size(); }
    std::span<const Index> intent(std::size_t i) const { return list(intents, intent_ends, i); }
    std::span<const std::uint64_t> covers(std::size_t i) const {
      return list(all_covers, cover_ends, i);
    }

   private:
    template <class Value>
    static std::span<const Value> list(std::span<const Value> values,
                                       std::span<const std::uint32_t> ends, std::size_t i) {
      const std::size_t begin = i == 0 ? 0 : ends[i - 1];
      return values.subspan(begin, ends[i] - begin);
    }
  };

  /// Packs a batch away, and clears it.
  void add(Batch& batch);
  const std::vector<Part>& parts() const { return parts_; }

  // Nobody will ask for these any more.
  void forget_intents();
  void forget_scores();

 private:
  std::vector<Part> parts_;
  Arena concepts_;
  Arena intents_;
  Arena scores_;
};

}  // namespace conceptrank
