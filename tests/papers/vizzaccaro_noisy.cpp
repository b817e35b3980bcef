/// Vizzaccaro et al., iterative harmonic balance on the template as it is: noise, hum, shakers that stiffen. Rows V-6,
/// V-13, V-14, V-15 (noisy), V-17, V-19 and V-20 of the note.
#include "core/assess/resonance.h"
#include "core/base/numbers.h"
#include "tests/support/balance_run.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;
using Complex = std::complex<double>;

namespace {

struct Row {
  const char* name;
  double ratio, force_n, half_power_percent;  // on the grid of the sweep
};
constexpr Row kRows[] = {{"wide sheet, 0.02 N", 0.008, 0.02, 1.551},
                         {"wide sheet, 0.04 N", 0.008, 0.04, 1.551},
                         {"wide sheet, 0.08 N", 0.008, 0.08, 1.551},
                         {"narrow sheet, 0.04 N", 0.005, 0.04, 1.034},
                         {"bare, 0.02 N", 0.002, 0.02, 0.522}};

/// Each tenth of a hertz around the peak; its flanks in larger steps, which ask more of the solver.
std::vector<double> aroundThePeak() {
  std::vector<double> hz{16.0, 16.5, 17.0};
  for (int k = 0; k <= 8; ++k) hz.push_back(17.2 + 0.1 * k);
  hz.insert(hz.end(), {18.5, 19.0});
  return hz;
}

constexpr std::size_t kWhole = 3;  // row whose sweep is that of the source, point by point

Json sweepOf(const Row& row, const std::vector<double>& hz) {
  Json document = cantilever(hz);
  document["structure"]["damping"]["specimen_ratios"] = {row.ratio};
  document["coupling"]["loads"][0]["amplitude_n"] = row.force_n;
  return document;
}

/// What a sweep comes to beside the response that it should have found.
struct Judged {
  explicit Judged(const BalanceRun& run) {
    const BothSides sides(run.project());
    const double force_n = run.project().document["coupling"]["loads"][0]["amplitude_n"];
    std::size_t peak = 0;
    double near = 0.0, far = 0.0, near_count = 0.0;
    for (std::size_t p = 0; p < run.points(); ++p) {
      const double hz = run.value(p, "frequency");
      const Complex u = force_n * sides.response(hz)[0], found = run.phasor(p, "motion", 1);
      const double error = 100.0 * std::abs(found - u) / std::abs(u);
      if (run.value(p, "converged") == 1.0) {
        largest_error_percent = std::max(largest_error_percent, error);
        beyond_bound += error > run.value(p, "error_bound_1") + 0.12 ? 1 : 0;
      }
      if (std::abs(found) > std::abs(run.phasor(peak, "motion", 1))) peak = p;
      const double iterations = run.value(p, "iterations");
      mean_iterations += iterations / static_cast<double>(run.points());
      const bool is_near = std::abs(hz - 17.6) < 0.31;
      (is_near ? near : far) += iterations;
      near_count += is_near ? 1.0 : 0.0;
    }
    near_iterations = near / near_count;
    far_iterations = far / (static_cast<double>(run.points()) - near_count);
    for (const char* signal : {"motion", "force"})
      for (const int dof : {1, 2}) {
        const Complex ratio = run.phasor(peak, signal, dof) / run.phasor(peak, signal + std::string("_computed"), dof);
        delays_ms.push_back(1e3 * std::abs(std::arg(ratio)) / (kTwoPi * run.value(peak, "frequency")));
        amplitudes_percent.push_back(100.0 * std::abs(std::abs(ratio) - 1.0));
      }
    std::vector<ResponsePoint> response;
    for (std::size_t p = 0; p < run.points(); ++p)
      response.push_back({run.value(p, "frequency"), run.phasor(p, "motion", 1)});
    const std::optional<Resonance> resonance = resonanceOf(std::move(response));
    if (resonance && resonance->half_power) half_power_percent = 100.0 * resonance->half_power->ratio;
    if (resonance) circle_percent = 100.0 * resonance->circle.value_or(0.0);
  }

  int beyond_bound = 0;  // frequencies
  double largest_error_percent = 0.0, mean_iterations = 0.0, near_iterations = 0.0, far_iterations = 0.0,
         half_power_percent = 0.0, circle_percent = 0.0;
  std::vector<double> delays_ms, amplitudes_percent;
};

double largestOf(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }
double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

void checkGood(const BalanceRun& run, double half_power_percent) {
  const Judged judged(run);
  QCOMPARE(run.points(), run.loop().layout().mostSegments());
  QCOMPARE(run.converged(), run.points());
  QVERIFY2(judged.largest_error_percent <= 2.0, qPrintable(QString::number(judged.largest_error_percent)));
  QVERIFY2(largestOf(judged.delays_ms) <= 0.05, qPrintable(QString::number(largestOf(judged.delays_ms))));
  QVERIFY2(largestOf(judged.amplitudes_percent) <= 0.5,
           qPrintable(QString::number(largestOf(judged.amplitudes_percent))));
  compareRelative(judged.half_power_percent, half_power_percent, 0.03, "half-power damping, %");
  const double ratio = run.project().document["structure"]["damping"]["specimen_ratios"][0];
  compareRelative(judged.circle_percent, 0.156 + 172.8 * ratio, 0.03, "damping by the circle, %");
  QVERIFY2(judged.mean_iterations <= 6.0, qPrintable(QString::number(judged.mean_iterations)));
  QCOMPARE(run.loop().endReason(), EndReason::completed);
}

}  // namespace

class VizzaccaroNoisy : public QObject {
  Q_OBJECT
  std::vector<std::unique_ptr<BalanceRun>> rows_ = std::vector<std::unique_ptr<BalanceRun>>(std::size(kRows));
  const BalanceRun& row(std::size_t r) {
    if (!rows_[r])
      rows_[r] = std::make_unique<BalanceRun>(sweepOf(kRows[r], r == kWhole ? sweepOfSource() : aroundThePeak()));
    return *rows_[r];
  }

 private Q_SLOTS:
  void v6RecommendedSettings_data() {
    QTest::addColumn<int>("r");
    for (int r = 0; r < 5; ++r) QTest::newRow(kRows[r].name) << r;
  }
  void v6RecommendedSettings() {
    QFETCH(int, r);
    checkGood(row(static_cast<std::size_t>(r)), kRows[r].half_power_percent);
  }

  /// Noise is in what is measured once more, beside the residual: here and there an error is beyond its bound.
  void v15ErrorBound() {
    int beyond = 0, points = 0;
    for (std::size_t r = 0; r < std::size(kRows); ++r) {
      beyond += Judged(row(r)).beyond_bound;
      points += static_cast<int>(row(r).converged());
    }
    QVERIFY2(beyond < 0.03 * points, qPrintable(QString("%1 of %2").arg(beyond).arg(points)));
  }

  void v13TenTimesTheHum() {
    Json document = sweepOf(kRows[3], aroundThePeak());
    for (Json& sensor : document["rig"]["sensors"]) sensor["hum"]["amplitude_n_m"] = 0.215;
    checkGood(BalanceRun(document), kRows[3].half_power_percent);
  }

  /// Well synchronised, and wrong.
  void v14SettingsOfTheSource() {
    Json document = sweepOf(kRows[0], aroundThePeak());
    document["coupling"]["average"].update({{"window", "rectangle"}, {"overlapping", false}});
    document["coupling"]["residual"] = {
        {"of", "displacement"}, {"length_m", 0.03}, {"tolerance_m", 2e-5}, {"steadiness_m", 1.3e-5}};
    const BalanceRun run(document);
    const Judged judged(run);
    QVERIFY2(static_cast<double>(run.converged()) >= 0.95 * static_cast<double>(run.points()),
             qPrintable(QString::number(run.converged())));
    QVERIFY2(medianOf(judged.delays_ms) <= 0.25, qPrintable(QString::number(medianOf(judged.delays_ms))));
    QVERIFY2(medianOf(judged.amplitudes_percent) <= 3.5,
             qPrintable(QString::number(medianOf(judged.amplitudes_percent))));
    QVERIFY2(judged.largest_error_percent > 5.0, qPrintable(QString::number(judged.largest_error_percent)));
  }

  /// Most frequencies are left as they are, marked; the sweep goes to its end within its bounds.
  void v17OneIteration() {
    Json document = sweepOf(kRows[3], sweepOfSource());
    document["coupling"]["solver"]["iterations"] = 1;
    const BalanceRun run(document);
    QCOMPARE(run.points(), std::size_t{31});
    QVERIFY2(run.converged() >= 2 && run.converged() <= 11, qPrintable(QString::number(run.converged())));
    for (std::size_t p = 0; p < run.points(); ++p) {
      QCOMPARE(run.value(p, "end"), run.value(p, "converged") == 1.0 ? 0.0 : 1.0);
      for (const int actuator : {1, 2}) QVERIFY(std::abs(run.phasor(p, "command", actuator)) <= 4.0);
    }
    QCOMPARE(run.loop().endReason(), EndReason::completed);
  }

  void v19SameSeedSameBits() {
    const Json document = cantilever({17.3, 17.4});
    const BalanceRun first(document), second(document);
    QVERIFY(first.rows() == second.rows());
  }
  void v19IterationsAroundThePeak() {
    const Judged wide(row(1)), bare(row(4));
    QVERIFY(wide.near_iterations > wide.far_iterations && bare.near_iterations > bare.far_iterations);
    QVERIFY2(bare.near_iterations > wide.near_iterations,
             qPrintable(QString("%1 %2").arg(wide.near_iterations).arg(bare.near_iterations)));
  }

  /// Of a sweep in free run: the figure is in the bench of speeds; here, that its rig time is less than the note says
  /// (1.8 to 3.5 million ticks), because averages overlap and a frequency begins on the line through the last two.
  void v20TicksOfASweep() {
    QVERIFY2(row(kWhole).ticks() > 1000000 && row(kWhole).ticks() < 1800000,
             qPrintable(QString::number(row(kWhole).ticks())));
  }
};

HYB_SUITE(paper_vizzaccaro_noisy, VizzaccaroNoisy)
#include "vizzaccaro_noisy.moc"
