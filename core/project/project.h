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
  std::filesystem::path file;  // with the project's folder before it where that is relative
  GroundMotionFormat format = GroundMotionFormat::automatic;
  AccelerationUnit unit = AccelerationUnit::from_file;
  std::optional<double> step_s;  // of a file without times
  bool acceleration = false;     // the record itself, m/s2 (spec.scale alone counts), instead of a displacement
  GroundMotionSpec spec;
};
/// Reads its file. Throws InputError.
GroundMotion readRecord(const GroundMotionSignal& signal);

struct SignalSpec {
  std::string name;
  std::string units = "m";  // "m", "m/s2" or "N"
  std::variant<SineSpec, MultiSineSpec, SweepSpec, SquareSpec, StepSpec, GroundMotionSignal> shape;
};

/// A validated project: every section as plain data, ready to build from. Section by section like the file.
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
    PlugInWatchPtr watch = {};      // of the libraries that it runs; null: there are none, or they are not loaded
    Eigen::VectorXd added_delay_s;  // [i], inserted on purpose, behind the compensator
  } compensation;
  TwinParams twin;
  RigSpec rig;  // use, connection, channels, faults: what /rig holds beside the twin
  std::vector<Limit> limits;
  std::vector<Limit>
      command_bounds;             // limits that the project does not declare, watched behind those: command_bounds.h
  std::vector<AxisSignals> axes;  // of the interface, as cut and scheme make them
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

  Json document;                   // the project as loaded (after migration), what is saved and recorded
  std::filesystem::path folder;    // where relative paths start; empty for a template
  std::vector<std::string> notes;  // no errors, but worth knowing: matrices evened out, damping that the cut leaves out
};

/// Schema, then meaning. Every error, each with a JSON pointer and a sentence that says how to mend it; empty = valid.
/// `notes` takes Project::notes.
std::vector<Issue> validate(const Json& document, const std::filesystem::path& folder = {},
                            std::vector<std::string>* notes = nullptr);
/// The coupling scheme of a sound project, also where the rest of it cannot be read here.
CouplingSpecPtr couplingOf(const Json& document);
/// Throws InputError with everything validate() finds.
Project parseProject(const Json& document, const std::filesystem::path& folder = {});

/// Of a recorded test, for its figures: as parseProject(), but without the libraries that its compensation names, which
/// need not be here, and which nothing of it may run. Project::document keeps them.
Project parseRecorded(const Json& document, const std::filesystem::path& folder = {});
/// The libraries that the compensation of a project names.
std::vector<std::string> librariesNamed(const Json& document);

/// `name` is a file or a template's name. Migrates older versions. Throws InputError (not JSON: line and column;
/// invalid) or DeviceError (unreadable).
Json loadDocument(const std::string& name, std::filesystem::path* folder = nullptr);
Project loadProject(const std::string& name);
/// Writes to a temporary file beside it, then renames. Throws DeviceError and leaves the old file whole.
void saveDocument(const Json& document, const std::filesystem::path& file);
/// Applies "--set /pointer=VALUE" (VALUE is JSON, or text where that does not parse). Throws InputError.
void setValue(Json& document, const std::string& assignment);
/// Older versions to today's, in place; version too new or missing: InputError.
void migrate(Json& document);

struct Template {
  std::string name, title, description;
};
std::vector<Template> templates();
const Json& templateDocument(std::string_view name);  // throws InputError naming the templates there are
/// The published JSON Schema (draft 7). Fields carry title, description, x-unit, minimum, default: forms are made from
/// it.
const Json& projectSchema();

}  // namespace hyb
