#pragma once
#include <Eigen/Core>
#include <complex>
#include <string>
#include <vector>

#include "core/base/checks.h"
#include "core/base/json_fwd.h"

namespace hyb {

/// Analogue low-pass before a channel: one pole, or two-pole Butterworth.
struct LowPassSpec {
  double cutoff_hz = 500.0;  // -3.01 dB
  int order = 1;             // 1 or 2
};
std::vector<LowPassSpec> parseLowPasses(const Json& list);
/// Adds every fault, with places relative to the list.
void checkLowPasses(Checks& checks, const std::vector<LowPassSpec>& filters);
/// Response of all filters in series, at s = j angular.
std::complex<double> response(const std::vector<LowPassSpec>& filters, double angular);

/// The running filters: the input is linear over each tick and may jump between ticks; otherwise exact in time.
/// Real-time safe except for the constructor.
class SensorFilter {
 public:
  SensorFilter(const std::vector<LowPassSpec>& filters, double step_s);
  void reset() noexcept;
  /// Output at the end of a tick with an input from `from` to `to`.
  double push(double from, double to) noexcept;

 private:
  struct Stage {
    int order;
    double a[2][2], from[2], to[2];  // x = a x + from u_k + to u_(k+1), over a tick; output: x[0]
    double x[2];
  };
  std::vector<Stage> stages_;
};

}  // namespace hyb
