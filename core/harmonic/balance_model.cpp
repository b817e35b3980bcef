#include "core/harmonic/balance_model.h"

#include <algorithm>
#include <cmath>

#include "core/base/checks.h"
#include "core/base/numbers.h"
#include "core/linalg/dense.h"
#include "core/structure/interface_map.h"
#include "core/structure/reduction.h"
#include "core/structure/sides.h"
#include "core/transfer/params.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;

MatrixXcd inverse(const MatrixXcd& a) { return linalg::ComplexLu(a).solve(MatrixXcd::Identity(a.rows(), a.cols())); }

}  // namespace

BalanceModel::BalanceModel(const BalanceModelSettings& settings, const Partition& partition, const Reduction& numerical,
                           std::span<const InterfaceAxis> sensors, std::span<const InterfaceAxis> force_sensors,
                           const FixtureParams* fixture)
    : orders_(settings.harmonics), of_forces_(settings.of_forces), beam_(settings.beam), length_m_(settings.length_m) {
  const auto count = static_cast<Index>(partition.interface.size());
  dofs_ = partition.cut_dofs.empty() ? partition.interface : partition.cut_dofs;
  to_axes_ = MatrixXd::Identity(count, count);
  if (!partition.cut_dofs.empty()) to_axes_ = linalg::inverse(partition.motion_from_axes);
  placeSensors(settings, partition, sensors, force_sensors);
  if (fixture != nullptr) placeFixture(*fixture, partition, {sensors.begin(), sensors.end()});
  weight_.setOnes(count);
  for (Index i = 0; i < count; ++i)
    if (dofs_[static_cast<std::size_t>(i)].motion == Motion::rotation)
      weight_[i] = of_forces_ ? 1.0 / settings.length_m : settings.length_m;
  for (MatrixXcd* m : {&motion_, &force_, &computed_motion_, &computed_force_, &target_})
    m->setZero(count, harmonics());
  read_.setZero(readings());
  missing_.setZero(count);
  residual_.setZero(2 * count * harmonics());
  const Partition reduced = reduceSides(partition, numerical, {});
  const MatrixXcd loads = loadsOf(settings, partition, reduced.numerical_loads);
  const CondensedStiffness computed(reduced.numerical, reduced.interface_in_numerical);
  const CondensedStiffness specimen(partition.physical, partition.interface_in_physical);
  for (const double hz : settings.frequencies_hz) points_.push_back(makePoint(hz, computed, loads, specimen));
  if (settings.moves)
    moving_ = std::make_unique<MovingSide>(reduced.numerical, reduced.interface_in_numerical, to_axes_, loads);
}

void BalanceModel::placeSensors(const BalanceModelSettings& settings, const Partition& partition,
                                std::span<const InterfaceAxis> sensors, std::span<const InterfaceAxis> force_sensors) {
  const std::vector<InterfaceAxis> of_motion(sensors.begin(), sensors.end()),
      of_force(force_sensors.begin(), force_sensors.end());
  const SensorMap motions = motionMap(partition, of_motion), forces = forceSensorMap(partition, of_force);
  // f_a = P^T f_q, x_q = P x_a.
  const MatrixXd p = linalg::inverse(to_axes_);
  motion_map_ = p * motions.from_readings;
  force_readings_ = forces.readings * p.transpose();
  force_map_ = to_axes_.transpose() * forces.from_readings;
  motion_readings_ = motion_map_.cols();
  channels_.resize(static_cast<std::size_t>(readings()));
  accelerometer_.assign(channels_.size(), 0);
  for (std::size_t y = 0; y < of_motion.size(); ++y) accelerometer_[y] = of_motion[y].acceleration ? 1 : 0;
  Checks checks;
  for (std::size_t c = 0; c < settings.channels.size(); ++c) {
    const BalanceChannel& given = settings.channels[c];
    const auto named = [&](const InterfaceAxis& axis) { return axis.name == given.sensor; };
    const auto m = std::find_if(of_motion.begin(), of_motion.end(), named);
    const auto f = std::find_if(of_force.begin(), of_force.end(), named);
    if (m != of_motion.end())
      channels_[static_cast<std::size_t>(m - of_motion.begin())] = given;
    else if (f != of_force.end())
      channels_[static_cast<std::size_t>(motion_readings_ + (f - of_force.begin()))] = given;
    else
      checks.fault("/coupling/channels/" + std::to_string(c) + "/sensor",
                   "\"" + given.sensor +
                       "\" is not a sensor of the partition; enter the name of one in /partition/sensors or "
                       "/partition/force_sensors.");
  }
  if (settings.beam.mass_kg_per_m > 0.0) {
    const auto place = [&](Motion motion) {
      Index found = -1;
      for (std::size_t i = 0; i < dofs_.size(); ++i)
        if (dofs_[i].motion == motion) found = found < 0 ? static_cast<Index>(i) : static_cast<Index>(dofs_.size());
      return found;
    };
    translation_ = place(Motion::translation);
    rotation_ = place(Motion::rotation);
    const auto count = static_cast<Index>(dofs_.size());
    if (translation_ < 0 || rotation_ < 0 || translation_ == count || rotation_ == count)
      checks.fault(
          "/coupling/beam",
          "corrects gauges on a beam cut, but this cut does not have one deflection and one rotation; remove it.");
  }
  checks.throwIfAny();
}

void BalanceModel::placeFixture(const FixtureParams& fixture, const Partition& partition,
                                const std::vector<InterfaceAxis>& sensors) {
  const SensorMap motions = motionMap(partition, sensors),
                  accelerations = mapOfKind(sensorMap(partition, sensors), sensors, SensorKind::acceleration);
  const bool told = hasAccelerometer(sensors) && untoldMotion(accelerations, partition).empty();
  // f_q = T^T f_a
  const auto ofReadings = [&](const MatrixXd& of_axes, const SensorMap& map) -> MatrixXd {
    if (of_axes.rows() != to_axes_.rows() || of_axes.cols() != to_axes_.rows())
      return MatrixXd::Zero(to_axes_.rows(), motion_readings_);
    return to_axes_.transpose() * of_axes * map.from_readings;
  };
  fixture_kg_ = ofReadings(fixture.mass_kg, told ? accelerations : motions);
  fixture_n_per_m_ = ofReadings(fixture.stiffness_n_per_m, motions);
}

/// Loads of every harmonic, [side, h].
MatrixXcd BalanceModel::loadsOf(const BalanceModelSettings& settings, const Partition& partition,
                                const SparseMatrix& to_side) const {
  Checks checks;
  MatrixXcd loads = MatrixXcd::Zero(to_side.rows(), harmonics());
  std::vector<Dof> dofs = partition.reference.dofs;  // of the uncut model
  for (std::size_t i = 0; i < partition.cut_dofs.size(); ++i)
    dofs[static_cast<std::size_t>(partition.interface_in_reference[i])] = partition.cut_dofs[i];
  for (std::size_t l = 0; l < settings.loads.size(); ++l) {
    const BalanceLoad& load = settings.loads[l];
    const std::string where = "/coupling/loads/" + std::to_string(l);
    const Index dof = dofCalled(load.dof, dofs, where + "/dof", checks);
    const auto order = std::find(orders_.begin(), orders_.end(), load.harmonic);
    if (order == orders_.end())
      checks.fault(where + "/harmonic", "is " + std::to_string(load.harmonic) +
                                            ", which is not a harmonic of the balance; add it to /coupling/harmonics.");
    if (dof < 0 || order == orders_.end()) continue;
    const Eigen::VectorXd column = to_side * Eigen::VectorXd::Unit(to_side.cols(), dof);
    if (column.isZero(0.0))
      checks.fault(
          where + "/dof",
          "\"" + load.dof +
              "\" is inside the specimen, which only the actuators can load; load the computed side or the interface.");
    loads.col(order - orders_.begin()) +=
        std::polar(load.amplitude, load.phase_deg * kPi / 180.0) * column.cast<Complex>();
  }
  checks.throwIfAny();
  return loads;
}

BalanceModel::Point BalanceModel::makePoint(double hz, const CondensedStiffness& computed, const MatrixXcd& loads,
                                            const CondensedStiffness& specimen) const {
  Point point;
  point.frequency_hz = hz;
  const auto count = static_cast<Index>(dofs_.size());
  double load_size2 = 0.0;
  for (Index h = 0; h < harmonics(); ++h) {
    Harmonic at;
    const double at_hz = hz * order(h), w = kTwoPi * at_hz;
    const CondensedStiffness::Loaded side = computed.loaded(Complex(0.0, w), loads.col(h));
    at.stiffness = to_axes_.transpose() * side.stiffness * to_axes_;
    at.load = to_axes_.transpose() * side.load;
    if (!at.stiffness.allFinite() || !at.load.allFinite())
      throw InputError("/coupling/sweep", "contains " + Checks::text(at_hz, "Hz") +
                                              ", where the computed side resonates undamped with its interface held; "
                                              "add damping, or change the frequency.");
    at.flexibility = inverse(at.stiffness);
    at.lag.setOnes(readings());
    at.u.setZero(force_map_.cols());
    at.phi = at.curve = at.u;
    at.fixture = fixture_kg_;
    setCorrections(at, w);
    load_size2 += loadSize2(at.load);
    point.harmonics.push_back(std::move(at));
  }
  if (!(load_size2 > 0.0))
    throw InputError("/coupling/loads", "have no effect at the interface at " + Checks::text(hz, "Hz") +
                                            "; enter a load on the computed side with an amplitude above 0.");
  point.unit = of_forces_ ? 1.0 / std::sqrt(load_size2) : 1.0;
  const Complex s(0.0, kTwoPi * hz * order(0));
  const MatrixXcd of_specimen = to_axes_.transpose() * specimen(s) * to_axes_;
  MatrixXcd to_motion = inverse(point.harmonics[0].stiffness + of_specimen);
  if (!of_forces_) to_motion = to_motion * point.harmonics[0].stiffness;
  point.bound.resize(count);
  for (Index i = 0; i < count; ++i)
    point.bound[i] = to_motion.row(i).cwiseAbs().cwiseQuotient(weight_.transpose()).norm() / point.unit;
  return point;
}

void BalanceModel::setCorrections(Harmonic& at, double w) const noexcept {
  for (Index c = 0; c < readings(); ++c) {
    const BalanceChannel& channel = channels_[static_cast<std::size_t>(c)];
    at.lag[c] = std::polar(1.0, w * channel.delay_s) / response(channel.filters, w);
    if (accelerometer_[static_cast<std::size_t>(c)] != 0) at.lag[c] /= -w * w;
  }
  for (Index i = 0; i < fixture_kg_.size(); ++i)
    at.fixture.data()[i] = fixture_n_per_m_.data()[i] - w * w * fixture_kg_.data()[i];
  if (translation_ < 0) return;
  for (Index g = 0; g < force_map_.cols(); ++g) {
    const double factor = force_readings_(g, rotation_);
    if (factor == 0.0) continue;
    const double d = -force_readings_(g, translation_) / factor;
    const double inertia = factor * beam_.mass_kg_per_m * w * w;
    at.u[g] = inertia * d * d / 2.0;
    at.phi[g] = inertia * d * d * d / 6.0;
    at.curve[g] = inertia * d * d * d * d / 24.0 / beam_.bending_stiffness_n_m2;
  }
}

/// Squared norm of the load at the interface, N^2; moments divided by the length.
double BalanceModel::loadSize2(const Eigen::VectorXcd& load) const noexcept {
  double size2 = 0.0;
  for (Index i = 0; i < load.size(); ++i) {
    double size = std::abs(load[i]);
    if (dofs_[static_cast<std::size_t>(i)].motion == Motion::rotation) size /= length_m_;
    size2 += size * size;
  }
  return size2;
}

void BalanceModel::moveTo(double hz, double factor) noexcept {
  level_ = factor;
  Point& point = points_.front();
  point.frequency_hz = hz;
  double load_size2 = 0.0;
  for (Index h = 0; h < harmonics(); ++h) {
    Harmonic& at = point.harmonics[static_cast<std::size_t>(h)];
    const double w = kTwoPi * hz * order(h);
    if (!moving_->at(w, h, at.stiffness, at.flexibility, at.load)) load_size2 = kNoValue;
    setCorrections(at, w);
    load_size2 += loadSize2(at.load);
  }
  point.unit = of_forces_ || std::isnan(load_size2) ? 1.0 / std::sqrt(load_size2) : 1.0;
}

double BalanceModel::inPhase() const noexcept {
  for (Index h = 0; h < harmonics(); ++h) {
    const Eigen::VectorXcd& load = points_.front().harmonics[static_cast<std::size_t>(h)].load;
    double in_phase = 0.0, all = 0.0;
    for (Index i = 0; i < load.size(); ++i) {
      const Complex f = level_ * load[i];
      in_phase += (std::conj(f) * motion_(i, h)).real();
      all += std::abs(f) * std::abs(motion_(i, h));
    }
    if (all > 0.0) return in_phase / all;
  }
  return 0.0;
}

namespace {

/// y = matrix x from x[x_from] on.
constexpr auto kProduct = [](const auto& matrix, const auto& x, Index x_from, auto&& y) {
  for (Index i = 0; i < matrix.rows(); ++i) {
    Complex sum = 0.0;
    for (Index j = 0; j < matrix.cols(); ++j) sum += matrix(i, j) * x[x_from + j];
    y[i] = sum;
  }
};

}  // namespace

void BalanceModel::evaluate(std::size_t p, const MatrixXcd& readings) noexcept {
  const Point& point = points_[p];
  for (Index h = 0; h < harmonics(); ++h) {
    const Harmonic& at = point.harmonics[static_cast<std::size_t>(h)];
    for (Index c = 0; c < read_.size(); ++c) read_[c] = readings(c, h) * at.lag[c];
    kProduct(motion_map_, read_, 0, motion_.col(h));
    kProduct(force_map_, read_, motion_readings_, force_.col(h));
    if (translation_ >= 0) {
      const Complex u = motion_(translation_, h), phi = motion_(rotation_, h), moment = force_(rotation_, h);
      for (Index g = 0; g < at.u.size(); ++g)
        read_[motion_readings_ + g] -= at.u[g] * u + at.phi[g] * phi + at.curve[g] * moment;
      kProduct(force_map_, read_, motion_readings_, force_.col(h));
    }
    for (Index j = 0; j < at.fixture.cols(); ++j)
      for (Index i = 0; i < at.fixture.rows(); ++i) force_(i, h) += at.fixture(i, j) * read_[j];
  }
  balance(point);
}

void BalanceModel::evaluate(const MatrixXcd& motion, const MatrixXcd& force) noexcept {
  motion_ = motion;
  force_ = force;
  balance(points_.front());
}

void BalanceModel::balance(const Point& point) noexcept {
  const Index count = motion_.rows();
  const double unit = of_forces_ ? point.unit / residual_over_ : point.unit;
  for (Index h = 0; h < harmonics(); ++h) {
    const Harmonic& at = point.harmonics[static_cast<std::size_t>(h)];
    kProduct(at.stiffness, motion_.col(h), 0, computed_force_.col(h));
    for (Index i = 0; i < count; ++i) {
      computed_force_(i, h) -= level_ * at.load[i];
      missing_[i] = level_ * at.load[i] + force_(i, h);
    }
    kProduct(at.flexibility, missing_, 0, computed_motion_.col(h));
    kProduct(to_axes_, computed_motion_.col(h), 0, target_.col(h));
    for (Index i = 0; i < count; ++i) {
      const Complex left = of_forces_ ? computed_force_(i, h) - force_(i, h) : motion_(i, h) - computed_motion_(i, h);
      const Index place = 2 * (h * count + i);
      residual_[place] = unit * weight_[i] * left.real();
      residual_[place + 1] = unit * weight_[i] * left.imag();
    }
  }
}

SweepReference BalanceModel::assembled(const BalanceModelSettings& settings, const Partition& partition,
                                       const PartitionSpec& cut, std::size_t points) {
  BalanceModelSettings grid = settings;
  std::vector<double>& hz = grid.frequencies_hz;
  if (!hz.empty()) {
    const auto [lowest, highest] = std::minmax_element(hz.begin(), hz.end());
    const double from = *lowest, step = (*highest - from) / static_cast<double>(points);
    for (std::size_t k = 0; k < points; ++k) hz.push_back(from + step * static_cast<double>(k));
  }
  std::sort(hz.begin(), hz.end());
  hz.erase(std::unique(hz.begin(), hz.end()), hz.end());
  const BalanceModel model(grid, partition, cut.numerical, cut.sensors, cut.force_sensors);
  const CondensedStiffness of_specimen(partition.physical, partition.interface_in_physical);
  SweepReference reference{model.dofs_, model.orders_, model.to_axes_, {}};
  for (const Point& at : model.points_) {
    SweepReference::Point& point = reference.points.emplace_back();
    point.frequency_hz = at.frequency_hz;
    point.motion.resize(model.to_axes_.rows(), model.harmonics());
    point.force = point.motion;
    for (Index h = 0; h < model.harmonics(); ++h) {
      const Harmonic& of = at.harmonics[static_cast<std::size_t>(h)];
      const Complex s(0.0, kTwoPi * at.frequency_hz * model.order(h));
      const MatrixXcd specimen = model.to_axes_.transpose() * of_specimen(s) * model.to_axes_;
      point.motion.col(h) = linalg::ComplexLu(of.stiffness + specimen).solve(of.load);
      point.force.col(h) = of.stiffness * point.motion.col(h) - of.load;
    }
  }
  return reference;
}

}  // namespace hyb
