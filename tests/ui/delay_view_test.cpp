// The critical delay beside the partition, against the report that `stability` prints.
#include <QLabel>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "core/assess/stability_report.h"
#include "resources/resources.h"
#include "tests/support/gui_session.h"
#include "tests/support/suite.h"
#include "ui/configure/configure_workspace.h"
#include "ui/configure/delay_view.h"
#include "ui/document/project_document.h"

using namespace hyb;
using namespace hyb::ui;

class DelayViewTest : public QObject {
  Q_OBJECT
 private:
  std::unique_ptr<ProjectDocument> document_;
  std::unique_ptr<ConfigureWorkspace> workspace_;

 private Q_SLOTS:
  void initTestCase() { testing::startGuiSession("delay-view"); }
  void init() {
    document_ = std::make_unique<ProjectDocument>();
    workspace_ = std::make_unique<ConfigureWorkspace>(document_.get());
    workspace_->resize(1280, 700);
    workspace_->show();
    document_->open("three-mass");
    QTRY_VERIFY(!document_->checking());
  }
  void cleanup() {
    workspace_.reset();
    document_.reset();
  }

  void saysWhatTheReportSays_data() {
    QTest::addColumn<QString>("added");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("as shipped") << ""
                                << "it depends on its compensation, which starts with 6\u2009ms and adapts.";
    QTest::newRow("1 ms added") << "0.001"
                                << "it depends on its compensation, which starts with 6\u2009ms and adapts.";
    QTest::newRow("10 ms added") << "0.01"
                                 << "its compensation starts with 6\u2009ms: unstable until it has adapted.";
  }
  /// An added delay is a part of the loop's, and what an adaptive prediction starts with is taken off.
  void saysWhatTheReportSays() {
    QFETCH(QString, added);
    QFETCH(QString, sentence);
    workspace_->showSection("/compensation");
    if (!added.isEmpty()) {
      auto* field = workspace_->findChild<QLineEdit*>(QStringLiteral("/compensation/added_delay_s"));
      field->setFocus();
      field->selectAll();
      QTest::keyClicks(field, added);
    }
    QTRY_VERIFY(!document_->checking());
    const Json report = stabilityReport(parseProject(document_->json()));
    auto* view = workspace_->findChild<DelayView*>();
    const auto isShown = [&] {
      return view->figures() && view->figures()->delay.latest().remaining_s() == report["delay_s"].get<double>();
    };
    QTRY_VERIFY(isShown());
    const DelayFigures& figures = *view->figures();
    QCOMPARE(figures.critical->delay_s, report["critical_delay_s"].get<double>());
    QCOMPARE(figures.stable, report["stable"].get<bool>());
    QCOMPARE(figures.stable_uncompensated, report["without_compensation"]["stable"].get<bool>());
    QCOMPARE(figures.added_to_s, report["added_delays_to_s"].get<double>());
    Json bears = Json::array();
    for (const DelayInterval& interval : figures.stable_added)
      bears.push_back({{"from", interval.from_s}, {"to", interval.to_s}});
    QCOMPARE(bears.dump(), report["stable_added_delays_s"].dump());

    const auto ms = [](const Json& seconds) {
      return QString::number(1e3 * seconds.get<double>(), 'g', 2) + QStringLiteral("\u2009ms");
    };
    QStringList loop, parts;
    for (std::size_t i = 0; i < 2; ++i) {
      const Json& one = report["actuators"][i];
      const ActuatorDelay& shown = figures.delay.actuators[i];
      QCOMPARE(shown.delay_s, one["delay_s"].get<double>());
      QCOMPARE(shown.lead_s, one["lead_s"].get<double>());
      QCOMPARE(shown.lead_s, 6e-3);  // six ticks
      const QString dof = QString::fromStdString(one["dof"].get<std::string>());
      loop << QStringLiteral("%1 on %2").arg(ms(one["delay_s"]), dof);
      QStringList each;
      for (const Json& part : one["parts"])
        each << QStringLiteral("%1 %2").arg(QString::fromStdString(part["name"].get<std::string>()),
                                            part["delay_s"] < 0.0
                                                ? QStringLiteral("\u2212") + ms(-part["delay_s"].get<double>())
                                                : ms(part["delay_s"]));
      parts << dof + QStringLiteral(": ") + each.join(QStringLiteral(", "));
      const QString on_purpose = QStringLiteral("delay added on purpose ") + ms(added.toDouble());
      QCOMPARE(parts.last().contains(on_purpose), !added.isEmpty());
    }
    // One figure where all round to the same.
    if (loop[0].section(' ', 0, 0) == loop[1].section(' ', 0, 0)) loop = {ms(report["actuators"][0]["delay_s"])};
    QVERIFY2(view->verdict().contains(loop.join(QStringLiteral(", ")) + QStringLiteral(" uncompensated")),
             qPrintable(view->verdict()));
    QVERIFY2(view->verdict().endsWith(sentence), qPrintable(view->verdict()));
    const auto told = [&] {
      const QList<QWidget*> all = view->findChildren<QWidget*>();
      const auto bar =
          std::find_if(all.begin(), all.end(), [](const QWidget* one) { return !one->toolTip().isEmpty(); });
      return bar == all.end() ? QString() : (*bar)->toolTip();
    };
    QCOMPARE(told(), QStringLiteral("Loop delay\n") + parts.join('\n'));
    const Json& tick = report["discrete"];
    const QString radius = QString::number(tick["spectral_radius"].get<double>(), 'f', 5);
    QTRY_VERIFY(view->details().contains(
        QStringLiteral("Tick to tick: radius %1, %2")
            .arg(radius, tick["grows"].get<bool>() ? QStringLiteral("grows") : QStringLiteral("decays"))));
    QVERIFY(
        view->details().contains(QStringLiteral("PSI %1;").arg(QString::number(report["psi"].get<double>(), 'f', 2))));
  }

  /// The program that leads closes the loop: the sentence of the report, the delays, and no critical delay.
  void aTestThatIsLedIsNotCalledUnstable_data() {
    QTest::addColumn<QString>("scheme");
    QTest::newRow("external") << "external";
    QTest::newRow("openfresco") << "openfresco";
  }
  void aTestThatIsLedIsNotCalledUnstable() {
    QFETCH(QString, scheme);
    const std::string page(resourceText("help/coupling/" + scheme.toStdString() + ".md"));
    const std::size_t start = page.find("\n{\n"), end = page.find("\n```", start);
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("led.json"));
    saveDocument(Json::parse(page.substr(start, end - start)), file.toStdString());
    document_->open(file.toStdString());
    QTRY_VERIFY(!document_->checking());
    const Json report = stabilityReport(parseProject(document_->json()));
    auto* view = workspace_->findChild<DelayView*>();
    QTRY_VERIFY(view->figures() && view->figures()->led);
    QTRY_COMPARE(view->verdict(), QString::fromStdString(report["led"]["sentence"].get<std::string>()));
    QCOMPARE(view->findChild<QLabel*>(QStringLiteral("critical-delay"))->text(),
             QStringLiteral("Another program closes the loop"));
    QVERIFY(!view->figures()->critical);
    QCOMPARE(view->figures()->delay.latest().remaining_s(), report["delay_s"].get<double>());
    QVERIFY2(!view->details().contains(QStringLiteral("radius")), qPrintable(view->details()));
    QVERIFY(view->findChild<QLabel*>(QStringLiteral("delay-verdict"))->property("mark") != QVariant("error"));
  }
};

HYB_SUITE(delay_view, DelayViewTest)
#include "delay_view_test.moc"
