#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/compensation/compensator.h"
#include "core/excitation/excitation.h"
#include "core/rig/axis_signals.h"
#include "core/rig/rig.h"
#include "core/tick/director.h"

namespace hyb {

/// Output of a coupling scheme in one tick.
struct CouplingOutput {
  Command command;              // [i], of the kinds given by axisSignals()
  Eigen::VectorXd target;       // z [i], of the same kinds
  Eigen::VectorXd target_rate;  // z' [i]
  Eigen::VectorXd reference;    // z* of the uncut model [i]; empty if there is none
};

/// Converts the measured values of this tick to its target and command.
class CouplingScheme {
 public:
  virtual ~CouplingScheme() = default;
  virtual std::size_t interfaces() const noexcept = 0;
  /// Returns to rest. Not real-time.
  virtual void reset() = 0;
  /// Returns to rest but keeps adapted values: after a hold. Real-time safe.
  virtual void restart() noexcept = 0;
  /// One period. Real-time safe.
  virtual void update(const RigState& state, const ExcitationValue& excitation, CouplingOutput& output) noexcept = 0;
  /// Kinds of the signals of each axis, [i].
  virtual std::vector<AxisSignals> axisSignals() const { return std::vector<AxisSignals>(interfaces()); }
  /// Director that decides on the length of the test, if the project alone does not; null: none. Lives as long as the
  /// scheme.
  virtual Director* director() noexcept { return nullptr; }
  virtual bool hasReference() const noexcept { return false; }
  /// True if it reads ExcitationValue::signal_rate.
  virtual bool readsSignalRates() const noexcept { return false; }
  /// Selects measured forces or those of the simulated uncut structure. Real-time safe. False: this scheme has no
  /// emulated forces.
  virtual bool setForceSource(ForceSource) noexcept { return false; }
  /// As in Compensator. Before a test.
  virtual void leaveOutRates() noexcept {}
  virtual std::vector<Tunable> tunables() const { return {}; }
  virtual void tune(std::size_t, double) noexcept {}
  virtual std::vector<Adapted> adapted() const { return {}; }
  virtual void readAdapted(std::span<double>) const noexcept {}
  /// Further columns of the rig that it reads, RigState::further: [i], the motion of each interface itself if the
  /// measured motion is that of its actuator. Empty: both are the same.
  virtual std::vector<std::string> reads() const { return {}; }
  /// Further columns of this scheme in every row, as for a rig.
  virtual std::vector<Channel> channels() const { return {}; }
  /// Their values of this tick, in the order of channels(). Real-time safe.
  virtual void readChannels(std::span<double> /*values*/) const noexcept {}
  /// As in Compensator.
  virtual bool endTrial(bool /*whole*/) noexcept { return false; }
  virtual void learn() noexcept {}
  virtual void adopt() noexcept {}
  /// Learnt values, as in Compensator. Before a test, setLearnt() throws InputError if they do not fit; during a test
  /// it accepts the values of readLearnt() and does not throw.
  virtual std::size_t learnt() const noexcept { return 0; }
  virtual void readLearnt(std::span<double>) const noexcept {}
  virtual void setLearnt(std::span<const double>) {}
  /// True if it accepts this number of learnt values before a test.
  virtual bool acceptsLearnt(std::size_t learnt_before) const noexcept { return learnt_before == learnt(); }
};

}  // namespace hyb
