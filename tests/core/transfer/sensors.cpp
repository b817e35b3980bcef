#include <cmath>

#include "core/transfer/sensor.h"
#include "tests/support/polar_noise.h"
#include "tests/support/suite.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;

class TestSensors : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Run files are replayed from their seed: what it gives must never change.
  void noiseIsThatOfTheTextbook() {
    for (const std::uint64_t seed : {1ULL, 7ULL, 1ULL << 40}) {
      NormalNoise noise(seed, 3);
      PolarNoise textbook(seed, 3);
      for (int n = 0; n < 2000; ++n) QVERIFY(noise.next() == textbook.next());
    }
  }

  /// Moments of a million numbers; five standard errors each.
  void noiseIsNormalAndWhite() {
    NormalNoise noise(7, 0);
    const int n = 1000000;
    double sum = 0.0, square = 0.0, cube = 0.0, fourth = 0.0, neighbours = 0.0, last = 0.0;
    int outside = 0;
    for (int k = 0; k < n; ++k) {
      const double x = noise.next();
      sum += x;
      square += x * x;
      cube += x * x * x;
      fourth += x * x * x * x;
      neighbours += x * last;
      outside += std::abs(x) > 1.959964;
      last = x;
    }
    const double error = 5.0 / std::sqrt(n);
    QVERIFY(std::abs(sum / n) < error);
    QVERIFY(std::abs(square / n - 1.0) < error * std::sqrt(2.0));
    QVERIFY(std::abs(cube / n) < error * std::sqrt(15.0));
    QVERIFY(std::abs(fourth / n - 3.0) < error * std::sqrt(96.0));
    QVERIFY(std::abs(neighbours / n) < error);
    QVERIFY(std::abs(outside / double(n) - 0.05) < error * std::sqrt(0.05 * 0.95));
  }

  void streamsAndSeedsAreIndependent() {
    NormalNoise one(7, 0), stream(7, 1), seed(8, 0), high_bits(7 + (1ULL << 40), 0), again(7, 0);
    const int n = 100000;
    double with_stream = 0.0, with_seed = 0.0, with_high = 0.0;
    for (int k = 0; k < n; ++k) {
      const double x = one.next();
      with_stream += x * stream.next();
      with_seed += x * seed.next();
      with_high += x * high_bits.next();
      QCOMPARE(again.next(), x);
    }
    const double error = 5.0 / std::sqrt(n);
    QVERIFY(std::abs(with_stream / n) < error);
    QVERIFY(std::abs(with_seed / n) < error);
    QVERIFY(std::abs(with_high / n) < error);
  }

  void quantisationRoundsToTheNearestCode() {
    SensorParams params;
    params.range = 0.02;
    params.bits = 16;
    Sensor sensor(params, 1, 0);
    const double step = 0.04 / 65536.0;
    for (int k = 0; k < 2000; ++k) {
      const double value = 0.019 * std::sin(0.37 * k);
      const double reading = sensor.sense(value);
      QVERIFY(std::abs(reading - value) <= 0.5 * step * (1.0 + 1e-9));
      QCOMPARE(reading / step, std::nearbyint(reading / step));
      QVERIFY(!sensor.saturated());
    }
    QCOMPARE(sensor.sense(0.021), 0.02 - step);  // the topmost code
    QVERIFY(sensor.saturated());
    QCOMPARE(sensor.sense(-0.021), -0.02);
    QVERIFY(sensor.saturated());
    QCOMPARE(sensor.sense(0.0), 0.0);
    QVERIFY(!sensor.saturated());
  }

  void withoutFaultsTheValuePassesThrough() {
    Sensor sensor({}, 1, 0);
    QCOMPARE(sensor.sense(123.456), 123.456);
    SensorParams range_only;
    range_only.range = 2.0;
    Sensor clipped(range_only, 1, 0);
    QCOMPARE(clipped.sense(3.0), 2.0);
  }

  /// The twin's readings differ from its true state by the noise of the sensors, each by its own.
  void theTwinReadsThroughItsSensors() {
    TwinParams params = twoActuators();
    params.displacement_sensor.noise_rms = 1e-5;
    params.force_sensor.noise_rms = 0.075;
    TwinBench twin(params, 1e-3), clean(twoActuators(), 1e-3);
    const RigState& real = *trueState(twin.rig());
    const int n = 20000;
    Eigen::Matrix4d covariance = Eigen::Matrix4d::Zero();
    for (int k = 0; k < n; ++k) {
      for (TwinBench* t : {&twin, &clean}) {
        t->tick();
        t->command.position.setConstant(1e-3 * std::sin(0.05 * k));
      }
      QVERIFY(real.measured == clean.state.measured && real.force == clean.state.force);
      Eigen::Vector4d noise;
      noise << (twin.state.measured - real.measured) / 1e-5, (twin.state.force - real.force) / 0.075;
      covariance += noise * noise.transpose() / n;
    }
    QVERIFY((covariance - Eigen::Matrix4d::Identity()).cwiseAbs().maxCoeff() < 5.0 * std::sqrt(2.0 / n));
  }

  void aSaturatedReadingIsReported() {
    TwinParams params = twoActuators();
    params.displacement_sensor.range = 1e-3;
    TwinBench twin(params, 1e-3);
    twin.command.position << 2e-3, 0.0;
    for (int k = 0; k < 100; ++k) twin.tick();
    QVERIFY(twin.status == RigStatus::saturated);
    QCOMPARE(twin.state.measured[0], 1e-3);
  }
};

HYB_SUITE(sensors, TestSensors)
#include "sensors.moc"
