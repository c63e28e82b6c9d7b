// ExtentScorer: scores the extent faces of a search node by the cheapest method that yields the
// requested fields.
#pragma once

#include "cpp/score/scores.hpp"
#include "cpp/search/search.hpp"

namespace conceptrank {

/// Scores one part of what is wanted; see FaceOptions::parts.
class ExtentPartScorer {
 public:
  ExtentPartScorer(const FaceOptions& options, std::size_t n_attributes)
      : scorer_(options), excess_(scorer_.excess()), limit_(scorer_.limit(2 * n_attributes)) {}

  std::uint32_t fields() const { return scorer_.options().fields; }
  bool only_logarithm() const { return scorer_.options().only_logarithm(); }
  /// Whether the logarithm in the last score has the same bytes as if it had been wanted alone.
  bool has_logarithm() const { return has_logarithm_; }

  /// The node must have been expanded.
  FaceScore score(Search& search, const Node& node) {
    has_logarithm_ = false;
    const bool faces = node.intent.size() < search.n_attributes();
    const std::uint64_t smallest = node.support - search.largest_cover(node);
    if (faces && smallest > limit_) return scorer_.score_of_large(smallest);
    const FaceLimits limits = limits_of(search, node);
    if (faces && smallest > limits.covers && search.smallest_hidden(node) > limits.hidden) {
      return scorer_.score_of_large(smallest);
    }
    bool whole = true;
    if (scorer_.tops_suffice() && search.tops(node, limits, tops_, whole)) {
      if (auto score = scorer_.score(tops_, smallest)) {
        has_logarithm_ = scorer_.complete() && search.has_all_tops(node);
        return widened(*score, whole);
      }
    }
    whole = search.extent_faces(node, excess_, limits, family_);
    const FaceScore score = scorer_.score(family_);
    // Subsets of few objects are counted in integers, whose order does not matter.
    has_logarithm_ = scorer_.complete() && scorer_.options().keep == 0.5 &&
                     node.support <= tuning::downset_elements;
    return widened(score, whole);
  }
  /// The score of a concept without objects.
  FaceScore score_of_nothing() {
    family_.reset(0);
    return scorer_.score(family_);
  }

 private:
  /// Half of the error that may be neglected goes to the covers, half to infrequent attributes.
  FaceLimits limits_of(const Search& search, const Node& node) const {
    if (node.support <= word_bits || limit_ == std::numeric_limits<std::uint64_t>::max()) {
      return {limit_, limit_};
    }
    const bool close = search.smallest_hidden(node) <= limit_;
    return {scorer_.limit(2 * node.branches.size()),
            close ? scorer_.limit(2 * search.most_hidden(node)) : limit_};
  }
  FaceScore widened(FaceScore score, bool whole) const {
    if (!whole && scorer_.options().probability) score.widen(FaceScorer::invisible);
    return score;
  }

  FaceScorer scorer_;
  std::uint64_t excess_;
  std::uint64_t limit_;
  bool has_logarithm_ = false;
  Tops tops_;
  FaceFamily family_;
};

/// Reuses its memory from one node to the next: one object per thread.
class ExtentScorer {
 public:
  ExtentScorer(const FaceOptions& options, std::size_t n_attributes) {
    for (const FaceOptions& part : options.parts()) parts_.emplace_back(part, n_attributes);
  }

  /// The node must have been expanded.
  FaceScore score(Search& search, const Node& node) {
    return joined([&](ExtentPartScorer& part) { return part.score(search, node); });
  }
  /// The score of a concept without objects.
  FaceScore score_of_nothing() {
    return joined([](ExtentPartScorer& part) { return part.score_of_nothing(); });
  }

 private:
  template <class Score>
  FaceScore joined(const Score& score) {
    FaceScore whole = score(parts_.front());
    for (ExtentPartScorer& part : std::span(parts_).subspan(1)) {
      if (part.only_logarithm() && parts_.front().has_logarithm()) continue;
      whole.take(score(part), part.fields());
    }
    return whole;
  }

  std::vector<ExtentPartScorer> parts_;
};

}  // namespace conceptrank
