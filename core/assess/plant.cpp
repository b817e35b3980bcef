#include "core/assess/plant.h"

#include <algorithm>
#include <cmath>

#include "core/assess/identification.h"
#include "core/assess/stability_report.h"
#include "core/figure.h"
#include "core/identification/findings.h"
#include "core/json.h"
#include "core/linalg/balance.h"
#include "core/linalg/dense.h"
#include "core/linalg/eigen.h"
#include "core/numbers.h"
#include "core/run/build.h"
#include "core/structure/modes.h"
#include "core/transfer/command_response.h"
#include "core/transfer/compliance_spring.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXd;

constexpr double kSame = 1e-7;  // of a root's magnitude: what rounding leaves of two that are one

const ActuatorSpec& actuatorOf(const TwinParams& params, std::size_t i) {
  return params.actuators[params.actuators.size() == 1 ? 0 : i];
}

/// d = quotient l + rest, rest of lower degree than l.
struct Division {
  std::vector<double> quotient, rest;
};
Division divided(std::vector<double> d, const std::vector<double>& l) {
  std::vector<double> quotient(d.size() >= l.size() ? d.size() - l.size() + 1 : 0, 0.0);
  for (std::size_t k = quotient.size(); k-- > 0;) {
    quotient[k] = d[k + l.size() - 1] / l.back();
    for (std::size_t j = 0; j < l.size(); ++j) d[k + j] -= quotient[k] * l[j];
    d[k + l.size() - 1] = 0.0;
  }
  d.resize(std::min(d.size(), l.size() - 1));
  return {quotient, d};
}

/// Specimen, fixture and the actuators that feel them, without commands. An actuator d x + l f = 0 (f: with which its
/// motion drives the specimen) is split by d = (m s^2 + c s + k) l + r: what moves with the axis joins the specimen,
/// and what is left of it answers the motion with a force, r x + l g = 0.
class FreeMotion {
 public:
  /// `at`: partition whose interface is the axes of the actuators. Axis `held` stands still, as do those that do not
  /// feel the specimen.
  FreeMotion(const Partition& at, const TwinParams& params, std::optional<std::size_t> held) {
    m_ = MatrixXd(at.physical.m);
    c_ = MatrixXd(at.physical.c);
    k_ = MatrixXd(at.physical.k);
    std::vector<bool> moves(static_cast<std::size_t>(m_.rows()), true);
    for (std::size_t i = 0; i < at.interface.size(); ++i) {
      const Index dof = at.interface_in_physical[i];
      for (std::size_t j = 0; j < at.interface.size(); ++j) {
        const auto row = static_cast<Index>(i), column = static_cast<Index>(j);
        const Index other = at.interface_in_physical[j];
        if (params.fixture.mass_kg.size() > 0) m_(dof, other) += params.fixture.mass_kg(row, column);
        if (params.fixture.stiffness_n_per_m.size() > 0)
          k_(dof, other) += params.fixture.stiffness_n_per_m(row, column);
      }
      const ActuatorTransfer transfer = transferOf(actuatorOf(params, i));
      if (i == held || transfer.load.empty()) {
        moves[static_cast<std::size_t>(dof)] = false;
        continue;
      }
      const Division split = divided(transfer.denominator, transfer.load);
      MatrixXd* const joins[] = {&k_, &c_, &m_};
      if (split.quotient.size() > std::size(joins))
        throw InputError("/rig/actuators/" + std::to_string(i),
                         "answers the specimen with more than mass, damping and stiffness; its poles are not known.");
      for (std::size_t p = 0; p < split.quotient.size(); ++p) (*joins[p])(dof, dof) += split.quotient[p];
      if (transfer.load.size() > 1) answers_.push_back({dof, split.rest, transfer.load});
    }
    std::vector<Index> kept, place(moves.size(), -1);
    for (std::size_t d = 0; d < moves.size(); ++d) {
      if (!moves[d]) continue;
      place[d] = static_cast<Index>(kept.size());
      kept.push_back(static_cast<Index>(d));
    }
    for (MatrixXd* matrix : {&m_, &c_, &k_}) *matrix = MatrixXd((*matrix)(kept, kept));
    for (Answer& answer : answers_) answer.dof = place[static_cast<std::size_t>(answer.dof)];
  }

  /// Ascending in magnitude.
  std::vector<Complex> roots() const;

 private:
  struct Answer {
    Index dof;
    std::vector<double> rest, load;  // r and l, ascending
  };
  MatrixXd m_, c_, k_;
  std::vector<Answer> answers_;
};

// E q' = A q over displacements, velocities, and for each answer of order N the states w of its observer form,
// g = w_N / l_N, w_k' = w_(k-1) - r_(k-1) x - l_(k-1) g. Time in units of 1/scale, forces in those of the stiffness.
// Massless motion leaves E singular: its eigenvalues are those of (A - E shift)^-1 E turned over, infinite ones 0.
std::vector<Complex> FreeMotion::roots() const {
  const Index n = m_.rows();
  if (n == 0) return {};
  Index size = 2 * n;
  for (const Answer& answer : answers_) size += static_cast<Index>(answer.load.size()) - 1;
  const double mass = m_.cwiseAbs().maxCoeff(), stiffness = k_.cwiseAbs().maxCoeff();
  const double scale = mass > 0.0 && stiffness > 0.0 ? std::sqrt(stiffness / mass) : 100.0;
  const double unit = std::max({stiffness, mass * scale * scale, c_.cwiseAbs().maxCoeff() * scale, 1e-300});  // N/m
  MatrixXd a = MatrixXd::Zero(size, size), e = a;
  e.topLeftCorner(n, n).setIdentity();
  a.block(0, n, n, n).setIdentity();
  e.block(n, n, n, n) = m_ * (scale * scale / unit);
  a.block(n, 0, n, n) = -k_ / unit;
  a.block(n, n, n, n) = -c_ * (scale / unit);
  Index first = 2 * n;
  for (const Answer& answer : answers_) {
    const auto order = static_cast<Index>(answer.load.size()) - 1;
    const auto in_scale = [&](const std::vector<double>& polynomial, Index k) {
      return k < static_cast<Index>(polynomial.size())
                 ? polynomial[static_cast<std::size_t>(k)] * std::pow(scale, static_cast<double>(k - order))
                 : 0.0;
    };
    const Index last = first + order - 1;
    for (Index k = 0; k < order; ++k) {
      e(first + k, first + k) = 1.0;
      if (k > 0) a(first + k, first + k - 1) = 1.0;
      a(first + k, answer.dof) -= in_scale(answer.rest, k) / (answer.load.back() * unit);
      a(first + k, last) -= in_scale(answer.load, k) / answer.load.back();
    }
    a(n + answer.dof, last) += 1.0;  // w_N as g, in the unit
    first += order;
  }
  constexpr double kShift = 1.0, kInfinite = 1e6;  // shift to the right of all that dies out; in units of the scale
  const Eigen::VectorXcd turned = linalg::eigenvalues(linalg::balanced(linalg::inverse(a - kShift * e) * e).matrix);
  std::vector<Complex> found;
  for (const Complex& value : turned) {
    if (!std::isfinite(value.real()) || !std::isfinite(value.imag()))
      throw InputError("/rig/actuators", "and the specimen have roots that cannot be computed.");
    if (std::abs(value) * kInfinite < 1.0) continue;
    found.push_back(scale * (kShift + 1.0 / value));
  }
  std::ranges::stable_sort(found, [](const Complex& x, const Complex& y) {
    return std::abs(std::abs(x) - std::abs(y)) > kSame * std::abs(x) ? std::abs(x) < std::abs(y) : x.imag() > y.imag();
  });
  return found;
}

/// Roots that both lists have are taken out of both.
void cancel(std::vector<Complex>& poles, std::vector<Complex>& zeros) {
  for (auto pole = poles.begin(); pole != poles.end();) {
    const auto same = std::ranges::find_if(
        zeros, [&](const Complex& zero) { return std::abs(zero - *pole) <= kSame * std::abs(*pole); });
    if (same == zeros.end()) {
      ++pole;
      continue;
    }
    zeros.erase(same);
    pole = poles.erase(pole);
  }
}

Complex productOf(const std::vector<Complex>& roots, Complex s) {
  Complex value = 1.0;
  for (const Complex& root : roots) value *= s - root;
  return value;
}

double gainAtRest(const Plant& plant) { return plant.at(0.0).real(); }

}  // namespace

Complex Plant::at(Complex s) const noexcept {
  Complex value = gain * std::exp(-s * delay_s);
  for (std::size_t k = 0; k < std::max(poles.size(), zeros.size()); ++k) {  // in turn: either product may overflow
    if (k < zeros.size()) value *= s - zeros[k];
    if (k < poles.size()) value /= s - poles[k];
  }
  return value;
}

double Plant::phase(double w_rad_per_s) const noexcept {
  // Of j w - root, where neither jumps as w grows: of a root on the right from the other side.
  const auto angle = [&](const Complex& root) {
    const Complex from(-root.real(), w_rad_per_s - root.imag());
    if (!(root.real() > 0.0)) return std::arg(from);
    return std::arg(-from) + (root.imag() < 0.0 ? -kPi : kPi);
  };
  double sum = (gain < 0.0 ? kPi : 0.0) - w_rad_per_s * delay_s;
  for (const Complex& zero : zeros) sum += angle(zero);
  for (const Complex& pole : poles) sum -= angle(pole);
  return sum;
}

TransferModel Plant::model() const {
  TransferModel model{polynomialOf(zeros), polynomialOf(poles), delay_s};
  for (double& coefficient : model.numerator) coefficient *= gain;
  return model;
}

// A motion's own row is the only one that its command drives: its zeros are those of the actuator, and the free motion
// of all else while it is held.
Plant plantOf(const Partition& cut, const TwinParams& params, std::size_t i) {
  const ActuatorSpec& actuator = actuatorOf(params, i);
  const ActuatorTransfer transfer = transferOf(actuator);
  Plant plant;
  plant.dof = cut.interface.at(i).name;
  plant.delay_s = actuator.delay_s;
  plant.zeros = rootsOf(transfer.numerator);
  if (transfer.load.empty()) {
    plant.poles = rootsOf(transfer.denominator);
  } else {
    const Partition at = behindSprings(cut, params);
    plant.poles = FreeMotion(at, params, {}).roots();
    for (const Complex& root : FreeMotion(at, params, i).roots()) plant.zeros.push_back(root);
    std::ranges::stable_sort(plant.zeros, {}, [](const Complex& root) { return std::abs(root); });
    cancel(plant.poles, plant.zeros);
  }
  // The gain is that of the response itself, at a place on the right where it has neither poles nor zeros.
  const double fast = plant.poles.empty() ? 1.0 : std::abs(plant.poles[plant.poles.size() / 2]);
  const Complex s(std::max(fast, 1.0), 0.0);
  const auto axis = static_cast<Index>(i);
  plant.gain = (commandResponse(cut, params, s)(axis, axis) / plant.at(s)).real();
  return plant;
}

std::vector<Plant> plantsOf(const Project& project) {
  const Partition cut = withSpecimen(buildPartition(project), project.twin.specimen);
  std::vector<Plant> plants;
  for (std::size_t i = 0; i < cut.interface.size(); ++i) plants.push_back(plantOf(cut, project.twin, i));
  return plants;
}

Plant without(const Plant& plant, const std::vector<RootPair>& pairs, KeptGain kept) {
  Plant left = plant;
  const auto leave = [](std::vector<Complex>& roots, const Complex& root) {
    std::erase_if(roots, [&](const Complex& one) { return one == root || one == std::conj(root); });
  };
  for (const RootPair& pair : pairs) {
    leave(left.poles, pair.pole);
    leave(left.zeros, pair.zero);
  }
  if (kept == KeptGain::at_rest) left.gain *= gainAtRest(plant) / gainAtRest(left);
  return left;
}

std::vector<double> plantFrequencies(const Project& project) {
  constexpr double kFirst_hz = 0.1;
  constexpr double kSteps[] = {1.0, 2.0, 5.0};
  const Eigen::VectorXd natural_hz = lowestModes(buildPartition(project).reference, 10).frequency_hz;
  const double to_hz = stabilityRange(natural_hz, project.loop.rate_hz, project.analysis.stability_cutoff_hz).cutoff_hz;
  std::vector<double> list;
  for (double decade = kFirst_hz; decade <= to_hz; decade *= 10.0)
    for (const double step : kSteps)
      if (step * decade <= to_hz) list.push_back(step * decade);
  return list;
}

std::string reductionSentence(const Plant& plant, const std::vector<RootPair>& pairs, KeptGain kept) {
  if (pairs.empty()) return {};
  const Plant left = without(plant, pairs, kept);
  std::string list;
  for (const RootPair& pair : pairs)
    list += (list.empty() ? "" : ", ") + rootText(pair.pole) + " beside " + rootText(pair.zero);
  const double rest = gainAtRest(plant), left_rest = gainAtRest(left), far = left.gain / plant.gain;
  const auto change = [](double ratio) { return (ratio > 1.0 ? "+" : "") + figureText(100.0 * (ratio - 1.0)) + " %"; };
  return "Poles and zeros that nearly cancel: " + list + ". Without them the gain at rest is " +
         (kept == KeptGain::far_up
              ? figureText(left_rest, 5) + " instead of " + figureText(rest, 5) + " (" + change(left_rest / rest) +
                    "): an error that a compensation designed from it keeps."
              : "kept, " + figureText(rest, 5) + ", and that far up changes by " + change(far) + ".");
}

Json plantReport(const Project& project, const std::vector<double>& frequencies_hz, KeptGain kept) {
  Json report = Json::array();
  for (const Plant& plant : plantsOf(project)) {
    const std::vector<RootPair> pairs = nearlyCancelling(plant.poles, plant.zeros);
    const Plant left = without(plant, pairs, kept);
    const auto facts = [](const Plant& one) {
      const TransferModel model = one.model();
      return Json{{"poles", rootsJson(one.poles)},
                  {"zeros", rootsJson(one.zeros)},
                  {"gain_at_rest", gainAtRest(one)},
                  {"numerator", highestFirst(model.numerator)},
                  {"denominator", highestFirst(model.denominator)}};
    };
    Json entry = facts(plant);
    entry["dof"] = plant.dof;
    entry["delay_s"] = plant.delay_s;
    entry["nearly_cancelling"] = Json::array();
    for (const RootPair& pair : pairs)
      entry["nearly_cancelling"].push_back({{"pole", rootsJson({pair.pole})[0]}, {"zero", rootsJson({pair.zero})[0]}});
    entry["reduced"] = nullptr;
    if (!pairs.empty()) {
      entry["reduced"] = facts(left);
      entry["reduced"]["sentence"] = reductionSentence(plant, pairs, kept);
    }
    entry["response"] = Json::array();
    for (const double hz : frequencies_hz) {
      const auto at = [w = kTwoPi * hz](const Plant& one) {
        const double phase = one.phase(w);
        return Json{
            {"magnitude", std::abs(one.at({0.0, w}))}, {"phase_deg", phase * 180.0 / kPi}, {"delay_s", -phase / w}};
      };
      Json row = at(plant);
      row["frequency_hz"] = hz;
      if (!pairs.empty()) row["reduced"] = at(left);
      entry["response"].push_back(std::move(row));
    }
    report.push_back(std::move(entry));
  }
  return {{"actuators", std::move(report)}};
}

}  // namespace hyb
