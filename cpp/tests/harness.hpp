// Harness: registration of tests and the checks they make. A failing check prints one line and the
// test goes on, so that one run shows all that is wrong. Checks belong to the thread that runs the
// test.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace harness {

/// Makes a test known under its name before main begins.
struct Registration {
  Registration(std::string_view name, void (*run)());
};

/// Says, while it lives, what a failing check was looking at. The text is only made when needed.
class Case {
 public:
  explicit Case(std::function<std::string()> describe);
  ~Case();
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;
};

void fail(std::string_view file, int line, std::string_view what);

/// Number of random cases to try where `full` are wanted. Sanitizers make everything several times
/// slower, so they get a share; the environment variable CONCEPTRANK_TEST_SHARE (0 to 1) sets it.
std::size_t cases(std::size_t full);

/// Fails when `measure`, the seconds that some work took, is far beyond `most`: nothing fails
/// because a clock was slow, but what hangs does.
void check_seconds(std::string_view file, int line, double most,
                   const std::function<double()>& measure);

template <class Value>
std::string show(const Value& value) {
  std::ostringstream out;
  out.precision(17);
  if constexpr (requires { out << value; }) {
    out << value;
  } else {
    out << '[';
    const char* gap = "";
    for (const auto& member : value) {
      out << gap << show(member);
      gap = ", ";
    }
    out << ']';
  }
  return out.str();
}

template <class Actual, class Expected>
bool equal(const Actual& actual, const Expected& expected) {
  if constexpr (std::integral<Actual> && std::integral<Expected> && !std::same_as<Actual, bool> &&
                !std::same_as<Expected, bool>) {
    return std::cmp_equal(actual, expected);
  } else {
    return actual == expected;
  }
}

/// Equal infinities are near each other.
inline bool near(double actual, double expected, double tolerance) {
  return actual == expected || std::abs(actual - expected) <= tolerance;
}

}  // namespace harness

#define TEST(name)                                                   \
  static void name();                                                \
  static const harness::Registration registered_##name{#name, name}; \
  static void name()

#define CHECK(condition)                                                         \
  do {                                                                           \
    if (!(condition)) harness::fail(__FILE__, __LINE__, #condition " is false"); \
  } while (false)

#define CHECK_EQUAL(actual, expected)                                                          \
  do {                                                                                         \
    const auto actual_ = (actual);                                                             \
    const auto expected_ = (expected);                                                         \
    if (!harness::equal(actual_, expected_)) {                                                 \
      harness::fail(                                                                           \
          __FILE__, __LINE__,                                                                  \
          #actual " is " + harness::show(actual_) + ", expected " + harness::show(expected_)); \
    }                                                                                          \
  } while (false)

#define CHECK_NEAR(actual, expected, tolerance)                                            \
  do {                                                                                     \
    const double actual_ = static_cast<double>(actual);                                    \
    const double expected_ = static_cast<double>(expected);                                \
    const double tolerance_ = static_cast<double>(tolerance);                              \
    if (!harness::near(actual_, expected_, tolerance_)) {                                  \
      harness::fail(__FILE__, __LINE__,                                                    \
                    #actual " is " + harness::show(actual_) + ", expected " +              \
                        harness::show(expected_) + " up to " + harness::show(tolerance_)); \
    }                                                                                      \
  } while (false)

#define CHECK_SECONDS(most, ...) harness::check_seconds(__FILE__, __LINE__, most, __VA_ARGS__)

#define CHECK_THROWS(expression, exception)                                                    \
  do {                                                                                         \
    bool thrown_ = false;                                                                      \
    try {                                                                                      \
      static_cast<void>(expression);                                                           \
    } catch (const exception&) {                                                               \
      thrown_ = true;                                                                          \
    }                                                                                          \
    if (!thrown_) harness::fail(__FILE__, __LINE__, #expression " did not throw " #exception); \
  } while (false)
