
#include "hardware/modbus_device.h"
#include "hardware/text_device.h"
#include "tests/hardware/polled_support.h"
#include "tests/support/device_contract.h"
#include "tests/support/modbus_partner.h"
#include "tests/support/suite.h"
#include "tests/support/text_partner.h"

using namespace hyb;
using namespace hyb::test;

/// Text instruments and Modbus devices keep the contract of every device, over the network and a serial line.
class PolledContract : public DeviceContract {
  Q_OBJECT
 protected:
  PolledContract() { actuators = 1; }
  DeviceChannels channels() const override { return channelsOf(rig_, true); }
  RigSpec rig_;
};

class TextContract : public PolledContract {
  Q_OBJECT
 public:
  explicit TextContract(bool serial) : serial_(serial) { rig_ = textRig(""); }

 protected:
  std::unique_ptr<Device> makeDevice() override {
    partner_ = std::make_unique<TextPartner>(serial_);
    rig_.connection.address = partner_->address();
    return makeTextDevice(rig_, channels());
  }

 private:
  bool serial_;
  std::unique_ptr<TextPartner> partner_;
};

class ModbusContract : public PolledContract {
  Q_OBJECT
 public:
  explicit ModbusContract(bool serial) : serial_(serial) {
    rig_ = modbusRig("");
    std::swap(rig_.channels.front(), rig_.channels.back());  // the displacement comes first
  }

 protected:
  std::unique_ptr<Device> makeDevice() override {
    partner_ = std::make_unique<ModbusPartner>(serial_);
    rig_.connection.address = partner_->address();
    return makeModbusDevice(rig_, channels());
  }

 private:
  bool serial_;
  std::unique_ptr<ModbusPartner> partner_;
};

static SuiteObjects polledDevices() {
  SuiteObjects objects;
  for (const bool serial : {false, true}) {
    objects.push_back(std::make_unique<TextContract>(serial));
    objects.push_back(std::make_unique<ModbusContract>(serial));
  }
  return objects;
}

HYB_SUITE_MADE_BY(polled_contract, polledDevices)
#include "polled_contract.moc"
