#include "hardware/text_device.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "tests/hardware/polled_support.h"
#include "tests/support/change_protocol.h"
#include "tests/support/pseudo_terminals.h"
#include "tests/support/suite.h"
#include "tests/support/text_partner.h"

using namespace hyb;
using namespace hyb::test;
using Mode = TextPartner::Mode;

namespace {

constexpr double kReply_s = 2.0;  // where a reply stays away; the others come in time on a busy machine

std::string refusal(const RigSpec& rig) {
  try {
    makeTextDevice(rig, channelsOf(rig))->open();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}
std::ptrdiff_t countOf(TextPartner& partner, const std::string& line) {
  const std::vector<std::string> lines = partner.lines();
  return std::count(lines.begin(), lines.end(), line);
}

}  // namespace

class TestTextDevice : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { requirePseudoTerminals(); }

  void motionOverTheConnection_data() {
    QTest::addColumn<bool>("serial");
    QTest::newRow("TCP") << false;
    QTest::newRow("pseudo-terminal") << true;
  }
  void motionOverTheConnection() {
    QFETCH(bool, serial);
    TextPartner partner(serial);
    const RigSpec rig = textRig(partner.address());
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    QCOMPARE(readFrom(*device).values[0], 0.0);
    QCOMPARE(countOf(partner, "*CLS"), std::ptrdiff_t{0});   // nor does it arm the device
    QCOMPARE(countOf(partner, "MOV 0"), std::ptrdiff_t{0});  // opening moves nothing
    for (int k = 0; k < 50; ++k) {
      const double x = 0.1 * std::sin(0.2 * k);
      QVERIFY(writeTo(*device, x) == RigStatus::ok);
      const Reading reading = readFrom(*device);
      QVERIFY(reading.status == RigStatus::ok);
      QCOMPARE(countOf(partner, "*CLS"), std::ptrdiff_t{1});  // the first command did, once
      QVERIFY(std::abs(reading.values[0] - x) < 1e-9);
      QVERIFY(std::abs(reading.values[1] + TextPartner::kStiffness * x) < 1e-6);
    }
    QVERIFY(device->link().received >= 50);
    QVERIFY(device->link().roundTripNs(0.5) > 0.0);
    QCOMPARE(device->link().errors(), std::uint64_t{0});
    QCOMPARE(device->status(), std::uint32_t{kDeviceEnabled});
    device->safeStop();
    QTRY_VERIFY_WITH_TIMEOUT(partner.stopped.load(), kHangs_ms);
    QVERIFY(readFrom(*device).status == RigStatus::fault);
    QVERIFY(writeTo(*device, 0.0) == RigStatus::fault);
  }

  void oneLineForAll() {
    TextPartner partner(false);
    RigSpec rig = textRig(partner.address());
    Change<TextSpec>(rig.connection)->get_all = "READ?";
    Change<TextSpec>(rig.connection)->set_all = "MOV {command:3}";
    Change<TextSpec>(rig.connection)->channels[1].pattern.clear();
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    QVERIFY(writeTo(*device, 0.0625) == RigStatus::ok);
    QCOMPARE(readFrom(*device).values[0], 0.062);
    QCOMPARE(countOf(partner, "MOV 0.062"), std::ptrdiff_t{1});
    QCOMPARE(countOf(partner, "POS?"), std::ptrdiff_t{0});
  }

  /// A command that has not changed is not sent again.
  void onlyChangesAreSent() {
    TextPartner partner(false);
    const RigSpec rig = textRig(partner.address());
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    for (int k = 0; k < 5; ++k) {
      QVERIFY(writeTo(*device, 0.5) == RigStatus::ok);
      QVERIFY(readFrom(*device).status == RigStatus::ok);
    }
    QCOMPARE(countOf(partner, "MOV 0.5"), std::ptrdiff_t{1});
  }

  void aTickAllocatesNothingAndNeverWaits() {
    TextPartner partner(false);
    const RigSpec rig = textRig(partner.address());
    const auto device = makeTextDevice(rig, channelsOf(rig, true));
    device->open();
    partner.mode = TextPartner::Mode::silent;
    ticksNeitherAllocateNorWait(*device);
    partner.mode = TextPartner::Mode::good;
  }

  void commandsAreHeldWithinTheirRange() {
    TextPartner partner(false);
    const RigSpec rig = textRig(partner.address());
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    QVERIFY(writeTo(*device, 7.0) == RigStatus::ok);
    QCOMPARE(readFrom(*device).values[0], 1.0);
    QVERIFY(device->status() & kDeviceCommandClipped);
    QCOMPARE(device->link().clipped.load(), std::uint64_t{1});
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
      QVERIFY(writeTo(*device, bad) == RigStatus::fault);
    QCOMPARE(readFrom(*device).values[0], 1.0);
  }

  void whatIsNoReplyLosesTheLink_data() {
    QTest::addColumn<int>("mode");
    QTest::addColumn<QString>("reason");
    QTest::newRow("nothing") << static_cast<int>(Mode::silent) << "no answer to";
    QTest::newRow("nonsense") << static_cast<int>(Mode::nonsense) << "was answered with \"?\"";
    QTest::newRow("too much") << static_cast<int>(Mode::flood) << "more than 4096 bytes";
    QTest::newRow("hangs up") << static_cast<int>(Mode::close) << "closed by the other side";
  }
  void whatIsNoReplyLosesTheLink() {
    QFETCH(int, mode);
    QFETCH(QString, reason);
    TextPartner partner(false);
    RigSpec rig = textRig(partner.address());
    if (static_cast<Mode>(mode) == Mode::silent) Change<TextSpec>(rig.connection)->reply_s = 1.0;
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    partner.mode = static_cast<Mode>(mode);
    QVERIFY(ticksUntil(*device, RigStatus::link_lost));
    QVERIFY2(device->failure().find(reason.toStdString()) != std::string::npos, device->failure().c_str());
    QVERIFY(writeTo(*device, 0.5) == RigStatus::link_lost);
  }

  /// A reply that comes too late is thrown away; the instrument identifies itself, and the next values are right.
  void lateRepliesDoNotShiftTheNextOnes() {
    TextPartner partner(false);
    RigSpec rig = textRig(partner.address());
    Change<TextSpec>(rig.connection)->reply_s = 1.0;  // the late reply comes when that is over
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    const int identified = partner.identified;
    partner.mode = Mode::late;
    bool right = false;
    for (int k = 0; k < 100 && !right && device->failure().empty(); ++k) {
      (void)writeTo(*device, 0.25);
      const Reading reading = readFrom(*device);
      if (device->link().lost > 0) partner.released = true;
      right = reading.values[0] == 0.25 && reading.values[1] == -250.0 && device->link().lost > 0;
    }
    QVERIFY2(right, device->failure().c_str());
    QVERIFY(partner.identified > identified);
  }

  /// Nobody says who it is: the order of the answers is certain again once the one that is owed has come.
  void withoutIdentityTheLateReplyIsWaitedFor_data() {
    QTest::addColumn<bool>("wide");
    QTest::newRow("no identify") << false;
    QTest::newRow("an identity that every reply matches") << true;
  }
  void withoutIdentityTheLateReplyIsWaitedFor() {
    QFETCH(bool, wide);
    TextPartner partner(false);
    RigSpec rig = textRig(partner.address());
    {
      Change<TextSpec> change(rig.connection);
      change->reply_s = 1.0;
      change->identify = wide ? "*IDN?" : "";
      change->identity = wide ? "." : "";
      change->fault_query.clear();
      change->channels[1].pattern = "([-+.0-9eE]+)$";  // a force would do for it
    }
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    for (int late = 1; late <= 2; ++late) {
      partner.released = false;
      partner.mode = Mode::late;
      bool right = false;
      for (int k = 0; k < 100 && !right && device->failure().empty(); ++k) {
        (void)writeTo(*device, 0.25 * late);
        const Reading reading = readFrom(*device);
        if (device->link().lost >= static_cast<std::uint64_t>(late)) partner.released = true;
        QVERIFY2(reading.values[0] >= 0.0 && reading.values[1] <= 0.0, "the channels have changed places");
        right = reading.values[0] == 0.25 * late && reading.values[1] == -250.0 * late && partner.released;
      }
      QVERIFY2(right, device->failure().c_str());
    }
  }
  void withoutIdentityALostReplyEndsTheTest() {
    TextPartner partner(false);
    RigSpec rig = textRig(partner.address());
    Change<TextSpec>(rig.connection)->reply_s = kReply_s;
    Change<TextSpec>(rig.connection)->identify.clear();
    Change<TextSpec>(rig.connection)->identity.clear();
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    partner.deaf = 3;  // what arms it, the command and the question
    QVERIFY(ticksUntil(*device, RigStatus::link_lost));
    QVERIFY2(device->failure().find("could belong to any question") != std::string::npos, device->failure().c_str());
  }

  void anEchoIsNeverAValue_data() {
    QTest::addColumn<bool>("identified");
    QTest::newRow("identified") << true;
    QTest::newRow("not identified") << false;
  }
  void anEchoIsNeverAValue() {
    QFETCH(bool, identified);
    TextPartner partner(false);
    partner.echoing = true;
    RigSpec rig = textRig(partner.address());
    {
      Change<TextSpec> change(rig.connection);
      if (!identified) change->identify = change->identity = "";
      change->channels[1].pattern = "([-+.0-9eE]+)";
    }
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    for (int k = 1; k < 5; ++k) {
      QVERIFY(writeTo(*device, 0.1 * k) == RigStatus::ok);
      const Reading reading = readFrom(*device);
      QVERIFY(reading.status != RigStatus::ok || reading.values[1] == -100.0 * k);
      if (identified) QCOMPARE(reading.values[1], -100.0 * k);
    }
    device->close();
    Change<TextSpec>(rig.connection)->echo = Echo::refuse;
    Change<TextSpec>(rig.connection)->reply_s = kReply_s;
    const std::string said = refusal(rig);
    QVERIFY2(said.find("echo of the device") != std::string::npos, said.c_str());
  }

  /// Devices that say a line again when they have taken it.
  void anEchoMayConfirm() {
    TextPartner partner(false);
    partner.echoing = true;
    RigSpec rig = textRig(partner.address());
    Change<TextSpec>(rig.connection)->echo = Echo::confirm;
    Change<TextSpec>(rig.connection)->set_is_answered = true;
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    QVERIFY(writeTo(*device, 0.25) == RigStatus::ok);
    const Reading reading = readFrom(*device);
    QCOMPARE(reading.values[0], 0.25);
    QCOMPARE(reading.values[1], -250.0);
    device->close();
    QCOMPARE(device->failure(), std::string());
    QVERIFY(partner.stopped);
  }

  /// Beside the table of termios.
  void anyBaudRateIsSet_data() {
    QTest::addColumn<int>("baud");
    for (const int baud : {300, 28800, 128000, 250000, 1000000}) QTest::addRow("%d", baud) << baud;
  }
  void anyBaudRateIsSet() {
    QFETCH(int, baud);
    TextPartner partner(true);
    RigSpec rig = textRig(partner.address());
    rig.connection.serial.baud = baud;
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    QVERIFY(writeTo(*device, 0.25) == RigStatus::ok);
    QCOMPARE(readFrom(*device).values[0], 0.25);
  }

  /// A board that starts when its port is opened hears the first questions not.
  void itIsAskedAgainUntilItHasStarted_data() {
    QTest::addColumn<bool>("identified");
    QTest::newRow("identified") << true;
    QTest::newRow("not identified") << false;
  }
  void itIsAskedAgainUntilItHasStarted() {
    QFETCH(bool, identified);
    TextPartner partner(true);
    RigSpec rig = textRig(partner.address());
    if (!identified) Change<TextSpec>(rig.connection)->identify = "";
    if (!identified) Change<TextSpec>(rig.connection)->identity = "";
    Change<TextSpec>(rig.connection)->reply_s = kReply_s;
    rig.connection.connect_s = 100.0;
    partner.deaf = 2;
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    QCOMPARE(readFrom(*device).values[0], 0.0);
  }

  /// The command was ramping to zero when the instrument fell silent: it is stopped at once, and that is told.
  void anExchangeThatFailsInTheRampIsAStop() {
    TextPartner partner(false);
    RigSpec rig = textRig(partner.address());
    Change<TextSpec>(rig.connection)->reply_s = kReply_s;
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    QVERIFY(writeTo(*device, 0.5) == RigStatus::ok);
    QCOMPARE(readFrom(*device).values[0], 0.5);
    partner.mode = Mode::silent;
    device->rampBegins();
    QVERIFY(writeTo(*device, 0.4) == RigStatus::ok);
    QTRY_VERIFY_WITH_TIMEOUT(partner.stopped.load(), kHangs_ms);
    device->close();
    QCOMPARE(device->link().lost.load(), std::uint64_t{1});  // not three
    const std::string failure = device->failure();
    for (const char* said :
         {"no answer to", "the ramp to zero was not confirmed", "answered is 0.5", "does not confirm stops"})
      QVERIFY2(failure.find(said) != std::string::npos, failure.c_str());
  }

  /// The answer takes an hour; the stop does not. The partner goes first: that ends a wait which should not be.
  void aStopWaitsForNoAnswer() {
    std::unique_ptr<Device> device;
    TextPartner partner(false);
    RigSpec rig = textRig(partner.address());
    Change<TextSpec>(rig.connection)->reply_s = 3600.0;
    device = makeTextDevice(rig, channelsOf(rig, true));
    device->open();
    const std::ptrdiff_t before = countOf(partner, "POS?");
    partner.mode = Mode::silent;
    QVERIFY(writeTo(*device, 0.25) == RigStatus::ok);
    QTRY_VERIFY_WITH_TIMEOUT(countOf(partner, "POS?") > before, kHangs_ms);
    device->safeStop();
    QTRY_VERIFY_WITH_TIMEOUT(partner.stopped.load(), kHangs_ms);
    device->close();
  }

  /// A stop does not wait for the answer to the last question: that may come when the next opening asks who is there.
  void answersToWhatWasAskedBeforeAreNoIdentity() {
    TextPartner partner(false);
    const RigSpec rig = textRig(partner.address());
    partner.belated = 2;
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    QVERIFY(writeTo(*device, 0.25) == RigStatus::ok);
    QCOMPARE(readFrom(*device).values[0], 0.25);
    device->close();
    partner.belated = 2;
    partner.other_instrument = true;
    const std::string said = refusal(rig);
    QVERIFY2(said.find("not the instrument of the project") != std::string::npos &&
                 said.find("OTHER,1,2,3") != std::string::npos,
             said.c_str());
  }

  /// In free run a reading waits as long as the instrument does, and ends with it.
  void inFreeRunAReadingWaitsForItsAnswer() {
    TextPartner partner(false);
    RigSpec rig = textRig(partner.address());
    Change<TextSpec>(rig.connection)->reply_s = 1.5;
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    partner.mode = Mode::silent;
    QVERIFY(writeTo(*device, 0.25) == RigStatus::ok);
    (void)readFrom(*device);
    QCOMPARE(device->link().lost.load(), std::uint64_t{1});
  }

  void overflowIsStaleAndNeverAValue() {
    TextPartner partner(false);
    RigSpec rig = textRig(partner.address());
    Change<TextSpec>(rig.connection)->fault_query.clear();
    Change<TextSpec>(rig.connection)->channels[1].get = "FORC?";
    Change<TextSpec>(rig.connection)->channels[1].pattern.clear();
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    (void)writeTo(*device, 0.25);
    QCOMPARE(readFrom(*device).values[1], -250.0);
    partner.mode = Mode::overflow;
    QVERIFY(ticksUntil(*device, RigStatus::stale));
    QVERIFY(std::abs(readFrom(*device).values[1]) <= 250.0);
    partner.mode = Mode::good;
    QVERIFY(ticksUntil(*device, RigStatus::ok));
  }

  void aReportedFaultEndsTheTest() {
    TextPartner partner(false);
    const RigSpec rig = textRig(partner.address());
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    partner.faulty = true;
    QVERIFY(ticksUntil(*device, RigStatus::fault));
    QVERIFY(device->failure().find("-310") != std::string::npos);
    QVERIFY(device->status() & kDeviceFault);
    QTRY_VERIFY_WITH_TIMEOUT(partner.stopped.load(), kHangs_ms);
  }

  void openingTellsWhatIsWrong() {
    TextPartner partner(false);
    partner.other_instrument = true;
    QVERIFY(refusal(textRig(partner.address())).find("OTHER,1,2,3") != std::string::npos);
    partner.other_instrument = false;
    partner.faulty = true;
    QVERIFY(refusal(textRig(partner.address())).find("reports a fault") != std::string::npos);
    QVERIFY(refusal(textRig("tcp://127.0.0.1:1")).find("no connection") != std::string::npos);
    RigSpec rig = textRig(partner.address());
    Change<TextSpec>(rig.connection)->channels[0].set = "MOV";
    QVERIFY(refusal(rig).find("/rig/channels/0/set") == 0);
    rig.channels.clear();
    QVERIFY(refusal(rig).find("/rig/channels") == 0);
  }

  /// Whoever only reads arms and enables nothing; the lines that do so go ahead of the first command, once.
  void connectingDoesNotArm() {
    TextPartner partner(false);
    const RigSpec rig = textRig(partner.address());
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    for (int k = 0; k < 3; ++k) QCOMPARE(readFrom(*device).values[0], 0.0);
    QCOMPARE(countOf(partner, "*CLS"), std::ptrdiff_t{0});
    for (const double position : {0.1, 0.2}) {
      QVERIFY(writeTo(*device, position) == RigStatus::ok);
      QCOMPARE(readFrom(*device).values[0], position);
    }
    QCOMPARE(countOf(partner, "*CLS"), std::ptrdiff_t{1});
    const std::vector<std::string> lines = partner.lines();
    const auto first = std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("MOV"); });
    QVERIFY(std::ranges::find(lines, "*CLS") < first);
  }

  /// A set that the device refuses is not done, and a stop that it refuses is not kept quiet.
  void refusalsCount() {
    TextPartner partner(false);
    partner.confirming = true;
    RigSpec rig = textRig(partner.address());
    Change<TextSpec>(rig.connection)->set_is_answered = true;
    Change<TextSpec>(rig.connection)->accepted = "^OK";
    Change<TextSpec>(rig.connection)->prepare.clear();
    const auto device = makeTextDevice(rig, channelsOf(rig));
    device->open();
    QVERIFY(writeTo(*device, 0.2) == RigStatus::ok);
    QCOMPARE(readFrom(*device).values[0], 0.2);
    device->close();
    QVERIFY2(device->failure().empty(), device->failure().c_str());

    device->open();
    partner.refusing = true;
    QVERIFY(ticksUntil(*device, RigStatus::link_lost));
    device->close();
    const std::string failure = device->failure();
    QVERIFY2(failure.find("refused \"MOV") != std::string::npos, failure.c_str());
    QVERIFY2(failure.find("did not accept the stop") != std::string::npos, failure.c_str());
  }

  void openingAgainAfterAStop() {
    TextPartner partner(false);
    const RigSpec rig = textRig(partner.address());
    const auto device = makeTextDevice(rig, channelsOf(rig));
    for (int k = 0; k < 3; ++k) {
      device->open();
      partner.stopped = false;
      QVERIFY(writeTo(*device, 0.1 * k) == RigStatus::ok);
      QCOMPARE(readFrom(*device).values[0], 0.1 * k);
      device->safeStop();
      QTRY_VERIFY_WITH_TIMEOUT(partner.stopped.load(), kHangs_ms);
    }
  }
};

HYB_SUITE(text_device, TestTextDevice)
HYB_THREADS(text_device)
#include "text_device_test.moc"
