#include "ui/fidelity/study_curves.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "core/assess/computed_path.h"
#include "core/base/numbers.h"
#include "core/fidelity/harmonic_fit.h"
#include "core/project/project.h"
#include "core/run/build.h"
#include "core/study/study.h"

namespace hyb::ui {
namespace {

constexpr std::size_t kReferenceLine = 400;   // frequencies
constexpr std::size_t kLearningPoints = 800;  // of a curve
constexpr double kRunAway = 1e8;              // NMSE at which the curve of a gap ends
constexpr double kLogAmplitudes = 30.0;       // ratio of largest to smallest, as on the page Sweep

QString curveText(const char* text) { return QCoreApplication::translate("StudyCurves", text); }

double besideAngle(double degrees, double before) { return degrees + 360.0 * std::round((before - degrees) / 360.0); }

/// Amplitudes and unwrapped phases of one line.
struct SweepLine {
  std::vector<QPointF> amplitude, phase;
  double before = 0.0;
  void add(double hz, std::complex<double> value) {
    before = besideAngle(std::arg(value) * 180.0 / kPi, before);
    amplitude.emplace_back(hz, std::abs(value));
    phase.emplace_back(hz, before);
  }
};

/// Index of a group; adds a new group.
std::size_t groupOf(const QString& name, std::map<QString, std::size_t>& known, StudyCurves::Shown& shown) {
  const auto [found, fresh] = known.emplace(name, shown.curves.groups.size());
  if (fresh)
    for (ScatterData* data : {&shown.curves, &shown.phase}) data->groups.push_back({name, {}, {}, {}, {}});
  return found->second;
}

}  // namespace

/// Curves from the traces of a run: gaps if it learnt harmonics, response if it completed a periodic excitation.
void StudyCurves::readTraces(const std::filesystem::path& file, const Project& project, Kept& kept) {
  const std::size_t interfaces = buildPartition(project).interface.size();
  std::vector<std::string> names{"time", columnName(ColumnRole::excitation, 0)};
  for (std::size_t i = 0; i < interfaces; ++i)
    for (const ColumnRole role : {ColumnRole::gap, ColumnRole::target, ColumnRole::reference, ColumnRole::measured})
      names.push_back(columnName(role, i));
  const Table trace = readStudyTables(file, kStudyTraces, {kept.run}, names).front();
  const auto column = [&](ColumnRole role, std::size_t i) {
    return values(trace, columnName(role, i)).value_or(std::vector<double>());
  };
  const std::vector<double> time = values(trace, "time").value_or(std::vector<double>());
  if (time.empty()) return;
  const double begins_s = project.coupling->excitationFrom_s();
  const double ends_s = project.loop.duration_s > 0.0 ? project.loop.duration_s - project.loop.soft_end_s : time.back();
  if (const double hz = project.coupling->firstHarmonic_hz(); hz > 0.0)
    for (std::size_t i = 0; i < interfaces; ++i) {
      const std::vector<double> gap = column(ColumnRole::gap, i);
      std::vector<double> coupled = column(ColumnRole::reference, i);
      if (coupled.empty()) coupled = column(ColumnRole::measured, i);
      if (gap.empty() || coupled.empty()) break;
      LearningCurve& curve = kept.gaps.emplace_back(1.0 / hz);
      for (std::size_t r = 0; r < trace.rows; ++r)
        if (time[r] >= begins_s && time[r] <= ends_s) curve.add(time[r] - begins_s, gap[r], coupled[r]);
    }
  kept.hz = excitationFrequency_hz(project);
  const std::vector<double> excitation = column(ColumnRole::excitation, 0);
  if (!(kept.hz > 0.0) || excitation.empty()) return;
  // Whole periods at the end of the analysed time.
  const double step_s = 1.0 / project.loop.rate_hz;
  const auto last = std::upper_bound(time.begin(), time.end(), ends_s);
  const auto from = std::lower_bound(time.begin(), last, project.analysis.start_s);
  const double periods = std::floor(static_cast<double>(last - from) * step_s * kept.hz);
  const auto samples = static_cast<std::size_t>(std::llround(periods / kept.hz / step_s));
  if (periods < 1.0) return;
  const auto first = static_cast<std::size_t>(last - time.begin()) - samples;
  const auto fit = [&](std::span<const double> values) {
    return fitHarmonic(values.subspan(first, samples), step_s, kTwoPi * kept.hz).amplitude;
  };
  const std::complex<double> pushed = fit(excitation);
  if (std::abs(pushed) == 0.0) return;
  const auto unitOf = [&](ColumnRole role, std::size_t i) {
    return trace.channels[placeOf(trace, columnName(role, i))].units;
  };
  kept.unit = QString::fromStdString(unitOf(ColumnRole::excitation, 0));
  for (std::size_t i = 0; i < interfaces; ++i) {
    const std::vector<double> moved = column(ColumnRole::target, i), uncut = column(ColumnRole::reference, i);
    if (moved.empty()) break;
    kept.moved_unit = unitOf(ColumnRole::target, i);
    kept.moved.push_back(fit(moved) / pushed);
    if (!uncut.empty()) kept.uncut.push_back(fit(uncut) / pushed);
  }
}

StudyCurves StudyCurves::of(const std::filesystem::path& file, const StudyTable& table,
                            const std::filesystem::path& folder) {
  StudyCurves made;
  if (!table.segments && !table.traces) return made;
  const Study study = studyOf(table, folder);
  std::map<std::size_t, std::shared_ptr<const SweepReference>> references;  // by combination
  std::size_t gaps = 0, moved = 0;
  std::set<double> frequencies;
  for (std::size_t run = 0; run < table.status.size() && made.runs_.size() < kMostRuns; ++run) {
    if (table.status[run] != RunStatus::done && table.status[run] != RunStatus::stopped) continue;
    const Project project = parseRecorded(study.project(run), study.folder);
    Kept kept;
    kept.run = run;
    kept.combination = study.combinationOf(run);
    if (table.segments) {
      const Table rows = readStudyTables(file, kStudySegments, {run}).front();
      kept.sweep = SweepList(project.loop.rate_hz, rows.channels, 0);
      if (kept.sweep.any())
        for (std::vector<double>& row : rowsOf(rows)) kept.sweep.append(std::move(row));
      if (kept.sweep.any() && !references.contains(kept.combination)) {
        auto found = periodicReference(project, kReferenceLine);
        references[kept.combination] = found ? std::make_shared<const SweepReference>(std::move(*found)) : nullptr;
      }
      kept.reference = references[kept.combination];
    }
    if (table.traces) readTraces(file, project, kept);
    if (table.status[run] != RunStatus::done) kept.moved.clear();
    gaps = std::max(gaps, kept.gaps.size());
    moved = std::max(moved, kept.moved.size());
    if (!kept.moved.empty()) frequencies.insert(kept.hz);
    if (kept.sweep.any() || !kept.gaps.empty() || !kept.moved.empty()) made.runs_.push_back(std::move(kept));
  }
  const Kept* most = nullptr;  // runs may differ in their channels
  for (const Kept& kept : made.runs_)
    if (most == nullptr || kept.sweep.quantities().size() > most->sweep.quantities().size()) most = &kept;
  if (most != nullptr && most->sweep.any()) {
    for (std::size_t q = 0; q < most->sweep.quantities().size(); ++q)
      made.kinds_.push_back({Kind::Of::response, curveText("response: %1").arg(most->sweep.quantities()[q].title), q});
    made.kinds_.push_back({Kind::Of::iterations, curveText("iterations over frequency"), 0});
  }
  for (std::size_t i = 0; frequencies.size() > 1 && i < moved; ++i)
    made.kinds_.push_back({Kind::Of::excited, curveText("response: target %1 over the excitation").arg(i + 1), i});
  for (std::size_t i = 0; i < gaps; ++i)
    made.kinds_.push_back({Kind::Of::learning, curveText("learning curve of gap %1").arg(i + 1), i});
  return made;
}

StudyCurves::Shown StudyCurves::shown(const Kind& kind, const std::vector<std::size_t>& runs, const Words& name,
                                      const Words& group) const {
  Shown shown;
  shown.curves.x = {curveText("frequency"), {1.0, QStringLiteral("Hz")}};
  shown.phase.x = shown.curves.x;
  shown.phase.y = {curveText("phase"), {1.0, QStringLiteral("°")}};
  if (kind.of == Kind::Of::learning)
    showLearning(kind, runs, name, group, shown);
  else if (kind.of == Kind::Of::excited)
    showExcited(kind, runs, group, shown);
  else
    showSweeps(kind, runs, name, group, shown);
  return shown;
}

void StudyCurves::showSweeps(const Kind& kind, const std::vector<std::size_t>& runs, const Words& name,
                             const Words& group, Shown& shown) const {
  const bool response = kind.of == Kind::Of::response;
  shown.curves.y = {response ? curveText("amplitude") : curveText("iterations"), {}};
  std::map<QString, std::size_t> known;
  std::set<std::size_t> referenced;
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (const Kept& kept : runs_) {
    if (!std::binary_search(runs.begin(), runs.end(), kept.run)) continue;
    if (kind.index >= kept.sweep.quantities().size()) continue;
    const std::size_t at = groupOf(group(kept.run), known, shown);
    ScatterData::Group &into = shown.curves.groups[at], &angles = shown.phase.groups[at];
    const SweepList::Quantity& q = kept.sweep.quantities()[kind.index];
    const QString own = name(kept.run);
    QString said;
    if (!response) {
      double sum = 0.0;
      for (std::size_t row = 0; row < kept.sweep.count(); ++row) sum += kept.sweep.iterations(row);
      said = curveText("mean %1").arg(numberText(sum / static_cast<double>(kept.sweep.count())));
    } else {
      shown.curves.y.unit = displayUnit(q.unit);
      if (const auto peak = kept.sweep.resonance(q))
        said = curveText("peak %1 at %2 Hz")
                   .arg(quantityText(peak->peak, shown.curves.y.unit), numberText(peak->peak_hz, 4));
    }
    SweepLine line;
    const auto close = [&] {
      if (line.amplitude.empty()) return;
      into.curves.push_back({kept.run, own, said, line.amplitude});
      angles.curves.push_back({kept.run, own, said, line.phase});
      line = {{}, {}, line.before};
    };
    double pass = std::nan(""), first = std::nan("");
    for (std::size_t row = 0; row < kept.sweep.count(); ++row) {
      const double hz = kept.sweep.frequency_hz(row);
      const std::complex<double> value = response ? kept.sweep.measured(row, q) : kept.sweep.iterations(row);
      if (!std::isfinite(std::abs(value))) continue;
      if (!kept.sweep.converged(row)) {
        into.stopped.emplace_back(hz, std::abs(value));
        continue;
      }
      if (kept.sweep.pass(row) != pass) close();
      pass = kept.sweep.pass(row);
      line.add(hz, value);
      if (!std::isfinite(first)) first = line.before;
      least = std::min(least, std::abs(value));
      most = std::max(most, std::abs(value));
    }
    close();
    if (response && kept.reference && referenced.insert(kept.combination).second) {
      SweepLine reference;
      reference.before = std::isfinite(first) ? first : 0.0;
      for (const auto& [hz, motion] : referenceOf(kept.reference.get(), q)) reference.add(hz, motion);
      if (reference.amplitude.empty()) continue;
      into.references.push_back(std::move(reference.amplitude));
      angles.references.push_back(std::move(reference.phase));
    }
  }
  if (response) shown.curves.y.log = least > 0.0 && most > kLogAmplitudes * least;
}

void StudyCurves::showExcited(const Kind& kind, const std::vector<std::size_t>& runs, const Words& group,
                              Shown& shown) const {
  std::vector<const Kept*> byFrequency;
  for (const Kept& kept : runs_)
    if (std::binary_search(runs.begin(), runs.end(), kept.run) && kind.index < kept.moved.size())
      byFrequency.push_back(&kept);
  std::stable_sort(byFrequency.begin(), byFrequency.end(), [](const Kept* a, const Kept* b) { return a->hz < b->hz; });
  std::map<QString, std::size_t> known;
  std::vector<SweepLine> found, uncut;  // per group
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (const Kept* kept : byFrequency) {
    const std::size_t at = groupOf(group(kept->run), known, shown);
    found.resize(shown.curves.groups.size());
    uncut.resize(shown.curves.groups.size());
    if (kind.index < kept->uncut.size()) {
      uncut[at].add(kept->hz, kept->uncut[kind.index]);
      found[at].before = uncut[at].before;
    }
    found[at].add(kept->hz, kept->moved[kind.index]);
    least = std::min(least, std::abs(kept->moved[kind.index]));
    most = std::max(most, std::abs(kept->moved[kind.index]));
    const DisplayUnit moved = displayUnit(kept->moved_unit);
    shown.curves.y = {curveText("amplitude"), {moved.factor, moved.text + QLatin1Char('/') + kept->unit}};
  }
  for (std::size_t g = 0; g < found.size(); ++g) {
    shown.curves.groups[g].points = std::move(found[g].amplitude);
    shown.phase.groups[g].points = std::move(found[g].phase);
    if (uncut[g].amplitude.empty()) continue;
    shown.curves.groups[g].references.push_back(std::move(uncut[g].amplitude));
    shown.phase.groups[g].references.push_back(std::move(uncut[g].phase));
  }
  shown.curves.y.log = least > 0.0 && most > kLogAmplitudes * least;
}

void StudyCurves::showLearning(const Kind& kind, const std::vector<std::size_t>& runs, const Words& name,
                               const Words& group, Shown& shown) const {
  shown.curves.x = {curveText("time since the test began"), {1.0, QStringLiteral("s")}};
  shown.curves.y = {curveText("NMSE of the gap"), {}, true};
  std::map<QString, std::size_t> known;
  for (const Kept& kept : runs_) {
    if (!std::binary_search(runs.begin(), runs.end(), kept.run) || kind.index >= kept.gaps.size()) continue;
    const LearningCurve& curve = kept.gaps[kind.index];
    ScatterData::Curve line{kept.run, name(kept.run), {}, {}};
    // Keeps the largest of the points that share a pixel, so that peaks of a gap stay visible.
    const std::size_t stride = std::max<std::size_t>(1, curve.size() / kLearningPoints);
    double last = 0.0;
    for (std::size_t k = 0; k < curve.size(); k += stride) {
      double value = 0.0;
      for (std::size_t j = k; j < std::min(k + stride, curve.size()); ++j) value = std::max(value, curve.nmse(j));
      if (!(value < kRunAway)) break;
      if (value > 0.0) line.points.emplace_back(curve.time_s(k), last = value);
    }
    if (last > 0.0) line.said = curveText("at the end %1\u2009dB").arg(numberText(10.0 * std::log10(last)));
    shown.curves.groups[groupOf(group(kept.run), known, shown)].curves.push_back(std::move(line));
  }
}

}  // namespace hyb::ui
