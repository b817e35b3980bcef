// The drawing of structures with their cut, driven by mouse and keys.
#include <QComboBox>
#include <QElapsedTimer>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

#include "tests/support/gui_session.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"
#include "tests/ui/structure_projects.h"
#include "ui/base/theme.h"
#include "ui/configure/configure_workspace.h"
#include "ui/configure/delay_view.h"
#include "ui/configure/schematic_model.h"
#include "ui/configure/structure_panel.h"
#include "ui/configure/structure_view.h"
#include "ui/document/project_document.h"
#include "ui/document/references.h"

using namespace hyb;
using namespace hyb::ui;
using namespace hyb::ui::testing;

class StructureViewTest : public QObject {
  Q_OBJECT
 private:
  static constexpr int kLong_ms = 120'000;  // on a busy machine
  ProjectDocument* document_ = nullptr;
  ConfigureWorkspace* workspace_ = nullptr;
  StructureView* view_ = nullptr;

  void show(const Json& project) {
    document_->replace(project, QStringLiteral("test project"));
    QTRY_VERIFY_WITH_TIMEOUT(!document_->checking(), kLong_ms);
    for (const Issue& issue : document_->issues()) qWarning("%s %s", issue.where.c_str(), issue.message.c_str());
    QVERIFY(document_->issues().empty());
    document_->undoStack()->clear();
    workspace_->showSection("/partition");
    QTRY_VERIFY_WITH_TIMEOUT(view_->scene().drawable(), kLong_ms);
  }
  double position() { return document_->at("/partition/position_m")->get<double>(); }
  void drag(const QPoint& from, const QPoint& to) {
    QTest::mouseMove(view_, from);
    QTest::mousePress(view_, Qt::LeftButton, {}, from);
    constexpr int kSteps = 8;
    for (int i = 1; i <= kSteps; ++i) QTest::mouseMove(view_, from + (to - from) * i / kSteps);
    QTest::mouseRelease(view_, Qt::LeftButton, {}, to);
  }
  /// Figures of the structure shown, not of the one before it.
  void awaitFigures() {
    auto* delay = workspace_->findChild<DelayView*>();
    const auto size = static_cast<Eigen::Index>(view_->scene().model->dofs.size());
    QTRY_VERIFY_WITH_TIMEOUT(delay->figures() && !delay->figures()->modes.whole.empty() &&
                                 delay->figures()->modes.whole[0].motion.size() == size,
                             kLong_ms);
  }
  const std::vector<ModeShape>& natural() { return workspace_->findChild<DelayView*>()->figures()->modes.whole; }

 private Q_SLOTS:
  void initTestCase() { testing::startGuiSession("structure_view"); }
  void init() {
    document_ = new ProjectDocument;
    document_->open("three-mass");
    {
      const StyledAtTheEnd unstyled;
      workspace_ = new ConfigureWorkspace(document_);
    }
    workspace_->resize(1280, 700);
    workspace_->show();
    view_ = workspace_->findChild<StructureView*>();
  }
  void cleanup() {
    delete workspace_;
    delete document_;
  }

  /// A specimen that is a law alone is in both drawings, at the interface or at the DOF that it names.
  void lawsOfTheSpecimenAreDrawn() {
    ProjectDocument contact;
    contact.open(std::string(test::kSourceDir) + "/tests/data/projects/contact-bump.json");
    Json project = contact.json();
    project["rig"]["specimen"]["laws"].push_back({{"law", "friction"}, {"dof", "NUM"}, {"friction_n", 2}});
    show(project);
    const StructureScene& scene = view_->scene();
    QCOMPARE(scene.interface, std::vector<std::size_t>{scene.laws.at(0).first});
    QCOMPARE(scene.laws.size(), std::size_t{1});
    const QStringList words = scene.laws[0].second.split(QStringLiteral(", "));
    QCOMPARE(words.size(), 2);
    QVERIFY2(words[0].startsWith("Contact"), qPrintable(words[0]));
    const SchematicModel drawn = schematicModel(project);
    QCOMPARE(drawn.nodes.at(0).interface, 1);
    QCOMPARE(QString::fromStdString(drawn.nodes[0].laws), scene.laws[0].second);
    project["rig"]["specimen"]["laws"][0] = "contact";  // half written: nothing breaks
    QCOMPARE(schematicModel(project).nodes.at(0).laws, words[1].toStdString());
  }

  void dragMovesTheCutFromNodeToNodeInOneStep() {
    show(cantilever());
    QCOMPARE(position(), 0.17);
    QSignalSpy changes(document_, &ProjectDocument::changed);
    drag(view_->cutHandle(), view_->placeOf(0.35) + QPoint(3, 20));
    QCOMPARE(position(), 0.35);   // a node of the tip: 0.17 + 6 * 0.03
    QVERIFY(changes.size() > 3);  // it moved along, node by node
    QCOMPARE(document_->undoStack()->count(), 1);
    QCOMPARE(view_->scene().interface.size(), std::size_t{1});
    QCOMPARE(view_->scene().model->nodes[view_->scene().interface[0]].x_m, 0.35);
    document_->undoStack()->undo();
    QCOMPARE(position(), 0.17);
  }

  void cutStaysBetweenTheEnds() {
    show(cantilever());
    drag(view_->cutHandle(), QPoint(view_->width() - 1, 40));
    QCOMPARE(position(), 0.5);
    drag(view_->cutHandle(), QPoint(1, 40));
    QVERIFY(position() > 0.0);
    QTRY_VERIFY_WITH_TIMEOUT(!document_->checking(), kLong_ms);
    QVERIFY(document_->issues().empty());
  }

  void keysMoveTheCut() {
    show(cantilever());
    view_->setFocus();
    QTest::keyClick(view_, Qt::Key_Right);
    QCOMPARE(position(), 0.2);
    QTest::keyClick(view_, Qt::Key_Left);
    QTest::keyClick(view_, Qt::Key_Left);
    QVERIFY(std::abs(position() - 0.17 * 11 / 12) < 1e-9);
    QTest::keyClick(view_, Qt::Key_End);
    QCOMPARE(position(), 0.5);
    QTest::keyClick(view_, Qt::Key_Home);
    QVERIFY(std::abs(position() - 0.17 / 12) < 1e-9);
    QCOMPARE(document_->undoStack()->count(), 5);
    QVERIFY(view_->accessibleDescription().contains(QStringLiteral("cut x = 0.014")));
  }

  void figuresFollowTheCut() {
    show(cantilever());
    auto* delay = workspace_->findChild<DelayView*>();
    awaitFigures();
    QVERIFY2(delay->figures()->failed.isEmpty(), qPrintable(delay->figures()->failed));
    const double before = delay->figures()->specimen_clamped_hz.front();
    drag(view_->cutHandle(), view_->placeOf(0.35));
    // PS clamped at both sides of the cut: f ~ 1/L^2 of a cantilever of 0.36 m, then 0.18 m.
    QTRY_VERIFY_WITH_TIMEOUT(std::abs(delay->figures()->specimen_clamped_hz.front() / before - 4.0) < 1e-3, kLong_ms);
    QVERIFY(delay->details().contains(QStringLiteral("PS, interface clamped")));
  }

  void nothingMovesWhileReadOnly() {
    show(cantilever());
    workspace_->setReadOnly(true);
    drag(view_->cutHandle(), view_->placeOf(0.35));
    view_->setFocus();
    QTest::keyClick(view_, Qt::Key_Right);
    QCOMPARE(position(), 0.17);
  }

  void clickPutsAMemberOnTheRig() {
    Json project = frame();
    project["partition"] = Json::parse(R"({"by": "elements", "physical": ["column-L1/1-2", "column-R1"]})");
    show(project);
    QTest::mouseClick(view_, Qt::LeftButton, {}, view_->centreOf("column-L1"));
    QVERIFY(view_->scene().memberOnRig("column-L1"));  // all of it, in place of the range
    QCOMPARE(document_->at("/partition/physical")->size(), std::size_t{2});
    QTest::mouseClick(view_, Qt::LeftButton, {}, view_->centreOf("column-L1"));
    QVERIFY(!document_->isPhysical("column-L1"));
    QCOMPARE(document_->undoStack()->count(), 2);
    document_->undoStack()->undo();
    QVERIFY(document_->isPhysical("column-L1"));
    document_->undoStack()->undo();
    QVERIFY(document_->isPhysical("column-L1/1-2"));
  }

  void keysPutAMemberOnTheRig() {
    Json project = frame();
    project["partition"] = Json::parse(R"({"by": "elements", "physical": ["column-L1"]})");
    show(project);
    view_->setFocus();
    QTest::keyClick(view_, Qt::Key_Right);
    QTest::keyClick(view_, Qt::Key_Right);
    QTest::keyClick(view_, Qt::Key_Return);
    QVERIFY(document_->isPhysical("column-R1"));
  }

  void clickTakesNodesOffTheRigButThoseStillNeeded() {
    Json project = frame();
    project["partition"] =
        Json::parse(R"({"by": "nodes", "physical": ["L0", "R0", "column-L1/1", "column-L1/2", "column-L1/3", "L1"]})");
    show(project);
    QTest::mouseClick(view_, Qt::LeftButton, {}, view_->centreOf("column-R1"));
    QVERIFY(view_->scene().memberOnRig("column-R1"));
    QVERIFY(document_->isPhysical("R1"));
    QTest::mouseClick(view_, Qt::LeftButton, {}, view_->centreOf("column-L1"));
    QVERIFY(!view_->scene().memberOnRig("column-L1"));
    QVERIFY(!document_->isPhysical("L1"));
    QVERIFY(document_->isPhysical("R1"));
  }

  void linesReplaceNames() {
    Json project = cantilever();
    project["partition"] = Json::parse(R"({"by": "elements", "physical": ["tip"], "reduction":
        {"physical": {"method": "craig-bampton", "modes": 4}}})");
    show(project);
    QVERIFY(!view_->scene().line);
    QCOMPARE(view_->scene().presentLine()->position_m, 0.17);
    QTest::mouseClick(workspace_->findChild<QPushButton*>(QStringLiteral("cut-by-line")), Qt::LeftButton);
    QCOMPARE(position(), 0.17);
    QVERIFY(document_->at("/partition/reduction/physical/modes"));
    document_->undoStack()->undo();
    QVERIFY(document_->isPhysical("tip"));
  }

  void buildingIsCutAtItsStoreys() {
    show(building(5));
    view_->setFocus();
    QTest::keyClick(view_, Qt::Key_Up);
    QCOMPARE(position(), 3.0);
    QTest::keyClick(view_, Qt::Key_End);
    QCOMPARE(position(), 4.0);
    QVERIFY(view_->accessibleDescription().contains(QStringLiteral("at storey 4")));
  }

  void modesAreDrawnOnDemand() {
    show(cantilever());
    auto* owner = workspace_->findChild<QComboBox*>(QStringLiteral("mode-owner"));
    auto* number = workspace_->findChild<QComboBox*>(QStringLiteral("mode-number"));
    awaitFigures();
    owner->setCurrentIndex(1);
    QVERIFY(view_->mode().has_value());
    // Euler-Bernoulli cantilever: (1.87510407)^2/(2 pi L^2) sqrt(E I/(rho A)), 0.53 m.
    const double closed =
        1.87510407 * 1.87510407 / (2 * M_PI * 0.53 * 0.53) * std::sqrt(2.17e11 * 2.11667e-12 / (8210 * 2.54e-5));
    QVERIFY2(std::abs(view_->mode()->frequency_hz / closed - 1.0) < 1e-5,
             qPrintable(QString::number(view_->mode()->frequency_hz / closed - 1.0)));
    QVERIFY(std::abs(view_->mode()->damping_ratio - 0.005) < 1e-9);
    number->setCurrentIndex(2);
    QCOMPARE(view_->mode()->frequency_hz, natural()[2].frequency_hz);
    owner->setCurrentIndex(2);  // of the computed side: the tip stands still
    const auto& shape = view_->mode()->motion;
    const Model& model = *view_->scene().model;
    for (std::size_t i = 0; i < model.dofs.size(); ++i)
      if (model.dofs[i].name.starts_with("tip/")) QCOMPARE(shape[static_cast<Eigen::Index>(i)], 0.0);
    QVERIFY(shape.norm() > 0.0);
    workspace_->findChild<QToolButton*>(QStringLiteral("mode-play"))->click();
    owner->setCurrentIndex(0);
    QVERIFY(!view_->mode().has_value());
  }

  void largeStructuresStayLight() {
    show(cantilever(1000));
    QCOMPARE(view_->scene().model->elements.size(), std::size_t{2000});
    view_->grab();
    QElapsedTimer clock;
    clock.start();
    constexpr int kMoves = 20;
    for (int i = 0; i < kMoves; ++i) {
      QTest::mouseMove(view_, QPoint(60 + 10 * i, view_->height() / 2));
      view_->grab();
    }
    qInfo("pointer and picture of 2,000 elements: %.1f ms", static_cast<double>(clock.elapsed()) / kMoves);
  }

  void structureWithErrorsIsNotDrawn() {
    show(cantilever());
    document_->set("/structure/segments/0/length_m", Json(-1));
    QTRY_VERIFY_WITH_TIMEOUT(!document_->checking(), kLong_ms);
    QVERIFY(!view_->scene().drawable());
    view_->grab();
    document_->undoStack()->undo();
    QTRY_VERIFY_WITH_TIMEOUT(view_->scene().drawable(), kLong_ms);
    document_->set("/loop/rate_hz", Json(-5));  // elsewhere: the drawing stays
    QTRY_VERIFY_WITH_TIMEOUT(!document_->checking(), kLong_ms);
    QVERIFY(view_->scene().drawable());
  }

  void newNamesAreFollowedIntoRangesAndDegreesOfFreedom() {
    Json project = frame();
    project["partition"] = Json::parse(R"({"by": "elements", "physical": ["column-L1/1-2", "column-R1"]})");
    show(project);
    document_->rename("/structure/members/0/name", "west");
    QCOMPARE(QString::fromStdString((*document_->at("/partition/physical/0")).get<std::string>()),
             QStringLiteral("west/1-2"));
    document_->rename("/structure/nodes/6/name", "top");
    QCOMPARE(QString::fromStdString((*document_->at("/excitation/loads/0/dof")).get<std::string>()),
             QStringLiteral("top.x"));
    document_->rename("/structure/sections/0/name", "HEA 200");
    QCOMPARE(QString::fromStdString((*document_->at("/structure/members/0/section")).get<std::string>()),
             QStringLiteral("HEA 200"));
    QTRY_VERIFY_WITH_TIMEOUT(!document_->checking(), kLong_ms);
    QVERIFY(document_->issues().empty());
    QVERIFY(referenceChoices(*document_, QStringLiteral("dof")).contains(QStringLiteral("top.rotation")));
    QVERIFY(referenceChoices(*document_, QStringLiteral("interface-dof")).contains(QStringLiteral("west/2.x")));
  }

  void everyKindIsDrawnInBothThemes() {
    for (const ThemeChoice theme : {ThemeChoice::dark, ThemeChoice::light}) {
      applyTheme(*qApp, theme);
      for (const Json& project : {cantilever(), frame(), building(4), templateDocument("three-mass")}) {
        document_->replace(project, QStringLiteral("project"));
        QTRY_VERIFY_WITH_TIMEOUT(!document_->checking(), kLong_ms);
        const QImage picture = view_->grab().toImage();
        QVERIFY(!picture.isNull());
      }
    }
  }
};

HYB_SUITE(structure_view, StructureViewTest)
#include "structure_view_test.moc"
