/// Quantities of interest, expressions among them.
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/fidelity/quantity.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

/// measured_1: rest + e^(-3 t) cos(2 pi 5 t); target_1: 2 sin(2 pi 5 t), 2 s at 1 kHz.
std::vector<double> channel(const std::string& name) {
  std::vector<double> x;
  for (int k = 0; k < 2000; ++k) {
    const double t = 1e-3 * k;
    if (name == "measured_1") x.push_back(0.5 + std::exp(-3.0 * t) * std::cos(kTwoPi * 5.0 * t));
    if (name == "target_1") x.push_back(2.0 * std::sin(kTwoPi * 5.0 * t));
  }
  return x;
}
double value(const std::string& text) { return Expression(text, "/x").value(channel); }
QuantityReading reading(QuantityKind kind, const std::string& name) {
  QuantitySpec spec;
  spec.kind = kind;
  spec.channel = name;
  return readQuantity(spec, 1e-3, channel);
}
void compare(double actual, double expected, double tolerance) {
  QVERIFY2(std::abs(actual - expected) <= tolerance,
           qPrintable(QString("%1 instead of %2").arg(actual, 0, 'g', 12).arg(expected, 0, 'g', 12)));
}

}  // namespace

class QuantityTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void kinds() {
    compare(reading(QuantityKind::peak, "measured_1").value, 1.5, 1e-12);
    compare(reading(QuantityKind::rms, "target_1").value, std::sqrt(2.0), 1e-9);
    compare(reading(QuantityKind::amplitude, "target_1").value, 2.0, 1e-9);
    compare(reading(QuantityKind::frequency, "measured_1").value, 5.0, 1e-6);
    compare(reading(QuantityKind::damping, "measured_1").value, 3.0, 1e-6);
    QuantitySpec spec;
    spec.kind = QuantityKind::damping;
    spec.mass_kg = 10.0;
    compare(readQuantity(spec, 1e-3, channel).value, 60.0, 1e-5);
    spec.kind = QuantityKind::amplitude;
    spec.channel = "target_1";
    spec.frequency_hz = 5.0;
    compare(readQuantity(spec, 1e-3, channel).value, 2.0, 1e-9);
  }

  void missingChannelIsSaid() {
    const QuantityReading none = reading(QuantityKind::peak, "measured_9");
    QVERIFY(std::isnan(none.value));
    QVERIFY(QString::fromStdString(none.fault).contains("measured_9"));
  }

  void arithmetic() {
    compare(value("1 + 2 * 3 ^ 2 ^ 1 - 4 / 2"), 17.0, 1e-12);
    compare(value("-2 ^ 2"), -4.0, 1e-12);
    compare(value("2 * -3"), -6.0, 1e-12);
    compare(value("(1 + 2) * 1e-3"), 3e-3, 1e-15);
    compare(value("sqrt(16) + abs(-1)"), 5.0, 1e-12);
    compare(value("max(measured_1) - min(target_1)"), 3.5, 1e-9);
    compare(value("peak(target_1) / rms(target_1)"), std::sqrt(2.0), 1e-9);
    compare(value("mean(target_1) + first(measured_1) + range(target_1)"), 5.5, 1e-9);
    compare(value("max(abs(measured_1 - 0.5) * 2)"), 2.0, 1e-12);
    QCOMPARE(Expression("max(measured_1 - target_1) + rms(target_1)", "/x").channels(),
             (std::vector<std::string>{"measured_1", "target_1"}));
    QVERIFY(std::isnan(value("max(force_1)")));
  }

  void faultsNameTheColumn_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    QTest::newRow("empty") << ""
                           << "column 1";
    QTest::newRow("unknown function") << "1 + maxx(measured_1)"
                                      << "Did you mean \"max\"";
    QTest::newRow("column") << "1 + maxx(measured_1)"
                            << "column 5";
    QTest::newRow("bracket") << "max(measured_1"
                             << "bracket";
    QTest::newRow("operator") << "1 2"
                              << "column 3";
    QTest::newRow("sign") << "3 * * 2"
                          << "column 5";
    QTest::newRow("a column of samples") << "measured_1 * 2"
                                         << "every sample";
    QTest::newRow("a number already") << "max(3)"
                                      << "already one number";
    QTest::newRow("foreign letter") << "1 + $"
                                    << "column 5";
    QTest::newRow("deep") << QString(60, '(') + "1" + QString(60, ')') << "50 deep";
    QTest::newRow("signs") << QString(200, '-') + "1"
                           << "50 deep";
    QTest::newRow("long") << QString(2000, '1') << "1000 characters";
  }
  void faultsNameTheColumn() {
    QFETCH(QString, text);
    QFETCH(QString, says);
    try {
      Expression(text.toStdString(), "/analysis/face/quantity/expression");
      QFAIL("accepted");
    } catch (const InputError& error) {
      QCOMPARE(error.issues().front().where, std::string("/analysis/face/quantity/expression"));
      QVERIFY2(QString(error.what()).contains(says), error.what());
    }
  }
};

HYB_SUITE(fidelity_quantity, QuantityTest)
#include "quantity_test.moc"
