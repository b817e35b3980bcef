/// Bartl et al., adaptive feed-forward filters: two beams with two actuators, by the template. Rows B-10, B-11, B-15
/// and B-16 (its Craig-Bampton errors) of the note.
#include <algorithm>
#include <array>

#include "core/coupling/excitation_load.h"
#include "core/integration/integrator.h"
#include "core/linalg/dense.h"
#include "core/numbers.h"
#include "core/structure/modes.h"
#include "core/structure/reduction.h"
#include "tests/support/bartl_beams.h"
#include "tests/support/streamed_run.h"
#include "tests/support/suite.h"

using namespace hyb;
using Complex = std::complex<double>;

namespace {

constexpr double kActuatorsApart_m = 0.08;

/// Deflection at P, where the force acts, deflection and rotation of the cut, for 1 N.
using BeamFrfs = std::array<Complex, 3>;

BeamFrfs ofAxes(Complex at_p, Complex z1, Complex z2) { return {at_p, 0.5 * (z1 + z2), (z2 - z1) / kActuatorsApart_m}; }

Eigen::Index dofNamed(const SystemMatrices& system, const std::string& name) {
  const auto at =
      std::ranges::find_if(system.dofs, [&](const Dof& dof) { return dof.name == name; }) - system.dofs.begin();
  if (at == std::ssize(system.dofs)) throw std::logic_error("no DOF " + name);
  return at;
}

/// Of the uncut structure.
BeamFrfs uncutFrfs(const Partition& partition, const std::string& loaded, double hz) {
  const SystemMatrices& whole = partition.reference;
  const Complex s(0.0, kTwoPi * hz);
  const Eigen::MatrixXcd d = s * s * Eigen::MatrixXd(whole.m).cast<Complex>() +
                             s * Eigen::MatrixXd(whole.c).cast<Complex>() + Eigen::MatrixXd(whole.k).cast<Complex>();
  const Eigen::Index p = dofNamed(whole, loaded);
  const Eigen::VectorXcd x = linalg::ComplexLu(d).solve(Eigen::VectorXcd::Unit(whole.size(), p));
  return ofAxes(x[p], x[partition.interface_in_reference[0]], x[partition.interface_in_reference[1]]);
}

/// The computed side once more, from what the rows of a run say it was driven by: of its motions inside they keep none.
class InnerMotion {
 public:
  InnerMotion(const Project& project, const std::string& dof)
      : partition_(buildPartition(project)),
        sides_(reduceSides(partition_, project.partition.numerical, {})),
        integrator_(makeIntegrator(project.integrator, sides_.numerical, 1.0 / project.loop.rate_hz)),
        load_(Eigen::VectorXd::Zero(sides_.numerical.size())),
        pushed_(sides_.numerical_loads *
                Eigen::VectorXd::Unit(sides_.numerical_loads.cols(), dofNamed(partition_.reference, dof))),
        shape_(reduce(partition_.numerical, partition_.interface_in_numerical, project.partition.numerical)
                   .basis.row(dofNamed(partition_.numerical, dof))) {}
  /// A tick; the motion at its end.
  double step(double excitation_n, double force_1_n, double force_2_n) {
    load_ = excitation_n * pushed_;
    load_[sides_.interface_in_numerical[0]] += force_1_n;
    load_[sides_.interface_in_numerical[1]] += force_2_n;
    integrator_->step(load_);
    return shape_ * integrator_->displacement();
  }
  double interface(std::size_t i) const { return integrator_->displacement()[sides_.interface_in_numerical[i]]; }

 private:
  Partition partition_, sides_;
  std::unique_ptr<Integrator> integrator_;
  Eigen::VectorXd load_, pushed_;
  Eigen::RowVectorXd shape_;
};

/// What a test at one frequency says after so long.
BeamFrfs steppedFrfs(const Json& document, const std::string& loaded, double hz, double time_s) {
  test::StreamedRun run(document);
  InnerMotion inner(run.project(), loaded);
  const std::array<std::size_t, 5> at{run.column("excitation_1"), run.column("force_1"), run.column("force_2"),
                                      run.column("target_1"), run.column("target_2")};
  std::array<std::vector<double>, 3> samples;
  double apart = 0.0, first_s = -1.0;
  const bool goes = run.runTo(time_s, [&] {
    const double p = inner.step(run.at(at[0]), run.at(at[1]), run.at(at[2]));
    apart = std::max(apart, std::abs(inner.interface(0) - run.at(at[3])));
    if (run.value_s() < time_s - 1.0) return;
    if (first_s < 0.0) first_s = run.value_s();
    samples[0].push_back(p);
    samples[1].push_back(run.at(at[3]));
    samples[2].push_back(run.at(at[4]));
  });
  if (!goes || apart > 1e-12) throw std::runtime_error("the rows do not tell the computed side");
  const double middle_s = first_s + 0.5 * static_cast<double>(samples[0].size() - 1) * run.step_s();
  BeamFrfs found;
  for (std::size_t n = 0; n < 3; ++n)
    found[n] = std::polar(1.0, -kTwoPi * hz * middle_s) * fitHarmonic(samples[n], run.step_s(), kTwoPi * hz).amplitude;
  return ofAxes(found[0], found[1], found[2]);
}

Json steppedBeams(double hz, double rate_hz, int substeps, double time_s) {
  Json document = test::bartlBeams(hz, time_s);
  test::takeModel(document, time_s + 1.0);
  test::makeCoarser(document, 12, 18);
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

class BartlFrf : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void b10StepSine_data() {
    QTest::addColumn<double>("hz");
    for (const double hz : {20.0, 34.429, 60.0, 95.707, 140.0, 181.310, 240.0, 311.543, 360.0, 400.0})
      QTest::newRow(qPrintable(QString::number(hz))) << hz;
  }
  void b10StepSine() {
    QFETCH(double, hz);
    const Json document = steppedBeams(hz, 1e4, 10, 30.0);
    const BeamFrfs found = steppedFrfs(document, "thin/1.y", hz, 30.0),
                   expected = uncutFrfs(buildPartition(parseProject(document)), "thin/1.y", hz);
    qInfo().noquote() << hz << percentages(found, expected);
    for (std::size_t n = 0; n < 3; ++n)
      QVERIFY2(std::abs(found[n] / expected[n] - 1.0) < 0.015, qPrintable(percentages(found, expected)));
  }

  void b10PlainNewmark_data() {
    QTest::addColumn<double>("rate_hz");
    QTest::addColumn<double>("error");
    QTest::newRow("0.2 ms") << 5e3 << 0.243;
    QTest::newRow("0.1 ms") << 1e4 << 0.073;
    QTest::newRow("0.05 ms") << 2e4 << 0.019;
  }
  void b10PlainNewmark() {
    QFETCH(double, rate_hz);
    QFETCH(double, error);
    constexpr double hz = 320.0;
    const Json document = steppedBeams(hz, rate_hz, 1, 30.0);
    const BeamFrfs found = steppedFrfs(document, "thin/1.y", hz, 30.0),
                   expected = uncutFrfs(buildPartition(parseProject(document)), "thin/1.y", hz);
    const double has = std::abs(found[0] / expected[0] - 1.0);
    qInfo().noquote() << rate_hz << percentages(found, expected);
    QVERIFY2(std::abs(has / error - 1.0) < 0.03, qPrintable(percentages(found, expected)));
  }

  /// Load cells between stingers and plate, accelerometers on the plate: shear and moment of the cut by T^T, the plate
  /// taken out by its inertia; beside them what the same twin's specimen does, of which these sensors know nothing.
  void b11ReconstructedForce() {
    Json sensed = test::bartlBeams(60.0, 20.0);
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
    test::StreamedRun by_cells(sensed), by_specimen(truth);
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
    qInfo() << off_n / largest_n << off_n_m / largest_n_m << plate_n / largest_n;
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
    Json document = test::bartlBeams(60.0, 600.0);
    test::makeCoarser(document, 5, 8);
    for (const char* side : {"numerical", "physical"}) document["partition"]["reduction"][side]["modes"] = 6;
    if (!kept) document["coupling"]["adaption"]["keep"] = 0;
    document["rig"]["displacement_sensor"] = {{"noise_rms_m", 1e-7}};
    test::StreamedRun run(document);
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
    for (double t_s = 20.0; t_s <= 600.0; t_s += 20.0) {
      QVERIFY(run.runTo(from_s + t_s));
      off = std::max(off, (response() - early).cwiseAbs().maxCoeff() / largest);
    }
    qInfo() << kept << off << largest << (response() - early).cwiseAbs().maxCoeff() / largest;
    QVERIFY2(kept ? off < 0.05 : off > 1e3, qPrintable(QString::number(off)));
  }

  /// Frequencies and FRFs of both sides put together again, each with so many modes.
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
    const Project project = parseProject(templateDocument("two-beams-aff"));
    const Partition whole = buildPartition(project);
    const Reduction reduction{Reduction::Method::craig_bampton, modes};
    const Partition sides = reduceSides(whole, reduction, reduction);
    // Interface, then the modes of both sides.
    const Eigen::Index n = sides.numerical.size(), p = sides.physical.size(), size = n + p - 2;
    const auto assembled = [&](SparseMatrix SystemMatrices::*matrix) {
      Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(size, size);
      sum.topLeftCorner(n, n) = Eigen::MatrixXd(sides.numerical.*matrix);
      const Eigen::MatrixXd own(sides.physical.*matrix);
      sum.topLeftCorner(2, 2) += own.topLeftCorner(2, 2);
      sum.bottomLeftCorner(p - 2, 2) = own.bottomLeftCorner(p - 2, 2);
      sum.topRightCorner(2, p - 2) = own.topRightCorner(2, p - 2);
      sum.bottomRightCorner(p - 2, p - 2) = own.bottomRightCorner(p - 2, p - 2);
      return sum;
    };
    QVERIFY(sides.interface_in_numerical == (std::vector<Eigen::Index>{0, 1}));
    QVERIFY(sides.interface_in_physical == (std::vector<Eigen::Index>{0, 1}));
    const Eigen::MatrixXd m = assembled(&SystemMatrices::m), c = assembled(&SystemMatrices::c),
                          k = assembled(&SystemMatrices::k);
    if (of_frequency > 0.0) {
      SystemMatrices together = sides.numerical;
      for (Eigen::Index i = 0; i < p - 2; ++i) together.dofs.push_back({"mode " + std::to_string(i), {}});
      together.m = m.sparseView();
      together.c = c.sparseView();
      together.k = k.sparseView();
      const Eigen::VectorXd has = lowestModes(together, 8).frequency_hz,
                            expected = lowestModes(whole.reference, 8).frequency_hz;
      const double off = (has.array() / expected.array() - 1.0).abs().maxCoeff();
      qInfo() << off;
      QVERIFY2(off < 2.0 * of_frequency && off > 0.5 * of_frequency, qPrintable(QString::number(off)));
    }
    const Eigen::RowVectorXd shape = reduce(whole.numerical, whole.interface_in_numerical, reduction)
                                         .basis.row(dofNamed(whole.numerical, "thin/2.y"));
    double low = 0.0, all = 0.0;
    for (double hz = 20.0; hz <= 1000.0; hz += 2.0) {
      const Complex s(0.0, kTwoPi * hz);
      const Eigen::MatrixXcd d = s * s * m.cast<Complex>() + s * c.cast<Complex>() + k.cast<Complex>();
      Eigen::VectorXcd load = Eigen::VectorXcd::Zero(size);
      load.head(n) = shape.transpose().cast<Complex>();
      const Eigen::VectorXcd x = linalg::ComplexLu(d).solve(load);
      const Complex at_p = load.cwiseProduct(x).sum();
      const BeamFrfs found = ofAxes(at_p, x[0], x[1]), expected = uncutFrfs(whole, "thin/2.y", hz);
      for (std::size_t f = 0; f < 3; ++f) {
        const double off = std::abs(found[f] / expected[f] - 1.0);
        all = std::max(all, off);
        if (hz <= 400.0) low = std::max(low, off);
      }
    }
    qInfo() << modes << low << all;
    QVERIFY2(low < 2.0 * to_400 && low > 0.5 * to_400, qPrintable(QString::number(low)));
    QVERIFY2(all < 2.0 * to_1000 && all > 0.5 * to_1000, qPrintable(QString::number(all)));
  }
};

HYB_SUITE(paper_bartl_frf, BartlFrf)
#include "bartl_frf.moc"
