#include "core/force_stage/contact_force.h"

#include <algorithm>
#include <cmath>

#include "core/base/json.h"

namespace hyb {
namespace {

class ContactForce final : public ForceStage {
 public:
  ContactForce(const ContactForceParams& params, std::size_t interfaces)
      : params_(params), interfaces_{params.interface, interfaces}, axes_(interfaces_.count()) {
    restart();
  }

  void restart() noexcept override { std::fill(axes_.begin(), axes_.end(), Axis{false, params_.flight_n}); }

  void correct(const Eigen::VectorXd& measured_m, Eigen::VectorXd& force) noexcept override {
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      Axis& axis = axes_[a];
      const Eigen::Index i = interfaces_[a];
      const double corrected_n = force[i] + params_.offset_n;
      if (!std::isfinite(corrected_n)) continue;  // left for the safety chain
      axis.touches = touches(axis.touches, measured_m[i], corrected_n);
      axis.force_n = force[i] = axis.touches ? corrected_n : params_.flight_n;
    }
  }

  void readContact(Eigen::VectorXd& contact) const noexcept override {
    for (std::size_t a = 0; a < axes_.size(); ++a) contact[interfaces_[a]] = axes_[a].touches ? 1.0 : 0.0;
  }

  std::vector<Channel> channels() const override {
    std::vector<Channel> all;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const auto interface = static_cast<int>(interfaces_[a]) + 1;
      const std::string number = std::to_string(interface), words = ", interface " + number;
      all.push_back(
          {"contact_" + number, "", "1 in contact, 0 in flight" + words, interface, "contact " + number, "Contact"});
      all.push_back({"contact_force_" + number, "N", "force as corrected, before other stages" + words, interface,
                     "force " + number, "Contact: force"});
    }
    return all;
  }
  void readChannels(std::span<double> values) const noexcept override {
    std::size_t v = 0;
    for (const Axis& axis : axes_) {
      values[v++] = axis.touches ? 1.0 : 0.0;
      values[v++] = axis.force_n;
    }
  }

 private:
  struct Axis {
    bool touches = false;
    double force_n = 0.0;
  };

  bool touches(bool before, double x_m, double corrected_n) const noexcept {
    if (params_.by_force)
      return std::abs(corrected_n - params_.flight_n) > params_.threshold_n - (before ? params_.hysteresis_n : 0.0);
    return (params_.above ? -x_m : x_m) <= -params_.gap_m + (before ? params_.hysteresis_m : 0.0);
  }

  ContactForceParams params_;
  StageInterfaces interfaces_;
  std::vector<Axis> axes_;
};

class ContactForceSpec final : public ForceStageSpec {
 public:
  explicit ContactForceSpec(const ContactForceParams& params) : params_(params) {}
  std::string_view name() const noexcept override { return "contact-force"; }
  std::unique_ptr<ForceStage> make(std::size_t interfaces, double /*step_s*/) const override {
    return makeContactForce(params_, interfaces);
  }
  int interface() const noexcept override { return params_.interface; }
  bool detectsContact() const noexcept override { return true; }
  void check(Checks& checks) const override {
    if (params_.by_force && !(params_.hysteresis_n < params_.threshold_n))
      checks.fault("/hysteresis_n", params_.hysteresis_n, "N",
                   "must be less than the threshold of " + Checks::text(params_.threshold_n, "N") +
                       ", or contact would never end");
  }

 private:
  ContactForceParams params_;
};

}  // namespace

std::unique_ptr<ForceStage> makeContactForce(const ContactForceParams& params, std::size_t interfaces) {
  return std::make_unique<ContactForce>(params, interfaces);
}

ForceStageSpecPtr parseContactForce(const Json& settings) {
  ContactForceParams params;
  read(settings, "interface", params.interface);
  params.by_force = text(settings, "found_by") == "force";
  read(settings, "gap_m", params.gap_m);
  params.above = text(settings, "side") == "above";
  read(settings, "hysteresis_m", params.hysteresis_m);
  read(settings, "threshold_n", params.threshold_n);
  read(settings, "hysteresis_n", params.hysteresis_n);
  read(settings, "offset_n", params.offset_n);
  read(settings, "flight_n", params.flight_n);
  return std::make_shared<const ContactForceSpec>(params);
}

}  // namespace hyb
