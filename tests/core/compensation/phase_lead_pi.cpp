#include "core/compensation/phase_lead_pi.h"

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "core/base/json.h"
#include "core/compensation/feedback.h"
#include "tests/support/compare.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Complex = std::complex<double>;
constexpr double kPiStep_s = 1.0 / 4096.0;

CompensationMethodPtr phaseLeadPi(const Json& settings, Checks& checks) {
  return parsePhaseLeadPi(settings, {{}, kPiStep_s}, checks);
}

/// Sum of taps_j q^j.
Complex sumOf(const std::vector<double>& taps, Complex q) {
  Complex sum = 0.0, power = 1.0;
  for (const double tap : taps) {
    sum += tap * power;
    power *= q;
  }
  return sum;
}

/// One axis, driven tick by tick.
struct PiAxis {
  explicit PiAxis(const PhaseLeadPiParams& params) : compensator(makePhaseLeadPi(params, kPiStep_s)) {}
  double operator()(double target, double measured) {
    state.target[0] = target;
    state.measured[0] = measured;
    compensator->update(state, command);
    return command.position[0];
  }
  std::unique_ptr<Compensator> compensator;
  InterfaceState state{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
  Command command{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
};

}  // namespace

class PhaseLeadPiTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// K_p + K_i / s and (50.8316 s + 8570.397) / (s + 8570.397) with s = 2 / tick (1 - q) / (1 + q).
  void isTheBilinearRuleOfTheDefinition() {
    Checks checks;
    const CompensationMethodPtr method = phaseLeadPi({{"method", "phase-lead-pi"}}, checks);
    QVERIFY(method);
    const std::vector<double> target = method->taps(0);
    const CommandFeedback taken = feedbackOf(*method, 0);
    for (const double hz : {0.3, 5.0, 60.0, 900.0}) {
      const Complex q = std::polar(1.0, -2.0 * M_PI * hz * kPiStep_s), s = 2.0 / kPiStep_s * (1.0 - q) / (1.0 + q);
      const Complex controller = 2.0 + 95.0 / s, lead = (50.8316 * s + 8570.397) / (s + 8570.397),
                    own = 1.0 + q * sumOf(taken.command, q);
      QVERIFY(std::abs(sumOf(target, q) / own - controller * lead) < 1e-9 * std::abs(controller * lead));
      QVERIFY(std::abs(sumOf(taken.measured, q) / own - controller) < 1e-9 * std::abs(controller));
    }
    compare(method->lead_s(0), 49.8316 / 8570.397, 1e-12, "lead");
  }

  /// An actuator of first order follows a target that stands without an error, and as its closed loop says on the way.
  void takesOffWhatTheProportionalGainLeaves() {
    PhaseLeadPiParams params;
    params.lead_s = params.lag_s;
    PiAxis axis(params);
    axis(0.0, 0.0);
    double x = 0.0;
    const double time_s = 0.02, kept = std::exp(-kPiStep_s / time_s);
    // x' = (0.9 u - x) / T with u = 2 (1 - x) + 95 (integral of 1 - x): x'' T + x' (1 + 1.8) + 85.5 x = 85.5 and 1.8
    // x'.
    const double a = 2.8 / (2.0 * time_s), w = std::sqrt(a * a - 85.5 / time_s);  // overdamped
    for (int k = 1; k <= 4096; ++k) {
      const double u = axis(1e-3, x);
      x = kept * x + (1.0 - kept) * 0.9 * u;
      const double t = k * kPiStep_s, slope = 1.8 / time_s;
      const double exact = 1e-3 * (1.0 - std::exp(-a * t) * (std::cosh(w * t) + (a - slope) / w * std::sinh(w * t)));
      if (k % 64 == 0) compare(x, exact, 1.5e-5, "motion, m");  // half a tick of hold
    }
    compare(x, 1e-3, 1e-9, "motion at the end, m");
  }

  void startsWithTheTargetAsItsCommand() {
    PiAxis axis{PhaseLeadPiParams{}};
    QCOMPARE(axis(3e-3, 2.5e-3), 3e-3);
    for (int k = 0; k < 100; ++k) axis(3e-3, 2.5e-3);
    axis.compensator->restart();
    QCOMPARE(axis(-1e-3, 0.0), -1e-3);
  }

  void aReadingThatIsNotANumberIsTheOneBefore() {
    PiAxis lost{PhaseLeadPiParams{}}, held{PhaseLeadPiParams{}};
    for (int k = 0; k < 50; ++k) {
      const double z = 1e-3 * std::sin(0.1 * k), x = 1e-3 * std::sin(0.1 * std::min(k, 20));
      const double u = lost(z, k > 20 ? std::numeric_limits<double>::quiet_NaN() : x);
      QCOMPARE(u, held(z, x));
    }
  }

  void gainsCanBeTuned() {
    PiAxis tuned{PhaseLeadPiParams{}};
    PhaseLeadPiParams other;
    other.proportional = 1.0;
    other.integral_per_s = 40.0;
    PiAxis made(other);
    QCOMPARE(tuned.compensator->tunables().size(), std::size_t{2});
    tuned.compensator->tune(0, 1.0);
    tuned.compensator->tune(1, 40.0);
    for (int k = 0; k < 20; ++k) {
      const double z = 1e-3 * std::sin(0.1 * k);
      QCOMPARE(tuned(z, 0.5 * z), made(z, 0.5 * z));
    }
  }

  void tellsItsNoiseGains() {
    Checks checks;
    const CompensationMethodPtr method = phaseLeadPi({{"proportional", 2.0}, {"lead_s", 0.0}, {"lag_s", 1e-3}}, checks);
    // 2 / (1 + lag s): 2 g, g (1 + k), g (1 + k) k ... with g = 1 / (1 + 2 lag / tick).
    const double g = 1.0 / (1.0 + 8.192), k = (8.192 - 1.0) / (8.192 + 1.0);
    const double gain = 2.0 * g * std::sqrt(1.0 + (1.0 + k) * (1.0 + k) / (1.0 - k * k));
    QVERIFY2(method->remarks().front().find("Noise gain " + QString::number(gain, 'g', 3).toStdString()) !=
                 std::string::npos,
             method->remarks().front().c_str());
  }

  void namesWhatIsWrong_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<double>("value");
    QTest::newRow("proportional") << "proportional" << -1.0;
    QTest::newRow("integral") << "integral_per_s" << 0.0;
    QTest::newRow("lead") << "lead_s" << -1e-3;
    QTest::newRow("lag") << "lag_s" << 0.0;
  }
  void namesWhatIsWrong() {
    QFETCH(QString, key);
    QFETCH(double, value);
    Checks checks;
    QVERIFY(!phaseLeadPi({{key.toStdString(), value}}, checks));
    const std::vector<Issue> issues = issuesOf([&] { checks.throwIfAny(); });
    QCOMPARE(issues.size(), std::size_t{1});
    QCOMPARE(issues.front().where, "/" + key.toStdString());
  }
};

HYB_SUITE(phase_lead_pi, PhaseLeadPiTest)
#include "phase_lead_pi.moc"
