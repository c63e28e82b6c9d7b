// Transversals: the sets that meet every face of a family. The minimal ones are the minimal
// generators of a concept. Before the search, faces of one element are set aside (their element is
// in every transversal), elements of the same faces are merged (a minimal transversal has at most
// one of them), and the family falls apart into components that share no element. Each component is
// searched by MMCS (Murakami and Uno, 2014).
#pragma once

#include <functional>
#include <limits>

#include "cpp/table/faces.hpp"

namespace conceptrank {

/// The number of minimal transversals. Products of components can pass 2^53; the double then has
/// the usual relative rounding error. Not exact: the node budget ended the search, and `value`
/// counts what was found until then.
struct TransversalCount {
  double value = 1;
  bool exact = true;
};

/// The elements of some faces; elements of the same faces form one class.
struct TwinClasses {
  std::size_t mask_words = 0;          // words of a set of faces
  std::vector<Word> masks;             // the faces of each class
  std::vector<std::uint64_t> weights;  // total weight of its elements
  Lists members;                       // its elements; filled on request only

  std::size_t size() const { return weights.size(); }
  const Word* mask(std::size_t i) const { return masks.data() + i * mask_words; }
};

/// Reuses its memory from one family to the next: one object per thread.
class TransversalSearch {
 public:
  /// Number of minimal transversals of a family of inclusion-minimal faces. An element of weight w
  /// stands for w equal ones and counts w times. An empty face: none.
  TransversalCount count(const FaceFamily& family, std::uint64_t node_budget);

  /// Calls `visit` with the elements, ascending, of every minimal transversal of at most `most`
  /// elements until it returns false. Returns true when all were visited.
  bool enumerate(const FaceFamily& family, const std::function<bool(std::span<const Index>)>& visit,
                 std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

 private:
  std::vector<std::size_t> rest_;
  std::vector<Index> forced_;
  TwinClasses classes_;
};

/// The twin classes of the faces `faces` of a family, ordered by their masks. A class weighs what
/// its elements weigh together.
void merge_twins(const FaceFamily& family, std::span<const std::size_t> faces, bool with_members,
                 TwinClasses& classes);

}  // namespace conceptrank
