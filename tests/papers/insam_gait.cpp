/// Insam 2022, chapters 15 to 17: the virtual pivot point model and one stride on a prosthetic foot. Rows V-66 to V-75
/// of table D18 of the note.
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "core/gait/search.h"
#include "core/project/project.h"
#include "core/run/build.h"
#include "core/study/run_study.h"
#include "core/study/study_file.h"
#include "tests/support/compare.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"
#include "tests/support/template_run.h"

using namespace hyb;

namespace {

constexpr double kDeg = kTwoPi / 360.0;

WalkerParams studySet() {
  WalkerParams params;
  params.touch_down_rad = 69.0 * kDeg;
  return params;
}
WalkerParams testSet() {
  WalkerParams params;
  params.mass_kg = 30.0;
  params.inertia_kg_m2 = 3.0;
  params.leg_stiffness_n_per_m = 5400.0;
  params.touch_down_rad = 75.0 * kDeg;
  return params;
}
constexpr GaitStart kStudyStart{1.086, 1.136, 0.0, -0.145}, kTestStart{1.0709, 0.97633, 0.0, -0.0071};

/// What a walk comes to, from its third step on.
struct Walk {
  std::int64_t steps = 0;
  double step_s = 0.0, step_m = 0.0;                    // means
  double slowest = 1e9, fastest = 0.0;                  // forward speed at touch-down, m/s
  double trunk_rad = 0.0;                               // there, of the last
  double lowest_m = 1e9, highest_m = 0.0;               // centre of mass
  double take_off_deg = 0.0;                            // of the last
  double stance = 0.0;                                  // share of the stride
  double ground_y = 0.0, ground_x = 0.0, torque = 0.0;  // peaks of a leg over m g, m g and m g l
};
Walk walk(const WalkerParams& params, const GaitStart& start, std::int64_t steps, double tick_s = 1e-4) {
  Walker walker(params, start, Scheme::rk4, tick_s, 1);
  Walk found;
  const double weight = params.mass_kg * kGravity_m_per_s2;
  double began_s = 0.0, began_m = 0.0;
  std::int64_t stands = 0, ticks = 0;
  while (walker.steps() < steps && !walker.fallen()) {
    walker.advance();
    if (walker.steps() != found.steps) {
      found.steps = walker.steps();
      const double speed = walker.touchDown().vx_m_per_s;
      found.slowest = std::min(found.slowest, speed);
      found.fastest = std::max(found.fastest, speed);
      if (found.steps == 2) {
        began_s = walker.touchDownTime();
        began_m = walker.touchDown().x_m;
      }
    }
    found.lowest_m = std::min(found.lowest_m, walker.state().y_m);
    found.highest_m = std::max(found.highest_m, walker.state().y_m);
    const LegForces left = walker.forces(WalkerLeg::left);
    found.ground_y = std::max(found.ground_y, left.y_n / weight);
    found.ground_x = std::max(found.ground_x, std::abs(left.x_n) / weight);
    found.torque = std::max(found.torque, std::abs(left.torque_n_m) / (weight * params.leg_length_m));
    if (found.steps >= 2) {
      ++ticks;
      stands += walker.leg(WalkerLeg::left).stands ? 1 : 0;
    }
  }
  found.step_s = (walker.touchDownTime() - began_s) / static_cast<double>(found.steps - 2);
  found.step_m = (walker.touchDown().x_m - began_m) / static_cast<double>(found.steps - 2);
  found.trunk_rad = walker.touchDown().trunk_rad;
  found.take_off_deg = walker.leg(WalkerLeg::left).left_at_rad / kDeg;
  found.stance = static_cast<double>(stands) / static_cast<double>(ticks);
  return found;
}
Json stride() { return templateDocument("prosthetic-foot"); }

}  // namespace

class InsamGait : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Forward speed at touch-down within 1e-4 of its middle.
  void v66StudySet() {
    const Walk found = walk(studySet(), kStudyStart, 62);
    QCOMPARE(found.steps, std::int64_t{62});
    QVERIFY2(test::isNear(found.step_s, 0.4354, 0.005), qPrintable(QString::number(found.step_s)));
    QVERIFY2(test::isNear(found.step_m, 0.508, 0.005), qPrintable(QString::number(found.step_m)));
    QVERIFY2(test::isNear(found.slowest, 1.1779, 0.005) && found.fastest - found.slowest < 2e-4 * found.slowest,
             qPrintable(QString("%1 %2").arg(found.slowest, 0, 'g', 8).arg(found.fastest, 0, 'g', 8)));
    QVERIFY2(test::isNear(found.trunk_rad, -0.0125, 0.005), qPrintable(QString::number(found.trunk_rad)));
    QVERIFY(test::isNear(found.lowest_m, 0.9953, 1e-4) && test::isNear(found.highest_m, 1.0860, 1e-4));
    QVERIFY2(std::abs(found.take_off_deg - 111.0) < 0.01, qPrintable(QString::number(found.take_off_deg)));
    QVERIFY2(test::isNear(found.stance, 0.703, 0.005), qPrintable(QString::number(found.stance)));
    QVERIFY(test::isNear(found.ground_y, 1.199, 0.005) && test::isNear(found.ground_x, 0.230, 0.005));
    QVERIFY(test::isNear(found.torque, 0.0807, 0.005));
  }

  void v67TestSet() {
    const Walk found = walk(testSet(), kTestStart, 62);
    QCOMPARE(found.steps, std::int64_t{62});
    QVERIFY2(test::isNear(found.step_s, 0.312, 0.005), qPrintable(QString::number(found.step_s)));
    QVERIFY2(test::isNear(found.step_m, 0.3056, 0.005), qPrintable(QString::number(found.step_m)));
    QVERIFY2(test::isNear(found.fastest, 0.981, 0.005) && test::isNear(found.slowest, 0.9804, 0.005),
             qPrintable(QString("%1 %2").arg(found.slowest).arg(found.fastest)));
    QVERIFY2(std::abs(found.take_off_deg - 105.0) < 0.02, qPrintable(QString::number(found.take_off_deg)));
    QVERIFY2(test::isNear(found.stance, 0.849, 0.005), qPrintable(QString::number(found.stance)));
    QVERIFY(test::isNear(found.lowest_m, 1.0446, 3e-4) && test::isNear(found.highest_m, 1.0710, 3e-4));
    QVERIFY(test::isNear(found.ground_y, 0.82, 0.01) && test::isNear(found.ground_x, 0.094, 0.01) &&
            test::isNear(found.torque, 0.033, 0.01));
  }

  /// As the source ran it: explicit Euler, 0.2 ms. It walks on and slowly speeds up.
  void v67WithEuler() {
    Walker walker(testSet(), kTestStart, ButcherTableau{{{}}, {1.0}}, 1e-3, 5);
    while (walker.steps() < 60 && !walker.fallen()) walker.advance();
    QVERIFY(!walker.fallen());
    QVERIFY(walker.touchDown().vx_m_per_s > 0.99 && walker.touchDown().vx_m_per_s < 1.1);
  }

  /// Section 16.2.1: the printed starts are what the search finds at their speeds, and it walks 50 steps from them.
  void startsByEvolution_data() {
    QTest::addColumn<bool>("study");
    QTest::newRow("study set") << true;
    QTest::newRow("test set") << false;
  }
  void startsByEvolution() {
    QFETCH(bool, study);
    const WalkerParams params = study ? studySet() : testSet();
    const GaitStart printed = study ? kStudyStart : kTestStart;
    GaitStart from = printed;
    from.height_m -= 0.005;
    from.trunk_rate_rad_per_s = 0.0;
    const FoundGait found = searchGait(params, from, Scheme::rk4, 1e-3);
    QVERIFY2(std::abs(found.start.height_m - printed.height_m) < 2e-4,
             qPrintable(QString::number(found.start.height_m)));
    QVERIFY2(std::abs(found.start.trunk_rate_rad_per_s - printed.trunk_rate_rad_per_s) < 2e-3,
             qPrintable(QString::number(found.start.trunk_rate_rad_per_s)));
    QVERIFY(found.gait && found.deviation < 1e-5 && found.steps == 50 && found.speed_variation < 1e-4);
  }

  /// Equations 15.7 and 15.8: about the centre of mass by the forces through the pivot, and by hip and hip torque.
  void v68TwoTrunkEquations() {
    Walker walker(studySet(), kStudyStart, Scheme::rk4, 1e-3, 1);
    double most = 0.0;
    for (int k = 0; k < 2000; ++k) {
      walker.advance();
      const WalkerState& at = walker.state();
      const WalkerParams& p = walker.params();
      const double sine = std::sin(at.trunk_rad), cosine = std::cos(at.trunk_rad);
      double by_hip = 0.0;
      for (const WalkerLeg which : {WalkerLeg::left, WalkerLeg::right}) {
        if (!walker.leg(which).stands) continue;
        const double from_x = walker.hipX() - walker.leg(which).foot_x_m;
        const double length = std::hypot(from_x, walker.hipY()), spring_n = p.leg_stiffness_n_per_m * (1.0 - length);
        const double to_pivot_x = at.x_m + p.pivot_m * sine - walker.leg(which).foot_x_m;
        const double gamma = std::atan2(walker.hipY(), from_x) - std::atan2(at.y_m + p.pivot_m * cosine, to_pivot_x);
        const LegForces ground = walker.forces(which);
        by_hip += p.hip_m * (cosine * ground.x_n - sine * ground.y_n) + spring_n * std::tan(gamma) * length;
      }
      most = std::max(most, std::abs(by_hip));
      QVERIFY(std::abs(-p.inertia_kg_m2 * walker.trunkAcceleration() - by_hip) < 1e-9);
    }
    QVERIFY(most > 1.0);
  }

  void v69TheForceOfAFootPassesThroughThePivot() {
    Walker walker(studySet(), kStudyStart, Scheme::rk4, 1e-3, 1);
    double most_n = 0.0;
    for (int k = 0; k < 2000; ++k) {
      walker.advance();
      const WalkerState& at = walker.state();
      const WalkerParams& p = walker.params();
      for (const WalkerLeg which : {WalkerLeg::left, WalkerLeg::right}) {
        if (!walker.leg(which).stands) continue;
        const LegForces ground = walker.forces(which);
        const double size = std::hypot(ground.x_n, ground.y_n);
        const double up_x = at.x_m + p.pivot_m * std::sin(at.trunk_rad) - ground.pressure_x_m,
                     up_y = at.y_m + p.pivot_m * std::cos(at.trunk_rad);
        QVERIFY(std::abs(up_x * ground.y_n - up_y * ground.x_n) <= 1e-9 * std::max(1.0, size));
        const double from_x = walker.hipX() - walker.leg(which).foot_x_m;
        const double length = std::hypot(from_x, walker.hipY()), spring_n = p.leg_stiffness_n_per_m * (1.0 - length);
        const double across_n = (ground.x_n * walker.hipY() - ground.y_n * from_x) / length;
        QVERIFY(std::abs(size * size - spring_n * spring_n - across_n * across_n) <= 1e-9 * size * size);
        most_n = std::max(most_n, size);
      }
    }
    QVERIFY(most_n > 500.0);
  }

  /// -0.06 m at 75 degrees, 0 at 90 and 0.19 m at 105.
  void v70CentreOfPressure() {
    WalkerParams params = testSet();
    params.heel_m = 0.06;
    params.forefoot_m = 0.19;
    Walker walker(params, kTestStart, Scheme::rk4, 1e-4, 1);
    double first = 0.0, last = 0.0;
    for (int k = 0; k < 6000; ++k) {
      walker.advance();
      if (!walker.leg(WalkerLeg::right).stands) continue;
      const double over = walker.legAngle(WalkerLeg::right) - 90.0 * kDeg;
      const double shift = walker.forces(WalkerLeg::right).pressure_x_m - walker.leg(WalkerLeg::right).foot_x_m;
      QVERIFY(std::abs(shift - (over <= 0.0 ? 0.06 : 0.19) * over / (15.0 * kDeg)) < 1e-12);
      first = std::min(first, shift);
      last = std::max(last, shift);
    }
    QVERIFY2(std::abs(first + 0.06) < 2e-4 && last > 0.15, qPrintable(QString("%1 %2").arg(first).arg(last)));
  }

  /// The study set's stump and foot in series are its leg, and so are the template's.
  void v71SeriesStiffness() {
    QVERIFY(test::isNear(1.0 / (1.0 / 15082.0 + 1.0 / 94176.0), 13000.0, 1e-3));
    const Project project = parseProject(stride());
    const Eigen::MatrixXd k = buildPartition(project).numerical.k;
    const double stump = -k(0, 1), leg = k(0, 0) + k(0, 1), foot = project.twin.laws[0].law->stiffness();
    QVERIFY(test::isNear(1.0 / (1.0 / stump + 1.0 / foot), leg, 1e-3));
    QCOMPARE(leg, 5400.0);
  }

  /// As printed, 4950 N/m of a foot below a leg of 5400 N/m is refused.
  void v72AFootSofterThanItsLeg() {
    Json document = stride();
    document["rig"]["specimen"]["laws"][0]["stiffness_n_per_m"] = 4950;
    const std::vector<Issue> issues = validate(document);
    QCOMPARE(issues.size(), std::size_t{1});
    QCOMPARE(issues[0].where, std::string("/rig/specimen/laws/0"));
    QVERIFY2(issues[0].message.find("4950 N/m") != std::string::npos, issues[0].message.c_str());
  }

  void v73CriticalDamping() {
    QVERIFY(test::isNear(2.0 * std::sqrt(0.005 * 1100.0), 4.69, 1e-3));
    const Partition partition = buildPartition(parseProject(stride()));
    QVERIFY(test::isNear(-Eigen::MatrixXd(partition.numerical.c)(0, 1), 2.0 * std::sqrt(0.005 * 11000.0), 3e-3));
  }

  /// Row V-74, of type T: with the centre of pressure rolling the start is no gait. It slows down, leans back, bounces
  /// higher, and falls in the third stride.
  void v74RollingIsNoGait() {
    WalkerParams params = testSet();
    params.heel_m = 0.06;
    params.forefoot_m = 0.19;
    Walker walker(params, kTestStart, Scheme::rk4, 1e-3, 5);
    std::vector<double> speeds, trunks;
    while (!walker.fallen() && walker.steps() < 60) {
      const std::int64_t before = walker.steps();
      walker.advance();
      if (walker.steps() == before || walker.steps() % 2 == 0) continue;
      speeds.push_back(walker.touchDown().vx_m_per_s);
      trunks.push_back(walker.touchDown().trunk_rad);
    }
    QVERIFY(speeds.size() >= 2);
    QVERIFY(speeds[0] > 0.97 && speeds[1] < 0.9);
    QVERIFY(trunks[1] < -0.02);
    QVERIFY(walker.fallen());
    QCOMPARE(walker.steps() / 2, std::int64_t{2});
  }

  /// Row V-75, of type T: the template as shipped, one stride on the twin.
  void v75OneStrideOnTheRig() {
    const test::TemplateRun run(stride());
    QVERIFY2(run.ended() == EndReason::completed, run.sentence().c_str());
    const std::vector<double> steps = run.channel("steps"), height = run.channel("body_y"),
                              speed = run.channel("body_speed"), trunk = run.channel("trunk_angle"),
                              ground = run.channel("right_ground_y"), pressure = run.channel("right_pressure"),
                              along = run.channel("right_ground_x");
    constexpr std::size_t kFrom = 500, kTo = 1120;
    QVERIFY(steps.size() > kTo);
    QCOMPARE(steps[kTo], 2.0);
    const auto [low, high] = std::minmax_element(height.begin() + kFrom, height.begin() + kTo);
    QVERIFY2(*low > 1.03 && *high < 1.09, qPrintable(QString("%1 %2").arg(*low).arg(*high)));
    QVERIFY(speed[kTo] < speed[kFrom]);
    QVERIFY(trunk[kTo] < -0.02);
    const double weight = 30.0 * kGravity_m_per_s2, most = *std::max_element(ground.begin(), ground.end());
    QVERIFY2(most > 0.7 * weight && most < 1.5 * weight, qPrintable(QString::number(most / weight)));
    double across = 0.0;
    for (const double force : along) across = std::max(across, std::abs(force));
    QVERIFY2(across < 0.25 * weight, qPrintable(QString::number(across / weight)));
    QVERIFY(*std::min_element(pressure.begin(), pressure.end()) < -0.05);
    QVERIFY(*std::max_element(pressure.begin(), pressure.end()) > 0.1);
    // The ankle follows: what is left is the lag of leg and force.
    const double peak = run.figures().at("interfaces").at(0).at("gap_peak");
    QVERIFY2(peak < 4e-3, qPrintable(QString::number(peak)));
  }

  /// Section 16.2.1, by the built-in study and as the program runs it: on a foot that does not roll and actuators that
  /// follow at once, the search at the printed speed finds the printed start again.
  void theStudyFindsThePrintedStart() {
    Json document = shippedStudy("walker-start")->document;
    document["set"]["/coupling/roll"] = Json::object();
    document["set"]["/rig/actuators"] = {{{"model", "ideal"}}, {{"model", "ideal"}}};
    document["search"]["settings"].erase(1);
    document["search"]["method"] = {{"kind", "particle-swarm"}, {"particles", 16}, {"generations", 14}};
    QTemporaryDir folder;
    const Study study = parseStudy(document);
    const StudySummary found = runStudy(study, folder.filePath("s.h5").toStdString(), 2);
    QVERIFY(found.best.has_value());
    const Study ran = studyOf(readStudyFile(folder.filePath("s.h5").toStdString()), {});
    const double height_m = ran.variations[0].values[*found.best].get<double>(),
                 rate = ran.variations[1].values[*found.best].get<double>();
    const QString told =
        QString("%1 m, %2 rad/s, deviation %3").arg(height_m, 0, 'g', 8).arg(rate).arg(found.best_value);
    QVERIFY2(std::abs(height_m - kTestStart.height_m) < 1e-3, qPrintable(told));
    QVERIFY2(std::abs(rate - kTestStart.trunk_rate_rad_per_s) < 0.02, qPrintable(told));
    QVERIFY2(found.best_value < 5e-3, qPrintable(told));
  }

  /// As shipped, but for fewer candidates: a start that changes less over its stride than the printed one (0.22). With
  /// 900 candidates it is 0.12: the roll takes energy, and no start gives it back.
  void theStudyFindsABetterStartOnTheRollingFoot() {
    Json document = shippedStudy("walker-start")->document;
    document["search"]["method"] = {{"kind", "particle-swarm"}, {"particles", 10}, {"generations", 8}};
    QTemporaryDir folder;
    const StudySummary found = runStudy(parseStudy(document), folder.filePath("s.h5").toStdString(), 2);
    QVERIFY2(found.best && found.best_value > 0.1 && found.best_value < 0.18,
             qPrintable(QString::number(found.best_value)));
  }

  /// Section 17.3: with the rolling foot the printed start is no gait, which the figure of the template tells.
  void theDeviationOfTheTemplate() {
    Json document = stride();
    document["loop"]["duration_s"] = 1.3;
    const auto deviation = [](const Json& of) {
      return test::TemplateRun(of, true).figures().at("measures").at("stride_deviation");
    };
    const double rolling = deviation(document).get<double>();
    document["coupling"]["roll"] = Json::object();
    const double standing = deviation(document).get<double>();
    QVERIFY2(rolling > 10.0 * standing && standing < 0.02, qPrintable(QString("%1 %2").arg(rolling).arg(standing)));
    document["loop"]["duration_s"] = 0.9;
    QVERIFY(deviation(document).is_null());
    QVERIFY(!test::TemplateRun(templateDocument("face-linear"), true)
                 .figures()
                 .at("measures")
                 .contains("stride_deviation"));
  }
};

HYB_SUITE(paper_insam_gait, InsamGait)
#include "insam_gait.moc"
