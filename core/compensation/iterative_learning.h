#pragma once
#include "core/compensation/addition.h"

namespace hyb {

struct IterativeLearningParams {
  double proportional = 0.5;  // share of the gap, added in the next trial
  double derivative_s = 0.0;  // factor of its rate
  double cutoff_hz = 6.0;     // f_Q
  int order = 1;              // of the filter, which is applied twice
};

/// Iterative learning control, PD type (Insam 2022, chapter 6, equation 6.1): the addition is a record over the trial,
/// changed by the gap of one trial for the next,
///   f_(j+1) = Q (f_j + proportional e_j + derivative_s e'_j),  f_1 = 0,  e = z - x,
/// Q is a zero-phase low-pass over the whole record, e' the backward difference. f is a displacement, m; at velocity
/// level scale f is added, so that the source's beta and gamma are proportional and derivative_s times the position
/// gain. The addition of tick k acts on the motion first read in tick k + 1, so that e[k] is the gap of tick k + 1, as
/// in the source (note, D4). The last tick, whose gap would be read after the trial, learns from that of the tick
/// before. Nothing is learnt from a trial that was held or stopped early, from a gap that is NaN, or from one that
/// requires more than the bound permits.
std::unique_ptr<Addition> makeIterativeLearning(const IterativeLearningParams& params, const AdditionContext& context);
AdditionSpecPtr parseIterativeLearning(const Json& settings);

}  // namespace hyb
