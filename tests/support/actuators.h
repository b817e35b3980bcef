#pragma once
#include <QMetaType>

#include "core/transfer/first_order.h"
#include "core/transfer/ideal.h"
#include "core/transfer/leg.h"
#include "core/transfer/pure_delay.h"
#include "core/transfer/servo.h"
#include "core/transfer/servo_hydraulic.h"

Q_DECLARE_METATYPE(hyb::ActuatorSpec)

namespace hyb::test {

/// Of 70 % damping.
inline ActuatorSpec servoActuator(double frequency_hz = 28.0, double delay_s = 0.0005) {
  return {.model = servo({frequency_hz, 0.7}), .delay_s = delay_s};
}
inline ActuatorSpec lateBy(double delay_s) { return {.model = pureDelay(), .delay_s = delay_s}; }

}  // namespace hyb::test
