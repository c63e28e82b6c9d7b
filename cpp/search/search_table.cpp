#include "cpp/search/search_table.hpp"

#include <algorithm>

#include "cpp/base/budget.hpp"
#include "cpp/base/kernels.hpp"
#include "cpp/base/random_stream.hpp"
#include "cpp/base/tuning.hpp"
#include "cpp/table/row_merger.hpp"

namespace conceptrank {
namespace {

/// A budget that ends with another one, and leaves its progress alone.
class Within : public Budget {
 public:
  explicit Within(Budget* outer)
      : Budget({}, [outer] {
          if (outer != nullptr) outer->poll(0, 0);
          return outer != nullptr && outer->stopped();
        }) {}
};

/// Rows that agree on the attributes of a head.
struct HeadGroups {
  RowMerger merger;       // what the rows of each group have of the head
  Lists others;           // the attributes before the head that all rows of a group have,
  Array<Index> n_others;  // at the begin of the group's list

  std::span<const Index> common(std::size_t group) const {
    return others[group].first(n_others[group]);
  }
  /// Takes a row of a group, by its attributes before the head; a new group is the next one.
  void keep_common(Index group, std::span<const Index> before) {
    if (group == others.size()) {
      others.push_back(before);
      n_others.push_back(static_cast<Index>(before.size()));
    } else if (n_others[group] != 0) {
      Index* const first = others.values.data() + others.offsets[group];
      Index* const end = std::set_intersection(first, first + n_others[group], before.begin(),
                                               before.end(), first);
      n_others[group] = static_cast<Index>(end - first);
    }
  }
};

}  // namespace

SearchTable::SearchTable(const Table& table, std::uint64_t min_support, std::uint64_t salt,
                         unsigned threads, Budget* budget)
    : table_(&table),
      min_support_(min_support),
      least_cover_support_(min_support < tuning::large_support ? min_support
                                                               : min_support - min_support / 8) {
  std::size_t crosses = 0;
  for (std::size_t m = 0; m < table.n_attributes(); ++m) {
    if (table.attribute_support(m) < least_cover_support_) continue;
    attribute_of_rank_.push_back(static_cast<Index>(m));
    crosses += table.column(m).size();
  }
  // Rare attributes first: tables get small near the root, and subtrees do not differ much in size.
  const double cells = static_cast<double>(table.n_rows()) * static_cast<double>(n_ranks());
  dense_ = static_cast<double>(crosses) > tuning::dense_table * cells;
  std::ranges::stable_sort(attribute_of_rank_, {}, [&](Index m) { return table.column(m).size(); });
  mean_row_size_ = table.n_rows() == 0 ? 0 : (crosses + table.n_rows() - 1) / table.n_rows();
  rank_of_.assign(table.n_attributes(), no_rank);
  for (std::size_t rank = 0; rank < n_ranks(); ++rank) {
    rank_of_[attribute_of_rank_[rank]] = static_cast<Index>(rank);
  }
  number_rows(threads, budget);
  keys_.reserve(n_ranks());
  for (std::size_t rank = 0; rank < n_ranks(); ++rank) {
    keys_.push_back(mix(mix(salt) + rank));
    key_of_all_ ^= keys_.back();
  }
  end_child_ = n_ranks();
}

SearchTable::SearchTable(std::unique_ptr<const Table> merged, const SearchTable& whole,
                         std::size_t first_child)
    : own_(std::move(merged)),
      table_(own_.get()),
      min_support_(whole.min_support_),
      least_cover_support_(whole.least_cover_support_),
      attribute_of_rank_(whole.attribute_of_rank_),
      rank_of_(whole.rank_of_),
      first_child_(first_child),
      end_child_(whole.end_child_),
      keys_(whole.keys_),
      key_of_all_(whole.key_of_all_) {
  const std::size_t crosses = table_->rows().values.size();
  mean_row_size_ = (crosses + table_->n_rows() - 1) / table_->n_rows();
  number_rows(1, nullptr);
}

/// rows_ := the rows of the table in ranks, ascending.
void SearchTable::number_rows(unsigned threads, Budget* budget) {
  const std::size_t n_rows = table_->n_rows();
  // One block takes no time.
  Within within(n_rows > tuning::numbered_rows ? budget : nullptr);
  const auto for_rows = [&](const auto& work) {
    parallel_blocks(n_rows, tuning::numbered_rows, threads, within,
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      for (std::size_t r = begin; r < end; ++r) work(r);
                    });
  };
  const auto ends = table_->rows().offsets;
  if (n_ranks() == table_->n_attributes()) {
    rows_.offsets.assign(ends.begin(), ends.end());
  } else {
    rows_.offsets.resize(n_rows + 1);
    for_rows([&](std::size_t r) {
      rows_.offsets[r + 1] = static_cast<std::uint64_t>(
          std::ranges::count_if(table_->row(r), [&](Index m) { return rank_of_[m] != no_rank; }));
    });
    if (within.stopped()) return;
    for (std::size_t r = 0; r < n_rows; ++r) rows_.offsets[r + 1] += rows_.offsets[r];
  }
  rows_.values.resize(rows_.offsets.back());
  for_rows([&](std::size_t r) {
    Index* const begin = rows_.values.data() + rows_.offsets[r];
    Index* end = begin;
    for (const Index m : table_->row(r)) {
      if (rank_of_[m] != no_rank) *end++ = rank_of_[m];
    }
    sort_distinct(begin, static_cast<std::size_t>(end - begin));
  });
}

std::unique_ptr<SearchTable> SearchTable::split_head(std::size_t least_rows, unsigned threads,
                                                     Budget* budget) {
  const std::size_t n_children = end_child_ - first_child_;
  if (dense_ || table_->n_rows() < least_rows || n_children < 2 * tuning::least_head) {
    return nullptr;
  }
  const std::size_t size = std::min(tuning::head_attributes, n_children / 2);
  const std::size_t cut = end_child_ - size;
  const auto n_before = [&](std::size_t r) {
    const auto list = row(r);
    std::size_t n = list.size();
    while (n > 0 && list[n - 1] >= cut) --n;
    return n;
  };
  // Each thread groups neighbouring rows, so that the groups are in the same order whatever the
  // number of threads.
  Within within(budget);
  std::vector<HeadGroups> parts(thread_count(threads));
  parallel_blocks(parts.size(), 1, threads, within, [&](std::size_t k, std::size_t, unsigned who) {
    HeadGroups& part = parts[k];
    const std::size_t last = rows_.size() * (k + 1) / parts.size();
    for (std::size_t begin = rows_.size() * k / parts.size(); begin < last;) {
      const std::size_t end = std::min(begin + tuning::numbered_rows, last);
      part.merger.add_each(
          end - begin, [&](std::size_t i) { return row(begin + i).subspan(n_before(begin + i)); },
          [&](std::size_t i) { return table_->weight(begin + i); },
          [&](std::size_t i, Index group) {
            part.keep_common(group, row(begin + i).first(n_before(begin + i)));
          });
      if (who == 0) within.poll(0, 0);
      if (within.stopped()) return;
      begin = end;
    }
  });
  HeadGroups& groups = parts.front();
  for (std::size_t k = 1; k < parts.size() && !within.stopped(); ++k) {
    const HeadGroups& part = parts[k];
    const bool all =
        for_each_polled(part.others.size(), within, Until::stopped, [&](std::size_t g) {
          const Index group = groups.merger.add(part.merger.rows()[g], part.merger.weights()[g]);
          groups.keep_common(group, part.common(g));
        });
    if (!all) break;
  }
  if (within.stopped() || tuning::rows_per_group * groups.others.size() > rows_.size()) {
    return nullptr;
  }
  Lists merged;
  for (std::size_t group = 0; group < groups.others.size(); ++group) {
    const std::size_t begin = merged.values.size();
    for (const Index rank : groups.common(group)) merged.values.push_back(attribute(rank));
    for (const Index rank : groups.merger.rows()[group]) merged.values.push_back(attribute(rank));
    std::sort(merged.values.begin() + static_cast<std::ptrdiff_t>(begin), merged.values.end());
    merged.close();
  }
  auto table =
      std::make_unique<const Table>(merged, table_->n_attributes(), groups.merger.weights());
  std::unique_ptr<SearchTable> head(new SearchTable(std::move(table), *this, cut));
  end_child_ = cut;
  return head;
}

}  // namespace conceptrank
