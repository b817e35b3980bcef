#pragma once
#include "core/feedforward/adaption_law.h"

namespace hyb {

/// Recursive least squares by QR: theta is the least-squares solution of W P theta = -g_alone over all ticks so far,
/// with the response P of their time and forgetting of earlier ticks. It does not use the gap, so a wrong response
/// causes an error but no instability. P is the solution of W Th p = g over the ticks of the identification.
/// Simultaneous: identification of P continues from W Th p = g - g_alone, in each tick after the adaption, with a
/// further row sqrt((1 - forgetting) keep n) [e_j | p_j], j cyclic, that keeps parts not excited by the command.
/// Source: A. Bartl et al., A hybrid testing method based on adaptive feed-forward filters, algorithms 2 to 4, with the
/// signs as derived.
struct LeastSquaresSettings {
  bool simultaneous = true;
  double forgetting = 0.9999;                // of the adaption, per tick: its memory is tick/(1 - forgetting)
  double start_weight_m2_per_n2 = 0.0;       // holds theta = 0 at the start; 0: 0.1 gain^2/(2(1 - forgetting))
  double identification_forgetting = 1.0;    // while identifying
  double identification_start_weight = 1.0;  // holds the initial response, over amplitude^2
  double running_forgetting = 0.9999;        // of the identification during the test
  double keep = 0.01;                        // over amplitude^2
};
AdaptionSpecPtr recursiveLeastSquares(const LeastSquaresSettings& settings);
AdaptionSpecPtr parseSimultaneousLeastSquares(const Json& settings);
AdaptionSpecPtr parseSequentialLeastSquares(const Json& settings);

}  // namespace hyb
