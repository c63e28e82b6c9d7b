#include "cpp/table/faces.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace conceptrank {

void FaceFamily::reset(std::size_t n_elements) {
  n_elements_ = n_elements;
  words_ = words_for(n_elements);
  size_ = 0;
  bits_.clear();
  weights_.clear();
  multiplicities_.clear();
}

Word* FaceFamily::add(std::uint64_t multiplicity) {
  multiplicities_.push_back(multiplicity);
  bits_.resize((size_ + 1) * words_);
  return bits_.data() + size_++ * words_;
}

Word* FaceFamily::add(std::size_t n, std::uint64_t multiplicity) {
  size_ += n;
  multiplicities_.resize(size_, multiplicity);
  bits_.resize(size_);
  return bits_.data() + size_ - n;
}

std::vector<FaceFamily::Candidate> FaceFamily::ordered() const {
  std::vector<Candidate> candidates;
  candidates.reserve(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    candidates.push_back({count_bits(face(i), words_), i});
  }
  // Of two different faces of one size, the one that has the lowest different element goes first.
  std::ranges::sort(candidates, [&](const Candidate& a, const Candidate& b) {
    if (a.count != b.count) return a.count < b.count;
    for (std::size_t w = 0; w < words_; ++w) {
      const Word bits = face(a.index)[w];
      const Word different = bits ^ face(b.index)[w];
      if (different != 0) return (bits >> lowest_bit(different) & 1) != 0;
    }
    return false;
  });
  return candidates;
}

void FaceFamily::sort() {
  if (words_ == 1 && size_ <= 32) {
    // Most families: a few faces of one word, nearly in order.
    for (std::size_t i = 1; i < size_; ++i) {
      const Word bits = bits_[i];
      const std::uint64_t multiplicity = multiplicities_[i];
      const std::size_t count = count_bits(bits);
      const auto goes_before = [&](Word other) {
        const std::size_t other_count = count_bits(other);
        if (count != other_count) return count < other_count;
        return bits != other && (bits >> lowest_bit(bits ^ other) & 1) != 0;
      };
      std::size_t place = i;
      for (; place > 0 && goes_before(bits_[place - 1]); --place) {
        bits_[place] = bits_[place - 1];
        multiplicities_[place] = multiplicities_[place - 1];
      }
      bits_[place] = bits;
      multiplicities_[place] = multiplicity;
    }
    return;
  }
  std::vector<Word> bits;
  std::vector<std::uint64_t> multiplicities;
  bits.reserve(size_ * words_);
  multiplicities.reserve(size_);
  for (const Candidate& candidate : ordered()) {
    bits.insert(bits.end(), face(candidate.index), face(candidate.index) + words_);
    multiplicities.push_back(multiplicities_[candidate.index]);
  }
  multiplicities_.swap(multiplicities);
  bits_.swap(bits);
}

void FaceFamily::keep_minimal() {
  std::vector<Word> kept;
  std::vector<std::uint64_t> multiplicities;
  std::size_t n_kept = 0;
  std::size_t n_smaller = 0;  // kept faces with fewer elements than the current one
  std::size_t size = 0;
  for (const Candidate& candidate : ordered()) {
    const Word* larger = face(candidate.index);
    if (n_kept > 0 &&
        std::equal(larger, larger + words_, kept.end() - static_cast<std::ptrdiff_t>(words_))) {
      multiplicities.back() += multiplicities_[candidate.index];  // equal faces are neighbours
      continue;
    }
    if (candidate.count != size) n_smaller = n_kept;
    size = candidate.count;
    const bool minimal = [&] {
      for (std::size_t k = 0; k < n_smaller; ++k) {
        const Word* smaller = kept.data() + k * words_;
        std::size_t w = 0;
        while (w < words_ && (smaller[w] & ~larger[w]) == 0) ++w;
        if (w == words_) return false;
      }
      return true;
    }();
    if (!minimal) continue;
    kept.insert(kept.end(), larger, larger + words_);
    multiplicities.push_back(multiplicities_[candidate.index]);
    ++n_kept;
  }
  multiplicities_.swap(multiplicities);
  bits_.swap(kept);
  size_ = n_kept;
}

FaceFamily intent_faces(const Table& table, std::span<const Index> intent) {
  FaceFamily family;
  family.reset(intent.size());
  const std::size_t words = family.words();
  if (intent.empty()) return family;
  // Row r of `had`: which of the intent's attributes the distinct row r has.
  std::vector<Word> had(table.n_rows() * words, 0);
  for (std::size_t i = 0; i < intent.size(); ++i) {
    for (const Index r : table.column(intent[i])) set_bit(had.data() + r * words, i);
  }
  // If a row lacks only one attribute of the intent, no other face contains this attribute.
  std::vector<Word> settled(words, 0);
  std::vector<std::uint64_t> lacking_alone(intent.size(), 0);
  std::vector<Word> lacked(words);
  const auto lack = [&](std::size_t r) {
    for (std::size_t w = 0; w < words; ++w) lacked[w] = ~had[r * words + w];
    lacked.back() &= tail_mask(intent.size());
    return count_bits(lacked.data(), words);
  };
  for (std::size_t r = 0; r < table.n_rows(); ++r) {
    if (lack(r) != 1) continue;
    for_each_bit(lacked.data(), words, [&](std::size_t i) {
      set_bit(settled.data(), i);
      lacking_alone[i] += table.weight(r);
    });
  }
  for_each_bit(settled.data(), words,
               [&](std::size_t i) { set_bit(family.add(lacking_alone[i]), i); });
  std::vector<Word> distinct;
  std::vector<std::uint64_t> objects;
  for (std::size_t r = 0; r < table.n_rows(); ++r) {
    if (lack(r) < 2) continue;
    bool open = true;
    for (std::size_t w = 0; w < words && open; ++w) open = (lacked[w] & settled[w]) == 0;
    if (!open) continue;
    distinct.insert(distinct.end(), lacked.begin(), lacked.end());
    objects.push_back(table.weight(r));
  }
  // Many rows lack the same: drop repetitions before the quadratic filter.
  std::vector<Index> order(distinct.size() / words);
  std::iota(order.begin(), order.end(), Index{0});
  const auto bits = [&](Index i) {
    return std::span<const Word>(distinct.data() + i * words, words);
  };
  std::ranges::sort(order, [&](Index a, Index b) {
    return std::ranges::lexicographical_compare(bits(a), bits(b));
  });
  for (std::size_t first = 0; first < order.size();) {
    std::uint64_t multiplicity = 0;
    std::size_t last = first;
    for (; last < order.size() && std::ranges::equal(bits(order[first]), bits(order[last]));
         ++last) {
      multiplicity += objects[order[last]];
    }
    std::ranges::copy(bits(order[first]), family.add(multiplicity));
    first = last;
  }
  family.keep_minimal();
  return family;
}

FaceFamily extent_faces(const Table& table, std::span<const Word> extent,
                        std::span<const Index> intent, std::uint64_t excess) {
  FaceFamily family;
  std::vector<Index> rows;
  for_each_bit(extent.data(), extent.size(),
               [&](std::size_t r) { rows.push_back(static_cast<Index>(r)); });
  family.reset(rows.size());
  if (table.weighted()) {
    for (const Index r : rows) family.weights().push_back(table.weight(r));
  }
  const std::size_t n_attributes = table.n_attributes();
  if (intent.size() == n_attributes) return family;

  // Objects of the extent that have each attribute.
  std::vector<std::uint64_t> has(n_attributes, 0);
  std::uint64_t support = 0;
  for (const Index r : rows) {
    support += table.weight(r);
    for (const Index m : table.row(r)) has[m] += table.weight(r);
  }
  std::uint64_t most = 0;
  std::size_t absent = 0;
  for (std::size_t m = 0; m < n_attributes; ++m) {
    if (has[m] < support) most = std::max(most, has[m]);
    absent += has[m] == 0 ? 1 : 0;
  }
  const std::uint64_t smallest = support - most;
  const auto limit = excess > std::numeric_limits<std::uint64_t>::max() - smallest
                         ? std::numeric_limits<std::uint64_t>::max()
                         : smallest + excess;

  // Attributes that no object of the extent has all give the face A itself: one is enough, and only
  // when there is nothing smaller.
  if (most == 0) {
    if (absent > 0) {
      Word* face = family.add(absent);
      for (std::size_t i = 0; i < rows.size(); ++i) set_bit(face, i);
    }
    return family;
  }
  std::vector<Index> face_of(n_attributes, std::numeric_limits<Index>::max());
  std::size_t n_faces = 0;
  for (std::size_t m = 0; m < n_attributes; ++m) {
    if (has[m] == 0 || has[m] == support || support - has[m] > limit) continue;
    face_of[m] = static_cast<Index>(n_faces++);
    Word* face = family.add();
    for (std::size_t i = 0; i < rows.size(); ++i) set_bit(face, i);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Index m : table.row(rows[i])) {
      if (face_of[m] == std::numeric_limits<Index>::max()) continue;
      Word* face = family.face(face_of[m]);
      face[i / word_bits] &= ~(Word{1} << (i % word_bits));
    }
  }
  family.keep_minimal();
  return family;
}

}  // namespace conceptrank
