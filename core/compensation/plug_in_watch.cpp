#include "core/compensation/plug_in_watch.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/figure_text.h"
#include "core/compensation/plug_in_exit.h"

namespace hyb {
namespace {

constexpr double kTrial_s = 1.0;  // one call in the trial, which itself reports a slow library

struct CallFacts {
  std::string_view name;
  bool real_time;
};
constexpr std::array kCalls = {CallFacts{"its own start-up", false},
                               CallFacts{"create", false},
                               CallFacts{"destroy", false},
                               CallFacts{"reset", false},
                               CallFacts{"restart", true},
                               CallFacts{"update", true},
                               CallFacts{"tune", true},
                               CallFacts{"read_adapted", true},
                               CallFacts{"taps", false},
                               CallFacts{"lead_s", false},
                               CallFacts{"learnt_count", false},
                               CallFacts{"read_learnt", true},
                               CallFacts{"set_learnt", true}};

thread_local PlugInWatch* called_in = nullptr;  // of this thread
thread_local int thread_number = 0;
std::atomic<bool> any_given_up{false};

[[noreturn]] void stayForEver() noexcept {
  for (;;) ::pause();
}

std::string placeOf(PlugInCall call) {
  return call == PlugInCall::load ? std::string(name(call)) : std::string(name(call)) + "()";
}

std::string milliseconds(double seconds) { return figureText(1e3 * seconds) + " ms"; }

}  // namespace

/// exit() within a plug-in, on the calling thread: the program must not end there, with unfinished files and a foreign
/// exit code. The watching thread ends the test.
void onExitWithin() noexcept {
  if (called_in == nullptr) return;
  const std::uint64_t word = called_in->underWay();
  if (word != 0) called_in->fail(PlugInFault::exit_called, PlugInWatch::libraryOf(word), PlugInWatch::callOf(word));
  stayForEver();
}

void heedExit() {
  const auto on_exit = [] { onExitWithin(); };
  static_cast<void>(std::atexit(on_exit));
  static_cast<void>(std::at_quick_exit(on_exit));
}

std::string_view name(PlugInCall call) noexcept { return kCalls[static_cast<std::size_t>(call)].name; }
bool isRealTime(PlugInCall call) noexcept { return kCalls[static_cast<std::size_t>(call)].real_time; }

std::string words(PlugInFault fault, PlugInCall call, double value) {
  const std::string place = placeOf(call);
  switch (fault) {
    case PlugInFault::none:
      break;
    case PlugInFault::no_number:
      return "returned a command that is not a number (interface " + figureText(value) + ")";
    case PlugInFault::no_number_rate:
      return "returned a command rate that is not a number (interface " + figureText(value) + ")";
    case PlugInFault::threw:
      return "threw a C++ exception out of " + place;
    case PlugInFault::slow:
      return "is too slow: its calls of " + place + " took " + milliseconds(value) + " longer than their ticks";
    case PlugInFault::no_return:
      return "did not return from " + place + " within " + milliseconds(value);
    case PlugInFault::exit_called:
      return "called exit() in " + place;
  }
  return {};
}

std::size_t PlugInWatch::add(const std::filesystem::path& file, double tick_s, std::shared_ptr<const void> keep) {
  const std::size_t number = count_.load(std::memory_order_relaxed);
  if (number == kMostLibraries)
    throw InputError("/compensation", "names more than " + std::to_string(kMostLibraries) + " libraries");
  libraries_[number] = {file, file.filename().string(), tick_s, std::move(keep), {}};
  count_.store(number + 1, std::memory_order_release);
  heedExit();
  return number;
}

void PlugInWatch::keep(std::size_t library, std::shared_ptr<const void> further) {
  libraries_[library].keep_too = std::move(further);
}

PlugInWatch::Inside::Inside(PlugInWatch& watch, std::size_t library, PlugInCall call) noexcept
    : watch_(watch), around_(called_in) {
  if (watch_.givenUp()) stayForEver();
  if (thread_number == 0) thread_number = ::gettid();
  if (watch_.thread_.load(std::memory_order_relaxed) != thread_number)
    watch_.thread_.store(thread_number, std::memory_order_relaxed);
  word_ =
      1U | static_cast<std::uint64_t>(call) << 1U | static_cast<std::uint64_t>(library) << 9U | ++watch_.calls_ << 17U;
  called_in = &watch_;
  watch_.word_.store(word_, std::memory_order_release);
}

PlugInWatch::Inside::~Inside() {
  std::uint64_t expected = word_;
  if (!watch_.word_.compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) stayForEver();
  called_in = around_;
}

void PlugInWatch::fail(PlugInFault fault, std::size_t library, PlugInCall call, double value) noexcept {
  if (failing_.exchange(true, std::memory_order_acq_rel)) return;
  library_.store(library, std::memory_order_relaxed);
  call_.store(call, std::memory_order_relaxed);
  value_.store(value, std::memory_order_relaxed);
  fault_.store(fault, std::memory_order_release);
}

std::string_view PlugInWatch::failedName() const noexcept {
  return failed() ? std::string_view(libraries_[library_.load(std::memory_order_relaxed)].name) : std::string_view();
}

std::string PlugInWatch::sentence() const {
  if (!failed()) return {};
  return "the library \"" + libraries_[library_.load(std::memory_order_relaxed)].file.string() + "\" " +
         words(fault(), failedCall(), failedValue());
}

double PlugInWatch::longest_s(std::uint64_t word) const noexcept {
  if (!isRealTime(callOf(word))) return kSetUp_s;
  return trial() ? kTrial_s : kPatience_s + libraries_[libraryOf(word)].tick_s;
}

bool PlugInWatch::giveUp(std::uint64_t word) noexcept {
  std::uint64_t expected = word;
  if (!word_.compare_exchange_strong(expected, kGivenUp, std::memory_order_acq_rel)) return false;
  any_given_up.store(true, std::memory_order_release);
  fail(PlugInFault::no_return, libraryOf(word), callOf(word), longest_s(word));
  for (const Library& library : libraries_)  // the thread continues in them
    for (const auto* kept : {&library.keep, &library.keep_too})
      // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): a machine without memory ends here, as everywhere.
      if (*kept) static_cast<void>(new std::shared_ptr<const void>(*kept));
  return true;
}

bool PlugInWatch::anyGivenUp() noexcept { return any_given_up.load(std::memory_order_acquire); }

}  // namespace hyb
