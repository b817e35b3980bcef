#pragma once
#include <array>

#include "core/analysis/analysis.h"
#include "core/signal/window.h"

/// Settings that several analyses share. Those of one analysis alone stand in its file.
namespace hyb::options {

inline constexpr AnalysisOption kWindow{
    "window", "Window",    "", "Weights of the rows of a segment: hann, rectangular, hamming or flat-top",
    "hann",   kWindowWords};
inline constexpr AnalysisOption kSegment{
    "segment", "Segment length",
    "s",       "Length of a segment; a longer one has a finer resolution and fewer averages",
    "",        {},
    0.0,       1e6,
    true};
inline constexpr AnalysisOption kResolution{
    "resolution", "Resolution", "Hz", "Distance of two lines, instead of the segment length", "", {}, 0.0, 1e6, true};
inline constexpr AnalysisOption kOverlap{
    "overlap", "Overlap", "%", "Share of a segment that the next one has in common with it", "50", {}, 0.0, 95.0};
inline constexpr AnalysisOption kDetrend{"detrend", "Trend",      "", "What is taken away first: mean, line or none",
                                         "mean",    kDetrendWords};

inline constexpr std::array<const AnalysisOption*, 5> kSegments{&kWindow, &kSegment, &kResolution, &kOverlap,
                                                                &kDetrend};

}  // namespace hyb::options
