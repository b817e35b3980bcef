#include "ui/fidelity/study_table_model.h"

#include <QApplication>
#include <QPalette>
#include <algorithm>
#include <cmath>

#include "ui/base/theme.h"

namespace hyb::ui {
namespace {
// run, plan..., seed, result, figures...
constexpr int kRun = 0, kFixed = 3;
}  // namespace

QString StudyTableModel::words(RunStatus status) {
  switch (status) {
    case RunStatus::pending:
      return tr("not run yet");
    case RunStatus::done:
      return tr("done");
    case RunStatus::stopped:
      return tr("ended early");
    case RunStatus::failed:
      return tr("could not run");
  }
  return {};
}

void StudyTableModel::setTable(StudyTable table) {
  beginResetModel();
  table_ = std::move(table);
  units_.clear();
  for (const StudyTable::Column& figure : table_.figures) {
    double largest = 0.0;
    for (const double value : figure.numbers)
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    units_.push_back(fitting(displayUnit(figure.units), largest));
  }
  endResetModel();
}

QString StudyTableModel::varied(std::size_t column, std::size_t run) const {
  const StudyTable::Column& varied = table_.plan[column];
  return varied.labels.empty() ? figureText(varied.numbers[run], 4) : QString::fromStdString(varied.labels[run]);
}

QString StudyTableModel::runText(std::size_t run) const {
  QStringList said{tr("run %1").arg(run)};
  if (!table_.label[run].empty()) said << QString::fromStdString(table_.label[run]);
  if (table_.seed.front() != table_.seed.back()) said << tr("seed %1").arg(table_.seed[run]);
  return said.join(QStringLiteral(", "));
}

int StudyTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.status.size());
}

int StudyTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.plan.size() + table_.figures.size()) + kFixed;
}

const StudyTable::Column* StudyTableModel::columnAt(int section) const {
  const int plan = static_cast<int>(table_.plan.size());
  if (section > kRun && section <= plan) return &table_.plan[static_cast<std::size_t>(section - 1)];
  if (section >= plan + kFixed) return &table_.figures[static_cast<std::size_t>(section - plan - kFixed)];
  return nullptr;
}

QVariant StudyTableModel::data(const QModelIndex& index, int role) const {
  const auto row = static_cast<std::size_t>(index.row());
  const int section = index.column(), plan = static_cast<int>(table_.plan.size());
  const RunStatus status = table_.status[row];
  if (role == Qt::ToolTipRole) {
    const StudyTable::Column* column = columnAt(section);
    return QString::fromStdString(column && !column->words.empty() ? column->words[row] : table_.message[row]);
  }
  if (role == Qt::TextAlignmentRole)
    return int((section == plan + 2 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role == Qt::ForegroundRole && section == plan + 2 && status != RunStatus::done)
    return colour(status == RunStatus::pending   ? Role::mutedText
                  : status == RunStatus::stopped ? Role::warning
                                                 : Role::error,
                  QApplication::palette());
  if (role != Qt::DisplayRole && role != kSortRole) return {};
  const bool shown = role == Qt::DisplayRole;
  if (const StudyTable::Column* column = columnAt(section)) {
    if (!column->words.empty()) return QString::fromStdString(column->labels[row]);
    const double value = column->numbers[row];
    if (!shown) return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
    return section <= plan ? figureText(value, 6)
                           : numberText(value * units_[static_cast<std::size_t>(section - plan - kFixed)].factor);
  }
  if (section == kRun) return static_cast<qulonglong>(row);
  if (section == plan + 1) return static_cast<qulonglong>(table_.seed[row]);
  return words(status);
}

QVariant StudyTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return QAbstractTableModel::headerData(section, orientation, role);
  const StudyTable::Column* column = columnAt(section);
  if (role == Qt::ToolTipRole && column) return QString::fromStdString(column->description);
  if (role != Qt::DisplayRole) return {};
  if (!column)
    return section == kRun                                              ? tr("run")
           : section == kRun + 1 + static_cast<int>(table_.plan.size()) ? tr("seed")
                                                                        : tr("result");
  QString name = QString::fromStdString(column->name);
  const int plan = static_cast<int>(table_.plan.size());
  const bool planned = section <= plan;
  if (!planned) name.replace(QLatin1Char('_'), QLatin1Char(' '));
  const QString unit =
      planned ? QString::fromStdString(column->units) : units_[static_cast<std::size_t>(section - plan - kFixed)].text;
  return unit.isEmpty() ? name : QStringLiteral("%1\n(%2)").arg(name, unit);
}

}  // namespace hyb::ui
