#pragma once
#include "core/coupling/sweep_reference.h"
#include "core/project/project.h"
#include "core/run/continuation_figures.h"

namespace hyb {

/// Paths that the project's continuation would follow with an ideal rig and the twin's specimen, in the columns of
/// /segments of a run. Harmonic balance; the forces of the specimen's laws come from alternating between time and
/// frequency. Newton's method solves each point to a residual of 1e-8.
/// Throws InputError: another scheme; a law inside the specimen, or one that depends on another axis.
/// Source: T. M. Cameron, J. H. Griffin, J. Appl. Mech. 56 (1989) 149 (alternating frequency and time).
Table computedPath(const Project& project);

/// Result of a periodic test at the cut without a rig, to overlay on the measured result. For a sweep: the assembled
/// structure at `points` frequencies over the range and at the frequencies of the sweep. For a continuation: the
/// computed path (its response if it follows one, else its backbone), in the order of the path. None: another kind of
/// test. Throws InputError.
std::optional<SweepReference> periodicReference(const Project& project, std::size_t points);

/// As JSON: "figures" (figuresJson()), "points" (list of objects, one per point) and "sentence".
Json continuationReport(const Project& project);

}  // namespace hyb
