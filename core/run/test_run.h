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

/// What a test begins with in place of nothing: learnt by another one with the same compensation.
struct BeginWith {
  std::vector<double> learnt = {};  // empty: nothing
  std::string from = {};            // whose it is, for people: "trial 4 of run.h5"
};

struct RunOptions {
  Pace pace = Pace::real_time;
  std::filesystem::path file;  // empty: not recorded
  std::optional<std::uint64_t> seed;
  std::optional<double> duration_s;
  bool display = false;             // fill the display rings
  bool attended = true;             // somebody can press Resume; else limits that hold ramp to zero (unattended.h)
  const StopToken* stop = nullptr;  // that it follows, besides requestStop(); outlives it
  DeviceFactory devices = {};       // needed by projects that run on a rig or its shadow
  SiteFactory site = {};            // serves the program that computes the NS, where the project leaves that to one
  BeginWith begin_with = {};
  std::filesystem::path go_on = {};  // of a sweep that was stopped (go_on.h); empty: from the beginning
};

struct RunResult {
  EndReason reason = EndReason::completed;
  std::string stop_reason;   // sentence, what the file says
  std::string device_error;  // recorder or rig failed; exit code 3
  bool complete = false, valid = false;
  bool recorded = false;                     // file() is the run's
  Verdict verdict;                           // three words with their reasons; the file holds it too
  std::optional<BestTrial> best_trial = {};  // of a test with trials, where its compensator can go on from it
  std::uint64_t ticks = 0;                   // periods from Run to the end, the missed ones among them
  std::uint64_t late_ticks = 0, missed_periods = 0;
};

/// Why the loop ended, in one sentence, as the run file says it.
std::string endSentence(const Loop& loop);

/// One test from project to file: builds the loop, arms it, drives it on a thread of its own, records, ends in a safe
/// state. All members are for one controlling thread, unless said otherwise.
class TestRun {
 public:
  /// Builds everything. Throws InputError.
  TestRun(const Project& project, RunOptions options);
  /// Ends a test that still runs: stop, join, close the file.
  ~TestRun();
  const Project& project() const noexcept;
  const RowLayout& layout() const noexcept;
  const LoopStatus& status() const noexcept;
  const SafetyChain& safety() const noexcept;
  const std::vector<Tunable>& tunables() const noexcept;
  const EventNames& eventNames() const noexcept;
  /// Counters of the connection to the rig; null: there is none.
  const LinkFigures* link() const noexcept;
  /// Names of the interlock inputs; known once armed. Bits of status().interlocks_open.
  std::vector<std::string> interlocks() const;

  void arm();    // opens rig and file, starts the loop thread; ready -> armed. Throws DeviceError, InputError.
  void start();  // armed -> running
  void hold();
  void resume();
  void disarm(double waited_s) noexcept;       // where nobody starts an armed test; nothing has moved
  void requestStop() noexcept;                 // ramps to zero; any thread, signal handler
  void requestImmediateStop() noexcept;        // the rig's safe state in the next tick; any thread, signal handler
  void tune(std::size_t index, double value);  // throws InputError outside the bounds
  void setLimit(std::size_t index, double threshold);
  void setForceSource(ForceSource source);
  void note(const std::string& text);
  void injectFault(const FaultSpec& fault, bool on);  // at once; its times do not count

  bool ended() const noexcept;  // loop thread is done
  RunResult finish();           // waits for the end, closes the file; idempotent
  void resetFault();

  RowRing& displayRows() noexcept;  // one consumer; only with options.display
  EventRing& displayEvents() noexcept;
  /// What was kept of each trial, layout().segmentColumns(); null: a test without trials.
  RowRing* displaySegments() noexcept;
  std::uint64_t recordedRows() const noexcept;
  std::uint64_t recordedBytes() const noexcept;
  std::uint64_t displayDropped() const noexcept;
  /// As asked for; after the end, where it was moved to.
  const std::filesystem::path& file() const noexcept;
  /// The run file was moved or deleted: what to tell the operator at once. Each is given once.
  std::optional<PlaceNotice> takeFileNotice();
  /// Where the program that computes the NS connects, known once armed; "": the bench computes it itself.
  std::string siteAddress() const;
  /// That program is connected; after the end of a test until it goes, because it may not survive a closed connection.
  bool clientConnected() const noexcept;
  /// "granted", "not granted: ...", "free run"; known once armed.
  std::string realtimeSummary() const { return realtime().summary; }
  RealtimeOutcome realtime() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyb
