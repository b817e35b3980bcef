#include "core/loop/row.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace hyb {

namespace {

/// One column for each axis. % in its description stands for the name of the signal kind.
struct InterfaceQuantity {
  const char* name;
  SignalKind (*kind)(const AxisSignals& axis) noexcept;
  const char* description;
  bool rate = false;
  const char* of_force = nullptr;  // its description if the NS has a force target
};
// In the order of RowLayout's accessors. The reference comes last because it may be missing.
constexpr InterfaceQuantity kQuantities[] = {
    {"target", targetOf, "z: interface % that the numerical substructure asks for, positive along +x"},
    {"command", commandOf, "u: % command written to the actuator in this tick, positive along +x"},
    {"measured", motionOf, "x: measured interface % of the physical substructure, positive along +x"},
    {"force", forceOf, "f: measured % of the physical on the numerical substructure, positive along +x"},
    {"gap", targetOf, "g = x - z: compatibility error of the interface, same instant", false,
     "g = f - z: equilibrium error of the interface, same instant"},
    {"velocity", motionOf, "interface velocity of the physical substructure, positive along +x", true},
    {"reference", targetOf, "z*: interface % of the simulated uncut structure, positive along +x"},
};

std::string filledIn(std::string text, std::string_view word) {
  if (const std::size_t at = text.find('%'); at != std::string::npos) text.replace(at, 1, word);
  return text;
}

std::vector<Channel> makeChannels(std::vector<Channel> excitations, bool reference,
                                  const std::vector<AxisSignals>& signals) {
  std::vector<Channel> channels;
  for (std::size_t j = 0; j < excitations.size(); ++j) {
    Channel& given = excitations[j];
    std::string words = given.description.empty() ? given.name : given.description;
    channels.push_back({"excitation_" + std::to_string(j + 1), std::move(given.units),
                        words.empty() ? "excitation of the whole structure" : std::move(words), 0});
  }
  for (const InterfaceQuantity& quantity : kQuantities) {
    if (&quantity == std::end(kQuantities) - 1 && !reference) break;
    for (std::size_t i = 1; i <= signals.size(); ++i) {
      const AxisSignals& axis = signals[i - 1];
      const SignalKindFacts& kind = facts(quantity.kind(axis));
      const bool of_force = quantity.of_force != nullptr && axis.asksForForce();
      channels.push_back({quantity.name + ("_" + std::to_string(i)),
                          std::string(quantity.rate ? kind.rate_unit : kind.unit),
                          (axis.name.empty() ? "" : axis.name + ": ") +
                              filledIn(of_force ? quantity.of_force : quantity.description, kind.name),
                          static_cast<int>(i)});
    }
  }
  return channels;
}

}  // namespace

RowLayout::RowLayout(std::size_t interfaces, std::vector<Channel> excitations, bool reference,
                     std::vector<Adapted> adapted, std::vector<AxisSignals> signals,
                     const std::vector<Channel>& further)
    : interfaces_(interfaces),
      reference_(reference),
      signals_(std::move(signals)),
      adapted_(std::move(adapted)),
      further_(further.size()),
      first_target_(kFirstChannel + excitations.size()),
      first_adapted_(first_target_ + (reference ? 7 : 6) * interfaces + further.size()) {
  signals_.resize(interfaces);
  channels_ = makeChannels(std::move(excitations), reference, signals_);
  channels_.insert(channels_.end(), further.begin(), further.end());
  for (std::size_t i = 0; i < interfaces_ && signals_[i].asksForForce(); ++i) {
    const auto at = std::ranges::find(further, specimenColumn(i), &Channel::name);
    if (at != further.end()) moved_.push_back(furtherColumn(static_cast<std::size_t>(at - further.begin())));
  }
  if (moved_.size() != interfaces_) moved_.clear();
}

std::span<const RowFlagName> rowFlagNames() noexcept {
  static constexpr RowFlagName names[] = {
      {kFlagLate, "late"},
      {kFlagStaleInput, "stale_input"},
      {kFlagLimitActive, "limit_active"},
      {kFlagHolding, "holding"},
      {kFlagStopping, "stopping"},
      {kFlagEmulatedForce, "emulated_force"},
      {kFlagRigSaturated, "rig_saturated"},
      {kFlagBetweenTrials, "between_trials"},
  };
  return names;
}

}  // namespace hyb
