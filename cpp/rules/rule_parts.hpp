// Rule parts: the premises and conclusions of the association rules of a lattice. A premise is a
// minimal generator of a concept; the rule leads to this concept or to one below it.
#pragma once

#include <limits>

#include "cpp/lattice/lattice.hpp"

namespace conceptrank {

/// Some of a complete lattice's concepts, one after the other.
struct ConceptRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

/// The generators of the i-th concept of a range are the numbers offsets[i] .. offsets[i + 1] of
/// the sets; short ones first, then in the order of their attributes.
struct Generators {
  std::vector<std::uint64_t> offsets{0};
  Lists sets;
};

/// The minimal generators with at most `max_size` attributes. The budget's limit on concepts is a
/// limit on generators; when it ends the search, the result has about that many, on one thread
/// always the same ones. If the budget ends for another reason, the result is empty.
Generators minimal_generators(const Lattice& lattice, ConceptRange range, std::uint64_t max_size,
                              unsigned threads, Budget& budget);

/// The places, ascending, of the concepts strictly below each concept of the range with at least
/// min_support objects and at least the share min_confidence of that concept's objects.
Lists descendants(const Lattice& lattice, ConceptRange range, std::uint64_t min_support,
                  double min_confidence, unsigned threads, Budget& budget);

/// For each minimal generator, the attributes of its closure that are neither in the generator nor
/// in the closure of a proper subset. They are empty unless it is a proper premise. `generators`
/// are all those up to some size of the first concepts of a lattice, sources the concepts that they
/// generate.
Lists proper_conclusions(const Lattice& lattice, ListsView generators,
                         std::span<const Index> sources, unsigned threads, Budget& budget);

/// For each pair of places, the members of a list of `from` that a list of `without` lacks.
Lists differences(ListsView from, std::span<const Index> places, ListsView without,
                  std::span<const Index> other_places);

}  // namespace conceptrank
