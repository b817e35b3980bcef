/// Cost of a tick of the three-mass test, in free run. Budget: 2 microseconds with twin and adaptive forward
/// prediction.
#include <benchmark/benchmark.h>

#include <string_view>

#include "core/project/project.h"
#include "core/run/build.h"

namespace {

/// The template as it is, but for the compensation; endless.
std::unique_ptr<hyb::Loop> threeMassLoop(const char* method) {
  hyb::Json document = hyb::templateDocument("three-mass");
  hyb::setValue(document, "/loop/duration_s=0");
  if (std::string_view(method) == "forward-prediction")
    hyb::setValue(document,
                  R"(/compensation={"method":"forward-prediction","points":8,"order":2,"prediction_ticks":8.7})");
  std::unique_ptr<hyb::Loop> loop = hyb::buildLoop(hyb::parseProject(document));
  loop->arm();
  loop->post({hyb::Request::Kind::start, -1, 0.0, {}});
  return loop;
}

void tickCost(benchmark::State& state, const char* method) {
  const auto loop = threeMassLoop(method);
  for (int k = 0; k < 5000; ++k) loop->tick(1);  // past the soft start
  for (auto _ : state) benchmark::DoNotOptimize(loop->tick(1));
}

void tickWorstCase(benchmark::State& state) {
  // A mean hides the tick that hurts: the largest of 10,000 ticks per iteration, median over the iterations.
  const auto loop = threeMassLoop("adaptive-forward-prediction");
  for (int k = 0; k < 5000; ++k) loop->tick(1);
  double worst_ns = 0.0;
  for (auto _ : state) {
    worst_ns = 0.0;
    for (int k = 0; k < 10000; ++k) {
      const std::int64_t start = hyb::monotonicNs();
      loop->tick(1);
      worst_ns = std::max(worst_ns, static_cast<double>(hyb::monotonicNs() - start));
    }
  }
  state.counters["worst_ns"] = worst_ns;
}

}  // namespace

BENCHMARK_CAPTURE(tickCost, forward_prediction, "forward-prediction");
BENCHMARK_CAPTURE(tickCost, adaptive_forward_prediction, "adaptive-forward-prediction");
BENCHMARK(tickWorstCase)->Unit(benchmark::kMillisecond);
