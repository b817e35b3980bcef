/// Insam 2022, adaptive feed-forward by a FIR filter in the closed loop of the contact project. Rows V-38 and V-39 of
/// table D18 of the note, of V-40 what concerns the filter and velocity feed-forward, and of V-37 that both levels are
/// the same but for the gain of the position loop.
#include <algorithm>
#include <cmath>

#include "core/compensation/fir.h"
#include "core/project/project.h"
#include "tests/support/contact_bump.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"
#include "tests/support/template_run.h"
#include "tests/support/values.h"

using namespace hyb;

namespace {

struct FirScheme {
  double damping = 200.0;  // of the upper dashpot, kg/s
  bool second_set = true;  // PPI2 in place of PPI1
  bool feedforward = false;
  bool passivity = false;
  Json additions = Json::array();
};

test::TemplateRun bumpWith(const FirScheme& scheme) {
  Json document = loadDocument(std::string(test::kSourceDir) + "/tests/data/projects/contact-bump.json");
  for (const std::string& change : test::dampedBy(scheme.damping)) setValue(document, change);
  Json& actuator = document["rig"]["actuators"][0];
  actuator["position_gain_per_s"] = scheme.second_set ? 50 : 20;
  actuator["integral_gain_a_per_m"] = scheme.second_set ? 5 : 1;
  actuator["velocity_feedforward"] = scheme.feedforward;
  if (scheme.passivity) document["coupling"]["force_stages"] = {{{"stage", "passivity"}}};
  if (!scheme.additions.empty()) document["compensation"]["additions"] = scheme.additions;
  return test::TemplateRun(document);
}

double largestGapMm(const test::TemplateRun& run) {
  if (run.ended() != EndReason::completed) return 1e9;
  return 1e3 * test::peak(run.channel("gap_1"));
}

Json fir(double step_size = 0.1) { return {{{"addition", "fir"}, {"step_size", step_size}}}; }

/// A filter that has learnt something from a target and an actuator of its own that lags.
struct Learnt {
  static constexpr int kTaps = 20;
  explicit Learnt(double leakage)
      : filter(makeFir({.taps = kTaps, .free = {.step_size = 0.2, .leakage = leakage}, .shown_coefficients = kTaps},
                       {.axes = {}, .scale = {1.0}, .response = [](std::size_t) {
                          return std::vector{0.0, 0.5, 0.5};
                        }})) {}
  /// The gap x - z at this tick.
  void tick(double gap_m) {
    const auto one = [](double value) { return Eigen::VectorXd::Constant(1, value); };
    const double z = 1e-3 * std::sin(0.05 * ticks) + 4e-4 * std::sin(0.31 * ticks);
    ++ticks;
    filter->update({one(z), one(0.0), one(z), one(gap_m), one(0.0)}, added);
  }
  std::vector<double> coefficients() const {
    std::vector<double> shown(1 + kTaps);
    filter->readAdapted(shown);
    shown.erase(shown.begin());
    return shown;
  }
  std::unique_ptr<Addition> filter;
  Eigen::VectorXd added = Eigen::VectorXd::Zero(1);
  int ticks = 0;
};

}  // namespace

class InsamFir : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void v38NothingToLearnIsNothingLearnt() {
    Learnt learnt(0.01);
    for (int k = 0; k < 1000; ++k) learnt.tick(0.0);
    QVERIFY(learnt.coefficients() == std::vector<double>(Learnt::kTaps, 0.0));
    QCOMPARE(learnt.added[0], 0.0);
  }

  void v38CoefficientsDecayByTheirLeakage() {
    constexpr double kLeakage = 0.01;
    Learnt learnt(kLeakage);
    for (int k = 0; k < 300; ++k) learnt.tick(2e-4 * std::sin(0.05 * k - 0.5));
    const std::vector<double> before = learnt.coefficients();
    QVERIFY(test::peak(before) > 0.01);
    constexpr int kTicks = 500;
    for (int k = 0; k < kTicks; ++k) learnt.tick(0.0);
    const double left = std::pow(1.0 - kLeakage, kTicks);
    for (std::size_t n = 0; n < before.size(); ++n)
      QVERIFY(std::abs(learnt.coefficients()[n] - left * before[n]) <= 1e-12 * std::abs(before[n]));
  }

  /// The source's standard set in its contact rig: 0.05 mm printed, 0.075 to 0.09 mm in the note's twin, 0.066 mm in a
  /// second one, where feedback alone leaves 0.26 mm.
  void v39LargestErrorOfTheStandardSet() {
    const double without = largestGapMm(bumpWith({})),
                 found = largestGapMm(test::TemplateRun(
                     loadDocument(std::string(test::kSourceDir) + "/tests/data/projects/contact-fir.json")));
    QVERIFY2(found > 0.075 / 2.0 && found < 2.0 * 0.09, qPrintable(QString::number(found)));
    QVERIFY2(std::abs(without / 0.26 - 1.0) < 0.05, qPrintable(QString::number(without)));
    QCOMPARE(largestGapMm(bumpWith({.additions = fir()})), found);
  }

  /// Beside a window in which the filter swings up: 1.1 mm in the second twin.
  void v39BesideAWindowOfInstability() {
    for (const double step : {0.03, 0.04, 0.05}) {
      const double found = largestGapMm(bumpWith({.additions = fir(step)}));
      QVERIFY2(found > 1.0 && found < 1.3, qPrintable(QString::number(found)));
    }
  }

  /// With passivity control, hardly damped: 0.032 mm for velocity feed-forward, which the filter does not reach. (The
  /// source's rig forgives it more than its linear twin: 0.05 mm printed.)
  void v40VelocityFeedforwardIsTheBestSingleScheme() {
    const double feedforward = largestGapMm(bumpWith({.damping = 50.0, .feedforward = true, .passivity = true})),
                 filter = largestGapMm(bumpWith({.damping = 50.0, .passivity = true, .additions = fir()}));
    QVERIFY2(std::abs(feedforward / 0.032 - 1.0) < 0.2, qPrintable(QString::number(feedforward)));
    QVERIFY2(filter > feedforward, qPrintable(QString::number(filter)));
  }

  /// Without velocity feed-forward a rate is a displacement times the gain of the position loop, to rounding. With it
  /// the two are not the same.
  void v37BothLevelsAreTheSameButForTheGain() {
    Json at_velocity = fir();
    at_velocity[0]["at"] = "velocity";
    const auto position = bumpWith({.additions = fir()}), velocity = bumpWith({.additions = at_velocity});
    const std::vector<double> u = position.channel("fir_added_1"), rate = velocity.channel("fir_added_1");
    QVERIFY(!u.empty() && u.size() == rate.size());
    for (std::size_t k = 0; k < u.size(); ++k) QVERIFY(std::abs(rate[k] - 50.0 * u[k]) <= 1e-9 * 50.0 * test::peak(u));
    const auto fed = [&](const Json& additions) {
      return bumpWith({.feedforward = true, .additions = additions}).channel("measured_1");
    };
    QVERIFY(fed(fir()) != fed(at_velocity));
  }
};

HYB_SUITE(paper_insam_fir, InsamFir)
#include "insam_fir.moc"
