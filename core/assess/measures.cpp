#include "core/assess/measures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include "core/assess/bandwidth.h"
#include "core/assess/computed_side.h"
#include "core/assess/loop_analysis.h"
#include "core/base/numbers.h"
#include "core/coupling/recorded_dofs.h"
#include "core/fidelity/energy.h"
#include "core/fidelity/reading.h"
#include "core/fidelity/susceptibility.h"
#include "core/run/analysed_rows.h"
#include "core/run/build.h"
#include "core/structure/reduction.h"
#include "core/transfer/command_response.h"

namespace hyb {
namespace {

constexpr double kLongestWindow_s = 60.0;

/// Reads every measure that applies and names the result.
class Reader {
 public:
  explicit Reader(bool all) : all_(all) {}
  void interface(int number, InterfaceReading& reading) {
    for (const Measure& measure : measures())
      if (!measure.ofTest() && (all_ || measure.always())) say(measure, number, measure.of_interface(reading));
  }
  void test(const TestReading& reading) {
    for (const Measure& measure : measures())
      if (measure.ofTest() && (all_ || measure.always())) say(measure, 0, measure.of_test(reading));
  }
  std::vector<MeasureReading> take() { return std::move(readings_); }

 private:
  void say(const Measure& measure, int interface, std::optional<double> value) {
    if (value) readings_.push_back({&measure, interface, *value});
  }
  bool all_;
  std::vector<MeasureReading> readings_;
};

/// Sum of all growth of a quantity that restarts with each trial.
double grown(const std::vector<double>& sum) {
  double all = 0.0;
  for (std::size_t k = 1; k < sum.size(); ++k) all += std::max(0.0, sum[k] - sum[k - 1]);
  return all;
}

/// For each interface its DOF at the cut, and of the other recorded DOF, in groups of one for each interface, the first
/// two: the levels. Empty if the test does not record all DOF of the cut.
std::vector<RecordedColumns> recordedColumns(const Project& project, const Partition& partition) {
  const std::vector<std::string> names = project.coupling->recorded();
  if (names.empty()) return {};
  const std::vector<Dof>& at_cut = partition.cut_dofs.empty() ? partition.interface : partition.cut_dofs;
  std::vector<RecordedColumns> all(at_cut.size());
  std::size_t others = 0, found = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto here = std::ranges::find(at_cut, names[k], &Dof::name);
    if (here != at_cut.end()) {
      RecordedColumns& own = all[static_cast<std::size_t>(here - at_cut.begin())];
      own[0] = numericalColumn(k + 1);
      own[1] = measuredColumn(k + 1);
      own[2] = referenceColumn(k + 1);
      ++found;
      continue;
    }
    const std::size_t level = others / at_cut.size(), interface = others % at_cut.size();
    ++others;
    if (level >= 2) continue;
    all[interface][3 + 2 * level] = numericalColumn(k + 1);
    all[interface][4 + 2 * level] = referenceColumn(k + 1);
  }
  if (found < at_cut.size()) all.clear();
  return all;
}

using RecordedSamples = std::array<std::vector<double>, std::tuple_size_v<RecordedColumns>>;
InterfaceSignals::Recorded signalsOf(const RecordedSamples& samples) {
  return {samples[0], samples[1], samples[2], {samples[3], samples[5]}, {samples[4], samples[6]}};
}

/// Lowest limit of this quantity on each interface; NaN: none.
std::vector<double> lowestLimits(const Project& project, const Partition& partition, std::string_view quantity) {
  const std::vector<AxisSignals> axes = project.coupling->axisSignals(partition.interface);
  std::vector<double> lowest(axes.size(), kNoValue);
  for (const Limit& limit : project.limits)
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (limit.quantity->name == quantity && limit.covers(static_cast<int>(i) + 1, axes[i]))
        lowest[i] = std::fmin(lowest[i], limit.threshold);
  return lowest;
}
double at(const std::vector<double>& limits, std::size_t i) { return i < limits.size() ? limits[i] : kNoValue; }

/// Measures of every test, and with `context` those that need models.
TestReading testReading(const TestSums& sums, const std::vector<std::span<const double>>& motions,
                        const MeasureContext* context, const ComputedSide* side) {
  TestReading reading;
  reading.energy_error_j = sums.energyError_j();
  if (context == nullptr) return reading;
  reading.added_energy_j = sums.addedEnergy_j();
  reading.added_share = sums.addedShare();
  if (context->specimen_stiffness.rows() == static_cast<Eigen::Index>(motions.size())) {
    const double strain_j = largestStrainEnergy(motions, context->specimen_stiffness);
    reading.hsem_strain = hsemStrain(sums.energyError_j(), strain_j);
    if (side != nullptr) reading.hsem_input = hsemInput(sums.energyError_j(), strain_j, side->input_j.back());
  }
  if (sums.interfaces.size() != 1) return reading;
  reading.susceptibility = context->susceptibility;
  reading.phase_margin_deg = context->phase_margin_deg;
  reading.bandwidth_hz = context->bandwidth_hz;
  return reading;
}

/// Lowest frequency at which the magnitude is below 1/sqrt 2 of the static one, Hz; NaN if there is none up to
/// `highest_hz`.
double bandwidth(const std::function<double(double)>& magnitude, double highest_hz) {
  const double least = magnitude(0.0) / std::numbers::sqrt2;
  if (!(least > 0.0 && std::isfinite(least))) return kNoValue;
  return firstBeyond([&](double hz) { return magnitude(hz) >= least; }, highest_hz);
}

/// Pre-test figures of a test with one interface DOF, around the modes of the coupled structure.
void readModels(const Project& project, const Partition& partition, MeasureContext& context) {
  const auto at = [](double hz) { return std::complex<double>(0.0, kTwoPi * hz); };
  const CondensedStiffness physical(partition.physical, partition.interface_in_physical);
  const CondensedStiffness numerical(partition.numerical, partition.interface_in_numerical);
  const auto loop = [&](double hz) { return physical(at(hz))(0, 0) / numerical(at(hz))(0, 0); };
  const auto acts = [&](double hz) {
    const std::complex<double> plant = commandResponse(partition, project.twin, at(hz))(0, 0);
    return plant * compensationResponse(project, 0, plant, at(hz));
  };
  context.bandwidth_hz =
      bandwidth([&](double hz) { return std::abs(commandResponse(partition, project.twin, at(hz))(0, 0)); },
                0.5 * project.loop.rate_hz);
  if (!closesLoop(project)) return;
  LoopAnalysis analysis(project, partition);
  const StabilityRange& range = analysis.range;
  const auto found =
      susceptibility(loop, acts, 0.1 * range.lowest_hz, std::min(2.0 * range.highest_hz, range.cutoff_hz));
  if (found && project.coupling->springs(1).size() == 0)  // for loops that follow a motion
    context.susceptibility = found->norm;
  if (const auto margin = analysis.phaseMargin()) context.phase_margin_deg = margin->phase_margin_deg;
}

}  // namespace

MeasureContext measureContext(const Project& project) {
  MeasureContext context;
  context.analysis = analysisWindow(project.document, project.loop.rate_hz);
  context.step_s = 1.0 / project.loop.rate_hz;
  context.indicator_window_s = project.analysis.window_s;
  context.gap_tolerance = project.analysis.gap_tolerance;
  context.excitation_hz = excitationFrequency_hz(project);
  try {
    const Partition partition = buildPartition(project);
    context.recorded = recordedColumns(project, partition);
    context.command_limits = lowestLimits(project, partition, "command");
    context.load_limits = lowestLimits(project, partition, "force");
    context.specimen_stiffness = condensedStiffness(partition.physical, partition.interface_in_physical, 0.0).real();
    // A library's effect on the command belongs to these figures, but it is not loaded for them.
    if (partition.interface.size() == 1 && project.coupling->tracks() && librariesNamed(project.document).empty())
      readModels(project, partition, context);
  } catch (const std::runtime_error&) {  // figures without models remain; roots may also not be found
  }
  return context;
}

std::vector<MeasureReading> readMeasures(const RunRecord& run, const AnalysedRows& rows, const TestSums& sums,
                                         bool all) {
  std::optional<MeasureContext> context;
  std::optional<ComputedSide> side;
  double excitation_hz = 0.0;
  bool floors_lost = false;
  if (all && !rows.empty()) context.emplace();
  try {
    const Project project = parseRecorded(run.project, run.folder);
    excitation_hz = excitationFrequency_hz(project);
    if (context) {
      context = measureContext(project);
      side = computedSide(project, rows);
      floors_lost = !side && project.coupling->site() == nullptr && isBuilding(buildPartition(project));
    }
  } catch (const InputError&) {  // a ground motion is not on this computer
  }
  Reader reader(all && !rows.empty());
  std::vector<std::vector<double>> strained(
      sums.interfaces.size());  // motion of the interface as required by the target
  for (std::size_t i = 0; i < sums.interfaces.size(); ++i) {
    const InterfaceSums& one = sums.interfaces[i];
    const auto channel = [&](bool wanted, ColumnRole role) {
      return wanted ? rows.channel(role, i) : std::vector<double>();
    };
    const std::vector<double> target = channel(true, ColumnRole::target);
    strained[i] = one.axis.asksForForce() && !rows.empty() ? rows.channel(movedColumn(run.table, one.axis, i)) : target;
    const std::vector<double> measured = channel(true, trackedRole(one.axis));
    const std::vector<double> reference = channel(all && one.reference.count() > 0, ColumnRole::reference);
    InterfaceSignals signals{target, measured, reference, {}, {}};
    if (side && i == 0)
      for (std::size_t f = 0; f < 2; ++f) {
        signals.floors[f] = side->floors[f];
        signals.floor_references[f] = side->reference[f];
        signals.shears[f] = side->shears[f];
        signals.shear_references[f] = side->reference_shears[f];
      }
    signals.floors_lost = floors_lost;
    RecordedSamples recorded;
    std::vector<double> command, load;
    if (context) {
      if (i < context->recorded.size())
        std::ranges::transform(context->recorded[i], recorded.begin(),
                               [&](const std::string& name) { return rows.channel(find(run.table, name)); });
      signals.recorded = signalsOf(recorded);
      signals.command_limit = at(context->command_limits, i);
      signals.load_limit = at(context->load_limits, i);
      command = channel(std::isfinite(signals.command_limit), ColumnRole::command);
      load = channel(std::isfinite(signals.load_limit), ColumnRole::force);
      signals.command = command;
      signals.load = load;
    }
    if (side && i == 0) {
      signals.specimen = side->specimen;
      signals.specimen_reference = side->specimen_reference;
    }
    const bool along_a_line = all && one.axis.motion == SignalKind::displacement;
    const std::vector<double> piston_target = channel(all, ColumnRole::piston_target),
                              stroke = channel(along_a_line, ColumnRole::measured),
                              velocity = channel(along_a_line, ColumnRole::velocity),
                              force = channel(along_a_line, ColumnRole::force);
    signals.piston_target = piston_target;
    if (!piston_target.empty()) signals.piston = stroke;
    signals.stroke = stroke;
    signals.velocity = velocity;
    signals.force = force;
    signals.gap_closed_s = sums.gapClosed_s(i);
    InterfaceReading reading(signals, one.tracking, one.reference, one.indicator.area(), 1.0 / run.table.rate_hz,
                             excitation_hz);
    reader.interface(static_cast<int>(i) + 1, reading);
  }
  const std::vector<std::span<const double>> motions(strained.begin(), strained.end());
  TestReading whole = testReading(sums, motions, context ? &*context : nullptr, side ? &*side : nullptr);
  whole.missed_periods = static_cast<double>(rows.missedInAll());
  whole.limits_hit = static_cast<double>(run.limits_hit);
  whole.end_s = rows.last_s();
  if (all && !rows.empty())
    for (std::size_t i = 1; i <= sums.interfaces.size(); ++i)
      if (const auto damped = find(run.table, "passivity_energy_" + std::to_string(i)))
        whole.damped_energy_j = whole.damped_energy_j.value_or(0.0) + grown(rows.channel(*damped));
  reader.test(whole);
  return reader.take();
}

std::vector<MeasureReading> readMeasures(const RunRecord& run) {
  const AnalysedRows rows(run);
  if (rows.empty()) return {};
  return readMeasures(run, rows, testSums(run, rows), true);
}

MeasureWindow::MeasureWindow(const RowLayout& layout, const MeasureContext& context, double window_s,
                             const CountedRows& counted)
    : layout_(layout),
      context_(context),
      counted_(counted),
      capacity_(static_cast<std::size_t>(std::max(2.0, std::min(window_s, kLongestWindow_s) / context.step_s))) {
  const std::size_t n = layout_.interfaces();
  const auto each = [&](auto&& column) {
    for (std::size_t i = 0; i < n; ++i) columns_.push_back(column(i));
  };
  each([&](std::size_t i) { return layout_.target(i); });
  each([&](std::size_t i) { return layout_.moved(i); });
  each([&](std::size_t i) { return layout_.force(i); });
  each([&](std::size_t i) { return layout_.tracked(i); });
  if (layout_.hasReference()) each([&](std::size_t i) { return layout_.reference(i); });
  own_ = columns_.size();
  each([&](std::size_t i) { return layout_.measured(i); });
  each([&](std::size_t i) { return layout_.velocity(i); });
  each([&](std::size_t i) { return layout_.command(i); });
  for (const RecordedColumns& names : context_.recorded) {
    auto& places = recorded_.emplace_back();
    for (std::size_t r = 0; r < names.size(); ++r) {
      const auto known = std::ranges::find(layout_.channels(), names[r], &Channel::name);
      if (names[r].empty() || known == layout_.channels().end()) continue;
      places[r] = columns_.size();
      columns_.push_back(RowLayout::kFirstChannel + static_cast<std::size_t>(known - layout_.channels().begin()));
    }
  }
  pistons_ = columns_.size();
  for (std::size_t c = 0; c < layout_.channels().size(); ++c)
    if (layout_.channels()[c].role == ColumnRole::piston_target) columns_.push_back(RowLayout::kFirstChannel + c);
  channels_ = columns_.size();
  values_.resize(capacity_ * channels_);
  held_.resize(capacity_);
}

void MeasureWindow::push(std::span<const double> rows) noexcept {
  for (; rows.size() >= layout_.width(); rows = rows.subspan(layout_.width())) {
    const CountedRows::Part last = counted_.part(),
                            part = counted_.next(rows[RowLayout::kTime], rows[RowLayout::kFlags]);
    if (part == CountedRows::Part::over) continue;
    if (part == CountedRows::Part::counted && last == CountedRows::Part::before) rows_ = next_ = 0;
    double* out = values_.data() + next_ * channels_;
    for (std::size_t c = 0; c < channels_; ++c) out[c] = rows[columns_[c]];
    held_[next_] = !coupled(rows[RowLayout::kFlags]);
    next_ = (next_ + 1) % capacity_;
    rows_ = std::min(rows_ + 1, capacity_);
  }
}

std::vector<MeasureReading> MeasureWindow::read() const {
  if (rows_ < kFewestRows) return {};
  const std::size_t n = layout_.interfaces();
  TestSums sums({.interfaces = n,
                 .axes = layout_.signals(),
                 .reference = layout_.hasReference(),
                 .step_s = context_.step_s,
                 .tolerance = context_.gap_tolerance,
                 .window_s = context_.indicator_window_s,
                 .record_s = context_.step_s * static_cast<double>(rows_)});
  std::vector<std::vector<double>> columns(channels_, std::vector<double>(rows_));
  for (std::size_t k = 0; k < rows_; ++k) {
    const std::size_t row = (next_ + capacity_ - rows_ + k) % capacity_;
    const double* in = values_.data() + row * channels_;
    sums.add(std::span(in, own_), held_[row] != 0);
    for (std::size_t c = 0; c < channels_; ++c) columns[c][k] = in[c];
  }
  Reader reader(true);
  for (std::size_t i = 0; i < n; ++i) {
    InterfaceSignals signals{columns[i], columns[3 * n + i], {}, {}, {}};
    signals.gap_closed_s = sums.gapClosed_s(i);
    if (layout_.hasReference()) signals.reference = columns[4 * n + i];
    if (channels_ > pistons_) {
      signals.piston_target = columns[pistons_ + i];
      signals.piston = columns[own_ + i];
    }
    if (layout_.signals()[i].motion == SignalKind::displacement) {
      signals.stroke = columns[own_ + i];
      signals.velocity = columns[own_ + n + i];
      signals.force = columns[2 * n + i];
    }
    signals.command = columns[own_ + 2 * n + i];
    signals.load = columns[2 * n + i];
    signals.command_limit = at(context_.command_limits, i);
    signals.load_limit = at(context_.load_limits, i);
    RecordedSamples recorded;
    if (i < recorded_.size())
      for (std::size_t r = 0; r < recorded.size(); ++r)
        if (recorded_[i][r] > 0) recorded[r] = columns[recorded_[i][r]];
    signals.recorded = signalsOf(recorded);
    const InterfaceSums& one = sums.interfaces[i];
    InterfaceReading reading(signals, one.tracking, one.reference, one.indicator.area(), context_.step_s,
                             context_.excitation_hz);
    reader.interface(static_cast<int>(i) + 1, reading);
  }
  std::vector<std::span<const double>> motions;
  for (std::size_t i = 0; i < n; ++i) motions.emplace_back(columns[layout_.signals()[i].asksForForce() ? n + i : i]);
  reader.test(testReading(sums, motions, &context_, nullptr));
  return reader.take();
}

}  // namespace hyb
