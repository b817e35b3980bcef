#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "core/identification/response_fit.h"

namespace hyb {

struct OrderCandidate {
  OrderSpec order;  // delay as given
  ResponseFit fit;
};
/// A smaller difference of the criterion is no strong evidence (R. Kass, A. Raftery, J. Am. Stat. Assoc. 90, 1995).
inline constexpr double kStrongEvidence = 6.0;
struct OrderChoice {
  std::vector<OrderCandidate> candidates;  // ascending in poles, then zeros
  std::size_t proposed = 0;
  const OrderCandidate& best() const { return candidates[proposed]; }
};
/// Fits of 1 to most_poles poles, each with fewer zeros than poles, and the proposal: the stable fit with the fewest
/// parameters that has no strong evidence against it. An unknown delay (none given) counts as a parameter. No
/// candidates: too few lines.
using FitOrder = std::function<std::optional<ResponseFit>(const OrderSpec&)>;
OrderChoice proposeOrder(const FitOrder& fit, const std::optional<double>& delay_s, int most_poles = 5);
/// From a response.
OrderChoice proposeOrder(const MeasuredResponse& response, const std::optional<double>& delay_s, Hold hold,
                         double step_s, int most_poles = 5);

}  // namespace hyb
