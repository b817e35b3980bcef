
#include "core/rig/device_rig.h"
#include "hardware/ads_device.h"
#include "hardware/driver_device.h"
#include "hardware/modbus_device.h"
#include "hardware/text_device.h"
#include "tests/hardware/polled_support.h"
#include "tests/support/ads_partner.h"
#include "tests/support/ads_rig.h"
#include "tests/support/change_protocol.h"
#include "tests/support/device_contract.h"
#include "tests/support/driver_rig.h"
#include "tests/support/modbus_partner.h"
#include "tests/support/pseudo_terminals.h"
#include "tests/support/rig_contract.h"
#include "tests/support/suite.h"
#include "tests/support/text_partner.h"

using namespace hyb;
using namespace hyb::test;

/// Text instruments and Modbus devices keep the contract of every device, over the network and a serial line; ADS
/// controllers over the network; drivers as plug-ins.
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
    Change<ModbusSpec> change(rig_.connection);
    std::swap(change->channels.front(), change->channels.back());
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

class AdsContract : public PolledContract {
  Q_OBJECT
 public:
  AdsContract() {
    rig_ = adsRig("");
    std::swap(rig_.channels.front(), rig_.channels.back());  // the displacement comes first
    Change<AdsSpec> change(rig_.connection);
    std::swap(change->channels.front(), change->channels.back());
  }

 protected:
  std::unique_ptr<Device> makeDevice() override {
    partner_ = std::make_unique<AdsPartner>();
    rig_.connection.address = partner_->address();
    return makeAdsDevice(rig_, channels());
  }

 private:
  std::unique_ptr<AdsPartner> partner_;
};

/// Drivers as plug-ins, in their own process and in this one.
class DriverContract : public PolledContract {
  Q_OBJECT
 public:
  explicit DriverContract(bool own_process) { rig_ = actuatorRig(own_process); }

 protected:
  std::unique_ptr<Device> makeDevice() override { return makeDriverDevice(rig_, channels()); }
};

class DriverRigContract : public RigContract {
  Q_OBJECT
 public:
  explicit DriverRigContract(bool own_process) : rig_(actuatorRig(own_process)) {}

 protected:
  std::unique_ptr<Rig> makeRig() override {
    return makeDeviceRig(makeDriverDevice(rig_, channelsOf(rig_)), rig_.channels, 1, kPolledRate_hz);
  }

 private:
  const RigSpec rig_;
};

/// The contract of all rigs, the in-process twin's own, on the same instruments: in free run, where each reading waits
/// for its reply.
class PolledRigContract : public RigContract {
  Q_OBJECT
 public:
  PolledRigContract(bool text, bool serial) : text_(text), serial_(serial) {
    if (!text) noise_m = 1e-10, noise_n = 1e-7;  // what float32 registers keep of a millimetre
  }

 protected:
  std::unique_ptr<Rig> makeRig() override { return text_ ? textInstrument() : modbusDevice(); }

 private:
  std::unique_ptr<Rig> textInstrument() {
    RigSpec rig = textRig(texts_.emplace_back(std::make_unique<TextPartner>(serial_))->address());
    {  // goes home as it is connected, not at the first command
      Change<TextSpec> change(rig.connection);
      change->configure = std::exchange(change->prepare, {});
    }
    return makeDeviceRig(makeTextDevice(rig, channelsOf(rig)), rig.channels, 1, kPolledRate_hz);
  }
  std::unique_ptr<Rig> modbusDevice() {
    const RigSpec rig = modbusRig(registers_.emplace_back(std::make_unique<ModbusPartner>(serial_))->address());
    return makeDeviceRig(makeModbusDevice(rig, channelsOf(rig)), rig.channels, 1, kPolledRate_hz);
  }

  bool text_, serial_;
  std::vector<std::unique_ptr<TextPartner>> texts_;
  std::vector<std::unique_ptr<ModbusPartner>> registers_;
};

class AdsRigContract : public RigContract {
  Q_OBJECT
 protected:
  std::unique_ptr<Rig> makeRig() override {
    const RigSpec rig = adsRig(partners_.emplace_back(std::make_unique<AdsPartner>())->address());
    return makeDeviceRig(makeAdsDevice(rig, channelsOf(rig)), rig.channels, 1, kPolledRate_hz);
  }

 private:
  std::vector<std::unique_ptr<AdsPartner>> partners_;
};

static SuiteObjects polledDevices() {
  requirePseudoTerminals();
  SuiteObjects objects;
  for (const bool serial : {false, true}) {
    objects.push_back(std::make_unique<TextContract>(serial));
    objects.push_back(std::make_unique<ModbusContract>(serial));
    for (const bool lines : {true, false}) objects.push_back(std::make_unique<PolledRigContract>(lines, serial));
  }
  for (const bool own_process : {true, false}) {
    objects.push_back(std::make_unique<DriverContract>(own_process));
    objects.push_back(std::make_unique<DriverRigContract>(own_process));
  }
  objects.push_back(std::make_unique<AdsContract>());
  objects.push_back(std::make_unique<AdsRigContract>());
  return objects;
}

HYB_SUITE_MADE_BY(polled_contract, polledDevices)
HYB_THREADS(polled_contract)
#include "polled_contract.moc"
