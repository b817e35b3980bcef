#include <QTest>
#include <cmath>

#include "core/linalg/dense.h"
#include "tests/support/suite.h"

using namespace hyb;

class ExponentialTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// A turn by w, seen in units of any size: e^A is known, and each entry must be right, however small beside others.
  void unitsOfTheStatesChangeNothing() {
    for (const double w : {0.1, 2.0, 60.0})
      for (const double size : {1e-13, 1e-3, 1.0, 1e6, 1e13}) {
        Eigen::Matrix2d a, turned;
        a << 0.0, w * size, -w / size, 0.0;
        turned << std::cos(w), std::sin(w) * size, -std::sin(w) / size, std::cos(w);
        const Eigen::ArrayXXd error = (linalg::exponential(a) - turned).array() / turned.array();
        QVERIFY2(error.abs().maxCoeff() < 1e-11, qPrintable(QString("%1 %2").arg(w).arg(size)));
      }
  }

  /// An oil column behind a piston, in its own units: what force of 1e13 pascal per metre does to the speed of a mass
  /// within 60 microseconds is not lost. Series to the fourth order, of which the terms left out are below 1e-12.
  void aStiffChainOfUnlikeStates() {
    constexpr double kStep = 6e-5, kLoss = 0.5, kSupply = 2e13, kMass = 1e-17;
    Eigen::Matrix3d a = Eigen::Matrix3d::Zero();
    a << 0.0, 1.0, 0.0,    // position
        0.0, 0.0, kMass,   // speed, of the force
        0.0, 0.0, -kLoss;  // force
    a(2, 0) = -kSupply;    // and what the position does to it
    const Eigen::MatrixXd e = linalg::exponential(a * kStep);
    const double h = kStep;
    const double speed_of_force = kMass * (h - kLoss * h * h / 2.0);
    const double force_of_place = -kSupply * (h - kLoss * h * h / 2.0);
    QVERIFY(std::abs(e(1, 2) / speed_of_force - 1.0) < 1e-9);
    QVERIFY(std::abs(e(2, 0) / force_of_place - 1.0) < 1e-9);
    QVERIFY(std::abs(e(0, 1) / h - 1.0) < 1e-12);
  }
};

HYB_SUITE(exponential, ExponentialTest)
#include "exponential_test.moc"
