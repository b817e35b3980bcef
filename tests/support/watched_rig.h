#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/rig/rig_around.h"
#include "core/rig/twin.h"

namespace hyb::test {

/// Passes everything on to another rig; what stands between two parts of a chain and looks derives from it.
class PassingRig : public RigAround {
 public:
  using RigAround::RigAround;
  std::size_t interfaces() const noexcept override { return rig_->interfaces(); }
  RigStatus read(RigState& state, std::int64_t elapsed) noexcept override { return rig_->read(state, elapsed); }
  RigStatus write(const Command& command) noexcept override { return rig_->write(command); }
  // Its time goes on before the test starts, as that of hardware does.
  bool waits() const noexcept override { return false; }
  void begin() noexcept override {}
  bool takesRates() const noexcept override { return true; }
};

/// Where a twin truly stands, for a thread that does not drive it. Outlives the twin.
class TruePath {
 public:
  void add(const Eigen::VectorXd& position) {
    const std::lock_guard lock(mutex_);
    path_.push_back(position);
  }
  std::vector<Eigen::VectorXd> path() const {
    const std::lock_guard lock(mutex_);
    return path_;
  }
  Eigen::VectorXd now() const {
    const std::lock_guard lock(mutex_);
    return path_.empty() ? Eigen::VectorXd() : path_.back();
  }
  std::atomic<std::uint64_t> writes{0};  // commands that reached the twin since it was opened

 private:
  mutable std::mutex mutex_;
  std::vector<Eigen::VectorXd> path_;
};

/// A twin whose true positions, before any sensor, are written down with every reading.
class WatchedTwin final : public PassingRig {
 public:
  WatchedTwin(std::unique_ptr<Rig> twin, std::shared_ptr<TruePath> path)
      : PassingRig(std::move(twin)), path_(std::move(path)) {}
  void open() override {
    rig_->open();
    path_->writes = 0;
  }
  RigStatus read(RigState& state, std::int64_t elapsed) noexcept override {
    const RigStatus status = rig_->read(state, elapsed);
    path_->add(trueState(*rig_)->measured);
    return status;
  }
  RigStatus write(const Command& command) noexcept override {
    const RigStatus status = rig_->write(command);
    ++path_->writes;
    return status;
  }

 private:
  std::shared_ptr<TruePath> path_;
};

/// What the loop was told in each of its readings, and how often it went for the safe state.
class WatchedRig final : public PassingRig {
 public:
  struct Seen {
    std::vector<RigStatus> statuses;
    int safe_stops = 0;
  };
  WatchedRig(std::unique_ptr<Rig> rig, Seen& seen) : PassingRig(std::move(rig)), seen_(seen) {}
  RigStatus read(RigState& state, std::int64_t elapsed) noexcept override {
    const RigStatus status = rig_->read(state, elapsed);
    seen_.statuses.push_back(status);
    return status;
  }
  void safeStop() noexcept override {
    ++seen_.safe_stops;
    rig_->safeStop();
  }

 private:
  Seen& seen_;
};

}  // namespace hyb::test
