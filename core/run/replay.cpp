#include "core/run/replay.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/project/command_bounds.h"
#include "core/project/files.h"
#include "core/project/interface_sensing.h"
#include "core/record/recorder.h"
#include "core/run/build.h"
#include "core/run/plug_ins.h"
#include "core/run/test_run.h"

namespace hyb {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kBlock = 65536;        // rows held in memory
constexpr std::int64_t kLongAgo = 10'000'000;  // ticks

/// A rig that returns what it is given and accepts every command.
class ReplayRig final : public Rig {
 public:
  ReplayRig(std::size_t interfaces, std::size_t readings) {
    sample.measured.setZero(static_cast<Eigen::Index>(interfaces));
    sample.force = sample.measured;
    sample.readings.setZero(static_cast<Eigen::Index>(readings));
  }
  std::size_t readings() const noexcept override { return static_cast<std::size_t>(sample.readings.size()); }
  std::size_t interfaces() const noexcept override { return static_cast<std::size_t>(sample.measured.size()); }
  std::string description() const override { return "Replay of a run file"; }
  void open() override {}
  RigStatus read(RigState& state, std::int64_t) noexcept override {
    state = sample;
    return status;
  }
  RigStatus write(const Command&) noexcept override { return RigStatus::ok; }
  void safeStop() noexcept override {}
  bool inject(const FaultSpec&, bool) noexcept override { return true; }  // its effect is in the readings
  std::vector<Channel> channels() const override { return columns; }
  void readChannels(std::span<double> values) const noexcept override {
    std::copy(further.begin(), further.end(), values.begin());
  }
  const LinkFigures* link() const noexcept override { return &link_; }
  void setLinkErrors(double count) noexcept { link_.lost.store(static_cast<std::uint64_t>(count)); }

  RigState sample;
  RigStatus status = RigStatus::ok;
  std::vector<Channel> columns;  // columns of the rig that limits or the scheme read
  std::vector<double> further;   // their values

 private:
  LinkFigures link_;
};

/// The recorded rows, block by block.
class Recording {
 public:
  /// `further`: columns of the rig that are needed beside those of the interface. `readings`: those that became
  /// RigState::readings.
  Recording(const RunFileReader& run, std::size_t interfaces, const std::vector<Channel>& further,
            const std::vector<std::string>& readings)
      : run_(run) {
    const auto& there = run.info().acquisition;
    std::vector<std::string> names = {"tick", "flags"};
    for (const char* kind : {"measured_", "force_", "command_"})
      for (std::size_t i = 1; i <= interfaces; ++i) names.push_back(kind + std::to_string(i));
    for (const Channel& channel : further) names.push_back(channel.name);
    first_reading_ = names.size();
    names.insert(names.end(), readings.begin(), readings.end());
    for (const std::string& name : names) {
      if (std::find(there.begin(), there.end(), name) == there.end())
        throw DeviceError("the run file cannot be replayed: it has no channel " + name +
                          ", which a replay of its project needs");
      columns_.push_back({"acquisition/" + name, {}});
    }
    interfaces_ = interfaces;
    has_link_errors_ = std::find(there.begin(), there.end(), "link_errors") != there.end();
    if (has_link_errors_) columns_.push_back({"acquisition/link_errors", {}});
  }
  bool hasLinkErrors() const noexcept { return has_link_errors_; }
  std::uint64_t rows() const noexcept { return run_.info().rows; }
  /// Call with ascending rows.
  void seek(std::uint64_t row) {
    if (row >= first_ && row < first_ + columns_[0].values.size()) {
      at_ = row - first_;
      return;
    }
    for (Column& column : columns_) column.values = run_.read(column.name, row, std::min(kBlock, rows() - row));
    first_ = row;
    at_ = 0;
  }
  std::uint64_t tick() const { return static_cast<std::uint64_t>(columns_[0].values[at_]); }
  std::uint32_t flags() const { return static_cast<std::uint32_t>(columns_[1].values[at_]); }
  double measured(std::size_t i) const { return columns_[2 + i].values[at_]; }
  double force(std::size_t i) const { return columns_[2 + interfaces_ + i].values[at_]; }
  double command(std::size_t i) const { return columns_[2 + 2 * interfaces_ + i].values[at_]; }
  double further(std::size_t c) const { return columns_[2 + 3 * interfaces_ + c].values[at_]; }
  double reading(std::size_t r) const { return columns_[first_reading_ + r].values[at_]; }
  double linkErrors() const { return has_link_errors_ ? columns_.back().values[at_] : 0.0; }

 private:
  struct Column {
    std::string name;
    std::vector<double> values;
  };
  const RunFileReader& run_;
  std::vector<Column> columns_;
  std::size_t interfaces_ = 0, first_reading_ = 0;
  bool has_link_errors_ = false;
  std::uint64_t first_ = 0, at_ = 0;
};

bool sameBits(double a, double b) noexcept {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

bool isChange(EventCode code) noexcept {
  return code == EventCode::parameter_changed || code == EventCode::limit_changed ||
         code == EventCode::force_source_changed;
}

/// Events beside the readings, in their order.
class History {
 public:
  History(const RunFileReader& run, const Project& project)
      : events_(run.events()), limits_(project.limits), numbers_(run.info().event_numbers) {
    for (const RecordedEvent& event : events_)
      if (isLate(code(event)) || code(event) == EventCode::trial_ready || code(event) == EventCode::result_taken)
        director_waits_.push_back(event);
    if (numbers_) return;
    for (const RecordedEvent& event : events_)
      if (isChange(code(event)) || code(event) == EventCode::rig_status)
        throw DeviceError(
            "the run file cannot be replayed: an older program stored its events as text only, and at tick " +
            std::to_string(event.tick) + " an event lacks its number: " + event.message);
  }

  /// True if a limit on link errors did more than indicate.
  bool decidedByLinkErrors() const {
    return std::any_of(events_.begin(), events_.end(), [this](const RecordedEvent& event) {
      if (code(event) != EventCode::limit_hit) return false;
      if (!numbers_)  // of an older program, which stored text only
        return event.message.starts_with("limit link-errors") && event.message.find("indicated") == std::string::npos;
      const auto l = static_cast<std::size_t>(event.index);
      return event.index >= 0 && l < limits_.size() && limits_[l].quantity->of_link &&
             limits_[l].action > Action::indicate;
    });
  }
  /// Applies everything up to Run.
  void applyUntilStart(Loop& loop) {
    while (next_ < events_.size() && !isStart(events_[next_])) apply(events_[next_++], loop);
    if (next_ < events_.size()) ++next_;
    post(loop, {Request::Kind::start, -1, 0.0, {}});
  }
  /// Applies everything that took effect in the row of this tick.
  void applyUntil(std::uint64_t tick, Loop& loop) {
    while (next_ < events_.size() && events_[next_].tick < tick) apply(events_[next_++], loop);
  }
  /// True if a trial waited in this row for its learnt values.
  bool waits(std::uint64_t tick) const noexcept {
    bool waits = false;
    for (const RecordedEvent& event : director_waits_)
      if (event.tick <= tick) waits = isLate(code(event));
    return waits;
  }
  /// Status of the rig in a row with these flags. Stale readings and saturated sensors do not always have an event.
  RigStatus status(std::uint32_t flags) const noexcept {
    if ((flags & kFlagStaleInput) != 0) return RigStatus::stale;
    if ((flags & kFlagRigSaturated) != 0) return RigStatus::saturated;
    return told_ == RigStatus::stale || told_ == RigStatus::saturated ? RigStatus::ok : told_;
  }

 private:
  static bool isLate(EventCode code) noexcept {
    return code == EventCode::trial_late || code == EventCode::result_late;
  }
  static EventCode code(const RecordedEvent& event) noexcept { return static_cast<EventCode>(event.code); }
  bool isStart(const RecordedEvent& event) const noexcept {
    if (code(event) != EventCode::state_changed) return false;
    return numbers_ ? event.index == static_cast<int>(State::running) : event.message.starts_with("state running");
  }
  /// Stop without a ramp. Files of older programs only store it as text.
  static bool isImmediate(const RecordedEvent& stop) noexcept {
    return stop.index >= 0 ? stop.index == kStopAtOnce : stop.message.ends_with("at once");
  }
  static void post(Loop& loop, const Request& request) {
    if (!loop.post(request)) throw DeviceError("the run file cannot be replayed: too many changes in one tick");
  }
  void apply(const RecordedEvent& event, Loop& loop) {
    const auto request = [&](Request::Kind kind) { post(loop, {kind, event.index, event.value, {}}); };
    switch (code(event)) {
      case EventCode::rig_status:
        told_ = static_cast<RigStatus>(event.index);
        break;
      case EventCode::parameter_changed:
        return request(Request::Kind::tune);
      case EventCode::limit_changed:
        return request(Request::Kind::set_limit);
      case EventCode::force_source_changed:
        return request(Request::Kind::set_force_source);
      case EventCode::operator_hold:
        return request(Request::Kind::hold);
      case EventCode::operator_resume:
        return request(Request::Kind::resume);
      case EventCode::operator_stop:
        if (isImmediate(event)) return loop.requestImmediateStop();
        return loop.requestStop();
      case EventCode::recorder_failed:  // ramps to zero in the same way
        return loop.requestStop();
      default:
        break;
    }
  }

  std::vector<RecordedEvent> events_, director_waits_;
  std::vector<Limit> limits_;
  bool numbers_;  // events have numbers
  std::size_t next_ = 0;
  RigStatus told_ = RigStatus::ok;  // as told by the last event
};

/// Columns of the rig that limits or the scheme read. The scheme computes its own columns again.
std::vector<Channel> watchedColumns(const Project& project, std::size_t interfaces) {
  const std::vector<Channel> of_scheme = project.coupling->channels(interfaces);
  std::vector<Channel> columns;
  for (const std::string& name : project.coupling->reads(interfaces)) columns.push_back({name, {}, {}, 0});
  const auto named = [](const std::vector<Channel>& list, const std::string& name) {
    return std::any_of(list.begin(), list.end(), [&](const Channel& channel) { return channel.name == name; });
  };
  for (const Limit& limit : project.limits)
    if (limit.quantity->of_column && !named(of_scheme, limit.channel) && !named(columns, limit.channel))
      columns.push_back({limit.channel, limit.channel_units, {}, 0});
  return columns;
}

/// Columns that became RigState::readings in a project with sensors.
std::vector<std::string> readingColumns(const Project& project, std::size_t interfaces) {
  const PartitionSpec& cut = project.partition;
  if (!isSensed(project)) return {};
  std::vector<std::string> columns;
  const auto add = [&](std::size_t sensors, const char* sensed, const char* plain) {
    for (std::size_t k = 1; k <= (sensors == 0 ? interfaces : sensors); ++k)
      columns.push_back((sensors == 0 ? plain : sensed) + std::to_string(k));
  };
  add(cut.sensors.size(), "sensor_", "measured_");
  add(forceCells(project, std::vector<Dof>(interfaces)).size(), "force_sensor_", "force_");
  return columns;
}

/// One replay from the first row to the last.
class Replay {
 public:
  Replay(const RunFileReader& run, const Project& project, std::size_t interfaces, const std::filesystem::path& output)
      : history_(run, project),
        recording_(run, interfaces, watchedColumns(project, interfaces), readingColumns(project, interfaces)) {
    if (history_.decidedByLinkErrors() && !recording_.hasLinkErrors())
      throw DeviceError("the run file cannot be replayed: a limit on link errors decided, but they were not recorded");
    auto rig = std::make_unique<ReplayRig>(interfaces, readingColumns(project, interfaces).size());
    rig_ = rig.get();
    rig_->columns = watchedColumns(project, interfaces);
    rig_->further.assign(rig_->columns.size(), 0.0);
    loop_ = buildLoop(project, std::move(rig));
    std::vector<double> learnt;
    if (run.info().begun_with_learnt) loop_->beginWith(learnt = run.read("config/learnt"));
    shown_ = std::make_unique<RowRing>(loop_->layout().width(), 16);
    loop_->attachDisplay(shown_.get(), nullptr);
    if (output.empty()) return;
    RunFileHeader header = buildHeader(project);
    header.realtime = {Realtime::replay, "replay of " + run.info().uuid};
    header.begun_with = learnt;
    if (!learnt.empty()) header.used.emplace_back("begun_with", run.attribute("config", "begun_with"));
    recorder_ = std::make_unique<Recorder>(output, header, loop_->layout(), loop_->eventNames(), project.loop.rate_hz,
                                           static_cast<double>(run.info().rows) / project.loop.rate_hz,
                                           project.recording.flush_s);
    loop_->attachRecorder(&recorder_->rows(), &recorder_->events(), &recorder_->failedFlag());
    loop_->attachSegments(&recorder_->segments());
  }

  ReplayReport toTheEnd() {
    play([] { return false; });
    if (report_.rows < recording_.rows()) {
      recording_.seek(recording_.rows() - 1);
      report_.early_end = "the replay ended at tick " + std::to_string(last_tick_) + " (" + endSentence(*loop_) +
                          "), the recording goes on to tick " + std::to_string(recording_.tick());
    }
    closeOutput();
    return report_;
  }

  /// Learnt values at the start of this trial.
  std::vector<double> learntAt(int trial) {
    const auto begun = [&] { return loop_->status().trial.load() == trial; };
    play(begun);
    if (!begun())
      throw DeviceError("the run has no trial " + std::to_string(trial) + ", or its replay ends before it (" +
                        endSentence(*loop_) + ")");
    return loop_->trialBeganWith();
  }

  /// Replaces the thread if it does not return from a plug-in: closes the file.
  void abandon() {
    loop_->abandon();
    if (recorder_) recorder_->close({false, true, endSentence(*loop_)});
  }

 private:
  /// From the first row to the last, or until `enough`.
  template <typename Enough>
  void play(Enough&& enough) {
    bool running = start();
    std::uint64_t& last_tick = last_tick_;
    for (std::uint64_t row = 0; running && row < recording_.rows() && !enough(); ++row) {
      recording_.seek(row);
      const std::uint64_t tick = recording_.tick();
      if (row > 0 && (tick <= last_tick || (tick > last_tick + 1 && (recording_.flags() & kFlagLate) == 0)))
        throw DeviceError("the run file cannot be replayed: rows are missing between tick " +
                          std::to_string(last_tick) + " and tick " + std::to_string(tick));
      if (row > 0) history_.applyUntil(tick, *loop_);
      if (row <= 1) chooseForceSource();
      loop_->holdDirectorWork(history_.waits(tick));
      tellRig();
      waitForRecorder();
      running = loop_->tick(row > 0 ? static_cast<std::int64_t>(tick - last_tick) : 1);
      compare(tick);
      last_tick = tick;
    }
  }

  /// Before Run the actuators stand at the first command, or as near as the rig brings them. They rest there long
  /// enough that no velocity is left.
  bool start() {
    recording_.seek(0);
    tellRig();
    loop_->arm();
    for (std::size_t i = 0; i < rig_->interfaces(); ++i)
      rig_->sample.measured[static_cast<Eigen::Index>(i)] = recording_.command(i);
    if (!loop_->tick(1)) return false;
    tellRig();
    if (!loop_->tick(kLongAgo)) return false;
    history_.applyUntilStart(*loop_);
    return true;
  }

  void tellRig() {
    for (std::size_t i = 0; i < rig_->interfaces(); ++i) {
      rig_->sample.measured[static_cast<Eigen::Index>(i)] = recording_.measured(i);
      rig_->sample.force[static_cast<Eigen::Index>(i)] = recording_.force(i);
    }
    for (std::size_t c = 0; c < rig_->further.size(); ++c) rig_->further[c] = recording_.further(c);
    for (std::size_t r = 0; r < rig_->readings(); ++r)
      rig_->sample.readings[static_cast<Eigen::Index>(r)] = recording_.reading(r);
    rig_->status = history_.status(recording_.flags());
    rig_->setLinkErrors(recording_.linkErrors());
  }

  /// A choice made before the end of the first tick leaves no event, but the rows show it.
  void chooseForceSource() {
    const ForceSource source =
        (recording_.flags() & kFlagEmulatedForce) != 0 ? ForceSource::emulated : ForceSource::measured;
    if (source != loop_->status().force_source.load())
      loop_->post({Request::Kind::set_force_source, static_cast<int>(source), 0.0, {}});
  }

  void compare(std::uint64_t tick) {
    if (shown_->pop(row_, 1) == 0) return;  // ended before Run
    ++report_.rows;
    bool differs = false;
    for (std::size_t i = 0; i < rig_->interfaces(); ++i) {
      const double now = row_[loop_->layout().command(i)], then = recording_.command(i);
      if (sameBits(now, then)) continue;
      differs = true;
      if (!report_.first) report_.first = {tick, "command_" + std::to_string(i + 1), then, now};
    }
    if (differs) ++report_.differing_rows;
  }

  void waitForRecorder() const {
    while (recorder_ && recorder_->rows().freeRows() == 0 && !recorder_->failed()) std::this_thread::sleep_for(200us);
  }

  void closeOutput() {
    if (!recorder_) return;
    const bool ended = loop_->endReason() != EndReason::running;
    recorder_->close({loop_->endReason() == EndReason::completed, true,
                      ended ? endSentence(*loop_) : "end of the replayed recording"});
    if (recorder_->failed()) throw DeviceError(recorder_->failure());
    recorder_->sync();
  }

  History history_;
  Recording recording_;
  ReplayRig* rig_ = nullptr;  // of the loop
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<RowRing> shown_;
  std::unique_ptr<Loop> loop_;  // first in the order of destruction, because it writes to the others
  std::vector<double> row_;
  std::uint64_t last_tick_ = 0;
  ReplayReport report_;
};

/// The recorded project with these changes. Throws as replay().
Project recordedProject(const RunFileReader& run, const std::vector<std::string>& changes,
                        const std::filesystem::path& folder) {
  if (run.info().live)
    throw DeviceError(
        "the run is still active, or its program was killed; wait for its end, or recover the file first");
  if (run.info().rows == 0) throw DeviceError("the run file cannot be replayed: it has no rows");
  Json document;
  try {
    document = Json::parse(run.projectJson());
  } catch (const Json::exception&) {
    throw DeviceError("the run file cannot be replayed: its project is damaged");
  }
  migrate(document);
  for (const std::string& change : changes) setValue(document, change);
  Project project = parseProject(withoutDriver(document), folder);
  project.document = document;
  if (run.attribute("config", "tuning_fade").empty()) leaveCommandsUnbounded(project);  // of an older program
  for (const auto& [name, value] : project.compensation.method->provenance())
    if (name.ends_with("_sha256") && run.attribute("config", name) != value)
      throw DeviceError("the run cannot be replayed: it was recorded with another version of the library (" + name +
                        " " + run.attribute("config", name) + ", now " + value + "); put the old file back");
  return withPlugIns(std::move(project));
}

/// Runs `ask` on a replay of the run. If a plug-in does not return, its thread keeps the replay.
template <typename Result, typename Ask>
Result replayed(const RunFileReader& run, const Project& project, const std::filesystem::path& output, Ask ask) {
  auto replay = std::make_unique<Replay>(run, project, buildPartition(project).interface.size(), output);
  if (!project.compensation.watch) return ask(*replay);
  const auto result = std::make_shared<Result>();
  try {
    workWatched(project.compensation.watch, nullptr, [result, ask, &replay = *replay] { *result = ask(replay); });
  } catch (const PlugInGivenUp&) {
    replay.release()->abandon();
    throw;
  }
  return std::move(*result);
}

}  // namespace

ReplayReport replay(const RunFileReader& run, const ReplayOptions& options) {
  const Project project = recordedProject(run, options.changes, options.folder);
  return replayed<ReplayReport>(run, project, options.output, [](Replay& replay) { return replay.toTheEnd(); });
}

std::vector<double> learntAt(const RunFileReader& run, int trial, const std::filesystem::path& folder) {
  const Project project = recordedProject(run, {}, folder);
  return replayed<std::vector<double>>(run, project, {}, [trial](Replay& replay) { return replay.learntAt(trial); });
}

}  // namespace hyb
