#pragma once
#include <complex>
#include <memory>
#include <vector>

#include "core/coupling/sweep_reference.h"
#include "ui/plot/run_history.h"
#include "ui/plot/sweep_list.h"

namespace hyb::ui {

/// The last periods of one point of a sweep, in the quantities of the cut: sensor values of each tick, and averaged and
/// computed values, reconstructed from their harmonics.
struct PointPeriods {
  struct Trace {
    QString title;
    std::string unit;  // SI
    bool force = false;
    std::vector<double> raw;                 // [rows]; empty: unknown
    std::vector<double> averaged, computed;  // [rows] of cycles
  };
  std::vector<double> cycles;  // of the first harmonic, [rows]; from 0
  std::vector<Trace> traces;   // motions of the DOF of the cut, then forces
  QString remark;              // reason for missing values, otherwise empty
};

/// Periods of this row of the sweep. `history`: rows of the run, if still available; null: none. `reference`:
/// transformation from actuator axes to the DOF of the cut; null: unknown.
PointPeriods periodsOf(const SweepList& sweep, std::size_t row, const RunHistory* history,
                       const SweepReference* reference);

}  // namespace hyb::ui
