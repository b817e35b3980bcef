#include "hardware/polled_device.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "core/base/error.h"
#include "core/base/figure_text.h"
#include "core/base/numbers.h"

namespace hyb {
namespace {

using namespace std::chrono_literals;

constexpr int kFailuresInARow = 3;                   // lose the link
constexpr std::int64_t kSilence_ns = 2'000'000'000;  // without a tick: stop
constexpr auto kLook = 50ms;                         // longest sleep before the next look at the clock

/// False: no post within `wait`. Several posts count as one.
bool waitFor(sem_t& semaphore, std::chrono::nanoseconds wait) noexcept {
  timespec deadline{};
  ::clock_gettime(CLOCK_MONOTONIC, &deadline);
  const std::int64_t ns = deadline.tv_nsec + wait.count();
  deadline.tv_sec += static_cast<std::time_t>(ns / 1'000'000'000);
  deadline.tv_nsec = static_cast<long>(ns % 1'000'000'000);
  if (::sem_clockwait(&semaphore, CLOCK_MONOTONIC, &deadline) != 0) return false;
  while (::sem_trywait(&semaphore) == 0) continue;
  return true;
}

}  // namespace

PolledDevice::PolledDevice(std::unique_ptr<Instrument> instrument, DeviceChannels channels, double max_age_s,
                           Clock& clock)
    : instrument_(std::move(instrument)),
      channels_(std::move(channels)),
      max_age_ns_(static_cast<std::int64_t>(max_age_s * 1e9)),
      clock_(clock) {
  ::sem_init(&wake_, 0, 0);
  ::sem_init(&changed_, 0, 0);
}

PolledDevice::~PolledDevice() {
  close();
  ::sem_destroy(&wake_);
  ::sem_destroy(&changed_);
}

void PolledDevice::close() noexcept {
  safeStop();
  if (thread_.joinable()) thread_.join();
  instrument_->disconnect();
}

void PolledDevice::open() {
  close();
  while (::sem_trywait(&wake_) == 0) continue;  // of an earlier stop
  instrument_->connect();
  newest_ = Inputs{std::vector<double>(channels_.inputs.size(), kNoValue)};
  received_ = newest_.values;
  inputs_.emplace(newest_);
  outputs_.emplace(Outputs{std::vector<double>(channels_.outputs.size(), 0.0)});
  number_ = 0;
  commanded_ = false;
  asked_.store(0, std::memory_order_relaxed);
  failures_.store(0, std::memory_order_relaxed);
  failure_.clear();
  end_.clear();
  ramp_from_.assign(channels_.outputs.size(), kNoValue);
  taken_ = last_ = ramp_from_;
  const std::int64_t asked_ns = clock_.nowNs();
  if (instrument_->exchange({}, received_) != Exchange::ok) {
    instrument_->disconnect();
    throw DeviceError(instrument_->description() + ": the first reading failed: " + instrument_->complaint());
  }
  publish(asked_ns);
  stop_requested_.store(false, std::memory_order_relaxed);
  clipped_.store(false, std::memory_order_relaxed);
  ramping_.store(false, std::memory_order_relaxed);
  ended_.store(false, std::memory_order_relaxed);
  phase_.store(Phase::open, std::memory_order_release);
  thread_ = std::thread([this] { work(); });
}

RigStatus PolledDevice::read(std::span<double> inputs) noexcept {
  if (!inputs_) return RigStatus::link_lost;
  if (!channels_.paced) awaitAnswer();
  inputs_->receive();
  if (!std::exchange(commanded_, false) && phase() == Phase::open) ::sem_post(&wake_);  // for the next reading
  const Inputs& newest = inputs_->value();
  std::copy(newest.values.begin(), newest.values.end(), inputs.begin());
  const std::int64_t age_ns = clock_.nowNs() - newest.asked_ns;
  link_.last_age_ns.store(age_ns, std::memory_order_relaxed);
  if (phase() == Phase::link_lost) return RigStatus::link_lost;
  if (phase() != Phase::open || stop_requested_.load(std::memory_order_relaxed)) return RigStatus::fault;
  return newest.whole && age_ns <= max_age_ns_ ? RigStatus::ok : RigStatus::stale;
}

/// Until the last command is answered, or the end. An exchange has its own deadline.
void PolledDevice::awaitAnswer() noexcept {
  while (asked_.load(std::memory_order_acquire) < number_ && phase() == Phase::open &&
         !stop_requested_.load(std::memory_order_acquire))
    ::sem_wait(&changed_);
}

/// After a change of what awaitAnswer() looks at.
void PolledDevice::changed() noexcept {
  if (!channels_.paced) ::sem_post(&changed_);
}

RigStatus PolledDevice::write(std::uint64_t /*tick*/, std::span<const double> outputs) noexcept {
  if (phase() == Phase::link_lost) return RigStatus::link_lost;
  if (phase() != Phase::open || stop_requested_.load(std::memory_order_relaxed)) return RigStatus::fault;
  if (!std::all_of(outputs.begin(), outputs.end(), [](double v) { return std::isfinite(v); })) return RigStatus::fault;
  Outputs& draft = outputs_->draft();
  bool clipped = false;
  for (std::size_t o = 0; o < draft.values.size(); ++o) {
    draft.values[o] = std::clamp(outputs[o], channels_.outputs[o].min, channels_.outputs[o].max);
    clipped = clipped || draft.values[o] != outputs[o];
  }
  draft.number = ++number_;
  commanded_ = true;
  std::copy(draft.values.begin(), draft.values.end(), last_.begin());
  if (clipped) link_.clipped.fetch_add(1, std::memory_order_relaxed);
  clipped_.store(clipped, std::memory_order_relaxed);
  outputs_->publish();
  ::sem_post(&wake_);
  return RigStatus::ok;
}

void PolledDevice::rampBegins() noexcept {
  if (!outputs_ || number_ == 0) return;
  std::copy(last_.begin(), last_.end(), ramp_from_.begin());
  ramping_.store(true, std::memory_order_release);
  // A failed exchange would not follow the ramp either, so no further answer is awaited.
  if (failures_.load(std::memory_order_acquire) > 0) instrument_->interrupt();
  ::sem_post(&wake_);
}

void PolledDevice::safeStop() noexcept {
  stop_requested_.store(true, std::memory_order_release);
  changed();
  instrument_->interrupt();
  ::sem_post(&wake_);
}

std::uint32_t PolledDevice::status() const noexcept {
  const std::uint32_t clipped = clipped_.load(std::memory_order_relaxed) ? kDeviceCommandClipped : 0u;
  switch (phase()) {
    case Phase::open:
      return kDeviceEnabled | clipped;
    case Phase::fault:
      return kDeviceStopped | kDeviceFault;
    case Phase::link_lost:
    case Phase::stopped:
    case Phase::closed:
      break;
  }
  return kDeviceStopped;
}

std::string PolledDevice::failure() const {
  std::string why = phase() == Phase::link_lost || phase() == Phase::fault ? failure_ : std::string();
  if (!ended_.load(std::memory_order_acquire) || end_.empty()) return why;
  return why.empty() ? instrument_->description() + ": " + end_ : why + "; " + end_;
}

namespace {

/// `troubled`: a fault occurred before, so that the sentence must also report a normal stop.
std::string sentenceOf(Stopped stopped, bool troubled) {
  switch (stopped) {
    case Stopped::confirmed:
      return troubled ? "the device confirmed the stop" : "";
    case Stopped::unknown_how:
      return troubled ? "no stop was sent, because the project defines none: check that it is at rest" : "";
    case Stopped::sent:
      return troubled ? "the stop was sent; this device does not confirm stops: check that it is at rest" : "";
    case Stopped::unconfirmed:
      return "the stop was sent, but the device did not confirm it: check that it is at rest";
    case Stopped::refused:
      return "the device did not accept the stop: check that it is at rest";
    case Stopped::unsent:
      break;
  }
  return "the stop could not be sent: check that it is at rest";
}

}  // namespace

/// Body of the thread that owns the connection, from open() to the stop.
void PolledDevice::work() {
  try {
    serve();
  } catch (const std::exception& error) {
    fail(Phase::link_lost, error.what());
  }
  Stopped stopped = Stopped::unsent;
  try {
    stopped = instrument_->stop();
  } catch (const std::exception&) {  // the end is then without a message
  }
  end_ = unfollowedRamp();
  const std::string said = sentenceOf(stopped, phase() != Phase::open || !end_.empty());
  end_ += (end_.empty() || said.empty() ? "" : "; ") + said;
  ended_.store(true, std::memory_order_release);
  Phase open = Phase::open;
  phase_.compare_exchange_strong(open, Phase::stopped, std::memory_order_acq_rel);
}

/// The sentence for a ramp to zero whose end the instrument did not answer. The last tenth may be missing: the stop
/// precedes a command that is still waiting.
std::string PolledDevice::unfollowedRamp() {
  if (!ramping_.load(std::memory_order_acquire)) return {};
  constexpr double kMissing = 0.1;
  outputs_->receive();
  const std::vector<double>& wanted = outputs_->value().values;
  for (std::size_t o = 0; o < wanted.size(); ++o) {
    if (std::abs(taken_[o] - wanted[o]) <= kMissing * std::abs(ramp_from_[o] - wanted[o]) &&
        phase() != Phase::link_lost)
      continue;
    const DeviceChannel& channel = channels_.outputs[o];
    const std::string last = std::isfinite(taken_[o])
                                 ? "the last command that the device answered is " + figureText(taken_[o], 4) + " " +
                                       channel.units + " (" + channel.name + ")"
                                 : "the device answered no command";
    return "the ramp to zero was not confirmed: " + last;
  }
  return {};
}

void PolledDevice::serve() {
  std::int64_t ticked_ns = clock_.nowNs();
  while (phase() == Phase::open) {
    const bool ticked = waitFor(wake_, kLook);
    if (stop_requested_.load(std::memory_order_acquire)) return;
    if (ramping_.load(std::memory_order_acquire) && failures_.load(std::memory_order_relaxed) > 0)
      return fail(Phase::link_lost, complaint_);
    if (ticked) {
      exchangeOnce();
      ticked_ns = clock_.nowNs();
    } else if (clock_.nowNs() - ticked_ns >= kSilence_ns && outputs_->value().number > 0 &&
               channels_.paced) {  // in free run, time may stop
      fail(Phase::fault, "stopped, because the bench sent no command for two seconds");
    }
  }
}

void PolledDevice::exchangeOnce() {
  outputs_->receive();
  const Outputs& outputs = outputs_->value();
  const std::int64_t asked_ns = clock_.nowNs();
  link_.sent.fetch_add(1, std::memory_order_relaxed);
  const bool commands = outputs.number > asked_.load(std::memory_order_relaxed);
  const Exchange result = instrument_->exchange(commands ? std::span(outputs.values) : std::span<double>(), received_);
  if (stop_requested_.load(std::memory_order_acquire) && result != Exchange::ok) return;  // interrupted
  const bool ramping = ramping_.load(std::memory_order_acquire);
  if (result == Exchange::ok) {
    failures_.store(0, std::memory_order_release);
    if (commands) taken_ = outputs.values;
    link_.received.fetch_add(1, std::memory_order_relaxed);
    link_.addRoundTrip(clock_.nowNs() - asked_ns);
    publish(asked_ns);
    asked_.store(outputs.number, std::memory_order_release);
    changed();
    return;
  }
  // An exchange interrupted by a ramp has the cause of the earlier failure.
  if (!ramping || failures_.load(std::memory_order_relaxed) == 0) complaint_ = instrument_->complaint();
  const int failures = failures_.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (result == Exchange::lost) link_.lost.fetch_add(1, std::memory_order_relaxed);
  if (result == Exchange::corrupt) link_.corrupt.fetch_add(1, std::memory_order_relaxed);
  if (result == Exchange::fault)
    fail(Phase::fault, complaint_);
  else if (result == Exchange::broken || ramping || failures >= kFailuresInARow)
    fail(Phase::link_lost, complaint_);
  asked_.store(outputs.number, std::memory_order_release);
  changed();
}

/// Passes the received inputs to the tick; an input without a value keeps its previous one.
void PolledDevice::publish(std::int64_t asked_ns) {
  newest_.asked_ns = asked_ns;
  newest_.whole = true;
  bool clipped = false;
  for (std::size_t i = 0; i < received_.size(); ++i) {
    if (!std::isfinite(received_[i])) {
      newest_.whole = false;
      continue;
    }
    newest_.values[i] = std::clamp(received_[i], channels_.inputs[i].min, channels_.inputs[i].max);
    clipped = clipped || newest_.values[i] != received_[i];
  }
  if (clipped) link_.clipped.fetch_add(1, std::memory_order_relaxed);
  inputs_->draft() = newest_;
  inputs_->publish();
}

void PolledDevice::fail(Phase phase, const std::string& what) {
  failure_ = instrument_->description() + ": " + what;
  phase_.store(phase, std::memory_order_release);
  changed();
}

}  // namespace hyb
