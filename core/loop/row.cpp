#include "core/loop/row.h"

#include <utility>

namespace hyb {

namespace {

struct InterfaceQuantity {
  const char* name;
  const char* units;
  const char* description;
};
// In the order of RowLayout's accessors; the reference comes last, because it may be missing.
constexpr InterfaceQuantity kQuantities[] = {
    {"target", "m", "z: interface displacement that the numerical substructure asks for, positive along +x"},
    {"command", "m", "u: displacement command written to the actuator in this tick, positive along +x"},
    {"measured", "m", "x: measured interface displacement of the physical substructure, positive along +x"},
    {"force", "N", "f: measured force of the physical on the numerical substructure, positive along +x"},
    {"gap", "m", "g = x - z: compatibility error of the interface, same instant"},
    {"velocity", "m/s", "interface velocity of the physical substructure, positive along +x"},
    {"reference", "m", "z*: interface displacement of the simulated uncut structure, positive along +x"},
};

/// Unit of a rotation where a translation has `units`.
std::string rotational(const std::string& units) { return units == "N" ? "N m" : units == "m/s" ? "rad/s" : "rad"; }

std::vector<Channel> makeChannels(std::size_t interfaces, std::vector<Channel> excitations, bool reference,
                                  const std::vector<Dof>& dofs) {
  std::vector<Channel> channels;
  for (std::size_t j = 0; j < excitations.size(); ++j) {
    Channel& given = excitations[j];
    std::string words = given.description.empty() ? given.name : given.description;
    channels.push_back({"excitation_" + std::to_string(j + 1), std::move(given.units),
                        words.empty() ? "excitation of the whole structure" : std::move(words), 0});
  }
  for (const InterfaceQuantity& quantity : kQuantities) {
    if (&quantity == std::end(kQuantities) - 1 && !reference) break;
    for (std::size_t i = 1; i <= interfaces; ++i) {
      Channel channel{quantity.name + ("_" + std::to_string(i)), quantity.units, quantity.description,
                      static_cast<int>(i)};
      if (i <= dofs.size()) {
        channel.description = dofs[i - 1].name + ": " + channel.description;
        if (dofs[i - 1].motion == Motion::rotation) channel.units = rotational(channel.units);
      }
      channels.push_back(std::move(channel));
    }
  }
  return channels;
}

}  // namespace

RowLayout::RowLayout(std::size_t interfaces, std::vector<Channel> excitations, bool reference,
                     std::vector<Adapted> adapted, const std::vector<Dof>& dofs, const std::vector<Channel>& rig)
    : interfaces_(interfaces),
      reference_(reference),
      adapted_(std::move(adapted)),
      rig_channels_(rig.size()),
      first_target_(kFirstChannel + excitations.size()),
      first_adapted_(first_target_ + (reference ? 7 : 6) * interfaces + rig.size()) {
  channels_ = makeChannels(interfaces, std::move(excitations), reference, dofs);
  channels_.insert(channels_.end(), rig.begin(), rig.end());
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
  };
  return names;
}

}  // namespace hyb
