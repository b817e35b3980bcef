// D. Araya, MSc thesis, UTFSM 2023: the control plant G_est identified from a chirp (section 4.3.5; validation rows 19
// and 20).
#include "core/assess/plant.h"
#include "core/base/numbers.h"
#include "core/identification/record_fit.h"
#include "core/identification/response_fit.h"
#include "core/identification/simulate.h"
#include "core/signal/cross_spectra.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kChirpRate_hz = 8192.0, kChirpStep_s = 1.0 / kChirpRate_hz, kChirp_s = 5.0;

/// Section 5.2: G_p of the thesis' actuator, specimen and compliance spring, as the template has them.
Plant shippedPlant() { return plantsOf(parseProject(templateDocument("force-shear-building"))).front(); }
TransferModel wholePlant() { return shippedPlant().model(); }
/// The pair of poles next to the zeros taken out with them; the gain at high frequencies stays.
TransferModel reducedPlant() {
  const Plant whole = shippedPlant();
  return without(whole, nearlyCancelling(whole.poles, whole.zeros), KeptGain::at_high_frequencies).model();
}

TransferModel publishedModel() { return {{4497368.10731}, {4561059.49118, 100683.58198970, 422.185912504, 1.0}, 0.0}; }

/// Cosine from 0.1 to 20 Hz in 5 s.
std::vector<double> chirp() {
  std::vector<double> samples;
  for (int k = 0; k * kChirpStep_s < kChirp_s; ++k) {
    const double t = k * kChirpStep_s;
    samples.push_back(std::cos(kTwoPi * t * (0.1 + 0.5 * 19.9 * t / kChirp_s)));
  }
  return samples;
}

/// As `hybridbench identify` does it: the start from the frequency response, the rest from the record.
RecordFit identified(const TransferModel& plant, const RecordFitSpec& spec) {
  const std::vector<double> u = chirp(), y = simulate(plant, u, kChirpStep_s, Hold::line);
  const std::size_t length = segmentFor(u.size());
  CrossSpectra spectra({kChirpRate_hz, length, length / 2});
  spectra.add(u, y);
  const auto start = fitResponse(spectra.response().within(0.1, 20.0), {3, 0, 0.0}, spec.hold, kChirpStep_s);
  return fitRecord(start.value().model, spec, u, y, kChirpStep_s).value();
}

constexpr RecordFitSpec kHeldAtRest{Hold::step, true, false, false}, kLineAtRest{Hold::line, true, false, false},
    kHeld{Hold::step, false, false, false};

/// [num; s^2; s; 1]
void compareCoefficients(const TransferModel& model, const std::array<double, 4>& expected, double share) {
  compareRelative(model.numerator[0], expected[0], share, "numerator");
  for (std::size_t i = 0; i < 3; ++i)
    compareRelative(model.denominator[2 - i], expected[i + 1], share, "denominator, highest power first");
}

}  // namespace

class PaperArayaIdentification : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void row19HeldInput() {
    const RecordFit fit = identified(reducedPlant(), kHeldAtRest);
    compareCoefficients(fit.model, {4.4934e6, 421.88, 1.00604e5, 4.5572e6}, 1e-3);
    QVERIFY2(fit.fit_percent >= 99.95, qPrintable(QString::number(fit.fit_percent)));
    compare(fit.model.dcGain(), 0.9860, 2e-4, "gain at rest");
  }
  void row19LinearHoldOnBoth() {
    const RecordFit fit = identified(reducedPlant(), kLineAtRest);
    compareCoefficients(fit.model, {4.3830e6, 416.86, 9.8398e4, 4.4447e6}, 1e-3);
    compare(fit.model.dcGain(), 0.9860, 2e-4, "gain at rest");
  }
  void row19WholePlant() {
    const RecordFit fit = identified(wholePlant(), kHeldAtRest);
    compareCoefficients(fit.model, {4.4932e6, 419.51, 9.9993e4, 4.5289e6}, 1e-3);
    compare(fit.model.dcGain(), 0.9921, 2e-4, "gain at rest");
  }
  /// Section 16, 1: with the state at the start found too, the thesis' own model comes out, and its mean square error.
  void row19WithTheFirstState() {
    const RecordFit fit = identified(reducedPlant(), kHeld);
    compareCoefficients(fit.model, {4497368.10731, 422.185912504, 100683.58198970, 4561059.49118}, 1e-3);
    compareRelative(fit.mean_square, 6.22e-9, 0.01, "mean square error");
    compare(fit.fit_percent, 99.98, 0.01, "fit");
  }

  void row20PublishedModel() {
    const std::vector<double> u = chirp(), y = simulate(reducedPlant(), u, kChirpStep_s, Hold::line);
    compare(judgeRecord(publishedModel(), kHeldAtRest, u, y, kChirpStep_s)->fit_percent, 99.97, 0.02, "held");
    compare(judgeRecord(publishedModel(), kLineAtRest, u, y, kChirpStep_s)->fit_percent, 99.66, 0.02, "linear");
  }
};

HYB_SUITE(paper_araya_identification, PaperArayaIdentification)
#include "araya_identification.moc"
