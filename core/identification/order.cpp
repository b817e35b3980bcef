#include "core/identification/order.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace hyb {

OrderChoice proposeOrder(const MeasuredResponse& response, const std::optional<double>& delay_s, Hold hold,
                         double step_s, int most_poles) {
  return proposeOrder([&](const OrderSpec& order) { return fitResponse(response, order, hold, step_s); }, delay_s,
                      most_poles);
}

OrderChoice proposeOrder(const FitOrder& fit_order, const std::optional<double>& delay_s, int most_poles) {
  OrderChoice choice;
  const auto tryOrder = [&](const OrderSpec& order) {
    if (const auto fit = fit_order(order)) choice.candidates.push_back({order, *fit});
  };
  for (int poles = 1; poles <= most_poles; ++poles)
    for (int zeros = 0; zeros < poles; ++zeros) {
      tryOrder({poles, zeros, delay_s ? *delay_s : 0.0});
      if (!delay_s) tryOrder({poles, zeros, std::nullopt});
    }
  double least = std::numeric_limits<double>::infinity();
  std::vector<bool> settles;
  for (const OrderCandidate& candidate : choice.candidates) {
    settles.push_back(stable(candidate.fit.model));
    if (settles.back()) least = std::min(least, candidate.fit.criterion);
  }
  const auto rank = [&](std::size_t i) {
    const OrderCandidate& candidate = choice.candidates[i];
    const bool weak = candidate.fit.criterion > least + kStrongEvidence;
    return std::tuple(!settles[i], weak, candidate.order.parameters(), candidate.fit.criterion);
  };
  for (std::size_t i = 1; i < choice.candidates.size(); ++i)
    if (rank(i) < rank(choice.proposed)) choice.proposed = i;
  return choice;
}

}  // namespace hyb
