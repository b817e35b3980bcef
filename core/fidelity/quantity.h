#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/fidelity/expression.h"

namespace hyb {

enum class QuantityKind : std::uint8_t { peak, rms, amplitude, frequency, damping, expression };
const char* name(QuantityKind kind) noexcept;

/// The quantity of interest: a number for the verdict on a run.
struct QuantitySpec {
  QuantityKind kind = QuantityKind::peak;
  std::string title;        // for axes; empty: from the kind
  std::string units = "m";  // of the result; with damping 1/s, or kg/s with mass_kg
  std::string channel = "measured_1";
  double frequency_hz = 0.0;                  // amplitude: at this frequency; 0: at the dominant peak of the spectrum
  double mass_kg = 0.0;                       // damping: d = 2 m delta; 0: the decay delta itself
  double from_s = 0.0, to_s = 0.0;            // part of the record; to_s = 0: to its end
  Expression expression;                      // only for kind expression
  std::vector<std::string> channels() const;  // all channels that it reads
  std::string words() const;                  // the title, or a description
};

/// Samples of a channel in the selected part of the record; empty: the record has no such channel.
using ChannelReader = std::function<std::vector<double>(const std::string& channel)>;

struct QuantityReading {
  double value;       // NaN without a value
  std::string fault;  // then the reason, one sentence
};
/// Amplitudes are those of amplitudeSpectrum() (note D10.3), or the least-squares sine at frequency_hz. Frequency and
/// damping come from one decaying sine from the second period on (settledFrom), also the frequency of steady motion:
/// the start contains transients of the actuators, and would change 97.1 to 100.0 kg/s in face-linear.
QuantityReading readQuantity(const QuantitySpec& spec, double step_s, const ChannelReader& channel);

}  // namespace hyb
