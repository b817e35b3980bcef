// Static condensation and Craig-Bampton: what they keep exactly, and what comes back with more modes.
#include <Eigen/Eigenvalues>

#include "core/base/numbers.h"
#include "core/linalg/dense.h"
#include "core/structure/modes.h"
#include "core/structure/reduction.h"
#include "tests/support/cut_models.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

Partition beamCut(int elements, DampingSpec damping = {}) {
  Model model = beamModel(cantilever(elements));
  model.damping = damping;
  return cut(model, by(CutByPosition{false, 0.5, true}));
}

Reduction craigBampton(int modes) { return {Reduction::Method::craig_bampton, modes}; }
constexpr Reduction kStatic{Reduction::Method::static_condensation, 0};

}  // namespace

class ReductionTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Clamped-free and clamped-clamped halves of a beam: f_j = beta_j^2 / (2 pi L^2) sqrt(EI / (rho A)).
  void clampedFrequenciesOfBeams() {
    const Partition p = beamCut(160);
    const double length = 0.5, bending = 2.1e11 * 0.02 * 0.005 * 0.005 * 0.005 / 12.0, per_length = 7850.0 * 1e-4;
    const double scale = std::sqrt(bending / per_length) / (kTwoPi * length * length);
    const double free_end[] = {1.87510406871, 4.69409113297, 7.85475743824, 10.9955407349},
                 both_ends[] = {4.73004074486, 7.85320462410, 10.9956078380, 14.1371654913};
    const Eigen::VectorXd ps = clampedFrequencies(p.physical, p.interface_in_physical, 4),
                          ns = clampedFrequencies(p.numerical, p.interface_in_numerical, 4);
    for (Eigen::Index i = 0; i < 4; ++i) {
      QVERIFY(std::abs(ps[i] / (scale * free_end[i] * free_end[i]) - 1.0) < 2e-6);
      QVERIFY(std::abs(ns[i] / (scale * both_ends[i] * both_ends[i]) - 1.0) < 2e-6);
    }
    QCOMPARE(clampedFrequencies(p.physical, p.interface_in_physical, 10000).size(), p.physical.size() - 2);
  }

  /// Loads inside move the interface as they do in the side as a whole.
  void loadsInsideActAtTheInterface() {
    const Partition p = beamCut(16, {DampingSpec::Kind::rayleigh_factors, 2.0, 1e-5, {}, {}, {}});
    const SystemMatrices& side = p.numerical;
    const std::complex<double> s(0.0, kTwoPi * 77.0);
    Eigen::MatrixXcd loads(side.size(), 2);
    for (Eigen::Index i = 0; i < loads.size(); ++i)
      loads(i) = std::polar(1.0 + static_cast<double>(i % 3), 0.7 * static_cast<double>(i));
    const Eigen::MatrixXcd whole =
        Eigen::MatrixXd(side.k) + s * Eigen::MatrixXd(side.c) + s * s * Eigen::MatrixXd(side.m);
    const Eigen::MatrixXcd motion = linalg::ComplexLu(whole).solve(loads)(p.interface_in_numerical, Eigen::all);
    const CondensedStiffness condensed(side, p.interface_in_numerical);
    const CondensedStiffness::Loaded at = condensed.loaded(s, loads);
    QVERIFY((at.stiffness - condensed(s)).norm() <= 1e-9 * at.stiffness.norm());
    QVERIFY((linalg::ComplexLu(at.stiffness).solve(at.load) - motion).norm() < 1e-8 * motion.norm());
  }

  void staticCondensationIsExactAtRest() {
    const Partition p = beamCut(16);
    const ReducedSystem reduced = reduce(p.numerical, p.interface_in_numerical, kStatic);
    QCOMPARE(reduced.system.size(), Eigen::Index{2});
    QVERIFY(names(reduced.system.dofs) == names(p.interface));
    // Tip stiffness of a cantilever of length l: [12 EI/l^3, -6 EI/l^2; -6 EI/l^2, 4 EI/l].
    const double ei = 2.1e11 * 0.02 * 0.005 * 0.005 * 0.005 / 12.0, l = 0.5;
    const Eigen::Matrix2d tip{{12.0 * ei / (l * l * l), -6.0 * ei / (l * l)}, {-6.0 * ei / (l * l), 4.0 * ei / l}};
    QVERIFY((Eigen::MatrixXd(reduced.system.k) - tip).norm() < 1e-8 * tip.norm());
    QVERIFY(reductionError(p.numerical, p.interface_in_numerical, reduced.system, {0, 1}, {0.0}) < 1e-8);
    // Rigid motion of the free half loses no mass.
    const ReducedSystem free_half = reduce(p.physical, p.interface_in_physical, kStatic);
    QVERIFY(std::abs(free_half.system.m.coeff(0, 0) - 7850.0 * 1e-4 * 0.5) < 1e-9);
    QVERIFY(std::abs(free_half.system.m.coeff(1, 1) - 7850.0 * 1e-4 * 0.125 / 3.0) < 1e-9);
  }

  /// The error falls with every pair of modes and vanishes with all of them; damping may be anything.
  void craigBamptonConverges_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("undamped") << 0;
    QTest::newRow("stiffness") << 1;
    QTest::newRow("modal") << 3;
  }
  void craigBamptonConverges() {
    QFETCH(int, kind);
    DampingSpec damping;
    damping.kind = static_cast<DampingSpec::Kind>(kind);
    damping.stiffness_factor = 1e-5;
    damping.ratios = {0.01};
    const Partition p = beamCut(24, damping);
    std::vector<double> hz;
    for (int i = 1; i <= 40; ++i) hz.push_back(7.3 * i);
    double before = 1e300;
    for (const int count : {0, 2, 4, 8, 16}) {
      const Partition reduced = reduceSides(p, craigBampton(count), craigBampton(count));
      const double error = std::max(
          reductionError(p.numerical, p.interface_in_numerical, reduced.numerical, reduced.interface_in_numerical, hz),
          reductionError(p.physical, p.interface_in_physical, reduced.physical, reduced.interface_in_physical, hz));
      QVERIFY2(error < before, qPrintable(QString("%1 modes: %2 after %3").arg(count).arg(error).arg(before)));
      before = error;
    }
    QVERIFY2(before < 1e-3, qPrintable(QString::number(before)));
    const Partition all = reduceSides(p, craigBampton(1000), craigBampton(1000));
    QCOMPARE(all.numerical.size(), p.numerical.size());
    QVERIFY(reductionError(p.numerical, p.interface_in_numerical, all.numerical, all.interface_in_numerical, hz) <
            1e-8);
    QVERIFY(reductionError(p.physical, p.interface_in_physical, all.physical, all.interface_in_physical, hz) < 1e-8);
  }

  /// Loads, ground columns and the motion handed to the specimen follow the coordinates.
  void partitionFollows() {
    const Partition p = beamCut(12), none = reduceSides(p, {}, {});
    QVERIFY((none.numerical.k - p.numerical.k).norm() == 0.0 && none.physical.size() == p.physical.size());
    const Partition q = reduceSides(p, craigBampton(5), craigBampton(6));
    QCOMPARE(q.numerical.size(), Eigen::Index{7});
    QVERIFY(q.numerical.dofs[2].name == "mode 1" && q.physical.dofs[7].name == "mode 6");
    QVERIFY(names(q.interface) == names(p.interface));
    const ReducedSystem ns = reduce(p.numerical, p.interface_in_numerical, craigBampton(5)),
                        ps = reduce(p.physical, p.interface_in_physical, craigBampton(6));
    QVERIFY((q.numerical.m_support - ns.basis.transpose() * p.numerical.m_support).norm() < 1e-12);
    QVERIFY((Eigen::MatrixXd(q.numerical_loads) - ns.basis.transpose() * p.numerical_loads).norm() < 1e-12);
    // Any motion within the reduced basis comes back; the interface always does.
    const Eigen::VectorXd y = Eigen::VectorXd::LinSpaced(8, -1.0, 1.0), x = ps.basis * y;
    const Eigen::VectorXd whole = p.physical_motion.transpose() * x;
    QVERIFY((q.physical_motion * whole - y).norm() < 1e-9);
    const Eigen::VectorXd any = Eigen::VectorXd::LinSpaced(p.reference.size(), 3.0, -2.0);
    const Eigen::VectorXd found = q.physical_motion * any;
    for (Eigen::Index i = 0; i < 2; ++i) QCOMPARE(found[i], any[p.interface_in_reference[static_cast<std::size_t>(i)]]);
  }

  /// Rotations without inertia follow the deflections; no mode is lost by it.
  void massless() {
    Partition p = beamCut(10);
    SystemMatrices& side = p.numerical;
    SparseMatrix lumped(side.size(), side.size());
    for (Eigen::Index i = 0; i < side.size(); ++i)
      if (side.dofs[static_cast<std::size_t>(i)].motion == Motion::translation) lumped.insert(i, i) = 0.1;
    side.m = lumped;
    const ReducedSystem all = reduce(side, p.interface_in_numerical, craigBampton(100));
    QCOMPARE(all.system.size(), Eigen::Index{2 + 4});
    QVERIFY(reductionError(side, p.interface_in_numerical, all.system, {0, 1}, {0.0, 3.0, 50.0, 400.0}) < 1e-8);
  }

  void nonlinearLinks() {
    Partition p = beamCut(8);
    p.numerical.nonlinear = {{"stop", CubicSpring{}, -1, p.interface_in_numerical[1]}};
    const ReducedSystem kept = reduce(p.numerical, p.interface_in_numerical, craigBampton(3));
    QVERIFY(kept.system.nonlinear[0].from == -1 && kept.system.nonlinear[0].to == 1);
    p.numerical.nonlinear[0].to = 0;
    EXPECT_ISSUE(issuesOf([&] { reduce(p.numerical, p.interface_in_numerical, kStatic); }), "/partition",
                 "\"stop\" is nonlinear and ends inside");
    SystemMatrices loose = p.physical;
    loose.k.setZero();
    EXPECT_ISSUE(issuesOf([&] { reduce(loose, p.interface_in_physical, kStatic); }), "/partition", "mechanism");
  }

  /// 2,000 elements: the modes are those of the fine mesh.
  void longBeam() {
    const Partition p = beamCut(2000);
    QElapsedTimer timer;
    timer.start();
    const ReducedSystem ns = reduce(p.numerical, p.interface_in_numerical, craigBampton(20));
    qInfo("1,000 elements to 20 modes: %lld ms", timer.elapsed());
    QCOMPARE(ns.system.size(), Eigen::Index{22});
    const Partition coarse = beamCut(200);
    const Eigen::VectorXd fine = clampedFrequencies(ns.system, {0, 1}, 4),
                          few = clampedFrequencies(coarse.numerical, coarse.interface_in_numerical, 4);
    for (Eigen::Index i = 0; i < 4; ++i) QVERIFY(std::abs(fine[i] / few[i] - 1.0) < 1e-4);
  }
};

HYB_SUITE(reduction, ReductionTest)
#include "reduction.moc"
