#include "ui/shell/run_gui.h"

#include <QApplication>
#include <QDebug>
#include <QFile>
#include <QIcon>
#include <QSettings>
#include <clocale>
#include <cstdlib>
#include <optional>

#include "core/project/project.h"
#include "ui/base/theme.h"
#include "ui/document/project_document.h"
#include "ui/shell/main_window.h"
#include "ui/shell/quit_signal.h"

namespace hyb {
namespace {

/// Collects Qt's messages from the search for a window system. Qt would abort where there is none.
struct Beginning {
  explicit Beginning(void (*on_failure)()) {
    refuse = on_failure;
    usual = qInstallMessageHandler([](QtMsgType type, const QMessageLogContext& context, const QString& text) {
      if (type == QtFatalMsg && refuse != nullptr) refuse();
      if (type == QtFatalMsg) return usual != nullptr ? usual(type, context, text) : std::abort();
      held.append(text);
    });
  }
  ~Beginning() {
    qInstallMessageHandler(usual);
    for (const QString& text : held) qWarning().noquote() << text;
    held.clear();
  }
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;

  static inline void (*refuse)() = nullptr;
  static inline QtMessageHandler usual = nullptr;
  static inline QStringList held;
};

/// A run file, or another HDF5 file of which Analyse says what it is.
bool isHdf5(const std::string& file) {
  QFile opened(QString::fromStdString(file));
  return opened.open(QIODevice::ReadOnly) && opened.read(8) == "\x89HDF\r\n\x1a\n";
}

}  // namespace

int runGui(int argc, char** argv, const GuiOptions& options) {
  std::optional<Beginning> beginning(options.refuse);
  QApplication app(argc, argv);
  beginning.reset();
  std::setlocale(LC_NUMERIC, "C");  // files and reports have the same numbers in every language
  QApplication::setOrganizationName(QStringLiteral("HybridBench"));
  QApplication::setApplicationName(QStringLiteral("HybridBench"));
  QApplication::setDesktopFileName(QStringLiteral("hybridbench"));
  // A theme from the command line counts for this session; "system" leaves the choice to the View menu.
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
  const bool run = isHdf5(options.project);
  const std::string project = !options.project.empty() && !run ? options.project
                              : recent.isEmpty()               ? first_template
                                                               : recent.front().toStdString();
  if (!window.open(project)) window.open(first_template);
  if (run) window.openRun(QString::fromStdString(options.project));
  return QApplication::exec();
}

}  // namespace hyb
