#pragma once
#include <complex>
#include <memory>
#include <vector>

#include "core/coupling/sweep_reference.h"
#include "ui/plot/run_history.h"
#include "ui/plot/sweep_list.h"

namespace hyb::ui {

/// The last periods of one point of a sweep, in the quantities of the cut: tick by tick as the sensors gave them, and
/// what was averaged and what the computed side has, made of their harmonics.
struct PointPeriods {
  struct Trace {
    QString title;
    std::string unit;  // SI
    bool force = false;
    std::vector<double> raw;                 // [rows]; empty: not known
    std::vector<double> averaged, computed;  // [rows] of cycles
  };
  std::vector<double> cycles;  // of the first harmonic, [rows]; from 0 on
  std::vector<Trace> traces;   // motions of the DOF of the cut, then forces
  QString remark;              // why something is missing, else empty
};

/// Of this row of the sweep. `history`: rows of the run, where they are still there; null: none. `reference`: tells
/// how the axes of the actuators turn into the DOF of the cut; null: not known.
PointPeriods periodsOf(const SweepList& sweep, std::size_t row, const RunHistory* history,
                       const SweepReference* reference);

}  // namespace hyb::ui
