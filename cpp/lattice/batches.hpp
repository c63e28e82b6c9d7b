// Batches: the concepts of a mining run in the order in which each thread finds them. A thread
// fills one batch, whose memory stays in its caches, and stores a copy of exact size when it is
// full. So no large array grows by copying.
#pragma once

#include "cpp/base/budget.hpp"
#include "cpp/base/tuning.hpp"
#include "cpp/score/scores.hpp"
#include "cpp/table/statistics.hpp"

namespace conceptrank {

/// Up to tuning::batch_concepts concepts that are being collected.
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
    return size() >= tuning::batch_concepts || intents.size() >= tuning::batch_values ||
           covers.size() >= tuning::batch_values;
  }
  void clear();
};

/// The concepts that one thread found.
class Store {
 public:
  /// A stored batch.
  struct Part {
    Array<Index> supports;
    Array<Index> deltas;
    Array<std::uint64_t> hashes;
    Array<Index> intents;
    Array<std::uint32_t> intent_ends;
    Array<std::uint64_t> all_covers;
    Array<std::uint32_t> cover_ends;
    Array<double> extent_scores;
    Array<ColumnSums> column_sums;

    std::size_t size() const { return supports.size(); }
    std::span<const Index> intent(std::size_t i) const { return list(intents, intent_ends, i); }
    std::span<const std::uint64_t> covers(std::size_t i) const {
      return list(all_covers, cover_ends, i);
    }

   private:
    template <class Value>
    static std::span<const Value> list(const Array<Value>& values, const Array<std::uint32_t>& ends,
                                       std::size_t i) {
      const std::size_t begin = i == 0 ? 0 : ends[i - 1];
      return {values.data() + begin, values.data() + ends[i]};
    }
  };

  /// Stores a copy of the batch and clears it.
  void add(Batch& batch);
  const std::vector<Part>& parts() const { return parts_; }

  // Free what is not needed any more.
  void forget_intents();
  void forget_scores();

 private:
  std::vector<Part> parts_;
};

}  // namespace conceptrank
