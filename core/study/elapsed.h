#pragma once
#include <chrono>

namespace hyb {

using StudyClock = std::chrono::steady_clock;
inline double secondsSince(StudyClock::time_point start) {
  return std::chrono::duration<double>(StudyClock::now() - start).count();
}

}  // namespace hyb
