#pragma once
#include "core/compensation/addition.h"

namespace hyb {

struct FirRates {
  double step_size = 0.1;  // mu
  double leakage = 1e-5;   // 1 - nu, of each coefficient per tick
};
struct FirParams {
  int taps = 100;  // N
  FirRates free = {};
  std::optional<FirRates> contact = {};  // of the second set of coefficients, for contact; none: one set
  double floor_m2 = 1e-9;                // delta: 0.001 mm^2
  int shown_coefficients = 10;           // equally spaced over the filter
};

/// Adaptive feed-forward by an FIR filter of the target, leaky normalised FxLMS (Insam 2022, chapter 7, equations 7.2
/// to 7.4). b contains the newest targets, newest first, and b~ the same filtered by the response of the transfer
/// system, so that b~_n is the effect of coefficient n on the motion read in this tick:
///   theta <- (1 - leakage) theta + mu / (delta + b~ b~) b~ (z - x),  u = theta b.
/// theta starts at zero. If a reading is NaN nothing changes. If the bound limits the addition, nothing is learnt that
/// would increase it. With a set for contact (section 19.2), the coefficients of the phase in which the gap was read
/// act and learn; those of the other phase are held. At velocity level the output is scale * u.
std::unique_ptr<Addition> makeFir(const FirParams& params, const AdditionContext& context);
AdditionSpecPtr parseFir(const Json& settings);

}  // namespace hyb
