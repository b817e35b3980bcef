#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/fidelity/measure.h"
#include "core/project/project.h"

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
/// True if some columns need measures, which are not computed by default.
bool needsMeasures(const std::vector<FigureColumn>& columns) noexcept;
/// One value per column; NaN if the run has none.
std::vector<double> figureValues(const Json& metrics, const std::vector<FigureColumn>& columns);

}  // namespace hyb
