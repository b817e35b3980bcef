#include "ui/plot/value_table_dialog.h"

#include <QAbstractTableModel>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "core/base/csv.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

class ValueModel : public QAbstractTableModel {
 public:
  ValueModel(ValueTable table, QObject* parent) : QAbstractTableModel(parent), table_(std::move(table)) {}
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
  }
  int columnCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(table_.headers.size());
  }
  QVariant data(const QModelIndex& index, int role) const override {
    if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    return numberText(table_.rows[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())], 6);
  }
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
    if (role != Qt::DisplayRole) return {};
    return orientation == Qt::Horizontal ? QVariant(table_.headers.at(section)) : QVariant(section + 1);
  }
  QString csv() const {
    CsvText csv;
    for (const QString& header : table_.headers) csv.add(header.toStdString());
    csv.endRow();
    for (const std::vector<double>& row : table_.rows) {
      for (const double value : row) csv.add(value);
      csv.endRow();
    }
    return QString::fromStdString(csv.text());
  }

 private:
  ValueTable table_;
};

}  // namespace

ValueTableDialog::ValueTableDialog(const QString& title, ValueTable table, QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("%1: table of values").arg(title));
  resize(560, 480);
  auto* remark = new QLabel(table.remark.isEmpty() ? tr("%1 rows").arg(table.rows.size()) : table.remark);
  remark->setProperty("muted", true);
  auto* model = new ValueModel(std::move(table), this);
  auto* view = new QTableView;
  view->setModel(model);
  view->setAccessibleName(windowTitle());
  view->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  view->verticalHeader()->setDefaultSectionSize(24);
  auto* copy = new QPushButton(tr("Copy as CSV"));
  connect(copy, &QPushButton::clicked, this, [model] { QGuiApplication::clipboard()->setText(model->csv()); });
  auto* close = new QPushButton(tr("Close"));
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(remark, 1);
  buttons->addWidget(copy);
  buttons->addWidget(close);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(view, 1);
  layout->addLayout(buttons);
}

}  // namespace hyb::ui
