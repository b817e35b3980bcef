#pragma once
#include <complex>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "core/fidelity/learning_curve.h"
#include "core/project/project.h"
#include "core/study/study_file.h"
#include "ui/plot/scatter_plot.h"
#include "ui/plot/sweep_list.h"

namespace hyb::ui {

/// Curves of the runs of a study for overlays: responses of sweeps, or of runs with different excitation frequencies,
/// with the response of the assembled structure; iterations of sweeps; learning curves of gaps.
class StudyCurves {
 public:
  static constexpr std::size_t kMostRuns = 200;  // with more runs, only the first
  struct Kind {
    enum class Of { response, iterations, excited, learning } of = Of::response;
    QString title;
    std::size_t index = 0;  // index of quantity or interface
    bool hasPhase() const noexcept { return of == Of::response || of == Of::excited; }
  };
  /// Reads the curves of a result file; slow, for a worker thread. `folder`: base of relative paths of its project.
  /// Throws DeviceError and InputError.
  static StudyCurves of(const std::filesystem::path& file, const StudyTable& table,
                        const std::filesystem::path& folder);
  const std::vector<Kind>& kinds() const noexcept { return kinds_; }
  struct Shown {
    ScatterData curves, phase;  // phase: phases of responses
  };
  using Words = std::function<QString(std::size_t run)>;
  /// One named curve for each of these runs (ascending), in the group named by `group`.
  Shown shown(const Kind& kind, const std::vector<std::size_t>& runs, const Words& name, const Words& group) const;

 private:
  struct Kept {
    std::size_t run = 0, combination = 0;
    SweepList sweep;
    std::shared_ptr<const SweepReference> reference;  // null: no reference
    std::vector<LearningCurve> gaps;                  // [i]; empty: nothing was learnt
    /// Response of the target motion to the excitation at its frequency, and that of the uncut structure, [i].
    double hz = 0.0;
    std::vector<std::complex<double>> moved, uncut;
    QString unit;  // of the excitation
    std::string moved_unit;
  };
  static void readTraces(const std::filesystem::path& file, const Project& project, Kept& kept);
  void showSweeps(const Kind& kind, const std::vector<std::size_t>& runs, const Words& name, const Words& group,
                  Shown& shown) const;
  void showExcited(const Kind& kind, const std::vector<std::size_t>& runs, const Words& group, Shown& shown) const;
  void showLearning(const Kind& kind, const std::vector<std::size_t>& runs, const Words& name, const Words& group,
                    Shown& shown) const;
  std::vector<Kept> runs_;  // ascending
  std::vector<Kind> kinds_;
};

}  // namespace hyb::ui
