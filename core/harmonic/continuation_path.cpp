#include "core/harmonic/continuation_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/numbers.h"

namespace hyb {
namespace {

using Eigen::Index;

constexpr std::array<PathEndFacts, 10> kPathEnds{{
    {"it goes on"},
    {"the end of its range is reached", true},
    {"it has returned to its start"},
    {"a command is at its bound"},
    {"the largest number of points is reached"},
    {"no point is found even at the smallest step", false, true},
    {"the averages do not become steady", false, true},
    {"its phase resonance is passed", true},
    {"its first point is not found", false, true},
    {"the frequency is at the end of its range"},
}};

/// Columns of every row before those of the signals.
constexpr std::size_t kPathColumns = 16;

PathSettings inPairs(PathSettings path, Index amplitudes) noexcept {
  path.pairs = amplitudes / 2;
  return path;
}

}  // namespace

std::string_view name(PathKind kind) noexcept { return kind == PathKind::response ? "response" : "backbone"; }
const PathEndFacts& facts(PathEnd end) noexcept { return kPathEnds[static_cast<std::size_t>(end)]; }

ContinuationPath::ContinuationPath(BalanceModel model, const ContinuationSettings& settings,
                                   std::vector<SignalKind> command_kinds)
    : HarmonicDirector(std::move(model), std::move(command_kinds)),
      settings_(settings),
      amplitudes_(decision_.command.size()),
      response_(inPairs(settings.path, amplitudes_), amplitudes_),
      backbone_(inPairs(settings.path, amplitudes_), amplitudes_ + 1) {
  scale_.setConstant(amplitudes_, settings.bound_m);
  const auto axes = static_cast<Index>(command_kinds_.size());
  for (Index k = 0; k < amplitudes_; ++k)
    if (command_kinds_[static_cast<std::size_t>(k / 2 % axes)] == SignalKind::rotation)
      scale_[k] /= settings.model.length_m;
  begin_.setZero(amplitudes_ + 1);
  last_y_ = begin_;
  resonant_y_.setZero(amplitudes_ + 2);
  g_response_.setZero(amplitudes_);
  g_backbone_.setZero(amplitudes_ + 1);
  row_.assign(segments().columns.size(), 0.0);
  ContinuationPath::reset();
}

void ContinuationPath::reset() noexcept {
  kind_ = PathKind::response;
  response_.begin(begin_, amplitudes_);
  model_.moveTo(frequencyOf(begin_), 1.0);
  HarmonicDirector::reset();
  on_path_ = 0;
  resonance_ = false;
  found_.store(0);
  unstable_.store(0);
  for (std::atomic<PathEnd>& end : ends_) end.store(PathEnd::open);
}

double ContinuationPath::frequencyOf(const Eigen::VectorXd& y) const noexcept {
  const double from_hz = settings_.model.frequencies_hz.front();
  return from_hz + y[amplitudes_] * (settings_.to_hz - from_hz);
}

double ContinuationPath::factorOf(const Eigen::VectorXd& y) const noexcept {
  return kind_ == PathKind::response ? 1.0 : 1.0 + y[amplitudes_ + 1] * (settings_.to_factor - 1.0);
}

void ContinuationPath::decide() noexcept {
  if (restarted_) follower().restartEvaluation();
  model_.evaluate(0, offered_);
  follow();
}

const HarmonicDirector::Decision& ContinuationPath::follow(const Eigen::MatrixXcd& motion,
                                                           const Eigen::MatrixXcd& force) noexcept {
  model_.evaluate(motion, force);
  follow();
  return decision_;
}

void ContinuationPath::follow() noexcept {
  PathFollower& path = follower();
  Eigen::VectorXd& g = kind_ == PathKind::response ? g_response_ : g_backbone_;
  g.head(amplitudes_) = model_.residual();
  if (kind_ == PathKind::backbone) g[amplitudes_] = model_.inPhase();
  const double hz = decision_.frequency_hz, factor = factorOf(path.unknowns());
  const PathFollower::Next next = path.take(g);
  decision_.residual = model_.residual().norm();
  decision_.iterations = path.corrections();
  setTarget();
  decision_.kind = next == PathFollower::Next::average ? Decision::Kind::average : Decision::Kind::apply;
  if (next == PathFollower::Next::point || next == PathFollower::Next::stuck) {
    const bool found = next == PathFollower::Next::point;
    PathEnd end = path.end();
    if (found) {
      ++on_path_;
      if (kind_ == PathKind::response) keepResonance();
      if (end == PathEnd::open && kind_ == PathKind::response && resonance_ && !settings_.response)
        end = PathEnd::resonance;
      if (end == PathEnd::open && on_path_ >= settings_.points) end = PathEnd::points;
    }
    keepPoint(end, found, hz, factor);
    if (end == PathEnd::open && !path.advance()) end = path.end();
    row_[6] = static_cast<double>(end);
    decision_.kind = Decision::Kind::next_point;
    ++decision_.number;
    if (end != PathEnd::open) endPath(end, hz);
  }
  if (decision_.kind != Decision::Kind::average && decision_.kind != Decision::Kind::finish) place();
}

/// Sets commands, frequency and loads for the next point of the path.
void ContinuationPath::place() noexcept {
  const Eigen::VectorXd& y = follower().unknowns();
  decision_.command = y.head(amplitudes_).cwiseProduct(scale_);
  decision_.frequency_hz = frequencyOf(y);
  model_.moveTo(decision_.frequency_hz, factorOf(y));
}

void ContinuationPath::keepPoint(PathEnd end, bool found, double hz, double factor) noexcept {
  const PathFollower& path = follower();
  const bool response = kind_ == PathKind::response;
  const bool unstable = response && path.slope(amplitudes_) < 0.0;
  const double first[kPathColumns] = {static_cast<double>(decision_.number),
                                      0.0,
                                      0.0,
                                      found ? 1.0 : 0.0,
                                      hz,
                                      static_cast<double>(kind_),
                                      static_cast<double>(end),
                                      response && found ? (unstable ? 0.0 : 1.0) : kNoValue,
                                      factor,
                                      model_.inPhase(),
                                      static_cast<double>(path.corrections()),
                                      static_cast<double>(path.evaluations()),
                                      static_cast<double>(path.averages()),
                                      model_.residual().norm(),
                                      path.step(),
                                      path.length()};
  std::copy(std::begin(first), std::end(first), row_.begin());
  putSignals(row_, kPathColumns, decision_.command);
  keepRow();
  if (found) found_.fetch_add(1);
  if (found && unstable) unstable_.fetch_add(1);
  Event done{0,
             EventCode::point_done,
             found ? Severity::info : Severity::warning,
             static_cast<std::int32_t>(decision_.number),
             hz,
             model_.residual().norm(),
             {}};
  done.setText(!found      ? facts(end).words
               : unstable  ? "balanced, unstable"
               : !response ? "balanced, at phase resonance"
                           : "balanced");
  tell(done);
}

/// Stores the point with the motion 90 degrees behind the load, between the last two points; from either side.
void ContinuationPath::keepResonance() noexcept {
  const double in_phase = model_.inPhase();
  const Eigen::VectorXd& y = response_.unknowns();
  if (on_path_ > 1 && !resonance_ && (last_in_phase_ > 0.0) != (in_phase > 0.0)) {
    const double share = last_in_phase_ / (last_in_phase_ - in_phase);
    resonant_y_.head(amplitudes_ + 1) = last_y_ + share * (y - last_y_);
    resonant_y_[amplitudes_ + 1] = 0.0;
    resonance_ = true;
  }
  last_in_phase_ = in_phase;
  last_y_ = y;
}

void ContinuationPath::endPath(PathEnd end, double hz) noexcept {
  ends_[static_cast<std::size_t>(kind_)].store(end);
  const PathEndFacts& how = facts(end);
  Event ended{0,
              EventCode::path_ended,
              how.asked ? Severity::info : Severity::warning,
              static_cast<std::int32_t>(kind_),
              hz,
              0.0,
              {}};
  ended.setText(how.words);
  tell(ended);
  decision_.kind = enterBackbone() ? Decision::Kind::next_point : Decision::Kind::finish;
}

bool ContinuationPath::enterBackbone() noexcept {
  if (kind_ == PathKind::backbone || !settings_.backbone) return false;
  if (!resonance_) {
    Event none{0,
               EventCode::path_ended,
               Severity::warning,
               static_cast<std::int32_t>(PathKind::backbone),
               decision_.frequency_hz,
               0.0,
               {}};
    none.setText("the response has not passed its phase resonance, where the backbone begins");
    tell(none);
    ends_[1].store(PathEnd::none);
    return false;
  }
  kind_ = PathKind::backbone;
  on_path_ = 0;
  backbone_.begin(resonant_y_, amplitudes_ + 1);
  return true;
}

SegmentTable ContinuationPath::segments() const {
  SegmentTable table;
  table.most = 2 * (static_cast<std::size_t>(settings_.points) + 1);
  table.axis = "frequency";
  std::string ends;
  for (std::size_t e = 0; e < kPathEnds.size(); ++e)
    ends += (e > 0 ? ", " : "") + std::to_string(e) + ": " + std::string(kPathEnds[e].words);
  table.columns = {{"point", "", "number of the point, from 1", 0},
                   {"first_tick", "", "tick of its first row", 0},
                   {"last_tick", "", "tick of its last row", 0},
                   {"converged", "", "1: its residual got below the tolerance", 0},
                   {"frequency", "Hz", "first harmonic", 0},
                   {"path", "", "0: response, 1: backbone", 0},
                   {"end", "", "whether the path ended here, and how: " + ends, 0},
                   {"stable", "", "of a response, 1: stable, 0: unstable, by the slope of the path", 0},
                   {"load_factor", "", "of the loads", 0},
                   {"in_phase", "", "share of the motion in phase with the load; 0: phase resonance", 0},
                   {"corrections", "", "of the last step of the path", 0},
                   {"evaluations", "", "of the residual since the point before, each at one set of commands", 0},
                   {"averages", "", "all of them", 0},
                   {"residual", "", "force that is missing at the interface, over that of the load", 0},
                   {"step", "", "length of the path since the point before", 0},
                   {"length", "", "of the path, in ranges of the frequency and bounds of the commands", 0}};
  addSignalColumns(table);
  table.signal = "motion_1_h" + std::to_string(model_.order(0));
  return table;
}

std::string ContinuationPath::summary() const {
  const int found = found_.load(), unstable = unstable_.load();
  std::string text = std::to_string(found) + (found == 1 ? " point" : " points") + ", " + std::to_string(unstable) +
                     " of them unstable";
  for (std::size_t k = 0; k < ends_.size(); ++k)
    if (const PathEnd end = ends_[k].load(); end != PathEnd::open)
      text += "; " + std::string(name(static_cast<PathKind>(k))) + ": " + std::string(facts(end).words);
  return text;
}

}  // namespace hyb
