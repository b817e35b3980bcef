/// Insam 2022, passivity control in the closed loop of the contact project. Rows V-21, V-22 and V-26 to V-28 of table
/// D18 of the note; V-23 to V-25 and V-29 stand with the law itself (tests/core/coupling/force_stage_test.cpp).
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "core/project/project.h"
#include "tests/support/contact_bump.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"
#include "tests/support/template_run.h"

using namespace hyb;

namespace {

struct Leg {
  bool second_set = false;  // PPI2 in place of PPI1
  bool feedforward = false;
};

Json contactProject() { return loadDocument(std::string(test::kSourceDir) + "/tests/data/projects/contact-bump.json"); }

void damp(Json& document, double damping) {
  for (const std::string& change : test::dampedBy(damping)) setValue(document, change);
}

/// The contact project with a damping of the upper dashpot, kg/s, one of the source's sets of gains, and passivity
/// control where its gain, kg/s, is above 0.
test::TemplateRun bumpOf(double damping, const Leg& leg, double passivity_gain = 0.0) {
  Json document = contactProject();
  damp(document, damping);
  Json& actuator = document["rig"]["actuators"][0];
  actuator["position_gain_per_s"] = leg.second_set ? 50 : 20;
  actuator["integral_gain_a_per_m"] = leg.second_set ? 5 : 1;
  actuator["velocity_feedforward"] = leg.feedforward;
  if (passivity_gain > 0.0)
    document["coupling"]["force_stages"] = {{{"stage", "passivity"}, {"gain_kg_per_s", passivity_gain}}};
  return test::TemplateRun(document);
}

/// What the transfer system fed in over the test, J; all of it in contact, as no force acts in flight.
double energyFedIn(const test::TemplateRun& run) { return run.figures().at("energy_error").get<double>(); }

double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

/// RMS of the measured motion's distance from that of an actuator without error, over its largest.
double referenceError(const test::TemplateRun& run, const std::vector<double>& reference) {
  const std::vector<double> x = run.channel("measured_1");
  double squares = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) squares += (x[k] - reference[k]) * (x[k] - reference[k]);
  return std::sqrt(squares / static_cast<double>(x.size())) / largest(reference);
}

}  // namespace

class InsamPassivity : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// The note's twin: 0.05 J with the first set of gains, 0.015 J with the second.
  void v21HardlyDampedWithFeedforwardIsUnstable_data() {
    QTest::addColumn<bool>("second_set");
    QTest::addColumn<double>("fed_j");
    QTest::newRow("PPI1") << false << 0.05;
    QTest::newRow("PPI2") << true << 0.015;
  }
  void v21HardlyDampedWithFeedforwardIsUnstable() {
    QFETCH(bool, second_set);
    QFETCH(double, fed_j);
    const double found_j = energyFedIn(bumpOf(5.0, {second_set, true}));
    QVERIFY2(std::abs(found_j / fed_j - 1.0) < 0.05, qPrintable(QString::number(found_j)));
  }

  void v22EnergyInContactWithFeedforward() {
    const double fed_j = energyFedIn(bumpOf(50.0, {true, true}));
    QVERIFY2(fed_j > 2.0 * -1.95e-5 && fed_j < 0.5 * -1.95e-5, qPrintable(QString::number(fed_j)));
  }

  /// Without it the loop grows: 0.95 J in the note's twin. With it the motion stays close to the reference, closest
  /// with a gain of 800 to 1600 kg/s.
  void v26PassivityControlStabilises() {
    const std::vector<double> reference = test::TemplateRun([] {
                                            Json document = contactProject();
                                            damp(document, 50.0);
                                            document["rig"]["actuators"] = {{{"model", "ideal"}}};
                                            return document;
                                          }())
                                              .channel("measured_1");
    const auto without = bumpOf(50.0, {});
    QVERIFY2(std::abs(energyFedIn(without) / 0.95 - 1.0) < 0.05, qPrintable(QString::number(energyFedIn(without))));
    QVERIFY(referenceError(without, reference) > 0.06);
    std::map<double, double> errors;  // by gain
    for (const double gain : {400.0, 800.0, 1600.0, 3200.0}) {
      const auto run = bumpOf(50.0, {}, gain);
      errors[gain] = referenceError(run, reference);
      QVERIFY(energyFedIn(run) < 0.05 * energyFedIn(without));
      QVERIFY(run.channel("passivity_energy_1").back() > 0.0);
    }
    const double least = std::min(errors[800.0], errors[1600.0]);
    QVERIFY2(std::abs(least / 0.0286 - 1.0) < 0.1, qPrintable(QString::number(least)));
    QVERIFY(least < errors[400.0] && least < errors[3200.0]);
  }

  void v27PeakOfTheDampingForce() {
    const double peak_n = largest(bumpOf(50.0, {}, 1600.0).channel("passivity_force_1"));
    QVERIFY2(peak_n > 0.5 * 1.8 && peak_n < 2.0 * 1.8, qPrintable(QString::number(peak_n)));
  }

  /// Row V-28, of type T: beside velocity feed-forward the energy taken out grows with the gain and stays small.
  void v28EnergyTakenOutOverTheGain() {
    double before_j = 0.0;
    for (const double gain : {400.0, 800.0, 1600.0, 3200.0}) {
      const auto run = bumpOf(50.0, {true, true}, gain);
      const double taken_j = run.figures().at("measures").at("damped_energy").get<double>();
      QVERIFY2(taken_j > before_j && taken_j < 5e-4, qPrintable(QString::number(taken_j)));
      QVERIFY(std::abs(taken_j - run.channel("passivity_energy_1").back()) <= 1e-9 * taken_j);
      before_j = taken_j;
    }
  }

  /// Tests as shipped, with noise in both sensors and up to 4 ms of further delay: the transfer system feeds in less
  /// than a twentieth of what it does without passivity control and without them.
  void energyStaysBoundedUnderNoiseAndDelay() {
    constexpr double without_j = 0.95;
    std::mt19937 random(5);
    std::uniform_real_distribution<double> delay_s(0.0, 0.004);
    for (int seed = 1; seed <= (test::kThorough ? 100 : 3); ++seed) {
      Json document = templateDocument("contact-passivity");
      document["rig"]["seed"] = seed;
      document["rig"]["force_sensor"]["noise_rms_n"] = 0.2;
      document["rig"]["displacement_sensor"]["noise_rms_m"] = 1e-5;
      document["compensation"]["added_delay_s"] = delay_s(random);
      const test::TemplateRun run(document);
      QCOMPARE(run.ended(), EndReason::completed);
      QVERIFY2(energyFedIn(run) < 0.05 * without_j,
               qPrintable(QString("seed %1: %2 J").arg(seed).arg(energyFedIn(run))));
    }
  }

  /// Where the throughput passes through zero the law has no bound of its own: without the clamp the damping force is
  /// five times that of the usual law, with it no larger than that.
  void theClampBoundsTheDampingForce() {
    Json document = templateDocument("contact-passivity");
    Json& stage = document["coupling"]["force_stages"][0];
    const double usual_n = largest(test::TemplateRun(document).channel("passivity_force_1"));
    stage["magnitude"] = "after";
    stage["throughput_time_s"] = 0.01;
    const double clamped_n = largest(test::TemplateRun(document).channel("passivity_force_1"));
    stage["damping_limit_kg_per_s"] = 1e9;
    const double free_n = largest(test::TemplateRun(document).channel("passivity_force_1"));
    QVERIFY2(free_n > 5.0 * usual_n, qPrintable(QString::number(free_n)));
    QVERIFY2(clamped_n < usual_n, qPrintable(QString("%1 %2").arg(clamped_n).arg(usual_n)));
  }

  /// As shipped it is the test of rows V-26 and V-27, and with its force stage taken out the one that grows.
  void theTemplateIsThatTest() {
    Json document = templateDocument("contact-passivity");
    const test::TemplateRun with(document), same = bumpOf(50.0, {}, 1600.0);
    QCOMPARE(with.ended(), EndReason::completed);
    for (const char* channel : {"measured_1", "force_1", "passivity_force_1"})
      QVERIFY2(!with.channel(channel).empty() && with.channel(channel) == same.channel(channel), channel);
    document["coupling"].erase("force_stages");
    QCOMPARE(test::TemplateRun(document).ended(), EndReason::limit);
    document["safety"]["limits"] = Json::parse(R"([{"quantity": "not-a-number", "action": "stop"}])");
    const test::TemplateRun without(document);
    QVERIFY(std::abs(energyFedIn(without) / 0.95 - 1.0) < 0.05);
    QVERIFY(energyFedIn(with) < 0.05 * energyFedIn(without));
  }
};

HYB_SUITE(paper_insam_passivity, InsamPassivity)
#include "insam_passivity.moc"
