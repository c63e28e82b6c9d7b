// Budgets: one reason to stop, a clock that is looked at now and then, and work in blocks.
#include <mutex>
#include <stdexcept>
#include <thread>

#include "cpp/base/budget.hpp"
#include "harness.hpp"

using namespace conceptrank;
using Clock = std::chrono::steady_clock;

namespace {

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

void work_for(double seconds) {
  for (const auto start = Clock::now(); seconds_since(start) < seconds;) {
  }
}

}  // namespace

TEST(budget_names_its_reasons) {
  const auto name = [](Stop stop) { return stop_names[static_cast<std::size_t>(stop)]; };
  CHECK_EQUAL(name(Stop::none), "");
  CHECK_EQUAL(name(Stop::bytes), "bytes");
  CHECK_EQUAL(name(Stop::constraints), "constraints");
}

TEST(budget_keeps_the_first_reason) {
  Budget budget;
  CHECK(!budget.stopped());
  budget.stop(Stop::bytes);
  budget.stop(Stop::seconds);
  CHECK(budget.stopped());
  CHECK(budget.reason() == Stop::bytes);
  budget.resume();
  CHECK(!budget.stopped());
  CHECK(budget.reason() == Stop::none);
}

TEST(budget_stops_when_its_seconds_are_over) {
  Budget budget({.seconds = 0.06});
  budget.poll(0, 0);
  CHECK(!budget.stopped());
  wait(0.12);
  budget.poll(0, 0);
  CHECK(budget.reason() == Stop::seconds);
}

TEST(budget_asks_and_reports_now_and_then) {
  std::size_t asked = 0;
  std::size_t reported = 0;
  double highest = 0;
  const auto start = Clock::now();
  Budget budget(
      {}, [&] { return ++asked == 3; },
      [&](std::uint64_t, double share) {
        ++reported;
        highest = std::max(highest, share);
      });
  while (!budget.stopped() && seconds_since(start) < 5) budget.poll(1, 7.0);
  CHECK(budget.reason() == Stop::cancelled);
  CHECK_EQUAL(asked, 3);
  CHECK(reported <= 3);
  CHECK(highest <= 1);
  CHECK(seconds_since(start) >= 0.09);
}

TEST(blocks_cover_the_range_once) {
  for (const std::size_t n : {0, 1, 7, 64, 1000, 4097}) {
    for (const std::size_t block : {1, 3, 512, 5000}) {
      for (const unsigned threads : {1u, 2u, 4u, 9u}) {
        Budget budget;
        std::mutex lock;
        std::vector<int> seen(n, 0);
        bool bounds_hold = true;
        parallel_blocks(n, block, threads, budget,
                        [&](std::size_t begin, std::size_t end, unsigned worker) {
                          const std::scoped_lock guard(lock);
                          if (worker >= threads || end - begin > block) bounds_hold = false;
                          for (std::size_t i = begin; i < end; ++i) ++seen[i];
                        });
        CHECK(bounds_hold);
        CHECK(seen == std::vector<int>(n, 1));
      }
    }
  }
}

TEST(blocks_of_one_worker_never_overlap) {
  // Workers keep scratch memory by their number: two threads with one number would share it.
  constexpr unsigned threads = 4;
  Budget budget;
  std::vector<std::size_t> in_work(threads, 0);
  bool alone = true;
  std::mutex lock;
  parallel_blocks(400, 1, threads, budget, [&](std::size_t, std::size_t, unsigned worker) {
    {
      const std::scoped_lock guard(lock);
      if (++in_work[worker] != 1) alone = false;
    }
    std::this_thread::yield();
    const std::scoped_lock guard(lock);
    --in_work[worker];
  });
  CHECK(alone);
}

TEST(blocks_pass_on_the_exception_of_any_worker) {
  for (const unsigned threads : {1u, 2u, 4u}) {
    for (const std::size_t bad : {0, 50, 99}) {
      Budget budget;
      const auto work = [&](std::size_t begin, std::size_t, unsigned) {
        if (begin == bad) throw std::domain_error("block");
      };
      CHECK_THROWS(parallel_blocks(100, 1, threads, budget, work), std::domain_error);
    }
  }
}

TEST(blocks_pass_on_the_exception_of_the_caller) {
  for (const unsigned threads : {1u, 3u}) {
    Budget budget(
        {}, [] { return true; },
        [](std::uint64_t, double) { throw std::domain_error("progress"); });
    const auto work = [](std::size_t, std::size_t, unsigned) { wait(0.001); };
    CHECK_THROWS(parallel_blocks(10'000, 1, threads, budget, work), std::domain_error);
  }
}

TEST(blocks_stop_when_cancelled) {
  for (const unsigned threads : {1u, 2u, 4u}) {
    CHECK_SECONDS(0.2, [&] {
      const auto start = Clock::now();
      Budget budget({}, [&] { return seconds_since(start) > 0.1; });
      std::atomic<std::size_t> done{0};
      parallel_blocks(100'000, 1, threads, budget, [&](std::size_t, std::size_t, unsigned) {
        work_for(0.001);
        ++done;
      });
      CHECK(budget.reason() == Stop::cancelled);
      CHECK(done < 100'000);
      return seconds_since(start) - 0.1;
    });
  }
}

TEST(blocks_stop_when_only_a_helper_is_left) {
  // The calling thread has nothing more to do but still has to ask whether to go on.
  CHECK_SECONDS(0.2, [] {
    const auto start = Clock::now();
    Budget budget({}, [&] { return seconds_since(start) > 0.1; });
    std::atomic<bool> helping{false};
    parallel_blocks(2, 1, 2, budget, [&](std::size_t, std::size_t, unsigned worker) {
      if (worker != 0) helping = true;
      while (!budget.stopped() && seconds_since(start) < 2) {
        if (worker == 0 && helping) return;
      }
    });
    return seconds_since(start) - 0.1;
  });
}
