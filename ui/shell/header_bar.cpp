#include "ui/shell/header_bar.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "ui/base/notice_bar.h"
#include "ui/base/theme.h"
#include "ui/document/field_editors.h"
#include "ui/shell/verdict_strip.h"

namespace hyb::ui {
namespace {

constexpr int kGap_px = 8, kTightGap_px = 1, kEdge_px = 12, kTightEdge_px = 2;
constexpr int kHeight = 48, kBand_px = 8, kClosing_ms = 15'000;

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

/// Two arrows that point away from each other: the rig is moved by hand.
void paintSetUp(QPainter& painter, const QColor& hue, const QPointF& c) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(hue);
  painter.drawPolygon(QPolygonF{c + QPointF(-9, 0), c + QPointF(-2, -6), c + QPointF(-2, 6)});
  painter.drawPolygon(QPolygonF{c + QPointF(9, 0), c + QPointF(2, -6), c + QPointF(2, 6)});
}

QFont demiBold(QFont font, double scale = 1.0) {
  font.setWeight(QFont::DemiBold);
  font.setPointSizeF(font.pointSizeF() * scale);
  return font;
}

QLabel* makeFigure(const QString& name, const QString& widest) {
  auto* label = new QLabel;
  label->setProperty("muted", true);
  label->setAccessibleName(name);
  label->setToolTip(name);
  label->setFixedWidth(label->fontMetrics().horizontalAdvance(widest) +
                       4);  // the width must not change with the figures
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

QString StateChip::shown() const {
  if (!set_up_) return waiting_ ? tr("WAITING") : word(state_);
  return set_up_word_.isEmpty() ? tr("SET-UP") : set_up_word_;
}

void StateChip::setState(State state) {
  state_ = state;
  say();
}

void StateChip::setSetUp(bool on, const QString& word) {
  if (set_up_ == on && set_up_word_ == word) return;
  set_up_ = on;
  set_up_word_ = word;
  say();
}

void StateChip::setWaiting(bool on) {
  if (std::exchange(waiting_, on) != on) say();
}

void StateChip::say() {
  setAccessibleName(tr("State: %1").arg(shown()));
  update();
}

QSize StateChip::sizeHint() const {
  return {QFontMetrics(demiBold(font())).horizontalAdvance(word(State::disconnected)) + 44, 32};  // the widest: it
                                                                                                  // never jumps
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
  painter.setFont(demiBold(font()));
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
      tr("Software stop: ramps to the safe state; a second press stops at once. The hardware emergency stop is on the "
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
  painter.setFont(demiBold(font(), 1.2));
  painter.setPen(Qt::white);
  painter.drawText(rect().adjusted(42, 0, -8, 0), Qt::AlignVCenter | Qt::AlignLeft, text());
}

ModeChip::ModeChip(QWidget* parent) : QLabel(parent) {
  setObjectName(QStringLiteral("mode"));
  setAlignment(Qt::AlignCenter);
  setFixedHeight(36);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  setRigUse(RigUse::twin);
}

void ModeChip::setRigUse(RigUse use) {
  const QString words[] = {tr("TWIN"), tr("SHADOW"), tr("RIG")};
  const QString meanings[] = {tr("Tests run on the digital twin: no hardware moves."),
                              tr("Real hardware moves; its digital twin runs beside it."), tr("Real hardware moves.")};
  const auto index = static_cast<std::size_t>(use);
  use_ = use;
  setText(words[index]);
  setToolTip(meanings[index]);
  setAccessibleName(tr("Mode: %1").arg(words[index].toLower()));
  update();
}

QSize ModeChip::sizeHint() const {
  return {QFontMetrics(demiBold(font(), 1.15)).horizontalAdvance(tr("SHADOW")) + 28, 36};  // the widest: it never jumps
}

void ModeChip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QColor ink = colour(Role::text, palette()), paper = colour(Role::panel, palette());
  const QRectF box = QRectF(rect()).adjusted(2, 2, -2, -2);
  switch (use_) {
    case RigUse::twin:
      painter.setPen(QPen(colour(Role::border, palette()), 1));
      painter.setBrush(Qt::NoBrush);
      painter.drawRoundedRect(box, 6, 6);
      break;
    case RigUse::shadow: {
      QPen broken(ink, 3, Qt::CustomDashLine, Qt::FlatCap);
      broken.setDashPattern({2.5, 1.5});
      painter.setPen(broken);
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(box.adjusted(0, 0, 0, 0));
      break;
    }
    case RigUse::rig:
      painter.fillRect(rect(), ink);
      painter.setPen(QPen(paper, 2));
      painter.drawRect(QRectF(rect()).adjusted(5, 5, -5, -5));
      break;
  }
  painter.setFont(use_ == RigUse::twin ? font() : demiBold(font(), 1.15));
  painter.setPen(use_ == RigUse::rig ? paper : use_ == RigUse::twin ? colour(Role::mutedText, palette()) : ink);
  painter.drawText(rect(), Qt::AlignCenter, text());
}

HeaderBar::HeaderBar(const QStringList& workspaces, QWidget* parent)
    : QWidget(parent),
      tabs_(new QButtonGroup(this)),
      mode_(new ModeChip),
      chip_(new StateChip),
      name_(new QLabel(QStringLiteral("HybridBench"))),
      elapsed_(makeFigure(tr("Time since Run"), QStringLiteral("00:00:00.0"))),
      late_(makeFigure(tr("Late: ticks that started at least one period late. Missed: periods without a tick."),
                       QStringLiteral("late 00000, missed 00000"))),
      recorded_(makeFigure(tr("Recorded in this run"), QStringLiteral("rec 0000 MB"))),
      row_(new QHBoxLayout),
      fault_(new NoticeBar("error")),
      closing_(new NoticeBar("warning")),
      disk_(new NoticeBar("warning")),
      verdict_(new VerdictStrip) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  setMinimumWidth(1);  // parts that can shrink must not set the width of the window
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(0, 0, 0, 1);
  box->setSpacing(0);
  auto* first = new QWidget;
  first->setFixedHeight(kHeight - 1);
  first->setLayout(row_);
  box->addWidget(first);
  box->addWidget(closing_);
  box->addWidget(disk_);
  box->addWidget(fault_);
  box->addWidget(verdict_);
  row_->setContentsMargins(kEdge_px, 0, kGap_px, 0);
  row_->setSpacing(kGap_px);
  name_->setFont(demiBold(name_->font(), 1.15));
  row_->addWidget(name_);
  row_->addSpacing(4);
  for (int i = 0; i < workspaces.size(); ++i) {
    auto* tab = new QToolButton;
    tab->setText(workspaces[i]);
    tab->setCheckable(true);
    tab->setMinimumHeight(36);
    tab->setFocusPolicy(Qt::TabFocus);
    tab->setObjectName(QStringLiteral("workspace-%1").arg(i));
    tab->setToolTip(tr("%1 (Ctrl+%2)").arg(workspaces[i]).arg(i + 1));
    tabs_->addButton(tab, i);
    row_->addWidget(tab);
  }
  tabs_->setExclusive(false);  // in an exclusive group, arrow keys would change the workspace
  connect(tabs_, &QButtonGroup::idClicked, this, &HeaderBar::workspaceChosen);
  row_->addStretch();
  row_->addWidget(mode_);
  row_->addWidget(chip_);
  for (QLabel* figure : {elapsed_, late_, recorded_}) row_->addWidget(figure);
  auto* stop = new StopButton;
  connect(stop, &QAbstractButton::pressed, this,
          &HeaderBar::stopClicked);  // on the press, not on the release: a stop must not wait
  row_->addWidget(stop);

  fault_->setObjectName(QStringLiteral("fault-reason"));
  auto* reset = new QPushButton(tr("Reset (F8)"));
  reset->setToolTip(tr("Resets the fault (F8); does not restart the test"));
  reset->setObjectName(QStringLiteral("reset"));
  connect(reset, &QPushButton::clicked, this, &HeaderBar::resetClicked);
  fault_->addWidget(reset);
  reset_ = reset;

  closing_->setObjectName(QStringLiteral("close-question"));
  auto* quit = new QPushButton(tr("Stop and quit"));
  quit->setObjectName(QStringLiteral("stop-and-quit"));
  auto* stay = new QPushButton(tr("Stay"));
  stay->setObjectName(QStringLiteral("stay"));
  connect(quit, &QPushButton::clicked, this, &HeaderBar::closeConfirmed);
  connect(stay, &QPushButton::clicked, this, [this] { askToClose({}); });
  closing_->addWidget(quit);
  closing_->addWidget(stay);
  disk_->setObjectName(QStringLiteral("disk-question"));
  reload_ = new QPushButton(tr("Reload"));
  reload_->setObjectName(QStringLiteral("reload"));
  auto* overwrite = new QPushButton(tr("Overwrite"));
  overwrite->setObjectName(QStringLiteral("overwrite"));
  connect(reload_, &QPushButton::clicked, this, &HeaderBar::reloadWanted);
  connect(overwrite, &QPushButton::clicked, this, &HeaderBar::overwriteWanted);
  disk_->addWidget(reload_);
  disk_->addWidget(overwrite);
  closing_patience_.setSingleShot(true);
  closing_patience_.setInterval(kClosing_ms);
  connect(&closing_patience_, &QTimer::timeout, this, [this] { askToClose({}); });

  setWorkspace(0);
  setState(State::ready);
  setProgress(0.0, 0, 0, 0);
}

void HeaderBar::setWorkspace(int index) {
  for (QAbstractButton* tab : tabs_->buttons()) tab->setChecked(tabs_->id(tab) == index);
}

void HeaderBar::setState(State state) {
  chip_->setState(state);
  reset_->setVisible(state == State::fault);
}

void HeaderBar::setWaiting(bool on) { chip_->setWaiting(on); }
void HeaderBar::setSetUp(bool on, const QString& word) { chip_->setSetUp(on, word); }

void HeaderBar::setRigUse(RigUse use) {
  mode_->setRigUse(use);
  layout()->setContentsMargins(0, 0, 0, use == RigUse::twin ? 1 : kBand_px);
  update();
}

void HeaderBar::setFaultReason(const QString& reason) { fault_->setText(reason); }

void HeaderBar::askToClose(const QString& question) {
  closing_->setText(question);
  if (question.isEmpty())
    closing_patience_.stop();
  else
    closing_patience_.start();
}

void HeaderBar::askForDisk(const QString& question, bool reload) {
  disk_->setText(question);
  reload_->setEnabled(reload);
  reload_->setToolTip(reload ? tr("Opens the file in its present state")
                             : tr("End the test or disconnect the rig first"));
}

bool HeaderBar::askingForDisk() const { return !disk_->text().isEmpty(); }

bool HeaderBar::askingToClose() const { return !closing_->text().isEmpty(); }

void HeaderBar::setProgress(double elapsed_s, std::uint64_t late_ticks, std::uint64_t missed_periods,
                            std::uint64_t recorded_bytes) {
  const auto tenths = static_cast<std::int64_t>(elapsed_s * 10.0);
  const std::int64_t hours = tenths / 36000, minutes = tenths / 600 % 60;
  const QString clock = QStringLiteral("%1:%2.%3")
                            .arg(minutes, 2, 10, QLatin1Char('0'))
                            .arg(tenths / 10 % 60, 2, 10, QLatin1Char('0'))
                            .arg(tenths % 10);
  elapsed_->setText(hours > 0 ? QStringLiteral("%1:%2").arg(hours, 2, 10, QLatin1Char('0')).arg(clock) : clock);
  late_->setText(missed_periods > 0 ? tr("late %1, missed %2").arg(late_ticks).arg(missed_periods)
                                    : tr("late %1").arg(late_ticks));
  setMark(late_, late_ticks > 0 ? "warning" : "");
  recorded_->setText(
      tr("rec %1 MB").arg(1e-6 * static_cast<double>(recorded_bytes), 0, 'f', recorded_bytes < 10'000'000 ? 1 : 0));
}

void HeaderBar::fit() {
  // In the order in which they are hidden. Run also shows the time; Analyse also shows late ticks and recorded size.
  QWidget* const giving[] = {name_, recorded_, late_, elapsed_};
  const auto room = [this](const QWidget* widget) {
    return widget->minimumSizeHint().expandedTo(widget->minimumSize()).boundedTo(widget->maximumSize()).width() +
           row_->spacing();
  };
  int wanted = row_->minimumSize().width();
  for (const QWidget* widget : giving)
    if (widget->isHidden()) wanted += room(widget);
  bool changed = false;
  for (QWidget* widget : giving) {
    const bool fits = wanted <= width();
    if (!fits) wanted -= room(widget);
    if (widget->isHidden() != fits) continue;
    widget->setVisible(fits);
    changed = true;
  }
  const bool tight = wanted + (tight_ ? saved() : 0) > width();
  if (tight != tight_) {
    tight_ = tight;
    row_->setSpacing(tight ? kTightGap_px : kGap_px);
    row_->setContentsMargins(tight ? kTightEdge_px : kEdge_px, 0, tight ? kTightEdge_px : kGap_px, 0);
    changed = true;
  }
  if (changed) row_->activate();  // otherwise each layout request would cause the next one
}

/// Space that closer spacing gains, px.
int HeaderBar::saved() const {
  int shown = 0;
  for (int i = 0; i < row_->count(); ++i) shown += row_->itemAt(i)->isEmpty() ? 0 : 1;
  return (shown - 1) * (kGap_px - kTightGap_px) + kEdge_px + kGap_px - 2 * kTightEdge_px;
}

bool HeaderBar::event(QEvent* event) {
  const bool done = QWidget::event(event);
  if (event->type() == QEvent::LayoutRequest) fit();  // a state or mode with a longer text
  return done;
}

void HeaderBar::resizeEvent(QResizeEvent*) { fit(); }

void HeaderBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), colour(Role::panel, palette()));
  const QColor ink = colour(Role::text, palette());
  const QRect band(0, height() - kBand_px, width(), kBand_px);
  switch (mode_->rigUse()) {
    case RigUse::twin:
      painter.setPen(colour(Role::border, palette()));
      painter.drawLine(0, height() - 1, width(), height() - 1);
      break;
    case RigUse::shadow:
      for (int x = 0; x < width(); x += 32) painter.fillRect(QRect(x, band.top(), 20, kBand_px), ink);
      break;
    case RigUse::rig:
      painter.fillRect(band, ink);
      break;
  }
}

}  // namespace hyb::ui
