#pragma once
#include "core/coupling/sweep_reference.h"
#include "core/project/project.h"
#include "core/run/continuation_figures.h"

namespace hyb {

/// The paths that a project's continuation would follow if the rig moved exactly as commanded and the specimen were
/// the twin's: the same columns as /segments of a run. Harmonic balance with the forces of the specimen's laws by
/// alternating between time and frequency; each point to a residual of 1e-8 by Newton's method.
/// Throws InputError: another scheme; a law inside the specimen, or one that looks at another axis.
/// Source: T. M. Cameron, J. H. Griffin, J. Appl. Mech. 56 (1989) 149 (alternating frequency and time).
SegmentColumns computedPath(const Project& project);

/// What a periodic test would find at the cut without a rig, to lay over what it finds: the assembled structure over
/// the range of a sweep at so many frequencies and at its own, or the computed path of a continuation (its response
/// where it follows one, else its backbone), in the order of the path. None: another kind of test. Throws InputError.
std::optional<SweepReference> periodicReference(const Project& project, std::size_t points);

/// Of it: "figures" (figuresJson()), "points" (list of objects, one a point) and "sentence".
Json continuationReport(const Project& project);

}  // namespace hyb
