#include <QTest>
#include <algorithm>
#include <cmath>
#include <complex>

#include "core/linalg/eigen.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

/// Largest distance of a value from the one that it stands for, both sorted by real part, then imaginary part.
double farthest(Eigen::VectorXcd found, Eigen::VectorXcd wanted) {
  const auto before = [](const std::complex<double>& a, const std::complex<double>& b) {
    return std::abs(a.real() - b.real()) > 1e-6 ? a.real() < b.real() : a.imag() < b.imag();
  };
  std::sort(found.begin(), found.end(), before);
  std::sort(wanted.begin(), wanted.end(), before);
  return (found - wanted).cwiseAbs().maxCoeff();
}

}  // namespace

class EigenTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Two oscillators between which states of any size stand: the units of a state change no root.
  void unitsOfTheStatesChangeNothing() {
    Eigen::MatrixXd a(4, 4);
    a << 0.9, 0.3, 1e-3, 0.0,  //
        -0.3, 0.9, 0.0, 2e-3,  //
        5e-3, 0.0, 0.7, 0.5,   //
        0.0, -4e-3, -0.5, 0.7;
    const Eigen::VectorXcd roots = linalg::eigenvalues(a);
    for (const double size : {1e-9, 1e3, 1e13}) {
      const Eigen::Vector4d units(1.0, size, 1.0 / size, size * size);
      const Eigen::MatrixXd same = units.asDiagonal() * a * units.cwiseInverse().asDiagonal();
      QVERIFY(farthest(linalg::eigenvalues(same), roots) < 1e-12);
    }
  }

  /// A command that is late by sixteen ticks in front of a state of 1e13: x' = 0.5 x + 1e13 d, the chain shifts, and a
  /// little of x goes into it. z^16 (z - 0.5) = 1e13 * 1e-15.
  void aChainOfDelaysBeforeALargeState() {
    constexpr Eigen::Index kTicks = 16;
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(kTicks + 1, kTicks + 1);
    a(0, 0) = 0.5;
    a(0, kTicks) = 1e13;
    a(1, 0) = 1e-15;
    for (Eigen::Index i = 2; i <= kTicks; ++i) a(i, i - 1) = 1.0;
    const Eigen::VectorXcd roots = linalg::eigenvalues(a);
    for (const std::complex<double>& z : roots)
      QVERIFY2(std::abs(std::pow(z, 16) * (z - 0.5) - 1e-2) < 1e-12, qPrintable(QString::number(std::abs(z))));
    QVERIFY(roots.cwiseAbs().maxCoeff() < 1.0);
  }

  void whatHasNoEigenvaluesIsNotANumber() {
    Eigen::MatrixXd a = Eigen::MatrixXd::Identity(3, 3);
    a(1, 2) = std::nan("");
    QVERIFY(!linalg::eigenvalues(a).allFinite());
  }
};

HYB_SUITE(eigen, EigenTest)
#include "eigen_test.moc"
