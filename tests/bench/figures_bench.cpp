/// Figures of a recorded run of 168,674 rows (benchmark-2020-sample as shipped, but 41 s long, at 4096 Hz): all
/// measures, and what every run yields alone. Read from the file, as the program does.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>

#include "core/assess/metrics.h"
#include "core/record/run_file_reader.h"
#include "core/run/test_run.h"

namespace {

std::filesystem::path recorded() {
  const auto file = std::filesystem::temp_directory_path() / ("figures-bench-" + std::to_string(getpid()) + ".h5");
  hyb::Json document = hyb::templateDocument("benchmark-2020-sample");
  hyb::setValue(document, "/loop/duration_s=40.68");
  hyb::setValue(document, "/excitation/signals/0/duration_s=40");
  hyb::TestRun run(hyb::parseProject(document), {hyb::Pace::free_run, file, {}, {}, false, false});
  run.arm();
  run.start();
  run.finish();
  return file;
}

void figuresOfARun(benchmark::State& state) {
  const std::filesystem::path file = recorded();
  {
    const hyb::RunFileReader reader(file);
    const hyb::RunRecord rows = hyb::recordOf(reader, {});
    for (auto _ : state) benchmark::DoNotOptimize(hyb::metrics(rows, state.range(0) != 0));
    state.counters["rows"] = static_cast<double>(rows.table.rows);
  }
  std::filesystem::remove(file);
}

}  // namespace

BENCHMARK(figuresOfARun)->ArgName("all_measures")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);
