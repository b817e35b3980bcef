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

/// Curves that a study keeps of its runs, to be laid over one another: responses of sweeps over the frequency, or of
/// runs that differ in the frequency of their excitation, with those of the assembled structure; iterations of sweeps;
/// and how each gap was learnt to close.
class StudyCurves {
 public:
  static constexpr std::size_t kMostRuns = 200;  // of more, the first
  struct Kind {
    enum class Of { response, iterations, excited, learning } of = Of::response;
    QString title;
    std::size_t index = 0;  // of the quantity, or of the interface
    bool hasPhase() const noexcept { return of == Of::response || of == Of::excited; }
  };
  /// What a result file has of them; for a worker, may take seconds. `folder`: where relative paths of its project
  /// start. Throws DeviceError and InputError.
  static StudyCurves of(const std::filesystem::path& file, const StudyTable& table,
                        const std::filesystem::path& folder);
  const std::vector<Kind>& kinds() const noexcept { return kinds_; }
  struct Shown {
    ScatterData curves, phase;  // phase: of responses
  };
  using Words = std::function<QString(std::size_t run)>;
  /// One curve for each of these runs (ascending), with its own name, in the group that `group` names.
  Shown shown(const Kind& kind, const std::vector<std::size_t>& runs, const Words& name, const Words& group) const;

 private:
  struct Kept {
    std::size_t run = 0, combination = 0;
    SweepList sweep;
    std::shared_ptr<const SweepReference> reference;  // null: there is none
    std::vector<LearningCurve> gaps;                  // [i]; empty: nothing was learnt
    /// Target motion over the excitation at its frequency, and that of the uncut structure, [i].
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
