#include "core/compensation/forward_prediction.h"

#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <set>

#include "core/base/allocation_guard.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/compensation/prediction_weights.h"
#include "core/project/project.h"
#include "tests/support/compare.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double dt = 1e-3;

/// One interface.
ForwardPredictionParams spacedParams(int points, int order, int spacing_ticks, double ticks, double gain = 1.0) {
  ForwardPredictionParams p;
  p.points = points;
  p.order = order;
  p.spacing_ticks = spacing_ticks;
  p.prediction_ticks = Eigen::VectorXd::Constant(1, ticks);
  p.gain = Eigen::VectorXd::Constant(1, gain);
  p.max_prediction_ticks = 1000.0;
  return p;
}

/// The configured method of a project with two interfaces.
CompensationMethodPtr spacedMethod(const std::string& name, int spacing_ticks) {
  Json settings = {{"method", name},
                   {"points", 5},
                   {"order", 2},
                   {"prediction_ticks", {3.0, 10.5}},
                   {"gain", {1.1, 0.9}},
                   {"max_prediction_ticks", 15.0},
                   {"law", "remaining-delay"},
                   {"spacing_ticks", spacing_ticks}};
  if (spacing_ticks == 0) settings.erase("spacing_ticks");
  Checks checks;
  const CompensationMethodPtr method = parseCompensation(settings, "/compensation", {Axes{.count = 2}, dt}, checks);
  checks.throwIfAny();
  return method;
}

/// Targets without any pattern; nothing that adapts.
InterfaceState scatteredAt(int tick) {
  InterfaceState state{Eigen::VectorXd(2), Eigen::VectorXd::Zero(2),
                       Eigen::VectorXd::Constant(2, std::numeric_limits<double>::quiet_NaN())};
  state.target << std::sin(1.7 * tick * tick), std::cos(2.3 * tick * tick + tick);
  return state;
}

/// Sum of the squared weights of a fit of order 1 or 2 through n points, `steps` points ahead, by the orthogonal
/// polynomials of lowest order: 1, t, t^2 - (n^2 - 1)/12.
double squaredWeights(int points, int order, double steps) {
  const double n = points, t = steps + 0.5 * (n - 1.0), second = t * t - (n * n - 1.0) / 12.0;
  double sum = 1.0 / n + 12.0 * t * t / (n * (n * n - 1.0));
  if (order == 2) sum += 180.0 * second * second / (n * (n * n - 1.0) * (n * n - 4.0));
  return sum;
}

ForwardPredictionParams params(int points = 8, int order = 2) {
  ForwardPredictionParams p;
  p.points = points;
  p.order = order;
  p.prediction_ticks = Eigen::Vector2d(3.0, 4.5);
  p.gain = Eigen::Vector2d(1.0, 0.9);
  return p;
}

InterfaceState stateAt(double t) {
  InterfaceState state{Eigen::VectorXd(2), Eigen::VectorXd(2), Eigen::VectorXd::Zero(2)};
  state.target << 1.0 + 2.0 * t + 30.0 * t * t, -0.5 + t;
  state.target_rate << 2.0 + 60.0 * t, 1.0;
  return state;
}

Command command() { return {Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2)}; }

}  // namespace

class TestForwardPrediction : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void noneWritesTheTarget() {
    const auto none = makeNoCompensator();
    Command out = command();
    const InterfaceState in = stateAt(0.3);
    none->update(in, out);
    QVERIFY(out.position == in.target && out.rate == in.target_rate);
  }

  void leadsPolynomialsByItsHorizon() {
    const auto compensator = makeForwardPrediction(params(), dt);
    Command out = command();
    const int ticks = 50;
    for (int k = 0; k <= ticks; ++k) compensator->update(stateAt(k * dt), out);
    const InterfaceState first = stateAt((ticks + 3.0) * dt), second = stateAt((ticks + 4.5) * dt);
    QVERIFY(std::abs(out.position[0] - first.target[0]) < 1e-12);
    QVERIFY(std::abs(out.rate[0] - first.target_rate[0]) < 1e-10);  // 1/dt louder than the position
    QVERIFY(std::abs(out.position[1] - 0.9 * second.target[1]) < 1e-12);
    QVERIFY(std::abs(out.rate[1] - 0.9 * second.target_rate[1]) < 1e-10);
  }

  /// A polynomial of the order of the fit is continued exactly, whatever the distance of the points and the horizon.
  void leadsPolynomialsAtAnySpacing() {
    for (const int order : {1, 2, 3, 4})
      for (const int points : {order + 1, order + 4})
        for (const int spacing : {1, 2, 7, 25})
          for (const double ticks : {0.0, 4.0, 9.5, 25.0}) {
            const auto compensator = makeForwardPrediction(spacedParams(points, order, spacing, ticks), dt);
            const int last = points * spacing + 3;
            const auto polynomial = [&](double tick) {
              const double t = tick / last;
              double value = 0.0, rate = 0.0;
              for (int power = order; power >= 0; --power) {
                rate = rate * t + value;
                value = value * t + (power % 2 == 0 ? 1.0 : -0.7);
              }
              return std::pair{value, rate / (last * dt)};
            };
            Command out{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
            InterfaceState in{Eigen::VectorXd(1), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
            for (int k = 0; k <= last; ++k) {
              in.target[0] = polynomial(k).first;
              compensator->update(in, out);
            }
            const auto [value, rate] = polynomial(last + ticks);
            const double loud = 1e-14 * points * (1.0 + noiseGain(points, order, ticks / spacing));
            compare(out.position[0], value, loud, "position");
            compare(out.rate[0], rate, loud * points * points / (spacing * dt), "rate");
          }
  }

  /// Insam 2022, section 3.3.1: points at t, t - tau, t - 2 tau, ... and the value at t + tau, with the coefficients of
  /// the binomial expansion and nothing between the points.
  void spacedByItsPredictionItHasBinomialWeights() {
    const std::vector<std::vector<double>> expected{
        {2.0, -1.0}, {3.0, -3.0, 1.0}, {4.0, -6.0, 4.0, -1.0}, {5.0, -10.0, 10.0, -5.0, 1.0}};
    for (const std::vector<double>& weights : expected) {
      const int points = static_cast<int>(weights.size());
      const Json settings = {{"method", "forward-prediction"},
                             {"points", points},
                             {"order", points - 1},
                             {"prediction_ticks", 12},
                             {"spacing_ticks", 12}};
      Checks checks;
      const CompensationMethodPtr method = parseCompensation(settings, "/compensation", {Axes{}, dt}, checks);
      QVERIFY(method != nullptr);
      const std::vector<double> taps = method->taps(0);
      QCOMPARE(taps.size(), (weights.size() - 1) * 12 + 1);
      for (std::size_t j = 0; j < taps.size(); ++j) compare(taps[j], j % 12 == 0 ? weights[j / 12] : 0.0, 1e-12, "tap");
      compare(method->lead_s(0), 12 * dt, 1e-15, "lead, s");
    }
  }

  void noiseGainFallsWithTheSpacing() {
    for (const auto& [points, order] : {std::pair{2, 1}, {8, 1}, {3, 2}, {8, 2}}) {
      double last = std::numeric_limits<double>::infinity();
      for (const int spacing : {1, 2, 3, 8, 40, 200}) {
        const Json settings = {{"method", "forward-prediction"},
                               {"points", points},
                               {"order", order},
                               {"prediction_ticks", 9.5},
                               {"spacing_ticks", spacing}};
        Checks checks;
        const CompensationMethodPtr method = parseCompensation(settings, "/compensation", {Axes{}, dt}, checks);
        QVERIFY(method != nullptr);
        double sum = 0.0;
        for (const double tap : method->taps(0)) sum += tap * tap;
        compareRelative(sum, squaredWeights(points, order, 9.5 / spacing), 1e-11, "squared weights");
        QVERIFY(sum < last);
        last = sum;
        char words[48];
        std::snprintf(words, sizeof words, "Noise gain %.3g at 9.5 ticks", std::sqrt(sum));
        QVERIFY2(method->remarks().at(0).starts_with(words), method->remarks().at(0).c_str());
      }
    }
  }

  /// What the analyses are told is what the tick does, from the first target on, also after a restart.
  void tapsAreTheRunningMethodAtAnySpacing() {
    for (const char* name : {"forward-prediction", "adaptive-forward-prediction"})
      for (const int spacing : {1, 2, 6, 31}) {
        const CompensationMethodPtr method = spacedMethod(name, spacing);
        const auto compensator = method->make();
        Command out = command();
        for (int restarted = 0; restarted < 2; ++restarted) {
          for (int k = 0; k < 300; ++k) {
            compensator->update(scatteredAt(k), out);
            for (std::size_t i = 0; i < 2; ++i) {
              const auto axis = static_cast<Eigen::Index>(i);
              const std::vector<double> taps = method->taps(i);
              double expected = 0.0;
              for (std::size_t j = 0; j < taps.size(); ++j)
                expected += taps[j] * scatteredAt(std::max(0, k - static_cast<int>(j))).target[axis];
              compare(out.position[axis], expected, 1e-11, "command");
            }
          }
          compensator->restart();
        }
        for (std::size_t i = 0; i < 2; ++i) {
          std::complex<double> slow = 0.0;
          const std::vector<double> taps = method->taps(i);
          constexpr double kSlow = 1e-4;  // rad/s
          for (std::size_t j = 0; j < taps.size(); ++j)
            slow += taps[j] * std::polar(1.0, -kSlow * dt * static_cast<double>(j));
          compare(std::arg(slow) / kSlow, method->lead_s(i), 1e-6 * dt, "lead, s");
        }
      }
  }

  /// Consecutive targets: position and rate as the weights over a plain buffer give them, to the last bit.
  void withoutASpacingTheBitsAreThoseOfTheLastTargets() {
    const CompensationMethodPtr one = spacedMethod("forward-prediction", 1),
                                none = spacedMethod("forward-prediction", 0);
    const auto given = one->make(), left_out = none->make();
    const PredictionWeights fit(5, 2);
    const std::array<double, 2> ticks{3.0, 10.5}, gain{1.1, 0.9};
    Eigen::MatrixXd buffer = scatteredAt(0).target.transpose().replicate(5, 1), weights(5, 2), rates(5, 2);
    for (Eigen::Index i = 0; i < 2; ++i) {
      fit.at(ticks[static_cast<std::size_t>(i)], weights.col(i));
      fit.rateAt(ticks[static_cast<std::size_t>(i)], rates.col(i));
      rates.col(i) /= dt;
    }
    Command a = command(), b = command();
    for (int k = 0; k < 40; ++k) {
      const InterfaceState state = scatteredAt(k);
      if (k > 0) {
        buffer.bottomRows(4) = buffer.topRows(4).eval();
        buffer.row(0) = state.target.transpose();
      }
      given->update(state, a);
      left_out->update(state, b);
      QVERIFY(a.position == b.position && a.rate == b.rate);
      for (Eigen::Index i = 0; i < 2; ++i) {
        const double k_a = gain[static_cast<std::size_t>(i)];
        QVERIFY(a.position[i] == k_a * weights.col(i).dot(buffer.col(i)));
        QVERIFY(a.rate[i] == k_a * rates.col(i).dot(buffer.col(i)));
      }
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const Eigen::VectorXd told = gain[i] * weights.col(static_cast<Eigen::Index>(i));
      QVERIFY(one->taps(i) == std::vector<double>(told.begin(), told.end()));
      QVERIFY(none->taps(i) == one->taps(i));
    }
  }

  void refusesASpacingThatIsNone() {
    for (const char* name : {"forward-prediction", "adaptive-forward-prediction"})
      for (const Json& wrong : {Json(0), Json(-3), Json(201), Json(1.5), Json("2"), Json()}) {
        Json document = templateDocument("three-mass");
        document["compensation"] = {{"method", name}, {"prediction_ticks", 9}, {"spacing_ticks", 200}};
        QVERIFY(validate(document).empty());
        document["compensation"]["spacing_ticks"] = wrong;
        const std::vector<Issue> issues = validate(document);
        QVERIFY2(!issues.empty() && issues.front().where == "/compensation/spacing_ticks", qPrintable(shown(issues)));
      }
    EXPECT_ISSUE(issuesOf([] { makeForwardPrediction(spacedParams(4, 2, 0, 3.0), dt); }), "/spacing_ticks",
                 "at least 1 tick");
  }

  /// Before n samples were seen the interface counts as having been at rest at the first.
  void startsAtRestAtTheFirstTarget() {
    const auto compensator = makeForwardPrediction(params(), dt);
    Command out = command();
    const InterfaceState first = stateAt(0.2);
    for (int restarted = 0; restarted < 2; ++restarted) {
      compensator->update(first, out);
      QVERIFY(std::abs(out.position[0] - first.target[0]) < 1e-12);
      QVERIFY(std::abs(out.rate[0]) < 1e-9);
      // The second target stands at the newest place of a buffer that else holds the first.
      const InterfaceState second = stateAt(0.2 + dt);
      compensator->update(second, out);
      Eigen::VectorXd buffer = Eigen::VectorXd::Constant(8, first.target[0]), weights(8);
      buffer[0] = second.target[0];
      PredictionWeights(8, 2).at(3.0, weights);
      QVERIFY(std::abs(out.position[0] - weights.dot(buffer)) < 1e-12);
      if (restarted == 0) compensator->restart();
    }
  }

  void tuningActsFromTheNextTick() {
    const auto tuned = makeForwardPrediction(params(), dt);
    const std::vector<Tunable> tunables = tuned->tunables();
    QCOMPARE(tunables.size(), std::size_t{4});
    QCOMPARE(tunables[2].name, std::string("prediction_ticks_2"));
    QCOMPARE(tunables[3].name, std::string("gain_2"));
    for (const Tunable& t : tunables) QVERIFY(t.min <= t.value && t.value <= t.max);
    tuned->tune(2, 7.0);
    tuned->tune(3, 1.1);
    ForwardPredictionParams wanted = params();
    wanted.prediction_ticks[1] = 7.0;
    wanted.gain[1] = 1.1;
    const auto built = makeForwardPrediction(wanted, dt);
    Command a = command(), b = command();
    for (int k = 0; k < 30; ++k) {
      tuned->update(stateAt(k * dt), a);
      built->update(stateAt(k * dt), b);
      QVERIFY(a.position == b.position && a.rate == b.rate);
    }
  }

  void reportsEveryFault() {
    ForwardPredictionParams wrong = params(2, 2);
    wrong.prediction_ticks = Eigen::Vector3d(-1.0, 15.5, std::numeric_limits<double>::quiet_NaN());
    wrong.gain = Eigen::Vector2d(0.0, std::numeric_limits<double>::infinity());
    const std::set<std::string> where = test::placesOfFaults(wrong);
    const std::set<std::string> expected{
        "/points", "/prediction_ticks/0", "/prediction_ticks/1", "/prediction_ticks/2", "/gain", "/gain/0", "/gain/1"};
    QVERIFY(where == expected);
    QVERIFY_THROWS_EXCEPTION(InputError, makeForwardPrediction(params(), 0.0));
  }

  void allocatesNothing() {
    ForwardPredictionParams spaced = params();
    spaced.spacing_ticks = 3;
    const auto compensator = makeForwardPrediction(spaced, dt);
    Command out = command();
    const InterfaceState in = stateAt(0.1);
    const AllocationGuard guard;
    for (int k = 0; k < 20; ++k) compensator->update(in, out);
    compensator->tune(0, 5.0);
    compensator->restart();
    compensator->update(in, out);
    QCOMPARE(guard.count(), std::uint64_t{0});
  }
};

HYB_SUITE(forward_prediction, TestForwardPrediction)
#include "forward_prediction.moc"
