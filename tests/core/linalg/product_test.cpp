#include <QTest>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/linalg/few.h"
#include "core/linalg/product.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

bool sameBits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// Row by row, in the order of the columns, from 0.
double rowSum(const Eigen::MatrixXd& a, Eigen::Index i, const Eigen::VectorXd& x) {
  double sum = 0.0;
  for (Eigen::Index j = 0; j < a.cols(); ++j) sum += a(i, j) * x[j];
  return sum;
}

}  // namespace

class ProductTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// However many rows are taken at a time, a twin and a model give the same bits.
  void rowsAddUpAsEachDoesOnItsOwn() {
    std::mt19937 bits(7);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    const auto any = [&] { return std::ldexp(number(bits), static_cast<int>(20.0 * number(bits))); };
    for (Eigen::Index rows = 1; rows <= 19; ++rows)
      for (Eigen::Index columns = 1; columns <= linalg::kFewColumns; ++columns) {
        const Eigen::MatrixXd a = Eigen::MatrixXd::NullaryExpr(rows, columns, any);
        const Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(columns, any),
                              start = Eigen::VectorXd::NullaryExpr(rows, any);
        Eigen::VectorXd product(rows), sum = start;
        linalg::multiply(a, x, product);
        linalg::addProduct(a, x, sum);
        for (Eigen::Index i = 0; i < rows; ++i) {
          QVERIFY(sameBits(product[i], rowSum(a, i, x)));
          QVERIFY(sameBits(sum[i], start[i] + rowSum(a, i, x)));
        }
        const Eigen::VectorXd first = x.head(columns / 3), second = x.tail(columns - first.size());
        linalg::multiplyStacked(a, sum, first, second);
        QVERIFY(std::equal(sum.begin(), sum.end(), product.begin(), sameBits));
      }
    Eigen::VectorXd zero(1);
    linalg::multiply(Eigen::MatrixXd::Constant(1, 1, -1.0), Eigen::VectorXd::Zero(1), zero);
    QVERIFY(sameBits(zero[0], 0.0));
  }

  /// The order is part of every record of an adaptive compensator.
  void fewAddUpInTheirOrder() {
    std::mt19937 bits(7);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (int k = 0; k < 1000; ++k) {
      Eigen::VectorXd t(9);
      for (double& term : t) term = std::ldexp(number(bits), static_cast<int>(20.0 * number(bits)));
      const double four = (t[0] + t[2]) + (t[1] + t[3]), six = (t[0] + t[2] + t[4]) + (t[1] + t[3] + t[5]),
                   eight = ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]));
      const double sums[] = {0.0, t[0],       t[0] + t[1], t[0] + t[1] + t[2], four, four + t[4],
                             six, six + t[6], eight,       eight + t[8]};
      for (Eigen::Index count = 0; count < 10; ++count) {
        QVERIFY(sameBits(linalg::sumFew(count, [&t](Eigen::Index n) { return t[n]; }), sums[count]));
        const Eigen::VectorXd head = t.head(count), ones = Eigen::VectorXd::Ones(count);
        QVERIFY(sameBits(linalg::dotFew(head, ones), sums[count]));
      }
    }
  }

  void nearestRoundsAsTheLibraryDoes() {
    const double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> values{0.0,          0.5,          1.5,          2.5,          std::nextafter(0.5, 0.0),
                               0x1p51 + 0.5, 0x1p52 - 0.5, 0x1p52 + 1.0, 0x1p53 + 2.0, 1e300,
                               infinity,     std::nan("")};
    std::mt19937 bits(7);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (int k = 0; k < 1000; ++k)
      values.push_back(std::ldexp(number(bits), static_cast<int>(60.0 * std::abs(number(bits)))));
    for (const double value : values)
      for (const double one : {value, -value}) QVERIFY(sameBits(linalg::nearest(one), std::round(one)));
  }

  void divisorsGiveTheQuotient() {
    std::mt19937 bits(7);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (const double divisor : {1.0 / 4096.0, 1.0 / 1000.0, 0x1p-18, 1e-6, -0.5, 3.0, 0x1p-1074, 0x1p1023}) {
      const linalg::Divisor by(divisor);
      for (int k = 0; k < 1000; ++k) {
        const double dividend = std::ldexp(number(bits), static_cast<int>(1000.0 * number(bits)));
        QVERIFY(sameBits(by.of(dividend), dividend / divisor));
      }
    }
  }

  void whatIsNotFiniteIsSeen() {
    Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(5, -8e307, 8e307);
    QVERIFY(linalg::finiteFew(values));
    QVERIFY(linalg::finiteFew(Eigen::VectorXd()));
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
      for (Eigen::Index i = 0; i < values.size(); ++i) {
        Eigen::VectorXd one = values;
        one[i] = bad;
        QVERIFY(!linalg::finiteFew(one));
      }
  }
};

HYB_SUITE(product, ProductTest)
#include "product_test.moc"
