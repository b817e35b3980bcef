#include "hardware/wire_faults.h"

#include <algorithm>

namespace hyb {

bool WireFaults::set(const FaultSpec& fault, bool begin) noexcept {
  if (faultFacts(fault.kind).place != FaultPlace::connection) return false;
  auto& value = values_[static_cast<std::size_t>(fault.kind)];
  value = begin ? std::optional(fault.value) : std::nullopt;
  return true;
}

bool WireFaults::any() const noexcept {
  return std::any_of(values_.begin(), values_.end(), [](const auto& value) { return value.has_value(); });
}

void WireFaults::add(std::span<const std::uint8_t> sealed, std::int64_t now_ns) {
  if (cut() || chance(FaultKind::frame_loss)) return;
  std::vector<std::uint8_t> frame(sealed.begin(), sealed.end());
  if (chance(FaultKind::corruption)) {
    // Inverts a bit between the two ends, which are delimiters on a serial line, but never creates a delimiter.
    const std::size_t at = 1 + static_cast<std::size_t>(random_() % (frame.size() - 2));
    frame[at] = frame[at] == 0x10 ? 0x11 : static_cast<std::uint8_t>(frame[at] ^ 0x10u);
  }
  const double delay_s = value(FaultKind::latency) + value(FaultKind::jitter) * share_(random_);
  const std::int64_t due_ns = now_ns + static_cast<std::int64_t>(1e9 * delay_s);
  if (held_back_.empty() && chance(FaultKind::reorder)) {
    held_back_ = std::move(frame);
    return;
  }
  queue(std::move(frame), due_ns);
  if (!held_back_.empty()) queue(std::move(held_back_), due_ns);
  held_back_.clear();
}

void WireFaults::queue(std::vector<std::uint8_t> frame, std::int64_t due_ns) {
  const auto place = std::upper_bound(queue_.begin(), queue_.end(), due_ns,
                                      [](std::int64_t due, const Queued& entry) { return due < entry.due_ns; });
  queue_.insert(place, Queued{due_ns, std::move(frame)});
}

std::span<const std::uint8_t> WireFaults::due(std::int64_t now_ns) {
  if (queue_.empty() || queue_.front().due_ns > now_ns) return {};
  leaving_ = std::move(queue_.front().bytes);
  queue_.pop_front();
  return leaving_;
}

std::optional<std::int64_t> WireFaults::nextNs() const noexcept {
  return queue_.empty() ? std::nullopt : std::optional(queue_.front().due_ns);
}

}  // namespace hyb
