#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/rig/device_channels.h"
#include "hardware/ads_device.h"
#include "tests/fuzz/fuzz_server.h"
#include "tests/support/ads_partner.h"
#include "tests/support/ads_rig.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

/// A controller that answers each request as the next piece of the input says: soundly, with other data, with bytes
/// turned, or with anything.
class Controller {
 public:
  void talk(int client, std::span<const std::uint8_t> rest) {
    partner_.forgetHandles();
    Bytes received;
    std::array<std::uint8_t, 4096> chunk;
    while (!rest.empty()) {
      const ssize_t got = ::recv(client, chunk.data(), chunk.size(), 0);
      if (got <= 0) return;
      received.insert(received.end(), chunk.begin(), chunk.begin() + got);
      while (!rest.empty() && received.size() >= 38) {
        const std::size_t size = 6 + hyb::test::AdsPartner::dword(received, 2);
        if (received.size() < size) break;
        const Bytes reply = replyTo(std::span(received).subspan(6, size - 6), rest);
        received.erase(received.begin(), received.begin() + static_cast<std::ptrdiff_t>(size));
        if (::send(client, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) return;
      }
    }
  }

 private:
  /// The first byte of a piece says how it is used, and how long it is.
  Bytes replyTo(std::span<const std::uint8_t> request, std::span<const std::uint8_t>& rest) {
    using hyb::test::AdsPartner;
    const unsigned kind = rest[0] % 4u;
    const std::size_t length = kind == 0 ? 0 : std::min<std::size_t>(rest.size() - 1, rest[0] / 4u);
    const std::span piece = rest.subspan(1, length);
    rest = rest.subspan(1 + length);
    if (kind == 3) return Bytes(piece.begin(), piece.end());
    Bytes answer = partner_.answerTo(request);
    if (kind == 1 && answer.size() >= 32) {
      answer.resize(32);
      answer.insert(answer.end(), piece.begin(), piece.end());
      answer[20] = static_cast<std::uint8_t>(piece.size());
      answer[21] = answer[22] = answer[23] = 0;
    }
    if (kind == 2)  // pairs of place and change
      for (std::size_t k = 0; k + 1 < piece.size(); k += 2)
        if (!answer.empty()) answer[piece[k] % answer.size()] ^= piece[k + 1];
    Bytes framed = {0, 0};
    AdsPartner::put(framed, static_cast<std::uint32_t>(answer.size()));
    framed.insert(framed.end(), answer.begin(), answer.end());
    return framed;
  }

  hyb::test::AdsPartner partner_;
};

/// Opens, reads and writes three times, and closes.
void ask(const hyb::RigSpec& rig, const hyb::DeviceChannels& channels) {
  try {
    const auto device = hyb::makeAdsDevice(rig, channels);
    device->open();
    std::array<double, 2> values{};
    for (int k = 0; k < 3; ++k) {
      if (device->read(values) == hyb::RigStatus::link_lost) break;
      (void)device->write(static_cast<std::uint64_t>(k), std::array<double, 1>{1e-3});
    }
    device->close();
    (void)device->failure();
  } catch (const hyb::InputError&) {
  } catch (const hyb::DeviceError&) {
  }
}

}  // namespace

/// What an ADS controller answers while it is opened, in three ticks, and to the stop: values, or a sentence.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Controller& controller = *new Controller;
  static hyb::fuzz::FuzzServer& server = *new hyb::fuzz::FuzzServer(
      [](int client, std::span<const std::uint8_t> input) { controller.talk(client, input); });
  static const hyb::RigSpec rig = [] {
    hyb::RigSpec spec = hyb::test::adsRig("tcp://127.0.0.1:" + std::to_string(server.port()));
    spec.connection.connect_s = 0.03;  // nobody restarts here
    auto ads = hyb::settingsOf<hyb::AdsSpec>(spec.connection.protocol.get());
    ads.reply_s = 0.002;  // half a reply is waited for no longer
    ads.state_s = 1e-6;
    spec.connection.protocol = hyb::protocolOf(ads);
    return spec;
  }();
  static const hyb::DeviceChannels channels = [] {
    hyb::DeviceChannels made = hyb::deviceChannels(rig.channels, 50.0);
    made.paced = false;
    return made;
  }();
  server.answer({data, size}, [] { ask(rig, channels); });
  return 0;
}
