#include "core/fidelity/measure.h"

namespace hyb {

namespace {

constexpr const char* kNoSusceptibility =
    "It cannot tell what the error does to the response: a robust test bears what ruins "
    "a susceptible one.";
constexpr const char* kOneFigure = "It cannot tell a delay from a wrong amplitude.";
constexpr const char* kNoReference = "It needs a reference solution, which a real test seldom has.";
constexpr const char* kEnergyMeaning =
    "It cannot be turned into an error of the response: its scale differs from test to test.";

constexpr Measure kMeasures[] = {
    {"rms_by_max", "RMS error by maximum", "", "Typical gap as a share of the largest commanded motion.",
     kNoSusceptibility},
    {"rms_by_rms", "RMS error by RMS", "", "Typical gap as a share of the typical commanded motion.",
     kNoSusceptibility},
    {"velocity_rms_by_max", "RMS velocity error by maximum", "",
     "Typical error of the velocity as a share of its largest value; weighs fast motion more than the gap does.",
     "It cannot be read where the measured displacement is noisy: differentiation raises noise."},
    {"maximum", "Maximum tracking error", "", "Largest gap as a share of the largest commanded motion.",
     "It cannot tell a single outlier from a lasting error."},
    {"peak", "Peak error", "", "Difference of the largest motions, wherever they are in time.",
     "It cannot see a delay at all."},
    {"spectral", "Spectral error", "", "Difference of the amplitude spectra: which motion is missing or too much.",
     "It cannot see a delay at all."},
    {"reference_rms_by_max", "RMS reference error by maximum", "",
     "Typical distance from the reference as a share of its largest motion: the fidelity of the interface motion "
     "itself.",
     kNoReference},
    {"reference_rms_by_rms", "RMS reference error by RMS", "",
     "Typical distance from the reference as a share of its typical motion.", kNoReference},
    {"reference_maximum", "Maximum reference error", "", "Largest distance from the reference by its largest motion.",
     kNoReference},
    {"reference_peak", "Reference peak error", "", "Difference of the largest motions of test and reference.",
     kNoReference},
    {"reference_spectral", "Spectral reference error", "", "Difference of the amplitude spectra of test and reference.",
     kNoReference},
    {"j1", "J1, delay", "ms", "Shift in time at which measured and target motion are most alike.",
     "It cannot tell delays of different frequencies apart: it is an average weighted with the motion's energy."},
    {"j2", "J2, tracking NRMSE", "%", "Spread of the gap by spread of the target; a constant offset does not count.",
     kOneFigure},
    {"j3", "J3, tracking peak", "%", "Largest gap by largest target.",
     "It cannot tell a single outlier from a lasting error."},
    {"j4", "J4, floor 1 NRMSE", "%", "Distance of the measured first floor from the reference.", kNoReference},
    {"j5", "J5, floor 1 peak", "%", "Largest distance of the measured first floor from the reference.", kNoReference},
    {"j6", "J6, floor 2 NRMSE", "%", "Distance of the computed second floor from the reference.", kNoReference},
    {"j7", "J7, floor 3 NRMSE", "%", "Distance of the computed third floor from the reference.", kNoReference},
    {"j8", "J8, floor 2 peak", "%", "Largest distance of the computed second floor from the reference.", kNoReference},
    {"j9", "J9, floor 3 peak", "%", "Largest distance of the computed third floor from the reference.", kNoReference},
    {"ellipse_amplitude_ratio", "Amplitude ratio of the ellipse", "",
     "Achieved by commanded amplitude at the dominant frequency.", "It cannot speak for motion at other frequencies."},
    {"ellipse_delay", "Delay of the ellipse", "s", "Lag of the achieved motion at the dominant frequency.",
     "It cannot speak for other frequencies, nor tell whole periods apart."},
    {"ellipse_area", "Area of the ellipse", "m2", "Enclosed area a period: positive for lag, negative for lead.",
     "It cannot be compared between amplitudes: it grows with their square."},
    {"amplitude_indicator", "Amplitude indicator", "",
     "Slope of the long axis of the subspace plot: 1 for equal amplitudes.",
     "It cannot be read at lags near a quarter period, where the plot has no long axis."},
    {"tracking_indicator", "Tracking indicator", "m2",
     "Area swept in the subspace plot so far: rises with lag, falls with lead.",
     "It cannot be compared between amplitudes: it grows with their square."},
    {"fei_delay", "Delay of the frequency evaluation index", "s",
     "Delay of the motion around the dominant peaks of its spectrum.",
     "It cannot see how a delay varies with frequency, nor errors that leave amplitude and delay alone."},
    {"fei_amplitude", "Amplitude of the frequency evaluation index", "",
     "Achieved by commanded amplitude around the dominant peaks.",
     "It cannot see a deviation that is too much at one frequency and too little at another."},
    {"fei_frequency", "Equivalent frequency", "Hz", "Mean frequency of the commanded motion, weighted with its power.",
     "It cannot tell one frequency from two to either side of it."},
    {"fei_standard_delay", "Delay of the standard index", "s",
     "Delay of the motion over its whole spectrum, as first published.",
     "It cannot be trusted where an offset or a slow transient is in the record: its frequency is drawn to 0."},
    {"gap_envelope", "Gap envelope", "m",
     "Largest and smallest gap about each instant: where in the test tracking was worst.", kNoSusceptibility},
    {"energy_error", "Energy error", "J",
     "Energy that the transfer system added to the coupled system, negative: took out.",
     "It cannot be trusted alone near 0: phases of adding and taking out cancel.", true},
    {"added_energy", "Added energy", "J", "Energy that the transfer system added while its error power was positive.",
     "It cannot tell an unstable test from a stable one: most tests have short active phases.", true},
    {"hsem_strain", "Error monitor by strain energy", "",
     "Energy error by the largest strain energy of the specimen; up to 0.05 is a rule of thumb for acceptable.",
     kEnergyMeaning, true},
    {"hsem_input", "Error monitor by input energy", "", "Energy error by strain energy and work of the excitation.",
     kEnergyMeaning, true},
    {"susceptibility", "Susceptibility norm", "",
     "Largest effect of what the transfer system deviates (actuator, added delay, and the compensation as it starts) "
     "on "
     "the coupled loop: below 1 it is stable, below 0.1 it performs robustly.",
     "It cannot prove instability: tests above 1 may well run, and it needs models of all parts.", true},
    {"phase_margin", "Phase margin", "deg",
     "Lag that the loop still bears at its gain crossover, the delays it has, less what is predicted at the start, "
     "taken "
     "off; below 0 it is unstable.",
     "It cannot see that an actuator's amplitude is wrong, needs models of all parts, and there is none where no delay "
     "makes the loop unstable.",
     true},
    {"decay_rate", "Decay rate", "1/s", "Rate at which the free oscillation dies out; negative: it grows.",
     "It cannot separate modes that decay together, nor friction from viscous damping."},
    {"dominant_frequency", "Dominant frequency", "Hz", "Frequency of the largest motion besides the rest position.",
     "It cannot be finer than its record: a spectrum resolves one over its duration."},
    {"stability_indicator", "Added share of the exchange", "",
     "Energy that the transfer system adds, by the energy that flows through the interface over a sliding window.",
     "It cannot tell growth by resonance from growth by instability while the excitation acts.", true},
};

}  // namespace

std::span<const Measure> measures() noexcept { return kMeasures; }

const Measure* findMeasure(std::string_view name) noexcept {
  for (const Measure& measure : kMeasures)
    if (name == measure.name) return &measure;
  return nullptr;
}

}  // namespace hyb
