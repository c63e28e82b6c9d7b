// Reference: the definitions of the theory, word for word and without any thought for speed. What
// the core computes is compared with these.
#pragma once

#include <array>
#include <compare>
#include <random>
#include <string>
#include <vector>

#include "cpp/table/faces.hpp"

namespace reference {

using conceptrank::Index;

/// A set of numbers below 256.
class Set {
 public:
  static constexpr std::size_t capacity = 256;

  Set() = default;
  /// The numbers 0 .. n.
  static Set all(std::size_t n);
  static Set of(std::initializer_list<Index> members);

  bool has(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void add(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void remove(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  std::size_t size() const;
  bool empty() const { return *this == Set{}; }
  bool inside(const Set& other) const { return (*this - other).empty(); }
  bool strictly_inside(const Set& other) const { return inside(other) && *this != other; }
  bool meets(const Set& other) const { return !(*this & other).empty(); }
  /// Ascending.
  std::vector<Index> members() const;

  friend Set operator&(Set a, const Set& b);
  friend Set operator|(Set a, const Set& b);
  friend Set operator-(Set a, const Set& b);
  auto operator<=>(const Set&) const = default;

 private:
  std::array<std::uint64_t, capacity / 64> words_{};
};

/// All subsets of a small set, by number.
class PowerSet {
 public:
  explicit PowerSet(const Set& ground) : members_(ground.members()) {}
  std::size_t size() const { return std::size_t{1} << members_.size(); }
  Set operator[](std::size_t number) const;

 private:
  std::vector<Index> members_;
};

struct Context {
  std::size_t n_attributes = 0;
  std::vector<Set> rows;  // one an object

  std::size_t n_objects() const { return rows.size(); }
};

Context dual(const Context& context);
/// The rows as a table takes them.
conceptrank::Lists lists(const Context& context);
/// The crosses, a row after the other.
std::string describe(const Context& context);

/// The objects that have all the attributes.
Set extent(const Context& context, const Set& attributes);
/// The attributes that all the objects have.
Set intent(const Context& context, const Set& objects);

struct Concept {
  Set extent;
  Set intent;
};

/// All concepts: the closures of all sets of attributes, or of objects if those are fewer; where
/// both are many, all intersections of rows. Support descending, then intents as lists,
/// lexicographically.
std::vector<Concept> concepts(const Context& context);

/// For every concept the numbers of its lower covers: below it, with nothing in between.
std::vector<std::vector<Index>> lower_covers(const std::vector<Concept>& concepts);
std::vector<std::vector<Index>> upper_covers(const std::vector<Concept>& concepts);

/// For every concept its support minus the largest support below it; the support if nothing is
/// below.
std::vector<std::size_t> deltas(const std::vector<Concept>& concepts);

/// Inclusion-minimal sets, each once; by size, then as lists lexicographically.
std::vector<Set> minimal(const std::vector<Set>& sets);

/// Inclusion-minimal sets B \ g' over the objects g outside A.
std::vector<Set> intent_faces(const Context& context, const Concept& concept_);
/// Inclusion-minimal sets A \ m' over the attributes m outside B.
std::vector<Set> extent_faces(const Context& context, const Concept& concept_);

/// What the subsets Y of the intent generate. For the subsets of the extent ask the dual context.
struct Generation {
  std::vector<Set> minimal;  // the minimal Y with Y' = A
  long double miss = 0;      // chance that a random Y has a larger extent
};
Generation intent_generation(const Context& context, const Concept& concept_, double keep);

/// A face family on its own. No weights: all are 1.
struct Family {
  std::size_t n_elements = 0;
  std::vector<Set> faces;
  std::vector<Index> weights;
};

std::string describe(const Family& family);
conceptrank::FaceFamily to_core(const Family& family);
/// An element of weight w as w elements.
Family expanded(const Family& family);
std::vector<Set> minimal_transversals(const Family& family);
/// Chance that a random subset misses some face.
long double miss(const Family& family, double keep);

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  /// Below n, which is not 0.
  std::size_t below(std::size_t n) { return engine_() % n; }
  bool chance(double p) { return static_cast<double>(engine_() >> 11) * 0x1p-53 < p; }
  /// From 0 to 1, both often.
  double density();
  Set subset(std::size_t n, double p);

 private:
  std::mt19937_64 engine_;
};

/// Every kind of context of this size at most: sparse and full ones, equal and empty rows and
/// columns.
Context random_context(Random& random, std::size_t most_objects, std::size_t most_attributes);
/// Of exactly this size, every cross with the same chance.
Context random_table(Random& random, std::size_t n_objects, std::size_t n_attributes,
                     double density);
/// Object i has all attributes but the i-th: every set of attributes is an intent.
Context contranominal(std::size_t n);
/// Minimal faces with at least `least` elements each.
Family random_family(Random& random, std::size_t n_elements, std::size_t n_faces,
                     std::size_t least = 1);

}  // namespace reference
