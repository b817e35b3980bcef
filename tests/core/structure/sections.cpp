/// Bending moments inside a specimen, and damping of its own.
#include "core/structure/damping.h"
#include "core/structure/modes.h"
#include "core/structure/reduction.h"
#include "core/structure/section.h"
#include "core/structure/structure.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

Structure cantileverInTwo(std::vector<double> specimen_ratios = {}) {
  const BeamSection strip{"strip", 217e9, 2.1e-12, 2.54e-5, 8210.0, 0.0};
  Structure structure;
  structure.kind = BeamStructure{
      {strip}, {{"root", 0.2, "strip", 10}, {"tip", 0.3, "strip", 15}}, {{0.0, true, true}}, {}, {}, "ground"};
  structure.damping.kind = DampingSpec::Kind::rayleigh_factors;
  structure.damping.mass_factor = 0.9;
  structure.damping.stiffness_factor = 7e-5;
  structure.damping.specimen_ratios = std::move(specimen_ratios);
  return structure;
}

PartitionSpec beyond(double position_m) {
  PartitionSpec spec;
  spec.cut = CutByPosition{false, position_m, true};
  return spec;
}

}  // namespace

class SectionsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// The inertia of a tip that moves as a rigid body, u'' + phi'' x: m(d) = -mu (u'' c^2/2 + phi'' (c^3/3 + d c^2/2)).
  void momentOfARigidTip() {
    const Model model = buildModel(cantileverInTwo());
    const PartitionSpec spec = beyond(0.2);
    const Partition partition = cut(model, spec);
    const double mass = 8210.0 * 2.54e-5, d = 0.04, c = 0.3 - d;
    const SectionForce moment = sectionMoment(model, spec, partition, d);
    Eigen::VectorXd up = Eigen::VectorXd::Zero(partition.physical.size()), turn = up;
    for (std::size_t k = 0; k < partition.physical.dofs.size(); ++k) {
      const Dof& dof = partition.physical.dofs[k];
      const auto e = static_cast<Eigen::Index>(k);
      const std::string node = dof.name.substr(0, dof.name.find('.'));
      const double x = node == "root/10" ? 0.0 : 0.02 * std::stod(node.substr(node.find('/') + 1));
      const bool rotation = dof.motion == Motion::rotation;
      up[e] = rotation ? 0.0 : 1.0;
      turn[e] = rotation ? 1.0 : x;
    }
    const double of_up = moment.of_acceleration * up, of_turn = moment.of_acceleration * turn;
    QVERIFY2(std::abs(of_up / (-mass * c * c / 2.0) - 1.0) < 1e-9, qPrintable(QString::number(of_up)));
    QVERIFY(std::abs(of_turn / (-mass * (c * c * c / 3.0 + d * c * c / 2.0)) - 1.0) < 1e-9);
    QVERIFY(std::abs(moment.of_displacement * up) < 1e-6 && std::abs(moment.of_displacement * turn) < 1e-6);
    QVERIFY_THROWS_EXCEPTION(InputError, sectionMoment(model, spec, partition, 0.05));   // between two nodes
    QVERIFY_THROWS_EXCEPTION(InputError, sectionMoment(model, spec, partition, 0.3));    // at the tip
    QVERIFY_THROWS_EXCEPTION(InputError, sectionMoment(model, spec, partition, -0.02));  // computed side
  }

  void specimenHasRatiosOfItsOwn() {
    const Model model = buildModel(cantileverInTwo({0.01, 0.02}));
    const Partition partition = cut(model, beyond(0.2));
    const Modes found = lowestModes(clamped(partition.physical, partition.interface_in_physical), 4);
    const double expected[] = {0.01, 0.02, 0.02, 0.02};
    for (int k = 0; k < 4; ++k) QVERIFY(std::abs(found.damping_ratio[k] - expected[k]) < 1e-6);
    // Moved as a whole it is not damped.
    Eigen::VectorXd up = Eigen::VectorXd::Zero(partition.physical.size());
    for (std::size_t k = 0; k < partition.physical.dofs.size(); ++k)
      if (partition.physical.dofs[k].motion == Motion::translation) up[static_cast<Eigen::Index>(k)] = 1.0;
    QVERIFY((partition.physical.c * up).norm() < 1e-6 * partition.physical.c.norm());
    // The computed side keeps the factors, and nothing is left out.
    const SparseMatrix rest = partition.numerical.c - 0.9 * partition.numerical.m - 7e-5 * partition.numerical.k;
    QVERIFY(rest.norm() < 1e-9 * partition.numerical.c.norm());
    QVERIFY(!partition.left_out.any() || partition.left_out.c.norm() < 1e-9 * partition.reference.c.norm());
  }
};

HYB_SUITE(sections, SectionsTest)
#include "sections.moc"
