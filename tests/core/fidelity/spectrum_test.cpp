#include <QTest>
#include <cmath>
#include <random>
#include <vector>

#include "core/base/numbers.h"
#include "core/fidelity/frequency_index.h"
#include "core/fidelity/record.h"
#include "core/fidelity/spectrum.h"
#include "tests/core/fidelity/step.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

template <typename Motion>
std::vector<double> sampled(std::size_t count, const Motion& motion) {
  std::vector<double> samples(count);
  for (std::size_t k = 0; k < count; ++k) samples[k] = motion(kSignalStep_s * static_cast<double>(k));
  return samples;
}

}  // namespace

class FidelitySpectrum : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void transformAgainstItsDefinition() {
    std::mt19937_64 random(2);
    std::normal_distribution<double> normal(0.0, 1.0);
    for (const std::size_t n : {1u, 2u, 3u, 7u, 12u, 64u, 67u, 134u, 201u, 499u, 1024u}) {  // 67, 499: primes
      std::vector<double> x(n);
      for (double& value : x) value = normal(random);
      const std::vector<std::complex<double>> bins = dft(x);
      QCOMPARE(bins.size(), n / 2 + 1);
      for (std::size_t k = 0; k < bins.size(); ++k) {
        std::complex<double> sum;
        for (std::size_t m = 0; m < n; ++m)
          sum += x[m] * std::polar(1.0, -kTwoPi * static_cast<double>(k * m % n) / static_cast<double>(n));
        QVERIFY2(std::abs(bins[k] - sum) < 1e-11 * static_cast<double>(n), qPrintable(QString::number(n)));
      }
    }
  }

  void amplitudesOfWholePeriods() {
    const AmplitudeSpectrum spectrum = amplitudeSpectrum(
        sampled(2000,
                [](double t) { return 5.0 + 2e-3 * std::sin(kTwoPi * 8.0 * t) + 1e-3 * std::cos(kTwoPi * 60.0 * t); }),
        kSignalStep_s);
    compare(spectrum.bin_hz, 0.5, 1e-12, "bin, Hz");
    compare(spectrum.amplitude[0], 10.0, 1e-12, "constant");
    const std::vector<SpectralPeak> found = peaks(spectrum, 0.4);
    QCOMPARE(found.size(), std::size_t{2});
    compare(found[0].frequency_hz, 8.0, 1e-12, "first peak, Hz");
    compare(found[0].amplitude, 2e-3, 1e-12, "first peak");
    compare(found[1].frequency_hz, 60.0, 1e-12, "second peak, Hz");
    compare(found[1].amplitude, 1e-3, 1e-12, "second peak");
    QCOMPARE(dominantPeak(spectrum)->bin, std::size_t{16});
  }

  void lobeAtZeroIsNoPeak() {  // a settling motion about a rest position far off
    const auto motion = [](double t) { return -1.0 + std::exp(-0.5 * t) + 0.05 * std::sin(kTwoPi * 6.3 * t); };
    const AmplitudeSpectrum spectrum = amplitudeSpectrum(sampled(3001, motion), kSignalStep_s);
    QVERIFY(spectrum.amplitude[1] > 0.2);
    compare(dominantPeak(spectrum)->frequency_hz, 6.3, spectrum.bin_hz, "peak, Hz");
  }

  void frequencyBetweenTheBins() {
    for (const double frequency_hz : {1.37, 8.123456, 123.4}) {
      const std::vector<double> z =
          sampled(2000, [&](double t) { return 3e-4 + 2e-3 * std::sin(kTwoPi * frequency_hz * t + 0.4); });
      compare(dominantFrequency_hz(z, kSignalStep_s).value(), frequency_hz, 1e-6 * frequency_hz, "frequency, Hz");
    }
  }

  void indexOfDelayedSine() {
    const std::vector<double> z = sampled(2000, [](double t) { return 2e-3 * std::sin(kTwoPi * 8.0 * t); });
    for (const auto& [scale, shift_s] : {std::pair{1.0, 0.0}, {0.9, 0.0047}, {1.2, -0.0031}}) {
      const double ratio = scale, tau_s = shift_s;
      const std::vector<double> x =
          sampled(2000, [&](double t) { return ratio * 2e-3 * std::sin(kTwoPi * 8.0 * (t - tau_s)); });
      for (const std::optional<FrequencyIndex>& index :
           {frequencyIndex(z, x, kSignalStep_s), adaptedFrequencyIndex(z, x, kSignalStep_s)}) {
        compare(index->amplitude, ratio, 1e-6, "A");
        compare(index->delay_s, tau_s, 1e-9, "tau, s");
        compare(index->phase_deg, -360.0 * 8.0 * tau_s, 1e-6, "phase, deg");
        compare(index->frequency_hz, 8.0, 1e-6, "f_eq, Hz");
      }
    }
  }

  /// A burst of oscillation on a slow swing, both from rest to rest: the standard index is drawn to 0 Hz and mixes
  /// both, the adapted one stays at the oscillation and follows the delay one to one.
  void adaptedIndexFollowsTheOscillation() {
    const auto motion = [](double t) {
      const double bump = std::exp(-0.5 * std::pow((t - 2.5) / 0.4, 2));
      return bump * (3.3e-3 + 1e-3 * std::sin(kTwoPi * 8.5 * t));
    };
    const std::vector<double> z = sampled(5000, motion);
    for (int ms = 0; ms <= 22; ms += 2) {
      const std::vector<double> x = sampled(5000, [&](double t) { return motion(t - 1e-3 * ms); });
      const FrequencyIndex standard = frequencyIndex(z, x, kSignalStep_s).value();
      const FrequencyIndex adapted = adaptedFrequencyIndex(z, x, kSignalStep_s).value();
      QVERIFY(standard.frequency_hz < 1.0);
      compare(adapted.frequency_hz, 8.5, 1e-6, "f_eq, Hz");
      compare(adapted.delay_s, 1e-3 * ms, 1e-8, "tau, s");
      compare(adapted.amplitude, std::exp(-std::pow(1e-3 * ms / 0.8, 2)), 1e-3, "A");
    }
  }

  void bandsKeepBothModes() {
    const auto motion = [](double t) { return std::sin(kTwoPi * 5.0 * t) + 0.6 * std::sin(kTwoPi * 20.0 * t); };
    const std::vector<double> z = sampled(4000, motion);
    const double both_hz = (5.0 + 0.36 * 20.0) / 1.36;
    compare(adaptedFrequencyIndex(z, z, kSignalStep_s)->frequency_hz, both_hz, 1e-9, "two modes, Hz");
    compare(adaptedFrequencyIndex(z, z, kSignalStep_s, {3.0, 0.9})->frequency_hz, 5.0, 1e-9, "the larger alone, Hz");
  }

  void windowsShowWhenTheDelayGrew() {
    const std::vector<double> z = sampled(8000, [](double t) { return std::sin(kTwoPi * 8.0 * t); });
    const std::vector<double> x =
        sampled(8000, [](double t) { return std::sin(kTwoPi * 8.0 * (t - (t < 4.0 ? 0.002 : 0.005))); });
    const std::vector<TimedFrequencyIndex> course = windowedFrequencyIndex(z, x, kSignalStep_s, 1000, 500);
    QCOMPARE(course.size(), std::size_t{15});
    compare(course[0].time_s, 0.4995, 1e-12, "middle of the first window, s");
    for (const TimedFrequencyIndex& entry : course)
      if (std::abs(entry.time_s - 4.0) > 0.4)
        compare(entry.index->delay_s, entry.time_s < 4.0 ? 0.002 : 0.005, 1e-9, "tau, s");
    QVERIFY(windowedFrequencyIndex(z, x, kSignalStep_s, 8001, 1).empty());
    QVERIFY(windowedFrequencyIndex(z, x, kSignalStep_s, 0, 1).empty() &&
            windowedFrequencyIndex(z, x, kSignalStep_s, 10, 0).empty());
  }

  void badInputIsNoIndex() {
    const std::vector<double> z = sampled(1000, [](double t) { return std::sin(kTwoPi * 8.0 * t); });
    std::vector<double> broken = z;
    broken[3] = kNoValue;
    const std::vector<double> rest(1000, 0.1), zero(1000, 0.0), few(7, 1.0);
    QVERIFY(!frequencyIndex(z, broken, kSignalStep_s) && !adaptedFrequencyIndex(z, broken, kSignalStep_s));
    QVERIFY(!frequencyIndex(z, few, kSignalStep_s) && !frequencyIndex(few, few, kSignalStep_s));
    QVERIFY(!frequencyIndex(z, z, 0.0) && !frequencyIndex(zero, z, kSignalStep_s));
    QVERIFY(!adaptedFrequencyIndex(rest, z, kSignalStep_s) && !adaptedFrequencyIndex(zero, z, kSignalStep_s));
    QVERIFY(!frequencyIndex(z, z, kSignalStep_s, kNoValue) && !frequencyIndex(z, z, kSignalStep_s, -1.0));
    QVERIFY(std::isnan(frequencyIndex(z, z, kSignalStep_s, 0.0)->delay_s) || !frequencyIndex(z, z, kSignalStep_s, 0.0));
    QVERIFY(dft({}).empty() && amplitudeSpectrum(broken, kSignalStep_s).amplitude.empty());
    for (const std::vector<double>& record : {rest, zero, broken, {}, {1.0}, {1.0, 2.0, 3.0}})
      QVERIFY(!dominantFrequency_hz(record, kSignalStep_s));
  }
};

HYB_SUITE(fidelity_spectrum, FidelitySpectrum)
#include "spectrum_test.moc"
