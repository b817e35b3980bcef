#include "core/assess/measures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <numbers>
#include <utility>

#include "core/assess/bandwidth.h"
#include "core/assess/computed_side.h"
#include "core/assess/loop_analysis.h"
#include "core/assess/stride.h"
#include "core/assess/trials.h"
#include "core/base/lazy.h"
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

/// Reads every wanted measure that applies and names the result.
class Reader {
 public:
  explicit Reader(MeasureChoice wanted) : wanted_(std::move(wanted)) {}
  void interface(int number, InterfaceReading& reading) {
    for (const Measure& measure : measures())
      if (!measure.ofTest() && wanted_(measure)) say(measure, number, measure.of_interface(reading));
  }
  void test(const TestReading& reading) {
    for (const Measure& measure : measures())
      if (measure.ofTest() && wanted_(measure)) say(measure, 0, measure.of_test(reading));
  }
  std::vector<MeasureReading> take() { return std::move(readings_); }

 private:
  void say(const Measure& measure, int interface, std::optional<double> value) {
    if (value) readings_.push_back({&measure, interface, *value});
  }
  MeasureChoice wanted_;
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

using RecordedSamples = std::array<SignalSamples, std::tuple_size_v<RecordedColumns>>;
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

using Figure = std::optional<double>;
using LazyContext = Lazy<MeasureContext>;
using LazySums = Lazy<TestSums>;
using LazySide = Lazy<std::optional<ComputedSide>>;

InterfaceReading::Sums sumsOf(const InterfaceSums& one) { return {one.tracking, one.reference, one.indicator.area()}; }

/// Source of the measures of the whole test. `facts` without models, `models` with them; `motions`: of each interface
/// as required by the target. Everything must live until the measures are read.
TestReading testReading(const LazySums& sums, const LazySums& with_growth, std::size_t interfaces,
                        const Lazy<std::vector<std::span<const double>>>& motions, const LazyContext& facts,
                        const LazyContext& models, const LazySide& side) {
  const auto lazily = [](std::function<Figure()> read) { return Lazy<Figure>::by(std::move(read)); };
  const auto strain_j = Lazy<Figure>::by([=]() -> Figure {
    const Eigen::MatrixXd& stiffness = facts().specimen_stiffness;
    if (stiffness.rows() != static_cast<Eigen::Index>(interfaces)) return std::nullopt;
    return largestStrainEnergy(motions(), stiffness);
  });
  TestReading reading;
  reading.energy_error_j = lazily([=] { return sums().energyError_j(); });
  reading.added_energy_j = lazily([=] { return sums().addedEnergy_j(); });
  reading.added_share = lazily([=] { return with_growth().addedShare(); });
  reading.hsem_strain = lazily(
      [=]() -> Figure { return strain_j() ? Figure(hsemStrain(sums().energyError_j(), *strain_j())) : std::nullopt; });
  reading.hsem_input = lazily([=]() -> Figure {
    if (!strain_j() || !side()) return std::nullopt;
    return hsemInput(sums().energyError_j(), *strain_j(), side()->input_j.back());
  });
  if (interfaces != 1) return reading;
  reading.susceptibility = lazily([=] { return models().susceptibility; });
  reading.phase_margin_deg = lazily([=] { return models().phase_margin_deg; });
  reading.bandwidth_hz = lazily([=] { return models().bandwidth_hz; });
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

MeasureContext measureContext(const Project& project, bool models) {
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
    if (models && partition.interface.size() == 1 && project.coupling->tracks() &&
        librariesNamed(project.document).empty())
      readModels(project, partition, context);
  } catch (const std::runtime_error&) {  // figures without models remain; roots may also not be found
  }
  return context;
}

namespace {

/// `with_growth`: sums that need not be computed for most measures.
std::vector<MeasureReading> readMeasures(const RunRecord& run, const AnalysedRows& rows, const LazySums& sums,
                                         const LazySums& with_growth, const MeasureChoice& wanted) {
  const std::shared_ptr<const Project> project = projectOf(run);
  const std::size_t interfaces = rows.interfaces();
  const std::vector<AxisSignals> axes = interfacesOf(run, interfaces);
  const auto contextOf = [&project](bool models) {
    return LazyContext::by(
        [&project, models] { return project ? measureContext(*project, models) : MeasureContext(); });
  };
  const LazyContext facts = contextOf(false), models = contextOf(true);
  const auto excitation_hz = Lazy<double>::by([&project] { return project ? excitationFrequency_hz(*project) : 0.0; });
  const auto side = LazySide::by([&]() -> std::optional<ComputedSide> {
    try {
      if (project) return computedSide(*project, rows);
    } catch (const InputError&) {  // figures without it remain
    }
    return std::nullopt;
  });
  const auto floors_lost = Lazy<bool>::by([&] {
    return project && !side() && project->coupling->site() == nullptr && isBuilding(buildPartition(*project));
  });
  const auto reads = [](std::function<std::vector<double>()> read) {
    return SignalSamples(Lazy<std::vector<double>>::by(std::move(read)));
  };
  const auto channel = [&](ColumnRole role, std::size_t i) {
    return reads([=, &rows] { return rows.channel(role, i); });
  };
  const auto scatterOf = [&rows](const SignalSamples& samples) {
    return Lazy<std::optional<TrialScatter>>::by([&rows, samples] { return trialScatter(rows, samples); });
  };
  /// A part of the computed side; empty without it.
  const auto ofSide = [&](auto&& part) {
    return reads([=] { return side() ? part(*side()) : std::vector<double>(); });
  };

  Reader reader([&](const Measure& measure) { return wanted(measure) && (measure.always() || !rows.empty()); });
  std::vector<SignalSamples> strained;  // motion of the interface as required by the target
  for (std::size_t i = 0; i < interfaces; ++i) {
    InterfaceSignals signals;
    signals.target = channel(ColumnRole::target, i);
    signals.measured = channel(trackedRole(axes[i]), i);
    signals.reference = channel(ColumnRole::reference, i);
    strained.push_back(!axes[i].asksForForce() || rows.empty() ? signals.target : reads([&, i] {
      return rows.channel(movedColumn(run.table, axes[i], i));
    }));
    if (i == 0) {
      for (std::size_t f = 0; f < 2; ++f) {
        signals.floors[f] = ofSide([f](const ComputedSide& s) { return s.floors[f]; });
        signals.floor_references[f] = ofSide([f](const ComputedSide& s) { return s.reference[f]; });
        signals.shears[f] = ofSide([f](const ComputedSide& s) { return s.shears[f]; });
        signals.shear_references[f] = ofSide([f](const ComputedSide& s) { return s.reference_shears[f]; });
      }
      signals.specimen = ofSide([](const ComputedSide& s) { return s.specimen; });
      signals.specimen_reference = ofSide([](const ComputedSide& s) { return s.specimen_reference; });
    }
    signals.floors_lost = floors_lost;
    RecordedSamples recorded;
    for (std::size_t r = 0; r < recorded.size(); ++r)
      recorded[r] = reads([=, &run, &rows] {
        const std::vector<RecordedColumns>& names = facts().recorded;
        return i < names.size() ? rows.channel(find(run.table, names[i][r])) : std::vector<double>();
      });
    signals.recorded = signalsOf(recorded);
    signals.command_limit = Lazy<double>::by([=] { return at(facts().command_limits, i); });
    signals.load_limit = Lazy<double>::by([=] { return at(facts().load_limits, i); });
    signals.command = channel(ColumnRole::command, i);
    signals.load = channel(ColumnRole::force, i);
    signals.piston_target = channel(ColumnRole::piston_target, i);
    signals.piston = channel(ColumnRole::measured, i);
    if (axes[i].motion == SignalKind::displacement) {
      signals.stroke = channel(ColumnRole::measured, i);
      signals.velocity = channel(ColumnRole::velocity, i);
      signals.force = channel(ColumnRole::force, i);
    }
    signals.scatter = scatterOf(signals.measured);
    signals.force_scatter = scatterOf(channel(ColumnRole::force, i));
    signals.gap_closed_s = Lazy<double>::by([=] { return sums().gapClosed_s(i); });
    InterfaceReading reading(signals, Lazy<InterfaceReading::Sums>::by([=] { return sumsOf(sums().interfaces[i]); }),
                             1.0 / run.table.rate_hz, excitation_hz);
    reader.interface(static_cast<int>(i) + 1, reading);
  }
  const auto motions = Lazy<std::vector<std::span<const double>>>::by(
      [&] { return std::vector<std::span<const double>>(strained.begin(), strained.end()); });
  TestReading whole = testReading(sums, with_growth, interfaces, motions, facts, models, side);
  whole.missed_periods = Figure(static_cast<double>(rows.missedInAll()));
  whole.limits_hit = Figure(static_cast<double>(run.limits_hit));
  whole.end_s = Figure(rows.last_s());
  whole.stride_deviation = Lazy<Figure>::by([&] { return project ? strideDeviation(*project, rows) : Figure(); });
  whole.damped_energy_j = Lazy<Figure>::by([&] {
    Figure damped_j;
    for (std::size_t i = 1; i <= interfaces; ++i)
      if (const auto damped = find(run.table, "passivity_energy_" + std::to_string(i)))
        damped_j = damped_j.value_or(0.0) + grown(rows.channel(*damped));
    return damped_j;
  });
  reader.test(whole);
  return reader.take();
}

}  // namespace

bool everyMeasure(const Measure& /*measure*/) { return true; }

std::vector<MeasureReading> readMeasures(const RunRecord& run, const AnalysedRows& rows, const MeasureChoice& wanted) {
  const auto sums = [&](bool growth) { return LazySums::by([&, growth] { return testSums(run, rows, growth); }); };
  return readMeasures(run, rows, sums(false), sums(true), wanted);
}

std::vector<MeasureReading> readMeasures(const RunRecord& run, const AnalysedRows& rows, const TestSums& sums,
                                         const MeasureChoice& wanted) {
  const LazySums known(sums);
  return readMeasures(run, rows, known, known, wanted);
}

std::vector<MeasureReading> readMeasures(const RunRecord& run) {
  const AnalysedRows rows(run);
  if (rows.empty()) return {};
  return readMeasures(run, rows, everyMeasure);
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
  TestSums added({.interfaces = n,
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
    added.add(std::span(in, own_), held_[row] != 0);
    for (std::size_t c = 0; c < channels_; ++c) columns[c][k] = in[c];
  }
  const LazySums sums(std::move(added));
  Reader reader(everyMeasure);
  for (std::size_t i = 0; i < n; ++i) {
    InterfaceSignals signals{columns[i], columns[3 * n + i], {}, {}, {}};
    signals.gap_closed_s = sums().gapClosed_s(i);
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
        if (recorded_[i][r] > 0) recorded[r] = SignalSamples(columns[recorded_[i][r]]);
    signals.recorded = signalsOf(recorded);
    InterfaceReading reading(signals, sumsOf(sums().interfaces[i]), context_.step_s, context_.excitation_hz);
    reader.interface(static_cast<int>(i) + 1, reading);
  }
  std::vector<std::span<const double>> motions;
  for (std::size_t i = 0; i < n; ++i) motions.emplace_back(columns[layout_.signals()[i].asksForForce() ? n + i : i]);
  const LazyContext context(context_);
  reader.test(testReading(sums, sums, n, motions, context, context, {}));
  return reader.take();
}

}  // namespace hyb
