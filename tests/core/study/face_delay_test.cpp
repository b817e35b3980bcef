/// The delay of a test that its rows do not show, against what is measured: with a spring on an actuator that is there
/// at once, the pole of the free oscillation tells how late the computed side moves with the force of a row.
#include <complex>

#include "core/fidelity/face_model.h"
#include "core/integration/integrator.h"
#include "core/run/build.h"
#include "core/structure/reduction.h"
#include "core/study/face_test.h"
#include "core/study/memory_run.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

constexpr double kSpecimen_n_per_m = 8650.0;

/// Delay that brings D_N(s) + k r e^(-s delay) to 0, s.
double measuredDelay_s(const Project& project) {
  const StopToken stop;
  const Table trace = runInMemory(project, Pace::free_run, true, stop).trace;
  const auto column = [&](const char* name) { return trace.read(placeOf(trace, std::string(name)), 2, 5000); };
  const auto target = freeSwing(column("target_1"), 1.0 / project.loop.rate_hz),
             measured = freeSwing(column("measured_1"), 1.0 / project.loop.rate_hz);
  if (!target || !measured) return std::nan("");
  const std::complex<double> s = target->pole, ratio = measured->amplitude / target->amplitude;
  const Partition partition = buildPartition(project);
  const std::complex<double> computed =
      condensedStiffness(partition.numerical, partition.interface_in_numerical, s)(0, 0);
  const std::complex<double> late = std::log(-computed / (kSpecimen_n_per_m * ratio));
  return -(late * std::conj(s)).real() / std::norm(s);
}

}  // namespace

class FaceDelayTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void hiddenDelayIsTheMeasuredOne_data() {
    QTest::addColumn<QString>("set");
    int ahead = 0;
    for (const Scheme scheme : allSchemes())
      for (const auto& [substeps, ticks] : {std::pair{1, 1}, std::pair{4, 1}, std::pair{1, 2}})
        for (const char* load : {"ramp", "hold"})
          for (const bool early : {false, true}) {
            const Json set = {
                {"scheme", name(scheme)}, {"substeps", substeps}, {"ticks_per_step", ticks}, {"load", load}};
            Json document = templateDocument("face-linear");
            document["integrator"] = set;
            document["coupling"]["ahead"] = early;
            if ((!test::kThorough && ticks * substeps == 1) || !validate(document).empty()) continue;
            ahead += early;
            QTest::addRow("%s, %d sub-steps, %d ticks a step, %s%s", name(scheme).data(), substeps, ticks, load,
                          early ? ", ahead" : "")
                << QString::fromStdString(Json{{"integrator", set}, {"coupling", {{"ahead", early}}}}.dump());
          }
    QVERIFY(ahead >= (test::kThorough ? 6 : 1));
  }
  void hiddenDelayIsTheMeasuredOne() {
    QFETCH(QString, set);
    Json document = templateDocument("face-linear");
    const Json change = Json::parse(set.toStdString());
    document["integrator"] = change["integrator"];
    document["coupling"]["ahead"] = change["coupling"]["ahead"];
    document["rig"]["actuators"] = {{{"model", "ideal"}}};
    const Project project = parseProject(document);
    const double tick_s = 1.0 / project.loop.rate_hz, measured_s = measuredDelay_s(project);
    QVERIFY2(std::abs(measured_s - hiddenDelay_s(project)) < 0.1 * tick_s,
             qPrintable(QString("%1 ms measured, %2 ms told").arg(1e3 * measured_s).arg(1e3 * hiddenDelay_s(project))));
  }
};

HYB_SUITE(study_face_delay, FaceDelayTest)
#include "face_delay_test.moc"
