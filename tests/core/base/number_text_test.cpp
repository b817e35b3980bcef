#include "core/base/number_text.h"

#include <charconv>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/suite.h"

using namespace hyb;

class NumberTextTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void wholeFields_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("value");
    const auto row = [](const char* text, double value) { QTest::newRow(text) << text << value; };
    row("1", 1.0);
    row("+.5", 0.5);
    row("-2.", -2.0);
    row("1.0D+03", 1000.0);
    row("1.5d-1", 0.15);
    row("2Q2", 200.0);
    row("1e3", 1000.0);
    row("1e999", HUGE_VAL);
    row("-1D999", -HUGE_VAL);
    row("1.5e-330", 0.0);
    row("1D-99999999999999999999", 0.0);
    row("1D99999999999999999999", HUGE_VAL);
    row("0e999", 0.0);
    row("inf", HUGE_VAL);
    QTest::newRow("long and small") << "0." + QString("0").repeated(400) + "1" << 0.0;
    QTest::newRow("long and large") << QString("9").repeated(400) + "e-10" << HUGE_VAL;
  }
  void wholeFields() {
    QFETCH(QString, text);
    QFETCH(double, value);
    const std::optional<double> found = numberIn(text.toStdString());
    QVERIFY(found.has_value());
    QVERIFY(*found == value);
  }
  void noNumbers() {
    for (const char* text :
         {"", "+", ".", "e5", "1.5+6", "0x1F", "1,5", "1.5 ", "--1", "+-1", "1e", "1D+", "1.2.3", "one"})
      QVERIFY2(!numberIn(text), text);
  }
  void decimalCommas() {
    QVERIFY(numberIn("-1,5", ',') == -1.5);
    QVERIFY(numberIn("15", ',') == 15.0);
    QVERIFY(!numberIn("1.5", ','));
    QVERIFY(!numberIn("1.000,5", ','));
    QVERIFY(!numberIn("1,000,5", ','));
  }

  void linesOfFortran_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QList<double>>("values");
    QTest::addColumn<bool>("whole");
    const auto row = [](const char* line, const QList<double>& values, bool whole = true) {
      QTest::newRow(line) << line << values << whole;
    };
    row("  1.0 -2.5", {1.0, -2.5});
    row("1.0E+00-2.0E+00", {1.0, -2.0});
    row("-.1234567E-02-.2345678E-02", {-0.1234567e-2, -0.2345678e-2});
    row("1.5+6", {1.5e6});
    row("1.5-103", {1.5e-103});
    row("1.5-6.25", {1.5, -6.25});
    row("1.5-6-2.5", {1.5e-6, -2.5});
    row("1-2", {1.0, -2.0});
    row("10.0002.0", {}, false);
    row("1.0E+001.0E+00", {}, false);
    row("1.0 x", {1.0}, false);
    row("****", {}, false);
    row("1.0,2.0", {}, false);
  }
  void linesOfFortran() {
    QFETCH(QString, line);
    QFETCH(QList<double>, values);
    QFETCH(bool, whole);
    const std::string text = line.toStdString();
    std::string_view rest = text;
    QList<double> found;
    while (const std::optional<double> value = takeFortranNumber(rest)) found << *value;
    QCOMPARE(found, values);
    QCOMPARE(rest.find_first_not_of(' ') == std::string_view::npos, whole);
  }

  /// Every number comes back to its bits, with E and with D.
  void numbersKeepTheirBits() {
    std::mt19937_64 random(11);
    for (int i = 0; i < 20000; ++i) {
      const double value = std::ldexp(static_cast<double>(random()) - 9.2e18, static_cast<int>(random() % 400) - 250);
      char text[40];
      std::snprintf(text, sizeof text, "%.17g", value);
      QVERIFY(numberIn(text) == value);
      if (char* const e = std::strchr(text, 'e')) *e = 'D';
      QVERIFY(numberIn(text) == value);
    }
  }
};

HYB_SUITE(number_text, NumberTextTest)
#include "number_text_test.moc"
