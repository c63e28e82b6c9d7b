// Element search: the chance to miss a face, found by deciding the elements one after the other.
// It serves families of few elements whose faces are too many for the sweep.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>

#include "cpp/score/transversals.hpp"

namespace conceptrank {

/// Decides one class of twins after the other, those in most faces first. When a face loses its
/// last element, the probability of the decisions so far is added to the result.
class ElementSearch {
 public:
  ElementSearch(const TwinClasses& classes, std::size_t n_faces, std::span<const double> lost,
                std::size_t node_budget)
      : words_(classes.mask_words), nodes_left_(node_budget) {
    std::vector<std::size_t> order(classes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto frequency = [&](std::size_t c) { return count_bits(classes.mask(c), words_); };
    std::ranges::stable_sort(order, std::ranges::greater{}, frequency);
    std::vector<std::size_t> last(n_faces, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      lost_.push_back(lost[order[i]]);
      masks_.insert(masks_.end(), classes.mask(order[i]), classes.mask(order[i]) + words_);
      for_each_bit(classes.mask(order[i]), words_, [&](std::size_t f) { last[f] = i; });
    }
    closing_.assign(masks_.size(), 0);
    for (std::size_t f = 0; f < n_faces; ++f) set_bit(closing_.data() + last[f] * words_, f);
    open_.resize((order.size() + 1) * words_);
    for (std::size_t f = 0; f < n_faces; ++f) set_bit(open_.data(), f);
  }

  /// False if the node budget was exhausted.
  bool run(double& miss) { return decide(0, 1.0, miss); }

 private:
  bool decide(std::size_t i, double probability, double& miss) {
    if (nodes_left_ == 0) return false;
    --nodes_left_;
    // Classes whose faces are all hit need no decision; level i + 1 holds what is open after i.
    while (i < lost_.size() && !meets(masks_.data() + i * words_, level(i))) {
      std::copy_n(level(i), words_, level(i + 1));
      ++i;
    }
    if (i == lost_.size()) return true;
    const double lost = probability * lost_[i];
    if (meets(closing_.data() + i * words_, level(i))) {
      miss += lost;
    } else {
      std::copy_n(level(i), words_, level(i + 1));
      if (!decide(i + 1, lost, miss)) return false;
    }
    for (std::size_t w = 0; w < words_; ++w) {
      level(i + 1)[w] = level(i)[w] & ~masks_[i * words_ + w];
    }
    return decide(i + 1, probability - lost, miss);
  }
  Word* level(std::size_t i) { return open_.data() + i * words_; }
  bool meets(const Word* a, const Word* b) const {
    for (std::size_t w = 0; w < words_; ++w) {
      if ((a[w] & b[w]) != 0) return true;
    }
    return false;
  }

  std::size_t words_;
  std::size_t nodes_left_;
  std::vector<double> lost_;
  std::vector<Word> masks_;
  std::vector<Word> closing_;  // the faces of which a class is the last to be decided
  std::vector<Word> open_;     // the faces not yet hit, one set per level
};

}  // namespace conceptrank
