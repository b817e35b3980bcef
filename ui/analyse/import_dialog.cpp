#include "ui/analyse/import_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include <set>

#include "ui/base/number_field.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

enum ImportColumn { kTake, kSource, kUnit, kChannel, kOpposite, kSi, kFirst };
constexpr int kFromFile = -1, kStatedRate = -2;  // data of the combo of times; otherwise a column
constexpr double kLeastImported_hz = 1e-3, kMostImported_hz = 1e7;

QString importText(const std::string& text) { return QString::fromStdString(text); }

/// The first values of a column, for recognising it.
QString firstValuesOf(const Table& table, std::size_t column) {
  constexpr std::uint64_t kShown = 4;
  QStringList values;
  for (const double value : table.read(column, 0, std::min(kShown, table.rows)))
    values << (std::isnan(value) ? QStringLiteral("–") : figureText(value == 0.0 ? 0.0 : value, 4));  // no "-0"
  return values.join(QStringLiteral("; ")) + (table.rows > kShown ? QStringLiteral("; …") : QString());
}

QTableWidgetItem* fixedItem(const QString& text) {
  auto* item = new QTableWidgetItem(text);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  item->setToolTip(text);
  return item;
}

QTableWidgetItem* boxItem(bool checked) {
  auto* item = new QTableWidgetItem;
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsUserCheckable);
  item->setCheckState(checked ? Qt::Checked : Qt::Unchecked);
  return item;
}

/// A name for the run file that is not in use.
QString freeRunFile(const QString& folder, const QString& base) {
  QString path = folder + QLatin1Char('/') + base + QStringLiteral(".h5");
  for (int k = 2; QFileInfo::exists(path); ++k) path = folder + QStringLiteral("/%1-%2.h5").arg(base).arg(k);
  return path;
}

}  // namespace

ImportDialog::ImportDialog(const QString& file, const QString& folder, const QString& project_json,
                           const QString& project_folder, QWidget* parent)
    : QDialog(parent),
      file_(file),
      folder_(folder),
      project_json_(project_json),
      project_folder_(project_folder),
      source_(new QLabel),
      table_(new QComboBox),
      times_(new QComboBox),
      project_(new QComboBox),
      rate_(new ValueField(tr("Rate"), tr("Hz"), kLeastImported_hz, kMostImported_hz, 1000.0)),
      columns_(new QTableWidget),
      title_(new QLineEdit),
      operator_(new QLineEdit),
      message_(new QLabel),
      progress_(new QProgressBar),
      import_(new QPushButton(tr("Import"))),
      cancel_(new QPushButton(tr("Cancel"))) {
  setWindowTitle(tr("Import record"));
  resize(900, 560);
  source_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  source_->setText(QFileInfo(file).fileName());
  source_->setToolTip(file);
  table_->setObjectName(QStringLiteral("import-table"));
  times_->setObjectName(QStringLiteral("import-times"));
  times_->setToolTip(
      tr("When the rows were: by the rate, or by a column with times. Rows at uneven times are interpolated."));
  rate_->setObjectName(QStringLiteral("import-rate"));
  project_->setObjectName(QStringLiteral("import-project"));
  project_->addItems({tr("Unknown"), tr("That of the window")});
  project_->setItemData(1, project_json_.isEmpty() ? QVariant(0) : QVariant(), Qt::UserRole - 1);
  project_->setToolTip(
      tr("Analysis window, tolerance and structure of the test. It must run at the rate of the record."));
  columns_->setObjectName(QStringLiteral("import-columns"));
  columns_->setAccessibleName(tr("Columns of the file"));
  columns_->setColumnCount(kFirst + 1);
  columns_->setHorizontalHeaderLabels(
      {tr("Take"), tr("Column"), tr("Unit"), tr("Channel"), tr("Opposite sign"), tr("In SI"), tr("First values")});
  columns_->horizontalHeaderItem(kUnit)->setToolTip(
      tr("Unit of the values in the file: mm, kN, m/s2, g, deg ... Double-click to change it."));
  columns_->horizontalHeaderItem(kChannel)->setToolTip(tr(
      "target_1, command_1, measured_1, force_1, velocity_1, reference_1 and excitation_1 have a meaning for figures "
      "and plots; 1 is the interface. Any other name is a further channel. Double-click to change it."));
  columns_->horizontalHeaderItem(kOpposite)->setToolTip(
      tr("The column is positive in the other direction than the axis."));
  columns_->verticalHeader()->hide();
  columns_->horizontalHeader()->setStretchLastSection(true);
  columns_->setSelectionBehavior(QAbstractItemView::SelectRows);
  title_->setObjectName(QStringLiteral("import-title"));
  title_->setText(QFileInfo(file).completeBaseName());
  operator_->setObjectName(QStringLiteral("import-operator"));
  message_->setObjectName(QStringLiteral("import-message"));
  message_->setWordWrap(true);
  progress_->setRange(0, 0);
  progress_->setMaximumWidth(200);
  progress_->setAccessibleName(tr("Reading or writing"));
  import_->setObjectName(QStringLiteral("import-write"));
  import_->setDefault(true);

  auto* form = new QFormLayout;
  form->addRow(tr("File"), source_);
  form->addRow(tr("Table"), table_);
  auto* times = new QHBoxLayout;
  times->addWidget(times_, 1);
  times->addWidget(rate_);
  form->addRow(tr("Times"), times);
  form->addRow(tr("Title"), title_);
  form->addRow(tr("Operator"), operator_);
  form->addRow(tr("Project"), project_);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(message_, 1);
  buttons->addWidget(progress_);
  buttons->addWidget(cancel_);
  buttons->addWidget(import_);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(form);
  layout->addWidget(columns_, 1);
  layout->addLayout(buttons);

  connect(table_, &QComboBox::currentIndexChanged, this, &ImportDialog::showTable);
  connect(times_, &QComboBox::currentIndexChanged, this, &ImportDialog::judge);
  connect(rate_, &ValueField::textChecked, this, &ImportDialog::judge);
  connect(project_, &QComboBox::currentIndexChanged, this, &ImportDialog::judge);
  connect(columns_, &QTableWidget::itemChanged, this, &ImportDialog::judge);
  connect(import_, &QPushButton::clicked, this, &ImportDialog::write);
  connect(cancel_, &QPushButton::clicked, this, &QDialog::close);
  read();
}

ImportDialog::~ImportDialog() = default;

void ImportDialog::say(const QString& text, const char* kind) {
  message_->setText(text);
  setMark(message_, kind);
}

void ImportDialog::setBusy(bool busy) {
  progress_->setVisible(busy);
  for (QWidget* widget : {static_cast<QWidget*>(table_), static_cast<QWidget*>(times_), static_cast<QWidget*>(columns_),
                          static_cast<QWidget*>(import_)})
    widget->setEnabled(!busy && found_ != nullptr);
}

void ImportDialog::read() {
  setBusy(true);
  say(tr("Reading %1").arg(QFileInfo(file_).fileName()), "");
  work_.submit([this, file = file_.toStdString()]() -> LatestTask::Deliver {
    try {
      auto found = std::make_shared<const ForeignFile>(readForeign(file));
      return [this, found] {
        found_ = found;
        setBusy(false);
        const QSignalBlocker quiet(table_);
        for (std::size_t t = 0; t < found_->tables.size(); ++t) {
          const Table& one = found_->tables[t];
          table_->addItem(tr("%1%2: columns: %3, rows: %4")
                              .arg(static_cast<qulonglong>(t) + 1)
                              .arg(one.title.empty() ? QString() : QStringLiteral(", ") + importText(one.title))
                              .arg(static_cast<qlonglong>(one.channels.size()))
                              .arg(static_cast<qulonglong>(one.rows)));
        }
        showTable();
      };
    } catch (const std::exception& error) {
      return [this, problem = QString::fromUtf8(error.what())] {
        setBusy(false);
        say(problem, "error");
      };
    }
  });
}

void ImportDialog::showTable() {
  if (!found_ || table_->currentIndex() < 0) return;
  const auto place = static_cast<std::size_t>(table_->currentIndex());
  const Table& table = found_->tables[place];
  const ImportPlan suggested = suggestedPlan(*found_, place);
  const QSignalBlocker quiet_columns(columns_), quiet_times(times_);
  times_->clear();
  if (table.rate_hz > 0.0) times_->addItem(tr("Rate of the file, %1 Hz").arg(figureText(table.rate_hz, 7)), kFromFile);
  times_->addItem(tr("Rate stated here"), kStatedRate);
  columns_->setRowCount(static_cast<int>(table.channels.size()));
  for (std::size_t c = 0; c < table.channels.size(); ++c) {
    const Channel& channel = table.channels[c];
    const int row = static_cast<int>(c);
    times_->addItem(tr("Column %1").arg(importText(channel.name)), row);
    const auto planned = std::ranges::find(suggested.channels, c, &ImportedChannel::column);
    const bool taken = planned != suggested.channels.end();
    columns_->setItem(row, kTake, boxItem(taken));
    columns_->setItem(row, kSource, fixedItem(importText(channel.name)));
    columns_->setItem(row, kUnit,
                      new QTableWidgetItem(importText(c == suggested.time ? suggested.time_unit : channel.units)));
    columns_->setItem(row, kChannel, new QTableWidgetItem(taken ? importText(planned->name) : QString()));
    columns_->setItem(row, kOpposite, boxItem(false));
    columns_->setItem(row, kSi, fixedItem({}));
    columns_->setItem(row, kFirst, fixedItem(firstValuesOf(table, c)));
  }
  const int wanted = suggested.time ? static_cast<int>(*suggested.time) : table.rate_hz > 0.0 ? kFromFile : kStatedRate;
  times_->setCurrentIndex(times_->findData(wanted));
  columns_->resizeColumnsToContents();
  columns_->horizontalHeader()->setStretchLastSection(true);
  judge();
}

ImportPlan ImportDialog::plan(QString& problem) const {
  ImportPlan made;
  made.table = static_cast<std::size_t>(std::max(0, table_->currentIndex()));
  const int times = times_->currentData().toInt();
  if (times >= 0) {
    made.time = static_cast<std::size_t>(times);
    made.time_unit = columns_->item(times, kUnit)->text().toStdString();
  }
  if (times == kStatedRate) made.rate_hz = rate_->value();
  std::set<std::string> used;
  for (int row = 0; row < columns_->rowCount(); ++row) {
    if (row == times || columns_->item(row, kTake)->checkState() != Qt::Checked) continue;
    const std::string name = columns_->item(row, kChannel)->text().trimmed().toStdString();
    if (!used.insert(name).second && problem.isEmpty())
      problem = tr("Two columns become the channel \"%1\"; give each a name of its own.").arg(importText(name));
    made.channels.push_back({static_cast<std::size_t>(row), name,
                             columns_->item(row, kUnit)->text().trimmed().toStdString(),
                             columns_->item(row, kOpposite)->checkState() == Qt::Checked});
  }
  if (made.channels.empty() && problem.isEmpty()) problem = tr("Take at least one column.");
  if (times == kStatedRate && !rate_->good()) problem = rate_->problem();
  return made;
}

void ImportDialog::judge() {
  if (!found_) return;
  const int times = times_->currentData().toInt();
  rate_->setEnabled(times == kStatedRate);
  const QSignalBlocker quiet(columns_);
  for (int row = 0; row < columns_->rowCount(); ++row)
    columns_->item(row, kSi)->setText(row == times ? tr("time") : QString());
  QStringList notes;
  for (const std::string& note : found_->notes) notes << importText(note);
  QString problem;
  const ImportPlan made = plan(problem);
  if (problem.isEmpty()) {
    // The first rows tell what is wrong with names, units and rate; the times of all rows are judged by the import.
    const Table& table = found_->tables[made.table];
    constexpr std::uint64_t kTried = 16;
    ForeignFile few;
    few.tables.push_back(table);
    few.tables.back().rows = std::min(kTried, table.rows);
    ImportPlan tried = made;
    tried.table = 0;
    try {
      const ImportedRecord record = hyb::imported(few, tried);
      for (std::size_t k = 0; k < made.channels.size(); ++k) {
        const std::string& units = record.table.channels[k].units;
        columns_->item(static_cast<int>(made.channels[k].column), kSi)
            ->setText(units.empty() ? QStringLiteral("–") : importText(units));
      }
      for (const std::string& note : record.notes) notes << importText(note);
    } catch (const std::exception& error) {
      problem = QString::fromUtf8(error.what());
    }
  }
  import_->setEnabled(problem.isEmpty());
  if (!problem.isEmpty())
    say(problem, "error");
  else
    say(notes.join(QLatin1Char(' ')), notes.isEmpty() ? "" : "warning");
}

void ImportDialog::write() {
  QString problem;
  const ImportPlan made = plan(problem);
  if (!problem.isEmpty() || !found_) return;
  const QString run_file = freeRunFile(folder_, QFileInfo(file_).completeBaseName());
  ImportOrigin origin{file_.toStdString(), title_->text().toStdString(), operator_->text().toStdString(), {}, {}};
  if (project_->currentIndex() == 1) {
    origin.project_json = project_json_.toStdString();
    origin.project_folder = project_folder_.toStdString();
  }
  setBusy(true);
  say(tr("Writing %1").arg(QFileInfo(run_file).fileName()), "");
  work_.submit([this, made, origin, found = found_, run_file]() -> LatestTask::Deliver {
    try {
      ImportedRecord record = hyb::imported(*found, made);
      record.notes.insert(record.notes.begin(), found->notes.begin(), found->notes.end());
      const std::filesystem::path to = run_file.toStdString();
      std::filesystem::create_directories(to.parent_path());
      writeImported(record, origin, to);
      return [this, run_file] {
        setBusy(false);
        Q_EMIT imported(run_file);
        close();
      };
    } catch (const std::exception& error) {
      return [this, what = QString::fromUtf8(error.what())] {
        setBusy(false);
        say(what, "error");
      };
    }
  });
}

}  // namespace hyb::ui
