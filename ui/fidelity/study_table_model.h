#pragma once
#include <QAbstractTableModel>

#include "core/study/study_file.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {

/// The runs of a study as rows: number, varied values, end of the run, figures.
class StudyTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  static constexpr int kSortRole = Qt::UserRole;
  explicit StudyTableModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
  void setTable(StudyTable table);
  const StudyTable& table() const { return table_; }
  static QString words(RunStatus status);
  /// Display unit of a figure, from its largest value.
  DisplayUnit unitOf(std::size_t figure) const { return units_[figure]; }
  /// Readable text of a varied value.
  QString varied(std::size_t column, std::size_t run) const;
  /// Description of a run: "run 6, damping 0.005, force 0.04, seed 2".
  QString runText(std::size_t run) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  /// null for run number, seed or result.
  const StudyTable::Column* columnAt(int section) const;
  StudyTable table_;
  std::vector<DisplayUnit> units_;  // [figure]
};

}  // namespace hyb::ui
