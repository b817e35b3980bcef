#include "core/fidelity/tracking_errors.h"

#include <cmath>
#include <vector>

#include "core/fidelity/record.h"
#include "core/fidelity/spectrum.h"

namespace hyb {

namespace {

std::vector<double> difference(std::span<const double> a, std::span<const double> b) {
  std::vector<double> gap(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) gap[k] = a[k] - b[k];
  return gap;
}

double share(double part, double whole) { return whole > 0.0 ? part / whole : kNoFigure; }

}  // namespace

double rmsErrorByMax(std::span<const double> command, std::span<const double> achieved) {
  return comparable(command, achieved) ? share(rms(difference(command, achieved)), largest(command)) : kNoFigure;
}

double rmsErrorByRms(std::span<const double> command, std::span<const double> achieved) {
  return comparable(command, achieved) ? share(rms(difference(command, achieved)), rms(command)) : kNoFigure;
}

double velocityErrorByMax(std::span<const double> command, std::span<const double> achieved, double step_s) {
  return comparable(command, achieved) ? rmsErrorByMax(rates(command, step_s), rates(achieved, step_s)) : kNoFigure;
}

double maximumError(std::span<const double> command, std::span<const double> achieved) {
  return comparable(command, achieved) ? share(largest(difference(command, achieved)), largest(command)) : kNoFigure;
}

double peakError(std::span<const double> command, std::span<const double> achieved) {
  return comparable(command, achieved) ? share(std::abs(largest(command) - largest(achieved)), largest(command))
                                       : kNoFigure;
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
