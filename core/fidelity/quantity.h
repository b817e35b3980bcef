#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/fidelity/expression.h"

namespace hyb {

enum class QuantityKind : std::uint8_t { peak, rms, amplitude, frequency, damping, expression };
const char* name(QuantityKind kind) noexcept;

/// A number that a run is judged by: the quantity of interest.
struct QuantitySpec {
  QuantityKind kind = QuantityKind::peak;
  std::string title;        // for axes; empty: made from the kind
  std::string units = "m";  // of the result; with damping 1/s, or kg/s when mass_kg is given
  std::string channel = "measured_1";
  double frequency_hz = 0.0;                  // amplitude: at this frequency; 0: at the dominant peak of the spectrum
  double mass_kg = 0.0;                       // damping: d = 2 m delta; 0: the decay delta itself
  double from_s = 0.0, to_s = 0.0;            // part of the record; to_s = 0: to its end
  Expression expression;                      // kind expression alone
  std::vector<std::string> channels() const;  // everything it reads
  std::string words() const;                  // the title, or what it is
};

/// Samples of a channel in the part of the record that counts; empty: the record has no such channel.
using ChannelReader = std::function<std::vector<double>(const std::string& channel)>;

struct QuantityReading {
  double value;       // NaN where there is none
  std::string fault;  // then why, one sentence
};
/// Amplitudes are those of amplitudeSpectrum() (note D10.3), or the least-squares sine at frequency_hz; frequency and
/// damping come from one decaying sine from the second period on (settledFrom), the frequency of steady motion too:
/// the start holds what the actuators add by themselves, and would make 100.0 of 97.1 kg/s in face-linear.
QuantityReading readQuantity(const QuantitySpec& spec, double step_s, const ChannelReader& channel);

}  // namespace hyb
