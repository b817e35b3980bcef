#pragma once
#include <QString>
#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "core/assess/resonance.h"
#include "core/coupling/sweep_reference.h"
#include "core/data/table.h"

namespace hyb::ui {

/// The frequencies of a periodic test, or the points on its paths, one row each, as in /segments of its run file; live
/// or from the file.
class SweepList {
 public:
  /// A harmonic of motion or force in a DOF of the cut. Columns: amplitude and phase, measured and computed.
  struct Quantity {
    QString title;     // "root/20.y, motion"
    std::string unit;  // SI
    std::size_t dof = 0;
    int order = 1;
    bool force = false;
    std::size_t measured = 0, measured_phase = 0, computed = 0, computed_phase = 0;
  };
  /// Amplitude and phase of a harmonic of a command.
  struct CommandColumns {
    std::size_t actuator = 0;
    int order = 1;
    std::size_t amplitude = 0, phase = 0;
    std::string unit;
  };

  SweepList() = default;
  /// `columns`: RowLayout::segmentColumns(); most: total number of frequencies, 0: unknown.
  SweepList(double rate_hz, std::vector<Channel> columns, std::size_t most);
  /// From a recorded run; empty without a sweep.
  static SweepList of(const Table& run);

  bool any() const noexcept { return !columns_.empty(); }  // the test is a sweep
  std::size_t most() const noexcept { return followsPath() ? 0 : most_; }
  std::size_t count() const noexcept { return rows_.size(); }
  /// One row of the columns.
  void append(std::vector<double> row) { rows_.push_back(std::move(row)); }
  double at(std::size_t row, std::size_t column) const noexcept { return rows_[row][column]; }
  double frequency_hz(std::size_t row) const noexcept { return rows_[row][frequency_]; }
  bool converged(std::size_t row) const noexcept { return rows_[row][converged_] != 0.0; }
  double iterations(std::size_t row) const noexcept { return rows_[row][iterations_]; }
  double residual(std::size_t row) const noexcept { return rows_[row][residual_]; }
  double endsAt_s(std::size_t row) const noexcept { return rows_[row][last_tick_] / rate_hz_; }
  std::size_t convergedCount() const noexcept;
  /// "balanced", "too many iterations": the end of the row, by the description of its column in the file.
  QString ending(std::size_t row) const;
  /// Largest error that the residual can hide, %, of this DOF; NaN if not stored.
  double errorBound(std::size_t row, std::size_t dof) const noexcept;

  /// Motions of each harmonic, followed by forces.
  const std::vector<Quantity>& quantities() const noexcept { return quantities_; }
  const std::vector<CommandColumns>& commands() const noexcept { return commands_; }
  std::complex<double> phasor(std::size_t row, std::size_t amplitude, std::size_t phase) const;
  std::complex<double> measured(std::size_t row, const Quantity& q) const {
    return phasor(row, q.measured, q.measured_phase);
  }
  std::complex<double> computed(std::size_t row, const Quantity& q) const {
    return phasor(row, q.computed, q.computed_phase);
  }
  /// Rows by ascending frequency, then in order of arrival.
  std::vector<std::size_t> byFrequency() const;
  /// Points of one pass are joined: one sweep through the frequencies, or one path of a continuation.
  double pass(std::size_t row) const noexcept { return pass_ < columns_.size() ? at(row, pass_) : 1.0; }
  double lastPass() const noexcept { return count() > 0 ? pass(count() - 1) : 0.0; }
  bool followsPath() const noexcept { return !columns_.empty() && stable_ < columns_.size(); }
  bool unstable(std::size_t row) const noexcept { return followsPath() && at(row, stable_) == 0.0; }
  /// As in /segments of a run file.
  Table table() const;
  /// From the converged points of that pass.
  std::optional<Resonance> resonance(const Quantity& q) const;

 private:
  std::size_t find(const std::string& name) const noexcept;  // columns_.size(): not found
  void findQuantities();
  double rate_hz_ = 1.0;
  std::size_t most_ = 0;
  std::vector<Channel> columns_;
  std::vector<std::vector<double>> rows_;
  std::size_t frequency_ = 0, converged_ = 0, iterations_ = 0, residual_ = 0, last_tick_ = 0, end_ = 0, pass_ = 0,
              stable_ = 0;
  std::vector<std::size_t> bounds_;  // [dof]
  std::vector<Quantity> quantities_;
  std::vector<CommandColumns> commands_;
};

/// Values of the reference for this quantity at each of its points, [points]; empty: none.
std::vector<ResponsePoint> referenceOf(const SweepReference* reference, const SweepList::Quantity& q);

}  // namespace hyb::ui
