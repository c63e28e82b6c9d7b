#include "conceptrank/scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace conceptrank {

FaceScorer::FaceScorer(const FaceOptions& options)
    : options_(options), probability_(options.keep) {}

std::uint64_t FaceScorer::excess() const {
  if (options_.generators || options_.keep <= 0) return std::numeric_limits<std::uint64_t>::max();
  if (options_.keep >= 1) return 0;
  // lose^excess = 2^-negligible_excess
  const double faces = static_cast<double>(negligible_excess) / -std::log2(1 - options_.keep);
  return faces < 1e18 ? static_cast<std::uint64_t>(std::ceil(faces))
                      : std::numeric_limits<std::uint64_t>::max();
}

FaceScore FaceScorer::score(const FaceFamily& family) {
  FaceScore score;
  score.log2_miss = -std::numeric_limits<double>::infinity();
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < family.size(); ++i) {
    const std::uint64_t weight = family.weigh(family.face(i));
    smallest = std::min(smallest, weight);
    if (weight == 1) {
      score.singletons += 1;
      score.relevance += 1 - probability_.power(family.multiplicity(i));
    }
    if (options_.bounds) {
      const double one = probability_.power(weight);
      score.sum += one;
      score.independent += (1 - score.independent) * one;
    }
  }
  if (family.size() == 0) return score;
  score.smallest = static_cast<double>(smallest);
  if (options_.generators) {
    const TransversalCount count = transversals_.count(family, options_.node_budget);
    score.generators = count.value;
    score.generators_exact = count.exact ? 1 : 0;
  }
  if (options_.probability) {
    const MissProbability miss = probability_.miss(family, options_.state_budget);
    score.miss = miss.value;
    score.log2_miss = miss.log2;
    score.error = miss.error;
    score.exact = miss.error <= 1e-12 ? 1 : 0;
  }
  if (options_.bounds) {
    both_.resize(family.words());
    for (std::size_t i = 0; i < family.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        for (std::size_t w = 0; w < family.words(); ++w) {
          both_[w] = family.face(i)[w] | family.face(j)[w];
        }
        score.pairs += probability_.power(family.weigh(both_.data()));
      }
    }
  }
  return score;
}

std::vector<FaceScore> score_concepts(const Table& table, const Lists& intents, Side side,
                                      const FaceOptions& options, unsigned threads,
                                      Budget& budget) {
  std::vector<FaceScore> scores(intents.size());
  std::vector<FaceScorer> scorers(thread_count(threads), FaceScorer(options));
  parallel_blocks(intents.size(), 1, threads, budget,
                  [&](std::size_t begin, std::size_t end, unsigned worker) {
                    FaceScorer& scorer = scorers[worker];
                    for (std::size_t i = begin; i < end; ++i) {
                      const auto intent = intents[i];
                      scores[i] = scorer.score(
                          side == Side::intent
                              ? intent_faces(table, intent)
                              : extent_faces(table, table.extent(intent), intent, scorer.excess()));
                    }
                  });
  return scores;
}

}  // namespace conceptrank
