#include "cpp/search/intent_faces.hpp"

#include <algorithm>
#include <bit>

#include "cpp/base/tuning.hpp"

namespace conceptrank {
IntentFaces::IntentFaces(const SearchTable& table)
    : table_(table),
      kernels_(kernels()),
      words_(words_for(table.table().n_rows())),
      columns_(table.table().n_attributes()),
      rare_(words_) {}

IntentFaces::Level& IntentFaces::at(std::size_t level) {
  while (levels_.size() <= level) levels_.push_back(std::make_unique<Level>());
  return *levels_[level];
}

const Word* IntentFaces::column(Index attribute) {
  if (columns_[attribute]) return columns_[attribute].get();
  const auto rows = table_.table().column(attribute);
  Word* bits = rare_.data();
  if (rows.size() * tuning::rows_per_few > table_.table().n_rows()) {
    columns_[attribute] = std::make_unique<Word[]>(words_);
    bits = columns_[attribute].get();
  } else {
    std::ranges::fill(rare_, 0);
  }
  for (const Index r : rows) set_bit(bits, r);
  return bits;
}

bool IntentFaces::any_common(const Word* a, const Word* b) const {
  constexpr std::size_t block = 16;
  std::size_t w = 0;
  for (; w + block <= words_; w += block) {
    Word found = 0;
    for (std::size_t k = 0; k < block; ++k) found |= a[w + k] & b[w + k];
    if (found != 0) return true;
  }
  for (; w < words_; ++w) {
    if ((a[w] & b[w]) != 0) return true;
  }
  return false;
}

void IntentFaces::start(std::size_t number, const Node& node) {
  Level& level = at(number);
  const Table& table = table_.table();
  const std::size_t n = node.intent.size();
  level.attributes = node.intent;
  if (level.near.size() < n) level.near.resize(n);
  level.any.assign(n, 0);
  // near[i] := the rows that have all attributes before i, then intersected with those after i.
  rest_.assign(words_, ~Word{0});
  if (words_ > 0) rest_.back() &= tail_mask(table.n_rows());
  for (std::size_t i = 0; i < n; ++i) {
    level.near[i] = rest_;
    kernels_.intersect(rest_.data(), column(node.intent[i]), words_);
  }
  level.extent = rest_;
  rest_.assign(words_, ~Word{0});
  for (std::size_t i = n; i-- > 0;) {
    kernels_.intersect(level.near[i].data(), rest_.data(), words_);
    const Word* own = column(node.intent[i]);
    Word found = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      level.near[i][w] &= ~own[w];
      found |= level.near[i][w];
      rest_[w] &= own[w];
    }
    level.any[i] = found != 0 ? 1 : 0;
  }
}

/// added_ := the attributes that the child has more; all_added_ := the rows that have them all.
void IntentFaces::find_added(const Node& parent, const Branch& branch) {
  added_.clear();
  for (std::uint32_t i = branch.begin; i < branch.end; ++i) {
    added_.push_back(table_.attribute(parent.table.ranks[parent.contained_in[i]]));
  }
  std::ranges::sort(added_);
  const Word* first = column(added_.front());
  all_added_.assign(first, first + words_);
  for (const Index m : std::span(added_).subspan(1)) {
    kernels_.intersect(all_added_.data(), column(m), words_);
  }
}

void IntentFaces::descend(std::size_t number, const Node& parent, const Branch& branch,
                          const Node& child) {
  Level& level = at(number);
  const Level& above = *levels_[number - 1];
  find_added(parent, branch);
  const std::size_t n = child.intent.size();
  level.attributes = above.attributes;
  level.attributes.insert(level.attributes.end(), added_.begin(), added_.end());
  if (level.near.size() < n) level.near.resize(n);
  level.any.assign(n, 0);
  const std::size_t n_above = above.attributes.size();
  for (std::size_t i = 0; i < n_above; ++i) {
    if (above.any[i] == 0) continue;
    level.near[i] = above.near[i];
    level.any[i] = kernels_.intersect(level.near[i].data(), all_added_.data(), words_) > 0 ? 1 : 0;
  }
  for (std::size_t k = 0; k < added_.size(); ++k) {
    // Rows of the parent that lack this one and have the others that are added.
    auto& near = level.near[n_above + k];
    near = above.extent;
    for (const Index other : added_) {
      if (other != added_[k]) kernels_.intersect(near.data(), column(other), words_);
    }
    const Word* own = column(added_[k]);
    Word found = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      near[w] &= ~own[w];
      found |= near[w];
    }
    level.any[n_above + k] = found != 0 ? 1 : 0;
  }
  level.extent = above.extent;
  kernels_.intersect(level.extent.data(), all_added_.data(), words_);
}

void IntentFaces::find(TreeWalk& walk, const Branch* branch, FaceFamily& family) {
  const std::size_t depth = walk.depth();
  const Frame& frame = walk.at(depth);
  if (branch == nullptr) {
    start(depth, frame.node);
    faces(depth, frame.node, family);
  } else if (frame.children != 0) {
    descend(depth, walk.at(depth - 1).node, *branch, frame.node);
    faces(depth, frame.node, family);
  } else {
    leaf_faces(depth - 1, walk.at(depth - 1).node, *branch, frame.node, family);
  }
}

void IntentFaces::faces(std::size_t number, const Node& node, FaceFamily& family) {
  const Level& level = *levels_[number];
  finish(level.any, level.attributes, node, level.extent, level.extent, family);
}

void IntentFaces::leaf_faces(std::size_t number, const Node& parent, const Branch& branch,
                             const Node& child, FaceFamily& family) {
  const Level& above = *levels_[number];
  find_added(parent, branch);
  alone_.clear();
  for (std::size_t i = 0; i < above.attributes.size(); ++i) {
    const bool any = above.any[i] != 0 && any_common(above.near[i].data(), all_added_.data());
    alone_.push_back(any ? 1 : 0);
  }
  attributes_ = above.attributes;
  attributes_.insert(attributes_.end(), added_.begin(), added_.end());
  if (added_.size() == 1) {
    alone_.push_back(1);  // or it would be in the parent's intent
  } else {
    for (const Index m : added_) {
      rest_ = above.extent;
      for (const Index other : added_) {
        if (other != m) kernels_.intersect(rest_.data(), column(other), words_);
      }
      const Word* own = column(m);
      Word found = 0;
      for (std::size_t w = 0; w < words_; ++w) found |= rest_[w] & ~own[w];
      alone_.push_back(found != 0 ? 1 : 0);
    }
  }
  finish(alone_, attributes_, child, above.extent, all_added_, family);
}

/// Adds the minimal sets of open attributes that rows of rest_ lack. The words of rest_ that are
/// not 0 are listed in filled_. The number of attributes that each row lacks is counted for all
/// rows of a word at once. Rows are visited in the order of these numbers. A row that is visited
/// gives a face, and all rows that lack the whole face are dropped.
template <class AttributeOf, class PlaceOf>
void IntentFaces::add_joint_faces(std::size_t n_open, const AttributeOf& attribute_of,
                                  const PlaceOf& place, FaceFamily& family) {
  // Only words with rows in them, or words that are filled with these rows.
  std::size_t n_rows = 0;
  for (const std::size_t w : filled_) n_rows += static_cast<std::size_t>(std::popcount(rest_[w]));
  if (n_rows == 0) return;
  const bool scattered = n_rows < tuning::rows_per_word * filled_.size();
  const std::size_t n_filled = scattered ? words_for(n_rows) : filled_.size();
  left_.resize(n_filled);
  if (scattered) {
    rows_.clear();
    for (const std::size_t w : filled_) {
      for (Word bits = rest_[w]; bits != 0; bits &= bits - 1) {
        rows_.push_back(w * word_bits + lowest_bit(bits));
      }
    }
    std::ranges::fill(left_, ~Word{0});
    left_.back() &= tail_mask(n_rows);
  } else {
    for (std::size_t i = 0; i < n_filled; ++i) left_[i] = rest_[filled_[i]];
  }
  const auto n_slices = static_cast<std::size_t>(std::bit_width(n_open));
  lacking_.resize(n_open * n_filled);
  slices_.assign(n_slices * n_filled, 0);
  for (std::size_t k = 0; k < n_open; ++k) {
    const Word* bits = column(attribute_of(k));
    Word* lacks = lacking_.data() + k * n_filled;
    if (scattered) {
      std::ranges::fill(std::span(lacks, n_filled), ~Word{0});
      for (std::size_t r = 0; r < n_rows; ++r) {
        const Word has = bits[rows_[r] / word_bits] >> (rows_[r] % word_bits) & 1;
        lacks[r / word_bits] ^= has << (r % word_bits);
      }
    } else {
      for (std::size_t i = 0; i < n_filled; ++i) lacks[i] = ~bits[filled_[i]];
    }
    const auto used = static_cast<std::size_t>(std::bit_width(k + 1));
    carry_.assign(lacks, lacks + n_filled);
    for (std::size_t slice = 0; slice < used; ++slice) {
      Word* sum = slices_.data() + slice * n_filled;
      for (std::size_t i = 0; i < n_filled; ++i) {
        const Word both = sum[i] & carry_[i];
        sum[i] ^= carry_[i];
        carry_[i] = both;
      }
    }
  }
  // No row lacks a single one of them.
  for (std::size_t many = 2; many <= n_open; ++many) {
    bool any = false;
    for (std::size_t i = 0; i < n_filled; ++i) {
      while (true) {
        Word equal = left_[i];
        for (std::size_t slice = 0; slice < n_slices; ++slice) {
          const Word sum = slices_[slice * n_filled + i];
          equal &= (many >> slice & 1) != 0 ? sum : ~sum;
        }
        if (equal == 0) break;
        const std::size_t bit = lowest_bit(equal);
        Word* face = family.add();
        carry_.assign(n_filled, ~Word{0});
        for (std::size_t k = 0; k < n_open; ++k) {
          const Word* lacks = lacking_.data() + k * n_filled;
          if ((lacks[i] >> bit & 1) == 0) continue;
          set_bit(face, place(attribute_of(k)));
          for (std::size_t j = 0; j < n_filled; ++j) carry_[j] &= lacks[j];
        }
        for (std::size_t j = 0; j < n_filled; ++j) left_[j] &= ~carry_[j];
      }
      any = any || left_[i] != 0;
    }
    if (!any) break;
  }
}

/// The faces, given which attributes are faces alone. The others are among the rows that have all
/// of these and are not in the extent, which is the intersection of two sets of rows.
void IntentFaces::finish(const std::vector<char>& alone, std::span<const Index> attributes,
                         const Node& node, std::span<const Word> extent, std::span<const Word> with,
                         FaceFamily& family) {
  const auto place = [&](Index attribute) {
    return static_cast<std::size_t>(std::ranges::lower_bound(node.intent, attribute) -
                                    node.intent.begin());
  };
  family.reset(node.intent.size());
  places_.clear();
  std::size_t n_open = 0;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (alone[i] == 0) {
      ++n_open;
      places_.push_back(i);
      continue;
    }
    set_bit(family.add(), place(attributes[i]));
  }
  if (n_open > 0) {
    bool first = true;
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      if (alone[i] == 0) continue;
      const Word* bits = column(attributes[i]);
      if (first) {
        rest_.assign(bits, bits + words_);
      } else {
        kernels_.intersect(rest_.data(), bits, words_);
      }
      first = false;
    }
    if (first) {
      rest_.assign(words_, ~Word{0});
      if (words_ > 0) rest_.back() &= tail_mask(table_.table().n_rows());
    }
    // Few words have rows in them.
    filled_.clear();
    for (std::size_t w = 0; w < words_; ++w) {
      if (rest_[w] == 0) continue;
      rest_[w] &= ~(extent[w] & with[w]);
      if (rest_[w] != 0) filled_.push_back(w);
    }
    add_joint_faces(n_open, [&](std::size_t k) { return attributes[places_[k]]; }, place, family);
  }
  family.sort();
}

}  // namespace conceptrank
