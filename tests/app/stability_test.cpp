// `hybridbench stability` as a process, against the three masses by hand.
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/base/json.h"
#include "resources/resources.h"
#include "tests/support/compare.h"
#include "tests/support/program_test.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Complex = std::complex<double>;

// Three masses on four springs and dampers between two walls; the middle one with its links is on the rig.
constexpr double kMass_kg = 2.2, kStiffness = 9000.0, kDamping = 30.0;

/// Dynamic stiffness at the interface. Both sides are symmetric: [0] on the diagonal, [1] beside it.
struct ByHand {
  std::array<Complex, 2> numerical, physical;
};
ByHand stiffnessAt(double frequency_hz) {
  const double w = 2.0 * std::numbers::pi * frequency_hz;
  const Complex link(kStiffness, kDamping * w), inertia(-kMass_kg * w * w);
  const Complex through = link * link / (2.0 * link + inertia);  // by way of the mass between the two links
  return {{link + inertia, 0.0}, {link - through, -through}};
}

/// e^{-s tau} of one actuator that is late beside one that is not: det [n + p e, q; q e, n + p] = 0 on the axis.
Complex lateFactor(double frequency_hz) {
  const ByHand d = stiffnessAt(frequency_hz);
  const Complex n = d.numerical[0], p = d.physical[0], q = d.physical[1];
  return -n * (n + p) / (p * (n + p) - q * q);
}

/// Smallest delay of one actuator alone with a root on the axis below `to_hz`, s.
double criticalAlone(double to_hz) {
  double least_s = HUGE_VAL;
  const auto level = [](double hz) { return std::log(std::abs(lateFactor(hz))); };
  constexpr double kStep_hz = 0.01;
  for (double hz = 1.0; hz < to_hz; hz += kStep_hz) {
    double low = hz, high = hz + kStep_hz;
    if ((level(low) > 0.0) == (level(high) > 0.0)) continue;
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (low + high);
      ((level(middle) > 0.0) == (level(low) > 0.0) ? low : high) = middle;
    }
    double turn = -std::arg(lateFactor(low)) / (2.0 * std::numbers::pi);
    if (turn < 0.0) turn += 1.0;
    least_s = std::min(least_s, turn / low);
  }
  return least_s;
}

/// Frequency and damping ratio of one mode: the links' damping is proportional to their stiffness.
void isMode(const Json& report, const char* side, std::size_t n, double omega) {
  compareRelative(report["natural_frequencies_hz"][side].at(n).get<double>(), omega / (2.0 * std::numbers::pi), 1e-9,
                  side);
  compareRelative(report["damping_ratios"][side].at(n).get<double>(), 0.5 * kDamping / kStiffness * omega, 1e-9, side);
}

}  // namespace

class StabilityCommandTest : public ProgramTest {
  Q_OBJECT
 private:
  Json report(const QStringList& options) const {
    const Outcome outcome = call(QStringList{"stability"} + options + QStringList{"--json"});
    if (outcome.code != 0) qWarning("%s", outcome.err.c_str());
    return outcome.code == 0 ? outcome.json() : Json();
  }

 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void criticalDelayAndRoots() {
    const Json found = report({"three-mass"});
    compareRelative(found["critical_delay_s"].get<double>(), 6.475e-3, 1e-3, "critical, s");
    compareRelative(found["crossing_hz"].get<double>(), 14.396, 1e-3, "crossing, Hz");
    QVERIFY(found["crossings"][0]["destabilising"].get<bool>());
    QCOMPARE(found["entry"].get<std::string>(), std::string("axis"));
    QVERIFY(found["discrete"]["spectral_radius"].get<double>() < 1.0 && found["stable"].get<bool>());
    QVERIFY(call({"stability", "three-mass"}).out.find("6.475 ms") != std::string::npos);

    const Json early = report({"three-mass", "--delay", "0.005"});
    QVERIFY(early["stable"].get<bool>());
    compare(early["roots"][0]["re"].get<double>(), -3.109, 0.01, "root, 1/s");  // printed with four digits
    const Json bare = report({"three-mass", "--set", "/compensation={\"method\":\"none\"}"});
    QVERIFY(bare["discrete"]["spectral_radius"].get<double>() > 1.0 && !bare["stable"].get<bool>());
    for (const char* cutoff : {"1824", "1825"})
      QVERIFY(report({"benchmark-2020-sample", "--cutoff", cutoff}).is_object());
  }

  /// Either actuator alone bears more delay than both together.
  void eachActuatorAloneLate() {
    const Json found = report({"three-mass"});
    const double alone_s = criticalAlone(found["cutoff_hz"].get<double>());
    QVERIFY(alone_s > found["critical_delay_s"].get<double>());
    QCOMPARE(found["actuator_critical_delays_s"].size(), 2);
    for (const Json& alone : found["actuator_critical_delays_s"])
      compareRelative(alone.get<double>(), alone_s, 1e-6, "alone, s");
  }

  void modesOfTheWholeAndOfBothSides() {
    const Json found = report({"three-mass"});
    const double one = std::sqrt(kStiffness / kMass_kg), both = std::sqrt(2.0 * kStiffness / kMass_kg);
    for (std::size_t n = 0; n < 3; ++n)
      isMode(found, "reference", n, 2.0 * one * std::sin(static_cast<double>(n + 1) * std::numbers::pi / 8.0));
    for (std::size_t n = 0; n < 2; ++n) isMode(found, "numerical", n, one);
    isMode(found, "physical_clamped", 0, both);
    const auto counts = [&](const char* key) {
      std::vector<std::size_t> all;
      for (const char* side : {"reference", "numerical", "numerical_clamped", "physical", "physical_clamped"})
        all.push_back(found[key][side].size());
      return all;
    };
    QCOMPARE(counts("natural_frequencies_hz"), (std::vector<std::size_t>{3, 2, 0, 1, 1}));
    QCOMPARE(counts("damping_ratios"), counts("natural_frequencies_hz"));
    QCOMPARE(found["natural_frequencies_hz"]["physical"][0].get<double>(), 0.0);  // nothing holds it
    QCOMPARE(found["damping_ratios"]["physical"][0].get<double>(), 0.0);
  }

  void dynamicStiffness() {
    const Json list = report({"three-mass", "--dynamic-stiffness", "0:10:3"})["dynamic_stiffness"];
    QCOMPARE(list.size(), 3);
    for (std::size_t n = 0; n < 3; ++n) {
      QCOMPARE(list[n]["frequency_hz"].get<double>(), 5.0 * static_cast<double>(n));
      const ByHand expected = stiffnessAt(5.0 * static_cast<double>(n));
      for (const std::size_t i : {0u, 1u})
        for (const std::size_t j : {0u, 1u})
          for (const auto& [side, values] :
               {std::pair{"numerical", expected.numerical}, {"physical", expected.physical}}) {
            const Json& entry = list[n][side][i][j];
            compare(entry["re"].get<double>(), values[i == j ? 0 : 1].real(), 1e-6, side);
            compare(entry["im"].get<double>(), values[i == j ? 0 : 1].imag(), 1e-6, side);
          }
    }
  }

  void springs() {
    const Json all = report({"force-shear-building", "--springs"})["springs"];
    QCOMPARE(all.size(), 1);
    QCOMPARE(all[0]["springs"].size(), 41);
    QCOMPARE(all[0]["springs"][20]["stiffness_n_per_m"].get<double>(), 541800.0);
    const std::string sentence = all[0]["sentence"].get<std::string>();
    QVERIFY(sentence.find("suit this test") != std::string::npos);
    QVERIFY(call({"stability", "force-shear-building", "--springs"}).out.find(sentence) != std::string::npos);
  }

  void mapAndLocus() {
    const Json wide = report({"three-mass", "--map", "--locus", "0:0.006:4"});
    QCOMPARE(wide["locus"].size(), 4);
    QCOMPARE(wide["interface_map"].size(), 1);  // the middle mass is the only place between the ends
    QCOMPARE(wide["interface_map"][0]["position_m"].get<double>(), 1.0);
  }

  /// The project of the help page: its model closes the loop, and is not called unstable for it.
  void aTestThatAnotherProgramLeads() {
    const std::string page(resourceText("help/coupling/openfresco.md"));
    const std::size_t start = page.find("\n{\n"), end = page.find("\n```", start);
    const QString project = path("led.json");
    saveDocument(Json::parse(page.substr(start, end - start)), project.toStdString());
    const Json found = report({project});
    QVERIFY(!found["closes_loop"].get<bool>() && found["stable"].is_null() && found["margin_s"].is_null());
    QCOMPARE(found["led"]["state"].get<std::string>(), std::string("unknown"));
    const std::string sentence = found["led"]["sentence"].get<std::string>();
    const Outcome told = call({"stability", project}), checked = call({"check", project, "--preflight"});
    QVERIFY2(told.out.starts_with(sentence + "\ndelay of each actuator\n  floor: "), told.out.c_str());
    QVERIFY2(checked.out.find(sentence) != std::string::npos, checked.out.c_str());
    for (const Outcome& one : {told, checked}) QVERIFY2(one.out.find("nstable") == std::string::npos, one.out.c_str());
    const Outcome map = call({"stability", project, "--map"});
    QVERIFY2(map.code == 2 && map.err.find("another program closes the loop") != std::string::npos, map.err.c_str());
  }
};

HYB_SUITE(stability_command, StabilityCommandTest)
#include "stability_test.moc"
