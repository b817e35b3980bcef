#pragma once
#include <QtTest>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "core/base/allocation_guard.h"
#include "core/rig/rig.h"

namespace hyb::test {

/// What the loop relies on, whatever rig it talks to. Run it by deriving a test class per rig:
///
///   class TestMyRigContract : public RigContract { Q_OBJECT protected: std::unique_ptr<Rig> makeRig() override; };
///
/// makeRig() gives a new rig, not yet open, always with the same settings and seed. `noise_m`, `noise_n`: what a
/// reading at rest may show (peak); `step_m`: a command that is safe to jump to.
class RigContract : public QObject {
  Q_OBJECT
 protected:
  virtual std::unique_ptr<Rig> makeRig() = 0;
  virtual bool deterministic() const { return true; }
  double noise_m = 0.0, noise_n = 0.0, step_m = 1e-3;

  static RigState stateOf(const Rig& rig) {
    const auto n = static_cast<Eigen::Index>(rig.interfaces());
    return {Eigen::VectorXd::Constant(n, 99.0), Eigen::VectorXd::Constant(n, 99.0)};
  }
  static Command commandOf(const Rig& rig, double position_m) {
    const auto n = static_cast<Eigen::Index>(rig.interfaces());
    return {Eigen::VectorXd::Constant(n, position_m), Eigen::VectorXd::Zero(n)};
  }
  /// Ticks of a smooth motion; all readings, one after the other.
  std::vector<double> drive(Rig& rig, int ticks) {
    std::vector<double> readings;
    RigState state = stateOf(rig);
    Command command = commandOf(rig, 0.0);
    for (int k = 0; k < ticks; ++k) {
      (void)rig.read(state, k == 0 ? 0 : 1);
      readings.insert(readings.end(), state.measured.begin(), state.measured.end());
      readings.insert(readings.end(), state.force.begin(), state.force.end());
      command.position.setConstant(step_m * std::sin(0.05 * k));
      command.rate.setConstant(step_m * 50.0 * std::cos(0.05 * k));
      (void)rig.write(command);
    }
    return readings;
  }

 private Q_SLOTS:
  void readBeforeWriteGivesRest() {
    const auto rig = makeRig();
    QVERIFY(rig->interfaces() > 0);
    QVERIFY(!rig->description().empty());
    rig->open();
    RigState state = stateOf(*rig);
    for (const std::int64_t elapsed : {0, 1, 1}) {
      QVERIFY(rig->read(state, elapsed) == RigStatus::ok);
      QVERIFY(state.measured.cwiseAbs().maxCoeff() <= noise_m);
      QVERIFY(state.force.cwiseAbs().maxCoeff() <= noise_n);
    }
  }

  void commandsMoveTheInterface() {
    const auto rig = makeRig();
    rig->open();
    RigState state = stateOf(*rig);
    for (int k = 0; k < 1000; ++k) {
      QVERIFY(rig->read(state, k == 0 ? 0 : 1) == RigStatus::ok);
      QVERIFY(rig->write(commandOf(*rig, step_m)) == RigStatus::ok);
    }
    QVERIFY((state.measured.array() - step_m).abs().maxCoeff() <= noise_m + 1e-6 * step_m);
  }

  /// Skipped periods are lived through with the last command held; some rigs learn of them by the next command.
  void elapsedPeriodsHoldTheLastCommand() {
    const auto skipping = makeRig(), steady = makeRig();
    skipping->open();
    steady->open();
    RigState a = stateOf(*skipping), b = stateOf(*steady);
    for (const auto& rig : {skipping.get(), steady.get()}) {
      (void)rig->read(a, 0);
      (void)rig->write(commandOf(*rig, step_m));
    }
    (void)skipping->read(a, 25);
    (void)skipping->write(commandOf(*skipping, step_m));
    (void)skipping->read(a, 1);
    for (int k = 0; k < 25; ++k) {
      (void)steady->read(b, 1);
      (void)steady->write(commandOf(*steady, step_m));
    }
    (void)steady->read(b, 1);
    QVERIFY((a.measured - b.measured).cwiseAbs().maxCoeff() <= 2.0 * noise_m);
    QVERIFY((a.force - b.force).cwiseAbs().maxCoeff() <= 2.0 * noise_n);
    QVERIFY(a.measured.cwiseAbs().maxCoeff() > 0.1 * step_m);
  }

  void commandsThatAreNoNumbersAreRefused() {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    const auto rig = makeRig();
    rig->open();
    RigState state = stateOf(*rig);
    (void)rig->read(state, 0);
    QVERIFY(rig->write(commandOf(*rig, step_m)) == RigStatus::ok);
    for (int k = 0; k < 1000; ++k) {
      (void)rig->read(state, 1);
      QVERIFY(rig->write(commandOf(*rig, step_m)) == RigStatus::ok);
    }
    for (int k = 0; k < 1000; ++k) {
      (void)rig->read(state, 1);
      Command bad = commandOf(*rig, k % 2 == 0 ? nan : inf);
      if (k % 4 > 1) {
        bad.position.setConstant(step_m);
        bad.rate[0] = nan;
      }
      QVERIFY(rig->write(bad) == RigStatus::fault);
    }
    QVERIFY((state.measured.array() - step_m).abs().maxCoeff() <= noise_m + 1e-6 * step_m);
    QVERIFY(state.force.allFinite());
    QVERIFY(rig->write(commandOf(*rig, 0.0)) == RigStatus::ok);
  }

  /// Twice, and from another thread; afterwards nothing moves, commands are refused, and the status says so.
  void safeStopFreezesAndIsIdempotent() {
    const auto rig = makeRig();
    rig->open();
    drive(*rig, 30);
    RigState before = stateOf(*rig), after = stateOf(*rig);
    (void)rig->read(before, 0);
    std::thread([&] { rig->safeStop(); }).join();
    rig->safeStop();
    for (int k = 0; k < 50; ++k) {
      QVERIFY(rig->read(after, 1) == RigStatus::fault);
      QVERIFY(rig->write(commandOf(*rig, step_m)) == RigStatus::fault);
      QVERIFY((after.measured - before.measured).cwiseAbs().maxCoeff() <= 2.0 * noise_m);
      QVERIFY(after.force.allFinite());
    }
    rig->safeStop();
  }

  void openingAgainStartsAtRest() {
    const auto rig = makeRig();
    rig->open();
    const std::vector<double> first = drive(*rig, 50);
    rig->safeStop();
    rig->open();
    const std::vector<double> second = drive(*rig, 50);
    if (deterministic()) QVERIFY(first == second);
  }

  void theSameCommandsGiveTheSameReadings() {
    if (!deterministic()) return;
    const auto one = makeRig(), other = makeRig();
    one->open();
    other->open();
    QVERIFY(drive(*one, 500) == drive(*other, 500));
  }

  void aTickAllocatesNothing() {
    const auto rig = makeRig();
    rig->open();
    RigState state = stateOf(*rig);
    Command command = commandOf(*rig, 0.0);
    const AllocationGuard guard;
    for (int k = 0; k < 100; ++k) {
      (void)rig->read(state, k == 0 ? 0 : (k % 10 == 0 ? 3 : 1));
      command.position.setConstant(step_m * std::sin(0.05 * k));
      (void)rig->write(command);
    }
    rig->safeStop();
    (void)rig->read(state, 1);
    QCOMPARE(guard.count(), std::uint64_t{0});
  }
};

}  // namespace hyb::test
