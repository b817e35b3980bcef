#include "hardware/opensees_session.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/numbers.h"

namespace hyb {
namespace {

constexpr std::size_t kSizesBytes = 11 * sizeof(std::int32_t);
constexpr std::size_t kLargestBlock = 65536;  // doubles
constexpr std::size_t kInitBytes = 16385;     // OpenFresco's GenericTCP sends lines of an init file in this size
constexpr std::uint8_t kInitMark = 0x02;      // a block begins with the lowest byte of its code
constexpr int kMostUnknown = 3;

enum Code : int {
  kOpen = 1,
  kSetup = 2,
  kTrial = 3,
  kExecute = 4,
  kCommit = 5,
  kAll = 6,
  kDisplacement = 7,
  kVelocity = 8,
  kAcceleration = 9,
  kForce = 10,
  kTime = 11,
  kInitialStiffness = 12,
  kTangentStiffness = 13,
  kDamping = 14,
  kMass = 15,
  kEnd = 99,
};

}  // namespace

OpenSeesSession::OpenSeesSession(const SiteSpec& site, std::size_t interfaces)
    : site_(site), interfaces_(interfaces), target_(interfaces, 0.0), target_m_(interfaces, 0.0) {}

void OpenSeesSession::feed(std::span<const std::uint8_t> bytes) {
  if (state_ == State::deaf) return;
  received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(read_));
  read_ = 0;
  received_.insert(received_.end(), bytes.begin(), bytes.end());
}

OpenSeesSession::Step OpenSeesSession::next() {
  for (;;) {
    const std::size_t left = received_.size() - read_;
    if (state_ == State::deaf) return Step::more;
    if (state_ == State::sizes) return left < kSizesBytes ? Step::more : takeSizes();
    const bool init = left > 0 && received_[read_] == kInitMark;
    const std::size_t length = init ? kInitBytes : block_ * sizeof(double);
    if (left < length || left == 0) return Step::more;
    const Step step = init ? Step::more : takeBlock();
    read_ += length;
    if (step != Step::more) return step;
  }
}

OpenSeesSession::Step OpenSeesSession::tell(std::string remark) {
  remark_ = std::move(remark);
  return Step::remark;
}

OpenSeesSession::Step OpenSeesSession::takeSizes() {
  std::array<std::int32_t, 11> sizes;
  std::memcpy(sizes.data(), received_.data() + read_, kSizesBytes);
  read_ += kSizesBytes;
  state_ = State::deaf;
  const std::string n = std::to_string(interfaces_);
  if (std::any_of(sizes.begin(), sizes.end(), [](std::int32_t size) { return size < 0; }) || sizes[10] < 1 ||
      static_cast<std::size_t>(sizes[10]) > kLargestBlock)
    return tell("client refused: its sizes are invalid (another byte order?)");
  for (std::size_t q = 0; q < kQuantities; ++q) {
    control_[q] = static_cast<std::size_t>(sizes[q]);
    measured_[q] = static_cast<std::size_t>(sizes[q + kQuantities]);
    const bool motion = q != time && (control_[q] != 0 || measured_[q] != 0);
    if ((motion && (std::max(control_[q], measured_[q]) != interfaces_ ||
                    (control_[q] != 0 && measured_[q] != 0 && control_[q] != measured_[q]))) ||
        (q == time && std::max(control_[q], measured_[q]) > 1))
      return tell("client refused: it does not have the " + n + " degrees of freedom of the cut");
  }
  if (control_[displacement] == 0) return tell("client refused: it sends no displacements");
  const auto block = static_cast<std::size_t>(sizes[10]);
  std::size_t sent = 1, asked = 0;
  for (std::size_t q = 0; q < kQuantities; ++q) sent += control_[q], asked += measured_[q];
  // MATLAB's client announces a time but its block has no space for it.
  const bool time_missing = sent == block + 1 && control_[time] == 1;
  if ((sent > block && !time_missing) || asked > block || interfaces_ * interfaces_ > block)
    return tell("client refused: its blocks of " + std::to_string(block) + " numbers are too short");
  block_ = block;
  reply_.assign(block, 0.0);
  state_ = State::blocks;
  return tell("client connected: " + n + " degrees of freedom, blocks of " + std::to_string(block) + " numbers" +
              (time_missing ? ", without the time it announced" : ""));
}

double OpenSeesSession::doubleAt(std::size_t index) const noexcept {
  double value = 0.0;
  std::memcpy(&value, received_.data() + read_ + index * sizeof value, sizeof value);
  return value;
}

OpenSeesSession::Step OpenSeesSession::takeBlock() {
  const double code = doubleAt(0);
  if (!(code >= 1.0 && code <= 99.0) || code != std::floor(code)) return unknown(code);
  code_ = static_cast<int>(code);
  switch (code_) {
    case kOpen:
    case kSetup:
    case kExecute:
    case kCommit:
      return Step::more;
    case kTrial:
      return takeTrial();
    case kAll:
    case kDisplacement:
    case kVelocity:
    case kAcceleration:
    case kForce:
    case kTime:
      return Step::measured;
    case kInitialStiffness:
    case kTangentStiffness:
    case kDamping:
    case kMass:
      return Step::reply;
    case kEnd:
      return Step::end;
    default:
      return unknown(code);
  }
}

/// Only a changed displacement is a new target: clients repeat the last one.
OpenSeesSession::Step OpenSeesSession::takeTrial() {
  bool changed = false;
  for (std::size_t i = 0; i < interfaces_; ++i) {
    const double trial = doubleAt(1 + i);
    if (std::abs(trial - target_[i]) <= std::numeric_limits<double>::epsilon()) continue;  // NaN is a change
    changed = true;
    target_[i] = trial;
    target_m_[i] = trial * site_.length_factor;
  }
  return changed ? Step::target : Step::more;
}

/// An unexpected answer would shift every later one, so there is none.
OpenSeesSession::Step OpenSeesSession::unknown(double code) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", code);
  if (++unknown_codes_ < kMostUnknown) return tell("client sent the unknown action " + std::string(text));
  state_ = State::deaf;
  return tell("client is out of step: three unknown actions, the last " + std::string(text) +
              "; it gets no more answers");
}

void OpenSeesSession::place(Quantity quantity, std::span<const double> values, double factor) {
  if (measured_[quantity] == 0) return;
  std::size_t at = 0;
  for (std::size_t q = 0; q < quantity; ++q) at += measured_[q];
  for (std::size_t v = 0; v < values.size(); ++v) reply_[at + v] = values[v] * factor;
}

std::span<const std::uint8_t> OpenSeesSession::bytes() const noexcept {
  return {reinterpret_cast<const std::uint8_t*>(reply_.data()), reply_.size() * sizeof(double)};
}

std::span<const std::uint8_t> OpenSeesSession::measuredReply(const ExternalAnswer& answer) {
  std::fill(reply_.begin(), reply_.end(), 0.0);  // the rig is at rest: velocity and acceleration are zero
  const auto wanted = [this](Code code) { return code_ == code || code_ == kAll; };
  if (wanted(kDisplacement)) place(displacement, answer.displacement_m, 1.0 / site_.length_factor);
  // The client expects the resisting force: +k d for a spring.
  if (wanted(kForce)) place(force, answer.force_n, -1.0 / site_.force_factor);
  if (wanted(kTime)) place(time, std::span(&answer.time_s, 1), 1.0 / site_.time_factor);
  return bytes();
}

std::span<const std::uint8_t> OpenSeesSession::constantReply() {
  std::fill(reply_.begin(), reply_.end(), 0.0);
  if (code_ == kInitialStiffness || code_ == kTangentStiffness)
    for (std::size_t row = 0; row < interfaces_; ++row)
      for (std::size_t column = 0; column < interfaces_; ++column)  // column after column
        reply_[column * interfaces_ + row] =
            site_.stiffness_n_per_m[row * interfaces_ + column] * site_.length_factor / site_.force_factor;
  return bytes();
}

std::span<const std::uint8_t> OpenSeesSession::faultReply() {
  std::fill(reply_.begin(), reply_.end(), kNoValue);
  return bytes();
}

}  // namespace hyb
