/// Units as laboratories write them.
#include "core/base/unit.h"

#include <numbers>

#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class UnitTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void spellings_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("factor");
    QTest::addColumn<QString>("si");
    const auto row = [](const char* text, double factor, const char* si) {
      QTest::newRow(*text == '\0' ? "nothing" : text) << QString::fromUtf8(text) << factor << si;
    };
    constexpr double kPound = 4.4482216152605;
    row("", 1.0, "");
    row("-", 1.0, "");
    row("%", 0.01, "");
    row("m", 1.0, "m");
    row("[mm]", 1e-3, "m");
    row("µm", 1e-6, "m");
    row("in", 0.0254, "m");
    row("min", 60.0, "s");
    row("ms", 1e-3, "s");
    row("kN", 1e3, "N");
    row("kip", 1e3 * kPound, "N");
    row("mm/s", 1e-3, "m/s");
    row("mm / s^2", 1e-3, "m/s2");
    row("m/s²", 1.0, "m/s2");
    row("m/s**2", 1.0, "m/s2");
    row("cm/sec/sec", 0.01, "m/s2");
    row("g", 9.80665, "m/s2");
    row("gal", 0.01, "m/s2");
    row("Nm", 1.0, "N m");
    row("kNm", 1e3, "N m");
    row("kN m", 1e3, "N m");
    row("kN*mm", 1.0, "N m");
    row("N·m", 1.0, "N m");
    row("lbf.in", kPound * 0.0254, "N m");
    row("deg", std::numbers::pi / 180.0, "rad");
    row("°/s", std::numbers::pi / 180.0, "rad/s");
    row("um/m", 1e-6, "");
    row("MPa", 1e6, "Pa");
    row("N/mm", 1e3, "N/m");
    row("N/mm2", 1e6, "N/m2");
    row("mV", 1e-3, "V");
  }
  void spellings() {
    QFETCH(QString, text);
    QFETCH(double, factor);
    QFETCH(QString, si);
    const std::optional<SiUnit> unit = siUnit(text.toStdString());
    QVERIFY(unit.has_value());
    QVERIFY2(std::abs(unit->factor / factor - 1.0) < 1e-14, qPrintable(QString::number(unit->factor, 'g', 17)));
    QCOMPARE(QString::fromStdString(unit->name), si);
  }
  void unknownOnes() {
    for (const char* text : {"furlong", "kk", "m/", "N/m/s", "m/s^3", "degC"}) QVERIFY2(!siUnit(text), text);
  }
};

HYB_SUITE(unit, UnitTest)
#include "unit_test.moc"
