#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/compensation/plant_model.h"
#include "core/transfer/actuator.h"

namespace hyb {

/// A root that is another one in perturbed plants.
struct SpreadRoot {
  PlantRoot root;
  double spread = 0.0;   // standard deviation of its factor in perturbed plants
  std::size_t draw = 0;  // number of its random deviate, from 1; roots with one number change together. 0: never
};

/// An actuator with its own controller, known as measured transfer functions from its command to the motions of its own
/// and of other axes, with the specimen attached:
///   x_k / u = factor_k product(s - zeros_k) / product(s - poles)
/// All motions share the poles. The motion of an axis is the sum over all actuators of the cut.
/// A perturbed plant has each root times 1 + spread d, with one normal deviate d per draw, and each factor scaled so
/// that the magnitude at 0.01 Hz stays. Source: Condori Uribe et al., Front. Built Environ. 9 (2023) 1270996.
struct CrossCoupledParams {
  struct Path {
    std::vector<SpreadRoot> zeros;
    double factor = 1.0;  // for roots in rad/s
  };
  struct CrossPath {
    int interface = 1;  // from 1
    Path path;
  };
  std::vector<SpreadRoot> poles;
  Path own;
  std::vector<CrossPath> cross;
  std::vector<double> deviates;  // [draw - 1]; empty or too few: 0, the nominal plant
};
ActuatorModelPtr crossCoupled(const CrossCoupledParams& params);
ActuatorSpec parseCrossCoupled(const Json& settings);

/// Standard normal deviates of a perturbed plant; none for seed 0, the nominal plant.
std::vector<double> plantDeviates(std::uint64_t seed);

}  // namespace hyb
