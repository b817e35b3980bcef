/// What every polled device does by the clock, on an instrument that answers at once: exact, since a test sets the
/// time.
#include "hardware/polled_device.h"

#include <algorithm>
#include <atomic>

#include "tests/hardware/polled_support.h"
#include "tests/support/set_clock.h"
#include "tests/support/suite.h"
#include "tests/support/text_partner.h"

using namespace hyb;
using namespace hyb::test;

namespace {

struct Heard {
  std::atomic<int> exchanges{0};
  std::atomic<int> stops{0};
};

class PromptInstrument final : public Instrument {
 public:
  explicit PromptInstrument(Heard& heard) : heard_(heard) {}
  std::string description() const override { return "prompt"; }
  void connect() override {}
  Exchange exchange(std::span<const double> /*outputs*/, std::span<double> inputs) override {
    std::ranges::fill(inputs, 1.0);
    ++heard_.exchanges;
    return Exchange::ok;
  }
  Stopped stop() override {
    ++heard_.stops;
    return Stopped::confirmed;
  }
  void disconnect() noexcept override {}
  const std::string& complaint() const noexcept override { return complaint_; }

 private:
  Heard& heard_;
  std::string complaint_;
};

constexpr double kOldest_s = 0.25, kSilence_s = 2.0, kInstant_s = 1e-9;

struct PromptDevice {
  explicit PromptDevice(bool paced)
      : device(std::make_unique<PromptInstrument>(heard), channelsOf(textRig(""), paced), kOldest_s, clock) {
    device.open();
  }
  /// A command, and the reply to it.
  bool tick() {
    const int before = heard.exchanges;
    return writeTo(device, 1e-3) == RigStatus::ok && comesTrue([&] { return heard.exchanges > before; });
  }
  /// Until its thread has seen the time that is set.
  bool looks() {
    const std::uint64_t before = clock.asked();
    return comesTrue([&] { return clock.asked() >= before + 3; });
  }
  Heard heard;
  SetClock clock;
  PolledDevice device;
};

}  // namespace

class PolledDeviceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aPacedInstrumentIsStoppedTwoSecondsAfterTheLastTick() {
    PromptDevice prompt(true);
    prompt.clock.pass(10.0 * kSilence_s);  // before the first command nothing moves
    QVERIFY(prompt.looks());
    QVERIFY(prompt.tick() && prompt.looks());
    prompt.clock.pass(kSilence_s - kInstant_s);
    QVERIFY(prompt.tick() && prompt.looks());  // a tick begins the time anew
    prompt.clock.pass(kSilence_s - kInstant_s);
    QVERIFY(prompt.looks());
    QCOMPARE(prompt.heard.stops.load(), 0);
    QVERIFY((prompt.device.status() & kDeviceEnabled) != 0);
    prompt.clock.pass(kInstant_s);
    QTRY_COMPARE_WITH_TIMEOUT(prompt.heard.stops.load(), 1, kHangs_ms);
    QVERIFY(readFrom(prompt.device).status == RigStatus::fault);
    QVERIFY(writeTo(prompt.device, 0.0) == RigStatus::fault);
    QTRY_COMPARE_WITH_TIMEOUT(
        prompt.device.failure(),
        std::string(
            "prompt: stopped, because the bench sent no command for two seconds; the device confirmed the stop"),
        kHangs_ms);
    QCOMPARE(prompt.heard.exchanges.load(), 3);  // one to open it
  }

  void inFreeRunTimeMayStand() {
    PromptDevice prompt(false);
    QVERIFY(prompt.tick() && prompt.looks());
    prompt.clock.pass(1e3 * kSilence_s);
    QVERIFY(prompt.looks());
    QVERIFY(prompt.tick());
    QCOMPARE(prompt.heard.stops.load(), 0);
  }

  void whatIsOlderThanAllowedIsStale() {
    PromptDevice prompt(true);
    QVERIFY(prompt.tick());
    prompt.clock.pass(kOldest_s);
    QVERIFY(readFrom(prompt.device).status == RigStatus::ok);
    prompt.clock.pass(kInstant_s);
    QVERIFY(readFrom(prompt.device).status == RigStatus::stale);
    QVERIFY(prompt.tick());
    QTRY_VERIFY_WITH_TIMEOUT(readFrom(prompt.device).status == RigStatus::ok, kHangs_ms);
  }
};

HYB_SUITE(polled_device, PolledDeviceTest)
HYB_THREADS(polled_device)
#include "polled_device_test.moc"
