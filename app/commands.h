#pragma once

namespace hyb::app {

struct CommandLine;

// The subcommands of the program (`hybridbench --help`), in the order of the help. Each adds itself to the parser in
// the file of its command. When it runs it returns an exit code, or throws InputError or DeviceError.

void addTemplates(CommandLine& line);
void addPlugIn(CommandLine& line);
void addRigKit(CommandLine& line);
void addSchema(CommandLine& line);
void addNew(CommandLine& line);
void addCheck(CommandLine& line);
void addRun(CommandLine& line);
void addStudy(CommandLine& line);
void addRecover(CommandLine& line);
void addVerify(CommandLine& line);
void addReplay(CommandLine& line);
void addMetrics(CommandLine& line);
void addExport(CommandLine& line);
void addImport(CommandLine& line);
void addAnalyse(CommandLine& line);
void addCompare(CommandLine& line);
void addGait(CommandLine& line);
void addContinuation(CommandLine& line);
void addIdentify(CommandLine& line);
void addStability(CommandLine& line);
void addPlant(CommandLine& line);
void addRig(CommandLine& line);
void addConform(CommandLine& line);
void addLatency(CommandLine& line);

}  // namespace hyb::app
