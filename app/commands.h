#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hyb::app {

/// The subcommands of the program (`hybridbench --help`). Each returns an exit code and throws InputError or
/// DeviceError.

int listTemplates(bool json);
/// The published JSON Schema of "project" or "study".
int printSchema(const std::string& of);
/// Writes the worked example of a user-written compensator into a new folder.
int writePlugIn(const std::string& folder);

struct NewOptions {
  std::string name, output;  // output empty: "<name>.json" in the current folder
};
int newProject(const NewOptions& options);

/// `preflight`: includes the pre-flight list.
int checkProject(const std::string& project, bool preflight, bool json);

struct RunCommand {
  std::string project, output;  // output empty: named by title and time
  std::string go_on;            // run file of a stopped sweep to continue; empty: from the beginning
  bool real_time = false;
  std::vector<std::string> set;
  std::optional<double> duration_s;
  std::optional<std::uint64_t> seed;
  std::string begin_with;  // run file; empty: no learnt state
  int trial = 0;           // of that run; 0: its best
  bool json = false;
};
int run(const RunCommand& command);

int recoverRun(const std::string& file, const std::string& output, bool json);

int showMetrics(const std::string& file, bool json);

struct StabilityCommand {
  std::string project;
  std::vector<std::string> set;
  std::optional<double> delay_s, cutoff_hz;
  bool map = false;
  int points = 41;  // of the map
  bool springs = false;
  std::string locus;              // "FROM:TO:N", s; empty: none
  std::string dynamic_stiffness;  // "FROM:TO:COUNT", Hz; empty: none
  bool json = false;
};
int stability(const StabilityCommand& command);

struct PlantCommand {
  std::string project;
  std::vector<std::string> set;
  std::string frequencies;  // "FROM:TO:N", Hz; empty: 1, 2, 5 of each decade up to the cut-off
  bool keep_rest = false;   // keeps the gain at rest instead of that at high frequencies
  bool json = false;
};
int plant(const PlantCommand& command);

struct LatencyCommand {
  double rate_hz = 1000.0, duration_s = 10.0;
  bool json = false;
};
int latency(const LatencyCommand& command);

}  // namespace hyb::app
