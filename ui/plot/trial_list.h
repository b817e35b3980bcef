#pragma once
#include <QStringList>
#include <optional>
#include <string>
#include <vector>

#include "core/loop/programme.h"
#include "core/record/run_file_reader.h"
#include "core/data/channel.h"

namespace hyb::ui {

/// The trials of a test, one row each, as they stand in /segments of its run file; live or read back.
class TrialList {
 public:
  TrialList() = default;
  /// `columns`: RowLayout::segmentColumns().
  TrialList(const TrialSpec& rules, double rate_hz, std::vector<Channel> columns);
  /// Of a run file; empty where the test ran once. `rules`: of its project.
  static TrialList of(const RunFileReader& file, const TrialSpec& rules);

  bool any() const noexcept { return !columns_.empty(); }  // the test has trials, done or to come
  const TrialSpec& rules() const noexcept { return rules_; }
  const std::vector<Channel>& columns() const noexcept { return columns_; }
  std::size_t count() const noexcept { return rows_.size(); }
  /// One row of columns().
  void append(std::vector<double> row) { rows_.push_back(std::move(row)); }
  double at(std::size_t row, std::size_t column) const noexcept { return rows_[row][column]; }

  std::size_t interfaces() const noexcept { return errors_.size(); }
  /// 0: a damaged file does not say.
  int trial(std::size_t row) const noexcept {
    const double number = rows_[row][trial_];
    return number >= 1.0 && number <= 1e6 ? static_cast<int>(number) : 0;
  }
  double begins_s(std::size_t row) const noexcept { return rows_[row][first_tick_] / rate_hz_; }
  double ends_s(std::size_t row) const noexcept { return rows_[row][last_tick_] / rate_hz_; }
  bool whole(std::size_t row) const noexcept { return rows_[row][whole_] != 0.0; }
  /// Percent: of the worst interface, and of each.
  double error(std::size_t row) const noexcept { return rows_[row][error_]; }
  double error(std::size_t row, std::size_t interface) const noexcept { return rows_[row][errors_[interface]]; }
  std::size_t errorColumn(std::size_t interface) const noexcept { return errors_[interface]; }
  /// Whole, and with an error: it counts.
  bool counts(std::size_t row) const noexcept;
  /// The row with the least error of those that count.
  std::optional<std::size_t> best() const;
  /// How often the error has risen, one trial after the other, up to the last that counts.
  int rises() const noexcept;
  /// Columns that stand behind errors and gaps: what was adapted as a trial began.
  const std::vector<std::size_t>& adapted() const noexcept { return adapted_; }
  /// Gap of each interface, rms and peak.
  const std::vector<std::size_t>& gaps() const noexcept { return gaps_; }

  /// One sentence on how far they are, one for each rule that ends them, and one on the best. `running`: number of the
  /// trial under way, 0: none. `over`: the test has ended. `restored`: trial that was put back, 0: none was.
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
