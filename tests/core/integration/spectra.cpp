#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "core/integration/fastest_mode.h"
#include "core/integration/runge_kutta.h"
#include "core/linalg/dense.h"
#include "tests/core/integration/systems.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Complex = std::complex<double>;

/// One step of a unit mass with frequency w and damping ratio z, dt = 1, as P y' = Q y over y = (x, v, a).
struct PublishedStep {
  Eigen::Matrix3d p, q;
  /// In units of 1, w, w^2, and the forces in units of w^2, so that the solution does not cancel.
  Eigen::Matrix3d amplification(double w) const {
    const Eigen::DiagonalMatrix<double, 3> unit(1.0, w, w * w), row(1.0, 1.0 / w, 1.0 / (w * w));
    return linalg::leastSquares(row * p * unit, row * q * unit);
  }
};

/// Newmark's motion and equilibrium at weighted instants: Chung and Hulbert 1993, eqs. 1 to 5.
PublishedStep alphaStep(double alpha_m, double alpha_f, double gamma, double beta, double w, double z) {
  const double c = 2.0 * z * w, k = w * w;
  PublishedStep s;
  s.p << 1, 0, -beta, 0, 1, -gamma, (1 - alpha_f) * k, (1 - alpha_f) * c, 1 - alpha_m;
  s.q << 1, 1, 0.5 - beta, 0, 1, 1 - gamma, -alpha_f * k, -alpha_f * c, -alpha_m;
  return s;
}

/// Kolay and Ricles 2014, eqs. 1 to 5 with the parameters alpha_1, alpha_2, alpha_3 of one mass.
PublishedStep modelBasedStep(double alpha_m, double alpha_f, double gamma, double beta, double w, double z) {
  const double c = 2.0 * z * w, k = w * w, a = 1.0 + gamma * c + beta * k;
  const double alpha_1 = 1.0 / a, alpha_2 = (0.5 + gamma) * alpha_1;
  const double alpha_3 = (alpha_m + alpha_f * gamma * c + alpha_f * beta * k) / a;
  PublishedStep s;
  s.p << 1, 0, 0, 0, 1, 0, (1 - alpha_f) * k, (1 - alpha_f) * c, 1 - alpha_3;
  s.q << 1, 1, alpha_2, 0, 1, alpha_1, -alpha_f * k, -alpha_f * c, -alpha_3;
  return s;
}

PublishedStep published(Scheme scheme, double rho, double w, double z) {
  const double alpha_f = rho / (1 + rho);
  switch (scheme) {
    case Scheme::newmark:
      return alphaStep(0, 0, 0.5, 0.25, w, z);
    case Scheme::newmark_explicit:
      return alphaStep(0, 0, 0.5, 0, w, z);
    case Scheme::hht:
    case Scheme::alpha_os: {
      const double alpha = -(1 - rho) / (1 + rho);  // in -1/3..0
      return alphaStep(0, -alpha, (1 - 2 * alpha) / 2, (1 - alpha) * (1 - alpha) / 4, w, z);
    }
    case Scheme::generalised_alpha: {
      const double alpha_m = (2 * rho - 1) / (rho + 1), d = 1 - alpha_m + alpha_f;
      return alphaStep(alpha_m, alpha_f, 0.5 - alpha_m + alpha_f, d * d / 4, w, z);
    }
    case Scheme::cr: {  // Chen and Ricles 2008: alpha_1 = alpha_2 = 4 / (4 + 4 z w + w^2)
      return modelBasedStep(0, 0, 0.5, 0.25, w, z);
    }
    case Scheme::kr_alpha:
      return modelBasedStep((2 * rho - 1) / (rho + 1), alpha_f, (3 - rho) / (2 * (1 + rho)),
                            1 / ((1 + rho) * (1 + rho)), w, z);
    default: {  // MKR-alpha
      const double r2 = rho * rho, r3 = r2 * rho, alpha_m = (2 * r3 + r2 - 1) / (r3 + r2 + rho + 1);
      const double gamma = 0.5 - alpha_m + alpha_f;
      return modelBasedStep(alpha_m, alpha_f, gamma, (gamma + 0.5) / 2, w, z);
    }
  }
}

/// Growth per step of an explicit Runge-Kutta method for y' = lambda y: 1 + sum_k b A^(k-1) 1 (lambda dt)^k.
Complex stabilityPolynomial(const ButcherTableau& t, Complex lambda_dt) {
  std::vector<Complex> stages;
  for (const std::vector<double>& row : t.a) {
    Complex y = 1.0;
    for (std::size_t j = 0; j < row.size(); ++j) y += row[j] * lambda_dt * stages[j];
    stages.push_back(y);
  }
  Complex y = 1.0;
  for (std::size_t j = 0; j < t.b.size(); ++j) y += t.b[j] * lambda_dt * stages[j];
  return y;
}

double radius(const IntegratorSpec& s, double w, double z) {
  return spectralRadius(scaled(amplification(*makeIntegrator(s, unitOscillator(w, z), 1.0)), w));
}

const double kFrequencies[] = {1e-2, 0.1, 0.5, 1.0, 1.5, 1.9, 3.0, 5.0, 10.0, 100.0, 1000.0};
const double kDampings[] = {0.0, 0.02, 0.3, 1.0};

}  // namespace

class SpectraTest : public QObject {
  Q_OBJECT

  static void withRho(std::initializer_list<Scheme> schemes) {
    QTest::addColumn<int>("index");
    QTest::addColumn<double>("rho");
    for (const Scheme s : schemes)
      for (const double rho : {0.0, 0.25, 0.5, 0.8, 1.0}) {
        const bool hht = s == Scheme::hht || s == Scheme::alpha_os;
        if ((hasRhoInf(s) || rho == 1.0) && !(hht && rho < 0.5))
          QTest::newRow(qPrintable(QString("%1 %2").arg(name(s).data()).arg(rho))) << static_cast<int>(s) << rho;
      }
  }
  static IntegratorSpec current() {
    QFETCH(int, index);
    QFETCH(double, rho);
    return spec(static_cast<Scheme>(index), rho);
  }

 private Q_SLOTS:
  void stepIsThePublishedOne_data() {
    withRho({Scheme::newmark, Scheme::newmark_explicit, Scheme::hht, Scheme::alpha_os, Scheme::generalised_alpha,
             Scheme::cr, Scheme::kr_alpha, Scheme::mkr_alpha});
  }
  void stepIsThePublishedOne() {
    const IntegratorSpec s = current();
    for (const double w : kFrequencies)
      for (const double z : kDampings) {
        if (w >= stabilityLimit(s.scheme)) continue;
        const auto integrator = makeIntegrator(s, unitOscillator(w, z), 1.0);
        const Eigen::Matrix3d ours = scaled(amplification(*integrator), w);
        const Eigen::Matrix3d theirs = published(s.scheme, s.rho_inf, w, z).amplification(w);
        const double error = (ours - theirs).norm() / theirs.norm();
        // Rounding: a unit of acceleration first moves the predictor by w^2 times what the correction leaves.
        QVERIFY2(error < 1e-13 + 1e-16 * w * w, qPrintable(QString("w %1 z %2: %3").arg(w).arg(z).arg(error)));
      }
  }

  /// The displacement follows (1 + z w) y^2 - (2 - w^2) y + 1 - z w = 0. Source: Chopra, Dynamics of Structures, ch. 5.
  void centralDifferenceHasItsRoots() {
    for (const double w : {0.01, 0.5, 1.0, 1.5, 1.99})
      for (const double z : {0.0, 0.02, 0.3}) {
        const Complex half = (2.0 - w * w) / 2.0, root = std::sqrt(half * half - (1.0 + z * w) * (1.0 - z * w));
        const double theirs = std::max(std::abs(half + root), std::abs(half - root)) / (1.0 + z * w);
        QVERIFY(std::abs(radius(spec(Scheme::central_difference), w, z) - theirs) < 1e-10);
      }
  }

  void rungeKuttaFollowsItsPolynomial_data() {
    withRho({Scheme::rk4, Scheme::bogacki_shampine, Scheme::dormand_prince_8});
  }
  void rungeKuttaFollowsItsPolynomial() {
    const IntegratorSpec s = current();
    for (const double w : {0.01, 0.3, 1.0, 1.6, 2.6, 5.0})
      for (const double z : {0.0, 0.02, 0.3, 0.7}) {
        if (std::max(w, 2.0 * z * w) >= stabilityLimit(s.scheme) * 0.92) continue;
        const Complex lambda(-z * w, w * std::sqrt(1.0 - z * z));
        const double theirs = std::abs(stabilityPolynomial(tableau(s.scheme), lambda));
        QVERIFY(std::abs(radius(s, w, z) - theirs) < 1e-11);
      }
  }

  /// Up to its order p the polynomial is that of the exponential function; the row sums are the instants, and the
  /// weights integrate t^(k-1) over them exactly for k up to p (quadrature conditions).
  void rungeKuttaMeetsTheOrderConditions_data() {
    QTest::addColumn<int>("index");
    QTest::addColumn<int>("order");
    QTest::newRow("rk4") << static_cast<int>(Scheme::rk4) << 4;
    QTest::newRow("bogacki-shampine") << static_cast<int>(Scheme::bogacki_shampine) << 3;
    QTest::newRow("dormand-prince-8") << static_cast<int>(Scheme::dormand_prince_8) << 8;
  }
  void rungeKuttaMeetsTheOrderConditions() {
    QFETCH(int, index);
    QFETCH(int, order);
    const ButcherTableau& t = tableau(static_cast<Scheme>(index));
    const std::size_t s = t.b.size();
    Eigen::VectorXd instants = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(s)), b = instants;
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(b.size(), b.size());
    for (std::size_t i = 0; i < s; ++i) {
      b[static_cast<Eigen::Index>(i)] = t.b[i];
      for (std::size_t j = 0; j < t.a[i].size(); ++j)
        a(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = t.a[i][j];
    }
    instants = a.rowwise().sum();
    double factorial = 1.0;
    Eigen::VectorXd chain_of_a = Eigen::VectorXd::Ones(b.size());
    for (int k = 1; k <= order; ++k, chain_of_a = a * chain_of_a) {
      factorial *= k;
      QVERIFY2(std::abs(b.dot(instants.array().pow(k - 1).matrix()) - 1.0 / k) < 1e-14, qPrintable(QString::number(k)));
      QVERIFY2(std::abs(b.dot(chain_of_a) - 1.0 / factorial) < 1e-14, qPrintable(QString::number(k)));
      // sum b_i c_i^(k-2) sum_j a_ij c_j = 1 / (2 k): the trees with one bush
      if (k >= 3) {
        const double bush = b.dot((instants.array().pow(k - 3) * (a * instants).array()).matrix());
        QVERIFY2(std::abs(bush - 1.0 / (2.0 * k)) < 1e-14, qPrintable(QString::number(k)));
      }
    }
    if (order == 8) {
      // The nodes that the construction starts from.
      const double root6 = std::sqrt(6.0);
      const double nodes[] = {0.0,
                              (12.0 - 2.0 * root6) / 135.0,
                              (6.0 - root6) / 45.0,
                              (6.0 - root6) / 30.0,
                              (6.0 + root6) / 30.0,
                              1.0 / 3,
                              0.25,
                              4.0 / 13,
                              127.0 / 195,
                              0.6,
                              6.0 / 7,
                              1.0};
      for (Eigen::Index i = 0; i < 12; ++i) QVERIFY(std::abs(instants[i] - nodes[i]) < 1e-14);
    }
  }

  void limitIsWhereTheRadiusLeavesOne_data() {
    QTest::addColumn<int>("index");
    for (const Scheme s : allSchemes())
      if (std::isfinite(stabilityLimit(s))) QTest::newRow(name(s).data()) << static_cast<int>(s);
  }
  void limitIsWhereTheRadiusLeavesOne() {
    QFETCH(int, index);
    const auto scheme = static_cast<Scheme>(index);
    const auto stable = [&](double w) {
      return spectralRadius(scaled(amplification(*unchecked(scheme, unitOscillator(w, 0.0), 1.0)), w)) < 1.0 + 1e-7;
    };
    double low = 0.5 * stabilityLimit(scheme), high = 1.2 * stabilityLimit(scheme);
    QVERIFY(stable(low) && !stable(high));
    while (high - low > 1e-6) (stable(0.5 * (low + high)) ? low : high) = 0.5 * (low + high);
    QVERIFY2(std::abs(low - stabilityLimit(scheme)) < 2e-5, qPrintable(QString::number(low, 'g', 12)));
    for (double w = 0.02; w < 0.999 * stabilityLimit(scheme); w += 0.02) QVERIFY(stable(w));
  }

  /// The damped limit is the radius of a half disc that lies within the stable region and touches its edge.
  void dampedLimitHolds() {
    for (const Scheme s : {Scheme::rk4, Scheme::bogacki_shampine, Scheme::dormand_prince_8}) {
      double largest = 0.0;
      for (double angle = 90.0; angle <= 180.0; angle += 0.25) {
        const Complex direction = std::polar(1.0, angle * std::numbers::pi / 180.0);
        for (double r = 0.05; r < dampedLimit(s); r += 0.05)
          QVERIFY(std::abs(stabilityPolynomial(tableau(s), r * direction)) < 1.0 + 1e-9);
        largest = std::max(largest, std::abs(stabilityPolynomial(tableau(s), 1.002 * dampedLimit(s) * direction)));
      }
      QVERIFY2(largest > 1.0, name(s).data());
    }
  }

  void unconditionallyStable_data() {
    withRho({Scheme::newmark, Scheme::hht, Scheme::alpha_os, Scheme::generalised_alpha, Scheme::exact_ramp, Scheme::cr,
             Scheme::kr_alpha, Scheme::mkr_alpha});
  }
  void unconditionallyStable() {
    for (double exponent = -2.0; exponent <= 3.0; exponent += 0.05)
      for (const double z : kDampings) {
        const double r = radius(current(), std::pow(10.0, exponent), z);
        QVERIFY2(r < 1.0 + 1e-6, qPrintable(QString("10^%1 %2: %3").arg(exponent).arg(z).arg(r, 0, 'g', 12)));
      }
  }

  void radiusAtInfinityIsAsAsked_data() {
    withRho({Scheme::hht, Scheme::alpha_os, Scheme::generalised_alpha, Scheme::kr_alpha, Scheme::mkr_alpha});
  }
  void radiusAtInfinityIsAsAsked() {
    const double r = radius(current(), 1e6, 0.0);  // roots that meet there part like the cube root of 1/w^2
    QVERIFY2(std::abs(r - current().rho_inf) < 1e-3, qPrintable(QString::number(r)));
  }

  /// KR-alpha was made to have the roots of generalised-alpha, and CR those of Newmark: same damping, same period.
  /// Traces of powers instead of roots, which are badly conditioned where they meet.
  void modelBasedSharesTheRootsOfTheImplicit_data() { withRho({Scheme::cr, Scheme::kr_alpha}); }
  void modelBasedSharesTheRootsOfTheImplicit() {
    const IntegratorSpec s = current();
    const IntegratorSpec implicit =
        spec(s.scheme == Scheme::cr ? Scheme::newmark : Scheme::generalised_alpha, s.rho_inf);
    for (const double w : kFrequencies)
      for (const double z : kDampings) {
        const Eigen::Matrix3d a = scaled(amplification(*makeIntegrator(s, unitOscillator(w, z), 1.0)), w);
        const Eigen::Matrix3d b = scaled(amplification(*makeIntegrator(implicit, unitOscillator(w, z), 1.0)), w);
        QVERIFY2(std::abs(a.trace() - b.trace()) < 1e-10, qPrintable(QString("w %1 z %2").arg(w).arg(z)));
        QVERIFY(std::abs((a * a).trace() - (b * b).trace()) < 1e-9);
        QVERIFY(std::abs(a.determinant() - b.determinant()) < 1e-9);
      }
  }

  /// A stiff mass let go from x = 1: KR-alpha swings to -(1 + 2 rho) in one step, MKR-alpha never beyond 1.
  void modifiedSchemeDoesNotOvershoot_data() { withRho({Scheme::kr_alpha, Scheme::mkr_alpha}); }
  void modifiedSchemeDoesNotOvershoot() {
    const IntegratorSpec s = current();
    const double w = 1e4;  // what is left at infinity; terms of 1/w remain
    const auto integrator = makeIntegrator(s, unitOscillator(w, 0.0), 1.0);
    integrator->setState(Eigen::Vector4d(1.0, 0.0, -w * w, 0.0));
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(1);
    integrator->step(none);
    const double first = integrator->displacement()[0];
    if (s.scheme == Scheme::kr_alpha) {
      QVERIFY2(std::abs(first + 1.0 + 2.0 * s.rho_inf) < 1e-3, qPrintable(QString::number(first)));
      return;
    }
    double peak = std::abs(first);
    for (int i = 0; i < 1000; ++i) {
      integrator->step(none);
      peak = std::max(peak, std::abs(integrator->displacement()[0]));
    }
    QVERIFY2(peak < 1.0 + 1e-3, qPrintable(QString::number(peak)));
  }

  /// Chain of n masses between walls: w_n = 2 sqrt(k/m) sin(n pi / (2 (n + 1))).
  void fastestModeIsThatOfTheChain() {
    for (const Eigen::Index n : {1, 2, 3, 50, 1000}) {
      const SystemMatrices s = chain(n);
      const double nn = static_cast<double>(n), sine = std::sin(nn * std::numbers::pi / (2.0 * (nn + 1.0)));
      const double exact = 4.0 * 9000.0 / 2.2 * sine * sine;
      const double found = largestEigenvalue(s.k, s.m);
      QVERIFY2(found < exact * (1.0 + 1e-4), qPrintable(QString::number(found / exact - 1.0)));
      QVERIFY(found > exact * (1.0 - 1e-12));
    }
  }
};

HYB_SUITE(integration_spectra, SpectraTest)
#include "spectra.moc"
