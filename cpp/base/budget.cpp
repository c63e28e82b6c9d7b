#include "cpp/base/budget.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

namespace conceptrank {

Budget::Budget(Limits limits, Cancelled cancelled, Progress progress)
    : limits_(limits),
      cancelled_(std::move(cancelled)),
      progress_(std::move(progress)),
      start_(Clock::now()),
      next_(start_) {}

void Budget::stop(Stop reason) {
  Stop none = Stop::none;
  reason_.compare_exchange_strong(none, reason);
}

void Budget::poll(std::uint64_t done, double share) {
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + interval_;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  if (elapsed + reserved_ >= limits_.seconds) stop(Stop::seconds);
  if (cancelled_ && cancelled_()) stop(Stop::cancelled);
  // A later stage counts from 0 again, but reported progress never goes back.
  done_ = std::max(done_, done);
  share_ = std::max(share_, std::clamp(share, 0.0, 1.0));
  if (progress_) progress_(done_, share_);
}

unsigned thread_count(unsigned threads) {
  constexpr unsigned most = 64;
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  return threads != 0 ? std::min(threads, std::max(most, 4 * processors)) : processors;
}

void parallel_blocks(std::size_t n, std::size_t block, unsigned threads, Budget& budget,
                     const std::function<void(std::size_t, std::size_t, unsigned)>& work,
                     Until until) {
  std::atomic<std::size_t> next{0};
  std::mutex failure_lock;
  std::exception_ptr failure;
  std::atomic<unsigned> running{0};
  const auto poll = [&](std::size_t done) {
    // Stages that limits don't end are not part of the caller's progress.
    const double share = static_cast<double>(done) / static_cast<double>(n);
    until == Until::stopped ? budget.poll(done, share) : budget.poll(0, 0);
  };
  const auto run = [&](unsigned worker) {
    try {
      while (!budget.ended(until)) {
        const std::size_t begin = next.fetch_add(block);
        if (begin >= n) break;
        work(begin, std::min(n, begin + block), worker);
        if (worker == 0) poll(begin);
      }
    } catch (...) {
      const std::scoped_lock guard(failure_lock);
      if (!failure) failure = std::current_exception();
      next = n;
    }
    --running;
  };
  const std::size_t blocks = (n + block - 1) / block;
  const unsigned helpers =
      static_cast<unsigned>(std::min<std::size_t>(thread_count(threads), blocks));
  {
    std::vector<std::jthread> pool;
    running = std::max(1u, helpers);
    for (unsigned worker = 1; worker < helpers; ++worker) pool.emplace_back(run, worker);
    run(0);
    // This thread watches the clock while the others finish.
    while (running != 0) {
      poll(n);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace conceptrank
