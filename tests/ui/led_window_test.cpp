// Tests that another program leads, in the window: it waits visibly, the program leads, and every way out is safe.
#include <array>
#include <cmath>

#include "hardware/port.h"
#include "hardware/program_site.h"
#include "tests/support/led_run.h"
#include "tests/support/suite.h"
#include "tests/ui/window_at_work.h"
#include "ui/shell/header_bar.h"

using namespace hyb;
using namespace hyb::ui;

namespace {

/// A model in the manner of OpenFresco, one degree of freedom.
class WindowModel {
 public:
  explicit WindowModel(const QString& address)
      : port_(openPort(parseAddress(address.toStdString(), ""), SerialSpec(), 10.0)) {
    const std::array<std::int32_t, 11> sizes = {1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 256};
    send(sizes.data(), sizeof sizes);
  }
  void send(const void* bytes, std::size_t count) {
    QVERIFY(port_->writeAll({static_cast<const std::uint8_t*>(bytes), count}, std::chrono::seconds(60)));
  }
  void say(double code, double value = 0.0) {
    std::array<double, 256> block{};
    block[0] = code, block[1] = value;
    send(block.data(), sizeof block);
  }
  /// Displacement and force at the last target; empty: the connection was closed.
  std::vector<double> measured() {
    std::vector<double> block(256);
    std::span<std::uint8_t> rest(reinterpret_cast<std::uint8_t*>(block.data()), block.size() * sizeof(double));
    while (!rest.empty()) {
      QCoreApplication::processEvents();
      if (!port_->waitReadable(std::chrono::milliseconds(5))) continue;
      const Port::Result result = port_->read(rest);
      if (result.closed) return {};
      rest = rest.subspan(result.bytes);
    }
    return block;
  }
  std::vector<double> step(double target) {
    say(3.0, target);
    say(6.0, target);
    return measured();
  }

 private:
  std::unique_ptr<Port> port_;
};

}  // namespace

class LedWindowTest : public ui::testing::WindowAtWork {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { ui::testing::startGuiSession("led_window"); }
  void init() { show({{}, {}, makeProgramSite}); }
  void cleanup() { window_.reset(); }

  void theProgramLeads();
  void theOtherKindOfProgramLeads();
  void stopWhileItWaits();
  void closingEndsItSafely();
  void aLostProgramIsTold();
  void theNextTestListensAtTheSamePlace();
  void withoutAServerTheReasonIsTold();

 private:
  void openLed(Json coupling = {{"scheme", "openfresco"},
                                {"step_ticks", 5},
                                {"order", 0},
                                {"settle_ticks", 5},
                                {"length_factor", 1},
                                {"force_factor", 1}}) {
    open(test::springThatIsLed(coupling), {{"/coupling/listen", listen_}});
  }
  QString words() { return child<QLabel>("program")->text(); }
  QString address() { return words().section(QStringLiteral(" at "), 1); }
  QString shown() { return child<StateChip>("state-chip")->accessibleName(); }
  std::string listen_ = "tcp://127.0.0.1:0";
};

void LedWindowTest::theProgramLeads() {
  openLed();
  run();
  QTRY_VERIFY2(words().startsWith("waiting for it at tcp://127.0.0.1:"),
               qPrintable(words() + child<QLabel>("run-message")->text()));
  QTRY_COMPARE(shown(), QString("State: WAITING"));
  WindowModel model(address());
  QTRY_VERIFY2(words().startsWith("connected at tcp://127.0.0.1:"), qPrintable(words()));
  QTRY_COMPARE(shown(), QString("State: RUNNING"));
  for (int k = 1; k <= 3; ++k) {
    const std::vector<double> values = model.step(1e-3 * k);
    QCOMPARE(values.size(), std::size_t{256});
    QVERIFY(std::abs(values[0] - 1e-3 * k) < 1e-9);
    QVERIFY(std::abs(values[1] - 2.0 * k) < 1e-6);
  }
  model.say(99.0);
  waitForTheEnd();
  QVERIFY(controller()->result()->reason == EndReason::completed);
  QVERIFY(controller()->result()->recorded);
  QTRY_VERIFY(!child<QLabel>("program")->isVisible());
}

void LedWindowTest::theOtherKindOfProgramLeads() {
  openLed({{"scheme", "external"},
           {"length_factor", 1},
           {"force_factor", 1},
           {"time_factor", 1},
           {"stiffness_n_per_m", {2000.0}},
           {"ramp_ticks", 5},
           {"settle_ticks", 1}});
  run();
  QTRY_VERIFY(words().startsWith("waiting"));
  WindowModel model(address());
  const std::vector<double> values = model.step(1e-3);
  QVERIFY(values.size() == 256 && std::abs(values[0] - 1e-3) < 1e-9);
  model.say(99.0);
  waitForTheEnd();
  QVERIFY(controller()->result()->reason == EndReason::completed);
}

void LedWindowTest::stopWhileItWaits() {
  openLed();
  run();
  QTRY_COMPARE(shown(), QString("State: WAITING"));
  controller()->requestStop();
  waitForTheEnd();
  QVERIFY(controller()->result()->reason == EndReason::operator_stop);
  QTRY_COMPARE(shown(), QString("State: READY"));
}

void LedWindowTest::closingEndsItSafely() {
  openLed();
  run();
  QTRY_VERIFY(!address().isEmpty());
  WindowModel model(address());
  QVERIFY(!model.step(1e-3).empty());
  window_->close();
  QVERIFY(window_->isVisible());  // asks first
  window_->close();
  QTRY_VERIFY(!window_->isVisible());
  QVERIFY(controller()->result()->reason == EndReason::operator_stop);
  model.say(6.0, 1e-3);
  const std::vector<double> after = model.measured();
  QVERIFY(after.size() == 256 && std::isnan(after[0]));  // so that its analysis fails
}

void LedWindowTest::aLostProgramIsTold() {
  openLed();
  run();
  QTRY_VERIFY(!address().isEmpty());
  {
    WindowModel model(address());
    QVERIFY(!model.step(1e-3).empty());
  }
  waitForTheEnd();
  QVERIFY(controller()->result()->reason == EndReason::client_lost);
  QTRY_VERIFY2(child<QLabel>("run-message")->text().contains("disconnected without ending the test"),
               qPrintable(child<QLabel>("run-message")->text()));
  controller()->resetFault();
}

/// Also while the program of the last test is still connected.
void LedWindowTest::theNextTestListensAtTheSamePlace() {
  openLed();
  run();
  QTRY_VERIFY(!address().isEmpty());
  WindowModel first(address());
  QVERIFY(!first.step(1e-3).empty());
  listen_ = address().toStdString();
  controller()->requestStop();
  waitForTheEnd();
  openLed();
  run();
  QTRY_VERIFY(!address().isEmpty());
  QCOMPARE(address().toStdString(), listen_);
  WindowModel second(address());
  QVERIFY(!second.step(1e-3).empty());
  second.say(99.0);
  waitForTheEnd();
  QVERIFY(first.measured().empty());
  listen_ = "tcp://127.0.0.1:0";
}

void LedWindowTest::withoutAServerTheReasonIsTold() {
  show();
  openLed();
  QAction* const arms = action(Qt::Key_F5);
  QTRY_VERIFY(arms->isEnabled());
  arms->trigger();
  QVERIFY(controller()->state() == State::ready);
  QVERIFY(child<QLabel>("run-message")->text().contains("no other program can connect here"));
}

HYB_SUITE(led_window, LedWindowTest)
#include "led_window_test.moc"
