#include "hardware/served_rig.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/checks.h"
#include "core/base/error.h"
#include "core/rig/device_channels.h"

namespace hyb {
namespace {

constexpr double kLinkJitter_s = 0.02;  // of a link

}  // namespace

void checkKeyless(const RigServerSpec& spec, bool this_computer_only, const std::string& protocol) {
  if (spec.key)
    throw InputError("--key-file", "does not suit " + protocol +
                                       ", which carries no key; remove it, or serve a project with the protocol "
                                       "\"frames\".");
  if (!this_computer_only && !spec.trust_network)
    throw InputError("--listen",
                     "is \"" + spec.listen.text() + "\": everybody in the network could move the rig, as " + protocol +
                         " has no key. Listen at 127.0.0.1, or give --trust-network on a cable between two computers.");
}

ServedRig::ServedRig(std::unique_ptr<Rig> rig, RigServerSpec spec, std::function<void(const std::string&)> say,
                     Clock& clock)
    : rig_(std::move(rig)),
      spec_(std::move(spec)),
      say_(say ? std::move(say) : [](const std::string&) {}),
      clock_(clock),
      channels_(deviceChannels(spec_.channels, spec_.rate_hz)),
      guard_(spec_.bounds, 1.0 / spec_.rate_hz),
      wire_(spec_.seed),
      fault_on_(spec_.faults.size(), false) {
  const auto n = static_cast<Eigen::Index>(rig_->interfaces());
  reading_ = {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
  command_ = {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
  const std::vector<Channel> further = rig_->channels();
  columns_.resize(further.size());
  for (const ChannelSpec& channel : spec_.channels) {
    const auto found = std::ranges::find(further, channel.name, &Channel::name);
    const bool monitor = channel.role == ChannelRole::monitor && found != further.end();
    monitored_.push_back(monitor ? found - further.begin() : -1);
    if (isOutput(channel.role)) outputs_.push_back(&channel);
  }
  begin();
}

void ServedRig::begin() {
  rig_->safeStop();
  rig_->open();
  state_ = State::ready;
  command_.position.setZero();
  command_.rate.setZero();
  fault_ = false;
  wire_.clear();
  std::fill(fault_on_.begin(), fault_on_.end(), false);
  placed_.assign(outputs_.size(), false);
  heard_at_ = read_at_ = clock_.nowNs();
  read(0);
  for (const ChannelSpec* output : outputs_)
    if (output->role == ChannelRole::command) command_.position[output->interface - 1] = standing(*output);
}

bool ServedRig::take(std::size_t k, double raw, double periods) {
  if (state_ == State::stopped) return false;
  const ChannelSpec& channel = *outputs_[k];
  const bool position = channel.role == ChannelRole::command;
  double& held = (position ? command_.position : command_.rate)[channel.interface - 1];
  if (position && !placed_[k]) {
    const double wanted = scaledValue(channel, raw), away = std::abs(wanted - standing(channel));
    if (!(away <= spec_.arm_tolerance_m)) {
      stop("the first command of " + channel.name + " is " + Checks::text(away, "") +
               " (SI) away from where it is; allowed are " + Checks::text(spec_.arm_tolerance_m, ""),
           true);
      return false;
    }
    held = wanted;
  }
  placed_[k] = true;
  if (const std::string why = guard_.objection(channel, raw, held, periods); !why.empty()) {
    stop(why, true);
    return false;
  }
  held = scaledValue(channel, std::clamp(raw, channel.raw_min, channel.raw_max));
  return true;
}

void ServedRig::write() {
  if (state_ == State::stopped) return;
  if (state_ == State::ready) {
    rig_->begin();  // random sequences restart here, independent of earlier readings
    state_ = State::following;
    periods_ = 0;
    moved_at_ = clock_.nowNs();
    say_("taking commands");
    advance(0);
  }
  if (rig_->write(command_) == RigStatus::fault) stop("the rig is in fault", true);
}

void ServedRig::advance(std::int64_t elapsed) {
  periods_ += elapsed;
  schedule();
  read(elapsed);
}

void ServedRig::sample() { read(0); }

double ServedRig::hear(bool reads) {
  const std::int64_t now = clock_.nowNs();
  const double since_s = 1e-9 * static_cast<double>(now - read_at_) + kLinkJitter_s;
  const double periods = 1.0 + std::floor(std::min(since_s, spec_.place_s) * spec_.rate_hz);
  heard_at_ = now;
  if (reads) read_at_ = now;
  if (state_ == State::ready) read(0);
  if (state_ != State::following) return periods;
  const std::int64_t period_ns = std::llround(1e9 / spec_.rate_hz), elapsed = (now - moved_at_) / period_ns;
  if (elapsed < 1) return periods;
  moved_at_ += elapsed * period_ns;
  advance(elapsed);
  return periods;
}

bool ServedRig::stopIfSilent() {
  if (clock_.nowNs() - heard_at_ <= static_cast<std::int64_t>(1e9 * spec_.place_s)) return false;
  if (following()) stop("no command for " + Checks::text(spec_.place_s, "s"), true);
  return true;
}

void ServedRig::stop(const std::string& why, bool by_itself) {
  rig_->safeStop();
  fault_ = by_itself;
  state_ = State::stopped;
  read(0);
  say_("stopped: " + why);
}

double ServedRig::standing(const ChannelSpec& channel) const {
  const Eigen::Index i = channel.interface - 1;
  return spec_.from_readings.size() == 0 ? reading_.measured[i] : spec_.from_readings.row(i).dot(reading_.measured);
}

void ServedRig::read(std::int64_t elapsed) {
  status_ = rig_->read(reading_, elapsed);
  rig_->readChannels(columns_);
}

/// Faults of the project, by the periods since the first command.
void ServedRig::schedule() {
  const double time_s = static_cast<double>(periods_) / spec_.rate_hz;
  for (std::size_t k = 0; k < spec_.faults.size(); ++k) {
    const FaultSpec& own = spec_.faults[k];
    const bool on = time_s >= own.from_s && (own.duration_s <= 0.0 || time_s < own.from_s + own.duration_s);
    if (on == fault_on_[k]) continue;
    fault_on_[k] = on;
    if (!wire_.set(own, on)) (void)rig_->inject(own, on);
    say_(std::string("fault on purpose ") + (on ? "begins: " : "ends: ") + std::string(name(own.kind)));
  }
}

void ServedRig::inputs(std::span<double> raw) const {
  std::size_t k = 0;
  const bool open = status_ == RigStatus::interlock || rig_->interlocksOpen() != 0;
  for (std::size_t c = 0; c < spec_.channels.size(); ++c) {
    const ChannelSpec& channel = spec_.channels[c];
    if (isOutput(channel.role)) continue;
    double value = monitored_[c] >= 0 ? rawValue(channel, columns_[static_cast<std::size_t>(monitored_[c])]) : 0.0;
    if (channel.role == ChannelRole::displacement) value = rawValue(channel, reading_.measured[channel.interface - 1]);
    if (channel.role == ChannelRole::force) value = rawValue(channel, reading_.force[channel.interface - 1]);
    if (channel.role == ChannelRole::interlock)
      value = open != channel.reversed ? channel.open_above + 1.0 : channel.open_above - 1.0;
    raw[k++] = value;
  }
}

}  // namespace hyb
