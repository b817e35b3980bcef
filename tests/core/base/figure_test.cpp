#include "core/base/figure_text.h"

#include <QtTest>

#include "tests/support/suite.h"

using namespace hyb;

class FigureTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void readsAsPeopleWriteIt_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<int>("digits");
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("percent of a test that ran away") << 1361.4 << 3 << QByteArray("1361");
    QTest::newRow("energy") << 188'123.4 << 3 << QByteArray("188123");
    QTest::newRow("rounds up to one digit more") << 999.7 << 3 << QByteArray("1000");
    QTest::newRow("below zero") << -54'321.0 << 4 << QByteArray("-54321");
    QTest::newRow("short") << 0.5 << 3 << QByteArray("0.5");
    QTest::newRow("rounded") << 12.3456 << 4 << QByteArray("12.35");
    QTest::newRow("zero") << 0.0 << 3 << QByteArray("0");
    QTest::newRow("a million") << 2.5e6 << 3 << QByteArray("2.5e+06");
    QTest::newRow("tiny") << 3.8147e-6 << 3 << QByteArray("3.81e-06");
  }
  void readsAsPeopleWriteIt() {
    QFETCH(double, value);
    QFETCH(int, digits);
    QFETCH(QByteArray, text);
    QCOMPARE(QByteArray::fromStdString(figureText(value, digits)), text);
  }
};

HYB_SUITE(figure, FigureTest)
#include "figure_test.moc"
