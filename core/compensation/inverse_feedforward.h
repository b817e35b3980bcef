#pragma once
#include <Eigen/Core>
#include <string>
#include <vector>

#include "core/compensation/coefficients.h"
#include "core/compensation/low_pass.h"
#include "core/compensation/method.h"

namespace hyb {

/// The command is a_0 z + a_1 z' + ... of the target z, derivatives as backward differences, or a_0 z_k + a_1 z_(k-m) +
/// ... of its past, with coefficients that are learnt: they take what was measured, behind a low-pass and
/// differentiated or kept alike, to what was sent, behind the same low-pass. What the members that do so share; they
/// differ in how they learn.
struct InverseFeedforwardParams {
  /// Where the settings have the first three.
  struct Keys {
    std::string coefficients = "coefficients", lowest = "lowest", highest = "highest";
  } keys;
  std::vector<double> coefficients;     // a_n at the start, s^n
  std::vector<double> lowest, highest;  // bounds of a_n; none: 0, and no upper one
  double cutoff_hz = 20.0;              // of both low-passes
  double quantum_m = 0.0;               // step of the converter that the command is rounded to; 0: none
  int spacing_ticks = 0;                // m of a filter of the past; 0: derivatives

  double lowestOf(std::size_t n) const noexcept { return lowest.empty() ? 0.0 : lowest[n]; }
  double highestOf(std::size_t n) const noexcept;
  /// Adds every fault of one with derivatives, with places relative to the method's settings.
  void check(double step_s, Checks& checks) const;
  /// A list of the settings that has one entry for each coefficient; false and a fault otherwise.
  bool oneForEach(const std::string& where, const std::vector<double>& list, Checks& checks) const;
};

/// A fault at /cutoff_hz where the low-pass does not fit the rate.
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
  /// One tick of an axis: `sent` and `motion`, what was measured and its differences, belong together. Changes what a
  /// is to be in the next tick; it is brought back into its bounds afterwards. Real-time safe.
  virtual void learnAxis(std::size_t axis, double sent, const Coefficients& motion, Coefficients& a) noexcept = 0;
  /// Forgets what learnAxis() kept of an axis beside its coefficients. Real-time safe.
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
    int settled = 0;  // ticks since the low-passes started
  };
  void bound(Coefficients& a) const noexcept;

  InverseFeedforwardParams params_;
  Axes axes_;
  linalg::Divisor quantum_m_;
  int settling_ticks_;
  Coefficients lowest_, highest_;
  std::vector<Axis> all_;
  bool filled_ = false;  // are there targets before the newest?
  bool rates_ = true;    // of commands are asked for
};

/// Its answers to the analyses, as it starts.
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
