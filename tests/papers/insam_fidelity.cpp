/// Insam 2022 (dissertation), chapter 10: assessment measures. Rows V-11, V-23, V-41, V-42, V-44, V-46, V-47, V-49,
/// V-57, V-60, V-61 of the note's table D18, energies of section D11.4.
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <tuple>
#include <vector>

#include "core/fidelity/decay.h"
#include "core/fidelity/decaying_sine.h"
#include "core/fidelity/energy.h"
#include "core/fidelity/frequency_index.h"
#include "core/fidelity/spectrum.h"
#include "core/fidelity/subspace.h"
#include "core/fidelity/susceptibility.h"
#include "core/fidelity/tracking_errors.h"
#include "core/numbers.h"
#include "tests/support/compare.h"
#include "tests/support/leg_twin.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;
using Complex = std::complex<double>;

namespace {

constexpr double kStep_s = kLegStep_s;

Complex leg(Complex s) { return 1053.1 / (s * (s + 55.5)); }
Complex actuator(const LegGains& gains, Complex s) {
  const Complex gv = gains.velocity + gains.integral / s, inner = gv * leg(s) / (1.0 + s * gv * leg(s));
  return inner * (gains.position + (gains.feedforward ? s : 0.0)) / (1.0 + gains.position * inner);
}

}  // namespace

class PaperInsamFidelity : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void v11ClosedLeg_data() {
    QTest::addColumn<int>("set");
    QTest::addColumn<double>("hz");
    QTest::addColumn<double>("gain");
    QTest::addColumn<double>("delay_ms");
    QTest::newRow("PPI1") << 0 << 6.0 << 0.416 << 34.9;
    QTest::newRow("PPI1, VFF") << 1 << 6.0 << 0.887 << 6.2;
    QTest::newRow("PPI2") << 2 << 6.0 << 0.860 << 21.1;
    QTest::newRow("PPI2, VFF") << 3 << 6.0 << 1.077 << 3.9;
    QTest::newRow("FACE-sim") << 4 << 6.0 << 0.991 << 12.6;
    QTest::newRow("FACE-sim, VFF") << 5 << 6.0 << 1.075 << 2.1;
    QTest::newRow("FACE-sim at 8.5 Hz") << 4 << 8.5 << 0.950 << 12.8;
    QTest::newRow("FACE-sim, VFF at 8.5 Hz") << 5 << 8.5 << 1.105 << 2.75;
  }
  void v11ClosedLeg() {
    QFETCH(int, set);
    QFETCH(double, hz);
    QFETCH(double, gain);
    QFETCH(double, delay_ms);
    const LegGains feedback = std::array{kPpi1, kPpi2, kFaceSim}[static_cast<std::size_t>(set / 2)];
    const Complex at = actuator(set % 2 == 1 ? withFeedforward(feedback) : feedback, {0.0, kTwoPi * hz});
    compare(std::abs(at), gain, 0.01 * gain, "|Z'/Z|");
    compare(-1e3 * std::arg(at) / (kTwoPi * hz), delay_ms, 0.01 * delay_ms + 0.05, "delay, ms");
  }

  void v23PowerIdentities() {
    const double k = 8650.0, m = 4.0, a = 0.01, w = kTwoPi * 6.0, lag = 0.2;
    double spring_j = 0.0, mass_j = 0.0, none_j = 0.0;
    const int ticks = 1000;
    for (int i = 0; i < ticks; ++i) {
      const double angle = kTwoPi * i / ticks, step_s = 1.0 / (6.0 * ticks);
      const double velocity = a * w * std::cos(angle), achieved = a * w * std::cos(angle - lag);
      const double f_spring = k * a * std::sin(angle - lag), f_mass = -m * w * w * a * std::sin(angle - lag);
      spring_j += interfacePower(f_spring, velocity, f_spring, achieved).error_w() * step_s;
      mass_j += interfacePower(f_mass, velocity, f_mass, achieved).error_w() * step_s;
      none_j += std::abs(interfacePower(f_mass, velocity, f_mass, velocity).error_w());
    }
    QCOMPARE(none_j, 0.0);
    const double turned = std::numbers::pi * a * a * std::sin(lag);
    compare(spring_j, k * turned, 0.01 * k * turned, "spring, J a cycle");
    compare(mass_j, -m * w * w * turned, 0.01 * m * w * w * turned, "mass, J a cycle");
  }

  void v41IndexOfASine() {
    std::vector<double> z, x;
    for (int k = 0; k < 1000; ++k) {
      z.push_back(std::sin(kTwoPi * 5.0 * kStep_s * k));
      x.push_back(0.9 * std::sin(kTwoPi * 5.0 * (kStep_s * k - 0.0125)));
    }
    const FrequencyIndex index = frequencyIndex(z, x, kStep_s).value();
    compare(index.amplitude, 0.9, 1e-6, "A");
    compare(index.delay_s, 0.0125, 1e-6, "tau, s");
    compare(index.frequency_hz, 5.0, 1e-6, "f_eq, Hz");
  }

  void v42WorkedExample() {
    const LegTwinRun run = legTwin(kSpring, kFaceSim, 0, 5000);
    const FrequencyIndex adapted = adaptedFrequencyIndex(run.command, run.achieved, kStep_s).value();
    compare(adapted.frequency_hz, 8.48, 0.01 * 8.48, "adapted f_eq, Hz");
    compare(1e3 * adapted.delay_s, 10.74, 0.01 * 10.74, "adapted tau, ms");
  }

  void v44IndexFollowsAddedDelay() {
    const double expected_ms[] = {10.74, 11.67, 12.67, 13.62, 14.58, 15.55, 16.63, 17.62, 18.61, 19.61, 20.68, 21.70};
    double first_ms = 0.0, last_ms = 0.0;
    for (std::size_t added = 0; added < 12; ++added) {
      const LegTwinRun run = legTwin(kSpring, kFaceSim, added, 5000);
      last_ms = 1e3 * adaptedFrequencyIndex(run.command, run.achieved, kStep_s)->delay_s;
      if (added == 0) first_ms = last_ms;
      compare(last_ms, expected_ms[added], 0.01 * expected_ms[added], "tau, ms");
    }
    compare((last_ms - first_ms) / 11.0, 1.0, 0.03, "slope");
  }

  void dampingOfTheSpringCase() {  // section D11.2: d = 2 m delta from the turning points, about the rest position
    const double rest = -kSpring.m * kGravity / (kSpring.k + kSpring.k_exp);
    const double expected[] = {97.7, 90.8, 84.2, 77.9, 71.9, 66.2, 60.7, 55.6, 50.8, 46.3, 42.1, 38.2};
    for (std::size_t added = 0; added < 12; ++added) {
      const DecayFit fit = fitDecay(legTwin(kSpring, kFaceSim, added, 5000).achieved, kStep_s, rest, 10).value();
      compare(2.0 * kSpring.m * fit.decay_per_s, expected[added], 0.01 * expected[added], "d, kg/s");
    }
    const DecayFit exact = fitDecay(released(kSpring, 5000), kStep_s, rest, 10).value();
    compare(2.0 * kSpring.m * exact.decay_per_s, 200.0, 0.1, "reference d, kg/s");
    compare(exact.frequency_hz, 8.526, 1e-3, "reference frequency, Hz");
    const DecayingSine sine = fitDecayingSine(released(kSpring, 350), kStep_s).value();  // three periods
    compare(2.0 * kSpring.m * sine.decay_per_s, 200.0, 1e-3, "d of a short record, kg/s");
    compare(sine.frequency_hz, 8.526, 1e-3, "frequency of a short record, Hz");
  }

  void v46AmplitudeOfTheReference() {
    compare(dominantPeak(amplitudeSpectrum(released(kSystem1, 8000), kStep_s))->amplitude, 9.925e-4, 2e-3 * 9.925e-4,
            "system 1, m");
    compare(dominantPeak(amplitudeSpectrum(released(kSystem2, 8000), kStep_s))->amplitude, 8.927e-4, 2e-3 * 8.927e-4,
            "system 2, m");
  }

  void v47AmplitudesOfTheTwin() {  // two samples of the command later, as the source's own simulation
    const std::tuple<Halves, LegGains, double> cases[] = {{kSystem1, kFaceSim, 4.728e-4},
                                                          {kSystem1, withFeedforward(kFaceSim), 8.070e-4},
                                                          {kSystem2, kFaceSim, 6.734e-4}};
    for (const auto& [halves, gains, expected] : cases) {
      const AmplitudeSpectrum spectrum = amplitudeSpectrum(legTwin(halves, gains, 2, 8000).achieved, kStep_s);
      compare(dominantPeak(spectrum)->amplitude, expected, 0.01 * expected, "amplitude, m");
    }
  }

  void v49AmplitudesOfAShortRecord() {  // 0.25 s have bins of 4 Hz
    const double expected_mm[] = {1.994, 2.070, 2.146, 2.221, 2.295, 2.367, 2.438, 2.507, 2.574, 2.639, 2.702, 2.763};
    for (std::size_t added = 0; added < 12; ++added) {
      const AmplitudeSpectrum spectrum = amplitudeSpectrum(legTwin(kSpring, kFaceSim, added, 250).achieved, kStep_s);
      compare(1e3 * dominantPeak(spectrum)->amplitude, expected_mm[added], 0.01 * expected_mm[added], "amplitude, mm");
    }
    const AmplitudeSpectrum spectrum = amplitudeSpectrum(released(kSpring, 250), kStep_s);
    compare(1e3 * dominantPeak(spectrum)->amplitude, 1.199, 0.012, "reference, mm");
  }

  void trackingErrorOfTheSweep() {  // section D11.2, by maximum
    for (const auto& [added, expected] : {std::pair{std::size_t{0}, 0.0336}, {std::size_t{11}, 0.0889}}) {
      const LegTwinRun run = legTwin(kSpring, kFaceSim, added, 5000);
      compare(rmsErrorByMax(run.command, run.achieved), expected, 0.05 * expected, "error by maximum");
    }
  }

  void v57Susceptibility_data() {
    QTest::addColumn<int>("system");
    QTest::addColumn<bool>("feedforward");
    QTest::addColumn<double>("norm_db");
    QTest::newRow("system 1") << 1 << false << 0.53;
    QTest::newRow("system 1, VFF") << 1 << true << -12.4;
    QTest::newRow("system 2") << 2 << false << -10.0;
    QTest::newRow("system 2, VFF") << 2 << true << -22.65;
  }
  void v57Susceptibility() {
    QFETCH(int, system);
    QFETCH(bool, feedforward);
    QFETCH(double, norm_db);
    const Halves h = system == 1 ? kSystem1 : kSystem2;
    const auto loop = [&](double hz) {
      const Complex s(0.0, kTwoPi * hz);
      return (h.m_exp * s * s + h.k_exp) / (h.m * s * s + h.d * s + h.k);
    };
    const auto acts = [&](double hz) {
      return actuator(feedforward ? withFeedforward(kFaceSim) : kFaceSim, {0.0, kTwoPi * hz});
    };
    // Past the coupled mode a mass specimen's T_o rises to m_exp / m: the source reads the peak at the mode.
    const Susceptibility found = susceptibility(loop, acts, 0.1, 10.0).value();
    compare(found.norm_db(), norm_db, 0.2, "norm, dB");
    if (system == 1 && !feedforward) compare(found.frequency_hz, 5.55, 0.02, "at, Hz");
    QCOMPARE(found.robustlyStable(), norm_db < 0.0);
    QCOMPARE(found.performsRobustly(), norm_db < -20.0);
  }

  void errorEnergies_data() {  // (R) of section D11.4, 8 s
    QTest::addColumn<int>("system");
    QTest::addColumn<bool>("feedforward");
    QTest::addColumn<double>("energy_j");
    QTest::newRow("system 1") << 1 << false << -0.182;
    QTest::newRow("system 1, VFF") << 1 << true << -0.0305;
    QTest::newRow("system 2") << 2 << false << -0.0741;
    QTest::newRow("system 2, VFF") << 2 << true << -0.0100;
  }
  void errorEnergies() {
    QFETCH(int, system);
    QFETCH(bool, feedforward);
    QFETCH(double, energy_j);
    const LegTwinRun run =
        legTwin(system == 1 ? kSystem1 : kSystem2, feedforward ? withFeedforward(kFaceSim) : kFaceSim, 0, 8000);
    const EnergyBook book = energyBook(run.force, run.velocity, run.force, run.velocity_achieved, kStep_s);
    compare(book.error_j, energy_j, 0.05 * std::abs(energy_j), "error energy, J");
  }

  void v60ErrorMonitor() {
    QCOMPARE(hsemStrain(0.0, 1.0), 0.0);
    QVERIFY(hsemAcceptable(hsemStrain(0.0, 1.0)) && hsemAcceptable(0.05) && !hsemAcceptable(0.0501));
  }

  /// The source draws the command upwards: its clockwise lag is anticlockwise, positive, here.
  void v61SubspaceArea() {
    std::vector<double> z, x;
    for (int k = 0; k <= 200; ++k) {
      z.push_back(std::sin(kTwoPi * 5.0 * kStep_s * k));
      x.push_back(std::sin(kTwoPi * 5.0 * (kStep_s * k - 0.01)));
    }
    const double expected = std::numbers::pi * std::sin(kTwoPi * 5.0 * 0.01);
    compare(expected, 0.971, 5e-4, "formula");
    compare(fitSubspaceEllipse(z, x, kStep_s, 5.0)->area, expected, 5e-3 * expected, "ellipse");
    std::vector<double> swept(z.size());
    runningTrackingIndicator(z, x, swept);
    compare(swept.back(), expected, 5e-3 * expected, "swept");
    runningTrackingIndicator(x, z, swept);
    compare(swept.back(), -expected, 5e-3 * expected, "swept, axes swapped");
  }
};

HYB_SUITE(paper_insam_fidelity, PaperInsamFidelity)
#include "insam_fidelity.moc"
