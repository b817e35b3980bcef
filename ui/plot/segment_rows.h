#pragma once
#include <vector>

#include "core/record/run_file_reader.h"
#include "core/data/channel.h"

namespace hyb::ui {

/// What was kept of each trial, frequency or point of a path: /segments of a run file, a row each.
struct SegmentRows {
  std::vector<Channel> columns;
  std::vector<std::vector<double>> rows;  // as far as all columns have one
};
SegmentRows segmentRows(const RunFileReader& file);

}  // namespace hyb::ui
