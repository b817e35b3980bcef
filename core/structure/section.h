#pragma once
#include <Eigen/Core>

#include "core/structure/partition.h"

namespace hyb {

/// A force inside the specimen as a sum over its DOF: of_acceleration x'' + of_displacement x.
struct SectionForce {
  Eigen::RowVectorXd of_displacement, of_acceleration;  // [physical DOF]
};

/// Bending moment of the specimen across the node at station_m along +x from the cut, as strain gauges read it: the
/// inertia of what stands beyond, with its static modes,
///   m = -Psi^T (M x'' + K x)_beyond,
/// which is exact whatever modes the specimen is reduced to. In a specimen at rest m = -station T + M with the force T
/// and moment M of the PS on the NS. `partition`: of this model and spec, in whatever axes, not reduced. Throws
/// InputError ("/station_m"): no node there, or the cut is not by a position along x with the specimen beyond.
SectionForce sectionMoment(const Model& model, const PartitionSpec& spec, const Partition& partition, double station_m);

}  // namespace hyb
