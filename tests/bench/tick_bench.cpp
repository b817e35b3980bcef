/// Cost of a tick in free run. Budgets: 0.7 microseconds for the three-mass test with twin and adaptive forward
/// prediction, 0.5 for a lone drop on a contact specimen, 1.5 for contact with iterative learning and passivity
/// control, 5 for the walker.
#include <benchmark/benchmark.h>

#include <string_view>

#include "core/base/allocation_guard.h"
#include "core/project/project.h"
#include "core/run/build.h"

namespace {

/// Ticks of a test that goes on and allocates nothing.
void timeTicks(benchmark::State& state, hyb::Loop& loop) {
  for (auto _ : state) benchmark::DoNotOptimize(loop.tick(1));
  const hyb::AllocationGuard guard;
  for (int k = 0; k < 20000; ++k) loop.tick(1);
  if (guard.count() > 0) state.SkipWithError("a tick allocates");
  if (loop.endReason() != hyb::EndReason::running) state.SkipWithError("the test has ended");
}

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
  timeTicks(state, *loop);
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

/// A mass that falls on a contact specimen and bounces without end, at 1 kHz.
void dropCost(benchmark::State& state, const char* actuator) {
  const hyb::Json document = hyb::Json::parse(R"({
    "format": "hybridbench-project", "version": 2, "meta": {"title": "drop"},
    "structure": {"kind": "lumped", "masses": [{"name": "m", "mass_kg": 10}], "supports": [{"name": "wall"}],
      "links": [{"name": "hold", "from": "wall", "to": "m", "stiffness_n_per_m": 1, "damping_n_s_per_m": 0}]},
    "partition": {"by": "matrices", "physical": {"dofs": ["m"]}, "interface": ["m"]},
    "excitation": {"signals": [{"name": "weight", "kind": "step", "amplitude_n": 98.1}],
      "loads": [{"signal": "weight", "mass": "m", "factor": -1}]},
    "integrator": {"scheme": "rk4", "load": "hold"}, "coupling": {"scheme": "tracking", "ahead": true},
    "compensation": {"method": "none"},
    "rig": {"kind": "twin", "actuators": [)" + std::string(actuator) +
                                              R"(],
      "specimen": {"laws": [{"law": "contact", "interface": 1, "stiffness_n_per_m": 8650, "damping_n_s_per_m": 20, "gap_m": 0.01}]}},
    "safety": {"limits": [{"quantity": "not-a-number", "action": "stop"}, {"quantity": "missed-ticks", "threshold_ticks": 50, "action": "stop"}]},
    "recording": {"folder": ""}, "loop": {"rate_hz": 1000, "duration_s": 0}
  })");
  const std::unique_ptr<hyb::Loop> loop = hyb::buildLoop(hyb::parseProject(document));
  loop->arm();
  loop->post({hyb::Request::Kind::start, -1, 0.0, {}});
  for (int k = 0; k < 5000; ++k) loop->tick(1);
  timeTicks(state, *loop);
}
constexpr const char* kServo = R"({"model": "servo", "natural_frequency_hz": 28, "damping_ratio": 0.7, "delay_s": 0})";
constexpr const char* kHydraulic =
    R"({"model": "servo-hydraulic", "a1b0": 2.1283e13, "a2": 4229700, "a3": 3.3, "b1": 425,
    "b2": 99976, "piston_mass_kg": 5})";

/// The contact template, endless, with a filter of 100 taps in addition or without.
void contactCost(benchmark::State& state, bool fir) {
  hyb::Json document = hyb::templateDocument("contact-passivity");
  hyb::setValue(document, "/loop/duration_s=0");
  hyb::setValue(document, "/structure/links/0/damping_n_s_per_m=200");
  if (fir) hyb::setValue(document, R"(/compensation/additions=[{"addition":"fir","step_size":0.001}])");
  const std::unique_ptr<hyb::Loop> loop = hyb::buildLoop(hyb::parseProject(document));
  loop->arm();
  loop->post({hyb::Request::Kind::start, -1, 0.0, {}});
  timeTicks(state, *loop);
}

/// The template contact-ilc, trial after trial with what each has learnt, and the pauses between them.
void learningCost(benchmark::State& state) {
  hyb::Json document = hyb::templateDocument("contact-ilc");
  hyb::setValue(document, "/loop/trials/count=10000");
  hyb::setValue(document, "/loop/trials/stop_after_rises=0");
  const std::unique_ptr<hyb::Loop> loop = hyb::buildLoop(hyb::parseProject(document));
  loop->arm();
  loop->post({hyb::Request::Kind::start, -1, 0.0, {}});
  timeTicks(state, *loop);
}

/// The template prosthetic-foot on a foot that does not roll, walking 3.95 s of every 4.5.
void walkerCost(benchmark::State& state) {
  hyb::Json document = hyb::templateDocument("prosthetic-foot");
  for (const char* value : {"/loop/duration_s=0", "/coupling/roll={}", "/coupling/approach_s=0.05",
                            R"(/loop/trials={"count":10000,"length_s":4,"pause_s":0.5})"})
    hyb::setValue(document, value);
  const std::unique_ptr<hyb::Loop> loop = hyb::buildLoop(hyb::parseProject(document));
  loop->arm();
  loop->post({hyb::Request::Kind::start, -1, 0.0, {}, {}});
  timeTicks(state, *loop);
}

}  // namespace

BENCHMARK(walkerCost);
BENCHMARK(learningCost);
BENCHMARK_CAPTURE(contactCost, passivity, false);
BENCHMARK_CAPTURE(contactCost, passivity_and_fir, true);
BENCHMARK_CAPTURE(dropCost, servo, kServo);
BENCHMARK_CAPTURE(dropCost, servo_hydraulic, kHydraulic);  // feels the contact: its ticks there are taken in parts
BENCHMARK_CAPTURE(tickCost, forward_prediction, "forward-prediction");
BENCHMARK_CAPTURE(tickCost, adaptive_forward_prediction, "adaptive-forward-prediction");
BENCHMARK(tickWorstCase)->Unit(benchmark::kMillisecond);
