#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>

#include "cpp/base/tuning.hpp"
#include "cpp/lattice/assembly.hpp"
#include "cpp/lattice/hash_index.hpp"
#include "cpp/score/extent_scorer.hpp"
#include "cpp/search/intent_faces.hpp"
#include "cpp/table/faces.hpp"

namespace conceptrank {
namespace {

/// The lattice whose concepts a second walk scores, and their scores. Every thread writes the rows
/// of the concepts that it reaches.
class Target {
 public:
  /// If the budget ends first, some concepts are missing.
  Target(const SearchTable& table, const Lattice& lattice, const MiningOptions& options,
         Budget& budget)
      : lattice_(lattice), index_(lattice.size()) {
    for_each_polled(lattice.size(), budget, Until::stopped,
                    [&](std::size_t i) { index_.insert(hash_of(table, lattice.intents[i]), i); });
    if (options.score_extents) {
      scored.extent_scores = FaceScores(options.extent_options.fields, lattice.size());
    }
    if (options.score_intents) {
      scored.intent_scores = FaceScores(options.intent_options.fields, lattice.size());
    }
    if (options.sum_columns) scored.column_sums.resize(lattice.size());
    scored.done.assign(lattice.size(), 0);
  }

  bool complete() const { return lattice_.complete(); }
  /// False when no concept of the lattice has this hash.
  bool may_have(std::uint64_t hash) const { return index_.find(hash) != HashIndex::none; }
  void prefetch(std::uint64_t hash) const { index_.prefetch(hash); }
  /// The number of the concept with this intent, or HashIndex::none.
  std::size_t find(std::uint64_t hash, std::span<const Index> intent) const {
    // A complete lattice has every concept of the table, so half of the hash may suffice.
    if (complete() && index_.unambiguous()) return index_.find(hash);
    return index_.find(
        hash, [&](std::size_t i) { return std::ranges::equal(lattice_.intents[i], intent); });
  }

  Scored scored;
  std::atomic<bool> strange{false};  // the walk reached a concept that a complete lattice lacks

 private:
  static std::uint64_t hash_of(const SearchTable& table, std::span<const Index> intent) {
    std::uint64_t hash = 0;
    for (const Index m : intent) {
      if (table.rank(m) != SearchTable::no_rank) hash ^= table.key(table.rank(m));
    }
    return hash;
  }

  const Lattice& lattice_;
  HashIndex index_;
};

/// What all threads of one mining run share: the frames that wait for a thread, and the totals.
class Crew {
 public:
  explicit Crew(Budget& budget) : budget_(budget) {}

  /// Starts a walk: all threads work, and no frame waits. The totals go on.
  void start(unsigned threads) {
    working_ = threads;
    wanted_ = 0;
  }
  /// True when more threads wait than frames do.
  bool hungry() const { return wanted_.load(std::memory_order_relaxed) > 0; }
  void give(Frame&& frame) {
    const std::scoped_lock guard(lock_);
    frames_.push_back(std::move(frame));
    --wanted_;
    changed_.notify_one();
  }
  /// The next frame to work on; none when all work is done or the budget ended it.
  std::optional<Frame> take(bool entry_thread) {
    std::unique_lock guard(lock_);
    ++wanted_;
    --working_;
    if (working_ == 0 && frames_.empty()) changed_.notify_all();
    while (frames_.empty() && working_ != 0 && !budget_.stopped()) {
      changed_.wait_for(guard, std::chrono::milliseconds(20));
      if (entry_thread) budget_.poll(concepts(), share());
    }
    ++working_;
    if (frames_.empty() || budget_.stopped()) return std::nullopt;
    Frame frame = std::move(frames_.front());
    frames_.pop_front();
    return frame;
  }
  void leave() {
    const std::scoped_lock guard(lock_);
    --working_;
    changed_.notify_all();
  }

  void publish(std::uint64_t concepts, std::uint64_t bytes, double share) {
    bytes_.fetch_add(bytes);
    const std::uint64_t total = concepts_.fetch_add(concepts) + concepts;
    share_.fetch_add(static_cast<std::uint64_t>(share * share_unit));
    if (total > budget_.limits().concepts) budget_.stop(Stop::concepts);
    if (bytes_.load() > budget_.limits().bytes) budget_.stop(Stop::bytes);
  }
  std::uint64_t concepts() const { return concepts_.load(); }
  /// The time that it takes to assemble what was found so far.
  double assembly_seconds() const {
    return static_cast<double>(bytes_.load()) / tuning::assembly_rate;
  }
  double share() const { return static_cast<double>(share_.load()) / share_unit; }

 private:
  static constexpr double share_unit = 0x1p52;

  Budget& budget_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Frame> frames_;
  unsigned working_ = 0;
  std::atomic<int> wanted_{0};
  std::atomic<std::uint64_t> concepts_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> share_{0};
};

class Worker {
 public:
  /// With a target, its concepts are scored; otherwise all concepts are collected.
  Worker(const SearchTable& table, const MiningOptions& options, Crew& crew, Budget& budget,
         unsigned number, Target* target)
      : table_(table),
        options_(options),
        target_(target),
        search_(table, options.covers),
        walk_(search_),
        scorer_(options.extent_options, table.table().n_attributes()),
        intent_scorer_(options.intent_options),
        crew_(crew),
        budget_(budget),
        key_of_all_(table.key_of_all()),
        number_(number) {
    batch_.extent_scores = FaceScores(options.extent_options.fields, 0);
    if (options.constraints != nullptr && target == nullptr) {
      filter_.emplace(table, *options.constraints);
    }
    if (target != nullptr && options.score_intents && !intent_scorer_.counts_multiplicities()) {
      intent_faces_.emplace(table);
    }
    search_.stop_when([this] {
      if (number_ == 0) poll();
      return budget_.stopped();
    });
  }

  /// `share`: how much of all work is below this root.
  void start(Node&& root, double share) {
    Frame& first = walk_.first();
    first.node = std::move(root);
    first.share = share;
    walk_.expand(first, *this);
    if (!table_.is_head()) take(first, nullptr);
    walk_.run(*this);
  }
  void run() {
    while (auto next = crew_.take(number_ == 0)) {
      walk_.first() = std::move(*next);
      if (intent_faces_) intent_faces_->start(0, walk_.first().node);
      walk_.run(*this);
    }
    flush();
    crew_.leave();
  }
  Store take_store() {
    store_.add(batch_);
    return std::move(store_);
  }

  // The visitor of the walk.
  bool goes_on() const { return !budget_.stopped(); }
  void enter(const Node& node) const {
    if (target_ != nullptr) target_->prefetch(node.hash);
  }
  /// Leaves out children that are in no part of the lattice whose concepts are scored, or below
  /// which no concept meets the constraints.
  void prune(Node& node) const {
    if (filter_) filter_->prune(node);
    if (target_ == nullptr || target_->complete()) return;
    for (Branch& branch : node.branches) {
      branch.child = branch.child && target_->may_have(search_.child_hash(node, branch));
    }
  }
  void visit(TreeWalk& walk, const Branch& branch) {
    take(walk.at(walk.depth()), &branch);
    if (crew_.hungry()) share_work();
  }
  void replace(std::size_t depth) {
    std::swap(node_bytes_[depth], node_bytes_[depth + 1]);
    if (intent_faces_) intent_faces_->replace(depth);
  }

 private:
  /// Scores or records an expanded node. `branch` of the frame above leads to it; null for the
  /// root.
  void take(Frame& frame, const Branch* branch) {
    if (budget_.stopped()) {
      // It may not have been expanded to the end.
      frame.children = 0;
      return;
    }
    count_node(frame.node);
    if (target_ != nullptr) {
      score(frame, branch);
    } else if (!filter_ || filter_->counts(frame.node)) {
      record(frame.node);
    } else if (search_.work() - published_work_ > tuning::publish_work) {
      flush();
    }
    share_ += frame.share;
  }

  /// A node keeps its memory for the nodes that take its place.
  void count_node(const Node& node) {
    const std::size_t depth = walk_.depth();
    if (node_bytes_.size() <= depth) node_bytes_.resize(depth + 1, 0);
    // A quick test first, because nearly all nodes are small. Other parts are smaller than these.
    const std::size_t values = node.table.items.values.capacity() +
                               node.table.columns.values.capacity() + node.table.rows.capacity() +
                               node.contained_in.capacity();
    if (sizeof(Word) * (node.table.bundle.capacity() + values) < tuning::large_node / 2) return;
    const std::size_t bytes = node.bytes();
    if (bytes < tuning::large_node || bytes <= node_bytes_[depth]) return;
    bytes_ += bytes - node_bytes_[depth];
    node_bytes_[depth] = bytes;
  }

  /// Scores the concept of a frame of the second walk.
  void score(Frame& frame, const Branch* branch) {
    const Node& node = frame.node;
    const std::size_t i = target_->find(node.hash, node.intent);
    if (i == HashIndex::none || target_->scored.done[i] != 0) {
      // Two intents have equal hashes, or the lattice belongs to another table.
      if (target_->complete()) target_->strange = true;
      frame.children = 0;
      return;
    }
    if (options_.score_intents) {
      if (intent_faces_) {
        intent_faces_->find(walk_, branch, family_);
      } else {
        family_ = intent_faces(table_.table(), node.intent);
      }
      target_->scored.intent_scores.set(i, intent_scorer_.score(family_));
    }
    if (options_.score_extents) {
      target_->scored.extent_scores.set(i, scorer_.score(search_, node));
    }
    if (options_.sum_columns) target_->scored.column_sums[i] = search_.column_sums(node);
    target_->scored.done[i] = 1;
    ++unpublished_;
    if (unpublished_ >= tuning::publish_every) {
      flush();
    } else if (number_ == 0 && unpublished_ % tuning::scored_concepts_per_poll == 0) {
      poll();
    }
  }

  /// Passes half of the children of the first frame that has any to a thread that waits. The nearer
  /// to the root, the larger their subtrees are, and the longer they keep that thread busy.
  void share_work() {
    for (std::size_t d = 0; d <= walk_.depth() && crew_.hungry(); ++d) {
      Frame& frame = walk_.at(d);
      if (frame.children == 0 || frame.node.table.n_columns() < tuning::shared_columns ||
          frame.children * frame.next_child().support < tuning::shared_support) {
        continue;
      }
      crew_.give(frame.split());
    }
  }

  void record(const Node& node) {
    // One thread keeps exactly to the limit, so that what is found does not depend on the clock.
    if (crew_.concepts() + unpublished_ >= budget_.limits().concepts) {
      budget_.stop(Stop::concepts);
      return;
    }
    const std::size_t covers_before = batch_.covers.size();
    if (options_.covers) {
      for (const Branch& branch : node.branches) {
        if (branch.cover && branch.support >= options_.min_support) {
          batch_.covers.push_back(search_.child_hash(node, branch));
        }
      }
    }
    if (options_.covers && options_.min_support == 0 && search_.above_empty_extent(node) &&
        node.support > 0) {
      batch_.covers.push_back(key_of_all_);
    }
    batch_.cover_ends.push_back(static_cast<std::uint32_t>(batch_.covers.size()));
    batch_.supports.push_back(static_cast<Index>(node.support));
    batch_.hashes.push_back(node.hash);
    batch_.intents.insert(batch_.intents.end(), node.intent.begin(), node.intent.end());
    batch_.intent_ends.push_back(static_cast<std::uint32_t>(batch_.intents.size()));
    std::uint64_t delta = 0;
    if (options_.score_extents) {
      const FaceScore score = scorer_.score(search_, node);
      batch_.extent_scores.push_back(score);
      // What the largest lower cover lacks is the smallest face.
      const bool faces = node.intent.size() < search_.n_attributes();
      delta = faces ? static_cast<std::uint64_t>(score.smallest) : node.support;
    } else if (options_.covers) {
      delta = node.support - search_.largest_cover(node);
    }
    if (options_.covers) batch_.deltas.push_back(static_cast<Index>(delta));
    if (options_.sum_columns) batch_.column_sums.push_back(search_.column_sums(node));
    ++unpublished_;
    // Its memory while the lattice is assembled: its arrays in the store and in the lattice,
    // its place in the order, its slot in the index.
    bytes_ += 96 + 2 * sizeof(Index) * node.intent.size() +
              3 * sizeof(Index) * (batch_.covers.size() - covers_before) +
              2 * sizeof(double) * batch_.extent_scores.width() +
              (options_.sum_columns ? 2 * sizeof(ColumnSums) : 0);
    if (batch_.full()) store_.add(batch_);
    if (unpublished_ >= tuning::publish_every || bytes_ > tuning::publish_bytes ||
        search_.work() - published_work_ > tuning::publish_work)
      flush();
  }

  void flush() {
    crew_.publish(unpublished_, bytes_, share_);
    unpublished_ = 0;
    bytes_ = 0;
    share_ = 0;
    published_work_ = search_.work();
    if (number_ == 0) poll();
  }

  void poll() {
    if (target_ == nullptr) budget_.reserve(crew_.assembly_seconds());
    budget_.poll(crew_.concepts() + unpublished_, crew_.share());
  }

  const SearchTable& table_;
  const MiningOptions& options_;
  Target* target_;
  Search search_;
  TreeWalk walk_;
  ExtentScorer scorer_;
  FaceScorer intent_scorer_;
  FaceFamily family_;
  std::optional<IntentFaces> intent_faces_;
  std::optional<Filter> filter_;
  Crew& crew_;
  Budget& budget_;
  std::uint64_t key_of_all_;
  unsigned number_;
  std::vector<std::size_t> node_bytes_;  // of each frame, where that is much
  Batch batch_;
  Store store_;
  std::uint64_t unpublished_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t published_work_ = 0;
  double share_ = 0;
};

/// Walks the tree of a table, which has this share of all work, on `threads` threads and adds what
/// each of them found to `stores`; with a target, scores what it has.
void walk_part(const SearchTable& table, const MiningOptions& options, unsigned threads, Crew& crew,
               double share, Budget& budget, Target* target, std::vector<Store>& stores) {
  crew.start(threads);
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned i = 0; i < threads; ++i) {
    workers.push_back(std::make_unique<Worker>(table, options, crew, budget, i, target));
  }
  Search search(table, options.covers);
  Node root;
  search.make_root(root);
  if (root.support >= options.min_support) {
    std::mutex failure_lock;
    std::exception_ptr failure;
    const auto guarded = [&](const auto& work) {
      try {
        work();
      } catch (...) {
        const std::scoped_lock guard(failure_lock);
        if (!failure) failure = std::current_exception();
        budget.stop(Stop::cancelled);
      }
    };
    {
      std::vector<std::jthread> pool;
      for (unsigned i = 1; i < threads; ++i) {
        pool.emplace_back([&, i] { guarded([&] { workers[i]->run(); }); });
      }
      guarded([&] {
        workers[0]->start(std::move(root), share);
        workers[0]->run();
      });
    }
    if (failure) std::rethrow_exception(failure);
  }
  for (const auto& worker : workers) stores.push_back(worker->take_store());
}

/// A table, and its heads, one split off the other, if only closed sets are wanted.
using SearchTables = std::vector<std::unique_ptr<SearchTable>>;

SearchTables split(const Table& table, const MiningOptions& options, std::uint64_t salt,
                   Budget& budget) {
  SearchTables parts;
  auto part = std::make_unique<SearchTable>(table, options.min_support, salt,
                                            thread_count(options.threads), &budget);
  while (part) {
    parts.push_back(std::move(part));
    if (!options.covers && !budget.stopped()) {
      part = parts.back()->split_head(options.split_rows, options.threads, &budget);
    }
  }
  return parts;
}

/// Walks the whole tree, and returns what was found or scores what a target has.
std::vector<Store> walk_tree(const SearchTables& parts, const MiningOptions& options,
                             unsigned threads, Budget& budget, Target* target = nullptr) {
  Crew crew(budget);
  std::vector<Store> stores;
  const double share = 1 / static_cast<double>(parts.size());
  for (const auto& part : parts) {
    if (budget.stopped()) break;
    walk_part(*part, options, threads, crew, share, budget, target, stores);
  }
  return stores;
}

/// Adds the concept with the empty extent, if there is one.
void add_empty_extent(const SearchTable& search_table, const MiningOptions& options,
                      std::vector<Store>& stores, Budget& budget) {
  const Table& table = search_table.table();
  if (options.min_support > 0 || !table.has_empty_extent()) return;
  std::vector<Index> everything(table.n_attributes());
  std::iota(everything.begin(), everything.end(), Index{0});
  if (options.constraints != nullptr &&
      !Filter(search_table, *options.constraints).counts(everything, 0)) {
    return;
  }
  std::uint64_t found = 0;
  for (const Store& store : stores) {
    for (const Store::Part& part : store.parts()) found += part.size();
  }
  if (found >= budget.limits().concepts) {
    budget.stop(Stop::concepts);
    return;
  }
  Batch batch;
  batch.supports.push_back(0);
  if (options.covers) batch.deltas.push_back(0);
  batch.hashes.push_back(search_table.key_of_all());
  batch.intents.assign(everything.begin(), everything.end());
  batch.intent_ends.push_back(static_cast<std::uint32_t>(table.n_attributes()));
  batch.cover_ends.push_back(0);
  if (options.score_extents) {
    batch.extent_scores = FaceScores(options.extent_options.fields, 0);
    batch.extent_scores.push_back(ExtentScorer(options.extent_options, 0).score_of_nothing());
  }
  if (options.sum_columns) batch.column_sums.push_back(sums_of_nothing(table));
  stores.emplace_back().add(batch);
}

}  // namespace

Mined mine(const Table& table, const MiningOptions& options, Budget& budget) {
  const unsigned threads = thread_count(options.threads);
  for (std::uint64_t salt = 0;; ++salt) {
    const SearchTables parts = split(table, options, salt, budget);
    std::vector<Store> stores;
    if (threads > 1) {
      stores = walk_tree(parts, options, threads, budget);
      if (budget.reason() == Stop::concepts || budget.reason() == Stop::bytes) {
        // With several threads, it is random which concepts are found first; one thread finds them
        // in order.
        stores.clear();
        budget.resume();
        stores = walk_tree(parts, options, 1, budget);
      }
    } else {
      stores = walk_tree(parts, options, 1, budget);
    }
    if (!budget.stopped()) add_empty_extent(*parts.front(), options, stores, budget);
    const bool all = options.constraints == nullptr;
    const Stop reason = all || budget.stopped() ? budget.reason() : Stop::constraints;
    auto mined = assemble(stores, table.n_attributes(), reason, options, budget);
    if (budget.abandoned()) {
      Mined nothing;
      nothing.lattice.stop = Stop::cancelled;
      return nothing;
    }
    if (mined) {
      return std::move(*mined);
    }
  }
}

Scored score_again(const Table& table, const Lattice& lattice, const MiningOptions& wanted,
                   Budget& budget) {
  MiningOptions options = wanted;
  options.min_support = lattice.min_support;
  options.covers = true;
  const SearchTables parts = split(table, options, 0, budget);
  Target target(*parts.front(), lattice, options, budget);
  walk_tree(parts, options, thread_count(options.threads), budget, &target);
  if (target.strange && !budget.stopped())
    throw std::invalid_argument("the lattice does not belong to its context");
  // The concept without objects is no node of the tree.
  const std::size_t bottom = lattice.size() - 1;
  if (lattice.size() != 0 && lattice.supports[bottom] == 0 && table.n_objects() != 0 &&
      target.scored.done[bottom] == 0 && !budget.stopped()) {
    Scored& scored = target.scored;
    if (options.score_extents) {
      scored.extent_scores.set(bottom, ExtentScorer(options.extent_options, 0).score_of_nothing());
    }
    if (options.score_intents) {
      const FaceFamily family = intent_faces(table, lattice.intents[bottom]);
      scored.intent_scores.set(bottom, FaceScorer(options.intent_options).score(family));
    }
    if (options.sum_columns) scored.column_sums[bottom] = sums_of_nothing(table);
    scored.done[bottom] = 1;
  }
  return std::move(target.scored);
}

}  // namespace conceptrank
