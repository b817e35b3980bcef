#pragma once
#include "core/compensation/addition.h"

namespace hyb {

struct IterativeLearningParams {
  double proportional = 0.5;  // of the gap, added in the next trial
  double derivative_s = 0.0;  // of its rate
  double cutoff_hz = 6.0;     // f_Q
  int order = 1;              // of the filter, which runs twice
};

/// Iterative learning control, PD type (Insam 2022, chapter 6, equation 6.1): what is added is a record over the trial,
/// and the gap of one trial changes it for the next,
///   f_(j+1) = Q (f_j + proportional e_j + derivative_s e'_j),  f_1 = 0,  e = z - x,
/// Q a zero-phase low-pass over the whole record, e' the backward difference. f is a displacement, m; at velocity level
/// scale f is added, so that the source's beta and gamma are proportional and derivative_s times the position gain.
/// Tick k of the trial learns from the gap read at tick k of the trials before. A trial that was held or cut short
/// teaches nothing; nor does a gap that is not a number, nor one that asks for more than the bound lets through.
std::unique_ptr<Addition> makeIterativeLearning(const IterativeLearningParams& params, const AdditionContext& context);
AdditionSpecPtr parseIterativeLearning(const Json& settings);

}  // namespace hyb
