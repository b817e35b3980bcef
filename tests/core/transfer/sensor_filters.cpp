/// Low-passes of channels, fixtures on springs, shakers that stiffen.

#include "core/base/numbers.h"
#include "core/transfer/command_response.h"
#include "core/transfer/sensor_filter.h"
#include "core/transfer/shaker.h"
#include "core/transfer/transfer_system.h"
#include "tests/support/suite.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;

class SensorFiltersTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// A sine that settles, against the transfer function; the lag of the note's channel.
  void runsAsItsResponse() {
    const std::vector<LowPassSpec> filters{{500.0, 2}, {1600.0, 1}};
    const double step_s = 2e-4;
    for (const auto& [hz, lag_rad] : {std::pair{16.0, 0.0553}, {17.5, 0.0605}, {19.0, 0.0656}}) {
      const double w = kTwoPi * hz;
      SensorFilter filter(filters, step_s);
      std::complex<double> found = 0.0;
      const int settle = 1000, whole = 5000;  // a second: a whole number of half periods
      double last = 1.0;
      for (int k = 1; k <= settle + whole; ++k) {
        const double now = std::cos(w * k * step_s), out = filter.push(last, now);
        last = now;
        if (k > settle) found += 2.0 / whole * out * std::polar(1.0, -w * k * step_s);
      }
      const std::complex<double> expected = response(filters, w);
      QVERIFY2(std::abs(found - expected) < 1e-4, qPrintable(QString::number(std::abs(found - expected))));
      QVERIFY(std::abs(-std::arg(expected) - lag_rad) < 6e-5);
    }
  }

  /// At rest under a constant command, with springs between the fixture and the ground.
  void fixtureOnSprings() {
    TwinParams params;
    ShakerParams own;
    own.damping_n_s_per_m = 200.0;
    params.actuators = {{.model = shaker(own)}};
    params.fixture.tracked = false;
    params.fixture.mass_kg = Eigen::Matrix2d{{0.5, 0.1}, {0.1, 0.4}};
    params.fixture.stiffness_n_per_m = Eigen::Matrix2d{{3000.0, -500.0}, {-500.0, 2000.0}};
    const Partition specimen = cut(threeMass(), threeMassPartition());
    TransferSystem system(specimen, params, 1e-3);
    Command command{Eigen::Vector2d(0.4, -0.1), Eigen::Vector2d::Zero()};
    for (int k = 0; k < 20000; ++k) system.advance(command);
    const Eigen::Vector2d expected = commandResponse(specimen, params, 1e-9).real() * command.position;
    QVERIFY((system.displacement() - expected).norm() < 1e-9 * expected.norm() + 1e-15);
    params.fixture.stiffness_n_per_m = Eigen::Matrix2d{{3000.0, -500.0}, {-400.0, 2000.0}};
    QVERIFY_THROWS_EXCEPTION(InputError, TransferSystem(specimen, params, 1e-3));
  }

  /// Free to swing without damping, it keeps its energy: m v^2/2 + k x^2/2 + k3 (y^4/4 - x0^3 x - x0^4/4).
  void stiffeningKeepsEnergy() {
    TwinParams params;
    ShakerParams own;
    own.cubic_n_per_m3 = 1e8;
    own.offset_m = 5e-4;
    own.damping_n_s_per_m = 0.0;
    params.actuators = {{.model = shaker(own)}};
    params.specimen.damping_factor = 0.0;
    const Partition specimen = cut(threeMass(), threeMassPartition());
    TransferSystem system(specimen, params, 2e-4);
    Command command{Eigen::Vector2d(2.0, 2.0), Eigen::Vector2d::Zero()};
    for (int k = 0; k < 100; ++k) system.advance(command);
    command.position.setZero();
    double first = 0.0, late = 0.0;
    for (int k = 0; k < 60000; ++k) {
      system.advance(command);
      double& largest = k < 10000 ? first : late;
      if (k < 10000 || k >= 50000) largest = std::max(largest, system.displacement().cwiseAbs().maxCoeff());
    }
    QVERIFY(first > 1e-4);
    QVERIFY2(std::abs(late / first - 1.0) < 0.02, qPrintable(QString::number(late / first)));
  }
};

HYB_SUITE(sensor_filters, SensorFiltersTest)
#include "sensor_filters.moc"
