#include "hardware/ads_device.h"

#include <cmath>

#include "core/base/error.h"
#include "tests/hardware/polled_support.h"
#include "tests/support/ads_partner.h"
#include "tests/support/ads_rig.h"
#include "tests/support/change_protocol.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;
using AdsMode = AdsPartner::Mode;

namespace {

std::string adsRefusal(const RigSpec& rig, double rate_hz = 100.0) {
  try {
    DeviceChannels channels = channelsOf(rig);
    channels.rate_hz = rate_hz;
    makeAdsDevice(rig, channels)->open();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

bool says(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

/// An open device that has moved to 0.25.
struct MovedAds {
  explicit MovedAds(AdsPartner& partner, double reply_s = 5.0, double state_s = 10.0, double max_age_s = 10.0,
                    double connect_s = 2.0) {
    rig = adsRig(partner.address());
    rig.connection.connect_s = connect_s;
    {
      Change<AdsSpec> change(rig.connection);
      change->reply_s = reply_s;
      change->state_s = state_s;
      change->max_age_s = max_age_s;
    }
    device = makeAdsDevice(rig, channelsOf(rig));
    device->open();
    moves = comesTrue([&] {
      (void)writeTo(*device, 0.25);
      return readFrom(*device).values[1] == 0.25 || !device->failure().empty();
    });
  }
  /// Ticks until the device is in fault or has lost its link.
  bool ends() {
    return comesTrue([&] {
      (void)writeTo(*device, 0.5);
      (void)readFrom(*device);
      return !device->failure().empty();
    });
  }
  RigSpec rig;
  std::unique_ptr<Device> device;
  bool moves = false;
};

}  // namespace

class TestAdsDevice : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// One sum write and one sum read in each tick, sent together: this controller answers neither alone.
  void oneExchangeMovesAndReads() {
    AdsPartner partner;
    const RigSpec rig = adsRig(partner.address());
    const auto device = makeAdsDevice(rig, channelsOf(rig));
    device->open();
    QCOMPARE(readFrom(*device).values[1], 0.0);
    QTRY_COMPARE_WITH_TIMEOUT(device->link().received.load(), std::uint64_t{1}, kHangs_ms);  // for the next reading
    QCOMPARE(partner.sum_writes.load(), 0);                                                  // opening moves nothing
    partner.answers_together = true;
    const int before = partner.requests;
    for (int k = 0; k < 50; ++k) {
      const double x = 0.1 * std::sin(0.2 * k);
      QVERIFY(writeTo(*device, x) == RigStatus::ok);
      const Reading reading = readFrom(*device);
      QVERIFY2(reading.status == RigStatus::ok, device->failure().c_str());
      QCOMPARE(reading.values[1], x);
      QCOMPARE(reading.values[0], AdsPartner::kStiffness * x);
    }
    QCOMPARE(partner.requests - before, 100);
    QCOMPARE(partner.sum_writes.load(), 50);
    QCOMPARE(partner.alive.load(), std::uint32_t{50});
    QCOMPARE(device->link().errors(), std::uint64_t{0});
    partner.answers_together = false;
    device->safeStop();
    QTRY_VERIFY_WITH_TIMEOUT(partner.stopped.load(), kHangs_ms);
    device->close();
    QCOMPARE(device->failure(), std::string());
    QTRY_COMPARE_WITH_TIMEOUT(partner.handles_out.load(), 0, kHangs_ms);
  }

  void placesWithoutANameAreReadBesideSymbols() {
    AdsPartner partner;
    RigSpec rig = adsRig(partner.address());
    Change<AdsSpec>(rig.connection)->channels[2] = {"", 0x4040, 16, PlcType::lreal};
    const auto device = makeAdsDevice(rig, channelsOf(rig));
    device->open();
    (void)writeTo(*device, 0.5);
    const Reading reading = readFrom(*device);
    QCOMPARE(reading.values[1], 0.5);
    QCOMPARE(reading.values[0], 500.0);
  }

  void aTickAllocatesNothingAndNeverWaits() {
    AdsPartner partner;
    RigSpec rig = adsRig(partner.address());
    Change<AdsSpec>(rig.connection)->reply_s = 3.0;
    const auto device = makeAdsDevice(rig, channelsOf(rig, true));
    device->open();
    partner.mode = AdsMode::silent;
    ticksNeitherAllocateNorWait(*device);
    partner.mode = AdsMode::good;
  }

  void whatIsNoAnswerLosesTheLink_data() {
    QTest::addColumn<int>("mode");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, AdsMode mode, const char* reason) {
      QTest::newRow(name) << static_cast<int>(mode) << reason;
    };
    row("nothing", AdsMode::silent, "no answer within");
    row("wrong invoke ids", AdsMode::wrong_id, "another invoke id");
    row("wrong length", AdsMode::wrong_length, "the answer has a wrong length, 31 bytes instead of 32");
    row("wrong length in the header", AdsMode::wrong_header, "its header says");
    row("half a frame", AdsMode::half_frame, "closed by the controller");
    row("closed", AdsMode::closes, "end it (TwinCAT");
    row("nonsense", AdsMode::nonsense, "no AMS frame");
    row("AMS error", AdsMode::ams_error, "ADS error 0x703");
    row("ADS error", AdsMode::device_error, "ADS error 0x703");
    row("error of a value", AdsMode::part_error, "cannot read MAIN.force");
    row("refused command", AdsMode::refuses_writes, "cannot write MAIN.target");
  }
  void whatIsNoAnswerLosesTheLink() {
    QFETCH(int, mode);
    QFETCH(QString, reason);
    AdsPartner partner;
    const auto kind = static_cast<AdsMode>(mode);
    const bool waits = kind == AdsMode::silent || kind == AdsMode::wrong_id;
    MovedAds moved(partner, waits ? 0.5 : 5.0, 10.0, 10.0, 0.2);
    QVERIFY2(moved.moves, moved.device->failure().c_str());
    if (kind == AdsMode::ams_error || kind == AdsMode::device_error) partner.error = 0x703;
    partner.mode = kind;
    QVERIFY(ticksUntil(*moved.device, RigStatus::link_lost));
    QVERIFY2(says(moved.device->failure(), qPrintable(reason)), moved.device->failure().c_str());
    QVERIFY(writeTo(*moved.device, 0.5) == RigStatus::link_lost);
    QVERIFY(moved.device->link().errors() >= 3);
  }

  /// The answer to the first request comes just before that to the next one.
  void aLateAnswerIsDropped() {
    AdsPartner partner;
    MovedAds moved(partner, 0.5);
    QVERIFY2(moved.moves, moved.device->failure().c_str());
    partner.once = true;
    partner.mode = AdsMode::late;
    bool first_seen = false;
    QVERIFY(comesTrue([&] {
      (void)writeTo(*moved.device, 0.5);
      const Reading reading = readFrom(*moved.device);
      first_seen = first_seen || (reading.values[1] != 0.25 && reading.values[1] != 0.5);
      return reading.values[1] == 0.5 || !moved.device->failure().empty();
    }));
    QVERIFY(!first_seen);
    QCOMPARE(moved.device->failure(), std::string());
  }

  void whatIsNoAnswerAtAllIsPassedOver() {
    AdsPartner partner;
    MovedAds moved(partner);
    QVERIFY2(moved.moves, moved.device->failure().c_str());
    partner.mode = AdsMode::notifies;
    for (int k = 0; k < 20; ++k) {
      (void)writeTo(*moved.device, 0.01 * k);
      QCOMPARE(readFrom(*moved.device).values[1], 0.01 * k);
    }
    QCOMPARE(moved.device->link().errors(), std::uint64_t{0});
  }

  void aPlcThatDoesNotRunIsAFault_data() {
    QTest::addColumn<int>("state");
    QTest::addColumn<QString>("reason");
    QTest::newRow("STOP") << 6 << "is in STOP, not in RUN; start the PLC program";
    QTest::newRow("CONFIG") << 15 << "is in CONFIG, not in RUN; restart TwinCAT in RUN mode";
    QTest::newRow("EXCEPTION") << 19 << "is in EXCEPTION, not in RUN";
  }
  void aPlcThatDoesNotRunIsAFault() {
    QFETCH(int, state);
    QFETCH(QString, reason);
    AdsPartner partner;
    MovedAds moved(partner, 5.0, 1e-4);
    QVERIFY2(moved.moves, moved.device->failure().c_str());
    QVERIFY(partner.states > 1);  // asked again and again
    partner.state = static_cast<std::uint16_t>(state);
    QVERIFY(ticksUntil(*moved.device, RigStatus::fault));
    moved.device->close();
    QVERIFY2(says(moved.device->failure(), qPrintable(reason)), moved.device->failure().c_str());
    // The values are taken, but a PLC that does not run obeys nothing.
    QVERIFY2(says(moved.device->failure(), "did not confirm it"), moved.device->failure().c_str());
    QVERIFY2(says(adsRefusal(moved.rig), qPrintable(reason)), adsRefusal(moved.rig).c_str());
  }

  void aRuntimeThatGoesIsNamed() {
    AdsPartner partner;
    MovedAds moved(partner);
    QVERIFY2(moved.moves, moved.device->failure().c_str());
    partner.twincat_state = 15;
    partner.has_runtime = false;
    QVERIFY(ticksUntil(*moved.device, RigStatus::fault));
    moved.device->close();
    for (const char* said : {"ADS error 0x6 (6): target port not found", "TwinCAT is in CONFIG", "did not accept"})
      QVERIFY2(says(moved.device->failure(), said), moved.device->failure().c_str());
  }

  void aChangedProgramIsAFault_data() {
    QTest::addColumn<bool>("by_version");
    QTest::newRow("symbol version") << true;
    QTest::newRow("stale handle") << false;
  }
  void aChangedProgramIsAFault() {
    QFETCH(bool, by_version);
    AdsPartner partner;
    MovedAds moved(partner, 5.0, by_version ? 1e-4 : 10.0);
    QVERIFY2(moved.moves, moved.device->failure().c_str());
    if (by_version)
      partner.version = 4;
    else
      partner.stale_with = 0x711;
    QVERIFY(ticksUntil(*moved.device, RigStatus::fault));
    QVERIFY2(says(moved.device->failure(), "the PLC program was changed during the test"),
             moved.device->failure().c_str());
  }

  void handlesAreFetchedAgain_data() {
    QTest::addColumn<bool>("closed");
    QTest::addColumn<bool>("version");
    QTest::newRow("handles lost") << false << true;
    QTest::newRow("connection broken") << true << true;
    QTest::newRow("without a symbol version") << true << false;
  }
  /// With the same program, the test goes on after one failed exchange.
  void handlesAreFetchedAgain() {
    QFETCH(bool, closed);
    QFETCH(bool, version);
    AdsPartner partner;
    partner.has_version = version;
    MovedAds moved(partner, 5.0, 10.0, 10.0, 60.0);
    QVERIFY2(moved.moves, moved.device->failure().c_str());
    if (closed) {
      partner.once = true;
      partner.mode = AdsMode::closes;
    }
    partner.forgetHandles();
    QVERIFY(comesTrue([&] {
      (void)writeTo(*moved.device, 0.5);
      return readFrom(*moved.device).values[1] == 0.5 || !moved.device->failure().empty();
    }));
    QCOMPARE(moved.device->failure(), std::string());
    QCOMPARE(moved.device->link().errors(), std::uint64_t{1});
    QCOMPARE(partner.connections.load(), closed ? 2 : 1);
    moved.device->close();
    QVERIFY(partner.stopped);
    QCOMPARE(moved.device->failure(), std::string());
  }

  /// A variable that is gone: its handle cannot be fetched, but the stop gets through.
  void aStopNeedsNoHandleButItsOwn() {
    AdsPartner partner;
    MovedAds moved(partner);
    QVERIFY2(moved.moves, moved.device->failure().c_str());
    partner.hideSymbol("MAIN.force");
    partner.forgetHandles();
    QVERIFY(ticksUntil(*moved.device, RigStatus::link_lost));
    moved.device->close();
    for (const char* said : {"no handle of MAIN.force: ADS error 0x710", "the device confirmed the stop"})
      QVERIFY2(says(moved.device->failure(), said), moved.device->failure().c_str());
    QVERIFY(partner.stopped);
  }

  void aRestartIsAFault() {
    AdsPartner partner;
    MovedAds moved(partner);
    for (int k = 0; k < 5; ++k) {
      (void)writeTo(*moved.device, 0.25);
      (void)readFrom(*moved.device);
    }
    partner.restart();
    QVERIFY(ticksUntil(*moved.device, RigStatus::fault));
    QVERIFY2(says(moved.device->failure(), "PLC task 1 has started again"), moved.device->failure().c_str());
  }

  void aCycleThatStandsStillIsAFault() {
    AdsPartner partner;
    MovedAds moved(partner, 5.0, 10.0, 0.05);
    QVERIFY2(moved.moves, moved.device->failure().c_str());
    partner.counts = false;
    QVERIFY(moved.ends());
    QVERIFY2(says(moved.device->failure(), "PLC task 1 has stopped: its cycle counter has stayed at"),
             moved.device->failure().c_str());
  }

  void aLoopFasterThanTheTaskIsRefused() {
    AdsPartner partner;
    partner.cycle_time_100ns = 100'000;  // 10 ms
    RigSpec rig = adsRig(partner.address());
    QVERIFY2(adsRefusal(rig, 100.0).empty(), adsRefusal(rig, 100.0).c_str());
    const std::string said = adsRefusal(rig, 101.0);
    QVERIFY2(said.find("/loop/rate_hz") == 0 && says(said, "at most 100 Hz"), said.c_str());
    Change<AdsSpec>(rig.connection)->task = 0;
    QVERIFY(adsRefusal(rig, 101.0).empty());
  }

  /// The answer takes an hour; the stop does not. The partner goes first: that ends a wait which should not be.
  void aStopWaitsForNoAnswer() {
    std::unique_ptr<Device> device;
    AdsPartner partner;
    RigSpec rig = adsRig(partner.address());
    Change<AdsSpec>(rig.connection)->reply_s = 3600.0;
    device = makeAdsDevice(rig, channelsOf(rig, true));
    device->open();
    const int before = partner.requests;
    partner.mode = AdsMode::silent;
    (void)writeTo(*device, 0.25);
    QTRY_VERIFY_WITH_TIMEOUT(partner.requests > before, kHangs_ms);
    partner.mode = AdsMode::good;
    device->safeStop();
    QTRY_VERIFY_WITH_TIMEOUT(partner.stopped.load(), kHangs_ms);
    device->close();
    QCOMPARE(device->failure(), std::string());
  }

  void aStopIsConfirmedByItsAnswerOnly_data() {
    QTest::addColumn<int>("mode");
    QTest::addColumn<QString>("reason");
    QTest::newRow("silence") << static_cast<int>(AdsMode::silent) << "did not confirm it";
    QTest::newRow("refused") << static_cast<int>(AdsMode::refuses_writes) << "did not accept the stop";
    QTest::newRow("wrong invoke id") << static_cast<int>(AdsMode::wrong_id) << "did not confirm it";
  }
  void aStopIsConfirmedByItsAnswerOnly() {
    QFETCH(int, mode);
    QFETCH(QString, reason);
    AdsPartner partner;
    MovedAds moved(partner, 0.2);
    QVERIFY2(moved.moves, moved.device->failure().c_str());
    partner.mode = static_cast<AdsMode>(mode);
    moved.device->close();
    QVERIFY2(says(moved.device->failure(), qPrintable(reason)), moved.device->failure().c_str());
  }

  /// No route: the controller closes the connection, says nothing, or does not know the target.
  void aMissingRouteIsTold_data() {
    QTest::addColumn<int>("mode");
    QTest::addColumn<QString>("target");
    QTest::newRow("closed") << static_cast<int>(AdsMode::closes) << "5.1.2.3.1.1";
    QTest::newRow("silence") << static_cast<int>(AdsMode::silent) << "5.1.2.3.1.1";
    QTest::newRow("other NetId") << static_cast<int>(AdsMode::good) << "5.1.2.3.1.2";
  }
  void aMissingRouteIsTold() {
    QFETCH(int, mode);
    QFETCH(QString, target);
    AdsPartner partner;
    partner.mode = static_cast<AdsMode>(mode);
    RigSpec rig = adsRig(partner.address());
    rig.connection.connect_s = 0.3;
    {
      Change<AdsSpec> change(rig.connection);
      change->reply_s = mode == static_cast<int>(AdsMode::good) ? 5.0 : 0.1;
      change->target_net_id = target.toStdString();
    }
    const std::string said = adsRefusal(rig);
    for (const char* words : {"add a static route", "AMS NetId 127.0.0.1.1.1", "address 127.0.0.1"})
      QVERIFY2(says(said, words), said.c_str());
    QVERIFY2(says(said, qPrintable(target)), said.c_str());
  }

  void openingTellsWhatIsWrong() {
    AdsPartner partner;
    QVERIFY(says(adsRefusal(adsRig("tcp://127.0.0.1:1")), "no connection"));
    const auto refusalWith = [&](const auto& change) {
      RigSpec rig = adsRig(partner.address());
      {
        Change<AdsSpec> spec(rig.connection);
        change(*spec.operator->());
      }
      return adsRefusal(rig);
    };
    const auto expect = [&](const std::string& said, const char* where, const char* words) {
      QVERIFY2(said.find(where) == 0 && says(said, words), said.c_str());
    };
    expect(refusalWith([](AdsSpec& s) { s.channels[2].symbol = "MAIN.y"; }), "/rig/channels/2/symbol",
           "MAIN.y, which the controller does not have");
    expect(refusalWith([](AdsSpec& s) { s.channels[2].symbol = "MAIN.real"; }), "/rig/channels/2/plc_type", "REAL");
    expect(refusalWith([](AdsSpec& s) { s.channels[2].symbol = "MAIN.list"; }), "/rig/channels/2/plc_type",
           "name a single number");
    expect(refusalWith([](AdsSpec& s) { s.channels[2].symbol = "MAIN.text"; }), "/rig/channels/2/plc_type",
           "name a single number");
    expect(refusalWith([](AdsSpec& s) { s.channels[1].symbol = "MAIN.fixed"; }), "/rig/channels/1/symbol", "read-only");
    expect(refusalWith([](AdsSpec& s) { s.watchdog = "MAIN.small"; }), "/rig/connection/watchdog", "INT");
    expect(refusalWith([](AdsSpec& s) { s.task = 2; }), "/rig/connection/task", "0 for a controller without");
    expect(refusalWith([](AdsSpec& s) { s.stop[0].first.symbol = "MAIN.halt"; }),
           "/rig/connection/stop_values/0/symbol", "MAIN.halt");
    expect(refusalWith([](AdsSpec& s) { s.source_net_id = "1.2.3"; }), "/rig/connection/source_net_id", "1.2.3");
    expect(refusalWith([](AdsSpec& s) { s.target_net_id = "1.2.3"; }), "/rig/connection/target_net_id", "1.2.3");
    QVERIFY(says(refusalWith([](AdsSpec& s) { s.target_port = 852; }), "target port not found"));
    QVERIFY(refusalWith([](AdsSpec& s) { s.channels[2].symbol = "main.X"; }).empty());
    RigSpec none = adsRig(partner.address());
    none.channels.clear();
    expect(adsRefusal(none), "/rig/channels", "needs channels");
  }

  /// TwinCAT 2 and small controllers: no symbol entries, no version, no sum of handles.
  void olderControllersServeToo() {
    AdsPartner partner;
    partner.has_entries = partner.has_version = partner.sums_handles = false;
    MovedAds moved(partner);
    QVERIFY2(moved.moves, moved.device->failure().c_str());
    moved.device->close();
    QVERIFY(partner.stopped);
    RigSpec wrong = moved.rig;
    Change<AdsSpec>(wrong.connection)->channels[2].symbol = "MAIN.y";
    QVERIFY2(says(adsRefusal(wrong), "no handle of MAIN.y"), adsRefusal(wrong).c_str());
  }

  /// After a restart between two tests, with other handles and another version of the program.
  void openingAgainFetchesEverythingAnew() {
    AdsPartner partner;
    MovedAds moved(partner);
    QVERIFY2(moved.moves, moved.device->failure().c_str());
    moved.device->close();
    partner.restart();
    partner.version = 9;
    moved.device->open();
    QCOMPARE(readFrom(*moved.device).values[1], 0.0);  // at home again
    (void)writeTo(*moved.device, 0.125);
    QCOMPARE(readFrom(*moved.device).values[1], 0.125);
    QCOMPARE(moved.device->failure(), std::string());
  }
};

HYB_SUITE(ads_device, TestAdsDevice)
HYB_THREADS(ads_device)
#include "ads_device_test.moc"
