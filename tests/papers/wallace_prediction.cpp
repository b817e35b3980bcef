/// Wallace, Wagg, Neild 2005, section 3a-3d: polynomial forward prediction. Rows W-1 and W-2.
#include <cmath>
#include <complex>
#include <numbers>

#include "core/compensation/prediction_weights.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

constexpr double kRelative = 0.01;  // W-2

/// Largest error over all phases for a 10 Hz unit sine at 1 kHz: |H(w) - e^{i w P dt}|, H the response of the weights.
double sineError(int points, int order, double steps) {
  const double w_dt = 2.0 * std::numbers::pi * 10.0 * 1e-3;
  Eigen::VectorXd weights(points);
  PredictionWeights(points, order).at(steps, weights);
  std::complex<double> response;
  for (int j = 0; j < points; ++j) response += weights[j] * std::polar(1.0, -w_dt * j);
  return std::abs(response - std::polar(1.0, w_dt * steps));
}

}  // namespace

class WallacePrediction : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void w1WeightsOfThreePoints_data() {
    QTest::addColumn<double>("steps");
    QTest::addColumn<double>("newest");
    QTest::addColumn<double>("middle");
    QTest::addColumn<double>("oldest");
    QTest::newRow("P = 1") << 1.0 << 3.0 << -3.0 << 1.0;
    QTest::newRow("P = 2") << 2.0 << 6.0 << -8.0 << 3.0;
    QTest::newRow("P = 0.5") << 0.5 << 1.875 << -1.25 << 0.375;
  }
  void w1WeightsOfThreePoints() {
    QFETCH(double, steps);
    QFETCH(double, newest);
    QFETCH(double, middle);
    QFETCH(double, oldest);
    Eigen::VectorXd weights(3);
    PredictionWeights(3, 2).at(steps, weights);
    QVERIFY((weights - Eigen::Vector3d(newest, middle, oldest)).cwiseAbs().maxCoeff() < 1e-9);
  }

  void w2SineErrorAndNoiseGain_data() {
    QTest::addColumn<int>("order");
    QTest::addColumn<double>("error");
    QTest::addColumn<double>("noise_gain");
    QTest::newRow("N = 2") << 2 << 0.7354 << 5.564;
    QTest::newRow("N = 4") << 4 << 0.10575 << 157.8;
    QTest::newRow("N = 6") << 6 << 7.149e-3 << 4788.0;
    QTest::newRow("N = 8") << 8 << 2.814e-4 << 1.576e5;
    QTest::newRow("N = 10") << 10 << 7.28e-6 << 5.796e6;
  }
  void w2SineErrorAndNoiseGain() {
    QFETCH(int, order);
    QFETCH(double, error);
    QFETCH(double, noise_gain);
    const double found = sineError(20, order, 18.0), gain = noiseGain(20, order, 18.0);
    QVERIFY2(std::abs(found - error) < kRelative * error, qPrintable(QString::number(found)));
    QVERIFY2(std::abs(gain - noise_gain) < kRelative * noise_gain, qPrintable(QString::number(gain)));
  }

  void w2NoiseGainsAtNineTicks_data() {
    QTest::addColumn<int>("points");
    QTest::addColumn<int>("order");
    QTest::addColumn<double>("noise_gain");
    QTest::addColumn<double>("rounding");  // half a unit of the last digit that the note gives
    QTest::newRow("3, 2") << 3 << 2 << 122.0 << 0.5;
    QTest::newRow("8, 2") << 8 << 2 << 11.8 << 0.05;
    QTest::newRow("10, 3") << 10 << 3 << 41.0 << 0.5;
    QTest::newRow("16, 3") << 16 << 3 << 13.3 << 0.05;
    QTest::newRow("20, 4") << 20 << 4 << 28.0 << 0.5;
  }
  void w2NoiseGainsAtNineTicks() {
    QFETCH(int, points);
    QFETCH(int, order);
    QFETCH(double, noise_gain);
    QFETCH(double, rounding);
    const double gain = noiseGain(points, order, 9.0);
    QVERIFY2(std::abs(gain - noise_gain) <= rounding, qPrintable(QString::number(gain)));
  }
};

HYB_SUITE(paper_wallace_prediction, WallacePrediction)
#include "wallace_prediction.moc"
