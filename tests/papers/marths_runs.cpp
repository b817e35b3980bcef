/// Multi-axial benchmark (maRTHS), from project to criteria. Rows M-8 to M-12 and M-15 to M-20 of the note. The
/// ground motions are looked for in the folder HYB_GROUND_MOTIONS.
#include <algorithm>

#include "core/fidelity/multi_axial.h"
#include "core/integration/integrator.h"
#include "core/project/project.h"
#include "core/run/build.h"
#include "tests/support/marths.h"
#include "tests/support/suite.h"

using namespace hyb;
using test::criterion, test::kMarthsElCentro, test::kKobe, test::kMorganHill, test::marthsUnder, test::marthsPeak;

namespace {

Json uncompensatedMarths(Json document) {
  document["compensation"] = {{"method", "none"}};
  return document;
}

/// Expected values of a criterion for both interfaces.
struct MarthsPair {
  const char* name;
  double first, second;
  double tolerance;  // relative, or for delays in ms
  bool absolute = false;
};

void compareCriteria(const test::TemplateRun& run, const std::vector<MarthsPair>& pairs) {
  QVERIFY2(run.ended() == EndReason::completed, run.sentence().c_str());
  QString wrong;
  for (const MarthsPair& pair : pairs)
    for (std::size_t i = 0; i < 2; ++i) {
      const double expected = i == 0 ? pair.first : pair.second, found = criterion(run, i, pair.name);
      const double bound = pair.absolute ? pair.tolerance : pair.tolerance * std::abs(expected);
      if (!(std::abs(found - expected) <= bound))
        wrong += QString("%1 of %2: %3 instead of %4; ").arg(pair.name).arg(i + 1).arg(found).arg(expected);
    }
  QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

/// One column of the table of M-12, M-16 and M-17.
struct MarthsRow {
  double j1[2], j2[2], j3[2], j4[2], j5[2], j6[2], j7[2], j8[4], j9[2], j10[4], force[2];
};
struct MarthsTolerances {
  double delay_ms, j25, j36, others;
};
constexpr MarthsTolerances kMarthsExact{0.01, 0.005, 0.005, 0.005}, kMarthsAdaptive{0.99, 0.03, 0.05, 0.015};

void compareMarthsRow(const test::TemplateRun& run, const MarthsRow& row, const MarthsTolerances& within) {
  compareCriteria(run, {{"j1", row.j1[0], row.j1[1], within.delay_ms, true},
                        {"j2", row.j2[0], row.j2[1], within.j25},
                        {"j3", row.j3[0], row.j3[1], within.j36},
                        {"j4_script", row.j1[0], row.j1[1], within.delay_ms, true},
                        {"j4_text", row.j4[0], row.j4[1], within.delay_ms, true},
                        {"j5", row.j5[0], row.j5[1], within.j25},
                        {"j6", row.j6[0], row.j6[1], within.j36},
                        {"j7", row.j7[0], row.j7[1], within.others},
                        {"j8_level_2", row.j8[0], row.j8[1], within.others},
                        {"j8_level_3", row.j8[2], row.j8[3], within.others},
                        {"j9", row.j9[0], row.j9[1], within.others},
                        {"j10_level_2", row.j10[0], row.j10[1], within.others},
                        {"j10_level_3", row.j10[2], row.j10[3], within.others}});
}

constexpr double kMarthsLever = 0.12699979;  // m
/// Forces of the specimen on x and joint 7 from those of the actuators: their sum, and their difference at the lever.
void compareMarthsForces(const test::TemplateRun& run, double force_n, double moment_nm, double tolerance) {
  const std::vector<double> one = run.channel("modelled_force_1"), two = run.channel("modelled_force_2");
  std::vector<double> force(one.size()), moment(one.size());
  for (std::size_t k = 0; k < one.size(); ++k) {
    force[k] = one[k] + two[k];
    moment[k] = kMarthsLever * (one[k] - two[k]);
  }
  QVERIFY2(std::abs(marthsPeak(force) - force_n) < tolerance * force_n, qPrintable(QString::number(marthsPeak(force))));
  QVERIFY2(std::abs(marthsPeak(moment) - moment_nm) < tolerance * moment_nm,
           qPrintable(QString::number(marthsPeak(moment))));
}

}  // namespace

class MarthsRuns : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    if (qEnvironmentVariableIsEmpty("HYB_GROUND_MOTIONS")) HYB_SKIP("HYB_GROUND_MOTIONS is not set");
  }

  void m8AndM9InputAndReference_data() {
    QTest::addColumn<int>("motion");
    QTest::addColumn<int>("rows");
    QTest::addColumn<double>("peak");
    QTest::addColumn<QList<double>>("peaks");  // x1, x2, x3, mm; joints 7, 12, 16, mrad
    QTest::newRow("El Centro") << 0 << 42169 << 1.249824
                               << QList<double>{3.9917, 11.5317, 19.8150, 10.0646, 12.5927, 12.8422};
    QTest::newRow("Kobe") << 1 << 52163 << 2.531587
                          << QList<double>{4.6425, 13.2646, 22.6436, 11.5336, 14.3176, 14.5266};
    QTest::newRow("Morgan Hill") << 2 << 40930 << 0.955347
                                 << QList<double>{2.7054, 7.6822, 13.0748, 6.6642, 8.2449, 8.3495};
  }
  void m8AndM9InputAndReference() {
    QFETCH(int, motion);
    QFETCH(int, rows);
    QFETCH(double, peak);
    QFETCH(QList<double>, peaks);
    const test::MarthsMotion motions[] = {kMarthsElCentro, kKobe, kMorganHill};
    const test::TemplateRun run(marthsUnder(motions[motion]));
    std::vector<double> ground = run.channel("excitation_1");
    const int ramp = 512;  // rows of the stop ramp after the end
    QCOMPARE(static_cast<int>(ground.size()), rows + ramp);
    ground.resize(static_cast<std::size_t>(rows));
    QVERIFY2(std::abs(marthsPeak(ground) - peak) < 1e-6 * peak,
             qPrintable(QString::number(marthsPeak(ground), 'g', 9)));
    const int recorded[] = {1, 3, 5, 2, 4, 6};
    for (int k = 0; k < 6; ++k) {
      const double found = 1e3 * marthsPeak(run.channel("dof_reference_" + std::to_string(recorded[k])));
      QVERIFY2(std::abs(found - peaks[k]) < 5e-4 * peaks[k],
               qPrintable(QString("%1 instead of %2").arg(found).arg(peaks[k])));
    }
  }

  /// Specimen and numerical part as one structure: the error of the partition alone.
  void m10PerfectTransfer() {
    const Project project = parseProject(marthsUnder(kMarthsElCentro));
    PartitionSpec spec = project.partition;
    spec.actuators.clear();
    const Partition partition = cut(buildModel(project.structure), spec);
    SystemMatrices whole = partition.numerical;
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j) {
        const Eigen::Index row = partition.interface_in_numerical[i], column = partition.interface_in_numerical[j];
        const auto of = [&](const SparseMatrix& side) {
          return 0.5 * (side.coeff(partition.interface_in_physical[i], partition.interface_in_physical[j]) +
                        side.coeff(partition.interface_in_physical[j], partition.interface_in_physical[i]));
        };
        whole.k.coeffRef(row, column) += of(partition.physical.k);
        whole.c.coeffRef(row, column) += of(partition.physical.c);
        whole.m.coeffRef(row, column) += of(partition.physical.m);
      }
    const test::TemplateRun run(project);
    const std::vector<double> ground = run.channel("excitation_1");
    const auto integrator = makeIntegrator(project.integrator, whole, 1.0 / project.loop.rate_hz);
    const char* const names[] = {"x-1", "ry-7", "x-2", "ry-12", "x-3", "ry-16"};
    std::vector<std::vector<double>> motions(6);
    const Eigen::VectorXd load = partition.numerical.m_support.col(0);
    for (const double a : ground) {
      integrator->step(a * load);
      for (std::size_t n = 0; n < 6; ++n)
        for (std::size_t d = 0; d < whole.dofs.size(); ++d)
          if (whole.dofs[d].name == names[n])
            motions[n].push_back(integrator->displacement()[static_cast<Eigen::Index>(d)]);
    }
    const double deviations[] = {9.784, 7.690, 7.013, 6.263, 6.639, 6.327},
                 largest[] = {7.994, 5.766, 5.264, 5.122, 5.126, 5.151};
    for (std::size_t n = 0; n < 6; ++n) {
      const std::vector<double> reference = run.channel("dof_reference_" + std::to_string(n + 1));
      const double j7 = deviationPercent(reference, motions[n]), j9 = largestPercent(reference, motions[n]);
      QVERIFY2(std::abs(j7 - deviations[n]) < 0.005 * deviations[n], qPrintable(QString::number(j7)));
      QVERIFY2(std::abs(j9 - largest[n]) < 0.005 * largest[n], qPrintable(QString::number(j9)));
    }
    const double peaks[] = {3.7067, 11.2265, 19.4783};
    for (std::size_t n = 0; n < 3; ++n)
      QVERIFY(std::abs(1e3 * marthsPeak(motions[2 * n]) - peaks[n]) < 5e-4 * peaks[n]);
  }

  void m11MeasuredIsTheLastTarget() {
    Json document = uncompensatedMarths(marthsUnder(kMarthsElCentro));
    document["rig"]["actuators"] = Json::array({Json{{"model", "ideal"}}, Json{{"model", "ideal"}}});
    const test::TemplateRun run(document, true);
    compareCriteria(run, {{"j1", 0.98, 0.98, 0.01, true},
                          {"j2", 1.357, 1.349, 0.005},
                          {"j5", 1.350, 1.352, 0.005},
                          {"j7", 9.104, 7.000, 0.005},
                          {"j8_level_2", 7.003, 6.395, 0.005},
                          {"j8_level_3", 6.675, 6.431, 0.005}});
    compareMarthsForces(run, 598.0, 7343.9, 0.005);
  }

  void m12Uncompensated_data() {
    QTest::addColumn<int>("motion");
    QTest::newRow("El Centro") << 0;
    QTest::newRow("Kobe") << 1;
    QTest::newRow("Morgan Hill") << 2;
  }
  void m12Uncompensated() {
    QFETCH(int, motion);
    const MarthsRow rows[] = {{{40.04, 23.44},
                               {52.974, 32.492},
                               {52.409, 32.405},
                               {29.30, 7.81},
                               {39.404, 11.792},
                               {38.907, 14.020},
                               {35.924, 10.686},
                               {6.377, 6.728, 6.386, 6.585},
                               {36.609, 13.110},
                               {5.061, 5.406, 5.087, 5.233},
                               {2357, 7323}},
                              {{41.02, 23.44},
                               {50.605, 30.968},
                               {47.467, 29.416},
                               {29.30, 7.81},
                               {37.582, 11.856},
                               {35.574, 12.992},
                               {34.826, 11.590},
                               {5.552, 5.650, 5.452, 5.546},
                               {35.189, 11.800},
                               {4.396, 4.329, 4.058, 4.242},
                               {2670, 8250}},
                              {{41.02, 23.44},
                               {51.799, 31.787},
                               {49.215, 30.180},
                               {29.30, 7.81},
                               {38.531, 11.933},
                               {36.700, 11.019},
                               {34.281, 10.080},
                               {6.847, 7.367, 6.925, 7.205},
                               {34.072, 10.721},
                               {4.550, 4.835, 4.566, 4.708},
                               {1531, 4844}}};
    const test::MarthsMotion motions[] = {kMarthsElCentro, kKobe, kMorganHill};
    const test::TemplateRun run(uncompensatedMarths(marthsUnder(motions[motion])), true);
    compareMarthsRow(run, rows[motion], kMarthsExact);
    compareMarthsForces(run, rows[motion].force[0], rows[motion].force[1], 0.005);
  }

  /// First taps kept: with P almost 0 nothing is learnt.
  void m15FirstTaps() {
    Json document = marthsUnder(kMarthsElCentro);
    for (Json& one : document["compensation"]) {
      one["covariance"] = {{1e-9, 1e-9, 1e-9, 1e-9}};
      one["covariance_unit"] = "1/m2";
    }
    const test::TemplateRun run(document, true);
    compareCriteria(run, {{"j1", 22.46, 6.84, 0.01, true},
                          {"j2", 32.230, 10.569, 0.005},
                          {"j3", 31.525, 10.532, 0.005},
                          {"j5", 17.916, 13.500, 0.005},
                          {"j7", 20.116, 14.245, 0.005},
                          {"j8_level_2", 10.922, 9.681, 0.005},
                          {"j8_level_3", 10.436, 9.859, 0.005}});
  }

  void m16AndM17Adaptive_data() {
    QTest::addColumn<int>("motion");
    QTest::addColumn<double>("scale");
    QTest::addColumn<int>("row");
    QTest::newRow("El Centro 0.4") << 0 << 0.4 << 0;
    QTest::newRow("El Centro 0.2") << 0 << 0.2 << 1;
    QTest::newRow("El Centro 0.6") << 0 << 0.6 << 2;
    QTest::newRow("Kobe 0.4") << 1 << 0.4 << 3;
    QTest::newRow("Morgan Hill 0.4") << 2 << 0.4 << 4;
  }
  void m16AndM17Adaptive() {
    QFETCH(int, motion);
    QFETCH(double, scale);
    QFETCH(int, row);
    const MarthsRow rows[] = {{{0, 0},
                               {0.916, 1.114},
                               {2.503, 2.104},
                               {0, 0},
                               {0.799, 2.468},
                               {1.580, 5.239},
                               {9.678, 7.496},
                               {6.728, 5.975, 6.348, 6.026},
                               {7.865, 6.831},
                               {5.033, 4.753, 4.756, 4.724},
                               {579.4, 7168}},
                              {{0, 0},
                               {0.949, 1.114},
                               {2.956, 2.084},
                               {0, 0},
                               {0.752, 2.626},
                               {1.410, 5.479},
                               {9.634, 7.527},
                               {6.689, 5.932, 6.306, 5.983},
                               {7.781, 7.254},
                               {4.996, 4.709, 4.707, 4.682},
                               {296.6, 3576}},
                              {{0, 0},
                               {0.911, 1.110},
                               {2.285, 2.109},
                               {0, 0},
                               {0.816, 2.395},
                               {1.662, 5.125},
                               {9.697, 7.485},
                               {6.745, 5.992, 6.365, 6.044},
                               {7.933, 6.670},
                               {5.048, 4.772, 4.776, 4.744},
                               {858.0, 10768}},
                              {{-0.98, 0},
                               {1.357, 1.428},
                               {1.929, 1.868},
                               {0, 0.98},
                               {1.031, 3.306},
                               {1.437, 4.327},
                               {9.259, 7.066},
                               {5.911, 5.007, 5.465, 5.075},
                               {8.629, 7.314},
                               {5.074, 3.772, 4.315, 3.780},
                               {745.5, 8194}},
                              {{0, 0},
                               {1.230, 1.339},
                               {2.677, 1.846},
                               {0, 0.98},
                               {0.940, 3.138},
                               {1.125, 6.440},
                               {10.011, 7.631},
                               {7.497, 6.922, 7.193, 6.958},
                               {8.924, 5.710},
                               {5.458, 4.430, 4.910, 4.470},
                               {324.8, 4760}}};
    const test::MarthsMotion motions[] = {kMarthsElCentro, kKobe, kMorganHill};
    const test::TemplateRun run(marthsUnder(motions[motion], scale), true);
    compareMarthsRow(run, rows[row], kMarthsAdaptive);
    compareMarthsForces(run, rows[row].force[0], rows[row].force[1], 0.015);
  }

  void m18PerturbedPlant() {
    Json document = marthsUnder(kMarthsElCentro);
    document["rig"]["perturbation"] = {{"deviates", {1, 1, 1, 1, 1, 1, 1, 1, 1}}};
    compareCriteria(test::TemplateRun(uncompensatedMarths(document), true), {{"j1", 39.06, 23.44, 0.01, true},
                                                                             {"j2", 51.302, 31.677, 0.005},
                                                                             {"j8_level_2", 5.865, 6.294, 0.005},
                                                                             {"j8_level_3", 5.891, 6.131, 0.005}});
    compareCriteria(test::TemplateRun(document, true),
                    {{"j2", 0.887, 1.071, 0.03}, {"j5", 0.752, 2.425, 0.03}, {"j7", 9.671, 7.493, 0.015}});
  }

  /// With noise, mean of four seeds. J2 as the note recomputed it, whose mean of four seeds is 7 % above the one run of
  /// the script for x (3.14 %); J7 and J8 as the script gives them.
  void m19Noise() {
    constexpr int kSeeds = 4;
    QMap<QString, double> mean;
    double force = 0.0;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      Json document = marthsUnder(kMarthsElCentro, 0.4, true);
      document["rig"]["seed"] = seed;
      const test::TemplateRun run(document, true);
      QVERIFY2(run.ended() == EndReason::completed, run.sentence().c_str());
      for (const char* name : {"j2", "j7", "j8_level_2", "j8_level_3"})
        for (std::size_t i = 0; i < 2; ++i)
          mean[QString("%1 of %2").arg(name).arg(i + 1)] += criterion(run, i, name) / kSeeds;
      std::vector<double> sum = run.channel("modelled_force_1");
      const std::vector<double> other = run.channel("modelled_force_2");
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += other[k];
      force += marthsPeak(sum) / kSeeds;
    }
    const QMap<QString, double> expected{
        {"j2 of 1", 3.37},         {"j2 of 2", 1.82},         {"j7 of 1", 9.69},         {"j7 of 2", 7.71},
        {"j8_level_2 of 1", 6.60}, {"j8_level_2 of 2", 5.83}, {"j8_level_3 of 1", 6.21}, {"j8_level_3 of 2", 5.88}};
    for (auto one = expected.begin(); one != expected.end(); ++one)
      QVERIFY2(std::abs(mean[one.key()] - one.value()) < 0.05 * one.value(),
               qPrintable(QString("%1: %2 instead of %3").arg(one.key()).arg(mean[one.key()]).arg(one.value())));
    QVERIFY2(force > 0.8 * 1100.0 && force < 1.2 * 1400.0, qPrintable(QString::number(force)));
  }

  /// P in its own unit: the taps hardly move.
  void m20MatrixInItsOwnUnit() {
    Json document = marthsUnder(kMarthsElCentro);
    for (Json& one : document["compensation"]) one["covariance_unit"] = "1/m2";
    const test::TemplateRun run(document, true);
    compareCriteria(run, {{"j1", 18.55, 4.88, 0.01, true}, {"j2", 26.520, 6.852, 0.01}, {"j5", 13.482, 15.024, 0.01}});
  }
};

HYB_SUITE(marths_runs, MarthsRuns)
#include "marths_runs.moc"
