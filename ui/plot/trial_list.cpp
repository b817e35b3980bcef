#include "ui/plot/trial_list.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/loop/trials.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

QString trialWords(const char* text) { return QCoreApplication::translate("TrialList", text); }
QString timesText(int count) { return count == 1 ? trialWords("1 time") : trialWords("%1 times").arg(count); }
QString percentText(double value) { return figureText(value) + QStringLiteral(" %"); }

}  // namespace

TrialList::TrialList(const TrialSpec& rules, double rate_hz, std::vector<Channel> columns)
    : rules_(rules), rate_hz_(rate_hz), columns_(std::move(columns)) {
  trial_ = find("trial");
  first_tick_ = find("first_tick");
  last_tick_ = find("last_tick");
  whole_ = find("whole");
  error_ = find("tracking_nrmse_percent");
  std::vector<std::size_t> known = {trial_, first_tick_, last_tick_, whole_, error_};
  if (std::find(known.begin(), known.end(), columns_.size()) != known.end()) {
    columns_.clear();  // not columns of trials
    return;
  }
  const auto numbered = [&](const std::string& stem, std::vector<std::size_t>& list) {
    for (int i = 1;; ++i) {
      const std::size_t column = find(stem + std::to_string(i));
      if (column == columns_.size()) return;
      list.push_back(column);
      known.push_back(column);
    }
  };
  numbered("tracking_nrmse_percent_", errors_);
  numbered("gap_rms_", gaps_);
  numbered("gap_peak_", gaps_);
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (std::find(known.begin(), known.end(), c) == known.end()) adapted_.push_back(c);
}

TrialList TrialList::of(const Table& run, const TrialSpec& rules) {
  if (!run.segments || !hyb::find(*run.segments, "trial")) return {};  // none, or a sweep
  TrialList list(rules, run.rate_hz, run.segments->channels);
  if (!list.any()) return list;
  for (std::vector<double>& row : rowsOf(*run.segments)) list.append(std::move(row));
  return list;
}

std::size_t TrialList::find(const std::string& name) const noexcept {
  const auto found =
      std::find_if(columns_.begin(), columns_.end(), [&](const Channel& channel) { return channel.name == name; });
  return static_cast<std::size_t>(found - columns_.begin());
}

bool TrialList::counts(std::size_t row) const noexcept { return whole(row) && std::isfinite(error(row)); }

std::optional<std::size_t> TrialList::best() const {
  std::vector<double> wholes, errors;
  for (std::size_t row = 0; row < count(); ++row) wholes.push_back(rows_[row][whole_]), errors.push_back(error(row));
  return bestTrialRow(wholes, errors);
}

int TrialList::rises() const noexcept {
  Rises rise;
  int now = 0;
  for (std::size_t row = 0; row < count(); ++row)
    if (counts(row)) now = rise.add(error(row));
  return now;
}

QStringList TrialList::sentences(int running, bool over, int restored) const {
  QStringList all;
  const int done = static_cast<int>(count()), most = rules_.count;
  if (most > 0) tellRules(all, running, over);
  if (const std::optional<std::size_t> least = best()) {
    QString sentence = trialWords("Best: trial %1 with %2.").arg(trial(*least)).arg(percentText(error(*least)));
    if (restored > 0) sentence += trialWords(" At the end the initial state of trial %1 was restored.").arg(restored);
    all << sentence;
  } else if (done > 0) {
    all << trialWords("No trial counts: each was held, cut short, or without target.");
  }
  return all;
}

void TrialList::tellRules(QStringList& all, int running, bool over) const {
  const int done = static_cast<int>(count()), most = rules_.count;
  if (over)
    all << (done < most ? trialWords("%1 of at most %2 trials were done.").arg(done).arg(most)
                        : trialWords("All %1 trials were done.").arg(done));
  else if (running > done)
    all << trialWords("Trial %1 of at most %2 is running.").arg(running).arg(most);
  else if (done > 0)
    all << trialWords("%1 of at most %2 trials are done.").arg(done).arg(most);
  else
    all << trialWords("At most %1 trials of %2 s, %3 s between two.")
               .arg(most)
               .arg(figureText(rules_.length_s, 4), figureText(rules_.pause_s, 4));

  const std::optional<std::size_t> least = best();
  const int risen = rises();
  if (rules_.stop_after_rises <= 0)
    all << trialWords("A rising error does not end the trials.");
  else if (risen >= rules_.stop_after_rises && done < most)
    all << trialWords("A rising error ended the trials: it rose %1 in a row.").arg(timesText(risen));
  else if (done > 0)
    all << trialWords("The trials end when the error rises %1 in a row; it has risen %2.")
               .arg(timesText(rules_.stop_after_rises), timesText(risen));
  else
    all << trialWords("The trials end when the error rises %1 in a row.").arg(timesText(rules_.stop_after_rises));

  if (rules_.stop_below_percent <= 0.0)
    all << trialWords("A small error does not end the trials.");
  else if (least && error(*least) < rules_.stop_below_percent && done < most)
    all << trialWords("A small error ended the trials: %1, below %2.")
               .arg(percentText(error(*least)), percentText(rules_.stop_below_percent));
  else if (least)
    all << trialWords("The trials end at an error below %1; the least is %2.")
               .arg(percentText(rules_.stop_below_percent), percentText(error(*least)));
  else
    all << trialWords("The trials end at an error below %1.").arg(percentText(rules_.stop_below_percent));
}

}  // namespace hyb::ui
