#include <cmath>
#include <numbers>

#include "core/linalg/eigen.h"
#include "core/structure/beam.h"
#include "core/structure/damping.h"
#include "core/structure/frame.h"
#include "core/structure/modes.h"
#include "core/structure/partition.h"
#include "core/structure/structure.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

const BeamSection kSection{"s", 2.1e11, 2e-9, 2e-4, 7850.0, 0.0};

BeamStructure heldBeam(int elements, bool held) {
  BeamStructure b{{kSection}, {{"a", 1.0, "s", elements}}, {}, {}, {}, "ground"};
  if (held) b.supports = {{0.0, true, true}};
  return b;
}

/// `copies` cantilevers side by side, alike: every frequency comes `copies` times.
FrameStructure comb(int copies, int elements) {
  FrameStructure frame;
  frame.sections = {kSection};
  for (int i = 0; i < copies; ++i) {
    const std::string foot = "foot" + std::to_string(i), head = "head" + std::to_string(i);
    frame.nodes.push_back({foot, static_cast<double>(i), 0.0, true, true, true});
    frame.nodes.push_back({head, static_cast<double>(i), 1.0});
    frame.members.push_back({"m" + std::to_string(i), foot, head, "s", elements});
  }
  return frame;
}

std::string failureOf(const DampingSpec& spec, SystemMatrices system) {
  try {
    addDamping(spec, system);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

DampingSpec ratios(DampingSpec::Kind kind, std::vector<double> values, std::vector<double> hz = {}) {
  DampingSpec spec;
  spec.kind = kind;
  spec.ratios = std::move(values);
  spec.frequencies_hz = std::move(hz);
  return spec;
}

}  // namespace

class DampingModesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void lowestModesAgreeWithAllModes_data() {
    QTest::addColumn<int>("which");
    QTest::addColumn<int>("count");
    for (const int count : {1, 2, 7, 20}) {
      if (!test::kThorough && count != 7) continue;
      if (test::kThorough) {
        QTest::addRow("cantilever, %d", count) << 0 << count;
        QTest::addRow("free beam, %d", count) << 1 << count;
        QTest::addRow("four alike, %d", count) << 2 << count;
      }
      QTest::addRow("masses without mass, %d", count) << 3 << count;
    }
  }
  void lowestModesAgreeWithAllModes() {
    QFETCH(int, which);
    QFETCH(int, count);
    FrameStructure sprung = comb(2, 60);  // a node between springs that weighs nothing
    sprung.nodes.push_back({"light", 0.5, 1.0, false, true, true});
    sprung.springs = {{"k1", "head0", "light", FrameStructure::Direction::x, 700.0, 0.0},
                      {"k2", "light", "head1", FrameStructure::Direction::x, 900.0, 0.0}};
    const Model model = which == 0   ? beamModel(heldBeam(200, true))
                        : which == 1 ? beamModel(heldBeam(250, false))
                        : which == 2 ? frameModel(comb(4, 40))
                                     : frameModel(sprung);
    const SystemMatrices system = assemble(model);
    QVERIFY(system.size() > 300);
    const Modes all = modes(system), low = lowestModes(system, count);
    QCOMPARE(low.frequency_hz.size(), Eigen::Index{count});
    const double least = 1e-7 * all.frequency_hz.tail(1)[0];  // a rigid-body mode, rounded
    for (Eigen::Index i = 0; i < count; ++i) {
      QVERIFY2(std::abs(low.frequency_hz[i] - all.frequency_hz[i]) < std::max(least, 1e-5 * all.frequency_hz[i]),
               qPrintable(QString("%1: %2 for %3").arg(i).arg(low.frequency_hz[i]).arg(all.frequency_hz[i])));
      const double square = std::pow(2.0 * std::numbers::pi * low.frequency_hz[i], 2);
      const Eigen::VectorXd shape = low.shape.col(i);
      const Eigen::VectorXd rest = system.k * shape - square * (system.m * shape);
      QVERIFY(rest.norm() < 1e-9 * Eigen::MatrixXd(system.k).norm() * shape.norm());
    }
    const Eigen::MatrixXd unit = low.shape.transpose() * system.m * low.shape;
    QVERIFY2((unit - Eigen::MatrixXd::Identity(count, count)).norm() < 1e-8,
             qPrintable(QString::number((unit - Eigen::MatrixXd::Identity(count, count)).norm())));
  }

  void fewModesOfSmallSystems() {
    const SystemMatrices system = assemble(beamModel(heldBeam(3, true)));
    QCOMPARE(lowestModes(system, 2).frequency_hz.size(), Eigen::Index{2});
    QCOMPARE(lowestModes(system, 50).frequency_hz.size(), Eigen::Index{6});
    QCOMPARE(lowestModes(system, 50).shape.cols(), Eigen::Index{6});
  }

  /// Two masses on springs with a massless DOF between them: the springs act in series.
  void masslessDofFollow() {
    SystemMatrices s;
    s.dofs = {{"a"}, {"light"}, {"b"}};
    s.m = Eigen::MatrixXd(Eigen::Vector3d(2.0, 0.0, 3.0).asDiagonal()).sparseView();
    s.k = Eigen::MatrixXd{{150.0, -50.0, 0.0}, {-50.0, 125.0, -75.0}, {0.0, -75.0, 75.0}}.sparseView();
    s.c.resize(3, 3);
    const Modes found = modes(s);
    QCOMPARE(found.frequency_hz.size(), Eigen::Index{2});
    const Eigen::Matrix2d k{{130.0, -30.0}, {-30.0, 30.0}};  // 50 and 75 in series
    const Eigen::Vector2d mass(2.0, 3.0);
    const Eigen::Vector2d squares = linalg::generalisedModes(k, mass.asDiagonal().toDenseMatrix()).values;
    for (int i = 0; i < 2; ++i)
      QVERIFY(std::abs(found.frequency_hz[i] * 2.0 * std::numbers::pi - std::sqrt(squares[i])) < 1e-12);
    QVERIFY((s.k * found.shape).row(1).norm() < 1e-12);  // no force on what weighs nothing
    s.m.coeffRef(0, 0) = -2.0;
    QVERIFY_THROWS_EXCEPTION(InputError, modes(s));
    s.m.coeffRef(0, 0) = 2.0;
    s.k = Eigen::MatrixXd{{100.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 75.0}}.sparseView();
    QVERIFY_THROWS_EXCEPTION(InputError, modes(s));
  }

  void rayleighRatiosHoldAtBothModes() {
    SystemMatrices system = assemble(beamModel(heldBeam(test::kThorough ? 200 : 80, true)));  // sparse modes
    addDamping(ratios(DampingSpec::Kind::rayleigh_ratios, {0.012, 0.02}), system);
    const Modes found = modes(system);
    QVERIFY(std::abs(found.damping_ratio[0] / 0.012 - 1.0) < 1e-5);
    QVERIFY(std::abs(found.damping_ratio[1] / 0.02 - 1.0) < 1e-5);

    system = assemble(beamModel(heldBeam(10, true)));
    const double f2 = modes(system).frequency_hz[1], f5 = modes(system).frequency_hz[4];
    addDamping(ratios(DampingSpec::Kind::rayleigh_ratios, {0.01, 0.015}, {f2, f5}), system);
    QVERIFY(std::abs(modes(system).damping_ratio[1] / 0.01 - 1.0) < 1e-9);
    QVERIFY(std::abs(modes(system).damping_ratio[4] / 0.015 - 1.0) < 1e-9);
  }

  /// Damped eigenvalues -zeta w +- i w sqrt(1 - zeta^2), each mode with its own ratio, the last for all others.
  void modalRatiosAreThoseOfTheDampedSystem() {
    SystemMatrices system = assemble(beamModel(heldBeam(6, true)));
    addDamping(ratios(DampingSpec::Kind::modal, {0.3, 0.0, 0.05}), system);
    const Eigen::Index n = system.size();
    const Modes found = modes(system);
    const Eigen::MatrixXd scale = found.shape;  // in modal coordinates the numbers are well scaled
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(2 * n, 2 * n);
    a.topRightCorner(n, n).setIdentity();
    a.bottomLeftCorner(n, n) = -scale.transpose() * system.k * scale;
    a.bottomRightCorner(n, n) = -scale.transpose() * system.c * scale;
    const Eigen::VectorXcd roots = linalg::eigenvalues(a);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double zeta = i == 0 ? 0.3 : i == 1 ? 0.0 : 0.05, w = 2.0 * std::numbers::pi * found.frequency_hz[i];
      const std::complex<double> expected(-zeta * w, w * std::sqrt(1.0 - zeta * zeta));
      QVERIFY((roots.array() - expected).abs().minCoeff() < 1e-7 * w);
    }
    const Eigen::MatrixXd c = system.c;
    QVERIFY(c == c.transpose());
  }

  /// Rigid-body motion of a free part is left undamped; elements keep their own dampers.
  void modalDampingOfAFreeBeamWithADamper() {
    SystemMatrices system = assemble(beamModel(heldBeam(8, false)));
    system.c.coeffRef(0, 0) += 7.0;
    addDamping(ratios(DampingSpec::Kind::modal, {0.02}), system);
    const Eigen::VectorXd rigid = beamModel(heldBeam(8, false)).influence.col(0);
    const Eigen::VectorXd force = system.c * rigid;
    QVERIFY(std::abs(force[0] - 7.0) < 1e-3);
    QVERIFY(force.tail(force.size() - 1).norm() < 1e-3);
  }

  /// Each side of the cut by its own free modes, also where the interface has no mass on the rig.
  void modalDampingOfEachPart() {
    Structure structure{heldBeam(10, true), {}, {}};
    structure.damping = ratios(DampingSpec::Kind::modal, {0.01});
    structure.damping.of_each_part = true;
    const Partition p = cut(buildModel(structure), {CutByElements{{"a/5-10"}}, {}, {}, {}, {}});
    for (const SystemMatrices* side : {&p.numerical, &p.physical}) {
      const Modes found = modes(*side);
      const Eigen::Index last = found.frequency_hz.size() - 1;
      for (Eigen::Index i = side == &p.physical ? 2 : 0; i <= last; ++i)
        QVERIFY(std::abs(found.damping_ratio[i] / 0.01 - 1.0) < 1e-5);
    }
  }

  void badDampingIsExplained_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<QList<double>>("values");
    QTest::addColumn<QList<double>>("hz");
    QTest::addColumn<QString>("says");
    const int rayleigh = static_cast<int>(DampingSpec::Kind::rayleigh_ratios);
    const int modal = static_cast<int>(DampingSpec::Kind::modal);
    using L = QList<double>;
    QTest::newRow("one ratio") << rayleigh << L{0.1} << L{} << "/structure/damping/ratios: must be two";
    QTest::newRow("percent") << rayleigh << L{0.1, 2.0} << L{} << "/structure/damping/ratios/1: is 2; must be";
    QTest::newRow("negative") << modal << L{-0.1} << L{} << "/structure/damping/ratios/0: is -0.1; must be";
    QTest::newRow("nan") << modal << L{std::nan("")} << L{} << "/structure/damping/ratios/0: is nan; must be";
    QTest::newRow("none") << modal << L{} << L{} << "/structure/damping/ratios: is empty";
    QTest::newRow("one frequency") << rayleigh << L{0.1, 0.1} << L{3}
                                   << "/structure/damping/frequencies_hz: must be two";
    QTest::newRow("order") << rayleigh << L{0.1, 0.1} << L{3, 3} << "/structure/damping/frequencies_hz/1: is 3 Hz";
    QTest::newRow("zero") << rayleigh << L{0.1, 0.1} << L{0, 3} << "/structure/damping/frequencies_hz/0: is 0 Hz";
    QTest::newRow("fast")
        << rayleigh << L{0.1, 0.01} << L{1, 3}
        << "negative damping of faster modes; with 0.1 at 1 Hz, the ratio at 3 Hz must be between 0.0333333 and 0.3";
    QTest::newRow("slow") << rayleigh << L{0.1, 0.31} << L{1, 3} << "negative damping of slower modes";
    QTest::newRow("free") << rayleigh << L{0.1, 0.1} << L{} << "/structure/damping/frequencies_hz: must be given";
  }
  void badDampingIsExplained() {
    QFETCH(int, kind);
    QFETCH(QList<double>, values);
    QFETCH(QList<double>, hz);
    QFETCH(QString, says);
    const DampingSpec spec =
        ratios(static_cast<DampingSpec::Kind>(kind), {values.begin(), values.end()}, {hz.begin(), hz.end()});
    const QString message = QString::fromStdString(failureOf(spec, assemble(beamModel(heldBeam(4, false)))));
    QVERIFY2(message.contains(says), qPrintable(message));
  }

  void fullDampingOfManyDofIsRefused() {
    const SystemMatrices system = assemble(beamModel(heldBeam(800, true)));
    const std::string message = failureOf(ratios(DampingSpec::Kind::modal, {0.01}), system);
    QVERIFY(message.find("limited to 1500 of them, but the structure has 1600; use Rayleigh") != std::string::npos);
    DampingSpec factors;
    factors.kind = DampingSpec::Kind::rayleigh_factors;
    factors.mass_factor = -1.0;
    QVERIFY(failureOf(factors, system).find("/structure/damping/mass_factor_per_s: is -1 1/s") != std::string::npos);
  }
};

HYB_SUITE(damping_modes, DampingModesTest)
#include "damping_modes.moc"
