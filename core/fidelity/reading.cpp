#include "core/fidelity/reading.h"

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "core/fidelity/tracking_measures.h"

namespace hyb {
namespace {

constexpr double kLongestDelay_s = 0.1;  // search range
constexpr std::size_t kFewest = 8;       // samples of a spectrum

}  // namespace

bool InterfaceReading::readable() {
  if (!readable_) readable_ = comparable(signals_.target, signals_.measured, kFewest);
  return *readable_;
}

void InterfaceReading::keep(std::optional<Spectrum>& kept, std::vector<std::complex<double>> bins) {
  kept.emplace();
  if (bins.empty()) return;
  kept->bins = std::move(bins);
  kept->amplitudes = amplitudeSpectrum(kept->bins, signals_.target.size(), step_s_);
  kept->peak = dominantPeak(kept->amplitudes);
}

/// Both at once, because most callers need both.
void InterfaceReading::readTracking() {
  if (!readable()) {
    target_.emplace();
    measured_.emplace();
    return;
  }
  if (!dft_) dft_ = std::make_unique<Dft>(signals_.target.size());
  auto [target, measured] = (*dft_)(signals_.target, signals_.measured);
  keep(target_, std::move(target));
  keep(measured_, std::move(measured));
}

const InterfaceReading::Spectrum& InterfaceReading::targetSpectrum() {
  if (!target_) readTracking();
  return *target_;
}
const InterfaceReading::Spectrum& InterfaceReading::measuredSpectrum() {
  if (!measured_) readTracking();
  return *measured_;
}
const InterfaceReading::Spectrum& InterfaceReading::referenceSpectrum() {
  if (of_reference_) return *of_reference_;
  if (!hyb::readable(signals_.reference, kFewest) || signals_.reference.size() != signals_.target.size())
    return of_reference_.emplace();
  if (!dft_) dft_ = std::make_unique<Dft>(signals_.reference.size());
  keep(of_reference_, (*dft_)(signals_.reference));
  return *of_reference_;
}

const std::optional<SubspaceEllipse>& InterfaceReading::ellipse() {
  if (ellipse_) return *ellipse_;
  ellipse_.emplace();
  if (!readable()) return *ellipse_;
  double frequency_hz = excitation_hz();
  if (!(frequency_hz > 0.0) && targetSpectrum().peak)
    frequency_hz = dominantFrequency_hz(signals_.target, step_s_, *targetSpectrum().peak);
  if (frequency_hz > 0.0) *ellipse_ = fitSubspaceEllipse(signals_.target, signals_.measured, step_s_, frequency_hz);
  return *ellipse_;
}

const std::optional<FrequencyIndex>& InterfaceReading::adaptedIndex() {
  if (adapted_) return *adapted_;
  adapted_.emplace();
  if (readable())
    *adapted_ = adaptedFrequencyIndex(targetSpectrum().bins, measuredSpectrum().bins, signals_.target.size(), step_s_,
                                      targetSpectrum().amplitudes);
  return *adapted_;
}

double InterfaceReading::delay_s() {
  if (delay_s_) return *delay_s_;
  delay_s_ = kNoValue;
  if (!comparable(signals_.target, signals_.measured)) return *delay_s_;
  double reach_s = std::min(kLongestDelay_s, 0.2 * step_s_ * static_cast<double>(signals_.target.size()));
  // Less than half a period, otherwise lag and lead are ambiguous.
  const double period_of_hz = excitation_hz() > 0.0   ? excitation_hz()
                              : targetSpectrum().peak ? targetSpectrum().peak->frequency_hz
                                                      : 0.0;
  if (period_of_hz > 0.0) reach_s = std::min(reach_s, 0.45 / period_of_hz);
  delay_s_ = delayByCorrelation(signals_.target, signals_.measured, step_s_, reach_s);
  return *delay_s_;
}

}  // namespace hyb
