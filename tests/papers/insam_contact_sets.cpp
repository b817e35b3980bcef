/// Insam 2022, section 19.2: learning whose set is switched at contact, in the closed loop of the contact project; and
/// section 17.2: repeatability over the trials of a run.
#include <algorithm>
#include <cmath>

#include "core/assess/learning_report.h"
#include "core/assess/stability_report.h"
#include "core/project/project.h"
#include "tests/support/compare.h"
#include "tests/support/contact_bump.h"
#include "tests/support/issues.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"
#include "tests/support/template_run.h"
#include "tests/support/values.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr std::size_t kSetTrial_ticks = 4000, kSetPause_ticks = 1000;

/// The contact project in trials, whose contact at -10 mm a force stage detects; PPI1.
Json contactTrials(int trials, const Json& addition) {
  Json document = loadDocument(std::string(kSourceDir) + "/tests/data/projects/contact-bump.json");
  for (const std::string& change : dampedBy(200.0)) setValue(document, change);
  Json& actuator = document["rig"]["actuators"][0];
  actuator["position_gain_per_s"] = 20;
  actuator["integral_gain_a_per_m"] = 1;
  actuator["velocity_feedforward"] = false;
  document["coupling"]["force_stages"] = {{{"stage", "contact-force"}, {"gap_m", 0.01}}};
  document["loop"]["duration_s"] = 0;
  document["loop"]["trials"] = {{"count", trials}, {"length_s", 4}, {"pause_s", 1}};
  document["analysis"]["start_s"] = 0;
  document["safety"]["limits"] = {{{"quantity", "not-a-number"}, {"action", "stop"}}};
  if (!addition.empty()) document["compensation"]["additions"] = Json::array({addition});
  return document;
}
/// beta = 16 1/s and gamma = 1 with this cut-off, in contact with another one; 0: no set for contact.
Json learning(double cutoff_hz, double contact_hz = 0.0) {
  Json settings = {{"proportional", 16.0 / 20.0}, {"derivative_s", 1.0 / 20.0}, {"cutoff_hz", cutoff_hz}};
  if (contact_hz > 0.0) {
    settings["contact"] = settings;
    settings["contact"]["cutoff_hz"] = contact_hz;
  }
  settings["addition"] = "iterative-learning";
  settings["at"] = "velocity";
  return settings;
}

/// Largest gap of each trial, mm, in this phase (1 in contact, 0 in free motion).
std::vector<double> gapsOf(const TemplateRun& run, double phase) {
  const std::vector<double> gap = run.channel("gap_1"), contact = run.channel("contact_1");
  std::vector<double> all;
  for (std::size_t from = 1; from + kSetTrial_ticks <= gap.size(); from += kSetTrial_ticks + kSetPause_ticks) {
    double largest_m = 0.0;
    for (std::size_t k = from; k < from + kSetTrial_ticks; ++k)
      if (contact[k] == phase) largest_m = std::max(largest_m, std::abs(gap[k]));
    all.push_back(1e3 * largest_m);
  }
  return all;
}
QString told(const std::vector<double>& values) {
  QString text;
  for (const double value : values) text += QString::number(value, 'g', 4) + ' ';
  return text;
}
Json conditionOf(const Json& document) { return stabilityReport(parseProject(document)).at("learning").at(0); }
double errorOf(const TemplateRun& run, std::size_t trial) {
  return run.figures().at("trials").at(trial).at("tracking_nrmse_percent").get<double>();
}

}  // namespace

class InsamContactSets : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void twoEqualSetsDoWhatOneDoes() {
    const std::vector<double> one = TemplateRun(contactTrials(4, learning(2.0))).channel("command_1"),
                              two = TemplateRun(contactTrials(4, learning(2.0, 2.0))).channel("command_1");
    QVERIFY(!one.empty() && one == two);
  }

  /// A cut-off of 12 Hz grows in contact, at 5 Hz (rows V-31 and V-33), and not in free motion. With 2 Hz in contact it
  /// converges, and to a smaller error than 2 Hz in both phases: what is learnt faster is the free motion.
  void aSetForContactConvergesWhereOneGrows() {
    const TemplateRun fast(contactTrials(10, learning(12.0))), slow(contactTrials(10, learning(2.0))),
        both(contactTrials(10, learning(12.0, 2.0)));
    QVERIFY2(errorOf(fast, 9) > 5.0 * errorOf(fast, 1), qPrintable(told(gapsOf(fast, 1.0))));
    QVERIFY(errorOf(both, 9) < 0.1 * errorOf(both, 0));
    compareRelative(errorOf(both, 9), errorOf(both, 7), 0.01, "it has settled");
    const double share = errorOf(both, 9) / errorOf(slow, 9);
    QVERIFY2(share < 0.75, qPrintable(QString::number(share)));
    compareRelative(gapsOf(slow, 0.0)[9], 0.1005, 0.02, "free motion with one set, mm");
    compareRelative(gapsOf(both, 0.0)[9], 0.0647, 0.02, "free motion with two sets, mm");
    compareRelative(gapsOf(both, 1.0)[9], gapsOf(slow, 1.0)[9], 0.02, "contact, mm");
  }

  /// The template as shipped, with the stage that detects its contact: 12 Hz in both phases meets the limit of the gap
  /// in the third trial; with its own 2 Hz in contact the free motion is led twice as well as by the template.
  void theTemplateWithASetForContact() {
    Json document = templateDocument("contact-ilc");
    document["loop"]["trials"]["count"] = 12;
    document["analysis"]["start_s"] = 0;
    document["coupling"]["force_stages"].push_back({{"stage", "contact-force"}, {"gap_m", 0.01}});
    const TemplateRun shipped(document);
    Json& addition = document["compensation"]["additions"][0];
    Json set = {{"cutoff_hz", addition["cutoff_hz"]}};
    for (const char* key : {"proportional", "derivative_s"}) set[key] = addition[key];
    addition["cutoff_hz"] = 12;
    const TemplateRun fast(document);
    addition["contact"] = set;
    const TemplateRun both(document);
    QVERIFY2(fast.sentence().starts_with("limit: gap"), fast.sentence().c_str());
    QVERIFY2(both.ended() == EndReason::completed, both.sentence().c_str());
    compareRelative(errorOf(shipped, 11), 0.7116, 0.01, "as shipped, J2 of its last trial, %");
    compareRelative(errorOf(both, 11), 0.6307, 0.01, "with two sets, J2 of their last trial, %");
    compareRelative(gapsOf(shipped, 0.0)[11], 0.157, 0.03, "as shipped, free motion, mm");
    compareRelative(gapsOf(both, 0.0)[11], 0.0819, 0.03, "with two sets, free motion, mm");
  }

  /// Of each phase, that of the project with the set of this phase as its only one; the sentence tells what it assumes.
  void theConditionIsThatOfEachPhase() {
    const Json fast = conditionOf(contactTrials(2, learning(12.0))),
               slow = conditionOf(contactTrials(2, learning(2.0))),
               both = conditionOf(contactTrials(2, learning(12.0, 2.0)));
    QVERIFY(both.at("over_frequency") == fast.at("over_frequency"));
    QVERIFY(both.at("over_frequency") != slow.at("over_frequency"));
    QVERIFY(both.at("in_contact") == slow.at("in_contact"));
    QVERIFY(fast.at("in_contact").at("largest").get<double>() > 1.0 &&
            both.at("in_contact").at("largest").get<double>() < 1.0);
    const std::vector<std::string> said = learningSentences(Json::array({both}));
    QVERIFY2(said.at(0).find("each phase by itself") != std::string::npos, said.at(0).c_str());
    QVERIFY(learns(both) && !learns(fast));
  }

  /// The FIR filter with the second set of gains, its coefficients kept from trial to trial. One set swings up over six
  /// trials; two settle, although the first contact, for which the second set knows nothing yet, costs twice the gap.
  void twoSetsOfAFilterSettleWhereOneSwingsUp() {
    const auto run = [](const Json& addition) {
      Json document = contactTrials(6, addition);
      document["rig"]["actuators"][0]["position_gain_per_s"] = 50;
      document["rig"]["actuators"][0]["integral_gain_a_per_m"] = 5;
      return TemplateRun(document);
    };
    const TemplateRun one(run({{"addition", "fir"}, {"step_size", 0.1}})),
        two(run({{"addition", "fir"}, {"step_size", 0.1}, {"contact", {{"step_size", 0.1}}}}));
    const std::vector<double> once = gapsOf(one, 1.0), twice = gapsOf(two, 1.0);
    compareRelative(once[0], 0.066, 0.05, "one set, first trial, mm");
    compareRelative(twice[0], 0.135, 0.05, "two sets, first trial, mm");
    QVERIFY2(once[5] > 1.0, qPrintable(told(once)));
    compareRelative(twice[5], 0.176, 0.05, "two sets, last trial, mm");
    compareRelative(twice[5], twice[3], 0.01, "they have settled");
    // A set is held while the other phase lasts, and acts at once when its own begins.
    const std::vector<double> contact = two.channel("contact_1"), free_tap = two.channel("fir_coefficient_1_1"),
                              contact_tap = two.channel("fir_contact_coefficient_1_1");
    QVERIFY(contact.size() == free_tap.size() && contact.size() == contact_tap.size());
    int switches = 0;
    for (std::size_t k = 2; k < kSetTrial_ticks; ++k) {
      const auto changes = [k](const std::vector<double>& tap) { return tap[k] != tap[k - 1]; };
      QVERIFY(!(changes(free_tap) && changes(contact_tap)));
      QVERIFY(!changes(contact[k] == 1.0 ? free_tap : contact_tap));
      switches += contact[k] != contact[k - 1];
    }
    QCOMPARE(switches, 2);
  }

  void aSetForContactNeedsItsDetection() {
    for (const Json& addition : {learning(12.0, 2.0), Json{{"addition", "fir"}, {"contact", Json::object()}}}) {
      Json document = contactTrials(2, addition);
      QVERIFY2(validate(document).empty(), qPrintable(shown(validate(document))));
      document["coupling"]["force_stages"] = Json::array();
      EXPECT_ISSUE(validate(document), "/compensation/additions/0/contact", "contact-force");
      document["coupling"]["force_stages"] = {{{"stage", "passivity"}}};
      EXPECT_ISSUE(validate(document), "/compensation/additions/0/contact", "contact-force");
    }
    Json document = contactTrials(2, learning(12.0, 0.1));
    EXPECT_ISSUE(validate(document), "/compensation/additions/0/contact/cutoff_hz", "longer than the trial");
  }

  /// Section 17.2: three trials without learning scatter by the noise of the sensor of the motion, which nothing feeds
  /// back. With noise of the force, which drives the computed side, as counted here: the first trial has one row more
  /// than the others, that of its time 0.
  void repeatabilityOfThreeTrials() {
    constexpr double kNoise_m = 2e-5;
    Json document = contactTrials(3, {});
    document["coupling"].erase("force_stages");
    document["rig"]["displacement_sensor"] = {{"noise_rms_m", kNoise_m}};
    const TemplateRun quiet(document, true);
    compareRelative(quiet.figures().at("interfaces").at(0).at("measures").at("trial_scatter").get<double>(), kNoise_m,
                    0.02, "scatter of the motion, m");
    document["rig"]["force_sensor"] = {{"noise_rms_n", 0.1}};
    const TemplateRun run(document, true);
    const Json& figures = run.figures().at("interfaces").at(0).at("measures");
    const auto counted = [&](const std::string& name) {
      const std::vector<double> all = run.channel(name);
      double scatter = 0.0, squares = 0.0;
      for (std::size_t k = 1; k <= kSetTrial_ticks; ++k) {
        const double a = all[k], b = all[k + kSetTrial_ticks + kSetPause_ticks],
                     c = all[k + 2 * (kSetTrial_ticks + kSetPause_ticks)], mean = (a + b + c) / 3.0;
        scatter += 0.5 * ((a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean));
        squares += mean * mean;
      }
      return 100.0 * std::sqrt(scatter / squares);
    };
    compareRelative(figures.at("trial_scatter_percent").get<double>(), counted("measured_1"), 1e-9, "motion, %");
    compareRelative(figures.at("trial_force_scatter_percent").get<double>(), counted("force_1"), 1e-9, "force, %");
  }

  /// Fewer than two trials in the analysed part determine no scatter; a test without trials has none.
  void repeatabilityNeedsTwoTrials() {
    Json document = contactTrials(2, {});
    document["analysis"]["start_s"] = 2;
    const TemplateRun one(document, true);
    QVERIFY(one.figures().at("interfaces").at(0).at("measures").at("trial_scatter").is_null());
    document["loop"].erase("trials");
    document["loop"]["duration_s"] = 4;
    const TemplateRun none(document, true);
    QVERIFY(!none.figures().at("interfaces").at(0).at("measures").contains("trial_scatter"));
  }
};

HYB_SUITE(paper_insam_contact_sets, InsamContactSets)
#include "insam_contact_sets.moc"
