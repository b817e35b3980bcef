#pragma once
#include <Eigen/Core>
#include <vector>

#include "core/structure/system.h"

namespace hyb {

/// Result of a periodic test at the cut of the uncut structure, as an overlay. Amplitudes are complex: psi of the
/// signal Re(psi e^{j k w t}), k the order of the harmonic.
struct SweepReference {
  std::vector<Dof> dofs;    // of the cut, [i]
  std::vector<int> orders;  // [h]
  Eigen::MatrixXd to_axes;  // [i, i]: motion of the actuators' axes from that of the cut
  struct Point {
    double frequency_hz = 0.0;
    Eigen::MatrixXcd motion, force;  // [i, h]: at the cut, m (rad), and of the PS on the NS, N (N m)
  };
  std::vector<Point> points;  // of a sweep: ascending frequencies; of a path: in its order
};

}  // namespace hyb
