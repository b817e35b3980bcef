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

/// What a coupling scheme leaves behind in a tick.
struct CouplingOutput {
  Command command;              // [i], of the kinds that axisSignals() says
  Eigen::VectorXd target;       // z [i], likewise
  Eigen::VectorXd target_rate;  // z' [i]
  Eigen::VectorXd reference;    // z* of the uncut model [i]; empty if there is none
};

/// Turns what was measured in this tick into this tick's target and command.
class CouplingScheme {
 public:
  virtual ~CouplingScheme() = default;
  virtual std::size_t interfaces() const noexcept = 0;
  /// At rest. Not real-time.
  virtual void reset() = 0;
  /// At rest, but keeps what was adapted: after a hold. Real-time safe.
  virtual void restart() noexcept = 0;
  /// One period. Real-time safe.
  virtual void update(const RigState& state, const ExcitationValue& excitation, CouplingOutput& output) noexcept = 0;
  /// What the signals of each axis are, [i].
  virtual std::vector<AxisSignals> axisSignals() const { return std::vector<AxisSignals>(interfaces()); }
  /// Who decides how long the test goes on where that is not the project alone; null: nobody. Lives as long as the
  /// scheme.
  virtual Director* director() noexcept { return nullptr; }
  virtual bool hasReference() const noexcept { return false; }
  /// It reads ExcitationValue::signal_rate.
  virtual bool readsSignalRates() const noexcept { return false; }
  /// Measured forces, or those of the simulated uncut structure. Real-time safe. False: this scheme has no emulated
  /// forces.
  virtual bool setForceSource(ForceSource) noexcept { return false; }
  /// As of Compensator. Before a test.
  virtual void leaveOutRates() noexcept {}
  virtual std::vector<Tunable> tunables() const { return {}; }
  virtual void tune(std::size_t, double) noexcept {}
  virtual std::vector<Adapted> adapted() const { return {}; }
  virtual void readAdapted(std::span<double>) const noexcept {}
  /// Further columns of the rig that it reads, RigState::further: [i], the motion of each interface itself where what
  /// is measured is that of its actuator. Empty: they are one.
  virtual std::vector<std::string> reads() const { return {}; }
  /// Further columns of this scheme in every row, as a rig has them.
  virtual std::vector<Channel> channels() const { return {}; }
  /// Their values of this tick, in the order of channels(). Real-time safe.
  virtual void readChannels(std::span<double> /*values*/) const noexcept {}
  /// As of Compensator.
  virtual bool endTrial(bool /*whole*/) noexcept { return false; }
  virtual void learn() noexcept {}
  virtual void adopt() noexcept {}
  /// What was learnt, as of Compensator. Before a test, setLearnt() throws InputError where it does not fit; within
  /// one, it takes back what readLearnt() gave, and does not.
  virtual std::size_t learnt() const noexcept { return 0; }
  virtual void readLearnt(std::span<double>) const noexcept {}
  virtual void setLearnt(std::span<const double>) {}
  /// Before a test, it can be given so many numbers.
  virtual bool acceptsLearnt(std::size_t learnt_before) const noexcept { return learnt_before == learnt(); }
};

}  // namespace hyb
