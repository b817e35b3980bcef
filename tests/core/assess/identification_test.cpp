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
};

HYB_SUITE(run_identification, RunIdentificationTest)
#include "identification_test.moc"
