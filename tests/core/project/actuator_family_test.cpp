#include <Eigen/LU>
#include <cmath>
#include <complex>

#include "core/base/allocation_guard.h"
#include "core/base/numbers.h"
#include "core/project/families.h"
#include "core/transfer/command_response.h"
#include "core/transfer/transfer_system.h"
#include "tests/support/family_example.h"
#include "tests/support/suite.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;
using Complex = std::complex<double>;

namespace {

constexpr double kTick_s = 2.5e-4;

/// The springs and the middle mass, with a little mass at the interface, which some actuators push.
Partition lightSpecimen() {
  Partition partition = cut(threeMass(), threeMassPartition());
  for (const Eigen::Index dof : partition.interface_in_physical) partition.physical.m.coeffRef(dof, dof) += 0.5;
  return partition;
}

Command push(int tick) {
  const double t_s = tick * kTick_s;
  return {Eigen::Vector2d(1e-3 * std::sin(40.0 * t_s), -7e-4 * std::sin(25.0 * t_s)),
          Eigen::Vector2d(4e-2 * std::cos(40.0 * t_s), -1.75e-2 * std::cos(25.0 * t_s))};
}

}  // namespace

/// What holds for every model of an actuator; nothing here names one.
class ActuatorFamilyTest : public QObject {
  Q_OBJECT

  static void models() {
    QTest::addColumn<QString>("name");
    for (const ActuatorEntry& entry : actuatorModels())
      QTest::newRow(entry.name.data()) << QString::fromUtf8(entry.name.data(), static_cast<int>(entry.name.size()));
  }
  /// The settings of this row's model, as its schema's defaults make them.
  static Json settings() {
    QFETCH(QString, name);
    return exampleOf(branchOf("actuator", name.toStdString()));
  }
  static TwinParams twin(bool noisy = false) {
    TwinParams params;
    params.actuators = {parseActuator(settings())};
    if (noisy) params.displacement_sensor = params.force_sensor = {1e-5, 100.0, 16};
    return params;
  }

 private Q_SLOTS:
  void defaultsParse_data() { models(); }
  void defaultsParse() {
    const Json section = settings();
    const auto issues = checkSchema(section, projectSchema().at("definitions").at("actuator"));
    QVERIFY2(issues.empty(), issues.empty() ? "" : issues.front().message.c_str());
    const ActuatorSpec actuator = parseActuator(section);
    Checks checks;
    checkActuator(checks, actuator, kTick_s);
    QVERIFY(checks.ok());
    QVERIFY(!describe(actuator).empty() && !actuator.model->lagName().empty());
    if (!actuator.model->takesForce())
      QCOMPARE(transferOf(actuator).numerator[0] / transferOf(actuator).denominator[0], actuator.gain);
    // What all of them have reaches all of them.
    Json all = section;
    all.update({{"gain", 0.9}, {"stroke_m", 0.1}, {"velocity_limit_m_per_s", 0.5}, {"force_limit_n", 250.0}});
    QVERIFY(checkSchema(all, projectSchema().at("definitions").at("actuator")).empty());
    QCOMPARE(parseActuator(all).gain, 0.9);
    QCOMPARE(parseActuator(all).stroke_m, 0.1);
    QCOMPARE(velocityCapacity(parseActuator(all), 187.5), 0.25);
  }

  /// Motion of the twin against the transfer function, with the delay that sampling adds; what it does to amplitudes
  /// is no part of the analyses, and falls with the tick.
  void responseIsThatOfTheTwin_data() { models(); }
  void responseIsThatOfTheTwin() {
    const Partition specimen = lightSpecimen();
    TwinParams params = twin();
    params.actuators[0].gain = 0.9;
    const bool floats = params.actuators[0].model->takesForce();  // on a soft suspension, which rings for long
    const int settle = static_cast<int>((floats ? 40.0 : 20.0) / kTick_s), whole = static_cast<int>(1.0 / kTick_s);
    for (const double frequency_hz : {1.0, 4.0, 15.0}) {
      if (!kThorough && frequency_hz != 4.0) continue;
      const double w = kTwoPi * frequency_hz;
      TwinBench bench(params, kTick_s, specimen);
      Eigen::Vector2cd motion = Eigen::Vector2cd::Zero();
      const Eigen::Vector2cd sent(1e-3, Complex(0.3e-3, 0.6e-3));
      for (int k = 0; k < settle + whole; ++k) {
        bench.tick();
        const Complex turn = std::polar(1.0, w * bench.time());
        if (k >= settle) motion += 2.0 / whole / turn * bench.state.measured;
        bench.command.position = (sent * turn).real();
        bench.command.rate = (sent * Complex(0.0, w) * turn).real();
      }
      double sampling_s = -params.actuators[0].delay_s;  // that one is in the response
      for (const DelayPart& part : deadTimes(params.actuators[0], kTick_s, frequency_hz)) sampling_s += part.seconds;
      const Eigen::Vector2cd expected =
          commandResponse(specimen, params, {0.0, w}) * sent * std::polar(1.0, -w * sampling_s);
      for (const Eigen::Index i : {0, 1}) {
        const Complex ratio = motion[i] / expected[i];
        QVERIFY2(
            std::abs(std::abs(ratio) - 1.0) < 0.02 && std::abs(std::arg(ratio)) < 1e-3,
            qPrintable(
                QString("%1 Hz: amplitude %2, phase %3").arg(frequency_hz).arg(std::abs(ratio)).arg(std::arg(ratio))));
      }
    }
  }

  void resetEqualsFreshAndSameSeedSameBits_data() { models(); }
  void resetEqualsFreshAndSameSeedSameBits() {
    TwinBench used(twin(true), kTick_s, lightSpecimen()), fresh(twin(true), kTick_s, lightSpecimen());
    for (int k = 0; k < 500; ++k) {
      used.tick();
      used.command = push(3 * k);
    }
    used.reopen();
    for (int k = 0; k < 500; ++k) {
      used.tick();
      fresh.tick();
      QVERIFY(used.state.measured == fresh.state.measured && used.state.force == fresh.state.force);
      used.command = fresh.command = push(k);
    }
  }

  /// What is carried from tick to tick is all there is.
  void carriedStateIsWhole_data() { models(); }
  void carriedStateIsWhole() {
    TransferSystem went(lightSpecimen(), twin(), kTick_s), goes(lightSpecimen(), twin(), kTick_s);
    for (int k = 0; k < 300; ++k) went.advance(push(k));
    goes.setState(went.state());
    QVERIFY(goes.state() == went.state());
    for (int k = 300; k < 600; ++k) {
      went.advance(push(k));
      goes.advance(push(k));
      QVERIFY(goes.displacement() == went.displacement() && goes.force() == went.force());
    }
  }

  void allocatesNothing_data() { models(); }
  void allocatesNothing() {
    TwinParams params = twin(true);
    params.actuators[0].velocity_limit_m_per_s = 0.02;
    TwinBench bench(params, kTick_s, lightSpecimen());
    bench.tick();
    const AllocationGuard guard;
    for (int k = 0; k < 1000; ++k) {
      bench.command.position.setConstant(1e-3 * std::sin(0.04 * k));
      bench.command.rate.setConstant(4e-5 / kTick_s * std::cos(0.04 * k));
      bench.tick();
    }
    QCOMPARE(guard.count(), std::uint64_t{0});
  }

  void limitsHold_data() { models(); }
  void limitsHold() {
    TwinParams params = twin();
    params.actuators[0].stroke_m = 0.01;
    params.actuators[0].velocity_limit_m_per_s = 0.04;
    TwinBench bench(params, kTick_s, lightSpecimen());
    Eigen::VectorXd last = Eigen::VectorXd::Zero(2), sent_to = Eigen::Vector2d(0.02, -0.02);
    if (params.actuators[0].model->takesForce())  // that moves it there
      sent_to = commandResponse(lightSpecimen(), params, 0.0).real().inverse() * sent_to;
    bool saturated = false;
    for (int k = 0; k < 8000; ++k) {
      bench.tick();
      saturated = saturated || bench.status == RigStatus::saturated;
      QVERIFY(bench.state.measured.cwiseAbs().maxCoeff() <= 0.01);
      QVERIFY((bench.state.measured - last).cwiseAbs().maxCoeff() <= 0.04 * kTick_s * (1.0 + 1e-9));
      last = bench.state.measured;
      bench.command.position = sent_to;
    }
    QVERIFY(saturated);
    // Slower than asked for, but it arrives, and comes back as soon as it is asked to.
    QVERIFY2(last[0] > 0.0099 && last[1] < -0.0099, qPrintable(QString("%1 %2").arg(last[0]).arg(last[1])));
    bench.command.position.setZero();
    for (int k = 0; k < 8000; ++k) bench.tick();
    QVERIFY2(bench.state.measured.cwiseAbs().maxCoeff() < 1e-4,
             qPrintable(QString::number(bench.state.measured.cwiseAbs().maxCoeff())));
  }

  void anUnknownModelIsAFault() { QVERIFY_THROWS_EXCEPTION(InputError, parseActuator({{"model", "perfect"}})); }
};

HYB_SUITE(actuator_family, ActuatorFamilyTest)
#include "actuator_family_test.moc"
