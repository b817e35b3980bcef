#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/loop/loop.h"
#include "core/loop/realtime.h"
#include "core/project/project.h"
#include "core/record/place.h"
#include "core/record/verdict.h"
#include "core/run/device_factory.h"
#include "core/run/external_site.h"

namespace hyb {

enum class Pace : std::uint8_t { free_run, real_time };

/// What a test starts with instead of nothing: values learnt by another test with the same compensation.
struct BeginWith {
  std::vector<double> learnt = {};  // empty: nothing learnt
  std::string from = {};            // source, for people: "trial 4 of run.h5"
};

struct RunOptions {
  Pace pace = Pace::real_time;
  std::filesystem::path file;  // empty: not recorded
  std::optional<std::uint64_t> seed;
  std::optional<double> duration_s;
  bool display = false;             // fill the display rings
  bool events = false;              // fill that of the events, without rows
  bool attended = true;             // someone can press Resume; otherwise limits that hold ramp to zero (unattended.h)
  const StopToken* stop = nullptr;  // stop request that the test follows besides requestStop(); must outlive the test
  DeviceFactory devices = {};       // required for projects that run on a rig or its shadow
  SiteFactory site = {};            // serves the program that computes the NS, for projects with an external NS
  BeginWith begin_with = {};
  std::filesystem::path go_on =
      {};  // run file of a stopped sweep to continue (go_on.h); empty: start from the beginning
};

struct RunResult {
  EndReason reason = EndReason::completed;
  std::string stop_reason;   // one sentence, as stored in the file
  std::string device_error;  // recorder or rig failed; exit code 3
  bool complete = false, valid = false;
  bool recorded = false;                     // file() belongs to this run
  Verdict verdict;                           // three words with their reasons; also in the file
  std::optional<BestTrial> best_trial = {};  // for a test with trials from which its compensator can continue
  std::uint64_t ticks = 0;                   // periods from Run to the end, including missed ones
  std::uint64_t late_ticks = 0, missed_periods = 0;
};

/// Why the loop ended, in one sentence, as stored in the run file.
std::string endSentence(const Loop& loop);

/// One test from project to file. Builds the loop, arms it, drives it on its own thread, records, and ends in a safe
/// state. All members are for one controlling thread unless stated otherwise.
class TestRun {
 public:
  /// Builds everything. Throws InputError.
  TestRun(const Project& project, RunOptions options);
  /// Ends a test that is still running: stop, join, close the file.
  ~TestRun();
  const Project& project() const noexcept;
  const RowLayout& layout() const noexcept;
  const LoopStatus& status() const noexcept;
  const SafetyChain& safety() const noexcept;
  const std::vector<Tunable>& tunables() const noexcept;
  const EventNames& eventNames() const noexcept;
  /// Counters of the connection to the rig; null if there is no connection.
  const LinkFigures* link() const noexcept;
  /// Names of the interlock inputs; known once armed. Bits of status().interlocks_open.
  std::vector<std::string> interlocks() const;

  void arm();    // opens rig and file, starts the loop thread; ready -> armed. Throws DeviceError, InputError.
  void start();  // armed -> running
  void hold();
  void resume();
  void disarm(double waited_s) noexcept;       // if nobody starts an armed test; nothing has moved
  void requestStop() noexcept;                 // ramps to zero; any thread, signal handler
  void requestImmediateStop() noexcept;        // the rig's safe state in the next tick; any thread, signal handler
  void tune(std::size_t index, double value);  // throws InputError outside the bounds
  void setLimit(std::size_t index, double threshold);
  void setForceSource(ForceSource source);
  void note(const std::string& text);
  void injectFault(const FaultSpec& fault, bool on);  // immediately; its times are ignored

  bool ended() const noexcept;  // the loop thread has finished
  RunResult finish();           // waits for the end, closes the file; idempotent
  void resetFault();

  RowRing& displayRows() noexcept;      // one consumer; only with options.display
  EventRing& displayEvents() noexcept;  // likewise, or with options.events
  /// Table of the trials, layout().segmentColumns(); null for a test without trials.
  RowRing* displaySegments() noexcept;
  std::uint64_t recordedRows() const noexcept;
  std::uint64_t recordedBytes() const noexcept;
  std::uint64_t displayDropped() const noexcept;
  /// The requested file; after the end, the place it was moved to.
  const std::filesystem::path& file() const noexcept;
  /// Messages for the operator when the run file was moved or deleted. Each is returned once.
  std::optional<PlaceNotice> takeFileNotice();
  /// Address for the program that computes the NS, known once armed; "" if the bench computes the NS itself.
  std::string siteAddress() const;
  /// That program is connected. Stays true after the end of a test until it disconnects, because it may not survive a
  /// closed connection.
  bool clientConnected() const noexcept;
  /// After the end: closes the connection of that program and listens no more, so that the next test can.
  void letClientGo() noexcept;
  /// "granted", "not granted: ...", "free run"; known once armed.
  std::string realtimeSummary() const { return realtime().summary; }
  RealtimeOutcome realtime() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyb
