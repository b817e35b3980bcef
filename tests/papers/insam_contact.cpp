/// Insam 2022, one-dimensional contact system: references, and the loop closed over the twin. Rows V-12 to V-16, V-19,
/// V-20 and V-76 of table D18 of the note.

#include "core/base/numbers.h"
#include "core/integration/integrator.h"
#include "core/project/project.h"
#include "core/run/build.h"
#include "core/structure/structure.h"
#include "tests/support/contact_bump.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"
#include "tests/support/template_run.h"
#include "tests/support/twin_bench.h"

using namespace hyb;

namespace {

struct Contact {
  double gap_m = 0.01, damping = 50.0;
  double depth_m = 0.005, hz = 0.25;  // suspension: (h0 + depth)/2 (cos - 1)
  double suspension(double t) const { return 0.5 * (gap_m + depth_m) * (std::cos(kTwoPi * hz * t) - 1.0); }
  double suspensionRate(double t) const { return -0.5 * (gap_m + depth_m) * kTwoPi * hz * std::sin(kTwoPi * hz * t); }

  /// Reduced model: the sphere sticks to the ground, so the specimen's spring acts once the gap has closed.
  SystemMatrices reduced() const { return assemble(buildModel(structure(false, 8650.0))); }
  /// With the sphere's mass below its spring and a stiff elastic ground.
  SystemMatrices withSphere(double ground_n_per_m) const {
    return assemble(buildModel(structure(true, ground_n_per_m)));
  }

 private:
  Structure structure(bool sphere, double contact_n_per_m) const {
    LumpedStructure s;
    s.masses = {{"NUM", 9.62}};
    s.supports = {{"suspension"}};
    s.links = {{"upper", "suspension", "NUM", 1e4, damping}};
    if (sphere) {
      s.masses.push_back({"EXP", 0.38});
      s.links.push_back({"spring", "NUM", "EXP", 8650.0, 0.0});
    }
    Structure whole;
    whole.kind = s;
    whole.nonlinear = {{"ground", sphere ? "EXP" : "NUM", "", ContactSpring{contact_n_per_m, gap_m}}};
    return whole;
  }
};

/// Displacement of the upper mass at every step over one bump.
std::vector<double> bump(const Contact& contact, const SystemMatrices& system, double step_s) {
  IntegratorSpec spec;
  spec.scheme = Scheme::rk4;
  const auto integrator = makeIntegrator(spec, system, step_s);
  Eigen::VectorXd load = Eigen::VectorXd::Zero(system.size());
  std::vector<double> z{0.0};
  for (int k = 1; k * step_s <= 1.0 / contact.hz; ++k) {
    const double t = k * step_s;
    load[0] = 1e4 * contact.suspension(t) + contact.damping * contact.suspensionRate(t);
    integrator->step(load);
    z.push_back(integrator->displacement()[0]);
  }
  return z;
}

struct Bump {
  double touch_down_s = -1.0, take_off_s = -1.0, lowest_m = 0.0, lowest_at_s = 0.0;
  int contacts = 0;
};
Bump readBump(const std::vector<double>& z, double gap_m, double step_s) {
  Bump bump;
  for (std::size_t k = 1; k < z.size(); ++k) {
    const double share = (-gap_m - z[k - 1]) / (z[k] - z[k - 1]), t = (static_cast<double>(k) - 1.0 + share) * step_s;
    if (z[k - 1] > -gap_m && z[k] <= -gap_m) {
      ++bump.contacts;
      bump.touch_down_s = t;
    } else if (z[k - 1] <= -gap_m && z[k] > -gap_m) {
      bump.take_off_s = t;
    }
    if (z[k] < bump.lowest_m) {
      bump.lowest_m = z[k];
      bump.lowest_at_s = static_cast<double>(k) * step_s;
    }
  }
  return bump;
}

/// The closed loop of the contact project at 1 kHz: the mass is computed, a leg presses the spring of the twin.
hyb::test::TemplateRun closedLoop(const std::vector<std::string>& changes) {
  Json document = loadDocument(std::string(hyb::test::kSourceDir) + "/tests/data/projects/contact-bump.json");
  for (const std::string& change : changes) setValue(document, change);
  return hyb::test::TemplateRun(document);
}
const std::vector<std::string> kDamping50 = hyb::test::dampedBy(50.0);
const std::string kIdeal = R"(/rig/actuators=[{"model":"ideal"}])",
                  kVelocityAhead = "/rig/actuators/0/velocity_feedforward=true";

void isWithin(double found, double expected, double relative, const char* what) {
  QVERIFY2(std::abs(found / expected - 1.0) < relative,
           qPrintable(QString("%1: %2 for %3").arg(what).arg(found, 0, 'g', 8).arg(expected, 0, 'g', 8)));
}

std::vector<std::string> with(std::vector<std::string> changes, const std::string& further) {
  changes.push_back(further);
  return changes;
}

/// RMS of the gap over the largest target.
double trackingError(const hyb::test::TemplateRun& run) {
  std::vector<double> z = run.channel("target_1"), x = run.channel("measured_1");
  z.resize(4000);  // one bump; the ramp of the end comes after it
  double squares = 0.0, most = 0.0;
  for (std::size_t k = 0; k < z.size(); ++k) {
    squares += (z[k] - x[k]) * (z[k] - x[k]);
    most = std::max(most, std::abs(z[k]));
  }
  return std::sqrt(squares / static_cast<double>(z.size())) / most;
}

}  // namespace

class InsamContact : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// The shipped specimen bears the sphere's weight: how far it is pressed for that, on the twin.
  void v12RestOfTheSphere() {
    const Project project = parseProject(templateDocument("contact-ilc"));
    TwinParams twin = project.twin;
    twin.actuators = {parseActuator({{"model", "ideal"}})};
    hyb::test::TwinBench bench(twin, 1.0 / project.loop.rate_hz, buildPartition(project));
    bench.tick();
    const auto pressed = [&bench](double depth_m) {  // the force after it, N
      bench.command.position[0] = -(0.01 + depth_m);
      for (int k = 0; k < 3; ++k) bench.tick();
      return bench.state.force[0];
    };
    double low_m = 0.0, high_m = 1e-3;
    for (int k = 0; k < 40; ++k) {
      const double middle_m = 0.5 * (low_m + high_m);
      (pressed(middle_m) < 0.38 * 9.81 ? low_m : high_m) = middle_m;
    }
    isWithin(low_m, 0.431e-3, 0.01, "rest, m");
  }

  void v13StaticBottom() {
    Contact contact;
    contact.damping = 600.0;  // near critical: settles
    const SystemMatrices system = contact.reduced();
    IntegratorSpec spec;
    spec.scheme = Scheme::rk4;
    const auto integrator = makeIntegrator(spec, system, 1e-3);
    const Eigen::VectorXd load = Eigen::VectorXd::Constant(1, -1e4 * 0.015);
    for (int k = 0; k < 5000; ++k) integrator->step(load);
    QVERIFY(std::abs(integrator->displacement()[0] + 12.681e-3) < 1e-6);
  }

  void v14Reference_data() {
    QTest::addColumn<double>("damping");
    QTest::addColumn<double>("take_off_s");
    QTest::addColumn<double>("lowest_m");
    QTest::addColumn<double>("lowest_at_s");
    QTest::newRow("50 kg/s") << 50.0 << 2.780 << -12.70e-3 << 1.974;
    QTest::newRow("200 kg/s") << 200.0 << 2.773 << -12.69e-3 << 1.990;
  }
  void v14Reference() {
    QFETCH(double, damping);
    QFETCH(double, take_off_s);
    QFETCH(double, lowest_m);
    QFETCH(double, lowest_at_s);
    Contact contact;
    contact.damping = damping;
    const Bump found = readBump(bump(contact, contact.reduced(), 1e-3), contact.gap_m, 1e-3);
    QCOMPARE(found.contacts, 1);
    QVERIFY2(std::abs(found.touch_down_s - 1.215) < 2e-3, qPrintable(QString::number(found.touch_down_s)));
    QVERIFY2(std::abs(found.take_off_s - take_off_s) < 2e-3, qPrintable(QString::number(found.take_off_s)));
    QVERIFY2(std::abs(found.lowest_m - lowest_m) < 1e-5, qPrintable(QString::number(found.lowest_m)));
    QVERIFY2(std::abs(found.lowest_at_s - lowest_at_s) < 2e-3, qPrintable(QString::number(found.lowest_at_s)));
    if (damping == 50.0)
      QVERIFY2(std::abs(8650.0 * (found.lowest_m + contact.gap_m) + 23.3) < 0.1, "peak force of the spring");
  }

  void v15OtherGap() {
    Contact contact;
    contact.gap_m = 0.005;
    contact.damping = 150.0;
    const Bump found = readBump(bump(contact, contact.reduced(), 1e-3), contact.gap_m, 1e-3);
    QCOMPARE(found.contacts, 1);
    QVERIFY2(std::abs(found.touch_down_s - 1.000) < 5e-3, qPrintable(QString::number(found.touch_down_s)));
    QVERIFY2(std::abs(found.take_off_s - 2.992) < 5e-3, qPrintable(QString::number(found.take_off_s)));
    QVERIFY2(std::abs(found.lowest_m + 7.68e-3) < 1e-5, qPrintable(QString::number(found.lowest_m)));
  }

  /// Elastic ground, restitution 0 and 0.73: the same curve at plot scale. The sphere hangs on its spring in the twin,
  /// above the ground that a law is; the integrator's elastic ground in fine steps is the measure of all three.
  void v16GroundModelsAgree_data() {
    QTest::addColumn<std::string>("law");
    QTest::newRow("elastic") << std::string(R"("law":"contact","stiffness_n_per_m":1e9,"damping_n_s_per_m":500)");
    QTest::newRow("restitution 0") << std::string(R"("law":"impact","restitution":0)");
    QTest::newRow("restitution 0.73") << std::string(R"("law":"impact","restitution":0.73)");
  }
  void v16GroundModelsAgree() {
    QFETCH(std::string, law);
    Contact contact;
    contact.gap_m = 0.005;
    contact.damping = 150.0;
    const std::vector<double> fine = bump(contact, contact.withSphere(1e9), 5e-6);
    // The suspension's way is 5 mm (cos - 1), two thirds of the project's.
    std::vector<std::string> changes = hyb::test::dampedBy(150.0, 5e-3);
    for (const std::string& change :
         {kIdeal, std::string(R"(/structure/masses=[{"name":"NUM","mass_kg":9.62},{"name":"EXP","mass_kg":0.38}])"),
          std::string(R"(/structure/links=[{"name":"upper","from":"suspension","to":"NUM","stiffness_n_per_m":1e4,)"
                      R"("damping_n_s_per_m":150},)"
                      R"({"name":"spring","from":"NUM","to":"EXP","stiffness_n_per_m":8650}])"),
          std::string(R"(/partition={"physical":["spring","EXP"]})"),
          R"(/rig/specimen/laws/0={"dof":"EXP","gap_m":0.005,)" + law + "}"})
      changes.push_back(change);
    const auto run = closedLoop(changes);
    QVERIFY2(run.ended() == EndReason::completed, run.sentence().c_str());
    const std::vector<double> found = run.channel("measured_1");
    double worst_m = 0.0;
    for (std::size_t k = 0; k < 4000; ++k) worst_m = std::max(worst_m, std::abs(found[k] - fine[200 * k]));
    QVERIFY2(worst_m < 0.02 * 7.68e-3, qPrintable(QString::number(worst_m)));
  }

  /// The reference of V-14 comes out of the closed loop where its actuator is ideal: law, twin and loop at 1 kHz.
  void v14InAClosedLoop() {
    const auto run = closedLoop(with(kDamping50, kIdeal));
    QVERIFY(run.ended() == EndReason::completed);
    const Bump found = readBump(run.channel("measured_1"), 0.01, 1e-3);
    QCOMPARE(found.contacts, 1);
    QVERIFY2(std::abs(found.touch_down_s - 1.215) < 2e-3, qPrintable(QString::number(found.touch_down_s)));
    QVERIFY2(std::abs(found.take_off_s - 2.780) < 3e-3, qPrintable(QString::number(found.take_off_s)));
    QVERIFY2(std::abs(found.lowest_m + 12.70e-3) < 1e-5, qPrintable(QString::number(found.lowest_m)));
    const std::vector<double> force = run.channel("force_1");
    const auto [least, most] = std::minmax_element(force.begin(), force.end());
    QVERIFY2(*least == 0.0 && std::abs(*most - 23.3) < 0.1, qPrintable(QString::number(*most)));
  }

  /// V-20 in the closed loop with the leg: stable, with the tracking errors of the source's twin.
  void v20StableWithDampingOrFeedforward() {
    for (const auto& [changes, expected] :
         {std::pair<std::vector<std::string>, double>{{}, 0.0296}, {with(kDamping50, kVelocityAhead), 0.0024}}) {
      const auto run = closedLoop(changes);
      QVERIFY(run.ended() == EndReason::completed);
      QVERIFY2(std::abs(trackingError(run) / expected - 1.0) < 0.05, qPrintable(QString::number(trackingError(run))));
    }
  }

  /// V-19: with little damping and feedback alone the oscillation in contact grows, at about 5.6 Hz.
  void v19GrowsInContact() {
    const auto run = closedLoop(kDamping50);
    const std::vector<double> x = run.channel("target_1");
    std::vector<double> troughs_m, times_s;
    for (std::size_t k = 1; k + 1 < x.size(); ++k)
      if (x[k] < x[k - 1] && x[k] <= x[k + 1] && x[k] < -0.0105) {
        troughs_m.push_back(x[k]);
        times_s.push_back(1e-3 * static_cast<double>(k));
      }
    QVERIFY2(troughs_m.size() >= 4, qPrintable(QString::number(troughs_m.size())));
    const double hz = static_cast<double>(troughs_m.size() - 1) / (times_s.back() - times_s.front()),
                 lowest_m = *std::min_element(troughs_m.begin(), troughs_m.end());
    QVERIFY2(std::abs(hz - 5.6) < 0.3, qPrintable(QString::number(hz)));
    QVERIFY2(lowest_m < -15e-3 && troughs_m.front() > -11.5e-3,
             qPrintable(QString("%1 %2").arg(troughs_m.front()).arg(lowest_m)));
  }

  /// Note D3.4: a specimen mounted upside down, whose sensor carries 2 m g beside the contact and reads noise in
  /// flight. The stage "force in contact" gives the computed side what the contact alone does.
  void theSensorCarriesTwiceTheWeight() {
    const double weight_n = 2.0 * 0.38 * 9.81;
    const auto plain = closedLoop(with(kDamping50, kVelocityAhead));
    std::vector<std::string> changes = with(kDamping50, kVelocityAhead);
    char law[256], stage[256];
    std::snprintf(law, sizeof law,
                  R"(/rig/specimen/laws/0={"law":"table","points":[{"displacement_m":-0.02,"force_n":%.12g},)"
                  R"({"displacement_m":-0.01,"force_n":%.12g},{"displacement_m":0.05,"force_n":%.12g}]})",
                  -86.5 - weight_n, -weight_n, -weight_n);
    std::snprintf(stage, sizeof stage,
                  R"(/coupling/force_stages=[{"stage":"contact-force","gap_m":0.01,"offset_n":%.12g}])", -weight_n);
    changes.insert(changes.end(), {law, stage});
    const auto carried = closedLoop(changes);
    QVERIFY(plain.ended() == EndReason::completed && carried.ended() == EndReason::completed);
    const std::vector<double> z = plain.channel("target_1"), same = carried.channel("target_1"),
                              x = carried.channel("measured_1"), contact = carried.channel("contact_1"),
                              acts = plain.channel("force_1"), read = carried.channel("force_1");
    for (std::size_t k = 0; k < 4000; ++k) {
      QVERIFY(std::abs(same[k] - z[k]) < 1e-9 && std::abs(read[k] - acts[k] - weight_n) < 1e-4);
      QCOMPARE(contact[k], x[k] <= -0.01 ? 1.0 : 0.0);
    }
    const auto noisy = closedLoop(with(changes, "/rig/force_sensor={\"noise_rms_n\":0.5}"));
    const std::vector<double> in_flight = noisy.channel("target_1");
    for (std::size_t k = 0; k < 1200; ++k) QVERIFY(std::abs(in_flight[k] - z[k]) < 1e-9);
  }

  /// A mass that is let go 10 mm above the spring: x'' = -g - k/m x in contact, which it leaves as fast as it came.
  /// What is missing at 1 kHz is the force held over the tick, half a tick late, and falls with the tick.
  void droppedMass_data() {
    QTest::addColumn<int>("rate_hz");
    for (const int rate_hz : {1000, 8000}) QTest::addRow("%d Hz", rate_hz) << rate_hz;
  }
  void droppedMass() {
    QFETCH(int, rate_hz);
    const double m = 9.62, k = 8650.0, g = 9.81, gap_m = 0.01, hold = 1.0;  // N/m, so that nothing floats
    const double step_s = 1.0 / rate_hz, share = 1000.0 * step_s;
    const auto run = closedLoop({kIdeal, "/structure/links/0/stiffness_n_per_m=1",
                                 "/structure/links/0/damping_n_s_per_m=0", "/loop/rate_hz=" + std::to_string(rate_hz),
                                 R"(/excitation={"signals":[{"name":"weight","kind":"step","amplitude_n":94.3722}],)"
                                 R"("loads":[{"signal":"weight","mass":"NUM","factor":-1}]})",
                                 "/loop/duration_s=0.26"});
    QVERIFY(run.ended() == EndReason::completed);
    std::vector<double> x = run.channel("measured_1"), force = run.channel("force_1");
    const auto end = static_cast<std::size_t>(0.26 * rate_hz);
    x.resize(end);
    force.resize(end);
    const Bump found = readBump(x, gap_m, step_s);
    QCOMPARE(found.contacts, 1);
    // With the hold: x = -(m g / h) (1 - cos w t) until the gap has closed; then about the new rest.
    const double w0 = std::sqrt(hold / m), w = std::sqrt((hold + k) / m);
    const double fall_s = std::acos(1.0 - gap_m * hold / (m * g)) / w0,
                 v_mps = m * g / hold * w0 * std::sin(w0 * fall_s);
    const double rest_m = (m * g - hold * gap_m) / (hold + k);  // below the touch-down
    const double stay_s = 2.0 / w * (std::numbers::pi - std::atan(v_mps / (w * rest_m)));
    const double deepest_m = rest_m + std::hypot(rest_m, v_mps / w);
    isWithin(found.take_off_s - found.touch_down_s, stay_s, 0.01 * share, "time in contact, s");
    isWithin(*std::max_element(force.begin(), force.end()), k * deepest_m, 0.03 * share, "peak force, N");
    // Energy: it comes back to where it was let go, and a little higher.
    double highest_m = -1.0;
    for (auto n = static_cast<std::size_t>(found.take_off_s * rate_hz) + 1; n < end; ++n)
      highest_m = std::max(highest_m, x[n]);
    QVERIFY2(highest_m > -1e-4 && highest_m < 0.15 * gap_m * share, qPrintable(QString::number(highest_m)));
  }

  void v76FiveStepsPerExchange() {  // 0.2 ms model, 1 ms exchange, interface load held: exactly five plain steps
    const SystemMatrices system = Contact{}.reduced();
    IntegratorSpec plain;
    plain.scheme = Scheme::rk4;
    plain.load = LoadOverTick::hold;
    IntegratorSpec multi = plain;
    multi.substeps = 5;
    const auto fine = makeIntegrator(plain, system, 2e-4), exchange = makeIntegrator(multi, system, 1e-3);
    for (int k = 0; k < 200; ++k) {
      const Eigen::VectorXd load = Eigen::VectorXd::Constant(1, -100.0 * std::sin(0.03 * k));
      exchange->step(load);
      for (int i = 0; i < 5; ++i) fine->step(load);
      QCOMPARE(exchange->displacement()[0], fine->displacement()[0]);
      QCOMPARE(exchange->velocity()[0], fine->velocity()[0]);
    }
  }
};

HYB_SUITE(paper_insam_contact, InsamContact)
#include "insam_contact.moc"
