#include "cpp/score/downset.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "cpp/base/kernels.hpp"
#include "cpp/base/tuning.hpp"

namespace conceptrank {
namespace {

__extension__ using TwoWords = unsigned __int128;

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr std::size_t word_bits_exponent = 6;

}  // namespace

/// Arithmetic that counts subsets. The result fits the type, so intermediate overflow is harmless.
template <class Unsigned>
struct Downset::Counts {
  using Number = Unsigned;

  Number all(std::size_t elements) const { return Number{1} << elements; }
  Number some(std::size_t elements) const { return all(elements) - 1; }
  Number none(std::size_t) const { return 1; }
  /// All subsets of `elements` out of `open` ones.
  Number inside(std::size_t elements, std::size_t) const { return all(elements); }
  Number marked(std::uint64_t count, std::span<const Word>, std::size_t) const { return count; }
  Number unmarked(std::uint64_t count, std::span<Word>, std::size_t elements) const {
    return all(elements) - count;
  }
};

/// Arithmetic that adds up probabilities.
struct Downset::Chances {
  using Number = double;

  const Downset& downset;

  Number all(std::size_t) const { return 1; }
  Number some(std::size_t elements) const { return downset.some_[elements]; }
  Number none(std::size_t elements) const { return downset.lost_powers_[elements]; }
  Number inside(std::size_t elements, std::size_t open) const { return none(open - elements); }
  Number marked(std::uint64_t, std::span<const Word> subsets, std::size_t elements) const {
    constexpr auto of_size = [] {
      std::array<Word, 7> sets{};
      for (std::size_t bit = 0; bit < word_bits; ++bit) sets[count_bits(bit)] |= Word{1} << bit;
      return sets;
    }();
    std::array<std::uint64_t, tuning::marked_elements + 1> counts{};
    for (std::size_t w = 0; w < subsets.size(); ++w) {
      if (subsets[w] == 0) continue;
      for (std::size_t k = 0; k < of_size.size() && k + count_bits(w) <= elements; ++k) {
        counts[k + count_bits(w)] += count_bits(subsets[w] & of_size[k]);
      }
    }
    Number result = 0;
    for (std::size_t size = 0; size <= elements; ++size) {
      result += static_cast<double>(counts[size]) * downset.kept_powers_[size] *
                downset.lost_powers_[elements - size];
    }
    return result;
  }
  Number unmarked(std::uint64_t count, std::span<Word> subsets, std::size_t elements) const {
    for (Word& word : subsets) word = ~word;
    if (elements < word_bits_exponent) subsets[0] &= tail_mask(std::size_t{1} << elements);
    return marked(count, subsets, elements);
  }
};

Downset::Downset(double keep, double slip) : keep_(keep), slip_(slip) {
  for (std::size_t i = 0; i <= Tops::most_weight; ++i) {
    const auto exponent = static_cast<double>(i);
    kept_powers_[i] = std::pow(keep, exponent);
    lost_powers_[i] = std::pow(1 - keep, exponent);
    some_[i] = i == 0 ? 0 : -std::expm1(exponent * std::log1p(-keep));
  }
}

std::optional<DownsetSum> Downset::sum(const Tops& tops, std::size_t nodes) {
  const std::size_t weight = tops.weigh(tops.all());
  tops_ = &tops;
  heavy_ = 0;
  for (const Word plane : tops.planes) heavy_ |= plane;
  // All subsets; their number may overflow.
  if (std::ranges::find(tops.sets, tops.all()) != tops.sets.end()) return DownsetSum{1, 0};
  nodes_left_ = nodes;
  nodes_used_ = 0;
  terms_used_ = 0;
  gave_up_ = false;
  DownsetSum result;
  if (keep_ == 0.5) {
    const double count = weight <= word_bits
                             ? static_cast<double>(total(Counts<Word>{}, weight))
                             : static_cast<double>(total(Counts<TwoWords>{}, weight));
    result.value = std::ldexp(count, -static_cast<int>(weight));
    result.relative_error = epsilon;
  } else {
    result.value = total(Chances{*this}, weight);
    // One product and one sum per family, and one sum per small top, each with an error of at most
    // half a unit.
    const std::size_t steps = nodes_used_ + terms_used_ + 4 * weight + tuning::some_tops_terms;
    result.relative_error =
        static_cast<double>(steps) * epsilon + static_cast<double>(weight + 1) * 2 * slip_;
  }
  if (gave_up_) return std::nullopt;
  return result;
}

template <class Arithmetic>
typename Arithmetic::Number Downset::total(const Arithmetic& arithmetic, std::size_t weight) {
  using Number = typename Arithmetic::Number;
  if (tops_->n_elements <= tuning::marked_elements && heavy_ == 0) {
    return mark(arithmetic, tops_->sets, tops_->all());
  }
  stack_.assign(tops_->sets.begin(), tops_->sets.end());
  std::size_t n_small = tops_->n_small;
  if constexpr (std::is_floating_point_v<Number>) {
    // Rounding depends on the order of the terms, so the order must not depend on how the sets were
    // found.
    std::ranges::sort(stack_);
    keep_maximal(stack_, smaller_);
    n_small = 0;
  }
  Number result = 0;
  Number factor = 1;
  // An element that is all that some top lacks. Without it, a subset is below that top; with it,
  // the subset can only be below tops that have all such elements.
  Word alone = 0;
  for (const Word top : stack_) {
    const Word lacked = tops_->all() & ~top;
    alone |= lacked & (has_several(lacked) - 1);
  }
  if (alone != 0) {
    for (Word rest = alone; rest != 0; rest &= rest - 1) {
      const std::size_t own = tops_->weigh(rest & (~rest + 1));
      weight -= own;
      result += factor * arithmetic.none(own) * arithmetic.all(weight);
      factor *= arithmetic.some(own);
    }
    // Branch-free, because sizes are unpredictable.
    std::size_t left = 0;
    const std::size_t first_small = stack_.size() - n_small;
    n_small = 0;
    for (std::size_t i = 0; i < stack_.size(); ++i) {
      const Word top = stack_[i];
      const std::size_t stays = (alone & ~top) == 0 ? 1 : 0;
      stack_[left] = top & ~alone;
      left += stays;
      n_small += i < first_small ? 0 : stays;
    }
    stack_.resize(left);
    if (stack_.empty()) return result;
  }
  Word some = 0;
  Word all = ~Word{0};
  for (const Word top : stack_) {
    some |= top;
    all &= top;
  }
  if (stack_.size() > tuning::few_tops &&
      (count_bits(some & ~all) > tuning::marked_elements || heavy_ != 0)) {
    keep_maximal(stack_, n_small, smaller_);
    Number peeled = 0;
    stack_.resize(peel(arithmetic, 0, stack_.size(), weight, peeled));
    result += factor * peeled;
    if (stack_.size() <= tuning::some_tops) {
      const auto sum = by_intersections(arithmetic, 0, stack_.size(), weight);
      if (sum) return result + factor * *sum;
    }
  }
  return result + factor * decide(arithmetic, 0, stack_.size(), weight);
}

/// The sum over tops with few elements, all of weight 1, to decide.
template <class Arithmetic>
typename Arithmetic::Number Downset::mark(const Arithmetic& arithmetic, std::span<const Word> tops,
                                          Word elements) {
  subsets_.resize(subset_words(tuning::marked_elements));
  const std::uint64_t count =
      kernels().mark_below(tops.data(), tops.size(), elements, subsets_.data());
  const std::size_t n = count_bits(elements);
  return arithmetic.marked(count, std::span(subsets_).first(subset_words(n)), n);
}

/// Removes the tops of few elements from stack_[begin, end), and adds to `result` the sum over the
/// subsets that are below one of them and below none of the large ones. Each top contributes what
/// the tops before it and the large ones leave. Returns the new end.
template <class Arithmetic>
std::size_t Downset::peel(const Arithmetic& arithmetic, std::size_t begin, std::size_t end,
                          std::size_t open, typename Arithmetic::Number& result) {
  const std::span<Word> tops = std::span(stack_).subspan(begin, end - begin);
  const auto small = std::ranges::partition(tops, [&](Word top) {
    return count_bits(top) > tuning::marked_elements || (top & heavy_) != 0;
  });
  const auto tiny =
      std::ranges::partition(small, [](Word top) { return count_bits(top) > word_bits_exponent; });
  const auto n_large = static_cast<std::size_t>(small.begin() - tops.begin());
  const auto n_others = static_cast<std::size_t>(tiny.begin() - tops.begin());
  subsets_.resize(std::max(subset_words(tuning::marked_elements), bundle_stride(tiny.size())));
  const auto add = [&](Word top, std::uint64_t count, std::span<Word> marked) {
    const std::size_t n = count_bits(top);
    result += arithmetic.none(open - n) * arithmetic.unmarked(count, marked, n);
  };
  for (std::size_t i = n_large; i < n_others; ++i) {
    const std::uint64_t count = kernels().mark_below(tops.data(), i, tops[i], subsets_.data());
    add(tops[i], count, std::span(subsets_).first(subset_words(count_bits(tops[i]))));
  }
  // One word each: all at once.
  kernels().mark_each(tops.data(), n_others, tops.size(), subsets_.data());
  for (std::size_t i = n_others; i < tops.size(); ++i) {
    Word& marked = subsets_[i - n_others];
    add(tops[i], count_bits(marked), {&marked, 1});
  }
  terms_used_ += tops.size() - n_large;
  return begin + n_large;
}

/// Adds to `result`, with alternating signs, the terms of all sets of tops before stack_[end] on
/// top of those with intersection `common`. If `common` is a subset of a top still to come, the
/// sets with and without that top cancel, and so do all that extend them. False if the terms are
/// used up.
template <class Arithmetic>
bool Downset::extend(const Arithmetic& arithmetic, std::size_t begin, std::size_t end, Word common,
                     std::size_t open, typename Arithmetic::Number& result, bool minus) {
  for (std::size_t i = end; i-- > begin;) {
    if (terms_left_-- == 0) return false;
    const Word both = common & stack_[i];
    bool cancels = false;
    for (std::size_t k = begin; k < i && !cancels; ++k) cancels = (both & ~stack_[k]) == 0;
    if (cancels) continue;
    const auto term = arithmetic.inside(tops_->weigh(both), open);
    result = minus ? result - term : result + term;
    if (!extend(arithmetic, begin, i, both, open, result, !minus)) return false;
  }
  return true;
}

template <class Arithmetic>
std::optional<typename Arithmetic::Number> Downset::by_intersections(const Arithmetic& arithmetic,
                                                                     std::size_t begin,
                                                                     std::size_t end,
                                                                     std::size_t open) {
  typename Arithmetic::Number result = 0;
  terms_left_ = tuning::some_tops_terms;
  if (!extend(arithmetic, begin, end, ~Word{0}, open, result, false)) return std::nullopt;
  return result;
}

/// The sum over the tops in stack_[begin, end), none of which is a subset of another unless there
/// are few elements, with `open` elements still to decide. Consumes the tops.
template <class Arithmetic>
typename Arithmetic::Number Downset::decide(const Arithmetic& arithmetic, std::size_t begin,
                                            std::size_t end, std::size_t open) {
  using Number = typename Arithmetic::Number;
  Number result = 0;
  Number factor = 1;
  for (;;) {
    ++nodes_used_;
    if (gave_up_ || nodes_used_ > nodes_left_) {
      gave_up_ = true;
      return 0;
    }
    if (end - begin > tuning::few_tops) {
      Number peeled = 0;
      end = peel(arithmetic, begin, end, open, peeled);
      result += factor * peeled;
    }
    const std::size_t n_tops = end - begin;
    if (n_tops <= tuning::few_tops) {
      return result + factor * *by_intersections(arithmetic, begin, end, open);
    }
    // In how many tops each element is, as a number in binary whose digits are spread over words.
    std::array<Word, word_bits> digits;
    const auto n_digits = static_cast<std::size_t>(std::bit_width(n_tops));
    std::fill_n(digits.begin(), n_digits, Word{0});
    Word some = 0;
    Word all = ~Word{0};
    for (std::size_t i = begin; i < end; ++i) {
      Word carry = stack_[i];
      some |= carry;
      all &= carry;
      for (std::size_t d = 0; d < n_digits; ++d) {
        const Word sum = digits[d] ^ carry;
        carry &= digits[d];
        digits[d] = sum;
      }
    }
    // Elements of no top are lost, those of every top do not matter.
    const Word rest = some & ~all;
    const std::size_t n_rest = count_bits(rest);
    factor *= arithmetic.all(tops_->weigh(all)) * arithmetic.none(open - tops_->weigh(some));
    open = tops_->weigh(rest);
    if (n_rest <= tuning::marked_elements && (rest & heavy_) == 0) {
      return result +
             factor * mark(arithmetic, std::span(stack_).subspan(begin, end - begin), rest);
    }
    Word rarest = n_rest <= tuning::marked_elements ? rest & heavy_ : rest;
    for (std::size_t d = n_digits; d-- > 0;) {
      if ((rarest & ~digits[d]) != 0) rarest &= ~digits[d];
    }
    const Word element = rarest & (~rarest + 1);
    const std::size_t weight = tops_->weigh(element);
    open -= weight;
    const std::size_t below = stack_.size();
    for (std::size_t i = begin; i < end; ++i) {
      if ((stack_[i] & element) != 0) stack_.push_back(stack_[i] & rest & ~element);
    }
    result += factor * arithmetic.some(weight) * decide(arithmetic, below, stack_.size(), open);
    stack_.resize(below);
    factor *= arithmetic.none(weight);
    end = remove(begin, end, element, rest & ~element);
  }
}

/// Restricts the tops in stack_[begin, end) to `rest`. Those that had the element have become
/// smaller and are removed if they are now subsets of one of the others. Returns the new end.
std::size_t Downset::remove(std::size_t begin, std::size_t end, Word element, Word rest) {
  smaller_.clear();
  std::size_t kept = begin;
  for (std::size_t i = begin; i < end; ++i) {
    const Word top = stack_[i] & rest;
    if ((stack_[i] & element) != 0) {
      smaller_.push_back(top);
    } else {
      stack_[kept++] = top;
    }
  }
  const std::size_t others = kept;
  for (const Word top : smaller_) {
    bool inside = false;
    for (std::size_t k = begin; k < others && !inside; ++k) inside = (top & ~stack_[k]) == 0;
    if (!inside) stack_[kept++] = top;
  }
  return kept;
}

}  // namespace conceptrank
