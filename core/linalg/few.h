#pragma once
#include <Eigen/Core>
#include <cmath>

namespace hyb::linalg {

// Vectors of a few numbers, one per axis, within a tick: the overhead of Eigen's loops exceeds the time of these.
// Real-time safe.

/// to = from; allocates only if their sizes differ.
[[gnu::always_inline]] inline void copyFew(const Eigen::VectorXd& from, Eigen::VectorXd& to) {
  const Eigen::Index count = from.size();
  if (to.size() != count) [[unlikely]]
    to.resize(count);
  const double* const source = from.data();
  double* const target = to.data();
  for (Eigen::Index i = 0; i < count; ++i) target[i] = source[i];
}

/// True if all values are finite.
inline bool finiteFew(const Eigen::VectorXd& values) noexcept {
  double nothing = 0.0;
  const double* value = values.data();
  for (const double* const end = value + values.size(); value != end; ++value) nothing += 0.0 * *value;
  return nothing == 0.0;
}

/// term(0) + ... + term(count - 1), added in the order of Eigen's packets of two: even and odd places separately, and
/// of each every other one separately.
template <typename Term>
[[gnu::always_inline]] inline double sumFew(Eigen::Index count, Term&& term) noexcept {
  if (count == 4)
    return (term(Eigen::Index{0}) + term(Eigen::Index{2})) + (term(Eigen::Index{1}) + term(Eigen::Index{3}));
  if (count < 2) return count == 0 ? 0.0 : term(Eigen::Index{0});
  double even = term(Eigen::Index{0}), odd = term(Eigen::Index{1});
  Eigen::Index n = 2;
  if (count >= 4) {
    double next_even = term(n), next_odd = term(n + 1);
    for (n = 4; n + 4 <= count; n += 4) {
      even += term(n);
      odd += term(n + 1);
      next_even += term(n + 2);
      next_odd += term(n + 3);
    }
    even += next_even;
    odd += next_odd;
    if (n + 2 <= count) {
      even += term(n);
      odd += term(n + 1);
      n += 2;
    }
  }
  const double sum = even + odd;
  return n < count ? sum + term(n) : sum;
}

/// a . b
template <typename Vector>
[[gnu::always_inline]] inline double dotFew(const Vector& a, const Vector& b) noexcept {
  const double *const left = a.data(), *const right = b.data();
  return sumFew(a.size(), [=](Eigen::Index n) noexcept { return left[n] * right[n]; });
}

/// As std::round(), halves away from zero, without a call.
inline double nearest(double value) noexcept {
  const double size = std::abs(value);
  if (!(size < 0x1p52)) return value;            // integer, infinite or NaN
  const double even = (size + 0x1p52) - 0x1p52;  // halves to even
  return std::copysign(size - even == 0.5 ? even + 1.0 : even, value);
}

/// Divides by a known number: a power of two, common for ticks and steps of converters, is replaced by a product with
/// the same bits, which is faster.
class Divisor {
 public:
  explicit Divisor(double divisor) noexcept : divisor_(divisor), inverse_(1.0 / divisor) {
    int exponent = 0;
    is_power_ = std::abs(std::frexp(divisor, &exponent)) == 0.5 && std::isnormal(inverse_);
  }
  double of(double dividend) const noexcept { return is_power_ ? dividend * inverse_ : dividend / divisor_; }
  /// Calls body(quotient) with the operation of of(), for a loop that decides it only once.
  template <typename Body>
  [[gnu::always_inline]] void use(Body&& body) const noexcept {
    if (is_power_)
      body([inverse = inverse_](double dividend) noexcept { return dividend * inverse; });
    else
      body([divisor = divisor_](double dividend) noexcept { return dividend / divisor; });
  }

 private:
  double divisor_, inverse_;
  bool is_power_;
};

}  // namespace hyb::linalg
