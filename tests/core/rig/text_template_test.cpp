#include "core/rig/text_template.h"

#include <clocale>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}
std::string line(const std::string& text, double x) { return TextTemplate(text, {"x"}, "/set").text(std::span(&x, 1)); }

}  // namespace

class TestTextTemplate : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void numbersAreWrittenForInstruments_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("x");
    QTest::addColumn<QString>("expected");
    QTest::newRow("whole") << "SOUR:VOLT {x}" << 5.0 << "SOUR:VOLT 5";
    QTest::newRow("ten digits") << "{x}" << 1.0 / 3.0 << "0.3333333333";
    QTest::newRow("small, no exponent") << "MOV 1 {x}" << -1.25e-6 << "MOV 1 -0.00000125";
    QTest::newRow("large, no exponent") << "{x}" << 1.5e12 << "1500000000000";
    QTest::newRow("zero") << "{x}" << 0.0 << "0";
    QTest::newRow("minus zero") << "{x}" << -0.0 << "0";
    QTest::newRow("too small to tell from zero") << "{x}" << -1e-30 << "0";
    QTest::newRow("largest") << "{x:0}" << 1e300 << QString::fromStdString(std::string(line("{x}", 1e300)));
    QTest::newRow("steps") << "/1 move abs {x:0}" << 1000.4 << "/1 move abs 1000";
    QTest::newRow("three decimals") << "PAA={x:3};BGA" << 2.0 << "PAA=2.000;BGA";
  }
  void numbersAreWrittenForInstruments() {
    QFETCH(QString, text);
    QFETCH(double, x);
    QFETCH(QString, expected);
    QCOMPARE(QString::fromStdString(line(text.toStdString(), x)), expected);
  }

  void oneLineSetsAll() {
    const TextTemplate all("MOV 2 {right} 1 {left:1}", {"left", "right"}, "/set_all");
    const std::array<double, 2> values = {1.0, -0.5};
    QCOMPARE(all.text(values), std::string("MOV 2 -0.5 1 1.0"));
  }

  void faultyTemplatesAreRefusedInWords() {
    QVERIFY(refusal([] { line("VOLT", 0.0); }).find("{x} once") != std::string::npos);
    QVERIFY(refusal([] { line("VOLT {x", 0.0); }).find("without }") != std::string::npos);
    QVERIFY(refusal([] { line("{x} {x}", 0.0); }).find("twice") != std::string::npos);
    QVERIFY(refusal([] { line("{x:12}", 0.0); }).find("decimals") != std::string::npos);
    const std::string unknown = refusal([] { TextTemplate("{lft} {right}", {"left", "right"}, "/set_all"); });
    QVERIFY(unknown.find("Did you mean \"left\"?") != std::string::npos);
  }

  void numbersAreReadWhateverTheLocale_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("reply");
    QTest::addColumn<double>("expected");
    const QString number = "([-+.0-9eE]+)";
    QTest::newRow("SCPI") << ""
                          << "+1.234E-03\r" << 1.234e-3;
    QTest::newRow("PI GCS") << "1=" + number << "1=0.00123 " << 0.00123;
    QTest::newRow("Zaber") << "-- " + number << "@01 0 OK IDLE -- 1000" << 1000.0;
    QTest::newRow("Galil") << ""
                           << " 1000\r\n"
                           << 1000.0;
    QTest::newRow("negative") << ""
                              << "-.5" << -0.5;
  }
  void numbersAreReadWhateverTheLocale() {
    QFETCH(QString, pattern);
    QFETCH(QString, reply);
    QFETCH(double, expected);
    std::setlocale(LC_NUMERIC, "de_DE.UTF-8");  // a decimal comma, where the system has it
    QCOMPARE(NumberPattern(pattern.toStdString(), "/pattern").find(reply.toStdString()).value(), expected);
    std::setlocale(LC_NUMERIC, "C");
  }

  void noNumberIsNeverAValue() {
    const NumberPattern plain("", "/pattern");
    for (const char* reply : {"9.91E37", "9.9E37", "-9.9E+37", "nan", "inf", "-INF", "1e999"})
      QVERIFY2(std::isnan(plain.find(reply).value()), reply);
    for (const char* reply : {"", " ", "?", "1,5", "0x10", "1 2", "--1", "+-1", "1e", "."})
      QVERIFY2(!plain.find(reply), reply);
    QVERIFY(!NumberPattern("=(.*)", "/pattern").find("1=abc"));
  }

  /// A part of a number is no value: refused, or read whole.
  void whatIsReadIsAWholeNumber_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<bool>("comma");
    QTest::addColumn<QString>("unit");
    QTest::addColumn<QString>("reply");
    QTest::addColumn<double>("expected");  // NaN: refused
    const double refused = kNoValue;
    const QString number = "([-+0-9.eE]+)", digits = "([0-9.]+)", apart = "([-+] *[0-9.]+)";
    const auto row = [](const QString& pattern, bool comma, const char* unit, const char* reply, double expected) {
      QTest::addRow("%s %s %s%s", qPrintable(pattern), reply, unit, comma ? " comma" : "")
          << pattern << comma << QString(unit) << QString(reply) << expected;
    };
    row(number, false, "", "1,995 N", refused);
    row(number, false, "", "1,995E+00", refused);
    row("([0-9]+),.*", false, "", "1,995", refused);
    row(",([0-9]+)", false, "", "1,995", refused);
    row("([-+0-9.eE,]+)", true, "", "1,995 N", 1.995);
    row("([-+0-9.eE,]+)", true, "", "1,995E+00", 1.995);
    row("", true, "", "- 2,819", -2.819);
    row("", true, "", "1.995,5", refused);
    row("", true, "", "12", 12.0);
    row("", false, "", "+ 1.995", 1.995);
    row("", false, "", "-    2.819", -2.819);
    row(apart, false, "", "-    2.819 N", -2.819);
    row(apart, false, "", "+    1.995 N", 1.995);
    row(digits, false, "", "-2.819", refused);
    row(digits, false, "", "- 2.819", refused);
    row("[-+] *([0-9.]+)", false, "", "-    2.819 N", refused);
    row(digits, false, "", "F=2.819E-03", refused);
    row("([0-9]+)$", false, "", "2.819E-03", refused);
    row("([0-9]+)$", false, "", "2.819", refused);
    row("([0-9]+)", false, "", "2.819", refused);
    row(digits, false, "", "2.819D+03", refused);
    row("^([^,]+),", false, "", "1.25,4.5", 1.25);
    row(",([-0-9.]+)$", false, "", "1.25,-4.5", -4.5);
    row(digits, false, "", "X2.819mm", 2.819);
    row(number, false, "", "X: 5.", 5.0);
    row("", false, "mm", "1.995 mm", 1.995);
    row("", false, "mm", "1.995mm", 1.995);
    row("", false, "mm", "1.995", refused);
    row("", false, "N", "1.995 Nm", refused);
    row("", false, "N", "1.995 kN", refused);
    row(number, false, "N", "F: 1.995 kN", refused);
    row(number, false, "kN", "F: 1.995 kN", 1.995);
    row("", false, "", "1.995 mm", refused);
  }
  void whatIsReadIsAWholeNumber() {
    QFETCH(QString, pattern);
    QFETCH(bool, comma);
    QFETCH(QString, unit);
    QFETCH(QString, reply);
    QFETCH(double, expected);
    const NumberPattern reader(pattern.toStdString(), "/pattern", comma ? DecimalSign::comma : DecimalSign::point,
                               unit.toStdString());
    const std::optional<double> value = reader.find(reply.toStdString());
    QCOMPARE(value.has_value(), std::isfinite(expected));
    if (value) QCOMPARE(*value, expected);
  }

  void listsOfNumbersMustBeWhole() {
    const std::vector<NumberPattern> two(2, NumberPattern("", "/pattern"));
    std::array<double, 2> values{};
    QVERIFY(findNumbers("1.5, -2", ",", two, values));
    QCOMPARE(values[1], -2.0);
    for (const char* reply : {"1", "1,2,3", "1,", ",", "1,x"}) QVERIFY2(!findNumbers(reply, ",", two, values), reply);
  }

  void faultyPatternsAreRefusedInWords() {
    const auto said = [](const std::string& pattern) { return refusal([&] { NumberPattern(pattern, "/pattern"); }); };
    QVERIFY(said("1=").find("has 0 groups") != std::string::npos);
    QVERIFY(said("(a)(b)").find("has 2 groups") != std::string::npos);
    QVERIFY(said("(a").find("not a regular expression") != std::string::npos);
    QVERIFY(said("(a)\\1").find("back-reference") != std::string::npos);
    QVERIFY(said(std::string(300, 'a')).find("longer than") != std::string::npos);
    QVERIFY(said("((((((a{999}){999}){999}){999}){999}){999})").find("/pattern") != std::string::npos);
  }

  /// Patterns that cost exponential time in a search that goes back on its steps.
  void nastyPatternsStayQuickAndNeedNoStack() {
    const std::string nasty(100'000, 'a');
    QVERIFY(!NumberPattern("^(?:a+)+(b)$", "/pattern").find(nasty));
    QVERIFY(!NumberPattern("^(?:a|aa)+(b)$", "/pattern").find(nasty));
  }
};

HYB_SUITE(text_template, TestTextTemplate)
#include "text_template_test.moc"
