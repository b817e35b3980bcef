#include "ui/plot/segment_rows.h"

#include <algorithm>

namespace hyb::ui {

SegmentRows segmentRows(const RunFileReader& file) {
  SegmentRows all;
  std::vector<std::vector<double>> values;
  for (const std::string& name : file.info().segments) {
    const std::string dataset = "segments/" + name;
    all.columns.push_back({name, file.attribute(dataset, "units"), file.attribute(dataset, "description"), 0});
    values.push_back(file.read(dataset));
  }
  std::size_t rows = values.empty() ? 0 : values.front().size();
  for (const std::vector<double>& column : values) rows = std::min(rows, column.size());
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<double>& row = all.rows.emplace_back();
    for (const std::vector<double>& column : values) row.push_back(column[r]);
  }
  return all;
}

}  // namespace hyb::ui
