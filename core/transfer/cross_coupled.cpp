#include "core/transfer/cross_coupled.h"

#include <cmath>
#include <utility>

#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/transfer/sensor.h"

namespace hyb {
namespace {

constexpr std::size_t kMostDraws = 64;
constexpr std::uint32_t kPlantStream = 0x504c4e54;  // apart from those of the sensors
constexpr double kKeptGain_hz = 0.01;

using Complex = std::complex<double>;

/// Polynomial in ascending powers of s with these roots, 1 at s = 0.
std::vector<double> polynomial(const std::vector<PlantRoot>& roots) {
  std::vector<double> all{1.0};
  for (const PlantRoot& root : roots) {
    const double re = kTwoPi * root.hz, im = kTwoPi * root.imag_hz, square = re * re + im * im;
    all = im == 0.0 ? product(all, {1.0, -1.0 / re}) : product(all, {1.0, -2.0 * re / square, 1.0 / square});
  }
  return all;
}

/// Static value over the highest coefficient: product of -root over all roots.
double staticShare(const std::vector<PlantRoot>& roots) {
  double share = 1.0;
  for (const PlantRoot& root : roots) {
    const double re = kTwoPi * root.hz, im = kTwoPi * root.imag_hz;
    share *= im == 0.0 ? -re : re * re + im * im;
  }
  return share;
}

std::size_t orderOf(const std::vector<PlantRoot>& roots) { return polynomial(roots).size() - 1; }

std::vector<PlantRoot> perturbed(std::vector<PlantRoot> roots, const std::vector<double>& deviates) {
  for (PlantRoot& root : roots) {
    if (root.draw == 0 || root.draw > deviates.size()) continue;
    const double factor = 1.0 + root.spread * deviates[root.draw - 1];
    root.hz *= factor;
    root.imag_hz *= factor;
  }
  return roots;
}

class CrossCoupled final : public ActuatorModel {
 public:
  explicit CrossCoupled(const CrossCoupledParams& params)
      : params_(params), denominator_(polynomial(perturbed(params.poles, params.deviates))) {
    own_ = numerator(params.own);
    for (const CrossCoupledParams::CrossPath& one : params.cross)
      cross_.push_back({static_cast<std::size_t>(one.interface - 1), numerator(one.path)});
  }
  std::string description(const std::string& delay) const override {
    return "transfer function of order " + std::to_string(denominator_.size() - 1) + ", cross-coupled, behind " + delay;
  }
  void check(Checks& checks, double /*delay_s*/, double step_s) const override {
    const std::size_t order = denominator_.size() - 1;
    for (std::size_t p = 0; p < params_.poles.size(); ++p) {
      const PlantRoot root = perturbed({params_.poles[p]}, params_.deviates).front();
      const std::string where = "/poles/" + std::to_string(p) + "/hz";
      if (!(root.hz < 0.0))
        checks.fault(where, root.hz, "Hz", "must be less than 0 Hz, otherwise the actuator is unstable");
      else if (std::hypot(root.hz, root.imag_hz) > 100.0 / step_s)
        checks.fault(where, root.hz, "Hz", "is too fast for this rate; leave out this pole, or raise /loop/rate_hz");
    }
    const auto checkPath = [&](const CrossCoupledParams::Path& path, const std::string& where) {
      for (std::size_t z = 0; z < path.zeros.size(); ++z)
        if (path.zeros[z].hz == 0.0 && path.zeros[z].imag_hz == 0.0)
          checks.fault(where + "/zeros/" + std::to_string(z) + "/hz",
                       "is 0 Hz, so that a constant command leads to no motion; enter another frequency");
      if (orderOf(path.zeros) + 2 > order)
        checks.fault(where + "/zeros", "has " + std::to_string(orderOf(path.zeros)) + " zeros for " +
                                           std::to_string(order) +
                                           " poles; the velocity would jump with the command. Give two poles more "
                                           "than zeros");
      if (path.factor == 0.0) checks.fault(where + "/factor", "is 0; enter another number, or remove this path");
    };
    checkPath(params_.own, "/own");
    for (std::size_t c = 0; c < params_.cross.size(); ++c)
      checkPath(params_.cross[c].path, "/cross/" + std::to_string(c));
  }
  /// States h_k = (s/w)^k u / D(s/w) with a monic D, w being the mean magnitude of the poles, so that all are of one
  /// size.
  ActuatorBlock block(double gain, double /*step_s*/) const override {
    const auto order = static_cast<Eigen::Index>(denominator_.size()) - 1;
    const double w = std::pow(std::abs(denominator_.back()), -1.0 / static_cast<double>(order));
    const double highest = denominator_.back() * std::pow(w, static_cast<double>(order));
    ActuatorBlock block;
    block.drives = ActuatorBlock::Drives::sum;
    block.own = Eigen::MatrixXd::Zero(order, 3 + order);
    for (Eigen::Index k = 0; k + 1 < order; ++k) block.own(k, 3 + k + 1) = w;
    for (Eigen::Index k = 0; k < order; ++k) block.own(order - 1, 3 + k) = -w * scaled(denominator_, k, w) / highest;
    block.own(order - 1, 2) = w / highest;
    block.own_sizes = Eigen::VectorXd::Ones(order);
    const auto row = [&](const std::vector<double>& numerator) {
      Eigen::RowVectorXd c = Eigen::RowVectorXd::Zero(order);
      for (std::size_t k = 0; k < numerator.size(); ++k)
        c[static_cast<Eigen::Index>(k)] = gain * scaled(numerator, static_cast<Eigen::Index>(k), w);
      return c;
    };
    block.outputs.push_back({CoupledOutput::kOwn, row(own_)});
    for (const ActuatorTransfer::Cross& one : cross_)
      block.outputs.push_back({static_cast<int>(one.axis), row(one.numerator)});
    return block;
  }
  std::unique_ptr<ActuatorDrive> drive(double /*gain*/, double delay_s, double step_s) const override {
    return makeLateCommand(delay_s, step_s);
  }
  ActuatorTransfer transfer() const override {
    ActuatorTransfer transfer{own_, denominator_};
    transfer.cross = cross_;
    return transfer;
  }

 private:
  static double scaled(const std::vector<double>& polynomial, Eigen::Index k, double w) {
    return polynomial[static_cast<std::size_t>(k)] * std::pow(w, static_cast<double>(k));
  }
  /// Numerator over the denominator with 1 at s = 0, with the gain that a perturbation keeps.
  std::vector<double> numerator(const CrossCoupledParams::Path& path) const {
    const std::vector<double> nominal = polynomial(path.zeros);
    std::vector<double> all = polynomial(perturbed(path.zeros, params_.deviates));
    double factor = path.factor * staticShare(path.zeros) / staticShare(params_.poles);
    if (!params_.deviates.empty()) {
      const Complex s(0.0, kTwoPi * kKeptGain_hz);
      const auto magnitude = [&s](const std::vector<double>& n, const std::vector<double>& d) {
        return std::abs(evaluate(n, s).value / evaluate(d, s).value);
      };
      factor *= magnitude(nominal, polynomial(params_.poles)) / magnitude(all, denominator_);
    }
    for (double& coefficient : all) coefficient *= factor;
    return all;
  }

  CrossCoupledParams params_;
  std::vector<double> denominator_, own_;
  std::vector<ActuatorTransfer::Cross> cross_;
};

std::vector<PlantRoot> parseRoots(const Json& object, const char* key) {
  std::vector<PlantRoot> roots;
  for (const Json& one : object.value(key, Json::array())) {
    PlantRoot& root = roots.emplace_back();
    read(one, "hz", root.hz);
    read(one, "imag_hz", root.imag_hz);
    double percent = 0.0;
    read(one, "spread_percent", percent);
    root.spread = percent / 100.0;
    read(one, "draw", root.draw);
  }
  return roots;
}

CrossCoupledParams::Path parsePath(const Json& object) {
  CrossCoupledParams::Path path{parseRoots(object, "zeros"), 1.0};
  read(object, "factor", path.factor);
  return path;
}

}  // namespace

ActuatorModelPtr crossCoupled(const CrossCoupledParams& params) { return std::make_shared<const CrossCoupled>(params); }

ActuatorSpec parseCrossCoupled(const Json& settings) {
  CrossCoupledParams params;
  params.poles = parseRoots(settings, "poles");
  params.own = parsePath(settings.value("own", Json::object()));
  for (const Json& one : settings.value("cross", Json::array())) {
    params.cross.push_back({1, parsePath(one)});
    read(one, "interface", params.cross.back().interface);
  }
  read(settings, "deviates", params.deviates);
  return {.model = crossCoupled(params), .delay_s = 0.0};
}

std::vector<double> plantDeviates(std::uint64_t seed) {
  std::vector<double> deviates;
  if (seed == 0) return deviates;
  NormalNoise noise(seed, kPlantStream);
  for (std::size_t n = 0; n < kMostDraws; ++n) deviates.push_back(noise.next());
  return deviates;
}

}  // namespace hyb
