#include "conceptrank/downset.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "conceptrank/kernels.hpp"

namespace conceptrank {
namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();

std::vector<double> powers(double base) {
  std::vector<double> result;
  for (std::size_t i = 0; i <= Downset::most_elements; ++i) {
    result.push_back(std::pow(base, static_cast<double>(i)));
  }
  return result;
}

}  // namespace

Downset::Downset(double keep, double slip)
    : keep_(keep),
      lose_(1 - keep),
      slip_(slip),
      kept_powers_(powers(keep)),
      lost_powers_(powers(1 - keep)) {}

DownsetSum Downset::by_subsets(std::span<const Word> tops, std::size_t n_elements) {
  const std::size_t n = n_elements;
  const std::size_t words = n <= 6 ? 1 : std::size_t{1} << (n - 6);
  subsets_.assign(words, 0);
  for (const Word top : tops) set_bit(subsets_.data(), top);
  constexpr Word without[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                              0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
  for (std::size_t e = 0; e < std::min<std::size_t>(n, 6); ++e) {
    for (Word& word : subsets_) word |= (word >> (1u << e)) & without[e];
  }
  for (std::size_t step = 1; step < words; step *= 2) {
    for (std::size_t base = 0; base < words; base += 2 * step) {
      for (std::size_t k = base; k < base + step; ++k) subsets_[k] |= subsets_[k + step];
    }
  }
  if (keep_ == 0.5) {
    const auto count = static_cast<double>(kernels().count(subsets_.data(), words));
    return {std::ldexp(count, -static_cast<int>(n)), 0};
  }
  // By their number of elements.
  std::array<Word, 7> of_size{};
  for (std::size_t bit = 0; bit < word_bits; ++bit) of_size[count_bits(bit)] |= Word{1} << bit;
  std::array<double, most_elements + 1> counts{};
  for (std::size_t w = 0; w < words; ++w) {
    if (subsets_[w] == 0) continue;
    for (std::size_t k = 0; k < of_size.size() && k + count_bits(w) <= n; ++k) {
      counts[k + count_bits(w)] += static_cast<double>(count_bits(subsets_[w] & of_size[k]));
    }
  }
  DownsetSum sum;
  for (std::size_t size = 0; size <= n; ++size) {
    sum.value += counts[size] * kept_powers_[size] * lost_powers_[n - size];
  }
  sum.relative_error = static_cast<double>(n + 4) * (4 * rounding + slip_);
  return sum;
}

/// The chance to take certain `taken` elements and, besides, nothing but some of `open` others.
double Downset::chance(std::size_t taken, std::size_t open) const {
  return kept_powers_[taken] * lost_powers_[n_ - taken - open];
}

std::optional<DownsetSum> Downset::by_first_elements(std::span<const Word> tops,
                                                     std::size_t n_elements, std::size_t nodes) {
  n_ = n_elements;
  nodes_left_ = nodes_used_ = 0;
  nodes_left_ = nodes;
  gave_up_ = false;
  // Elements of few tops come first: what is left behind them is small, and what is left behind
  // the others is short.
  std::array<std::size_t, word_bits> degree{};
  for (const Word top : tops) {
    for_each_bit(&top, 1, [&](std::size_t e) { ++degree[e]; });
  }
  std::array<std::size_t, word_bits> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n_),
                   [&](std::size_t a, std::size_t b) { return degree[a] < degree[b]; });
  std::array<std::size_t, word_bits> place{};
  for (std::size_t i = 0; i < n_; ++i) place[order[i]] = i;
  stack_.clear();
  for (const Word top : tops) {
    Word moved = 0;
    for_each_bit(&top, 1, [&](std::size_t e) { moved |= Word{1} << place[e]; });
    stack_.push_back(moved);
  }
  const double value = walk(0, keep_maximal(0, stack_.size()), 0);
  if (gave_up_) return std::nullopt;
  return DownsetSum{value, static_cast<double>(nodes_used_ + 4 * n_ + 4) * rounding +
                               static_cast<double>(n_ + 1) * 2 * slip_};
}

/// Of the tops in stack_[begin, end), moves the maximal ones to the front; returns their end.
std::size_t Downset::keep_maximal(std::size_t begin, std::size_t end) {
  std::sort(stack_.begin() + static_cast<std::ptrdiff_t>(begin),
            stack_.begin() + static_cast<std::ptrdiff_t>(end), [](Word a, Word b) {
              const std::size_t left = count_bits(a);
              const std::size_t right = count_bits(b);
              return left != right ? left > right : a < b;
            });
  std::size_t kept = begin;
  for (std::size_t i = begin; i < end; ++i) {
    const Word top = stack_[i];
    bool below = false;
    for (std::size_t k = begin; k < kept && !below; ++k) below = (top & ~stack_[k]) == 0;
    if (!below) stack_[kept++] = top;
  }
  return kept;
}

/// The chance to take `taken` elements decided before and, besides, a subset of one of the tops in
/// stack_[begin, end), which are maximal.
double Downset::walk(std::size_t begin, std::size_t end, std::size_t taken) {
  ++nodes_used_;
  if (gave_up_ || nodes_left_-- == 0) {
    gave_up_ = true;
    return 0;
  }
  const Word first = stack_[begin];
  if (end - begin == 1) return chance(taken, count_bits(first));
  const Word second = stack_[begin + 1];
  if (end - begin == 2) {
    return chance(taken, count_bits(first)) + chance(taken, count_bits(second)) -
           chance(taken, count_bits(first & second));
  }
  Word once = 0;
  Word often = 0;
  for (std::size_t i = begin; i < end; ++i) {
    often |= once & stack_[i];
    once |= stack_[i];
  }
  double total = chance(taken, 0);
  for (Word rest = once; rest != 0 && !gave_up_; rest &= rest - 1) {
    const Word bit = rest & (~rest + 1);
    const Word behind = ~(bit | (bit - 1));
    const std::size_t below = stack_.size();
    for (std::size_t i = begin; i < end; ++i) {
      if ((stack_[i] & bit) == 0) continue;
      const Word top = stack_[i] & behind;
      if ((often & bit) == 0) {
        total += chance(taken + 1, count_bits(top));
        break;
      }
      stack_.push_back(top);
    }
    if (stack_.size() != below) {
      total += walk(below, keep_maximal(below, stack_.size()), taken + 1);
      stack_.resize(below);
    }
  }
  return total;
}

}  // namespace conceptrank
