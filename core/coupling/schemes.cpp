#include <array>

#include "core/coupling/continuation.h"
#include "core/coupling/excite.h"
#include "core/coupling/external_target.h"
#include "core/coupling/force_coupling.h"
#include "core/coupling/gap_lqg.h"
#include "core/coupling/gap_pi.h"
#include "core/coupling/harmonic_balance.h"
#include "core/coupling/harmonic_feedforward.h"
#include "core/coupling/tracking.h"
#include "core/coupling/walker_coupling.h"

namespace hyb {

std::span<const CouplingEntry> couplingSchemes() noexcept {
  static constexpr std::array<CouplingEntry, 10> all{{{"tracking", parseTracking},
                                                      {"force", parseForceCoupling},
                                                      {"harmonic-feedforward", parseHarmonicFeedforward},
                                                      {"gap-pi", parseGapPi},
                                                      {"gap-lqg", parseGapLqg},
                                                      {"harmonic-balance", parseHarmonicBalance},
                                                      {"continuation", parseContinuation},
                                                      {"walker", parseWalker},
                                                      {"external", parseExternal},
                                                      {"excite", parseExcite}}};
  return all;
}

std::vector<Tunable> compensationTunables(const Compensator& compensator) {
  std::vector<Tunable> tunables = compensator.tunables();
  for (Tunable& tunable : tunables) tunable.field = "/compensation" + tunable.field;
  return tunables;
}

}  // namespace hyb
