#include "core/fidelity/measure.h"

#include <array>
#include <utility>

#include "core/base/numbers.h"
#include "core/fidelity/decay.h"
#include "core/fidelity/energy.h"
#include "core/fidelity/reading.h"
#include "core/fidelity/tracking_errors.h"
#include "core/fidelity/tracking_measures.h"

namespace hyb {

namespace {

using Reading = std::optional<double>;
using Of = InterfaceReading;

constexpr const char* kNoSusceptibility =
    "It cannot tell what the error does to the response: a robust test bears what ruins a susceptible one.";
constexpr const char* kOneFigure = "It cannot tell a delay from a wrong amplitude.";
constexpr const char* kOutlier = "It cannot tell a single outlier from a lasting error.";
constexpr const char* kNoDelay = "It cannot see a delay at all.";
constexpr const char* kNoReference = "It needs a reference solution, which a real test seldom has.";
constexpr const char* kOneFrequency = "It cannot speak for other frequencies, nor tell whole periods apart.";
constexpr const char* kAmplitudes = "It cannot be compared between amplitudes: it grows with their square.";
constexpr const char* kEnergyMeaning =
    "It cannot be turned into an error of the response: its scale differs from test to test.";
constexpr const char* kLimitsTell = "It cannot tell how near a limit was: compare it with the actuator's.";
constexpr const char* kCounted = "It cannot tell whether the test was a good one.";
constexpr const char* kLags = "positive: measured lags";

/// Of the reference, where there is one.
template <typename Read>
Reading ofReference(Of& r, Read&& read) {
  return r.reference().count() > 0 ? Reading(read(r.reference())) : std::nullopt;
}
Reading ofFloor(const Of& r, std::size_t floor,
                double (*read)(std::span<const double>, std::span<const double>) noexcept) {
  const InterfaceSignals& s = r.signals();
  if (s.floors_lost) return kNoValue;
  return s.floors[floor].empty() ? std::nullopt : Reading(read(s.floor_references[floor], s.floors[floor]));
}
Reading ofShear(const Of& r, std::size_t storey) {
  const InterfaceSignals& s = r.signals();
  return s.shears[storey].empty() ? std::nullopt : Reading(nrmsePercent(s.shear_references[storey], s.shears[storey]));
}
Reading peakOf(std::span<const double> samples, double factor) {
  return samples.empty() ? std::nullopt : Reading(factor * compared(samples, samples).peak());
}
Reading passivityGuess(const Of& r) {
  const InterfaceSignals& s = r.signals();
  if (s.force.empty() || !s.piston_target.empty()) return std::nullopt;
  const auto fastest = [&](std::span<const double> motion) {
    const std::vector<double> speeds = rates(motion, r.step_s());
    return compared(speeds, speeds).peak();
  };
  return passivityGain(compared(s.force, s.force).peak(), fastest(s.measured), fastest(s.target));
}
double spectralErrorOf(const Of::Spectrum& wanted, const Of::Spectrum& seen) {
  return rmsErrorByRms(wanted.amplitudes.amplitude, seen.amplitudes.amplitude);
}
HarmonicReading harmonicOf(const Of& r) {
  if (!(r.excitation_hz() > 0.0)) return {kNoValue, kNoValue};
  return harmonicReading(r.signals().target, r.signals().measured, r.step_s(), r.excitation_hz());
}
template <typename Fit, typename Read>
Reading orNone(const std::optional<Fit>& fit, Read&& read) {
  return fit ? read(*fit) : kNoValue;
}

constexpr Listing kAlways = Listing::always, kInTables = Listing::in_tables, kOnRequest = Listing::on_request;

constexpr Measure kMeasures[] = {
    {"tracking_nrmse_percent", "J2, tracking error", "%", "Typical gap (rms) by the typical target motion (rms).", "",
     kOneFigure, kAlways, [](Of& r) { return Reading(100.0 * r.tracking().nrmse()); }, nullptr},
    {"tracking_peak_percent", "J3, tracking peak", "%", "Largest gap by the largest target motion.", "", kOutlier,
     kAlways, [](Of& r) { return Reading(100.0 * r.tracking().peakShare()); }, nullptr},
    {"delay_ms", "J1, delay", "ms", "Shift in time at which measured and target motion are most alike.", kLags,
     "It cannot tell delays of different frequencies apart: it is an average weighted with the motion's energy.",
     kAlways, [](Of& r) { return Reading(1e3 * r.delay_s()); }, nullptr},
    {"amplitude_ratio", "Amplitude ratio", "",
     "Amplitude of the measured over that of the target motion at the frequency of the excitation.", "",
     "It cannot speak for other frequencies, and is there for periodic excitation alone.", kAlways,
     [](Of& r) { return Reading(harmonicOf(r).amplitude_ratio); }, nullptr},
    {"phase_deg", "Phase", "deg", "Phase of the measured against the target motion at the frequency of the excitation.",
     "negative: measured lags", "It cannot speak for other frequencies, and is there for periodic excitation alone.",
     kAlways, [](Of& r) { return Reading(harmonicOf(r).phase_deg); }, nullptr},
    {"gap_rms", "Gap, rms", "m", "Typical distance of the measured from the target motion.", "", kNoSusceptibility,
     kAlways, [](Of& r) { return Reading(r.tracking().errorRms()); }, nullptr},
    {"gap_peak", "Gap, peak", "m", "Largest distance of the measured from the target motion.", "", kNoSusceptibility,
     kAlways, [](Of& r) { return Reading(r.tracking().errorPeak()); }, nullptr},
    {"reference_nrmse_percent", "J4, reference error", "%",
     "Typical distance (rms) of the measured motion from that of the uncut structure, by its typical motion.", "",
     kNoReference, kAlways,
     [](Of& r) { return ofReference(r, [](const RunningComparison& c) { return 100.0 * c.nrmse(); }); }, nullptr},
    {"reference_peak_percent", "J5, reference peak", "%",
     "Largest distance of the measured motion from that of the uncut structure, by its largest motion.", "",
     kNoReference, kAlways,
     [](Of& r) { return ofReference(r, [](const RunningComparison& c) { return 100.0 * c.peakShare(); }); }, nullptr},
    {"energy_error", "Energy error", "J", "Energy that the transfer system added to the coupled system.",
     "positive: added, negative: took out",
     "It cannot be trusted alone near 0: phases of adding and taking out cancel.", kAlways, nullptr,
     [](const TestReading& r) { return r.energy_error_j; }},
    {"missed_ticks", "Missed periods", "", "Periods of the loop that have no tick, because the one before came late.",
     "", kCounted, kAlways, nullptr, [](const TestReading& r) { return r.missed_periods; }},
    {"limits_hit", "Limits hit", "", "How often a limit was reached, those that only indicate among them.", "",
     kCounted, kAlways, nullptr, [](const TestReading& r) { return r.limits_hit; }},
    {"end_s", "End", "s", "Time of the last tick since the first.", "", kCounted, kAlways, nullptr,
     [](const TestReading& r) { return r.end_s; }},

    {"gap_closed_s", "Gap closed after", "s",
     "Time from the start of the analysis after which the gap stays within its tolerance.", "",
     "It cannot tell how fast the gap closes before, nor be there where it is open at the end.", kOnRequest,
     [](Of& r) { return Reading(r.signals().gap_closed_s); }, nullptr},
    {"rms_by_max", "RMS error by maximum", "", "Typical gap as a share of the largest commanded motion.", "",
     kNoSusceptibility, kOnRequest, [](Of& r) { return Reading(r.tracking().rmsByPeak()); }, nullptr},
    {"rms_by_rms", "RMS error by RMS", "", "Typical gap as a share of the typical commanded motion: J2 as a share.", "",
     kNoSusceptibility, kOnRequest, [](Of& r) { return Reading(r.tracking().nrmse()); }, nullptr},
    {"velocity_rms_by_max", "RMS velocity error by maximum", "",
     "Typical error of the velocity as a share of its largest value; weighs fast motion more than the gap does.", "",
     "It cannot be read where the measured displacement is noisy: differentiation raises noise.", kOnRequest,
     [](Of& r) { return Reading(velocityErrorByMax(r.signals().target, r.signals().measured, r.step_s())); }, nullptr},
    {"maximum", "Maximum tracking error", "", "Largest gap as a share of the largest commanded motion: J3 as a share.",
     "", kOutlier, kOnRequest, [](Of& r) { return Reading(r.tracking().peakShare()); }, nullptr},
    {"peak", "Peak error", "", "Difference of the largest motions, wherever they are in time.", "", kNoDelay,
     kOnRequest, [](Of& r) { return Reading(r.tracking().peakDifference()); }, nullptr},
    {"spectral", "Spectral error", "", "Difference of the amplitude spectra: which motion is missing or too much.", "",
     kNoDelay, kOnRequest, [](Of& r) { return Reading(spectralErrorOf(r.targetSpectrum(), r.measuredSpectrum())); },
     nullptr},
    {"reference_rms_by_max", "RMS reference error by maximum", "",
     "Typical distance from the reference as a share of its largest motion: the fidelity of the interface motion "
     "itself.",
     "", kNoReference, kOnRequest,
     [](Of& r) { return ofReference(r, [](const RunningComparison& c) { return c.rmsByPeak(); }); }, nullptr},
    {"reference_rms_by_rms", "RMS reference error by RMS", "",
     "Typical distance from the reference as a share of its typical motion: J4 as a share.", "", kNoReference,
     kOnRequest, [](Of& r) { return ofReference(r, [](const RunningComparison& c) { return c.nrmse(); }); }, nullptr},
    {"reference_maximum", "Maximum reference error", "",
     "Largest distance from the reference by its largest motion: J5 as a share.", "", kNoReference, kOnRequest,
     [](Of& r) { return ofReference(r, [](const RunningComparison& c) { return c.peakShare(); }); }, nullptr},
    {"reference_peak", "Reference peak error", "", "Difference of the largest motions of test and reference.", "",
     kNoReference, kOnRequest,
     [](Of& r) { return ofReference(r, [](const RunningComparison& c) { return c.peakDifference(); }); }, nullptr},
    {"reference_spectral", "Spectral reference error", "", "Difference of the amplitude spectra of test and reference.",
     "", kNoReference, kOnRequest,
     [](Of& r) {
       return r.reference().count() > 0 ? Reading(spectralErrorOf(r.referenceSpectrum(), r.measuredSpectrum()))
                                        : std::nullopt;
     },
     nullptr},
    {"j6", "J6, floor 2 error", "%", "Distance (rms) of the computed second floor from the reference.", "",
     kNoReference, kInTables, [](Of& r) { return ofFloor(r, 0, nrmsePercent); }, nullptr},
    {"j7", "J7, floor 3 error", "%", "Distance (rms) of the computed third floor from the reference.", "", kNoReference,
     kInTables, [](Of& r) { return ofFloor(r, 1, nrmsePercent); }, nullptr},
    {"j8", "J8, floor 2 peak", "%", "Largest distance of the computed second floor from the reference.", "",
     kNoReference, kInTables, [](Of& r) { return ofFloor(r, 0, peakPercent); }, nullptr},
    {"j9", "J9, floor 3 peak", "%", "Largest distance of the computed third floor from the reference.", "",
     kNoReference, kInTables, [](Of& r) { return ofFloor(r, 1, peakPercent); }, nullptr},
    {"stroke_peak_mm", "Stroke, peak", "mm", "Largest displacement of the actuator from its middle.", "", kLimitsTell,
     kOnRequest, [](Of& r) { return peakOf(r.signals().stroke, 1e3); }, nullptr},
    {"velocity_peak_mm_per_s", "Velocity, peak", "mm/s", "Largest velocity of the actuator.", "", kLimitsTell,
     kOnRequest, [](Of& r) { return peakOf(r.signals().velocity, 1e3); }, nullptr},
    {"force_peak", "Force, peak", "N", "Largest force measured.", "", kLimitsTell, kOnRequest,
     [](Of& r) { return peakOf(r.signals().force, 1.0); }, nullptr},
    {"passivity_gain", "Gain of passivity control, first guess", "kg/s",
     "Gain at which passivity control takes out as much power as the actuator brings in, for the largest force and "
     "rates of this test (Insam 2022, equation 5.11). Begin there and reduce it until the test is just stable.",
     "", "It cannot tell whether the test needs any, and noise in force or motion makes it too large.", kOnRequest,
     [](Of& r) { return passivityGuess(r); }, nullptr},
    {"specimen_reference_percent", "J4 of the specimen", "%",
     "Distance (rms) of the first storey, a specimen behind a spring, from the uncut structure's.", "", kNoReference,
     kOnRequest,
     [](Of& r) {
       const InterfaceSignals& s = r.signals();
       return s.specimen.empty() ? std::nullopt : Reading(nrmsePercent(s.specimen_reference, s.specimen));
     },
     nullptr},
    {"target_reference_percent", "A4, force asked for", "%",
     "Distance (rms) of the force that the computed side asks for from that in the uncut structure.", "", kNoReference,
     kOnRequest,
     [](Of& r) {
       const InterfaceSignals& s = r.signals();
       return s.piston_target.empty() || s.reference.empty() ? std::nullopt
                                                             : Reading(nrmsePercent(s.reference, s.target));
     },
     nullptr},
    {"storey_2_shear_percent", "A4, shear of storey 2", "%",
     "Distance (rms) of the computed shear of the second storey from that in the uncut structure.", "", kNoReference,
     kOnRequest, [](Of& r) { return ofShear(r, 0); }, nullptr},
    {"storey_3_shear_percent", "A4, shear of storey 3", "%",
     "Distance (rms) of the computed shear of the third storey from that in the uncut structure.", "", kNoReference,
     kOnRequest, [](Of& r) { return ofShear(r, 1); }, nullptr},
    {"piston_nrmse_percent", "J2 of the piston", "%",
     "Typical distance (rms) of the piston from where it brings up the force asked for, by its typical motion.", "",
     "It cannot see a spring that is stiffer or softer than it is taken for.", kOnRequest,
     [](Of& r) {
       const InterfaceSignals& s = r.signals();
       return s.piston_target.empty() ? std::nullopt : Reading(nrmsePercent(s.piston_target, s.piston));
     },
     nullptr},
    {"piston_delay", "Delay of the piston", "s",
     "Delay of the piston behind where it is to go, over all frequencies (frequency evaluation index).", kLags,
     "It cannot see how a delay varies with frequency.", kOnRequest,
     [](Of& r) {
       const InterfaceSignals& s = r.signals();
       if (s.piston_target.empty()) return Reading();
       return orNone(frequencyIndex(s.piston_target, s.piston, r.step_s()), [](const auto& i) { return i.delay_s; });
     },
     nullptr},
    {"ellipse_amplitude_ratio", "Amplitude ratio of the ellipse", "",
     "Achieved by commanded amplitude at the frequency of a periodic excitation, else at the dominant one.", "",
     "It cannot speak for motion at other frequencies.", kOnRequest,
     [](Of& r) { return orNone(r.ellipse(), [](const auto& e) { return e.amplitude_ratio; }); }, nullptr},
    {"ellipse_delay", "Delay of the ellipse", "s",
     "Lag of the achieved motion at the frequency of a periodic excitation, else at the dominant one.", kLags,
     kOneFrequency, kOnRequest, [](Of& r) { return orNone(r.ellipse(), [](const auto& e) { return e.delay_s; }); },
     nullptr},
    {"ellipse_area", "Area of the ellipse", "m2", "Area that the subspace plot encloses in a period.",
     "positive: lag, negative: lead", kAmplitudes, kOnRequest,
     [](Of& r) { return orNone(r.ellipse(), [](const auto& e) { return e.area; }); }, nullptr},
    {"amplitude_indicator", "Amplitude indicator", "",
     "Slope of the long axis of the subspace plot: 1 for equal amplitudes.", "",
     "It cannot be read at lags near a quarter period, where the plot has no long axis.", kOnRequest,
     [](Of& r) { return Reading(amplitudeIndicator(r.signals().target, r.signals().measured)); }, nullptr},
    {"tracking_indicator", "Tracking indicator", "m2", "Area swept in the subspace plot so far.",
     "rising: lag, falling: lead", kAmplitudes, kOnRequest, [](Of& r) { return Reading(r.sweptArea()); }, nullptr},
    {"fei_delay", "Delay by frequency index", "s",
     "Delay of the motion around the dominant peaks of its spectrum (frequency evaluation index).", kLags,
     "It cannot see how a delay varies with frequency, nor errors that leave amplitude and delay alone.", kOnRequest,
     [](Of& r) { return orNone(r.adaptedIndex(), [](const auto& i) { return i.delay_s; }); }, nullptr},
    {"fei_amplitude", "Amplitude by frequency index", "", "Achieved by commanded amplitude around the dominant peaks.",
     "", "It cannot see a deviation that is too much at one frequency and too little at another.", kOnRequest,
     [](Of& r) { return orNone(r.adaptedIndex(), [](const auto& i) { return i.amplitude; }); }, nullptr},
    {"fei_frequency", "Equivalent frequency", "Hz", "Mean frequency of the commanded motion, weighted with its power.",
     "", "It cannot tell one frequency from two to either side of it.", kOnRequest,
     [](Of& r) { return orNone(r.adaptedIndex(), [](const auto& i) { return i.frequency_hz; }); }, nullptr},
    {"fei_standard_delay", "Delay of the standard index", "s",
     "Delay of the motion over its whole spectrum, as first published.", kLags,
     "It cannot be trusted where an offset or a slow transient is in the record: its frequency is drawn to 0.",
     kOnRequest,
     [](Of& r) {
       const auto& z = r.targetSpectrum().bins;
       const auto& x = r.measuredSpectrum().bins;
       if (z.empty() || x.empty()) return Reading(kNoValue);
       return orNone(frequencyIndex(z, x, r.signals().target.size(), r.step_s()),
                     [](const auto& i) { return i.delay_s; });
     },
     nullptr},
    {"added_energy", "Added energy", "J", "Energy that the transfer system added while its error power was positive.",
     "", "It cannot tell an unstable test from a stable one: most tests have short active phases.", kOnRequest, nullptr,
     [](const TestReading& r) { return r.added_energy_j; }},
    {"damped_energy", "Damped energy", "J", "Energy that passivity control took out of the computed side.",
     "positive: took out",
     "It cannot tell what that did to the response; without it the test may not have been stable at all.", kOnRequest,
     nullptr, [](const TestReading& r) { return r.damped_energy_j; }},
    {"hsem_strain", "Error monitor by strain energy", "",
     "Energy error by the largest strain energy of the specimen; up to 0.05 is a rule of thumb for acceptable.",
     "positive: energy was added", kEnergyMeaning, kOnRequest, nullptr,
     [](const TestReading& r) { return r.hsem_strain; }},
    {"hsem_input", "Error monitor by input energy", "", "Energy error by strain energy and work of the excitation.",
     "positive: energy was added", kEnergyMeaning, kOnRequest, nullptr,
     [](const TestReading& r) { return r.hsem_input; }},
    {"susceptibility", "Susceptibility norm", "",
     "Largest effect of what the transfer system deviates (actuator, added delay, and the compensation as it starts) "
     "on the coupled loop: below 1 it is stable, below 0.1 it performs robustly.",
     "", "It cannot prove instability: tests above 1 may well run, and it needs models of all parts.", kOnRequest,
     nullptr, [](const TestReading& r) { return r.susceptibility; }},
    {"phase_margin", "Phase margin", "deg",
     "Lag that the loop still bears at its gain crossover, each actuator with its own response, and the compensation "
     "as it starts.",
     "", "It needs models of all parts, and there is none where the loop is unstable, or no delay makes it so.",
     kOnRequest, nullptr, [](const TestReading& r) { return r.phase_margin_deg; }},
    {"decay_rate", "Decay rate by turning points", "1/s",
     "Rate at which the free oscillation dies out, by its first ten turning points.", "negative: it grows",
     "It cannot separate modes that decay together, nor friction from viscous damping, nor bear noise that makes "
     "turning points: the damping of FACE, of one decaying sine, does.",
     kOnRequest,
     [](Of& r) {
       return orNone(fitDecay(r.signals().measured, r.step_s()), [](const auto& d) { return d.decay_per_s; });
     },
     nullptr},
    {"dominant_frequency", "Dominant frequency", "Hz", "Frequency of the largest motion besides the rest position.", "",
     "It cannot be finer than its record: a spectrum resolves one over its duration.", kOnRequest,
     [](Of& r) { return orNone(r.measuredSpectrum().peak, [](const auto& p) { return p.frequency_hz; }); }, nullptr},
    {"bandwidth_hz", "Bandwidth", "Hz",
     "Frequency at which the uncompensated actuator, before this specimen, falls to 71 % of its motion at rest.", "",
     "It cannot tell what a compensation makes good, nor see limits of velocity and force.", kOnRequest, nullptr,
     [](const TestReading& r) { return r.bandwidth_hz; }},
    {"stability_indicator", "Added share of the exchange", "",
     "Energy that the transfer system adds, by the energy that flows through the interface over a sliding window.",
     "positive: added, negative: took out",
     "It cannot tell growth by resonance from growth by instability while the excitation acts.", kOnRequest, nullptr,
     [](const TestReading& r) { return r.added_share; }},
};

/// Names that older files and studies use for the same figure.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOlder = {{
    {"j1", "delay_ms"},
    {"j2", "tracking_nrmse_percent"},
    {"j3", "tracking_peak_percent"},
    {"j4", "reference_nrmse_percent"},
    {"j5", "reference_peak_percent"},
    {"gap_envelope", "gap_peak"},
}};

}  // namespace

std::string Measure::description() const {
  const std::string text = says;
  return *sign == '\0' ? text : text.substr(0, text.size() - 1) + "; " + sign + ".";
}

std::span<const Measure> measures() noexcept { return kMeasures; }

const Measure* findMeasure(std::string_view name) noexcept {
  for (const auto& [older, now] : kOlder)
    if (name == older) name = now;
  for (const Measure& measure : kMeasures)
    if (name == measure.name) return &measure;
  return nullptr;
}

}  // namespace hyb
