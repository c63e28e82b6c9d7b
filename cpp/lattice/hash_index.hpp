// HashIndex: finds a concept by the hash of its intent. Linear probing, with the upper half of the
// hash beside the concept's number, so that a look-up touches one place in memory.
#pragma once

#include <bit>

#include "cpp/base/words.hpp"

namespace conceptrank {

class HashIndex {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  explicit HashIndex(std::size_t n_concepts)
      : slots_(std::bit_ceil(2 * n_concepts + 2), empty), mask_(slots_.size() - 1) {}

  void insert(std::uint64_t hash, std::size_t number) {
    std::size_t place = hash & mask_;
    for (; slots_[place] != empty; place = (place + 1) & mask_) {
      if (slots_[place] >> 32 == hash >> 32) unambiguous_ = false;
    }
    slots_[place] = hash >> 32 << 32 | number;
  }
  /// False when a look-up could take one concept for another. While it is true, a look-up of a
  /// concept that is there can't be wrong: what it passes is what the insertion passed.
  bool unambiguous() const { return unambiguous_; }

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }
  /// The number of the concept with this hash, which must be there.
  Index at(std::uint64_t hash) const {
    std::size_t place = hash & mask_;
    while (slots_[place] >> 32 != hash >> 32) place = (place + 1) & mask_;
    return static_cast<Index>(slots_[place]);
  }
  /// The number of the first concept with half of this hash that `is_right(number)`, or none.
  template <class IsRight>
  std::size_t find(std::uint64_t hash, const IsRight& is_right) const {
    for (std::size_t place = hash & mask_; slots_[place] != empty; place = (place + 1) & mask_) {
      if (slots_[place] >> 32 != hash >> 32) continue;
      const std::size_t number = static_cast<Index>(slots_[place]);
      if (is_right(number)) return number;
    }
    return none;
  }
  std::size_t find(std::uint64_t hash) const {
    return find(hash, [](std::size_t) { return true; });
  }

 private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};  // no lattice has 2^32 - 1 concepts

  Array<std::uint64_t> slots_;
  std::size_t mask_;
  bool unambiguous_ = true;
};

}  // namespace conceptrank
