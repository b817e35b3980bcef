#include "core/identification/findings.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/figure_text.h"
#include "core/base/numbers.h"

namespace hyb {
namespace {

using What = IdentificationFinding::What;
using Complex = std::complex<double>;

constexpr double kFewAverages = 4.0;
constexpr double kMostBelow = 0.1;  // of the lines

/// Roots selected by `chosen`, one of each pair.
template <typename Chosen>
std::string listed(const std::vector<Complex>& roots, const Chosen& chosen) {
  std::string text;
  for (const Complex& root : roots)
    if (root.imag() >= 0.0 && chosen(root)) text += (text.empty() ? "" : ", ") + rootText(root);
  return text;
}
bool onTheRight(const Complex& root) { return root.real() >= 0.0; }

}  // namespace

std::string rootText(const Complex& root) {
  const std::string imaginary = figureText(std::abs(root.imag()));
  return figureText(root.real()) + (root.imag() == 0.0 ? "" : " +- " + imaginary + "i") + " 1/s";
}

std::string_view name(What what) noexcept {
  constexpr std::array<std::string_view, 7> names{"too-few-data",   "low-coherence", "unstable",   "non-minimum-phase",
                                                  "order-too-high", "cancelling",    "not-settled"};
  return names[static_cast<std::size_t>(what)];
}

std::string orderText(int poles, int zeros) {
  return std::to_string(poles) + (poles == 1 ? " pole, " : " poles, ") + std::to_string(zeros) +
         (zeros == 1 ? " zero" : " zeros");
}

std::vector<IdentificationFinding> findingsOf(const MeasuredResponse& response, bool periodic) {
  std::vector<IdentificationFinding> findings;
  if (periodic && response.segments == 1)
    findings.push_back({What::too_few_data,
                        "The record holds one period of the excitation, which tells no errors. Record two periods or "
                        "more."});
  if (!periodic && response.segments > 0 && response.averages < kFewAverages)
    findings.push_back({What::too_few_data,
                        "Too few data for reliable errors: " + std::to_string(response.segments) +
                            (response.segments == 1 ? " segment" : " segments") +
                            ". Record for longer, or use shorter segments, which reduce the frequency resolution."});
  std::size_t below = 0;
  const ResponseLine* worst = nullptr;
  for (const ResponseLine& line : response.lines) {
    if (line.coherence >= kCoherent) continue;
    ++below;
    if (worst == nullptr || line.coherence < worst->coherence) worst = &line;
  }
  const double share = static_cast<double>(below) / std::max<double>(1.0, static_cast<double>(response.lines.size()));
  if (share > kMostBelow && response.averages > 1.5)
    findings.push_back({What::low_coherence, "The coherence is below " + figureText(kCoherent) + " at " +
                                                 figureText(100.0 * share) + " % of the lines in the band, least at " +
                                                 figureText(worst->frequency_hz) + " Hz (" +
                                                 figureText(worst->coherence, 2) +
                                                 "): there the output does not depend only on the input. Excite that "
                                                 "band more strongly or for longer, or select a narrower band."});
  return findings;
}

std::vector<IdentificationFinding> findingsOf(const SteppedResponse& stepped) {
  std::vector<IdentificationFinding> findings;
  const auto frequencies = [](std::size_t count) {
    return std::to_string(count) + (count == 1 ? " frequency" : " frequencies");
  };
  if (stepped.outside > 0)
    findings.push_back(
        {What::too_few_data, "The analysed rows do not hold " + frequencies(stepped.outside) +
                                 " of the stepped sine completely. Lengthen the test, or start the analysis earlier."});
  if (stepped.without > 0)
    findings.push_back({What::too_few_data, "The input has no sine at " + frequencies(stepped.without) +
                                                " of the stepped sine. Choose the channel that the signal drives."});
  std::size_t unsettled = 0;
  double most = 0.0, at_hz = 0.0;
  for (std::size_t k = 0; k < stepped.phasors.size(); ++k) {
    if (stepped.phasors[k].settled) continue;
    ++unsettled;
    const ResponseLine& line = stepped.response.lines[k];
    if (const double share = stepped.phasors[k].settling / std::abs(line.h1); share > most)
      most = share, at_hz = line.frequency_hz;
  }
  if (unsettled > 0)
    findings.push_back({What::not_settled, "The response still changes at " + frequencies(unsettled) + ", most at " +
                                               figureText(at_hz) + " Hz, by " + figureText(100.0 * most, 2) +
                                               " %. The radius contains this change. Lengthen the settling."});
  return findings;
}

std::vector<IdentificationFinding> findingsOf(const TransferModel& model) {
  std::vector<IdentificationFinding> findings;
  const std::vector<Complex> of_poles = poles(model), of_zeros = zeros(model);
  if (const std::string right = listed(of_poles, onTheRight); !right.empty())
    findings.push_back(
        {What::unstable, "The model is unstable: it has poles at " + right +
                             ". It cannot represent a rig at rest. Use fewer poles, or a band with high coherence."});
  if (const std::string right = listed(of_zeros, onTheRight); !right.empty()) {
    double lag_s = 0.0;
    for (const Complex& zero : of_zeros)
      if (zero.real() > 0.0) lag_s += 2.0 * zero.real() / std::norm(zero);
    findings.push_back({What::non_minimum_phase,
                        "The model has zeros in the right half-plane, at " + right +
                            ": it has no stable inverse. Its approximate inverse uses mirrored zeros and leaves " +
                            quantityText(lag_s, "s") + " of lag at low frequencies."});
  }
  const std::vector<RootPair> pairs = nearlyCancelling(of_poles, of_zeros);
  const std::string beside = listed(
      of_poles, [&](const Complex& pole) { return std::ranges::find(pairs, pole, &RootPair::pole) != pairs.end(); });
  if (!beside.empty())
    findings.push_back({What::cancelling, "Poles at " + beside +
                                              " are nearly cancelled by zeros; a model without both is almost equal."});
  return findings;
}

std::vector<IdentificationFinding> findingsOf(const OrderSpec& order, const ResponseFit& fit,
                                              const OrderChoice& choice) {
  if (choice.candidates.empty()) return {};
  const OrderCandidate& best = choice.best();
  if (best.order.parameters() >= order.parameters() || !(best.fit.criterion < fit.criterion + kStrongEvidence))
    return {};
  return {{What::order_too_high,
           "The order is higher than the data support: " + orderText(best.order.poles, best.order.zeros) +
               (best.fit.model.delay_s > 0.0 ? " and a delay" : "") + " describe them as well as " +
               orderText(order.poles, order.zeros) + "."}};
}

}  // namespace hyb
