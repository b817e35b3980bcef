/// A paced run at 1 kHz with all live views open: frames per second, cost of a frame, late ticks, lost rows.
/// Run by hand: hybridbench_window_bench [seconds]. Needs a display, or QT_QPA_PLATFORM=offscreen.
#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>
#include <cstdio>
#include <cstdlib>

#include "ui/base/theme.h"
#include "ui/control/run_controller.h"
#include "ui/document/project_document.h"
#include "ui/plot/frame_stats.h"
#include "ui/run/run_workspace.h"
#include "ui/shell/main_window.h"

using namespace hyb;
using namespace hyb::ui;

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  const double seconds = argc > 1 ? std::atof(argv[1]) : 60.0;
  QTemporaryDir folder;
  QSettings::setDefaultFormat(QSettings::IniFormat);
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder.path());
  applyTheme(app, ThemeChoice::light);
  MainWindow window;
  window.resize(1280, 800);
  window.show();
  window.open("three-mass");
  window.showWorkspace(Room::run);
  RunController* controller = window.controller();

  RunOptions options;
  options.file = folder.filePath("window.h5").toStdString();
  options.duration_s = seconds;
  options.display = true;
  if (!controller->arm(window.document()->parse(), options)) return 3;
  QTimer::singleShot(200, controller, &RunController::start);
  // Frame by frame in blocks, so that the slowest stretch is seen as well.
  const FrameStats& stats = window.findChild<RunWorkspace*>()->frameStats();
  double slowest = 1e9;
  QTimer watch;
  QObject::connect(&watch, &QTimer::timeout, &watch, [&] {
    if (controller->state() == State::running && stats.frames() > 200)
      slowest = std::min(slowest, stats.framesPerSecond());
  });
  watch.start(1000);
  QObject::connect(controller, &RunController::ended, &app, [&](const RunResult& result) {
    const double late =
        100.0 * static_cast<double>(result.late_ticks) / static_cast<double>(std::max<std::uint64_t>(1, result.ticks));
    std::printf("real time         %s\n", controller->run()->realtimeSummary().c_str());
    std::printf("frames per second %.1f, slowest ten seconds %.1f\n", stats.framesPerSecond(), slowest);
    std::printf("frame             median %.1f ms, 99th percentile %.1f ms\n", stats.medianMs(), stats.p99Ms());
    std::printf("ticks             %llu, late %.3f %%, missed periods %llu\n",
                static_cast<unsigned long long>(result.ticks), late,
                static_cast<unsigned long long>(result.missed_periods));
    std::printf("file              %s, %s; display rows dropped %llu\n", result.complete ? "complete" : "not complete",
                result.valid ? "no row lost" : "rows lost",
                static_cast<unsigned long long>(controller->run()->displayDropped()));
    QApplication::exit(result.valid ? 0 : 1);
  });
  return QApplication::exec();
}
