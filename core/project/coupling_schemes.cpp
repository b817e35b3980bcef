#include "core/project/coupling_schemes.h"

#include <array>

#include "core/coupling/excite.h"
#include "core/coupling/external_target.h"
#include "core/coupling/force_coupling.h"
#include "core/coupling/openfresco.h"
#include "core/coupling/tracking.h"
#include "core/coupling/walker_coupling.h"
#include "core/feedforward/gap_lqg.h"
#include "core/feedforward/gap_pi.h"
#include "core/feedforward/harmonic_feedforward.h"
#include "core/harmonic/continuation.h"
#include "core/harmonic/harmonic_balance.h"

namespace hyb {

std::span<const CouplingEntry> couplingSchemes() noexcept {
  static constexpr std::array<CouplingEntry, 11> all{{{"tracking", parseTracking},
                                                      {"force", parseForceCoupling},
                                                      {"harmonic-feedforward", parseHarmonicFeedforward},
                                                      {"gap-pi", parseGapPi},
                                                      {"gap-lqg", parseGapLqg},
                                                      {"harmonic-balance", parseHarmonicBalance},
                                                      {"continuation", parseContinuation},
                                                      {"walker", parseWalker},
                                                      {"external", parseExternal},
                                                      {"openfresco", parseOpenFresco},
                                                      {"excite", parseExcite}}};
  return all;
}

}  // namespace hyb
