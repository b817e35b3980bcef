/// Legs in front of a rig: the rig contract, forces and faults, and a platform in the loop of a project.
#include "core/rig/geometry_rig.h"

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/rig/reach.h"
#include "core/rig/sensed_rig.h"
#include "core/run/build.h"
#include "tests/support/issues.h"
#include "tests/support/rig_contract.h"
#include "tests/support/stewart.h"
#include "tests/support/suite.h"
#include "tests/support/template_run.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Component = PoseComponent;
constexpr double kStep_s = 1e-3;

RigGeometry withMass(RigGeometry geometry) {
  geometry.mass_kg = 25.0;
  geometry.centre_m = {0.04, -0.02, 0.72};
  return geometry;
}

/// Two axes of the six: the others are held at 0.
RigGeometry twoOfSix() {
  RigGeometry geometry = withMass(stewart());
  geometry.axes = {Component::z, Component::rx};
  return geometry;
}

/// Two crossed legs in a plane.
RigGeometry crossed() {
  RigGeometry geometry;
  geometry.legs.resize(2);
  geometry.legs[0] = {"left", {-0.6, -0.8, 0.0}, {0.1, 0.0, 0.0}};
  geometry.legs[1] = {"right", {0.7, -0.7, 0.0}, {0.1, 0.1, 0.0}};
  geometry.moves = geometry.axes = {Component::x, Component::y};
  return geometry;
}

/// Legs with these strokes and forces; keeps the last command.
class Told final : public Rig {
 public:
  explicit Told(Eigen::Index legs)
      : strokes(Eigen::VectorXd::Zero(legs)), forces(Eigen::VectorXd::Zero(legs)), command{strokes, strokes} {}
  std::size_t interfaces() const noexcept override { return static_cast<std::size_t>(strokes.size()); }
  std::string description() const override { return "told"; }
  void open() override {}
  RigStatus read(RigState& state, std::int64_t) noexcept override {
    state.measured = strokes;
    state.force = forces;
    return RigStatus::ok;
  }
  RigStatus write(const Command& written) noexcept override {
    command.take(written);
    ++writes;
    return RigStatus::ok;
  }
  void safeStop() noexcept override { stopped = true; }
  std::string failure() const override { return {}; }

  Eigen::VectorXd strokes, forces;
  Command command;
  int writes = 0;
  bool stopped = false;
};

/// A platform on legs that are told what to read.
struct Bench {
  explicit Bench(RigGeometry with) : geometry(std::move(with)) {
    auto legs = std::make_unique<Told>(geometry.count());
    told = legs.get();
    rig = makeGeometryRig(std::move(legs), geometry, kStep_s);
    const auto n = static_cast<Eigen::Index>(rig->interfaces());
    state = {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
    command = {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
    rig->open();
  }
  LegValues strokesOf(const Pose& pose) const {
    LegValues drawn, lengths;
    legLengths(geometry, Pose::Zero(), drawn);
    legLengths(geometry, pose, lengths);
    return lengths - drawn;
  }
  double column(const std::string& name) const {
    std::vector<double> values(rig->channels().size());
    rig->readChannels(values);
    for (std::size_t c = 0; c < values.size(); ++c)
      if (rig->channels()[c].name == name) return values[c];
    return std::nan("");
  }

  RigGeometry geometry;
  Told* told;
  std::unique_ptr<Rig> rig;
  RigState state;
  Command command;
};

Json shortStewart() {
  Json document = templateDocument("stewart");
  document["loop"].update({{"duration_s", 3.0}, {"soft_start_s", 0.5}, {"soft_end_s", 0.2}});
  document["analysis"]["start_s"] = 0.6;
  return document;
}

}  // namespace

/// The contract that every rig keeps, with legs between the loop and a twin of two actuators.
class TestGeometryContract : public RigContract {
  Q_OBJECT
 public:
  explicit TestGeometryContract(RigGeometry geometry) : geometry_(std::move(geometry)) {
    noise_m = 1e-12;  // of Newton's method
    noise_n = 1e-9;   // of the weight that the legs carry and that is removed
  }

 protected:
  std::unique_ptr<Rig> makeRig() override {
    auto twin = makeTwin(cut(threeMass(), threeMassPartition()), twoActuators(), 1e-3);
    return makeGeometryRig(makeLeggedTwin(std::move(twin), geometry_), geometry_, kStep_s);
  }

 private:
  RigGeometry geometry_;
};

class GeometryRigTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Strokes of the pose, and rates as differences of strokes give them.
  void commandsBecomeStrokes() {
    Bench bench(stewart());
    bench.command.position << 0.02, -0.01, 0.03, 0.05, -0.06, 0.1;
    bench.command.rate << 0.2, 0.1, -0.3, 0.4, 0.2, -0.5;
    QVERIFY(bench.rig->write(bench.command) == RigStatus::ok);
    const Pose pose = bench.command.position, step = 1e-6 * bench.command.rate;
    QVERIFY((bench.told->command.position - bench.strokesOf(pose)).norm() == 0.0);
    const LegValues slope = (bench.strokesOf(pose + step) - bench.strokesOf(pose - step)) / 2e-6;
    QVERIFY((bench.told->command.rate - slope).norm() < 1e-8);
    LegValues lengths;
    legLengths(bench.geometry, pose, lengths);
    for (int i = 1; i <= 6; ++i) QCOMPARE(bench.column("leg_command_" + std::to_string(i)), lengths[i - 1]);
  }

  /// A specimen force f on each component, with the weight of the platform in the legs and with a load cell on top.
  void forcesAreThoseOfTheSpecimen() {
    for (const bool in_legs : {true, false}) {
      RigGeometry geometry = withMass(stewart());
      geometry.cells_in_legs = in_legs;
      Bench bench(geometry);
      Pose pose, force;
      pose << 0.03, -0.02, 0.02, -0.06, 0.05, 0.12;
      force << 40, -25, 160, 3, -8, 5;
      bench.told->strokes = bench.strokesOf(pose);
      LegMatrix jacobian;
      legJacobian(geometry, pose, jacobian);
      // The legs carry the specimen and the weight: J^T f_legs = both.
      bench.told->forces =
          in_legs ? Eigen::VectorXd(jacobian.transpose().fullPivLu().solve(force + weightOn(geometry, pose)))
                  : Eigen::VectorXd(force);
      QVERIFY(bench.rig->read(bench.state, 0) == RigStatus::ok);
      QVERIFY((bench.state.measured - pose).norm() < 1e-13);
      QVERIFY((bench.state.force - force).norm() < 1e-10);
      QCOMPARE(std::isnan(bench.column("leg_force_1")), !in_legs);
      QVERIFY(bench.column("pose_condition") > 1.0 && bench.column("pose_condition") < 2.0);
    }
  }

  /// At rest the legs of the twin push against the weight, which the interface does not feel.
  void weightRestsOnTheLegs() {
    const RigGeometry geometry = twoOfSix();
    auto twin = makeTwin(cut(threeMass(), threeMassPartition()), twoActuators(), 1e-3);
    const auto legs = makeLeggedTwin(std::move(twin), geometry);
    legs->open();
    RigState state{Eigen::VectorXd::Zero(6), Eigen::VectorXd::Zero(6)};
    QVERIFY(legs->read(state, 0) == RigStatus::ok);
    LegMatrix jacobian;
    legJacobian(geometry, Pose::Zero(), jacobian);
    const LegValues carried = jacobian.transpose() * LegValues(state.force);
    QVERIFY(std::abs(carried[2] + 25.0 * 9.80665) < 1e-10);
    QVERIFY(state.force.maxCoeff() < 0.0);  // each leg is pushed together
  }

  /// A heavy platform that swings at 2 Hz: with the filter its inertia is removed but for the lag of the filter.
  void inertiaIsRemoved() {
    constexpr double kCutoff_hz = 200.0, kHz = 2.0;
    for (const double cutoff_hz : {0.0, kCutoff_hz}) {
      RigGeometry geometry = withMass(stewart());
      geometry.inertia_kg_m2 = {0.4, 0.5, 0.8};
      geometry.acceleration_hz = cutoff_hz;
      Bench bench(geometry);
      Pose size;
      size << 0.02, -0.01, 0.015, 0.05, 0.04, 0.1;
      double largest = 0.0, left = 0.0;
      for (int k = 0; k < 1500; ++k) {
        const double w = 2.0 * std::numbers::pi * kHz, t = k * kStep_s;
        const Pose pose = std::sin(w * t) * size, rate = w * std::cos(w * t) * size, acceleration = -w * w * pose;
        LegMatrix jacobian;
        legJacobian(geometry, pose, jacobian);
        const Pose inertia = inertiaOn(geometry, pose, rate, acceleration);
        bench.told->strokes = bench.strokesOf(pose);
        bench.told->forces = jacobian.transpose().fullPivLu().solve(weightOn(geometry, pose) - inertia);
        QVERIFY(bench.rig->read(bench.state, k == 0 ? 0 : 1) == RigStatus::ok);
        if (k < 500) continue;  // the filter starts at rest
        largest = std::max(largest, inertia.head<3>().norm());
        left = std::max(left, bench.state.force.head<3>().norm());
      }
      // Lag of the filter at 2 Hz: sqrt(2) f / fc = 1.4 %.
      QVERIFY2(cutoff_hz > 0.0 ? left < 0.03 * largest : left > 0.99 * largest,
               qPrintable(QString::number(left / largest)));
    }
  }

  /// The platform as fixture of the twin, between legs and load cells: without it, as if it had no mass.
  void inertiaOfTheTwinIsRemoved() {
    Json light = shortStewart();
    light["rig"]["geometry"]["mass_kg"] = 0.0;
    for (const char* sensor : {"displacement_sensor", "force_sensor"}) light["rig"][sensor] = Json::object();
    Json heavy = light, removed = light;
    // 25 kg with its centre in the platform point: its mass matrix at rest.
    Json mass = Json::array();
    for (int i = 0; i < 6; ++i) {
      Json row(6, 0.0);
      row[static_cast<std::size_t>(i)] = i < 3 ? 25.0 : 0.5;
      mass.push_back(row);
    }
    for (Json* one : {&heavy, &removed}) (*one)["rig"]["fixture"] = {{"mass_kg", mass}, {"load_cell", "actuator"}};
    removed["rig"]["geometry"].update({{"mass_kg", 25.0},
                                       {"centre_m", removed["rig"]["geometry"]["point_m"]},
                                       {"inertia_kg_m2", {0.5, 0.5, 0.5}},
                                       {"acceleration_hz", 200.0}});
    // The same commands to each of them; forces from the time on when the filter has settled.
    const auto forcesOf = [](const Json& document) {
      const Project project = parseProject(document);
      const auto rig = buildRig(project, buildPartition(project), {}, false);
      rig->open();
      RigState state{Eigen::VectorXd::Zero(6), Eigen::VectorXd::Zero(6)};
      Command command{Eigen::VectorXd::Zero(6), Eigen::VectorXd::Zero(6)};
      std::vector<double> forces;
      for (int k = 0; k < 2000; ++k) {
        (void)rig->read(state, k == 0 ? 0 : 1);
        if (k >= 1000) forces.insert(forces.end(), state.force.begin(), state.force.begin() + 3);
        const double w = 2.0 * std::numbers::pi * 2.0;
        for (Eigen::Index i = 0; i < 6; ++i) {
          command.position[i] = 0.02 * std::sin(w * k * kStep_s + static_cast<double>(i));
          command.rate[i] = 0.02 * w * std::cos(w * k * kStep_s + static_cast<double>(i));
        }
        (void)rig->write(command);
      }
      return forces;
    };
    const std::vector<double> bare = forcesOf(light);
    const auto differs = [&](const Json& document) {
      const std::vector<double> own = forcesOf(document);
      double apart = 0.0;
      for (std::size_t k = 0; k < bare.size(); ++k) apart = std::max(apart, std::abs(own[k] - bare[k]));
      return apart;
    };
    const double unremoved = differs(heavy), left = differs(removed);
    // m a = 25 kg x 0.02 m x (2 pi 2 Hz)^2 = 79 N; the lag of the filter leaves 1.4 % of it.
    QVERIFY2(std::abs(unremoved - 79.0) < 8.0, qPrintable(QString::number(unremoved)));
    QVERIFY2(left < 0.03 * unremoved, qPrintable(QString("%1 of %2").arg(left).arg(unremoved)));
  }

  void unreachablePosesAreNotSent() {
    struct Case {
      RigGeometry geometry;
      double first;
      const char* words;
    };
    RigGeometry narrow = stewart(), flat = crossed();
    narrow.axes = {Component::z};
    flat.axes = {Component::y, Component::x};
    flat.largest_condition = 1.6;
    for (const Case& one :
         {Case{narrow, 0.2, "z = 0.2 m) was not sent: leg \"leg-"},
          Case{narrow, -0.2, "and its shortest length is 0.667 m"}, Case{flat, -0.7, "the condition number is 3."}}) {
      Bench bench(one.geometry);
      QVERIFY(bench.rig->read(bench.state, 0) == RigStatus::ok);
      QVERIFY(bench.rig->write(bench.command) == RigStatus::ok);
      bench.command.position[0] = one.first;
      QVERIFY(bench.rig->write(bench.command) == RigStatus::fault);
      QCOMPARE(bench.told->writes, 1);
      QVERIFY(bench.told->command.position.isZero(0.0));
      QVERIFY2(bench.rig->failure().find(one.words) != std::string::npos, bench.rig->failure().c_str());
      bench.rig->open();
      QVERIFY(bench.rig->failure().empty());
    }
  }

  void impossibleLegsEndInAFault() {
    Bench bench(stewart());
    QVERIFY(bench.rig->read(bench.state, 0) == RigStatus::ok);
    bench.told->strokes[2] = 2.5;
    QVERIFY(bench.rig->read(bench.state, 1) == RigStatus::fault);
    QVERIFY(bench.state.measured.array().isNaN().all() && bench.state.force.array().isNaN().all());
    QVERIFY2(bench.rig->failure().find("no pose") != std::string::npos, bench.rig->failure().c_str());
    // A measured pose beyond the bound of the condition number is named.
    RigGeometry flat = crossed();
    flat.largest_condition = 1.6;
    Bench singular(flat);
    singular.told->strokes = singular.strokesOf((Pose() << 0, -0.7, 0, 0, 0, 0).finished());
    QVERIFY(singular.rig->read(singular.state, 0) == RigStatus::fault);
    QVERIFY2(singular.rig->failure().find("y = -0.7 m") != std::string::npos, singular.rig->failure().c_str());
  }

  /// Readings that are not numbers are the loop's to judge; the next ones count again.
  void readingsThatAreNoNumbers() {
    Bench bench(stewart());
    bench.told->strokes[1] = std::nan("");
    QVERIFY(bench.rig->read(bench.state, 0) == RigStatus::ok);
    QVERIFY(bench.state.measured.array().isNaN().all());
    bench.told->strokes[1] = 0.0;
    bench.told->forces[4] = std::numeric_limits<double>::infinity();
    QVERIFY(bench.rig->read(bench.state, 1) == RigStatus::ok);
    QVERIFY(bench.state.measured.isZero(1e-15) && bench.state.force.array().isNaN().all());
    bench.told->forces[4] = 0.0;
    QVERIFY(bench.rig->read(bench.state, 1) == RigStatus::ok);
    QVERIFY(bench.state.force.isZero(1e-12));
  }

  /// The template: the same motion as without legs, whose lengths stay within their bounds.
  void platformInTheLoop() {
    Json document = shortStewart(), plain = shortStewart();
    for (Json* one : {&document, &plain})
      for (const char* sensor : {"displacement_sensor", "force_sensor"}) (*one)["rig"][sensor] = Json::object();
    plain["rig"].erase("geometry");
    const TemplateRun with(document), without(plain);
    QVERIFY2(with.ended() == EndReason::completed, with.sentence().c_str());
    double largest = 0.0;
    for (int i = 1; i <= 6; ++i) {
      const std::string number = std::to_string(i);
      for (const char* kind : {"measured_", "force_", "target_"}) {
        const std::vector<double> a = with.channel(kind + number), b = without.channel(kind + number);
        QVERIFY(a.size() > 2500 && a.size() == b.size());
        double apart = 0.0;
        for (std::size_t k = 0; k < a.size(); ++k) apart = std::max(apart, std::abs(a[k] - b[k]));
        QVERIFY2(apart < 1e-8, qPrintable(QString::number(apart)));
      }
      const std::vector<double> leg = with.channel("leg_" + number);
      const auto [least, most] = std::minmax_element(leg.begin(), leg.end());
      QVERIFY(*least > 0.667 && *most < 0.847);
      largest = std::max(largest, *most - *least);
      QVERIFY(!with.channel("leg_force_" + number).empty());
    }
    QVERIFY2(largest > 0.02, qPrintable(QString::number(largest)));
  }

  /// The limits of the interface are wider than the legs: the test ends in the safe state, and the sentence names why.
  void testEndsWhereALegEnds() {
    Json document = shortStewart();
    document["rig"]["geometry"]["legs"][3]["longest_m"] = 0.762;
    const TemplateRun run(document);
    QVERIFY(run.ended() == EndReason::rig_fault);
    QVERIFY2(run.sentence().find("leg \"leg-4\"") != std::string::npos, run.sentence().c_str());
    QVERIFY2(run.sentence().find("was not sent") != std::string::npos, run.sentence().c_str());
    const std::vector<double> leg = run.channel("leg_command_4");
    QVERIFY(*std::max_element(leg.begin(), leg.end()) <= 0.762);
  }
};

static SuiteObjects rigs() {
  SuiteObjects objects;
  RigGeometry cell = twoOfSix();
  cell.cells_in_legs = false;
  for (const RigGeometry& geometry : {crossed(), twoOfSix(), cell})
    objects.push_back(std::make_unique<TestGeometryContract>(geometry));
  objects.push_back(std::make_unique<GeometryRigTest>());
  return objects;
}

HYB_SUITE_MADE_BY(geometry_rig, rigs)
HYB_THREADS(geometry_rig)
#include "geometry_rig_test.moc"
