#include "core/study/run_study.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "core/base/words.h"
#include "core/project/project_series.h"
#include "core/project/schema.h"
#include "core/run/build.h"
#include "core/run/plug_ins.h"
#include "core/study/campaign.h"
#include "core/study/elapsed.h"
#include "core/study/journal.h"
#include "core/study/memory_run.h"
#include "core/study/run_key.h"
#include "core/study/study_file.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::size_t kHeldBytes = 256u << 20;  // traces that wait for the disk, at most
constexpr std::size_t kFaultsTold = 20;

/// Calls work(0, worker) .. work(count - 1, worker) on `jobs` threads, started in that order, while the calling thread
/// calls watch() every 50 ms. `worker`: number of the thread. No further work starts after watch() returned false or
/// threw, or after a work threw. `stop` is passed on to the running work.
void workOn(std::size_t count, unsigned jobs, StopToken& stop,
            const std::function<void(std::size_t, std::size_t)>& work, const std::function<bool()>& watch) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::condition_variable ended;
  unsigned working = std::max(1u, jobs);
  std::exception_ptr failure;
  const auto labour = [&](std::size_t worker) {
    try {
      for (std::size_t i; !stop.asked() && (i = next.fetch_add(1)) < count;) work(i, worker);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
      stop.request();
    }
    const std::scoped_lock lock(mutex);
    --working;
    ended.notify_one();
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < std::max(1u, jobs); ++t) threads.emplace_back(labour, t);
  try {
    for (bool going = true; going;) {
      {
        std::unique_lock lock(mutex);
        going = !ended.wait_for(lock, 50ms, [&] { return working == 0; });
      }
      if (going && !watch()) stop.request();
    }
  } catch (...) {
    stop.request();
    for (std::thread& thread : threads) thread.join();
    throw;
  }
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

/// HDF5 and MAT libraries support one thread at a time; only structures given as matrices read such files.
std::unique_lock<std::mutex> libraryLock(const Json& document) {
  static std::mutex mutex;
  const Json::json_pointer kind("/structure/kind");
  if (document.contains(kind) && document.at(kind) == "matrices") return std::unique_lock(mutex);
  return {};
}

/// What one worker keeps from run to run.
struct Worker {
  explicit Worker(const fs::path& folder) : projects(folder) {}
  std::shared_ptr<const Project> read(const Json& document) {
    const auto lock = libraryLock(document);
    return projects.next(document);
  }
  ProjectSeries projects;
  RunMemory memory;
};

/// Requirements of the projects of a study.
struct Needs {
  std::size_t interfaces = 0;  // the largest number
  bool rig = false;            // true: there is a rig and runs are sequential
};

/// A periodic test ends with its last frequency, or at the end of its path; other tests run until they are stopped.
bool endsByItself(const Project& project) {
  return !project.coupling->harmonicOrders().empty() && !(project.coupling->firstHarmonic_hz() > 0.0);
}

/// Names in "traces" that are not channels of this test; its twin is built to list the channels.
std::vector<Issue> unknownChannels(const Study& study, Project project) {
  std::vector<Issue> issues;
  if (study.trace_channels.empty()) return issues;
  project.rig.use = RigUse::twin;
  const std::vector<std::string> known = traceNames(*buildLoop(project));
  for (std::size_t c = 0; c < study.trace_channels.size(); ++c)
    if (const std::string& name = study.trace_channels[c]; std::find(known.begin(), known.end(), name) == known.end())
      issues.push_back({"/traces/" + std::to_string(c), "\"" + name + "\" is not a channel of this test. " +
                                                            hint(name, known) + "Known are " +
                                                            quotedList(known, "and") + "."});
  return issues;
}

std::vector<Issue> faultsOf(const Study& study, std::size_t combination, Worker& worker, const StopToken& stop,
                            Needs& needs) {
  try {
    Json document = study.nominal(combination);
    const Project project = withPlugIns(*worker.read(document), &stop);
    study.random.apply(document, 0);  // the places; a sample that makes no valid project is a result
    if (project.loop.duration_s <= 0.0 && !endsByItself(project))
      return {{"/loop/duration_s", "is 0 s, a test without an end; a study needs runs with a duration; give one."}};
    requirePace(project, study.paced);
    if (std::vector<Issue> unknown = unknownChannels(study, project); !unknown.empty()) return unknown;
    needs = {buildPartition(project).interface.size(), project.rig.use != RigUse::twin};
    return {};
  } catch (const InputError& error) {
    return error.issues();
  }
}

/// Checks the project of every combination; the same fault in many of them is reported once. Nothing when cancelled.
std::optional<Needs> checkProjects(const Study& study, std::vector<Worker>& workers, const StudyWatch& watch,
                                   StopToken& stop) {
  struct Finding {
    Issue issue;
    std::size_t first, count;
  };
  const std::size_t combinations = study.known();
  std::mutex mutex;
  std::vector<std::pair<std::size_t, std::vector<Issue>>> broken;
  Needs most;
  std::atomic<std::size_t> done{0};
  const auto start = StudyClock::now();
  workOn(
      combinations, static_cast<unsigned>(workers.size()), stop,
      [&](std::size_t c, std::size_t worker) {
        Needs needs;
        std::vector<Issue> issues = faultsOf(study, c, workers[worker], stop, needs);
        const std::scoped_lock lock(mutex);
        most = {std::max(most.interfaces, needs.interfaces), most.rig || needs.rig};
        if (!issues.empty()) broken.emplace_back(c, std::move(issues));
        ++done;
      },
      [&] {
        const double share = static_cast<double>(done) / static_cast<double>(combinations);
        const double left_s = share > 0.0 ? secondsSince(start) * (1.0 / share - 1.0) : -1.0;
        return !watch || watch({true, done, combinations, left_s});
      });
  if (stop.asked()) return std::nullopt;
  std::sort(broken.begin(), broken.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Finding> findings;
  for (const auto& [combination, issues] : broken)
    for (const Issue& issue : issues) {
      const auto same = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) {
        return f.issue.where == issue.where && f.issue.message == issue.message;
      });
      if (same != findings.end())
        ++same->count;
      else if (findings.size() < kFaultsTold)
        findings.push_back({issue, combination, 1});
    }
  if (findings.empty()) return most;
  std::vector<Issue> told;
  for (const Finding& f : findings) {
    const std::string words = study.words(f.first);
    std::string place =
        "run " + std::to_string(f.first * study.runsOfCombination()) + (words.empty() ? "" : ", " + words);
    if (f.count > 1)
      place += ", and " + std::to_string(f.count - 1) + " more of " + std::to_string(combinations) + " combinations";
    told.push_back({f.issue.where + " (" + place + ")", f.issue.message});
  }
  throw InputError(std::move(told));
}

/// The result of one run; nothing if it was stopped.
std::optional<StudyJournal::Entry> resultOf(const Study& study, std::size_t index, Worker& worker,
                                            const std::vector<FigureColumn>& columns, const RunKeys& keys,
                                            const DeviceFactory& devices, const StopToken& stop) {
  StudyJournal::Entry entry{index, {}, {}, {}};
  StudyRun& result = entry.run;
  try {
    const Json document = study.project(index);
    entry.key = keys.of(index, document);
    const std::shared_ptr<const Project> project = worker.read(document);
    MemoryRun run =
        worker.memory.run(*project, study.paced ? Pace::real_time : Pace::free_run, study.traces, stop, devices,
                          [&](const RunRecord& record) { result.figures = figureValues(record, columns); });
    if (run.reason == EndReason::running || (stop.asked() && run.reason == EndReason::operator_stop))
      return std::nullopt;
    result.status = run.reason == EndReason::completed ? RunStatus::done : RunStatus::stopped;
    result.complete = run.complete;
    result.valid = run.valid;
    result.message = run.stop_reason;
    if (!study.trace_channels.empty()) run.trace = kept(run.trace, study.trace_channels);
    entry.trace = std::move(run.trace);
    entry.segments = std::move(run.segments);
  } catch (const PlugInGivenUp&) {  // each further run would also lose a thread
    throw;
  } catch (const std::exception& error) {
    result = {};
    result.status = RunStatus::failed;
    result.message = error.what();
  }
  result.seed = study.seed(index);
  return entry;
}

/// Finished runs on their way from the workers to the journal. Their number is bounded, so that a kill loses no more
/// than these, and a cancel is fast even for short runs.
class Queue {
 public:
  explicit Queue(unsigned workers) : most_(kHeldRuns * workers) {}
  void put(StudyJournal::Entry entry, const StopToken& stop) {
    std::unique_lock lock(mutex_);
    bytes_ += entry.trace.rows * entry.trace.channels.size() * sizeof(double);
    entries_.push_back(std::move(entry));
    while ((bytes_ > kHeldBytes || entries_.size() > most_) && !stop.asked()) room_.wait_for(lock, 50ms);
  }
  std::vector<StudyJournal::Entry> take() {
    const std::scoped_lock lock(mutex_);
    bytes_ = 0;
    room_.notify_all();
    return std::exchange(entries_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable room_;
  std::vector<StudyJournal::Entry> entries_;
  std::size_t most_, bytes_ = 0;
};

/// Beside a shared journal, a result may be written again only if it is the incomplete one of the same study.
void requireUnfinished(const fs::path& file, const Study& study) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return;
  const StudyTable table = readStudyFile(file);
  if (table.complete || table.study != study.document || table.project != study.base)
    throw DeviceError(
        file.string() +
        ": exists already, complete or of another study, and is not overwritten; choose another name with "
        "-o or move the file");
}

void pauseBetween(double pause_s, const StopToken& stop) {
  const auto start = StudyClock::now();
  while (!stop.asked() && secondsSince(start) < pause_s) std::this_thread::sleep_for(10ms);
}

}  // namespace

StudySummary runStudy(const Study& given, const fs::path& file, unsigned jobs, const StudyWatch& watch,
                      const DeviceFactory& devices, StopToken* stop_of_caller, const fs::path& shared_journal) {
  Study study = given;  // a search adds its candidates
  StopToken own;
  StopToken& stop = stop_of_caller != nullptr ? *stop_of_caller : own;
  const auto start = StudyClock::now();
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const unsigned checkers = jobs == 0 ? cores : jobs;
  StudySummary summary;
  summary.runs = study.runs();
  const bool shared = !shared_journal.empty();
  if (shared)
    requireUnfinished(file, study);
  else
    requireNewStudy(file);
  const std::unique_ptr<Campaign> campaign = makeCampaign(study);
  std::vector<Worker> workers;
  for (unsigned w = 0; w < checkers; ++w) workers.emplace_back(study.folder);
  const std::optional<Needs> needs = checkProjects(study, workers, watch, stop);
  if (!needs) {
    summary.cancelled = true;
    summary.elapsed_s = secondsSince(start);
    return summary;
  }
  const unsigned runners = study.paced || needs->rig ? 1 : checkers;
  const std::vector<FigureColumn> columns = figureColumns(study.measures, needs->interfaces);
  campaign->begin(columns);
  const RunKeys keys(study, columns);
  StudyJournal journal(shared ? shared_journal : StudyJournal::part(file), journalOwner(study, columns),
                       shared ? JournalUse::shared : JournalUse::own);
  summary.resumed = journal.finished();
  summary.damaged = journal.damaged();
  Queue queue(runners);
  const auto first_run = StudyClock::now();
  const auto going = [&] {
    journal.add(queue.take());
    const auto done = static_cast<double>(journal.finished() - summary.resumed - summary.reused);
    const auto left = static_cast<double>(study.runs() - journal.finished());
    const double left_s = done > 0.0 ? secondsSince(first_run) / done * left : -1.0;
    return !watch || watch({false, journal.finished(), study.runs(), left_s});
  };
  while (!stop.asked()) {
    const std::optional<RunRange> range = campaign->next(journal.runs());
    if (!range) break;
    summary.reused += journal.share(range->first, range->last);
    std::vector<std::size_t> pending;
    for (std::size_t r = range->first; r < range->last; ++r)
      if (journal.runs()[r].status == RunStatus::pending) pending.push_back(r);
    workOn(
        pending.size(), static_cast<unsigned>(std::min<std::size_t>(runners, std::max<std::size_t>(1, pending.size()))),
        stop,
        [&](std::size_t p, std::size_t worker) {
          if (study.paced && p > 0) pauseBetween(study.pause_s, stop);
          if (stop.asked()) return;
          if (auto entry = resultOf(study, pending[p], workers[worker], columns, keys, devices, stop))
            queue.put(std::move(*entry), stop);
        },
        going);
    journal.add(queue.take());
  }
  writeStudyFile(file, study, columns, journal, [&](std::int64_t id) { campaign->write(id); });
  const CampaignVerdict verdict = campaign->verdict();
  summary.best = verdict.best;
  summary.best_value = verdict.best_value;
  summary.file = file;
  summary.cancelled = journal.finished() < study.runs();
  for (const StudyRun& run : journal.runs()) {
    summary.done += run.status == RunStatus::done;
    summary.stopped += run.status == RunStatus::stopped;
    summary.failed += run.status == RunStatus::failed;
    summary.segments += run.segments.rows;
  }
  if (!summary.cancelled && !shared) journal.remove();
  summary.elapsed_s = secondsSince(start);
  return summary;
}

}  // namespace hyb
