#include "hardware/program_site.h"

#include <chrono>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/coupling/external_target.h"
#include "tests/support/led_bench.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;
using namespace std::chrono_literals;

namespace {

constexpr double kStiffness = LedBench::kStiffness;

/// A bench for OpenSees: an ideal actuator, with a ramp and some settling.
struct Bench : LedBench {
  explicit Bench(std::size_t interfaces, SiteFaultAnswer on_fault = SiteFaultAnswer::nan)
      : LedBench(interfaces, siteOf(interfaces, on_fault), [interfaces](std::shared_ptr<TargetExchange> targets) {
          return makeExternalTarget(std::vector<Dof>(interfaces), {3, 2}, 1e-3, makeNoCompensator(),
                                    std::move(targets));
        }) {}
  static SiteSpec siteOf(std::size_t interfaces, SiteFaultAnswer on_fault) {
    SiteSpec site;
    site.stiffness_n_per_m.assign(interfaces * interfaces, kStiffness);
    site.on_fault = on_fault;
    return site;
  }
};

/// A client of n degrees of freedom in the manner of OpenSees.
struct Client : LedClient {
  Client(const Bench& bench, int n, int length) : LedClient(bench) {
    sendSizes({n, n, n, 0, 1, 0, 0, 0, n, 0, length});
  }
};

}  // namespace

class TestOpenSeesSite : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void displacementsInForcesOut_data() {
    QTest::addColumn<int>("n");
    QTest::addColumn<int>("length");
    QTest::newRow("1") << 1 << 256;
    QTest::newRow("2") << 2 << 256;
    QTest::newRow("17") << 17 << 289;
  }
  void displacementsInForcesOut() {
    QFETCH(int, n);
    QFETCH(int, length);
    Bench bench(static_cast<std::size_t>(n));
    Client client(bench, n, length);
    client.request({3.0});  // as OpenSees does when the element is made
    for (int step = 1; step <= 20; ++step) {
      std::vector<double> trial = {3.0};
      for (int i = 0; i < n; ++i) trial.push_back(1e-3 * step + 1e-4 * i);
      client.request(trial);
      const std::vector<double> force = client.ask({10.0});
      QCOMPARE(force.size(), static_cast<std::size_t>(length));
      for (int i = 0; i < n; ++i)
        QVERIFY(std::abs(force[static_cast<std::size_t>(i)] - kStiffness * trial[static_cast<std::size_t>(i) + 1]) <
                1e-9);
      QCOMPARE(client.ask({10.0}), force);  // asked again: the same, from what is known
      QCOMPARE(client.ask({13.0})[0], kStiffness);
      QCOMPARE(client.ask({14.0})[0], 0.0);
      client.request({5.0});
    }
    client.request({99.0});
    QTRY_VERIFY_WITH_TIMEOUT(bench.exchange->finished.load(), kHangs_ms);
    client.close();
    QTRY_VERIFY_WITH_TIMEOUT(!bench.server->connected(), kHangs_ms);
    QVERIFY(has(bench.remarks(), "client connected"));
    QCOMPARE(bench.allocations.load(), std::uint64_t{0});
  }

  /// A pause of the test is a reply that comes later.
  void aHoldWithholdsTheReply() {
    Bench bench(1);
    Client client(bench, 1, 256);
    QCOMPARE(client.ask({10.0})[0], 0.0);
    bench.hold = true;
    client.request({3.0, 0.01});
    client.request({10.0});
    QTRY_VERIFY_WITH_TIMEOUT(bench.exchange->asked.load() > bench.exchange->answered.load(), kHangs_ms);  // it has come
    QVERIFY(client.reply(0ms).empty());
    bench.hold = false;
    QVERIFY(std::abs(client.reply()[0] - 0.01 * kStiffness) < 1e-9);
  }

  void afterAFaultTheClientGetsNoNumbers() {
    Bench bench(1);
    Client client(bench, 1, 256);
    bench.hold = true;
    client.request({3.0, 0.01});
    client.request({10.0});
    bench.exchange->over = true;
    bench.exchange->changed();
    QVERIFY(std::isnan(client.reply()[0]));
    QVERIFY(std::isnan(client.ask({13.0})[0]));
  }

  void afterAFaultTheClientMayGetSilence() {
    Bench bench(1, SiteFaultAnswer::silence);
    Client client(bench, 1, 256);
    QCOMPARE(client.ask({10.0})[0], 0.0);
    bench.exchange->over = true;
    bench.exchange->changed();
    client.request({10.0});
    QVERIFY(client.reply(100ms).empty());
  }

  void aTargetThatIsNoNumberNeverBecomesACommand() {
    Bench bench(1);
    Client client(bench, 1, 256);
    client.request({3.0, std::numeric_limits<double>::quiet_NaN()});
    QTRY_VERIFY_WITH_TIMEOUT(bench.target_was_no_number.load(), kHangs_ms);
    QVERIFY(!bench.command_was_no_number);
  }

  void aClientThatGoesEarlyEndsTheTest() {
    Bench bench(1);
    {
      Client client(bench, 1, 256);
      QCOMPARE(client.ask({10.0})[0], 0.0);
    }
    QTRY_VERIFY_WITH_TIMEOUT(bench.exchange->finished.load(), kHangs_ms);
    QVERIFY(bench.exchange->abandoned && bench.scheme->director()->ends() == EndReason::client_lost);
    QTRY_VERIFY_WITH_TIMEOUT(!bench.server->connected(), kHangs_ms);
  }

  /// Refused clients do not end the test; the next one is served.
  void afterARefusedClientComesTheNext() {
    Bench bench(1);
    {
      Client wrong(bench, 3, 256);
      QTRY_VERIFY_WITH_TIMEOUT(has(bench.remarks(), "client refused"), kHangs_ms);
      wrong.request({10.0});
      QVERIFY(wrong.reply(100ms).empty());
    }
    Client client(bench, 1, 256);
    client.request({3.0, 0.01});
    QVERIFY(std::abs(client.ask({10.0})[0] - 0.01 * kStiffness) < 1e-9);
    QVERIFY(!bench.exchange->finished);
  }

  void unknownActionsAreTold() {
    Bench bench(1);
    Client client(bench, 1, 256);
    for (const double code : {4.1, 4.2, 4.3}) client.request({code});
    QTRY_VERIFY_WITH_TIMEOUT(has(bench.remarks(), "out of step"), kHangs_ms);
    client.request({10.0});
    QVERIFY(client.reply(100ms).empty());
  }

  /// Write, write, read with Nagle's algorithm on: 40 ms a step where the server does not acknowledge at once.
  void stepsAreQuick() {
    Bench bench(1);
    Client client(bench, 1, 256);
    const auto began = std::chrono::steady_clock::now();
    constexpr int kSteps = 1000;
    for (int step = 0; step < kSteps; ++step) {
      client.request({3.0, 1e-6 * step});
      QVERIFY(!client.ask({10.0}).empty());
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    qInfo("%d steps in %.3f s", kSteps, took.count());
  }

  void aPortThatIsTakenIsToldInWords() {
    Bench bench(1);
    SiteSpec site;
    site.listen = bench.server->address();
    QVERIFY_THROWS_EXCEPTION(DeviceError, makeProgramSite(site, bench.exchange));
  }
};

HYB_SUITE(opensees_site, TestOpenSeesSite)
HYB_THREADS(opensees_site)
#include "opensees_site_test.moc"
