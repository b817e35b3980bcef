#include "core/run/run_record.h"

#include <algorithm>
#include <memory>

#include "core/base/error.h"
#include "core/loop/row.h"
#include "core/record/run_table.h"

namespace hyb {
namespace {

/// Limit `index` of the project; -1 in files of older programs, which do not store the index.
LimitReached limitOf(const Json& document, int index) {
  const Json::json_pointer place("/safety/limits");
  if (index < 0 || !document.contains(place) || static_cast<std::size_t>(index) >= document.at(place).size())
    return {"a limit", Action::none};
  const Json& limit = document.at(place).at(static_cast<std::size_t>(index));
  LimitReached reached{limit.value("quantity", ""), Action::none};
  if (const int interface = limit.value("interface", 0); interface > 0) reached.name += " " + std::to_string(interface);
  const std::string action = limit.value("action", "");
  for (const Action one : {Action::indicate, Action::hold, Action::ramp, Action::stop})
    if (name(one) == action) reached.action = one;
  return reached;
}

}  // namespace

RunRecord recordOf(const RunFileReader& file, const std::filesystem::path& folder, std::vector<std::string> damage) {
  const RunFileInfo& info = file.info();
  RunRecord run;
  run.project = Json::parse(file.projectJson(), nullptr, false);
  if (run.project.is_discarded()) throw DeviceError("the run file holds no readable project (/config/project)");
  if (!(info.rate_hz > 0.0)) throw DeviceError("the run file gives no rate (attribute rate_hz)");
  run.folder = folder;
  run.table = recordedTable(std::shared_ptr<const RunFileReader>(std::shared_ptr<void>(), &file));
  if (find(run.table, ColumnRole::target, 1)) {
    run.interfaces = RowLayout::of(run.table.channels).signals();
    for (AxisSignals& axis : run.interfaces) axis.name.clear();
  }
  for (const RecordedEvent& event : run.table.events) {
    if (event.code != static_cast<int>(EventCode::limit_hit)) continue;
    ++run.limits_hit;
    LimitReached limit = limitOf(run.project, event.index);
    if (std::none_of(run.limits.begin(), run.limits.end(), [&](const LimitReached& other) {
          return other.name == limit.name && other.action == limit.action;
        }))
      run.limits.push_back(std::move(limit));
  }
  run.stop_reason = info.stop_reason;
  run.ended = info.verdict.ended;
  run.rows_lost = info.rows_lost;
  run.face = info.face;
  run.complete = info.complete;
  run.valid = info.valid;
  run.damage = std::move(damage);
  return run;
}

std::shared_ptr<const Project> projectOf(const RunRecord& run) {
  if (run.parsed) return run.parsed;
  try {
    return std::make_shared<const Project>(parseRecorded(run.project, run.folder));
  } catch (const InputError&) {
    return nullptr;
  }
}

std::filesystem::path projectFolder(const RunFileReader& run, const std::filesystem::path& file) {
  std::filesystem::path recorded = run.attribute("config", kProjectFolder);
  std::error_code ignored;
  if (!recorded.empty() && std::filesystem::is_directory(recorded, ignored)) return recorded;
  return std::filesystem::absolute(file).parent_path();
}

std::optional<std::vector<double>> RunRecord::segment(std::string_view name) const {
  return table.segments ? values(*table.segments, name) : std::nullopt;
}

}  // namespace hyb
