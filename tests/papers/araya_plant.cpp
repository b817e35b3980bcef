// D. Araya, MSc thesis, UTFSM 2023: the control plant of the template, piston over command, as the twin's own frequency
// response has it (section 5; validation rows 12 to 18, 21).
#include <complex>

#include "core/assess/plant.h"
#include "core/base/numbers.h"
#include "core/identification/transfer_model.h"
#include "core/project/project.h"
#include "core/run/build.h"
#include "core/transfer/command_response.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using ComplexRoot = std::complex<double>;

constexpr double kTestedStorey_n_per_m = 10.836e6;

/// The template's plant with another spring; 0: none, the specimen stands on the piston.
struct TestedPlant {
  explicit TestedPlant(double spring_n_per_m, double piston_kg = 1.0) {
    const Json document = templateDocument("force-shear-building");
    const Project project = parseProject(document);
    partition = buildPartition(project);
    twin = project.twin;
    Json actuator = document["rig"]["actuators"][0];
    actuator["piston_mass_kg"] = piston_kg;
    actuator["spring"]["stiffness_n_per_m"] = spring_n_per_m;
    if (spring_n_per_m == 0.0) actuator.erase("spring");
    twin.actuators = {parseActuator(actuator)};
  }
  ComplexRoot operator()(ComplexRoot s) const { return commandResponse(partition, twin, s)(0, 0); }

  Partition partition;
  TwinParams twin;
};

/// No specimen: a spring of 1 N/m to the ground.
TestedPlant freePiston() {
  TestedPlant plant(0.0, 0.0);  // (4.11) has no mass of the piston
  plant.partition.physical.m *= 0.0;
  plant.partition.physical.c *= 0.0;
  plant.partition.physical.k.coeffRef(0, 0) = 1.0;
  return plant;
}

/// Coefficients with the highest power first.
ComplexRoot polynomialAt(const std::vector<double>& c, ComplexRoot s) {
  ComplexRoot value = 0.0;
  for (const double coefficient : c) value = value * s + coefficient;
  return value;
}

Plant plantOf(const TestedPlant& tested) { return plantsOf(tested.partition, tested.twin).front(); }
/// All of them, one of each complex pair, within 0.01 1/s.
void compareRoots(std::vector<ComplexRoot> found, const std::vector<ComplexRoot>& expected, const char* what) {
  std::erase_if(found, [](const ComplexRoot& root) { return root.imag() < 0.0; });
  QCOMPARE(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) compare(std::abs(found[k] - expected[k]), 0.0, 0.01, what);
}
/// Highest power first.
void compareCoefficients(const std::vector<double>& ascending, const std::vector<double>& expected, double share) {
  QCOMPARE(ascending.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k)
    compareRelative(ascending[expected.size() - 1 - k], expected[k], share, "coefficient");
}

double lateBy_ms(ComplexRoot response, double hz) { return -1e3 * std::arg(response) / (kTwoPi * hz); }

}  // namespace

class PaperArayaPlant : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void rows12To14TransferFunctions() {
    const auto expect = [](const TestedPlant& plant, const std::vector<double>& numerator,
                           const std::vector<double>& denominator, double share) {
      const TransferModel model = plantOf(plant).model();
      compareCoefficients(model.numerator, numerator, share);
      compareCoefficients(model.denominator, denominator, share);
      for (const ComplexRoot s : {ComplexRoot(0.0, 1.0), {0.0, 30.0}, {-20.0, 100.0}, {10.0, 340.0}, {0.0, 2500.0}}) {
        const ComplexRoot expected = polynomialAt(numerator, s) / polynomialAt(denominator, s);
        compare(std::abs(plant(s) / expected - 1.0), 0.0, share, "transfer function");
      }
    };
    expect(freePiston(), {5.035460e6}, {1.0, 425.0, 1e5, 5.035460e6}, 1e-4);
    // (4.13) has no mass of the piston beside the specimen's.
    expect(TestedPlant(0.0, 0.0), {2.166836e11}, {1.0, 458.8672, 2.677599e5, 6.893121e7, 1.549124e10, 2.530608e11},
           1e-4);
    expect(TestedPlant(0.5418e6), {2.13e13, 6.510813e14, 2.465383e18},
           {1.0, 458.8672, 5.002040e6, 2.228667e9, 1.101061e12, 2.697882e14, 5.567321e16, 2.485092e18}, 1e-4);
    compare(TestedPlant(0.5418e6)(0.0).real(), 0.992069, 1e-6, "gain at rest");
  }

  void row15PolesAndZeros() {
    const Plant plant = plantOf(TestedPlant(0.5418e6));
    compareRoots(plant.poles, {{-57.143, 0.0}, {-183.625, 213.315}, {-15.313, 338.825}, {-1.924, 2184.501}}, "pole");
    compareRoots(plant.zeros, {{-15.284, 339.871}}, "zero");
    compareRoots(plantOf(freePiston()).poles, {{-65.987, 0.0}, {-179.507, 209.970}}, "pole of the free piston");
    compareRoots(plantOf(TestedPlant(0.0, 0.0)).poles, {{-17.626, 0.0}, {-203.130, 233.130}, {-17.490, 387.110}},
                 "pole before the specimen");
  }

  /// What leaving out the pair that nearly cancels does to the gain at rest, and that it can be kept.
  void row16Reduction() {
    const Plant plant = plantOf(TestedPlant(0.5418e6));
    const std::vector<RootPair> pairs = nearlyCancelling(plant.poles, plant.zeros);
    QCOMPARE(pairs.size(), std::size_t{1});
    const Plant reduced = without(plant, pairs, KeptGain::at_high_frequencies),
                matched = without(plant, pairs, KeptGain::at_rest);
    compareCoefficients(reduced.model().numerator, {2.13e13}, 1e-3);
    compareCoefficients(reduced.model().denominator, {1.0, 428.24, 4.8739e6, 2.0301e9, 4.7821e11, 2.1603e13}, 1e-3);
    compare(reduced.at(0.0).real(), 0.98599, 1e-5, "gain at rest");
    compare(matched.at(0.0).real(), 0.992069, 1e-6, "gain at rest, kept");
    const std::string said = reductionSentence(plant, pairs, KeptGain::at_high_frequencies);
    QVERIFY2(said.find("0.98599 instead of 0.99207 (-0.613 %)") != std::string::npos, said.c_str());
  }

  void row17FrequencyResponse() {
    const TestedPlant plant(0.5418e6);
    for (const auto& [hz, size, late_ms] : {std::tuple{0.1, 0.99201, 22.138},
                                            {1.0, 0.98621, 22.070},
                                            {2.0, 0.96924, 21.869},
                                            {5.0, 0.87112, 20.664},
                                            {8.0, 0.74856, 19.055},
                                            {10.0, 0.67234, 17.991},
                                            {15.0, 0.52100, 15.739},
                                            {20.0, 0.41651, 14.113}}) {
      const ComplexRoot found = plant(ComplexRoot(0.0, kTwoPi * hz));
      compareRelative(std::abs(found), size, 1e-4, "magnitude");
      compare(lateBy_ms(found, hz), late_ms, 0.002, "delay, ms");
    }
  }

  /// A stiffer spring: less at rest, and later, from the free piston's to the one that the specimen stands on.
  void row18SpringsFromSoftToStiff() {
    struct Row {
      double share, at_rest, size_5_hz, late_5_hz_ms, size_20_hz, late_20_hz_ms;
    };
    for (const Row& row :
         {Row{0.01, 0.99834, 0.8977, 19.255, 0.4592, 13.823}, Row{0.05, 0.99207, 0.8711, 20.664, 0.4165, 14.113},
          Row{0.10, 0.98497, 0.8407, 22.178, 0.3764, 14.384}, Row{1.00, 0.92256, 0.5979, 32.147, 0.2015, 15.616},
          Row{10.0, 0.86759, 0.4470, 37.401, 0.1424, 16.103}}) {
      const TestedPlant plant(row.share * kTestedStorey_n_per_m);
      compareRelative(plant(0.0).real(), row.at_rest, 1e-3, "gain at rest");
      const ComplexRoot at_5 = plant(ComplexRoot(0.0, kTwoPi * 5.0)), at_20 = plant(ComplexRoot(0.0, kTwoPi * 20.0));
      compareRelative(std::abs(at_5), row.size_5_hz, 1e-3, "magnitude at 5 Hz");
      compareRelative(lateBy_ms(at_5, 5.0), row.late_5_hz_ms, 1e-3, "delay at 5 Hz, ms");
      compareRelative(std::abs(at_20), row.size_20_hz, 1e-3, "magnitude at 20 Hz");
      compareRelative(lateBy_ms(at_20, 20.0), row.late_20_hz_ms, 1e-3, "delay at 20 Hz, ms");
    }
  }

  void row21OilColumn() {
    const ComplexRoot pole = plantOf(TestedPlant(0.5418e6)).poles.back();
    compareRelative(std::abs(pole) / kTwoPi, 347.67, 1e-3, "frequency, Hz");
    compare(-pole.real() / std::abs(pole), 0.0009, 5e-5, "damping ratio");
  }
};

HYB_SUITE(paper_araya_plant, PaperArayaPlant)
#include "araya_plant.moc"
