/// A study of 1,000 free runs of the three-mass test, 10 s each, with 1 and with 2 jobs. On an idle machine with two
/// cores the second takes half as long: speed_up >= 1.9. cores = processor time per second: says whether the machine
/// was idle.
#include <benchmark/benchmark.h>

#include <ctime>
#include <filesystem>
#include <string>

#include "core/study/run_study.h"

namespace {

double one_job_s = 0.0;

void thousandRuns(benchmark::State& state) {
  hyb::Json document = {{"format", "hybridbench-study"}, {"version", 1}, {"project", "three-mass"}, {"seeds", 1000}};
  document["set"] = {{"/loop/duration_s", 10}, {"/analysis/start_s", 4}};
  const hyb::Study study = hyb::parseStudy(document);
  const auto jobs = static_cast<unsigned>(state.range(0));
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("study-bench-" + std::to_string(std::time(nullptr)) + ".h5");
  for (auto _ : state) {
    const std::clock_t before = std::clock();
    const hyb::StudySummary summary = hyb::runStudy(study, file, jobs);
    const double processor_s = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    std::filesystem::remove(file);
    state.SetIterationTime(summary.elapsed_s);
    state.counters["runs_per_s"] = static_cast<double>(summary.runs) / summary.elapsed_s;
    state.counters["cores"] = processor_s / summary.elapsed_s;
    if (jobs == 1) one_job_s = summary.elapsed_s;
    if (one_job_s > 0.0) state.counters["speed_up"] = one_job_s / summary.elapsed_s;
  }
}

}  // namespace

BENCHMARK(thousandRuns)->Arg(1)->Arg(2)->UseManualTime()->Iterations(1)->Unit(benchmark::kSecond);
