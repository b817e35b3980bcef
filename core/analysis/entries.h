#pragma once
#include "core/analysis/analysis.h"

/// The entries of analyses.cpp. What each gives stands above its definition.
namespace hyb {

extern const Analysis kSpectrumAnalysis, kCrossSpectrumAnalysis, kFrequencyResponseAnalysis, kSpectrogramAnalysis,
    kHistogramAnalysis, kFourierAnalysis, kLowPassAnalysis, kHighPassAnalysis, kDerivativeAnalysis, kIntegralAnalysis,
    kResampleAnalysis;

}  // namespace hyb
