/// Wallace, Wagg, Neild 2005 on the twin: adaptive forward prediction. Rows W-8 to W-11 and W-14 to W-20. W-9 and
/// W-11 ask the shipped template.
#include <QDir>
#include <random>

#include "core/excitation/ground_motion.h"
#include "core/fidelity/tracking_measures.h"
#include "tests/support/suite.h"
#include "tests/support/template_run.h"
#include "tests/support/three_mass_run.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Method = ThreeMassSetup::Method;

ThreeMassSetup adaptiveSetup() {
  ThreeMassSetup setup;
  setup.method = Method::adaptive;
  return setup;
}

/// Delay left between target and measured displacement, ms.
double delayMs(const std::vector<double>& z, const std::vector<double>& x, double step_s) {
  return 1e3 * delayByCorrelation(z, x, step_s, 0.02);
}

QString text(double a, double b) { return QString("%1 %2").arg(a).arg(b); }

/// e1: reference against target, % of the reference.
double e1Percent(const Record& record, int i, double from_s, double to_s) {
  return nrmsePercent(record.reference(i, from_s, to_s), record.target(i, from_s, to_s));
}

/// A sine that stops at end_s, abruptly or over a cosine of 2 s.
class EndingSine final : public Signal {
 public:
  EndingSine(double amplitude_m, double frequency_hz, double end_s, double fade_s)
      : sine_(makeSine({amplitude_m, frequency_hz, 0.0})), end_s_(end_s), fade_s_(fade_s) {}
  SignalValue at(double t_s) const noexcept override {
    if (t_s >= end_s_) return {};
    const SignalValue sine = sine_->at(t_s), fade = cosineFade(end_s_ - t_s, fade_s_);
    return {sine.value * fade.value, sine.rate * fade.value - sine.value * fade.rate};
  }

 private:
  std::unique_ptr<Signal> sine_;
  double end_s_, fade_s_;
};

/// Firm-ground shaking: white noise through the Kanai-Tajimi filter (2.5 Hz, 60 %) under an earthquake's envelope,
/// fixed seed.
GroundMotion syntheticEarthquake() {
  const double step = 0.005, ground = 2.0 * M_PI * 2.5, damping = 0.6;
  GroundMotion motion{step, {}};
  std::mt19937_64 random(20050701);
  double x = 0.0, v = 0.0;
  for (int k = 0; k < 6000; ++k) {
    const double t = step * k;
    const double envelope = t < 4.0 ? t * t / 16.0 : std::exp(-0.12 * (t - 4.0));
    const double white = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
    v += step * (-6.0 * envelope * white - 2.0 * damping * ground * v - ground * ground * x);
    x += step * v;
    motion.acceleration_mps2.push_back(-2.0 * damping * ground * v - ground * ground * x);
  }
  return motion;
}

}  // namespace

class WallaceAdaptive : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void w8DelayRemoved_data() {
    QTest::addColumn<double>("servo_2_hz");
    QTest::addColumn<double>("gain_1");
    QTest::addColumn<double>("gain_2");
    QTest::newRow("W-8") << 26.6 << 1.0 << 1.0;
    QTest::newRow("W-19 slower") << 25.2 << 1.0 << 1.0;
    QTest::newRow("W-19 faster") << 30.8 << 1.0 << 1.0;
    QTest::newRow("W-19 gains") << 26.6 << 0.9 << 1.1;
  }
  void w8DelayRemoved() {
    QFETCH(double, servo_2_hz);
    QFETCH(double, gain_1);
    QFETCH(double, gain_2);
    ThreeMassSetup setup = adaptiveSetup();
    setup.twin.actuators[0].gain = gain_1;
    setup.twin.actuators[1].gain = gain_2;
    setup.twin.actuators[1].model = servo({servo_2_hz, 0.7});
    const Record record = runFree(setup);
    for (int i = 0; i < 2; ++i) {
      const auto z = record.target(i, 10.0, 20.0), x = record.measured(i, 10.0, 20.0);
      QVERIFY2(std::abs(delayMs(z, x, 1e-3)) < 0.3, qPrintable(QString::number(delayMs(z, x, 1e-3))));
      QVERIFY2(nrmsePercent(z, x) < 4.5, qPrintable(QString::number(nrmsePercent(z, x))));
      if (gain_1 == 1.0) QVERIFY2(nrmsePercent(z, x) < 0.05, qPrintable(QString::number(nrmsePercent(z, x))));
    }
    if (gain_1 != 1.0) {
      QVERIFY(std::abs(record.adapted("gain_1").back() - 1.096) < 1e-3);
      QVERIFY(std::abs(record.adapted("gain_2").back() - 0.895) < 1e-3);
    }
  }

  void w8WithoutCompensationOnEmulatedForces() {
    ThreeMassSetup setup;
    setup.force_source = ForceSource::emulated;
    const Record record = runFree(setup);
    const double first = nrmsePercent(record.target(0, 10, 20), record.measured(0, 10, 20));
    const double second = nrmsePercent(record.target(1, 10, 20), record.measured(1, 10, 20));
    QVERIFY2(std::abs(first - 45.7) < 0.457 && std::abs(second - 47.9) < 0.479, qPrintable(text(first, second)));
    // Uncut system and NS by the same Newmark: e1 = 0 to rounding.
    QVERIFY(e1Percent(record, 0, 10, 20) < 1e-8);
  }

  /// In the run of the shipped template, from the channels that its file would have.
  void w9ErrorsAddUp() {
    const TemplateRun run(templateDocument("three-mass"));
    QCOMPARE(run.ended(), EndReason::completed);
    for (const std::string i : {"_1", "_2"}) {
      const std::vector<double> z = run.channel("target" + i), x = run.channel("measured" + i),
                                gap = run.channel("gap" + i), reference = run.channel("reference" + i);
      QVERIFY(z.size() > 30'000 && peak(gap) > 1e-5 && peak(difference(reference, z)) > 1e-5);
      for (std::size_t k = 0; k < z.size(); ++k) {
        const double e1 = reference[k] - z[k], e2 = -gap[k];
        QVERIFY(std::abs(e1 + e2 - (reference[k] - x[k])) < 1e-12);
      }
    }
  }

  void w10Sweep_data() {
    QTest::addColumn<int>("law");  // -1: no compensation
    QTest::addColumn<double>("first");
    QTest::addColumn<double>("second");
    QTest::newRow("without") << -1 << 53.2 << 55.8;
    QTest::newRow("law V") << static_cast<int>(AdaptionLaw::remaining_delay) << 0.47 << 0.49;
    QTest::newRow("law A") << static_cast<int>(AdaptionLaw::peak_normalised) << 2.3 << 2.4;
  }
  void w10Sweep() {
    QFETCH(int, law);
    QFETCH(double, first);
    QFETCH(double, second);
    ThreeMassSetup setup;
    setup.walls = makeSweep({0.002, 3.0, 12.0, 30.0, false});
    setup.duration_s = 30.0;
    setup.force_source = ForceSource::emulated;
    if (law >= 0) {
      setup.method = Method::adaptive;
      setup.params.law = static_cast<AdaptionLaw>(law);
      if (setup.params.law == AdaptionLaw::peak_normalised) setup.params.alpha = 2.0, setup.params.clip = 1.0;
    }
    const Record record = runFree(setup);
    const double found[2] = {nrmsePercent(record.target(0), record.measured(0)),
                             nrmsePercent(record.target(1), record.measured(1))};
    if (law < 0) {
      QVERIFY2(std::abs(found[0] - first) < 0.01 * first && std::abs(found[1] - second) < 0.01 * second,
               qPrintable(text(found[0], found[1])));
    } else {
      QVERIFY2(found[0] < 53.2 / 5 && found[1] < 55.8 / 5, qPrintable(text(found[0], found[1])));
      // Attained figures are given to two digits; the start (P) is not: allow half as much again.
      QVERIFY2(found[0] < 1.5 * first && found[1] < 1.5 * second, qPrintable(text(found[0], found[1])));
    }
  }

  void w11FixedPoint_data() {
    QTest::addColumn<int>("points");
    QTest::addColumn<int>("order");
    QTest::addColumn<double>("p1");
    QTest::addColumn<double>("p2");
    QTest::addColumn<double>("s1");
    QTest::addColumn<double>("s2");
    QTest::newRow("8, 2") << 8 << 2 << 8.566 << 8.961 << -0.0137 << -0.0153;
    QTest::newRow("16, 3") << 16 << 3 << 8.977 << 9.402 << 0.0141 << 0.0160;
  }
  void w11FixedPoint() {
    QFETCH(int, points);
    QFETCH(int, order);
    QFETCH(double, p1);
    QFETCH(double, p2);
    QFETCH(double, s1);
    QFETCH(double, s2);
    Json document = templateDocument("three-mass");
    document["compensation"]["points"] = points;
    document["compensation"]["order"] = order;
    for (const char* sensor : {"displacement_sensor", "force_sensor"}) document["rig"].erase(sensor);  // no noise
    const TemplateRun run(document);
    // After 10 s of adaption at full motion.
    const auto value = [&](const char* name) { return run.channel(name)[12'000]; };
    QVERIFY2(std::abs(value("prediction_1") - p1) < 0.01 && std::abs(value("prediction_2") - p2) < 0.01,
             qPrintable(text(value("prediction_1"), value("prediction_2"))));
    QVERIFY2(std::abs(value("gain_1") - 1.0 - s1) < 5e-4 && std::abs(value("gain_2") - 1.0 - s2) < 5e-4,
             qPrintable(text(value("gain_1"), value("gain_2"))));
  }

  void w14StartWithoutKnowledge() {
    ThreeMassSetup setup = adaptiveSetup();
    setup.setPrediction(8, 2, 0.0, 0.0);
    setup.duration_s = 40.0;
    const auto overshoot = [&setup](double alpha) {
      setup.params.alpha = alpha;
      const Record record = runFree(setup);
      return peak(record.target(0)) / peak(record.reference(0, 35.0, 40.0));
    };
    const double quick = overshoot(0.2), slow = overshoot(0.005);
    QVERIFY2(quick < 1.05, qPrintable(QString::number(quick)));
    QVERIFY2(slow > 50.0, qPrintable(QString::number(slow)));
  }

  void w15ReversedSigns() {
    ThreeMassSetup setup = adaptiveSetup();
    setup.force_source = ForceSource::emulated;
    setup.params.alpha = -0.2;
    const Record rho = runFree(setup);
    QCOMPARE(rho.adapted("prediction_1").back(), setup.params.horizon_min_ticks);
    setup.params.alpha = 0.2;
    setup.params.beta = -0.1;
    setup.duration_s = 60.0;
    const Record sigma = runFree(setup);
    const double found = sigma.adapted("gain_1").back() - 1.0;
    QVERIFY2(found == setup.params.sigma_min || found == setup.params.sigma_max, qPrintable(QString::number(found)));
  }

  void w16Noise_data() {
    QTest::addColumn<int>("seed");
    for (int seed = 1; seed <= 5; ++seed) QTest::addRow("seed %d", seed) << seed;
  }
  void w16Noise() {
    QFETCH(int, seed);
    ThreeMassSetup setup = adaptiveSetup();
    setup.setNoise();
    setup.twin.seed = static_cast<std::uint64_t>(seed);
    const Record record = runFree(setup);
    for (int i = 0; i < 2; ++i) {
      const auto z = record.target(i, 10, 20);
      const double truth = nrmsePercent(z, record.trueMeasured(i, 10, 20)),
                   sensed = nrmsePercent(z, record.measured(i, 10, 20)), e1 = e1Percent(record, i, 10, 20);
      QVERIFY2(truth < 0.5, qPrintable(QString::number(truth)));
      QVERIFY2(std::abs(sensed - 1.03) < 0.1, qPrintable(QString::number(sensed)));
      QVERIFY2(e1 < 0.8, qPrintable(QString::number(e1)));
      for (int second = 10; second < 20; ++second) {
        const double left =
            delayMs(record.target(i, second, second + 1), record.trueMeasured(i, second, second + 1), 1e-3);
        QVERIFY2(std::abs(left) < 0.15, qPrintable(QString::number(left)));
      }
    }
  }

  void w17SpecimenDiffersFromTheModel_data() {
    QTest::addColumn<double>("stiffness");
    QTest::addColumn<double>("mass");
    QTest::addColumn<double>("second_wall");
    QTest::addColumn<double>("e1");
    QTest::newRow("spring +5 %") << 1.05 << 1.0 << -1.0 << 3.36;
    QTest::newRow("spring +10 %") << 1.10 << 1.0 << -1.0 << 6.54;
    QTest::newRow("m3 +10 %, in phase") << 1.0 << 1.10 << 1.0 << 27.2;
  }
  void w17SpecimenDiffersFromTheModel() {
    QFETCH(double, stiffness);
    QFETCH(double, mass);
    QFETCH(double, second_wall);
    QFETCH(double, e1);
    ThreeMassSetup setup = adaptiveSetup();
    setup.twin.specimen = {mass, 1.0, stiffness};
    setup.second_wall = second_wall;
    const Record record = runFree(setup);
    const double found = e1Percent(record, 0, 10, 20);
    QVERIFY2(std::abs(found - e1) < 0.3, qPrintable(QString::number(found)));
    QVERIFY(nrmsePercent(record.target(0, 10, 20), record.measured(0, 10, 20)) < 0.05);  // e2 as in W-8
  }

  void w18ExcitationEnds_data() {
    QTest::addColumn<double>("fade_s");
    QTest::newRow("abruptly") << 0.0;
    QTest::newRow("over 2 s") << 2.0;
  }
  void w18ExcitationEnds() {
    QFETCH(double, fade_s);
    ThreeMassSetup setup = adaptiveSetup();
    setup.setNoise();
    setup.walls = std::make_shared<EndingSine>(0.002, 8.0, 20.0, fade_s);
    setup.duration_s = 60.0;
    const Record record = runFree(setup);
    for (const char* name : {"prediction_1", "prediction_2", "gain_1", "gain_2"}) {
      const auto values = record.adapted(name, 25.0, 60.0);
      QCOMPARE(*std::min_element(values.begin(), values.end()), *std::max_element(values.begin(), values.end()));
    }
    QVERIFY2(peak(record.target(0, 25, 60)) < 2e-5, qPrintable(QString::number(peak(record.target(0, 25, 60)))));
  }

  void w20Earthquake_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<double>("p1");
    QTest::addColumn<double>("p2");
    QTest::addColumn<double>("tracking");
    QTest::addColumn<double>("e1");
    QStringList files = {""};
    const QDir folder(qEnvironmentVariable("HYB_GROUND_MOTIONS"));
    if (!qEnvironmentVariableIsEmpty("HYB_GROUND_MOTIONS")) {
      for (const QFileInfo& info : folder.entryInfoList({"*.csv"})) files << info.absoluteFilePath();
      QVERIFY2(files.size() > 3, "HYB_GROUND_MOTIONS is set, but its folder does not hold the three recorded motions");
    } else {
      QTest::newRow("recorded motions") << QString("none") << 0.0 << 0.0 << 0.0 << 0.0;
    }
    for (const QString& file : files) {
      const QString name = file.isEmpty() ? "synthetic" : QFileInfo(file).baseName();
      QTest::newRow(qPrintable(name + ", P seeded")) << file << 8.75 << 9.15 << 0.3 << 0.1;
      QTest::newRow(qPrintable(name + ", P = 6")) << file << 6.0 << 6.0 << 0.8 << 0.4;
      // Without a seed the start is a race whose end depends on the record; the figure was found with recorded motions.
      if (!file.isEmpty()) QTest::newRow(qPrintable(name + ", P = 0")) << file << 0.0 << 0.0 << 8.0 << 10.0;
    }
  }
  void w20Earthquake() {
    QFETCH(QString, file);
    if (file == "none") HYB_SKIP("HYB_GROUND_MOTIONS is not set");
    QFETCH(double, p1);
    QFETCH(double, p2);
    QFETCH(double, tracking);
    QFETCH(double, e1);
    ThreeMassSetup setup = adaptiveSetup();
    setup.setPrediction(8, 2, p1, p2);
    const GroundMotion motion = file.isEmpty() ? syntheticEarthquake() : readGroundMotion(file.toStdString());
    GroundMotionSpec spec;
    spec.peak_m = 0.008;
    setup.walls = makeWallMotion(motion, spec, setup.step());
    setup.duration_s = 30.0;
    const Record record = runFree(setup);
    QCOMPARE(record.reason, EndReason::running);
    for (int i = 0; i < 2; ++i) {
      const double found = nrmsePercent(record.target(i), record.measured(i)), error = e1Percent(record, i, 0, 30);
      QVERIFY2(found < tracking && error < e1, qPrintable(text(found, error)));
    }
  }
};

HYB_SUITE(paper_wallace_adaptive, WallaceAdaptive)
#include "wallace_adaptive.moc"
