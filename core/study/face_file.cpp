#include "core/study/face_file.h"

#include <cmath>

#include "core/base/numbers.h"
#include "core/record/file_in_making.h"
#include "core/record/seal.h"
#include "core/study/face_test.h"
#include "core/study/study_file.h"
#include "core/study/study_tree.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVerdicts[] = {"none", "accepted", "rejected", "undecided"};

/// JSON has no NaN.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json intervalJson(const FaceInterval& interval) {
  return interval.known() ? Json{interval.low, interval.high} : Json(nullptr);
}

Json predictionJson(const FacePrediction& prediction) {
  if (!prediction.carried) return {{"carried", false}, {"why_not", prediction.why_not}};
  Json json = {{"carried", true},
               {"value", prediction.value},
               {"interval", intervalJson(prediction.interval)},
               {"level", prediction.level ? Json(*prediction.level) : Json(nullptr)},
               {"bootstrap", intervalJson(prediction.bootstrap)},
               {"scatter", intervalJson(prediction.scatter)},
               {"leave_one_out", intervalJson(prediction.leave_one_out)},
               {"spread", intervalJson(prediction.spread)}};
  if (!prediction.level) json["range_because"] = intervalWords(prediction) + ".";
  if (prediction.error_percent) json["error_percent"] = *prediction.error_percent;
  return json;
}

Json fitJson(const FaceFit& fit) {
  Json json = {{"scale", fit.scale == FaceScale::decibel ? "dB" : "linear"},
               {"powers", fit.powers},
               {"unit", fit.unit},
               {"coefficients", std::vector<double>(fit.coefficients.begin(), fit.coefficients.end())},
               {"at_zero", number(fit.at(0.0))},
               {"residual", fit.residual}};
  if (!fit.admitted()) json["refused"] = fit.refused;
  return json;
}

Json testJson(const FaceReport& report, const FaceCampaignTest& test) {
  Json json = {{"varied", test.varied}, {"seed", test.seed}, {"counts", report.fits(test)}};
  for (std::size_t a = 0; a < 3; ++a) json[words(static_cast<FaceAxis>(a)).name] = number(test.errors[a]);
  json["error"] = number(test.errors[static_cast<std::size_t>(report.spec.axis)]);
  json["quantity"] = number(test.quantity);
  json["message"] = test.message;
  if (!test.dropped.empty()) json["dropped"] = test.dropped;
  if (!test.file.empty()) json["file"] = test.file.string();
  return json;
}

/// Settings that a reader may have changed.
Json choicesJson(const FaceSpec& spec) {
  return {{"axis", words(spec.axis).name},
          {"scale", spec.settings.scale == FaceScale::decibel ? "dB" : "linear"},
          {"powers", spec.settings.powers},
          {"zero_slope", spec.settings.rules.zero_slope},
          {"flatter_at_zero", spec.settings.rules.flatter_at_zero},
          {"tolerance_percent", spec.settings.tolerance_percent}};
}

void writeColumns(Tree& tree, hid_t group, const FaceReport& report) {
  std::vector<double> varied, error, quantity, counts;
  std::vector<std::string> dropped, files;
  for (const FaceCampaignTest& test : report.tests) {
    varied.push_back(test.varied);
    error.push_back(test.errors[static_cast<std::size_t>(report.spec.axis)]);
    quantity.push_back(test.quantity);
    counts.push_back(report.fits(test) ? 1.0 : 0.0);
    dropped.push_back(test.dropped);
    files.push_back(test.file.string());
  }
  const FaceAxisWords& axis = words(report.spec.axis);
  tree.numbers(group, "varied", varied, {report.plan.units, report.plan.title, "what was made worse on purpose"});
  tree.numbers(group, "error", error, {axis.units, axis.title, axis.description});
  tree.numbers(group, "quantity", quantity,
               {report.spec.quantity.units, report.spec.quantity.words(), "the quantity of interest"});
  tree.numbers(group, "counts", counts, {"", "counts", "1: a point that the curve is fitted to"});
  tree.texts(group, "dropped", dropped, {"", "dropped", "the user's reason to leave a test out"});
  tree.texts(group, "file", files, {"", "file", "run file of the test, where one was kept"});
}

Json windowJson(const FaceWindow& window) {
  return {window.step_s, window.from_s, window.to_s, window.quantity_from_s, window.quantity_to_s, window.hidden_s};
}

std::shared_ptr<const FaceStructure> structureOf(const Json& document, const fs::path& folder, std::string& why_not) {
  try {
    return FaceStructure::make(parseRecorded(document, folder), why_not);
  } catch (const std::exception& error) {
    why_not = std::string("The project of this file cannot be read: ") + error.what();
    return nullptr;
  }
}

void takeChoices(const Json& choices, FaceSpec& spec) {
  Json document;
  document["analysis"]["face"] = choices;
  document["analysis"]["face"]["quantity"] = {{"kind", "peak"}};
  const FaceSpec chosen = *faceSpec(document);
  spec.axis = chosen.axis;
  spec.settings.scale = chosen.settings.scale;
  spec.settings.powers = chosen.settings.powers;
  spec.settings.rules = chosen.settings.rules;
  spec.settings.tolerance_percent = chosen.settings.tolerance_percent;
}

}  // namespace

void setReference(FaceReport& report, const std::vector<StudyRun>& runs) {
  report.reference = report.spec.settings.reference;
  for (const StudyRun& run : runs) {
    if (report.reference) return;
    // A test that ended early does not cover the whole record.
    if (run.status == RunStatus::done && run.figures.size() == kFaceFigures &&
        std::isfinite(run.figures[kFaceReference]))
      report.reference = run.figures[kFaceReference];
  }
}

Json faceJson(const FaceReport& report) {
  const FaceAssessment& curve = report.curve;
  Json tests = Json::array(), family = Json::array();
  for (const FaceCampaignTest& test : report.tests) tests.push_back(testJson(report, test));
  for (const FaceFit& fit : curve.family) family.push_back(fitJson(fit));
  Json json = {{"title", report.title},
               {"quantity", {{"title", report.spec.quantity.words()}, {"units", report.spec.quantity.units}}},
               {"axis", words(report.spec.axis).name},
               {"varied", {{"pointers", report.plan.pointers}, {"units", report.plan.units}}},
               {"complete", report.complete},
               {"tests", tests},
               {"missing", report.missing},
               {"reference", report.reference ? Json(*report.reference) : Json(nullptr)},
               {"prediction", predictionJson(curve.prediction)},
               {"fit", curve.fit ? fitJson(*curve.fit) : Json(nullptr)},
               {"family", family},
               {"model", predictionJson(report.model)},
               {"least_error", number(curve.least_error)},
               {"measured", number(curve.measured)},
               {"error", number(curve.error)},
               {"error_percent", number(curve.error_percent)},
               {"reach", number(curve.reach)},
               {"low_confidence", curve.low_confidence},
               {"doubts", curve.doubts},
               {"rests_on", curve.verdict == FaceVerdict::none ? Json(nullptr)
                            : curve.rests_on_model             ? Json("model")
                                                               : Json("curve")},
               {"verdict", kVerdicts[static_cast<int>(curve.verdict)]},
               {"sentence", curve.sentence},
               {"reasons", curve.reasons},
               {"details", curve.details}};
  if (curve.true_error_percent) json["true_error_percent"] = *curve.true_error_percent;
  return json;
}

void writeFaceGroup(std::int64_t file, const FaceReport& report) {
  Tree tree(static_cast<hid_t>(file));
  const h5::Handle group = tree.group("face");
  writeColumns(tree, group, report);
  tree.document(group, "assessment", faceJson(report), "points, fit, prediction, interval and verdict");
  tree.document(group, "choices", {{"choices", choicesJson(report.spec)}, {"window", windowJson(report.window)}},
                "how the tests are judged; times of the record, s: step, from, to, quantity from, to, hidden delay");
}

FaceReport readFaceFile(const fs::path& path) {
  const StudyTable table = readStudyFile(path);
  FaceReport report;
  try {
    const h5::Handle file = h5::own(H5Fopen(path.c_str(), H5F_ACC_RDONLY, h5::fileAccess()), "cannot be opened");
    if (H5Lexists(file, "face", H5P_DEFAULT) <= 0)
      throw DeviceError("is a study without FACE; open it on the page Study");
    const std::vector<std::string> dropped = readTexts(file, "face/dropped"), files = readTexts(file, "face/file");
    const Json kept = Json::parse(readTexts(file, "face/choices").at(0));
    report.project = table.project;
    report.title = table.title;
    report.complete = table.complete;
    report.notice = table.notice;
    report.spec = faceSpec(table.project).value();
    takeChoices(kept.at("choices"), report.spec);
    const std::vector<double> times = kept.at("window").get<std::vector<double>>();
    report.window = {times.at(0), times.at(1), times.at(2), times.at(3), times.at(4)};
    if (times.size() > 5) report.window.hidden_s = times[5];  // files of earlier versions do not contain it
    report.folder = path.parent_path();
    report.structure = structureOf(report.project, report.folder, report.no_structure);
    const Json assessment = Json::parse(readTexts(file, "face/assessment").at(0));
    report.plan.pointers = report.spec.pointers;
    report.plan.units = assessment.at("varied").at("units").get<std::string>();
    const h5::Handle varied = h5::own(H5Dopen2(file, "face/varied", H5P_DEFAULT), "no dataset face/varied");
    report.plan.title = h5::text(varied, "long_name");
    report.plan.seeds = report.spec.seeds;
    report.plan.delay = report.spec.addsDelay();
    std::vector<StudyRun> runs(table.status.size());
    for (std::size_t r = 0; r < runs.size(); ++r) {
      runs[r].status = table.status[r];
      std::vector<double>& figures = runs[r].figures;
      for (const FigureColumn& column : faceColumns()) {
        figures.push_back(kNoValue);
        for (const StudyTable::Column& found : table.figures)
          if (found.name == column.name()) figures.back() = found.numbers.at(r);
      }
      const double value = table.plan.at(0).numbers.at(r);
      FaceCampaignTest test = faceTestOf(value, table.seed.at(r), table.status[r], table.message.at(r), figures);
      test.dropped = dropped.at(r);
      test.file = files.at(r);
      report.tests.push_back(std::move(test));
      if (r % static_cast<std::size_t>(report.plan.seeds) == 0) report.plan.values.push_back(value);
    }
    setReference(report, runs);
  } catch (const DeviceError& error) {
    throw DeviceError(path.string() + ": " + error.what());
  } catch (const std::exception&) {  // any deviation from the output of writeFaceGroup()
    throw DeviceError(path.string() + ": the group /face is damaged");
  }
  assess(report);
  return report;
}

void saveFaceFile(const fs::path& path, const FaceReport& report) {
  h5::prepare();
  try {
    FileInMaking copy(path, ".writing");
    copy.copyFrom(path);
    unseal(copy.held().alias());
    h5::Handle file = copy.held().openHdf5();
    const bool sealed = h5::text(file, kSealedAttribute) == "1";  // otherwise of an older program
    h5::check(H5Ldelete(file, "face", H5P_DEFAULT), "the group /face cannot be replaced");
    writeFaceGroup(file, report);
    copy.held().closeHdf5(std::move(file));
    if (sealed) seal(copy.held().alias());
    copy.replace();
  } catch (const DeviceError& failure) {
    throw DeviceError(path.string() + ": " + failure.what());
  }
}

}  // namespace hyb
