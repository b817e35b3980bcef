#include "ui/rig/fit_panel.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/identification/response_fit.h"
#include "core/record/integrity.h"
#include "ui/base/fitted_label.h"
#include "ui/control/run_controller.h"
#include "ui/document/field_editors.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr double kHighest_hz = 1e5;

enum class Delay { found, none, given };
constexpr int kProposed = 0;  // place in the list of poles

/// Parts of the run in the list of rows; behind them its trials.
enum Part { kAllRows, kTimes, kFirstTrial };
constexpr double kLongest_s = 1e6;

/// Places of the part of the run, as its fields are called here; "From" is the band.
QString placeOf(const std::string& where) {
  if (where == "from") return FitPanel::tr("Rows from");
  if (where == "to") return FitPanel::tr("Rows to");
  return QString::fromStdString(where);
}

QString sentenceOf(const Issue& issue) {
  QString text = QString::fromStdString(issue.message);
  if (!issue.where.empty()) text.prepend(placeOf(issue.where) + QLatin1Char(' '));
  return text.left(1).toUpper() + text.mid(1);
}

}  // namespace

FitPanel::FitPanel(QWidget* parent)
    : Panel(parent),
      source_(new PathLabel),
      input_(new QComboBox),
      output_(new QComboBox),
      poles_(new QComboBox),
      zeros_(new QComboBox),
      delay_(new QComboBox),
      part_(new QComboBox),
      from_(new ValueField(tr("Band from"), tr("Hz"), 0.0, kHighest_hz)),
      to_(new ValueField(tr("Band to"), tr("Hz"), 0.0, kHighest_hz)),
      given_(new ValueField(tr("Given delay"), tr("ms"), 0.0, 1e3 * kMostDelay_s)),
      first_(new ValueField(tr("Rows from"), tr("s"), 0.0, kLongest_s)),
      last_(new ValueField(tr("Rows to"), tr("s"), 0.0, kLongest_s)),
      message_(new QLabel),
      open_(new QPushButton(tr("Open a run..."))),
      fit_(new QPushButton(tr("Fit"))),
      cancel_(new QPushButton(tr("Cancel"))),
      progress_(new QProgressBar) {
  auto* title = new QLabel(tr("Fit"));
  title->setFont(figureFont(1.0, true));
  source_->setObjectName(QStringLiteral("fit-source"));
  source_->setProperty("muted", true);
  open_->setObjectName(QStringLiteral("fit-open"));
  open_->setToolTip(tr("Fits any recorded run that excites the band"));
  const auto choice = [](QComboBox* box, const QString& object, const QString& name, const QString& tip) {
    box->setObjectName(object);
    box->setAccessibleName(name);
    box->setToolTip(tip);
  };
  choice(input_, QStringLiteral("fit-input"), tr("Input"), tr("Channel that drives the response"));
  choice(output_, QStringLiteral("fit-output"), tr("Output"), tr("Channel that responds"));
  choice(poles_, QStringLiteral("fit-poles"), tr("Poles"),
         tr("Poles of the model. Proposed: the smallest number that the data support."));
  choice(zeros_, QStringLiteral("fit-zeros"), tr("Zeros"), tr("Zeros of the model, at most as many as poles"));
  choice(delay_, QStringLiteral("fit-delay"), tr("Delay"),
         tr("Pure delay of the model. Found: identified if the data show one. None: poles and zeros describe the whole "
            "lag."));
  choice(
      part_, QStringLiteral("fit-part"), tr("Rows"),
      tr("Rows that are used. All: those that count for the figures. Times: a part of them. Trial: one trial of a run "
         "in trials."));
  part_->addItems({tr("all"), tr("times")});
  poles_->addItem(tr("proposed"));
  for (int n = 1; n <= kMostPoles; ++n) poles_->addItem(QString::number(n));
  for (int n = 0; n <= kMostPoles; ++n) zeros_->addItem(QString::number(n));
  delay_->addItems({tr("found"), tr("none"), tr("given")});
  const auto number = [](ValueField* box, const QString& object, const QString& tip) {
    box->setObjectName(object);
    box->setAccessibleDescription(tip);
    box->setMinimumHeight(28);
    box->setTip(tip);
  };
  const QString band =
      tr("Band of the model, 0 to 100000 Hz. As excited: all frequencies at which the input has power.");
  number(from_, QStringLiteral("fit-from"), band);
  number(to_, QStringLiteral("fit-to"), band);
  to_->setLeastWords(tr("as excited"));
  number(given_, QStringLiteral("fit-given-delay"), tr("Pure delay of the model, 0 to 10000 ms"));
  const QString times = tr("Times of the rows that are used, from the start of the run, 0 to 1000000 s");
  number(first_, QStringLiteral("fit-first"), times);
  number(last_, QStringLiteral("fit-last"), times);
  last_->setLeastWords(tr("end"));
  fit_->setObjectName(QStringLiteral("fit"));
  fit_->setMinimumHeight(32);
  cancel_->setObjectName(QStringLiteral("fit-cancel"));
  cancel_->setMinimumHeight(32);
  cancel_->setToolTip(tr("Cancels the fit; the previous model stays"));
  progress_->setTextVisible(false);
  progress_->setFixedHeight(4);
  progress_->setRange(0, 1000);
  progress_->setAccessibleName(tr("Progress of the fit"));
  message_->setObjectName(QStringLiteral("fit-message"));
  message_->setWordWrap(true);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  message_->hide();

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
  field(0, 0, tr("Input"), input_);
  field(0, 2, tr("Output"), output_);
  field(1, 0, tr("Poles"), poles_);
  field(1, 2, tr("Zeros"), zeros_);
  field(2, 0, tr("Delay"), delay_);
  field(2, 2, tr("Given"), given_);
  field(3, 0, tr("From"), from_);
  field(3, 2, tr("To"), to_);
  field(4, 0, tr("Rows"), part_);
  field(5, 0, tr("Rows from"), first_);
  field(5, 2, tr("Rows to"), last_);
  grid->setColumnStretch(1, 1);
  grid->setColumnStretch(3, 1);
  auto* head = new QHBoxLayout;
  head->setSpacing(8);
  head->addWidget(title);
  head->addWidget(source_, 1);
  head->addWidget(open_);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  buttons->addWidget(fit_, 2);
  buttons->addWidget(cancel_, 1);
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(12, 8, 12, 8);
  box->setSpacing(6);
  box->addLayout(head);
  box->addLayout(grid);
  box->addLayout(buttons);
  box->addWidget(progress_);
  box->addWidget(message_);

  connect(open_, &QPushButton::clicked, this, &FitPanel::chooseRun);
  connect(fit_, &QPushButton::clicked, this, &FitPanel::fit);
  connect(cancel_, &QPushButton::clicked, this, &FitPanel::cancel);
  for (QComboBox* changing : {poles_, delay_, part_})
    connect(changing, &QComboBox::currentIndexChanged, this, &FitPanel::updateFields);
  for (ValueField* number_field : {from_, to_, given_, first_, last_}) {
    connect(number_field, &ValueField::valueChanged, this, &FitPanel::updateFields);
    connect(number_field, &ValueField::textChecked, this, &FitPanel::updateFields);
  }
  updateFields();
}

FitPanel::~FitPanel() {
  if (wanted_) *wanted_ = false;
}

void FitPanel::chooseRun() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Open a recorded run"), folder_, tr("Runs (*.h5)"));
  if (!file.isEmpty()) setRun(file, 0);
}

void FitPanel::setRun(const QString& file, std::size_t axis) {
  cancel();
  file_.clear();
  source_->setLine({});
  message_->hide();
  try {
    readChannels(file, axis);
    file_ = file;
    source_->setLine(QFileInfo(file).fileName(), file);
  } catch (const std::exception& error) {
    say(QString::fromUtf8(error.what()), true);
  }
  updateFields();
}

void FitPanel::readChannels(const QString& file, std::size_t axis) {
  if (!RunController::recordingFile().isEmpty() && QFileInfo(file) == QFileInfo(RunController::recordingFile()))
    throw DeviceError(tr("%1 is being recorded. Open it after the end of the test.").arg(file).toStdString());
  const RunFileReader reader(file.toStdString());
  const RunRecord rows = recordOf(reader, projectFolder(reader, file.toStdString()));
  QStringList names;
  for (const std::string& channel : signalsOf(rows)) names << QString::fromStdString(channel);
  for (QComboBox* box : {input_, output_}) {
    box->clear();
    box->addItems(names);
  }
  const QString number = QString::number(axis + 1);
  input_->setCurrentText(QStringLiteral("command_") + number);
  output_->setCurrentText(QStringLiteral("measured_") + number);
  offerTrials(rows);
}

/// The trials of the run, behind the other parts; all rows are chosen.
void FitPanel::offerTrials(const RunRecord& run) {
  while (part_->count() > kFirstTrial) part_->removeItem(kFirstTrial);
  if (const std::optional<std::vector<double>> trials = run.segment("trial"))
    for (const double trial : *trials) part_->addItem(tr("trial %1").arg(trial), static_cast<int>(trial));
  part_->setCurrentIndex(kAllRows);
}

void FitPanel::forget() {
  cancel();
  file_.clear();
  source_->setLine({});
  message_->hide();
  input_->clear();
  output_->clear();
  updateFields();
}

IdentifyRun FitPanel::asked() const {
  IdentifyRun asked;
  asked.input = input_->currentText().toStdString();
  asked.output = output_->currentText().toStdString();
  if (poles_->currentIndex() != kProposed) {
    asked.spec.poles = poles_->currentIndex();
    asked.spec.zeros = zeros_->currentIndex();
  }
  const auto delay = static_cast<Delay>(delay_->currentIndex());
  if (delay == Delay::none) asked.spec.delay_s = 0.0;
  if (delay == Delay::given) asked.spec.delay_s = 1e-3 * given_->value();
  if (to_->value() > 0.0) asked.spec.band_hz = {from_->value(), to_->value()};
  const int part = part_->currentIndex();
  if (part == kTimes) asked.from_s = first_->value();
  if (part == kTimes && last_->value() > 0.0) asked.to_s = last_->value();
  if (part >= kFirstTrial) asked.trial = part_->currentData().toInt();
  return asked;
}

void FitPanel::fit() {
  if (file_.isEmpty() || !blocked_.isEmpty()) return;
  cancel();
  wanted_ = std::make_shared<std::atomic<bool>>(true);
  IdentifyRun asked = this->asked();
  // Called in the worker; the window is notified through its event loop.
  asked.spec.watch = [this, wanted = wanted_](double done) {
    QMetaObject::invokeMethod(
        progress_,
        [this, wanted, done] {
          if (wanted == wanted_) progress_->setValue(static_cast<int>(1000.0 * done));
        },
        Qt::QueuedConnection);
    return wanted->load();
  };
  message_->hide();
  Q_EMIT began();
  task_.submit([this, asked, file = file_, wanted = wanted_]() -> LatestTask::Deliver {
    std::shared_ptr<const RunIdentification> found;
    QString problem;
    try {
      requireUndamaged(file.toStdString());  // the model goes into the project
      const RunFileReader reader(file.toStdString());
      const RunRecord rows = recordOf(reader, projectFolder(reader, file.toStdString()));
      auto result = std::make_shared<RunIdentification>(identifyRun(rows, asked));
      result->spec.watch = {};
      found = result;
    } catch (const IdentificationCancelled&) {
      // No message: the user has cancelled.
    } catch (const InputError& error) {
      QStringList sentences;
      for (const Issue& issue : error.issues()) sentences << sentenceOf(issue);
      problem = sentences.join(QLatin1Char('\n'));
    } catch (const std::exception& error) {
      problem = QString::fromUtf8(error.what());
    }
    return [this, found, problem, wanted] {
      if (wanted != wanted_) return;
      wanted_.reset();
      updateFields();
      if (!problem.isEmpty()) return say(problem, true);
      if (found) Q_EMIT fitted(found);
    };
  });
  updateFields();
}

void FitPanel::cancel() {
  if (!wanted_) return;
  *wanted_ = false;
  wanted_.reset();
  task_.cancel();
  say(tr("Cancelled."), false);
  updateFields();
}

void FitPanel::updateFields() {
  const bool idle = !busy(), some = !file_.isEmpty();
  for (QWidget* widget : std::initializer_list<QWidget*>{input_, output_, poles_, delay_, to_, part_})
    widget->setEnabled(idle && some);
  zeros_->setEnabled(idle && some && poles_->currentIndex() != kProposed);
  given_->setEnabled(idle && some && static_cast<Delay>(delay_->currentIndex()) == Delay::given);
  from_->setEnabled(idle && some && to_->value() > 0.0);
  for (ValueField* time : {first_, last_}) time->setEnabled(idle && some && part_->currentIndex() == kTimes);
  open_->setEnabled(idle && blocked_.isEmpty());
  const bool good = from_->good() && to_->good() && given_->good() && first_->good() && last_->good();
  fit_->setEnabled(idle && some && good && blocked_.isEmpty());
  fit_->setToolTip(!blocked_.isEmpty() ? blocked_
                   : some              ? tr("Estimates frequency response and model in the background")
                                       : tr("Excite or open a run first"));
  open_->setToolTip(blocked_.isEmpty() ? tr("Fits any recorded run that excites the band") : blocked_);
  cancel_->setEnabled(!idle);
  if (idle) progress_->setValue(0);
}

void FitPanel::setBlocked(const QString& why) {
  blocked_ = why;
  updateFields();
}

void FitPanel::say(const QString& text, bool bad) {
  message_->setText(text);
  message_->setVisible(!text.isEmpty());
  setMark(message_, bad ? "error" : "");
}

}  // namespace hyb::ui
