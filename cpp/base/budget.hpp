// Budget: the limits of a long call and the way to stop it. One budget serves one call and all its
// threads. Worker threads only read a flag. The calling thread watches the clock, checks for
// cancellation and reports progress.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <string_view>

#include "cpp/base/tuning.hpp"
#include "cpp/base/words.hpp"

namespace conceptrank {

/// Why a call ended. `constraints`: it was not ended, but the caller asked for some concepts only.
enum class Stop : int { none, concepts, bytes, seconds, cancelled, constraints };

inline constexpr std::string_view stop_names[] = {"",        "concepts",  "bytes",
                                                  "seconds", "cancelled", "constraints"};

/// What ends a loop. `stopped`: any reason. `abandoned`: only a caller that no longer needs the
/// result.
enum class Until { stopped, abandoned };

struct Limits {
  std::uint64_t concepts = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

class Budget {
 public:
  /// Progress of a call: units done so far, and the share of the whole (0 to 1).
  using Progress = std::function<void(std::uint64_t done, double share)>;
  /// True when the caller wants the call to end. Called on the calling thread only.
  using Cancelled = std::function<bool()>;

  explicit Budget(Limits limits = {}, Cancelled cancelled = {}, Progress progress = {});
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  const Limits& limits() const { return limits_; }

  /// Makes every thread of the call stop. The first reason is kept.
  void stop(Stop reason);
  bool stopped() const { return reason_.load(std::memory_order_relaxed) != Stop::none; }
  /// Stops the call for good. Its result will not be used, so it need not be completed.
  void abandon() {
    abandoned_ = true;
    stop(Stop::cancelled);
  }
  bool abandoned() const { return abandoned_.load(std::memory_order_relaxed); }
  /// Forgets the reason, for a second attempt under the same limits.
  void resume() { reason_ = Stop::none; }
  Stop reason() const { return reason_.load(); }
  /// Whether a loop has to end.
  bool ended(Until until) const { return until == Until::stopped ? stopped() : abandoned(); }

  /// The calling thread may call this at any rate. Every 50 ms it checks the clock, calls
  /// `cancelled` and reports the largest `done` and `share` so far.
  void poll(std::uint64_t done, double share);
  /// Makes every poll count, for tests.
  void poll_always() { interval_ = {}; }
  /// Reserves seconds for the work after the search: the search ends earlier by that time.
  void reserve(double seconds) { reserved_ = seconds; }

 private:
  using Clock = std::chrono::steady_clock;
  Limits limits_;
  Cancelled cancelled_;
  Progress progress_;
  std::chrono::milliseconds interval_{50};
  Clock::time_point start_;
  Clock::time_point next_;
  std::uint64_t done_ = 0;
  double share_ = 0;
  double reserved_ = 0;
  std::atomic<Stop> reason_{Stop::none};
  std::atomic<bool> abandoned_{false};
};

/// The number of threads to start for `threads`; 0 means one per processor. More than a few per
/// processor only cost memory, so the number is limited.
unsigned thread_count(unsigned threads);

/// Calls `work(i)` for 0 <= i < n on the calling thread, and polls the budget between blocks of
/// tuning::steps_per_poll calls. False if the budget has ended.
template <class Work>
bool for_each_polled(std::size_t n, Budget& budget, Until until, const Work& work) {
  for (std::size_t begin = 0; begin < n && !budget.ended(until);) {
    const std::size_t end = std::min(n, begin + tuning::steps_per_poll);
    for (; begin < end; ++begin) work(begin);
    if (begin < n) budget.poll(0, 0);
  }
  return !budget.ended(until);
}

/// Runs `work(begin, end, worker)` over [0, n) in blocks on `threads` threads, the calling one
/// among them, until the budget ends it. Exceptions of a worker reach the caller.
void parallel_blocks(std::size_t n, std::size_t block, unsigned threads, Budget& budget,
                     const std::function<void(std::size_t, std::size_t, unsigned)>& work,
                     Until until = Until::stopped);

}  // namespace conceptrank
