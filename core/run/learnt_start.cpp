#include "core/run/learnt_start.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/record/integrity.h"
#include "core/record/run_file_reader.h"
#include "core/run/replay.h"
#include "core/run/run_record.h"

namespace hyb {

Json learningNeeds(const Project& project) {
  Json needs = {{"/loop/rate_hz", project.loop.rate_hz}, {"/loop/trials/length_s", project.loop.trials.length_s}};
  for (const char* section : {"compensation", "partition", "coupling", "excitation"})
    if (project.document.contains(section)) needs[std::string("/") + section] = project.document[section];
  return needs;
}

std::string startFault(const LearntStart& start, const Project& project) {
  const Json needs = learningNeeds(project);
  for (const auto& lists : {&needs, &start.needs})
    for (const auto& [place, value] : lists->items())
      if (needs.value(place, Json()) != start.needs.value(place, Json()))
        return start.from + " cannot be used as a start: its learnt values do not fit here, because " + place +
               " differs. Use the project of that run, or start without learnt values.";
  return {};
}

LearntStart learntStartOf(const std::filesystem::path& file, int trial) {
  requireUndamaged(file);  // its numbers are used by another test
  const RunFileReader run(file);
  const auto& kept = run.info().segments;
  const std::string name = file.filename().string();
  if (std::ranges::find(kept, "trial") == kept.end())
    throw DeviceError(name + ": has no trials to start from, because its test ran once (/loop/trials)");
  const std::vector<double> trials = run.read("segments/trial"), whole = run.read("segments/whole"),
                            errors = run.read("segments/tracking_nrmse_percent");
  std::optional<std::size_t> row = bestTrialRow(whole, errors);
  if (trial > 0) {
    const auto found = std::ranges::find(trials, static_cast<double>(trial));
    if (found == trials.end())
      throw DeviceError(name + ": has no trial " + std::to_string(trial) + "; its trials are 1 to " +
                        std::to_string(trials.size()));
    row = static_cast<std::size_t>(found - trials.begin());
  }
  if (!row) throw DeviceError(name + ": none of its trials counts because each was held or cut short; name a trial");
  LearntStart made;
  made.of.trial = static_cast<int>(trials.at(*row));
  made.of.error_percent = errors.at(*row);
  const std::filesystem::path folder = projectFolder(run, file);
  made.of.learnt = learntAt(run, made.of.trial, folder);
  if (made.of.learnt.empty())
    throw DeviceError(name + ": its compensation learns nothing that another test can start from");
  made.from = "trial " + std::to_string(made.of.trial) + " of " + name;
  Json document = Json::parse(run.projectJson());
  migrate(document);
  made.needs = learningNeeds(parseRecorded(document, folder));
  return made;
}

}  // namespace hyb
