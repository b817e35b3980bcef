#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/base/json_fwd.h"
#include "core/study/figures.h"
#include "core/study/journal.h"

namespace hyb {

struct Study;

/// Keys of the runs of a study: equal for runs that give the same numbers, also in another study. A key is the SHA-256
/// of project (with values and seed, keys sorted), content of its files, stored figures and traces, and version of this
/// program. Tests in real time, FACE tests and those with plug-ins are measured again by each study: their keys
/// contain the study.
class RunKeys {
 public:
  /// Reads the files of the study.
  RunKeys(const Study& study, const std::vector<FigureColumn>& columns);
  /// 64 hexadecimal digits. `project`: Study::project(run).
  std::string of(std::size_t run, const Json& project) const;

 private:
  std::map<std::string, std::string> files_;  // SHA-256 by name
  bool own_;                                  // no run is shared with another study
  std::string identity_, common_;
};

/// What the journal needs to know of a study, which must live as long.
JournalOwner journalOwner(const Study& study, const std::vector<FigureColumn>& columns);

}  // namespace hyb
