// Numbers are taken, shown and copied alike in every language, whole in every size; and what is read from files and
// devices is text.
#include <qwt_text.h>

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDeadlineTimer>
#include <QFile>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QScopeGuard>
#include <QScrollArea>
#include <QSettings>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>
#include <cmath>

#include "core/base/csv.h"
#include "tests/support/gui_session.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"
#include "tests/ui/lagging_run.h"
#include "ui/analyse/analyse_workspace.h"
#include "ui/base/latest_task.h"
#include "ui/base/number_field.h"
#include "ui/base/number_text.h"
#include "ui/base/screen_fit.h"
#include "ui/configure/configure_workspace.h"
#include "ui/document/field_editors.h"
#include "ui/document/project_document.h"
#include "ui/plot/time_plot.h"
#include "ui/plot/time_view.h"
#include "ui/rig/rig_session.h"
#include "ui/rig/rig_workspace.h"
#include "ui/run/tuning_panel.h"
#include "ui/shell/event_line.h"
#include "ui/shell/header_bar.h"
#include "ui/shell/main_window.h"

using namespace hyb;
using namespace hyb::ui;

namespace {

void settle(const QWidget& window) {
  const QDeadlineTimer patience(hyb::test::kHangs_ms);
  QList<QRect> before, now;
  for (int turn = 0; turn < 30; ++turn) {
    QCoreApplication::processEvents();
    while (LatestTask::underWay() > 0 && !patience.hasExpired())
      QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    before = std::exchange(now, {});
    for (const QWidget* widget : window.findChildren<QWidget*>())
      if (widget->isVisible()) now << widget->geometry();
    if (now == before) return;
  }
}

/// Fields of numbers in view that are cut, by themselves or by what they stand in, where nothing scrolls there.
QStringList cutNumbers(const QWidget& window) {
  QStringList cut;
  for (const NumberField* field : window.findChildren<NumberField*>()) {
    if (!field->isVisible()) continue;
    const QString name =
        field->objectName() + QLatin1Char(' ') + field->accessibleName() + QStringLiteral(": ") + field->text();
    if (!field->showsAll()) cut << name;
    const QWidget* inside = field;
    for (const QWidget* outer = field->parentWidget(); outer != nullptr && !inside->isWindow();
         inside = outer, outer = outer->parentWidget()) {
      const auto* area =
          outer->parentWidget() ? qobject_cast<const QAbstractScrollArea*>(outer->parentWidget()) : nullptr;
      if (area != nullptr && area->viewport() == outer && area->horizontalScrollBarPolicy() != Qt::ScrollBarAlwaysOff)
        break;
      const int left = field->mapTo(outer, QPoint()).x();
      if (left < 0 || left + field->width() > outer->width())
        cut << name + QStringLiteral(" in ") + QLatin1String(outer->metaObject()->className());
    }
  }
  return cut;
}

/// One that takes numbers as all do.
void type(QLineEdit* field, const char* text, Qt::Key then = Qt::Key_Return) {
  field->selectAll();
  QTest::keyClick(field, Qt::Key_Delete);
  QTest::keyClicks(field, QString::fromUtf8(text));
  QTest::keyClick(field, then);
}

}  // namespace

class NumbersTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    ui::testing::startGuiSession("numbers");
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
  }
  void cleanupTestCase() { QLocale::setDefault(QLocale::c()); }

  void aNumberIsReadInOneWay_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("number");
    const double none = std::nan("");
    const std::pair<const char*, double> all[] = {
        {"0.25", 0.25},    {"0,25", 0.25},    {"1.250", 1.25}, {"1,250", 1.25}, {" 7 ", 7.0},         {"+3", 3.0},
        {"-2e-3", -2e-3},  {"\u22125", -5},   {".5", 0.5},     {",5", 0.5},     {"5.", 5.0},          {"1E3", 1e3},
        {"1.250,5", none}, {"1,250.5", none}, {"1 000", none}, {"1'000", none}, {"1\u202f000", none}, {"0x10", none},
        {"1e400", none},   {"inf", none},     {"nan", none},   {"", none},      {".", none},          {"2 mm", none},
        {"1.2.5", none},   {"--1", none},     {"1e", none},    {"\u0665", none}};
    for (const auto& [text, number] : all) QTest::newRow(text) << QString::fromUtf8(text) << number;
  }
  void aNumberIsReadInOneWay() {
    QFETCH(QString, text);
    QFETCH(double, number);
    const std::optional<double> read = readNumber(text);
    QCOMPARE(read.has_value(), !std::isnan(number));
    if (read) QCOMPARE(*read, number);
    QCOMPARE(writeNumber(1234567.25), QStringLiteral("1234567.25"));
  }

  void aPanelTakesPointAndCommaAndNothingElse() {
    ValueField field(QStringLiteral("Travel"), QStringLiteral("mm"), 0.001, 1000.0, 5.0);
    field.show();
    QSignalSpy changed(&field, &ValueField::valueChanged);
    type(&field, "1.250");
    QCOMPARE(field.value(), 1.25);
    type(&field, "2,5");
    QCOMPARE(field.value(), 2.5);
    QCOMPARE(field.text(), QStringLiteral("2.5"));
    QCOMPARE(changed.size(), 2);
    for (const char* refused : {"1.2.5", "1 000", "5000", "0", "abc", "", "-1"}) {
      type(&field, refused);
      QVERIFY2(!field.good() && field.property("mark") == "error", refused);
      QVERIFY(field.toolTip().contains("2.5"));
      QCOMPARE(field.text(), QString::fromUtf8(refused));  // to be mended
      QCOMPARE(field.value(), 2.5);
    }
    QCOMPARE(changed.size(), 2);
    type(&field, "3");
    QVERIFY(field.good() && field.property("mark") == "" && field.value() == 3.0);
    field.setValue(1e-9);
    QCOMPARE(field.value(), 0.001);
    field.setValue(1.0 / 3.0);
    QCOMPARE(field.text().toDouble(), field.value());  // what is shown is what holds
  }

  void aTestIsTunedByWhatIsTyped() {
    TuningPanel panel;
    panel.setTunables(
        {{"alpha", "", 0.2, "", 0.0, 1.0, "Adaption."}, {"dead_band", "m", 1e-5, "", 0.0, 1.0, "Dead band."}}, {});
    panel.show();
    panel.setLocked(false);
    const QList<ValueField*> fields = panel.findChildren<ValueField*>();
    QCOMPARE(fields.size(), 2);
    QSignalSpy tuned(&panel, &TuningPanel::tuned);
    type(fields[0], "0.25");
    type(fields[1], "0,12");
    QCOMPARE(tuned.size(), 2);
    QCOMPARE(tuned[0][1].toDouble(), 0.25);
    QVERIFY(std::abs(tuned[1][1].toDouble() - 0.12e-3) < 1e-12);
    type(fields[0], "2");
    type(fields[0], "0.2.5");
    QCOMPARE(tuned.size(), 2);
    for (const QLabel* label : panel.findChildren<QLabel*>())
      if (label->buddy() == fields[0]) QVERIFY(label->text().contains("refused"));
    type(fields[0], "0.3");
    for (const QLabel* label : panel.findChildren<QLabel*>())
      if (label->buddy() == fields[0]) QCOMPARE(label->text(), QStringLiteral("alpha"));
  }

  void theWindowHasOneWidgetForNumbers() {
    MainWindow window;
    window.show();
    QVERIFY(window.open("three-mass"));
    settle(window);
    QCOMPARE(window.findChildren<QAbstractSpinBox*>().size(), 0);
    QVERIFY(window.findChildren<ValueField*>().size() > 10);
    // In a form: what is typed with a comma is shown with a point.
    window.configure()->showSection("/structure");
    settle(window);
    auto* mass = window.findChild<NumberEdit*>(QStringLiteral("/structure/masses/0/mass_kg"));
    if (mass == nullptr)
      for (NumberEdit* each : window.configure()->findChildren<NumberEdit*>())
        if (mass == nullptr && each->isVisible()) mass = each;
    QVERIFY(mass != nullptr);
    mass->setFocus();
    type(mass, "4,75");
    QCOMPARE(mass->text(), QStringLiteral("4.75"));
    const std::string place = mass->objectName().toStdString();
    QCOMPARE(window.document()->at(place)->get<double>(), 4.75);
    QCOMPARE(numberWords(QStringLiteral("0,5 1.5; 2, 3")), QStringList({"0,5", "1.5", "2", "3"}));
  }

  void copiedValuesAreTheSameInEveryLanguage() {
    CsvText csv;
    csv.add("time (s)");
    csv.add("error, trial to trial (dB)");
    csv.add("say \"x\"");
    csv.endRow();
    csv.add(0.25);
    csv.add(-1.5e-7);
    csv.add(std::nan(""));
    csv.endRow();
    QCOMPARE(csv.text(), std::string("time (s),\"error, trial to trial (dB)\",\"say \"\"x\"\"\"\n0.25,-1.5e-07,\n"));
  }

  void noFormCutsANumber_data() {
    QTest::addColumn<QString>("project");
    for (const char* name : {"three-mass", "benchmark-2020-sample", "lumped-aff", "force-shear-building"})
      QTest::newRow(name) << QString::fromLatin1(name);
  }
  void noFormCutsANumber() {
    QFETCH(QString, project);
    MainWindow window;
    window.setUpdatesEnabled(false);
    window.show();
    QVERIFY(window.open(project.toStdString()));
    QStringList cut;
    // At 150 % the window has two thirds of the screen's pixels.
    const QSize sizes[] = {{1024, 600}, {1024, 700}, {1280, 800}, {1920, 1080}, {683, 400}, {853, 533}};
    for (const QSize& size : sizes) {
      window.resize(size);
      const auto look = [&](const QString& page) {
        settle(window);
        if (window.size() != size) cut << QStringLiteral("window %1x%2 for").arg(window.width()).arg(window.height());
        for (const QString& field : cutNumbers(window))
          cut << QStringLiteral("%1x%2 %3: %4").arg(size.width()).arg(size.height()).arg(page, field);
      };
      window.showWorkspace(Room::configure);
      for (const char* section : {"/meta", "/structure", "/partition", "/excitation", "/integrator", "/coupling",
                                  "/compensation", "/rig", "/safety", "/recording", "/loop", "/analysis"}) {
        window.configure()->showSection(section);
        look(QLatin1String(section));
      }
      for (const Room room : {Room::rig, Room::run, Room::fidelity}) {
        window.showWorkspace(room);
        for (QTabWidget* tabs : window.findChildren<QTabWidget*>())
          for (int page = 0; tabs->isVisible() && page < tabs->count(); ++page) {
            tabs->setCurrentIndex(page);
            look(tabs->tabText(page));
          }
      }
    }
    QVERIFY2(cut.isEmpty(), qPrintable(cut.join('\n')));
  }

  void aFieldGrowsWithItsNumberOrMarksItself() {
    ValueField field(QStringLiteral("Stiffness"), QStringLiteral("N/m"), -1e300, 1e300, 9000.0);
    field.setLeastWidth(64);
    field.show();
    for (const char* number : {"9000", "-123456789.123456", "-1.7976931348623157e+299"}) {
      field.setText(QString::fromLatin1(number));
      QCoreApplication::processEvents();
      field.resize(field.minimumWidth(), field.height());
      QVERIFY2(field.showsAll(), number);
    }
    field.setMinimumWidth(0);
    field.resize(60, 28);
    QVERIFY(!field.showsAll());
    field.clearFocus();
    const QImage marked = field.grab().toImage();
    field.setText(QStringLiteral("-1.5976931348623157e+299"));
    field.setMinimumWidth(0);
    field.resize(60, 28);
    QCOMPARE(field.grab().toImage(), marked);  // no part of the number is in the picture
  }

  void theWindowFitsItsScreen_data() {
    QTest::addColumn<QRect>("screen");
    QTest::newRow("1024x600") << QRect(0, 0, 1024, 600);
    QTest::newRow("1024x600 with a panel") << QRect(0, 32, 1024, 568);
    QTest::newRow("1280x800 at 150 %") << QRect(0, 0, 853, 533);
    QTest::newRow("1024x600 at 150 %") << QRect(0, 0, 683, 400);
    QTest::newRow("second screen") << QRect(1920, 100, 1280, 800);
  }
  void theWindowFitsItsScreen() {
    QFETCH(QRect, screen);
    QSettings().clear();
    const auto before = std::exchange(ScreenFit::available, [screen](const QWidget&) { return screen; });
    const auto back = qScopeGuard([&] { ScreenFit::available = before; });
    {
      MainWindow window;
      window.show();
      QVERIFY(QTest::qWaitForWindowExposed(&window));
      for (const char* name : {"three-mass", "benchmark-2020-sample"}) {
        QVERIFY(window.open(name));
        for (int room = 0; room < 5; ++room) {
          window.showWorkspace(static_cast<Room>(room));
          settle(window);
          QVERIFY2(screen.contains(window.frameGeometry()),
                   qPrintable(QStringLiteral("%1 x %2").arg(window.width()).arg(window.height())));
          for (const QWidget* always :
               std::initializer_list<QWidget*>{window.findChild<StopButton*>(), window.findChild<StateChip*>(),
                                               window.findChild<ModeChip*>(), window.eventLine()}) {
            QVERIFY2(always->isVisible() && always->visibleRegion().boundingRect() == always->rect(),
                     qPrintable(QStringLiteral("%1 at %2 of %3")
                                    .arg(QLatin1String(always->metaObject()->className()))
                                    .arg(always->mapTo(&window, QPoint()).x())
                                    .arg(always->width())));
            QVERIFY2(window.rect().contains(QRect(always->mapTo(&window, QPoint()), always->size())),
                     always->metaObject()->className());
          }
        }
      }
    }
  }

  void theLogCoversNothing() {
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    QVERIFY(window.open("three-mass"));
    window.showWorkspace(Room::run);
    Q_EMIT window.eventLine()->logWanted();
    settle(window);
    QCOMPARE(window.size(), QSize(1280, 800));
    const QList<QFrame*> panels = window.findChildren<QFrame*>();
    for (const QFrame* one : panels)
      for (const QFrame* other : panels)
        if (one != other && one->isVisible() && other->isVisible() && one->parent() == other->parent() &&
            one->property("panel").toBool() && other->property("panel").toBool())
          QVERIFY2(!one->geometry().intersects(other->geometry()), other->metaObject()->className());
    for (const QPushButton* button : window.findChildren<QPushButton*>())
      if (button->isVisible())
        QVERIFY2(button->height() >= button->minimumSizeHint().height(), qPrintable(button->text()));
  }

  void connectStaysInItsPlace() {
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    QVERIFY(window.open("three-mass"));
    window.showWorkspace(Room::rig);
    settle(window);
    auto* button = window.findChild<QPushButton*>(QStringLiteral("connect"));
    const QPoint before = button->mapTo(&window, QPoint());
    Q_EMIT window.rig()->session()->told(
        QStringLiteral("The rig does not answer. Check that it is switched on and that the "
                       "cable is plugged in, then connect again."),
        true);
    settle(window);
    QVERIFY(window.findChild<QLabel*>(QStringLiteral("rig-message"))->isVisible());
    QCOMPARE(button->mapTo(&window, QPoint()), before);
  }

  void anExportHasTitleAndLegendAndNoCursors() {
    const QTemporaryDir folder;
    TimeView view;
    TimePlot plot(QStringLiteral("Motion of the wall"), &view);
    const auto run = ui::testing::lagging(20.0, 1.0, 0.0);
    plot.setCurves(motionCurves(run->layout(), 0));
    plot.setSource(run);
    plot.resize(600, 300);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    view.show(5.0, 5.5);
    plot.zoomTo(QwtAxis::YLeft, -2e-4, 1e-2);  // cuts the curves below
    plot.refresh();
    const QString plain = folder.filePath("plain.svg"), cursors = folder.filePath("cursors.svg");
    QCOMPARE(plot.exportTo(plain), QString());
    const auto textOf = [](const QString& name) {
      QFile file(name);
      return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    QVERIFY(textOf(plain).contains("Motion of the wall"));
    for (const LegendEntry& entry : plot.legendEntries())
      QCOMPARE(textOf(plain).contains('>' + entry.text.toUtf8() + '<'), entry.visible);
    plot.toggleCursors();
    plot.refresh();
    QCOMPARE(plot.exportTo(cursors), QString());
    QCOMPARE(textOf(cursors), textOf(plain));
    // Nothing of a curve along the edge where the zoom cut it: the last row of the canvas has as little as one above.
    QCOMPARE(plot.exportTo(folder.filePath("zoomed.png")), QString());
    const QImage image(folder.filePath("zoomed.png"));
    if (qEnvironmentVariableIsSet("HYB_SCREENS")) image.save(qEnvironmentVariable("HYB_SCREENS") + "/zoomed.png");
    int most = 0;
    for (int y = 0; y < image.height(); ++y) {
      int coloured = 0;
      for (int x = 0; x < image.width(); ++x)
        coloured += image.pixel(x, y) == colour(Role::measured, false).rgb() ? 1 : 0;
      most = std::max(most, coloured);
    }
    QVERIFY2(most < image.width() / 4, qPrintable(QString::number(most)));
  }

  void aReadOnlyFileIsToldAndStays() {
    const QTemporaryDir folder;
    TimeView view;
    TimePlot plot(QStringLiteral("Time"), &view);
    const auto run = ui::testing::lagging(20.0, 1.0, 0.0);
    plot.setCurves(motionCurves(run->layout(), 0));
    plot.setSource(run);
    for (const char* kind : {"pdf", "svg", "png"}) {
      const QString name = folder.filePath(QStringLiteral("kept.") + kind);
      QFile file(name);
      QVERIFY(file.open(QIODevice::WriteOnly) && file.write("kept") == 4);
      file.close();
      QVERIFY(file.setPermissions(QFile::ReadOwner));
      QVERIFY2(plot.exportTo(name).contains("read-only"), kind);
      QVERIFY(file.open(QIODevice::ReadOnly));
      QCOMPARE(file.readAll(), QByteArray("kept"));
    }
  }

  void whatIsReadIsText() {
    const QTemporaryDir folder;
    const std::string markup = "<b>bold</b><img src='x.png'><a href='y'>z</a>";
    Json project = templateDocument("three-mass");
    project["meta"]["title"] = markup;
    project["meta"]["description"] = markup;
    project["structure"]["masses"][0]["name"] = markup;
    project["recording"]["folder"] = folder.path().toStdString();
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    const QString plain_file = folder.filePath("p<b>r<b>.json");
    saveDocument(project, plain_file.toStdString());
    QVERIFY(window.open(plain_file.toStdString()));
    const auto look = [&] {
      settle(window);
      for (const QLabel* label : window.findChildren<QLabel*>()) {
        if (!label->isVisible()) continue;
        QVERIFY2(label->textFormat() != Qt::AutoText || !Qt::mightBeRichText(label->text()), qPrintable(label->text()));
        if (label->textFormat() == Qt::RichText)
          QVERIFY2(!label->text().contains("<img") && !label->text().contains("<a "), qPrintable(label->text()));
      }
    };
    for (int room = 0; room < 5; ++room) {
      window.showWorkspace(static_cast<Room>(room));
      look();
      if (QTest::currentTestFailed()) return;
    }
    window.eventLine()->show({}, {}, Severity::warning, QString::fromStdString(markup));
    look();
    // Tooltips, whoever shows them.
    QToolTip::showText(QPoint(10, 10), QString::fromStdString(markup), &window);
    int tips = 0;
    for (const QWidget* widget : QApplication::topLevelWidgets())
      if (const auto* tip = qobject_cast<const QLabel*>(widget); tip != nullptr && tip->windowType() == Qt::ToolTip) {
        ++tips;
        QCOMPARE(tip->textFormat(), Qt::PlainText);
        QCOMPARE(tip->text(), QString::fromStdString(markup));
      }
    QCOMPARE(tips, 1);
    QCOMPARE(QwtText(QString::fromStdString(markup)).textSize(QFont()).height(),
             QwtText(QStringLiteral("plain")).textSize(QFont()).height());
  }
};

HYB_SUITE(numbers, NumbersTest)
#include "numbers_test.moc"
