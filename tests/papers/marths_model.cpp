/// Multi-axial benchmark (maRTHS): structure, partition, specimen, coupler and plant of the template. Rows M-1 to M-7,
/// M-13 and M-14 of the note, and the perturbed gains of M-18. Expected figures are those of the note, or follow from
/// its formulas here.
#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <complex>

#include "core/assess/loop_delay.h"
#include "core/base/numbers.h"
#include "core/compensation/low_pass.h"
#include "core/compensation/recursive_fir.h"
#include "core/project/project.h"
#include "core/run/build.h"
#include "core/stability/delay_stability.h"
#include "core/stability/loop_gain.h"
#include "core/structure/modes.h"
#include "core/structure/structure.h"
#include "core/transfer/command_response.h"
#include "tests/support/marths.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

constexpr double kMarthsInch = 0.0254, kMarthsYoung = 200e9;

const Project& marthsProject() {
  static const Project project = parseProject(templateDocument("marths"));
  return project;
}
const Partition& marthsPartition() {
  static const Partition partition = buildPartition(marthsProject());
  return partition;
}
SystemMatrices marthsFrame() { return assemble(buildModel(marthsProject().structure)); }

Eigen::Index marthsDof(const std::vector<Dof>& dofs, const std::string& name) {
  for (std::size_t d = 0; d < dofs.size(); ++d)
    if (dofs[d].name == name) return static_cast<Eigen::Index>(d);
  return -1;
}

/// The cut in its own DOF x-1 and ry-7, without actuators.
Partition marthsAtTheJoint() {
  PartitionSpec spec = marthsProject().partition;
  spec.actuators.clear();
  return cut(buildModel(marthsProject().structure), spec);
}

void compareMarths(double found, double expected, double tolerance) {
  QVERIFY2(std::abs(found - expected) <= tolerance * std::abs(expected),
           qPrintable(QString("%1 instead of %2").arg(found, 0, 'g', 10).arg(expected, 0, 'g', 10)));
}

/// Specimen of section 3: x, rotations of joints 7, 6 and of their bases, in frame signs.
struct MarthsBay {
  Eigen::MatrixXd k = Eigen::MatrixXd(5, 5), m, c, follow;  // follow: unmeasured rotations of the measured motion
  Eigen::VectorXd hz;
  explicit MarthsBay(double column_factor = 0.7) {
    const double column = 0.64135, beam = 0.762, i_c = column_factor * 2.520 * std::pow(kMarthsInch, 4),
                 i_b = 4.21372e-7;
    const double s = kMarthsYoung * i_c / std::pow(column, 3), t = kMarthsYoung * i_c / std::pow(column, 2),
                 a = kMarthsYoung * i_c / column, b = kMarthsYoung * i_b / beam;
    k << 24 * s, 6 * t, 6 * t, 6 * t, 6 * t,    //
        6 * t, 4 * a + 4 * b, 2 * b, 0, 2 * a,  //
        6 * t, 2 * b, 4 * a + 4 * b, 2 * a, 0,  //
        6 * t, 0, 2 * a, 4 * a, 0,              //
        6 * t, 2 * a, 0, 0, 4 * a;
    m = Eigen::VectorXd{{8.453989, 0.8904445, 0.8904445, 0.4090537, 0.4090537}}.asDiagonal();
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> modes(k, m);
    const Eigen::VectorXd w = modes.eigenvalues().cwiseSqrt();
    hz = w / (2 * kPi);
    Eigen::VectorXd rounded = w;
    for (double& one : rounded) one = std::round(100 * one) / 100;  // as the script does
    c = m * modes.eigenvectors() * (0.1 * rounded).asDiagonal() * modes.eigenvectors().transpose() * m;
    follow = -k.bottomRightCorner(3, 3).inverse() * k.bottomLeftCorner(3, 2);
  }
  /// Forces on x and joint 7 of a matrix for the measured motion, in signs of the matrices (the rotation reversed).
  Eigen::Matrix2d atJoint(const Eigen::MatrixXd& matrix) const {
    Eigen::MatrixXd all(5, 2);
    all << Eigen::Matrix2d::Identity(), follow;
    const Eigen::Matrix2d signs = Eigen::Vector2d(1.0, -1.0).asDiagonal();
    return signs * (matrix * all).topRows(2) * signs;
  }
};

/// The loop gain of largest magnitude up to 100 Hz.
struct MarthsGain {
  double magnitude = 0.0, hz = 0.0;
};
MarthsGain largestMarthsGain(const DelaySystem& whole) {
  const DelaySystem system = condensedFor(whole, 100.0);
  const LoopGain gain(system);
  MarthsGain most;
  const auto look = [&](double hz) {
    if (const double found = gain.at({0.0, kTwoPi * hz}).cwiseAbs().maxCoeff(); found > most.magnitude)
      most = {found, hz};
  };
  for (const double omega : gain.grid(kTwoPi * 100.0)) look(omega / kTwoPi);
  for (double step = 0.1; step > 1e-5; step /= 4.0) {
    const double middle = most.hz;
    for (int k = -8; k <= 8; ++k) look(middle + step * k);
  }
  return most;
}
/// Delays between which a loop is unstable: {delay, frequency} of its only two crossings.
void compareMarthsCrossings(const DelaySystem& system, const std::array<Crossing, 2>& expected) {
  const std::vector<Crossing> found = crossings(system, 100.0, 0.25);
  QCOMPARE(found.size(), expected.size());
  for (std::size_t c = 0; c < expected.size(); ++c) {
    compareMarths(found[c].delay_s, expected[c].delay_s, 0.005);
    compareMarths(found[c].frequency_hz, expected[c].frequency_hz, 0.005);
    QCOMPARE(found[c].destabilising, c == 0);
  }
}

}  // namespace

class MarthsModel : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void m1Frequencies() {
    const double full[] = {2.2913, 12.7480, 26.2803, 26.5352, 29.9124},
                 numerical[] = {2.2257, 12.7531, 26.2803, 26.5267, 29.6537};
    const Modes of_frame = modes(marthsFrame()), of_numerical = modes(marthsPartition().numerical);
    QCOMPARE(of_frame.frequency_hz.size(), 15);  // the rotations have no mass
    for (int mode = 0; mode < 5; ++mode) {
      compareMarths(of_frame.frequency_hz[mode], full[mode], 1e-4);
      compareMarths(of_numerical.frequency_hz[mode], numerical[mode], 1e-4);
    }
    const double ratios[] = {4.735, 3.021, 5.000};
    for (int mode = 0; mode < 3; ++mode) QVERIFY(std::abs(100 * of_frame.damping_ratio[mode] - ratios[mode]) < 0.01);
  }

  void m1Hybrid() {
    const Partition partition = marthsAtTheJoint();
    SystemMatrices whole = partition.numerical;
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j) {
        const auto from = [&](const SparseMatrix& side) {
          return side.coeff(partition.interface_in_physical[i], partition.interface_in_physical[j]);
        };
        const Eigen::Index row = partition.interface_in_numerical[i], column = partition.interface_in_numerical[j];
        whole.k.coeffRef(row, column) += from(partition.physical.k);
        whole.m.coeffRef(row, column) += from(partition.physical.m);
        whole.c.coeffRef(row, column) += from(partition.physical.c);
      }
    const Modes found = modes(whole);
    const double hz[] = {2.3018, 12.8831, 26.2803}, ratios[] = {4.697, 3.021, 5.000};
    for (int mode = 0; mode < 3; ++mode) {
      compareMarths(found.frequency_hz[mode], hz[mode], 1e-4);
      QVERIFY2(std::abs(100 * found.damping_ratio[mode] - ratios[mode]) < 0.01,
               qPrintable(QString::number(100 * found.damping_ratio[mode])));
    }
  }

  void m2RayleighAndRemovedPart() {
    const SystemMatrices whole = marthsFrame();
    const Eigen::Index x = marthsDof(whole.dofs, "x-2"), z = marthsDof(whole.dofs, "ry-12");
    compareMarths(whole.c.coeff(z, z), 5.5985399e-4 * whole.k.coeff(z, z), 1e-6);
    compareMarths(whole.c.coeff(x, x), 1.2473724 * whole.m.coeff(x, x) + 5.5985399e-4 * whole.k.coeff(x, x), 1e-6);

    const double column = kMarthsYoung * 2.520 * std::pow(kMarthsInch, 4) / 0.635,
                 beam = kMarthsYoung * 0.6132 * std::pow(kMarthsInch, 4) / 0.762;
    const Partition partition = marthsAtTheJoint();
    const char* const names[] = {"x-1", "ry-7", "ry-6"};
    const double k[3][3] = {{6 * column / (0.635 * 0.635), -3 * column / 0.635, -3 * column / 0.635},
                            {-3 * column / 0.635, 3 * column + 4 * beam, -2 * beam},
                            {-3 * column / 0.635, -2 * beam, 3 * column + 4 * beam}};
    const double c[3][3] = {
        {3654.2254, -513.7797, -513.7797}, {-513.7797, 454.7605, -44.1042}, {-513.7797, -44.1042, 454.7605}};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const auto removed = [&](const SparseMatrix& of_whole, const SparseMatrix& of_numerical) {
          return of_whole.coeff(marthsDof(whole.dofs, names[i]), marthsDof(whole.dofs, names[j])) -
                 of_numerical.coeff(marthsDof(partition.numerical.dofs, names[i]),
                                    marthsDof(partition.numerical.dofs, names[j]));
        };
        compareMarths(removed(whole.k, partition.numerical.k), k[i][j], 1e-6);
        compareMarths(removed(whole.c, partition.numerical.c), c[i][j], 1e-6);
        const double m = removed(whole.m, partition.numerical.m);
        if (i == 0 && j == 0)
          compareMarths(m, 902.52738, 1e-6);
        else
          QCOMPARE(m, 0.0);
      }
  }

  void m3Specimen() {
    const MarthsBay bay;
    const double hz[] = {56.846, 147.558, 175.496, 259.395, 328.088};
    for (int mode = 0; mode < 5; ++mode) compareMarths(bay.hz[mode], hz[mode], 1e-5);
    const double first[] = {810.103, 86.7158, 86.7158, 89.4001, 89.4001};
    for (int j = 0; j < 5; ++j) compareMarths(bay.c(0, j), first[j], 1e-5);
    compareMarths(bay.follow(0, 0), -0.9484036, 1e-6);
    compareMarths(bay.follow(2, 0), -2.3388166, 1e-6);
    const Partition partition = marthsAtTheJoint();
    const Eigen::Matrix2d k = bay.atJoint(bay.k), m = bay.atJoint(bay.m), c = bay.atJoint(bay.c);
    compareMarths(k(0, 0), 2324116.67, 1e-8);
    compareMarths(k(0, 1), -861232.49, 1e-8);
    compareMarths(k(1, 1), 1085953.95, 1e-8);
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j) {
        const Eigen::Index row = partition.interface_in_physical[i], column = partition.interface_in_physical[j];
        const auto a = static_cast<Eigen::Index>(i), b = static_cast<Eigen::Index>(j);
        compareMarths(partition.physical.k.coeff(row, column), k(a, b), 1e-5);
        compareMarths(partition.physical.c.coeff(row, column), c(a, b), 1e-5);
        QVERIFY(std::abs(partition.physical.m.coeff(row, column) - m(a, b)) < 1e-6);
      }
  }

  void m4StaticFrame() {
    const SystemMatrices whole = marthsFrame();
    const Eigen::VectorXd load = whole.m_support.col(0);  // for 1 m/s^2
    const Eigen::VectorXd x = Eigen::MatrixXd(whole.k).ldlt().solve(load);
    compareMarths(x[marthsDof(whole.dofs, "x-1")], -1.324138e-3, 1e-6);
    compareMarths(x[marthsDof(whole.dofs, "x-2")], -3.608305e-3, 1e-6);
    compareMarths(x[marthsDof(whole.dofs, "x-3")], -6.017362e-3, 1e-6);
    compareMarths(x[marthsDof(whole.dofs, "ry-7")], -3.081433e-3, 1e-6);
  }

  void m5Coupler_data() {
    QTest::addColumn<double>("x_m");
    QTest::addColumn<double>("rotation");
    QTest::addColumn<double>("a1_mm");
    QTest::addColumn<double>("a2_mm");
    QTest::newRow("4 mm, 10 mrad") << 0.004 << 0.01 << 5.2566418 << 2.7166884;
    QTest::newRow("0.1 rad") << 0.0 << 0.1 << 11.3464334 << -14.0112126;
  }
  void m5Coupler() {
    QFETCH(double, x_m);
    QFETCH(double, rotation);
    QFETCH(double, a1_mm);
    QFETCH(double, a2_mm);
    const Partition& partition = marthsPartition();
    const Eigen::VectorXd joint = Eigen::Vector2d(x_m, -rotation);  // the matrices count rotations the other way round
    const Eigen::VectorXd linear = partition.motion_from_axes.inverse() * joint;
    ActuatorGeometry geometry = partition.geometry;
    Eigen::VectorXd exact(2), back(2);
    geometry.toExact(linear, exact);
    QVERIFY2(std::abs(1e3 * exact[0] - a1_mm) < 1e-6, qPrintable(QString::number(1e3 * exact[0], 'g', 12)));
    QVERIFY2(std::abs(1e3 * exact[1] - a2_mm) < 1e-6, qPrintable(QString::number(1e3 * exact[1], 'g', 12)));
    geometry.toLinear(exact, back);
    const Eigen::VectorXd returned = partition.motion_from_axes * back;
    QVERIFY(std::abs(returned[0] - x_m) < 1e-12);
    QVERIFY(std::abs(returned[1] + rotation) < 1e-12);
    // The rate is the slope of the motion.
    const Eigen::VectorXd rate = Eigen::Vector2d(0.3, -0.7);
    Eigen::VectorXd exact_rate(2), before(2), after(2);
    geometry.toExactRate(linear, rate, exact_rate);
    geometry.toExact(linear - 1e-6 * rate, before);
    geometry.toExact(linear + 1e-6 * rate, after);
    for (int i = 0; i < 2; ++i) QVERIFY(std::abs((after[i] - before[i]) / 2e-6 - exact_rate[i]) < 1e-8);
  }

  void m5PoseOutOfReach() {
    ActuatorGeometry geometry = marthsPartition().geometry;
    const Eigen::VectorXd exact = Eigen::Vector2d(0.2, -0.2);  // sin of the rotation would be 1.57
    Eigen::VectorXd linear(2);
    geometry.toLinear(exact, linear);
    QVERIFY(std::isnan(linear[0]) && std::isnan(linear[1]));
  }

  void m5Forces() {
    const Eigen::Vector2d joint(1000.0, -100.0);
    const Eigen::Vector2d actuators = marthsPartition().motion_from_axes.transpose() * joint;
    compareMarths(actuators[0], 893.701, 1e-5);
    compareMarths(actuators[1], 106.299, 1e-5);
  }

  void m6Plant_data() {
    QTest::addColumn<double>("hz");
    QTest::addColumn<QList<double>>("magnitudes");  // H11, H12, H21, H22
    QTest::addColumn<QList<double>>("degrees");
    const auto row = [](double hz, const QList<double>& magnitudes, const QList<double>& degrees) {
      QTest::newRow(qPrintable(QString("%1 Hz").arg(hz))) << hz << magnitudes << degrees;
    };
    row(0.01, {0.86381, 0.13107, 0.13961, 0.92579}, {-0.228, -0.013, -0.228, -0.089});
    row(1, {0.80804, 0.13266, 0.13060, 0.90651}, {-21.878, -1.490, -21.878, -8.615});
    row(2, {0.68899, 0.13600, 0.11136, 0.86084}, {-39.449, -3.997, -39.449, -15.886});
    row(5, {0.40271, 0.14115, 0.06509, 0.72544}, {-68.072, -15.533, -68.072, -29.569});
    row(10, {0.21747, 0.13301, 0.03515, 0.60365}, {-87.013, -34.725, -87.013, -44.591});
    row(20, {0.10670, 0.10470, 0.01724, 0.45233}, {-105.265, -64.075, -105.265, -69.580});
  }
  void m6Plant() {
    QFETCH(double, hz);
    QFETCH(QList<double>, magnitudes);
    QFETCH(QList<double>, degrees);
    const Eigen::MatrixXcd h = commandResponse(marthsPartition(), marthsProject().twin, {0.0, 2 * kPi * hz});
    for (int k = 0; k < 4; ++k) {
      const std::complex<double> found = h(k / 2, k % 2);
      QVERIFY2(std::abs(std::abs(found) - magnitudes[k]) < std::max(1e-4 * magnitudes[k], 5.1e-6),
               qPrintable(QString::number(std::abs(found))));
      QVERIFY2(std::abs(180 / kPi * std::arg(found) - degrees[k]) < 0.005,
               qPrintable(QString::number(180 / kPi * std::arg(found))));
    }
  }

  /// The loop is stable with any delay; with columns twice as stiff not between two delays.
  void m7ReturnRatio() {
    const Project& project = marthsProject();
    const DelaySystem alone = cutSystem(project, marthsPartition()),
                      whole = loopSystem(project, marthsPartition(), 2.2, Compensated::no);
    const MarthsGain perfect = largestMarthsGain(alone), with_plant = largestMarthsGain(whole);
    compareMarths(perfect.magnitude, 0.82456, 0.002);
    compareMarths(perfect.hz, 2.202, 0.005);
    compareMarths(with_plant.magnitude, 0.77643, 0.002);
    compareMarths(with_plant.hz, 2.210, 0.005);
    for (const DelaySystem* system : {&alone, &whole}) QVERIFY(!criticalDelay(*system, 100.0, 0.25));

    const MarthsBay bay(1.4);
    const auto listed = [](const Eigen::Matrix2d& matrix) {
      return Json{{matrix(0, 0), matrix(0, 1)}, {matrix(1, 0), matrix(1, 1)}};
    };
    Json document = templateDocument("marths");
    document["partition"]["physical"]["k"] = listed(bay.atJoint(bay.k));
    document["partition"]["physical"]["c"] = listed(bay.atJoint(bay.c));
    const Project stiff = parseProject(document);
    const Partition partition = buildPartition(stiff);
    const DelaySystem stiff_alone = cutSystem(stiff, partition);
    compareMarths(largestMarthsGain(stiff_alone).magnitude, 1.07473, 0.002);
    compareMarthsCrossings(stiff_alone, {{{0.119316, 2.2376}, {0.180178, 2.1439}}});
    compareMarthsCrossings(loopSystem(stiff, partition, 2.2, Compensated::no),
                           {{{0.107801, 2.2352}, {0.144963, 2.1782}}});
  }

  /// Gains at high frequencies of the plant one standard deviation away in each root.
  void m18PerturbedGains() {
    Json document = templateDocument("marths");
    document["rig"]["perturbation"] = {{"deviates", {1, 1, 1, 1, 1, 1, 1, 1, 1}}};
    const Project project = parseProject(document);
    const std::complex<double> s(0.0, 1e9);
    const Eigen::MatrixXcd h = commandResponse(marthsPartition(), project.twin, s);
    compareMarths(std::abs(h(0, 0) * s * s), 2409.812, 1e-5);
    compareMarths(std::abs(h(1, 0) * s * s), 389.4853, 1e-5);
    compareMarths(std::abs(h(0, 1) * s * s * s), 5.154830e6, 1e-5);
    compareMarths(std::abs(h(1, 1) * s * s * s), 2.184619e7, 1e-5);
  }

  void perturbedPlantsFollowFromTheirSeed() {
    const auto plant = [](int seed) {
      Json document = templateDocument("marths");
      document["rig"]["perturbation"] = {{"seed", seed}};
      return commandResponse(marthsPartition(), parseProject(document).twin, {0.0, 2 * kPi * 3.0});
    };
    const Eigen::MatrixXcd nominal = commandResponse(marthsPartition(), marthsProject().twin, {0.0, 2 * kPi * 3.0});
    QVERIFY(plant(0) == nominal);
    QVERIFY(plant(7) == plant(7));
    QVERIFY((plant(7) - plant(8)).norm() > 1e-3);
    QVERIFY((plant(7) - nominal).norm() < 0.2);
    QVERIFY(std::abs(plant(7)(1, 0) / plant(7)(0, 0) - nominal(1, 0) / nominal(0, 0)) <
            1e-9);  // shared zeros and poles
  }

  void m13LowPass() {
    const LowPass filter(20.0, 1.0 / 1024.0);
    const auto sections = filter.sections();
    double b[5] = {}, a[5] = {};
    const double b0[] = {sections[0].b0, sections[0].b1, sections[0].b2},
                 b1[] = {sections[1].b0, sections[1].b1, sections[1].b2}, a0[] = {1.0, sections[0].a1, sections[0].a2},
                 a1[] = {1.0, sections[1].a1, sections[1].a2};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        b[i + j] += b0[i] * b1[j];
        a[i + j] += a0[i] * a1[j];
      }
    const double binomial[] = {1, 4, 6, 4, 1}, expected[] = {1, -3.6794183, 5.0886446, -3.1345172, 0.7254850};
    for (int k = 0; k < 5; ++k) {
      compareMarths(b[k], 1.2134333e-5 * binomial[k], 1e-6);
      compareMarths(a[k], expected[k], 1e-6);
    }
  }

  void m14OneStep() {
    const Json first = templateDocument("marths-lab")["compensation"][0];
    Coefficients start(4), motion(4), targets(4);
    RecursiveTaps::Covariance p(4, 4);
    for (int i = 0; i < 4; ++i) {
      start[i] = first["first_taps"][static_cast<std::size_t>(i)];
      for (int j = 0; j < 4; ++j)
        p(i, j) = first["covariance"][static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    }
    motion << 1.0, 0.9, 0.8, 0.7;
    targets << 1.2, 1.1, 1.0, 0.9;
    RecursiveTaps fit(start, p);
    const double command = fit.learnAndApply(motion, targets, 0.0, 1.2134333e-5, 1.0);
    compareMarths(command, 0.1515354, 1e-5);
    const double taps[] = {-1.740439, -0.446716, 0.835064, 2.107096};
    for (int n = 0; n < 4; ++n) compareMarths(fit.taps()[n], taps[n], 1e-5);
    compareMarths(fit.covariance()(0, 0), 45567.723, 1e-5);
    compareMarths(fit.covariance()(0, 1), -57956.722, 1e-5);
    compareMarths(fit.covariance()(3, 3), 46530.300, 1e-5);
    compareMarths(start.dot(targets), 2.6899189, 1e-5);  // with the taps of the last tick
  }
};

HYB_SUITE(marths_model, MarthsModel)
#include "marths_model.moc"
