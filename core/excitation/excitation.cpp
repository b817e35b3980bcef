#include "core/excitation/excitation.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/numbers.h"

namespace hyb {

Excitation::Excitation(std::vector<NamedSignal> signals, std::vector<Load> loads, std::size_t supports,
                       std::size_t dofs)
    : signals_(std::move(signals)), loads_(std::move(loads)), supports_(supports), dofs_(dofs) {
  for ([[maybe_unused]] const Load& load : loads_) {
    assert(load.signal < signals_.size());
    assert(load.target < (load.on == LoadTarget::force ? dofs_ : supports_));
  }
  std::ranges::stable_sort(loads_, {}, &Load::signal);
  for (auto load = loads_.begin(); load != loads_.end(); ++load)
    begins_.push_back(std::none_of(loads_.begin(), load, [&](const Load& before) {
      return before.on == load->on && before.target == load->target;
    }));
}

ExcitationValue Excitation::zero() const {
  ExcitationValue value;
  value.support_m = value.support_mps = value.support_mps2 =
      Eigen::VectorXd::Zero(static_cast<Eigen::Index>(supports_));
  value.force_n = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(dofs_));
  value.signal = value.signal_rate = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(signals_.size()));
  const auto any_on = [this](LoadTarget on) { return std::ranges::count(loads_, on, &Load::on) > 0; };
  value.moves = any_on(LoadTarget::support_motion);
  value.accelerates = any_on(LoadTarget::support_acceleration);
  value.pushes = any_on(LoadTarget::force);
  return value;
}

[[gnu::hot]] void Excitation::at(double t_s, double fade, double fade_rate, ExcitationValue& value) const noexcept {
  const bool rates = value.rates || value.moves;
  const Load *load = loads_.data(), *const end = load + loads_.size();
  const char* begins = begins_.data();
  const auto add = [&load, &begins](Eigen::VectorXd& sums, double summand) noexcept {
    double& sum = sums[static_cast<Eigen::Index>(load->target)];
    sum = (*begins != 0 ? 0.0 : sum) + load->factor * summand;
  };
  std::size_t j = 0;
  for (const NamedSignal& named : signals_) {
    const Signal& signal = *named.signal;
    const SignalValue raw = rates ? signal.at(t_s) : SignalValue{signal.value(t_s), 0.0};
    const double faded = fade * raw.value, rate = rates ? fade * raw.rate + fade_rate * raw.value : 0.0;
    value.signal[static_cast<Eigen::Index>(j)] = faded;
    value.signal_rate[static_cast<Eigen::Index>(j)] = rate;
    for (; load != end && load->signal == j; ++load, ++begins) {
      switch (load->on) {
        case LoadTarget::support_motion:
          add(value.support_m, faded);
          add(value.support_mps, rate);
          break;
        case LoadTarget::support_acceleration:
          add(value.support_mps2, faded);
          break;
        case LoadTarget::force:
          add(value.force_n, faded);
          break;
      }
    }
    ++j;
  }
}

double Excitation::frequencyHz() const noexcept {
  double common_hz = 0.0;
  for (const NamedSignal& named : signals_) {
    const double frequency_hz = named.signal->frequencyHz();
    if (frequency_hz == 0.0) continue;
    if (common_hz != 0.0 && frequency_hz != common_hz) return 0.0;
    common_hz = frequency_hz;
  }
  return common_hz;
}

SignalValue cosineRise(double t_s, double duration_s) noexcept {
  const double rate = kPi / duration_s;
  return {0.5 * (1.0 - std::cos(rate * t_s)), 0.5 * rate * std::sin(rate * t_s)};
}

}  // namespace hyb
