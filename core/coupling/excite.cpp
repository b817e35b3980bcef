#include "core/coupling/excite.h"

#include <utility>

#include "core/base/json.h"

namespace hyb {
namespace {

class Excite final : public CouplingScheme {
 public:
  Excite(std::vector<Dof> interface, std::size_t axis, std::size_t signal)
      : interface_(std::move(interface)),
        axis_(static_cast<Eigen::Index>(axis)),
        signal_(static_cast<Eigen::Index>(signal)) {}

  std::size_t interfaces() const noexcept override { return interface_.size(); }
  std::vector<AxisSignals> axisSignals() const override { return motionSignals(interface_); }
  void reset() override {}
  void restart() noexcept override {}
  bool readsSignalRates() const noexcept override { return true; }
  void update(const RigState& /*state*/, const ExcitationValue& excitation, CouplingOutput& output) noexcept override {
    output.target.setZero();
    output.target_rate.setZero();
    if (signal_ < excitation.signal.size()) {
      output.target[axis_] = excitation.signal[signal_];
      output.target_rate[axis_] = excitation.signal_rate[signal_];
    }
    output.command.position = output.target;
    output.command.rate = output.target_rate;
  }

 private:
  std::vector<Dof> interface_;
  Eigen::Index axis_, signal_;
};

class ExciteSpec final : public CouplingSpec {
 public:
  ExciteSpec(int interface, int signal) : interface_(interface), signal_(signal) {}
  std::string_view name() const noexcept override { return "excite"; }
  std::unique_ptr<CouplingScheme> make(SchemeContext context) const override {
    return std::make_unique<Excite>(context.partition.interface, static_cast<std::size_t>(interface_ - 1),
                                    static_cast<std::size_t>(signal_ - 1));
  }
  void check(std::size_t interfaces, const IntegratorSpec& /*integrator*/, Checks& checks) const override {
    if (static_cast<std::size_t>(interface_) > interfaces)
      checks.fault("/interface", "is " + std::to_string(interface_) + ", but the cut has " +
                                     std::to_string(interfaces) + "; give a number from 1.");
  }
  void checkSignals(const std::vector<Dof>& interface, const std::vector<std::string>& units,
                    Checks& checks) const override {
    const auto signal = static_cast<std::size_t>(signal_ - 1), axis = static_cast<std::size_t>(interface_ - 1);
    if (signal >= units.size()) {
      checks.fault("/signal", "is " + std::to_string(signal_) + ", but /excitation/signals has " +
                                  std::to_string(units.size()) + "; give a number from 1.");
      return;
    }
    if (axis >= interface.size()) return;
    const std::string unit(facts(kindOf(interface[axis].motion)).unit);
    if (units[signal] != unit)
      checks.fault("/signal", "is a signal in " + units[signal] + ", but the command of " + interface[axis].name +
                                  " is in " + unit +
                                  (unit == "m" ? "; give the signal \"amplitude_m\"."
                                               : ", for which there are no signals; excite another actuator."));
  }
  bool tracks() const noexcept override { return false; }
  bool integrates() const noexcept override { return false; }
  std::string besideTracking() const override {
    return "Nothing is computed from the measured values, so a delay cannot make this test unstable.";
  }
  std::string unjudged() const override {
    return "It excites the rig for identification: its result is the response of the motion to the command.";
  }

 private:
  int interface_, signal_;  // from 1
};

}  // namespace

CouplingSpecPtr parseExcite(const Json& settings) {
  int interface = 1, signal = 1;
  read(settings, "interface", interface);
  read(settings, "signal", signal);
  return std::make_shared<const ExciteSpec>(interface, signal);
}

}  // namespace hyb
