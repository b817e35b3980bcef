/// Voice coils: against an integration of their own in small steps, closed forms of response, rest and suspension, and
/// at the limit of the voltage.
#include "core/transfer/voice_coil.h"

#include <array>
#include <cmath>
#include <complex>
#include <set>

#include "core/base/allocation_guard.h"
#include "core/base/numbers.h"
#include "core/transfer/transfer_system.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;
using Complex = std::complex<double>;

namespace {

constexpr double kCoilTick_s = 1e-3;
constexpr double kSpring = 9000.0, kDamper = 30.0, kMass = 2.2;  // of the specimen

TwinParams coils(const VoiceCoilParams& first, const VoiceCoilParams& second, double gain = 1.0) {
  TwinParams params;
  params.actuators = {{.model = voiceCoil(first), .gain = gain}, {.model = voiceCoil(second), .delay_s = 0.0013}};
  return params;
}

double cubic(const VoiceCoilParams& p, double x) {
  const double y = x + p.offset_m;
  return p.cubic_n_per_m3 * (y * y * y - p.offset_m * p.offset_m * p.offset_m);
}

double coilCommand(std::size_t i, int tick) {
  if (tick < 0) return 0.0;
  return i == 0 ? 1e-3 * std::sin(0.05 * tick) + (tick > 40 ? 5e-4 : 0.0) : -7e-4 * std::sin(0.03 * tick);
}

/// Both coils and the middle mass between them, in small steps of Runge and Kutta; the controllers 20 times in a tick.
class CoilsInSmallSteps {
 public:
  CoilsInSmallSteps(const VoiceCoilParams& first, const VoiceCoilParams& second) : p_{first, second} {}
  std::array<double, 2> x() const { return {y_[0], y_[3]}; }
  std::array<double, 2> force() const {
    return {kSpring * (y_[6] - y_[0]) + kDamper * (y_[7] - y_[1]),
            kSpring * (y_[6] - y_[3]) + kDamper * (y_[7] - y_[4])};
  }
  void tick(int k) {
    constexpr int parts = 20, steps = 20;
    const double part_s = kCoilTick_s / parts, h = part_s / steps;
    for (int part = 0; part < parts; ++part) {
      // The second command is 1.3 ticks late: the older of two until 0.3 of the tick are over.
      const std::array<double, 2> wanted{coilCommand(0, k), coilCommand(1, part < 6 ? k - 2 : k - 1)};
      for (std::size_t i = 0; i < 2; ++i) {
        const double missing = wanted[i] - y_[3 * i];
        integral_[i] += p_[i].integral_gain_v_per_m_s * missing * part_s;
        v_[i] = p_[i].position_gain_v_per_m * missing + integral_[i] - p_[i].velocity_gain_v_s_per_m * y_[3 * i + 1];
      }
      for (int s = 0; s < steps; ++s) step(h);
    }
  }

 private:
  using State = std::array<double, 8>;  // x, x', i of both, then the middle mass
  State rates(const State& y) const {
    State r{};
    double on_mass = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      const VoiceCoilParams& p = p_[i];
      const double x = y[3 * i], v = y[3 * i + 1], current = y[3 * i + 2];
      const double link = kSpring * (y[6] - x) + kDamper * (y[7] - v);
      r[3 * i] = v;
      r[3 * i + 1] = (p.force_constant_n_per_a * current - p.stiffness_n_per_m * x - cubic(p, x) -
                      p.damping_n_s_per_m * v + link) /
                     p.moving_mass_kg;
      r[3 * i + 2] = (v_[i] - p.resistance_ohm * current - (p.current_amplifier ? 0.0 : p.force_constant_n_per_a * v)) /
                     p.inductance_h;
      on_mass -= link;
    }
    r[6] = y[7];
    r[7] = on_mass / kMass;
    return r;
  }
  static State along(const State& y, const State& r, double h) {
    State z = y;
    for (std::size_t n = 0; n < z.size(); ++n) z[n] += h * r[n];
    return z;
  }
  void step(double h) {
    const State a = rates(y_), b = rates(along(y_, a, 0.5 * h)), c = rates(along(y_, b, 0.5 * h)),
                d = rates(along(y_, c, h));
    for (std::size_t n = 0; n < y_.size(); ++n) y_[n] += h / 6.0 * (a[n] + 2.0 * b[n] + 2.0 * c[n] + d[n]);
  }

  std::array<VoiceCoilParams, 2> p_;
  State y_{};
  std::array<double, 2> integral_{}, v_{};
};

/// Largest difference of motion and of force to the small steps, as shares of the largest.
std::array<double, 2> differs(const VoiceCoilParams& first, const VoiceCoilParams& second) {
  TwinBench bench(coils(first, second), kCoilTick_s);
  CoilsInSmallSteps small(first, second);
  bench.tick();
  std::array<double, 2> off{}, largest{};
  for (int k = 0; k < 400; ++k) {
    bench.command.position << coilCommand(0, k), coilCommand(1, k);
    bench.tick();
    small.tick(k);
    for (Eigen::Index i = 0; i < 2; ++i) {
      const auto n = static_cast<std::size_t>(i);
      off[0] = std::max(off[0], std::abs(bench.state.measured[i] - small.x()[n]));
      off[1] = std::max(off[1], std::abs(bench.state.force[i] - small.force()[n]));
      largest[0] = std::max(largest[0], std::abs(small.x()[n]));
      largest[1] = std::max(largest[1], std::abs(small.force()[n]));
    }
  }
  return {off[0] / largest[0], off[1] / largest[1]};
}

double column(const TwinBench& bench, const std::string& name) {
  Rig& rig = const_cast<TwinBench&>(bench).rig();
  const std::vector<Channel> channels = rig.channels();
  std::vector<double> values(channels.size());
  rig.readChannels(values);
  for (std::size_t c = 0; c < channels.size(); ++c)
    if (channels[c].name == name) return values[c];
  return std::nan("");
}

/// Both coils led to a place, at rest there.
void settle(TwinBench& bench, double first_m, double second_m) {
  for (int k = 0; k < 4000; ++k) {
    bench.tick();
    bench.command.position << first_m, second_m;
    bench.command.rate.setZero();
  }
}

}  // namespace

class VoiceCoilsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void linearCoilsAreExactInTime() {
    VoiceCoilParams second;
    second.moving_mass_kg = 0.3;
    second.current_amplifier = true;
    second.inductance_h = 4e-4;
    const auto [motion, force] = differs({}, second);
    QVERIFY2(motion < 1e-7 && force < 1e-6, qPrintable(QString("%1 %2").arg(motion).arg(force)));
  }

  /// The cubic force acts with its mean over each part of a tick, which is right to second order.
  void coilsOnStiffeningSuspensions() {
    VoiceCoilParams stiff;
    stiff.cubic_n_per_m3 = 1e9;
    stiff.offset_m = 5e-4;
    VoiceCoilParams other = stiff;
    other.offset_m = -2e-4;
    const auto [motion, force] = differs(stiff, other);
    QVERIFY2(motion < 2e-3 && force < 2e-3, qPrintable(QString("%1 %2").arg(motion).arg(force)));
    const auto [without, f] = differs(stiff, {});
    QVERIFY(without < 2e-3 && f < 2e-3);
  }

  /// Without a specimen: the three equations solved at each frequency.
  void transferFunctionIsTheClosedForm() {
    for (const bool current : {false, true})
      for (const double integral : {0.0, 6e5}) {
        VoiceCoilParams p;
        p.current_amplifier = current;
        p.integral_gain_v_per_m_s = integral;
        p.cubic_n_per_m3 = 1e8;
        p.offset_m = 5e-4;
        const ActuatorTransfer transfer = voiceCoil(p)->transfer();
        for (const double hz : {0.01, 1.0, 10.0, 60.0, 300.0}) {
          const Complex s(0.0, kTwoPi * hz);
          const double k = p.stiffness_n_per_m + 3.0 * p.cubic_n_per_m3 * p.offset_m * p.offset_m;
          const Complex coil = p.resistance_ohm + p.inductance_h * s;
          const Complex controller = p.position_gain_v_per_m + integral / s;
          const double induced = current ? 0.0 : p.force_constant_n_per_a;
          // m s^2 x = Kf i - k x - c s x - f; i = (V - B s x)/coil; V = C (u - x) - Kd s x.
          const Complex stiff =
              p.moving_mass_kg * s * s + p.damping_n_s_per_m * s + k +
              p.force_constant_n_per_a / coil * (induced * s + controller + p.velocity_gain_v_s_per_m * s);
          const Complex to_command = p.force_constant_n_per_a / coil * controller / stiff, to_load = -1.0 / stiff;
          const Complex d = evaluate(transfer.denominator, s).value;
          QVERIFY(std::abs(response(transfer, s) - to_command) < 1e-12 * std::abs(to_command));
          QVERIFY(std::abs(-evaluate(transfer.load, s).value / d - to_load) < 1e-12 * std::abs(to_load));
        }
        // At rest an integral leaves nothing; without one the suspension holds back its share.
        const double rest = transfer.numerator[0] / transfer.denominator[0];
        const double held = p.force_constant_n_per_a / p.resistance_ohm * p.position_gain_v_per_m;
        QVERIFY(std::abs(rest - (integral > 0.0 ? 1.0 : held / (held + 8000.0 + 3.0 * 1e8 * 25e-8))) < 1e-14);
      }
  }

  /// The voltage at rest is what the suspension and the specimen ask for, on both sides of the soft place.
  void restOnTheSuspensionsCurve() {
    VoiceCoilParams p;
    p.cubic_n_per_m3 = 1e8;
    p.offset_m = 5e-4;
    for (const double x_m : {-3e-3, -1e-3, -5e-4, 4e-4, 2e-3}) {
      TwinBench bench(coils(p, p), kCoilTick_s);
      settle(bench, x_m, -0.5 * x_m);
      QVERIFY(std::abs(bench.state.measured[0] - x_m) < 1e-10);
      const double volts = p.resistance_ohm / p.force_constant_n_per_a *
                           (p.stiffness_n_per_m * x_m + cubic(p, x_m) - bench.state.force[0]);
      QVERIFY2(std::abs(column(bench, "voltage_1") - volts) < 1e-7 * (1.0 + std::abs(volts)),
               qPrintable(QString("%1 %2").arg(column(bench, "voltage_1")).arg(volts)));
      QVERIFY(std::abs(column(bench, "current_1") - volts / p.resistance_ohm) < 1e-7 * (1.0 + std::abs(volts)));
      // The load cell knows nothing of the suspension: two springs in a row are all it reads.
      QVERIFY(std::abs(bench.state.force[0] - 0.5 * kSpring * (-0.5 * x_m - x_m)) < 1e-5);
    }
  }

  void voltageEndsAtItsLimit() {
    VoiceCoilParams p;
    p.voltage_limit_v = 4.0;
    TwinBench bench(coils(p, p), kCoilTick_s);
    bench.tick();
    QCOMPARE(column(bench, "voltage_1"), 0.0);
    bool saturated = false;
    for (int k = 0; k < 3000; ++k) {
      bench.command.position << 0.01, 0.01;
      bench.tick();
      saturated = saturated || bench.status == RigStatus::saturated;
      QVERIFY(std::abs(column(bench, "voltage_1")) <= 4.0);
    }
    QVERIFY(saturated && bench.status == RigStatus::saturated);
    QCOMPARE(column(bench, "voltage_1"), 4.0);
    // Both alike, so the springs between them are slack: 20 N on 8000 N/m.
    QVERIFY2(std::abs(bench.state.measured[0] - 2.5e-3) < 1e-9, qPrintable(QString::number(bench.state.measured[0])));
    // No wind-up: it turns at once, and comes to where it is sent.
    bench.command.position.setZero();
    for (int k = 0; k < 10; ++k) bench.tick();
    QVERIFY(column(bench, "voltage_1") < 4.0);
    for (int k = 0; k < 4000; ++k) bench.tick();  // the coils with the mass between them swing out with 8 1/s
    QVERIFY(bench.status == RigStatus::ok && std::abs(bench.state.measured[0]) < 1e-9);
  }

  void stoppedItHasNoVoltage() {
    TwinBench bench(coils({}, {}), kCoilTick_s);
    settle(bench, 2e-3, 0.0);
    QVERIFY(std::abs(column(bench, "voltage_1")) > 1.0);
    bench.rig().safeStop();
    bench.tick();
    QCOMPARE(column(bench, "voltage_1"), 0.0);
    QCOMPARE(column(bench, "current_1"), 0.0);
  }

  void ofSmallMotionsTheSuspensionIsASpring() {
    VoiceCoilParams p;
    p.cubic_n_per_m3 = 1e8;
    p.offset_m = 5e-4;
    p.voltage_limit_v = 4.0;
    TwinParams full = coils(p, p), small = full;
    for (ActuatorSpec& actuator : small.actuators) {
      actuator.model = actuator.model->linearised();
      QVERIFY(actuator.model && !actuator.model->law());
    }
    TwinBench a(full, kCoilTick_s), b(small, kCoilTick_s);
    double most = 0.0, off = 0.0;
    for (int k = 0; k < 1000; ++k) {
      a.tick();
      b.tick();
      a.command.position << 1e-7 * std::sin(0.05 * k), 0.0;
      b.command = a.command;
      most = std::max(most, std::abs(b.state.force[0]));
      off = std::max(off, (a.state.force - b.state.force).cwiseAbs().maxCoeff());
    }
    QVERIFY2(off < 1e-3 * most, qPrintable(QString("%1 of %2").arg(off).arg(most)));
  }

  void faultsAreNamed() {
    const auto places = [](const VoiceCoilParams& p) {
      Checks checks;
      voiceCoil(p)->check(checks, 0.0, kCoilTick_s);
      std::set<std::string> where;
      for (const Issue& issue : issuesOf([&] { checks.throwIfAny(); })) where.insert(issue.where);
      return where;
    };
    QVERIFY(places({}).empty());
    VoiceCoilParams p;
    p.moving_mass_kg = 0.0;
    p.resistance_ohm = -1.0;
    QCOMPARE(places(p), (std::set<std::string>{"/moving_mass_kg", "/resistance_ohm"}));
    p = {};
    p.offset_m = 1e-3;
    QCOMPARE(places(p), std::set<std::string>{"/offset_m"});
    p = {};
    p.inductance_h = 1e-6;
    QCOMPARE(places(p), std::set<std::string>{"/inductance_h"});
    p = {};
    p.integral_gain_v_per_m_s = 6e7;  // beyond c k/m of the closed loop
    QCOMPARE(places(p), std::set<std::string>{"/position_gain_v_per_m"});
    p = {};
    p.voltage_limit_v = 0.0;
    QCOMPARE(places(p), std::set<std::string>{"/voltage_limit_v"});
  }

  void allocatesNothing() {
    VoiceCoilParams p;
    p.cubic_n_per_m3 = 1e8;
    p.offset_m = 5e-4;
    p.voltage_limit_v = 2.0;
    TwinBench bench(coils(p, p), kCoilTick_s);
    std::vector<double> values(bench.rig().channels().size());
    bench.tick();
    const AllocationGuard guard;
    for (int k = 0; k < 300; ++k) {
      bench.command.position << 5e-3 * std::sin(0.1 * k), 1e-3;
      bench.tick();
      bench.rig().readChannels(values);
    }
    QCOMPARE(guard.count(), std::uint64_t{0});
  }
};

HYB_SUITE(voice_coils, VoiceCoilsTest)
#include "voice_coils.moc"
