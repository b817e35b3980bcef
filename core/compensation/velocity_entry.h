#pragma once

namespace hyb {

/// Velocity loop of an actuator with displacement commands. Additional velocity target, m/s, from a displacement w that
/// is added to the command:
///   r_k = position_gain w_k + rate_gain (w_k - w_(k-1)) / tick
struct VelocityEntry {
  double position_gain_per_s = 1.0;
  double rate_gain = 0.0;  // if the actuator uses the rate of its command as feed-forward
  /// w_k for r_k. Real-time safe.
  double displacement(double rate_m_per_s, double last_m, double step_s) const noexcept {
    const double held = rate_gain / step_s;
    return (rate_m_per_s + held * last_m) / (position_gain_per_s + held);
  }
};

}  // namespace hyb
