#include "ui/fidelity/rig_question.h"

#include <QLabel>
#include <QVBoxLayout>

#include "ui/base/scrolled.h"
#include "ui/control/preflight_list.h"
#include "ui/control/preflight_source.h"
#include "ui/document/field_editors.h"

namespace hyb::ui {
namespace {

constexpr int kPatience_ms = 60'000, kSettling_ms = 1000, kList_px = 150;

}  // namespace

RigQuestion::RigQuestion(QWidget* parent)
    : QFrame(parent), words_(new QLabel), checks_(new PreflightSource(this)), list_(new PreflightList) {
  setObjectName(QStringLiteral("rig-question"));
  words_->setWordWrap(true);
  setMark(words_, "warning");
  auto* scroll = scrolled(list_);
  scroll->setFixedHeight(kList_px);
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(0, 0, 0, 0);
  box->setSpacing(4);
  box->addWidget(words_);
  box->addWidget(scroll);
  patience_.setSingleShot(true);
  settling_.setSingleShot(true);
  connect(&patience_, &QTimer::timeout, this, &RigQuestion::withdraw);
  connect(checks_, &PreflightSource::changed, this, &RigQuestion::showChecks);
  hide();
}

void RigQuestion::ask(const QString& what, const Project& project, const std::string& file, std::size_t bytes_per_row) {
  file_ = file;
  bytes_per_row_ = bytes_per_row;
  words_->setText(tr("The rig at %1 will move: %2 in real time, one after the other. Read the list, clear the rig, "
                     "then press the button again within %3 s.")
                      .arg(QString::fromStdString(project.rig.connection.address), what)
                      .arg(kPatience_ms / 1000));
  patience_.start(kPatience_ms);
  settling_.start(kSettling_ms);
  checks_->setProject(project);
  show();
  Q_EMIT changed();
}

void RigQuestion::withdraw() {
  if (isHidden() && !asking()) return;
  patience_.stop();
  hide();
  Q_EMIT changed();
}

void RigQuestion::hideEvent(QHideEvent* event) {
  QFrame::hideEvent(event);
  if (asking()) withdraw();
}

void RigQuestion::showChecks() {
  if (asking()) list_->show(checks_->items(file_, bytes_per_row_, {}, nullptr));
}

}  // namespace hyb::ui
