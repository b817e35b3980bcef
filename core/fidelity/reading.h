#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/lazy.h"
#include "core/base/numbers.h"
#include "core/fidelity/frequency_index.h"
#include "core/fidelity/record.h"
#include "core/fidelity/running.h"
#include "core/fidelity/spectrum.h"
#include "core/fidelity/subspace.h"
#include "core/fidelity/trial_scatter.h"

namespace hyb {

/// Equally spaced samples: kept elsewhere, or read at their first use.
class SignalSamples {
 public:
  SignalSamples() = default;
  SignalSamples(std::span<const double> kept) : kept_(kept) {}
  SignalSamples(const std::vector<double>& kept) : kept_(kept) {}
  SignalSamples(Lazy<std::vector<double>> read) : read_(std::move(read)) {}
  std::span<const double> operator()() const { return read_ ? std::span<const double>((*read_)()) : kept_; }
  operator std::span<const double>() const { return (*this)(); }
  std::size_t size() const { return (*this)().size(); }
  bool empty() const { return (*this)().empty(); }

 private:
  std::span<const double> kept_;
  std::optional<Lazy<std::vector<double>>> read_;
};

/// Equally spaced samples of one interface, equally long; reference and floors may be empty.
struct InterfaceSignals {
  SignalSamples target, measured, reference;
  /// Second and third floor of a building with this interface as first floor, computed and in the uncut structure.
  std::array<SignalSamples, 2> floors, floor_references;
  Lazy<bool> floors_lost = false;  // the structure has floors, but the record does not determine them
  std::array<SignalSamples, 2> shears = {}, shear_references = {};  // of their storeys, N
  SignalSamples specimen = {}, specimen_reference = {};             // likewise that one, behind a spring
  SignalSamples piston_target = {}, piston = {};                    // for force targets
  /// From the first row to the row after which the gap stays within its tolerance; NaN: it does not.
  Lazy<double> gap_closed_s = kNoValue;
  SignalSamples stroke = {}, velocity = {}, force = {};          // of an actuator along a line: m, m/s, N
  SignalSamples command = {}, load = {};                         // command and force of any axis
  Lazy<double> command_limit = kNoValue, load_limit = kNoValue;  // lowest limit of the test on them; NaN: none
  /// Recorded DOF of the structure (coupling/recorded_dofs.h): of the cut, of the same number as this interface, and on
  /// two levels above it, computed and in the uncut structure.
  struct Recorded {
    SignalSamples target, measured, reference;
    std::array<SignalSamples, 2> levels, level_references;
  } recorded = {};
  /// Of a test with trials, over its whole trials among these samples: the measured (tracked) quantity and the force.
  Lazy<std::optional<TrialScatter>> scatter = {}, force_scatter = {};
};

/// Source of the measures of one interface. Common intermediate results (spectra, peaks, the ellipse, the delay) are
/// computed once at their first use. Refers to the samples; one thread at a time.
class InterfaceReading {
 public:
  /// Sums over these samples.
  struct Sums {
    RunningComparison tracking, reference;
    double swept_area = 0.0;
  };
  /// excitation_hz: of a periodic test, otherwise 0.
  InterfaceReading(const InterfaceSignals& signals, Lazy<Sums> sums, double step_s, Lazy<double> excitation_hz)
      : signals_(signals), sums_(std::move(sums)), step_s_(step_s), excitation_hz_(std::move(excitation_hz)) {}
  const InterfaceSignals& signals() const noexcept { return signals_; }
  const RunningComparison& tracking() const { return sums_().tracking; }
  const RunningComparison& reference() const { return sums_().reference; }  // count() 0: unknown
  double sweptArea() const { return sums_().swept_area; }
  double step_s() const noexcept { return step_s_; }
  double excitation_hz() const { return excitation_hz_(); }
  /// True if every sample of target and measured is a number, and there are enough of them.
  bool readable();

  struct Spectrum {
    std::vector<std::complex<double>> bins;  // of dft(); empty: not readable
    AmplitudeSpectrum amplitudes;
    std::optional<SpectralPeak> peak;  // the dominant one
  };
  const Spectrum& targetSpectrum();
  const Spectrum& measuredSpectrum();
  const Spectrum& referenceSpectrum();
  /// At the frequency of a periodic excitation, as in the subspace plot; otherwise at the dominant one of the target.
  const std::optional<SubspaceEllipse>& ellipse();
  const std::optional<FrequencyIndex>& adaptedIndex();
  double delay_s();

 private:
  void keep(std::optional<Spectrum>& kept, std::vector<std::complex<double>> bins);
  void readTracking();
  InterfaceSignals signals_;
  Lazy<Sums> sums_;
  double step_s_;
  Lazy<double> excitation_hz_;
  std::optional<bool> readable_;
  std::unique_ptr<Dft> dft_;
  std::optional<Spectrum> target_, measured_, of_reference_;
  std::optional<std::optional<SubspaceEllipse>> ellipse_;
  std::optional<std::optional<FrequencyIndex>> adapted_;
  std::optional<double> delay_s_;
};

/// Source of the measures of a whole test; none: does not apply.
struct TestReading {
  Lazy<std::optional<double>> energy_error_j, added_energy_j, damped_energy_j, hsem_strain, hsem_input, added_share,
      susceptibility, phase_margin_deg, bandwidth_hz, missed_periods, limits_hit, end_s, stride_deviation;
};

}  // namespace hyb
