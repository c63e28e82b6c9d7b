// Covers from the table alone, compared with the definition: no concept is strictly between.
#include <limits>
#include <set>

#include "cpp/table/covers.hpp"
#include "lattices.hpp"

using namespace conceptrank;
using reference::Context;
using reference::Random;

namespace {

constexpr auto all = std::numeric_limits<std::uint64_t>::max();

void check_covers(const Context& context, std::uint64_t below, unsigned threads) {
  const harness::Case which([&] { return describe(context); });
  const Table table = reference::table(context);
  const reference::ExpectedLattice expected(context);
  Lists intents;
  for (const auto& one : expected.concepts) intents.push_back(one.intent.members());
  for (const Direction direction : {Direction::upper, Direction::lower}) {
    Budget budget;
    const Covers found = covers(table, intents, direction, below, threads, budget);
    CHECK_EQUAL(found.offsets.size(), intents.size() + 1);
    for (std::size_t i = 0; i < intents.size(); ++i) {
      std::set<std::vector<Index>> wanted;
      for (const Index k : (direction == Direction::upper ? expected.upper : expected.lower)[i]) {
        if (expected.concepts[k].extent.size() < below) {
          wanted.insert(expected.concepts[k].intent.members());
        }
      }
      std::set<std::vector<Index>> listed;
      for (std::uint64_t k = found.offsets[i]; k < found.offsets[i + 1]; ++k) {
        listed.insert(reference::list(found.intents, k));
      }
      CHECK_EQUAL(found.offsets[i + 1] - found.offsets[i], wanted.size());
      CHECK(listed == wanted);
    }
  }
}

}  // namespace

TEST(covers_are_the_nearest_concepts) {
  Random random(71);
  for (std::size_t i = 0; i < harness::cases(400); ++i) {
    const Context context = reference::random_context(random, 9, 8);
    check_covers(context, all, 1 + static_cast<unsigned>(i % 2));
    check_covers(context, random.below(6), 1);
  }
}

TEST(covers_of_long_and_wide_tables) {
  Random random(72);
  for (const auto& [n, q] : {std::pair<std::size_t, std::size_t>{70, 5}, {5, 70}, {130, 6}}) {
    check_covers(reference::random_table(random, n, q, 0.5), all, 2);
  }
}
