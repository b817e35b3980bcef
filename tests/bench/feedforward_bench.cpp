/// Cost of a tick of adaptive feed-forward filters: adaption and identification together with 2 DOF. Budget: 5
/// microseconds with 9 harmonics.
#include <benchmark/benchmark.h>

#include <numeric>

#include "core/feedforward/adaption_law.h"
#include "core/feedforward/recursive_least_squares.h"

namespace {

void feedforwardTick(benchmark::State& state, double keep) {
  const auto count = static_cast<Eigen::Index>(state.range(0));
  std::vector<int> orders(static_cast<std::size_t>(count));
  std::iota(orders.begin(), orders.end(), 1);
  hyb::Harmonics harmonics(41.0, orders, 2e-4);
  hyb::LeastSquaresSettings settings;
  settings.keep = keep;
  const auto law = hyb::recursiveLeastSquares(settings)->make({2, count, 2e-4, 1.0});
  law->reset(1e-4 * Eigen::MatrixXd::Random(4 * count, 2));
  law->begin();
  Eigen::VectorXd gap(2), alone(2);
  std::int64_t tick = 0;
  for (auto _ : state) {
    harmonics.at(++tick);
    const double t = static_cast<double>(tick);
    gap << 1e-5 * std::sin(0.05 * t), 1e-5 * std::cos(0.07 * t);
    alone << 1e-4 * std::sin(0.05 * t), 1e-4 * std::cos(0.05 * t);
    law->adapt(harmonics, gap, alone);
    benchmark::DoNotOptimize(law->theta().data());
  }
}
BENCHMARK_CAPTURE(feedforwardTick, adaption_and_identification, 0.0)->Arg(1)->Arg(5)->Arg(9);
BENCHMARK_CAPTURE(feedforwardTick, with_what_is_kept, 0.01)->Arg(1)->Arg(5)->Arg(9);

}  // namespace
