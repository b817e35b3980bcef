// D. Araya, MSc thesis, UTFSM 2023: the control plant G_est identified from a chirp (section 4.3.5; validation rows 19
// and 20).
#include "core/identification/cross_spectra.h"
#include "core/identification/record_fit.h"
#include "core/identification/response_fit.h"
#include "core/identification/simulate.h"
#include "core/numbers.h"
#include "core/transfer/actuator_transfer.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Polynomial = std::vector<double>;

constexpr double kChirpRate_hz = 8192.0, kChirpStep_s = 1.0 / kChirpRate_hz, kChirp_s = 5.0;

Polynomial sum(Polynomial a, const Polynomial& b) {
  a.resize(std::max(a.size(), b.size()), 0.0);
  for (std::size_t i = 0; i < b.size(); ++i) a[i] += b[i];
  return a;
}

/// Section 5.2: G_p of the thesis' actuator, specimen and compliance spring, with all its poles.
TransferModel wholePlant() {
  constexpr double kServo = 2.13e13, kVelocity = 4.23e6, kPistonMass_kg = 1.0, kSpring_n_per_m = 0.5418e6;
  const Polynomial valve{1e5, 425.0, 1.0}, late = product(valve, {3.3, 1.0}), specimen{10.836e6, 3004.7556, 98.3};
  const Polynomial sprung = sum(specimen, {kSpring_n_per_m});
  Polynomial load = product({kSpring_n_per_m}, specimen);
  load = sum(load, product({0.0, 0.0, kPistonMass_kg}, sprung));
  TransferModel plant;
  plant.denominator = sum(product(late, load), product(sum({kServo}, product({0.0, kVelocity}, valve)), sprung));
  plant.numerator = product({kServo}, sprung);
  const double highest = plant.denominator.back();
  for (double& c : plant.denominator) c /= highest;
  for (double& c : plant.numerator) c /= highest;
  return plant;
}

/// The pair of poles next to the zeros taken out with them; the gain at high frequencies stays.
TransferModel reducedPlant() {
  const TransferModel whole = wholePlant();
  auto left = poles(whole);
  const std::complex<double> zero = zeros(whole).front();
  std::ranges::sort(
      left, {}, [&](const auto& pole) { return std::min(std::abs(pole - zero), std::abs(std::conj(pole) - zero)); });
  left.erase(left.begin(), left.begin() + 2);
  std::vector<std::complex<double>> polynomial{1.0};
  for (const auto& pole : left) {
    polynomial.push_back(0.0);
    for (std::size_t i = polynomial.size() - 1; i > 0; --i) polynomial[i] = polynomial[i - 1] - pole * polynomial[i];
    polynomial[0] *= -pole;
  }
  TransferModel reduced{{whole.numerator.back()}, {}, 0.0};
  for (const auto& coefficient : polynomial) reduced.denominator.push_back(coefficient.real());
  return reduced;
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
  /// Rows 14 and 16: what is identified is the plant of the thesis.
  void plants() {
    const TransferModel whole = wholePlant(), reduced = reducedPlant();
    const Polynomial seventh{2.485092e18, 5.567321e16, 2.697882e14, 1.101061e12, 2.228667e9, 5.002040e6, 458.8672, 1.0};
    for (std::size_t i = 0; i < seventh.size(); ++i) compareRelative(whole.denominator[i], seventh[i], 1e-4, "G_p");
    compare(whole.dcGain(), 0.992069, 1e-5, "G_p at rest");
    const Polynomial fifth{2.1603e13, 4.7821e11, 2.0301e9, 4.8739e6, 428.24, 1.0};
    for (std::size_t i = 0; i < fifth.size(); ++i) compareRelative(reduced.denominator[i], fifth[i], 1e-3, "reduced");
    compare(reduced.dcGain(), 0.98599, 1e-5, "reduced, at rest");
  }

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
