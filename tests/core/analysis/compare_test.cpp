/// Two records channel by channel: each tolerance, what is not aligned, and where a channel first leaves.
#include "core/analysis/compare.h"

#include "tests/core/analysis/analysis_tables.h"
#include "tests/support/compare.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Outcome = ChannelComparison::Outcome;

Table comparedTable(std::vector<double> values, double rate_hz = 1000.0, const char* units = "m") {
  return columnsTable(rate_hz, {{"gap_1", units, std::move(values)}});
}
ChannelComparison comparedOne(const Table& a, const Table& b, const CompareTolerance& tolerance = {}) {
  return compared(a, b, tolerance).channels.front();
}
std::vector<double> moved(std::vector<double> values, double by) {
  for (double& value : values) value += by;
  return values;
}

}  // namespace

class CompareTablesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void equalRecordsAreInside() {
    const Table a = comparedTable(noiseRows(1, 200000));  // several blocks
    const TableComparison same = compared(a, a, {});
    QVERIFY(same.inside());
    QCOMPARE(same.channels[0].rows, std::uint64_t{200000});
    QCOMPARE(same.channels[0].largest, 0.0);
  }

  /// One row of 200,000 differs, by its last bit.
  void oneBitIsOutside() {
    std::vector<double> x = noiseRows(1, 200000);
    const Table a = comparedTable(x);
    x[131072] = std::nextafter(x[131072], 10.0);
    const ChannelComparison found = comparedOne(a, comparedTable(x));
    QCOMPARE(found.outcome, Outcome::outside);
    QCOMPARE(found.outside_rows, std::uint64_t{1});
    compare(found.first_at_s, 131.072, 1e-9, "time");
    QCOMPARE(found.first_b, x[131072]);
  }

  void absoluteTolerance() {
    const std::vector<double> x = sineRows(1.0, 3.0, 1000.0, 1000);
    const Table a = comparedTable(x), b = comparedTable(moved(x, 0.25));
    QCOMPARE(comparedOne(a, b, {0.2501}).outcome, Outcome::inside);
    const ChannelComparison found = comparedOne(a, b, {0.2499});
    QCOMPARE(found.outcome, Outcome::outside);
    compare(found.largest, 0.25, 1e-12, "largest");
    QCOMPARE(found.outside_rows, std::uint64_t{1000});
  }

  /// The share is one of the largest magnitude in the first record: 4.
  void relativeTolerance() {
    const std::vector<double> x{0.0, -4.0, 1.0, 2.0};
    const Table a = comparedTable(x), b = comparedTable({0.0, -4.0, 1.0, 2.39});
    QCOMPARE(comparedOne(a, b, {0.0, 0.1}).outcome, Outcome::inside);
    const ChannelComparison found = comparedOne(a, b, {0.0, 0.09});
    QCOMPARE(found.outcome, Outcome::outside);
    compare(found.tolerance, 0.36, 1e-15, "tolerance");
    compare(found.first_at_s, 0.003, 1e-15, "time");
    QCOMPARE(found.first_a, 2.0);
    QCOMPARE(found.first_b, 2.39);
    QCOMPARE(comparedOne(b, a, {0.02, 0.095}).outcome, Outcome::inside);  // both add up
  }

  void timeTolerance_data() {
    QTest::addColumn<double>("late_rows");
    for (const double late : {3.0, 0.5, -2.25}) QTest::addRow("%g rows", late) << late;
  }
  /// A line that comes late: inside with that much time, outside with a little less, over several blocks.
  void timeTolerance() {
    QFETCH(double, late_rows);
    std::vector<double> a, b;
    for (int k = 0; k < 140000; ++k) {
      a.push_back(0.01 * k);
      b.push_back(0.01 * (k - late_rows));
    }
    for (std::size_t k = 0; k < 10; ++k) a[k] = a[a.size() - 1 - k] = std::nan("");  // the range of b ends there
    const double time_s = std::abs(late_rows) / 1000.0;
    const auto outcome = [&](double tolerance_s) {
      return comparedOne(comparedTable(a), comparedTable(b), {1e-9, 0.0, tolerance_s});
    };
    QCOMPARE(outcome(time_s).outcome, Outcome::inside);
    QCOMPARE(outcome(0.9 * time_s).outcome, Outcome::outside);
    QVERIFY(outcome(0.9 * time_s).outside_rows > 139000);
    compare(outcome(0.9 * time_s).largest, 0.1 * 0.01 * std::abs(late_rows), 1e-6, "what is left");
  }

  void whatIsNotAligned() {
    const std::vector<double> x = noiseRows(1, 100);
    const Table a = comparedTable(x);
    const auto why = [&](const Table& b, const CompareTolerance& tolerance = {}) {
      const ChannelComparison found = comparedOne(a, b, tolerance);
      return found.outcome == Outcome::not_aligned ? found.why : std::string();
    };
    QCOMPARE(why(comparedTable(x, 500.0)), std::string("The rates are 1000 Hz and 500 Hz."));
    QCOMPARE(why(comparedTable(x, 1000.0, "N")), std::string("The units are m and N."));
    QCOMPARE(why(comparedTable(x, 0.0)), std::string("One of the records has no rate."));
    std::vector<double> shorter(x.begin(), x.begin() + 98);
    QCOMPARE(why(comparedTable(shorter)), std::string("The lengths are 0.1 s and 0.098 s."));
    QCOMPARE(why(comparedTable(shorter), {0.0, 0.0, 0.002}), std::string());
    QCOMPARE(why(comparedTable(std::vector<double>(100, std::nan("")))),
             std::string("The records have no row in which both have a value."));
    const TableComparison other = compared(a, columnsTable(1000.0, {{"gap_2", "m", x}}), {});
    QCOMPARE(other.channels.size(), std::size_t{2});
    QCOMPARE(other.channels[0].why, std::string("Only the first record has this channel."));
    QCOMPARE(other.channels[1].why, std::string("Only the second record has this channel."));
    QVERIFY(!other.inside());
  }

  void rowsThatOneRecordMissesAreCounted() {
    std::vector<double> x = noiseRows(1, 100), y = x;
    x[3] = x[4] = y[4] = y[50] = std::nan("");
    const ChannelComparison found = comparedOne(comparedTable(x), comparedTable(y));
    QCOMPARE(found.outcome, Outcome::inside);
    QCOMPARE(found.missing_in_one, std::uint64_t{2});
    QCOMPARE(found.rows, std::uint64_t{97});
  }

  void badRequests() {
    const Table a = comparedTable(noiseRows(1, 10));
    EXPECT_ISSUE(issuesOf([&] { compared(a, a, {}, {"gap_3"}); }), "gap_3", "not a channel");
    EXPECT_ISSUE(issuesOf([&] { compared(a, a, {-1.0}); }), "tolerance-absolute", "at least 0");
    EXPECT_ISSUE(issuesOf([&] { compared(a, a, {0.0, std::nan("")}); }), "tolerance-relative", "at least 0");
    EXPECT_ISSUE(issuesOf([&] { compared(a, a, {0.0, 0.0, -0.1}); }), "tolerance-time", "at least 0");
  }
};

HYB_SUITE(compare_tables, CompareTablesTest)
#include "compare_test.moc"
