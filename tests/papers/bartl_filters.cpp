/// Bartl et al., adaptive feed-forward filters: the recursive least squares that they are made of. Rows B-6 and B-18
/// (without its time, which tests/bench/feedforward_bench.cpp measures) of the note.
#include <Eigen/LU>
#include <Eigen/QR>
#include <random>

#include "core/base/allocation_guard.h"
#include "core/base/numbers.h"
#include "core/feedforward/adaption_law.h"
#include "core/feedforward/forgetting_least_squares.h"
#include "core/feedforward/recursive_least_squares.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

class UniformNumbers {
 public:
  double next() { return 2.0 * static_cast<double>(bits_() >> 11) * 0x1p-53 - 1.0; }
  Eigen::MatrixXd matrix(Eigen::Index rows, Eigen::Index columns) {
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [this] { return next(); });
  }

 private:
  std::mt19937_64 bits_{20180101};
};

double furthest(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected) {
  return (found - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
}

}  // namespace

class BartlFilters : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// sum mu^(k-i) |a x - b|^2 + mu^(k+1) beta |x - x_0|^2, solved at once.
  void b6EqualsBatchLeastSquares() {
    constexpr Eigen::Index unknowns = 12, rows = 2, ticks = 500;
    constexpr double forgetting = 0.99, beta = 0.01;
    UniformNumbers numbers;
    const Eigen::MatrixXd begun = numbers.matrix(unknowns, 3);
    ForgettingLeastSquares filter(unknowns, 3);
    filter.begin(Eigen::VectorXd::Constant(unknowns, beta), begun);
    Eigen::MatrixXd a(unknowns + rows * ticks, unknowns), b(unknowns + rows * ticks, 3);
    a.topRows(unknowns) = std::sqrt(beta) * Eigen::MatrixXd::Identity(unknowns, unknowns);
    b.topRows(unknowns) = a.topRows(unknowns) * begun;
    for (Eigen::Index k = 0, end = unknowns; k < ticks; ++k) {
      filter.forget(forgetting);
      a.topRows(end) *= std::sqrt(forgetting);
      b.topRows(end) *= std::sqrt(forgetting);
      for (Eigen::Index r = 0; r < rows; ++r, ++end) {
        a.row(end) = numbers.matrix(1, unknowns);
        b.row(end) = numbers.matrix(1, 3);
        filter.row() = a.row(end);
        filter.sides() = b.row(end);
        filter.add();
      }
      filter.solve();
      if (k % 50 != 49 && k > 10) continue;
      const Eigen::MatrixXd expected = a.topRows(end).householderQr().solve(b.topRows(end));
      QVERIFY2(furthest(filter.x(), expected) < 1e-9, qPrintable(QString::number(furthest(filter.x(), expected))));
      const Eigen::MatrixXd missed = a.topRows(end) * expected - b.topRows(end);
      const Eigen::MatrixXd inverse = (a.topRows(end).transpose() * a.topRows(end)).inverse();
      for (Eigen::Index side = 0; side < 3; ++side)
        QVERIFY(std::abs(filter.left(side) / missed.col(side).squaredNorm() - 1.0) < 1e-9);
      for (Eigen::Index j = 0; j < unknowns; ++j) QVERIFY(std::abs(filter.scatter(j) / inverse(j, j) - 1.0) < 1e-9);
    }
  }

  /// Adaption and identification in the same tick, as algorithm 4 has them, with 2 DOF and 9 harmonics: command and
  /// response of every tick are the batch solutions of all rows so far.
  void b6SimultaneousLawEqualsBatch() {
    constexpr Eigen::Index axes = 2, count = 9, pairs = 2 * axes * count, ticks = 240;
    constexpr double step_s = 2e-4, forgetting = 0.999, running = 0.9995, weight = 0.01;
    UniformNumbers numbers;
    Harmonics harmonics(60.0, {1, 2, 3, 4, 5, 6, 7, 8, 9}, step_s);
    LeastSquaresSettings settings;
    settings.forgetting = forgetting;
    settings.running_forgetting = running;
    settings.start_weight_m2_per_n2 = weight;
    settings.keep = 0.0;
    const auto law = recursiveLeastSquares(settings)->make({axes, count, step_s, 1.0});
    const Eigen::MatrixXd begun = numbers.matrix(pairs, axes);
    law->reset(begun);
    law->begin();
    // Rows so far: of the command, and of the response with its sides.
    Eigen::MatrixXd command(pairs + axes * ticks, pairs + 1), plant(pairs + ticks, pairs + axes);
    command.topRows(pairs) << std::sqrt(weight) * Eigen::MatrixXd::Identity(pairs, pairs), Eigen::VectorXd::Zero(pairs);
    plant.topRows(pairs) << Eigen::MatrixXd::Identity(pairs, pairs), begun;
    Eigen::MatrixXd response = begun;
    Eigen::VectorXd row(pairs), turned(pairs);
    for (Eigen::Index k = 0, rows = pairs, plants = pairs; k < ticks; ++k) {
      harmonics.at(k + 1);
      const Eigen::VectorXd gap = numbers.matrix(axes, 1), alone = numbers.matrix(axes, 1);
      law->adapt(harmonics, gap, alone);
      command.topRows(rows) *= std::sqrt(forgetting);
      for (Eigen::Index i = 0; i < axes; ++i, ++rows) {
        harmonics.turn(response.col(i), row);
        command.row(rows) << row.transpose(), -alone[i];
      }
      harmonics.turn(law->theta(), turned);
      plant.topRows(plants) *= std::sqrt(running);
      plant.row(plants++) << turned.transpose(), (gap - alone).transpose();
      response = law->response();
      if (k % 40 != 39) continue;
      const Eigen::MatrixXd theta =
          command.topRows(rows).leftCols(pairs).householderQr().solve(command.topRows(rows).rightCols(1));
      QVERIFY2(furthest(law->theta(), theta) < 1e-9, qPrintable(QString::number(furthest(law->theta(), theta))));
      const Eigen::MatrixXd of_plant =
          plant.topRows(plants).leftCols(pairs).householderQr().solve(plant.topRows(plants).rightCols(axes));
      QVERIFY2(furthest(response, of_plant) < 1e-9, qPrintable(QString::number(furthest(response, of_plant))));
    }
  }

  /// Growing rows are brought back now and then: with so short a memory some hundred times in this.
  void forgetsForever() {
    UniformNumbers numbers;
    ForgettingLeastSquares filter(4, 1);
    filter.begin(Eigen::VectorXd::Ones(4), Eigen::MatrixXd::Zero(4, 1));
    const Eigen::MatrixXd x = numbers.matrix(4, 1);
    for (int k = 0; k < 20000; ++k) {
      filter.forget(0.5);
      filter.row() = numbers.matrix(1, 4);
      filter.sides() = filter.row() * x;
      filter.add();
    }
    filter.solve();
    QVERIFY(furthest(filter.x(), x) < 1e-9);
    // Nothing more is told of the last two.
    for (int k = 0; k < 20000; ++k) {
      filter.forget(0.5);
      filter.row() << numbers.next(), numbers.next(), 0.0, 0.0;
      filter.sides()[0] = filter.row().head(2).dot(Eigen::Vector2d(7.0, 8.0));
      filter.add();
      filter.solve();
    }
    QVERIFY(filter.x().allFinite());
    QVERIFY(furthest(filter.x().topRows(2), Eigen::Vector2d(7.0, 8.0)) < 1e-9);
  }

  /// Every row of H against one regressor, as the law does it, and as the source does: all of P at once, 2 rows a tick.
  void b6SharedRegressorEqualsFullSize() {
    constexpr Eigen::Index axes = 2, count = 3, pairs = 2 * axes * count;
    constexpr double step_s = 2e-4, forgetting = 0.999;
    UniformNumbers numbers;
    Harmonics harmonics(60.0, {1, 2, 5}, step_s);
    LeastSquaresSettings settings;
    settings.identification_forgetting = forgetting;
    settings.keep = 0.0;
    const auto law = recursiveLeastSquares(settings)->make({axes, count, step_s, 1.0});
    law->reset(Eigen::MatrixXd::Zero(pairs, axes));
    ForgettingLeastSquares full(pairs * axes, 1);
    full.begin(Eigen::VectorXd::Ones(pairs * axes), Eigen::MatrixXd::Zero(pairs * axes, 1));
    Eigen::VectorXd turned(pairs);
    for (int k = 1; k <= 496; ++k) {  // a multiple of 16: the law has just shown what it knows
      harmonics.at(k);
      law->command() = numbers.matrix(pairs, 1);
      const Eigen::VectorXd gap = numbers.matrix(axes, 1);
      law->identify(harmonics, gap, true);
      harmonics.turn(law->theta(), turned);
      full.forget(forgetting);
      for (Eigen::Index i = 0; i < axes; ++i) {
        full.row().setZero();
        full.row().segment(pairs * i, pairs) = turned.transpose();
        full.sides()[0] = gap[i];
        full.add();
      }
    }
    full.solve();
    const Eigen::MatrixXd expected = full.x().reshaped(pairs, axes);
    QVERIFY2(furthest(law->response(), expected) < 1e-9,
             qPrintable(QString::number(furthest(law->response(), expected))));
  }

  /// u = Re(psi e^{j w t}), and gap = Re(H psi e^{j w t}) by either regressor.
  void regressorsAreTheSteadyState() {
    Harmonics harmonics(8.0, {1, 3}, 2e-4);
    const Eigen::VectorXd psi = Eigen::Vector4d(0.4, -0.7, 1.1, 0.2), h = Eigen::Vector4d(2.0, 0.3, -0.5, 0.9);
    Eigen::VectorXd turned_psi(4), turned_h(4);
    for (const std::int64_t tick : {0, 17, 4711, 5000000}) {
      harmonics.at(tick);
      harmonics.turn(psi, turned_psi);
      harmonics.turn(h, turned_h);
      double command = 0.0, gap = 0.0;
      for (Eigen::Index i = 0; i < 2; ++i) {
        const std::complex<double> turn = std::polar(
                                       1.0, kTwoPi * 8.0 * (i == 0 ? 1 : 3) * static_cast<double>(tick) * 2e-4),
                                   a(psi[2 * i], psi[2 * i + 1]), b(h[2 * i], h[2 * i + 1]);
        command += (a * turn).real();
        gap += (a * b * turn).real();
      }
      QVERIFY(std::abs(turned_psi[0] + turned_psi[2] - command) < 1e-8);
      QVERIFY(std::abs(turned_psi.dot(h) - gap) < 1e-8 && std::abs(turned_h.dot(psi) - gap) < 1e-8);
    }
  }

  void b18AllocatesNothing_data() {
    QTest::addColumn<QString>("name");
    for (const AdaptionEntry& entry : adaptionLaws()) QTest::newRow(entry.name.data()) << QString(entry.name.data());
  }
  void b18AllocatesNothing() {
    QFETCH(QString, name);
    constexpr Eigen::Index axes = 2, count = 9;
    Harmonics harmonics(41.7, {1, 3, 5, 7, 9, 11, 13, 15, 17}, 2e-4);
    const auto law = parseAdaption(Json{{"law", name.toStdString()}})->make({axes, count, 2e-4, 1.0});
    UniformNumbers numbers;
    law->reset(1e-4 * numbers.matrix(2 * axes * count, axes));
    const Eigen::VectorXd gap = 1e-5 * numbers.matrix(axes, 1), alone = 1e-4 * numbers.matrix(axes, 1);
    const AllocationGuard guard;
    for (int k = 0; k < 100; ++k) {
      harmonics.at(k);
      law->command().setConstant(0.5);
      law->identify(harmonics, gap, true);
    }
    law->begin();
    for (int k = 0; k < 100; ++k) {
      harmonics.at(k);
      law->adapt(harmonics, gap, alone);
    }
    QCOMPARE(guard.count(), std::uint64_t{0});
    QVERIFY(law->theta().allFinite() && !law->theta().isZero(0.0));
  }
};

HYB_SUITE(paper_bartl_filters, BartlFilters)
#include "bartl_filters.moc"
