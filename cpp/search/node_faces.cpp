// What an expanded node says of its concept: the largest lower cover, extent faces, column sums. In
// an iceberg the attributes that are infrequent among the node's objects are not in its table; they
// are looked up in the rows of the whole table where they matter.
#include <algorithm>

#include "cpp/search/search.hpp"

namespace conceptrank {

/// The numbers of a node's rows. Where they were forgotten they are found anew.
std::span<const Index> Search::rows_of(const Node& node) {
  if (node.numbered) return node.rows;
  const std::vector<Word> extent = table_.table().extent(node.intent);
  found_rows_.clear();
  for_each_bit(extent.data(), extent.size(),
               [&](std::size_t r) { found_rows_.push_back(static_cast<Index>(r)); });
  return found_rows_;
}

/// hidden_ := the attributes outside the intent and outside the node's table that objects of the
/// node have, hidden_count_ := how many. The caller clears both.
void Search::count_hidden(const Node& node) {
  const Table& table = table_.table();
  hidden_.clear();
  if (node.root) {
    for (std::size_t m = 0; m < table.n_attributes(); ++m) {
      const std::uint64_t support = table.attribute_support(m);
      if (support == 0 || support >= least_support_) continue;
      hidden_.push_back(static_cast<Index>(m));
      hidden_count_[m] = static_cast<Index>(support);
    }
    return;
  }
  for (const Index r : rows_of(node)) {
    const Index weight = table.weight(r);
    for (const Index m : table.row(r)) {
      if (hidden_count_[m] == 0) hidden_.push_back(m);
      hidden_count_[m] += weight;
    }
  }
  std::erase_if(hidden_, [&](Index m) {
    if (hidden_count_[m] < least_support_) return false;
    hidden_count_[m] = 0;
    return true;
  });
}

std::uint64_t Search::largest_column(const Node& node) {
  std::uint64_t largest = 0;
  for (const Branch& branch : node.branches) {
    if (branch.cover) largest = std::max(largest, branch.support);
  }
  return largest;
}

std::uint64_t Search::largest_cover(const Node& node) {
  std::uint64_t largest = largest_column(node);
  if (largest != 0 || !table_.iceberg()) return largest;
  if (node.rare_known) {
    const auto see = [&](Word column) {
      largest = std::max<std::uint64_t>(largest, node.planes.weigh(column));
    };
    for (const Word column : node.rare) see(column);
    for (Word rest = node.rare_alone; rest != 0; rest &= rest - 1) see(rest & (~rest + 1));
    return largest;
  }
  count_hidden(node);
  for (const Index m : hidden_) {
    largest = std::max(largest, std::uint64_t{hidden_count_[m]});
    hidden_count_[m] = 0;
  }
  return largest;
}

ColumnSums Search::column_sums(const Node& node) {
  const Table& table = table_.table();
  ColumnSummer summer(node.support);
  for (const Index m : node.intent) summer.add(node.support, table.attribute_support(m));
  for (std::size_t c = 0; c < node.n_columns(); ++c) {
    summer.add(node.support_of(c), table.attribute_support(table_.attribute(node.ranks[c])));
  }
  if (table_.iceberg()) {
    count_hidden(node);
    // In one order, whichever rows come first.
    std::ranges::sort(hidden_);
    for (const Index m : hidden_) {
      summer.add(hidden_count_[m], table.attribute_support(m));
      hidden_count_[m] = 0;
    }
  }
  summer.sums().unions = static_cast<double>(union_support(table, node.intent, union_));
  return summer.sums();
}

std::size_t Search::most_hidden(const Node& node) const {
  const Table& table = table_.table();
  if (!rare_matter_ || node.root) return table.n_attributes();
  std::size_t items = 0;
  for (const Index r : node.rows) items += table.weight(r) * table.row(r).size();
  return std::min(table.n_attributes(), items / std::max<std::size_t>(least_support_ - 1, 1) + 1);
}

bool Search::tops(const Node& node, const FaceLimits& limits, Tops& tops, bool& whole) {
  if (node.root) return false;
  if (node.n_rows > word_bits || node.support > Tops::most_weight ||
      (table_.iceberg() && !node.rare_known)) {
    return tops_of_near_covers(node, limits, tops, whole);
  }
  whole = true;
  tops.reset(node.n_rows);
  for (const Branch& branch : node.branches) {
    if (branch.cover) tops.sets.push_back(node.bundle[branch.column]);
  }
  const std::size_t n_covers = tops.sets.size();
  if (node.rare_known) {
    tops.sets.insert(tops.sets.end(), node.rare.begin(), node.rare.end());
    Word covered = 0;
    for (const Word set : tops.sets) covered |= set;
    for (Word rest = node.rare_alone & ~covered; rest != 0; rest &= rest - 1) {
      tops.sets.push_back(rest & (~rest + 1));
    }
    if (node.rare_maximal) tops.n_small = tops.sets.size() - n_covers;
  }
  // No attribute outside the intent occurs: the only lower cover, if any, has the empty extent.
  if (tops.sets.empty() && node.intent.size() < n_attributes()) tops.sets.push_back(0);
  tops.planes.assign(node.planes.bits.begin(),
                     node.planes.bits.begin() + static_cast<std::ptrdiff_t>(node.planes.n));
  return true;
}

/// union_ := the rows that one of the chosen branches' columns lacks: all others are in no face,
/// and do not matter to chances. Returns their number.
template <class Chosen>
std::size_t Search::unite_lacked(const Node& node, const Chosen& chosen) {
  union_.assign(node.words, 0);
  for (const Branch& branch : node.branches) {
    if (!chosen(branch)) continue;
    for (std::size_t w = 0; w < node.words; ++w) {
      union_[w] |= ~node.bundle[w * node.stride + branch.column];
    }
  }
  union_.back() &= tail_mask(node.n_rows);
  return kernels_.count(union_.data(), node.words);
}

/// packed_ := a bundle of a node's rows, restricted to the n_rows in union_.
const std::vector<Word>& Search::pack_union(const Node& node, const std::vector<Word>& bundle,
                                            std::size_t stride, std::size_t n_rows) {
  packed_.resize(std::max(packed_.size(), words_for(n_rows) * stride));
  packed_counts_.resize(std::max(packed_counts_.size(), stride));
  kernels_.compress(bundle.data(), stride, node.words, union_.data(), packed_.data(),
                    packed_counts_.data());
  return packed_;
}

/// The same from those covers that are within the limits, over the rows that one of them lacks.
bool Search::tops_of_near_covers(const Node& node, const FaceLimits& limits, Tops& tops,
                                 bool& whole) {
  const auto is_near = [&](const Branch& branch) {
    return branch.cover && node.support - branch.support <= limits.covers;
  };
  if (smallest_hidden(node) <= limits.hidden) return false;
  const std::size_t n_lacked = unite_lacked(node, is_near);
  if (n_lacked == 0 || n_lacked > word_bits) return false;
  whole = !table_.iceberg() && std::ranges::all_of(node.branches, [&](const Branch& branch) {
    return !branch.cover || is_near(branch);
  });
  tops.reset(n_lacked);
  const auto& columns = pack_union(node, node.bundle, node.stride, n_lacked);
  for (const Branch& branch : node.branches) {
    if (is_near(branch)) tops.sets.push_back(columns[branch.column]);
  }
  const auto n_planes = static_cast<std::ptrdiff_t>(node.planes.n);
  tops.planes.clear();
  if (n_planes != 0) {
    const auto& planes = pack_union(node, node.planes.bits, node.planes.stride(), n_lacked);
    tops.planes.assign(planes.begin(), planes.begin() + n_planes);
  }
  // How far rows are merged hangs on the way to the node, the number of objects does not.
  return tops.weigh(tops.all()) <= (merging_ ? word_bits : Tops::most_weight);
}

/// Adds the faces of the chosen branches over the rows that are in one of them.
template <class Chosen>
void Search::add_packed_faces(const Node& node, const Chosen& chosen, FaceFamily& family) {
  const std::size_t n_rows = unite_lacked(node, chosen);
  family.reset(n_rows);
  if (node.planes.n != 0) {
    const std::size_t stride = node.planes.stride();
    const auto& planes = pack_union(node, node.planes.bits, stride, n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) {
      Index weight = 1;
      for (std::size_t k = 0; k < node.planes.n; ++k) {
        weight += Index{test_bit(&planes[i / word_bits * stride + k], i % word_bits)} << k;
      }
      family.weights().push_back(weight);
    }
  }
  const auto& columns = pack_union(node, node.bundle, node.stride, n_rows);
  for (const Branch& branch : node.branches) {
    if (!chosen(branch)) continue;
    Word* face = family.add(branch.end - branch.begin);
    for (std::size_t w = 0; w < family.words(); ++w) {
      face[w] = ~columns[w * node.stride + branch.column];
    }
    face[family.words() - 1] &= tail_mask(n_rows);
  }
}

bool Search::extent_faces(const Node& node, std::uint64_t excess, const FaceLimits& limits,
                          FaceFamily& family) {
  const Table& table = table_.table();
  const std::size_t n_rows = node.n_rows;
  const std::uint64_t largest = largest_column(node);
  // Infrequent attributes matter if there is no other, or if their faces can be small enough.
  const bool visible = largest == 0 || smallest_hidden(node) <= limits.hidden;
  const std::uint64_t most = largest_cover(node);
  const std::uint64_t least = most > excess ? most - excess : 0;
  const bool hidden = table_.iceberg() && least < least_support_;
  if (hidden && visible) {
    family = conceptrank::extent_faces(table, table.extent(node.intent), node.intent, excess);
    return true;
  }
  bool whole = !hidden;
  const auto chosen = [&](const Branch& branch) {
    if (!branch.cover || branch.support < least) return false;
    const bool near = node.support - branch.support <= limits.covers || branch.support == largest;
    whole = whole && near;
    return near;
  };
  // Draws, unlike chances, hang on the numbers of the rows.
  const bool chances = limits.covers != std::numeric_limits<std::uint64_t>::max();
  if (most != 0 && !node.root && chances) {
    add_packed_faces(node, chosen, family);
    return whole;
  }
  family.reset(n_rows);
  add_weights(node, family.weights());
  const auto add_full = [&](std::uint64_t multiplicity) {
    Word* face = family.add(multiplicity);
    std::fill_n(face, family.words(), ~Word{0});
    if (family.words() > 0) face[family.words() - 1] = tail_mask(n_rows);
    return face;
  };
  if (most == 0) {
    // No attribute outside the intent occurs: the only lower cover, if any, has the empty extent.
    const std::size_t others = table.n_attributes() - node.intent.size();
    if (n_rows > 0 && others > 0) add_full(others);
    return true;
  }
  for (const Branch& branch : node.branches) {
    if (!chosen(branch)) continue;
    Word* face = add_full(branch.end - branch.begin);
    if (node.root) {
      for (const Index r : table_.column(node.ranks[branch.column])) {
        face[r / word_bits] &= ~(Word{1} << (r % word_bits));
      }
    } else {
      for (std::size_t w = 0; w < node.words; ++w) {
        face[w] &= ~node.bundle[w * node.stride + branch.column];
      }
    }
  }
  return whole;
}

/// Objects of each of a node's rows; nothing when it is one everywhere.
void Search::add_weights(const Node& node, std::vector<Index>& weights) const {
  const Table& table = table_.table();
  if (node.root) {
    if (table.weighted()) weights.assign(table.weights().begin(), table.weights().end());
    return;
  }
  if (node.planes.n == 0) return;
  for (std::size_t i = 0; i < node.n_rows; ++i) weights.push_back(node.planes.weight(i));
}

}  // namespace conceptrank
