#include "core/compensation/prediction_weights.h"

#include <cmath>

#include "core/base/allocation_guard.h"
#include "core/base/error.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

/// Least-squares weights for `steps` ahead by Gram-Schmidt on monomials of t / n in extended precision, carried out
/// twice: a slow, independent way to the same projection.
Eigen::VectorXd slowWeights(int points, int order, double steps) {
  using Vector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  const long double centre = -0.5L * (points - 1), half = 0.5L * points;
  std::vector<Vector> basis;
  // The last entry of each vector is the polynomial at the horizon; it takes no part in the products.
  const auto inner = [&](const Vector& a, const Vector& b) { return a.head(points).dot(b.head(points)); };
  Vector weights = Vector::Zero(points);
  for (int j = 0; j <= order; ++j) {
    Vector p = Vector::Ones(points + 1);
    if (j > 0) {
      p = basis.back();
      for (int i = 0; i <= points; ++i)
        p[i] *= ((i < points ? -static_cast<long double>(i) : static_cast<long double>(steps)) - centre) / half;
    }
    for (int pass = 0; pass < 2; ++pass)
      for (const Vector& q : basis) p -= inner(p, q) * q;
    p /= std::sqrt(inner(p, p));
    basis.push_back(p);
    weights += p[points] * p.head(points);
  }
  return weights.cast<double>();
}

}  // namespace

class TestPredictionWeights : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void matchesExtendedPrecision_data() {
    QTest::addColumn<int>("points");
    QTest::addColumn<int>("order");
    for (const auto& [n, order] :
         {std::pair{2, 1}, {3, 2}, {8, 2}, {11, 10}, {16, 3}, {20, 4}, {20, 10}, {40, 10}, {40, 4}, {200, 15}})
      QTest::addRow("%d, %d", n, order) << n << order;
  }
  void matchesExtendedPrecision() {
    QFETCH(int, points);
    QFETCH(int, order);
    const PredictionWeights fit(points, order);
    Eigen::VectorXd weights(points);
    for (const double steps : {0.0, 0.5, 3.25, 9.0, 15.0, 18.0}) {
      fit.at(steps, weights);
      const Eigen::VectorXd slow = slowWeights(points, order, steps);
      const double error = (weights - slow).cwiseAbs().maxCoeff() / slow.cwiseAbs().maxCoeff();
      QVERIFY2(error < 1e-9, qPrintable(QString::number(error)));
    }
  }

  /// n = N + 1 is interpolation: one step ahead, the weights are binomial coefficients with alternating signs.
  void interpolatesWithAsManyPointsAsCoefficients() {
    Eigen::VectorXd weights(11);
    PredictionWeights(11, 10).at(1.0, weights);
    double binomial = 11.0;
    for (int j = 0; j < 11; ++j) {
      QVERIFY(std::abs(weights[j] - (j % 2 == 0 ? binomial : -binomial)) < 1e-9 * 462.0);
      binomial = binomial * (10 - j) / (j + 2);
    }
  }

  /// A polynomial of order N is carried on exactly, and so is its derivative.
  void carriesPolynomialsOn() {
    const int points = 20, order = 4;
    const PredictionWeights fit(points, order);
    const auto polynomial = [](double t) { return 1.0 + t * (0.5 + t * (-0.2 + t * (0.03 - 0.001 * t))); };
    const auto derivative = [](double t) { return 0.5 + t * (-0.4 + t * (0.09 - 0.004 * t)); };
    Eigen::VectorXd samples(points), weights(points);
    for (int j = 0; j < points; ++j) samples[j] = polynomial(-j);
    const double tolerance = 1e-11 * samples.cwiseAbs().maxCoeff() * points;
    for (const double steps : {-3.0, 0.0, 0.7, 9.0, 15.0}) {
      fit.at(steps, weights);
      QVERIFY(std::abs(weights.dot(samples) - polynomial(steps)) < tolerance);
      fit.rateAt(steps, weights);
      QVERIFY(std::abs(weights.dot(samples) - derivative(steps)) < tolerance);
    }
  }

  void refusesWhatCannotBeFitted_data() {
    QTest::addColumn<int>("points");
    QTest::addColumn<int>("order");
    QTest::addColumn<QString>("where");
    QTest::newRow("too few points") << 3 << 3 << "/points";
    QTest::newRow("no order") << 3 << 0 << "/order";
    QTest::newRow("order too high") << 40 << 16 << "/order";
    QTest::newRow("too many points") << 201 << 2 << "/points";
    QTest::newRow("negative") << -1 << 2 << "/points";
  }
  void refusesWhatCannotBeFitted() {
    QFETCH(int, points);
    QFETCH(int, order);
    QFETCH(QString, where);
    try {
      noiseGain(points, order, 1.0);
      QFAIL("accepted");
    } catch (const InputError& error) {
      QCOMPARE(QString::fromStdString(error.issues().front().where), where);
    }
  }

  void allocatesNothing() {
    const PredictionWeights fit(20, 4);
    Eigen::VectorXd weights(20);
    const AllocationGuard guard;
    fit.at(9.0, weights);
    fit.rateAt(9.0, weights);
    QCOMPARE(guard.count(), std::uint64_t{0});
  }
};

HYB_SUITE(prediction_weights, TestPredictionWeights)
#include "prediction_weights.moc"
