#include "core/fidelity/tracking_errors.h"

#include <cmath>

#include "core/fidelity/record.h"
#include "core/fidelity/running.h"
#include "core/fidelity/spectrum.h"

namespace hyb {

double rmsErrorByMax(std::span<const double> command, std::span<const double> achieved) {
  return comparable(command, achieved) ? compared(command, achieved).rmsByPeak() : kNoFigure;
}

double rmsErrorByRms(std::span<const double> command, std::span<const double> achieved) {
  return comparable(command, achieved) ? compared(command, achieved).nrmse() : kNoFigure;
}

double velocityErrorByMax(std::span<const double> command, std::span<const double> achieved, double step_s) {
  return comparable(command, achieved) ? rmsErrorByMax(rates(command, step_s), rates(achieved, step_s)) : kNoFigure;
}

double maximumError(std::span<const double> command, std::span<const double> achieved) {
  return comparable(command, achieved) ? compared(command, achieved).peakShare() : kNoFigure;
}

double peakError(std::span<const double> command, std::span<const double> achieved) {
  return comparable(command, achieved) ? compared(command, achieved).peakDifference() : kNoFigure;
}

double spectralError(std::span<const double> command, std::span<const double> achieved) {
  if (!comparable(command, achieved)) return kNoFigure;
  return rmsErrorByRms(amplitudeSpectrum(command, 1.0).amplitude, amplitudeSpectrum(achieved, 1.0).amplitude);
}

TrackingErrors trackingErrors(std::span<const double> command, std::span<const double> achieved, double step_s) {
  return {
      rmsErrorByMax(command, achieved), rmsErrorByRms(command, achieved), velocityErrorByMax(command, achieved, step_s),
      maximumError(command, achieved),  peakError(command, achieved),     spectralError(command, achieved)};
}

}  // namespace hyb
