#include "core/record/run_table.h"

#include <hdf5.h>

#include <QTemporaryDir>

#include "core/project/project.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "tests/core/record/run_file_support.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// Leaves the attributes of a program that did not know roles.
void withoutRoles(const std::filesystem::path& file) {
  const std::vector<std::string> columns = RunFileReader(file).info().row_columns;
  const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  for (const std::string& column : columns)
    for (const char* attribute : {"role", "kind"})
      if (H5Aexists_by_name(opened, column.c_str(), attribute, H5P_DEFAULT) > 0)
        H5Adelete_by_name(opened, column.c_str(), attribute, H5P_DEFAULT);
  H5Fclose(opened);
}

}  // namespace

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

  /// Role, interface and kind of each column come back as the loop laid them out, with a force target, and from a file
  /// of an older program, which does not state them.
  void rolesAreThoseOfTheLoop() {
    QTemporaryDir folder;
    const std::filesystem::path file = in(folder, "run.h5"), old = in(folder, "old.h5");
    Json document = templateDocument("force-shear-building");
    document["loop"]["duration_s"] = 3;
    const Project project = parseProject(document);
    TestRun run(project, {Pace::free_run, file, {}, {}, false});
    run.arm();
    run.start();
    run.finish();
    const RowLayout layout = buildLoop(project)->layout();
    std::filesystem::copy_file(file, old);
    withoutRoles(old);
    for (const std::filesystem::path& each : {file, old}) {
      const Table table = recordedTable(std::make_shared<const RunFileReader>(each));
      QCOMPARE(table.channels.size(), layout.width());
      for (const Channel& channel : table.channels) {
        const std::optional<std::size_t> column = layout.find(channel.name);
        QVERIFY2(column, channel.name.c_str());
        const Channel& laid = layout.column(*column);
        QVERIFY2(channel.role == laid.role, channel.name.c_str());
        QVERIFY2(channel.kind == laid.kind, channel.name.c_str());
        QCOMPARE(channel.interface, laid.interface);
        QCOMPARE(channel.discrete, laid.discrete);
        QCOMPARE(channel.units, laid.units);
        QCOMPARE(channel.title, laid.title);
      }
      QVERIFY(find(table, ColumnRole::specimen, 1) && find(table, ColumnRole::piston_target, 1));
      QVERIFY(table.channels[*find(table, ColumnRole::target, 1)].kind == SignalKind::force);
      const RowLayout again = RowLayout::of(table.channels);
      QCOMPARE(again.width(), layout.width());
      QCOMPARE(again.target(0), layout.target(0));
      QCOMPARE(again.hasReference(), layout.hasReference());
      QVERIFY(again.signals()[0].asksForForce());
      QCOMPARE(again.column(again.moved(0)).name, std::string("specimen_1"));
      QCOMPARE(again.column(again.tracked(0)).name, std::string("force_1"));
    }
    QCOMPARE(RunFileReader(file).attribute("acquisition/target_1", "role"), std::string("target"));
    QCOMPARE(RunFileReader(file).attribute("acquisition/target_1", "kind"), std::string("force"));
  }

  /// Trials and events are part of the table.
  void segmentsAndEventsComeWithTheRows() {
    QTemporaryDir folder;
    const std::filesystem::path file = in(folder, "run.h5");
    Json document = templateDocument("contact-ilc");
    document["loop"]["trials"]["count"] = 2;
    document["analysis"]["start_s"] = 0;
    TestRun run(parseProject(document), {Pace::free_run, file, {}, {}, false});
    run.arm();
    run.start();
    run.finish();
    const auto reader = std::make_shared<const RunFileReader>(file);
    const Table table = recordedTable(reader);
    QVERIFY(table.segments);
    QCOMPARE(table.segments->rows, std::uint64_t{2});
    QCOMPARE(*values(*table.segments, "last_tick"), reader->read("segments/last_tick"));
    QCOMPARE(table.events.size(), reader->events().size());
    QVERIFY(!table.events.empty());
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
