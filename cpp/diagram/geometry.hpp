// geometry: whether straight lines between elements of a line diagram cross or run through
// elements. Columns x and layers y are whole numbers; explorer-ui/src/geometry.ts has the same
// functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <tuple>
#include <vector>

namespace conceptrank::diagram {

using Int = std::int32_t;

/// A vector whose places are counted by `Int`.
template <typename T>
class List : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  T& operator[](auto i) { return this->data()[static_cast<std::size_t>(i)]; }
  const T& operator[](auto i) const { return this->data()[static_cast<std::size_t>(i)]; }
};

using Ints = List<Int>;

// The least number of columns between neighbours on a layer.
inline constexpr Int kApart = 2;
inline constexpr Int kCrossing = 100;
// The cost of a line that comes nearer than one column to an element that is not one of its ends.
inline constexpr Int kStruck = 500;
// The thresholds of the rounds of a search: a step that costs more is taken back.
inline constexpr Int kThresholds[] = {300, 220, 160, 120, 90, 70, 50, 40, 30, 20, 10, 5, 0, 0};

/// The random numbers of a generator that the explorer implements too.
class Chance {
 public:
  Int below(Int most) {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<Int>((state_ >> 8) % static_cast<std::uint32_t>(most));
  }

 private:
  std::uint32_t state_ = 12345;
};

/// Whether the line from a down to b comes nearer than a column to w, on a layer between.
inline bool struck(const Ints& x, const Ints& y, Int w, Int a, Int b) {
  const std::int64_t high = y[b] - y[a];
  const std::int64_t off =
      (x[w] - x[a]) * high - static_cast<std::int64_t>(x[b] - x[a]) * (y[w] - y[a]);
  return std::llabs(off) < high;
}

/// On which side of the line from a to b the element c is.
inline std::int64_t side(const Ints& x, const Ints& y, Int a, Int b, Int c) {
  return static_cast<std::int64_t>(x[b] - x[a]) * (y[c] - y[a]) -
         static_cast<std::int64_t>(y[b] - y[a]) * (x[c] - x[a]);
}

/// Whether the lines from a down to b and from c down to d cross.
inline bool cross(const Ints& x, const Ints& y, Int a, Int b, Int c, Int d) {
  if (y[b] <= y[c] || y[d] <= y[a] || a == c || b == d) return false;
  const std::int64_t first = side(x, y, a, b, c);
  const std::int64_t second = side(x, y, a, b, d);
  if (first == 0 || second == 0 || (first > 0) == (second > 0)) return false;
  const std::int64_t third = side(x, y, c, d, a);
  const std::int64_t fourth = side(x, y, c, d, b);
  return third != 0 && fourth != 0 && (third > 0) != (fourth > 0);
}

/// How many pairs of lines cross.
inline std::int64_t crossings(const Ints& x, const Ints& y, const Ints& upper, const Ints& lower) {
  std::int64_t found = 0;
  for (std::size_t e = 0; e < upper.size(); ++e)
    for (std::size_t f = 0; f < e; ++f)
      found += cross(x, y, upper[e], lower[e], upper[f], lower[f]) ? 1 : 0;
  return found;
}

/// Moves elements to the right until neighbours on a layer are far enough apart.
inline void spread(Ints& x, const Ints& y) {
  Ints order(x.size());
  std::iota(order.begin(), order.end(), 0);
  const Ints start = x;
  std::sort(order.begin(), order.end(), [&](Int v, Int w) {
    return std::tie(y[v], start[v], v) < std::tie(y[w], start[w], w);
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Int v = order[i - 1];
    const Int w = order[i];
    if (y[v] == y[w]) x[w] = std::max(x[w], x[v] + kApart);
  }
}

}  // namespace conceptrank::diagram
