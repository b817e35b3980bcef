#pragma once
#include <QTemporaryDir>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/record/run_file_writer.h"

namespace hyb::test {

inline RowLayout smallLayout(std::size_t interfaces = 2) {
  return {interfaces, {{"walls", "m", "", 0}}, true, {{"prediction_1", "s", "prediction horizon of interface 1"}}};
}

/// A value that tells its row and column, with digits down to the last bit.
inline double sample(std::uint64_t row, std::size_t column) {
  if (column == RowLayout::kTick) return static_cast<double>(row);
  if (column == RowLayout::kTime) return static_cast<double>(row) * 1e-3;
  if (column == RowLayout::kFlags) return static_cast<double>(row % 2 == 0 ? kFlagHolding : kFlagLate);
  if (column < RowLayout::kFirstChannel) return static_cast<double>(row % 1000) - 20.0 * static_cast<double>(column);
  return 1.0 + std::sin(0.01 * static_cast<double>(row) + static_cast<double>(column));
}

inline std::vector<double> block(const RowLayout& layout, std::uint64_t first, std::size_t count) {
  std::vector<double> rows;
  rows.reserve(count * layout.width());
  for (std::uint64_t r = first; r < first + count; ++r)
    for (std::size_t c = 0; c < layout.width(); ++c) rows.push_back(sample(r, c));
  return rows;
}

/// What a step fails with; empty when it does not.
inline std::string failureOf(const std::function<void()>& step) {
  try {
    step();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return {};
}

inline RunFileHeader header() {
  RunFileHeader made;
  made.title = "Three masses";
  made.operator_name = "Jürgen";
  made.rate_hz = 1000.0;
  made.project_json =
      R"({"format": "hybridbench-project", "meta": {"title": "für drei Massen"}, "loop": {"rate_hz": 1000}})";
  made.matrices = {{"m", "kg", "mass", (Eigen::MatrixXd(2, 2) << 1, 2, 3, 4).finished()}};
  made.designsafe = {{"Title", "Three masses"}};
  return made;
}

inline std::filesystem::path in(const QTemporaryDir& folder, const char* name) {
  return std::filesystem::path(folder.path().toStdString()) / name;
}

}  // namespace hyb::test
