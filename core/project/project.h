#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/compensation/method.h"
#include "core/coupling/tracking.h"
#include "core/excitation/excitation.h"
#include "core/excitation/ground_motion.h"
#include "core/excitation/stepped_sine.h"
#include "core/integration/integrator.h"
#include "core/loop/loop.h"
#include "core/loop/realtime.h"
#include "core/loop/safety.h"
#include "core/rig/rig_spec.h"
#include "core/structure/partition.h"
#include "core/structure/structure.h"
#include "core/transfer/params.h"

namespace hyb {

struct GroundMotionSignal {
  std::filesystem::path file;  // a relative path is resolved with the project's folder
  GroundMotionFormat format = GroundMotionFormat::automatic;
  AccelerationUnit unit = AccelerationUnit::from_file;
  std::optional<double> step_s;  // for a file without times
  bool acceleration = false;     // the record itself, m/s2 (without the band of spec), instead of a displacement
  GroundMotionSpec spec;
};
/// Of a signal of that kind in a project.
SteppedSineSpec parseSteppedSine(const Json& signal);
/// Reads its file. Throws InputError.
GroundMotion readRecord(const GroundMotionSignal& signal);

struct SignalSpec {
  std::string name;
  std::string units = "m";  // "m", "m/s2" or "N"
  std::variant<SineSpec, MultiSineSpec, SteppedSineSpec, SweepSpec, SquareSpec, StepSpec, GroundMotionSignal> shape;
};

/// A validated project: every section as plain data, ready to build from, in the order of the file.
struct Project {
  struct Meta {
    std::string title, description, operator_name, source;
  } meta;
  Structure structure;
  PartitionSpec partition;
  struct {
    std::vector<SignalSpec> signals;
    std::vector<Load> loads;
  } excitation;
  IntegratorSpec integrator;
  CouplingSpecPtr coupling = tracking();
  struct {
    CompensationMethodPtr method = noCompensation();
    PlugInWatchPtr watch = {};      // watch of its libraries; null: there are none, or they are not loaded
    Eigen::VectorXd added_delay_s;  // [i], added on purpose behind the compensator
  } compensation;
  TwinParams twin;
  RigSpec rig;  // use, connection, channels, faults: the content of /rig besides the twin
  std::vector<Limit> limits;
  std::vector<Limit> command_bounds;  // derived limits, monitored after the declared ones: command_bounds.h
  std::vector<AxisSignals> axes;      // signals of the interface axes, from cut and scheme
  struct {
    std::string folder;
    double flush_s = 1.0;
    double black_box_s = 5.0;
  } recording;
  LoopConfig loop;
  RealtimeRequest realtime;
  struct {
    double start_s = 0.0;
    GapTolerance gap_tolerance;
    double window_s = 0.5;
    std::optional<double> stability_cutoff_hz;
  } analysis;

  Json document;                 // the project as loaded (after migration), which is saved and recorded
  std::filesystem::path folder;  // start of relative paths; empty for a template
  std::vector<std::string>
      notes;  // remarks that are not errors, for example symmetrised matrices or damping lost in the cut
};

/// Checks schema, then meaning. Returns every error with a JSON pointer and a sentence with its remedy; empty = valid.
/// `notes` receives Project::notes.
std::vector<Issue> validate(const Json& document, const std::filesystem::path& folder = {},
                            std::vector<std::string>* notes = nullptr);
/// The coupling scheme of a valid project, even if its other parts cannot be read here.
CouplingSpecPtr couplingOf(const Json& document);
/// Throws InputError with all findings of validate().
Project parseProject(const Json& document, const std::filesystem::path& folder = {});

/// For the figures of a recorded test: as parseProject(), but without the libraries of its compensation, which may be
/// missing and must not run. Project::document keeps them.
Project parseRecorded(const Json& document, const std::filesystem::path& folder = {});
/// The libraries named by the compensation of a project.
std::vector<std::string> librariesNamed(const Json& document);

/// `name` is a file or the name of a template. Migrates older versions. Throws InputError (not JSON: line and column;
/// invalid) or DeviceError (unreadable).
Json loadDocument(const std::string& name, std::filesystem::path* folder = nullptr);
Project loadProject(const std::string& name);
/// Writes to a temporary file next to it, then renames. On DeviceError the old file is intact.
void saveDocument(const Json& document, const std::filesystem::path& file);
/// Applies "--set /pointer=VALUE" (VALUE is JSON, or text if it is not valid JSON). Throws InputError.
void setValue(Json& document, const std::string& assignment);
/// Migrates a document of an older version in place. Throws InputError if the version is too new or missing.
void migrate(Json& document);

struct Template {
  std::string name, title, description;
};
std::vector<Template> templates();
const Json& templateDocument(std::string_view name);  // throws InputError naming the existing templates
/// The published JSON Schema (draft 7). Fields have title, description, x-unit, minimum and default; the forms use
/// them.
const Json& projectSchema();

}  // namespace hyb
