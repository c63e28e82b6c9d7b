// Branches: pieces of the search tree, mined and scored alone, add up to the lattice, whatever the
// budget; and their scores are those of the lattice to the last bit.
#include <bit>
#include <map>
#include <stdexcept>

#include "cpp/lattice/branch.hpp"
#include "lattices.hpp"

using namespace conceptrank;
using reference::Context;
using reference::Random;

namespace {

FaceOptions everything() {
  FaceOptions options;
  options.generators = options.share = options.probability = options.bounds = true;
  return options;
}

struct Scored {
  Index support;
  Index delta;
  FaceScore intent;
  FaceScore extent;
  ColumnSums sums;
};

using Concepts = std::map<std::vector<Index>, Scored>;

/// As many bits as there are: a NaN or a last digit that differs is a difference.
template <class Row>
bool same_bits(const Row& a, const Row& b) {
  return std::bit_cast<std::array<std::uint64_t, sizeof(Row) / 8>>(a) ==
         std::bit_cast<std::array<std::uint64_t, sizeof(Row) / 8>>(b);
}

/// Mines by branches until nothing is left, a prefix at a time or all of them together.
/// Relevance of intents needs multiplicities; without it, faces are found along the search path.
Concepts by_branches(const Table& table, std::uint64_t min_support, BranchOptions options,
                     bool together, bool relevance = false) {
  const SearchTable search_table(table, min_support);
  options.score_intents = options.score_extents = options.sum_columns = true;
  options.intent_options = options.extent_options = everything();
  if (!relevance) options.intent_options.fields &= ~(1u << 1);
  static_assert(face_score_fields[1] == "relevance");
  Concepts found;
  std::vector<std::vector<Prefix>> tasks{{Prefix{}}};
  while (!tasks.empty()) {
    const std::vector<Prefix> prefixes = std::move(tasks.back());
    tasks.pop_back();
    Budget budget;
    MinedBranch mined = mine_branch(search_table, prefixes, options, budget);
    CHECK(mined.supports.size() <= options.nodes);
    for (std::size_t i = 0; i < mined.supports.size(); ++i) {
      const bool is_new =
          found
              .emplace(reference::list(mined.intents, i),
                       Scored{mined.supports[i], mined.deltas[i], mined.intent_scores[i],
                              mined.extent_scores[i], mined.column_sums[i]})
              .second;
      CHECK(is_new);
    }
    if (mined.left.empty()) continue;
    CHECK_EQUAL(mined.supports.size(), std::size_t{options.nodes});
    if (together) {
      tasks.push_back(std::move(mined.left));
    } else {
      for (const Prefix& prefix : mined.left) {
        // Children may be shared out among several tasks.
        Prefix odd = prefix;
        Prefix even = prefix;
        if (prefix.children) {
          odd.children->clear();
          even.children->clear();
          for (std::size_t k = 0; k < prefix.children->size(); ++k) {
            (k % 2 == 0 ? even : odd).children->push_back((*prefix.children)[k]);
          }
          if (!odd.children->empty()) tasks.push_back({odd});
        }
        tasks.push_back({even});
      }
    }
  }
  return found;
}

void check_branches(const Context& context, std::uint64_t min_support, std::uint64_t nodes,
                    bool relevance) {
  const harness::Case which([&] {
    return describe(context) + ", min_support " + std::to_string(min_support) + ", " +
           std::to_string(nodes) + " nodes a branch";
  });
  const Table table = reference::table(context);
  MiningOptions options = reference::on_threads(1, min_support);
  options.score_extents = options.sum_columns = true;
  options.extent_options = everything();
  Budget budget;
  const Mined mined = mine(table, options, budget);
  const auto intent_scores = score_intents(mined.lattice, everything(), 1, budget).intent_scores;
  BranchOptions branch;
  branch.nodes = nodes;
  const Concepts found = by_branches(table, min_support, branch, nodes % 2 == 0, relevance);
  CHECK_EQUAL(found.size(), mined.lattice.size());
  for (std::size_t i = 0; i < mined.lattice.size(); ++i) {
    const auto known = found.find(reference::list(mined.lattice.intents, i));
    CHECK(known != found.end());
    if (known == found.end()) continue;
    const Scored& scored = known->second;
    CHECK_EQUAL(scored.support, mined.lattice.supports[i]);
    CHECK_EQUAL(scored.delta, mined.lattice.deltas[i]);
    FaceScore intent = intent_scores[i];
    if (!relevance) intent.relevance = 0;
    CHECK(same_bits(scored.intent, intent));
    CHECK(same_bits(scored.extent, mined.extent_scores[i]));
    CHECK(same_bits(scored.sums, mined.column_sums[i]));
  }
}

}  // namespace

TEST(branches_of_every_small_context) {
  for (std::size_t n_objects = 0; n_objects <= 3; ++n_objects) {
    for (std::size_t n_attributes = 0; n_attributes <= 3; ++n_attributes) {
      reference::for_each_context(n_objects, n_attributes, [&](const Context& context) {
        check_branches(context, n_objects % 2, 2 + n_attributes % 2, false);
      });
    }
  }
}

TEST(branches_of_random_contexts) {
  Random random(81);
  for (std::size_t round = 0; round < harness::cases(1500); ++round) {
    const Context context = reference::random_context(random, 11, 10);
    const std::uint64_t min_support = random.chance(0.5) ? 0 : random.below(4);
    check_branches(context, min_support, 2 + random.below(9), random.chance(0.2));
  }
}

TEST(branches_of_wide_and_long_contexts) {
  // Intents and sets of rows of several words.
  Random random(82);
  for (std::size_t round = 0; round < harness::cases(12); ++round) {
    check_branches(reference::random_table(random, 8 + random.below(4), 70 + random.below(90),
                                           0.5 + 0.4 * random.density()),
                   random.below(3), 7 + random.below(60), false);
    check_branches(
        reference::random_table(random, 100 + random.below(120), 10, 0.3 + 0.5 * random.density()),
        random.below(6), 20 + random.below(300), false);
  }
}

TEST(branches_refuse_foreign_prefixes) {
  const Table table = reference::table({3, {}});
  const SearchTable search_table(table, 0);
  BranchOptions options;
  options.nodes = 10;
  Budget budget;
  for (const Prefix& prefix : {Prefix{{7}, 7, {}}, Prefix{{1, 0}, 0, {}}, Prefix{{0}, 1, {}},
                               Prefix{{}, -1, std::vector<Index>{9}}}) {
    CHECK_THROWS(mine_branch(search_table, std::span(&prefix, 1), options, budget),
                 std::invalid_argument);
  }
  options.nodes = 1;
  CHECK_THROWS(mine_branch(search_table, {}, options, budget), std::invalid_argument);
}
