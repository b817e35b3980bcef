#include <cmath>
#include <complex>
#include <limits>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/excitation/ground_motion.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

/// Tone inside a smooth window that is zero at both ends, so that only its frequency counts.
std::vector<double> burst(double frequency_hz, double step_s, double duration_s) {
  std::vector<double> samples;
  const auto n = static_cast<int>(std::lround(duration_s / step_s));
  for (int i = 0; i <= n; ++i) {
    const double t = i * step_s;
    samples.push_back(std::pow(std::sin(kPi * t / duration_s), 4) * std::sin(2.0 * kPi * frequency_hz * t));
  }
  return samples;
}

double largest(const std::vector<double>& samples) {
  double peak = 0.0;
  for (const double v : samples) peak = std::max(peak, std::abs(v));
  return peak;
}

/// An earthquake-like record: tones of several frequencies under a rising and falling envelope, with an offset.
GroundMotion quake(double step_s, double duration_s) {
  GroundMotion motion{step_s, {}};
  const auto n = static_cast<int>(std::lround(duration_s / step_s));
  for (int i = 0; i <= n; ++i) {
    const double t = i * step_s, u = t / duration_s;
    double sum = 0.02;  // an offset, as records have
    for (int j = 0; j < 8; ++j) sum += std::sin(2.0 * kPi * (0.6 + 1.1 * j) * t + 1.9 * j * j);
    motion.acceleration_mps2.push_back(16.0 * u * u * (1.0 - u) * (1.0 - u) * sum);
  }
  return motion;
}

}  // namespace

class GroundMotionWallTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void resamplesAToneAccurately_data() {
    QTest::addColumn<double>("step_s");
    QTest::addColumn<double>("new_step_s");
    QTest::newRow("up 20") << 0.02 << 1e-3;
    QTest::newRow("up, odd ratio") << 0.01 << 1.0 / 4096.0;
    QTest::newRow("up a little") << 0.005 << 0.0047;
    QTest::newRow("down 4") << 0.005 << 0.02;
    QTest::newRow("down, odd ratio") << 1.0 / 300.0 << 0.02;
    QTest::newRow("same") << 0.005 << 0.005;
  }
  void resamplesAToneAccurately() {
    QFETCH(double, step_s);
    QFETCH(double, new_step_s);
    const double duration_s = 40.0, frequency_hz = 20.0;  // 0.8 of the slower Nyquist frequency in most rows
    const std::vector<double> found = resample(burst(frequency_hz, step_s, duration_s), step_s, new_step_s);
    QCOMPARE(found.size(), static_cast<std::size_t>(duration_s / new_step_s + 1e-6) + 1);
    double worst = 0.0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double t = static_cast<double>(i) * new_step_s;
      const double exact = std::pow(std::sin(kPi * t / duration_s), 4) * std::sin(2.0 * kPi * frequency_hz * t);
      worst = std::max(worst, std::abs(found[i] - exact));
    }
    QVERIFY2(worst < 5e-5, qPrintable(QString::number(worst)));  // the filter's ripple is 1e-5
  }

  /// A tone above the new Nyquist frequency must vanish, not come back as an alias.
  void resamplingDownSuppressesAliases() {
    for (const double frequency_hz : {26.0, 30.0, 50.0, 74.0, 95.0})
      QVERIFY2(largest(resample(burst(frequency_hz, 0.005, 40.0), 0.005, 0.02)) < 1e-4,  // 80 dB
               qPrintable(QString::number(frequency_hz)));
  }

  /// Raising the rate adds nothing above the old Nyquist frequency: the image of 20 Hz lies at 30 Hz.
  void resamplingUpLeavesNoImages() {
    const std::vector<double> found = resample(burst(20.0, 0.02, 40.0), 0.02, 1e-3);
    std::complex<double> image = 0.0, tone = 0.0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      image += found[i] * std::polar(1.0, -2.0 * kPi * 30.0 * 1e-3 * static_cast<double>(i));
      tone += found[i] * std::polar(1.0, -2.0 * kPi * 20.0 * 1e-3 * static_cast<double>(i));
    }
    QVERIFY2(std::abs(image) < 1e-4 * std::abs(tone), qPrintable(QString::number(std::abs(image / tone))));
  }

  void wallFollowsTheRecord_data() {
    QTest::addColumn<double>("step_s");
    QTest::newRow("1 kHz") << 1e-3;
    QTest::newRow("4096 Hz") << 1.0 / 4096.0;
  }
  /// All content lies inside the band, so the wall's acceleration is the record; without its offset's slow part, which
  /// the low edge takes away.
  void wallFollowsTheRecord() {
    QFETCH(double, step_s);
    GroundMotion record = quake(0.01, 30.0);
    const auto wall = makeWallMotion(record, {}, step_s);
    double worst = 0.0, peak = 0.0;
    const double h = step_s;
    for (int i = 300; i <= 2700; ++i) {
      const double t = 0.01 * i, u = t / 30.0;
      const double slow = 16.0 * u * u * (1.0 - u) * (1.0 - u) * 0.02;
      // Fourth-order derivative of the velocity.
      const double acceleration = (8.0 * (wall->at(t + h).rate - wall->at(t - h).rate) - wall->at(t + 2.0 * h).rate +
                                   wall->at(t - 2.0 * h).rate) /
                                  (12.0 * h);
      const double expected = record.acceleration_mps2[static_cast<std::size_t>(i)] - slow;
      peak = std::max(peak, std::abs(expected));
      worst = std::max(worst, std::abs(acceleration - expected));
    }
    // What is left: the low edge's share of the offset's edges, and the ripple of the resampling.
    QVERIFY2(worst < 2e-3 * peak, qPrintable(QString::number(worst / peak)));
  }

  void wallIsCutToItsBand() {
    const double step_s = 0.005;
    const auto peakOf = [&](double frequency_hz) {
      const auto wall = makeWallMotion({step_s, burst(frequency_hz, step_s, 40.0)}, {}, 1e-3);
      double peak = 0.0;
      for (double t = 0.0; t < 40.0; t += 0.0073) peak = std::max(peak, std::abs(wall->at(t).value));
      return peak * std::pow(2.0 * kPi * frequency_hz, 2);  // 1 = all of a tone of 1 m/s2
    };
    QVERIFY(std::abs(peakOf(5.0) - 1.0) < 0.01);  // the burst's top falls between crests
    QVERIFY(peakOf(40.0) < 1e-4);
    QVERIFY(peakOf(0.05) < 1e-3);  // the burst's own spectrum reaches into the band
  }

  void wallStartsAndEndsAtRest() {
    GroundMotion record{0.01, std::vector<double>(3000)};
    for (std::size_t i = 0; i < 3000; ++i)  // strong from the first sample to the last
      record.acceleration_mps2[i] = 3.0 * std::cos(2.0 * kPi * 0.7 * 0.01 * static_cast<double>(i));
    const auto wall = makeWallMotion(record, {}, 1e-3);
    const double end = 0.01 * 2999.0;
    for (const double t : {0.0, end, end + 0.1, end + 1e6}) {
      QVERIFY(std::abs(wall->at(t).value) < 1e-12);
      QVERIFY(std::abs(wall->at(t).rate) < 1e-9);
    }
    QVERIFY(std::abs(wall->at(1e-3).value) < 1e-4);  // and without a jump
    const double h = 1e-6;
    for (double t = 0.01; t < end; t += 0.0317) {
      const double numeric = (wall->at(t + h).value - wall->at(t - h).value) / (2.0 * h);
      QVERIFY(std::abs(numeric - wall->at(t).rate) < 1e-5);
    }
  }

  void wallIsScaled() {
    const GroundMotion record = quake(0.01, 20.0);
    const auto plain = makeWallMotion(record, {}, 1e-3);
    const auto doubled = makeWallMotion(record, {.scale = 2.0, .peak_m = {}}, 1e-3);
    const auto peaked = makeWallMotion(record, {.peak_m = 0.008}, 1e-3);
    double peak = 0.0;
    for (int i = 0; i <= 20000; ++i) {
      const double t = 1e-3 * i;
      QVERIFY(std::abs(doubled->at(t).value - 2.0 * plain->at(t).value) < 1e-12);
      peak = std::max(peak, std::abs(peaked->at(t).value));
    }
    QVERIFY(std::abs(peak - 0.008) < 1e-9);
  }

  void accelerationIsTheRecordItself() {
    const auto ground = makeGroundAcceleration({0.02, {0.0, 1.0, -2.0}}, 0.5);
    const auto at = [&](double t) { return std::pair(ground->at(t).value, ground->at(t).rate); };
    QCOMPARE(at(-0.001), std::pair(0.0, 0.0));
    QCOMPARE(at(0.005), std::pair(0.125, 25.0));
    QCOMPARE(at(0.02), std::pair(0.5, -75.0));
    QCOMPARE(at(0.03), std::pair(-0.25, -75.0));
    QCOMPARE(at(0.04).first, -1.0);
    QCOMPARE(at(0.041), std::pair(0.0, 0.0));
    QVERIFY_THROWS_EXCEPTION(InputError, makeGroundAcceleration({0.02, {1.0}}, 1.0));
    QVERIFY_THROWS_EXCEPTION(InputError, makeGroundAcceleration({0.02, {1.0, 2.0}}, std::nan("")));
  }

  /// At the rate of the ticks a window is the record of its rows; the peak is a factor.
  void wallOfAWindowIsTheWallOfItsRows() {
    const GroundMotion record = quake(1e-3, 20.0);
    const auto& rows = record.acceleration_mps2;
    GroundMotion cut{1e-3, {rows.begin() + 4000, rows.begin() + 14001}};
    const auto equal = [](const Signal& a, const Signal& b) {
      for (int k = 0; k <= 40000; ++k) {
        const double t = 2.5e-4 * k;
        if (a.at(t).value != b.at(t).value || a.at(t).rate != b.at(t).rate) return false;
      }
      return true;
    };
    GroundMotionSpec window;
    window.from_s = 4.0;
    window.to_s = 14.0;
    QVERIFY(equal(*makeWallMotion(record, window, 1e-3), *makeWallMotion(cut, {}, 1e-3)));
    window.peak_mps2 = 3.0;
    const auto scaled = makeWallMotion(cut, {.scale = 3.0 / largest(cut.acceleration_mps2), .peak_m = {}}, 1e-3);
    QVERIFY(equal(*makeWallMotion(record, window, 1e-3), *scaled));
    window.peak_mps2.reset();
    window.taper_s = 2.0;
    for (std::size_t i = 0; i < 2000; ++i) {
      const double factor = 0.5 * (1.0 - std::cos(kPi * static_cast<double>(i) / 2000.0));
      cut.acceleration_mps2[i] *= factor;
      cut.acceleration_mps2[10000 - i] *= factor;
    }
    const auto tapered = makeWallMotion(record, window, 1e-3), expected = makeWallMotion(cut, {}, 1e-3);
    for (int k = 0; k <= 10000; ++k)
      QVERIFY(std::abs(tapered->at(1e-3 * k).value - expected->at(1e-3 * k).value) < 1e-12);
  }
  /// Between rows as well: windows that start 3.7 ms apart have the same motion, 3.7 ms apart.
  void wallOfAWindowMayStartBetweenRows() {
    GroundMotion record{0.01, std::vector<double>(1000, 0.0)};
    for (const double v : burst(2.0, 0.01, 30.0)) record.acceleration_mps2.push_back(v);
    record.acceleration_mps2.resize(5000, 0.0);
    GroundMotionSpec on_row, between;
    on_row.from_s = 5.0;
    between.from_s = 5.0037;
    const auto first = makeWallMotion(record, on_row, 1e-3), later = makeWallMotion(record, between, 1e-3);
    double peak = 0.0, deviation = 0.0;
    for (int k = 3000; k <= 37000; ++k) {
      const double t = 1e-3 * k;
      peak = std::max(peak, std::abs(first->at(t).value));
      deviation = std::max(deviation, std::abs(later->at(t - 0.0037).value - first->at(t).value));
    }
    QVERIFY(peak > 1e-3);
    QVERIFY2(deviation < 1e-4 * peak, qPrintable(QString::number(deviation / peak)));  // sinc of 100 dB
  }
  /// The rate belongs to the value, also in the taper.
  void rateOfATaperedWindow() {
    GroundMotionSpec window;
    window.from_s = 0.13;
    window.to_s = 1.57;
    window.taper_s = 0.5;
    const auto part = makeGroundAcceleration(quake(0.02, 2.0), window);
    for (const double t : {0.001, 0.1001, 0.3, 0.7, 1.1, 1.4, 1.4399}) {
      constexpr double h = 1e-7;
      const double slope = (part->at(t + h).value - part->at(t - h).value) / (2.0 * h);
      QVERIFY2(t + h > 1.44 || std::abs(part->at(t).rate - slope) < 1e-5 * (1.0 + std::abs(slope)),
               qPrintable(QString::number(t)));
    }
    QCOMPARE(part->at(1.45).value, 0.0);
  }

  void refusesBadWalls() {
    const GroundMotion record = quake(0.01, 20.0);
    const auto where = [&](const GroundMotionSpec& spec, double step_s = 1e-3) -> std::string {
      try {
        makeWallMotion(record, spec, step_s);
      } catch (const InputError& error) {
        return error.issues().at(0).where;
      }
      return "";
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    QCOMPARE(where({}), std::string());
    QCOMPARE(where({.band_low_hz = 0.0, .peak_m = {}}), std::string("/band_low_hz"));
    QCOMPARE(where({.band_low_hz = nan, .peak_m = {}}), std::string("/band_low_hz"));
    QCOMPARE(where({.band_high_hz = 0.1, .peak_m = {}}), std::string("/band_high_hz"));
    QCOMPARE(where({.band_high_hz = 600.0, .peak_m = {}}), std::string("/band_high_hz"));
    QCOMPARE(where({.scale = nan, .peak_m = {}}), std::string("/scale"));
    QCOMPARE(where({.peak_m = 0.0}), std::string("/peak_m"));
    QCOMPARE(where({}, 0.0), std::string("/loop/rate_hz"));
    QCOMPARE(where({}, 1e-7), std::string("/loop/rate_hz"));
    QVERIFY_THROWS_EXCEPTION(InputError, makeWallMotion({0.01, std::vector<double>(2000)}, {.peak_m = 0.01}, 1e-3));
    QVERIFY_THROWS_EXCEPTION(InputError, makeWallMotion({}, {}, 1e-3));
  }
};

HYB_SUITE(ground_motion_wall, GroundMotionWallTest)
#include "ground_motion_wall.moc"
