#pragma once
#include "core/force_stage/force_stage.h"

namespace hyb {

struct ContactForceParams {
  int interface = 0;      // from 1; 0: each of them, on its own
  bool by_force = false;  // contact is found by the force, else by the motion measured
  double gap_m = 0.0;     // contact at displacements under minus the gap, above: over it
  bool above = false;
  double hysteresis_m = 0.0;  // flight only that far off the gap again
  double threshold_n = 1.0;   // contact where the corrected force is further than this from that in flight
  double hysteresis_n = 0.5;  // flight only that far below the threshold again
  double offset_n = 0.0;      // added to what the sensor reads, in contact
  double flight_n = 0.0;      // what the NS gets in flight, whatever the sensor reads
};

/// Force of a specimen that touches and leaves a ground (Insam 2022, section 4.2; note D3.4):
///   f_NS = f_sensor + offset in contact, a constant in flight, where the reading is below its noise.
/// The offset is what the sensor carries beside the contact: of a specimen of mass m mounted upside down that of 2 m g.
/// The source does not say how it tells contact from flight.
std::unique_ptr<ForceStage> makeContactForce(const ContactForceParams& params, std::size_t interfaces);
ForceStageSpecPtr parseContactForce(const Json& settings);

}  // namespace hyb
