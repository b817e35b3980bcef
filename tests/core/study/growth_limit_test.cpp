#include <QTest>
#include <algorithm>
#include <iterator>

#include "tests/support/growth_draw.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

bool watchesGrowth(const std::string& name) {
  return std::ranges::any_of(templateDocument(name).at("safety").at("limits"),
                             [](const Json& limit) { return limit.at("quantity") == "energy-growth"; });
}

}  // namespace

/// A short form of tests/bench/growth_bench.cpp, with seeds of its own.
class GrowthLimitTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void unstableLoopsAreSeenBeforeALimit_data() {
    QTest::addColumn<int>("which");
    for (int i = 0; i < static_cast<int>(std::size(kGrowthCases)); ++i) QTest::newRow(kGrowthCases[i].name) << i;
  }
  void unstableLoopsAreSeenBeforeALimit() {
    QFETCH(const int, which);
    int unstable = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const GrowthDraw draw = drawGrowth(kGrowthCases[which], seed);
      const QByteArray told = QByteArray::number(1e3 * draw.delay_s) + " ms, seen at " +
                              QByteArray::number(draw.seen_s) + " s, limit at " + QByteArray::number(draw.limit_s);
      if (draw.kind == LoopKind::stable) QVERIFY2(!(draw.seen_s >= 0.0), told.constData());
      if (draw.kind != LoopKind::unstable) continue;
      ++unstable;
      QVERIFY2(draw.seen_s < draw.limit_s, told.constData());
    }
    QCOMPARE(unstable > 0, kGrowthCases[which].becomes_unstable);
  }

  void shorterTemplatesRaiseNoAlarm_data() {
    QTest::addColumn<QString>("name");
    for (const Template& one : templates()) {
      const double duration_s = templateDocument(one.name).at("loop").at("duration_s").get<double>();
      if (duration_s > 0.0 && duration_s <= 30.0 && watchesGrowth(one.name))
        QTest::newRow(one.name.c_str()) << QString::fromStdString(one.name);
    }
  }
  void shorterTemplatesRaiseNoAlarm() {
    QFETCH(const QString, name);
    const MemoryRun run = runStopping(templateDocument(name.toStdString()));
    QVERIFY2(run.stop_reason.find("energy growth") == std::string::npos, run.stop_reason.c_str());
  }
};

HYB_SUITE(growth_limit, GrowthLimitTest)
#include "growth_limit_test.moc"
