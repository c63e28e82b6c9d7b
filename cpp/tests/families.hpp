// Families: ways to build face families whose transversals and probabilities are known.
#pragma once

#include <algorithm>
#include <cmath>

#include "reference.hpp"

namespace reference {

inline Set moved(const Set& set, const std::vector<Index>& places) {
  Set result;
  for (const Index element : set.members()) result.add(places[element]);
  return result;
}

/// The family with element i at places[i] of a larger ground set.
inline Family scattered(const Family& family, const std::vector<Index>& places,
                        std::size_t n_elements) {
  Family result{n_elements, {}, {}};
  for (const Set& face : family.faces) result.faces.push_back(moved(face, places));
  return result;
}

inline std::vector<Index> random_places(Random& random, std::size_t n, std::size_t below) {
  Set chosen;
  while (chosen.size() < n) chosen.add(random.below(below));
  return chosen.members();
}

/// Both families on disjoint elements.
inline Family beside(const Family& left, const Family& right) {
  Family result = left;
  result.n_elements += right.n_elements;
  for (const Set& face : right.faces) {
    Set shifted;
    for (const Index element : face.members()) shifted.add(left.n_elements + element);
    result.faces.push_back(shifted);
  }
  return result;
}

/// One more element, which is in the same faces as a random one.
inline Family with_twin(Random& random, const Family& family) {
  Family result = family;
  const std::size_t original = random.below(family.n_elements);
  for (Set& face : result.faces) {
    if (face.has(original)) face.add(family.n_elements);
  }
  ++result.n_elements;
  return result;
}

/// Weights of 1 to 3, their total small enough for a power set.
inline Family weighted(Random& random, const Family& family) {
  Family result = family;
  std::size_t total = 0;
  for (std::size_t i = 0; i < family.n_elements; ++i) {
    const std::size_t weight = 1 + random.below(total + family.n_elements - i < 10 ? 3 : 1);
    result.weights.push_back(static_cast<Index>(weight));
    total += weight;
  }
  return result;
}

/// All sets of k of n elements.
inline Family uniform(std::size_t n, std::size_t k) {
  Family result{n, {}, {}};
  std::vector<bool> chosen(n, false);
  std::fill_n(chosen.begin(), k, true);
  do {
    Set face;
    for (std::size_t i = 0; i < n; ++i) {
      if (chosen[i]) face.add(i);
    }
    result.faces.push_back(face);
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return result;
}

inline double binomial(std::size_t n, std::size_t k) {
  double result = 1;
  for (std::size_t i = 1; i <= k; ++i) {
    result = result * static_cast<double>(n - k + i) / static_cast<double>(i);
  }
  return std::round(result);
}

}  // namespace reference
