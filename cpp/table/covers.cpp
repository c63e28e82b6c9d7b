#include "cpp/table/covers.hpp"

#include <limits>

#include "cpp/table/faces.hpp"

namespace conceptrank {
namespace {

/// The intent without one of its faces.
void add_upper(const Table& table, std::span<const Index> intent, std::uint64_t below,
               Lists& found) {
  const FaceFamily family = intent_faces(table, intent);
  std::vector<Index> cover;
  for (std::size_t i = 0; i < family.size(); ++i) {
    cover.clear();
    for (std::size_t k = 0; k < intent.size(); ++k) {
      if (!test_bit(family.face(i), k)) cover.push_back(intent[k]);
    }
    if (table.support(table.extent(cover)) < below) found.push_back(cover);
  }
}

/// What the rows of the extent outside one of its faces have in common.
void add_lower(const Table& table, std::span<const Index> intent, std::uint64_t below,
               Lists& found) {
  const std::vector<Word> extent = table.extent(intent);
  const FaceFamily family =
      extent_faces(table, extent, intent, std::numeric_limits<std::uint64_t>::max());
  std::vector<Word> rows;
  for (std::size_t i = 0; i < family.size(); ++i) {
    rows = extent;
    std::size_t element = 0;
    for_each_bit(extent.data(), extent.size(), [&](std::size_t r) {
      if (test_bit(family.face(i), element++)) rows[r / word_bits] &= ~(Word{1} << (r % word_bits));
    });
    if (table.support(rows) < below) found.push_back(table.intent(rows));
  }
}

}  // namespace

Covers covers(const Table& table, ListsView intents, Direction direction, std::uint64_t below,
              unsigned threads, Budget& budget) {
  table.check_attributes(intents.values);
  std::vector<Lists> found(intents.size());
  parallel_blocks(intents.size(), 1, threads, budget,
                  [&](std::size_t begin, std::size_t end, unsigned) {
                    for (std::size_t i = begin; i < end && !budget.stopped(); ++i) {
                      const auto add = direction == Direction::upper ? add_upper : add_lower;
                      add(table, intents[i], below, found[i]);
                    }
                  });
  Covers result;
  result.offsets.reserve(intents.size() + 1);
  for (const Lists& of_one : found) {
    for (std::size_t k = 0; k < of_one.size(); ++k) result.intents.push_back(of_one[k]);
    result.offsets.push_back(result.intents.size());
  }
  return result;
}

}  // namespace conceptrank
