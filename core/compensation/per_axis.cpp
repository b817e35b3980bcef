#include "core/compensation/per_axis.h"

#include <algorithm>

#include "core/compensation/feedback.h"

namespace hyb {
namespace {

class PerAxisCompensator final : public Compensator {
 public:
  explicit PerAxisCompensator(const std::vector<CompensationMethodPtr>& methods) {
    for (const CompensationMethodPtr& method : methods) {
      Axis axis{method->make(), 0, 0};
      axis.tunables = axis.compensator->tunables().size();
      axis.adapted = axis.compensator->adapted().size();
      axes_.push_back(std::move(axis));
    }
  }
  void reset() override {
    for (Axis& axis : axes_) axis.compensator->reset();
  }
  void restart() noexcept override {
    for (Axis& axis : axes_) axis.compensator->restart();
  }
  void update(const InterfaceState& state, Command& command) noexcept override {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      one_.target[0] = state.target[k];
      one_.target_rate[0] = state.target_rate[k];
      one_.measured[0] = state.measured[k];
      one_.ahead = state.ahead;
      axes_[i].compensator->update(one_, sent_);
      command.position[k] = sent_.position[0];
      command.rate[k] = sent_.rate[0];
    }
  }
  bool endTrial(bool whole) noexcept override {
    bool due = false;
    for (Axis& axis : axes_) due = axis.compensator->endTrial(whole) || due;
    return due;
  }
  void learn() noexcept override {
    for (Axis& axis : axes_) axis.compensator->learn();
  }
  void adopt() noexcept override {
    for (Axis& axis : axes_) axis.compensator->adopt();
  }
  std::vector<Tunable> tunables() const override {
    std::vector<Tunable> all;
    for (std::size_t i = 0; i < axes_.size(); ++i)
      for (Tunable& tunable : axes_[i].compensator->tunables()) {
        tunable.field = "/" + std::to_string(i) + tunable.field;
        all.push_back(std::move(tunable));
      }
    return all;
  }
  void tune(std::size_t index, double value) noexcept override {
    for (Axis& axis : axes_) {
      if (index < axis.tunables) return axis.compensator->tune(index, value);
      index -= axis.tunables;
    }
  }
  std::vector<Adapted> adapted() const override {
    std::vector<Adapted> all;
    for (const Axis& axis : axes_)
      for (Adapted& adapted : axis.compensator->adapted()) all.push_back(std::move(adapted));
    return all;
  }
  void readAdapted(std::span<double> values) const noexcept override {
    for (const Axis& axis : axes_) {
      axis.compensator->readAdapted(values.first(axis.adapted));
      values = values.subspan(axis.adapted);
    }
  }
  std::size_t learnt() const noexcept override {
    std::size_t all = 0;
    for (const Axis& axis : axes_) all += axis.compensator->learnt();
    return all;
  }
  void readLearnt(std::span<double> values) const noexcept override {
    for (const Axis& axis : axes_) {
      axis.compensator->readLearnt(values.first(axis.compensator->learnt()));
      values = values.subspan(axis.compensator->learnt());
    }
  }
  void setLearnt(std::span<const double> values) noexcept override {
    for (const Axis& axis : axes_) {
      axis.compensator->setLearnt(values.first(axis.compensator->learnt()));
      values = values.subspan(axis.compensator->learnt());
    }
  }

 private:
  struct Axis {
    std::unique_ptr<Compensator> compensator;
    std::size_t tunables, adapted;  // their numbers
  };
  std::vector<Axis> axes_;
  InterfaceState one_{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
  Command sent_{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
};

class PerAxis final : public FeedbackMethod {
 public:
  explicit PerAxis(std::vector<CompensationMethodPtr> methods) : methods_(std::move(methods)) {}
  std::unique_ptr<Compensator> make() const override { return std::make_unique<PerAxisCompensator>(methods_); }
  std::vector<double> taps(std::size_t axis) const override { return methods_[axis]->taps(0); }
  CommandFeedback feedback(std::size_t axis) const override { return feedbackOf(*methods_[axis], 0); }
  double lead_s(std::size_t axis) const override { return methods_[axis]->lead_s(0); }
  bool acts() const noexcept override {
    return std::any_of(methods_.begin(), methods_.end(), [](const auto& method) { return method->acts(); });
  }
  bool adapts() const noexcept override {
    return std::any_of(methods_.begin(), methods_.end(), [](const auto& method) { return method->adapts(); });
  }
  std::vector<std::string> remarks() const override {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < methods_.size(); ++i)
      for (const std::string& remark : methods_[i]->remarks())
        all.push_back("Axis " + std::to_string(i + 1) + ": " + remark);
    return all;
  }
  std::vector<std::pair<std::string, std::string>> provenance() const override {
    std::vector<std::pair<std::string, std::string>> all;
    for (const CompensationMethodPtr& method : methods_)
      for (auto& entry : method->provenance()) all.push_back(std::move(entry));
    return all;
  }
  void tryOut() const override {
    for (const CompensationMethodPtr& method : methods_) method->tryOut();
  }
  std::vector<PlugInFile> notLoaded() const override {
    std::vector<PlugInFile> all;
    for (const CompensationMethodPtr& method : methods_)
      for (PlugInFile& one : method->notLoaded())
        if (std::ranges::find(all, one.sha256, &PlugInFile::sha256) == all.end()) all.push_back(std::move(one));
    return all;
  }
  CompensationMethodPtr loaded(const PlugInWatchPtr& watch) const override {
    if (notLoaded().empty()) return nullptr;
    std::vector<CompensationMethodPtr> methods = methods_;
    for (CompensationMethodPtr& method : methods)
      if (CompensationMethodPtr loaded = method->loaded(watch)) method = std::move(loaded);
    return std::make_shared<const PerAxis>(std::move(methods));
  }

 private:
  std::vector<CompensationMethodPtr> methods_;
};

}  // namespace

CompensationMethodPtr perAxis(std::vector<CompensationMethodPtr> methods) {
  return std::make_shared<const PerAxis>(std::move(methods));
}

}  // namespace hyb
