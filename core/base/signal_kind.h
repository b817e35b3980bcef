#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hyb {

/// Kind of a signal of the interface.
enum class SignalKind : std::uint8_t { displacement, rotation, force, moment, voltage };

/// Properties of a kind.
struct SignalKindFacts {
  std::string_view name;             // "displacement", in sentences
  std::string_view unit, rate_unit;  // SI
  /// Keys of limits on it and on its rate, "threshold_m" and "threshold_m_per_s".
  std::string_view threshold, rate_threshold;
  SignalKind partner;  // its product is work: the force along a displacement; of a voltage, itself
  bool stands;         // the rest value of a command of this kind is the position of the rig; of others 0
  double shown_span;   // SI: least span of a plot
};

inline constexpr std::array<SignalKindFacts, 5> kSignalKinds{{
    {"displacement", "m", "m/s", "threshold_m", "threshold_m_per_s", SignalKind::force, true, 1e-6},
    {"rotation", "rad", "rad/s", "threshold_rad", "threshold_rad_per_s", SignalKind::moment, true, 1e-6},
    {"force", "N", "N/s", "threshold_n", "threshold_n_per_s", SignalKind::displacement, false, 1e-3},
    {"moment", "N m", "N m/s", "threshold_n_m", "threshold_n_m_per_s", SignalKind::rotation, false, 1e-3},
    {"voltage", "V", "V/s", "threshold_v", "threshold_v_per_s", SignalKind::voltage, false, 1e-3},
}};
constexpr const SignalKindFacts& facts(SignalKind kind) noexcept {
  return kSignalKinds[static_cast<std::size_t>(kind)];
}

/// Kind with this name; displacement for an unknown name.
constexpr SignalKind signalKindNamed(std::string_view name) noexcept {
  for (std::size_t k = 0; k < kSignalKinds.size(); ++k)
    if (kSignalKinds[k].name == name) return static_cast<SignalKind>(k);
  return SignalKind::displacement;
}

/// Kind of a signal with this SI unit; displacement for an unknown unit.
constexpr SignalKind signalKind(std::string_view unit) noexcept {
  for (std::size_t k = 0; k < kSignalKinds.size(); ++k)
    if (kSignalKinds[k].unit == unit) return static_cast<SignalKind>(k);
  return SignalKind::displacement;
}

}  // namespace hyb
