// Scores: the numbers that measures are made of, taken from the faces of a concept. One function
// turns a face family into them. Faces come from the search while mining, from the covers of a
// lattice, or from the table for one concept.
#pragma once

#include "cpp/base/budget.hpp"
#include "cpp/score/hit_probability.hpp"
#include "cpp/score/sampling.hpp"

namespace conceptrank {

enum class Side { intent, extent };
inline constexpr std::string_view side_names[] = {"intent", "extent"};

struct FaceOptions {
  double keep = 0.5;
  bool generators = false;   // count the minimal generators
  bool share = false;        // their share of all subsets, counted only if it is not negligible
  bool probability = false;  // the chance to miss a face
  bool bounds = false;       // what bounds of it need
  std::uint64_t node_budget = 100'000;       // for counting generators of one concept
  std::uint64_t state_budget = 100'000;      // for the probability of one concept
  SamplingOptions sampling;                  // how to estimate it; exact: only beyond the budget
  std::uint32_t fields = ~std::uint32_t{0};  // members of FaceScore to keep, by number

  /// These options split into parts that are scored separately: the chance, its logarithm, the
  /// inputs of its bounds, and the rest. So the value of one part does not depend on which others
  /// are requested. Where one part needs few faces, it also saves time: the chance leaves out large
  /// faces, and relevance needs only those of one element.
  std::vector<FaceOptions> parts() const;
  /// Whether the logarithm of the chance is all that is wanted.
  bool only_logarithm() const;
};

/// All members are doubles, so that an array of these is a matrix with one row per concept. The
/// names of the columns are in face_score_fields, in this order.
struct FaceScore {
  double singletons = 0;  // faces of one element (for the extent: of one object)
  double relevance =
      0;  // sum over these faces of the chance to keep an object (attribute) behind it
  double smallest = 0;  // elements of the smallest face; 0 without faces
  double generators = 1;
  double generators_exact = 1;
  double share = 0;  // generators / (2^n - 2) for n elements; 0 for a single generator
  double share_exact = 1;
  double miss = 0;
  double log2_miss = 0;
  double error = 0;        // bound on the error of `miss`
  double exact = 1;        // the error is at most 1e-12
  double log2_exact = 1;   // so is the error of log2_miss
  double half_width = 0;   // of an estimate's interval; negative: relative to `miss`
  double samples = 0;      // draws behind an estimate; 0: none, it was computed
  double sum = 0;          // sum over the faces of the chance to miss each
  double independent = 0;  // chance to miss one if they were independent
  double pairs = 0;        // sum over pairs of the chance to miss both

  /// Takes those fields from another score.
  void take(const FaceScore& other, std::uint32_t fields);
  /// Adds to the error bound.
  void widen(double by) {
    error += by;
    exact = error <= 1e-12 ? 1 : 0;
  }
};

inline constexpr std::string_view face_score_fields[] = {
    "singletons",  "relevance",   "smallest",   "generators", "generators_exact",
    "share",       "share_exact", "miss",       "log2_miss",  "error",
    "exact",       "log2_exact",  "half_width", "samples",    "sum",
    "independent", "pairs"};

/// The requested fields of the scores of many concepts: a matrix with one row per concept.
class FaceScores {
 public:
  FaceScores() = default;
  FaceScores(std::uint32_t fields, std::size_t size);

  std::size_t size() const { return width() == 0 ? 0 : values_.size() / width(); }
  std::size_t width() const { return fields_.size(); }
  void reserve(std::size_t size) { values_.reserve(size * width()); }
  void push_back(const FaceScore& score);
  void set(std::size_t i, const FaceScore& score);
  /// Row i := a row of scores with the same fields.
  void set_row(std::size_t i, std::span<const double> row);
  void clear() { values_.clear(); }
  /// Fields that were not kept are as in a score of no faces.
  FaceScore operator[](std::size_t i) const;
  const Array<double>& values() const { return values_; }
  Array<double> take_values() { return std::move(values_); }

 private:
  std::vector<unsigned> fields_;
  Array<double> values_;
};

/// Reuses its memory from one concept to the next: one object per thread.
class FaceScorer {
 public:
  explicit FaceScorer(const FaceOptions& options);
  const FaceOptions& options() const { return options_; }
  /// How much larger than the smallest a face that matters may be.
  std::uint64_t excess() const;
  /// The most that all faces larger than `limit` together can change the probability by.
  static constexpr double invisible = 0x1p-41;
  /// The largest size of a face that matters if there are at most n_faces.
  std::uint64_t limit(std::size_t n_faces) const;
  /// Whether the requested fields depend on the multiplicities of faces.
  bool counts_multiplicities() const;
  FaceScore score(const FaceFamily& family);
  /// The score of a family whose smallest face is beyond that limit.
  FaceScore score_of_large(std::uint64_t smallest) const;
  /// Whether the complements of the faces suffice for all requested fields.
  bool tops_suffice() const;
  /// The score of the family of these complements, which may be subsets of each other. Nothing if
  /// that would take long.
  std::optional<FaceScore> score(const Tops& tops, std::uint64_t smallest);
  /// Whether the last chance left out no face, so that its logarithm is right as well.
  bool complete() const { return complete_; }

 private:
  /// Whether the logarithm of the chance is wanted, and with it a small relative error.
  bool logarithm() const;
  void count_generators(const FaceFamily& family, FaceScore& score);
  void score_elements(std::size_t n, FaceScore& score);
  void find_probability(const FaceFamily& family, FaceScore& score);

  FaceOptions options_;
  HitProbability probability_;
  TransversalSearch transversals_;
  std::vector<Word> both_;
  bool complete_ = false;
};

/// Scores of the concepts with these intents, each from the table alone.
FaceScores score_concepts(const Table& table, ListsView intents, Side side,
                          const FaceOptions& options, unsigned threads, Budget& budget);

}  // namespace conceptrank
