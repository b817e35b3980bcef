#include "core/rig/device_rig.h"
#include "hardware/frames_device.h"
#include "tests/support/device_contract.h"
#include "tests/support/pseudo_terminals.h"
#include "tests/support/rig_contract.h"
#include "tests/support/served_twin.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

/// The device contract over TCP and over a pseudo-terminal, in free run and as if in real time.
class TestFramesContract : public DeviceContract {
  Q_OBJECT
 public:
  TestFramesContract(const char* listen, bool paced) : paced_(paced), served_(listen) {}

 protected:
  std::unique_ptr<Device> makeDevice() override {
    return makeFramesDevice(patientConnection(served_.address()), channels());
  }
  DeviceChannels channels() const override { return servedChannels(paced_); }

 private:
  bool paced_;
  ServedTwin served_;
};

/// The contract of all rigs, the in-process twin's own, on the same twin behind a connection.
class TestFramesRigContract : public RigContract {
  Q_OBJECT
 public:
  explicit TestFramesRigContract(const char* listen) : listen_(listen) {}

 protected:
  std::unique_ptr<Rig> makeRig() override {
    servers_.push_back(std::make_unique<ServedTwin>(listen_));
    return makeDeviceRig(makeFramesDevice(patientConnection(servers_.back()->address()), servedChannels(false)),
                         rigChannels({}, 2), 2, kServedRate_hz);
  }

 private:
  const char* listen_;
  std::vector<std::unique_ptr<ServedTwin>> servers_;
};

static SuiteObjects servedTwins() {
  requirePseudoTerminals();
  SuiteObjects objects;
  for (const char* listen : {"tcp://127.0.0.1:0", "serial:pty"}) {
    for (const bool paced : {false, true}) objects.push_back(std::make_unique<TestFramesContract>(listen, paced));
    objects.push_back(std::make_unique<TestFramesRigContract>(listen));
  }
  return objects;
}

HYB_SUITE_MADE_BY(frames_contract, servedTwins)
HYB_THREADS(frames_contract)
#include "frames_contract.moc"
