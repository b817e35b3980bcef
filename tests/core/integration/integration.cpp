#include <cmath>
#include <numbers>

#include "core/base/allocation_guard.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/linalg/dense.h"
#include "core/linalg/eigen.h"
#include "tests/core/integration/systems.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Complex = std::complex<double>;
constexpr double kRho = 0.6;  // rho_inf that every scheme takes and that shows

/// m x'' + c x' + k x = p0 + p1 t from x0, v0: closed form, underdamped.
struct RampResponse {
  double m, c, k;
  /// {x, v} after t.
  std::pair<double, double> at(double x0, double v0, double p0, double p1, double t) const {
    const double particular0 = p0 / k - c * p1 / (k * k), slope = p1 / k;
    const Complex root(-c / (2.0 * m), std::sqrt(k / m - c * c / (4.0 * m * m)));
    // x = particular + Re(amplitude e^{root t})
    const double re = x0 - particular0, im = (root.real() * re - (v0 - slope)) / root.imag();
    const Complex moving = Complex(re, im) * std::exp(root * t);
    return {particular0 + slope * t + moving.real(), slope + (root * moving).real()};
  }
};

Eigen::VectorXd one(double value) { return Eigen::VectorXd::Constant(1, value); }

/// Largest error of the displacement against the exact response to a sine force, over two periods of the load.
double errorUnderSine(const IntegratorSpec& spec, double step_s) {
  const double m = 2.2, c = 30.0, k = 9000.0, omega = kTwoPi * 8.0;
  const auto integrator = makeIntegrator(spec, oscillator(m, c, k), step_s);
  const Complex steady = 1.0 / Complex(k - m * omega * omega, c * omega);
  const Complex root(-c / (2.0 * m), std::sqrt(k / m - c * c / (4.0 * m * m)));
  // At rest at t = 0 under sin(w t): steady part Im(steady e^{iwt}) plus Re(a e^{root t}).
  const double x0 = -steady.imag(), v0 = -(Complex(0.0, omega) * steady).imag();
  const Complex a(x0, (root.real() * x0 - v0) / root.imag());
  double worst = 0.0;
  const int steps = static_cast<int>(std::lround(0.25 / step_s));
  for (int i = 1; i <= steps; ++i) {
    const double t = i * step_s;
    integrator->step(one(std::sin(omega * t)));
    const double exact = (steady * std::exp(Complex(0.0, omega * t))).imag() + (a * std::exp(root * t)).real();
    worst = std::max(worst, std::abs(integrator->displacement()[0] - exact));
  }
  return worst;
}

/// The state after the start from x0, v0 with balanced acceleration and no load.
Eigen::VectorXd startingState(const Integrator& integrator, Scheme scheme, const SystemMatrices& s,
                              const Eigen::VectorXd& x0, const Eigen::VectorXd& v0, double step_s) {
  const Eigen::VectorXd a0 = -linalg::inverse(s.m) * (s.c * v0 + s.k * x0);
  Eigen::VectorXd state = Eigen::VectorXd::Zero(integrator.state().size());
  state.head(3 * s.size()) << x0, v0, a0;
  // Central difference knows the displacement one step ahead of velocity and acceleration.
  if (scheme == Scheme::central_difference) state.head(s.size()) += step_s * v0 + 0.5 * step_s * step_s * a0;
  // The velocity of the model-based schemes lags by gamma steps: x' = x + dt v + dt^2 (1/2 + gamma) alpha_1 a.
  const double r = kRho, gamma = scheme == Scheme::cr         ? 0.5
                                 : scheme == Scheme::kr_alpha ? 1.5 - 2.0 * r / (1.0 + r)
                                                              : 2.0 / (1.0 + r * r) - 0.5;
  if (scheme == Scheme::cr || scheme == Scheme::kr_alpha || scheme == Scheme::mkr_alpha)
    state.segment(s.size(), s.size()) -= gamma * step_s * a0;
  return state;
}

/// Largest error of the displacement in free vibration of three damped masses over 0.2 s against the modes.
double errorInFreeVibration(const IntegratorSpec& spec, double step_s) {
  const SystemMatrices s = chain(3, 5.0);
  const Eigen::Vector3d x0(1e-3, -2e-3, 0.5e-3), v0(0.1, 0.0, -0.2);
  const linalg::SymmetricModes modes = linalg::generalisedModes(s.k, s.m);
  const Eigen::Vector3d q0 = modes.vectors.transpose() * (s.m * x0);
  const Eigen::Vector3d dq0 = modes.vectors.transpose() * (s.m * v0);

  const auto integrator = makeIntegrator(spec, s, step_s);
  integrator->setState(startingState(*integrator, spec.scheme, s, x0, v0, step_s));
  const int lead = spec.scheme == Scheme::central_difference ? 1 : 0;
  double worst = 0.0;
  for (int i = 1; i <= static_cast<int>(std::lround(0.2 / step_s)); ++i) {
    integrator->step(Eigen::Vector3d::Zero());
    Eigen::Vector3d q;
    for (int j = 0; j < 3; ++j) {
      const double lambda = modes.values[j];  // C is 5/9000 of K
      q[j] = RampResponse{1.0, 5.0 / 9000.0 * lambda, lambda}.at(q0[j], dq0[j], 0.0, 0.0, (i + lead) * step_s).first;
    }
    worst = std::max(worst, (integrator->displacement() - modes.vectors * q).cwiseAbs().maxCoeff());
  }
  return worst;
}

bool isExact(Scheme s) { return s == Scheme::exact_ramp || s == Scheme::exact_hold; }

/// Takes degrees of freedom without mass.
bool solvesAtOnce(Scheme s) { return s == Scheme::newmark || s == Scheme::hht || s == Scheme::generalised_alpha; }

bool balancesAtTheTick(Scheme s) {
  return s != Scheme::hht && s != Scheme::generalised_alpha && s != Scheme::alpha_os && s != Scheme::kr_alpha &&
         s != Scheme::mkr_alpha && s != Scheme::central_difference;
}

}  // namespace

class IntegrationTest : public QObject {
  Q_OBJECT

  static void everyScheme() {
    QTest::addColumn<int>("index");
    for (const Scheme s : allSchemes()) QTest::newRow(name(s).data()) << static_cast<int>(s);
  }
  static Scheme scheme() {
    QFETCH(int, index);
    return static_cast<Scheme>(index);
  }
  static void faultAt(const std::string& where, const std::string& words, const IntegratorSpec& s,
                      const SystemMatrices& system, double tick_s) {
    try {
      makeIntegrator(s, system, tick_s);
      QFAIL("took what cannot be integrated");
    } catch (const InputError& error) {
      QCOMPARE(error.issues().size(), std::size_t{1});
      QCOMPARE(error.issues()[0].where, where);
      QVERIFY2(error.issues()[0].message.find(words) != std::string::npos, error.what());
    }
  }

 private Q_SLOTS:
  /// Loads that are given as shares of two columns are those loads: after a rest, too.
  void sharesOfColumnsAreLoads_data() { everyScheme(); }
  void sharesOfColumnsAreLoads() {
    const SystemMatrices s = chain(5);
    Eigen::MatrixXd columns(5, 2);
    columns << 1.0, 0.0, 1.0, -3.0, 0.5, 0.0, 1.0, 2.0, 1.0, 0.0;
    const auto whole = makeIntegrator(spec(scheme()), s, 1e-3), by_shares = makeIntegrator(spec(scheme()), s, 1e-3);
    QCOMPARE(by_shares->loadBy(columns), isExact(scheme()));
    if (!isExact(scheme())) return;
    for (int test = 0; test < 2; ++test) {
      for (int tick = 1; tick <= 300; ++tick) {
        const Eigen::VectorXd shares = roughLoad(2, tick);
        whole->step(columns * shares);
        {
          const AllocationGuard guard;
          by_shares->step(shares);
          QCOMPARE(guard.count(), std::uint64_t{0});
        }
        QVERIFY((whole->displacement() - by_shares->displacement()).norm() <= 1e-12 * whole->displacement().norm());
        QVERIFY((whole->velocity() - by_shares->velocity()).norm() <= 1e-11 * whole->velocity().norm());
        QVERIFY((whole->acceleration() - by_shares->acceleration()).norm() <= 1e-11 * whole->acceleration().norm());
      }
      const auto other = makeIntegrator(spec(scheme()), s, 1e-3);
      other->loadBy(columns);
      other->setState(by_shares->state());
      other->step(roughLoad(2, 7));
      by_shares->step(roughLoad(2, 7));
      QCOMPARE(other->displacement(), by_shares->displacement());
      whole->reset();
      by_shares->reset();
    }
  }

  void equationOfMotionHolds_data() { everyScheme(); }
  void equationOfMotionHolds() {
    if (!balancesAtTheTick(scheme())) return;  // these balance at another instant: see spectra
    const SystemMatrices s = chain(3);
    const auto integrator = makeIntegrator(spec(scheme()), s, 1e-3);
    for (int tick = 1; tick <= 500; ++tick) {
      const Eigen::VectorXd load = roughLoad(3, tick);
      integrator->step(load);
      const Eigen::VectorXd rest =
          s.m * integrator->acceleration() + s.c * integrator->velocity() + s.k * integrator->displacement() - load;
      // Rounding; explicit Newmark meets C times its own velocity, not the predicted one, after the solution only.
      QVERIFY2(rest.norm() < 1e-11 * load.norm(), qPrintable(QString::number(rest.norm())));
    }
  }

  void resetReturnsToRest_data() { everyScheme(); }
  void resetReturnsToRest() {
    const SystemMatrices s = chain(3);
    const auto used = makeIntegrator(spec(scheme(), kRho), s, 1e-3);
    const auto fresh = makeIntegrator(spec(scheme(), kRho), s, 1e-3);
    for (int tick = 1; tick <= 20; ++tick) used->step(roughLoad(3, tick));
    used->reset();
    QVERIFY(used->state().isZero(0.0));
    for (int tick = 1; tick <= 20; ++tick) {
      used->step(roughLoad(3, tick));
      fresh->step(roughLoad(3, tick));
    }
    QVERIFY(used->state() == fresh->state());
  }

  void stateCarriesEverything_data() { everyScheme(); }
  void stateCarriesEverything() {
    const SystemMatrices s = chain(3);
    const auto first = makeIntegrator(spec(scheme(), kRho), s, 1e-3);
    const auto second = makeIntegrator(spec(scheme(), kRho), s, 1e-3);
    for (int tick = 1; tick <= 20; ++tick) first->step(roughLoad(3, tick));
    second->setState(first->state());
    QVERIFY(second->state() == first->state());
    for (int tick = 21; tick <= 30; ++tick) {
      first->step(roughLoad(3, tick));
      second->step(roughLoad(3, tick));
    }
    QVERIFY(second->state() == first->state());
    QVERIFY(second->displacement() == first->state().head(3));
  }

  void forcedErrorShrinksWithOrderTwo_data() { everyScheme(); }
  /// Halving the step gives a quarter of the error, apart from terms of higher order. Runge-Kutta too: its load is a
  /// polygon, whatever its order. A held load lags by half a step: order one.
  void forcedErrorShrinksWithOrderTwo() {
    const double expected = scheme() == Scheme::exact_hold ? 2.0 : 4.0;
    for (const double step_s : {5e-4, 2.5e-4}) {
      const IntegratorSpec s = spec(scheme(), kRho);
      const double ratio = errorUnderSine(s, step_s) / errorUnderSine(s, 0.5 * step_s);
      QVERIFY2(std::abs(ratio / expected - 1.0) < 0.06, qPrintable(QString::number(ratio)));
    }
  }

  void freeErrorShrinksWithTheOrder_data() { everyScheme(); }
  void freeErrorShrinksWithTheOrder() {
    const Scheme s = scheme();
    if (isExact(s)) {
      QVERIFY(errorInFreeVibration(spec(s), 5e-3) < 1e-14);
      return;
    }
    const int order = s == Scheme::rk4 ? 4 : s == Scheme::bogacki_shampine ? 3 : s == Scheme::dormand_prince_8 ? 8 : 2;
    const double step_s = order == 8 ? 1e-2 : order > 2 ? 2e-3 : 5e-4;
    const IntegratorSpec with_rho = spec(s, kRho);
    const double ratio = errorInFreeVibration(with_rho, step_s) / errorInFreeVibration(with_rho, 0.5 * step_s);
    QVERIFY2(std::abs(std::log2(ratio) - order) < 0.15, qPrintable(QString::number(std::log2(ratio))));
  }

  void exactSchemesMeetTheClosedForm_data() {
    QTest::addColumn<bool>("hold");
    QTest::addColumn<double>("step_s");
    for (const bool hold : {false, true})
      for (const double step_s : {1e-4, 1e-3, 2e-2})
        QTest::newRow(qPrintable(QString("%1 %2 s").arg(hold ? "hold" : "ramp").arg(step_s))) << hold << step_s;
  }
  void exactSchemesMeetTheClosedForm() {
    QFETCH(bool, hold);
    QFETCH(double, step_s);
    const RampResponse exact{2.2, 30.0, 9000.0};
    const auto integrator =
        makeIntegrator(spec(hold ? Scheme::exact_hold : Scheme::exact_ramp), oscillator(2.2, 30.0, 9000.0), step_s);
    double x = 0.0, v = 0.0, old_load = 0.0;
    const double static_m = 10.0 / exact.k, rounding = 1e-12;  // the closed form itself cancels terms of static size
    for (int tick = 1; tick <= 200; ++tick) {
      const double load = roughLoad(1, tick)[0];
      const double slope = hold ? 0.0 : (load - old_load) / step_s;
      std::tie(x, v) = exact.at(x, v, old_load, slope, step_s);
      old_load = load;
      integrator->step(one(load));
      QVERIFY(std::abs(integrator->displacement()[0] - x) < rounding * static_m);
      QVERIFY(std::abs(integrator->velocity()[0] - v) < rounding * static_m * std::sqrt(exact.k / exact.m));
    }
  }

  /// Without damping by the scheme none neither feeds nor drains an undamped system, at any step.
  void averageAccelerationKeepsTheEnergy_data() {
    QTest::addColumn<double>("step_s");
    QTest::newRow("fine") << 1e-4;
    QTest::newRow("1 kHz") << 1e-3;
    QTest::newRow("far too coarse") << 0.1;
  }
  void averageAccelerationKeepsTheEnergy() {
    QFETCH(double, step_s);
    const SystemMatrices s = chain(3, 0.0);
    const auto integrator = makeIntegrator(spec(Scheme::newmark), s, step_s);
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(3);
    integrator->step(Eigen::Vector3d(5.0, -2.0, 9.0));
    integrator->step(none);  // free from here on
    const auto energy = [&] {
      const Eigen::VectorXd &x = integrator->displacement(), &v = integrator->velocity();
      return 0.5 * v.dot(s.m * v) + 0.5 * x.dot(s.k * x);
    };
    const double start = energy();
    QVERIFY(start > 0.0);
    for (int tick = 0; tick < 10000; ++tick) integrator->step(none);
    QVERIFY2(std::abs(energy() / start - 1.0) < 1e-9, qPrintable(QString::number(energy() / start - 1.0)));
  }

  /// Period elongation of average acceleration: (w h)^2 / 12 to first order. Source: Chopra, Dynamics of Structures,
  /// numerical evaluation of dynamic response.
  void newmarkStretchesThePeriod() {
    const double k = 9000.0, m = 2.2, omega = std::sqrt(k / m), h = 1e-3;
    const auto integrator = makeIntegrator(spec(Scheme::newmark), oscillator(m, 0.0, k), h);
    integrator->step(one(1.0));
    double first = 0.0, last = 0.0, before = integrator->displacement()[0];
    int crossings = 0;
    for (int tick = 2; crossings < 101; ++tick) {
      integrator->step(one(0.0));
      const double now = integrator->displacement()[0];
      if (before < 0.0 && now >= 0.0) {
        (crossings++ == 0 ? first : last) = h * (tick - now / (now - before));
      }
      before = now;
    }
    const double stretch = (last - first) / 100.0 * omega / kTwoPi - 1.0;
    QVERIFY2(std::abs(stretch / (omega * omega * h * h / 12.0) - 1.0) < 0.05, qPrintable(QString::number(stretch)));
  }

  /// A stiff system with a step far beyond its period stays bounded.
  void stiffSystemStaysBounded_data() { everyScheme(); }
  void stiffSystemStaysBounded() {
    if (std::isfinite(stabilityLimit(scheme()))) return;
    const auto integrator = makeIntegrator(spec(scheme(), kRho), oscillator(1.0, 0.1, 1e9), 1e-3);
    for (int tick = 1; tick <= 20000; ++tick) integrator->step(roughLoad(1, tick));
    // The static answer is 1e-8 m. CR takes the load as it comes, without a mean over the step, and amplifies what
    // swings at half the rate of the ticks; the others damp it or do not see it.
    const double bound_m = scheme() == Scheme::cr ? 1e-3 : 1e-6;
    QVERIFY(std::abs(integrator->displacement()[0]) < bound_m);
  }

  void largeSystemIsTheSumOfItsModes_data() { everyScheme(); }
  /// 200 DOF with full mass matrix through the sparse solvers, against 200 single masses.
  void largeSystemIsTheSumOfItsModes() {
    const Eigen::Index n = isExact(scheme()) ? 20 : test::kThorough ? 200 : 60;  // the exact ones are full
    const SystemMatrices s = rod(n);
    const linalg::SymmetricModes modes = linalg::generalisedModes(s.k, s.m);
    const double fastest = std::sqrt(modes.values[n - 1]);
    const double limit = stabilityLimit(scheme());
    const double step_s = (std::isinf(limit) ? 20.0 : 0.4 * limit) / fastest;
    const auto whole = makeIntegrator(spec(scheme(), kRho), s, step_s);
    std::vector<std::unique_ptr<Integrator>> single;
    for (Eigen::Index j = 0; j < n; ++j) {
      const double lambda = modes.values[j];
      single.push_back(makeIntegrator(spec(scheme(), kRho), oscillator(1.0, 5.0 + 2e-7 * lambda, lambda), step_s));
    }
    double largest = 0.0;
    for (int tick = 1; tick <= 50; ++tick) {
      const Eigen::VectorXd load = roughLoad(n, tick), modal = modes.vectors.transpose() * load;
      whole->step(load);
      Eigen::VectorXd q(n);
      for (Eigen::Index j = 0; j < n; ++j) {
        single[static_cast<std::size_t>(j)]->step(one(modal[j]));
        q[j] = single[static_cast<std::size_t>(j)]->displacement()[0];
      }
      largest = std::max(largest, whole->displacement().norm());
      const double error = (whole->displacement() - modes.vectors * q).norm();
      QVERIFY2(error <= 1e-10 * largest, qPrintable(QString::number(error / largest)));
    }
  }

  void stepDoesNotAllocate_data() { everyScheme(); }
  void stepDoesNotAllocate() {
    for (const Eigen::Index n : {3, 200})
      for (const int kind : {0, 1, 2, 3}) {
        if (n > 3 && isExact(scheme())) continue;
        SystemMatrices s = n == 3 ? chain(3) : rod(n);
        IntegratorSpec with = spec(scheme(), kRho);
        if (kind == 1) with.substeps = 4;
        if (kind == 2) with.ticks_per_step = 4;
        if (kind == 3 && isExplicit(scheme()))
          s.nonlinear = {{"cubic", CubicSpring{0.0, 1e6}, 0, 1},
                         {"bilinear", BilinearSpring{1e3, 1.0, 0.1}, 1, -1},
                         {"bouc-wen", BoucWenSpring{1e3, 1e-4, 0.1}, -1, 2}};
        const auto integrator = makeIntegrator(with, s, 1e-6);
        const Eigen::VectorXd load = roughLoad(n, 1);
        const AllocationGuard guard;
        for (int tick = 0; tick < 20; ++tick) integrator->step(load);
        integrator->reset();
        QCOMPARE(guard.count(), std::uint64_t{0});
      }
  }

  void refusesWhatCannotBeIntegrated() {
    const SystemMatrices good = chain(3);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    faultAt("/loop/rate_hz", "positive", spec(Scheme::newmark), good, 0.0);
    faultAt("/loop/rate_hz", "positive", spec(Scheme::newmark), good, nan);
    faultAt("/structure", "of equal size", spec(Scheme::newmark), {}, 1e-3);
    faultAt("/integrator/rho_inf", "1.2", spec(Scheme::kr_alpha, 1.2), good, 1e-3);
    faultAt("/integrator/rho_inf", "nan", spec(Scheme::mkr_alpha, nan), good, 1e-3);
    faultAt("/integrator/rho_inf", "between 0.5 and 1", spec(Scheme::hht, 0.4), good, 1e-3);
    faultAt("/integrator/rho_inf", "between 0.5 and 1", spec(Scheme::alpha_os, 0.4), good, 1e-3);
    faultAt("/integrator/substeps", "0", {.substeps = 0}, good, 1e-3);
    faultAt("/integrator/ticks_per_step", "-1", {.ticks_per_step = -1}, good, 1e-3);
    faultAt("/integrator/ticks_per_step", "set one of the two", {.substeps = 2, .ticks_per_step = 2}, good, 1e-3);
    faultAt("/integrator/scheme", "400", spec(Scheme::exact_ramp), rod(401), 1e-3);
    QVERIFY_THROWS_EXCEPTION(InputError, schemeFromName("euler"));
    for (const Scheme s : allSchemes()) QVERIFY(schemeFromName(std::string(name(s))) == s && !title(s).empty());

    for (const Scheme s : allSchemes()) {
      SystemMatrices bad = good;
      bad.m.coeffRef(1, 1) = 0.0;
      if (solvesAtOnce(s))
        QVERIFY(makeIntegrator(spec(s), bad, 1e-3));
      else
        faultAt("/structure", "no mass at \"m2\"", spec(s), bad, 1e-3);
      bad = good;
      // Two masses that are one, or, where these are taken, a motion with a negative mass.
      bad.m.coeffRef(0, 1) = bad.m.coeffRef(1, 0) = solvesAtOnce(s) ? 2.4 : 2.2;
      faultAt("/structure", "not positive definite", spec(s), bad, 1e-3);
      bad = good;
      bad.k.coeffRef(1, 1) = std::numeric_limits<double>::infinity();
      faultAt("/structure", "finite", spec(s), bad, 1e-3);
      bad = good;
      bad.c.coeffRef(0, 1) = 7.0;
      faultAt("/structure", "not symmetric", spec(s), bad, 1e-3);
      bad = good;
      bad.nonlinear = {{"pad", CubicSpring{0.0, 1e6}, 0, 1}};
      if (isExplicit(s))
        QVERIFY(makeIntegrator(spec(s), bad, 1e-3));
      else
        faultAt("/integrator/scheme", "\"pad\"", spec(s), bad, 1e-3);
    }
  }

  /// Highest frequency of three masses between walls: 18.80 Hz, so that a step may last 2 / w = 16.93 ms.
  void refusesStepsBeyondTheStabilityLimit() {
    const SystemMatrices s = chain(3, 0.0);
    const double w = std::sqrt(9000.0 / 2.2 * (2.0 + std::numbers::sqrt2));
    for (const Scheme scheme : allSchemes()) {
      const double limit = stabilityLimit(scheme);
      if (std::isinf(limit)) {
        QVERIFY(makeIntegrator(spec(scheme), s, 1.0));
        continue;
      }
      QVERIFY(makeIntegrator(spec(scheme), s, 0.9999 * limit / w));
      faultAt("/integrator/scheme", "18.8", spec(scheme), s, 1.0001 * limit / w);
      faultAt("/integrator/scheme", "at least 2 sub-steps", spec(scheme), s, 1.0001 * limit / w);
      QVERIFY(makeIntegrator({.scheme = scheme, .substeps = 2}, s, 1.0001 * limit / w));
      faultAt("/integrator/scheme", "fewer ticks per step", {.scheme = scheme, .ticks_per_step = 2}, s,
              0.6 * limit / w);
    }
    // Damping that decays faster than the scheme can follow.
    faultAt("/integrator/scheme", "fastest decay", spec(Scheme::rk4), chain(3, 3000.0), 1e-3);
    QVERIFY(makeIntegrator(spec(Scheme::central_difference), chain(3, 3000.0), 1e-3));
  }
};

HYB_SUITE(integration, IntegrationTest)
#include "integration.moc"
