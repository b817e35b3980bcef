#include "core/transfer/laws/table.h"

#include <algorithm>
#include <cmath>

#include "core/base/json.h"

namespace hyb {
namespace {

class ForceTable final : public SpecimenLaw {
 public:
  explicit ForceTable(std::vector<std::pair<double, double>> points) : points_(std::move(points)) {
    areas_.assign(points_.size(), 0.0);
    for (std::size_t p = 1; p < points_.size(); ++p)
      areas_[p] =
          areas_[p - 1] + 0.5 * (points_[p].second + points_[p - 1].second) * (points_[p].first - points_[p - 1].first);
  }
  std::string_view name() const noexcept override { return "table"; }
  void check(Checks& checks) const override {
    if (points_.size() < 2) checks.fault("/points", "has fewer than two points; give at least two");
    for (std::size_t p = 0; p < points_.size(); ++p) {
      const std::string where = "/points/" + std::to_string(p);
      const auto [x_m, force_n] = points_[p];
      if (!std::isfinite(x_m)) checks.fault(where + "/displacement_m", x_m, "m", "must be finite");
      if (!std::isfinite(force_n)) checks.fault(where + "/force_n", force_n, "N", "must be finite");
      if (p > 0 && !(x_m > points_[p - 1].first))
        checks.fault(where + "/displacement_m",
                     "is " + Checks::text(x_m, "m") + ", which does not exceed the previous point (" +
                         Checks::text(points_[p - 1].first, "m") + "); sort the points by displacement");
    }
  }
  LinkHistory advanced(const LinkHistory& /*from*/, double x_m) const noexcept override { return {x_m, 0.0}; }
  double force(const LinkHistory& at, double /*v_mps*/) const noexcept override {
    const std::size_t p = segment(at.stretch);
    return points_[p].second + slope(p) * (at.stretch - points_[p].first);
  }
  double meanForce(const LinkHistory& from, double x_m, double /*step_s*/) const noexcept override {
    const std::size_t p = segment(from.stretch), q = segment(x_m);
    if (p == q) return points_[p].second + slope(p) * (0.5 * (from.stretch + x_m) - points_[p].first);
    return (area(q, x_m) - area(p, from.stretch)) / (x_m - from.stretch);
  }
  double stiffness() const noexcept override {
    double steepest = 0.0;
    for (std::size_t p = 0; p + 1 < points_.size(); ++p) steepest = std::max(steepest, slope(p));
    return steepest;
  }

 private:
  /// Index of the point before x, among those with a successor.
  std::size_t segment(double x_m) const noexcept {
    const auto behind = std::upper_bound(points_.begin() + 1, points_.end() - 1, x_m,
                                         [](double x, const auto& point) { return x < point.first; });
    return static_cast<std::size_t>(behind - points_.begin()) - 1;
  }
  double slope(std::size_t p) const noexcept {
    return (points_[p + 1].second - points_[p].second) / (points_[p + 1].first - points_[p].first);
  }
  /// Area below the line, from the first point to x in segment p, J.
  double area(std::size_t p, double x_m) const noexcept {
    const double path = x_m - points_[p].first;
    return areas_[p] + path * (points_[p].second + 0.5 * slope(p) * path);
  }

  std::vector<std::pair<double, double>> points_;
  std::vector<double> areas_;  // from the first point to each, J
};

}  // namespace

SpecimenLawPtr forceTable(std::vector<std::pair<double, double>> points) {
  return std::make_shared<const ForceTable>(std::move(points));
}

SpecimenLawPtr parseForceTable(const Json& settings) {
  std::vector<std::pair<double, double>> points;
  for (const Json& point : settings.at("points"))
    points.emplace_back(point.at("displacement_m").get<double>(), point.at("force_n").get<double>());
  return forceTable(std::move(points));
}

}  // namespace hyb
