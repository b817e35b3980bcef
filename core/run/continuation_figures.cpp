#include "core/run/continuation_figures.h"

#include <algorithm>
#include <cmath>

#include "core/base/figure_text.h"
#include "core/base/json.h"

namespace hyb {
namespace {

/// Parabola through three points, with Newton's divided differences.
struct Parabola {
  Parabola(const double* s, const double* y) : s0(s[0]), s1(s[1]), y0(y[0]) {
    first = (y[1] - y[0]) / (s[1] - s[0]);
    second = ((y[2] - y[1]) / (s[2] - s[1]) - first) / (s[2] - s[0]);
  }
  double at(double s) const { return y0 + (s - s0) * (first + (s - s1) * second); }
  double extremum() const { return 0.5 * (s0 + s1 - first / second); }
  double s0, s1, y0, first, second;
};

void fitBackbone(ContinuationFigures& figures) {
  if (figures.backbone.size() < 2) return;
  double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (const PathPlace& place : figures.backbone) {
    const double a2 = place.amplitude * place.amplitude, f2 = place.frequency_hz * place.frequency_hz;
    n += 1.0, x += a2, y += f2, xx += a2 * a2, xy += a2 * f2;
  }
  const double slope = (n * xy - x * y) / (n * xx - x * x), linear2 = (y - slope * x) / n;
  if (!std::isfinite(slope) || !(linear2 > 0.0)) return;
  figures.linear_hz = std::sqrt(linear2);
  figures.hardening_hz2_per_m2 = slope;
}

/// Where the frequency turns back, [k] inside the list. A turn must exceed one hundredth of the range, because noise
/// makes the frequency waver near a fold.
std::vector<std::size_t> turns(const std::vector<double>& f) {
  std::vector<std::size_t> found;
  if (f.size() < 3) return found;
  const auto [low, high] = std::ranges::minmax(f);
  const double least = 0.01 * (high - low);
  std::size_t furthest = 0;
  int way = 0;  // -1 down, 1 up, 0 not known yet
  for (std::size_t k = 1; k < f.size(); ++k) {
    const double on = (f[k] - f[furthest]) * (way == 0 ? 1 : way);
    if (way == 0) {
      if (std::abs(on) > least) way = on > 0.0 ? 1 : -1, furthest = k;
    } else if (on >= 0.0) {
      furthest = k;
    } else if (-on > least) {
      if (furthest > 0) found.push_back(furthest);
      way = -way;
      furthest = k;
    }
  }
  return found;
}

Json jsonOf(const PathPlace& place) { return {{"frequency_hz", place.frequency_hz}, {"amplitude", place.amplitude}}; }

}  // namespace

std::optional<ContinuationFigures> continuationFigures(const Table& segments) {
  const auto path = values(segments, "path"), end = values(segments, "end"), stable = values(segments, "stable"),
             found = values(segments, "converged"), hz = values(segments, "frequency"),
             length = values(segments, "length");
  const auto motion =
      std::ranges::find_if(segments.channels, [](const Channel& one) { return one.name.starts_with("motion_1_h"); });
  if (!path || !end || !stable || !found || !hz || !length || motion == segments.channels.end()) return {};
  const std::vector<double> amplitude = segments.column(static_cast<std::size_t>(motion - segments.channels.begin()));
  ContinuationFigures figures;
  std::vector<double> s, f, a;  // of the response
  for (std::size_t r = 0; r < segments.rows; ++r) {
    const auto kind = static_cast<PathKind>(std::lround((*path)[r]));
    if (const auto how = static_cast<PathEnd>(std::lround((*end)[r])); how != PathEnd::open)
      figures.ends.emplace_back(kind, how);
    if ((*found)[r] != 1.0) {
      ++figures.missed;
      continue;
    }
    ++figures.points;
    if ((*stable)[r] == 0.0) ++figures.unstable;
    if (kind == PathKind::backbone) {
      figures.backbone.push_back({(*hz)[r], amplitude[r]});
      continue;
    }
    s.push_back((*length)[r]);
    f.push_back((*hz)[r]);
    a.push_back(amplitude[r]);
  }
  for (const std::size_t k : turns(f)) {
    const Parabola of_f(&s[k - 1], &f[k - 1]), of_a(&s[k - 1], &a[k - 1]);
    figures.folds.push_back({of_f.at(of_f.extremum()), of_a.at(of_f.extremum())});
  }
  for (std::size_t k = 1; k + 1 < s.size(); ++k) {
    const Parabola of_f(&s[k - 1], &f[k - 1]), of_a(&s[k - 1], &a[k - 1]);
    const bool peak = a[k] >= a[k - 1] && a[k] > a[k + 1];
    if (peak && (!figures.peak || of_a.at(of_a.extremum()) > figures.peak->amplitude))
      figures.peak = PathPlace{of_f.at(of_a.extremum()), of_a.at(of_a.extremum())};
  }
  fitBackbone(figures);
  return figures;
}

std::optional<ContinuationFigures> continuationOf(const RunRecord& run) {
  return run.table.segments ? continuationFigures(*run.table.segments) : std::nullopt;
}

std::string continuationText(const ContinuationFigures& figures) {
  std::string text = std::to_string(figures.points) + (figures.points == 1 ? " point, " : " points, ") +
                     std::to_string(figures.unstable) + " of them unstable; ";
  text += figures.folds.empty() ? "no fold" : std::to_string(figures.folds.size());
  if (!figures.folds.empty()) text += figures.folds.size() == 1 ? " fold, at " : " folds, at ";
  for (std::size_t k = 0; k < figures.folds.size(); ++k)
    text += (k == 0                          ? ""
             : k + 1 == figures.folds.size() ? " and "
                                             : ", ") +
            figureText(figures.folds[k].frequency_hz, 5);
  if (!figures.folds.empty()) text += " Hz";
  if (figures.peak)
    text += "; peak " + figureText(1e3 * figures.peak->amplitude, 4) + " mm (mrad) at " +
            figureText(figures.peak->frequency_hz, 5) + " Hz";
  if (figures.linear_hz) text += "; backbone from " + figureText(*figures.linear_hz, 5) + " Hz";
  return text;
}

Json figuresJson(const ContinuationFigures& figures) {
  Json json = {{"points", figures.points}, {"unstable_points", figures.unstable}, {"points_missed", figures.missed}};
  json["folds"] = Json::array();
  for (const PathPlace& fold : figures.folds) json["folds"].push_back(jsonOf(fold));
  json["peak"] = figures.peak ? jsonOf(*figures.peak) : Json(nullptr);
  Json& backbone = json["backbone"] = {{"linear_hz", nullptr}, {"hardening_hz2_per_m2", nullptr}};
  if (figures.linear_hz) backbone["linear_hz"] = *figures.linear_hz;
  if (figures.hardening_hz2_per_m2) backbone["hardening_hz2_per_m2"] = *figures.hardening_hz2_per_m2;
  backbone["points"] = Json::array();
  for (const PathPlace& place : figures.backbone) backbone["points"].push_back(jsonOf(place));
  json["ends"] = Json::array();
  for (const auto& [kind, how] : figures.ends)
    json["ends"].push_back({{"path", name(kind)}, {"how", facts(how).words}});
  return json;
}

}  // namespace hyb
