#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/stop_signal.h"
#include "core/loop/pacing.h"
#include "core/loop/realtime.h"

namespace hyb::app {
namespace {

struct LatencyCommand {
  double rate_hz = 1000.0, duration_s = 10.0;
  bool json = false;
};

/// Bands of the largest lateness, as for the latency test of LinuxCNC.
struct Band {
  double below_us;
  const char* verdict;
};
constexpr std::array kBands = {Band{20.0, "very good"}, Band{50.0, "good"}, Band{500.0, "hardware pacing only"},
                               Band{1e300, "unusable for real-time tests"}};

const char* verdictOf(double max_us) {
  for (const Band& band : kBands)
    if (max_us < band.below_us) return band.verdict;
  return kBands.back().verdict;
}

struct Shared {
  std::atomic<double> fraction{0.0};
  std::atomic<bool> cancelled{false}, done{false};
};

/// Runs in its own thread, like the loop, so that drawing the bar does not disturb the measurement.
LatencyFigures measure(const LatencyCommand& command, RealtimeReport& report) {
  Shared shared;
  LatencyFigures figures;
  std::thread thread([&] {
    report = enterRealtime(RealtimeRequest{});
    figures = measureLatency(
        command.rate_hz, command.duration_s, systemClock(),
        [](double fraction, void* user) {
          auto& state = *static_cast<Shared*>(user);
          state.fraction.store(fraction, std::memory_order_relaxed);
          return !state.cancelled.load(std::memory_order_relaxed);
        },
        &shared);
    shared.done.store(true);
  });
  StopSignal signal;
  Progress progress;
  while (!shared.done.load()) {
    if (signal.received()) shared.cancelled.store(true);
    const double fraction = shared.fraction.load();
    progress.show(fraction, format("%.0f s of %g s", fraction * command.duration_s, command.duration_s));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  thread.join();
  return figures;
}

int latency(const LatencyCommand& command) {
  RealtimeReport report;
  const LatencyFigures figures = measure(command, report);
  const auto us = [](std::int64_t ns) { return 1e-3 * static_cast<double>(ns); };
  const std::string verdict = verdictOf(us(figures.max_ns));
  if (command.json) {
    Json bands = Json::array();
    for (const Band& band : kBands)
      bands.push_back(
          {{"max_below_us", &band == &kBands.back() ? Json() : Json(band.below_us)}, {"verdict", band.verdict}});
    printJson({{"rate_hz", figures.rate_hz},
               {"ticks", figures.ticks},
               {"missed_periods", figures.missed_periods},
               {"min_us", us(figures.min_ns)},
               {"median_us", us(figures.median_ns)},
               {"p99_us", us(figures.p99_ns)},
               {"p999_us", us(figures.p999_ns)},
               {"max_us", us(figures.max_ns)},
               {"verdict", verdict},
               {"bands", bands},
               {"realtime",
                {{"summary", report.summary()},
                 {"fifo", report.fifo},
                 {"memory", report.memory},
                 {"refused", report.refused}}}});
    return kDone;
  }
  std::string text =
      format("%llu wake-ups at %g Hz, %llu missed periods\n", static_cast<unsigned long long>(figures.ticks),
             figures.rate_hz, static_cast<unsigned long long>(figures.missed_periods));
  text += format("lateness in us: min %.1f, median %.1f, 99 %% %.1f, 99.9 %% %.1f, max %.1f\n", us(figures.min_ns),
                 us(figures.median_ns), us(figures.p99_ns), us(figures.p999_ns), us(figures.max_ns));
  text += "verdict: " + verdict + "\n";
  text +=
      "bands of the maximum: below 20 us very good, to 50 good, to 500 hardware pacing only, above unusable;\n"
      "measure for several minutes while the computer is busy\n";
  text += "real time: ";
  text += report.refused.empty() ? "granted\n" : "not granted\n";
  for (const std::string& refusal : report.refused) text += "  " + refusal + "\n";
  print(text);
  return kDone;
}

}  // namespace

void addLatency(CommandLine& line) {
  addSubcommand<LatencyCommand>(
      line, "latency", "Measures the wake-up latency of this computer for a paced loop",
      [](CLI::App& command, LatencyCommand& options) {
        command.add_option("--rate", options.rate_hz, "Wake-ups per second in Hz")
            ->check(CLI::Range(10.0, 20000.0))
            ->capture_default_str();
        command.add_option("--duration", options.duration_s, "Duration of the measurement in s")
            ->check(CLI::Range(0.1, 3600.0))
            ->capture_default_str();
        jsonFlag(command, options.json);
      },
      latency);
}

}  // namespace hyb::app
