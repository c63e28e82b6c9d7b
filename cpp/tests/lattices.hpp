// Lattices: what mining a context must give, and how it is compared with what was mined.
#pragma once

#include <algorithm>

#include "cpp/lattice/lattice.hpp"
#include "harness.hpp"
#include "reference.hpp"

namespace reference {

/// The concepts of a context with at least some support, and the numbers that go with them.
struct ExpectedLattice {
  std::vector<Concept> concepts;
  std::vector<std::size_t> deltas;
  std::vector<std::vector<Index>> lower;
  std::vector<std::vector<Index>> upper;

  explicit ExpectedLattice(const Context& context, std::uint64_t min_support = 0)
      : concepts(reference::concepts(context)), deltas(reference::deltas(concepts)) {
    // Support falls along the order: the frequent concepts are the first ones.
    const auto infrequent = std::ranges::find_if(
        concepts, [&](const Concept& one) { return one.extent.size() < min_support; });
    concepts.erase(infrequent, concepts.end());
    deltas.resize(concepts.size());
    lower = lower_covers(concepts);
    upper = upper_covers(concepts);
  }
};

inline conceptrank::Table table(const Context& context) {
  return conceptrank::Table(lists(context), context.n_attributes);
}

inline conceptrank::MiningOptions on_threads(unsigned threads, std::uint64_t min_support = 0) {
  conceptrank::MiningOptions options;
  options.threads = threads;
  options.min_support = min_support;
  return options;
}

inline std::vector<Index> list(const conceptrank::Lists& all, std::size_t i) {
  return {all[i].begin(), all[i].end()};
}

inline void check_lattice(const conceptrank::Lattice& lattice, const ExpectedLattice& expected) {
  CHECK(lattice.complete());
  CHECK_EQUAL(lattice.size(), expected.concepts.size());
  CHECK_EQUAL(lattice.deltas.size(), lattice.size());
  CHECK_EQUAL(lattice.intents.size(), lattice.size());
  CHECK_EQUAL(lattice.lower.size(), lattice.size());
  CHECK_EQUAL(lattice.upper.size(), lattice.size());
  if (lattice.size() != expected.concepts.size()) return;
  for (std::size_t i = 0; i < lattice.size(); ++i) {
    const harness::Case which([&] { return "concept " + std::to_string(i); });
    CHECK_EQUAL(lattice.supports[i], expected.concepts[i].extent.size());
    CHECK_EQUAL(lattice.deltas[i], expected.deltas[i]);
    CHECK_EQUAL(list(lattice.intents, i), expected.concepts[i].intent.members());
    CHECK_EQUAL(list(lattice.lower, i), expected.lower[i]);
    CHECK_EQUAL(list(lattice.upper, i), expected.upper[i]);
  }
}

inline bool same(const conceptrank::Lists& a, const conceptrank::Lists& b) {
  return a.offsets == b.offsets && a.values == b.values;
}

/// Byte for byte the same lattice.
inline bool same(const conceptrank::Lattice& a, const conceptrank::Lattice& b) {
  return a.stop == b.stop && a.min_support == b.min_support && a.supports == b.supports &&
         a.deltas == b.deltas && same(a.intents, b.intents) && same(a.lower, b.lower) &&
         same(a.upper, b.upper);
}

/// All contexts with exactly this many objects and attributes; only for a handful of cells.
template <class Visit>
void for_each_context(std::size_t n_objects, std::size_t n_attributes, const Visit& visit) {
  const std::size_t cells = n_objects * n_attributes;
  for (std::uint64_t crosses = 0; crosses >> cells == 0; ++crosses) {
    Context context{n_attributes, std::vector<Set>(n_objects)};
    for (std::size_t cell = 0; cell < cells; ++cell) {
      if (crosses >> cell & 1) context.rows[cell / n_attributes].add(cell % n_attributes);
    }
    visit(context);
  }
}

}  // namespace reference
