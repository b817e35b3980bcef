/// Plans of imports: names, units, signs and time bases, and the run file that is made.
#include "core/exchange/import.h"

#include <QTemporaryDir>

#include <cmath>

#include "core/base/file_bytes.h"
#include "core/record/integrity.h"
#include "core/record/run_table.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

ForeignFile oneTable(std::vector<Channel> channels, std::vector<std::vector<double>> columns, double rate_hz = 0.0) {
  ForeignFile file;
  file.tables.push_back(tableInMemory(std::move(channels), std::move(columns)));
  file.tables.back().rate_hz = rate_hz;
  return file;
}

std::vector<double> evenTimes(std::size_t rows, double step) {
  std::vector<double> times;
  for (std::size_t k = 0; k < rows; ++k) times.push_back(2.0 + static_cast<double>(k) * step);
  return times;
}

}  // namespace

class ImportTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::string path(const char* name) const { return folder_.filePath(name).toStdString(); }

 private Q_SLOTS:
  void namesUnitsAndSigns() {
    const ForeignFile file =
        oneTable({{"Time", "ms", ""}, {"Target 1", "mm", ""}, {"Load Cell (A)", "kN", ""}, {"Load cell a", "foo", ""}},
                 {{2000.0, 2001.0, 2002.0}, {1.0, 2.0, 4.0}, {0.5, -0.5, 1.0}, {7.0, 8.0, 9.0}});
    ImportPlan plan = suggestedPlan(file);
    QCOMPARE(plan.time.value_or(99), std::size_t{0});
    QCOMPARE(plan.channels[0].name, std::string("target_1"));
    QCOMPARE(plan.channels[1].name, std::string("load_cell_a"));
    QCOMPARE(plan.channels[2].name, std::string("load_cell_a_2"));
    plan.channels[1].inverted = true;
    const ImportedRecord record = imported(file, plan);
    QCOMPARE(record.table.rate_hz, 1000.0);
    QCOMPARE(record.table.start_s, 2.0);
    QCOMPARE(record.table.channels[0].role, ColumnRole::target);
    QCOMPARE(record.table.channels[0].interface, 1);
    QCOMPARE(record.table.channels[0].units, std::string("m"));
    QCOMPARE(record.table.column(0), (std::vector<double>{1e-3, 2e-3, 4e-3}));
    QCOMPARE(record.table.column(1), (std::vector<double>{-500.0, 500.0, -1000.0}));
    QCOMPARE(record.table.column(2), (std::vector<double>{7.0, 8.0, 9.0}));
    QVERIFY(record.notes.size() == 1 && record.notes[0].find("\"foo\" is not known") != std::string::npos);
  }

  /// Straight lines between uneven rows are exact for a ramp; the rows keep within the record.
  void unevenRows() {
    std::vector<double> times{0.0}, ramp;
    for (int k = 1; k < 400; ++k) times.push_back(times.back() + 0.01 * (1.0 + 0.4 * std::sin(3.0 * k)));
    for (const double time : times) ramp.push_back(5.0 - 2.0 * time);
    const ForeignFile file = oneTable({{"t", "s", ""}, {"x", "m", ""}}, {times, ramp});
    ImportPlan plan = suggestedPlan(file);
    for (const std::optional<double> rate : {std::optional<double>(), std::optional<double>(250.0)}) {
      plan.rate_hz = rate;
      const ImportedRecord record = imported(file, plan);
      QVERIFY(record.notes.size() == 1 && record.notes[0].find("interpolated linearly") != std::string::npos);
      if (rate) QCOMPARE(record.table.rate_hz, *rate);
      QVERIFY(std::abs(record.table.rate_hz - (rate ? *rate : 100.0)) < 5.0);
      const std::vector<double> values = record.table.column(0);
      for (std::uint64_t row = 0; row < record.table.rows; ++row)
        QVERIFY(std::abs(values[row] - (5.0 - 2.0 * record.table.time_s(row))) < 1e-9);
      QVERIFY(record.table.time_s(record.table.rows - 1) <= times.back() + 1e-6);
    }
  }

  void whatCannotBeImported() {
    const std::vector<Channel> two{{"t", "s", ""}, {"x", "m", ""}};
    const ForeignFile back = oneTable(two, {{0.0, 0.1, 0.1, 0.3}, {1, 2, 3, 4}});
    ImportPlan plan = suggestedPlan(back);
    QVERIFY(!plan.time);  // it does not ascend, so it is no time base
    EXPECT_ISSUE(issuesOf([&] { imported(back, plan); }), "rate", "give the column of the time, or the rate");
    plan.time = 0;
    EXPECT_ISSUE(issuesOf([&] { imported(back, plan); }), "t", "row 3");
    const ForeignFile good = oneTable(two, {evenTimes(5, 0.01), {1, 2, 3, 4, 5}});
    plan = suggestedPlan(good);
    plan.time_unit = "mm";
    EXPECT_ISSUE(issuesOf([&] { imported(good, plan); }), "t", "no unit of time");
    plan = suggestedPlan(good);
    plan.channels[0].name = "Target 1";
    EXPECT_ISSUE(issuesOf([&] { imported(good, plan); }), "x", "small letters");
    plan.channels[0].name = "tick";
    EXPECT_ISSUE(issuesOf([&] { imported(good, plan); }), "x", "another channel");
    plan.channels.clear();
    EXPECT_ISSUE(issuesOf([&] { imported(good, plan); }), "channels", "choose at least one");
    EXPECT_ISSUE(issuesOf([&] { suggestedPlan(good, 1); }), "table 2", "has 1 table");
    EXPECT_ISSUE(issuesOf([&] {
                   imported(oneTable(two, {{0.0}, {1.0}}), suggestedPlan(good));
                 }),
                 "table 1", "fewer than two rows");
  }

  void theRunFile() {
    writeWhole(path("lab.csv"), "t,target_1,measured_1,force_1,strain\n");
    const std::vector<double> target{0.0, 1e-3, 2e-3, 1e-3}, measured{0.0, 0.9e-3, 2.1e-3, 1.2e-3};
    const ForeignFile file = oneTable(
        {{"t", "s", ""}, {"target_1", "m", ""}, {"measured_1", "m", ""}, {"force_1", "N", ""}, {"strain", "um/m", ""}},
        {evenTimes(4, 0.002), target, measured, {1.0, 2.0, std::nan(""), 4.0}, {100.0, 200.0, 300.0, 400.0}});
    const ImportedRecord record = imported(file, suggestedPlan(file));
    writeImported(record, {path("lab.csv"), "Wall 3", "K", {}, {}}, path("run.h5"));
    const Integrity integrity = checkFile(path("run.h5"));
    QVERIFY2(integrity.sound(), integrity.sentence().c_str());
    const auto reader = std::make_shared<const RunFileReader>(path("run.h5"));
    QCOMPARE(reader->info().title, std::string("Wall 3"));
    QCOMPARE(reader->info().stop_reason, std::string("imported from lab.csv"));
    QCOMPARE(reader->attribute("config", "imported_from"), std::string("lab.csv"));
    QCOMPARE(reader->attribute("config", "imported_sha256").size(), std::size_t{64});
    QVERIFY(reader->info().complete);
    const Table back = tableOf(reader);
    QCOMPARE(back.rate_hz, 500.0);
    QCOMPARE(*values(back, "target_1"), target);
    QCOMPARE(*values(back, "strain"), (std::vector<double>{1e-4, 2e-4, 3e-4, 4e-4}));
    const std::vector<double> gap = *values(back, "gap_1");
    for (std::size_t k = 0; k < gap.size(); ++k) QCOMPARE(gap[k], measured[k] - target[k]);
    QVERIFY(std::isnan(values(back, "force_1")->at(2)));
    QVERIFY(std::isnan(values(back, "velocity_1")->front()));  // nobody measured it
    QVERIFY_THROWS_EXCEPTION(DeviceError, writeImported(record, {path("lab.csv"), "", "", {}, {}}, path("run.h5")));
  }

  void whatARunFileCannotHold() {
    ForeignFile file = oneTable({{"force_1", "m", ""}}, {{1.0, 2.0, 3.0}}, 100.0);
    const ImportOrigin origin{path("lab.csv"), "", "", {}, {}};
    EXPECT_ISSUE(issuesOf([&] { writeImported(imported(file, suggestedPlan(file)), origin, path("a.h5")); }), "force_1",
                 "correct the unit");
    file = oneTable({{"target_1", "m", ""}}, {{1.0, 2.0, 3.0}}, 100.0);
    ImportOrigin of_project = origin;
    of_project.project_json = R"({"loop": {"rate_hz": 1000}})";
    EXPECT_ISSUE(issuesOf([&] { writeImported(imported(file, suggestedPlan(file)), of_project, path("a.h5")); }),
                 "project", "runs at 1000 Hz, and the record has 100 Hz");
    QVERIFY(!hyb::bytesOf(path("a.h5")));
  }
};

HYB_SUITE(import, ImportTest)
#include "import_test.moc"
