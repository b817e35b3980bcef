/// Scatter of a quantity between trials, against closed forms.
#include "core/fidelity/trial_scatter.h"

#include <cmath>
#include <vector>

#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class TrialScatterTest : public QObject {
  Q_OBJECT
  static TrialScatter of(const std::vector<std::vector<double>>& trials) {
    return trialScatter(std::vector<std::span<const double>>(trials.begin(), trials.end()));
  }

 private Q_SLOTS:
  /// Sines of 1, 1.1 and 1.2 times an amplitude a over whole periods: s(k) = 0.1 a |sin|, so rms = 0.1 a / sqrt 2 and
  /// 0.1 / 1.1 of the mean.
  void sinesOfSeveralAmplitudes() {
    constexpr int kRows = 400;
    constexpr double kAmplitude_m = 3e-3;
    std::vector<std::vector<double>> trials(3, std::vector<double>(kRows));
    for (std::size_t j = 0; j < 3; ++j)
      for (int k = 0; k < kRows; ++k)
        trials[j][static_cast<std::size_t>(k)] =
            kAmplitude_m * (1.0 + 0.1 * static_cast<double>(j)) * std::sin(kTwoPi * k / kRows);
    const TrialScatter found = of(trials);
    QCOMPARE(found.trials, std::size_t{3});
    compareRelative(found.rms, 0.1 * kAmplitude_m / std::sqrt(2.0), 1e-12, "rms");
    compareRelative(found.percent, 100.0 * 0.1 / 1.1, 1e-12, "percent");
  }

  /// Two trials that differ by a constant d: s = d / sqrt 2 at every instant. Equal trials have none.
  void aConstantDifference() {
    const TrialScatter found = of({{1.0, 2.0, 3.0}, {1.5, 2.5, 3.5}});
    compareRelative(found.rms, 0.5 / std::sqrt(2.0), 1e-12, "rms");
    QCOMPARE(of({{1.0, 2.0}, {1.0, 2.0}}).rms, 0.0);
  }

  void whatIsNotDetermined() {
    QVERIFY(std::isnan(of({{1.0, 2.0}}).rms) && std::isnan(of({}).rms) && std::isnan(of({{}, {}}).rms));
    const TrialScatter still = of({{1.0, -1.0}, {-1.0, 1.0}});
    QVERIFY(still.rms > 1.0 && std::isnan(still.percent));
    QVERIFY(std::isnan(of({{1.0, kNoValue}, {1.0, 1.0}}).rms));
    compareRelative(of({{9.0, 0.0, 1.0}, {2.0, 1.0}}).rms, 1.0, 1e-12, "back to the start of the shortest");
  }
};

HYB_SUITE(fidelity_trial_scatter, TrialScatterTest)
#include "trial_scatter_test.moc"
