// Search, results of an expanded node: the largest lower cover, extent faces and column sums. In an
// iceberg, attributes that are infrequent among the node's objects are not in its table. Where they
// matter, they are looked up in the rows of the whole table.
#include <algorithm>

#include "cpp/search/search.hpp"

namespace conceptrank {

/// The numbers of a node's rows. Those of an anonymous table are computed again.
std::span<const Index> Search::rows_of(const Node& node) {
  if (node.table.numbered()) return node.table.rows;
  const std::vector<Word> extent = table_.table().extent(node.intent);
  faces_.rows.clear();
  for_each_bit(extent.data(), extent.size(),
               [&](std::size_t r) { faces_.rows.push_back(static_cast<Index>(r)); });
  return faces_.rows;
}

/// faces_.hidden := the attributes outside the intent and outside the node's table that objects of
/// the node have, faces_.hidden_counts := how many. The caller clears both.
void Search::count_hidden(const Node& node) {
  const Table& table = table_.table();
  faces_.hidden.clear();
  if (node.table.whole()) {
    for (std::size_t m = 0; m < table.n_attributes(); ++m) {
      const std::uint64_t support = table.attribute_support(m);
      if (support == 0 || support >= least_support_) continue;
      faces_.hidden.push_back(static_cast<Index>(m));
      faces_.hidden_counts[m] = static_cast<Index>(support);
    }
    return;
  }
  for (const Index r : rows_of(node)) {
    const Index weight = table.weight(r);
    for (const Index m : table.row(r)) {
      if (faces_.hidden_counts[m] == 0) faces_.hidden.push_back(m);
      faces_.hidden_counts[m] += weight;
    }
  }
  std::erase_if(faces_.hidden, [&](Index m) {
    if (faces_.hidden_counts[m] < least_support_) return false;
    faces_.hidden_counts[m] = 0;
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
  if (node.rare.known) {
    const auto see = [&](Word column) {
      largest = std::max<std::uint64_t>(largest, node.table.planes.weigh(column));
    };
    for (const Word column : node.rare.columns) see(column);
    for (Word rest = node.rare.single_rows; rest != 0; rest &= rest - 1) see(rest & (~rest + 1));
    return largest;
  }
  count_hidden(node);
  for (const Index m : faces_.hidden) {
    largest = std::max(largest, std::uint64_t{faces_.hidden_counts[m]});
    faces_.hidden_counts[m] = 0;
  }
  return largest;
}

ColumnSums Search::column_sums(const Node& node) {
  const Table& table = table_.table();
  ColumnSummer summer(node.support);
  for (const Index m : node.intent) summer.add(node.support, table.attribute_support(m));
  for (std::size_t c = 0; c < node.table.n_columns(); ++c) {
    summer.add(node.table.support_of(c),
               table.attribute_support(table_.attribute(node.table.ranks[c])));
  }
  if (table_.iceberg()) {
    count_hidden(node);
    // One order of summation, independent of the order of the rows.
    std::ranges::sort(faces_.hidden);
    for (const Index m : faces_.hidden) {
      summer.add(faces_.hidden_counts[m], table.attribute_support(m));
      faces_.hidden_counts[m] = 0;
    }
  }
  summer.sums().unions = static_cast<double>(union_support(table, node.intent, faces_.united));
  return summer.sums();
}

std::size_t Search::most_hidden(const Node& node) const {
  const Table& table = table_.table();
  if (!keeps_rare_ || node.table.whole()) return table.n_attributes();
  std::size_t items = 0;
  for (const Index r : node.table.rows) items += table.weight(r) * table.row(r).size();
  return std::min(table.n_attributes(), items / std::max<std::size_t>(least_support_ - 1, 1) + 1);
}

bool Search::tops(const Node& node, const FaceLimits& limits, Tops& tops, bool& whole) {
  if (node.table.whole() || node.table.listed()) return false;
  if (!has_all_tops(node)) return tops_of_near_covers(node, limits, tops, whole);
  whole = true;
  tops.reset(node.table.n_rows);
  for (const Branch& branch : node.branches) {
    if (branch.cover) tops.sets.push_back(node.table.bundle[branch.column]);
  }
  const std::size_t n_covers = tops.sets.size();
  if (node.rare.known) {
    tops.sets.insert(tops.sets.end(), node.rare.columns.begin(), node.rare.columns.end());
    Word covered = 0;
    for (const Word set : tops.sets) covered |= set;
    for (Word rest = node.rare.single_rows & ~covered; rest != 0; rest &= rest - 1) {
      tops.sets.push_back(rest & (~rest + 1));
    }
    if (node.rare.maximal) tops.n_small = tops.sets.size() - n_covers;
  }
  // No attribute outside the intent occurs: the only lower cover, if any, has the empty extent.
  if (tops.sets.empty() && node.intent.size() < n_attributes()) tops.sets.push_back(0);
  tops.planes.assign(
      node.table.planes.bits.begin(),
      node.table.planes.bits.begin() + static_cast<std::ptrdiff_t>(node.table.planes.n));
  return true;
}

/// faces_.united := the rows that one of the chosen branches' columns lacks: all others are in no
/// face, and do not matter to chances. Returns their number.
template <class Chosen>
std::size_t Search::unite_lacked(const Node& node, const Chosen& chosen) {
  faces_.united.assign(node.table.words, 0);
  for (const Branch& branch : node.branches) {
    if (!chosen(branch)) continue;
    for (std::size_t w = 0; w < node.table.words; ++w) {
      faces_.united[w] |= ~node.table.bundle[w * node.table.stride + branch.column];
    }
  }
  faces_.united.back() &= tail_mask(node.table.n_rows);
  return kernels_.count(faces_.united.data(), node.table.words);
}

/// packing_.words := a bundle of a node's rows, restricted to the n_rows in faces_.united.
const std::vector<Word>& Search::pack_union(const Node& node, const std::vector<Word>& bundle,
                                            std::size_t stride, std::size_t n_rows) {
  packing_.words.resize(std::max(packing_.words.size(), words_for(n_rows) * stride));
  packing_.counts.resize(std::max(packing_.counts.size(), stride));
  kernels_.compress(bundle.data(), stride, node.table.words, faces_.united.data(),
                    packing_.words.data(), packing_.counts.data());
  return packing_.words;
}

/// The complements of the faces of those covers that are within the limits, over the rows that one
/// of these covers lacks.
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
  const auto& columns = pack_union(node, node.table.bundle, node.table.stride, n_lacked);
  for (const Branch& branch : node.branches) {
    if (is_near(branch)) tops.sets.push_back(columns[branch.column]);
  }
  const auto n_planes = static_cast<std::ptrdiff_t>(node.table.planes.n);
  tops.planes.clear();
  if (n_planes != 0) {
    const auto& planes =
        pack_union(node, node.table.planes.bits, node.table.planes.stride(), n_lacked);
    tops.planes.assign(planes.begin(), planes.begin() + n_planes);
  }
  // Row merging depends on the search path; the object count does not.
  return tops.weigh(tops.all()) <= (merges_rows_ ? word_bits : Tops::most_weight);
}

/// Adds the faces of the chosen branches over the rows that are in one of them.
template <class Chosen>
void Search::add_packed_faces(const Node& node, const Chosen& chosen, FaceFamily& family) {
  const std::size_t n_rows = unite_lacked(node, chosen);
  family.reset(n_rows);
  if (node.table.planes.n != 0) {
    const std::size_t stride = node.table.planes.stride();
    const auto& planes = pack_union(node, node.table.planes.bits, stride, n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) {
      Index weight = 1;
      for (std::size_t k = 0; k < node.table.planes.n; ++k) {
        weight += Index{test_bit(&planes[i / word_bits * stride + k], i % word_bits)} << k;
      }
      family.weights().push_back(weight);
    }
  }
  const auto& columns = pack_union(node, node.table.bundle, node.table.stride, n_rows);
  for (const Branch& branch : node.branches) {
    if (!chosen(branch)) continue;
    Word* face = family.add(branch.end - branch.begin);
    for (std::size_t w = 0; w < family.words(); ++w) {
      face[w] = ~columns[w * node.table.stride + branch.column];
    }
    face[family.words() - 1] &= tail_mask(n_rows);
  }
}

bool Search::extent_faces(const Node& node, std::uint64_t excess, const FaceLimits& limits,
                          FaceFamily& family) {
  const Table& table = table_.table();
  const std::size_t n_rows = node.table.n_rows;
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
  // Sampling depends on the numbers of the rows; exact probabilities do not.
  const bool chances = limits.covers != std::numeric_limits<std::uint64_t>::max();
  if (most != 0 && !node.table.whole() && !node.table.listed() && chances) {
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
  const auto clear_bits = [](std::span<const Index> rows, Word* face) {
    for (const Index r : rows) face[r / word_bits] &= ~(Word{1} << (r % word_bits));
  };
  for (const Branch& branch : node.branches) {
    if (!chosen(branch)) continue;
    Word* face = add_full(branch.end - branch.begin);
    if (node.table.whole()) {
      clear_bits(table_.column(node.table.ranks[branch.column]), face);
    } else if (node.table.listed()) {
      clear_bits(node.table.columns[branch.column], face);
    } else {
      for (std::size_t w = 0; w < node.table.words; ++w) {
        face[w] &= ~node.table.bundle[w * node.table.stride + branch.column];
      }
    }
  }
  return whole;
}

/// Objects of each of a node's rows; nothing when it is one everywhere.
void Search::add_weights(const Node& node, std::vector<Index>& weights) const {
  const Table& table = table_.table();
  if (node.table.whole()) {
    if (table.weighted()) weights.assign(table.weights().begin(), table.weights().end());
    return;
  }
  if (node.table.planes.n == 0) return;
  for (std::size_t i = 0; i < node.table.n_rows; ++i)
    weights.push_back(node.table.planes.weight(i));
}

}  // namespace conceptrank
