// Equations of the transfer system: the maps of the specimen and the transition over a step.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <stdexcept>

#include "core/base/numbers.h"
#include "core/base/words.h"
#include "core/linalg/dense.h"
#include "core/linalg/eigen.h"
#include "core/transfer/transfer_system.h"

namespace hyb {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

struct SpecimenRoots {
  double fastest = 0.0, rightmost = 0.0;  // 1/s
};

/// Roots of the specimen alone, interface held. Time is in units of its fastest possible rate: unscaled, stiffness over
/// mass (1e13 1/s2) is next to ones, and the iteration for the eigenvalues may not converge.
SpecimenRoots rootsOf(const MatrixXd& internal_map, Index interfaces) {
  const Index j = internal_map.rows();
  const MatrixXd stiffness = internal_map.middleCols(2 * interfaces, j),
                 damping = internal_map.middleCols(2 * interfaces + j, j);
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (!internal_map.allFinite()) return {inf, inf};
  const double rate = std::max(std::sqrt(stiffness.cwiseAbs().rowwise().sum().maxCoeff()),
                               damping.cwiseAbs().rowwise().sum().maxCoeff());
  if (rate == 0.0) return {};
  MatrixXd a = MatrixXd::Zero(2 * j, 2 * j);
  a.topRightCorner(j, j).setIdentity();
  a.bottomLeftCorner(j, j) = stiffness / (rate * rate);
  a.bottomRightCorner(j, j) = damping / rate;
  const Eigen::VectorXcd scaled = linalg::eigenvalues(a);
  if (!scaled.allFinite())
    throw InputError("/partition/reduction/physical",
                     "leads to a specimen whose roots cannot be computed; reduce it to fewer modes");
  const Eigen::VectorXcd roots = rate * scaled;
  return {roots.cwiseAbs().maxCoeff(), roots.real().maxCoeff()};
}

/// Checks that the roots decay, and that they are not too fast for the tick.
void checkRoots(const MatrixXd& internal_map, Index interfaces, double step_s) {
  if (internal_map.rows() == 0) return;
  const auto [fastest, rightmost] = rootsOf(internal_map, interfaces);
  if (!(fastest <= fastestRoot(step_s)))
    throw InputError("/rig/specimen/stiffness_factor",
                     "leads to a fastest root of the specimen of " + Checks::text(fastest, "1/s") +
                         ", too fast for a tick of " + Checks::text(step_s, "s") +
                         "; make the specimen softer or heavier, or raise /loop/rate_hz to at least " +
                         Checks::text(fastest / fastestRoot(1.0), "Hz"));
  if (!(rightmost <= 1e-7 * fastest))
    throw InputError("/rig/specimen/damping_factor",
                     "leads to an unstable specimen (a root at " + Checks::text(rightmost, "1/s") +
                         " with the interface held); no physical link may have negative damping or stiffness");
}

/// Acceleration inside from columns [x_I, v_I, x_J, v_J, (further), a_I]; `further` of them are zero.
MatrixXd internalMap(const Partition& partition, const SpecimenParams& factors, Index further) {
  const std::vector<Index>& i_dofs = partition.interface_in_physical;
  std::vector<Index> j_dofs;
  for (Index dof = 0; dof < partition.physical.size(); ++dof)
    if (std::find(i_dofs.begin(), i_dofs.end(), dof) == i_dofs.end()) j_dofs.push_back(dof);
  const auto nj = static_cast<Index>(j_dofs.size()), ni = static_cast<Index>(i_dofs.size());
  if (nj == 0) return MatrixXd::Zero(0, 2 * ni + further + ni);
  const MatrixXd m = MatrixXd(partition.physical.m) * factors.mass_factor;
  const MatrixXd c = MatrixXd(partition.physical.c) * factors.damping_factor;
  const MatrixXd k = MatrixXd(partition.physical.k) * factors.stiffness_factor;
  MatrixXd inside(nj, 2 * (ni + nj) + further + ni);
  inside << k(j_dofs, i_dofs), c(j_dofs, i_dofs), k(j_dofs, j_dofs), c(j_dofs, j_dofs), MatrixXd::Zero(nj, further),
      m(j_dofs, i_dofs);
  const std::optional<MatrixXd> motion = linalg::solvePositive(m(j_dofs, j_dofs), inside);
  if (!motion) throw InputError("/partition/physical", "has an inner degree of freedom without mass; give it a mass");
  return -*motion;
}

/// One step of the classical Runge-Kutta scheme for x' = A x over a step of 1.
MatrixXd rungeKutta(const MatrixXd& a) {
  const MatrixXd identity = MatrixXd::Identity(a.rows(), a.cols());
  return identity + a * (identity + a / 2.0 * (identity + a / 3.0 * (identity + a / 4.0)));
}

/// Checks that Runge-Kutta steps do not add growth to decaying or growing motions; `a` as above.
void checkRungeKutta(const MatrixXd& a, double step_s) {
  constexpr double rounding = 1e-6;  // of double roots at 0
  for (const std::complex<double> z : linalg::eigenvalues(a)) {
    const double factor = std::abs(1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0))));
    if (!(factor <= std::max(1.0, std::exp(z.real())) * (1.0 + rounding)))
      throw InputError("/rig/solver", "is \"rk4\", but a root of the twin at " +
                                          Checks::text(std::abs(z) / step_s, "1/s") +
                                          " is unstable with it at a tick of " + Checks::text(step_s, "s") +
                                          "; use \"exact\", or raise /loop/rate_hz");
  }
}

}  // namespace

double fastestRoot(double step_s) noexcept { return 200.0 * kPi / step_s; }

double fastestSpecimenRoot(const Partition& partition, const SpecimenParams& factors) {
  const MatrixXd map = internalMap(partition, factors, 0);
  return map.rows() == 0 ? 0.0 : rootsOf(map, static_cast<Index>(partition.interface.size())).fastest;
}

std::vector<ActuatorBlock> TransferSystem::blocks(double step_s) const {
  std::vector<ActuatorBlock> blocks;
  for (const ActuatorSpec& actuator : actuators_) {
    blocks.push_back(actuator.model->block(actuator.gain, step_s));
    const ActuatorBlock& block = blocks.back();
    const Index all = 3 + block.states();
    const bool sums = block.drives == ActuatorBlock::Drives::sum;
    const bool fits = (block.prescribes() || sums || block.law.size() == all) &&
                      block.own_sizes.size() == block.states() && (block.states() == 0 || block.own.cols() == all) &&
                      (block.drives != ActuatorBlock::Drives::velocity || block.states() == 0);
    if (!fits) throw std::logic_error("an actuator has no block of that kind");
  }
  Checks checks;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (const CoupledOutput& output : blocks[i].outputs) {
      const auto axis = static_cast<std::size_t>(output.axis);
      if (output.axis == CoupledOutput::kOwn) continue;
      const std::string where = "/rig/actuators/" + std::to_string(actuators_.size() == 1 ? 0 : i) + "/cross";
      if (axis >= blocks.size() || axis == i)
        checks.fault(where, "moves interface " + std::to_string(axis + 1) + ", but the others are 1 to " +
                                std::to_string(blocks.size()) + " except " + std::to_string(i + 1) +
                                ", which is its own; correct the number");
      else if (blocks[axis].drives != ActuatorBlock::Drives::sum)
        checks.fault(where,
                     "moves interface " + std::to_string(axis + 1) +
                         ", whose actuator is of a model without cross-coupling; use \"cross-coupled\" there too");
    }
  checks.throwIfAny();
  return blocks;
}

void TransferSystem::placeStates(Index internals) {
  internals_ = internals;
  states_ = 2 * (interfaces_ + internals_);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    own_.push_back(states_);
    states_ += blocks_[i].states();
    if (blocks_[i].drives == ActuatorBlock::Drives::force) pistons_.push_back(static_cast<Index>(i));
  }
}

/// The displacement of the specimen is that of its inner DOF with a spring, else that of the interface.
void TransferSystem::placeSpecimen(const Partition& cut, const Partition& behind) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Index dof = cut.interface_in_physical[i];
    if (!actuators_[i].spring) {
      specimen_.push_back(static_cast<Index>(i));
      continue;
    }
    const auto before = std::count_if(behind.interface_in_physical.begin(), behind.interface_in_physical.end(),
                                      [&](Index piston) { return piston < dof; });
    specimen_.push_back(2 * interfaces_ + dof - before);
  }
}

// M a + C v + K x of the physical part is zero inside (row J) and minus the force on the NS at the interface (row I).
void TransferSystem::buildSpecimen(const Partition& partition, const SpecimenParams& factors) {
  const std::vector<Index>& i_dofs = partition.interface_in_physical;
  std::vector<Index> j_dofs;
  for (Index dof = 0; dof < partition.physical.size(); ++dof)
    if (std::find(i_dofs.begin(), i_dofs.end(), dof) == i_dofs.end()) j_dofs.push_back(dof);
  const Index ni = interfaces_, motions = 2 * (interfaces_ + internals_);

  const MatrixXd m = MatrixXd(partition.physical.m) * factors.mass_factor;
  const MatrixXd c = MatrixXd(partition.physical.c) * factors.damping_factor;
  const MatrixXd k = MatrixXd(partition.physical.k) * factors.stiffness_factor;
  // Columns [x_I, v_I, x_J, v_J, h, a_I].
  const auto none = [&](Index rows) { return MatrixXd::Zero(rows, states_ - motions); };
  MatrixXd at_interface(ni, states_ + ni);
  at_interface << k(i_dofs, i_dofs), c(i_dofs, i_dofs), k(i_dofs, j_dofs), c(i_dofs, j_dofs), none(ni),
      m(i_dofs, i_dofs);
  internal_map_ = internalMap(partition, factors, states_ - motions);
  checkRoots(internal_map_, interfaces_, step_s_);
  force_map_ = -(at_interface + m(i_dofs, j_dofs) * internal_map_);
}

void TransferSystem::addFixture(const FixtureParams& fixture) {
  if (fixture.mass_kg.size() == 0 && fixture.stiffness_n_per_m.size() == 0) return;
  const auto checked = [&](const MatrixXd& given, const std::string& where, const std::string& what) -> MatrixXd {
    if (given.size() == 0) return MatrixXd::Zero(interfaces_, interfaces_);
    if (given.rows() != interfaces_ || given.cols() != interfaces_)
      throw InputError(where, "is not a matrix of " + std::to_string(interfaces_) + " by " +
                                  std::to_string(interfaces_) + "; give one row and one column for each actuator axis");
    const double largest = given.cwiseAbs().maxCoeff();
    if (!given.allFinite() || (given - given.transpose()).cwiseAbs().maxCoeff() > 1e-9 * largest)
      throw InputError(where,
                       "is not a symmetric matrix of numbers; a " + what + " between two axes must be in both places");
    if (linalg::eigenvalues(given).real().minCoeff() < -1e-9 * largest)
      throw InputError(where, "has a negative " + what + " along a motion; correct the entries");
    return given;
  };
  const std::string where = "/rig/fixture/mass_kg";
  const MatrixXd mass = checked(fixture.mass_kg, where, "mass"),
                 stiffness = checked(fixture.stiffness_n_per_m, "/rig/fixture/stiffness_n_per_m", "stiffness");
  const bool diagonal = mass.isDiagonal(1e-12) && stiffness.isZero(0.0);
  const bool is_felt = std::any_of(blocks_.begin(), blocks_.end(), [](const ActuatorBlock& block) {
    return block.drives == ActuatorBlock::Drives::force;
  });
  if (is_felt && fixture.tracked && !fixture.isRead() && !diagonal)
    throw InputError(mass.isDiagonal(1e-12) ? "/rig/fixture/stiffness_n_per_m" : where,
                     "couples axes of actuators that react to it. The analyses support this only if the load cell is "
                     "between actuator and fixture and its reading contains the fixture; set "
                     "/rig/fixture/load_cell to \"actuator\" and remove taken_out, or give a diagonal matrix");
  load_map_ = force_map_;
  load_map_.rightCols(interfaces_) -= mass;
  if (fixture.stiffness_n_per_m.size() > 0) load_map_.leftCols(interfaces_) -= stiffness;
}

void TransferSystem::placeLaws(const Partition& partition, const TwinParams& params) {
  Checks checks;
  const auto& dofs = partition.physical.dofs;
  const std::vector<Index>& i_dofs = partition.interface_in_physical;
  std::vector<Index> j_dofs;
  for (Index dof = 0; dof < partition.physical.size(); ++dof)
    if (std::find(i_dofs.begin(), i_dofs.end(), dof) == i_dofs.end()) j_dofs.push_back(dof);
  std::vector<Index> inside;  // [places]: index of j_dofs, or -1 - interface
  for (std::size_t l = 0; l < params.laws.size(); ++l) {
    const SpecimenLawSpec& spec = params.laws[l];
    const std::string where = "/rig/specimen/laws/" + std::to_string(l);
    Checks found;
    spec.law->check(found);
    checks.take(found, where);
    Index at = -spec.interface;
    if (spec.dof.empty() && spec.interface >= 1 && spec.interface <= interfaces_)
      if (const auto i = static_cast<std::size_t>(spec.interface - 1); actuators_[i].spring)
        at = specimen_[i] - 2 * interfaces_;
    if (!spec.dof.empty()) {
      const auto named = std::find_if(dofs.begin(), dofs.end(), [&](const Dof& dof) { return dof.name == spec.dof; });
      const auto dof = static_cast<Index>(named - dofs.begin());
      const auto inner = std::find(j_dofs.begin(), j_dofs.end(), dof);
      const auto interface = std::find(i_dofs.begin(), i_dofs.end(), dof);
      if (named == dofs.end()) {
        std::vector<std::string> known;
        for (const Index j : j_dofs) known.push_back(dofs[static_cast<std::size_t>(j)].name);
        checks.fault(where + "/dof",
                     quoted(spec.dof) + " is not a degree of freedom inside the specimen. " + hint(spec.dof, known) +
                         (known.empty() ? "It has none; remove this, and give the interface"
                                        : "A reduction may have removed it; remove this to act at an interface"));
        continue;
      }
      at = inner != j_dofs.end() ? static_cast<Index>(inner - j_dofs.begin())
                                 : -1 - static_cast<Index>(interface - i_dofs.begin());
    } else if (spec.interface < 1 || spec.interface > interfaces_) {
      checks.fault(where + "/interface", "there is no interface " + std::to_string(spec.interface) + "; the cut has " +
                                             std::to_string(interfaces_) + ". Give its number from 1");
      continue;
    }
    const int beside = spec.law->beside();
    if (beside > interfaces_)
      checks.fault(where + "/angle_interface", "there is no interface " + std::to_string(beside) + "; the cut has " +
                                                   std::to_string(interfaces_) +
                                                   ". Give its number from 1, or 0 for a constant angle");
    if (!found.ok() || beside > interfaces_) continue;
    const bool within = at >= 0,
               feels = !within && blocks_[static_cast<std::size_t>(-1 - at)].drives == ActuatorBlock::Drives::force;
    if (spec.law->ground() != nullptr && !within && !feels) {
      checks.fault(where + (spec.dof.empty() ? "/interface" : "/dof"),
                   "an impact is not possible if the actuator prescribes the motion; name the degree of freedom of a "
                   "mass inside "
                   "the specimen, or use the law \"contact\"");
      continue;
    }
    const Index x = within ? 2 * interfaces_ + at : -1 - at;
    laws_.add({x, x + (within ? internals_ : interfaces_), within || feels}, spec.law, Index{beside} - 1);
    if (laws_.places().size() > inside.size()) inside.push_back(at);
    yields_ = yields_ || within || feels;
    yields_inside_ = yields_inside_ || within;
  }
  checks.throwIfAny();
  for (Index i = 0; i < interfaces_; ++i) {
    const auto n = static_cast<std::size_t>(i);
    SpecimenLawPtr law = actuators_[n].model->law();
    if (!law) continue;
    if (blocks_[n].drives != ActuatorBlock::Drives::force) throw std::logic_error("an actuator's law moves nothing");
    laws_.add({i, interfaces_ + i, true, true}, std::move(law));
    inside.push_back(-1 - i);
    yields_ = true;
  }
  const auto places = static_cast<Index>(inside.size());
  law_force_ = MatrixXd::Zero(interfaces_, places);
  law_inside_ = MatrixXd::Zero(internals_, places);
  const MatrixXd m = MatrixXd(partition.physical.m) * params.specimen.mass_factor;
  for (Index p = 0; p < places; ++p) {
    const Index at = inside[static_cast<std::size_t>(p)];
    if (at < 0) {
      if (!laws_.places()[static_cast<std::size_t>(p)].of_actuator) law_force_(-1 - at, p) = -1.0;
      continue;
    }
    // buildSpecimen() has refused an inner mass matrix that is not positive definite.
    const VectorXd a = -*linalg::solvePositive(m(j_dofs, j_dofs), VectorXd::Unit(internals_, at));
    law_inside_.col(p) = a;
    law_force_.col(p) = -m(i_dofs, j_dofs) * a;
  }
}

void TransferSystem::placeMoments(const Partition& partition, const TwinParams& params) {
  const auto count = static_cast<Index>(params.moments.size());
  moment_map_ = MatrixXd::Zero(count, states_ + interfaces_);
  law_moments_ = MatrixXd::Zero(count, law_force_.cols());
  const std::vector<Index>& i_dofs = partition.interface_in_physical;
  std::vector<Index> j_dofs;
  for (Index dof = 0; dof < partition.physical.size(); ++dof)
    if (std::find(i_dofs.begin(), i_dofs.end(), dof) == i_dofs.end()) j_dofs.push_back(dof);
  for (Index m = 0; m < count; ++m) {
    const SectionForce& section = params.moments[static_cast<std::size_t>(m)].section;
    if (section.of_acceleration.size() != partition.physical.size())
      throw InputError(
          "/rig/sensors/" + std::to_string(m),
          "is inside a specimen with compliance springs, whose strains the twin does not compute; remove it");
    const Eigen::RowVectorXd mass = params.specimen.mass_factor * section.of_acceleration,
                             stiffness = params.specimen.stiffness_factor * section.of_displacement;
    moment_map_.row(m) = mass(j_dofs) * internal_map_;
    law_moments_.row(m) = mass(j_dofs) * law_inside_;
    for (Index i = 0; i < interfaces_; ++i) {
      moment_map_(m, i) += stiffness[i_dofs[static_cast<std::size_t>(i)]];
      moment_map_(m, states_ + i) += mass[i_dofs[static_cast<std::size_t>(i)]];
    }
    for (Index j = 0; j < internals_; ++j)
      moment_map_(m, 2 * interfaces_ + j) += stiffness[j_dofs[static_cast<std::size_t>(j)]];
  }
}

/// Requires enough parts of a tick for the fastest motion that a law can cause.
void TransferSystem::requireTimeForLaws(double step_s) {
  constexpr double rad_per_part = 0.5;
  constexpr int most = 400;
  int parts = 1;
  for (std::size_t p = 0; p < laws_.places().size(); ++p) {
    const SpecimenForces::Place& place = laws_.places()[p];
    if (!place.yields) continue;
    const auto column = static_cast<Index>(p);
    VectorXd pistons = VectorXd::Zero(interfaces_);
    for (std::size_t k = 0; k < pistons_.size(); ++k)
      pistons[pistons_[k]] = law_pistons_(static_cast<Index>(k), column);
    const double a = place.x < interfaces_
                         ? pistons[place.x]
                         : law_inside_(place.x - 2 * interfaces_, column) +
                               internal_map_.row(place.x - 2 * interfaces_).tail(interfaces_) * pistons;
    const double rate = std::max(std::sqrt(laws_.stiffness(p) * -a), laws_.damping(p) * -a);
    if (!(rate <= fastestRoot(step_s)))
      throw InputError(place.of_actuator ? "/rig/actuators" : "/rig/specimen/laws",
                       (place.of_actuator ? "have a cubic stiffness that leads to motions at "
                                          : "lead to motions of the specimen at ") +
                           Checks::text(rate, "1/s") + ", too fast for a tick of " + Checks::text(step_s, "s") +
                           "; make " + (place.of_actuator ? "it" : "a law") +
                           " softer, the specimen (or the piston) heavier where it acts, or raise /loop/rate_hz to at "
                           "least " +
                           Checks::text(rate / fastestRoot(1.0), "Hz"));
    parts = std::max(parts, std::min(most, static_cast<int>(std::ceil(rate * step_s / rad_per_part))));
  }
  substeps_ = std::max(substeps_, parts);
  smooth_ = yields_ && laws_.smooth() && parts == 1 && !limited_ && !controls_;
}

// Piston: m a = its law + (force of the PS on the NS, here on the piston), which itself contains -m_PS a; solved for a.
void TransferSystem::buildPistons() {
  const auto count = static_cast<Index>(pistons_.size());
  piston_map_ = MatrixXd::Zero(count, states_ + interfaces_);
  law_pistons_ = MatrixXd::Zero(count, law_force_.cols());
  disturbed_.assign(blocks_.size(), -1);
  noise_map_ = MatrixXd::Zero(count, 0);
  if (count == 0) return;
  const MatrixXd& load_map = load_map_.size() > 0 ? load_map_ : force_map_;
  MatrixXd mass(count, count);
  for (Index k = 0; k < count; ++k) {
    const Index i = pistons_[static_cast<std::size_t>(k)];
    const ActuatorBlock& block = blocks_[static_cast<std::size_t>(i)];
    piston_map_.row(k) = load_map.row(i);
    law_pistons_.row(k) = law_force_.row(i);
    for (std::size_t p = 0; p < laws_.places().size(); ++p)
      if (laws_.places()[p].of_actuator && laws_.places()[p].x == i) law_pistons_(k, static_cast<Index>(p)) = -1.0;
    piston_map_(k, i) += block.law[0];
    piston_map_(k, interfaces_ + i) += block.law[1];
    piston_map_.row(k).segment(own_[static_cast<std::size_t>(i)], block.states()) += block.law.tail(block.states());
    for (Index l = 0; l < count; ++l) mass(k, l) = -load_map(i, states_ + pistons_[static_cast<std::size_t>(l)]);
    mass(k, k) += block.moving_mass_kg;
  }
  for (const Index piston : pistons_) piston_map_.col(states_ + piston).setZero();
  const linalg::SymmetricSolution solution = linalg::solveSymmetric(mass, piston_map_);
  if (!(solution.least_pivot > 0.0))
    throw InputError("/rig/actuators/" + std::to_string(pistons_.front()) +
                         blocks_[static_cast<std::size_t>(pistons_.front())].mass_setting,
                     "is 0, but the specimen has no mass at the interface; give the piston a mass greater than 0");
  piston_map_ = solution.x;
  VectorXd puts_in(count);
  for (Index k = 0; k < count; ++k)
    puts_in[k] = blocks_[static_cast<std::size_t>(pistons_[static_cast<std::size_t>(k)])].law[2];
  if (!puts_in.isZero(0.0)) piston_input_ = linalg::solveSymmetric(mass, MatrixXd(puts_in.asDiagonal())).x;
  if (law_pistons_.cols() > 0) law_pistons_ = linalg::solveSymmetric(mass, law_pistons_).x;
  for (Index k = 0; k < count; ++k) {
    const auto i = static_cast<std::size_t>(pistons_[static_cast<std::size_t>(k)]);
    if (!actuators_[i].spring || !actuators_[i].spring->noise_loads_piston) continue;
    disturbed_[i] = noise_map_.cols();
    noise_map_.conservativeResize(count, disturbed_[i] + 1);
    noise_map_.rightCols(1) = linalg::solveSymmetric(mass, VectorXd::Unit(count, k)).x;
  }
}

// The inputs are additional constant states: the command of a servo, or the slopes of displacement and velocity of a
// prescribed motion. An input that switches inside the tick acts over the rest of it (superposition).
TransferSystem::Transition TransferSystem::transition(double step_s, const std::vector<ActuatorBlock>& blocks,
                                                      const std::vector<double>& switches) const {
  using Drives = ActuatorBlock::Drives;
  const Index ni = interfaces_, nj = internals_, ns = states_, laws = law_force_.cols(), nl = laws + noise_map_.cols(),
              size = ns + 2 * ni + nl;
  MatrixXd acceleration = MatrixXd::Zero(ni, size);  // a_I
  MatrixXd a = MatrixXd::Zero(size, size);
  const auto block = [&](Index i) -> const ActuatorBlock& { return blocks[static_cast<std::size_t>(i)]; };
  /// Inserts a row over [x, v, u, h] of actuator i into one over all states.
  const auto place = [&](Index i, const auto& row, auto&& whole) {
    whole[i] = row[0];
    whole[ni + i] = row[1];
    whole[ns + i] = row[2];
    for (Index h = 0; h < block(i).states(); ++h) whole[own_[static_cast<std::size_t>(i)] + h] = row[3 + h];
  };
  for (Index i = 0; i < ni; ++i) {
    const ActuatorBlock& own = block(i);
    for (Index h = 0; h < own.states(); ++h) place(i, own.own.row(h), a.row(own_[static_cast<std::size_t>(i)] + h));
    a(i, own.prescribes() ? ns + i : ni + i) = 1.0;
    if (own.prescribes()) acceleration(i, ns + ni + i) = 1.0;
    if (own.drives == Drives::acceleration) place(i, own.law, acceleration.row(i));
    if (own.drives == Drives::velocity) acceleration(i, ni + i) = own.law[0];
  }
  // The accelerations of summed outputs, from their own states and commands.
  const auto eachOutput = [&](auto&& use) {
    for (Index j = 0; j < ni; ++j)
      for (const CoupledOutput& output : block(j).outputs)
        if (const Index i = output.axis == CoupledOutput::kOwn ? j : output.axis; block(i).drives == Drives::sum)
          use(i, j, output.row, block(j).own.rightCols(block(j).states()));
  };
  eachOutput([&](Index i, Index j, const Eigen::RowVectorXd& row, const auto& dynamics) {
    const Eigen::RowVectorXd velocity = row * dynamics;
    acceleration.row(i).segment(own_[static_cast<std::size_t>(j)], row.size()) += velocity * dynamics;
    acceleration(i, ns + j) += velocity * block(j).own.col(2);
  });
  for (std::size_t p = 0; p < pistons_.size(); ++p) {
    const Index i = pistons_[p];
    if (block(i).drives != Drives::force) continue;  // held
    const auto row = static_cast<Index>(p);
    acceleration.row(i).head(ns) = piston_map_.row(row).head(ns);
    acceleration.row(i) +=
        piston_map_.row(row).tail(ni) * acceleration;  // of the other actuators; pistons have 0 there
    acceleration.row(i).segment(size - nl, laws) += law_pistons_.row(row);
    acceleration.row(i).tail(nl - laws) += noise_map_.row(row);
    for (Index k = 0; k < piston_input_.cols(); ++k)
      acceleration(i, ns + pistons_[static_cast<std::size_t>(k)]) += piston_input_(row, k);
  }
  a.middleRows(ni, ni) = acceleration;
  a.block(2 * ni, 2 * ni + nj, nj, nj).setIdentity();
  a.block(2 * ni + nj, 0, nj, ns) = internal_map_.leftCols(ns);
  a.block(2 * ni + nj, size - nl, nj, laws) = law_inside_;
  a.middleRows(2 * ni + nj, nj) += internal_map_.rightCols(ni) * acceleration;
  // If an actuator drives velocities, v is its law of x and u, and jumps with u.
  for (Index i = 0; i < ni; ++i) {
    if (block(i).drives != Drives::velocity) continue;
    a.col(i) += a.col(ni + i) * block(i).law[0];
    a.col(ns + i) += a.col(ni + i) * block(i).law[2];
    a.col(ni + i).setZero();
    a.row(ni + i).setZero();
  }

  // Time in steps and velocity per step keep the exponential well scaled.
  VectorXd scale = VectorXd::Ones(size);
  scale.segment(ni, ni).setConstant(1.0 / step_s);
  scale.segment(2 * ni + nj, nj).setConstant(1.0 / step_s);
  for (Index i = 0; i < ni; ++i) {
    scale.segment(own_[static_cast<std::size_t>(i)], block(i).states()) = block(i).own_sizes;
    if (!block(i).prescribes()) continue;
    scale[ns + i] = 1.0 / step_s;
    scale[ns + ni + i] = 1.0 / (step_s * step_s);
  }
  for (Index l = size - nl; l < size; ++l)
    if (const double fastest = a.col(l).cwiseAbs().maxCoeff(); fastest > 0.0)
      scale[l] = 1.0 / (fastest * step_s * step_s);
  const MatrixXd scaled = scale.cwiseInverse().asDiagonal() * a * scale.asDiagonal() * step_s;
  if (solver_ == TwinSolver::rk4) checkRungeKutta(scaled.topLeftCorner(ns, ns), step_s);
  const auto advanced = [&](double share) -> MatrixXd {
    const MatrixXd part = scaled * share;
    return scale.asDiagonal() * (solver_ == TwinSolver::rk4 ? rungeKutta(part) : linalg::exponential(part)) *
           scale.cwiseInverse().asDiagonal();
  };

  MatrixXd start = MatrixXd::Identity(size, size);  // constant states at the start of the step, from state and inputs
  for (Index i = 0; i < ni; ++i) {
    const Index x = i, v = ni + i, first = ns + i, second = ns + ni + i;
    if (!block(i).prescribes()) continue;
    start.row(first).setZero();  // slope of the displacement
    start(first, first) = 1.0 / step_s;
    start(first, x) = -1.0 / step_s;
    start.row(second).setZero();  // slope of the velocity
    if (block(i).drives == Drives::motion) {
      start(second, second) = 1.0 / step_s;
      start(second, v) = -1.0 / step_s;
    } else {  // a ramp: the velocity is that of the end from the start
      start(v, v) = 0.0;
      start(v, second) = 1.0;
    }
  }
  MatrixXd result = advanced(1.0).topRows(ns) * start;
  for (Index i = 0; i < ni; ++i) {
    const Index first = ns + i, second = ns + ni + i;
    if (block(i).prescribes()) {  // without rounding
      result.row(i).setZero();
      result(i, first) = 1.0;
      result.row(ni + i).setZero();
      result(ni + i, second) = 1.0;
      continue;
    }
    result.col(second) = advanced(1.0 - switches[static_cast<std::size_t>(i)]).col(first).head(ns);
    result.col(first) -= result.col(second);
    if (block(i).drives != Drives::velocity) continue;
    result.row(ni + i) = block(i).law[0] * result.row(i);
    result(ni + i, second) += block(i).law[2];
  }
  for (Index i = 0; i < ni; ++i)
    if (block(i).drives == Drives::sum) {  // as their sums, which cannot drift from the states
      result.row(i).setZero();
      result.row(ni + i).setZero();
    }
  eachOutput([&](Index i, Index j, const Eigen::RowVectorXd& row, const auto& dynamics) {
    const auto states = result.middleRows(own_[static_cast<std::size_t>(j)], row.size());
    result.row(i) += row * states;
    result.row(ni + i) += row * dynamics * states;
  });
  return {result.leftCols(ns + 2 * ni), result.middleCols(ns + 2 * ni, laws), result.rightCols(nl - laws)};
}

}  // namespace hyb
