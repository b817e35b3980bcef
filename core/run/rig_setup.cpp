#include "core/run/rig_setup.h"

#include <cmath>
#include <exception>
#include <utility>

#include "core/project/rig_legs.h"
#include "core/run/build.h"

namespace hyb {
namespace {

constexpr double kView_s = 0.05;

SensorMap sensorsOf(const Project& project) {
  if (project.partition.sensors.empty()) return {};
  const SensorMap all = sensorMap(buildPartition(project), project.partition.sensors);
  return hasAccelerometer(
             project.partition.sensors)  // accelerometers of a rig at rest or in slow motion carry no information
             ? mapOfKind(all, project.partition.sensors, SensorKind::displacement)
             : all;
}

}  // namespace

RigSetup::RigSetup(const Project& project, const DeviceFactory& devices, Clock& clock)
    : sensors_(sensorsOf(project)),
      channels_([&project] {
        const std::size_t interfaces = buildPartition(project).interface.size();
        return projectChannels(project, interfaces);
      }()),
      rate_hz_(project.loop.rate_hz) {
  if (!devices) throw InputError("/rig/use", "this program has no hardware to connect to");
  device_ = devices(project.rig, deviceChannels(channels_, rate_hz_));
  thread_ = std::thread([this, &clock] { work(clock); });
}

RigSetup::~RigSetup() {
  close();
  thread_.join();
}

void RigSetup::work(Clock& clock) {
  std::string failure;
  try {
    device_->open();
    {
      const std::lock_guard lock(mutex_);
      description_ = device_->description();
    }
    state_.store(State::open, std::memory_order_release);
    serve(clock);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  device_->close();
  const std::lock_guard lock(mutex_);
  failure_ = closing_.load() ? std::string() : failure;
  state_.store(State::closed, std::memory_order_release);
}

void RigSetup::serve(Clock& clock) {
  SetupTick setup(*device_, channels_, rate_hz_, sensors_);
  std::exception_ptr broken;
  std::vector<Order> orders;
  double since_view_s = 0.0;
  const auto step = [&](std::int64_t elapsed, std::int64_t) noexcept {
    if (closing_.load(std::memory_order_acquire)) return false;
    try {
      {
        const std::lock_guard lock(mutex_);
        orders.swap(orders_);
      }
      for (const Order& order : orders) order(setup);
      orders.clear();
      setup.tick(elapsed);
      since_view_s += static_cast<double>(elapsed) / rate_hz_;
      if (since_view_s < kView_s) return true;
      since_view_s = 0.0;
      const std::lock_guard lock(mutex_);
      view_ = setup.takeView();
      return true;
    } catch (...) {
      broken = std::current_exception();
      return false;
    }
  };
  const int error = runPeriodic(std::llround(1e9 / rate_hz_), clock, device_->lead(), step);
  setup.stop("Disconnected.");
  if (broken) std::rethrow_exception(broken);
  if (error != 0) throw DeviceError("the system clock cannot pace the set-up");
}

void RigSetup::post(Order order) {
  const std::lock_guard lock(mutex_);
  orders_.push_back(std::move(order));
}

std::string RigSetup::description() const {
  const std::lock_guard lock(mutex_);
  return description_;
}
std::string RigSetup::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}
SetupView RigSetup::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

void RigSetup::zero(std::vector<std::size_t> channels, std::size_t readings) {
  post([channels = std::move(channels), readings](SetupTick& setup) { setup.zero(channels, readings); });
}
void RigSetup::jog(int interface, double speed_m_per_s, const JogLimits& limits) {
  post([=](SetupTick& setup) { setup.jog(interface, speed_m_per_s, limits); });
}
void RigSetup::release() {
  post([](SetupTick& setup) { setup.release(); });
}
void RigSetup::checkWiring(double amplitude_m, const JogLimits& limits) {
  post([=](SetupTick& setup) { setup.checkWiring(amplitude_m, limits); });
}
void RigSetup::stop(const std::string& reason) {
  post([reason](SetupTick& setup) { setup.stop(reason); });
}

}  // namespace hyb
