/// Bartl et al., adaptive feed-forward filters: the lumped example as a structure. Row B-1 of the note, section 3.

#include "core/assess/plant.h"
#include "core/base/numbers.h"
#include "core/feedforward/gap_model.h"
#include "core/project/project.h"
#include "core/run/build.h"
#include "core/structure/modes.h"
#include "core/structure/reduction.h"
#include "tests/support/bartl_beams.h"
#include "tests/support/compare.h"
#include "tests/support/streamed_run.h"
#include "tests/support/suite.h"

using namespace hyb;
using hyb::test::compare;
using Complex = std::complex<double>;

namespace {

Complex stiffness(const SystemMatrices& system, Complex s) { return condensedStiffness(system, {0}, s)(0, 0); }

/// The shipped template: its three sides, its twin, and what its coil makes of a force with the specimen before it.
struct Sides {
  Project project = parseProject(templateDocument("lumped-aff"));
  Partition partition = buildPartition(project);
  const SystemMatrices &computed = partition.numerical, &specimen = partition.physical,
                       &reference = partition.reference;
  Plant rig = plantsOf(project).front();
};
const Sides& sides() {
  static const Sides found;
  return found;
}

/// Gap over command by the product's model with that tick, also one shorter than a project may have.
Complex gapResponse(double hz, double tick_s) {
  Project project = sides().project;
  project.loop.rate_hz = 1.0 / tick_s;
  const GapModel model = modelOf(sides().partition, schemeContext(project, sides().partition), "/coupling");
  return model.response(kTwoPi * hz)(0, 0);
}

/// Where that tends as the tick goes to 0, from three ticks (Richardson): the note's closed form knows no tick.
Complex gapResponseWithoutTick(double hz) {
  const double tick_s = 2e-5;
  const Complex whole = gapResponse(hz, tick_s), half = gapResponse(hz, tick_s / 2),
                quarter = gapResponse(hz, tick_s / 4);
  return (8.0 * quarter - 6.0 * half + whole) / 3.0;
}

bool near(Complex found, Complex expected, double digits) {
  return std::abs(found.real() - expected.real()) <= digits && std::abs(found.imag() - expected.imag()) <= digits;
}

}  // namespace

class BartlLumped : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void b1Resonances() {
    const auto is = [](double resonance_hz, double decay_per_s, double expected_hz, double expected_per_s) {
      compare(resonance_hz, expected_hz, 0.0006, "resonance, Hz");
      compare(decay_per_s, expected_per_s, 0.0006, "decay, 1/s");
    };
    const auto isOf = [&is](const SystemMatrices& system, double expected_hz, double expected_per_s) {
      const Modes found = modes(system);
      is(found.frequency_hz[0], found.damping_ratio[0] * kTwoPi * found.frequency_hz[0], expected_hz, expected_per_s);
    };
    isOf(sides().computed, 15.915, 0.25);
    isOf(sides().reference, 21.460, 0.4545);
    const Complex pole = sides().rig.poles.at(0);
    is(std::abs(pole) / kTwoPi, -pole.real(), 15.915, 4.773);
  }

  void b1Table_data() {
    QTest::addColumn<double>("hz");
    QTest::addColumn<Complex>("gap");        // H_gu, m/N
    QTest::addColumn<Complex>("command");    // psi_opt, N/N
    QTest::addColumn<double>("size");        // |y|, mm/N
    QTest::addColumn<double>("phase");       // of y, deg
    QTest::addColumn<double>("ratio");       // hybrid / reference at 0.2 ms
    QTest::addColumn<double>("difference");  // its phase, deg
    const auto row = [](double hz, Complex gap, Complex command, double size, double phase, double ratio,
                        double angle) {
      QTest::newRow(qPrintable(QString::number(hz))) << hz << gap << command << size << phase << ratio << angle;
    };
    row(5, {0.002114, -0.000071}, {0.5242, 0.0166}, 0.52870, -0.095, 1.0000, 0.01);
    row(8, {0.002791, -0.000180}, {0.4775, 0.0293}, 0.58069, -0.167, 1.0000, 0.01);
    row(16, {-0.238167, 0.669279}, {-0.0118, 0.1190}, 1.12569, -0.648, 1.0000, 0.00);
    row(20, {0.000675, 0.000182}, {-2.3933, 0.6162}, 3.79867, -2.736, 0.9999, -0.16);
    row(21, {0.000133, 0.000046}, {-9.1264, 3.0502}, 11.63858, -8.834, 0.9986, -0.65);
    row(30, {-0.000265, -0.000017}, {1.4725, -0.0892}, 0.52398, -179.434, 0.9997, 0.14);
    row(50, {-0.000102, -0.000003}, {1.1017, -0.0333}, 0.11291, -179.797, 0.9994, 0.18);
  }
  void b1Table() {
    QFETCH(double, hz);
    const Complex s(0.0, kTwoPi * hz);
    QFETCH(Complex, gap);
    QVERIFY(near(gapResponseWithoutTick(hz), gap, 0.6e-6));
    // The product knows the command of a run alone, held over the tick: row B-2 has that. This one is of its sides.
    QFETCH(Complex, command);
    const Complex computed = stiffness(sides().computed, s), specimen = stiffness(sides().specimen, s);
    QVERIFY(near(1.0 / (sides().rig.at(s) * (computed + specimen)), command, 0.6e-4));
    QFETCH(double, size);
    QFETCH(double, phase);
    const Complex reference = 1.0 / stiffness(sides().reference, s);
    QVERIFY(std::abs(1e3 * std::abs(reference) - size) < 0.6e-5);
    QVERIFY(std::abs(std::arg(reference) * 360.0 / kTwoPi - phase) < 0.6e-3);

    QFETCH(double, ratio);
    QFETCH(double, difference);
    // At the computed side's resonance its ring-down beats with the excitation: a memory of 2 s does not settle.
    const bool resonates = hz == 16.0;
    const double time_s = resonates ? 250.0 : 80.0;
    Json document = hyb::test::bartlLumped(hz, time_s);
    hyb::test::takeModel(document, time_s);
    if (resonates) document["coupling"]["adaption"].update({{"forgetting", 0.99998}, {"running_forgetting", 0.99998}});
    hyb::test::StreamedRun run(document);
    QVERIFY(run.runTo(time_s - 2.0));
    const Complex hybrid = run.amplitudes({"target_1"}, {kTwoPi * hz}, 1.0, 0.0)[0];
    QVERIFY(std::abs(std::abs(hybrid / reference) - ratio) < 0.6e-4);
    QVERIFY(std::abs(std::arg(hybrid / reference) * 360.0 / kTwoPi - difference) < 0.006);
  }

  void b1DiscreteGap_data() {
    QTest::addColumn<double>("tick_s");
    QTest::addColumn<double>("hz");
    QTest::addColumn<Complex>("gap");
    const auto row = [](double tick_s, double hz, Complex gap) {
      QTest::newRow(qPrintable(QStringLiteral("%1 ms, %2 Hz").arg(1e3 * tick_s).arg(hz))) << tick_s << hz << gap;
    };
    row(2e-4, 8, {0.00279047, -0.00019510});
    row(2e-4, 16, {-0.22859865, 0.66870691});
    row(2e-4, 21, {0.00013285, 0.00004543});
    row(1e-3, 8, {0.00278582, -0.00025360});
    row(1e-3, 16, {-0.147212, 0.608456});
    row(1e-3, 21, {0.00012679, 0.00004362});
  }
  void b1DiscreteGap() {
    QFETCH(double, tick_s);
    QFETCH(double, hz);
    QFETCH(Complex, gap);
    Json document = hyb::test::bartlLumped(hz, 60.0);
    document["loop"]["rate_hz"] = 1.0 / tick_s;
    hyb::test::takeModel(document, 60.0);
    hyb::test::StreamedRun run(document);
    QVERIFY(run.runTo(tick_s));
    const Complex found = run.adapted("response_1_1_h1");
    QVERIFY2(std::abs(found - gap) < 1e-4 * std::abs(gap),
             qPrintable(QStringLiteral("%1 %2i").arg(found.real()).arg(found.imag())));
  }
};

HYB_SUITE(paper_bartl_lumped, BartlLumped)
#include "bartl_lumped.moc"
