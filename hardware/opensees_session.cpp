#include "hardware/opensees_session.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "core/base/numbers.h"

namespace hyb {
namespace {

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

OpenSeesSession::Step OpenSeesSession::next() {
  if (!blocks_.agreed()) {
    const std::optional<GenericSizes> sizes = blocks_.takeSizes();
    return sizes ? takeSizes(*sizes) : Step::more;
  }
  while (blocks_.next())
    if (const Step step = takeBlock(); step != Step::more) return step;
  return Step::more;
}

OpenSeesSession::Step OpenSeesSession::tell(std::string remark) {
  remark_ = std::move(remark);
  return Step::remark;
}

OpenSeesSession::Step OpenSeesSession::takeSizes(const GenericSizes& sizes) {
  const auto refuse = [this](std::string why) {
    blocks_.closeEars();
    return tell("client refused: " + std::move(why));
  };
  const std::string n = std::to_string(interfaces_);
  if (!sizes.plausible()) return refuse("its sizes are invalid (another byte order?)");
  for (std::size_t q = 0; q < kQuantities; ++q) {
    const auto control = static_cast<std::size_t>(sizes.control[q]),
               measured = static_cast<std::size_t>(sizes.measured[q]);
    const bool motion = q != time && (control != 0 || measured != 0);
    if ((motion &&
         (std::max(control, measured) != interfaces_ || (control != 0 && measured != 0 && control != measured))) ||
        (q == time && std::max(control, measured) > 1))
      return refuse("it does not have the " + n + " degrees of freedom of the cut");
  }
  if (sizes.control[displacement] == 0) return refuse("it sends no displacements");
  const auto block = static_cast<std::size_t>(sizes.block);
  // MATLAB's client announces a time but its block has no space for it.
  const bool time_missing = sizes.sent() == block + 1 && sizes.control[time] == 1;
  if ((sizes.sent() > block && !time_missing) || sizes.asked() > block || interfaces_ * interfaces_ > block)
    return refuse("its blocks of " + std::to_string(block) + " numbers are too short");
  blocks_.agree(sizes);
  return tell("client connected: " + n + " degrees of freedom, blocks of " + std::to_string(block) + " numbers" +
              (time_missing ? ", without the time it announced" : ""));
}

OpenSeesSession::Step OpenSeesSession::takeBlock() {
  const double code = blocks_.at(0);
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
    const double trial = blocks_.at(1 + i);
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
  blocks_.closeEars();
  return tell("client is out of step: three unknown actions, the last " + std::string(text) +
              "; it gets no more answers");
}

std::span<const std::uint8_t> OpenSeesSession::measuredReply(const ExternalAnswer& answer) {
  blocks_.fill(0.0);  // the rig is at rest: velocity and acceleration are zero
  const auto wanted = [this](Code code) { return code_ == code || code_ == kAll; };
  if (wanted(kDisplacement)) blocks_.place(displacement, answer.displacement_m, 1.0 / site_.length_factor);
  // The client expects the resisting force: +k d for a spring.
  if (wanted(kForce)) blocks_.place(force, answer.force_n, -1.0 / site_.force_factor);
  if (wanted(kTime)) blocks_.place(time, std::span(&answer.time_s, 1), 1.0 / site_.time_factor);
  return blocks_.bytes();
}

std::span<const std::uint8_t> OpenSeesSession::constantReply() {
  blocks_.fill(0.0);
  if (code_ == kInitialStiffness || code_ == kTangentStiffness)
    for (std::size_t row = 0; row < interfaces_; ++row)
      for (std::size_t column = 0; column < interfaces_; ++column)  // column after column
        blocks_.reply()[column * interfaces_ + row] =
            site_.stiffness_n_per_m[row * interfaces_ + column] * site_.length_factor / site_.force_factor;
  return blocks_.bytes();
}

std::span<const std::uint8_t> OpenSeesSession::faultReply() {
  blocks_.fill(kNoValue);
  return blocks_.bytes();
}

}  // namespace hyb
