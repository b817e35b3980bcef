/// The order of a campaign of frequencies, what each begins with, and where some are added.
#include "core/harmonic/balance_plan.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

using Eigen::VectorXd;

/// A resonance at 10 Hz of 1 % damping, 1 at rest.
std::complex<double> resonance(double hz) {
  const double r = hz / 10.0;
  return 1.0 / std::complex<double>(1.0 - r * r, 0.02 * r);
}

struct Visit {
  double hz, level, start;
  int pass;
  bool added;
};
/// Goes through a plan whose only amplitude is 10 times the frequency, times the level.
std::vector<Visit> visits(BalancePlan& plan, const std::vector<double>& hz) {
  std::vector<Visit> all;
  do {
    const double f = hz[plan.place()];
    all.push_back({f, plan.level(), plan.start()[0], plan.pass(), plan.added()});
    QTest::qCompare(plan.number(), static_cast<int>(all.size()), "number", "visits", __FILE__, __LINE__);
    plan.keep(true, plan.level() * resonance(f), VectorXd::Constant(1, 10.0 * f * plan.level()));
  } while (plan.next());
  return all;
}
std::vector<double> hzOf(const std::vector<Visit>& visits) {
  std::vector<double> hz;
  for (const Visit& visit : visits) hz.push_back(visit.hz);
  return hz;
}

}  // namespace

class BalancePlanTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void oneSweep() {
    const std::vector<double> hz{16.0, 17.0, 19.0};
    BalancePlan plan({}, hz, 1);
    QCOMPARE(BalancePlan::places(hz, {}), hz);
    const auto all = visits(plan, hz);
    QCOMPARE(hzOf(all), hz);
    QCOMPARE(plan.most(), std::size_t{3});
    QCOMPARE(all[0].start, 0.0);
    QCOMPARE(all[1].start, 160.0);
    QCOMPARE(all[2].start, 170.0);
  }

  void levelsRepeatsAndBack() {
    BalanceCampaignSettings settings;
    settings.levels = {1.0, 0.5};
    settings.repeats = 2;
    settings.back = true;
    const std::vector<double> hz{16.0, 17.0};
    BalancePlan plan(settings, hz, 1);
    const auto all = visits(plan, hz);
    QCOMPARE(plan.most(), std::size_t{16});
    QCOMPARE(hzOf(all), (std::vector<double>{16, 17, 17, 16, 16, 17, 17, 16, 16, 17, 17, 16, 16, 17, 17, 16}));
    QCOMPARE(all[7].level, 1.0);
    QCOMPARE(all[8].level, 0.5);
    QCOMPARE(all[8].start, 80.0);  // what it was at 16 Hz, at half the level
    QCOMPARE(all[2].start, 170.0);
    QCOMPARE(all[15].pass, 8);
    plan.reset();
    QCOMPARE(hzOf(visits(plan, hz)), hzOf(all));
  }

  void onTheLine() {
    BalanceCampaignSettings settings;
    settings.extrapolate = true;
    const std::vector<double> hz{16.0, 17.0, 18.0, 22.0};
    BalancePlan plan(settings, hz, 1);
    const auto all = visits(plan, hz);
    QCOMPARE(all[1].start, 160.0);
    QCOMPARE(all[2].start, 180.0);
    QCOMPARE(all[3].start, 180.0);  // too far for a line
  }

  /// Added where it bends, never twice, no closer than asked, and no more than asked.
  void refines() {
    BalanceCampaignSettings settings;
    settings.refine = {40, 3, 0.03};
    std::vector<double> hz;
    for (int k = 0; k <= 8; ++k) hz.push_back(8.0 + 0.5 * k);
    const std::vector<double> places = BalancePlan::places(hz, settings.refine);
    QCOMPARE(places.size(), std::size_t{65});
    BalancePlan plan(settings, hz, 1);
    const auto all = visits(plan, places);
    QVERIFY(all.size() > 13 && all.size() < 40);
    std::vector<double> sorted = hzOf(all);
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t k = 1; k < sorted.size(); ++k) QVERIFY(sorted[k] - sorted[k - 1] > 0.06);
    int near = 0;
    for (std::size_t k = hz.size(); k < all.size(); ++k) {
      QVERIFY(all[k].added);
      near += std::abs(all[k].hz - 10.0) < 0.51 ? 1 : 0;
      QVERIFY(std::abs(all[k].start - 10.0 * all[k].hz) < 1e-9);  // between its neighbours
    }
    QVERIFY2(2 * near > static_cast<int>(all.size() - hz.size()), qPrintable(QString::number(near)));
    settings.refine.most = 3;
    BalancePlan few(settings, hz, 1);
    QCOMPARE(visits(few, places).size(), hz.size() + 3);
    QCOMPARE(few.most(), hz.size() + 3);
    QCOMPARE(few.planned(), hz.size() + 3);
  }

  /// What follows is told by what was measured alone.
  void goesOnTheSameWay() {
    BalanceCampaignSettings settings;
    settings.refine = {6, 2, 0.03};
    settings.back = true;
    const std::vector<double> hz{9.0, 9.5, 10.0, 10.5, 11.0}, places = BalancePlan::places(hz, settings.refine);
    BalancePlan whole(settings, hz, 1), again(settings, hz, 1);
    const auto all = visits(whole, places);
    for (int k = 0; k < 8; ++k) {
      const double f = places[again.place()];
      again.keep(true, resonance(f), VectorXd::Constant(1, 10.0 * f));
      QVERIFY(again.next());
    }
    QCOMPARE(places[again.place()], all[8].hz);
    QCOMPARE(again.start()[0], all[8].start);
  }
};

HYB_SUITE(balance_plan, BalancePlanTest)
#include "balance_plan_test.moc"
