#include "core/transfer/laws/foot.h"

#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "core/base/numbers.h"

namespace hyb {
namespace {

constexpr double kRadPerDeg = kTwoPi / 360.0;

std::string whereOf(const FootPoint& point) {
  return Checks::text(1e3 * point.compression_m, "mm") + " and " + Checks::text(point.angle_rad / kRadPerDeg, "deg");
}

class Foot final : public SpecimenLaw {
 public:
  Foot(std::vector<FootPoint> points, int angle_axis) : points_(std::move(points)), angle_axis_(angle_axis) {
    depths_ = {0.0};
    for (const FootPoint& point : points_) {
      depths_.push_back(point.compression_m);
      angles_.push_back(point.angle_rad);
    }
    for (std::vector<double>* values : {&depths_, &angles_}) {
      std::ranges::sort(*values);
      values->erase(std::unique(values->begin(), values->end()), values->end());
    }
    forces_.assign(depths_.size() * angles_.size(), 0.0);
    areas_ = forces_;
    for (const FootPoint& point : points_) forces_[at(depthOf(point), angleOf(point))] = point.force_n;
    for (std::size_t d = 1; d < depths_.size(); ++d)
      for (std::size_t a = 0; a < angles_.size(); ++a)
        areas_[at(d, a)] =
            areas_[at(d - 1, a)] + 0.5 * (forces_[at(d - 1, a)] + forces_[at(d, a)]) * (depths_[d] - depths_[d - 1]);
  }
  std::string_view name() const noexcept override { return "foot"; }
  int beside() const noexcept override { return angle_axis_; }

  void check(Checks& checks) const override {
    std::vector<std::size_t> first(forces_.size(), points_.size());
    bool good = true;
    for (std::size_t p = 0; p < points_.size(); ++p) {
      const FootPoint& point = points_[p];
      const std::string where = "/points/" + std::to_string(p);
      good = checks.notNegative(where + "/compression_m", point.compression_m, "m") && good;
      good = checks.notNegative(where + "/force_n", point.force_n, "N") && good;
      if (point.compression_m == 0.0 && point.force_n > 0.0) {
        good = false;
        checks.fault(where + "/force_n", point.force_n, "N",
                     "at zero compression; the force starts at 0, so measure the compression from first contact");
      }
      if (!good) continue;
      std::size_t& other = first[at(depthOf(point), angleOf(point))];
      if (other < points_.size()) {
        good = false;
        checks.fault(where, "has a second force, " + Checks::text(point.force_n, "N") + " besides " +
                                Checks::text(points_[other].force_n, "N") + ", at " + whereOf(point) +
                                "; compression and angle must determine the force: keep one, or their mean");
      }
      other = p;
    }
    if (!good) return;
    if (depths_.size() < 2) checks.fault("/points", "has no point with compression; add one");
    for (std::size_t a = 0; a < angles_.size(); ++a)
      for (std::size_t d = 1; d < depths_.size(); ++d) {
        const FootPoint point{depths_[d], angles_[a], forces_[at(d, a)]};
        if (first[at(d, a)] == points_.size())
          checks.fault("/points",
                       "has a hole at " + whereOf(point) +
                           "; other points use this compression or this angle. Measure the force there too, or remove "
                           "its compression or its angle");
        else if (first[at(d - 1, a)] < points_.size() && point.force_n < forces_[at(d - 1, a)])
          checks.fault("/points/" + std::to_string(first[at(d, a)]) + "/force_n",
                       "falls from " + Checks::text(forces_[at(d - 1, a)], "N") + " to " +
                           Checks::text(point.force_n, "N") + " with increasing compression, at " + whereOf(point) +
                           "; a decreasing force would add energy: measure that point again");
      }
  }

  LinkHistory advanced(const LinkHistory& from, double x_m) const noexcept override { return {x_m, from.memory}; }
  double force(const LinkHistory& history, double /*v_mps*/) const noexcept override {
    const double depth = -history.stretch;
    if (!(depth > 0.0)) return 0.0;
    const Between angle = between(angles_, history.memory, false), deep = between(depths_, depth, true);
    const double low = mixed(forces_, deep.low, angle), high = mixed(forces_, deep.low + 1, angle);
    return -(low + deep.share * (high - low));
  }
  double meanForce(const LinkHistory& from, double x_m, double /*step_s*/) const noexcept override {
    const double path = x_m - from.stretch;
    if (path == 0.0) return force(from, 0.0);
    return (work(-x_m, from.memory) - work(-from.stretch, from.memory)) / path;
  }
  bool idle(const LinkHistory& from, double x_m, double margin_m) const noexcept override {
    return std::min(from.stretch, x_m) - margin_m > 0.0;
  }
  double stiffness() const noexcept override {
    double steepest = 0.0;
    for (std::size_t d = 1; d < depths_.size(); ++d)
      for (std::size_t a = 0; a < angles_.size(); ++a)
        steepest = std::max(steepest, (forces_[at(d, a)] - forces_[at(d - 1, a)]) / (depths_[d] - depths_[d - 1]));
    return steepest;
  }

 private:
  struct Between {
    std::size_t low = 0;
    double share = 0.0;  // of the interval to the next point
  };
  static Between between(const std::vector<double>& values, double value, bool beyond) noexcept {
    if (values.size() < 2) return {};
    const auto behind = std::upper_bound(values.begin() + 1, values.end() - 1, value);
    const auto low = static_cast<std::size_t>(behind - values.begin()) - 1;
    const double share = (value - values[low]) / (values[low + 1] - values[low]);
    return {low, beyond ? share : std::clamp(share, 0.0, 1.0)};
  }
  std::size_t at(std::size_t depth, std::size_t angle) const noexcept { return depth * angles_.size() + angle; }
  std::size_t depthOf(const FootPoint& point) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(depths_, point.compression_m) - depths_.begin());
  }
  std::size_t angleOf(const FootPoint& point) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(angles_, point.angle_rad) - angles_.begin());
  }
  double mixed(const std::vector<double>& table, std::size_t depth, const Between& angle) const noexcept {
    const double low = table[at(depth, angle.low)];
    if (angle.share == 0.0) return low;
    return low + angle.share * (table[at(depth, angle.low + 1)] - low);
  }
  /// Work of this compression, J.
  double work(double depth, double angle_rad) const noexcept {
    if (!(depth > 0.0)) return 0.0;
    const Between angle = between(angles_, angle_rad, false), deep = between(depths_, depth, true);
    const double low = mixed(forces_, deep.low, angle), high = mixed(forces_, deep.low + 1, angle);
    const double path = depth - depths_[deep.low];
    return mixed(areas_, deep.low, angle) + path * (low + 0.5 * deep.share * (high - low));
  }

  std::vector<FootPoint> points_;
  int angle_axis_;
  std::vector<double> depths_, angles_;  // ascending; the depths from 0
  std::vector<double> forces_, areas_;   // [depths, angles]; N, and J from 0
};

}  // namespace

SpecimenLawPtr footLaw(std::vector<FootPoint> points, int angle_axis) {
  return std::make_shared<const Foot>(std::move(points), angle_axis);
}

SpecimenLawPtr parseFoot(const Json& settings) {
  std::vector<FootPoint> points;
  for (const Json& point : settings.at("points"))
    points.push_back({point.at("compression_m").get<double>(), kRadPerDeg * point.at("angle_deg").get<double>(),
                      point.at("force_n").get<double>()});
  return footLaw(std::move(points), settings.at("angle_interface").get<int>());
}

}  // namespace hyb
