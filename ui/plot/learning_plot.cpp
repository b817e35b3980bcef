#include "ui/plot/learning_plot.h"

#include <qwt_plot_curve.h>
#include <qwt_scale_engine.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

struct FamilyLook {
  Role role;
  Qt::PenStyle line;
};
constexpr FamilyLook kGapLooks[] = {
    {Role::measured, Qt::SolidLine}, {Role::target, Qt::DashLine}, {Role::force, Qt::DashDotLine}};
constexpr FamilyLook kCommandLooks[] = {
    {Role::command, Qt::SolidLine}, {Role::force, Qt::DashLine}, {Role::target, Qt::DashDotLine}};
constexpr double kLeastAmplitude = 1e-8;  // relative to the largest, on a logarithmic scale
constexpr double kDecibels = 10.0;

}  // namespace

LearningPlot::LearningPlot(const QString& name, Shows shows, QWidget* parent) : PlotView(name, parent), shows_(shows) {
  setAxisScaleEngine(QwtAxis::YLeft, new QwtLogScaleEngine);
}
LearningPlot::~LearningPlot() = default;  // curves detach themselves

std::size_t LearningPlot::size() const {
  if (record_ == nullptr || record_->interfaces() == 0) return 0;
  return shows_ == Shows::gap ? record_->curve(0).size() : record_->moments().size();
}

bool LearningPlot::hasData() const { return size() > 1; }

void LearningPlot::setRecord(const LearningRecord* record) {
  const std::size_t families = record != nullptr ? record->interfaces() : 0;
  const std::size_t curves =
      record != nullptr && shows_ == Shows::amplitudes ? record->orders().size() : std::size_t{1};
  record_ = record;
  if (families != families_.size() || (families > 0 && families_[0].curves.size() != curves)) {
    families_.clear();
    for (std::size_t i = 0; i < families; ++i) {
      Family& family = families_.emplace_back();
      for (std::size_t h = 0; h < curves; ++h) {
        auto curve = std::make_unique<QwtPlotCurve>();
        curve->setItemAttribute(QwtPlotItem::AutoScale, false);
        curve->setZ(h == 0 ? 20.0 : 10.0 - static_cast<double>(h) * 0.1);
        curve->attach(this);
        family.curves.push_back(std::move(curve));
      }
    }
    applyColours();
    Q_EMIT legendChanged();
  }
  refresh();
}

void LearningPlot::updateData() {
  double least = std::numeric_limits<double>::infinity(), most = 0.0, last_s = 0.0;
  // At most two points per pixel column.
  const std::size_t points = size();
  const auto columns = static_cast<std::size_t>(std::max(1, exporting() ? 4000 : 2 * canvas()->width()));
  const std::size_t stride = std::max<std::size_t>(1, points / columns);
  for (std::size_t i = 0; i < families_.size(); ++i)
    for (std::size_t h = 0; h < families_[i].curves.size(); ++h) {
      QVector<QPointF> samples;
      for (std::size_t k = 0; k < points; k += stride) {
        double value = 0.0, time_s = 0.0;
        if (shows_ == Shows::gap) {
          // The largest value of each column, so that no peak of the gap is lost.
          const LearningCurve& curve = record_->curve(i);
          if (k >= curve.size()) break;
          for (std::size_t j = k; j < std::min(k + stride, curve.size()); ++j) value = std::max(value, curve.nmse(j));
          time_s = curve.time_s(k);
        } else {
          const LearningRecord::Moment& moment = record_->moments()[k];
          value = moment.amplitudes[i * record_->orders().size() + h];
          time_s = moment.time_s;
        }
        last_s = std::max(last_s, time_s);
        if (!(value > 0.0) || !std::isfinite(value)) continue;
        samples << QPointF(time_s, value);
        if (!families_[i].visible) continue;
        least = std::min(least, value);
        most = std::max(most, value);
      }
      families_[i].curves[h]->setSamples(samples);
      families_[i].curves[h]->setVisible(families_[i].visible);
    }
  if (!(most > 0.0)) {
    least = 1e-6;
    most = 1.0;
  }
  if (shows_ == Shows::amplitudes) least = std::max(least, kLeastAmplitude * most);
  const QwtInterval across = manualRange(QwtAxis::XBottom).value_or(QwtInterval(0.0, std::max(1e-3, last_s)));
  setScale(QwtAxis::XBottom, across.minValue(), across.maxValue(), 1.0, {}, std::clamp(canvas()->width() / 70, 2, 10));
  const QwtInterval up = manualRange(QwtAxis::YLeft).value_or(QwtInterval(0.6 * least, 1.8 * most));
  const double factor = shows_ == Shows::amplitudes ? displayUnit(record_ ? record_->commandUnit() : "N").factor : 1.0;
  setLogScale(QwtAxis::YLeft, std::max(up.minValue(), 1e-30), std::max(up.maxValue(), 2e-30), factor);
}

void LearningPlot::applyColours() {
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const FamilyLook look =
        shows_ == Shows::gap ? kGapLooks[i % std::size(kGapLooks)] : kCommandLooks[i % std::size(kCommandLooks)];
    for (std::size_t h = 0; h < families_[i].curves.size(); ++h) {
      QPen pen = penOf(look.role, look.line);
      if (h == 0) pen.setWidthF(1.5);
      families_[i].curves[h]->setPen(pen);
    }
  }
  styleAxis(QwtAxis::XBottom, tr("time since the test began (s)"), 0);
  const QString unit = displayUnit(record_ ? record_->commandUnit() : "N").text;
  styleAxis(QwtAxis::YLeft, shows_ == Shows::gap ? tr("NMSE of the gap") : tr("amplitude (%1)").arg(unit), 52);
}

QString LearningPlot::reading() const {
  if (!hasData()) return {};
  QStringList parts;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    if (shows_ == Shows::gap) {
      const LearningCurve& curve = record_->curve(i);
      const double last = curve.nmse(curve.size() - 1);
      parts << (last > 0.0 ? tr("%1: %2\u2009dB").arg(i + 1).arg(numberText(kDecibels * std::log10(last)))
                           : tr("%1: 0").arg(i + 1));
    } else {
      parts << tr("%1: %2").arg(i + 1).arg(quantityText(
          record_->moments().back().amplitudes[i * record_->orders().size()], displayUnit(record_->commandUnit())));
    }
  }
  return parts.join(QStringLiteral(" · "));
}

std::vector<LegendEntry> LearningPlot::legendEntries() const {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const FamilyLook look =
        shows_ == Shows::gap ? kGapLooks[i % std::size(kGapLooks)] : kCommandLooks[i % std::size(kCommandLooks)];
    entries.push_back({QString::number(i + 1), look.role, look.line, families_[i].visible});
  }
  return entries;
}

void LearningPlot::setEntryVisible(std::size_t entry, bool visible) {
  if (entry >= families_.size()) return;
  families_[entry].visible = visible;
  refresh();
}

ValueTable LearningPlot::valueTable() const {
  ValueTable table;
  table.headers << tr("time (s)");
  for (std::size_t i = 0; i < families_.size(); ++i)
    for (std::size_t h = 0; h < families_[i].curves.size(); ++h)
      table.headers << (shows_ == Shows::gap ? tr("NMSE %1").arg(i + 1)
                                             : tr("command %1, harmonic %2").arg(i + 1).arg(record_->orders()[h]));
  for (std::size_t k = 0; k < size(); ++k) {
    std::vector<double> row{shows_ == Shows::gap ? record_->curve(0).time_s(k) : record_->moments()[k].time_s};
    for (std::size_t i = 0; i < families_.size(); ++i) {
      if (shows_ == Shows::gap) {
        row.push_back(k < record_->curve(i).size() ? record_->curve(i).nmse(k) : std::nan(""));
        continue;
      }
      const auto first =
          record_->moments()[k].amplitudes.begin() + static_cast<std::ptrdiff_t>(i * record_->orders().size());
      row.insert(row.end(), first, first + static_cast<std::ptrdiff_t>(record_->orders().size()));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace hyb::ui
