#include "core/fidelity/tracking_errors.h"

#include "core/base/numbers.h"
#include "core/fidelity/record.h"
#include "core/fidelity/running.h"
#include "core/signal/calculus.h"

namespace hyb {

double rmsErrorByMax(std::span<const double> command, std::span<const double> achieved) {
  return comparable(command, achieved) ? compared(command, achieved).rmsByPeak() : kNoValue;
}

double rmsErrorByRms(std::span<const double> command, std::span<const double> achieved) {
  return comparable(command, achieved) ? compared(command, achieved).nrmse() : kNoValue;
}

double velocityErrorByMax(std::span<const double> command, std::span<const double> achieved, double step_s) {
  return comparable(command, achieved) ? rmsErrorByMax(rates(command, step_s), rates(achieved, step_s)) : kNoValue;
}

}  // namespace hyb
