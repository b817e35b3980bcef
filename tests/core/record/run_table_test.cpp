#include "core/record/run_table.h"

#include <QTemporaryDir>

#include "core/project/project.h"
#include "core/run/test_run.h"
#include "tests/core/record/run_file_support.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class RunTableTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Each channel of the run, row by row, with its unit and interface; adapted quantities hold between changes.
  void aRunIsATable() {
    QTemporaryDir folder;
    const std::string file = folder.filePath("run.h5").toStdString();
    Json document = templateDocument("three-mass");
    document["loop"]["duration_s"] = 4;
    document["analysis"]["start_s"] = 1;
    TestRun run(parseProject(document), {Pace::free_run, file, {}, {}, false});
    run.arm();
    run.start();
    QVERIFY(run.finish().complete);
    const auto reader = std::make_shared<const RunFileReader>(file);
    const Table table = tableOf(reader);
    QCOMPARE(table.rows, reader->info().rows);
    QCOMPARE(table.rate_hz, reader->info().rate_hz);
    QVERIFY(!find(table, "time") && !find(table, "tick"));
    for (const char* name : {"gap_1", "force_2", "flags"}) {
      const std::string path = std::string("acquisition/") + name;
      const std::size_t channel = *find(table, name);
      QCOMPARE(table.column(channel), reader->read(path));
      QCOMPARE(table.channels[channel].units, reader->attribute(path, "units"));
    }
    QCOMPARE(table.channels[*find(table, "force_2")].interface, 2);
    QVERIFY(table.channels[*find(table, "flags")].discrete);
    const std::vector<double> ticks = reader->read("adaptation/prediction_1/tick"),
                              values = reader->read("adaptation/prediction_1/value"),
                              held = table.column(*find(table, "prediction_1"));
    const double first = reader->read("acquisition/tick", 0, 1).front();
    QVERIFY(ticks.size() > 3);
    for (std::size_t k = 0; k < ticks.size(); ++k) {
      const auto row = static_cast<std::size_t>(ticks[k] - first);
      QCOMPARE(held[row], values[k]);
      if (k > 0) QCOMPARE(held[row - 1], values[k - 1]);
    }
  }

  /// Periods without a tick are rows without values, so that the table stays even.
  void missedPeriodsAreRowsWithoutValues() {
    QTemporaryDir folder;
    const std::filesystem::path file = in(folder, "run.h5");
    const RowLayout layout = smallLayout();
    constexpr std::size_t kTicks = 3000;
    std::vector<double> rows = block(layout, 0, kTicks);
    const auto tickOf = [](std::size_t row) { return row + (row >= 100 ? 3u : 0u) + (row >= 2000 ? 1u : 0u); };
    for (std::size_t row = 0; row < kTicks; ++row)
      rows[row * layout.width() + RowLayout::kTick] = static_cast<double>(tickOf(row));
    {
      RunFileWriter writer(file, header(), layout, {}, 1024);
      writer.append(rows);
      writer.flush();
      writer.close({true, true, "completed"});
    }
    const auto reader = std::make_shared<const RunFileReader>(file);
    const Table table = tableOf(reader);
    QCOMPARE(table.rows, std::uint64_t{kTicks + 4});
    const std::vector<double> recorded = reader->read("acquisition/gap_1"), gap = table.column(*find(table, "gap_1"));
    for (std::size_t row = 0; row < kTicks; ++row) QCOMPARE(gap[tickOf(row)], recorded[row]);
    for (const std::size_t missed : {100u, 101u, 102u, 2003u}) QVERIFY(std::isnan(gap[missed]));
    QCOMPARE(table.read(*find(table, "gap_1"), 99, 5)[4], recorded[100]);
  }
};

// Not HYB_THREADS: its run is that of test_run.
HYB_SUITE(run_table, RunTableTest)
#include "run_table_test.moc"
