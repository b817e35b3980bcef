// Budget: the map of a beam of 2,000 elements at 50 positions in under 30 s on one core.
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

void rootsAtADelay(benchmark::State& state) {
  const DelaySystem loop = condensedFor(test::vizzaccaroLoop(2000, 0.265), 500.0);
  for (auto _ : state) benchmark::DoNotOptimize(rightmostRoots(loop, 1e-3, 500.0));
}
BENCHMARK(rootsAtADelay)->Unit(benchmark::kMillisecond);

}  // namespace
