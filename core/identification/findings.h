#pragma once
#include <string>
#include <vector>

#include "core/identification/cross_spectra.h"
#include "core/identification/order.h"

namespace hyb {

inline constexpr double kCoherent = 0.8;  // below it, a line tells little

/// What is to be known of an identification before it is used: a word for programs, a sentence for people.
struct IdentificationFinding {
  enum class What : unsigned char {
    too_few_data,       // few averages, or few lines for the parameters
    low_coherence,      // much of the output does not follow the input
    unstable,           // a pole in the right half-plane
    non_minimum_phase,  // a zero there: no stable inverse
    order_too_high,     // fewer parameters describe the data as well
    cancelling,         // poles beside zeros
  };
  What what;
  std::string sentence;
};
/// "too-few-data"
std::string_view name(IdentificationFinding::What what) noexcept;

/// Of the response over the band that is looked at.
std::vector<IdentificationFinding> findingsOf(const MeasuredResponse& response);
/// Of a model, by itself.
std::vector<IdentificationFinding> findingsOf(const TransferModel& model);
/// A fit of one's own choice beside what else was tried.
std::vector<IdentificationFinding> findingsOf(const OrderSpec& order, const ResponseFit& fit,
                                              const OrderChoice& choice);

/// "3 poles, 1 zero"
std::string orderText(int poles, int zeros);
/// "2 +- 3i 1/s" for one of a pair, "2 1/s" for a real root.
std::string rootText(const std::complex<double>& root);

}  // namespace hyb
