#pragma once
#include <Eigen/Core>

#include "core/structure/partition.h"

namespace hyb {

/// A force inside the specimen as a sum over its DOF: of_acceleration x'' + of_displacement x.
struct SectionForce {
  Eigen::RowVectorXd of_displacement, of_acceleration;  // [physical DOF]
};

/// Bending moment of the specimen across the node at station_m along +x from the cut, as measured by strain gauges: the
/// inertia forces of the part beyond, with its static modes,
///   m = -Psi^T (M x'' + K x)_beyond,
/// This is exact for any modes of a reduced specimen. For a specimen at rest m = -station T + M with the force T and
/// moment M of the PS on the NS. `partition`: of this model and spec, in any axes, not reduced. Throws InputError
/// ("/station_m"): no node there, or the cut is not by a position along x with the specimen beyond.
SectionForce sectionMoment(const Model& model, const PartitionSpec& spec, const Partition& partition, double station_m);

}  // namespace hyb
