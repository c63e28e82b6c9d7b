#include "cpp/lattice/branch.hpp"

#include <algorithm>
#include <stdexcept>

#include "cpp/score/extent_scorer.hpp"

namespace conceptrank {
namespace {

constexpr std::uint64_t nodes_per_poll = 64;

class BranchWalk {
 public:
  BranchWalk(const SearchTable& table, const BranchOptions& options, Budget& budget)
      : table_(table),
        options_(options),
        budget_(budget),
        search_(table),
        near_rows_(table),
        intent_scorer_(options.intent_options),
        extent_scorer_(options.extent_options, table.table().n_attributes()) {
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

 private:
  struct Frame {
    Node node;
    std::size_t next = 0;  // the branch to follow next
    bool inner = false;    // whether there is one
  };

  const Table& table() const { return table_.table(); }
  std::size_t visited() const { return mined_.supports.size(); }
  bool exhausted() const { return visited() >= options_.nodes || budget_.stopped(); }

  Frame& at(std::size_t depth) {
    while (frames_.size() <= depth) frames_.push_back(std::make_unique<Frame>());
    return *frames_[depth];
  }

  void check(const Prefix& prefix) const {
    const auto known = [&](Index m) { return table_.rank(m) != SearchTable::no_rank; };
    const auto ascending = std::ranges::adjacent_find(prefix.intent, std::ranges::greater_equal{});
    const bool generated =
        prefix.last < 0 || std::ranges::binary_search(prefix.intent, prefix.last);
    if (!std::ranges::all_of(prefix.intent, known) || ascending != prefix.intent.end() ||
        !std::ranges::all_of(prefix.children, known) || !generated) {
      throw std::invalid_argument("not a part of the search tree of this table");
    }
  }

  void mine(const Prefix& prefix) {
    Frame& first = at(0);
    const bool root = prefix.last < 0;
    const std::int64_t last =
        root ? -1 : std::int64_t{table_.rank(static_cast<std::size_t>(prefix.last))};
    search_.make_node(prefix.intent, last, first.node);
    if (first.node.intent != prefix.intent && !root) {
      throw std::invalid_argument("not a part of the search tree of this table");
    }
    if (first.node.support < std::max(table_.min_support(), options_.worth)) {
      if (prefix.whole && first.node.support >= table_.min_support()) ++mined_.left_out;
      return;
    }
    expand(first, prefix.whole ? nullptr : &prefix.children);
    if (options_.score_intents && !options_.multiplicities) {
      near_rows_.start(0, first.node);
    }
    if (prefix.whole) {
      if (options_.score_intents) {
        if (options_.multiplicities) {
          family_ = intent_faces(table(), first.node.intent);
        } else {
          near_rows_.faces(0, first.node, family_);
        }
      }
      record(first.node);
      if (root) record_empty_extent();
    }
    walk();
  }

  /// Visits everything below the first frame, as far as the budget goes.
  void walk() {
    std::size_t depth = 0;
    while (true) {
      Frame& frame = at(depth);
      const auto& branches = frame.node.branches;
      while (frame.next < branches.size() && !branches[frame.next].child) ++frame.next;
      if (frame.next == branches.size()) {
        if (depth == 0) return;
        --depth;
        continue;
      }
      if (exhausted()) {
        leave(depth);
        return;
      }
      const Branch& branch = branches[frame.next++];
      Frame& below = at(depth + 1);
      search_.make_child(frame.node, branch, below.node);
      expand(below, nullptr);
      if (options_.score_intents) find_intent_faces(depth, branch);
      record(below.node);
      if (below.inner) ++depth;
    }
  }

  /// Fills a frame's branches: those of the given children if there are some, and all otherwise.
  void expand(Frame& frame, const std::vector<Index>* children) {
    search_.expand(frame.node);
    frame.next = 0;
    frame.inner = false;
    for (Branch& branch : frame.node.branches) {
      if (!branch.child) continue;
      if (children != nullptr) {
        const Index attribute = table_.attribute(frame.node.ranks[branch.column]);
        branch.child = std::ranges::find(*children, attribute) != children->end();
      }
      if (branch.child && branch.support < options_.worth) {
        branch.child = false;
        ++mined_.left_out;
      }
      frame.inner = frame.inner || branch.child;
    }
  }

  void find_intent_faces(std::size_t depth, const Branch& branch) {
    const Node& parent = at(depth).node;
    const Frame& below = at(depth + 1);
    if (options_.multiplicities) {
      family_ = intent_faces(table(), below.node.intent);
    } else if (below.inner) {
      near_rows_.descend(depth + 1, parent, branch, below.node);
      near_rows_.faces(depth + 1, below.node, family_);
    } else {
      near_rows_.leaf_faces(depth, parent, branch, below.node, family_);
    }
  }

  /// Takes down what is left of the frames, the deepest first.
  void leave(std::size_t depth) {
    for (std::size_t d = depth + 1; d-- > 0;) {
      const Frame& frame = at(d);
      Prefix prefix;
      prefix.whole = false;
      for (std::size_t b = frame.next; b < frame.node.branches.size(); ++b) {
        const Branch& branch = frame.node.branches[b];
        if (branch.child) {
          prefix.children.push_back(table_.attribute(frame.node.ranks[branch.column]));
        }
      }
      if (prefix.children.empty()) continue;
      prefix.intent = frame.node.intent;
      prefix.last = frame.node.last < 0 ? -1
                                        : static_cast<std::int64_t>(table_.attribute(
                                              static_cast<std::size_t>(frame.node.last)));
      mined_.left.push_back(std::move(prefix));
    }
  }

  void record(const Node& node) {
    mined_.intents.push_back(node.intent);
    mined_.supports.push_back(static_cast<Index>(node.support));
    mined_.deltas.push_back(static_cast<Index>(node.support - search_.largest_cover(node)));
    if (options_.score_intents) mined_.intent_scores.push_back(intent_scorer_.score(family_));
    if (options_.score_extents) {
      mined_.extent_scores.push_back(extent_scorer_.score(search_, node));
    }
    if (options_.sum_columns) mined_.column_sums.push_back(search_.column_sums(node));
    if (visited() % nodes_per_poll == 0) {
      budget_.poll(visited(), static_cast<double>(visited()) / static_cast<double>(options_.nodes));
    }
  }

  /// The concept of all attributes is in no node's table when no object has them all.
  void record_empty_extent() {
    if (table_.min_support() > 0 || options_.worth > 0 || table().n_objects() == 0) return;
    for (std::size_t r = 0; r < table().n_rows(); ++r) {
      if (table().row(r).size() == table().n_attributes()) return;
    }
    std::vector<Index> all(table().n_attributes());
    for (std::size_t m = 0; m < all.size(); ++m) all[m] = static_cast<Index>(m);
    mined_.intents.push_back(all);
    mined_.supports.push_back(0);
    mined_.deltas.push_back(0);
    if (options_.score_intents) {
      mined_.intent_scores.push_back(intent_scorer_.score(intent_faces(table(), all)));
    }
    if (options_.score_extents) {
      mined_.extent_scores.push_back(extent_scorer_.score_of_nothing());
    }
    if (options_.sum_columns) {
      std::vector<Word> scratch;
      ColumnSums sums;
      sums.unions = static_cast<double>(union_support(table(), all, scratch));
      mined_.column_sums.push_back(sums);
    }
  }

  const SearchTable& table_;
  const BranchOptions& options_;
  Budget& budget_;
  Search search_;
  IntentFaces near_rows_;
  FaceScorer intent_scorer_;
  ExtentScorer extent_scorer_;
  FaceFamily family_;
  std::vector<std::unique_ptr<Frame>> frames_;
  MinedBranch mined_;
};

}  // namespace

MinedBranch mine_branch(const SearchTable& table, std::span<const Prefix> prefixes,
                        const BranchOptions& options, Budget& budget) {
  if (options.nodes < 2) throw std::invalid_argument("a budget of at least 2 nodes is needed");
  return BranchWalk(table, options, budget).run(prefixes);
}

}  // namespace conceptrank
