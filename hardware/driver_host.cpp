#include "hardware/driver_host.h"

#include <dlfcn.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/compensation/plug_in_file.h"
#include "hardware/driver_wire.h"
#include "resources/plug-in/hybridbench_driver.h"

namespace hyb {
namespace {

/// What open() of the driver gets, with the memory behind its pointers.
class Request {
 public:
  explicit Request(const std::string& text) : json_(Json::parse(text)) {
    for (const auto& [key, value] : json_.at("settings").items()) {
      const double number = value.is_boolean()  ? (value.get<bool>() ? 1.0 : 0.0)
                            : value.is_number() ? value.get<double>()
                                                : 0.0;
      keys_.push_back(key);
      texts_.push_back(value.is_string() ? value.get<std::string>() : std::string());
      settings_.push_back({nullptr, number, nullptr});
    }
    for (std::size_t s = 0; s < settings_.size(); ++s)
      settings_[s].name = keys_[s].c_str(), settings_[s].text = texts_[s].c_str();
    take("outputs", output_names_, outputs_);
    take("inputs", input_names_, inputs_);
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  hyb_request table() const {
    return {json_.at("rate_hz").get<double>(),
            settings_.data(),
            static_cast<std::uint32_t>(settings_.size()),
            outputs_.data(),
            static_cast<std::uint32_t>(outputs_.size()),
            inputs_.data(),
            static_cast<std::uint32_t>(inputs_.size())};
  }
  double silence_s() const { return json_.at("silence_s").get<double>(); }
  std::size_t outputs() const { return outputs_.size(); }
  std::size_t inputs() const { return inputs_.size(); }

 private:
  void take(const char* key, std::vector<std::string>& names, std::vector<const char*>& pointers) {
    names = json_.at(key).get<std::vector<std::string>>();
    for (const std::string& one : names) pointers.push_back(one.c_str());
  }
  Json json_;
  std::vector<std::string> keys_, texts_, output_names_, input_names_;
  std::vector<hyb_setting> settings_;
  std::vector<const char*> outputs_, inputs_;
};

class Host {
 public:
  Host(int socket, int library) : socket_(socket), library_(library) {}
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  ~Host() {
    leave();
    if (handle_ != nullptr) dlclose(handle_);
    ::close(library_);
    ::close(socket_);
  }

  void serve() {
    DriverMessage request;
    while (await() && receiveMessage(socket_, request)) {
      reply_ = {};
      error_.clear();
      values_ = {};
      try {
        answer(request);
      } catch (const std::exception& error) {
        refuse(HYB_FAULT, "threw a C++ exception out of " + std::string(name(request.head.call)) + ": " + error.what());
      } catch (...) {
        refuse(HYB_FAULT, "threw a C++ exception out of " + std::string(name(request.head.call)));
      }
      reply_.call = request.head.call;
      reply_.number = request.head.number;
      if (!sendMessage(socket_, reply_, values_, error_)) return;
    }
  }

 private:
  /// Until a request is there. False: the bench is gone.
  bool await() {
    pollfd end{socket_, POLLIN, 0};
    for (;;) {
      const bool watched = armed_ && !stopped_ && silence_s_ > 0.0;
      const int ready = ::poll(&end, 1, watched ? static_cast<int>(std::ceil(1e3 * silence_s_)) : -1);
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return false;
      if (ready == 0) {
        silent_ = true;
        (void)stopNow();
      }
    }
  }

  void answer(const DriverMessage& request) {
    const double deadline_s = request.head.deadline_s;
    if (request.head.call == DriverCall::load) return load();
    if (driver_ == nullptr) return refuse(HYB_FAULT, "is not loaded");
    if (request.head.call == DriverCall::open) return open(request.text, deadline_s);
    if (self_ == nullptr) return refuse(HYB_FAULT, "is not open");
    switch (request.head.call) {
      case DriverCall::arm:
        if (stopped_) return refuse(HYB_FAULT, stoppedWords());
        armed_ = true;  // from here on a stop is due, whatever it returns
        return take(driver_->arm(self_));
      case DriverCall::exchange:
        return exchange(request, deadline_s);
      case DriverCall::stop:
        reply_.result = stopNow();
        if (reply_.result != HYB_STOP_CONFIRMED) error_ = lastError();
        return;
      default:
        leave();
    }
  }

  void load() {
    std::string fault;
    handle_ = loadLibrary(library_, fault);
    if (handle_ == nullptr) return refuse(HYB_FAULT, "cannot be loaded: " + fault);
    using Table = const hyb_driver* (*)();
    const auto table = reinterpret_cast<Table>(dlsym(handle_, "hybridbench_driver"));
    if (table == nullptr) return refuse(HYB_FAULT, "has no function hybridbench_driver(); see the help on drivers");
    driver_ = table();
    if (driver_ != nullptr && driver_->open && driver_->arm && driver_->exchange && driver_->stop && driver_->close &&
        driver_->last_error)
      return;
    driver_ = nullptr;
    refuse(HYB_FAULT, "does not contain all of open, arm, exchange, stop, close and last_error");
  }

  void open(const std::string& text, double deadline_s) {
    if (self_ != nullptr) return refuse(HYB_FAULT, "is open already");
    const Request request(text);
    const hyb_request table = request.table();
    outputs_ = request.outputs();
    inputs_.assign(request.inputs(), 0.0);
    silence_s_ = request.silence_s();
    std::array<char, 400> why{};
    self_ = driver_->open(&table, deadline_s, why.data(), why.size() - 1);
    if (self_ == nullptr) refuse(HYB_FAULT, reported(why.data()));
  }

  void exchange(const DriverMessage& request, double deadline_s) {
    if (stopped_) return refuse(HYB_FAULT, stoppedWords());
    if (!request.values.empty() && request.values.size() != outputs_) return refuse(HYB_FAULT, "got a wrong request");
    std::fill(inputs_.begin(), inputs_.end(), std::nan(""));
    take(
        driver_->exchange(self_, request.values.empty() ? nullptr : request.values.data(), inputs_.data(), deadline_s));
    values_ = inputs_;
  }

  int stopNow() {
    stopped_ = true;
    const int result = driver_->stop(self_);
    return result >= HYB_STOP_CONFIRMED && result <= HYB_STOP_UNSENT ? result : HYB_STOP_UNCONFIRMED;
  }

  /// Stops an armed driver, and closes it.
  void leave() {
    if (self_ == nullptr) return;
    try {
      if (armed_ && !stopped_) (void)stopNow();
      driver_->close(std::exchange(self_, nullptr));
    } catch (...) {  // nobody listens any more
    }
  }

  void take(int result) {
    reply_.result = result >= HYB_OK && result <= HYB_FAULT ? result : HYB_FAULT;
    if (result != HYB_OK) error_ = lastError();
    if (reply_.result != result) error_ = "returned the unknown result " + std::to_string(result);
  }
  std::string lastError() {
    constexpr std::size_t kLongest = 400;
    const char* const text = driver_->last_error(self_);
    return reported(text != nullptr ? std::string(text).substr(0, kLongest) : std::string());
  }
  static std::string reported(const std::string& text) {
    return text.empty() ? "reports a failure without a reason" : "reports: " + text;
  }
  std::string stoppedWords() const {
    return silent_ ? "was stopped, because the bench was silent for longer than its watchdog allows" : "is stopped";
  }
  void refuse(int result, std::string sentence) {
    reply_.result = result;
    error_ = std::move(sentence);
  }

  const int socket_, library_;
  void* handle_ = nullptr;
  const hyb_driver* driver_ = nullptr;
  void* self_ = nullptr;
  bool armed_ = false, stopped_ = false, silent_ = false;
  double silence_s_ = 0.0;  // 0: no watchdog
  std::size_t outputs_ = 0;
  std::vector<double> inputs_;
  DriverHead reply_;
  std::span<const double> values_;
  std::string error_;
};

}  // namespace

void serveDriver(int socket, int library) { Host(socket, library).serve(); }

}  // namespace hyb
