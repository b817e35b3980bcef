#include "core/compensation/decoupling_inverse.h"

#include <Eigen/LU>
#include <cmath>
#include <complex>

#include "core/base/json.h"
#include "core/base/numbers.h"
#include "tests/support/compare.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kDecouplingTick_s = 1.0 / 1024.0;

/// With this static gain.
PlantPath pathOf(double gain, const std::vector<PlantRoot>& zeros, const std::vector<PlantRoot>& poles) {
  return {zeros, gain / numeratorOf({zeros, 1.0}, poles).front()};
}
/// Two actuators that move each other's axis. `faster`: factor of the slowest pole of the first one.
std::vector<PlantColumn> crossedPlant(double faster = 1.0) {
  const std::vector<PlantRoot> first{{-3.0 * faster}, {-40.0}, {-50.0, 60.0}}, second{{-6.0}, {-20.0}, {-70.0}};
  return {{first, pathOf(0.9, {}, first), {{1, pathOf(0.15, {}, first)}}},
          {second, pathOf(1.1, {{-9.0}}, second), {{0, pathOf(-0.2, {}, second)}}}};
}
Json rootsJson(const std::vector<PlantRoot>& roots) {
  Json list = Json::array();
  for (const PlantRoot& root : roots) list.push_back({{"hz", root.hz}, {"imag_hz", root.imag_hz}});
  return list;
}
Json plantJson(const std::vector<PlantColumn>& plant) {
  Json list = Json::array();
  for (const PlantColumn& column : plant) {
    Json one = {{"poles", rootsJson(column.poles)},
                {"own", {{"zeros", rootsJson(column.own.zeros)}, {"factor", column.own.factor}}},
                {"cross", Json::array()}};
    for (const PlantColumn::Cross& cross : column.cross)
      one["cross"].push_back(
          {{"interface", cross.axis + 1}, {"zeros", rootsJson(cross.path.zeros)}, {"factor", cross.path.factor}});
    list.push_back(one);
  }
  return list;
}

CompensationMethodPtr decoupling(const std::vector<PlantColumn>& plant, int taps) {
  Checks checks;
  const CompensationMethodPtr method = parseDecouplingInverse({{"plant", plantJson(plant)}, {"correction_taps", taps}},
                                                              {{plant.size()}, kDecouplingTick_s}, checks);
  checks.throwIfAny();
  return method;
}

struct CrossedSine {
  int axis;
  double hz, size_m;
};
/// Whole periods in 10 s.
constexpr CrossedSine kCrossedSines[] = {{0, 2.0, 1e-3}, {0, 8.1, 2e-4}, {1, 2.6, -2e-3}, {1, 6.0, 1e-4}};
Eigen::Vector2d crossedTargets(int k) {
  Eigen::Vector2d targets = Eigen::Vector2d::Zero();
  for (const CrossedSine& sine : kCrossedSines)
    targets[sine.axis] +=
        (1.0 - std::exp(-k / 500.0)) * sine.size_m * std::sin(kTwoPi * sine.hz * k * kDecouplingTick_s);
  return targets;
}

/// RMS error over RMS target of each axis in the second half of 20 s on a plant.
Eigen::Vector2d trackingError(const CompensationMethod& method, const std::vector<PlantColumn>& rig) {
  const SampledPlant plant = sampled(rig, kDecouplingTick_s);
  const std::unique_ptr<Compensator> running = method.make();
  running->reset();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(plant.a.rows());
  InterfaceState state{Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2)};
  Command command{Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2)};
  Eigen::Vector2d errors = Eigen::Vector2d::Zero(), sizes = errors;
  constexpr int ticks = 20480;
  for (int k = 0; k < ticks; ++k) {
    state.target = crossedTargets(k);
    state.measured = plant.c * x;
    if (k > ticks / 2) {
      errors += (state.measured - state.target).cwiseAbs2();
      sizes += state.target.cwiseAbs2();
    }
    running->update(state, command);
    x = (plant.a * x + plant.b * command.position).eval();
  }
  return errors.cwiseQuotient(sizes).cwiseSqrt();
}

Eigen::Matrix2cd plantAt(const std::vector<PlantColumn>& plant, double hz) {
  const SampledPlant held = sampled(plant, kDecouplingTick_s);
  const std::complex<double> z = std::polar(1.0, kTwoPi * hz * kDecouplingTick_s);
  Eigen::MatrixXcd left = -held.a.cast<std::complex<double>>();
  left.diagonal().array() += z;
  return held.c * left.partialPivLu().solve(held.b.cast<std::complex<double>>());
}

/// Motion of the plant behind the inverse, without the targets.
Eigen::Matrix2cd leftAt(const CompensationMethod& method, const std::vector<PlantColumn>& plant, double hz) {
  const Eigen::Matrix2cd whole = plantAt(plant, hz) * method.system()->at({0.0, kTwoPi * hz}, kDecouplingTick_s);
  return whole - Eigen::Matrix2cd::Identity();
}

}  // namespace

class DecouplingInverseTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Sampled with held commands: the transfer function at low frequencies, with the half tick of the hold.
  void theSampledPlantIsThatOfItsRoots() {
    const std::vector<PlantColumn> plant = crossedPlant();
    for (const double hz : {0.5, 5.0, 20.0}) {
      const std::complex<double> s(0.0, kTwoPi * hz);
      const Eigen::Matrix2cd found = plantAt(plant, hz);
      for (int j = 0; j < 2; ++j) {
        const PlantColumn& column = plant[static_cast<std::size_t>(j)];
        const auto of = [&](const PlantPath& path) {
          std::complex<double> value = path.factor;
          const auto times = [&](const PlantRoot& root, bool pole) {
            const std::complex<double> r(kTwoPi * root.hz, kTwoPi * root.imag_hz);
            std::complex<double> factor = s - r;
            if (root.imag_hz != 0.0) factor *= s - std::conj(r);
            value = pole ? value / factor : value * factor;
          };
          for (const PlantRoot& zero : path.zeros) times(zero, false);
          for (const PlantRoot& pole : column.poles) times(pole, true);
          return value;
        };
        const std::complex<double> half = std::exp(-0.5 * s * kDecouplingTick_s);
        const std::complex<double> own = of(column.own) * half, cross = of(column.cross[0].path) * half;
        QVERIFY(std::abs(found(j, j) - own) < 2e-3 * std::abs(own));
        QVERIFY(std::abs(found(1 - j, j) - cross) < 2e-3 * std::abs(cross));
      }
    }
  }

  /// Plant behind inverse: each axis follows its own target, and leaves the other alone. Targets of degree 2 are
  /// followed exactly, so that the error is of third order.
  void itDecouples() {
    const std::vector<PlantColumn> plant = crossedPlant();
    const CompensationMethodPtr method = decoupling(plant, 0);
    const auto left = [&](double hz) { return leftAt(*method, plant, hz).norm(); };
    QVERIFY2(left(2.0) < 1e-3, qPrintable(QString::number(left(2.0))));
    for (const double hz : {1.0, 2.0}) compareRelative(left(2.0 * hz) / left(hz), 8.0, 0.02, "order of the error");
    QVERIFY(!method->adapts());
  }

  /// No constant gains of command changes do better: a small change of the running commands raises the cost.
  void itMinimisesItsCost() {
    const std::vector<PlantColumn> plant = crossedPlant();
    const CompensationMethodPtr method = decoupling(plant, 0);
    const SampledPlant held = sampled(plant, kDecouplingTick_s);
    const double weight = std::pow(1e-5 / kDecouplingTick_s, 2);
    // Targets that are polynomials of degree 2 forever are known to the method once its filter has settled.
    const auto costWith = [&](double nudge, int axis) {
      const std::unique_ptr<Compensator> running = method->make();
      running->reset();
      Eigen::VectorXd x = Eigen::VectorXd::Zero(held.a.rows());
      InterfaceState state{Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2)};
      Command command{Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2)};
      Eigen::VectorXd last = Eigen::VectorXd::Zero(2), sent = last;
      double cost = 0.0;
      for (int k = 0; k < 1200; ++k) {
        const double t = k * kDecouplingTick_s;
        state.target = Eigen::Vector2d(1e-2 * t + 2e-2 * t * t, -3e-2 * t * t);
        if (k > 600) cost += (held.c * x - state.target).squaredNorm();
        running->update(state, command);
        sent = command.position;
        if (k > 600) sent[axis] += nudge * std::sin(0.01 * (k - 600));
        if (k > 600) cost += weight * (sent - last).squaredNorm();
        last = sent;
        x = (held.a * x + held.b * sent).eval();
      }
      return cost;
    };
    for (const int axis : {0, 1}) {
      const double still = costWith(0.0, axis);
      const double up = costWith(1e-6, axis), down = costWith(-1e-6, axis);
      QVERIFY(up > still && down > still);
      QVERIFY(std::abs(up - down) < 0.05 * (up + down - 2.0 * still));  // the slope is 0
    }
  }

  /// The error of sines is that of the response of plant and inverse.
  void itTracksAsItsSystemTells() {
    const std::vector<PlantColumn> plant = crossedPlant();
    const CompensationMethodPtr method = decoupling(plant, 0);
    const Eigen::Vector2d error = trackingError(*method, plant);
    Eigen::Vector2d errors = Eigen::Vector2d::Zero(), sizes = errors;
    for (const CrossedSine& sine : kCrossedSines) {
      const Eigen::Matrix2cd left = leftAt(*method, plant, sine.hz);
      errors += std::pow(sine.size_m, 2) * left.col(sine.axis).cwiseAbs2();
      sizes[sine.axis] += std::pow(sine.size_m, 2);
    }
    const Eigen::Vector2d expected = errors.cwiseQuotient(sizes).cwiseSqrt();
    for (int i = 0; i < 2; ++i) compareRelative(error[i], expected[i], 0.03, "tracking error");
  }

  /// A rig whose first actuator is 10 % faster than identified.
  void theCorrectionLearnsAnotherRig() {
    const std::vector<PlantColumn> rig = crossedPlant(1.1);
    const Eigen::Vector2d without = trackingError(*decoupling(crossedPlant(), 0), rig),
                          with = trackingError(*decoupling(crossedPlant(), 3), rig);
    QVERIFY2(without[0] > 0.02, qPrintable(QString::number(without[0])));
    QVERIFY2(with[0] < 0.5 * without[0] && with[1] < without[1],
             qPrintable(QString("%1, %2 after %3, %4").arg(with[0]).arg(with[1]).arg(without[0]).arg(without[1])));
  }

  /// From the first tick, as after a hold: the command that keeps the rig at constant targets.
  void itBeginsAtRest() {
    const std::vector<PlantColumn> plant = crossedPlant();
    const std::unique_ptr<Compensator> running = decoupling(plant, 3)->make();
    running->reset();
    const Eigen::Vector2d target(1e-3, -2e-3);
    const Eigen::Vector2d held = plantAt(plant, 0.0).real().inverse() * target;
    InterfaceState state{target, Eigen::VectorXd::Zero(2), target};
    Command command{Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2)};
    for (int k = 0; k < 100; ++k) {
      running->update(state, command);
      QVERIFY((command.position - held).norm() < 1e-9 * held.norm());
      QVERIFY(command.rate.norm() < 1e-12);
    }
  }

  void faultsNameTheirPlace() {
    const Json good = {{"plant", plantJson(crossedPlant())}};
    const auto placeOf = [&](const char* pointer, const Json& value, std::size_t axes = 2) {
      Json settings = good;
      settings[Json::json_pointer(pointer)] = value;
      Checks checks;
      parseDecouplingInverse(settings, {{axes}, kDecouplingTick_s}, checks);
      const std::vector<Issue> issues = issuesOf([&] { checks.throwIfAny(); });
      return issues.empty() ? std::string() : issues.front().where;
    };
    QCOMPARE(placeOf("/cutoff_hz", 20), std::string());
    QCOMPARE(placeOf("/cutoff_hz", 20, 3), std::string("/plant"));
    QCOMPARE(placeOf("/plant/0/poles/1/hz", 0.0), std::string("/plant/0/poles/1/hz"));
    QCOMPARE(placeOf("/plant/0/poles/1/hz", -1.1e5), std::string("/plant/0/poles/1/hz"));
    QCOMPARE(placeOf("/plant/1/own/zeros/0/hz", 0.0), std::string("/plant/1/own/zeros/0/hz"));
    QCOMPARE(placeOf("/plant/1/own/factor", 0.0), std::string("/plant/1/own/factor"));
    QCOMPARE(placeOf("/plant/1/cross/0/interface", 2), std::string("/plant/1/cross/0/interface"));
    QCOMPARE(placeOf("/plant/1/cross/0/interface", 3), std::string("/plant/1/cross/0/interface"));
    QCOMPARE(placeOf("/rate_weight_s", 0.0), std::string("/rate_weight_s"));
    QCOMPARE(placeOf("/prediction_cutoff_hz", 600.0), std::string("/prediction_cutoff_hz"));
    QCOMPARE(placeOf("/cutoff_hz", 900.0), std::string("/cutoff_hz"));
    // Both commands move both axes in the same proportion.
    Json settings = good;
    settings["plant"][1] = settings["plant"][0];
    settings["plant"][1]["own"]["factor"] = good["plant"][0]["cross"][0]["factor"];
    settings["plant"][1]["cross"][0] = {{"interface", 1}, {"factor", good["plant"][0]["own"]["factor"]}};
    Checks checks;
    parseDecouplingInverse(settings, {{2}, kDecouplingTick_s}, checks);
    QCOMPARE(issuesOf([&] { checks.throwIfAny(); }).front().where, std::string("/plant"));
  }
};

HYB_SUITE(decoupling_inverse, DecouplingInverseTest)
#include "decoupling_inverse.moc"
