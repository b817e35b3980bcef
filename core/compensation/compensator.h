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

/// What the compensator sees at one tick; all [i], one entry per interface DOF, same instant.
struct InterfaceState {
  Eigen::VectorXd target;       // z, m
  Eigen::VectorXd target_rate;  // z', m/s
  Eigen::VectorXd measured;     // x, m
};

/// What goes to the actuators; [i].
struct Command {
  Eigen::VectorXd position;  // u, m
  Eigen::VectorXd rate;      // u', m/s: velocity feed-forward for actuators that take it
  double fundamental = 0.0;  // rad/s: first of the harmonics that it is the sum of; 0: it is none, or not known now

  /// Becomes the other one. Real-time safe once they have the same sizes.
  [[gnu::always_inline]] void take(const Command& other) {
    linalg::copyFew(other.position, position);
    linalg::copyFew(other.rate, rate);
    fundamental = other.fundamental;
  }
};

/// A parameter that may be changed while the test runs.
struct Tunable {
  std::string name;  // "alpha", or "alpha_2" when it belongs to interface 2 alone
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

/// A quantity that the compensator adapts; becomes /adaptation/<name>.
struct Adapted {
  std::string name;  // "prediction_1": A-Z a-z 0-9 _ only
  std::string units;
  std::string description;
  std::string title = {};  // beside its curve, "power 1"; made of the name where it is empty
  std::string group = {};  // with which others it is shown, of two units at most; "": what compensators adapt
  bool momentary = false;  // of its tick alone, and not what stays: nothing to tell trials apart by as they begin
};

/// Turns target (and measured history) into command. All interface DOF at once, because some compensators couple them.
/// Owns no thread, reads no clock, knows no device.
class Compensator {
 public:
  virtual ~Compensator() = default;
  /// Clears state. Not real-time.
  virtual void reset() = 0;
  /// Forgets the history of targets (all zero again), keeps what was adapted: after a hold. Real-time safe.
  virtual void restart() noexcept = 0;
  /// One tick. Real-time safe: no allocation, no exception.
  virtual void update(const InterfaceState& state, Command& command) noexcept = 0;
  /// The last tick of a trial is over. `whole`: it ran from its beginning to its end and without a hold, so that there
  /// is something to learn from. True: learn() is due, and adopt() before the next trial begins with restart().
  /// Real-time safe.
  virtual bool endTrial(bool /*whole*/) noexcept { return false; }
  /// Works out what the next trial begins with: outside the tick, perhaps beside ticks of a pause, in which update() is
  /// not called. Touches nothing that the other functions touch, but for endTrial() and adopt().
  virtual void learn() noexcept {}
  /// The next trial begins with what was worked out. Real-time safe.
  virtual void adopt() noexcept {}

  /// Nobody takes the rates of its commands: from now on they may be 0.
  virtual void leaveOutRates() noexcept {}

  virtual std::vector<Tunable> tunables() const { return {}; }
  /// Sets tunable `index`; the caller has checked its bounds. Real-time safe.
  virtual void tune(std::size_t /*index*/, double /*value*/) noexcept {}
  virtual std::vector<Adapted> adapted() const { return {}; }
  /// Writes the adapted quantities in the order of adapted(). Real-time safe.
  virtual void readAdapted(std::span<double> /*values*/) const noexcept {}

  /// Numbers that make up what was learnt: what restart() keeps and reset() forgets. 0: nothing, or it cannot be told.
  virtual std::size_t learnt() const noexcept { return 0; }
  /// Writes them, [learnt()]. Real-time safe.
  virtual void readLearnt(std::span<double> /*values*/) const noexcept {}
  /// Puts back what readLearnt() gave. Real-time safe.
  virtual void setLearnt(std::span<const double> /*values*/) noexcept {}
};

/// Command = target.
std::unique_ptr<Compensator> makeNoCompensator();

}  // namespace hyb
