// Nodes and the rows of the whole table: a node built afresh from these, and what an expanded node
// says of its concept: the largest lower cover, extent faces, column sums. In
// an iceberg the attributes that are infrequent among the node's objects are not in its table; they
// are looked up in the rows of the whole table where they matter.
#include <algorithm>

#include "conceptrank/search.hpp"

namespace conceptrank {
namespace {

// A set of so many rows and a size fit into a word.
constexpr std::size_t few_rows = 56;

}  // namespace

void Search::make_node(std::span<const Index> intent, std::int64_t last, Node& node) {
  const Table& table = table_.table();
  if (last < 0) return make_root(node);
  node = Node{};
  node.last = last;
  node.intent.assign(intent.begin(), intent.end());
  for (std::size_t rank = 0; rank < table_.n_ranks(); ++rank) {
    if (std::ranges::binary_search(intent, table_.attribute(rank))) node.hash ^= table_.key(rank);
  }
  const std::vector<Word> extent = table.extent(intent);
  node.support = table.support(extent);
  for_each_bit(extent.data(), extent.size(),
               [&](std::size_t r) { node.rows.push_back(static_cast<Index>(r)); });
  node.n_rows = node.rows.size();
  gather(table_.rows(), node.rows, {}, node);
}

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

void Search::extent_faces(const Node& node, std::uint64_t excess, std::uint64_t limit,
                          FaceFamily& family) {
  const Table& table = table_.table();
  const std::size_t n_rows = node.n_rows;
  const std::uint64_t largest = largest_column(node);
  // Infrequent attributes matter if there is no other, or if their faces can be small enough.
  const bool visible =
      largest == 0 || node.support - std::min(node.support, least_support_) <= limit;
  if (table_.iceberg() && node.numbered && !node.root && n_rows <= few_rows && visible &&
      (largest == 0 || largest - std::min(largest, excess) < least_support_)) {
    add_faces_of_few_rows(node, family);
    return;
  }
  const std::uint64_t most = largest_cover(node);
  const std::uint64_t least = most > excess ? most - excess : 0;
  const bool hidden = table_.iceberg() && least < least_support_ && visible;
  if (hidden && !node.numbered) {
    family = conceptrank::extent_faces(table, table.extent(node.intent), node.intent, excess);
    return;
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
    return;
  }
  for (const Branch& branch : node.branches) {
    if (!branch.cover || branch.support < least) continue;
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
  if (hidden) add_hidden_faces(node, least, family);
}

/// Objects of each of a node's rows; nothing when it is one everywhere.
void Search::add_weights(const Node& node, std::vector<Index>& weights) const {
  const Table& table = table_.table();
  if (node.root) {
    if (table.weighted()) weights.assign(table.weights().begin(), table.weights().end());
    return;
  }
  if (node.n_planes == 0) return;
  const std::size_t stride = bundle_stride(node.n_planes);
  for (std::size_t i = 0; i < node.n_rows; ++i) {
    const Word* plane = node.planes.data() + i / word_bits * stride;
    Index weight = 1;
    for (std::size_t k = 0; k < node.n_planes; ++k) {
      weight += static_cast<Index>(plane[k] >> (i % word_bits) & 1) << k;
    }
    weights.push_back(weight);
  }
}

/// All extent faces of a node of few rows from the rows' lists: a column is a word, and which
/// attributes are frequent does not matter.
void Search::add_faces_of_few_rows(const Node& node, FaceFamily& family) {
  const Table& table = table_.table();
  const std::size_t n = node.n_rows;
  const Word all = tail_mask(n);
  family.reset(n);
  add_weights(node, family.weights());
  hidden_.clear();
  column_words_.resize(table.n_attributes(), 0);
  for (std::size_t i = 0; i < n; ++i) {
    const Word bit = Word{1} << i;
    for (const Index m : table.row(node.rows[i])) {
      if (column_words_[m] == 0) hidden_.push_back(m);
      column_words_[m] |= bit;
    }
  }
  // Large columns first, equal ones side by side: the size, counted down, goes above the bits.
  // Columns of one row are many, and only counted.
  columns_.clear();
  std::fill_n(alone_.begin(), n, Index{0});
  for (const Index m : hidden_) {
    const Word column = column_words_[m];
    column_words_[m] = 0;
    if ((column & (column - 1)) == 0) {
      ++alone_[lowest_bit(column)];
    } else if (column != all) {
      columns_.push_back(Word{63 - count_bits(column)} << few_rows | column);
    }
  }
  if (n == 1) alone_[0] = 0;  // its attributes are the intent
  std::ranges::sort(columns_);
  Word covered = 0;
  for (std::size_t first = 0; first < columns_.size();) {
    const Word column = columns_[first] & all;
    std::size_t last = first + 1;
    while (last < columns_.size() && columns_[last] == columns_[first]) ++last;
    bool contained = false;
    for (std::size_t k = 0; k < family.size() && !contained; ++k) {
      contained = (column & *family.face(k)) == 0;
    }
    if (!contained) {
      *family.add(last - first) = all & ~column;
      covered |= column;
    }
    first = last;
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (alone_[i] == 0 || (covered >> i & 1) != 0) continue;
    *family.add(alone_[i]) = all & ~(Word{1} << i);
  }
  const std::size_t others = table.n_attributes() - node.intent.size();
  if (family.size() == 0 && others > 0) *family.add(others) = all;
}

/// The faces of infrequent attributes. Their columns contain no frequent one, so the faces that the
/// family has already stay minimal.
void Search::add_hidden_faces(const Node& node, std::uint64_t least, FaceFamily& family) {
  count_hidden(node);
  const std::size_t words = family.words();
  const std::size_t frequent = family.size();
  // Columns of the attributes that matter, side by side; hidden_count_ becomes the column's number.
  std::size_t n = 0;
  for (const Index m : hidden_) {
    const bool matters = hidden_count_[m] >= std::max<std::uint64_t>(least, 1);
    hidden_count_[m] = matters ? static_cast<Index>(++n) : 0;
  }
  hidden_bits_.assign(n * words, 0);
  const auto fill = [&](std::size_t i, std::size_t r) {
    for (const Index m : table_.table().row(r)) {
      if (hidden_count_[m] != 0) set_bit(hidden_bits_.data() + (hidden_count_[m] - 1) * words, i);
    }
  };
  if (node.root) {
    for (std::size_t r = 0; r < family.n_elements(); ++r) fill(r, r);
  } else {
    for (std::size_t i = 0; i < node.n_rows; ++i) fill(i, node.rows[i]);
  }
  for (const Index m : hidden_) hidden_count_[m] = 0;

  // A row that some frequent column has: most infrequent columns have a single row, of that kind.
  mask_.assign(words, 0);
  for (std::size_t k = 0; k < frequent; ++k) {
    for (std::size_t w = 0; w < words; ++w) mask_[w] |= ~family.face(k)[w];
  }
  const auto inside = [words](const Word* column, const auto& word_of) {
    for (std::size_t w = 0; w < words; ++w) {
      if ((column[w] & ~word_of(w)) != 0) return false;
    }
    return true;
  };
  members_.clear();
  for (std::size_t c = 0; c < n; ++c) {
    const Word* column = hidden_bits_.data() + c * words;
    bool contained = inside(column, [&](std::size_t w) { return mask_[w]; });
    if (contained && kernels_.count(column, words) > 1) {
      contained = false;
      for (std::size_t k = 0; k < frequent && !contained; ++k) {
        contained = inside(column, [&](std::size_t w) { return ~family.face(k)[w]; });
      }
    }
    if (!contained) members_.push_back(static_cast<Index>(c));
  }
  const auto column_of = [&](Index c) {
    return std::span<const Word>(hidden_bits_.data() + c * words, words);
  };
  // Large columns first, equal ones side by side.
  std::ranges::sort(members_, [&](Index a, Index b) {
    const std::uint64_t left = kernels_.count(column_of(a).data(), words);
    const std::uint64_t right = kernels_.count(column_of(b).data(), words);
    if (left != right) return left > right;
    return std::ranges::lexicographical_compare(column_of(a), column_of(b));
  });
  for (std::size_t first = 0; first < members_.size();) {
    const auto column = column_of(members_[first]);
    std::size_t last = first + 1;
    while (last < members_.size() && std::ranges::equal(column, column_of(members_[last]))) ++last;
    bool contained = false;
    for (std::size_t k = frequent; k < family.size() && !contained; ++k) {
      contained = inside(column.data(), [&](std::size_t w) { return ~family.face(k)[w]; });
    }
    if (!contained) {
      Word* face = family.add(last - first);
      for (std::size_t w = 0; w < words; ++w) face[w] = ~column[w];
      face[words - 1] &= tail_mask(family.n_elements());
    }
    first = last;
  }
}

}  // namespace conceptrank
