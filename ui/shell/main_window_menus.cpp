#include <QActionGroup>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>

#include "ui/configure/configure_workspace.h"
#include "ui/document/project_document.h"
#include "ui/fidelity/fidelity_workspace.h"
#include "ui/rig/rig_workspace.h"
#include "ui/run/run_workspace.h"
#include "ui/shell/help_window.h"
#include "ui/shell/main_window.h"

namespace hyb::ui {

void MainWindow::makeMenus() {
  const auto action = [this](QMenu* menu, const QString& text, const QKeySequence& key, auto&& run) {
    QAction* made = menu->addAction(text);
    made->setShortcut(key);
    connect(made, &QAction::triggered, this, run);
    return made;
  };

  QMenu* edit = new QMenu(tr("&Edit"), this);
  QAction* undo = document_->undoStack()->createUndoAction(this, tr("&Undo"));
  undo->setShortcut(Qt::CTRL | Qt::Key_Z);
  QAction* redo = document_->undoStack()->createRedoAction(this, tr("&Redo"));
  redo->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_Z);
  edit->addActions({undo, redo});
  history_ = {undo, redo};

  QMenu* file = menuBar()->addMenu(tr("&File"));
  files_ << action(file, tr("&New from template..."), Qt::CTRL | Qt::Key_N, [this] { newProject(); });
  action(file, tr("New s&tudy from template..."), {}, [this] { newStudy(); });
  files_ << action(file, tr("&Open..."), Qt::CTRL | Qt::Key_O, [this] { chooseProject(); });
  QMenu* recent = file->addMenu(tr("Open &recent"));
  files_ << recent->menuAction();
  connect(recent, &QMenu::aboutToShow, this, [this, recent] {
    recent->clear();
    for (const QString& path : ProjectDocument::recentFiles()) {
      QAction* entry = recent->addAction(QFileInfo(path).fileName());
      entry->setToolTip(path);
      connect(entry, &QAction::triggered, this, [this, path] {
        if (mayDiscard()) open(path.toStdString());
      });
    }
    if (recent->isEmpty()) recent->addAction(tr("None yet"))->setEnabled(false);
  });
  recent->setToolTipsVisible(true);
  file->setToolTipsVisible(true);  // tooltips say why an entry cannot be chosen
  file->addSeparator();
  files_ << action(file, tr("&Save"), Qt::CTRL | Qt::Key_S, [this] { save(); });
  files_ << action(file, tr("Save &as..."), Qt::CTRL | Qt::SHIFT | Qt::Key_S, [this] { saveAs(); });
  file->addSeparator();
  action(file, tr("&Import record..."), {}, [this] {
    chooseRecord();
  })->setToolTip(tr("Makes a run of a record of another program: CSV, MATLAB, HDF5, universal file, TDMS, NumPy"));
  file->addSeparator();
  action(file, tr("&Quit"), Qt::CTRL | Qt::Key_Q, [this] { close(); });

  menuBar()->addMenu(edit);

  QMenu* test = menuBar()->addMenu(tr("&Test"));
  test->addActions(run_->runActions());
  addAction(run_->earlyRun());  // a key, no entry
  test->addAction(fidelity_->faceAction());
  test->addSeparator();
  QAction* stop = test->addAction(tr("Stop (Esc, Space)"));
  connect(stop, &QAction::triggered, this, &MainWindow::stop);

  QMenu* view = menuBar()->addMenu(tr("&View"));
  const QStringList names = rooms();
  for (int i = 0; i < names.size(); ++i)
    action(view, names[i], QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i)),
           [this, i] { showWorkspace(static_cast<Room>(i)); });
  view->addSeparator();
  log_action_ = action(view, tr("Event &log"), Qt::CTRL | Qt::Key_L, [this](bool on) { setLogVisible(on); });
  log_action_->setCheckable(true);
  QMenu* theme = view->addMenu(tr("&Theme"));
  auto* themes = new QActionGroup(this);
  const std::pair<QString, QString> choices[] = {{tr("Follow the &system"), QStringLiteral("system")},
                                                 {tr("&Light"), QStringLiteral("light")},
                                                 {tr("&Dark"), QStringLiteral("dark")}};
  const QString current = QSettings().value(QStringLiteral("theme"), QStringLiteral("system")).toString();
  for (const auto& [text, value] : choices) {
    QAction* choice = theme->addAction(text);
    choice->setCheckable(true);
    choice->setChecked(value == current);
    choice->setObjectName(QStringLiteral("theme-") + value);
    themes->addAction(choice);
    connect(choice, &QAction::triggered, this, [this, value = value] {
      QSettings().setValue(QStringLiteral("theme"), value);
      setTheme(themeChoice(value));
    });
  }

  help_ = new HelpWindow(this);
  QMenu* help = menuBar()->addMenu(tr("&Help"));
  action(help, tr("Help for this page"), Qt::Key_F1, [this] { help_->open(helpPage()); });
  for (const auto& [text, page] :  // the window of the help lists all pages
       {std::pair{tr("Your first test"), "first-test"}, {tr("Keys"), "keys"}, {tr("All pages"), ""}})
    connect(help->addAction(text), &QAction::triggered, this,
            [this, name = QString::fromLatin1(page)] { help_->open(name); });
  help->addSeparator();
  connect(help->addAction(tr("About HybridBench")), &QAction::triggered, this, [this] {
    auto* about = new QMessageBox(QMessageBox::NoIcon, tr("About HybridBench"),
                                  tr("HybridBench: test bench for real-time hybrid substructuring.\nMIT licence."),
                                  QMessageBox::Ok, this);
    about->setAttribute(Qt::WA_DeleteOnClose);
    about->setModal(false);
    about->show();
  });
}

QString MainWindow::helpPage() const {
  switch (workspace()) {
    case Room::configure:
      return configure_->helpPage();
    case Room::rig:
      return rig_->helpPage();
    case Room::run:
      return QStringLiteral("reading-the-plots");
    case Room::analyse:
      return QStringLiteral("run-files");
    case Room::fidelity:
      return fidelity_->helpPage();
  }
  return {};
}

}  // namespace hyb::ui
