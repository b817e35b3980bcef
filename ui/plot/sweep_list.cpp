#include "ui/plot/sweep_list.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "core/base/numbers.h"

namespace hyb::ui {
namespace {

QString sweepWords(const char* text) { return QCoreApplication::translate("SweepList", text); }

}  // namespace

SweepList::SweepList(double rate_hz, std::vector<Channel> columns, std::size_t most)
    : rate_hz_(rate_hz), most_(most), columns_(std::move(columns)) {
  frequency_ = find("frequency");
  converged_ = find("converged");
  iterations_ = find("iterations");
  residual_ = find("residual");
  last_tick_ = find("last_tick");
  end_ = find("end");
  if (iterations_ == columns_.size()) iterations_ = find("evaluations");
  pass_ = std::min(find("pass"), find("path"));
  stable_ = find("stable");
  findQuantities();
  for (const std::size_t column : {frequency_, converged_, iterations_, residual_, last_tick_, end_})
    if (column == columns_.size() || quantities_.empty()) {
      *this = SweepList();  // not columns of frequencies
      return;
    }
}

SweepList SweepList::of(const Table& run) {
  if (!run.segments) return {};
  SweepList list(run.rate_hz, run.segments->channels, 0);
  if (list.any()) list.rows_ = rowsOf(*run.segments);
  return list;
}

std::size_t SweepList::find(const std::string& name) const noexcept {
  const auto found =
      std::find_if(columns_.begin(), columns_.end(), [&](const Channel& channel) { return channel.name == name; });
  return static_cast<std::size_t>(found - columns_.begin());
}

void SweepList::findQuantities() {
  static const QRegularExpression kOwn(QStringLiteral("^(motion|force|command)_(\\d+)_h(\\d+)$"));
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const auto match = kOwn.match(QString::fromStdString(columns_[c].name));
    if (!match.hasMatch()) continue;
    const std::string stem = match.captured(1).toStdString(),
                      own = "_" + match.captured(2).toStdString() + "_h" + match.captured(3).toStdString();
    const std::size_t number = match.captured(2).toULongLong(), phase = find(stem + "_phase" + own);
    const int order = match.captured(3).toInt();
    if (number == 0 || phase == columns_.size()) continue;
    if (stem == "command") {
      commands_.push_back({number - 1, order, c, phase, columns_[c].units});
      continue;
    }
    Quantity q{{},
               columns_[c].units,
               number - 1,
               order,
               stem == "force",
               c,
               phase,
               find(stem + "_computed" + own),
               find(stem + "_computed_phase" + own)};
    if (q.computed == columns_.size() || q.computed_phase == columns_.size()) continue;
    const QString dof = QString::fromStdString(columns_[c].description).section(QStringLiteral(", "), 0, 0);
    q.title = (q.force ? sweepWords("%1, force") : sweepWords("%1, motion")).arg(dof);
    quantities_.push_back(q);
    if (const std::size_t bound = find("error_bound_" + match.captured(2).toStdString());
        !q.force && bounds_.size() + 1 == number)
      bounds_.push_back(bound);
  }
  const bool several = std::any_of(quantities_.begin(), quantities_.end(),
                                   [&](const Quantity& q) { return q.order != quantities_.front().order; });
  if (several)
    for (Quantity& q : quantities_) q.title += sweepWords(", harmonic %1").arg(q.order);
  std::stable_sort(quantities_.begin(), quantities_.end(), [](const Quantity& a, const Quantity& b) {
    return std::tuple(a.force, a.order, a.dof) < std::tuple(b.force, b.order, b.dof);
  });
}

std::size_t SweepList::convergedCount() const noexcept {
  std::size_t all = 0;
  for (std::size_t row = 0; row < count(); ++row) all += converged(row) ? 1 : 0;
  return all;
}

QString SweepList::ending(std::size_t row) const {
  const QString number = QString::number(at(row, end_), 'f', 0);
  const QRegularExpression entry(QStringLiteral("\\b%1: (.*?)(?=, \\d+: |$)").arg(number));
  const auto match = entry.match(QString::fromStdString(columns_[end_].description));
  return match.hasMatch() ? match.captured(1) : number;
}

double SweepList::errorBound(std::size_t row, std::size_t dof) const noexcept {
  if (dof >= bounds_.size() || bounds_[dof] == columns_.size()) return kNoValue;
  return at(row, bounds_[dof]);
}

std::complex<double> SweepList::phasor(std::size_t row, std::size_t amplitude, std::size_t phase) const {
  return at(row, amplitude) * std::exp(std::complex<double>(0.0, at(row, phase) * kPi / 180.0));
}

std::vector<std::size_t> SweepList::byFrequency() const {
  std::vector<std::size_t> order(count());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](std::size_t a, std::size_t b) { return frequency_hz(a) < frequency_hz(b); });
  return order;
}

Table SweepList::table() const {
  std::vector<std::vector<double>> columns(columns_.size());
  for (const std::vector<double>& row : rows_)
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c].push_back(row[c]);
  return tableInMemory(columns_, std::move(columns));
}

std::optional<Resonance> SweepList::resonance(const Quantity& q) const {
  std::vector<ResponsePoint> points;
  for (std::size_t row = 0; row < count(); ++row)
    if (converged(row) && pass(row) == lastPass()) points.push_back({frequency_hz(row), measured(row, q)});
  return resonanceOf(std::move(points));
}

std::vector<ResponsePoint> referenceOf(const SweepReference* reference, const SweepList::Quantity& q) {
  std::vector<ResponsePoint> values;
  if (reference == nullptr || q.dof >= reference->dofs.size()) return values;
  const auto order = std::find(reference->orders.begin(), reference->orders.end(), q.order);
  if (order == reference->orders.end()) return values;
  const Eigen::Index i = static_cast<Eigen::Index>(q.dof), h = order - reference->orders.begin();
  for (const SweepReference::Point& point : reference->points)
    values.push_back({point.frequency_hz, q.force ? point.force(i, h) : point.motion(i, h)});
  return values;
}

}  // namespace hyb::ui
