#include "core/fidelity/measure.h"

#include <array>
#include <utility>

#include "core/base/numbers.h"
#include "core/fidelity/decay.h"
#include "core/fidelity/energy.h"
#include "core/fidelity/multi_axial.h"
#include "core/fidelity/reading.h"
#include "core/fidelity/tracking_errors.h"
#include "core/fidelity/tracking_measures.h"
#include "core/signal/calculus.h"

namespace hyb {

namespace {

using Reading = std::optional<double>;
using Of = InterfaceReading;

constexpr const char* kNoSusceptibility =
    "Does not show the effect on the response: a robust test tolerates an error that makes a susceptible test useless.";
constexpr const char* kOneFigure = "Does not separate delay from amplitude error.";
constexpr const char* kOutlier = "Does not separate a single outlier from a lasting error.";
constexpr const char* kNoDelay = "Does not respond to a delay.";
constexpr const char* kNoReference = "Needs a reference solution, which is rarely known for a physical specimen.";
constexpr const char* kOneFrequency = "Valid at this frequency only. A delay of whole periods is not visible.";
constexpr const char* kAmplitudes = "Grows with the square of the amplitude. Compare tests of equal amplitude only.";
constexpr const char* kEnergyMeaning = "Its scale depends on the test. It gives no error of the response.";
constexpr const char* kLimitsTell = "Compare it with the actuator's limit to find the margin.";
constexpr const char* kCounted = "Describes the course of the run, not the fidelity of the test.";
constexpr const char* kPartition =
    "Contains the error of the partition: a perfect transfer system does not give 0. Judge the control by J1 to J6.";
constexpr const char* kWholeTicks = "Resolution: one tick. Average over all frequencies.";
constexpr const char* kLearns =
    "Contains what the test learns between the trials: start the analysis after the error has settled.";
constexpr const char* kLags = "positive: measured lags";

/// Of the reference, if there is one.
template <typename Read>
Reading ofReference(Of& r, Read&& read) {
  return r.reference().count() > 0 ? Reading(read(r.reference())) : std::nullopt;
}
Reading ofFloor(const Of& r, std::size_t floor,
                double (*read)(std::span<const double>, std::span<const double>) noexcept) {
  const InterfaceSignals& s = r.signals();
  if (s.floors_lost()) return kNoValue;
  return s.floors[floor].empty() ? std::nullopt : Reading(read(s.floor_references[floor], s.floors[floor]));
}
Reading ofShear(const Of& r, std::size_t storey) {
  const InterfaceSignals& s = r.signals();
  return s.shears[storey].empty() ? std::nullopt : Reading(nrmsePercent(s.shear_references[storey], s.shears[storey]));
}
Reading peakOf(const SignalSamples& samples, double factor) {
  return samples.empty() ? std::nullopt : Reading(factor * compared(samples, samples).peak());
}
/// In percent of a limit; none without one.
Reading shareOf(const SignalSamples& samples, double limit) {
  return limit > 0.0 ? peakOf(samples, 100.0 / limit) : std::nullopt;
}
/// Criteria of the multi-axial benchmark, for runs that record the DOF at the cut.
template <typename Read>
Reading ofActuator(const Of& r, Read&& read) {
  const InterfaceSignals& s = r.signals();
  return s.recorded.target.empty() ? std::nullopt : Reading(read(s.target, s.measured));
}
template <typename Read>
Reading ofCut(const Of& r, Read&& read) {
  const InterfaceSignals::Recorded& s = r.signals().recorded;
  return s.target.empty() ? std::nullopt : Reading(read(s.target, s.measured));
}
template <typename Read>
Reading ofCutReference(const Of& r, Read&& read) {
  const InterfaceSignals::Recorded& s = r.signals().recorded;
  return s.reference.empty() ? std::nullopt : Reading(read(s.reference, s.measured));
}
template <typename Read>
Reading ofLevel(const Of& r, std::size_t level, Read&& read) {
  const InterfaceSignals::Recorded& s = r.signals().recorded;
  return s.level_references[level].empty() ? std::nullopt : Reading(read(s.level_references[level], s.levels[level]));
}
Reading ofScatter(const std::optional<TrialScatter>& scatter, double TrialScatter::*figure) {
  return scatter ? Reading((*scatter).*figure) : std::nullopt;
}
Reading wholeDelay(Of& r) {
  return ofActuator(r, [&r](auto wanted, auto seen) { return 1e3 * r.step_s() * delayTicks(wanted, seen); });
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
    {"tracking_nrmse_percent", "J2, tracking error", "%", "RMS of the gap divided by RMS of the target motion.", "",
     kOneFigure, kAlways, [](Of& r) { return Reading(100.0 * r.tracking().nrmse()); }, nullptr},
    {"tracking_peak_percent", "J3, tracking peak", "%", "Largest gap divided by the largest target motion.", "",
     kOutlier, kAlways, [](Of& r) { return Reading(100.0 * r.tracking().peakShare()); }, nullptr},
    {"delay_ms", "J1, delay", "ms", "Time shift of the largest cross-correlation of measured and target motion.", kLags,
     "Average over all frequencies, weighted with the energy of the motion.", kAlways,
     [](Of& r) { return Reading(1e3 * r.delay_s()); }, nullptr},
    {"amplitude_ratio", "Amplitude ratio", "",
     "Amplitude of the measured motion divided by that of the target motion, at the frequency of the excitation.", "",
     "Valid at this frequency only. Needs a periodic excitation.", kAlways,
     [](Of& r) { return Reading(harmonicOf(r).amplitude_ratio); }, nullptr},
    {"phase_deg", "Phase", "deg",
     "Phase of the measured motion relative to the target motion, at the frequency of the excitation.",
     "negative: measured lags", "Valid at this frequency only. Needs a periodic excitation.", kAlways,
     [](Of& r) { return Reading(harmonicOf(r).phase_deg); }, nullptr},
    {"gap_rms", "Gap, rms", "m", "RMS of the difference of measured and target motion.", "", kNoSusceptibility, kAlways,
     [](Of& r) { return Reading(r.tracking().errorRms()); }, nullptr},
    {"gap_peak", "Gap, peak", "m", "Largest difference of measured and target motion.", "", kNoSusceptibility, kAlways,
     [](Of& r) { return Reading(r.tracking().errorPeak()); }, nullptr},
    {"reference_nrmse_percent", "J4, reference error", "%",
     "RMS error of the measured motion against the uncut structure, divided by the RMS motion of the uncut structure.",
     "", kNoReference, kAlways,
     [](Of& r) { return ofReference(r, [](const RunningComparison& c) { return 100.0 * c.nrmse(); }); }, nullptr},
    {"reference_peak_percent", "J5, reference peak", "%",
     "Largest error of the measured motion against the uncut structure, divided by the largest motion of the uncut "
     "structure.",
     "", kNoReference, kAlways,
     [](Of& r) { return ofReference(r, [](const RunningComparison& c) { return 100.0 * c.peakShare(); }); }, nullptr},
    {"energy_error", "Energy error", "J", "Energy that the transfer system added to the coupled system.",
     "positive: added, negative: removed",
     "A value near 0 may result from phases of added and removed energy that cancel.", kAlways, nullptr,
     [](const TestReading& r) { return r.energy_error_j(); }},
    {"missed_ticks", "Missed periods", "", "Periods of the loop without a tick because the previous tick was late.", "",
     kCounted, kAlways, nullptr, [](const TestReading& r) { return r.missed_periods(); }},
    {"limits_hit", "Limits hit", "", "Number of times a limit was reached, including limits that only indicate.", "",
     kCounted, kAlways, nullptr, [](const TestReading& r) { return r.limits_hit(); }},
    {"end_s", "End", "s", "Time from the first to the last tick.", "", kCounted, kAlways, nullptr,
     [](const TestReading& r) { return r.end_s(); }},

    {"gap_closed_s", "Gap closed after", "s",
     "Time from the start of the analysis after which the gap stays within its tolerance.", "",
     "Does not show how fast the gap closes. No value if the gap is open at the end.", kOnRequest,
     [](Of& r) { return Reading(r.signals().gap_closed_s()); }, nullptr},
    {"rms_by_max", "RMS error by maximum", "", "RMS of the gap divided by the largest target motion.", "",
     kNoSusceptibility, kOnRequest, [](Of& r) { return Reading(r.tracking().rmsByPeak()); }, nullptr},
    {"rms_by_rms", "RMS error by RMS", "", "RMS of the gap divided by RMS of the target motion: J2 as a ratio.", "",
     kNoSusceptibility, kOnRequest, [](Of& r) { return Reading(r.tracking().nrmse()); }, nullptr},
    {"velocity_rms_by_max", "RMS velocity error by maximum", "",
     "RMS velocity error divided by the largest target velocity. Weights fast motion more than the gap does.", "",
     "Unreliable with a noisy displacement measurement, because differentiation amplifies noise.", kOnRequest,
     [](Of& r) { return Reading(velocityErrorByMax(r.signals().target, r.signals().measured, r.step_s())); }, nullptr},
    {"maximum", "Maximum tracking error", "", "Largest gap divided by the largest target motion: J3 as a ratio.", "",
     kOutlier, kOnRequest, [](Of& r) { return Reading(r.tracking().peakShare()); }, nullptr},
    {"peak", "Peak error", "",
     "Relative difference of the largest measured motion and the largest target motion, each at its own time.", "",
     kNoDelay, kOnRequest, [](Of& r) { return Reading(r.tracking().peakDifference()); }, nullptr},
    {"spectral", "Spectral error", "",
     "RMS difference of the amplitude spectra of measured and target motion, divided by RMS of the target spectrum.",
     "", kNoDelay, kOnRequest, [](Of& r) { return Reading(spectralErrorOf(r.targetSpectrum(), r.measuredSpectrum())); },
     nullptr},
    {"reference_rms_by_max", "RMS reference error by maximum", "",
     "RMS error against the reference divided by the largest reference motion.", "", kNoReference, kOnRequest,
     [](Of& r) { return ofReference(r, [](const RunningComparison& c) { return c.rmsByPeak(); }); }, nullptr},
    {"reference_rms_by_rms", "RMS reference error by RMS", "",
     "RMS error against the reference divided by RMS of the reference motion: J4 as a ratio.", "", kNoReference,
     kOnRequest, [](Of& r) { return ofReference(r, [](const RunningComparison& c) { return c.nrmse(); }); }, nullptr},
    {"reference_maximum", "Maximum reference error", "",
     "Largest error against the reference divided by the largest reference motion: J5 as a ratio.", "", kNoReference,
     kOnRequest, [](Of& r) { return ofReference(r, [](const RunningComparison& c) { return c.peakShare(); }); },
     nullptr},
    {"reference_peak", "Reference peak error", "",
     "Relative difference of the largest motion in the test and in the reference.", "", kNoReference, kOnRequest,
     [](Of& r) { return ofReference(r, [](const RunningComparison& c) { return c.peakDifference(); }); }, nullptr},
    {"reference_spectral", "Spectral reference error", "", "Difference of the amplitude spectra of test and reference.",
     "", kNoReference, kOnRequest,
     [](Of& r) {
       return r.reference().count() > 0 ? Reading(spectralErrorOf(r.referenceSpectrum(), r.measuredSpectrum()))
                                        : std::nullopt;
     },
     nullptr},
    {"j6", "J6, floor 2 error", "%", "RMS error of the computed second floor against the reference.", "", kNoReference,
     kInTables, [](Of& r) { return ofFloor(r, 0, nrmsePercent); }, nullptr},
    {"j7", "J7, floor 3 error", "%", "RMS error of the computed third floor against the reference.", "", kNoReference,
     kInTables, [](Of& r) { return ofFloor(r, 1, nrmsePercent); }, nullptr},
    {"j8", "J8, floor 2 peak", "%", "Largest error of the computed second floor against the reference.", "",
     kNoReference, kInTables, [](Of& r) { return ofFloor(r, 0, peakPercent); }, nullptr},
    {"j9", "J9, floor 3 peak", "%", "Largest error of the computed third floor against the reference.", "",
     kNoReference, kInTables, [](Of& r) { return ofFloor(r, 1, peakPercent); }, nullptr},
    {"marths_j1", "maRTHS J1, delay", "ms",
     "Lag of the largest cross-correlation of measured and target motion of the actuator, in whole ticks.",
     kLags, kWholeTicks, kInTables, wholeDelay, nullptr},
    {"marths_j2", "maRTHS J2, tracking error", "%",
     "Standard deviation of the gap of the actuator divided by that of its target.",
     "", kOneFigure, kInTables, [](Of& r) { return ofActuator(r, deviationPercent); }, nullptr},
    {"marths_j3", "maRTHS J3, tracking peak", "%",
     "Largest gap of the actuator divided by its largest target.",
     "", kOutlier, kInTables, [](Of& r) { return ofActuator(r, largestPercent); }, nullptr},
    {"marths_j4_script", "maRTHS J4, script", "ms",
     "J4 as the public script of the benchmark computes it: the same line as J1.",
     kLags, kWholeTicks, kInTables, wholeDelay, nullptr},
    {"marths_j4_text", "maRTHS J4, text", "ms",
     "J4 by its heading: lag of the measured behind the computed motion of the degree of freedom at the cut.",
     kLags, kWholeTicks, kInTables, [](Of& r) {
       return ofCut(r, [&r](auto wanted, auto seen) { return 1e3 * r.step_s() * delayTicks(wanted, seen); });
     }, nullptr},
    {"marths_j5", "maRTHS J5, estimation error", "%",
     "Standard deviation of measured minus computed motion of the degree of freedom at the cut, divided by that of the computed motion.",
     "", kOneFigure, kInTables, [](Of& r) { return ofCut(r, deviationPercent); }, nullptr},
    {"marths_j6", "maRTHS J6, estimation peak", "%",
     "Largest difference of measured and computed motion of the degree of freedom at the cut, divided by the largest computed motion.",
     "", kOutlier, kInTables, [](Of& r) { return ofCut(r, largestPercent); }, nullptr},
    {"marths_j7", "maRTHS J7, reference error", "%",
     "Standard deviation of measured minus reference motion of the degree of freedom at the cut, divided by that of the reference.",
     "", kPartition, kInTables, [](Of& r) { return ofCutReference(r, deviationPercent); }, nullptr},
    {"marths_j8_level_2", "maRTHS J8, level 2", "%",
     "Standard deviation of computed minus reference motion of level 2, divided by that of the reference.",
     "", kPartition, kInTables, [](Of& r) { return ofLevel(r, 0, deviationPercent); }, nullptr},
    {"marths_j8_level_3", "maRTHS J8, level 3", "%",
     "Standard deviation of computed minus reference motion of level 3, divided by that of the reference.",
     "", kPartition, kInTables, [](Of& r) { return ofLevel(r, 1, deviationPercent); }, nullptr},
    {"marths_j9", "maRTHS J9, reference peak", "%",
     "Largest difference of measured and reference motion of the degree of freedom at the cut, divided by the largest reference motion.",
     "", kPartition, kInTables, [](Of& r) { return ofCutReference(r, largestPercent); }, nullptr},
    {"marths_j10_level_2", "maRTHS J10, level 2", "%",
     "Largest difference of computed and reference motion of level 2, divided by the largest reference motion.",
     "", kPartition, kInTables, [](Of& r) { return ofLevel(r, 0, largestPercent); }, nullptr},
    {"marths_j10_level_3", "maRTHS J10, level 3", "%",
     "Largest difference of computed and reference motion of level 3, divided by the largest reference motion.",
     "", kPartition, kInTables, [](Of& r) { return ofLevel(r, 1, largestPercent); }, nullptr},
    {"trial_scatter", "Scatter of the trials", "m",
     "RMS over the trial of the standard deviation of the measured motion between the trials, at equal times since their "
     "start.",
     "", kLearns, kInTables,
     [](Of& r) { return ofScatter(r.signals().scatter(), &TrialScatter::rms); }, nullptr},
    {"trial_scatter_percent", "Motion repeatability", "%",
     "RMS scatter of the measured motion between the trials, divided by the RMS of their mean.", "", kLearns, kInTables,
     [](Of& r) { return ofScatter(r.signals().scatter(), &TrialScatter::percent); }, nullptr},
    {"trial_force_scatter_percent", "Force repeatability", "%",
     "RMS scatter of the measured force between the trials, divided by the RMS of their mean.", "", kLearns, kInTables,
     [](Of& r) { return ofScatter(r.signals().force_scatter(), &TrialScatter::percent); }, nullptr},
    {"stride_deviation", "Stride deviation", "",
     "Change of the state of the walker over its first stride: height, position over the foot, speed, trunk angle and "
     "trunk rate, as the root of the sum of squares.",
     "", "Does not show how long the walker walks. 0 is a gait.", kInTables, nullptr,
     [](const TestReading& r) { return r.stride_deviation(); }},
    {"stroke_peak_mm", "Stroke, peak", "mm", "Largest displacement of the actuator from its mid position.", "",
     kLimitsTell, kOnRequest, [](Of& r) { return peakOf(r.signals().stroke, 1e3); }, nullptr},
    {"velocity_peak_mm_per_s", "Velocity, peak", "mm/s", "Largest velocity of the actuator.", "", kLimitsTell,
     kOnRequest, [](Of& r) { return peakOf(r.signals().velocity, 1e3); }, nullptr},
    {"force_peak", "Force, peak", "N", "Largest measured force.", "", kLimitsTell, kOnRequest,
     [](Of& r) { return peakOf(r.signals().force, 1.0); }, nullptr},
    {"command_share_percent", "Command, share of limit", "%",
     "Largest command divided by the lowest limit of the test on this command, for example the saturation of a "
     "converter.",
     "", "Above 100 % a real converter would have cut the command; here only the limit acts.", kOnRequest,
     [](Of& r) { return shareOf(r.signals().command, r.signals().command_limit()); }, nullptr},
    {"force_share_percent", "Force, share of limit", "%",
     "Largest force divided by the lowest limit of the test on this force, for example the capacity of an actuator.",
     "", "Above 100 % a real actuator would not have followed; here only the limit acts.", kOnRequest,
     [](Of& r) { return shareOf(r.signals().load, r.signals().load_limit()); }, nullptr},
    {"passivity_gain", "Gain of passivity control, first guess", "kg/s",
     "Gain at which passivity control removes as much power as the actuator adds, for the largest force and velocities "
     "of this test (Insam 2022, equation 5.11). Start with this gain and reduce it until the test is just stable.",
     "", "Does not show whether the test needs passivity control. Noise in force or motion makes the gain too large.",
     kOnRequest, [](Of& r) { return passivityGuess(r); }, nullptr},
    {"specimen_reference_percent", "J4 of the specimen", "%",
     "RMS error of the first storey (specimen behind the compliance spring) against the uncut structure.", "",
     kNoReference, kOnRequest,
     [](Of& r) {
       const InterfaceSignals& s = r.signals();
       return s.specimen.empty() ? std::nullopt : Reading(nrmsePercent(s.specimen_reference, s.specimen));
     },
     nullptr},
    {"target_reference_percent", "A4, target force", "%",
     "RMS error of the target force against the interface force in the uncut structure.", "", kNoReference, kOnRequest,
     [](Of& r) {
       const InterfaceSignals& s = r.signals();
       return s.piston_target.empty() || s.reference.empty() ? std::nullopt
                                                             : Reading(nrmsePercent(s.reference, s.target));
     },
     nullptr},
    {"storey_2_shear_percent", "A4, shear of storey 2", "%",
     "RMS error of the computed shear of the second storey against the uncut structure.", "", kNoReference, kOnRequest,
     [](Of& r) { return ofShear(r, 0); }, nullptr},
    {"storey_3_shear_percent", "A4, shear of storey 3", "%",
     "RMS error of the computed shear of the third storey against the uncut structure.", "", kNoReference, kOnRequest,
     [](Of& r) { return ofShear(r, 1); }, nullptr},
    {"piston_nrmse_percent", "J2 of the piston", "%",
     "RMS tracking error of the piston divided by RMS of its target, the position that produces the target force.", "",
     "Does not show an error in the assumed stiffness of the spring.", kOnRequest,
     [](Of& r) {
       const InterfaceSignals& s = r.signals();
       return s.piston_target.empty() ? std::nullopt : Reading(nrmsePercent(s.piston_target, s.piston));
     },
     nullptr},
    {"piston_delay", "Delay of the piston", "s",
     "Delay of the piston behind its target, over all frequencies (frequency evaluation index).", kLags,
     "Does not show how the delay varies with frequency.", kOnRequest,
     [](Of& r) {
       const InterfaceSignals& s = r.signals();
       if (s.piston_target.empty()) return Reading();
       return orNone(frequencyIndex(s.piston_target, s.piston, r.step_s()), [](const auto& i) { return i.delay_s; });
     },
     nullptr},
    {"ellipse_amplitude_ratio", "Amplitude ratio of the ellipse", "",
     "Measured amplitude divided by target amplitude, at the frequency of a periodic excitation, else at the dominant "
     "frequency.",
     "", "Valid at this frequency only.", kOnRequest,
     [](Of& r) { return orNone(r.ellipse(), [](const auto& e) { return e.amplitude_ratio; }); }, nullptr},
    {"ellipse_delay", "Delay of the ellipse", "s",
     "Delay of the measured motion at the frequency of a periodic excitation, else at the dominant frequency.", kLags,
     kOneFrequency, kOnRequest, [](Of& r) { return orNone(r.ellipse(), [](const auto& e) { return e.delay_s; }); },
     nullptr},
    {"ellipse_area", "Area of the ellipse", "m2", "Area enclosed by the subspace plot in one period.",
     "positive: lag, negative: lead", kAmplitudes, kOnRequest,
     [](Of& r) { return orNone(r.ellipse(), [](const auto& e) { return e.area; }); }, nullptr},
    {"amplitude_indicator", "Amplitude indicator", "",
     "Slope of the major axis of the subspace plot: 1 for equal amplitudes.", "",
     "Undefined at lags near a quarter period, where the plot has no major axis.", kOnRequest,
     [](Of& r) { return Reading(amplitudeIndicator(r.signals().target, r.signals().measured)); }, nullptr},
    {"tracking_indicator", "Tracking indicator", "m2", "Area swept in the subspace plot so far.",
     "rising: lag, falling: lead", kAmplitudes, kOnRequest, [](Of& r) { return Reading(r.sweptArea()); }, nullptr},
    {"fei_delay", "Delay by frequency index", "s",
     "Delay of the motion around the dominant peaks of its spectrum (frequency evaluation index).", kLags,
     "Does not show how the delay varies with frequency, or errors that change neither amplitude nor delay.",
     kOnRequest, [](Of& r) { return orNone(r.adaptedIndex(), [](const auto& i) { return i.delay_s; }); }, nullptr},
    {"fei_amplitude", "Amplitude by frequency index", "",
     "Measured amplitude divided by target amplitude around the dominant peaks of the spectrum.", "",
     "Amplitude errors of opposite sign at different frequencies cancel.", kOnRequest,
     [](Of& r) { return orNone(r.adaptedIndex(), [](const auto& i) { return i.amplitude; }); }, nullptr},
    {"fei_frequency", "Equivalent frequency", "Hz", "Mean frequency of the target motion, weighted with its power.", "",
     "One frequency and two frequencies on either side of it give the same value.", kOnRequest,
     [](Of& r) { return orNone(r.adaptedIndex(), [](const auto& i) { return i.frequency_hz; }); }, nullptr},
    {"fei_standard_delay", "Delay of the standard index", "s",
     "Delay of the motion over its whole spectrum, as first published.", kLags,
     "Unreliable if the record has an offset or a slow transient, which pulls its frequency towards 0.", kOnRequest,
     [](Of& r) {
       const auto& z = r.targetSpectrum().bins;
       const auto& x = r.measuredSpectrum().bins;
       if (z.empty() || x.empty()) return Reading(kNoValue);
       return orNone(frequencyIndex(z, x, r.signals().target.size(), r.step_s()),
                     [](const auto& i) { return i.delay_s; });
     },
     nullptr},
    {"added_energy", "Added energy", "J", "Energy that the transfer system added while its error power was positive.",
     "", "Does not separate stable from unstable tests: most stable tests also have short active phases.", kOnRequest,
     nullptr, [](const TestReading& r) { return r.added_energy_j(); }},
    {"damped_energy", "Damped energy", "J", "Energy that passivity control removed from the numerical substructure.",
     "positive: removed",
     "Does not show the effect on the response. Without passivity control the test may be unstable.", kOnRequest,
     nullptr, [](const TestReading& r) { return r.damped_energy_j(); }},
    {"hsem_strain", "Error monitor by strain energy", "",
     "Energy error divided by the largest strain energy of the specimen. As a rule of thumb, up to 0.05 is acceptable.",
     "positive: energy was added", kEnergyMeaning, kOnRequest, nullptr,
     [](const TestReading& r) { return r.hsem_strain(); }},
    {"hsem_input", "Error monitor by input energy", "",
     "Energy error divided by the sum of strain energy and work of the excitation.", "positive: energy was added",
     kEnergyMeaning, kOnRequest, nullptr, [](const TestReading& r) { return r.hsem_input(); }},
    {"susceptibility", "Susceptibility norm", "",
     "Largest effect on the coupled loop of the deviation of the transfer system (actuator, added delay, initial "
     "compensation). Below 1 the loop is stable, below 0.1 its performance is robust.",
     "", "Does not prove instability: tests above 1 may be stable. Needs models of all parts.", kOnRequest, nullptr,
     [](const TestReading& r) { return r.susceptibility(); }},
    {"phase_margin", "Phase margin", "deg",
     "Additional phase lag at the gain crossover that makes the loop unstable, with each actuator's response and the "
     "initial compensation.",
     "", "Needs models of all parts. No value if the loop is unstable or no delay makes it unstable.", kOnRequest,
     nullptr, [](const TestReading& r) { return r.phase_margin_deg(); }},
    {"decay_rate", "Decay rate by turning points", "1/s",
     "Decay rate of the free oscillation, from its first ten turning points.", "negative: it grows",
     "Does not separate modes that decay together, or friction from viscous damping. Noise adds turning points: use "
     "the damping of FACE for noisy records.",
     kOnRequest,
     [](Of& r) {
       return orNone(fitDecay(r.signals().measured, r.step_s()), [](const auto& d) { return d.decay_per_s; });
     },
     nullptr},
    {"dominant_frequency", "Dominant frequency", "Hz",
     "Frequency of the largest peak of the spectrum, without the rest position.", "",
     "The resolution is 1 divided by the duration of the record.", kOnRequest,
     [](Of& r) { return orNone(r.measuredSpectrum().peak, [](const auto& p) { return p.frequency_hz; }); }, nullptr},
    {"bandwidth_hz", "Bandwidth", "Hz",
     "Frequency at which the response of the uncompensated actuator, coupled to this specimen, falls to 71 % of its "
     "static value.",
     "", "Does not include the compensation or the limits of velocity and force.", kOnRequest, nullptr,
     [](const TestReading& r) { return r.bandwidth_hz(); }},
    {"stability_indicator", "Added share of the exchange", "",
     "Energy added by the transfer system divided by the energy through the interface, over the last complete window.",
     "positive: added, negative: removed", "Does not separate resonance from instability while the excitation acts.",
     kOnRequest, nullptr, [](const TestReading& r) { return r.added_share(); }},
};

/// Names of the same figures in older files and studies.
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
