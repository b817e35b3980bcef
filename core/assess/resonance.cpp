#include "core/assess/resonance.h"

#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/linalg/dense.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;

constexpr double kOfCircle = 0.25;  // share of the largest velocity above which a point counts
constexpr std::size_t kFewestOfCircle = 5;
constexpr double kBack = 0.5;  // allowed backward rotation by noise, rad

std::optional<HalfPower> halfPower(const std::vector<ResponsePoint>& points, std::size_t peak) {
  const double level = std::abs(points[peak].motion) / std::sqrt(2.0);
  HalfPower found{0.0, 0.0, 0.0, 1};
  const auto cross = [&](int way) -> std::optional<double> {
    for (auto k = static_cast<std::ptrdiff_t>(peak); k + way >= 0 && k + way < std::ssize(points); k += way) {
      const ResponsePoint &a = points[static_cast<std::size_t>(k)], &b = points[static_cast<std::size_t>(k + way)];
      const double from = std::abs(a.motion), to = std::abs(b.motion);
      if (to <= level) return a.hz + (level - from) / (to - from) * (b.hz - a.hz);
      ++found.inside;
    }
    return std::nullopt;
  };
  const std::optional<double> left = cross(-1), right = cross(1);
  if (!left || !right) return std::nullopt;
  found.from_hz = *left, found.to_hz = *right;
  found.ratio = (*right - *left) / (2.0 * points[peak].hz);
  return found;
}

/// Centre by least squares on |z|^2 = 2 Re(conj(c) z) + e.
std::optional<Complex> centreOf(const std::vector<Complex>& z) {
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  for (const Complex& one : z) {
    const Eigen::Vector3d row(2.0 * one.real(), 2.0 * one.imag(), 1.0);
    normal += row * row.transpose();
    right += std::norm(one) * row;
  }
  const Eigen::Vector3d x = linalg::inverse(normal) * right;
  if (!x.allFinite()) return std::nullopt;
  return Complex(x[0], x[1]);
}

void fitCircle(const std::vector<ResponsePoint>& points, std::size_t peak, Resonance& resonance) {
  std::vector<double> w;
  std::vector<Complex> velocity;
  const auto speed = [&](std::size_t k) { return points[k].hz * std::abs(points[k].motion); };
  std::size_t first = peak, last = peak;
  while (first > 0 && speed(first - 1) > kOfCircle * speed(peak)) --first;
  while (last + 1 < points.size() && speed(last + 1) > kOfCircle * speed(peak)) ++last;
  if (last - first + 1 < kFewestOfCircle) return;
  for (std::size_t k = first; k <= last; ++k) {
    w.push_back(points[k].hz / points[peak].hz);
    velocity.push_back(Complex(0.0, 1.0) * points[k].hz * points[k].motion / speed(peak));
  }
  const std::optional<Complex> centre = centreOf(velocity);
  if (!centre) return;
  std::vector<double> angle;  // decreasing, except for noise
  for (const Complex& one : velocity) {
    double a = std::arg(one - *centre);
    while (!angle.empty() && a > angle.back() + kBack) a -= kTwoPi;
    while (!angle.empty() && a <= angle.back() + kBack - kTwoPi) a += kTwoPi;
    angle.push_back(a);
  }
  // Gauss-Newton on natural frequency, twice the damping ratio, and angle at resonance.
  Eigen::Vector3d x(1.0, 2.0 * (resonance.half_power ? resonance.half_power->ratio : 0.01), angle[peak - first]);
  for (int k = 0; k < 50; ++k) {
    Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
    Eigen::Vector3d right = Eigen::Vector3d::Zero();
    for (std::size_t p = 0; p < w.size(); ++p) {
      const double t = (w[p] * w[p] - x[0] * x[0]) / (x[1] * x[0] * w[p]), slope = -2.0 / (1.0 + t * t);
      const Eigen::Vector3d row(slope * (-(w[p] * w[p] + x[0] * x[0]) / (x[1] * x[0] * x[0] * w[p])), slope * -t / x[1],
                                1.0);
      normal += row * row.transpose();
      right += (angle[p] - (x[2] - 2.0 * std::atan(t))) * row;
    }
    Eigen::Vector3d step = linalg::inverse(normal) * right;
    if (!step.allFinite()) return;
    const double most = 0.5 * x[1];  // keeps frequency and damping from diverging
    const double length = std::max(std::abs(step[0]), std::abs(step[1]));
    if (length > most) step *= most / length;
    x += step;
    if (step.norm() < 1e-12) break;
  }
  if (!x.allFinite() || !(x[1] > 0.0) || !(x[0] > w.front() && x[0] < w.back())) return;
  resonance.circle = 0.5 * x[1];
  resonance.circle_hz = x[0] * points[peak].hz;
}

}  // namespace

std::optional<Resonance> resonanceOf(std::vector<ResponsePoint> points) {
  std::ranges::sort(points, {}, &ResponsePoint::hz);
  if (points.size() < 3) return std::nullopt;
  const auto largest = std::ranges::max_element(points, {}, [](const ResponsePoint& p) { return std::abs(p.motion); });
  const auto peak = static_cast<std::size_t>(largest - points.begin());
  if (peak == 0 || peak + 1 == points.size()) return std::nullopt;
  Resonance resonance{points[peak].hz, std::abs(points[peak].motion), halfPower(points, peak), {}, {}};
  fitCircle(points, peak, resonance);
  return resonance;
}

Json resonances(const RunRecord& run) {
  std::string motion;  // first motion of the lowest balanced harmonic
  Json list = Json::array();
  if (!run.table.segments) return list;
  for (const Channel& channel : run.table.segments->channels)
    if (const std::string& name = channel.name;
        name.starts_with("motion_1_h") && (motion.empty() || name.size() < motion.size() || name < motion))
      motion = name;
  const std::string phase = "motion_phase" + (motion.empty() ? motion : motion.substr(6));
  const auto pass = run.segment("pass"), level = run.segment("level"), hz = run.segment("frequency"),
             good = run.segment("converged"), size = run.segment(motion), angle = run.segment(phase);
  if (!pass || !level || !hz || !good || !size || !angle || run.segmentRows() == 0) return list;
  const auto number = [](const std::optional<double>& value, double factor) {
    return value ? Json(factor * *value) : Json(nullptr);
  };
  const auto ratio = [](const std::optional<HalfPower>& band) {
    return band ? std::optional(band->ratio) : std::nullopt;
  };
  const double passes = *std::ranges::max_element(*pass);
  for (double p = 1.0; p <= passes; p += 1.0) {
    std::vector<ResponsePoint> points;
    double of_pass = 1.0;
    for (std::size_t k = 0; k < run.segmentRows(); ++k) {
      if ((*pass)[k] != p || (*good)[k] != 1.0) continue;
      points.push_back({(*hz)[k], std::polar((*size)[k], (*angle)[k] * kPi / 180.0)});
      of_pass = (*level)[k];
    }
    const std::optional<Resonance> found = resonanceOf(std::move(points));
    if (!found) continue;
    list.push_back({{"pass", static_cast<int>(p)},
                    {"level", of_pass},
                    {"peak_hz", found->peak_hz},
                    {"peak", found->peak},
                    {"half_power_percent", number(ratio(found->half_power), 100.0)},
                    {"circle_percent", number(found->circle, 100.0)},
                    {"circle_hz", number(found->circle_hz, 1.0)}});
  }
  return list;
}

}  // namespace hyb
