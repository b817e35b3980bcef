// D. Araya: Robust adaptive compensation of force-based RTHS with uncertain compliance spring and force measurement
// noise, MSc thesis, UTFSM 2023. The three-storey building with a wall, its damping and its cut (validation rows 1-11).
#include <Eigen/LU>
#include <complex>
#include <numbers>

#include "core/assess/spring_trade.h"
#include "core/linalg/dense.h"
#include "core/linalg/eigen.h"
#include "core/project/project.h"
#include "core/run/build.h"
#include "core/structure/modes.h"
#include "core/structure/partition.h"
#include "core/structure/reduction.h"
#include "core/structure/structure.h"
#include "tests/support/compare.h"
#include "tests/support/streamed_run.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Complex = std::complex<double>;

constexpr double kMass_kg = 98.3;
constexpr double kBare_n_per_m = 0.516e6, kWall_n_per_m = 10.32e6, kUpper_n_per_m = 0.684e6;

Model building(double first_storey_n_per_m) {
  ShearBuilding shear;
  shear.storeys = {{"x1", kMass_kg, first_storey_n_per_m, 0.0},
                   {"x2", kMass_kg, kUpper_n_per_m, 0.0},
                   {"x3", kMass_kg, kUpper_n_per_m, 0.0}};
  Structure structure;
  structure.kind = shear;
  structure.damping.kind = DampingSpec::Kind::modal;
  structure.damping.ratios = {0.05};
  return buildModel(structure);
}
Model withWall() { return building(kBare_n_per_m + kWall_n_per_m); }

/// Floors per ground acceleration of 1 m/s^2 at a frequency, m.
Eigen::VectorXcd response(const SystemMatrices& system, double hz) {
  const Eigen::MatrixXcd d = dynamicStiffness(system, Complex(0.0, 2.0 * std::numbers::pi * hz));
  return linalg::ComplexLu(d).solve(system.m_support.col(0).cast<Complex>());
}

void compareAll(const Eigen::VectorXd& actual, const Eigen::Vector3d& expected, double relative, const char* what) {
  QCOMPARE(actual.size(), Eigen::Index{3});
  for (Eigen::Index i = 0; i < 3; ++i) compare(actual[i], expected[i], relative * std::abs(expected[i]), what);
}

}  // namespace

class PaperArayaStructure : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Rows 1 to 3, tables 4.3 and 4.4.
  void frequencies() {
    compareAll(modes(assemble(withWall())).frequency_hz, {8.0192, 21.2741, 54.5929}, 1e-4, "with wall, Hz");
    const Eigen::VectorXd bare = modes(assemble(building(kBare_n_per_m))).frequency_hz;
    compareAll(bare, {5.4400, 15.8097, 23.6315}, 1e-4, "without wall, Hz");
    compareAll(bare, {5.457, 15.81, 23.63}, 4e-3, "without wall, as printed, Hz");

    MatrixStructure classical;
    classical.dofs = {{"x1"}, {"x2"}, {"x3"}};
    classical.m.rows = {{kMass_kg, 0, 0}, {0, kMass_kg, 0}, {0, 0, kMass_kg}};
    classical.k.rows = {{12e5, -6.84e5, 0}, {-6.84e5, 13.7e5, -6.84e5}, {0, -6.84e5, 6.84e5}};
    Structure structure;
    structure.kind = classical;
    compareAll(modes(assemble(buildModel(structure))).frequency_hz, {5.4566, 15.8108, 23.6378}, 1e-4, "classical, Hz");
  }

  /// Rows 4 to 7: modal damping of 5 %, the specimen's constants, the compliance spring.
  void dampingAndConstants() {
    const SystemMatrices whole = assemble(withWall());
    const Eigen::Matrix3d m = whole.m, c = whole.c, k = whole.k;
    const Eigen::Matrix3d expected{
        {3361.6648, -152.2486, -13.7892}, {-152.2486, 1088.1852, -370.6984}, {-13.7892, -370.6984, 731.2760}};
    QVERIFY((c - expected).cwiseAbs().maxCoeff() < 0.01);

    Eigen::Matrix<double, 6, 6> a = Eigen::Matrix<double, 6, 6>::Zero();
    a.topRightCorner<3, 3>().setIdentity();
    a.bottomLeftCorner<3, 3>() = -m.inverse() * k;
    a.bottomRightCorner<3, 3>() = -m.inverse() * c;
    for (const Complex& root : linalg::eigenvalues(Eigen::MatrixXd(a)))
      compare(-root.real() / std::abs(root), 0.05, 1e-6, "damping ratio");

    compare(c(0, 0) - c(1, 1) + c(2, 2), 3004.756, 1e-5 * 3004.756, "damping of the specimen, N s/m");
  }

  /// Rows 6 and 7 of the template: what its wall adds to the storey, and the compliance spring, 5 % of what stands on
  /// the rig: 541.8 N a millimetre between command and specimen.
  void wallAndComplianceSpring() {
    Json document = templateDocument("force-shear-building");
    QCOMPARE(buildPartition(parseProject(document)).reference.k.coeff(0, 0), 11.52e6);
    const double spring_n_per_m = document["coupling"]["spring_n_per_m"].get<double>(),
                 tested_n_per_m = springTrade(parseProject(document), 0).specimen_n_per_m;
    QCOMPARE(spring_n_per_m, 0.5418e6);
    compareRelative(spring_n_per_m / tested_n_per_m, 0.05, 1e-12, "of the specimen");
    Json bare = document;
    bare["structure"]["storeys"][0]["stiffness_n_per_m"] = kBare_n_per_m;
    compareRelative(tested_n_per_m / springTrade(parseProject(bare), 0).specimen_n_per_m - 1.0, 20.0, 1e-12,
                    "wall by bare storey");

    document["compensation"] = {{"method", "none"}};
    document["loop"]["duration_s"] = 5.0;
    StreamedRun run(document);
    double largest_n = 0.0, off_n = 0.0;
    run.runTo(4.0, [&] {
      if (run.value_s() < 1.5) return;  // it starts softly
      const double asked_n = -run["target_1"], stretch_mm = 1e3 * (run["command_1"] - run["specimen_1"]);
      largest_n = std::max(largest_n, std::abs(asked_n));
      off_n = std::max(off_n, std::abs(asked_n - 541.8 * stretch_mm));
    });
    compare(off_n, 0.0, 1e-6 * largest_n, "force asked for, N");
    QVERIFY(largest_n > 50.0);
  }

  /// Rows 8 to 10: static and harmonic ground acceleration.
  void groundAcceleration() {
    const SystemMatrices whole = assemble(withWall());
    compareAll(response(whole, 0.0).real(), {-2.721484e-5, -3.146417e-4, -4.583552e-4}, 1e-5, "static, m");
    compareAll(response(whole, 5.0).cwiseAbs(), {3.867369e-5, 5.026204e-4, 7.522340e-4}, 1e-4, "5 Hz, s^2");
    compareAll(response(whole, 8.0).cwiseAbs(), {1.819911e-4, 2.985990e-3, 4.697229e-3}, 1e-4, "8 Hz, s^2");
  }

  /// Row 11, equations 4.8 and 4.9: floor 1 with its columns and wall on the rig. The cut drops a part of the modal
  /// damping, which the partition reports.
  void partitionError() {
    const Model model = withWall();
    const Eigen::Matrix3d c = assemble(model).c;
    const double specimen = c(0, 0) - c(1, 1) + c(2, 2), c2 = -c(1, 0), c31 = -c(2, 0);
    PartitionSpec spec;
    spec.cut = CutByStoreys{{"x1"}};
    const Partition partition = cut(model, spec);
    compare(partition.physical.c.coeff(0, 0), 3004.756, 1e-5 * 3004.756, "damping of the specimen, N s/m");  // row 5
    QVERIFY(names(partition.interface) == std::vector<std::string>{"x1"});
    QVERIFY(partition.left_out.m.nonZeros() == 0 && partition.left_out.k.nonZeros() == 0);
    compare(partition.left_out.c.coeff(0, 0), c(0, 0) - specimen - c2, 1e-9, "damping left out of x1, N s/m");
    compare(partition.left_out.c.coeff(0, 2), -c31, 1e-9, "damping left out between x1 and x3, N s/m");
    QCOMPARE(partition.left_out.remarks.size(), std::size_t{2});
    // f^t = -me ag + ...: the inertia of the specimen's ground motion is in the target force.
    QCOMPARE(partition.numerical.m_support(0, 0), -kMass_kg);

    SystemMatrices coupled = partition.numerical;
    coupled.m.coeffRef(0, 0) += partition.physical.m.coeff(0, 0);
    coupled.c.coeffRef(0, 0) += partition.physical.c.coeff(0, 0);
    coupled.k.coeffRef(0, 0) += partition.physical.k.coeff(0, 0);
    for (const auto& [hz, percent] : {std::pair{5.0, 0.019}, {8.0, 0.078}}) {
      const Complex whole = response(partition.reference, hz)[0];
      compare(100.0 * std::abs(response(coupled, hz)[0] - whole) / std::abs(whole), percent, 0.005, "x1, %");
    }
  }
};

HYB_SUITE(paper_araya_structure, PaperArayaStructure)
#include "araya_structure.moc"
