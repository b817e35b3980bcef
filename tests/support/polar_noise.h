#pragma once
#include <cmath>
#include <cstdint>
#include <random>

namespace hyb::test {

/// Normal numbers of mean 0 and rms 1 as the textbook has them, without a line of the product: Marsaglia's polar method
/// on the standard library's twister, 53 random bits to a number in [-1, 1).
class PolarNoise {
 public:
  PolarNoise(std::uint64_t seed, std::uint32_t stream) {
    std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), stream};
    bits_.seed(sequence);
  }
  double next() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double a, b, square;
    do {
      a = static_cast<double>(bits_() >> 11) * 0x1p-52 - 1.0;
      b = static_cast<double>(bits_() >> 11) * 0x1p-52 - 1.0;
      square = a * a + b * b;
    } while (square >= 1.0 || square == 0.0);
    const double scale = std::sqrt(-2.0 * std::log(square) / square);
    spare_ = b * scale;
    has_spare_ = true;
    return a * scale;
  }

 private:
  std::mt19937_64 bits_;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace hyb::test
