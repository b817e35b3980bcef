#include "core/compensation/recursive_fir.h"

#include <Eigen/LU>
#include <cmath>
#include <random>

#include "core/base/json.h"
#include "core/compensation/low_pass.h"
#include "tests/support/compare.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kRecursiveTick_s = 1.0 / 1024.0;

RecursiveFirParams twoTaps() {
  RecursiveFirParams params;
  params.start = {1.0, 0.0};
  params.covariance = {{1e9, 1e9}};
  return params;
}

std::vector<Issue> recursiveIssues(const Json& settings) {
  Checks checks;
  parseRecursiveFir(settings, {{}, kRecursiveTick_s}, checks);
  return issuesOf([&] { checks.throwIfAny(); });
}

/// An actuator x_k = a u_(k-1) + b u_(k-2): its inverse is not a short filter, but for slow motion nearly so.
struct Follower {
  double a = 0.6, b = 0.3, last = 0.0, before = 0.0;
  double moveAfter(double command) {
    before = last;
    last = command;
    return a * last + b * before;
  }
};

}  // namespace

class RecursiveFirTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// The recursion gives the regularised least squares over all data, the first taps being the prior with weight P^-1.
  void itIsRegularisedLeastSquares() {
    std::mt19937 random(5);
    std::normal_distribution<double> white;
    Coefficients start(3);
    start << 1.0, -0.5, 0.2;
    RecursiveTaps::Covariance p(3, 3);
    p << 4.0, 1.0, 0.0, 1.0, 3.0, 0.5, 0.0, 0.5, 2.0;
    RecursiveTaps fit(start, p);
    Eigen::Matrix3d normal = Eigen::Matrix3d(p).inverse();
    Eigen::Vector3d right = normal * Eigen::Vector3d(start);
    for (int k = 0; k < 200; ++k) {
      Coefficients m(3);
      for (double& value : m) value = white(random);
      const double sent = 0.7 * m[0] + 0.1 * m[1] - 0.4 * m[2] + 0.2 * white(random);
      fit.learn(m, sent, 1.0);
      normal += Eigen::Vector3d(m) * Eigen::Vector3d(m).transpose();
      right += sent * Eigen::Vector3d(m);
    }
    const Eigen::Vector3d expected = normal.inverse() * right;
    for (Eigen::Index n = 0; n < 3; ++n) compareRelative(fit.taps()[n], expected[n], 1e-9, "tap");
    QVERIFY((Eigen::Matrix3d(fit.covariance()) - normal.inverse()).norm() < 1e-9 * normal.inverse().norm());
  }

  /// The command of the new taps, which depend on it.
  void theCommandSolvesItsEquation() {
    Coefficients start(2), motion(2), targets(2);
    start << 2.0, -1.0;
    motion << 0.8, 0.5;
    targets << 1.5, 1.1;
    RecursiveTaps::Covariance p = RecursiveTaps::Covariance::Identity(2, 2) * 50.0;
    RecursiveTaps fit(start, p), again(start, p);
    const double free = 0.3, direct = 0.02;
    const double command = fit.learnAndApply(motion, targets, free, direct, 0.99);
    again.learn(motion, free + direct * command, 0.99);
    for (Eigen::Index n = 0; n < 2; ++n) compareRelative(fit.taps()[n], again.taps()[n], 1e-12, "tap");
    compareRelative(command, again.taps().dot(targets), 1e-12, "command");
  }

  void itLearnsToFollow() {
    const std::unique_ptr<Compensator> compensator = makeRecursiveFir(twoTaps(), kRecursiveTick_s, {1});
    compensator->reset();
    InterfaceState state{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    Command command{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    Follower actuator;
    double worst = 0.0, uncompensated = 0.0;
    for (int k = 0; k < 20480; ++k) {
      const double w = 2.0 * M_PI * 3.0 * kRecursiveTick_s;
      state.target[0] = 1e-3 * std::sin(w * k) + 5e-4 * std::sin(2.3 * w * k);
      compensator->update(state, command);
      if (k > 10240) {
        worst = std::max(worst, std::abs(state.measured[0] - state.target[0]));
        uncompensated = std::max(uncompensated, std::abs(state.target[0]));
      }
      state.measured[0] = actuator.moveAfter(command.position[0]);
    }
    QVERIFY2(worst < 0.01 * uncompensated, qPrintable(QString::number(worst / uncompensated)));
  }

  void notANumberTeachesNothing() {
    const std::unique_ptr<Compensator> compensator = makeRecursiveFir(twoTaps(), kRecursiveTick_s, {1});
    compensator->reset();
    InterfaceState state{Eigen::VectorXd::Constant(1, 1e-3), Eigen::VectorXd::Zero(1),
                         Eigen::VectorXd::Constant(1, NAN)};
    Command command{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    compensator->update(state, command);
    QCOMPARE(command.position[0], 1e-3);
    double taps[2];
    compensator->readAdapted(taps);
    QCOMPARE(taps[0], 1.0);
    QCOMPARE(taps[1], 0.0);
  }

  void faultsNameTheirPlace() {
    const Json good = {{"first_taps", {1, 0}}, {"covariance", {{1e9, 1e9}}}};
    QVERIFY(recursiveIssues(good).empty());
    const auto placeOf = [&](const Json& patch) {
      Json settings = good;
      settings.merge_patch(patch);
      const std::vector<Issue> issues = recursiveIssues(settings);
      return issues.empty() ? std::string() : issues.front().where;
    };
    QCOMPARE(placeOf({{"first_taps", {1, -1}}}), std::string("/first_taps"));
    QCOMPARE(placeOf({{"covariance", {{1, 1, 1}}}}), std::string("/covariance"));
    QCOMPARE(placeOf({{"covariance", {{1, 2}, {3, 1}}}}), std::string("/covariance/1/0"));
    QCOMPARE(placeOf({{"covariance", {{1, -1}}}}), std::string("/covariance/0/1"));
    QCOMPARE(placeOf({{"forgetting", 0.5}}), std::string("/forgetting"));
    QCOMPARE(placeOf({{"cutoff_hz", 900}}), std::string("/cutoff_hz"));
    QCOMPARE(placeOf({{"dead_band_m", -1}}), std::string("/dead_band_m"));
  }

  /// P in 1/mm^2 is a million times as large in 1/m^2.
  void unitOfTheMatrix() {
    const auto firstTap = [](const Json& settings) {
      Checks checks;
      const std::unique_ptr<Compensator> made = parseRecursiveFir(settings, {{}, kRecursiveTick_s}, checks)->make();
      InterfaceState state{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
      Command command{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
      for (int k = 0; k < 100; ++k) {
        state.target[0] = 1e-3 * std::sin(0.02 * k);
        made->update(state, command);
        state.measured[0] = 0.5 * command.position[0];
      }
      double taps[2];
      made->readAdapted(taps);
      return taps[0];
    };
    const double in_mm = firstTap({{"first_taps", {1, 0}}, {"covariance", {{3, 3}}}, {"covariance_unit", "1/mm2"}}),
                 in_m = firstTap({{"first_taps", {1, 0}}, {"covariance", {{3e6, 3e6}}}, {"covariance_unit", "1/m2"}}),
                 other = firstTap({{"first_taps", {1, 0}}, {"covariance", {{3, 3}}}, {"covariance_unit", "1/m2"}});
    QCOMPARE(in_mm, in_m);
    QVERIFY(in_mm != other);
  }
};

HYB_SUITE(recursive_fir, RecursiveFirTest)
#include "recursive_fir.moc"
