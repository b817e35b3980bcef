/// Bartl et al., adaptive feed-forward filters: two beams with two actuators, by the template. Row B-10 of the note.
#include "core/assess/identification.h"
#include "core/study/memory_run.h"
#include "tests/support/bartl_beams.h"
#include "tests/support/compare.h"
#include "tests/support/streamed_run.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// Frequency responses of the recorded DOF, P and the cut, to the force at P: what a test at one frequency says after
/// so long, from single periods of its last second.
BeamFrfs steppedFrfs(const Json& document, double hz, double time_s) {
  StreamedRun run(document);
  const std::array<std::size_t, 4> at{run.column("excitation_1"), run.column("dof_numerical_1"),
                                      run.column("dof_numerical_2"), run.column("dof_numerical_3")};
  std::array<std::vector<double>, 4> samples;
  double first_s = -1.0;
  const bool goes = run.runTo(time_s, [&] {
    if (run.value_s() < time_s - 1.0) return;
    if (first_s < 0.0) first_s = run.value_s();
    for (std::size_t c = 0; c < at.size(); ++c) samples[c].push_back(run.at(at[c]));
  });
  if (!goes) throw std::runtime_error(run.sentence());
  const double last_s = first_s + static_cast<double>(samples[0].size()) * run.step_s();
  const std::vector<SineStep> step{{hz, first_s, first_s, last_s}};
  BeamFrfs found;
  for (std::size_t n = 0; n < 3; ++n) {
    const SteppedResponse response = steppedResponse(samples[0], samples[n + 1], 1.0 / run.step_s(), first_s, step);
    found[n] = response.response.lines.at(0).h1;
  }
  return found;
}

Json steppedBeams(double hz, double rate_hz, int substeps, double time_s) {
  Json document = bartlBeams(hz, time_s);
  takeModel(document, time_s + 1.0);
  makeCoarser(document, 5, 8);
  document["coupling"]["adaption"].update({{"forgetting", 0.9999}, {"running_forgetting", 0.9999}});
  document["integrator"]["substeps"] = substeps;
  document["loop"].update({{"rate_hz", rate_hz}, {"soft_start_s", 2}});
  return document;
}

QString percentages(const BeamFrfs& found, const BeamFrfs& expected) {
  QString text;
  for (std::size_t n = 0; n < 3; ++n)
    text += QString::number(100.0 * std::abs(found[n] / expected[n] - 1.0), 'f', 3) + " % ";
  return text;
}

}  // namespace

class BartlStepSine : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void b10StepSine_data() {
    QTest::addColumn<double>("hz");
    QTest::addColumn<double>("time_s");  // from where on the errors, in percent, change by less than 0.01
    for (const auto& [hz, time_s] :
         {std::pair(20.0, 15.0), {34.429, 30.0}, {95.707, 20.0}, {181.310, 15.0}, {311.543, 30.0}, {400.0, 15.0}})
      QTest::newRow(qPrintable(QString::number(hz))) << hz << time_s;
  }
  void b10StepSine() {
    QFETCH(double, hz);
    QFETCH(double, time_s);
    const Json document = steppedBeams(hz, 1e4, 10, time_s);
    const BeamFrfs found = steppedFrfs(document, hz, time_s),
                   expected = uncutFrfs(buildPartition(parseProject(document)), "thin/1.y", hz);
    for (std::size_t n = 0; n < 3; ++n)
      QVERIFY2(std::abs(found[n] / expected[n] - 1.0) < 0.015, qPrintable(percentages(found, expected)));
  }

  /// The template as shipped, 60 Hz and 0.2 ms: H_Pz, H_Bz and H_Ba as `identify` reads them from the rows of the
  /// recorded DOF, on the computed side and of the uncut structure. Table of section 5 of the note.
  void receptancesAsRows() {
    const Project project = parseProject(templateDocument("two-beams-aff"));
    const MemoryRun run = runInMemory(project, Pace::free_run, true, StopToken(), false, {}, false);
    QCOMPARE(run.reason, EndReason::completed);
    RunRecord record;
    record.project = project.document;
    record.table = run.trace;
    record.ended = run.reason;
    constexpr double kReference[] = {1.41326e-5, 3.74493e-5, 5.68380e-5}, kHybrid[] = {0.9980, 0.9992, 1.0007};
    for (int n = 0; n < 3; ++n) {
      IdentifyRun asked;
      asked.input = "excitation_1";
      asked.from_s = 22.0;  // learnt
      const std::string number = std::to_string(n + 1);
      for (const char* side : {"dof_numerical_", "dof_reference_"}) {
        asked.output = side + number;
        const RunIdentification found = identifyRun(record, asked);
        QVERIFY(found.found.method == ResponseMethod::steps);
        QCOMPARE(found.found.response.lines.size(), std::size_t{1});
        const ResponseLine& line = found.found.response.lines[0];
        QCOMPARE(line.frequency_hz, 60.0);
        compareRelative(std::abs(line.h1), kReference[n] * kHybrid[n], 0.005, asked.output.c_str());
        QVERIFY(line.radius < 0.01 * std::abs(line.h1));
      }
      if (n == 0) continue;
      asked.output = "dof_measured_" + number;  // the gap is closed
      compareRelative(std::abs(identifyRun(record, asked).found.response.lines[0].h1), kReference[n] * kHybrid[n],
                      0.005, asked.output.c_str());
    }
  }

  void b10PlainNewmark_data() {
    QTest::addColumn<double>("rate_hz");
    QTest::addColumn<double>("time_s");
    QTest::addColumn<double>("error");
    QTest::newRow("0.2 ms") << 5e3 << 30.0 << 0.243;
    QTest::newRow("0.1 ms") << 1e4 << 20.0 << 0.073;
    QTest::newRow("0.05 ms") << 2e4 << 15.0 << 0.019;
  }
  void b10PlainNewmark() {
    QFETCH(double, rate_hz);
    QFETCH(double, time_s);
    QFETCH(double, error);
    constexpr double hz = 320.0;
    const Json document = steppedBeams(hz, rate_hz, 1, time_s);
    const BeamFrfs found = steppedFrfs(document, hz, time_s),
                   expected = uncutFrfs(buildPartition(parseProject(document)), "thin/1.y", hz);
    const double has = std::abs(found[0] / expected[0] - 1.0);
    QVERIFY2(std::abs(has / error - 1.0) < 0.03, qPrintable(percentages(found, expected)));
  }
};

HYB_SUITE(paper_bartl_step_sine, BartlStepSine)
#include "bartl_step_sine.moc"
