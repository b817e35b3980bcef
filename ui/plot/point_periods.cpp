#include "ui/plot/point_periods.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "core/linalg/dense.h"

namespace hyb::ui {
namespace {

using Phasor = std::complex<double>;
constexpr double kPeriods = 3.0;
constexpr std::size_t kPerPeriod = 120;  // without rows

QString periodWords(const char* text) { return QCoreApplication::translate("PointPeriods", text); }

/// Traces of one DOF and kind with their harmonics.
struct Harmonised {
  std::vector<const SweepList::Quantity*> harmonics;
};

double sumOf(const SweepList& sweep, std::size_t row, const Harmonised& of, bool computed, double cycles) {
  double sum = 0.0;
  for (const SweepList::Quantity* q : of.harmonics) {
    const Phasor z = computed ? sweep.computed(row, *q) : sweep.measured(row, *q);
    sum += (z * std::polar(1.0, kTwoPi * q->order * cycles)).real();
  }
  return sum;
}

/// Phase of the command in its period at the first of these rows, in cycles. The row has the amplitudes of the
/// command's harmonics, so the command value determines the phase. Nothing if the command is at rest.
std::optional<double> beginOf(const RunHistory& history, const SweepList& sweep, std::uint64_t first,
                              std::uint64_t last, double hz) {
  const RowLayout& layout = history.layout();
  const RowHistory& rows = history.rows();
  const auto adapted = [&](const std::string& name) {
    const std::optional<std::size_t> column = layout.find(name);
    return column ? rows.at(*column, last - 1) : std::nan("");
  };
  struct Known {
    int order;
    Phasor amplitude, found;
  };
  std::vector<Known> known;
  for (const SweepList::CommandColumns& command : sweep.commands()) {
    if (command.actuator >= layout.interfaces()) continue;
    const std::string name = "command_" + std::to_string(command.actuator + 1) + "_h" + std::to_string(command.order);
    Known one{command.order, {adapted(name + "_re"), adapted(name + "_im")}, 0.0};
    for (std::uint64_t r = first; r < last; ++r) {
      const double cycles = hz * static_cast<double>(r - first) / history.rateHz();
      one.found += rows.at(layout.command(command.actuator), r) * std::polar(1.0, -kTwoPi * command.order * cycles);
    }
    if (std::abs(one.amplitude) > 0.0 && std::isfinite(std::abs(one.amplitude))) known.push_back(one);
  }
  if (known.empty()) return {};
  const Known& lowest =
      *std::min_element(known.begin(), known.end(), [](const Known& a, const Known& b) { return a.order < b.order; });
  const double turn = std::arg(lowest.found / lowest.amplitude) / kTwoPi;
  double best = 0.0, most = -1.0;
  for (int k = 0; k < lowest.order; ++k) {  // a harmonic of order k alone has k solutions
    const double begin = (turn + k) / lowest.order;
    double fits = 0.0;
    for (const Known& one : known)
      fits += (std::conj(one.amplitude * std::polar(1.0, kTwoPi * one.order * begin)) * one.found).real();
    if (k == 0 || fits > most) {
      most = fits;
      best = begin;
    }
  }
  return best - std::floor(best);
}

}  // namespace

PointPeriods periodsOf(const SweepList& sweep, std::size_t row, const RunHistory* history,
                       const SweepReference* reference) {
  PointPeriods periods;
  std::vector<Harmonised> groups;
  for (const SweepList::Quantity& q : sweep.quantities()) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Harmonised& known) {
      return known.harmonics.front()->dof == q.dof && known.harmonics.front()->force == q.force;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), Harmonised{});
    group->harmonics.push_back(&q);
  }
  const double hz = sweep.frequency_hz(row);
  double begin = 0.0;
  std::uint64_t first = 0, last = 0;
  if (history != nullptr) {
    const RowHistory& rows = history->rows();
    const double ends_s = sweep.endsAt_s(row);
    last = rows.lowerBound(RowLayout::kTime, ends_s, rows.begin(), rows.end());
    first = rows.lowerBound(RowLayout::kTime, ends_s - kPeriods / hz, rows.begin(), last);
    const bool whole =
        last < rows.end() && static_cast<double>(last - first) >= 0.99 * kPeriods * history->rateHz() / hz;
    const auto found = whole ? beginOf(*history, sweep, first, last, hz) : std::nullopt;
    if (!whole)
      periods.remark = periodWords("The rows of this point are no longer in memory. Open the recorded run in Analyse.");
    if (whole && !found)
      periods.remark = periodWords("The commands were 0, so the phase of the rows in the period is unknown.");
    if (found) begin = *found;
    if (!found) first = last = 0;
  }
  const bool raw = last > first && reference != nullptr &&
                   static_cast<std::size_t>(reference->to_axes.rows()) == history->layout().interfaces();
  if (last > first && !raw)
    periods.remark =
        periodWords("Sensor values are not shown: the transformation from actuator axes to the cut is unknown.");
  if (last > first)
    for (std::uint64_t r = first; r < last; ++r)
      periods.cycles.push_back(begin + hz * static_cast<double>(r - first) / history->rateHz());
  else
    for (std::size_t k = 0; k <= static_cast<std::size_t>(kPeriods) * kPerPeriod; ++k)
      periods.cycles.push_back(static_cast<double>(k) / kPerPeriod);
  Eigen::MatrixXd motion, force;  // of the cut from those of the axes: x_q = P x_a, f_q = P^-T f_a
  if (raw) {
    motion = linalg::inverse(reference->to_axes);
    force = reference->to_axes.transpose();
  }
  for (const Harmonised& group : groups) {
    const SweepList::Quantity& q = *group.harmonics.front();
    PointPeriods::Trace trace{q.title.section(QStringLiteral(", harmonic"), 0, 0), q.unit, q.force, {}, {}, {}};
    for (const double cycles : periods.cycles) {
      trace.averaged.push_back(sumOf(sweep, row, group, false, cycles));
      trace.computed.push_back(sumOf(sweep, row, group, true, cycles));
    }
    if (raw) {
      const RowLayout& layout = history->layout();
      const auto i = static_cast<Eigen::Index>(q.dof);
      double mean = 0.0;
      for (std::uint64_t r = first; r < last; ++r) {
        double value = 0.0;
        for (std::size_t a = 0; a < layout.interfaces(); ++a)
          value += (q.force ? force : motion)(i, static_cast<Eigen::Index>(a)) *
                   history->rows().at(q.force ? layout.force(a) : layout.measured(a), r);
        trace.raw.push_back(value);
        mean += value / static_cast<double>(last - first);
      }
      for (double& value : trace.raw) value -= mean;  // the mean does not affect the balance
    }
    periods.traces.push_back(std::move(trace));
  }
  const double from = std::floor(periods.cycles.front());
  for (double& cycles : periods.cycles) cycles -= from;
  return periods;
}

}  // namespace hyb::ui
