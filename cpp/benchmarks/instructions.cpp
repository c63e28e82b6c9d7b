// Five fixed jobs whose instructions are counted. benchmarks/instructions.py runs this program
// under callgrind, which counts only the instructions within run_job.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cpp/lattice/lattice.hpp"
#include "cpp/random/randomise.hpp"
#include "cpp/rules/rule_parts.hpp"

namespace {

using namespace conceptrank;

/// Every cell is a cross with a chance that falls from `most` to `least` from the first attribute
/// to the last.
Table random_table(std::size_t n, std::size_t q, double most, double least) {
  RandomStream random(7);
  Lists rows;
  std::vector<Index> row;
  for (std::size_t g = 0; g < n; ++g) {
    row.clear();
    for (std::size_t m = 0; m < q; ++m) {
      const double place = static_cast<double>(m) / static_cast<double>(q);
      if (random.uniform() < most + (least - most) * place) row.push_back(static_cast<Index>(m));
    }
    rows.push_back(row);
  }
  return Table(rows, q);
}

struct Job {
  const char* name;
  std::size_t n, q;
  double most, least;
  std::uint64_t min_support;
  enum { sets, covers, scores, generators } kind;
};

constexpr Job jobs[] = {
    {"closed sets, dense, rows merged", 3000, 24, 0.99, 0.5, 900, Job::sets},
    {"closed sets, sparse", 4000, 400, 0.06, 0.01, 6, Job::sets},
    {"covers", 400, 24, 0.6, 0.2, 1, Job::covers},
    {"relevance and both stabilities", 250, 20, 0.6, 0.2, 1, Job::scores},
    {"minimal generators", 250, 20, 0.6, 0.2, 1, Job::generators},
};

}  // namespace

/// Not inlined and with a plain name, so that callgrind can find it.
extern "C" __attribute__((noinline)) std::size_t run_job(const void* job_pointer,
                                                         const void* table_pointer) {
  const Job& job = *static_cast<const Job*>(job_pointer);
  const Table& table = *static_cast<const Table*>(table_pointer);
  MiningOptions options;
  options.min_support = job.min_support;
  options.threads = 1;
  options.covers = job.kind != Job::sets;
  options.score_extents = job.kind == Job::scores;
  options.extent_options.probability = true;
  Budget budget;
  const Mined mined = mine(table, options, budget);
  std::size_t found = mined.lattice.size();
  if (job.kind == Job::scores) {
    found += score_intents(mined.lattice, options.extent_options, 1, budget).intent_scores.size();
  } else if (job.kind == Job::generators) {
    const ConceptRange all{0, mined.lattice.size()};
    found = minimal_generators(mined.lattice, all, job.q, 1, budget).sets.size();
  }
  return found;
}

int main(int count, char** arguments) {
  if (count != 2) {
    for (const Job& job : jobs) std::puts(job.name);
    return 0;
  }
  for (const Job& job : jobs) {
    if (std::string(arguments[1]) != job.name) continue;
    const Table table = random_table(job.n, job.q, job.most, job.least);
    std::printf("%zu\n", run_job(&job, &table));
    return 0;
  }
  return EXIT_FAILURE;
}
