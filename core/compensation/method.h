#pragma once
#include <Eigen/Core>
#include <complex>
#include <filesystem>
#include <memory>
#include <optional>
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

/// The interface DOF of one method: all of them, or one of several with a method each.
struct Axes {
  std::size_t count = 1;
  std::size_t first = 0;
  bool all = true;
  /// "1": number of the method's own axis i in the user's count.
  std::string number(std::size_t i) const { return std::to_string(first + i + 1); }
  /// "gain_1": name of a value of axis i.
  std::string name(std::string_view what, std::size_t i) const { return std::string(what) + "_" + number(i); }
  /// "alpha", or "alpha_2": name of a value common to all axes of the method.
  std::string name(std::string_view what) const { return all ? std::string(what) : name(what, 0); }
};

/// Context of a configured method in its loop.
struct MethodContext {
  Axes axes;
  double step_s = 1.0;                // one tick
  std::filesystem::path folder = {};  // base of relative paths
};

/// Commands u of all axes from their targets z, tick by tick:  x(k+1) = a x(k) + b z(k),  u(k) = c x(k) + d z(k).
struct CommandSystem {
  Eigen::MatrixXd a, b, c, d;  // [n, n], [n, axis], [axis, n], [axis, axis]
  /// u over z at e^{s tick}; [axis, axis].
  Eigen::MatrixXcd at(std::complex<double> s, double step_s) const;
};

class CompensationMethod;
using CompensationMethodPtr = std::shared_ptr<const CompensationMethod>;

/// A configured compensation method: valid settings, immutable and shared. make() returns the running instance.
/// Analyses use this interface only, so that nothing else depends on a particular method. Axes count from 0 within
/// context.axes.
class CompensationMethod {
 public:
  virtual ~CompensationMethod() = default;
  virtual std::unique_ptr<Compensator> make() const = 0;
  /// Its response to the target of an axis at the start: the sum of tap_j e^{-s j step}, newest first. Empty: the
  /// target is unchanged.
  virtual std::vector<double> taps(std::size_t /*axis*/) const { return {}; }
  /// At the start, of a method whose commands depend on the targets of several axes; taps() are then only the response
  /// of each command to its own target.
  virtual std::optional<CommandSystem> system() const { return {}; }
  /// The delay that it compensates at the start, s.
  virtual double lead_s(std::size_t /*axis*/) const { return 0.0; }
  /// False: the command is the target.
  virtual bool acts() const noexcept { return true; }
  /// True if it learns while the test runs.
  virtual bool adapts() const noexcept { return false; }
  /// Remarks on these settings, one sentence each; shown beside them.
  virtual std::vector<std::string> remarks() const { return {}; }
  /// Attributes of a run file on data outside the project: name and value.
  virtual std::vector<std::pair<std::string, std::string>> provenance() const { return {}; }
  /// Before a rig is armed: throws InputError with the reason if it must not run in the tick. Not real-time.
  virtual void tryOut() const {}
  /// External programs that make() would run and that are not loaded: make() throws InputError, and the properties of
  /// this object exclude them.
  virtual std::vector<PlugInFile> notLoaded() const { return {}; }
  /// The same method with its programs loaded, monitored by `watch`; null: all are loaded. The programs run from here
  /// on. Only for tests, replays and studies (core/run/plug_ins.h). Throws InputError: not accepted, or not executable.
  virtual CompensationMethodPtr loaded(const PlugInWatchPtr& /*watch*/) const { return nullptr; }
};
/// "The library "lead.so" is not loaded here. The change that it makes to the command is left out."; "" if all programs
/// of the method are loaded.
std::string leftOutWords(const CompensationMethod& method);

/// One member of the family. `resources/schema/compensation/<name>.json` describes its settings; parse() only receives
/// settings that satisfy it. Help: `resources/help/compensation/<name>.md`.
struct CompensationEntry {
  std::string_view name;
  /// Faults are added to `checks`, with places relative to the settings ("/alpha"); returns nothing if there are any.
  CompensationMethodPtr (*parse)(const Json& settings, const MethodContext& context, Checks& checks);
};
/// All methods in display order.
std::span<const CompensationEntry> compensationMethods() noexcept;

/// A setting with one number for all axes, or a list with one for each; `fallback` if it is omitted. A list of another
/// length is a fault.
Eigen::VectorXd axisNumbers(const Json& settings, const char* key, double fallback, const Axes& axes, Checks& checks);

/// The command is the target.
CompensationMethodPtr noCompensation();
/// Axes for the lists of a section, at least one: if the cut is unknown.
Axes axesAsked(const Json& section);
/// The section of a project, at `where`: settings with their method, or a list of them with one for each of `axes`.
/// Nothing if there are faults.
CompensationMethodPtr parseCompensation(const Json& section, const std::string& where, const MethodContext& context,
                                        Checks& checks);

}  // namespace hyb
