#include "cpp/lattice/branch.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "cpp/base/tuning.hpp"
#include "cpp/score/extent_scorer.hpp"
#include "cpp/search/intent_faces.hpp"

namespace conceptrank {
namespace {

class BranchWalk {
 public:
  BranchWalk(const SearchTable& table, const BranchOptions& options, Budget& budget)
      : table_(table),
        options_(options),
        budget_(budget),
        search_(table),
        walk_(search_),
        intent_scorer_(options.intent_options),
        extent_scorer_(options.extent_options, table.table().n_attributes()) {
    if (options.constraints != nullptr) filter_.emplace(table, *options.constraints);
    if (options.score_intents && !intent_scorer_.counts_multiplicities()) {
      faces_on_path_.emplace(table);
    }
    if (options.score_intents) mined_.intent_scores = FaceScores(options.intent_options.fields, 0);
    if (options.score_extents) mined_.extent_scores = FaceScores(options.extent_options.fields, 0);
  }

  MinedBranch run(std::span<const Prefix> prefixes) {
    for (const Prefix& prefix : prefixes) check(prefix);
    for (const Prefix& prefix : prefixes) {
      if (exhausted()) {
        mined_.left.push_back(prefix);
      } else {
        mine(prefix);
      }
    }
    return std::move(mined_);
  }

  // The visitor of the walk.
  bool goes_on() const { return !exhausted(); }
  void enter(const Node&) const {}
  /// Leaves out children that can't meet the constraints, or that a partial prefix does not list.
  void prune(Node& node) {
    if (filter_) filter_->prune(node);
    if (!chosen_children_) return;
    for (Branch& branch : node.branches) {
      if (!branch.child) continue;
      const Index attribute = table_.attribute(node.table.ranks[branch.column]);
      branch.child = std::ranges::find(*chosen_children_, attribute) != chosen_children_->end();
    }
  }
  void visit(TreeWalk& walk, const Branch& branch) {
    const Node& node = walk.at(walk.depth()).node;
    find_intent_faces(node, &branch);
    record(node);
  }
  void replace(std::size_t depth) {
    if (faces_on_path_) faces_on_path_->replace(depth);
  }

 private:
  const Table& table() const { return table_.table(); }
  std::uint64_t visited() const { return mined_.visited; }
  bool exhausted() const { return visited() >= options_.nodes || budget_.stopped(); }

  void check(const Prefix& prefix) const {
    const auto known = [&](Index m) { return table_.rank(m) != SearchTable::no_rank; };
    const auto ascending = std::ranges::adjacent_find(prefix.intent, std::ranges::greater_equal{});
    const bool generated =
        prefix.last < 0 || std::ranges::binary_search(prefix.intent, prefix.last);
    if (!std::ranges::all_of(prefix.intent, known) || ascending != prefix.intent.end() ||
        (prefix.children && !std::ranges::all_of(*prefix.children, known)) || !generated) {
      throw std::invalid_argument("not a part of the search tree of this table");
    }
  }

  void mine(const Prefix& prefix) {
    Frame& first = walk_.first();
    const bool root = prefix.last < 0;
    const std::int64_t last =
        root ? -1 : std::int64_t{table_.rank(static_cast<std::size_t>(prefix.last))};
    search_.make_node(prefix.intent, last, first.node);
    if (first.node.intent != prefix.intent && !root) {
      throw std::invalid_argument("not a part of the search tree of this table");
    }
    if (first.node.support < table_.min_support()) return;
    chosen_children_ = prefix.children;
    walk_.expand(first, *this);
    chosen_children_.reset();
    if (!prefix.children) {
      find_intent_faces(first.node, nullptr);
      record(first.node);
      if (root) record_empty_extent();
    } else if (faces_on_path_) {
      faces_on_path_->start(0, first.node);
    }
    if (!walk_.run(*this)) list_rest();
  }

  /// family_ := the intent faces of the current node, if they are to be scored. `branch` of its
  /// parent leads to it; null for the first node of a walk.
  void find_intent_faces(const Node& node, const Branch* branch) {
    if (!options_.score_intents) return;
    if (faces_on_path_) {
      faces_on_path_->find(walk_, branch, family_);
    } else {
      family_ = intent_faces(table(), node.intent);
    }
  }

  /// Lists what is left of the frames on the path, the deepest first.
  void list_rest() {
    for (std::size_t d = walk_.depth() + 1; d-- > 0;) {
      Frame& frame = walk_.at(d);
      if (frame.children == 0) continue;
      const Node& node = frame.node;
      std::vector<Index> children;
      for (std::size_t b = frame.next; b < node.branches.size(); ++b) {
        const Branch& branch = node.branches[b];
        if (branch.child) children.push_back(table_.attribute(node.table.ranks[branch.column]));
      }
      const std::int64_t last =
          node.last < 0 ? -1 : std::int64_t{table_.attribute(static_cast<std::size_t>(node.last))};
      mined_.left.push_back({node.intent, last, std::move(children)});
    }
  }

  void record(const Node& node) {
    ++mined_.visited;
    if (visited() % tuning::branch_nodes_per_poll == 0) {
      budget_.poll(visited(), static_cast<double>(visited()) / static_cast<double>(options_.nodes));
    }
    if (filter_ && !filter_->counts(node.intent, node.support)) return;
    mined_.intents.push_back(node.intent);
    mined_.supports.push_back(static_cast<Index>(node.support));
    mined_.deltas.push_back(static_cast<Index>(node.support - search_.largest_cover(node)));
    if (options_.score_intents) mined_.intent_scores.push_back(intent_scorer_.score(family_));
    if (options_.score_extents) {
      mined_.extent_scores.push_back(extent_scorer_.score(search_, node));
    }
    if (options_.sum_columns) mined_.column_sums.push_back(search_.column_sums(node));
  }

  /// Records the concept with the empty extent, if there is one.
  void record_empty_extent() {
    if (table_.min_support() > 0 || !table().has_empty_extent()) return;
    std::vector<Index> all(table().n_attributes());
    std::iota(all.begin(), all.end(), Index{0});
    ++mined_.visited;
    if (filter_ && !filter_->counts(all, 0)) return;
    mined_.intents.push_back(all);
    mined_.supports.push_back(0);
    mined_.deltas.push_back(0);
    if (options_.score_intents) {
      mined_.intent_scores.push_back(intent_scorer_.score(intent_faces(table(), all)));
    }
    if (options_.score_extents) {
      mined_.extent_scores.push_back(extent_scorer_.score_of_nothing());
    }
    if (options_.sum_columns) mined_.column_sums.push_back(sums_of_nothing(table()));
  }

  const SearchTable& table_;
  const BranchOptions& options_;
  Budget& budget_;
  Search search_;
  TreeWalk walk_;
  std::optional<IntentFaces> faces_on_path_;  // unless multiplicities are needed as well
  FaceScorer intent_scorer_;
  ExtentScorer extent_scorer_;
  FaceFamily family_;
  std::optional<std::vector<Index>> chosen_children_;  // of a partial prefix
  std::optional<Filter> filter_;
  MinedBranch mined_;
};

}  // namespace

MinedBranch mine_branch(const SearchTable& table, std::span<const Prefix> prefixes,
                        const BranchOptions& options, Budget& budget) {
  if (options.nodes < 2) throw std::invalid_argument("a budget of at least 2 nodes is needed");
  return BranchWalk(table, options, budget).run(prefixes);
}

}  // namespace conceptrank
