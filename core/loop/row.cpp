#include "core/loop/row.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/error.h"

namespace hyb {

namespace {

/// One column for each axis. % in its description stands for the name of the signal kind.
struct InterfaceQuantity {
  ColumnRole role;
  SignalKind (*kind)(const AxisSignals& axis) noexcept;
  const char* description;
  bool rate = false;
  const char* of_force = nullptr;  // its description if the NS has a force target
};
// In the order of RowLayout's accessors. The reference comes last because it may be missing.
constexpr InterfaceQuantity kQuantities[] = {
    {ColumnRole::target, targetOf, "z: interface % that the numerical substructure asks for, positive along +x"},
    {ColumnRole::command, commandOf, "u: % command written to the actuator in this tick, positive along +x"},
    {ColumnRole::measured, motionOf, "x: measured interface % of the physical substructure, positive along +x"},
    {ColumnRole::force, forceOf, "f: measured % of the physical on the numerical substructure, positive along +x"},
    {ColumnRole::gap, targetOf, "g = x - z: compatibility error of the interface, same instant", false,
     "g = f - z: equilibrium error of the interface, same instant"},
    {ColumnRole::velocity, motionOf, "interface velocity of the physical substructure, positive along +x", true},
    {ColumnRole::reference, targetOf, "z*: interface % of the simulated uncut structure, positive along +x"},
};

std::string filledIn(std::string text, std::string_view word) {
  if (const std::size_t at = text.find('%'); at != std::string::npos) text.replace(at, 1, word);
  return text;
}

Channel timing(const char* name, const char* description) {
  return {.name = name, .units = "ns", .description = description, .discrete = true, .role = ColumnRole::timing};
}

/// In the order of RowLayout's places.
std::vector<Channel> clockColumns() {
  return {{.name = "tick",
           .units = "",
           .description = "periods since the loop started; a gap in the sequence = missed periods",
           .discrete = true,
           .role = ColumnRole::tick},
          {.name = "time", .units = "s", .description = "since the first tick", .role = ColumnRole::time},
          {.name = "flags",
           .units = "",
           .description = "sum of the masks in flag_masks that hold for the row",
           .discrete = true,
           .role = ColumnRole::flags},
          timing("wake_late_ns", "how much later than planned the loop woke"),
          timing("compute_ns", "time the tick spent computing"),
          timing("io_ns", "time the tick spent reading from and writing to the rig")};
}

std::vector<Channel> makeColumns(std::vector<Channel> excitations, bool reference,
                                 const std::vector<AxisSignals>& signals) {
  std::vector<Channel> columns = clockColumns();
  for (std::size_t j = 0; j < excitations.size(); ++j) {
    Channel& given = excitations[j];
    std::string words = given.description.empty() ? given.name : given.description;
    columns.push_back({.name = columnName(ColumnRole::excitation, j),
                       .units = std::move(given.units),
                       .description = words.empty() ? "excitation of the whole structure" : std::move(words),
                       .role = ColumnRole::excitation});
  }
  for (const InterfaceQuantity& quantity : kQuantities) {
    if (&quantity == std::end(kQuantities) - 1 && !reference) break;
    for (std::size_t i = 1; i <= signals.size(); ++i) {
      const AxisSignals& axis = signals[i - 1];
      const SignalKindFacts& kind = facts(quantity.kind(axis));
      const bool of_force = quantity.of_force != nullptr && axis.asksForForce();
      columns.push_back({.name = columnName(quantity.role, i - 1),
                         .units = std::string(quantity.rate ? kind.rate_unit : kind.unit),
                         .description = (axis.name.empty() ? "" : axis.name + ": ") +
                                        filledIn(of_force ? quantity.of_force : quantity.description, kind.name),
                         .interface = static_cast<int>(i),
                         .role = quantity.role,
                         .kind = quantity.kind(axis)});
    }
  }
  return columns;
}

/// Those with a role, by their numbers: a file lists 1, 11, 2.
std::vector<Channel> inOrder(std::span<const Channel> columns, ColumnRole role) {
  std::vector<Channel> list;
  std::ranges::copy_if(columns, std::back_inserter(list), [&](const Channel& one) { return one.role == role; });
  std::ranges::sort(list, {}, [](const Channel& one) { return std::pair(one.name.size(), one.name); });
  return list;
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
  columns_ = makeColumns(std::move(excitations), reference, signals_);
  columns_.insert(columns_.end(), further.begin(), further.end());
  for (const Adapted& one : adapted_)
    columns_.push_back({.name = one.name,
                        .units = one.units,
                        .description = one.description,
                        .title = one.title,
                        .group = one.group,
                        .discrete = true,
                        .role = ColumnRole::adapted});
  for (std::size_t i = 0; i < interfaces_ && signals_[i].asksForForce(); ++i) {
    const auto at = std::ranges::find_if(further, [&](const Channel& one) {
      return one.role == ColumnRole::specimen && one.interface == static_cast<int>(i) + 1;
    });
    if (at != further.end()) moved_.push_back(furtherColumn(static_cast<std::size_t>(at - further.begin())));
  }
  if (moved_.size() != interfaces_) moved_.clear();
}

RowLayout RowLayout::of(std::span<const Channel> recorded) {
  const std::vector<Channel> targets = inOrder(recorded, ColumnRole::target);
  if (targets.empty()) throw DeviceError("the file holds no interface (acquisition/target_1)");
  std::vector<AxisSignals> axes;
  const auto kindOf = [&](ColumnRole role, int interface) {
    const auto found = std::ranges::find_if(
        recorded, [&](const Channel& one) { return one.role == role && one.interface == interface; });
    return found == recorded.end() ? SignalKind::displacement : found->kind.value_or(SignalKind::displacement);
  };
  for (int i = 1; i <= std::ssize(targets); ++i)
    axes.push_back({"interface " + std::to_string(i), kindOf(ColumnRole::measured, i), kindOf(ColumnRole::target, i),
                    kindOf(ColumnRole::command, i)});
  std::vector<Adapted> adapted;
  for (const Channel& one : recorded)
    if (one.role == ColumnRole::adapted)
      adapted.push_back({one.name, one.units, one.description, one.title, one.group});
  std::vector<Channel> further;
  std::ranges::copy_if(recorded, std::back_inserter(further), [](const Channel& one) {
    return one.role == ColumnRole::further || one.role == ColumnRole::specimen ||
           one.role == ColumnRole::piston_target || one.role == ColumnRole::modelled_force;
  });
  return RowLayout(targets.size(), inOrder(recorded, ColumnRole::excitation),
                   !inOrder(recorded, ColumnRole::reference).empty(), std::move(adapted), std::move(axes), further);
}

std::optional<std::size_t> RowLayout::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(columns_, name, &Channel::name);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns_.begin());
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
