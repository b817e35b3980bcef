#include "ui/header_bar.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <cmath>

#include "ui/configure/field_editors.h"
#include "ui/theme.h"

namespace hyb::ui {
namespace {

constexpr int kHeight = 48;

QPolygonF octagon(const QPointF& centre, double radius) {
  QPolygonF shape;
  for (int i = 0; i < 8; ++i) {
    const double angle = M_PI / 8 + i * M_PI / 4;
    shape << centre + radius * QPointF(std::cos(angle), std::sin(angle));
  }
  return shape;
}

Role roleOf(State state) {
  switch (state) {
    case State::disconnected:
      return Role::stateDisconnected;
    case State::ready:
      return Role::stateReady;
    case State::armed:
      return Role::stateArmed;
    case State::running:
      return Role::stateRunning;
    case State::holding:
      return Role::stateHolding;
    case State::stopping:
      return Role::stateStopping;
    case State::fault:
      return Role::stateFault;
  }
  return Role::stateReady;
}

void paintShape(QPainter& painter, State state, const QColor& hue, const QPointF& c) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(hue);
  switch (state) {
    case State::disconnected:
      painter.setPen(QPen(hue, 2));
      painter.setBrush(Qt::NoBrush);
      painter.drawEllipse(c, 6, 6);
      break;
    case State::ready:
      painter.drawEllipse(c, 6.5, 6.5);
      break;
    case State::armed:
      painter.drawPolygon(QPolygonF{c + QPointF(0, -8), c + QPointF(8, 0), c + QPointF(0, 8), c + QPointF(-8, 0)});
      break;
    case State::running:
      painter.drawPolygon(QPolygonF{c + QPointF(-5, -7), c + QPointF(8, 0), c + QPointF(-5, 7)});
      break;
    case State::holding:
      painter.drawRect(QRectF(c.x() - 6, c.y() - 7, 4.5, 14));
      painter.drawRect(QRectF(c.x() + 1.5, c.y() - 7, 4.5, 14));
      break;
    case State::stopping:
      painter.drawRect(QRectF(c.x() - 6, c.y() - 6, 12, 12));
      break;
    case State::fault:
      painter.drawPolygon(octagon(c, 8));
      break;
  }
}

/// Two arrows away from each other: moved by hand, to and fro.
void paintSetUp(QPainter& painter, const QColor& hue, const QPointF& c) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(hue);
  painter.drawPolygon(QPolygonF{c + QPointF(-9, 0), c + QPointF(-2, -6), c + QPointF(-2, 6)});
  painter.drawPolygon(QPolygonF{c + QPointF(9, 0), c + QPointF(2, -6), c + QPointF(2, 6)});
}

QLabel* makeFigure(const QString& name, const QString& widest) {
  auto* label = new QLabel;
  label->setProperty("muted", true);
  label->setAccessibleName(name);
  label->setToolTip(name);
  label->setMinimumWidth(label->fontMetrics().horizontalAdvance(widest));  // figures change, the place does not
  return label;
}

}  // namespace

StateChip::StateChip(QWidget* parent) : QWidget(parent) {
  setFixedHeight(32);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  setObjectName(QStringLiteral("state-chip"));
  setState(State::ready);
}

QString StateChip::word(State state) {
  return QString::fromLatin1(name(state).data(), static_cast<qsizetype>(name(state).size())).toUpper();
}

QString StateChip::shown() const { return set_up_ ? tr("SET-UP") : word(state_); }

void StateChip::setState(State state) {
  state_ = state;
  say();
}

void StateChip::setSetUp(bool on) {
  set_up_ = on;
  say();
}

void StateChip::say() {
  setAccessibleName(tr("State: %1").arg(shown()));
  update();
}

QSize StateChip::sizeHint() const {
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  return {QFontMetrics(bold).horizontalAdvance(word(State::disconnected)) + 44, 32};  // the widest: it never jumps
}

void StateChip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QColor hue = colour(set_up_ ? Role::stateSetUp : roleOf(state_), palette());
  QColor tint = hue;
  tint.setAlphaF(0.14f);
  painter.setPen(Qt::NoPen);
  painter.setBrush(tint);
  painter.drawRoundedRect(rect(), 6, 6);
  const QPointF centre(20, 0.5 * height());
  if (set_up_)
    paintSetUp(painter, hue, centre);
  else
    paintShape(painter, state_, hue, centre);
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  painter.setFont(bold);
  painter.setPen(colour(Role::text, palette()));
  painter.drawText(rect().adjusted(36, 0, -4, 0), Qt::AlignVCenter | Qt::AlignLeft, shown());
}

StopButton::StopButton(QWidget* parent) : QAbstractButton(parent) {
  setText(tr("STOP"));
  setObjectName(QStringLiteral("stop"));
  setFixedSize(sizeHint());
  setCursor(Qt::PointingHandCursor);
  setFocusPolicy(Qt::TabFocus);
  setToolTip(
      tr("Stops through software: ramps to the safe state; once more: at once. The hardware emergency stop is on the "
         "rig."));
  setAccessibleName(tr("Stop"));
  setAccessibleDescription(toolTip() + tr(" Keys: Esc, or Space outside a text field."));
}

void StopButton::enterEvent(QEnterEvent*) { update(); }
void StopButton::leaveEvent(QEvent*) { update(); }

void StopButton::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QColor face(isDown() ? 0x22262C : underMouse() ? 0x50565F : 0x3C4149);
  painter.setPen(hasFocus() ? QPen(colour(Role::accent, palette()), 2) : QPen(QColor(0x6B727C), 1));
  painter.setBrush(face);
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
  painter.setPen(QPen(Qt::white, 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawPolygon(octagon(QPointF(26, 0.5 * height()), 9));
  painter.setPen(Qt::NoPen);
  painter.setBrush(Qt::white);
  painter.drawRect(QRectF(22.5, 0.5 * height() - 3.5, 7, 7));
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  bold.setPointSizeF(bold.pointSizeF() * 1.2);
  painter.setFont(bold);
  painter.setPen(Qt::white);
  painter.drawText(rect().adjusted(42, 0, -8, 0), Qt::AlignVCenter | Qt::AlignLeft, text());
}

HeaderBar::HeaderBar(const QStringList& workspaces, QWidget* parent)
    : QWidget(parent),
      tabs_(new QButtonGroup(this)),
      chip_(new StateChip),
      reason_(new QLabel),
      elapsed_(makeFigure(tr("Time since Run"), QStringLiteral("00:00:00.0"))),
      late_(makeFigure(tr("Ticks that came at least one period late"), QStringLiteral("late 000000"))),
      recorded_(makeFigure(tr("Recorded in this run"), QStringLiteral("rec 0000 MB"))),
      reset_(new QPushButton(tr("Reset"))) {
  setFixedHeight(kHeight);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 0, 8, 0);
  row->setSpacing(8);
  auto* name = new QLabel(QStringLiteral("HybridBench"));
  QFont font = name->font();
  font.setWeight(QFont::DemiBold);
  font.setPointSizeF(font.pointSizeF() * 1.15);
  name->setFont(font);
  row->addWidget(name);
  row->addSpacing(12);
  for (int i = 0; i < workspaces.size(); ++i) {
    auto* tab = new QToolButton;
    tab->setText(workspaces[i]);
    tab->setCheckable(true);
    tab->setMinimumSize(88, 36);
    tab->setFocusPolicy(Qt::TabFocus);
    tab->setObjectName(QStringLiteral("workspace-%1").arg(i));
    tab->setToolTip(tr("%1 (Ctrl+%2)").arg(workspaces[i]).arg(i + 1));
    tabs_->addButton(tab, i);
    row->addWidget(tab);
  }
  connect(tabs_, &QButtonGroup::idClicked, this, &HeaderBar::workspaceChosen);
  row->addStretch();
  mode_ = new QLabel;
  mode_->setProperty("chip", true);
  mode_->setFixedHeight(32);
  mode_->setObjectName(QStringLiteral("mode"));
  setRigUse(RigUse::twin);
  row->addWidget(mode_);
  row->addWidget(chip_);
  reason_->setMaximumWidth(320);
  reason_->setObjectName(QStringLiteral("fault-reason"));
  row->addWidget(reason_);
  reset_->setToolTip(tr("Resets the fault (F8); does not restart the test"));
  reset_->setObjectName(QStringLiteral("reset"));
  connect(reset_, &QPushButton::clicked, this, &HeaderBar::resetClicked);
  row->addWidget(reset_);
  for (QLabel* figure : {elapsed_, late_, recorded_}) row->addWidget(figure);
  row->addSpacing(4);
  auto* stop = new StopButton;
  connect(stop, &QAbstractButton::pressed, this, &HeaderBar::stopClicked);  // on the press: no time to lose
  row->addWidget(stop);
  setWorkspace(0);
  setState(State::ready);
  setProgress(0.0, 0, 0);
}

void HeaderBar::setWorkspace(int index) { tabs_->button(index)->setChecked(true); }

void HeaderBar::setState(State state) {
  chip_->setState(state);
  const bool fault = state == State::fault;
  reset_->setVisible(fault);
  reason_->setVisible(fault);
  for (QLabel* figure : {elapsed_, recorded_}) figure->setVisible(!fault);  // the reason needs the room
}

void HeaderBar::setSetUp(bool on) { chip_->setSetUp(on); }

void HeaderBar::setRigUse(RigUse use) {
  const QString words[] = {tr("TWIN"), tr("SHADOW"), tr("RIG")};
  const QString meanings[] = {tr("The rig is its digital twin: nothing real moves."),
                              tr("Real hardware moves; its digital twin runs beside it."), tr("Real hardware moves.")};
  const auto index = static_cast<std::size_t>(use);
  mode_->setText(words[index]);
  mode_->setToolTip(meanings[index]);
  mode_->setAccessibleName(tr("Mode: %1").arg(words[index].toLower()));
}

void HeaderBar::setFaultReason(const QString& reason) {
  reason_->setText(reason_->fontMetrics().elidedText(reason, Qt::ElideRight, reason_->maximumWidth()));
  reason_->setToolTip(reason);
}

void HeaderBar::setProgress(double elapsed_s, std::uint64_t late_ticks, std::uint64_t recorded_bytes) {
  const auto tenths = static_cast<std::int64_t>(elapsed_s * 10.0);
  const std::int64_t hours = tenths / 36000, minutes = tenths / 600 % 60;
  const QString clock = QStringLiteral("%1:%2.%3")
                            .arg(minutes, 2, 10, QLatin1Char('0'))
                            .arg(tenths / 10 % 60, 2, 10, QLatin1Char('0'))
                            .arg(tenths % 10);
  elapsed_->setText(hours > 0 ? QStringLiteral("%1:%2").arg(hours, 2, 10, QLatin1Char('0')).arg(clock) : clock);
  late_->setText(tr("late %1").arg(late_ticks));
  setMark(late_, late_ticks > 0 ? "warning" : "");
  recorded_->setText(
      tr("rec %1 MB").arg(1e-6 * static_cast<double>(recorded_bytes), 0, 'f', recorded_bytes < 10'000'000 ? 1 : 0));
}

void HeaderBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), colour(Role::panel, palette()));
  painter.setPen(colour(Role::border, palette()));
  painter.drawLine(0, height() - 1, width(), height() - 1);
}

}  // namespace hyb::ui
