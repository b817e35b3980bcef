/// Each analysis of the table: runs with its defaults, becomes a table, and refuses each kind of bad input.
#include <set>

#include "tests/core/analysis/analysis_tables.h"
#include "tests/support/compare.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

Table catalogueTable(std::size_t rows = 2000) {
  return columnsTable(
      500.0, {{"x", "m", noiseRows(1, rows)}, {"y", "N", noiseRows(2, rows)}, {"z", "1", noiseRows(3, rows)}}, 1.0);
}

std::vector<std::string> channelsFor(const Analysis& analysis) {
  return analysis.inputs == AnalysisInputs::one ? std::vector<std::string>{"x"} : std::vector<std::string>{"x", "y"};
}

/// A value for each option that has no default.
std::map<std::string, std::string> requiredOf(const Analysis& analysis) {
  std::map<std::string, std::string> settings;
  for (const AnalysisOption* option : analysis.options)
    if (option->required) settings[std::string(option->name)] = "100";
  return settings;
}

}  // namespace

class AnalysesTest : public QObject {
  Q_OBJECT
  static void eachAnalysis() {
    QTest::addColumn<QString>("name");
    for (const Analysis* one : analyses())
      QTest::newRow(std::string(one->name).c_str()) << QString::fromStdString(std::string(one->name));
  }
  static const Analysis& fetched() {
    QFETCH(QString, name);
    return analysis(name.toStdString());
  }

 private Q_SLOTS:
  void runsWithItsDefaults_data() { eachAnalysis(); }
  /// Curves as long as their axis, finite numbers, units, whole sentences; the same bits twice; all of it as a table.
  void runsWithItsDefaults() {
    const Analysis& one = fetched();
    const AnalysisResult result = analyse(catalogueTable(), one, channelsFor(one), requiredOf(one));
    QCOMPARE(result.analysis, std::string(one.name));
    QVERIFY(!result.curves.empty() && !result.numbers.empty() && !result.notes.empty());
    QVERIFY(std::ranges::is_sorted(result.x.values));
    std::set<std::string> names;
    for (const ResultCurve& curve : result.curves) {
      QCOMPARE(curve.values.size(), result.x.values.size());
      QVERIFY2(names.insert(curve.name).second, curve.name.c_str());
      QVERIFY2(curve.name.size() <= 31 && !curve.quantity.empty(), curve.name.c_str());
      QVERIFY(std::ranges::any_of(curve.values, [](double value) { return std::isfinite(value); }));
    }
    for (const ResultNumber& number : result.numbers) QVERIFY2(std::isfinite(number.value), number.name.c_str());
    for (const std::string& note : result.notes) QVERIFY2(note.ends_with("."), note.c_str());
    for (const ResultMark& mark : result.marks) QVERIFY(mark.at < result.x.values.size());
    const AnalysisResult again = analyse(catalogueTable(), one, channelsFor(one), requiredOf(one));
    for (std::size_t c = 0; c < result.curves.size(); ++c)
      for (std::size_t k = 0; k < result.x.values.size(); ++k)
        QVERIFY(std::bit_cast<std::uint64_t>(result.curves[c].values[k]) ==
                std::bit_cast<std::uint64_t>(again.curves[c].values[k]));
    const Table table = tableOf(result);
    if (!result.map) {
      const std::size_t before = result.rate_hz > 0.0 ? 0 : 1;
      QCOMPARE(table.channels.size(), result.curves.size() + before);
      if (before == 1) QCOMPARE(table.column(0), result.x.values);
      QCOMPARE(table.channels[before].units, result.curves[0].unit);
    }
    for (std::size_t c = 0; c < table.channels.size(); ++c) QCOMPARE(table.column(c).size(), table.rows);
  }

  void refusesWhatItCannotAnalyse_data() { eachAnalysis(); }
  void refusesWhatItCannotAnalyse() {
    const Analysis& one = fetched();
    const std::string name(one.name);
    const auto refused = [&](const Table& table, const std::vector<std::string>& channels) {
      return issuesOf([&] { analyse(table, one, channels, requiredOf(one)); });
    };
    EXPECT_ISSUE(refused(catalogueTable(), {}), name, "needs a channel");
    if (one.inputs == AnalysisInputs::one)
      EXPECT_ISSUE(refused(catalogueTable(), {"x", "y"}), name, "takes one channel");
    else
      EXPECT_ISSUE(refused(catalogueTable(), {"x", "x"}), "x", "named twice");
    if (one.inputs == AnalysisInputs::pair) EXPECT_ISSUE(refused(catalogueTable(), {"x"}), name, "needs two channels");
    std::vector<std::string> unknown = channelsFor(one);
    unknown.back() = "gap_9";
    EXPECT_ISSUE(refused(catalogueTable(), unknown), "gap_9", "not a channel of this record");
    Table uneven = catalogueTable();
    uneven.rate_hz = 0.0;
    if (one.timed)
      EXPECT_ISSUE(refused(uneven, channelsFor(one)), "", "no rate");
    else
      QVERIFY(refused(uneven, channelsFor(one)).empty());
    Table empty = catalogueTable();
    empty.rows = 0;
    EXPECT_ISSUE(refused(empty, channelsFor(one)), "", "no rows");
  }

  void refusesEachBadSetting_data() { eachAnalysis(); }
  void refusesEachBadSetting() {
    const Analysis& one = fetched();
    const auto refused = [&](const std::string& option, const std::string& text) {
      std::map<std::string, std::string> settings = requiredOf(one);
      settings[option] = text;
      return issuesOf([&] { analyse(catalogueTable(), one, channelsFor(one), settings); });
    };
    EXPECT_ISSUE(refused("colour", "red"), "colour", "is not an option of " + std::string(one.name));
    for (const AnalysisOption* option : one.options) {
      const std::string name(option->name);
      if (!option->words.empty()) {
        EXPECT_ISSUE(refused(name, "kaiser"), name, "choose one of: " + std::string(option->words[0]));
        for (const std::string_view word : option->words) QVERIFY(refused(name, std::string(word)).empty());
        continue;
      }
      EXPECT_ISSUE(refused(name, "many"), name, "not a number");
      EXPECT_ISSUE(refused(name, "-1"), name, "enter a");
      EXPECT_ISSUE(refused(name, "1e9"), name, "enter a");
      EXPECT_ISSUE(refused(name, "nan"), name, "enter a");
      if (option->whole) EXPECT_ISSUE(refused(name, "2.5"), name, "whole number");
      if (option->above) EXPECT_ISSUE(refused(name, "0"), name, "above 0");
      if (option->required) EXPECT_ISSUE(refused(name, ""), name, "is missing");
    }
  }

  /// An option that several analyses have means the same in all of them, and its texts are whole.
  void optionsAreDescribedOnce() {
    std::map<std::string, const AnalysisOption*> known;
    for (const Analysis* one : analyses()) {
      QVERIFY(!one->description.empty() && !one->description.ends_with("."));  // as all of --help
      for (const AnalysisOption* option : one->options) {
        const auto [place, fresh] = known.emplace(option->name, option);
        QVERIFY2(fresh || place->second == option, std::string(option->name).c_str());
        QVERIFY(!option->title.empty() && !option->description.empty());
        if (!option->usual.empty() && !option->words.empty())
          QVERIFY(std::ranges::find(option->words, option->usual) != option->words.end());
      }
    }
    EXPECT_ISSUE(issuesOf([] { analysis("spectrun"); }), "spectrun", "Did you mean \"spectrum\"?");
  }

  void segmentsThatDoNotFit() {
    const auto refused = [](std::map<std::string, std::string> settings, std::size_t rows = 2000) {
      return issuesOf([&] { analysed(catalogueTable(rows), "spectrum", {"x"}, settings); });
    };
    EXPECT_ISSUE(refused({{"segment", "1"}, {"resolution", "1"}}), "resolution", "give one of both");
    EXPECT_ISSUE(refused({{"segment", "5"}}), "segment", "shorter segment or a longer stretch");
    EXPECT_ISSUE(refused({{"segment", "0.01"}}), "segment", "choose a longer segment");
    EXPECT_ISSUE(refused({{"resolution", "0.1"}}), "resolution", "5000 rows");
    EXPECT_ISSUE(refused({}, 15), "", "a segment needs at least 16");
    QVERIFY(refused({}, 16).empty());
    QVERIFY(refused({{"segment", "4"}}).empty());
    EXPECT_ISSUE(issuesOf([] {
                   analysed(catalogueTable(), "spectrogram", {"x"}, {{"segment", "4"}, {"overlap", "95.5"}});
                 }),
                 "overlap", "to 95 %");
  }
};

HYB_SUITE(analyses, AnalysesTest)
#include "analyses_test.moc"
