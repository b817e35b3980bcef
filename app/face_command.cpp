#include "app/face_command.h"

#include <cmath>

#include "app/console.h"
#include "app/stop_signal.h"

namespace hyb::app {
namespace {

std::string valueText(double value) { return std::isfinite(value) ? format("%.5g", value) : "-"; }

std::string unitText(const std::string& title, const std::string& units) {
  return units.empty() ? title : title + " (" + units + ")";
}

std::string predictionText(const char* way, const FacePrediction& prediction, const std::string& units) {
  if (!prediction.carried) return format("%-28s", way) + "none. " + prediction.why_not + "\n";
  std::string text = format("%-28s%.5g %s (%.5g to %.5g, ", way, prediction.value, units.c_str(),
                            prediction.interval.low, prediction.interval.high);
  text += prediction.level ? format("%g %% confidence interval)", 100.0 * *prediction.level)
                           : "a range, not a confidence interval: " + prediction.range_because + ")";
  if (prediction.error_percent) text += format(", %.3g %% off the reference", *prediction.error_percent);
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
  if (report.reference) text += format("%-28s%.5g %s\n", "reference:", *report.reference, units.c_str());
  return text + report.curve.sentence + "\n";
}

}  // namespace

int runFaceCommand(const FaceJob& job, const std::filesystem::path& file, bool json) {
  StopSignal signal;
  FaceSummary summary;
  {
    Progress bar;
    summary = runFace(job.project, file, job.options, [&](const FaceProgress& progress) {
      std::string text = format("%zu of %zu tests", progress.done, progress.total);
      if (progress.remaining_s >= 0.0) text += ", " + timeText(progress.remaining_s) + " left";
      bar.show(static_cast<double>(progress.done) / static_cast<double>(progress.total), text);
      return !signal.received();
    });
  }
  if (json) {
    Json result = faceJson(summary.report);
    result["file"] = summary.file.string();
    result["resumed"] = summary.resumed;
    result["cancelled"] = summary.cancelled;
    result["elapsed_s"] = summary.elapsed_s;
    printJson(result);
  } else {
    print(reportText(summary.report) + summary.file.string() + "\n");
  }
  if (!summary.cancelled) return kDone;
  note("cancelled: finished tests are kept. The same command takes up the rest.");
  return kStopped;
}

}  // namespace hyb::app
