/// A part of a ground motion, its taper and its peak: a project and a small record, run and read back.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/record/run_file_reader.h"
#include "tests/support/program_test.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// The template's 4096 Hz are 64 ticks per row: times, rows and values are exact in binary.
constexpr double kRow_s = 1.0 / 64.0;
constexpr std::size_t kTicksPerRow = 64, kRecordRows = 193;

/// Values that look irregular, small enough for the actuator; row 150 is the largest of all. m/s^2
double recordRow(std::size_t k) {
  constexpr double kUnit = 1.0 / 65536.0;
  return kUnit * (k == 150 ? 3.0 : static_cast<double>((k * 7919 + 13) % 257) / 64.0 - 2.0);
}
constexpr double kRounding = 1e-19;  // of products of such values

}  // namespace

class MotionWindowTest : public ProgramTest {
  Q_OBJECT

  std::string file(const char* name) const { return path(name).toStdString(); }
  /// A project whose ground motion is the record with these settings.
  void writeProject(const Json& settings, const char* output = "acceleration") const {
    Json document = templateDocument("force-shear-building");
    Json& signal = document["excitation"]["signals"][0];
    signal = {{"name", "shaking"}, {"kind", "ground-motion"}, {"file", "record.csv"}, {"output", output}};
    signal.update(settings);
    document["loop"]["soft_start_s"] = document["loop"]["soft_end_s"] = 0.0;
    document["loop"]["duration_s"] = 2.5;
    document["analysis"]["start_s"] = 0.1;
    document["safety"]["limits"] = Json::array();
    saveDocument(document, file("p.json"));
  }
  /// The recorded excitation of a run of that project.
  std::vector<double> excitation(const Json& settings) const {
    writeProject(settings);
    QFile::remove(path("r.h5"));
    const Outcome outcome = call({"run", "p.json", "-o", "r.h5"});
    if (outcome.code != 0) {
      qWarning("%s%s", outcome.out.c_str(), outcome.err.c_str());
      return {};
    }
    return RunFileReader(file("r.h5")).read("acquisition/excitation_1");
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    std::ofstream record(file("record.csv"));
    record.precision(17);
    record << "time_s,acceleration_m_per_s2\n";
    for (std::size_t k = 0; k < kRecordRows; ++k)
      record << static_cast<double>(k) * kRow_s << "," << recordRow(k) << "\n";
  }

  void defaultsAreTheWholeRecord() {
    const std::vector<double> plain = excitation(Json::object());
    QVERIFY(plain.size() > 100 * kTicksPerRow);
    for (std::size_t k = 0; k <= 159; ++k) QVERIFY(plain[k * kTicksPerRow] == recordRow(k));
    const double end_s = static_cast<double>(kRecordRows - 1) * kRow_s;
    for (const Json& same :
         {Json{{"from_s", 0}, {"taper_s", 0}}, Json{{"from_s", 0}, {"to_s", end_s}}, Json{{"taper_s", 0.5}}})
      QVERIFY2(excitation(same) == plain, same.dump().c_str());
  }

  void timeZeroIsTheStartOfTheWindow() {
    const std::vector<double> part = excitation({{"from_s", 40 * kRow_s}, {"to_s", 100 * kRow_s}});
    QVERIFY(part.size() > 100 * kTicksPerRow);
    for (std::size_t k = 0; k <= 60; ++k) QVERIFY(part[k * kTicksPerRow] == recordRow(40 + k));
    QVERIFY(part[kTicksPerRow / 4] == 0.75 * recordRow(40) + 0.25 * recordRow(41));
    for (std::size_t tick = 60 * kTicksPerRow + 1; tick < part.size(); ++tick) QVERIFY(part[tick] == 0.0);
  }

  void endsMayLieBetweenRows() {
    const std::vector<double> part = excitation({{"from_s", 40.25 * kRow_s}, {"to_s", 99.5 * kRow_s}});
    QVERIFY(part.size() > 100 * kTicksPerRow);
    QVERIFY(part[0] == 0.75 * recordRow(40) + 0.25 * recordRow(41));
    for (std::size_t k = 0; k < 59; ++k) QVERIFY(part[48 + k * kTicksPerRow] == recordRow(41 + k));
    const std::size_t last = 48 + 58 * kTicksPerRow + 32;
    QVERIFY(part[last] == 0.5 * (recordRow(99) + recordRow(100)));
    QVERIFY(part[last + 1] == 0.0);
  }

  void taperIsHalfACosineAtCutEnds() {
    constexpr double taper_s = 16 * kRow_s;
    const auto rise = [](double rows) { return rows >= 16.0 ? 1.0 : 0.5 * (1.0 - std::cos(kPi * rows / 16.0)); };
    const std::vector<double> both =
        excitation({{"from_s", 40 * kRow_s}, {"to_s", 100 * kRow_s}, {"taper_s", taper_s}});
    QVERIFY(both.size() > 100 * kTicksPerRow);
    for (std::size_t k = 0; k <= 60; ++k) {
      const double expected = rise(static_cast<double>(k)) * rise(static_cast<double>(60 - k)) * recordRow(40 + k);
      QVERIFY(std::abs(both[k * kTicksPerRow] - expected) < kRounding);
    }
    QVERIFY(both[0] == 0.0);
    QVERIFY(both[60 * kTicksPerRow] == 0.0);
    const double between = 0.5 * (recordRow(43) + recordRow(44));
    QVERIFY(std::abs(both[3 * kTicksPerRow + 32] - rise(3.5) * between) < kRounding);

    // The start of the record is no cut.
    const std::vector<double> end = excitation({{"to_s", 100 * kRow_s}, {"taper_s", taper_s}});
    QVERIFY(end.size() > 100 * kTicksPerRow);
    for (std::size_t k = 0; k <= 100; ++k)
      QVERIFY(std::abs(end[k * kTicksPerRow] - rise(static_cast<double>(100 - k)) * recordRow(k)) < kRounding);
  }

  /// The largest row of the window, not of the record, has the peak; a taper does not change the factor.
  void peakIsThatOfTheWindowBeforeTheTaper() {
    double largest = 0.0;
    for (std::size_t k = 40; k <= 100; ++k) largest = std::max(largest, std::abs(recordRow(k)));
    QVERIFY(largest < recordRow(150));
    const Json window = {{"from_s", 40 * kRow_s}, {"to_s", 100 * kRow_s}, {"peak_mps2", 2e-5}};
    const std::vector<double> scaled = excitation(window);
    QVERIFY(scaled.size() > 100 * kTicksPerRow);
    double peak = 0.0;
    for (const double value : scaled) peak = std::max(peak, std::abs(value));
    QVERIFY(std::abs(peak - 2e-5) < kRounding);
    for (std::size_t k = 0; k <= 60; ++k)
      QVERIFY(std::abs(scaled[k * kTicksPerRow] - recordRow(40 + k) * 2e-5 / largest) < kRounding);
    Json tapered = window;
    tapered["taper_s"] = 30 * kRow_s;
    const std::vector<double> soft = excitation(tapered);
    QVERIFY(soft.size() > 100 * kTicksPerRow);
    QVERIFY(std::abs(soft[30 * kTicksPerRow] - scaled[30 * kTicksPerRow]) <
            kRounding);  // both tapers are 1 in the middle
    QVERIFY(std::abs(soft[15 * kTicksPerRow] - 0.5 * scaled[15 * kTicksPerRow]) < kRounding);
  }

  void badInputIsTold_data() {
    QTest::addColumn<QByteArray>("settings");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* settings, const char* place, const char* words) {
      QTest::newRow(name) << QByteArray(settings) << place << words;
    };
    row("ends before it starts", R"({"from_s": 2, "to_s": 1})", "/from_s", "Give an earlier start or a later end");
    row("empty", R"({"from_s": 1, "to_s": 1})", "/from_s", "the window ends at 1 s");
    row("starts behind the record", R"({"from_s": 3})", "/from_s", "the record lasts from 0 to 3 s");
    row("ends behind the record", R"({"to_s": 3.01})", "/to_s", "leave it out for the end of the record");
    row("taper too long", R"({"from_s": 1, "to_s": 2, "taper_s": 0.51})", "/taper_s", "half of the window is 0.5 s");
    row("peak and factor", R"({"scale": 2, "peak_mps2": 1})", "/peak_mps2", "cannot stand beside \"scale\"");
    row("two peaks", R"({"output": "displacement", "peak_m": 0.01, "peak_mps2": 1})", "/peak_mps2",
        "cannot stand beside \"peak_m\"");
    row("negative start", R"({"from_s": -1})", "/from_s", "at least 0");
    row("peak of nothing", R"({"file": "zeros.csv", "peak_mps2": 1})", "/peak_mps2", "the record is 0");
  }
  void badInputIsTold() {
    QFETCH(QByteArray, settings);
    QFETCH(QString, place);
    QFETCH(QString, words);
    std::ofstream zeros(file("zeros.csv"));
    zeros << "time_s,acceleration_m_per_s2\n0,0\n1,0\n2,0\n";
    zeros.close();
    writeProject(Json::parse(settings.toStdString()));
    const Outcome outcome = call({"check", "p.json", "--json"});
    QCOMPARE(outcome.code, 2);
    const std::string pointer = "/excitation/signals/0" + place.toStdString();
    QVERIFY2(outcome.out.find(pointer) != std::string::npos, outcome.out.c_str());
    const std::string told = Json::parse(outcome.out).dump();
    QVERIFY2(QString::fromStdString(told).replace("\\\"", "\"").contains(words), told.c_str());
  }
};

HYB_SUITE(motion_window, MotionWindowTest)
#include "motion_window_test.moc"
