#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "tests/core/project/mutation.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class MeaningTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyFaultIsNamed_data();
  void everyFaultIsNamed();
  void aWrongCouplingIsTheOnlyFault_data();
  void aWrongCouplingIsTheOnlyFault();
  void aDampingOfTheCutIsNoFaultOfTheStructure();
  void soundVariantsPass_data();
  void soundVariantsPass();
  void groundMotionFiles();
  void templateBecomesTyped();
  void defaultsFillWhatIsLeftOut();
  void oneNumberServesAllInterfaces();
};

void MeaningTest::everyFaultIsNamed_data() {
  QTest::addColumn<QString>("patch");
  QTest::addColumn<QString>("where");
  QTest::addColumn<QString>("word");
  const auto row = [](const char* name, const char* patch, const char* where, const char* word) {
    QTest::newRow(name) << patch << where << word;
  };
  // structure
  row("mass named twice", R"([{"set": "/structure/masses/2/name", "to": "m1"}])", "/structure/masses/2/name", "m1");
  row("link to nowhere", R"([{"set": "/structure/links/0/to", "to": "m9"}])", "/structure/links/0/to", "m9");
  row("link to itself", R"([{"set": "/structure/links/1/to", "to": "m1"}])", "/structure/links/1/to", "m1");
  row("floating mass", R"([{"set": "/structure/masses/3", "to": {"name": "m4", "mass_kg": 1}}])", "/structure/masses/3",
      "m4");
  row("link without effect",
      R"([{"set": "/structure/links/0/stiffness_n_per_m", "to": 0}, {"drop": "/structure/links/0/damping_n_s_per_m"}])",
      "/structure/links/0", "neither");
  // partition
  row("unknown on the rig", R"([{"set": "/partition/physical/0", "to": "m7"}])", "/partition/physical/0", "m7");
  row("twice on the rig", R"([{"set": "/partition/physical/3", "to": "k31"}])", "/partition/physical/3", "twice");
  row("support on the rig", R"([{"set": "/partition/physical/3", "to": "wall-1"}])", "/partition/physical/3",
      "support");
  row("moving wall on the rig", R"([{"set": "/partition/physical/3", "to": "k1"}])", "/excitation/loads/0/support",
      "\"wall-1\" cannot move on the rig");
  row("massless computed DOF", R"([{"set": "/partition/physical", "to": ["m3", "k31"]}])", "/partition/physical/0",
      "m3");
  // excitation
  row("signal named twice",
      R"([{"set": "/excitation/signals/1", "to": {"name": "walls", "kind": "sine", "amplitude_m": 1, "frequency_hz": 2}}])",
      "/excitation/signals/1/name", "another signal");
  row("load of no signal", R"([{"set": "/excitation/loads/0/signal", "to": "wals"}])", "/excitation/loads/0/signal",
      "Did you mean \"walls\"");
  row("load on no support", R"([{"set": "/excitation/loads/0/support", "to": "wall-3"}])",
      "/excitation/loads/0/support", "\"wall-1\"");
  row("load on no mass",
      R"([{"drop": "/excitation/loads/0/support"}, {"set": "/excitation/loads/0/mass", "to": "m9"}, {"drop": "/excitation/signals/0/amplitude_m"}, {"set": "/excitation/signals/0/amplitude_n", "to": 1}, {"drop": "/excitation/loads/1"}])",
      "/excitation/loads/0/mass", "no mass");
  row("newtons on a support",
      R"([{"drop": "/excitation/signals/0/amplitude_m"}, {"set": "/excitation/signals/0/amplitude_n", "to": 1}, {"drop": "/excitation/loads/1"}])",
      "/excitation/loads/0/signal", "a signal in metres");
  row("metres on a mass",
      R"([{"drop": "/excitation/loads/1/support"}, {"set": "/excitation/loads/1/mass", "to": "m1"}])",
      "/excitation/loads/1/signal", "a signal in newtons");
  row("force on the rig",
      R"([{"set": "/excitation/signals/1", "to": {"name": "push", "kind": "sine", "amplitude_n": 1, "frequency_hz": 2}}, {"set": "/excitation/loads/2", "to": {"signal": "push", "mass": "m3"}}])",
      "/excitation/loads/2/mass", "is on the rig");
  row("sine above half the rate", R"([{"set": "/excitation/signals/0/frequency_hz", "to": 500}])",
      "/excitation/signals/0/frequency_hz", "half the loop's rate (500 Hz)");
  row("sweep above half the rate",
      R"([{"set": "/excitation/signals/0", "to": {"name": "walls", "kind": "sweep", "amplitude_m": 0.001, "start_hz": 1, "end_hz": 600, "duration_s": 20}}])",
      "/excitation/signals/0/end_hz", "600 Hz");
  row("component above half the rate",
      R"([{"set": "/excitation/signals/0", "to": {"name": "walls", "kind": "multi-sine", "components": [{"amplitude_m": 0.001, "frequency_hz": 700}]}}])",
      "/excitation/signals/0/components/0/frequency_hz", "700 Hz");
  row("mixed units",
      R"([{"set": "/excitation/signals/0", "to": {"name": "walls", "kind": "multi-sine", "components": [{"amplitude_m": 0.001, "frequency_hz": 7}, {"amplitude_n": 1, "frequency_hz": 8}]}}])",
      "/excitation/signals/0/components/1", "a different unit");
  row("band of sines upside down",
      R"([{"set": "/excitation/signals/0", "to": {"name": "walls", "kind": "band-sines", "amplitude_m": 0.001, "from_hz": 20, "to_hz": 2, "period_s": 5}}])",
      "/excitation/signals/0/to_hz", "above the lower end of the band, 20 Hz");
  row("band of too many sines",
      R"([{"set": "/excitation/signals/0", "to": {"name": "walls", "kind": "band-noise", "amplitude_m": 0.001, "from_hz": 1, "to_hz": 100, "period_s": 5}}])",
      "/excitation/signals/0/period_s", "at most 256");
  row("band above half the rate",
      R"([{"set": "/excitation/signals/0", "to": {"name": "walls", "kind": "band-sines", "amplitude_m": 0.001, "from_hz": 590, "to_hz": 600, "period_s": 5}}])",
      "/excitation/signals/0/to_hz", "600 Hz");
  row("stepped sine of one frequency between two ends",
      R"([{"set": "/excitation/signals/0", "to": {"name": "walls", "kind": "stepped-sine", "amplitude_m": 0.001, "from_hz": 1, "to_hz": 20, "count": 1}}])",
      "/excitation/signals/0/count", "the band has two ends");
  row("stepped sine above half the rate",
      R"([{"set": "/excitation/signals/0", "to": {"name": "walls", "kind": "stepped-sine", "amplitude_m": 0.001, "from_hz": 600, "to_hz": 20, "count": 9}}])",
      "/excitation/signals/0/from_hz", "600 Hz");
  row("edge longer than half a period",
      R"([{"set": "/excitation/signals/0", "to": {"name": "walls", "kind": "square", "amplitude_m": 0.001, "frequency_hz": 2, "rise_s": 0.3}}])",
      "/excitation/signals/0/rise_s", "half a period (0.25 s)");
  row("support that jumps",
      R"([{"set": "/excitation/signals/0", "to": {"name": "walls", "kind": "step", "amplitude_m": 0.001}}])",
      "/excitation/signals/0/rise_s", "jump");
  row("acceleration of a wall",
      R"([{"drop": "/excitation/signals/0/amplitude_m"}, {"set": "/excitation/signals/0/amplitude_mps2", "to": 1}])",
      "/excitation/loads/0/signal", "a signal in metres");
  row("force on no DOF",
      R"([{"set": "/excitation/signals/1", "to": {"name": "push", "kind": "sine", "amplitude_n": 1, "frequency_hz": 2}},
      {"set": "/excitation/loads/2", "to": {"signal": "push", "dof": "m11"}}])",
      "/excitation/loads/2/dof", "degree of freedom");
  row("DOF on the rig",
      R"([{"set": "/excitation/signals/1", "to": {"name": "push", "kind": "sine", "amplitude_n": 1, "frequency_hz": 2}},
      {"set": "/excitation/loads/2", "to": {"signal": "push", "dof": "m3"}}])",
      "/excitation/loads/2/dof", "is on the rig");
  // ways to cut, axes, integrators
  row("line beyond the structure", R"([{"set": "/partition", "to": {"by": "position", "position_m": 50}}])",
      "/partition/position_m", "");
  row("unknown node", R"([{"set": "/partition", "to": {"by": "nodes", "physical": ["m8"]}}])", "/partition/physical/0",
      "m8");
  row("axis of no interface DOF", R"([{"set": "/partition/actuators", "to": [{"name": "a", "terms": [{"dof": "m3"}]},
      {"name": "b", "terms": [{"dof": "m2"}]}]}])",
      "/partition/actuators/0/terms/0/dof", "m3");
  row("sensors that cannot tell", R"([{"set": "/partition/sensors", "to": [{"name": "a", "terms": [{"dof": "m1"}]},
      {"name": "b", "terms": [{"dof": "m1"}]}]}])",
      "/partition/sensors", "");
  row("damping ratio without sense",
      R"([{"set": "/structure/damping", "to": {"kind": "rayleigh-ratios", "ratios": [0.1, 0.1], "frequencies_hz": [5, 5]}}])",
      "/structure/damping/frequencies_hz/1", "above the first");
  row("explicit scheme beyond its limit",
      R"([{"set": "/integrator", "to": {"scheme": "central-difference"}}, {"set": "/structure/links/0/stiffness_n_per_m", "to": 1e9}])",
      "/integrator/scheme", "sub-steps");
  row("implicit scheme with a nonlinear link",
      R"([{"set": "/structure/nonlinear", "to": [{"law": "cubic", "name": "n", "from": "m1", "stiffness_n_per_m": 10, "cubic_n_per_m3": 5}]}])",
      "/integrator/scheme", "implicit");
  row("variable of no file",
      R"([{"set": "/structure", "to": {"kind": "matrices", "mass": {"rows": [[1]], "variable": "M"}, "stiffness": {"rows": [[1]]}}}])",
      "/structure/mass/variable", "MAT file");
  // compensation
  row("prediction count", R"([{"set": "/compensation/prediction_ticks", "to": [6, 6, 6]}])",
      "/compensation/prediction_ticks", "3 entries for 2 interface");
  row("gain count", R"([{"set": "/compensation/gain", "to": [1]}])", "/compensation/gain", "1 entries for 2");
  row("order above points", R"([{"set": "/compensation/points", "to": 3}, {"set": "/compensation/order", "to": 3}])",
      "/compensation/points", "");
  row("horizon upside down",
      R"([{"set": "/compensation/horizon_min_ticks", "to": 16}, {"set": "/compensation/prediction_ticks", "to": 16}])",
      "/compensation/horizon_min_ticks", "horizon_max_ticks");
  row("prediction beyond the horizon", R"([{"set": "/compensation/prediction_ticks", "to": [6, 20]}])",
      "/compensation/prediction_ticks/1", "horizon");
  row("gain could change its sign", R"([{"set": "/compensation/gain", "to": [0.4, 1]}])", "/compensation/sigma_min",
      "sign");
  row("prediction beyond the largest",
      R"([{"set": "/compensation", "to": {"method": "forward-prediction", "prediction_ticks": [5, 16]}}])",
      "/compensation/prediction_ticks/1", "15");
  // rig
  row("three actuators for two", R"([{"set": "/rig/actuators/2", "to": {"model": "ideal"}}])", "/rig/actuators", "3 ");
  row("leg unstable by itself",
      R"([{"set": "/rig/actuators/0", "to": {"model": "leg", "plant_gain_m_per_a_s2": 1053.1, "plant_pole_per_s": 55.5, "position_gain_per_s": 9000, "velocity_gain_a_s_per_m": 0.2, "integral_gain_a_per_m": 5}}])",
      "/rig/actuators/0/position_gain_per_s", "unstable with its other gains");
  row("lag far below a tick", R"([{"set": "/rig/actuators/0", "to": {"model": "first-order", "lag_s": 1e-6}}])",
      "/rig/actuators/0/lag_s", "too short");
  row("delay below one tick", R"([{"set": "/rig/actuators/0", "to": {"model": "pure-delay", "delay_s": 0.0005}}])",
      "/rig/actuators/0/delay_s", "one tick");
  row("rate that makes the twin unstable", R"([{"set": "/structure/links/1/damping_n_s_per_m", "to": 1e11}])",
      "/rig/specimen/stiffness_factor", "raise /loop/rate_hz");
  row("bits without range", R"([{"drop": "/rig/force_sensor/range_n"}])", "/rig/force_sensor/range_n", "bits");
  // safety, loop, analysis
  row("limit on interface 3", R"([{"set": "/safety/limits/0/interface", "to": 3}])", "/safety/limits/0/interface",
      "the cut has 2");
  row("fades longer than the test", R"([{"set": "/loop/soft_start_s", "to": 29}])", "/loop/soft_end_s",
      "31 s of a test of 30 s");
  row("switch after the end", R"([{"set": "/loop/measured_from_s", "to": 30}])", "/loop/measured_from_s",
      "before the end");
  row("figures after the end", R"([{"set": "/analysis/start_s", "to": 30}])", "/analysis/start_s",
      "30 s is not before");
  row("rate below the structure",
      R"([{"set": "/loop/rate_hz", "to": 10}, {"set": "/excitation/signals/0/frequency_hz", "to": 1}])",
      "/loop/rate_hz", "natural frequency");
}

void MeaningTest::everyFaultIsNamed() {
  QFETCH(QString, patch);
  QFETCH(QString, where);
  QFETCH(QString, word);
  const auto issues = validate(mutate(base(), patch.toStdString()));
  QVERIFY2(names(issues, where.toStdString(), word.toStdString()), qPrintable("found:\n" + listing(issues)));
  QVERIFY2(!hasDuplicates(issues), qPrintable(listing(issues)));
}

void MeaningTest::aWrongCouplingIsTheOnlyFault_data() {
  QTest::addColumn<QString>("name");
  for (const Template& each : templates()) QTest::newRow(each.name.c_str()) << QString::fromStdString(each.name);
}
/// The templates are valid. A scheme that cannot be read is a fault of the scheme alone: no other scheme is checked in
/// its place.
void MeaningTest::aWrongCouplingIsTheOnlyFault() {
  QFETCH(QString, name);
  const std::string patch = R"([{"set": "/coupling", "to": {"scheme": "no such scheme"}}])";
  const auto issues = validate(mutate(templateDocument(name.toStdString()), patch));
  QVERIFY(!issues.empty());
  for (const Issue& issue : issues) QVERIFY2(issue.where.starts_with("/coupling"), qPrintable(listing(issues)));
}

/// Storeys of a building with modal damping: the cut leaves the computed side a row without its counterpart.
void MeaningTest::aDampingOfTheCutIsNoFaultOfTheStructure() {
  const auto issues = validate(
      mutate(templateDocument("force-shear-building"), R"([{"set": "/coupling", "to": {"scheme": "tracking"}}])"));
  QVERIFY2(names(issues, "/partition", "\"tracking\" needs a symmetric one"), qPrintable(listing(issues)));
  for (const Issue& issue : issues) QVERIFY2(!issue.where.starts_with("/structure"), qPrintable(listing(issues)));
}

void MeaningTest::soundVariantsPass_data() {
  QTest::addColumn<QString>("patch");
  const auto row = [](const char* name, const char* patch) { QTest::newRow(name) << patch; };
  row("as it is", "[]");
  row("optional sections left out", R"([{"drop": "/integrator"}, {"drop": "/recording"}, {"drop": "/analysis"}])");
  row("no compensation", R"([{"set": "/compensation", "to": {"method": "none"}}])");
  row("fixed prediction",
      R"([{"set": "/compensation", "to": {"method": "forward-prediction", "prediction_ticks": 9}}])");
  row("one actuator for all", R"([{"drop": "/rig/actuators/1"}])");
  row("ideal and delayed actuators",
      R"([{"set": "/rig/actuators", "to": [{"model": "ideal"}, {"model": "pure-delay", "delay_s": 0.001, "stroke_m": 0.02}]}])");
  row("until stopped", R"([{"set": "/loop/duration_s", "to": 0}, {"set": "/loop/measured_from_s", "to": 3}])");
  row("nothing shakes", R"([{"set": "/excitation", "to": {"signals": [], "loads": []}}])");
  row("force on a computed mass",
      R"([{"set": "/excitation/signals/1", "to": {"name": "push", "kind": "square", "amplitude_n": 1, "frequency_hz": 2, "rise_s": 0.01}}, {"set": "/excitation/loads/2", "to": {"signal": "push", "mass": "m1"}}])");
  row("every limit",
      R"([{"set": "/safety/limits", "to": [{"quantity": "command-rate", "threshold_m_per_s": 1, "action": "hold"}, {"quantity": "energy-error", "threshold_j": 1, "action": "ramp"}, {"quantity": "interlock", "action": "stop"}, {"quantity": "gap", "interface": 2, "threshold_m": 0.001, "action": "indicate"}]}])");
  row("no limits", R"([{"set": "/safety/limits", "to": []}])");
}

void MeaningTest::soundVariantsPass() {
  QFETCH(QString, patch);
  const auto issues = validate(mutate(base(), patch.toStdString()));
  QVERIFY2(issues.empty(), qPrintable(listing(issues)));
}

void MeaningTest::groundMotionFiles() {
  QTemporaryDir folder;
  const std::filesystem::path place = folder.path().toStdString();
  const auto project = [](const std::string& more) {
    return mutate(
        base(),
        R"([{"set": "/excitation/signals/0", "to": {"name": "walls", "kind": "ground-motion", "file": "quake.csv")" +
            more + "}}]");
  };
  QVERIFY(names(validate(project(""), place), "/excitation/signals/0/file", "quake.csv"));
  std::ofstream(place / "quake.csv") << "time_s,acceleration_g\n0,0\n0.02,oops\n";
  QVERIFY(names(validate(project(""), place), "/excitation/signals/0/file", "quake.csv:3"));
  std::ofstream good(place / "quake.csv");
  good << "time_s,acceleration_g\n";
  for (int k = 0; k < 200; ++k) good << 0.02 * k << "," << (k % 7 - 3) * 0.01 << "\n";
  good.close();
  const auto issues = validate(project(R"(, "peak_m": 0.002)"), place);
  QVERIFY2(issues.empty(), qPrintable(listing(issues)));
  const Project parsed = parseProject(project(R"(, "unit": "g", "scale": 0.5)"), place);
  const auto& motion = std::get<GroundMotionSignal>(parsed.excitation.signals.at(0).shape);
  QCOMPARE(motion.file.string(), (place / "quake.csv").string());
  QVERIFY(motion.unit == AccelerationUnit::g);
  QCOMPARE(motion.spec.scale, 0.5);
  QVERIFY(names(validate(project(R"(, "band_low_hz": 30)"), place), "/excitation/signals/0/band_low_hz", "25 Hz"));
  QVERIFY(names(validate(project(R"(, "band_high_hz": 500)"), place), "/excitation/signals/0/band_high_hz", "500 Hz"));

  // One column needs its step from the project; what was made of a file is told.
  std::ofstream column(place / "quake.csv");
  for (int k = 0; k < 200; ++k) column << (k % 7 - 3) * 0.01 << "\n";
  column.close();
  QVERIFY(names(validate(project(R"(, "unit": "g")"), place), "/excitation/signals/0/file", "step_s"));
  const Project stepped = parseProject(project(R"(, "unit": "g", "step_s": 0.02)"), place);
  QCOMPARE(readRecord(std::get<GroundMotionSignal>(stepped.excitation.signals.at(0).shape)).step_s, 0.02);
  std::ofstream peer(place / "quake.csv");
  peer << "PEER\nA\nACCELERATION IN UNITS OF G\nNPTS= 100, DT= .02\n";
  for (int k = 0; k < 200; ++k) peer << (k % 7 - 3) * 0.01 << "\n";
  peer.close();
  std::vector<std::string> notes;
  QVERIFY(validate(project(""), place, &notes).empty());
  QVERIFY(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.starts_with("quake.csv: NPTS announces 100 values, but 200");
  }));
}

void MeaningTest::templateBecomesTyped() {
  const Project project = parseProject(base());
  QCOMPARE(project.meta.title, std::string("Three masses, two actuators"));
  const auto& structure = std::get<LumpedStructure>(project.structure.kind);
  QCOMPARE(structure.masses.size(), 3);
  QCOMPARE(structure.links.at(2).from, std::string("m3"));
  QCOMPARE(structure.links.at(2).damping_n_s_per_m, 30.0);
  QCOMPARE(std::get<CutByElements>(project.partition.cut).physical.size(), 3);
  QCOMPARE(project.excitation.signals.at(0).units, std::string("m"));
  QCOMPARE(std::get<SineSpec>(project.excitation.signals.at(0).shape).amplitude, 0.002);
  QVERIFY(project.excitation.loads.at(1).on == LoadTarget::support_motion);
  QCOMPARE(project.excitation.loads.at(1).target, 1);
  QCOMPARE(project.excitation.loads.at(1).factor, -1.0);
  QVERIFY(project.integrator.scheme == Scheme::newmark);
  const CompensationMethod& method = *project.compensation.method;
  QVERIFY(method.adapts());
  QCOMPARE(method.taps(1).size(), std::size_t{8});
  const std::vector<Tunable> tunables = method.make()->tunables();
  QCOMPARE(tunables.at(3).name, std::string("dead_band"));
  QCOMPARE(tunables.at(3).value, 6e-5);
  QCOMPARE(tunables.size(), std::size_t{8});
  QCOMPARE(describe(project.twin.actuators.at(1)), std::string("servo 26.6 Hz behind 0.5 ms"));
  QCOMPARE(project.twin.actuators.at(0).stroke_m, 0.025);
  QCOMPARE(project.twin.force_sensor.range, 200.0);
  QCOMPARE(project.twin.displacement_sensor.bits, 16);
  QCOMPARE(project.limits.size(), 11);
  QVERIFY(project.limits.at(2).quantity == limitQuantity("force") && project.limits.at(2).action == Action::ramp);
  QCOMPARE(project.limits.at(2).threshold, 150.0);
  QVERIFY(project.limits.at(9).quantity == limitQuantity("link-lost") && project.limits.at(9).action == Action::stop);
  QCOMPARE(project.loop.rate_hz, 1000.0);
  QCOMPARE(project.loop.stop_ramp_s, 0.5);
  QCOMPARE(project.loop.measured_from_s, -1.0);
  QCOMPARE(project.realtime.fifo_priority, 80);
  QCOMPARE(project.analysis.start_s, 10.0);
  QVERIFY(project.document == base());
}

void MeaningTest::defaultsFillWhatIsLeftOut() {
  const Project project = parseProject(mutate(base(), R"([{"drop": "/analysis"}, {"drop": "/recording"},
    {"drop": "/integrator"}, {"drop": "/loop/soft_start_s"}, {"drop": "/excitation/loads/0/factor"},
    {"set": "/rig", "to": {"kind": "twin", "actuators": [{"model": "ideal"}]}}])"));
  QCOMPARE(project.analysis.window_s, 0.5);
  QCOMPARE(project.recording.flush_s, 1.0);
  QCOMPARE(project.loop.soft_start_s, 2.0);
  QCOMPARE(project.excitation.loads.at(0).factor, 1.0);
  QCOMPARE(project.twin.force_sensor.bits, 0);
  QVERIFY(!std::isfinite(project.twin.actuators.at(0).stroke_m));
}

void MeaningTest::oneNumberServesAllInterfaces() {
  const Project project = parseProject(mutate(base(), R"([{"set": "/compensation/prediction_ticks", "to": 9},
    {"drop": "/compensation/gain"}])"));
  QCOMPARE(project.compensation.method->lead_s(1), 9.0 / project.loop.rate_hz);
  QCOMPARE(project.compensation.method->make()->tunables().back().value, 1.0);  // gain_2
}

HYB_SUITE(project_meaning, MeaningTest)
#include "meaning_test.moc"
