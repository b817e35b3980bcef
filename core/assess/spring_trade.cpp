#include "core/assess/spring_trade.h"

#include <algorithm>
#include <cmath>

#include "core/assess/bandwidth.h"
#include "core/assess/loop_analysis.h"
#include "core/base/figure_text.h"
#include "core/base/numbers.h"
#include "core/run/build.h"
#include "core/stability/loop_gain.h"
#include "core/structure/reduction.h"

namespace hyb {
namespace {

constexpr int kSprings = 41;
constexpr double kReach = 8.0;  // ratio of the stiffest to the present, and of the present to the softest spring
constexpr double kWithin = 1.4125375446228;  // 3 dB
constexpr double kFrequencyStep = 1.02;
constexpr double kReserve = 1.5;           // available over needed stroke and velocity
constexpr double kLeastNoise_db = 30.0;    // thesis, section 6.1
constexpr double kLeastBandwidth = 0.707;  // of the largest bandwidth
constexpr int kRefined = 6;                // bisections between two neighbours
constexpr const char* kPlace = "/coupling/spring_n_per_m";

/// Three digits, as in spring catalogues.
double threeDigits(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2.0);
  return unit >= 1.0 ? unit * std::round(value / unit) : std::round(value / unit) / std::round(1.0 / unit);
}

double decibels(double ratio) { return 20.0 * std::log10(ratio); }

std::string perMillimetre(double n_per_m) { return figureText(1e-3 * n_per_m); }

/// Data shared by all springs, and the loop with one of them.
class SpringSweep {
 public:
  SpringSweep(const Project& project, std::size_t i)
      : project_(project), partition_(buildPartition(project)), i_(static_cast<Eigen::Index>(i)) {
    const LoopAnalysis analysis(project, partition_);
    cutoff_hz_ = analysis.range.cutoff_hz;
    highest_hz_ = 0.5 * project.loop.rate_hz;
    const auto loop = [&](Compensated compensated) {
      return condensedFor(loopSystem(project, partition_, analysis.at_hz, compensated), highest_hz_);
    };
    own_ = loop(Compensated::yes);
    if (project.compensation.method->acts()) plain_ = loop(Compensated::no);
    noise_rms_m_ = project.twin.displacement_sensor.noise_rms;
  }

  const Partition& partition() const { return partition_; }
  bool compensated() const { return plain_.has_value(); }
  double highest_hz() const { return highest_hz_; }

  SpringPoint at(double stiffness_n_per_m, const PistonPath& path) {
    for (DelaySystem* system : {&own_, plain_ ? &*plain_ : &own_})
      system->springs->nominal[i_] = system->springs->actual[i_] = stiffness_n_per_m;
    SpringPoint point{.stiffness_n_per_m = stiffness_n_per_m};
    const PistonDemand demand = path.behind(stiffness_n_per_m);
    point.stroke_m = demand.stroke_m;
    point.velocity_m_per_s = demand.velocity_m_per_s;
    point.signal_to_noise_db = decibels(path.rms_m(stiffness_n_per_m) / noise_rms_m_);
    point.bandwidth_hz = bandwidthOf(own_);
    point.plain_bandwidth_hz = plain_ ? bandwidthOf(*plain_) : point.bandwidth_hz;
    point.stable = decays(rightmostRoots(own_, 0.0, cutoff_hz_));
    return point;
  }

 private:
  double bandwidthOf(const DelaySystem& system) const {
    const LoopGain loop(system);
    const auto magnitude = [&](double hz) { return std::abs(loop.forceTracking({0.0, kTwoPi * hz})(i_, i_)); };
    const double at_rest = magnitude(0.0);
    return firstBeyond(
        [&](double hz) {
          const double share = magnitude(hz) / at_rest;
          return share <= kWithin && share * kWithin >= 1.0;
        },
        highest_hz_, kFrequencyStep);
  }

  const Project& project_;
  Partition partition_;
  Eigen::Index i_;
  DelaySystem own_;
  std::optional<DelaySystem> plain_;
  double cutoff_hz_ = 0.0, highest_hz_ = 0.0, noise_rms_m_ = 0.0;
};

/// A requirement on a spring, and the text for a spring that violates it: "a softer one ...".
struct Demand {
  std::function<bool(const SpringPoint&)> kept;
  std::string otherwise;
};
using Demands = std::vector<Demand>;

bool allKept(const Demands& demands, const SpringPoint& point) {
  return std::all_of(demands.begin(), demands.end(), [&](const Demand& one) { return one.kept(point); });
}

Demands musts(const SpringTrade& trade) {
  const PistonLimits& limits = trade.limits;
  const double force_n = trade.force_n;
  return {{[limits](const SpringPoint& p) { return p.stroke_m <= limits.stroke_m; },
           "needs more than the available stroke of " + quantityText(limits.stroke_m, "m")},
          {[limits](const SpringPoint& p) { return p.velocity_m_per_s <= limits.velocity_m_per_s; },
           "needs more than the available velocity of " + figureText(1e3 * limits.velocity_m_per_s) + " mm/s"},
          {[](const SpringPoint& p) { return p.stable; }, "makes the loop unstable"},
          {[limits, force_n](const SpringPoint&) { return force_n <= limits.force_n; },
           "needs " + figureText(force_n) + " N, as any spring does, but only " + figureText(limits.force_n) +
               " N are available: reduce the excitation, or use a stronger actuator"}};
}

Demands shoulds(const SpringTrade& trade) {
  const PistonLimits& limits = trade.limits;
  double widest_hz = 0.0;
  for (const SpringPoint& point : trade.points)
    widest_hz = std::max(widest_hz, std::isnan(point.bandwidth_hz) ? trade.looked_to_hz : point.bandwidth_hz);
  return {{[limits](const SpringPoint& p) { return kReserve * p.stroke_m <= limits.stroke_m; },
           "needs more than two thirds of the stroke (" + quantityText(limits.stroke_m, "m") + ")"},
          {[limits](const SpringPoint& p) { return kReserve * p.velocity_m_per_s <= limits.velocity_m_per_s; },
           "needs more than two thirds of the velocity (" + figureText(1e3 * limits.velocity_m_per_s) + " mm/s)"},
          {[](const SpringPoint& p) { return p.signal_to_noise_db >= kLeastNoise_db; },
           "leaves the piston's motion less than " + figureText(kLeastNoise_db) + " dB above the noise of its sensor"},
          {[widest_hz](const SpringPoint& p) { return !(p.bandwidth_hz < kLeastBandwidth * widest_hz); },
           "leaves less than 71 % of the widest force bandwidth, " + figureText(widest_hz) + " Hz"}};
}

/// First and last point of the longest run that meets all requirements; none if no point does.
std::optional<std::pair<std::size_t, std::size_t>> longestRun(const std::vector<SpringPoint>& points,
                                                              const Demands& demands) {
  std::optional<std::pair<std::size_t, std::size_t>> longest;
  for (std::size_t k = 0; k < points.size(); ++k) {
    std::size_t end = k;
    while (end < points.size() && allKept(demands, points[end])) ++end;
    if (end > k && (!longest || end - k > longest->second - longest->first + 1)) longest = {k, end - 1};
    k = end;
  }
  return longest;
}

struct Found {
  SpringRange range;
  std::string softer, stiffer;  // why softer and stiffer springs are excluded; empty: none was analysed
};
/// Where the requirements are met, with ends between the points.
std::optional<Found> foundBy(const std::vector<SpringPoint>& points, const Demands& demands,
                             const std::function<SpringPoint(double)>& evaluate) {
  const auto run = longestRun(points, demands);
  if (!run) return {};
  const auto edge = [&](std::size_t inside, std::size_t outside) -> std::pair<double, std::string> {
    double good = points[inside].stiffness_n_per_m;
    if (outside >= points.size()) return {good, {}};  // also for the point before the first
    SpringPoint bad = points[outside];
    for (int k = 0; k < kRefined; ++k) {
      const SpringPoint middle = evaluate(std::sqrt(good * bad.stiffness_n_per_m));
      if (allKept(demands, middle))
        good = middle.stiffness_n_per_m;
      else
        bad = middle;
    }
    const auto broken = std::find_if(demands.begin(), demands.end(), [&](const Demand& one) { return !one.kept(bad); });
    return {good, broken->otherwise};
  };
  const auto [from, softer] = edge(run->first, run->first - 1);
  const auto [to, stiffer] = edge(run->second, run->second + 1);
  return Found{{from, to}, softer, stiffer};
}

/// "Springs from 1 to 2 N/mm suit this test: a softer one ..., a stiffer one ..."
std::string sentenceOf(const Found& found, const std::string& verb) {
  std::string text = "Springs from " + perMillimetre(found.range.from_n_per_m) + " to " +
                     perMillimetre(found.range.to_n_per_m) + " N/mm " + verb;
  if (found.softer.empty() && found.stiffer.empty()) return text + ", the whole analysed range.";
  text += found.softer.empty() ? ": no softer one was analysed" : ": a softer one " + found.softer;
  return text + (found.stiffer.empty() ? ", no stiffer one was analysed." : ", a stiffer one " + found.stiffer + ".");
}

/// Ranges and sentence.
void judge(SpringTrade& trade, const std::function<SpringPoint(double)>& evaluate) {
  const Demands must = musts(trade);
  Demands all = must;
  for (Demand& should : shoulds(trade)) all.push_back(std::move(should));
  const std::optional<Found> possible = foundBy(trade.points, must, evaluate),
                             suitable = foundBy(trade.points, all, evaluate);
  if (possible) trade.possible = possible->range;
  if (suitable) trade.suitable = suitable->range;
  const auto broken = [](const Demands& demands, const SpringPoint& point) {
    return std::find_if(demands.begin(), demands.end(), [&](const Demand& one) { return !one.kept(point); })->otherwise;
  };
  const std::vector<SpringPoint>& points = trade.points;
  if (suitable) {
    trade.sentence = sentenceOf(*suitable, "suit this test");
  } else if (possible) {
    const SpringRange& range = possible->range;
    const SpringPoint middle = evaluate(std::sqrt(range.from_n_per_m * range.to_n_per_m));
    trade.sentence = sentenceOf(*possible, "can be used") + " None of them is recommended: one of " +
                     perMillimetre(middle.stiffness_n_per_m) + " N/mm " + broken(all, middle) + ".";
  } else {
    trade.sentence = "No spring from " + perMillimetre(points.front().stiffness_n_per_m) + " to " +
                     perMillimetre(points.back().stiffness_n_per_m) + " N/mm can be used: the present one " +
                     broken(must, points[points.size() / 2]) + ".";
  }
}

Json springRange(const std::optional<SpringRange>& range) {
  return range ? Json{{"from", range->from_n_per_m}, {"to", range->to_n_per_m}} : Json(nullptr);
}

Json known(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace

SpringPoint SpringTrade::at(double stiffness_n_per_m) const {
  const auto above = std::find_if(points.begin() + 1, points.end() - 1, [&](const SpringPoint& point) {
    return point.stiffness_n_per_m >= stiffness_n_per_m;
  });
  const SpringPoint &a = *(above - 1), &b = *above;
  const double share =
      std::log(stiffness_n_per_m / a.stiffness_n_per_m) / std::log(b.stiffness_n_per_m / a.stiffness_n_per_m);
  const auto between = [share](double from, double to) {
    return share <= 0.0 ? from : share >= 1.0 ? to : from + share * (to - from);
  };
  const PistonDemand demand = path.behind(stiffness_n_per_m);
  return {stiffness_n_per_m,
          demand.stroke_m,
          demand.velocity_m_per_s,
          between(a.bandwidth_hz, b.bandwidth_hz),
          between(a.plain_bandwidth_hz, b.plain_bandwidth_hz),
          a.signal_to_noise_db + decibels(path.rms_m(stiffness_n_per_m) / path.rms_m(a.stiffness_n_per_m)),
          share <= 0.5 ? a.stable : b.stable};
}

SpringTrade springTrade(const Project& project, std::size_t i,
                        const std::function<bool(std::size_t, std::size_t)>& goes_on) {
  if (project.coupling->springs(project.axes.size()).size() == 0)
    throw InputError("/coupling/scheme", "has no force target, so there is no spring to choose");
  if (!project.twin.laws.empty())
    throw InputError("/rig/specimen/laws",
                     "are not part of the model of the uncut structure, so the demand on the piston is not known; "
                     "remove them for the choice of the spring");
  SpringSweep sweep(project, i);
  const Partition& partition = sweep.partition();
  const auto axis = static_cast<Eigen::Index>(i);
  std::vector<PistonPath> paths = pistonPaths(project, partition);
  const double present = project.coupling->springs(paths.size())[axis];
  SpringTrade trade{.dof = partition.interface[i].name,
                    .path = std::move(paths[i]),
                    .present_n_per_m = present,
                    .force_n = 0.0,
                    .limits = pistonLimits(project, i),
                    .specimen_n_per_m =
                        condensedStiffness(partition.physical, partition.interface_in_physical, 0.0)(axis, axis).real(),
                    .looked_to_hz = sweep.highest_hz(),
                    .compensated = sweep.compensated()};
  trade.force_n = trade.path.behind(present).force_n;
  const auto evaluate = [&](double stiffness) { return sweep.at(stiffness, trade.path); };
  for (int k = 0; k < kSprings; ++k) {
    if (goes_on && !goes_on(static_cast<std::size_t>(k), kSprings)) {
      trade.points.clear();
      return trade;
    }
    const int from_present = k - kSprings / 2;
    trade.points.push_back(evaluate(
        from_present == 0 ? present : threeDigits(present * std::pow(kReach, from_present / (0.5 * (kSprings - 1))))));
  }
  judge(trade, evaluate);
  return trade;
}

Json springReport(const Project& project) {
  Json report = Json::array();
  for (std::size_t i = 0; i < project.axes.size(); ++i) {
    const SpringTrade trade = springTrade(project, i);
    Json one{{"dof", trade.dof},
             {"present_n_per_m", trade.present_n_per_m},
             {"specimen_n_per_m", trade.specimen_n_per_m},
             {"force_n", trade.force_n},
             {"stroke_limit_m", known(trade.limits.stroke_m)},
             {"velocity_limit_m_per_s", known(trade.limits.velocity_m_per_s)},
             {"force_limit_n", known(trade.limits.force_n)},
             {"possible_n_per_m", springRange(trade.possible)},
             {"suitable_n_per_m", springRange(trade.suitable)},
             {"sentence", trade.sentence},
             {"springs", Json::array()}};
    for (const SpringPoint& point : trade.points)
      one["springs"].push_back({{"stiffness_n_per_m", point.stiffness_n_per_m},
                                {"stroke_m", point.stroke_m},
                                {"velocity_m_per_s", point.velocity_m_per_s},
                                {"force_bandwidth_hz", known(point.bandwidth_hz)},
                                {"force_bandwidth_without_compensation_hz", known(point.plain_bandwidth_hz)},
                                {"signal_to_noise_db", known(point.signal_to_noise_db)},
                                {"stable", point.stable}});
    report.push_back(std::move(one));
  }
  return report;
}

void takeSpring(Json& document, std::size_t interfaces, std::size_t i, double stiffness_n_per_m) {
  const auto ownOf = [&](Json& list) -> Json& {
    if (!list.is_array()) {
      if (interfaces == 1) return list;
      list = Json::array({list});
    }
    while (list.size() < interfaces) list.push_back(Json(list.back()));
    return list[i];
  };
  ownOf(document.at(Json::json_pointer(kPlace))) = stiffness_n_per_m;
  Json& rig = document.at("rig");
  if (!rig.contains("actuators")) return;
  Json& actuator = ownOf(rig["actuators"]);
  if (actuator.contains("spring")) actuator["spring"]["stiffness_n_per_m"] = stiffness_n_per_m;
}

}  // namespace hyb
