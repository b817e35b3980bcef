#include "hardware/ads_symbols.h"

#include <algorithm>
#include <optional>

#include "core/rig/ads_values.h"
#include "hardware/ads_words.h"

namespace hyb {
namespace {

constexpr std::uint32_t kLongestEntry = 0xFFFF;
constexpr std::uint32_t kAdsText = 0x1E, kAdsWideText = 0x1F, kAdsExtended = 0x20, kAdsStructure = 0x41;

AdsBytes zeroEnded(const std::string& name) {
  AdsBytes bytes(name.begin(), name.end());
  bytes.push_back(0);
  return bytes;
}

/// The controller has no such service, so it tells nothing.
bool unsupported(std::uint32_t error) noexcept { return error == kAdsNoService || error == kAdsNoGroup; }

/// "" if the variable suits the value.
std::string mismatch(const AdsValue& value, const AdsSymbolEntry& entry) {
  const PlcType own = value.place.type;
  const std::optional<PlcType> type = plcTypeOfCode(entry.type);
  const std::string says = std::string("is ") + plcName(own) + ", but " + value.place.symbol + " is " +
                           (entry.type_name.empty() ? "another type" : entry.type_name) + " (" +
                           std::to_string(entry.size) + " bytes) in the controller; ";
  const bool number =
      entry.type != kAdsText && entry.type != kAdsWideText && entry.type != kAdsExtended && entry.type != kAdsStructure;
  if (number && type && *type != own && entry.size == plcSize(*type)) return says + "enter " + plcName(*type) + ".";
  if (!number || entry.size != plcSize(own))
    return says + "name a single number: an element (" + value.place.symbol + "[1]) or a member.";
  return {};
}

}  // namespace

std::string AdsValue::name() const {
  return place.symbol.empty()
             ? "index group " + std::to_string(place.group) + ", offset " + std::to_string(place.offset)
             : place.symbol;
}

AdsLink::Answer AdsSymbols::check(AdsLink& link) const {
  Checks checks;
  for (const AdsValue& value : values_) {
    if (value.place.symbol.empty()) continue;
    const AdsLink::Answer answer =
        link.ask(AdsRequest::readWrite(kAdsSymbolEntry, 0, kLongestEntry, zeroEnded(value.place.symbol)));
    const std::uint32_t error = link.answer().error;
    if (answer == AdsLink::Answer::refused && error == kAdsNoSymbol)
      checks.fault(value.symbol_at, "names " + value.place.symbol + ", which the controller does not have (" +
                                        (value.remedy.empty() ? adsErrorText(error) : value.remedy) + ").");
    if (answer == AdsLink::Answer::refused && unsupported(error)) break;
    if (answer != AdsLink::Answer::ok && answer != AdsLink::Answer::refused) return answer;
    const auto entry = answer == AdsLink::Answer::ok ? adsSymbolEntry(link.answer().data) : std::nullopt;
    if (!entry) continue;
    if (const std::string fault = mismatch(value, *entry); !fault.empty()) checks.fault(value.type_at, fault);
    if (value.written && entry->readOnly())
      checks.fault(value.symbol_at, "names " + value.place.symbol +
                                        ", which is read-only in the controller; name a variable that may be written.");
  }
  checks.throwIfAny();
  return AdsLink::Answer::ok;
}

/// Of the first refusal.
void AdsSymbols::refuse(std::size_t k, std::uint32_t error) {
  if (complaint_.empty()) complaint_ = "no handle of " + values_[k].place.symbol + ": " + adsErrorText(error);
}
AdsLink::Answer AdsSymbols::wrong(const std::string& sentence) {
  complaint_ = sentence;
  return AdsLink::Answer::wrong;
}

AdsLink::Answer AdsSymbols::fetch(AdsLink& link, bool for_stop) {
  fetched_ = false;
  complaint_.clear();
  std::ranges::fill(handles_, 0u);  // which is never valid
  std::vector<std::size_t> named;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < values_.size(); ++k)
    if (!values_[k].place.symbol.empty()) {
      named.push_back(k);
      names.push_back(values_[k].place.symbol);
    }
  fetched_ = names.empty();
  if (fetched_) return AdsLink::Answer::ok;
  const AdsLink::Answer answer = link.ask(AdsRequest::sumHandles(names), for_stop);
  const AdsAnswer& got = link.answer();
  if (answer == AdsLink::Answer::refused && unsupported(got.error)) return fetchOneByOne(link, named, for_stop);
  if (answer == AdsLink::Answer::refused) refuse(named.front(), got.error);
  if (answer != AdsLink::Answer::ok && answer != AdsLink::Answer::refused) complaint_ = link.complaint();
  if (answer != AdsLink::Answer::ok) return answer;
  std::size_t at = 8 * named.size();
  if (got.data.size() < at) return wrong("the answer to the request for handles is too short");
  for (std::size_t n = 0; n < named.size(); ++n) {
    const std::uint32_t error = ads32(got.data, 8 * n), length = ads32(got.data, 8 * n + 4);
    if (length > got.data.size() - at || (error == 0 && length != 4))
      return wrong("the answer to the request for handles has a wrong length");
    if (error == 0) handles_[named[n]] = ads32(got.data, at);
    if (error != 0) refuse(named[n], error);
    at += length;
  }
  fetched_ = complaint_.empty();
  return fetched_ ? AdsLink::Answer::ok : AdsLink::Answer::refused;
}

/// For a controller without sum commands of this kind.
AdsLink::Answer AdsSymbols::fetchOneByOne(AdsLink& link, const std::vector<std::size_t>& named, bool for_stop) {
  for (const std::size_t k : named) {
    const AdsLink::Answer answer =
        link.ask(AdsRequest::readWrite(kAdsHandleByName, 0, 4, zeroEnded(values_[k].place.symbol)), for_stop);
    if (answer == AdsLink::Answer::refused) {
      refuse(k, link.answer().error);
      continue;
    }
    if (answer != AdsLink::Answer::ok) complaint_ = link.complaint();
    if (answer != AdsLink::Answer::ok) return answer;
    if (link.answer().data.size() != 4) return wrong("the answer to the request for a handle has a wrong length");
    handles_[k] = ads32(link.answer().data, 0);
  }
  fetched_ = complaint_.empty();
  return fetched_ ? AdsLink::Answer::ok : AdsLink::Answer::refused;
}

void AdsSymbols::release(AdsLink& link) {
  if (!fetched_) return;
  fetched_ = false;
  std::vector<AdsPart> parts;
  AdsBytes handles;
  for (std::size_t k = 0; k < values_.size(); ++k) {
    if (values_[k].place.symbol.empty()) continue;
    parts.push_back({kAdsReleaseHandle, 0, 4});
    appendAds32(handles, {handles_[k]});
  }
  if (!parts.empty()) (void)link.ask(AdsRequest::sumWrite(parts, handles));
}

AdsPart AdsSymbols::part(std::size_t k) const noexcept {
  const AdsPlace& place = values_[k].place;
  const auto size = static_cast<std::uint32_t>(plcSize(place.type));
  if (place.symbol.empty()) return {place.group, place.offset, size};
  return {kAdsValueByHandle, handles_[k], size};
}

}  // namespace hyb
