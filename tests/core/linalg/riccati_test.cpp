/// Riccati's equation in discrete time.
#include "core/linalg/riccati.h"

#include <cmath>

#include "core/linalg/eigen.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {
Eigen::MatrixXd scalar(double value) { return Eigen::MatrixXd::Constant(1, 1, value); }
}  // namespace

class RiccatiTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// g x^2 + (1 - a^2 - g h) x - h = 0.
  void scalarsHaveAClosedForm() {
    for (const double a : {0.5, 1.0, 1.7})
      for (const double g : {1e-6, 1.0, 1e4})
        for (const double h : {1e-3, 2.0}) {
          const auto found = linalg::solveRiccati(scalar(a), scalar(g), scalar(h));
          QVERIFY(found.has_value());
          const double b = 1.0 - a * a - g * h, x = (-b + std::sqrt(b * b + 4.0 * g * h)) / (2.0 * g);
          QVERIFY2(std::abs((*found)(0, 0) - x) < 1e-9 * x, qPrintable(QString::number((*found)(0, 0))));
        }
  }

  /// An undamped oscillator that is pushed: the equation holds, and the loop it closes decays.
  void theLoopThatItClosesDecays() {
    constexpr double turn = 0.3;
    Eigen::MatrixXd a(2, 2), b(2, 1), c(1, 2);
    a << std::cos(turn), std::sin(turn), -std::sin(turn), std::cos(turn);
    b << 0.02, 0.3;
    c << 1.0, 0.0;
    const Eigen::MatrixXd g = b * b.transpose(), h = 5.0 * c.transpose() * c;
    const auto x = linalg::solveRiccati(a, g, h);
    QVERIFY(x.has_value());
    const double denominator = 1.0 + (b.transpose() * *x * b)(0, 0);
    const Eigen::MatrixXd gain = b.transpose() * *x * a / denominator,
                          left = a.transpose() * *x * a - a.transpose() * *x * b * gain + h;
    QVERIFY((left - *x).norm() < 1e-11 * x->norm());
    QVERIFY(linalg::eigenvalues(Eigen::MatrixXd(a - b * gain)).cwiseAbs().maxCoeff() < 0.95);
  }

  void whatNothingReachesHasNone() {
    QVERIFY(!linalg::solveRiccati(scalar(1.5), scalar(0.0), scalar(1.0)).has_value());
  }
};

HYB_SUITE(riccati, RiccatiTest)
#include "riccati_test.moc"
