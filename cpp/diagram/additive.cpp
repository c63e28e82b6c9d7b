#include "cpp/diagram/additive.hpp"

#include <set>
#include <utility>

namespace conceptrank::diagram {
namespace {

// The cost of two elements of a layer that are too close.
constexpr std::int64_t kOverlap = 2000;
// The steps of a round per vector.
constexpr std::int64_t kSteps = 30;
// The number of pairs (two lines, or a line and an element) that a round may check.
constexpr std::int64_t kMostTests = 1'500'000;

struct Cost {
  std::int64_t all;
  std::int64_t faults;
};

// Threshold accepting on the columns of the vectors.
class Search {
 public:
  Search(const Ints& upper, const Ints& lower, const Ints& layers, const Ints& columns)
      : upper_(upper), lower_(lower), columns_(columns), x_(columns), y_(layers), sets_(x_.size()) {
    List<Ints> above(x_.size());
    List<std::uint8_t> joined(x_.size());
    for (std::size_t e = 0; e < upper.size(); ++e) {
      above[lower[e]].push_back(upper[e]);
      joined[upper[e]] = joined[lower[e]] = 1;
    }
    for (Int v = 0; v < static_cast<Int>(x_.size()); ++v)
      (joined[v] ? order_ : alone_).push_back(v);
    // Layers of the layered diagram are numbered from the top, so everything above an element comes
    // before it.
    std::sort(order_.begin(), order_.end(),
              [&](Int v, Int w) { return std::tie(layers[v], v) < std::tie(layers[w], w); });
    set_vectors(above);
  }

  AdditivePlaces run(Int most_layers, Budget& budget) {
    if (order_.empty() || static_cast<Int>(rows_.size()) - 1 > most_layers) return {x_, y_, false};
    const Int k = static_cast<Int>(step_.size());
    const Int reach = 2 * k + 2;
    for (Int& each : step_) each = std::clamp(each, -reach, reach);
    place();
    Cost cost = costs();
    Cost best = cost;
    Ints kept = step_;
    const auto m = static_cast<std::int64_t>(upper_.size());
    const std::int64_t work = m * (m + static_cast<std::int64_t>(order_.size())) / 2 + 1;
    const std::int64_t steps =
        k == 0 ? 0 : std::max<std::int64_t>(k, std::min(kSteps * k, kMostTests / work));
    Chance chance;
    for (const Int threshold : kThresholds) {
      // A round starts from the best places so far.
      if (cost.all > best.all) {
        step_ = kept;
        cost = best;
      }
      for (std::int64_t i = 0; i < steps; ++i) {
        budget.poll(0, 0);
        if (budget.stopped()) break;
        const Int j = chance.below(k);
        const Int kind = chance.below(4);
        const Int other = kind == 3 ? chance.below(k) : j;
        const Int own = step_[j];
        const Int foreign = step_[other];
        if (kind < 2)
          step_[j] = std::clamp(own + chance.below(5) - 2, -reach, reach);
        else if (kind == 2)
          step_[j] = chance.below(2 * reach + 1) - reach;
        else
          std::swap(step_[j], step_[other]);
        place();
        const Cost next = costs();
        if (next.all - cost.all > threshold) {
          step_[j] = own;
          step_[other] = foreign;
          continue;
        }
        cost = next;
        if (cost.all < best.all) {
          best = cost;
          kept = step_;
        }
      }
    }
    step_ = kept;
    place();
    // Elements without covers are placed on the right, on the layer of an element of similar depth.
    const Int depth = static_cast<Int>(rows_.size()) - 1;
    Int right = x_[order_[0]];
    for (const Int v : order_) right = std::max(right, x_[v]);
    for (const Int v : alone_) {
      x_[v] = right + kApart;
      y_[v] = std::min(depth, y_[v]);
    }
    spread(x_, y_);
    return {x_, y_, best.faults == 0};
  }

 private:
  // From the top down an element has the vectors of the elements above it. If another element has
  // the same ones, it gets one of its own. In a lattice these are the irreducible attributes.
  void set_vectors(List<Ints>& above) {
    std::set<Ints> taken;
    for (const Int v : order_) {
      std::sort(above[v].begin(), above[v].end());
      std::set<Int> united;
      for (const Int u : above[v]) united.insert(sets_[u].begin(), sets_[u].end());
      Ints own(united.begin(), united.end());
      if (taken.contains(own)) {
        own.push_back(static_cast<Int>(step_.size()));
        step_.push_back(above[v].empty() ? 0 : columns_[v] - columns_[above[v][0]]);
      }
      taken.insert(own);
      y_[v] = static_cast<Int>(own.size());
      sets_[v] = std::move(own);
    }
    set_bottom();
    Int depth = 0;
    for (const Int v : order_) depth = std::max(depth, y_[v]);
    rows_.resize(static_cast<std::size_t>(depth) + 1);
    for (const Int v : order_) rows_[y_[v]].push_back(v);
  }

  // An element below all others goes to the next layer, even if its sum of vectors is farther down.
  void set_bottom() {
    List<std::uint8_t> is_upper(x_.size());
    for (const Int u : upper_) is_upper[u] = 1;
    Ints least;
    for (const Int v : order_)
      if (!is_upper[v]) least.push_back(v);
    if (least.size() != 1) return;
    const Int bottom = least[0];
    Int deepest = 0;
    for (const Int v : order_)
      if (v != bottom) deepest = std::max(deepest, y_[v]);
    if (y_[bottom] <= deepest + 1) return;
    y_[bottom] = deepest + 1;
    sets_[bottom] = {static_cast<Int>(step_.size())};
    step_.push_back(columns_[bottom] - columns_[order_[0]]);
  }

  void place() {
    for (const Int v : order_) {
      x_[v] = 0;
      for (const Int j : sets_[v]) x_[v] += step_[j];
    }
  }

  Cost costs() const {
    Cost cost{0, 0};
    for (const auto& row : rows_)
      for (std::size_t i = 0; i < row.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (std::abs(x_[row[i]] - x_[row[j]]) < kApart) cost.faults += kOverlap;
    for (std::size_t e = 0; e < upper_.size(); ++e) {
      const Int a = upper_[e];
      const Int b = lower_[e];
      cost.all += std::abs(x_[a] - x_[b]);
      for (std::size_t f = 0; f < e; ++f)
        if (cross(x_, y_, a, b, upper_[f], lower_[f])) cost.all += kCrossing;
      for (Int level = y_[a] + 1; level < y_[b]; ++level)
        for (const Int w : rows_[level])
          if (struck(x_, y_, w, a, b)) cost.faults += kStruck;
    }
    cost.all += cost.faults;
    return cost;
  }

  const Ints& upper_;
  const Ints& lower_;
  const Ints& columns_;
  Ints x_;
  Ints y_;
  List<Ints> sets_;  // the vectors of each element
  Ints step_;        // the columns of each vector
  Ints order_;       // elements with covers, from the top down
  Ints alone_;
  List<Ints> rows_;  // the elements of each layer
};

}  // namespace

AdditivePlaces additive_places(const Ints& upper, const Ints& lower, const Ints& layers,
                               const Ints& columns, Int most_layers, Budget& budget) {
  return Search(upper, lower, layers, columns).run(most_layers, budget);
}

}  // namespace conceptrank::diagram
