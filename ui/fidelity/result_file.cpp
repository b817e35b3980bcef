#include "ui/fidelity/result_file.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>

#include "core/base/error.h"
#include "core/study/journal.h"
#include "ui/base/dialog.h"

namespace hyb::ui {
namespace {

bool taken(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored) || std::filesystem::exists(StudyJournal::part(file), ignored);
}

}  // namespace

ResultFile::ResultFile(QWidget* parent) : QWidget(parent), edit_(new QLineEdit) {
  edit_->setAccessibleName(tr("Result file"));
  edit_->setObjectName(QStringLiteral("result-file"));
  auto* choose_button = new QPushButton(tr("Choose…"));
  choose_button->setToolTip(tr("Choose a new name, or an unfinished result to continue"));
  auto* box = new QHBoxLayout(this);
  box->setContentsMargins(0, 0, 0, 0);
  box->setSpacing(4);
  box->addWidget(edit_, 1);
  box->addWidget(choose_button);
  connect(edit_, &QLineEdit::textEdited, this, [this](const QString& text) {
    own_name_ = text.trimmed().isEmpty();
    edit_->setToolTip(text);
  });
  connect(edit_, &QLineEdit::editingFinished, this, [this] {
    if (own_name_) showName();
  });
  connect(choose_button, &QPushButton::clicked, this, [this] {
    auto* dialog = new QFileDialog(this, tr("Result file"), QFileInfo(edit_->text()).absolutePath(),
                                   tr("Results (*.h5);;All files (*)"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setOption(QFileDialog::DontConfirmOverwrite);  // finished results are never overwritten
    dialog->setDefaultSuffix(QStringLiteral("h5"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
      if (isEnabled()) choose(file);  // a running campaign keeps its file
    });
    showBeside(dialog);
  });
}

void ResultFile::setFolder(const std::filesystem::path& folder) {
  if (folder == folder_) return;
  folder_ = folder;
  showName();
}

void ResultFile::setTitle(const QString& title) {
  static const QRegularExpression odd(QStringLiteral("[^\\p{L}\\p{N}]+"));
  QString name = title.left(60).toLower().replace(odd, QStringLiteral("-"));
  while (name.endsWith(QLatin1Char('-'))) name.chop(1);
  while (name.startsWith(QLatin1Char('-'))) name.remove(0, 1);
  if (name == title_) return;
  title_ = name;
  showName();
}

void ResultFile::setReadOnly(bool on) { setEnabled(!on); }

std::filesystem::path ResultFile::fresh() const {
  const std::string stem = title_.isEmpty() ? std::string("study") : title_.toStdString();
  std::filesystem::path file = folder_ / (stem + ".h5");
  for (int n = 2; taken(file); ++n) file = folder_ / (stem + "-" + std::to_string(n) + ".h5");
  return file;
}

void ResultFile::showName() {
  if (!own_name_ || folder_.empty()) return;
  edit_->setText(QString::fromStdString(fresh().string()));
  edit_->setToolTip(edit_->text());
}

std::filesystem::path ResultFile::take(const std::string& identity) {
  std::error_code ignored;
  const bool unfinished = !taken_.empty() && std::filesystem::exists(StudyJournal::part(taken_), ignored);
  if (!own_name_)
    taken_ = edit_->text().trimmed().toStdString();
  else if (!unfinished || identity != identity_)
    taken_ = fresh();
  identity_ = identity;
  edit_->setText(QString::fromStdString(taken_.string()));
  edit_->setToolTip(edit_->text());
  if (taken_.has_parent_path()) {
    std::error_code failed;
    std::filesystem::create_directories(taken_.parent_path(), failed);
    if (failed)
      throw DeviceError(taken_.parent_path().string() + ": the folder cannot be created: " + failed.message());
  }
  return taken_;
}

void ResultFile::choose(const QString& file) {
  own_name_ = false;
  edit_->setText(file);
  edit_->setToolTip(file);
}

}  // namespace hyb::ui
