#include "conceptrank/hit_probability.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace conceptrank {
namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();
// Faces whose total weight is below this share of the result are left out.
constexpr double negligible_share = 0x1p-46;
// Up to so many faces, inclusion and exclusion over all their subsets is the fastest way.
constexpr std::size_t few_faces = 8;

double add_miss(double miss, double other) { return miss + (1 - miss) * other; }

}  // namespace

HitProbability::HitProbability(double keep)
    : lose_(1 - keep), log2_lose_(std::log2(1 - keep)), powers_(1100) {
  for (std::size_t i = 0; i < powers_.size(); ++i) {
    powers_[i] = std::pow(lose_, static_cast<double>(i));
  }
}

double HitProbability::power(std::uint64_t weight) const {
  return weight < powers_.size() ? powers_[weight] : std::pow(lose_, static_cast<double>(weight));
}

MissProbability HitProbability::miss(const FaceFamily& family, std::size_t state_budget) {
  MissProbability result;
  result.log2 = -std::numeric_limits<double>::infinity();
  if (family.size() == 0 || lose_ == 0) return result;
  if (lose_ == 1) return {1, 0, 0, true};
  // Faces of one element are independent of all others in a minimal family.
  double alone = 0;
  sizes_.clear();
  for (std::size_t i = 0; i < family.size(); ++i) {
    const Word* face = family.face(i);
    std::size_t elements = 0;
    for (std::size_t w = 0; w < family.words(); ++w) elements += count_bits(face[w]);
    const std::uint64_t weight = family.weigh(face);
    if (elements == 0) {
      return {1, 0, 0, true};
    }
    if (elements == 1) {
      alone = add_miss(alone, power(weight));
    }
    if (elements > 1 || power(weight) == 0) sizes_.emplace_back(weight, i);
  }
  if (sizes_.empty()) {
    result.value = alone;
    result.log2 = std::log2(alone);
    result.error = rounding * alone * static_cast<double>(2 * family.size());
    return result;
  }
  std::ranges::sort(sizes_);
  smallest_ = sizes_.front().first;

  // Leave out the largest faces while what they can add is negligible next to what is certain. All
  // is relative to the smallest face's power, so that nothing underflows.
  const double scale = power(smallest_);
  const double certain = std::max(1.0, scale > 0 ? alone / scale : (alone > 0 ? HUGE_VAL : 0.0));
  double dropped = 0;
  while (sizes_.size() > 1) {
    const double more = dropped + power(sizes_.back().first - smallest_);
    if (more > negligible_share * certain) break;
    dropped = more;
    sizes_.pop_back();
  }
  chosen_.clear();
  for (const auto& [weight, i] : sizes_) chosen_.push_back(i);

  double relative = 0;  // in units of `scale`
  if (chosen_.size() == 1) {
    relative = 1;
  } else if (chosen_.size() <= few_faces) {
    relative = inclusion_exclusion(family);
  } else {
    const Sweep swept = sweep(family, state_budget);
    if (!swept.complete) {
      bracket(family, result);
      const double middle = result.value;
      const double spread = result.error + dropped * scale;
      result.value = add_miss(alone, middle);
      result.error = (1 - alone) * spread;
      result.log2 = std::log2(result.value);
      result.exact = false;
      return result;
    }
    relative = swept.miss / scale;
    if (scale < std::numeric_limits<double>::min()) {
      // Beyond the range of a double: only the bracket is left.
      bracket(family, result);
      result.log2 = static_cast<double>(smallest_) * log2_lose_;
      result.exact = false;
      return result;
    }
  }
  result.value = add_miss(alone, relative * scale);
  result.log2 = alone > 0 ? std::log2(result.value)
                          : static_cast<double>(smallest_) * log2_lose_ + std::log2(relative);
  const double operations = 4.0 * static_cast<double>(family.n_elements() + (1u << few_faces));
  result.error = dropped * scale + rounding * operations * result.value;
  return result;
}

double HitProbability::inclusion_exclusion(const FaceFamily& family) {
  if (chosen_.size() == 2) {
    std::uint64_t only_second = 0;
    const Word* first = family.face(chosen_[0]);
    const Word* second = family.face(chosen_[1]);
    if (family.weights().empty()) {
      for (std::size_t w = 0; w < family.words(); ++w) {
        only_second += count_bits(second[w] & ~first[w]);
      }
      // miss(f or g) = miss(f) + miss(g) (1 - miss(f \ g)), without a subtraction of like terms.
      const std::uint64_t only_first = sizes_[0].first + only_second - sizes_[1].first;
      return 1 + power(sizes_[1].first - smallest_) * (1 - power(only_first));
    }
  }
  return union_powers(family);
}

/// Sum over the non-empty sets T of faces of (-1)^(|T| + 1) lose^(|union of T| - smallest).
double HitProbability::union_powers(const FaceFamily& family) {
  const std::size_t k = chosen_.size();
  const std::size_t subsets = std::size_t{1} << k;
  double total = 0;
  const auto add = [&](std::size_t subset, std::uint64_t weight) {
    const double term = power(weight - smallest_);
    total += count_bits(subset) % 2 == 1 ? term : -term;
  };
  if (family.words() == 1 && family.weights().empty()) {
    unions_.resize(subsets);
    unions_[0] = 0;
    for (std::size_t i = 0; i < k; ++i) {
      const Word face = *family.face(chosen_[i]);
      for (std::size_t s = 0; s < (std::size_t{1} << i); ++s) {
        unions_[s | (std::size_t{1} << i)] = unions_[s] | face;
      }
    }
    for (std::size_t s = 1; s < subsets; ++s) add(s, count_bits(unions_[s]));
    return total;
  }
  // histogram[X]: weight of the elements whose faces are exactly X; its subset sums give the weight
  // of everything outside a union.
  histogram_.assign(subsets, 0);
  std::uint64_t all = 0;
  for (std::size_t w = 0; w < family.words(); ++w) {
    Word any = 0;
    for (const std::size_t i : chosen_) any |= family.face(i)[w];
    for (; any != 0; any &= any - 1) {
      const std::size_t bit = lowest_bit(any);
      std::size_t faces = 0;
      for (std::size_t j = 0; j < k; ++j) faces |= ((family.face(chosen_[j])[w] >> bit) & 1) << j;
      const std::uint64_t weight =
          family.weights().empty() ? 1 : family.weights()[w * word_bits + bit];
      histogram_[faces] += weight;
      all += weight;
    }
  }
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t s = 0; s < subsets; ++s) {
      if (s >> j & 1) histogram_[s] += histogram_[s ^ (std::size_t{1} << j)];
    }
  }
  for (std::size_t s = 1; s < subsets; ++s) add(s, all - histogram_[subsets - 1 - s]);
  return total;
}

/// Decides the elements one class of twins at a time. A state is the set of open faces (some elements
/// decided, some not) that are hit; a face whose last element passes without a hit is missed, and the
/// state's probability goes to the result. The next face to finish is the one with fewest elements
/// left, so few faces are open at once, and components follow each other by themselves.
HitProbability::Sweep HitProbability::sweep(const FaceFamily& family, std::size_t state_budget) {
  constexpr Index no_slot = std::numeric_limits<Index>::max();
  merge_twins(family, chosen_, false, classes_);
  const std::size_t n_faces = chosen_.size();
  std::vector<std::size_t> left(n_faces, 0);
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    for_each_bit(classes_.mask(c), classes_.mask_words, [&](std::size_t f) { ++left[f]; });
  }
  std::vector<char> decided(classes_.size(), 0);
  std::vector<Index> slot(n_faces, no_slot);
  Word free_slots = ~Word{0};
  Sweep result;
  states_.assign(1, {0, 1.0});
  for (std::size_t finished = 0; finished < n_faces;) {
    std::size_t next = n_faces;
    for (std::size_t f = 0; f < n_faces; ++f) {
      if (left[f] != 0 && (next == n_faces || left[f] < left[next])) next = f;
    }
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      if (decided[c] || !test_bit(classes_.mask(c), next)) continue;
      decided[c] = 1;
      Word hits = 0;
      Word closing = 0;
      bool room = true;
      for_each_bit(classes_.mask(c), classes_.mask_words, [&](std::size_t f) {
        if (slot[f] == no_slot) {
          if (free_slots == 0) {
            room = false;
            return;
          }
          slot[f] = static_cast<Index>(lowest_bit(free_slots));
          free_slots &= free_slots - 1;
        }
        hits |= Word{1} << slot[f];
        if (--left[f] == 0) {
          closing |= Word{1} << slot[f];
          ++finished;
        }
      });
      if (!room) return {0, false};
      const double lost = power(classes_.weights[c]);
      const double kept = lose_ == 0.5 && classes_.weights[c] < 50
                              ? 1 - lost
                              : -std::expm1(static_cast<double>(classes_.weights[c]) *
                                            std::log(lose_));
      next_.clear();
      for (const State& state : states_) {
        if ((state.hit & closing) == closing) {
          next_.push_back({state.hit & ~closing, state.probability * lost});
        } else {
          result.miss += state.probability * lost;
        }
        // Keeping the class hits every face that closes with it.
        next_.push_back({(state.hit | hits) & ~closing, state.probability * kept});
      }
      states_.swap(next_);
      merge_states();
      if (states_.size() > state_budget) return {0, false};
      free_slots |= closing;
      if (closing != 0) {
        for (std::size_t f = 0; f < n_faces; ++f) {
          if (slot[f] != no_slot && (closing >> slot[f] & 1) && left[f] == 0) slot[f] = no_slot;
        }
      }
    }
  }
  return result;
}

/// Adds up the probabilities of equal states.
void HitProbability::merge_states() {
  std::size_t capacity = 16;
  while (capacity < 2 * states_.size()) capacity *= 2;
  table_.assign(capacity, 0);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const State state = states_[i];
    std::size_t place = (state.hit * 0x9e3779b97f4a7c15u >> 32) & (capacity - 1);
    while (table_[place] != 0 && states_[table_[place] - 1].hit != state.hit) {
      place = (place + 1) & (capacity - 1);
    }
    if (table_[place] == 0) {
      states_[kept++] = state;
      table_[place] = static_cast<Index>(kept);
    } else {
      states_[table_[place] - 1].probability += state.probability;
    }
  }
  states_.resize(kept);
}

/// Bounds that need no search: at least the smallest face and the first two terms of inclusion and
/// exclusion, at most the sum of all and what independent faces would miss (Harris).
void HitProbability::bracket(const FaceFamily& family, MissProbability& result) const {
  double sum = 0;
  double independent = 0;
  double pairs = 0;
  std::vector<Word> both(family.words());
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const double one = power(sizes_[i].first);
    sum += one;
    independent = add_miss(independent, one);
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t w = 0; w < family.words(); ++w) {
        both[w] = family.face(chosen_[i])[w] | family.face(chosen_[j])[w];
      }
      pairs += power(family.weigh(both.data()));
    }
  }
  const double high = std::min({1.0, sum, independent});
  const double low = std::max(power(smallest_), sum - pairs);
  result.value = (low + high) / 2;
  result.error = (high - low) / 2;
}

}  // namespace conceptrank
