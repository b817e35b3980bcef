#include "ui/configure/delay_view.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <algorithm>

#include "core/compensation/addition.h"
#include "ui/base/icons.h"
#include "ui/base/theme.h"
#include "ui/document/field_editors.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

enum class Verdict { fine, compensated, short_of, bad };

Verdict judge(const DelayFigures& figures) {
  if (!figures.beside.isEmpty()) return Verdict::fine;
  if (figures.critical && figures.critical->delay_s <= 0.0) return Verdict::bad;
  if (figures.stable_uncompensated) return Verdict::fine;
  if (!figures.method->acts()) return Verdict::bad;
  return figures.stable ? Verdict::compensated : Verdict::short_of;
}

QString milliseconds(double seconds, int digits = 3) {
  return QStringLiteral("%1\u2009ms").arg(QString::number(1e3 * seconds, 'g', digits));
}

QString hertz(const std::vector<double>& list) {
  QStringList texts;
  for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), 5); ++i) texts << QString::number(list[i], 'f', 2);
  if (list.size() > 5) texts << QStringLiteral("...");
  return texts.join(QStringLiteral(", ")) + QStringLiteral("\u2009Hz");
}

/// "3.1 ms on m1, 9 ms on m3", or one figure if all are equal.
QString delayOf(const LoopDelay& delay, double (*figure)(const ActuatorDelay&)) {
  const auto text = [&](const ActuatorDelay& one) { return milliseconds(figure(one), 2); };
  QString latest = text(delay.latest());
  if (std::all_of(delay.actuators.begin(), delay.actuators.end(), [&](auto& one) { return text(one) == latest; }))
    return latest;
  QStringList each;
  for (const ActuatorDelay& one : delay.actuators)
    each << DelayView::tr("%1 on %2").arg(text(one), QString::fromStdString(one.dof));
  return each.join(QStringLiteral(", "));
}

/// "0 to 3 ms and 12 to 14 ms".
QString islandsOf(const DelayFigures& figures) {
  QStringList each;
  for (const DelayInterval& interval : figures.stable_added)
    each << DelayView::tr("%1 to %2").arg(milliseconds(interval.from_s), milliseconds(interval.to_s));
  const QString last = each.takeLast();
  return DelayView::tr(
             "Islands of stability (bands above the bar): stable with an added delay of %1, unstable between; examined "
             "up to %2")
      .arg(each.isEmpty() ? last : DelayView::tr("%1 and %2").arg(each.join(QStringLiteral(", ")), last),
           milliseconds(figures.added_to_s));
}

/// Delay of the loop, and the conclusion.
QString loopText(const DelayFigures& figures, Verdict verdict) {
  const QString loop = delayOf(figures.delay, [](const ActuatorDelay&one) { return one.delay_s; }),
                lead = delayOf(figures.delay, [](const ActuatorDelay&one) { return one.lead_s; });
  const bool adapts = figures.method->adapts();
  switch (verdict) {
    case Verdict::fine:
      return DelayView::tr("This loop has %1: stable without compensation.").arg(loop);
    case Verdict::compensated:
      return adapts ? DelayView::tr(
                          "This loop has %1 uncompensated: it depends on its compensation, which starts with %2 "
                          "and adapts.")
                          .arg(loop, lead)
                    : DelayView::tr("This loop has %1 uncompensated; its compensation takes %2 off.").arg(loop, lead);
    case Verdict::short_of:
      return adapts ? DelayView::tr(
                          "This loop has %1 uncompensated and its compensation starts with %2: unstable until it "
                          "has adapted.")
                          .arg(loop, lead)
                    : DelayView::tr("This loop has %1 uncompensated and its compensation takes %2 off: unstable.")
                          .arg(loop, lead);
    case Verdict::bad:
      return DelayView::tr("This loop has %1 uncompensated: needs compensation.").arg(loop);
  }
  return {};
}

}  // namespace

/// Bar of the delay parts of the slowest actuator, with a mark at the critical delay.
class DelayView::Bar : public QWidget {
 public:
  explicit Bar(QWidget* parent) : QWidget(parent) { setFixedHeight(52); }
  void set(const DelayFigures& figures) {
    figures_ = figures;
    update();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    if (figures_.delay.actuators.empty()) return;
    const ActuatorDelay& latest = figures_.delay.latest();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setOpacity(isEnabled() ? 1.0 : 0.4);
    const double critical = figures_.critical ? figures_.critical->delay_s : 0.0;
    double furthest = std::max(latest.delay_s, critical);
    if (figures_.hasIslands())  // up to the end of the first island
      furthest = std::max(furthest, latest.delay_s + std::min(islands().front().to_s, 3.0 * furthest));
    const double full = 1.12 * furthest;
    if (full <= 0.0) return;
    const double scale = width() / full;
    const QColor base = colour(Role::excitation, palette());
    double x = 0.0;
    const QFontMetricsF metrics(painter.font());
    for (std::size_t i = 0; i < latest.parts.size(); ++i) {
      const DelayPart& part = latest.parts[i];
      const QRectF box(x, 20, part.seconds * scale, 16);
      QColor fill = base;
      fill.setAlphaF(i % 2 == 0 ? 0.55f : 0.32f);
      painter.fillRect(box.adjusted(0, 0, -1, 0), fill);
      const QString words = tr("%1 %2").arg(QString::fromStdString(part.name), milliseconds(part.seconds, 2));
      if (metrics.horizontalAdvance(words) + 4 < box.width()) {
        painter.setPen(colour(Role::text, palette()));
        painter.drawText(box, Qt::AlignCenter, words);
      }
      x += box.width();
    }
    if (figures_.hasIslands())  // added delays with which the loop is stable, after its own delay
      for (const DelayInterval& interval : figures_.stable_added) {
        QColor band = colour(Role::ok, palette());
        band.setAlphaF(0.45f);
        const double from = (latest.delay_s + interval.from_s) * scale;
        painter.fillRect(QRectF(from, 16, std::min(width() - from, (interval.to_s - interval.from_s) * scale), 4),
                         band);
      }
    if (latest.lead_s > 0.0) {  // lead of the compensation, drawn from the end
      const double predicted = std::min(latest.lead_s * scale, x);
      painter.fillRect(QRectF(x - predicted, 20, predicted, 16), QBrush(colour(Role::ok, palette()), Qt::BDiagPattern));
    }
    painter.setPen(colour(Role::mutedText, palette()));
    painter.drawText(QRectF(0, 36, width(), 16), Qt::AlignLeft | Qt::AlignVCenter, tr("0"));
    const QString total = tr("loop %1").arg(milliseconds(latest.delay_s));
    const double total_x = std::clamp(x - metrics.horizontalAdvance(total), 16.0, std::max(16.0, width() - 80.0));
    painter.drawText(QRectF(total_x, 36, 120, 16), Qt::AlignLeft | Qt::AlignVCenter, total);
    if (!figures_.critical) return;
    const double mark = critical * scale;
    painter.setPen(QPen(colour(Role::limit, palette()), 2));
    painter.drawLine(QPointF(mark, 16), QPointF(mark, 40));
    const QString words = tr("critical %1").arg(milliseconds(critical));
    const double wide = metrics.horizontalAdvance(words) + 2;
    painter.drawText(QRectF(std::clamp(mark - 0.5 * wide, 0.0, std::max(0.0, width() - wide)), 0, wide, 16),
                     Qt::AlignCenter, words);
  }

 private:
  std::vector<DelayInterval> islands() const {
    const std::vector<DelayInterval>& all = figures_.stable_added;
    return {all.begin() + (all.front().from_s == 0.0 ? 1 : 0), all.end()};
  }
  DelayFigures figures_;
};

DelayView::DelayView(QWidget* parent)
    : QWidget(parent),
      icon_(new QLabel),
      headline_(new QLabel(tr("Critical delay"))),
      verdict_(new QLabel),
      details_(new QLabel),
      bar_(new Bar(this)) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(4);
  icon_->setFixedSize(20, 20);
  QFont large = headline_->font();
  large.setPointSizeF(large.pointSizeF() * 1.3);
  large.setWeight(QFont::DemiBold);
  headline_->setFont(large);
  verdict_->setWordWrap(true);
  details_->setProperty("muted", true);
  details_->setWordWrap(true);
  QFont small = details_->font();
  small.setPointSizeF(small.pointSizeF() * 0.9);
  details_->setFont(small);
  bar_->setFont(small);
  headline_->setObjectName(QStringLiteral("critical-delay"));
  verdict_->setObjectName(QStringLiteral("delay-verdict"));
  grid->addWidget(icon_, 0, 0, Qt::AlignVCenter);
  grid->addWidget(headline_, 0, 1);
  grid->addWidget(verdict_, 1, 0, 1, 2);
  grid->addWidget(bar_, 2, 0, 1, 2);
  grid->addWidget(details_, 3, 0, 1, 2);
  grid->setColumnStretch(1, 1);
  setAccessibleName(tr("Critical delay"));
}

void DelayView::setProject(const Project& project) {
  tick_task_.cancel();
  task_.submit([this, project]() -> LatestTask::Deliver {
    return [this, project, figures = delayFigures(project)] {
      tick_.reset();
      show(figures);
      if (!figures.reduced) return;
      tick_task_.submit([this, project, reduced = figures.reduced]() -> LatestTask::Deliver {
        return [this, tick = tickFigures(project, *reduced)] {
          tick_ = tick;
          describe();
        };
      });
    };
  });
}

void DelayView::forget() {
  task_.cancel();
  tick_task_.cancel();
  figures_.reset();
  tick_.reset();
  headline_->setText(tr("Critical delay"));
  icon_->clear();
  for (QLabel* label : {verdict_, details_}) label->clear();
  setMark(verdict_, "");
  bar_->set({});
  bar_->setToolTip({});
  setAccessibleDescription({});
  fit();
  Q_EMIT outdated();
}

void DelayView::setStale(bool stale) {
  if (stale) {
    task_.cancel();
    tick_task_.cancel();
    Q_EMIT outdated();
  }
  for (QWidget* widget : {static_cast<QWidget*>(headline_), static_cast<QWidget*>(verdict_),
                          static_cast<QWidget*>(bar_), static_cast<QWidget*>(details_)})
    widget->setEnabled(!stale);
  if (stale && !figures_) verdict_->setText(tr("Appears when the project has no errors."));
}

QString DelayView::verdict() const { return verdict_->text(); }

QString DelayView::details() const { return details_->text(); }

void DelayView::show(const DelayFigures& figures) {
  figures_ = figures;
  const Verdict verdict = judge(figures);
  const auto compose = [&]() -> std::pair<QString, QString> {
    if (!figures.failed.isEmpty()) return {tr("No critical delay"), figures.failed};
    if (!figures.beside.isEmpty())
      return {figures.led ? tr("Another program closes the loop") : tr("No delay to compensate"), figures.beside};
    if (!figures.critical)
      return {tr("No critical delay"),
              tr("The cut is stable for all delays up to two periods of the lowest mode.") +
                  (verdict == Verdict::fine ? QString() : QLatin1Char(' ') + loopText(figures, verdict))};
    if (figures.critical->delay_s <= 0.0)
      return {tr("Unstable without any delay"),
              tr("The structure itself is unstable at %1. Check stiffness and damping.")
                  .arg(hertz({figures.critical->frequency_hz}))};
    const QString head =
        tr("Critical delay %1 at %2\u2009Hz")
            .arg(milliseconds(figures.critical->delay_s), QString::number(figures.critical->frequency_hz, 'f', 1));
    return {head, loopText(figures, verdict)};
  };
  auto [head, text] = compose();
  if (figures.without_laws) text = tr("Linear part only, without the specimen's laws: %1").arg(text);
  const bool without_additions = !additionsOf(*figures.method).empty();
  if (without_additions) text = tr("Without the additions to the command: %1").arg(text);
  const QString library = QString::fromStdString(leftOutWords(*figures.method));
  if (!library.isEmpty()) text = tr("As if there were no compensation: %1 %2").arg(text, library);
  headline_->setText(head);
  verdict_->setText(text);
  bar_->set(figures.beside.isEmpty() || figures.led ? figures : DelayFigures());
  describe();
  // The figures leave the library out, so "unstable" is no verdict on the test.
  const bool failed = !figures.failed.isEmpty() || (verdict == Verdict::bad && library.isEmpty());
  const char* names[] = {"ok", "info", "warning", "error"};
  const Role roles[] = {Role::ok, Role::accent, Role::warning, Role::error};
  auto index = failed ? 3U : static_cast<std::size_t>(verdict);
  if (!library.isEmpty() && !failed) index = 2U;
  if (figures.without_laws || without_additions)
    index = std::max<std::size_t>(index, 1);  // the figures are incomplete, so never "ok"
  if (!failed && !figures.beside.isEmpty()) index = figures.beside_hazard ? 2U : 1U;  // the gap decides in the test
  icon_->setPixmap(iconPixmap(QLatin1String(names[index]), roles[index], palette(), 20, devicePixelRatioF()));
  const char* marks[] = {"ok", "", "warning", "error"};
  setMark(verdict_, marks[index]);
  setAccessibleDescription(head + QLatin1String(". ") + text);
  setStale(false);
  Q_EMIT updated();
}

void DelayView::describe() {
  const DelayFigures& figures = *figures_;
  QStringList lines, parts;
  if (!figures.places.empty()) lines << tr("Actuators: %1").arg(QString::fromStdString(placesText(figures.places)));
  if (figures.critical && figures.critical->delay_s > 0.0)
    lines << tr("PSI %1; %2")
                 .arg(QString::number(psi(figures.critical->delay_s), 'f', 2),
                      figures.critical->at_cutoff
                          ? tr("a root enters at the cut-off of %1\u2009Hz").arg(figures.cutoff_hz, 0, 'f', 0)
                          : tr("a root crosses the axis"));
  if (figures.beside.isEmpty() && figures.hasIslands()) lines << islandsOf(figures);
  for (const ActuatorDelay& actuator : figures.delay.actuators) {
    QStringList each;
    for (const DelayPart& part : actuator.parts)
      each << QStringLiteral("%1 %2").arg(QString::fromStdString(part.name), milliseconds(part.seconds, 2));
    if (actuator.lead_s != 0.0) each << tr("compensation −%1").arg(milliseconds(actuator.lead_s, 2));
    parts << tr("%1: %2").arg(QString::fromStdString(actuator.dof), each.join(QStringLiteral(", ")));
  }
  bar_->setToolTip(figures.beside.isEmpty() || figures.led ? tr("Loop delay\n%1").arg(parts.join(QLatin1Char('\n')))
                                                           : QString());
  if (tick_)
    lines << (tick_->compensated ? tr("Tick to tick: radius %1, %2")
                                 : tr("Tick to tick, without compensation: radius %1, %2"))
                 .arg(QString::number(tick_->spectral_radius, 'f', 5),
                      !tick_->grows() ? tr("decays")
                                      : tr("grows at %1\u2009Hz by %2\u20091/s")
                                            .arg(QString::number(tick_->frequency_hz, 'f', 1),
                                                 QString::number(tick_->growth_per_s, 'g', 3)));
  if (!figures.natural_hz.empty()) lines << tr("Natural frequencies %1").arg(hertz(figures.natural_hz));
  if (!figures.specimen_clamped_hz.empty())
    lines << tr("PS, interface clamped %1").arg(hertz(figures.specimen_clamped_hz));
  if (!figures.computed_clamped_hz.empty())
    lines << tr("NS, interface clamped %1").arg(hertz(figures.computed_clamped_hz));
  const auto reduction = [&](const QString& side, const std::optional<DelayFigures::ReductionError>& reduced) {
    if (reduced)
      lines << tr("%1 reduced from %2 to %3 coordinates: stiffness within %4\u2009% up to %5\u2009Hz")
                   .arg(side)
                   .arg(reduced->dofs)
                   .arg(reduced->kept)
                   .arg(numberText(100.0 * DelayFigures::ReductionError::kGood, 1),
                        QString::number(reduced->good_hz, 'f', 0));
  };
  reduction(tr("NS"), figures.computed_reduction);
  reduction(tr("PS"), figures.specimen_reduction);
  details_->setText(lines.join(QLatin1Char('\n')));
  fit();
}

void DelayView::fit() { setMinimumHeight(std::max(0, layout()->totalHeightForWidth(width()))); }

void DelayView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

void DelayView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange && figures_) show(*figures_);
  QWidget::changeEvent(event);
}

}  // namespace hyb::ui
