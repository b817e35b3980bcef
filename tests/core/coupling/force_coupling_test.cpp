// Force-based coupling: what the computed side asks for, and what projects are told.
#include "core/base/allocation_guard.h"
#include "core/coupling/driven_side.h"
#include "core/coupling/excitation_load.h"
#include "core/coupling/uncut_structure.h"
#include "core/project/project.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "tests/support/compare.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kForceTick_s = 1.0 / 4096.0;

Json forceTemplate() { return templateDocument("force-shear-building"); }

/// The sentence about a place; "" where there is none.
std::string saidOf(const Json& document, const std::string& where) {
  for (const Issue& issue : validate(document))
    if (issue.where == where) return issue.message;
  return {};
}

}  // namespace

class ForceCouplingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Under a slow motion of the interface the force is that of statics, and the piston stands off by force over spring.
  void staticsOfAStorey() {
    const Project project = parseProject(forceTemplate());
    const Partition partition = buildPartition(project);
    DrivenSide driven(project.integrator, partition.numerical, partition.interface_in_numerical,
                      Eigen::VectorXd::Constant(1, 5e5), kForceTick_s);
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(partition.numerical.size());
    Eigen::VectorXd load = none;
    load[partition.interface_in_numerical[0]] = -7.0;
    load[2] = 100.0;  // on the top floor
    Eigen::VectorXd at = Eigen::VectorXd::Zero(1);
    for (int k = 0; k < 40 * 4096; ++k) driven.step(load, at, at);
    compare(driven.target()[0], -100.0 + 7.0, 1e-6, "force asked for, N");  // the storeys stand on it
    compare(driven.piston()[0], 93.0 / 5e5, 1e-11, "piston, m");
    compare(driven.displacement(2), 2.0 * 100.0 / 684e3, 1e-9, "top floor, m");
    at[0] = 1e-3;
    for (int k = 0; k < 40 * 4096; ++k) driven.step(load, at, at);
    compare(driven.target()[0], -93.0, 1e-6, "moved as a whole, N");
    compare(driven.piston()[0], 1e-3 + 93.0 / 5e5, 1e-11, "piston, m");
    compare(driven.displacement(partition.interface_in_numerical[0]), 1e-3, 0.0, "interface, m");
  }

  /// Driven by the motion of the uncut structure it asks for the force that is there, but for the damping that the cut
  /// leaves out.
  void asksForTheForceOfTheUncutStructure() {
    const Project project = parseProject(forceTemplate());
    const Partition partition = buildPartition(project);
    UncutStructure uncut(project.integrator, partition, kForceTick_s);
    DrivenSide driven(project.integrator, partition.numerical, partition.interface_in_numerical,
                      Eigen::VectorXd::Constant(1, 5e5), kForceTick_s);
    ExcitationValue ground = buildExcitation(project, partition).zero();
    Eigen::VectorXd load(partition.numerical.size()), at(1), force(1);
    double gap = 0.0, all = 0.0;
    for (int k = 1; k < 8 * 4096; ++k) {
      const double t = k * kForceTick_s;
      ground.support_mps2[0] = 2.0 * std::sin(20.0 * t) * std::min(1.0, t);
      uncut.step(ground);
      uncut.physicalForce(force);
      at[0] = uncut.interface(0);
      loadOf(ground, partition.numerical, partition.numerical_loads, load);
      driven.step(load, at, at);
      gap += std::pow(driven.target()[0] - force[0], 2);
      all += std::pow(force[0], 2);
    }
    QVERIFY2(gap > 0.0 && std::sqrt(gap / all) < 2e-3, qPrintable(QString::number(std::sqrt(gap / all))));
  }

  /// A difference over the tick would be of half a tick before.
  void velocityOfTheInterfaceIsOfTheTick() {
    const Project project = parseProject(forceTemplate());
    const Partition partition = buildPartition(project);
    const Eigen::Index interface = partition.interface_in_numerical[0];
    DrivenSide driven(project.integrator, partition.numerical, partition.interface_in_numerical,
                      Eigen::VectorXd::Constant(1, 5e5), kForceTick_s);
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(partition.numerical.size());
    for (int k = 0; k < 100; ++k) {
      const double t = k * kForceTick_s;
      const Eigen::VectorXd at = Eigen::VectorXd::Constant(1, 1.0 + 0.3 * t + 50.0 * t * t);
      driven.step(none, at, at);
      if (k == 0) compare(driven.velocity(interface), 0.0, 0.0, "first step, m/s");
      if (k == 1) compare(driven.velocity(interface), 0.3 + 50.0 * t, 1e-9, "second step, m/s");
      if (k > 1) compare(driven.velocity(interface), 0.3 + 100.0 * t, 1e-9, "velocity, m/s");
    }
  }

  void stateMakesItGoOnTheSame() {
    const Project project = parseProject(forceTemplate());
    const Partition partition = buildPartition(project);
    const auto make = [&] {
      return DrivenSide(project.integrator, partition.numerical, partition.interface_in_numerical,
                        Eigen::VectorXd::Constant(1, 5e5), kForceTick_s);
    };
    DrivenSide one = make(), other = make();
    Eigen::VectorXd load = Eigen::VectorXd::Constant(partition.numerical.size(), 3.0), at(1);
    const auto move = [&](DrivenSide& side, int k) {
      at[0] = 1e-3 * std::sin(0.01 * k);
      side.step(load, at, at);
    };
    for (int k = 0; k < 500; ++k) move(one, k);
    other.setState(one.state());
    for (int k = 500; k < 700; ++k) {
      move(one, k);
      move(other, k);
      QCOMPARE(one.target()[0], other.target()[0]);
      QCOMPARE(one.pistonRate()[0], other.pistonRate()[0]);
    }
  }

  /// Late ticks, a hold and a return among them.
  void ticksAllocateNothing() {
    const Project project = parseProject(forceTemplate());
    const std::unique_ptr<Loop> loop = buildLoop(project);
    loop->arm();
    loop->tick(1);
    loop->post({Request::Kind::start, -1, 0.0, {}});
    const AllocationGuard guard;
    for (int k = 0; k < 3 * 4096; ++k) {
      if (k == 4096) loop->post({Request::Kind::hold, -1, 0.0, {}});
      if (k == 5000) loop->post({Request::Kind::resume, -1, 0.0, {}});
      QVERIFY2(loop->tick(k % 100 == 0 ? 2 : 1), endSentence(*loop).c_str());
    }
    if (AllocationGuard::active()) QCOMPARE(guard.count(), std::uint64_t{0});
  }

  void whatAProjectIsTold() {
    QVERIFY(validate(forceTemplate()).empty());
    Json mass = forceTemplate();
    mass["partition"] = {{"by", "elements"}, {"physical", {"x1/columns"}}};
    QVERIFY2(QString::fromStdString(saidOf(mass, "/partition")).contains("computed mass of 98.3 kg"),
             saidOf(mass, "/partition").c_str());
    Json rigid = forceTemplate();
    rigid["rig"]["actuators"][0].erase("spring");
    QVERIFY2(QString::fromStdString(saidOf(rigid, "/coupling/scheme")).contains("\"specimen_1\""),
             saidOf(rigid, "/coupling/scheme").c_str());
    Json two = forceTemplate();
    two["coupling"]["spring_n_per_m"] = {5e5, 5e5};
    QVERIFY2(!saidOf(two, "/coupling/spring_n_per_m").empty(), "two springs for one interface");
    Json middle = forceTemplate();
    middle["partition"]["physical"] = {"x2"};
    QVERIFY2(QString::fromStdString(saidOf(middle, "/partition/physical/0")).contains("lowest"),
             saidOf(middle, "/partition/physical/0").c_str());
    Json all = forceTemplate();
    all["partition"]["physical"] = {"x1", "x2", "x3"};
    QVERIFY2(!saidOf(all, "/partition/physical").empty(), "nothing computed");
    Json matrices = templateDocument("benchmark-2020-sample");
    matrices["partition"] = {{"by", "storeys"}, {"physical", {"floor-1"}}};
    QVERIFY2(!saidOf(matrices, "/partition/by").empty(), "no storeys");
  }

  /// Two storeys on the rig: their springs, dashpots and masses, and nothing of the interface's mass computed.
  void twoStoreysOnTheRig() {
    Json document = forceTemplate();
    document["partition"]["physical"] = {"x1", "x2"};
    const Partition partition = buildPartition(parseProject(document));
    QCOMPARE(partition.interface.at(0).name, std::string("x2"));
    const Eigen::MatrixXd k = partition.physical.k, c = partition.physical.c, whole = partition.reference.c;
    compare(k(0, 0), 10.836e6 + 684e3, 1e-6, "k");
    compare(k(1, 1), 684e3, 1e-6, "k");
    compare(k(0, 1), -684e3, 1e-6, "k");
    compare(c(0, 0) + c(0, 1), whole(0, 0) - whole(1, 1) + whole(2, 2), 1e-9, "dashpot of the first");
    compare(c(1, 1), whole(1, 1) - whole(2, 2), 1e-9, "dashpot of the second");
    QCOMPARE(partition.numerical.m.coeff(0, 0), 0.0);
    QCOMPARE(partition.physical.m.coeff(1, 1), 98.3);
  }
};

HYB_SUITE(force_coupling, ForceCouplingTest)
#include "force_coupling_test.moc"
