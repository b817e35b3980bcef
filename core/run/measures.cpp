#include "core/run/measures.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include "core/fidelity/benchmark_criteria.h"
#include "core/fidelity/decay.h"
#include "core/fidelity/energy.h"
#include "core/fidelity/frequency_index.h"
#include "core/fidelity/spectrum.h"
#include "core/fidelity/stability_indicator.h"
#include "core/fidelity/subspace.h"
#include "core/fidelity/susceptibility.h"
#include "core/fidelity/tracking_errors.h"
#include "core/fidelity/tracking_measures.h"
#include "core/run/analysed_rows.h"
#include "core/run/build.h"
#include "core/run/computed_side.h"
#include "core/run/loop_delay.h"
#include "core/run/stability_report.h"
#include "core/stability/margins.h"
#include "core/structure/modes.h"
#include "core/structure/reduction.h"
#include "core/transfer/command_response.h"

namespace hyb {
namespace {

constexpr double kLongestWindow_s = 60.0;

/// One interface over the record; force as it acts on the numerical part.
struct InterfaceRecord {
  std::vector<double> target, measured, force, reference;  // reference may be empty
};

class Reader {
 public:
  /// `side`: null where the computed side is not known beyond its interface.
  explicit Reader(const MeasureContext& context, const ComputedSide* side = nullptr) : context_(context), side_(side) {}

  std::vector<MeasureReading> read(const std::vector<InterfaceRecord>& records) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      interface_ = static_cast<int>(i) + 1;
      readInterface(records[i]);
    }
    interface_ = 0;
    readWhole(records);
    return std::move(readings_);
  }

 private:
  void say(const char* name, double value) { readings_.push_back({findMeasure(name), interface_, value}); }

  void readInterface(const InterfaceRecord& r) {
    const double step_s = context_.step_s;
    const TrackingErrors errors = trackingErrors(r.target, r.measured, step_s);
    say("rms_by_max", errors.rms_by_max);
    say("rms_by_rms", errors.rms_by_rms);
    say("velocity_rms_by_max", errors.velocity_rms_by_max);
    say("maximum", errors.maximum);
    say("peak", errors.peak);
    say("spectral", errors.spectral);
    const auto top = dominantPeak(amplitudeSpectrum(r.target, step_s));
    double reach_s = std::min(kLongestDelay_s, 0.2 * step_s * static_cast<double>(r.target.size()));
    if (top) reach_s = std::min(reach_s, 0.45 / top->frequency_hz);  // less than half a period, or they are confused
    say("j1", 1e3 * delayByCorrelation(r.target, r.measured, step_s, reach_s));
    say("j2", nrmseBySpreadPercent(r.target, r.measured));
    say("j3", 100.0 * maximumError(r.target, r.measured));
    if (!r.reference.empty()) {
      say("j4", nrmseBySpreadPercent(r.reference, r.measured));
      say("j5", 100.0 * maximumError(r.reference, r.measured));
      say("reference_rms_by_max", rmsErrorByMax(r.reference, r.measured));
      say("reference_rms_by_rms", rmsErrorByRms(r.reference, r.measured));
      say("reference_maximum", maximumError(r.reference, r.measured));
      say("reference_peak", peakError(r.reference, r.measured));
      say("reference_spectral", spectralError(r.reference, r.measured));
    }
    if (side_ != nullptr && !side_->floors[0].empty()) {
      say("j6", nrmseBySpreadPercent(side_->reference[0], side_->floors[0]));
      say("j7", nrmseBySpreadPercent(side_->reference[1], side_->floors[1]));
      say("j8", 100.0 * maximumError(side_->reference[0], side_->floors[0]));
      say("j9", 100.0 * maximumError(side_->reference[1], side_->floors[1]));
    }
    const auto ellipse = fitSubspaceEllipse(r.target, r.measured, step_s);
    say("ellipse_amplitude_ratio", ellipse ? ellipse->amplitude_ratio : kNoFigure);
    say("ellipse_delay", ellipse ? ellipse->delay_s : kNoFigure);
    say("ellipse_area", ellipse ? ellipse->area : kNoFigure);
    say("amplitude_indicator", amplitudeIndicator(r.target, r.measured));
    std::vector<double> swept(r.target.size());
    runningTrackingIndicator(r.target, r.measured, swept);
    say("tracking_indicator", swept.back());
    const auto adapted = adaptedFrequencyIndex(r.target, r.measured, step_s);
    say("fei_delay", adapted ? adapted->delay_s : kNoFigure);
    say("fei_amplitude", adapted ? adapted->amplitude : kNoFigure);
    say("fei_frequency", adapted ? adapted->frequency_hz : kNoFigure);
    const auto standard = frequencyIndex(r.target, r.measured, step_s);
    say("fei_standard_delay", standard ? standard->delay_s : kNoFigure);
    double gap_m = 0.0;
    for (std::size_t k = 0; k < r.target.size(); ++k) gap_m = std::max(gap_m, std::abs(r.measured[k] - r.target[k]));
    say("gap_envelope", gap_m);
    const auto decay = fitDecay(r.measured, step_s);
    say("decay_rate", decay ? decay->decay_per_s : kNoFigure);
    const auto moved = dominantPeak(amplitudeSpectrum(r.measured, step_s));
    say("dominant_frequency", moved ? moved->frequency_hz : kNoFigure);
  }

  void readWhole(const std::vector<InterfaceRecord>& records) {
    const std::size_t n = records.empty() ? 0 : records.front().target.size();
    std::vector<double> total_j(n, 0.0), one_j(n), restoring(n);
    std::vector<InterfacePower> power(n, InterfacePower{0.0, 0.0});
    std::vector<std::span<const double>> targets;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const InterfaceRecord& r = records[i];
      std::transform(r.force.begin(), r.force.end(), restoring.begin(), std::negate<>());
      runningEnergyError(restoring, r.target, r.measured, one_j);
      const std::vector<double> wanted = rates(r.target, context_.step_s), moved = rates(r.measured, context_.step_s);
      for (std::size_t k = 0; k < n; ++k) {
        total_j[k] += one_j[k];
        power[k].numerical_w += restoring[k] * wanted[k];
        power[k].experimental_w += restoring[k] * moved[k];
      }
      targets.emplace_back(r.target);
    }
    double added_j = 0.0;
    for (std::size_t k = 1; k < n; ++k) added_j += std::max(0.0, total_j[k] - total_j[k - 1]);
    say("energy_error", n > 0 ? total_j.back() : kNoFigure);
    say("added_energy", n > 0 ? added_j : kNoFigure);
    if (n > 0 && context_.specimen_stiffness.rows() == static_cast<Eigen::Index>(targets.size())) {
      const double strain_j = largestStrainEnergy(targets, context_.specimen_stiffness);
      say("hsem_strain", hsemStrain(total_j.back(), strain_j));
      if (side_ != nullptr) say("hsem_input", hsemInput(total_j.back(), strain_j, side_->input_j.back()));
    }
    say("stability_indicator", addedShare(power));
    if (records.size() != 1) return;
    say("susceptibility", context_.susceptibility);
    say("phase_margin", context_.phase_margin_deg);
  }

  double addedShare(const std::vector<InterfacePower>& power) const {
    StabilityIndicatorParams params;
    params.step_s = context_.step_s;
    const double record_s = context_.step_s * static_cast<double>(power.size());
    params.window_s = std::min(context_.indicator_window_s, 0.5 * record_s);
    StabilityIndicator indicator(params);
    for (const InterfacePower& one : power) indicator.update(one);
    return indicator.addedShare();
  }

  const MeasureContext& context_;
  const ComputedSide* side_;
  int interface_ = 0;
  std::vector<MeasureReading> readings_;
};

/// Pre-test figures of a test with one interface degree of freedom, about the modes of the coupled structure.
void readModels(const Project& project, const Partition& partition, MeasureContext& context) {
  const Eigen::VectorXd natural_hz = lowestModes(partition.reference, 10).frequency_hz;
  const StabilityRange range = stabilityRange(natural_hz, project.loop.rate_hz, project.analysis.stability_cutoff_hz);
  const auto at = [](double hz) { return std::complex<double>(0.0, 2.0 * std::numbers::pi * hz); };
  const auto loop = [&](double hz) {
    return condensedStiffness(partition.physical, partition.interface_in_physical, at(hz))(0, 0) /
           condensedStiffness(partition.numerical, partition.interface_in_numerical, at(hz))(0, 0);
  };
  const auto acts = [&](double hz) {
    return commandResponse(partition, project.twin, at(hz))(0, 0) * compensationResponse(project, 0, at(hz));
  };
  const double to_hz = std::min(2.0 * natural_hz[natural_hz.size() - 1], range.cutoff_hz);
  const auto found = susceptibility(loop, acts, 0.1 * range.lowest_hz, to_hz);
  if (found) context.susceptibility = found->norm;
  for (const GainCrossover& crossover : gainCrossovers({partition, {}, {}}, range.cutoff_hz)) {
    const double delay_s = loopDelay(project, partition, crossover.frequency_hz).latest().remaining_s();
    const double left_deg = crossover.phase_margin_deg - 360.0 * crossover.frequency_hz * std::max(0.0, delay_s);
    if (!(left_deg >= context.phase_margin_deg)) context.phase_margin_deg = left_deg;
  }
}

}  // namespace

MeasureContext measureContext(const Project& project) {
  MeasureContext context;
  context.step_s = 1.0 / project.loop.rate_hz;
  context.indicator_window_s = project.analysis.window_s;
  try {
    const Partition partition = buildPartition(project);
    context.specimen_stiffness = condensedStiffness(partition.physical, partition.interface_in_physical, 0.0).real();
    if (partition.interface.size() == 1) readModels(project, partition, context);
  } catch (const InputError&) {  // figures without models remain
  }
  return context;
}

std::vector<MeasureReading> readMeasures(const RunRows& run) {
  const AnalysedRows rows(run);
  if (rows.empty()) return {};
  MeasureContext context;
  std::optional<ComputedSide> side;
  try {
    const Project project = parseProject(run.project, run.folder);
    context = measureContext(project);
    side = computedSide(project, run, rows);
  } catch (const InputError&) {  // a ground motion that is not on this computer
  }
  context.step_s = 1.0 / run.rate_hz;
  std::vector<InterfaceRecord> records;
  for (std::size_t i = 1; i <= rows.interfaces(); ++i) {
    const std::string number = "_" + std::to_string(i);
    records.push_back({rows.channel("target" + number), rows.channel("measured" + number),
                       rows.channel("force" + number),
                       rows.has("reference" + number) ? rows.channel("reference" + number) : std::vector<double>()});
  }
  return Reader(context, side ? &*side : nullptr).read(records);
}

MeasureWindow::MeasureWindow(const RowLayout& layout, const MeasureContext& context, double window_s)
    : layout_(layout),
      context_(context),
      capacity_(static_cast<std::size_t>(std::max(2.0, std::min(window_s, kLongestWindow_s) / context.step_s))),
      channels_(layout.interfaces() * (layout.hasReference() ? 4 : 3)) {
  values_.resize(capacity_ * channels_);
}

void MeasureWindow::push(std::span<const double> rows) noexcept {
  for (; rows.size() >= layout_.width(); rows = rows.subspan(layout_.width())) {
    double* out = values_.data() + next_ * channels_;
    for (std::size_t i = 0; i < layout_.interfaces(); ++i) {
      *out++ = rows[layout_.target(i)];
      *out++ = rows[layout_.measured(i)];
      *out++ = rows[layout_.force(i)];
      if (layout_.hasReference()) *out++ = rows[layout_.reference(i)];
    }
    next_ = (next_ + 1) % capacity_;
    rows_ = std::min(rows_ + 1, capacity_);
  }
}

std::vector<MeasureReading> MeasureWindow::read() const {
  if (rows_ < kFewestRows) return {};
  std::vector<InterfaceRecord> records(layout_.interfaces());
  const std::size_t each = layout_.hasReference() ? 4 : 3;
  for (std::size_t k = 0; k < rows_; ++k) {
    const double* in = values_.data() + (next_ + capacity_ - rows_ + k) % capacity_ * channels_;
    for (std::size_t i = 0; i < records.size(); ++i, in += each) {
      records[i].target.push_back(in[0]);
      records[i].measured.push_back(in[1]);
      records[i].force.push_back(in[2]);
      if (each == 4) records[i].reference.push_back(in[3]);
    }
  }
  return Reader(context_).read(records);
}

}  // namespace hyb
