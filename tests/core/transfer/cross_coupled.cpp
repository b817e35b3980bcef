/// Cross-coupled actuators: motion of both axes in the twin against the transfer functions written out, and perturbed
/// plants.
#include "core/transfer/cross_coupled.h"

#include <cmath>
#include <complex>

#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/transfer/command_response.h"
#include "core/transfer/transfer_system.h"
#include "tests/support/compare.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"
#include "tests/support/three_mass.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Complex = std::complex<double>;
constexpr double kCrossTick_s = 1e-3;

Json crossedActuator(int own) {
  if (own == 1)
    return Json::parse(R"({"model": "cross-coupled",
        "poles": [{"hz": -3, "spread_percent": 6, "draw": 1}, {"hz": -40}, {"hz": -50, "imag_hz": 60, "spread_percent": 5, "draw": 2}],
        "own": {"zeros": [{"hz": -90, "spread_percent": 5, "draw": 3}], "factor": 2.1e6},
        "cross": [{"interface": 2, "zeros": [{"hz": -90, "spread_percent": 5, "draw": 3}], "factor": -3.5e5}]})");
  return Json::parse(R"({"model": "cross-coupled",
      "poles": [{"hz": -6}, {"hz": -20}, {"hz": -50, "imag_hz": 60, "spread_percent": 5, "draw": 2}],
      "own": {"zeros": [{"hz": -9}], "factor": 1.9e7},
      "cross": [{"interface": 1, "factor": 1.0e8}]})");
}

TwinParams crossedTwin(const std::vector<double>& deviates = {}) {
  TwinParams params;
  for (const int own : {1, 2}) {
    Json settings = crossedActuator(own);
    if (!deviates.empty()) settings["deviates"] = deviates;
    params.actuators.push_back(parseCrossCoupled(settings));
  }
  return params;
}
Partition crossedCut() { return cut(threeMass(), threeMassPartition()); }

Complex rootsAt(const Json& roots, Complex s) {
  Complex value = 1.0;
  for (const Json& root : roots) {
    const Complex r(kTwoPi * root.at("hz").get<double>(), kTwoPi * root.value("imag_hz", 0.0));
    value *= s - r;
    if (r.imag() != 0.0) value *= s - std::conj(r);
  }
  return value;
}
/// Motion of `axis` per command of `actuator`, both from 1, as written.
Complex writtenAt(int axis, int actuator, Complex s) {
  const Json settings = crossedActuator(actuator);
  const Json path = axis == actuator ? settings.at("own") : settings.at("cross").at(0);
  return path.at("factor").get<double>() * rootsAt(path.value("zeros", Json::array()), s) /
         rootsAt(settings.at("poles"), s);
}
Eigen::Matrix2cd responseAt(double hz, const std::vector<double>& deviates = {}) {
  return commandResponse(crossedCut(), crossedTwin(deviates), {0.0, kTwoPi * hz});
}

}  // namespace

class CrossCoupledTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theResponseIsThatOfItsRoots() {
    for (const double hz : {0.01, 1.0, 7.0, 60.0})
      for (int axis = 1; axis <= 2; ++axis)
        for (int actuator = 1; actuator <= 2; ++actuator) {
          const Complex expected = writtenAt(axis, actuator, {0.0, kTwoPi * hz});
          QVERIFY(std::abs(responseAt(hz)(axis - 1, actuator - 1) - expected) < 1e-9 * std::abs(expected));
        }
  }

  /// Each command alone, a sine held over the ticks, until it is steady: amplitude and phase of both axes.
  void theTwinMovesBothAxes_data() {
    QTest::addColumn<int>("actuator");
    QTest::addColumn<double>("hz");
    for (const int actuator : {1, 2})
      for (const double hz : {2.0, 10.0}) QTest::addRow("command %d, %g Hz", actuator, hz) << actuator << hz;
  }
  void theTwinMovesBothAxes() {
    QFETCH(int, actuator);
    QFETCH(double, hz);
    TransferSystem twin(crossedCut(), crossedTwin(), kCrossTick_s);
    Command command{Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2)};
    const int period = static_cast<int>(std::lround(1.0 / (hz * kCrossTick_s))), ticks = 1000 + 2 * period;
    Eigen::Vector2cd sums = Eigen::Vector2cd::Zero();
    for (int k = 0; k < ticks; ++k) {
      const double phase = kTwoPi * hz * k * kCrossTick_s;
      if (k >= ticks - period) sums += twin.displacement() * std::polar(2.0 / period, -phase);
      command.position[actuator - 1] = std::cos(phase);
      QVERIFY(twin.advance(command));
    }
    const Complex s(0.0, kTwoPi * hz), hold = (1.0 - std::exp(-s * kCrossTick_s)) / (s * kCrossTick_s);
    for (int axis = 1; axis <= 2; ++axis) {
      const Complex expected = hold * writtenAt(axis, actuator, s);
      QVERIFY2(
          std::abs(sums[axis - 1] - expected) < 2e-3 * std::abs(expected),
          qPrintable(QString("axis %1: %2 of %3").arg(axis).arg(std::abs(sums[axis - 1])).arg(std::abs(expected))));
    }
  }

  /// A spread of 6 % and a deviate of 1.5: that pole times 1.09; the gain at 0.01 Hz stays.
  void deviatesMoveTheirRoots() {
    const std::vector<double> deviates{1.5, 0.0, 0.0};
    const Complex s(0.0, kTwoPi * 2.0), w = kTwoPi;
    const Complex factor = (s + 3.0 * w) / (s + 3.27 * w) * 1.09;
    const Eigen::Matrix2cd moved = responseAt(2.0, deviates), nominal = responseAt(2.0);
    for (int axis = 0; axis < 2; ++axis) {
      QVERIFY(std::abs(moved(axis, 0) / nominal(axis, 0) - factor) < 1e-5);
      QVERIFY(std::abs(moved(axis, 1) - nominal(axis, 1)) < 1e-12 * std::abs(nominal(axis, 1)));
    }
    const Eigen::Matrix2cd slow = responseAt(0.01, deviates), slow_nominal = responseAt(0.01);
    for (int axis = 0; axis < 2; ++axis)
      compareRelative(std::abs(slow(axis, 0)), std::abs(slow_nominal(axis, 0)), 1e-9, "kept gain");
    QVERIFY(moved(1, 0).real() * nominal(1, 0).real() > 0.0);  // a negative factor stays negative
  }

  /// Roots with one number move together, those of both actuators too.
  void rootsWithOneDrawMoveTogether() {
    const Eigen::Matrix2cd nominal = responseAt(80.0), moved = responseAt(80.0, {0.0, 2.0, 0.0});
    const Complex first = moved(0, 0) / nominal(0, 0);
    QVERIFY(std::abs(first - 1.0) > 0.02);
    QVERIFY(std::abs(moved(1, 0) / nominal(1, 0) - first) < 1e-9);
    QVERIFY(std::abs(moved(0, 1) / nominal(0, 1) - moved(1, 1) / nominal(1, 1)) < 1e-9);
    QVERIFY(std::abs(moved(0, 1) / nominal(0, 1) - first) < 1e-3);  // but for the gain at 0.01 Hz
  }

  void seedsOfPerturbedPlants() {
    QVERIFY(plantDeviates(0).empty());
    const std::vector<double> seven = plantDeviates(7), eight = plantDeviates(8);
    QVERIFY(seven == plantDeviates(7) && seven != eight);
    double sum = 0.0, squares = 0.0, count = 0.0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed)
      for (const double value : plantDeviates(seed)) sum += value, squares += value * value, count += 1.0;
    QVERIFY(std::abs(sum / count) < 3.0 / std::sqrt(count));
    QVERIFY(std::abs(squares / count - 1.0) < 3.0 * std::sqrt(2.0 / count));
  }

  void faultsNameTheirPlace() {
    const auto placeOf = [](const char* pointer, const Json& value) {
      Json settings = crossedActuator(1);
      settings[Json::json_pointer(pointer)] = value;
      Checks checks;
      checkActuator(checks, parseCrossCoupled(settings), kCrossTick_s);
      const std::vector<Issue> issues = issuesOf([&] { checks.throwIfAny(); });
      return issues.empty() ? std::string() : issues.front().where;
    };
    QCOMPARE(placeOf("/own/factor", 1.0), std::string());
    QCOMPARE(placeOf("/poles/1/hz", 0.0), std::string("/poles/1/hz"));
    QCOMPARE(placeOf("/poles/1/hz", -1.1e5), std::string("/poles/1/hz"));
    QCOMPARE(placeOf("/own/zeros/0/hz", 0.0), std::string("/own/zeros/0/hz"));
    QCOMPARE(placeOf("/own/zeros", Json::array({{{"hz", -1}}, {{"hz", -2}}, {{"hz", -3}}})), std::string("/own/zeros"));
    QCOMPARE(placeOf("/own/factor", 0.0), std::string("/own/factor"));
    QCOMPARE(placeOf("/cross/0/factor", 0.0), std::string("/cross/0/factor"));
  }
};

HYB_SUITE(cross_coupled, CrossCoupledTest)
#include "cross_coupled.moc"
