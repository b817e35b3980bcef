#pragma once
#include <Eigen/Core>
#include <complex>
#include <cstdint>
#include <vector>

namespace hyb {

/// Harmonics of one frequency, from tick to tick: W(t) of adaptive feed-forward filters.
///
/// Amplitudes are pairs [re, im], harmonic after harmonic, with one pair per axis: psi of the signal Re(psi e^{j w t}).
/// Real-time safe except for the constructor.
/// Source: A. Bartl et al., A hybrid testing method based on adaptive feed-forward filters, eq. 8 to 13.
class Harmonics {
 public:
  /// orders: ascending, >= 1.
  Harmonics(double frequency_hz, std::vector<int> orders, double step_s);
  Eigen::Index count() const noexcept { return static_cast<Eigen::Index>(orders_.size()); }
  int order(Eigen::Index h) const noexcept { return orders_[static_cast<std::size_t>(h)]; }
  double frequency_hz(Eigen::Index h) const noexcept { return frequency_hz_ * order(h); }
  double angular(Eigen::Index h) const noexcept;  // rad/s
  void at(std::int64_t tick) noexcept;
  /// psi e^{j w t} of every pair, conjugated: [Re, -Im]. turned and pairs [2 axes count].
  void turn(const Eigen::Ref<const Eigen::VectorXd>& pairs, Eigen::Ref<Eigen::VectorXd> turned) const noexcept;

 private:
  double frequency_hz_, step_s_;
  std::vector<int> orders_;
  std::vector<std::complex<double>> phase_;  // [h]: e^{j w t}
};

}  // namespace hyb
