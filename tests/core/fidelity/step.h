#pragma once

namespace hyb::test {

constexpr double kStep_s = 1e-3;  // of all signals here

}  // namespace hyb::test
