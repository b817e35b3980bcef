#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numbers>

#include "core/base/allocation_guard.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/excitation/band_signal.h"
#include "core/excitation/even_sines.h"
#include "core/excitation/excitation.h"
#include "tests/support/suite.h"
#include "tests/support/values.h"

using namespace hyb;
using hyb::test::kNan;

namespace {

struct NamedCase {
  const char* name;
  std::shared_ptr<const Signal> signal;
  double duration_s;
};

std::vector<NamedCase> everySignal() {
  std::vector<double> value, rate;
  for (int i = 0; i <= 50; ++i) {
    value.push_back(std::sin(0.3 * i * i));
    rate.push_back(20.0 * std::cos(0.7 * i));
  }
  return {{"sine", makeSine({0.002, 8.0, 30.0}), 2.0},
          {"multi-sine", makeMultiSine({{{1.0, 3.0, 0.0}, {0.5, 7.5, 90.0}, {0.2, 11.0, -45.0}}}), 2.0},
          {"sines of a band", makeMultiSine(lowCrestSines({1.0, 0.5, 20.0, 4.0})), 2.0},
          {"linear sweep", makeSweep({0.01, 3.0, 12.0, 1.5, false}), 2.0},
          {"falling sweep", makeSweep({0.01, 12.0, 3.0, 1.5, false}), 2.0},
          {"logarithmic sweep", makeSweep({0.01, 0.5, 20.0, 1.5, true}), 2.0},
          {"logarithmic sweep of one frequency", makeSweep({0.01, 4.0, 4.0, 1.5, true}), 2.0},
          {"square", makeSquare({1.0, 2.0, 0.05}), 2.0},
          {"step", makeStep({0.3, 0.25, 0.4}), 2.0},
          {"sampled", makeSampled(0.02, value, rate), 0.999}};
}

template <typename F>
std::vector<std::string> faults(F&& f) {
  std::vector<std::string> where;
  try {
    f();
  } catch (const InputError& error) {
    for (const Issue& issue : error.issues()) where.push_back(issue.where);
  }
  return where;
}

using Where = std::vector<std::string>;

}  // namespace

class SignalsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void rateIsTheDerivative_data() {
    QTest::addColumn<int>("index");
    const std::vector<NamedCase> all = everySignal();
    for (std::size_t i = 0; i < all.size(); ++i) QTest::newRow(all[i].name) << static_cast<int>(i);
  }
  void rateIsTheDerivative() {
    QFETCH(int, index);
    const NamedCase named = everySignal()[static_cast<std::size_t>(index)];
    const double h = 1e-7;
    double largest = 0.0, worst = 0.0;
    for (double t = 1e-3; t < named.duration_s; t += 1.37e-3) {
      const double numeric = (named.signal->at(t + h).value - named.signal->at(t - h).value) / (2.0 * h);
      largest = std::max(largest, std::abs(numeric));
      worst = std::max(worst, std::abs(named.signal->at(t).rate - numeric));
    }
    // Rounding of the difference 1e-16/h, and h times the second derivative where that jumps.
    QVERIFY2(worst < 2e-5 * largest, qPrintable(QString::number(worst / largest)));
  }

  void isZeroBeforeTheStart_data() { rateIsTheDerivative_data(); }
  void isZeroBeforeTheStart() {
    QFETCH(int, index);
    const auto signal = everySignal()[static_cast<std::size_t>(index)].signal;
    for (const double t : {-1e-9, -1.0, -1e9}) {
      QCOMPARE(signal->at(t).value, 0.0);
      QCOMPARE(signal->at(t).rate, 0.0);
    }
  }

  void doesNotAllocate_data() { rateIsTheDerivative_data(); }
  void doesNotAllocate() {
    QFETCH(int, index);
    const auto signal = everySignal()[static_cast<std::size_t>(index)].signal;
    const AllocationGuard guard;
    double sum = 0.0;
    for (int i = 0; i < 1000; ++i) sum += signal->at(2e-3 * i).value;
    QVERIFY(std::isfinite(sum));
    QCOMPARE(guard.count(), std::uint64_t{0});
  }

  void sine() {
    const auto signal = makeSine({0.002, 8.0, 90.0});
    QVERIFY(std::abs(signal->at(0.0).value - 0.002) < 1e-17);
    QVERIFY(std::abs(signal->at(1.0 / 16.0).value + 0.002) < 1e-16);
    QCOMPARE(signal->frequencyHz(), 8.0);
    QCOMPARE(makeMultiSine({{{1.0, 8.0, 0.0}, {1.0, 8.0, 50.0}}})->frequencyHz(), 8.0);
    QCOMPARE(makeMultiSine({{{1.0, 8.0, 0.0}, {1.0, 16.0, 0.0}}})->frequencyHz(), 0.0);
  }

  /// Values that are computed for several ticks at once: the same bits, also after a pause, and between ticks.
  void sinesAheadOfTheirTicks() {
    const MultiSineSpec noise = bandNoise({0.7, 0.4, 12.0, 20.0}, 3);
    for (const TickTimes& ticks : {TickTimes{1.0 / 4096.0, 0.0}, TickTimes{1e-3, 0.25}}) {
      const auto one = makeMultiSine(noise), ahead = makeMultiSine(noise, ticks);
      const auto same = [&](double t_s) {
        const double a = one->value(t_s), b = ahead->value(t_s);
        return std::memcmp(&a, &b, sizeof a) == 0;
      };
      for (const int first : {0, 5, 900, 33})
        for (int k = first; k < first + 700; k += k % 61 == 60 ? 7 : 1) {
          QVERIFY(same(std::max(0.0, k * ticks.step_s - ticks.from_s)));
          if (k % 97 == 0) QVERIFY(same((k + 0.3) * ticks.step_s));
        }
      QVERIFY(same(-0.1) && same(1e6) && one->at(0.3).rate == ahead->at(0.3).rate);
    }
  }

  /// Sines that stand evenly are added up in another way than those that do not.
  void sinesAreTheirSum() {
    const MultiSineSpec band = lowCrestSines({0.7, 2.0, 40.0, 6.4});
    QCOMPARE(band.components.size(), std::size_t{244});
    const MultiSineSpec even = {{{0.4, 1.5, 20.0}, {-0.3, 2.5, 0.0}, {0.0, 3.5, 10.0}, {0.2, 4.5, -170.0}}};
    MultiSineSpec nearly = even, uneven = even;
    nearly.components[1].frequency_hz *= 1.000001;
    uneven.components[2].frequency_hz = 4.0;
    for (const MultiSineSpec& sines : {band, even, nearly, uneven}) {
      const auto signal = makeMultiSine(sines);
      for (const double t : {0.0, 1.0 / 4096.0, 0.37, 6.4, 61.003, 600.02}) {
        long double value = 0.0L, rate = 0.0L, most = 0.0L, most_rate = 0.0L;
        for (const SineSpec& sine : sines.components) {
          const long double omega = 2.0L * std::numbers::pi_v<long double> * sine.frequency_hz,
                            angle = omega * t + std::numbers::pi_v<long double> * sine.phase_deg / 180.0L;
          value += sine.amplitude * std::sin(angle);
          rate += sine.amplitude * omega * std::cos(angle);
          most += std::abs(sine.amplitude);
          most_rate += std::abs(sine.amplitude) * omega;
        }
        // An angle is rounded once, and each product of the sum.
        const long double allowed =
            std::numeric_limits<double>::epsilon() *
            (kTwoPi * sines.components.back().frequency_hz * t + static_cast<double>(sines.components.size()));
        QVERIFY(std::abs(signal->at(t).value - value) < allowed * most);
        QVERIFY(std::abs(signal->at(t).rate - rate) < allowed * most_rate);
      }
    }
  }

  /// Phase 2 pi (f0 t + (f1 - f0) t^2/(2T)), then on at f1.
  void linearSweep() {
    const auto sweep = makeSweep({1.0, 3.0, 12.0, 30.0, false});
    for (const double t : {0.1, 7.3, 29.9}) {
      const double phase = 2.0 * kPi * (3.0 * t + 9.0 * t * t / 60.0);
      QVERIFY(std::abs(sweep->at(t).value - std::sin(phase)) < 1e-11);
    }
    const double end = 2.0 * kPi * (3.0 * 30.0 + 9.0 * 15.0);
    QVERIFY(std::abs(sweep->at(30.7).value - std::sin(end + 2.0 * kPi * 12.0 * 0.7)) < 1e-10);
    QCOMPARE(sweep->frequencyHz(), 0.0);
  }

  /// The frequency grows by the same factor in the same time.
  void logarithmicSweep() {
    const auto sweep = makeSweep({1.0, 1.0, 16.0, 4.0, true});
    for (const double t : {0.0, 1.0, 2.0, 3.0, 4.0}) {
      const SignalValue at = sweep->at(t);
      const double frequency_hz = std::hypot(at.rate, 0.0) / (2.0 * kPi * std::sqrt(1.0 - at.value * at.value));
      QVERIFY(std::abs(frequency_hz / std::exp2(t) - 1.0) < 1e-6);
    }
  }

  void square() {
    const auto signal = makeSquare({2.0, 1.0, 0.1});
    QCOMPARE(signal->at(0.0).value, 0.0);
    QVERIFY(std::abs(signal->at(0.0).rate - kPi * 2.0 / 0.1) < 1e-12);  // the peak rate that the header names
    QCOMPARE(signal->at(0.25).value, 2.0);
    QCOMPARE(signal->at(0.25).rate, 0.0);
    QVERIFY(std::abs(signal->at(0.5).value) < 1e-12);
    QVERIFY(signal->at(0.5).rate < 0.0);
    QCOMPARE(signal->at(0.75).value, -2.0);
    QVERIFY(std::abs(signal->at(7.01).value - 2.0 * std::sin(kPi * 0.1)) < 1e-12);
    // Sampled: never 0, also at ticks whose times are rounded, so that its harmonics are those of the sampled wave.
    const auto sampled = makeSquare({2.0, 5.0, 0.0});
    for (int tick = 0; tick < 4000; ++tick) {
      const double expected = tick % 200 < 100 ? 2.0 : -2.0;
      QCOMPARE(sampled->at(1e-3 * tick).value, expected);
      QCOMPARE(sampled->at(static_cast<double>(tick) / 1000.0).value, expected);
    }
    std::complex<double> first, third;
    for (int tick = 0; tick < 200; ++tick) {
      first += sampled->at(1e-3 * tick).value * std::polar(0.01, -2.0 * kPi * tick / 200.0);
      third += sampled->at(1e-3 * tick).value * std::polar(0.01, -6.0 * kPi * tick / 200.0);
    }
    QVERIFY(std::abs(std::abs(first) - 0.04 / std::sin(kPi / 200.0)) < 1e-12);  // 2 A / (N sin(n pi / N)), 2 A = 4
    QVERIFY(std::abs(std::abs(third) - 0.04 / std::sin(3.0 * kPi / 200.0)) < 1e-12);
    // The longest edges give a sine.
    const auto smooth = makeSquare({1.0, 4.0, 0.125});
    const auto same = makeSine({1.0, 4.0, 0.0});
    for (double t = 0.0; t < 1.0; t += 0.0173) QVERIFY(std::abs(smooth->at(t).value - same->at(t).value) < 1e-12);
  }

  void step() {
    const auto jump = makeStep({2.0, 0.0, 0.0}), later = makeStep({2.0, 0.5, 0.1});
    QCOMPARE(jump->at(-1e-9).value, 0.0);
    QCOMPARE(jump->at(0.0).value, 2.0);
    QCOMPARE(jump->at(0.0).rate, 0.0);
    QCOMPARE(later->at(0.5).value, 0.0);
    QVERIFY(std::abs(later->at(0.55).value - 1.0) < 1e-12);
    QVERIFY(std::abs(later->at(0.55).rate - 0.5 * kPi * 2.0 / 0.1) < 1e-9);  // the peak rate that the header names
    QCOMPARE(later->at(0.6001).value, 2.0);
    QVERIFY(faults([] { makeStep({kNan, -1.0, kNan}); }) == (Where{"/amplitude", "/start_s", "/rise_s"}));
  }

  /// Cubic Hermite reproduces any cubic.
  void sampledIsExactForCubics() {
    const auto cubic = [](double t) { return 1.0 - 2.0 * t + 3.0 * t * t - 0.5 * t * t * t; };
    const auto slope = [](double t) { return -2.0 + 6.0 * t - 1.5 * t * t; };
    std::vector<double> value, rate;
    for (int i = 0; i <= 10; ++i) {
      value.push_back(cubic(0.4 * i));
      rate.push_back(slope(0.4 * i));
    }
    const auto signal = makeSampled(0.4, value, rate);
    for (double t = 0.0; t <= 4.0; t += 0.037) {
      QVERIFY(std::abs(signal->at(t).value - cubic(t)) < 1e-12);
      QVERIFY(std::abs(signal->at(t).rate - slope(t)) < 1e-12);
    }
    QVERIFY(std::abs(signal->at(4.0).value - cubic(4.0)) < 1e-12);  // the last sample counts
    QCOMPARE(signal->at(4.01).value, 0.0);
    QCOMPARE(signal->at(kNan).value, 0.0);
    QCOMPARE(signal->at(1e300).value, 0.0);
  }

  void refusesBadSpecs() {
    QVERIFY(faults([] { makeSine({kNan, 0.0, kNan}); }) == (Where{"/amplitude", "/frequency_hz", "/phase_deg"}));
    QVERIFY(faults([] { makeMultiSine({}); }) == Where{"/components"});
    QVERIFY(faults([] {
              makeMultiSine({{{1.0, 1.0, 0.0}, {1.0, -1.0, 0.0}}});
            }) == Where{"/components/1/frequency_hz"});
    QVERIFY(faults([] { makeSweep({1.0, 0.0, kNan, -1.0, true}); }) == (Where{"/start_hz", "/end_hz", "/duration_s"}));
    QVERIFY(faults([] { makeSquare({1.0, 10.0, 0.06}); }) == Where{"/rise_s"});
    QVERIFY(faults([] { makeSquare({1.0, 10.0, -0.01}); }) == Where{"/rise_s"});
    QVERIFY(faults([] { makeSampled(0.0, {1.0}, {}); }) == (Where{"/step_s", "/value", "/rate"}));
    QVERIFY(faults([] { makeSampled(1.0, {1.0, kNan}, {0.0, 0.0}); }) == Where{"/value"});
  }

  void fade() {
    QCOMPARE(cosineFade(-1.0, 2.0).value, 0.0);
    QCOMPARE(cosineFade(0.0, 2.0).value, 0.0);
    QVERIFY(std::abs(cosineFade(1.0, 2.0).value - 0.5) < 1e-15);
    QCOMPARE(cosineFade(2.0, 2.0).value, 1.0);
    QCOMPARE(cosineFade(2.0, 2.0).rate, 0.0);
    QCOMPARE(cosineFade(0.0, 0.0).value, 1.0);
    const double h = 1e-6;
    for (const double t : {0.1, 0.9, 1.7})
      QVERIFY(std::abs((cosineFade(t + h, 2.0).value - cosineFade(t - h, 2.0).value) / (2.0 * h) -
                       cosineFade(t, 2.0).rate) < 1e-9);
  }

  void excitationSumsItsLoads() {
    const Excitation excitation(
        {{"walls", "m", makeSine({0.002, 8.0, 0.0})}, {"push", "N", makeSine({5.0, 3.0, 90.0})}},
        {{0, LoadTarget::support_motion, 0, 1.0},
         {0, LoadTarget::support_motion, 1, -1.0},
         {1, LoadTarget::force, 2, 2.0},
         {0, LoadTarget::support_motion, 1, 0.25}},
        2, 3);
    ExcitationValue value = excitation.zero();
    QCOMPARE(value.support_m.size(), Eigen::Index{2});
    QCOMPARE(value.force_n.size(), Eigen::Index{3});
    QCOMPARE(value.signal.size(), Eigen::Index{2});
    const double t = 0.0123, fade = 0.4, fade_rate = 7.0;
    excitation.at(t, fade, fade_rate, value);
    const SignalValue wall = excitation.signals()[0].signal->at(t), push = excitation.signals()[1].signal->at(t);
    const double rate = fade * wall.rate + fade_rate * wall.value;
    QVERIFY(value.support_m.isApprox(Eigen::Vector2d(fade * wall.value, -0.75 * fade * wall.value)));
    QVERIFY(value.support_mps.isApprox(Eigen::Vector2d(rate, -0.75 * rate)));
    QVERIFY(value.force_n.isApprox(Eigen::Vector3d(0.0, 0.0, 2.0 * fade * push.value)));
    QVERIFY(value.signal.isApprox(Eigen::Vector2d(fade * wall.value, fade * push.value)));
  }

  /// With the fade running, the wall velocity is still the derivative of the wall displacement.
  void fadedRateIsTheDerivative() {
    const Excitation excitation({{"walls", "m", makeSine({0.002, 8.0, 0.0})}},
                                {{0, LoadTarget::support_motion, 0, 1.0}}, 1, 1);
    ExcitationValue now = excitation.zero(), later = now, before = now;
    const double h = 1e-6;
    const auto at = [&](double t, ExcitationValue& value) {
      const SignalValue f = cosineFade(t, 2.0);
      excitation.at(t, f.value, f.rate, value);
    };
    for (double t = 0.01; t < 2.5; t += 0.0371) {
      at(t, now);
      at(t + h, later);
      at(t - h, before);
      const double numeric = (later.support_m[0] - before.support_m[0]) / (2.0 * h);
      QVERIFY(std::abs(numeric - now.support_mps[0]) < 1e-8);
    }
  }

  /// Who asks for no rate gets the same value.
  void valueWithoutItsRate() {
    for (const NamedCase& named : everySignal())
      for (double t = -0.1; t < 1.5 * named.duration_s; t += 0.0037)
        QVERIFY2(named.signal->value(t) == named.signal->at(t).value, named.name);
    const Excitation pushed({{"push", "N", makeSine({5.0, 3.0, 90.0})}}, {{0, LoadTarget::force, 0, 2.0}}, 0, 1);
    ExcitationValue with = pushed.zero(), without = with;
    without.rates = false;
    pushed.at(0.0123, 0.4, 7.0, with);
    pushed.at(0.0123, 0.4, 7.0, without);
    QVERIFY(with.signal_rate[0] != 0.0);
    QCOMPARE(without.signal_rate[0], 0.0);
    QCOMPARE(without.signal[0], with.signal[0]);
    QCOMPARE(without.force_n[0], with.force_n[0]);
  }

  void excitationDoesNotAllocate() {
    std::vector<Excitation::NamedSignal> signals;
    std::vector<Load> loads;
    for (const NamedCase& named : everySignal()) {
      loads.push_back({signals.size(), signals.size() % 2 == 0 ? LoadTarget::support_motion : LoadTarget::force,
                       signals.size() % 3, 1.0});
      signals.push_back({named.name, "m", named.signal});
    }
    const Excitation excitation(signals, loads, 3, 3);
    ExcitationValue value = excitation.zero();
    const AllocationGuard guard;
    for (int i = 0; i < 1000; ++i) excitation.at(1e-3 * i, 0.5, 0.1, value);
    QCOMPARE(guard.count(), std::uint64_t{0});
  }

  void commonFrequency() {
    const auto at = [](std::vector<double> frequencies_hz) {
      std::vector<Excitation::NamedSignal> signals{{"sweep", "m", makeSweep({})}};
      for (const double f : frequencies_hz) signals.push_back({"s", "m", makeSine({1.0, f, 0.0})});
      return Excitation(signals, {}, 1, 1).frequencyHz();
    };
    QCOMPARE(at({}), 0.0);
    QCOMPARE(at({8.0}), 8.0);
    QCOMPARE(at({8.0, 8.0}), 8.0);
    QCOMPARE(at({8.0, 4.0}), 0.0);
  }
};

HYB_SUITE(signals, SignalsTest)
#include "signals.moc"
