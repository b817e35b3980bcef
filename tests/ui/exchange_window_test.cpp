/// Records in and out of the window: a foreign file is looked at, named, imported and opened; a run is exported.
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/file_bytes.h"
#include "core/record/run_table.h"
#include "tests/support/gui_session.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"
#include "ui/analyse/analyse_workspace.h"
#include "ui/analyse/export_dialog.h"
#include "ui/analyse/import_dialog.h"
#include "ui/base/number_field.h"

using namespace hyb;
using namespace hyb::test;
using namespace hyb::ui;

class ExchangeWindowTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  QString path(const char* name) const { return folder_.filePath(name); }
  /// A record as another program wrote it: command in mm, force in kN with the other sign, times in ms.
  QString record(const char* name) const {
    std::string text = "Time [ms];Cmd [mm];LVDT [mm];Load\n";
    for (int k = 0; k < 3000; ++k) {
      const double x = std::sin(0.01 * k);
      text += QString("%1;%2;%3;%4\n").arg(k).arg(x).arg(1.01 * x).arg(-2.0 * x).replace('.', ',').toStdString();
    }
    writeWhole(path(name).toStdString(), text);
    return path(name);
  }

 private Q_SLOTS:
  void aForeignRecordBecomesARun() {
    ImportDialog dialog(record("lab.csv"), path("runs/of today"), {}, {});  // a folder that nobody has made yet
    dialog.show();
    auto* columns = dialog.findChild<QTableWidget*>("import-columns");
    auto* button = dialog.findChild<QPushButton*>("import-write");
    auto* message = dialog.findChild<QLabel*>("import-message");
    QTRY_COMPARE_WITH_TIMEOUT(columns->rowCount(), 4, kHangs_ms);
    QCOMPARE(dialog.findChild<QComboBox*>("import-times")->currentText(), QString("Column Time"));
    QCOMPARE(columns->item(0, 5)->text(), QString("time"));
    QCOMPARE(columns->item(1, 5)->text(), QString("m"));
    QVERIFY(columns->item(1, 6)->text().startsWith("0; "));
    // Typed as a technician would: the message follows.
    columns->item(1, 3)->setText("target_1");
    columns->item(2, 3)->setText("target_1");
    QVERIFY(!button->isEnabled());
    QVERIFY2(message->text().contains("target_1"), qPrintable(message->text()));
    columns->item(2, 3)->setText("Measured 1");
    QVERIFY(!button->isEnabled());
    QVERIFY2(message->text().contains("small letters"), qPrintable(message->text()));
    columns->item(2, 3)->setText("measured_1");
    columns->item(3, 3)->setText("force_1");
    columns->item(3, 2)->setText("kips?");
    QCOMPARE(columns->item(3, 5)->text(), QString("kips?"));
    QVERIFY(message->text().contains("not known") && button->isEnabled());
    columns->item(3, 2)->setText("");
    QCOMPARE(columns->item(3, 5)->text(), QString("N"));
    QVERIFY(message->text().contains("was taken in N"));
    columns->item(3, 2)->setText("kN");
    QCOMPARE(columns->item(3, 5)->text(), QString("N"));
    columns->item(3, 4)->setCheckState(Qt::Checked);
    QVERIFY(message->text().isEmpty());
    QSignalSpy done(&dialog, &ImportDialog::imported);
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, kHangs_ms);
    const QString run = done.front().front().toString();
    const Table table = tableOf(std::make_shared<const RunFileReader>(run.toStdString()));
    QCOMPARE(table.rate_hz, 1000.0);
    QVERIFY(std::abs(values(table, "target_1")->at(157) - 1e-3 * std::sin(1.57)) < 1e-8);
    QVERIFY(std::abs(values(table, "force_1")->at(157) - 2e3 * std::sin(1.57)) < 1e-1);

    AnalyseWorkspace workspace;
    QSignalSpy opened(&workspace, &AnalyseWorkspace::runOpened);
    workspace.openRun(run);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, kHangs_ms);
    QCOMPARE(opened.front().at(1).toString(), QString());
    bool says = false;
    for (const QLabel* label : workspace.findChildren<QLabel*>()) says = says || label->text().contains("imported");
    QVERIFY(says);
  }

  void whatCannotBeReadIsASentence() {
    writeWhole(path("no.csv").toStdString(), "once upon a time\n");
    ImportDialog dialog(path("no.csv"), folder_.path(), {}, {});
    auto* message = dialog.findChild<QLabel*>("import-message");
    QTRY_VERIFY_WITH_TIMEOUT(message->text().contains("no columns of numbers"), kHangs_ms);
    QVERIFY(!dialog.findChild<QPushButton*>("import-write")->isEnabled());
  }

  void aRunIsExported() {
    ImportDialog import(record("out.csv"), folder_.path(), {}, {});
    QSignalSpy done(&import, &ImportDialog::imported);
    auto* button = import.findChild<QPushButton*>("import-write");
    QTRY_VERIFY_WITH_TIMEOUT(button->isEnabled(), kHangs_ms);
    button->click();
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, kHangs_ms);

    ExportDialog dialog(done.front().front().toString());
    auto* channels = dialog.findChild<QListWidget*>("export-channels");
    auto* message = dialog.findChild<QLabel*>("export-message");
    auto* write = dialog.findChild<QPushButton*>("export-write");
    for (int row = 0; row < channels->count(); ++row)
      channels->item(row)->setCheckState(channels->item(row)->data(Qt::UserRole) == "lvdt" ? Qt::Checked
                                                                                           : Qt::Unchecked);
    QCOMPARE(message->text(), QString("Channels: 1"));
    const auto* rate = dialog.findChild<ValueField*>("export-rate");
    QVERIFY(rate->text().isEmpty() && rate->placeholderText() == "as recorded");
    auto* to = dialog.findChild<ValueField*>("export-to");
    QCOMPARE(to->value(), 3.0);
    to->setValue(0.0);
    Q_EMIT to->textChecked();
    QVERIFY(!write->isEnabled());
    to->setValue(0.01);
    Q_EMIT to->textChecked();
    QVERIFY(write->isEnabled());
    dialog.exportTo(path("part.csv"));
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("part.csv")), kHangs_ms);
    QTRY_VERIFY_WITH_TIMEOUT(message->text().contains("rows: 10"), kHangs_ms);
    const std::string text = *hyb::bytesOf(path("part.csv").toStdString());
    QVERIFY(text.starts_with("time,lvdt\ns,m\n0,0\n0.001,"));
    QCOMPARE(std::ranges::count(text, '\n'), 12);
    dialog.exportTo(path("no/such/folder.csv"));
    QTRY_VERIFY_WITH_TIMEOUT(message->text().contains("folder.csv"), kHangs_ms);
  }
};

HYB_SUITE(exchange_window, ExchangeWindowTest)
#include "exchange_window_test.moc"
