// Runs the registered tests, or those whose name contains the argument.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <limits>
#include <vector>

#include "harness.hpp"

namespace harness {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// A broken kernel can fail a million checks; so many lines per test are enough.
constexpr std::size_t lines_shown = 10;

struct Test {
  std::string_view name;
  void (*run)();
};

// A function, because the registrations of other files may run before this file's globals exist.
std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

std::vector<std::function<std::string()>> described;
std::string_view running;
std::size_t failures = 0;

}  // namespace

Registration::Registration(std::string_view name, void (*run)()) { tests().push_back({name, run}); }

Case::Case(std::function<std::string()> describe) { described.push_back(std::move(describe)); }
Case::~Case() { described.pop_back(); }

void fail(std::string_view file, int line, std::string_view what) {
  if (++failures > lines_shown) return;
  std::cout << file.substr(file.rfind('/') + 1) << ':' << line << ": " << running << ": " << what;
  for (const auto& describe : described) std::cout << "; " << describe();
  std::cout << std::endl;
}

std::size_t cases(std::size_t full) {
  static const double share = [] {
    const char* text = std::getenv("CONCEPTRANK_TEST_SHARE");
    const double given = text == nullptr ? 0 : std::strtod(text, nullptr);
    return given > 0 ? given : sanitized ? 0.05 : 1.0;
  }();
  return std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(full)));
}

void check_seconds(std::string_view file, int line, double most,
                   const std::function<double()>& measure) {
  const double seconds = measure();
  // A slow clock proves nothing, and less under a sanitizer; what takes this long never ends.
  const double patience = sanitized ? 500 : 100;
  if (seconds > patience * most) {
    fail(file, line, "took " + show(seconds) + " s, about " + show(most) + " s wanted");
  }
}

}  // namespace harness

int main(int argc, char** argv) {
  using namespace harness;
  const std::string_view filter = argc > 1 ? argv[1] : "";
  const bool timed = std::getenv("CONCEPTRANK_TEST_TIMES") != nullptr;
  std::size_t passed = 0;
  std::size_t failed = 0;
  for (const Test& test : tests()) {
    if (test.name.find(filter) == std::string_view::npos) continue;
    running = test.name;
    failures = 0;
    const auto start = std::chrono::steady_clock::now();
    try {
      test.run();
    } catch (const std::exception& error) {
      fail("exception", 0, error.what());
    } catch (...) {
      fail("exception", 0, "not a std::exception");
    }
    if (failures > lines_shown) {
      std::cout << test.name << ": " << failures - lines_shown << " more\n";
    }
    if (timed) {
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      std::cout << test.name << ": " << taken.count() << " s\n";
    }
    ++(failures == 0 ? passed : failed);
  }
  std::cout << passed << " passed, " << failed << " failed" << std::endl;
  // A filter that names no test is a mistake, not a success.
  return failed == 0 && passed > 0 ? 0 : 1;
}
