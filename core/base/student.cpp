#include "core/base/student.h"

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace hyb {

double studentQuantile(double degrees_of_freedom, double probability) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), probability);
}

double fisherQuantile(double above, double below, double probability) {
  return boost::math::quantile(boost::math::fisher_f(above, below), probability);
}

}  // namespace hyb
