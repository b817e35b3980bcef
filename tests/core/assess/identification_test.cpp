// Periods of an excitation for an identification, from the signals of a project.
#include "core/assess/identification.h"
#include "tests/support/suite.h"

using namespace hyb;

class RunIdentificationTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void periodFollowsFromTheSignals_data() {
    QTest::addColumn<QString>("signals");
    QTest::addColumn<double>("longest_s");
    QTest::addColumn<double>("period_s");  // 0: none
    QTest::newRow("band of sines") << R"([{"kind":"band-sines","from_hz":1,"to_hz":9,"period_s":4}])" << 100.0 << 4.0;
    QTest::newRow("band of noise") << R"([{"kind":"band-noise","from_hz":1,"to_hz":9,"period_s":4}])" << 100.0 << 4.0;
    QTest::newRow("sine") << R"([{"kind":"sine","frequency_hz":8}])" << 100.0 << 0.125;
    QTest::newRow("sine over several periods of whole ticks")
        << R"([{"kind":"sine","frequency_hz":3}])" << 100.0 << 1.0;
    QTest::newRow("square wave") << R"([{"kind":"square","frequency_hz":2.5}])" << 100.0 << 0.4;
    QTest::newRow("sines") << R"([{"kind":"multi-sine","components":[{"frequency_hz":0.75},{"frequency_hz":1.25}]}])"
                           << 100.0 << 4.0;
    QTest::newRow("two signals") << R"([{"kind":"sine","frequency_hz":2},{"kind":"band-noise","period_s":0.75}])"
                                 << 100.0 << 1.5;
    QTest::newRow("longer than the record")
        << R"([{"kind":"sine","frequency_hz":2},{"kind":"sine","frequency_hz":2.1}])" << 9.0 << 0.0;
    QTest::newRow("sweep") << R"([{"kind":"sweep","start_hz":1,"end_hz":9}])" << 100.0 << 0.0;
    QTest::newRow("one of two repeats") << R"([{"kind":"sine","frequency_hz":2},{"kind":"step"}])" << 100.0 << 0.0;
    QTest::newRow("no signal") << "[]" << 100.0 << 0.0;
  }
  void periodFollowsFromTheSignals() {
    QFETCH(QString, signals);
    QFETCH(double, longest_s);
    QFETCH(double, period_s);
    const Json project = {{"excitation", {{"signals", Json::parse(signals.toStdString())}}}};
    QCOMPARE(excitationPeriod_s(project, 1000.0, longest_s).value_or(0.0), period_s);
    QVERIFY(!excitationPeriod_s(Json::object(), 1000.0, longest_s));
  }

  void stepsFollowFromTheSignals() {
    const auto steps = [](const char* signals, Json more = Json::object()) {
      more["excitation"]["signals"] = Json::parse(signals);
      return excitationSteps(more, 2.0, 12.3);
    };
    const char* stepped =
        R"([{"kind":"stepped-sine","amplitude_m":1,"from_hz":2,"to_hz":4,"count":3,"settle_s":1,"periods":5},
            {"kind":"stepped-sine","amplitude_n":9,"from_hz":2,"to_hz":4,"count":3,"settle_s":1,"periods":5}])";
    const std::vector<SineStep> two = steps(stepped);
    QCOMPARE(two.size(), std::size_t{3});
    QCOMPARE(two[0].measured_s, 1.0);
    QCOMPARE(two[0].end_s, 3.5);
    QCOMPARE(two[2].frequency_hz, 4.0);
    // A scheme that identifies first begins the excitation later.
    const Json later = {{"coupling",
                         {{"scheme", "harmonic-feedforward"},
                          {"frequency_hz", 2},
                          {"harmonics", {1}},
                          {"adaption", {{"law", "rls-simultaneous"}}},
                          {"identification", {{"duration_s", 5}, {"rest_s", 3}}}}}};
    QCOMPARE(steps(stepped, later)[0].measured_s, 9.0);
    QVERIFY(steps(stepped, {{"loop", {{"trials", {{"count", 2}}}}}}).empty());
    const std::vector<SineStep> sine = steps(R"([{"kind":"sine","frequency_hz":4}])");
    QCOMPARE(sine.size(), std::size_t{1});
    QCOMPARE(sine[0].measured_s, 2.0);
    QCOMPARE(sine[0].end_s, 12.25);
    for (const char* other :
         {R"([{"kind":"sine","frequency_hz":4},{"kind":"sine","frequency_hz":5}])", "[]",
          R"([{"kind":"sine","frequency_hz":4},{"kind":"step"}])", R"([{"kind":"sweep","start_hz":1,"end_hz":9}])"})
      QVERIFY2(steps(other).empty(), other);
  }
};

HYB_SUITE(run_identification, RunIdentificationTest)
#include "identification_test.moc"
