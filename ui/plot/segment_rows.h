#pragma once
#include <vector>

#include "core/data/channel.h"
#include "core/record/run_file_reader.h"

namespace hyb::ui {

/// Stored results of each trial, frequency or point of a path: /segments of a run file, one row each.
struct SegmentRows {
  std::vector<Channel> columns;
  std::vector<std::vector<double>> rows;  // up to the shortest column
};
SegmentRows segmentRows(const RunFileReader& file);

}  // namespace hyb::ui
