#pragma once
#include <Eigen/Core>
#include <complex>

#include "core/structure/partition.h"
#include "core/transfer/params.h"

namespace hyb {

/// Frequency response of the twin from commands to interface displacement, x = H(s) u, [i, i]: pure delays, actuators,
/// and the reaction of specimen and fixture. Without the hold over the tick. Ideal actuators: gain.
Eigen::MatrixXcd commandResponse(const Partition& partition, const TwinParams& params, std::complex<double> s);

/// The twin for small motions: without laws and limits.
TwinParams linearised(TwinParams params);

/// The partition with the specimen of the twin: its matrices times the factors.
Partition withSpecimen(Partition partition, const SpecimenParams& factors);

}  // namespace hyb
