#include "core/rig/twin.h"
#include "tests/support/rig_contract.h"
#include "tests/support/suite.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;

/// The rig contract on twins of every kind.
class TestTwinContract : public RigContract {
  Q_OBJECT
 public:
  explicit TestTwinContract(TwinParams params) : params_(std::move(params)) {
    // White noise stays below six times its rms in the few thousand readings of the suite, plus the code width.
    noise_m = 6.0 * params_.displacement_sensor.noise_rms * (params_.displacement_sensor.bits > 0 ? 1.1 : 1.0);
    noise_n = 6.0 * params_.force_sensor.noise_rms * (params_.force_sensor.bits > 0 ? 1.1 : 1.0);
  }

 protected:
  std::unique_ptr<Rig> makeRig() override { return makeTwin(cut(threeMass(), threeMassPartition()), params_, 1e-3); }

 private:
  TwinParams params_;
};

static SuiteObjects twins() {
  TwinParams noisy = twoActuators();
  noisy.displacement_sensor = {1e-5, 0.02, 16};
  noisy.force_sensor = {0.075, 200.0, 16};
  for (ActuatorSpec& actuator : noisy.actuators) {
    actuator.stroke_m = 0.025;
    actuator.velocity_limit_m_per_s = 0.5;
    actuator.force_limit_n = 250.0;
  }
  TwinParams delays, mixed;
  delays.actuators = {lateBy(0.0063)};
  mixed.actuators = {{.model = idealActuator()}, lateBy(0.0063)};

  SuiteObjects objects;
  for (const TwinParams& params : {twoActuators(), noisy, delays, mixed})
    objects.push_back(std::make_unique<TestTwinContract>(params));
  return objects;
}

HYB_SUITE_MADE_BY(twin_contract, twins)
HYB_THREADS(twin_contract)
#include "twin_contract.moc"
