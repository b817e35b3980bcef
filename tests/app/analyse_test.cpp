/// `analyse`: the analyses of a run as a table, as a file and as JSON, and what cannot be analysed.
#include <algorithm>
#include <fstream>

#include "core/analysis/analysis.h"
#include "core/record/run_table.h"
#include "tests/support/program_test.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

bool reportSays(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

}  // namespace

class AnalyseCommandTest : public ProgramTest {
  Q_OBJECT
  std::string file(const char* name) const { return path(name).toStdString(); }
  Table recorded() const { return tableOf(std::make_shared<const RunFileReader>(file("run.h5"))); }

 private Q_SLOTS:
  void initTestCase() {
    folder_ = std::make_unique<QTemporaryDir>();
    QCOMPARE(call({"run", "three-mass", "--duration", "4", "-o", "run.h5"}).code, 0);
  }

  /// The numbers of the command are those of the room, to the last bit.
  void spectrumAsJsonIsThatOfTheCore() {
    const Outcome outcome =
        call({"analyse", "run.h5", "--spectrum", "gap_1,force_1", "--segment", "1", "--window", "flat-top", "--json"});
    QVERIFY2(outcome.code == 0, outcome.err.c_str());
    const AnalysisResult expected =
        analyse(recorded(), analysis("spectrum"), {"gap_1", "force_1"}, {{"segment", "1"}, {"window", "flat-top"}});
    const Json report = outcome.json();
    QCOMPARE(report["analysis"].get<std::string>(), std::string("spectrum"));
    QCOMPARE(report["x"]["unit"].get<std::string>(), std::string("Hz"));
    QCOMPARE(report["curves"].size(), expected.curves.size());
    for (std::size_t c = 0; c < expected.curves.size(); ++c) {
      QCOMPARE(report["curves"][c]["unit"].get<std::string>(), expected.curves[c].unit);
      QCOMPARE(report["curves"][c]["values"].get<std::vector<double>>(), expected.curves[c].values);
    }
    QCOMPARE(report["numbers"]["resolution"]["value"].get<double>(), 1.0);
  }

  void spectrumAsATable() {
    const Outcome outcome = call({"analyse", "run.h5", "--spectrum", "measured_1", "--resolution", "0.5"});
    QVERIFY2(outcome.code == 0, outcome.err.c_str());
    for (const char* words :
         {"Spectrum of measured_1", "run.h5: 0 s to", "at 1000 Hz", "Amplitude", "Power spectral density", "m2/Hz",
          "Resolution", "0.5 Hz", "Independent averages", "Effective noise bandwidth", "0.75 Hz"})
      QVERIFY2(reportSays(outcome.out, words), (words + ("\n" + outcome.out)).c_str());
    QVERIFY(std::ranges::count(outcome.out, '\n') < 30);
  }

  void curvesOfAStretchInAFile() {
    const Outcome outcome = call({"analyse", "run.h5", "--frf", "command_1,measured_1", "--from", "1", "--to", "4",
                                  "--segment", "0.5", "-o", "frf.csv"});
    QVERIFY2(outcome.code == 0, outcome.err.c_str());
    QVERIFY2(reportSays(outcome.out, "1 s to 4 s, 3000 rows") && reportSays(outcome.out, "\nfrf.csv\n"),
             outcome.out.c_str());
    std::ifstream stream(file("frf.csv"));
    std::string names, units, row;
    std::getline(stream, names);
    std::getline(stream, units);
    QVERIFY2(names.starts_with("frequency,measured_1_magnitude,measured_1_magnitude_error,"), names.c_str());
    QVERIFY2(units.starts_with("Hz,1,1,"), units.c_str());
    const AnalysisResult expected =
        analyse(stretch(recorded(), 1.0, 4.0), analysis("frf"), {"command_1", "measured_1"}, {{"segment", "0.5"}});
    for (std::size_t k = 0; k < expected.x.values.size(); ++k) {
      QVERIFY(std::getline(stream, row));
      double hz = 0.0, magnitude = 0.0;
      const int read = std::sscanf(row.c_str(), "%lf,%lf", &hz, &magnitude);
      QCOMPARE(hz, expected.x.values[k]);
      if (k > 0) {
        QCOMPARE(read, 2);
        QCOMPARE(magnitude, expected.curves[0].values[k]);
      }
    }
    QVERIFY(!std::getline(stream, row));
    for (const char* name : {"frf.mat", "frf.npz", "frf.h5"}) {
      const Outcome other = call({"analyse", "run.h5", "--frf", "command_1,measured_1", "-o", name});
      QVERIFY2(other.code == 0, other.err.c_str());
      QVERIFY(QFile(path(name)).size() > 1000);
    }
    QCOMPARE(call({"analyse", "run.h5", "--frf", "command_1,measured_1", "-o", "frf.uff"}).code, 2);
    QVERIFY(call({"analyse", "run.h5", "--low-pass", "gap_1", "--cutoff", "20", "-o", "low.uff"}).code == 0);
  }

  void eachAnalysisOfTheTable_data() {
    QTest::addColumn<QStringList>("arguments");
    for (const Analysis* one : analyses()) {
      QStringList arguments{"--" + QString::fromStdString(std::string(one->name)),
                            one->inputs == AnalysisInputs::pair ? "command_1,measured_1" : "gap_1"};
      for (const AnalysisOption* option : one->options)
        if (option->required) arguments += {"--" + QString::fromStdString(std::string(option->name)), "50"};
      QTest::newRow(std::string(one->name).c_str()) << arguments;
    }
  }
  void eachAnalysisOfTheTable() {
    QFETCH(QStringList, arguments);
    const Outcome text = call(QStringList{"analyse", "run.h5"} + arguments);
    QVERIFY2(text.code == 0 && text.err.empty(), text.err.c_str());
    QVERIFY2(reportSays(text.out, " of "), text.out.c_str());
    const Outcome file = call(QStringList{"analyse", "run.h5", "--json", "-o", "each.csv"} + arguments);
    QCOMPARE(file.code, 0);
    QVERIFY(!file.json()["curves"].empty());
    QVERIFY(lines("each.csv") > 20);
    const std::string help = call({"analyse", "--help"}).out;
    for (const QString& argument : arguments)
      if (argument.startsWith("--")) QVERIFY2(reportSays(help, qPrintable(argument)), qPrintable(argument));
  }

  void whatCannotBeAnalysedIsASentence() {
    const auto refused = [&](const QStringList& arguments, const char* start, const char* words) {
      const Outcome outcome = call(QStringList{"analyse", "run.h5"} + arguments);
      QVERIFY2(outcome.code == 2, outcome.out.c_str());
      QVERIFY2(outcome.err.starts_with(start) && reportSays(outcome.err, words), outcome.err.c_str());
      QCOMPARE(outcome.out, std::string());
    };
    refused({}, "error: analyse: ", "--spectrum, --cross-spectrum, --frf");
    refused({"--spectrum", "gap_1", "--histogram", "gap_1"}, "error: --histogram: ", "one analysis in a call");
    refused({"--spectrum", "gap_9"}, "error: gap_9: ", "Did you mean \"gap_1\"");
    refused({"--frf", "gap_1"}, "error: --frf: ", "the input and then the output");
    refused({"--spectrum", "gap_1", "--cutoff", "5"}, "error: --cutoff: ", "not an option of spectrum");
    refused({"--spectrum", "gap_1", "--window", "kaiser"}, "error: --window: ", "hann, rectangular");
    refused({"--spectrum", "gap_1", "--segment", "1 s"}, "error: --segment: ", "not a number");
    refused({"--spectrum", "gap_1", "--segment", "100"}, "error: --segment: ", "shorter segment");
    refused({"--low-pass", "gap_1"}, "error: --cutoff: ", "is missing");
    refused({"--low-pass", "gap_1", "--cutoff", "500"}, "error: --cutoff: ", "below 500 Hz");
    refused({"--spectrum", "gap_1", "--from", "100"}, "error: ", "no rows");
    refused({"--spectrum", "gap_1", "-o", "run.h5"}, "error: -o: ", "the run file itself");
    refused({"--spectrum", "gap_1", "-o", "a.xls"}, "error: a.xls: ", ".csv");
    QCOMPARE(call({"analyse", "none.h5", "--spectrum", "gap_1"}).code, 3);
  }
};

HYB_SUITE(analyse_command, AnalyseCommandTest)
#include "analyse_test.moc"
