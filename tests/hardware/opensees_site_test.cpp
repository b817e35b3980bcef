#include "hardware/opensees_site.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <thread>

#include "core/base/allocation_guard.h"
#include "core/base/error.h"
#include "core/coupling/external_target.h"
#include "hardware/port.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"

using namespace hyb;
using hyb::test::kHangs_ms;
using namespace std::chrono_literals;

namespace {

constexpr double kStiffness = 2000.0;
constexpr auto kReplyWait = std::chrono::milliseconds(kHangs_ms);

/// A bench without a loop: a thread that ticks the scheme on an ideal actuator with a spring, one tick late.
class Bench {
 public:
  explicit Bench(std::size_t interfaces, SiteFaultAnswer on_fault = SiteFaultAnswer::nan)
      : exchange(std::make_shared<TargetExchange>(interfaces)), interfaces_(interfaces) {
    SiteSpec site;
    site.listen = "tcp://127.0.0.1:0";
    site.stiffness_n_per_m.assign(interfaces * interfaces, kStiffness);
    site.on_fault = on_fault;
    server = makeOpenSeesSite(site, exchange);
    scheme = makeExternalTarget(std::vector<Dof>(interfaces), {3, 2}, 1e-3, makeNoCompensator(), exchange);
    thread_ = std::thread([this] { tick(); });
  }
  ~Bench() {
    closing_ = true;
    thread_.join();
    server.reset();
  }

  std::unique_ptr<Port> connect() const { return openPort(parseAddress(server->address(), ""), SerialSpec(), 10.0); }
  std::vector<std::string> remarks() {
    const std::lock_guard lock(mutex_);
    return remarks_;
  }

  std::shared_ptr<TargetExchange> exchange;
  std::unique_ptr<ExternalSite> server;
  std::unique_ptr<CouplingScheme> scheme;
  std::atomic<bool> hold{false}, target_was_no_number{false}, command_was_no_number{false};
  std::atomic<std::uint64_t> allocations{0};

 private:
  void tick() {
    const auto n = static_cast<Eigen::Index>(interfaces_);
    RigState state{Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
    CouplingOutput output;
    output.target = output.target_rate = output.command.position = output.command.rate = state.measured;
    const ExcitationValue none;
    while (!closing_) {
      if (hold || exchange->idle()) {
        std::this_thread::sleep_for(50us);
        continue;
      }
      {
        const AllocationGuard guard;
        scheme->update(state, none, output);
        allocations += guard.count();
      }
      if (!output.target.allFinite()) target_was_no_number = true;
      if (!output.command.position.allFinite()) command_was_no_number = true;
      state.measured = output.command.position;
      state.force = -kStiffness * state.measured;
      const std::lock_guard lock(mutex_);
      for (Event event; scheme->director()->takeEvent(event);) remarks_.push_back(event.text.data());
      if (scheme->director()->ends() != EndReason::running) hold = true;
    }
  }

  std::size_t interfaces_;
  std::mutex mutex_;
  std::vector<std::string> remarks_;
  std::atomic<bool> closing_{false};
  std::thread thread_;
};

/// A client of n degrees of freedom in the manner of OpenSees.
class Client {
 public:
  Client(const Bench& bench, int n, int length) : port_(bench.connect()), length_(static_cast<std::size_t>(length)) {
    std::array<std::int32_t, 11> sizes = {n, n, n, 0, 1, 0, 0, 0, n, 0, length};
    send(sizes.data(), sizeof sizes);
  }
  void request(std::vector<double> values) {
    values.resize(length_, 0.0);
    send(values.data(), values.size() * sizeof(double));
  }
  /// The next reply; empty: none within `wait`.
  std::vector<double> reply(std::chrono::nanoseconds wait = kReplyWait) {
    std::vector<double> values(length_);
    std::span<std::uint8_t> rest(reinterpret_cast<std::uint8_t*>(values.data()), values.size() * sizeof(double));
    while (!rest.empty()) {
      if (!port_->waitReadable(wait)) return {};
      const Port::Result result = port_->read(rest);
      if (result.closed) return {};
      rest = rest.subspan(result.bytes);
    }
    return values;
  }
  std::vector<double> ask(std::vector<double> values) {
    request(std::move(values));
    return reply();
  }
  void close() { port_.reset(); }

 private:
  void send(const void* bytes, std::size_t count) {
    port_->writeAll({static_cast<const std::uint8_t*>(bytes), count}, kReplyWait);
  }
  std::unique_ptr<Port> port_;
  std::size_t length_;
};

bool has(const std::vector<std::string>& remarks, const std::string& part) {
  for (const std::string& remark : remarks)
    if (remark.find(part) != std::string::npos) return true;
  return false;
}

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
    QVERIFY_THROWS_EXCEPTION(DeviceError, makeOpenSeesSite(site, bench.exchange));
  }
};

HYB_SUITE(opensees_site, TestOpenSeesSite)
HYB_THREADS(opensees_site)
#include "opensees_site_test.moc"
