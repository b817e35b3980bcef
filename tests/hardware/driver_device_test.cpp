/// Drivers as plug-ins: what a driver does wrong is a lost link or a fault with its reason, and the device is stopped.
#include "hardware/driver_device.h"

#include <QFile>
#include <QTemporaryDir>
#include <array>
#include <csignal>

#include "core/base/error.h"
#include "hardware/driver_link.h"
#include "hardware/drivers.h"
#include "resources/plug-in/hybridbench_driver.h"
#include "tests/hardware/polled_support.h"
#include "tests/support/change_protocol.h"
#include "tests/support/driver_rig.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kPatient_s = 60.0;

/// A rig with the driver that goes wrong, and what it tells.
class Faulty {
 public:
  explicit Faulty(const std::string& fault, bool own_process = true)
      : rig(driverRig("faulty.so",
                      {{ChannelRole::command, "out"}, {ChannelRole::force, "in"}, {ChannelRole::displacement, "sent"}},
                      {{"fault", fault}, {"told", file("told")}, {"go", file("go")}}, own_process)) {}

  std::string file(const char* name) const { return folder_.filePath(QLatin1String(name)).toStdString(); }
  std::unique_ptr<Device> make(bool paced = false) { return makeDevice(rig, channelsOf(rig, paced)); }
  const DriverFile& driver() const { return *settingsOf<DriverSpec>(rig.connection.protocol.get()).driver; }
  /// Lets a waiting driver go on.
  void go() const { QVERIFY(QFile(folder_.filePath(QStringLiteral("go"))).open(QIODevice::WriteOnly)); }
  /// "open 12\narm 12\n" -> {"open", "arm"}.
  QStringList calls() const {
    QStringList names;
    for (const QString& line : told()) names << line.section(QLatin1Char(' '), 0, 0);
    return names;
  }
  /// Processes of the calls, each once.
  QStringList processes() const {
    QStringList numbers;
    for (const QString& line : told()) numbers << line.section(QLatin1Char(' '), 1);
    numbers.removeDuplicates();
    return numbers;
  }
  bool stopped() const { return calls().contains(QLatin1String("stop")); }

 private:
  QStringList told() const {
    QFile file(folder_.filePath(QStringLiteral("told")));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()).split('\n', Qt::SkipEmptyParts)
                                          : QStringList();
  }
  QTemporaryDir folder_;

 public:
  RigSpec rig;
};

/// The request that opens a faulty driver.
std::string requestOf(const Faulty& faulty, double silence_s) {
  const auto& spec = settingsOf<DriverSpec>(faulty.rig.connection.protocol.get());
  return Json{{"rate_hz", 50.0},
              {"silence_s", silence_s},
              {"settings", completeSettings(spec)},
              {"outputs", {"out"}},
              {"inputs", {"in"}}}
      .dump();
}

/// A link to an open driver.
std::unique_ptr<DriverLink> openLink(const Faulty& faulty, const DriverWake& wake, bool own_process,
                                     double silence_s = 0.0) {
  auto link = std::make_unique<DriverLink>(faulty.driver(), own_process, wake);
  const auto well = [&](DriverLink::Answer answer) {
    return answer == DriverLink::Answer::answered && link->reply().head.result == HYB_OK;
  };
  const bool open = well(link->ask(DriverCall::load, kPatient_s, kPatient_s)) &&
                    well(link->ask(DriverCall::open, kPatient_s, kPatient_s, false, {}, requestOf(faulty, silence_s)));
  if (!open) qWarning("%s %s", link->complaint().c_str(), link->reply().text.c_str());
  return open ? std::move(link) : nullptr;
}

}  // namespace

class DriverDeviceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aTestOpensArmsExchangesStopsAndCloses_data() { ownOrNot(); }
  void aTestOpensArmsExchangesStopsAndCloses() {
    QFETCH(bool, own);
    Faulty faulty("none", own);
    const auto device = faulty.make();
    QVERIFY(tells(device->description(), "driver \"Faulty\" (faulty.so)"));
    device->open();
    QCOMPARE(faulty.calls(), QStringList{"open"});
    QVERIFY(writeTo(*device, 0.25) == RigStatus::ok);
    const Reading reading = readFrom(*device);
    QVERIFY(reading.status == RigStatus::ok);
    QCOMPARE(reading.values[0], 2.0);  // exchanges
    QCOMPARE(reading.values[1], 0.25);
    QCOMPARE(faulty.calls(), (QStringList{"open", "arm"}));
    device->close();
    QCOMPARE(faulty.calls(), (QStringList{"open", "arm", "stop", "close"}));
    QCOMPARE(faulty.processes().size(), qsizetype{1});
    QCOMPARE(faulty.processes().first().toLongLong() == QCoreApplication::applicationPid(), !own);
    QCOMPARE(device->failure(), std::string());
  }

  /// The range of the driver is narrower than that of the project.
  void theLimitsOfTheDriverHold() {
    Faulty faulty("none");
    const auto device = faulty.make();
    device->open();
    QVERIFY(writeTo(*device, 3.0) == RigStatus::ok);
    QCOMPARE(readFrom(*device).values[1], 0.5);
    QVERIFY((device->status() & kDeviceCommandClipped) != 0 && device->link().clipped.load() == 1);
    QVERIFY(writeTo(*device, -0.25) == RigStatus::ok);
    QCOMPARE(readFrom(*device).values[1], -0.25);
    QVERIFY((device->status() & kDeviceCommandClipped) == 0);
  }

  void whatGoesWrongEndsTheTest_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("sentence");
    QTest::addColumn<bool>("anew");  // the stop comes from a new process
    const auto row = [](const char* fault, RigStatus status, const char* sentence, bool anew = false) {
      QTest::newRow(fault) << fault << static_cast<int>(status) << sentence << anew;
    };
    row("crash", RigStatus::link_lost, "the driver crashed in exchange(): signal 6 (Aborted)", true);
    row("exit", RigStatus::link_lost, "the driver ended in exchange() with exit code 5", true);
    row("silent", RigStatus::link_lost, "the driver reports: no answer from port 7");
    row("bad answer", RigStatus::link_lost, "the driver reports a failure without a reason");
    row("lost", RigStatus::link_lost, "the driver reports a failure without a reason");
    row("fault", RigStatus::fault, "the driver reports a failure without a reason");
    row("unknown result", RigStatus::fault, "the driver returned the unknown result 77");
  }
  void whatGoesWrongEndsTheTest() {
    QFETCH(QString, fault);
    QFETCH(int, status);
    QFETCH(QString, sentence);
    QFETCH(bool, anew);
    Faulty faulty(fault.toStdString());
    const auto device = faulty.make();
    device->open();
    QVERIFY(ticksUntil(*device, static_cast<RigStatus>(status)));
    device->close();
    const std::string why = device->failure();
    QVERIFY2(tells(why, sentence.toStdString()), why.c_str());
    QVERIFY2(tells(why, "the device confirmed the stop"), why.c_str());
    QCOMPARE(faulty.processes().size(), anew ? qsizetype{2} : qsizetype{1});
    QVERIFY(faulty.stopped());
  }

  void aDriverThatHangsIsEndedAndTheDeviceStopped() {
    Faulty faulty("hang");
    Change<DriverSpec>(faulty.rig.connection)->reply_s = 0.02;
    Change<DriverSpec>(faulty.rig.connection)->stop_s = 0.1;
    faulty.rig.connection.connect_s = 20.0;
    const auto device = faulty.make();
    device->open();
    QVERIFY(ticksUntil(*device, RigStatus::link_lost));
    device->close();
    const std::string why = device->failure();
    QVERIFY2(tells(why, "the driver did not return from exchange() within 70 ms"), why.c_str());
    QVERIFY2(tells(why, "the device confirmed the stop"), why.c_str());
    QCOMPARE(faulty.calls(), (QStringList{"open", "arm", "open", "stop", "close"}));
  }

  /// On a thread of the bench it cannot be ended.
  void inTheBenchAHangingDriverIsNamedToo() {
    Faulty faulty("hang", false);
    {
      Change<DriverSpec> change(faulty.rig.connection);
      change->reply_s = 0.02;
      change->stop_s = 0.02;
    }
    const auto device = faulty.make();
    device->open();
    QVERIFY(ticksUntil(*device, RigStatus::link_lost));
    // The end of the exchange is awaited for the stop, and then no longer.
    QVERIFY(comesTrue([&] { return tells(device->failure(), "the stop could not be sent"); }));
    faulty.go();
    device->close();
    QVERIFY(tells(device->failure(), "the driver did not return from exchange()"));
    // As the link was closed, it stops by itself.
    QVERIFY(comesTrue([&] { return faulty.calls().endsWith(QLatin1String("close")); }));
    QVERIFY(faulty.stopped());
  }

  void aDeviceThatIsGoneCannotBeStopped() {
    Faulty faulty("crash, gone");
    const auto device = faulty.make();
    device->open();
    QVERIFY(ticksUntil(*device, RigStatus::link_lost));
    device->close();
    QVERIFY2(tells(device->failure(), "the stop could not be sent: check that it is at rest"),
             device->failure().c_str());
    QVERIFY(!faulty.stopped());
  }

  void aKilledHostIsALostLink() {
    Faulty faulty("none");
    const auto device = faulty.make();
    device->open();
    QVERIFY(writeTo(*device, 0.1) == RigStatus::ok);
    QVERIFY(readFrom(*device).status == RigStatus::ok);
    QCOMPARE(::kill(static_cast<pid_t>(faulty.processes().first().toLongLong()), SIGKILL), 0);
    QVERIFY(ticksUntil(*device, RigStatus::link_lost));
    device->close();
    QVERIFY2(tells(device->failure(), "signal 9 (Killed)"), device->failure().c_str());
    QVERIFY2(tells(device->failure(), "the device confirmed the stop"), device->failure().c_str());
    QVERIFY(faulty.stopped());
  }

  void noNumberIsStale_data() {
    QTest::addColumn<QString>("fault");
    QTest::newRow("NaN") << "no number";
    QTest::newRow("infinity") << "infinite";
  }
  void noNumberIsStale() {
    QFETCH(QString, fault);
    Faulty faulty(fault.toStdString());
    const auto device = faulty.make();
    device->open();
    QVERIFY(writeTo(*device, 0.0) == RigStatus::ok);
    QVERIFY(readFrom(*device).status == RigStatus::ok);
    QVERIFY(writeTo(*device, 0.1) == RigStatus::ok);
    const Reading stale = readFrom(*device);
    QVERIFY(stale.status == RigStatus::stale);
    QCOMPARE(stale.values[0], 2.0);  // the last number
    QCOMPARE(stale.values[1], 0.1);
  }

  void theResultOfTheStopIsTold_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("refused") << "stop refused"
                             << "the device did not accept the stop";
    QTest::newRow("crashes") << "stop crashes"
                             << "the stop could not be sent";
  }
  void theResultOfTheStopIsTold() {
    QFETCH(QString, fault);
    QFETCH(QString, sentence);
    Faulty faulty(fault.toStdString());
    const auto device = faulty.make();
    device->open();
    device->close();
    QVERIFY2(tells(device->failure(), sentence.toStdString()), device->failure().c_str());
  }
  void aStopThatIsOnlySentIsNoFailure() {
    Faulty faulty("stop sent");
    const auto device = faulty.make();
    device->open();
    device->close();
    QCOMPARE(device->failure(), std::string());
    QVERIFY(faulty.stopped());
  }

  void whatCannotBeOpenedSaysWhy() {
    const auto refusal = [](Faulty& faulty) {
      try {
        faulty.make()->open();
      } catch (const DeviceError& error) {
        return std::string(error.what());
      }
      return std::string("opened");
    };
    Faulty refuses("refuses");
    QVERIFY2(
        tells(refusal(refuses), "driver \"Faulty\" (faulty.so): the driver reports: port 7 does not exist; choose"),
        refusal(refuses).c_str());
    Faulty never("open, never");
    never.rig.connection.connect_s = 0.02;
    QVERIFY2(tells(refusal(never), "the driver did not return from open() within 70 ms"), refusal(never).c_str());
    Faulty whole("none");
    Change<DriverSpec>(whole.rig.connection)->settings = R"({"whole": 5})";
    QVERIFY(tells(refusal(whole), "port 7"));
  }

  void oneThatDoesNotArmIsAFault() {
    Faulty faulty("does not arm");
    const auto device = faulty.make();
    device->open();
    QVERIFY(ticksUntil(*device, RigStatus::fault));
    device->close();
    QVERIFY(faulty.stopped());
  }

  void exceptionsStayInTheDriver_data() { ownOrNot(); }
  void exceptionsStayInTheDriver() {
    QFETCH(bool, own);
    const RigSpec rig = driverRig("throwing_driver.so", {{ChannelRole::command, "out"}, {ChannelRole::force, "in"}},
                                  Json::object(), own);
    const auto device = makeDevice(rig, channelsOf(rig));
    device->open();
    QVERIFY(ticksUntil(*device, RigStatus::fault));
    device->close();
    QVERIFY2(tells(device->failure(), "threw a C++ exception out of exchange(): out of cards"),
             device->failure().c_str());
  }

  void ticksNeitherAllocateNorWaitForIt() {
    Faulty faulty("hang");
    const auto device = faulty.make(true);
    device->open();
    QVERIFY(writeTo(*device, 0.0) == RigStatus::ok);
    QVERIFY(comesTrue([&] { return readFrom(*device).values[0] == 2.0; }));
    ticksNeitherAllocateNorWait(*device);
    faulty.go();
  }

  /// The answer to an earlier request is not taken for that to a later one.
  void lateAnswersAreDropped_data() { ownOrNot(); }
  void lateAnswersAreDropped() {
    QFETCH(bool, own);
    const Faulty faulty("late once");
    const DriverWake wake;
    const auto link = openLink(faulty, wake, own);
    QVERIFY(link);
    const auto ask = [&](double wait_s) { return link->ask(DriverCall::exchange, 1.0, wait_s); };
    for (int k = 1; k <= 2; ++k) QVERIFY(ask(kPatient_s) == DriverLink::Answer::answered);
    QCOMPARE(link->reply().values, (std::vector<double>{2.0}));
    for (int k = 0; k < 2; ++k) {  // also one that cannot be sent
      QVERIFY(ask(0.01) == DriverLink::Answer::late);
      QCOMPARE(link->complaint(), std::string("did not return from exchange() within 10 ms"));
    }
    faulty.go();
    QVERIFY(ask(kPatient_s) == DriverLink::Answer::answered);
    QCOMPARE(link->reply().values, (std::vector<double>{4.0}));
  }

  void anInterruptEndsTheWaitingButNotTheStop() {
    const Faulty faulty("late once");
    DriverWake wake;
    const auto link = openLink(faulty, wake, true);
    QVERIFY(link);
    for (int k = 1; k <= 2; ++k)
      QVERIFY(link->ask(DriverCall::exchange, 1.0, kPatient_s) == DriverLink::Answer::answered);
    wake.interrupt();
    QVERIFY(link->ask(DriverCall::exchange, 1.0, kPatient_s) == DriverLink::Answer::interrupted);
    faulty.go();
    QVERIFY(link->ask(DriverCall::stop, 1.0, kPatient_s, true) == DriverLink::Answer::answered);
    QCOMPARE(link->reply().head.result, std::int32_t{HYB_STOP_CONFIRMED});
    wake.clear();
    QVERIFY(link->ask(DriverCall::exchange, 1.0, kPatient_s) == DriverLink::Answer::answered);
    QCOMPARE(link->reply().text, std::string("is stopped"));
  }

  /// The watchdog of the host: the bench is there, but says nothing.
  void aSilentBenchIsStopped_data() { ownOrNot(); }
  void aSilentBenchIsStopped() {
    QFETCH(bool, own);
    const Faulty faulty("none");
    const DriverWake wake;
    const auto link = openLink(faulty, wake, own, 0.05);
    QVERIFY(link);
    const std::array<double, 1> command{0.1};
    QVERIFY(link->ask(DriverCall::arm, 1.0, kPatient_s) == DriverLink::Answer::answered);
    QVERIFY(comesTrue([&] { return faulty.stopped(); }));
    QVERIFY(link->ask(DriverCall::exchange, 1.0, kPatient_s, false, command) == DriverLink::Answer::answered);
    QCOMPARE(link->reply().head.result, std::int32_t{HYB_FAULT});
    QVERIFY2(tells(link->reply().text, "was stopped, because the bench was silent"), link->reply().text.c_str());
  }

  /// A bench that is gone has closed its end.
  void anArmedDriverStopsWhereTheBenchIsGone_data() { ownOrNot(); }
  void anArmedDriverStopsWhereTheBenchIsGone() {
    QFETCH(bool, own);
    const Faulty faulty("none");
    const DriverWake wake;
    auto link = openLink(faulty, wake, own);
    QVERIFY(link);
    QVERIFY(link->ask(DriverCall::arm, 1.0, kPatient_s) == DriverLink::Answer::answered);
    link.reset();
    QCOMPARE(faulty.calls(), (QStringList{"open", "arm", "stop", "close"}));
  }

  /// Of sound cards, without one: ALSA's device "null" takes everything and gives silence.
  void theSoundCardExampleRuns() {
    RigSpec rig = driverRig("sound_card.so", {{ChannelRole::command, "out0"}, {ChannelRole::force, "in1"}},
                            {{"playback", "null"}, {"capture", "null"}, {"ramp_s", 0.0}});
    const auto device = makeDevice(rig, channelsOf(rig));
    device->open();
    for (int k = 0; k < 5; ++k) {
      QVERIFY(writeTo(*device, 0.1) == RigStatus::ok);
      QVERIFY(readFrom(*device).status == RigStatus::ok);
    }
    device->close();
    QCOMPARE(device->failure(), std::string());
    Change<DriverSpec>(rig.connection)->settings = R"({"playback": "no such card", "capture": "null"})";
    QVERIFY_THROWS_EXCEPTION(DeviceError, makeDevice(rig, channelsOf(rig))->open());
  }

 private:
  static void ownOrNot() {
    QTest::addColumn<bool>("own");
    QTest::newRow("own process") << true;
    QTest::newRow("in the bench") << false;
  }
};

HYB_SUITE(driver_device, DriverDeviceTest)
HYB_THREADS(driver_device)
#include "driver_device_test.moc"
