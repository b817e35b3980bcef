// D. Araya, MSc thesis, UTFSM 2023: the noise of its sensors and the figures of its tests (validation rows 37, 39, 40).
#include <cmath>
#include <random>

#include "core/base/numbers.h"
#include "core/fidelity/frequency_index.h"
#include "core/fidelity/tracking_measures.h"
#include "core/project/project.h"
#include "core/rig/twin.h"
#include "core/run/build.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kFiguresTick_s = 1.0 / 4096.0;

double sampleRms(const std::vector<double>& samples) {
  double squares = 0.0;
  for (const double value : samples) squares += value * value;
  return std::sqrt(squares / static_cast<double>(samples.size()));
}

/// Sines of whole periods in the record; late by so many samples.
std::vector<double> wholePeriods(const std::vector<double>& frequencies_hz, int late) {
  std::mt19937 random(39);
  std::uniform_real_distribution<double> phase(0.0, kTwoPi);
  std::vector<double> samples(4 * 4096, 0.0);
  for (const double hz : frequencies_hz) {
    const double start = phase(random);
    for (std::size_t k = 0; k < samples.size(); ++k)
      samples[k] += 1e-3 * std::sin(kTwoPi * hz * (static_cast<double>(k) - late) * kFiguresTick_s + start);
  }
  return samples;
}

}  // namespace

class PaperArayaFigures : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// By how much the template's twin at rest reads wrongly, over an earthquake; the noise of the load cell shakes the
  /// piston, too, which is no error of the reading.
  void row37SensorNoise() {
    const Project project = parseProject(templateDocument("force-shear-building"));
    const Partition partition = buildPartition(project);
    const std::unique_ptr<Rig> twin = buildTwin(project, partition);
    twin->open();
    RigState state{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    const Command command{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    const RigState& real = *trueState(*twin);
    std::vector<double> measured, force;
    for (int k = 0; k < 168'674; ++k) {
      QVERIFY(twin->read(state, k == 0 ? 0 : 1) == RigStatus::ok);
      measured.push_back(state.measured[0] - real.measured[0]);
      force.push_back(state.force[0] - real.force[0]);
      QVERIFY(twin->write(command) == RigStatus::ok);
    }
    compareRelative(sampleRms(measured), 6.532e-6, 0.01, "displacement, m");
    compareRelative(sampleRms(force), 2.180, 0.01, "force, N");
  }

  void row39DelayOfTenSamples() {
    const auto sine = frequencyIndex(wholePeriods({5.0}, 0), wholePeriods({5.0}, 10), kFiguresTick_s);
    compare(1e3 * sine.value().delay_s, 2.4414, 1e-3, "sine, ms");
    compare(sine.value().amplitude, 1.0, 1e-9, "amplitude");
    std::vector<double> band;
    for (int line = 4; line <= 40; ++line) band.push_back(0.25 * line);  // 1 to 10 Hz
    const auto noise = frequencyIndex(wholePeriods(band, 0), wholePeriods(band, 10), kFiguresTick_s);
    compare(1e3 * noise.value().delay_s, 2.4414, 1e-3, "noise, ms");
    compare(noise.value().amplitude, 1.0, 2e-3, "amplitude");
  }

  void row40TrackingError() {
    const std::vector<double> x = wholePeriods({5.0, 8.0}, 0);
    for (const auto& [factor, percent] : {std::pair{1.05, 5.0}, {-1.0, 200.0}, {1.0, 0.0}}) {
      std::vector<double> y = x;
      for (double& value : y) value *= factor;
      compare(nrmsePercent(x, y), percent, 1e-9, "J2, %");
    }
  }
};

HYB_SUITE(paper_araya_figures, PaperArayaFigures)
#include "araya_figures.moc"
