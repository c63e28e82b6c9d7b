// A budget connected to Python: it handles Ctrl-C, a callable that requests a stop, and a callable
// that gets the progress. The core runs without the GIL and takes it every 50 ms for these.
#pragma once

#include <exception>
#include <optional>

#include "convert.hpp"
#include "cpp/base/budget.hpp"

namespace conceptrank::bindings {

class PythonBudget {
 public:
  PythonBudget(std::optional<std::uint64_t> concepts, std::optional<std::uint64_t> bytes,
               std::optional<double> seconds, nb::object interrupt, nb::object progress)
      : interrupt_(std::move(interrupt)), progress_(std::move(progress)) {
    Limits limits;
    if (concepts) limits.concepts = *concepts;
    if (bytes) limits.bytes = *bytes;
    if (seconds) limits.seconds = *seconds;
    Budget::Progress report;
    if (!progress_.is_none()) {
      report = [this](std::uint64_t done, double share) {
        const nb::gil_scoped_acquire gil;
        guarded([&] { progress_(done, share); });
        if (failure_) budget_->abandon();
      };
    }
    budget_.emplace(limits, [this] { return cancelled(); }, report);
  }

  /// Runs `work(budget)` without the GIL; an error in a callable, or Ctrl-C, comes out as itself.
  template <class Work>
  auto run(Work&& work) {
    auto result = [&] {
      const nb::gil_scoped_release no_gil;
      return work(*budget_);
    }();
    if (failure_) std::rethrow_exception(failure_);
    return result;
  }
  Budget& budget() { return *budget_; }

 private:
  template <class Call>
  void guarded(Call&& call) {
    if (failure_) return;
    try {
      call();
    } catch (nb::python_error&) {
      failure_ = std::current_exception();
    }
  }
  bool cancelled() {
    const nb::gil_scoped_acquire gil;
    bool stop = false;
    guarded([&] {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!interrupt_.is_none()) stop = nb::cast<bool>(interrupt_());
    });
    if (failure_) budget_->abandon();
    return stop;
  }

  nb::object interrupt_;
  nb::object progress_;
  std::optional<Budget> budget_;
  std::exception_ptr failure_;
};

}  // namespace conceptrank::bindings
