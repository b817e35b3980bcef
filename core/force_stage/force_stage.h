#pragma once
#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/checks.h"
#include "core/base/json_fwd.h"
#include "core/compensation/compensator.h"
#include "core/data/channel.h"

namespace hyb {

/// Motion and force of the interface at the newest instant with all three values; [i].
struct StageInput {
  Eigen::VectorXd force;          // f, N: measured, of the PS on the NS, after correct()
  Eigen::VectorXd measured_rate;  // x', m/s
  Eigen::VectorXd target_rate;    // z', m/s
};

/// Interfaces of a stage, each treated separately: one, from 1, or all for 0.
struct StageInterfaces {
  int interface = 0;
  std::size_t of = 0;  // number of interfaces
  std::size_t count() const noexcept { return interface == 0 ? of : 1; }
  /// Element n, from 0.
  Eigen::Index operator[](std::size_t n) const noexcept {
    return static_cast<Eigen::Index>(interface == 0 ? n : static_cast<std::size_t>(interface - 1));
  }
};

/// Changes the measured force before it drives the NS. Owns no thread, reads no clock.
class ForceStage {
 public:
  virtual ~ForceStage() = default;
  /// At rest, without history. Real-time safe.
  virtual void restart() noexcept = 0;
  /// First step of all stages: corrects `force` [i], N, as read with the measured motion [i], m. Every stage then uses
  /// the corrected force. Real-time safe.
  virtual void correct(const Eigen::VectorXd& /*measured_m*/, Eigen::VectorXd& /*force*/) noexcept {}
  /// One tick: changes `force` [i], N, for the NS. Real-time safe.
  virtual void update(const StageInput& /*input*/, Eigen::VectorXd& /*force*/) noexcept {}
  /// Sets `contact` [i] of the interfaces whose contact it detects: 1 in contact, otherwise 0. Real-time safe.
  virtual void readContact(Eigen::VectorXd& /*contact*/) const noexcept {}
  virtual std::vector<Tunable> tunables() const { return {}; }
  virtual void tune(std::size_t /*index*/, double /*value*/) noexcept {}
  /// Internal values: columns of every row.
  virtual std::vector<Channel> channels() const { return {}; }
  virtual void readChannels(std::span<double> /*values*/) const noexcept {}
};

/// A configured stage: immutable and shared.
class ForceStageSpec {
 public:
  virtual ~ForceStageSpec() = default;
  virtual std::string_view name() const noexcept = 0;
  virtual std::unique_ptr<ForceStage> make(std::size_t interfaces, double step_s) const = 0;
  /// Interface with changed force: one, from 1, or all for 0.
  virtual int interface() const noexcept { return 0; }
  /// True if it detects the contact of these interfaces.
  virtual bool detectsContact() const noexcept { return false; }
  /// Adds every fault of the settings, with places relative to them.
  virtual void check(Checks& /*checks*/) const {}
};
using ForceStageSpecPtr = std::shared_ptr<const ForceStageSpec>;

/// One member of the family. `resources/schema/force_stage/<name>.json` describes its settings; parse() only receives
/// settings that satisfy it. Help: `resources/help/force_stage/<name>.md`.
struct ForceStageEntry {
  std::string_view name;
  ForceStageSpecPtr (*parse)(const Json& settings);
};
/// All stages in display order.
std::span<const ForceStageEntry> forceStages() noexcept;

/// Stages in series, as run by a scheme; tunables have places below `where` ("/coupling/force_stages").
class ForceStages {
 public:
  ForceStages() = default;
  ForceStages(std::span<const ForceStageSpecPtr> specs, std::size_t interfaces, double step_s);
  bool empty() const noexcept { return stages_.empty(); }
  void restart() noexcept;
  /// Measured motion and force of this tick, [i], m and N; corrects the force. Called at every tick. Real-time safe.
  void see(const Eigen::VectorXd& measured, Eigen::VectorXd& force) noexcept;
  /// `target_rate` [i], m/s, belongs to the instant of this tick, or, if `of_last_tick`, of the previous one. Changes
  /// `force` [i], N. Real-time safe.
  void update(const Eigen::VectorXd& target_rate, bool of_last_tick, Eigen::VectorXd& force) noexcept;
  /// `contact` [i] at the instant of the newest see(): InterfaceState::contact. Real-time safe.
  void readContact(Eigen::VectorXd& contact) const noexcept;
  std::vector<Tunable> tunables() const;
  /// False: the index is outside these tunables.
  bool tune(std::size_t index, double value) noexcept;
  std::vector<Channel> channels() const;
  void readChannels(std::span<double> values) const noexcept;

 private:
  struct Stage {
    std::unique_ptr<ForceStage> stage;
    std::size_t tunables, channels;
  };
  std::vector<Stage> stages_;
  double step_s_ = 1.0;
  bool seen_ = false, seen_twice_ = false;
  Eigen::VectorXd last_measured_;  // [i], m
  StageInput now_, last_;          // of this tick and of the previous one
};

/// The stages of a scheme's settings (key force_stages); may be empty.
std::vector<ForceStageSpecPtr> parseForceStages(const Json& settings);
/// True if one of them detects the contact of interface i, from 0.
bool detectsContact(std::span<const ForceStageSpecPtr> stages, std::size_t i) noexcept;
/// Checks their interfaces. Places are relative to the scheme's settings ("/force_stages/0/interface").
void checkForceStages(std::span<const ForceStageSpecPtr> stages, std::size_t interfaces, Checks& checks);

}  // namespace hyb
