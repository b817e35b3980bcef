// Which spring? Peaks against closed forms and the uncut structure, force bandwidths against the polynomials of the
// plant, ranges against limits.
#include "core/assess/spring_trade.h"

#include <complex>
#include <random>

#include "core/assess/stability_report.h"
#include "core/coupling/uncut_structure.h"
#include "core/run/build.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Response = std::complex<double>;

/// The template, shorter, with what is changed.
Json springDocument(std::initializer_list<std::pair<const char*, Json>> changes = {}) {
  Json document = templateDocument("force-shear-building");
  document["loop"]["duration_s"] = 6;
  for (const auto& [pointer, value] : changes) document[Json::json_pointer(pointer)] = value;
  return document;
}

Json withSpring(double stiffness_n_per_m) {
  Json document = springDocument();
  takeSpring(document, 1, 0, stiffness_n_per_m);
  return document;
}

/// Force over target of the template, from its transfer functions as the thesis has them, written out.
Response forceOverTarget(double k, double frequency_hz, bool compensated) {
  constexpr double tick_s = 1.0 / 4096.0;
  const Response s(0.0, 2.0 * 3.14159265358979323846 * frequency_hz);
  const Response specimen = 98.3 * s * s + 3004.7556 * s + 10.836e6;
  const Response valve = s * s + 425.0 * s + 1e5, column = valve * (s + 3.3);
  const Response difference = (1.0 - std::exp(-s * tick_s)) / tick_s;
  Response inverse = 1.0;
  if (compensated)
    inverse = (4561059.49118 + 100683.5819897 * difference + 422.185912504 * difference * difference +
               difference * difference * difference) /
              4497368.10731;
  // The piston of 1 kg: (s^2 L + a1b0 + a2 s S) x_p = a1b0 u - L f; u late by half a tick; f = specimen x_e, and
  // x_p = x_e + f / k; u = inverse (x_e + target / k).
  const Response drive = 2.13e13 * inverse * std::exp(-0.5 * s * tick_s);
  const Response own = column * s * s + 2.13e13 + 4.23e6 * s * valve;
  const Response motion = (drive / k) / ((1.0 + specimen / k) * own + column * specimen - drive);
  return specimen * motion;
}

}  // namespace

class SpringTradeTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// x = X cos wt, F = A cos wt + B sin wt: the piston's x - F/k is a harmonic of |X - A/k - i B/k|.
  void peaksOfAHarmonicAreThoseOfItsClosedForm() {
    constexpr double step_s = 1e-5, omega = 2.0 * 3.14159265358979323846 * 3.0, x = 2e-4, a = -900.0, b = 300.0;
    PistonPath path("m", step_s);
    for (int n = 0; n < 100000; ++n) {  // three periods
      const double angle = omega * step_s * n;
      path.take(x * std::cos(angle), a * std::cos(angle) + b * std::sin(angle));
    }
    for (const double k : {1e4, 5.4e5, 1e7, 1e12}) {
      const double amplitude = std::hypot(x - a / k, b / k);
      const PistonDemand demand = path.behind(k);
      compareRelative(demand.stroke_m, amplitude, 1e-8, "stroke, m");
      compareRelative(path.rms_m(k), amplitude / std::sqrt(2.0), 1e-4, "rms, m");
      // The first step, from rest, is a jump of the whole start; the fastest of a harmonic is w times its amplitude.
      compareRelative(demand.velocity_m_per_s, std::abs(x - a / k) / step_s, 1e-9, "velocity of the jump, m/s");
      compareRelative(demand.force_n, std::hypot(a, b), 1e-8, "force, N");
    }
    PistonPath smooth("m", step_s);
    for (int n = 0; n < 100000; ++n) smooth.take(x * std::sin(omega * step_s * n), a * std::sin(omega * step_s * n));
    for (const double k : {1e4, 1e6})
      compareRelative(smooth.behind(k).velocity_m_per_s, omega * (x - a / k), 1e-6, "velocity, m/s");
  }

  /// What is thrown away between the ticks of a long test is never a peak, whatever the spring.
  void noPeakOfALongTestIsLost() {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    std::vector<std::pair<double, double>> all;
    ExtremesBySpring extremes;
    for (int n = 0; n < 50000; ++n) {
      all.emplace_back(1e-3 * normal(random), 1e3 * normal(random));
      extremes.take(all.back().first, all.back().second);
    }
    for (double k = 1e3; k < 1e9; k *= 3.0) {
      double largest = 0.0;
      for (const auto& [a, b] : all) largest = std::max(largest, std::abs(a - b / k));
      QCOMPARE(extremes.largest(k), largest);
    }
    ExtremesBySpring line;  // no hull
    for (int n = 0; n < 10000; ++n) line.take(1e-3 * (n % 7), 10.0 * (n % 7));
    compareRelative(line.largest(1e5), 6.0 * std::abs(1e-3 - 1e-4), 1e-12, "largest on a line");
  }

  /// Of every spring: the largest x - F/k of the uncut structure, and what `stability` says of a project with it.
  void peaksAreThoseOfTheUncutStructure() {
    const Project project = parseProject(springDocument());
    const Partition partition = buildPartition(project);
    const std::vector<PistonPath> paths = pistonPaths(project, partition);
    const double step_s = 1.0 / project.loop.rate_hz;
    for (const double k : {6.77e4, 541800.0, 4.33e6}) {
      const Excitation excitation = buildExcitation(project, partition);
      ExcitationValue now = excitation.zero();
      UncutStructure uncut(project.integrator, partition, step_s);
      Eigen::VectorXd force(1);
      double stroke_m = 0.0, fastest = 0.0, last_m = 0.0;
      for (int n = 1; n <= 6 * 4096; ++n) {
        const SignalValue fade = excitationFade(project.loop, n * step_s, n * step_s);
        excitation.at(n * step_s, fade.value, fade.rate, now);
        uncut.step(now);
        uncut.physicalForce(force);
        const double piston_m = uncut.interface(0) - force[0] / k;
        stroke_m = std::max(stroke_m, std::abs(piston_m));
        fastest = std::max(fastest, std::abs(piston_m - last_m) / step_s);
        last_m = piston_m;
      }
      const PistonDemand demand = paths[0].behind(k);
      QCOMPARE(demand.stroke_m, stroke_m);
      compareRelative(demand.velocity_m_per_s, fastest, 1e-9, "velocity, m/s");
      const Json report = stabilityReport(parseProject(withSpring(k)));
      compareRelative(report.at("pistons").at(0).at("stroke_m").get<double>(), stroke_m, 1e-12, "stroke told, m");
      compareRelative(report.at("pistons").at(0).at("velocity_m_per_s").get<double>(), fastest, 1e-9, "velocity told");
    }
  }

  void bandwidthIsWhereTheForceLeavesItsTargetBy3Decibels() {
    const SpringTrade trade = springTrade(parseProject(springDocument()), 0);
    QCOMPARE(trade.points.size(), std::size_t{41});
    QVERIFY(trade.compensated);
    QCOMPARE(trade.points[20].stiffness_n_per_m, 541800.0);
    compareRelative(trade.points.front().stiffness_n_per_m, 541800.0 / 8.0, 5e-3, "softest");
    compareRelative(trade.points.back().stiffness_n_per_m, 541800.0 * 8.0, 5e-3, "stiffest");
    const auto leaves = [](double k, bool compensated) {
      const double at_rest = std::abs(forceOverTarget(k, 0.0, compensated)), three_db = std::pow(10.0, 0.15);
      for (double hz = 0.5;; hz += 0.01) {
        const double share = std::abs(forceOverTarget(k, hz, compensated)) / at_rest;
        if (share > three_db || share < 1.0 / three_db) return hz;
      }
    };
    for (const std::size_t n : {0U, 13U, 20U, 30U, 40U}) {
      const SpringPoint& point = trade.points[n];
      compare(point.bandwidth_hz, leaves(point.stiffness_n_per_m, true), 0.02, "force bandwidth, Hz");
      compare(point.plain_bandwidth_hz, leaves(point.stiffness_n_per_m, false), 0.02, "uncompensated, Hz");
    }
  }

  /// A stiffer spring takes less stroke and velocity and gives less bandwidth, all along.
  void theTradeIsOne() {
    const SpringTrade trade = springTrade(parseProject(springDocument()), 0);
    for (std::size_t n = 1; n < trade.points.size(); ++n) {
      const SpringPoint &soft = trade.points[n - 1], &stiff = trade.points[n];
      QVERIFY(stiff.stroke_m < soft.stroke_m && stiff.velocity_m_per_s < soft.velocity_m_per_s);
      QVERIFY(stiff.plain_bandwidth_hz < soft.plain_bandwidth_hz);
      QVERIFY(stiff.signal_to_noise_db < soft.signal_to_noise_db);
    }
    const SpringPoint here = trade.at(trade.points[7].stiffness_n_per_m), between = trade.at(1e6);
    QCOMPARE(here.stroke_m, trade.points[7].stroke_m);
    compareRelative(here.bandwidth_hz, trade.points[7].bandwidth_hz, 1e-12, "at a point, Hz");
    QCOMPARE(between.stroke_m, trade.path.behind(1e6).stroke_m);
    compareRelative(trade.specimen_n_per_m, 10.836e6, 1e-9, "specimen, N/m");
  }

  void stabilityIsThatOfTheProjectWithTheSpring() {
    for (const char* method : {"inverse-model", "none"}) {
      if (!test::kThorough && std::string(method) == "none") continue;
      Json document = springDocument();
      if (std::string(method) == "none") document["compensation"] = {{"method", "none"}};
      const SpringTrade trade = springTrade(parseProject(document), 0);
      for (const std::size_t n : {0U, 20U, 40U}) {
        Json changed = document;
        takeSpring(changed, 1, 0, trade.points[n].stiffness_n_per_m);
        QCOMPARE(trade.points[n].stable, stabilityReport(parseProject(changed)).at("stable").get<bool>());
      }
    }
  }

  /// Softer than this the piston is too fast: by its actuator, or by a limit that ends the test.
  void limitsBoundTheSpringsThatArePossible() {
    const auto softest = [](const Json& document) {
      const SpringTrade trade = springTrade(parseProject(document), 0);
      return std::pair(trade.possible.value().from_n_per_m, trade.path.behind(trade.possible->from_n_per_m));
    };
    Json document = springDocument({{"/rig/actuators/0/velocity_limit_m_per_s", 0.2}});
    compareRelative(softest(document).second.velocity_m_per_s, 0.2, 3e-3, "velocity at the softest, m/s");
    if (!test::kThorough) return;
    document["safety"]["limits"][1]["threshold_m_per_s"] = 0.1;
    compareRelative(softest(document).second.velocity_m_per_s, 0.1, 3e-3, "with a limit, m/s");
    document["safety"]["limits"][1]["action"] = "indicate";  // does not end it
    compareRelative(softest(document).second.velocity_m_per_s, 0.2, 3e-3, "with one that indicates, m/s");
    for (const std::size_t limit : {0U, 4U, 5U}) {  // displacement, where the piston is to go, command
      Json with = document;
      with["safety"]["limits"][limit][limit == 4 ? "threshold" : "threshold_m"] = 2e-3;
      const PistonLimits limits = pistonLimits(parseProject(with), 0);
      QCOMPARE(limits.stroke_m, 2e-3);
      QCOMPARE(limits.force_n, 8900.0);
      compareRelative(softest(with).second.stroke_m, 2e-3, 3e-3, "stroke at the softest, m");
    }
    const PistonLimits own = pistonLimits(parseProject(springDocument()), 0);
    QCOMPARE(own.stroke_m, 0.06);  // of the limit on the displacement; the actuator has 63 mm
  }

  void whatIsGoodKeepsThirtyDecibelsAndAThirdToSpare() {
    const SpringTrade trade =
        springTrade(parseProject(springDocument({{"/rig/actuators/0/velocity_limit_m_per_s", 0.15},
                                                 {"/rig/displacement_sensor/noise_rms_m", 1.4e-5}})),
                    0);
    QVERIFY(trade.suitable.has_value());
    compareRelative(trade.at(trade.suitable->from_n_per_m).velocity_m_per_s, 0.1, 3e-3, "two thirds, m/s");
    compare(trade.at(trade.suitable->to_n_per_m).signal_to_noise_db, 30.0, 0.03, "noise, dB");
    QVERIFY(trade.sentence.find("a softer one needs more than two thirds of the velocity (150 mm/s)") !=
            std::string::npos);
    QVERIFY(trade.sentence.find("a stiffer one leaves the piston's motion less than 30 dB") != std::string::npos);
    Json quiet = springDocument();
    quiet["rig"].erase("displacement_sensor");
    const SpringTrade silent = springTrade(parseProject(quiet), 0);
    QVERIFY(silent.sentence.find("force bandwidth") != std::string::npos);
    QVERIFY(silent.suitable->to_n_per_m > trade.suitable->to_n_per_m);
  }

  void withoutTheForceNoSpringCanBeUsed() {
    const SpringTrade trade = springTrade(parseProject(springDocument({{"/rig/actuators/0/force_limit_n", 100}})), 0);
    QVERIFY(!trade.possible && !trade.suitable);
    QVERIFY2(
        trade.sentence.starts_with("No spring from") && trade.sentence.find("100 N are available") != std::string::npos,
        trade.sentence.c_str());
  }

  void whereThereIsNoSpringItIsSaid() {
    const auto place = [](const Json& document) {
      try {
        springTrade(parseProject(document), 0);
      } catch (const InputError& error) {
        return error.issues().front().where;
      }
      return std::string();
    };
    QCOMPARE(place(templateDocument("three-mass")), std::string("/coupling/scheme"));
    int asked = 0;
    const SpringTrade ended =
        springTrade(parseProject(springDocument()), 0, [&](std::size_t, std::size_t) { return ++asked < 3; });
    QCOMPARE(asked, 3);
    QVERIFY(ended.points.empty());
  }

  /// What all pistons share becomes one for each; the other pistons keep theirs.
  void aSpringIsTakenForItsPistonAlone() {
    Json document = withSpring(4e5);
    QCOMPARE(document["coupling"]["spring_n_per_m"].get<double>(), 4e5);
    QCOMPARE(document["rig"]["actuators"][0]["spring"]["stiffness_n_per_m"].get<double>(), 4e5);
    takeSpring(document, 2, 1, 3e5);
    QCOMPARE(document["coupling"]["spring_n_per_m"], Json({4e5, 3e5}));
    QCOMPARE(document["rig"]["actuators"].size(), std::size_t{2});
    QCOMPARE(document["rig"]["actuators"][0]["spring"]["stiffness_n_per_m"].get<double>(), 4e5);
    QCOMPARE(document["rig"]["actuators"][1]["spring"]["stiffness_n_per_m"].get<double>(), 3e5);
    document["rig"]["actuators"][1].erase("spring");  // the rig has it, the twin has none
    takeSpring(document, 2, 1, 2e5);
    QCOMPARE(document["coupling"]["spring_n_per_m"], Json({4e5, 2e5}));
    QVERIFY(!document["rig"]["actuators"][1].contains("spring"));
  }
};

HYB_SUITE(spring_trade, SpringTradeTest)
#include "spring_trade_test.moc"
