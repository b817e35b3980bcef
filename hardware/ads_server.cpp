#include "hardware/ads_server.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/rig/ads_values.h"
#include "core/rig/device_channels.h"
#include "hardware/ads_frame.h"
#include "hardware/ads_plan.h"
#include "hardware/ads_words.h"

namespace hyb {
namespace {

using AdsData = std::span<const std::uint8_t>;

constexpr std::uint16_t kAdsServedSystem = 10000, kAdsStop = 6, kAdsReply = 5;
constexpr std::uint32_t kAdsBadLength = 0x705, kAdsBadState = 0x712, kAdsMostParts = 500, kAdsFirstHandle = 0x10000001;
constexpr std::uint32_t kAdsLongestRead = 65536;

void append16(AdsBytes& bytes, std::uint32_t value) {
  bytes.push_back(static_cast<std::uint8_t>(value));
  bytes.push_back(static_cast<std::uint8_t>(value >> 8));
}
void append(AdsBytes& bytes, AdsData more) { bytes.insert(bytes.end(), more.begin(), more.end()); }

/// PLC variables are found in upper and lower case.
std::string plcKey(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

struct AdsOutcome {
  std::uint32_t error = 0;
  AdsBytes bytes = {};
};

class AdsResponder final : public Responder {
 public:
  AdsResponder(const RigSpec& project, ServedRig& rig)
      : rig_(rig),
        spec_(settingsOf<AdsSpec>(project.connection.protocol.get())),
        plan_(spec_, project.channels),
        net_(netOf(spec_, rig.spec().listen)),
        inputs_(plan_.inputs) {
    for (const AdsValue& value : plan_.values) {
      const auto own = std::ranges::find_if(cells_, [&](const Cell& cell) { return same(cell.place, value.place); });
      cell_of_.push_back(static_cast<std::size_t>(own - cells_.begin()));
      if (own == cells_.end()) cells_.push_back({value.place, AdsBytes(plcSize(value.place.type)), value.written});
      cells_[cell_of_.back()].written = cells_[cell_of_.back()].written || value.written;
    }
  }

  void begin() override {
    for (Cell& cell : cells_) std::ranges::fill(cell.bytes, std::uint8_t{0});
    handles_.clear();
  }

  std::size_t take(AdsData received, AdsBytes& answer) override {
    if (received.size() < kAmsTcpHeader) return 0;
    const std::uint32_t length = ads32(received, 2);
    if (ads16(received, 0) != 0 || length < kAmsHeader || length > kLongestAmsFrame) {
      if (++ignored_ == 1) rig_.say("ignored: a header that is not AMS/TCP");
      return received.size();
    }
    if (received.size() < kAmsTcpHeader + length) return 0;
    const AdsData frame = received.subspan(kAmsTcpHeader, length);
    if (const AdsBytes reply = replyTo(frame); !reply.empty()) {
      append16(answer, 0);
      appendAds32(answer, {static_cast<std::uint32_t>(reply.size())});
      append(answer, reply);
    }
    return kAmsTcpHeader + length;
  }

 private:
  struct Cell {
    AdsPlace place;
    AdsBytes bytes;
    bool written = false;  // by the bench
    bool fresh = false;    // by the present request
  };

  static AmsNetId netOf(const AdsSpec& spec, const Address& listen) {
    if (listen.kind != Address::Kind::tcp)
      throw InputError("--listen", "is \"" + listen.text() + "\"; ADS needs tcp://HOST:PORT.");
    if (const auto net = targetNetId(spec, listen.host)) return *net;
    throw InputError("/rig/connection/target_net_id",
                     "is missing, and it does not follow from the address \"" + listen.text() + "\"; enter it.");
  }
  static bool same(const AdsPlace& a, const AdsPlace& b) {
    return a.symbol.empty() ? b.symbol.empty() && a.group == b.group && a.offset == b.offset
                            : plcKey(a.symbol) == plcKey(b.symbol);
  }

  AdsBytes replyTo(AdsData frame) {
    const AmsHead head = amsHead(frame);
    if (head.isResponse() || head.length != frame.size() - kAmsHeader) {
      if (++ignored_ == 1) rig_.say("ignored: a frame that is no request of its length");
      return {};
    }
    std::uint32_t ams_error = 0;
    if (!(head.target.net == net_))
      ams_error = kAdsTargetNotFound;
    else if (head.target.port != spec_.target_port && head.target.port != kAdsServedSystem)
      ams_error = kAdsPortNotFound;
    const AdsBytes data = ams_error == 0 ? obey(head, frame.subspan(kAmsHeader)) : AdsBytes();
    AdsBytes reply(frame.begin() + 8, frame.begin() + 16);
    append(reply, frame.first(8));
    append16(reply, head.command);
    append16(reply, kAdsReply);
    appendAds32(reply, {static_cast<std::uint32_t>(data.size()), ams_error, head.invoke_id});
    append(reply, data);
    return reply;
  }

  AdsBytes obey(const AmsHead& head, AdsData data) {
    AdsBytes answer;
    const auto place = [&](std::size_t most) { return data.size() >= most; };
    switch (static_cast<AdsCommand>(head.command)) {
      case AdsCommand::read_state:
        appendAds32(answer, {0});
        append16(answer, head.target.port == spec_.target_port && rig_.fault() ? kAdsStop : kAdsRun);
        append16(answer, 0);
        return answer;
      case AdsCommand::read_device_info: {
        static constexpr char kName[16] = "HybridBench";
        answer = {0, 0, 0, 0, 3, 1, 0, 0};
        append(answer, AdsData(reinterpret_cast<const std::uint8_t*>(kName), sizeof kName));
        return answer;
      }
      case AdsCommand::read:
        if (!place(12)) return withLength({kAdsBadLength});
        hear(true);
        return withLength(read(ads32(data, 0), ads32(data, 4), ads32(data, 8)));
      case AdsCommand::write:
        if (!place(12) || ads32(data, 8) != data.size() - 12) {
          appendAds32(answer, {kAdsBadLength});
          return answer;
        }
        hear(false);
        appendAds32(answer, {write(ads32(data, 0), ads32(data, 4), data.subspan(12))});
        act();
        return answer;
      case AdsCommand::read_write:
        if (!place(16) || ads32(data, 12) != data.size() - 16) return withLength({kAdsBadLength});
        hear(ads32(data, 0) == kAdsSumRead);
        return withLength(readWrite(ads32(data, 0), ads32(data, 4), data.subspan(16)));
    }
    appendAds32(answer, {kAdsNoService});
    return answer;
  }

  static AdsBytes withLength(const AdsOutcome& outcome) {
    AdsBytes answer;
    appendAds32(answer, {outcome.error, static_cast<std::uint32_t>(outcome.bytes.size())});
    append(answer, outcome.bytes);
    return answer;
  }

  // Variables.

  /// Null, with the error.
  Cell* cellAt(std::uint32_t group, std::uint32_t offset, std::uint32_t& error) {
    error = 0;
    if (group == kAdsValueByHandle) {
      const auto handle = handles_.find(offset);
      if (handle != handles_.end()) return &cells_[handle->second];
      error = kAdsNoSymbol;
      return nullptr;
    }
    bool known_group = false;
    for (Cell& cell : cells_) {
      if (!cell.place.symbol.empty() || cell.place.group != group) continue;
      if (cell.place.offset == offset) return &cell;
      known_group = true;
    }
    error = known_group ? kAdsBadOffset : kAdsNoGroup;
    return nullptr;
  }
  const Cell* cellOf(AdsData name) const {
    const std::string wanted = plcKey(std::string(name.begin(), std::ranges::find(name, std::uint8_t{0})));
    const auto found = std::ranges::find_if(
        cells_, [&](const Cell& cell) { return !cell.place.symbol.empty() && plcKey(cell.place.symbol) == wanted; });
    return found == cells_.end() ? nullptr : &*found;
  }

  AdsOutcome read(std::uint32_t group, std::uint32_t offset, std::uint32_t size) {
    if (group == kAdsSymbolVersion) return size == 1 ? AdsOutcome{0, {1}} : AdsOutcome{kAdsBadLength};
    AdsOutcome outcome;
    const Cell* const cell = cellAt(group, offset, outcome.error);
    if (cell == nullptr) return outcome;
    if (size > cell->bytes.size()) return {kAdsBadLength};
    outcome.bytes.assign(cell->bytes.begin(), cell->bytes.begin() + static_cast<std::ptrdiff_t>(size));
    return outcome;
  }
  std::uint32_t write(std::uint32_t group, std::uint32_t offset, AdsData bytes) {
    if (group == kAdsReleaseHandle)
      return bytes.size() == 4 && handles_.erase(ads32(bytes, 0)) == 1 ? 0u : std::uint32_t{kAdsNoSymbol};
    std::uint32_t error = 0;
    Cell* const cell = cellAt(group, offset, error);
    if (cell == nullptr) return error;
    if (bytes.size() != cell->bytes.size()) return kAdsBadLength;
    if (rig_.fault() && !stops(*cell)) return kAdsBadState;
    std::ranges::copy(bytes, cell->bytes.begin());
    cell->fresh = true;
    return 0;
  }
  bool stops(const Cell& cell) const {
    return std::ranges::any_of(plan_.stops, [&](std::size_t v) { return &cells_[cell_of_[v]] == &cell; });
  }

  AdsOutcome readWrite(std::uint32_t group, std::uint32_t offset, AdsData data) {
    switch (group) {
      case kAdsHandleByName: {
        const Cell* const cell = cellOf(data);
        if (cell == nullptr) return {kAdsNoSymbol};
        AdsOutcome outcome;
        appendAds32(outcome.bytes, {next_handle_});
        handles_[next_handle_++] = static_cast<std::size_t>(cell - cells_.data());
        return outcome;
      }
      case kAdsSymbolEntry: {
        const Cell* const cell = cellOf(data);
        return cell == nullptr ? AdsOutcome{kAdsNoSymbol} : AdsOutcome{0, entryOf(*cell)};
      }
      case kAdsSumRead:
        return sumRead(offset, data);
      case kAdsSumWrite:
        return sumWrite(offset, data);
      case kAdsSumReadWrite:
        return sumReadWrite(offset, data);
      default:
        return {kAdsNoGroup};
    }
  }

  AdsOutcome sumRead(std::uint32_t count, AdsData data) {
    if (count > kAdsMostParts || data.size() != std::size_t{12} * count) return {kAdsBadLength};
    AdsOutcome outcome;
    AdsBytes values;
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t size = ads32(data, 12 * k + 8);
      if (size > kAdsLongestRead) return {kAdsBadLength};
      AdsOutcome one = read(ads32(data, 12 * k), ads32(data, 12 * k + 4), size);
      one.bytes.resize(size);  // also where there is an error
      appendAds32(outcome.bytes, {one.error});
      append(values, one.bytes);
    }
    append(outcome.bytes, values);
    return outcome;
  }
  AdsOutcome sumWrite(std::uint32_t count, AdsData data) {
    if (count > kAdsMostParts || data.size() < std::size_t{12} * count) return {kAdsBadLength};
    AdsOutcome outcome;
    AdsData values = data.subspan(std::size_t{12} * count);
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t size = ads32(data, 12 * k + 8);
      if (size > values.size()) return {kAdsBadLength};
      appendAds32(outcome.bytes, {write(ads32(data, 12 * k), ads32(data, 12 * k + 4), values.first(size))});
      values = values.subspan(size);
    }
    act();
    return outcome;
  }
  AdsOutcome sumReadWrite(std::uint32_t count, AdsData data) {
    if (count > kAdsMostParts || data.size() < std::size_t{16} * count) return {kAdsBadLength};
    AdsOutcome outcome;
    AdsBytes results;
    AdsData values = data.subspan(std::size_t{16} * count);
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t group = ads32(data, 16 * k), size = ads32(data, 16 * k + 12);
      if (size > values.size() || (group >= kAdsSumRead && group <= kAdsSumReadWrite)) return {kAdsBadLength};
      const AdsOutcome one = readWrite(group, ads32(data, 16 * k + 4), values.first(size));
      values = values.subspan(size);
      appendAds32(outcome.bytes, {one.error, static_cast<std::uint32_t>(one.bytes.size())});
      append(results, one.bytes);
    }
    append(outcome.bytes, results);
    return outcome;
  }

  static AdsBytes entryOf(const Cell& cell) {
    const std::string type = plcName(cell.place.type), comment;
    AdsBytes entry;
    appendAds32(entry, {static_cast<std::uint32_t>(33 + cell.place.symbol.size() + type.size()), 0x4040, 0,
                        static_cast<std::uint32_t>(cell.bytes.size()), plcCode(cell.place.type),
                        cell.written ? 0x08u : 0x28u});  // 0x20: read-only
    for (const std::string* text : {&cell.place.symbol, &type, &comment})
      append16(entry, static_cast<std::uint32_t>(text->size()));
    for (const std::string* text : {&cell.place.symbol, &type, &comment}) {
      append(entry, AdsData(reinterpret_cast<const std::uint8_t*>(text->data()), text->size()));
      entry.push_back(0);
    }
    return entry;
  }

  // The program.

  /// A request: the rig moves on, and the variables with it.
  void hear(bool reads) {
    periods_ = rig_.hear(reads);
    for (Cell& cell : cells_) cell.fresh = false;
    rig_.inputs(inputs_);
    for (std::size_t k = 0; k < plan_.inputs; ++k) store(plan_.reads[k], inputs_[k]);
    if (spec_.task == 0) return;
    constexpr double kTimeUnits = 1e7, kCounts = 4294967296.0;  // of the cycle time in 1 s; of the counter
    const double cycles = std::floor(1e-9 * static_cast<double>(rig_.clock().nowNs()) * rig_.spec().rate_hz);
    store(plan_.reads.back(), std::fmod(cycles, kCounts));
    store(plan_.cycle_time, std::floor(kTimeUnits / rig_.spec().rate_hz));
  }
  void store(std::size_t value, double number) {
    encodePlc(number, plan_.values[value].place.type, cells_[cell_of_[value]].bytes.data());
  }

  /// What the request has written takes effect.
  void act() {
    for (std::size_t s = 0; s < plan_.stops.size(); ++s) {
      const Cell& cell = cells_[cell_of_[plan_.stops[s]]];
      const auto commands = [&](std::size_t k) { return &cells_[cell_of_[plan_.writes[k]]] == &cell; };
      bool output = false;  // then it is a command as any other
      for (std::size_t k = 0; k < plan_.outputs; ++k) output = output || commands(k);
      AdsBytes wanted(cell.bytes.size());
      encodePlc(spec_.stop[s].second, cell.place.type, wanted.data());
      if (!output && cell.fresh && cell.bytes == wanted) return rig_.stop("the bench stopped it", false);
    }
    bool any = false;
    for (std::size_t k = 0; k < plan_.outputs; ++k) {
      const Cell& cell = cells_[cell_of_[plan_.writes[k]]];
      if (!cell.fresh) continue;
      any = true;
      if (!rig_.take(k, decodePlc(cell.bytes.data(), cell.place.type), periods_)) return;
    }
    if (any) rig_.write();
  }

  ServedRig& rig_;
  const AdsSpec& spec_;  // of the project, which outlives this
  const AdsPlan plan_;
  const AmsNetId net_;
  std::vector<Cell> cells_;           // one for each variable
  std::vector<std::size_t> cell_of_;  // [values of the plan]
  std::map<std::uint32_t, std::size_t> handles_;
  std::uint32_t next_handle_ = kAdsFirstHandle;
  std::vector<double> inputs_;
  double periods_ = 1.0;
  std::uint64_t ignored_ = 0;
};

}  // namespace

std::unique_ptr<Responder> makeAdsResponder(const RigSpec& project, ServedRig& rig) {
  return std::make_unique<AdsResponder>(project, rig);
}

}  // namespace hyb
