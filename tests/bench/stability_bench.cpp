// Budgets on one core: the map of a beam of 2,000 elements at 50 positions in under 3 s; one critical delay of a beam
// whose damping couples all modes, cut near its end, in under 2 s with 60 elements and 10 s with 200.
#include <benchmark/benchmark.h>

#include "core/stability/interface_sweep.h"
#include "tests/support/vizzaccaro_beam.h"

namespace {

using namespace hyb;

void mapOfALongBeam(benchmark::State& state) {
  const Model beam = test::vizzaccaroBeam(2000);
  std::vector<double> positions;
  for (int i = 0; i < 50; ++i) positions.push_back(test::kBeamLength_m * (0.01 + 0.02 * i));
  for (auto _ : state) benchmark::DoNotOptimize(sweepInterface(beam, {}, positions, 500.0, 6e-3));
}
BENCHMARK(mapOfALongBeam)->Unit(benchmark::kMillisecond)->Iterations(1);

/// A cut-off that keeps all modes of the mesh.
void criticalDelayNearTheEnd(benchmark::State& state) {
  const auto elements = static_cast<int>(state.range(0));
  DampingSpec damping;
  damping.kind = DampingSpec::Kind::modal;
  damping.ratios = {0.01};
  const DelaySystem loop = test::vizzaccaroLoop(elements, test::kBeamLength_m * (1.0 - 2.0 / elements), damping);
  for (auto _ : state) benchmark::DoNotOptimize(criticalDelay(loop, 50000.0, 0.01));
}
BENCHMARK(criticalDelayNearTheEnd)->Arg(60)->Arg(200)->Unit(benchmark::kMillisecond)->Iterations(1);

void rootsAtADelay(benchmark::State& state) {
  const DelaySystem loop = condensedFor(test::vizzaccaroLoop(2000, 0.265), 500.0);
  for (auto _ : state) benchmark::DoNotOptimize(rightmostRoots(loop, 1e-3, 500.0));
}
BENCHMARK(rootsAtADelay)->Unit(benchmark::kMillisecond);

}  // namespace
