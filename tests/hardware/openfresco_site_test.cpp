#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/coupling/openfresco.h"
#include "core/project/coupling_schemes.h"
#include "hardware/conversation.h"
#include "tests/support/family_example.h"
#include "tests/support/led_bench.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr std::array<std::int32_t, 11> kOneAxis = {1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 256};

struct Laboratory : LedBench {
  explicit Laboratory(std::size_t interfaces = 1, int order = 2, int settle_ticks = 0)
      : LedBench(interfaces, {.conversation = "generic-tcp"}, [=](std::shared_ptr<TargetExchange> targets) {
          return makeOpenFresco(
              std::vector<Dof>(interfaces), {.step_ticks = 5, .order = order, .settle_ticks = settle_ticks}, 1e-3,
              makeNoCompensator(), std::move(targets), std::vector<TargetReach>(interfaces, {0.05, 1e9}));
        }) {}
};

/// A model in the manner of ECGenericTCP: it asks for measured values after each target.
struct FrescoModel : LedClient {
  explicit FrescoModel(const LedBench& bench, std::array<std::int32_t, 11> sizes = kOneAxis) : LedClient(bench) {
    sendSizes(sizes);
  }
  std::vector<double> step(std::vector<double> target) {
    target.insert(target.begin(), 3.0);
    request(target);
    target[0] = 6.0;
    return ask(target);
  }
};

}  // namespace

class TestOpenFrescoSite : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Each scheme that another program leads has its conversation, and each conversation its scheme.
  void everyConversationHasItsScheme() {
    std::vector<std::string> spoken, known;
    for (const CouplingEntry& entry : couplingSchemes()) {
      Json settings = exampleOf(branchOf("coupling", entry.name));
      if (settings.contains("stiffness_n_per_m")) settings["stiffness_n_per_m"] = {1.0};
      const CouplingSpecPtr spec = entry.parse(settings);
      if (const SiteSpec* const site = spec->site()) spoken.emplace_back(site->conversation);
    }
    for (const ConversationEntry& entry : conversations()) {
      known.emplace_back(entry.name);
      QVERIFY(entry.make({.stiffness_n_per_m = {1.0}}, 1) != nullptr);
    }
    QCOMPARE(spoken, known);
    QVERIFY_THROWS_EXCEPTION(std::logic_error, makeConversation({.conversation = "none"}, 1));
  }

  void targetsInMeasuredValuesOut_data() {
    QTest::addColumn<int>("n");
    QTest::newRow("1") << 1;
    QTest::newRow("6") << 6;
  }
  void targetsInMeasuredValuesOut() {
    QFETCH(int, n);
    Laboratory bench(static_cast<std::size_t>(n), 0, 2);
    FrescoModel model(bench, {n, 0, 0, 0, 0, n, 0, 0, n, 1, 256});
    for (int step = 0; step <= 20; ++step) {
      std::vector<double> target;
      for (int i = 0; i < n; ++i) target.push_back(1e-3 * step + 1e-4 * i * step);
      const std::vector<double> values = model.step(target);
      QCOMPARE(values.size(), std::size_t{256});
      for (int i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        QVERIFY(std::abs(values[at] - target[at]) < 1e-12);
        QVERIFY(std::abs(values[at + static_cast<std::size_t>(n)] - LedBench::kStiffness * target[at]) < 1e-9);
      }
      QVERIFY(values[2 * static_cast<std::size_t>(n)] > 0.0 || step == 0);  // time
      QCOMPARE(values[2 * static_cast<std::size_t>(n) + 1], 0.0);
    }
    model.request({99.0});
    QTRY_VERIFY(bench.exchange->finished.load());
    QVERIFY(!bench.exchange->abandoned);
    model.close();
    QTRY_VERIFY(!bench.server->connected());
    QVERIFY(has(bench.remarks(), "client connected: OpenFresco"));
    QCOMPARE(bench.allocations.load(), std::uint64_t{0});
  }

  void movingTargetsAreMetInMotion() {
    Laboratory bench;
    FrescoModel model(bench);
    for (int step = 1; step <= 40; ++step) {
      const double target = 1e-3 * std::sin(0.2 * step);
      const std::vector<double> values = model.step({target});
      QVERIFY(std::abs(values[0] - target) < 1e-4);  // the actuator is one tick of five behind
      QVERIFY(std::abs(values[1] - LedBench::kStiffness * values[0]) < 1e-9);
    }
  }

  /// The conversation before a test: init lines, zeros, `r` of the operator.
  void theOperatorMayRepeatTheFirstValues() {
    Laboratory bench;
    FrescoModel model(bench);
    std::vector<char> line(16385, 0);
    line[0] = 2;
    model.send(line.data(), line.size());
    for (int repeat = 0; repeat < 3; ++repeat) QCOMPARE(model.step({0.0})[0], 0.0);
    QVERIFY(std::abs(model.step({1e-3})[0] - 1e-3) < 4e-4);  // one tick behind a fast first step
    QTRY_VERIFY(has(bench.remarks(), "init file"));
  }

  void targetsBeyondTheLimitsAreAnswered() {
    Laboratory bench(1, 0, 2);
    FrescoModel model(bench);
    QVERIFY(std::abs(model.step({0.02})[0] - 0.02) < 1e-12);
    QVERIFY(std::abs(model.step({0.06})[0] - 0.02) < 1e-12);
    QTRY_VERIFY(has(bench.remarks(), "target of interface 1 refused: 60 mm, allowed 50 mm; the bench holds"));
    QVERIFY(std::abs(model.step({0.03})[0] - 0.03) < 1e-12);
  }

  void aTargetThatIsNoNumberNeverBecomesACommand() {
    Laboratory bench;
    FrescoModel model(bench);
    model.request({3.0, std::numeric_limits<double>::quiet_NaN()});
    QTRY_VERIFY(bench.target_was_no_number.load());
    QVERIFY(!bench.command_was_no_number);
  }

  void afterTheEndTheModelGetsNoNumbers() {
    Laboratory bench;
    FrescoModel model(bench);
    QVERIFY(std::abs(model.step({1e-3})[0]) > 0.0);
    bench.exchange->over = true;
    bench.exchange->changed();
    QVERIFY(std::isnan(model.step({2e-3})[0]));
  }

  void aModelThatDiesIsTold_data() {
    QTest::addColumn<int>("bytes");
    QTest::addColumn<QString>("said");
    QTest::newRow("between blocks") << 0 << "client left without ending the session";
    QTest::newRow("in a block") << 1000 << "in the middle of a block (1000 bytes)";
    QTest::newRow("in an init line") << 3 << "in the middle of a block (3 bytes)";
  }
  void aModelThatDiesIsTold() {
    QFETCH(int, bytes);
    QFETCH(QString, said);
    Laboratory bench;
    {
      FrescoModel model(bench);
      QVERIFY(!model.step({1e-3}).empty());
      std::vector<char> rest(static_cast<std::size_t>(bytes), 0);
      if (bytes == 3) rest[0] = 2;
      if (bytes > 0) model.send(rest.data(), rest.size());
    }
    QTRY_VERIFY(bench.exchange->finished.load());
    QVERIFY(bench.exchange->abandoned && bench.scheme->director()->ends() == EndReason::client_lost);
    QTRY_VERIFY(has(bench.remarks(), said.toStdString()));
  }

  /// It is killed while it waits for measured values: the answer that nobody takes must not look like an end.
  void aModelThatDiesWhileItWaitsIsLost() {
    Laboratory bench;
    {
      FrescoModel model(bench);
      QVERIFY(!model.step({1e-3}).empty());
      bench.hold = true;
      model.request({3.0, 2e-3});
      model.request({6.0, 2e-3});
      QTRY_VERIFY(bench.exchange->asked.load() > bench.exchange->answered.load());
    }
    bench.hold = false;
    QTRY_VERIFY(bench.exchange->finished.load());
    QVERIFY(bench.exchange->abandoned);
  }

  void refusedModelsAreClosedAndTheNextIsServed_data() {
    QTest::addColumn<QList<int>>("sizes");
    QTest::addColumn<QString>("said");
    QTest::newRow("sizes") << QList<int>{3, 0, 0, 0, 0, 3, 0, 0, 3, 0, 256}
                           << "it sends 3 displacements, the cut has 1";
    QTest::newRow("big-endian") << QList<int>{16777216, 0, 0, 0, 0, 16777216, 0, 0, 16777216, 0, 65536} << "big-endian";
  }
  void refusedModelsAreClosedAndTheNextIsServed() {
    QFETCH(QList<int>, sizes);
    QFETCH(QString, said);
    Laboratory bench;
    {
      LedClient wrong(bench);
      wrong.send(std::vector<std::int32_t>(sizes.begin(), sizes.end()).data(), 44);
      QVERIFY(wrong.isClosed());
    }
    QTRY_VERIFY(has(bench.remarks(), said.toStdString()));
    FrescoModel model(bench);
    QVERIFY(!model.step({1e-3}).empty());
    QVERIFY(!bench.exchange->finished);
  }

  void halfOfTheSizesEndNothing() {
    Laboratory bench;
    {
      LedClient half(bench);
      half.send(kOneAxis.data(), 20);
    }
    QTRY_VERIFY(has(bench.remarks(), "client left after 20 bytes, before its sizes were complete"));
    FrescoModel model(bench);
    QVERIFY(!model.step({1e-3}).empty());
    QVERIFY(!bench.exchange->finished);
  }

  void unknownCodesAreTold() {
    Laboratory bench;
    FrescoModel model(bench);
    QVERIFY(!model.step({1e-3}).empty());
    for (const double code : {10.0, 12.0, 7.0}) model.request({code});
    QTRY_VERIFY(has(bench.remarks(), "out of step"));
    QVERIFY(!bench.exchange->finished);
    model.close();
    QTRY_VERIFY(bench.exchange->abandoned.load());
  }
};

HYB_SUITE(openfresco_site, TestOpenFrescoSite)
HYB_THREADS(openfresco_site)
#include "openfresco_site_test.moc"
