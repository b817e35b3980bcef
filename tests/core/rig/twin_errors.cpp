#include <functional>
#include <limits>
#include <set>

#include "core/base/error.h"
#include "tests/support/suite.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Change = std::function<void(TwinParams&)>;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

}  // namespace
Q_DECLARE_METATYPE(Change)

class TestTwinErrors : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void namesTheFieldAndTheRemedy_data() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("remedy");
    const auto row = [](const char* name, const Change& change, const char* where, const char* remedy) {
      QTest::newRow(name) << change << where << remedy;
    };
    row(
        "frequency zero",
        [](TwinParams& p) {
          p.actuators[1].model = servo({0.0, 0.7});
        },
        "/rig/actuators/1/natural_frequency_hz", "greater than 0 Hz");
    row(
        "frequency beyond the tick",
        [](TwinParams& p) {
          p.actuators[0].model = servo({1e7, 0.7});
        },
        "/rig/actuators/0/natural_frequency_hz", "raise /loop/rate_hz");
    row(
        "damping negative",
        [](TwinParams& p) {
          p.actuators[0].model = servo({28.0, -0.1});
        },
        "/rig/actuators/0/damping_ratio", "greater than 0");
    row(
        "gain not a number", [](TwinParams& p) { p.actuators[0].gain = nan_value; }, "/rig/actuators/0/gain", "finite");
    row(
        "delay negative", [](TwinParams& p) { p.actuators[0].delay_s = -1e-3; }, "/rig/actuators/0/delay_s",
        "between 0 and 1 s");
    row(
        "delay endless", [](TwinParams& p) { p.actuators[0].delay_s = inf; }, "/rig/actuators/0/delay_s",
        "between 0 and 1 s");
    row(
        "pure delay below a tick", [](TwinParams& p) { p.actuators[0] = lateBy(0.0005); }, "/rig/actuators/0/delay_s",
        "raise /loop/rate_hz to at least 2000 Hz");
    row(
        "delay of an ideal one", [](TwinParams& p) { p.actuators[0].model = idealActuator(); },
        "/rig/actuators/0/delay_s", "leave it out");
    row(
        "stroke", [](TwinParams& p) { p.actuators[0].stroke_m = 0.0; }, "/rig/actuators/0/stroke_m", "leave it out");
    row(
        "velocity", [](TwinParams& p) { p.actuators[0].velocity_limit_m_per_s = nan_value; },
        "/rig/actuators/0/velocity_limit_m_per_s", "greater than 0");
    row(
        "force", [](TwinParams& p) { p.actuators[0].force_limit_n = -5.0; }, "/rig/actuators/0/force_limit_n",
        "is -5 N");
    row(
        "number of actuators", [](TwinParams& p) { p.actuators.resize(3); }, "/rig/actuators", "one per interface DOF");
    row(
        "no actuator", [](TwinParams& p) { p.actuators.clear(); }, "/rig/actuators", "one for all");
    row(
        "mass", [](TwinParams& p) { p.specimen.mass_factor = 0.0; }, "/rig/specimen/mass_factor", "greater than 0");
    row(
        "damping", [](TwinParams& p) { p.specimen.damping_factor = -1.0; }, "/rig/specimen/damping_factor",
        "at least 0");
    row(
        "stiffness beyond the tick", [](TwinParams& p) { p.specimen.stiffness_factor = 1e12; },
        "/rig/specimen/stiffness_factor", "raise /loop/rate_hz");
    row(
        "stiffness beyond numbers", [](TwinParams& p) { p.specimen.stiffness_factor = 1e307; },
        "/rig/specimen/stiffness_factor", "softer");
    row(
        "noise", [](TwinParams& p) { p.displacement_sensor.noise_rms = -1.0; }, "/rig/displacement_sensor/noise_rms_m",
        "at least 0 m");
    row(
        "range", [](TwinParams& p) { p.force_sensor.range = nan_value; }, "/rig/force_sensor/range_n", "leave it out");
    row(
        "bits", [](TwinParams& p) { p.force_sensor.bits = 64; }, "/rig/force_sensor/bits", "between 1 and 32");
    row(
        "bits without range", [](TwinParams& p) { p.displacement_sensor.bits = 16; },
        "/rig/displacement_sensor/range_m", "needs a range in m");
  }
  void namesTheFieldAndTheRemedy() {
    QFETCH(Change, change);
    QFETCH(QString, where);
    QFETCH(QString, remedy);
    TwinParams params = twoActuators();
    change(params);
    try {
      makeTwin(cut(threeMass(), threeMassPartition()), params, 1e-3);
      QFAIL("accepted");
    } catch (const InputError& error) {
      QCOMPARE(error.issues().size(), std::size_t{1});
      QCOMPARE(QString::fromStdString(error.issues().front().where), where);
      QVERIFY2(QString::fromStdString(error.issues().front().message).contains(remedy), error.what());
    }
  }

  void reportsAllFaultsTogether() {
    TwinParams params = twoActuators();
    params.actuators[0].gain = 0.0;
    params.actuators[1].delay_s = nan_value;
    params.force_sensor.bits = -1;
    std::set<std::string> where;
    try {
      makeTwin(cut(threeMass(), threeMassPartition()), params, 1e-3);
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues()) where.insert(issue.where);
    }
    const std::set<std::string> expected{"/rig/actuators/0/gain", "/rig/actuators/1/delay_s", "/rig/force_sensor/bits"};
    QVERIFY(where == expected);
  }

  /// A specimen that grows by itself, interface held.
  void refusesAnUnstableSpecimen() {
    Partition partition = cut(threeMass(), threeMassPartition());
    partition.physical.c *= -1.0;
    try {
      makeTwin(partition, twoActuators(), 1e-3);
      QFAIL("accepted");
    } catch (const InputError& error) {
      QCOMPARE(error.issues().front().where, std::string("/rig/specimen/damping_factor"));
    }
  }

  void acceptsAnUndampedSpecimen() {
    TwinParams params = twoActuators();
    params.specimen.damping_factor = 0.0;
    QVERIFY(makeTwin(cut(threeMass(), threeMassPartition()), params, 1e-3) != nullptr);
    params.specimen.stiffness_factor = 0.0;
    QVERIFY(makeTwin(cut(threeMass(), threeMassPartition()), params, 1e-3) != nullptr);
  }

  void refusesATickThatIsNone() {
    for (const double step_s : {0.0, -1e-3, nan_value, inf})
      QVERIFY_THROWS_EXCEPTION(InputError, makeTwin(cut(threeMass(), threeMassPartition()), twoActuators(), step_s));
  }
};

HYB_SUITE(twin_errors, TestTwinErrors)
#include "twin_errors.moc"
