/// Which tests of a FACE campaign grow by themselves: forced motion grows with what forces it, and is no instability.
#include <cmath>
#include <map>

#include "core/base/numbers.h"
#include "core/record/run_table.h"
#include "core/study/face_test.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

constexpr double kStep_s = 1e-3;
constexpr std::size_t kLag = 10;  // ticks that the measured motion lags

using Force = double (*)(double time_s);

/// Motion of one mass under a force per mass, from rest, by steps that are small beside its period.
std::vector<double> motionOf(double natural_hz, double damping_ratio, Force force, double seconds) {
  const double w = kTwoPi * natural_hz;
  std::vector<double> motion;
  double x = 0.0, v = 0.0;
  for (double t = 0.0; t < seconds; t += kStep_s) {
    motion.push_back(x);
    v += kStep_s * (force(t) - 2.0 * damping_ratio * w * v - w * w * x);
    x += kStep_s * v;
  }
  return motion;
}
std::vector<double> lagging(const std::vector<double>& target) {
  std::vector<double> measured(target.size(), 0.0);
  std::copy(target.begin(), target.end() - kLag, measured.begin() + kLag);
  return measured;
}
/// Times e^(rate t).
std::vector<double> growing(std::vector<double> motion, double rate_per_s) {
  for (std::size_t k = 0; k < motion.size(); ++k) motion[k] *= std::exp(rate_per_s * kStep_s * static_cast<double>(k));
  return motion;
}

double sweep(double t) { return std::sin(kTwoPi * (0.5 * t + 0.5 * 4.5 / 7.0 * t * t)); }
double sine(double t) { return std::sin(kTwoPi * 2.0 * t); }
double latePulse(double t) { return t > 6.0 && t < 6.2 ? 1.0 : 0.0; }
double weight(double) { return 1.0; }

using Records = std::map<std::string, std::vector<double>>;

/// A test with one force: target, its uncut structure, and how far the measured motion grows beyond what it should.
std::vector<double> figuresOf(Force force, const std::vector<double>& motion, double rate_per_s, std::string& fault) {
  Records records;
  for (std::size_t k = 0; k < motion.size(); ++k)
    records["excitation_1"].push_back(force(kStep_s * static_cast<double>(k)));
  records["reference_1"] = motion;
  records["target_1"] = growing(motion, rate_per_s);
  records["measured_1"] = lagging(records["target_1"]);
  Json document = templateDocument("face-linear");
  setValue(document, "/loop/soft_end_s=0.2");
  setValue(document, "/loop/duration_s=" + std::to_string(0.2 + kStep_s * static_cast<double>(motion.size())));
  setValue(document, "/analysis/face/quantity={\"kind\": \"peak\"}");
  const Project project = parseProject(document);
  RunRecord run;
  run.project = project.document;
  records["flags"].assign(motion.size(), 0.0);
  for (std::size_t k = 0; k < motion.size(); ++k) {
    records["tick"].push_back(static_cast<double>(k));
    records["time"].push_back(kStep_s * static_cast<double>(k));
  }
  std::vector<Channel> channels;
  std::vector<std::vector<double>> columns;
  for (const auto& [name, values] : records) {
    describeByName(channels.emplace_back(Channel{name, "", ""}));
    columns.push_back(values);
  }
  run.table = tableInMemory(std::move(channels), std::move(columns));
  run.table.rate_hz = 1.0 / kStep_s;
  return faceFigures(project, *faceSpec(project.document), run, fault);
}

}  // namespace

class FaceGrowthTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void forcedMotionMayGrow_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("sweep through a mode") << 0;
    QTest::newRow("sine in resonance") << 1;
    QTest::newRow("pulse in the second half") << 2;
  }
  void forcedMotionMayGrow() {
    QFETCH(int, kind);
    const Force force = kind == 0 ? sweep : kind == 1 ? sine : latePulse;
    const std::vector<double> motion = kind == 0   ? motionOf(3.61, 0.05, sweep, 7.0)
                                       : kind == 1 ? motionOf(2.0, 0.02, sine, 10.0)
                                                   : motionOf(2.0, 0.02, latePulse, 10.0);
    std::string fault;
    const std::vector<double> figures = figuresOf(force, motion, 0.0, fault);
    QVERIFY2(fault.empty(), fault.c_str());
    QCOMPARE(figures[kFaceGrows], 0.0);
    QVERIFY(std::isnan(figures[kFacePoleRe]));  // nothing swings freely
    QVERIFY(faceTestOf(0.0, 1, RunStatus::done, "completed", figures).measured());
  }
  void forcedMotionBeyondTheUncutStructureIsUnstable() {
    std::string fault;
    const std::vector<double> figures = figuresOf(sine, motionOf(2.0, 0.02, sine, 10.0), 0.3, fault);
    QVERIFY(fault.find("grows") != std::string::npos);
    QCOMPARE(figures[kFaceGrows], 1.0);
    QVERIFY(!faceTestOf(0.0, 1, RunStatus::done, fault, figures).measured());
  }
  void freeMotionThatGrowsIsUnstable() {
    std::string fault;
    const std::vector<double> swing = motionOf(2.0, 0.02, weight, 6.0);  // decays with 0.25 1/s
    figuresOf(weight, swing, 0.0, fault);
    QVERIFY2(fault.empty(), fault.c_str());
    std::vector<double> about_rest = swing;
    for (double& x : about_rest) x -= 1.0 / std::pow(kTwoPi * 2.0, 2);
    const std::vector<double> figures = figuresOf(weight, about_rest, 0.4, fault);
    QVERIFY(fault.find("grows") != std::string::npos);
    QVERIFY(figures[kFacePoleRe] > 0.0 && figures[kFaceGrows] == 1.0);
  }
};

HYB_SUITE(study_face_growth, FaceGrowthTest)
#include "face_growth_test.moc"
