#include "core/run/verdict.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/figure_text.h"
#include "core/record/finish.h"
#include "core/run/continuation_figures.h"

namespace hyb {
namespace {

std::string percent(double share) { return figureText(100.0 * share) + " %"; }

std::string sentence(std::string text) {
  if (text.empty()) return text;
  if (text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text.ends_with('.') ? text : text + ".";
}

/// Collects findings. The worst one is the grade.
class Findings {
 public:
  void add(Grade grade, std::string reason) { list_.emplace_back(grade, std::move(reason)); }
  void into(Verdict& verdict) {
    std::stable_sort(list_.begin(), list_.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (!list_.empty()) verdict.test = list_.front().first;
    for (auto& [grade, reason] : list_) verdict.reasons.push_back(std::move(reason));
  }

 private:
  std::vector<std::pair<Grade, std::string>> list_;
};

Grade byShare(double share, const VerdictBounds& bounds) {
  return share <= bounds.good_share ? Grade::good : share <= bounds.fair_share ? Grade::fair : Grade::poor;
}

/// Tolerances are given as a length and a force. An interface that turns, or one without a tolerance, is judged by its
/// tracking error alone.
void judgeGap(Findings& found, const InterfaceSums& one, const RunRecord& run, const VerdictBounds& bounds) {
  const bool of_force = one.axis.target == SignalKind::force;
  if (!of_force && one.axis.target != SignalKind::displacement) return;
  const double tolerance = gapToleranceOf(run).of(one.axis);
  if (of_force && tolerance == 0.0) return;
  const double peak = one.tracking.errorPeak(), factor = of_force ? 1.0 : 1e3;
  const std::string unit = of_force ? " N" : " mm";
  const double time =
      static_cast<double>(one.beyond) / static_cast<double>(std::max<std::uint64_t>(1, one.tracking.count()));
  const std::string gap = "The gap of " + one.axis.name + " ";
  const std::string tolerated =
      "largest " + figureText(factor * peak) + unit + ", tolerance " + figureText(factor * tolerance) + unit;
  if (peak <= tolerance) return found.add(Grade::good, gap + "stays within the tolerance: " + tolerated + ".");
  const bool fair = time <= bounds.fair_time && peak <= bounds.fair_excess * tolerance;
  found.add(fair ? Grade::fair : Grade::poor,
            gap + "exceeds the tolerance " + percent(time) + " of the time: " + tolerated + ".");
}

/// The two sides do not add up to the uncut structure: another part was removed from it than stands on the rig.
bool differsFromUncut(const Json& project) {
  const auto partition = project.find("partition");
  return partition != project.end() && partition->is_object() && partition->contains("removed");
}

void judgeMotion(Findings& found, const InterfaceSums& one, bool differs, const VerdictBounds& bounds) {
  const double tracking = one.tracking.nrmse(), reference = one.reference.nrmse();
  const std::string what = (one.axis.asksForForce() ? "The force of " : "The motion of ") + one.axis.name;
  if (!std::isnan(tracking) && !(tracking <= bounds.good_share))
    found.add(byShare(tracking, bounds), what + " has a tracking error (J2) of " + percent(tracking) + "; up to " +
                                             percent(bounds.good_share) + " is good.");
  if (!std::isnan(reference) && differs)
    found.add(Grade::good, what + " has an error against the uncut structure (J4) of " + percent(reference) +
                               ", which is not judged: the part removed from the structure is not the specimen.");
  else if (!std::isnan(reference))
    found.add(byShare(reference, bounds), what + " has an error against the uncut structure (J4) of " +
                                              percent(reference) + "; up to " + percent(bounds.good_share) +
                                              " is good.");
}

void judgeGrowth(Findings& found, const TestSums& sums, const VerdictBounds& bounds) {
  bool known = false;
  double most = 0.0;
  const InterfaceSums* worst = nullptr;
  for (const InterfaceSums& one : sums.interfaces) {
    const double wanted = one.wanted.rms();
    known = known || wanted > 0.0;
    const bool rests = one.moved.rms() < bounds.at_rest * one.reference.rms();
    const double times = wanted > 0.0 && !rests ? one.moved.rms() / wanted : 0.0;
    if (times > most) most = times, worst = &one;
  }
  if (worst != nullptr && most >= bounds.runaway)
    found.add(
        Grade::poor,
        "At the end " + worst->axis.name + (worst->axis.asksForForce() ? " pushes " : " moves ") + figureText(most) +
            " times as much as in the uncut structure" +
            (sums.growth() > 0.0
                 ? ": the loop is unstable."
                 : ". It does not grow any more: its damping is too low, its gain is wrong, or a limit holds it."));
  // Without a reference, a resonance that builds up looks the same.
  if (!known && sums.growth() >= std::log(bounds.runaway))
    found.add(Grade::fair, "At the end the motion still grows, " + figureText(std::exp(sums.growth())) + "-fold in " +
                               figureText(sums.growth_s()) +
                               " s, while the transfer system adds energy. The loop is unstable, "
                               "or a resonance builds up.");
}

/// For a sweep of frequencies. Only the recorded averages count, not the transients before them.
void judgeFrequencies(Findings& found, const std::vector<double>& balanced, const RunRecord& run,
                      const VerdictBounds& bounds) {
  const auto good = std::count(balanced.begin(), balanced.end(), 1.0);
  const double missing =
      1.0 - static_cast<double>(good) / static_cast<double>(std::max<std::size_t>(1, balanced.size()));
  found.add(byShare(missing, bounds), std::to_string(good) + " of " + std::to_string(balanced.size()) +
                                          " frequencies are balanced (page Iterative harmonic balance).");
  const std::optional<std::vector<double>> errors = run.segment("error_bound_1");
  if (!errors || good == 0) return;
  double largest = 0.0;
  for (std::size_t p = 0; p < std::min(errors->size(), balanced.size()); ++p)
    if (balanced[p] == 1.0) largest = std::max(largest, 0.01 * (*errors)[p]);
  found.add(byShare(largest, bounds), "At these, the error of the first interface motion is at most " +
                                          percent(largest) + "; up to " + percent(bounds.good_share) + " is good.");
}

/// For a continuation: did its paths reach their end?
void judgePaths(Findings& found, const ContinuationFigures& figures) {
  const std::string passed = continuationText(figures) + ".";
  if (figures.ends.empty())
    found.add(Grade::fair, "The test ended before the end of the path: " + passed);
  else
    found.add(Grade::good, "Path followed: " + passed);
  for (const auto& [kind, end] : figures.ends)
    found.add(facts(end).asked    ? Grade::good
              : facts(end).failed ? Grade::poor
                                  : Grade::fair,
              "The " + std::string(name(kind)) + " ends: " + std::string(facts(end).words) + ".");
}

void judgeLimits(Findings& found, const RunRecord& run, const AnalysedRows& rows) {
  if (rows.limitRows() == 0) return;
  std::string names;
  for (const LimitReached& limit : run.limits)
    if (limit.action < Action::ramp) names += (names.empty() ? "" : ", ") + limit.name;
  if (!names.empty()) found.add(Grade::fair, "Limits were exceeded without ending the test: " + names + ".");
}

/// How the test ended is also a finding.
void judgeEnd(Findings& found, const RunRecord& run, const AnalysedRows& rows, const VerdictBounds& bounds) {
  if (run.ended == EndReason::limit || run.ended == EndReason::not_a_number || run.ended == EndReason::fallen ||
      run.ended == EndReason::plug_in)
    found.add(Grade::poor, sentence(run.stop_reason));
  if (rows.empty()) return;
  if (rows.share() < bounds.whole_share)
    found.add(Grade::fair,
              "The test was cut short: only " + percent(rows.share()) + " of the planned analysis was recorded.");
  const double periods = static_cast<double>(rows.count() + rows.missedPeriods());
  if (static_cast<double>(rows.missedPeriods()) > bounds.missed_share * periods)
    found.add(Grade::fair, percent(static_cast<double>(rows.missedPeriods()) / periods) +
                               " of the periods were missed and are interpolated.");
  if (static_cast<double>(rows.emulatedRows()) > bounds.missed_share * static_cast<double>(rows.count()))
    found.add(Grade::fair, "Emulated forces drove the numerical substructure " +
                               percent(static_cast<double>(rows.emulatedRows()) / static_cast<double>(rows.count())) +
                               " of the time, so the loop was open.");
}

/// Why the gap does not show the quality of this test; empty if it does.
std::string unjudged(const RunRecord& run) {
  try {
    return couplingOf(run.project)->unjudged();
  } catch (const std::exception&) {
    return {};  // project of a damaged run, or of a run older than this text
  }
}

std::vector<std::string> missingOf(const RunRecord& run, const AnalysedRows& rows) {
  std::vector<std::string> missing;
  const auto counted = [](std::uint64_t n, const char* one, const char* many) {
    return std::to_string(n) + (n == 1 ? one : many);
  };
  if (run.ended == EndReason::killed)
    missing.emplace_back("the last rows: up to one second before the program was killed");
  if (run.rows_lost > 0) missing.push_back(counted(run.rows_lost, " row lost", " rows lost"));
  if (const std::uint64_t missed = rows.missedInAll(); missed > 0)
    missing.push_back(counted(missed, " missed period", " missed periods"));
  if (run.ended == EndReason::not_a_number) missing.emplace_back("a signal was not a number");
  if (run.ended == EndReason::recorder_failed && run.rows_lost == 0) missing.emplace_back("recording failed");
  for (const std::string& part : run.damage) missing.push_back("damaged after the test: " + part);
  if (missing.empty() && !run.valid && run.ended != EndReason::running) missing.push_back(run.stop_reason);
  return missing;
}

}  // namespace

Verdict judge(const RunRecord& run, const AnalysedRows& rows, const TestSums& sums, const VerdictBounds& bounds) {
  Verdict verdict;
  verdict.ended = run.complete && run.ended == EndReason::operator_stop ? EndReason::completed : run.ended;
  verdict.missing = missingOf(run, rows);
  Findings found;
  if (run.table.rows == 0) {
    found.add(Grade::unknown, "The run has no row, so no figures are available." +
                                  (run.stop_reason.empty() ? std::string() : " " + sentence(run.stop_reason)));
    found.into(verdict);
    return verdict;
  }
  judgeEnd(found, run, rows, bounds);
  if (const auto paths = continuationOf(run)) {
    judgePaths(found, *paths);
    judgeLimits(found, run, rows);
  } else if (const std::optional<std::vector<double>> balanced = run.segment("converged")) {
    judgeFrequencies(found, *balanced, run, bounds);
    judgeLimits(found, run, rows);
  } else if (rows.empty()) {
    found.add(Grade::unknown, tooShort(rows));
  } else if (const std::string why = unjudged(run); !why.empty()) {
    found.add(Grade::unknown, why);
    judgeLimits(found, run, rows);
  } else {
    for (const InterfaceSums& one : sums.interfaces) {
      judgeGap(found, one, run, bounds);
      judgeMotion(found, one, differsFromUncut(run.project), bounds);
    }
    judgeGrowth(found, sums, bounds);
    judgeLimits(found, run, rows);
    if (run.face.grade != Grade::unknown) found.add(run.face.grade, "FACE: " + run.face.sentence);
  }
  found.into(verdict);
  if (!run.damage.empty()) {
    verdict.test = Grade::unknown;
    verdict.reasons.insert(verdict.reasons.begin(),
                           "The file was damaged after the test, so its figures are not those of the test.");
  }
  return verdict;
}

Verdict judge(const RunRecord& run) {
  const AnalysedRows rows(run);
  return judge(run, rows, testSums(run, rows));
}

Verdict judgeFile(const std::filesystem::path& file, const std::filesystem::path& folder) {
  Verdict verdict = [&] {
    const RunFileReader reader(file);
    return judge(recordOf(reader, folder));
  }();
  recordVerdict(file, verdict);
  return verdict;
}

std::string tooShort(const AnalysedRows& rows) {
  return "The test ended at " + figureText(rows.ended_s()) +
         " s, before the analysis starts (Analysis > Start: " + figureText(rows.startAsked_s()) +
         " s). No figures are available.";
}

Verdict verdictOf(const Json& json) {
  Verdict verdict;
  verdict.ended = endReasonNamed(json.value("ended", std::string()));
  verdict.missing = json.value("missing", Verdict().missing);
  verdict.test = gradeNamed(json.value("test", std::string()));
  verdict.reasons = json.value("reasons", std::vector<std::string>());
  return verdict;
}

Json verdictJson(const Verdict& verdict) {
  return {{"ended", name(verdict.ended)},
          {"data", verdict.data()},
          {"missing", verdict.missing},
          {"test", name(verdict.test)},
          {"reasons", verdict.reasons}};
}

}  // namespace hyb
