#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/rig/ads_protocol.h"
#include "hardware/port.h"

namespace hyb::test {

/// The other end of an ADS connection: a Beckhoff controller whose program has an ideal actuator on a spring of 1000
/// N/m, written from the bytes of the protocol. NetId 5.1.2.3.1.1, PLC at port 851. Its variables: MAIN.target, MAIN.x,
/// MAIN.force (LREAL), MAIN.stop (BOOL), MAIN.alive (UDINT), MAIN.small (INT), MAIN.real (REAL), MAIN.fixed (LREAL,
/// read-only), MAIN.list (array), and those of its task. Data area 0x4040: 64 bytes; x is at byte 16 too.
class AdsPartner {
 public:
  using Bytes = std::vector<std::uint8_t>;
  enum class Mode {
    good,
    silent,
    closes,          // at each request
    half_frame,      // half an answer, then it closes
    wrong_id,        // each answer has another invoke id
    wrong_length,    // the answers to sum reads are one byte short
    wrong_header,    // the length of the header differs from that of the data
    nonsense,        // no AMS frames
    late,            // sum reads are answered with the first one in good mode, before its own answer
    notifies,        // before each answer: a notification, an echo of the request, a frame of the router
    ams_error,       // error `error` instead of each answer to a sum command
    device_error,    // the same as a result
    part_error,      // the same of the first value of each sum read
    refuses_writes,  // the same of the first value of each sum write
  };
  static constexpr double kStiffness = 1000.0;
  static constexpr std::uint16_t kPlc = 851, kSystem = 10000;

  AdsPartner() : listener_(parseAddress("tcp://127.0.0.1:0", ""), SerialSpec()) {
    for (const auto& [name, code, size] : {std::tuple{"MAIN.target", 5u, 8u},
                                           {"MAIN.x", 5u, 8u},
                                           {"MAIN.force", 5u, 8u},
                                           {"MAIN.stop", 0x21u, 1u},
                                           {"MAIN.alive", 0x13u, 4u},
                                           {"MAIN.small", 2u, 2u},
                                           {"MAIN.real", 4u, 4u},
                                           {"MAIN.fixed", 5u, 8u},
                                           {"MAIN.list", 5u, 16u},
                                           {"MAIN.text", 0x1Eu, 8u},
                                           {"TwinCAT_SystemInfoVarList._TaskInfo[1].CycleCount", 0x13u, 4u},
                                           {"TwinCAT_SystemInfoVarList._TaskInfo[1].CycleTime", 0x13u, 4u}})
      symbols_.push_back({name, code, code == 5u && size == 8u ? "LREAL" : "", Bytes(size, 0)});
    const std::uint32_t cycle = 10'000;  // 1 ms
    std::memcpy(symbols_[kCycleTime].bytes.data(), &cycle, 4);
    thread_ = std::thread([this] { work(); });
  }
  ~AdsPartner() {
    closing_ = true;
    thread_.join();
  }
  AdsPartner(const AdsPartner&) = delete;
  AdsPartner& operator=(const AdsPartner&) = delete;

  const std::string& address() const { return listener_.address(); }
  std::atomic<Mode> mode{Mode::good};
  std::atomic<bool> once{false};  // the mode ends with the first request
  std::atomic<std::uint32_t> error{0x703};
  std::atomic<std::uint16_t> state{5}, twincat_state{5};
  std::atomic<bool> has_runtime{true}, has_version{true}, has_entries{true}, sums_handles{true}, counts{true};
  std::atomic<bool> answers_together{false};  // only once a sum read has come, as one who answers both at once
  std::atomic<std::uint8_t> version{3};
  std::atomic<std::uint32_t> stale_with{0};  // error of all handles given out so far
  std::atomic<std::uint32_t> cycle_time_100ns{10'000};
  std::atomic<bool> stopped{false};
  std::atomic<bool> broken_sensor{false};  // MAIN.x is not a number
  std::atomic<std::uint32_t> alive{0};     // watchdog
  std::atomic<int> requests{0}, sum_reads{0}, sum_writes{0}, states{0}, connections{0}, handles_out{0};

  /// TwinCAT starts again: the counter does, and no handle is valid any more.
  void restart() {
    const std::lock_guard lock(guard_);
    handles_.clear();
    cycles_ = 0;
  }
  /// Handles are lost, nothing else.
  void forgetHandles() {
    const std::lock_guard lock(guard_);
    handles_.clear();
  }
  void hideSymbol(const std::string& name) {
    const std::lock_guard lock(guard_);
    for (Symbol& symbol : symbols_)
      if (symbol.name == name) symbol.name += "_gone";
  }
  /// The answer to one AMS frame without its TCP header; empty: none.
  Bytes answerTo(std::span<const std::uint8_t> frame) {
    const std::lock_guard lock(guard_);
    return reply(frame);
  }

  static std::uint16_t word(std::span<const std::uint8_t> bytes, std::size_t at) {
    return static_cast<std::uint16_t>(bytes[at] | bytes[at + 1] << 8);
  }
  static std::uint32_t dword(std::span<const std::uint8_t> bytes, std::size_t at) {
    return word(bytes, at) | static_cast<std::uint32_t>(word(bytes, at + 2)) << 16;
  }
  static void put(Bytes& bytes, std::uint32_t value, int count = 4) {
    for (int k = 0; k < count; ++k, value >>= 8) bytes.push_back(static_cast<std::uint8_t>(value));
  }
  static void append(Bytes& bytes, std::span<const std::uint8_t> more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
  }

 private:
  enum { kTarget, kX, kForce, kStop, kAlive, kSmall, kReal, kFixed, kList, kText, kCycleCount, kCycleTime };
  static constexpr std::uint32_t kFirstHandle = 0x10000001;
  struct Symbol {
    std::string name;
    std::uint32_t code;
    std::string type;
    Bytes bytes;
  };
  struct Value {
    std::uint32_t error = 0;
    std::span<std::uint8_t> bytes = {};
  };

  void work() {
    while (!closing_) {
      const std::unique_ptr<Port> client = listener_.accept(std::chrono::milliseconds(20));
      if (!client) continue;
      ++connections;
      {
        const std::lock_guard lock(guard_);
        if (held_) store(kTarget, 0.0);  // after a stop, who comes begins anew: at home
        held_ = false;
        move();
      }
      Bytes received, owed;
      for (bool open = true; open && !closing_;) {
        if (!client->waitReadable(std::chrono::milliseconds(20))) continue;
        std::array<std::uint8_t, 4096> chunk;
        const Port::Result got = client->read(chunk);
        received.insert(received.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(got.bytes));
        open = !got.closed;
        while (open && received.size() >= 6 && received.size() >= 6 + dword(received, 2)) {
          const Bytes frame(received.begin() + 6,
                            received.begin() + 6 + static_cast<std::ptrdiff_t>(dword(received, 2)));
          received.erase(received.begin(), received.begin() + 6 + static_cast<std::ptrdiff_t>(frame.size()));
          open = serve(*client, frame, owed);
        }
      }
    }
  }

  static bool isSum(std::span<const std::uint8_t> frame, std::uint32_t group) {
    return word(frame, 16) == 9 && frame.size() >= 36 && dword(frame, 32) == group;
  }

  /// False: it closes the connection.
  bool serve(Port& client, const Bytes& frame, Bytes& owed) {
    const std::unique_lock lock(guard_);
    ++requests;
    const bool reading = isSum(frame, 0xF080), writing = isSum(frame, 0xF081) && !isRelease(frame);
    sum_reads += reading;
    sum_writes += writing;
    states += word(frame, 16) == 4;
    const Mode now = once.exchange(false) ? mode.exchange(Mode::good) : mode.load();
    if (now == Mode::silent) return true;
    if (now == Mode::closes) return false;
    Bytes answer = reply(frame);
    if (answer.empty()) return true;
    Bytes before;
    switch (now) {
      case Mode::ams_error:
        if (!reading && !writing) break;
        answer.resize(32);
        std::fill_n(answer.begin() + 20, 4, std::uint8_t{0});
        replace(answer, 24, error);
        break;
      case Mode::device_error:
        if (!reading && !writing) break;
        answer.resize(36);
        replace(answer, 20, 4);
        replace(answer, 32, error);
        break;
      case Mode::part_error:
        if (reading) replace(answer, 40, error);
        break;
      case Mode::refuses_writes:
        if (writing) replace(answer, 40, error);
        break;
      case Mode::wrong_id:
        answer[28] = static_cast<std::uint8_t>(answer[28] + 100);
        break;
      case Mode::wrong_length:
        if (!reading) break;
        answer.pop_back();
        replace(answer, 20, static_cast<std::uint32_t>(answer.size() - 32));
        replace(answer, 36, static_cast<std::uint32_t>(answer.size() - 40));
        break;
      case Mode::wrong_header:
        if (reading) replace(answer, 20, static_cast<std::uint32_t>(answer.size() - 31));
        break;
      case Mode::nonsense:
        return static_cast<bool>(client.writeAll(Bytes{'H', 'T', 'T', 'P', '/', '1', '.', '1'}, kPatience));
      case Mode::notifies:
        before = strangers(frame);
        break;
      case Mode::late:
        if (!reading) break;
        append(owed, framed(answer));
        return true;
      case Mode::good:
        if (reading) std::swap(before, owed);
        break;
      case Mode::half_frame:
      case Mode::silent:
      case Mode::closes:
        break;
    }
    Bytes bytes = framed(answer);
    if (now == Mode::half_frame) {
      bytes.resize(bytes.size() / 2);
      (void)client.writeAll(bytes, kPatience);
      return false;
    }
    before.insert(before.end(), bytes.begin(), bytes.end());
    if (answers_together && !reading) {
      append(together_, before);
      return true;
    }
    together_.insert(together_.end(), before.begin(), before.end());
    const bool sent = client.writeAll(together_, kPatience);
    together_.clear();
    return sent;
  }

  static bool isRelease(std::span<const std::uint8_t> frame) {
    return frame.size() >= 52 && dword(frame, 48) == 0xF006;
  }
  static void replace(Bytes& bytes, std::size_t at, std::uint32_t value) {
    for (std::size_t k = 0; k < 4; ++k, value >>= 8) bytes[at + k] = static_cast<std::uint8_t>(value);
  }
  static Bytes framed(const Bytes& frame, std::uint32_t reserved = 0) {
    Bytes bytes;
    put(bytes, reserved, 2);
    put(bytes, static_cast<std::uint32_t>(frame.size()));
    append(bytes, frame);
    return bytes;
  }
  static Bytes strangers(const Bytes& frame) {
    Bytes notification(frame.begin(), frame.begin() + 32);
    notification[16] = 8;
    replace(notification, 20, 0);
    Bytes bytes = framed(notification);
    append(bytes, framed(frame));
    append(bytes, framed({1, 2, 3, 4, 5, 6, 7, 8}, 0x1000));
    return bytes;
  }

  // The protocol.

  Bytes reply(std::span<const std::uint8_t> frame) {
    if (frame.size() < 32 || (frame[18] & 1u) != 0) return {};
    Bytes answer(frame.begin() + 8, frame.begin() + 16);
    answer.insert(answer.end(), frame.begin(), frame.begin() + 8);
    put(answer, word(frame, 16), 2);
    put(answer, 5, 2);
    const std::uint16_t port = word(frame, 6);
    static constexpr std::array<std::uint8_t, 6> kOwn = {5, 1, 2, 3, 1, 1};
    std::uint32_t ams_error = 0;
    if (!std::equal(kOwn.begin(), kOwn.end(), frame.begin())) ams_error = 7;
    if (ams_error == 0 && port != kSystem && (port != kPlc || !has_runtime)) ams_error = 6;
    const Bytes data = ams_error == 0 ? obey(word(frame, 16), port, frame.subspan(32)) : Bytes();
    put(answer, static_cast<std::uint32_t>(data.size()));
    put(answer, ams_error);
    append(answer, frame.subspan(28, 4));
    append(answer, data);
    return answer;
  }

  Bytes obey(std::uint16_t command, std::uint16_t port, std::span<const std::uint8_t> data) {
    Bytes answer;
    if (command == 4) {
      put(answer, 0);
      put(answer, port == kSystem ? twincat_state : state, 2);
      put(answer, 0, 2);
      return answer;
    }
    if (command == 1) {
      answer = {0, 0, 0, 0, 3, 1, 0xB8, 0x0F};
      append(answer, Bytes{'P', 'l', 'c', '3', '0', ' ', 'A', 'p', 'p', 0, 0, 0, 0, 0, 0, 0});
      return answer;
    }
    const std::uint32_t group = dword(data, 0), offset = dword(data, 4), length = dword(data, 8);
    if (command == 2) return withLength(read(group, offset, length));
    if (command == 3) {
      put(answer, write(group, offset, data.subspan(12, length)));
      move();
      return answer;
    }
    if (command != 9) return {0x01, 0x07, 0, 0};
    return withLength(readWrite(group, offset, data.subspan(16)));
  }

  struct Result {
    std::uint32_t error = 0;
    Bytes bytes = {};
  };
  static Bytes withLength(const Result& result) {
    Bytes answer;
    put(answer, result.error);
    put(answer, static_cast<std::uint32_t>(result.bytes.size()));
    append(answer, result.bytes);
    return answer;
  }

  static std::string lowered(std::string name) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
  }
  Symbol* symbolOf(std::span<const std::uint8_t> name) {
    const std::string wanted = lowered(std::string(name.begin(), std::ranges::find(name, std::uint8_t{0})));
    const auto found = std::ranges::find_if(symbols_, [&](const Symbol& s) { return lowered(s.name) == wanted; });
    return found != symbols_.end() ? &*found : nullptr;
  }
  Value valueOf(std::uint32_t group, std::uint32_t offset, std::uint32_t size) {
    if (group == 0x4040) {
      if (offset + size > area_.size()) return {0x703};
      return {0, std::span(area_).subspan(offset, size)};
    }
    if (group != 0xF005) return {0x702};
    if (stale_with != 0) return {stale_with};
    const auto handle = handles_.find(offset);
    if (handle == handles_.end()) return {0x710};
    Bytes& bytes = symbols_[handle->second].bytes;
    if (size > bytes.size()) return {0x705};
    return {0, std::span(bytes).first(size)};
  }

  Result read(std::uint32_t group, std::uint32_t offset, std::uint32_t size) {
    if (group == 0xF008) return has_version ? Result{0, {version}} : Result{0x702};
    const Value value = valueOf(group, offset, size);
    return {value.error, Bytes(value.bytes.begin(), value.bytes.end())};
  }
  std::uint32_t write(std::uint32_t group, std::uint32_t offset, std::span<const std::uint8_t> bytes) {
    if (group == 0xF006) {
      const bool known = bytes.size() == 4 && handles_.erase(dword(bytes, 0)) == 1;
      handles_out -= known;
      return known ? 0u : 0x710u;
    }
    const Value value = valueOf(group, offset, static_cast<std::uint32_t>(bytes.size()));
    if (value.error == 0) std::copy(bytes.begin(), bytes.end(), value.bytes.begin());
    return value.error;
  }
  Result readWrite(std::uint32_t group, std::uint32_t offset, std::span<const std::uint8_t> data) {
    switch (group) {
      case 0xF003: {
        const Symbol* const symbol = symbolOf(data);
        if (symbol == nullptr) return {0x710};
        handles_[next_handle_] = static_cast<std::size_t>(symbol - symbols_.data());
        ++handles_out;
        stale_with = 0;
        Bytes handle;
        put(handle, next_handle_++);
        return {0, handle};
      }
      case 0xF009: {
        if (!has_entries) return {0x701};
        const Symbol* const symbol = symbolOf(data);
        return symbol != nullptr ? Result{0, entryOf(*symbol)} : Result{0x710};
      }
      case 0xF080:
        return sumRead(offset, data);
      case 0xF081:
        return sumWrite(offset, data);
      case 0xF082:
        return sums_handles ? sumReadWrite(offset, data) : Result{0x701};
      default:
        return {0x702};
    }
  }

  Result sumRead(std::uint32_t count, std::span<const std::uint8_t> data) {
    if (counts) ++cycles_;
    std::memcpy(symbols_[kCycleCount].bytes.data(), &cycles_, 4);
    Result result;
    Bytes values;
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t size = dword(data, 12 * k + 8);
      Result one = read(dword(data, 12 * k), dword(data, 12 * k + 4), size);
      one.bytes.resize(size);  // also where there is an error
      put(result.bytes, one.error);
      append(values, one.bytes);
    }
    append(result.bytes, values);
    return result;
  }
  Result sumWrite(std::uint32_t count, std::span<const std::uint8_t> data) {
    Result result;
    std::size_t at = 12 * count;
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t size = dword(data, 12 * k + 8);
      put(result.bytes, write(dword(data, 12 * k), dword(data, 12 * k + 4), data.subspan(at, size)));
      at += size;
    }
    move();
    return result;
  }
  Result sumReadWrite(std::uint32_t count, std::span<const std::uint8_t> data) {
    Result result;
    Bytes values;
    std::size_t at = 16 * count;
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t size = dword(data, 16 * k + 12);
      const Result one = readWrite(dword(data, 16 * k), dword(data, 16 * k + 4), data.subspan(at, size));
      at += size;
      put(result.bytes, one.error);
      put(result.bytes, static_cast<std::uint32_t>(one.bytes.size()));
      append(values, one.bytes);
    }
    append(result.bytes, values);
    return result;
  }

  Bytes entryOf(const Symbol& symbol) {
    const std::string comment = "of the test";
    Bytes entry;
    put(entry, static_cast<std::uint32_t>(33 + symbol.name.size() + symbol.type.size() + comment.size()));
    put(entry, 0x4040);
    put(entry, 0);
    put(entry, static_cast<std::uint32_t>(symbol.bytes.size()));
    put(entry, symbol.code);
    put(entry, symbol.name == "MAIN.fixed" ? 0x28 : 8);
    for (const std::string* text : {&symbol.name, &symbol.type, &comment})
      put(entry, static_cast<std::uint32_t>(text->size()), 2);
    for (const std::string* text : {&symbol.name, &symbol.type, &comment}) {
      entry.insert(entry.end(), text->begin(), text->end());
      entry.push_back(0);
    }
    return entry;
  }

  // The program.

  void store(int symbol, double value) {
    std::memcpy(symbols_[static_cast<std::size_t>(symbol)].bytes.data(), &value, 8);
  }
  void move() {
    if (symbols_[kStop].bytes[0] != 0) stopped = held_ = true;
    symbols_[kStop].bytes[0] = 0;
    std::uint32_t count = 0;
    std::memcpy(&count, symbols_[kAlive].bytes.data(), 4);
    alive = count;
    const std::uint32_t cycle = cycle_time_100ns;
    std::memcpy(symbols_[kCycleTime].bytes.data(), &cycle, 4);
    if (held_) return;
    double x = 0.0;
    std::memcpy(&x, symbols_[kTarget].bytes.data(), 8);
    store(kX, broken_sensor ? std::nan("") : x);
    store(kForce, kStiffness * x);
    std::memcpy(area_.data() + 16, &x, 8);
  }

  static constexpr auto kPatience = std::chrono::seconds(60);
  Listener listener_;
  std::mutex guard_;
  std::vector<Symbol> symbols_;
  std::array<std::uint8_t, 64> area_{};
  std::map<std::uint32_t, std::size_t> handles_;
  std::uint32_t next_handle_ = kFirstHandle, cycles_ = 0;
  Bytes together_;
  bool held_ = false;
  std::atomic<bool> closing_{false};
  std::thread thread_;
};

}  // namespace hyb::test
