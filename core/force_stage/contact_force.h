#pragma once
#include "core/force_stage/force_stage.h"

namespace hyb {

struct ContactForceParams {
  int interface = 0;      // from 1; 0: each interface separately
  bool by_force = false;  // detects contact by the force, otherwise by the measured motion
  double gap_m = 0.0;     // contact at displacements below minus the gap; above: beyond it
  bool above = false;
  double hysteresis_m = 0.0;  // return distance from the gap for flight
  double threshold_n = 1.0;   // contact if the corrected force differs by more than this from that in flight
  double hysteresis_n = 0.5;  // return distance below the threshold for flight
  double offset_n = 0.0;      // added to the sensor reading in contact
  double flight_n = 0.0;      // force for the NS in flight, independent of the reading
};

/// Force of a specimen that makes and loses contact with a ground (Insam 2022, section 4.2; note D3.4):
///   f_NS = f_sensor + offset in contact, a constant in flight, where the reading is below its noise.
/// The offset is the sensor load besides the contact force: 2 m g for a specimen of mass m mounted upside down. The
/// source does not describe the detection of contact.
std::unique_ptr<ForceStage> makeContactForce(const ContactForceParams& params, std::size_t interfaces);
ForceStageSpecPtr parseContactForce(const Json& settings);

}  // namespace hyb
