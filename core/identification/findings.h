#pragma once
#include <string>
#include <vector>

#include "core/identification/order.h"
#include "core/identification/stepped_response.h"
#include "core/signal/cross_spectra.h"

namespace hyb {

inline constexpr double kCoherent = 0.8;  // below it, a line has little information

/// Warning about an identification: a word for programs, a sentence for the user.
struct IdentificationFinding {
  enum class What : unsigned char {
    too_few_data,       // few averages, or few lines for the parameters
    low_coherence,      // much of the output is not correlated with the input
    unstable,           // a pole in the right half-plane
    non_minimum_phase,  // a zero in the right half-plane: no stable inverse
    order_too_high,     // fewer parameters describe the data as well
    cancelling,         // poles near zeros
    not_settled,        // the response still changes in the measured periods of a stepped sine
  };
  What what;
  std::string sentence;
};
/// "too-few-data"
std::string_view name(IdentificationFinding::What what) noexcept;

/// Findings of the response in the selected band. periodic: its segments are periods of the excitation.
std::vector<IdentificationFinding> findingsOf(const MeasuredResponse& response, bool periodic = false);
/// Findings of stepped sines: frequencies that are missing or have not settled.
std::vector<IdentificationFinding> findingsOf(const SteppedResponse& stepped);
/// Findings of a model alone.
std::vector<IdentificationFinding> findingsOf(const TransferModel& model);
/// Findings of a fit of selected order, compared with the other tried orders.
std::vector<IdentificationFinding> findingsOf(const OrderSpec& order, const ResponseFit& fit,
                                              const OrderChoice& choice);

/// "3 poles, 1 zero"
std::string orderText(int poles, int zeros);
/// "2 +- 3i 1/s" for one of a pair, "2 1/s" for a real root.
std::string rootText(const std::complex<double>& root);

}  // namespace hyb
