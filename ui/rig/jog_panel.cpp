#include "ui/rig/jog_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/base/number_field.h"
#include "ui/plot/quantity_text.h"
#include "ui/rig/rig_session.h"

namespace hyb::ui {
JogPanel::JogPanel(RigSession* session, QWidget* parent)
    : Panel(parent),
      session_(session),
      axis_(new QComboBox),
      speed_(new ValueField(tr("Speed"), tr("mm/s"), 0.001, 20.0, 1.0)),
      travel_(new ValueField(tr("Travel"), tr("mm"), 0.001, 1000.0, 5.0)),
      force_(new ValueField(tr("Largest force"), tr("N"), 0.001, 1e7, 100.0)),
      amplitude_(new ValueField(tr("Motion of the wiring check"), tr("mm"), 0.001, 100.0, 1.0)),
      check_(new QPushButton(tr("Check wiring"))),
      progress_(new QProgressBar),
      position_(new QLabel) {
  auto* title = new QLabel(tr("Move by hand"));
  title->setFont(figureFont(1.0, true));
  auto* hint = new QLabel(tr("Hold a button, or Left or Right on it, to move."));
  hint->setProperty("muted", true);
  minus_ = makeButton(tr("\u25c0 Move \u2212"), QStringLiteral("jog-minus"), -1.0);
  plus_ = makeButton(tr("Move + \u25b6"), QStringLiteral("jog-plus"), 1.0);
  axis_->setAccessibleName(tr("Actuator to move"));
  axis_->setObjectName(QStringLiteral("jog-axis"));
  position_->setFont(figureFont(1.0));
  position_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  position_->setObjectName(QStringLiteral("jog-position"));
  check_->setObjectName(QStringLiteral("check-wiring"));
  check_->setToolTip(
      tr("Moves each actuator by this distance and back, one at a time, and finds which sensor responds with which "
         "sign. Esc or STOP ends the check in the safe state."));
  progress_->setTextVisible(false);
  progress_->setFixedHeight(4);
  progress_->setRange(0, 1000);
  progress_->setAccessibleName(tr("Progress of zeroing or wiring check"));
  travel_->setTip(tr("Largest travel in each direction from the position at the first motion"));
  force_->setTip(tr("The rig stops if any force sensor exceeds this value"));

  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(6);
  const auto field = [grid](int row, int column, const QString& text, QWidget* editor) {
    auto* label = new QLabel(text);
    label->setBuddy(editor);
    label->setToolTip(editor->toolTip());
    grid->addWidget(label, row, column);
    grid->addWidget(editor, row, column + 1);
  };
  field(0, 0, tr("Actuator"), axis_);
  grid->addWidget(position_, 0, 2, 1, 2);
  grid->addWidget(minus_, 1, 0, 1, 2);
  grid->addWidget(plus_, 1, 2, 1, 2);
  field(2, 0, tr("Speed"), speed_);
  field(2, 2, tr("Travel \u00b1"), travel_);
  field(3, 0, tr("Force \u00b1"), force_);
  field(3, 2, tr("Check by"), amplitude_);
  grid->addWidget(check_, 4, 2, 1, 2);
  grid->setColumnStretch(1, 1);
  grid->setColumnStretch(3, 1);
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(12, 8, 12, 8);
  box->setSpacing(6);
  box->addWidget(title);
  box->addLayout(grid);
  box->addWidget(hint);
  box->addWidget(progress_);
  box->addStretch();

  connect(check_, &QPushButton::clicked, this, [this] {
    if (session_->view().activity == SetupActivity::checking)
      session_->release();
    else
      session_->checkWiring(1e-3 * amplitude_->value(), limits());
  });
  for (ValueField* number : {speed_, travel_, force_, amplitude_})
    connect(number, &ValueField::textChecked, this, &JogPanel::showState);
  connect(session, &RigSession::stateChanged, this, &JogPanel::showState);
  connect(session, &RigSession::updated, this, &JogPanel::showState);
  connect(axis_, &QComboBox::currentIndexChanged, this, [this] {
    showUnits();
    showState();
  });
  showState();
}

QPushButton* JogPanel::makeButton(const QString& text, const QString& name, double sign) {
  auto* button = new QPushButton(text);
  button->setObjectName(name);
  button->setMinimumHeight(36);
  button->setAccessibleName(sign > 0.0 ? tr("Move in the positive direction") : tr("Move in the negative direction"));
  button->setAccessibleDescription(tr("Moves while it is held down"));
  button->setProperty("held", true);
  button->installEventFilter(this);
  connect(button, &QPushButton::pressed, this, [this, sign] { start(sign); });
  connect(button, &QPushButton::released, this, [this] {
    if (session_->jogging()) session_->release();
  });
  return button;
}

bool JogPanel::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::KeyPress:
    case QEvent::KeyRelease: {
      const auto* key = static_cast<QKeyEvent*>(event);
      if (key->key() != Qt::Key_Left && key->key() != Qt::Key_Right) break;
      if (key->isAutoRepeat()) return true;
      if (event->type() == QEvent::KeyPress)
        start(key->key() == Qt::Key_Right ? 1.0 : -1.0);
      else if (session_->jogging())
        session_->release();
      return true;
    }
    case QEvent::FocusOut:
    case QEvent::Hide:
    case QEvent::WindowDeactivate:
      // Without the focus, the release of a key is not seen here.
      if (session_->jogging()) session_->release();
      break;
    default:
      break;
  }
  return QFrame::eventFilter(watched, event);
}

bool JogPanel::limitsGood() const { return speed_->good() && travel_->good() && force_->good(); }

JogLimits JogPanel::limits() const { return {1e-3 * speed_->value(), 1e-3 * travel_->value(), force_->value()}; }

void JogPanel::start(double sign) {
  if (!limitsGood()) return;  // a refused limit would have no effect
  const JogLimits allowed = limits();
  session_->startJog(axis_->currentIndex() + 1, sign * allowed.speed_m_per_s, allowed);
}

void JogPanel::setAxes(const std::vector<AxisSignals>& axes) {
  axes_ = axes;
  QStringList shown, wanted;
  for (int i = 0; i < axis_->count(); ++i) shown << axis_->itemText(i);
  for (std::size_t i = 0; i < axes.size(); ++i)
    wanted << QStringLiteral("%1 %2").arg(i + 1).arg(QString::fromStdString(axes[i].name));
  if (shown != wanted) {
    axis_->clear();
    axis_->addItems(wanted);
  }
  showUnits();
  showState();
}

/// Shows units of the chosen axis; the wiring check moves all axes.
void JogPanel::showUnits() {
  const auto axis = static_cast<std::size_t>(std::max(0, axis_->currentIndex()));
  const AxisSignals chosen = axis < axes_.size() ? axes_[axis] : AxisSignals{};
  const auto text = [](std::string_view unit) { return displayUnit(unit).text; };
  const QString motion = text(facts(chosen.motion).unit);
  speed_->setUnit(QStringLiteral("%1/s").arg(motion));
  travel_->setUnit(motion);
  force_->setUnit(text(facts(chosen.force()).unit));
  QStringList all;
  for (const AxisSignals& each : axes_) all << text(facts(each.motion).unit);
  all.removeDuplicates();
  amplitude_->setUnit(all.isEmpty() ? motion : all.join(QStringLiteral(" or ")));
}

void JogPanel::showState() {
  const SetupView& view = session_->view();
  const bool connected = session_->state() == RigSession::State::connected;
  const bool checking = view.activity == SetupActivity::checking;
  const bool free = connected && view.activity != SetupActivity::stopped && view.activity != SetupActivity::zeroing;
  minus_->setEnabled(free && !checking && axis_->count() > 0 && limitsGood());
  plus_->setEnabled(minus_->isEnabled());
  check_->setEnabled(free && view.activity != SetupActivity::jogging &&
                     (checking || (limitsGood() && amplitude_->good())));
  check_->setText(checking ? tr("End the check") : tr("Check wiring"));
  progress_->setValue(connected && (checking || view.activity == SetupActivity::zeroing)
                          ? static_cast<int>(1000.0 * view.progress)
                          : 0);
  const auto axis = static_cast<std::size_t>(std::max(0, axis_->currentIndex()));
  position_->setText(
      !connected                                ? QString()
      : view.activity == SetupActivity::stopped ? tr("stopped")
      : axis < view.command_m.size()
          ? tr("at %1").arg(quantityText(
                view.command_m[axis],
                displayUnit(facts(axis < axes_.size() ? axes_[axis].motion : SignalKind::displacement).unit), true))
          : tr("not moved yet"));
}

}  // namespace hyb::ui
