#include <Eigen/LU>
#include <cmath>

#include "core/base/numbers.h"
#include "core/linalg/sparse.h"
#include "core/structure/beam.h"
#include "core/structure/frame.h"
#include "core/structure/modes.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

double relative(double value, double expected) { return std::abs(value / expected - 1.0); }

const BeamSection kSteel{"steel", 2.1e11, 40e-3 * 64e-9 / 12.0, 40e-3 * 4e-3, 7850.0, 0.0};

BeamStructure beam(double length, int elements, std::vector<BeamStructure::Support> supports) {
  return {{kSteel}, {{"a", length, "steel", elements}}, std::move(supports), {}, {}, "ground"};
}

/// Natural frequency beta^2 sqrt(EI / mu) / (2 pi).
double hertz(const BeamSection& s, double beta) {
  const double mu = s.density_kg_per_m3 * s.area_m2 + s.added_mass_kg_per_m;
  return beta * beta * std::sqrt(s.youngs_modulus_n_per_m2 * s.second_moment_m4 / mu) / (2.0 * kPi);
}

template <typename F>
double root(F&& f, double low, double high) {
  const bool rising = f(low) < 0.0;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    ((f(middle) < 0.0) == rising ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

Eigen::Index dofOf(const SystemMatrices& system, const std::string& name) {
  for (std::size_t i = 0; i < system.dofs.size(); ++i)
    if (system.dofs[i].name == name) return static_cast<Eigen::Index>(i);
  throw std::runtime_error("no DOF " + name);
}

/// Displacements under unit loads at the named DOF, summed with their sizes.
Eigen::VectorXd statics(const SystemMatrices& system, const std::vector<std::pair<std::string, double>>& loads) {
  Eigen::VectorXd p = Eigen::VectorXd::Zero(system.size());
  for (const auto& [name, size] : loads) p[dofOf(system, name)] += size;
  return linalg::SparseFactors(system.k).solve(p);
}

/// State [y, y', M, Q] over a uniform piece, M = EI y'', Q = EI y'''; by the matrix series, no closed form shared with
/// the elements.
Eigen::Matrix4d transfer(const BeamSection& s, double length, double omega) {
  const double ei = s.youngs_modulus_n_per_m2 * s.second_moment_m4;
  Eigen::Matrix4d rate = Eigen::Matrix4d::Zero();
  rate(0, 1) = rate(2, 3) = 1.0;
  rate(1, 2) = 1.0 / ei;
  rate(3, 0) = s.density_kg_per_m3 * s.area_m2 * omega * omega;
  const int parts = 64;
  const Eigen::Matrix4d step = rate * (length / parts);
  Eigen::Matrix4d term = Eigen::Matrix4d::Identity(), sum = term;
  for (int i = 1; i < 30; ++i) sum += term = term * step / i;
  Eigen::Matrix4d whole = Eigen::Matrix4d::Identity();
  for (int i = 0; i < parts; ++i) whole = sum * whole;
  return whole;
}

BeamSection thick(double height) {
  return {"h" + std::to_string(height), 2.1e11, 0.04 * std::pow(height, 3) / 12.0, 0.04 * height, 7850.0, 0.0};
}

/// Portal: columns of height h under a girder of length l, feet clamped.
FrameStructure portal(double h, double l, int elements, double turn_rad = 0.0) {
  FrameStructure frame;
  frame.sections = {{"column", 2.1e11, 2e-6, 3e-3, 7850.0, 0.0}, {"girder", 2.1e11, 5e-6, 4e-3, 7850.0, 120.0}};
  const double c = std::cos(turn_rad), s = std::sin(turn_rad);
  const auto place = [&](const char* name, double x, double y, bool held) {
    frame.nodes.push_back({name, c * x - s * y, s * x + c * y, held, held, held});
  };
  place("A", 0, 0, true);
  place("B", 0, h, false);
  place("C", l, h, false);
  place("D", l, 0, true);
  frame.members = {{"left", "A", "B", "column", elements},
                   {"top", "B", "C", "girder", elements},
                   {"right", "D", "C", "column", elements}};
  return frame;
}

}  // namespace

class BeamsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void frequenciesConvergeWithOrderFour_data() {
    QTest::addColumn<int>("ends");
    const char* rows[] = {"cantilever", "simply supported", "fixed-fixed", "free-free", "propped", "guided"};
    for (int i = 0; i < 6; ++i) QTest::newRow(rows[i]) << i;
  }
  /// Closed forms: beta L is a root of the frequency equation of the ends.
  void frequenciesConvergeWithOrderFour() {
    QFETCH(int, ends);
    const double l = 0.53;
    std::vector<BeamStructure::Support> supports;
    int rigid = 0;
    std::function<double(double)> equation;
    switch (ends) {
      case 0:
        supports = {{0.0, true, true}};
        equation = [](double z) { return std::cos(z) + 1.0 / std::cosh(z); };
        break;
      case 1:
        supports = {{0.0, true, false}, {l, true, false}};
        equation = [](double z) { return std::sin(z); };
        break;
      case 2:
        supports = {{0.0, true, true}, {l, true, true}};
        equation = [](double z) { return std::cos(z) - 1.0 / std::cosh(z); };
        break;
      case 3:
        rigid = 2;
        equation = [](double z) { return std::cos(z) - 1.0 / std::cosh(z); };
        break;
      case 4:
        supports = {{0.0, true, true}, {l, true, false}};
        equation = [](double z) { return std::sin(z) - std::cos(z) * std::tanh(z); };
        break;
      default:  // clamped, other end free to move but not to turn
        supports = {{0.0, true, true}, {l, false, true}};
        equation = [](double z) { return std::sin(z) + std::cos(z) * std::tanh(z); };
    }
    std::vector<double> betas;
    for (double z = 1.0; betas.size() < 4; z += 0.01)
      if (equation(z) * equation(z + 0.01) <= 0.0) betas.push_back(root(equation, z, z + 0.01) / l);
    const auto errors = [&](int elements) {
      const Modes found = modes(assemble(beamModel(beam(l, elements, supports))));
      std::vector<double> list;
      for (std::size_t i = 0; i < betas.size(); ++i)
        list.push_back(found.frequency_hz[rigid + static_cast<Eigen::Index>(i)] / hertz(kSteel, betas[i]) - 1.0);
      for (int i = 0; i < rigid; ++i)  // as near to 0 as rounding of the highest mode leaves it
        list.push_back(found.frequency_hz[i] < 1e-7 * found.frequency_hz.tail(1)[0] ? 0.0 : 1.0);
      return list;
    };
    const std::vector<double> coarse = errors(16), fine = errors(32);
    for (std::size_t i = 0; i < betas.size(); ++i) {
      QVERIFY(coarse[i] > 0.0);  // consistent mass: from above
      QVERIFY2(fine[i] < 3e-5, qPrintable(QString::number(fine[i])));
      if (i > 0)  // the first is soon down to rounding
        QVERIFY2(std::abs(std::log2(coarse[i] / fine[i]) - 4.0) < 0.1,
                 qPrintable(QString::number(std::log2(coarse[i] / fine[i]))));
    }
    for (std::size_t i = betas.size(); i < fine.size(); ++i) QCOMPARE(fine[i], 0.0);
  }

  /// Deflections at nodes are exact whatever the mesh.
  void staticsAreExactAtNodes() {
    const double l = 0.8, ei = kSteel.youngs_modulus_n_per_m2 * kSteel.second_moment_m4;
    for (const int elements : {1, 3, 10}) {
      const SystemMatrices c = assemble(beamModel(beam(l, elements, {{0.0, true, true}})));
      const std::string tip = "a/" + std::to_string(elements);
      const Eigen::VectorXd x = statics(c, {{tip + ".y", 7.0}});
      QVERIFY(relative(x[dofOf(c, tip + ".y")], 7.0 * l * l * l / (3.0 * ei)) < 1e-10);
      QVERIFY(relative(x[dofOf(c, tip + ".rotation")], 7.0 * l * l / (2.0 * ei)) < 1e-10);
      const Eigen::VectorXd turned = statics(c, {{tip + ".rotation", 2.0}});
      QVERIFY(relative(turned[dofOf(c, tip + ".y")], 2.0 * l * l / (2.0 * ei)) < 1e-10);
    }
    // Load in the middle of a beam on two springs, each of which carries half.
    BeamStructure sprung = beam(l, 4, {});
    sprung.springs = {{"s1", 0.0, 3e4, 0.0, 0.0, 0.0}, {"s2", l, 3e4, 0.0, 0.0, 0.0}};
    const SystemMatrices s = assemble(beamModel(sprung));
    QVERIFY(relative(statics(s, {{"a/2.y", 5.0}})[dofOf(s, "a/2.y")], 5.0 * l * l * l / (48.0 * ei) + 5.0 / 6e4) <
            1e-10);
  }

  /// Three thicknesses, a mass at the tip and a spring: determinant of transfer matrices.
  void steppedBeamAgainstTransferMatrices() {
    const std::vector<double> lengths{0.25, 0.12, 0.3}, heights{0.006, 0.003, 0.004};
    const double tip_mass = 0.05, tip_inertia = 2e-5, spring = 4e3;
    BeamStructure s;
    for (std::size_t i = 0; i < 3; ++i) {
      s.sections.push_back(thick(heights[i]));
      s.segments.push_back({"s" + std::to_string(i), lengths[i], s.sections[i].name, 40});
    }
    s.supports = {{0.0, true, true}};
    s.springs = {{"spring", 0.25, spring, 0.0, 0.0, 0.0}};
    s.masses = {{"tip", 0.67, tip_mass, tip_inertia}};
    const Modes found = modes(assemble(beamModel(s)));
    const auto determinant = [&](double hz) {
      const double w = 2.0 * kPi * hz;
      Eigen::Matrix4d point = Eigen::Matrix4d::Identity();
      point(3, 0) = -spring;  // EI y''' jumps by -k y
      // At the tip EI y'' = J w^2 y' and EI y''' = -m w^2 y: both residuals vanish.
      Eigen::Matrix4d residual = Eigen::Matrix4d::Identity();
      residual(3, 0) = tip_mass * w * w;
      residual(2, 1) = -tip_inertia * w * w;
      const Eigen::Matrix4d whole = residual * transfer(s.sections[2], lengths[2], w) *
                                    transfer(s.sections[1], lengths[1], w) * point *
                                    transfer(s.sections[0], lengths[0], w);
      return whole.bottomRightCorner<2, 2>().determinant();
    };
    for (Eigen::Index i = 0; i < 6; ++i) {
      const double f = found.frequency_hz[i];
      const double exact = root(determinant, 0.999 * f, 1.001 * f);
      QVERIFY2(relative(f, exact) < 2e-6, qPrintable(QString("%1: %2 against %3").arg(i).arg(f).arg(exact)));
    }
  }

  void massAndGroundLoad() {
    BeamStructure b = beam(0.9, 12, {});
    b.masses = {{"m", 0.45, 0.3, 1e-4}};
    const SystemMatrices free = assemble(beamModel(b));
    const double mass = 7850.0 * kSteel.area_m2 * 0.9 + 0.3;
    QVERIFY(relative(-free.m_support.col(0).dot(beamModel(b).influence.col(0)), mass) < 1e-12);
    QCOMPARE(free.supports, std::vector<std::string>{"ground"});

    // Simply supported, ground along y: participation of mode n is 2 sqrt(2 mu l) / (n pi) for odd n, and 0.
    const SystemMatrices held = assemble(beamModel(beam(0.9, 40, {{0.0, true, false}, {0.9, true, false}})));
    const Modes found = modes(held);
    const double mu_l = 7850.0 * kSteel.area_m2 * 0.9;
    for (int n = 1; n <= 5; ++n) {
      const double share = std::abs(found.shape.col(n - 1).dot(held.m_support.col(0)));
      const double expected = n % 2 == 1 ? 2.0 * std::sqrt(2.0 * mu_l) / (n * kPi) : 0.0;
      QVERIFY2(std::abs(share - expected) < 1e-6 * std::sqrt(mu_l), qPrintable(QString::number(share - expected)));
    }
  }

  /// reference/vizzaccaro-2024, section 4.
  void publishedCantilever() {
    BeamStructure b;
    b.sections = {{"strip", 217e9, 25.4e-3 * 1e-9 / 12.0, 25.4e-6, 8210.0, 0.0}};
    b.segments = {{"ns", 0.17, "strip", 20}, {"ps", 0.36, "strip", 40}};
    b.supports = {{0.0, true, true}};
    Structure structure{b, {}, {}};
    structure.damping.kind = DampingSpec::Kind::rayleigh_factors;
    structure.damping.mass_factor = 0.9;
    structure.damping.stiffness_factor = 7e-5;
    const Modes found = modes(assemble(buildModel(structure)));
    const std::vector<std::pair<double, double>> expected{{2.957, 2.49}, {18.53, 0.79}, {51.88, 1.28}};
    for (Eigen::Index i = 0; i < 3; ++i) {
      const auto [hz, percent] = expected[static_cast<std::size_t>(i)];
      QVERIFY2(std::abs(found.frequency_hz[i] - hz) <= 0.0005 * (hz < 10.0 ? 1.0 : 10.0),
               qPrintable(QString::number(found.frequency_hz[i])));
      QVERIFY2(std::abs(100.0 * found.damping_ratio[i] - percent) <= 0.005,
               qPrintable(QString::number(100.0 * found.damping_ratio[i])));
    }
    b.segments.erase(b.segments.begin());
    QVERIFY(std::abs(modes(assemble(beamModel(b))).frequency_hz[0] - 6.408) <= 0.0005);
  }

  void publishedTwoBeams_data() {
    QTest::addColumn<int>("which");
    QTest::addColumn<QList<double>>("hz");
    QTest::newRow("VIR") << 0 << QList<double>{31.041, 129.229, 321.569, 678.46, 1039.57, 1645.7};
    QTest::newRow("EXP") << 1 << QList<double>{24.412, 152.990, 428.377, 839.45, 1387.67, 2072.9};
    QTest::newRow("coupled") << 2 << QList<double>{34.429, 95.707, 181.310, 311.543, 433.097, 663.395};
  }
  /// reference/bartl-2018, section 5: VIR from its clamp to the tip B, EXP from B to the opposite clamp.
  void publishedTwoBeams() {
    QFETCH(int, which);
    QFETCH(QList<double>, hz);
    BeamStructure b;
    b.sections = {thick(0.004), thick(0.002)};
    const std::string four = b.sections[0].name, two = b.sections[1].name;
    const std::vector<BeamStructure::Segment> vir{{"root", 0.25, four, 25}, {"tip", 0.12, two, 12}};
    const BeamStructure::Segment exp{"exp", 0.37, four, 37};
    if (which != 1) b.segments = vir;
    if (which != 0) b.segments.push_back(exp);
    if (which == 1) b.supports = {{0.37, true, true}};
    if (which != 1) b.supports = {{0.0, true, true}};
    if (which == 2) b.supports.push_back({0.74, true, true});
    const Modes found = modes(assemble(beamModel(b)));
    for (Eigen::Index i = 0; i < hz.size(); ++i)
      QVERIFY2(relative(found.frequency_hz[i], hz[i]) < 1e-4,
               qPrintable(QString("%1 for %2").arg(found.frequency_hz[i]).arg(hz[i])));
  }

  /// Clamped portal under a load at the girder, members that do not stretch, by slope-deflection with the stiffness
  /// ratio k of girder over column: x = P h^3 / (12 E I_c) (3 k + 2) / (6 k + 1).
  void portalSway() {
    const double h = 3.0, l = 4.0, p = 1000.0;
    FrameStructure frame = portal(h, l, 2);
    for (BeamSection& section : frame.sections) section.area_m2 = 1e3;
    const double eic = 2.1e11 * 2e-6, k = (5e-6 / l) / (2e-6 / h);  // girder over column stiffness
    const double sway = p * h * h * h / (12.0 * eic) * (3.0 * k + 2.0) / (6.0 * k + 1.0);
    const SystemMatrices s = assemble(frameModel(frame));
    const double found = statics(s, {{"B.x", 0.5 * p}, {"C.x", 0.5 * p}})[dofOf(s, "B.x")];
    QVERIFY2(relative(found, sway) < 1e-4, qPrintable(QString("%1 for %2").arg(found).arg(sway)));
  }

  void turnedFrameHasTheSameFrequencies() {
    const SystemMatrices straight = assemble(frameModel(portal(3.0, 4.0, 6)));
    const SystemMatrices turned = assemble(frameModel(portal(3.0, 4.0, 6, 37.0 * kPi / 180.0)));
    const Modes a = modes(straight), b = modes(turned);
    QVERIFY(((a.frequency_hz - b.frequency_hz).array() / a.frequency_hz.array()).abs().maxCoeff() < 1e-9);
    // Ground motion turns along.
    const double c = std::cos(37.0 * kPi / 180.0), s = std::sin(37.0 * kPi / 180.0);
    const Eigen::VectorXd along_x = c * turned.m_support.col(0) + s * turned.m_support.col(1);
    for (Eigen::Index i = 0; i < 10; ++i)
      QVERIFY(std::abs(std::abs(b.shape.col(i).dot(along_x)) -
                       std::abs(a.shape.col(i).dot(straight.m_support.col(0)))) < 1e-7);
    QCOMPARE(straight.supports, (std::vector<std::string>{"ground-x", "ground-y"}));
  }

  /// Rod clamped at one end: f_n = (2 n - 1) / (4 l) sqrt(E / rho), order 2 (linear displacement).
  void rodFrequencies() {
    const auto errorOf = [](int elements) {
      FrameStructure rod;
      rod.sections = {{"s", 7e10, 1e-6, 2e-3, 2700.0, 0.0}};
      rod.nodes = {{"A", 0, 0, true, true, true}, {"B", 1.2, 0, false, true, true}};
      rod.members = {{"rod", "A", "B", "s", elements}};
      const Modes found = modes(assemble(frameModel(rod)));
      const double exact = 1.0 / (4.0 * 1.2) * std::sqrt(7e10 / 2700.0);
      return (found.frequency_hz.array() / exact - 1.0).abs().minCoeff();
    };
    QVERIFY(errorOf(40) < 1e-4);
    QVERIFY(std::abs(std::log2(errorOf(20) / errorOf(40)) - 2.0) < 0.01);
  }

  /// A frame along x is the beam: same bending frequencies, springs and masses included.
  void frameAlongALineIsTheBeam() {
    BeamStructure b = beam(1.0, 10, {{0.0, true, true}});
    b.springs = {{"s", 1.0, 500.0, 3.0, 0.0, 0.0}};
    b.masses = {{"m", 1.0, 0.2, 1e-4}};
    FrameStructure f;
    f.sections = {kSteel};
    f.nodes = {{"A", 0, 0, true, true, true}, {"B", 1, 0, true, false, false}};
    f.members = {{"a", "A", "B", "steel", 10}};
    f.springs = {{"s", "B", "", FrameStructure::Direction::y, 500.0, 3.0}};
    f.masses = {{"m", "B", 0.2, 1e-4}};
    const Modes of_beam = modes(assemble(beamModel(b))), of_frame = modes(assemble(frameModel(f)));
    for (Eigen::Index i = 0; i < 3; ++i) {
      QVERIFY(relative(of_frame.frequency_hz[i], of_beam.frequency_hz[i]) < 1e-9);
      QVERIFY(relative(of_frame.damping_ratio[i], of_beam.damping_ratio[i]) < 1e-7);
    }
  }

  void thousandsOfElements() {
    const SystemMatrices system = assemble(beamModel(beam(2.0, 2000, {{0.0, true, true}})));
    QCOMPARE(system.size(), Eigen::Index{4000});
    const Modes found = lowestModes(system, 6);
    const auto equation = [](double z) { return std::cos(z) + 1.0 / std::cosh(z); };
    for (int i = 0; i < 6; ++i) {
      const double z = root(equation, kPi * i + 0.5, kPi * (i + 1));
      // Rounding of K is worth some 2^-53 (elements)^4 of the lowest square; it fades with the square of the mode.
      QVERIFY(relative(found.frequency_hz[i], hertz(kSteel, z / 2.0)) < 2e-3 / (1 + 10 * i));
    }
  }
};

HYB_SUITE(beams, BeamsTest)
#include "beams.moc"
