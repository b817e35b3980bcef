#include "ui/analyse/export_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include "core/data/resample.h"
#include "core/exchange/format.h"
#include "core/record/run_table.h"
#include "ui/base/number_field.h"

namespace hyb::ui {
namespace {

constexpr double kMostExported_hz = 1e7;
constexpr int kExportProgress_ms = 50;

QString exportText(std::string_view text) { return QString::fromUtf8(text.data(), std::ssize(text)); }

}  // namespace

ExportDialog::ExportDialog(const QString& run_file, QWidget* parent)
    : QDialog(parent),
      run_file_(run_file),
      search_(new QLineEdit),
      channels_(new QListWidget),
      format_(new QComboBox),
      from_(new ValueField(tr("From"), tr("s"), 0.0, 0.0)),
      to_(new ValueField(tr("To"), tr("s"), 0.0, 0.0)),
      rate_(new ValueField(tr("Rate"), tr("Hz"), 0.0, kMostExported_hz)),
      units_(new QCheckBox(tr("Line of units (CSV)"))),
      message_(new QLabel),
      progress_(new QProgressBar),
      export_(new QPushButton(tr("Export…"))),
      cancel_(new QPushButton(tr("Close"))) {
  setWindowTitle(tr("Export channels"));
  resize(560, 560);
  search_->setPlaceholderText(tr("Search channels"));
  search_->setClearButtonEnabled(true);
  channels_->setObjectName(QStringLiteral("export-channels"));
  channels_->setAccessibleName(tr("Channels"));
  format_->setObjectName(QStringLiteral("export-format"));
  for (const ExchangeFormat& format : exchangeFormats())
    if (format.write != nullptr)
      format_->addItem(QStringLiteral("%1 (%2)").arg(exportText(format.title), exportText(format.suffix)),
                       exportText(format.name));
  from_->setObjectName(QStringLiteral("export-from"));
  to_->setObjectName(QStringLiteral("export-to"));
  rate_->setObjectName(QStringLiteral("export-rate"));
  rate_->setLeastWords(tr("as recorded"));
  rate_->setTip(tr("Another rate is behind a low-pass that passes up to 0.8 of half the lower rate."));
  units_->setChecked(true);
  message_->setObjectName(QStringLiteral("export-message"));
  message_->setWordWrap(true);
  progress_->setRange(0, 1000);
  progress_->setMaximumWidth(160);
  progress_->setAccessibleName(tr("Writing"));
  progress_->hide();
  export_->setObjectName(QStringLiteral("export-write"));
  export_->setDefault(true);

  auto* file = new QLabel(QFileInfo(run_file).fileName());
  file->setToolTip(run_file);
  auto* all = new QPushButton(tr("All"));
  auto* none = new QPushButton(tr("None"));
  auto* choose = new QHBoxLayout;
  choose->addWidget(search_, 1);
  choose->addWidget(all);
  choose->addWidget(none);
  auto* stretch_line = new QHBoxLayout;
  stretch_line->addWidget(from_);
  stretch_line->addWidget(new QLabel(tr("to")));
  stretch_line->addWidget(to_);
  stretch_line->addStretch(1);
  auto* form = new QFormLayout;
  form->addRow(tr("Run"), file);
  form->addRow(tr("Stretch"), stretch_line);
  form->addRow(tr("Rate"), rate_);
  form->addRow(tr("Format"), format_);
  form->addRow(QString(), units_);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(message_, 1);
  buttons->addWidget(progress_);
  buttons->addWidget(cancel_);
  buttons->addWidget(export_);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(choose);
  layout->addWidget(channels_, 1);
  layout->addLayout(form);
  layout->addLayout(buttons);

  connect(search_, &QLineEdit::textChanged, this, &ExportDialog::filter);
  const auto check = [this](Qt::CheckState state) {
    for (int row = 0; row < channels_->count(); ++row)
      if (!channels_->item(row)->isHidden()) channels_->item(row)->setCheckState(state);
  };
  connect(all, &QPushButton::clicked, this, [check] { check(Qt::Checked); });
  connect(none, &QPushButton::clicked, this, [check] { check(Qt::Unchecked); });
  connect(channels_, &QListWidget::itemChanged, this, &ExportDialog::judge);
  for (ValueField* field : {from_, to_, rate_}) connect(field, &ValueField::textChecked, this, &ExportDialog::judge);
  connect(export_, &QPushButton::clicked, this, &ExportDialog::chooseFile);
  connect(cancel_, &QPushButton::clicked, this, [this] {
    if (watch_ && work_.busy())
      watch_->cancel.store(true);
    else
      close();
  });
  list();
}

ExportDialog::~ExportDialog() {
  if (watch_) watch_->cancel.store(true);
}

void ExportDialog::say(const QString& text, const char* kind) {
  message_->setText(text);
  setMark(message_, kind);
}

void ExportDialog::setBusy(bool busy) {
  progress_->setVisible(busy);
  cancel_->setText(busy ? tr("Cancel") : tr("Close"));
  channels_->setEnabled(!busy);
  export_->setEnabled(!busy);
}

void ExportDialog::list() {
  try {
    const Table table = tableOf(std::make_shared<const RunFileReader>(run_file_.toStdString()));
    length_s_ = static_cast<double>(table.rows) / table.rate_hz;  // missed periods are rows, too
    from_->setRange(0.0, length_s_);
    to_->setRange(0.0, length_s_);
    to_->setValue(length_s_);
    const QSignalBlocker quiet(channels_);
    for (const Channel& channel : table.channels) {
      auto* item = new QListWidgetItem(
          channel.units.empty() ? exportText(channel.name)
                                : QStringLiteral("%1 (%2)").arg(exportText(channel.name), exportText(channel.units)));
      item->setData(Qt::UserRole, exportText(channel.name));
      item->setToolTip(exportText(channel.description));
      item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
      item->setCheckState(channel.role == ColumnRole::timing ? Qt::Unchecked : Qt::Checked);
      channels_->addItem(item);
    }
    judge();
  } catch (const std::exception& error) {
    export_->setEnabled(false);
    say(QString::fromUtf8(error.what()), "error");
  }
}

void ExportDialog::filter(const QString& words) {
  for (int row = 0; row < channels_->count(); ++row) {
    QListWidgetItem* const item = channels_->item(row);
    item->setHidden(!item->text().contains(words, Qt::CaseInsensitive) &&
                    !item->toolTip().contains(words, Qt::CaseInsensitive));
  }
}

void ExportDialog::judge() {
  int chosen = 0;
  for (int row = 0; row < channels_->count(); ++row)
    chosen += channels_->item(row)->checkState() == Qt::Checked ? 1 : 0;
  QString problem;
  for (const ValueField* field : {from_, to_, rate_})
    if (!field->good()) problem = field->problem();
  if (problem.isEmpty() && !(to_->value() > from_->value())) problem = tr("The stretch ends before it begins.");
  if (problem.isEmpty() && chosen == 0) problem = tr("Choose at least one channel.");
  export_->setEnabled(problem.isEmpty() && !work_.busy());
  say(problem.isEmpty() ? tr("Channels: %1").arg(chosen) : problem, problem.isEmpty() ? "" : "error");
}

void ExportDialog::chooseFile() {
  const ExchangeFormat& format = exchangeFormat(format_->currentData().toString().toStdString(), "");
  const QString suffix = exportText(format.suffix);
  auto* dialog = new QFileDialog(this, tr("Export to"), QFileInfo(run_file_).absolutePath(),
                                 QStringLiteral("%1 (*%2)").arg(exportText(format.title), suffix));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(suffix.mid(1));
  dialog->selectFile(QFileInfo(run_file_).completeBaseName() +
                     (suffix == QLatin1String(".h5") ? QStringLiteral("-export") : QString()) + suffix);
  dialog->setModal(false);
  connect(dialog, &QFileDialog::fileSelected, this, &ExportDialog::exportTo);
  dialog->show();
}

void ExportDialog::exportTo(const QString& file) {
  if (QFileInfo(file) == QFileInfo(run_file_))
    return say(tr("This is the run file itself; give another name."), "error");
  std::vector<std::string> names;
  for (int row = 0; row < channels_->count(); ++row)
    if (channels_->item(row)->checkState() == Qt::Checked)
      names.push_back(channels_->item(row)->data(Qt::UserRole).toString().toStdString());
  const ExchangeFormat* const format = &exchangeFormat(format_->currentData().toString().toStdString(), "");
  const double from_s = from_->value(), to_s = to_->value(), rate_hz = rate_->value();
  const bool part = from_s > 0.0 || to_s < length_s_, units_line = units_->isChecked();
  watch_ = std::make_shared<Watch>();
  setBusy(true);
  say(tr("Writing %1").arg(QFileInfo(file).fileName()), "");
  auto* timer = new QTimer(progress_);
  connect(timer, &QTimer::timeout, this, [this, watch = watch_] { progress_->setValue(watch->permille.load()); });
  timer->start(kExportProgress_ms);
  work_.submit([this, names, format, from_s, to_s, rate_hz, part, units_line, timer, watch = watch_,
                run = run_file_.toStdString(), to = file.toStdString()]() -> LatestTask::Deliver {
    QString told;
    bool failed = false;
    try {
      Table table = tableOf(std::make_shared<const RunFileReader>(run));
      if (part) table = stretch(std::move(table), from_s, to_s);
      table = chosen(std::move(table), names);
      if (rate_hz > 0.0) table = resampled(std::move(table), rate_hz);
      const bool whole = exportTable(table, to, *format, {units_line}, [&watch](double share) {
        watch->permille.store(static_cast<int>(1000.0 * share));
        return !watch->cancel.load();
      });
      told = whole ? tr("%1: rows: %2 at %3 Hz")
                         .arg(QString::fromStdString(to))
                         .arg(static_cast<qulonglong>(table.rows))
                         .arg(table.rate_hz)
                   : tr("Cancelled: nothing was written.");
    } catch (const std::exception& error) {
      told = QString::fromUtf8(error.what());
      failed = true;
    }
    return [this, told, failed, timer] {
      timer->deleteLater();
      setBusy(false);
      say(told, failed ? "error" : "");
    };
  });
}

}  // namespace hyb::ui
