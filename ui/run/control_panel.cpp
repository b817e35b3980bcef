#include "ui/run/control_panel.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFocusEvent>
#include <QFontMetrics>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/base/confirm_button.h"
#include "ui/control/recording_folder.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

/// A push button that mirrors an action: text, key, enabled state.
QPushButton* buttonFor(QAction* action) {
  auto* button = new QPushButton;
  button->setMinimumHeight(32);
  const auto follow = [button, action] {
    button->setText(
        QStringLiteral("%1 (%2)").arg(action->text(), action->shortcut().toString(QKeySequence::NativeText)));
    button->setEnabled(action->isEnabled());
    button->setToolTip(action->toolTip());
    button->setAccessibleName(action->text());
    button->setAccessibleDescription(action->toolTip());
  };
  follow();
  QObject::connect(action, &QAction::changed, button, follow);
  QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
  return button;
}

}  // namespace

ControlPanel::ControlPanel(const Actions& actions, QWidget* parent) : Panel(parent) {
  elapsed_ = new QLabel(clockText(0.0));
  elapsed_->setFont(figureFont(2.0, true));
  elapsed_->setAccessibleName(tr("Elapsed time"));
  duration_ = new QLabel;
  duration_->setProperty("muted", true);
  duration_->setAlignment(Qt::AlignRight | Qt::AlignBottom);
  progress_ = new QProgressBar;
  progress_->setTextVisible(false);
  progress_->setFixedHeight(6);
  progress_->setRange(0, 1000);
  progress_->setAccessibleName(tr("Progress of the test"));

  pace_ = new QComboBox;
  pace_->addItem(tr("Real time"), static_cast<int>(Pace::real_time));
  pace_->addItem(tr("Free run"), static_cast<int>(Pace::free_run));
  pace_->setAccessibleName(tr("Pace"));
  pace_->setToolTip(tr("Real time: one tick per period of the clock. Free run: as fast as the computer can."));
  record_ = new QCheckBox(tr("Record"));
  record_->setChecked(true);
  preview_ = new QLabel;
  preview_->setProperty("muted", true);
  preview_->setFont(figureFont(0.9));
  preview_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  connect(record_, &QCheckBox::toggled, this, &ControlPanel::updatePreview);
  begin_with_ = new QCheckBox;
  begin_with_->setObjectName(QStringLiteral("begin-with"));
  begin_with_->hide();
  force_ = new QLabel;
  force_->setObjectName(QStringLiteral("force-source"));
  force_->setToolTip(
      tr("Forces that drive the numerical side. Measured: forces from the rig close the loop. Emulated: simulated "
         "forces of the reference structure; the loop is open and cannot become unstable."));
  switch_force_ = new ConfirmButton;
  switch_force_->setObjectName(QStringLiteral("switch-forces"));
  switch_force_->setToolTip(force_->toolTip() + tr(" A second press confirms."));
  connect(switch_force_, &ConfirmButton::confirmed, this, [this] {
    Q_EMIT forceSourceChosen(source_ == ForceSource::measured ? ForceSource::emulated : ForceSource::measured);
  });

  note_ = new QLineEdit;
  note_->setPlaceholderText(tr("Note (F2; Enter saves it)"));
  note_->setMaxLength(100);
  note_->setObjectName(QStringLiteral("operator-note"));
  note_->setAccessibleName(tr("Operator note"));
  connect(note_, &QLineEdit::returnPressed, this, [this] {
    const QString text = note_->text().trimmed();
    setFocus(Qt::OtherFocusReason);  // so that Space is STOP again
    if (text.isEmpty()) return;
    Q_EMIT noteEntered(noting_ ? tr("tick %1: %2").arg(note_tick_).arg(text) : text);
    noting_ = false;
    note_->clear();
  });

  held_ = new QLabel;
  held_->setObjectName(QStringLiteral("arm-held"));
  held_->setWordWrap(true);
  held_->setProperty("muted", true);
  held_->hide();
  message_ = new QLabel;
  message_->setObjectName(QStringLiteral("run-message"));
  message_->setWordWrap(true);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  message_->hide();
  open_ = new QPushButton(tr("Open this run in Analyse"));
  open_->hide();
  connect(open_, &QPushButton::clicked, this, [this] { Q_EMIT openRequested(file_); });

  auto* buttons = new QGridLayout;
  buttons->setSpacing(8);
  buttons->addWidget(buttonFor(actions.arm), 0, 0);
  buttons->addWidget(buttonFor(actions.run), 0, 1);
  buttons->addWidget(buttonFor(actions.hold), 1, 0);
  buttons->addWidget(buttonFor(actions.reset), 1, 1);
  auto* clock = new QHBoxLayout;
  clock->addWidget(elapsed_);
  clock->addWidget(duration_, 1);
  auto* choices = new QGridLayout;
  choices->setHorizontalSpacing(8);
  choices->setVerticalSpacing(6);
  choices->setColumnStretch(1, 1);
  const auto labelled = [choices](int row, const QString& text, QWidget* field) {
    auto* label = new QLabel(text);
    label->setBuddy(field);
    choices->addWidget(label, row, 0);
    choices->addWidget(field, row, 1);
  };
  labelled(0, tr("Pace"), pace_);
  program_ = new QLabel;
  program_->setObjectName(QStringLiteral("program"));
  program_->setWordWrap(true);
  program_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  program_->setToolTip(
      tr("The program that computes the numerical side and leads the test. Start it after Run, or before."));
  program_label_ = new QLabel(tr("Program"));
  choices->addWidget(program_label_, 4, 0, Qt::AlignTop);
  choices->addWidget(program_, 4, 1);
  auto* forces = new QWidget;
  auto* forces_row = new QHBoxLayout(forces);
  forces_row->setContentsMargins(0, 0, 0, 0);
  forces_row->setSpacing(8);
  forces_row->addWidget(force_);
  forces_row->addWidget(switch_force_, 1);
  labelled(1, tr("Forces"), forces);
  choices->addWidget(record_, 2, 0);
  choices->addWidget(preview_, 2, 1);
  choices->addWidget(begin_with_, 3, 0, 1, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 8, 12, 8);
  layout->setSpacing(6);
  layout->addLayout(buttons);
  layout->addLayout(clock);
  layout->addWidget(progress_);
  layout->addLayout(choices);
  layout->addWidget(note_);
  layout->addWidget(held_);
  layout->addWidget(message_);
  layout->addWidget(open_);
  setState(State::ready, false);
  setProgram({}, false);
}

void ControlPanel::setProgram(const QString& address, bool connected) {
  const QString text = connected ? tr("connected at %1").arg(address) : tr("waiting for it at %1").arg(address);
  if (text != program_->text()) program_->setText(text);
  for (QLabel* label : {program_, program_label_}) label->setVisible(!address.isEmpty());
}

void ControlPanel::setProject(const Project& project) {
  folder_ = recordingFolder(project);
  title_ = QString::fromStdString(project.meta.title);
  setForceSource(project.loop.force_source);
  setTime(0.0, project.loop.duration_s);
  updatePreview();
}

void ControlPanel::updatePreview() {
  if (!record_->isChecked()) {
    preview_->setText(tr("nothing is recorded"));
    preview_->setToolTip({});
    return;
  }
  const QString folder = QString::fromStdString(folder_.string());
  QString shown = QDir::toNativeSeparators(folder);
  if (const QString home = QDir::homePath(); shown.startsWith(home)) shown.replace(0, home.size(), QLatin1Char('~'));
  preview_->setText(tr("to %1").arg(shown));
  preview_->setToolTip(tr("File name, for example: %1").arg(QDir(folder).filePath(recordingName(title_))));
}

std::filesystem::path ControlPanel::makeFile() const { return newRecording(folder_, title_); }

void ControlPanel::setState(State state, bool closing) {
  const bool idle = !closing && (state == State::ready || state == State::fault || state == State::disconnected);
  const bool moving = !closing && (state == State::armed || state == State::running || state == State::holding);
  pace_->setEnabled(idle);
  record_->setEnabled(idle);
  begin_with_->setEnabled(idle);
  switch_force_->setEnabled(moving);
  showForceSource();
  note_->setEnabled(moving || (state == State::stopping && !closing));
  if (!moving) noting_ = false;
}

void ControlPanel::setTime(double elapsed_s, double duration_s) {
  elapsed_->setText(clockText(elapsed_s));
  duration_->setText(duration_s > 0.0 ? tr("of %1").arg(clockText(duration_s)) : tr("until stopped"));
  progress_->setVisible(duration_s > 0.0);
  if (duration_s > 0.0) progress_->setValue(std::min(1000, static_cast<int>(1000.0 * elapsed_s / duration_s)));
}

void ControlPanel::setForceSource(ForceSource source) {
  source_ = source;
  showForceSource();
}

void ControlPanel::showForceSource() {
  const bool measured = source_ == ForceSource::measured;
  const QString other = measured ? tr("emulated") : tr("measured");
  force_->setText(measured ? tr("measured") : tr("emulated"));
  switch_force_->setTexts(tr("Switch to %1").arg(other), tr("Press again: %1").arg(other));
}

bool ControlPanel::event(QEvent* event) {
  const bool done = QFrame::event(event);
  // Otherwise a message of several lines would make the rows of the column overlap.
  if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Resize) {
    const int least =
        layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(width()) : layout()->totalMinimumSize().height();
    if (least != minimumHeight()) setMinimumHeight(least);
  }
  return done;
}

Pace ControlPanel::pace() const { return static_cast<Pace>(pace_->currentData().toInt()); }
bool ControlPanel::recording() const { return record_->isChecked(); }

void ControlPanel::offerStart(const QString& text, const QString& tip, bool ticked) {
  begin_with_->setVisible(!text.isEmpty());
  begin_with_->setChecked(ticked);
  begin_with_->setText(text);
  begin_with_->setToolTip(tip);
  begin_with_->setAccessibleDescription(tip);
}

bool ControlPanel::takesStart() const { return begin_with_->isVisibleTo(this) && begin_with_->isChecked(); }

void ControlPanel::setHeld(const QString& reason) {
  held_->setText(reason);
  held_->setVisible(!reason.isEmpty());
}

void ControlPanel::say(const QString& text, bool error) {
  message_->setText(text);
  message_->setVisible(!text.isEmpty());
  message_->setProperty("mark", error ? "error" : "");
  message_->style()->unpolish(message_);
  message_->style()->polish(message_);
}

void ControlPanel::offerFile(const QString& file) {
  file_ = file;
  open_->setVisible(!file.isEmpty());
}

void ControlPanel::focusNote(std::uint64_t tick) {
  note_tick_ = tick;
  noting_ = true;
  note_->setFocus(Qt::ShortcutFocusReason);
}

}  // namespace hyb::ui
