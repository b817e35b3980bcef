#include "hardware/modbus_link.h"

#include <modbus.h>

#include <algorithm>
#include <array>
#include <utility>

namespace hyb {
namespace {

using namespace std::chrono_literals;

constexpr auto kListenSlice = 20ms;  // reaction time to an interrupt
constexpr int kDiagnostics = 8;
constexpr std::uint8_t kException = 0x80;
constexpr std::size_t kTcpHeader = 6;       // TCP: transaction, protocol and length, before the unit
constexpr std::size_t kLongestTcp = 254;    // of unit and answer over TCP
constexpr std::size_t kShortestTcp = 3;     // an exception
constexpr std::size_t kShortestSerial = 5;  // an exception with unit and checksum

std::uint8_t high(int word) noexcept { return static_cast<std::uint8_t>(word >> 8 & 0xFF); }
std::uint8_t low(int word) noexcept { return static_cast<std::uint8_t>(word & 0xFF); }
int word(std::span<const std::uint8_t> bytes, std::size_t at) noexcept { return bytes[at] << 8 | bytes[at + 1]; }

void append(std::vector<std::uint8_t>& bytes, std::initializer_list<int> words) {
  for (const int value : words) bytes.insert(bytes.end(), {high(value), low(value)});
}
void appendValues(std::vector<std::uint8_t>& bytes, std::span<const std::uint16_t> values) {
  bytes.push_back(static_cast<std::uint8_t>(2 * values.size()));
  for (const std::uint16_t value : values) append(bytes, {value});
}

/// Of Modbus RTU, lower byte first; libmodbus does not export its own.
std::array<std::uint8_t, 2> checksum(std::span<const std::uint8_t> bytes) noexcept {
  unsigned sum = 0xFFFF;
  for (const std::uint8_t byte : bytes) {
    sum ^= byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum & 1) != 0 ? sum >> 1 ^ 0xA001 : sum >> 1;
  }
  return {static_cast<std::uint8_t>(sum & 0xFF), static_cast<std::uint8_t>(sum >> 8)};
}

/// Bytes of the serial frame with this start; 0: too short to decide, or unsupported function.
std::size_t serialLength(std::span<const std::uint8_t> bytes) noexcept {
  if (bytes.size() < 3) return 0;
  if ((bytes[1] & kException) != 0) return kShortestSerial;
  switch (bytes[1]) {
    case MODBUS_FC_READ_HOLDING_REGISTERS:
    case MODBUS_FC_READ_INPUT_REGISTERS:
    case MODBUS_FC_WRITE_AND_READ_REGISTERS:
      return kShortestSerial + bytes[2];
    case MODBUS_FC_WRITE_MULTIPLE_REGISTERS:
    case kDiagnostics:
      return 8;
    default:
      return 0;
  }
}

bool startsWith(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> start) noexcept {
  return bytes.size() >= start.size() && std::equal(start.begin(), start.end(), bytes.begin());
}

}  // namespace

ModbusRequest ModbusRequest::read(int function, int address, int count) {
  ModbusRequest request{{low(function)}};
  append(request.bytes, {address, count});
  return request;
}
ModbusRequest ModbusRequest::write(int address, std::span<const std::uint16_t> values) {
  ModbusRequest request = read(MODBUS_FC_WRITE_MULTIPLE_REGISTERS, address, static_cast<int>(values.size()));
  appendValues(request.bytes, values);
  return request;
}
ModbusRequest ModbusRequest::writeAndRead(int to, std::span<const std::uint16_t> values, int from, int count) {
  ModbusRequest request = read(MODBUS_FC_WRITE_AND_READ_REGISTERS, from, count);
  append(request.bytes, {to, static_cast<int>(values.size())});
  appendValues(request.bytes, values);
  return request;
}
ModbusRequest ModbusRequest::returnQuery() { return {{kDiagnostics, 0, 0, 'H', 'B'}}; }

bool ModbusRequest::fits(std::span<const std::uint8_t> answer) const noexcept {
  if (answer.empty() || answer[0] != bytes[0]) return false;
  if (function() == MODBUS_FC_WRITE_MULTIPLE_REGISTERS) return answer.size() == 5 && startsWith(bytes, answer);
  if (function() == kDiagnostics) return std::ranges::equal(answer, bytes);
  const auto count = static_cast<std::size_t>(word(bytes, 3));
  return answer.size() == 2 + 2 * count && answer[1] == 2 * count;
}

ModbusLink::ModbusLink(std::unique_ptr<Port> port, int unit, std::chrono::milliseconds reply_wait,
                       std::optional<ModbusRequest> probe, const std::atomic<bool>& interrupted)
    : port_(std::move(port)),
      unit_(unit),
      reply_wait_(reply_wait),
      probe_(probe ? std::move(*probe) : ModbusRequest::returnQuery()),
      interrupted_(interrupted) {}

ModbusLink::Answer ModbusLink::say(Answer answer, std::string complaint) {
  complaint_ = std::move(complaint);
  return answer;
}

ModbusLink::Answer ModbusLink::ask(const ModbusRequest& request) {
  if (owed_ > 0)
    if (const Answer answer = resynchronise(); answer != Answer::ok) return answer;
  if (const Answer answer = send(request); answer != Answer::ok) return answer;
  if (port_->serial()) owed_ = 1;
  return await(request, Clock::now() + reply_wait_, false);
}

ModbusLink::Answer ModbusLink::askForStop(const ModbusRequest& request) {
  if (const Answer answer = send(request); answer != Answer::ok) return answer;
  if (port_->serial()) ++owed_;
  return await(request, Clock::now() + reply_wait_, true);
}

ModbusLink::Answer ModbusLink::send(const ModbusRequest& request) {
  if (owed_ == 0 && probes_owed_ == 0 && port_->serial()) received_.clear();  // noise
  sent_.clear();
  if (!port_->serial()) append(sent_, {++transaction_, 0, static_cast<int>(request.bytes.size()) + 1});
  sent_.push_back(static_cast<std::uint8_t>(unit_));
  sent_.insert(sent_.end(), request.bytes.begin(), request.bytes.end());
  if (port_->serial()) {
    const auto sum = checksum(sent_);
    sent_.insert(sent_.end(), sum.begin(), sum.end());
  }
  // An answer to function 8 equals the request: only a line known to echo is assumed to have echoed it.
  echo_due_ = request.function() != kDiagnostics || echoes_;
  if (port_->writeAll(sent_, reply_wait_)) return Answer::ok;
  return say(Answer::closed, "the request could not be sent: the connection is closed");
}

ModbusLink::Answer ModbusLink::await(const ModbusRequest& request, Clock::time_point deadline, bool stop) {
  for (;;) {
    const Answer next = nextFrame(deadline, stop);
    if (next == Answer::wrong && stop) continue;
    if (next != Answer::ok) return next;
    if (probes_owed_ > 0 && answersProbe()) {
      --probes_owed_;
      continue;
    }
    const bool refused = answer_[0] == (request.bytes[0] | kException) && answer_.size() == 2;
    if (!refused && !request.fits(answer_)) {
      if (stop) continue;
      return say(Answer::wrong, "the answer has " + std::to_string(answer_.size()) + " bytes of function " +
                                    std::to_string(answer_[0]) + ", which is no answer to function " +
                                    std::to_string(request.function()));
    }
    owed_ = 0;
    if (refused) return say(Answer::exception, ::modbus_strerror(MODBUS_ENOBASE + exceptionCode()));
    return Answer::ok;
  }
}

ModbusLink::Answer ModbusLink::nextFrame(Clock::time_point deadline, bool patient) {
  for (;;) {
    if (const std::optional<Answer> taken = port_->serial() ? takeSerial() : takeTcp()) return *taken;
    if (!patient && interrupted_.load(std::memory_order_relaxed))
      return say(Answer::interrupted, "a stop interrupted the wait for an answer");
    const auto left = deadline - Clock::now();
    if (left <= 0s) return say(Answer::late, "no answer within " + std::to_string(reply_wait_.count()) + " ms");
    if (!port_->waitReadable(std::min<std::chrono::nanoseconds>(left, kListenSlice))) continue;
    std::array<std::uint8_t, 512> bytes;
    const Port::Result result = port_->read(bytes);
    received_.insert(received_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(result.bytes));
    if (result.closed) return say(Answer::closed, "the connection was closed by the other side");
  }
}

std::optional<ModbusLink::Answer> ModbusLink::takeTcp() {
  while (received_.size() >= kTcpHeader) {
    const auto length = static_cast<std::size_t>(word(received_, 4));
    if (word(received_, 2) != 0 || length < kShortestTcp || length > kLongestTcp) {
      const std::string what = word(received_, 2) != 0 ? "protocol " + std::to_string(word(received_, 2))
                                                       : "a length of " + std::to_string(length) + " bytes";
      received_.clear();
      return say(Answer::closed, "the other side does not send Modbus TCP: a header with " + what);
    }
    if (received_.size() < kTcpHeader + length) return std::nullopt;
    const bool current = word(received_, 0) == transaction_;
    const bool echo = echo_due_ && startsWith(received_, sent_);
    const int unit = received_[kTcpHeader];
    answer_.assign(received_.begin() + kTcpHeader + 1,
                   received_.begin() + static_cast<std::ptrdiff_t>(kTcpHeader + length));
    received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(kTcpHeader + length));
    if (!current || echo) continue;  // the answer to an earlier request
    if (unit != unit_)
      return say(Answer::wrong, "unit " + std::to_string(unit) + " answered instead of unit " + std::to_string(unit_));
    return Answer::ok;
  }
  return std::nullopt;
}

std::optional<ModbusLink::Answer> ModbusLink::takeSerial() {
  if (echo_due_ && startsWith(received_, sent_)) {
    received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(sent_.size()));
    echo_due_ = false;
    echoes_ = true;
  }
  if (received_.size() < 3) return std::nullopt;
  const std::size_t length = serialLength(received_);
  const bool may_be_echo = echo_due_ && startsWith(sent_, received_);
  if (length != 0 && received_.size() >= length) {
    const std::span frame = std::span(received_).first(length);
    const auto sum = checksum(frame.first(length - 2));
    if (std::equal(sum.begin(), sum.end(), frame.end() - 2)) {
      const int unit = frame[0];
      answer_.assign(frame.begin() + 1, frame.end() - 2);
      received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(length));
      if (unit == unit_) return Answer::ok;
      return say(Answer::wrong, "unit " + std::to_string(unit) + " answered instead of unit " + std::to_string(unit_));
    }
  }
  if (may_be_echo || (length != 0 && received_.size() < length)) return std::nullopt;
  received_.clear();
  return say(Answer::wrong, "the answer was damaged in transit: its checksum is wrong");
}

bool ModbusLink::answersProbe() const noexcept {
  return probe_.fits(answer_) || (probe_.function() == kDiagnostics && answer_[0] == (kDiagnostics | kException));
}

/// Serial: runs until the next answer certainly belongs to the next request. This holds once all pending answers have
/// come, or the answer to a probe: a device answers in the order of the requests.
ModbusLink::Answer ModbusLink::resynchronise() {
  for (const bool probing :
       {false, true}) {  // first without: while an answer may still come, two would talk at once on the line
    if (probing) {
      received_.clear();  // remainder of a damaged frame
      if (const Answer answer = send(probe_); answer != Answer::ok) return answer;
      ++probes_owed_;
    }
    for (const auto deadline = Clock::now() + reply_wait_;;) {
      const Answer next = nextFrame(deadline, false);
      if (next == Answer::interrupted || next == Answer::closed) return next;
      if (next == Answer::late) break;
      if (next == Answer::wrong) continue;
      if (probes_owed_ > 0 && answersProbe()) {
        --probes_owed_;
        owed_ = 0;
      } else {
        --owed_;
      }
      if (owed_ == 0) return Answer::ok;
    }
  }
  return say(Answer::late, "no answer arrived, so a later answer could not be assigned to its request");
}

}  // namespace hyb
