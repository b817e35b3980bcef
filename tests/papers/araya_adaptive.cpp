// D. Araya, MSc thesis, UTFSM 2023: adaptive model-based compensation, its parts (validation rows 29 to 33). In the
// force-based loop it is in araya_force.cpp.
#include <array>
#include <complex>
#include <numbers>

#include "core/base/json.h"
#include "core/compensation/adaptive_inverse_model.h"
#include "core/compensation/inverse_model.h"
#include "core/project/schema.h"
#include "tests/support/araya_loop.h"
#include "tests/support/compare.h"
#include "tests/support/family_example.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// As the product makes it of a project's section.
std::unique_ptr<Compensator> madeOf(const Json& settings) {
  Checks checks;
  const CompensationMethodPtr method =
      parseCompensation(settings, "/compensation", {{}, ArayaLoop::kTick_s, {}}, checks);
  checks.throwIfAny();
  return method->make();
}
Json thesisAdaptive() { return exampleOf(branchOf("compensation", "adaptive-inverse-model")); }

constexpr std::array kThesisStart{1.0000000155, 0.01985915969, 8.44014286e-5, 1.98591596e-7};
constexpr std::array kThesisExponents{9.2424, 7.0077, 3.0903, -0.0707};

Coefficients coefficients(std::initializer_list<double> values) {
  Coefficients c(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), c.begin());
  return c;
}
Coefficients thesisGains() {
  Coefficients g(4);
  for (Eigen::Index n = 0; n < 4; ++n) g[n] = std::pow(10.0, kThesisExponents[static_cast<std::size_t>(n)]);
  return g;
}

}  // namespace

class PaperArayaAdaptive : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void row29Butterworth() {
    const LowPass low_pass(20.0, ArayaLoop::kTick_s);
    const auto& [first, second] = low_pass.sections();
    const auto product = [](std::array<double, 3> a, std::array<double, 3> b) {
      std::array<double, 5> all{};
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) all[i + j] += a[i] * b[j];
      return all;
    };
    const auto numerator = product({first.b0, first.b1, first.b2}, {second.b0, second.b1, second.b2});
    const auto denominator = product({1.0, first.a1, first.a2}, {1.0, second.a1, second.a2});
    const std::array ones{1.0, 4.0, 6.0, 4.0, 1.0};
    const std::array expected{1.0, -3.91983182573929, 5.762693320937466, -3.7658169510581536, 0.9229563072459708};
    for (std::size_t n = 0; n < 5; ++n) {
      compareRelative(numerator[n], 5.321162457375244e-8 * ones[n], 1e-6, "numerator");
      compareRelative(denominator[n], expected[n], 1e-6, "denominator");
    }
    const auto response = [&](double hz) {
      const std::complex<double> late = std::polar(1.0, -2.0 * std::numbers::pi * hz * ArayaLoop::kTick_s);
      std::complex<double> value = 1.0;
      for (const LowPass::Section& s : low_pass.sections())
        value *= (s.b0 + late * (s.b1 + late * s.b2)) / (1.0 + late * (s.a1 + late * s.a2));
      return value;
    };
    compare(20.0 * std::log10(std::abs(response(20.0))), -3.010, 5e-4, "at the cut-off, dB");
    for (const auto& [hz, size] :
         {std::pair{5.0, 0.99999}, {8.0, 0.99967}, {10.0, 0.99805}, {15.0, 0.95343}, {20.0, 0.70711}})
      compare(std::abs(response(hz)), size, 6e-6, "magnitude");
    for (const auto& [hz, late_ms] : {std::pair{0.1, 20.79}, {5.0, 20.98}, {10.0, 21.66}})
      compare(-1e3 * std::arg(response(hz)) / (2.0 * std::numbers::pi * hz), late_ms, 0.005, "delay, ms");

    // The running filter is that one, also from a start away from zero.
    LowPass running(20.0, ArayaLoop::kTick_s);
    running.rest(2.0);
    for (int k = 0; k < 100; ++k) compare(running.push(2.0), 2.0, 1e-9, "at rest");
    std::complex<double> found = 0.0;
    for (int k = 0; k < 3 * 4096; ++k) {
      const double phase = 2.0 * std::numbers::pi * 15.0 * k * ArayaLoop::kTick_s, out = running.push(std::cos(phase));
      if (k >= 2 * 4096) found += out * std::polar(2.0 / 4096.0, -phase);
    }
    compare(std::abs(found - response(15.0)), 0.0, 1e-6, "running filter");
  }

  void row30TheDefaultsAreThoseOfTheThesis() {
    const Json settings = thesisAdaptive();
    const auto start = settings.at("coefficients").get<std::vector<double>>(),
               exponents = settings.at("gain_exponents").get<std::vector<double>>();
    InverseModelParams actuator;  // G_ini, (4.11)
    actuator.numerator = 5.035460e6;
    actuator.denominator = {1.0, 425.0, 1e5, 5.035460e6};
    const std::vector<double> inverse = inverseCoefficients(actuator);
    for (std::size_t n = 0; n < 4; ++n) {
      compareRelative(start[n], kThesisStart[n], 1e-6, "a(0)");
      compareRelative(start[n], inverse[n], 1e-6, "inverse of the actuator");
      QCOMPARE(exponents[n], kThesisExponents[n]);
    }
    QCOMPARE(resolvedNode(branchOf("compensation", "adaptive-inverse-model").at("properties").at("cutoff_hz"))
                 .at("default")
                 .get<double>(),
             20.0);
  }

  void row31OneStepByHand() {
    Coefficients a = coefficients({kThesisStart[0], kThesisStart[1], kThesisStart[2], kThesisStart[3]});
    const Coefficients before = a, x = coefficients({1e-3, 0.05, 2.0, 100.0});
    compare(a.dot(x), 2.181620e-3, 1e-9, "a X");
    compare(1.0 + x.squaredNorm(), 10005.0025, 1e-4, "ms^2");
    constexpr double kShort_s = 1e-5;
    followGradient(thesisGains(), 2e-3, x, kShort_s, a);
    const std::array slope{-0.0317210, -9.23882e-3, -4.46968e-5, -1.54258e-6};
    for (Eigen::Index n = 0; n < 4; ++n)
      compareRelative((a[n] - before[n]) / kShort_s, slope[static_cast<std::size_t>(n)], 1e-3, "slope");
  }

  /// Over a tick it is what the thesis' Runge-Kutta approaches.
  void theLawIsSolvedOverATick() {
    const Coefficients x = coefficients({1e-3, 0.05, 2.0, 100.0}), g = thesisGains();
    Coefficients exact = coefficients({kThesisStart[0], kThesisStart[1], kThesisStart[2], kThesisStart[3]}), a = exact;
    followGradient(g, 2e-3, x, ArayaLoop::kTick_s, exact);
    const auto slope = [&](const Coefficients& at) -> Coefficients {
      return g.cwiseProduct(x) * ((2e-3 - at.dot(x)) / (1.0 + x.squaredNorm()));
    };
    const double h = ArayaLoop::kTick_s;
    const Coefficients s1 = slope(a), s2 = slope(a + 0.5 * h * s1), s3 = slope(a + 0.5 * h * s2),
                       s4 = slope(a + h * s3);
    a += h / 6.0 * (s1 + 2.0 * s2 + 2.0 * s3 + s4);
    for (Eigen::Index n = 0; n < 4; ++n) compareRelative(exact[n], a[n], 1e-14, "a");
  }

  /// Row 32. In millimetres the gain of a slow motion is so large that Runge-Kutta swings up: that is what ruins the
  /// run there. The law itself only takes off what is left, however large the gain, so the product's run is as good.
  void row32GainsThatAreTooLargeTakeOffTheErrorOnly() {
    const Coefficients slow = coefficients({10.0, 60.0, 0.0, 0.0}), start = coefficients({1.0, 0.02, 1e-4, 2e-7});
    const Coefficients g = thesisGains();
    const double decay = ArayaLoop::kTick_s * g.cwiseProduct(slow).dot(slow) / (1.0 + slow.squaredNorm());
    const double runge_kutta = 1.0 - decay * (1.0 - decay / 2.0 * (1.0 - decay / 3.0 * (1.0 - decay / 4.0)));
    QVERIFY2(runge_kutta > 100.0, qPrintable(QString::number(runge_kutta)));  // the error's factor in one tick
    Coefficients a = start;
    followGradient(g, 12.0, slow, ArayaLoop::kTick_s, a);
    compare(a.dot(slow), 12.0, 1e-9, "nothing is left");
    const double millimetres = ArayaLoop::trackingError(*madeOf(thesisAdaptive()), 1e-3);
    QVERIFY2(millimetres < 0.3, qPrintable(QString::number(millimetres)));
  }

  /// Row 33: without gains it is the inverse model of G_ini, sample for sample.
  void row33ZeroGainsAreTheInverseModel() {
    Json still = thesisAdaptive();
    still["adaption"] = 0;
    still["coefficients"] = {1.0, 0.01985915969, 8.44014286e-5, 1.98591596e-7};
    const double b = 1.0 / 1.98591596e-7;
    const auto held = madeOf(still), fixed = madeOf({{"method", "inverse-model"},
                                                     {"numerator", b},
                                                     {"denominator", {1.0, 8.44014286e-5 * b, 0.01985915969 * b, b}}});
    const auto one = [](double value) { return Eigen::VectorXd::Constant(1, value); };
    Command x{one(0.0), one(0.0)}, y = x;
    for (int k = 0; k < 3 * 4096; ++k) {
      const double t = k * ArayaLoop::kTick_s, w = 2.0 * std::numbers::pi * 3.0;
      const InterfaceState state{one(1e-3 * std::sin(w * t) + 2e-4 * std::sin(2.7 * w * t)),
                                 one(1e-3 * w * std::cos(w * t)), one(9e-4 * std::sin(w * (t - 0.02)))};
      held->update(state, x);
      fixed->update(state, y);
      compare(x.position[0], y.position[0], 1e-12, "command, m");
      compare(x.rate[0], y.rate[0], 1e-9, "rate, m/s");
    }
  }
};

HYB_SUITE(paper_araya_adaptive, PaperArayaAdaptive)
#include "araya_adaptive.moc"
