#include "app/face_command.h"

#include <cmath>

#include "app/console.h"
#include "app/stop_signal.h"
#include "core/base/figure_text.h"

namespace hyb::app {
namespace {

std::string valueText(double value) { return std::isfinite(value) ? figureText(value, 5) : "-"; }

std::string unitText(const std::string& title, const std::string& units) {
  return units.empty() ? title : title + " (" + units + ")";
}

std::string predictionText(const char* way, const FacePrediction& prediction, const std::string& units) {
  if (!prediction.carried) return format("%-28s", way) + "none. " + prediction.why_not + "\n";
  std::string text = format("%-28s%s %s (%s to %s, ", way, valueText(prediction.value).c_str(), units.c_str(),
                            valueText(prediction.interval.low).c_str(), valueText(prediction.interval.high).c_str());
  text += intervalWords(prediction) + ")";
  if (prediction.error_percent) text += ", " + figureText(*prediction.error_percent) + " % off the reference";
  return text + "\n";
}

std::string reportText(const FaceReport& report) {
  const FaceAxisWords& axis = words(report.spec.axis);
  const std::string& units = report.spec.quantity.units;
  std::string text =
      format("%-30s %-30s %s\n", unitText(report.plan.title, report.plan.units).c_str(),
             unitText(axis.title, axis.units).c_str(), unitText(report.spec.quantity.words(), units).c_str());
  for (const FaceCampaignTest& test : report.tests)
    if (test.measured())
      text += format("%-30s %-30s %s\n", valueText(test.varied).c_str(),
                     valueText(test.errors[static_cast<std::size_t>(report.spec.axis)]).c_str(),
                     valueText(test.quantity).c_str());
  for (const std::string& sentence : report.missing) text += "missing: " + sentence + "\n";
  if (report.curve.fit) text += "curve: " + report.curve.fit->words() + "\n";
  text += predictionText("error-free test, curve:", report.curve.prediction, units);
  text += predictionText("error-free test, model:", report.model, units);
  if (report.reference)
    text += format("%-28s%s %s\n", "reference:", valueText(*report.reference).c_str(), units.c_str());
  return text + report.curve.text() + "\n";
}

}  // namespace

void noteDamagedLines(std::size_t lines) {
  if (lines > 0)
    note(format("warning: damaged or truncated lines of the journal: %zu; their runs were repeated.", lines));
}

int runFaceCommand(const FaceJob& job, const std::filesystem::path& file, bool json) {
  StopSignal signal;
  FaceSummary summary;
  {
    Progress bar;
    FaceOptions options = job.options;
    options.stop = &signal.token();
    summary = runFace(job.project, file, options, [&](const FaceProgress& progress) {
      std::string text = format("%zu of %zu tests", progress.done, progress.total);
      if (progress.remaining_s >= 0.0) text += ", " + timeText(progress.remaining_s) + " left";
      bar.show(static_cast<double>(progress.done) / static_cast<double>(progress.total), text);
      return !signal.received();
    });
  }
  noteDamagedLines(summary.damaged);
  if (json) {
    Json result = faceJson(summary.report);
    result["file"] = summary.file.string();
    result["resumed"] = summary.resumed;
    result["damaged_lines"] = summary.damaged;
    result["cancelled"] = summary.cancelled;
    result["elapsed_s"] = summary.elapsed_s;
    printJson(result);
  } else {
    print(reportText(summary.report) + summary.file.string() + "\n");
  }
  if (!summary.cancelled) return kDone;
  note("cancelled: finished tests are kept. Run the same command again to continue.");
  return kStopped;
}

}  // namespace hyb::app
