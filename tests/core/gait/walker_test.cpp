/// The virtual pivot point model as it goes: events inside a step, what it keeps and what it does not.
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/allocation_guard.h"
#include "core/base/numbers.h"
#include "core/gait/search.h"
#include "core/gait/walker_row.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

constexpr double kDeg = kTwoPi / 360.0;

/// Insam's test set; with a stump its foot is a spring of 10607 N/m.
WalkerParams testSet(bool stump = false) {
  WalkerParams params;
  params.mass_kg = 30.0;
  params.inertia_kg_m2 = 3.0;
  params.leg_stiffness_n_per_m = 5400.0;
  params.touch_down_rad = 75.0 * kDeg;
  if (stump) params.stump = StumpParams{};
  return params;
}
constexpr GaitStart kStart{1.0709, 0.97633, 0.0, -0.0071};

Walker walkerWith(double tick_s, int substeps = 1, bool stump = false, const GaitStart& start = kStart) {
  return {testSet(stump), start, Scheme::rk4, tick_s, substeps};
}
void tick(Walker& walker) {
  walker.push(std::max(0.0, -10607.0 * walker.foot().along_m));
  walker.advance();
}
bool same(const WalkerState& a, const WalkerState& b) {
  return a.x_m == b.x_m && a.y_m == b.y_m && a.trunk_rad == b.trunk_rad && a.vx_m_per_s == b.vx_m_per_s &&
         a.vy_m_per_s == b.vy_m_per_s && a.trunk_rate_rad_per_s == b.trunk_rate_rad_per_s && a.stump_m == b.stump_m;
}

}  // namespace

class WalkerTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Four touch-downs and as many take-offs lie in the way: without them inside the step the order would be 1.
  void convergesWithTheOrderOfItsScheme() {
    const auto end = [](int steps) {
      Walker walker = walkerWith(1.2 / steps);
      for (int k = 0; k < steps; ++k) walker.advance();
      return walker;
    };
    const Walker exact = end(24000);
    QCOMPARE(exact.steps(), std::int64_t{4});
    const auto missOf = [&](int steps) { return std::abs(end(steps).state().x_m - exact.state().x_m); };
    const double coarse = missOf(300), fine = missOf(600);
    QVERIFY2(coarse < 1e-4 && coarse / fine > 6.0, qPrintable(QString("%1 %2").arg(coarse).arg(fine)));
  }

  /// A leg lands with the hip as high as its angle says and leaves as long as unloaded, wherever in the step that is.
  void eventsLieWhereTheirRulesSay() {
    Walker walker = walkerWith(2e-3);
    std::int64_t steps = 0;
    bool left_stood = true;
    int landings = 0, departures = 0;
    for (int k = 0; k < 1000; ++k) {
      walker.advance();
      const WalkerParams& params = walker.params();
      if (walker.steps() != steps) {
        const WalkerState& at = walker.touchDown();
        QVERIFY(std::abs(at.y_m - params.hip_m * std::cos(at.trunk_rad) -
                         params.leg_length_m * std::sin(params.touch_down_rad)) < 1e-12);
        ++landings;
      }
      const LegState& left = walker.leg(WalkerLeg::left);
      if (left_stood && !left.stands) {
        QVERIFY(left.left_at_rad > 1.8 && left.left_at_rad < 1.9);
        ++departures;
      }
      steps = walker.steps();
      left_stood = left.stands;
    }
    QVERIFY(landings >= 5 && departures >= 3);
  }

  /// 0.2 ms model, 1 ms exchange: five sub-steps with the force held.
  void subStepsHoldTheForce() {
    Walker coarse = walkerWith(1e-3, 5, true), fine = walkerWith(2e-4, 1, true);
    for (int k = 0; k < 900; ++k) {
      const double force_n = std::max(0.0, -10607.0 * coarse.foot().along_m);
      coarse.push(force_n);
      coarse.advance();
      fine.push(force_n);
      for (int s = 0; s < 5; ++s) fine.advance();
      QVERIFY(same(coarse.state(), fine.state()));
    }
    QVERIFY(coarse.steps() >= 2);
  }

  /// The pose that the rig gets goes on without a jump, but for the rate, where the right leg lands and leaves.
  void thePoseOfTheFootDoesNotJump() {
    Walker walker = walkerWith(1e-3, 5, true);
    FootPose last = walker.foot();
    double deepest = 0.0, highest = 0.0;
    for (int k = 0; k < 1200; ++k) {
      tick(walker);
      const FootPose pose = walker.foot();
      QVERIFY2(std::abs(pose.along_m - last.along_m) < 1e-3, qPrintable(QString::number(k)));
      QVERIFY2(std::abs(pose.angle_rad - last.angle_rad) < 0.02, qPrintable(QString::number(k)));
      deepest = std::min(deepest, pose.along_m);
      highest = std::max(highest, pose.along_m);
      last = pose;
    }
    QVERIFY(deepest < -0.01 && highest > 0.002);
  }

  /// A leg that swings through upright is longer than the hip is high: it gives way where a knee would bend.
  void aFootThatSwingsStaysAboveTheGround() {
    for (const bool stump : {false, true}) {
      Walker walker = walkerWith(1e-3, 5, stump);
      int shorter = 0;
      std::array<PlanePoint, 2> last{walker.footPoint(WalkerLeg::left), walker.footPoint(WalkerLeg::right)};
      for (int k = 0; k < 1200; ++k) {
        tick(walker);
        for (const WalkerLeg which : {WalkerLeg::left, WalkerLeg::right}) {
          const PlanePoint foot = walker.footPoint(which);
          PlanePoint& before = last[static_cast<std::size_t>(which)];
          QVERIFY2(foot.y_m > -1e-12, qPrintable(QString("%1 m in tick %2").arg(foot.y_m).arg(k)));
          QVERIFY(std::hypot(foot.x_m - before.x_m, foot.y_m - before.y_m) < 0.02);
          before = foot;
          if (walker.leg(which).stands) continue;
          const double x = walker.hipX() - foot.x_m, y = walker.hipY() - foot.y_m, angle = walker.legAngle(which);
          QVERIFY(std::abs(x * std::sin(angle) + y * std::cos(angle)) < 1e-12);  // along the leg
          QVERIFY(std::hypot(x, y) < 1.0 + 1e-12);
          shorter += std::hypot(x, y) < 0.99 ? 1 : 0;
        }
      }
      QVERIFY(shorter > 0);
    }
  }

  void ratesOfThePoseAreItsSlopes() {
    Walker walker = walkerWith(1e-5, 1, true);
    FootPose last = walker.foot();
    bool stood = false;
    double worst = 0.0;
    for (int k = 0; k < 60000; ++k) {
      tick(walker);
      const FootPose pose = walker.foot();
      const bool stands = walker.leg(WalkerLeg::right).stands;
      if (stands == stood) {
        worst = std::max(
            worst, std::abs((pose.along_m - last.along_m) / 1e-5 - 0.5 * (pose.along_m_per_s + last.along_m_per_s)));
        worst = std::max(worst, std::abs((pose.angle_rad - last.angle_rad) / 1e-5 -
                                         0.5 * (pose.angle_rad_per_s + last.angle_rad_per_s)));
      }
      stood = stands;
      last = pose;
    }
    QVERIFY2(worst < 5e-3, qPrintable(QString::number(worst)));
  }

  void resetIsFreshAndNothingIsAllocated() {
    Walker walker = walkerWith(1e-3, 5, true);
    for (int k = 0; k < 700; ++k) tick(walker);
    walker.reset();
    Walker fresh = walkerWith(1e-3, 5, true);
    const AllocationGuard guard;
    for (int k = 0; k < 700; ++k) {
      tick(walker);
      tick(fresh);
    }
    QCOMPARE(guard.count(), std::uint64_t{0});
    QVERIFY(same(walker.state(), fresh.state()) && walker.steps() == fresh.steps());
  }

  /// Too slow a start turns back before the first step, a soft leg gives way, and then it stands still.
  /// From the columns of every tick the same deviation as from inside the steps of the search; not at all of a stride
  /// that is not whole, or that began before.
  void aStrideIsReadFromItsColumns() {
    GaitStart start = kStart;
    start.height_m -= 0.003;
    start.trunk_rate_rad_per_s = 0.05;
    Walker walker = walkerWith(1e-3, 1, false, start);
    std::array<std::vector<double>, kWalkerColumns> columns;
    for (int k = 0; k < 900; ++k, walker.advance()) {
      const WalkerRow row = walkerRow(walker);
      for (std::size_t c = 0; c < row.size(); ++c) columns[c].push_back(row[c]);
    }
    const auto endWithin = [&](std::size_t first, std::size_t count) {
      const auto part = [&](WalkerColumn which) {
        return std::span<const double>(columns[static_cast<std::size_t>(which)]).subspan(first, count);
      };
      return strideEnd({part(WalkerColumn::body_y), part(WalkerColumn::body_speed), part(WalkerColumn::trunk_angle),
                        part(WalkerColumn::hip_x), part(WalkerColumn::left_foot_x), part(WalkerColumn::left_ground_y),
                        part(WalkerColumn::right_ground_y), part(WalkerColumn::steps), 1e-3});
    };
    const double expected = walkedFrom(testSet(), start, Scheme::rk4, 1e-3).deviation;
    const std::optional<StrideEnd> end = endWithin(0, 900);
    QVERIFY(end && expected > 0.01);
    const double found = strideDeviation(start, *end, 1.0);
    QVERIFY2(std::abs(found / expected - 1.0) < 1e-3, qPrintable(QString("%1 %2").arg(found).arg(expected)));
    QVERIFY(!endWithin(0, 500) && !endWithin(300, 600) && !endWithin(0, 2));
    GaitStart same = start;
    same.speed_m_per_s *= 1.01;
    QCOMPARE(strideDeviation(same, {start.height_m, 0.0, start.speed_m_per_s, 0.0, start.trunk_rate_rad_per_s}, 1.0),
             std::abs(1.0 / 1.01 - 1.0));
  }

  void fallsAndStaysWhereItFell() {
    for (const GaitStart& start : {GaitStart{1.0709, 0.1, 0.0, 0.0}, GaitStart{1.0709, 0.97633, 0.6, 3.0}}) {
      Walker walker = walkerWith(1e-3, 5, false, start);
      for (int k = 0; k < 20000 && !walker.fallen(); ++k) walker.advance();
      QVERIFY(walker.fallen());
      const WalkerState there = walker.state();
      walker.advance();
      QVERIFY(same(there, walker.state()));
    }
    Walker nan = walkerWith(1e-3, 5, true);
    for (int k = 0; k < 100; ++k) {
      nan.push(std::nan(""));
      nan.advance();
    }
    QVERIFY(nan.fallen());
  }
};

HYB_SUITE(walker, WalkerTest)
#include "walker_test.moc"
