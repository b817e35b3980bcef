#include "ui/rig/connection_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/document/field_editors.h"
#include "ui/document/project_document.h"
#include "ui/document/schema_tools.h"
#include "ui/document/section_form.h"
#include "ui/plot/quantity_text.h"
#include "ui/rig/rig_session.h"

namespace hyb::ui {
namespace {

constexpr auto kConnection = "/rig/connection", kUse = "/rig/use", kAddress = "/rig/connection/address";

}  // namespace

ConnectionPanel::ConnectionPanel(ProjectDocument* document, RigSession* session, HardwareAccess hardware,
                                 QWidget* parent)
    : Panel(parent),
      document_(document),
      session_(session),
      hardware_(std::move(hardware)),
      use_(new QComboBox),
      form_(new SectionForm(document)),
      ports_(new QToolButton),
      connect_(new QPushButton),
      state_(new QLabel),
      message_(new QLabel),
      why_(new QLabel) {
  auto* title = new QLabel(tr("Connection"));
  title->setFont(figureFont(1.0, true));
  state_->setProperty("muted", true);
  state_->setAlignment(Qt::AlignRight);
  state_->setObjectName(QStringLiteral("rig-state"));
  use_->setObjectName(QString::fromLatin1(kUse));
  ports_->setText(tr("Serial ports"));
  ports_->setPopupMode(QToolButton::InstantPopup);
  ports_->setToolTip(tr("Enters the address of a port of this computer"));
  auto* menu = new QMenu(ports_);
  ports_->setMenu(menu);
  connect(menu, &QMenu::aboutToShow, this, &ConnectionPanel::listPorts);
  connect_->setObjectName(QStringLiteral("connect"));
  message_->setWordWrap(true);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  message_->setObjectName(QStringLiteral("rig-message"));
  message_->hide();
  why_->setWordWrap(true);
  why_->setProperty("muted", true);
  why_->setObjectName(QStringLiteral("connect-blocked"));

  auto* head = new QHBoxLayout;
  head->addWidget(title);
  head->addWidget(state_, 1);
  auto* use_label = new QLabel(tr("Run on"));
  use_label->setBuddy(use_);
  use_label->setFixedWidth(140);
  auto* use_row = new QHBoxLayout;
  use_row->setSpacing(12);
  use_row->addWidget(use_label);
  use_row->addWidget(use_, 1);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(ports_);
  buttons->addStretch();
  buttons->addWidget(connect_);
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(12, 8, 8, 8);
  box->setSpacing(6);
  box->addLayout(head);
  box->addLayout(use_row);
  box->addWidget(form_, 1);
  box->addWidget(why_);
  box->addWidget(message_);
  box->addLayout(buttons);  // the buttons keep their place: messages take space from the form

  connect(use_, &QComboBox::activated, this, [this] {
    document_->endEdit();
    document_->set(kUse, use_->currentData().toString().toStdString());
    document_->endEdit();
  });
  connect(connect_, &QPushButton::clicked, this, [this] {
    if (session_->active())
      session_->disconnectRig();
    else
      Q_EMIT connectWanted();
  });
  connect(document, &ProjectDocument::changed, this, &ConnectionPanel::refresh);
  connect(session, &RigSession::stateChanged, this, [this] {
    if (session_->state() == RigSession::State::connecting) say({}, false);
    showState();
  });
  // A later success clears a refusal; the reason why the rig stopped stays.
  connect(session, &RigSession::updated, this, [this] {
    const SetupView& view = session_->view();
    const bool well = view.problem.empty() && view.activity != SetupActivity::stopped;
    if (well && !message_->text().isEmpty()) say({}, false);
  });
  connect(session, &RigSession::told, this, &ConnectionPanel::say);
  connect(session, &RigSession::updated, this, [this] {
    if (session_->stale() != shown_) showState();
  });
  refresh();
}

void ConnectionPanel::refresh() {
  const Json* node = schemaAt(document_->json(), kUse);
  if (node && use_->count() == 0) {
    for (std::size_t i = 0; i < (*node)["enum"].size(); ++i)
      use_->addItem(QString::fromStdString(node->value("x-enum-titles", (*node)["enum"])[i]),
                    QString::fromStdString((*node)["enum"][i]));
    use_->setToolTip(fieldHelp(*node, kUse));
    use_->setAccessibleName(schemaText(*node, "title"));
    form_->showSection(kConnection);
  }
  const Json* use = document_->at(kUse);
  use_->setCurrentIndex(use && use->is_string() ? use_->findData(QString::fromStdString(use->get<std::string>())) : 0);
  showState();
}

void ConnectionPanel::showState() {
  const RigSession::State state = session_->state();
  const bool idle = state == RigSession::State::disconnected;
  const QString words[] = {tr("not connected"), tr("connecting..."), tr("connected"), tr("disconnecting...")};
  shown_ = session_->stale();
  state_->setText(shown_ == RigSession::Stale::stopped  ? tr("stopped")
                  : shown_ == RigSession::Stale::silent ? tr("silent")
                                                        : words[static_cast<int>(state)]);
  setMark(state_, shown_ != RigSession::Stale::no ? "warning" : state == RigSession::State::connected ? "ok" : "");
  connect_->setText(idle ? tr("Connect") : state == RigSession::State::connecting ? tr("Cancel") : tr("Disconnect"));
  connect_->setEnabled(idle ? blocked_.isEmpty() && !read_only_ : state != RigSession::State::disconnecting);
  connect_->setToolTip(idle ? (blocked_.isEmpty()
                                   ? tr("Connects and reads values. The rig is armed only before the first motion.")
                                   : blocked_)
                            : tr("Brings the rig to its safe state and disconnects"));
  why_->setText(idle ? blocked_ : QString());
  why_->setVisible(!why_->text().isEmpty());
  // Settings of an open connection must not change.
  form_->setReadOnly(read_only_ || !idle);
  use_->setEnabled(!read_only_ && idle);
  ports_->setEnabled(!read_only_ && idle && hardware_.serial_ports != nullptr);
}

void ConnectionPanel::setReadOnly(bool read_only) {
  read_only_ = read_only;
  showState();
}

void ConnectionPanel::setBlocked(const QString& why) {
  blocked_ = why;
  showState();
}

void ConnectionPanel::listPorts() {
  QMenu* menu = ports_->menu();
  menu->clear();
  for (const std::string& port : hardware_.serial_ports())
    connect(menu->addAction(QString::fromStdString(port)), &QAction::triggered, this, [this, port] {
      const Json* now = document_->at(kConnection);
      Json connection = now && now->is_object() ? *now : initialValue(projectSchema()["definitions"]["connection"]);
      connection["address"] = "serial:" + port;
      document_->endEdit();
      document_->set(now ? kAddress : kConnection, now ? connection["address"] : connection);
      document_->endEdit();
    });
  if (menu->isEmpty()) menu->addAction(tr("No serial ports found"))->setEnabled(false);
}

void ConnectionPanel::focusField(const std::string& pointer) { form_->focusField(pointer); }

void ConnectionPanel::say(const QString& text, bool bad) {
  message_->setText(text);
  message_->setVisible(!text.isEmpty());
  setMark(message_, bad ? "error" : "");
}

}  // namespace hyb::ui
