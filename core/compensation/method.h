#pragma once
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/checks.h"
#include "core/base/json_fwd.h"
#include "core/compensation/compensator.h"
#include "core/compensation/plug_in_consent.h"
#include "core/compensation/plug_in_watch.h"

namespace hyb {

/// The interface DOF that one method serves: all of them, or one of several that have a method each.
struct Axes {
  std::size_t count = 1;
  std::size_t first = 0;
  bool all = true;
  /// "1": number of the method's own axis i, as users count.
  std::string number(std::size_t i) const { return std::to_string(first + i + 1); }
  /// "gain_1": name of what belongs to axis i.
  std::string name(std::string_view what, std::size_t i) const { return std::string(what) + "_" + number(i); }
  /// "alpha", or "alpha_2": name of what all axes of the method share.
  std::string name(std::string_view what) const { return all ? std::string(what) : name(what, 0); }
};

/// What a configured method is told of its loop.
struct MethodContext {
  Axes axes;
  double step_s = 1.0;                // one tick
  std::filesystem::path folder = {};  // where relative paths start
};

class CompensationMethod;
using CompensationMethodPtr = std::shared_ptr<const CompensationMethod>;

/// A configured compensation method: settings that hold together, immutable and shared. What runs comes from make();
/// what the analyses ask is answered here, so that nothing else knows a method by its name. Axes count from 0 within
/// context.axes.
class CompensationMethod {
 public:
  virtual ~CompensationMethod() = default;
  virtual std::unique_ptr<Compensator> make() const = 0;
  /// What it makes of the target of an axis, as it starts: the sum of tap_j e^{-s j step}, newest first. Empty: the
  /// target goes on as it is.
  virtual std::vector<double> taps(std::size_t /*axis*/) const { return {}; }
  /// The delay it makes up for as it starts, s.
  virtual double lead_s(std::size_t /*axis*/) const { return 0.0; }
  /// False: the command is the target.
  virtual bool acts() const noexcept { return true; }
  /// Does it go on learning while the test runs?
  virtual bool adapts() const noexcept { return false; }
  /// What is worth knowing of these settings, a sentence each; shown beside them.
  virtual std::vector<std::string> remarks() const { return {}; }
  /// What a run file has to say of what the project does not hold itself: attribute and value.
  virtual std::vector<std::pair<std::string, std::string>> provenance() const { return {}; }
  /// Before a rig is armed: throws InputError with the reason why this must not come into the tick. Not real-time.
  virtual void tryOut() const {}
  /// Programs of others that make() would run, and that are not loaded: it throws InputError, and what is answered here
  /// leaves them out.
  virtual std::vector<PlugInFile> notLoaded() const { return {}; }
  /// The same with its programs loaded, which `watch` sees; null: it has none that are not. From here on they run. For
  /// tests, replays and studies alone (core/run/plug_ins.h). Throws InputError: not accepted, or none that can be run.
  virtual CompensationMethodPtr loaded(const PlugInWatchPtr& /*watch*/) const { return nullptr; }
};
/// "The library "lead.so" is not loaded here, so that what it makes of the command is left out."; "" where all that a
/// method runs is loaded.
std::string leftOutWords(const CompensationMethod& method);

/// One member of the family. Its settings are described in resources/schema/compensation/<name>.json, which the
/// settings that parse() gets are known to keep; its help is resources/help/compensation/<name>.md.
struct CompensationEntry {
  std::string_view name;
  /// Faults go to `checks`, with places relative to the settings ("/alpha"); nothing when there are any.
  CompensationMethodPtr (*parse)(const Json& settings, const MethodContext& context, Checks& checks);
};
/// All methods there are, in the order in which they are offered.
std::span<const CompensationEntry> compensationMethods() noexcept;

/// A setting that has one number for all axes, or a list with one for each; `fallback` where it is left out. A list
/// that does not fit is a fault.
Eigen::VectorXd axisNumbers(const Json& settings, const char* key, double fallback, const Axes& axes, Checks& checks);

/// The command is the target.
CompensationMethodPtr noCompensation();
/// As many axes as the lists of a section have, at least one: where the cut is not known.
Axes axesAsked(const Json& section);
/// The section of a project, at `where`: settings with their method, or a list of them with one for each of `axes`.
/// Nothing when there are faults.
CompensationMethodPtr parseCompensation(const Json& section, const std::string& where, const MethodContext& context,
                                        Checks& checks);

}  // namespace hyb
