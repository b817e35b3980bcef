/// Round trips to a driver as plug-in, in its own process and in this one, beside plain send and receive between two
/// processes: median and 99.9 % quantile. `hybridbench_driver_bench DRIVER.so`, the worked example (actuator.so).
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "core/base/json.h"
#include "hardware/driver_link.h"

namespace {

using namespace hyb;

constexpr int kRoundTrips = 20'000;

void measure(const char* name, const std::function<bool()>& round_trip) {
  using Microseconds = std::chrono::duration<double, std::micro>;
  std::vector<double> times;
  for (int k = 0; k < kRoundTrips; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    if (!round_trip()) std::abort();
    times.push_back(Microseconds(std::chrono::steady_clock::now() - begin).count());
  }
  std::ranges::sort(times);
  std::printf("%-24s median %6.1f us, 99.9 %% %8.1f us\n", name, times[kRoundTrips / 2],
              times[kRoundTrips * 999 / 1000]);
}

void plain() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()) != 0) std::abort();
  std::array<char, 64> bytes{};
  const auto moved = [&](ssize_t count) { return count == static_cast<ssize_t>(bytes.size()); };
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    while (moved(::recv(ends[1], bytes.data(), bytes.size(), 0)))
      if (!moved(::send(ends[1], bytes.data(), bytes.size(), 0))) break;
    std::_Exit(0);
  }
  ::close(ends[1]);
  measure("plain send and receive", [&] {
    return moved(::send(ends[0], bytes.data(), bytes.size(), 0)) &&
           moved(::recv(ends[0], bytes.data(), bytes.size(), 0));
  });
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
}

void driver(const DriverFile& file, bool own_process) {
  constexpr double kPatient_s = 10.0;
  const DriverWake wake;
  DriverLink link(file, own_process, wake);
  const auto well = [&](DriverLink::Answer answer) {
    return answer == DriverLink::Answer::answered && link.reply().head.result == 0;
  };
  const std::string request = R"({"rate_hz": 1000, "silence_s": 0, "settings": {"lag_s": 0.01, "stiffness_n_per_m": 1},
    "outputs": ["command0", "command1"], "inputs": ["position0", "position1", "force0", "force1"]})";
  if (!well(link.ask(DriverCall::load, kPatient_s, kPatient_s)) ||
      !well(link.ask(DriverCall::open, kPatient_s, kPatient_s, false, {}, request)) ||
      !well(link.ask(DriverCall::arm, kPatient_s, kPatient_s)))
    std::abort();
  const std::array<double, 2> commands{1e-3, 0.0};
  measure(own_process ? "driver, own process" : "driver, in the bench",
          [&] { return well(link.ask(DriverCall::exchange, kPatient_s, kPatient_s, false, commands)); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("hybridbench_driver_bench DRIVER.so\n", stderr);
    return 2;
  }
  Checks checks;
  const DriverFilePtr file = readDriver(argv[1], "library", checks);
  checks.throwIfAny();
  plain();
  for (const bool own_process : {true, false}) driver(*file, own_process);
}
