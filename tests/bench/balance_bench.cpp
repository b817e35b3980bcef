/// A sweep of an iterative harmonic balance in free run: 31 frequencies on the noisy cantilever. Budget: 1.5 s.
#include <benchmark/benchmark.h>

#include "tests/support/balance_run.h"

namespace {

void sweep(benchmark::State& state) {
  const hyb::Json document = hyb::test::cantilever(hyb::test::sweepOfSource());
  std::size_t points = 0, converged = 0;
  std::int64_t ticks = 0;
  for (auto _ : state) {
    const hyb::test::BalanceRun run(document);
    points = run.points();
    converged = run.converged();
    ticks = run.ticks();
  }
  state.counters["ticks"] = static_cast<double>(ticks);
  state.counters["points"] = static_cast<double>(points);
  state.counters["converged"] = static_cast<double>(converged);
}
BENCHMARK(sweep)->Unit(benchmark::kMillisecond);

}  // namespace
