#include "conceptrank/batches.hpp"

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

Word* Arena::take(std::size_t n_words) {
  // A small lattice needs little; a large one gets huge pages.
  constexpr std::size_t least = std::size_t{1} << 12;
  constexpr std::size_t most = std::size_t{1} << 18;
  if (blocks_.empty() || blocks_.back().size() - used_ < n_words) {
    const std::size_t usual =
        blocks_.empty() ? least : std::clamp(4 * blocks_.back().size(), least, most);
    blocks_.emplace_back(std::max(usual, n_words));
    used_ = 0;
  }
  Word* taken = blocks_.back().data() + used_;
  used_ += n_words;
  return taken;
}

void Store::add(Batch& batch) {
  if (batch.size() == 0) return;
  Part part;
  part.supports = concepts_.keep(batch.supports);
  part.deltas = concepts_.keep(batch.deltas);
  part.hashes = concepts_.keep(batch.hashes);
  part.all_covers = concepts_.keep(batch.covers);
  part.cover_ends = concepts_.keep(batch.cover_ends);
  part.intents = intents_.keep(batch.intents);
  part.intent_ends = intents_.keep(batch.intent_ends);
  part.extent_scores = scores_.keep(batch.extent_scores.values());
  part.column_sums = scores_.keep(batch.column_sums);
  parts_.push_back(part);
  batch.clear();
}

void Store::forget_intents() {
  for (Part& part : parts_) part.intents = {};
  intents_.clear();
}

void Store::forget_scores() {
  for (Part& part : parts_) part.extent_scores = {};
  for (Part& part : parts_) part.column_sums = {};
  scores_.clear();
}

}  // namespace conceptrank
