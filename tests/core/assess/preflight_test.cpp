#include "core/assess/preflight.h"
#include "core/assess/stability_report.h"

#include <QTest>
#include <cmath>

#include "core/compensation/method.h"
#include "core/project/schema.h"
#include "core/rig/frames_protocol.h"
#include "core/rig/modbus_protocol.h"
#include "core/rig/text_protocol.h"
#include "core/rig/udp_protocol.h"
#include "resources/resources.h"
#include "tests/support/change_protocol.h"
#include "tests/support/family_example.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

Json rigDocument() {
  Json document = templateDocument("three-mass");
  document["rig"]["use"] = "rig";
  document["rig"]["connection"] = {{"protocol", "frames"}, {"address", "tcp://10.0.0.5:7410"}};
  document["rig"]["channels"] = Json::array();
  const auto add = [&](const char* role, int interface) {
    document["rig"]["channels"].push_back({{"name", role[0] + std::to_string(interface)},
                                           {"role", role},
                                           {"interface", interface},
                                           {"calibrated_on", "2026-03-01"},
                                           {"tare", 0.25}});
  };
  for (const int interface : {1, 2})
    for (const char* role : {"command", "displacement", "force"}) add(role, interface);
  document["safety"]["limits"].push_back({{"quantity", "interlock"}, {"action", "stop"}});
  return document;
}

/// The project of the help page of a scheme that another program leads.
Json ledProject(const std::string& scheme) {
  const std::string page(resourceText("help/coupling/" + scheme + ".md"));
  const std::size_t start = page.find("\n{\n"), end = page.find("\n```", start);
  return Json::parse(page.substr(start, end - start));
}

struct Case {
  explicit Case(const Json& document = rigDocument()) : project(parseProject(document)) {}
  PreflightItem item(const char* name) const {
    const PreflightInput input{project, today, &stability, realtime, free_bytes, 1e6, link.get(), readings};
    for (const PreflightItem& item : preflight(input))
      if (item.name == name) return item;
    return {};
  }
  CheckState state(const char* name) const { return item(name).state; }

  Project project;
  std::chrono::year_month_day today{std::chrono::year(2026), std::chrono::month(11), std::chrono::day(22)};
  /// Two actuators of 8 ms each, 6 of them predicted.
  Json stability = {{"critical_delay_s", 0.010},
                    {"delay_s", 0.002},
                    {"stable", true},
                    {"margin_s", 0.008},
                    {"discrete", nullptr},
                    {"actuators",
                     {{{"dof", "m1"}, {"delay_s", 0.008}, {"lead_s", 0.006}},
                      {{"dof", "m2"}, {"delay_s", 0.008}, {"lead_s", 0.006}}}}};
  RealtimeOutcome realtime{Realtime::granted, "granted"};
  std::optional<double> free_bytes = 1e9;
  std::unique_ptr<LinkFigures> link = std::make_unique<LinkFigures>();
  std::vector<AxisReading> readings = {{1e-5, 0.3}, {-2e-5, -0.2}};
};

}  // namespace

class PreflightTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void whatHumLeavesIsToldBeforeArming() {
    QCOMPARE(Case().item("hum").sentence, std::string());
    Json document = templateDocument("cantilever-iterative");
    document["coupling"]["average"].update({{"window", "rectangle"}, {"hum", {{"motion_m", 0.0014}}}});
    document["coupling"]["residual"] = {{"of", "displacement"}, {"tolerance_m", 2e-5}, {"steadiness_m", 1.3e-5}};
    QCOMPARE(Case(document).state("hum"), CheckState::ok);
    document["coupling"]["average"]["periods"] = 10;
    const PreflightItem item = Case(document).item("hum");
    QCOMPARE(item.state, CheckState::warning);
    QVERIFY2(item.sentence.find("exceeds the tolerance of the residual of 0.02 mm") != std::string::npos,
             item.sentence.c_str());
  }

  /// Of every method that has any, as its schema's defaults make it.
  void noiseGainAndPhaseMarginAreToldBeforeArming() {
    for (const CompensationEntry& entry : compensationMethods()) {
      Json document = rigDocument();
      document["compensation"] = test::exampleOf(test::branchOf("compensation", entry.name));
      document["compensation"]["method"] = entry.name;
      if (document["compensation"].contains("library")) continue;  // no default library exists
      Case rig(document);
      rig.stability["phase_margin"] = {{"frequency_hz", 3.6}, {"phase_margin_deg", 41.0}};
      const std::string told = rig.item("compensation").sentence;
      QCOMPARE(told.empty(), !rig.project.compensation.method->acts());
      if (told.empty()) continue;
      QVERIFY2(told.find("oise gain") != std::string::npos, told.c_str());
      QVERIFY2(told.find("Phase margin 41 deg at 3.6 Hz") != std::string::npos, told.c_str());
      rig.stability["phase_margin"] = nullptr;  // of an unstable loop
      QCOMPARE(rig.item("compensation").sentence.find("Phase margin"), std::string::npos);
    }
  }

  void aSoundRigPasses() {
    Case rig;
    for (int k = 0; k < 1000; ++k) rig.link->addRoundTrip(200'000);
    for (const char* name :
         {"limits", "safe state", "calibration", "zero", "place", "stability", "timing", "disk", "link"})
      QVERIFY2(rig.state(name) == CheckState::ok, rig.item(name).sentence.c_str());
  }

  /// Where the rig stands is compared with where the test begins, each axis with what it may read at rest.
  void whereTheRigStandsIsTold() {
    Case rig;
    rig.readings[0] = {-2.55e-3, 11.5};
    QCOMPARE(rig.state("place"), CheckState::warning);
    const std::string told = rig.item("place").sentence;
    QVERIFY2(told.find("interface 1: -2.55 mm, 11.5 N") != std::string::npos, told.c_str());
    QCOMPARE(told.find("interface 2"), std::string::npos);
    const AxisReading rest = restOf(rig.project, 0);
    rig.readings[0] = {0.99 * rest.motion, -0.99 * rest.force};
    QCOMPARE(rig.state("place"), CheckState::ok);
    rig.readings[0] = {0.0, -1.01 * rest.force};
    QCOMPARE(rig.state("place"), CheckState::warning);
    rig.readings[0] = {-1.01 * rest.motion, std::nan("")};
    QCOMPARE(rig.state("place"), CheckState::warning);
    rig.readings.clear();
    QCOMPARE(rig.state("place"), CheckState::unknown);
  }

  /// Templates as shipped have the limits that are asked for; where nothing tracks none is asked for on the gap, which
  /// is open while the commands are identified. A law that feeds the gap back is told.
  void templatesHaveTheirLimits() {
    for (const char* name : {"force-shear-building", "lumped-aff", "two-beams-aff"}) {
      const Case twin(templateDocument(name));
      QVERIFY2(twin.state("limits") == CheckState::ok, twin.item("limits").sentence.c_str());
    }
    Json document = templateDocument("lumped-aff");
    QVERIFY(Case(document).state("stability") == CheckState::ok);
    document["coupling"]["adaption"] = {{"law", "lms"}};
    QVERIFY(Case(document).state("stability") == CheckState::warning);
  }

  void theTwinNeedsNoLinkAndNoCalibration() {
    const Case twin(templateDocument("three-mass"));
    for (const char* name : {"limits", "safe state", "calibration", "zero", "link"})
      QVERIFY(twin.state(name) == CheckState::ok);
  }

  void aSpecimenWithLawsIsNotCalledStable() {
    const Case contact(loadDocument(std::string(test::kSourceDir) + "/tests/data/projects/contact-bump.json"));
    QVERIFY(contact.state("stability") == CheckState::warning);
    QVERIFY(contact.item("stability").sentence.find("without the specimen's laws") != std::string::npos);
  }

  void whatIsAddedToTheCommandIsNotCalledStable() {
    Json document = templateDocument("three-mass");
    document["compensation"]["additions"] = {{{"addition", "fir"}}};
    const Case with(document);
    QVERIFY(with.state("stability") == CheckState::warning);
    QVERIFY(with.item("stability").sentence.find("without the additions to the command") != std::string::npos);
  }

  /// Before the first trial, with the frequency: V-30 and V-31 of Insam's contact, as the template and with 12 Hz.
  void whatIsLearntIsToldBeforeTheFirstTrial() {
    Json document = templateDocument("contact-ilc");
    Case falls(document);
    falls.stability = stabilityReport(falls.project);
    QVERIFY2(falls.state("learning") == CheckState::ok, falls.item("learning").sentence.c_str());
    document["compensation"]["additions"][0]["cutoff_hz"] = 12;
    Case grows(document);
    grows.stability = stabilityReport(grows.project);
    QVERIFY(grows.state("learning") == CheckState::warning);
    const std::string& sentence = grows.item("learning").sentence;
    QVERIFY2(sentence.find("grows") != std::string::npos && sentence.find(" Hz") != std::string::npos,
             sentence.c_str());
    QVERIFY(sentence.find("/loop/trials") != std::string::npos);
  }

  /// Another program closes the loop: no margin and no "unstable" of a loop that is not closed here. Told is what is
  /// known here: how late the rig is, and whether it stands while it is measured. The projects of the help pages.
  void aTestThatAnotherProgramLeadsIsNotCalledUnstable_data() {
    QTest::addColumn<QString>("scheme");
    QTest::addColumn<QString>("changes");
    QTest::addColumn<int>("state");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const char* scheme, const char* changes, CheckState state,
                        const char* sentence) {
      QTest::newRow(name) << scheme << changes << static_cast<int>(state) << sentence;
    };
    row("at rest", "external", "{}", CheckState::ok, "stands for 20 ms at a target");
    row("moves when measured", "external", R"({"/coupling/settle_ticks": 5, %1})", CheckState::warning,
        "5 ms at a target before its values are measured, and is 8 ms late: it still moves. Increase Coupling > "
        "Settle");
    row("in motion", "openfresco", "{}", CheckState::unknown, "is 1 ms late, 10 % of a step of the model.");
    row("in motion, late", "openfresco", "{%1}", CheckState::unknown, "is 8 ms late, 80 % of a step of the model.");
    row("standing", "openfresco", R"({"/coupling/order": 0, "/coupling/settle_ticks": 9, %1})", CheckState::ok,
        "stands for 9 ms at a target before its values are measured, and is 8 ms late.");
    row("standing, too short", "openfresco", R"({"/coupling/order": 0, "/coupling/settle_ticks": 7, %1})",
        CheckState::warning, "Increase Coupling > Settle");
  }
  void aTestThatAnotherProgramLeadsIsNotCalledUnstable() {
    QFETCH(QString, scheme);
    QFETCH(QString, changes);
    QFETCH(int, state);
    QFETCH(QString, sentence);
    Json document = ledProject(scheme.toStdString());
    changes.replace("%1", R"("/rig/actuators": [{"model": "pure-delay", "delay_s": 0.008}])");
    const Json asked = Json::parse(changes.toStdString());
    for (const auto& [place, value] : asked.items()) document[Json::json_pointer(place)] = value;
    Case led(document);
    led.stability = stabilityReport(led.project);
    const PreflightItem item = led.item("stability");
    QVERIFY2(static_cast<int>(item.state) == state, item.sentence.c_str());
    QVERIFY2(item.sentence.starts_with("The program that leads closes the loop."), item.sentence.c_str());
    QVERIFY2(item.sentence.find(sentence.toStdString()) != std::string::npos, item.sentence.c_str());
    QVERIFY2(item.sentence.find("nstable") == std::string::npos, item.sentence.c_str());
    QVERIFY(!led.stability["closes_loop"].get<bool>());
    QVERIFY(led.stability["stable"].is_null() && led.stability["critical_delay_s"].is_null());
    QCOMPARE(led.stability["led"]["sentence"].get<std::string>(), item.sentence);
  }

  /// On a rig, what the link was measured to take counts, too.
  void theLinkOfATestThatIsLedCounts() {
    Json document = ledProject("external");
    const Json rig = rigDocument()["rig"];
    for (const char* key : {"use", "connection"}) document["rig"][key] = rig[key];
    Case led(document);
    led.stability = stabilityReport(led.project);
    for (int k = 0; k < 1000; ++k) led.link->addRoundTrip(30'000'000);
    QVERIFY2(led.state("stability") == CheckState::warning, led.item("stability").sentence.c_str());
  }

  /// A spring that needs more than its actuator has is told before anything moves.
  void aSpringThatAsksForTooMuchIsNamed() {
    const auto itemOf = [](double spring_n_per_m, double stroke_m) {
      Json document = templateDocument("force-shear-building");
      document["loop"]["duration_s"] = 5;
      document["coupling"]["spring_n_per_m"] = spring_n_per_m;
      document["rig"]["actuators"][0]["spring"]["stiffness_n_per_m"] = spring_n_per_m;
      document["rig"]["actuators"][0]["stroke_m"] = stroke_m;
      Case one(document);
      one.stability = stabilityReport(one.project);
      return one.item("spring");
    };
    QCOMPARE(itemOf(541800, 0.063).state, CheckState::ok);
    const PreflightItem beyond = itemOf(541800, 1e-4);
    QCOMPARE(beyond.state, CheckState::bad);
    QVERIFY2(QString::fromStdString(beyond.sentence).contains("of stroke and has 0.1 mm"), beyond.sentence.c_str());
    const PreflightItem soft = itemOf(1e4, 1.0);  // enough of it, but too fast
    QCOMPARE(soft.state, CheckState::bad);
    QVERIFY2(QString::fromStdString(soft.sentence).contains("of velocity"), soft.sentence.c_str());
    QCOMPARE(Case(templateDocument("three-mass")).item("spring").sentence, std::string());
  }

  /// Readings of legs are those of the pose that they hold, without the weight.
  void readingsOfLegs() {
    const Project project = parseProject(templateDocument("stewart"));
    const RigGeometry& geometry = *project.rig.geometry;
    const Pose pose = (Pose() << 0.01, 0.0, -0.02, 0.0, 0.03, 0.0).finished();
    LegValues drawn, lengths;
    legLengths(geometry, Pose::Zero(), drawn);
    legLengths(geometry, pose, lengths);
    std::vector<AxisReading> legs;
    for (Eigen::Index l = 0; l < 6; ++l) legs.push_back({lengths[l] - drawn[l], 0.0});
    const std::vector<AxisReading> axes = interfaceReadings(project, legs);
    QCOMPARE(axes.size(), std::size_t{6});
    for (std::size_t i = 0; i < 6; ++i) QVERIFY(std::abs(axes[i].motion - pose[static_cast<Eigen::Index>(i)]) < 1e-12);
    QVERIFY(std::abs(axes[2].force - 25.0 * 9.80665) < 1e-9);  // cells that feel no weight: something lifts it
    legs.pop_back();
    QVERIFY(interfaceReadings(project, legs).empty());
    const std::vector<AxisReading> two{{1.0, 2.0}, {3.0, 4.0}};
    QCOMPARE(interfaceReadings(parseProject(templateDocument("three-mass")), two).size(), std::size_t{2});
  }

  void reachOfAPlatform() {
    Json document = templateDocument("stewart");
    const PreflightItem item = Case(document).item("geometry");
    QVERIFY(item.state == CheckState::ok);
    QVERIFY2(item.sentence.find("interface 3 (z) reaches from -0.0") != std::string::npos, item.sentence.c_str());
    document["rig"]["geometry"]["legs"][2]["longest_m"] = 0.77;
    const PreflightItem beyond = Case(document).item("geometry");
    QVERIFY(beyond.state == CheckState::warning);
    QVERIFY2(beyond.sentence.find("leg \"leg-3\" would be") != std::string::npos, beyond.sentence.c_str());
    QCOMPARE(Case(templateDocument("three-mass")).item("geometry").sentence, std::string());
  }

  void missingLimitsAreNamed() {
    Json document = rigDocument();
    document["safety"]["limits"].erase(2);  // force
    Case rig(document);
    QVERIFY(rig.state("limits") == CheckState::bad);
    QVERIFY(rig.item("limits").sentence.find("force") != std::string::npos);
    document["rig"]["use"] = "twin";
    QVERIFY(Case(document).state("limits") == CheckState::warning);
    for (Json& limit : document["safety"]["limits"]) limit["action"] = "indicate";
    QVERIFY(Case(document).item("limits").sentence.find("gap") != std::string::npos);
  }

  /// A device that only does what it is told needs to be told to stop.
  void aDeviceThatIsNotToldToStopIsNamed() {
    Case rig;
    QVERIFY(rig.state("safe state") == CheckState::ok);
    rig.project.rig.connection.protocol = protocolOf(TextSpec());
    QVERIFY(rig.state("safe state") == CheckState::bad);
    rig.project.rig.connection.protocol = protocolOf(ModbusSpec());
    QVERIFY(rig.state("safe state") == CheckState::bad);
    rig.project.rig.connection.protocol = protocolOf(ModbusSpec{.stop_registers = {{100, 1}}, .channels = {}});
    QVERIFY(rig.state("safe state") == CheckState::ok);
    TextSpec lines;
    lines.stop = "ABOR";
    rig.project.rig.connection.protocol = protocolOf(lines);
    QVERIFY(rig.state("safe state") == CheckState::ok);
  }

  void oldAndMissingCalibrationsAreNamed() {
    Json document = rigDocument();
    document["rig"]["channels"][0]["calibrated_on"] = "2025-11-21";
    document["rig"]["channels"][1]["calibrated_on"] = "2025-11-22";  // a year ago to the day
    document["rig"]["channels"][2].erase("calibrated_on");
    const PreflightItem item = Case(document).item("calibration");
    QVERIFY(item.state == CheckState::warning);
    QVERIFY(item.sentence.find("c1 (2025-11-21)") != std::string::npos);
    QVERIFY(item.sentence.find("d1") == std::string::npos);
    QVERIFY(item.sentence.find("f1") != std::string::npos);
  }

  void sensorsWithoutTareAreNamed() {
    Json document = rigDocument();
    document["rig"]["channels"][0].erase("tare");  // a command needs none
    document["rig"]["channels"][5].erase("tare");
    const PreflightItem item = Case(document).item("zero");
    QVERIFY(item.state == CheckState::warning);
    QVERIFY(item.sentence.starts_with("Not zeroed: f2."));
  }

  /// 8 ms of delay, 6 ticks of it predicted: 2 ms left of 10 ms. A link of 9 ms uses up the rest.
  void theMeasuredLinkCountsForStability() {
    Case rig;
    QVERIFY(rig.state("stability") == CheckState::ok);
    QVERIFY2(rig.item("stability").sentence.starts_with("Delay margin 8 ms"), rig.item("stability").sentence.c_str());
    rig.link->addRoundTrip(6'500'000);  // in the bin up to 6.9 ms
    QVERIFY(rig.state("stability") == CheckState::warning);
    rig.project.rig.connection.delay_s = 0.001;  // the project's own figure, part of the report already
    QVERIFY(rig.state("stability") == CheckState::ok);
    rig.project.rig.connection.delay_s = 0.0;
    for (int k = 0; k < 10; ++k) rig.link->addRoundTrip(9'000'000);
    QVERIFY(rig.state("stability") == CheckState::bad);
    rig.stability["margin_s"] = nullptr;
    QVERIFY(rig.state("stability") == CheckState::ok);
    rig.stability["stable"] = false;
    QVERIFY(rig.state("stability") == CheckState::bad);
  }

  /// Two actuators of unequal delay: their mean would be within the critical delay, the loop is not stable, and the
  /// report, from tick to tick too, and the list say so.
  void unequalDelaysAreNotAveraged() {
    Json document = templateDocument("three-mass");
    document["compensation"] = {{"method", "none"}};
    Json& actuators = document["rig"]["actuators"];
    actuators[0] = {{"model", "pure-delay"}, {"delay_s", 0.001}};
    actuators[1] = {{"model", "pure-delay"}, {"delay_s", 0.0115}};
    Case twin(document);
    twin.stability = stabilityReport(twin.project);
    const double mean_s = 0.5 * (0.001 + 0.0115);
    QVERIFY(mean_s < twin.stability["critical_delay_s"].get<double>());
    QVERIFY(twin.stability["discrete"]["growth_per_s"].get<double>() > 0.0);
    QVERIFY(!twin.stability["stable"].get<bool>());
    QVERIFY2(twin.state("stability") == CheckState::bad, twin.item("stability").sentence.c_str());
    QVERIFY2(twin.item("stability").sentence.find("11.5 ms") != std::string::npos,
             twin.item("stability").sentence.c_str());
  }

  void slowAndFaultyLinksWarn() {
    Case rig;
    QVERIFY(rig.state("link") == CheckState::unknown);
    rig.link->addRoundTrip(300'000);
    QVERIFY(rig.state("link") == CheckState::ok);
    rig.link->corrupt = 1;
    QVERIFY(rig.state("link") == CheckState::warning);
    rig.link->corrupt = 0;
    for (int k = 0; k < 10; ++k) rig.link->addRoundTrip(1'500'000);
    QVERIFY(rig.state("link") == CheckState::warning);
  }

  /// An answer of a target that leads comes with its next datagram: a period later, and that is not late.
  void aTargetThatLeadsAnswersAPeriodLater() {
    Case rig;
    for (int k = 0; k < 1000; ++k) rig.link->addRoundTrip(1'100'000);
    UdpSpec udp;
    rig.project.rig.connection.protocol = protocolOf(udp);
    QVERIFY(rig.state("link") == CheckState::warning);
    udp.leads = TickBegin::target;
    rig.project.rig.connection.protocol = protocolOf(udp);
    QVERIFY2(rig.state("link") == CheckState::ok, rig.item("link").sentence.c_str());
    for (int k = 0; k < 1000; ++k) rig.link->addRoundTrip(3'100'000);
    QVERIFY(rig.state("link") == CheckState::warning);
  }

  /// A round trip of 2.5 ms once in a thousand: a time-out of 3 ms ends healthy tests, and the line says what would
  /// not.
  void aTimeOutNearTheRoundTripIsNamed() {
    Case rig;
    ConnectionSpec& connection = rig.project.rig.connection;
    QVERIFY(connection.protocol->timeoutTicks() >= 20);  // what a project says that says nothing
    for (int k = 0; k < 995; ++k) rig.link->addRoundTrip(300'000);
    for (int k = 0; k < 5; ++k) rig.link->addRoundTrip(2'500'000);  // in the bin up to 2.9 ms
    QVERIFY(rig.state("link") == CheckState::ok);
    Change<FramesSpec>(connection)->timeout_ticks = 3;
    const PreflightItem close = rig.item("link");
    QVERIFY(close.state == CheckState::warning);
    for (const char* words : {"2.9 ms", "time-out of the link is 3 ms", "Set \"Link timeout\" to 15 ticks"})
      QVERIFY2(close.sentence.find(words) != std::string::npos, close.sentence.c_str());
    Change<FramesSpec>(connection)->timeout_ticks = 14;
    QVERIFY(rig.state("link") == CheckState::warning);
    Change<FramesSpec>(connection)->timeout_ticks = 15;
    QVERIFY(rig.state("link") == CheckState::ok);
    Change<FramesSpec>(connection)->timeout_ticks = 2;
    QVERIFY(rig.state("link") == CheckState::bad);
    rig.project.rig.connection.protocol = protocolOf(TextSpec());  // no such field
    QVERIFY(rig.state("link") == CheckState::ok);
  }

  /// The same link: a limit that ends the test after 2 ms without new data would end healthy ones.
  void aLimitOnStaleDataNearTheRoundTripIsNamed() {
    Case rig;
    for (int k = 0; k < 995; ++k) rig.link->addRoundTrip(300'000);
    for (int k = 0; k < 5; ++k) rig.link->addRoundTrip(2'500'000);                     // in the bin up to 2.9 ms
    QVERIFY2(rig.state("link") == CheckState::ok, rig.item("link").sentence.c_str());  // as the template comes
    std::vector<Limit>& limits = rig.project.limits;
    const auto stale =
        std::find_if(limits.begin(), limits.end(), [](const Limit& l) { return l.quantity->of_silence; });
    QVERIFY(stale != limits.end());
    stale->threshold = 2.0;
    QVERIFY(rig.state("link") == CheckState::bad);
    const std::string place =
        "/safety/limits/" + std::to_string(stale - limits.begin()) + "/threshold_ticks) to 7 ticks";
    for (const std::string& words : {std::string("stale data acts after 2 ms"), place})
      QVERIFY2(rig.item("link").sentence.find(words) != std::string::npos, rig.item("link").sentence.c_str());
    stale->threshold = 6.0;
    QVERIFY(rig.state("link") == CheckState::warning);
    stale->threshold = 7.0;
    QVERIFY(rig.state("link") == CheckState::ok);
    stale->threshold = 2.0;
    stale->action = Action::indicate;
    QVERIFY(rig.state("link") == CheckState::ok);
  }

  void timingAndDisk() {
    Case rig;
    rig.realtime = {Realtime::refused, "not granted: no permission"};
    QVERIFY(rig.state("timing") == CheckState::warning);
    rig.realtime = {Realtime::granted, "granted"};
    QVERIFY(rig.state("timing") == CheckState::ok);
    rig.realtime = {};
    QVERIFY(rig.state("timing") == CheckState::unknown);
    rig.free_bytes = 5e5;
    QVERIFY(rig.state("disk") == CheckState::bad);
    rig.free_bytes.reset();
    QVERIFY(rig.state("disk") == CheckState::unknown);
  }
};

HYB_SUITE(preflight, PreflightTest)
#include "preflight_test.moc"
