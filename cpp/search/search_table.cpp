#include "cpp/search/search_table.hpp"

#include <algorithm>

#include "cpp/base/budget.hpp"
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
  rows_.offsets.resize(n_rows + 1);
  for_rows([&](std::size_t r) {
    rows_.offsets[r + 1] = static_cast<std::uint64_t>(
        std::ranges::count_if(table_->row(r), [&](Index m) { return rank_of_[m] != no_rank; }));
  });
  if (within.stopped()) return;
  for (std::size_t r = 0; r < n_rows; ++r) rows_.offsets[r + 1] += rows_.offsets[r];
  rows_.values.resize(rows_.offsets.back());
  for_rows([&](std::size_t r) {
    Index* const begin = rows_.values.data() + rows_.offsets[r];
    Index* end = begin;
    for (const Index m : table_->row(r)) {
      if (rank_of_[m] != no_rank) *end++ = rank_of_[m];
    }
    std::sort(begin, end);
  });
}

std::unique_ptr<SearchTable> SearchTable::split_head(std::size_t least_rows, Budget* budget) {
  const std::size_t n_children = end_child_ - first_child_;
  if (dense_ || table_->n_rows() < least_rows || n_children < 2 * tuning::least_head) {
    return nullptr;
  }
  const std::size_t size = std::min(tuning::head_attributes, n_children / 2);
  const std::size_t cut = end_child_ - size;
  RowMerger merger;
  Lists others;           // the attributes before the head that all rows of a group have,
  Array<Index> n_others;  // at the begin of the group's list
  const auto n_before = [&](std::size_t r) {
    const auto list = row(r);
    std::size_t n = list.size();
    while (n > 0 && list[n - 1] >= cut) --n;
    return n;
  };
  Within within(budget);
  const auto add = [&](std::size_t r, Index group) {
    const auto before = row(r).first(n_before(r));
    if (group == others.size()) {
      others.push_back(before);
      n_others.push_back(static_cast<Index>(before.size()));
    } else if (n_others[group] != 0) {
      Index* const common = others.values.data() + others.offsets[group];
      Index* const end = std::set_intersection(common, common + n_others[group], before.begin(),
                                               before.end(), common);
      n_others[group] = static_cast<Index>(end - common);
    }
  };
  for (std::size_t begin = 0; begin < rows_.size(); begin += tuning::numbered_rows) {
    merger.add_each(
        std::min(tuning::numbered_rows, rows_.size() - begin),
        [&](std::size_t i) { return row(begin + i).subspan(n_before(begin + i)); },
        [&](std::size_t i) { return table_->weight(begin + i); },
        [&](std::size_t i, Index group) { add(begin + i, group); });
    within.poll(0, 0);
    if (within.stopped()) return nullptr;
  }
  if (tuning::rows_per_group * others.size() > rows_.size()) return nullptr;
  Lists merged;
  for (std::size_t group = 0; group < others.size(); ++group) {
    const std::size_t begin = merged.values.size();
    for (const Index rank : others[group].first(n_others[group]))
      merged.values.push_back(attribute(rank));
    for (const Index rank : merger.rows()[group]) merged.values.push_back(attribute(rank));
    std::sort(merged.values.begin() + static_cast<std::ptrdiff_t>(begin), merged.values.end());
    merged.close();
  }
  auto table = std::make_unique<const Table>(merged.offsets, merged.values, table_->n_attributes(),
                                             merger.weights());
  std::unique_ptr<SearchTable> head(new SearchTable(std::move(table), *this, cut));
  end_child_ = cut;
  return head;
}

}  // namespace conceptrank
