// The page "Study", used like a person would: choose what varies, run, look at the result, open one of its runs.
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fstream>

#include "core/record/run_file_reader.h"
#include "core/study/run_study.h"
#include "tests/support/gui_session.h"
#include "tests/support/suite.h"
#include "ui/analyse/analyse_workspace.h"
#include "ui/document/project_document.h"
#include "ui/fidelity/campaign_bar.h"
#include "ui/fidelity/fidelity_workspace.h"
#include "ui/fidelity/places.h"
#include "ui/fidelity/study_page.h"
#include "ui/fidelity/study_results.h"
#include "ui/fidelity/variation_edit.h"
#include "ui/main_window.h"
#include "ui/plot/scatter_plot.h"

using namespace hyb;
using namespace hyb::ui;
using hyb::ui::testing::button;

class StudyWindowTest : public QObject {
  Q_OBJECT
 private:
  static constexpr int kLong_ms = 120'000;  // on a busy machine
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<MainWindow> window_;
  StudyPage* page_ = nullptr;

  template <typename T = QLineEdit>
  T* field(const QString& name) {
    return page_->findChild<T*>(name);
  }
  void type(QLineEdit* edit, const QString& text) {
    edit->setFocus();
    edit->selectAll();
    QTest::keyClick(edit, Qt::Key_Delete);
    QTest::keyClicks(edit, text);
  }
  VariationEdit* variation(int at) { return field<VariationEdit>(QStringLiteral("variation-%1").arg(at)); }
  /// Chooses the place by its pointer in the list, and types its values.
  void vary(int at, const QString& pointer, const QString& values) {
    QComboBox* chooser = variation(at)->placeEdit()->chooser();
    const int found = chooser->findData(pointer);
    QVERIFY2(found >= 0, qPrintable(pointer));
    chooser->setCurrentIndex(found);
    type(variation(at)->findChild<QLineEdit*>(QStringLiteral("values")), values);
  }
  QPushButton* runButton() { return button(*page_->bar(), QStringLiteral("Run study")); }
  StudyResults* results() { return page_->findChild<StudyResults*>(); }

 private Q_SLOTS:
  void initTestCase() { testing::startGuiSession("study_window"); }
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    window_ = std::make_unique<MainWindow>();
    window_->resize(1280, 800);
    window_->show();
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    QVERIFY(window_->open("three-mass"));
    ProjectDocument* document = window_->document();
    document->set("/recording/folder", folder_->path().toStdString());
    const std::pair<const char*, Json> short_test[] = {
        {"/loop/duration_s", 3}, {"/loop/soft_start_s", 0.5}, {"/loop/soft_end_s", 0.5}, {"/analysis/start_s", 1}};
    for (const auto& [pointer, value] : short_test) document->set(pointer, value);
    QTRY_VERIFY_WITH_TIMEOUT(!document->checking(), kLong_ms);
    QVERIFY(document->issues().empty());
    QTest::keyClick(window_.get(), static_cast<Qt::Key>(Qt::Key_1 + static_cast<int>(Room::fidelity)),
                    Qt::ControlModifier);
    QCOMPARE(window_->workspace(), Room::fidelity);
    page_ = window_->fidelity()->study();
    window_->fidelity()->setCurrentWidget(page_);
  }
  void cleanup() { window_.reset(); }

  void placesOfTheProjectHaveTitleAndUnit() {
    const Json& project = templateDocument("three-mass");
    const std::vector<Place> places = placesOf(project);
    const auto find = [&](const std::string& pointer) {
      return std::find_if(places.begin(), places.end(), [&](const Place& place) { return place.pointer == pointer; });
    };
    const auto mass = find("/structure/masses/0/mass_kg");
    QVERIFY(mass != places.end());
    QCOMPARE(mass->unit, QStringLiteral("kg"));
    QVERIFY(mass->number && mass->title.contains(QStringLiteral("Mass")));
    QVERIFY(find("/meta/title") == places.end());
    for (const Place& place : places) {  // everything offered can be varied
      Json varied = project;
      if (const Json::json_pointer at(place.pointer); project.contains(at))
        setValue(varied, place.pointer + "=" + project.at(at).dump());
    }
    const std::vector<std::string> delays = alikeOf(project, "/rig/actuators/1/delay_s");
    QCOMPARE(delays.size(), project["rig"]["actuators"].size());
    QCOMPARE(alikeOf(project, "/loop/duration_s"), std::vector<std::string>{"/loop/duration_s"});
    QCOMPARE(alikeOf(project, "/nowhere/0/x"), std::vector<std::string>{"/nowhere/0/x"});
  }

  void aStudyIsBuiltRunAndRead() {
    vary(0, QStringLiteral("/excitation/signals/0/amplitude_m"), QStringLiteral("0.001, 0.002"));
    QTest::mouseClick(field<QPushButton>(QStringLiteral("add-variation")), Qt::LeftButton);
    vary(1, QStringLiteral("/compensation/method"), QStringLiteral("none, adaptive-forward-prediction"));
    type(field(QStringLiteral("seeds")), QStringLiteral("2"));
    QCOMPARE(field<QLabel>(QStringLiteral("runs"))->text(), QStringLiteral("8 runs"));
    QVERIFY(runButton()->isEnabled());
    QTest::mouseClick(runButton(), Qt::LeftButton);
    QVERIFY(page_->bar()->running());
    QVERIFY2(window_->fidelity()->running(), "the window knows");
    QTRY_VERIFY_WITH_TIMEOUT(!page_->bar()->running(), kLong_ms);
    QVERIFY2(page_->bar()->message().startsWith(QStringLiteral("8 runs")), qPrintable(page_->bar()->message()));

    const StudyTable& table = results()->table();
    QCOMPARE(table.status.size(), std::size_t{8});
    QCOMPARE(page_->findChild<QTableView*>()->model()->rowCount(), 8);
    // The same study, run without the window, gives the same figures.
    const Study same = parseStudy(table.study, folder_->path().toStdString(), &table.project);
    const std::filesystem::path beside = folder_->filePath(QStringLiteral("beside.h5")).toStdString();
    runStudy(same, beside, 1);
    const StudyTable again = readStudyFile(beside);
    for (std::size_t f = 0; f < table.figures.size(); ++f)
      for (std::size_t r = 0; r < 8; ++r) {
        const double a = table.figures[f].numbers[r], b = again.figures[f].numbers[r];
        QVERIFY(a == b || (std::isnan(a) && std::isnan(b)));
      }
    // The plot shows each run that has the figure once, in one group per method.
    const ScatterData& shown = results()->plot()->data();
    QCOMPARE(shown.groups.size(), std::size_t{2});
    std::size_t points = 0;
    for (const ScatterData::Group& group : shown.groups) points += group.points.size() + group.stopped.size();
    const std::vector<double>& drawn = table.figures.front().numbers;  // a run that ended at once may have none
    const auto known = std::count_if(drawn.begin(), drawn.end(), [](double value) { return std::isfinite(value); });
    QCOMPARE(points, static_cast<std::size_t>(known));
    auto* figure = field<QComboBox>(QStringLiteral("study-y"));
    const int chosen = figure->findText(QStringLiteral("gap rms 1"));
    QVERIFY(chosen >= 0);
    figure->setCurrentIndex(chosen);
    QCOMPARE(results()->plot()->data().y.title, QStringLiteral("gap rms 1"));
    QVERIFY(!window_->grab().isNull());
  }

  void oneOfItsRunsIsOpenedInAnalyse() {
    vary(0, QStringLiteral("/excitation/signals/0/amplitude_m"), QStringLiteral("0.001, 0.002"));
    QTest::mouseClick(runButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!page_->bar()->running(), kLong_ms);
    auto* open = field<QPushButton>(QStringLiteral("open-run"));
    QVERIFY(!open->isEnabled());
    page_->findChild<QTableView*>()->selectRow(1);
    QVERIFY(open->isEnabled());
    QSignalSpy opened(window_->findChild<AnalyseWorkspace*>(), &AnalyseWorkspace::runOpened);
    QTest::mouseClick(open, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, kLong_ms);
    QCOMPARE(opened.first().at(1).toString(), QString());
    QCOMPARE(window_->workspace(), Room::analyse);
    const RunFileReader run(opened.first().first().toString().toStdString());
    QCOMPARE(Json::parse(run.projectJson()).at("excitation").at("signals").at(0).at("amplitude_m").get<double>(),
             0.002);
  }

  void cancelledStudyGoesOnWhereItWas() {
    vary(0, QStringLiteral("/excitation/signals/0/amplitude_m"), QStringLiteral("0.001, 0.0015, 0.002"));
    type(field(QStringLiteral("seeds")), QStringLiteral("100"));
    QTest::mouseClick(runButton(), Qt::LeftButton);
    const QString file = field(QStringLiteral("result-file"))->text();
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(file + QStringLiteral(".part")).size() > 2000, kLong_ms);
    QTest::keyClick(window_.get(), Qt::Key_Escape);  // STOP ends campaigns too
    QTRY_VERIFY_WITH_TIMEOUT(!page_->bar()->running(), kLong_ms);
    QVERIFY2(page_->bar()->message().startsWith(QStringLiteral("Cancelled")), qPrintable(page_->bar()->message()));
    const auto pending =
        std::count(results()->table().status.begin(), results()->table().status.end(), RunStatus::pending);
    QVERIFY(pending > 0 && pending < 300);
    QTest::mouseClick(runButton(), Qt::LeftButton);
    QCOMPARE(field(QStringLiteral("result-file"))->text(), file);
    QTRY_VERIFY_WITH_TIMEOUT(!page_->bar()->running(), kLong_ms);
    QVERIFY2(page_->bar()->message().contains(QStringLiteral("taken over")), qPrintable(page_->bar()->message()));
    QVERIFY(results()->table().complete);
  }

  void faultsStandAtTheirField() {
    QComboBox* chooser = variation(0)->placeEdit()->chooser();
    type(chooser->lineEdit(), QStringLiteral("/loop/duratoin_s"));
    type(variation(0)->findChild<QLineEdit*>(QStringLiteral("values")), QStringLiteral("1, 2"));
    QVERIFY(!runButton()->isEnabled());
    QStringList told;
    for (const QLabel* label : variation(0)->findChildren<QLabel*>())
      if (label->isVisible()) told << label->text();
    QVERIFY2(!told.filter(QStringLiteral("duration_s")).isEmpty(), qPrintable(told.join('|')));
    type(chooser->lineEdit(), QStringLiteral("/loop/duration_s"));
    QVERIFY(runButton()->isEnabled());
    type(field(QStringLiteral("seeds")), QStringLiteral("many"));
    QVERIFY(!runButton()->isEnabled());
    QVERIFY(field<QLabel>(QStringLiteral("problems"))->text().contains(QStringLiteral("seeds")));
  }

  void studyFilesAreSavedAndOpened() {
    const QString project = folder_->filePath(QStringLiteral("short.json"));
    window_->document()->saveAs(project);
    vary(0, QStringLiteral("/rig/actuators/0/delay_s"), QStringLiteral("0.001"));
    auto* all = variation(0)->findChild<QCheckBox*>();
    QVERIFY(all->isVisible());
    all->click();
    auto* form = variation(0)->findChild<ValuesEdit*>();
    form->findChild<QComboBox*>()->setCurrentIndex(1);
    type(form->findChild<QLineEdit*>(QStringLiteral("from")), QStringLiteral("0.001"));
    type(form->findChild<QLineEdit*>(QStringLiteral("to")), QStringLiteral("0.003"));
    type(form->findChild<QLineEdit*>(QStringLiteral("count")), QStringLiteral("5"));
    type(field(QStringLiteral("study-title")), QStringLiteral("Both delays"));
    QCOMPARE(field<QLabel>(QStringLiteral("runs"))->text(), QStringLiteral("5 runs"));
    const QString file = folder_->filePath(QStringLiteral("delays.json"));
    page_->saveStudy(file);
    const Study saved = loadStudy(file.toStdString());
    QCOMPARE(saved.variations.front().pointers.size(), std::size_t{2});
    QCOMPARE(saved.runs(), std::size_t{5});

    // A fresh window reads the same study back, with its own project, whatever is open.
    window_ = std::make_unique<MainWindow>();
    QVERIFY(window_->open("benchmark-2020"));
    page_ = window_->fidelity()->study();
    page_->open(file);
    QTRY_COMPARE_WITH_TIMEOUT(field<QLabel>(QStringLiteral("runs"))->text(), QStringLiteral("5 runs"), kLong_ms);
    QVERIFY(!page_->modified());
    QVERIFY(variation(0)->findChild<QCheckBox*>()->isChecked());
    const QString again = folder_->filePath(QStringLiteral("again.json"));
    page_->saveStudy(again);
    QCOMPARE(loadStudy(again.toStdString()).document.dump(), saved.document.dump());

    const QString bad = folder_->filePath(QStringLiteral("bad.json"));
    std::ofstream(bad.toStdString()) << "{\"format\": \"hybridbench-study\", \"version\": 1}";
    page_->open(bad);
    QTRY_VERIFY_WITH_TIMEOUT(page_->bar()->message().contains(QStringLiteral("project")), kLong_ms);
    const QString text = folder_->filePath(QStringLiteral("text.h5"));
    std::ofstream(text.toStdString()) << "no HDF5";
    page_->open(text);
    QTRY_VERIFY_WITH_TIMEOUT(page_->bar()->message().contains(QStringLiteral("text.h5")) &&
                                 !page_->bar()->message().startsWith(QStringLiteral("Opening")),
                             kLong_ms);
  }

  void whatWasRemovedComesBack() {
    vary(0, QStringLiteral("/excitation/signals/0/amplitude_m"), QStringLiteral("0.001, 0.002"));
    QTest::mouseClick(field<QPushButton>(QStringLiteral("add-variation")), Qt::LeftButton);
    vary(1, QStringLiteral("/compensation/method"), QStringLiteral("none"));
    auto* back = field<QPushButton>(QStringLiteral("take-back"));
    QVERIFY(!back->isVisible());
    const Json first = variation(0)->json(), second = variation(1)->json();
    Q_EMIT variation(0)->removeRequested();
    QVERIFY(variation(0)->json() == second);
    QVERIFY(back->isVisible());
    back->click();
    QVERIFY(variation(0)->json() == first);
    QVERIFY(variation(1)->json() == second);
    QVERIFY(!back->isVisible());
  }

  void anUnsavedStudyIsAskedAbout() {
    window_->document()->saveAs(folder_->filePath(QStringLiteral("short.json")));
    QVERIFY(!page_->modified());
    vary(0, QStringLiteral("/excitation/signals/0/amplitude_m"), QStringLiteral("0.001"));
    QVERIFY(page_->modified());
    const QString file = folder_->filePath(QStringLiteral("study.json"));
    page_->saveStudy(file);
    QVERIFY(!page_->modified());
    type(field(QStringLiteral("study-title")), QStringLiteral("Mine"));
    const auto ask = [&](QMessageBox::StandardButton answer) {
      page_->open(file);
      auto* box = page_->findChild<QMessageBox*>();
      QVERIFY(box && box->isVisible() && !box->isModal());
      box->button(answer)->click();
      QTRY_VERIFY(!page_->findChild<QMessageBox*>());
    };
    ask(QMessageBox::Cancel);
    QCOMPARE(field(QStringLiteral("study-title"))->text(), QStringLiteral("Mine"));
    ask(QMessageBox::Discard);
    QTRY_VERIFY_WITH_TIMEOUT(!page_->modified(), kLong_ms);
    QCOMPARE(field(QStringLiteral("study-title"))->text(), QString());
  }

  void runningOneOfItsRunsOnceMoreIsCancelled() {
    vary(0, QStringLiteral("/excitation/signals/0/amplitude_m"), QStringLiteral("0.001"));
    QTest::mouseClick(runButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!page_->bar()->running(), kLong_ms);
    page_->findChild<QTableView*>()->selectRow(0);
    QSignalSpy opened(page_, &StudyPage::openRun);
    QTest::mouseClick(field<QPushButton>(QStringLiteral("open-run")), Qt::LeftButton);
    QVERIFY2(page_->bar()->running() && window_->fidelity()->running(), "the window knows, and STOP ends it");
    page_->bar()->cancel();
    QTRY_VERIFY_WITH_TIMEOUT(!page_->bar()->running(), kLong_ms);
    QVERIFY2(opened.isEmpty() == page_->bar()->message().startsWith(QStringLiteral("Cancelled")),
             qPrintable(page_->bar()->message()));
  }

  void aStudyThatMovesARigTakesTwoStepsInRealTime() {
    auto* pace = field<QComboBox>(QStringLiteral("pace"));
    vary(0, QStringLiteral("/excitation/signals/0/amplitude_m"), QStringLiteral("0.001, 0.002"));
    QVERIFY(pace->isEnabled());
    ProjectDocument* document = window_->document();
    document->set("/rig/connection", Json::object({{"protocol", "frames"}, {"address", "tcp://127.0.0.1:1"}}));
    QTRY_VERIFY_WITH_TIMEOUT(!document->checking(), kLong_ms);
    QVERIFY(pace->isEnabled());
    document->set("/rig/use", "rig");
    QTRY_VERIFY_WITH_TIMEOUT(!document->checking(), kLong_ms);
    QVERIFY(!pace->isEnabled());
    QCOMPARE(pace->currentIndex(), 1);
    auto* run = page_->bar()->findChild<QPushButton*>();
    QVERIFY(run->isEnabled());
    run->click();
    QVERIFY(!page_->bar()->running());
    QCOMPARE(run->text(), QStringLiteral("Run 2 tests on the rig"));
    type(field(QStringLiteral("seeds")), QStringLiteral("2"));
    QCOMPARE(run->text(), QStringLiteral("Run study"));
    // Also where the rig is one of the values.
    document->set("/rig/use", "twin");
    QTRY_VERIFY_WITH_TIMEOUT(!document->checking(), kLong_ms);
    QVERIFY(pace->isEnabled());
    vary(0, QStringLiteral("/rig/use"), QStringLiteral("twin, shadow"));
    QVERIFY(!pace->isEnabled());
    run->click();
    QVERIFY(!page_->bar()->running());
  }

  void noCampaignWhileATestIsActive() {
    vary(0, QStringLiteral("/excitation/signals/0/amplitude_m"), QStringLiteral("0.001"));
    QVERIFY(runButton()->isEnabled());
    QTest::keyClick(window_.get(), Qt::Key_F5);
    QTRY_COMPARE(window_->controller()->state(), State::armed);
    QVERIFY(!runButton()->isEnabled());
    QVERIFY(runButton()->toolTip().contains(QStringLiteral("test")));
    window_->controller()->requestStop();
    QTRY_VERIFY_WITH_TIMEOUT(!window_->controller()->active(), kLong_ms);
    QVERIFY(runButton()->isEnabled());
  }
};

HYB_SUITE(study_window, StudyWindowTest)
#include "study_window_test.moc"
