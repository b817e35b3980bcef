#include "core/rig/shadow_rig.h"

#include <cassert>
#include <utility>

#include "core/rig/rig_around.h"

namespace hyb {
namespace {

class ShadowRig final : public RigAround {
 public:
  ShadowRig(std::unique_ptr<Rig> rig, std::unique_ptr<Rig> twin, std::vector<AxisSignals> signals)
      : RigAround(std::move(rig)), twin_(std::move(twin)), signals_(std::move(signals)) {
    signals_.resize(rig_->interfaces());
    assert(rig_->interfaces() == twin_->interfaces());
    const auto n = static_cast<Eigen::Index>(rig_->interfaces());
    shadow_.measured.setZero(n);
    shadow_.force.setZero(n);
    measured_.setZero(n);
  }
  std::size_t interfaces() const noexcept override { return rig_->interfaces(); }
  std::string description() const override { return rig_->description() + ", shadowed by " + twin_->description(); }
  void open() override {
    rig_->open();
    twin_->open();
    twin_stands_ = false;
  }
  void begin() noexcept override {
    rig_->begin();
    twin_->begin();
    twin_stands_ = false;
  }
  RigStatus read(RigState& state, std::int64_t elapsed) noexcept override {
    const RigStatus status = rig_->read(state, elapsed);
    if (!twin_stands_) (void)twin_->read(shadow_, elapsed);
    if (elapsed == 0) twin_stands_ = twin_->waits();  // the first reading
    measured_ = state.measured;
    return status;
  }
  RigStatus write(const Command& command) noexcept override {
    (void)twin_->write(command);
    return rig_->write(command);
  }
  void safeStop() noexcept override {
    rig_->safeStop();
    twin_->safeStop();
  }
  void close() noexcept override {
    rig_->close();
    twin_->close();
  }

  bool waits() const noexcept override { return false; }      // the rig beside the twin does not
  bool takesRates() const noexcept override { return true; }  // the twin does
  std::size_t readings() const noexcept override { return rig_->readings(); }
  std::vector<Channel> channels() const override {
    std::vector<Channel> columns = rig_->channels();
    const std::vector<Channel> own = shadowChannels(signals_);
    columns.insert(columns.end(), own.begin(), own.end());
    return columns;
  }
  void readChannels(std::span<double> values) const noexcept override {
    const std::size_t n = interfaces(), first = values.size() - 3 * n;
    rig_->readChannels(values.first(first));
    for (std::size_t i = 0; i < n; ++i) {
      const auto e = static_cast<Eigen::Index>(i);
      values[first + i] = shadow_.measured[e];
      values[first + n + i] = shadow_.force[e];
      values[first + 2 * n + i] = measured_[e] - shadow_.measured[e];
    }
  }

 private:
  std::unique_ptr<Rig> twin_;
  std::vector<AxisSignals> signals_;
  RigState shadow_;
  bool twin_stands_ = false;  // until the test starts
  Eigen::VectorXd measured_;
};

}  // namespace

std::vector<Channel> shadowChannels(const std::vector<AxisSignals>& signals) {
  std::vector<Channel> columns;
  const auto add = [&](const char* name, bool motion, const char* description, const std::string& title) {
    for (std::size_t i = 0; i < signals.size(); ++i) {
      const std::string number = std::to_string(i + 1);
      columns.push_back({name + number, std::string(facts(motion ? signals[i].motion : signals[i].force()).unit),
                         description, static_cast<int>(i) + 1, title + ' ' + number,
                         "Twin beside the rig" + (signals.size() > 1 ? ", axis " + number : std::string())});
    }
  };
  add("twin_measured_", true, "interface displacement of the twin in parallel with the rig", "twin x");
  add("twin_force_", false, "force of the twin in parallel with the rig", "twin f");
  add("shadow_gap_", true, "displacement of the rig minus that of the twin, same instant", "difference");
  return columns;
}

std::unique_ptr<Rig> makeShadowRig(std::unique_ptr<Rig> rig, std::unique_ptr<Rig> twin,
                                   std::vector<AxisSignals> signals) {
  return std::make_unique<ShadowRig>(std::move(rig), std::move(twin), std::move(signals));
}

}  // namespace hyb
