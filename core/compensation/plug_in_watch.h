#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace hyb {

/// A function of a plug-in.
enum class PlugInCall : std::uint8_t {
  load,  // code that runs while the library is loaded, and the function that returns its table
  create,
  destroy,
  reset,
  restart,
  update,
  tune,
  read_adapted,
  taps,
  lead_s,
  learnt_count,
  read_learnt,
  set_learnt
};
std::string_view name(PlugInCall call) noexcept;  // its name in the interface
/// True if it runs inside the tick.
bool isRealTime(PlugInCall call) noexcept;

/// Fault of a plug-in that ends the test.
enum class PlugInFault : std::uint8_t { none, no_number, no_number_rate, threw, slow, no_return, exit_called };
/// "returned a command rate that is not a number (interface 2)", text after the name of the library. `value`: the
/// interface from 1, or a time in s.
std::string words(PlugInFault fault, PlugInCall call, double value);

/// State of the plug-ins of one test, for the calling and the watching thread. Each call of a plug-in is enclosed by an
/// Inside. The watching thread gives up a call that takes too long: the calling thread then never returns from it, and
/// its data must not be used any more.
class PlugInWatch {
 public:
  /// Largest time of a call in the tick beyond the tick, or beyond the budget if that is more, s.
  static constexpr double kPatience_s = 0.015;
  static constexpr double kSetUp_s = 10.0;  // for a call outside the tick, or while the library is tried out

  /// `tick_s`: permitted time of a call; `keep`: object that must exist while a call of this library may be running.
  /// Returns its number. Not real-time.
  std::size_t add(const std::filesystem::path& file, double tick_s, std::shared_ptr<const void> keep);
  void keep(std::size_t library, std::shared_ptr<const void> further);
  /// The library is tried out: slowness is reported elsewhere.
  void setTrial(bool on) noexcept { trial_.store(on, std::memory_order_release); }
  bool trial() const noexcept { return trial_.load(std::memory_order_acquire); }

  /// The calling thread is in a plug-in from construction to destruction.
  class Inside {
   public:
    Inside(PlugInWatch& watch, std::size_t library, PlugInCall call) noexcept;
    ~Inside();  // does not return if the call was given up
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    PlugInWatch& watch_;
    PlugInWatch* const around_;
    std::uint64_t word_;
  };

  /// Only the first one counts. Real-time safe.
  void fail(PlugInFault fault, std::size_t library, PlugInCall call, double value = 0.0) noexcept;
  bool failed() const noexcept { return fault_.load(std::memory_order_acquire) != PlugInFault::none; }
  PlugInFault fault() const noexcept { return fault_.load(std::memory_order_acquire); }
  PlugInCall failedCall() const noexcept { return call_.load(std::memory_order_relaxed); }
  double failedValue() const noexcept { return value_.load(std::memory_order_relaxed); }
  /// File name of the library that failed; "" if none did. Valid as long as this object. Real-time safe.
  std::string_view failedName() const noexcept;
  /// `the library "/home/me/lead.so" did not return from update() within 20 ms`; "" if none failed.
  std::string sentence() const;
  /// True if no call may be made any more: a thread is in one permanently.
  bool givenUp() const noexcept { return word_.load(std::memory_order_acquire) == kGivenUp; }

  // For the watching thread.

  /// The running call; 0: none.
  std::uint64_t underWay() const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_acquire);
    return word != kGivenUp && (word & 1U) != 0 ? word : 0;
  }
  static PlugInCall callOf(std::uint64_t word) noexcept { return static_cast<PlugInCall>(word >> 1U & 0xffU); }
  /// Kernel number of the calling thread.
  int thread() const noexcept { return thread_.load(std::memory_order_relaxed); }
  double longest_s(std::uint64_t word) const noexcept;
  /// False: it returned in the meantime. True: its thread never returns, and the library stays loaded permanently.
  bool giveUp(std::uint64_t word) noexcept;

  /// True if a call of any test was given up since the program started: its thread still exists, so the program must
  /// not end by destroying data of that thread.
  static bool anyGivenUp() noexcept;

 private:
  static constexpr std::size_t kMostLibraries = 32;
  static constexpr std::uint64_t kGivenUp = ~std::uint64_t{0};
  static std::size_t libraryOf(std::uint64_t word) noexcept { return static_cast<std::size_t>(word >> 9U & 0xffU); }
  friend void onExitWithin() noexcept;

  struct Library {
    std::filesystem::path file;
    std::string name;
    double tick_s = 0.0;
    std::shared_ptr<const void> keep, keep_too;
  };
  std::vector<Library> libraries_ = std::vector<Library>(kMostLibraries);  // never moved: others read them
  std::atomic<std::size_t> count_{0};
  std::atomic<std::uint64_t> word_{0};  // bit 0: inside; call, library and number of the call above
  std::uint64_t calls_ = 0;
  std::atomic<int> thread_{0};
  std::atomic<PlugInFault> fault_{PlugInFault::none};
  std::atomic<bool> failing_{false}, trial_{false};
  std::atomic<PlugInCall> call_{PlugInCall::load};
  std::atomic<std::size_t> library_{0};
  std::atomic<double> value_{0.0};
};

using PlugInWatchPtr = std::shared_ptr<PlugInWatch>;

}  // namespace hyb
