#include "ui/analyse/analyse_workspace.h"

#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyle>
#include <QTimer>
#include <QVBoxLayout>
#include <array>
#include <cmath>
#include <functional>

#include "core/assess/metrics.h"
#include "core/base/numbers.h"
#include "core/run/verdict.h"
#include "ui/analyse/analyse_views.h"
#include "ui/analyse/export_dialog.h"
#include "ui/analyse/figures_table.h"
#include "ui/analyse/run_list.h"
#include "ui/base/dialog.h"
#include "ui/base/latest_task.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/control/run_controller.h"
#include "ui/control/verdict_text.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/run_loader.h"

namespace hyb::ui {
namespace {

constexpr int kTimeRole = Qt::UserRole, kSeverityRole = Qt::UserRole + 1;

void mark(QLabel* label, const char* value) {
  label->setProperty("mark", value);
  label->style()->unpolish(label);
  label->style()->polish(label);
}

QFrame* framed(QWidget* content, const QString& title) {
  auto* frame = new Panel;
  auto* heading = new QLabel(title);
  heading->setFont(figureFont(1.0, true));
  auto* layout = new QVBoxLayout(frame);
  layout->setContentsMargins(8, 6, 8, 8);
  layout->setSpacing(4);
  layout->addWidget(heading);
  layout->addWidget(content, 1);
  return frame;
}

/// Scatter of the trials in the figures of a run, one part for each interface; empty: no trials.
QString repeatabilityText(const Json& figures) {
  QStringList parts;
  std::size_t number = 0;
  for (const Json& one : figures.value("interfaces", Json::array())) {
    ++number;
    const auto value = [&one](const char* name) {
      const Json* found = readingIn(one, *findMeasure(name));
      return found != nullptr && found->is_number() ? found->get<double>() : kNoValue;
    };
    const double scatter = value("trial_scatter"), motion = value("trial_scatter_percent"),
                 force = value("trial_force_scatter_percent");
    if (!std::isfinite(scatter)) continue;
    QString part = AnalyseWorkspace::tr("interface %1: %2")
                       .arg(number)
                       .arg(quantityText(scatter, displayUnit(one.value("units", std::string("m")))));
    if (std::isfinite(motion)) part += AnalyseWorkspace::tr(" (%1 % of the motion)").arg(figureText(motion));
    if (std::isfinite(force)) part += AnalyseWorkspace::tr(", %1 % of the force").arg(figureText(force));
    parts << part;
  }
  return parts.isEmpty()
             ? QString()
             : AnalyseWorkspace::tr("Repeatability, rms scatter between the trials in the analysed part: ") +
                   parts.join(QStringLiteral("; ")) + QLatin1Char('.');
}

}  // namespace

struct AnalyseWorkspace::Impl {
  /// Figures of a run, or the reason for their absence.
  struct Figures {
    std::optional<Json> values;
    QString problem;
  };
  static Figures figuresOf(const LoadedRun& run) {
    try {
      const std::filesystem::path file = run.file.toStdString();
      const RunFileReader reader(file);
      return {metrics(reader, projectFolder(reader, file), run.integrity.damage), {}};
    } catch (const std::exception& error) {
      return {{}, QString::fromUtf8(error.what())};
    }
  }

  AnalyseWorkspace* self;
  RunList* list = new RunList;
  QStackedWidget* centre = new QStackedWidget;
  AnalyseViews* views = new AnalyseViews;
  QWidget* verdict = new QWidget;
  std::array<QLabel*, 3> words{new QLabel, new QLabel, new QLabel};  // words of the verdict
  QLabel *title = new QLabel, *reasons = new QLabel, *facts = new QLabel, *second = new QLabel, *message = new QLabel;
  QPushButton *recover_button = new QPushButton(tr("Recover")), *cancel = new QPushButton(tr("Cancel")),
              *remove_second = new QPushButton(tr("Remove B")), *export_button = new QPushButton(tr("Export…"));
  QProgressBar* progress_bar = new QProgressBar;
  QFrame* strip = new Panel;
  FiguresTable* figures = new FiguresTable;
  QLabel* figures_note = new QLabel;
  QListWidget* events = new QListWidget;
  QTimer progress_timer;

  std::shared_ptr<const LoadedRun> a, b;
  Figures figures_a, figures_b;
  std::shared_ptr<LoadProgress> progress;
  QString recoverable;
  LatestTask loading, measuring_a, measuring_b;  // last member: workers end before the data they use

  explicit Impl(AnalyseWorkspace* workspace) : self(workspace) {}
  ~Impl() {
    if (progress) progress->cancel.store(true);
  }

  void build() {
    title->setFont(figureFont(1.25, true));
    title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* verdict_line = new QHBoxLayout(verdict);
    verdict_line->setContentsMargins(0, 0, 0, 0);
    verdict_line->setSpacing(16);
    for (QLabel* word : words) {
      word->setFont(figureFont(1.05, true));
      verdict_line->addWidget(word);
    }
    verdict_line->addStretch(1);
    reasons->setObjectName(QStringLiteral("verdict-reasons"));
    reasons->setWordWrap(true);
    reasons->setTextInteractionFlags(Qt::TextSelectableByMouse);
    facts->setProperty("muted", true);
    facts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    second->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    message->setWordWrap(true);
    message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    progress_bar->setRange(0, 1000);
    progress_bar->setMaximumWidth(200);
    progress_bar->setAccessibleName(tr("Reading the file"));

    auto* first_line = new QHBoxLayout;
    first_line->addWidget(title, 1);
    first_line->addWidget(export_button);
    export_button->setObjectName(QStringLiteral("analyse-export"));
    export_button->setToolTip(tr("Channels of this run for other programs: CSV, MATLAB, universal file, NumPy, HDF5"));
    auto* second_line = new QHBoxLayout;
    second_line->addWidget(second, 1);
    second_line->addWidget(remove_second);
    auto* message_line = new QHBoxLayout;
    message_line->addWidget(message, 1);
    message_line->addWidget(progress_bar);
    message_line->addWidget(cancel);
    message_line->addWidget(recover_button);
    auto* strip_layout = new QVBoxLayout(strip);
    strip_layout->setContentsMargins(12, 8, 12, 8);
    strip_layout->setSpacing(2);
    strip_layout->addLayout(first_line);
    strip_layout->addWidget(facts);
    strip_layout->addWidget(verdict);
    strip_layout->addWidget(reasons);
    strip_layout->addLayout(second_line);
    strip_layout->addLayout(message_line);

    auto* empty = new QWidget;
    auto* invitation =
        new QLabel(tr("Recorded runs appear here: synchronisation, gap, time history and figures.\nOpen a run in the "
                      "list, or choose the folder of your runs."));
    invitation->setProperty("muted", true);
    invitation->setAlignment(Qt::AlignCenter);
    invitation->setWordWrap(true);
    auto* choose = new QPushButton(tr("Choose folder…"));
    connect(choose, &QPushButton::clicked, self, [this] { chooseFolder(); });
    auto* empty_layout = new QVBoxLayout(empty);
    empty_layout->addStretch(1);
    empty_layout->addWidget(invitation);
    empty_layout->addSpacing(8);
    empty_layout->addWidget(choose, 0, Qt::AlignHCenter);
    empty_layout->addStretch(1);
    centre->addWidget(empty);
    centre->addWidget(views);

    auto* middle = new QWidget;
    auto* middle_layout = new QVBoxLayout(middle);
    middle_layout->setContentsMargins(0, 0, 0, 0);
    middle_layout->setSpacing(8);
    middle_layout->addWidget(strip);
    middle_layout->addWidget(centre, 1);

    figures_note->setProperty("muted", true);
    figures_note->setWordWrap(true);
    auto* figures_page = new QWidget;
    auto* figures_layout = new QVBoxLayout(figures_page);
    figures_layout->setContentsMargins(0, 0, 0, 0);
    figures_layout->addWidget(figures_note);
    figures_layout->addWidget(figures, 1);
    events->setAccessibleName(tr("Events"));
    events->setFrameShape(QFrame::NoFrame);
    events->setWordWrap(true);
    events->setFont(figureFont(0.9));
    events->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(events, &QListWidget::itemActivated, self, [this](QListWidgetItem* item) { jumpTo(item); });
    connect(events, &QListWidget::itemClicked, self, [this](QListWidgetItem* item) { jumpTo(item); });
    auto* right = new Splitter(Qt::Vertical);
    right->addWidget(framed(figures_page, tr("Figures")));
    right->addWidget(framed(events, tr("Events")));
    right->setSizes({470, 220});
    right->setChildrenCollapsible(false);

    auto* columns = new Splitter(Qt::Horizontal);
    columns->setChildrenCollapsible(false);
    columns->addWidget(list);
    columns->addWidget(middle);
    columns->addWidget(right);
    columns->setStretchFactor(1, 1);
    list->setMinimumWidth(232);
    right->setMinimumWidth(248);
    columns->setSizes({250, 750, 250});
    auto* layout = new QHBoxLayout(self);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(columns);
  }

  void connectAll() {
    connect(list, &RunList::openRequested, self, [this](const QString& file) { load(file, false); });
    connect(list, &RunList::overlayRequested, self, [this](const QString& file) { load(file, true); });
    connect(list, &RunList::chooseFolderRequested, self, [this] { chooseFolder(); });
    connect(views, &AnalyseViews::beginRequested, self,
            [this](int trial) { Q_EMIT self->beginRequested(a->file, trial); });
    connect(views, &AnalyseViews::goOnRequested, self, [this] { Q_EMIT self->goOnRequested(a->file); });
    connect(cancel, &QPushButton::clicked, self, [this] {
      if (progress) progress->cancel.store(true);
    });
    connect(recover_button, &QPushButton::clicked, self, [this] { recoverRun(); });
    connect(export_button, &QPushButton::clicked, self, [this] { showBeside(new ExportDialog(a->file, self)); });
    connect(remove_second, &QPushButton::clicked, self, [this] {
      b.reset();
      figures_b = {};
      showRuns();
    });
    auto* find = new QShortcut(QKeySequence::Find, self);
    connect(find, &QShortcut::activated, list, &RunList::focusSearch);
    progress_timer.setInterval(50);
    connect(&progress_timer, &QTimer::timeout, self, [this] {
      if (progress) progress_bar->setValue(static_cast<int>(1000.0 * progress->share.load()));
    });
    setBusy({});
    say({}, "");
    showRuns();
  }

  void chooseFolder() {
    auto* dialog = new QFileDialog(self, tr("Folder with runs"), list->folder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    dialog->setModal(false);
    connect(dialog, &QFileDialog::fileSelected, self, [this](const QString& folder) { list->setFolder(folder); });
    dialog->show();
  }

  /// Shows the open runs and the present work; hides the strip if it is empty.
  void showStrip() {
    strip->setVisible(a || message->isVisibleTo(strip) || progress_bar->isVisibleTo(strip) ||
                      recover_button->isVisibleTo(strip));
  }

  void say(const QString& text, const char* kind) {
    message->setText(text);
    message->setVisible(!text.isEmpty());
    mark(message, kind);
    showStrip();
  }

  void setBusy(const QString& what) {
    const bool busy = !what.isEmpty();
    progress_bar->setVisible(busy);
    cancel->setVisible(busy);
    recover_button->hide();
    if (busy) {
      say(what, "");
      progress_bar->setValue(0);
      progress_timer.start();
    } else {
      progress_timer.stop();
    }
    showStrip();
  }

  void load(const QString& file, bool overlay) {
    if (file.isEmpty()) return;
    if (progress) progress->cancel.store(true);
    if (QFileInfo(file) == QFileInfo(RunController::recordingFile())) {
      setBusy({});
      const QString problem = tr("%1 is being recorded. Open it after the end of the test.").arg(file);
      say(problem, "warning");
      Q_EMIT self->runOpened(file, problem);
      return;
    }
    progress = std::make_shared<LoadProgress>();
    setBusy(tr("Reading %1").arg(QFileInfo(file).fileName()));
    loading.submit([this, file, overlay, shared = progress]() -> LatestTask::Deliver {
      try {
        auto run = loadRun(file, *shared);
        return [this, run, overlay] { loaded(run, overlay); };
      } catch (const std::exception& error) {
        return [this, file, problem = QString::fromUtf8(error.what())] {
          setBusy({});
          say(problem, "error");
          Q_EMIT self->runOpened(file, problem);
        };
      }
    });
  }

  void loaded(const std::shared_ptr<const LoadedRun>& run, bool overlay) {
    setBusy({});
    if (!run) return say(tr("Reading was cancelled."), "");
    say({}, "");
    (overlay ? b : a) = run;
    (overlay ? figures_b : figures_a) = {};
    if (!overlay && b && b->file == run->file) b.reset();
    list->select(run->file);
    showRuns();
    (overlay ? measuring_b : measuring_a).submit([this, overlay, run]() -> LatestTask::Deliver {
      return [this, overlay, found = figuresOf(*run)] {
        (overlay ? figures_b : figures_a) = found;
        showFigures();
      };
    });
    if (!overlay) Q_EMIT self->runOpened(run->file, {});
  }

  static QString factsOf(const LoadedRun& run) {
    const RunFileInfo& info = run.info;
    QString text = tr("%1 · %2 rows at %3 Hz · %4 · %5")
                       .arg(QString::fromStdString(info.started_at).replace(QLatin1Char('T'), QLatin1Char(' ')))
                       .arg(info.rows)
                       .arg(info.rate_hz)
                       .arg(clockText(static_cast<double>(info.rows) / info.rate_hz),
                            info.verdict.ended == EndReason::imported ? tr("imported")
                            : info.pace == Realtime::free_run         ? tr("free run")
                            : info.pace == Realtime::granted          ? tr("real time granted")
                            : info.pace == Realtime::replay           ? tr("replay")
                                                                      : tr("real time not granted"));
    if (run.integrity.state == Integrity::State::not_sealed) text += tr("   not sealed");
    return text;
  }

  void showRuns() {
    centre->setCurrentIndex(a && a->history ? 1 : 0);
    title->setVisible(a != nullptr);
    export_button->setVisible(a != nullptr);
    verdict->setVisible(a != nullptr);
    reasons->setVisible(a != nullptr);
    facts->setVisible(a != nullptr);
    second->setVisible(b != nullptr);
    remove_second->setVisible(b != nullptr);
    showStrip();
    events->clear();
    showFigures();
    if (!a) return;
    const QString heading = QString::fromStdString(a->info.title);
    title->setText(b ? tr("A: %1").arg(heading) : heading);
    showVerdict();
    facts->setText(factsOf(*a));
    facts->setToolTip(a->file + QLatin1Char('\n') + QString::fromStdString(a->info.realtime));
    if (b)
      second->setText(tr("B: %1 · %2 · dashed")
                          .arg(QString::fromStdString(b->info.title),
                               QString::fromStdString(b->info.started_at).replace(QLatin1Char('T'), QLatin1Char(' '))));
    if (a->info.live && !a->info.writing) {
      recoverable = a->file;
      recover_button->show();
      say(tr("This run has no end because its program was killed. Press Recover to repair the file; a copy of the "
             "original is kept."),
          "warning");
    } else if (a->integrity.damaged()) {
      say(QString::fromStdString(a->integrity.sentence()), "error");
    } else if (b && b->integrity.damaged()) {
      say(tr("B: %1").arg(QString::fromStdString(b->integrity.sentence())), "error");
    } else if (!a->history) {
      say(tr("This run contains no rows."), "warning");
    } else if (!a->integrity.sound()) {
      say(QString::fromStdString(a->integrity.sentence()), "warning");
    } else if (a->rows_left_out > 0) {
      say(tr("The run exceeds this computer's memory: the last %1 rows are not drawn. The figures use all rows.")
              .arg(a->rows_left_out),
          "warning");
    } else if (!a->project && a->info.verdict.ended == EndReason::imported) {
      say(tr("An imported record without a project: tolerance and capacity are unknown. Import it with the project of "
             "the test."),
          "warning");
    } else if (!a->project_error.isEmpty()) {
      say(tr("This version cannot read the project of the run, so tolerance and capacity are unknown: %1")
              .arg(a->project_error),
          "warning");
    }
    for (const RecordedEvent& event : a->events) {
      const double time_s = static_cast<double>(event.tick) / a->info.rate_hz;
      auto* item =
          new QListWidgetItem(QStringLiteral("%1 %2").arg(clockText(time_s), QString::fromStdString(event.message)));
      item->setData(kTimeRole, time_s);
      item->setData(kSeverityRole, event.severity);
      events->addItem(item);
    }
    recolour();
    if (a->history) views->show(a, b && b->history ? b : nullptr);
  }

  /// The three words of the verdict with reasons: first from the file, then from the new figures.
  void showVerdict() {
    Verdict judged = figures_a.values ? hyb::verdictOf(figures_a.values->at("verdict")) : a->info.verdict;
    // In a damaged file, the stored verdict may itself be damaged.
    if (!figures_a.values && a->integrity.damaged()) {
      judged.test = Grade::unknown;
      judged.missing = a->integrity.damage;
    }
    const VerdictText text = verdictText(judged);
    for (std::size_t w = 0; w < words.size(); ++w) {
      const VerdictText::Word& word = text.words[w];
      words[w]->setText(QStringLiteral("%1 %2: %3").arg(word.sign, word.title, word.word));
      words[w]->setToolTip(QString::fromStdString(a->info.stop_reason));
      mark(words[w], word.mark);
    }
    // Shows the gravest reasons; the tooltip has all of them. The plots need the room.
    const QString all = text.reasons.join(QLatin1Char('\n'));
    QString because = text.shown(QLatin1Char('\n'));
    const QString ended = QString::fromStdString(a->info.stop_reason);
    if (judged.ended != EndReason::completed && judged.ended != EndReason::killed && !text.tells(ended))
      because.prepend(ended + QLatin1Char('\n'));
    reasons->setText(because);
    reasons->setToolTip(all);
    reasons->setVisible(!because.isEmpty());
    verdict->setAccessibleDescription(text.sentence() + QLatin1Char('\n') + all);
  }

  void recolour() {
    for (int row = 0; row < events->count(); ++row) {
      const auto severity = static_cast<Severity>(events->item(row)->data(kSeverityRole).toInt());
      const Role role = severity == Severity::fault     ? Role::error
                        : severity == Severity::warning ? Role::warning
                                                        : Role::text;
      events->item(row)->setForeground(colour(role, self->palette()));
    }
  }

  void showFigures() {
    if (a) showVerdict();
    figures->show(figures_a.values, figures_b.values);
    const QString problem = !figures_a.problem.isEmpty() ? figures_a.problem : figures_b.problem;
    const QString waiting = a ? tr("Computing figures…") : tr("Tracking error, delay, gap and energy of the open run.");
    // A run without figures gives the reason.
    const QString early = figures_a.values && figures_a.values->contains("too_short")
                              ? QString::fromStdString(figures_a.values->at("too_short").get<std::string>())
                              : QString();
    // Plots show the whole run; figures use a part of it.
    QString part;
    if (figures_a.values && figures_a.values->contains("analysed")) {
      const Json& analysed = figures_a.values->at("analysed");
      part = tr("Figures from %1 s to %2 s")
                 .arg(figureText(analysed.at("from_s").get<double>(), 4),
                      figureText(analysed.at("to_s").get<double>(), 4));
    }
    QString told = part;
    if (figures_a.values)
      for (const Json& sentence : figures_a.values->value("left_out", Json::array()))
        told += (told.isEmpty() ? "" : ". ") + QString::fromStdString(sentence.get<std::string>());
    figures_note->setText(!problem.isEmpty() ? problem : !early.isEmpty() ? early : figures_a.values ? told : waiting);
    figures_note->setVisible(!figures_note->text().isEmpty());
    views->setAnalysedPart(part);
    views->setRepeatability(figures_a.values ? repeatabilityText(*figures_a.values) : QString());
  }

  void jumpTo(const QListWidgetItem* item) {
    if (a && a->history) views->showInstant(item->data(kTimeRole).toDouble());
  }

  void recoverRun() {
    const QString file = recoverable;
    setBusy(tr("Recovering %1").arg(QFileInfo(file).fileName()));
    cancel->hide();
    progress_bar->setRange(0, 0);
    loading.submit([this, file]() -> LatestTask::Deliver {
      try {
        const RecoverReport report = recover(file.toStdString());
        return [this, report] {
          progress_bar->setRange(0, 1000);
          list->reload();
          load(QString::fromStdString(report.file.string()), false);
        };
      } catch (const std::exception& error) {
        return [this, problem = QString::fromUtf8(error.what())] {
          progress_bar->setRange(0, 1000);
          setBusy({});
          say(problem, "error");
        };
      }
    });
  }
};

AnalyseWorkspace::AnalyseWorkspace(QWidget* parent) : QWidget(parent), impl_(std::make_unique<Impl>(this)) {
  setAccessibleName(tr("Analyse"));
  impl_->build();
  impl_->connectAll();
}

AnalyseWorkspace::~AnalyseWorkspace() = default;

void AnalyseWorkspace::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) impl_->recolour();
}

void AnalyseWorkspace::openRun(const QString& path) {
  const QString folder = QFileInfo(path).absolutePath();
  if (impl_->list->folder() != folder)
    impl_->list->setFolder(folder);
  else
    impl_->list->reload();
  impl_->load(QFileInfo(path).absoluteFilePath(), false);
}

void AnalyseWorkspace::showEvent(QShowEvent* event) {
  impl_->list->reload();  // a test may have ended in the meantime
  QWidget::showEvent(event);
}

QString AnalyseWorkspace::folder() const { return impl_->list->folder(); }

void AnalyseWorkspace::setFolder(const QString& folder) { impl_->list->setFolder(folder); }

}  // namespace hyb::ui
