#pragma once
#include <Eigen/Core>
#include <string>
#include <vector>

#include "core/compensation/coefficients.h"
#include "core/compensation/low_pass.h"
#include "core/compensation/method.h"

namespace hyb {

/// The command is a_0 z + a_1 z' + ... of the target z, derivatives as backward differences, or a_0 z_k + a_1 z_(k-m) +
/// ... of its past. The coefficients are learnt from the measured motion, low-pass filtered and differentiated or
/// delayed in the same way, and the sent command, filtered by the same low-pass. The command belongs to the motion of
/// its target's instant: the command of the same tick, or of the previous one if targets are those of the next tick.
/// Common part of the members; they differ in the learning law.
struct InverseFeedforwardParams {
  /// Keys of the first three settings.
  struct Keys {
    std::string coefficients = "coefficients", lowest = "lowest", highest = "highest";
  } keys;
  std::vector<double> coefficients;     // a_n at the start, s^n
  std::vector<double> lowest, highest;  // bounds of a_n; empty: 0, and no upper bound
  double cutoff_hz = 20.0;              // of both low-passes
  double quantum_m = 0.0;               // resolution of the converter for the command; 0: none
  int spacing_ticks = 0;                // m of a filter of the past; 0: derivatives

  double lowestOf(std::size_t n) const noexcept { return lowest.empty() ? 0.0 : lowest[n]; }
  double highestOf(std::size_t n) const noexcept;
  /// Adds every fault of a member with derivatives, with places relative to the method's settings.
  void check(double step_s, Checks& checks) const;
  /// True if a list of the settings has one entry for each coefficient; otherwise false and a fault.
  bool oneForEach(const std::string& where, const std::vector<double>& list, Checks& checks) const;
};

/// A fault at /cutoff_hz if the low-pass is not possible at this rate.
void checkLowPass(double cutoff_hz, double step_s, Checks& checks);

class InverseFeedforward : public Compensator {
 public:
  InverseFeedforward(const InverseFeedforwardParams& params, double step_s, const Axes& axes);
  void reset() override;
  void restart() noexcept override;
  void update(const InterfaceState& state, Command& command) noexcept override;
  void leaveOutRates() noexcept override { rates_ = false; }
  std::vector<Adapted> adapted() const override;
  void readAdapted(std::span<double> values) const noexcept override;
  std::size_t learnt() const noexcept override;
  void readLearnt(std::span<double> values) const noexcept override { readAdapted(values); }
  void setLearnt(std::span<const double> values) noexcept override;

 protected:
  /// One tick of an axis: `sent` and `motion` (measured value and its differences) belong together. Changes a for the
  /// next tick; its bounds are applied afterwards. Real-time safe.
  virtual void learnAxis(std::size_t axis, double sent, const Coefficients& motion, Coefficients& a) noexcept = 0;
  /// Clears the data of learnAxis() for an axis, without its coefficients. Real-time safe.
  virtual void forget(std::size_t /*axis*/) noexcept {}
  const Axes& axes() const noexcept { return axes_; }
  std::size_t count() const noexcept { return params_.coefficients.size(); }
  const Coefficients& lowest() const noexcept { return lowest_; }
  const Coefficients& highest() const noexcept { return highest_; }

 private:
  struct Axis {
    Coefficients a;
    Basis target, target_rate, motion;
    LowPass sent, measured;
    int settled = 0;         // ticks since the start of the low-passes
    double last_sent = 0.0;  // command of the previous tick, m
  };
  void bound(Coefficients& a) const noexcept;

  InverseFeedforwardParams params_;
  Axes axes_;
  linalg::Divisor quantum_m_;
  int settling_ticks_;
  Coefficients lowest_, highest_;
  std::vector<Axis> all_;
  bool filled_ = false;  // true if there are targets before the newest
  bool rates_ = true;    // true if rates of commands are required
};

/// Its properties for the analyses, at the start.
class InverseFeedforwardMethod : public CompensationMethod {
 public:
  InverseFeedforwardMethod(InverseFeedforwardParams params, const MethodContext& context)
      : start_(std::move(params)), context_(context) {}
  std::vector<double> taps(std::size_t axis) const override;
  double lead_s(std::size_t axis) const override;
  bool adapts() const noexcept override { return true; }
  std::vector<std::string> remarks() const override;

 protected:
  const MethodContext& context() const noexcept { return context_; }

 private:
  InverseFeedforwardParams start_;
  MethodContext context_;
};

void readInverseFeedforward(const Json& settings, InverseFeedforwardParams& params);

}  // namespace hyb
