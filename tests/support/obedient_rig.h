#pragma once
#include <memory>
#include <string>
#include <utility>

#include "tests/support/watched_rig.h"

namespace hyb::test {

/// Stands where it was told to.
class ObedientRig final : public Rig {
 public:
  explicit ObedientRig(std::shared_ptr<TruePath> path) : path_(std::move(path)) {}
  std::size_t interfaces() const noexcept override { return 2; }
  std::string description() const override { return "obedient"; }
  void open() override { position_.setZero(); }
  RigStatus read(RigState& state, std::int64_t) noexcept override {
    state.measured = position_;
    return RigStatus::ok;
  }
  RigStatus write(const Command& command) noexcept override {
    position_ = command.position;
    path_->add(position_);
    ++path_->writes;
    return RigStatus::ok;
  }
  void safeStop() noexcept override {}

 private:
  std::shared_ptr<TruePath> path_;
  Eigen::Vector2d position_ = Eigen::Vector2d::Zero();
};

}  // namespace hyb::test
