// Faces: the two small hypergraphs of a concept (A, B) that all scores are computed from. Intent
// faces are the inclusion-minimal sets B \ g' over the objects g outside A. Extent faces are the
// inclusion-minimal sets A \ m' over the attributes m outside B. This file finds them for one
// concept from the table, without a lattice.
#pragma once

#include "cpp/table/table.hpp"

namespace conceptrank {

/// Sets over the elements 0 .. n_elements, as bit rows. An element may stand for several equal ones
/// (objects with the same row); its weight is their number.
class FaceFamily {
 public:
  /// Empties the family and gives it a ground set. Keeps the memory.
  void reset(std::size_t n_elements);

  std::size_t size() const { return size_; }
  std::size_t words() const { return words_; }
  std::size_t n_elements() const { return n_elements_; }
  const Word* face(std::size_t i) const { return bits_.data() + i * words_; }
  Word* face(std::size_t i) { return bits_.data() + i * words_; }

  /// Adds an empty face and returns its words, valid until the next one is added. `multiplicity` is
  /// the number of objects (attributes) that have exactly this face.
  Word* add(std::uint64_t multiplicity = 1);
  /// Adds n faces of one word each, whose words are the caller's to write.
  Word* add(std::size_t n, std::uint64_t multiplicity);
  void set_multiplicity(std::size_t i, std::uint64_t multiplicity) {
    multiplicities_[i] = multiplicity;
  }
  std::uint64_t multiplicity(std::size_t i) const { return multiplicities_[i]; }

  /// Weight of every element; empty when all are 1.
  std::vector<Index>& weights() { return weights_; }
  const std::vector<Index>& weights() const { return weights_; }
  /// Weight of the elements of a set.
  std::uint64_t weigh(const Word* set) const {
    if (weights_.empty()) return count_bits(set, words_);
    std::uint64_t total = 0;
    for_each_bit(set, words_, [&](std::size_t element) { total += weights_[element]; });
    return total;
  }

  /// Keeps the inclusion-minimal faces, each once with the multiplicities of equal ones added up,
  /// in the order of their number of elements, then of their lowest different element.
  void keep_minimal();
  /// Puts the faces into that order. Sums over faces are rounded in the order of their terms, so
  /// every method scores the faces of a concept in this order, and gets the same bits.
  void sort();

 private:
  struct Candidate {
    std::size_t count;
    std::size_t index;
  };
  /// The faces in that order.
  std::vector<Candidate> ordered() const;

  std::size_t n_elements_ = 0;
  std::size_t words_ = 0;
  std::size_t size_ = 0;
  std::vector<Word> bits_;
  std::vector<Index> weights_;
  std::vector<std::uint64_t> multiplicities_;
};

/// Intent faces of the concept with this intent; element i is the i-th attribute of the intent.
FaceFamily intent_faces(const Table& table, std::span<const Index> intent);

/// Extent faces of the concept with this extent and intent; element i is the i-th distinct row of
/// the extent, weighted. Faces that are larger than the smallest one by more than `excess` objects
/// are left out: with 2^-excess below the rounding error they can't change a probability.
FaceFamily extent_faces(const Table& table, std::span<const Word> extent,
                        std::span<const Index> intent, std::uint64_t excess);

}  // namespace conceptrank
