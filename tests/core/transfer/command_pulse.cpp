#include "core/transfer/command_pulse.h"

#include <cmath>
#include <complex>

#include "core/base/error.h"
#include "core/transfer/leg.h"
#include "core/transfer/pure_delay.h"
#include "core/transfer/transfer_system.h"
#include "core/transfer/velocity_loop.h"
#include "tests/support/suite.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;

/// Response of the twin to a pulse of one tick in a command.
class CommandPulseTest : public QObject {
  Q_OBJECT
  static constexpr double kPulseTick_s = 1e-3;
  static Partition specimen() { return cut(threeMass(), threeMassPartition()); }
  static TwinParams legs(bool feedforward) {
    LegParams params;
    params.velocity_feedforward = feedforward;
    TwinParams twin;
    twin.actuators = {{.model = electricLeg(params)}};
    return twin;
  }

 private Q_SLOTS:
  void anIdealActuatorIsThereATickLater() {
    TwinParams twin;
    twin.actuators = {ActuatorSpec{}};
    const auto isOneAfter = [](const std::vector<double>& response, std::size_t ticks) {
      bool good = response.size() == ticks + 1 && std::abs(response.back() - 1.0) < 1e-12;
      for (std::size_t k = 0; good && k < ticks; ++k) good = std::abs(response[k]) < 1e-12;
      return good;
    };
    QVERIFY(isOneAfter(pulseResponse(specimen(), twin, kPulseTick_s, {}), 1));
    QVERIFY(isOneAfter(pulseResponse(specimen(), twin, kPulseTick_s, {.axis = 1, .late_s = Eigen::Vector2d(9.0, 2e-3)}),
                       3));
  }

  /// Its sum over the pulses of a sine is the leg's own response to that sine.
  void aLegAnswersAsItsFrequencyResponseSays() {
    for (const bool feedforward : {false, true}) {
      const TwinParams twin = legs(feedforward);
      LegParams params;
      params.velocity_feedforward = feedforward;
      const std::vector<double> pulse = pulseResponse(specimen(), twin, kPulseTick_s, {});
      for (const double w : {10.0, 40.0, 120.0}) {
        std::complex<double> sum = 0.0;
        for (std::size_t k = 0; k < pulse.size(); ++k)
          sum += pulse[k] * std::polar(1.0, -w * kPulseTick_s * static_cast<double>(k));
        QVERIFY(std::abs(sum - sampledLegResponse(params, kPulseTick_s, w)) < 1e-4);
      }
    }
  }

  /// A rate in the velocity loop is the displacement rate / position gain where nothing is fed forward.
  void aRateGetsInWhereItIsSaid() {
    const VelocityEntry entry = *velocityEntryOf(legs(false).actuators[0]);
    const std::vector<double> displacement = pulseResponse(specimen(), legs(false), kPulseTick_s, {}),
                              rate = pulseResponse(specimen(), legs(false), kPulseTick_s,
                                                   {.entry = entry, .size = entry.position_gain_per_s});
    QCOMPARE(rate.size(), displacement.size());
    for (std::size_t k = 0; k < rate.size(); ++k) QVERIFY(std::abs(rate[k] - displacement[k]) < 1e-12);
    // What is fed forward or not does not matter to a rate.
    const VelocityEntry fed = *velocityEntryOf(legs(true).actuators[0]);
    const std::vector<double> same =
        pulseResponse(specimen(), legs(true), kPulseTick_s, {.entry = fed, .size = fed.position_gain_per_s});
    for (std::size_t k = 0; k < std::min(rate.size(), same.size()); ++k) QVERIFY(std::abs(rate[k] - same[k]) < 1e-9);
  }

  /// 9000 ticks.
  void aDelayThatIsTooLongIsTold() {
    TwinParams twin;
    twin.actuators = {{.model = pureDelay(), .delay_s = 0.9}};
    try {
      pulseResponse(specimen(), twin, 1e-4, {});
      QFAIL("nothing was said");
    } catch (const InputError& error) {
      QVERIFY2(error.issues().front().where == "/compensation/additions", error.what());
      QVERIFY(error.issues().front().message.find("does not decay") != std::string::npos);
    }
  }
};

HYB_SUITE(command_pulse, CommandPulseTest)
#include "command_pulse.moc"
