#include <memory>

#include "core/rig/device_rig.h"
#include "hardware/udp_device.h"
#include "tests/support/device_contract.h"
#include "tests/support/led_device.h"
#include "tests/support/rig_contract.h"
#include "tests/support/served_udp.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

UdpSpec contractLayout(bool big) {
  UdpSpec layout = fullLayout(rigChannels({}, 2));
  if (big) {
    layout.byte_order = ByteOrder::big;
    layout.alignment = 8;
  }
  return layout;
}

}  // namespace

/// The contract of every device over UDP, in free run and as if in real time, little- and big-endian.
class UdpContract : public DeviceContract {
  Q_OBJECT
 public:
  UdpContract(bool paced, bool big) : paced_(paced), layout_(contractLayout(big)), served_(layout_) {}

 protected:
  std::unique_ptr<Device> makeDevice() override {
    return makeUdpDevice(servedUdpRig(served_.address(), layout_), channels());
  }
  DeviceChannels channels() const override { return servedChannels(paced_); }

 private:
  bool paced_;
  UdpSpec layout_;
  ServedUdp served_;
};

/// The same with a target that leads, by a clock of the test.
class LeadingUdpContract : public DeviceContract {
  Q_OBJECT
 public:
  LeadingUdpContract() : layout_(contractLayout(false)) {
    jumps = true;
    layout_.leads = TickBegin::target;
    layout_.target_rate_hz = kServedRate_hz;
    served_ = std::make_unique<ServedUdp>(
        layout_, [](RigServerSpec&) {}, clock_);
  }

 protected:
  std::unique_ptr<Device> makeDevice() override {
    return std::make_unique<LedDevice>(makeUdpDevice(servedUdpRig(served_->address(), layout_), channels(), clock_),
                                       channels().inputs.size(), clock_, 1.0 / kServedRate_hz);
  }
  DeviceChannels channels() const override { return servedChannels(true); }

 private:
  SetClock clock_;
  UdpSpec layout_;
  std::unique_ptr<ServedUdp> served_;
};

/// The contract of all rigs, on the same twin behind datagrams.
class UdpRigContract : public RigContract {
  Q_OBJECT
 public:
  explicit UdpRigContract(FieldType type) : layout_(fullLayout(rigChannels({}, 2), type)) {
    // The rig arms up to 1 mm away, beyond which rounding takes a command of just that.
    if (type == FieldType::float32) noise_m = 1e-9, noise_n = 1e-3, step_m = 0.9e-3;
  }

 protected:
  std::unique_ptr<Rig> makeRig() override {
    servers_.push_back(std::make_unique<ServedUdp>(layout_));
    return makeDeviceRig(makeUdpDevice(servedUdpRig(servers_.back()->address(), layout_), servedChannels(false)),
                         rigChannels({}, 2), 2, kServedRate_hz);
  }

 private:
  UdpSpec layout_;
  std::vector<std::unique_ptr<ServedUdp>> servers_;
};

static SuiteObjects udpTargets() {
  SuiteObjects objects;
  for (const bool paced : {false, true})
    for (const bool big : {false, true}) objects.push_back(std::make_unique<UdpContract>(paced, big));
  objects.push_back(std::make_unique<LeadingUdpContract>());
  objects.push_back(std::make_unique<UdpRigContract>(FieldType::float64));
  objects.push_back(std::make_unique<UdpRigContract>(FieldType::float32));
  return objects;
}

HYB_SUITE_MADE_BY(udp_contract, udpTargets)
HYB_THREADS(udp_contract)
#include "udp_contract.moc"
