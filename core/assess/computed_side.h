#pragma once
#include <array>
#include <optional>
#include <vector>

#include "core/project/project.h"
#include "core/run/analysed_rows.h"

namespace hyb {

/// Quantities of the numerical side that a run did not record, over the analysed rows.
struct ComputedSide {
  /// Second and third storey, computed and in the uncut structure, m; empty if isBuilding() is false.
  std::array<std::vector<double>, 2> floors, reference;
  /// Their shears: K x + C x' of the floor and those above it, N; empty if nonlinear links carry a part.
  std::array<std::vector<double>, 2> shears, reference_shears;
  /// First storey as the specimen behind a spring: measured, and in the uncut structure, m.
  std::vector<double> specimen, specimen_reference;
  std::vector<double> input_j;  // work of the excitation on the numerical side since the first of these rows
};

/// True for three storeys with the first as the interface: the numerical side has floors.
bool isBuilding(const Partition& partition);

/// Recomputes the numerical side from the recorded excitation and forces, as the loop did. None if this does not
/// reproduce the recorded target: rows are missing, the test was held or ran on emulated forces, or another program
/// computed it. Throws InputError if the project cannot be built.
std::optional<ComputedSide> computedSide(const Project& project, const AnalysedRows& rows);

}  // namespace hyb
