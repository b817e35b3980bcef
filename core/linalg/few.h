#pragma once
#include <Eigen/Core>
#include <cmath>

namespace hyb::linalg {

// Vectors of a few numbers, one for each axis, within a tick: Eigen's own loops take longer to begin than these take as
// a whole. Real-time safe.

/// to = from; allocates only where their sizes differ.
[[gnu::always_inline]] inline void copyFew(const Eigen::VectorXd& from, Eigen::VectorXd& to) {
  const Eigen::Index count = from.size();
  if (to.size() != count) [[unlikely]]
    to.resize(count);
  const double* const source = from.data();
  double* const target = to.data();
  for (Eigen::Index i = 0; i < count; ++i) target[i] = source[i];
}

/// No number among them is infinite or none.
inline bool finiteFew(const Eigen::VectorXd& values) noexcept {
  double nothing = 0.0;
  for (Eigen::Index i = 0; i < values.size(); ++i) nothing += 0.0 * values[i];
  return nothing == 0.0;
}

/// Divides by a number that is known before: where it is a power of two, as ticks and steps of converters often are, by
/// a product, which gives the same bits sooner.
class Divisor {
 public:
  explicit Divisor(double divisor) noexcept : divisor_(divisor), inverse_(1.0 / divisor) {
    int exponent = 0;
    is_power_ = std::abs(std::frexp(divisor, &exponent)) == 0.5 && std::isnormal(inverse_);
  }
  double of(double dividend) const noexcept { return is_power_ ? dividend * inverse_ : dividend / divisor_; }

 private:
  double divisor_, inverse_;
  bool is_power_;
};

}  // namespace hyb::linalg
