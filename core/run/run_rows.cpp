#include "core/run/run_rows.h"

#include <algorithm>

#include "core/base/error.h"

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

RunRows rowsOf(const RunFileReader& file, const std::filesystem::path& folder, std::vector<std::string> damage) {
  const RunFileInfo& info = file.info();
  RunRows run;
  run.project = Json::parse(file.projectJson(), nullptr, false);
  if (run.project.is_discarded()) throw DeviceError("the run file holds no readable project (/config/project)");
  if (!(info.rate_hz > 0.0)) throw DeviceError("the run file gives no rate (attribute rate_hz)");
  run.folder = folder;
  run.rate_hz = info.rate_hz;
  run.rows = info.rows;
  run.channels = info.acquisition;
  const auto kind = [&](const char* stem, std::size_t i) {
    return signalKind(file.attribute("acquisition/" + (stem + std::to_string(i)), "units"));
  };
  const auto has = [&](const std::string& name) {
    return std::find(run.channels.begin(), run.channels.end(), name) != run.channels.end();
  };
  for (std::size_t i = 1; has("measured_" + std::to_string(i)) && has("target_" + std::to_string(i)); ++i)
    run.interfaces.push_back({"", kind("measured_", i), kind("target_", i), kind("command_", i)});
  run.read = [&file](const std::string& channel, std::uint64_t first, std::uint64_t count) {
    return file.read("acquisition/" + channel, first, count);
  };
  for (const std::string& name : info.segments) run.segments.emplace_back(name, file.read("segments/" + name));
  for (const RecordedEvent& event : file.events()) {
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

std::filesystem::path projectFolder(const RunFileReader& run, const std::filesystem::path& file) {
  const std::filesystem::path recorded = run.attribute("config", kProjectFolder);
  std::error_code ignored;
  if (!recorded.empty() && std::filesystem::is_directory(recorded, ignored)) return recorded;
  return std::filesystem::absolute(file).parent_path();
}

const std::vector<double>* column(const SegmentColumns& segments, std::string_view name) {
  const auto found = std::ranges::find_if(segments, [&](const auto& one) { return one.first == name; });
  return found == segments.end() ? nullptr : &found->second;
}

std::size_t RunRows::segmentRows() const {
  std::size_t all = segments.empty() ? 0 : segments.front().second.size();
  for (const auto& [name, values] : segments) all = std::min(all, values.size());
  return all;
}

}  // namespace hyb
