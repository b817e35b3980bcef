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

std::vector<PlantRoot> perturbed(const std::vector<SpreadRoot>& roots, const std::vector<double>& deviates) {
  std::vector<PlantRoot> all;
  for (const SpreadRoot& one : roots) {
    const bool moves = one.draw > 0 && one.draw <= deviates.size();
    const double factor = moves ? 1.0 + one.spread * deviates[one.draw - 1] : 1.0;
    all.push_back({one.root.hz * factor, one.root.imag_hz * factor});
  }
  return all;
}
std::vector<PlantRoot> nominal(const std::vector<SpreadRoot>& roots) { return perturbed(roots, {}); }

class CrossCoupled final : public ActuatorModel {
 public:
  explicit CrossCoupled(const CrossCoupledParams& params)
      : params_(params), denominator_(rootPolynomial(perturbed(params.poles, params.deviates))) {
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
        if (path.zeros[z].root.hz == 0.0 && path.zeros[z].root.imag_hz == 0.0)
          checks.fault(where + "/zeros/" + std::to_string(z) + "/hz",
                       "is 0 Hz, so that a constant command leads to no motion; enter another frequency");
      const std::size_t zeros = orderOf(nominal(path.zeros));
      if (zeros + 2 > order)
        checks.fault(where + "/zeros", "has " + std::to_string(zeros) + " zeros for " + std::to_string(order) +
                                           " poles; the velocity would jump with the command. Give two poles more "
                                           "than zeros");
      if (path.factor == 0.0) checks.fault(where + "/factor", "is 0; enter another number, or remove this path");
    };
    checkPath(params_.own, "/own");
    for (std::size_t c = 0; c < params_.cross.size(); ++c)
      checkPath(params_.cross[c].path, "/cross/" + std::to_string(c));
  }
  ActuatorBlock block(double gain, double /*step_s*/) const override {
    const CompanionForm form(denominator_);
    const Eigen::Index order = form.b.size();
    ActuatorBlock block;
    block.drives = ActuatorBlock::Drives::sum;
    block.own = Eigen::MatrixXd::Zero(order, 3 + order);
    block.own.rightCols(order) = form.a;
    block.own.col(2) = form.b;
    block.own_sizes = Eigen::VectorXd::Ones(order);
    const auto row = [&](const std::vector<double>& numerator) -> Eigen::RowVectorXd {
      return gain * form.row(numerator);
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
  /// Numerator over the denominator with 1 at s = 0, with the gain that a perturbation keeps.
  std::vector<double> numerator(const CrossCoupledParams::Path& path) const {
    const std::vector<PlantRoot> poles = nominal(params_.poles);
    std::vector<double> kept = numeratorOf({nominal(path.zeros), path.factor}, poles);
    if (params_.deviates.empty()) return kept;
    std::vector<double> all = rootPolynomial(perturbed(path.zeros, params_.deviates));
    const Complex s(0.0, kTwoPi * kKeptGain_hz);
    const auto response = [&s](const std::vector<double>& n, const std::vector<double>& d) {
      return evaluate(n, s).value / evaluate(d, s).value;
    };
    const double factor =
        std::copysign(std::abs(response(kept, rootPolynomial(poles)) / response(all, denominator_)), kept.front());
    for (double& coefficient : all) coefficient *= factor;
    return all;
  }

  CrossCoupledParams params_;
  std::vector<double> denominator_, own_;
  std::vector<ActuatorTransfer::Cross> cross_;
};

std::vector<SpreadRoot> parseRoots(const Json& object, const char* key) {
  std::vector<SpreadRoot> roots;
  for (const PlantRoot& root : readRoots(object, key)) roots.push_back({root});
  for (std::size_t n = 0; n < roots.size(); ++n) {
    const Json& one = object.at(key)[n];
    double percent = 0.0;
    read(one, "spread_percent", percent);
    roots[n].spread = percent / 100.0;
    read(one, "draw", roots[n].draw);
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
