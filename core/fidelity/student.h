#pragma once

namespace hyb {

/// Quantile of Student's t: with this probability a value of so many degrees of freedom (> 0, need not be whole) lies
/// below it. 0 < probability < 1.
double studentQuantile(double degrees_of_freedom, double probability);

/// The same of Fisher's F: of the ratio of two mean squares with so many degrees of freedom above and below.
double fisherQuantile(double above, double below, double probability);

}  // namespace hyb
