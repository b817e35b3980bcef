/// Multi-axial benchmark (maRTHS): the best compensation of the bench (template marths) against that of the source
/// (marths-lab), with sensor noise. The table over all criteria is printed by hybridbench_marths_bench.
#include "tests/support/marths.h"
#include "tests/support/suite.h"

using namespace hyb;
using test::criterion, test::kMarthsElCentro, test::kKobe, test::kMorganHill, test::marthsUnder;

class MarthsBest : public QObject {
  Q_OBJECT

  /// Tracking and estimation of both actuators, J2 to J6: lower in each.
  static void compareBest(const test::MarthsMotion& motion, int plant) {
    const auto runOf = [&](const char* name) {
      Json document = marthsUnder(motion, 0.4, true, name);
      document["rig"]["perturbation"] = {{"seed", plant}};
      return test::TemplateRun(document, true);
    };
    const test::TemplateRun lab = runOf("marths-lab"), best = runOf("marths");
    QVERIFY2(best.ended() == EndReason::completed, best.sentence().c_str());
    QString wrong;
    for (std::size_t i = 0; i < 2; ++i) {
      for (const char* name : {"j2", "j3", "j5", "j6"})
        if (!(criterion(best, i, name) < criterion(lab, i, name)))
          wrong += QString("%1 of %2: %3 after %4; ")
                       .arg(name)
                       .arg(i + 1)
                       .arg(criterion(best, i, name))
                       .arg(criterion(lab, i, name));
      for (const char* name : {"j1", "j4_script", "j4_text"})  // whole ticks: 0 is the least
        if (criterion(best, i, name) != 0.0)
          wrong += QString("%1 of %2: %3 ms; ").arg(name).arg(i + 1).arg(criterion(best, i, name));
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
  }

 private Q_SLOTS:
  void initTestCase() {
    if (qEnvironmentVariableIsEmpty("HYB_GROUND_MOTIONS")) HYB_SKIP("HYB_GROUND_MOTIONS is not set");
  }
  void betterThanTheSource_data() {
    QTest::addColumn<int>("motion");
    QTest::addColumn<int>("plant");
    QTest::newRow("El Centro") << 0 << 0;
    QTest::newRow("Kobe") << 1 << 0;
    QTest::newRow("Morgan Hill") << 2 << 0;
    QTest::newRow("El Centro, perturbed plant") << 0 << 3;
  }
  void betterThanTheSource() {
    QFETCH(int, motion);
    QFETCH(int, plant);
    const test::MarthsMotion motions[] = {kMarthsElCentro, kKobe, kMorganHill};
    compareBest(motions[motion], plant);
  }
};

HYB_SUITE(marths_best, MarthsBest)
#include "marths_best.moc"
