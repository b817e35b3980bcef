#include "core/fidelity/reading.h"

#include <algorithm>
#include <cmath>

#include "core/fidelity/tracking_measures.h"

namespace hyb {
namespace {

constexpr double kLongestDelay_s = 0.1;  // searched for
constexpr std::size_t kFewest = 8;       // samples of a spectrum

}  // namespace

InterfaceReading::InterfaceReading(const InterfaceSignals& signals, const RunningComparison& tracking,
                                   const RunningComparison& reference, double swept_area, double step_s,
                                   double excitation_hz)
    : signals_(signals),
      tracking_(tracking),
      reference_(reference),
      swept_area_(swept_area),
      step_s_(step_s),
      excitation_hz_(excitation_hz),
      readable_(comparable(signals.target, signals.measured, kFewest)) {}

const InterfaceReading::Spectrum& InterfaceReading::spectrumOf(std::span<const double> samples,
                                                               std::optional<Spectrum>& kept) {
  if (kept) return *kept;
  kept.emplace();
  if (!hyb::readable(samples, kFewest) || samples.size() != signals_.target.size()) return *kept;
  if (!dft_) dft_ = std::make_unique<Dft>(samples.size());
  kept->bins = (*dft_)(samples);
  kept->amplitudes = amplitudeSpectrum(kept->bins, samples.size(), step_s_);
  kept->peak = dominantPeak(kept->amplitudes);
  return *kept;
}

const InterfaceReading::Spectrum& InterfaceReading::targetSpectrum() { return spectrumOf(signals_.target, target_); }
const InterfaceReading::Spectrum& InterfaceReading::measuredSpectrum() {
  return spectrumOf(signals_.measured, measured_);
}
const InterfaceReading::Spectrum& InterfaceReading::referenceSpectrum() {
  return spectrumOf(signals_.reference, of_reference_);
}

const std::optional<SubspaceEllipse>& InterfaceReading::ellipse() {
  if (ellipse_) return *ellipse_;
  ellipse_.emplace();
  if (readable_ && targetSpectrum().peak)
    *ellipse_ = fitSubspaceEllipse(signals_.target, signals_.measured, step_s_,
                                   dominantFrequency_hz(signals_.target, step_s_, *targetSpectrum().peak));
  return *ellipse_;
}

const std::optional<FrequencyIndex>& InterfaceReading::adaptedIndex() {
  if (adapted_) return *adapted_;
  adapted_.emplace();
  if (readable_)
    *adapted_ = adaptedFrequencyIndex(targetSpectrum().bins, measuredSpectrum().bins, signals_.target.size(), step_s_,
                                      targetSpectrum().amplitudes);
  return *adapted_;
}

double InterfaceReading::delay_s() {
  if (delay_s_) return *delay_s_;
  delay_s_ = kNoFigure;
  if (!comparable(signals_.target, signals_.measured)) return *delay_s_;
  double reach_s = std::min(kLongestDelay_s, 0.2 * step_s_ * static_cast<double>(signals_.target.size()));
  // Less than half a period, or a lag cannot be told from a lead.
  const double period_of_hz = excitation_hz_ > 0.0    ? excitation_hz_
                              : targetSpectrum().peak ? targetSpectrum().peak->frequency_hz
                                                      : 0.0;
  if (period_of_hz > 0.0) reach_s = std::min(reach_s, 0.45 / period_of_hz);
  delay_s_ = delayByCorrelation(signals_.target, signals_.measured, step_s_, reach_s);
  return *delay_s_;
}

}  // namespace hyb
