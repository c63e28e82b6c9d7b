#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "cpp/lattice/assembly.hpp"
#include "cpp/score/extent_scorer.hpp"

namespace conceptrank {
namespace {

/// A node that was visited, and which of its children are still to be made.
struct Frame {
  Node node;
  std::size_t next = 0;      // the branch to look at next
  std::size_t children = 0;  // from there on
  double part = 0;           // of the whole tree, for each child

  const Branch& next_child() {
    while (!node.branches[next].child) ++next;
    return node.branches[next];
  }

  /// Takes the second half of the children, or the only one.
  Frame split() {
    Frame half = *this;
    children /= 2;
    half.children -= children;
    for (std::size_t k = 0; k < children; ++k) {
      half.next_child();
      ++half.next;
    }
    return half;
  }
};

/// What all threads of one mining run share: the frames that wait for a thread, and the totals.
class Crew {
 public:
  Crew(unsigned threads, Budget& budget) : budget_(budget), working_(threads) {}

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
  double share() const { return static_cast<double>(share_.load()) / share_unit; }

 private:
  static constexpr double share_unit = 0x1p52;

  Budget& budget_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Frame> frames_;
  unsigned working_;
  std::atomic<int> wanted_{0};
  std::atomic<std::uint64_t> concepts_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> share_{0};
};

class Worker {
 public:
  Worker(const SearchTable& table, const MiningOptions& options, Crew& crew, Budget& budget,
         unsigned number)
      : options_(options),
        search_(table, options.covers),
        scorer_(options.extent_options, table.table().n_attributes()),
        crew_(crew),
        budget_(budget),
        key_of_all_(table.key_of_all()),
        number_(number) {
    batch_.extent_scores = FaceScores(options.extent_options.fields, 0);
  }

  void start(Node&& root) {
    frame_at(0).node = std::move(root);
    visit(0, 1.0);
    walk();
  }
  void run() {
    while (auto next = crew_.take(number_ == 0)) {
      frame_at(0) = std::move(*next);
      walk();
    }
    flush();
    crew_.leave();
  }
  Store take_store() {
    store_.add(batch_);
    return std::move(store_);
  }

 private:
  // Smaller subtrees are not worth handing to another thread.
  static constexpr std::size_t shared_columns = 8;
  static constexpr std::uint64_t shared_support = 16;
  static constexpr std::uint64_t publish_every = 128;

  Frame& frame_at(std::size_t depth) {
    while (frames_.size() <= depth) frames_.push_back(std::make_unique<Frame>());
    return *frames_[depth];
  }

  /// Visits the subtrees of the first frame's children.
  void walk() {
    std::size_t depth = 0;
    while (!budget_.stopped()) {
      Frame& frame = *frames_[depth];
      if (frame.children == 0) {
        if (depth == 0) return;
        --depth;
        continue;
      }
      const double part = frame.part;
      make_next(frame, frame_at(depth + 1).node);
      if (frame.children == 0) {
        // The last child takes its parent's place: a chain of any length needs two nodes.
        std::swap(frames_[depth], frames_[depth + 1]);
      } else {
        ++depth;
      }
      visit(depth, part);
      if (crew_.hungry()) share_work(depth);
    }
  }

  /// `share` is the node's part of the whole tree, guessed by splitting each node's part evenly
  /// among its children.
  void visit(std::size_t depth, double share) {
    Frame& frame = *frames_[depth];
    search_.expand(frame.node);
    record(frame.node);
    frame.next = 0;
    frame.children = 0;
    for (const Branch& branch : frame.node.branches) frame.children += branch.child ? 1 : 0;
    frame.part = share / static_cast<double>(frame.children + 1);
    share_ += frame.part;
  }

  void make_next(Frame& frame, Node& child) {
    search_.make_child(frame.node, frame.next_child(), child);
    ++frame.next;
    --frame.children;
  }

  /// Hands over half of the children of the first frame that has some: the nearer to the root, the
  /// larger their subtrees, and the longer they last.
  void share_work(std::size_t depth) {
    for (std::size_t d = 0; d <= depth && crew_.hungry(); ++d) {
      Frame& frame = *frames_[d];
      if (frame.children == 0 || frame.node.n_columns() < shared_columns ||
          frame.children * frame.next_child().support < shared_support) {
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
    // What the finished lattice will need for it.
    bytes_ +=
        32 + sizeof(Index) * (node.intent.size() + 2 * (batch_.covers.size() - covers_before));
    if (batch_.full()) store_.add(batch_);
    if (unpublished_ >= publish_every) flush();
  }

  void flush() {
    crew_.publish(unpublished_, bytes_, share_);
    unpublished_ = 0;
    bytes_ = 0;
    share_ = 0;
    if (number_ == 0) budget_.poll(crew_.concepts(), crew_.share());
  }

  const MiningOptions& options_;
  Search search_;
  ExtentScorer scorer_;
  Crew& crew_;
  Budget& budget_;
  std::uint64_t key_of_all_;
  unsigned number_;
  std::vector<std::unique_ptr<Frame>> frames_;
  Batch batch_;
  Store store_;
  std::uint64_t unpublished_ = 0;
  std::uint64_t bytes_ = 0;
  double share_ = 0;
};

/// Walks the whole tree on `threads` threads and returns what each of them found.
std::vector<Store> walk_tree(const SearchTable& table, const MiningOptions& options,
                             unsigned threads, Budget& budget) {
  Crew crew(threads, budget);
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned i = 0; i < threads; ++i) {
    workers.push_back(std::make_unique<Worker>(table, options, crew, budget, i));
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
        workers[0]->start(std::move(root));
        workers[0]->run();
      });
    }
    if (failure) std::rethrow_exception(failure);
  }
  std::vector<Store> stores;
  for (const auto& worker : workers) stores.push_back(worker->take_store());
  return stores;
}

/// The concept with the empty extent is in no node's table: it is added when no object has all
/// attributes.
void add_empty_extent(const Table& table, const MiningOptions& options, std::uint64_t hash,
                      std::vector<Store>& stores, Budget& budget) {
  if (options.min_support > 0 || table.n_objects() == 0) return;
  for (std::size_t r = 0; r < table.n_rows(); ++r) {
    if (table.row(r).size() == table.n_attributes()) return;
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
  batch.hashes.push_back(hash);
  for (std::size_t m = 0; m < table.n_attributes(); ++m) {
    batch.intents.push_back(static_cast<Index>(m));
  }
  batch.intent_ends.push_back(static_cast<std::uint32_t>(table.n_attributes()));
  batch.cover_ends.push_back(0);
  if (options.score_extents) {
    batch.extent_scores = FaceScores(options.extent_options.fields, 0);
    batch.extent_scores.push_back(ExtentScorer(options.extent_options, 0).score_of_nothing());
  }
  if (options.sum_columns) {
    std::vector<Word> scratch;
    ColumnSums sums;
    sums.unions = static_cast<double>(union_support(table, batch.intents, scratch));
    batch.column_sums.push_back(sums);
  }
  stores.emplace_back().add(batch);
}

}  // namespace

Mined mine(const Table& table, const MiningOptions& options, Budget& budget) {
  const unsigned threads = thread_count(options.threads);
  for (std::uint64_t salt = 0;; ++salt) {
    const SearchTable search_table(table, options.min_support, salt);
    std::vector<Store> stores;
    if (threads > 1) {
      stores = walk_tree(search_table, options, threads, budget);
      if (budget.reason() == Stop::concepts || budget.reason() == Stop::bytes) {
        // Which concepts several threads find first is chance: one thread finds them in order.
        stores.clear();
        budget.resume();
        stores = walk_tree(search_table, options, 1, budget);
      }
    } else {
      stores = walk_tree(search_table, options, 1, budget);
    }
    if (budget.abandoned()) {
      Mined nothing;
      nothing.lattice.stop = Stop::cancelled;
      return nothing;
    }
    if (!budget.stopped()) {
      add_empty_extent(table, options, search_table.key_of_all(), stores, budget);
    }
    const Stop reason = budget.reason();
    if (auto mined = assemble(stores, table.n_attributes(), reason == Stop::none, options)) {
      mined->lattice.stop = reason;
      return std::move(*mined);
    }
  }
}

}  // namespace conceptrank
