#include "core/rig/setup_tick.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/figure_text.h"
#include "core/base/numbers.h"

namespace hyb {
namespace {

constexpr double kSilence_s = 0.3;    // largest time without a new reading while commands are sent
constexpr double kAveraging_s = 0.3;  // averaging time of the wiring check, before and after a move
constexpr double kSettling_s = 0.3;
constexpr double kZeroPatience_s = 5.0;  // beyond the expected time of the readings
constexpr double kRunaway = 2.0;         // multiple of the travel

/// Share of a displacement channel in the motion of an interface; both from 1.
double shareOf(int channel, int interface, const SensorMap& sensors) {
  if (sensors.from_readings.size() == 0) return channel == interface ? 1.0 : 0.0;
  return sensors.from_readings(interface - 1, channel - 1);
}

}  // namespace

void SetupTick::Mean::add(double value) {
  if (count == 0) first = value;  // small deviations from it keep their precision
  const double difference = value - first;
  sum += difference;
  squares += difference * difference;
  ++count;
}
double SetupTick::Mean::mean() const { return count > 0 ? first + sum / static_cast<double>(count) : kNoValue; }
double SetupTick::Mean::deviation() const {
  if (count < 2) return 0.0;
  const auto n = static_cast<double>(count);
  return std::sqrt(std::max(0.0, (squares - sum * sum / n) / (n - 1.0)));
}

std::vector<double> taresAfter(const ZeroResult& zero, const std::vector<ChannelSpec>& channels,
                               const SensorMap& sensors) {
  std::vector<double> tares;
  for (const ChannelSpec& channel : channels) tares.push_back(channel.tare);
  for (const std::size_t c : zero.channels) {
    const ChannelSpec& zeroed = channels[c];
    tares[c] = zero.mean[c];
    if (zeroed.role != ChannelRole::displacement) continue;
    for (std::size_t k = 0; k < channels.size(); ++k)
      if (channels[k].role == ChannelRole::command)
        tares[k] += shareOf(zeroed.interface, channels[k].interface, sensors) * (zero.mean[c] - zeroed.tare);
  }
  return tares;
}

SetupTick::SetupTick(Device& device, std::vector<ChannelSpec> channels, double rate_hz, SensorMap sensors)
    : device_(device), channels_(std::move(channels)), sensors_(std::move(sensors)), rate_hz_(rate_hz) {
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    (isOutput(channels_[c].role) ? outputs_ : inputs_).push_back(c);
    if (reconstructs() && channels_[c].role == ChannelRole::displacement) continue;
    interfaces_ = std::max(interfaces_, static_cast<std::size_t>(std::max(0, channels_[c].interface)));
  }
  raw_in_.assign(inputs_.size(), kNoValue);
  raw_out_.assign(outputs_.size(), 0.0);
  scaled_.assign(channels_.size(), kNoValue);
  shown_raw_.resize(channels_.size());
  shown_.resize(channels_.size());
  view_.raw = view_.scaled = scaled_;
}

void SetupTick::tick(std::int64_t elapsed) {
  const double step_s = static_cast<double>(elapsed) / rate_hz_;
  now_s_ += step_s;
  tick_ += static_cast<std::uint64_t>(elapsed);
  readInputs();
  if (view_.activity == SetupActivity::stopped) return;
  watch();
  if (view_.activity == SetupActivity::zeroing) averageZero();
  if (view_.activity == SetupActivity::jogging) driveJog(step_s);
  if (view_.activity == SetupActivity::checking) driveCheck(step_s);
  if (holding() && view_.activity != SetupActivity::stopped) send();
}

void SetupTick::readInputs() {
  const RigStatus received = device_.read(raw_in_);
  view_.device_status = device_.status();
  view_.status = judged(received, view_.device_status);
  fresh_ = received == RigStatus::ok || received == RigStatus::saturated;
  view_.interlocks_open.clear();
  const std::vector<std::string> names = device_.interlocks();
  for (std::size_t k = 0; k < names.size(); ++k)
    if ((device_.interlocksOpen() >> k & 1u) != 0) view_.interlocks_open.push_back(names[k]);
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const std::size_t c = inputs_[k];
    if (fresh_) {
      scaled_[c] = scaledValue(channels_[c], raw_in_[k]);
      shown_raw_[c].add(raw_in_[k]);
      shown_[c].add(scaled_[c]);
    }
    if (channels_[c].role == ChannelRole::interlock && interlockOpen(channels_[c], raw_in_[k]) && view_.readings > 0)
      view_.interlocks_open.push_back(channels_[c].name);
  }
  if (!fresh_) return;
  ++view_.readings;
  last_fresh_s_ = now_s_;
}

/// Stops on any condition that makes further commands unsafe.
void SetupTick::watch() {
  if (view_.status == RigStatus::link_lost || (holding() && view_.status == RigStatus::fault)) {
    const std::string failure = device_.failure();
    const std::string known =
        view_.status == RigStatus::link_lost ? "The link to the device was lost" : "The device " + said();
    return stop(failure.empty() ? known + "." : known + ": " + failure);
  }
  if (!holding()) return;
  if (!view_.interlocks_open.empty() || view_.status == RigStatus::interlock)
    return stop((view_.interlocks_open.empty() ? "The device " + said() : "An interlock opened") +
                (view_.interlocks_open.empty() ? std::string() : " (" + view_.interlocks_open.front() + ")") +
                " while the actuators were held: close it, then connect again.");
  if (now_s_ - last_fresh_s_ > kSilence_s) return stop("The device sends no new readings.");
  if (!fresh_) return;
  for (const std::size_t c : inputs_) {
    const ChannelSpec& channel = channels_[c];
    if (channel.interface < 1) continue;
    if (!std::isfinite(scaled_[c])) return stop(channel.name + " is not a number.");
    if (channel.role == ChannelRole::force && std::abs(scaled_[c]) > limits_.force_n)
      return stop(channel.name + " reached " + figureText(scaled_[c], 4) + " N, allowed " +
                  figureText(limits_.force_n, 4) + " N.");
    if (channel.role != ChannelRole::displacement || reconstructs()) continue;
    const double home = home_[static_cast<std::size_t>(channel.interface - 1)];
    if (std::abs(scaled_[c] - home) > kRunaway * limits_.travel_m)
      return stop(channel.name + " ran away: " + figureText(1e3 * (scaled_[c] - home), 4) +
                  " mm from its start position" + ", allowed travel " + figureText(1e3 * limits_.travel_m, 4) + " mm.");
  }
  if (reconstructs()) watchReconstructed();
}

/// Stops if an axis is too far from its start position, or a sensor beyond the range of the permitted motion of all
/// axes.
void SetupTick::watchReconstructed() {
  const double most = kRunaway * limits_.travel_m;
  const auto n = static_cast<Eigen::Index>(home_.size());
  const Eigen::VectorXd home = Eigen::Map<const Eigen::VectorXd>(home_.data(), n);
  Eigen::VectorXd way = Eigen::VectorXd::Zero(n);
  for (const std::size_t c : inputs_) {
    if (channels_[c].role != ChannelRole::displacement) continue;
    const Eigen::Index y = channels_[c].interface - 1;
    way += sensors_.from_readings.col(y) * scaled_[c];
  }
  way -= home;
  for (Eigen::Index i = 0; i < n; ++i)
    if (std::abs(way[i]) > most)
      return stop("Interface " + std::to_string(i + 1) + " ran away: " + figureText(1e3 * way[i], 4) +
                  " mm from its start position, allowed travel " + figureText(1e3 * limits_.travel_m, 4) + " mm.");
  for (const std::size_t c : inputs_) {
    if (channels_[c].role != ChannelRole::displacement) continue;
    const auto seen = sensors_.readings.row(channels_[c].interface - 1);
    const double from_home = scaled_[c] - home_reading_[c];
    if (std::abs(from_home) > most * seen.cwiseAbs().sum())
      return stop(channels_[c].name + " ran away: " + figureText(1e3 * from_home, 4) +
                  " mm from its start position, more than the allowed travel of all actuators can cause.");
  }
}

/// True if the status of the device permits commands.
bool SetupTick::ready() const {
  return view_.interlocks_open.empty() && view_.status != RigStatus::interlock && view_.status != RigStatus::fault &&
         view_.status != RigStatus::link_lost;
}
std::string SetupTick::said() const {
  const std::string words = complaint(view_.device_status);
  return words.empty() ? "is in fault" : words;
}

void SetupTick::refuse(const std::string& why) { view_.problem = why; }

void SetupTick::stop(const std::string& reason) {
  device_.safeStop();
  if (view_.activity == SetupActivity::stopped) return;
  view_.activity = SetupActivity::stopped;
  view_.problem = reason;
}

void SetupTick::zero(std::vector<std::size_t> channels, std::size_t readings) {
  if (view_.activity != SetupActivity::watching) return refuse("Release the actuators before zeroing.");
  std::erase_if(channels, [this](std::size_t c) { return c >= channels_.size() || isOutput(channels_[c].role); });
  if (channels.empty() || readings == 0) return refuse("Choose a displacement or force channel to zero.");
  view_.problem.clear();
  view_.progress = 0.0;
  view_.activity = SetupActivity::zeroing;
  zero_channels_ = std::move(channels);
  zero_wanted_ = readings;
  zero_until_s_ = now_s_ + kZeroPatience_s + 3.0 * static_cast<double>(readings) / rate_hz_;
  average_.assign(channels_.size(), {});
}

void SetupTick::averageZero() {
  if (fresh_)
    for (const std::size_t c : zero_channels_) average_[c].add(scaled_[c] + channels_[c].tare);
  const std::size_t count = average_[zero_channels_.front()].count;
  view_.progress = static_cast<double>(count) / static_cast<double>(zero_wanted_);
  if (count < zero_wanted_) {
    if (now_s_ <= zero_until_s_) return;
    view_.activity = SetupActivity::watching;
    return refuse("Zeroing failed: the device sends too few new readings.");
  }
  ZeroResult result{zero_channels_, std::vector<double>(channels_.size(), 0.0), {}};
  result.scatter = result.mean;
  view_.activity = SetupActivity::watching;
  for (const std::size_t c : zero_channels_) {
    result.mean[c] = average_[c].mean();
    result.scatter[c] = average_[c].deviation();
    if (!std::isfinite(result.mean[c])) return refuse(channels_[c].name + " is not a number: it cannot be zeroed.");
  }
  view_.zero = std::move(result);
  ++view_.zeroings;
}

/// Mean position of the axis since the last view.
double SetupTick::displacement(std::size_t interface) const {
  double sum = 0.0;
  bool any = false;
  for (const std::size_t c : inputs_) {
    if (channels_[c].role != ChannelRole::displacement) continue;
    const double value = shown_[c].count > 0 ? shown_[c].mean() : view_.scaled[c];
    if (!reconstructs() && channels_[c].interface == static_cast<int>(interface) + 1) return value;
    if (!reconstructs()) continue;
    sum += sensors_.from_readings(static_cast<Eigen::Index>(interface), channels_[c].interface - 1) * value;
    any = true;
  }
  return any ? sum : kNoValue;
}

/// The commands of the first motion start at the positions of the actuators.
bool SetupTick::beginMotion(const JogLimits& limits) {
  if (view_.activity == SetupActivity::stopped) return false;
  const auto no = [this](const std::string& why) {
    refuse(why);
    return false;
  };
  if (!(limits.speed_m_per_s > 0.0 && limits.travel_m > 0.0 && limits.force_n > 0.0))
    return no("Speed, travel and force limits must be above zero.");
  if (view_.activity == SetupActivity::zeroing) return no("Wait until zeroing is done.");
  if (!view_.interlocks_open.empty())
    return no("Interlock " + view_.interlocks_open.front() + " is open: close it first.");
  if (!fresh_ && now_s_ - last_fresh_s_ > kSilence_s) return no("The device sends no new readings: nothing is moved.");
  if (!ready()) return no("The device " + said() + ": nothing is moved.");
  if (view_.readings == 0) return no("The device is not ready to move.");
  for (const std::size_t c : inputs_)
    if (channels_[c].role == ChannelRole::force && std::abs(scaled_[c]) > limits.force_n)
      return no(channels_[c].name + " already exceeds the force limit: zero it, or raise the limit.");
  if (!holding())
    if (const std::string why = hold(); !why.empty()) return no(why);
  limits_ = limits;
  return true;
}

std::string SetupTick::hold() {
  std::vector<double> start;
  for (std::size_t i = 0; i < interfaces_; ++i) {
    start.push_back(displacement(i));
    if (!std::isfinite(start.back()))
      return "Interface " + std::to_string(i + 1) + " has no displacement reading: nothing is moved.";
  }
  command_ = home_ = start;
  home_reading_ = scaled_;
  rate_.assign(interfaces_, 0.0);
  return {};
}

void SetupTick::jog(int interface, double speed_m_per_s, const JogLimits& limits) {
  if (view_.activity == SetupActivity::checking) return refuse("A wiring check is running.");
  if (interface < 1 || interface > static_cast<int>(interfaces_)) return refuse("There is no such interface.");
  if (!beginMotion(limits)) return;
  if (view_.activity != SetupActivity::jogging) view_.problem.clear();
  view_.activity = SetupActivity::jogging;
  jogged_ = interface;
  jog_speed_ = std::clamp(speed_m_per_s, -limits.speed_m_per_s, limits.speed_m_per_s);
  jog_until_s_ = now_s_ + kRenewal_s;
}

void SetupTick::release() {
  if (view_.activity == SetupActivity::checking) refuse("The wiring check was stopped early.");
  if (view_.activity != SetupActivity::jogging && view_.activity != SetupActivity::checking) return;
  view_.activity = SetupActivity::watching;
  std::fill(rate_.begin(), rate_.end(), 0.0);
}

void SetupTick::driveJog(double step_s) {
  if (now_s_ > jog_until_s_) return release();
  const auto i = static_cast<std::size_t>(jogged_ - 1);
  const double goal = home_[i] + std::copysign(limits_.travel_m, jog_speed_);
  if (jog_speed_ != 0.0 && approach(i, goal, std::abs(jog_speed_), step_s)) refuse("End of the allowed travel.");
}

/// One step of the command towards the goal. True: the goal is reached.
bool SetupTick::approach(std::size_t interface, double goal_m, double speed_m_per_s, double step_s) {
  const double most = speed_m_per_s * std::min(step_s, kSilence_s);  // a stalled computer must not cause a jump
  const double way = goal_m - command_[interface];
  const bool there = std::abs(way) <= most;
  command_[interface] = there ? goal_m : command_[interface] + std::copysign(most, way);
  rate_[interface] = there ? 0.0 : std::copysign(speed_m_per_s, way);
  return there;
}

void SetupTick::checkWiring(double amplitude_m, const JogLimits& limits) {
  if (reconstructs())
    return refuse(
        "The wiring check needs one displacement sensor for each actuator, but this project defines its own sensors: "
        "move each actuator by hand and compare the reading of each sensor with its line in /partition/sensors.");
  if (!(amplitude_m > 0.0 && amplitude_m <= limits.travel_m))
    return refuse("The motion of the check must be within the allowed travel.");
  if (view_.activity == SetupActivity::checking || view_.activity == SetupActivity::jogging)
    return refuse("Release the actuators first.");
  if (!beginMotion(limits)) return;
  for (std::size_t i = 0; i < interfaces_; ++i)
    if (command_[i] + amplitude_m > home_[i] + limits.travel_m)
      return refuse("Interface " + std::to_string(i + 1) + " is " + figureText(1e3 * (command_[i] - home_[i]), 4) +
                    " mm" + " from its start position: the check would exceed the allowed travel. Jog it back first.");
  view_.problem.clear();
  view_.progress = 0.0;
  view_.activity = SetupActivity::checking;
  amplitude_m_ = amplitude_m;
  moves_.clear();
  checked_ = 0;
  nextPhase(Phase::baseline);
}

void SetupTick::nextPhase(Phase phase) {
  phase_ = phase;
  phase_until_s_ = now_s_ + (phase == Phase::settle ? kSettling_s : kAveraging_s);
  if (phase == Phase::baseline) base_m_ = command_[checked_];
  if (phase == Phase::answer) before_ = average_;
  if (phase == Phase::baseline || phase == Phase::answer) average_.assign(channels_.size(), {});
}

void SetupTick::driveCheck(double step_s) {
  const bool averaging = phase_ == Phase::baseline || phase_ == Phase::answer;
  if (averaging && fresh_)
    for (const std::size_t c : inputs_) average_[c].add(scaled_[c]);
  const bool over = now_s_ >= phase_until_s_;
  // An average needs readings, even if they are slow.
  const bool enough = average_.empty() || average_[inputs_.front()].count >= 3;
  switch (phase_) {
    case Phase::rest:
      break;
    case Phase::baseline:
      if (over && enough) nextPhase(Phase::out);
      break;
    case Phase::out:
      if (approach(checked_, base_m_ + amplitude_m_, limits_.speed_m_per_s, step_s)) nextPhase(Phase::settle);
      break;
    case Phase::settle:
      if (over) nextPhase(Phase::answer);
      break;
    case Phase::answer:
      if (over && enough) finishMove();
      break;
    case Phase::back:
      if (!approach(checked_, base_m_, limits_.speed_m_per_s, step_s)) break;
      view_.progress = static_cast<double>(checked_ + 1) / static_cast<double>(interfaces_);
      if (++checked_ < interfaces_) return nextPhase(Phase::baseline);
      phase_ = Phase::rest;
      view_.activity = SetupActivity::watching;
      view_.wiring = judgeWiring(channels_, moves_);
      ++view_.checks;
      break;
  }
}

void SetupTick::finishMove() {
  WiringMove move{static_cast<int>(checked_) + 1, amplitude_m_, std::vector<double>(channels_.size(), 0.0), {}};
  move.uncertainty = move.answer;
  for (const std::size_t c : inputs_) {
    move.answer[c] = average_[c].mean() - before_[c].mean();
    move.uncertainty[c] = std::hypot(average_[c].deviation() / std::sqrt(static_cast<double>(average_[c].count)),
                                     before_[c].deviation() / std::sqrt(static_cast<double>(before_[c].count)));
  }
  moves_.push_back(std::move(move));
  nextPhase(Phase::back);
}

void SetupTick::send() {
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    const ChannelSpec& channel = channels_[outputs_[k]];
    const auto i = static_cast<std::size_t>(channel.interface - 1);
    scaled_[outputs_[k]] = channel.role == ChannelRole::command ? command_[i] : rate_[i];
    raw_out_[k] = rawValue(channel, scaled_[outputs_[k]]);
  }
  const RigStatus status = device_.write(tick_, raw_out_);
  if (status == RigStatus::fault || status == RigStatus::link_lost) {
    const std::string failure = device_.failure();
    stop("The device does not accept commands" + (failure.empty() ? std::string(".") : ": " + failure));
  }
}

SetupView SetupTick::takeView() {
  for (const std::size_t c : inputs_) {
    if (shown_[c].count == 0) continue;  // no new reading: keep the last one
    view_.raw[c] = shown_raw_[c].mean();
    view_.scaled[c] = shown_[c].mean();
    shown_raw_[c] = shown_[c] = {};
  }
  if (holding())
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      view_.raw[outputs_[k]] = raw_out_[k];
      view_.scaled[outputs_[k]] = scaled_[outputs_[k]];
    }
  view_.command_m = command_;
  return view_;
}

}  // namespace hyb
