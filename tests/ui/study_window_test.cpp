// The page "Study", used like a person would: choose what varies, run, look at the result, open one of its runs.
#include <QCheckBox>
#include <QComboBox>
#include <QDirIterator>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/record/run_file_reader.h"
#include "core/study/run_study.h"
#include "tests/support/gui_session.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"
#include "ui/analyse/analyse_workspace.h"
#include "ui/document/project_document.h"
#include "ui/fidelity/campaign_bar.h"
#include "ui/fidelity/fidelity_workspace.h"
#include "ui/fidelity/places.h"
#include "ui/fidelity/study_page.h"
#include "ui/fidelity/study_results.h"
#include "ui/fidelity/variation_edit.h"
#include "ui/plot/scatter_plot.h"
#include "ui/shell/main_window.h"

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
  void openResult(const std::string& file) {
    QSignalSpy read(results(), &StudyResults::curvesReady);
    page_->open(QString::fromStdString(file));
    QTRY_COMPARE_WITH_TIMEOUT(read.count(), 1, kLong_ms);
  }

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

  /// A random setting, its samples and the statistics, by fields alone; the saved study opens with the same fields.
  void aRandomSettingIsDrawn() {
    QComboBox* chooser = variation(0)->placeEdit()->chooser();
    chooser->setCurrentIndex(chooser->findData(QStringLiteral("/excitation/signals/0/amplitude_m")));
    variation(0)->findChild<QComboBox*>(QStringLiteral("form"))->setCurrentIndex(2);
    QWidget* samples = page_->findChild<QWidget*>(QStringLiteral("samples"));
    QVERIFY(samples->isVisible());
    QVERIFY(!runButton()->isEnabled());  // no numbers yet
    for (const auto& [key, text] : {std::pair("random-from", "0.8"), std::pair("random-to", "1.2")})
      for (QLineEdit* edit : variation(0)->findChildren<QLineEdit*>(QString::fromLatin1(key)))
        if (edit->isVisible()) type(edit, QString::fromLatin1(text));  // of the kind in view
    variation(0)->findChild<QCheckBox*>(QStringLiteral("factor"))->click();
    type(samples->findChild<QLineEdit*>(QStringLiteral("count")), QStringLiteral("6"));
    QCOMPARE(field<QLabel>(QStringLiteral("runs"))->text(), QStringLiteral("6 runs"));
    QVERIFY2(runButton()->isEnabled(), qPrintable(field<QLabel>(QStringLiteral("problems"))->text()));
    QTest::mouseClick(runButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!page_->bar()->running(), kLong_ms);
    const StudyTable& table = results()->table();
    QVERIFY2(std::ranges::count(table.status, RunStatus::done) == 6, table.message[0].c_str());
    QCOMPARE(table.plan.size(), std::size_t{1});
    for (const double factor : table.plan[0].numbers) QVERIFY(factor > 0.8 && factor < 1.2);
    auto* statistics = page_->findChild<QTableWidget*>(QStringLiteral("statistics"));
    QTRY_VERIFY_WITH_TIMEOUT(statistics->rowCount() > 0, kLong_ms);
    QCOMPARE(statistics->item(0, 2)->text(), QStringLiteral("6 of 6"));
    QVERIFY2(statistics->item(0, 3)->text().contains(QLatin1Char('[')), qPrintable(statistics->item(0, 3)->text()));
    QVERIFY(page_->findChild<QTabWidget*>()->isTabVisible(1));
    QDirIterator results(folder_->path(), {QStringLiteral("*.h5")}, QDir::Files, QDirIterator::Subdirectories);
    QVERIFY(results.hasNext());
    page_->open(results.next());
    QVERIFY(variation(0)->isRandom());
    QCOMPARE(samples->findChild<QLineEdit*>(QStringLiteral("count"))->text(), QStringLiteral("6"));
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
    QCOMPARE(page_->findChild<QTableView*>(QStringLiteral("study-runs"))->model()->rowCount(), 8);
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

  /// The FRF figure of iterative harmonic balance: forces and dampings, each measured twice, from one study.
  void responsesOfSweepsAreLaidOverOneAnother() {
    const Json document =
        Json::parse(R"({"format": "hybridbench-study", "version": 1, "project": "cantilever-iterative",
      "set": {"/coupling/sweep": {"from_hz": 17.4, "to_hz": 17.8, "count": 3}}, "seeds": 2,
      "vary": [{"name": "damping", "pointer": "/structure/damping/specimen_ratios", "values": [[0.008], [0.005]]},
               {"name": "force", "pointer": "/coupling/loads/0/amplitude_n", "values": [0.04, 0.08]}]})");
    const std::string file = folder_->filePath(QStringLiteral("frf.h5")).toStdString();
    runStudy(parseStudy(document), file, 2);
    openResult(file);
    auto* figure = field<QComboBox>(QStringLiteral("study-y"));
    QCOMPARE(figure->currentText(), QStringLiteral("response: root/20.y, motion"));
    QVERIFY(!field<QComboBox>(QStringLiteral("study-x"))->isVisible());
    QVERIFY(results()->phasePlot()->isVisible());
    const ScatterData &amplitude = results()->plot()->data(), &phase = results()->phasePlot()->data();
    QCOMPARE(amplitude.groups.size(), std::size_t{2});
    QCOMPARE(amplitude.groups[0].name, QStringLiteral("damping 0.008"));
    QCOMPARE(amplitude.groups[0].curves.size(), std::size_t{4});
    QCOMPARE(amplitude.groups[0].references.size(), std::size_t{2});  // of each force, whatever the noise
    QCOMPARE(amplitude.groups[1].curves[2].name,
             QStringLiteral("run 6, damping 0.005, force 0.08, seed %1").arg(results()->table().seed[6]));
    const Table kept =
        readStudyTables(file, kStudySegments, {6}, {"frequency", "motion_1_h1", "motion_phase_1_h1"}).front();
    for (std::size_t point = 0; point < 3; ++point) {
      const std::vector<double> row = rowsOf(kept)[point];
      QCOMPARE(amplitude.groups[1].curves[2].points[point], QPointF(row[0], row[1]));
      QCOMPARE(phase.groups[1].curves[2].points[point].x(), row[0]);
      QVERIFY(std::abs(std::remainder(phase.groups[1].curves[2].points[point].y() - row[2], 360.0)) < 1e-9);
    }
    // The assembled structure lies within the tolerance of the test: 1 % of the force, times 1.5.
    const std::vector<QPointF>& line = amplitude.groups[1].references[1];
    const QPointF peak = amplitude.groups[1].curves[2].points[1];
    const auto beside = std::min_element(line.begin(), line.end(), [&](const QPointF& a, const QPointF& b) {
      return std::abs(a.x() - peak.x()) < std::abs(b.x() - peak.x());
    });
    QVERIFY(std::abs(beside->y() / peak.y() - 1.0) < 0.02);

    auto* runs = page_->findChild<QTableView*>(QStringLiteral("study-runs"));
    runs->setFocus();
    runs->selectRow(6);  // stands out, and its peak is read
    QVERIFY2(results()->plot()->reading().startsWith(QStringLiteral("run 6: peak ")),
             qPrintable(results()->plot()->reading()));
    QVERIFY2(results()->plot()->reading().contains(QStringLiteral("Hz")), qPrintable(results()->plot()->reading()));
    QCOMPARE(amplitude.groups[0].curves.size(), std::size_t{4});
    QTest::keyClick(runs, Qt::Key_Down, Qt::ShiftModifier);  // two: theirs alone
    QCOMPARE(results()->plot()->data().groups.size(), std::size_t{1});
    QCOMPARE(results()->plot()->data().groups[0].curves.size(), std::size_t{2});
    runs->clearSelection();
    QCOMPARE(results()->plot()->data().groups.size(), std::size_t{2});
    // A click on a curve chooses its run.
    ScatterPlot* plot = results()->plot();
    const QPointF at = plot->data().groups[0].curves[0].points[1];
    const QPoint on(static_cast<int>(plot->transform(QwtAxis::XBottom, at.x())),
                    static_cast<int>(plot->transform(QwtAxis::YLeft, at.y())));
    QTest::mouseClick(plot->canvas(), Qt::LeftButton, Qt::NoModifier, on);
    QTRY_COMPARE(runs->selectionModel()->selectedRows().size(), 1);
    QVERIFY(runs->selectionModel()->selectedRows().front().data().toInt() < 2);  // it lies over its repeat
    figure->setCurrentIndex(0);                                                  // back to figures
    QVERIFY(!results()->phasePlot()->isVisible() && field<QComboBox>(QStringLiteral("study-x"))->isVisible());
    QVERIFY(!results()->plot()->data().curved());
  }

  /// Learning curves of two gains, out of the traces, as their definition has them.
  void learningCurvesAreLaidOverOneAnother() {
    const Json document = Json::parse(R"({"format": "hybridbench-study", "version": 1, "project": "lumped-aff",
      "set": {"/loop/rate_hz": 1000, "/loop/duration_s": 20, "/loop/soft_start_s": 0, "/loop/soft_end_s": 0,
              "/analysis/start_s": 10,
              "/coupling/identification": {"duration_s": 8, "hold_s": 4, "skip_s": 2, "rest_s": 2},
              "/safety/limits": [{"quantity": "not-a-number", "action": "stop"}]},
      "vary": [{"name": "law", "pointer": "/coupling/adaption", "values": [
        {"law": "rls-simultaneous", "forgetting": 0.99, "running_forgetting": 0.99},
        {"law": "rls-simultaneous", "forgetting": 0.999, "running_forgetting": 0.99}]}],
      "traces": true})");
    const std::string file = folder_->filePath(QStringLiteral("learning.h5")).toStdString();
    runStudy(parseStudy(document), file, 2);
    openResult(file);
    QCOMPARE(field<QComboBox>(QStringLiteral("study-y"))->currentText(), QStringLiteral("learning curve of gap 1"));
    QVERIFY(!results()->phasePlot()->isVisible());
    const ScatterData& shown = results()->plot()->data();
    QVERIFY(shown.y.log);
    QCOMPARE(shown.groups.size(), std::size_t{2});
    QCOMPARE(shown.groups[1].name, QStringLiteral("forgetting 0.999"));
    const Table trace = readStudyTables(file, kStudyTraces, {1}, {"gap_1", "reference_1"}).front();
    const std::vector<double> gap = trace.column(0), uncut = trace.column(1);
    double most = 0.0, last = 0.0;
    for (std::size_t period = 0; period < 80; ++period) {  // of 1/8 s, from 10 s on
      double own = 0.0, whole = 0.0;
      for (std::size_t k = 10000 + 125 * period; k < 10125 + 125 * period; ++k) {
        own += gap[k] * gap[k];
        whole += uncut[k] * uncut[k];
      }
      most = std::max(most, whole);
      last = own;
    }
    const QPointF end = shown.groups[1].curves[0].points.back();
    QVERIFY2(std::abs(end.x() - 10.0) < 0.13, qPrintable(QString::number(end.x())));
    QVERIFY2(std::abs(end.y() / (last / most) - 1.0) < 1e-6, qPrintable(QString::number(end.y() * most / last)));
  }

  /// Schemes are whole objects: table and legend say in words what sets each apart.
  void schemesAreToldApart() {
    Json document = loadStudy(std::string(hyb::test::kSourceDir) + "/tests/data/studies/contact-schemes.json").document;
    document["set"]["/loop/trials/count"] = 1;
    document["set"]["/analysis/start_s"] = 0;
    const std::string file = folder_->filePath(QStringLiteral("schemes.h5")).toStdString();
    runStudy(parseStudy(document), file, 2);
    openResult(file);
    const QAbstractItemModel* model = results()->findChild<QTableView*>(QStringLiteral("study-runs"))->model();
    QStringList cells;
    for (int column = 0; column < model->columnCount(); ++column)
      if (model->headerData(column, Qt::Horizontal).toString() == QLatin1String("additions"))
        for (int row = 0; row < model->rowCount(); ++row) cells << model->index(row, column).data().toString();
    QCOMPARE(cells, (QStringList{"none", "iterative-learning", "iterative-learning", "fir"}));
    QStringList legend;
    for (const LegendEntry& entry : results()->plot()->legendEntries()) legend << entry.text;
    const QStringList schemes{"velocity-feedforward", "iterative-learning", "velocity-feedforward, iterative-learning",
                              "fir"};
    QCOMPARE(legend, schemes);
    for (int run = 0; run < schemes.size(); ++run)
      QCOMPARE(QString::fromStdString(parseStudy(document).words(static_cast<std::size_t>(run))), schemes[run]);
  }

  void oneOfItsRunsIsOpenedInAnalyse() {
    vary(0, QStringLiteral("/excitation/signals/0/amplitude_m"), QStringLiteral("0.001, 0.002"));
    QTest::mouseClick(runButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!page_->bar()->running(), kLong_ms);
    auto* open = field<QPushButton>(QStringLiteral("open-run"));
    QVERIFY(!open->isEnabled());
    page_->findChild<QTableView*>(QStringLiteral("study-runs"))->selectRow(1);
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
    QVERIFY2(page_->bar()->message().contains(QStringLiteral("kept from an earlier start")),
             qPrintable(page_->bar()->message()));
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
    QVERIFY(window_->open("benchmark-2020-sample"));
    page_ = window_->fidelity()->study();
    page_->open(file);
    QTRY_COMPARE_WITH_TIMEOUT(field<QLabel>(QStringLiteral("runs"))->text(), QStringLiteral("5 runs"), kLong_ms);
    QVERIFY(!page_->modified());
    QVERIFY(variation(0)->findChild<QCheckBox*>()->isChecked());
    const QString again = folder_->filePath(QStringLiteral("again.json"));
    page_->saveStudy(again);
    QCOMPARE(loadStudy(again.toStdString()).document.dump(), saved.document.dump());

    // One that is part of the program, by its name.
    page_->open(QStringLiteral("marths-plants"));
    QTRY_COMPARE_WITH_TIMEOUT(field<QLabel>(QStringLiteral("runs"))->text(), QStringLiteral("21 runs"), kLong_ms);

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

  void aSecondDialogTakesThePlaceOfTheFirst() {
    auto* open = button(*page_, QStringLiteral("Open…"));
    for (int click = 0; click < 3; ++click) {
      QTest::mouseClick(open, Qt::LeftButton);
      QTRY_COMPARE(page_->findChildren<QFileDialog*>().size(), 1);
    }
    QVERIFY(page_->findChild<QFileDialog*>()->isVisible());
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
    page_->findChild<QTableView*>(QStringLiteral("study-runs"))->selectRow(0);
    QSignalSpy opened(page_, &StudyPage::openRun);
    QTest::mouseClick(field<QPushButton>(QStringLiteral("open-run")), Qt::LeftButton);
    QVERIFY2(page_->bar()->running() && window_->fidelity()->running(), "the window knows, and STOP ends it");
    page_->bar()->cancel();
    QTRY_VERIFY_WITH_TIMEOUT(!page_->bar()->running(), kLong_ms);
    QVERIFY2(opened.isEmpty() == page_->bar()->message().startsWith(QStringLiteral("Cancelled")),
             qPrintable(page_->bar()->message()));
  }

  /// The ramp of a minute would outlast the patience of the test.
  void theSecondStopEndsTheRunningTestAtOnce() {
    ProjectDocument* document = window_->document();
    document->set("/safety/stop_ramp_s", 60.0);
    document->set("/loop/duration_s", 1000.0);
    QTRY_VERIFY_WITH_TIMEOUT(!document->checking(), kLong_ms);
    vary(0, QStringLiteral("/excitation/signals/0/amplitude_m"), QStringLiteral("0.001"));
    auto* pace = field<QComboBox>(QStringLiteral("pace"));
    pace->setCurrentIndex(1);
    QTest::mouseClick(runButton(), Qt::LeftButton);
    QVERIFY(page_->bar()->running());
    const auto begun = [this] {  // the project has been checked
      for (const QLabel* label : page_->bar()->findChildren<QLabel*>())
        if (label->text().startsWith(QStringLiteral("0 of 1"))) return true;
      return false;
    };
    QTRY_VERIFY_WITH_TIMEOUT(begun(), kLong_ms);
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(!page_->bar()->running(), 30'000);
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
