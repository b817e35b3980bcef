/// Paths that are known: a Duffing oscillator of one harmonic, whose frequency over amplitude is a closed form.
#include "core/harmonic/path_follower.h"

#include <algorithm>
#include <complex>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/duffing.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kFrom_hz = 6.5, kTo_hz = 8.5, kBound_m = 0.01;

struct Followed {
  std::vector<double> hz, amplitude_m, slope;
  PathEnd end = PathEnd::open;
  int evaluations = 0;
};

/// Of the oscillator, with white noise on both equations; `spoilt` may change them.
Followed follow(PathSettings settings, double noise = 0.0,
                const std::function<void(const Eigen::VectorXd& y, Eigen::VectorXd& g)>& spoilt = {}) {
  const Duffing oscillator;
  settings.pairs = 1;
  PathFollower path(settings, 2);
  path.begin(Eigen::VectorXd::Zero(3), 2);
  std::mt19937 random(1);
  std::normal_distribution<double> normal(0.0, 1.0);
  Followed followed;
  Eigen::VectorXd g(2);
  for (; followed.evaluations < 20000; ++followed.evaluations) {
    const Eigen::VectorXd& y = path.unknowns();
    const double hz = kFrom_hz + y[2] * (kTo_hz - kFrom_hz);
    const std::complex<double> z = kBound_m * std::complex<double>(y[0], y[1]), r = oscillator.residual(hz, z);
    g << r.real() + noise * normal(random), r.imag() + noise * normal(random);
    if (spoilt) spoilt(y, g);
    const PathFollower::Next next = path.take(g);
    if (next == PathFollower::Next::point) {
      followed.hz.push_back(hz);
      followed.amplitude_m.push_back(std::abs(z));
      followed.slope.push_back(path.slope(2));
      if (!path.advance()) break;
    } else if (next == PathFollower::Next::stuck) {
      break;
    }
  }
  followed.end = path.end();
  return followed;
}

PathSettings exact() {
  PathSettings settings;
  settings.least_averages = 1;
  settings.tolerance = 1e-10;
  settings.perturbation = 1e-6;
  settings.renew_after = 1;
  settings.most_step = 0.03;
  return settings;
}

}  // namespace

class PathFollowerTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Each point on the closed form, to the end of the range, and unstable just between the folds.
  void pointsLieOnTheClosedForm() {
    const Followed path = follow(exact());
    QCOMPARE(path.end, PathEnd::reached);
    QVERIFY(path.hz.back() == kTo_hz);
    const Duffing oscillator;
    const std::vector<double> folds = oscillator.folds_hz();
    QCOMPARE(folds.size(), std::size_t{2});
    int unstable = 0;
    for (std::size_t k = 0; k < path.hz.size(); ++k) {
      const double miss = oscillator.miss(path.hz[k], path.amplitude_m[k]);
      QVERIFY2(miss < 1e-9, qPrintable(QString::number(path.hz[k]) + " Hz: " + QString::number(miss)));
      if (path.slope[k] < 0.0) {
        ++unstable;
        QVERIFY(path.hz[k] > folds[1] * (1.0 - 1e-9) && path.hz[k] < folds[0] * (1.0 + 1e-9));
      }
    }
    QVERIFY2(unstable > 5, qPrintable(QString::number(unstable)));
  }

  /// With averages that differ by noise: Broyden's updates alone, and not more than a few evaluations a point.
  void noiseDoesNotThrowItOff() {
    const Followed path = follow(PathSettings(), 3e-4);
    QCOMPARE(path.end, PathEnd::reached);
    QVERIFY2(path.evaluations < 30 * static_cast<int>(path.hz.size()), qPrintable(QString::number(path.evaluations)));
    const Duffing oscillator;
    for (std::size_t k = 0; k < path.hz.size(); ++k)
      QVERIFY(oscillator.miss(path.hz[k], path.amplitude_m[k]) < 4e-3);  // the tolerance, and noise on top
  }

  /// The bound of a pair is approached to the least step and not passed.
  void boundIsKept() {
    double largest = 0.0;
    const Followed path = follow(exact(), 0.0, [&](const Eigen::VectorXd& y, Eigen::VectorXd& g) {
      largest = std::max(largest, std::hypot(y[0], y[1]));
      const std::complex<double> r =
          Duffing().residual(kFrom_hz + y[2] * (kTo_hz - kFrom_hz), 0.5 * kBound_m * std::complex<double>(y[0], y[1]));
      g << r.real(), r.imag();  // as if the bound were half of it
    });
    QCOMPARE(path.end, PathEnd::bound);
    QVERIFY2(largest <= 1.0 && largest > 0.99, qPrintable(QString::number(largest)));
  }

  /// Where nothing can be measured the steps get shorter, down to the least, and the path ends with what it has.
  void whereNothingIsFoundItEnds() {
    PathSettings settings;
    settings.most_averages = 3;
    const Followed unsteady = follow(settings, 0.0, [](const Eigen::VectorXd& y, Eigen::VectorXd& g) {
      if (y[2] > 0.2) g.setConstant(std::numeric_limits<double>::quiet_NaN());
    });
    QCOMPARE(unsteady.end, PathEnd::not_steady);
    QVERIFY(unsteady.hz.size() > 2);
    QVERIFY(std::abs(unsteady.hz.back() - (kFrom_hz + 0.2 * (kTo_hz - kFrom_hz))) < 0.02);
    const Followed stuck = follow(settings, 0.0, [](const Eigen::VectorXd& y, Eigen::VectorXd& g) {
      if (y[2] > 0.2) g.setConstant(1.0);
    });
    QCOMPARE(stuck.end, PathEnd::step);
    const Followed never =
        follow(settings, 0.0, [](const Eigen::VectorXd&, Eigen::VectorXd& g) { g.setConstant(1.0); });
    QCOMPARE(never.end, PathEnd::none);
    QVERIFY(never.hz.empty());
  }
};

HYB_SUITE(path_follower, PathFollowerTest)
#include "path_follower_test.moc"
