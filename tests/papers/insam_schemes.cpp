/// Insam 2022, the benchmark of chapter 8 as one study, and the multi-sines of the identification. Rows V-40 and V-78
/// of table D18 of the note.
#include <atomic>
#include <cmath>

#include "core/project/project.h"
#include "core/study/figures.h"
#include "core/study/memory_run.h"
#include "core/study/study.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"

using namespace hyb;

class InsamSchemes : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Each with passivity control: 0.032 mm for velocity feed-forward, 0.014 mm with learning beside it, and the two
  /// that do without it behind: 0.09 mm for learning, and the filter swings up (2.5 mm). (The source's rig forgives
  /// both more than a linear twin: 0.05 mm printed.)
  void v40TheStudyOrdersTheSchemes() {
    const Study study = loadStudy(std::string(test::kSourceDir) + "/tests/data/studies/contact-schemes.json");
    QCOMPARE(study.runs(), std::size_t{4});
    const std::vector<FigureColumn> columns = figureColumns(study.measures, 1);
    std::size_t gap = 0;
    while (columns[gap].name() != "gap_peak_1") ++gap;
    const StopToken stop;
    std::vector<double> largest_mm;
    RunMemory memory;
    for (std::size_t run = 0; run < study.runs(); ++run) {
      const Project project = parseProject(study.project(run), study.folder);
      const MemoryRun done = memory.run(project, Pace::free_run, false, stop, {}, [&](const RunRecord& record) {
        largest_mm.push_back(1e3 * figureValues(record, columns)[gap]);
      });
      QVERIFY2(done.reason == EndReason::completed, done.stop_reason.c_str());
    }
    const double feedforward = largest_mm[0], learning = largest_mm[1], both = largest_mm[2], fir = largest_mm[3];
    const QString found = QString("%1 %2 %3 %4 mm").arg(feedforward).arg(learning).arg(both).arg(fir);
    QVERIFY2(std::abs(feedforward / 0.032 - 1.0) < 0.2 && std::abs(both / 0.0144 - 1.0) < 0.2, qPrintable(found));
    QVERIFY2(both < feedforward && feedforward < learning && feedforward < fir, qPrintable(found));
  }

  /// Ten bands of 10 Hz, a line every 0.5 Hz: 20 in each, and 100 of its periods in 200 s.
  void v78TenBandsOfTwentyLines() {
    Json document = templateDocument("face-linear");
    for (int band = 0; band < 10; ++band) {
      const double from_hz = 10.0 * band + 0.5, to_hz = 10.0 * (band + 1);
      Json& signal = document["excitation"]["signals"][0];
      signal = {{"name", signal.at("name")}, {"kind", "band-sines"}, {"amplitude_n", 1.0},
                {"from_hz", from_hz},        {"to_hz", to_hz},       {"period_s", 2.0}};
      document["loop"]["duration_s"] = 200;
      const Project project = parseProject(document);
      const auto& lines = std::get<MultiSineSpec>(project.excitation.signals.at(0).shape).components;
      QCOMPARE(lines.size(), std::size_t{20});
      for (std::size_t l = 0; l < lines.size(); ++l)
        QCOMPARE(lines[l].frequency_hz, from_hz + 0.5 * static_cast<double>(l));
      QCOMPARE(project.loop.duration_s / 2.0, 100.0);
    }
  }
};

HYB_SUITE(paper_insam_schemes, InsamSchemes)
#include "insam_schemes.moc"
