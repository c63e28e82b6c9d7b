// What large sparse tables do, in small ones. Search whose tables store their columns as lists: the
// same concepts, covers and faces as by definition. Closed sets of tables whose most frequent
// attributes are split off.
#include <algorithm>
#include <map>

#include "cpp/search/search.hpp"
#include "lattices.hpp"

using namespace conceptrank;
using reference::Random;

namespace {

/// Compares every node of the tree with the concepts of a context.
class Comparison {
 public:
  Comparison(const reference::Context& context, std::uint64_t min_support, bool covers)
      : context_(context),
        lattice_(context, min_support),
        table_(reference::table(context)),
        search_table_(table_, min_support),
        search_(search_table_, covers, Search::Columns::lists),
        covers_(covers) {
    for (std::size_t i = 0; i < lattice_.concepts.size(); ++i) {
      numbers_[lattice_.concepts[i].intent.members()] = i;
    }
  }

  void run() {
    Node root;
    search_.make_root(root);
    visit(root);
    // The search does not visit a concept without objects.
    std::size_t with_objects = 0;
    for (const auto& one : lattice_.concepts) with_objects += one.extent.empty() ? 0 : 1;
    CHECK_EQUAL(visited_, with_objects);
  }
  std::size_t listed() const { return listed_; }

 private:
  void visit(Node& node) {
    ++visited_;
    listed_ += node.table.listed() ? 1 : 0;
    search_.expand(node);
    const auto found = numbers_.find(node.intent);
    CHECK(found != numbers_.end());
    if (found == numbers_.end()) return;
    CHECK_EQUAL(node.support, lattice_.concepts[found->second].extent.size());
    if (covers_) check_covers(node, found->second);
    for (const Branch& branch : node.branches) {
      if (!branch.child) continue;
      Node child;
      search_.make_child(node, branch, child);
      visit(child);
    }
  }

  void check_covers(const Node& node, std::size_t number) {
    std::vector<Index> lower;
    for (const Branch& branch : node.branches) {
      if (!branch.cover || branch.support < search_table_.min_support()) continue;
      std::vector<Index> intent = node.intent;
      for (std::uint32_t i = branch.begin; i < branch.end; ++i) {
        intent.push_back(search_table_.attribute(node.table.ranks[node.contained_in[i]]));
      }
      std::ranges::sort(intent);
      lower.push_back(static_cast<Index>(numbers_.at(intent)));
    }
    std::ranges::sort(lower);
    std::vector<Index> expected = lattice_.lower[number];
    std::erase_if(expected, [&](Index i) { return lattice_.concepts[i].extent.empty(); });
    CHECK_EQUAL(lower, expected);
    CHECK_EQUAL(node.support - search_.largest_cover(node), lattice_.deltas[number]);
    constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    FaceFamily family;
    CHECK(search_.extent_faces(node, all, {all, all}, family));
    family.keep_minimal();
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < family.size(); ++i) sizes.push_back(family.weigh(family.face(i)));
    std::vector<std::size_t> expected_sizes;
    for (const auto& face : reference::extent_faces(context_, lattice_.concepts[number])) {
      expected_sizes.push_back(face.size());
    }
    std::ranges::sort(sizes);
    std::ranges::sort(expected_sizes);
    CHECK_EQUAL(sizes, expected_sizes);
  }

  const reference::Context& context_;
  reference::ExpectedLattice lattice_;
  Table table_;
  SearchTable search_table_;
  Search search_;
  bool covers_;
  std::map<std::vector<Index>, std::size_t> numbers_;
  std::size_t visited_ = 0;
  std::size_t listed_ = 0;
};

}  // namespace

TEST(search_with_listed_columns_finds_concepts_covers_and_faces) {
  Random random(20261116);
  std::size_t listed = 0;
  for (std::size_t k = 0; k < harness::cases(150); ++k) {
    const auto context = reference::random_table(random, 80 + random.below(170),
                                                 8 + random.below(5), 0.1 + 0.05 * (k % 8));
    const harness::Case which([&] { return describe(context); });
    for (const bool covers : {false, true}) {
      Comparison comparison(context, random.below(3) == 0 ? 1 : 1 + random.below(30), covers);
      comparison.run();
      listed += comparison.listed();
    }
  }
  CHECK(listed > 0);
}

TEST(closed_sets_of_split_tables_are_those_of_the_definition) {
  Random random(20261118);
  std::size_t split = 0;
  for (std::size_t k = 0; k < harness::cases(150); ++k) {
    const auto context = reference::random_table(random, 100 + random.below(150),
                                                 16 + random.below(30), 0.01 * (1 + k % 6));
    const harness::Case which([&] { return describe(context); });
    const std::uint64_t min_support = random.below(3) == 0 ? 0 : 1 + random.below(6);
    const Table table = reference::table(context);
    const auto head = SearchTable(table, min_support).split_head(0);
    split += head ? 1 : 0;
    for (const unsigned threads : {2u, 3u}) {
      const auto same = SearchTable(table, min_support).split_head(0, threads);
      CHECK_EQUAL(same != nullptr, head != nullptr);
      if (!same || !head) continue;
      CHECK(std::ranges::equal(same->rows().offsets, head->rows().offsets));
      CHECK(std::ranges::equal(same->rows().values, head->rows().values));
      CHECK(std::ranges::equal(same->table().weights(), head->table().weights()));
    }
    const reference::ExpectedLattice expected(context, min_support);
    for (const unsigned threads : {1u, 2u}) {
      MiningOptions options = reference::on_threads(threads, min_support);
      options.covers = false;
      options.split_rows = 0;
      Budget budget;
      const Lattice found = mine(table, options, budget).lattice;
      CHECK_EQUAL(found.size(), expected.concepts.size());
      if (found.size() != expected.concepts.size()) continue;
      for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK_EQUAL(found.supports[i], expected.concepts[i].extent.size());
        CHECK_EQUAL(reference::list(found.intents, i), expected.concepts[i].intent.members());
      }
    }
  }
  CHECK(split > harness::cases(150) / 8);
}
