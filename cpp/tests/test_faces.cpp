// Faces of single concepts, from the table alone.
#include <algorithm>
#include <limits>

#include "cpp/table/faces.hpp"
#include "harness.hpp"
#include "reference.hpp"

using namespace conceptrank;
using reference::Concept;
using reference::Context;
using reference::Family;
using reference::Random;
using reference::Set;

namespace {

constexpr std::uint64_t no_excess_limit = std::numeric_limits<std::uint64_t>::max();

/// The faces as sets of `names[element]`.
std::vector<Set> named(const FaceFamily& family, const std::vector<std::vector<Index>>& names) {
  std::vector<Set> faces;
  for (std::size_t i = 0; i < family.size(); ++i) {
    Set face;
    for_each_bit(family.face(i), family.words(), [&](std::size_t element) {
      for (const Index name : names[element]) face.add(name);
    });
    faces.push_back(face);
  }
  return faces;
}

std::vector<std::vector<Index>> attribute_names(const std::vector<Index>& intent) {
  std::vector<std::vector<Index>> names;
  for (const Index m : intent) names.push_back({m});
  return names;
}

/// The objects behind each distinct row of the extent.
std::vector<std::vector<Index>> object_names(const Table& table, const std::vector<Word>& extent) {
  std::vector<std::vector<Index>> names;
  for_each_bit(extent.data(), extent.size(), [&](std::size_t r) {
    names.emplace_back();
    for (std::size_t g = 0; g < table.n_objects(); ++g) {
      if (table.row_of_object()[g] == r) names.back().push_back(static_cast<Index>(g));
    }
  });
  return names;
}

std::vector<Set> within_excess(const std::vector<Set>& faces, std::size_t excess) {
  std::size_t smallest = Set::capacity;
  for (const Set& face : faces) smallest = std::min(smallest, face.size());
  std::vector<Set> kept;
  for (const Set& face : faces) {
    if (face.size() <= smallest + excess) kept.push_back(face);
  }
  return kept;
}

/// The objects outside A that make each of the intent faces.
std::vector<std::size_t> multiplicities(const Context& context, const Concept& one) {
  std::vector<std::size_t> result;
  for (const Set& face : intent_faces(context, one)) {
    result.push_back(0);
    for (const Set& row : context.rows) result.back() += one.intent - row == face ? 1 : 0;
  }
  return result;
}

std::vector<std::size_t> multiplicities(const FaceFamily& family) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < family.size(); ++i) result.push_back(family.multiplicity(i));
  return result;
}

void check_faces(const Context& context) {
  const harness::Case which([&] { return describe(context); });
  const Table table(lists(context), context.n_attributes);
  for (const Concept& one : concepts(context)) {
    const auto intent = one.intent.members();
    // Elements of the intent keep their order, so the order of the faces carries over.
    const FaceFamily of_intent = intent_faces(table, intent);
    CHECK(named(of_intent, attribute_names(intent)) == intent_faces(context, one));
    CHECK_EQUAL(multiplicities(of_intent), multiplicities(context, one));

    const auto extent = table.extent(intent);
    const auto names = object_names(table, extent);
    const auto expected = extent_faces(context, one);
    const FaceFamily family = extent_faces(table, extent, intent, no_excess_limit);
    CHECK_EQUAL(family.n_elements(), names.size());
    for (std::size_t element = 0; element < family.weights().size(); ++element) {
      CHECK_EQUAL(family.weights()[element], names[element].size());
    }
    if (table.weighted()) CHECK_EQUAL(family.weights().size(), family.n_elements());
    const auto faces = named(family, names);
    CHECK(minimal(faces) == expected);
    CHECK_EQUAL(faces.size(), expected.size());
    // In the order of the distinct rows, which with equal objects is not the order of the objects.
    auto behind = multiplicities(family);
    auto expected_behind = multiplicities(dual(context), {one.intent, one.extent});
    std::ranges::sort(behind);
    std::ranges::sort(expected_behind);
    CHECK_EQUAL(behind, expected_behind);
    for (std::size_t i = 0; i < faces.size(); ++i) {
      CHECK_EQUAL(family.weigh(family.face(i)), faces[i].size());
    }
    for (const std::size_t excess : {0, 1, 3}) {
      CHECK(minimal(named(extent_faces(table, extent, intent, excess), names)) ==
            within_excess(expected, excess));
    }
  }
}

}  // namespace

TEST(faces_of_random_contexts) {
  Random random(21);
  for (std::size_t round = 0; round < harness::cases(1500); ++round) {
    check_faces(reference::random_context(random, 9, 8));
  }
}

TEST(faces_of_long_and_wide_contexts) {
  Random random(22);
  for (std::size_t round = 0; round < harness::cases(20); ++round) {
    check_faces(reference::random_context(random, 200, 6));
    check_faces(reference::random_context(random, 6, 200));
  }
}

TEST(faces_keep_minimal) {
  Random random(23);
  for (std::size_t round = 0; round < harness::cases(500); ++round) {
    // Beyond 64 elements a face has several words.
    const std::size_t n = random.below(round % 2 == 0 ? 8 : 140);
    Family family{n, {}, {}};
    for (std::size_t f = random.below(20); f > 0; --f) {
      family.faces.push_back(random.subset(n, random.density()));
      if (random.chance(0.3)) family.faces.push_back(family.faces.front());
    }
    const harness::Case which([&] { return describe(family); });
    FaceFamily core = to_core(family);
    core.keep_minimal();
    std::vector<std::vector<Index>> names;
    for (std::size_t i = 0; i < n; ++i) names.push_back({static_cast<Index>(i)});
    CHECK(named(core, names) == minimal(family.faces));
  }
}

TEST(faces_family_forgets_what_it_held) {
  FaceFamily family = to_core(Family{3, {Set::of({0, 2}), Set::of({1})}, {4, 5, 6}});
  CHECK_EQUAL(family.weigh(family.face(0)), 10);
  family.reset(70);
  CHECK_EQUAL(family.size(), 0);
  CHECK_EQUAL(family.n_elements(), 70);
  CHECK(family.weights().empty());
  const Word* face = family.add();
  CHECK_EQUAL(family.weigh(face), 0);
}
