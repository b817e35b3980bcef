#include "hardware/polled_server.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "hardware/ads_server.h"
#include "hardware/modbus_server.h"
#include "hardware/port.h"
#include "hardware/text_server.h"

namespace hyb {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds kPolledIdle(50), kAnswerWait(200);
constexpr std::size_t kMostWaiting = 65536;  // bytes of a bench that does not wait for its answers

struct ResponderEntry {
  std::string_view protocol;
  std::unique_ptr<Responder> (*make)(const RigSpec& project, ServedRig& rig);
};
constexpr std::array<ResponderEntry, 3> kResponders = {
    {{"text", makeTextResponder}, {"modbus", makeModbusResponder}, {"ads", makeAdsResponder}}};

const ResponderEntry* responderOf(const RigSpec& project) {
  const RigProtocol* const protocol = project.connection.protocol.get();
  const auto own = std::ranges::find_if(
      kResponders, [&](const ResponderEntry& entry) { return protocol && entry.protocol == protocol->name(); });
  return own == kResponders.end() ? nullptr : &*own;
}

}  // namespace

struct PolledServer::Impl {
  Impl(std::unique_ptr<Rig> twin, RigServerSpec spec, const RigSpec& description,
       std::function<void(const std::string&)> say, Clock& time)
      : project(description), rig(std::move(twin), std::move(spec), std::move(say), time), clock(time) {
    const ResponderEntry* const entry = responderOf(project);
    if (entry == nullptr)
      throw InputError("/rig/connection/protocol",
                       "is not one of questions and answers; use \"text\", \"modbus\" or \"ads\".");
    responder = entry->make(project, rig);
    listener = std::make_unique<Listener>(rig.spec().listen, rig.spec().serial);
    checkKeyless(rig.spec(), listener->onThisComputerOnly(),
                 "the protocol \"" + std::string(project.connection.protocol->name()) + "\"");
  }

  void serve(const std::function<bool()>& ended) {
    while (!ended()) {
      port = other ? std::move(other) : listener->accept(kPolledIdle);
      if (!port) continue;
      rig.say("connected: " + port->name());
      begin();
      const bool open = session(ended);
      if (rig.following()) rig.stop(open ? "the server ends" : "the connection ended", false);
      const bool line_gone = port->serial() && !open;  // a serial line never ends by itself
      port.reset();
      if (line_gone)
        throw DeviceError(listener->address() + ": the serial line is gone; plug it in and restart the rig.");
      rig.say("waiting at " + listener->address());
    }
  }

  void begin() {
    rig.begin();
    responder->begin();
    received.clear();
  }

  /// False: the connection has ended, or the bench lost its place.
  bool session(const std::function<bool()>& ended) {
    while (!ended()) {
      auto wait = nanoseconds(kPolledIdle);
      if (const auto due = rig.wire().nextNs())
        wait = std::clamp(nanoseconds(*due - clock.nowNs()), nanoseconds(0), wait);
      const bool readable = port->waitReadable(wait);
      const bool silent = rig.stopIfSilent();
      if (readable && !receive(silent)) return false;
      flush();
      if (!port->serial()) other = listener->accept(milliseconds(0));
      if (other && silent && !readable) return false;
      if (!other) continue;
      rig.say("refused: " + other->name() + ", while " + port->name() + " has the rig");
      other.reset();
    }
    return true;
  }

  /// False: the bench has closed the connection.
  bool receive(bool silent) {
    std::array<std::uint8_t, 4096> bytes;
    const Port::Result got = port->read(bytes);
    if (rig.wire().cut()) return !got.closed;
    const bool stopped = rig.state() == ServedRig::State::stopped && !rig.fault();
    if (port->serial() && got.bytes > 0 && (stopped || (silent && rig.state() == ServedRig::State::stopped))) begin();
    received.insert(received.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(got.bytes));
    for (;;) {
      answer.clear();
      const std::size_t used = responder->take(received, answer);
      if (used == 0) break;
      received.erase(received.begin(), received.begin() + static_cast<std::ptrdiff_t>(used));
      if (!answer.empty()) send();
    }
    if (received.size() > kMostWaiting) received.clear();
    return !got.closed;
  }

  void send() {
    WireFaults& wire = rig.wire();
    if ((wire.any() || wire.nextNs()) && answer.size() > 2)
      wire.add(answer, clock.nowNs());
    else
      (void)port->writeAll(answer, kAnswerWait);
    flush();
  }
  void flush() {
    for (auto bytes = rig.wire().due(clock.nowNs()); !bytes.empty(); bytes = rig.wire().due(clock.nowNs()))
      (void)port->writeAll(bytes, kAnswerWait);
  }

  const RigSpec project;
  ServedRig rig;
  Clock& clock;
  std::unique_ptr<Responder> responder;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Port> port, other;  // the bench, and the next one
  std::vector<std::uint8_t> received, answer;
};

bool PolledServer::serves(const RigSpec& project) { return responderOf(project) != nullptr; }
PolledServer::PolledServer(std::unique_ptr<Rig> rig, RigServerSpec spec, const RigSpec& project,
                           std::function<void(const std::string&)> say, Clock& clock)
    : impl_(std::make_unique<Impl>(std::move(rig), std::move(spec), project, std::move(say), clock)) {}
PolledServer::~PolledServer() = default;
const std::string& PolledServer::address() const noexcept { return impl_->listener->address(); }
void PolledServer::serve(const std::function<bool()>& ended) { impl_->serve(ended); }
ServedRig::State PolledServer::state() const noexcept { return impl_->rig.state(); }

}  // namespace hyb
