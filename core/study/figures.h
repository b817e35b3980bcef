#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/fidelity/measure.h"
#include "core/run/run_record.h"

namespace hyb {

/// A figure that a study stores for each run: one of the catalogue of core/fidelity/measure.h, or one that is not a
/// measure.
struct FigureKind {
  const char *name, *units, *description;
  bool per_interface;
  const Measure* measure = nullptr;
};
std::span<const FigureKind> figureKinds() noexcept;

/// One column of a study's result: "delay_ms_1", or "energy_error" for the whole run.
struct FigureColumn {
  const FigureKind* kind;
  int interface;  // from 1; 0: whole run
  std::string name() const;
};
/// The columns of these measures, in the order of figureKinds(), for up to `interfaces` interfaces.
std::vector<FigureColumn> figureColumns(const std::vector<std::string>& measures, std::size_t interfaces);
/// One value per column, of the run itself: the measures of these columns and no more. As metrics() gives them; NaN if
/// the run has none.
std::vector<double> figureValues(const RunRecord& run, const std::vector<FigureColumn>& columns);

}  // namespace hyb
