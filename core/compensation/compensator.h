#pragma once
#include <Eigen/Core>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/linalg/few.h"

namespace hyb {

/// Inputs of the compensator in one tick; all [i], one entry per interface DOF.
struct InterfaceState {
  Eigen::VectorXd target;       // z, m
  Eigen::VectorXd target_rate;  // z', m/s
  Eigen::VectorXd measured;     // x, m
  /// False: same instant. True (/coupling/ahead): the target is that of the next tick, so that the measured motion
  /// belongs to the target, and to the command, of the previous update(). Who learns from pairs must use these.
  bool ahead = false;
  /// 1: the interface is in contact when `measured` is read; 0: it is not, or no force stage detects its contact.
  /// Empty: none for all of them.
  Eigen::VectorXd contact = {};
};

/// Command to the actuators; [i].
struct Command {
  Eigen::VectorXd position;  // u, m
  Eigen::VectorXd rate;      // u', m/s: velocity feed-forward for actuators that use it
  double fundamental = 0.0;  // rad/s: first of the harmonics whose sum it is; 0: not such a sum, or unknown now

  /// Copies the other one. Real-time safe if both have the same sizes.
  [[gnu::always_inline]] void take(const Command& other) {
    linalg::copyFew(other.position, position);
    linalg::copyFew(other.rate, rate);
    fundamental = other.fundamental;
  }
};

/// A parameter that may be changed while the test runs.
struct Tunable {
  std::string name;  // "alpha", or "alpha_2" if it belongs only to interface 2
  std::string units;
  double value;
  /// The setting, as a pointer below the settings of its method or stage: "/alpha". A coupling scheme gives the place
  /// in the project: "/compensation/alpha". The schema has its description and its range
  /// (core/project/tunable_range.h).
  std::string field;
  /// Bounds that follow from other settings; the range in the schema holds as well.
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
  std::string words = {};  // description, if the schema has none
};

/// A quantity that the compensator adapts; becomes `/adaptation/<name>`.
struct Adapted {
  std::string name;  // "prediction_1": A-Z a-z 0-9 _ only
  std::string units;
  std::string description;
  std::string title = {};  // title of its curve, "power 1"; empty: derived from the name
  std::string group = {};  // group of quantities in one plot, at most two units; "": the compensator's group
  bool momentary = false;  // value of a single tick, not a persistent one: not shown as a start value of trials
};

/// Converts target (and measured history) to command. All interface DOF at once, because some compensators couple them.
/// Owns no thread, reads no clock, independent of the device.
class Compensator {
 public:
  virtual ~Compensator() = default;
  /// Clears state. Not real-time.
  virtual void reset() = 0;
  /// Resets the history of targets to zero, keeps adapted values: after a hold. Real-time safe.
  virtual void restart() noexcept = 0;
  /// One tick. Real-time safe: no allocation, no exception.
  virtual void update(const InterfaceState& state, Command& command) noexcept = 0;
  /// Called after the last tick of a trial. `whole`: it ran from start to end without a hold, so that it can be learnt
  /// from. True: learn() is due, and adopt() before the next trial begins with restart(). Real-time safe.
  virtual bool endTrial(bool /*whole*/) noexcept { return false; }
  /// Computes the start values of the next trial: outside the tick, possibly in parallel with ticks of a pause, in
  /// which update() is not called. Accesses no data of the other functions, except endTrial() and adopt().
  virtual void learn() noexcept {}
  /// Uses the computed values for the next trial. Real-time safe.
  virtual void adopt() noexcept {}

  /// The rates of its commands are not used: from now on they may be 0.
  virtual void leaveOutRates() noexcept {}

  virtual std::vector<Tunable> tunables() const { return {}; }
  /// Sets tunable `index`; the caller has checked its bounds. Real-time safe.
  virtual void tune(std::size_t /*index*/, double /*value*/) noexcept {}
  virtual std::vector<Adapted> adapted() const { return {}; }
  /// Writes the adapted quantities in the order of adapted(). Real-time safe.
  virtual void readAdapted(std::span<double> /*values*/) const noexcept {}

  /// Number of learnt values: kept by restart(), cleared by reset(). 0: none, or not available.
  virtual std::size_t learnt() const noexcept { return 0; }
  /// Writes them, [learnt()]. Real-time safe.
  virtual void readLearnt(std::span<double> /*values*/) const noexcept {}
  /// Restores the values of readLearnt(). Real-time safe.
  virtual void setLearnt(std::span<const double> /*values*/) noexcept {}
};

/// Command = target.
std::unique_ptr<Compensator> makeNoCompensator();

}  // namespace hyb
