#include "core/rig/device_rig.h"
#include "hardware/frames_device.h"
#include "tests/support/device_contract.h"
#include "tests/support/pseudo_terminals.h"
#include "tests/support/rig_contract.h"
#include "tests/support/served_device.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

/// The device contract over TCP and over a pseudo-terminal, in free run and as if in real time.
class TestFramesContract : public DeviceContract {
  Q_OBJECT
 public:
  TestFramesContract(const DeviceKind& kind, const char* listen, bool paced)
      : paced_(paced), served_(kind.serve(listen, {})) {
    setObjectName(QString::fromUtf8(kind.name));
  }

 protected:
  std::unique_ptr<Device> makeDevice() override {
    return makeFramesDevice(patientConnection(served_->address()), channels());
  }
  DeviceChannels channels() const override { return servedChannels(paced_); }

 private:
  bool paced_;
  std::unique_ptr<ServedDevice> served_;
};

/// The contract of all rigs, the in-process twin's own, on a twin behind a connection.
class TestFramesRigContract : public RigContract {
  Q_OBJECT
 public:
  TestFramesRigContract(const DeviceKind& kind, const char* listen) : kind_(kind), listen_(listen) {}

 protected:
  std::unique_ptr<Rig> makeRig() override {
    servers_.push_back(kind_.serve(listen_, {}));
    return makeDeviceRig(makeFramesDevice(patientConnection(servers_.back()->address()), servedChannels(false)),
                         rigChannels({}, 2), 2, kServedRate_hz);
  }

 private Q_SLOTS:
  void cleanup() { servers_.clear(); }  // the rigs of a test are gone by now

 private:
  const DeviceKind& kind_;
  const char* listen_;
  std::vector<std::unique_ptr<ServedDevice>> servers_;
};

static SuiteObjects servedTwins() {
  requirePseudoTerminals();
  SuiteObjects objects;
  for (const DeviceKind& kind : deviceKinds()) {
    if (std::string_view(kind.name) != "server" && !triesKits()) continue;
    for (const char* listen : {"tcp://127.0.0.1:0", "serial:pty"}) {
      for (const bool paced : {false, true})
        objects.push_back(std::make_unique<TestFramesContract>(kind, listen, paced));
      objects.push_back(std::make_unique<TestFramesRigContract>(kind, listen));
    }
  }
  return objects;
}

HYB_SUITE_MADE_BY(frames_contract, servedTwins)
HYB_THREADS(frames_contract)
#include "frames_contract.moc"
