#include "core/force_stage/passivity.h"

#include <algorithm>
#include <cmath>

#include "core/base/json.h"

namespace hyb {
namespace {

constexpr const char *kDampingGroup = "Passivity: damping", *kPowerGroup = "Passivity: power";

/// One interface.
struct Port {
  double power_error_w = 0.0;       // of the last tick
  double slow_power_error_w = 0.0;  // low-passed
  double slow_total_w = 0.0;        // low-passed, before or after the magnitude by the settings
  double damping_kg_per_s = 0.0;    // alpha
  double damping_n = 0.0;           // alpha z'
  double error_j = 0.0, dissipated_j = 0.0;
};

class Passivity final : public ForceStage {
 public:
  Passivity(const PassivityParams& params, std::size_t interfaces, double step_s)
      : params_(params), interfaces_{params.interface, interfaces}, ports_(interfaces_.count()), step_s_(step_s) {}

  void restart() noexcept override { std::fill(ports_.begin(), ports_.end(), Port{}); }

  void update(const StageInput& input, Eigen::VectorXd& force) noexcept override {
    const double error_share = std::min(1.0, step_s_ / params_.error_time_s),
                 total_share = std::min(1.0, step_s_ / params_.throughput_time_s);
    for (std::size_t c = 0; c < ports_.size(); ++c) {
      Port& port = ports_[c];
      const Eigen::Index i = interfaces_[c];
      const double on_ps_n = -input.force[i], z_rate = input.target_rate[i];
      const double into_ps_w = on_ps_n * input.measured_rate[i];
      const double total_w = into_ps_w + (on_ps_n + (params_.damping_in_throughput ? port.damping_n : 0.0)) * z_rate;
      if (!std::isfinite(total_w)) continue;  // left for the safety chain; must not be stored here
      port.slow_total_w += total_share * ((params_.magnitude_first ? std::abs(total_w) : total_w) - port.slow_total_w);
      const double excess_w = excessOf(port);
      port.damping_kg_per_s = excess_w > 0.0
                                  ? std::min(params_.damping_limit_kg_per_s,
                                             params_.gain_kg_per_s * excess_w /
                                                 std::max(std::abs(port.slow_total_w), params_.throughput_floor_w))
                                  : 0.0;
      port.damping_n = port.damping_kg_per_s * z_rate;
      force[i] -= port.damping_n;
      port.power_error_w = into_ps_w - (on_ps_n + port.damping_n) * z_rate;
      port.slow_power_error_w += error_share * (port.power_error_w - port.slow_power_error_w);
      port.error_j += step_s_ * port.power_error_w;
      port.dissipated_j += step_s_ * port.damping_n * z_rate;
    }
  }

  std::vector<Tunable> tunables() const override {
    const std::string whose = params_.interface == 0 ? "" : "_" + std::to_string(params_.interface);
    return {{"passivity_gain" + whose, "kg/s", params_.gain_kg_per_s, "/gain_kg_per_s"}};
  }
  void tune(std::size_t, double value) noexcept override { params_.gain_kg_per_s = value; }

  std::vector<Channel> channels() const override {
    std::vector<Channel> all;
    for (std::size_t c = 0; c < ports_.size(); ++c) {
      const auto interface = static_cast<int>(interfaces_[c]) + 1;
      const std::string number = std::to_string(interface);
      const auto add = [&](const char* name, const char* unit, const std::string& words, const char* title,
                           const char* group) {
        all.push_back({name + number, unit, words + ", interface " + number, interface, title + number, group});
      };
      add("passivity_damping_", "kg/s", "damping injected into the NS", "damping ", kDampingGroup);
      add("passivity_force_", "N", "damping force on the NS", "force ", kDampingGroup);
      add("power_error_", "W", "power that the transfer system feeds in (positive: active)", "power ", kPowerGroup);
      add("power_error_energy_", "J", "energy fed in by the transfer system", "fed in ", kPowerGroup);
      add("passivity_energy_", "J", "energy taken out by the damping", "taken out ", kPowerGroup);
    }
    return all;
  }
  void readChannels(std::span<double> values) const noexcept override {
    std::size_t v = 0;
    for (const Port& port : ports_)
      for (const double value :
           {port.damping_kg_per_s, port.damping_n, port.power_error_w, port.error_j, port.dissipated_j})
        values[v++] = value;
  }

 private:
  /// Power that the damping answers, as of the previous tick; 0 or below: none.
  double excessOf(const Port& port) const noexcept {
    if (params_.observer == PassivityObserver::energy) return port.error_j / params_.error_time_s;
    return params_.gate == PassivityGate::raw && port.power_error_w <= 0.0 ? 0.0 : port.slow_power_error_w;
  }

  PassivityParams params_;
  StageInterfaces interfaces_;
  std::vector<Port> ports_;
  double step_s_;
};

class PassivitySpec final : public ForceStageSpec {
 public:
  explicit PassivitySpec(const PassivityParams& params) : params_(params) {}
  std::string_view name() const noexcept override { return "passivity"; }
  std::unique_ptr<ForceStage> make(std::size_t interfaces, double step_s) const override {
    return makePassivity(params_, interfaces, step_s);
  }
  int interface() const noexcept override { return params_.interface; }

 private:
  PassivityParams params_;
};

}  // namespace

std::unique_ptr<ForceStage> makePassivity(const PassivityParams& params, std::size_t interfaces, double step_s) {
  return std::make_unique<Passivity>(params, interfaces, step_s);
}

ForceStageSpecPtr parsePassivity(const Json& settings) {
  PassivityParams params;
  read(settings, "interface", params.interface);
  read(settings, "gain_kg_per_s", params.gain_kg_per_s);
  read(settings, "error_time_s", params.error_time_s);
  read(settings, "throughput_time_s", params.throughput_time_s);
  read(settings, "damping_limit_kg_per_s", params.damping_limit_kg_per_s);
  read(settings, "throughput_floor_w", params.throughput_floor_w);
  read(settings, "damping_in_throughput", params.damping_in_throughput);
  readChoice(settings, "observer", {"power", "energy"}, params.observer);
  readChoice(settings, "gate", {"raw", "filtered"}, params.gate);
  params.magnitude_first = text(settings, "magnitude") == "before";
  return std::make_shared<const PassivitySpec>(params);
}

}  // namespace hyb
