#pragma once
#include <optional>

#include "core/project/project.h"
#include "core/run/analysed_rows.h"

namespace hyb {

/// Deviation of the walker of a test over its first stride (strideDeviation() in core/gait/search.h), from its start in
/// the project. The analysed rows must begin before its first step. NaN: they do not contain the whole stride. None:
/// nobody walks in this test.
std::optional<double> strideDeviation(const Project& project, const AnalysedRows& rows);

}  // namespace hyb
