#include "cpp/diagram/places.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <set>
#include <stdexcept>

#include "cpp/diagram/additive.hpp"
#include "cpp/diagram/geometry.hpp"

namespace conceptrank {
namespace {

using namespace diagram;

// The cost per layer that a line spans.
constexpr Int kHeight = 4;
// The least and the largest number of steps of a round per element: as many as there are elements,
// if that is in between.
constexpr std::int64_t kFewestSteps = 30;
constexpr std::int64_t kMostSteps = 60;
constexpr std::int64_t kMostTests = 6'000'000;
constexpr Int kSweeps = 8;
// With more elements than this, "auto" does not try an additive diagram.
constexpr std::size_t kSmall = 50;

// Threshold accepting: an element goes to another column of its layer, changes places with the one
// that is there, or goes to another layer between the elements above and below it. A step that
// costs more than the threshold of the round is taken back.
class LayeredSearch {
 public:
  LayeredSearch(const std::vector<std::pair<Int, Int>>& covers, std::size_t n, Budget& budget)
      : budget_(budget),
        n_(static_cast<Int>(n)),
        x_(n),
        y_(n),
        marked_(covers.size()),
        incident_(n) {
    for (const auto& [u, v] : covers) {
      if (u < 0 || u >= n_ || v < 0 || v >= n_)
        throw std::invalid_argument("a cover refers to an element that does not exist");
      incident_[u].push_back(static_cast<Int>(upper_.size()));
      incident_[v].push_back(static_cast<Int>(upper_.size()));
      upper_.push_back(u);
      lower_.push_back(v);
    }
  }

  const Ints& x() const { return x_; }
  const Ints& y() const { return y_; }
  const Ints& upper() const { return upper_; }
  const Ints& lower() const { return lower_; }

  // Whether every element has a cover.
  bool joined() const {
    return std::none_of(incident_.begin(), incident_.end(),
                        [](const auto& own) { return own.empty(); });
  }

  // Layers as low as the elements below allow.
  void layered(const Ints& levels) {
    set_layers(levels);
    set_order();
    run();
  }

  // One layer for each support, the largest first; the columns start at those of the layered
  // diagram.
  void by_support(const Ints& supports) {
    if (supports.size() != y_.size())
      throw std::invalid_argument("every element must have a support");
    const std::set<Int, std::greater<>> sizes(supports.begin(), supports.end());
    for (Int v = 0; v < n_; ++v)
      y_[v] = static_cast<Int>(std::distance(sizes.begin(), sizes.find(supports[v])));
    for (std::size_t e = 0; e < upper_.size(); ++e)
      if (y_[upper_[e]] >= y_[lower_[e]])
        throw std::invalid_argument("an upper element must have the larger support");
    group();
    spread(x_, y_);
    fixed_ = true;
    run();
  }

 private:
  void group() {
    layers_.assign(
        static_cast<std::size_t>(n_ == 0 ? 0 : *std::max_element(y_.begin(), y_.end()) + 1), {});
    for (Int v = 0; v < n_; ++v) layers_[y_[v]].push_back(v);
  }

  void run() {
    const auto m = static_cast<std::int64_t>(upper_.size());
    if (n_ < 3 || m == 0) return;
    Ints moved(static_cast<std::size_t>(n_));
    for (Int v = 0; v < n_; ++v) moved[v] = v;
    std::int64_t cost = local(moved);
    std::int64_t best = cost;
    Ints kept_x = x_;
    Ints kept_y = y_;
    Int reach = fixed_ ? n_ : 4;
    for (const auto& members : layers_)
      reach = std::max(reach, 2 * static_cast<Int>(members.size()) + 2);
    // A step compares the lines of an element with all lines.
    const std::int64_t work = std::max<std::int64_t>(1, 2 * m * m / n_);
    const std::int64_t wanted = n_ * std::clamp<std::int64_t>(n_, kFewestSteps, kMostSteps);
    const std::int64_t steps = std::max<std::int64_t>(n_, std::min(wanted, kMostTests / work));
    for (const Int threshold : kThresholds) {
      // A round starts from the best places so far.
      if (cost > best) {
        restore(kept_x, kept_y);
        cost = best;
      }
      for (std::int64_t k = 0; k < steps; ++k) {
        budget_.poll(0, 0);
        if (budget_.stopped()) break;
        cost += step(reach, threshold);
        if (cost < best) {
          best = cost;
          kept_x = x_;
          kept_y = y_;
        }
      }
    }
    restore(kept_x, kept_y);
  }

  // Tries a step; returns by how much the cost changed, 0 if it was taken back.
  std::int64_t step(Int reach, Int threshold) {
    const Int v = chance_.below(n_);
    // An element without covers costs nothing anywhere, so it would drift away. Only others may
    // swap with it.
    if (incident_[v].empty()) return 0;
    const Int kind = chance_.below(4);
    // Half of the steps go near the neighbours, the others anywhere.
    const Int near = kind < 2 ? middle(v) - 2 : -reach;
    const Int wanted = near + chance_.below(kind < 2 ? 5 : 2 * reach + 1);
    Int level = y_[v];
    if (kind % 2 == 1 && !fixed_) {
      Int low = 0;
      Int high = static_cast<Int>(layers_.size()) - 1;
      for (const Int e : incident_[v]) {
        if (lower_[e] == v)
          low = std::max(low, y_[upper_[e]] + 1);
        else
          high = std::min(high, y_[lower_[e]] - 1);
      }
      if (low < high) level = low + chance_.below(high - low + 1);
    }
    if (wanted == x_[v] && level == y_[v]) return 0;
    const Int other = in_the_way(v, wanted, level);
    if (other == -2 || (other >= 0 && level != y_[v])) return 0;
    moved_.assign(1, v);
    if (other >= 0) moved_.push_back(other);
    const std::int64_t before = local(moved_);
    const Int old_x = x_[v];
    const Int old_y = y_[v];
    if (other < 0)
      move(v, wanted, level);
    else
      std::swap(x_[v], x_[other]);
    const std::int64_t change = local(moved_) - before;
    if (change <= threshold) return change;
    if (other < 0)
      move(v, old_x, old_y);
    else
      std::swap(x_[v], x_[other]);
    return 0;
  }

  void move(Int v, Int column, Int level) {
    if (level != y_[v]) {
      auto& members = layers_[y_[v]];
      members.erase(std::find(members.begin(), members.end(), v));
      layers_[level].push_back(v);
    }
    x_[v] = column;
    y_[v] = level;
  }

  void restore(const Ints& x, const Ints& y) {
    for (Int v = 0; v < n_; ++v) move(v, x[v], y[v]);
  }

  // The mean column of the neighbours, rounded down.
  Int middle(Int v) const {
    const auto& own = incident_[v];
    Int sum = 0;
    for (const Int e : own) sum += x_[upper_[e]] + x_[lower_[e]] - x_[v];
    const Int count = static_cast<Int>(own.size());
    return sum / count - (sum % count < 0 ? 1 : 0);
  }

  // The only element of a layer that is too near to a column: -1 for none, -2 for several.
  Int in_the_way(Int v, Int column, Int level) const {
    Int found = -1;
    for (const Int w : layers_[level]) {
      if (w == v || std::abs(x_[w] - column) >= kApart) continue;
      if (found >= 0) return -2;
      found = w;
    }
    return found;
  }

  // The cost of everything that depends on the places of some elements.
  std::int64_t local(const Ints& moved) {
    own_.clear();
    for (const Int v : moved) {
      for (const Int e : incident_[v]) {
        if (marked_[e]) continue;
        marked_[e] = 1;
        own_.push_back(e);
      }
    }
    const Int m = static_cast<Int>(upper_.size());
    std::int64_t cost = 0;
    for (const Int e : own_) {
      const Int a = upper_[e];
      const Int b = lower_[e];
      cost += std::abs(x_[a] - x_[b]) + kHeight * (y_[b] - y_[a]);
      for (Int f = 0; f < m; ++f) {
        // Pairs of two own lines are counted once.
        if ((!marked_[f] || f > e) && cross(x_, y_, a, b, upper_[f], lower_[f])) cost += kCrossing;
      }
      for (Int level = y_[a] + 1; level < y_[b]; ++level) {
        for (const Int w : layers_[level])
          if (struck(x_, y_, w, a, b)) cost += kStruck;
      }
    }
    for (const Int v : moved) {
      for (Int f = 0; f < m; ++f) {
        const Int a = upper_[f];
        const Int b = lower_[f];
        if (!marked_[f] && y_[a] < y_[v] && y_[v] < y_[b] && struck(x_, y_, v, a, b))
          cost += kStruck;
      }
    }
    for (const Int e : own_) marked_[e] = 0;
    return cost;
  }

  void set_layers(const Ints& levels) {
    // The longest way to a minimal element, then counted from the top.
    Ints height(levels.size());
    Ints open(levels.size());
    for (const Int u : upper_) ++open[u];
    Ints ready;
    for (Int v = 0; v < n_; ++v)
      if (open[v] == 0) ready.push_back(v);
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const Int v = ready[i];
      for (const Int e : incident_[v]) {
        if (lower_[e] != v) continue;
        const Int u = upper_[e];
        height[u] = std::max(height[u], height[v] + 1);
        if (--open[u] == 0) ready.push_back(u);
      }
    }
    if (ready.size() != levels.size()) throw std::invalid_argument("the covers have a cycle");
    const Int highest = n_ == 0 ? 0 : *std::max_element(height.begin(), height.end());
    Ints joined;
    Ints alone;
    for (Int v = 0; v < n_; ++v) {
      (incident_[v].empty() ? alone : joined).push_back(v);
      y_[v] = highest - height[v];
    }
    if (joined.empty()) {
      // Put them in rows, so that the shape of the diagram stays readable.
      Int columns = 1;
      while (columns * columns < 3 * n_) ++columns;
      for (std::size_t i = 0; i < alone.size(); ++i) y_[alone[i]] = static_cast<Int>(i) / columns;
    } else {
      for (const Int v : alone) {
        // On the layer of elements of similar depth.
        Int nearest = joined[0];
        for (const Int w : joined)
          if (std::abs(levels[w] - levels[v]) < std::abs(levels[nearest] - levels[v])) nearest = w;
        y_[v] = y_[nearest];
      }
    }
    group();
  }

  void settle(const Ints& members) {
    const Int count = static_cast<Int>(members.size());
    for (Int i = 0; i < count; ++i) x_[members[i]] = kApart * i - count + 1;
  }

  void set_order() {
    for (const auto& members : layers_) settle(members);
    Ints sums(x_.size());
    Ints counts(x_.size());
    for (Int sweep = 0; sweep < kSweeps; ++sweep) {
      const bool downwards = sweep % 2 == 0;
      for (std::size_t k = 0; k < layers_.size(); ++k) {
        auto& members = layers_[downwards ? k : layers_.size() - 1 - k];
        for (const Int v : members) {
          sums[v] = counts[v] = 0;
          for (const Int e : incident_[v]) {
            const Int w = upper_[e] == v ? lower_[e] : upper_[e];
            if ((y_[w] < y_[v]) != downwards) continue;
            sums[v] += x_[w];
            ++counts[v];
          }
          if (counts[v] == 0) {
            sums[v] = x_[v];
            counts[v] = 1;
          }
        }
        std::stable_sort(members.begin(), members.end(), [&](Int v, Int w) {
          const std::int64_t mean = static_cast<std::int64_t>(sums[v]) * counts[w] -
                                    static_cast<std::int64_t>(sums[w]) * counts[v];
          return mean != 0 ? mean < 0 : x_[v] < x_[w];
        });
        settle(members);
      }
    }
  }

  Budget& budget_;
  Int n_;
  Ints x_;
  Ints y_;
  Ints upper_;
  Ints lower_;
  List<std::uint8_t> marked_;
  List<Ints> incident_;
  List<Ints> layers_;  // the elements of each layer
  Ints own_;
  Ints moved_;
  Chance chance_;
  bool fixed_ = false;  // elements stay on their layers
};

// The distance between the first and the last layer or column.
Int span(const Ints& places) {
  if (places.empty()) return 0;
  const auto [least, most] = std::minmax_element(places.begin(), places.end());
  return *most - *least;
}

// Whether an additive diagram that is no higher than a layered one is at least as easy to read: it
// is sound, at most half as wide again, and has no more crossings.
bool preferred(const AdditivePlaces& additive, const LayeredSearch& layered) {
  return additive.sound && 2 * span(additive.x) <= 3 * span(layered.x()) &&
         crossings(additive.x, additive.y, layered.upper(), layered.lower()) <=
             crossings(layered.x(), layered.y(), layered.upper(), layered.lower());
}

}  // namespace

Places places_of(const std::vector<std::pair<Int, Int>>& covers, const std::vector<Int>& levels,
                 const std::string& kind, const std::vector<Int>& supports, Budget& budget) {
  if (kind != "auto" && kind != "layered" && kind != "additive" && kind != "support")
    throw std::invalid_argument("unknown kind of layout: " + kind);
  LayeredSearch search(covers, levels.size(), budget);
  search.layered({levels.begin(), levels.end()});
  if (kind == "support") {
    search.by_support({supports.begin(), supports.end()});
  } else if (kind == "additive" || (kind == "auto" && levels.size() <= kSmall && search.joined())) {
    const Int most_layers = kind == "auto" ? span(search.y()) : std::numeric_limits<Int>::max();
    const AdditivePlaces found = additive_places(search.upper(), search.lower(), search.y(),
                                                 search.x(), most_layers, budget);
    if (kind == "additive" || preferred(found, search)) return {found.y, found.x, "additive"};
  }
  return {search.y(), search.x(), kind == "support" ? kind : "layered"};
}

}  // namespace conceptrank
