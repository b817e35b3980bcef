/// Bytes of the rig protocol: frames, COBS, greeting, clocks. Vectors: reference note on protocols, E.2, and
/// Cheshire's.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/rig/address.h"
#include "hardware/clock_match.h"
#include "hardware/cobs.h"
#include "hardware/frame.h"
#include "hardware/frame_auth.h"
#include "hardware/handshake.h"
#include "tests/support/suite.h"

using namespace hyb;
using Bytes = std::vector<std::uint8_t>;

namespace {

Bytes fromHex(const char* hex) {
  const QByteArray bytes = QByteArray::fromHex(hex);
  return {bytes.begin(), bytes.end()};
}

const char* const kVector =
    "48425231 01 20 0800 07000000 06000000 e803000000000000 15cd5b0700000000 01000000 0100feca fca9f1d24d62503f "
    "46a8309d";

Bytes frameOf(const FrameHeader& header, const Bytes& payload) {
  Bytes out(kMaxFrame);
  out.resize(encodeFrame(header, payload, out));
  return out;
}

Bytes coded(const Bytes& bytes) {
  Bytes out(cobsBound(bytes.size()));
  out.resize(cobsEncode(bytes, out.data()));
  return out;
}

/// Feeds a stream in pieces; the sequences of all frames that come out.
std::vector<std::uint32_t> sequences(FrameStream& stream, const Bytes& bytes, std::size_t piece,
                                     int* damaged = nullptr) {
  std::vector<std::uint32_t> found;
  Frame frame;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::span<std::uint8_t> room = stream.room();
    const std::size_t count = std::min({piece, bytes.size() - at, room.size()});
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, room.begin());
    stream.filled(count);
    at += count;
    for (auto next = stream.next(frame); next != FrameStream::Next::nothing; next = stream.next(frame)) {
      if (next == FrameStream::Next::frame) found.push_back(frame.header.sequence);
      if (next == FrameStream::Next::damaged && damaged != nullptr) ++*damaged;
      if (next == FrameStream::Next::broken) {
        if (damaged != nullptr) ++*damaged;
        return found;
      }
    }
    if (room.empty()) break;
  }
  return found;
}

Hello sampleHello() {
  const double inf = std::numeric_limits<double>::infinity();
  return {"0.9.0",
          1000.0,
          {{"command_1", "m", -0.1, 0.1}},
          {{"measured_1", "m", -inf, inf}, {"force_1", "N", -500.0, 500.0}},
          "bench",
          {5, 0.25, SafeAction::hold, 0.75}};
}

/// The pointer of the issue that reading `json` raises; "none" if it is taken.
template <typename Read>
std::string refusedAt(Read read, const std::string& json) {
  try {
    (void)read(json);
  } catch (const InputError& error) {
    return error.issues().front().where;
  }
  return "none";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? "not found: " + from : text.replace(at, from.size(), to);
}

}  // namespace

class RigProtocolTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void checksumVector() {
    const std::string digits = "123456789";
    QCOMPARE(crc32c({reinterpret_cast<const std::uint8_t*>(digits.data()), digits.size()}), 0xE3069283u);
  }

  void frameVector() {
    const FrameHeader header{FrameType::command, 7, 6, 1000, 123456789, 1, 0xCAFE0001u};
    Bytes payload(8);
    putValue(payload.data(), 0.001);
    const Bytes expected = fromHex(kVector);
    QCOMPARE(expected.size(), std::size_t{52});
    QVERIFY(frameOf(header, payload) == expected);

    Frame frame;
    std::size_t used = 0;
    QVERIFY(decodeFrame(expected, frame, used) == FrameCheck::ok);
    QCOMPARE(used, std::size_t{52});
    QVERIFY(frame.header.type == FrameType::command && frame.header.sequence == 7 && frame.header.acknowledged == 6);
    QVERIFY(frame.header.tick == 1000 && frame.header.time_ns == 123456789 && frame.header.status == 1);
    QCOMPARE(frame.header.session, 0xCAFE0001u);
    QCOMPARE(frame.values(), std::size_t{1});
    QCOMPARE(frame.value(0), 0.001);
  }

  void everyFlippedBitIsSeen() {
    const Bytes whole = fromHex(kVector);
    for (std::size_t at = 0; at < whole.size(); ++at)
      for (int bit = 0; bit < 8; ++bit) {
        Bytes bytes = whole;
        bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ (1u << bit));
        Frame frame;
        std::size_t used = 0;
        QVERIFY(decodeFrame(bytes, frame, used) != FrameCheck::ok);
      }
  }

  void shortFramesAreIncomplete() {
    const Bytes whole = fromHex(kVector);
    Frame frame;
    std::size_t used = 0;
    for (std::size_t length = 0; length < whole.size(); ++length)
      QVERIFY(decodeFrame(std::span(whole).first(length), frame, used) == FrameCheck::incomplete);
  }

  void lengthsBeyondTheLongestAreRefused() {
    Bytes large(kMaxFrame + 10);
    QCOMPARE(encodeFrame({}, Bytes(kMaxPayload + 1), large), std::size_t{0});
    Bytes small(50);
    QCOMPARE(encodeFrame({}, Bytes(8), small), std::size_t{0});
    Bytes bytes = fromHex(kVector);
    bytes[6] = bytes[7] = 0xFF;
    Frame frame;
    std::size_t used = 0;
    QVERIFY(decodeFrame(bytes, frame, used) == FrameCheck::bad_length);
  }

  void cobsVectors() {
    const std::vector<std::pair<const char*, const char*>> vectors = {{"00", "0101"},
                                                                      {"0000", "010101"},
                                                                      {"00110022", "010211 0222"},
                                                                      {"11220033", "0311220233"},
                                                                      {"11223344", "0511223344"},
                                                                      {"11000000", "0211010101"}};
    for (const auto& [plain, stuffed] : vectors) QVERIFY(coded(fromHex(plain)) == fromHex(stuffed));
    Bytes run(254);
    for (std::size_t k = 0; k < run.size(); ++k) run[k] = static_cast<std::uint8_t>(k + 1);
    Bytes expected = {0xFF};
    expected.insert(expected.end(), run.begin(), run.end());
    QVERIFY(coded(run) == expected);
    run.push_back(0xFF);
    expected.insert(expected.end(), {0x02, 0xFF});
    QVERIFY(coded(run) == expected);
  }

  void cobsReturnsEveryMessage() {
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
      Bytes message(random() % 1200);
      const std::size_t zeros = random() % 300 + 1;
      for (std::uint8_t& byte : message) byte = random() % zeros == 0 ? 0 : static_cast<std::uint8_t>(random() | 1u);
      const Bytes stuffed = coded(message);
      QVERIFY(std::find(stuffed.begin(), stuffed.end(), std::uint8_t{0}) == stuffed.end());
      Bytes back(message.size());
      const auto length = cobsDecode(stuffed, back);
      QVERIFY(length && *length == message.size() && back == message);
      if (!message.empty()) {
        Bytes small(message.size() - 1);
        QVERIFY(!cobsDecode(stuffed, small));
      }
    }
  }

  void streamsComeInAnyPieces() {
    for (const auto coding : {FrameStream::Coding::plain, FrameStream::Coding::cobs}) {
      Bytes all;
      std::vector<std::uint32_t> expected;
      for (std::uint32_t k = 1; k <= 40; ++k) {
        const Bytes frame = frameOf({.type = FrameType::measurement, .sequence = k}, Bytes(8 * (k % 5), 0));
        const Bytes bytes = coding == FrameStream::Coding::cobs ? coded(frame) : frame;
        all.insert(all.end(), bytes.begin(), bytes.end());
        if (coding == FrameStream::Coding::cobs) all.push_back(0);
        expected.push_back(k);
      }
      for (const std::size_t piece : {1u, 7u, 64u, 1000u, 100000u}) {
        FrameStream stream(coding);
        QVERIFY(sequences(stream, all, piece) == expected);
      }
    }
  }

  void longStreamsFindRoom() {
    for (const auto coding : {FrameStream::Coding::plain, FrameStream::Coding::cobs}) {
      FrameStream stream(coding);
      std::uint32_t last = 0;
      for (std::uint32_t k = 1; k <= 30; ++k) {
        Bytes frame = frameOf({.type = FrameType::event, .sequence = k}, Bytes(kMaxPayload, 0x55));
        if (coding == FrameStream::Coding::cobs) {
          frame = coded(frame);
          frame.push_back(0);
        }
        for (const std::uint32_t sequence : sequences(stream, frame, 50'000)) last = sequence;
        QCOMPARE(last, k);
      }
    }
  }

  /// Over TCP damage ends the stream; over a serial line it costs the frame that it hit.
  void damageInAStream() {
    for (const auto coding : {FrameStream::Coding::plain, FrameStream::Coding::cobs}) {
      Bytes all;
      for (std::uint32_t k = 1; k <= 5; ++k) {
        Bytes frame = frameOf({.type = FrameType::command, .sequence = k}, Bytes(16, 1));
        frame[45] = static_cast<std::uint8_t>(frame[45] ^ (k == 3 ? 0x40u : 0u));
        const Bytes bytes = coding == FrameStream::Coding::cobs ? coded(frame) : frame;
        all.insert(all.end(), bytes.begin(), bytes.end());
        if (coding == FrameStream::Coding::cobs) all.push_back(0);
      }
      FrameStream stream(coding);
      int damaged = 0;
      const std::vector<std::uint32_t> plain = {1, 2}, serial = {1, 2, 4, 5};
      QVERIFY(sequences(stream, all, 30, &damaged) == (coding == FrameStream::Coding::cobs ? serial : plain));
      QCOMPARE(damaged, 1);
    }
  }

  void aLineThatNeverEndsIsDropped() {
    FrameStream stream(FrameStream::Coding::cobs);
    int damaged = 0;
    QVERIFY(sequences(stream, Bytes(500'000, 0x01), 4096, &damaged).empty());
    QVERIFY(damaged >= 1);
    Bytes good = {0};
    const Bytes frame = coded(frameOf({.sequence = 9}, {}));
    good.insert(good.end(), frame.begin(), frame.end());
    good.push_back(0);
    QVERIFY(sequences(stream, good, 10) == std::vector<std::uint32_t>{9});
  }

  void greetingsComeBackAsTheyWere() {
    const Hello hello = sampleHello();
    const Hello back = readHello(writeHello(hello));
    QCOMPARE(back.rate_hz, 1000.0);
    QVERIFY(!difference(hello.commands, back.commands, "") && !difference(hello.measurements, back.measurements, ""));
    QVERIFY(back.commands[0].min == -0.1 && back.commands[0].max == 0.1);
    QVERIFY(std::isinf(back.measurements[0].min) && std::isinf(back.measurements[0].max));
    QVERIFY(back.timing.timeout_ticks == 5 && std::abs(back.timing.silence_s - 0.25) < 1e-12);
    QVERIFY(back.timing.safe_action == SafeAction::hold && back.timing.ramp_s == 0.75);

    const Welcome welcome{hello, "rig \"7\"", 42, {"door"}, "2026-01-31", {0.125}, true};
    const Welcome again = readWelcome(writeWelcome(welcome));
    QVERIFY(again.serial == "rig \"7\"" && again.clock_resolution_ns == 42 && again.calibration_date == "2026-01-31");
    QVERIFY(again.interlocks == welcome.interlocks && again.positions == welcome.positions && again.faults);

    const Issue issue = readRefusal(writeRefusal({"/commands/0/units", "is mm"}));
    QVERIFY(issue.where == "/commands/0/units" && issue.message == "is mm");
    QVERIFY(readArm(writeArm(std::vector{0.5, -1.0})) == (std::vector{0.5, -1.0}));
    QCOMPARE(readMessage(writeMessage("stopped")), std::string("stopped"));
  }

  void faultsOnPurposeTravel() {
    std::array<char, 256> text{};
    for (const FaultFacts& facts : faultKinds()) {
      FaultSpec fault{facts.kind, 0.0, 0.0, 2, FaultSensor::force, facts.usual[1]};
      const std::size_t length = writeFault(fault, true, text);
      const auto [back, begin] = readFault({text.data(), length});
      QVERIFY(begin && back == fault);
      QVERIFY(!readFault({text.data(), writeFault(fault, false, text)}).second);
    }
  }

  void greetingsNameWhatIsWrong() {
    const std::string good = writeHello(sampleHello());
    const auto hello = [](const std::string& json) { return readHello(json); };
    QCOMPARE(refusedAt(hello, good), std::string("none"));
    QCOMPARE(refusedAt(hello, ""), std::string(""));
    QCOMPARE(refusedAt(hello, "[1]"), std::string(""));
    QCOMPARE(refusedAt(hello, std::string(60'000, '[')), std::string(""));
    QCOMPARE(refusedAt(hello, replaced(good, "hybridbench-rig", "x")), std::string("/format"));
    QCOMPARE(refusedAt(hello, replaced(good, "\"version\":2", "\"version\":3")), std::string("/version"));
    QCOMPARE(refusedAt(hello, replaced(good, "\"rate_hz\":1000.0", "\"rate_hz\":-1")), std::string("/rate_hz"));
    QCOMPARE(refusedAt(hello, replaced(good, "\"rate_hz\":1000.0", "\"rate_hz\":1e999")), std::string(""));
    QCOMPARE(refusedAt(hello, replaced(good, "command_1\"", std::string(300, 'x') + "\"")),
             std::string("/commands/0/name"));
    QCOMPARE(refusedAt(hello, replaced(good, "\"units\":\"N\"", "\"units\":7")), std::string("/measurements/1/units"));
    QCOMPARE(refusedAt(hello, replaced(good, "\"min\":-500.0", "\"min\":500")), std::string("/measurements/1/min"));
    QCOMPARE(refusedAt(hello, replaced(good, "\"hold\"", "\"jump\"")), std::string("/safe_action"));
    QCOMPARE(refusedAt(hello, replaced(good, "\"timeout_ticks\":5", "\"timeout_ticks\":0")),
             std::string("/timeout_ticks"));
    const auto fault = [](const std::string& json) { return readFault(json); };
    QCOMPARE(refusedAt(fault, R"({"fault":"sneeze"})"), std::string("/fault"));
    const auto arm = [](const std::string& json) { return readArm(json); };
    QCOMPARE(refusedAt(arm, R"({"positions":[1,"2"]})"), std::string("/positions/1"));
  }

  void channelsMustAgree() {
    const std::vector<DeviceChannel> wanted = {{"a", "V", -10, 10}, {"b", "V", -10, 10}};
    QVERIFY(!difference(wanted, wanted, "/commands"));
    auto other = wanted;
    other[1].units = "mV";
    QCOMPARE(difference(wanted, other, "/commands")->where, std::string("/commands/1/units"));
    std::swap(other[0], other[1]);
    QCOMPARE(difference(wanted, other, "/commands")->where, std::string("/commands/0/name"));
    other = wanted;
    other.pop_back();
    QCOMPARE(difference(wanted, other, "/commands")->where, std::string("/commands"));
  }

  void addresses() {
    const Address tcp = parseAddress("tcp://10.0.0.7:4711", "x");
    QVERIFY(tcp.kind == Address::Kind::tcp && tcp.host == "10.0.0.7" && tcp.port == 4711);
    QCOMPARE(parseAddress("tcp://[::1]:80", "x").host, std::string("::1"));
    QCOMPARE(parseAddress("tcp://[::1]:80", "x").text(), std::string("tcp://[::1]:80"));
    QCOMPARE(parseAddress("serial:/dev/ttyUSB0", "x").path, std::string("/dev/ttyUSB0"));
    QVERIFY(parseAddress("udp://10.0.0.7:5006", "x").kind == Address::Kind::udp);
    QCOMPARE(parseAddress("udp://[::1]:80", "x").text(), std::string("udp://[::1]:80"));
    for (const char* bad :
         {"", "tcp", "tcp://", "tcp://host", "tcp://host:", "tcp://host:x", "tcp://host:70000", "tcp://:80",
          "tcp://::1:80", "serial:", "http://a:1", "udp://", "udp://a:", "tcp://host:80/x"})
      QVERIFY_THROWS_EXCEPTION(InputError, parseAddress(bad, "x"));
  }

  /// A device clock that started elsewhere, runs 20 ppm fast, and answers over a link with a busy queue.
  void clocksAreMatched() {
    ClockMatch match;
    std::mt19937 random(3);
    std::exponential_distribution<double> queueing(1.0 / 200e3);  // ns
    const double offset = 5e12, drift = 20e-6;
    std::int64_t t = 1'000'000'000;
    for (int k = 0; k < 600; ++k, t += 100'000'000) {
      const auto there = static_cast<std::int64_t>(50e3 + (k % 4 == 0 ? 0.0 : queueing(random)));
      const auto back = static_cast<std::int64_t>(50e3 + (k % 4 == 0 ? 0.0 : queueing(random)));
      const auto device = [&](std::int64_t ours) {
        return static_cast<std::int64_t>(offset) + ours + static_cast<std::int64_t>(drift * static_cast<double>(ours));
      };
      match.add(t, device(t + there), device(t + there + 10'000), t + there + 10'000 + back);
    }
    const double now_offset = offset + drift * static_cast<double>(t);
    QVERIFY(std::abs(static_cast<double>(match.offsetNs()) - now_offset) < 0.2e6);  // 6.4 s old at 20 ppm
    QVERIFY2(std::abs(match.driftPpm() - 20.0) < 0.5, qPrintable(QString::number(match.driftPpm())));
  }

  // Keys.

  /// RFC 4231, test cases 1, 2, 4 and 6.
  void authenticationCodes() {
    const auto code = [](const Bytes& key, const Bytes& message) { return hexText(Hmac(key).of(message)); };
    const auto ascii = [](const char* text) { return Bytes(text, text + std::strlen(text)); };
    QCOMPARE(code(Bytes(20, 0x0b), ascii("Hi There")),
             std::string("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"));
    QCOMPARE(code(ascii("Jefe"), ascii("what do ya want for nothing?")),
             std::string("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
    QCOMPARE(code(fromHex("0102030405060708090a0b0c0d0e0f10111213141516171819"), Bytes(50, 0xcd)),
             std::string("82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"));
    QCOMPARE(code(Bytes(131, 0xaa), ascii("Test Using Larger Than Block-Size Key - Hash Key First")),
             std::string("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"));
  }

  void sealedFrames() {
    using Verdict = FrameAuth::Verdict;
    const Bytes32 key{1}, other_key{2}, bench_nonce{3}, rig_nonce{4};
    const auto side = [&](const Bytes32& of, FrameAuth::Side own, const Bytes32& nonce) {
      return FrameAuth(of, bench_nonce, nonce, own);
    };
    FrameAuth bench = side(key, FrameAuth::Side::bench, rig_nonce), rig = side(key, FrameAuth::Side::rig, rig_nonce);
    const auto sealed = [](FrameAuth& auth, std::uint64_t tick) {
      Bytes out(kMaxFrame);
      out.resize(encodeFrame({.type = FrameType::command, .tick = tick}, Bytes(8, 0x11), out, &auth));
      return out;
    };
    const auto judged = [](FrameAuth& auth, const Bytes& bytes) {
      Frame frame;
      std::size_t used = 0;
      if (decodeFrame(bytes, frame, used) != FrameCheck::ok || used != bytes.size()) return Verdict::forged;
      return auth.check(frame.authentic, frame.tag);
    };
    const Bytes first = sealed(bench, 1), second = sealed(bench, 2);
    QCOMPARE(first.size(), kFrameHeader + 8 + FrameAuth::kSeal + kFrameCrc);
    QVERIFY(judged(rig, second) == Verdict::genuine);
    QVERIFY(judged(rig, second) == Verdict::replayed);
    QVERIFY(judged(rig, first) == Verdict::replayed);
    QVERIFY(judged(bench, sealed(bench, 3)) == Verdict::forged);  // sent back
    FrameAuth stranger = side(other_key, FrameAuth::Side::bench, rig_nonce),
              yesterday = side(key, FrameAuth::Side::bench, Bytes32{5});
    QVERIFY(judged(rig, sealed(stranger, 4)) == Verdict::forged);
    QVERIFY(judged(rig, sealed(yesterday, 4)) == Verdict::forged);
    QVERIFY(judged(rig, frameOf({.type = FrameType::command, .tick = 4}, Bytes(8, 0x11))) == Verdict::forged);
    // Every byte counts, even where the checksum is made right again.
    const Bytes good = sealed(bench, 5);
    for (std::size_t at = 8; at < good.size() - kFrameCrc; ++at) {
      Bytes bad = good;
      bad[at] = static_cast<std::uint8_t>(bad[at] ^ 1u);
      const std::uint32_t crc = crc32c(std::span(bad).first(bad.size() - kFrameCrc));
      for (std::size_t b = 0; b < 4; ++b) bad[bad.size() - 4 + b] = static_cast<std::uint8_t>(crc >> (8 * b));
      QVERIFY2(judged(rig, bad) == Verdict::forged, qPrintable(QString::number(at)));
    }
    QVERIFY(judged(rig, good) == Verdict::genuine);
  }

  void keyFiles() {
    QTemporaryDir folder;
    const auto in = [&](const char* name) { return std::filesystem::path(folder.filePath(name).toStdString()); };
    const auto failure = [](const std::filesystem::path& file) {
      try {
        (void)readKeyFile(file);
      } catch (const DeviceError& error) {
        return std::string(error.what());
      }
      return std::string("read");
    };
    makeKeyFile(in("a.key"));
    makeKeyFile(in("b.key"));
    QVERIFY(readKeyFile(in("a.key")) != readKeyFile(in("b.key")));
    QVERIFY(std::filesystem::status(in("a.key")).permissions() ==
            (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    const Bytes32 before = readKeyFile(in("a.key"));
    QVERIFY_THROWS_EXCEPTION(DeviceError, makeKeyFile(in("a.key")));  // never over another one
    QVERIFY(readKeyFile(in("a.key")) == before);
    QVERIFY(failure(in("none.key")).find("No such file") != std::string::npos);
    std::filesystem::permissions(in("a.key"), std::filesystem::perms::others_read, std::filesystem::perm_options::add);
    QVERIFY(failure(in("a.key")).find("chmod 600") != std::string::npos);
    std::filesystem::resize_file(in("b.key"), 40);
    QVERIFY(failure(in("b.key")).find("64 hexadecimal digits") != std::string::npos);
  }

  /// Whatever arrives, every parser comes back with an answer.
  void tenThousandMutations() {
    const int rounds = test::kThorough ? 10'000 : 1'000;  // the fuzzers of frames and greetings try more
    std::mt19937 random(4711);
    const std::string hello = writeHello(sampleHello());
    const std::string welcome = writeWelcome({sampleHello(), "rig", 1, {"door"}, "2026-01-31", {0.0}, true});
    std::array<char, 256> fault{};
    const std::size_t fault_length = writeFault({}, true, fault);
    const std::vector<std::string> texts = {hello,
                                            welcome,
                                            writeRefusal({"/rate_hz", "no"}),
                                            writeArm(std::vector{0.5, 1.0}),
                                            writeMessage("stopped"),
                                            std::string(fault.data(), fault_length)};
    const auto ignored = [](auto&& read) {
      try {
        read();
      } catch (const InputError&) {  // the only way out beside a value
      }
    };
    int frames = 0;
    for (int round = 0; round < rounds; ++round) {
      std::string text = texts[random() % texts.size()];
      for (std::size_t k = random() % 6; k > 0 && !text.empty(); --k) {
        const std::size_t at = random() % text.size();
        switch (random() % 4) {
          case 0:
            text[at] = static_cast<char>(random());
            break;
          case 1:
            text.erase(at, random() % 20);
            break;
          case 2:
            text.insert(at, text.substr(random() % text.size(), random() % 30));
            break;
          default:
            text.insert(at, 1, "{}[]\",:0-e\\"[random() % 11]);
            break;
        }
      }
      ignored([&] { (void)readHello(text); });
      ignored([&] { (void)readWelcome(text); });
      ignored([&] { (void)readRefusal(text); });
      ignored([&] { (void)readArm(text); });
      ignored([&] { (void)readMessage(text); });
      ignored([&] { (void)readFault(text); });

      Bytes bytes;
      for (auto f = static_cast<std::uint32_t>(random() % 4 + 1); f > 0; --f) {
        Bytes frame = frameOf({.type = FrameType::event, .sequence = f}, Bytes(text.begin(), text.end()));
        if (random() % 2 == 0) frame = coded(frame);
        for (std::size_t k = random() % 3; k > 0; --k)
          frame[random() % frame.size()] = static_cast<std::uint8_t>(random());
        bytes.insert(bytes.end(), frame.begin(), frame.end());
        bytes.push_back(0);
      }
      FrameStream stream(round % 2 == 0 ? FrameStream::Coding::plain : FrameStream::Coding::cobs);
      frames += static_cast<int>(sequences(stream, bytes, random() % 200 + 1).size());
    }
    QVERIFY(frames > rounds / 10);  // not everything was damaged
  }
};

HYB_SUITE(rig_protocol, RigProtocolTest)
#include "rig_protocol_test.moc"
