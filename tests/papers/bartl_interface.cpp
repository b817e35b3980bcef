/// Bartl et al., adaptive feed-forward filters: two beams with two actuators, by the template. Rows B-11, B-15 and B-16
/// (its Craig-Bampton errors) of the note.
#include "core/structure/modes.h"
#include "core/structure/reduction.h"
#include "tests/support/bartl_beams.h"
#include "tests/support/streamed_run.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// Of the uncut template from 20 to 1000 Hz, with the frequency in Hz.
const std::vector<std::pair<double, BeamFrfs>>& uncutBeams(const Partition& whole) {
  static const auto all = [&] {
    std::vector<std::pair<double, BeamFrfs>> list;
    for (double hz = 20.0; hz <= 1000.0; hz += 2.0) list.emplace_back(hz, uncutFrfs(whole, "thin/2.y", hz));
    return list;
  }();
  return all;
}

}  // namespace

class BartlInterface : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Load cells between stingers and plate, accelerometers on the plate: shear and moment of the cut by T^T, the plate
  /// taken out by its inertia; beside them what the same twin's specimen does, of which these sensors know nothing.
  void b11ReconstructedForce() {
    Json sensed = bartlBeams(60.0, 20.0);
    sensed["coupling"]["identification"].update({{"duration_s", 4}, {"rest_s", 1}});
    sensed["loop"]["duration_s"] = 10.0;
    Json truth = sensed;
    truth["partition"]["force_sensors"] = Json::parse(R"([
        {"name": "shear", "terms": [{"dof": "thin/12.y"}]},
        {"name": "moment", "motion": "rotation", "terms": [{"dof": "thin/12.rotation"}]}])");
    sensed["rig"]["fixture"].update({{"load_cell", "actuator"}, {"taken_out", true}});
    sensed["partition"]["sensors"] = Json::parse(R"([
        {"name": "laser 1", "terms": [{"dof": "z1"}]}, {"name": "laser 2", "terms": [{"dof": "z2"}]},
        {"name": "head 1", "reads": "acceleration", "terms": [{"dof": "z1"}]},
        {"name": "head 2", "reads": "acceleration", "terms": [{"dof": "z2"}]}])");
    StreamedRun by_cells(sensed), by_specimen(truth);
    const std::size_t f1 = by_cells.column("force_1"), f2 = by_cells.column("force_2"),
                      c1 = by_cells.column("force_sensor_1"), shear = by_specimen.column("force_sensor_1"),
                      moment = by_specimen.column("force_sensor_2");
    double largest_n = 0.0, largest_n_m = 0.0, off_n = 0.0, off_n_m = 0.0, plate_n = 0.0;
    // The random commands of the identification, which hang on nothing that is read.
    for (int k = 1; k <= 20000; ++k) {
      QVERIFY(by_cells.runTo(2e-4 * k) && by_specimen.runTo(2e-4 * k));
      const double force_n = by_cells.at(f1) + by_cells.at(f2),
                   moment_n_m = 0.5 * kActuatorsApart_m * (by_cells.at(f2) - by_cells.at(f1));
      largest_n = std::max(largest_n, std::abs(by_specimen.at(shear)));
      largest_n_m = std::max(largest_n_m, std::abs(by_specimen.at(moment)));
      off_n = std::max(off_n, std::abs(force_n - by_specimen.at(shear)));
      off_n_m = std::max(off_n_m, std::abs(moment_n_m - by_specimen.at(moment)));
      plate_n = std::max(plate_n, std::abs(by_cells.at(c1) - by_cells.at(f1)));
    }
    QVERIFY(plate_n > 0.2 * largest_n);
    QVERIFY2(off_n < 1e-9 * largest_n, qPrintable(QString::number(off_n / largest_n)));
    QVERIFY2(off_n_m < 1e-9 * largest_n_m, qPrintable(QString::number(off_n_m / largest_n_m)));
  }

  void b15WindUp_data() {
    QTest::addColumn<bool>("kept");
    QTest::newRow("with the extra row") << true;
    QTest::newRow("without it") << false;
  }
  void b15WindUp() {
    QFETCH(bool, kept);
    Json document = bartlBeams(60.0, 600.0);
    makeCoarser(document, 5, 8);
    for (const char* side : {"numerical", "physical"}) document["partition"]["reduction"][side]["modes"] = 6;
    if (!kept) document["coupling"]["adaption"]["keep"] = 0;
    document["rig"]["displacement_sensor"] = {{"noise_rms_m", 1e-7}};
    StreamedRun run(document);
    const double from_s = 10.0;
    const auto response = [&] {
      Eigen::Matrix2cd h;
      for (int i = 0; i < 2; ++i)
        for (int a = 0; a < 2; ++a)
          h(i, a) = run.adapted("response_" + std::to_string(i + 1) + "_" + std::to_string(a + 1) + "_h1");
      return h;
    };
    QVERIFY(run.runTo(from_s + 10.0));
    const Eigen::Matrix2cd early = response();
    const double largest = early.cwiseAbs().maxCoeff();
    double off = 0.0;
    for (double t_s = 20.0; t_s <= 600.0 && (kept || off <= 1e3); t_s += 20.0) {
      QVERIFY(run.runTo(from_s + t_s));
      off = std::max(off, (response() - early).cwiseAbs().maxCoeff() / largest);
    }
    QVERIFY2(kept ? off < 0.05 : off > 1e3, qPrintable(QString::number(off)));
  }

  /// Frequencies and FRFs of both sides put together again, each with so many modes and what stands still at the cut
  /// and, as in the source, at P.
  void b16CraigBampton_data() {
    QTest::addColumn<int>("modes");
    QTest::addColumn<double>("of_frequency");
    QTest::addColumn<double>("to_400");
    QTest::addColumn<double>("to_1000");
    QTest::newRow("20") << 20 << 3.5e-6 << 6e-5 << 3.4e-4;
    QTest::newRow("12") << 12 << 0.0 << 4.2e-4 << 2.2e-3;
    QTest::newRow("4") << 4 << 0.0 << 0.05 << 0.62;
  }
  void b16CraigBampton() {
    QFETCH(int, modes);
    QFETCH(double, of_frequency);
    QFETCH(double, to_400);
    QFETCH(double, to_1000);
    const Partition whole = buildPartition(parseProject(templateDocument("two-beams-aff")));
    const Reduction reduction{Reduction::Method::craig_bampton, modes};
    std::vector<Eigen::Index> kept = whole.interface_in_numerical;
    for (const char* dof : {"thin/2.y", "thin/2.rotation"}) kept.push_back(dofNamed(whole.numerical, dof));
    const SystemMatrices numerical = reduce(whole.numerical, kept, reduction).system,
                         physical = reduce(whole.physical, whole.interface_in_physical, reduction).system;
    // The cut, P, and the modes of both sides.
    const Eigen::Index n = numerical.size(), p = physical.size() - 2;
    SystemMatrices together = numerical;
    for (Eigen::Index i = 0; i < p; ++i) together.dofs.push_back({"mode " + std::to_string(i), {}});
    for (const auto matrix : {&SystemMatrices::m, &SystemMatrices::c, &SystemMatrices::k}) {
      Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(n + p, n + p);
      sum.topLeftCorner(n, n) = Eigen::MatrixXd(numerical.*matrix);
      const Eigen::MatrixXd own(physical.*matrix);
      sum.topLeftCorner(2, 2) += own.topLeftCorner(2, 2);
      sum.bottomLeftCorner(p, 2) = own.bottomLeftCorner(p, 2);
      sum.topRightCorner(2, p) = own.topRightCorner(2, p);
      sum.bottomRightCorner(p, p) = own.bottomRightCorner(p, p);
      together.*matrix = sum.sparseView();
    }
    if (of_frequency > 0.0) {
      const Eigen::VectorXd has = lowestModes(together, 8).frequency_hz,
                            expected = lowestModes(whole.reference, 8).frequency_hz;
      const double off = (has.array() / expected.array() - 1.0).abs().maxCoeff();
      QVERIFY2(off < 2.0 * of_frequency && off > 0.5 * of_frequency, qPrintable(QString::number(off)));
    }
    double low = 0.0, all = 0.0;
    for (const auto& [hz, expected] : uncutBeams(whole)) {
      const Eigen::VectorXcd x = linalg::ComplexLu(stiffnessAt(together, hz)).solve(Eigen::VectorXcd::Unit(n + p, 2));
      const BeamFrfs found = ofAxes(x[2], x[0], x[1]);
      for (std::size_t f = 0; f < 3; ++f) {
        const double off = std::abs(found[f] / expected[f] - 1.0);
        all = std::max(all, off);
        if (hz <= 400.0) low = std::max(low, off);
      }
    }
    QVERIFY2(low < 2.0 * to_400 && low > 0.5 * to_400, qPrintable(QString::number(low)));
    QVERIFY2(all < 2.0 * to_1000 && all > 0.5 * to_1000, qPrintable(QString::number(all)));
  }
};

HYB_SUITE(paper_bartl_interface, BartlInterface)
#include "bartl_interface.moc"
