// Constraints: which concepts count. Filter: which children of a search node can lead to one.
#pragma once

#include <algorithm>
#include <limits>

#include "cpp/search/node.hpp"
#include "cpp/search/search_table.hpp"

namespace conceptrank {

/// Which concepts count.
struct Constraints {
  std::vector<Index> contains;   // every intent has all of these
  std::vector<Index> forbidden;  // no intent has any of these
  std::vector<Index> any_of;     // every intent has one of these, unless there are none
  std::uint64_t min_support = 0;
  std::uint64_t max_support = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t min_intent = 0;
  std::uint64_t max_intent = std::numeric_limits<std::uint64_t>::max();
  /// Min_support objects of every extent have each of these. Only a search with covers knows.
  std::vector<Index> shared = {};

  /// Throws std::out_of_range unless all attributes are in the table.
  void check(const Table& table) const {
    for (const auto* list : {&contains, &forbidden, &any_of, &shared}) {
      table.check_attributes(*list);
    }
  }
};

/// Applies constraints to the nodes of a search tree.
class Filter {
 public:
  Filter(const SearchTable& table, const Constraints& constraints)
      : table_(table), wanted_(constraints), forbidden_(table.table().n_attributes(), 0) {
    for (const Index m : wanted_.forbidden) forbidden_[m] = 1;
    restricts_children_ = !wanted_.contains.empty() || !wanted_.forbidden.empty() ||
                          !wanted_.any_of.empty() || !wanted_.shared.empty() ||
                          wanted_.max_intent < table.table().n_attributes();
  }

  /// Whether a concept meets the constraints, those on `shared` aside.
  bool counts(std::span<const Index> intent, std::uint64_t support) const {
    const auto has = [&](Index m) { return std::ranges::binary_search(intent, m); };
    return support >= wanted_.min_support && support <= wanted_.max_support &&
           intent.size() >= wanted_.min_intent && intent.size() <= wanted_.max_intent &&
           std::ranges::none_of(intent, [&](Index m) { return forbidden_[m] != 0; }) &&
           std::ranges::all_of(wanted_.contains, has) &&
           (wanted_.any_of.empty() || std::ranges::any_of(wanted_.any_of, has));
  }

  /// Whether the concept of an expanded node meets the constraints.
  bool counts(const Node& node) const {
    return counts(node.intent, node.support) &&
           std::ranges::all_of(wanted_.shared, [&](Index m) { return shares(node, m); });
  }

  /// Leaves out the children below which no concept counts. Concepts below a child lack all
  /// attributes of a lower rank that the child lacks.
  void prune(Node& node) const {
    if (!restricts_children_) return;
    const auto has = [&](Index m) { return std::ranges::binary_search(node.intent, m); };
    Index most = SearchTable::no_rank;
    bool possible = std::ranges::none_of(node.intent, [&](Index m) { return forbidden_[m] != 0; });
    possible =
        possible && std::ranges::all_of(wanted_.shared, [&](Index m) { return shares(node, m); });
    for (const Index m : wanted_.contains) {
      if (has(m)) continue;
      possible = possible && table_.rank(m) != SearchTable::no_rank;
      most = std::min(most, table_.rank(m));
    }
    if (!wanted_.any_of.empty() && std::ranges::none_of(wanted_.any_of, has)) {
      Index last = 0;
      bool frequent = false;
      for (const Index m : wanted_.any_of) {
        if (table_.rank(m) == SearchTable::no_rank) continue;
        last = std::max(last, table_.rank(m));
        frequent = true;
      }
      possible = possible && frequent;
      most = std::min(most, last);
    }
    for (Branch& branch : node.branches) {
      if (!branch.child) continue;
      branch.child = possible && node.table.ranks[branch.column] <= most &&
                     node.intent.size() + (branch.end - branch.begin) <= wanted_.max_intent &&
                     adds_nothing_forbidden(node, branch);
    }
  }

 private:
  /// Whether min_support objects of the extent have an attribute.
  bool shares(const Node& node, Index attribute) const {
    if (wanted_.min_support == 0 || std::ranges::binary_search(node.intent, attribute)) return true;
    const auto& ranks = node.table.ranks;
    const auto place = std::ranges::lower_bound(ranks, table_.rank(attribute));
    if (place == ranks.end() || *place != table_.rank(attribute)) return false;
    return node.table.support_of(static_cast<std::size_t>(place - ranks.begin())) >=
           wanted_.min_support;
  }
  bool adds_nothing_forbidden(const Node& node, const Branch& branch) const {
    for (std::uint32_t k = branch.begin; k < branch.end; ++k) {
      if (forbidden_[table_.attribute(node.table.ranks[node.contained_in[k]])] != 0) return false;
    }
    return true;
  }

  const SearchTable& table_;
  const Constraints& wanted_;
  std::vector<std::uint8_t> forbidden_;  // by attribute
  bool restricts_children_ = false;
};

}  // namespace conceptrank
