#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hardware/port.h"

namespace hyb {

/// A request without unit and frame, and the form of its answer.
struct ModbusRequest {
  std::vector<std::uint8_t> bytes;  // function code first

  int function() const noexcept { return bytes.front(); }
  /// True if `answer`, not an exception, has the form of an answer to this request. Registers start at its third byte.
  bool fits(std::span<const std::uint8_t> answer) const noexcept;

  static ModbusRequest read(int function, int address, int count);
  static ModbusRequest write(int address, std::span<const std::uint16_t> values);
  static ModbusRequest writeAndRead(int to, std::span<const std::uint16_t> values, int from, int count);
  static ModbusRequest returnQuery();  // function 8: a device returns it, or reports it as unknown
};

/// A Modbus device at the other end of a port, TCP or RTU by its kind: one request at a time. An answer that may belong
/// to an earlier request is never accepted. TCP identifies answers by transaction number. RTU has none: after a request
/// without a valid answer, the link listens as long as that answer may come, then sends a request whose answer has a
/// unique form, and drops everything before that answer.
///
/// The frames are our own. libmodbus waits without reacting to STOP, sends function 23 and the next request without
/// checking for late answers, accepts any unit and length, and sets no transaction number in raw requests. Its limits,
/// function codes and exception texts are used.
class ModbusLink {
 public:
  enum class Answer : std::uint8_t {
    ok,
    exception,    // code in exceptionCode()
    late,         // no answer in time
    wrong,        // damaged, from another unit, or of another form
    interrupted,  // by the flag
    closed,       // the connection is closed, or does not carry Modbus
  };

  /// `probe`: a reading with an answer form that no other request of the user has; none: uses function 8. `interrupted`
  /// ends a wait.
  ModbusLink(std::unique_ptr<Port> port, int unit, std::chrono::milliseconds reply_wait,
             std::optional<ModbusRequest> probe, const std::atomic<bool>& interrupted);

  Answer ask(const ModbusRequest& request);
  /// Sends at once, despite pending answers and regardless of `interrupted`; identifies the answer by its form.
  Answer askForStop(const ModbusRequest& request);

  std::span<const std::uint8_t> answer() const noexcept { return std::span(answer_); }
  int exceptionCode() const noexcept { return answer_.size() > 1 ? answer_[1] : 0; }
  /// Fault of the last answer, one sentence without a full stop.
  const std::string& complaint() const noexcept { return complaint_; }

 private:
  using Clock = std::chrono::steady_clock;
  Answer say(Answer answer, std::string complaint);
  Answer send(const ModbusRequest& request);
  Answer await(const ModbusRequest& request, Clock::time_point deadline, bool stop);
  Answer nextFrame(Clock::time_point deadline, bool patient);
  /// Extracts a frame from the received bytes into answer_; nothing: more bytes are needed.
  std::optional<Answer> takeTcp();
  std::optional<Answer> takeSerial();
  Answer resynchronise();
  bool answersProbe() const noexcept;

  std::unique_ptr<Port> port_;
  const int unit_;
  const std::chrono::milliseconds reply_wait_;
  const ModbusRequest probe_;
  const std::atomic<bool>& interrupted_;
  std::uint16_t transaction_ = 0;
  std::vector<std::uint8_t> received_, sent_, answer_;  // sent_: the last frame, for the detection of an echo
  int owed_ = 0;                                        // serial: pending answers to requests other than probes
  int probes_owed_ = 0;
  bool echoes_ = false, echo_due_ = false;
  std::string complaint_;
};

}  // namespace hyb
