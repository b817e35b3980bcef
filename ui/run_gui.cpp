#include "ui/run_gui.h"

#include <QApplication>
#include <QIcon>
#include <QSettings>
#include <clocale>

#include "core/project/project.h"
#include "ui/document/project_document.h"
#include "ui/main_window.h"
#include "ui/quit_signal.h"
#include "ui/theme.h"

namespace hyb {

int runGui(int argc, char** argv, const GuiOptions& options) {
  QApplication app(argc, argv);
  std::setlocale(LC_NUMERIC, "C");  // files and reports have the same numbers in every language
  QApplication::setOrganizationName(QStringLiteral("HybridBench"));
  QApplication::setApplicationName(QStringLiteral("HybridBench"));
  QApplication::setDesktopFileName(QStringLiteral("hybridbench"));
  // What was asked for on the command line counts for this session; "system" leaves the choice to the View menu.
  const QString asked = QString::fromStdString(options.theme);
  const QString kept = QSettings().value(QStringLiteral("theme"), QStringLiteral("system")).toString();
  const ui::ThemeChoice theme = ui::themeChoice(asked == QLatin1String("system") ? kept : asked);
  ui::applyTheme(app, theme);
  QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/hybridbench.svg")));

  ui::MainWindow window(options.hardware);
  window.setTheme(theme);
  ui::QuitSignal quit;
  QObject::connect(&quit, &ui::QuitSignal::received, &window, &ui::MainWindow::quitWhenSafe);
  window.show();
  const std::string first_template = templates().front().name;
  const QStringList recent = ui::ProjectDocument::recentFiles();
  const std::string project = !options.project.empty() ? options.project
                              : recent.isEmpty()       ? first_template
                                                       : recent.front().toStdString();
  if (!window.open(project)) window.open(first_template);
  return QApplication::exec();
}

}  // namespace hyb
