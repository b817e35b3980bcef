/// The C files of the rig kit: they compile everywhere, and in memory, at a clock that stands, they keep the protocol.
#include "resources/rig-kit/c/hyb_rig.h"

#include <QDir>
#include <QProcess>
#include <QStandardPaths>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>

#include "hardware/cobs.h"
#include "hardware/frame.h"
#include "hardware/frame_auth.h"
#include "hardware/handshake.h"
#include "tests/hardware/frames_support.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"

using namespace hyb;
using test::has;
using Bytes = std::vector<std::uint8_t>;

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr hyb_rig_command kCommands[] = {{"command_1", "m", -0.05, 0.02, 1e-3, 0.5, 0.001, 0},
                                         {"command_rate_1", "m/s", 0, 0, 0, 0.5, 0, 1}};
constexpr hyb_rig_measurement kMeasurements[] = {{"measured_1", "m", 0, 0}, {"force_1", "N", -100, 100}};

/// The kit behind a line in memory, with a plant that stands where it is told to.
struct MemoryRig {
  explicit MemoryRig(bool serial = false, const Bytes32* key = nullptr)
      : stream(serial ? FrameStream::Coding::cobs : FrameStream::Coding::plain), serial_line(serial) {
    config.serial = "memory";
    config.rate_hz = 1000.0;
    config.commands = kCommands;
    config.command_count = 2;
    config.measurements = kMeasurements;
    config.measurement_count = 2;
    config.arm_tolerance = 1e-4;
    config.interlock = "door";
    config.key = key == nullptr ? nullptr : key->data();
    config.serial_line = serial ? 1 : 0;
    port = {this,
            [](void* self, std::uint8_t* into, std::size_t room) {
              auto& line = static_cast<MemoryRig*>(self)->to_rig;
              const std::size_t count = std::min(room, line.size());
              std::copy_n(line.begin(), count, into);
              line.erase(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(count));
              return count == 0 && static_cast<MemoryRig*>(self)->hung_up ? -1 : static_cast<int>(count);
            },
            [](void* self, const std::uint8_t* sent, std::size_t count) {
              auto& own = *static_cast<MemoryRig*>(self);
              count = std::min(count, own.takes);
              own.from_rig.insert(own.from_rig.end(), sent, sent + count);
              return static_cast<int>(count);
            },
            [](void* self) { return static_cast<MemoryRig*>(self)->now_ns; },
            [](void*, std::uint8_t* bytes, std::size_t count) {
              std::fill_n(bytes, count, std::uint8_t{7});
              return 0;
            }};
    plant = {this,
             [](void* self) { static_cast<MemoryRig*>(self)->at = static_cast<MemoryRig*>(self)->rest; },
             [](void* self, int on) { static_cast<MemoryRig*>(self)->powered = on != 0; },
             [](void* self, std::uint32_t elapsed, double* values) {
               static_cast<MemoryRig*>(self)->lived += elapsed;
               values[0] = static_cast<MemoryRig*>(self)->at;
               values[1] = 1.5;
             },
             [](void* self, const double* values) {
               auto& own = *static_cast<MemoryRig*>(self);
               ++own.applied;
               own.rate = values[1];
               return own.refuses ? 1 : (own.at = values[0], 0);
             },
             [](void* self, double* values) {
               values[0] = static_cast<MemoryRig*>(self)->at;
               values[1] = 0.0;
             },
             nullptr,
             [](void* self, const char* line) { static_cast<MemoryRig*>(self)->log += std::string(line) + "\n"; }};
    started = hyb_rig_init(&rig, &config, &port, &plant);
  }

  static std::string hello(const FramesSpec& timing = {}, const std::optional<Bytes32>& nonce = {}) {
    const double inf = std::numeric_limits<double>::infinity();
    Hello hello{"0.9",
                1000.0,
                {{"command_1", "m", -0.01, 0.1}, {"command_rate_1", "m/s", -inf, inf}},
                {{"measured_1", "m", -inf, inf}, {"force_1", "N", -inf, inf}},
                "bench",
                timing};
    hello.nonce = nonce;
    return writeHello(hello);
  }
  void put(const Bytes& frame) {
    if (serial_line) {
      Bytes coded(cobsBound(frame.size()) + 1);
      coded.resize(cobsEncode(frame, coded.data()));
      coded.push_back(0);
      to_rig.insert(to_rig.end(), coded.begin(), coded.end());
    } else {
      to_rig.insert(to_rig.end(), frame.begin(), frame.end());
    }
  }
  Bytes sealed(FrameType type, const Bytes& payload, std::uint64_t tick = 0) {
    Bytes out(kMaxFrame);
    const FrameHeader head{type, ++sequence, 0, tick, 0, 0, session};
    out.resize(encodeFrame(head, payload, out, auth ? &*auth : nullptr));
    return out;
  }
  void say(FrameType type, const std::string& words = {}) {
    put(sealed(type, {words.begin(), words.end()}));
    (void)hyb_rig_poll(&rig);
  }
  void command(std::uint64_t tick, double position, double rate_m_per_s = 0.0) {
    Bytes payload(16);
    putValue(payload.data(), position);
    putValue(payload.data() + 8, rate_m_per_s);
    put(sealed(FrameType::command, payload, tick));
    (void)hyb_rig_poll(&rig);
  }
  /// What the rig has sent; the first frame of this type into `header` and `text`.
  bool heard(FrameType type) {
    while (!from_rig.empty() || !waiting.empty()) {
      const std::span<std::uint8_t> room = stream.room();
      const std::size_t count = std::min(room.size(), from_rig.size());
      std::copy_n(from_rig.begin(), count, room.begin());
      from_rig.erase(from_rig.begin(), from_rig.begin() + static_cast<std::ptrdiff_t>(count));
      stream.filled(count);
      Frame frame;
      while (stream.next(frame) == FrameStream::Next::frame)
        waiting.emplace_back(frame.header, std::string(frame.payload.begin(), frame.payload.end()));
      while (!waiting.empty()) {
        std::tie(header, text) = waiting.front();
        waiting.pop_front();
        if (header.type == type) return true;
      }
    }
    return false;
  }
  double value(std::size_t i) const {
    Frame frame;
    frame.payload = bytes(text);
    return frame.value(i);
  }
  bool greet(const FramesSpec& timing = {}) {
    say(FrameType::hello, hello(timing));
    if (!heard(FrameType::welcome)) return false;
    session = header.session;
    return true;
  }
  bool arm(const FramesSpec& timing = {}) {
    if (!greet(timing)) return false;
    say(FrameType::arm, writeArm(std::vector{rest, 0.0}));
    return heard(FrameType::armed);
  }
  bool pass(double seconds) {
    now_ns += std::llround(1e9 * seconds);
    return hyb_rig_poll(&rig) != 0;
  }
  /// The message of the next event.
  std::string event() { return heard(FrameType::event) ? readMessage(text) : std::string(); }

  hyb_rig_config config{};
  hyb_rig_port port{};
  hyb_rig_plant plant{};
  hyb_rig rig{};
  int started = -1;
  std::deque<std::uint8_t> to_rig, from_rig;
  std::size_t takes = 1'000'000;  // bytes that the line takes at once
  bool hung_up = false, powered = false, refuses = false;
  std::int64_t now_ns = 1'000'000'000;
  double rest = 0.001, at = 0.001, rate = 0.0;
  int applied = 0;
  std::uint64_t lived = 0;
  std::string log;

  FrameStream stream;
  bool serial_line;
  std::optional<FrameAuth> auth;
  std::uint32_t sequence = 0, session = 0;
  std::deque<std::pair<FrameHeader, std::string>> waiting;
  FrameHeader header;
  std::string text;
};

QString kitFile(const char* file) { return QString::fromUtf8(test::kSourceDir) + "/resources/rig-kit/c/" + file; }

}  // namespace

class RigKitTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// With every compiler that this machine has; a tool chain for controllers is no requirement.
  void itCompiles_data() {
    QTest::addColumn<QStringList>("command");
    const QStringList strict{"-Wall", "-Wextra", "-pedantic", "-Werror", "-c", "-o", "out.o"};
    const auto row = [&](const char* name, const QString& compiler, const QStringList& more, const QString& file) {
      if (QStandardPaths::findExecutable(compiler).isEmpty()) return;
      QTest::newRow(name) << QStringList{compiler} + more + strict + QStringList{file};
    };
    row("kit", "gcc", {"-std=c99", "-O2"}, kitFile("hyb_rig.c"));
    row("kit, float", "gcc", {"-std=c99", "-O2", "-DHYB_RIG_REAL=float"}, kitFile("hyb_rig.c"));
    row("kit, 32 bits", "gcc", {"-std=c99", "-O2", "-m32", "-ffreestanding"}, kitFile("hyb_rig.c"));
    row("kit, clang", "clang", {"-std=c99", "-O2"}, kitFile("hyb_rig.c"));
    row("kit, C++", "g++", {"-std=c++11", "-x", "c++"}, kitFile("hyb_rig.h"));
    row("kit, AVR", "avr-gcc", {"-std=c99", "-Os", "-mmcu=atmega2560"}, kitFile("hyb_rig.c"));
    row("kit, ARM", "arm-none-eabi-gcc", {"-std=c99", "-Os", "-mcpu=cortex-m7", "-mthumb"}, kitFile("hyb_rig.c"));
    row("Linux", "gcc", {"-std=c99", "-O2"}, kitFile("linux_rig.c"));
    const QString core = QString::fromUtf8(test::kSourceDir) + "/tests/hardware/arduino/Arduino.h";
    row("sketch", "g++", {"-std=c++11", "-I", kitFile(""), "-include", core, "-x", "c++"},
        kitFile("hyb_rig_arduino/hyb_rig_arduino.ino"));
  }
  void itCompiles() {
    QFETCH(QStringList, command);
    QTemporaryDir folder;
    QProcess compiler;
    compiler.setWorkingDirectory(folder.path());
    compiler.start(command.front(), command.mid(1));
    QVERIFY(compiler.waitForFinished(test::kHangs_ms));
    const QByteArray said = compiler.readAllStandardError();
    if (said.contains("sys/cdefs.h") || said.contains("bits/libc-header-start.h"))
      return;  // a compiler without the C library of that machine
    QVERIFY2(compiler.exitCode() == 0, said.constData());
  }

  void partsAgreeWithThoseOfTheBench() {
    const std::string digits = "123456789";
    QCOMPARE(hyb_rig_crc32c(reinterpret_cast<const std::uint8_t*>(digits.data()), 9), 0xE3069283u);
    std::mt19937 random(7);
    for (std::size_t length = 0; length < 1200; length += length < 520 ? 1 : 37) {
      Bytes plain(length);
      for (auto& byte : plain) byte = static_cast<std::uint8_t>(length % 3 == 0 ? 1 : random() % 4);
      QCOMPARE(hyb_rig_crc32c(plain.data(), length), crc32c(plain));
      Bytes expected(cobsBound(length)), shared(length + length / 254 + 1);
      expected.resize(cobsEncode(plain, expected.data()));
      std::copy(plain.begin(), plain.end(), shared.end() - static_cast<std::ptrdiff_t>(length));
      shared.resize(hyb_rig_cobs_encode(shared.data() + shared.size() - length, length, shared.data()));
      QVERIFY2(shared == expected, std::to_string(length).c_str());
      QCOMPARE(hyb_rig_cobs_decode(shared.data(), shared.size()), length);
      QVERIFY(std::equal(plain.begin(), plain.end(), shared.begin()));
      Bytes32 key{}, tag{};
      for (auto& byte : key) byte = static_cast<std::uint8_t>(random());
      hyb_rig_hmac(key.data(), plain.data(), length, tag.data());
      QVERIFY(tag == Hmac(key).of(plain));
    }
    Bytes bad{5, 1, 2};
    QCOMPARE(hyb_rig_cobs_decode(bad.data(), bad.size()), static_cast<std::size_t>(-1));
    Bytes32 key{};
    QCOMPARE(hyb_rig_key_of_hex("0123", key.data()), -1);
    QCOMPARE(hyb_rig_key_of_hex(hexText(Bytes32{1, 2, 0xFE}).c_str(), key.data()), 0);
    QVERIFY((key == Bytes32{1, 2, 0xFE}));
  }

  /// Those of the Python kit, too: checksum, COBS both ways, on lengths around whole blocks.
  void partsOfPythonAgree() {
    const char* const script =
        "import sys; sys.path.insert(0, sys.argv[1]); import hyb_rig as h\n"
        "for n in list(range(0, 20)) + list(range(250, 260)) + list(range(505, 515)) + [1000]:\n"
        "  for p in (b'\\1' * n, bytes(k % 256 for k in range(n)), b'\\1' * n + b'\\0', b'\\0' * n):\n"
        "    assert h.cobs_decode(h.cobs_encode(p)) == p\n"
        "    print(p.hex() + ';' + h.cobs_encode(p).hex() + ';%08x' % h.crc32c(p))\n"
        "assert h.cobs_decode(b'\\5\\1') is None and h.cobs_decode(b'\\0') is None\n";
    QProcess python;
    python.start("python3", {"-B", "-c", script, QString::fromUtf8(test::kSourceDir) + "/resources/rig-kit/python"});
    QVERIFY(python.waitForFinished(test::kHangs_ms));
    QVERIFY2(python.exitCode() == 0, python.readAllStandardError().constData());
    const QList<QByteArray> lines = python.readAllStandardOutput().trimmed().split('\n');
    QCOMPARE(lines.size(), qsizetype{4 * 41});
    for (const QByteArray& line : lines) {
      const QList<QByteArray> parts = line.split(';');
      const QByteArray raw = QByteArray::fromHex(parts[0]);
      const Bytes plain(raw.begin(), raw.end());
      Bytes expected(cobsBound(plain.size()));
      expected.resize(cobsEncode(plain, expected.data()));
      const QByteArray encoded = QByteArray::fromHex(parts[1]);
      QVERIFY2(Bytes(encoded.begin(), encoded.end()) == expected, line.constData());
      QCOMPARE(parts[2].toUInt(nullptr, 16), crc32c(plain));
    }
  }

  /// WELCOME as the bench reads it: what both ranges have in common, and where the rig stands.
  void welcome() {
    MemoryRig memory;
    QCOMPARE(memory.started, 0);
    memory.rest = 0.0123456789012;
    QVERIFY(memory.greet());
    const Welcome welcome = readWelcome(memory.text);
    QCOMPARE(welcome.accepted.commands[0].min, -0.01);
    QCOMPARE(welcome.accepted.commands[0].max, 0.02);
    QVERIFY(std::isinf(welcome.accepted.commands[1].max) && std::isinf(welcome.accepted.measurements[0].min));
    QCOMPARE(welcome.accepted.measurements[1].max, 100.0);
    QVERIFY(std::abs(welcome.positions[0] - 0.0123456789012) < 1e-16);
    QCOMPARE(welcome.positions[1], 0.0);
    QCOMPARE(welcome.serial, std::string("memory"));
    QVERIFY(welcome.interlocks == std::vector<std::string>{"door"} && !welcome.faults);
    QVERIFY(welcome.accepted.version == kProtocolVersion && welcome.accepted.timing.silence_s == 0.1);
    QVERIFY(memory.rig.state == HYB_RIG_GREETED && !memory.powered && memory.applied == 0);
  }

  void positionsOfEverySizeComeAcross() {
    for (const double value : {1.0, -1.0, 10.0, 123456.789, 1e15, 9.99999999999999e-4, 1e-7, -3.25e-12, 6.02e23, 1e-30,
                               0.1, 999999.999999999, 1.0 / 3.0}) {
      MemoryRig memory;
      memory.rest = value;
      QVERIFY(memory.greet());
      const double found = readWelcome(memory.text).positions[0];
      QVERIFY2(std::abs(found - value) <= 2e-15 * std::abs(value), memory.text.c_str());
    }
  }

  void greetingsThatAreRefused_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("pointer");
    const auto row = [](const char* from, const char* to, const char* pointer) {
      QTest::addRow("%s", to) << from << to << pointer;
    };
    row("\"hybridbench-rig\"", "\"another\"", "/format");
    row("\"version\":2", "\"version\":3", "/version");
    row("\"rate_hz\":1000.0", "\"rate_hz\":999.0", "/rate_hz");
    row("\"rate_hz\":1000.0", "\"rate_hz\":\"fast\"", "/rate_hz");
    row("\"bench\"", "\"rig\"", "/pacing");
    row("command_rate_1", "command_2", "/commands/1/name");
    row("\"units\":\"N\"", "\"units\":\"kN\"", "/measurements/1/units");
    row("\"units\":\"N\",", "", "/measurements/1/units");
    row("\"min\":-0.01", "\"min\":0.03", "/commands/0/min");
    row("\"min\":-0.01", "\"min\":true", "/commands/0/min");
    row(",{\"name\":\"force_1\",\"units\":\"N\",\"min\":null,\"max\":null}", "", "/measurements");
    row("\"ramp\"", "\"jump\"", "/safe_action");
    row("\"silence_ms\":100.0", "\"silence_ms\":0", "/silence_ms");
    row("\"timeout_ticks\":50", "\"timeout_ticks\":{}", "/timeout_ticks");
  }
  void greetingsThatAreRefused() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, pointer);
    QString hello = QString::fromStdString(MemoryRig::hello());
    QVERIFY2(hello.contains(from), qPrintable(hello));
    MemoryRig memory;
    memory.say(FrameType::hello, hello.replace(from, to).toStdString());
    QVERIFY2(memory.heard(FrameType::refuse), memory.log.c_str());
    QCOMPARE(readRefusal(memory.text).where, pointer.toStdString());
    QCOMPARE(memory.rig.state, HYB_RIG_LISTENING);
  }

  /// Names in any spelling of JSON, and keys that nobody knows.
  void greetingsInAnotherSpelling() {
    QString hello = QString::fromStdString(MemoryRig::hello());
    hello.replace("\"command_1\"", "\"comm\\u0061nd_1\"").replace(",", " ,\n ").replace(":", " : ");
    hello.replace("1000.0", "1e3").insert(1, "\"later\" : {\"a\" : [1, \"}\", {\"b\" : null}]}, ");
    MemoryRig memory;
    memory.say(FrameType::hello, hello.toStdString());
    QVERIFY2(memory.heard(FrameType::welcome), (memory.log + hello.toStdString()).c_str());
  }

  /// Whatever comes, memory stays as long as it is, and a good bench is served after it.
  void nonsenseIsSurvived() {
    std::mt19937 random(11);
    const std::string good = MemoryRig::hello();
    for (int round = 0; round < (test::kThorough ? 20'000 : 3'000); ++round) {
      MemoryRig memory(round % 2 == 0);
      std::string text = good;
      for (int k = static_cast<int>(random() % 6); k >= 0; --k) {
        const std::size_t at = random() % text.size();
        if (random() % 3 == 0)
          text.resize(at + 1);
        else
          text[at] = "{}[]\",:\\u0e-9"[random() % 13];
      }
      memory.say(FrameType::hello, text);
      memory.say(FrameType::arm, text.substr(0, random() % text.size()));
      Bytes noise(random() % 600);
      for (auto& byte : noise) byte = static_cast<std::uint8_t>(random() % 5 == 0 ? 0 : random());
      memory.to_rig.insert(memory.to_rig.end(), noise.begin(), noise.end());
      memory.to_rig.push_back(0);
      (void)hyb_rig_poll(&memory.rig);
      QVERIFY(memory.applied == 0);
      hyb_rig_connected(&memory.rig);
      memory.heard(FrameType::bye);
      memory.stream = FrameStream(round % 2 == 0 ? FrameStream::Coding::cobs : FrameStream::Coding::plain);
      memory.session = 0;
      QVERIFY(memory.greet());
    }
  }

  void greetingsLongerThanItsMemory_data() {
    QTest::addColumn<bool>("serial");
    QTest::newRow("TCP") << false;
    QTest::newRow("serial") << true;
  }
  void greetingsLongerThanItsMemory() {
    QFETCH(bool, serial);
    MemoryRig memory(serial);
    std::string hello = MemoryRig::hello();
    hello.insert(1, "\"more\":\"" + std::string(2 * HYB_RIG_BUFFER, 'x') + "\",");
    memory.say(FrameType::hello, hello);
    for (int k = 0; k < 4; ++k) (void)hyb_rig_poll(&memory.rig);
    QVERIFY(memory.heard(FrameType::refuse));
    QVERIFY(has(readRefusal(memory.text).message, "HYB_RIG_BUFFER"));
    if (serial) QVERIFY2(memory.greet(), memory.log.c_str());
  }

  void aLineThatTakesLittleAtOnce() {
    MemoryRig memory(true);
    memory.takes = 7;
    memory.say(FrameType::hello, MemoryRig::hello());
    for (int k = 0; k < 400; ++k) (void)hyb_rig_poll(&memory.rig);
    QVERIFY(memory.heard(FrameType::welcome));
  }

  void armingIsLookedAt() {
    MemoryRig memory;
    memory.say(FrameType::arm, writeArm(std::vector{0.001, 0.0}));
    QVERIFY(memory.heard(FrameType::refuse));
    QVERIFY(memory.greet());
    for (const auto& positions : {std::vector{0.0012, 0.0}, std::vector{0.001}, std::vector{0.001, 0.0, 0.0}}) {
      memory.say(FrameType::arm, writeArm(positions));
      QVERIFY(memory.heard(FrameType::refuse));
      QVERIFY(readRefusal(memory.text).where.starts_with("/positions"));
      QVERIFY(!memory.powered);
    }
    memory.command(1, 0.001);  // not armed: nothing
    QCOMPARE(memory.applied, 0);
    memory.say(FrameType::hold);
    QVERIFY(memory.heard(FrameType::measurement));
    memory.say(FrameType::arm, writeArm(std::vector{0.00105, 0.0}));
    QVERIFY(memory.heard(FrameType::armed) && memory.powered);
    QVERIFY((memory.header.status & kDeviceEnabled) != 0);
    memory.say(FrameType::hello, MemoryRig::hello());
    QVERIFY(memory.heard(FrameType::refuse));
    QVERIFY(has(readRefusal(memory.text).message, "send STOP first"));
  }

  void commandsAreAnsweredClippedAndCounted() {
    MemoryRig memory;
    QVERIFY(memory.arm());
    memory.command(10, 0.0015, 0.1);
    QVERIFY(memory.heard(FrameType::measurement));
    QCOMPARE(memory.header.tick, std::uint64_t{10});
    QCOMPARE(memory.value(0), 0.001);  // the sample of the instant before
    QCOMPARE(memory.value(1), 1.5);
    QVERIFY(memory.at == 0.0015 && memory.rate == 0.1);
    memory.command(10, 0.0016);  // not newer
    QVERIFY(!memory.heard(FrameType::measurement));
    QCOMPARE(memory.rig.figures.out_of_order, 1u);
    memory.now_ns += 40'000'000;
    memory.command(50, 0.0215, 0.0);  // 40 ticks later: 0.5 mm a tick, and beyond the range
    QVERIFY2(memory.heard(FrameType::measurement), memory.log.c_str());
    QCOMPARE(memory.lived, std::uint64_t{40});
    QCOMPARE(memory.at, 0.02);
    QVERIFY((memory.header.status & kDeviceCommandClipped) != 0 && memory.rig.figures.clipped == 1);
    // Of another session, or damaged: nothing.
    memory.session ^= 1;
    memory.command(51, 0.0199);
    memory.session ^= 1;
    QCOMPARE(memory.at, 0.02);
    memory.refuses = true;
    memory.command(52, 0.0198);
    memory.command(53, 0.0198);
    QVERIFY(memory.heard(FrameType::measurement) && (memory.header.status & kDeviceFault) != 0);
  }

  void commandsThatStopIt_data() {
    QTest::addColumn<double>("position");
    QTest::addColumn<double>("rate");
    QTest::addColumn<std::uint64_t>("tick");
    QTest::addColumn<QString>("words");
    const std::uint64_t next = 2;
    QTest::newRow("step") << 0.0025 << 0.0 << next
                          << "command_1 would step in one tick by 0.0015 m; this rig allows 0.001 m";
    QTest::newRow("speed") << 0.0018 << 0.0 << next << "command_1 would move at 0.8 m/s; this rig allows 0.5 m/s";
    QTest::newRow("rate") << 0.001 << -0.6 << next << "command_rate_1 is 0.6 m/s; this rig allows 0.5 m/s";
    QTest::newRow("NaN") << kNoNumber << 0.0 << next << "command_1 is not a number";
    QTest::newRow("infinite") << HUGE_VAL << 0.0 << next << "command_1 is infinite";
    QTest::newRow("jump") << 0.001 << 0.0 << std::uint64_t{102}
                          << "the tick of a command jumps by 101 periods; allowed are 100";
  }
  void commandsThatStopIt() {
    QFETCH(double, position);
    QFETCH(double, rate);
    QFETCH(std::uint64_t, tick);
    QFETCH(QString, words);
    MemoryRig memory;
    QVERIFY(memory.arm());
    memory.command(1, 0.001);
    memory.command(tick, position, rate);
    QCOMPARE(memory.at, 0.001);
    QCOMPARE(memory.event(), "stopped: " + words.toStdString());
    QVERIFY(memory.heard(FrameType::stopped));
    QVERIFY(memory.rig.state == HYB_RIG_STOPPED && !memory.powered);  // at rest already: no ramp
    memory.command(tick + 1, 0.001);
    QVERIFY(memory.heard(FrameType::stopped));
    QCOMPARE(memory.applied, 1);
  }

  /// Not before the silence that was agreed on; then along a cosine, by its own clock, to its own rest.
  void itStopsWhenCommandsCease() {
    MemoryRig memory;
    QVERIFY(memory.arm({.timeout_ticks = 5, .silence_s = 0.1, .ramp_s = 0.05}));
    memory.command(1, 0.0015);
    QVERIFY(memory.heard(FrameType::measurement));
    QVERIFY(memory.pass(0.006));
    memory.say(FrameType::ping, std::string(8, '\1'));
    QVERIFY(memory.heard(FrameType::pong) && memory.text.size() == 24);
    QVERIFY((memory.header.status & kDeviceStaleCommand) != 0);
    QVERIFY(memory.pass(0.094));
    QCOMPARE(memory.rig.state, HYB_RIG_ARMED);
    memory.now_ns += 1;
    QVERIFY(hyb_rig_poll(&memory.rig) != 0);
    QCOMPARE(memory.rig.state, HYB_RIG_STOPPING);
    QCOMPARE(memory.event(), std::string("stopped: no command for 0.1 s"));
    QVERIFY(memory.heard(FrameType::stopped) && (memory.header.status & kDeviceRamping) != 0);
    for (int k = 1; k <= 50; ++k) {
      QVERIFY(memory.powered);
      QVERIFY(memory.pass(0.001));
      const double share = 0.5 * (1.0 - std::cos(std::numbers::pi * k / 50.0));
      QVERIFY(std::abs(memory.at - (0.0015 - share * 0.0005)) < 1e-12);
      if (k == 25) QVERIFY(std::abs(memory.rate + 0.5 * std::numbers::pi / 0.05 * 0.0005) < 1e-9);
    }
    QVERIFY(!memory.powered && memory.rig.state == HYB_RIG_STOPPED && memory.at == 0.001 && memory.rate == 0.0);
    QVERIFY2(has(memory.log, "at rest: ramped to rest and powered off, 0.15 s after the last command, at 0.001"),
             memory.log.c_str());
    QVERIFY(memory.heard(FrameType::stopped) && (memory.header.status & kDeviceStopped) != 0);
    memory.say(FrameType::arm, writeArm(std::vector{0.001, 0.0}));
    QVERIFY(memory.heard(FrameType::refuse));
    QVERIFY(memory.arm());
  }

  void aHoldFeedsTheWatchdog() {
    MemoryRig memory;
    QVERIFY(memory.arm());
    memory.command(1, 0.0015);
    for (int k = 0; k < 10; ++k) {
      QVERIFY(memory.pass(0.09));
      memory.say(FrameType::hold);
    }
    QCOMPARE(memory.rig.state, HYB_RIG_ARMED);
  }

  void safeActions_data() {
    QTest::addColumn<int>("action");
    QTest::addColumn<QString>("how");
    QTest::addColumn<bool>("powered");
    QTest::newRow("hold") << static_cast<int>(SafeAction::hold) << "holding the last command" << true;
    QTest::newRow("off") << static_cast<int>(SafeAction::off) << "powered off" << false;
  }
  void safeActions() {
    QFETCH(int, action);
    QFETCH(QString, how);
    QFETCH(bool, powered);
    for (const char* by : {"stop", "goodbye", "hang up", "own"}) {
      MemoryRig memory;
      QVERIFY(memory.arm({.safe_action = static_cast<SafeAction>(action)}));
      memory.command(1, 0.0015);
      const std::string way = by;
      memory.hung_up = way == "hang up";
      if (way == "stop") memory.say(FrameType::stop);
      if (way == "goodbye") memory.put(memory.sealed(FrameType::bye, {}));
      if (way == "own") hyb_rig_stop(&memory.rig, "the oil is hot");
      if (memory.hung_up) memory.put({});
      const bool stays = way == "stop" || way == "own";
      QCOMPARE(hyb_rig_poll(&memory.rig) != 0, stays);
      QVERIFY2(has(memory.log, "at rest: " + how.toStdString()), memory.log.c_str());
      QCOMPARE(memory.at, 0.0015);
      QCOMPARE(memory.powered, powered && stays);
      QCOMPARE(memory.rig.state, stays ? HYB_RIG_STOPPED : HYB_RIG_LISTENING);
      if (way == "own") QCOMPARE(memory.event(), std::string("stopped: the oil is hot"));
    }
  }

  void damage() {
    for (const bool serial : {false, true}) {
      MemoryRig memory(serial);
      QVERIFY(memory.arm({.safe_action = SafeAction::hold}));
      memory.command(1, 0.0015);
      QVERIFY(memory.heard(FrameType::measurement));
      Bytes frame = memory.sealed(FrameType::command, Bytes(16), 2);
      frame[44] ^= 0x40u;
      memory.put(frame);
      (void)hyb_rig_poll(&memory.rig);
      QVERIFY(memory.at == 0.0015 && memory.rig.figures.damaged == 1);
      if (serial) {
        QCOMPARE(memory.rig.state, HYB_RIG_ARMED);
        memory.command(3, 0.0014);
        QVERIFY(memory.heard(FrameType::measurement));
        continue;
      }
      QCOMPARE(memory.event(),
               std::string("stopped: 1 damaged frame came from the bench (wrong checksum): check the cable"));
      QVERIFY(memory.heard(FrameType::bye));
    }
  }

  void aSilentBenchLosesItsPlace() {
    for (const bool serial : {false, true}) {
      MemoryRig memory(serial);
      QVERIFY(memory.greet());
      QVERIFY(memory.pass(5.0));
      QCOMPARE(memory.rig.state, HYB_RIG_GREETED);
      QCOMPARE(memory.pass(0.001), serial);
      QCOMPARE(memory.rig.state, HYB_RIG_LISTENING);
      QVERIFY(has(memory.event(), "silent for 5 s"));
      QVERIFY(memory.heard(FrameType::bye));
    }
  }

  void keys() {
    const Bytes32 key{1, 2, 3}, nonce{9};
    for (const bool serial : {false, true}) {
      MemoryRig memory(serial, &key);
      QVERIFY(!memory.greet());
      memory.say(FrameType::hello, MemoryRig::hello({}, nonce));
      QVERIFY(memory.heard(FrameType::challenge));
      const Challenge challenge = readChallenge(memory.text);
      QVERIFY(challenge.proof == FrameAuth::proof(key, nonce, challenge.nonce));
      memory.say(FrameType::arm, writeArm(std::vector{0.001, 0.0}));  // plain: nothing
      QVERIFY(!memory.heard(FrameType::armed));
      memory.auth.emplace(key, nonce, challenge.nonce, FrameAuth::Side::bench);
      memory.say(FrameType::hello, MemoryRig::hello({.safe_action = SafeAction::hold}, nonce));
      QVERIFY(memory.heard(FrameType::welcome));
      memory.session = memory.header.session;
      memory.say(FrameType::arm, writeArm(std::vector{0.001, 0.0}));
      QVERIFY(memory.heard(FrameType::armed));
      const Bytes first = [&] {
        Bytes payload(16);
        putValue(payload.data(), 0.0012);
        return memory.sealed(FrameType::command, payload, 1);
      }();
      memory.put(first);
      memory.put(first);  // twice: once
      (void)hyb_rig_poll(&memory.rig);
      QVERIFY(memory.applied == 1 && memory.at == 0.0012 && memory.rig.figures.out_of_order == 1);
      FrameAuth stranger(Bytes32{4}, nonce, challenge.nonce, FrameAuth::Side::bench);
      memory.auth.emplace(std::move(stranger));
      memory.command(2, 0.0013);
      QCOMPARE(memory.at, 0.0012);
      QCOMPARE(memory.rig.state, serial ? HYB_RIG_ARMED : HYB_RIG_LISTENING);
    }
  }

  void whatItCannotBeConfiguredWith() {
    MemoryRig memory;
    hyb_rig_config config = memory.config;
    config.command_count = HYB_RIG_CHANNELS + 1;
    QCOMPARE(hyb_rig_init(&memory.rig, &config, &memory.port, &memory.plant), -1);
    const Bytes32 key{};
    config = memory.config;
    config.key = key.data();
    hyb_rig_port port = memory.port;
    port.random = nullptr;
    QCOMPARE(hyb_rig_init(&memory.rig, &config, &port, &memory.plant), -1);
  }
};

HYB_SUITE(rig_kit, RigKitTest)
#include "rig_kit_test.moc"
