// The Configure workspace, driven through its widgets.
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <set>

#include "core/compensation/method.h"
#include "tests/support/gui_session.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"
#include "ui/base/theme.h"
#include "ui/configure/configure_workspace.h"
#include "ui/configure/delay_view.h"
#include "ui/configure/schematic.h"
#include "ui/document/field_editors.h"
#include "ui/document/project_document.h"
#include "ui/document/schema_tools.h"

using namespace hyb;
using namespace hyb::ui;

// Prints both sides when they differ.
#define COMPARE_JSON(actual, expected) \
  QCOMPARE(QString::fromStdString((actual).dump()), QString::fromStdString((expected).dump()))

class ConfigureTest : public QObject {
  Q_OBJECT
 private:
  ProjectDocument* document_ = nullptr;
  ConfigureWorkspace* workspace_ = nullptr;

  template <typename Widget>
  Widget* find(const char* name) {
    return workspace_->findChild<Widget*>(QString::fromLatin1(name));
  }
  Json at(const char* pointer) {
    const Json* value = document_->at(pointer);
    return value ? *value : Json();
  }
  void type(QLineEdit* edit, const QString& text) {
    edit->setFocus();
    edit->selectAll();
    QTest::keyClicks(edit, text);
  }
  void pick(QComboBox* combo, const QString& data) {
    const int index = combo->findData(data);
    QVERIFY2(index >= 0, qPrintable(data));
    combo->setCurrentIndex(index);
    Q_EMIT combo->activated(index);
  }
  void awaitCheck() {
    QTRY_VERIFY(!document_->checking());
    QCoreApplication::processEvents();
  }
  std::vector<std::string> issuePlaces() {
    std::vector<std::string> places;
    for (const Issue& issue : document_->issues()) places.push_back(issue.where);
    return places;
  }

 private Q_SLOTS:
  void initTestCase() { testing::startGuiSession("configure"); }

  void init() {
    document_ = new ProjectDocument;
    {
      const StyledAtTheEnd unstyled;
      workspace_ = new ConfigureWorkspace(document_);
    }
    workspace_->resize(1280, 700);
    workspace_->show();
    document_->open("three-mass");
    awaitCheck();
  }

  void cleanup() {
    delete workspace_;
    delete document_;
  }

  void templateIsValidAndHasCriticalDelay() {
    QVERIFY(document_->issues().empty());
    auto* delay = workspace_->findChild<DelayView*>();
    QTRY_VERIFY(delay->figures().has_value());
    QVERIFY2(delay->figures()->failed.isEmpty(), qPrintable(delay->figures()->failed));
    QVERIFY(delay->figures()->critical.has_value());
    // Reference note, check W-4: 0.1 %.
    QVERIFY(std::abs(delay->figures()->critical->delay_s - 6.475e-3) < 6.5e-6);
    QVERIFY(std::abs(delay->figures()->critical->frequency_hz - 14.396) < 0.0144);
    QVERIFY(find<QLabel>("critical-delay")->text().contains(QStringLiteral("6.47")) ||
            find<QLabel>("critical-delay")->text().contains(QStringLiteral("6.48")));
    QVERIFY(delay->verdict().contains(QStringLiteral("compensation")));
    // What was said of one project is not said of the next.
    const QString headline = find<QLabel>("critical-delay")->text();
    document_->open("benchmark-2020-sample");
    QVERIFY(!delay->figures());
    QVERIFY(find<QLabel>("critical-delay")->text() != headline);
    QTRY_VERIFY(delay->figures().has_value());
  }

  /// Actuators stand at the degrees of freedom in the order in which these are written.
  void actuatorsKeepTheOrderAsWritten() {
    document_->set("/partition",
                   Json::parse(R"({"by": "dofs", "physical": ["m3"], "interface": ["m2", "m1"], "share": 0})"));
    awaitCheck();
    auto* delay = workspace_->findChild<DelayView*>();
    QTRY_VERIFY(delay->details().contains(QStringLiteral("Actuators: 1 on m2, 2 on m1")));
  }

  /// Contact makes this loop swing up; what is said of the linear part alone is not shown as good.
  void aSpecimenWithLawsHasNoGreenVerdict() {
    document_->open(std::string(test::kSourceDir) + "/tests/data/projects/contact-bump.json");
    auto* delay = workspace_->findChild<DelayView*>();
    QTRY_VERIFY(delay->figures().has_value());
    QVERIFY(delay->figures()->without_laws && !delay->figures()->critical);
    QVERIFY(delay->verdict().contains(QStringLiteral("laws")));
    QVERIFY(find<QLabel>("delay-verdict")->property("mark").toString() != QStringLiteral("ok"));
  }

  /// Where no actuator goes after the computed motion no delay is said to be critical, and none is drawn.
  void whatDoesNotTrackHasNoCriticalDelay() {
    document_->open("lumped-aff");
    auto* delay = workspace_->findChild<DelayView*>();
    QTRY_VERIFY(delay->figures().has_value());
    QVERIFY2(delay->figures()->failed.isEmpty(), qPrintable(delay->figures()->failed));
    QVERIFY(delay->verdict().contains(QStringLiteral("No actuator follows")));
    QVERIFY(!find<QLabel>("critical-delay")->text().contains(QStringLiteral("Critical")));
    QVERIFY(find<QLabel>("delay-verdict")->property("mark").toString() != QStringLiteral("ok"));
    QVERIFY(!delay->details().contains(QStringLiteral("PSI")) && !delay->details().contains(QStringLiteral("Tick")));
  }

  /// A reduction says how far it holds: with five clamped modes, the sixth at 514 Hz missing, well beyond the sweep.
  void reductionsSayHowFarTheyHold() {
    document_->open("cantilever-iterative");
    auto* delay = workspace_->findChild<DelayView*>();
    QTRY_VERIFY(delay->figures().has_value());
    const auto& reduced = delay->figures()->specimen_reduction;
    QVERIFY(reduced && reduced->kept == 7);
    QVERIFY2(reduced->good_hz >= 100.0 && reduced->good_hz < 500.0, qPrintable(QString::number(reduced->good_hz)));
    QVERIFY2(
        delay->details().contains(QStringLiteral("stiffness within 1\u2009% up to %1\u2009Hz").arg(reduced->good_hz)),
        qPrintable(delay->details()));
  }

  /// The form of an addition comes from its branch; what the figures leave out is said.
  void additionsHaveTheirFormAndAreNotInTheFigures() {
    document_->open(std::string(test::kSourceDir) + "/tests/data/projects/contact-fir.json");
    auto* delay = workspace_->findChild<DelayView*>();
    QTRY_VERIFY(delay->figures().has_value());
    QVERIFY(delay->verdict().contains(QStringLiteral("Without the additions to the command")));
    QVERIFY(find<QLabel>("delay-verdict")->property("mark").toString() != QStringLiteral("ok"));
    workspace_->showSection("/compensation");
    for (const char* field : {"at", "limit_m", "taps", "step_size", "leakage", "shown_coefficients"})
      QVERIFY2(workspace_->findChild<QWidget*>(QStringLiteral("/compensation/additions/0/") + QLatin1String(field)),
               field);
    QCOMPARE(find<QLineEdit>("/compensation/additions/0/step_size")->text(), QStringLiteral("0.1"));
  }

  /// What may be left out is not asked for: a project that is valid has no field in red.
  void aValidProjectShowsNoErrorInAnyForm() {
    auto* sections = find<QListWidget>("sections");
    std::set<std::string> seen;  // sections that templates share have one form
    for (const Template& shipped : templates()) {
      document_->open(shipped.name);
      awaitCheck();
      QVERIFY(document_->issues().empty());
      for (int i = 0; i < sections->count(); ++i) {
        const QString title = sections->item(i)->text();
        const Json* section = document_->at("/" + title.toLower().toStdString());
        if (!seen.insert(title.toStdString() + (section != nullptr ? section->dump() : "")).second) continue;
        sections->setCurrentRow(i);
        for (const QWidget* field : workspace_->findChildren<QWidget*>())
          if (field->objectName().startsWith(QLatin1Char('/')))
            QVERIFY2(field->property("mark").toString() != QStringLiteral("error"),
                     qPrintable(QString::fromStdString(shipped.name) + field->objectName()));
      }
    }
  }

  void everySectionMakesAFormWithLabelsAndNames() {
    auto* sections = find<QListWidget>("sections");
    QCOMPARE(sections->count(), 12);
    for (int i = 0; i < sections->count(); ++i) {
      sections->setCurrentRow(i);
      const auto edits = workspace_->findChildren<QLineEdit*>();
      for (const QLineEdit* edit : edits)
        if (edit->objectName().startsWith(QLatin1Char('/'))) {
          QVERIFY2(!edit->accessibleName().isEmpty(), qPrintable(edit->objectName()));
          QVERIFY2(!edit->accessibleDescription().isEmpty(), qPrintable(edit->objectName()));
          QVERIFY2(edit->height() >= 28 || !edit->isVisible(), qPrintable(edit->objectName()));
        }
    }
  }

  void wrongMassShowsAtTheFieldAndInTheListAndIsUndone() {
    workspace_->showSection("/structure");
    auto* edit = find<QLineEdit>("/structure/masses/0/mass_kg");
    QVERIFY(edit);
    type(edit, QStringLiteral("-1"));
    COMPARE_JSON(at("/structure/masses/0/mass_kg"), Json(-1));
    QCOMPARE(edit->property("mark").toString(), QStringLiteral("error"));  // at once, before the whole is checked
    awaitCheck();
    const auto places = issuePlaces();
    QVERIFY(std::find(places.begin(), places.end(), "/structure/masses/0/mass_kg") != places.end());
    auto* list = find<QListWidget>("issues");
    QVERIFY(list->isVisible());
    QVERIFY(list->item(0)->text().contains(QStringLiteral("/structure/masses/0/mass_kg")));
    QVERIFY(!find<QListWidget>("sections")->item(1)->icon().isNull());

    document_->undoStack()->undo();  // typing "-1" was one step
    COMPARE_JSON(at("/structure/masses/0/mass_kg"), Json(2.2));
    awaitCheck();
    QVERIFY(document_->issues().empty());
    QCOMPARE(find<QLineEdit>("/structure/masses/0/mass_kg")->text(), QStringLiteral("2.2"));
    QCOMPARE(edit->property("mark").toString(), QString());
    QVERIFY(!document_->modified());
  }

  void undoKeyWorksWhileAFieldHasTheFocus() {
    workspace_->showSection("/loop");
    auto* undo = document_->undoStack()->createUndoAction(workspace_);
    undo->setShortcut(Qt::CTRL | Qt::Key_Z);
    workspace_->addAction(undo);
    workspace_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(workspace_));
    auto* edit = find<QLineEdit>("/loop/rate_hz");
    type(edit, QStringLiteral("2000"));
    COMPARE_JSON(at("/loop/rate_hz"), Json(2000));
    QTest::keyClick(edit, Qt::Key_Z, Qt::ControlModifier);
    COMPARE_JSON(at("/loop/rate_hz"), Json(1000));
    QCOMPARE(edit->text(), QStringLiteral("1000"));
  }

  void numbersAreTakenInManyForms_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("value");
    QTest::newRow("plain") << "3.5" << 3.5;
    QTest::newRow("decimal comma") << "3,5" << 3.5;
    QTest::newRow("engineering") << "35e-1" << 3.5;
    QTest::newRow("capital") << "0.35E1" << 3.5;
    QTest::newRow("spaces") << " 3.5 " << 3.5;
  }
  void numbersAreTakenInManyForms() {
    QFETCH(QString, text);
    QFETCH(double, value);
    workspace_->showSection("/structure");
    type(find<QLineEdit>("/structure/masses/1/mass_kg"), text);
    QCOMPARE(at("/structure/masses/1/mass_kg").get<double>(), value);
  }

  void unreadableTextNeverReachesTheDocument_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"abc", "1.2.3", "nan", "inf", "1e999", "--1", "2 kg"}) QTest::newRow(text) << text;
  }
  void unreadableTextNeverReachesTheDocument() {
    QFETCH(QString, text);
    workspace_->showSection("/loop");
    auto* edit = find<QLineEdit>("/loop/duration_s");
    edit->setFocus();
    edit->clear();
    edit->setText(text);
    Q_EMIT edit->textEdited(text);
    COMPARE_JSON(at("/loop/duration_s"), Json(30));
    QCOMPARE(edit->property("mark").toString(), QStringLiteral("error"));
    Q_EMIT edit->editingFinished();
    QCOMPARE(edit->text(), QStringLiteral("30"));  // what holds comes back
    QCOMPARE(edit->property("mark").toString(), QString());
  }

  void emptyOptionalFieldFallsBackToItsDefault() {
    workspace_->showSection("/loop");
    auto* edit = find<QLineEdit>("/loop/soft_start_s");
    edit->setFocus();
    edit->selectAll();
    QTest::keyClick(edit, Qt::Key_Delete);
    QVERIFY(!document_->at("/loop/soft_start_s"));
    QCOMPARE(edit->placeholderText(), QStringLiteral("2"));
    awaitCheck();
    QVERIFY(document_->issues().empty());
  }

  void compensatorChangesThroughTheChoiceAndKeepsItsValues() {
    workspace_->showSection("/compensation");
    pick(find<QComboBox>("/compensation/method"), QStringLiteral("forward-prediction"));
    COMPARE_JSON(at("/compensation/method"), Json("forward-prediction"));
    COMPARE_JSON(at("/compensation/points"), Json(8));
    COMPARE_JSON(at("/compensation/prediction_ticks"), Json::parse("[6, 6]"));
    QVERIFY(!document_->at("/compensation/alpha"));
    QVERIFY(find<QLabel>("noise-gain")->text().contains(QStringLiteral("Noise gain")));
    awaitCheck();
    QVERIFY(document_->issues().empty());

    pick(find<QComboBox>("/compensation/method"), QStringLiteral("none"));
    COMPARE_JSON(at("/compensation"), Json::parse(R"({"method": "none"})"));
    QVERIFY(!find<QLabel>("noise-gain")->isVisible());
    awaitCheck();
    QVERIFY(document_->issues().empty());
    auto* delay = workspace_->findChild<DelayView*>();
    QTRY_VERIFY(delay->verdict().contains(QStringLiteral("needs compensation")));

    pick(find<QComboBox>("/compensation/method"), QStringLiteral("adaptive-forward-prediction"));
    COMPARE_JSON(at("/compensation/alpha"), Json(0.2));  // as it was before
    for (int i = 0; i < 3; ++i) document_->undoStack()->undo();
    QVERIFY(!document_->modified());
  }

  void noiseGainFollowsTheSettings() {
    // Reference note, section 4: gain 11.8 at P = 9 with n 8, N 2; 41 with n 10, N 3.
    Json compensation =
        Json::parse(R"({"points": 8, "order": 2, "method": "forward-prediction", "prediction_ticks": 9})");
    QVERIFY2(compensationRemarks(compensation).contains(QStringLiteral("Noise gain 11.8")),
             qPrintable(compensationRemarks(compensation)));
    compensation["points"] = 10;
    compensation["order"] = 3;
    QVERIFY(compensationRemarks(compensation).contains(QStringLiteral("Noise gain 41")));
    compensation["points"] = 2;
    QVERIFY(compensationRemarks(compensation).isEmpty());  // order 3 through 2 points
  }

  void oneMethodForAllBecomesOneForEachAndBack() {
    workspace_->showSection("/compensation");
    QTRY_COMPARE(document_->interfaceDofs().size(), std::size_t{2});
    const Json before = at("/compensation");
    document_->set("/compensation/prediction_ticks", Json::array({6, 7}));
    QTRY_VERIFY(find<QCheckBox>("/compensation#each")->isEnabled());
    QTest::mouseClick(find<QCheckBox>("/compensation#each"), Qt::LeftButton, {}, {8, 8});
    COMPARE_JSON(at("/compensation/0/prediction_ticks"), Json(6));
    COMPARE_JSON(at("/compensation/1/prediction_ticks"), Json(7));
    pick(find<QComboBox>("/compensation/1/method"), QStringLiteral("inverse-model"));
    COMPARE_JSON(at("/compensation/1/denominator"), Json::array({1, 100}));
    QTRY_VERIFY(!document_->checking());
    QVERIFY2(document_->issues().empty(), document_->issues().empty() ? "" : document_->issues()[0].message.c_str());
    QTest::mouseClick(find<QCheckBox>("/compensation#each"), Qt::LeftButton, {}, {8, 8});
    COMPARE_JSON(at("/compensation/method"), before["method"]);
    COMPARE_JSON(at("/compensation/prediction_ticks"), Json(6));
    while (document_->modified()) document_->undoStack()->undo();
  }

  /// Each is chosen with the settings that the form fills in: they hold together, and what is to be known is told.
  void everyMethodCanBeChosen() {
    workspace_->showSection("/compensation");
    for (const CompensationEntry& entry : compensationMethods()) {
      const QString name = QString::fromUtf8(entry.name.data(), static_cast<int>(entry.name.size()));
      pick(find<QComboBox>("/compensation/method"), name);
      COMPARE_JSON(at("/compensation/method"), Json(entry.name));
      awaitCheck();
      const auto& issues = document_->issues();
      if (entry.name != "plug-in")  // its library is not there
        QVERIFY2(issues.empty(), issues.empty() ? "" : (issues[0].where + ": " + issues[0].message).c_str());
      QCOMPARE(workspace_->helpPage(), "compensation/" + name);
      if (issues.empty() && entry.name != "none")
        QVERIFY2(find<QLabel>("noise-gain")->text().contains(QStringLiteral("Noise gain")), qPrintable(name));
    }
    while (document_->modified()) document_->undoStack()->undo();
  }

  void helpOpensThePageOfTheChosenMethod() {
    workspace_->showSection("/compensation");
    pick(find<QComboBox>("/compensation/method"), QStringLiteral("inverse-model"));
    QCOMPARE(workspace_->helpPage(), QStringLiteral("compensation/inverse-model"));
    while (document_->modified()) document_->undoStack()->undo();
    QCOMPARE(workspace_->helpPage(), QStringLiteral("compensation/adaptive-forward-prediction"));
  }

  void oneValueForAllBecomesOneForEachAndBack() {
    workspace_->showSection("/compensation");
    QTest::mouseClick(find<QToolButton>("/compensation/prediction_ticks#each"), Qt::LeftButton);
    COMPARE_JSON(at("/compensation/prediction_ticks"), Json(6));
    type(find<QLineEdit>("/compensation/prediction_ticks"), QStringLiteral("7"));
    QTest::mouseClick(find<QToolButton>("/compensation/prediction_ticks#each"), Qt::LeftButton);
    COMPARE_JSON(at("/compensation/prediction_ticks"), Json::parse("[7, 7]"));
  }

  void rowsAreAddedAndRemoved() {
    workspace_->showSection("/safety");
    const std::size_t before = at("/safety/limits").size();
    QTest::mouseClick(find<QPushButton>("/safety/limits/-"), Qt::LeftButton);
    QCOMPARE(at("/safety/limits").size(), before + 1);
    const std::string added = "/safety/limits/" + std::to_string(before);
    pick(find<QComboBox>((added + "/quantity").c_str()), QStringLiteral("force"));
    QVERIFY(document_->at(added + "/threshold_n"));
    QTest::mouseClick(find<QToolButton>((added + "#remove").c_str()), Qt::LeftButton);
    QCOMPARE(at("/safety/limits").size(), before);
  }

  void addedMassGetsAFreeName() {
    workspace_->showSection("/structure");
    QTest::mouseClick(find<QPushButton>("/structure/masses/-"), Qt::LeftButton);
    COMPARE_JSON(at("/structure/masses/3/name"), Json("mass-4"));
    COMPARE_JSON(at("/structure/masses/3/mass_kg"), Json(2.2));
  }

  void newNameIsFollowedByWhatRefersToIt() {
    workspace_->showSection("/structure");
    auto* edit = find<QLineEdit>("/structure/masses/1/name");
    type(edit, QStringLiteral("middle"));
    QTest::keyClick(edit, Qt::Key_Return);
    COMPARE_JSON(at("/structure/links/1/to"), Json("middle"));
    COMPARE_JSON(at("/structure/links/2/from"), Json("middle"));
    COMPARE_JSON(at("/partition/physical/0"), Json("middle"));
    awaitCheck();
    QVERIFY(document_->issues().empty());
    document_->undoStack()->undo();
    COMPARE_JSON(at("/structure/links/1/to"), Json("m3"));
    QVERIFY(!document_->modified());
  }

  void fieldThatGoesWithItsFormWritesNothing() {
    workspace_->showSection("/structure");
    QTest::mouseClick(find<QPushButton>("/structure/masses/-"), Qt::LeftButton);
    workspace_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(workspace_));
    find<QLineEdit>("/structure/masses/3/name")->setFocus();
    document_->undoStack()->undo();  // the form is made anew without the row that has the focus
    QCOMPARE(at("/structure/masses").size(), std::size_t{3});
    QVERIFY(!document_->modified());
    QVERIFY(document_->undoStack()->canRedo());
  }

  void takenNameDoesNotMergeReferences() {
    document_->rename("/structure/masses/0/name", "m3");
    COMPARE_JSON(at("/structure/links/0/to"), Json("m1"));
    awaitCheck();
    QVERIFY(!document_->issues().empty());
  }

  void clickInTheDrawingMovesElementsBetweenTheSides() {
    auto* drawing = workspace_->findChild<Schematic*>();
    QTest::mouseClick(drawing, Qt::LeftButton, {}, drawing->centreOf("k1"));
    QVERIFY(!document_->isPhysical("k1"));  // only while the section is open
    workspace_->showSection("/partition");
    QTest::mouseClick(drawing, Qt::LeftButton, {}, drawing->centreOf("m2"));
    QVERIFY(document_->isPhysical("m2"));
    QVERIFY(find<QCheckBox>("/partition/physical#m2")->isChecked());
    auto* box = find<QCheckBox>("/partition/physical#m2");
    QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
    QVERIFY(!document_->isPhysical("m2"));
    QTest::mouseClick(drawing, Qt::LeftButton, {}, drawing->centreOf("k32"));
    QVERIFY(!document_->isPhysical("k32"));
    document_->undoStack()->undo();
    QVERIFY(document_->isPhysical("k32"));
    workspace_->setReadOnly(true);
    QTest::mouseClick(drawing, Qt::LeftButton, {}, drawing->centreOf("m2"));
    QVERIFY(!document_->isPhysical("m2"));
  }

  void drawingCanBeUsedByKeys() {
    workspace_->showSection("/partition");
    auto* drawing = workspace_->findChild<Schematic*>();
    drawing->setFocus();
    for (int i = 0; i < 3; ++i) QTest::keyClick(drawing, Qt::Key_Right);
    const Json before = at("/partition/physical");
    QTest::keyClick(drawing, Qt::Key_Return);
    QVERIFY(at("/partition/physical") != before || at("/partition/physical").size() != before.size());
    QVERIFY(drawing->accessibleDescription().contains(QStringLiteral("k31")));
  }

  void goToFieldOpensTheSectionAndTheField() {
    document_->set("/rig/actuators/1/damping_ratio", Json(-2));
    awaitCheck();
    workspace_->goTo("/rig/actuators/1/damping_ratio");
    QCOMPARE(workspace_->section(), std::string("/rig"));
    auto* edit = find<QLineEdit>("/rig/actuators/1/damping_ratio");
    QVERIFY(edit);
    QCOMPARE(workspace_->focusWidget(), edit);
  }

  void alternativesSwapTheirKeys() {
    workspace_->showSection("/excitation");
    auto* choice = find<QComboBox>("/excitation/loads/1#alternative");
    QVERIFY(choice);
    pick(choice, QStringLiteral("mass"));
    QVERIFY(!document_->at("/excitation/loads/1/support"));
    COMPARE_JSON(at("/excitation/loads/1/mass"), Json("m1"));
  }

  void everyKindOfSignalMakesAForm() {
    workspace_->showSection("/excitation");
    for (const char* kind :
         {"multi-sine", "band-sines", "band-noise", "stepped-sine", "sweep", "square", "ground-motion", "sine"}) {
      pick(find<QComboBox>("/excitation/signals/0/kind"), QString::fromLatin1(kind));
      COMPARE_JSON(at("/excitation/signals/0/kind"), Json(kind));
      COMPARE_JSON(at("/excitation/signals/0/name"), Json("walls"));
    }
    COMPARE_JSON(at("/excitation/signals/0/amplitude_m"), Json(0.002));  // kept from before
    awaitCheck();
    QVERIFY(document_->issues().empty());
  }

  void jsonTextIsAppliedOrToldWithItsLine() {
    workspace_->findChild<QTabWidget*>()->setCurrentIndex(1);
    auto* text = find<QPlainTextEdit>("json");
    QString content = text->toPlainText();
    text->setPlainText(QStringLiteral("{\n  \"format\": ,\n}"));
    text->document()->setModified(true);
    QPushButton* apply = find<QPushButton>("json-apply");
    Q_EMIT apply->clicked();
    QVERIFY2(find<QLabel>("json-message")->text().startsWith(QStringLiteral("Line 2, column 13")),
             qPrintable(find<QLabel>("json-message")->text()));
    QVERIFY(!document_->modified());
    text->setPlainText(content.replace(QStringLiteral("\"rate_hz\": 1000"), QStringLiteral("\"rate_hz\": 500")));
    text->document()->setModified(true);
    Q_EMIT apply->clicked();
    COMPARE_JSON(at("/loop/rate_hz"), Json(500));
    document_->undoStack()->undo();
    COMPARE_JSON(at("/loop/rate_hz"), Json(1000));
    QVERIFY(text->toPlainText().contains(QStringLiteral("\"rate_hz\": 1000")));
  }

  void brokenDocumentsAreShownWithoutHarm_data() {
    QTest::addColumn<QString>("pointer");
    for (const char* pointer :
         {"/meta", "/structure", "/partition", "/excitation", "/compensation", "/rig", "/safety", "/loop",
          "/structure/masses", "/structure/links", "/excitation/loads", "/excitation/signals", "/safety/limits",
          "/rig/actuators", "/partition/physical", "/structure/masses/0", "/structure/masses/0/name",
          "/compensation/method", "/compensation/prediction_ticks"})
      QTest::newRow(pointer) << pointer;
  }
  void brokenDocumentsAreShownWithoutHarm() {
    QFETCH(QString, pointer);
    auto* sections = find<QListWidget>("sections");
    for (const char* value : {"true", "5", "[]", "[1]", "[[]]", "{}", "{\"x\": [1]}", "null", "\"text\""}) {
      document_->set(pointer.toStdString(), Json::parse(value));
      document_->endEdit();
      for (const Issue& issue : validate(document_->json())) workspace_->goTo(issue.where);
      workspace_->showSection(pointer.section(QLatin1Char('/'), 0, 1).toStdString());
      for (QPushButton* add : workspace_->findChildren<QPushButton*>())
        if (add->isVisible() && add->objectName().endsWith(QLatin1String("/-"))) add->click();
      while (document_->undoStack()->canUndo()) document_->undoStack()->undo();
    }
    document_->set(pointer.toStdString(), Json(true));
    for (int i = 0; i < sections->count(); ++i) sections->setCurrentRow(i);
    awaitCheck();
    QVERIFY(!document_->issues().empty());
    document_->undoStack()->undo();
    awaitCheck();
    QVERIFY(document_->issues().empty());
    QVERIFY(!document_->modified());
  }

  void savedProjectReadsLikeTheOneLoaded() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("p.json"));
    document_->set("/loop/duration_s", Json(12.5));
    QVERIFY(document_->modified());
    document_->saveAs(file);
    QVERIFY(!document_->modified());
    QCOMPARE(document_->displayName(), QStringLiteral("p.json"));
    ProjectDocument again;
    again.open(file.toStdString());
    QVERIFY(again.json() == document_->json());
    QVERIFY(ProjectDocument::recentFiles().contains(file));
    document_->undoStack()->undo();
    QVERIFY(document_->modified());
    QVERIFY_THROWS_EXCEPTION(DeviceError, document_->saveAs(folder.filePath(QStringLiteral("no/such/folder/p.json"))));
    QCOMPARE(document_->file(), file);
  }

  void unreadableFileLeavesTheDocumentAsItWas() {
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("bad.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{ not json");
    file.close();
    const Json before = document_->json();
    QVERIFY_THROWS_EXCEPTION(InputError, document_->open(file.fileName().toStdString()));
    QVERIFY(document_->json() == before);
  }

  void readOnlyFormsCannotBeEdited() {
    workspace_->showSection("/loop");
    workspace_->setReadOnly(true);
    auto* edit = find<QLineEdit>("/loop/rate_hz");
    QVERIFY(!edit->isEnabled());
    workspace_->showSection("/structure");
    QVERIFY(!find<QLineEdit>("/structure/masses/0/mass_kg")->isEnabled());
    QVERIFY(find<QPlainTextEdit>("json")->isReadOnly());
    workspace_->setReadOnly(false);
    QVERIFY(find<QLineEdit>("/structure/masses/0/mass_kg")->isEnabled());
  }
};

HYB_SUITE(configure, ConfigureTest)
#include "configure_test.moc"
