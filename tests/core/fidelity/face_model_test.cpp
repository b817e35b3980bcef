/// The structural model of FACE on rows whose specimen is known.
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

constexpr double kStep_s = 1e-3, kMass = 8.0, kStiffness = 11380.0;  // computed side
constexpr FaceSpecimen kSpecimen{710.0, 3.0, 2.0};

/// A rig that reads force and motion at one instant.
MotionRates instant(double angle) {
  const Complex s(0.0, angle / kStep_s);
  return {s, s * s};
}

struct Rows {
  FreeSwing swing;
  std::vector<double> measured, force;
};
/// A swing about an offset, behind a transient of the actuator, of a specimen with these values; noise of these rms.
Rows rowsOf(const FaceSpecimen& specimen, double decay_per_s, double displacement_m = 0.0, double force_n = 0.0,
            std::uint64_t seed = 1, std::size_t count = 4000) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  const Complex pole(-decay_per_s, 34.8), slow = -25.0, amplitude = std::polar(6e-3, 0.4);
  Rows rows{{pole, amplitude}, {}, {}};
  for (std::size_t k = 0; k < count; ++k) {
    double x = 2e-3, force = specimen.stiffness_n_per_m * x;
    for (const auto& [s, a] : {std::pair{pole, amplitude}, std::pair{slow, Complex(3e-3)}}) {
      const Complex now = a * std::exp(s * (kStep_s * static_cast<double>(k)));
      x += now.real();
      force += (now * (specimen.stiffness_n_per_m + specimen.damping_n_s_per_m * s + specimen.mass_kg * s * s)).real();
    }
    rows.measured.push_back(x + displacement_m * normal(engine));
    rows.force.push_back(-force + force_n * normal(engine));
  }
  return rows;
}
FaceEquations equationsOf(const Rows& rows) {
  return faceEquations(rows.swing, rows.measured, rows.force, kStep_s, instant).value();
}
std::vector<FaceEquations> tests(double displacement_m, double force_n, std::uint64_t seed,
                                 const FaceSpecimen& specimen = kSpecimen) {
  std::vector<FaceEquations> list;
  for (std::uint64_t t = 0; t < 12; ++t)
    list.push_back(
        equationsOf(rowsOf(specimen, 2.0 + 0.3 * static_cast<double>(t), displacement_m, force_n, 100 * seed + t)));
  return list;
}
double frequency_hz(const FaceSpecimen& found) {
  return std::sqrt((kStiffness + found.stiffness_n_per_m) / (kMass + found.mass_kg)) / 6.283185307179586;
}

}  // namespace

class FaceModelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Whatever the motion: the transient of the actuator, the first and the last state, the offset are no errors.
  void theSpecimenComesBack() {
    const FaceSpecimen found = identifySpecimen(tests(0.0, 0.0, 1)).value();
    compare(found.stiffness_n_per_m, kSpecimen.stiffness_n_per_m, 1e-3, "stiffness, N/m");
    compare(found.damping_n_s_per_m, kSpecimen.damping_n_s_per_m, 1e-5, "damping, N s/m");
    compare(found.mass_kg, kSpecimen.mass_kg, 1e-6, "mass, kg");
  }
  void offsetsOfSensorsHaveNoEffect() {
    Rows rows = rowsOf(kSpecimen, 2.0);
    const auto before = equationsOf(rows).numbers();
    for (double& x : rows.measured) x += 1e-3;
    for (double& f : rows.force) f -= 5.0;
    const auto after = equationsOf(rows).numbers();
    for (std::size_t n = 0; n < 12; ++n) compare(after[n], before[n], 1e-9 * std::abs(before[11]), "a sum");
  }
  void numbersComeBack() {
    const FaceEquations test = equationsOf(rowsOf(kSpecimen, 2.0, 1e-5, 0.1));
    const auto numbers = test.numbers();
    QVERIFY(FaceEquations::of(numbers).value().numbers() == numbers);
    QVERIFY(!FaceEquations::of(std::span(numbers).first(5)));
    auto broken = numbers;
    broken[40] = std::nan("");
    QVERIFY(!FaceEquations::of(broken));
  }

  /// Noise of every test its own: the interval holds the truth about as often as it says, and has a level.
  void noiseHasALevel_data() {
    QTest::addColumn<double>("displacement");
    QTest::addColumn<double>("force");
    QTest::newRow("displacement") << 3e-5 << 0.0;
    QTest::newRow("force") << 0.0 << 0.05;
    QTest::newRow("little of both") << 1e-7 << 2e-4;
    QTest::newRow("much of both") << 1e-4 << 0.2;
  }
  void noiseHasALevel() {
    QFETCH(double, displacement);
    QFETCH(double, force);
    int holds = 0, levels = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const FacePrediction prediction = modelPrediction(tests(displacement, force, seed), frequency_hz, {});
      QVERIFY2(prediction.carried, prediction.why_not.c_str());
      holds += prediction.interval.holds(frequency_hz(kSpecimen));
      levels += prediction.level.has_value();
    }
    QVERIFY2(holds >= 90, qPrintable(QString::number(holds)));
    // With little noise the share of the value that the interval always has is larger than the noise.
    if (displacement > 1e-6 || force > 1e-2) QVERIFY2(holds <= 99, qPrintable(QString::number(holds)));
    QVERIFY2(levels >= 94, qPrintable(QString::number(levels)));
  }

  /// A specimen that is no mass, spring and damper leaves a pattern along the lines.
  void aPatternHasNone() {
    std::vector<FaceEquations> all;
    for (std::uint64_t t = 0; t < 12; ++t) {
      Rows rows = rowsOf(kSpecimen, 2.0 + 0.3 * static_cast<double>(t), 0.0, 1e-4, t);
      for (std::size_t k = rows.force.size() - 1; k > 0; --k) rows.force[k] += 2e4 * std::pow(rows.measured[k], 3);
      all.push_back(equationsOf(rows));
    }
    const FacePrediction prediction = modelPrediction(all, frequency_hz, {});
    QVERIFY(prediction.carried && !prediction.level);
    QVERIFY2(prediction.range_because.find("systematically") != std::string::npos, prediction.range_because.c_str());
    QVERIFY(prediction.interval.holds(prediction.value) && prediction.spread.known());
    QVERIFY(prediction.interval.holds(frequency_hz(identifySpecimen(std::span(all).subspan(5, 4)).value())));
  }
  /// So does one that changes from test to test, between the tests.
  void aSpecimenThatChangesHasNone() {
    std::vector<FaceEquations> all;
    for (std::uint64_t t = 0; t < 12; ++t) {
      FaceSpecimen changed = kSpecimen;
      changed.stiffness_n_per_m *= 1.0 + 0.02 * static_cast<double>(t % 3);
      all.push_back(equationsOf(rowsOf(changed, 2.0 + 0.3 * static_cast<double>(t), 0.0, 0.02, t)));
    }
    const FacePrediction prediction = modelPrediction(all, frequency_hz, {});
    QVERIFY(prediction.carried && !prediction.level);
  }

  /// The polynomial of the states omits terms of a rig that differentiates by rows: the more, the fewer rows a swing
  /// has. Without noise the range holds them.
  void theOmittedTermsAreInTheRange() {
    const auto central = [](double angle) {
      return MotionRates{Complex(0.0, std::sin(angle) / kStep_s), 2.0 * (std::cos(angle) - 1.0) / (kStep_s * kStep_s)};
    };
    std::mt19937_64 engine(30001);
    const auto times = [&] { return std::uniform_real_distribution<double>(0.5, 2.0)(engine); };
    double most = 0.0;
    for (const double rad_per_s : {40.0, 60.0, 90.0, 120.0})
      for (int draw = 0; draw < 10; ++draw) {
        const FaceSpecimen specimen{kSpecimen.stiffness_n_per_m * times(), kSpecimen.damping_n_s_per_m * times(),
                                    kSpecimen.mass_kg * times()};
        std::vector<FaceEquations> all;
        for (int t = 0; t < 6; ++t) {
          const Complex pole(-2.0 - 0.3 * t, rad_per_s), slow = -25.0 * times(), amplitude = std::polar(6e-3, times());
          const auto x = [&](int k) {
            return (amplitude * std::exp(pole * (kStep_s * k)) + 3e-3 * std::exp(slow * (kStep_s * k))).real();
          };
          std::vector<double> measured, force;
          for (int k = 0; k < 2000; ++k) {
            measured.push_back(x(k));
            force.push_back(-specimen.stiffness_n_per_m * x(k) -
                            specimen.damping_n_s_per_m * (x(k + 1) - x(k - 1)) / (2.0 * kStep_s) -
                            specimen.mass_kg * (x(k + 1) - 2.0 * x(k) + x(k - 1)) / (kStep_s * kStep_s));
          }
          all.push_back(faceEquations({pole, amplitude}, measured, force, kStep_s, central).value());
        }
        const FacePrediction prediction = modelPrediction(all, frequency_hz, {});
        const double true_hz = frequency_hz(specimen), off = std::abs(prediction.value / true_hz - 1.0);
        QVERIFY2(prediction.carried && prediction.interval.holds(true_hz),
                 qPrintable(QString("%1 rad/s: %2 off").arg(rad_per_s).arg(off)));
        most = std::max(most, off);
      }
    QVERIFY2(most > 3e-6, qPrintable(QString::number(most)));  // more than the share that every interval has
  }

  void whatDoesNotCarryItIsSaid() {
    const std::vector<FaceEquations> all = tests(1e-5, 0.0, 1);
    const FacePrediction few = modelPrediction(std::span(all).first(3), frequency_hz, {});
    QVERIFY(!few.carried && few.why_not.find("at least 4") != std::string::npos);
    const FacePrediction none = modelPrediction(all, [](const FaceSpecimen&) { return std::nan(""); }, {});
    QVERIFY(!none.carried && !none.why_not.empty());
    const Rows rows = rowsOf(kSpecimen, 2.0);
    QVERIFY(!faceEquations(rows.swing, std::span(rows.measured).first(200), std::span(rows.force).first(200), kStep_s,
                           instant));  // little more than one swing
  }

  void swingsAreReadAfterTheTransient() {
    const Complex pole(-2.0, 40.0), amplitude = std::polar(1.0, 0.3);
    std::vector<double> target;
    for (int k = 0; k < 4000; ++k) {
      const double t = 1e-3 * k;
      target.push_back(-0.5 + (amplitude * std::exp(pole * t)).real() + 0.3 * std::exp(-60.0 * t));
    }
    const FreeSwing found = freeSwing(target, 1e-3).value();
    compare(std::abs(found.pole - pole), 0.0, 1e-3, "pole, 1/s");
    compare(std::abs(found.amplitude - amplitude), 0.0, 1e-3, "amplitude");
    QVERIFY(!freeSwing(std::vector<double>(100, 1.0), 1e-3));
  }
};

HYB_SUITE(fidelity_face_model, FaceModelTest)
#include "face_model_test.moc"
