// Every way to cut a structure: both sides, what is left out, and what the rig cannot bring in.
#include <limits>

#include "core/structure/partition.h"
#include "tests/support/cut_models.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"
#include "tests/support/three_mass.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Strings = std::vector<std::string>;

DampingSpec damping(DampingSpec::Kind kind) {
  DampingSpec spec;
  spec.kind = kind;
  spec.mass_factor = 1.3;
  spec.stiffness_factor = 2e-4;
  if (kind == DampingSpec::Kind::rayleigh_ratios) spec.ratios = {0.02, 0.03};
  if (kind == DampingSpec::Kind::modal) spec.ratios = {0.01, 0.02, 0.05};
  return spec;
}

Strings range(const std::string& before, int first, int last, const std::string& after) {
  Strings list;
  for (int i = first; i <= last; ++i) list.push_back(before + std::to_string(i) + after);
  return list;
}
Strings operator+(Strings a, const Strings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The PS of a partition as matrices.
CutByMatrices::Side sideOf(const SystemMatrices& system) {
  const auto rows = [](const SparseMatrix& matrix) {
    const Eigen::MatrixXd a = matrix;
    std::vector<std::vector<double>> list;
    for (const auto& row : a.rowwise()) list.emplace_back(row.begin(), row.end());
    return list;
  };
  return {names(system.dofs), rows(system.m), rows(system.c), rows(system.k)};
}

}  // namespace

class CutsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// The interface is in the order in which it is written, and everything that goes with it; the sides stay the same.
  void interfaceIsInTheOrderWritten() {
    const Model model = lumpedModel(randomMasses(12, 3));
    const Partition sorted = cut(model, by(CutByDofs{range("a", 8, 11, ""), {"a5", "a6", "a7"}, 0.3}));
    const Partition written = cut(model, by(CutByDofs{range("a", 8, 11, ""), {"a7", "a5", "a6"}, 0.3}));
    const Partition given =
        cut(model, by(CutByMatrices{sideOf(sorted.physical), {"a7", "a5", "a6"}, sideOf(sorted.numerical)}));
    for (const Partition& p : {written, given}) {
      QCOMPARE(names(p.interface), (std::vector<std::string>{"a7", "a5", "a6"}));
      for (std::size_t i = 0; i < 3; ++i) {
        const auto nameIn = [&](const SystemMatrices& system, Eigen::Index at) {
          return system.dofs[static_cast<std::size_t>(at)].name;
        };
        QCOMPARE(nameIn(p.reference, p.interface_in_reference[i]), p.interface[i].name);
        QCOMPARE(nameIn(p.numerical, p.interface_in_numerical[i]), p.interface[i].name);
        QCOMPARE(nameIn(p.physical, p.interface_in_physical[i]), p.interface[i].name);
      }
    }
    QVERIFY((Eigen::MatrixXd(written.physical.k) - Eigen::MatrixXd(sorted.physical.k)).norm() == 0.0);
  }

  void cutsThreeMasses() {
    const Partition p = cut(threeMass(), threeMassPartition());
    const double m = 2.2, k = 9000.0, c = 30.0;
    const auto is = [](const SparseMatrix& matrix, const Eigen::MatrixXd& expected) {
      return Eigen::MatrixXd(matrix) == expected;
    };
    QVERIFY(names(p.interface) == (Strings{"m1", "m2"}));
    QVERIFY(p.interface_in_reference == (std::vector<Eigen::Index>{0, 2}));
    QVERIFY(p.interface_in_numerical == (std::vector<Eigen::Index>{0, 1}));
    QVERIFY(p.interface_in_physical == (std::vector<Eigen::Index>{0, 2}));
    QVERIFY(names(p.numerical.dofs) == (Strings{"m1", "m2"}));
    QVERIFY(names(p.physical.dofs) == (Strings{"m1", "m3", "m2"}));
    QVERIFY(is(p.numerical.m, m * Eigen::Matrix2d::Identity()));
    QVERIFY(is(p.numerical.k, k * Eigen::Matrix2d::Identity()));
    QVERIFY(is(p.numerical.c, c * Eigen::Matrix2d::Identity()));
    QVERIFY(p.numerical.k_support == k * Eigen::Matrix2d::Identity());
    QVERIFY(is(p.physical.m, Eigen::Vector3d(0.0, m, 0.0).asDiagonal()));
    QVERIFY(is(p.physical.k, k * Eigen::Matrix3d{{1, -1, 0}, {-1, 2, -1}, {0, -1, 1}}));
    QVERIFY(p.physical.k_support.isZero(0.0));
    QVERIFY(p.driven_specimen.empty() && p.inner_ground_dofs.empty() && !p.left_out.any());

    PartitionSpec driven = by(CutByElements{{"m3", "k31", "k32", "k1"}});
    const Partition with_wall = cut(threeMass(), driven);
    QVERIFY(with_wall.driven_specimen == Strings{"wall-1"});
    QVERIFY(with_wall.physical.k_support == (k * Eigen::Matrix<double, 3, 2>{{1, 0}, {0, 0}, {0, 0}}));
  }

  /// NS + PS + left out = reference; condensed on the interface, NS + PS behave as the reference less what is left out.
  void sidesAddUp_data() {
    QTest::addColumn<int>("cut_number");
    QTest::addColumn<int>("kind");
    for (int cut_number = 0; cut_number < 13; ++cut_number)
      for (int kind = 0; kind < 4; ++kind) QTest::addRow("cut %d, damping %d", cut_number, kind) << cut_number << kind;
  }
  void sidesAddUp() {
    QFETCH(int, cut_number);
    QFETCH(int, kind);
    const bool lumped = cut_number < 6;
    Model model = lumped ? lumpedModel(randomMasses(12, static_cast<unsigned>(cut_number))) : beamModel(cantilever(8));
    const Strings inside = range("b/", 5, 8, ".y") + range("b/", 5, 8, ".rotation");
    const Strings at_cut{"b/4.y", "b/4.rotation"};
    const Partition plain = cut(beamModel(cantilever(8)), by(CutByPosition{false, 0.5, true}));
    const std::vector<PartitionSpec> cuts{
        by(CutByElements{{"l6"}}),
        by(CutByElements{{"a6", "l6", "l7", "x7"}}),
        by(CutByPosition{false, 7.2, true}),
        by(CutByPosition{false, 4.0, false}),
        by(CutByNodes{{"a8", "a9", "a10", "a11"}}),
        by(CutByDofs{range("a", 8, 11, ""), {"a5", "a7", "a6"}, 0.3}),
        by(CutByElements{{"b/5-8"}}),
        by(CutByNodes{range("b/", 4, 8, "")}),
        by(CutByPosition{false, 0.51, true}),
        by(CutByDofs{inside, at_cut, 0.5}),
        by(CutByDofs{inside, at_cut, 1.0}),
        by(CutByMatrices{sideOf(plain.physical), {}, {}}),
        by(CutByMatrices{sideOf(plain.physical), at_cut, sideOf(plain.numerical)}),
    };
    model.damping = damping(static_cast<DampingSpec::Kind>(kind));
    Partition p = cut(model, cuts[static_cast<std::size_t>(cut_number)]);
    QVERIFY(sumError(p, &SystemMatrices::m, &LeftOut::m) < 1e-12);
    QVERIFY(sumError(p, &SystemMatrices::c, &LeftOut::c) < 1e-12);
    QVERIFY(sumError(p, &SystemMatrices::k, &LeftOut::k) < 1e-12);
    QVERIFY(p.left_out.m.nonZeros() == 0 && p.left_out.k.nonZeros() == 0);
    if (kind < 3 && cut_number < 11) QVERIFY(p.left_out.c.nonZeros() == 0);
    QVERIFY(p.left_out.remarks.empty() == (p.left_out.c.nonZeros() == 0));
    QVERIFY((p.numerical_loads * p.reference.k_support - p.numerical.k_support).norm() <=
                1e-12 * p.reference.k.norm() ||
            !p.driven_specimen.empty());

    const SystemMatrices assembled = assemble(model);
    for (const auto matrix : {&SystemMatrices::m, &SystemMatrices::c, &SystemMatrices::k})
      QVERIFY((p.reference.*matrix - assembled.*matrix).norm() <= 1e-13 * (assembled.*matrix).norm());
    for (const SystemMatrices* side : {&p.numerical, &p.physical}) {
      QVERIFY(definiteness(side->m) > -1e-12 && definiteness(side->k) > -1e-11);
      if (cut_number < 11) QVERIFY(definiteness(side->c) > -1e-11);
    }
    p.reference.c -= p.left_out.c;
    for (const std::complex<double> s : {std::complex<double>(0.0, 0.0), {0.0, 60.0}, {-2.0, 900.0}, {30.0, 4000.0}}) {
      const Eigen::MatrixXcd whole = condensedStiffness(p.reference, p.interface_in_reference, s);
      QVERIFY((coupled(p, s) - whole).norm() < 1e-8 * whole.norm());
    }
  }

  /// Every way to cut the cantilever in the middle gives the same halves.
  void waysAgree() {
    const Model model = beamModel(cantilever(8));
    const Partition p = cut(model, by(CutByPosition{false, 0.5, true}));
    QVERIFY(names(p.interface) == (Strings{"b/4.y", "b/4.rotation"}));
    QCOMPARE(p.physical.size(), Eigen::Index{10});
    for (const PartitionSpec& spec :
         {by(CutByElements{{"b/5-8"}}), by(CutByElements{range("b/", 5, 8, "")}), by(CutByNodes{range("b/", 4, 8, "")}),
          by(CutByPosition{false, 0.45, true}), by(CutByMatrices{sideOf(p.physical), {}, {}})}) {
      const Partition other = cut(model, spec);
      QVERIFY(names(other.interface) == names(p.interface));
      QVERIFY((other.physical.k - p.physical.k).norm() <= 1e-13 * p.physical.k.norm());
      QVERIFY((other.physical.m - p.physical.m).norm() <= 1e-13 * p.physical.m.norm());
      QVERIFY((other.numerical.k - p.numerical.k).norm() <= 1e-13 * p.numerical.k.norm());
      QVERIFY(other.inner_ground_dofs == p.inner_ground_dofs);
    }
    const Partition turned = cut(model, by(CutByPosition{false, 0.5, false}));
    QVERIFY(turned.physical.size() == p.numerical.size() && turned.numerical.size() == p.physical.size());
  }

  /// Chain of three springs k: condensing the inner masses leaves k/2 on each side; half of the rest is shared.
  void dofsByTheFormula() {
    LumpedStructure s;
    s.supports = {{"w1"}, {"w2"}};
    s.masses = {{"n", 1.0}, {"i", 4.0}, {"j", 1.0}};
    s.links = {{"a", "w1", "n", 100.0, 0.0},
               {"b", "n", "i", 100.0, 0.0},
               {"c", "i", "j", 100.0, 0.0},
               {"d", "j", "w2", 100.0, 0.0}};
    for (const double share : {0.0, 0.25, 1.0}) {
      const Partition p = cut(lumpedModel(s), by(CutByDofs{{"j"}, {"i"}, share}));
      const Eigen::Index at = p.interface_in_physical[0];
      QVERIFY(std::abs(p.physical.k.coeff(at, at) - (50.0 + share * 100.0)) < 1e-12);
      QVERIFY(std::abs(p.physical.m.coeff(at, at) - share * 4.0) < 1e-12);
      QVERIFY(p.driven_specimen == Strings{"w2"});
      QVERIFY(p.numerical.k_support.col(1).isZero(0.0));
    }
  }

  /// The rig cannot shake the ground under the specimen: what acts at the interface acts on the computed side.
  void groundLoads() {
    const Model model = beamModel(cantilever(8));
    const Partition p = cut(model, by(CutByPosition{false, 0.5, true}));
    const Eigen::VectorXd load = assemble(model).m_support.col(0);
    QVERIFY(p.physical.m_support.isZero(0.0));
    for (Eigen::Index i = 0; i < p.numerical.size(); ++i) {
      const Strings all = names(p.reference.dofs);
      const auto at =
          std::find(all.begin(), all.end(), p.numerical.dofs[static_cast<std::size_t>(i)].name) - all.begin();
      QVERIFY(std::abs(p.numerical.m_support(i, 0) - load[at]) <= 1e-13 * load.norm());
    }
    QCOMPARE(p.inner_ground_dofs.size(), std::size_t{8 - 3});  // b/5.y .. b/8.y and b/8.rotation at the free end
    // The whole interface moves half an element's mass of each side, 7850 kg/m^3 x 1e-4 m^2 x 1/8 m.
    QVERIFY(std::abs(p.numerical.m_support(p.interface_in_numerical[0], 0) + 7850.0 * 1e-4 / 8.0) < 1e-12);
  }

  /// Modal damping is full: what couples the inside of both sides is left out, named with its size.
  void namesWhatIsLeftOut() {
    Model model = lumpedModel(randomMasses(5, 3));
    model.damping = damping(DampingSpec::Kind::modal);
    const Partition p = cut(model, by(CutByElements{{"a3", "l3", "x3", "l4", "a4", "l5"}}));
    QVERIFY(p.left_out.any() && p.left_out.m.nonZeros() == 0 && p.left_out.k.nonZeros() == 0);
    QVERIFY2(p.left_out.remarks.front().find("damping between \"a0\" and \"a") == 0 &&
                 p.left_out.remarks.front().ends_with(" N s/m"),
             p.left_out.remarks.front().c_str());
    model.damping.of_each_part = true;
    model.damping.kind = DampingSpec::Kind::none;
    QVERIFY(!cut(model, by(CutByElements{{"a3", "l3", "x3", "l4", "a4", "l5"}})).left_out.any());
  }

  /// Unsymmetric damping is allowed; DOF that only the computed part touches stay there.
  void numericalSideGiven() {
    const Model model = lumpedModel(randomMasses(3, 1));
    const SystemMatrices whole = assemble(model);
    CutByMatrices spec{{{"a0"}, {{0.4}}, {{1.0}}, {{300.0}}}, {}, CutByMatrices::Side{}};
    spec.numerical = sideOf(whole);
    spec.numerical->c[1][0] += 0.5;
    const Partition p = cut(model, by(spec));
    QVERIFY(names(p.interface) == Strings{"a0"});
    QCOMPARE(p.left_out.m.coeff(0, 0), -0.4);
    QVERIFY(std::abs(p.left_out.c.coeff(1, 0) + 0.5) < 1e-12);
    QCOMPARE(p.left_out.k.coeff(0, 0), -300.0);
    QCOMPARE(p.left_out.remarks.size(), std::size_t{4});
  }

  void positions() {
    const std::vector<double> found = cutPositions(beamModel(cantilever(8)), false);
    QCOMPARE(found.size(), std::size_t{7});
    for (std::size_t i = 0; i < found.size(); ++i)
      QVERIFY(std::abs(found[i] - 0.125 * static_cast<double>(i + 1)) < 1e-12);
    QVERIFY(cutPositions(beamModel(cantilever(8)), true).empty());
    // A link across a node leaves no cut there.
    const std::vector<double> masses = cutPositions(lumpedModel(randomMasses(6, 2)), false);
    QVERIFY(masses == (std::vector<double>{0.0, 1.0, 3.0, 4.0}));
    for (const double position : masses) cut(lumpedModel(randomMasses(6, 2)), by(CutByPosition{false, position, true}));
  }

  void longBeamIsHeld() {
    const Partition p = cut(beamModel(cantilever(2000)), by(CutByPosition{false, 0.5, true}));
    QCOMPARE(p.physical.size(), Eigen::Index{2002});
  }

  void refusesImpossibleElements() {
    const auto faults = [](Strings physical) {
      return issuesOf([&] { cut(threeMass(), by(CutByElements{physical})); });
    };
    EXPECT_ISSUE(faults({}), "/partition/physical", "is empty");
    EXPECT_ISSUE(faults({"k3l", "k31"}), "/partition/physical/0", "Did you mean \"k31\"?");
    EXPECT_ISSUE(faults({"k31", "k31"}), "/partition/physical/1", "given twice");
    EXPECT_ISSUE(faults({"wall-1", "k31"}), "/partition/physical/0", "is a support");
    EXPECT_ISSUE(faults({"m3"}), "/partition/physical/0", "without mass");
    EXPECT_ISSUE(faults({"m3", "k31"}), "/partition/physical/0", "without mass");
    EXPECT_ISSUE(faults({"m1", "m2", "m3", "k1", "k2", "k31", "k32"}), "/partition/physical", "whole structure");

    LumpedStructure apart = threeMassStructure();  // two structures side by side
    apart.links.erase(apart.links.begin() + 2);
    apart.links.push_back({"k4", "m3", "wall-2", 1.0, 0.0});
    const auto apartFaults = [&](Strings physical) {
      return issuesOf([&] { cut(lumpedModel(apart), by(CutByElements{physical})); });
    };
    EXPECT_ISSUE(apartFaults({"m2", "k2"}), "/partition/physical", "there is no interface");
    EXPECT_ISSUE(apartFaults({"m2", "k2", "k31"}), "/partition/physical/0", "not connected to the interface");

    const Model beam = beamModel(cantilever(8));
    EXPECT_ISSUE(issuesOf([&] { cut(beam, by(CutByElements{{"b/5-9"}})); }), "/partition/physical/0", "not an element");
    EXPECT_ISSUE(issuesOf([&] {
                   cut(beam, by(CutByNodes{{"b/3", "b/33", "b/3"}}));
                 }),
                 "/partition/physical/1", "not a node");
    EXPECT_ISSUE(issuesOf([&] {
                   cut(beam, by(CutByNodes{{"b/3", "b/33", "b/3"}}));
                 }),
                 "/partition/physical/2", "given twice");
    EXPECT_ISSUE(issuesOf([&] {
                   cut(beam, by(CutByPosition{false, 3.0, true}));
                 }),
                 "/partition/position_m", "contains nothing that can move");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_ISSUE(issuesOf([&] { cut(beam, by(CutByPosition{false, nan, true})); }), "/partition/position_m", "finite");
    EXPECT_ISSUE(issuesOf([&] {
                   cut(lumpedModel(randomMasses(6, 2)), by(CutByPosition{false, 2.0, true}));
                 }),
                 "/partition/position_m", "\"x3\" spans the line");

    Model plain;
    plain.matrices = assemble(threeMass());
    EXPECT_ISSUE(issuesOf([&] { cut(plain, by(CutByElements{{"k31"}})); }), "/partition/by", "\"dofs\"");
  }

  void refusesImpossibleDofs() {
    const auto faults = [](Strings physical, Strings interface, double share) {
      return issuesOf([&] { cut(lumpedModel(randomMasses(6, 2)), by(CutByDofs{physical, interface, share})); });
    };
    EXPECT_ISSUE(faults({}, {}, 0.5), "/partition/physical", "is empty");
    EXPECT_ISSUE(faults({}, {}, 0.5), "/partition/interface", "is empty");
    EXPECT_ISSUE(faults({"a5", "b4"}, {"a4"}, 1.5), "/partition/physical/1", "Did you mean");
    EXPECT_ISSUE(faults({"a5", "b4"}, {"a4"}, 1.5), "/partition/share", "between 0 and 1");
    EXPECT_ISSUE(faults({"a5"}, {"a5"}, 0.5), "/partition/interface/0", "given twice");
    EXPECT_ISSUE(faults({"a4", "a5"}, {"a2"}, 0.5), "/partition/interface",
                 "\"a4\" inside the specimen and \"a3\" inside the computed part share stiffness");
  }

  void refusesImpossibleMatrices() {
    const Model model = lumpedModel(randomMasses(3, 1));
    const auto faults = [&](const CutByMatrices& spec) { return issuesOf([&] { cut(model, by(spec)); }); };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_ISSUE(faults({}), "/partition/physical/dofs", "is empty");
    const CutByMatrices sizes{{{"a0", "a1"}, {{1.0}}, {{1.0, 2.0}, {1.0}}, {{1.0, nan}, {0.0, 1.0}}}, {"b"}, {}};
    EXPECT_ISSUE(faults(sizes), "/partition/physical/m", "has 1 rows; needs 2");
    EXPECT_ISSUE(faults(sizes), "/partition/physical/c/1", "has 1 columns; needs 2");
    EXPECT_ISSUE(faults(sizes), "/partition/physical/k/0/1", "not finite");
    EXPECT_ISSUE(faults(sizes), "/partition/interface/0", "not a degree of freedom");
    EXPECT_ISSUE(faults({{{"a0", "a0"}, {}, {}, {}}, {}, {}}), "/partition/physical/dofs/1", "given twice");
    EXPECT_ISSUE(faults({{{"a0", "a1"}, {}, {}, {{1, -1}, {-1.1, 1}}}, {}, {}}), "/partition/physical/k/1/0",
                 "symmetric");
    EXPECT_ISSUE(faults({{{"a0", "a1"}, {}, {}, {{1, -2}, {-2, 1}}}, {}, {}}), "/partition/physical/k",
                 "negative stiffness along a0 + a1");
    EXPECT_ISSUE(faults({{{"a0"}, {{5.0}}, {}, {}}, {}, {}}), "/partition/physical/m/0/0", "more mass (5)");
    EXPECT_ISSUE(faults({{{"a0"}, {{0.1}}, {}, {}}, {"a1"}, {}}), "/partition/interface/0", "add it there too");
    CutByMatrices two{{{"a0"}, {{0.1}}, {}, {}}, {}, CutByMatrices::Side{{"a0", "a1"}, {}, {}, {{9, 0}, {0, 9}}}};
    EXPECT_ISSUE(faults(two), "/partition/numerical/dofs", "assigns \"a2\" to no side");
    two.numerical->dofs = {"a1", "a2"};
    EXPECT_ISSUE(faults(two), "/partition/interface", "is empty");
    two = {{{"a0", "a1"}, {{1, 0}, {0, 1}}, {}, {{0, 0}, {0, 1}}},
           {"a1"},
           CutByMatrices::Side{{"a1", "a2"}, {}, {}, {{1, -1}, {-1, 2}}}};
    EXPECT_ISSUE(faults(two), "/partition", "\"a0\" in the part on the rig floats when the interface is held");
    EXPECT_ISSUE(faults(two), "/partition", "\"a0\" is on the rig but is not connected to the interface");
  }
};

HYB_SUITE(cuts, CutsTest)
#include "cuts.moc"
