#pragma once
#include <QTemporaryDir>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/polled_device.h"
#include "tests/support/ads_partner.h"
#include "tests/support/ads_rig.h"
#include "tests/support/change_protocol.h"
#include "tests/support/driver_rig.h"
#include "tests/support/modbus_partner.h"
#include "tests/support/stream_proxy.h"
#include "tests/support/text_partner.h"

namespace hyb::test {

/// A fault of a link: of the wire, with the next answers, or of the device itself.
struct LinkFault {
  enum class Lapse : std::uint8_t {
    none,
    refuses,        // each command, and the stop
    reports_fault,  // of its own
    not_a_number,   // one measured value
    restarts,       // and has forgotten everything
    crashes,
  };
  std::optional<StreamProxy::Fate> fate = {};
  int answers = -1;  // that have it, below 0: all
  Lapse lapse = Lapse::none;
};

/// What a test says of its stop after a fault, and a short name for it.
inline const char* stopWords(Stopped stopped) {
  switch (stopped) {
    case Stopped::confirmed:
      return "the device confirmed the stop";
    case Stopped::sent:
      return "the stop was sent; this device does not confirm stops: check that it is at rest";
    case Stopped::unconfirmed:
      return "the stop was sent, but the device did not confirm it: check that it is at rest";
    case Stopped::refused:
      return "the device did not accept the stop: check that it is at rest";
    case Stopped::unknown_how:
    case Stopped::unsent:
      break;
  }
  return "the stop could not be sent: check that it is at rest";
}
inline const char* stopName(Stopped stopped) {
  constexpr std::array<const char*, 6> kNames = {"confirmed", "unknown", "sent", "unconfirmed", "refused", "unsent"};
  return kNames[static_cast<std::size_t>(stopped)];
}

/// The far end of a link: an ideal actuator on a spring of 1000 N/m.
class LinkPeer {
 public:
  virtual ~LinkPeer() = default;
  virtual RigSpec rig() const = 0;
  /// Of the device, as its messages begin.
  virtual std::string description() const = 0;
  /// Before the test, for a device whose faults begin by themselves, with exchange `from`. Some ask for inputs alone.
  virtual void prepare(const LinkFault& /*fault*/, std::uint64_t /*from*/) {}
  virtual bool beginsByItself() const { return false; }
  virtual void begin(const LinkFault& fault) = 0;
  virtual void mend() = 0;
  /// It has obeyed a stop.
  virtual bool stopped() const = 0;
  /// A stop reaches it, whatever becomes of its answer.
  virtual bool reachable(const LinkFault& fault) const = 0;
  /// What a bench can know of the stop.
  virtual Stopped stopTold(const LinkFault& fault) const = 0;
};

/// One that answers over a stream, behind a proxy.
template <typename Partner>
class StreamPeer : public LinkPeer {
 public:
  void prepare(const LinkFault& fault, std::uint64_t /*from*/) override {
    using Fate = StreamProxy::Fate;
    const bool answered = !fault.fate || *fault.fate == Fate::doubled || *fault.fate == Fate::echoed;
    patience_s_ = answered ? kPatient_s : fault.answers == 1 ? kOnce_s : kBrief_s;
  }
  void begin(const LinkFault& fault) override {
    if (fault.fate) proxy_->play(*fault.fate, fault.answers);
    if (fault.lapse != LinkFault::Lapse::none) lapse(fault.lapse, true);
    lapse_ = fault.lapse;
  }
  void mend() override {
    patience_s_ = kPatient_s;
    proxy_->play(StreamProxy::Fate::whole, 0);
    if (lapse_ != LinkFault::Lapse::none) lapse(lapse_, false);
  }
  bool stopped() const override { return partner_->stopped; }
  bool reachable(const LinkFault& fault) const override { return fault.lapse != LinkFault::Lapse::refuses; }
  Stopped stopTold(const LinkFault& fault) const override {
    if (fault.lapse == LinkFault::Lapse::refuses) return Stopped::refused;
    return fault.fate && fault.answers < 0 ? Stopped::unconfirmed : Stopped::confirmed;
  }

 protected:
  /// Each answer comes with the next one: that to the second stop is the answer to the first. Without numbers it
  /// counts.
  static bool confirmedByRepetition(const LinkFault& fault) {
    return fault.fate == StreamProxy::Fate::late && fault.answers < 0;
  }
  // For an answer, on a busy machine; where one stays away, a test that takes a late one for lost ends alike.
  static constexpr double kPatient_s = 20.0, kOnce_s = 4.0, kBrief_s = 1.0;
  StreamPeer(std::unique_ptr<Partner> partner, bool serial, StreamProxy::Whole whole)
      : partner_(std::move(partner)),
        proxy_(std::make_unique<StreamProxy>(partner_->address(), serial ? "serial:pty" : "tcp://127.0.0.1:0",
                                             std::move(whole))) {}
  virtual void lapse(LinkFault::Lapse lapse, bool begins) = 0;
  std::unique_ptr<Partner> partner_;
  std::unique_ptr<StreamProxy> proxy_;  // after its device: it goes first
  double patience_s_ = kPatient_s;

 private:
  LinkFault::Lapse lapse_ = LinkFault::Lapse::none;
};

inline void turnForce(RigSpec& rig) {
  for (ChannelSpec& channel : rig.channels)
    if (channel.role == ChannelRole::force) channel.gain = -1.0;
}

class TextPeer final : public StreamPeer<TextPartner> {
 public:
  TextPeer(bool serial, bool confirms)
      : StreamPeer(std::make_unique<TextPartner>(serial), serial,
                   [](std::span<const std::uint8_t> bytes) {
                     const auto end = std::find(bytes.begin(), bytes.end(), std::uint8_t{'\n'});
                     return end == bytes.end() ? std::size_t{0} : static_cast<std::size_t>(end - bytes.begin()) + 1;
                   }),
        confirms_(confirms) {
    partner_->confirming = confirms;
  }
  RigSpec rig() const override {
    RigSpec rig = textRig(proxy_->address());
    Change<TextSpec> change(rig.connection);
    change->reply_s = patience_s_;
    if (confirms_) {
      change->set_is_answered = true;
      change->accepted = "^OK";
    }
    turnForce(rig);
    return rig;
  }
  std::string description() const override { return "text instrument at " + proxy_->address(); }
  Stopped stopTold(const LinkFault& fault) const override {
    if (!confirms_) return Stopped::sent;
    if (fault.fate == StreamProxy::Fate::damaged) return Stopped::refused;  // "OK" became something else
    return confirmedByRepetition(fault) ? Stopped::confirmed : StreamPeer::stopTold(fault);
  }

 private:
  void lapse(LinkFault::Lapse lapse, bool begins) override {
    using Lapse = LinkFault::Lapse;
    if (lapse == Lapse::refuses) partner_->refusing = begins;
    if (lapse == Lapse::reports_fault) partner_->faulty = begins;
    if (lapse == Lapse::not_a_number) partner_->mode = begins ? TextPartner::Mode::overflow : TextPartner::Mode::good;
  }
  const bool confirms_;
};

class ModbusPeer final : public StreamPeer<ModbusPartner> {
 public:
  explicit ModbusPeer(bool serial)
      : StreamPeer(std::make_unique<ModbusPartner>(serial), serial,
                   [serial](std::span<const std::uint8_t> bytes) {
                     std::size_t size = 0;
                     if (!serial)
                       size = bytes.size() < 6 ? 6 : 6 + static_cast<std::size_t>(bytes[4] << 8 | bytes[5]);
                     else if (bytes.size() < 3)
                       size = 3;
                     else if ((bytes[1] & 0x80u) != 0)
                       size = 5;
                     else if (bytes[1] == MODBUS_FC_WRITE_MULTIPLE_REGISTERS || bytes[1] == 8)
                       size = 8;
                     else
                       size = 5 + std::size_t{bytes[2]};
                     return bytes.size() < size || bytes.empty() ? std::size_t{0} : size;
                   }),
        serial_(serial) {}
  RigSpec rig() const override {
    RigSpec rig = modbusRig(proxy_->address());
    Change<ModbusSpec>(rig.connection)->reply_s = patience_s_;
    turnForce(rig);
    return rig;
  }
  std::string description() const override { return "Modbus unit 5 at " + proxy_->address(); }
  Stopped stopTold(const LinkFault& fault) const override {
    return serial_ && confirmedByRepetition(fault) ? Stopped::confirmed : StreamPeer::stopTold(fault);
  }

 private:
  void lapse(LinkFault::Lapse lapse, bool begins) override {
    using Lapse = LinkFault::Lapse;
    if (lapse == Lapse::refuses) partner_->mode = begins ? ModbusPartner::Mode::exception : ModbusPartner::Mode::good;
    if (lapse == Lapse::not_a_number) partner_->broken_sensor = begins;
  }
  const bool serial_;
};

class AdsPeer final : public StreamPeer<AdsPartner> {
 public:
  AdsPeer()
      : StreamPeer(std::make_unique<AdsPartner>(), false, [](std::span<const std::uint8_t> bytes) {
          const std::size_t size = bytes.size() < 6 ? 6 : 6 + AdsPartner::dword(bytes, 2);
          return bytes.size() < size ? std::size_t{0} : size;
        }) {}
  RigSpec rig() const override {
    RigSpec rig = adsRig(proxy_->address());
    Change<AdsSpec> change(rig.connection);
    change->reply_s = patience_s_;
    change->state_s = 0.1;
    change->task = 1;
    return rig;
  }
  std::string description() const override { return "ADS controller 5.1.2.3.1.1, port 851, at " + proxy_->address(); }
  Stopped stopTold(const LinkFault& fault) const override {
    if (fault.lapse == LinkFault::Lapse::reports_fault) return Stopped::unconfirmed;  // a PLC that does not run
    return StreamPeer::stopTold(fault);
  }

 private:
  void lapse(LinkFault::Lapse lapse, bool begins) override {
    using Lapse = LinkFault::Lapse;
    if (lapse == Lapse::refuses) partner_->mode = begins ? AdsPartner::Mode::refuses_writes : AdsPartner::Mode::good;
    if (lapse == Lapse::reports_fault) partner_->state = begins ? 6 : 5;
    if (lapse == Lapse::not_a_number) partner_->broken_sensor = begins;
    if (lapse == Lapse::restarts && begins) partner_->restart();
  }
};

/// The driver of the tests that does each thing wrong, from its exchange number `from` on.
class DriverPeer final : public LinkPeer {
 public:
  explicit DriverPeer(bool own_process) : own_process_(own_process) {}
  RigSpec rig() const override {
    RigSpec rig = driverRig(
        "faulty.so", {{ChannelRole::displacement, "sent"}, {ChannelRole::command, "out"}, {ChannelRole::force, "sent"}},
        {{"fault", fault_}, {"from", from_}, {"told", told().toStdString()}}, own_process_);
    for (ChannelSpec& channel : rig.channels) {
      if (channel.role != ChannelRole::force) continue;
      channel.name = "force";  // beside the displacement, which is the same input
      channel.gain = 1000.0;
    }
    Change<DriverSpec> change(rig.connection);
    if (fault_ == "hang") change->reply_s = 1.0;
    return rig;
  }
  std::string description() const override { return "driver \"Faulty\" (faulty.so)"; }
  void prepare(const LinkFault& fault, std::uint64_t from) override {
    fault_ = faultOf(fault, own_process_);
    from_ = from;
  }
  bool beginsByItself() const override { return true; }
  void begin(const LinkFault& /*fault*/) override {}
  void mend() override { fault_ = "none"; }
  bool stopped() const override {
    std::ifstream calls(told().toStdString());
    for (std::string line; std::getline(calls, line);)
      if (line.starts_with("stop")) return true;
    return false;
  }
  bool reachable(const LinkFault&) const override { return true; }
  Stopped stopTold(const LinkFault&) const override { return Stopped::confirmed; }
  /// Setting of the driver for a fault; "": it has no meaning for it.
  static const char* faultOf(const LinkFault& fault, bool own_process) {
    using Lapse = LinkFault::Lapse;
    if (fault.fate) {
      if (fault.answers > 0) return "";
      if (*fault.fate == StreamProxy::Fate::lost) return own_process ? "hang" : "silent";
      return *fault.fate == StreamProxy::Fate::damaged ? "bad answer" : "";
    }
    switch (fault.lapse) {
      case Lapse::reports_fault:
        return "fault";
      case Lapse::not_a_number:
        return "no number";
      case Lapse::restarts:
        return own_process ? "exit" : "";
      case Lapse::crashes:
        return own_process ? "crash" : "";
      case Lapse::refuses:
      case Lapse::none:
        break;
    }
    return "";
  }

 private:
  QString told() const { return folder_.filePath(QStringLiteral("told")); }
  const bool own_process_;
  QTemporaryDir folder_;
  std::string fault_ = "none";
  std::uint64_t from_ = 1;
};

/// A column of the matrix of links.
struct LinkKind {
  const char* name;
  std::unique_ptr<LinkPeer> (*make)();
  bool (*plays)(const LinkFault& fault);
};

inline std::span<const LinkKind> linkKinds() {
  using Lapse = LinkFault::Lapse;
  static constexpr auto kWire = [](const LinkFault& fault, std::initializer_list<Lapse> lapses, bool serial) {
    if (fault.fate) return !(serial && *fault.fate == StreamProxy::Fate::closed);  // a line has no end
    return std::find(lapses.begin(), lapses.end(), fault.lapse) != lapses.end();
  };
  static constexpr std::array<LinkKind, 8> all = {{
      {"text TCP", [] { return std::unique_ptr<LinkPeer>(std::make_unique<TextPeer>(false, false)); },
       [](const LinkFault& fault) {
         return kWire(fault, {Lapse::reports_fault, Lapse::not_a_number}, false);
       }},
      {"text pty", [] { return std::unique_ptr<LinkPeer>(std::make_unique<TextPeer>(true, false)); },
       [](const LinkFault& fault) {
         return kWire(fault, {Lapse::reports_fault, Lapse::not_a_number}, true);
       }},
      {"text confirmed", [] { return std::unique_ptr<LinkPeer>(std::make_unique<TextPeer>(false, true)); },
       [](const LinkFault& fault) {
         return kWire(fault, {Lapse::refuses, Lapse::reports_fault, Lapse::not_a_number}, false);
       }},
      {"Modbus TCP", [] { return std::unique_ptr<LinkPeer>(std::make_unique<ModbusPeer>(false)); },
       [](const LinkFault& fault) {
         return kWire(fault, {Lapse::refuses, Lapse::not_a_number}, false);
       }},
      {"Modbus pty", [] { return std::unique_ptr<LinkPeer>(std::make_unique<ModbusPeer>(true)); },
       [](const LinkFault& fault) {
         return kWire(fault, {Lapse::refuses, Lapse::not_a_number}, true);
       }},
      {"ADS", [] { return std::unique_ptr<LinkPeer>(std::make_unique<AdsPeer>()); },
       [](const LinkFault& fault) {
         return kWire(fault, {Lapse::refuses, Lapse::reports_fault, Lapse::not_a_number, Lapse::restarts}, false);
       }},
      {"driver, process", [] { return std::unique_ptr<LinkPeer>(std::make_unique<DriverPeer>(true)); },
       [](const LinkFault& fault) { return *DriverPeer::faultOf(fault, true) != '\0'; }},
      {"driver, inside", [] { return std::unique_ptr<LinkPeer>(std::make_unique<DriverPeer>(false)); },
       [](const LinkFault& fault) { return *DriverPeer::faultOf(fault, false) != '\0'; }},
  }};
  return all;
}

}  // namespace hyb::test
