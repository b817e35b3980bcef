#pragma once
#include "core/base/checks.h"
#include "core/structure/system.h"

namespace hyb {

/// State of a nonlinear link: its stretch, m, and the memory of its law (bilinear: plastic stretch, m; Bouc-Wen: z in
/// -1..1; cubic and contact: none).
struct LinkHistory {
  double stretch = 0.0, memory = 0.0;
};

/// Adds every fault of a law, with places relative to it.
void checkLaw(const NonlinearLaw& law, Checks& checks);

/// The history after a straight move of the stretch to `stretch`. Bilinear: return mapping, exact. Bouc-Wen: z depends
/// only on the path, not on its duration; classical Runge-Kutta in steps of a twentieth of the yield stretch (error in
/// z below 1e-6, 1e-4 for the sharpest loops). In a move beyond 20 yield stretches only the first 20 are integrated: z
/// has reached its bound by then. Real-time safe. Source of the return mapping: J. C. Simo, T. J. R. Hughes,
/// Computational Inelasticity, ch. 1.
LinkHistory advanced(const NonlinearLaw& law, LinkHistory from, double stretch) noexcept;

/// Force, N; pulls the ends together when positive. Real-time safe.
double linkForce(const NonlinearLaw& law, const LinkHistory& at) noexcept;
/// Mean force over the straight path to `stretch`; mean times path is the work done. Exact, except for Bouc-Wen: three
/// points on the path. Real-time safe.
double meanLinkForce(const NonlinearLaw& law, const LinkHistory& from, double stretch) noexcept;
/// Force beyond that of the initial stiffness, f - k d, N. Real-time safe.
double forceBeyondLinear(const NonlinearLaw& law, const LinkHistory& at) noexcept;

}  // namespace hyb
