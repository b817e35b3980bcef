#include "core/study/face_test.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "core/base/numbers.h"
#include "core/fidelity/measure.h"
#include "core/fidelity/reading.h"
#include "core/fidelity/record.h"
#include "core/integration/integrator.h"
#include "core/record/run_file_reader.h"
#include "core/run/analysed_rows.h"
#include "core/study/memory_run.h"
#include "core/study/specimen_reading.h"

namespace hyb {
namespace {

using namespace std::chrono_literals;

constexpr double kGrows_per_s = 0.1;  // growth of the gap in free motion that exceeds fluctuations of steady motion
constexpr double kGrowsBeyond =
    2.0;                         // growth of forced motion relative to that of the uncut structure, between the halves
constexpr double kStill = 1e-3;  // permitted motion of an excitation at rest, as a share of the largest excitation
constexpr double kSteady =
    0.2;  // change of the amplitude's logarithm over the record: below it motion is steady, not a free oscillation

/// The same quantity of the simulated uncut structure; NaN if there is none.
double referenceQuantity(const FaceSpec& spec, const FaceWindow& window, const Table& table,
                         const ChannelReader& channels) {
  const auto uncut = [&](const std::string& name) {
    const std::optional<std::size_t> place = find(table, name);
    if (!place) return std::vector<double>();
    const Channel& channel = table.channels[*place];
    if (channel.role != ColumnRole::measured && channel.role != ColumnRole::target) return std::vector<double>();
    return channels(columnName(ColumnRole::reference, static_cast<std::size_t>(channel.interface) - 1));
  };
  return readQuantity(spec.quantity, window.step_s, uncut).value;
}

/// Logarithm of the rms of the second half over that of the first; NaN if one of them is 0.
double growth(const std::vector<double>& samples) {
  const std::size_t half = samples.size() / 2;
  const double before = rms(std::span(samples).first(half)), after = rms(std::span(samples).last(half));
  return before > 0.0 && after > 0.0 ? std::log(after / before) : kNoValue;
}

/// True if all excitations are at rest after the first tenth of the record, so that later motion is free.
bool swingsFreely(const Project& project, const ChannelReader& channels) {
  for (std::size_t j = 1; j <= project.excitation.signals.size(); ++j) {
    const std::vector<double> all = channels(columnName(ColumnRole::excitation, j - 1));
    const auto rest = std::span(all).subspan(all.size() / 10);
    if (rest.empty()) continue;
    const auto [low, high] = std::minmax_element(rest.begin(), rest.end());
    if (*high - *low > kStill * largest(all)) return false;
  }
  return true;
}

/// Growth of the free motion from the first to the second half. Free motion: that of the gap. Forced motion grows with
/// its excitation, also by resonance, so it is compared with the simulated uncut structure; without one the growth is
/// unknown.
struct Growth {
  double per_s = kNoValue;
  bool grows = false;
};
Growth growthOf(const std::vector<double>& target, const std::vector<double>& measured,
                const std::vector<double>& reference, double step_s, bool freely) {
  if (!comparable(target, measured, 4)) return {};
  const std::size_t half = target.size() / 2;
  const double half_s = static_cast<double>(half) * step_s;
  if (freely) {
    std::vector<double> gap(target.size());
    std::transform(measured.begin(), measured.end(), target.begin(), gap.begin(), std::minus<>());
    const double per_s = growth(gap) / half_s;
    return {per_s, per_s > kGrows_per_s};
  }
  if (!comparable(reference, measured, 4)) return {};
  const double beyond = growth(measured) - growth(reference);
  return {beyond / half_s, beyond > std::log(kGrowsBeyond)};
}

/// A run in memory for its figures.
RunRecord recordOf(const Table& trace, const Project& project) {
  RunRecord run;
  run.project = project.document;
  run.folder = project.folder;
  run.table = trace;
  return run;
}

/// Runs with its own run file and reads the figures from it.
std::optional<StudyJournal::Entry> recordedTest(const Project& project, const FaceSpec& spec, std::size_t index,
                                                const FaceOptions& options, const StopToken& stop) {
  StudyJournal::Entry entry{index, {}, {}, {}};
  const std::filesystem::path file = faceRunFile(options, index);
  std::error_code ignored;
  std::filesystem::create_directories(options.runs, ignored);
  std::filesystem::remove(file, ignored);  // of a test that was stopped
  RunOptions how;
  how.pace = options.paced ? Pace::real_time : Pace::free_run;
  how.file = file;
  how.devices = options.devices;
  how.attended = false;
  how.stop = &stop;
  RunResult result;
  std::filesystem::path written;
  {
    TestRun run(project, how);
    run.arm();
    run.start();
    while (!run.ended()) std::this_thread::sleep_for(2ms);
    result = run.finish();
    written = run.file();
  }
  if (!result.device_error.empty()) throw DeviceError(result.device_error);
  if (PlugInWatch::anyGivenUp()) throw DeviceError(result.stop_reason);  // each further test would also lose a thread
  if (stop.asked() && result.reason == EndReason::operator_stop) return std::nullopt;
  entry.run.status = result.reason == EndReason::completed ? RunStatus::done : RunStatus::stopped;
  entry.run.complete = result.complete;
  entry.run.valid = result.valid;
  entry.run.message = result.stop_reason;
  const RunFileReader reader(written);
  std::string fault;
  entry.run.figures = faceFigures(project, spec, recordOf(reader, project.folder), fault);
  if (entry.run.status == RunStatus::done && !fault.empty()) entry.run.message = fault;
  return entry;
}

std::optional<StudyJournal::Entry> memoryTest(const Project& project, const FaceSpec& spec, std::size_t index,
                                              const FaceOptions& options, const StopToken& stop) {
  StudyJournal::Entry entry{index, {}, {}, {}};
  MemoryRun run =
      runInMemory(project, options.paced ? Pace::real_time : Pace::free_run, true, stop, false, options.devices, false);
  if (run.reason == EndReason::running || (stop.asked() && run.reason == EndReason::operator_stop)) return std::nullopt;
  entry.run.status = run.reason == EndReason::completed ? RunStatus::done : RunStatus::stopped;
  entry.run.complete = run.complete;
  entry.run.valid = run.valid;
  entry.run.message = run.stop_reason;
  std::string fault;
  entry.run.figures = faceFigures(project, spec, recordOf(run.trace, project), fault);
  if (entry.run.status == RunStatus::done && !fault.empty()) entry.run.message = fault;
  if (options.traces) entry.trace = std::move(run.trace);
  return entry;
}

}  // namespace

const std::vector<FigureColumn>& faceColumns() {
  const auto error = [](const char* name, FaceAxis axis) {
    return FigureKind{name, words(axis).units, words(axis).description, false};
  };
  static const std::array<FigureKind, kFaceEquationsFrom + 1> kinds = {{
      error("face_delay_s", FaceAxis::delay),
      error("face_error_by_max", FaceAxis::error_by_max),
      error("face_error_by_rms", FaceAxis::error_by_rms),
      {"face_quantity", "", "quantity of interest; its unit is told in /face", false},
      {"face_reference", "", "the same of the simulated uncut structure", false},
      {"face_growth_per_s", "1/s",
       "growth from the first to the second half: of the gap in free motion, else of the motion beyond the uncut "
       "structure's",
       false},
      {"face_pole_re", "1/s", "pole of the free oscillation: growth", false},
      {"face_pole_im", "rad/s", "pole of the free oscillation: frequency", false},
      {"face_grows", "", "1: the motion grows by itself, so the test gives no point", false},
      {"face_equations", "", "equations of the test for the specimen", false},
  }};
  static const std::vector<FigureColumn> columns = [] {
    std::vector<FigureColumn> list;
    for (std::size_t k = 0; k < kFaceEquationsFrom; ++k) list.push_back({&kinds[k], 0});
    for (int n = 1; n <= static_cast<int>(FaceEquations::kNumbers); ++n) list.push_back({&kinds.back(), n});
    return list;
  }();
  return columns;
}

FaceWindow faceWindow(const Project& project, const FaceSpec& spec) {
  const double step_s = 1.0 / project.loop.rate_hz;
  const double from_s = project.analysis.start_s, end_s = project.loop.duration_s - project.loop.soft_end_s + step_s;
  return {step_s,
          from_s,
          end_s,
          std::max(spec.quantity.from_s, from_s),
          spec.quantity.to_s > 0.0 ? std::min(spec.quantity.to_s, end_s) : end_s,
          hiddenDelay_s(project)};
}

double hiddenDelay_s(const Project& project) {
  if (project.coupling->site() != nullptr) return 0.0;
  const double tick_s = 1.0 / project.loop.rate_hz;
  return loadDelay(project.integrator, tick_s) + (project.coupling->ahead() ? tick_s : 0.0);
}

std::vector<double> faceFigures(const Project& project, const FaceSpec& spec, const RunRecord& run,
                                std::string& fault) {
  std::vector<double> figures(kFaceFigures, kNoValue);
  const FaceWindow window = faceWindow(project, spec);
  const AnalysedRows rows(run);
  const ChannelReader all = [&](const std::string& channel) { return rows.channel(find(run.table, channel)); };
  const ChannelReader part = [&](const std::string& channel) {  // channels of the quantity
    const std::vector<double> values = all(channel);
    const auto at = [&](double time_s) {
      return values.begin() +
             static_cast<std::ptrdiff_t>(std::min(rowFrom(time_s - rows.from_s(), window.step_s), values.size()));
    };
    const auto first = at(window.quantity_from_s);
    // Without its own end, the range ends with the analysis, which a held test reaches later.
    return std::vector<double>(first,
                               std::max(first, spec.quantity.to_s > 0.0 ? at(window.quantity_to_s) : values.end()));
  };
  const auto axis = static_cast<std::size_t>(spec.interface) - 1;
  const std::vector<double> target = rows.channel(ColumnRole::target, axis);
  const std::vector<double> measured =
      rows.channel(axis < project.axes.size() ? trackedRole(project.axes[axis]) : ColumnRole::measured, axis);
  InterfaceReading tracked({target, measured, {}, {}, {}}, InterfaceReading::Sums{compared(target, measured), {}},
                           window.step_s, 0.0);
  for (std::size_t a = 0; a < kFaceAxes; ++a)
    if (const Measure* measure = words(static_cast<FaceAxis>(a)).measure)
      figures[a] = measure->of_interface(tracked).value_or(kNoValue);
  const QuantityReading reading = readQuantity(spec.quantity, window.step_s, part);
  figures[kFaceQuantity] = reading.value;
  fault = reading.fault;
  figures[kFaceReference] = referenceQuantity(spec, window, run.table, part);
  const bool freely = swingsFreely(project, all);
  const Growth grown = growthOf(target, measured, rows.channel(ColumnRole::reference, axis), window.step_s, freely);
  figures[kFaceGrowth] = grown.per_s;
  std::optional<FreeSwing> swing;
  if (freely) swing = freeSwing(target, window.step_s);
  if (swing && std::abs(swing->pole.real()) * window.step_s * static_cast<double>(target.size()) < kSteady)
    swing.reset();
  if (swing) {
    figures[kFacePoleRe] = swing->pole.real();
    figures[kFacePoleIm] = swing->pole.imag();
    if (const auto test = faceEquations(*swing, measured, rows.channel(ColumnRole::force, axis), window.step_s,
                                        specimenReading(project))) {
      const auto numbers = test->numbers();
      std::copy(numbers.begin(), numbers.end(), figures.begin() + kFaceEquationsFrom);
    }
  }
  const bool grows = swing ? swing->pole.real() > 0.0 : grown.grows;
  figures[kFaceGrows] = grows ? 1.0 : 0.0;
  if (fault.empty() && grows) fault = "the motion grows: an unstable test contains no information on the stable one.";
  return figures;
}

std::filesystem::path faceRunFile(const FaceOptions& options, std::size_t index) {
  std::string number = std::to_string(index);
  number.insert(0, number.size() < 3 ? 3 - number.size() : 0, '0');
  return options.runs / ("test-" + number + ".h5");
}

std::optional<StudyJournal::Entry> runFaceTest(const Study& study, const FaceSpec& spec, std::size_t index,
                                               const FaceOptions& options, const StopToken& stop) {
  try {
    const Project project = parseProject(study.project(index), study.folder);
    std::optional<StudyJournal::Entry> entry = options.runs.empty() ? memoryTest(project, spec, index, options, stop)
                                                                    : recordedTest(project, spec, index, options, stop);
    if (entry) entry->run.seed = study.seed(index);
    return entry;
  } catch (const InputError& error) {
    StudyJournal::Entry entry{index, {}, {}, {}};
    entry.run.status = RunStatus::failed;
    entry.run.message = error.what();
    entry.run.seed = study.seed(index);
    return entry;
  }
}

FaceCampaignTest faceTestOf(double varied, std::uint64_t seed, RunStatus status, const std::string& message,
                            const std::vector<double>& figures) {
  FaceCampaignTest test;
  test.varied = varied;
  test.seed = seed;
  test.status = status;
  test.message = message;
  test.errors = {kNoValue, kNoValue, kNoValue, varied, varied != 0.0 ? 1.0 / varied : kNoValue};
  test.quantity = test.growth_per_s = kNoValue;
  if (figures.size() == kFaceFigures) {
    for (std::size_t a = 0; a < 3; ++a) test.errors[a] = figures[a];
    test.quantity = figures[kFaceQuantity];
    test.growth_per_s = figures[kFaceGrowth];
    if (std::isfinite(figures[kFacePoleRe]))
      test.pole = std::complex<double>(figures[kFacePoleRe], figures[kFacePoleIm]);
    test.equations = FaceEquations::of(std::span(figures).subspan(kFaceEquationsFrom));
  }
  const bool grows = figures.size() == kFaceFigures && figures[kFaceGrows] > 0.0;
  if (status == RunStatus::stopped || status == RunStatus::failed ||
      (status == RunStatus::done && (!std::isfinite(test.quantity) || grows)))
    test.fault = message;
  return test;
}

}  // namespace hyb
