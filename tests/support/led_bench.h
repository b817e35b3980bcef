#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

#include "core/base/allocation_guard.h"
#include "core/coupling/coupling.h"
#include "core/tick/event.h"
#include "core/tick/target_exchange.h"
#include "hardware/port.h"
#include "hardware/program_site.h"
#include "tests/support/patience.h"

namespace hyb::test {

/// A bench without a loop: a thread that ticks the scheme on an ideal actuator with a spring, one tick late.
class LedBench {
 public:
  static constexpr double kStiffness = 2000.0;

  using MakeScheme = std::function<std::unique_ptr<CouplingScheme>(std::shared_ptr<TargetExchange>)>;
  LedBench(std::size_t interfaces, SiteSpec site, const MakeScheme& make_scheme)
      : exchange(std::make_shared<TargetExchange>(interfaces)), interfaces_(interfaces) {
    site.listen = "tcp://127.0.0.1:0";
    server = makeProgramSite(site, exchange);
    scheme = make_scheme(exchange);
    scheme->reset();
    thread_ = std::thread([this] { tick(); });
  }
  ~LedBench() {
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
        std::this_thread::sleep_for(std::chrono::microseconds(50));
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
      for (Event event; scheme->director()->takeEvent(event);) remarks_.push_back(message(event, {}));
      if (scheme->director()->ends() != EndReason::running) hold = true;
    }
  }

  std::size_t interfaces_;
  std::mutex mutex_;
  std::vector<std::string> remarks_;
  std::atomic<bool> closing_{false};
  std::thread thread_;
};

/// Bytes to and from a bench.
class LedClient {
 public:
  explicit LedClient(const LedBench& bench) : port_(bench.connect()) {}
  explicit LedClient(const std::string& address) : port_(openPort(parseAddress(address, ""), SerialSpec(), 10.0)) {}

  void send(const void* bytes, std::size_t count) {
    port_->writeAll({static_cast<const std::uint8_t*>(bytes), count}, kWait);
  }
  void sendSizes(const std::array<std::int32_t, 11>& sizes) {
    send(sizes.data(), sizeof sizes);
    length_ = static_cast<std::size_t>(sizes[10]);
  }
  /// A block that begins with these values.
  void request(std::vector<double> values) {
    values.resize(length_, 0.0);
    send(values.data(), values.size() * sizeof(double));
  }
  /// The next reply; empty: none within `wait`, or the connection was closed.
  std::vector<double> reply(std::chrono::nanoseconds wait = kWait) {
    std::vector<double> values(length_);
    std::span<std::uint8_t> rest(reinterpret_cast<std::uint8_t*>(values.data()), values.size() * sizeof(double));
    while (!rest.empty()) {
      if (!port_->waitReadable(wait)) return {};
      const Port::Result result = port_->read(rest);
      closed_ = result.closed;
      if (closed_) return {};
      rest = rest.subspan(result.bytes);
    }
    return values;
  }
  std::vector<double> ask(std::vector<double> values) {
    request(std::move(values));
    return reply();
  }
  /// The bench closes the connection.
  bool isClosed() {
    length_ = 1;
    return reply().empty() && closed_;
  }
  void close() { port_.reset(); }

 private:
  static constexpr auto kWait = std::chrono::milliseconds(kHangs_ms);
  std::unique_ptr<Port> port_;
  std::size_t length_ = 1;
  bool closed_ = false;
};

inline bool has(const std::vector<std::string>& remarks, const std::string& part) {
  for (const std::string& remark : remarks)
    if (remark.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace hyb::test
