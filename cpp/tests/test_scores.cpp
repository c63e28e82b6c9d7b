// Scores of concepts on both sides, against what all subsets of the intent and of the extent generate.
#include "conceptrank/scores.hpp"

#include <limits>

#include "families.hpp"
#include "lattices.hpp"

using namespace conceptrank;
using reference::Concept;
using reference::Context;
using reference::Family;
using reference::Generation;
using reference::Random;
using reference::Set;

namespace {

FaceOptions everything(double keep) {
  FaceOptions options;
  options.keep = keep;
  options.generators = true;
  options.probability = true;
  options.bounds = true;
  return options;
}

/// `faces` are those of the concept, `generation` is what the definitions say about the same side.
void check_score(const FaceScore& score, const std::vector<Set>& faces,
                 const Generation& generation, double keep) {
  const auto lose = [&](const Set& set) {
    return std::pow(1 - keep, static_cast<double>(set.size()));
  };
  std::size_t singletons = 0;
  double sum = 0;
  double all_hit = 1;
  double pairs = 0;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    singletons += faces[i].size() == 1 ? 1 : 0;
    sum += lose(faces[i]);
    all_hit *= 1 - lose(faces[i]);
    for (std::size_t j = 0; j < i; ++j) pairs += lose(faces[i] | faces[j]);
  }
  CHECK_EQUAL(score.singletons, static_cast<double>(singletons));
  CHECK_EQUAL(score.smallest, static_cast<double>(faces.empty() ? 0 : faces.front().size()));
  CHECK_EQUAL(score.generators, static_cast<double>(generation.minimal.size()));
  CHECK_EQUAL(score.generators_exact, 1);
  CHECK_NEAR(score.miss, generation.miss, 1e-12);
  CHECK_NEAR(score.miss, generation.miss, score.error);
  CHECK_NEAR(score.log2_miss, std::log2(generation.miss), 1e-10);
  CHECK_EQUAL(score.exact, 1);
  CHECK_NEAR(score.sum, sum, 1e-12);
  CHECK_NEAR(score.independent, 1 - all_hit, 1e-12);
  CHECK_NEAR(score.pairs, pairs, 1e-12);
}

void check_scores(const Context& context, double keep, unsigned threads) {
  const harness::Case which(
      [&] { return describe(context) + ", keep " + std::to_string(keep); });
  const FaceOptions options = everything(keep);
  const Table table = reference::table(context);
  Budget budget;
  const Mined mined =
      mine(table, {.threads = threads, .score_extents = true, .extent_options = options}, budget);
  const Lattice& lattice = mined.lattice;
  const auto by_covers = score_intents(lattice, options, threads, budget);
  const auto intents = score_concepts(table, lattice.intents, Side::intent, options, threads, budget);
  const auto extents = score_concepts(table, lattice.intents, Side::extent, options, threads, budget);
  const auto concepts = reference::concepts(context);
  CHECK_EQUAL(lattice.size(), concepts.size());
  CHECK_EQUAL(mined.extent_scores.size(), concepts.size());
  CHECK_EQUAL(by_covers.size(), concepts.size());
  CHECK_EQUAL(intents.size(), concepts.size());
  CHECK_EQUAL(extents.size(), concepts.size());
  if (lattice.size() != concepts.size()) return;
  for (std::size_t i = 0; i < concepts.size(); ++i) {
    const harness::Case number([&] { return "concept " + std::to_string(i); });
    const Generation intent = intent_generation(context, concepts[i], keep);
    const auto intent_faces = reference::intent_faces(context, concepts[i]);
    check_score(by_covers[i], intent_faces, intent, keep);
    check_score(intents[i], intent_faces, intent, keep);
    const Generation extent = extent_generation(context, concepts[i], keep);
    const auto extent_faces = reference::extent_faces(context, concepts[i]);
    check_score(mined.extent_scores[i], extent_faces, extent, keep);
    check_score(extents[i], extent_faces, extent, keep);
  }
}

}  // namespace

TEST(scores_of_every_small_context) {
  for (std::size_t n_objects = 0; n_objects <= 3; ++n_objects) {
    for (std::size_t n_attributes = 0; n_attributes <= 3; ++n_attributes) {
      reference::for_each_context(n_objects, n_attributes,
                                  [](const Context& context) { check_scores(context, 0.5, 1); });
    }
  }
}

TEST(scores_of_random_contexts) {
  Random random(71);
  for (std::size_t round = 0; round < harness::cases(2000); ++round) {
    check_scores(reference::random_context(random, 8, 8), 0.5, round % 20 == 0 ? 3 : 1);
  }
}

TEST(scores_with_other_chances_to_keep) {
  Random random(72);
  for (std::size_t round = 0; round < harness::cases(250); ++round) {
    for (const double keep : {0.0, 1.0 / 3, 0.9, 1.0}) {
      check_scores(reference::random_context(random, 7, 7), keep, 1);
    }
  }
}

TEST(scores_of_frequent_concepts_need_no_others) {
  // Upper covers of frequent concepts are frequent, and extent faces don't ask for support.
  Random random(73);
  const FaceOptions options = everything(0.5);
  for (std::size_t round = 0; round < harness::cases(300); ++round) {
    const Context context = reference::random_context(random, 9, 7);
    const harness::Case which([&] { return describe(context); });
    const std::uint64_t min_support = 1 + random.below(4);
    Budget budget;
    const Mined mined = mine(reference::table(context),
                             {.min_support = min_support, .threads = 1, .score_extents = true,
                              .extent_options = options},
                             budget);
    const auto intents = score_intents(mined.lattice, options, 1, budget);
    const reference::ExpectedLattice expected(context, min_support);
    CHECK_EQUAL(mined.lattice.size(), expected.concepts.size());
    CHECK_EQUAL(mined.extent_scores.size(), expected.concepts.size());
    for (std::size_t i = 0; i < expected.concepts.size(); ++i) {
      const Concept& one = expected.concepts[i];
      check_score(intents[i], intent_faces(context, one), intent_generation(context, one, 0.5),
                  0.5);
      check_score(mined.extent_scores[i], extent_faces(context, one),
                  extent_generation(context, one, 0.5), 0.5);
    }
  }
}

TEST(scores_of_large_extents_are_the_same_on_every_way) {
  // Extents of some hundred objects, equal ones among them: the faces that the search has and those
  // from the table alone, with the ones left out that can't matter.
  Random random(74);
  for (const double keep : {0.5, 0.1}) {
    const FaceOptions options{.keep = keep, .probability = true, .bounds = true};
    for (std::size_t round = 0; round < harness::cases(10); ++round) {
      const Context context = reference::random_context(random, 250, 9);
      const harness::Case which([&] { return describe(context); });
      const Table table = reference::table(context);
      Budget budget;
      const Mined mined = mine(
          table, {.threads = 1, .score_extents = true, .extent_options = options}, budget);
      const auto alone =
          score_concepts(table, mined.lattice.intents, Side::extent, options, 1, budget);
      HitProbability probability(keep);
      for (std::size_t i = 0; i < alone.size(); ++i) {
        const FaceScore& score = mined.extent_scores[i];
        CHECK_EQUAL(score.smallest, alone[i].smallest);
        CHECK_EQUAL(score.singletons, alone[i].singletons);
        CHECK_NEAR(score.miss, alone[i].miss, 1e-12);
        CHECK_NEAR(score.log2_miss, alone[i].log2_miss, 1e-10);
        CHECK_NEAR(score.sum, alone[i].sum, 1e-12);
        CHECK_NEAR(score.pairs, alone[i].pairs, 1e-12);
        // With all faces, whatever their size.
        const auto intent = mined.lattice.intents[i];
        const MissProbability all =
            probability.miss(extent_faces(table, table.extent(intent), intent,
                                          std::numeric_limits<std::uint64_t>::max()),
                             100'000);
        CHECK_NEAR(score.miss, all.value, 1e-12);
        CHECK_NEAR(score.log2_miss, all.log2, 1e-10);
      }
    }
  }
}

TEST(scores_say_when_a_budget_ended_them) {
  Random random(75);
  FaceOptions options = everything(0.5);
  options.node_budget = 3;
  options.state_budget = 2;
  FaceScorer scorer(options);
  std::size_t counts_ended = 0;
  std::size_t probabilities_ended = 0;
  for (std::size_t round = 0; round < harness::cases(60); ++round) {
    const Family family = random_family(random, 11, 60, 3 + round % 3);
    const harness::Case which([&] { return describe(family); });
    const FaceScore score = scorer.score(to_core(family));
    const auto truth = static_cast<double>(minimal_transversals(family).size());
    if (score.generators_exact == 1) CHECK_EQUAL(score.generators, truth);
    CHECK(score.generators <= truth);
    counts_ended += score.generators_exact == 1 ? 0 : 1;
    const auto miss = static_cast<double>(reference::miss(family, 0.5));
    CHECK_NEAR(score.miss, miss, score.error);
    CHECK_EQUAL(score.exact, score.error <= 1e-12 ? 1 : 0);
    probabilities_ended += score.exact == 1 ? 0 : 1;
  }
  CHECK(counts_ended > 0);
  CHECK(probabilities_ended > 0);
}

TEST(scores_called_exact_have_an_exact_logarithm) {
  // A tiny probability has a tiny error even if nothing is known about it: the logarithm has not.
  // Objects with nothing in common: the faces of the top concept have all but one of them.
  for (const double keep : {0.25, 0.5, 0.75}) {
    const harness::Case which([&] { return "keep " + std::to_string(keep); });
    constexpr std::size_t n = 200;
    Family family{n, {}, {}};
    for (std::size_t i = 0; i < n; ++i) {
      Set face = Set::all(n);
      face.remove(i);
      family.faces.push_back(face);
    }
    FaceScorer scorer({.keep = keep, .probability = true});
    const FaceScore score = scorer.score(to_core(family));
    // Missed when all are lost, or all but one.
    const long double lose = 1 - static_cast<long double>(keep);
    const long double log2 = static_cast<long double>(n - 1) * std::log2(lose) +
                             std::log2(lose + static_cast<long double>(n * keep));
    if (score.exact == 1) CHECK_NEAR(score.log2_miss, log2, 1e-9);
  }
}

TEST(scores_leave_out_only_what_cannot_matter) {
  for (const double keep : {0.01, 0.25, 0.5, 0.9}) {
    const FaceScorer scorer({.keep = keep, .probability = true});
    CHECK(std::pow(1 - keep, static_cast<double>(scorer.excess())) <= 0x1p-63);
  }
  // Every face counts for generators, and where nothing is ever kept.
  constexpr auto all = std::numeric_limits<std::uint64_t>::max();
  CHECK_EQUAL(FaceScorer({.keep = 0.5, .generators = true}).excess(), all);
  CHECK_EQUAL(FaceScorer({.keep = 0.0, .probability = true}).excess(), all);
}

TEST(scores_fields_are_the_members_in_order) {
  CHECK_EQUAL(std::size(face_score_fields) * sizeof(double), sizeof(FaceScore));
  FaceScore score;
  score.pairs = 42;
  CHECK_EQUAL(reinterpret_cast<const double*>(&score)[std::size(face_score_fields) - 1], 42);
  CHECK_EQUAL(face_score_fields[0], "singletons");
  CHECK_EQUAL(std::data(face_score_fields)[std::size(face_score_fields) - 1], "pairs");
}
