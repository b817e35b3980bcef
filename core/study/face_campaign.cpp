#include "core/study/face_campaign.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>

#include "core/base/checks.h"
#include "core/base/numbers.h"
#include "core/run/plug_ins.h"
#include "core/study/elapsed.h"
#include "core/study/face_file.h"
#include "core/study/face_finding.h"
#include "core/study/face_test.h"
#include "core/study/run_key.h"
#include "core/study/study_file.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr double kLeastDecayShare =
    0.05;  // share of the first test's decay that the extrapolated decay of the next one must keep
constexpr double kShownEvery_s = 0.1;
constexpr int kQuickBootstraps = 100;  // while tests are running

/// The campaign as a study: one variation, the seeds of each value.
Study studyOf(const Project& project, const FacePlan& plan, const FaceOptions& options) {
  Study study;
  study.base = project.document;
  study.folder = project.folder;
  study.paced = options.paced;
  study.traces = options.traces;
  study.variations.push_back({"varied", plan.pointers, {plan.values.begin(), plan.values.end()}});
  study.variations.back().setLabels();
  study.seeds.assign(static_cast<std::size_t>(plan.seeds), project.twin.seed);
  for (std::size_t r = 0; r < plan.tests(); ++r) study.run_seeds.push_back(seedOfRun(project.twin.seed, r));
  study.document = {{"format", "hybridbench-study"},
                    {"version", 1},
                    {"kind", "face"},
                    {"title", project.meta.title},
                    {"vary", {{{"pointer", plan.pointers}, {"values", plan.values}}}},
                    {"seeds", study.run_seeds},
                    {"pace", study.paced ? "real-time" : "free-run"},
                    {"traces", study.traces}};
  if (!options.runs.empty()) study.document["runs"] = fs::absolute(options.runs).string();
  return study;
}

/// Checks every project of the plan before the first test.
void checkTests(const Study& study, const FacePlan& plan, const StopToken* stop) {
  for (std::size_t v = 0; v < plan.values.size(); ++v) try {
      withPlugIns(parseProject(study.project(v * study.seeds.size()), study.folder), stop);
    } catch (const InputError& error) {
      std::vector<Issue> issues = error.issues();
      for (Issue& issue : issues)
        issue.where += " (FACE with " + plan.pointers.front() + " = " + Checks::text(plan.values[v], plan.units) + ")";
      throw InputError(std::move(issues));
    }
}

/// A new campaign overwrites no run file; a resumed one writes to the folder used before.
void requireNewRunFiles(const FacePlan& plan, const fs::path& file, const FaceOptions& options) {
  std::error_code ignored;
  if (options.runs.empty() || fs::exists(StudyJournal::part(file), ignored)) return;
  for (std::size_t r = 0; r < plan.tests(); ++r)
    if (const fs::path run = faceRunFile(options, r); fs::exists(run, ignored))
      throw DeviceError(run.string() +
                        ": exists already, from another campaign; give another folder for the run files, or move "
                        "these files");
}

std::string place(const FacePlan& plan, double varied) { return plan.title + " " + Checks::text(varied, plan.units); }

/// Why the next value may not be run, given the tests before it, one sentence; "" if it may.
std::string forbidden(const FaceReport& report, std::size_t index) {
  const auto seeds = static_cast<std::size_t>(report.plan.seeds);
  const std::size_t value = index / seeds;
  const FacePlan& plan = report.plan;
  if (plan.margin_s && plan.values[value] >= *plan.margin_s)
    return "not run: an added delay of " + Checks::text(plan.values[value], "s") +
           " would exceed the stability limit (" + Checks::text(*plan.margin_s, "s") + ").";
  std::size_t stopped = 0;                        // consecutive values, just before
  std::vector<std::pair<double, double>> decays;  // varied, mean decay of its tests
  for (std::size_t v = 0; v < value; ++v) {
    double decay = 0.0, count = 0.0;
    bool ended = false, grew = false;
    for (std::size_t t = v * seeds; t < (v + 1) * seeds; ++t) {
      const FaceCampaignTest& test = report.tests[t];
      ended = ended || test.status == RunStatus::stopped;
      grew = grew || (test.status == RunStatus::done && test.pole && test.pole->real() > 0.0);
      if (!test.measured() || !test.pole) continue;
      decay -= test.pole->real();
      ++count;
    }
    if (grew) return "not run: the free motion already grew in the test with " + place(plan, plan.values[v]) + ".";
    stopped = ended ? stopped + 1 : 0;
    if (count > 0.0) decays.emplace_back(plan.values[v], decay / count);
  }
  if (stopped >= 2) return "not run: the last two variations were stopped.";
  if (decays.size() < 2) return {};
  const auto [x1, d1] = decays[decays.size() - 2];
  const auto [x2, d2] = decays.back();
  const double next = d2 + (d2 - d1) / (x2 - x1) * (plan.values[value] - x2);
  if (next < kLeastDecayShare * decays.front().second)
    return "not run: by extrapolation of the last tests the motion would hardly decay, or would grow.";
  return {};
}

FaceReport emptyReport(const Project& project, const FacePlan& plan) {
  FaceReport report;
  report.title = project.meta.title;
  report.spec = *faceSpec(project.document);
  report.plan = plan;
  report.window = faceWindow(project, report.spec);
  report.project = project.document;
  report.folder = project.folder;
  report.structure = FaceStructure::make(project, report.no_structure);
  return report;
}

/// Copies the tests from the journal.
void takeOver(const Study& study, const FaceOptions& options, const StudyJournal& journal, FaceReport& report) {
  report.tests.clear();
  for (std::size_t r = 0; r < study.runs(); ++r) {
    const StudyRun& run = journal.runs()[r];
    FaceCampaignTest test =
        faceTestOf(report.plan.values[r / study.seeds.size()], study.seed(r), run.status, run.message, run.figures);
    std::error_code ignored;
    if (!options.runs.empty() && (test.status == RunStatus::done || test.status == RunStatus::stopped) &&
        fs::exists(faceRunFile(options, r), ignored))
      test.file = faceRunFile(options, r);
    report.tests.push_back(std::move(test));
  }
  setReference(report, journal.runs());
  report.complete = journal.finished() == study.runs();
}

/// Gains and other parameters are run in the given order; "" while that order seems safe.
std::string wrongOrder(const FaceReport& report) {
  constexpr double kClearly = 0.95;  // less error than explained by noise
  const auto seeds = static_cast<std::size_t>(report.plan.seeds);
  if (report.plan.delay || report.plan.values.size() < 2 || report.tests.size() < 2 * seeds) return {};
  const auto error = [&](std::size_t value) {  // mean over the seeds; NaN while one is missing
    double sum = 0.0;
    for (std::size_t t = value * seeds; t < (value + 1) * seeds; ++t)
      sum += report.tests[t].measured() ? report.tests[t].errors[static_cast<std::size_t>(report.spec.axis)] : kNoValue;
    return sum;
  };
  if (!(error(1) < kClearly * error(0))) return {};
  return place(report.plan, report.plan.values[1]) + " has less error than " +
         place(report.plan, report.plan.values[0]) +
         ", which was first; give the values from the best test to the worst, otherwise the worst is run too early.";
}

FaceReport quick(FaceReport report) {
  report.spec.settings.bootstraps = std::min(report.spec.settings.bootstraps, kQuickBootstraps);
  assess(report);
  return report;
}

/// The structural model: one specimen for all tests, coupled without error to the computed side.
FacePrediction modelOf(const FaceReport& report, const FaceSettings& settings) {
  const FaceWindow& window = report.window;
  FacePrediction none;
  none.why_not = report.no_structure;
  if (!report.structure) return none;
  std::vector<FaceEquations> tests;  // in the plan's order, from the best
  for (const FaceCampaignTest& test : report.tests)
    if (test.counts() && test.equations) tests.push_back(*test.equations);
  const std::string number = "_" + std::to_string(report.spec.interface);
  for (const std::string& channel : report.spec.quantity.channels())
    if (channel != "measured" + number && channel != "target" + number) {
      none.why_not = "The model determines only the motion of interface " + std::to_string(report.spec.interface) +
                     ", but the quantity uses other channels.";
      return none;
    }
  const auto row = [&](double time_s) { return rowFrom(time_s, window.step_s); };
  const auto quantity = [&](const FaceSpecimen& specimen) {
    const std::vector<double> all = report.structure->motion(specimen, row(window.quantity_to_s));
    const std::size_t first = std::min(all.size(), row(window.quantity_from_s));
    std::vector<double> part(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
    return readQuantity(report.spec.quantity, window.step_s, [&](const std::string&) { return part; }).value;
  };
  return modelPrediction(tests, quantity, settings);
}

}  // namespace

bool FaceReport::fits(const FaceCampaignTest& test, std::string* why) const {
  if (!test.measured()) return false;
  const double error = test.errors[static_cast<std::size_t>(spec.axis)];
  if (error >= 0.0 && std::isfinite(error)) return test.dropped.empty();
  if (why != nullptr)
    *why = error < 0.0 ? "left out: its error (" + std::string(words(spec.axis).title) +
                             ") is below 0, the motion leads its target; reduce the prediction to include the test."
                       : "left out: its error (" + std::string(words(spec.axis).title) +
                             ") cannot be determined from its record; use another axis, or a longer record.";
  return false;
}

void assess(FaceReport& report) {
  FaceSettings settings = report.spec.settings;
  settings.reference = report.reference;
  settings.hidden_error = report.spec.axis == FaceAxis::delay ? report.window.hidden_s : 0.0;
  std::vector<FacePoint> points;
  report.missing.clear();
  for (const FaceCampaignTest& test : report.tests) {
    if (test.status == RunStatus::pending) continue;
    std::string why = test.measured() ? "" : test.fault;
    if (report.fits(test, &why))
      points.push_back({test.errors[static_cast<std::size_t>(report.spec.axis)], test.quantity});
    if (!why.empty()) report.missing.push_back(place(report.plan, test.varied) + ": " + why);
  }
  if (std::string why = wrongOrder(report); !why.empty()) report.missing.push_back(std::move(why));
  report.model = modelOf(report, settings);
  report.curve = {};
  if (const std::string fault = axisFault(report.spec, report.plan.values); !fault.empty()) {
    report.curve.prediction.why_not = fault;
    report.curve.sentence = "No prediction. " + fault;
  } else {
    report.curve = assessFace(points, settings, &report.model);
  }
}

FaceSummary runFace(const Project& project, const fs::path& file, const FaceOptions& options, const FaceWatch& watch) {
  const auto start = StudyClock::now();
  const FacePlan plan = planFace(project);
  const Study study = studyOf(project, plan, options);
  requireNewStudy(file);
  requireNewRunFiles(plan, file, options);
  requirePace(project, options.paced);
  checkTests(study, plan, options.stop);
  StudyJournal journal(StudyJournal::part(file), journalOwner(study, faceColumns()));
  FaceSummary summary;
  summary.resumed = journal.finished();
  summary.damaged = journal.damaged();
  FaceReport report = emptyReport(project, plan);
  takeOver(study, options, journal, report);
  const auto first_test = StudyClock::now();
  FaceReport shown = quick(report);
  bool changed = true;
  StudyClock::time_point shown_at;  // initially long ago: the first test is shown at once
  const auto going = [&] {
    const auto done = static_cast<double>(journal.finished() - summary.resumed);
    const auto left = static_cast<double>(study.runs() - journal.finished());
    const double left_s = done > 0.0 ? secondsSince(first_test) / done * left : -1.0;
    return !watch || watch({journal.finished(), study.runs(), left_s, &shown, std::exchange(changed, false)});
  };
  StopToken own;
  StopToken& stop = options.stop != nullptr ? *options.stop : own;
  for (std::size_t r = 0; r < study.runs() && !summary.cancelled; ++r) {
    if (journal.runs()[r].status != RunStatus::pending) continue;
    StudyJournal::Entry entry{r, {}, {}, {}};
    entry.run.seed = study.seed(r);
    if (const std::string why = forbidden(report, r); !why.empty()) {
      entry.run.status = RunStatus::failed;
      entry.run.message = why;
    } else {
      auto running = std::async(std::launch::async, [&] { return runFaceTest(study, report.spec, r, options, stop); });
      while (running.wait_for(50ms) != std::future_status::ready)
        if (!going()) stop.request();
      std::optional<StudyJournal::Entry> result = running.get();
      if (!result) {
        summary.cancelled = true;
        break;
      }
      entry = std::move(*result);
    }
    std::vector<StudyJournal::Entry> entries;
    entries.push_back(std::move(entry));
    journal.add(std::move(entries));
    takeOver(study, options, journal, report);
    if (watch && secondsSince(shown_at) > kShownEvery_s) {
      shown = quick(report);
      shown_at = StudyClock::now();
      changed = true;
    }
    if (!going()) summary.cancelled = journal.finished() < study.runs();
  }
  assess(report);
  writeStudyFile(file, study, faceColumns(), journal, [&](std::int64_t id) { writeFaceGroup(id, report); });
  tellRunFile(report, project.folder);
  if (!summary.cancelled) journal.remove();
  summary.report = std::move(report);
  summary.file = file;
  summary.elapsed_s = secondsSince(start);
  return summary;
}

}  // namespace hyb
