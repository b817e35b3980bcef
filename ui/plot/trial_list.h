#pragma once
#include <QStringList>
#include <optional>
#include <string>
#include <vector>

#include "core/data/table.h"
#include "core/loop/programme.h"

namespace hyb::ui {

/// The trials of a test, one row each, as in /segments of its run file; live or from the file.
class TrialList {
 public:
  TrialList() = default;
  /// `columns`: RowLayout::segmentColumns().
  TrialList(const TrialSpec& rules, double rate_hz, std::vector<Channel> columns);
  /// From a run file; empty for a test without trials. `rules`: of its project.
  static TrialList of(const Table& run, const TrialSpec& rules);

  bool any() const noexcept { return !columns_.empty(); }  // the test has trials, done or to come
  const TrialSpec& rules() const noexcept { return rules_; }
  const std::vector<Channel>& columns() const noexcept { return columns_; }
  std::size_t count() const noexcept { return rows_.size(); }
  /// One row of columns().
  void append(std::vector<double> row) { rows_.push_back(std::move(row)); }
  double at(std::size_t row, std::size_t column) const noexcept { return rows_[row][column]; }

  std::size_t interfaces() const noexcept { return errors_.size(); }
  /// 0: missing in a damaged file.
  int trial(std::size_t row) const noexcept {
    const double number = rows_[row][trial_];
    return number >= 1.0 && number <= 1e6 ? static_cast<int>(number) : 0;
  }
  double begins_s(std::size_t row) const noexcept { return rows_[row][first_tick_] / rate_hz_; }
  double ends_s(std::size_t row) const noexcept { return rows_[row][last_tick_] / rate_hz_; }
  bool whole(std::size_t row) const noexcept { return rows_[row][whole_] != 0.0; }
  /// Percent: largest of all interfaces, and of each interface.
  double error(std::size_t row) const noexcept { return rows_[row][error_]; }
  double error(std::size_t row, std::size_t interface) const noexcept { return rows_[row][errors_[interface]]; }
  std::size_t errorColumn(std::size_t interface) const noexcept { return errors_[interface]; }
  /// True for a complete trial with an error value.
  bool counts(std::size_t row) const noexcept;
  /// The counted row with the least error.
  std::optional<std::size_t> best() const;
  /// Number of consecutive rises of the error, up to the last counted trial.
  int rises() const noexcept;
  /// Columns after errors and gaps: adapted values at the start of a trial.
  const std::vector<std::size_t>& adapted() const noexcept { return adapted_; }
  /// Gap of each interface, rms and peak.
  const std::vector<std::size_t>& gaps() const noexcept { return gaps_; }

  /// One sentence on the progress, one per rule that ends the trials, and one on the best. `running`: number of the
  /// running trial, 0: none. `over`: the test has ended. `restored`: trial whose initial state was restored, 0: none.
  QStringList sentences(int running, bool over, int restored) const;

 private:
  std::size_t find(const std::string& name) const noexcept;
  void tellRules(QStringList& all, int running, bool over) const;
  TrialSpec rules_;
  double rate_hz_ = 1.0;
  std::vector<Channel> columns_;
  std::vector<std::vector<double>> rows_;
  std::size_t trial_ = 0, first_tick_ = 0, last_tick_ = 0, whole_ = 0, error_ = 0;
  std::vector<std::size_t> errors_, gaps_, adapted_;
};

}  // namespace hyb::ui
