/// Insam 2022 (dissertation), chapter 10: assessment measures. Rows V-23, V-41, V-46, V-49, V-60, V-61 of the note's
/// table D18; the same measures of a test with its leg: insam_leg.cpp.
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "core/base/numbers.h"
#include "core/fidelity/decay.h"
#include "core/fidelity/decaying_sine.h"
#include "core/fidelity/frequency_index.h"
#include "core/fidelity/running.h"
#include "core/fidelity/spectrum.h"
#include "core/fidelity/subspace.h"
#include "tests/support/compare.h"
#include "tests/support/face_linear_run.h"
#include "tests/support/suite.h"
#include "tests/support/template_run.h"

using namespace hyb;
using namespace hyb::test;
namespace {

constexpr double kStep_s = kLegStep_s;

}  // namespace

class PaperInsamFidelity : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// A lag brings as much energy in against a spring as it takes out against a mass of that stiffness.
  void v23PowerIdentities() {
    const double k = 8650.0, m = 4.0, a = 0.01, w = kTwoPi * 6.0, turned = std::numbers::pi * a * a * std::sin(0.2);
    const auto cycle_j = [a](double stiffness, double lag) {
      RunningEnergyError energy(1);
      const int ticks = 1000;
      for (int i = 0; i <= ticks; ++i) {
        const double angle = kTwoPi * i / ticks, target = a * std::sin(angle), measured = a * std::sin(angle - lag),
                     force = -stiffness * measured;
        if (i == 0)
          energy.moveTo({&force, 1}, {&target, 1}, {&measured, 1});
        else
          energy.add({&force, 1}, {&target, 1}, {&measured, 1}, 1.0 / (6.0 * ticks));
      }
      return energy.energy_j();
    };
    QCOMPARE(cycle_j(-m * w * w, 0.0), 0.0);
    compareRelative(cycle_j(k, 0.2), k * turned, 1e-4, "spring, J a cycle");
    compareRelative(cycle_j(-m * w * w, 0.2), -m * w * w * turned, 1e-4, "mass, J a cycle");
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

  /// The uncut structure of the shipped templates (V-46, V-49, D11.2): amplitudes, frequency and damping
  /// (d = 2 m delta from the turning points about the rest position) of the release without a transfer system.
  void v46v49Reference() {
    const auto amplitude = [](const std::vector<double>& z) {
      return dominantPeak(amplitudeSpectrum(z, kStep_s))->amplitude;
    };
    compare(amplitude(linearRun(linearProject("face-linear-general"), 8000).reference), 9.925e-4, 2e-3 * 9.925e-4,
            "system 1, m");
    compare(amplitude(linearRun(linearProject("face-linear-general", systemTwo()), 8000).reference), 8.927e-4,
            2e-3 * 8.927e-4, "system 2, m");
    const std::vector<double> spring = linearRun(linearProject("face-linear"), 5000).reference;
    QCOMPARE(spring.size(), std::size_t{5000});
    const std::span all(spring);
    compare(1e3 * dominantPeak(amplitudeSpectrum(all.first(250), kStep_s))->amplitude, 1.199, 0.012,
            "0.25 s: bins of 4 Hz, mm");
    const DecayFit fit = fitDecay(spring, kStep_s, -kSpring.m * kGravity / (kSpring.k + kSpring.k_exp), 10).value();
    compare(2.0 * kSpring.m * fit.decay_per_s, 200.0, 0.1, "d, kg/s");
    compare(fit.frequency_hz, 8.526, 1e-3, "frequency, Hz");
    const DecayingSine sine = fitDecayingSine(all.first(350), kStep_s).value();  // three periods
    compare(2.0 * kSpring.m * sine.decay_per_s, 200.0, 1e-3, "d of a short record, kg/s");
    compare(sine.frequency_hz, 8.526, 1e-3, "frequency of a short record, Hz");
  }

  /// An ideal transfer system adds no energy, and the monitor of its run is nothing.
  void v60ErrorMonitor() {
    const TemplateRun run(linearProject("face-linear", {R"(/rig/actuators=[{"model": "ideal"}])"}), true);
    QVERIFY(run.ended() == EndReason::completed);
    QCOMPARE(run.figures().at("energy_error").get<double>(), 0.0);
    const double monitor = run.figures().at("measures").at("hsem_strain").get<double>();
    QCOMPARE(monitor, 0.0);
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
    const auto swept = [](const std::vector<double>& target, const std::vector<double>& measured) {
      RunningTrackingIndicator indicator;
      indicator.moveTo(target[0], measured[0]);
      for (std::size_t k = 1; k < target.size(); ++k) indicator.add(target[k], measured[k]);
      return indicator.area();
    };
    compare(swept(z, x), expected, 5e-3 * expected, "swept");
    compare(swept(x, z), -expected, 5e-3 * expected, "swept, axes swapped");
  }
};

HYB_SUITE(paper_insam_fidelity, PaperInsamFidelity)
#include "insam_fidelity.moc"
