/// The assembled reference that is drawn beside a sweep.
#include <cmath>
#include <limits>
#include <vector>

#include "core/assess/resonance.h"
#include "core/project/project.h"
#include "core/run/build.h"
#include "tests/support/balance_run.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// Of condensing a side on its interface, N/m: an elimination for each DOF, of terms of the stiffness at the interface.
double roundingOf(const SystemMatrices& side, const std::vector<Eigen::Index>& interface,
                  const Eigen::Vector2d& lengths) {
  double largest = 0.0;
  for (std::size_t i = 0; i < interface.size(); ++i) {
    const double length = lengths[static_cast<Eigen::Index>(i)];
    largest = std::max(largest, std::abs(side.k.coeff(interface[i], interface[i])) / (length * length));
  }
  return static_cast<double>(side.k.rows()) * std::numeric_limits<double>::epsilon() * largest;
}

}  // namespace

class SweepReferenceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// What is drawn beside a sweep is the response of both sides together. It is compared where it is a balance of the
  /// assembled stiffness D, rotations made displacements by the length of the residual: D u = F and f = -D_P u. Both D
  /// are condensed from stiffnesses of elements, DOF after DOF; each elimination may be wrong by the rounding of the
  /// largest of them, which is 4 decades above D. In u itself that is larger by the condition of D, from 17 to 99.
  void theReferenceOfASweep() {
    const Project project = parseProject(templateDocument("cantilever-iterative"));
    const Partition partition = buildPartition(project);
    const auto reference = project.coupling->sweepReference(partition, project.partition, 100);
    QVERIFY(reference.has_value());
    BothSides sides(project);
    sides.partition = cut(buildModel(project.structure), project.partition);  // in the DOF of the cut, not reduced
    const Eigen::Vector2d lengths(1.0, project.document["coupling"]["residual"]["length_m"].get<double>());
    const auto unit = lengths.cwiseInverse().asDiagonal();
    const Eigen::VectorXcd load = 0.04 * Eigen::VectorXcd::Unit(2, 0);
    const double rounding = roundingOf(sides.partition.numerical, sides.partition.interface_in_numerical, lengths) +
                            roundingOf(sides.partition.physical, sides.partition.interface_in_physical, lengths);
    std::vector<ResponsePoint> deflection;
    bool of_sweep = false;
    for (const SweepReference::Point& point : reference->points) {
      const Eigen::MatrixXcd specimen = unit * sides.physical(point.frequency_hz) * unit;
      const Eigen::MatrixXcd both = unit * sides.numerical(point.frequency_hz) * unit + specimen;
      const Eigen::VectorXcd motion = lengths.asDiagonal() * point.motion.col(0);
      const Eigen::VectorXcd force = unit * point.force.col(0);
      const double share = (both * motion - load).norm() / motion.norm();
      QVERIFY2(share < 2.0 * rounding, qPrintable(QString("%1 Hz: %2").arg(point.frequency_hz).arg(share / rounding)));
      QVERIFY((force + specimen * motion).norm() < 2.0 * rounding * motion.norm());
      of_sweep = of_sweep || point.frequency_hz == 17.5;
      QVERIFY(deflection.empty() || deflection.back().hz < point.frequency_hz);
      deflection.push_back({point.frequency_hz, point.motion(0, 0)});
    }
    QVERIFY(of_sweep && deflection.size() >= 100);
    const auto band = resonanceOf(deflection);
    QVERIFY(band && band->half_power && band->peak_hz > 17.0 && band->peak_hz < 18.0);
    QVERIFY(!parseProject(templateDocument("three-mass")).coupling->sweepReference(partition, {}, 10).has_value());
  }
};

HYB_SUITE(sweep_reference, SweepReferenceTest)
#include "sweep_reference_test.moc"
