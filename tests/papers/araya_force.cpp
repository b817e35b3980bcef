// D. Araya, MSc thesis, UTFSM 2023: the force-based loop with the stand-in excitation, from the template as shipped
// (validation rows 41 to 54).
#include <QTemporaryDir>
#include <algorithm>
#include <array>
#include <fstream>
#include <map>

#include "core/assess/spring_trade.h"
#include "core/linalg/dense.h"
#include "core/run/build.h"
#include "tests/support/araya_force.h"
#include "tests/support/araya_standin.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"
#include "tests/support/template_run.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// A structure on a shaken ground, exact for accelerations that are linear over a tick; its damping may be unsymmetric.
struct ShakenStructure {
  explicit ShakenStructure(const SystemMatrices& system) {
    const Eigen::Index n = system.size();
    const Eigen::MatrixXd inverse = Eigen::VectorXd(system.m.diagonal()).cwiseInverse().asDiagonal();
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(2 * n + 2, 2 * n + 2);  // and the acceleration, with its slope
    a.block(0, n, n, n).setIdentity();
    a.block(n, 0, n, n) = -inverse * Eigen::MatrixXd(system.k);
    a.block(n, n, n, n) = -inverse * Eigen::MatrixXd(system.c);
    a.block(n, 2 * n, n, 1) = inverse * system.m_support.col(0);
    a(2 * n, 2 * n + 1) = 1.0;
    step_ = linalg::exponential(a / kThesisRate_hz).topRows(2 * n);
    state.setZero(2 * n);
  }
  void step(double ground_mps2) {
    Eigen::VectorXd all(state.size() + 2);
    all << state, last_, (ground_mps2 - last_) * kThesisRate_hz;
    state = step_ * all;
    last_ = ground_mps2;
  }
  Eigen::VectorXd state;  // displacements, velocities

 private:
  Eigen::MatrixXd step_;
  double last_ = 0.0;
};

void compareCoefficients(const std::vector<std::vector<double>>& rows, std::size_t second,
                         const std::array<double, 4>& expected) {
  for (std::size_t n = 0; n < 4; ++n)
    compareRelative(rows[n].at(second * 4096), expected[n], n < 2 ? 1e-3 : n == 2 ? 0.005 : 0.03, "coefficient");
}

}  // namespace

class PaperArayaForce : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::string record_;
  std::map<std::string, ForceFigures> kept_;  // by the project

  ForceFigures run(const ForceCase& one) const { return runForce(one, record_); }
  /// With its measures, and kept: of the cases that several rows read.
  const ForceFigures& kept(ForceCase one) {
    one.measured = true;
    const std::string document = documentOf(one, record_).dump();
    const auto known = kept_.find(document);
    return known != kept_.end() ? known->second : kept_.emplace(document, run(one)).first->second;
  }

 private Q_SLOTS:
  void initTestCase() {
    record_ = folder_.filePath("standin.csv").toStdString();
    std::ofstream file(record_);
    file << "time_s,acceleration_m_per_s2\n";
    file.precision(17);
    const std::vector<double> samples = standIn();
    for (std::size_t n = 0; n < samples.size(); ++n)
      file << kStandInStep_s * static_cast<double>(n) << ',' << samples[n] << '\n';
  }

  /// Row 41 has the command follow its target between ticks too, which four times the rate comes near to. At the
  /// thesis' rate the held command adds half a tick, 0.122 ms.
  void row41Uncompensated() {
    const ForceFigures& fast = kept({.rate_hz = 4.0 * kThesisRate_hz});
    const ForceFigures held = run({});
    compareRelative(fast.j2, 60.942, 5e-3, "J2, %");
    compareRelative(fast.a2, 63.005, 5e-3, "A2, %");
    compareRelative(fast.piston_mps, 64.57e-3, 5e-3, "piston, m/s");
    compareRelative(fast.stroke_m, 2.077e-3, 5e-3, "stroke, m");
    compareRelative(fast.force_n, 1071.1, 5e-3, "force, N");
    const FrequencyIndex motion = indexOf(held.piston_target, held.measured), force = indexOf(held.target, held.force);
    compare(1e3 * motion.delay_s, 18.591 + 0.122, 0.01, "delay, ms");
    compare(1e3 * force.delay_s, 19.143 + 0.122, 0.01, "delay of the force, ms");
    compareRelative(motion.amplitude, 0.819, 5e-3, "amplitude");
    compareRelative(motion.frequency_hz, 4.796, 5e-3, "frequency, Hz");
  }

  void row42Inverse() {
    const ForceFigures& found = kept({.compensation = inverse()});
    compareRelative(found.j2, 1.257, 5e-3, "J2, %");
    compareRelative(found.a2, 1.321, 5e-3, "A2, %");
    compareRelative(found.piston_mps, 84.61e-3, 5e-3, "piston, m/s");
    compareRelative(found.stroke_m, 2.610e-3, 5e-3, "stroke, m");
    compareRelative(found.force_n, 1345.7, 5e-3, "force, N");
    const FrequencyIndex motion = indexOf(found.piston_target, found.measured),
                         force = indexOf(found.target, found.force);
    compare(1e3 * motion.delay_s, 0.229, 0.01, "delay, ms");
    compare(1e3 * force.delay_s, 0.241, 0.01, "delay of the force, ms");
    compareRelative(motion.amplitude, 1.0088, 5e-3, "amplitude");
    compareRelative(motion.frequency_hz, 5.197, 5e-3, "frequency, Hz");
  }

  /// Rows 41, 42 and 45, J4: specimen and computed floors against the uncut structure.
  void rows41To45AgainstTheReference() {
    const std::array<std::tuple<ForceCase, std::array<double, 3>, double>, 3> rows{
        {{{.rate_hz = 4.0 * kThesisRate_hz}, {61.55, 19.28, 19.42}, 5e-3},
         {{.compensation = inverse()}, {1.424, 0.473, 0.476}, 0.01},
         {{.compensation = adaptive(kThesisConverter_m)}, {0.316, 0.066, 0.066}, 0.15}}};
    for (const auto& [one, j4, share] : rows) {
      const Json& measures = kept(one).measures;
      compareRelative(measures.at("specimen_reference_percent").get<double>(), j4[0], share, "J4 of x1, %");
      compareRelative(measures.at("j6").get<double>(), j4[1], share, "J4 of x2, %");
      compareRelative(measures.at("j7").get<double>(), j4[2], share, "J4 of x3, %");
    }
  }

  /// The figures of a run are these: J2 of the force in N, that of the piston beside it.
  void figuresOfARun() {
    const ForceFigures& found = kept({.compensation = inverse()});
    const TemplateRun figures(documentOf({.compensation = inverse()}, record_), true);
    const Json& interface = figures.figures().at("interfaces").at(0);
    QCOMPARE(interface.at("units").get<std::string>(), std::string("N"));
    compareRelative(interface.at("tracking_nrmse_percent").get<double>(), found.a2, 1e-3, "force error, %");
    compareRelative(interface.at("measures").at("piston_nrmse_percent").get<double>(), found.j2, 1e-3, "J2, %");
    compare(interface.at("measures").at("piston_delay").get<double>(), 0.229e-3, 0.01e-3, "delay, s");
    // Energy that errors of the force add goes into the specimen, which moves 0.12 mm under 1.3 kN.
    const double energy_j = figures.figures().at("energy_error").get<double>();
    double expected_j = 0.0;
    for (std::size_t k = 1; k < found.force.size(); ++k)
      expected_j -= 0.5 * (found.force[k] - found.target[k] + found.force[k - 1] - found.target[k - 1]) *
                    (found.specimen[k] - found.specimen[k - 1]);
    compareRelative(energy_j, expected_j, 0.02, "energy error, J");
  }

  void row43Adaptive() {
    const ForceFigures found = run({.compensation = adaptive()});
    compareRelative(found.j2, 0.239, 0.15, "J2, %");
    compareRelative(found.a2, 0.251, 0.15, "A2, %");
    compareRelative(found.piston_mps, 84.54e-3, 5e-3, "piston, m/s");
    compare(1e3 * found.delay_s(), 0.0090, 0.01, "delay, ms");
    compare(1e3 * found.forceDelay_s(), 0.0095, 0.01, "delay of the force, ms");
    const auto& a = found.adapted;
    compareCoefficients(a, 5, {1.0000000155, 0.01985915969, 8.44014286e-5, 1.98591596e-7});
    compareCoefficients(a, 6, {1.00062, 0.019877, 8.4415e-5, 1.987e-7});
    compareCoefficients(a, 7, {1.01246, 0.022469, 1.0157e-4, 2.60e-7});
    compareCoefficients(a, 10, {1.00858, 0.022410, 1.0015e-4, 2.53e-7});
    compareCoefficients(a, 20, {1.00790, 0.022436, 9.990e-5, 2.61e-7});
    compareCoefficients(a, 39, {1.00794, 0.022439, 9.991e-5, 2.64e-7});
  }

  void row44FrozenAtTheStart() {
    Json still = adaptive();
    still["adaption"] = 0;
    const ForceFigures found = run({.compensation = still});
    compareRelative(found.j2, 7.212, 5e-3, "J2, %");
    compareRelative(found.a2, 7.561, 5e-3, "A2, %");
    compare(1e3 * found.delay_s(), 1.666, 0.01, "delay, ms");
  }

  void row45WithTheConverter() {
    const ForceFigures& found = kept({.compensation = adaptive(kThesisConverter_m)});
    compareRelative(found.j2, 0.285, 0.15, "J2, %");
    compareRelative(found.a2, 0.300, 0.15, "A2, %");
    compareRelative(found.piston_mps, 84.74e-3, 5e-3, "piston, m/s");
    compareRelative(found.stroke_m, 2.587e-3, 5e-3, "stroke, m");
    compareRelative(found.force_n, 1334.2, 5e-3, "force, N");
  }

  /// Rows 46 and 47: peaks of the uncut structure, and how far the cut put together again is from it, what no transfer
  /// system can make good.
  void rows46And47ReferenceAndCut() {
    const Project project = parseProject(documentOf({}, record_));
    const Partition partition = buildPartition(project);
    const SystemMatrices& whole = partition.reference;
    SystemMatrices together = partition.numerical;
    together.m.coeffRef(0, 0) += partition.physical.m.coeff(0, 0);
    together.c.coeffRef(0, 0) += partition.physical.c.coeff(0, 0);
    together.k.coeffRef(0, 0) += partition.physical.k.coeff(0, 0);
    const Excitation excitation = buildExcitation(project, partition);
    ExcitationValue ground = excitation.zero();
    ShakenStructure reference(whole), coupled(together);
    std::array<double, 3> peaks{}, gaps{}, squares{};
    for (int k = 1; k <= 40 * 4096; ++k) {
      excitation.at(k / kThesisRate_hz, 1.0, 0.0, ground);
      reference.step(ground.support_mps2[0]);
      coupled.step(ground.support_mps2[0]);
      for (Eigen::Index i = 0; i < 3; ++i) {
        const auto n = static_cast<std::size_t>(i);
        const double x = reference.state[i];
        peaks[n] = std::max(peaks[n], std::abs(x));
        gaps[n] += std::pow(coupled.state[i] - x, 2);
        squares[n] += x * x;
      }
    }
    const std::array expected{0.12475e-3, 1.82313e-3, 2.81160e-3}, apart{0.052, 0.019, 0.020};
    for (std::size_t n = 0; n < 3; ++n) {
      compareRelative(peaks[n], expected[n], 5e-3, "peak of the reference, m");
      compare(100.0 * std::sqrt(gaps[n] / squares[n]), apart[n], 0.001, "left by the cut, %");
    }
  }

  /// Row 48: the softer the spring, the faster the piston has to be; 1 % breaks the limit of 300 mm/s.
  void row48SpringsFromSoftToStiff() {
    struct Row {
      double share, piston_mmps, j2, a2;
    };
    for (const Row& row : {Row{0.01, 325.5, 58.6, 59.0}, Row{0.02, 162.5, 59.3, 60.1}, Row{0.05, 64.6, 60.9, 63.0},
                           Row{0.1, 31.9, 63.1, 67.1}, Row{0.2, 15.5, 65.9, 73.0}, Row{1.0, 2.64, 68.7, 88.3}}) {
      const ForceFigures found = run({.nominal_spring = row.share / 0.05});
      compareRelative(1e3 * found.piston_mps, row.piston_mmps, 0.01, "piston, mm/s");
      compareRelative(found.j2, row.j2, 0.01, "J2, %");
      compareRelative(found.a2, row.a2, 0.01, "A2, %");
    }
    QVERIFY(run({.nominal_spring = 0.01 / 0.05, .limit_acts = true}).ended == EndReason::limit);
    QVERIFY(run({.nominal_spring = 0.02 / 0.05, .limit_acts = true}).ended == EndReason::completed);
  }

  /// Before anything moves: the piston is foretold to do what it does where it is well compensated (row 43), and the
  /// softest spring that its velocity of 300 mm/s allows lies between those of row 48.
  void whatASpringAsksOfThePistonIsForetold() {
    const ForceCase one{.compensation = adaptive(), .limit_acts = true};
    const SpringTrade trade = springTrade(parseProject(documentOf(one, record_)), 0);
    const PistonDemand demand = trade.path.behind(kThesisSpring_n_per_m);
    const ForceFigures found = run({.compensation = adaptive()});
    compareRelative(demand.stroke_m, found.stroke_m, 0.01, "stroke, m");
    // Kinks of the record make the oil column ring, which no target asks for: 3 % more. Over a period, 348 Hz, that is
    // gone.
    constexpr std::size_t kPeriod = 12;
    double velocity = 0.0;
    for (std::size_t k = kPeriod; k < found.measured.size(); ++k)
      velocity =
          std::max(velocity, std::abs(found.measured[k] - found.measured[k - kPeriod]) * kThesisRate_hz / kPeriod);
    compareRelative(demand.velocity_m_per_s, velocity, 0.01, "velocity, m/s");
    QVERIFY(found.piston_mps > 1.02 * demand.velocity_m_per_s && found.piston_mps < 1.05 * demand.velocity_m_per_s);
    compareRelative(demand.force_n, found.force_n, 0.01, "force, N");
    compareRelative(trade.specimen_n_per_m, kThesisSpring_n_per_m / 0.05, 1e-9, "specimen, N/m");
    const double share = trade.possible.value().from_n_per_m / trade.specimen_n_per_m;
    QVERIFY2(share > 0.01 && share < 0.02, qPrintable(QString::number(share)));
  }

  void rows49And50WrongSpring() {
    for (const auto& [spring, j2_fixed, a2_fixed, j2, a2] : {std::tuple{0.5, 3.72, 48.5, 0.145, 50.0},
                                                             {0.75, 2.11, 23.5, 0.19, 25.0},
                                                             {1.25, 2.07, 25.0, 0.285, 25.0},
                                                             {1.5, 3.42, 48.5, 0.33, 50.0}}) {
      const ForceFigures fixed = run({.compensation = inverse(), .actual_spring = spring}),
                         found = run({.compensation = adaptive(), .actual_spring = spring});
      compareRelative(fixed.j2, j2_fixed, 0.01, "J2 of the inverse model, %");
      compareRelative(fixed.a2, a2_fixed, 0.01, "A2 of the inverse model, %");
      compareRelative(found.j2, j2, 0.2, "J2, %");
      compare(found.a2, a2, 0.1, "A2, %");
    }
  }

  /// Rows 51 to 53, and row 34: no coefficient is ever below 0 in the command. The load cell's noise makes the oil
  /// column ring, which decays slowly: runs differ by 4 % (standard deviation), and the note's figures are of one run
  /// with a seed that it does not tell. One of four is like it. Their mean is that of the note's model, computed
  /// independently with eight seeds.
  void rows51To53Noise() {
    struct Row {
      bool displacement, force;
      std::array<double, 3> j2, a2;  // uncompensated, inverse, adaptive
      double share, share_adaptive_a2;
      std::array<double, 3> mean_j2, mean_a2;  // of several runs
    };
    for (const Row& row : {Row{true, false, {61.0, 2.87, 2.68}, {63.0, 1.32, 0.80}, 0.04, 0.10, {}, {}},
                           Row{false,
                               true,
                               {61.0, 2.26, 1.88},
                               {63.1, 2.90, 2.59},
                               0.05,
                               0.05,
                               {0.0, 2.340, 1.983},
                               {0.0, 2.973, 2.668}},
                           Row{true,
                               true,
                               {61.0, 3.48, 3.35},
                               {63.1, 2.97, 2.81},
                               0.04,
                               0.04,
                               {0.0, 3.478, 3.355},
                               {0.0, 2.973, 2.811}}}) {
      const std::array<Json, 3> methods{Json{{"method", "none"}}, inverse(), adaptive(kThesisConverter_m)};
      for (std::size_t m = 0; m < 3; ++m) {
        const unsigned seeds = row.force && m > 0 ? 4 : 1;
        double j2 = 0.0, a2 = 0.0;
        bool alike = false;
        QString all;
        for (unsigned seed = 1; seed <= seeds; ++seed) {
          const ForceFigures found = run({.compensation = methods[m],
                                          .displacement_noise = row.displacement,
                                          .force_noise = row.force,
                                          .seed = seed});
          j2 += found.j2 / seeds;
          a2 += found.a2 / seeds;
          const double a2_share = m == 2 ? row.share_adaptive_a2 : row.share;
          alike |= std::abs(found.j2 - row.j2[m]) <= row.share * row.j2[m] &&
                   std::abs(found.a2 - row.a2[m]) <= a2_share * row.a2[m];
          all += QString(" J2 %1 A2 %2").arg(found.j2).arg(found.a2);
          for (const std::vector<double>& a : found.adapted)
            QVERIFY(a.empty() || *std::min_element(a.begin(), a.end()) >= 0.0);
        }
        QVERIFY2(alike, qPrintable(QString("J2 %1 A2 %2 expected,").arg(row.j2[m]).arg(row.a2[m]) + all));
        if (row.mean_j2[m] == 0.0) continue;
        compareRelative(j2, row.mean_j2[m], 0.02, "mean of J2, %");
        compareRelative(a2, row.mean_a2[m], 0.02, "mean of A2, %");
      }
    }
  }

  /// Row 54: a load cell whose noise does not load the piston leaves J2 alone, which no measurement shows.
  void row54NoiseThatDoesNotLoadThePiston() {
    const ForceFigures found = run({.compensation = inverse(), .force_noise = true, .noise_at_piston = false});
    compareRelative(found.j2, 1.257, 5e-3, "J2, %");
  }
};

HYB_SUITE(paper_araya_force, PaperArayaForce)
#include "araya_force.moc"
