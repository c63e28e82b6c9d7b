#include "cpp/lattice/assembly.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>

#include "cpp/base/tuning.hpp"
#include "cpp/lattice/hash_index.hpp"

namespace conceptrank {
namespace {

using Part = Store::Part;
using Parts = std::vector<const Part*>;

struct Place {
  std::uint64_t key;  // orders by support, then by the first attributes
  Index part;
  Index position;
};

/// `bits` bits for each of as many attributes as fit, from the `first` one on.
std::uint64_t attribute_key(std::span<const Index> intent, std::size_t first, unsigned bits,
                            unsigned width) {
  std::uint64_t key = 0;
  for (std::size_t k = first; k < first + width / bits; ++k) {
    key = key << bits | (k < intent.size() ? std::uint64_t{intent[k]} + 1 : 0);
  }
  return key;
}

/// Sorts by key, byte by byte from the lowest, leaving out the bytes that are the same everywhere.
void radix_sort(Array<Place>& places, Budget& budget) {
  std::uint64_t varying = 0;
  for (const Place& place : places) varying |= place.key ^ places.front().key;
  Array<Place> other(places.size());
  for (unsigned shift = 0; shift < 64; shift += 8) {
    if ((varying >> shift & 0xff) == 0) continue;
    std::array<std::size_t, 257> starts{};
    for (const Place& place : places) ++starts[(place.key >> shift & 0xff) + 1];
    for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    const bool done = for_each_polled(places.size(), budget, Until::abandoned, [&](std::size_t i) {
      other[starts[places[i].key >> shift & 0xff]++] = places[i];
    });
    if (!done) return;
    places.swap(other);
  }
}

/// Sorts places whose intents have their first `first` attributes in common.
void sort_by_intent(std::span<Place> places, const Parts& parts, std::size_t first, unsigned bits) {
  if (places.size() < 2) return;
  if (places.size() < 16) {
    std::ranges::sort(places, [&](const Place& x, const Place& y) {
      return std::ranges::lexicographical_compare(parts[x.part]->intent(x.position),
                                                  parts[y.part]->intent(y.position));
    });
    return;
  }
  for (Place& place : places) {
    place.key = attribute_key(parts[place.part]->intent(place.position), first, bits, 64);
  }
  std::ranges::sort(places, {}, &Place::key);
  for (std::size_t begin = 0; begin < places.size();) {
    std::size_t end = begin + 1;
    while (end < places.size() && places[end].key == places[begin].key) ++end;
    sort_by_intent(places.subspan(begin, end - begin), parts, first + 64 / bits, bits);
    begin = end;
  }
}

/// Runs work(begin, end) for blocks of 0 .. n on all threads.
template <class Work>
void in_blocks(std::size_t n, std::size_t block, unsigned threads, Budget& budget,
               const Work& work) {
  parallel_blocks(
      n, block, threads, budget,
      [&](std::size_t begin, std::size_t end, unsigned) { work(begin, end); }, Until::abandoned);
}

/// The places of all concepts in the order of the lattice: by support, largest first, then by the
/// first attributes, then by the others.
Array<Place> ordered(const Parts& parts, std::size_t n_attributes, unsigned threads,
                     Budget& budget) {
  const auto bits = static_cast<unsigned>(std::bit_width(n_attributes + 1));
  Array<Place> places;
  std::size_t size = 0;
  for (const Part* part : parts) size += part->size();
  places.reserve(size);
  for (std::size_t p = 0; p < parts.size() && !budget.abandoned(); ++p) {
    for (std::size_t i = 0; i < parts[p]->size(); ++i) {
      places.push_back({0, static_cast<Index>(p), static_cast<Index>(i)});
    }
    budget.poll(0, 0);
  }
  in_blocks(places.size(), 4096, threads, budget, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Part& part = *parts[places[i].part];
      const std::uint64_t support = Index{~part.supports[places[i].position]};
      places[i].key = support << 32 | attribute_key(part.intent(places[i].position), 0, bits, 32);
    }
  });
  radix_sort(places, budget);
  std::vector<std::span<Place>> ties;
  for (std::size_t begin = 0; begin < places.size();) {
    std::size_t end = begin + 1;
    while (end < places.size() && places[end].key == places[begin].key) ++end;
    if (end - begin > 1) ties.push_back(std::span(places).subspan(begin, end - begin));
    begin = end;
  }
  in_blocks(ties.size(), 16, threads, budget, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && !budget.abandoned(); ++i) {
      sort_by_intent(ties[i], parts, 32 / bits, bits);
    }
  });
  return places;
}

Parts all_parts(const std::vector<Store>& stores) {
  Parts parts;
  for (const Store& store : stores) {
    for (const Part& part : store.parts()) parts.push_back(&part);
  }
  return parts;
}

/// Turns the stores into the lattice's arrays. Places are in the lattice's order, so what they
/// refer to is scattered over memory and is prefetched a few places ahead.
class Assembly {
 public:
  Assembly(std::vector<Store>& stores, std::size_t n_attributes, Stop reason,
           const MiningOptions& options, Budget& budget)
      : stores_(stores),
        n_attributes_(n_attributes),
        reason_(reason),
        options_(options),
        budget_(budget),
        parts_(all_parts(stores)) {}

  /// Nothing if two intents have equal hashes, or if the budget is abandoned.
  std::optional<Mined> run() {
    Mined mined;
    Lattice& lattice = mined.lattice;
    Array<std::uint64_t> hashes = take_concepts(lattice);
    if (budget_.abandoned()) return std::nullopt;
    for (Store& store : stores_) store.forget_intents();
    take_scores(mined);
    for (Store& store : stores_) store.forget_scores();
    // Covers of an incomplete lattice would be wrong: a concept in between may be missing.
    lattice.lower.offsets.assign(lattice.size() + 1, 0);
    if (reason_ == Stop::none && options_.covers) {
      HashIndex index(hashes.size());
      for_each_polled(hashes.size(), budget_, Until::abandoned, [&](std::size_t i) {
        if (i + 2 * ahead < hashes.size()) index.prefetch(hashes[i + 2 * ahead]);
        index.insert(hashes[i], i);
      });
      hashes = {};
      if (budget_.abandoned() || !index.unambiguous()) return std::nullopt;
      connect(index, lattice.lower);
    }
    if (budget_.abandoned()) return std::nullopt;
    stores_.clear();
    places_ = {};
    lattice.connect_upwards(budget_);
    lattice.min_support = options_.min_support;
    lattice.stop = reason_;
    return mined;
  }

 private:
  static constexpr std::size_t ahead = 8;
  static constexpr std::size_t block = 4096;
  static constexpr auto no_prefetch = [](const Place&) {};

  const Part& part_of(const Place& place) const { return *parts_[place.part]; }

  /// Runs work(i) for all places on all threads, prefetch(place) `ahead` of it.
  template <class Prefetch, class Work>
  void for_each_place(const Prefetch& prefetch, const Work& work) {
    in_blocks(places_.size(), block, options_.threads, budget_,
              [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {
                  if (i + ahead < end) prefetch(places_[i + ahead]);
                  work(i);
                }
              });
  }

  /// Puts the concepts in order and fills the lattice's arrays; the covers come later. Returns the
  /// hashes of the intents.
  Array<std::uint64_t> take_concepts(Lattice& lattice) {
    places_ = ordered(parts_, n_attributes_, options_.threads, budget_);
    if (budget_.abandoned()) return {};
    const std::size_t n = places_.size();
    lattice.supports.resize(n);
    lattice.deltas.resize(options_.covers ? n : 0);
    lattice.intents.offsets.resize(n + 1);
    Array<std::uint64_t> hashes(n);
    for_each_place(no_prefetch, [&](std::size_t i) {
      const Part& part = part_of(places_[i]);
      const std::size_t position = places_[i].position;
      lattice.supports[i] = part.supports[position];
      if (options_.covers) lattice.deltas[i] = part.deltas[position];
      hashes[i] = part.hashes[position];
      lattice.intents.offsets[i + 1] = part.intent(position).size();
    });
    if (budget_.abandoned()) return {};
    for (std::size_t i = 0; i < n; ++i)
      lattice.intents.offsets[i + 1] += lattice.intents.offsets[i];
    lattice.intents.values.resize(lattice.intents.offsets[n]);
    for_each_place(
        [&](const Place& place) {
          __builtin_prefetch(part_of(place).intent(place.position).data());
        },
        [&](std::size_t i) {
          const auto intent = part_of(places_[i]).intent(places_[i].position);
          std::ranges::copy(intent, lattice.intents.values.data() + lattice.intents.offsets[i]);
        });
    return hashes;
  }

  void take_scores(Mined& mined) {
    if (options_.score_extents) {
      mined.extent_scores = FaceScores(options_.extent_options.fields, places_.size());
      const std::size_t width = mined.extent_scores.width();
      for_each_place(no_prefetch, [&](std::size_t i) {
        const double* scores = part_of(places_[i]).extent_scores.data();
        mined.extent_scores.set_row(i, {scores + places_[i].position * width, width});
      });
    }
    if (options_.sum_columns) {
      mined.column_sums.resize(places_.size());
      for_each_place(no_prefetch, [&](std::size_t i) {
        mined.column_sums[i] = part_of(places_[i]).column_sums[places_[i].position];
      });
    }
  }

  void connect(const HashIndex& index, Lists& lower) {
    const std::size_t n = places_.size();
    for_each_place(no_prefetch, [&](std::size_t i) {
      lower.offsets[i + 1] = part_of(places_[i]).covers(places_[i].position).size();
    });
    if (budget_.abandoned()) return;
    for (std::size_t i = 0; i < n; ++i) lower.offsets[i + 1] += lower.offsets[i];
    lower.values.resize(lower.offsets[n]);
    in_blocks(n, block, options_.threads, budget_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (i + 2 * ahead < end) {
          const Place& place = places_[i + 2 * ahead];
          __builtin_prefetch(part_of(place).covers(place.position).data());
        }
        if (i + ahead < end) {
          const Place& place = places_[i + ahead];
          for (const std::uint64_t hash : part_of(place).covers(place.position)) {
            index.prefetch(hash);
          }
        }
        Index* out = lower.values.data() + lower.offsets[i];
        Index* next = out;
        const Place& place = places_[i];
        for (const std::uint64_t hash : part_of(place).covers(place.position)) {
          *next++ = index.at(hash);
        }
        std::sort(out, next);
      }
    });
  }

  std::vector<Store>& stores_;
  std::size_t n_attributes_;
  Stop reason_;
  const MiningOptions& options_;
  Budget& budget_;
  Parts parts_;
  Array<Place> places_;
};

}  // namespace

std::optional<Mined> assemble(std::vector<Store>& stores, std::size_t n_attributes, Stop reason,
                              const MiningOptions& options, Budget& budget) {
  return Assembly(stores, n_attributes, reason, options, budget).run();
}

}  // namespace conceptrank
