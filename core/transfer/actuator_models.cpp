#include <algorithm>
#include <array>

#include "core/base/json.h"
#include "core/transfer/actuator.h"
#include "core/transfer/cross_coupled.h"
#include "core/transfer/exciter.h"
#include "core/transfer/first_order.h"
#include "core/transfer/ideal.h"
#include "core/transfer/leg.h"
#include "core/transfer/pure_delay.h"
#include "core/transfer/servo.h"
#include "core/transfer/servo_hydraulic.h"
#include "core/transfer/shaker.h"
#include "core/transfer/voice_coil.h"

namespace hyb {
namespace {

constexpr std::array kModels{
    ActuatorEntry{"servo", parseServo},
    ActuatorEntry{"servo-hydraulic", parseServoHydraulic},
    ActuatorEntry{"leg", parseLeg},
    ActuatorEntry{"voice-coil", parseVoiceCoil},
    ActuatorEntry{"exciter", parseExciter},
    ActuatorEntry{"shaker", parseShaker},
    ActuatorEntry{"cross-coupled", parseCrossCoupled},
    ActuatorEntry{"first-order", parseFirstOrder},
    ActuatorEntry{"pure-delay", parsePureDelay},
    ActuatorEntry{"ideal", parseIdeal},
};

}  // namespace

std::span<const ActuatorEntry> actuatorModels() noexcept { return kModels; }

ActuatorSpec parseActuator(const Json& settings) {
  const std::string name = text(settings, "model");
  const auto entry = std::find_if(kModels.begin(), kModels.end(), [&](const auto& e) { return e.name == name; });
  if (entry == kModels.end()) throw InputError("/model", "is \"" + name + "\", which is not an actuator model.");
  ActuatorSpec actuator = entry->parse(settings);
  read(settings, "gain", actuator.gain);
  read(settings, "delay_s", actuator.delay_s);
  read(settings, "stroke_m", actuator.stroke_m);
  read(settings, "velocity_limit_m_per_s", actuator.velocity_limit_m_per_s);
  read(settings, "acceleration_limit_m_per_s2", actuator.acceleration_limit_m_per_s2);
  read(settings, "force_limit_n", actuator.force_limit_n);
  if (const auto spring = settings.find("spring"); spring != settings.end()) {
    ComplianceSpring found;
    read(*spring, "stiffness_n_per_m", found.stiffness_n_per_m);
    read(*spring, "noise_loads_piston", found.noise_loads_piston);
    if (found.stiffness_n_per_m != 0.0) actuator.spring = found;
  }
  return actuator;
}

}  // namespace hyb
