/// The structural model of FACE on systems whose poles are known.
#include <array>
#include <cmath>
#include <complex>
#include <random>

#include "core/fidelity/face_model.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Complex = std::complex<double>;

constexpr double kMass = 8.0, kDamping = 20.0, kStiffness = 11380.0, kLag_s = 5e-4;  // computed side; inertia read late
constexpr FaceSpecimen kSpecimen{710.0, 3.0, 2.0};

Complex computed(Complex s) { return kMass * s * s + kDamping * s + kStiffness; }
Complex specimen(Complex s) {
  return kSpecimen.stiffness_n_per_m + kSpecimen.damping_n_s_per_m * s +
         kSpecimen.mass_kg * s * s * std::exp(-s * kLag_s);
}
/// A transfer system that takes away amplitude and comes late.
Complex ratio(Complex s, double delay_s) { return 0.98 * std::exp(-s * delay_s); }

/// The test with that delay: its pole by Newton's method.
FaceBalance testWith(double delay_s) {
  const auto off = [&](Complex s) { return computed(s) + specimen(s) * ratio(s, delay_s); };
  Complex s(-1.0, 34.8);
  for (int round = 0; round < 50; ++round) {
    const Complex slope = (off(s + 1e-5) - off(s - 1e-5)) / 2e-5;
    s -= off(s) / slope;
  }
  return {{s, ratio(s, delay_s)}, computed(s)};
}
std::vector<FaceBalance> tests(double noise = 0.0, std::uint64_t seed = 1) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<FaceBalance> list;
  for (int t = 0; t < 12; ++t) {
    list.push_back(testWith(1e-3 * (10 + t)));
    list.back().test.ratio *= Complex(1.0 + noise * normal(engine), noise * normal(engine));
  }
  return list;
}
double frequency_hz(const FaceSpecimen& found) {
  return std::sqrt((kStiffness + found.stiffness_n_per_m) / (kMass + found.mass_kg)) / 6.283185307179586;
}

}  // namespace

class FaceModelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theSpecimenComesBack() {
    const std::vector<FaceBalance> all = tests();
    const FaceSpecimen found = identifySpecimen(all, kLag_s).value();
    compare(found.stiffness_n_per_m, kSpecimen.stiffness_n_per_m, 1e-3, "stiffness, N/m");
    compare(found.damping_n_s_per_m, kSpecimen.damping_n_s_per_m, 1e-5, "damping, N s/m");
    compare(found.mass_kg, kSpecimen.mass_kg, 1e-6, "mass, kg");
    QVERIFY(!identifySpecimen(std::span(all).first(1), kLag_s));
  }

  /// A specimen is passive. Tests that a free fit would answer with less than nothing of one of the three give 0 of it,
  /// and the others are those of the best fit without it.
  void noStiffnessDampingOrMassIsBelowZero() {
    const Complex s[] = {{-1.0, 30.0}, {-1.5, 34.0}, {-2.0, 38.0}, {-2.5, 42.0}};
    const auto found = [&](double stiffness, double damping, double mass) {
      std::vector<FaceBalance> list;  // r = 1, so that D_P = -D_N
      for (const Complex& at : s) list.push_back({{at, 1.0}, -(stiffness + damping * at + mass * at * at)});
      return identifySpecimen(list, 0.0);
    };
    const FaceSpecimen free = found(700.0, 3.0, 2.0).value();
    compare(free.stiffness_n_per_m, 700.0, 1e-6, "stiffness, N/m");
    for (const auto& [k, c, m] : {std::array{-300.0, 3.0, 2.0}, {700.0, -5.0, 2.0}, {2000.0, 3.0, -0.4}}) {
      const FaceSpecimen bounded = found(k, c, m).value();
      const double each[] = {bounded.stiffness_n_per_m, bounded.damping_n_s_per_m, bounded.mass_kg};
      const double asked[] = {k, c, m};
      for (int j = 0; j < 3; ++j) {
        QVERIFY(each[j] >= 0.0);
        if (asked[j] < 0.0) QCOMPARE(each[j], 0.0);
      }
      QVERIFY(each[0] + each[1] + each[2] > 0.0);
    }
  }

  /// Bounds that hold back what is no chance take the level away.
  void pressedBoundsHaveNoLevel() {
    std::mt19937_64 engine(3);
    std::normal_distribution<double> normal;
    int levels = 0;
    for (int round = 0; round < 20; ++round) {
      std::vector<FaceBalance> all = tests();
      for (FaceBalance& one : all) {
        const Complex s = one.test.pole, active = kSpecimen.mass_kg * s * s - 10.0 * s;  // damping below 0
        one.computed_n_per_m = -one.test.ratio * (active + Complex(normal(engine), normal(engine)));
      }
      const FacePrediction prediction = modelPrediction(all, 0.0, frequency_hz, {});
      QVERIFY(prediction.carried);
      levels += prediction.level.has_value();
    }
    QCOMPARE(levels, 0);
  }

  /// Noise of every test its own: the interval holds the truth about as often as it says, and has a level.
  void noiseHasALevel() {
    int holds = 0, levels = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const FacePrediction prediction = modelPrediction(tests(1e-3, seed), kLag_s, frequency_hz, {});
      QVERIFY2(prediction.carried, prediction.why_not.c_str());
      holds += prediction.interval.holds(frequency_hz(kSpecimen));
      levels += prediction.level.has_value();
    }
    QVERIFY2(holds >= 180 && holds <= 198, qPrintable(QString::number(holds)));
    QVERIFY2(levels >= 194, qPrintable(QString::number(levels)));
  }

  /// A specimen that changes from test to test is none that one mass, spring and damper could be.
  void aPatternHasNone() {
    std::vector<FaceBalance> bent = tests();
    for (std::size_t t = 0; t < bent.size(); ++t)
      bent[t].test.ratio *= 1.0 + 1e-3 * std::sin(0.5 * static_cast<double>(t));
    const FacePrediction prediction = modelPrediction(bent, kLag_s, frequency_hz, {});
    QVERIFY(prediction.carried && !prediction.level);
    QVERIFY2(prediction.range_because.find("systematically") != std::string::npos, prediction.range_because.c_str());
    QVERIFY(prediction.interval.holds(prediction.value) && prediction.spread.known());
    QVERIFY(prediction.interval.holds(frequency_hz(identifySpecimen(std::span(bent).subspan(5, 4), kLag_s).value())));
  }

  void whatDoesNotCarryItIsSaid() {
    const std::vector<FaceBalance> all = tests();
    const FacePrediction few = modelPrediction(std::span(all).first(3), kLag_s, frequency_hz, {});
    QVERIFY(!few.carried && few.why_not.find("at least 4") != std::string::npos);
    const FacePrediction none = modelPrediction(all, kLag_s, [](const FaceSpecimen&) { return std::nan(""); }, {});
    QVERIFY(!none.carried && !none.why_not.empty());
  }

  /// A decaying swing behind a transient of its own in the measured motion.
  void polesAreReadAfterTheTransient() {
    const Complex pole(-2.0, 40.0), r = 0.95 * std::exp(-pole * 0.01);
    std::vector<double> target, measured;
    for (int k = 0; k < 4000; ++k) {
      const double t = 1e-3 * k;
      target.push_back(-0.5 + std::exp(pole * t).real());
      measured.push_back(-0.48 + (r * std::exp(pole * t)).real() + 0.3 * std::exp(-60.0 * t));
    }
    const FacePole found = identifyPole(target, measured, 1e-3).value();
    compare(std::abs(found.pole - pole), 0.0, 1e-6, "pole, 1/s");
    compare(std::abs(found.ratio - r), 0.0, 2e-4, "ratio");
    QVERIFY(!identifyPole(std::vector<double>(100, 1.0), std::vector<double>(100, 1.0), 1e-3));
  }
};

HYB_SUITE(fidelity_face_model, FaceModelTest)
#include "face_model_test.moc"
