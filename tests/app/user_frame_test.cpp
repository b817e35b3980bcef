/// A user's own frame: 27 DOF from another program as M.csv and K.csv, cut at three DOF, from `check` to a run.
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <iomanip>

#include "core/project/project.h"
#include "core/record/run_file_reader.h"
#include "core/structure/modes.h"
#include "core/structure/structure.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"

using namespace hyb;
namespace fs = std::filesystem;

namespace {

/// Three storeys on two columns; a short mast of two pieces stands on the middle of the roof.
Structure frame() {
  FrameStructure frame;
  frame.sections = {{"beam", 2.1e11, 2e-5, 5e-3, 7850.0, 200.0}, {"mast", 2.1e11, 1e-6, 2e-3, 7850.0, 0.0}};
  frame.nodes = {{"base-1", 0, 0, true, true, true}, {"base-2", 4, 0, true, true, true}};
  for (int storey = 1; storey <= 3; ++storey)
    for (int column = 0; column < 2; ++column)
      frame.nodes.push_back(
          {"n" + std::to_string(storey) + std::to_string(column + 1), 4.0 * column, 3.0 * storey, false, false, false});
  frame.nodes.push_back({"roof", 2, 9, false, false, false});
  frame.nodes.push_back({"mast", 2, 9.6, false, false, false});
  frame.nodes.push_back({"top", 2, 10.2, false, false, false});
  const auto member = [&](const std::string& from, const std::string& to, const char* section) {
    frame.members.push_back({from + ">" + to, from, to, section, 1});
  };
  for (const std::string column : {"1", "2"}) {
    member("base-" + column, "n1" + column, "beam");
    member("n1" + column, "n2" + column, "beam");
    member("n2" + column, "n3" + column, "beam");
  }
  member("n11", "n12", "beam");
  member("n21", "n22", "beam");
  member("n31", "roof", "beam");
  member("roof", "n32", "beam");
  member("roof", "mast", "mast");
  member("mast", "top", "mast");
  return {frame, {}, {}};
}

void writeMatrix(const fs::path& file, const SparseMatrix& matrix, const std::vector<Dof>& dofs) {
  std::ofstream out(file);
  out << "dof";
  for (const Dof& dof : dofs) out << "," << dof.name;
  const Eigen::MatrixXd full = matrix;
  for (Eigen::Index i = 0; i < full.rows(); ++i) {
    out << "\n" << dofs[static_cast<std::size_t>(i)].name << std::setprecision(17);
    for (Eigen::Index j = 0; j < full.cols(); ++j) out << "," << full(i, j);
  }
  out << "\n";
}

}  // namespace

class UserFrameTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void checkFindsNothing();
  void checkNamesTheLineOfABadMatrix();
  void stabilityOfTheCut();
  void runFollowsTheWholeFrame();

 private:
  fs::path file(const char* name) const { return fs::path(folder_.path().toStdString()) / name; }
  int call(const QStringList& arguments, Json& result) const {
    QProcess process;
    process.setWorkingDirectory(folder_.path());
    process.start(hyb::test::kProgram, arguments);
    if (!process.waitForFinished(hyb::test::kHangs_ms) || process.exitStatus() != QProcess::NormalExit) return -1;
    const std::string out = process.readAllStandardOutput().toStdString();
    result = Json::accept(out) ? Json::parse(out) : Json();
    if (process.exitCode() != 0) qWarning("%s", process.readAllStandardError().constData());
    return process.exitCode();
  }

  QTemporaryDir folder_;
  double lowest_hz_ = 0.0;
};

void UserFrameTest::initTestCase() {
  const SystemMatrices whole = assemble(buildModel(frame()));
  QCOMPARE(whole.size(), Eigen::Index{27});
  lowest_hz_ = modes(whole).frequency_hz[0];
  writeMatrix(file("M.csv"), whole.m, whole.dofs);
  writeMatrix(file("K.csv"), whole.k, whole.dofs);
  Json document = templateDocument("three-mass");
  document["meta"]["title"] = "My frame";
  document["structure"] = Json::parse(R"({"kind": "matrices", "mass": {"file": "M.csv"}, "stiffness": {"file": "K.csv"},
    "damping": {"kind": "rayleigh-ratios", "ratios": [0.02, 0.02]}})");
  document["partition"] = Json::parse(R"({"by": "dofs", "interface": ["roof.x", "roof.y", "roof.rotation"],
    "physical": ["mast.x", "mast.y", "mast.rotation", "top.x", "top.y", "top.rotation"]})");
  document["excitation"] = Json::parse(R"({"signals": [{"name": "push", "kind": "sine", "amplitude_n": 500,
    "frequency_hz": 1}], "loads": [{"signal": "push", "dof": "n31.x"}]})");
  document["compensation"] = Json{{"method", "none"}};
  document["rig"] = Json::parse(R"({"kind": "twin", "actuators": [{"model": "ideal"}]})");
  document["safety"]["limits"] = Json::array();
  document["loop"]["duration_s"] = 6;
  document["analysis"]["start_s"] = 3;
  saveDocument(document, file("frame.json"));
}

void UserFrameTest::checkFindsNothing() {
  Json result;
  QCOMPARE(call({"check", "frame.json", "--json"}, result), 0);
  QVERIFY(result["valid"].get<bool>() && result.contains("notes"));
}

void UserFrameTest::checkNamesTheLineOfABadMatrix() {
  std::ofstream(file("bad.csv")) << "1,2\n3,x\n";
  Json document = loadDocument(file("frame.json").string());
  document["structure"]["stiffness"]["file"] = "bad.csv";
  saveDocument(document, file("bad.json"));
  Json result;
  QCOMPARE(call({"check", "bad.json", "--json"}, result), 2);
  const std::string errors = result["errors"].dump();
  QVERIFY2(errors.find("bad.csv:2") != std::string::npos, errors.c_str());
}

void UserFrameTest::stabilityOfTheCut() {
  Json report;
  QCOMPARE(call({"stability", "frame.json", "--delay", "0", "--json"}, report), 0);
  QVERIFY(report["stable"].get<bool>());
  QVERIFY(report["critical_delay_s"].get<double>() > 0.0);
  Json own;  // with the delay that the loop has
  QCOMPARE(call({"stability", "frame.json", "--json"}, own), 0);
  QVERIFY2(own["stable"].get<bool>() && own["discrete"]["growth_per_s"].get<double>() < 0.0,
           own["discrete"].dump().c_str());
  // Without delay one root is that of the whole frame.
  const double lowest = 6.283185307 * lowest_hz_;
  double away = lowest;
  for (const Json& root : report["roots"]) away = std::min(away, std::abs(root["im"].get<double>() - lowest));
  QVERIFY2(away < 1e-3 * lowest, qPrintable(QString::number(away)));
  QCOMPARE(report["roots"].size(), report["roots_counted"].get<std::size_t>());
  QVERIFY(!report["natural_frequencies_hz"]["physical_clamped"].empty() && report["discrete"].is_object());
}

void UserFrameTest::runFollowsTheWholeFrame() {
  Json result;
  QCOMPARE(call({"run", "frame.json", "-o", "frame.h5", "--json"}, result), 0);
  QVERIFY(result["complete"].get<bool>());
  QCOMPARE(result["metrics"]["interfaces"].size(), std::size_t{3});
  for (const Json& row : result["metrics"]["interfaces"])
    QVERIFY2(row["reference_nrmse_percent"].get<double>() < 5.0, row.dump().c_str());
  const RunFileReader run(file("frame.h5"));
  QVERIFY(run.info().rows > 5000);
  // The loop was closed: measured forces moved the computed side, and not by a little.
  QCOMPARE(Json::parse(run.projectJson())["loop"]["force_source"].get<std::string>(), std::string("measured"));
  for (const RecordedEvent& event : run.events())
    QVERIFY2(event.message.find("force") == std::string::npos, event.message.c_str());
  const std::vector<double> force = run.read("acquisition/force_1");
  QVERIFY(*std::max_element(force.begin(), force.end()) > 1.0);
  Json open;
  QCOMPARE(
      call({"run", "frame.json", "-o", "open.h5", "--json", "--set", "/rig/specimen={\"mass_factor\": 1.5}"}, open), 0);
  QVERIFY(open["metrics"]["interfaces"][0]["reference_nrmse_percent"].get<double>() >
          2.0 * result["metrics"]["interfaces"][0]["reference_nrmse_percent"].get<double>());
}

HYB_SUITE(user_frame, UserFrameTest)
#include "user_frame_test.moc"
