/// Insam 2022, one-dimensional contact system: static and dynamic reference. Rows V-12 to V-16 and V-76 of the note's
/// table D18.

#include "core/integration/integrator.h"
#include "core/numbers.h"
#include "core/project/project.h"
#include "core/run/build.h"
#include "core/structure/structure.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"

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

/// The upper mass where the sphere bounces off a rigid ground with a coefficient of restitution; own time stepping.
std::vector<double> bounce(const Contact& contact, double restitution, double step_s, int stride) {
  double x = 0, v = 0, y = 0, w = 0;  // NUM, EXP
  std::vector<double> z{0.0};
  for (int k = 1; k * step_s <= 1.0 / contact.hz; ++k) {
    const double t = k * step_s, spring = 8650.0 * (x - y);
    v += step_s / 9.62 *
         (1e4 * (contact.suspension(t) - x) + contact.damping * (contact.suspensionRate(t) - v) - spring);
    w += step_s / 0.38 * spring;
    x += step_s * v;
    y += step_s * w;
    if (y < -contact.gap_m) {
      y = -contact.gap_m;
      if (w < 0.0) w = -restitution * w;
    }
    if (k % stride == 0) z.push_back(x);
  }
  return z;
}

}  // namespace

class InsamContact : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// The specimen of the contact project hung up at its interface: how far its own weight lets the sphere down.
  void v12RestOfTheSphere() {
    const Partition partition =
        buildPartition(loadProject(std::string(hyb::test::kSourceDir) + "/tests/data/structures/contact-ilc.json"));
    const SystemMatrices& specimen = partition.physical;
    QCOMPARE(specimen.size(), Eigen::Index{2});
    const Eigen::Index top = partition.interface_in_physical.at(0), sphere = 1 - top;
    IntegratorSpec spec;
    spec.scheme = Scheme::exact_ramp;
    SystemMatrices hung = specimen;
    const double clamp = 1e9,
                 damping = 2.0 * std::sqrt(specimen.m.coeff(sphere, sphere) * specimen.k.coeff(sphere, sphere));
    hung.m.coeffRef(top, top) += 1.0;
    hung.k.coeffRef(top, top) += clamp;
    hung.c.coeffRef(top, top) += 2.0 * std::sqrt(clamp);
    hung.c.coeffRef(sphere, sphere) += damping;  // only so that it comes to rest
    const auto integrator = makeIntegrator(spec, hung, 1e-3);
    Eigen::VectorXd weight = Eigen::VectorXd::Zero(2);
    weight[sphere] = -9.81 * specimen.m.coeff(sphere, sphere);
    for (int k = 0; k < 1000; ++k) integrator->step(weight);
    QVERIFY(std::abs(integrator->displacement()[sphere] + 0.431e-3) < 0.01 * 0.431e-3);
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

  void v16GroundModelsAgree() {  // elastic ground, restitution 0 and 0.73: the same curve at plot scale
    Contact contact;
    contact.gap_m = 0.005;
    contact.damping = 150.0;
    const double fine_s = 5e-6;
    std::vector<double> elastic;
    const std::vector<double> all = bump(contact, contact.withSphere(1e9), fine_s);
    for (std::size_t k = 0; k < all.size(); k += 200) elastic.push_back(all[k]);
    for (const double restitution : {0.0, 0.73}) {
      const std::vector<double> other = bounce(contact, restitution, fine_s, 200);
      QCOMPARE(other.size(), elastic.size());
      double worst = 0.0;
      for (std::size_t k = 0; k < other.size(); ++k) worst = std::max(worst, std::abs(other[k] - elastic[k]));
      QVERIFY2(worst < 0.02 * 7.68e-3, qPrintable(QString::number(worst)));
    }
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
