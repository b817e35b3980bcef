#pragma once
#include "core/base/checks.h"
#include "core/structure/system.h"

namespace hyb {

/// Where a nonlinear link stands: its stretch, m, and what its law remembers (bilinear: plastic stretch, m; Bouc-Wen:
/// z in -1..1; cubic and contact: nothing).
struct LinkHistory {
  double stretch = 0.0, memory = 0.0;
};

/// Adds every fault of a law, with places relative to it.
void checkLaw(const NonlinearLaw& law, Checks& checks);

/// The history after the stretch has moved on a straight path to `stretch`. Bilinear: return mapping, exact. Bouc-Wen:
/// z depends on the path alone, not on the time it takes; classical Runge-Kutta in steps of a twentieth of the yield
/// stretch (error in z below 1e-6, 1e-4 for the sharpest loops). Of a move beyond 20 yield stretches the first 20
/// count: z has reached its bound by then. Real-time safe. Source of the return mapping: J. C. Simo, T. J. R. Hughes,
/// Computational Inelasticity, ch. 1.
LinkHistory advanced(const NonlinearLaw& law, LinkHistory from, double stretch) noexcept;

/// Force, N; pulls the ends together when positive. Real-time safe.
double linkForce(const NonlinearLaw& law, const LinkHistory& at) noexcept;
/// Its mean over the straight path to `stretch`, so that mean times path is the work done: exact, but for Bouc-Wen's
/// three points on the path. Real-time safe.
double meanLinkForce(const NonlinearLaw& law, const LinkHistory& from, double stretch) noexcept;
/// Force beyond that of the initial stiffness, f - k d, N. Real-time safe.
double forceBeyondLinear(const NonlinearLaw& law, const LinkHistory& at) noexcept;

}  // namespace hyb
