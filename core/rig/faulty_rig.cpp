#include "core/rig/faulty_rig.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <utility>

#include "core/base/numbers.h"

namespace hyb {
namespace {

constexpr std::size_t kMostFaults = 32;    // active at a time
constexpr std::int64_t kSpikeEvery = 100;  // readings

/// Samples on their way from the rig to the loop: each arrives after its own delay, and the newest is used.
class Delivery {
 public:
  Delivery(Eigen::Index values, double step_s)
      : ticks_(static_cast<std::int64_t>(2.0 * kLongestFaultDelay_s / step_s) + 4),
        samples_(values, ticks_),
        arrivals_(static_cast<std::size_t>(ticks_)) {}
  void clear() noexcept {
    std::fill(arrivals_.begin(), arrivals_.end(), Arrival{});
    newest_ = seen_ = last_arrival_ = -1;
  }
  std::int64_t longestDelay() const noexcept { return ticks_ - 2; }
  /// True if no sample arrives after `now`.
  bool empty(std::int64_t now) const noexcept { return last_arrival_ <= now; }
  void send(std::int64_t now, std::int64_t delay, const RigState& sample) noexcept {
    const Eigen::Index n = sample.measured.size();
    samples_.col(now % ticks_).head(n) = sample.measured;
    samples_.col(now % ticks_).tail(n) = sample.force;
    Arrival& arrival = arrivals_[static_cast<std::size_t>((now + delay) % ticks_)];
    if (arrival.tick != now + delay) arrival = {now + delay, now, 0};
    arrival.sample = now;
    ++arrival.count;
    last_arrival_ = std::max(last_arrival_, now + delay);
  }
  /// Takes the newest sample that has arrived by `now`; false: there is no new one. Overtaken samples are counted.
  bool receive(std::int64_t now, RigState& sample, std::atomic<std::uint64_t>& overtaken) noexcept {
    bool fresh = false;
    for (std::int64_t tick = std::max(seen_ + 1, now - ticks_ + 1); tick <= now; ++tick) {
      const Arrival& arrival = arrivals_[static_cast<std::size_t>(tick % ticks_)];
      if (arrival.tick != tick || now - arrival.sample >= ticks_) continue;
      if (arrival.sample > newest_) {
        newest_ = arrival.sample;
        fresh = true;
      } else {
        overtaken.fetch_add(arrival.count, std::memory_order_relaxed);
      }
    }
    seen_ = now;
    if (!fresh) return false;
    const Eigen::Index n = sample.measured.size();
    sample.measured = samples_.col(newest_ % ticks_).head(n);
    sample.force = samples_.col(newest_ % ticks_).tail(n);
    return true;
  }
  /// Registers a sample that passed without delay.
  void passed(std::int64_t now) noexcept { newest_ = seen_ = now; }

 private:
  struct Arrival {
    std::int64_t tick = -1, sample = -1;  // newest sample that arrives in this tick
    std::uint64_t count = 0;
  };
  std::int64_t ticks_;
  Eigen::MatrixXd samples_;  // [measured, force; ticks]
  std::vector<Arrival> arrivals_;
  std::int64_t newest_ = -1, seen_ = -1, last_arrival_ = -1;
};

class FaultyRig final : public Rig {
 public:
  FaultyRig(std::unique_ptr<Rig> rig, double step_s, std::uint64_t seed, bool simulated)
      : rig_(std::move(rig)),
        step_s_(step_s),
        seed_(seed),
        simulated_(simulated),
        delivery_(2 * static_cast<Eigen::Index>(rig_->interfaces()), step_s) {
    const auto n = static_cast<Eigen::Index>(rig_->interfaces());
    for (Eigen::VectorXd* v : {&sensed_.measured, &sensed_.force, &reading_.measured, &reading_.force,
                               &delivered_.measured, &delivered_.force, &command_.position, &command_.rate})
      v->setZero(n);
    faults_.resize(kMostFaults);
    for (Fault& fault : faults_) fault.held.setZero(n);
    rewind();
  }

  std::size_t interfaces() const noexcept override { return rig_->interfaces(); }
  std::string description() const override { return rig_->description(); }
  void open() override {
    rig_->open();
    rewind();
  }

  [[gnu::hot]] RigStatus read(RigState& state, std::int64_t elapsed) noexcept override {
    now_ += elapsed;
    if (untouched()) {
      count(figures_.received);
      delivery_.passed(now_);
      const RigStatus status = rig_->read(state, elapsed);
      const double *const measured = state.measured.data(), *const force = state.force.data();
      for (Eigen::Index i = 0; i < sensed_.measured.size(); ++i) {
        sensed_.measured[i] = measured[i];
        sensed_.force[i] = force[i];
      }
      return status;
    }
    if (unpowered_.load(std::memory_order_relaxed)) rig_->safeStop();  // the reading reports it, not the last command
    RigStatus status = rig_->read(sensed_, elapsed);
    reading_ = sensed_;
    if (applyToSensors() && status == RigStatus::ok) status = RigStatus::saturated;
    const bool fresh = !lost_.load(std::memory_order_relaxed) && deliver();
    state = delivered_;
    if (lost_.load(std::memory_order_relaxed)) return RigStatus::link_lost;
    if (status == RigStatus::link_lost || status == RigStatus::fault) return status;
    if (interlock_open_.load(std::memory_order_relaxed)) return RigStatus::interlock;
    return fresh || status == RigStatus::interlock ? status : RigStatus::stale;
  }

  [[gnu::hot]] RigStatus write(const Command& command) noexcept override {
    if (lost_.load(std::memory_order_relaxed)) return RigStatus::link_lost;
    count(figures_.sent);
    if (active_ == 0) {
      const RigStatus status = rig_->write(command);
      if (status != RigStatus::fault) command_.take(command);  // the command was not refused
      return status;
    }
    if (!linalg::finiteFew(command.position) || !linalg::finiteFew(command.rate))
      return rig_->write(command);  // the rig refuses it
    command_.take(command);
    for (std::size_t f = 0; f < active_; ++f) applyToCommand(faults_[f]);
    return rig_->write(command_);
  }

  void rampBegins() noexcept override { rig_->rampBegins(); }
  void safeStop() noexcept override { rig_->safeStop(); }
  void close() noexcept override { rig_->close(); }

  bool waits() const noexcept override { return untouched() && rig_->waits(); }
  void begin() noexcept override {
    bits_.seed(seed_);
    rig_->begin();
  }
  bool takesRates() const noexcept override { return rig_->takesRates(); }
  std::vector<Channel> channels() const override { return rig_->channels(); }
  void readChannels(std::span<double> values) const noexcept override { rig_->readChannels(values); }
  const LinkFigures* link() const noexcept override { return rig_->link() != nullptr ? rig_->link() : &figures_; }
  Lead* lead() noexcept override { return rig_->lead(); }
  std::vector<std::string> interlocks() const override {
    std::vector<std::string> names = rig_->interlocks();
    names.resize(std::min<std::size_t>(names.size(), 31));
    names.emplace_back("simulated interlock");
    return names;
  }
  [[gnu::hot]] std::uint32_t interlocksOpen() const noexcept override {
    return rig_->interlocksOpen() | (interlock_open_.load(std::memory_order_relaxed) ? interlock_bit_ : 0);
  }

  bool inject(const FaultSpec& spec, bool begin) noexcept override {
    if (rig_->inject(spec, begin)) return true;
    if (!begin) return end(spec);
    const FaultFacts& facts = faultFacts(spec.kind);
    const bool has_value = facts.max > facts.min;
    if (active_ == kMostFaults || spec.interface < 0 || static_cast<std::size_t>(spec.interface) > interfaces() ||
        (has_value && !(spec.value >= facts.min && spec.value <= facts.max)) ||
        (spec.kind == FaultKind::runaway && !simulated_))
      return false;
    if (untouched()) reading_ = delivered_ = sensed_;
    Fault& fault = faults_[active_++];
    fault.spec = spec;
    fault.begun = now_;
    fault.readings = 0;
    if (facts.place == FaultPlace::sensor)
      fault.held = spec.sensor == FaultSensor::force ? reading_.force : reading_.measured;
    else
      fault.held = command_.position;
    if (spec.kind == FaultKind::link_loss) {
      lost_.store(true, std::memory_order_relaxed);
      rig_->safeStop();
    }
    if (spec.kind == FaultKind::power_off) unpowered_.store(true, std::memory_order_relaxed);
    noteInterlock();
    return true;
  }

  std::string failure() const override {
    if (lost_.load(std::memory_order_relaxed)) return "the link was lost by a deliberate fault";
    if (unpowered_.load(std::memory_order_relaxed)) return "the actuators lost power by a deliberate fault";
    return rig_->failure();
  }

 private:
  struct Fault {
    FaultSpec spec;
    std::int64_t begun = 0;     // period
    std::int64_t readings = 0;  // since the start
    Eigen::VectorXd held;       // [i]: last reading of a sensor, else last command
    bool concerns(Eigen::Index i) const noexcept { return spec.interface == 0 || spec.interface == i + 1; }
  };

  void rewind() noexcept {
    active_ = 0;
    noteInterlock();
    now_ = 0;
    lost_.store(false, std::memory_order_relaxed);
    unpowered_.store(false, std::memory_order_relaxed);
    delivery_.clear();
    bits_.seed(seed_);
    for (Eigen::VectorXd* v : {&sensed_.measured, &sensed_.force, &command_.position, &command_.rate}) v->setZero();
    for (auto* count : {&figures_.sent, &figures_.received, &figures_.lost, &figures_.corrupt, &figures_.out_of_order})
      count->store(0, std::memory_order_relaxed);
    interlock_bit_ = 1u << std::min<std::size_t>(rig_->interlocks().size(), 31);
  }

  bool end(const FaultSpec& spec) noexcept {
    const auto last = faults_.begin() + static_cast<std::ptrdiff_t>(active_);
    const auto found = std::find_if(faults_.begin(), last, [&](const Fault& fault) { return fault.spec == spec; });
    if (found == last) return false;
    std::rotate(found, found + 1, last);  // keeps the order of the others
    --active_;
    noteInterlock();
    return true;
  }

  /// True if no fault is active and no sample is delayed.
  bool untouched() const noexcept {
    return active_ == 0 && delivery_.empty(now_) && !lost_.load(std::memory_order_relaxed) &&
           !unpowered_.load(std::memory_order_relaxed);
  }
  /// Called only by the thread of the tick.
  static void count(std::atomic<std::uint64_t>& counter) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  void noteInterlock() noexcept {
    const auto last = faults_.begin() + static_cast<std::ptrdiff_t>(active_);
    const bool open =
        std::any_of(faults_.begin(), last, [](const Fault& fault) { return fault.spec.kind == FaultKind::interlock; });
    interlock_open_.store(open, std::memory_order_relaxed);
  }

  double seconds(const Fault& fault) const noexcept { return static_cast<double>(now_ - fault.begun) * step_s_; }

  /// True: a reading was limited.
  bool applyToSensors() noexcept {
    bool cut = false;
    for (std::size_t f = 0; f < active_; ++f) {
      Fault& fault = faults_[f];
      if (faultFacts(fault.spec.kind).place != FaultPlace::sensor) continue;
      Eigen::VectorXd& readings = fault.spec.sensor == FaultSensor::force ? reading_.force : reading_.measured;
      for (Eigen::Index i = 0; i < readings.size(); ++i)
        if (fault.concerns(i)) readings[i] = wrong(fault, i, readings[i], cut);
      ++fault.readings;
    }
    return cut;
  }

  double wrong(const Fault& fault, Eigen::Index i, double reading, bool& cut) const noexcept {
    const double value = fault.spec.value;
    switch (fault.spec.kind) {
      case FaultKind::stuck_sensor:
        return fault.held[i];
      case FaultKind::spike:
        return fault.readings % kSpikeEvery == 0 ? reading + value : reading;
      case FaultKind::drift:
        return reading + value * seconds(fault);
      case FaultKind::not_a_number:
        return kNoValue;
      case FaultKind::saturation:
        cut = cut || std::abs(reading) > value;
        return std::clamp(reading, -value, value);
      default:
        return reading;
    }
  }

  void applyToCommand(const Fault& fault) noexcept {
    const bool runaway = fault.spec.kind == FaultKind::runaway;
    if (!runaway && fault.spec.kind != FaultKind::actuator_freeze) return;
    const double speed = runaway ? fault.spec.value : 0.0;
    for (Eigen::Index i = 0; i < command_.position.size(); ++i) {
      if (!fault.concerns(i)) continue;
      command_.position[i] = fault.held[i] + speed * seconds(fault);
      command_.rate[i] = speed;
    }
  }

  /// Delivers the reading of this tick to the loop; false: no new one has arrived.
  bool deliver() noexcept {
    std::atomic<std::uint64_t>* dropped = nullptr;  // counter of a lost sample
    double delay_s = 0.0;
    for (std::size_t f = 0; f < active_; ++f) {
      const double value = faults_[f].spec.value;
      switch (faults_[f].spec.kind) {
        case FaultKind::frame_loss:
          if (chance() < value) dropped = &figures_.lost;
          break;
        case FaultKind::corruption:
          if (chance() < value) dropped = &figures_.corrupt;
          break;
        case FaultKind::reorder:
          if (chance() < value) dropped = &figures_.out_of_order;
          break;
        case FaultKind::latency:
          delay_s += value;
          break;
        case FaultKind::jitter:
          delay_s += chance() * value;
          break;
        default:
          break;
      }
    }
    const auto delay = static_cast<std::int64_t>(std::llround(delay_s / step_s_));
    if (dropped != nullptr)
      count(*dropped);
    else
      delivery_.send(now_, std::min(delay, delivery_.longestDelay()), reading_);
    if (!delivery_.receive(now_, delivered_, figures_.out_of_order)) return false;
    count(figures_.received);
    return true;
  }

  /// Uniformly distributed from 0 to 1.
  double chance() noexcept { return static_cast<double>(bits_() >> 11) * 0x1p-53; }

  std::unique_ptr<Rig> rig_;
  double step_s_;
  std::uint64_t seed_;
  bool simulated_;
  std::int64_t now_ = 0;       // periods since open()
  std::vector<Fault> faults_;  // the first active_, in the order of their start
  std::size_t active_ = 0;
  std::uint32_t interlock_bit_ = 1;
  std::atomic<bool> lost_{false}, unpowered_{false}, interlock_open_{false};
  RigState sensed_, reading_, delivered_;  // from the rig, with faulty sensors, for the loop
  Command command_;                        // last one sent to the rig
  Delivery delivery_;
  std::mt19937_64 bits_;
  LinkFigures figures_;
};

}  // namespace

std::unique_ptr<Rig> makeFaultyRig(std::unique_ptr<Rig> rig, double step_s, std::uint64_t seed, bool simulated) {
  return std::make_unique<FaultyRig>(std::move(rig), step_s, seed, simulated);
}

}  // namespace hyb
