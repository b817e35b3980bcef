#include "ui/configure/json_editor.h"

#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTextBlock>

#include "ui/base/theme.h"
#include "ui/document/project_document.h"

namespace hyb::ui {

JsonEditor::JsonEditor(ProjectDocument* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      text_(new QPlainTextEdit),
      message_(new QLabel),
      apply_(new QPushButton(tr("Apply"))),
      revert_(new QPushButton(tr("Revert"))) {
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(0, 8, 0, 0);
  box->setSpacing(8);
  text_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  text_->setLineWrapMode(QPlainTextEdit::NoWrap);
  text_->setAccessibleName(tr("Project as JSON"));
  text_->setObjectName(QStringLiteral("json"));
  text_->setTabChangesFocus(true);
  apply_->setObjectName(QStringLiteral("json-apply"));
  message_->setProperty("mark", "error");
  message_->setWordWrap(true);
  message_->setObjectName(QStringLiteral("json-message"));
  auto* row = new QHBoxLayout;
  row->addWidget(message_, 1);
  row->addWidget(revert_);
  row->addWidget(apply_);
  box->addWidget(text_);
  box->addLayout(row);
  connect(text_, &QPlainTextEdit::textChanged, this, &JsonEditor::updateState);
  connect(apply_, &QPushButton::clicked, this, &JsonEditor::apply);
  connect(revert_, &QPushButton::clicked, this, &JsonEditor::revert);
  connect(document, &ProjectDocument::changed, this, &JsonEditor::refresh);
  updateState();
}

void JsonEditor::setReadOnly(bool read_only) {
  read_only_ = read_only;
  text_->setReadOnly(read_only);
  updateState();
}

bool JsonEditor::pending() const { return text_->document()->isModified(); }

void JsonEditor::refresh() {
  if (isVisible() && !pending()) revert();  // keeps typed text
}

void JsonEditor::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void JsonEditor::revert() {
  text_->setPlainText(QString::fromStdString(document_->json().dump(2, ' ', false, Json::error_handler_t::replace)));
  text_->document()->setModified(false);
  updateState();
}

void JsonEditor::apply() {
  const QByteArray utf8 = text_->toPlainText().toUtf8();
  QString problem;
  int at = -1;
  try {
    Json parsed = Json::parse(utf8.begin(), utf8.end());
    if (parsed.is_object()) {
      text_->document()->setModified(false);
      document_->replace(std::move(parsed), tr("edit of the JSON text"));
      return revert();
    }
    problem = tr("A project must be a JSON object: { ... }.");
  } catch (const Json::parse_error& error) {
    // Converts the byte position of the error to characters.
    at = static_cast<int>(QString::fromUtf8(utf8.left(std::max(0, static_cast<int>(error.byte) - 1))).size());
    const QTextBlock block = text_->document()->findBlock(std::min(at, text_->document()->characterCount() - 1));
    QString reason = QString::fromUtf8(error.what());
    reason = reason.mid(reason.indexOf(QLatin1String(": ")) + 2);
    problem = tr("Line %1, column %2: %3").arg(block.blockNumber() + 1).arg(at - block.position() + 1).arg(reason);
  }
  message_->setText(problem);
  if (at < 0) return;
  QTextEdit::ExtraSelection line;
  line.cursor = text_->textCursor();
  line.cursor.setPosition(std::min(at, text_->document()->characterCount() - 1));
  QColor tint = colour(Role::error, palette());
  tint.setAlphaF(0.2f);
  line.format.setBackground(tint);
  line.format.setProperty(QTextFormat::FullWidthSelection, true);
  text_->setTextCursor(line.cursor);
  text_->setExtraSelections({line});
}

void JsonEditor::updateState() {
  message_->clear();
  text_->setExtraSelections({});
  apply_->setEnabled(pending() && !read_only_);
  revert_->setEnabled(pending() && !read_only_);
}

}  // namespace hyb::ui
