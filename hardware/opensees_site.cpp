#include "hardware/opensees_site.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "hardware/opensees_session.h"
#include "hardware/port.h"

namespace hyb {
namespace {

using namespace std::chrono_literals;

constexpr auto kSlice = 100ms;    // reaction time to the end of the program
constexpr auto kReplyTime = 10s;  // for a client to accept a reply
constexpr std::size_t kChunk = 65536;

class OpenSeesSite final : public ExternalSite {
 public:
  OpenSeesSite(const SiteSpec& site, std::shared_ptr<TargetExchange> exchange)
      : site_(site),
        exchange_(std::move(exchange)),
        listener_(parseAddress(site.listen, "/coupling/listen"), SerialSpec()),
        thread_([this] { work(); }) {}
  ~OpenSeesSite() override {
    closing_.store(true, std::memory_order_release);
    exchange_->changed();
    thread_.join();
  }

  std::string address() const override { return listener_.address(); }
  bool connected() const noexcept override { return connected_.load(std::memory_order_acquire); }

 private:
  bool closing() const noexcept { return closing_.load(std::memory_order_acquire); }
  bool over() const noexcept { return exchange_->over.load(std::memory_order_acquire); }

  void work() {
    while (!closing()) {
      const std::unique_ptr<Port> client = listener_.accept(kSlice);
      if (!client) continue;
      connected_.store(true, std::memory_order_release);
      const bool begun = serve(*client);
      connected_.store(false, std::memory_order_release);
      if (begun) exchange_->finished.store(true, std::memory_order_release);
    }
  }

  /// Serves one client until it leaves. True: it had begun a test.
  bool serve(Port& client) {
    OpenSeesSession session(site_, exchange_->targets.draft().displacement_m.size());
    std::array<std::uint8_t, 4096> chunk;
    bool ended = false;
    while (!closing()) {
      client.acknowledgeAtOnce();
      if (!client.waitReadable(kSlice)) continue;
      const Port::Result result = client.read(chunk);
      if (!ended) session.feed(std::span(chunk).first(result.bytes));
      while (!ended && !closing()) {
        const OpenSeesSession::Step step = session.next();
        if (step == OpenSeesSession::Step::more) break;
        ended = !take(session, step, client);
      }
      if (result.closed) {
        if (session.begun() && !ended && !over()) {
          remark("client left without ending the session");
          exchange_->abandoned.store(true, std::memory_order_release);
        }
        break;
      }
    }
    return session.begun();
  }

  /// False: the client is finished, further data are ignored.
  bool take(OpenSeesSession& session, OpenSeesSession::Step step, Port& client) {
    switch (step) {
      case OpenSeesSession::Step::target: {
        ExternalTargetPoint& target = exchange_->targets.draft();
        std::copy(session.target_m().begin(), session.target_m().end(), target.displacement_m.begin());
        target.number = ++number_;
        exchange_->targets.publish();
        exchange_->asked.store(number_, std::memory_order_release);
        return true;
      }
      case OpenSeesSession::Step::reply:
        return reply(over() ? session.faultReply() : session.constantReply(), client);
      case OpenSeesSession::Step::measured:
        return waitForAnswer() ? reply(session.measuredReply(exchange_->answers.value()), client)
                               : reply(session.faultReply(), client);
      case OpenSeesSession::Step::remark:
        remark(session.remark());
        return true;
      case OpenSeesSession::Step::end:
        exchange_->finished.store(true, std::memory_order_release);
        return false;
      case OpenSeesSession::Step::more:
        break;
    }
    return true;
  }

  /// A client blocks while it waits, so there is no deadline: a pause of the test only delays the reply. False: the
  /// test or the program has ended.
  bool waitForAnswer() {
    for (;;) {
      const std::uint32_t seen = exchange_->changes.load(std::memory_order_acquire);
      if (closing() || over()) return false;
      if (exchange_->answered.load(std::memory_order_acquire) >= number_) {
        exchange_->answers.receive();
        return true;
      }
      exchange_->changes.wait(seen, std::memory_order_acquire);
    }
  }

  bool reply(std::span<const std::uint8_t> bytes, Port& client) {
    if (over() && site_.on_fault == SiteFaultAnswer::silence) return true;
    return closing() || client.writeAll(bytes, kReplyTime);
  }

  void remark(const std::string& text) {
    Event event;
    event.code = EventCode::client_remark;
    event.setText(text);
    exchange_->remarks.push(event);
  }

  const SiteSpec site_;
  const std::shared_ptr<TargetExchange> exchange_;
  Listener listener_;
  std::uint64_t number_ = 1;  // of the newest target
  std::atomic<bool> connected_{false}, closing_{false};
  std::thread thread_;  // last member: it uses all others
};

}  // namespace

std::unique_ptr<ExternalSite> makeOpenSeesSite(const SiteSpec& site, std::shared_ptr<TargetExchange> exchange) {
  return std::make_unique<OpenSeesSite>(site, std::move(exchange));
}

}  // namespace hyb
