// Scores of concepts on both sides, against what all subsets of the intent and of the extent
// generate.
#include <array>
#include <limits>

#include "cpp/score/scores.hpp"
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

/// The scores of the intent of a concept. Those of the extent are the same in the dual context.
void check_score(const FaceScore& score, const Context& context, const Concept& concept_,
                 double keep) {
  const Generation generation = intent_generation(context, concept_, keep);
  const auto faces = reference::intent_faces(context, concept_);
  const auto lose = [&](const Set& set) {
    return std::pow(1 - keep, static_cast<double>(set.size()));
  };
  std::size_t singletons = 0;
  double relevance = 0;
  double sum = 0;
  double all_hit = 1;
  double pairs = 0;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (faces[i].size() == 1) {
      // The objects that make this attribute relevant; one of them has to be kept.
      std::size_t behind = 0;
      for (const Set& row : context.rows) behind += concept_.intent - row == faces[i] ? 1 : 0;
      relevance += 1 - std::pow(1 - keep, static_cast<double>(behind));
      ++singletons;
    }
    sum += lose(faces[i]);
    all_hit *= 1 - lose(faces[i]);
    for (std::size_t j = 0; j < i; ++j) pairs += lose(faces[i] | faces[j]);
  }
  CHECK_EQUAL(score.singletons, static_cast<double>(singletons));
  CHECK_NEAR(score.relevance, relevance, 1e-12);
  CHECK_EQUAL(score.smallest, static_cast<double>(faces.empty() ? 0 : faces.front().size()));
  CHECK_EQUAL(score.generators, static_cast<double>(generation.minimal.size()));
  CHECK_EQUAL(score.generators_exact, 1);
  const auto n = static_cast<double>(concept_.intent.size());
  const bool several = generation.minimal.size() > 1;
  CHECK_NEAR(score.share, several ? score.generators / (std::exp2(n) - 2) : 0, 1e-12);
  CHECK_EQUAL(score.share_exact, 1);
  CHECK_NEAR(score.miss, generation.miss, 1e-12);
  CHECK_NEAR(score.miss, generation.miss, score.error);
  CHECK_NEAR(score.log2_miss, std::log2(generation.miss), 1e-10);
  CHECK_EQUAL(score.exact, 1);
  CHECK_EQUAL(score.log2_exact, 1);
  CHECK_NEAR(score.sum, sum, 1e-12);
  CHECK_NEAR(score.independent, 1 - all_hit, 1e-12);
  CHECK_NEAR(score.pairs, pairs, 1e-12);
}

void check_scores(const Context& context, double keep, unsigned threads) {
  const harness::Case which([&] { return describe(context) + ", keep " + std::to_string(keep); });
  const FaceOptions options = everything(keep);
  const Table table = reference::table(context);
  Budget budget;
  MiningOptions mining = reference::on_threads(threads);
  mining.score_extents = true;
  mining.extent_options = options;
  const Mined mined = mine(table, mining, budget);
  const Lattice& lattice = mined.lattice;
  const auto by_covers = score_intents(lattice, options, threads, budget).intent_scores;
  const auto intents =
      score_concepts(table, lattice.intents, Side::intent, options, threads, budget);
  const auto extents =
      score_concepts(table, lattice.intents, Side::extent, options, threads, budget);
  const auto concepts = reference::concepts(context);
  const Context dual_context = dual(context);
  CHECK_EQUAL(lattice.size(), concepts.size());
  CHECK_EQUAL(mined.extent_scores.size(), concepts.size());
  CHECK_EQUAL(by_covers.size(), concepts.size());
  CHECK_EQUAL(intents.size(), concepts.size());
  CHECK_EQUAL(extents.size(), concepts.size());
  if (lattice.size() != concepts.size()) return;
  for (std::size_t i = 0; i < concepts.size(); ++i) {
    const harness::Case number([&] { return "concept " + std::to_string(i); });
    check_score(by_covers[i], context, concepts[i], keep);
    check_score(intents[i], context, concepts[i], keep);
    const Concept dual_concept{concepts[i].intent, concepts[i].extent};
    check_score(mined.extent_scores[i], dual_context, dual_concept, keep);
    check_score(extents[i], dual_context, dual_concept, keep);
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
    MiningOptions mining = reference::on_threads(1, min_support);
    mining.score_extents = true;
    mining.extent_options = options;
    const Mined mined = mine(reference::table(context), mining, budget);
    const auto intents = score_intents(mined.lattice, options, 1, budget).intent_scores;
    const reference::ExpectedLattice expected(context, min_support);
    CHECK_EQUAL(mined.lattice.size(), expected.concepts.size());
    CHECK_EQUAL(mined.extent_scores.size(), expected.concepts.size());
    for (std::size_t i = 0; i < expected.concepts.size(); ++i) {
      const Concept& one = expected.concepts[i];
      check_score(intents[i], context, one, 0.5);
      check_score(mined.extent_scores[i], dual(context), {one.intent, one.extent}, 0.5);
    }
  }
}

TEST(scores_of_large_extents_are_the_same_on_every_way) {
  // Extents of some hundred objects, equal ones among them: the faces that the search has and those
  // from the table alone, with the ones left out that can't matter.
  Random random(74);
  for (const double keep : {0.5, 0.1}) {
    FaceOptions options = everything(keep);
    options.generators = false;
    for (std::size_t round = 0; round < harness::cases(10); ++round) {
      const Context context = reference::random_context(random, 250, 9);
      const harness::Case which([&] { return describe(context); });
      const Table table = reference::table(context);
      Budget budget;
      MiningOptions mining = reference::on_threads(1);
      mining.score_extents = true;
      mining.extent_options = options;
      const Mined mined = mine(table, mining, budget);
      const auto alone =
          score_concepts(table, mined.lattice.intents, Side::extent, options, 1, budget);
      HitProbability probability(keep);
      for (std::size_t i = 0; i < alone.size(); ++i) {
        const FaceScore& score = mined.extent_scores[i];
        CHECK_EQUAL(score.smallest, alone[i].smallest);
        CHECK_EQUAL(score.singletons, alone[i].singletons);
        CHECK_NEAR(score.relevance, alone[i].relevance, 1e-12);
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
  FaceOptions options = everything(0.05);
  options.node_budget = 3;
  options.state_budget = 2;
  FaceScorer scorer(options);
  std::size_t counts_ended = 0;
  std::size_t probabilities_ended = 0;
  for (std::size_t round = 0; round < harness::cases(60); ++round) {
    Family family = random_family(random, 11, 60, 3 + round % 3);
    const harness::Case which([&] { return describe(family); });
    const auto truth = static_cast<double>(minimal_transversals(family).size());
    const FaceScore light = scorer.score(to_core(family));
    if (light.generators_exact == 1) CHECK_EQUAL(light.generators, truth);
    CHECK(light.generators <= truth);
    counts_ended += light.generators_exact == 1 ? 0 : 1;
    // Too heavy for a downset.
    const auto miss = static_cast<double>(reference::miss(family, 1 - std::pow(1 - 0.05, 13)));
    family.weights.assign(family.n_elements, 13);
    const FaceScore heavy = scorer.score(to_core(family));
    CHECK_NEAR(heavy.miss, miss, heavy.error);
    CHECK_EQUAL(heavy.exact, heavy.error <= 1e-12 ? 1 : 0);
    probabilities_ended += heavy.exact == 1 ? 0 : 1;
  }
  CHECK(counts_ended > 0 || harness::cases(1000) < 1000);         // a few cases may miss it
  CHECK(probabilities_ended > 0 || harness::cases(1000) < 1000);  // a few cases may miss it
}

TEST(scores_share_of_generators) {
  Random random(76);
  FaceOptions options;
  options.share = true;
  FaceScorer scorer(options);
  for (std::size_t round = 0; round < harness::cases(300); ++round) {
    // Elements in no face make the share smaller, up to nothing.
    Family family = random_family(random, 1 + random.below(8), 1 + random.below(8));
    const auto generators = static_cast<double>(minimal_transversals(family).size());
    family.n_elements += random.below(2) * random.below(150);
    const harness::Case which(
        [&] { return describe(family) + " of " + std::to_string(family.n_elements); });
    const FaceScore score = scorer.score(to_core(family));
    const double share =
        generators > 1 ? generators / (std::exp2(static_cast<double>(family.n_elements)) - 2) : 0;
    CHECK_NEAR(score.share, share, 1e-12);
    CHECK_EQUAL(score.share_exact, 1);
    if (score.generators_exact == 1) CHECK_EQUAL(score.generators, generators);
  }
  // Too many generators to count, but a negligible share of all subsets.
  Family path{250, {}, {}};
  for (Index i = 0; i < 80; ++i) path.faces.push_back(Set::of({i, i + 1}));
  const FaceScore score = scorer.score(to_core(path));
  CHECK_EQUAL(score.generators_exact, 0);
  CHECK_EQUAL(score.share, 0);
  CHECK_EQUAL(score.share_exact, 1);
  // Among fewer subsets nothing can be said.
  path.n_elements = 81;
  CHECK_EQUAL(scorer.score(to_core(path)).share_exact, 0);
}

TEST(scores_called_exact_have_an_exact_logarithm) {
  // A tiny probability has a tiny error even if nothing is known about it: the logarithm has not.
  // Objects with nothing in common: the faces of the top concept have all but one of them. Here
  // they share a core, too, which may be so large that the probability is no number any more.
  for (const double keep : {0.25, 0.5, 0.75}) {
    for (const std::size_t core : {0, 500, 3000}) {
      const harness::Case which(
          [&] { return "keep " + std::to_string(keep) + ", core " + std::to_string(core); });
      constexpr std::size_t n = 200;
      FaceFamily family;
      family.reset(n + 1);
      family.weights().assign(n + 1, 1);
      family.weights().back() = static_cast<Index>(core + 1);
      for (std::size_t i = 0; i < n; ++i) {
        Word* face = family.add();
        for (std::size_t element = 0; element <= n; ++element) {
          if (element != i) set_bit(face, element);
        }
      }
      FaceOptions options;
      options.keep = keep;
      options.probability = true;
      const FaceScore score = FaceScorer(options).score(family);
      // Missed when the core and all others are lost, or all others but one.
      const long double lose = 1 - static_cast<long double>(keep);
      const long double log2 = static_cast<long double>(n + core) * std::log2(lose) +
                               std::log2(lose + static_cast<long double>(n) * keep);
      if (score.log2_exact == 1) CHECK_NEAR(score.log2_miss, log2, 1e-9);
    }
  }
}

TEST(scores_leave_out_only_what_cannot_matter) {
  FaceOptions options;
  options.probability = true;
  for (const double keep : {0.01, 0.25, 0.5, 0.9}) {
    options.keep = keep;
    const auto excess = static_cast<double>(FaceScorer(options).excess());
    CHECK(std::pow(1 - keep, excess) <= 0x1p-63);
  }
  // Every face counts where nothing is ever kept, and for generators.
  constexpr auto all = std::numeric_limits<std::uint64_t>::max();
  options.keep = 0;
  CHECK_EQUAL(FaceScorer(options).excess(), all);
  options.keep = 0.5;
  options.generators = true;
  CHECK_EQUAL(FaceScorer(options).excess(), all);
  options.generators = false;
  options.share = true;
  CHECK_EQUAL(FaceScorer(options).excess(), all);
}

TEST(scores_fields_are_the_members_in_order) {
  CHECK_EQUAL(std::size(face_score_fields) * sizeof(double), sizeof(FaceScore));
  FaceScore score;
  score.pairs = 42;
  CHECK_EQUAL(reinterpret_cast<const double*>(&score)[std::size(face_score_fields) - 1], 42);
  CHECK_EQUAL(face_score_fields[0], "singletons");
  CHECK_EQUAL(std::data(face_score_fields)[std::size(face_score_fields) - 1], "pairs");
}

/// The chance that a random subset of a concept's extent generates another concept: every subset
/// generates exactly one concept below, and how likely that is follows from the chance there.
std::vector<long double> misses(const std::vector<Concept>& concepts, double keep) {
  std::vector<long double> result(concepts.size(), 0);
  for (std::size_t i = concepts.size(); i-- > 0;) {
    for (std::size_t k = i + 1; k < concepts.size(); ++k) {
      if (!concepts[k].extent.strictly_inside(concepts[i].extent)) continue;
      const auto lost = (concepts[i].extent - concepts[k].extent).size();
      result[i] +=
          std::pow(1 - static_cast<long double>(keep), static_cast<int>(lost)) * (1 - result[k]);
    }
  }
  return result;
}

/// A few attributes that many objects have, others that few have, and some that one object has:
/// concepts of more than 64 objects with many children of fewer. Some objects are equal.
Context heap(Random& random) {
  constexpr std::size_t singles = 8;
  const std::size_t n_others = 15 + random.below(8);
  Context context{n_others + singles, {}};
  const double density = 0.08 + 0.1 * random.density();
  while (context.rows.size() < 110 + random.below(130)) {
    if (!context.rows.empty() && random.chance(0.15)) {
      context.rows.push_back(context.rows[random.below(context.rows.size())]);
      continue;
    }
    context.rows.push_back(random.subset(n_others, density));
    for (std::size_t m = 0; m < 3; ++m) {
      if (random.chance(0.8 - 0.1 * static_cast<double>(m))) context.rows.back().add(m);
    }
  }
  for (std::size_t m = n_others; m < context.n_attributes; ++m) {
    context.rows[random.below(context.rows.size())].add(m);
  }
  return context;
}

TEST(scores_of_small_extents_below_large_ones) {
  Random random(103);
  for (std::size_t round = 0; round < harness::cases(24); ++round) {
    const Context context = heap(random);
    const harness::Case which([&] { return describe(context); });
    const double keep = round % 4 == 3 ? 0.3 : 0.5;
    const auto concepts = reference::concepts(context);
    const auto expected = misses(concepts, keep);
    const auto deltas = reference::deltas(concepts);
    const Table table = reference::table(context);
    for (const std::uint64_t min_support : {2, 4, 7}) {
      MiningOptions mining = reference::on_threads(1 + round % 2);
      mining.min_support = min_support;
      mining.score_extents = true;
      mining.extent_options.keep = keep;
      mining.extent_options.probability = true;
      mining.extent_options.fields = 0b011010000101;
      Budget budget;
      const Mined mined = mine(table, mining, budget);
      for (std::size_t i = 0; i < mined.lattice.size(); ++i) {
        CHECK_EQUAL(mined.lattice.deltas[i], deltas[i]);
        CHECK_NEAR(mined.extent_scores[i].miss, static_cast<double>(expected[i]), 1e-12);
      }
    }
  }
}

TEST(scores_of_extents_in_icebergs) {
  Random random(77);
  for (std::size_t round = 0; round < harness::cases(120); ++round) {
    const double keep = round % 4 == 3 ? 0.3 : 0.5;
    const std::size_t most_objects = std::array{12, 40, 90, 200}[round / 4 % 4];
    Context context = reference::random_context(random, most_objects, 9);
    if (round % 10 == 9) {
      // Many different rows that lack little: large extents with small faces.
      context = {9, {}};
      for (std::size_t g = 0; g < 220; ++g) context.rows.push_back(random.subset(9, 0.85));
    }
    const harness::Case which([&] { return describe(context); });
    const Table table = reference::table(context);
    const auto concepts = reference::concepts(context);
    const auto expected = misses(concepts, keep);
    const auto deltas = reference::deltas(concepts);
    for (const std::uint64_t min_support : {0, 1, 2, 3, 6, 12, 70}) {
      Budget budget;
      MiningOptions mining = reference::on_threads(1);
      mining.min_support = min_support;
      mining.score_extents = true;
      mining.extent_options.keep = keep;
      mining.extent_options.probability = true;
      // What a stability needs, and once its logarithm as well.
      mining.extent_options.fields = round % 5 == 0 ? 0b111110000101 : 0b011010000101;
      const Mined mined = mine(table, mining, budget);
      for (std::size_t i = 0; i < mined.lattice.size(); ++i) {
        const FaceScore score = mined.extent_scores[i];
        CHECK_EQUAL(mined.lattice.deltas[i], deltas[i]);
        CHECK_NEAR(score.miss, static_cast<double>(expected[i]), 1e-12);
        CHECK_EQUAL(score.exact, 1);
        // No attribute is left outside the intent: there is no face.
        const bool faces = concepts[i].intent.size() < context.n_attributes;
        CHECK_EQUAL(score.smallest, faces ? static_cast<double>(deltas[i]) : 0.0);
        if (round % 5 == 0 && expected[i] > 0) {
          CHECK_NEAR(score.log2_miss, static_cast<double>(std::log2(expected[i])), 1e-10);
        }
      }
    }
  }
}

TEST(a_chance_and_its_logarithm_are_the_same_whatever_else_is_scored) {
  Random random(91);
  const auto field = [](std::string_view name) {
    std::uint32_t number = 0;
    while (face_score_fields[number] != name) ++number;
    return 1u << number;
  };
  const std::uint32_t chance = field("miss") | field("error") | field("exact");
  const std::uint32_t logarithm = field("log2_miss") | field("log2_exact");
  for (std::size_t round = 0; round < harness::cases(100); ++round) {
    const std::size_t most_objects = std::array{12, 40, 60, 90}[round % 4];
    const Context context = reference::random_context(random, most_objects, 9);
    const harness::Case which([&] { return describe(context); });
    const Table table = reference::table(context);
    const auto scored = [&](std::uint32_t fields) {
      Budget budget;
      MiningOptions mining = reference::on_threads(1);
      mining.score_extents = true;
      mining.extent_options.keep = round % 5 == 4 ? 0.3 : 0.5;
      mining.extent_options.probability = true;
      mining.extent_options.fields = fields;
      Mined mined = mine(table, mining, budget);
      const auto intents = score_intents(mined.lattice, mining.extent_options, 1, budget);
      return std::pair(std::move(mined.extent_scores), intents.intent_scores);
    };
    const auto chances = scored(chance);
    const auto logarithms = scored(logarithm);
    const auto both = scored(chance | logarithm | field("singletons"));
    const auto same = [](const FaceScores& one, const FaceScores& other, bool logged) {
      CHECK_EQUAL(one.size(), other.size());
      for (std::size_t i = 0; i < one.size(); ++i) {
        if (logged) {
          CHECK_EQUAL(one[i].log2_miss, other[i].log2_miss);
          CHECK_EQUAL(one[i].log2_exact, other[i].log2_exact);
        } else {
          CHECK_EQUAL(one[i].miss, other[i].miss);
          CHECK_EQUAL(one[i].exact, other[i].exact);
        }
      }
    };
    const auto all = scored(~std::uint32_t{0});
    for (const auto* together : {&both, &all}) {
      same(together->first, chances.first, false);
      same(together->second, chances.second, false);
      same(together->first, logarithms.first, true);
      same(together->second, logarithms.second, true);
    }
  }
}
