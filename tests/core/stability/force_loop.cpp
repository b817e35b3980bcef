// Loops that ask for a force through compliance springs, and sides whose damping is unsymmetric: against closed forms,
// and against the loop from tick to tick.
#include <complex>

#include "core/base/json.h"
#include "core/linalg/dense.h"
#include "core/stability/characteristic.h"
#include "core/stability/condensed_side.h"
#include "core/stability/delay_stability.h"
#include "core/stability/discrete_loop.h"
#include "core/stability/loop_gain.h"
#include "core/structure/reduction.h"
#include "core/structure/structure.h"
#include "core/transfer/pure_delay.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using ForceRoot = std::complex<double>;

SparseMatrix sparse(const Eigen::MatrixXd& a) { return a.sparseView(); }

/// A specimen of 100 kg behind nothing, and a computed mass of 80 kg that stands on it.
Partition stackedPair(double c_in, double c_ni) {
  Partition cut;
  cut.interface = {{"a"}};
  cut.interface_in_reference = cut.interface_in_numerical = cut.interface_in_physical = {0};
  cut.physical.dofs = {{"a"}};
  cut.physical.m = sparse(Eigen::MatrixXd{{100.0}});
  cut.physical.c = sparse(Eigen::MatrixXd{{300.0}});
  cut.physical.k = sparse(Eigen::MatrixXd{{2e6}});
  cut.numerical.dofs = {{"a"}, {"b"}};
  cut.numerical.m = sparse(Eigen::MatrixXd{{0.0, 0.0}, {0.0, 80.0}});
  cut.numerical.c = sparse(Eigen::MatrixXd{{150.0, c_in}, {c_ni, 400.0}});
  cut.numerical.k = sparse(Eigen::MatrixXd{{3e5, -3e5}, {-3e5, 3e5}});
  cut.reference = cut.numerical;
  cut.reference.m = sparse(Eigen::MatrixXd{{100.0, 0.0}, {0.0, 80.0}});
  cut.reference.c = sparse(Eigen::MatrixXd{{450.0, -150.0}, {-150.0, 400.0}});
  cut.reference.k = sparse(Eigen::MatrixXd{{2.3e6, -3e5}, {-3e5, 3e5}});
  for (SystemMatrices* system : {&cut.reference, &cut.numerical, &cut.physical})
    system->m_support = system->c_support = system->k_support = Eigen::MatrixXd::Zero(system->size(), 0);
  return cut;
}

ForceRoot condensedByHand(double c_in, double c_ni, ForceRoot s) {
  return 150.0 * s + 3e5 - (c_in * s - 3e5) * (c_ni * s - 3e5) / (80.0 * s * s + 400.0 * s + 3e5);
}

}  // namespace

class ForceLoop : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void unsymmetricDampingIsCondensedWithBothItsCouplings() {
    const Partition cut = stackedPair(-150.0, -900.0);
    const CondensedSide side(cut.numerical, cut.interface_in_numerical);
    for (const ForceRoot s : {ForceRoot(0.0, 10.0), {-3.0, 61.0}, {2.0, 300.0}}) {
      const ForceRoot expected = condensedByHand(-150.0, -900.0, s);
      const CondensedSide::Value value = side.withDerivative(s);
      constexpr double step = 1e-4;
      const ForceRoot slope =
          (condensedByHand(-150.0, -900.0, s + step) - condensedByHand(-150.0, -900.0, s - step)) / (2.0 * step);
      compare(std::abs(side.at(s)(0, 0) / expected - 1.0), 0.0, 1e-12, "D");
      compare(std::abs(value.stiffness(0, 0) / expected - 1.0), 0.0, 1e-12, "D beside its derivative");
      compare(std::abs(value.derivative(0, 0) / slope - 1.0), 0.0, 1e-6, "dD/ds");
      compare(std::abs(condensedStiffness(cut.numerical, cut.interface_in_numerical, s)(0, 0) / expected - 1.0), 0.0,
              1e-12, "the other way");
    }
  }

  /// With an ideal actuator and a spring that is known the loop is the cut put together, whatever the spring.
  void withoutDelayTheRootsAreThoseOfTheWhole() {
    const Partition cut = stackedPair(-150.0, -150.0);
    for (const double spring : {1e4, 2.5e5, 1e7}) {
      const DelaySystem system{
          cut, {}, {}, {}, ForceSprings{Eigen::VectorXd::Constant(1, spring), Eigen::VectorXd::Constant(1, spring)}};
      const DelaySystem together{cut, {}, {}};
      const auto roots = rightmostRoots(system, 0.0, 60.0), expected = rightmostRoots(together, 0.0, 60.0);
      QCOMPARE(roots.size(), expected.size());
      QVERIFY(roots.size() >= 2);
      for (std::size_t r = 0; r < roots.size(); ++r)
        compare(std::abs(roots[r] - expected[r]), 0.0, 1e-6 * std::abs(expected[r]), "root, 1/s");
    }
  }

  /// The critical delay by the characteristic function is where the loop from tick to tick begins to grow.
  void criticalDelayIsThatOfTheLoopFromTickToTick() {
    constexpr double tick_s = 1.0 / 20000.0;
    const Partition cut = stackedPair(-150.0, -150.0);
    const auto grows = [&](double spring, double actual, double delay_s) {
      TwinParams twin;
      twin.actuators = {parseActuator(Json{{"model", "pure-delay"}, {"delay_s", delay_s}})};
      twin.actuators[0].spring = ComplianceSpring{actual, true};
      return discreteStability({.scheme = Scheme::exact_ramp}, cut, twin, tick_s, {}, nullptr,
                               Eigen::VectorXd::Constant(1, spring))
          .upTo(60.0)
          .grows();
    };
    for (const double share : {0.8, 1.0, 1.3}) {
      constexpr double spring = 2.5e5;
      const DelaySystem system{
          cut,
          {},
          {},
          {},
          ForceSprings{Eigen::VectorXd::Constant(1, spring), Eigen::VectorXd::Constant(1, share * spring)}};
      const auto critical = criticalDelay(system, 60.0, 0.1);
      QVERIFY(critical.has_value() && critical->delay_s > 0.0);
      QVERIFY(!grows(spring, share * spring, 0.9 * critical->delay_s - tick_s));
      QVERIFY(grows(spring, share * spring, 1.1 * critical->delay_s));
      const auto found = crossings(system, 60.0, 0.1);
      QVERIFY(!found.empty());
      compare(found.front().delay_s, critical->delay_s, 1e-9, "first crossing, s");
      // There a loop gain is -e^{s tau}.
      const ForceRoot s(0.0, 2.0 * 3.14159265358979323846 * critical->frequency_hz);
      const ForceRoot gain = LoopGain(system).at(s)[0] * std::exp(-s * critical->delay_s);
      compare(std::abs(gain + 1.0), 0.0, 1e-5, "loop gain");
    }
  }
};

HYB_SUITE(force_loop, ForceLoop)
#include "force_loop.moc"
