#include "cpp/score/hit_probability.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>
#include <tuple>

#include "cpp/base/tuning.hpp"
#include "cpp/score/element_search.hpp"

namespace conceptrank {
namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();
// Faces whose total weight is below this share of the result are left out.
constexpr double negligible_share = 0x1p-46;
// Inclusion and exclusion leaves out sets of faces whose extensions together weigh less than this,
// and gives up after so many terms: so the error stays below 2^-42 of the result.
constexpr double negligible_term = 0x1p-56;
// An error that no score can show, if only the absolute error matters.
constexpr double invisible = 0x1p-43;
constexpr double least_lose = 1e-4;  // its 64th power is still a normal number

constexpr auto powers_of_two = [] {
  std::array<double, 64> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = 2 * powers[i - 1];
  return powers;
}();

double add_miss(double miss, double other) { return miss + (1 - miss) * other; }

}  // namespace

/// Unions of chosen faces, one per depth. join(d, i) makes the union at depth d + 1 out of the
/// union at depth d and the i-th chosen face, and returns its weight.
struct HitProbability::FaceUnions {
  const FaceFamily& family;
  const std::vector<std::size_t>& chosen;
  std::vector<Word> unions;

  std::uint64_t join(std::size_t depth, std::size_t i) {
    const std::size_t words = family.words();
    const Word* before = unions.data() + depth * words;
    Word* joined = unions.data() + (depth + 1) * words;
    const Word* face = family.face(chosen[i]);
    for (std::size_t w = 0; w < words; ++w) joined[w] = before[w] | face[w];
    return family.weigh(joined);
  }
  bool swallows_after(std::size_t depth, std::size_t i) const {
    const std::size_t words = family.words();
    const Word* joined = unions.data() + (depth + 1) * words;
    for (std::size_t j = i + 1; j < chosen.size(); ++j) {
      if (inside(family.face(chosen[j]), joined, words)) return true;
    }
    return false;
  }
};

HitProbability::HitProbability(double keep)
    : lose_(1 - keep),
      // 1 - keep is rounded when keep is below 1/2; what was lost is known exactly.
      slip_(lose_ > 0 ? std::abs(((1 - lose_) - keep) / lose_) : 0),
      log2_lose_(std::log2(1 - keep)),
      powers_(1100),
      downset_(keep, slip_) {
  for (std::size_t i = 0; i < powers_.size(); ++i) {
    powers_[i] = std::pow(lose_, static_cast<double>(i));
  }
}

double HitProbability::power_error(std::uint64_t weight) const {
  return rounding + static_cast<double>(weight) * slip_;
}

double HitProbability::power(std::uint64_t weight) const {
  return weight < powers_.size() ? powers_[weight] : std::pow(lose_, static_cast<double>(weight));
}

MissProbability HitProbability::miss(const FaceFamily& family, std::size_t state_budget,
                                     bool relative_matters) {
  MissProbability result;
  result.log2 = -std::numeric_limits<double>::infinity();
  if (family.size() == 0) return result;
  if (take_tops(family)) {
    for (std::size_t i = 0; i < family.size(); ++i) {
      tops_.sets.push_back(tops_.all() & ~*family.face(i));
    }
    if (tops_.weigh(tops_.all()) <= tuning::downset_elements) {
      if (const auto found = miss(tops_, relative_matters)) return *found;
    }
  }

  // Faces of one element are independent of all others in a minimal family. One that stands for
  // several does not count as one: twins may have been merged or not.
  double alone = 0;
  double alone_error = 0;
  sizes_.clear();
  for (std::size_t i = 0; i < family.size(); ++i) {
    const Word* face = family.face(i);
    const std::size_t elements = count_bits(face, family.words());
    if (elements == 0) return {1, 0, 0, 0, false};  // nothing can hit it
    const std::uint64_t weight = family.weights().empty() ? elements : family.weigh(face);
    if (weight == 1 && power(weight) >= std::numeric_limits<double>::min()) {
      alone = add_miss(alone, power(weight));
      alone_error += power(weight) * power_error(weight) + 2 * rounding * alone;
    } else {
      sizes_.emplace_back(weight, i);
    }
  }
  if (lose_ == 0) return result;
  if (lose_ == 1) return {1, 0, 0, 0, false};
  if (sizes_.empty()) {
    return {alone, std::log2(alone), alone_error, alone_error / alone / std::log(2.0), false};
  }

  std::ranges::sort(sizes_);
  if (!relative_matters) {
    // Drop faces whose total weight is below the rounding error; keep one.
    double unseen = 0;
    while (sizes_.size() > 1 && unseen + power(sizes_.back().first) <= invisible) {
      unseen += power(sizes_.back().first);
      sizes_.pop_back();
    }
    alone_error += unseen;
  }
  smallest_ = sizes_.front().first;
  const double scale = power(smallest_);
  const double dropped = drop_large_faces(scale > 0 ? alone / scale : 0);
  double relative = 1;  // what the other faces add, in units of `scale`
  double error = 0;
  if (sizes_.size() > 1) {
    Series series;
    if (const auto sum = sum_downset(family)) {
      relative = sum->value / scale;
      error = sum->relative_error * relative;
    } else if (inclusion_exclusion(family, series)) {
      relative = series.total;
      error =
          series.left_out + rounding * (series.sums + series.terms_total) + slip_ * series.weighted;
    } else {
      merge_classes(family);
      const double rest = power(smallest_ - core_);
      Sweep swept = sweep(state_budget);
      if (!swept.complete) swept = branch(state_budget);
      if (swept.complete && rest >= std::numeric_limits<double>::min()) {
        relative = swept.miss / rest;
        error = swept.error / rest;
      } else {
        std::tie(relative, error) = bracket(family);
      }
    }
  }
  error += dropped + relative * power_error(smallest_);
  result.value = add_miss(alone, relative * scale);
  result.log2 = alone > 0 ? std::log2(result.value)
                          : static_cast<double>(smallest_) * log2_lose_ + std::log2(relative);
  result.error = alone_error + error * scale + 2 * rounding * result.value;
  const double relative_error =
      alone > 0 ? result.error / result.value : error / relative + 2 * rounding;
  result.log2_error = relative_error / std::log(2.0);
  return result;
}

std::optional<MissProbability> HitProbability::miss(const Tops& tops, bool relative_matters) {
  if (lose_ < least_lose || lose_ == 1) return std::nullopt;
  const std::size_t weight = tops.weigh(tops.all());
  double unseen = 0;
  const Tops* seen = &tops;
  if (!relative_matters && weight > tuning::downset_elements) {
    // Drop tops whose total weight is below the rounding error; keep one. The choice is made among
    // maximal tops, so that it does not depend on how many subsets of them are listed.
    visible_ = tops;
    keep_maximal(visible_.sets, visible_.n_small, scratch_);
    const double least = invisible / static_cast<double>(visible_.sets.size());
    const std::size_t before = visible_.sets.size();
    std::size_t most = 0;
    for (const Word top : visible_.sets) most = std::max(most, tops.weigh(top));
    std::erase_if(visible_.sets, [&](Word top) {
      const std::size_t inside = tops.weigh(top);
      return inside != most && power(weight - inside) <= least;
    });
    visible_.n_small = visible_.sets.size();
    if (visible_.sets.size() < before) unseen = invisible;
    seen = &visible_;
  }
  const auto sum = downset_.sum(*seen, tuning::downset_families);
  if (!sum) return std::nullopt;
  const double error = sum->relative_error * sum->value + unseen;
  MissProbability result{sum->value, 0, error, 0, unseen == 0};
  if (relative_matters || result.complete) {
    result.log2 = std::log2(sum->value);
    result.log2_error = error / sum->value / std::log(2.0);
  }
  return result;
}

/// Sets tops_ to the family's elements, without sets. False if their total weight is too large;
/// weights are used because equal rows may have been merged or not.
bool HitProbability::take_tops(const FaceFamily& family) {
  if (family.n_elements() == 0 || family.n_elements() > word_bits) return false;
  tops_.reset(family.n_elements());
  Index all = 0;
  for (const Index weight : family.weights()) all |= weight - 1;
  if (all >= Tops::most_weight) return false;
  tops_.planes.assign(static_cast<std::size_t>(std::bit_width(all)), 0);
  for (std::size_t i = 0; i < family.weights().size(); ++i) {
    for (std::size_t k = 0; k < tops_.planes.size(); ++k) {
      tops_.planes[k] |= Word{(family.weights()[i] - 1) >> k & 1} << i;
    }
  }
  return tops_.weigh(tops_.all()) <= word_bits;
}

/// The probability to miss a chosen face, computed from complements. Nothing if that would take
/// long.
std::optional<DownsetSum> HitProbability::sum_downset(const FaceFamily& family) {
  if (lose_ < least_lose || !take_tops(family)) return std::nullopt;
  for (const std::size_t i : chosen_) tops_.sets.push_back(tops_.all() & ~*family.face(i));
  return downset_.sum(tops_, tuning::downset_families);
}

/// The twin classes of the chosen faces; the class of what they all have in common is set aside: a
/// miss loses all of it.
void HitProbability::merge_classes(const FaceFamily& family) {
  merge_twins(family, chosen_, false, classes_);
  core_ = 0;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    if (count_bits(classes_.mask(c), classes_.mask_words) < chosen_.size()) continue;
    core_ = classes_.weights[c];
    classes_.weights.erase(classes_.weights.begin() + static_cast<std::ptrdiff_t>(c));
    const auto mask = classes_.masks.begin() + static_cast<std::ptrdiff_t>(c * classes_.mask_words);
    classes_.masks.erase(mask, mask + static_cast<std::ptrdiff_t>(classes_.mask_words));
    return;
  }
}

/// Leaves out the largest faces while what they can add is negligible next to the smallest face and
/// to `alone`, all in units of the smallest face's power, so that nothing underflows. Returns a
/// bound on what they could add.
double HitProbability::drop_large_faces(double alone) {
  double dropped = 0;
  while (sizes_.size() > 1) {
    const double more = dropped + power(sizes_.back().first - smallest_);
    if (more > negligible_share * std::max(1.0, alone)) break;
    dropped = more;
    sizes_.pop_back();
  }
  // Largest first: unions grow fast, so terms fade and faces are swallowed early.
  chosen_.clear();
  for (const auto& [weight, i] : sizes_ | std::views::reverse) chosen_.push_back(i);
  return dropped;
}

/// Sum over the non-empty sets T of faces of (-1)^(|T| + 1) lose^(|union of T| - smallest). False
/// when that takes too many terms.
bool HitProbability::inclusion_exclusion(const FaceFamily& family, Series& series) {
  FaceUnions unions{family, chosen_, std::vector<Word>((chosen_.size() + 1) * family.words(), 0)};
  return extend(unions, 0, 0, series);
}

/// Adds the terms of all sets that extend the first `depth` chosen ones by faces from `first` on.
bool HitProbability::extend(FaceUnions& unions, std::size_t first, std::size_t depth,
                            Series& series) const {
  const std::size_t n = chosen_.size();
  for (std::size_t i = first; i < n; ++i) {
    const std::uint64_t weight = unions.join(depth, i);
    if (++series.terms > tuning::inclusion_terms) return false;
    // When the union has swallowed a face that is still to come, the sets with and without that
    // face cancel: this one and all its extensions add up to nothing.
    if (unions.swallows_after(depth, i)) continue;
    const double term = power(weight - smallest_);
    series.total += depth % 2 == 0 ? term : -term;
    series.sums += std::abs(series.total);
    series.terms_total += term;
    series.weighted += term * static_cast<double>(weight - smallest_);
    if (i + 1 == n) break;
    // A larger union has a smaller power: of 2^(n - i - 1) extensions none weighs more than this.
    const double rest = n - i <= powers_of_two.size()
                            ? term * powers_of_two[n - i - 1]
                            : std::ldexp(term, static_cast<int>(n - i - 1));
    if (rest <= negligible_term) {
      series.left_out += rest;
    } else if (!extend(unions, i + 1, depth + 1, series)) {
      return false;
    }
  }
  return true;
}

/// Decides the elements one class of twins at a time. A state is the set of open faces (some
/// elements decided, some not) that are hit; a face whose last element passes without a hit is
/// missed, and the state's probability goes to the result. The next face to finish is the one with
/// fewest elements left, so few faces are open at once, and components follow each other by
/// themselves.
HitProbability::Sweep HitProbability::sweep(std::size_t state_budget) {
  constexpr Index no_slot = std::numeric_limits<Index>::max();
  const std::size_t n_faces = chosen_.size();
  std::vector<std::size_t> left(n_faces, 0);
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    for_each_bit(classes_.mask(c), classes_.mask_words, [&](std::size_t f) { ++left[f]; });
  }
  std::vector<char> decided(classes_.size(), 0);
  std::vector<Index> slot(n_faces, no_slot);
  Word free_slots = ~Word{0};
  Sweep result;
  std::uint64_t weight = 0;
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
      if (!room) return {0, 0, false};
      const double lost = power(classes_.weights[c]);
      const double kept =
          lose_ == 0.5 && classes_.weights[c] < 50
              ? 1 - lost
              : -std::expm1(static_cast<double>(classes_.weights[c]) * std::log(lose_));
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
      if (states_.size() > state_budget) return {0, 0, false};
      weight += classes_.weights[c];
      free_slots |= closing;
      if (closing != 0) {
        for (std::size_t f = 0; f < n_faces; ++f) {
          if (slot[f] != no_slot && (closing >> slot[f] & 1) && left[f] == 0) slot[f] = no_slot;
        }
      }
    }
  }
  // One product and two sums per class, all of positive numbers, and the error of the powers.
  result.error = result.miss * (3 * rounding * static_cast<double>(classes_.size()) +
                                static_cast<double>(weight) * slip_);
  return result;
}

HitProbability::Sweep HitProbability::branch(std::size_t nodes_left) {
  std::vector<double> lost;
  double weight = 0;
  for (const std::uint64_t w : classes_.weights) {
    lost.push_back(power(w));
    weight += static_cast<double>(w);
  }
  Sweep result;
  result.complete = ElementSearch(classes_, chosen_.size(), lost, nodes_left).run(result.miss);
  result.error =
      result.miss * (3 * rounding * static_cast<double>(classes_.size()) + weight * slip_);
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

/// The middle of bounds that need no search, and half their distance, in units of the smallest
/// face's power: at least that face and the first two terms of inclusion and exclusion, at most the
/// sum of all faces and what they would miss if they were independent (Harris).
std::pair<double, double> HitProbability::bracket(const FaceFamily& family) const {
  const double scale = power(smallest_);
  double sum = 0;
  double independent = 0;
  for (const auto& [weight, i] : sizes_) {
    sum += power(weight - smallest_);
    independent = add_miss(independent, power(weight));
  }
  double pairs = sum;
  // Pairs can only sharpen what is visible at all.
  if (sum * scale > 0x1p-60) {
    pairs = 0;
    std::vector<Word> both(family.words());
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        for (std::size_t w = 0; w < family.words(); ++w) {
          both[w] = family.face(chosen_[i])[w] | family.face(chosen_[j])[w];
        }
        pairs += power(family.weigh(both.data()) - smallest_);
      }
    }
  }
  const double high = scale > 0 ? std::min(sum, independent / scale) : sum;
  const double low = std::max(1.0, sum - pairs);
  return {(low + high) / 2, (high - low) / 2 + rounding * sum * static_cast<double>(sizes_.size())};
}

}  // namespace conceptrank
