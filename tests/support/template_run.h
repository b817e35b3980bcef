#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "core/project/project.h"
#include "core/study/memory_run.h"

namespace hyb::test {

/// A project, as shipped or with values changed, run by the product as a study runs it: all channels.
class TemplateRun {
 public:
  /// With `measures` its figures are those of the catalogue too: they cost more than most runs.
  explicit TemplateRun(const Json& document, bool measures = false) : TemplateRun(parseProject(document), measures) {}
  explicit TemplateRun(const Project& project, bool measures = false)
      : run_(runInMemory(project, Pace::free_run, true, never(), measures)) {}
  EndReason ended() const { return run_.reason; }
  const std::string& sentence() const { return run_.stop_reason; }
  /// As `metrics --json`.
  const Json& figures() const { return run_.metrics; }
  /// All rows of a channel of the run file; empty: there is none of that name.
  std::vector<double> channel(const std::string& name) const {
    return values(run_.trace, name).value_or(std::vector<double>());
  }

 private:
  static const StopToken& never() {
    static const StopToken stop;
    return stop;
  }
  MemoryRun run_;
};

}  // namespace hyb::test
