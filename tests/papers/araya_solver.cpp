// D. Araya, MSc thesis, UTFSM 2023: the servo-hydraulic plant with its compliance spring, taken from tick to tick by
// Runge-Kutta as in the thesis, and exactly (validation row 22, section 4).
#include "core/base/numbers.h"
#include "core/rig/twin.h"
#include "core/stability/discrete_loop.h"
#include "core/structure/structure.h"
#include "core/transfer/servo_hydraulic.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kThesisTick_s = 1.0 / 4096.0;
constexpr double kStoreyMass_kg = 98.3, kStoreyDamping = 3004.7556, kStoreyStiffness_n_per_m = 10.836e6,
                 kOilSpring_n_per_m = 0.5418e6;

/// The storey behind its spring on the rig; the piston's place belongs to both sides. The numerical side is an
/// oscillator of its own, which settles with this actuator as long as no more delay is added.
Partition storeyBehindSpring() {
  MatrixStructure whole;
  whole.dofs = {{"piston"}, {"storey"}};
  whole.m.rows = {{1000.0, 0.0}, {0.0, kStoreyMass_kg}};
  whole.c.rows = {{2e4, 0.0}, {0.0, kStoreyDamping}};
  whole.k.rows = {{4e5 + kOilSpring_n_per_m, -kOilSpring_n_per_m},
                  {-kOilSpring_n_per_m, kOilSpring_n_per_m + kStoreyStiffness_n_per_m}};
  whole.grounds = {{"ground", {}}};
  Structure structure;
  structure.kind = whole;
  CutByMatrices matrices;
  matrices.physical.dofs = {"piston", "storey"};
  matrices.physical.m = {{0.0, 0.0}, {0.0, kStoreyMass_kg}};
  matrices.physical.c = {{0.0, 0.0}, {0.0, kStoreyDamping}};
  matrices.physical.k = {{kOilSpring_n_per_m, -kOilSpring_n_per_m},
                         {-kOilSpring_n_per_m, kOilSpring_n_per_m + kStoreyStiffness_n_per_m}};
  PartitionSpec spec;
  spec.cut = matrices;
  return cut(buildModel(structure), spec);
}

TwinParams thesisPlant(TwinSolver solver, double delay_s = 0.0) {
  HydraulicParams params{2.13e13, 4.23e6, 3.3, 425.0, 1e5, 1.0};
  TwinParams twin;
  twin.actuators = {{.model = servoHydraulic(params), .delay_s = delay_s}};
  twin.solver = solver;
  return twin;
}

/// Piston after its command stepped to 1 m in tick 0, [tick].
std::vector<double> pistonStep(TwinSolver solver, double seconds) {
  const std::unique_ptr<Rig> twin = makeTwin(storeyBehindSpring(), thesisPlant(solver), kThesisTick_s);
  twin->open();
  RigState state{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
  const Command command{Eigen::VectorXd::Ones(1), Eigen::VectorXd::Zero(1)};
  std::vector<double> piston;
  for (int k = 0; k * kThesisTick_s <= seconds; ++k) {
    (void)twin->read(state, k == 0 ? 0 : 1);
    piston.push_back(state.measured[0]);
    (void)twin->write(command);
  }
  return piston;
}

const DiscreteMode& oilColumnMode(const DiscreteStability& stability) {
  return *std::min_element(stability.modes.begin(), stability.modes.end(), [](const auto& a, const auto& b) {
    return std::abs(a.frequency_hz - 347.7) < std::abs(b.frequency_hz - 347.7);
  });
}

}  // namespace

class PaperArayaSolver : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void row22StepByRungeKuttaAndExactly() {
    const std::vector<double> exact = pistonStep(TwinSolver::exact, 5.0), rk4 = pistonStep(TwinSolver::rk4, 5.0);
    double early = 0.0, late = 0.0;
    for (std::size_t k = 0; k < exact.size() && static_cast<double>(k) * kThesisTick_s <= 0.5; ++k) {
      const double error = std::abs(exact[k] - rk4[k]);
      late = std::max(late, error);
      if (static_cast<double>(k) * kThesisTick_s <= 0.1) early = std::max(early, error);
    }
    QVERIFY2(early > 0.0 && early < 1e-4, qPrintable(QString::number(early)));
    QVERIFY2(late < 2e-4, qPrintable(QString::number(late)));
    compare(exact.back(), 0.9920, 1e-4, "final value, exact");
    compare(rk4.back(), 0.9920, 1e-4, "final value, Runge-Kutta");
  }

  /// Section 4: the fastest mode decays by itself with 1.92 1/s. Runge-Kutta adds w^6 h^5 / 144 = 0.65 1/s to leading
  /// order, and just what its factor 1 + z + z^2/2 + z^3/6 + z^4/24 of that root says.
  void dampingOfTheOilColumnMode() {
    const auto mode = [](TwinSolver solver) {
      return oilColumnMode(
          discreteStability({.scheme = Scheme::exact_ramp}, storeyBehindSpring(), thesisPlant(solver), kThesisTick_s));
    };
    const DiscreteMode exact = mode(TwinSolver::exact), rk4 = mode(TwinSolver::rk4);
    compare(exact.frequency_hz, 347.67, 1.0, "frequency, Hz");
    compare(-exact.growth_per_s, 1.92, 0.02, "decay, exact, 1/s");
    const std::complex<double> z = kThesisTick_s * std::complex(exact.growth_per_s, kTwoPi * exact.frequency_hz);
    const double factor = std::abs(1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0))));
    compare(rk4.growth_per_s, std::log(factor) / kThesisTick_s, 0.01, "growth by Runge-Kutta, 1/s");
    compare(exact.growth_per_s - rk4.growth_per_s, std::pow(kTwoPi * 347.67, 6) * std::pow(kThesisTick_s, 5) / 144.0,
            0.05, "added by Runge-Kutta, 1/s");
  }

  void bothAreStableInTheSamePlaces() {
    int stable = 0, unstable = 0;
    for (int step = 0; step <= 8; ++step) {
      const double delay_s = 10e-3 * step;
      const auto growth = [&](TwinSolver solver) {
        return discreteStability({.scheme = Scheme::exact_ramp}, storeyBehindSpring(), thesisPlant(solver, delay_s),
                                 kThesisTick_s)
            .growth_per_s;
      };
      const double exact = growth(TwinSolver::exact), rk4 = growth(TwinSolver::rk4);
      QVERIFY2((exact > 0.0) == (rk4 > 0.0), qPrintable(QString("%1 s: %2 %3").arg(delay_s).arg(exact).arg(rk4)));
      ++(exact > 0.0 ? unstable : stable);
    }
    QVERIFY2(stable > 1 && unstable > 1, qPrintable(QString("%1 %2").arg(stable).arg(unstable)));
  }

  /// At 700 Hz the mode is beyond what Runge-Kutta follows (2.8 over the tick); the exact twin does not mind.
  void refusesATickThatIsTooLong() {
    QVERIFY(makeTwin(storeyBehindSpring(), thesisPlant(TwinSolver::exact), 1.0 / 700.0) != nullptr);
    try {
      makeTwin(storeyBehindSpring(), thesisPlant(TwinSolver::rk4), 1.0 / 700.0);
      QFAIL("accepted");
    } catch (const InputError& error) {
      QCOMPARE(error.issues().front().where, std::string("/rig/solver"));
    }
  }
};

HYB_SUITE(paper_araya_solver, PaperArayaSolver)
#include "araya_solver.moc"
