#include "core/base/minimum.h"

#include <boost/math/tools/minima.hpp>
#include <cstdint>
#include <limits>

namespace hyb {

std::pair<double, double> minimumOf(const std::function<double(double)>& function, double low, double high) {
  std::uintmax_t most_rounds = 100;
  return boost::math::tools::brent_find_minima(function, low, high, std::numeric_limits<double>::digits / 2,
                                               most_rounds);
}

}  // namespace hyb
