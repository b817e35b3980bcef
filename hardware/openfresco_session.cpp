#include "hardware/openfresco_session.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "core/base/numbers.h"

namespace hyb {
namespace {

constexpr double kSetTrial = 3.0, kCommitted = 5.0, kGetMeasured = 6.0, kDie = 99.0;
constexpr int kMostForeign = 3;  // unknown codes

struct QuantityWords {
  const char *one, *many;
};
constexpr std::array<QuantityWords, GenericSizes::kQuantities> kQuantityWords = {{{"displacement", "displacements"},
                                                                                  {"velocity", "velocities"},
                                                                                  {"acceleration", "accelerations"},
                                                                                  {"force", "forces"},
                                                                                  {"time", "times"}}};

std::string counted(std::int32_t count, GenericSizes::Quantity quantity) {
  const QuantityWords& words = kQuantityWords[quantity];
  return std::to_string(count) + " " + (count == 1 ? words.one : words.many);
}

}  // namespace

OpenFrescoSession::OpenFrescoSession(const SiteSpec& site, std::size_t interfaces)
    : site_(site), interfaces_(interfaces), target_(interfaces, 0.0), target_m_(interfaces, 0.0) {}

OpenFrescoSession::Step OpenFrescoSession::next() {
  if (!blocks_.agreed()) {
    const std::optional<GenericSizes> sizes = blocks_.takeSizes();
    return sizes ? takeSizes(*sizes) : Step::more;
  }
  while (blocks_.next())
    if (const Step step = takeBlock(); step != Step::more) return step;
  if (blocks_.lines() == 0 || std::exchange(lines_told_, true)) return Step::more;
  return tell(Step::remark, "client sends an init file; its lines are taken and not used");
}

OpenFrescoSession::Step OpenFrescoSession::tell(Step step, std::string remark) {
  remark_ = std::move(remark);
  return step;
}

std::string OpenFrescoSession::fault(const GenericSizes& sizes) const {
  if (!sizes.plausible())
    return sizes.swapped().plausible() ? "its numbers are big-endian; run the model on a little-endian computer"
                                       : "its first 44 bytes are not the sizes of GenericTCP";
  const auto n = static_cast<std::int32_t>(interfaces_);
  const std::string here = ", the cut has " + std::to_string(n) + (n == 1 ? " degree" : " degrees") + " of freedom";
  if (sizes.control[displacement] != n) return "it sends " + counted(sizes.control[displacement], displacement) + here;
  if (sizes.control[force] != 0)
    return "it sends " + counted(sizes.control[force], force) + ", 0 are possible; set 'f' of -ctrlModes to 0";
  for (const GenericSizes::Quantity quantity : {velocity, acceleration})
    if (sizes.control[quantity] != 0 && sizes.control[quantity] != n)
      return "it sends " + counted(sizes.control[quantity], quantity) + here;
  for (const GenericSizes::Quantity quantity : {velocity, acceleration})
    if (sizes.measured[quantity] != 0)
      return "it asks for " + counted(sizes.measured[quantity], quantity) +
             ", 0 are possible; set them to 0 in -daqModes";
  for (const GenericSizes::Quantity quantity : {displacement, force})
    if (sizes.measured[quantity] != 0 && sizes.measured[quantity] != n)
      return "it asks for " + counted(sizes.measured[quantity], quantity) + here;
  if (sizes.control[time] > 1 || sizes.measured[time] > 1)
    return "it has " + counted(std::max(sizes.control[time], sizes.measured[time]), time) + ", 1 is possible";
  if (sizes.asked() == 0) return "it asks for no measured values; set -daqModes";
  const std::size_t needed = std::max(sizes.sent(), sizes.asked());
  if (needed > static_cast<std::size_t>(sizes.block))
    return "its blocks have " + std::to_string(sizes.block) + " numbers, " + std::to_string(needed) + " are needed";
  return {};
}

OpenFrescoSession::Step OpenFrescoSession::takeSizes(const GenericSizes& sizes) {
  const std::string why = fault(sizes);
  if (!why.empty()) {
    blocks_.closeEars();
    return tell(Step::refused, "client refused: " + why);
  }
  blocks_.agree(sizes);
  return tell(Step::remark, "client connected: OpenFresco with " + counted(sizes.control[displacement], displacement) +
                                ", blocks of " + std::to_string(sizes.block) + " numbers");
}

OpenFrescoSession::Step OpenFrescoSession::takeBlock() {
  const double code = blocks_.at(0);
  if (code == kSetTrial) return takeTrial();
  if (code == kGetMeasured) return Step::measured;
  if (code == kDie) return Step::end;
  return code == kCommitted ? Step::more : unknown(code);
}

/// A trial is repeated until its measured values are asked for. After that the same values are a new step.
OpenFrescoSession::Step OpenFrescoSession::takeTrial() {
  bool fresh = std::exchange(answered_, false);
  for (std::size_t i = 0; i < interfaces_; ++i) {
    const double trial = blocks_.at(1 + i);
    if (std::abs(trial - target_[i]) <= std::numeric_limits<double>::epsilon()) continue;  // NaN is a change
    fresh = true;
    target_[i] = trial;
    target_m_[i] = trial * site_.length_factor;
  }
  return fresh ? Step::target : Step::more;
}

/// An answer that is not expected would shift every later one, so there is none.
OpenFrescoSession::Step OpenFrescoSession::unknown(double code) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", code);
  if (++unknown_codes_ < kMostForeign)
    return tell(Step::remark, "client sent the code " + std::string(text) + "; GenericTCP has 3, 6 and 99");
  blocks_.closeEars();
  return tell(Step::remark, "client is out of step: three unknown codes, the last " + std::string(text) +
                                "; it gets no more answers");
}

std::span<const std::uint8_t> OpenFrescoSession::measuredReply(const ExternalAnswer& answer) {
  answered_ = true;
  blocks_.fill(0.0);
  blocks_.place(displacement, answer.displacement_m, 1.0 / site_.length_factor);
  // The model expects the resisting force: +k d for a spring.
  blocks_.place(force, answer.force_n, -1.0 / site_.force_factor);
  blocks_.place(time, std::span(&answer.time_s, 1), 1.0 / site_.time_factor);
  return blocks_.bytes();
}

std::span<const std::uint8_t> OpenFrescoSession::constantReply() {
  blocks_.fill(0.0);
  return blocks_.bytes();
}

std::span<const std::uint8_t> OpenFrescoSession::faultReply() {
  blocks_.fill(kNoValue);
  return blocks_.bytes();
}

}  // namespace hyb
