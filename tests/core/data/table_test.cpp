#include "core/data/table.h"

#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "core/data/even.h"
#include "core/data/resample.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// Channels that are functions of time.
Table signalTable(double rate_hz, std::uint64_t rows, std::vector<std::function<double(double)>> signals,
                  double start_s = 0.0) {
  Table table;
  table.rate_hz = rate_hz;
  table.start_s = start_s;
  table.rows = rows;
  for (std::size_t c = 0; c < signals.size(); ++c)
    table.channels.push_back({"signal_" + std::to_string(c + 1), "m", ""});
  table.read = [=, signals = std::move(signals)](std::size_t channel, std::uint64_t first, std::uint64_t count) {
    std::vector<double> values;
    for (std::uint64_t row = first; row < first + count; ++row)
      values.push_back(signals[channel](start_s + static_cast<double>(row) / rate_hz));
    return values;
  };
  return table;
}
auto toneOf(double hz) {
  return [hz](double t_s) { return std::sin(2.0 * std::numbers::pi * hz * t_s); };
}

}  // namespace

class TableTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void channelsAreChosenInTheirOrder() {
    const Table table = chosen(signalTable(10.0, 5, {toneOf(1.0), [](double t_s) { return t_s; }}), {"signal_2"});
    QCOMPARE(table.channels.size(), std::size_t{1});
    QCOMPARE(table.column(0), (std::vector<double>{0.0, 0.1, 0.2, 0.3, 0.4}));
    EXPECT_ISSUE(issuesOf([&] { chosen(table, {"signal_9"}); }), "signal_9", "Did you mean \"signal_2\"?");
  }

  /// A table in the memory has the rows of its shortest column; a channel is found by name, or by role and interface.
  void columnsInTheMemory() {
    std::vector<Channel> channels(3);
    channels[0] = {.name = "x", .units = "m", .description = {}, .interface = 1, .role = ColumnRole::measured};
    channels[1] = {.name = "y", .units = "m", .description = {}, .interface = 2, .role = ColumnRole::measured};
    channels[2] = {.name = "time", .units = "s", .description = {}, .role = ColumnRole::time};
    const Table table = tableInMemory(channels, {{1.0, 2.0, 3.0}, {4.0, 5.0}, {0.0, 0.1, 0.2}});
    QCOMPARE(table.rows, std::uint64_t{2});
    QCOMPARE(*values(table, "y"), (std::vector<double>{4.0, 5.0}));
    QVERIFY(!values(table, "z"));
    QCOMPARE(rowsOf(table)[1], (std::vector<double>{2.0, 5.0, 0.1}));
    QCOMPARE(placeOf(table, ColumnRole::measured, 2), std::size_t{1});
    QCOMPARE(*find(table, ColumnRole::time), std::size_t{2});
    QVERIFY(!find(table, ColumnRole::measured, 3) && !find(table, ColumnRole::gap, 1));
    QVERIFY_THROWS_EXCEPTION(DeviceError, placeOf(table, ColumnRole::gap, 1));
  }

  /// A missed period has no values, but adapted quantities hold theirs; any block is that of the whole.
  void evenRowsFillMissedPeriods() {
    std::vector<Channel> channels(4);
    channels[0] = {.name = "tick", .units = "", .description = {}, .role = ColumnRole::tick};
    channels[1] = {.name = "time", .units = "s", .description = {}, .role = ColumnRole::time};
    channels[2] = {.name = "gap_1", .units = "m", .description = {}, .interface = 1, .role = ColumnRole::gap};
    channels[3] = {.name = "horizon", .units = "s", .description = {}, .role = ColumnRole::adapted};
    Table recorded = tableInMemory(
        channels, {{7.0, 8.0, 11.0, 12.0}, {0.7, 0.8, 1.1, 1.2}, {1.0, 2.0, 3.0, 4.0}, {5.0, 6.0, 7.0, 8.0}});
    QVERIFY_THROWS_EXCEPTION(DeviceError, evenRows(recorded));  // no rate
    recorded.rate_hz = 10.0;
    const Table even = evenRows(recorded);
    QCOMPARE(even.channels.size(), std::size_t{2});
    QCOMPARE(even.rows, std::uint64_t{6});
    QCOMPARE(even.start_s, 0.7);
    const std::vector<double> gap = even.column(0), horizon = even.column(1);
    QVERIFY(gap[1] == 2.0 && std::isnan(gap[2]) && std::isnan(gap[3]) && gap[4] == 3.0);
    QCOMPARE(horizon, (std::vector<double>{5.0, 6.0, 6.0, 6.0, 7.0, 8.0}));
    for (std::uint64_t first = 0; first < 6; ++first)
      for (std::uint64_t count = 1; first + count <= 6; ++count) {
        const auto begin = horizon.begin() + static_cast<std::ptrdiff_t>(first);
        QCOMPARE(even.read(1, first, count), std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count)));
      }
    Table back = tableInMemory(channels, {{7.0, 6.0}, {0.7, 0.6}, {1.0, 2.0}, {5.0, 6.0}});
    back.rate_hz = 10.0;
    QVERIFY_THROWS_EXCEPTION(DeviceError, evenRows(back));  // time runs back
  }

  /// From the first time, included, to the last one, not included; a time of a row that is off in its last digits is
  /// that of the row.
  void aStretchOfTime() {
    const Table whole = signalTable(1000.0, 1000, {[](double t_s) { return t_s; }}, 2.0);
    const Table part = stretch(whole, 2.1, 2.1 + 3e-3);
    QCOMPARE(part.rows, std::uint64_t{3});
    QCOMPARE(part.start_s, 2.1);
    for (std::uint64_t row = 0; row < 3; ++row) QVERIFY(std::abs(part.column(0)[row] - part.time_s(row)) < 1e-12);
    QCOMPARE(stretch(whole, -1e9, 1e9).rows, std::uint64_t{1000});
    EXPECT_ISSUE(issuesOf([&] { stretch(whole, 3.5, 4.0); }), "", "record has 2 s to 3 s");
    Table uneven = whole;
    uneven.rate_hz = 0.0;
    EXPECT_ISSUE(issuesOf([&] { stretch(uneven, 0.0, 1.0); }), "", "has none");
    EXPECT_ISSUE(issuesOf([&] { resampled(uneven, 1.0); }), "", "no rate");
  }

  /// Below 0.8 of half the lower rate a sine comes out as it is, up and down; above half of it nothing does.
  void resamplingKeepsTheBandAndNothingElse_data() {
    QTest::addColumn<double>("rate");
    for (const double rate : {250.0, 333.3, 999.0, 1000.0, 1024.0, 4321.0}) QTest::addRow("%g Hz", rate) << rate;
  }
  void resamplingKeepsTheBandAndNothingElse() {
    QFETCH(double, rate);
    const double edge = 0.5 * std::min(rate, 1000.0);
    for (const double share : {0.01, 0.3, 0.79}) {
      const Table out = resampled(signalTable(1000.0, 4000, {toneOf(share * edge)}), rate);
      QCOMPARE(out.rows, static_cast<std::uint64_t>(std::floor(3.999 * rate + 1e-6)) + 1);
      const std::vector<double> values = out.column(0);
      for (std::uint64_t row = out.rows / 4; row < out.rows / 2; ++row)
        QVERIFY2(std::abs(values[row] - toneOf(share * edge)(out.time_s(row))) < 2e-4,
                 qPrintable(QString("%1 Hz, row %2: %3").arg(share * edge).arg(row).arg(values[row])));
    }
    if (rate >= 1000.0) return;
    for (const double share : {1.001, 1.3, 1.9}) {
      if (share * edge > 500.0) continue;
      const std::vector<double> values = resampled(signalTable(1000.0, 4000, {toneOf(share * edge)}), rate).column(0);
      for (std::size_t row = values.size() / 4; row < values.size() / 2; ++row) QVERIFY(std::abs(values[row]) < 2e-4);
    }
  }

  void resamplingKeepsConstantsToTheEndsAndReadsInBlocks() {
    const Table out = resampled(signalTable(1000.0, 500, {[](double) { return 3.25; }, toneOf(7.0)}), 123.4);
    for (const double value : out.column(0)) QVERIFY(std::abs(value - 3.25) < 1e-12);
    const std::vector<double> whole = out.column(1);
    for (std::uint64_t first = 0; first < out.rows; first += 7) {
      const std::uint64_t count = std::min<std::uint64_t>(7, out.rows - first);
      const std::vector<double> part = out.read(1, first, count);
      for (std::uint64_t k = 0; k < count; ++k) QCOMPARE(part[k], whole[first + k]);
    }
  }

  void whatIsCountedTakesTheNearestRow() {
    Table table = signalTable(10.0, 11, {[](double t_s) { return std::round(10.0 * t_s); }});
    table.channels[0].discrete = true;
    QCOMPARE(resampled(table, 4.0).column(0), (std::vector<double>{0, 3, 5, 8, 10}));
  }

  /// A missing value is no zero: what the filter makes with it is missing, and no more.
  void missingValuesStayMissing() {
    const auto gap = [](double t_s) { return std::abs(t_s - 1.0) < 1e-6 ? std::nan("") : 1.0; };
    const std::vector<double> values = resampled(signalTable(1000.0, 2000, {gap}), 500.0).column(0);
    QVERIFY(std::isnan(values[500]));
    QCOMPARE(values[100], 1.0);
    QCOMPARE(values[900], 1.0);
  }
};

HYB_SUITE(table, TableTest)
#include "table_test.moc"
