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

/// A request without unit and frame, and what tells the answer to it.
struct ModbusRequest {
  std::vector<std::uint8_t> bytes;  // function code first

  int function() const noexcept { return bytes.front(); }
  /// Has `answer`, no exception, the shape of an answer to this request? Registers lie from its third byte on.
  bool fits(std::span<const std::uint8_t> answer) const noexcept;

  static ModbusRequest read(int function, int address, int count);
  static ModbusRequest write(int address, std::span<const std::uint16_t> values);
  static ModbusRequest writeAndRead(int to, std::span<const std::uint16_t> values, int from, int count);
  static ModbusRequest returnQuery();  // function 8: a device sends it back, or says that it does not know it
};

/// A Modbus device at the other end of a port, TCP or RTU by its kind: one request at a time. An answer that may belong
/// to an older request is never taken. TCP: by its transaction number. RTU has none: after a request without a sound
/// answer the line is listened to as long as that may still come, and then a request is sent whose answer has a shape
/// of its own; what comes before that answer is dropped.
///
/// The frames are our own: libmodbus waits in a way that no STOP can end, sends its function 23 and the next request
/// without looking at what is late, takes any unit and length, and gives raw requests no transaction number. Its
/// limits, function codes and words for exceptions are used.
class ModbusLink {
 public:
  enum class Answer : std::uint8_t {
    ok,
    exception,    // code in exceptionCode()
    late,         // nothing in time
    wrong,        // damaged, of another unit, or of another shape
    interrupted,  // by the flag
    closed,       // the connection is gone, or carries something else than Modbus
  };

  /// `probe`: a reading whose answer no other request of the user has the shape of; none: function 8 serves.
  /// `interrupted` ends a wait.
  ModbusLink(std::unique_ptr<Port> port, int unit, std::chrono::milliseconds reply_wait,
             std::optional<ModbusRequest> probe, const std::atomic<bool>& interrupted);

  Answer ask(const ModbusRequest& request);
  /// At once, whatever is still to come, and deaf to the flag; the answer is told from older ones by its shape.
  Answer askForStop(const ModbusRequest& request);

  std::span<const std::uint8_t> answer() const noexcept { return std::span(answer_); }
  int exceptionCode() const noexcept { return answer_.size() > 1 ? answer_[1] : 0; }
  /// Whatever was no answer, one sentence without its end.
  const std::string& complaint() const noexcept { return complaint_; }

 private:
  using Clock = std::chrono::steady_clock;
  Answer say(Answer answer, std::string complaint);
  Answer send(const ModbusRequest& request);
  Answer await(const ModbusRequest& request, Clock::time_point deadline, bool stop);
  Answer nextFrame(Clock::time_point deadline, bool patient);
  /// A frame out of the bytes received, into answer_; nothing: more is needed.
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
  std::vector<std::uint8_t> received_, sent_, answer_;  // sent_: the last frame, which a line may echo
  int owed_ = 0;                                        // serial: answers still to come to requests other than probes
  int probes_owed_ = 0;
  bool echoes_ = false, echo_due_ = false;
  std::string complaint_;
};

}  // namespace hyb
