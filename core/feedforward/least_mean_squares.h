#pragma once
#include "core/feedforward/adaption_law.h"

namespace hyb {

/// Least mean squares (narrow-band filtered-x): in every tick a step down the gradient,
///   theta <- theta - mu P^T W^T g,   while identifying  p <- p - mu_id Th^T W^T (W Th p - g).
/// It feeds the gap back: with a response error of more than 90 degrees, or too large a step, it diverges.
/// Source: A. Bartl et al., A hybrid testing method based on adaptive feed-forward filters, algorithm 1, with the signs
/// as derived.
struct LeastMeanSquaresSettings {
  double learning_time_s = 5.0;       // time in which the gap of a harmonic falls to 1/e: mu = 2 tick/(time gain^2)
  double gain_n2_per_m2 = 0.0;        // mu instead of it, equal for all harmonics; 0: from the time
  double identification_gain = 0.01;  // mu_id times the square of the commands' amplitude
};
AdaptionSpecPtr leastMeanSquares(const LeastMeanSquaresSettings& settings);
AdaptionSpecPtr parseLeastMeanSquares(const Json& settings);

}  // namespace hyb
