#pragma once
#include <array>
#include <optional>
#include <vector>

#include "core/project/project.h"
#include "core/run/analysed_rows.h"

namespace hyb {

/// What a run did not record of its computed side, over the rows that are analysed.
struct ComputedSide {
  /// Second and third storey, computed and in the uncut structure, m; empty: isBuilding() says no.
  std::array<std::vector<double>, 2> floors, reference;
  /// Their shears: K x + C x' of the floor and those above it, N; empty where nonlinear links bear a part.
  std::array<std::vector<double>, 2> shears, reference_shears;
  /// First storey, where it is the specimen behind a spring: measured, and in the uncut structure, m.
  std::vector<double> specimen, specimen_reference;
  std::vector<double> input_j;  // work of the excitation on the computed side since the first of these rows
};

/// Three storeys, of which the first is the interface: what it computes has floors.
bool isBuilding(const Partition& partition);

/// Computes it again from the excitation and the forces that were recorded, as the loop did. None where that does not
/// give the recorded target: rows are missing, the test was held or ran on emulated forces, or another program
/// computed. Throws InputError where the project cannot be built.
std::optional<ComputedSide> computedSide(const Project& project, const RunRows& run, const AnalysedRows& rows);

}  // namespace hyb
