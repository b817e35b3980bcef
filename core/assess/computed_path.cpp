#include "core/assess/computed_path.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/harmonic/continuation.h"
#include "core/harmonic/moving_side.h"
#include "core/linalg/dense.h"
#include "core/run/build.h"
#include "core/structure/reduction.h"

namespace hyb {
namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

constexpr double kSolved = 1e-8, kDifference = 1e-6, kFineStep = 0.02;
constexpr int kSamples = 256, kSamplesOfHarmonic = 32;  // samples per period, at least

/// Response of the twin's specimen to periodic motion of its interface, in actuator axes.
class PeriodicSpecimen {
 public:
  PeriodicSpecimen(const Project& project, const Partition& partition, std::vector<int> orders)
      : orders_(std::move(orders)),
        laws_(project.twin.laws),
        linear_(scaled(partition.physical, project.twin.specimen), partition.interface_in_physical,
                MatrixXd::Identity(count(partition), count(partition)), MatrixXcd::Zero(partition.physical.size(), 1)) {
    for (std::size_t l = 0; l < laws_.size(); ++l)
      if (!laws_[l].dof.empty() || laws_[l].law->beside() > 0)
        throw InputError("/rig/specimen/laws/" + std::to_string(l),
                         "acts inside the specimen or depends on another axis. The computed path supports laws at the "
                         "interface only; a test is still possible.");
    samples_ = std::max(kSamples, kSamplesOfHarmonic * orders_.back());
    for (MatrixXcd* m : {&stiffness_, &flexibility_}) m->setZero(count(partition), count(partition));
    load_.setZero(count(partition));
  }

  /// Force on the numerical side, [i, h], for motions [i, h] at a frequency.
  MatrixXcd force(double hz, const MatrixXcd& motion) {
    MatrixXcd all(motion.rows(), motion.cols());
    for (Index h = 0; h < motion.cols(); ++h) {
      // Its flexibility is not needed, and a specimen that consists of laws only has none.
      linear_.at(kTwoPi * hz * order(h), 0, stiffness_, flexibility_, load_);
      all.col(h) = -stiffness_ * motion.col(h);
    }
    for (const SpecimenLawSpec& law : laws_) addLaw(*law.law, law.interface - 1, hz, motion, all);
    return all;
  }

 private:
  static Index count(const Partition& partition) { return static_cast<Index>(partition.interface.size()); }
  static SystemMatrices scaled(SystemMatrices side, const SpecimenParams& by) {
    side.m *= by.mass_factor;
    side.c *= by.damping_factor;
    side.k *= by.stiffness_factor;
    return side;
  }
  int order(Index h) const { return orders_[static_cast<std::size_t>(h)]; }

  /// The second of two periods, so that the memory of a law belongs to a periodic motion.
  void addLaw(const SpecimenLaw& law, Index axis, double hz, const MatrixXcd& motion, MatrixXcd& all) const {
    LinkHistory at;
    for (int k = 0; k < 2 * samples_; ++k) {
      const double turn = kTwoPi * k / samples_;
      double x = 0.0, v = 0.0;
      for (Index h = 0; h < motion.cols(); ++h) {
        const std::complex<double> z = motion(axis, h) * std::polar(1.0, order(h) * turn);
        x += z.real();
        v -= kTwoPi * hz * order(h) * z.imag();
      }
      at = law.advanced(at, x);
      if (k < samples_) continue;
      const double f = law.force(at, v);
      for (Index h = 0; h < motion.cols(); ++h) all(axis, h) -= 2.0 / samples_ * f * std::polar(1.0, -order(h) * turn);
    }
  }

  std::vector<int> orders_;
  std::vector<SpecimenLawSpec> laws_;
  MovingSide linear_;
  int samples_ = 0;
  MatrixXcd stiffness_, flexibility_;
  Eigen::VectorXcd load_;
};

/// The director of the test, set to exact points. Throws InputError if the test follows no path.
ContinuationPath exactFollower(const Project& project, const Partition& partition) {
  const ContinuationSettings* const asked = project.coupling->continuation();
  if (asked == nullptr)
    throw InputError("/coupling/scheme", "is \"" + std::string(project.coupling->name()) +
                                             "\", which follows no path; use \"continuation\".");
  ContinuationSettings settings = *asked;
  PathSettings& path = settings.path;
  path.tolerance = kSolved;
  path.steadiness = 0.0;
  path.least_averages = 1;
  path.perturbation = kDifference;
  path.renew_after = 1;
  path.corrections = std::max(path.corrections, 20);
  path.most_step = std::min(path.most_step, kFineStep);
  path.first_step = std::min(path.first_step, path.most_step);
  path.least_step = std::min(path.least_step, 0.01 * path.first_step);
  settings.points = std::max(settings.points, 5000);
  settings.model.channels.clear();
  std::vector<SignalKind> kinds;
  for (const Dof& dof : partition.interface) kinds.push_back(kindOf(dof.motion));
  return ContinuationPath(BalanceModel(settings.model, partition, project.partition.numerical,
                                       project.partition.sensors, project.partition.force_sensors),
                          settings, std::move(kinds));
}

}  // namespace

Table computedPath(const Project& project) {
  const Partition partition = buildPartition(project);
  ContinuationPath follower = exactFollower(project, partition);
  const auto axes = static_cast<Index>(partition.interface.size());
  const BalanceModelSettings& model = project.coupling->continuation()->model;
  PeriodicSpecimen specimen(project, partition, model.harmonics);
  // From axes to the cut: q = P a, f_a = P^T f_q.
  const MatrixXd to_cut = partition.cut_dofs.empty() ? MatrixXd::Identity(axes, axes) : partition.motion_from_axes;
  const MatrixXd force_to_cut = linalg::inverse(to_cut).transpose();

  const std::vector<Channel>& channels = follower.segments().columns;
  std::vector<std::vector<double>> columns(channels.size());
  MatrixXcd motion = MatrixXcd::Zero(axes, follower.model().harmonics());
  double hz = model.frequencies_hz.front();
  for (;;) {
    const MatrixXcd force = specimen.force(hz, motion);
    const HarmonicDirector::Decision& decision = follower.follow(to_cut * motion, force_to_cut * force);
    const bool over = decision.kind == HarmonicDirector::Decision::Kind::finish;
    if (over || decision.kind == HarmonicDirector::Decision::Kind::next_point)
      for (std::size_t c = 0; c < columns.size(); ++c) columns[c].push_back(follower.row()[c]);
    if (over) return tableInMemory(channels, std::move(columns));
    hz = decision.frequency_hz;
    for (Index k = 0; k < motion.size(); ++k)
      motion(k % axes, k / axes) = {decision.command[2 * k], decision.command[2 * k + 1]};
  }
}

std::optional<SweepReference> periodicReference(const Project& project, std::size_t points) {
  const Partition partition = buildPartition(project);
  if (project.coupling->continuation() == nullptr)
    return project.coupling->sweepReference(partition, project.partition, points);
  const Table path = computedPath(project);
  const ContinuationPath follower = exactFollower(project, partition);
  const BalanceModel& model = follower.model();
  SweepReference reference{model.dofs(), {}, model.toAxes(), {}};
  for (Index h = 0; h < model.harmonics(); ++h) reference.orders.push_back(model.order(h));
  const auto value = [&](const std::string& name, std::size_t row) {
    return path.read(placeOf(path, name), row, 1).front();
  };
  const double kind = value("path", 0);
  for (std::size_t row = 0; row < path.rows; ++row) {
    if (value("converged", row) != 1.0 || value("path", row) != kind) continue;
    SweepReference::Point& point = reference.points.emplace_back();
    point.frequency_hz = value("frequency", row);
    const auto phasors = [&](const std::string& signal) {
      MatrixXcd all(static_cast<Index>(reference.dofs.size()), model.harmonics());
      for (Index k = 0; k < all.size(); ++k) {
        const std::string own =
            "_" + std::to_string(k % all.rows() + 1) + "_h" + std::to_string(model.order(k / all.rows()));
        all(k % all.rows(), k / all.rows()) =
            std::polar(value(signal + own, row), value(signal + "_phase" + own, row) * kPi / 180.0);
      }
      return all;
    };
    point.motion = phasors("motion");
    point.force = phasors("force");
  }
  return reference;
}

Json continuationReport(const Project& project) {
  const Table path = computedPath(project);
  const ContinuationFigures figures = continuationFigures(path).value();
  Json report = {{"figures", figuresJson(figures)}, {"points", Json::array()}};
  for (std::size_t r = 0; r < path.rows; ++r) report["points"].push_back(Json::object());
  for (std::size_t c = 0; c < path.channels.size(); ++c) {
    const std::vector<double> column = path.column(c);
    for (std::size_t r = 0; r < path.rows && !path.channels[c].name.ends_with("_tick"); ++r)
      report["points"][r][path.channels[c].name] = std::isfinite(column[r]) ? Json(column[r]) : Json(nullptr);
  }
  report["sentence"] = continuationText(figures);
  return report;
}

}  // namespace hyb
