#pragma once

namespace hyb {

/// Quantile of Student's t: a value with these degrees of freedom (> 0, may be fractional) is below it with this
/// probability. 0 < probability < 1.
double studentQuantile(double degrees_of_freedom, double probability);

/// The same of Fisher's F: of the ratio of two mean squares with these degrees of freedom above and below.
double fisherQuantile(double above, double below, double probability);

}  // namespace hyb
