#include <cmath>

#include "core/base/allocation_guard.h"
#include "core/project/families.h"
#include "core/transfer/transfer_system.h"
#include "tests/support/family_example.h"
#include "tests/support/suite.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kLawTick_s = 1e-3;

/// The three-mass specimen with 2 kg at each interface.
Partition lawSpecimen() {
  Partition partition = cut(threeMass(), threeMassPartition());
  for (const Eigen::Index dof : partition.interface_in_physical) partition.physical.m.coeffRef(dof, dof) += 2.0;
  return partition;
}
std::string insideOf(const Partition& partition) {
  for (const Dof& dof : partition.physical.dofs)
    if (std::none_of(partition.interface.begin(), partition.interface.end(),
                     [&](const Dof& axis) { return axis.name == dof.name; }))
      return dof.name;
  return {};
}

/// One actuator is given its motion, the other pushes and feels; the law acts at both, and inside; a rigid ground only
/// where something can bounce.
TwinParams lawTwin(const SpecimenLawPtr& law, bool noisy = false) {
  TwinParams params;
  params.actuators = {servoActuator(28.0), {.model = servoHydraulic()}};
  for (const int axis : {1, 2})
    if (axis == 2 || law->ground() == nullptr) params.laws.push_back({law, axis, {}});
  params.laws.push_back({law, 1, insideOf(lawSpecimen())});
  if (noisy) params.displacement_sensor = params.force_sensor = {1e-5, 1e4, 16};
  return params;
}

Command pushed(int tick) {
  const double t_s = tick * kLawTick_s;
  return {Eigen::Vector2d(6e-3 * std::sin(40.0 * t_s), -5e-3 * std::sin(25.0 * t_s)), Eigen::Vector2d::Zero()};
}

}  // namespace

/// What holds for every law of a specimen; nothing here names one.
class LawFamilyTest : public QObject {
  Q_OBJECT

  static void laws() {
    QTest::addColumn<QString>("name");
    for (const SpecimenLawEntry& entry : specimenLaws())
      QTest::newRow(entry.name.data()) << QString::fromUtf8(entry.name.data(), static_cast<int>(entry.name.size()));
  }
  static Json settings() {
    QFETCH(QString, name);
    return exampleOf(branchOf("law", name.toStdString()));
  }
  /// As its schema's defaults make it, and with damping where it has some.
  static SpecimenLawPtr law(bool damped = false) {
    Json section = settings();
    if (damped && branchOf("law", section["law"].get<std::string>()).at("properties").contains("damping_n_s_per_m"))
      section["damping_n_s_per_m"] = 30.0;
    return parseSpecimenLaw(section).law;
  }

 private Q_SLOTS:
  void defaultsParse_data() { laws(); }
  void defaultsParse() {
    const Json section = settings();
    const auto issues = checkSchema(section, projectSchema().at("definitions").at("law"));
    QVERIFY2(issues.empty(), issues.empty() ? "" : issues.front().message.c_str());
    const SpecimenLawSpec spec = parseSpecimenLaw(section);
    QVERIFY(spec.law->name() == section["law"].get<std::string>());
    QVERIFY(describe(spec).find("interface 1") != std::string::npos);
    Checks checks;
    spec.law->check(checks);
    QVERIFY(checks.ok());
    QVERIFY(spec.law->stiffness() >= 0.0 && spec.law->damping() >= 0.0);
    const Json inside = {{"law", section["law"]}, {"dof", "m3"}};
    Json placed = section;
    placed.update(inside);
    QVERIFY(describe(parseSpecimenLaw(placed)).find("m3") != std::string::npos);
    // Written out, the defaults of the branch are those of the program.
    Json whole = section;
    for (const auto& [key, property] : branchOf("law", section["law"].get<std::string>()).at("properties").items())
      if (resolvedNode(property).contains("default")) whole[key] = resolvedNode(property).at("default");
    const SpecimenLawPtr written = parseSpecimenLaw(whole).law;
    LinkHistory a, b;
    for (const double x : {1e-4, 3e-3, -8e-3, 2e-3}) {
      a = spec.law->advanced(a, x);
      b = written->advanced(b, x);
      QCOMPARE(spec.law->force(a, 0.1), written->force(b, 0.1));
    }
  }

  /// Mean force times path is the work along it: the mean over a move is that of the force over many small ones.
  void meanForceIsThatOfTheWay_data() { laws(); }
  void meanForceIsThatOfTheWay() {
    for (const bool damped : {false, true}) {
      const SpecimenLawPtr spec = law(damped);
      constexpr int parts = 1000;
      const double step_s = 1e-3;
      LinkHistory at;
      std::vector<double> places;
      for (const double leg : {-3e-4, -2e-3, 1e-3, 4e-3, -6e-3, -5e-3, 7e-3}) {
        const double from = places.empty() ? 0.0 : places.back();
        for (int part = 1; part <= 32; ++part) places.push_back(from + (leg - from) * part / 32.0);
      }
      for (const double to : places) {
        LinkHistory fine = at;
        double work_j = 0.0;
        const double path_m = to - at.stretch, speed_mps = path_m / step_s;
        for (int k = 0; k < parts; ++k) {
          const LinkHistory middle = spec->advanced(fine, at.stretch + path_m * (k + 0.5) / parts);
          work_j += spec->force(middle, speed_mps) * path_m / parts;
          fine = spec->advanced(middle, at.stretch + path_m * (k + 1.0) / parts);
        }
        const double mean_n = spec->meanForce(at, to, step_s), size_n = std::max(10.0, std::abs(work_j / path_m));
        QVERIFY2(std::abs(mean_n - work_j / path_m) < 3e-4 * size_n,
                 qPrintable(QString("to %1: %2, %3").arg(to).arg(mean_n).arg(work_j / path_m)));
        const LinkHistory there = spec->advanced(at, to);
        QVERIFY(std::abs(there.memory - fine.memory) <= 1e-5);
        at = there;
      }
    }
  }

  /// From rest no way gets energy out of a specimen, and the force rises along each straight one.
  void isPassive_data() { laws(); }
  void isPassive() {
    for (const bool damped : {false, true}) {
      const SpecimenLawPtr spec = law(damped);
      LinkHistory at;
      double work_j = 0.0, most_j = 0.0, x = 0.0;
      for (int k = 1; k < 20000; ++k) {
        x = 6e-3 * std::sin(0.011 * k) + 3e-3 * std::sin(0.047 * k) + 1e-3 * std::cos(0.31 * k) - 1e-3;
        work_j += spec->meanForce(at, x, 1e-3) * (x - at.stretch);
        double last = spec->meanForce(at, x, 1e-3);
        for (const double further_m : {1e-5, 1e-4, 1e-3}) {
          const double next = spec->meanForce(at, x + further_m, 1e-3);
          QVERIFY(next >= last - 1e-9 * std::abs(last));
          last = next;
        }
        at = spec->advanced(at, x);
        most_j = std::max(most_j, work_j);
        QVERIFY2(std::isfinite(work_j) && work_j >= -1e-6 * most_j, qPrintable(QString::number(work_j)));
      }
      QVERIFY(most_j > 0.0 || spec->ground() != nullptr);
    }
  }

  void resetEqualsFreshAndSameSeedSameBits_data() { laws(); }
  void resetEqualsFreshAndSameSeedSameBits() {
    const SpecimenLawPtr spec = law(true);
    TwinBench used(lawTwin(spec, true), kLawTick_s, lawSpecimen()),
        fresh(lawTwin(spec, true), kLawTick_s, lawSpecimen());
    for (int k = 0; k < 400; ++k) {
      used.tick();
      used.command = pushed(3 * k);
    }
    used.reopen();
    for (int k = 0; k < 400; ++k) {
      used.tick();
      fresh.tick();
      QVERIFY(used.state.measured == fresh.state.measured && used.state.force == fresh.state.force);
      QVERIFY(used.state.measured.allFinite() && used.state.force.allFinite());
      used.command = fresh.command = pushed(k);
    }
  }

  void carriedStateIsWhole_data() { laws(); }
  void carriedStateIsWhole() {
    const SpecimenLawPtr spec = law(true);
    TransferSystem went(lawSpecimen(), lawTwin(spec), kLawTick_s), goes(lawSpecimen(), lawTwin(spec), kLawTick_s);
    for (int k = 0; k < 300; ++k) went.advance(pushed(k));
    goes.setState(went.state());
    QVERIFY(goes.state() == went.state());
    for (int k = 300; k < 600; ++k) {
      went.advance(pushed(k));
      goes.advance(pushed(k));
      QVERIFY(goes.displacement() == went.displacement() && goes.force() == went.force());
    }
  }

  void allocatesNothingAndStaysFinite_data() { laws(); }
  void allocatesNothingAndStaysFinite() {
    TwinParams params = lawTwin(law(true), true);
    params.actuators[0].velocity_limit_m_per_s = params.actuators[1].velocity_limit_m_per_s = 0.1;
    TwinBench bench(params, kLawTick_s, lawSpecimen());
    bench.tick();
    bool saturated = false;
    const AllocationGuard guard;
    for (int k = 0; k < 1000; ++k) {
      bench.command.position.setConstant((k % 200 < 100 ? 1.0 : -1.0) * 8e-3);
      bench.tick();
      saturated = saturated || bench.status == RigStatus::saturated;
      if (k == 900) bench.rig().safeStop();
    }
    QCOMPARE(guard.count(), std::uint64_t{0});
    QVERIFY(bench.state.measured.allFinite() && bench.state.force.allFinite() && saturated);
  }

  /// The force that is read is that of the linear specimen less the law's, where the motion is given.
  void actsAtTheInterface_data() { laws(); }
  void actsAtTheInterface() {
    const SpecimenLawPtr spec = law(true);
    TwinParams params = twoActuators(), plain = twoActuators();
    params.laws = {{spec, 2, {}}};
    if (spec->ground() != nullptr) {
      QVERIFY_THROWS_EXCEPTION(InputError, TransferSystem(lawSpecimen(), params, kLawTick_s));
      return;
    }
    TransferSystem with(lawSpecimen(), params, kLawTick_s), without(lawSpecimen(), plain, kLawTick_s);
    LinkHistory at;
    double most_n = 0.0;
    for (int k = 0; k < 500; ++k) {
      with.advance(pushed(k));
      without.advance(pushed(k));
      QVERIFY(with.displacement() == without.displacement());
      at = spec->advanced(at, with.displacement()[1]);
      const double v_mps = with.state()[3];
      QVERIFY(std::abs(with.force()[0] - without.force()[0]) < 1e-12);  // another way through the tick: to rounding
      QVERIFY(std::abs(with.force()[1] - without.force()[1] + spec->force(at, v_mps)) < 1e-9);
      most_n = std::max(most_n, std::abs(spec->force(at, v_mps)));
    }
    QVERIFY(most_n > 0.5);
  }

  void wrongPlacesAreFaults() {
    const SpecimenLawPtr spec = parseSpecimenLaw(exampleOf(branchOf("law", specimenLaws().front().name))).law;
    const auto where = [&](const SpecimenLawSpec& placed) {
      TwinParams params = twoActuators();
      params.laws = {{spec, 1, {}}, placed};
      try {
        makeTwin(lawSpecimen(), params, kLawTick_s);
      } catch (const InputError& error) {
        if (error.issues().size() == 1) return error.issues()[0].where;
      }
      return std::string();
    };
    QCOMPARE(where({spec, 3, {}}), std::string("/rig/specimen/laws/1/interface"));
    QCOMPARE(where({spec, 0, {}}), std::string("/rig/specimen/laws/1/interface"));
    QCOMPARE(where({spec, 1, "m33"}), std::string("/rig/specimen/laws/1/dof"));
    QVERIFY_THROWS_EXCEPTION(InputError, parseSpecimenLaw({{"law", "magic"}}));
  }
};

HYB_SUITE(law_family, LawFamilyTest)
#include "law_family_test.moc"
