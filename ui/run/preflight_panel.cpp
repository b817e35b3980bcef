#include "ui/run/preflight_panel.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStorageInfo>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

enum Line { kFile, kDisk, kRealtime, kMargin, kLimits, kLines };

QString sizeText(double bytes) {
  if (bytes >= 1e9) return PreflightPanel::tr("%1\u2009GB").arg(bytes / 1e9, 0, 'f', 1);
  return PreflightPanel::tr("%1\u2009MB").arg(std::max(0.1, bytes / 1e6), 0, 'f', 1);
}

}  // namespace

PreflightPanel::PreflightPanel(QWidget* parent) : QFrame(parent) {
  setProperty("panel", true);
  auto* title = new QLabel(tr("Before you run"));
  title->setFont(figureFont(1.0, true));
  left_ = new QLabel;
  left_->setProperty("muted", true);
  left_->setAlignment(Qt::AlignRight);
  grid_ = new QGridLayout;
  grid_->setHorizontalSpacing(8);
  grid_->setVerticalSpacing(6);
  grid_->setColumnStretch(1, 1);
  for (int line = 0; line < kLines; ++line) {
    lines_.push_back({new QLabel, new QLabel});
    lines_.back().text->setWordWrap(true);
    lines_.back().mark->setAlignment(Qt::AlignTop | Qt::AlignHCenter);
    grid_->addWidget(lines_.back().mark, line, 0, Qt::AlignTop);
    grid_->addWidget(lines_.back().text, line, 1);
  }
  run_ = new QPushButton(tr("Run  F6"));
  run_->setDefault(true);
  run_->setAccessibleName(tr("Run the armed test"));
  disarm_ = new QPushButton(tr("Disarm"));
  connect(run_, &QPushButton::clicked, this, &PreflightPanel::runRequested);
  connect(disarm_, &QPushButton::clicked, this, &PreflightPanel::disarmRequested);
  auto* head = new QHBoxLayout;
  head->addWidget(title);
  head->addWidget(left_, 1);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(run_, 1);
  buttons->addWidget(disarm_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 8, 12, 12);
  layout->addLayout(head);
  layout->addLayout(grid_);
  layout->addStretch(1);
  layout->addLayout(buttons);
}

void PreflightPanel::setLine(int line, Mark mark, const QString& text, const QString& tip) {
  const Line& row = lines_[static_cast<std::size_t>(line)];
  row.mark->setText(mark == Mark::ok        ? QStringLiteral("✓")
                    : mark == Mark::warning ? QStringLiteral("!")
                                            : QStringLiteral("·"));
  row.mark->setFont(figureFont(1.0, true));
  row.mark->setProperty("mark", mark == Mark::ok ? "ok" : mark == Mark::warning ? "warning" : "");
  row.mark->style()->unpolish(row.mark);
  row.mark->style()->polish(row.mark);
  row.text->setText(text);
  row.text->setToolTip(tip.isEmpty() ? text : tip);
}

void PreflightPanel::showFor(const TestRun& run, Pace pace, const QString& margin, bool margin_ok) {
  const Project& project = run.project();
  const double row_bytes = static_cast<double>(run.layout().width()) * sizeof(double);
  const double rate_bytes = row_bytes * project.loop.rate_hz;
  const QString file = QString::fromStdString(run.file().string());
  if (file.isEmpty()) {
    setLine(kFile, Mark::warning, tr("Nothing is recorded."));
    setLine(kDisk, Mark::info, tr("No disk space needed."));
  } else {
    setLine(kFile, Mark::ok, tr("Records to %1").arg(QFileInfo(file).fileName()), file);
    const double free = static_cast<double>(QStorageInfo(QFileInfo(file).absolutePath()).bytesAvailable());
    const double need = rate_bytes * project.loop.duration_s;
    const bool open_end = project.loop.duration_s <= 0.0;
    setLine(kDisk, open_end || free > 1.2 * need ? Mark::ok : Mark::warning,
            open_end ? tr("%1 free: room for %2 min").arg(sizeText(free)).arg(free / rate_bytes / 60.0, 0, 'f', 0)
                     : tr("%1 free, this test needs %2").arg(sizeText(free), sizeText(need)));
  }
  const QString grants = QString::fromStdString(run.realtimeSummary());
  if (pace == Pace::free_run)
    setLine(kRealtime, Mark::info, tr("Free run: as fast as it can, not in real time."));
  else if (grants == QLatin1String("granted"))
    setLine(kRealtime, Mark::ok, tr("Real time granted by this computer."));
  else
    setLine(kRealtime, Mark::warning, tr("Real time not granted; ticks may come late."), grants);
  setMargin(margin, margin_ok);
  const auto acting = std::count_if(project.limits.begin(), project.limits.end(),
                                    [](const Limit& limit) { return limit.action >= Action::hold; });
  setLine(kLimits, acting > 0 ? Mark::ok : Mark::warning,
          acting > 0 ? tr("%1 limits set, %2 of them act.").arg(project.limits.size()).arg(acting)
                     : tr("No limit acts on this test."));
}

void PreflightPanel::setMargin(const QString& margin, bool ok) {
  setLine(kMargin,
          margin.isEmpty() ? Mark::info
          : ok             ? Mark::ok
                           : Mark::warning,
          margin.isEmpty() ? tr("Stability margin is being computed.") : margin);
}

void PreflightPanel::setSecondsLeft(int seconds) { left_->setText(tr("disarms in %1\u2009s").arg(seconds)); }

}  // namespace hyb::ui
