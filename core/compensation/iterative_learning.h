#pragma once
#include "core/compensation/addition.h"

namespace hyb {

struct LearningSet {
  double proportional = 0.5;  // share of the gap, added in the next trial
  double derivative_s = 0.0;  // factor of its rate
  double cutoff_hz = 6.0;     // f_Q
};
struct IterativeLearningParams {
  LearningSet free = {};
  std::optional<LearningSet> contact = {};  // none: `free` acts in contact as well
  int order = 1;                            // of the filters, which are applied twice
};

/// Iterative learning control, PD type (Insam 2022, chapter 6, equation 6.1): the addition is a record over the trial,
/// changed by the gap of one trial for the next,
///   f_(j+1) = Q (f_j + proportional e_j + derivative_s e'_j),  f_1 = 0,  e = z - x,
/// Q is a zero-phase low-pass over the whole record, e' the backward difference. f is a displacement, m; at velocity
/// level scale f is added, so that the source's beta and gamma are proportional and derivative_s times the position
/// gain. The addition of tick k acts on the motion first read in tick k + 1, so that e[k] is the gap of tick k + 1, as
/// in the source (note, D4). The last tick, whose gap would be read after the trial, learns from that of the tick
/// before. With a set for contact, tick k is learnt with the set of the phase in which its gap was read, and
///   f_(j+1) = (1 - w) Q_free r + w Q_contact r,  r = f_j + the law of each tick,
/// where w, 1 in contact and 0 otherwise, is low-passed by the higher of the two cut-offs, so that nothing jumps at the
/// switch. Two equal sets do what one does. The source (sections 6 and 19.2) has one set; it names two for its FIR
/// filter. Nothing is learnt from a trial that was held or stopped early, from a gap that is NaN, or from one that
/// requires more than the bound permits.
std::unique_ptr<Addition> makeIterativeLearning(const IterativeLearningParams& params, const AdditionContext& context);
AdditionSpecPtr parseIterativeLearning(const Json& settings);

}  // namespace hyb
