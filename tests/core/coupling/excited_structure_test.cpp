// A side of the cut under every kind of load: it moves the same whether or not it knows beforehand which there can be.
#include "core/coupling/excited_structure.h"

#include <cmath>

#include "core/project/project.h"
#include "core/run/build.h"
#include "tests/support/suite.h"

using namespace hyb;

class ExcitedStructureTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void knowsTheLoadsThatThereCanBe_data() {
    QTest::addColumn<bool>("moves");
    QTest::addColumn<bool>("accelerates");
    QTest::addColumn<bool>("pushes");
    QTest::newRow("ground acceleration") << false << true << false;
    QTest::newRow("support motion") << true << false << false;
    QTest::newRow("both") << true << true << false;
    QTest::newRow("forces") << false << false << true;
    QTest::newRow("none") << false << false << false;
  }
  void knowsTheLoadsThatThereCanBe() {
    QFETCH(bool, moves);
    QFETCH(bool, accelerates);
    QFETCH(bool, pushes);
    Json document = templateDocument("benchmark-2020");
    setValue(document, "/integrator/scheme=exact-ramp");
    const Project project = parseProject(document);
    const Partition cut = buildPartition(project);
    ExcitationValue now = buildExcitation(project, cut).zero();
    const ExcitationValue any;  // all that there can be
    now.moves = moves;
    now.accelerates = accelerates;
    now.pushes = pushes;
    const double step_s = 1.0 / project.loop.rate_hz;
    const auto make = [&](const ExcitationValue& loads) {
      return ExcitedStructure(project.integrator, cut.numerical, cut.numerical_loads, cut.interface_in_numerical, loads,
                              step_s);
    };
    ExcitedStructure knows = make(now), learns = make(any);
    Eigen::VectorXd force(1);
    for (int k = 1; k <= 2000; ++k) {
      const double t_s = k * step_s;
      now.support_m.setConstant(moves ? 1e-3 * std::sin(20.0 * t_s) : 0.0);
      now.support_mps.setConstant(moves ? 2e-2 * std::cos(20.0 * t_s) : 0.0);
      now.support_mps2.setConstant(accelerates ? std::sin(31.0 * t_s) : 0.0);
      now.force_n.setConstant(pushes ? 1e3 * std::sin(11.0 * t_s) : 0.0);
      force[0] = 500.0 * std::sin(57.0 * t_s);
      knows.step(now, force);
      learns.step(now, force);
      QVERIFY((knows.displacement() - learns.displacement()).norm() <= 1e-11 * learns.displacement().norm());
      QVERIFY((knows.velocity() - learns.velocity()).norm() <= 1e-10 * learns.velocity().norm());
    }
    QVERIFY(learns.displacement().norm() > 1e-6);
  }
};

HYB_SUITE(excited_structure, ExcitedStructureTest)
#include "excited_structure_test.moc"
