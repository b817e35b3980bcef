/// Poles and zeros of what the actuators make of their commands, held against the response that the analyses go by.
#include <algorithm>
#include <cmath>

#include "core/assess/plant.h"
#include "core/base/numbers.h"
#include "core/run/build.h"
#include "core/structure/reduction.h"
#include "core/transfer/command_response.h"
#include "tests/support/compare.h"
#include "tests/support/family_example.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Complex = std::complex<double>;

/// The product of the roots is the response, on the axis and beside it; its phase goes on from rest without a jump.
void compareWithResponse(const Project& project) {
  const Partition cut =
      withSpecimen(reduceSides(buildPartition(project), {}, project.partition.physical), project.twin.specimen);
  const std::vector<Plant> plants = plantsOf(project);
  QVERIFY(!plants.empty());
  QVERIFY(plants.size() >= cut.interface.size());
  const auto place = [&cut](const std::string& name) {
    return std::ranges::find(cut.interface, name, &Dof::name) - cut.interface.begin();
  };
  for (std::size_t i = 0; i < plants.size(); ++i) {
    const Eigen::Index axis = place(plants[i].dof), command = place(plants[i].command);
    if (i < cut.interface.size()) QVERIFY(axis == static_cast<Eigen::Index>(i) && command == axis);
    double before = plants[i].phase(0.0);
    for (int k = 1; k <= 400; ++k) {
      const double w = kTwoPi * 0.25 * k, phase = plants[i].phase(w);
      QVERIFY2(std::abs(phase - before) < 1.5 * kPi, qPrintable(QString::number(0.25 * k)));
      before = phase;
      if (k % 10 != 0) continue;
      const Complex expected = commandResponse(cut, project.twin, {0.0, w})(axis, command);
      const Complex found = plants[i].at({0.0, w});
      QVERIFY2(std::abs(found - expected) < 1e-6 * std::abs(expected),
               qPrintable(QString("%1 of %2 at %3 Hz").arg(std::abs(found)).arg(std::abs(expected)).arg(0.25 * k)));
      QVERIFY(std::abs(std::polar(1.0, phase) - expected / std::abs(expected)) < 1e-6);
    }
    const Complex beside(30.0, 200.0), expected = commandResponse(cut, project.twin, beside)(axis, command);
    QVERIFY(std::abs(plants[i].at(beside) - expected) < 1e-6 * std::abs(expected));
  }
}

/// Exciters of 1 kg on dashpots at the interfaces of a template, before a specimen of this mass and stiffness at every
/// DOF, none of which knows of another.
std::vector<Plant> exciterPlants(const char* name, double mass_kg, double stiffness_n_per_m) {
  Project project = parseProject(templateDocument(name));
  project.twin.actuators = {parseActuator(
      {{"model", "exciter"}, {"moving_mass_kg", 1.0}, {"stiffness_n_per_m", 0.0}, {"damping_n_s_per_m", 3.0}})};
  Partition cut = buildPartition(project);
  SystemMatrices& specimen = cut.physical;
  const auto n = static_cast<Eigen::Index>(specimen.size());
  specimen.m = specimen.c = specimen.k = SparseMatrix(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    specimen.m.insert(i, i) = mass_kg;
    specimen.k.insert(i, i) = stiffness_n_per_m;
  }
  return plantsOf(cut, project.twin);
}

}  // namespace

class PlantTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyTemplate_data() {
    QTest::addColumn<QString>("name");
    for (const Template& entry : templates()) QTest::newRow(entry.name.c_str()) << QString::fromStdString(entry.name);
  }
  void everyTemplate() {
    QFETCH(QString, name);
    compareWithResponse(parseProject(templateDocument(name.toStdString())));
  }

  /// The matrix of frequency responses of two actuators that move each other's axis.
  void crossCoupledActuatorsHaveAllEntries() {
    const std::vector<Plant> plants = plantsOf(parseProject(templateDocument("marths")));
    QCOMPARE(plants.size(), std::size_t{4});
    const char* const names[] = {"actuator-1", "actuator-2", "actuator-2 by the command of actuator-1",
                                 "actuator-1 by the command of actuator-2"};
    const double gains[] = {0.86381, 0.92579, 0.13961, 0.13107};  // of the benchmark at 0 Hz
    const std::size_t zeros[] = {2, 1, 2, 1};
    for (std::size_t k = 0; k < plants.size(); ++k) {
      QCOMPARE(plants[k].name(), std::string(names[k]));
      QCOMPARE(plants[k].poles.size(), std::size_t{4});
      QCOMPARE(plants[k].zeros.size(), zeros[k]);
      compareRelative(plants[k].gainAtRest().value(), gains[k], 1e-4, "gain at rest");
    }
    const Json report = plantReport(parseProject(templateDocument("marths")), {2.0}, KeptGain::at_rest);
    QCOMPARE(report["actuators"].size(), std::size_t{4});
    QCOMPARE(report["actuators"][3]["command"].get<std::string>(), std::string("actuator-2"));
    compareRelative(report["actuators"][3]["response"][0]["magnitude"].get<double>(), 0.13600, 1e-4, "H12 at 2 Hz");
  }

  /// Every model of an actuator, in three templates that take it; the cases of the benchmark come last.
  void everyActuator_data() {
    QTest::addColumn<QString>("name");
    for (const ActuatorEntry& entry : actuatorModels())
      QTest::newRow(std::string(entry.name).c_str()) << QString::fromStdString(std::string(entry.name));
  }
  void everyActuator() {
    QFETCH(QString, name);
    const Json actuator = exampleOf(branchOf("actuator", name.toStdString()));
    int suited = 0;
    std::vector<Template> all = templates();
    std::ranges::reverse(all);
    for (const Template& entry : all) {
      Json document = templateDocument(entry.name);
      document["rig"]["actuators"] = Json::array({actuator});
      if (!validate(document).empty()) continue;
      compareWithResponse(parseProject(document));
      if (++suited == 3) break;
    }
    QVERIFY(suited > 0);
  }

  /// Poles of the benchmark's plant with a damped piston on a spring: roots of S ((s + a3) (E + P) + a2 s) + a1b0.
  void pistonDampingAndStiffnessMoveThePoles() {
    Json document = templateDocument("benchmark-2020-sample");
    document["rig"]["actuators"][0].update(
        {{"piston_mass_kg", 10.0}, {"piston_damping_n_s_per_m", 3000.0}, {"piston_stiffness_n_per_m", 2e6}});
    const Project project = parseProject(document);
    compareWithResponse(project);
    const Plant plant = plantsOf(project).front();
    QCOMPARE(plant.poles.size(), std::size_t{5});
    const auto loop = [](Complex s) {
      return (s * s + 425.0 * s + 99976.0) * ((s + 3.3) * (39.13 * s * s + 3114.220867 * s + 3.19e6) + 4229700.0 * s) +
             2.1283e13;
    };
    for (const Complex pole : plant.poles)
      QVERIFY2(std::abs(loop(pole)) < 1e-8 * std::abs(loop(pole + Complex(10.0, 10.0))),
               qPrintable(QString("%1 %2i").arg(pole.real()).arg(pole.imag())));
    compareRelative(plant.at(0.0).real(), 1.0261 * 2.1283e13 / (99976.0 * 3.3 * 3.19e6 + 2.1283e13), 1e-9,
                    "gain at rest");
  }

  /// Two identical axes that have nothing to do with each other: neither's plant knows of the other.
  void whatCancelsIsLeftOut() {
    const Plant plant = exciterPlants("three-mass", 0.0, 400.0).front();
    QCOMPARE(plant.poles.size(), std::size_t{2});
    QVERIFY(plant.zeros.empty());
    compare(std::abs(plant.poles[0] - Complex(-1.5, std::sqrt(400.0 - 2.25))), 0.0, 1e-9, "pole, 1/s");
    compare(plant.at(0.0).real(), 1.0 / 400.0, 1e-12, "compliance at rest");
  }

  /// A mass on a dashpot, pushed by a force: poles at rest and at -c/m, no gain at rest, and 90 degrees behind.
  void aMassThatNothingHolds() {
    const Plant plant = exciterPlants("lumped-aff", 2.0, 0.0).front();
    QCOMPARE(plant.poles.size(), std::size_t{2});
    QVERIFY(plant.poles[0] == 0.0);
    compare(std::abs(plant.poles[1] - Complex(-1.0, 0.0)), 0.0, 1e-9, "pole, 1/s");
    QVERIFY(!plant.gainAtRest());
    compare(plant.slowGain(), 1.0 / 3.0, 1e-9, "motion by impulse");
    compare(plant.phase(1e-6), -0.5 * kPi, 1e-5, "phase");
    const std::string said = reductionSentence(plant, {{plant.poles[1], Complex(-1.01, 0.0)}}, KeptGain::at_rest);
    QVERIFY2(said.find("nan") == std::string::npos && said.find("inf") == std::string::npos, said.c_str());
  }

  /// More states than their roots can be told of in a second or two; a reduction helps.
  void aLargeSpecimenIsToBeReduced() {
    Json document = templateDocument("cantilever-iterative");
    document["structure"]["segments"][1]["elements"] = 180;
    Project project = parseProject(document);
    if (test::kThorough) compareWithResponse(project);  // that of 20 elements is among the templates
    project.partition.physical = {};
    const auto issues = issuesOf([&] { (void)plantsOf(project); });
    QCOMPARE(issues.size(), std::size_t{1});
    QCOMPARE(issues.front().where, std::string("/partition/reduction/physical"));
  }

  /// Of two poles alike one has a zero beside it; and a delay of a second hides nothing.
  void oneOfTwoPolesIsLeftOut() {
    const Plant plant{"axis", "axis", "", {{-5.0, 0.0}, {-5.0, 0.0}}, {{-5.1, 0.0}}, 1.0, 0.0};
    const Plant left = without(plant, nearlyCancelling(plant.poles, plant.zeros), KeptGain::at_rest);
    QCOMPARE(left.poles.size(), std::size_t{1});
    QVERIFY(left.zeros.empty());
    Json document = templateDocument("three-mass");
    document["compensation"] = {{"method", "none"}};
    for (Json& actuator : document["rig"]["actuators"]) actuator["delay_s"] = 1.0;
    const Plant late = plantsOf(parseProject(document)).front();
    QCOMPARE(late.delay_s, 1.0);
    compareRelative(late.gainAtRest().value_or(0.0), 1.0, 1e-9, "gain at rest");
  }

  void aLowCutOffHasFrequenciesToo() {
    Json document = templateDocument("three-mass");
    document["analysis"]["stability_cutoff_hz"] = 0.05;
    const PlantRange range = plantRange(parseProject(document));
    QVERIFY(range.from_hz < range.to_hz);
    QVERIFY(plantFrequencies(range).size() > 3);
  }

  void pairsThatNearlyCancel() {
    const std::vector<Complex> poles{{-1.0, 0.0}, {-2.0, 50.0}, {-2.0, -50.0}, {-3.0, 100.0}, {-3.0, -100.0}};
    const std::vector<Complex> zeros{{-1.02, 0.0}, {-2.0, 51.0}, {-2.0, -51.0}, {-3.0, 110.0}, {-3.0, -110.0}};
    const std::vector<RootPair> pairs = nearlyCancelling(poles, zeros);
    QCOMPARE(pairs.size(), std::size_t{2});
    QVERIFY(pairs[0].pole == poles[0] && pairs[0].zero == zeros[0]);
    QVERIFY(pairs[1].pole == poles[1] && pairs[1].zero == zeros[1]);
    const Plant plant{"axis", "axis", "", poles, zeros, 2.0, 0.01};
    const Plant left = without(plant, pairs, KeptGain::at_high_frequencies);
    QCOMPARE(left.poles.size(), std::size_t{2});
    QCOMPARE(left.zeros.size(), std::size_t{2});
    QCOMPARE(left.gain, 2.0);
    compareRelative(without(plant, pairs, KeptGain::at_rest).at(0.0).real(), plant.at(0.0).real(), 1e-12, "at rest");
  }
};

HYB_SUITE(plant, PlantTest)
#include "plant_test.moc"
