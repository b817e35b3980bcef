#include "core/fidelity/quantity.h"

#include <cmath>
#include <span>

#include "core/base/checks.h"
#include "core/base/numbers.h"
#include "core/fidelity/decaying_sine.h"
#include "core/fidelity/harmonic_fit.h"
#include "core/fidelity/record.h"
#include "core/fidelity/spectrum.h"

namespace hyb {
namespace {

constexpr double kLeastExplained =
    0.5;  // share of a record explained by one decaying sine, for its frequency or damping

QuantityReading none(std::string fault) { return {kNoValue, std::move(fault)}; }

QuantityReading amplitude(const QuantitySpec& spec, const std::vector<double>& samples, double step_s) {
  if (spec.frequency_hz > 0.0) {
    const HarmonicFit fit = fitHarmonic(samples, step_s, kTwoPi * spec.frequency_hz);
    return {std::abs(fit.amplitude), {}};
  }
  const std::optional<SpectralPeak> peak = dominantPeak(amplitudeSpectrum(samples, step_s));
  return peak ? QuantityReading{peak->amplitude, {}}
              : none("the spectrum of " + spec.channel + " has no peak; use a longer part of the record.");
}

QuantityReading oscillation(const QuantitySpec& spec, const std::vector<double>& samples, double step_s) {
  const std::size_t settled = settledFrom(samples, step_s).value_or(0);
  const std::optional<DecayingSine> sine = fitDecayingSine(std::span(samples).subspan(settled), step_s);
  if (!sine || sine->explained < kLeastExplained)
    return none(spec.channel +
                " is not one decaying sine in this part of the record; use another part, or another quantity.");
  if (spec.kind == QuantityKind::frequency) return {sine->frequency_hz, {}};
  return {spec.mass_kg > 0.0 ? 2.0 * spec.mass_kg * sine->decay_per_s : sine->decay_per_s, {}};
}

}  // namespace

const char* name(QuantityKind kind) noexcept {
  switch (kind) {
    case QuantityKind::peak:
      return "peak";
    case QuantityKind::rms:
      return "rms";
    case QuantityKind::amplitude:
      return "amplitude";
    case QuantityKind::frequency:
      return "frequency";
    case QuantityKind::damping:
      return "damping";
    default:
      return "expression";
  }
}

std::vector<std::string> QuantitySpec::channels() const {
  return kind == QuantityKind::expression ? expression.channels() : std::vector<std::string>{channel};
}

std::string QuantitySpec::words() const {
  if (!title.empty()) return title;
  if (kind == QuantityKind::expression) return expression.text();
  const std::string at = frequency_hz > 0.0 ? " at " + Checks::text(frequency_hz, "Hz") : "";
  return std::string(name(kind)) + at + " of " + channel;
}

QuantityReading readQuantity(const QuantitySpec& spec, double step_s, const ChannelReader& channel) {
  for (const std::string& needed : spec.channels()) {
    const std::vector<double> samples = channel(needed);
    if (samples.empty()) return none("the record has no samples of " + needed + " in the selected part.");
    if (!readable(samples)) return none(needed + " has a sample that is not a number.");
  }
  if (spec.kind == QuantityKind::expression) {
    const double value = spec.expression.value(channel);
    return std::isfinite(value) ? QuantityReading{value, {}} : none("the expression has no value for this record.");
  }
  const std::vector<double> samples = channel(spec.channel);
  switch (spec.kind) {
    case QuantityKind::peak:
      return {largest(samples), {}};
    case QuantityKind::rms:
      return {rms(samples), {}};
    case QuantityKind::amplitude:
      return amplitude(spec, samples, step_s);
    default:
      return oscillation(spec, samples, step_s);
  }
}

}  // namespace hyb
