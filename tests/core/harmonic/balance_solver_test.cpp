/// The solver of a harmonic balance on equations that are known.
#include "core/harmonic/balance_solver.h"
#include "core/linalg/dense.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Complex-linear in each pair: what two commands do to two residuals.
MatrixXd gains(double second = 1.0) {
  MatrixXd g(4, 4);
  const auto put = [&](Index r, Index c, double re, double im) { g.block<2, 2>(2 * r, 2 * c) << re, -im, im, re; };
  put(0, 0, 2.0, 0.5);
  put(0, 1, -0.7 * second, 0.2 * second);
  put(1, 0, 0.4, -0.3);
  put(1, 1, 1.5 * second, 0.9 * second);
  return g;
}

/// Runs until a frequency is over; how often it was asked for an average.
template <typename Residual>
int solve(BalanceSolver& solver, const Residual& residual, int most = 10000) {
  solver.beginPoint();
  int averages = 0;
  while (averages < most) {
    ++averages;
    if (solver.take(residual(solver.command(), averages)) == BalanceSolver::Next::end) break;
  }
  return averages;
}

const VectorXd kLoad = (VectorXd(4) << 1.0, 0.0, 0.2, -0.3).finished();

}  // namespace

class BalanceSolverTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void linearInOneStep_data() {
    QTest::addColumn<bool>("both_phases");
    QTest::newRow("cosine and sine") << true;
    QTest::newRow("cosine alone") << false;
  }
  void linearInOneStep() {
    QFETCH(bool, both_phases);
    BalanceSolverSettings settings;
    settings.tolerance = 1e-9;
    settings.both_phases = both_phases;
    BalanceSolver solver(settings, 4);
    const MatrixXd g = gains();
    const auto residual = [&](const VectorXd& v, int) -> VectorXd { return g * v - kLoad; };
    QCOMPARE(solve(solver, residual), 2 * (both_phases ? 6 : 4));
    QVERIFY(solver.end() == BalanceEnd::converged);
    QCOMPARE(solver.iterations(), 1);
    QVERIFY((solver.command() - linalg::inverse(g) * kLoad).norm() < 1e-9);
    QVERIFY(solver.bestIsNow());
    // The next frequency begins with that.
    const auto near = [&](const VectorXd& v, int) -> VectorXd { return 1.1 * (g * v) - kLoad; };
    solve(solver, near);
    QVERIFY(solver.end() == BalanceEnd::converged && solver.evaluations() < 12);
    solver.reset();
    QVERIFY(solver.command().isZero(0.0));
    QCOMPARE(solve(solver, residual), 2 * (both_phases ? 6 : 4));
  }

  void boundsHoldAndKeepTheDirection() {
    BalanceSolverSettings settings;
    settings.step_bound = 0.1;
    settings.bound = 0.4;
    settings.iterations = 40;
    BalanceSolver solver(settings, 4);
    const MatrixXd g = gains();
    VectorXd last = VectorXd::Zero(4);
    solve(solver, [&](const VectorXd& v, int) -> VectorXd {
      for (const Index pair : {0, 2})
        if (v.segment<2>(pair).norm() > 0.4 + 1e-12) QTest::qFail("beyond its bound", __FILE__, __LINE__);
      last = v;
      return g * v - 10.0 * kLoad;
    });
    QVERIFY(solver.end() == BalanceEnd::bound);
    const VectorXd way = linalg::inverse(g) * kLoad;
    QVERIFY(solver.command().dot(way) > 0.99 * solver.command().norm() * way.norm());
  }

  void commandWithoutEffectIsTold() {
    BalanceSolver solver({}, 4);
    const MatrixXd g = gains(1e-9);
    solve(solver, [&](const VectorXd& v, int) -> VectorXd { return g * v - kLoad; });
    QVERIFY(solver.end() == BalanceEnd::unheard && solver.leastPair() == 1);
    QVERIFY(solver.command().isZero(0.0));  // back at the best
  }

  /// What the rig does changes by half while it is solved for: a new Jacobian, and it gets there.
  void renewsAJacobianThatIsOld() {
    BalanceSolverSettings settings;
    settings.tolerance = 1e-6;
    settings.steadiness = 1e-7;
    BalanceSolver solver(settings, 4);
    MatrixXd g = gains();
    const auto residual = [&](const VectorXd& v, int) -> VectorXd { return g * v - kLoad; };
    solve(solver, residual);
    MatrixXd turned(4, 4);
    turned.setZero();
    for (const Index k : {0, 2}) turned.block<2, 2>(k, k) << 0.0, -1.0, 1.0, 0.0;
    g = turned * turned * g;  // the opposite
    g(0, 0) += 0.8;
    solve(solver, residual);
    QVERIFY(solver.end() == BalanceEnd::converged);
    QVERIFY(solver.iterations() > 1 && solver.iterations() < 60);
  }

  /// What is kept of a frequency that does not converge is from its best V, never from a perturbation.
  void bestOfWhatDoesNotConverge() {
    BalanceSolverSettings settings;
    settings.iterations = 3;
    settings.tolerance = 1e-12;
    settings.steadiness = 1.0;
    BalanceSolver solver(settings, 4);
    const MatrixXd g = gains();
    double best = 1e9;
    solve(solver, [&](const VectorXd& v, int n) -> VectorXd {
      VectorXd r = g * v - kLoad;
      r[0] += 1e-3 * std::sin(1.7 * n);
      return r;
    });
    QVERIFY(solver.end() == BalanceEnd::iterations);
    best = solver.residual();
    QVERIFY(best < 0.01);
    QVERIFY(((g * solver.command() - kLoad).norm()) < best + 2e-3);
  }

  void notANumberIsNeverSteady() {
    BalanceSolverSettings settings;
    settings.most_averages = 5;
    BalanceSolver solver(settings, 4);
    QCOMPARE(solve(solver,
                   [](const VectorXd&, int) -> VectorXd {
                     return VectorXd::Constant(4, std::numeric_limits<double>::quiet_NaN());
                   }),
             5);
    QVERIFY(solver.end() == BalanceEnd::not_steady);
  }
};

HYB_SUITE(balance_solver, BalanceSolverTest)
#include "balance_solver_test.moc"
