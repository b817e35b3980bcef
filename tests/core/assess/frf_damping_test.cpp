#include <cmath>
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

  /// What is drawn beside a sweep is the response of both sides together.
  void theReferenceOfASweep() {
    const Project project = parseProject(templateDocument("cantilever-iterative"));
    const Partition partition = buildPartition(project);
    const auto reference = project.coupling->sweepReference(partition, project.partition, 100);
    QVERIFY(reference.has_value());
    BothSides sides(project);
    sides.partition = cut(buildModel(project.structure), project.partition);  // in the DOF of the cut, not reduced
    std::vector<double> hz, size;
    bool of_sweep = false;
    for (const SweepReference::Point& point : reference->points) {
      const Eigen::VectorXcd motion = 0.04 * sides.response(point.frequency_hz);
      QVERIFY2((point.motion.col(0) - motion).norm() < 1e-6 * motion.norm(),
               qPrintable(QString::number(point.frequency_hz)));
      const Eigen::VectorXcd force = -sides.physical(point.frequency_hz) * point.motion.col(0);
      QVERIFY((point.force.col(0) - force).norm() < 1e-6 * force.norm());
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
