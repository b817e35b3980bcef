#include <QTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "core/assess/stability_report.h"
#include "core/integration/integrator.h"
#include "core/project/project.h"
#include "tests/support/suite.h"
#include "tests/support/uncompensated.h"

using namespace hyb;

namespace {

/// Chains of masses between two walls with a random piece on the rig: one or two masses with all links around them, or
/// one link. Each interface DOF has an actuator of its own kind and delay.
class Chain {
 public:
  explicit Chain(unsigned seed) : random_(seed) {}

  Json document() {
    Json document = templateDocument("three-mass");
    const int masses = whole(3, 5), rate_hz = whole(1000, 4000);
    Json structure = {{"kind", "lumped"}, {"masses", Json::array()}, {"links", Json::array()}};
    structure["supports"] = {{{"name", "wall-1"}}, {{"name", "wall-2"}}};
    const auto node = [&](int m) {
      return m == 0 ? std::string("wall-1") : m > masses ? std::string("wall-2") : "m" + std::to_string(m);
    };
    for (int m = 1; m <= masses; ++m)
      structure["masses"].push_back({{"name", node(m)}, {"mass_kg", within(1.0, 10.0)}});
    for (int link = 0; link <= masses; ++link)
      structure["links"].push_back({{"name", "k" + std::to_string(link)},
                                    {"from", node(link)},
                                    {"to", node(link + 1)},
                                    {"stiffness_n_per_m", within(3e3, 3e4)},
                                    {"damping_n_s_per_m", within(3.0, 60.0)}});
    document["structure"] = structure;

    Json physical = Json::array();
    int interfaces = 2;
    if (whole(0, 2) == 0) {
      physical.push_back("k" + std::to_string(whole(1, masses - 1)));
    } else {
      const int first = whole(1, masses - 1), last = std::min(masses - (first == 1 ? 1 : 0), first + whole(0, 1));
      for (int m = first; m <= last; ++m) physical.push_back(node(m));
      for (int link = first - 1; link <= last; ++link) physical.push_back("k" + std::to_string(link));
      interfaces = (first > 1 ? 1 : 0) + (last < masses ? 1 : 0);
    }
    document["partition"] = {{"physical", physical}};
    int pushed = 1;  // the first mass that is not on the rig
    while (std::find(physical.begin(), physical.end(), Json(node(pushed))) != physical.end()) ++pushed;
    document["excitation"] = Json::parse(R"({"signals": [{"name": "push", "kind": "sine", "amplitude_n": 10,
      "frequency_hz": 1}], "loads": [{"signal": "push"}]})");
    document["excitation"]["loads"][0]["dof"] = node(pushed);

    const double tick_s = 1.0 / rate_hz;
    Json actuators = Json::array();
    for (int i = 0; i < interfaces; ++i) actuators.push_back(actuator(tick_s));
    document["rig"] = {{"kind", "twin"}, {"seed", 1}, {"actuators", actuators}};
    document["rig"]["specimen"] = {{"mass_factor", within(0.8, 1.2)},
                                   {"damping_factor", within(0.8, 1.2)},
                                   {"stiffness_factor", within(0.8, 1.2)}};
    document["compensation"] = {{"method", "none"}};
    if (whole(0, 2) == 0) document["compensation"]["added_delay_s"] = within(0.0, 4e-3);
    document["integrator"] = integrator();
    document["loop"]["rate_hz"] = rate_hz;
    return document;
  }

 private:
  int whole(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }
  double within(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }

  Json actuator(double tick_s) {
    switch (whole(0, 5)) {
      case 0:
        return {{"model", "ideal"}};
      case 1:
        return {{"model", "pure-delay"}, {"delay_s", tick_s + within(0.0, 15e-3)}};
      case 2:
        return {{"model", "first-order"}, {"lag_s", within(1e-3, 10e-3)}, {"delay_s", within(0.0, 4e-3)}};
      case 3:
        return {{"model", "servo-hydraulic"},  // as published for the benchmark of 2020
                {"a1b0", 2.1283e13},
                {"a2", 4229700.0},
                {"a3", 3.3},
                {"b1", 425.0},
                {"b2", 99976.0},
                {"piston_mass_kg", within(1.0, 20.0)},
                {"delay_s", within(0.0, 2e-3)}};
      case 4:
        return {{"model", "leg"},
                {"plant_gain_m_per_a_s2", 1053.1},
                {"plant_pole_per_s", 55.5},
                {"position_gain_per_s", within(60.0, 120.0)},
                {"velocity_gain_a_s_per_m", 0.2},
                {"integral_gain_a_per_m", 5.0},
                {"delay_s", within(0.0, 2e-3)}};
      default:
        return {{"model", "servo"},
                {"natural_frequency_hz", within(15.0, 80.0)},
                {"damping_ratio", within(0.5, 1.0)},
                {"delay_s", within(0.0, 5e-3)}};
    }
  }

  Json integrator() {
    const auto schemes = allSchemes();
    const Scheme scheme = schemes[static_cast<std::size_t>(whole(0, static_cast<int>(schemes.size()) - 1))];
    Json section = {{"scheme", std::string(name(scheme))}};
    if (whole(0, 3) == 0) section["substeps"] = 2;
    if (whole(0, 5) == 0 && !section.contains("substeps")) section["ticks_per_step"] = 2;
    return section;
  }

  std::mt19937 random_;
};

}  // namespace

/// The two analyses of a project's loop, in continuous time with each actuator's own response and from tick to tick
/// with the real integrator and twin, say the same of a hundred random projects, by the report that the command prints.
/// Continuous time knows a sampled velocity or a held command to the order of the tick only. A loop is marginal, and
/// not asked, where half a tick more of delay moves the rightmost root by as much as it lies from the axis; another is
/// drawn in its place, and how many there were is said.
class LoopAgreementTest : public QObject {
  Q_OBJECT

  /// A prediction of 1 to 8 ms on all actuators, straight or curved.
  static void predict(Json& document, unsigned seed) {
    std::mt19937 random(seed);
    const auto within = [&](double from, double to) {
      return std::uniform_real_distribution<double>(from, to)(random);
    };
    const double rate_hz = document["loop"]["rate_hz"].get<double>();
    const int order = within(0.0, 1.0) < 0.5 ? 1 : 2;
    document["compensation"]["method"] = "forward-prediction";
    document["compensation"]["order"] = order;
    document["compensation"]["points"] = order + 1 + static_cast<int>(within(1.0, 6.0));
    document["compensation"]["prediction_ticks"] = within(1e-3, 8e-3) * rate_hz;
    document["compensation"]["max_prediction_ticks"] = 40.0;
  }

  /// Real part of the rightmost root below the cut-off, 1/s; far to the left where there is none.
  static double rightmost(const Json& report) {
    return report.at("roots").empty() ? -1e6 : report["roots"][0]["re"].get<double>();
  }

 private Q_SLOTS:
  /// The servo-hydraulic actuator's states are of 1e13 beside the delayed commands: nothing but the physics may grow,
  /// and it grows with the delay.
  void aLateHydraulicActuator() {
    Json document = test::uncompensatedBenchmark();
    double before = 0.0;
    for (const double delay_s : {0.0, 0.5e-3, 2e-3, 4e-3, 8e-3, 16e-3}) {
      document["rig"]["actuators"][0]["delay_s"] = delay_s;
      const Json report = stabilityReport(parseProject(document));
      const double growth = report["discrete"]["growth_per_s"].get<double>();
      QVERIFY2(growth > before && growth < 2.0, qPrintable(QString::number(growth)));
      QVERIFY(std::abs(growth - rightmost(report)) < 0.05 * growth + 0.02);
      before = growth;
    }
  }

  /// Damping and stiffness of the piston act on both analyses: the stiffness makes the motion grow faster.
  void aPistonWithDampingAndStiffness() {
    const auto growth = [](double damping_n_s_per_m, double stiffness_n_per_m) {
      Json document = test::uncompensatedBenchmark();
      document["rig"]["actuators"][0].update(
          {{"piston_damping_n_s_per_m", damping_n_s_per_m}, {"piston_stiffness_n_per_m", stiffness_n_per_m}});
      const Json report = stabilityReport(parseProject(document));
      const double found = report["discrete"]["growth_per_s"].get<double>();
      QTest::qVerify(std::abs(found - rightmost(report)) < 0.05 * std::abs(found) + 0.02, "both agree",
                     qPrintable(QString("%1 and %2 1/s").arg(found).arg(rightmost(report))), __FILE__, __LINE__);
      return found;
    };
    const double base = growth(0.0, 0.0), damped = growth(5e4, 0.0), stiff = growth(0.0, 2e6), both = growth(5e4, 2e6);
    const QString found = QString("%1, %2, %3, %4 1/s").arg(base).arg(damped).arg(stiff).arg(both);
    QVERIFY2(stiff > 1.1 * base && std::abs(damped - base) > 1e-3 && std::abs(both - stiff) > 1e-3, qPrintable(found));
  }

  void onAHundredRandomProjects_data() {
    QTest::addColumn<bool>("predicted");
    QTest::newRow("as they are") << false;
    QTest::newRow("predicted") << true;
  }
  void onAHundredRandomProjects() {
    QFETCH(bool, predicted);
    const int wanted = test::kThorough ? 100 : 2;
    int stable = 0, unstable = 0, marginal = 0;
    QStringList wrong;
    for (unsigned seed = 1; stable + unstable < wanted && marginal <= wanted; ++seed) {
      Json document = Chain(seed).document();
      if (predicted) predict(document, seed);
      const std::vector<Issue> issues = validate(document);
      QVERIFY2(issues.empty(), issues.empty() ? "" : (issues[0].where + " " + issues[0].message).c_str());
      const Json report = stabilityReport(parseProject(document));
      QVERIFY2(report["discrete"].is_object(), report.value("discrete_fault", std::string()).c_str());
      const double root = rightmost(report), cutoff_hz = report["cutoff_hz"].get<double>(),
                   growth = report["discrete"]["below_cutoff"]["growth_per_s"].get<double>();
      const bool grows = report["discrete"]["below_cutoff"]["grows"].get<bool>();
      const double half_tick_s = 0.5 / document["loop"]["rate_hz"].get<double>();
      document["compensation"]["added_delay_s"] = document["compensation"].value("added_delay_s", 0.0) + half_tick_s;
      const double later = rightmost(stabilityReport(parseProject(document), {}, cutoff_hz));
      if (std::abs(root) <= std::abs(later - root)) {
        ++marginal;
        continue;
      }
      QCOMPARE(report["stable"].get<bool>(), root < 0.0);
      ++(grows ? unstable : stable);
      if ((root < 0.0) == grows)
        wrong << QString("seed %1: root at %2 1/s, from tick to tick %3 1/s").arg(seed).arg(root).arg(growth);
    }
    const QString counts = QString("%1 stable, %2 unstable, %3 marginal").arg(stable).arg(unstable).arg(marginal);
    qInfo("%s", qPrintable(counts));
    QVERIFY2(wrong.isEmpty(), qPrintable(counts + '\n' + wrong.join('\n')));
    if (!test::kThorough) return;
    QVERIFY2(stable >= 15 && unstable >= 15 && marginal <= 10, qPrintable(counts));
  }
};

HYB_SUITE(loop_agreement, LoopAgreementTest)
#include "loop_agreement_test.moc"
