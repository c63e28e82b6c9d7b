#include "cpp/rules/rule_parts.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <stdexcept>

#include "cpp/score/transversals.hpp"
#include "cpp/table/row_merger.hpp"

namespace conceptrank {
namespace {

constexpr std::size_t block = 64;

/// Puts the lists of blocks one after the other.
Lists joined(std::vector<Lists>& parts) {
  Lists all;
  for (Lists& part : parts) {
    for (std::size_t i = 0; i < part.size(); ++i) all.push_back(part[i]);
    part = Lists{};
  }
  return all;
}

/// Walks down from a concept to all that have enough objects, each once.
class Descent {
 public:
  void reset(const Lattice& lattice) {
    lattice_ = &lattice;
    seen_.assign(lattice.size(), 0);
    time_ = 0;
  }
  /// The places below, in no order, until the budget ends.
  template <class Wanted>
  std::vector<Index>& below(std::size_t top, const Wanted& wanted, const Budget& budget) {
    ++time_;
    found_.clear();
    visit(top, wanted);
    for (std::size_t next = 0; next < found_.size() && !budget.stopped(); ++next) {
      visit(found_[next], wanted);
    }
    return found_;
  }

 private:
  template <class Wanted>
  void visit(std::size_t place, const Wanted& wanted) {
    for (const Index lower : lattice_->lower[place]) {
      if (seen_[lower] == time_ || !wanted(lower)) continue;
      seen_[lower] = time_;
      found_.push_back(lower);
    }
  }

  const Lattice* lattice_ = nullptr;
  std::vector<Index> seen_;
  Index time_ = 0;
  std::vector<Index> found_;
};

}  // namespace

Generators minimal_generators(const Lattice& lattice, ConceptRange range, std::uint64_t max_size,
                              unsigned threads, Budget& budget) {
  struct Part {
    std::vector<std::uint64_t> counts;
    Lists sets;
  };
  struct Worker {
    TransversalSearch search;
    FaceFamily family;
    Lists found;
    std::vector<Index> order;
  };
  std::vector<Part> parts((range.size() + block - 1) / block);
  std::vector<Worker> workers(thread_count(threads));
  std::atomic<std::uint64_t> total{0};
  std::atomic<std::uint64_t> bytes{0};
  const auto work = [&](std::size_t begin, std::size_t end, unsigned number) {
    auto& [search, family, found, order] = workers[number];
    Part& part = parts[begin / block];
    for (std::size_t i = begin; i < end && !budget.stopped(); ++i) {
      const auto intent = lattice.intents[range.begin + i];
      intent_faces(lattice, range.begin + i, family);
      found = Lists{};
      const bool all = search.enumerate(
          family,
          [&](std::span<const Index> places) {
            for (const Index place : places) found.values.push_back(intent[place]);
            found.close();
            if (found.size() % 256 == 0) {
              if (total + found.size() > budget.limits().concepts) budget.stop(Stop::concepts);
              if (bytes + found.bytes() > budget.limits().bytes) budget.stop(Stop::bytes);
              if (number == 0) {
                budget.poll(i, static_cast<double>(i) / static_cast<double>(range.size()));
              }
            }
            return !budget.stopped();
          },
          max_size);
      if (!all && !budget.stopped()) {
        throw std::length_error("a concept has too many upper covers to list its generators");
      }
      order.resize(found.size());
      for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Index>(k);
      std::ranges::sort(order, [&](Index a, Index b) {
        if (found[a].size() != found[b].size()) return found[a].size() < found[b].size();
        return std::ranges::lexicographical_compare(found[a], found[b]);
      });
      for (const Index k : order) part.sets.push_back(found[k]);
      part.counts.push_back(found.size());
      total += found.size();
      bytes += found.values.size() * sizeof(Index) + found.size() * sizeof(std::uint64_t);
    }
    if (total > budget.limits().concepts) budget.stop(Stop::concepts);
    if (bytes > budget.limits().bytes) budget.stop(Stop::bytes);
  };
  parallel_blocks(range.size(), block, threads, budget, work);
  Generators result;
  if (budget.stopped() && budget.reason() != Stop::concepts) return result;
  std::vector<Lists> sets;
  for (Part& part : parts) {
    for (const std::uint64_t n : part.counts) {
      result.offsets.push_back(result.offsets.back() + n);
    }
    sets.push_back(std::move(part.sets));
  }
  result.offsets.resize(range.size() + 1, result.offsets.back());
  result.sets = joined(sets);
  return result;
}

Lists descendants(const Lattice& lattice, ConceptRange range, std::uint64_t min_support,
                  double min_confidence, unsigned threads, Budget& budget) {
  std::vector<Lists> parts((range.size() + block - 1) / block);
  std::vector<Descent> workers(thread_count(threads));
  std::atomic<std::uint64_t> bytes{0};
  for (Descent& worker : workers) worker.reset(lattice);
  parallel_blocks(range.size(), block, threads, budget,
                  [&](std::size_t begin, std::size_t end, unsigned w) {
                    for (std::size_t i = begin; i < end && !budget.stopped(); ++i) {
                      const double all = lattice.supports[range.begin + i];
                      auto& found = workers[w].below(
                          range.begin + i,
                          [&](Index place) {
                            const Index support = lattice.supports[place];
                            return support >= min_support && support / all >= min_confidence;
                          },
                          budget);
                      std::ranges::sort(found);
                      parts[begin / block].push_back(found);
                      bytes += found.size() * sizeof(Index);
                      if (bytes > budget.limits().bytes) budget.stop(Stop::bytes);
                      if (w == 0)
                        budget.poll(i, static_cast<double>(i) / static_cast<double>(range.size()));
                    }
                  });
  return budget.stopped() ? Lists{} : joined(parts);
}

Lists proper_conclusions(const Lattice& lattice, ListsView generators,
                         std::span<const Index> sources, unsigned threads, Budget& budget) {
  // All subsets of a minimal generator are minimal generators, so that their closures are known.
  RowMerger known(generators.size());
  for (std::size_t i = 0; i < generators.size(); ++i) known.add(generators[i]);
  std::vector<Lists> parts((generators.size() + block - 1) / block);
  struct Worker {
    std::vector<Index> conclusion;
    std::vector<Index> rest;
    std::vector<Index> smaller;
  };
  std::vector<Worker> workers(thread_count(threads));
  parallel_blocks(generators.size(), block, threads, budget,
                  [&](std::size_t begin, std::size_t end, unsigned w) {
                    auto& [conclusion, rest, smaller] = workers[w];
                    const auto remove = [&](std::span<const Index> members) {
                      rest.clear();
                      std::ranges::set_difference(conclusion, members, std::back_inserter(rest));
                      conclusion.swap(rest);
                    };
                    for (std::size_t i = begin; i < end; ++i) {
                      const auto generator = generators[i];
                      const auto intent = lattice.intents[sources[i]];
                      conclusion.assign(intent.begin(), intent.end());
                      remove(generator);
                      for (std::size_t left_out = 0;
                           left_out < generator.size() && !conclusion.empty(); ++left_out) {
                        smaller.assign(generator.begin(), generator.end());
                        smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(left_out));
                        const auto found = known.find(smaller);
                        if (!found) {
                          throw std::invalid_argument("a subset of a generator is missing");
                        }
                        remove(lattice.intents[sources[*found]]);
                      }
                      parts[begin / block].push_back(conclusion);
                    }
                  });
  return budget.stopped() ? Lists{} : joined(parts);
}

Lists differences(ListsView from, std::span<const Index> places, ListsView without,
                  std::span<const Index> other_places) {
  Lists result;
  result.offsets.reserve(places.size() + 1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::ranges::set_difference(from[places[i]], without[other_places[i]],
                                std::back_inserter(result.values));
    result.close();
  }
  return result;
}

}  // namespace conceptrank
