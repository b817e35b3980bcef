#pragma once
#include <complex>
#include <limits>
#include <span>
#include <vector>

#include "core/fidelity/learning_curve.h"
#include "core/project/project.h"
#include "ui/plot/harmonic_set.h"
#include "ui/plot/run_history.h"

namespace hyb::ui {

/// Learned values of a harmonic command over a test: the gap of each interface, the amplitudes of the harmonics, and
/// the identified response of the rig; row by row, live or from a file.
class LearningRecord {
 public:
  LearningRecord() = default;
  /// For a test of this project with this row layout.
  LearningRecord(const Project& project, const RowLayout& layout);
  bool any() const noexcept { return period_s_ > 0.0; }  // the test learns harmonics
  /// Complete rows of the layout, in the order of time.
  void push(std::span<const double> rows);
  /// Reads all kept rows.
  void read(const RunHistory& history);

  std::size_t interfaces() const noexcept { return curves_.size(); }
  const LearningCurve& curve(std::size_t i) const noexcept { return curves_[i]; }
  double period_s() const noexcept { return period_s_; }
  /// Start of the test, s since Run; before it, the commands are random.
  double begins_s() const noexcept { return begins_s_; }
  double now_s() const noexcept { return now_s_; }  // of the newest row, since Run
  const std::vector<int>& orders() const noexcept { return orders_; }
  /// Amplitudes of the commands once per period: time since the start of the test, and |psi|, [times][axis][order].
  struct Moment {
    double time_s;
    std::vector<double> amplitudes;  // [axis * orders + order]
  };
  const std::vector<Moment>& moments() const noexcept { return moments_; }
  /// The present commands, one signal per axis.
  HarmonicSet commands() const;
  /// Identified gap i over command a at order h, m/N (rotations: by their units); empty: not identified.
  std::complex<double> response(std::size_t i, std::size_t a, std::size_t h) const;
  bool identified() const noexcept { return !response_columns_.empty(); }
  const std::string& commandUnit() const noexcept { return command_unit_; }
  const std::string& responseUnit() const noexcept { return response_unit_; }

 private:
  struct Pair {
    std::size_t re, im;  // columns
  };
  void take(std::span<const double> row);
  std::complex<double> at(const Pair& pair) const { return {newest_[pair.re], newest_[pair.im]}; }
  double period_s_ = 0.0, begins_s_ = 0.0, ends_s_ = std::numeric_limits<double>::infinity(), now_s_ = 0.0;
  std::int64_t last_period_ = -1;
  std::size_t width_ = 0;
  std::vector<int> orders_;
  std::vector<LearningCurve> curves_;
  std::vector<std::size_t> gaps_, coupled_;  // columns, [i]
  std::vector<Pair> command_columns_;        // [axis * orders + order]
  std::vector<Pair> response_columns_;       // [(i * axes + a) * orders + order]
  std::vector<double> newest_;
  std::vector<Moment> moments_;
  std::string command_unit_, response_unit_;
};

}  // namespace hyb::ui
