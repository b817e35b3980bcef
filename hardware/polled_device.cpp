#include "hardware/polled_device.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "core/error.h"
#include "core/numbers.h"

namespace hyb {
namespace {

using namespace std::chrono_literals;

constexpr int kFailuresInARow = 3;                   // then the link is lost
constexpr std::int64_t kSilence_ns = 2'000'000'000;  // without a tick: stop
constexpr auto kLook = 50ms;                         // longest sleep: then it looks at the clock

/// False: nobody posted within `wait`. Several posts count as one.
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
}

PolledDevice::~PolledDevice() {
  close();
  ::sem_destroy(&wake_);
}

void PolledDevice::close() noexcept {
  safeStop();
  if (thread_.joinable()) thread_.join();
  instrument_->disconnect();
}

void PolledDevice::open() {
  close();
  while (::sem_trywait(&wake_) == 0) continue;  // of a stop before
  instrument_->connect();
  newest_ = Inputs{std::vector<double>(channels_.inputs.size(), kNone)};
  received_ = newest_.values;
  inputs_.emplace(newest_);
  outputs_.emplace(Outputs{std::vector<double>(channels_.outputs.size(), 0.0)});
  number_ = 0;
  asked_.store(0, std::memory_order_relaxed);
  failures_ = 0;
  failure_.clear();
  const std::int64_t asked_ns = clock_.nowNs();
  if (instrument_->exchange({}, received_) != Exchange::ok) {
    instrument_->disconnect();
    throw DeviceError(instrument_->description() + ": the first reading failed: " + instrument_->complaint());
  }
  publish(asked_ns);
  stop_requested_.store(false, std::memory_order_relaxed);
  clipped_.store(false, std::memory_order_relaxed);
  unheard_.store(false, std::memory_order_relaxed);
  phase_.store(Phase::open, std::memory_order_release);
  thread_ = std::thread([this] { work(); });
}

RigStatus PolledDevice::read(std::span<double> inputs) noexcept {
  if (!inputs_) return RigStatus::link_lost;
  if (!channels_.paced)  // an exchange has its own deadline
    while (asked_.load(std::memory_order_acquire) < number_ && phase() == Phase::open &&
           !stop_requested_.load(std::memory_order_relaxed))
      std::this_thread::sleep_for(20us);
  inputs_->receive();
  const Inputs& newest = inputs_->value();
  std::copy(newest.values.begin(), newest.values.end(), inputs.begin());
  const std::int64_t age_ns = clock_.nowNs() - newest.asked_ns;
  link_.last_age_ns.store(age_ns, std::memory_order_relaxed);
  if (phase() == Phase::link_lost) return RigStatus::link_lost;
  if (phase() != Phase::open || stop_requested_.load(std::memory_order_relaxed)) return RigStatus::fault;
  return newest.whole && age_ns <= max_age_ns_ ? RigStatus::ok : RigStatus::stale;
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
  if (clipped) link_.clipped.fetch_add(1, std::memory_order_relaxed);
  clipped_.store(clipped, std::memory_order_relaxed);
  outputs_->publish();
  ::sem_post(&wake_);
  return RigStatus::ok;
}

void PolledDevice::safeStop() noexcept {
  stop_requested_.store(true, std::memory_order_release);
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
  const std::string why = phase() == Phase::link_lost || phase() == Phase::fault ? failure_ : std::string();
  if (!unheard_.load(std::memory_order_acquire)) return why;
  return (why.empty() ? instrument_->description() : why + "; it") + " did not take the stop: see that it stands still";
}

/// The thread that owns the connection, from open() to the stop.
void PolledDevice::work() {
  try {
    serve();
  } catch (const std::exception& error) {
    failure_ = instrument_->description() + ": " + error.what();
    phase_.store(Phase::link_lost, std::memory_order_release);
  }
  bool told = false;
  try {
    told = instrument_->stop();
  } catch (const std::exception&) {  // then it was not told
  }
  unheard_.store(!told, std::memory_order_release);
  Phase open = Phase::open;
  phase_.compare_exchange_strong(open, Phase::stopped, std::memory_order_acq_rel);
}

void PolledDevice::serve() {
  std::int64_t ticked_ns = clock_.nowNs();
  while (phase() == Phase::open) {
    const bool ticked = waitFor(wake_, kLook);
    if (stop_requested_.load(std::memory_order_acquire)) return;
    if (ticked) {
      exchangeOnce();
      ticked_ns = clock_.nowNs();
    } else if (clock_.nowNs() - ticked_ns >= kSilence_ns && outputs_->value().number > 0 &&
               channels_.paced) {  // in free run, time may stand
      failure_ = instrument_->description() + ": stopped, because the bench gave no command for two seconds";
      phase_.store(Phase::fault, std::memory_order_release);
    }
  }
}

void PolledDevice::exchangeOnce() {
  outputs_->receive();
  const Outputs& outputs = outputs_->value();
  const std::int64_t asked_ns = clock_.nowNs();
  link_.sent.fetch_add(1, std::memory_order_relaxed);
  const Exchange result =
      instrument_->exchange(outputs.number > 0 ? std::span(outputs.values) : std::span<double>(), received_);
  if (stop_requested_.load(std::memory_order_acquire) && result != Exchange::ok) return;  // interrupted
  if (result == Exchange::ok) {
    failures_ = 0;
    link_.received.fetch_add(1, std::memory_order_relaxed);
    link_.addRoundTrip(clock_.nowNs() - asked_ns);
    publish(asked_ns);
    asked_.store(outputs.number, std::memory_order_release);
    return;
  }
  ++failures_;
  if (result == Exchange::fault) fail(Phase::fault);
  if (result == Exchange::lost) link_.lost.fetch_add(1, std::memory_order_relaxed);
  if (result == Exchange::corrupt) link_.corrupt.fetch_add(1, std::memory_order_relaxed);
  if (result == Exchange::broken || (result != Exchange::fault && failures_ >= kFailuresInARow)) fail(Phase::link_lost);
  asked_.store(outputs.number, std::memory_order_release);
}

/// Hands what was received to the tick; an input without a value keeps what it was.
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

void PolledDevice::fail(Phase phase) {
  failure_ = instrument_->description() + ": " + instrument_->complaint();
  phase_.store(phase, std::memory_order_release);
}

}  // namespace hyb
