#include "core/project/additions.h"

#include "core/project/families.h"
#include "core/structure/reduction.h"
#include "core/transfer/command_pulse.h"
#include "core/transfer/velocity_loop.h"

namespace hyb {

std::vector<VelocityEntry> velocityEntries(const Project& project, const PlacedAddition& addition) {
  std::vector<VelocityEntry> entries;
  if (addition.level == AdditionLevel::position) return entries;
  const std::vector<ActuatorSpec>& actuators = project.twin.actuators;
  for (std::size_t i = 0; i < addition.axes.count; ++i) {
    const std::size_t a = actuators.size() == 1 ? 0 : addition.axes.first + i;
    const std::optional<VelocityEntry> entry = velocityEntryOf(actuators.at(a));
    if (!entry)
      throw InputError("/compensation" + addition.field + "/at",
                       "is \"velocity\", but /rig/actuators/" + std::to_string(a) +
                           " has no velocity loop; set the addition to \"position\", or use an actuator with a "
                           "velocity loop (\"leg\").");
    entries.push_back(*entry);
  }
  return entries;
}

AdditionContext additionContext(const Project& project, const Partition& partition, const PlacedAddition& addition) {
  AdditionContext context;
  context.axes = addition.axes;
  context.where = "/compensation" + addition.field;
  context.step_s = 1.0 / project.loop.rate_hz;
  if (project.loop.trials.count > 0)
    context.trial_ticks = static_cast<std::size_t>(trialTicks(project.loop.trials, context.step_s));
  context.level = addition.level;
  context.contact = true;
  for (std::size_t i = 0; i < addition.axes.count; ++i)
    context.contact = context.contact && project.coupling->detectsContact(addition.axes.first + i);
  const std::vector<VelocityEntry> entries = velocityEntries(project, addition);
  for (std::size_t i = 0; i < addition.axes.count; ++i)
    context.scale.push_back(entries.empty() ? 1.0 : entries[i].position_gain_per_s);
  context.response = [&project, &partition, entries, scale = context.scale, first = addition.axes.first,
                      step_s = context.step_s](std::size_t axis) {
    CommandPulse pulse{first + axis, {}, scale[axis], project.compensation.added_delay_s};
    if (!entries.empty()) pulse.entry = entries[axis];
    if (project.rig.use != RigUse::twin) pulse.late_s.array() += project.rig.connection.delay_s;
    return pulseResponse(reduceSides(partition, {}, project.partition.physical), project.twin, step_s, pulse);
  };
  return context;
}

std::string describe(const PlacedAddition& addition) {
  std::string text = branchOf(familyOf("addition"), addition.name).at("title");
  if (!addition.axes.all) text += " " + addition.axes.number(0);
  return text;
}

}  // namespace hyb
