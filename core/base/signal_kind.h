#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hyb {

/// What a signal of the interface is.
enum class SignalKind : std::uint8_t { displacement, rotation, force, moment, voltage };

/// What follows from its kind.
struct SignalKindFacts {
  std::string_view name;             // "displacement", in sentences
  std::string_view unit, rate_unit;  // SI
  /// Keys of limits on it and on its rate, "threshold_m" and "threshold_m_per_s".
  std::string_view threshold, rate_threshold;
  SignalKind partner;  // does work with it: the force along a displacement; of a voltage, itself
  bool stands;         // a command of this kind rests where the rig stands; any other at 0
  double shown_span;   // SI: a plot of it spans no less
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

/// Of a signal with this SI unit; a displacement where there is none such.
constexpr SignalKind signalKind(std::string_view unit) noexcept {
  for (std::size_t k = 0; k < kSignalKinds.size(); ++k)
    if (kSignalKinds[k].unit == unit) return static_cast<SignalKind>(k);
  return SignalKind::displacement;
}

}  // namespace hyb
