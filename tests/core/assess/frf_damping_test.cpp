#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/assess/frf_damping.h"
#include "core/project/project.h"
#include "core/run/build.h"
#include "tests/support/balance_run.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// Receptance of one mass over frequencies, Hz.
std::vector<double> receptance(const std::vector<double>& hz, double natural_hz, double ratio) {
  std::vector<double> size;
  for (const double f : hz) {
    const double r = f / natural_hz;
    size.push_back(1.0 / std::hypot(1.0 - r * r, 2.0 * ratio * r));
  }
  return size;
}

std::vector<double> evenly(double from, double to, int count) {
  std::vector<double> hz;
  for (int k = 0; k < count; ++k) hz.push_back(from + (to - from) * k / (count - 1));
  return hz;
}

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

class FrfDampingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void halfPowerOfOneMass() {
    for (const double ratio : {0.005, 0.02}) {
      const std::vector<double> hz = evenly(9.0, 11.0, 2001);
      const auto found = halfPower(hz, receptance(hz, 10.0, ratio));
      QVERIFY(found.has_value());
      compareRelative(found->ratio, ratio, 2.0 * ratio, "half-power damping");  // exact for light damping
      compareRelative(found->peak_hz, 10.0, 1e-3, "peak, Hz");
      QVERIFY(found->from_hz < found->peak_hz && found->peak_hz < found->to_hz);
    }
  }

  void noneWithoutBothSides() {
    const std::vector<double> below = evenly(9.0, 10.0, 101), beside = evenly(10.5, 12.0, 101);
    QVERIFY(!halfPower(below, receptance(below, 10.0, 0.01)));
    QVERIFY(!halfPower(beside, receptance(beside, 10.0, 0.01)));
    QVERIFY(!halfPower(std::vector<double>{}, std::vector<double>{}));
    QVERIFY(!halfPower(std::vector<double>{1.0, 2.0}, std::vector<double>{1.0, 2.0}));
    const std::vector<double> coarse{9.0, 10.0, 11.0};
    const auto one = halfPower(coarse, receptance(coarse, 10.0, 0.01));
    QVERIFY(one && one->inside == 1);
  }

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
    std::vector<double> hz, size;
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
      QVERIFY(hz.empty() || hz.back() < point.frequency_hz);
      hz.push_back(point.frequency_hz);
      size.push_back(std::abs(point.motion(0, 0)));
    }
    QVERIFY(of_sweep && hz.size() >= 100);
    const auto band = halfPower(hz, size);
    QVERIFY(band && band->peak_hz > 17.0 && band->peak_hz < 18.0);
    QVERIFY(!parseProject(templateDocument("three-mass")).coupling->sweepReference(partition, {}, 10).has_value());
  }
};

HYB_SUITE(frf_damping, FrfDampingTest)
#include "frf_damping_test.moc"
