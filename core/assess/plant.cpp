#include "core/assess/plant.h"

#include <algorithm>
#include <cmath>

#include "core/assess/identification.h"
#include "core/assess/loop_analysis.h"
#include "core/base/figure_text.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/identification/findings.h"
#include "core/linalg/balance.h"
#include "core/linalg/dense.h"
#include "core/linalg/eigen.h"
#include "core/run/build.h"
#include "core/structure/reduction.h"
#include "core/transfer/command_response.h"
#include "core/transfer/compliance_spring.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXd;

constexpr double kSame = 1e-7;      // relative to a root's magnitude: rounding error between two equal roots
constexpr Index kMostStates = 600;  // computing their roots takes a second or two

const ActuatorSpec& actuatorOf(const TwinParams& params, std::size_t i) {
  return params.actuators[params.actuators.size() == 1 ? 0 : i];
}

/// d = quotient l + rest, with rest of lower degree than l.
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

[[noreturn]] void refuseRoots() {
  throw InputError("/rig/actuators",
                   "and the specimen have roots that cannot be computed accurately; reduce the specimen "
                   "(/partition/reduction/physical), or check for a mass or stiffness of extreme magnitude.");
}

/// Specimen, fixture and the actuators that feel them, without commands. An actuator d x + l f = 0 (f: force with which
/// its motion drives the specimen) is split by d = (m s^2 + c s + k) l + r. The part that moves with the axis joins the
/// specimen. The rest answers the motion with a force, r x + l g = 0.
class FreeMotion {
 public:
  /// `at`: partition with the actuator axes as interface. Axis `held` is fixed, as are those that do not feel the
  /// specimen.
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
        throw InputError(
            "/rig/actuators/" + std::to_string(i),
            "reacts to the specimen with more than mass, damping and stiffness, so its poles are not known.");
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

  /// In ascending magnitude.
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
// Massless motion makes E singular. The eigenvalues are taken as those of (A - E shift)^-1 E, inverted; infinite ones
// become 0.
std::vector<Complex> FreeMotion::roots() const {
  const Index n = m_.rows();
  if (n == 0) return {};
  Index size = 2 * n;
  for (const Answer& answer : answers_) size += static_cast<Index>(answer.load.size()) - 1;
  if (size > kMostStates)
    throw InputError("/partition/reduction/physical",
                     "leaves the specimen and its actuators " + std::to_string(size) +
                         " states, which are too many to compute the roots; reduce it to " +
                         std::to_string(kMostStates / 3) + " degrees of freedom or fewer.");
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
  // The shift lies to the right of all decaying roots, and is not a round number.
  constexpr double kShift = 1.0371, kInfinite = 1e6, kAtRest = 1e-6;  // in units of the scale
  const Eigen::VectorXcd turned = linalg::eigenvalues(linalg::balanced(linalg::inverse(a - kShift * e) * e).matrix);
  std::vector<Complex> found;
  for (const Complex& value : turned) {
    if (!std::isfinite(value.real()) || !std::isfinite(value.imag())) refuseRoots();
    if (std::abs(value) * kInfinite < 1.0 || value.imag() > 0.0) continue;  // keep the one of a pair with im > 0
    const Complex root = kShift + 1.0 / value;
    if (std::abs(root) < kAtRest) {  // rounding error of roots at rest, which come in pairs
      found.insert(found.end(), value.imag() == 0.0 ? 1 : 2, Complex(0.0));
      continue;
    }
    found.push_back(scale * root);
    if (value.imag() != 0.0) found.push_back(std::conj(found.back()));
  }
  std::ranges::stable_sort(found, {}, [](const Complex& root) { return std::abs(root); });
  return found;
}

/// Removes the roots that both lists have.
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

}  // namespace

Complex Plant::at(Complex s) const noexcept {
  Complex value = gain * std::exp(-s * delay_s);
  for (std::size_t k = 0; k < std::max(poles.size(), zeros.size());
       ++k) {  // alternating, because either product may overflow
    if (k < zeros.size()) value *= s - zeros[k];
    if (k < poles.size()) value /= s - poles[k];
  }
  return value;
}

double Plant::phase(double w_rad_per_s) const noexcept {
  // Phase of j w - root without a jump as w grows: roots on the right are taken from the other side.
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

double Plant::slowGain() const noexcept {
  Complex value = gain;
  for (std::size_t k = 0; k < std::max(poles.size(), zeros.size()); ++k) {
    if (k < zeros.size() && zeros[k] != 0.0) value *= -zeros[k];
    if (k < poles.size() && poles[k] != 0.0) value /= -poles[k];
  }
  return value.real();
}

std::string Plant::name() const { return command == dof ? dof : dof + " by the command of " + command; }

std::optional<double> Plant::gainAtRest() const noexcept {
  const auto at_rest = [](const Complex& root) { return root == 0.0; };
  if (std::ranges::any_of(poles, at_rest) || std::ranges::any_of(zeros, at_rest)) return std::nullopt;
  return slowGain();
}

TransferModel Plant::model() const {
  TransferModel model{polynomialOf(zeros), polynomialOf(poles), delay_s};
  for (double& coefficient : model.numerator) coefficient *= gain;
  return model;
}

// A command drives only the row of its own motion. The zeros are those of the actuator, and the free motion of all
// other parts while this axis is held.
std::vector<Plant> plantsOf(const Partition& cut, const TwinParams& params, const GoesOn& goes_on) {
  const auto wanted = [&] { return !goes_on || goes_on(); };
  const Partition at = behindSprings(cut, params);
  TwinParams prompt = params;  // a long delay would make the compared responses vanish
  for (ActuatorSpec& actuator : prompt.actuators) actuator.delay_s = 0.0;
  /// Takes the gain from the response itself, evaluated on the right, where there are neither poles nor zeros. Both
  /// values must agree.
  const auto finish = [&](Plant& plant, Index axis, Index command) {
    std::ranges::stable_sort(plant.zeros, {}, [](const Complex& root) { return std::abs(root); });
    cancel(plant.poles, plant.zeros);
    const auto response = [&](const Complex& s) { return commandResponse(cut, prompt, s)(axis, command); };
    const double fast = plant.poles.empty() ? 1.0 : std::abs(plant.poles[plant.poles.size() / 2]);
    const Complex right(std::max(fast, 1.0), 0.0);
    plant.gain = (response(right) / plant.at(right)).real();
    constexpr double kAgree = 1e-4;
    const Complex beside = right * Complex(0.1, 0.7);
    if (!(std::abs(plant.at(beside) / response(beside) - 1.0) < kAgree)) refuseRoots();
    plant.dof = cut.interface[static_cast<std::size_t>(axis)].name;
    plant.command = cut.interface[static_cast<std::size_t>(command)].name;
    plant.delay_s = actuatorOf(params, static_cast<std::size_t>(command)).delay_s;
  };
  std::optional<std::vector<Complex>> free;  // roots of all parts that feel the specimen
  std::vector<Plant> plants, crossed;
  for (std::size_t i = 0; i < cut.interface.size(); ++i) {
    const ActuatorTransfer transfer = transferOf(actuatorOf(params, i));
    const auto command = static_cast<Index>(i);
    Plant plant;
    plant.zeros = rootsOf(transfer.numerator);
    if (transfer.load.empty()) {
      plant.poles = rootsOf(transfer.denominator);
    } else {
      if (!wanted()) return {};
      if (!free) free = FreeMotion(at, params, {}).roots();
      if (!wanted()) return {};
      plant.poles = *free;
      for (const Complex& root : FreeMotion(at, params, i).roots()) plant.zeros.push_back(root);
    }
    finish(plant, command, command);
    plants.push_back(std::move(plant));
    for (const ActuatorTransfer::Cross& cross : transfer.cross) {
      Plant& other = crossed.emplace_back();
      other.zeros = rootsOf(cross.numerator);
      other.poles = rootsOf(transfer.denominator);
      finish(other, static_cast<Index>(cross.axis), command);
    }
  }
  std::ranges::move(crossed, std::back_inserter(plants));
  return plants;
}

std::vector<Plant> plantsOf(const Project& project, const GoesOn& goes_on) {
  const Partition cut =
      withSpecimen(reduceSides(buildPartition(project), {}, project.partition.physical), project.twin.specimen);
  std::vector<Plant> plants = plantsOf(cut, project.twin, goes_on);
  const auto place = [&cut](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(cut.interface, name, &Dof::name) - cut.interface.begin());
  };
  for (Plant& plant : plants) {
    const std::size_t by = place(plant.command);
    const SignalKind motion = project.axes[place(plant.dof)].motion,
                     command = actuatorOf(project.twin, by).model->command(project.axes[by].motion);
    if (command != motion)
      plant.unit =
          std::string(facts(motion).unit) + "/" +
          (facts(command).unit.find(' ') == std::string_view::npos ? std::string(facts(command).unit)
                                                                   : "(" + std::string(facts(command).unit) + ")");
  }
  return plants;
}

Plant without(const Plant& plant, const std::vector<RootPair>& pairs, KeptGain kept) {
  Plant left = plant;
  const auto leave = [](std::vector<Complex>& roots, const Complex& root) {
    const auto take = [&](const Complex& one) {
      if (const auto found = std::ranges::find(roots, one); found != roots.end()) roots.erase(found);
    };
    take(root);
    if (root.imag() != 0.0) take(std::conj(root));
  };
  for (const RootPair& pair : pairs) {
    leave(left.poles, pair.pole);
    leave(left.zeros, pair.zero);
  }
  if (kept == KeptGain::at_rest) left.gain *= plant.slowGain() / left.slowGain();
  return left;
}

std::string reductionSentence(const Plant& plant, const std::vector<RootPair>& pairs, KeptGain kept) {
  if (pairs.empty()) return {};
  constexpr std::size_t kListed = 3;
  std::string list;
  for (std::size_t k = 0; k < std::min(pairs.size(), kListed); ++k)
    list += (k > 0 ? ", " : "") + rootText(pairs[k].pole) + " beside " + rootText(pairs[k].zero);
  if (pairs.size() > kListed) list += " and " + std::to_string(pairs.size() - kListed) + " more";
  const Plant left = without(plant, pairs, kept);
  const auto change = [](double ratio) { return (ratio > 1.0 ? "+" : "") + figureText(100.0 * (ratio - 1.0)) + " %"; };
  const std::optional<double> rest = plant.gainAtRest();
  const std::string what = rest ? "gain at rest" : "gain of slow motion";
  const std::string effect =
      kept == KeptGain::at_rest
          ? "the " + what + " is kept, and that at high frequencies changes by " + change(left.gain / plant.gain)
          : "the " + what +
                (rest ? " is " + figureText(left.slowGain(), 5) + " instead of " + figureText(*rest, 5) + " ("
                      : " changes by (") +
                change(left.slowGain() / plant.slowGain()) +
                "): a compensation designed from the reduced model keeps this error";
  return "Without the poles and zeros that nearly cancel " + effect + ". These are " + list + ".";
}

PlantRange plantRange(const Project& project) {
  constexpr double kFirst_hz = 0.1;
  const SystemMatrices reference = buildPartition(project).reference;
  const double to_hz = stabilityRange(reference, project.loop.rate_hz, project.analysis.stability_cutoff_hz).cutoff_hz;
  return {std::min(kFirst_hz, std::pow(10.0, std::floor(std::log10(to_hz)) - 2.0)), to_hz};
}

std::vector<double> plantFrequencies(const PlantRange& range) {
  std::vector<double> list;
  for (double decade = range.from_hz; decade <= range.to_hz; decade *= 10.0)
    for (const double step : {1.0, 2.0, 5.0})
      if (step * decade <= range.to_hz) list.push_back(step * decade);
  return list;
}

Json plantReport(const Project& project, const std::vector<double>& frequencies_hz, KeptGain kept) {
  Json report = Json::array();
  for (const Plant& plant : plantsOf(project)) {
    const std::vector<RootPair> pairs = nearlyCancelling(plant.poles, plant.zeros);
    const Plant left = without(plant, pairs, kept);
    const auto about = [](const Plant& one) {
      const TransferModel model = one.model();
      const auto coefficients = [](const std::vector<double>& ascending) {
        const bool known = std::ranges::all_of(ascending, [](double c) { return std::isfinite(c); });
        return known ? Json(highestFirst(ascending)) : Json(nullptr);
      };
      const std::optional<double> rest = one.gainAtRest();
      return Json{{"poles", rootsJson(one.poles)},
                  {"zeros", rootsJson(one.zeros)},
                  {"gain_at_rest", rest ? Json(*rest) : Json(nullptr)},
                  {"numerator", coefficients(model.numerator)},
                  {"denominator", coefficients(model.denominator)}};
    };
    Json entry = about(plant);
    entry["dof"] = plant.dof;
    entry["command"] = plant.command;
    entry["name"] = plant.name();
    entry["unit"] = plant.unit;
    entry["delay_s"] = plant.delay_s;
    entry["nearly_cancelling"] = Json::array();
    for (const RootPair& pair : pairs)
      entry["nearly_cancelling"].push_back({{"pole", rootsJson({pair.pole})[0]}, {"zero", rootsJson({pair.zero})[0]}});
    entry["reduced"] = nullptr;
    if (!pairs.empty()) {
      entry["reduced"] = about(left);
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
  return {{"actuators", std::move(report)}, {"without_laws", !project.twin.laws.empty()}};
}

}  // namespace hyb
