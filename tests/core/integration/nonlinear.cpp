#include <cmath>
#include <numbers>
#include <random>

#include "core/base/error.h"
#include "core/integration/link_forces.h"
#include "tests/core/integration/systems.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

double stiffness(const NonlinearLaw& law) {
  return std::visit([](const auto& s) { return s.stiffness_n_per_m; }, law);
}
double force(const NonlinearLaw& law, const LinkHistory& h) {
  return stiffness(law) * h.stretch + forceBeyondLinear(law, h);
}

/// Follows a path of stretches and returns the work done on the link, J, by the trapezoidal rule over `parts` pieces.
double work(const NonlinearLaw& law, LinkHistory& at, double stretch, int parts) {
  double sum = 0.0, before = force(law, at);
  const double start = at.stretch, part = (stretch - start) / parts;
  for (int i = 1; i <= parts; ++i) {
    at = advanced(law, at, start + i * part);
    const double now = force(law, at);
    sum += 0.5 * (before + now) * part;
    before = now;
  }
  return sum;
}

/// A mass of 2.2 kg on the link and a damper, pushed by a burst of sine from rest.
SystemMatrices massOn(const NonlinearLaw& law) {
  SystemMatrices s = oscillator(2.2, 8.0, stiffness(law));
  s.nonlinear = {{"link", law, 0, -1}};
  return s;
}

Eigen::VectorXd burst(double t) {
  return Eigen::VectorXd::Constant(
      1, 60.0 * std::pow(std::sin(std::numbers::pi * std::min(t, 0.4) / 0.4), 4) * std::sin(50.0 * t));
}

/// Displacements every 4 ms over half a second.
std::vector<double> response(Scheme scheme, const SystemMatrices& s, int steps_per_4ms) {
  const double step_s = 4e-3 / steps_per_4ms;
  const auto integrator = makeIntegrator(spec(scheme, 0.8), s, step_s);
  std::vector<double> x;
  for (int i = 1; i <= 125 * steps_per_4ms; ++i) {
    integrator->step(burst(i * step_s));
    if (i % steps_per_4ms == 0) x.push_back(integrator->displacement()[0]);
  }
  return x;
}

double worst(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

const CubicSpring kCubic{9000.0, 4e8};
const BilinearSpring kBilinear{9000.0, 20.0, 0.15};
const BoucWenSpring kBoucWen{9000.0, 2e-3, 0.15, 0.6, 0.4, 1.5};

}  // namespace

class NonlinearTest : public QObject {
  Q_OBJECT

  static void explicitSchemes() {
    QTest::addColumn<int>("index");
    for (const Scheme s : allSchemes())
      if (isExplicit(s)) QTest::newRow(name(s).data()) << static_cast<int>(s);
  }
  static Scheme scheme() {
    QFETCH(int, index);
    return static_cast<Scheme>(index);
  }

 private Q_SLOTS:
  void cubicSpringConverges_data() { explicitSchemes(); }
  /// Order two for every scheme under a load that is a polygon; reference with 50 times finer steps.
  void cubicSpringConverges() {
    const SystemMatrices s = massOn(kCubic);
    static const std::vector<double> reference = response(Scheme::dormand_prince_8, s, 2000);
    const double peak = worst(reference, std::vector<double>(reference.size(), 0.0));
    QVERIFY(kCubic.cubic_n_per_m3 * peak * peak > 0.5 * kCubic.stiffness_n_per_m);  // it is nonlinear
    const double coarse = worst(response(scheme(), s, 20), reference);
    const double fine = worst(response(scheme(), s, 40), reference);
    QVERIFY2(fine < 1e-2 * peak, qPrintable(QString::number(fine / peak)));
    QVERIFY2(std::abs(std::log2(coarse / fine) - 2.0) < 0.15, qPrintable(QString::number(std::log2(coarse / fine))));
  }

  void hystereticLinksConverge_data() { explicitSchemes(); }
  /// Corners of the force spoil the order at single steps, so only the error itself is bounded.
  void hystereticLinksConverge() {
    static const std::vector<double> references[] = {response(Scheme::newmark_explicit, massOn(kBilinear), 2000),
                                                     response(Scheme::newmark_explicit, massOn(kBoucWen), 2000)};
    for (const NonlinearLaw& law : {NonlinearLaw(kBilinear), NonlinearLaw(kBoucWen)}) {
      const SystemMatrices s = massOn(law);
      const std::vector<double>& reference = references[std::holds_alternative<BoucWenSpring>(law)];
      const double peak = worst(reference, std::vector<double>(reference.size(), 0.0));
      const double coarse = worst(response(scheme(), s, 10), reference);
      const double fine = worst(response(scheme(), s, 40), reference);
      QVERIFY2(fine < 2e-3 * peak, qPrintable(QString::number(fine / peak)));
      QVERIFY2(coarse > 8.0 * fine, qPrintable(QString::number(coarse / fine)));
      auto linear = s;
      linear.nonlinear.clear();
      QVERIFY(worst(response(scheme(), linear, 40), reference) > 0.1 * peak);  // it matters
    }
  }

  /// With reversals at +-x_m, f_y = k x_y: area 4 (1 - r) f_y (x_m - x_y) a turn. Steps that meet the corners.
  void bilinearLoopHasItsArea() {
    const double k = 9000.0, fy = 9.0, xy = 1e-3;
    for (const double r : {0.0, 0.15, 0.5})
      for (const double xm : {2e-3, 4e-3}) {
        const BilinearSpring spring{k, fy, r};
        LinkHistory at;
        work(spring, at, xm, 40);
        double area = 0.0;
        for (int turn = 0; turn < 3; ++turn) {
          const double before = area;
          area += work(spring, at, -xm, 80);
          area += work(spring, at, xm, 80);
          const double exact = 4.0 * (1.0 - r) * fy * (xm - xy);
          QVERIFY2(std::abs((area - before) / exact - 1.0) < 1e-12,
                   qPrintable(QString::number((area - before) / exact)));
        }
      }
  }

  /// One long move is many short ones in the same direction.
  void bilinearMoveMayBeCutUp() {
    LinkHistory once, often;
    for (const double stretch : {0.004, -0.001, -0.006, 0.002, 0.0021}) {
      once = advanced(kBilinear, once, stretch);
      work(kBilinear, often, stretch, 37);
      QVERIFY(std::abs(once.memory - often.memory) < 1e-16);
    }
  }

  /// Whatever the path, the work put in covers what is stored: elastic part and shift of the elastic range.
  void bilinearLinkNeverGivesMoreThanItGot() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> stretch(-0.02, 0.02);
    const double modulus = kBilinear.stiffness_n_per_m * kBilinear.hardening_ratio / (1.0 - kBilinear.hardening_ratio);
    LinkHistory at;
    double put_in = 0.0, lost_before = 0.0;
    for (int i = 0; i < 2000; ++i) {
      put_in += work(kBilinear, at, stretch(random), 400);
      const double f = force(kBilinear, at);
      const double stored = 0.5 * f * f / kBilinear.stiffness_n_per_m + 0.5 * modulus * at.memory * at.memory;
      const double lost = put_in - stored;
      QVERIFY2(lost > lost_before - 1e-4,
               qPrintable(QString::number(lost - lost_before)));  // trapezoids at the corners
      lost_before = lost;
    }
    QVERIFY(lost_before > 100.0);
  }

  /// beta = gamma = 1/2: first loading z = 1 - e^(-s) for n = 1 and tanh(s) for n = 2, s = d / D; unloading z' = 1.
  void boucWenMeetsTheClosedForm() {
    for (const double step : {0.02, 0.1, 0.5, 3.0}) {
      LinkHistory one, two;
      const BoucWenSpring n1{9000.0, 2e-3, 0.1, 0.5, 0.5, 1.0}, n2{9000.0, 2e-3, 0.1, 0.5, 0.5, 2.0};
      for (double s = step; s < 6.0; s += step) {
        one = advanced(n1, one, -2e-3 * s);
        two = advanced(n2, two, 2e-3 * s);
        QVERIFY(std::abs(one.memory + 1.0 - std::exp(-s)) < 1e-6);
        QVERIFY(std::abs(two.memory - std::tanh(s)) < 1e-6);
      }
      const LinkHistory back = advanced(n2, two, two.stretch - 2e-3 * 0.7);
      QVERIFY(std::abs(back.memory - two.memory + 0.7) < 1e-9);
    }
  }

  /// Coarse moves against fine ones on a random path, for other shapes.
  void boucWenMovesMayBeCoarse_data() {
    QTest::addColumn<double>("beta");
    QTest::addColumn<double>("gamma");
    QTest::addColumn<double>("exponent");
    QTest::newRow("softening") << 0.5 << 0.5 << 2.0;
    QTest::newRow("slim") << 0.1 << 0.9 << 1.5;
    QTest::newRow("fat and sharp") << 0.9 << 0.1 << 5.0;
    QTest::newRow("bulging") << 0.8 << -0.3 << 1.0;
  }
  void boucWenMovesMayBeCoarse() {
    QFETCH(double, beta);
    QFETCH(double, gamma);
    QFETCH(double, exponent);
    const BoucWenSpring spring{9000.0, 2e-3, 0.1, beta, gamma, exponent};
    std::mt19937 random(11);
    std::uniform_real_distribution<double> stretch(-8e-3, 8e-3);
    LinkHistory coarse, fine;
    for (int i = 0; i < 200; ++i) {
      const double to = stretch(random);
      coarse = advanced(spring, coarse, to);
      work(spring, fine, to, 2000);
      QVERIFY2(std::abs(coarse.memory - fine.memory) < 1e-4, qPrintable(QString::number(coarse.memory - fine.memory)));
    }
    // A leap ends at the bound of z, as near as 20 yield stretches bring it: the rest decays with exponent / bound.
    const double bound = std::pow(1.0 / (beta + gamma), 1.0 / exponent);
    const double rest = 3.0 * bound * std::exp(-20.0 * exponent / bound) + 1e-9;
    QVERIFY(std::abs(advanced(spring, fine, 1e3).memory - bound) < rest);
  }

  /// Between two masses: opposite forces, and as much momentum as the load has put in.
  void forcesOfALinkCancel() {
    for (const NonlinearLaw& law : {NonlinearLaw(kCubic), NonlinearLaw(kBilinear), NonlinearLaw(kBoucWen)}) {
      const double k = stiffness(law);
      Eigen::Matrix2d matrix;
      matrix << k, -k, -k, k;
      SystemMatrices s = systemOf(2.2 * Eigen::Matrix2d::Identity(), Eigen::Matrix2d::Zero(), matrix);
      s.nonlinear = {{"link", law, 0, 1}};
      const auto integrator = makeIntegrator(spec(Scheme::rk4), s, 1e-4);
      for (int i = 1; i <= 2000; ++i) integrator->step(Eigen::Vector2d(60.0, 0.0) * (i < 1000 ? 1.0 : 0.0));
      QVERIFY(std::abs(2.2 * integrator->velocity().sum() / (60.0 * 999.5e-4 - 0.0) - 1.0) < 1e-3);
      QVERIFY(integrator->displacement()[0] != integrator->displacement()[1]);
    }
  }

  void stateCarriesTheHistory_data() { explicitSchemes(); }
  void stateCarriesTheHistory() {
    SystemMatrices s = chain(3);
    s.nonlinear = {{"bilinear", kBilinear, 0, -1}, {"bouc-wen", kBoucWen, 1, 2}, {"cubic", kCubic, -1, 2}};
    const auto first = makeIntegrator(spec(scheme(), 0.8), s, 1e-3),
               second = makeIntegrator(spec(scheme(), 0.8), s, 1e-3);
    for (int i = 1; i <= 200; ++i) first->step(5.0 * roughLoad(3, i));
    second->setState(first->state());
    for (int i = 201; i <= 300; ++i) {
      first->step(5.0 * roughLoad(3, i));
      second->step(5.0 * roughLoad(3, i));
    }
    QVERIFY(first->state() == second->state());
    QVERIFY(std::abs(first->state()[13]) > 0.0);  // plastic stretch
    first->reset();
    QVERIFY(first->state().isZero(0.0));
  }
};

HYB_SUITE(integration_nonlinear, NonlinearTest)
#include "nonlinear.moc"
