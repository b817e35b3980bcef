#include "hardware/program_site.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "hardware/conversation.h"
#include "hardware/port.h"

namespace hyb {
namespace {

using namespace std::chrono_literals;

constexpr auto kSlice = 100ms;    // reaction time to the end of the program
constexpr auto kReplyTime = 10s;  // for a client to accept a reply
constexpr std::size_t kChunk = 65536;

class ProgramSite final : public ExternalSite {
 public:
  ProgramSite(const SiteSpec& site, std::shared_ptr<TargetExchange> exchange)
      : site_(site),
        exchange_(std::move(exchange)),
        listener_(parseAddress(site.listen, "/coupling/listen"), SerialSpec()),
        thread_([this] { work(); }) {}
  ~ProgramSite() override {
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
      const std::unique_ptr<Port> client = next_ ? std::move(next_) : listener_.accept(kSlice);
      if (!client) continue;
      connected_.store(true, std::memory_order_release);
      const bool begun = serve(*client);
      connected_.store(false, std::memory_order_release);
      if (begun) exchange_->finished.store(true, std::memory_order_release);
    }
  }

  /// Serves one client until it leaves. True: it had begun a test.
  bool serve(Port& client) {
    const std::unique_ptr<Conversation> session =
        makeConversation(site_, exchange_->targets.draft().displacement_m.size());
    std::array<std::uint8_t, 4096> chunk;
    bool ended = false;
    lost_ = false;
    while (!closing()) {
      client.acknowledgeAtOnce();
      if (!client.waitReadable(kSlice)) {
        if (session->begun() || !givesWay(session->pending())) continue;
        return false;
      }
      const Port::Result result = client.read(chunk);
      if (!ended) session->feed(std::span(chunk).first(result.bytes));
      while (!ended && !closing()) {
        const Conversation::Step step = session->next();
        if (step == Conversation::Step::more) break;
        if (step == Conversation::Step::refused) {
          remark(session->remark());
          return false;
        }
        ended = !take(*session, step, client);
      }
      if (!result.closed && !lost_) continue;
      tellOfLeaving(*session, ended && !lost_);
      break;
    }
    return session->begun();
  }

  /// A client that has not agreed on sizes, and says nothing, must not keep out the next one.
  bool givesWay(std::size_t bytes) {
    next_ = listener_.accept(0ms);
    if (next_) remark("client gave way to the next one after " + std::to_string(bytes) + " bytes without a session");
    return next_ != nullptr;
  }

  void tellOfLeaving(const Conversation& session, bool ended) {
    const std::size_t rest = session.pending();
    if (!session.begun()) {
      if (rest > 0) remark("client left after " + std::to_string(rest) + " bytes, before its sizes were complete");
      return;
    }
    if (ended || over()) return;
    remark("client left without ending the session" +
           (rest > 0 ? ", in the middle of a block (" + std::to_string(rest) + " bytes)" : std::string()));
    exchange_->abandoned.store(true, std::memory_order_release);
  }

  /// False: the client is finished, further data are ignored.
  bool take(Conversation& session, Conversation::Step step, Port& client) {
    switch (step) {
      case Conversation::Step::target: {
        ExternalTargetPoint& target = exchange_->targets.draft();
        std::copy(session.target_m().begin(), session.target_m().end(), target.displacement_m.begin());
        target.number = ++number_;
        exchange_->targets.publish();
        exchange_->asked.store(number_, std::memory_order_release);
        return true;
      }
      case Conversation::Step::reply:
        return reply(over() ? session.faultReply() : session.constantReply(), client);
      case Conversation::Step::measured:
        return waitForAnswer() ? reply(session.measuredReply(exchange_->answers.value()), client)
                               : reply(session.faultReply(), client);
      case Conversation::Step::remark:
        remark(session.remark());
        return true;
      case Conversation::Step::end:
        exchange_->finished.store(true, std::memory_order_release);
        return false;
      case Conversation::Step::refused:
      case Conversation::Step::more:
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
    lost_ = !closing() && !client.writeAll(bytes, kReplyTime);
    return !lost_;
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
  std::unique_ptr<Port> next_;  // has connected while another one kept its place
  std::uint64_t number_ = 1;    // of the newest target
  bool lost_ = false;           // the client took a reply no more
  std::atomic<bool> connected_{false}, closing_{false};
  std::thread thread_;  // last member: it uses all others
};

}  // namespace

std::unique_ptr<ExternalSite> makeProgramSite(const SiteSpec& site, std::shared_ptr<TargetExchange> exchange) {
  return std::make_unique<ProgramSite>(site, std::move(exchange));
}

}  // namespace hyb
