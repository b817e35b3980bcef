/// Recording: the budget is 64 channels at 10 kHz below 25 % of a core. One iteration writes one second of such rows.
#include <benchmark/benchmark.h>

#include <cmath>
#include <filesystem>
#include <vector>

#include "core/record/run_file_writer.h"

static void recordOneSecond(benchmark::State& state) {
  // 9 interfaces with reference give 9 * 7 channels, and one excitation: 64.
  const hyb::RowLayout layout(9, {{"", "m", "walls", 0}}, true, {});
  const auto file = std::filesystem::temp_directory_path() / "hybridbench-record-bench.h5";
  std::filesystem::remove(file);
  hyb::RunFileHeader header;
  header.rate_hz = 10000.0;
  header.project_json = "{}";
  hyb::RunFileWriter writer(file, header, layout, {}, 8192);
  constexpr std::size_t kRows = 10000;
  std::vector<double> rows(kRows * layout.width());
  double tick = 0.0;
  for (auto _ : state) {
    state.PauseTiming();
    for (std::size_t r = 0; r < kRows; ++r, tick += 1.0)
      for (std::size_t c = 0; c < layout.width(); ++c)
        rows[r * layout.width() + c] = c == 0 ? tick : std::sin(1e-3 * tick + static_cast<double>(c));
    state.ResumeTiming();
    writer.append(rows);
    writer.flush();
  }
  writer.close({true, true, "completed"});
  std::filesystem::remove(file);
}
BENCHMARK(recordOneSecond)->Unit(benchmark::kMillisecond)->Iterations(20)->UseRealTime();
