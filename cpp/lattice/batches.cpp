#include "cpp/lattice/batches.hpp"

namespace conceptrank {

void Batch::clear() {
  supports.clear();
  deltas.clear();
  hashes.clear();
  intents.clear();
  intent_ends.clear();
  covers.clear();
  cover_ends.clear();
  extent_scores.clear();
  column_sums.clear();
}

void Store::add(Batch& batch) {
  if (batch.size() == 0) return;
  const auto copy = []<class Values>(const Values& values) {
    return Array<typename Values::value_type>(values.begin(), values.end());
  };
  parts_.push_back({.supports = copy(batch.supports),
                    .deltas = copy(batch.deltas),
                    .hashes = copy(batch.hashes),
                    .intents = copy(batch.intents),
                    .intent_ends = copy(batch.intent_ends),
                    .all_covers = copy(batch.covers),
                    .cover_ends = copy(batch.cover_ends),
                    .extent_scores = copy(batch.extent_scores.values()),
                    .column_sums = copy(batch.column_sums)});
  batch.clear();
}

void Store::forget_intents() {
  for (Part& part : parts_) part.intents = {};
}

void Store::forget_scores() {
  for (Part& part : parts_) {
    part.extent_scores = {};
    part.column_sums = {};
  }
}

}  // namespace conceptrank
