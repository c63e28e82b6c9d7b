// Tuning: every threshold of the core that trades one way of computing for another. None of them
// changes an exact result; they only change the running time. Each has the measurement that set it:
// processor seconds of one thread on the public tables of benchmarks/README.md. "By reasoning"
// marks a value that was not measured separately.
#pragma once

#include <cstddef>
#include <cstdint>

namespace conceptrank::tuning {

// --- Table ---------------------------------------------------------------------------------------

/// A table keeps bit matrices of up to this many bytes, whatever its density. It keeps larger ones
/// if they take at most `matrices_per_list` times the memory of its lists. By reasoning: 16 MiB are
/// little compared with the memory of any lattice.
inline constexpr std::size_t small_matrices = std::size_t{16} << 20;
inline constexpr std::size_t matrices_per_list = 2;

// --- Search: the order and the kind of tables ----------------------------------------------------

/// From this share of crosses on, the root is packed as bits. Below, children of the root are
/// gathered from lists. Dense tables (mushroom 0.19, chess 0.49, connect 0.33) and sparse ones
/// (T10I4D100K 0.012, retail 0.0006) are far from it on both sides.
inline constexpr double dense_table = 0.1;
/// From this minimum support on, columns up to an eighth below it stay in the tables of nodes. They
/// decide Δ and stability, and merged rows make them cheap: connect at 40,000 with covers 0.14 s.
inline constexpr std::uint64_t large_support = 256;

// --- Search: expanding a node --------------------------------------------------------------------

/// Above this many columns, the supersets of a column are looked for among the items of its first
/// row, if one such item costs less than `sparse_cost` words of the comparison of all columns.
/// Below, the `leaders` kernel compares eight columns per step and wins. Retail with covers takes
/// 0.22 s; if `leaders` compares all columns, 0.43 s.
inline constexpr std::size_t sparse_columns = 96;
inline constexpr std::size_t sparse_cost = 64;
/// The supersets of the columns of a wide table are found in pieces of this many words (16 MB).
inline constexpr std::size_t superset_words = std::size_t{1} << 21;

// --- Search: the table of a child ----------------------------------------------------------------

/// Cost of setting one bit from a row's list, in units of moving one word of a column: from the
/// lists of the whole table, which are rarely in a cache, and from those of the parent, which are.
/// T10I4D100K at support 10: 0.36 s, without the lists of parents 0.43 s.
inline constexpr std::size_t whole_list_cost = 5;
inline constexpr std::size_t parent_list_cost = 3;
/// Tables with more columns and more rows than this keep their rows as lists as well. Smaller ones
/// are packed, which is cheaper than to read their lists. By reasoning.
inline constexpr std::size_t listed_columns = 32;
inline constexpr std::size_t listed_rows = 64;
/// A child of at most this many columns does not keep the numbers of its rows, because its own
/// children are always packed from its table. Keeping them costs 11 % on adult (closed sets) and
/// 9 % on mushroom (covers).
inline constexpr std::size_t numbered_columns = 64;
/// Items copied per step from a list to the buffer of all items: one cache line. Copying in fixed
/// steps avoids a branch per row: T10I4D100K closed sets 0.28 s, row by row 0.32 s.
inline constexpr std::size_t copied_items = 16;
/// Rows whose items are fetched into the cache ahead of the one that is copied; their places in the
/// list are fetched as far ahead of these. By reasoning: some 30 reads of memory overlap.
inline constexpr std::size_t prefetched_rows = 32;

/// A table whose columns take more bytes than this as bits, and this many times the bytes of their
/// lists, keeps lists instead. 10^7 baskets of 10^4 items at 0.01 %, closed sets: peak 3.7 GB, 5.9
/// GB without lists, in the same time.
inline constexpr std::size_t listed_table_bytes = std::size_t{1} << 24;
inline constexpr std::size_t listed_table_ratio = 4;
/// Rows that a thread writes at a time in the search's numbers. By reasoning.
inline constexpr std::size_t numbered_rows = std::size_t{1} << 14;
/// The most frequent attributes of a table of at least `split_rows` rows are searched in a table of
/// their own, whose rows are merged, if it has at most one row for `rows_per_group` rows. 10^7
/// baskets of 10^4 items at 0.01 %, closed sets: 11.9 s without, 7.2 s with a head of 32 attributes
/// (0.54 million rows; 2.4 million with 64), both on a busy machine.
inline constexpr std::size_t split_rows = std::size_t{1} << 18;
inline constexpr std::size_t head_attributes = 32;
inline constexpr std::size_t least_head = 8;
inline constexpr std::size_t rows_per_group = 2;

// --- Search: merging equal rows ------------------------------------------------------------------

/// Rows are compared from this number of rows on; in sparse tables the number is larger, because
/// their rows repeat less often. connect at 40,000: 6.2 s without merging, 0.06 s with; chess at
/// 1,300: 3.9 s and 0.6 s.
inline constexpr std::size_t compared_rows = 128;
inline constexpr std::size_t compared_sparse_rows = 512;
/// Without covers, rows are compared if at least this many columns may still be added. With fewer,
/// comparing costs more than the smaller table saves: closed sets of chess take 6 % longer without
/// this limit, those of mushroom 4 %.
inline constexpr std::size_t compared_columns = 10;

// --- Search: intent faces along a path -----------------------------------------------------------

/// An attribute of more than one row in this many keeps its rows as bits; rarer attributes stay
/// lists. In the time that a list takes for one row, intersecting bits handles hundreds. By
/// reasoning.
inline constexpr std::size_t rows_per_few = 256;
/// The number of rows that are searched for sets of attributes at a time. A column of them has 512
/// bytes, so the columns of a set stay in the first-level cache. By reasoning.
inline constexpr std::size_t match_rows = 4096;
/// Rows are packed bit by bit if the words that have any have fewer than this on average. By
/// reasoning.
inline constexpr std::size_t rows_per_word = 2;

// --- Score: probabilities ------------------------------------------------------------------------

/// Up to this many elements, all subsets are marked as bits: 2^13 bits are 128 words. T10I4D100K at
/// support 10, stability: 0.9 s; deciding single objects instead 1.7 s, inclusion and exclusion
/// alone 31 s.
inline constexpr std::size_t marked_elements = 13;
/// A family of at most `few_tops` complements is summed by inclusion and exclusion (at most 2^6
/// terms). So is one of at most `some_tops`, if `some_tops_terms` terms suffice. By reasoning.
inline constexpr std::size_t few_tops = 6;
inline constexpr std::size_t some_tops = 12;
inline constexpr std::size_t some_tops_terms = 128;
/// A family over at most this many elements is summed through complements first: none of its faces
/// is too large to matter.
inline constexpr std::size_t downset_elements = 40;
/// The sum over complements may split into this many smaller families before another method takes
/// over.
/// By reasoning.
inline constexpr std::size_t downset_families = 3000;
/// Terms of inclusion and exclusion before the sweep over the elements takes over. With the
/// negligible terms below 2^-56 each, the error stays below 2^-42 of the result.
inline constexpr std::size_t inclusion_terms = 4096;

// --- Score: minimal generators -------------------------------------------------------------------

/// Families of at most this many faces never exhaust a sensible node budget, so the search skips
/// the preparations for that case.
inline constexpr std::size_t few_faces = 12;
/// If there are many uncovered faces, the search compares only this many to pick the one to branch
/// on. By reasoning.
inline constexpr std::size_t compared_faces = 24;
/// Search nodes for generators if their share of all subsets is below 2^-45 and only that share is
/// needed: it is 0 as far as a score can show.
inline constexpr std::uint64_t negligible_share_nodes = 2000;
/// States of the sweep before an estimate by `automatic` sampling takes over. By reasoning.
inline constexpr std::uint64_t cheap_states = 1000;

// --- Lattice: threads, batches, look-ahead -------------------------------------------------------

/// Subtrees whose root has fewer columns, or whose children have fewer objects together, are not
/// passed to another thread: they take less time than the exchange. By reasoning; passing
/// half of a node's children at a time took 1,600 exchanges on mushroom down to some dozens.
inline constexpr std::size_t shared_columns = 8;
inline constexpr std::uint64_t shared_support = 16;
/// A thread adds its counts to the shared totals after this many concepts.
inline constexpr std::uint64_t publish_every = 128;
/// It does so earlier after moving this many words and items, which takes some milliseconds.
inline constexpr std::uint64_t publish_work = std::uint64_t{1} << 22;
/// Or after this many bytes: in a table of 300,000 columns one concept has megabytes of covers.
inline constexpr std::uint64_t publish_bytes = std::uint64_t{1} << 22;
/// Node tables of fewer bytes are not counted as memory.
inline constexpr std::size_t large_node = std::size_t{1} << 20;
/// Bytes per second at which found concepts become a lattice: the search reserves time for it.
inline constexpr double assembly_rate = 250e6;
/// A batch is stored when it has `batch_concepts` concepts, or `batch_values` attributes or covers,
/// so that it stays in a cache. By reasoning.
inline constexpr std::size_t batch_concepts = 4096;
inline constexpr std::size_t batch_values = std::size_t{1} << 20;

// --- Polling -------------------------------------------------------------------------------------

/// Steps between two checks of the clock. They take far less than the 50 ms between two reports.
inline constexpr std::size_t steps_per_poll = std::size_t{1} << 14;  // of a simple loop
inline constexpr std::uint64_t branch_nodes_per_poll = 64;
inline constexpr std::uint64_t scored_concepts_per_poll = 8;
inline constexpr std::size_t sparse_pause = 1024;  // columns of an expansion
inline constexpr std::size_t root_pause = 64;      // columns of the root's expansion
inline constexpr std::size_t intent_nodes_per_poll = 1024;
inline constexpr std::size_t cohesion_words_per_poll = std::size_t{1} << 22;  // about 2 ms
inline constexpr std::uint64_t swaps_per_poll = 4096;

}  // namespace conceptrank::tuning
