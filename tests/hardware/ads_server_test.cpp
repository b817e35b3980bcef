/// The twin as a Beckhoff controller, driven by the product's own device.
#include "hardware/ads_server.h"

#include <cmath>

#include "core/base/error.h"
#include "hardware/ads_device.h"
#include "hardware/ads_frame.h"
#include "hardware/port.h"
#include "tests/hardware/polled_support.h"
#include "tests/support/ads_rig.h"
#include "tests/support/change_protocol.h"
#include "tests/support/polled_run.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

Json adsProject(bool named, const char* type) {
  // The clock of the test stands between two commands, and the cycle counter with it.
  const Json connection = {{"protocol", "ads"},
                           {"target_net_id", "5.1.2.3.1.1"},
                           {"reply_s", 60.0},
                           {"max_age_s", 60.0},
                           {"state_s", 0.01},
                           {"connect_s", 20.0},
                           {"task", 0},
                           {"watchdog", "MAIN.alive"},
                           {"stop_values", {{{"symbol", "MAIN.stop"}, {"plc_type", "BOOL"}, {"value", 1}}}}};
  int offset = 0;
  const auto own = [&](const std::string& name, bool) -> Json {
    if (named) return {{"symbol", "MAIN." + name}, {"plc_type", type}};
    return {{"index_group", 16448}, {"index_offset", 8 * offset++}, {"plc_type", type}};
  };
  return {{"connection", connection}, {"channels", polledChannels(own)}};
}

/// Requests by hand.
class HandAds {
 public:
  explicit HandAds(const std::string& address) : port_(openPort(parseAddress(address, ""), {}, kHangs_s)) {}
  void tell(const AdsBytes& bytes) { QVERIFY(port_->writeAll(bytes, std::chrono::milliseconds(kHangs_ms))); }
  /// The data of the answer; `head` has its errors.
  AdsBytes ask(const AdsRequest& request, const AmsAddress& target = {{{5, 1, 2, 3, 1, 1}}, 851}) {
    AdsBytes bytes;
    appendAmsFrame(target, {{{127, 0, 0, 1, 1, 1}}, 30000}, request, ++id, bytes);
    tell(bytes);
    const AdsBytes first = hear(kAmsTcpHeader);
    if (first.size() != kAmsTcpHeader) return {};
    const AdsBytes frame = hear(ads32(first, 2));
    if (frame.size() < kAmsHeader) return {};
    head = amsHead(frame);
    return {frame.begin() + kAmsHeader, frame.end()};
  }
  AmsHead head;
  std::uint32_t id = 0;

 private:
  AdsBytes hear(std::size_t count) {
    AdsBytes all;
    while (all.size() < count && port_->waitReadable(std::chrono::milliseconds(kHangs_ms))) {
      AdsBytes bytes(count - all.size());
      const Port::Result got = port_->read(bytes);
      if (got.closed) break;
      all.insert(all.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(got.bytes));
    }
    return all;
  }
  std::unique_ptr<Port> port_;
};

}  // namespace

class TestAdsServer : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aWholeRunIsThatOfTheTwin_data() {
    QTest::addColumn<bool>("named");
    QTest::addColumn<QByteArray>("type");
    QTest::addColumn<double>("resolution");
    QTest::newRow("variables by name") << true << QByteArray("LREAL") << 1e-12;
    QTest::newRow("index groups") << false << QByteArray("LREAL") << 1e-12;
    QTest::newRow("REAL") << true << QByteArray("REAL") << 1e-5;
  }
  void aWholeRunIsThatOfTheTwin() {
    QFETCH(bool, named);
    QFETCH(QByteArray, type);
    QFETCH(double, resolution);
    const ServedRunFindings run = runServed(adsProject(named, type.constData()), "tcp://127.0.0.1:0");
    QVERIFY2(run.result.reason == EndReason::completed, (run.result.stop_reason + run.log).c_str());
    QVERIFY(run.rows > 900 && run.largest_m > 1e-4);
    QVERIFY2(run.off < resolution, qPrintable(QString::number(run.off)));
    QVERIFY2(run.log.find("stopped: the bench stopped it") != std::string::npos, run.log.c_str());
  }

  /// The cycle of the task is the period of the rig, and its counter goes on.
  void theCycleOfItsTask() {
    ServedPolled served(adsRig("tcp://127.0.0.1:0"));
    const RigSpec rig = adsRig(served.address());
    const auto device = makeAdsDevice(rig, channelsOf(rig));
    device->open();
    for (int k = 0; k < 20; ++k) {
      QVERIFY(writeTo(*device, 1e-5 * k) == RigStatus::ok);
      QVERIFY2(readFrom(*device).status == RigStatus::ok, device->failure().c_str());
    }
    device->close();
    DeviceChannels fast = channelsOf(rig);
    fast.rate_hz = 2.0 * kServedRate_hz;
    try {
      makeAdsDevice(rig, fast)->open();
      QFAIL("faster than the task");
    } catch (const InputError& error) {
      QCOMPARE(error.issues().front().where, std::string("/loop/rate_hz"));
    }
  }

  void errorsOfTheProtocol() {
    ServedPolled served(adsRig("tcp://127.0.0.1:0"));
    HandAds bench(served.address());
    (void)bench.ask(AdsRequest::readState(), {{{5, 1, 2, 3, 9, 9}}, 851});
    QCOMPARE(bench.head.error, 7u);
    (void)bench.ask(AdsRequest::readState(), {{{5, 1, 2, 3, 1, 1}}, 852});
    QCOMPARE(bench.head.error, 6u);
    QCOMPARE(ads16(bench.ask(AdsRequest::readState()), 4), std::uint16_t{5});
    QCOMPARE(bench.head.error, 0u);
    QCOMPARE(bench.head.invoke_id, bench.id);
    const auto error = [&](const AdsRequest& request) { return ads32(bench.ask(request), 0); };
    const std::string name = "MAIN.none";
    const AdsBytes zero(1, 0), named(name.begin(), name.end());
    QCOMPARE(error(AdsRequest::readWrite(kAdsHandleByName, 0, 4, named)), 0x710u);
    QCOMPARE(error(AdsRequest::read(kAdsValueByHandle, 77, 8)), 0x710u);
    QCOMPARE(error(AdsRequest::read(0x4040, 0, 8)), 0x702u);
    QCOMPARE(error(AdsRequest::readWrite(0x1234, 0, 8, zero)), 0x702u);
    QCOMPARE(error(AdsRequest::readWrite(kAdsSumRead, 3, 8, zero)), 0x705u);
    QCOMPARE(error(AdsRequest::readWrite(kAdsSumWrite, 0xFFFFFFFF, 8, zero)), 0x705u);
    QCOMPARE(error(AdsRequest::readWrite(kAdsSumReadWrite, 1, 8, AdsBytes(16, 0xFF))), 0x705u);
    QCOMPARE(error({static_cast<AdsCommand>(6), AdsBytes(40, 0), 8, 0}), 0x701u);  // notifications
    bench.tell({'G', 'E', 'T', ' ', '/', ' ', 'H', 'T', 'T', 'P'});
    QTRY_VERIFY_WITH_TIMEOUT(served.said("ignored: a header that is not AMS/TCP"), kHangs_ms);
    QCOMPARE(ads16(bench.ask(AdsRequest::readState()), 4), std::uint16_t{5});
    QVERIFY(served.state() == ServedRig::State::ready);
  }

  /// A rig that stopped by itself is a PLC in STOP.
  void aStopOfItsOwn() {
    ServedPolled served(adsRig("tcp://127.0.0.1:0"));
    HandAds bench(served.address());
    const std::string name = "main.TARGET";
    const AdsBytes handle =
        bench.ask(AdsRequest::readWrite(kAdsHandleByName, 0, 4, AdsBytes(name.begin(), name.end())));
    QCOMPARE(handle.size(), std::size_t{12});
    const AdsPart target{kAdsValueByHandle, ads32(handle, 8), 8};
    const auto command = [&](double value) {
      AdsBytes bytes(8);
      std::memcpy(bytes.data(), &value, 8);
      return ads32(bench.ask(AdsRequest::sumWrite(std::span(&target, 1), bytes)), 8);
    };
    QCOMPARE(command(0.0), 0u);
    QVERIFY(served.state() == ServedRig::State::following);
    QCOMPARE(command(std::nan("")), 0u);
    QVERIFY(served.said("command is not a number"));
    QCOMPARE(ads16(bench.ask(AdsRequest::readState()), 4), std::uint16_t{6});
    QCOMPARE(command(0.0), 0x712u);
    QVERIFY(served.state() == ServedRig::State::stopped);
  }
};

HYB_SUITE(ads_server, TestAdsServer)
HYB_THREADS(ads_server)
#include "ads_server_test.moc"
