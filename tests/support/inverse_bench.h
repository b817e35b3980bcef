#pragma once
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "core/compensation/compensator.h"
#include "core/compensation/inverse_model.h"

namespace hyb::test {

/// A compensator that learns an inverse a0 + a1 s + ..., before an actuator that is just such an inverse turned round,
/// derivatives as backward differences: what is to be learnt is known to the last digit. The target is a sum of tones
/// of whole hertz. A pure delay may stand behind the actuator.
class InverseBench {
 public:
  static constexpr double kTick_s = 1.0 / 4096.0;
  /// size: of the target, about mm. noise_rms_m: of the displacement sensor.
  InverseBench(Compensator& compensator, const std::vector<double>& plant, double size = 1.0, double noise_rms_m = 0.0)
      : compensator_(compensator), size_m_(1e-3 * size), noise_(0.0, noise_rms_m > 0.0 ? noise_rms_m : 1.0) {
    setPlant(plant);
    adapted_.resize(compensator.adapted().size());
    compensator.readAdapted(adapted_);
    noisy_ = noise_rms_m > 0.0;
  }
  void setPlant(const std::vector<double>& inverse) {
    taps_ = tapsOf(inverse);
    motions_.resize(taps_.size(), 0.0);
  }

  /// Of a compensator whose coefficients weigh the past of the target in this spacing, not its derivatives.
  void fir(int spacing_ticks) { spacing_ticks_ = spacing_ticks; }
  void setDelay(std::size_t ticks) { delay_ticks_ = ticks; }
  /// Hz and share of `size`.
  using Tones = std::vector<std::array<double, 2>>;
  static Tones allTones() { return {{1.0, 0.6}, {3.0, 0.5}, {5.0, 0.4}, {8.0, 0.3}, {12.0, 0.15}}; }
  void setTones(Tones tones) { tones_ = std::move(tones); }

  void tick() {
    const double t_s = ticks_++ * kTick_s;
    double target = 0.0;
    for (const auto& [hz, share] : tones_) target += size_m_ * share * std::sin(2.0 * std::numbers::pi * hz * t_s);
    targets_.insert(targets_.begin(), target);
    targets_.resize(tapsOf(adapted_).size(), 0.0);
    // What it is about to send: known before it is, so that the actuator answers in the same tick.
    const std::vector<double> forward = tapsOf(adapted_);
    double sent = 0.0;
    for (std::size_t j = 0; j < forward.size(); ++j) sent += forward[j] * targets_[j];
    double motion = sent;
    for (std::size_t j = 1; j < taps_.size(); ++j) motion -= taps_[j] * motions_[j - 1];
    motion /= taps_[0];
    motions_.insert(motions_.begin(), motion);
    motions_.pop_back();
    late_.push_back(motion);
    motion = late_.size() > delay_ticks_ ? late_[late_.size() - 1 - delay_ticks_] : 0.0;

    state_.target[0] = target;
    state_.measured[0] = motion + (noisy_ ? noise_(random_) : 0.0);
    compensator_.update(state_, command_);
    predicted_ = std::max(predicted_, std::abs(command_.position[0] - sent));
    compensator_.readAdapted(adapted_);
    peak_ = std::max(peak_, std::abs(target));
    gaps_.push_back(std::abs(motion - target));
  }
  void run(double seconds) {
    for (int k = 0; k * kTick_s < seconds; ++k) tick();
  }

  const std::vector<double>& adapted() const { return adapted_; }
  double peak() const { return peak_; }
  /// Largest gap of the last seconds.
  double worstGap(double seconds) const {
    double worst = 0.0;
    for (auto g = gaps_.rbegin(); g != gaps_.rend() && static_cast<double>(g - gaps_.rbegin()) * kTick_s < seconds; ++g)
      worst = std::max(worst, *g);
    return worst;
  }
  /// How far what was sent is from the coefficients times the target's differences, at most.
  double commandError() const { return predicted_; }

 private:
  std::vector<double> tapsOf(const std::vector<double>& coefficients) const {
    if (spacing_ticks_ == 0) return inverseTaps(coefficients, kTick_s);
    std::vector<double> taps((coefficients.size() - 1) * static_cast<std::size_t>(spacing_ticks_) + 1, 0.0);
    for (std::size_t n = 0; n < coefficients.size(); ++n)
      taps[n * static_cast<std::size_t>(spacing_ticks_)] = coefficients[n];
    return taps;
  }
  Compensator& compensator_;
  double size_m_;
  std::normal_distribution<double> noise_;
  std::mt19937 random_{11};
  bool noisy_ = false;
  std::vector<double> taps_, motions_, targets_, adapted_, gaps_, late_;
  Tones tones_ = allTones();
  std::size_t delay_ticks_ = 0;
  InterfaceState state_{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
  Command command_{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
  int ticks_ = 0, spacing_ticks_ = 0;
  double peak_ = 0.0, predicted_ = 0.0;
};

}  // namespace hyb::test
