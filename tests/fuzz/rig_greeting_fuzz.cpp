#include "hardware/handshake.h"

/// Every JSON text of the rig protocol: a value or an InputError, nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto take = [](auto&& read) {
    try {
      read();
    } catch (const hyb::InputError&) {
    }
  };
  take([&] { (void)hyb::writeHello(hyb::readHello(text)); });
  take([&] { (void)hyb::writeWelcome(hyb::readWelcome(text)); });
  take([&] { (void)hyb::writeChallenge(hyb::readChallenge(text)); });
  take([&] { (void)hyb::readRefusal(text); });
  take([&] { (void)hyb::readArm(text); });
  take([&] { (void)hyb::readMessage(text); });
  take([&] { (void)hyb::readFault(text); });
  return 0;
}
