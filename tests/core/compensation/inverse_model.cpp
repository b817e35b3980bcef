#include "core/compensation/inverse_model.h"

#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/linalg/dense.h"
#include "tests/support/compare.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Complex = std::complex<double>;
constexpr double kRate_hz = 4096.0, kTick_s = 1.0 / kRate_hz, kTurn = 2.0 * std::numbers::pi;

// Reference note on Araya 2023, section 5.2.
InverseModelParams identified() {
  InverseModelParams params;
  params.numerator = 4497368.10731;
  params.denominator = {1.0, 422.185912504, 100683.58198970, 4561059.49118};
  return params;
}
const std::vector<double> kPlantNumerator{2.465383e18, 6.510813e14, 2.13e13};  // G_p, ascending
const std::vector<double> kPlantDenominator{2.485092e18, 5.567321e16, 2.697882e14, 1.101061e12,
                                            2.228667e9,  5.002040e6,  458.8672,    1.0};

Complex polynomial(const std::vector<double>& ascending, Complex s) {
  Complex value = 0.0;
  for (auto c = ascending.rbegin(); c != ascending.rend(); ++c) value = value * s + *c;
  return value;
}
Complex plant(Complex s) { return polynomial(kPlantNumerator, s) / polynomial(kPlantDenominator, s); }
Complex estimate(Complex s) {
  const InverseModelParams model = identified();
  return model.numerator / polynomial({model.denominator.rbegin(), model.denominator.rend()}, s);
}
Complex filter(Complex s) {
  return polynomial(inverseTaps(inverseCoefficients(identified()), kTick_s), std::exp(-s * kTick_s));
}
double delay_ms(Complex response, double hz) { return -1e3 * std::arg(response) / (kTurn * hz); }

/// G_p under held commands, from tick to tick. Time in ms, which keeps the numbers of its states close to 1.
class HeldPlant {
 public:
  HeldPlant() {
    const Eigen::Index n = 7;
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n + 1, n + 1);
    for (Eigen::Index i = 0; i + 1 < n; ++i) a(i, i + 1) = 1.0;
    for (Eigen::Index i = 0; i < n; ++i)
      a(n - 1, i) = -kPlantDenominator[static_cast<std::size_t>(i)] * std::pow(1e-3, static_cast<double>(n - i));
    a(n - 1, n) = 1.0;
    step_ = linalg::exponential(a * 1e3 * kTick_s);
    for (Eigen::Index i = 0; i < 3; ++i)
      output_[i] = kPlantNumerator[static_cast<std::size_t>(i)] * std::pow(1e-3, static_cast<double>(n - i));
  }
  double motion() const { return output_.dot(state_.head(3)); }
  void hold(double command) {
    state_[7] = command;
    state_ = (step_ * state_).eval();
  }

 private:
  Eigen::MatrixXd step_;
  Eigen::Vector3d output_ = Eigen::Vector3d::Zero();
  Eigen::VectorXd state_ = Eigen::VectorXd::Zero(8);
};

}  // namespace

class InverseModelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void coefficientsAndTapsOfTheThesis() {  // rows 23, 24
    const std::vector<double> c = inverseCoefficients(identified());
    const std::array expected{1.0141619, 0.022387223, 9.3873995e-5, 2.2235227e-7};
    for (std::size_t n = 0; n < 4; ++n) compareRelative(c[n], expected[n], 1e-6, "coefficient");
    const std::vector<double> taps = inverseTaps(c, kTick_s);
    const std::array weights{16947.58805, -49081.38124, 47414.73888, -15279.93153};
    double sum = 0.0;
    for (std::size_t j = 0; j < 4; ++j) {
      compareRelative(taps[j], weights[j], 1e-6, "coefficient");
      sum += taps[j];
    }
    compare(sum, c[0], 1e-8, "result");
  }

  void differencesAreExactForPowersOfTime() {  // row 25
    for (const std::size_t order : {1U, 2U, 3U}) {
      std::vector<double> only(order + 1, 0.0);
      only[order] = 1.0;
      const std::vector<double> taps = inverseTaps(only, kTick_s);
      for (int k = 3; k * kTick_s < 0.01; ++k) {
        double derivative = 0.0;
        for (std::size_t j = 0; j < taps.size(); ++j)
          derivative += taps[j] * std::pow((k - static_cast<double>(j)) * kTick_s, static_cast<double>(order));
        compare(derivative, std::tgamma(static_cast<double>(order) + 1.0), 1e-4, "result");
      }
    }
  }

  void continuousEquivalentOfTheTaps() {  // row 26: z^-1 = (1 - s dt / 2) / (1 + s dt / 2)
    const std::vector<double> taps = inverseTaps(inverseCoefficients(identified()), kTick_s);
    const double a = 0.5 * kTick_s;
    std::vector<double> numerator(4, 0.0);
    for (std::size_t j = 0; j < 4; ++j) {
      std::vector<double> product{taps[j]};
      for (std::size_t factor = 0; factor < 3; ++factor) {
        const double slope = factor < j ? -a : a;
        product.push_back(0.0);
        for (std::size_t p = product.size() - 1; p > 0; --p) product[p] += slope * product[p - 1];
      }
      for (std::size_t p = 0; p < 4; ++p) numerator[p] += product[p] / (a * a * a);
    }
    const std::array expected{5.575e11, 1.251e10, 5.464e7, 1.287e5};
    for (std::size_t p = 0; p < 4; ++p) compareRelative(numerator[p], expected[p], 1e-3, "numerator");
  }

  void residualOfTheSampledDesign() {  // row 27, table 6.2
    struct Row {
      double hz, estimate, estimate_ms, plant, plant_ms, held, held_ms;
    };
    for (const Row& row : {Row{0.1, 1.0, 0.0, 1.00612, 0.064, 1.00612, 0.1863},
                           Row{1.0, 1.00011, 0.0014, 1.00623, 0.066, 1.00623, 0.1877},
                           Row{5.0, 1.00218, 0.0280, 1.0084, 0.092, 1.00839, 0.2145},
                           Row{10.0, 1.00616, 0.0657, 1.01262, 0.130, 1.01261, 0.2523},
                           Row{20.0, 1.01667, 0.1037, 1.02383, 0.166, 1.02379, 0.2877}}) {
      const Complex s(0.0, kTurn * row.hz);
      const Complex hold = (1.0 - std::exp(-s * kTick_s)) / (s * kTick_s);
      const auto expect = [&](Complex response, double size, double late_ms) {
        compare(std::abs(response), size, 1e-4, "result");
        compare(delay_ms(response, row.hz), late_ms, 0.002, "result");
      };
      expect(filter(s) * estimate(s), row.estimate, row.estimate_ms);
      expect(filter(s) * plant(s), row.plant, row.plant_ms);
      expect(filter(s) * hold * plant(s), row.held, row.held_ms);
    }
  }

  void sineThroughTheThesisPlant() {  // row 28
    const double omega = kTurn * 5.0;
    const auto compensator = makeInverseModel(identified(), kTick_s);
    InterfaceState state{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    Command command{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    HeldPlant rig;
    Complex sum = 0.0;
    const int settled = 4 * 4096, end = settled + 4096;  // five whole periods
    for (int k = 0; k < end; ++k) {
      const double t_s = k * kTick_s;
      if (k >= settled) sum += rig.motion() * std::exp(Complex(0.0, -omega * t_s)) * 2.0 / 4096.0;
      state.target[0] = 1e-3 * std::sin(omega * t_s);
      state.target_rate[0] = 1e-3 * omega * std::cos(omega * t_s);
      compensator->update(state, command);
      rig.hold(command.position[0]);
    }
    compare(1e3 * std::abs(sum), 1.00839, 1e-3, "result");
    compare(-1e3 * (std::arg(sum) + std::numbers::pi / 2.0) / omega, 0.2145, 0.003, "result");
  }

  void inverseOfTheActuatorAlone() {  // row 30: A(0), from G_ini
    InverseModelParams actuator;
    actuator.numerator = 5.035460e6;
    actuator.denominator = {1.0, 425.0, 1e5, 5.035460e6};
    const std::vector<double> c = inverseCoefficients(actuator);
    const std::array expected{1.0, 1.98591597e-2, 8.44014286e-5, 1.98591596e-7};
    for (std::size_t n = 0; n < 4; ++n) compareRelative(c[n], expected[n], 1e-6, "coefficient");
  }

  void aStartAwayFromZeroIsNoKick() {
    const auto compensator = makeInverseModel(identified(), kTick_s);
    InterfaceState state{Eigen::VectorXd::Constant(1, 5e-3), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    Command command{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    for (int k = 0; k < 5; ++k) {
      compensator->update(state, command);
      compare(command.position[0], 1.0141619 * 5e-3, 1e-8, "result");
    }
    state.target[0] = -2e-3;
    compensator->restart();
    compensator->update(state, command);
    compare(command.position[0], -1.0141619 * 2e-3, 1e-8, "result");
  }

  void reportsEveryFault() {
    InverseModelParams wrong;
    wrong.numerator = 0.0;
    wrong.denominator = {1.0, -2.0, std::nan("")};
    wrong.gain = Eigen::VectorXd::Zero(1);
    const std::set<std::string> expected{"/numerator", "/denominator/1", "/denominator/2", "/gain/0"};
    QVERIFY(placesOfFaults(wrong) == expected);
    wrong.denominator = {1.0};
    QVERIFY(placesOfFaults(wrong).contains("/denominator"));
  }
};

HYB_SUITE(inverse_model, InverseModelTest)
#include "inverse_model.moc"
