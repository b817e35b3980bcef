#pragma once
#include <QElapsedTimer>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "hardware/frames_device.h"
#include "hardware/udp_device.h"
#include "tests/support/faulty_line.h"
#include "tests/support/led_device.h"
#include "tests/support/passing_device.h"
#include "tests/support/patience.h"
#include "tests/support/served_device.h"
#include "tests/support/served_twin.h"
#include "tests/support/served_udp.h"
#include "tests/support/set_clock.h"
#include "tests/support/watched_rig.h"

/// The devices behind the links of the fault matrix (fault_matrix_test.cpp), in step with the test.
namespace hyb::test::matrix {

/// linked_...: through the driver of the rig protocol and a device in real code.
enum class RunMode { free, paced, shadow, rig, linked_shadow, linked_rig };
inline bool linked(RunMode mode) { return mode == RunMode::linked_shadow || mode == RunMode::linked_rig; }

/// A column of the matrix. `kind`: of the device behind a link; `listen`: where it serves.
struct Column {
  const char* name;
  RunMode mode;
  const char* kind = "server";
  const char* listen = "tcp://127.0.0.1:0";
  bool kit() const { return std::string_view(kind).ends_with("kit"); }
  bool udp() const { return std::string_view(kind).starts_with("UDP"); }
  bool leads() const { return std::string_view(kind) == "UDP that leads"; }
  bool serial() const { return isSerial(listen); }
};
/// The device behind a link, as the test sees it.
class Partner {
 public:
  virtual ~Partner() = default;
  virtual std::string address() const = 0;
  /// A period of the test has passed; from passAlone() on the device's time goes on by itself.
  virtual void passPeriod() {}
  virtual void passAlone() {}
  /// Until so many commands have reached the device and been answered.
  virtual bool await(std::uint64_t commands) = 0;
  virtual bool atRest() = 0;
  /// Plays a fault of the link. False: the device plays it.
  virtual bool inject(const FaultSpec& /*fault*/, bool /*begin*/) { return false; }
};

/// An example of the kit, as a process, behind a line with faults on purpose. It has its own time and its own twin.
class Kit final : public Partner {
 public:
  explicit Kit(const Column& column)
      : device_(deviceKind(column.kind).serve(column.listen, {})), line_(device_->address(), column.listen) {}
  std::string address() const override { return line_.address(); }
  bool await(std::uint64_t commands) override {
    // A terminal may take a command only with the next one, which the bench sends without this answer.
    QElapsedTimer time;
    for (time.start(); line_.answers() < commands && time.elapsed() < 1000;) std::this_thread::yield();
    return true;
  }
  bool atRest() override { return device_->said(kAtRest); }
  bool inject(const FaultSpec& fault, bool begin) override { return line_.set(fault, begin); }
  std::uint64_t answers() const { return line_.answers(); }
  /// Largest position that it reports at rest.
  double end_m() {
    const QString log = QString::fromStdString(device_->log());
    double largest = 0.0;
    for (const QString& value : log.mid(log.lastIndexOf(kAtRest)).section(" at ", -1).section('\n', 0, 0).split(", "))
      largest = std::max(largest, std::abs(value.toDouble()));
    return largest;
  }

 private:
  static constexpr const char* kAtRest = "at rest: ";
  std::unique_ptr<ServedDevice> device_;
  FaultyLine line_;
};

/// A server that plays the project's twin, and what it has dealt with. Its time is that of the test: a period with
/// each command, and on its own after the last one. However slow the machine, nothing is late.
class Server final : public Partner {
 public:
  Server(const Column& column, std::shared_ptr<TruePath> path, std::unique_ptr<Rig> twin)
      : by_datagrams_(column.udp()), path_(std::move(path)), twin_(*twin) {
    const auto turns = [this] { turn(); };
    if (column.udp()) {
      layout_ = fullLayout(rigChannels({}, 2));
      layout_.leads = column.leads() ? TickBegin::target : TickBegin::bench;
      layout_.target_rate_hz = kServedRate_hz;
      udp_ = std::make_unique<ServedUdp>(
          layout_, [](RigServerSpec&) {}, clock_, std::move(twin), turns);
    } else {
      served_ = std::make_unique<ServedTwin>(column.listen, std::vector<FaultSpec>{}, rigChannels({}, 2),
                                             std::move(twin), turns, Eigen::MatrixXd{}, clock_);
    }
  }
  std::string address() const override { return udp_ ? udp_->address() : served_->address(); }
  /// The device that reaches it.
  std::unique_ptr<Device> device(const RigSpec& rig, const DeviceChannels& channels) {
    if (!udp_) return makeFramesDevice(rig.connection, channels);
    const RigSpec section = servedUdpRig(udp_->address(), layout_);
    auto made = makeUdpDevice(section, channels, clock_);
    if (layout_.leads == TickBegin::bench) return made;
    return std::make_unique<LedDevice>(std::move(made), channels.inputs.size(), clock_, 1.0 / kServedRate_hz);
  }
  void passPeriod() override {
    if (served_) clock_.pass(1.0 / kServedRate_hz);  // a UDP target goes by the datagrams, or by its own beats
  }
  void passAlone() override { alone_ = true; }
  bool atRest() override {
    if (udp_) return !udp_->following();
    return served_->state() == RigServer::State::stopped || served_->state() == RigServer::State::listening;
  }
  bool await(std::uint64_t commands) override {
    std::unique_lock lock(mutex_);
    return turned_.wait_for(lock, std::chrono::milliseconds(kHangs_ms), [&] { return dealt_with_ >= commands; });
  }
  /// Does that with the twin itself, on the thread that drives it. False: the server does not come to it.
  bool withTheTwin(std::function<void(Rig&)> job) {
    std::unique_lock lock(mutex_);
    job_ = std::move(job);
    const bool done = turned_.wait_for(lock, std::chrono::milliseconds(kHangs_ms), [&] { return job_ == nullptr; });
    job_ = nullptr;
    return done;
  }

 private:
  void turn() {
    // It lets seconds pass before it counts commands of a free run as gone.
    if (alone_ && !by_datagrams_)
      clock_.pass(served_->state() == RigServer::State::stopping ? 1.0 / kServedRate_hz : 1.0);
    {
      const std::lock_guard lock(mutex_);
      dealt_with_ = path_->writes;
      if (job_) job_(twin_);
      job_ = nullptr;
    }
    turned_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable turned_;
  std::uint64_t dealt_with_ = 0;
  std::function<void(Rig&)> job_;
  std::atomic<bool> alone_{false};
  const bool by_datagrams_;  // its thread must not look at the servers, which come and go
  std::shared_ptr<TruePath> path_;
  Rig& twin_;  // behind the server
  SetClock clock_;
  UdpSpec layout_;
  std::unique_ptr<ServedUdp> udp_;
  std::unique_ptr<ServedTwin> served_;
};

/// Reads when the device has answered the last command that the cable let through, so that only a fault on purpose
/// makes data stale.
class InStep final : public PassingDevice, private Lead {
 public:
  InStep(std::unique_ptr<Device> device, Partner& partner) : PassingDevice(std::move(device)), partner_(partner) {}
  RigStatus read(std::span<double> inputs) noexcept override {
    waitForPartner();
    return device_->read(inputs);
  }
  Lead* lead() noexcept override { return device_->lead() != nullptr ? this : nullptr; }
  RigStatus write(std::uint64_t tick, std::span<const double> outputs) noexcept override {
    const RigStatus status = device_->write(tick, outputs);
    partner_.passPeriod();
    if (status == RigStatus::ok && !cut_) ++heard_;
    return status;
  }
  void safeStop() noexcept override {
    waits_ = false;
    device_->safeStop();
    partner_.passAlone();
  }
  bool inject(const FaultSpec& fault, bool begin) noexcept override {
    if (fault.kind == FaultKind::link_loss) cut_ = begin;
    return partner_.inject(fault, begin) || device_->inject(fault, begin);
  }

 private:
  Beat await() noexcept override {
    waitForPartner();
    return device_->lead()->await();
  }
  void waitForPartner() noexcept {
    if (waits_ && !partner_.await(heard_)) waits_ = false;
  }
  Partner& partner_;
  std::uint64_t heard_ = 0;
  bool waits_ = true, cut_ = false;
};

}  // namespace hyb::test::matrix
