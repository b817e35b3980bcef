#include <cmath>
#include <numbers>

#include "core/structure/structure.h"
#include "core/transfer/laws/bouc_wen.h"
#include "core/transfer/laws/contact.h"
#include "core/transfer/laws/friction.h"
#include "core/transfer/laws/impact.h"
#include "core/transfer/laws/table.h"
#include "core/transfer/transfer_system.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// A ball on a spring below the interface; nothing else stands on the rig.
Partition ballOnSpring(double mass_kg, double stiffness_n_per_m) {
  LumpedStructure lumped;
  lumped.masses = {{"top", 10.0}, {"ball", mass_kg}};
  lumped.supports = {{"wall"}};
  lumped.links = {{"hold", "wall", "top", 1e4, 50.0}, {"spring", "top", "ball", stiffness_n_per_m, 0.0}};
  Structure structure;
  structure.kind = lumped;
  return cut(buildModel(structure), {CutByElements{{"spring", "ball"}}, {}, {}, {}, {}});
}

/// The interface of a specimen that has nothing but its laws.
Partition bareInterface() {
  LumpedStructure lumped;
  lumped.masses = {{"top", 10.0}};
  lumped.supports = {{"wall"}};
  lumped.links = {{"hold", "wall", "top", 1e4, 50.0}};
  Structure structure;
  structure.kind = lumped;
  CutByMatrices nothing;
  nothing.physical.dofs = nothing.interface = {"top"};
  return cut(buildModel(structure), {nothing, {}, {}, {}, {}});
}

/// Servo-hydraulic actuator that pushes a mass against a law, by its equations with small steps; x at every `every`.
struct Hydraulic {
  HydraulicParams p;
  std::function<double(double x, double v)> law;
  double command_m = 0.0;
  std::array<double, 5> s{};  // q, q', f, x, v

  std::array<double, 5> slope(const std::array<double, 5>& y) const {
    return {y[1], p.a1b0 * (command_m - y[3]) - p.b2 * y[0] - p.b1 * y[1], y[0] - p.a2 * y[4] - p.a3 * y[2], y[4],
            (y[2] - law(y[3], y[4])) / p.piston_mass_kg};
  }
  void advance(double step_s, int steps) {
    const auto at = [&](const std::array<double, 5>& k, double h) {
      std::array<double, 5> y = s;
      for (std::size_t i = 0; i < 5; ++i) y[i] += h * k[i];
      return y;
    };
    for (int n = 0; n < steps; ++n) {
      const auto k1 = slope(s), k2 = slope(at(k1, 0.5 * step_s)), k3 = slope(at(k2, 0.5 * step_s)),
                 k4 = slope(at(k3, step_s));
      for (std::size_t i = 0; i < 5; ++i) s[i] += step_s / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
  }
};

HydraulicParams heavyPiston(double mass_kg = 5.0) {
  HydraulicParams params;
  params.piston_mass_kg = mass_kg;
  return params;
}

TwinParams pushing(const HydraulicParams& piston, const SpecimenLawPtr& law) {
  TwinParams params;
  params.actuators = {{.model = servoHydraulic(piston)}};
  params.laws = {{law, 1, {}}};
  return params;
}

/// Largest error of the motion over 0.12 s of two steps of the command, in ticks of tick_s.
double errorOf(const TwinParams& params, Hydraulic fine, double tick_s) {
  TransferSystem twin(bareInterface(), params, tick_s);
  double most_m = 0.0;
  for (int k = 0; k < static_cast<int>(std::lround(0.12 / tick_s)); ++k) {
    const double command_m = k * tick_s < 0.06 - 1e-9 ? -2e-3 : 1e-3;
    twin.advance({Eigen::VectorXd::Constant(1, command_m), Eigen::VectorXd::Zero(1)});
    fine.command_m = command_m;
    fine.advance(2.5e-7, static_cast<int>(std::lround(tick_s / 2.5e-7)));
    most_m = std::max(most_m, std::abs(twin.displacement()[0] - fine.s[3]));
  }
  return most_m;
}

}  // namespace

class TestSpecimenLaws : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Damping and stiffness of the piston, against its equations in small steps: exact in time at any tick. The load
  /// cell of a specimen that is not there reads nothing of them.
  void aPistonHasDampingAndStiffnessOfItsOwn() {
    HydraulicParams piston = heavyPiston();
    piston.piston_damping_n_s_per_m = 4000.0;
    piston.piston_stiffness_n_per_m = 1e6;
    TwinParams params;
    params.actuators = {{.model = servoHydraulic(piston)}};
    const Hydraulic fine{piston, [](double x, double v) { return 1e6 * x + 4000.0 * v; }, 0.0, {}};
    for (const double tick_s : {1e-3, 2.5e-4}) {
      const double error_m = errorOf(params, fine, tick_s);
      QVERIFY2(error_m < 1e-11, qPrintable(QString("%1 m").arg(error_m)));
    }
    TransferSystem twin(bareInterface(), params, 1e-3);
    for (int k = 0; k < 100; ++k) {
      twin.advance({Eigen::VectorXd::Constant(1, 1e-3), Eigen::VectorXd::Zero(1)});
      QCOMPARE(twin.force()[0], 0.0);
    }
    TwinParams without = params;
    without.actuators = {{.model = servoHydraulic(heavyPiston())}};
    QVERIFY(errorOf(without, fine, 1e-3) > 1e-5);
  }

  /// A piston feels the law within the tick: second order in the tick against the equations in small steps, which
  /// themselves miss the instant of a damper's jump.
  void aPistonFeelsTheLaw_data() {
    QTest::addColumn<int>("which");
    QTest::newRow("contact") << 0;
    QTest::newRow("damped contact") << 1;
    QTest::newRow("table") << 2;
  }
  void aPistonFeelsTheLaw() {
    QFETCH(int, which);
    const double k = 4e6, gap_m = 5e-4, c = which == 1 ? 2000.0 : 0.0;
    const SpecimenLawPtr law =
        which < 2 ? contactLaw({k, c, gap_m}) : forceTable({{-1e-3, -3000.0}, {0.0, 0.0}, {1e-3, 1000.0}});
    Hydraulic fine{heavyPiston(), {}, 0.0, {}};
    fine.law = [=](double x, double v) {
      if (which == 2) return x < 0.0 ? 3e6 * x : 1e6 * x;
      return x < -gap_m ? std::min(0.0, k * (x + gap_m) + c * v) : 0.0;
    };
    const TwinParams params = pushing(heavyPiston(), law);
    const double coarse_m = errorOf(params, fine, 1e-3), half_m = errorOf(params, fine, 5e-4),
                 quarter_m = errorOf(params, fine, 2.5e-4);
    const QString found = QString("%1, %2, %3 m").arg(coarse_m).arg(half_m).arg(quarter_m);
    QVERIFY2(coarse_m < 1e-6, qPrintable(found));  // of 3 mm, at 1 kHz
    if (which != 1) QVERIFY2(coarse_m / quarter_m > 12.0, qPrintable(found));
    // Without the law the piston goes elsewhere.
    TwinParams free = params;
    free.laws = {{contactLaw({1.0, 0.0, 1.0}), 1, {}}};
    QVERIFY(errorOf(free, fine, 1e-3) > 1e-4);
  }

  /// With hardly any mass: where it comes to rest, a3 f = q, b2 q = a1b0 (u - x) and f = k (x + gap).
  void hardlyAnyMass_data() {
    QTest::addColumn<double>("mass_kg");
    for (const double mass_kg : {1.0, 1e-2, 1e-4}) QTest::addRow("%g kg", mass_kg) << mass_kg;
  }
  void hardlyAnyMass() {
    QFETCH(double, mass_kg);
    const double k = 1e6, gap_m = 5e-4, command_m = -2e-3;
    const HydraulicParams p = heavyPiston(mass_kg);
    TransferSystem twin(bareInterface(), pushing(p, contactLaw({k, 20.0, gap_m})), 1e-3);
    double most_n = 0.0;
    for (int n = 0; n < 3000; ++n) {
      QVERIFY(twin.advance({Eigen::VectorXd::Constant(1, command_m), Eigen::VectorXd::Zero(1)}));
      QVERIFY(twin.force()[0] >= 0.0);  // upwards on the NS: never pulls
      most_n = std::max(most_n, twin.force()[0]);
    }
    const double yields = k * p.a3 * p.b2 / p.a1b0, expected_m = (command_m - yields * gap_m) / (1.0 + yields);
    QVERIFY2(std::abs(twin.displacement()[0] - expected_m) < 1e-9,
             qPrintable(QString("%1 %2").arg(twin.displacement()[0], 0, 'g', 12).arg(expected_m, 0, 'g', 12)));
    QVERIFY(std::abs(twin.force()[0] + k * (expected_m + gap_m)) < 1e-3 && most_n < 2.0 * twin.force()[0]);
  }

  void tooStiffForTheTickIsAFault() {
    EXPECT_ISSUE(issuesOf([&] {
                   makeTwin(bareInterface(), pushing(heavyPiston(1e-9), contactLaw({1e6, 0.0, 5e-4})), 1e-3);
                 }),
                 "/rig/specimen/laws", "heavier");
    TwinParams massless = pushing(heavyPiston(0.0), contactLaw({1e6, 0.0, 5e-4}));
    EXPECT_ISSUE(issuesOf([&] { makeTwin(bareInterface(), massless, 1e-3); }), "/rig/actuators/0/piston_mass_kg",
                 "give the piston a mass");
    massless.actuators = {servoActuator()};  // is given its motion, and needs none
    QVERIFY(issuesOf([&] { makeTwin(bareInterface(), massless, 1e-3); }).empty());
  }

  /// A ball that bounces on a hard ground while the interface rests: no energy comes or goes, with 28 ticks a contact
  /// and with half a one. Row [x_I, v_I, x_J, v_J] of the state.
  void bouncesKeepTheirEnergy_data() {
    QTest::addColumn<double>("ground_n_per_m");
    for (const double k : {5e3, 1e9}) QTest::addRow("%g N/m", k) << k;
  }
  void bouncesKeepTheirEnergy() {
    QFETCH(double, ground_n_per_m);
    const double mass_kg = 0.4, spring = 40.0, gap_m = 1e-3;
    TwinParams params;
    params.actuators = {{.model = idealActuator()}};
    params.laws = {{contactLaw({ground_n_per_m, 0.0, gap_m}), 1, "ball"}};
    TransferSystem twin(ballOnSpring(mass_kg, spring), params, 1e-3);
    Command command{Eigen::VectorXd::Constant(1, 8e-3), Eigen::VectorXd::Zero(1)};
    for (int k = 0; k < 150; ++k) twin.advance(command);
    command.position[0] = 0.0;
    for (int k = 0; k < 2; ++k) twin.advance(command);
    const auto energy = [&] {
      const Eigen::VectorXd s = twin.state();
      const double x = s[2], v = s[3], deep = std::min(0.0, x + gap_m);
      return 0.5 * (mass_kg * v * v + spring * x * x + ground_n_per_m * deep * deep);
    };
    const double start_j = energy();
    double lowest_m = 0.0, most_j = start_j, least_j = start_j;
    int bounces = 0;
    bool above = true;
    for (int k = 0; k < 5000; ++k) {
      twin.advance(command);
      const Eigen::VectorXd s = twin.state();
      lowest_m = std::min(lowest_m, s[2]);
      if (above && s[2] < -gap_m && s[3] > 0.0) ++bounces;
      above = s[3] <= 0.0;
      most_j = std::max(most_j, energy());
      least_j = std::min(least_j, energy());
    }
    QVERIFY2(start_j > 1e-4 && lowest_m < -gap_m, qPrintable(QString("%1 %2").arg(start_j).arg(lowest_m)));
    QVERIFY2(most_j - least_j < 1e-8 * start_j, qPrintable(QString("%1 %2").arg(most_j - least_j).arg(start_j)));
    if (ground_n_per_m < 1e6) QVERIFY2(bounces > 10, qPrintable(QString::number(bounces)));
    // A dashpot that takes half the speed of each bounce leaves as much as keeps the ball off the ground.
    params.laws = {{contactLaw({ground_n_per_m, 0.4 * std::sqrt(ground_n_per_m * mass_kg), gap_m}), 1, "ball"}};
    TransferSystem damped(ballOnSpring(mass_kg, spring), params, 1e-3);
    command.position[0] = 8e-3;
    for (int k = 0; k < 150; ++k) damped.advance(command);
    command.position[0] = 0.0;
    for (int k = 0; k < 10000; ++k) damped.advance(command);
    const Eigen::VectorXd s = damped.state();
    const double left_j = 0.5 * (mass_kg * s[3] * s[3] + spring * s[2] * s[2]), off_j = 0.5 * spring * gap_m * gap_m;
    QVERIFY2(left_j > 0.5 * off_j && left_j < 1.02 * off_j, qPrintable(QString("%1 %2").arg(left_j).arg(off_j)));
  }

  /// A mass that is dropped on a spring stays there for half a period and a little, and goes back as fast.
  void timeInContact() {
    const double mass_kg = 0.4, spring = 40.0, ground = 5e3, tick_s = 1e-4;
    TwinParams params;
    params.actuators = {{.model = idealActuator()}};
    params.laws = {{contactLaw({ground, 0.0, 0.0}), 1, "ball"}};
    TransferSystem twin(ballOnSpring(mass_kg, spring), params, tick_s);
    // The interface jumps up, and down again when the ball has come up: it falls with its spring from there.
    Command command{Eigen::VectorXd::Constant(1, 8e-3), Eigen::VectorXd::Zero(1)};
    for (int k = 0; k < 3000; ++k) twin.advance(command);
    command.position[0] = 0.0;
    double last_m = 0.0, last_mps = 0.0, touch_s = 0.0, speed_mps = 0.0, leave_s = 0.0, back_mps = 0.0, peak_n = 0.0;
    for (int k = 0; leave_s == 0.0 && k < 20000; ++k) {
      twin.advance(command);
      const Eigen::VectorXd s = twin.state();
      const double share = last_m / (last_m - s[2]), t_s = (k - 1 + share) * tick_s;
      if (touch_s == 0.0 && last_m > 0.0 && s[2] <= 0.0) {
        touch_s = t_s;
        speed_mps = last_mps + share * (s[3] - last_mps);
      } else if (touch_s > 0.0 && last_m < 0.0 && s[2] >= 0.0) {
        leave_s = t_s;
        back_mps = last_mps + share * (s[3] - last_mps);
      }
      peak_n = std::max(peak_n, -ground * std::min(0.0, s[2]));
      last_m = s[2];
      last_mps = s[3];
    }
    const double w = std::sqrt((spring + ground) / mass_kg);
    QVERIFY2(std::abs((leave_s - touch_s) * w / std::numbers::pi - 1.0) < 1e-4,
             qPrintable(QString::number((leave_s - touch_s) * w / std::numbers::pi, 'g', 9)));
    QVERIFY2(std::abs(back_mps / speed_mps + 1.0) < 1e-5, qPrintable(QString("%1 %2").arg(back_mps).arg(speed_mps)));
    QVERIFY(std::abs(peak_n / (ground * std::abs(speed_mps) / w) - 1.0) < 1e-4);
  }

  /// A ball that its spring draws onto a rigid ground, against its motion piece by piece: between impacts it swings
  /// about the place of the interface, x = -d + A cos(w t + phi), and leaves each with a share of its speed.
  void bouncesOnARigidGround_data() {
    QTest::addColumn<double>("restitution");
    for (const double e : {0.0, 0.6, 1.0}) QTest::addRow("restitution %g", e) << e;
  }
  void bouncesOnARigidGround() {
    QFETCH(double, restitution);
    const double mass_kg = 0.4, spring = 40.0, gap_m = 3e-3, drawn_m = 8e-3, tick_s = 1e-3;
    for (const double side : {1.0, -1.0}) {
      TwinParams params;
      params.actuators = {{.model = idealActuator()}};
      params.laws = {{impactLaw({gap_m, restitution, side < 0.0}), 1, "ball"}};
      TransferSystem twin(ballOnSpring(mass_kg, spring), params, tick_s);
      const Command command{Eigen::VectorXd::Constant(1, -side * drawn_m), Eigen::VectorXd::Zero(1)};
      const double w = std::sqrt(spring / mass_kg);
      double amplitude_m = drawn_m, phase = 0.0, begin_s = 0.5 * tick_s;  // the ramp of the first tick, by its middle
      bool rests = false;
      int impacts = 0;
      for (int k = 1; k <= 3000; ++k) {
        twin.advance(command);
        const double t_s = k * tick_s;
        const auto until = [&] {  // from the last impact to the next
          return (std::acos((drawn_m - gap_m) / amplitude_m) - phase) / w;
        };
        while (!rests && t_s > begin_s + until()) {
          begin_s += until();
          const double speed = w * std::sqrt(amplitude_m * amplitude_m - std::pow(drawn_m - gap_m, 2));
          amplitude_m = std::hypot(drawn_m - gap_m, restitution * speed / w);
          phase = -std::acos((drawn_m - gap_m) / amplitude_m);
          rests = until() < 1e-4;
          ++impacts;
        }
        const double expected_m = rests ? -gap_m : -drawn_m + amplitude_m * std::cos(w * (t_s - begin_s) + phase);
        const double found_m = side * twin.state()[2];
        QVERIFY2(found_m >= -gap_m && std::abs(found_m - expected_m) < 2e-3 * gap_m,
                 qPrintable(QString("%1 s: %2, %3 m").arg(t_s).arg(found_m).arg(expected_m)));
      }
      QVERIFY2(restitution == 0.0 ? impacts == 1 : impacts > 5, qPrintable(QString::number(impacts)));
      if (!rests) continue;
      QCOMPARE(twin.state()[3], 0.0);  // for good, and the spring draws at the interface
      QVERIFY(std::abs(side * twin.force()[0] - spring * (drawn_m - gap_m)) < 1e-9);
    }
  }

  /// A piston that feels the specimen runs onto a rigid ground and pushes: as onto one that is merely hard.
  void aPistonStaysOnARigidGround() {
    const double gap_m = 5e-4;
    TransferSystem rigid(bareInterface(), pushing(heavyPiston(), impactLaw({gap_m})), 1e-3),
        hard(bareInterface(), pushing(heavyPiston(), contactLaw({1e10, 3e5, gap_m})),
             1e-3);  // 2.5 um under its push, 10 as it lands
    double most_m = 0.0;
    for (int k = 0; k < 200; ++k) {
      const Command command{Eigen::VectorXd::Constant(1, k < 100 ? -2e-3 : 1e-3), Eigen::VectorXd::Zero(1)};
      rigid.advance(command);
      hard.advance(command);
      most_m = std::max(most_m, std::abs(rigid.displacement()[0] - hard.displacement()[0]));
      if (k != 99) continue;
      QCOMPARE(rigid.displacement()[0], -gap_m);
      QVERIFY2(std::abs(rigid.force()[0] / hard.force()[0] - 1.0) < 2e-3 && rigid.force()[0] > 1000.0,
               qPrintable(QString("%1 %2 N").arg(rigid.force()[0]).arg(hard.force()[0])));
    }
    QVERIFY2(most_m < 2e-5, qPrintable(QString::number(most_m)));
  }

  void nothingBouncesWhereTheMotionIsGiven() {
    TwinParams given = pushing(heavyPiston(), impactLaw({1e-3, 0.5}));
    given.actuators = {servoActuator()};
    EXPECT_ISSUE(issuesOf([&] { makeTwin(bareInterface(), given, 1e-3); }), "/rig/specimen/laws/0/interface",
                 "an impact is not possible");
    given.laws = {{impactLaw({-1e-3, 1.5}), 1, "ball"}};
    const auto issues = issuesOf([&] { makeTwin(ballOnSpring(0.4, 40.0), given, 1e-3); });
    EXPECT_ISSUE(issues, "/rig/specimen/laws/0/gap_m", "");
    EXPECT_ISSUE(issues, "/rig/specimen/laws/0/restitution", "between");
  }

  /// Slides with the friction force; a block on a driven spring sticks and slips.
  void frictionHoldsAndSlides() {
    const SpecimenLawPtr law = frictionLaw({4.0, 1e6, 10.0});
    LinkHistory at;
    at = law->advanced(at, 1e-6);
    QVERIFY(std::abs(law->force(at, 0.0) - 1.0) < 1e-12);
    at = law->advanced(at, 0.3);
    QCOMPARE(law->force(at, 0.2), 4.0 + 2.0);
    at = law->advanced(at, 0.3 - 4e-6);
    QVERIFY(std::abs(law->force(at, 0.0)) < 1e-9);
    at = law->advanced(at, 0.1);
    QVERIFY(std::abs(law->force(at, 0.0) + 4.0) < 1e-9);
    // The interface is drawn away: the ball goes when the spring of 40 N/m pulls with 4 N, at 0.1 m.
    TwinParams params;
    params.actuators = {{.model = idealActuator()}};
    params.laws = {{frictionLaw({4.0, 1e6, 0.0}), 1, "ball"}};
    TransferSystem twin(ballOnSpring(0.4, 40.0), params, 1e-3);
    double drawn_m = 0.0, gone_m = 0.0;
    while (drawn_m < 0.2 && gone_m == 0.0) {
      drawn_m += 1e-4;
      twin.advance({Eigen::VectorXd::Constant(1, drawn_m), Eigen::VectorXd::Constant(1, 0.1)});
      if (twin.state()[2] > 5e-6) gone_m = drawn_m;
    }
    QVERIFY2(std::abs(gone_m - 0.1) < 2e-3, qPrintable(QString::number(gone_m)));
  }

  /// A safe stop holds the interface; what is inside goes on under its laws, and friction takes its energy.
  void theInsideRestsByFrictionAfterASafeStop() {
    TwinParams params;
    params.actuators = {{.model = idealActuator()}};
    params.laws = {{frictionLaw({0.05, 1e4, 2.0}), 1, "ball"}};
    TwinBench twin(params, 1e-3, ballOnSpring(0.4, 4000.0));
    for (int k = 0; k < 100; ++k) {
      twin.tick();
      twin.command.position.setConstant(2e-3 * std::sin(0.09 * k));
    }
    twin.rig().safeStop();
    double loudest = 0.0;
    for (int k = 0; k < 4000; ++k) {
      twin.tick();
      if (k < 100) loudest = std::max(loudest, std::abs(twin.state.force[0]));
    }
    QVERIFY2(loudest > 1.0 && std::abs(twin.state.force[0]) <= 0.05,
             qPrintable(QString("%1 %2").arg(loudest).arg(twin.state.force[0])));
  }

  void tablesAreCheckedAndGoOnBeyondTheirEnds() {
    const SpecimenLawPtr law = forceTable({{-1.0, -3.0}, {0.0, 0.0}, {2.0, 2.0}});
    const auto at = [&](double x) { return law->force({x, 0.0}, 0.0); };
    for (const auto& [x, force] :
         {std::pair{-3.0, -9.0}, {-1.0, -3.0}, {-0.5, -1.5}, {0.0, 0.0}, {1.0, 1.0}, {5.0, 5.0}})
      QCOMPARE(at(x), force);
    Checks checks;
    forceTable({{0.0, 0.0}, {0.0, 1.0}})->check(checks);
    forceTable({{0.0, std::nan("")}, {1.0, 1.0}})->check(checks);
    const auto issues = issuesOf([&] { checks.throwIfAny(); });
    EXPECT_ISSUE(issues, "/points/1/displacement_m", "sort the points");
    EXPECT_ISSUE(issues, "/points/0/force_n", "finite");
  }

  /// Of two grounds, one on each side, and of two laws in one place.
  void lawsAddUp() {
    const SpecimenLawPtr below = contactLaw({1e4, 0.0, 1e-3}), above = contactLaw({2e4, 0.0, 2e-3, true});
    QCOMPARE(below->force({-3e-3, 0.0}, 0.0), -20.0);
    QCOMPARE(above->force({3e-3, 0.0}, 0.0), 20.0);
    QCOMPARE(above->force({-1.0, 0.0}, 0.0), 0.0);
    TwinParams both, one;
    both.actuators = one.actuators = {{.model = servoHydraulic(heavyPiston())}};
    both.laws = {{contactLaw({3e6, 100.0, 5e-4}), 1, {}}, {contactLaw({1e6, 50.0, 5e-4}), 1, {}}};
    one.laws = {{contactLaw({4e6, 150.0, 5e-4}), 1, {}}};
    TransferSystem a(bareInterface(), both, 1e-3), b(bareInterface(), one, 1e-3);
    for (int k = 0; k < 200; ++k) {
      const Command command{Eigen::VectorXd::Constant(1, k < 100 ? -2e-3 : 1e-3), Eigen::VectorXd::Zero(1)};
      a.advance(command);
      b.advance(command);
      QVERIFY(std::abs(a.displacement()[0] - b.displacement()[0]) < 1e-8);
    }
  }
};

HYB_SUITE(specimen_laws, TestSpecimenLaws)
#include "specimen_laws.moc"
