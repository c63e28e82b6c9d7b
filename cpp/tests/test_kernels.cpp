// Every kernel that this processor can run, against loops over single bits.
#include <algorithm>
#include <set>
#include <string>

#include "cpp/search/planes.hpp"
#include "harness.hpp"
#include "reference.hpp"

using namespace conceptrank;
using reference::Random;

namespace {

// Random words have half of their bits; masks and columns of all kinds don't.
Word random_word(Random& random) {
  switch (random.below(6)) {
    case 0:
      return 0;
    case 1:
      return ~Word{0};
    case 2:
      return random.bits() & random.bits() & random.bits();
    case 3:
      return random.bits() | random.bits() | random.bits();
    case 4:
      return Word{1} << random.below(word_bits);
    default:
      return random.bits();
  }
}

std::vector<Word> random_words(Random& random, std::size_t n) {
  std::vector<Word> words(n);
  for (Word& word : words) word = random_word(random);
  return words;
}

std::size_t plain_count(const std::vector<Word>& words) {
  std::size_t total = 0;
  for (std::size_t bit = 0; bit < words.size() * word_bits; ++bit) {
    total += test_bit(words.data(), bit) ? 1 : 0;
  }
  return total;
}

struct Bundle {
  std::size_t n = 0;
  std::size_t words = 0;
  std::size_t stride = 0;
  std::vector<Word> bits;

  bool has(std::size_t row, std::size_t column) const {
    return (bits[row / word_bits * stride + column] >> (row % word_bits) & 1) != 0;
  }
  bool inside(std::size_t column, std::size_t other) const {
    for (std::size_t w = 0; w < words; ++w) {
      if ((bits[w * stride + column] & ~bits[w * stride + other]) != 0) return false;
    }
    return true;
  }
};

/// Columns that contain each other, equal ones among them, and none is empty.
Bundle random_bundle(Random& random, std::size_t n, std::size_t words) {
  Bundle bundle{n, words, bundle_stride(n) + bundle_lanes * random.below(3), {}};
  bundle.bits.assign(bundle.words * bundle.stride, 0);
  const auto word = [&](std::size_t w, std::size_t c) -> Word& {
    return bundle.bits[w * bundle.stride + c];
  };
  const bool related = random.chance(0.7);
  for (std::size_t c = 0; c < n; ++c) {
    const std::size_t kind = c == 0 || !related ? 0 : random.below(4);
    const std::size_t other = c == 0 ? 0 : random.below(c);
    Word any = 0;
    for (std::size_t w = 0; w < words; ++w) {
      switch (kind) {
        case 1:
          word(w, c) = word(w, other);
          break;
        case 2:
          word(w, c) = word(w, other) & random_word(random);
          break;
        case 3:
          word(w, c) = word(w, other) | random_word(random);
          break;
        default:
          word(w, c) = random_word(random);
      }
      any |= word(w, c);
    }
    if (any == 0) word(random.below(words), c) = Word{1} << random.below(word_bits);
  }
  return bundle;
}

/// 0: no row, 1: all rows, 2: one row, 3: whole words missing, otherwise: any.
std::vector<Word> random_mask(Random& random, std::size_t words, std::size_t kind) {
  std::vector<Word> mask(words, kind == 1 ? ~Word{0} : 0);
  if (kind == 2) set_bit(mask.data(), random.below(words * word_bits));
  if (kind < 3) return mask;
  for (Word& word : mask) {
    if (kind > 3 || random.chance(0.5)) word = random_word(random);
  }
  return mask;
}

template <class Check>
void for_each_kernel(const Check& check) {
  for (const Kernels* kernel : available_kernels()) {
    const harness::Case which([&] { return "kernel " + std::string(kernel->name); });
    check(*kernel);
  }
}

}  // namespace

TEST(kernels_baseline_is_always_there) {
  CHECK(!available_kernels().empty());
  CHECK_EQUAL(available_kernels().front()->name, "baseline");
}

TEST(kernels_count_set_bits) {
  Random random(1);
  for (std::size_t n = 0; n < 70; ++n) {
    const auto words = random_words(random, n);
    for_each_kernel([&](const Kernels& kernel) {
      CHECK_EQUAL(kernel.count(words.data(), n), plain_count(words));
    });
  }
}

TEST(kernels_sum_at_set_bits) {
  Random random(3);
  for (std::size_t n = 0; n < 70; ++n) {
    auto words = random_words(random, n);
    if (n > 2) words[n / 2] = 0;
    // As many values as there are bits up to the last one.
    std::size_t end = n * word_bits;
    while (end > 0 && !test_bit(words.data(), end - 1)) --end;
    std::vector<std::uint64_t> values(end);
    std::uint64_t expected = 0;
    for (std::size_t bit = 0; bit < end; ++bit) {
      values[bit] = random.bits();
      if (test_bit(words.data(), bit)) expected += values[bit];
    }
    for_each_kernel([&](const Kernels& kernel) {
      CHECK_EQUAL(kernel.sum_at(words.data(), n, values.data()), expected);
    });
  }
}

TEST(kernels_intersect) {
  Random random(2);
  for (std::size_t n = 0; n < 70; ++n) {
    const auto left = random_words(random, n);
    const auto right = random_words(random, n);
    std::vector<Word> common(n);
    for (std::size_t w = 0; w < n; ++w) common[w] = left[w] & right[w];
    for_each_kernel([&](const Kernels& kernel) {
      std::vector<Word> into = left;
      CHECK_EQUAL(kernel.count_common(left.data(), right.data(), n), plain_count(common));
      CHECK_EQUAL(kernel.intersect(into.data(), right.data(), n), plain_count(common));
      CHECK(into == common);
    });
  }
}

TEST(kernels_compress_keeps_the_rows_of_the_mask) {
  constexpr Word canary = 0x5a5a5a5a5a5a5a5a;
  Random random(3);
  for (std::size_t round = 0; round < harness::cases(1500); ++round) {
    const std::size_t words = 1 + random.below(round % 10 == 0 ? 20 : 5);
    const Bundle bundle = random_bundle(random, 1 + random.below(200), words);
    const auto mask = random_mask(random, words, round % 6);
    const std::size_t left = plain_count(mask);
    const std::size_t left_words = words_for(left);
    const harness::Case which([&] {
      return "round " + std::to_string(round) + ", " + std::to_string(bundle.n) + " columns of " +
             std::to_string(words) + " words, " + std::to_string(left) + " rows kept";
    });

    std::vector<Word> expected(left_words * bundle.stride, 0);
    std::vector<Index> expected_counts(bundle.stride, 0);
    std::size_t packed = 0;
    for (std::size_t row = 0; row < words * word_bits; ++row) {
      if (!test_bit(mask.data(), row)) continue;
      for (std::size_t c = 0; c < bundle.n; ++c) {
        if (!bundle.has(row, c)) continue;
        expected[packed / word_bits * bundle.stride + c] |= Word{1} << (packed % word_bits);
        ++expected_counts[c];
      }
      ++packed;
    }
    for_each_kernel([&](const Kernels& kernel) {
      // Old contents of the memory must not matter, and words after the output must not change.
      std::vector<Word> out(expected.size() + 1, canary);
      std::vector<Index> counts(bundle.stride, 77);
      kernel.compress(bundle.bits.data(), bundle.stride, words, mask.data(), out.data(),
                      counts.data());
      CHECK_EQUAL(out.back(), canary);
      out.pop_back();
      CHECK(out == expected);
      CHECK(counts == expected_counts);
    });
  }
}

TEST(kernels_leaders_are_the_columns_without_an_earlier_superset) {
  Random random(4);
  for (std::size_t round = 0; round < harness::cases(1500); ++round) {
    const std::size_t words = 1 + round % 5 + (round % 50 == 0 ? random.below(12) : 0);
    const Bundle bundle = random_bundle(random, 1 + random.below(200), words);
    const std::size_t set_words = words_for(bundle.stride);
    const harness::Case which([&] {
      return "round " + std::to_string(round) + ", " + std::to_string(bundle.n) + " columns of " +
             std::to_string(words) + " words";
    });

    const std::size_t first = round % 3 == 0 ? random.below(bundle.n + 1) : 0;
    std::vector<Index> expected_leaders;
    std::vector<Word> expected_supersets;
    for (std::size_t c = first; c < bundle.n; ++c) {
      bool leads = true;
      std::vector<Word> supersets(set_words, 0);
      for (std::size_t other = 0; other < bundle.n; ++other) {
        if (!bundle.inside(c, other)) continue;
        set_bit(supersets.data(), other);
        if (other < c) leads = false;
      }
      if (!leads) continue;
      expected_leaders.push_back(static_cast<Index>(c));
      expected_supersets.insert(expected_supersets.end(), supersets.begin(), supersets.end());
    }
    for_each_kernel([&](const Kernels& kernel) {
      std::vector<Word> complement(words * bundle.stride);
      std::vector<Index> leaders(bundle.n);
      std::vector<Word> supersets((bundle.n + 1) * set_words);
      const std::size_t found =
          kernel.leaders(bundle.bits.data(), first, bundle.n, bundle.stride, words,
                         complement.data(), leaders.data(), supersets.data());
      CHECK_EQUAL(found, expected_leaders.size());
      leaders.resize(found);
      supersets.resize(found * set_words);
      CHECK(leaders == expected_leaders);
      CHECK(supersets == expected_supersets);
    });
  }
}

TEST(kernels_columns_are_counted) {
  Random random(5);
  for (std::size_t round = 0; round < harness::cases(500); ++round) {
    const std::size_t words = 1 + random.below(5);
    const Bundle bundle = random_bundle(random, 1 + random.below(100), words);
    std::vector<Index> counts(bundle.stride, 0);
    for (std::size_t c = 0; c < bundle.n; ++c) {
      for (std::size_t row = 0; row < words * word_bits; ++row) counts[c] += bundle.has(row, c);
    }
    for_each_kernel([&](const Kernels& kernel) {
      std::vector<Index> found(bundle.stride, 77);
      kernel.count_columns(bundle.bits.data(), bundle.stride, words, found.data());
      CHECK(found == counts);
    });
  }
}

TEST(kernels_columns_are_counted_and_packed_within_a_mask) {
  Random random(6);
  for (std::size_t round = 0; round < harness::cases(500); ++round) {
    const std::size_t words = 1 + random.below(5);
    const Bundle bundle = random_bundle(random, 1 + random.below(60), words);
    std::vector<Word> mask(words);
    for (Word& word : mask) word = random.below(5) == 0 ? 0 : random.bits();
    Planes planes;
    planes.assign(words * word_bits, [&](std::size_t) {
      return static_cast<Index>(1 + random.below(round % 3 == 0 ? 1 : 3000));
    });
    std::vector<Index> chosen;
    for (std::size_t c = 0; c < bundle.n; ++c) {
      if (random.chance(0.6)) chosen.push_back(static_cast<Index>(c));
    }
    std::vector<Index> counts(bundle.stride, 0);
    std::vector<Index> supports(bundle.stride, 0);
    const std::size_t stride = bundle_stride(chosen.size()) + bundle_lanes;
    std::vector<Word> packed(words * stride, 0);
    std::size_t n_rows = 0;
    for (std::size_t row = 0; row < words * word_bits; ++row) {
      if (!test_bit(mask.data(), row)) continue;
      for (std::size_t c = 0; c < bundle.n; ++c) {
        if (!bundle.has(row, c)) continue;
        ++counts[c];
        supports[c] += planes.weight(row);
      }
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        if (!bundle.has(row, chosen[k])) continue;
        set_bit(&packed[n_rows / word_bits * stride + k], n_rows % word_bits);
      }
      ++n_rows;
    }
    packed.resize(words_for(n_rows) * stride);
    for_each_kernel([&](const Kernels& kernel) {
      std::vector<Index> found_counts(bundle.stride, 77);
      std::vector<Index> found_supports(bundle.stride, 77);
      kernel.count_within(bundle.bits.data(), bundle.stride, words, mask.data(), planes.bits.data(),
                          planes.n, found_counts.data(), found_supports.data());
      CHECK(found_counts == counts);
      CHECK(found_supports == supports);
      std::vector<Word> found(words_for(n_rows) * stride, 77);
      kernel.pack(bundle.bits.data(), bundle.stride, words, mask.data(), chosen.data(),
                  chosen.size(), found.data(), stride);
      CHECK(found == packed);
    });
  }
}

TEST(kernels_sort_short_lists) {
  Random random(20261119);
  for (std::size_t round = 0; round < harness::cases(2000); ++round) {
    // Small numbers repeat; large ones differ only in signs or high bits.
    const bool small = random.chance(0.5);
    std::vector<Index> list(random.below(short_list + 1));
    for (Index& each : list) {
      each = random.chance(0.1) ? no_number
             : small            ? static_cast<Index>(random.below(12))
                                : static_cast<Index>(random.bits());
    }
    const std::set<Index> numbers(list.begin(), list.end());
    std::vector<Index> expected(numbers.begin(), numbers.end());
    std::erase(expected, no_number);
    for_each_kernel([&](const Kernels& kernel) {
      std::vector<Index> sorted = list;
      sorted.resize(kernel.sort_short(sorted.data(), sorted.size()));
      CHECK_EQUAL(sorted, expected);
    });
  }
}

TEST(lists_of_any_length_are_sorted) {
  Random random(20261120);
  for (std::size_t round = 0; round < harness::cases(500); ++round) {
    std::vector<Index> list(random.below(60));
    for (Index& each : list) {
      each = random.chance(0.2) ? no_number : static_cast<Index>(random.below(50));
    }
    const std::set<Index> numbers(list.begin(), list.end());
    std::vector<Index> expected(numbers.begin(), numbers.end());
    std::erase(expected, no_number);
    list.resize(sort_distinct(list.data(), list.size()));
    CHECK_EQUAL(list, expected);
  }
}

TEST(kernels_mark_the_subsets_of_tops) {
  Random random(99);
  for (const Kernels* kernels : available_kernels()) {
    for (std::size_t round = 0; round < harness::cases(300); ++round) {
      const harness::Case which([&] { return std::string(kernels->name); });
      Word mask = random_word(random);
      while (count_bits(mask) > 12) mask &= random.bits();
      const std::vector<Word> tops = random_words(random, random.below(6));
      std::vector<Word> elements;
      for_each_bit(&mask, 1, [&](std::size_t e) { elements.push_back(Word{1} << e); });
      std::vector<Word> marked(subset_words(elements.size()), ~Word{0});
      const std::uint64_t count =
          kernels->mark_below(tops.data(), tops.size(), mask, marked.data());
      std::uint64_t expected = 0;
      for (std::size_t number = 0; number < marked.size() * word_bits; ++number) {
        Word subset = 0;
        for (std::size_t i = 0; i < elements.size(); ++i) {
          if ((number >> i & 1) != 0) subset |= elements[i];
        }
        bool inside = false;
        for (const Word top : tops) inside = inside || (subset & ~top) == 0;
        inside = inside && number >> elements.size() == 0;
        CHECK_EQUAL(test_bit(marked.data(), number), inside);
        expected += inside ? 1 : 0;
      }
      CHECK_EQUAL(count, expected);
    }
  }
}

TEST(kernels_mark_the_subsets_of_each_top) {
  Random random(104);
  for_each_kernel([&](const Kernels& kernel) {
    for (std::size_t round = 0; round < harness::cases(200); ++round) {
      const std::size_t begin = random.below(20);
      std::vector<Word> tops = random_words(random, begin + random.below(20));
      for (std::size_t i = begin; i < tops.size(); ++i) {
        while (count_bits(tops[i]) > 6) tops[i] &= random.bits();
      }
      std::vector<Word> marked(bundle_stride(tops.size() - begin), random.bits());
      kernel.mark_each(tops.data(), begin, tops.size(), marked.data());
      for (std::size_t i = begin; i < tops.size(); ++i) {
        Word expected = 0;
        kernel.mark_below(tops.data(), i, tops[i], &expected);
        CHECK_EQUAL(marked[i - begin], expected);
      }
    }
  });
}

TEST(kernels_keep_the_sets_inside_no_other) {
  Random random(105);
  for_each_kernel([&](const Kernels& kernel) {
    for (std::size_t round = 0; round < harness::cases(200); ++round) {
      std::vector<Word> sets = random_words(random, random.below(40));
      const std::vector<Word> others = random_words(random, random.below(20));
      std::vector<Word> complements(bundle_stride(others.size()), ~Word{0});
      for (std::size_t k = 0; k < others.size(); ++k) complements[k] = ~others[k];
      std::vector<Word> expected;
      for (const Word set : sets) {
        const bool inside =
            std::ranges::any_of(others, [&](Word other) { return (set & other) == set; });
        if (!inside) expected.push_back(set);
      }
      sets.resize(kernel.not_inside(sets.data(), sets.size(), complements.data(),
                                    complements.size(), sets.data()));
      CHECK(sets == expected);
    }
  });
}

TEST(kernels_restrict_sets_to_a_mask) {
  Random random(107);
  for_each_kernel([&](const Kernels& kernel) {
    for (std::size_t round = 0; round < harness::cases(200); ++round) {
      std::vector<Word> sets = random_words(random, random.below(40));
      Word mask = random_word(random);
      if (round % 2 == 0) mask &= random.bits() & random.bits() & random.bits();
      Word alone = random_word(random);
      Word expected_alone = alone;
      std::vector<Word> expected;
      for (const Word set : sets) {
        Word packed = 0;
        std::size_t place = 0;
        for_each_bit(&mask, 1, [&](std::size_t e) { packed |= (set >> e & 1) << place++; });
        if (count_bits(packed) > 1) {
          expected.push_back(packed);
        } else {
          expected_alone |= packed;
        }
      }
      sets.resize(kernel.restrict_sets(sets.data(), sets.size(), mask, sets.data(), &alone));
      CHECK(sets == expected);
      CHECK_EQUAL(alone, expected_alone);
    }
  });
}

TEST(kernels_keep_the_maximal_sets) {
  Random random(100);
  for (const Kernels* kernels : available_kernels()) {
    for (std::size_t round = 0; round < harness::cases(300); ++round) {
      const harness::Case which([&] { return std::string(kernels->name); });
      const Word elements = (Word{1} << (1 + random.below(12))) - 1;
      std::vector<Word> sets = random_words(random, random.below(60));
      for (Word& set : sets) set &= elements;
      std::ranges::stable_sort(sets, std::ranges::greater{},
                               [](Word set) { return count_bits(set); });
      std::vector<Word> expected;
      for (std::size_t i = 0; i < sets.size(); ++i) {
        bool inside = false;
        for (std::size_t k = 0; k < sets.size(); ++k) {
          const bool other = sets[k] != sets[i] || k < i;
          inside = inside || (other && (sets[i] & ~sets[k]) == 0);
        }
        if (!inside) expected.push_back(sets[i]);
      }
      const std::size_t n = sets.size();
      sets.resize(bundle_stride(n), random.bits());
      std::vector<Word> kept(bundle_stride(n), random.bits());
      kept.resize(kernels->maximal(sets.data(), n, kept.data()));
      CHECK(kept == expected);
    }
  }
}

TEST(kernels_say_what_a_set_has_more) {
  Random random(101);
  for (const Kernels* kernels : available_kernels()) {
    for (std::size_t round = 0; round < harness::cases(300); ++round) {
      const harness::Case which([&] { return std::string(kernels->name); });
      const std::size_t words = 1 + random.below(4);
      std::vector<Word> sets = random_words(random, words * (1 + random.below(9)));
      std::vector<Word> set(words);
      std::vector<std::size_t> elements;
      for (std::size_t e = 0; e < words * word_bits; ++e) {
        if (random.below(words) != 0 || elements.size() == word_bits) continue;
        set_bit(set.data(), e);
        elements.push_back(e);
      }
      std::vector<Index> chosen(random.below(20));
      for (Index& k : chosen) k = static_cast<Index>(random.below(sets.size() / words));
      std::vector<Word> found(chosen.size(), random.bits());
      kernels->differences(set.data(), sets.data(), words, chosen.data(), chosen.size(),
                           found.data());
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        for (std::size_t k = 0; k < word_bits; ++k) {
          const bool lacked =
              k < elements.size() && !test_bit(sets.data() + chosen[i] * words, elements[k]);
          CHECK_EQUAL(test_bit(&found[i], k), lacked);
        }
      }
    }
  }
}
