/// Legs of a platform on a rig server over TCP: the same poses and forces as in process.
#include <cmath>

#include "core/project/rig_legs.h"
#include "core/run/build.h"
#include "hardware/frames_device.h"
#include "tests/support/served_twin.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

Project stewartOn(const char* use, const std::string& address = {}) {
  Json document = templateDocument("stewart");
  document["rig"]["displacement_sensor"] = document["rig"]["force_sensor"] = Json::object();
  document["rig"]["use"] = use;
  if (!address.empty())
    document["rig"]["connection"] = {
        {"protocol", "frames"}, {"address", address}, {"timeout_ticks", 10'000}, {"connect_s", 20}, {"silence_s", 10}};
  return parseProject(document);
}

DeviceFactory framesDevices() {
  return [](const RigSpec& rig, const DeviceChannels& given) {
    DeviceChannels channels = given;
    channels.answer_wait_s = kHangs_s;
    return makeFramesDevice(rig.connection, channels);
  };
}

}  // namespace

class GeometryServedTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Command by command, one answer later.
  void servedLegsAreTheTwin() {
    const Project here = stewartOn("twin");
    const Partition partition = buildPartition(here);
    const ServedTwin served("tcp://127.0.0.1:0", {}, projectChannels(here, 6), buildRawTwin(here, partition));
    const auto twin = buildRig(here, partition, {}, false);
    const auto rig = buildRig(stewartOn("rig", served.address()), partition, framesDevices(), false);
    twin->open();
    rig->open();
    RigState a{Eigen::VectorXd::Zero(6), Eigen::VectorXd::Zero(6)}, b = a, last = a;
    (void)twin->read(a, 0);
    QVERIFY(rig->read(b, 0) == RigStatus::ok);
    double moved = 0.0;
    for (int k = 0; k < 200; ++k) {
      Command command{Eigen::VectorXd::Zero(6), Eigen::VectorXd::Zero(6)};
      for (Eigen::Index i = 0; i < 6; ++i) {
        const double w = 0.02 + 0.003 * static_cast<double>(i);
        command.position[i] = 0.02 * std::sin(w * k);
        command.rate[i] = 0.02 * 1000.0 * w * std::cos(w * k);
      }
      last = a;
      QVERIFY(twin->write(command) == RigStatus::ok && rig->write(command) == RigStatus::ok);
      QVERIFY(twin->read(a, 1) == RigStatus::ok && rig->read(b, 1) == RigStatus::ok);
      QVERIFY(b.measured == last.measured && b.force == last.force);
      moved = std::max(moved, b.measured.cwiseAbs().minCoeff());
    }
    QVERIFY2(moved > 5e-3, qPrintable(QString::number(moved)));
  }
};

HYB_SUITE(geometry_served, GeometryServedTest)
HYB_THREADS(geometry_served)
#include "geometry_served_test.moc"
