#pragma once
#include "core/compensation/addition.h"

namespace hyb {

struct FirParams {
  int taps = 100;               // N
  double step_size = 0.1;       // mu
  double leakage = 1e-5;        // 1 - nu, of each coefficient at each tick
  double floor_m2 = 1e-9;       // delta: 0.001 mm^2
  int shown_coefficients = 10;  // spread evenly over the filter
};

/// Adaptive feed-forward by a filter of the target of finite length, leaky normalised FxLMS (Insam 2022, chapter 7,
/// equations 7.2 to 7.4). With b the newest targets, newest first, and b~ the same behind the response of the transfer
/// system, so that b~_n is what coefficient n did to the motion that was read at this tick:
///   theta <- (1 - leakage) theta + mu / (delta + b~ b~) b~ (z - x),  u = theta b.
/// theta starts at zero. Leaves all at what it was where a reading is not a number, and learns nothing that asks for
/// still more where the bound cut the addition.
/// At velocity level it gives scale * u.
std::unique_ptr<Addition> makeFir(const FirParams& params, const AdditionContext& context);
AdditionSpecPtr parseFir(const Json& settings);

}  // namespace hyb
