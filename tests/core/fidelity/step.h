#pragma once

namespace hyb::test {

constexpr double kSignalStep_s = 1e-3;  // of all signals here

}  // namespace hyb::test
