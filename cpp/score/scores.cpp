#include "cpp/score/scores.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "cpp/base/tuning.hpp"

namespace conceptrank {
namespace {

// A share of generators below 2^-45 does not show in a score, so it is not worth a long search.
constexpr double negligible_share_bits = 45;
// A computed probability with a smaller relative error than this is better than an estimate.
constexpr double close_enough = 0.01;
// Where a miss is at least this likely, plain draws have a small relative error.
constexpr double likely_miss = 0.25;

/// How to estimate a probability that the exact method gave up on, given a lower bound of it.
SamplingOptions fallback(double least_miss) {
  const bool likely = least_miss >= likely_miss;
  return {.method = likely ? Method::monte_carlo : Method::karp_luby,
          .eps = likely ? 0.01 : 0.05,
          .delta = 0.05};
}
constexpr unsigned field_of(std::string_view name) {
  unsigned field = 0;
  while (face_score_fields[field] != name) ++field;
  return field;
}

using FaceScoreArray = std::array<double, std::size(face_score_fields)>;
static_assert(sizeof(FaceScoreArray) == sizeof(FaceScore));

constexpr std::uint32_t logarithm_fields =
    1u << field_of("log2_miss") | 1u << field_of("log2_exact");
constexpr std::uint32_t chance_fields = 1u << field_of("miss") | 1u << field_of("error") |
                                        1u << field_of("exact") | 1u << field_of("half_width") |
                                        1u << field_of("samples");
constexpr std::uint32_t bound_fields =
    1u << field_of("sum") | 1u << field_of("independent") | 1u << field_of("pairs");
constexpr std::uint32_t relevance_field = 1u << field_of("relevance");

}  // namespace

std::vector<FaceOptions> FaceOptions::parts() const {
  const bool chance = probability && (fields & chance_fields) != 0;
  const bool logarithm = probability && (fields & logarithm_fields) != 0;
  const bool others = generators || share || (fields & relevance_field) != 0;
  if (int{chance} + int{logarithm} + int{bounds} + int{others} < 2) return {*this};
  std::vector<FaceOptions> result;
  const auto add = [&](std::uint32_t part_fields) -> FaceOptions& {
    FaceOptions& part = result.emplace_back(*this);
    part.generators = part.share = part.probability = part.bounds = false;
    part.fields &= part_fields;
    return part;
  };
  if (chance) {
    add(~(logarithm_fields | bound_fields | relevance_field)).probability = true;
  }
  if (logarithm) add(logarithm_fields).probability = true;
  if (bounds) add(~(chance_fields | logarithm_fields | relevance_field)).bounds = true;
  if (others) {
    FaceOptions& part = add(~(chance_fields | logarithm_fields | bound_fields));
    part.generators = generators;
    part.share = share;
  }
  return result;
}

bool FaceOptions::only_logarithm() const {
  return probability && fields != 0 && (fields & ~logarithm_fields) == 0;
}

void FaceScore::take(const FaceScore& other, std::uint32_t fields) {
  auto all = std::bit_cast<FaceScoreArray>(*this);
  const auto from = std::bit_cast<FaceScoreArray>(other);
  for (unsigned field = 0; field < all.size(); ++field) {
    if ((fields >> field & 1) != 0) all[field] = from[field];
  }
  *this = std::bit_cast<FaceScore>(all);
}

FaceScores::FaceScores(std::uint32_t fields, std::size_t size) {
  for (unsigned field = 0; field < std::size(face_score_fields); ++field) {
    if ((fields >> field & 1) != 0) fields_.push_back(field);
  }
  values_.resize(size * fields_.size(), 0);
}

void FaceScores::push_back(const FaceScore& score) {
  const auto all = std::bit_cast<FaceScoreArray>(score);
  for (const unsigned field : fields_) values_.push_back(all[field]);
}

void FaceScores::set(std::size_t i, const FaceScore& score) {
  const auto all = std::bit_cast<FaceScoreArray>(score);
  double* row = values_.data() + i * width();
  for (const unsigned field : fields_) *row++ = all[field];
}

void FaceScores::set_row(std::size_t i, std::span<const double> row) {
  std::ranges::copy(row, values_.data() + i * width());
}

FaceScore FaceScores::operator[](std::size_t i) const {
  auto all = std::bit_cast<FaceScoreArray>(FaceScore{});
  for (std::size_t k = 0; k < width(); ++k) all[fields_[k]] = values_[i * width() + k];
  return std::bit_cast<FaceScore>(all);
}

FaceScorer::FaceScorer(const FaceOptions& options)
    : options_(options), probability_(options.keep) {}

std::uint64_t FaceScorer::excess() const {
  if (options_.generators || options_.share || options_.keep <= 0) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  if (options_.keep >= 1) return 0;
  // lose^excess = 2^-negligible_excess
  const double faces = static_cast<double>(negligible_excess) / -std::log2(1 - options_.keep);
  return faces < 1e18 ? static_cast<std::uint64_t>(std::ceil(faces))
                      : std::numeric_limits<std::uint64_t>::max();
}

bool FaceScorer::logarithm() const { return (options_.fields & logarithm_fields) != 0; }

bool FaceScorer::counts_multiplicities() const { return (options_.fields & relevance_field) != 0; }

std::uint64_t FaceScorer::limit(std::size_t n_faces) const {
  const bool only_single_elements =
      !options_.generators && !options_.share && !options_.probability && !options_.bounds;
  if (only_single_elements) return 1;
  if (options_.generators || options_.share || options_.bounds || logarithm() ||
      options_.sampling.method != Method::exact || options_.keep <= 0 || options_.keep >= 1) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  const double bits = std::log2(static_cast<double>(n_faces + 1) / invisible);
  const double elements = bits / -std::log2(1 - options_.keep);
  return elements < 1e18 ? static_cast<std::uint64_t>(std::ceil(elements))
                         : std::numeric_limits<std::uint64_t>::max();
}

FaceScore FaceScorer::score(const FaceFamily& family) {
  FaceScore score;
  complete_ = false;
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
  const bool alone = score.singletons == static_cast<double>(family.size());
  if (alone && options_.keep == 0.5 && !options_.bounds &&
      options_.sampling.method == Method::exact) {
    score_elements(family.size(), score);
    return score;
  }
  if (options_.generators || options_.share) count_generators(family, score);
  if (options_.probability) find_probability(family, score);
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

/// The score of a family of single elements, which most intents of sparse tables have: they form
/// the only generator, and a subset meets all faces if and only if it contains them all.
void FaceScorer::score_elements(std::size_t n, FaceScore& score) {
  if (!options_.probability) return;
  complete_ = n <= tuning::downset_elements;
  score.miss = 1 - std::ldexp(1.0, -static_cast<int>(n));
  score.error = std::numeric_limits<double>::epsilon() * score.miss;
  score.log2_miss = std::log2(score.miss);
}

FaceScore FaceScorer::score_of_large(std::uint64_t smallest) const {
  FaceScore score;
  score.smallest = static_cast<double>(smallest);
  if (!options_.probability) return score;
  score.miss = probability_.power(smallest);
  score.log2_miss = std::log2(score.miss);
  score.log2_exact = 0;
  score.widen(invisible);
  return score;
}

bool FaceScorer::tops_suffice() const {
  return options_.probability && !options_.generators && !options_.share && !options_.bounds &&
         options_.sampling.method == Method::exact &&
         (options_.fields & (relevance_field | bound_fields)) == 0;
}

std::optional<FaceScore> FaceScorer::score(const Tops& tops, std::uint64_t smallest) {
  FaceScore score;
  score.log2_miss = -std::numeric_limits<double>::infinity();
  complete_ = false;
  if (tops.sets.empty()) return score;
  const auto miss = probability_.miss(tops, logarithm());
  if (!miss) return std::nullopt;
  complete_ = miss->complete;
  constexpr std::uint32_t wanted = 1u << field_of("singletons");
  if (smallest == 1 && (options_.fields & wanted) != 0) {
    score.singletons = static_cast<double>(tops.lacked_alone());
  }
  score.smallest = static_cast<double>(smallest);
  score.miss = miss->value;
  score.log2_miss = miss->log2;
  score.error = miss->error;
  score.exact = miss->error <= 1e-12 ? 1 : 0;
  score.log2_exact = miss->log2_error <= 1e-12 ? 1 : 0;
  return score;
}

void FaceScorer::find_probability(const FaceFamily& family, FaceScore& score) {
  SamplingOptions sampling = options_.sampling;
  double least = 0;
  double most = 1;
  if (sampling.method == Method::exact || sampling.method == Method::automatic) {
    const bool cheap = sampling.method == Method::automatic;
    const std::uint64_t states =
        cheap ? std::min(options_.state_budget, tuning::cheap_states) : options_.state_budget;
    // The chance is the same whether its logarithm is wanted or not.
    const bool chance = (options_.fields & chance_fields) != 0;
    const MissProbability miss = probability_.miss(family, states, logarithm() && !chance);
    const MissProbability logged =
        logarithm() && chance && !miss.complete ? probability_.miss(family, states, true) : miss;
    complete_ = miss.complete;
    score.miss = miss.value;
    score.log2_miss = logged.log2;
    score.error = miss.error;
    score.exact = miss.error <= 1e-12 ? 1 : 0;
    score.log2_exact = logged.log2_error <= 1e-12 ? 1 : 0;
    if (score.exact != 0) return;
    if (sampling.method == Method::exact) {
      if (miss.error <= close_enough * miss.value) return;
      // A miss of the smallest face alone is a lower bound, too.
      least = std::max(miss.value - miss.error,
                       probability_.power(static_cast<std::uint64_t>(score.smallest)));
      most = std::max(std::min(miss.value + miss.error, 1.0), least);
      sampling = fallback(least);
    }
  }
  const SampledMiss sampled = sample_miss(family, options_.keep, sampling);
  const bool relative =
      sampling.method == Method::karp_luby || sampling.method == Method::automatic;
  // The sum that was broken off bounds the probability; no estimate leaves these bounds.
  score.miss = std::clamp(sampled.value, least, most);
  score.log2_miss = std::log2(score.miss);
  score.exact = score.log2_exact = 0;
  score.samples = sampled.samples;
  score.half_width = relative ? -sampled.half_width : sampled.half_width;
  const bool bounded = options_.sampling.method == Method::exact;
  const double half_width = relative ? sampled.half_width * sampled.value : sampled.half_width;
  score.error = bounded ? std::max(score.miss - least, most - score.miss) : half_width;
}

void FaceScorer::count_generators(const FaceFamily& family, FaceScore& score) {
  // A minimal transversal takes at most one new element per face, so the product of the faces'
  // sizes bounds their number. Often this bound shows that the share is negligible.
  std::uint64_t n_elements = 0;
  if (family.weights().empty()) {
    n_elements = family.n_elements();
  } else {
    for (const Index weight : family.weights()) n_elements += weight;
  }
  double log2_most = 0;
  for (std::size_t i = 0; i < family.size(); ++i) {
    log2_most += std::log2(static_cast<double>(family.weigh(family.face(i))));
  }
  const double log2_subsets = static_cast<double>(n_elements);
  const bool negligible = log2_most + negligible_share_bits < log2_subsets;
  const bool only_share = negligible && !options_.generators;
  const TransversalCount count = transversals_.count(
      family, only_share ? std::min(options_.node_budget, tuning::negligible_share_nodes)
                         : options_.node_budget);
  score.generators = count.value;
  score.generators_exact = count.exact ? 1 : 0;
  score.share_exact = count.exact || negligible ? 1 : 0;
  // An incomplete count depends on the order of the search, so the share stays 0.
  if (only_share && !count.exact) return;
  if (count.value > 1 && n_elements > 1) {
    // 2^n - 2 is 2^n from n = 60 on; the quotient may underflow to 0, as it should.
    const double most = n_elements < 60 ? std::exp2(log2_subsets) - 2 : 0;
    score.share = most > 0 ? count.value / most : std::exp2(std::log2(count.value) - log2_subsets);
  }
}

FaceScores score_concepts(const Table& table, ListsView intents, Side side,
                          const FaceOptions& options, unsigned threads, Budget& budget) {
  table.check_attributes(intents.values);
  FaceScores scores(options.fields, intents.size());
  std::vector<FaceScorer> scorers(thread_count(threads), FaceScorer(options));
  parallel_blocks(
      intents.size(), 1, threads, budget, [&](std::size_t begin, std::size_t end, unsigned worker) {
        FaceScorer& scorer = scorers[worker];
        for (std::size_t i = begin; i < end && !budget.stopped(); ++i) {
          const auto intent = intents[i];
          scores.set(i,
                     scorer.score(side == Side::intent ? intent_faces(table, intent)
                                                       : extent_faces(table, table.extent(intent),
                                                                      intent, scorer.excess())));
        }
      });
  return scores;
}

}  // namespace conceptrank
