#include "core/identification/order.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace hyb {

OrderChoice proposeOrder(const FrequencyResponse& response, const std::optional<double>& delay_s, Hold hold,
                         double step_s, int most_poles) {
  OrderChoice choice;
  const auto tryOrder = [&](const OrderSpec& order) {
    if (const auto fit = fitResponse(response, order, hold, step_s)) choice.candidates.push_back({order, *fit});
  };
  for (int poles = 1; poles <= most_poles; ++poles)
    for (int zeros = 0; zeros < poles; ++zeros) {
      tryOrder({poles, zeros, delay_s ? *delay_s : 0.0});
      if (!delay_s) tryOrder({poles, zeros, std::nullopt});
    }
  double least = std::numeric_limits<double>::infinity();
  for (const OrderCandidate& candidate : choice.candidates) least = std::min(least, candidate.fit.criterion);
  const auto rank = [&](const OrderCandidate& candidate) {
    const bool weak = candidate.fit.criterion > least + kStrongEvidence;
    return std::tuple(weak, candidate.order.parameters(), candidate.fit.criterion);
  };
  for (std::size_t i = 1; i < choice.candidates.size(); ++i)
    if (rank(choice.candidates[i]) < rank(choice.best())) choice.proposed = i;
  return choice;
}

}  // namespace hyb
