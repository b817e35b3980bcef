#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/version_text.h"
#include "core/base/kept_memory.h"
#include "core/compensation/plug_in_watch.h"
#include "core/project/project.h"
#include "hardware/driver_link.h"
#ifdef HYB_GUI
#include "hardware/drivers.h"
#include "hardware/port.h"
#include "hardware/program_site.h"
#include "ui/shell/run_gui.h"
#endif

namespace hyb::app {
namespace {

struct WindowOptions {
  std::string project, theme = "system";
};

#ifdef HYB_GUI
const char* const kWithoutWindow = "use a subcommand: hybridbench run three-mass (hybridbench --help lists them).";

/// Reports that the named window system cannot be used. Qt would abort next.
[[noreturn]] void refuseWindow() {
  const auto named = [](const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0' ? std::string(" ") + variable + "=" + value : std::string();
  };
  note("error: the window cannot be opened on the display that the environment names (" +
       (named("DISPLAY") + named("WAYLAND_DISPLAY") + named("QT_QPA_PLATFORM")).substr(1) +
       "); check that it exists and that you may use it, or " + kWithoutWindow);
  std::_Exit(kDeviceError);
}
#endif

int openWindow([[maybe_unused]] int argc, [[maybe_unused]] char** argv, const WindowOptions& options) {
  std::error_code error;
  if (!options.project.empty() && !std::filesystem::exists(options.project, error))
    loadDocument(
        options.project);  // a mistyped name or subcommand is reported here; faults of the file content in the window
#ifdef HYB_GUI
  const auto given = [](const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
  };
  if (!given("DISPLAY") && !given("WAYLAND_DISPLAY") && !given("QT_QPA_PLATFORM"))
    throw DeviceError(std::string("there is no display to open the window on; log in to a desktop, or ") +
                      kWithoutWindow);
  return runGui(argc, argv, {options.project, options.theme, {makeDevice, serialPorts, makeProgramSite}, refuseWindow});
#else
  note("error: this build has no window; use a subcommand (hybridbench --help lists them).");
  return kInvalidInput;
#endif
}

int dispatch(int argc, char** argv) {
  CommandLine line{CLI::App{
      "HybridBench: test bench for real-time hybrid substructuring. Without a subcommand it opens the window."}};
  CLI::App& app = line.app;
  app.name("hybridbench");
  app.set_version_flag("--version", versionText());
  app.require_subcommand(0, 1);
  app.footer(
      "PROJECT is a file or the name of a template. Exit codes: 0 done, 1 stopped by a limit or fault or\n"
      "different in a comparison, 2 invalid input, 3 device or file error, 4 defect.");
  WindowOptions window;
  app.add_option("PROJECT", window.project, "Project or run file to open in the window");
  app.add_option("--theme", window.theme, "Colours of the window")
      ->check(CLI::IsMember({"light", "dark", "system"}))
      ->capture_default_str();

  for (const auto add :
       {addTemplates, addPlugIn,       addRigKit,   addSchema,    addNew,    addCheck,  addRun,     addStudy,
        addRecover,   addVerify,       addReplay,   addMetrics,   addExport, addImport, addAnalyse, addCompare,
        addGait,      addContinuation, addIdentify, addStability, addPlant,  addRig,    addConform, addLatency})
    add(line);

  try {
    app.parse(argumentsOf(argc, argv));
  } catch (const CLI::ParseError& error) {
    std::ostringstream results, complaints;
    const int code = app.exit(error, results, complaints);
    if (!results.view().empty()) print(results.str());
    if (!complaints.view().empty()) note(complaints.str().substr(0, complaints.str().find_last_not_of('\n') + 1));
    return code == 0 ? kDone : kInvalidInput;
  }
  if (app.get_subcommands().empty()) return openWindow(argc, argv, window);
  return line.exit_code;
}

}  // namespace
}  // namespace hyb::app

namespace {

int begin(int argc, char** argv) {
  using namespace hyb::app;
  openStandardStreams();
  hyb::keepFreedMemory();
  // Both signals would end the program at once; as failed writes they end a test in its safe state.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return dispatch(argc, argv);
  } catch (const hyb::InputError& error) {
    for (const hyb::Issue& issue : error.issues()) note("error: " + issue.where + ": " + issue.message);
    return kInvalidInput;
  } catch (const hyb::DeviceError& error) {
    note(std::string("error: ") + error.what());
    return kDeviceError;
  } catch (const std::exception& error) {
    note(std::string("error: a defect of HybridBench, please report it with what you did: ") + error.what());
    return kDefect;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int code = begin(argc, argv);
  if (!hyb::PlugInWatch::anyGivenUp() && !hyb::DriverLink::anyGivenUp()) return code;
  // A thread is stuck in a plug-in or a driver, so destroy no object that it uses.
  std::fflush(nullptr);
  ::_exit(code);
}
