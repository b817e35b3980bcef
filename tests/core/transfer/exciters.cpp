/// Exciters: against an integration of their own in small steps, with what the load cell reads under the force that is
/// still held; and their transfer function.
#include "core/transfer/exciter.h"

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <complex>
#include <set>

#include "core/transfer/actuator_transfer.h"
#include "core/transfer/transfer_system.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kExciterTick_s = 1e-3;
constexpr double kTied_kg = 0.3;  // of the specimen, at each interface
constexpr std::array<ExciterParams, 2> kExciters{{{0.4, 500.0, 3.0}, {0.7, 0.0, 2.0}}};
constexpr double kForceGain = 1.5;

double pushOf(std::size_t i, int tick) {
  if (tick < 0) return 0.0;
  return i == 0 ? 2.0 * std::sin(0.05 * tick) + (tick > 40 ? 5.0 : 0.0) : -7.0 * std::sin(0.03 * tick);
}

Partition tiedSpecimen() {
  Partition partition = cut(threeMass(), threeMassPartition());
  for (const Eigen::Index dof : partition.interface_in_physical) partition.physical.m.coeffRef(dof, dof) += kTied_kg;
  return partition;
}

TwinParams exciters() {
  TwinParams params;
  params.actuators = {{.model = exciter(kExciters[0]), .gain = kForceGain},
                      {.model = exciter(kExciters[1]), .delay_s = 0.0013}};
  return params;
}

/// Both exciters and the middle mass of the specimen between them, in small steps of Runge and Kutta.
class ExcitersInSmallSteps {
 public:
  std::array<double, 2> x() const { return {y_[0], y_[2]}; }
  /// Of the specimen, under the force that is held.
  std::array<double, 2> force() const {
    const State r = rates(y_);
    return {link(y_, 0) - kTied_kg * r[1], link(y_, 1) - kTied_kg * r[3]};
  }
  void tick(int k) {
    constexpr int parts = 10, steps = 40;
    for (int part = 0; part < parts; ++part) {
      // The second command is 1.3 ticks late: the older of two until 0.3 of the tick are over.
      push_ = {kForceGain * pushOf(0, k), pushOf(1, part < 3 ? k - 2 : k - 1)};
      for (int s = 0; s < steps; ++s) step(kExciterTick_s / (parts * steps));
    }
  }

 private:
  using State = std::array<double, 6>;  // x, x' of both, then the middle mass
  static double link(const State& y, std::size_t i) {
    return 9000.0 * (y[4] - y[2 * i]) + 30.0 * (y[5] - y[2 * i + 1]);
  }
  State rates(const State& y) const {
    State r{};
    double on_mass = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      const ExciterParams& p = kExciters[i];
      r[2 * i] = y[2 * i + 1];
      r[2 * i + 1] = (push_[i] - p.stiffness_n_per_m * y[2 * i] - p.damping_n_s_per_m * y[2 * i + 1] + link(y, i)) /
                     (p.moving_mass_kg + kTied_kg);
      on_mass -= link(y, i);
    }
    r[4] = y[5];
    r[5] = on_mass / 2.2;
    return r;
  }
  void step(double h) {
    const auto moved = [&](const State& by, double share) {
      State y = y_;
      for (std::size_t j = 0; j < y.size(); ++j) y[j] += share * by[j];
      return y;
    };
    const State a = rates(y_), b = rates(moved(a, 0.5 * h)), c = rates(moved(b, 0.5 * h)), d = rates(moved(c, h));
    for (std::size_t j = 0; j < y_.size(); ++j) y_[j] += h / 6.0 * (a[j] + 2.0 * b[j] + 2.0 * c[j] + d[j]);
  }
  State y_{};
  std::array<double, 2> push_{};
};

}  // namespace

class ExcitersTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void exactInTime() {
    TwinBench bench(exciters(), kExciterTick_s, tiedSpecimen());
    ExcitersInSmallSteps expected;
    for (int k = 0; k < 400; ++k) {
      bench.tick();
      for (std::size_t i = 0; i < 2; ++i) {
        const auto e = static_cast<Eigen::Index>(i);
        QVERIFY2(std::abs(bench.state.measured[e] - expected.x()[i]) < 1e-11, qPrintable(QString::number(k)));
        QVERIFY2(std::abs(bench.state.force[e] - expected.force()[i]) < 1e-8, qPrintable(QString::number(k)));
        bench.command.position[e] = pushOf(i, k);
      }
      expected.tick(k);
    }
    QVERIFY(bench.state.measured.cwiseAbs().minCoeff() > 1e-4);
  }

  /// A mass between both axes: neither moves by its own force alone.
  void coupledByAFixture() {
    TwinParams params = exciters();
    params.fixture.mass_kg = (Eigen::Matrix2d() << 0.5, 0.2, 0.2, 0.6).finished();
    params.fixture.load_cell_beneath = true;
    TwinBench bench(params, kExciterTick_s, tiedSpecimen());
    bench.tick();
    bench.command.position << 1.0, 0.0;
    bench.tick();
    // Before anything has moved: accelerations are those of the masses, a = M^-1 u, and x = a t^2/2.
    const Eigen::Matrix2d mass =
        params.fixture.mass_kg + Eigen::Vector2d(0.4 + kTied_kg, 0.7 + kTied_kg).asDiagonal().toDenseMatrix();
    const Eigen::Vector2d a = mass.inverse() * Eigen::Vector2d(kForceGain, 0.0);
    QVERIFY((bench.state.measured - 0.5e-6 * a).cwiseAbs().maxCoeff() < 0.02 * 0.5e-6 * a.cwiseAbs().maxCoeff());
    QVERIFY(std::abs(bench.state.measured[1] / bench.state.measured[0] - a[1] / a[0]) < 0.02);
  }

  /// Both alike, so that the middle mass moves as half of it on each: coil, interface and that half in small steps.
  void throughStingers() {
    const ExciterParams p{0.025, 4000.0, 4.0, 1.6493e6, 5.0};
    TwinParams params;
    params.actuators = {{.model = exciter(p)}};
    TwinBench bench(params, kExciterTick_s, tiedSpecimen());
    std::array<double, 6> y{};  // x, x' of coil, interface, half of the middle mass
    double push = 0.0, link = 0.0;
    const auto rates = [&](const std::array<double, 6>& at) {
      const double stinger = p.stinger_n_per_m * (at[0] - at[2]) + p.stinger_n_s_per_m * (at[1] - at[3]);
      link = 9000.0 * (at[4] - at[2]) + 30.0 * (at[5] - at[3]);
      return std::array<double, 6>{
          at[1], (push - p.stiffness_n_per_m * at[0] - p.damping_n_s_per_m * at[1] - stinger) / p.moving_mass_kg,
          at[3], (stinger + link) / kTied_kg,
          at[5], -link / 1.1};
    };
    for (int k = 0; k < 200; ++k) {
      bench.tick();
      const double force = (rates(y), link) - kTied_kg * rates(y)[3];
      QVERIFY2(std::abs(bench.state.measured[0] - y[2]) < 1e-10 && std::abs(bench.state.measured[1] - y[2]) < 1e-10,
               qPrintable(QString::number(k)));
      QVERIFY2(std::abs(bench.state.force[0] - force) < 1e-6, qPrintable(QString::number(k)));
      bench.command.position.setConstant(push = 3.0 * std::sin(0.1 * k));
      constexpr int steps = 1000;
      const double h = kExciterTick_s / steps;
      for (int step = 0; step < steps; ++step) {
        const auto moved = [&](const std::array<double, 6>& by, double share) {
          std::array<double, 6> at = y;
          for (std::size_t j = 0; j < at.size(); ++j) at[j] += share * by[j];
          return at;
        };
        const auto a = rates(y), b = rates(moved(a, 0.5 * h)), c = rates(moved(b, 0.5 * h)), d = rates(moved(c, h));
        for (std::size_t j = 0; j < y.size(); ++j) y[j] += h / 6.0 * (a[j] + 2.0 * b[j] + 2.0 * c[j] + d[j]);
      }
    }
    QVERIFY(std::abs(y[2]) > 1e-5);
  }

  void transferFunctionIsTheClosedForm() {
    const std::complex<double> s(0.0, 30.0);
    const ActuatorTransfer transfer = transferOf(exciters().actuators[0]);
    const auto value = [&](const std::vector<double>& polynomial) { return evaluate(polynomial, s).value; };
    QVERIFY(value(transfer.numerator) == kForceGain);
    QVERIFY(std::abs(value(transfer.denominator) - (0.4 * s * s + 3.0 * s + 500.0)) < 1e-12);
    QVERIFY(value(transfer.load) == 1.0);
    QVERIFY(exciter({})->takesForce());
    // With a stinger: S D x = S u - (D + S) f.
    const ActuatorTransfer rod = exciter({0.4, 500.0, 3.0, 1e5, 20.0})->transfer();
    const std::complex<double> own = 0.4 * s * s + 3.0 * s + 500.0, stinger = 1e5 + 20.0 * s;
    QVERIFY(std::abs(value(rod.numerator) - stinger) < 1e-9 && std::abs(value(rod.load) - own - stinger) < 1e-9);
    QVERIFY(std::abs(value(rod.denominator) / (own * stinger) - 1.0) < 1e-12);
  }

  void faultsAreNamed() {
    Checks checks;
    exciter({-0.1, -1.0, -2.0})->check(checks, 0.0, kExciterTick_s);
    std::set<std::string> places;
    for (const Issue& issue : issuesOf([&] { checks.throwIfAny(); })) places.insert(issue.where);
    QCOMPARE(places, (std::set<std::string>{"/moving_mass_kg", "/stiffness_n_per_m", "/damping_n_s_per_m"}));
    TwinParams massless = exciters();
    massless.actuators = {{.model = exciter({0.0, 100.0, 1.0})}};
    const auto issues = issuesOf([&] { makeTwin(cut(threeMass(), threeMassPartition()), massless, 1e-3); });
    QVERIFY2(mentions(issues, "/rig/actuators/0/moving_mass_kg", "greater than 0"), qPrintable(shown(issues)));
  }
};

HYB_SUITE(exciters, ExcitersTest)
#include "exciters.moc"
